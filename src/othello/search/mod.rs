//! Finding the best move: exact endgame, midgame, parallel search, levels.
//!
//! [`Searcher`] is the door. Behind it stands the search tree (`tree/`), compiled once for each kernel: in `portable`,
//! `avx2`, `avx512` and `neon`. What need not be as fast as can be, or is the same everywhere, stands beside it.
#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "calls of code for instructions that the processor has")
)]

mod cache;
mod edges;
mod keys;
mod last_flip;
pub mod levels;
mod memory;
pub mod probcut;
mod regions;
mod table;
pub mod time;
mod window;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

#[cfg(test)]
mod stability_tests;
#[cfg(test)]
mod tests;

use super::{BitBoard, Board, Move, Position, eval::Weights};
use crate::base::{Control, Limits, kernel::dispatch};
use cache::Cache;
use std::{
    fmt,
    sync::{Arc, LazyLock},
    time::Duration,
};
use table::Table;
pub use window::Window;

/// What a searcher may use.
#[derive(Clone)]
pub struct Config {
    /// Threads that search together.
    pub threads: usize,
    /// The table holds 2 to the power of this entries of 32 bytes.
    pub hash_bits: u32,
    /// The evaluation.
    pub weights: Arc<Weights>,
}

/// Bytes that a table of this size takes.
pub const fn hash_bytes(bits: u32) -> u64 {
    table::SLOT_BYTES << bits
}

/// Searches positions, and remembers what it found for the next search. Nothing is allocated before the first one.
pub struct Searcher {
    config: Config,
    table: Option<Table>,
    caches: Vec<Cache>,
}

/// A hash table of this size in bits, if it can be had; otherwise its size in bytes and the largest that can.
pub fn hash_fits(bits: u32) -> Result<(), (u64, u32)> {
    match Table::fits(bits) {
        (true, _) => Ok(()),
        (false, bytes) => Err((bytes, (0..bits).rev().find(|&bits| Table::fits(bits).0).unwrap_or(0))),
    }
}

/// Makes the small tables that the first search would otherwise make while nobody can stop it.
pub fn make_tables() {
    LazyLock::force(&edges::EDGES);
    probcut::make_table();
}

impl Searcher {
    /// A searcher with an empty table.
    pub fn new(config: Config) -> Searcher {
        Searcher { config, table: None, caches: Vec::new() }
    }

    /// Takes on other settings; a table of another size starts empty.
    pub fn configure(&mut self, config: Config) {
        if config.hash_bits != self.config.hash_bits || !Arc::ptr_eq(&config.weights, &self.config.weights) {
            self.table = None;
        }
        self.config = config;
    }

    /// Its settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Forgets everything found so far. The table stays: to get a new one from the system takes longer than many a search.
    pub fn clear(&mut self) {
        if let Some(table) = &mut self.table {
            table.forget();
        }
        self.caches.clear();
    }

    /// Forgets everything found so far, and has all memory at hand before the next search, which would otherwise get
    /// it from the system bit by bit: for measurements.
    pub fn prepare(&mut self) {
        match &mut self.table {
            Some(table) => table.forget(),
            None => self.table.insert(Table::new(self.config.hash_bits)).prepare(),
        }
        self.caches.clear();
    }

    /// Searches until the task is done, a limit is reached or the control says stop. Tells the control the state of
    /// things after every iteration. There is always a move in the report when there is one on the board.
    pub fn search(&mut self, board: Board, task: &Task, control: Control<'_, Report>) -> Report {
        let table = self.table.get_or_insert_with(|| Table::new(self.config.hash_bits));
        table.new_generation();
        self.caches.resize_with(self.config.threads.max(1), Cache::default);
        dispatch!(search(table, &self.config.weights, &mut self.caches, board, task, control))
    }
}

/// The discs of both sides that can never be turned again, as far as the search sees it.
pub fn stable_discs(position: Position) -> BitBoard {
    BitBoard(dispatch!(stable(position.board)) | dispatch!(stable(position.board.pass())))
}

/// What to find out about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// How deep to search.
    pub effort: Effort,
    /// When to stop in any case.
    pub limits: Limits,
    /// So many of the best moves get a true value; the rest need not even be listed.
    pub lines: usize,
    /// Only these moves count.
    pub only: Option<BitBoard>,
    /// What has to be known of the values.
    pub window: Window,
}

impl Task {
    /// The best move with this effort and no other limit.
    pub fn new(effort: Effort) -> Task {
        Task { effort, limits: Limits::NONE, lines: 1, only: None, window: Window::WHOLE }
    }
}

/// How deep a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A level from 1 to 60.
    Level(u8),
    /// A fixed depth.
    Depth {
        /// Search depth.
        plies: u32,
        /// Selectivity (100: no forward pruning).
        percent: u8,
    },
    /// The two sliders of Egaroucid 5.
    Sliders {
        /// Plies of the midgame search.
        mid: u32,
        /// Empty squares from which the game is solved.
        end: u32,
    },
    /// The true score.
    Exact,
    /// Only who wins: a win is reported as at least +2, a loss as at most −2.
    WinLossDraw,
    /// Deeper and deeper until stopped or solved.
    Unlimited,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Best first; empty only when the game is over.
    pub lines: Vec<Line>,
    /// The value of the position: of the best line, or the final score of a finished game.
    pub value: Value,
    /// Positions that were searched.
    pub nodes: u64,
    /// The nodes, and every position made only to be put in order or looked up: some programs count these as well.
    pub made: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// The whole task was done; otherwise the search was cut short and the lines are from its last whole iteration, but
    /// for a better move that the next had come upon.
    pub complete: bool,
}

impl Report {
    /// The best move, if the game is not over.
    pub fn best(&self) -> Option<Move> {
        self.lines.first().map(|line| line.best)
    }
}

/// A move with its value and what is expected to follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The move.
    pub best: Move,
    /// The expected course of the game, `best` first.
    pub pv: Vec<Move>,
    /// Seen by the side to move in the position searched.
    pub value: Value,
    /// Whether the value is exact or a bound.
    pub bound: Bound,
    /// How deep it was searched.
    pub depth: Depth,
}

/// How a value stands to the truth of its search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// At least this.
    Lower,
    /// At most this.
    Upper,
}

/// How deep a value was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depth {
    /// Plies; to the end of the game they are the empty squares.
    pub plies: u32,
    /// How probably each selective cut was right; 100 when there were none.
    pub percent: u8,
    /// To the end of the game without selective cuts: the value is proven.
    pub solved: bool,
}

/// An expected or proven result in hundredths of a disc.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Value(i32);

impl Value {
    /// From whole discs.
    pub const fn from_discs(discs: i32) -> Value {
        Value(discs * 100)
    }

    /// From hundredths of a disc.
    pub const fn from_hundredths(hundredths: i32) -> Value {
        Value(hundredths)
    }

    /// In hundredths of a disc.
    pub const fn hundredths(self) -> i32 {
        self.0
    }

    /// In discs.
    pub fn discs(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// The nearest whole number of discs.
    pub const fn rounded(self) -> i32 {
        (self.0 + if self.0 < 0 { -50 } else { 50 }) / 100
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2}", self.discs())
    }
}

impl fmt::Display for Value {
    /// `+2` when whole, else `+2.25`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 % 100 == 0 { write!(f, "{:+}", self.0 / 100) } else { write!(f, "{:+.2}", self.discs()) }
    }
}
