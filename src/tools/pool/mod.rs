//! Workers that answer jobs beside each other, each with an engine and searchers of its own. A batch, a fleet's worker and
//! `json --jobs` are three ways to fill the same pool.

mod hand;
#[cfg_attr(not(feature = "fleet"), expect(dead_code, reason = "only a fleet asks what a job costs"))]
pub mod job;
pub use hand::Recipe;
pub use job::{Job, Kinds, Reader};

use crate::engine::{Answer, Engine, Outcome, Progress};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use hand::Hand;
use job::Fields;
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// As much as the search thread of a session has.
const STACK: usize = 64 << 20;

/// What a job found: what an engine says to a question, or the fields of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Outcome(Outcome),
    Fields(Fields),
}

pub enum Event {
    /// How far the job with this ticket has come.
    News(u64, Progress),
    /// The job with this ticket is done, or has been stopped.
    Done(Done),
}

pub struct Done {
    pub ticket: u64,
    pub job: Arc<Job>,
    pub found: Answer<Found>,
    seat: usize,
}

struct Order {
    ticket: u64,
    job: Arc<Job>,
    stop: Arc<AtomicBool>,
    tells: bool,
}

struct Seat {
    orders: Sender<Order>,
    busy: bool,
}

pub struct Pool {
    seats: Vec<Seat>,
    running: HashMap<u64, Arc<AtomicBool>>,
    /// What has to be handed to [`Pool::heard`].
    pub events: Receiver<Event>,
}

impl Pool {
    pub fn new(count: usize, recipe: &Recipe) -> Pool {
        let (out, events) = unbounded();
        let seats = (0..count.max(1)).map(|seat| start(seat, recipe.clone(), out.clone())).collect();
        Pool { seats, running: HashMap::new(), events }
    }

    pub fn size(&self) -> usize {
        self.seats.len()
    }

    pub fn running(&self) -> usize {
        self.running.len()
    }

    pub fn has_room(&self) -> bool {
        self.running.len() < self.seats.len()
    }

    /// Begins a job where there is room for it; with `tells` there will be news of it.
    pub fn begin(&mut self, ticket: u64, job: Arc<Job>, tells: bool) {
        let seat = self.seats.iter_mut().find(|seat| !seat.busy).expect("whoever begins a job has looked for room");
        let stop = Arc::new(AtomicBool::new(false));
        seat.busy = true;
        self.running.insert(ticket, stop.clone());
        let sent = seat.orders.send(Order { ticket, job, stop, tells });
        sent.unwrap_or_else(|_| unreachable!("a worker lives as long as the pool"));
    }

    /// Tells a job to come to an end; false when it does not run.
    pub fn stop(&self, ticket: u64) -> bool {
        let stop = self.running.get(&ticket);
        stop.inspect(|stop| stop.store(true, Ordering::Relaxed)).is_some()
    }

    pub fn stop_all(&self) {
        self.running.values().for_each(|stop| stop.store(true, Ordering::Relaxed));
    }

    /// Notes what has happened: after the end of a job there is room for another.
    pub fn heard(&mut self, event: Event) -> Event {
        if let Event::Done(done) = &event {
            self.running.remove(&done.ticket);
            self.seats[done.seat].busy = false;
        }
        event
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop_all();
    }
}

fn start(seat: usize, recipe: Recipe, out: Sender<Event>) -> Seat {
    let (orders, inbox) = bounded::<Order>(1);
    let work = move || {
        let mut hand = Hand::new(recipe);
        for Order { ticket, job, stop, tells } in inbox {
            let tell = |news: &Progress| {
                if tells {
                    let _ = out.send(Event::News(ticket, news.clone()));
                }
            };
            let found = hand.carry_out(&job.work, &stop, &tell);
            if out.send(Event::Done(Done { ticket, job, found, seat })).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name(format!("worker {}", seat + 1))
        .stack_size(STACK)
        .spawn(work)
        .expect("the system has room for a thread for each job at a time");
    Seat { orders, busy: false }
}

/// How many jobs there are at a time, and the options that let them share threads and memory. What was asked for stays.
pub fn shared_out(
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
