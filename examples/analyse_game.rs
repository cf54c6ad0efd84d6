//! Finds the mistakes of a game: every move that loses three discs or more against the best one.
//!
//! `cargo run --release --example analyse_game -- MOVES`

use shirokuro::{
    Control,
    othello::{Board, Effort, Game, SearchSettings, Searcher, Task, Weights, read_game},
};
use std::{env, error::Error};

const MOVES: &str = "f5d6c3d3c4f4c5b3c2b4e3e6c6b6a5a4f6d1";

/// The value of a position for its side to move, in discs.
fn value(searcher: &mut Searcher, board: Board) -> f64 {
    searcher.search(board, &Task::new(Effort::Level(10)), Control::alone()).value.discs()
}

fn main() -> Result<(), Box<dyn Error>> {
    let game = read_game(&env::args().nth(1).unwrap_or(MOVES.into()))?;
    let settings = SearchSettings { threads: 1, hash_bits: 18, weights: Weights::builtin() };
    let mut searcher = Searcher::new(settings);
    let mut replay = Game::default();
    for ply in game.plies() {
        let position = replay.position();
        let best = value(&mut searcher, position.board);
        replay.play(Some(ply.colour), ply.mv)?;
        // A pass may have been made on the way: the value is wanted for the side that moved.
        let after = value(&mut searcher, replay.position().board);
        let played = if replay.side() == position.side { after } else { -after };
        if best - played >= 3.0 {
            println!("{} {}: {played:+.1} instead of {best:+.1}", position.side, ply.mv);
        }
    }
    Ok(())
}
