//! Go: the rules, and players that think by playing many games to the end.

pub mod board;
pub mod liberties;
pub mod playout;
pub mod point;
pub mod surroundings;
mod zobrist;

#[cfg(test)]
mod board_tests;
#[cfg(test)]
mod naive;

pub use board::{Board, Forbidden};
pub use point::{Geometry, Point};
pub use surroundings::Cell;
