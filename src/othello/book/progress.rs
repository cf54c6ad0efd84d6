//! News from long work on a book.

use crate::base::Control;
use std::{
    cell::Cell,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

/// How far long work has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BookProgress {
    /// `learn`, `fix`, …
    pub work: &'static str,
    /// Positions (or games) dealt with.
    pub done: u64,
    /// What waits, as far as it is known.
    pub queue: u64,
    /// Positions in the book.
    pub positions: usize,
    pub elapsed: Duration,
}

/// Counts the work and tells about it, but not too often.
pub struct Meter<'a> {
    control: Control<'a, BookProgress>,
    work: &'static str,
    started: Instant,
    told: Cell<Option<Instant>>,
    done: Cell<u64>,
}

const PAUSE: Duration = Duration::from_millis(500);

impl<'a> Meter<'a> {
    pub fn new(work: &'static str, control: Control<'a, BookProgress>) -> Meter<'a> {
        Meter { control, work, started: Instant::now(), told: Cell::new(None), done: Cell::new(0) }
    }

    pub fn stopped(&self) -> bool {
        self.control.stopped()
    }

    pub fn stop_flag(&self) -> &'a AtomicBool {
        self.control.stop_flag()
    }

    pub fn step(&self, done: u64, queue: u64, positions: usize) {
        self.done.set(self.done.get() + done);
        if self.told.get().is_some_and(|told| told.elapsed() < PAUSE) {
            return;
        }
        self.told.set(Some(Instant::now()));
        let (work, done, elapsed) = (self.work, self.done.get(), self.started.elapsed());
        self.control.tell(&BookProgress { work, done, queue, positions, elapsed });
    }
}
