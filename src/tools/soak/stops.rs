//! How soon every command ends when it is told to: in a process that has worked before, and as its very first command.

use super::{
    cases::{self, Case, Kind, Speech},
    client::{Client, Launch, PATIENCE},
};
use crate::{base::Rng, engine::Game};
use std::{
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

/// How long a command works before it is stopped, at most.
const LONGEST_PAUSE_MICROS: usize = 80_000;
const LONG_PAUSE_MICROS: usize = 1_000_000;

#[derive(Debug, Clone)]
pub struct Plan<'a> {
    /// Of each command, so many times.
    pub stops: usize,
    /// What 99 of 100 may not exceed.
    pub within: Duration,
    /// Only commands with this in their name.
    pub only: &'a str,
    pub seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// The first command of a process.
    First,
    /// One of many in the same process.
    Later,
}

/// What was measured of one command.
struct Measured {
    times: Vec<Duration>,
    /// So many times it was still at work.
    running: usize,
    /// What was said when no answer came.
    silent: Option<String>,
}

impl Measured {
    /// The time that so many of a hundred do not exceed.
    fn percentile(&self, percent: usize) -> Duration {
        let index = (self.times.len() * percent).div_ceil(100).saturating_sub(1);
        self.times.get(index).copied().unwrap_or_default()
    }
}

/// Tries every command and prints a table; true if all are soon enough.
pub fn measure(plan: &Plan<'_>, folder: &Path, out: &mut dyn Write) -> io::Result<bool> {
    writeln!(
        out,
        "{:<28} {:<8} {:<6} {:>6} {:>8} {:>9} {:>9} {:>9}",
        "command", "game", "when", "tries", "at work", "median ms", "p99 ms", "worst ms"
    )?;
    let mut rng = Rng::new(plan.seed);
    let (mut tried, mut late) = (0, 0);
    for case in cases::all().filter(|case| case.name.contains(plan.only)) {
        for moment in moments(case.kind) {
            let measured = try_often(case, *moment, plan, folder, &mut rng)?;
            tried += 1;
            late += usize::from(!row(case, *moment, &measured, plan.within, out)?);
        }
    }
    writeln!(out, "{tried} rows, {late} later than {} ms", plan.within.as_millis())?;
    if tried == 0 {
        return Err(io::Error::other(format!("no command has `{}` in its name", plan.only)));
    }
    Ok(late == 0)
}

fn moments(kind: Kind) -> &'static [Moment] {
    match kind {
        Kind::Quick => &[Moment::Later],
        Kind::Long | Kind::Endless => &[Moment::Later, Moment::First],
        Kind::Leaves => &[Moment::First],
    }
}

/// Prints a row of the table; true if it is soon enough.
fn row(case: &Case, moment: Moment, measured: &Measured, within: Duration, out: &mut dyn Write) -> io::Result<bool> {
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let soon = measured.percentile(99) <= within && measured.silent.is_none();
    let moment = if moment == Moment::First { "first" } else { "later" };
    let [median, p99, worst] = [50, 99, 100].map(|percent| ms(measured.percentile(percent)));
    writeln!(
        out,
        "{:<28} {:<8} {moment:<6} {:>6} {:>8} {median:>9.1} {p99:>9.1} {worst:>9.1}{}",
        case.name,
        case.game.name(),
        measured.times.len(),
        if case.kind == Kind::Quick { "-".into() } else { measured.running.to_string() },
        if soon { "" } else { "  LATE" }
    )?;
    if let Some(dialogue) = &measured.silent {
        writeln!(out, "no answer:\n{dialogue}")?;
    }
    out.flush()?;
    Ok(soon)
}

fn try_often(case: &Case, moment: Moment, plan: &Plan<'_>, folder: &Path, rng: &mut Rng) -> io::Result<Measured> {
    let mut measured = Measured { times: Vec::new(), running: 0, silent: None };
    let mut client: Option<Trial> = None;
    for _ in 0..plan.stops {
        // Half of the first commands are stopped about when all that is made once has been made.
        let long = moment == Moment::First && case.kind != Kind::Leaves && rng.below(2) == 0;
        let pause = rng.below(if long { LONG_PAUSE_MICROS } else { LONGEST_PAUSE_MICROS });
        let pause = Duration::from_micros(pause as u64);
        let mut trial = match client.take() {
            Some(trial) => trial,
            None => Trial::start(case, folder)?,
        };
        let Some((time, running)) = trial.stop(case, pause) else {
            measured.times.push(PATIENCE);
            measured.silent = Some(trial.client.dialogue());
            break;
        };
        measured.times.push(time);
        measured.running += usize::from(running);
        client = Some(trial).filter(|_| moment == Moment::Later && case.kind != Kind::Leaves);
    }
    measured.times.sort();
    Ok(measured)
}

/// A process in which a command is tried.
struct Trial {
    client: Client,
    speech: Speech,
    marks: u64,
}

impl Trial {
    fn start(case: &Case, folder: &Path) -> io::Result<Trial> {
        let mut args = vec![case.speech.name()];
        match case.game {
            Game::Othello => args.extend(["--level", "60", "--hash", "18"]),
            Game::Go => args.extend(["--game", "go", "--move-time", "600", "--memory", "64"]),
        }
        if case.game == Game::Othello {
            args.extend(["--book", if case.book { "big.skbook" } else { "none" }]);
        }
        let client = Launch::new(folder, &args).start()?;
        let mut trial = Trial { client, speech: case.speech, marks: 0 };
        // The process is there; nothing has been asked of its engine.
        if case.speech != Speech::Standalone {
            trial.mark();
            trial.wait_for_mark();
        }
        Ok(trial)
    }

    /// Asks for a line that nothing else answers.
    fn mark(&mut self) -> Instant {
        self.marks += 1;
        let n = 1_000_000 + self.marks;
        self.client.send(&match self.speech {
            Speech::Console => format!("echo mark-{n}"),
            Speech::Gtp => format!("{n} protocol_version"),
            Speech::Nboard => format!("ping {n}"),
            // A command that nobody knows is answered in its place.
            Speech::Uci => format!("mark-{n}"),
            Speech::Json => format!(r#"{{"id":"mark-{n}","command":"echo heard"}}"#),
            // So is a query without a board.
            Speech::Katago => format!(r#"{{"id":"mark-{n}"}}"#),
            Speech::Standalone => "quit".into(),
        })
    }

    fn fits(&self) -> impl Fn(&str) -> bool + use<> {
        let n = 1_000_000 + self.marks;
        let whole = match self.speech {
            Speech::Console => format!("mark-{n}"),
            Speech::Gtp => format!("={n} 2"),
            Speech::Nboard => format!("pong {n}"),
            Speech::Uci => format!("info string error: unknown command `mark-{n}`"),
            Speech::Json | Speech::Standalone => format!(r#"{{"id":"mark-{n}""#),
            Speech::Katago => format!(r#""id":"mark-{n}"}}"#),
        };
        let speech = self.speech;
        move |line: &str| match speech {
            Speech::Json => line.starts_with(&whole),
            Speech::Katago => line.ends_with(&whole),
            _ => line == whole,
        }
    }

    fn wait_for_mark(&mut self) -> Option<Instant> {
        let fits = self.fits();
        self.client.wait_for(fits)
    }

    /// The answer to the mark has come already.
    fn is_marked(&mut self) -> bool {
        let fits = self.fits();
        while let Some((_, line)) = self.client.line_within(Duration::ZERO) {
            if fits(&line) {
                return true;
            }
        }
        false
    }

    fn stop_line(&mut self) -> Option<Instant> {
        Some(match self.speech {
            Speech::Console | Speech::Uci => self.client.send("stop"),
            Speech::Gtp => self.client.send("# interrupt"),
            Speech::Json => self.client.send(r#"{"stop":true}"#),
            Speech::Katago => self.client.send(r#"{"id":"stop","action":"terminate_all"}"#),
            // The mark is the stop.
            Speech::Nboard | Speech::Standalone => return None,
        })
    }

    /// Begins the command, stops it after a pause, and says how long that took and whether it was still at work.
    fn stop(&mut self, case: &Case, pause: Duration) -> Option<(Duration, bool)> {
        case.before.iter().for_each(|line| _ = self.client.send(line));
        if case.kind == Kind::Leaves {
            std::thread::sleep(pause);
            let asked = self.client.send(case.line);
            self.client.rest();
            return Some((asked.elapsed(), true));
        }
        if !case.before.is_empty() {
            self.mark();
            self.wait_for_mark()?;
        }
        let began = self.client.send(case.line);
        match case.kind {
            Kind::Quick => {
                self.mark();
                Some((self.wait_for_mark()?.saturating_duration_since(began), false))
            }
            Kind::Long if self.speech != Speech::Nboard => {
                self.mark();
                std::thread::sleep(pause);
                if self.is_marked() {
                    return Some((Duration::ZERO, false));
                }
                let asked = self.stop_line()?;
                Some((self.wait_for_mark()?.saturating_duration_since(asked), true))
            }
            _ => {
                std::thread::sleep(pause);
                let asked = self.stop_line();
                let marked = self.mark();
                let asked = asked.unwrap_or(marked);
                Some((self.wait_for_mark()?.saturating_duration_since(asked), true))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_99th_of_a_hundred_decides() {
        let times = (1..=200).map(Duration::from_millis).collect();
        let measured = Measured { times, running: 200, silent: None };
        let [median, p99, worst] = [50, 99, 100].map(|percent| measured.percentile(percent).as_millis());
        assert_eq!((median, p99, worst), (100, 198, 200));
        let case = cases::all().next().expect("there are cases");
        let mut out = Vec::new();
        let mut soon = |within| row(case, Moment::Later, &measured, Duration::from_millis(within), &mut out).unwrap();
        assert!(soon(198) && !soon(197));
        assert!(String::from_utf8(out).unwrap().trim_end().ends_with("LATE"));
    }
}
