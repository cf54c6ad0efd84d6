//! How long a search may take: clocks as the protocols give them, and the budget for one move made of them.

use std::time::Duration;

/// What one search may use. Nothing set: until it is finished or stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    pub nodes: Option<u64>,
    pub time: Option<Budget>,
}

impl Limits {
    pub const NONE: Limits = Limits { nodes: None, time: None };
}

/// The time for one move: begin nothing new after `soft`, be back by `hard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub soft: Duration,
    pub hard: Duration,
}

impl Budget {
    /// A fixed time for this move, to be used up but not overstepped.
    pub fn exactly(time: Duration) -> Budget {
        Budget { soft: time, hard: time }
    }
}

/// A player's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// What is left of the main time, or of the current byo-yomi period.
    pub left: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// After the main time: so much for every `stones` moves (GTP).
    pub byoyomi: Option<Byoyomi>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Byoyomi {
    pub period: Duration,
    pub stones: u32,
    /// Moves still to be made in the running period; `None` while main time lasts.
    pub stones_left: Option<u32>,
}
