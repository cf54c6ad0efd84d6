//! One thread of a search: its counters, its own cache, and its link to what all threads share.

use super::{cache::Cache, table::Table};
use crate::othello::eval::Weights;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// How many nodes may pass between two looks at the clock and the stop flag: well under a millisecond.
const POLL_EVERY: u64 = 4096;

/// What every thread of one search sees.
pub(super) struct Shared<'a> {
    pub table: &'a Table,
    pub weights: &'a Weights,
    pub stop: &'a AtomicBool,
    pub deadline: Option<Instant>,
    pub node_limit: Option<u64>,
}

pub(super) struct Worker<'a> {
    pub shared: &'a Shared<'a>,
    pub cache: &'a mut Cache,
    pub nodes: u64,
    /// Told to stop: what the running functions return means nothing any more.
    pub halted: bool,
    /// While the first iteration runs nothing may stop it.
    pub deaf: bool,
    next_poll: u64,
}

impl<'a> Worker<'a> {
    pub fn new(shared: &'a Shared<'a>, cache: &'a mut Cache) -> Worker<'a> {
        Worker { shared, cache, nodes: 0, halted: false, deaf: false, next_poll: 0 }
    }

    /// Must this search end?
    #[inline]
    pub fn poll(&mut self) -> bool {
        if self.nodes < self.next_poll {
            return self.halted;
        }
        self.look_up()
    }

    #[cold]
    fn look_up(&mut self) -> bool {
        self.next_poll = self.nodes + POLL_EVERY;
        if self.deaf {
            return false;
        }
        let shared = self.shared;
        self.halted |= shared.stop.load(Ordering::Relaxed)
            || shared.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || shared.node_limit.is_some_and(|limit| self.nodes >= limit);
        self.halted
    }
}
