//! `shirokuro solve FILE.obf`: solves problems exactly, compares with the scores in the file, and tells the price.

use crate::{
    base::{Budget, Control, Limits, files},
    othello::{
        BitBoard, Move,
        eval::Weights,
        records::obf::{self, Problem},
        search::{Config, Effort, Report, Searcher, Task},
    },
};
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    io::{self, Write},
    path::PathBuf,
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
    /// Seconds for each position; one that takes longer is left unsolved
    #[arg(long, value_name = "SECONDS")]
    limit: Option<f64>,
    /// Evaluation weights instead of those built in
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Moves {
    Best,
    All,
}

#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    #[error("{path}: {error}", path = .path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("{path}: {error}", path = .path.display())]
    Problem { path: PathBuf, error: crate::othello::records::BadEntry },
    #[error(transparent)]
    Weights(#[from] crate::othello::eval::WeightsError),
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
    time: Duration,
}

/// Prints a row for every position; an error at the end when any score is wrong or missing.
pub fn run(args: &SolveArgs, out: &mut dyn Write) -> Result<(), SolveError> {
    let path = &args.file;
    let text = files::read_text(path, 1 << 30).map_err(|error| SolveError::Read { path: path.clone(), error })?;
    // A bad line is named before the first position is solved.
    let problems: Vec<Problem> = obf::problems(&text)
        .collect::<Result<_, _>>()
        .map_err(|error| SolveError::Problem { path: path.clone(), error })?;
    let weights = match &args.eval {
        Some(path) => Arc::new(Weights::from_file(path)?),
        None => Weights::builtin(),
    };
    let config = Config { threads: args.threads.max(1), hash_bits: args.hash, weights };
    let mut searcher = Searcher::new(config);

    let progress = ProgressBar::new(problems.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (eta {eta})") {
        progress.set_style(style);
    }
    let mut totals = Totals::default();
    writeln!(
        out,
        "{:>4} {:>7} {:<5} {:>5} {:>8} {:>9} {:>13} {:>8}  pv",
        "#", "empties", "move", "score", "expected", "seconds", "nodes", "Mnodes/s"
    )?;
    for (number, problem) in problems.iter().enumerate() {
        let tasks: Vec<Option<Move>> = match args.moves {
            Moves::Best => vec![None],
            Moves::All => problem.moves.iter().map(|&(mv, _)| Some(mv)).collect(),
        };
        for mv in tasks {
            // Each position starts with nothing known, so that a row says the same wherever it stands.
            searcher.prepare();
            let row = solve(&mut searcher, problem, mv, args.limit);
            progress.suspend(|| row.print(number + 1, problem, out))?;
            totals.add(&row);
        }
        totals.positions += 1;
        progress.inc(1);
    }
    progress.finish_and_clear();
    totals.print(out)?;
    match totals {
        Totals { wrong, compared, .. } if wrong > 0 => Err(SolveError::Wrong { wrong, all: compared }),
        Totals { unsolved, .. } if unsolved > 0 => Err(SolveError::Unsolved(unsolved)),
        _ => Ok(()),
    }
}

struct Row {
    report: Report,
    expected: Option<i32>,
    time: Duration,
}

/// The best move, or the value of one of them.
fn solve(searcher: &mut Searcher, problem: &Problem, only: Option<Move>, limit: Option<f64>) -> Row {
    let time = limit.map(|seconds| Budget::exactly(Duration::from_secs_f64(seconds.max(0.0))));
    let square = only.and_then(|mv| match mv {
        Move::Place(square) => Some(BitBoard::from(square)),
        Move::Pass => None,
    });
    let task = Task { limits: Limits { nodes: None, time }, only: square, ..Task::new(Effort::Exact) };
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
        self.solved() && self.expected.is_some_and(|value| value != self.report.value.rounded())
    }

    fn print(&self, number: usize, problem: &Problem, out: &mut dyn Write) -> io::Result<()> {
        let line = self.report.lines.first();
        let mv = line.map_or("-".into(), |line| line.best.to_string());
        let pv: Vec<String> = line.iter().flat_map(|line| &line.pv).map(|mv| mv.to_string()).collect();
        let expected = self.expected.map_or("-".into(), |value| format!("{value:+}"));
        let mark = match self {
            row if !row.solved() => "  UNSOLVED",
            row if row.wrong() => "  WRONG",
            _ => "",
        };
        let seconds = self.time.as_secs_f64();
        writeln!(
            out,
            "{number:>4} {:>7} {mv:<5} {:>+5} {expected:>8} {seconds:>9.3} {:>13} {:>8.1}  {}{mark}",
            problem.position.board.empty_count(),
            self.report.value.rounded(),
            self.report.nodes,
            self.report.nodes as f64 / seconds.max(1e-6) / 1e6,
            pv.join(" "),
        )
    }
}

impl Totals {
    fn add(&mut self, row: &Row) {
        self.compared += usize::from(row.solved() && row.expected.is_some());
        self.wrong += usize::from(row.wrong());
        self.unsolved += usize::from(!row.solved());
        self.nodes += row.report.nodes;
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
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(text: &str) -> Result<String, SolveError> {
        let path = std::env::temp_dir().join(format!("shirokuro-solve-{}-{}.obf", std::process::id(), text.len()));
        std::fs::write(&path, text).expect("a temporary file");
        let mut out = Vec::new();
        let args = SolveArgs { file: path.clone(), threads: 1, hash: 14, moves: Moves::Best, limit: None, eval: None };
        let result = run(&args, &mut out);
        let _ = std::fs::remove_file(path);
        result.map(|()| String::from_utf8_lossy(&out).into_owned())
    }

    /// Black to move fills the last square: 63 discs against none.
    const FULL_BUT_ONE: &str = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- X";

    #[test]
    fn right_and_wrong_scores_are_told_apart() {
        let right = solved(&format!("{FULL_BUT_ONE}; H8:+64;\n")).expect("it is right");
        assert!(right.contains("1 scores compared, 0 wrong, 0 unsolved"), "{right}");
        let wrong = solved(&format!("{FULL_BUT_ONE}; H8:+62;\n\n"));
        assert!(matches!(wrong, Err(SolveError::Wrong { wrong: 1, all: 1 })), "{wrong:?}");
        let bad = solved("XXX; nonsense\n");
        assert!(matches!(bad, Err(SolveError::Problem { .. })), "{bad:?}");
    }
}
