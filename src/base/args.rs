//! The words that follow a command, taken one by one, and what can be wrong with them.

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{is_not, take_till1},
    character::complete::{char, multispace0, multispace1},
    combinator::{all_consuming, eof, map, opt, peek},
    multi::{many0, many1},
    sequence::{delimited, preceded, terminated},
};
use std::{collections::VecDeque, path::PathBuf, str::FromStr};

/// Why arguments were not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadArgs {
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("`{found}` is not {expected}")]
    Wrong { found: String, expected: &'static str },
    #[error("`{0}` is not expected here")]
    Extra(String),
    #[error("a quotation mark is not closed")]
    Quote,
    /// A message that needs no usage after it.
    #[error("{0}")]
    Other(String),
}

/// Arguments still to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Args {
    words: VecDeque<String>,
}

impl Args {
    /// The words of a line; quotation marks keep blanks together, also inside a word: `player="Ann Lee"`.
    pub fn new(line: &str) -> Result<Args, BadArgs> {
        fn word(input: &str) -> IResult<&str, String> {
            let quoted = |mark: char, inside: &'static str| delimited(char(mark), opt(is_not(inside)), char(mark));
            let marked = map(quoted('"', "\""), Option::unwrap_or_default);
            // An apostrophe in a word is a letter.
            let single = terminated(map(quoted('\'', "'"), Option::unwrap_or_default), peek(alt((multispace1, eof))));
            let plain = take_till1(|c: char| c.is_whitespace() || c == '"');
            let pieces = map(many1(alt((marked, plain))), |pieces: Vec<&str>| pieces.concat());
            terminated(alt((map(single, str::to_string), pieces)), multispace0).parse(input)
        }
        let all = all_consuming(preceded(multispace0, many0(word))).parse(line);
        all.map(|(_, words)| Args { words: words.into() }).map_err(|_| BadArgs::Quote)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn next_word(&mut self) -> Option<String> {
        self.words.pop_front()
    }

    /// The next word, left where it is.
    pub fn peek(&self) -> Option<&str> {
        self.words.front().map(String::as_str)
    }

    /// Takes the next word if it is this one, in any case.
    pub fn flag(&mut self, name: &str) -> bool {
        let is = self.peek().is_some_and(|word| word.eq_ignore_ascii_case(name));
        if is {
            self.words.pop_front();
        }
        is
    }

    pub fn file(&mut self) -> Result<PathBuf, BadArgs> {
        self.next_word().map(PathBuf::from).ok_or(BadArgs::Missing("the name of a file"))
    }

    /// The next word as `read` understands it.
    pub fn parsed<T>(&mut self, expected: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<T, BadArgs> {
        let found = self.next_word().ok_or(BadArgs::Missing(expected))?;
        read(&found).ok_or(BadArgs::Wrong { found, expected })
    }

    /// The same, if there is a word at all.
    pub fn optional<T>(
        &mut self,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, BadArgs> {
        if self.is_empty() { Ok(None) } else { self.parsed(expected, read).map(Some) }
    }

    /// A whole number in decimal digits.
    pub fn number<N: FromStr + PartialOrd>(&mut self, expected: &'static str, most: N) -> Result<N, BadArgs> {
        self.parsed(expected, |word| whole(word).filter(|n| *n <= most))
    }

    /// A number, or `inf` for none.
    pub fn limit(&mut self, expected: &'static str, most: u32) -> Result<Option<u32>, BadArgs> {
        self.parsed(expected, |word| match word.to_ascii_lowercase().as_str() {
            "inf" | "infinite" | "unlimited" => Some(None),
            word => whole(word).filter(|n| *n <= most).map(Some),
        })
    }

    pub fn switch(&mut self) -> Result<bool, BadArgs> {
        self.parsed("on or off", |word| match word.to_ascii_lowercase().as_str() {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        })
    }

    /// Nothing may be left.
    pub fn end(&mut self) -> Result<(), BadArgs> {
        self.next_word().map_or(Ok(()), |word| Err(BadArgs::Extra(word)))
    }

    /// Reads options in any order until the words are used up; `read` says whether it knew the word.
    pub fn options(&mut self, mut read: impl FnMut(&str, &mut Args) -> Result<bool, BadArgs>) -> Result<(), BadArgs> {
        while let Some(word) = self.next_word() {
            if !read(&word.to_ascii_lowercase(), self)? {
                return Err(BadArgs::Extra(word));
            }
        }
        Ok(())
    }
}

/// Without a sign: `+5` is not how people write a number of things.
fn whole<N: FromStr>(word: &str) -> Option<N> {
    word.bytes().all(|b| b.is_ascii_digit()).then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_one_by_one() {
        let mut args = Args::new(r#" depth 12 "my file" inf ON 'x y'"#).unwrap();
        assert!(args.flag("Depth") && !args.flag("depth"));
        assert_eq!(args.number("a number", 20u32), Ok(12));
        assert_eq!(args.file(), Ok("my file".into()));
        assert_eq!(args.limit("a number", 9), Ok(None));
        assert_eq!(args.switch(), Ok(true));
        assert_eq!(args.end(), Err(BadArgs::Extra("x y".into())));
        assert_eq!(args.optional("a number", |w| w.parse::<u8>().ok()), Ok(None));
        assert_eq!(Args::new("a \"b"), Err(BadArgs::Quote));
        let mut args = Args::new(r#"c3:circle,d3:"A",e3>f5 player="Ann Lee" club's 'x'"#).unwrap();
        assert_eq!(args.next_word().as_deref(), Some("c3:circle,d3:A,e3>f5"));
        assert_eq!(args.next_word().as_deref(), Some("player=Ann Lee"));
        assert_eq!(args.next_word().as_deref(), Some("club's"));
        assert_eq!(args.next_word().as_deref(), Some("x"));
        assert_eq!(args.end(), Ok(()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |line: &str| Args::new(line).unwrap().number("a number up to 9", 9u32).unwrap_err().to_string();
        assert_eq!(wrong(""), "a number up to 9 is missing");
        for word in ["10", "+1", "-1", "x", "1.5"] {
            assert_eq!(wrong(word), format!("`{word}` is not a number up to 9"));
        }
    }
}
