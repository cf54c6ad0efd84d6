//! Which language a client speaks, told from its first line.

use super::{ProtocolKind, console, gtp};
use crate::engine::command::Table;
use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{tag, take_till1},
    character::complete::{char, digit1, one_of, space0, space1},
    combinator::{eof, rest, value, verify},
    sequence::{pair, preceded, terminated},
};

/// The language of a first line; `None` when the line says nothing (blank, or a comment) and the next must be asked.
/// `games` are the commands of the games there are. Whatever belongs to no other language is the console's.
pub fn recognise(line: &str, games: &[Table]) -> Option<ProtocolKind> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let by_shape = language(line).ok().map(|(_, protocol_kind)| protocol_kind);
    Some(by_shape.unwrap_or(if is_gtp(line, games) { ProtocolKind::Gtp } else { ProtocolKind::Console }))
}

fn language(line: &str) -> IResult<&str, ProtocolKind> {
    alt((
        value(ProtocolKind::Standalone, terminated(one_of("0123456789"), eof)),
        value(ProtocolKind::Json, char('{')),
        value(ProtocolKind::Nboard, nboard),
        value(ProtocolKind::Gtp, numbered),
        value(ProtocolKind::Uci, terminated(tag("uci"), eof)),
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

/// `7 name`: no other language numbers its commands.
fn numbered(line: &str) -> IResult<&str, &str> {
    let command = verify(word, |w: &str| w.starts_with(|c: char| c.is_ascii_alphabetic()));
    preceded(pair(digit1, space1), command).parse(line)
}

/// A command that GTP has and the console has not. Both know `play` and `genmove`, but only GTP names the colour.
fn is_gtp(line: &str, games: &[Table]) -> bool {
    let (first, args) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let colour = args.split_whitespace().next().is_some_and(|w| w.parse::<crate::base::Colour>().is_ok());
    let of_a_game = |gtp: bool| {
        let reads = |table: &&Table| table.find(first).is_some_and(|about| about.gtp == gtp && about.name == first);
        games.iter().find(reads)
    };
    // `name` asks for the program's name, `name black Rose` is Othello's.
    let games_own = of_a_game(false).is_some_and(|table| matches!(table.read(first, args), Some(Ok(_))));
    let known = gtp::knows(first) && console::commands::find(first).is_none() && !games_own;
    known
        || of_a_game(true).is_some()
        || first.starts_with("gogui-")
        || first.starts_with("gogui_")
        || (["genmove", "play"].contains(&first) && colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    static GAMES: [Table; 2] = [&crate::othello::COMMANDS, &crate::go::COMMANDS];

    fn spoken(protocol_kind: ProtocolKind, lines: &[&str]) {
        for line in lines {
            assert_eq!(recognise(line, &GAMES), Some(protocol_kind), "{line:?}");
        }
    }

    #[test]
    fn first_lines_of_real_clients() {
        spoken(ProtocolKind::Standalone, &["0", "1", " 1 ", "2", "9"]);
        spoken(ProtocolKind::Json, &["{}", "{\"id\":1}", "  {", "{broken"]);
        spoken(ProtocolKind::Nboard, &["nboard 2", "nboard 1", "ping 1", "set game (;GM[Othello];)"]);
        spoken(ProtocolKind::Uci, &["uci", " uci "]);
        spoken(
            ProtocolKind::Gtp,
            &["name", "protocol_version", "1 name", "12  genmove b", "genmove w", "genmove Black", "play B F5"],
        );
        spoken(ProtocolKind::Gtp, &["boardsize 8", "gogui-rules_game_id", "gogui_interrupt", "known_command play"]);
        spoken(
            ProtocolKind::Gtp,
            &["lz-analyze b 10", "kata-analyze", "final_status_list dead", "kgs-rules chinese", "komi 7"],
        );
        spoken(ProtocolKind::Console, &["name black Rose", "undo", "draw board.svg", "show stable", "clearcache"]);
        spoken(
            ProtocolKind::Console,
            &["help", "genmove", "play f5", "f5", "f5d6", "set level 5", "22", "version", "quit", "01", "1 2", "ping"],
        );
        spoken(ProtocolKind::Console, &["nboard", "nboards 2", "0 1", "ping 3 go", "\u{0}\u{7f}", "name1", "é"]);
    }

    #[test]
    fn silence_decides_nothing() {
        for line in ["", "  ", "\t", "# a comment", "#"] {
            assert_eq!(recognise(line, &GAMES), None, "{line:?}");
        }
    }
}
