//! Words that only the book's commands have.

use crate::{
    base::{Args, BadArgs},
    othello::{Move, Square, book::entry::Level, notation::parse_move},
};

pub(super) fn level(args: &mut Args) -> Result<Level, BadArgs> {
    args.parsed("a level from 1 to 60", |word| word.parse().ok().filter(|level| *level <= Level::MAX))
}

/// A square, if the next word is one.
pub(super) fn square(args: &mut Args) -> Option<Square> {
    match parse_move(args.peek()?) {
        Ok(Move::Place(square)) => {
            args.next_word();
            Some(square)
        }
        _ => None,
    }
}
