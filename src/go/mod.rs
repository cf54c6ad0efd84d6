//! Go: the rules, and players that think by playing many games to the end.

pub mod board;
pub mod game;
pub mod handicap;
pub mod liberties;
pub mod notation;
pub mod pattern;
pub mod playout;
pub mod point;
pub mod rules;
pub mod score;
pub mod surroundings;
pub mod tactics;
mod zobrist;

#[cfg(test)]
mod board_tests;
#[cfg(test)]
mod game_tests;
#[cfg(test)]
mod naive;

pub use board::{Board, Forbidden};
pub use game::GoGame;
pub use point::{Geometry, Point};
pub use rules::Rules;
pub use surroundings::Cell;
