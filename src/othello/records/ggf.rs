//! GGF, the format of GGS and NBoard: `(;GM[Othello]…BO[8 … *]B[F5/1.2/3.4]W[D6];)`.

use super::{BadEntry, BadRecord, Ending, GameClock, GameResult, Record};
use crate::{
    base::{
        Colour, ParseError,
        parse_error::{Read, expect, parse_error, read_all},
    },
    othello::{
        Game, Move, Position,
        notation::{diagram, moves},
    },
};
use nom::{
    Parser,
    bytes::complete::{tag, take_till, take_while, take_while1},
    character::complete::{char, digit1, multispace0, multispace1, one_of},
    combinator::{map, map_opt, opt, peek, recognize},
    multi::{many_till, many0_count, separated_list1},
    sequence::{delimited, preceded, terminated},
};
use std::{fmt::Write, time::Duration};

/// A tag as it stands in the text.
struct Tag<'a> {
    name: &'a str,
    value: &'a str,
    /// From the beginning of the value to the end of everything: its place.
    tail: &'a str,
}

fn ggf_tag(input: &str) -> Read<'_, Tag<'_>> {
    let (tail, name) = terminated(
        expect("a tag or `;)`", take_while1(|c: char| c.is_ascii_alphabetic())),
        (multispace0, expect("`[`", char('['))),
    )
    .parse(input)?;
    let (rest, value) = terminated(take_till(|c| c == ']'), expect("`]`", char(']'))).parse(tail)?;
    Ok((rest, Tag { name, value, tail }))
}

fn game(input: &str) -> Read<'_, Vec<Tag<'_>>> {
    let open = expect("`(;`", tag("(;"));
    let (rest, _) = (opt((digit1, multispace1)), open, multispace0).parse(input)?;
    let (rest, (tags, _)) = many_till(terminated(ggf_tag, multispace0), tag(";)")).parse(rest)?;
    Ok((rest, tags))
}

/// A game at the beginning of a text, and what follows it.
pub fn parse_one(text: &str) -> Result<(Record, &str), BadRecord> {
    let (rest, tags) = game(text).map_err(|error| parse_error(text, error))?;
    Ok((record(text, &tags)?, rest))
}

/// A game and nothing else. Of the two games of a synchro match the first is taken.
pub fn parse(text: &str) -> Result<Record, BadRecord> {
    let start = text.trim_start();
    let (record, rest) = parse_one(start)?;
    let rest = rest.trim_start();
    if rest.is_empty() || rest.starts_with("(;") {
        return Ok(record);
    }
    Err(ParseError::at(start, rest, "the end").into())
}

/// The games of a file.
pub fn games(text: &str) -> impl Iterator<Item = Result<Record, BadEntry>> + '_ {
    let (mut left, mut line, mut number) = (text, 1, 0);
    std::iter::from_fn(move || {
        let start = left.find("(;")?;
        line += left[..start].matches('\n').count();
        let from = &left[start..];
        let (result, end) = match parse_one(from) {
            Ok((record, rest)) => (Ok(record), from.len() - rest.len()),
            // Go on with the next beginning, not with the rest of this one.
            Err(error) => (Err(error), 2),
        };
        number += 1;
        let entry = result.map_err(|e| BadEntry { number, line: Some(line), error: e.moved_to_line(line) });
        line += from[..end].matches('\n').count();
        left = &from[end..];
        Some(entry)
    })
}

fn record(text: &str, tags: &[Tag]) -> Result<Record, BadRecord> {
    let mut record = Record::new(Game::without_auto_pass(start_of(text, tags)?));
    for tag in tags {
        let value = tag.value.trim();
        let both = |value: Result<GameClock, _>| value.map(|clock| [Some(clock); 2]);
        match tag.name.to_ascii_uppercase().as_str() {
            "GM" if !["othello", "reversi"].contains(&value.to_ascii_lowercase().as_str()) => {
                return Err(BadRecord::Unsupported(format!("a game of {value}, not of Othello")));
            }
            "TY" => check_type(value)?,
            "GM" | "BO" => {}
            "PC" => record.place = value.into(),
            "DT" => record.date = value.into(),
            "EV" => record.event = value.into(),
            "PB" => record.names[0] = value.into(),
            "PW" => record.names[1] = value.into(),
            "RB" => record.ratings[0] = value.parse().ok().filter(|r: &f64| r.is_finite()),
            "RW" => record.ratings[1] = value.parse().ok().filter(|r: &f64| r.is_finite()),
            "TI" => record.clocks = both(clock_at(text, tag))?,
            "TB" => record.clocks[0] = Some(clock_at(text, tag)?),
            "TW" => record.clocks[1] = Some(clock_at(text, tag)?),
            "RE" => record.result = result(value),
            "CO" => record.memo = value.into(),
            "B" => play(text, &mut record.game, Colour::Black, tag)?,
            "W" => play(text, &mut record.game, Colour::White, tag)?,
            _ => record.extra.push((tag.name.into(), tag.value.into())),
        }
    }
    Ok(record)
}

/// The place of a tag's value, for errors.
fn place(text: &str, tag: &Tag) -> ParseError {
    ParseError::at(text, tag.tail, "")
}

fn clock_at(text: &str, tag: &Tag) -> Result<GameClock, BadRecord> {
    read_all(tag.value, clock).map_err(|error| inside(text, tag, error).into())
}

/// An error in a tag's value, told by its place in the whole text.
fn inside(text: &str, tag: &Tag, error: ParseError) -> ParseError {
    let place = place(text, tag);
    if error.line > 1 {
        return ParseError { line: place.line + error.line - 1, ..error };
    }
    ParseError { line: place.line, column: place.column + error.column - 1, ..error }
}

/// 8×8, not the variant in which fewer discs win.
fn check_type(value: &str) -> Result<(), BadRecord> {
    let plain = value.strip_prefix(['s', 'S']).unwrap_or(value);
    let digits = plain.len() - plain.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let anti = plain[digits..].contains(['a', 'A']);
    if matches!(&plain[..digits], "8" | "") && !anti {
        return Ok(());
    }
    Err(BadRecord::Unsupported(format!("a game of type {value}: only Othello on 8×8 is played here")))
}

fn start_of(text: &str, tags: &[Tag]) -> Result<Position, BadRecord> {
    let Some(board) = tags.iter().find(|tag| tag.name.eq_ignore_ascii_case("BO")) else {
        return Ok(Position::START);
    };
    let size = terminated(expect("the size of the board", digit1), multispace1);
    let (squares, size) =
        preceded(multispace0, size).parse(board.value).map_err(|e| inside(text, board, parse_error(board.value, e)))?;
    if size != "8" {
        return Err(BadRecord::Unsupported(format!("a board of size {size}: only 8×8 is played here")));
    }
    // Some write a zero for the letter O.
    let diagram = diagram::parse_board(&squares.replace('0', "O"));
    let line = place(text, board).line;
    let bad = |error| BadRecord::Board { line, error };
    let diagram = diagram.map_err(|error| bad(error.into()))?;
    let side = diagram.side.unwrap_or(Colour::Black);
    Position::new(diagram.black, diagram.white, side).map_err(|error| bad(error.into()))
}

/// A move of a game or of the `move` command: `F5`, `F5/-1.78/0.3`, `F5//0.3`, `PA`; blanks may stand for the slashes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimedMove {
    pub mv: Move,
    pub value: Option<f64>,
    pub seconds: Option<f64>,
}

impl TimedMove {
    pub fn parse(text: &str) -> Result<TimedMove, ParseError> {
        let (notes, mv) =
            preceded(multispace0, moves::one_move).parse(text).map_err(|error| parse_error(text, error))?;
        let mut fields: Box<dyn Iterator<Item = &str>> = match notes.trim_start().strip_prefix('/') {
            Some(fields) => Box::new(fields.split('/')),
            None if notes.is_empty() || notes.starts_with(char::is_whitespace) => Box::new(notes.split_whitespace()),
            None => return Err(ParseError::at(text, notes, "`/`, a blank or the end")),
        };
        // A note that is no number is no reason to refuse the move.
        let value = fields.next().and_then(|field| read_all(field.trim(), decimal).ok());
        let seconds = fields.next().and_then(|field| {
            let plain = read_all(field.trim(), decimal).ok().filter(|&seconds| seconds >= 0.0);
            plain.or_else(|| read_all(field.trim(), time).ok().map(|time| time.as_secs_f64()))
        });
        Ok(TimedMove { mv, value, seconds })
    }
}

impl std::fmt::Display for TimedMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.mv {
            Move::Place(square) => write!(f, "{square:#}")?,
            Move::Pass => f.write_str("PA")?,
        }
        match (self.value, self.seconds) {
            (None, None) => Ok(()),
            (Some(value), None) => write!(f, "/{value}"),
            (None, Some(seconds)) => write!(f, "//{seconds}"),
            (Some(value), Some(seconds)) => write!(f, "/{value}/{seconds}"),
        }
    }
}

fn play(text: &str, game: &mut Game, colour: Colour, tag: &Tag) -> Result<(), BadRecord> {
    let timed = TimedMove::parse(tag.value).map_err(|error| inside(text, tag, error))?;
    if timed.mv == Move::Pass && game.is_over() {
        // Some referees let both sides pass once more at the end.
        return Ok(());
    }
    game.play(Some(colour), timed.mv).map_err(|error| {
        let ParseError { line, column, .. } = place(text, tag);
        BadRecord::Move { at: format!("line {line}, column {column}"), mv: tag.value.trim().into(), error }
    })?;
    game.annotate(timed.value, timed.seconds);
    Ok(())
}

fn decimal(input: &str) -> Read<'_, f64> {
    let digits = take_while(|c: char| c.is_ascii_digit());
    let number = recognize((opt(one_of("+-")), digits, opt((char('.'), digit1))));
    expect("a number", map_opt(number, |n: &str| n.parse::<f64>().ok().filter(|n| n.is_finite()))).parse(input)
}

/// `d.hh:mm:ss`, from the right as much as there is; the seconds may have decimals.
fn time(input: &str) -> Read<'_, Duration> {
    let days = terminated(digit1, char('.'));
    let with_colons = map_opt(
        (opt(terminated(days, peek((digit1, char(':'))))), separated_list1(char(':'), decimal)),
        |(days, parts): (Option<&str>, Vec<f64>)| {
            let days = days.map_or(Some(0.0), |days| days.parse::<f64>().ok())?;
            let seconds = parts.iter().fold(0.0, |sum, part| sum * 60.0 + part) + days * 86400.0;
            let whole = parts.len() <= 3 && parts.iter().all(|&part| part >= 0.0);
            whole.then(|| Duration::try_from_secs_f64(seconds).ok()).flatten()
        },
    );
    expect("a time (mm:ss)", with_colons).parse(input)
}

/// `main/increment/grace`, each of which may be empty. What GGS writes after commas is skipped.
fn clock(input: &str) -> Read<'_, GameClock> {
    let part = |input| {
        let more = many0_count(preceded(char(','), take_till(|c| c == ',' || c == '/')));
        delimited(multispace0, terminated(opt(time), more), multispace0).parse(input)
    };
    let next = |input| opt(preceded(char('/'), part)).parse(input);
    map((part, next, next), |(main, increment, grace)| GameClock {
        main: main.unwrap_or_default(),
        increment: increment.flatten().unwrap_or_default(),
        grace: grace.flatten().unwrap_or(Duration::from_secs(120)),
    })
    .parse(input)
}

fn result(value: &str) -> Option<GameResult> {
    let ending = map(opt(preceded(char(':'), one_of("rtl"))), |letter| match letter {
        Some('r') => Ending::Resigned,
        Some('t') => Ending::Timeout,
        Some(_) => Ending::Left,
        None => Ending::Played,
    });
    let (margin, ending) = read_all(value, (decimal, ending)).ok()?;
    Some(GameResult { ending, ..GameResult::from_score(margin) })
}

/// Tags that mean something of their own.
const KNOWN: [&str; 17] =
    ["GM", "PC", "EV", "DT", "PB", "PW", "RB", "RW", "RE", "TI", "TB", "TW", "TY", "CO", "BO", "B", "W"];

/// The game in one line.
pub fn text(record: &Record) -> String {
    let mut text = String::from("(;GM[Othello]");
    let mut put = |name: &str, value: &str| {
        if !value.is_empty() {
            // There is no way to write a bracket inside a value.
            let value = value.replace(['[', ']'], " ").replace(['\r', '\n'], " ");
            let _ = write!(text, "{name}[{value}]");
        }
    };
    put("PC", &record.place);
    put("EV", &record.event);
    put("DT", &record.date);
    put("PB", &record.names[0]);
    put("PW", &record.names[1]);
    put("RB", &record.ratings[0].map_or(String::new(), |r| r.to_string()));
    put("RW", &record.ratings[1].map_or(String::new(), |r| r.to_string()));
    put("RE", &record.final_result().map_or("?".into(), result_text));
    match record.clocks {
        [Some(black), Some(white)] if black == white => put("TI", &clock_text(black)),
        [black, white] => {
            put("TB", &black.map_or(String::new(), clock_text));
            put("TW", &white.map_or(String::new(), clock_text));
        }
    }
    put("TY", "8");
    put("CO", &record.memo);
    // Readers want names of at most three capitals.
    let is_free = |name: &str| {
        (1..=3).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_uppercase()) && !KNOWN.contains(&name)
    };
    for (name, value) in record.extra.iter().filter(|(name, _)| is_free(name)) {
        put(name, value);
    }
    put("BO", &format!("8 {}", diagram::board_text(record.game.start(), diagram::Alphabet::STARS)));
    for ply in record.game.played() {
        // Nobody has use for less than a millisecond.
        let seconds = ply.seconds.map(|seconds| (seconds * 1000.0).round() / 1000.0);
        let timed = TimedMove { mv: ply.mv, value: ply.value, seconds };
        put(if ply.colour == Colour::Black { "B" } else { "W" }, &timed.to_string());
    }
    text + ";)"
}

fn result_text(result: GameResult) -> String {
    let ending = match result.ending {
        Ending::Played => "",
        Ending::Resigned => ":r",
        Ending::Timeout => ":t",
        Ending::Left => ":l",
    };
    format!("{:+}{ending}", result.black_margin())
}

fn clock_text(clock: GameClock) -> String {
    let time = |time: Duration| {
        let (hours, minutes) = (time.as_secs() / 3600, time.as_secs() / 60 % 60);
        let seconds = time.as_secs_f64() - (time.as_secs() / 60 * 60) as f64;
        // Enough digits for the whole, none too many: 5 or 0.25.
        let seconds = format!("{:.3}", seconds);
        let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
        let pad = if seconds.split('.').next().is_some_and(|whole| whole.len() < 2) { "0" } else { "" };
        match hours {
            0 => format!("{minutes}:{pad}{seconds}"),
            _ => format!("{hours}:{minutes:02}:{pad}{seconds}"),
        }
    };
    format!("{}/{}/{}", time(clock.main), time(clock.increment), time(clock.grace))
}

#[cfg(test)]
mod tests;
