//! What the protocols of game servers have in common. There the program is the client: lines come from the server, and
//! what a protocol writes to standard output goes to it.

use super::{Output, Reply, tables};
use crate::engine::{Answer, CommandError, CommandErrorKind};
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU32, Ordering},
};

/// How it stands on a server, across connections.
#[derive(Debug, Default)]
pub struct Standing {
    played: AtomicU32,
    /// So many games and no more.
    wanted: Option<u32>,
    /// Why there is no use in coming back.
    refused: OnceLock<String>,
}

impl Standing {
    pub fn new(wanted: Option<u32>) -> Arc<Standing> {
        Arc::new(Standing { wanted, ..Standing::default() })
    }

    /// A game is over; true when it was the last.
    pub fn finish_game(&self) -> bool {
        self.played.fetch_add(1, Ordering::Relaxed);
        self.is_done()
    }

    pub fn played(&self) -> u32 {
        self.played.load(Ordering::Relaxed)
    }

    pub fn is_done(&self) -> bool {
        self.wanted.is_some_and(|wanted| self.played() >= wanted)
    }

    pub fn refuse(&self, why: &str) {
        self.refused.get_or_init(|| why.to_owned());
    }

    pub fn refused(&self) -> Option<&str> {
        self.refused.get().map(String::as_str)
    }
}

/// Before a line for the person who watches; the others are for the server.
const REMARK: char = '#';

/// A line for the person who watches.
pub fn remark(text: &str) -> String {
    format!("{REMARK}{text}\n")
}

/// Lines for the server and remarks, each to its place.
pub fn say(text: &str, out: &mut Output) {
    for line in text.lines() {
        match line.strip_prefix(REMARK) {
            Some(remark) => out.err.push_str(&format!("{}\n", tables::printable(remark))),
            None => {
                out.out.push_str(line);
                out.out.push_str("\r\n");
            }
        }
    }
}

/// What a look at nothing answers: the text itself.
pub fn as_text(text: &str) -> Answer<Reply> {
    Ok(Reply::Text(text.to_owned()))
}

/// The server has said something that a client cannot go on with.
pub fn broken(message: impl Into<String>) -> CommandError {
    CommandError::new(CommandErrorKind::Syntax, message.into())
}
