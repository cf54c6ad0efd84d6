//! A worker: takes jobs from a queue, does them in a pool, stores the results, and only then says that they are done.

use super::{
    Ending, FleetError, Identity, WorkArgs,
    queue::{Queue, Shelf},
    submit::has_no_file,
};
use crate::{
    base::{
        Control, Limits,
        files::{self, Fence},
        signals::Signal,
    },
    engine::CommandErrorKind,
    othello::{
        Board, Weights,
        search::{Config, Effort, Searcher, Task},
    },
    protocol::Id,
    tools::pool::{
        self, Done, Event, Kinds, Pool, Reader, Recipe,
        job::{QUESTION, SOLVE},
    },
};
use async_nats::jetstream::{AckKind, Message};
use crossbeam_channel::{Receiver, select};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

/// A job that was begun so often and never ended is not begun again.
const TRIES: i64 = 3;
/// From this cost on it is noted that a job is begun, also for the first time.
const NOTED: f64 = 3e7;
/// How often a worker looks for jobs while there are none.
const LOOK: Duration = Duration::from_millis(200);
/// How often it looks what kinds of jobs there are, and says that it is there.
const LOOK_ROUND: Duration = Duration::from_secs(3);
/// Jobs shorter than this are taken several at a time.
const SHORT: Duration = Duration::from_millis(50);
/// So many for each that is done at a time.
const IN_ADVANCE: usize = 16;
/// A worker slower than the fastest by this takes the cheap jobs.
const SLOW: f64 = 0.7;

/// A job that was delivered and is not acknowledged.
struct Held {
    message: Message,
    key: String,
    began: Instant,
    delivered: i64,
    /// How often it was begun by workers that were not heard of again, as far as that was noted.
    tries: i64,
}

struct Worker<'a> {
    queue: Queue,
    name: String,
    reader: Reader<'a>,
    kinds: Vec<String>,
    pool: Pool,
    shelves: Vec<Shelf>,
    /// Delivered and waiting for a place; a suspect runs alone.
    waiting: VecDeque<(Held, bool)>,
    running: HashMap<u64, Held>,
    /// A suspect is running.
    alone: bool,
    tickets: u64,
    /// Nodes a second of one thread.
    speed: f64,
    slow: bool,
    began: Instant,
    done: u64,
    busy: Duration,
    last_beat: Instant,
    last_round: Instant,
}

pub fn run(args: &WorkArgs, recipe: Recipe, kinds: Kinds, signals: Receiver<Signal>) -> Result<Ending, FleetError> {
    let names = || kinds.iter().map(|row| row.name).chain([QUESTION, SOLVE]);
    if let Some(kind) = args.kinds.iter().find(|kind| names().all(|name| name != *kind)) {
        return Err(FleetError::Kind(kind.clone()));
    }
    let engine = recipe.engine()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (count, shares) = pool::shared_out(args.jobs.map(usize::from), &recipe.options, engine.as_ref(), cores);
    let options = [recipe.options, shares].concat();
    let queue = Queue::connect(&args.url)?;
    queue.prepare(&Identity::of(engine.as_ref()))?;
    // A worker reads and writes no file that a job names.
    files::restrict(Fence::Closed);
    let host = gethostname::gethostname().to_string_lossy().into_owned();
    let worker = Worker {
        queue,
        name: args.name.clone().unwrap_or_else(|| format!("{host}-{}", std::process::id())),
        reader: Reader::new(engine.as_ref(), kinds).with_shares(&options),
        kinds: args.kinds.clone(),
        pool: Pool::new(count, &Recipe { options, ..recipe }),
        shelves: vec![],
        waiting: VecDeque::new(),
        running: HashMap::new(),
        alone: false,
        tickets: 0,
        speed: measured_speed(),
        slow: false,
        began: Instant::now(),
        done: 0,
        busy: Duration::ZERO,
        last_beat: Instant::now(),
        last_round: Instant::now(),
    };
    worker.run(args.idle.map(Duration::from_secs_f64), &signals)
}

/// Nodes a second of one thread, from a search of a moment.
fn measured_speed() -> f64 {
    let mut searcher = Searcher::new(Config { threads: 1, hash_bits: 16, weights: Weights::builtin() });
    let task = Task { limits: Limits { nodes: Some(500_000), ..Limits::NONE }, ..Task::new(Effort::Unlimited) };
    let began = Instant::now();
    let report = searcher.search(Board::START, &task, Control::alone());
    report.nodes as f64 / began.elapsed().as_secs_f64().max(1e-6)
}

impl Worker<'_> {
    fn run(mut self, idle: Option<Duration>, signals: &Receiver<Signal>) -> Result<Ending, FleetError> {
        log::info!("{}: {:.1} million nodes a second", self.name, self.speed / 1e6);
        self.look_round()?;
        let mut last_work = Instant::now();
        loop {
            if self.last_round.elapsed() >= LOOK_ROUND {
                self.look_round()?;
            }
            self.fill()?;
            let nothing = self.running.is_empty() && self.waiting.is_empty();
            if !nothing {
                last_work = Instant::now();
            } else if idle.is_some_and(|idle| last_work.elapsed() >= idle) {
                self.leave();
                return Ok(Ending::Done);
            }
            select! {
                recv(signals) -> signal => {
                    self.hand_back();
                    self.leave();
                    return Ok(Ending::Stopped(signal.unwrap_or(Signal::Terminate)));
                },
                recv(self.pool.events) -> event => {
                    if let Ok(event) = event {
                        self.hear(event)?;
                    }
                },
                default(LOOK) => {}
            }
            self.beat();
        }
    }

    /// What kinds of jobs there are, and how fast the others are; says that this one is there.
    fn look_round(&mut self) -> Result<(), FleetError> {
        self.last_round = Instant::now();
        let mut shelves = self.queue.shelves()?;
        shelves.retain(|shelf| self.kinds.is_empty() || self.kinds.contains(&shelf.kind));
        let seconds = self.began.elapsed().as_secs_f64().max(1e-3);
        let about = json!({
            "name": self.name, "jobs": self.pool.size(), "running": self.running.len(), "done": self.done,
            "per_second": (self.done as f64 / seconds * 100.0).round() / 100.0, "nodes_per_second": self.speed.round(),
            "seen": now(), "seconds": seconds.round(),
        });
        self.queue.put_note(&format!("worker.{}", note_name(&self.name)), about.to_string())?;
        let fastest = super::status::workers(&self.queue)?.iter().map(|w| w.nodes_per_second).fold(0.0, f64::max);
        self.slow = self.speed < SLOW * fastest;
        // A slow worker takes cheap jobs first and leaves the dear ones to others, who take those first.
        shelves.sort_by_key(|shelf| if self.slow { shelf.class } else { usize::MAX - shelf.class });
        self.shelves = shelves;
        Ok(())
    }

    /// Takes jobs for the free places and begins them.
    fn fill(&mut self) -> Result<(), FleetError> {
        loop {
            while !self.alone && self.pool.has_room() {
                let fits = |suspect: bool| !suspect || self.running.is_empty();
                let Some(place) = self.waiting.iter().position(|(_, suspect)| fits(*suspect)) else { break };
                // Others would run into a suspect's end.
                let Some((held, suspect)) = self.waiting.remove(place) else { break };
                self.begin(held, suspect)?;
            }
            if self.alone || !self.pool.has_room() || self.waiting.iter().any(|(_, suspect)| *suspect) {
                return Ok(());
            }
            let short = self.done > 0 && self.busy < SHORT * u32::try_from(self.done).unwrap_or(u32::MAX);
            let free = self.pool.size() - self.pool.running();
            let wanted = free + if short { IN_ADVANCE * self.pool.size() } else { 0 };
            if !self.take(wanted)? {
                return Ok(());
            }
        }
    }

    /// Fetches up to so many jobs; false when there are none.
    fn take(&mut self, wanted: usize) -> Result<bool, FleetError> {
        let mut messages = vec![];
        for shelf in &self.shelves {
            messages = self.queue.take(shelf, wanted);
            if !messages.is_empty() {
                break;
            }
        }
        let some = !messages.is_empty();
        for message in messages {
            self.receive(message)?;
        }
        Ok(some)
    }

    fn receive(&mut self, message: Message) -> Result<(), FleetError> {
        let key = message.subject.rsplit('.').next().unwrap_or_default().to_owned();
        let delivered = message.info().map_or(1, |info| info.delivered);
        let (mut tries, mut suspect) = (0, false);
        if delivered > 1 {
            // The result may have been stored by a worker that died before it could say so.
            if self.queue.result(&key)?.is_some() {
                self.queue.tell(&message, AckKind::Ack);
                return Ok(());
            }
            let noted = self.tries(&key)?;
            // The first time is not noted for a cheap job; it counts unless somebody handed the job back.
            tries = noted.unwrap_or(1);
            if tries >= TRIES {
                return self.bury(&message, &key, tries);
            }
            // Of one that nobody handed back it is not known whether it was begun.
            suspect = noted.is_none_or(|tries| tries > 0);
        }
        self.waiting.push_back((Held { message, key, began: Instant::now(), delivered, tries }, suspect));
        Ok(())
    }

    /// How often a job was begun and neither ended nor handed back; `None`: nothing is noted.
    fn tries(&self, key: &str) -> Result<Option<i64>, FleetError> {
        let note = self.queue.note(&format!("tries.{key}"))?;
        Ok(note.and_then(|text| String::from_utf8(text).ok()?.parse().ok()))
    }

    fn note_tries(&self, key: &str, tries: i64) -> Result<(), FleetError> {
        self.queue.put_note(&format!("tries.{key}"), tries.to_string())
    }

    fn bury(&self, message: &Message, key: &str, tries: i64) -> Result<(), FleetError> {
        let job: Value = serde_json::from_slice(&message.payload).unwrap_or_default();
        log::warn!("job {key} was begun {tries} times and never ended: it is dead");
        let subject: Vec<&str> = message.subject.split('.').collect();
        let class = subject.get(4).and_then(|class| class.parse::<usize>().ok()).unwrap_or(0);
        let line = json!({ "key": key, "tries": tries, "class": class, "job": job });
        self.queue.put_dead(key, line.to_string())?;
        self.queue.tell(message, AckKind::Ack);
        Ok(())
    }

    fn begin(&mut self, held: Held, suspect: bool) -> Result<(), FleetError> {
        let text = String::from_utf8_lossy(&held.message.payload).into_owned();
        let (_, job) = self.reader.read(&text);
        match job.and_then(|job| has_no_file(&job).map(|()| job)) {
            Ok(job) => {
                // The first delivery of a cheap job is not noted: that would take longer than the job. Whoever finds it
                // delivered before counts it.
                if held.delivered > 1 || job.cost() > NOTED {
                    self.note_tries(&held.key, held.tries + 1)?;
                }
                self.tickets += 1;
                log::info!("begin {} {text}", held.key);
                self.pool.begin(self.tickets, job.into(), false);
                self.alone = suspect;
                self.running.insert(self.tickets, Held { began: Instant::now(), ..held });
                Ok(())
            }
            Err(refusal) => {
                let line = pool::job::refusal(&Id::None, refusal);
                self.queue.put_result(&held.key, line)?;
                self.queue.tell(&held.message, AckKind::Ack);
                Ok(())
            }
        }
    }

    fn hear(&mut self, event: Event) -> Result<(), FleetError> {
        let Event::Done(Done { ticket, job, found, .. }) = self.pool.heard(event) else { return Ok(()) };
        self.alone = false;
        let Some(held) = self.running.remove(&ticket) else { return Ok(()) };
        if found.as_ref().is_err_and(|refusal| refusal.kind == CommandErrorKind::GaveUp) {
            return Ok(());
        }
        let line = job.answer(&Id::None, &found);
        if !self.queue.put_result(&held.key, line)? {
            log::info!("job {} was answered by somebody else", held.key);
        }
        self.queue.tell(&held.message, AckKind::Ack);
        log::info!("end {}", held.key);
        self.done += 1;
        self.busy += held.began.elapsed();
        Ok(())
    }

    /// Says of all that is not done that it is still being done.
    fn beat(&mut self) {
        let wait = self.shelves.iter().map(|shelf| shelf.ack_wait).min().unwrap_or(Duration::from_secs(60));
        if self.last_beat.elapsed() < wait / 3 {
            return;
        }
        self.last_beat = Instant::now();
        let held = self.running.values().chain(self.waiting.iter().map(|(held, _)| held));
        held.for_each(|held| self.queue.tell(&held.message, AckKind::Progress));
    }

    /// What is not finished goes back at once, and does not count against the job.
    fn hand_back(&mut self) {
        self.pool.stop_all();
        let held = self.running.drain().map(|(_, held)| held).chain(self.waiting.drain(..).map(|(held, _)| held));
        for held in held.collect::<Vec<_>>() {
            if let Err(error) = self.note_tries(&held.key, held.tries) {
                log::warn!("job {} counts as tried: {error}", held.key);
            }
            self.queue.tell(&held.message, AckKind::Nak(None));
            log::info!("back {}", held.key);
        }
    }

    /// Says that this worker is gone.
    fn leave(&self) {
        let about = json!({ "name": self.name, "gone": true, "done": self.done, "seen": now() });
        let _ = self.queue.put_note(&format!("worker.{}", note_name(&self.name)), about.to_string());
    }
}

/// A name as a part of a subject.
fn note_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

/// Seconds since 1970.
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
