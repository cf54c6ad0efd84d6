//! Answers that are neither a move nor a board: text, tables, drawings. Protocols decide how they look.

use super::Colour;
use std::borrow::Cow;

/// A table with named columns; the last column may be long.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub title: String,
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Cell>>,
    /// Sentences below the table: totals, warnings.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Text(String),
    /// The program's own words, which people read in their language; `Text` is data.
    Phrase(Cow<'static, str>),
    Whole(i64),
    /// A number and how many decimals to show.
    Real(f64, u8),
    /// A value in discs: shown with its sign.
    Discs(f64),
    /// Ways a game may go: as one text where there are only lines, and step by step.
    Ways {
        text: String,
        ways: Vec<Way>,
    },
    Nothing,
}

/// One way: facts about its first step, and the ways from there.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    pub facts: Vec<(&'static str, Cell)>,
    pub next: Vec<Way>,
}

impl Cell {
    pub fn phrase(words: impl Into<Cow<'static, str>>) -> Cell {
        Cell::Phrase(words.into())
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

macro_rules! whole_cells {
    ($($kind:ty)*) => {$(
        impl From<$kind> for Cell {
            fn from(n: $kind) -> Cell {
                i64::try_from(n).map_or_else(|_| Cell::Text(n.to_string()), Cell::Whole)
            }
        }
    )*};
}
whole_cells!(i8 u8 i16 u16 i32 u32 i64 u64 usize);

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Cell {
        cell.map_or(Cell::Nothing, Into::into)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// Done, and nothing to say about it.
    Nothing,
    /// Lines of text without a final newline.
    Text(String),
    /// A sentence of ours, for people in their language; `Text` is data.
    Sentence(&'static str),
    Table(Table),
    /// A number for every point of a board, or for some.
    Points(PerPoint),
    /// A label for some points of a board.
    Labels(PerLabel),
    /// What a person sees best on the board.
    OnBoard(Box<OnBoard>),
    /// Moves or points by name.
    Names(Vec<String>),
    /// Chains of stones, or other sets of points.
    Chains(Vec<Vec<String>>),
    /// Black's points minus white's.
    Score(f64),
    /// Several of these, one after the other.
    Several(Vec<Report>),
}

/// A number for every point of a board, row by row as its diagrams are printed.
#[derive(Debug, Clone, PartialEq)]
pub struct PerPoint {
    /// Points in a row.
    pub width: usize,
    /// `None`: nothing is known or nothing is to be said.
    pub values: Vec<Option<f32>>,
    /// How many decimals to show.
    pub decimals: u8,
}

/// A label for some points of a board, row by row as its diagrams are printed. Labels have no blanks.
#[derive(Debug, Clone, PartialEq)]
pub struct PerLabel {
    /// Points in a row.
    pub width: usize,
    pub labels: Vec<Option<String>>,
}

/// A report with the board it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct OnBoard {
    /// What programs get.
    pub report: Report,
    pub discs: Vec<Option<Colour>>,
    /// What stands on or beside the discs.
    pub labels: PerLabel,
}

impl Report {
    pub fn text(text: impl Into<String>) -> Report {
        Report::Text(text.into())
    }
}
