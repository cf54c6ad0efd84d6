//! Which language a client speaks, told from its first line.

use super::Speech;
use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{tag, take_till1},
    character::complete::{char, digit1, one_of, space0, space1},
    combinator::{eof, rest, value, verify},
    sequence::{pair, preceded, terminated},
};

/// The language of a first line; `None` when the line says nothing (blank, or a comment) and the next must be asked.
/// Whatever belongs to no other language is the console's.
pub fn recognise(line: &str) -> Option<Speech> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    Some(language(line).map_or(Speech::Console, |(_, speech)| speech))
}

fn language(line: &str) -> IResult<&str, Speech> {
    alt((
        value(Speech::Standalone, terminated(one_of("0123456789"), eof)),
        value(Speech::Json, char('{')),
        value(Speech::Nboard, nboard),
        value(Speech::Gtp, gtp),
    ))
    .parse(line)
}

fn word(text: &str) -> IResult<&str, &str> {
    terminated(take_till1(char::is_whitespace), space0).parse(text)
}

/// NBoard begins with its version; programs that borrow its language begin with `ping` or the game.
fn nboard(line: &str) -> IResult<&str, &str> {
    alt((
        preceded((tag("nboard"), space1), digit1),
        terminated(preceded((tag("ping"), space1), digit1), eof),
        preceded((tag("set"), space1, tag("game"), space1), rest),
    ))
    .parse(line)
}

fn gtp(line: &str) -> IResult<&str, &str> {
    alt((numbered, bare)).parse(line)
}

/// `7 name`: no other language numbers its commands.
fn numbered(line: &str) -> IResult<&str, &str> {
    let command = verify(word, |w: &str| w.starts_with(|c: char| c.is_ascii_alphabetic()));
    preceded(pair(digit1, space1), command).parse(line)
}

fn bare(line: &str) -> IResult<&str, &str> {
    let (after, first) = word(line)?;
    let colour = after.split_whitespace().next().is_some_and(|w| w.parse::<crate::base::Colour>().is_ok());
    let known = GTP_ALONE.contains(&first)
        || first.starts_with("gogui-")
        || first.starts_with("gogui_")
        || (["genmove", "play"].contains(&first) && colour);
    if known {
        Ok((after, first))
    } else {
        Err(nom::Err::Error(nom::error::make_error(line, nom::error::ErrorKind::Tag)))
    }
}

/// Words only a GTP client opens with. `version`, `quit`, `undo` and the like are the console's too.
const GTP_ALONE: &[&str] = &[
    "protocol_version",
    "name",
    "list_commands",
    "known_command",
    "boardsize",
    "clear_board",
    "komi",
    "reg_genmove",
    "showboard",
    "list_games",
    "set_game",
    "time_settings",
    "time_left",
    "final_score",
    "final_status_list",
    "fixed_handicap",
    "place_free_handicap",
    "set_free_handicap",
    "loadsgf",
    "printsgf",
    "gg-undo",
    "cputime",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(speech: Speech, lines: &[&str]) {
        for line in lines {
            assert_eq!(recognise(line), Some(speech), "{line:?}");
        }
    }

    #[test]
    fn first_lines_of_real_clients() {
        spoken(Speech::Standalone, &["0", "1", " 1 ", "2", "9"]);
        spoken(Speech::Json, &["{}", "{\"id\":1}", "  {", "{broken"]);
        spoken(Speech::Nboard, &["nboard 2", "nboard 1", "ping 1", "set game (;GM[Othello];)"]);
        spoken(
            Speech::Gtp,
            &["name", "protocol_version", "1 name", "12  genmove b", "genmove w", "genmove Black", "play B F5"],
        );
        spoken(Speech::Gtp, &["boardsize 8", "gogui-rules_game_id", "gogui_interrupt", "known_command play"]);
        spoken(
            Speech::Console,
            &["help", "genmove", "play f5", "f5", "f5d6", "set level 5", "22", "version", "quit", "01", "1 2", "ping"],
        );
        spoken(Speech::Console, &["nboard", "nboards 2", "0 1", "ping 3 go", "\u{0}\u{7f}", "name1", "é"]);
    }

    #[test]
    fn silence_decides_nothing() {
        for line in ["", "  ", "\t", "# a comment", "#"] {
            assert_eq!(recognise(line), None, "{line:?}");
        }
    }
}
