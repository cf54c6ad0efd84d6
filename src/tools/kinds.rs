//! The kinds of jobs there are besides questions: one row each.

use super::{book::leaf::LeafJob, pool::job::KindRow, report::ReviewJob, tournament::pair::PairJob, train};

pub const KINDS: &[KindRow] = &[
    KindRow { name: "leaf", help: "what a position is worth to a book, over some of its moves", read: LeafJob::read },
    KindRow { name: "review", help: "every position of a game with the values of its moves", read: ReviewJob::read },
    KindRow { name: "pair", help: "two games of engines of this program, with changed colours", read: PairJob::read },
    KindRow {
        name: "selfplay",
        help: "a game of the engine against itself, for training",
        read: train::selfplay::SelfplayJob::read,
    },
    KindRow {
        name: "label",
        help: "better scores for the positions of a training game",
        read: train::label::LabelJob::read,
    },
];
