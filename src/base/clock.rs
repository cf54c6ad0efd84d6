//! How long a search may take: clocks as the protocols give them, and the budget for one move made of them.

use super::Colour;
use std::time::Duration;

/// What one search may use. Nothing set: until it is finished or stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Positions or playouts that may be searched.
    pub nodes: Option<u64>,
    /// Time that may be used.
    pub time: Option<Budget>,
}

impl Limits {
    /// No limit at all.
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

impl Clock {
    /// A move took `used`: what the clock shows after it.
    pub fn spend(&mut self, used: Duration) {
        let over = used.saturating_sub(self.left);
        self.left = self.left.saturating_sub(used) + self.increment;
        let Some(byoyomi) = &mut self.byoyomi else { return };
        match byoyomi.stones_left {
            Some(n) if n > 1 => byoyomi.stones_left = Some(n - 1),
            // The last move of a period, or the first beyond the main time, begins a new period.
            Some(_) => (self.left, byoyomi.stones_left) = (byoyomi.period, Some(byoyomi.stones)),
            None if self.left.is_zero() => {
                let begun = over > Duration::ZERO;
                self.left = byoyomi.period.saturating_sub(over);
                byoyomi.stones_left = Some(byoyomi.stones.saturating_sub(begun.into()).max(1));
            }
            None => {}
        }
    }
}

/// Both players' clocks in a game, as far as it is played with clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clocks {
    /// What each player begins a game with.
    start: Option<Clock>,
    now: [Option<Clock>; 2],
}

impl Clocks {
    /// Both have `clock`, in this game and in those that follow.
    pub fn set(&mut self, clock: Option<Clock>) {
        self.start = clock;
        self.restart();
    }

    /// A new game begins.
    pub fn restart(&mut self) {
        self.now = [self.start; 2];
    }

    /// What the clocks of this game show, black's first.
    pub fn show(&mut self, now: [Option<Clock>; 2]) {
        self.now = now;
    }

    pub fn of(&self, colour: Colour) -> Option<&Clock> {
        self.now[colour.index()].as_ref()
    }

    pub fn put(&mut self, colour: Colour, clock: Clock) {
        self.now[colour.index()] = Some(clock);
    }

    /// A move of `colour` took `used`.
    pub fn spend(&mut self, colour: Colour, used: Duration) {
        if let Some(clock) = &mut self.now[colour.index()] {
            clock.spend(used);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Byoyomi {
    pub period: Duration,
    pub stones: u32,
    /// Moves still to be made in the running period; `None` while main time lasts.
    pub stones_left: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn increments_come_after_the_move() {
        let mut clock = Clock { left: seconds(5), increment: seconds(1), byoyomi: None };
        clock.spend(seconds(2));
        assert_eq!(clock.left, seconds(4));
        clock.spend(seconds(9));
        assert_eq!(clock.left, seconds(1));
    }

    #[test]
    fn byoyomi_begins_when_the_main_time_ends_and_starts_anew_after_its_stones() {
        let byoyomi = Byoyomi { period: seconds(10), stones: 2, stones_left: None };
        let mut clock = Clock { left: seconds(5), increment: Duration::ZERO, byoyomi: Some(byoyomi) };
        clock.spend(seconds(8));
        assert_eq!((clock.left, clock.byoyomi.unwrap().stones_left), (seconds(7), Some(1)));
        clock.spend(seconds(6));
        assert_eq!((clock.left, clock.byoyomi.unwrap().stones_left), (seconds(10), Some(2)));
    }
}
