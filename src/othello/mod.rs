//! Othello: rules, notations, search, evaluation, books, study.

pub mod bitboard;
pub mod board;
pub mod book;
pub mod eval;
pub mod flip;
pub mod perft;
pub mod records;
pub mod search;
pub mod square;

pub use bitboard::BitBoard;
pub use board::{Board, Move};
pub use square::Square;
