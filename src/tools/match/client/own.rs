//! Our own engine as a player, in this process.

use super::{Abilities, Answer, Failure, Player, Setup, Thought, Turn};
use crate::{
    base::{Control, Report, cpu::UNKNOWN},
    engine::{CommandError, Engine, Game, Job, Outcome, Query, Source, TimeControl},
    tools::tournament::{
        clock::{Clock, ClockSource},
        record::Ply,
        referee::GameKind,
        spec::Start,
    },
    worker::{Event, Worker},
};
use crossbeam_channel::RecvTimeoutError;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// How often a wait looks whether the match is being stopped.
const STOP_LOOK: Duration = Duration::from_millis(20);

/// Makes an engine for a game.
pub type Maker = fn(Game) -> Option<Box<dyn Engine>>;

pub struct OwnPlayer {
    /// Away while it thinks; lost if it never comes back.
    engine: Option<Box<dyn Engine>>,
    worker: Worker,
    stop: Arc<AtomicBool>,
    clock: ClockSource,
    /// How long it may take to come back after a stop.
    patience: Duration,
}

impl OwnPlayer {
    /// `settings` are `name value` each.
    pub fn start(how: &Start, settings: &[String], stop: Arc<AtomicBool>) -> Result<(OwnPlayer, Abilities), Failure> {
        let kind = match how.game {
            GameKind::Othello => Game::Othello,
            GameKind::Go { .. } => Game::Go,
        };
        let mut engine =
            (how.make)(kind).ok_or_else(|| Failure::Start(format!("this program does not play {kind}")))?;
        // Engines are compared by what they think, unless a book is asked for. Not every game has one.
        let _ = engine.set("book", "none");
        for setting in settings {
            let (name, value) = setting.split_once(' ').unwrap_or((setting, ""));
            engine.set(name, value).map_err(|refusal| Failure::Start(refusal.to_string()))?;
        }
        if how.clock == ClockSource::Cpu {
            let threads = engine.settings().into_iter().find(|row| row.name == "threads").map(|row| row.value.whole());
            if threads.is_some_and(|threads: i64| threads > 1) {
                let why = "with --clock cpu an engine inside this program can have one thread only; with more, start \
                           the program once more: cmd=\"shirokuro gtp --clock cpu\"";
                return Err(Failure::Start(why.into()));
            }
            engine.set("clock", "cpu").map_err(|refusal| Failure::Start(refusal.to_string()))?;
        }
        // Weights and tables come with the first search; that must not cost time on the clock.
        let trifle = Query { settings: vec![("depth".into(), "1".into())], count: 1, ..Query::default() };
        let _ = engine.work(&Job::Query(trifle), Control::alone());
        let title = format!("Shirokuro {}", env!("CARGO_PKG_VERSION"));
        let abilities = Abilities { title, positions: true, clocks: true, move_time: true };
        Ok((
            OwnPlayer {
                engine: Some(engine),
                worker: Worker::spawn(),
                stop,
                clock: how.clock,
                patience: how.reply_patience,
            },
            abilities,
        ))
    }

    fn engine(&mut self) -> Result<&mut Box<dyn Engine>, Failure> {
        self.engine.as_mut().ok_or(Failure::OutputClosed)
    }

    /// Waits for the engine; tells it to stop when the match stops or `patience` is over.
    fn wait(&mut self, handle: &crate::worker::StopHandle, patience: Duration) -> Result<(Outcome, Duration), Failure> {
        let start = Instant::now();
        let mut late = false;
        loop {
            match self.worker.events.recv_timeout(STOP_LOOK) {
                Ok(Event::News(_)) => {}
                Ok(Event::Home { engine, outcome, cpu }) => {
                    self.engine = Some(engine);
                    let elapsed = match self.clock {
                        ClockSource::Wall => start.elapsed(),
                        ClockSource::Cpu => cpu.ok_or_else(|| Failure::NoTime(UNKNOWN.into()))?,
                    };
                    return match outcome {
                        _ if self.stop.load(Ordering::Relaxed) => Err(Failure::Stopped),
                        _ if late => Err(Failure::Silence { asked: "go".into(), after: patience }),
                        outcome => outcome.map(|outcome| (outcome, elapsed)).map_err(|refusal| refused("go", &refusal)),
                    };
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::Crash("the search thread ended".into())),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.stop.load(Ordering::Relaxed) || start.elapsed() > patience {
                late = true;
                handle.stop();
            }
            if late && start.elapsed() > patience + self.patience {
                return Err(Failure::Silence { asked: "stop".into(), after: patience + self.patience });
            }
        }
    }
}

fn refused(asked: &str, refusal: &CommandError) -> Failure {
    Failure::Refused { asked: asked.into(), answer: refusal.to_string() }
}

impl Player for OwnPlayer {
    fn new_game(&mut self, setup: &Setup) -> Result<(), Failure> {
        let engine = self.engine()?;
        let ask = |what: &str, answer: Result<_, CommandError>| answer.map_err(|refusal| refused(what, &refusal));
        engine.new_game();
        if let GameKind::Go { size, komi, rules } = setup.game {
            ask("boardsize", engine.resize(usize::from(size)))?;
            ask("komi", engine.komi(komi))?;
            ask("rules", engine.set("rules", rules.name))?;
        }
        if let Some(position) = setup.position {
            ask("setboard", engine.import(position).map(drop))?;
        }
        let clock = setup.controls[setup.colour.index()].map(|control| Clock::new(control).view());
        engine.set_time(TimeControl { clock });
        let moves: Vec<_> = setup.opening.iter().map(|ply| (Some(ply.colour), ply.text.clone())).collect();
        ask("play", engine.play(&moves).map(drop))
    }

    fn think(&mut self, turn: &Turn) -> Result<Answer, Failure> {
        let mut engine = self.engine.take().ok_or(Failure::OutputClosed)?;
        for colour in [!turn.colour, turn.colour] {
            if let Some(clock) = turn.clocks[colour.index()] {
                engine.time_left(colour, clock);
            }
        }
        let handle = self.worker.start(engine, Job::Move { colour: Some(turn.colour), play: false }, false);
        let (outcome, elapsed) = self.wait(&handle, turn.patience.wall)?;
        let Outcome::Move { best, thought, .. } = outcome else {
            return Err(Failure::Garbage { asked: "go".into(), answer: format!("{outcome:?}") });
        };
        let line = thought.lines.first();
        let depth = |line: &crate::engine::Line| match line.source {
            Source::Search => Some(line.depth.to_string()),
            Source::Book { .. } => Some("book".into()),
            Source::Rules => None,
        };
        let thought = Thought {
            value: line.filter(|line| line.source != Source::Rules).map(|line| line.value),
            depth: line.and_then(depth),
            nodes: Some(thought.nodes),
        };
        Ok(Answer { text: best, thought, elapsed })
    }

    fn played(&mut self, ply: &Ply, _own: bool) -> Result<(), Failure> {
        let moves = [(Some(ply.colour), ply.text.clone())];
        self.engine()?.play(&moves).map(drop).map_err(|refusal| refused("play", &refusal))
    }

    fn dead_stones(&mut self) -> Option<Vec<String>> {
        let engine = self.engine.as_mut().filter(|engine| engine.game() == Game::Go)?;
        let command = engine.commands().read("final_status_list", "dead")?.ok()?;
        match engine.work(&Job::Command(command), Control::alone()) {
            Ok(Outcome::Report(Report::Chains(chains))) => Some(chains.concat()),
            _ => None,
        }
    }

    fn is_alive(&mut self) -> bool {
        self.engine.is_some()
    }

    fn leave(self: Box<Self>) {
        if let Some(mut engine) = self.engine {
            // Nothing of a match is worth keeping beyond its records.
            let _ = engine.shutdown();
        }
    }
}
