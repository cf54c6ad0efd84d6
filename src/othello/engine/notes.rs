//! Positions and games as text, in and out.

use crate::{
    base::{Clock, Colour, control::unless_stopped},
    engine::{Answer, CommandError, CommandErrorKind},
    othello::{
        BitBoard, Move, Position, Square,
        notation::{self, BitsOrder, BitsStyle, Passes, bits, diagram, fen},
        records::{
            BadRecord, Format, Record, any, egaroucid, egaroucid_json, gam, ggf, lines, lost::Part, obf::Problem, pgn,
            sgf,
        },
    },
};
use std::sync::atomic::AtomicBool;

/// What a text said.
pub struct Note {
    /// The first game, and all that was said of it.
    pub about: Record,
    /// How many more games the text holds.
    pub others: usize,
    /// The clocks as they stand after the moves, when the text knows of any.
    pub clocks: Option<[Option<Clock>; 2]>,
}

impl From<BadRecord> for CommandError {
    fn from(error: BadRecord) -> CommandError {
        let why =
            if matches!(error, BadRecord::Move { .. }) { CommandErrorKind::Illegal } else { CommandErrorKind::Syntax };
        CommandError::new(why, error)
    }
}

/// Reads a position or a game in any notation; a long text only as long as `stop` is not raised.
pub fn read_until(text: &str, autopass: bool, stop: &AtomicBool) -> Answer<Note> {
    const SHORT: usize = 1 << 14;
    if text.len() <= SHORT {
        return read(text, autopass);
    }
    let text = text.to_owned();
    let stopped = || CommandError::new(CommandErrorKind::Illegal, "stopped; the game is as it was");
    unless_stopped(stop, move |_| read(&text, autopass)).ok_or_else(stopped)?
}

fn read(text: &str, autopass: bool) -> Answer<Note> {
    let several = any::several(text);
    let others = several.len().saturating_sub(1);
    let mut about = match several.into_iter().next() {
        Some(first) => first,
        None => any::read_record(text)?,
    };
    let clocks = Colour::BOTH.map(|colour| about.clock_left(colour));
    about.game.set_auto_pass(autopass);
    Ok(Note { about, others, clocks: clocks.iter().any(Option::is_some).then_some(clocks) })
}

/// What follows `edit`, if that is what the text begins with.
pub fn edits(text: &str) -> Option<&str> {
    let (word, rest) = text.trim().split_once(char::is_whitespace)?;
    word.eq_ignore_ascii_case("edit").then_some(rest)
}

/// A position with some squares changed: `f5=black d3=empty turn=white`.
pub fn edited(position: Position, changes: &str) -> Answer<Position> {
    let (mut black, mut white, mut side) = (position.black(), position.white(), position.side);
    let wrong = |word: &str| {
        CommandError::new(
            CommandErrorKind::Syntax,
            format!("`{word}` is not of the form f5=black, d3=empty or turn=white"),
        )
    };
    for word in changes.split_whitespace() {
        let (place, what) = word.split_once('=').ok_or_else(|| wrong(word))?;
        if place.eq_ignore_ascii_case("turn") {
            side = what.parse().map_err(|_| wrong(word))?;
            continue;
        }
        let square: Square = place.parse().map_err(|_| wrong(word))?;
        let disc = match what.to_ascii_lowercase().as_str() {
            "empty" => None,
            what => Some(what.parse::<Colour>().map_err(|_| wrong(word))?),
        };
        (black, white) = (black.without(square), white.without(square));
        match disc {
            Some(Colour::Black) => black = black.with(square),
            Some(Colour::White) => white = white.with(square),
            None => {}
        }
    }
    Position::new(black, white, side).map_err(|e| CommandError::new(CommandErrorKind::Illegal, e))
}

/// Reads moves: `f5d6c3`, `F5 D6 pass`.
pub fn read_moves(text: &str) -> Answer<Vec<Move>> {
    notation::parse_moves(text).map_err(|e| CommandError::new(CommandErrorKind::Syntax, e))
}

/// A position from single discs, as GoGui sets it up.
pub fn from_stones(stones: &[(Colour, String)], side: Colour) -> Answer<Position> {
    let mut discs = [BitBoard::EMPTY; 2];
    for (colour, name) in stones {
        let square: Square = name.parse().map_err(|e| CommandError::new(CommandErrorKind::Syntax, e))?;
        discs[colour.index()] = discs[colour.index()].with(square);
    }
    Position::new(discs[0], discs[1], side).map_err(|e| CommandError::new(CommandErrorKind::Illegal, e))
}

type Writer = fn(&Record) -> String;

/// The forms that [`write`] knows, each once.
const WRITERS: &[(&str, Writer)] = &[
    ("transcript", |r| lines::text(&r.game)),
    ("transcript-passes", |r| notation::transcript(r.game.moves(), Passes::As("ps"), "", false)),
    ("transcript-all", |r| notation::transcript(r.game.plies().iter().map(|p| p.mv), Passes::LeftOut, "", false)),
    ("board", |r| diagram::board_text(r.game.position(), diagram::Alphabet::LETTERS)),
    ("board-01", |r| diagram::side_first_text(r.game.position(), diagram::Alphabet::DIGITS)),
    ("bits", |r| bits::bits_text(r.game.position(), style(BitsOrder::PlayerOpponent))),
    ("bits-0x", |r| bits::bits_text(r.game.position(), BitsStyle { prefix: true, ..style(BitsOrder::PlayerOpponent) })),
    ("bits-colours", |r| bits::bits_text(r.game.position(), style(BitsOrder::BlackWhite))),
    ("fen", |r| fen::fen_text(r.game.position())),
    ("obf", |r| Problem::new(r.game.position()).to_string()),
    ("ggf", ggf::text),
    ("sgf", sgf::text),
    ("pgn", pgn::text),
    ("gam", gam::text),
    ("record", egaroucid::text),
    ("json", |r| egaroucid_json::text(r, |_| None)),
];

const fn style(order: BitsOrder) -> BitsStyle {
    BitsStyle { order, prefix: false, side: true }
}

pub const FORMS: &[&str] = &{
    let mut names = [""; WRITERS.len()];
    let mut i = 0;
    while i < WRITERS.len() {
        names[i] = WRITERS[i].0;
        i += 1;
    }
    names
};

/// The format of a game that a form is, if it holds the moves.
pub fn format_of(form: &str) -> Option<Format> {
    match form {
        "transcript" | "transcript-passes" | "transcript-all" | "record" => Some(Format::Text),
        "ggf" => Some(Format::Ggf),
        "sgf" => Some(Format::Sgf),
        "pgn" => Some(Format::Pgn),
        "gam" => Some(Format::Gam),
        "json" => Some(Format::Json),
        _ => None,
    }
}

/// The record as it stands, without a line end.
pub fn write(form: &str, record: &Record) -> Answer<String> {
    let Some((_, writer)) = WRITERS.iter().find(|(name, _)| *name == form) else {
        return Err(CommandError::new(
            CommandErrorKind::Unsupported,
            format!("`{form}` is not a form: {}", FORMS.join(", ")),
        ));
    };
    if form == "gam" && record.game.start() != Position::START {
        return Err(CommandError::new(CommandErrorKind::Unsupported, Part::Moves.sentence()));
    }
    Ok(writer(record).trim_end().to_string())
}
