//! `book …` as text: one table of verbs, each with its usage, its help and its reader.

mod readers;
mod verbs;
mod words;

pub use readers::{DEFAULT_DEPTH, umigame};
pub use verbs::VERBS;

use super::{
    entry::Level,
    formats::{Care, Format},
    learn::{deviate::Deviation, queue::Queue},
    maintain::{leaves::Which, merge::Winner, walk::Bounds},
    umigame::Reach,
};
use crate::{
    base::{Args, BadArgs},
    engine::command::Topic,
    othello::Square,
};
use std::path::PathBuf;

/// Something to do with the book, read and checked as far as the words go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BookCommand {
    /// All verbs, or one.
    Help(Option<&'static str>),
    Use(bool),
    Error(u32),
    Variation(u32),
    Trust(bool),
    Autosave {
        on: bool,
        minutes: Option<u32>,
    },
    Show,
    Set {
        square: Option<Square>,
        value: i32,
    },
    Add {
        square: Option<Square>,
        level: Option<Level>,
    },
    Delete {
        square: Option<Square>,
    },
    Learn(Learning),
    LearnGames {
        file: PathBuf,
        learning: Deviating,
    },
    Store {
        depth: Option<u32>,
        level: Option<Level>,
    },
    Fix {
        all: bool,
    },
    Reduce(Bounds),
    Leaves {
        which: Which,
        bounds: Bounds,
        level: Option<Level>,
    },
    Lines,
    Deepen {
        level: Option<Level>,
    },
    Extend(Deviating),
    Fill {
        plies: u32,
        level: Option<Level>,
    },
    Prune {
        depth: Option<u32>,
    },
    Subtree,
    Merge {
        file: PathBuf,
        winner: Winner,
        reading: Reading,
    },
    Import {
        file: PathBuf,
        reading: Reading,
    },
    Export {
        file: PathBuf,
        format: Option<Format>,
        level: Option<Level>,
    },
    Info {
        svg: Option<PathBuf>,
    },
    Check {
        file: PathBuf,
        depth: Option<u32>,
        error: u32,
    },
    Extract {
        file: Option<PathBuf>,
        most: usize,
    },
    Umigame(Reach),
    Verify,
    Load {
        file: PathBuf,
        reading: Reading,
        discard: bool,
    },
    Save {
        file: Option<PathBuf>,
    },
    New {
        discard: bool,
    },
    /// Drop what was changed since the book was read or saved.
    Revert,
}

impl BookCommand {
    /// Takes a book from a file or puts it into one.
    pub fn moves_files(&self) -> bool {
        matches!(
            self,
            BookCommand::Merge { .. }
                | BookCommand::Import { .. }
                | BookCommand::Export { .. }
                | BookCommand::Load { .. }
                | BookCommand::Save { .. }
        )
    }

    /// The book may be another afterwards.
    pub fn changes(&self) -> bool {
        match self {
            BookCommand::Help(_)
            | BookCommand::Use(_)
            | BookCommand::Error(_)
            | BookCommand::Variation(_)
            | BookCommand::Trust(_)
            | BookCommand::Autosave { .. }
            | BookCommand::Show
            | BookCommand::Export { .. }
            | BookCommand::Info { .. }
            | BookCommand::Check { .. }
            | BookCommand::Extract { .. }
            | BookCommand::Umigame(_)
            | BookCommand::Verify
            | BookCommand::Load { .. }
            | BookCommand::Save { .. }
            | BookCommand::New { .. }
            | BookCommand::Revert => false,
            BookCommand::Set { .. }
            | BookCommand::Add { .. }
            | BookCommand::Delete { .. }
            | BookCommand::Learn(_)
            | BookCommand::LearnGames { .. }
            | BookCommand::Store { .. }
            | BookCommand::Fix { .. }
            | BookCommand::Reduce(_)
            | BookCommand::Leaves { .. }
            | BookCommand::Lines
            | BookCommand::Deepen { .. }
            | BookCommand::Extend(_)
            | BookCommand::Fill { .. }
            | BookCommand::Prune { .. }
            | BookCommand::Subtree
            | BookCommand::Merge { .. }
            | BookCommand::Import { .. } => true,
        }
    }
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
    /// What holds for what is left out; may be empty.
    pub defaults: &'static str,
    /// A line that can be typed.
    pub example: &'static str,
    read: fn(&mut Args) -> Result<BookCommand, BadArgs>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("there is no `book {0}`; `book help` lists what there is")]
    Unknown(String),
    #[error("{problem} (usage: book {usage})")]
    Usage { problem: BadArgs, usage: &'static str },
    #[error("a quotation mark is not closed")]
    Quote,
}

/// The verbs as `help` explains them.
pub fn topics() -> Vec<Topic> {
    let topic = |verb: &Verb| Topic {
        name: verb.name,
        usage: verb.usage,
        help: verb.help,
        defaults: verb.defaults,
        example: verb.example,
    };
    VERBS.iter().map(topic).collect()
}

/// Reads what follows `book`.
pub fn parse(line: &str) -> Result<BookCommand, CommandError> {
    read(&mut Args::new(line).map_err(|_| CommandError::Quote)?)
}

/// Reads what follows `book` from words already told apart.
pub fn read(words: &mut Args) -> Result<BookCommand, CommandError> {
    let name = words.next_word().unwrap_or_else(|| "help".into());
    let verb = VERBS.iter().find(|verb| verb.name.eq_ignore_ascii_case(&name)).ok_or(CommandError::Unknown(name))?;
    (verb.read)(words).map_err(|problem| CommandError::Usage { problem, usage: verb.usage })
}

#[cfg(test)]
mod tests {
    use super::{readers::USUAL, *};

    fn sq(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn every_usage_begins_with_its_verb_and_names_are_unique() {
        for (i, verb) in VERBS.iter().enumerate() {
            assert!(verb.usage.split(' ').next() == Some(verb.name), "{}", verb.usage);
            assert!(VERBS[..i].iter().all(|other| other.name != verb.name));
            let example = verb.example.strip_prefix("book ").expect("a line that can be typed");
            assert!(example.starts_with(verb.name) && parse(example).is_ok(), "{example}");
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
            Ok(BookCommand::Export { file, format: Some(Format::Edax), level: Some(Level::from_search(21)) })
        );
        assert_eq!(parse("autosave on 5"), Ok(BookCommand::Autosave { on: true, minutes: Some(5) }));
        assert_eq!(parse("umigame 20"), Ok(BookCommand::Umigame(Reach { depth: 20, error: 0 })));
        assert_eq!(parse("fill level 5"), Ok(BookCommand::Fill { plies: 1, level: Some(Level::from_search(5)) }));
        assert_eq!(parse(""), Ok(BookCommand::Help(None)));
        assert_eq!(parse("help LEARN"), Ok(BookCommand::Help(Some("learn"))));
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
