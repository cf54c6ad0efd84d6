//! Pieces of lines that several protocols share, as nom parsers, and the step from a line to a whole answer.

use crate::{
    base::Colour,
    engine::{Answer, CommandError, CommandErrorKind},
};
use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{take_till, take_till1},
    character::complete::{char, multispace0},
    combinator::{map_opt, rest, verify},
    multi::many0,
    sequence::{delimited, preceded},
};
use std::{str::FromStr, time::Duration};

pub type Parsed<'a, T> = IResult<&'a str, T>;

/// A word, the blanks before it skipped.
pub fn word(text: &str) -> Parsed<'_, &str> {
    preceded(multispace0, take_till1(char::is_whitespace)).parse(text)
}

/// A word or a text in quotation marks (which then cannot hold any).
pub fn quotable(text: &str) -> Parsed<'_, &str> {
    let quoted = delimited(char('"'), take_till(|c| c == '"'), char('"'));
    alt((preceded(multispace0, quoted), word)).parse(text)
}

/// What is left of the line, without blanks around it.
pub fn remainder(text: &str) -> Parsed<'_, &str> {
    rest.map(str::trim).parse(text)
}

/// A word that some type can read.
pub fn read<T: FromStr>(text: &str) -> Parsed<'_, T> {
    map_opt(word, |w: &str| w.parse().ok()).parse(text)
}

pub fn colour(text: &str) -> Parsed<'_, Colour> {
    read(text)
}

/// A whole number in decimal digits, without a sign.
pub fn number<N: FromStr>(text: &str) -> Parsed<'_, N> {
    map_opt(verify(word, |w: &str| w.bytes().all(|b| b.is_ascii_digit())), |w: &str| w.parse().ok()).parse(text)
}

/// A decimal number as people write it: no `inf`, no `nan`, and small enough to reckon with.
pub fn real(text: &str) -> Parsed<'_, f64> {
    let plain = |w: &&str| w.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let sane = |x: &f64| x.is_finite() && x.abs() <= 1e12;
    map_opt(word, move |w: &str| Some(w).filter(plain).and_then(|w| w.parse().ok()).filter(sane)).parse(text)
}

/// Seconds from 0 on. More than thirty years count as thirty years.
pub fn seconds(text: &str) -> Parsed<'_, Duration> {
    const LONGEST: f64 = 1e9;
    map_opt(real, |s| (s >= 0.0).then(|| Duration::from_secs_f64(s.min(LONGEST)))).parse(text)
}

/// A colour and a move, as often as they come.
pub fn coloured_moves(text: &str) -> Parsed<'_, Vec<(Colour, &str)>> {
    many0((colour, word)).parse(text)
}

/// Reads all of `text`, or says that it could not be read.
pub fn whole<'a, T>(mut parser: impl FnMut(&'a str) -> Parsed<'a, T>, text: &'a str) -> Answer<T> {
    match parser(text) {
        Ok((left, value)) if left.trim().is_empty() => Ok(value),
        _ => Err(syntax_error()),
    }
}

/// GTP's own words for it.
pub fn syntax_error() -> CommandError {
    CommandError::new(CommandErrorKind::Syntax, "syntax error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_quotes() {
        assert_eq!(word("  ab cd").unwrap(), (" cd", "ab"));
        assert_eq!(quotable(" \"a file.sgf\" 7").unwrap(), (" 7", "a file.sgf"));
        assert_eq!(quotable("plain 7").unwrap(), (" 7", "plain"));
        assert_eq!(whole(number::<u32>, " 12 "), Ok(12));
        for bad in ["", "-1", "+1", "1x", "1 2", "99999999999999999999"] {
            assert!(whole(number::<u32>, bad).is_err(), "{bad}");
        }
        assert_eq!(whole(real, "-6.5"), Ok(-6.5));
        for bad in ["nan", "inf", "infinity", "1e300", "", "."] {
            assert!(whole(real, bad).is_err(), "{bad}");
        }
        assert_eq!(whole(seconds, "1.5"), Ok(Duration::from_millis(1500)));
        assert!(whole(seconds, "-1").is_err());
        assert!(whole(seconds, "1e12").is_ok());
    }

    #[test]
    fn moves_with_colours() {
        let two = vec![(Colour::Black, "D3"), (Colour::White, "c3")];
        assert_eq!(whole(coloured_moves, "B D3 white c3 "), Ok(two));
        assert_eq!(whole(coloured_moves, ""), Ok(vec![]));
        assert!(whole(coloured_moves, "B D3 W").is_err());
        assert!(whole(coloured_moves, "red D3").is_err());
    }
}
