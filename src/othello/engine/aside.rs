//! What is kept of the engine while it answers a question by itself.

use super::{Expectation, OthelloEngine, settings::Options};
use crate::{
    base::Clocks,
    engine::{Answer, Aside, Engine, Query},
    othello::{
        book::Book,
        eval::Weights,
        game::Game,
        records::Record,
        study::{analysis::Findings, xot},
    },
};
use std::sync::Arc;

/// What a question by itself must leave as it was.
pub struct Kept {
    game: Game,
    about: Record,
    moved_for: [bool; 2],
    findings: Findings,
    options: Options,
    clocks: Clocks,
    weights: Option<Arc<Weights>>,
    expectation: Option<Expectation>,
    xot: Option<Arc<xot::List>>,
    /// The book in use, when the question brings another.
    book: Option<Book>,
}

impl Aside for OthelloEngine {
    type Kept = Kept;

    fn lay_aside(&mut self, query: &Query) -> Kept {
        let other_book = query.settings.iter().any(|(name, value)| name == "book" && *value != self.options.book);
        Kept {
            game: self.game.clone(),
            about: self.about.clone(),
            moved_for: self.moved_for,
            findings: self.findings.clone(),
            options: self.options.clone(),
            clocks: self.clocks,
            weights: self.weights.clone(),
            expectation: self.expectation,
            xot: self.xot.clone(),
            book: other_book.then(|| std::mem::take(&mut self.book)),
        }
    }

    fn settle(&mut self, settings: &[(String, String)]) -> Answer<()> {
        settings.iter().try_for_each(|(name, value)| self.set(name, value))?;
        // The side that was asked about is answered, also when it has to pass.
        self.set("autopass", "off")
    }

    fn take_up(&mut self, kept: Kept) {
        let Kept { game, about, moved_for, findings, options, clocks, weights, expectation, xot, book } = kept;
        (self.game, self.about, self.findings) = (game, about, findings);
        (self.moved_for, self.options, self.clocks) = (moved_for, options, clocks);
        (self.weights, self.expectation, self.xot) = (weights, expectation, xot);
        if let Some(book) = book {
            self.book = book;
        }
    }
}
