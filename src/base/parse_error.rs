//! What readers of text say when it is not what they expected: where, what they expected, what they found. The other
//! half is the small error type that carries this through nom.

use nom::{
    IResult, Parser,
    error::{ErrorKind, ParseError as NomError},
};
use std::{borrow::Cow, fmt};

/// A text was not what a reader expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    pub expected: Cow<'static, str>,
    /// `None` at the end of the text.
    pub found: Option<char>,
}

impl ParseError {
    /// At the place where `rest`, the tail of `text` that was not read, begins.
    pub fn at(text: &str, rest: &str, expected: impl Into<Cow<'static, str>>) -> ParseError {
        let read = text.len().saturating_sub(rest.len());
        let before = text.get(..read).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            expected: expected.into(),
            found: rest.chars().next(),
        }
    }

    /// The same when the text read begins in line `first_line` of something bigger.
    pub fn moved_to_line(self, first_line: usize) -> ParseError {
        ParseError { line: self.line + first_line - 1, ..self }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseError { line, column, expected, .. } = self;
        // Whole sentences, so that they can be translated.
        match line {
            0 | 1 => write!(f, "column {column}: expected {expected}, found ")?,
            _ => write!(f, "line {line}, column {column}: expected {expected}, found ")?,
        }
        match self.found {
            Some(c) if c.is_control() => write!(f, "`{}`", c.escape_default()),
            Some(c) => write!(f, "`{c}`"),
            None => f.write_str("the end"),
        }
    }
}

/// nom's error: what was left where it failed, and what should have been there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected<'a> {
    pub rest: &'a str,
    pub expected: &'static str,
}

impl<'a> NomError<&'a str> for Expected<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> Self {
        Expected { rest, expected: "" }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }

    /// Of two ways that failed the one that came further is the one that was meant.
    fn or(self, other: Self) -> Self {
        if other.rest.len() < self.rest.len() { other } else { self }
    }
}

pub type Read<'a, T> = IResult<&'a str, T, Expected<'a>>;

/// Gives a name to what `parser` expects, unless it got further and has a name for what it missed there.
pub fn expect<'a, P>(
    expected: &'static str,
    mut parser: P,
) -> impl Parser<&'a str, Output = P::Output, Error = Expected<'a>>
where
    P: Parser<&'a str, Error = Expected<'a>>,
{
    move |input: &'a str| {
        let name = |unmet: Expected<'a>| {
            if unmet.expected.is_empty() || unmet.rest.len() == input.len() {
                Expected { rest: unmet.rest, expected }
            } else {
                unmet
            }
        };
        parser.parse(input).map_err(|error| match error {
            nom::Err::Error(unmet) => nom::Err::Error(name(unmet)),
            nom::Err::Failure(unmet) => nom::Err::Failure(name(unmet)),
            nom::Err::Incomplete(_) => nom::Err::Error(Expected { rest: "", expected }),
        })
    }
}

/// Where nom gave up, in `text`.
pub fn parse_error(text: &str, error: nom::Err<Expected<'_>>) -> ParseError {
    match error {
        nom::Err::Error(unmet) | nom::Err::Failure(unmet) => {
            let expected = if unmet.expected.is_empty() { "something else" } else { unmet.expected };
            ParseError::at(text, unmet.rest, expected)
        }
        nom::Err::Incomplete(_) => ParseError::at(text, "", "more"),
    }
}

/// Reads the whole of `text`.
pub fn read_all<'a, T>(
    text: &'a str,
    mut parser: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
) -> Result<T, ParseError> {
    match parser.parse(text) {
        Ok(("", value)) => Ok(value),
        Ok((rest, _)) => Err(ParseError::at(text, rest, "the end")),
        Err(error) => Err(parse_error(text, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nom::{branch::alt, bytes::complete::tag, character::complete::digit1, sequence::pair};

    fn number(input: &str) -> Read<'_, (&str, &str)> {
        pair(expect("`a` or `b`", alt((tag("a"), tag("b")))), expect("a number", digit1)).parse(input)
    }

    #[test]
    fn errors_have_a_place_and_an_expectation() {
        let say = |text| read_all(text, number).unwrap_err().to_string();
        assert_eq!(say("x1"), "column 1: expected `a` or `b`, found `x`");
        assert_eq!(say("b"), "column 2: expected a number, found the end");
        assert_eq!(say("b7\n"), "column 3: expected the end, found `\\n`");
        assert_eq!(read_all("a12", number), Ok(("a", "12")));
        let text = "one\ntwo é!";
        assert_eq!(ParseError::at(text, "!", "a word").to_string(), "line 2, column 6: expected a word, found `!`");
        assert_eq!(ParseError::at(text, "!", "a word").moved_to_line(10).line, 11);
    }
}
