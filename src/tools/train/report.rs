//! What the data holds and how well the weights fit it: tables on standard output, plots as SVG.

use super::{
    TrainError, at,
    fit::Errors,
    samples::{self, Labelling, Sample},
    write_file,
};
use crate::{othello::eval::Weights, tools::plot::Plot};
use rayon::prelude::*;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct ReportOptions {
    /// Directory for the plots
    #[arg(short, long, value_name = "DIRECTORY")]
    output: PathBuf,
    /// Weights file instead of the built-in weights
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
    /// Part of a search's score in the label of a position
    #[arg(long, default_value_t = 0.5)]
    search_share: f32,
    /// One game in so many was held out
    #[arg(long, default_value_t = 20)]
    hold_out: u64,
    /// Files of training games
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

/// Width in discs of the classes of the calibration plot.
const CLASS: f32 = 4.0;

pub fn run(options: &ReportOptions) -> Result<(), TrainError> {
    let weights = super::weights(options.eval.as_deref())?;
    let games = super::read_games(&options.games)?;
    let labelling = Labelling { search_share: options.search_share, hold_out: options.hold_out };
    let split = samples::split(&games, labelling);
    let errors = errors_by_empties(&weights, &split.judge);
    let counts = counts_by_empties(&split.learn);
    let calibration = calibration(&weights, &split.judge);
    crate::say_line!("{}: {} games, {} positions", weights.about(), games.len(), split.learn.len() + split.judge.len());
    print_tables(&errors, &counts, &calibration);
    std::fs::create_dir_all(&options.output).map_err(at(&options.output))?;
    for (name, plot) in plots(&errors, &counts, &calibration) {
        let path = options.output.join(name);
        write_file(&path, plot.to_svg().as_ref())?;
        crate::say_line!("{}", path.display());
    }
    Ok(())
}

fn errors_by_empties(weights: &Weights, samples: &[Sample]) -> Vec<Errors> {
    let empty = || vec![Errors::default(); 61];
    let add = |mut errors: Vec<Errors>, s: &Sample| {
        let error = weights.discs(s.board) - f64::from(s.label);
        errors[s.board.empty_count().min(60) as usize].add(error);
        errors
    };
    let join = |a: Vec<Errors>, b: Vec<Errors>| a.into_iter().zip(b).map(|(a, b)| a.join(b)).collect();
    samples.par_iter().fold(empty, add).reduce(empty, join)
}

fn counts_by_empties(samples: &[Sample]) -> Vec<u64> {
    let mut counts = vec![0; 61];
    samples.iter().for_each(|s| counts[s.board.empty_count().min(60) as usize] += 1);
    counts
}

/// For each class of values: mean value, mean label, positions.
fn calibration(weights: &Weights, samples: &[Sample]) -> Vec<(f64, f64, u64)> {
    let classes = (128.0 / CLASS) as usize + 1;
    let mut sums = vec![(0.0, 0.0, 0); classes];
    for s in samples {
        let value = weights.discs(s.board);
        let class = ((value as f32 + 64.0) / CLASS) as usize;
        let sum = &mut sums[class.min(classes - 1)];
        *sum = (sum.0 + value, sum.1 + f64::from(s.label), sum.2 + 1);
    }
    let means = sums.into_iter().filter(|s| s.2 > 0).map(|(v, l, n)| (v / n as f64, l / n as f64, n));
    means.collect()
}

fn print_tables(errors: &[Errors], counts: &[u64], calibration: &[(f64, f64, u64)]) {
    crate::say_line!("empties  positions  held out     MAE    RMSE    bias");
    for (empties, (e, n)) in errors.iter().zip(counts).enumerate().filter(|(_, (e, _))| e.count > 0) {
        crate::say_line!("{empties:7} {n:10} {:9} {:7.2} {:7.2} {:7.2}", e.count, e.mae(), e.rmse(), e.bias());
    }
    crate::say_line!("   value    label  positions");
    for (value, label, n) in calibration {
        crate::say_line!("{value:8.2} {label:8.2} {n:10}");
    }
}

fn plots(errors: &[Errors], counts: &[u64], calibration: &[(f64, f64, u64)]) -> [(&'static str, Plot); 3] {
    let by_empties = |value: &dyn Fn(&Errors) -> f64| {
        let seen = errors.iter().enumerate().filter(|(_, e)| e.count > 0);
        seen.map(|(empties, e)| (empties as f64, value(e))).collect::<Vec<_>>()
    };
    let error = Plot {
        title: "Error on held-out games",
        x: "empty squares",
        y: "discs",
        lines: vec![("RMSE", by_empties(&Errors::rmse)), ("MAE", by_empties(&Errors::mae))],
        ..Plot::default()
    };
    let line = |f: fn(&(f64, f64, u64)) -> (f64, f64)| calibration.iter().map(f).collect::<Vec<_>>();
    let calibration = Plot {
        title: "Calibration on held-out games",
        x: "value, discs",
        y: "mean label, discs",
        lines: vec![("measured", line(|&(v, l, _)| (v, l))), ("ideal", line(|&(v, ..)| (v, v)))],
        ..Plot::default()
    };
    let counts = counts.iter().enumerate().map(|(empties, &n)| (empties as f64, n as f64 / 1000.0));
    let data = Plot {
        title: "Positions to learn from",
        x: "empty squares",
        y: "thousands",
        lines: vec![("positions", counts.collect())],
        ..Plot::default()
    };
    [("error.svg", error), ("calibration.svg", calibration), ("data.svg", data)]
}
