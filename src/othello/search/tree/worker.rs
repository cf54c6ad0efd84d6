//! One thread of a search: its counters, its own cache, and its link to what all threads share.

use super::{
    endgame::Lists,
    ordering::Candidate,
    parallel::{Pool, Split},
};
use crate::{
    base::Stopwatch,
    othello::{
        eval::Weights,
        search::{cache::Cache, table::Table},
    },
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// How many nodes may pass between two looks at the clock and the stop flag: well under a millisecond.
const POLL_EVERY: u64 = 4096;

/// What every thread of one search sees.
pub(super) struct Shared<'a> {
    pub table: &'a Table,
    pub weights: &'a Weights,
    pub stop: &'a AtomicBool,
    /// A stopwatch, and what it may not come to.
    pub deadline: Option<(Stopwatch, Duration)>,
    pub node_limit: Option<u64>,
    /// From this depth on a search to the end has a rough one go before it at every node that has seen none: its best moves
    /// are worth far more than any other order.
    pub rough_first: u32,
    /// The first, rough pass to the end may also be the last, and has to be quick. Otherwise it only leads up to surer ones.
    pub quick_first: bool,
    /// Nodes of all threads, brought up to date now and then.
    pub nodes: AtomicU64,
    /// Likewise [`Worker::made`].
    pub made: AtomicU64,
    pub pool: Pool,
}

pub(super) struct Worker<'a> {
    pub shared: &'a Shared<'a>,
    pub cache: &'a mut Cache,
    pub nodes: u64,
    /// Positions that were made to put moves in order or to look them up, over and above the nodes.
    pub made: u64,
    /// Told to stop: what the running functions return means nothing any more.
    pub halted: bool,
    /// By empty squares: the move that was last good enough one ply before the horizon.
    pub killers: [u8; 64],
    /// While the first iteration runs nothing may stop it.
    pub uninterruptible: bool,
    next_poll: u64,
    /// [`Pool::cuts`] as it was when this thread last looked whether its split had been cut.
    pub cuts_seen: Option<usize>,
    /// What has been added to the nodes of all threads, and to what they made.
    flushed: [u64; 2],
    /// The innermost split this thread works for.
    pub split: Option<Arc<Split>>,
    /// The moves of all nodes on the way to the current one.
    pub stack: Vec<Candidate>,
    /// The same for the endgame layers.
    pub lists: Box<Lists>,
}

impl<'a> Worker<'a> {
    pub fn new(shared: &'a Shared<'a>, cache: &'a mut Cache) -> Worker<'a> {
        Worker {
            shared,
            cache,
            nodes: 0,
            made: 0,
            halted: false,
            killers: [0; 64],
            uninterruptible: false,
            next_poll: 0,
            cuts_seen: None,
            flushed: [0; 2],
            split: None,
            stack: Vec::new(),
            lists: Box::default(),
        }
    }

    /// Must this search end?
    #[inline]
    pub fn poll(&mut self) -> bool {
        if self.nodes >= self.next_poll {
            return self.look_up();
        }
        // Asked every time: much of what a split holds takes less than the time between two looks at the clock.
        if let Some(split) = &self.split {
            let cuts = Some(self.shared.pool.cuts());
            if self.cuts_seen != cuts {
                self.cuts_seen = cuts;
                self.halted |= split.is_cut();
            }
        }
        self.halted
    }

    #[cold]
    fn look_up(&mut self) -> bool {
        self.next_poll = self.nodes + POLL_EVERY;
        self.flush();
        self.halted |= self.is_pointless();
        self.halted
    }

    /// Adds what was counted since the last time to what all threads have counted.
    pub fn flush(&mut self) {
        let [nodes, made] = self.flushed;
        self.shared.nodes.fetch_add(self.nodes - nodes, Ordering::Relaxed);
        self.shared.made.fetch_add(self.made - made, Ordering::Relaxed);
        self.flushed = [self.nodes, self.made];
    }

    /// Has the search been stopped, or has a thread found what makes the work of this one superfluous?
    pub fn is_pointless(&self) -> bool {
        let shared = self.shared;
        if self.split.as_ref().is_some_and(|split| split.is_cut()) {
            return true;
        }
        !self.uninterruptible
            && (shared.stop.load(Ordering::Relaxed)
                || shared.deadline.is_some_and(|(watch, end)| watch.elapsed() >= end)
                || shared.node_limit.is_some_and(|limit| shared.nodes.load(Ordering::Relaxed) >= limit))
    }
}
