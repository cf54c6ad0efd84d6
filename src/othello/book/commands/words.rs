//! The words of a `book` line, taken one by one.

use super::{CommandError, Unread};
use crate::othello::{Move, Square, book::entry::Level, notation::parse_move};
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

/// The words of a line; quotation marks keep blanks together.
pub(super) fn words(line: &str) -> Result<Vec<String>, CommandError> {
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
pub(super) struct Words {
    pub(super) words: std::collections::VecDeque<String>,
}

impl Words {
    pub(super) fn next(&mut self) -> Option<String> {
        self.words.pop_front()
    }

    /// Takes the next word if it is this one.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        let is = self.words.front().is_some_and(|word| word.eq_ignore_ascii_case(name));
        if is {
            self.words.pop_front();
        }
        is
    }

    pub(super) fn file(&mut self) -> Result<PathBuf, Unread> {
        self.next().map(PathBuf::from).ok_or(Unread::Missing("the name of a file"))
    }

    pub(super) fn parsed<T>(&mut self, expected: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<T, Unread> {
        let found = self.next().ok_or(Unread::Missing(expected))?;
        read(&found).ok_or(Unread::Wrong { found, expected })
    }

    pub(super) fn number(&mut self, expected: &'static str, most: u32) -> Result<u32, Unread> {
        self.parsed(expected, |word| word.parse().ok().filter(|n| *n <= most))
    }

    /// A number, or `inf` for none.
    pub(super) fn limit(&mut self, expected: &'static str, most: u32) -> Result<Option<u32>, Unread> {
        self.parsed(expected, |word| match word.to_ascii_lowercase().as_str() {
            "inf" | "infinite" | "unlimited" => Some(None),
            word => word.parse().ok().filter(|n| *n <= most).map(Some),
        })
    }

    pub(super) fn switch(&mut self) -> Result<bool, Unread> {
        self.parsed("on or off", |word| match word.to_ascii_lowercase().as_str() {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        })
    }

    pub(super) fn level(&mut self) -> Result<Level, Unread> {
        self.parsed("a level from 1 to 60", |word| word.parse().ok().filter(|level| *level <= Level::MAX))
    }

    /// A square, if the next word is one.
    pub(super) fn square(&mut self) -> Option<Square> {
        let square = match parse_move(self.words.front()?) {
            Ok(Move::Place(square)) => square,
            _ => return None,
        };
        self.words.pop_front();
        Some(square)
    }

    pub(super) fn end(&mut self) -> Result<(), Unread> {
        self.next().map_or(Ok(()), |word| Err(Unread::Extra(word)))
    }

    /// Reads options in any order until the words are used up; `read` says whether it knew the word.
    pub(super) fn options(
        &mut self,
        mut read: impl FnMut(&str, &mut Words) -> Result<bool, Unread>,
    ) -> Result<(), Unread> {
        while let Some(word) = self.next() {
            if !read(&word.to_ascii_lowercase(), self)? {
                return Err(Unread::Extra(word));
            }
        }
        Ok(())
    }
}
