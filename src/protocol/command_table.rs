//! The one shape of a command table in the line protocols (console, GTP, NBoard). Reading a line, `help`,
//! `list_commands`, the recognition of a protocol by its first line and the tables in the docs come out of it.

use super::Command;
use crate::engine::{CommandError, Game};

/// A row: what a person reads about a command, and the reader that makes it a [`Command`]. `X` is what one protocol
/// alone has to say about its commands, `E` what its readers complain with.
pub struct Entry<X, E: 'static = CommandError> {
    pub name: &'static str,
    /// Other names, accepted but not listed.
    pub aliases: &'static [&'static str],
    /// What follows the name.
    pub arguments: &'static str,
    pub help: &'static str,
    /// More for `help COMMAND`; may be empty.
    pub more: &'static str,
    /// Only for this game.
    pub only: Option<Game>,
    /// Reads what follows the name.
    pub read: fn(&str) -> Result<Command, E>,
    pub own: X,
}

impl<X, E> Entry<X, E> {
    /// The name with its arguments.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_owned()
    }

    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }

    pub fn is_for(&self, game: Game) -> bool {
        self.only.is_none_or(|only| only == game)
    }

    #[cfg(test)]
    pub fn about(&self) -> CommandHelp {
        CommandHelp { usage: self.usage(), aliases: self.aliases, help: self.help }
    }
}

pub fn find<X, E>(table: &'static [Entry<X, E>], word: &str) -> Option<&'static Entry<X, E>> {
    table.iter().find(|entry| entry.is_called(word))
}

/// A command as the docs show it.
#[cfg(test)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandHelp {
    pub usage: String,
    pub aliases: &'static [&'static str],
    pub help: &'static str,
}
