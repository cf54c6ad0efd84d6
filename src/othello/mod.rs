//! Othello: rules, notations, search, evaluation, books, study.

pub(crate) mod bitboard;
pub(crate) mod board;
pub(crate) mod book;
pub(crate) mod engine;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod flip;
pub(crate) mod game;
pub(crate) mod human;
pub(crate) mod notation;
pub(crate) mod perft;
pub(crate) mod position;
pub(crate) mod records;
pub(crate) mod search;
pub(crate) mod square;
pub(crate) mod study;

pub(crate) use engine::{COMMANDS, OthelloEngine};

pub use bitboard::BitBoard;
pub use board::{Board, Move};
pub use book::{Book, Entry as BookEntry};
pub use eval::Weights;
pub use game::Game;
pub use position::Position;
pub use records::{Format as RecordFormat, Record, read_any as read_game};
pub use search::{Bound, Config as SearchSettings, Depth, Effort, Line, Report, Searcher, Task, Value};
pub use square::Square;
