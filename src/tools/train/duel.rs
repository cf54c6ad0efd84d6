//! Two sets of weights against each other: the same search for both, each opening with both colours.

use super::{TrainError, progress, selfplay};
use crate::{
    base::{Control, Rng},
    othello::{
        Board, Move,
        eval::Weights,
        search::{Config, Effort, Searcher, Task},
    },
};
use rayon::prelude::*;
use std::{path::PathBuf, sync::Arc};

#[derive(clap::Args, Debug)]
pub struct DuelOptions {
    /// Weights file of the first player, or `builtin`
    first: PathBuf,
    /// Weights file of the second player, or `builtin`
    second: PathBuf,
    /// Openings, each played twice
    #[arg(short, long, default_value_t = 200)]
    pairs: u32,
    /// Random moves at the start
    #[arg(long, default_value_t = 10)]
    random: u8,
    #[arg(short, long, default_value_t = 1)]
    seed: u32,
    /// Depth of the search
    #[arg(long, default_value_t = 4)]
    mid: u32,
    /// Play perfectly from so many empty squares on
    #[arg(long, default_value_t = 14)]
    end: u32,
    /// Games played at a time
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
}

pub fn run(options: &DuelOptions) -> Result<(), TrainError> {
    let [first, second] = [&options.first, &options.second].map(|path| {
        let named = path.as_os_str() != "builtin";
        super::weights(named.then_some(path.as_path()))
    });
    let (first, second) = (first?, second?);
    let bar = progress(options.pairs.into(), "pairs");
    let pool = super::pool(options.threads)?;
    let scores: Vec<[i32; 2]> = pool.install(|| {
        let players = || [&first, &second].map(player);
        let pairs = (0..options.pairs).into_par_iter();
        pairs
            .map_init(players, |players, pair| {
                let scores = play_pair(players, pair, options);
                bar.inc(1);
                scores
            })
            .collect()
    });
    bar.finish();
    print_result(&scores);
    Ok(())
}

fn player(weights: &Arc<Weights>) -> Searcher {
    Searcher::new(Config { threads: 1, hash_bits: 16, weights: Arc::clone(weights) })
}

/// The first player's disc differences with either colour.
fn play_pair(players: &mut [Searcher; 2], pair: u32, options: &DuelOptions) -> [i32; 2] {
    let mut rng = Rng::new(u64::from(options.seed) << 32 | u64::from(pair));
    let (opening, _) = selfplay::opening(&mut rng, options.random);
    let effort = Effort::Sliders { mid: options.mid, end: options.end };
    [0, 1].map(|first_to_move| {
        let (mut board, mut turn): (Board, usize) = (opening, first_to_move);
        players.iter_mut().for_each(Searcher::clear);
        while let Some(action) = players[turn].search(board, &Task::new(effort), Control::alone()).best() {
            board = match action {
                Move::Place(square) => board.play(square).unwrap_or(board.pass()),
                Move::Pass => board.pass(),
            };
            turn = 1 - turn;
        }
        if turn == 0 { board.final_score() } else { -board.final_score() }
    })
}

fn print_result(scores: &[[i32; 2]]) {
    let games: Vec<i32> = scores.iter().flatten().copied().collect();
    let count = |wanted: fn(i32) -> bool| games.iter().filter(|&&s| wanted(s)).count();
    let (won, drawn, lost) = (count(|s| s > 0), count(|s| s == 0), count(|s| s < 0));
    // The two games of a pair hang together: the error bars come from whole pairs.
    let points = |s: i32| f64::from(s.signum() + 1) / 2.0;
    let (rate, rate_error) = mean_and_error(scores.iter().map(|p| (points(p[0]) + points(p[1])) / 2.0));
    let (discs, discs_error) = mean_and_error(scores.iter().map(|p| f64::from(p[0] + p[1]) / 2.0));
    crate::say_line!(
        "{} games: {won} won, {drawn} drawn, {lost} lost; {:.1} % ± {:.1}; discs {discs:+.2} ± {discs_error:.2}",
        games.len(),
        100.0 * rate,
        100.0 * rate_error
    );
}

/// With the half-width of the interval that holds the truth with 95 %.
fn mean_and_error(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, 1.96 * (variance / n).sqrt())
}
