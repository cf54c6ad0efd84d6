//! The error model of Multi-ProbCut: how far a shallow search lies from a deep one.
//!
//! Positions of training games are searched at all depths up to a limit, and solved near the end. The deviation of
//! (deep − shallow) is modelled as the exponential of a linear function of a few terms of the empty squares and both
//! depths, fitted to all pairs at once, with one set of factors for searches that stop in the midgame and one for
//! searches to the end.

use super::{TrainError, progress, write_file};
use crate::{
    base::{Control, Rng},
    othello::{
        Board,
        eval::error_model::{ErrorModel, TERMS, terms},
        search::{Config, Effort, Searcher, Task},
    },
};
use rayon::prelude::*;
use std::{collections::BTreeMap, fmt::Write, path::PathBuf, sync::Arc};

#[derive(clap::Args, Debug)]
pub struct ProbcutOptions {
    /// Where to write the model
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where to write the table of measured errors
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Positions to search
    #[arg(short, long, default_value_t = 2000)]
    positions: usize,
    /// Deepest search
    #[arg(long, default_value_t = 8)]
    depth: u32,
    /// Solve positions with at most so many empty squares
    #[arg(long, default_value_t = 18)]
    end: u32,
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Weights file instead of the built-in weights
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
    /// Positions worked on at a time
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
    /// Files of training games to draw positions from
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

/// (empty squares, shallow depth, deep depth, is the deep one to the end).
type Case = (u32, u32, u32, bool);

#[derive(Default, Clone, Copy)]
struct Spread {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Spread {
    fn add(&mut self, error: f64) {
        self.count += 1.0;
        self.sum += error;
        self.squares += error * error;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// About zero: the search knows no mean.
    fn deviation(&self) -> f64 {
        (self.squares / self.count).sqrt()
    }
}

pub fn run(options: &ProbcutOptions) -> Result<(), TrainError> {
    let weights = super::weights(options.eval.as_deref())?;
    let boards = draw(&options.games, options.positions, options.seed)?;
    let bar = progress(boards.len() as u64, "positions");
    let searcher = || Searcher::new(Config { threads: 1, hash_bits: 18, weights: Arc::clone(&weights) });
    let found: Vec<Vec<(Case, f64)>> = super::pool(options.threads)?.install(|| {
        let boards = boards.par_iter();
        boards
            .map_init(searcher, |searcher, &board| {
                bar.inc(1);
                errors(searcher, board, options)
            })
            .collect()
    });
    bar.finish();
    let mut cases: BTreeMap<Case, Spread> = BTreeMap::new();
    found.into_iter().flatten().for_each(|(case, error)| cases.entry(case).or_default().add(error));
    if let Some(path) = &options.table {
        write_file(path, table(&cases).as_ref())?;
    }
    let model = ErrorModel { midgame: fit(&cases, false), to_end: fit(&cases, true) };
    write_file(&options.output, model.to_json().as_ref())?;
    print_fit(&cases, &model);
    Ok(())
}

/// As many positions of each number of empty squares.
pub fn draw(files: &[PathBuf], count: usize, seed: u64) -> Result<Vec<Board>, TrainError> {
    let mut rng = Rng::new(seed);
    let mut by_empties: Vec<Vec<Board>> = vec![Vec::new(); 61];
    let mut games = super::read_games(files)?;
    rng.shuffle(&mut games);
    for game in games.iter().take(count * 2) {
        for board in game.boards().into_iter().skip(game.random.into()).filter(|b| b.can_move()) {
            by_empties[board.empty_count().min(60) as usize].push(board);
        }
    }
    let each = count.div_ceil(50);
    Ok((8..=57)
        .flat_map(|e| {
            rng.shuffle(&mut by_empties[e]);
            by_empties[e].iter().copied().take(each).collect::<Vec<_>>()
        })
        .collect())
}

fn errors(searcher: &mut Searcher, board: Board, options: &ProbcutOptions) -> Vec<(Case, f64)> {
    let empties = board.empty_count();
    let value = |searcher: &mut Searcher, effort| {
        searcher.clear();
        searcher.search(board, &Task::new(effort), Control::alone()).value.discs()
    };
    let weights = Arc::clone(&searcher.config().weights);
    let mut values = vec![weights.discs(board)];
    for plies in 1..=options.depth.min(empties.saturating_sub(1)) {
        values.push(value(searcher, Effort::Depth { plies, percent: 100 }));
    }
    let mut errors = Vec::new();
    let numbered = |v: &[f64]| v.iter().copied().enumerate().collect::<Vec<_>>();
    for (deep, d) in numbered(&values) {
        for (shallow, s) in numbered(&values[..deep]) {
            errors.push(((empties, shallow as u32, deep as u32, false), d - s));
        }
    }
    if empties <= options.end {
        let truth = value(searcher, Effort::Exact);
        let shallow = numbered(&values);
        errors.extend(shallow.into_iter().map(|(s, v)| ((empties, s as u32, empties, true), truth - v)));
    }
    errors
}

/// Least squares on the logarithm of the deviation, each case counting as often as it was seen.
fn fit(cases: &BTreeMap<Case, Spread>, to_end: bool) -> [f64; TERMS] {
    let mut matrix = [[0.0; TERMS]; TERMS];
    let mut right = [0.0; TERMS];
    for (&(empties, shallow, deep, _), spread) in cases.iter().filter(|((.., end), s)| *end == to_end && s.count >= 8.0)
    {
        let row = terms(empties, shallow, deep, to_end);
        let wanted = spread.deviation().max(0.05).ln();
        for i in 0..TERMS {
            right[i] += spread.count * row[i] * wanted;
            for j in 0..TERMS {
                matrix[i][j] += spread.count * row[i] * row[j];
            }
        }
    }
    // A whiff of a prior keeps terms that never vary at zero.
    (0..TERMS).for_each(|i| matrix[i][i] += 1e-3);
    solve(matrix, right)
}

/// Gauss elimination; the matrix is symmetric and positive definite.
fn solve(mut a: [[f64; TERMS]; TERMS], mut b: [f64; TERMS]) -> [f64; TERMS] {
    for i in 0..TERMS {
        let pivot = a[i];
        let right = b[i];
        for j in i + 1..TERMS {
            let factor = a[j][i] / pivot[i];
            a[j].iter_mut().zip(pivot).for_each(|(x, p)| *x -= factor * p);
            b[j] -= factor * right;
        }
    }
    let mut x = [0.0; TERMS];
    for i in (0..TERMS).rev() {
        let known: f64 = (i + 1..TERMS).map(|j| a[i][j] * x[j]).sum();
        x[i] = (b[i] - known) / a[i][i];
    }
    x
}

fn table(cases: &BTreeMap<Case, Spread>) -> String {
    let mut text = String::from("empties shallow deep to_end count mean deviation\n");
    for (&(empties, shallow, deep, end), s) in cases {
        let (end, count) = (u8::from(end), s.count);
        let _ = writeln!(text, "{empties} {shallow} {deep} {end} {count} {:.3} {:.3}", s.mean(), s.deviation());
    }
    text
}

fn print_fit(cases: &BTreeMap<Case, Spread>, model: &ErrorModel) {
    crate::say_line!("deviations in discs, measured / modelled, over all numbers of empty squares");
    let mut pairs: BTreeMap<(bool, u32, u32), (Spread, Spread)> = BTreeMap::new();
    for (&(empties, shallow, deep, end), spread) in cases {
        let key = if end { (true, shallow, empties / 4 * 4) } else { (false, shallow, deep) };
        let pair = pairs.entry(key).or_default();
        pair.0.count += spread.count;
        pair.0.squares += spread.squares;
        pair.1.count += spread.count;
        pair.1.squares += spread.count * model.sigma(empties, shallow, deep, end).powi(2);
    }
    for ((end, shallow, deep), (measured, modelled)) in pairs {
        let what = if end { "solved from" } else { "deep" };
        crate::say_line!(
            "shallow {shallow:2} {what} {deep:2}: {:.2} / {:.2}",
            measured.deviation(),
            modelled.deviation()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_the_model_that_made_the_data() {
        let truth = [1.2, -0.4, 0.3, -0.5, 0.2, 0.1, 0.3];
        let model = ErrorModel { midgame: truth, to_end: truth };
        let mut cases = BTreeMap::new();
        for empties in 10..50 {
            for deep in 1..9 {
                for shallow in 0..deep {
                    let sigma = model.sigma(empties, shallow, deep, false);
                    let spread = Spread { count: 100.0, sum: 0.0, squares: 100.0 * sigma * sigma };
                    cases.insert((empties, shallow, deep, false), spread);
                }
            }
        }
        for (found, wanted) in fit(&cases, false).iter().zip(truth) {
            assert!((found - wanted).abs() < 2e-3, "{found} {wanted}");
        }
    }
}
