//! `shirokuro scale FILE.obf --threads 1,2`: what more threads gain, position by position and pass by pass.
//!
//! All numbers of threads take turns on every position, so that whatever else the machine does meets them alike. What
//! counts is the median of the searches during which a virtual machine was left its time.

use super::solve::{NoProblems, progress, read_problems};
use crate::{
    base::Control,
    othello::{
        eval::Weights,
        records::obf::Problem,
        search::{Config, Effort, Report, Searcher, Task},
    },
};
use indexmap::IndexMap;
use std::{
    io::{self, Write},
    path::PathBuf,
    sync::{Mutex, PoisonError, atomic::AtomicBool},
    time::Instant,
};

#[derive(Debug, clap::Args)]
pub struct ScaleArgs {
    /// Problems, one a line, with the scores of their moves if they are known
    file: PathBuf,
    /// Numbers of threads to compare; the others are measured by the first
    #[arg(long, value_name = "N,N…", value_delimiter = ',', default_value = "1,2")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Vec<u16>,
    /// How often to solve each position with each number of threads
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: u32,
    /// Size of the hash table: two to this power entries
    #[arg(long, default_value_t = 22, value_parser = clap::value_parser!(u32).range(10..=30))]
    hash: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum ScaleError {
    #[error(transparent)]
    Problems(#[from] NoProblems),
    #[error("{path}: there are no problems in it", path = .0.display())]
    Empty(PathBuf),
    #[error(transparent)]
    Write(#[from] io::Error),
    #[error("{wrong} of {all} scores differ from those in the file")]
    Wrong { wrong: usize, all: usize },
}

/// What a search or a part of it took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Cost {
    seconds: f64,
    nodes: f64,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.seconds += other.seconds;
        self.nodes += other.nodes;
    }
}

/// The passes of a search by their names, in their order.
type Passes = IndexMap<String, Cost>;

/// One search, and the ticks that were withheld from the machine meanwhile.
struct Run {
    passes: Passes,
    stolen: u64,
}

/// All searches of one position with one number of threads.
type Runs = Vec<Run>;

pub fn run(args: &ScaleArgs, out: &mut dyn Write) -> Result<(), ScaleError> {
    let problems = read_problems(&args.file)?;
    if problems.is_empty() {
        return Err(ScaleError::Empty(args.file.clone()));
    }
    let sides = args.threads.len();
    let mut config = Config { threads: 1, hash_bits: args.hash, weights: Weights::builtin() };
    let mut searcher = Searcher::new(config.clone());
    let mut runs: Vec<Vec<Runs>> = (0..sides).map(|_| problems.iter().map(|_| Runs::new()).collect()).collect();
    let (mut all, mut wrong) = (0, 0);
    let progress = progress(problems.len() * sides * args.rounds as usize);
    for round in 0..args.rounds {
        for (number, problem) in problems.iter().enumerate() {
            for turn in 0..sides {
                // To and fro, so that none always follows the same other one.
                let side = if round % 2 == 0 { turn } else { sides - 1 - turn };
                config.threads = args.threads[side].into();
                searcher.configure(config.clone());
                let (run, score) = solve(&mut searcher, problem);
                runs[side][number].push(run);
                all += usize::from(problem.value().is_some());
                wrong += usize::from(problem.value().is_some_and(|expected| expected != score));
                progress.inc(1);
            }
        }
    }
    progress.finish_and_clear();
    print_table(&args.threads, &problems, &runs, out)?;
    let searches = problems.len() * sides * args.rounds as usize;
    let kept: usize = runs.iter().flatten().map(|runs| undisturbed(runs).len()).sum();
    writeln!(out, "medians of {kept} of {searches} searches, {all} scores compared, {wrong} wrong")?;
    if wrong > 0 { Err(ScaleError::Wrong { wrong, all }) } else { Ok(()) }
}

fn solve(searcher: &mut Searcher, problem: &Problem) -> (Run, i32) {
    searcher.prepare();
    let board = problem.position.board;
    let told = Mutex::new((Passes::new(), Cost::default()));
    let tell = |report: &Report| {
        let (passes, before) = &mut *told.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Cost { seconds: report.elapsed.as_secs_f64(), nodes: report.nodes as f64 };
        let name = match report.lines.first().map(|line| line.depth) {
            Some(depth) if depth.solved => "exact".to_owned(),
            Some(depth) if depth.plies >= board.empty_count() => format!("{} %", depth.percent),
            _ => "midgame".to_owned(),
        };
        *passes.entry(name).or_default() +=
            Cost { seconds: now.seconds - before.seconds, nodes: now.nodes - before.nodes };
        *before = now;
    };
    let go_on = AtomicBool::new(false);
    let stolen_before = stolen();
    let began = Instant::now();
    let report = searcher.search(board, &Task::new(Effort::Exact), Control::new(&go_on, &tell));
    let seconds = began.elapsed().as_secs_f64();
    let stolen = stolen() - stolen_before;
    let (mut passes, before) = told.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Until the last thread has gone home.
    *passes.entry("end".to_owned()).or_default() += Cost { seconds: seconds - before.seconds, nodes: 0.0 };
    (Run { passes, stolen }, report.value.rounded())
}

/// How long this machine, if it is a virtual one, wanted to work and was not let, in ticks of its system.
fn stolen() -> u64 {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    first.split_whitespace().nth(8).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

/// The searches that had all of their time; if they are few, the third that lost least.
fn undisturbed(runs: &[Run]) -> Vec<&Run> {
    let mut sorted: Vec<&Run> = runs.iter().collect();
    sorted.sort_by_key(|run| run.stolen);
    let whole = runs.iter().filter(|run| run.stolen == 0).count();
    sorted.truncate(whole.max(runs.len().div_ceil(3)));
    sorted
}

/// The median of every pass.
fn typical(runs: &[Run]) -> Passes {
    let mut passes: IndexMap<&str, (Vec<f64>, Vec<f64>)> = IndexMap::new();
    for (name, cost) in undisturbed(runs).into_iter().flat_map(|run| &run.passes) {
        let (seconds, nodes) = passes.entry(name).or_default();
        seconds.push(cost.seconds);
        nodes.push(cost.nodes);
    }
    let cost = |(seconds, nodes)| Cost { seconds: median(seconds), nodes: median(nodes) };
    passes.into_iter().map(|(name, values)| (name.to_owned(), cost(values))).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

fn sum(costs: impl IntoIterator<Item = Cost>) -> Cost {
    costs.into_iter().fold(Cost::default(), |mut sum, cost| {
        sum += cost;
        sum
    })
}

fn print_table(threads: &[u16], problems: &[Problem], runs: &[Vec<Runs>], out: &mut dyn Write) -> io::Result<()> {
    // For each number of threads the passes of every position.
    let typical: Vec<Vec<Passes>> = runs.iter().map(|side| side.iter().map(|runs| typical(runs)).collect()).collect();
    write!(out, "{:18}", "")?;
    for (side, threads) in threads.iter().enumerate() {
        let name = format!("{threads} {}", if *threads == 1 { "thread" } else { "threads" });
        write!(out, " | {name:<width$}", width = if side == 0 { 18 } else { 35 })?;
    }
    write!(out, "\n{:18}", "")?;
    for side in 0..threads.len() {
        write!(out, " | {:>8} {:>9}", "seconds", "Mnodes")?;
        if side > 0 {
            write!(out, " {:>7} {:>8}", "nodes x", "speed-up")?;
        }
    }
    writeln!(out)?;
    for (number, problem) in problems.iter().enumerate() {
        let label = format!("#{} with {} empty", number + 1, problem.position.board.empty_count());
        let costs: Vec<Cost> = typical.iter().map(|side| sum(side[number].values().copied())).collect();
        print_row(&label, &costs, out)?;
    }
    let mut names: Vec<&str> = typical.iter().flatten().flat_map(|passes| passes.keys().map(String::as_str)).collect();
    let order = |name: &str| (name == "end", name == "exact", name != "midgame");
    names.sort_by_key(|name| order(name));
    let names: indexmap::IndexSet<&str> = names.into_iter().collect();
    for name in names {
        let cost = |side: &Vec<Passes>| sum(side.iter().filter_map(|passes| passes.get(name).copied()));
        print_row(name, &typical.iter().map(cost).collect::<Vec<_>>(), out)?;
    }
    let all = |side: &Vec<Passes>| sum(side.iter().flat_map(|passes| passes.values().copied()));
    print_row("all", &typical.iter().map(all).collect::<Vec<_>>(), out)
}

/// For each number of threads what it took; behind the first also how that stands to the first.
fn print_row(label: &str, costs: &[Cost], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{label:<18}")?;
    for (side, cost) in costs.iter().enumerate() {
        write!(out, " | {:>8.4} {:>9.3}", cost.seconds, cost.nodes / 1e6)?;
        if side > 0 {
            let part = |a: f64, b: f64| if b > 0.0 { format!("{:.3}", a / b) } else { "-".to_owned() };
            let (nodes, speed) = (part(cost.nodes, costs[0].nodes), part(costs[0].seconds, cost.seconds));
            write!(out, " {nodes:>7} {speed:>8}")?;
        }
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_run(seconds: f64, stolen: u64) -> Run {
        Run { passes: Passes::from([("exact".to_owned(), Cost { seconds, nodes: 10.0 * seconds })]), stolen }
    }

    #[test]
    fn what_was_taken_from_the_machine_does_not_count() {
        let runs = [a_run(9.0, 3), a_run(1.0, 0), a_run(8.0, 2), a_run(3.0, 0), a_run(7.0, 1)];
        assert_eq!(typical(&runs)["exact"], Cost { seconds: 2.0, nodes: 20.0 });
        // Without a quiet moment the least disturbed third has to do.
        let loud = [a_run(9.0, 3), a_run(6.0, 1), a_run(8.0, 2), a_run(5.0, 1)];
        assert_eq!(undisturbed(&loud).len(), 2);
        assert_eq!(typical(&loud)["exact"].seconds, 5.5);
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), 0.0);
        assert_eq!(median(vec![3.0, 1.0, 9.0]), 3.0);
        assert_eq!(median(vec![4.0, 1.0, 9.0, 2.0]), 3.0);
    }

    fn scaled(text: &str) -> Result<String, ScaleError> {
        let name = format!("shirokuro-scale-{}-{}.obf", std::process::id(), text.len());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, text).expect("a temporary file");
        let mut out = Vec::new();
        let result = run(&ScaleArgs { file: file.clone(), threads: vec![1, 3], rounds: 2, hash: 14 }, &mut out);
        let _ = std::fs::remove_file(file);
        result.map(|()| String::from_utf8_lossy(&out).into_owned())
    }

    /// Black to move fills the last square: 63 discs against none.
    const FULL_BUT_ONE: &str = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- X";

    #[test]
    fn every_search_is_counted_and_checked() {
        let table = scaled(&format!("{FULL_BUT_ONE}; H8:+64;\n{FULL_BUT_ONE};\n")).expect("it is right");
        assert!(table.contains("3 threads") && table.contains("#2 with 1 empty"), "{table}");
        assert!(table.contains("of 8 searches, 4 scores compared, 0 wrong"), "{table}");
        let wrong = scaled(&format!("{FULL_BUT_ONE}; H8:+62;\n"));
        assert!(matches!(wrong, Err(ScaleError::Wrong { wrong: 4, all: 4 })), "{wrong:?}");
        assert!(matches!(scaled("\n"), Err(ScaleError::Empty(_))));
        assert!(matches!(scaled("XXX; nonsense\n"), Err(ScaleError::Problems(_))));
    }
}
