//! How well the model predicts games it never saw, beside simple baselines.

use super::{Split, TrainError, games, model_of};
use crate::{
    base::{Control, Rng},
    othello::{
        Board, Move, Square,
        eval::Weights,
        human::{HumanModel, Rating, features, features::STAGES, player},
        search::{self, Config, Effort, Searcher, Task},
    },
    tools::plot::Plot,
};
use rayon::prelude::*;
use std::{path::PathBuf, sync::Arc};

#[derive(clap::Args, Debug)]
pub struct ReportOptions {
    /// A model file instead of the model in the binary
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Where to write the calibration plot
    #[arg(short, long, value_name = "FILE.svg")]
    output: Option<PathBuf>,
    /// Positions on which the levels of the engine are asked as well
    #[arg(long, default_value_t = 2000)]
    positions: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    split: Split,
    /// The same files as for `train human`: only what was held out counts
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

/// A position of a held-out game.
type Asked = (Board, Square, Rating);

/// How often the move that was played came first, and among the first three; and the mean of −ln p.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    positions: u64,
    first: u64,
    third: u64,
    log_loss: f64,
}

impl Score {
    fn of(probabilities: &[(Square, f64)], played: Square) -> Score {
        let own = probabilities.iter().find(|(square, _)| *square == played).map_or(0.0, |(_, p)| *p);
        let better = probabilities.iter().filter(|(square, p)| *p > own || (*p == own && *square < played)).count();
        Score {
            positions: 1,
            first: u64::from(better == 0),
            third: u64::from(better < 3),
            log_loss: -own.max(1e-9).ln(),
        }
    }

    fn join(self, other: Score) -> Score {
        Score {
            positions: self.positions + other.positions,
            first: self.first + other.first,
            third: self.third + other.third,
            log_loss: self.log_loss + other.log_loss,
        }
    }

    fn line(&self, name: &str, with_loss: bool) -> String {
        let n = self.positions.max(1) as f64;
        let share = |count: u64| 100.0 * count as f64 / n;
        let loss = if with_loss { format!("{:.3}", self.log_loss / n) } else { "-".into() };
        format!("{name:24} {:9} {:7.1} {:7.1} {loss:>9}", self.positions, share(self.first), share(self.third))
    }
}

pub fn run(options: &ReportOptions) -> Result<(), TrainError> {
    let model = model_of(options.model.as_deref())?;
    let weights = Weights::builtin();
    let (_, judge) = games::read(&options.games, options.split)?;
    let mut asked: Vec<Asked> = judge.iter().flat_map(|game| game.played().collect::<Vec<_>>()).collect();
    if asked.is_empty() {
        return Err(TrainError::NoGames);
    }
    crate::say_line!("{}: {} held-out games", model.about, judge.len());
    crate::say_line!("{:24} {:>9} {:>7} {:>7} {:>9}", "", "positions", "top 1", "top 3", "log-loss");
    by_stage(&model, &weights, &asked);
    by_rating(&model, &weights, &asked);
    crate::say_line!("{}", total(&asked, &uniform).line("uniform", true));
    crate::say_line!("{}", total(&asked, &mobility).line("fewest replies", false));
    Rng::new(options.seed).shuffle(&mut asked);
    asked.truncate(options.positions);
    crate::say_line!("{}", total(&asked, &|&(b, _, r)| of_model(&model, &weights, b, r)).line("model, sample", true));
    for level in [1, 10] {
        crate::say_line!("{}", of_level(level, &weights, &asked).line(&format!("level {level}, sample"), false));
    }
    let began = std::time::Instant::now();
    for &(board, _, rating) in &asked {
        std::hint::black_box(model.likely(board, &weights, rating));
    }
    let micros = began.elapsed().as_secs_f64() * 1e6 / asked.len().max(1) as f64;
    crate::say_line!("the model takes {micros:.1} µs a position, on one thread");
    players(&model, &weights, &asked);
    calibration(
        &model,
        &weights,
        &judge.iter().flat_map(|g| g.played().collect::<Vec<_>>()).collect::<Vec<_>>(),
        options,
    )
}

fn total(asked: &[Asked], guess: &(dyn Fn(&Asked) -> Vec<(Square, f64)> + Sync)) -> Score {
    asked.par_iter().map(|asked| Score::of(&guess(asked), asked.1)).reduce(Score::default, Score::join)
}

fn of_model(model: &HumanModel, weights: &Weights, board: Board, rating: Rating) -> Vec<(Square, f64)> {
    model.likely(board, weights, rating).iter().map(|likely| (likely.square, likely.probability)).collect()
}

fn uniform((board, ..): &Asked) -> Vec<(Square, f64)> {
    let moves = board.moves();
    moves.into_iter().map(|square| (square, 1.0 / f64::from(moves.count()))).collect()
}

/// The move that leaves the opponent the fewest moves.
fn mobility((board, ..): &Asked) -> Vec<(Square, f64)> {
    let left = |square: Square| board.play(square).map_or(0, |after| after.moves().count());
    board.moves().into_iter().map(|square| (square, 1.0 / (1.0 + f64::from(left(square))))).collect()
}

fn by_stage(model: &HumanModel, weights: &Weights, asked: &[Asked]) {
    let guess = |asked: &Asked| of_model(model, weights, asked.0, asked.2);
    for stage in 0..STAGES {
        let part: Vec<Asked> =
            asked.iter().filter(|(board, ..)| features::stage(board.empty_count()) == stage).copied().collect();
        let name = format!("model, moves {} to {}", 10 * stage + 1, 10 * stage + 10);
        crate::say_line!("{}", total(&part, &guess).line(&name, true));
    }
    crate::say_line!("{}", total(asked, &guess).line("model, all", true));
    let average = |asked: &Asked| of_model(model, weights, asked.0, Rating::MEAN);
    crate::say_line!("{}", total(asked, &average).line("model, rating unknown", true));
}

fn by_rating(model: &HumanModel, weights: &Weights, asked: &[Asked]) {
    for (low, high) in [(0.0, 1300.0), (1300.0, 1500.0), (1500.0, 1700.0), (1700.0, 1900.0), (1900.0, 9999.0)] {
        let part: Vec<Asked> = asked.iter().filter(|(.., r)| (low..high).contains(&r.0)).copied().collect();
        let score = total(&part, &|asked| of_model(model, weights, asked.0, asked.2));
        crate::say_line!("{}", score.line(&format!("model, rated {low} to {high}"), true));
    }
}

/// The moves in the order that a level of the engine gives them.
fn of_level(level: u8, weights: &Arc<Weights>, asked: &[Asked]) -> Score {
    let make = || Searcher::new(Config { threads: 1, hash_bits: 14, weights: weights.clone() });
    let score = |searcher: &mut Searcher, (board, played, _): &Asked| {
        let task = Task { lines: 3, ..Task::new(Effort::Level(level)) };
        let report = searcher.search(*board, &task, Control::alone());
        let lines = report.lines.iter().zip((1..).map(|n| 1.0 / f64::from(n)));
        let list: Vec<(Square, f64)> = lines
            .filter_map(|(line, p)| match line.best {
                Move::Place(square) => Some((square, p)),
                Move::Pass => None,
            })
            .take(3)
            .collect();
        if list.iter().any(|(square, _)| square == played) {
            Score::of(&list, *played)
        } else {
            Score { positions: 1, ..Score::default() }
        }
    };
    asked.par_iter().map_init(make, score).reduce(Score::default, Score::join)
}

/// How often the human player of some strengths plays the move that was played.
fn players(model: &HumanModel, weights: &Arc<Weights>, asked: &[Asked]) {
    let make = || Searcher::new(Config { threads: 1, hash_bits: 14, weights: weights.clone() });
    for strength in [1200, 1500, 1800, 2100, 2400] {
        let rating = Rating(f64::from(strength));
        let agreement = |searcher: &mut Searcher, (board, played, _): &Asked| {
            let task = Task { lines: 64, ..Task::new(Effort::Depth { plies: 6, percent: 100 }) };
            let report = searcher.search(*board, &task, Control::alone());
            let value = |line: &search::Line| match line.best {
                Move::Place(square) => Some((square, line.value.discs())),
                Move::Pass => None,
            };
            let values: Vec<(Square, f64)> = report.lines.iter().filter_map(value).collect();
            let likely = model.likely(*board, weights, rating);
            let chances = player::chances(&likely, &values, player::Style { rating, max_loss: 64.0 });
            chances.iter().find(|likely| likely.square == *played).map_or(0.0, |likely| likely.probability)
        };
        let sum: f64 = asked.par_iter().map_init(make, agreement).sum();
        let name = format!("player human {strength}");
        crate::say_line!("{name:24} {:9} {:7.1}", asked.len(), 100.0 * sum / asked.len().max(1) as f64);
    }
}

/// How often moves of a probability were played in truth.
fn calibration(
    model: &HumanModel,
    weights: &Weights,
    asked: &[Asked],
    options: &ReportOptions,
) -> Result<(), TrainError> {
    const CLASSES: usize = 20;
    let add = |mut sums: Vec<(f64, u64, u64)>, &(board, played, rating): &Asked| {
        for (square, p) in of_model(model, weights, board, rating) {
            let sum = &mut sums[((p * CLASSES as f64) as usize).min(CLASSES - 1)];
            *sum = (sum.0 + p, sum.1 + u64::from(square == played), sum.2 + 1);
        }
        sums
    };
    let empty = || vec![(0.0, 0, 0); CLASSES];
    let join = |a: Vec<(f64, u64, u64)>, b: Vec<(f64, u64, u64)>| {
        a.iter().zip(b).map(|(a, b)| (a.0 + b.0, a.1 + b.1, a.2 + b.2)).collect()
    };
    let sums = asked.par_iter().fold(empty, add).reduce(empty, join);
    let measured: Vec<(f64, f64)> =
        sums.iter().filter(|sum| sum.2 > 0).map(|s| (s.0 / s.2 as f64, s.1 as f64 / s.2 as f64)).collect();
    crate::say_line!("\n{:>11} {:>7} {:>9}", "probability", "played", "moves");
    for (sum, (p, played)) in sums.iter().filter(|sum| sum.2 > 0).zip(&measured) {
        crate::say_line!("{p:11.3} {played:7.3} {:9}", sum.2);
    }
    if let Some(path) = &options.output {
        let ideal = measured.iter().map(|&(p, _)| (p, p)).collect();
        let plot = Plot {
            title: "Calibration on held-out games",
            x: "probability of a move",
            y: "part of the cases in which it was played",
            lines: vec![("measured", measured), ("ideal", ideal)],
            ..Plot::default()
        };
        super::super::write_file(path, plot.to_svg().as_bytes())?;
        crate::say_line!("{}", path.display());
    }
    Ok(())
}
