//! The players of a match behind one small trait, whatever language they speak.

mod adapter;
mod console;
mod gtp;
mod nboard;
mod own;

pub use adapter::{Adapter, BUILT_IN as BUILT_IN_ADAPTERS, fill, unfilled};
pub use console::ConsolePlayer;
pub use gtp::{GtpHabits, GtpPlayer};
pub use nboard::NboardPlayer;
pub use own::{Maker, OwnPlayer};

use super::{
    clock::{ClockSource, TimeControl},
    process::{Line, NoLine, Process},
    record::Ply,
    referee::GameKind,
};
use crate::base::{Clock, Colour};
use std::time::{Duration, Instant};

/// What a player is told before its first move.
pub struct Setup<'a> {
    pub game: GameKind,
    /// The side this player has.
    pub colour: Colour,
    /// 64 squares and the side to move; `None` for the normal start of the game.
    pub position: Option<&'a str>,
    pub opening: &'a [Ply],
    /// Black's and white's.
    pub controls: [Option<TimeControl>; 2],
    pub names: [&'a str; 2],
}

/// What a player is told when it is to move.
pub struct Turn {
    pub colour: Colour,
    /// Black's and white's.
    pub clocks: [Option<Clock>; 2],
    pub patience: Patience,
}

/// How long an answer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// After this no answer counts.
    pub wall: Duration,
    /// Nor after so much processor time.
    pub cpu: Option<Duration>,
}

impl From<Duration> for Patience {
    fn from(wall: Duration) -> Patience {
        Patience { wall, cpu: None }
    }
}

/// A player's move.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// As the player wrote it.
    pub text: String,
    pub thought: Thought,
    /// From the question to the answer, by the clock of the match.
    pub elapsed: Duration,
}

/// What the player said about its move.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Thought {
    /// In discs or points, seen by the mover.
    pub value: Option<f64>,
    /// As the player writes it: `12`, `21@73%`, `100%`.
    pub depth: Option<String>,
    pub nodes: Option<u64>,
}

/// A player let us down. It loses the game it is in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("could not be started: {0}")]
    Start(String),
    #[error("died ({0})")]
    Crash(String),
    #[error("closed its input")]
    InputClosed,
    #[error("closed its output")]
    OutputClosed,
    #[error("did not answer `{asked}` within {:.1} s", .after.as_secs_f64())]
    Silence { asked: String, after: Duration },
    #[error("had not moved after {:.3} s of processor time", .0.as_secs_f64())]
    TimeOver(Duration),
    #[error("the processor time it used is not known: {0}")]
    NoTime(String),
    #[error("answered `{asked}` with `{answer}`")]
    Garbage { asked: String, answer: String },
    #[error("refused `{asked}`: {answer}")]
    Refused { asked: String, answer: String },
    /// Not a fault of the player: the match is being stopped.
    #[error("stopped")]
    Stopped,
}

/// One side of a game.
pub trait Player: Send {
    fn new_game(&mut self, setup: &Setup) -> Result<(), Failure>;

    /// Asks for a move. The player itself plays it only when [`Player::played`] says so.
    fn think(&mut self, turn: &Turn) -> Result<Answer, Failure>;

    /// A legal move was made: by this player when it was just asked (`own`), by the other, or by the rules (a pass).
    fn played(&mut self, ply: &Ply, own: bool) -> Result<(), Failure>;

    /// Go: the stones it takes to be dead at the end of the game, if it can say.
    fn dead_stones(&mut self) -> Option<Vec<String>> {
        None
    }

    fn is_alive(&mut self) -> bool;

    /// The end of the match.
    fn leave(self: Box<Self>);
}

/// What can be asked of a player; found out when it is started, before the first game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abilities {
    /// As it calls itself.
    pub title: String,
    /// Can start from any position, not only from the normal one.
    pub positions: bool,
    /// Can be told the clock.
    pub clocks: bool,
    /// Can be told a fixed time per move.
    pub move_time: bool,
}

/// The process and what all languages need of it.
pub struct Talk {
    process: Process,
    /// For everything but thinking.
    patience: Duration,
    /// What thinking is counted in.
    clock: ClockSource,
}

/// The moment of a question.
#[derive(Debug, Clone, Copy)]
struct Since {
    at: Instant,
    /// What the process had used.
    cpu: Option<Duration>,
}

/// How often a process is asked what it has used, while its answer is waited for.
const CPU_LOOK: Duration = Duration::from_millis(50);

impl Talk {
    pub fn new(process: Process, patience: Duration, clock: ClockSource) -> Talk {
        Talk { process, patience, clock }
    }

    /// A question is about to be put.
    fn now(&self) -> Result<Since, Failure> {
        let cpu = match self.clock {
            ClockSource::Wall => None,
            ClockSource::Cpu => Some(self.cpu_time()?),
        };
        Ok(Since { at: Instant::now(), cpu })
    }

    fn cpu_time(&self) -> Result<Duration, Failure> {
        self.process.cpu_time().map_err(|error| Failure::NoTime(error.to_string()))
    }

    /// What the answer in this line has cost.
    fn elapsed(&self, since: Since, line: &Line) -> Result<Duration, Failure> {
        match since.cpu {
            None => Ok(line.at.saturating_duration_since(since.at)),
            Some(before) => Ok(self.cpu_time()?.saturating_sub(before)),
        }
    }

    fn send(&mut self, line: &str) {
        self.process.send(line);
    }

    fn line(&mut self, asked: &str, since: Since, patience: Patience) -> Result<Line, Failure> {
        let deadline = since.at + patience.wall;
        loop {
            let limited = patience.cpu.zip(since.cpu);
            let until = if limited.is_some() { deadline.min(Instant::now() + CPU_LOOK) } else { deadline };
            let why = match self.process.line(until) {
                Ok(line) => return Ok(line),
                Err(why) => why,
            };
            if let (NoLine::Late, Some((limit, before))) = (&why, limited) {
                if self.cpu_time()?.saturating_sub(before) > limit {
                    return Err(Failure::TimeOver(limit));
                }
                if Instant::now() < deadline {
                    continue;
                }
            }
            return Err(match why {
                NoLine::Late => Failure::Silence { asked: asked.into(), after: patience.wall },
                NoLine::Dead(how) => Failure::Crash(how),
                NoLine::InputClosed => Failure::InputClosed,
                NoLine::OutputClosed => Failure::OutputClosed,
                NoLine::Stopped => Failure::Stopped,
            });
        }
    }

    /// Sends `asked`, then reads lines until `wanted` is content with one.
    fn ask<T>(
        &mut self,
        asked: &str,
        patience: impl Into<Patience>,
        mut wanted: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Duration), Failure> {
        self.process.drain();
        let (since, patience) = (self.now()?, patience.into());
        self.send(asked);
        loop {
            let line = self.line(asked, since, patience)?;
            if let Some(found) = wanted(&line.text) {
                return Ok((found, self.elapsed(since, &line)?));
            }
        }
    }
}

/// A number that may carry a sign and nothing else; engines write `+2.00`, `-0`, `3`.
fn number(text: &str) -> Option<f64> {
    let digits = text.trim_start_matches(['+', '-']);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_of_engines() {
        assert_eq!(number("+02"), Some(2.0));
        assert_eq!(number("-1.50"), Some(-1.5));
        for bad in ["", "-", "inf", "nan", "1e3", "--1", "."] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }
}
