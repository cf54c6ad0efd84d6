//! Time controls of a match and the clock of one player in one game.

use crate::base;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, time::Duration};

/// What the players' clocks count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ClockSource {
    /// The time from the question to the answer.
    #[default]
    Wall,
    /// The processor time that the player's process takes for the answer, with all that it started.
    Cpu,
}

impl ClockSource {
    /// How seconds of it are called.
    pub fn seconds(self) -> &'static str {
        match self {
            ClockSource::Wall => "s",
            ClockSource::Cpu => "CPU s",
        }
    }
}

/// How much time the players have. `Display` and `FromStr` are inverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeControl {
    /// So much for each move.
    PerMove(Duration),
    Game(GameTime),
}

/// A main time, and what comes on top of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GameTime {
    pub main: Duration,
    /// Added after each move (Fischer).
    pub increment: Duration,
    /// The first part of each move that costs nothing (Bronstein).
    pub delay: Duration,
    pub overtime: Option<Overtime>,
}

/// What begins when the main time is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// `period` for every `moves` moves.
    Canadian { period: Duration, moves: u32 },
    /// Each move within `period`; one that takes longer uses up one of the `periods`.
    Japanese { period: Duration, periods: u32 },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time control: {why} (write 300, 5:00+2, move=1, or main=300 with inc=, delay=, byo= and \
     moves= or periods=)"
)]
pub struct NotATimeControl {
    text: String,
    why: String,
}

impl FromStr for TimeControl {
    type Err = NotATimeControl;

    fn from_str(text: &str) -> Result<Self, NotATimeControl> {
        parse(text).map_err(|why| NotATimeControl { text: text.into(), why })
    }
}

fn parse(text: &str) -> Result<TimeControl, String> {
    if !text.contains('=') {
        let (main, increment) = text.split_once('+').unwrap_or((text, "0"));
        let time = GameTime { main: duration(main)?, increment: duration(increment)?, ..GameTime::default() };
        return nonzero(TimeControl::Game(time));
    }
    let mut time = GameTime::default();
    let (mut per_move, mut period, mut moves, mut periods) = (None, None, None, None);
    for part in text.split(',') {
        let (key, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is not NAME=VALUE"))?;
        match key.trim() {
            "move" => per_move = Some(duration(value)?),
            "main" => time.main = duration(value)?,
            "inc" => time.increment = duration(value)?,
            "delay" => time.delay = duration(value)?,
            "byo" => period = Some(duration(value)?),
            "moves" => moves = Some(count(value)?),
            "periods" => periods = Some(count(value)?),
            other => return Err(format!("`{other}` is unknown")),
        }
    }
    time.overtime = match (period, moves, periods) {
        (None, None, None) => None,
        (Some(period), Some(moves), None) => Some(Overtime::Canadian { period, moves }),
        (Some(period), None, periods) => Some(Overtime::Japanese { period, periods: periods.unwrap_or(1) }),
        (Some(_), Some(_), Some(_)) => return Err("moves and periods exclude each other".into()),
        (None, _, _) => return Err("moves and periods need byo".into()),
    };
    match per_move {
        Some(each) if time == GameTime::default() => nonzero(TimeControl::PerMove(each)),
        Some(_) => Err("move stands alone".into()),
        None => nonzero(TimeControl::Game(time)),
    }
}

fn nonzero(control: TimeControl) -> Result<TimeControl, String> {
    match Clock::new(control).limit() {
        Duration::ZERO => Err("no time at all".into()),
        _ => Ok(control),
    }
}

/// Seconds, or `minutes:seconds`, or `hours:minutes:seconds`; decimals allowed.
fn duration(text: &str) -> Result<Duration, String> {
    let bad = || format!("`{text}` is not a time");
    let mut seconds = 0.0;
    for part in text.trim().split(':') {
        if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return Err(bad());
        }
        seconds = seconds * 60.0 + part.parse::<f64>().map_err(|_| bad())?;
    }
    if seconds > 1e7 { Err(bad()) } else { Ok(Duration::from_millis((seconds * 1000.0).round() as u64)) }
}

fn count(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(n @ 1..=1000) => Ok(n),
        _ => Err(format!("`{text}` is not a number from 1 to 1000")),
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |d: Duration| d.as_secs_f64();
        match self {
            TimeControl::PerMove(each) => write!(f, "move={}", s(*each)),
            TimeControl::Game(t) if t.delay.is_zero() && t.overtime.is_none() => {
                write!(f, "{}+{}", s(t.main), s(t.increment))
            }
            TimeControl::Game(t) => {
                write!(f, "main={},inc={},delay={}", s(t.main), s(t.increment), s(t.delay))?;
                match t.overtime {
                    None => Ok(()),
                    Some(Overtime::Canadian { period, moves }) => write!(f, ",byo={},moves={moves}", s(period)),
                    Some(Overtime::Japanese { period, periods }) => write!(f, ",byo={},periods={periods}", s(period)),
                }
            }
        }
    }
}

/// One player's clock in one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    /// What is left of the main time.
    left: Duration,
    /// Canadian: time and moves left in the running period. Japanese: the period and the periods left.
    running: Option<(Duration, u32)>,
}

/// The flag fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOver;

impl Clock {
    pub fn new(control: TimeControl) -> Clock {
        let left = match control {
            TimeControl::PerMove(each) => each,
            TimeControl::Game(time) => time.main,
        };
        let mut clock = Clock { control, left, running: None };
        if left.is_zero() {
            clock.enter_overtime();
        }
        clock
    }

    fn enter_overtime(&mut self) {
        if let TimeControl::Game(GameTime { overtime: Some(overtime), .. }) = self.control {
            self.running = Some(match overtime {
                Overtime::Canadian { period, moves } => (period, moves),
                Overtime::Japanese { period, periods } => (period, periods),
            });
        }
    }

    /// The longest this move may take.
    pub fn limit(&self) -> Duration {
        match self.control {
            TimeControl::PerMove(each) => each,
            TimeControl::Game(time) => {
                let overtime = match (time.overtime, self.running) {
                    (None, _) => Duration::ZERO,
                    (Some(Overtime::Canadian { period, .. }), running) => running.map_or(period, |r| r.0),
                    (Some(Overtime::Japanese { period, periods }), running) => {
                        period * running.map_or(periods, |r| r.1)
                    }
                };
                self.left + time.delay + overtime
            }
        }
    }

    /// Accounts for a move that took `elapsed`. What goes beyond the limit by no more than `margin` is forgiven.
    pub fn spend(&mut self, elapsed: Duration, margin: Duration) -> Result<(), TimeOver> {
        let limit = self.limit();
        if elapsed > limit + margin {
            return Err(TimeOver);
        }
        let elapsed = elapsed.min(limit);
        let TimeControl::Game(time) = self.control else { return Ok(()) };
        let cost = elapsed.saturating_sub(time.delay);
        if self.running.is_none() && cost <= self.left {
            self.left = self.left - cost + time.increment;
            if self.left.is_zero() {
                self.enter_overtime();
            }
            return Ok(());
        }
        let beyond = cost.saturating_sub(self.left);
        self.left = self.left.saturating_sub(cost);
        if self.running.is_none() {
            self.enter_overtime();
        }
        self.spend_overtime(time.overtime, beyond);
        self.left += time.increment;
        Ok(())
    }

    fn spend_overtime(&mut self, overtime: Option<Overtime>, cost: Duration) {
        self.running = match (overtime, self.running) {
            (Some(Overtime::Canadian { period, moves }), Some((left, to_go))) => {
                if to_go <= 1 {
                    Some((period, moves))
                } else {
                    Some((left.saturating_sub(cost), to_go - 1))
                }
            }
            (Some(Overtime::Japanese { period, .. }), Some((_, periods))) => {
                // A move that takes exactly the period keeps it; one beyond it uses it up. The last one is never
                // given away: the limit has seen to that.
                let used = cost.as_nanos().saturating_sub(1) / period.as_nanos().max(1);
                Some((period, periods.saturating_sub(used as u32).max(1)))
            }
            _ => None,
        };
    }

    /// As the engines are told.
    pub fn view(&self) -> base::Clock {
        match self.control {
            TimeControl::PerMove(each) => base::Clock {
                left: each,
                increment: Duration::ZERO,
                byoyomi: Some(base::Byoyomi { period: each, stones: 1, stones_left: Some(1) }),
            },
            TimeControl::Game(time) => base::Clock {
                left: self.running.map_or(self.left, |r| r.0 + self.left),
                increment: time.increment,
                byoyomi: time.overtime.map(|overtime| self.byoyomi(overtime)),
            },
        }
    }

    fn byoyomi(&self, overtime: Overtime) -> base::Byoyomi {
        match overtime {
            Overtime::Canadian { period, moves } => {
                base::Byoyomi { period, stones: moves, stones_left: self.running.map(|r| r.1) }
            }
            Overtime::Japanese { period, .. } => {
                base::Byoyomi { period, stones: 1, stones_left: self.running.map(|_| 1) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn clock(text: &str) -> Clock {
        Clock::new(text.parse().unwrap())
    }

    #[test]
    fn every_spelling_goes_round() {
        for text in [
            "300",
            "5:00+2",
            "1:00:00",
            "0.5+0.05",
            "move=1.5",
            "main=60,delay=2",
            "main=600,byo=30,moves=5",
            "main=60,byo=10,periods=3",
            "byo=5",
        ] {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!(control.to_string().parse(), Ok(control), "{text} → {control}");
        }
        for bad in ["", "x", "0", "1:", "-3", "move=1,main=2", "moves=3", "byo=1,moves=2,periods=3", "foo=1", "1e9"] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sudden_death() {
        let mut clock = clock("10");
        assert_eq!(clock.spend(4 * S, Duration::ZERO), Ok(()));
        assert_eq!(clock.view().left, 6 * S);
        assert_eq!(clock.spend(6 * S + S / 10, Duration::ZERO), Err(TimeOver));
        // The margin forgives a little, once and again, but gives no time.
        assert_eq!(clock.spend(6 * S + S / 10, S / 5), Ok(()));
        assert_eq!(clock.limit(), Duration::ZERO);
        assert_eq!(clock.spend(S / 10, S / 5), Ok(()));
        assert_eq!(clock.spend(S / 4, S / 5), Err(TimeOver));
    }

    #[test]
    fn increments_come_after_the_move() {
        let mut clock = clock("10+2");
        assert_eq!(clock.limit(), 10 * S);
        clock.spend(10 * S, Duration::ZERO).unwrap();
        assert_eq!(clock.limit(), 2 * S);
        clock.spend(S, Duration::ZERO).unwrap();
        assert_eq!(clock.limit(), 3 * S);
    }

    #[test]
    fn a_delay_is_free() {
        let mut clock = clock("main=10,delay=2");
        assert_eq!(clock.limit(), 12 * S);
        clock.spend(S, Duration::ZERO).unwrap();
        assert_eq!(clock.view().left, 10 * S);
        clock.spend(5 * S, Duration::ZERO).unwrap();
        assert_eq!(clock.view().left, 7 * S);
    }

    #[test]
    fn canadian_overtime() {
        let mut clock = clock("main=10,byo=6,moves=2");
        assert_eq!(clock.limit(), 16 * S);
        clock.spend(12 * S, Duration::ZERO).unwrap();
        assert_eq!(clock.view().left, 4 * S);
        assert_eq!(clock.view().byoyomi.unwrap().stones_left, Some(1));
        assert_eq!(clock.limit(), 4 * S);
        clock.spend(3 * S, Duration::ZERO).unwrap();
        assert_eq!((clock.limit(), clock.view().byoyomi.unwrap().stones_left), (6 * S, Some(2)));
        assert_eq!(clock.spend(7 * S, Duration::ZERO), Err(TimeOver));
    }

    #[test]
    fn japanese_overtime() {
        let mut clock = clock("main=5,byo=10,periods=3");
        assert_eq!(clock.limit(), 35 * S);
        clock.spend(15 * S, Duration::ZERO).unwrap();
        assert_eq!(clock.limit(), 30 * S, "exactly one period keeps it");
        clock.spend(11 * S, Duration::ZERO).unwrap();
        assert_eq!(clock.limit(), 20 * S);
        clock.spend(9 * S, Duration::ZERO).unwrap();
        assert_eq!(clock.limit(), 20 * S);
        clock.spend(20 * S, Duration::ZERO).unwrap();
        assert_eq!(clock.limit(), 10 * S);
        assert_eq!(clock.spend(10 * S + S / 2, Duration::ZERO), Err(TimeOver));
    }

    #[test]
    fn per_move_time_does_not_add_up() {
        let mut clock = clock("move=1");
        clock.spend(S / 10, Duration::ZERO).unwrap();
        assert_eq!(clock.limit(), S);
        assert_eq!(clock.spend(S + S / 10, Duration::ZERO), Err(TimeOver));
    }
}
