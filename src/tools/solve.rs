//! `shirokuro solve FILE.obf`: solves problems exactly, compares with the scores in the file, and tells the price.

mod json;
mod published;

use crate::{
    base::{Budget, Control, Limits, files},
    othello::{
        BitBoard, Move,
        eval::Weights,
        records::obf::{self, Problem},
        search::{Bound, Config, Effort, Report, Searcher, Task, Window},
    },
    tools::plot::Plot,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::{Duration, Instant},
};

#[derive(Debug, clap::Args)]
pub struct SolveArgs {
    /// Problems, one a line, with the scores of their moves if they are known
    file: PathBuf,
    /// Threads that search together
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Size of the hash table: two to this power entries
    #[arg(long, default_value_t = 22, value_parser = clap::value_parser!(u32).range(10..=30))]
    hash: u32,
    /// Solve the best move, or check the score of every move in the file
    #[arg(long, value_enum, default_value = "best")]
    moves: Moves,
    /// Find out no more than whether the score is at most A, at least B, or exactly what between them
    #[arg(long, value_name = "A,B", allow_hyphen_values = true, conflicts_with = "wld")]
    window: Option<Bounds>,
    /// Find out only who wins: a win, a draw or a loss
    #[arg(long)]
    wld: bool,
    /// Seconds for each position; one that takes longer is left unsolved
    ///
    /// What is found before the time is over has to be useful, so the search is another one than without a limit: its
    /// second pass is at 98 instead of 88 %, and the midgame before it goes deeper. Node counts differ.
    #[arg(long, value_name = "SECONDS")]
    limit: Option<f64>,
    /// One JSON object for each position, and one for all of them at the end
    #[arg(long, conflicts_with = "plot")]
    json: bool,
    /// Evaluation weights instead of those built in
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
    /// Write the time by number of empty squares as a plot to this SVG file, and print how it grows
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Moves {
    Best,
    All,
}

/// The ends of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds(Window);

impl FromStr for Bounds {
    type Err = String;

    fn from_str(text: &str) -> Result<Bounds, String> {
        let ends = text.split_once(',').map(|(a, b)| (a.trim().parse(), b.trim().parse()));
        let Some((Ok(alpha), Ok(beta))) = ends else { return Err("it takes two scores, like -2,2".into()) };
        let none = || format!("{alpha} is not below {beta}, or one of them is no score");
        Window::from_discs(alpha, beta)
            .filter(|_| (-64..=64).contains(&alpha) && beta <= 64)
            .map(Bounds)
            .ok_or_else(none)
    }
}

impl SolveArgs {
    fn window(&self) -> Window {
        match self.window {
            Some(Bounds(window)) => window,
            None if self.wld => Window::SIGN,
            None => Window::WHOLE,
        }
    }
}

/// Why there are no problems to solve.
#[derive(Debug, thiserror::Error)]
pub enum NoProblems {
    #[error("{path}: {error}", path = .path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("{path}: {error}", path = .path.display())]
    Bad { path: PathBuf, error: crate::othello::records::BadEntry },
    #[error("{path}: there are no problems in it", path = .0.display())]
    None(PathBuf),
}

#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    #[error(transparent)]
    Problems(#[from] NoProblems),
    #[error(transparent)]
    Weights(#[from] crate::othello::eval::WeightsError),
    #[error("{path}: {error}", path = .path.display())]
    Plot { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Write(#[from] io::Error),
    #[error("{wrong} of {all} scores differ from those in the file")]
    Wrong { wrong: usize, all: usize },
    #[error("{0} positions were not solved within the limit")]
    Unsolved(usize),
}

#[derive(Default)]
struct Totals {
    positions: usize,
    compared: usize,
    wrong: usize,
    unsolved: usize,
    nodes: u64,
    made: u64,
    time: Duration,
    /// Our nodes for the positions that others have published theirs of, and those by program.
    published: (u64, [u64; 2]),
}

/// All problems of a file, one at least: a bad line is named before the first position is solved.
pub(super) fn read_problems(path: &Path) -> Result<Vec<Problem>, NoProblems> {
    let text = files::read_text(path, 1 << 30).map_err(|error| NoProblems::Read { path: path.to_owned(), error })?;
    let problems = obf::problems(&text).collect::<Result<Vec<_>, _>>();
    match problems.map_err(|error| NoProblems::Bad { path: path.to_owned(), error })? {
        none if none.is_empty() => Err(NoProblems::None(path.to_owned())),
        problems => Ok(problems),
    }
}

/// Prints a row for every position; an error at the end when any score is wrong or missing.
pub fn run(args: &SolveArgs, out: &mut dyn Write) -> Result<(), SolveError> {
    let problems = read_problems(&args.file)?;
    let weights = match &args.eval {
        Some(path) => Arc::new(Weights::from_file(path)?),
        None => Weights::builtin(),
    };
    let config = Config { threads: args.threads.max(1), hash_bits: args.hash, weights };
    let mut searcher = Searcher::new(config);

    // Only searches that prove the same thing can be compared by their nodes.
    let comparable = args.limit.is_none() && args.moves == Moves::Best && args.window() == Window::WHOLE;
    let known: Vec<_> =
        problems.iter().map(|problem| published::find(problem.position).filter(|_| comparable)).collect();
    let print = Print { json: args.json, limit: args.limit, published: known.iter().any(Option::is_some) };
    print.head(out)?;
    let progress = progress(problems.len());
    let mut totals = Totals::default();
    let mut growth = Growth::default();
    for (number, problem) in problems.iter().enumerate() {
        let tasks: Vec<Option<Move>> = match args.moves {
            Moves::Best => vec![None],
            Moves::All => problem.moves.iter().map(|&(mv, _)| Some(mv)).collect(),
        };
        for mv in tasks {
            // Each position starts with nothing known, so that a row says the same wherever it stands.
            searcher.prepare();
            let row = solve(&mut searcher, problem, mv, args);
            progress.suspend(|| print.row(number + 1, problem, &row, known[number], out))?;
            totals.add(&row, known[number]);
            growth.add(problem.position.board.empty_count(), &row);
        }
        totals.positions += 1;
        progress.inc(1);
    }
    progress.finish_and_clear();
    print.totals(&totals, out)?;
    if let Some(path) = &args.plot {
        growth.print(out)?;
        let svg = growth.plot().to_svg();
        files::replace_with(path, files::Backup::None, |file| file.write_all(svg.as_bytes()))
            .map_err(|error| SolveError::Plot { path: path.clone(), error })?;
    }
    match totals {
        Totals { wrong, compared, .. } if wrong > 0 => Err(SolveError::Wrong { wrong, all: compared }),
        Totals { unsolved, .. } if unsolved > 0 => Err(SolveError::Unsolved(unsolved)),
        _ => Ok(()),
    }
}

/// What is shown on a terminal meanwhile.
pub(super) fn progress(searches: usize) -> ProgressBar {
    let progress = ProgressBar::new(searches as u64);
    match ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (eta {eta})") {
        Ok(style) => progress.with_style(style),
        Err(_) => progress,
    }
}

struct Row {
    report: Report,
    expected: Option<i32>,
    time: Duration,
}

/// The best move, or the value of one of them.
fn solve(searcher: &mut Searcher, problem: &Problem, only: Option<Move>, args: &SolveArgs) -> Row {
    let time = args.limit.map(|seconds| Budget::exactly(Duration::from_secs_f64(seconds.max(0.0))));
    let square = only.and_then(|mv| match mv {
        Move::Place(square) => Some(BitBoard::from(square)),
        Move::Pass => None,
    });
    let limits = Limits { time, ..Limits::NONE };
    let task = Task { limits, only: square, window: args.window(), ..Task::new(Effort::Exact) };
    let began = Instant::now();
    let report = searcher.search(problem.position.board, &task, Control::alone());
    let expected = match only {
        Some(mv) => problem.moves.iter().find(|(m, _)| *m == mv).map(|&(_, value)| value),
        None => problem.value(),
    };
    Row { report, expected, time: began.elapsed() }
}

impl Row {
    fn solved(&self) -> bool {
        self.report.complete
    }

    /// Only a proven score can be wrong.
    fn wrong(&self) -> bool {
        let value = self.report.value.rounded();
        let differs = |expected: i32| match self.bound() {
            Bound::Exact => expected != value,
            Bound::Lower => expected < value,
            Bound::Upper => expected > value,
        };
        self.solved() && self.expected.is_some_and(differs)
    }

    fn bound(&self) -> Bound {
        self.report.lines.first().map_or(Bound::Exact, |line| line.bound)
    }

    /// `+2`; `>=+2` and `<=-2` where no more was asked for.
    fn score(&self) -> String {
        let sign = match self.bound() {
            Bound::Exact => "",
            Bound::Lower => ">=",
            Bound::Upper => "<=",
        };
        format!("{sign}{:+}", self.report.value.rounded())
    }
}

/// How rows are shown.
struct Print {
    json: bool,
    limit: Option<f64>,
    /// Columns for the nodes that others have needed.
    published: bool,
}

impl Print {
    fn head(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        if self.limit.is_some() {
            writeln!(
                out,
                "note: with --limit the search is another one: what it has found when the time is over has to be useful, so \
                 its second pass is at 98 instead of 88 %, and the midgame before it goes deeper; node counts differ"
            )?;
        }
        write!(
            out,
            "{:>4} {:>7} {:<5} {:>5} {:>8} {:>9} {:>13} {:>8}",
            "#", "empties", "move", "score", "expected", "seconds", "nodes", "Mnodes/s"
        )?;
        if self.published {
            let [first, second] = published::PROGRAMS;
            write!(out, " {first:>14} {second:>15}")?;
        }
        writeln!(out, "  pv")
    }

    fn row(
        &self,
        number: usize,
        problem: &Problem,
        row: &Row,
        known: Option<&published::Row>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.json {
            return writeln!(out, "{}", json::row(number, problem, row, self.limit, known));
        }
        let line = row.report.lines.first();
        let mv = line.map_or("-".into(), |line| line.best.to_string());
        let pv: Vec<String> = line.iter().flat_map(|line| &line.pv).map(|mv| mv.to_string()).collect();
        let expected = row.expected.map_or("-".into(), |value| format!("{value:+}"));
        let mark = match row {
            row if !row.solved() => "  UNSOLVED",
            row if row.wrong() => "  WRONG",
            _ => "",
        };
        let seconds = row.time.as_secs_f64();
        write!(
            out,
            "{number:>4} {:>7} {mv:<5} {:>5} {expected:>8} {seconds:>9.3} {:>13} {:>8.1}",
            problem.position.board.empty_count(),
            row.score(),
            row.report.nodes,
            row.report.nodes as f64 / seconds.max(1e-6) / 1e6,
        )?;
        if self.published {
            let [first, second] = known.map_or(["-".into(), "-".into()], |known| known.nodes.map(|n| n.to_string()));
            write!(out, " {first:>14} {second:>15}")?;
        }
        writeln!(out, "  {}{mark}", pv.join(" "))
    }

    fn totals(&self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        if self.json {
            return writeln!(out, "{}", json::totals(totals));
        }
        totals.print(out)?;
        let (ours, theirs) = totals.published;
        for (program, nodes) in published::PROGRAMS.into_iter().zip(theirs).filter(|_| self.published && ours > 0) {
            let ratio = nodes as f64 / ours as f64;
            writeln!(
                out,
                "published: {program} needed {nodes} nodes where ours needs {ours}, {ratio:.2} times as many"
            )?;
        }
        Ok(())
    }
}

impl Totals {
    fn add(&mut self, row: &Row, known: Option<&published::Row>) {
        if let (true, Some(known)) = (row.solved(), known) {
            self.published.0 += row.report.nodes;
            self.published.1 = [0, 1].map(|program| self.published.1[program] + known.nodes[program]);
        }
        self.compared += usize::from(row.solved() && row.expected.is_some());
        self.wrong += usize::from(row.wrong());
        self.unsolved += usize::from(!row.solved());
        self.nodes += row.report.nodes;
        self.made += row.report.made;
        self.time += row.time;
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let seconds = self.time.as_secs_f64();
        writeln!(
            out,
            "total: {} positions, {} nodes in {seconds:.3} s, {:.1} Mnodes/s; {} scores compared, {} wrong, {} unsolved",
            self.positions,
            self.nodes,
            self.nodes as f64 / seconds.max(1e-6) / 1e6,
            self.compared,
            self.wrong,
            self.unsolved,
        )?;
        // What some programs call nodes.
        writeln!(
            out,
            "made: {} positions, {:.1} M/s (the nodes, and what was put in order or looked up)",
            self.made,
            self.made as f64 / seconds.max(1e-6) / 1e6,
        )
    }
}

/// What solved positions cost, by their number of empty squares.
#[derive(Default)]
struct Growth {
    costs: BTreeMap<u32, Vec<(f64, f64)>>,
}

impl Growth {
    fn add(&mut self, empties: u32, row: &Row) {
        if row.solved() {
            self.costs.entry(empties).or_default().push((row.time.as_secs_f64(), row.report.nodes as f64));
        }
    }

    /// For each number of empty squares: positions, mean seconds, and the geometric mean of the nodes.
    fn means(&self) -> impl Iterator<Item = (u32, usize, f64, f64)> + '_ {
        self.costs.iter().map(|(&empties, costs)| {
            let count = costs.len() as f64;
            let seconds = costs.iter().map(|c| c.0).sum::<f64>() / count;
            let nodes = (costs.iter().map(|c| c.1.max(1.0).ln()).sum::<f64>() / count).exp();
            (empties, costs.len(), seconds, nodes)
        })
    }

    /// The factor for one more empty square that fits the mean seconds best.
    fn factor(&self) -> Option<f64> {
        let points: Vec<(f64, f64)> = self.means().map(|(e, _, s, _)| (f64::from(e), s.max(1e-9).ln())).collect();
        let count = points.len() as f64;
        let (mx, my) =
            (points.iter().map(|p| p.0).sum::<f64>() / count, points.iter().map(|p| p.1).sum::<f64>() / count);
        let along: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
        let across: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
        (across > 0.0).then(|| (along / across).exp())
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{:>7} {:>9} {:>12} {:>13}", "empties", "positions", "mean seconds", "nodes")?;
        for (empties, count, seconds, nodes) in self.means() {
            writeln!(out, "{empties:>7} {count:>9} {seconds:>12.4} {nodes:>13.0}")?;
        }
        match self.factor() {
            Some(factor) => writeln!(out, "growth: a factor of {factor:.2} for each empty square"),
            None => writeln!(out, "growth: positions with different numbers of empty squares are needed"),
        }
    }

    fn plot(&self) -> Plot {
        Plot {
            title: "Time to solve",
            x: "empty squares",
            y: "seconds (mean)",
            lines: vec![("measured", self.means().map(|(e, _, seconds, _)| (f64::from(e), seconds)).collect())],
            by_factors: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_the_factor_between_neighbours() {
        let mut growth = Growth::default();
        assert_eq!(growth.factor(), None);
        for (empties, seconds) in [(20, 0.1), (20, 0.3), (21, 0.6), (22, 1.8)] {
            growth.costs.entry(empties).or_default().push((seconds, 100.0));
        }
        assert!((growth.factor().unwrap() - 3.0).abs() < 1e-9);
        let rows: Vec<_> = growth.means().map(|(empties, count, ..)| (empties, count)).collect();
        assert_eq!(rows, [(20, 2), (21, 1), (22, 1)]);
    }

    fn solved(text: &str) -> Result<String, SolveError> {
        solved_in(text, None, false)
    }

    fn solved_in(text: &str, window: Option<&str>, json: bool) -> Result<String, SolveError> {
        let path = std::env::temp_dir().join(format!(
            "shirokuro-solve-{}-{}.obf",
            std::process::id(),
            text.len() + usize::from(json)
        ));
        std::fs::write(&path, text).expect("a temporary file");
        let mut out = Vec::new();
        let args = SolveArgs {
            file: path.clone(),
            threads: 1,
            hash: 14,
            moves: Moves::Best,
            window: window.map(|text| text.parse().unwrap()),
            wld: false,
            limit: None,
            json,
            eval: None,
            plot: None,
        };
        let result = run(&args, &mut out);
        let _ = std::fs::remove_file(path);
        result.map(|()| String::from_utf8_lossy(&out).into_owned())
    }

    /// Black to move fills the last square: 63 discs against none.
    const FULL_BUT_ONE: &str = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- X";

    #[test]
    fn bounds_are_compared_as_bounds() {
        for (window, said) in [("0,2", ">=+64"), ("-64,62", ">=+64"), ("0,64", " +64")] {
            let text = solved_in(&format!("{FULL_BUT_ONE}; H8:+64;\n"), Some(window), false).unwrap();
            assert!(text.contains(said) && text.contains("1 scores compared, 0 wrong"), "{window}: {text}");
        }
        let lost = FULL_BUT_ONE.replace('X', "o").replace('O', "x").replace("- o", "- X");
        assert!(solved_in(&format!("{lost}; PS:-64;\n"), Some("-2,0"), false).unwrap().contains("<=-2"));
        assert!(solved_in(&format!("{FULL_BUT_ONE}; H8:-2;\n"), Some("-1,1"), false).is_err(), "a win is no loss");
        for bad in ["", "1", "2,2", "4,-4", "-70,0", "0,70", "a,b"] {
            assert!(bad.parse::<Bounds>().is_err(), "{bad}");
        }
    }

    #[test]
    fn right_and_wrong_scores_are_told_apart() {
        let right = solved(&format!("{FULL_BUT_ONE}; H8:+64;\n")).expect("it is right");
        assert!(right.contains("1 scores compared, 0 wrong, 0 unsolved"), "{right}");
        let wrong = solved(&format!("{FULL_BUT_ONE}; H8:+62;\n\n"));
        assert!(matches!(wrong, Err(SolveError::Wrong { wrong: 1, all: 1 })), "{wrong:?}");
        let bad = solved("XXX; nonsense\n");
        assert!(matches!(bad, Err(SolveError::Problems(NoProblems::Bad { .. }))), "{bad:?}");
    }

    #[test]
    fn rows_as_json() {
        let text = solved_in(&format!("{FULL_BUT_ONE}; H8:+64; % the last square\n"), None, true).expect("it is right");
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [position, total] = &lines[..] else { panic!("{text}") };
        assert_eq!((&position["type"], &position["position"]), (&"position".into(), &FULL_BUT_ONE.into()));
        assert_eq!(
            (&position["move"], &position["score"], &position["bound"]),
            (&"h8".into(), &64.into(), &"exact".into())
        );
        assert_eq!((&position["solved"], &position["wrong"]), (&true.into(), &false.into()));
        assert_eq!((&position["comment"], &position["expected"]), (&"the last square".into(), &64.into()));
        assert_eq!(
            (&total["type"], &total["positions"], &total["nodes"]),
            (&"total".into(), &1.into(), &position["nodes"])
        );
    }
}
