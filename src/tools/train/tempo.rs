//! What the right to move is worth at the horizon.
//!
//! The fit sees positions of sound games. The leaves of a search are others: the last move is the one that looked best
//! one ply deep, and often it has a refutation, so the side to move stands better there than the weights say. Searches
//! of odd depth then judge too well and those of even depth too badly. Half the difference, measured on positions of
//! games, is added to the constants.

use super::{TrainError, probcut::draw, progress};
use crate::{
    base::Control,
    othello::{
        Board,
        eval::{DISC, Packing, Parameters, Weights},
        search::{Config, Effort, Searcher, Task},
    },
};
use rayon::prelude::*;
use std::{path::PathBuf, sync::Arc};

#[derive(clap::Args, Debug)]
pub struct TempoOptions {
    /// Weights to put right
    #[arg(long, value_name = "FILE")]
    eval: PathBuf,
    /// Where to write them
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Positions to search
    #[arg(short, long, default_value_t = 5000)]
    positions: usize,
    /// An odd depth; it is compared with the next
    #[arg(long, default_value_t = 5)]
    depth: u32,
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Positions worked on at a time
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
    /// Files of training games to draw positions from
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

/// Half of what odd depths are above even ones, in discs, and the empty squares at the horizon it was seen at.
type Seen = (u32, f64);

pub fn run(options: &TempoOptions) -> Result<(), TrainError> {
    let mut parameters = super::parameters_of(&options.eval)?;
    let boards = draw(&options.games, options.positions, options.seed)?;
    let before = measure(&parameters, &boards, options)?;
    add(&mut parameters, &before);
    let after = measure(&parameters, &boards, options)?;
    crate::say_line!("empties at the horizon  positions  before   after");
    for low in (0..60).step_by(10) {
        let within = |seen: &[Seen]| -> Vec<f64> {
            seen.iter().filter(|(leaf, _)| (low..low + 10).contains(leaf)).map(|(_, discs)| *discs).collect()
        };
        let (before, after) = (within(&before), within(&after));
        if !before.is_empty() {
            crate::say_line!(
                "{low:10} to {:2} {:18} {:+7.2} {:+7.2}",
                low + 9,
                before.len(),
                mean(&before),
                mean(&after)
            );
        }
    }
    super::write_weights(&options.output, &parameters)?;
    Ok(())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn measure(parameters: &Parameters, boards: &[Board], options: &TempoOptions) -> Result<Vec<Seen>, TrainError> {
    let weights = Arc::new(Weights::from_parameters(parameters, Packing::shared()));
    let odd = options.depth | 1;
    let searcher = || Searcher::new(Config { threads: 1, hash_bits: 16, weights: Arc::clone(&weights) });
    let bar = progress(boards.len() as u64, "positions");
    let difference = |searcher: &mut Searcher, board: &Board| {
        bar.inc(1);
        let mut value = |plies| {
            searcher.clear();
            let task = Task::new(Effort::Depth { plies, percent: 100 });
            searcher.search(*board, &task, Control::alone()).value.discs()
        };
        (board.empty_count() - odd, (value(odd) - value(odd + 1)) / 2.0)
    };
    let deep_enough: Vec<&Board> = boards.iter().filter(|b| b.empty_count() > odd + 1).collect();
    let seen = super::pool(options.threads)?
        .install(|| deep_enough.par_iter().map_init(searcher, |searcher, board| difference(searcher, board)).collect());
    bar.finish();
    Ok(seen)
}

/// Adds to each constant the mean of what was seen near its number of empty squares.
fn add(parameters: &mut Parameters, seen: &[Seen]) {
    for (empties, constant) in parameters.constants.iter_mut().enumerate() {
        let near = |leaf: u32| (-(f64::from(leaf) - empties as f64).powi(2) / 32.0).exp();
        let weight: f64 = seen.iter().map(|(leaf, _)| near(*leaf)).sum();
        let sum: f64 = seen.iter().map(|(leaf, discs)| near(*leaf) * discs).sum();
        // Far from everything that was seen nothing is known.
        if weight > 1.0 {
            let added = (sum / weight * f64::from(DISC)).round() as i16;
            *constant = constant.saturating_add(added);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_move_by_what_was_seen_near_them() {
        let mut parameters = Parameters { about: String::new(), constants: vec![10; 61], phases: vec![], net: None };
        let seen: Vec<Seen> = (10..20).flat_map(|leaf| vec![(leaf, 0.5); 10]).chain(vec![(40, -1.0); 100]).collect();
        add(&mut parameters, &seen);
        assert_eq!((parameters.constants[15], parameters.constants[40]), (10 + 64, 10 - 128));
        assert_eq!(parameters.constants[60], 10);
    }
}
