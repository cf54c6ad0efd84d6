//! Go: the rules, and players that think by playing many games to the end.

pub mod board;
pub mod bstar;
pub mod config;
pub mod ending;
pub mod engine;
pub mod eye;
pub mod game;
pub mod gopal;
pub mod handicap;
pub mod liberties;
pub mod mcts;
pub mod notation;
pub mod pattern;
pub mod player;
pub mod playout;
pub mod point;
pub mod policy;
pub mod potential;
pub mod primitive;
pub mod prior;
pub mod report;
pub mod rules;
pub mod score;
pub mod select;
pub mod selfmatch;
pub mod sgf;
pub mod status;
pub mod surroundings;
pub mod tactics;
pub mod tally;
pub mod timing;
pub mod tree;
mod zobrist;

#[cfg(test)]
mod board_tests;
#[cfg(test)]
mod game_tests;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod player_tests;

pub use board::{Board, Forbidden};
pub use config::{Config, PlayerKind};
pub use engine::{COMMANDS, GoCommand, GoEngine};
pub use game::GoGame;
pub use player::Player;
pub use point::{Geometry, Point};
pub use report::{Choice, MoveReport, Report};
pub use rules::Rules;
pub use surroundings::Cell;
