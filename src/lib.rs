//! Shirokuro: a headless engine for Othello and Go.
//!
//! The program is driven by lines of text. This crate is for those who would rather call it: rules, search, evaluation,
//! records and book of Othello are in [`othello`], rules and players of Go in [`go`].
//!
//! ```
//! use shirokuro::{
//!     Control,
//!     othello::{Effort, SearchSettings, Searcher, Task, Weights, read_game},
//! };
//!
//! let game = read_game("f5d6c3d3c4f4f6").expect("a legal game");
//! let settings = SearchSettings { threads: 1, hash_bits: 16, weights: Weights::builtin() };
//! let task = Task::new(Effort::Level(6));
//! let report = Searcher::new(settings).search(game.position().board, &task, Control::alone());
//! let best = &report.lines[0];
//! println!("{} is worth {:+.2} discs", best.best, best.value.discs());
//! assert!(report.complete && report.nodes > 0);
//! ```
//!
//! The modules stand in dependency order: each uses only those above it. `ARCHITECTURE.md` is the map.

#![warn(missing_docs)]
#![allow(clippy::duplicate_mod, reason = "what is compiled once for each kernel")]

mod base;
mod engine;
mod gopal;
mod report;

pub mod go;
pub mod othello;

pub use base::{Colour, Control, Limits};

mod backlog;
mod input;
mod protocol;
mod queue;
mod status;
mod terminal;
mod worker;

mod session;

mod tools;

pub mod cli;

#[doc(hidden)]
pub mod fuzzing;

#[cfg(test)]
mod layers;
#[cfg(test)]
mod safety;
