//! Go: the rules, and players that think by playing many games to the end.

pub(crate) mod board;
pub(crate) mod bstar;
pub(crate) mod config;
pub(crate) mod ending;
pub(crate) mod engine;
pub(crate) mod eye;
pub(crate) mod game;
pub(crate) mod gopal;
pub(crate) mod handicap;
pub(crate) mod liberties;
pub(crate) mod mcts;
pub(crate) mod net;
pub(crate) mod notation;
pub(crate) mod pattern;
pub(crate) mod player;
pub(crate) mod playout;
pub(crate) mod point;
pub(crate) mod policy;
pub(crate) mod potential;
pub(crate) mod primitive;
pub(crate) mod prior;
pub(crate) mod report;
pub(crate) mod restriction;
pub(crate) mod rules;
pub(crate) mod score;
pub(crate) mod select;
pub(crate) mod sgf;
pub(crate) mod status;
pub(crate) mod surroundings;
pub(crate) mod tactics;
pub(crate) mod tally;
pub(crate) mod timing;
pub(crate) mod tree;
mod zobrist;

#[cfg(test)]
mod board_tests;
#[cfg(test)]
mod game_tests;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod player_tests;

pub(crate) use engine::{COMMANDS, GoEngine};

pub use board::{Board, Forbidden};
pub use config::{Config, PlayerKind};
pub use game::GoGame;
pub use player::Player;
pub use point::{Geometry, Point};
pub use report::{Choice, MoveReport, Report};
pub use rules::Rules;
pub use surroundings::Cell;
