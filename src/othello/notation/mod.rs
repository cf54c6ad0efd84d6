//! Moves and positions as text, and back. Every reader here is the inverse of its printer; games in files are
//! `records`.

pub mod bits;
pub mod diagram;
pub mod fen;
pub mod moves;

pub use bits::{BitsOrder, BitsStyle};
pub use diagram::BadBoard;
pub use moves::{Passes, parse_move, parse_moves, transcript};

use super::position::NotAPosition;
use crate::base::ParseError;

/// A text that was meant to be a position, and why it is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPosition {
    #[error(transparent)]
    Board(#[from] BadBoard),
    #[error(transparent)]
    Text(#[from] ParseError),
    #[error(transparent)]
    Discs(#[from] NotAPosition),
}
