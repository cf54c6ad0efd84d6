//! Othello: rules, notations, search, evaluation, books, study.

pub mod bitboard;
pub mod board;
pub mod book;
pub mod engine;
pub mod eval;
pub mod flip;
pub mod game;
pub mod notation;
pub mod perft;
pub mod position;
pub mod records;
pub mod search;
pub mod square;

pub use bitboard::BitBoard;
pub use board::{Board, Move};
pub use engine::{COMMANDS, OthelloCommand, OthelloEngine};
pub use game::Game;
pub use position::Position;
pub use square::Square;
