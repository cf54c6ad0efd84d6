//! What the data holds and how well the weights fit it: tables on standard output, plots as SVG.

use super::{
    TrainError, at,
    fit::Errors,
    samples::{self, Labelling, Sample},
};
use crate::othello::eval::Weights;
use rayon::prelude::*;
use std::{fmt::Write, path::PathBuf};

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
    println!("{}: {} games, {} positions", weights.about(), games.len(), split.learn.len() + split.judge.len());
    print_tables(&errors, &counts, &calibration);
    std::fs::create_dir_all(&options.output).map_err(at(&options.output))?;
    for (name, plot) in plots(&errors, &counts, &calibration) {
        let path = options.output.join(name);
        std::fs::write(&path, plot.to_svg()).map_err(at(&path))?;
        println!("{}", path.display());
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
    println!("empties  positions  held out     MAE    RMSE    bias");
    for (empties, (e, n)) in errors.iter().zip(counts).enumerate().filter(|(_, (e, _))| e.count > 0) {
        println!("{empties:7} {n:10} {:9} {:7.2} {:7.2} {:7.2}", e.count, e.mae(), e.rmse(), e.bias());
    }
    println!("   value    label  positions");
    for (value, label, n) in calibration {
        println!("{value:8.2} {label:8.2} {n:10}");
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
    };
    let line = |f: fn(&(f64, f64, u64)) -> (f64, f64)| calibration.iter().map(f).collect::<Vec<_>>();
    let calibration = Plot {
        title: "Calibration on held-out games",
        x: "value, discs",
        y: "mean label, discs",
        lines: vec![("measured", line(|&(v, l, _)| (v, l))), ("ideal", line(|&(v, ..)| (v, v)))],
    };
    let counts = counts.iter().enumerate().map(|(empties, &n)| (empties as f64, n as f64 / 1000.0));
    let data = Plot {
        title: "Positions to learn from",
        x: "empty squares",
        y: "thousands",
        lines: vec![("positions", counts.collect())],
    };
    [("error.svg", error), ("calibration.svg", calibration), ("data.svg", data)]
}

/// A picture of some lines over common axes.
struct Plot {
    title: &'static str,
    x: &'static str,
    y: &'static str,
    lines: Vec<(&'static str, Vec<(f64, f64)>)>,
}

impl Plot {
    const SIZE: (f64, f64) = (640.0, 400.0);
    const MARGIN: f64 = 56.0;
    const COLOURS: [&'static str; 3] = ["#1b6ca8", "#c0392b", "#27874a"];

    fn to_svg(&self) -> String {
        let (width, height) = Plot::SIZE;
        let ((x0, x1), (y0, y1)) = (self.range(|p| p.0), self.range(|p| p.1));
        let px = |x: f64| Plot::MARGIN + (x - x0) / (x1 - x0) * (width - 2.0 * Plot::MARGIN);
        let py = |y: f64| height - Plot::MARGIN - (y - y0) / (y1 - y0) * (height - 2.0 * Plot::MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        let mut text = |x: f64, y: f64, anchor: &str, words: &str| {
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
        };
        text(width / 2.0, 24.0, "middle", self.title);
        text(width / 2.0, height - 12.0, "middle", self.x);
        text(8.0, Plot::MARGIN - 16.0, "start", self.y);
        for i in 0..=5 {
            let (x, y) = (x0 + (x1 - x0) * f64::from(i) / 5.0, y0 + (y1 - y0) * f64::from(i) / 5.0);
            text(px(x), height - Plot::MARGIN + 18.0, "middle", &format!("{x:.0}"));
            text(Plot::MARGIN - 8.0, py(y) + 4.0, "end", &format!("{y:.1}"));
        }
        for (i, (name, _)) in self.lines.iter().enumerate() {
            text(width - 8.0, Plot::MARGIN + 16.0 * i as f64, "end", name);
        }
        let (left, right, top, bottom) = (px(x0), px(x1), py(y1), py(y0));
        let _ = writeln!(svg, "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#888\"/>");
        for (i, (_, points)) in self.lines.iter().enumerate() {
            let colour = Plot::COLOURS[i % Plot::COLOURS.len()];
            let path: Vec<String> = points.iter().map(|&(x, y)| format!("{:.1},{:.1}", px(x), py(y))).collect();
            let path = path.join(" ");
            let _ = writeln!(svg, "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
            let (x, y) = (width - 4.0, Plot::MARGIN + 16.0 * i as f64 - 4.0);
            let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>");
        }
        svg + "</svg>\n"
    }

    /// From the least to the greatest coordinate, never empty.
    fn range(&self, coordinate: fn(&(f64, f64)) -> f64) -> (f64, f64) {
        let all = || self.lines.iter().flat_map(|(_, points)| points).map(coordinate);
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        if low < high { (low, high) } else { (0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_holds_every_point_and_name() {
        let line = vec![(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)];
        let svg = Plot { title: "T", x: "across", y: "up", lines: vec![("first", line)] }.to_svg();
        assert!(["T", "across", "up", "first"].iter().all(|w| svg.contains(&format!(">{w}</text>"))));
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(points, "56.0,344.0 320.0,56.0 584.0,200.0");
    }

    #[test]
    fn a_plot_of_nothing_is_still_a_plot() {
        let svg = Plot { title: "T", x: "x", y: "y", lines: vec![("none", Vec::new())] }.to_svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}
