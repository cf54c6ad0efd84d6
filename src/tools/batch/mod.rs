//! Many questions from a file, several at a time. What is answered stays answered: the file of results is the journal,
//! and starting again goes on with what is missing.

mod jobs;
mod journal;
#[cfg(test)]
mod tests;

use crate::{
    base::{files::lock, signals::Signal},
    engine::{Answer, CommandError, CommandErrorKind, Engine, Outcome, Query},
    protocol::{Id, Reply, SessionSettings, json},
    worker::{Event, StopHandle, Worker},
};
use crossbeam_channel::{Receiver, Select, never};
use indicatif::{ProgressBar, ProgressStyle};
use jobs::{Job, Jobs, Shard};
use journal::{Attempts, Results};
use std::{
    collections::VecDeque,
    io,
    path::{Path, PathBuf},
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
    #[error("the questions and the results are the same file")]
    SameFile,
    #[error(transparent)]
    Option(#[from] CommandError),
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

/// Makes an engine with these options on top of its own.
pub type Make<'a> = &'a dyn Fn(&[(&'static str, String)]) -> Answer<Box<dyn Engine>>;

/// A job that was running so many times when the process died is not tried again.
const DEATHS: u32 = 2;
/// At least so often what was found reaches the disk.
const SYNC: Duration = Duration::from_millis(900);

/// Answers what has no answer yet. `chosen` are the player's options that were asked for.
pub fn run(
    args: &BatchArgs,
    chosen: &[(&'static str, String)],
    make: Make<'_>,
    signals: Receiver<Signal>,
) -> Result<Ending, BatchError> {
    let engine = make(chosen)?;
    let jobs = Jobs::read(&args.questions, engine.as_ref())?;
    if jobs.list.is_empty() {
        return Err(BatchError::Empty(args.questions.clone()));
    }
    if same_file(&args.questions, &args.output) {
        return Err(BatchError::SameFile);
    }
    let _lock = match lock::claim(&args.output) {
        lock::Claim::Taken(holder) => return Err(BatchError::Taken { path: args.output.clone(), holder }),
        lock::Claim::Ours(lock) => Some(lock),
        lock::Claim::NoLocks => None,
    };
    let results = Results::open(&args.output, &jobs)?;
    let attempts = Attempts::open(&args.output)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (count, shares) = shared_out(args.jobs.map(usize::from), chosen, engine.as_ref(), cores);
    let options = [chosen, &shares].concat();
    let make_one = || make(&options);
    let todo = Todo::new(&jobs, args.shard, &results, &attempts);
    let bar = progress(todo.len() as u64);
    let mut batch =
        Batch { jobs: &jobs, results, attempts, make: &make_one, signals, bar, synced: Instant::now(), stopped: None };
    batch.give_up(&todo.hopeless)?;
    batch.answer(todo, count)?;
    batch.end(args.shard)
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Shown on a terminal only.
fn progress(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} questions, {per_sec}, {eta} left");
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// How many engines there are, and the options that let them share threads and memory. What was asked for stays.
fn shared_out(
    jobs: Option<usize>,
    chosen: &[(&'static str, String)],
    engine: &dyn Engine,
    cores: usize,
) -> (usize, Vec<(&'static str, String)>) {
    let settings = engine.settings();
    let value = |name: &str| {
        let row = settings.iter().find(|row| row.name == name)?;
        row.value.to_string().parse::<usize>().ok()
    };
    let is_chosen = |name: &str| chosen.iter().any(|(other, _)| *other == name);
    let threads = value("threads").filter(|_| is_chosen("threads"));
    let count = jobs.unwrap_or_else(|| cores / threads.unwrap_or(1)).max(1);
    let wanted = [
        ("threads", Some((cores / count).max(1))),
        // A power of two, and one of them has the usual size.
        ("hash", value("hash").map(|bits| bits.saturating_sub(count.next_power_of_two().ilog2() as usize).max(14))),
        ("memory", value("memory").map(|megabytes| (megabytes / count).max(1))),
    ];
    let free = wanted.into_iter().filter(|(name, _)| !is_chosen(name) && value(name).is_some());
    (count, free.filter_map(|(name, value)| Some((name, value?.to_string()))).collect())
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
                0 => todo.fresh.push_back(index),
                times if times < DEATHS => todo.suspects.push_back(index),
                _ => todo.hopeless.push(index),
            }
        }
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

/// An engine and its thread.
struct Seat {
    worker: Worker,
    /// At home.
    engine: Option<Box<dyn Engine>>,
    running: Option<Running>,
}

struct Running {
    job: usize,
    session_settings: SessionSettings,
    stop: StopHandle,
}

struct Batch<'a> {
    jobs: &'a Jobs,
    results: Results,
    attempts: Attempts,
    make: &'a dyn Fn() -> Answer<Box<dyn Engine>>,
    signals: Receiver<Signal>,
    bar: ProgressBar,
    synced: Instant,
    stopped: Option<Signal>,
}

impl Batch<'_> {
    fn give_up(&mut self, hopeless: &[usize]) -> Result<(), BatchError> {
        for &job in hopeless {
            let refusal =
                CommandError::new(CommandErrorKind::GaveUp, "the process died twice while this was being answered");
            self.record(job, &Reply::Refused(refusal), &SessionSettings::default())?;
        }
        Ok(())
    }

    /// Keeps the engines busy until nothing is left or a signal has come. What runs is stopped however this ends.
    fn answer(&mut self, mut todo: Todo, count: usize) -> Result<(), BatchError> {
        let count = count.min(todo.fresh.len().max(1));
        let mut seats = Vec::new();
        for _ in 0..count {
            seats.push(Seat { worker: Worker::spawn(), engine: Some((self.make)()?), running: None });
        }
        let answered = self.keep_busy(&mut todo, &mut seats);
        for running in seats.iter().filter_map(|seat| seat.running.as_ref()) {
            running.stop.stop();
        }
        while answered.is_ok() && self.stopped.is_some() && seats.iter().any(|seat| seat.running.is_some()) {
            self.wait(&mut seats)?;
        }
        answered
    }

    fn keep_busy(&mut self, todo: &mut Todo, seats: &mut [Seat]) -> Result<(), BatchError> {
        while self.stopped.is_none() {
            for seat in 0..seats.len() {
                while seats[seat].running.is_none() {
                    let running = seats.iter().filter(|seat| seat.running.is_some()).count();
                    let Some(job) = todo.next(running) else { break };
                    self.begin(job, &mut seats[seat])?;
                }
            }
            if seats.iter().all(|seat| seat.running.is_none()) {
                return Ok(());
            }
            self.wait(seats)?;
        }
        Ok(())
    }

    /// Sends an engine away with a question; one that cannot be asked is answered at once.
    fn begin(&mut self, job: usize, seat: &mut Seat) -> Result<(), BatchError> {
        let mut engine = match seat.engine.take() {
            Some(engine) => engine,
            None => (self.make)()?,
        };
        let asked = json::read_question(self.jobs.line(job), engine.commands())
            .and_then(|query| Ok((SessionSettings::default().for_question(&query)?, query)));
        let ((session_settings, settings), query) = match asked {
            Ok(asked) => asked,
            Err(refusal) => {
                seat.engine = Some(engine);
                return self.record(job, &Reply::Refused(refusal), &SessionSettings::default());
            }
        };
        // The answer may not depend on what was asked before.
        engine.forget();
        self.attempts.begin(&self.jobs.list[job].id)?;
        let stop = seat.worker.start(engine, crate::engine::Job::Query(Query { settings, ..query }), false);
        seat.running = Some(Running { job, session_settings, stop });
        Ok(())
    }

    /// Waits for an answer, a signal, or the time to write to the disk.
    fn wait(&mut self, seats: &mut [Seat]) -> Result<(), BatchError> {
        let busy: Vec<usize> = (0..seats.len()).filter(|&seat| seats[seat].running.is_some()).collect();
        let mut select = Select::new();
        for &seat in &busy {
            select.recv(&seats[seat].worker.events);
        }
        select.recv(&self.signals);
        let ready = select.ready_timeout(SYNC.saturating_sub(self.synced.elapsed()));
        drop(select);
        match ready.ok().map(|index| busy.get(index)) {
            Some(Some(&seat)) => self.hear(&mut seats[seat])?,
            Some(None) => self.signal(seats),
            None => {}
        }
        if self.synced.elapsed() >= SYNC {
            self.results.sync()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    fn signal(&mut self, seats: &[Seat]) {
        match self.signals.try_recv() {
            Ok(signal) => {
                self.stopped = Some(signal);
                seats.iter().filter_map(|seat| seat.running.as_ref()).for_each(|running| running.stop.stop());
            }
            Err(error) if error.is_disconnected() => self.signals = never(),
            Err(_) => {}
        }
    }

    fn hear(&mut self, seat: &mut Seat) -> Result<(), BatchError> {
        let Ok(Event::Home { engine, outcome }) = seat.worker.events.try_recv() else { return Ok(()) };
        let Some(Running { job, session_settings, .. }) = seat.running.take() else { return Ok(()) };
        // After a refusal, which may have been a fault of ours, a new engine takes the seat.
        seat.engine = outcome.is_ok().then_some(engine);
        if self.stopped.is_some() {
            return self.attempts.take_back(&self.jobs.list[job].id);
        }
        self.conclude(job, outcome, &session_settings)
    }

    fn conclude(
        &mut self,
        job: usize,
        outcome: Answer<Outcome>,
        session_settings: &SessionSettings,
    ) -> Result<(), BatchError> {
        self.record(job, &Reply::from(outcome), session_settings)
    }

    fn record(&mut self, job: usize, reply: &Reply, session_settings: &SessionSettings) -> Result<(), BatchError> {
        let id = &self.jobs.list[job].id;
        let line = json::answer_question(&Id::Json(id.clone()), reply, session_settings);
        self.results.add(id, &line, matches!(reply, Reply::Refused(_)))?;
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
