//! `book …` as text: one table of verbs, each with its usage, its help and its reader.

use super::{
    entry::Level,
    formats::{Care, Format},
    learn::{deviate::Deviation, queue::Queue},
    lookup::MOST_VARIATION,
    maintain::{leaves::Which, merge::Winner, walk::Bounds},
    umigame::Reach,
};
use crate::othello::{Move, Square, notation::parse_move};
use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{is_not, take_till1},
    character::complete::{char, multispace0},
    combinator::{all_consuming, map},
    multi::many0,
    sequence::{delimited, preceded, terminated},
};
use std::path::PathBuf;

/// Something to do with the book, read and checked as far as the words go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BookCommand {
    Help,
    Use(bool),
    Error(u32),
    Variation(u32),
    Trust(bool),
    Autosave { on: bool, minutes: Option<u32> },
    Show,
    Set { square: Option<Square>, value: i32 },
    Add { square: Option<Square>, level: Option<Level> },
    Delete { square: Option<Square> },
    Learn(Learning),
    LearnGames { file: PathBuf, learning: Deviating },
    Store { depth: Option<u32>, level: Option<Level> },
    Fix { all: bool },
    Reduce(Bounds),
    Leaves { which: Which, bounds: Bounds, level: Option<Level> },
    Lines,
    Deepen { level: Option<Level> },
    Extend(Deviating),
    Fill { plies: u32, level: Option<Level> },
    Prune { depth: Option<u32> },
    Subtree,
    Merge { file: PathBuf, winner: Winner, reading: Reading },
    Import { file: PathBuf, reading: Reading },
    Export { file: PathBuf, format: Option<Format>, level: Option<Level> },
    Info { svg: Option<PathBuf> },
    Check { file: PathBuf, depth: Option<u32>, error: u32 },
    Extract { file: Option<PathBuf>, most: usize },
    Umigame(Reach),
    Verify,
    Load { file: PathBuf, reading: Reading, discard: bool },
    Save { file: Option<PathBuf> },
    New { discard: bool },
}

/// How to learn from a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learning {
    Deviate(Deviating),
    Queue { depth: u32, tolerance: u32, level: Option<Level> },
}

/// [`Deviation`], with the level in use where none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deviating {
    pub bounds: Bounds,
    pub level: Option<Level>,
    pub rounds: Option<u64>,
}

impl Deviating {
    pub fn at(self, level: Level) -> Deviation {
        Deviation { bounds: self.bounds, level: self.level.unwrap_or(level), rounds: self.rounds }
    }
}

impl Learning {
    /// The queue's settings, if that is the way.
    pub fn queue_at(self, level: Level) -> Option<Queue> {
        match self {
            Learning::Queue { depth, tolerance, level: own } => {
                Some(Queue { depth, tolerance, level: own.unwrap_or(level) })
            }
            Learning::Deviate(_) => None,
        }
    }
}

/// How to read a book file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    pub care: Care,
    /// For formats without levels.
    pub level: Option<Level>,
}

/// One verb of `book`.
pub struct Verb {
    pub name: &'static str,
    pub usage: &'static str,
    pub help: &'static str,
    /// May take long: to be run away from the session, with news and a way to stop it.
    pub long: bool,
    read: fn(&mut Words) -> Result<BookCommand, Unread>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("there is no `book {0}`; `book help` lists what there is")]
    Unknown(String),
    #[error("{problem} (usage: book {usage})")]
    Usage { problem: Unread, usage: &'static str },
    #[error("a quotation mark is not closed")]
    Quote,
}

/// What was wrong with the words after a verb.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("`{found}` is not {expected}")]
    Wrong { found: String, expected: &'static str },
    #[error("`{0}` is not expected here")]
    Extra(String),
}

/// The words of a line; quotation marks keep blanks together.
fn words(line: &str) -> Result<Vec<String>, CommandError> {
    fn word(input: &str) -> IResult<&str, String> {
        let quoted =
            |mark: char, inside: &'static str| delimited(char(mark), nom::combinator::opt(is_not(inside)), char(mark));
        let text = alt((
            map(quoted('"', "\""), |text: Option<&str>| text.unwrap_or_default().to_string()),
            map(quoted('\'', "'"), |text: Option<&str>| text.unwrap_or_default().to_string()),
            map(take_till1(|c: char| c.is_whitespace() || c == '"' || c == '\''), str::to_string),
        ));
        terminated(text, multispace0).parse(input)
    }
    let all = all_consuming(preceded(multispace0, many0(word))).parse(line);
    all.map(|(_, words)| words).map_err(|_| CommandError::Quote)
}

/// Words still to be read.
struct Words {
    words: std::collections::VecDeque<String>,
}

impl Words {
    fn next(&mut self) -> Option<String> {
        self.words.pop_front()
    }

    /// Takes the next word if it is this one.
    fn flag(&mut self, name: &str) -> bool {
        let is = self.words.front().is_some_and(|word| word.eq_ignore_ascii_case(name));
        if is {
            self.words.pop_front();
        }
        is
    }

    fn file(&mut self) -> Result<PathBuf, Unread> {
        self.next().map(PathBuf::from).ok_or(Unread::Missing("the name of a file"))
    }

    fn parsed<T>(&mut self, expected: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<T, Unread> {
        let found = self.next().ok_or(Unread::Missing(expected))?;
        read(&found).ok_or(Unread::Wrong { found, expected })
    }

    fn number(&mut self, expected: &'static str, most: u32) -> Result<u32, Unread> {
        self.parsed(expected, |word| word.parse().ok().filter(|n| *n <= most))
    }

    /// A number, or `inf` for none.
    fn limit(&mut self, expected: &'static str, most: u32) -> Result<Option<u32>, Unread> {
        self.parsed(expected, |word| match word.to_ascii_lowercase().as_str() {
            "inf" | "infinite" | "unlimited" => Some(None),
            word => word.parse().ok().filter(|n| *n <= most).map(Some),
        })
    }

    fn switch(&mut self) -> Result<bool, Unread> {
        self.parsed("on or off", |word| match word.to_ascii_lowercase().as_str() {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        })
    }

    fn level(&mut self) -> Result<Level, Unread> {
        self.parsed("a level from 1 to 60", |word| word.parse().ok().filter(|level| *level <= Level::MAX))
    }

    /// A square, if the next word is one.
    fn square(&mut self) -> Option<Square> {
        let square = match parse_move(self.words.front()?) {
            Ok(Move::Place(square)) => square,
            _ => return None,
        };
        self.words.pop_front();
        Some(square)
    }

    fn end(&mut self) -> Result<(), Unread> {
        self.next().map_or(Ok(()), |word| Err(Unread::Extra(word)))
    }

    /// Reads options in any order until the words are used up; `read` says whether it knew the word.
    fn options(&mut self, mut read: impl FnMut(&str, &mut Words) -> Result<bool, Unread>) -> Result<(), Unread> {
        while let Some(word) = self.next() {
            if !read(&word.to_ascii_lowercase(), self)? {
                return Err(Unread::Extra(word));
            }
        }
        Ok(())
    }
}

/// Where learning goes unless told otherwise.
pub const DEFAULT_DEPTH: u32 = 24;
pub const DEFAULT_ERROR: u32 = 2;
pub const DEFAULT_SUM: u32 = 4;
const DEFAULT_TOLERANCE: u32 = 10;
const PLIES: &str = "a number of plies (0 to 60) or inf";
const DISCS: &str = "a number of discs (0 to 128) or inf";

/// Reads one of the four bounds; a leaf may lose what a move may, unless told.
fn bound(bounds: &mut Bounds, leaf_told: &mut bool, word: &str, words: &mut Words) -> Result<bool, Unread> {
    match word {
        "depth" => bounds.depth = words.limit(PLIES, 60)?,
        "error" => bounds.per_move = words.limit(DISCS, 128)?,
        "sum" => bounds.sum = words.limit(DISCS, 10_000)?,
        "leaf" => {
            bounds.leaf = words.limit(DISCS, 128)?;
            *leaf_told = true;
        }
        _ => return Ok(false),
    }
    if !*leaf_told {
        bounds.leaf = bounds.per_move;
    }
    Ok(true)
}

const USUAL: Bounds = Bounds {
    depth: Some(DEFAULT_DEPTH),
    per_move: Some(DEFAULT_ERROR),
    sum: Some(DEFAULT_SUM),
    leaf: Some(DEFAULT_ERROR),
};

fn deviating(words: &mut Words, usual: Bounds) -> Result<Deviating, Unread> {
    let mut how = Deviating { bounds: usual, level: None, rounds: None };
    let mut leaf_told = false;
    words.options(|word, words| {
        match word {
            "level" => how.level = Some(words.level()?),
            "rounds" => how.rounds = words.limit("a number of rounds or inf", u32::MAX)?.map(u64::from),
            _ => return bound(&mut how.bounds, &mut leaf_told, word, words),
        }
        Ok(true)
    })?;
    Ok(how)
}

fn learn(words: &mut Words) -> Result<BookCommand, Unread> {
    if !words.flag("queue") {
        words.flag("deviate");
        return Ok(BookCommand::Learn(Learning::Deviate(deviating(words, USUAL)?)));
    }
    let (mut depth, mut tolerance, mut level) = (DEFAULT_DEPTH, DEFAULT_TOLERANCE, None);
    words.options(|word, words| {
        match word {
            "depth" => depth = words.limit(PLIES, 60)?.unwrap_or(60),
            "tolerance" => tolerance = words.limit(DISCS, 128)?.unwrap_or(64),
            "level" => level = Some(words.level()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(BookCommand::Learn(Learning::Queue { depth, tolerance, level }))
}

/// `level L` and nothing else.
fn only_level(words: &mut Words) -> Result<Option<Level>, Unread> {
    let level = if words.flag("level") { Some(words.level()?) } else { None };
    words.end().map(|()| level)
}

/// `depth D` and `level L` in any order.
fn depth_and_level(words: &mut Words) -> Result<(Option<u32>, Option<Level>), Unread> {
    let (mut depth, mut level) = (None, None);
    words.options(|word, words| {
        match word {
            "depth" => depth = words.limit(PLIES, 60)?,
            "level" => level = Some(words.level()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((depth, level))
}

/// Words about reading a file, and one more that the caller knows.
fn reading(words: &mut Words, mut other: impl FnMut(&str) -> bool) -> Result<Reading, Unread> {
    let mut reading = Reading::default();
    words.options(|word, words| {
        match word {
            "lenient" => reading.care = Care::Lenient,
            "strict" => reading.care = Care::Strict,
            "level" => reading.level = Some(words.level()?),
            _ => return Ok(other(word)),
        }
        Ok(true)
    })?;
    Ok(reading)
}

fn leaves(words: &mut Words) -> Result<BookCommand, Unread> {
    let (mut which, mut bounds, mut level, mut leaf_told) = (Which::default(), USUAL, None, false);
    words.options(|word, words| {
        match word {
            "missing" => which = Which::Missing,
            "weaker" => which = Which::Weaker,
            "all" => which = Which::All,
            "level" => level = Some(words.level()?),
            _ => return bound(&mut bounds, &mut leaf_told, word, words),
        }
        Ok(true)
    })?;
    Ok(BookCommand::Leaves { which, bounds, level })
}

fn merge(words: &mut Words) -> Result<BookCommand, Unread> {
    let file = words.file()?;
    let mut winner = Winner::default();
    let reading = reading(words, |word| {
        winner = match word {
            "later" => Winner::Later,
            "missing" => Winner::Present,
            _ => return false,
        };
        true
    })?;
    Ok(BookCommand::Merge { file, winner, reading })
}

fn export(words: &mut Words) -> Result<BookCommand, Unread> {
    let file = words.file()?;
    let (mut format, mut level) = (None, None);
    words.options(|word, words| {
        match word {
            "level" => level = Some(words.level()?),
            word => format = Some(Format::by_name(word).ok_or_else(|| Unread::Extra(word.into()))?),
        }
        Ok(true)
    })?;
    Ok(BookCommand::Export { file, format, level })
}

fn check(words: &mut Words) -> Result<BookCommand, Unread> {
    let file = words.file()?;
    let (mut depth, mut error) = (None, DEFAULT_ERROR);
    words.options(|word, words| {
        match word {
            "depth" => depth = words.limit(PLIES, 60)?,
            "error" => error = words.limit(DISCS, 128)?.unwrap_or(128),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(BookCommand::Check { file, depth, error })
}

fn value(words: &mut Words) -> Result<i32, Unread> {
    words.parsed("a value from -64 to 64", |word| {
        let word = word.strip_prefix('+').unwrap_or(word);
        word.parse().ok().filter(|n: &i32| n.abs() <= 64)
    })
}

fn load(words: &mut Words) -> Result<BookCommand, Unread> {
    let file = words.file()?;
    let mut discard = false;
    let reading = reading(words, |word| {
        discard |= word == "discard";
        word == "discard"
    })?;
    Ok(BookCommand::Load { file, reading, discard })
}

fn ended(words: &mut Words, command: BookCommand) -> Result<BookCommand, Unread> {
    words.end().map(|()| command)
}

/// All verbs of `book`, in the order of the help.
pub const VERBS: &[Verb] = &[
    Verb { name: "help", usage: "help", help: "this list", long: false, read: |w| ended(w, BookCommand::Help) },
    Verb {
        name: "on",
        usage: "on",
        help: "play from the book",
        long: false,
        read: |w| ended(w, BookCommand::Use(true)),
    },
    Verb {
        name: "off",
        usage: "off",
        help: "do not play from the book",
        long: false,
        read: |w| ended(w, BookCommand::Use(false)),
    },
    Verb {
        name: "error",
        usage: "error DISCS",
        help: "play any book move that is at most so much worse than the best, with equal chances",
        long: false,
        read: |w| {
            let discs = w.number("a number of discs (0 to 128)", 128)?;
            ended(w, BookCommand::Error(discs))
        },
    },
    Verb {
        name: "variation",
        usage: "variation LEVEL",
        help: "0 to 10: play book moves up to twice the level worse than the best, the worse the rarer",
        long: false,
        read: |w| {
            let level = w.number("a level from 0 to 10", MOST_VARIATION)?;
            ended(w, BookCommand::Variation(level))
        },
    },
    Verb {
        name: "trust",
        usage: "trust on|off",
        help: "off: before a book move is played, look whether a move outside the book is better",
        long: false,
        read: |w| {
            let on = w.switch()?;
            ended(w, BookCommand::Trust(on))
        },
    },
    Verb {
        name: "autosave",
        usage: "autosave on|off [MINUTES]",
        help: "save by itself at the end and, while learning, every so many minutes (0: after every step)",
        long: false,
        read: |w| {
            let on = w.switch()?;
            let minutes = if w.words.is_empty() { None } else { Some(w.number("minutes (0 to 1440)", 1440)?) };
            ended(w, BookCommand::Autosave { on, minutes })
        },
    },
    Verb {
        name: "show",
        usage: "show",
        help: "what the book knows here: each move with value, level, lines, accuracy, Umigame's number, leaf",
        long: false,
        read: |w| ended(w, BookCommand::Show),
    },
    Verb {
        name: "set",
        usage: "set [MOVE] VALUE",
        help: "give a move (or the position) a value by hand, for the side to move; its level becomes S",
        long: false,
        read: |w| {
            let square = w.square();
            let value = value(w)?;
            ended(w, BookCommand::Set { square, value })
        },
    },
    Verb {
        name: "add",
        usage: "add [MOVE] [level L]",
        help: "search a move (or the position) and put it into the book",
        long: true,
        read: |w| {
            let square = w.square();
            Ok(BookCommand::Add { square, level: only_level(w)? })
        },
    },
    Verb {
        name: "delete",
        usage: "delete [MOVE]",
        help: "take a move (or the position) out of the book",
        long: false,
        read: |w| {
            let square = w.square();
            ended(w, BookCommand::Delete { square })
        },
    },
    Verb {
        name: "learn",
        usage: "learn [deviate] [depth D] [error E] [sum S] [leaf E] [level L] [rounds N] | learn queue [depth D] [tolerance T] [level L]",
        help: "let the book grow from here: deviate follows good play and takes in leaves that lose little (each bound may be inf); queue tries all moves of even positions",
        long: true,
        read: learn,
    },
    Verb {
        name: "learn-games",
        usage: "learn-games FILE [depth D] [error E] [sum S] [leaf E] [level L] [rounds N]",
        help: "learn from the last position of every game of a file (one transcript a line); bad lines are named first",
        long: true,
        read: |w| {
            let file = w.file()?;
            Ok(BookCommand::LearnGames { file, learning: deviating(w, USUAL)? })
        },
    },
    Verb {
        name: "store",
        usage: "store [depth D] [level L]",
        help: "put the positions of the present game into the book",
        long: true,
        read: |w| depth_and_level(w).map(|(depth, level)| BookCommand::Store { depth, level }),
    },
    Verb {
        name: "fix",
        usage: "fix [all]",
        help: "put links, values (from the ends up), lines and leaves in order and delete orphans; all: values given by hand too",
        long: true,
        read: |w| {
            let all = w.flag("all");
            ended(w, BookCommand::Fix { all })
        },
    },
    Verb {
        name: "reduce",
        usage: "reduce [depth D] [error E] [sum S]",
        help: "delete below this position what good play within these bounds does not reach",
        long: true,
        read: |w| Ok(BookCommand::Reduce(deviating(w, USUAL)?.bounds)),
    },
    Verb {
        name: "leaves",
        usage: "leaves [missing|weaker|all] [depth D] [error E] [sum S] [level L]",
        help: "search the leaves of the positions that good play reaches from here",
        long: true,
        read: leaves,
    },
    Verb {
        name: "lines",
        usage: "lines",
        help: "count the lines below each position again",
        long: true,
        read: |w| ended(w, BookCommand::Lines),
    },
    Verb {
        name: "deepen",
        usage: "deepen [level L]",
        help: "search again what was found at a lower level at the edge of the book",
        long: true,
        read: |w| Ok(BookCommand::Deepen { level: only_level(w)? }),
    },
    Verb {
        name: "extend",
        usage: "extend [depth D] [level L] [rounds N]",
        help: "take in every leaf that is as good as the best move of the book",
        long: true,
        read: |w| Ok(BookCommand::Extend(deviating(w, Bounds { depth: Some(DEFAULT_DEPTH), ..Bounds::NONE })?)),
    },
    Verb {
        name: "fill",
        usage: "fill [PLIES] [level L]",
        help: "put in positions from which at most so many moves lead back into the book",
        long: true,
        read: |w| {
            let told = w.words.front().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
            let plies = if told { w.number("a number of plies (1 to 4)", 4)?.max(1) } else { 1 };
            Ok(BookCommand::Fill { plies, level: only_level(w)? })
        },
    },
    Verb {
        name: "prune",
        usage: "prune [depth D]",
        help: "delete below this position what is not reached when one of the sides plays best",
        long: true,
        read: |w| {
            let depth = if w.flag("depth") { w.limit(PLIES, 60)? } else { None };
            ended(w, BookCommand::Prune { depth })
        },
    },
    Verb {
        name: "subtree",
        usage: "subtree",
        help: "keep only what lies below this position, and the way to it",
        long: true,
        read: |w| ended(w, BookCommand::Subtree),
    },
    Verb {
        name: "merge",
        usage: "merge FILE [later|missing] [lenient] [level L]",
        help: "add another book: the higher level wins, on equal levels the newcomer; later: always the newcomer; missing: only new positions",
        long: true,
        read: merge,
    },
    Verb {
        name: "import",
        usage: "import FILE [lenient] [level L]",
        help: "add the book of another program (egbk3, egbk2, egbk, Edax, Egaroucid 5 text, Zebra); level: for formats without",
        long: true,
        read: |w| {
            let file = w.file()?;
            Ok(BookCommand::Import { file, reading: reading(w, |_| false)? })
        },
    },
    Verb {
        name: "export",
        usage: "export FILE [skbook|egbk3|egbk2|edax|edax-text|text] [level L]",
        help: "write the book for another program; without a format the name decides; level: one for all positions",
        long: true,
        read: export,
    },
    Verb {
        name: "info",
        usage: "info [FILE.svg]",
        help: "positions by level and by ply; with a file, also as a picture",
        long: true,
        read: |w| {
            let svg = w.next().map(PathBuf::from);
            ended(w, BookCommand::Info { svg })
        },
    },
    Verb {
        name: "check",
        usage: "check FILE [depth D] [error E]",
        help: "hold the games of a file against the book",
        long: true,
        read: check,
    },
    Verb {
        name: "extract",
        usage: "extract [N] [FILE]",
        help: "the lines of best moves from here, at most N of them, shown or written to a file",
        long: true,
        read: |w| {
            let told = w.words.front().and_then(|word| word.parse().ok());
            let most = told.inspect(|_: &usize| _ = w.next()).unwrap_or(100);
            let file = w.next().map(PathBuf::from);
            ended(w, BookCommand::Extract { file, most })
        },
    },
    Verb {
        name: "umigame",
        usage: "umigame [DEPTH] [ERROR]",
        help: "Umigame's number of every book move: the lines each side must know if both play best moves",
        long: true,
        read: |w| {
            let usual = Reach::default();
            let depth = if w.words.is_empty() { usual.depth } else { w.number(PLIES, 60)? };
            let error = if w.words.is_empty() { usual.error } else { w.number("a number of discs (0 to 128)", 128)? };
            ended(w, BookCommand::Umigame(Reach { depth, error }))
        },
    },
    Verb {
        name: "verify",
        usage: "verify",
        help: "read the whole file of the book against its checksums",
        long: true,
        read: |w| ended(w, BookCommand::Verify),
    },
    Verb {
        name: "load",
        usage: "load FILE [lenient] [level L] [discard]",
        help: "use another book from now on, in any known format; lenient: take what is sound of a damaged one; discard: drop unsaved changes",
        long: true,
        read: load,
    },
    Verb {
        name: "save",
        usage: "save [FILE]",
        help: "save the book; with a name, to that file from now on",
        long: true,
        read: |w| {
            let file = w.next().map(PathBuf::from);
            ended(w, BookCommand::Save { file })
        },
    },
    Verb {
        name: "new",
        usage: "new [discard]",
        help: "begin an empty book; discard: drop unsaved changes",
        long: false,
        read: |w| {
            let discard = w.flag("discard");
            ended(w, BookCommand::New { discard })
        },
    },
];

/// The verb a line begins with.
pub fn verb(line: &str) -> Option<&'static Verb> {
    let name = line.split_whitespace().next().unwrap_or("help");
    VERBS.iter().find(|verb| verb.name.eq_ignore_ascii_case(name))
}

/// Reads what follows `book`.
pub fn parse(line: &str) -> Result<BookCommand, CommandError> {
    let mut words = Words { words: words(line)?.into() };
    let name = words.next().unwrap_or_else(|| "help".into());
    let verb = VERBS.iter().find(|verb| verb.name.eq_ignore_ascii_case(&name)).ok_or(CommandError::Unknown(name))?;
    (verb.read)(&mut words).map_err(|problem| CommandError::Usage { problem, usage: verb.usage })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sq(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn every_usage_begins_with_its_verb_and_names_are_unique() {
        for (i, verb) in VERBS.iter().enumerate() {
            assert!(verb.usage.split(' ').next() == Some(verb.name), "{}", verb.usage);
            assert!(VERBS[..i].iter().all(|other| other.name != verb.name));
        }
    }

    #[test]
    fn learning_and_its_bounds() {
        let learn = |line: &str| match parse(line) {
            Ok(BookCommand::Learn(Learning::Deviate(how))) => how,
            other => panic!("{other:?}"),
        };
        assert_eq!(learn("learn").bounds, USUAL);
        let how = learn("learn deviate depth 12 error 3 sum inf level 10 rounds 15");
        let bounds = Bounds { depth: Some(12), per_move: Some(3), sum: None, leaf: Some(3) };
        assert_eq!((how.bounds, how.level.map(Level::raw), how.rounds), (bounds, Some(10), Some(15)));
        assert_eq!(learn("learn leaf 1 error 4").bounds.leaf, Some(1));
        let queue = Learning::Queue { depth: 30, tolerance: 10, level: None };
        assert_eq!(parse("learn queue depth 30"), Ok(BookCommand::Learn(queue)));
    }

    #[test]
    fn squares_values_files_and_words() {
        assert_eq!(parse("set f5 -3"), Ok(BookCommand::Set { square: Some(sq("f5")), value: -3 }));
        assert_eq!(parse("set +12"), Ok(BookCommand::Set { square: None, value: 12 }));
        assert_eq!(parse("delete D6"), Ok(BookCommand::Delete { square: Some(sq("d6")) }));
        let file = PathBuf::from("my book.dat");
        assert_eq!(
            parse(r#"merge "my book.dat" later lenient"#),
            Ok(BookCommand::Merge {
                file: file.clone(),
                winner: Winner::Later,
                reading: Reading { care: Care::Lenient, level: None }
            })
        );
        assert_eq!(
            parse("export 'my book.dat' edax level 21"),
            Ok(BookCommand::Export { file, format: Some(Format::Edax), level: Some(Level::of_search(21)) })
        );
        assert_eq!(parse("autosave on 5"), Ok(BookCommand::Autosave { on: true, minutes: Some(5) }));
        assert_eq!(parse("umigame 20"), Ok(BookCommand::Umigame(Reach { depth: 20, error: 0 })));
        assert_eq!(parse("fill level 5"), Ok(BookCommand::Fill { plies: 1, level: Some(Level::of_search(5)) }));
        assert_eq!(parse(""), Ok(BookCommand::Help));
        assert_eq!(parse("extract 5 out.txt"), Ok(BookCommand::Extract { file: Some("out.txt".into()), most: 5 }));
    }

    #[test]
    fn errors_say_what_is_wrong_and_what_is_right() {
        for (line, message) in [
            ("frobnicate", "there is no `book frobnicate`; `book help` lists what there is"),
            ("error", "a number of discs (0 to 128) is missing (usage: book error DISCS)"),
            ("variation 11", "`11` is not a level from 0 to 10 (usage: book variation LEVEL)"),
            ("trust maybe", "`maybe` is not on or off (usage: book trust on|off)"),
            ("set z9 3", "`z9` is not a value from -64 to 64 (usage: book set [MOVE] VALUE)"),
            ("show me", "`me` is not expected here (usage: book show)"),
            ("deepen level 70", "`70` is not a level from 1 to 60 (usage: book deepen [level L])"),
            ("load \"half", "a quotation mark is not closed"),
        ] {
            assert_eq!(parse(line).unwrap_err().to_string(), message, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_it_panic(line in ".{0,60}") {
            let _ = parse(&line);
            for verb in VERBS {
                let _ = parse(&format!("{} {line}", verb.name));
            }
        }
    }
}
