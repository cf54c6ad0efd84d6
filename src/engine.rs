//! What a session asks of a game's player. Both games stand behind this one small object-safe trait; it lives at the
//! level of the player, not of the rules. Moves are text here and become typed inside the game.

use crate::base::{
    Clock, Colour, Control, Report,
    control::unless_stopped,
    settings::{SettingError, SettingView},
};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

pub mod command;
mod thought;

pub use command::GameCommand;
pub use thought::{Analysis, Bound, Depth, Difficulty, Judged, Line, Opening, Playouts, Source, Thought};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Game {
    Othello,
    Go,
}

impl Game {
    pub const ALL: [Game; 2] = [Game::Othello, Game::Go];

    pub const fn name(self) -> &'static str {
        match self {
            Game::Othello => "Othello",
            Game::Go => "Go",
        }
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why something was not done. Whoever returns one has changed nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    pub kind: CommandErrorKind,
    pub message: String,
    /// Which part of what was asked is at fault, where a request has parts: `position`, `moves`, an option's name.
    pub field: Option<String>,
}

/// The kinds of refusal that programs want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandErrorKind {
    /// The text itself is wrong: not a move, not a board.
    Syntax,
    /// Well-formed, but not allowed by the rules here.
    Illegal,
    /// An option or number outside its range.
    Range,
    /// This game or position has no such thing.
    Unsupported,
    /// A file could not be read or written.
    File,
    /// It was tried and ended the process.
    GaveUp,
}

impl CommandErrorKind {
    pub const fn code(self) -> &'static str {
        match self {
            CommandErrorKind::Syntax => "syntax",
            CommandErrorKind::Illegal => "illegal",
            CommandErrorKind::Range => "range",
            CommandErrorKind::Unsupported => "unsupported",
            CommandErrorKind::File => "file",
            CommandErrorKind::GaveUp => "gave-up",
        }
    }
}

impl CommandError {
    pub fn new(kind: CommandErrorKind, message: impl fmt::Display) -> CommandError {
        CommandError { kind, message: message.to_string(), field: None }
    }

    /// The same, naming the part at fault unless a closer look has named one already.
    pub fn in_field(mut self, field: impl Into<String>) -> CommandError {
        self.field.get_or_insert_with(|| field.into());
        self
    }
}

impl From<SettingError> for CommandError {
    fn from(error: SettingError) -> CommandError {
        let (kind, field) = match &error {
            SettingError::Unknown(name) => (CommandErrorKind::Unsupported, name.clone()),
            SettingError::Range { name, .. } | SettingError::Refused { name, .. } => {
                (CommandErrorKind::Range, name.to_string())
            }
        };
        CommandError::new(kind, error).in_field(field)
    }
}

pub type Answer<T> = Result<T, CommandError>;

/// For a job that is done outside of the games.
pub fn not_for_a_game() -> CommandError {
    CommandError::new(CommandErrorKind::Unsupported, "not possible here")
}

/// Reads a file that an option names, unless stopped.
pub fn read_option<T: Send + 'static>(
    path: &str,
    control: Control<'_, Progress>,
    read: impl FnOnce(&Path, &Arc<AtomicBool>) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let path = PathBuf::from(path);
    let stopped = || CommandError::new(CommandErrorKind::Illegal, "stopped; the option is as it was");
    unless_stopped(control.stop_flag(), move |given_up| read(&path, given_up)).ok_or_else(stopped)?
}

/// What an analysis looks at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Focus {
    /// At least so many moves are shown, whether they were tried or not.
    pub least: usize,
    pub restrictions: Vec<Restriction>,
}

/// Moves that one side may not make, or the only ones that it may.
#[derive(Debug, Clone, PartialEq)]
pub struct Restriction {
    pub colour: Colour,
    pub moves: Vec<String>,
    pub only: bool,
    /// For so many moves of both sides from the position on.
    pub plies: usize,
}

/// Work that takes time. It runs away from the session and can be stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    /// Choose a move for this side (or the side to move) and, if `play`, make it.
    Move { colour: Option<Colour>, play: bool },
    /// The values of the `count` best moves.
    Hint { count: usize, focus: Focus },
    /// Like `Hint`, but no more has to be known of the values than this.
    Bound { count: usize, aim: Aim, focus: Focus },
    /// Like `Hint`, going on until stopped or solved.
    Watch { colour: Option<Colour>, count: usize, focus: Focus },
    /// Every move of the game judged.
    Analyse,
    /// A question that stands by itself and leaves game and settings as they were; its answer is a move, not played,
    /// or an analysis.
    Query(Query),
    /// Think while the opponent does, until stopped.
    Ponder,
    /// Find the result of a game that is over, where that takes work; [`View::result`] has it afterwards.
    Judge,
    /// Take over a game or position from a file, up to this ply if one is given.
    Load { path: PathBuf, ply: Option<usize> },
    /// Write the game or position to a file in this form; `here`: the game up to the present position only.
    Save { path: PathBuf, form: String, here: bool },
    /// Change options, all or none, where that takes time.
    Set(Vec<(String, String)>),
    /// Make ready what a first move needs; then this is what a person should know.
    Prepare(Notices),
    /// A command that only this game has.
    Command(GameCommand),
}

impl Job {
    /// Never ends by itself: the end of input must stop it.
    pub const fn endless(&self) -> bool {
        matches!(self, Job::Watch { .. } | Job::Ponder)
    }

    /// `quit` waits for its end.
    pub fn outlasts_quit(&self) -> bool {
        matches!(self, Job::Command(command) if command.outlasts_quit())
    }

    /// The end of the process waits for it, whatever the reason.
    pub fn saves(&self) -> bool {
        matches!(self, Job::Command(command) if command.saves())
    }

    /// Begun by the session itself: nobody asked, so nobody is answered.
    pub const fn unasked(&self) -> bool {
        matches!(self, Job::Ponder | Job::Judge)
    }
}

/// How much has to be known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Aim {
    /// The value itself.
    #[default]
    Value,
    /// No more than that it is at most the first, or at least the second.
    Window(f32, f32),
    /// Proven, who wins.
    Winner,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// In any notation; the start when missing.
    pub position: Option<String>,
    /// Moves played from there.
    pub moves: Option<String>,
    /// Settings that hold for this question alone.
    pub settings: Vec<(String, String)>,
    /// How many moves get a value.
    pub count: usize,
    /// Which moves are looked at; an error about it names the field `focus`.
    pub focus: Focus,
    pub aim: Aim,
    /// Judge every move of the game instead.
    pub analyse: bool,
    /// Carry out this command of the game there instead.
    pub command: Option<command::GameCommand>,
}

impl Query {
    /// Asks an engine that has these settings and is there for this question alone, or is put right afterwards.
    pub fn ask(&self, engine: &mut dyn Engine, control: Control<'_, Progress>) -> Answer<Outcome> {
        match &self.position {
            Some(text) => drop(engine.import(text).map_err(|refusal| refusal.in_field("position"))?),
            None => engine.new_game(),
        }
        if let Some(moves) = &self.moves {
            engine.play_line(moves).map_err(|refusal| refusal.in_field("moves"))?;
        }
        if self.analyse {
            return engine.work(&Job::Analyse, control);
        }
        if let Some(command) = &self.command {
            return engine.work(&Job::Command(command.clone()), control);
        }
        let colour = engine.view().to_move;
        let (count, focus) = (self.count.max(1), self.focus.clone());
        let free = focus.restrictions.is_empty();
        let job = match self.aim {
            Aim::Value => Job::Hint { count, focus },
            aim => Job::Bound { count, aim, focus },
        };
        let done = engine.work(&job, control);
        match done.map_err(|refusal| if free { refusal } else { refusal.in_field("focus") })? {
            Outcome::Thought(thought) => {
                let best = thought.lines.first().map_or("pass", |line| line.best()).to_string();
                Ok(Outcome::Move { colour, best, thought })
            }
            other => Ok(other),
        }
    }
}

/// An engine that answers a question by itself with its own tables and is the same afterwards.
pub trait Aside: Engine + Sized {
    /// What has to be as it was.
    type Kept;

    fn lay_aside(&mut self, query: &Query) -> Self::Kept;

    /// Takes on the settings of a question.
    fn settle(&mut self, settings: &[(String, String)]) -> Answer<()> {
        settings.iter().try_for_each(|(name, value)| self.set(name, value))
    }

    fn take_up(&mut self, kept: Self::Kept);
}

/// Answers a question and leaves game and settings as they were, also when it is refused.
pub fn ask_aside<E: Aside>(engine: &mut E, query: &Query, control: Control<'_, Progress>) -> Answer<Outcome> {
    let kept = engine.lay_aside(query);
    let outcome = engine.settle(&query.settings).and_then(|()| query.ask(engine, control));
    engine.take_up(kept);
    outcome
}

/// Plays moves in order up to the first that is refused; of several the refusal says which.
pub fn play_each(
    moves: &[(Option<Colour>, String)],
    mut play: impl FnMut(Option<Colour>, &str) -> Answer<()>,
) -> Answer<()> {
    for (index, (colour, text)) in moves.iter().enumerate() {
        play(*colour, text).map_err(|refusal| match moves.len() {
            1 => refusal,
            _ => CommandError { message: format!("move {}: {}", index + 1, refusal.message), ..refusal },
        })?;
    }
    Ok(())
}

/// Changes options, all or, when one is refused, none.
pub fn set_each(engine: &mut dyn Engine, pairs: &[(String, String)], control: Control<'_, Progress>) -> Answer<()> {
    let before = engine.settings();
    for (done, (name, value)) in pairs.iter().enumerate() {
        if let Err(refusal) = engine.set_until(name, value, control) {
            for (name, _) in pairs[..done].iter().rev() {
                if let Some(old) = before.iter().find(|s| s.name.eq_ignore_ascii_case(name)) {
                    engine.set(old.name, &old.value.to_string())?;
                }
            }
            return Err(refusal);
        }
    }
    pairs.iter().for_each(|(name, value)| log::info!("set {name} to {value}"));
    Ok(())
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The chosen move: a move of the game, `pass` or `resign`.
    Move {
        colour: Colour,
        best: String,
        thought: Thought,
    },
    Thought(Thought),
    Analysis(Analysis),
    Report(Report),
    /// Done; what a person should know about it.
    Done(Notices),
}

/// News from a job that goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    Thought(Thought),
    /// One more move of an analysis.
    Judged(Judged),
    /// How far long work has come.
    Work(WorkDone),
}

/// How far long work has come.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkDone {
    /// What is worked on: `book learn`.
    pub work: String,
    pub done: u64,
    /// What waits, as far as it is known.
    pub waiting: u64,
    /// Positions in the book.
    pub positions: u64,
    pub elapsed: Duration,
}

impl WorkDone {
    pub fn per_second(&self) -> f64 {
        self.done as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }

    /// How long the rest will take at this rate.
    pub fn left(&self) -> Option<Duration> {
        let seconds = self.waiting as f64 / self.per_second();
        let known = self.done > 0 && self.waiting > 0;
        known.then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }
}

/// Where to go in the game's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Back(usize),
    Forward(usize),
    To(usize),
    /// Back, and the moves are forgotten.
    TakeBack(usize),
}

/// Everything a client may want to draw or ask about the present position.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    pub game: Game,
    pub size: usize,
    /// Row by row as the game's diagrams are printed: Othello a1 first, Go from the top left.
    pub cells: Vec<Option<Colour>>,
    /// Whose turn it is; at the end of the game, who would be next.
    pub to_move: Colour,
    pub over: bool,
    /// Legal moves by name; `pass` alone when passing is forced; empty at the end.
    pub legal: Vec<String>,
    /// All moves made up to here.
    pub moves: Vec<(Colour, String)>,
    /// Discs or stones on the board: black, white.
    pub count: [u32; 2],
    pub empties: u32,
    /// Stones taken by black and by white (Go).
    pub captured: [u32; 2],
    /// Black minus white as the rules count it, once the game is over and, where that takes work, judged.
    pub result: Option<f64>,
    pub names: [String; 2],
}

/// Sentences for a person after a command that succeeded: «nobody can move», «white passes».
pub type Notices = Vec<String>;

/// How much time there is, for both sides alike.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TimeControl {
    /// The clock each side starts with; `None`: no clock.
    pub clock: Option<Clock>,
}

pub trait Engine: Send {
    fn game(&self) -> Game;
    /// Somebody has come to play: begin to make ready, without waiting for it, what a first move will need; true when
    /// nothing is left to be made. Unless work is `near`, what a first move can do without may wait.
    fn warm_up(&mut self, _near: bool) -> bool {
        true
    }
    fn new_game(&mut self);
    fn resize(&mut self, size: usize) -> Answer<()>;
    fn komi(&mut self, komi: f64) -> Answer<()>;

    /// Takes over a position or game from text in any notation the game knows.
    fn import(&mut self, text: &str) -> Answer<Notices>;
    /// A file with several games: opens them as a list and takes over the first. `None`: `import` is for this text.
    fn open_list(&mut self, _path: &Path, _text: &str, _control: Control<'_, Progress>) -> Answer<Option<Notices>> {
        Ok(None)
    }

    /// The same for a long text; stopped, nothing has changed.
    fn import_until(&mut self, text: &str, _: Control<'_, Progress>) -> Answer<Notices> {
        self.import(text)
    }
    /// Adds stones to an untouched board and says who moves: all or nothing.
    fn set_up(&mut self, stones: &[(Colour, String)], to_move: Option<Colour>) -> Answer<()>;
    /// The position or game as text: `transcript`, `board`, `bits`, `ggf`, `sgf`, … ; `forms` names them.
    fn export(&self, form: &str) -> Answer<String>;
    fn forms(&self) -> &'static [&'static str];
    /// What `save` puts in a file: the whole game, or only what led `here`; and what the form cannot hold, in sentences.
    fn saved(&self, form: &str, here: bool) -> Answer<(String, Notices)>;
    /// The name of the opening that was reached, where names are wanted.
    fn opening(&self) -> Option<Opening> {
        None
    }

    /// Makes these moves, all or none. A missing colour means the side to move.
    fn play(&mut self, moves: &[(Option<Colour>, String)]) -> Answer<Notices>;
    /// The same for moves as a person writes them one after the other.
    fn play_line(&mut self, moves: &str) -> Answer<()>;
    fn step(&mut self, step: Step) -> Answer<()>;
    /// Only looks: costs no more than the legal moves.
    fn view(&self) -> View;
    /// The game is over and [`Job::Judge`] has still to find its result.
    fn awaits_verdict(&self) -> bool {
        false
    }

    fn set_time(&mut self, control: TimeControl);
    fn time_left(&mut self, colour: Colour, clock: Clock);
    /// What a player's clock shows, in a game with clocks.
    fn clock(&self, _colour: Colour) -> Option<Clock> {
        None
    }

    fn settings(&self) -> Vec<SettingView>;
    fn set(&mut self, name: &str, value: &str) -> Answer<()>;
    /// This option reads a file, which may take time.
    fn sets_slowly(&self, _name: &str) -> bool {
        false
    }
    /// As [`Engine::set`]; stopped, nothing has changed.
    fn set_until(&mut self, name: &str, value: &str, _: Control<'_, Progress>) -> Answer<()> {
        self.set(name, value)
    }
    /// A clock was set, and what a first move needs is not there yet: [`Job::Prepare`].
    fn wants_preparation(&self) -> bool {
        false
    }

    /// The commands that only this game has.
    fn commands(&self) -> command::Table;
    /// Does a job. When stopped it comes back soon with what it has; a move is always legal.
    fn work(&mut self, job: &Job, control: Control<'_, Progress>) -> Answer<Outcome>;
    /// Forgets what earlier searches have found, so that the next answer is that of a new engine.
    fn forget(&mut self) {}
    /// The opponent is to move and thinking on is wanted.
    fn wants_to_ponder(&self) -> bool;
    /// Before the process ends: save what should not be lost, and tell where if that is news.
    fn shutdown(&mut self) -> Answer<Notices>;
    /// What would be lost at the end, in words.
    fn unsaved(&self) -> Option<String> {
        None
    }
    /// Nothing needs to be saved by itself any more.
    fn discard(&mut self) {}
    /// Saves what has changed now, also where that is not done by itself.
    fn save_all(&mut self) -> Answer<Notices> {
        self.shutdown()
    }
}
