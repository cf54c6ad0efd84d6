//! Many questions from a file, several at a time. What is answered stays answered: the file of results is the journal,
//! and starting again goes on with what is missing.

mod attend;
pub mod jobs;
pub mod journal;
#[cfg(test)]
mod tests;

use crate::{
    base::{files::lock, signals::Signal},
    engine::{CommandError, CommandErrorKind},
    protocol::Id,
    tools::pool::{self, Done, Event, Pool, Reader, Recipe, job::Kinds},
};
use attend::Role;
use crossbeam_channel::{Receiver, Select, never};
use indicatif::{ProgressBar, ProgressStyle};
use jobs::{Job, Jobs, Shard};
use journal::{Attempt, Attempts, Results};
use std::{
    collections::VecDeque,
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
    thread,
    time::{Duration, Instant},
};

#[derive(clap::Args, Debug)]
pub struct BatchArgs {
    /// Questions, one JSON object a line, as `shirokuro json` reads them; without an `id` the number of the line is one
    #[arg(value_name = "JOBS")]
    questions: PathBuf,
    /// Where the answers go, one a line as they are found; a file that is there is gone on with
    #[arg(short, long, value_name = "RESULTS")]
    output: PathBuf,
    /// Questions answered at the same time [default: as many as the cores have room for]
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// Answer only part I of N parts, from 1/N to N/N; every part needs a file of results of its own
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: {}", path.display(), complaints.join("\n  "))]
    Lines { path: PathBuf, complaints: Vec<String> },
    #[error("{}, line {line}: {message}", path.display())]
    Result { path: PathBuf, line: usize, message: String },
    #[error("{}: {holder}", path.display())]
    Taken { path: PathBuf, holder: lock::Holder },
    #[error("{}: there are no questions in it", .0.display())]
    Empty(PathBuf),
    #[error("{}: this is no file, and the questions may have to be read again", .0.display())]
    NoFile(PathBuf),
    #[error("the questions and the results are the same file")]
    SameFile,
    #[error(transparent)]
    Option(#[from] CommandError),
    #[error("no process to work in: {0}")]
    NoProcess(io::Error),
    #[error("the process that works died before it began anything ({0})")]
    Died(ExitStatus),
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> BatchError {
    let path = path.to_path_buf();
    move |source| BatchError::File { path, source }
}

/// How a batch ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    Answered,
    /// Everything has an answer, and some of them are errors.
    Failed,
    Stopped(Signal),
}

impl Ending {
    pub const fn exit_code(&self) -> u8 {
        match self {
            Ending::Answered => 0,
            Ending::Failed => 1,
            Ending::Stopped(signal) => signal.exit_code(),
        }
    }
}

/// A job over which the process died so often is not tried again.
const DEATHS: u32 = 2;
/// A job that ran so often when all ended at once, as when the power goes, runs alone from then on.
const SUSPECT_LOSSES: u32 = 3;
/// And after so many such ends it is not tried again: it may take the whole machine with it.
const LOSSES: u32 = 10;
/// How long the answers of a batch that is just ending are waited for.
const LEAVING: Duration = Duration::from_secs(2);
/// At least so often what was found reaches the disk.
const SYNC: Duration = Duration::from_millis(900);

/// Does what has no answer yet, in a process that is attended to; returns the exit code. The recipe has the player's
/// options that were asked for.
pub fn run(args: &BatchArgs, recipe: Recipe, kinds: Kinds, signals: Receiver<Signal>) -> Result<u8, BatchError> {
    match Role::new(&signals) {
        // A pipe could be read only once.
        Role::Attend if args.questions.exists() && !args.questions.is_file() => {
            Err(BatchError::NoFile(args.questions.clone()))
        }
        Role::Attend => attend::run(&args.output, &signals),
        Role::Work(signals) => work(args, recipe, kinds, signals).map(|ending| ending.exit_code()),
    }
}

fn work(args: &BatchArgs, recipe: Recipe, kinds: Kinds, signals: Receiver<Signal>) -> Result<Ending, BatchError> {
    let engine = recipe.engine()?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (count, shares) = pool::shared_out(args.jobs.map(usize::from), &recipe.options, engine.as_ref(), cores);
    let options = [recipe.options, shares].concat();
    let reader = Reader::new(engine.as_ref(), kinds).with_shares(&options);
    let jobs = Jobs::read(&args.questions, &reader)?;
    if jobs.list.is_empty() {
        return Err(BatchError::Empty(args.questions.clone()));
    }
    if same_file(&args.questions, &args.output) {
        return Err(BatchError::SameFile);
    }
    let _lock = claim(&args.output)?;
    let results = Results::open(&args.output, &jobs)?;
    let attempts = Attempts::open(&args.output, &results)?;
    let todo = Todo::new(&jobs, args.shard, &results, &attempts);
    let bar = progress(todo.len() as u64);
    let count = count.min(todo.fresh.len().max(1));
    let pool = Pool::new(count, &Recipe { options, ..recipe });
    let mut batch = Batch {
        jobs: &jobs,
        reader: &reader,
        results,
        attempts,
        pool,
        signals,
        bar,
        synced: Instant::now(),
        stopped: None,
    };
    batch.give_up(&todo.hopeless)?;
    batch.answer(todo)?;
    batch.end(args.shard)
}

/// The right to write the answers. A process whose attendant was killed a moment ago still has it while it leaves.
fn claim(path: &Path) -> Result<Option<lock::Lock>, BatchError> {
    let began = Instant::now();
    loop {
        match lock::claim(path) {
            lock::Claim::Ours(lock) => return Ok(Some(lock)),
            lock::Claim::NoLocks => return Ok(None),
            lock::Claim::Taken(_) if began.elapsed() < LEAVING => thread::sleep(Duration::from_millis(20)),
            lock::Claim::Taken(holder) => return Err(BatchError::Taken { path: path.to_path_buf(), holder }),
        }
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Shown on a terminal only.
fn progress(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} questions, {per_sec}, {eta} left");
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// What is still to be done, as indices of jobs.
struct Todo {
    fresh: VecDeque<usize>,
    /// One of these may have ended the process before: they come last, each alone, so that none is blamed for another.
    suspects: VecDeque<usize>,
    hopeless: Vec<usize>,
}

impl Todo {
    fn new(jobs: &Jobs, shard: Option<Shard>, results: &Results, attempts: &Attempts) -> Todo {
        let mut todo = Todo { fresh: VecDeque::new(), suspects: VecDeque::new(), hopeless: vec![] };
        let missing = |job: &Job| !results.has(&job.id) && shard.is_none_or(|shard| shard.holds(&job.id));
        for (index, job) in jobs.list.iter().enumerate().filter(|(_, job)| missing(job)) {
            match attempts.of(&job.id) {
                Attempt { deaths, losses, .. } if deaths >= DEATHS || losses >= LOSSES => todo.hopeless.push(index),
                Attempt { deaths, losses, .. } if deaths > 0 || losses >= SUSPECT_LOSSES => {
                    todo.suspects.push_back(index);
                }
                _ => todo.fresh.push_back(index),
            }
        }
        // Whoever was lost before waits for those that were not.
        let losses = |index: &usize| attempts.of(&jobs.list[*index].id).losses;
        todo.fresh.make_contiguous().sort_by_key(losses);
        todo.suspects.make_contiguous().sort_by_key(losses);
        todo
    }

    fn len(&self) -> usize {
        self.fresh.len() + self.suspects.len() + self.hopeless.len()
    }

    /// What may begin beside so many that run.
    fn next(&mut self, running: usize) -> Option<usize> {
        self.fresh.pop_front().or_else(|| self.suspects.pop_front_if(|_| running == 0))
    }
}

struct Batch<'a> {
    jobs: &'a Jobs,
    reader: &'a Reader<'a>,
    results: Results,
    attempts: Attempts,
    pool: Pool,
    signals: Receiver<Signal>,
    bar: ProgressBar,
    synced: Instant,
    stopped: Option<Signal>,
}

impl Batch<'_> {
    fn give_up(&mut self, hopeless: &[usize]) -> Result<(), BatchError> {
        for &job in hopeless {
            let message = match self.attempts.of(&self.jobs.list[job].id) {
                Attempt { deaths: DEATHS.., .. } => "the process died twice while this was being answered",
                _ => "everything ended ten times while this was being answered",
            };
            let line = pool::job::refusal(&self.id(job), CommandError::new(CommandErrorKind::GaveUp, message));
            self.record(job, &line, true)?;
        }
        Ok(())
    }

    fn id(&self, job: usize) -> Id {
        Id::Json(self.jobs.list[job].id.clone())
    }

    /// Keeps the workers busy until nothing is left or a signal has come; then what runs is stopped.
    fn answer(&mut self, mut todo: Todo) -> Result<(), BatchError> {
        while self.stopped.is_none() {
            while self.pool.has_room() {
                let Some(job) = todo.next(self.pool.running()) else { break };
                self.begin(job)?;
            }
            if self.pool.running() == 0 {
                return Ok(());
            }
            self.wait()?;
        }
        while self.pool.running() > 0 {
            self.wait()?;
        }
        Ok(())
    }

    fn begin(&mut self, job: usize) -> Result<(), BatchError> {
        let (_, task) = self.reader.read(self.jobs.line(job));
        match task {
            Ok(task) => {
                self.attempts.begin(&self.jobs.list[job].id)?;
                self.pool.begin(job as u64, task.into(), false);
                Ok(())
            }
            Err(refusal) => {
                let line = pool::job::refusal(&self.id(job), refusal);
                self.record(job, &line, true)
            }
        }
    }

    /// Waits for an answer, a signal, or the time to write to the disk.
    fn wait(&mut self) -> Result<(), BatchError> {
        let mut select = Select::new();
        let answers = select.recv(&self.pool.events);
        select.recv(&self.signals);
        let ready = select.ready_timeout(SYNC.saturating_sub(self.synced.elapsed()));
        drop(select);
        match ready {
            Ok(index) if index == answers => self.hear()?,
            Ok(_) => self.signal(),
            Err(_) => {}
        }
        if self.synced.elapsed() >= SYNC {
            self.results.sync()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    fn signal(&mut self) {
        match self.signals.try_recv() {
            Ok(signal) => {
                self.stopped = Some(signal);
                self.pool.stop_all();
            }
            Err(error) if error.is_disconnected() => self.signals = never(),
            Err(_) => {}
        }
    }

    fn hear(&mut self) -> Result<(), BatchError> {
        let Ok(event) = self.pool.events.try_recv() else { return Ok(()) };
        let Event::Done(Done { ticket, job, found, .. }) = self.pool.heard(event) else { return Ok(()) };
        let ticket = ticket as usize;
        if self.stopped.is_some() {
            return self.attempts.take_back(&self.jobs.list[ticket].id);
        }
        let line = job.answer(&self.id(ticket), &found);
        self.record(ticket, &line, found.is_err())
    }

    fn record(&mut self, job: usize, line: &str, failed: bool) -> Result<(), BatchError> {
        let id = &self.jobs.list[job].id;
        self.results.add(id, line, failed)?;
        self.attempts.end(id);
        self.bar.inc(1);
        Ok(())
    }

    /// Puts everything on the disk and says how it went.
    fn end(mut self, shard: Option<Shard>) -> Result<Ending, BatchError> {
        self.results.sync()?;
        self.bar.finish_and_clear();
        let ours = self.jobs.list.iter().filter(|job| shard.is_none_or(|shard| shard.holds(&job.id)));
        let (mut asked, mut answered, mut failed) = (0, 0, 0);
        for job in ours {
            asked += 1;
            answered += usize::from(self.results.has(&job.id));
            failed += usize::from(self.results.has_failed(&job.id));
        }
        eprintln!("{answered} of {asked} answered, {failed} of them errors");
        if let Some(signal) = self.stopped {
            return Ok(Ending::Stopped(signal));
        }
        self.attempts.remove()?;
        Ok(if failed > 0 { Ending::Failed } else { Ending::Answered })
    }
}
