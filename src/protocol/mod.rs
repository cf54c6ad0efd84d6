//! The languages clients speak. A protocol turns lines into [`Request`]s and [`Reply`]s into text; it never touches a
//! game except by looking at it.

use crate::{
    base::{Colour, report::Report, settings::SettingView},
    engine::{Answer, CommandError, Engine, Game, Job, Notices, Outcome, Progress, Step, TimeControl, command::Table},
};
use std::path::PathBuf;

pub mod cgos;
pub mod command_table;
pub mod console;
#[cfg(test)]
pub mod dummy;
pub mod ggs;
pub mod gtp;
pub mod json;
pub mod katago;
pub mod nboard;
pub mod online;
pub mod recognise;
pub mod session_settings;
pub mod standalone;
pub mod tables;
pub mod uci;
pub mod words;

pub use session_settings::SessionSettings;

/// A line of input as the reader hands it on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Without the line end.
    pub text: String,
    /// The line was longer than anybody needs; `text` holds only its beginning.
    pub cut: bool,
}

impl Line {
    /// Longer lines are cut: enough for a game of any length with comments, and a bound on memory.
    pub const LONGEST: usize = 1 << 20;

    pub fn new(text: impl Into<String>) -> Line {
        Line { text: text.into(), cut: false }
    }

    /// The same for a text of any length.
    pub fn bounded(mut text: String) -> Line {
        let cut = text.len() > Line::LONGEST;
        let end = (0..=Line::LONGEST.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or_default());
        Line { text, cut }
    }
}

/// What ties a reply to its request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Id {
    #[default]
    None,
    Number(u64),
    /// A JSON value, printed as it came.
    Json(String),
}

/// One thing asked for. A line that could not be understood is a request too: it keeps its id and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub id: Id,
    /// The protocol's own name of the command: a protocol may have several words for one [`Command`].
    pub word: &'static str,
    pub command: Answer<Command>,
}

impl Request {
    pub fn new(word: &'static str, command: Command) -> Request {
        Request { id: Id::None, word, command: Ok(command) }
    }

    pub fn job(&self) -> Option<&Job> {
        match &self.command {
            Ok(Command::Work(job)) => Some(job),
            Ok(Command::Several(list)) => match list.last() {
                Some(Command::Work(job)) => Some(job),
                _ => None,
            },
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Something the protocol answers itself, at its turn in the queue, by looking at the engine.
    Look(String),
    NewGame,
    Resize(usize),
    Komi(f64),
    /// A position or a game in any notation.
    Import(String),
    SetUp {
        stones: Vec<(Colour, String)>,
        to_move: Option<Colour>,
    },
    Play(Vec<(Option<Colour>, String)>),
    Step(Step),
    SetTime(TimeControl),
    TimeLeft {
        colour: Colour,
        clock: crate::base::Clock,
    },
    /// Changes options, all or none.
    Set(Vec<(String, String)>),
    Settings,
    /// What is kept for the next session.
    Keep(Keep),
    /// Another game on the same session.
    Switch(Game),
    Load {
        path: PathBuf,
        ply: Option<usize>,
    },
    Save {
        path: PathBuf,
        form: String,
        /// Only the moves up to the present position.
        here: bool,
    },
    Work(Job),
    /// An option by its name: with a value it is set, without one it is shown.
    Option {
        name: String,
        value: String,
    },
    /// Commands that take no time, one after the other, and perhaps work as the last of them; the first refusal ends them.
    Several(Vec<Command>),
    Stop(Target),
    /// Heard, and nothing to do.
    Nothing,
    Quit,
    /// The same, and unsaved changes are saved or dropped.
    Leave {
        save: bool,
    },
}

/// What to do with the options that are kept for the next session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Save,
    Show,
    /// Everything is as at a first start.
    Reset,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// What runs now and everything asked before this.
    All,
    Id(Id),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Done(Notices),
    /// The protocol's own words, from [`Protocol::look`].
    Text(String),
    Report(Report),
    Settings(Vec<SettingView>),
    Outcome(Outcome),
    Refused(CommandError),
    Bye,
}

impl From<Answer<Outcome>> for Reply {
    fn from(outcome: Answer<Outcome>) -> Reply {
        match outcome {
            Ok(Outcome::Report(report)) => Reply::Report(report),
            Ok(Outcome::Done(notices)) => Reply::Done(notices),
            Ok(outcome) => Reply::Outcome(outcome),
            Err(refusal) => Reply::Refused(refusal),
        }
    }
}

/// Where a protocol writes.
#[derive(Debug, Default)]
pub struct Output {
    pub out: String,
    /// Standard error: live graphics and the like.
    pub err: String,
    /// What stands below all text from now on, at a terminal; `None`: as before.
    pub live: Option<Vec<String>>,
}

pub trait Protocol: Send {
    /// Reads a line; `None` when it asks for nothing (a comment, a blank line, a part of something longer). `commands`
    /// are those of the game that is played by the time the line has its turn.
    fn parse(&mut self, line: &Line, commands: Table) -> Option<Request>;

    /// The end of input: a request begun but not ended may be reported here.
    fn finish(&mut self) -> Option<Request> {
        None
    }

    /// Whether a line that cannot be looked at yet, because so many wait before it, asks to end all that was asked before.
    fn ends_all(&self, _line: &Line) -> bool {
        false
    }

    /// Whether `new` stops what runs (and hurries what waits before it).
    fn interrupts(&self, new: &Request, running: &Request) -> bool;

    /// Whether a stop is answered at once instead of in its place.
    fn answers_stop_at_once(&self) -> bool {
        false
    }

    /// Whether a request that changes nothing is answered at once, also while the engine is away.
    fn answers_at_once(&self, _request: &Request) -> bool {
        false
    }

    /// Answers a [`Command::Look`].
    fn look(&mut self, request: &Request, args: &str, engine: &dyn Engine) -> Answer<Reply>;

    /// Whether the answer holds the result of the game, which may have to be judged first.
    fn shows_result(&self, request: &Request) -> bool {
        matches!(request.command, Ok(Command::Save { .. }))
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output);

    /// News from the running job.
    fn progress(&mut self, running: &Request, news: &Progress, out: &mut Output);

    /// Work the protocol starts by itself before the next line has its turn: the engine's move in a game.
    fn own_turn(&mut self, _engine: &dyn Engine) -> Option<Request> {
        None
    }

    /// The session's own options, told at the beginning and whenever they change.
    fn adopt(&mut self, _manners: &SessionSettings) {}

    /// Options of what a person sees; they stand beside those of the game and the session.
    fn settings(&self) -> Vec<SettingView> {
        vec![]
    }

    /// Whether an option is one of these.
    fn has_setting(&self, _name: &str) -> bool {
        false
    }

    /// Changes one of these options; on an error nothing has changed.
    fn set(&mut self, _name: &str, _value: &str) -> Answer<()> {
        Err(crate::engine::not_for_a_game())
    }

    /// Work that nobody asked for, once a person has seen what there is: the next line stops it.
    fn own_work(&mut self, _engine: &dyn Engine) -> Option<Request> {
        None
    }

    /// Whether the engine need not make ready to play for this request, or, with none, before the first: some front ends
    /// start copies of the program that only keep the rules.
    fn needs_only_rules(&self, _request: Option<&Request>) -> bool {
        false
    }

    /// Whether clients of this protocol start copies of the program that are never asked for work, but for boards and moves.
    fn may_only_watch(&self) -> bool {
        false
    }

    /// Somebody sits there who can be asked whether unsaved changes may go.
    fn asks_before_leaving(&self) -> bool {
        false
    }

    /// The client reads standard error as answers.
    fn hears_standard_error(&self) -> bool {
        false
    }

    /// Called before waiting for input: prompts, boards for a person.
    fn prompt(&mut self, _engine: &dyn Engine, _out: &mut Output) {}
}

/// The languages by name. `recognise` tells from a first line which one is spoken, `new_protocol` makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolKind {
    Console,
    Gtp,
    Nboard,
    Json,
    Standalone,
    Uci,
    Katago,
}

/// Makes a protocol for programs and scripts; a person at a terminal has a [`console::Person`].
pub fn new_protocol(protocol_kind: ProtocolKind) -> Box<dyn Protocol> {
    match protocol_kind {
        ProtocolKind::Console => Box::new(console::Console::default()),
        ProtocolKind::Gtp => Box::new(gtp::Gtp::new()),
        ProtocolKind::Nboard => Box::new(nboard::NBoard::new()),
        ProtocolKind::Json => Box::new(json::JsonLines::default()),
        ProtocolKind::Standalone => Box::new(standalone::StandAlone::default()),
        ProtocolKind::Uci => Box::new(uci::Uci::default()),
        ProtocolKind::Katago => Box::new(katago::Katago::default()),
    }
}
