//! Commands that only one game has: a table a game, read when the line is read, also while the engine is away.

use super::{Answer, CommandError, CommandErrorKind};
use crate::base::{Args, BadArgs};
use std::{any::Any, fmt, sync::Arc};

/// What people read about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    pub name: &'static str,
    /// The name with its arguments.
    pub usage: &'static str,
    pub help: &'static str,
    /// A line that can be typed.
    pub example: &'static str,
    /// A place in the menu of a front end, for what only shows something.
    pub chart: Option<Chart>,
    /// More of them.
    pub charts: &'static [Chart],
    /// A command of GTP or of its extensions: as the first line of a session it comes from a GTP client.
    pub gtp: bool,
}

/// How a front end shows the answer of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chart {
    pub label: &'static str,
    pub picture: Picture,
    /// What stands after the name of the command.
    pub args: &'static str,
}

/// What such an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// A number from -1 to 1 for every point, positive for black.
    Values,
    /// A label for some points.
    Labels,
    /// Points by name.
    Points,
    /// Moves in turn.
    Moves,
    /// Lines to be read.
    Text,
}

/// One of several things that a command does, with words of its own: a verb of `book`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topic {
    pub name: &'static str,
    /// Without the name of the command.
    pub usage: &'static str,
    pub help: &'static str,
    /// What holds for what is left out; may be empty.
    pub defaults: &'static str,
    pub example: &'static str,
}

/// One row of a game's table: what people read, and the reader that makes the game's own typed command.
#[derive(Debug, Clone, Copy)]
pub struct Row<C> {
    pub about: About,
    pub read: fn(&mut Args) -> Result<C, BadArgs>,
    /// What `help` tells apart in it.
    pub topics: fn() -> Vec<Topic>,
}

impl<C> Row<C> {
    pub const fn new(
        name: &'static str,
        usage: &'static str,
        help: &'static str,
        read: fn(&mut Args) -> Result<C, BadArgs>,
    ) -> Row<C> {
        let about = About { name, usage, help, example: name, chart: None, charts: &[], gtp: false };
        Row { about, read, topics: Vec::new }
    }

    pub const fn example(mut self, example: &'static str) -> Row<C> {
        self.about.example = example;
        self
    }

    pub const fn topics(mut self, topics: fn() -> Vec<Topic>) -> Row<C> {
        self.topics = topics;
        self
    }

    pub const fn gtp(mut self) -> Row<C> {
        self.about.gtp = true;
        self
    }

    pub const fn chart(mut self, label: &'static str, picture: Picture) -> Row<C> {
        self.about.chart = Some(Chart { label, picture, args: "" });
        self
    }

    pub const fn charts(mut self, charts: &'static [Chart]) -> Row<C> {
        self.about.charts = charts;
        self
    }
}

/// A command as its game knows it.
pub trait Typed: Any + Send + Sync + fmt::Debug + PartialEq {
    /// `quit` waits for its end: a script that asked for it wants what it does. A stop ends it all the same.
    fn outlasts_quit(&self) -> bool {
        false
    }

    /// It saves what might be lost: also a signal that ends the process waits for it.
    fn saves(&self) -> bool {
        false
    }
}

/// A command of one game, read and checked as far as its words go. Only the game that made it can open it.
#[derive(Clone)]
pub struct GameCommand {
    pub name: &'static str,
    value: Arc<dyn Value>,
}

impl GameCommand {
    pub fn new<C: Typed>(name: &'static str, command: C) -> GameCommand {
        GameCommand { name, value: Arc::new(command) }
    }

    pub fn outlasts_quit(&self) -> bool {
        self.value.outlasts_quit()
    }

    pub fn saves(&self) -> bool {
        self.value.saves()
    }

    /// The command as its game knows it; an error in the hands of another game.
    pub fn open<C: Any>(&self) -> Answer<&C> {
        let other = || {
            CommandError::new(CommandErrorKind::Unsupported, format!("`{}` is a command of another game", self.name))
        };
        self.value.as_any().downcast_ref().ok_or_else(other)
    }
}

impl fmt::Debug for GameCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name, self.value)
    }
}

impl PartialEq for GameCommand {
    fn eq(&self, other: &GameCommand) -> bool {
        self.name == other.name && self.value.equals(other.value.as_any())
    }
}

trait Value: Send + Sync + fmt::Debug {
    fn as_any(&self) -> &dyn Any;
    fn equals(&self, other: &dyn Any) -> bool;
    fn outlasts_quit(&self) -> bool;
    fn saves(&self) -> bool;
}

impl<C: Typed> Value for C {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<C>() == Some(self)
    }

    fn outlasts_quit(&self) -> bool {
        Typed::outlasts_quit(self)
    }

    fn saves(&self) -> bool {
        Typed::saves(self)
    }
}

/// The table of a game, whatever type its commands have.
pub trait Commands: Sync {
    fn list(&self) -> Vec<About>;
    /// Reads what follows a name; `None` when this game has no such command.
    fn read(&self, name: &str, args: &str) -> Option<Answer<GameCommand>>;

    /// What `help` tells apart in the command of this name; none for most.
    fn topics(&self, name: &str) -> Vec<Topic>;

    fn find(&self, name: &str) -> Option<About> {
        self.list().into_iter().find(|about| about.name.eq_ignore_ascii_case(name))
    }
}

/// A game's own commands.
pub type Table = &'static dyn Commands;

pub struct Rows<C: 'static> {
    pub rows: &'static [Row<C>],
}

impl<C: Typed> Commands for Rows<C> {
    fn list(&self) -> Vec<About> {
        self.rows.iter().map(|row| row.about).collect()
    }

    fn topics(&self, name: &str) -> Vec<Topic> {
        let row = self.rows.iter().find(|row| row.about.name.eq_ignore_ascii_case(name));
        row.map_or(vec![], |row| (row.topics)())
    }

    fn read(&self, name: &str, args: &str) -> Option<Answer<GameCommand>> {
        let Row { about, read, .. } = self.rows.iter().find(|row| row.about.name.eq_ignore_ascii_case(name))?;
        let whole = |mut args: Args| {
            let command = read(&mut args)?;
            args.end().map(|()| command)
        };
        let command = Args::new(args).and_then(whole).map_err(|problem| bad(about, &problem));
        Some(command.map(|command| GameCommand::new(about.name, command)))
    }
}

fn bad(about: &About, problem: &BadArgs) -> CommandError {
    let message = match problem {
        BadArgs::Other(message) => message.clone(),
        problem => format!("{problem} (usage: {})", about.usage),
    };
    CommandError::new(CommandErrorKind::Syntax, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    enum Tune {
        Play(u32),
        Stop,
    }

    impl Typed for Tune {}

    static TUNES: Rows<Tune> = Rows {
        rows: &[
            Row::new("tune", "tune N", "plays a tune", |args| args.number("a number up to 9", 9).map(Tune::Play))
                .example("tune 3"),
            Row::new("hush", "hush", "stops it", |_| Ok(Tune::Stop)),
        ],
    };

    #[test]
    fn a_line_becomes_the_commands_of_its_game() {
        let table: Table = &TUNES;
        let tune = table.read("TUNE", " 3 ").unwrap().unwrap();
        assert_eq!(tune.open::<Tune>(), Ok(&Tune::Play(3)));
        assert_eq!(tune, GameCommand::new("tune", Tune::Play(3)));
        assert_ne!(tune, GameCommand::new("tune", Tune::Play(4)));
        assert_eq!(tune.open::<String>().unwrap_err().message, "`tune` is a command of another game");
        assert!(table.read("dance", "").is_none());
        assert_eq!(table.find("hush").map(|about| about.example), Some("hush"));
    }

    #[test]
    fn bad_arguments_come_with_the_usage() {
        let message = |name, args| TUNES.read(name, args).unwrap().unwrap_err().message;
        assert_eq!(message("tune", ""), "a number up to 9 is missing (usage: tune N)");
        assert_eq!(message("tune", "3 4"), "`4` is not expected here (usage: tune N)");
        assert_eq!(message("hush", "\"x"), "a quotation mark is not closed (usage: hush)");
    }
}
