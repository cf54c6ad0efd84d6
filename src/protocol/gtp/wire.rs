//! GTP on the wire: what a line consists of, and what a response looks like.

use crate::protocol::Id;
use nom::{
    IResult, Parser,
    bytes::complete::take_till1,
    character::complete::{digit1, space0, space1},
    combinator::{eof, opt, peek},
    sequence::{preceded, terminated},
};
use std::fmt::Write;

/// A line after the specification's cleaning.
#[derive(Debug, PartialEq, Eq)]
pub enum Cleaned {
    /// Nothing but blanks or a comment.
    Nothing,
    /// GoGui's comment that asks for an end of thinking.
    Interrupt,
    Command(String),
}

/// Drops control characters and comments; a tab is a blank.
pub fn clean(line: &str) -> Cleaned {
    let line = line.trim_start_matches('\u{feff}');
    let (text, comment) = line.split_once('#').map_or((line, None), |(text, comment)| (text, Some(comment)));
    let text: String = text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
    match text.trim() {
        "" if comment.is_some_and(|c| c.trim() == "interrupt") => Cleaned::Interrupt,
        "" => Cleaned::Nothing,
        text => Cleaned::Command(text.into()),
    }
}

/// The number before a command, as it was written.
fn id(text: &str) -> IResult<&str, &str> {
    terminated(digit1, peek(space1.or(eof))).parse(text)
}

/// `[id] command [arguments]`; a number alone is a command without a name.
pub fn split(text: &str) -> (Id, &str, &str) {
    let parts: IResult<&str, _> = (opt(id), opt(preceded(space0, take_till1(char::is_whitespace)))).parse(text.trim());
    match parts {
        Ok((arguments, (number, name))) => {
            (number.map_or(Id::None, read_id), name.unwrap_or_default(), arguments.trim())
        }
        Err(_) => (Id::None, "", ""),
    }
}

/// The same digits must come back, leading zeros and numbers beyond any sense included.
fn read_id(digits: &str) -> Id {
    match digits.parse::<u64>() {
        Ok(n) if n.to_string() == digits => Id::Number(n),
        _ => Id::Json(digits.into()),
    }
}

/// `=` or `?` and the id. The blank after it stands even before an empty text: GoGui looks for it.
pub fn head(mark: char, id: &Id) -> String {
    match id {
        Id::None => format!("{mark} "),
        Id::Number(n) => format!("{mark}{n} "),
        Id::Json(text) => format!("{mark}{text} "),
    }
}

/// A whole response.
pub fn response(mark: char, id: &Id, text: &str) -> String {
    let mut out = head(mark, id);
    body(&mut out, text);
    out.push_str("\n\n");
    out
}

/// The text of a response: an empty line would end it too early, so it becomes a line with a blank.
pub fn body(out: &mut String, text: &str) {
    for (i, line) in text.trim_end().split('\n').enumerate() {
        let line: String =
            line.trim_end().chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
        let _ = match (i, line.is_empty()) {
            (0, _) => write!(out, "{line}"),
            (_, true) => write!(out, "\n "),
            (_, false) => write!(out, "\n{line}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blanks_and_control_characters() {
        assert_eq!(clean(" play\tb  f5 # a good move\r"), Cleaned::Command("play b  f5".into()));
        assert_eq!(clean("na\u{7}me\u{7f}"), Cleaned::Command("name".into()));
        assert_eq!(clean("\u{feff}name"), Cleaned::Command("name".into()));
        for nothing in ["", "  ", "\t\r", "# hello", "\u{1}", "#interrupted"] {
            assert_eq!(clean(nothing), Cleaned::Nothing, "{nothing:?}");
        }
        assert_eq!(clean("# interrupt"), Cleaned::Interrupt);
        assert_eq!(clean("name # interrupt"), Cleaned::Command("name".into()));
    }

    #[test]
    fn ids() {
        assert_eq!(split("name"), (Id::None, "name", ""));
        assert_eq!(split("12 play b  f5"), (Id::Number(12), "play", "b  f5"));
        assert_eq!(split("007 name"), (Id::Json("007".into()), "name", ""));
        assert_eq!(split("99999999999999999999 name").0, Id::Json("99999999999999999999".into()));
        assert_eq!(split("5"), (Id::Number(5), "", ""));
        assert_eq!(split("5x name"), (Id::None, "5x", "name"));
    }

    #[test]
    fn responses_end_with_the_first_empty_line() {
        assert_eq!(response('=', &Id::None, ""), "= \n\n");
        assert_eq!(response('=', &Id::Number(5), ""), "=5 \n\n");
        assert_eq!(response('?', &Id::Number(5), "syntax error"), "?5 syntax error\n\n");
        assert_eq!(response('=', &Id::None, "\n a\n\nb\t1\u{7}\n\n"), "= \n a\n \nb 1\n\n");
    }
}
