//! How long a search may take: clocks as the protocols give them, and the budget for one move made of them.

use super::{Colour, cpu};
use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

/// What counts as time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeSource {
    /// The clock on the wall.
    #[default]
    Wall,
    /// Processor time of the thread that looks: for work on one thread.
    Thread,
    /// Processor time of the whole process.
    Process,
}

impl TimeSource {
    /// How the option is spelt.
    pub const NAMES: &'static [&'static str] = &["wall", "cpu"];

    /// Processor time for work on so many threads. On a single one it is told apart from everything else in the process.
    pub fn cpu(threads: usize) -> TimeSource {
        if threads > 1 { TimeSource::Process } else { TimeSource::Thread }
    }

    /// Whether the system knows it.
    pub fn is_known(self) -> bool {
        match self {
            TimeSource::Wall => true,
            TimeSource::Thread => cpu::of_thread().is_some(),
            TimeSource::Process => cpu::of_process().is_some(),
        }
    }

    /// Time since some moment; the wall clock where the system knows no other (see [`TimeSource::is_known`]).
    fn now(self) -> Duration {
        static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
        let used = match self {
            TimeSource::Wall => None,
            TimeSource::Thread => cpu::of_thread(),
            TimeSource::Process => cpu::of_process(),
        };
        used.unwrap_or_else(|| BEGAN.elapsed())
    }
}

/// Counts time from its start on.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    source: TimeSource,
    began: Duration,
}

impl Stopwatch {
    pub fn start(source: TimeSource) -> Stopwatch {
        Stopwatch { source, began: source.now() }
    }

    /// With [`TimeSource::Thread`] it has to be asked on the thread that started it.
    pub fn elapsed(&self) -> Duration {
        self.source.now().saturating_sub(self.began)
    }
}

/// What one search may use. Nothing set: until it is finished or stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Positions or playouts that may be searched.
    pub nodes: Option<u64>,
    /// Time that may be used.
    pub time: Option<Budget>,
    /// What the time is counted by.
    pub clock: TimeSource,
}

impl Limits {
    /// No limit at all.
    pub const NONE: Limits = Limits { nodes: None, time: None, clock: TimeSource::Wall };
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
    fn stopwatches_count_what_they_are_told_to() {
        let watches = [TimeSource::Wall, TimeSource::Thread].map(Stopwatch::start);
        std::thread::sleep(Duration::from_millis(60));
        let [wall, thread] = watches.map(|watch| watch.elapsed());
        assert!(wall >= Duration::from_millis(60));
        if TimeSource::Thread.is_known() {
            assert!(thread < Duration::from_millis(50), "a thread that sleeps uses nothing");
        }
        assert_eq!((TimeSource::cpu(1), TimeSource::cpu(2)), (TimeSource::Thread, TimeSource::Process));
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
