//! `shirokuro prove`: proves what is claimed about positions, keeps what is proven, says what is still missing, and
//! writes the proof so that others can check it.

mod claims;
mod knowledge;
#[cfg(test)]
mod tests;
mod tree;

use crate::{
    base::{
        files::{self, Backup},
        signals,
    },
    engine::CommandError,
    othello::{Board, records::obf::Problem},
    protocol::Id,
    tools::{
        fleet::{self, FleetError},
        pool::{
            Event, Kinds, Pool, Reader, Recipe,
            job::{Fields, search_cost},
        },
    },
};
use claims::{Ask, Claim, LEAST, MOST, Task};
use crossbeam_channel::RecvTimeoutError;
use indicatif::{ProgressBar, ProgressStyle};
use knowledge::{Knowledge, Row};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    io::{self, Write},
    path::{Path, PathBuf},
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tree::{Expected, Leaves, Need, Tree};

#[derive(Debug, clap::Args)]
pub struct ProveArgs {
    /// Positions with what is claimed: lines `obf,count,score,alpha,beta`, or OBF with scores
    #[arg(required_unless_present = "verify")]
    tasks: Option<PathBuf>,
    /// What is proven, one line a search: read first, and added to
    #[arg(short, long, value_name = "FILE", required_unless_present = "verify")]
    knowledge: Option<PathBuf>,
    /// Prove this position from those of the tasks: `start`, or 64 squares and the side to move
    #[arg(long, value_name = "POSITION", requires = "claim")]
    root: Option<Root>,
    /// With --root: what is claimed of it, the least and the most for the side to move, e.g. 0,0
    #[arg(long, value_name = "LEAST,MOST", allow_hyphen_values = true, requires = "root")]
    claim: Option<Bounds>,
    /// Search positions only from so many empty squares on, and make the tree above them move by move
    #[arg(long, value_name = "EMPTIES")]
    split: Option<u32>,
    /// With --split: the level at which moves are put in order
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=60))]
    level: u8,
    /// Positions searched at the same time, each by one thread [default: one]
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: std::num::NonZeroUsize,
    /// Size of the hash table of a search: two to this power entries; node counts depend on it
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(10..=30))]
    hash: u32,
    /// Seconds for each search; one that takes longer is left for later
    #[arg(long, value_name = "SECONDS")]
    limit: Option<f64>,
    /// End after so many searches
    #[arg(long, value_name = "N")]
    most: Option<usize>,
    /// Search nothing, only say what is missing
    #[arg(long)]
    plan: bool,
    /// Write the smallest set still to prove that was found to this file, as tasks
    #[arg(long, value_name = "FILE")]
    missing: Option<PathBuf>,
    /// Write the proof to this file, each position after those it follows from
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// Check a written proof: every step, and every search again with its node count
    #[arg(long, value_name = "TREE", conflicts_with_all = ["tasks", "knowledge", "root", "split", "plan"])]
    verify: Option<PathBuf>,
    /// Let the workers of a fleet search: the URL of its queue
    #[arg(long, value_name = "URL")]
    fleet: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Root(Board);

impl FromStr for Root {
    type Err = String;

    fn from_str(text: &str) -> Result<Root, String> {
        match text {
            "start" => Ok(Root(Board::START)),
            text => Problem::parse(text).map(|p| Root(p.position.board)).map_err(|e| e.to_string()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bounds(Claim);

impl FromStr for Bounds {
    type Err = String;

    fn from_str(text: &str) -> Result<Bounds, String> {
        let ends = text.split_once(',').map(|(a, b)| (a.trim().parse::<i32>(), b.trim().parse::<i32>()));
        match ends {
            Some((Ok(lower), Ok(upper))) if (LEAST..=upper).contains(&lower) && upper <= MOST => {
                let even = |n: i32| n.rem_euclid(2) == 0;
                let odd = || format!("{text}: scores are even");
                if even(lower) && even(upper) { Ok(Bounds(Claim { lower, upper })) } else { Err(odd()) }
            }
            _ => Err("it takes the least and the most score, like 0,0 or 2,64".into()),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: {}", path.display(), complaints.join("\n  "))]
    Lines { path: PathBuf, complaints: Vec<String> },
    #[error("{}: {why}", path.display())]
    Bad { path: PathBuf, why: String },
    #[error(transparent)]
    Write(#[from] io::Error),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Fleet(#[from] FleetError),
    #[error("{refuted} claims are refuted, {open} open")]
    Unproven { refuted: usize, open: usize },
    #[error("the claims that are there cannot prove the root: some are refuted, or positions are missing")]
    NoProof,
    #[error("{wrong} of {all} steps are wrong")]
    Wrong { wrong: usize, all: usize },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> ProveError {
    let path = path.to_path_buf();
    move |source| ProveError::File { path, source }
}

/// What a search has said: whether the value is at least what was asked, if it came to its end, and its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Said {
    yes: Option<bool>,
    nodes: u64,
}

/// A position and a score: is the value at least that?
type Question = (Board, i32);

/// Whoever searches.
struct Searching<'a> {
    args: &'a ProveArgs,
    recipe: Recipe,
    kinds: Kinds,
    stop: Arc<AtomicBool>,
}

impl Searching<'_> {
    fn job(&self, (board, question): Question) -> Fields {
        let empties = f64::from(board.empty_count());
        let mut fields = Fields::from_iter([
            ("kind".into(), "solve".into()),
            ("position".into(), knowledge::obf(board).into()),
            ("alpha".into(), (question - 1).into()),
            ("beta".into(), question.into()),
            ("threads".into(), 1.into()),
            ("hash".into(), self.args.hash.into()),
            ("cost".into(), (search_cost(empties, empties, 100.0) / 3.0).into()),
        ]);
        if let Some(seconds) = self.args.limit {
            fields.insert("time".into(), seconds.into());
        }
        fields
    }

    /// Hands each answer to `take` as it comes.
    fn ask(
        &self,
        questions: &[Question],
        take: &mut dyn FnMut(usize, Said) -> Result<(), ProveError>,
    ) -> Result<(), ProveError> {
        let jobs: Vec<Fields> = questions.iter().map(|question| self.job(*question)).collect();
        if let Some(url) = &self.args.fleet {
            let mut failed = Ok(());
            let asked = fleet::ask(url, jobs, &self.stop, &mut |number, fields| {
                if failed.is_ok() {
                    failed = take(number, said(&fields, questions[number].1));
                }
                Ok(())
            });
            return match asked {
                Err(FleetError::Stopped) => failed,
                other => other.map_err(ProveError::from).and(failed),
            };
        }
        let engine = self.recipe.engine()?;
        let reader = Reader::new(engine.as_ref(), self.kinds);
        let mut pool = Pool::new(usize::from(self.args.jobs).min(jobs.len()), &self.recipe);
        let mut next = jobs.into_iter().enumerate();
        loop {
            while pool.has_room()
                && !self.stop.load(Ordering::Relaxed)
                && let Some((number, mut fields)) = next.next()
            {
                fields.remove("cost");
                pool.begin(number as u64, reader.read_fields(fields)?.into(), false);
            }
            if pool.running() == 0 {
                return Ok(());
            }
            if self.stop.load(Ordering::Relaxed) {
                pool.stop_all();
            }
            let event = match pool.events.recv_timeout(Duration::from_millis(20)) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            if let Event::Done(done) = pool.heard(event) {
                let line = done.job.answer(&Id::None, &done.found);
                done.found?;
                let fields: Fields = serde_json::from_str(&line).map_err(io::Error::other)?;
                let number = done.ticket as usize;
                take(number, said(&fields, questions[number].1))?;
            }
        }
    }
}

/// An answer of either way.
fn said(fields: &Fields, question: i32) -> Said {
    let complete = fields.get("complete") == Some(&Value::Bool(true));
    let value = fields.get("value").and_then(Value::as_f64).unwrap_or(0.0);
    let yes = match fields.get("bound").and_then(Value::as_str) {
        Some("at least") => true,
        Some(_) => false,
        None => value >= f64::from(question),
    };
    Said { yes: complete.then_some(yes), nodes: fields.get("nodes").and_then(Value::as_u64).unwrap_or(0) }
}

pub fn run(args: &ProveArgs, recipe: Recipe, kinds: Kinds, out: &mut dyn Write) -> Result<(), ProveError> {
    let stop = Arc::new(AtomicBool::new(false));
    let on_signal = stop.clone();
    if let Err(error) = signals::watch(move |_| on_signal.store(true, Ordering::Relaxed)) {
        log::warn!("no signals: {error}");
    }
    let searching = Searching { args, recipe, kinds, stop };
    match (&args.verify, &args.tasks, &args.knowledge) {
        (Some(tree), ..) => verify(tree, &searching, out),
        (None, Some(tasks), Some(knowledge)) => prove(tasks, knowledge, &searching, out),
        _ => Ok(()),
    }
}

fn read_tasks(path: &Path) -> Result<Vec<Task>, ProveError> {
    let text = files::read_text(path, files::LARGEST).map_err(at(path))?;
    match claims::read(&text) {
        Ok(none) if none.is_empty() => {
            Err(ProveError::Bad { path: path.into(), why: "there are no claims in it".into() })
        }
        Ok(tasks) => Ok(tasks),
        Err(complaints) => Err(ProveError::Lines { path: path.into(), complaints }),
    }
}

/// What is to be proven, and how far that has come.
struct Goals {
    /// With a root: its claim. Otherwise every task for itself.
    roots: Vec<(Board, Claim)>,
}

impl Goals {
    /// Claims that are neither proven nor refuted.
    fn open(&self, knowledge: &Knowledge) -> Vec<Need> {
        let asks = self.roots.iter().flat_map(|(board, claim)| claim.asks().into_iter().map(move |ask| (*board, ask)));
        let refuted = |(board, _): &Need| self.is_refuted(*board, knowledge);
        asks.filter(|need| need.1.settled(knowledge.bounds(need.0)).is_none() && !refuted(need)).collect()
    }

    fn is_refuted(&self, board: Board, knowledge: &Knowledge) -> bool {
        let of = self.roots.iter().filter(|(other, _)| *other == board);
        of.flat_map(|(_, claim)| claim.asks()).any(|ask| ask.settled(knowledge.bounds(board)) == Some(false))
    }

    /// Proven and refuted.
    fn count(&self, knowledge: &Knowledge) -> (usize, usize) {
        let proven = |(board, claim): &&(Board, Claim)| {
            claim.asks().iter().all(|ask| ask.settled(knowledge.bounds(*board)) == Some(true))
        };
        let refuted = self.roots.iter().filter(|(board, _)| self.is_refuted(*board, knowledge)).count();
        (self.roots.iter().filter(proven).count(), refuted)
    }
}

fn prove(tasks: &Path, path: &Path, searching: &Searching, out: &mut dyn Write) -> Result<(), ProveError> {
    let args = searching.args;
    let tasks = read_tasks(tasks)?;
    let mut knowledge = Knowledge::open(path).map_err(at(path))?;
    let claims: HashMap<Board, Claim> = tasks.iter().map(|task| (task.board.canonical().0, task.claim)).collect();
    let split = args.split.map(|empties| Expected::new(empties, args.level));
    let mut leaves = Leaves { claims, split };
    let goals = Goals {
        roots: match (args.root, args.claim) {
            (Some(Root(root)), Some(Bounds(claim))) => vec![(root, claim)],
            _ => tasks.iter().map(|task| (task.board, task.claim)).collect(),
        },
    };
    writeln!(out, "{} claims, {} positions known", tasks.len(), knowledge.len())?;
    let began = Instant::now();
    let (mut searches, mut nodes) = (0, 0);
    let mut left: HashSet<Need> = HashSet::new();
    let mut planned = false;
    let missing = loop {
        deduce(&goals, &mut knowledge, &mut leaves).map_err(at(path))?;
        let open = goals.open(&knowledge);
        let Some(missing) = Tree::new(&knowledge, &mut leaves).missing(&open) else { break None };
        if !std::mem::replace(&mut planned, true) {
            writeln!(out, "smallest set still to prove: {} searches", missing.len())?;
        }
        let most = args.most.map_or(usize::MAX, |most| most - searches.min(most));
        // A tree that is made as it goes is looked at again before long.
        let at_once = if args.split.is_some() { 16 * usize::from(args.jobs) } else { usize::MAX };
        let todo: Vec<Need> =
            missing.iter().filter(|need| !left.contains(need)).take(most.min(at_once)).copied().collect();
        if args.plan || todo.is_empty() || searching.stop.load(Ordering::Relaxed) {
            break Some(missing);
        }
        let questions: Vec<Question> = todo.iter().map(|(board, ask)| (*board, ask.question())).collect();
        let bar = progress(questions.len());
        searching.ask(&questions, &mut |number, said| {
            bar.inc(1);
            searches += 1;
            nodes += said.nodes;
            let (board, question) = questions[number];
            match said.yes {
                Some(yes) => knowledge.add(Row::answer(board, question, yes, said.nodes)).map_err(at(path)),
                None => {
                    left.insert(todo[number]);
                    Ok(())
                }
            }
        })?;
        bar.finish_and_clear();
    };
    let seconds = began.elapsed().as_secs_f64();
    writeln!(out, "{searches} searches, {nodes} nodes in {seconds:.1} s")?;
    let (proven, refuted) = goals.count(&knowledge);
    let open = goals.roots.len() - proven - refuted;
    writeln!(out, "{proven} proven, {refuted} refuted, {open} open")?;
    let Some(missing) = missing else { return Err(ProveError::NoProof) };
    if !missing.is_empty() {
        writeln!(out, "still to prove: {} searches", missing.len())?;
    }
    if let Some(file) = &args.missing {
        write(file, &as_tasks(&missing))?;
    }
    if let Some(file) = &args.tree {
        let (rows, whole) = proof(&goals, &knowledge, &mut leaves);
        write(file, &rows)?;
        writeln!(
            out,
            "the proof has {} lines{}",
            rows.lines().count() - 1,
            if whole { "" } else { " and is not whole" }
        )?;
    }
    if refuted > 0 || open > 0 { Err(ProveError::Unproven { refuted, open }) } else { Ok(()) }
}

/// What follows for the roots from what is known of positions below them.
fn deduce(goals: &Goals, knowledge: &mut Knowledge, leaves: &mut Leaves) -> io::Result<()> {
    for (board, ask) in goals.open(knowledge) {
        if Tree::new(knowledge, leaves).cost(board, ask) == 0.0 {
            let (lower, upper) = match ask {
                Ask::AtLeast(n) => (n, MOST),
                Ask::AtMost(n) => (LEAST, n),
            };
            knowledge.add(Row { board: board.canonical().0, depth: 0, strength: 100, lower, upper, nodes: 0 })?;
        }
    }
    Ok(())
}

fn progress(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} searches, {eta} left");
    ProgressBar::new(length as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn write(path: &Path, text: &str) -> Result<(), ProveError> {
    files::replace_with(path, Backup::None, |file| file.write_all(text.as_bytes())).map_err(at(path))
}

fn as_tasks(needs: &[Need]) -> String {
    let line = |(board, ask): &Need| match ask {
        Ask::AtLeast(n) => format!("{},1,{n},{LEAST},{n}\n", knowledge::obf(*board)),
        Ask::AtMost(n) => format!("{},1,{n},{n},{MOST}\n", knowledge::obf(*board)),
    };
    std::iter::once("obf,count,score,alpha,beta\n".to_owned()).chain(needs.iter().map(line)).collect()
}

/// The proof of what is proven of the goals, and whether that is all.
fn proof(goals: &Goals, knowledge: &Knowledge, leaves: &mut Leaves) -> (String, bool) {
    let (mut rows, mut seen, mut whole) = (vec![], BTreeSet::new(), true);
    let mut tree = Tree::new(knowledge, leaves);
    for (board, claim) in &goals.roots {
        for ask in claim.asks() {
            whole &= tree.proof(*board, ask, &mut rows, &mut seen);
        }
    }
    let lines = rows.iter().map(|row| format!("{row}\n"));
    (std::iter::once(format!("{}\n", knowledge::HEADER)).chain(lines).collect(), whole)
}

/// Every step of a proof again: what follows must follow from lines before it, what was searched is searched again.
fn verify(path: &Path, searching: &Searching, out: &mut dyn Write) -> Result<(), ProveError> {
    let text = files::read_text(path, files::LARGEST).map_err(at(path))?;
    let bad = |why: String| ProveError::Bad { path: path.into(), why };
    let lines = text.lines().filter(|line| !line.trim().is_empty() && *line != knowledge::HEADER);
    let rows: Vec<Row> = lines.map(Row::parse).collect::<Result<_, _>>().map_err(bad)?;
    if rows.is_empty() {
        return Err(bad("there is no proof in it".into()));
    }
    let mut known = Knowledge::default();
    let (mut wrong, mut derived) = (0, 0);
    for row in &rows {
        if row.is_derived() {
            derived += 1;
            if !tree::follows(row, &known) {
                wrong += 1;
                writeln!(out, "does not follow: {row}")?;
            }
        }
        known.add(*row).map_err(at(path))?;
    }
    let searched: Vec<&Row> = rows.iter().filter(|row| !row.is_derived()).collect();
    // A line with both bounds is two questions.
    let asked: Vec<(usize, Question)> = searched
        .iter()
        .enumerate()
        .flat_map(|(number, row)| {
            let claim = Claim { lower: row.lower, upper: row.upper };
            claim.asks().into_iter().map(move |ask| (number, (row.board, ask.question())))
        })
        .collect();
    let questions: Vec<Question> = asked.iter().map(|(_, question)| *question).collect();
    let (mut answered, mut repeated, mut unlike, mut unfinished) = (0, 0, 0, 0);
    let bar = progress(questions.len());
    searching.ask(&questions, &mut |index, said| {
        bar.inc(1);
        answered += 1;
        let (number, (_, question)) = asked[index];
        let row = searched[number];
        let expected = row.lower >= question;
        match said.yes {
            None => unfinished += 1,
            Some(yes) if yes != expected => {
                wrong += 1;
                writeln!(out, "wrong: {row}")?;
            }
            Some(_) if row.question().is_some() && row.nodes == said.nodes => repeated += 1,
            Some(_) => unlike += 1,
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    let unfinished = unfinished + questions.len() - answered;
    writeln!(out, "{derived} steps follow from others, {} were searched", searched.len())?;
    writeln!(out, "node counts: {repeated} repeated, {unlike} different, {unfinished} searches not finished")?;
    if let Some(root) = rows.last() {
        writeln!(out, "proven: {} to {} for {}", root.lower, root.upper, knowledge::obf(root.board))?;
    }
    match wrong {
        0 if unfinished == 0 => Ok(()),
        0 => Err(ProveError::Unproven { refuted: 0, open: unfinished }),
        wrong => Err(ProveError::Wrong { wrong, all: rows.len() }),
    }
}

/// For whoever makes the arguments by hand.
#[cfg(test)]
fn engine_of_tests(options: &[(&'static str, String)]) -> crate::engine::Answer<Box<dyn crate::engine::Engine>> {
    let mut engine = crate::othello::OthelloEngine::new();
    options.iter().try_for_each(|(name, value)| crate::engine::Engine::set(&mut engine, name, value))?;
    Ok(Box::new(engine))
}
