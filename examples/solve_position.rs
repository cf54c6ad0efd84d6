//! Solves a position to the end and prints the value of every move.
//!
//! `cargo run --release --example solve_position -- POSITION`: a board as `shirokuro` reads it, or the moves of a game.

use shirokuro::{
    Control,
    othello::{Effort, SearchSettings, Searcher, Task, Weights, read_game},
};
use std::{env, error::Error};

/// Played by the engine against itself; 14 squares are empty.
const POSITION: &str = "--XOOO--O-XOOO-XOOOXOXXXOOXOXXXXOOOXXXXX-OOXXXX---XXXX----XXX-- O";

fn main() -> Result<(), Box<dyn Error>> {
    let text = env::args().nth(1).unwrap_or(POSITION.into());
    let board = read_game(&text)?.position().board;
    let settings = SearchSettings { threads: 1, hash_bits: 18, weights: Weights::builtin() };
    let task = Task { lines: 64, ..Task::new(Effort::Exact) };
    let report = Searcher::new(settings).search(board, &task, Control::alone());
    println!("{} empty squares, {} nodes in {:?}", board.empty_count(), report.nodes, report.elapsed);
    for line in &report.lines {
        println!("{} {:+}", line.best, line.value.discs());
    }
    Ok(())
}
