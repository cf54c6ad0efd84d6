//! `shirokuro scale FILE.obf --threads 1,2`: what more threads gain, position by position and pass by pass.
//!
//! All numbers of threads take turns on every position, so that whatever else the machine does meets them alike. What
//! counts is the median of the rounds during which a virtual machine was left its time. A round counts as a whole or not at
//! all: a short search alone would find a quiet moment more easily than a long one.

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

/// One position solved with each number of threads, and the ticks that were withheld from the machine meanwhile.
struct Round {
    sides: Vec<Passes>,
    stolen: u64,
}

pub fn run(args: &ScaleArgs, out: &mut dyn Write) -> Result<(), ScaleError> {
    let problems = read_problems(&args.file)?;
    let mut config = Config { threads: 1, hash_bits: args.hash, weights: Weights::builtin() };
    let mut searcher = Searcher::new(config.clone());
    let mut rounds: Vec<Vec<Round>> = problems.iter().map(|_| Vec::new()).collect();
    let (mut all, mut wrong) = (0, 0);
    let searches = problems.len() * args.threads.len() * args.rounds as usize;
    let progress = progress(searches);
    for number in 0..args.rounds {
        for (problem, rounds) in problems.iter().zip(&mut rounds) {
            let stolen_before = stolen();
            let mut solve_with = |threads: &u16| {
                config.threads = (*threads).into();
                searcher.configure(config.clone());
                let (passes, score) = solve(&mut searcher, problem);
                all += usize::from(problem.value().is_some());
                wrong += usize::from(problem.value().is_some_and(|expected| expected != score));
                progress.inc(1);
                passes
            };
            // To and fro, so that none always follows the same other one.
            let sides = if number % 2 == 0 {
                args.threads.iter().map(&mut solve_with).collect()
            } else {
                let mut sides: Vec<Passes> = args.threads.iter().rev().map(&mut solve_with).collect();
                sides.reverse();
                sides
            };
            rounds.push(Round { sides, stolen: stolen().saturating_sub(stolen_before) });
        }
    }
    progress.finish_and_clear();
    print_table(&args.threads, &problems, &rounds, out)?;
    let kept: usize = rounds.iter().map(|rounds| undisturbed(rounds).len() * args.threads.len()).sum();
    writeln!(out, "medians of {kept} of {searches} searches, {all} scores compared, {wrong} wrong")?;
    if wrong > 0 { Err(ScaleError::Wrong { wrong, all }) } else { Ok(()) }
}

fn solve(searcher: &mut Searcher, problem: &Problem) -> (Passes, i32) {
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
    let began = Instant::now();
    let report = searcher.search(board, &Task::new(Effort::Exact), Control::new(&go_on, &tell));
    let seconds = began.elapsed().as_secs_f64();
    let (mut passes, before) = told.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Until the last thread has gone home.
    *passes.entry("end".to_owned()).or_default() += Cost { seconds: seconds - before.seconds, nodes: 0.0 };
    (passes, report.value.rounded())
}

/// How long this machine, if it is a virtual one, wanted to work and was not let, in ticks of its system.
fn stolen() -> u64 {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    first.split_whitespace().nth(8).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

/// The rounds that had all of their time; if they are few, the third that lost least.
fn undisturbed(rounds: &[Round]) -> Vec<&Round> {
    let mut sorted: Vec<&Round> = rounds.iter().collect();
    sorted.sort_by_key(|round| round.stolen);
    let whole = rounds.iter().filter(|round| round.stolen == 0).count();
    sorted.truncate(whole.max(rounds.len().div_ceil(3)));
    sorted
}

/// The median of every pass of a position on one side.
fn typical(rounds: &[Round], side: usize) -> Passes {
    let mut passes: IndexMap<&str, (Vec<f64>, Vec<f64>)> = IndexMap::new();
    for (name, cost) in undisturbed(rounds).into_iter().flat_map(|round| &round.sides[side]) {
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

fn print_table(threads: &[u16], problems: &[Problem], rounds: &[Vec<Round>], out: &mut dyn Write) -> io::Result<()> {
    // For each number of threads the passes of every position.
    let typical: Vec<Vec<Passes>> =
        (0..threads.len()).map(|side| rounds.iter().map(|rounds| typical(rounds, side)).collect()).collect();
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

    fn a_round(seconds: f64, stolen: u64) -> Round {
        let passes = |seconds| Passes::from([("exact".to_owned(), Cost { seconds, nodes: 10.0 * seconds })]);
        Round { sides: vec![passes(seconds), passes(seconds / 2.0)], stolen }
    }

    #[test]
    fn what_was_taken_from_the_machine_does_not_count() {
        let rounds = [a_round(9.0, 3), a_round(1.0, 0), a_round(8.0, 2), a_round(3.0, 0), a_round(7.0, 1)];
        assert_eq!(typical(&rounds, 0)["exact"], Cost { seconds: 2.0, nodes: 20.0 });
        assert_eq!(typical(&rounds, 1)["exact"], Cost { seconds: 1.0, nodes: 10.0 });
        // Without a quiet moment the least disturbed third has to do.
        let loud = [a_round(9.0, 3), a_round(6.0, 1), a_round(8.0, 2), a_round(5.0, 1)];
        assert_eq!(undisturbed(&loud).len(), 2);
        assert_eq!(typical(&loud, 0)["exact"].seconds, 5.5);
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
        assert!(matches!(scaled("\n"), Err(ScaleError::Problems(NoProblems::None(_)))));
        assert!(matches!(scaled("XXX; nonsense\n"), Err(ScaleError::Problems(_))));
    }
}
