//! What the book knows about one position.

use crate::othello::{Board, Square};
use std::{fmt, str::FromStr};

/// How a value came about: the level of the search, or a person's word.
///
/// The order is the order of trust: unknown, levels 1 to 60, by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Level(u8);

impl Level {
    pub const UNKNOWN: Level = Level(0);
    /// Entered by hand, shown as `S`: above every level of the engine.
    pub const HAND: Level = Level(70);
    pub const MAX: Level = Level(60);

    /// A level as it stands in a file: 0, 1 to 60, or 70.
    pub const fn new(raw: u8) -> Option<Level> {
        match raw {
            0..=60 | 70 => Some(Level(raw)),
            _ => None,
        }
    }

    /// A level of the engine; what lies outside 1 to 60 is brought in.
    pub fn from_search(level: u8) -> Level {
        Level(level.clamp(1, 60))
    }

    pub const fn raw(self) -> u8 {
        self.0
    }

    pub const fn is_known(self) -> bool {
        self.0 != 0
    }

    pub const fn is_hand(self) -> bool {
        self.0 == Level::HAND.0
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Level::UNKNOWN => f.pad("-"),
            Level::HAND => f.pad("S"),
            Level(n) => f.pad(&n.to_string()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a level (1 to 60, or S)")]
pub struct NotALevel(pub String);

impl FromStr for Level {
    type Err = NotALevel;

    fn from_str(text: &str) -> Result<Level, NotALevel> {
        match text {
            "S" | "s" => Ok(Level::HAND),
            _ => match text.parse() {
                Ok(n @ 1..=60) => Ok(Level(n)),
                _ => Err(NotALevel(text.into())),
            },
        }
    }
}

/// Where an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Source {
    #[default]
    Unknown,
    /// The engine's own search.
    Search,
    /// Typed in by a person.
    Hand,
    /// Brought up from the positions below it.
    Negamax,
    /// Another program's book.
    Import,
}

impl Source {
    pub const ALL: [Source; 5] = [Source::Unknown, Source::Search, Source::Hand, Source::Negamax, Source::Import];

    pub const fn raw(self) -> u8 {
        self as u8
    }

    pub fn from_raw(raw: u8) -> Source {
        *Source::ALL.get(usize::from(raw)).unwrap_or(&Source::Unknown)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Source::Unknown => "unknown",
            Source::Search => "search",
            Source::Hand => "hand",
            Source::Negamax => "negamax",
            Source::Import => "import",
        }
    }
}

/// The most promising move that the book does not follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// For the side to move in the position that has the leaf.
    pub value: i8,
    pub square: Square,
    pub level: Level,
}

/// A position and what is known of it. Values are discs, seen by the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The position, in canonical form.
    pub board: Board,
    /// Value in discs for the side to move.
    pub value: i8,
    /// How the value was found.
    pub level: Level,
    /// 1 + the lines of the positions one move on: counted along moves, so a position reached in two ways counts twice.
    pub lines: u32,
    /// The best move that leaves the book.
    pub leaf: Option<Leaf>,
    /// Who gave the value.
    pub source: Source,
}

/// Where a count of lines stops growing.
pub const MOST_LINES: u32 = 4_000_000_000;

/// The largest value of a position, in discs.
pub const MOST_DISCS: i8 = 64;

impl Entry {
    /// An entry without a leaf.
    pub fn new(board: Board, value: i32, level: Level, source: Source) -> Entry {
        Entry { board, value: in_discs(value), level, lines: 1, leaf: None, source }
    }

    /// The same knowledge about the image of the board under symmetry `s`.
    pub fn symmetry(self, s: u8) -> Entry {
        let leaf = self.leaf.map(|leaf| Leaf { square: leaf.square.symmetry(s), ..leaf });
        Entry { board: self.board.symmetry(s), leaf, ..self }
    }

    /// As the book keeps it: turned to the canonical image.
    #[cfg(test)]
    pub fn canonical(self) -> Entry {
        let (_, s) = self.board.canonical();
        self.symmetry(s)
    }

    /// What was known of the canonical image, told about the image that symmetry `s` made canonical.
    pub fn symmetry_back(self, s: u8) -> Entry {
        self.symmetry(inverse(s))
    }
}

/// The symmetry that undoes `s` (see [`Board::symmetry`]).
pub const fn inverse(s: u8) -> u8 {
    match s {
        5 => 6,
        6 => 5,
        _ => s,
    }
}

/// A value brought into −64 to 64.
pub fn in_discs(value: i32) -> i8 {
    value.clamp(-i32::from(MOST_DISCS), i32::from(MOST_DISCS)) as i8
}

/// Number of moves made: 0 at the start.
pub fn ply(board: Board) -> u32 {
    board.disc_count().saturating_sub(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_by_trust() {
        let ten: Level = "10".parse().unwrap();
        assert!(Level::UNKNOWN < ten && ten < Level::MAX && Level::MAX < Level::HAND);
        assert_eq!("s".parse(), Ok(Level::HAND));
        for bad in ["0", "61", "70", "-1", "", "x"] {
            assert!(bad.parse::<Level>().is_err(), "{bad}");
        }
        assert_eq!(Level::new(65), None);
        assert_eq!(Level::HAND.to_string(), "S");
    }

    #[test]
    fn an_entry_turned_and_turned_back_is_the_same() {
        let board = Board::START.play("f5".parse().unwrap()).unwrap();
        let leaf = Leaf { value: 3, square: "d6".parse().unwrap(), level: Level::MAX };
        let entry = Entry { leaf: Some(leaf), ..Entry::new(board, -2, Level::MAX, Source::Search) };
        for s in 0..8 {
            assert_eq!(entry.symmetry(s).symmetry_back(s), entry);
            let turned = entry.symmetry(s);
            assert!(turned.board.play(turned.leaf.unwrap().square).is_some(), "the leaf stays legal");
        }
    }
}
