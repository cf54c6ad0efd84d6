//! Positions and games as text, in and out.

use crate::{
    base::{Clock, Colour},
    engine::{Answer, Refusal, Why},
    othello::{
        BitBoard, Game, Move, Position, Square,
        notation::{self, BitsOrder, BitsStyle, Passes, bits, diagram, fen},
        records::{BadRecord, Record, any, ggf, lines, obf::Problem, pgn, sgf},
    },
};

/// What a text said.
pub struct Note {
    pub game: Game,
    pub names: [String; 2],
    /// The clocks as they stand after the moves, when the text knows of any.
    pub clocks: Option<[Option<Clock>; 2]>,
}

impl From<BadRecord> for Refusal {
    fn from(error: BadRecord) -> Refusal {
        let why = if matches!(error, BadRecord::Move { .. }) { Why::Illegal } else { Why::Syntax };
        Refusal::new(why, error)
    }
}

/// Reads a position or a game in any notation.
pub fn read(text: &str, autopass: bool) -> Answer<Note> {
    let record = any::read_record(text)?;
    let clocks = Colour::BOTH.map(|colour| record.clock_left(colour));
    let Record { mut game, names, .. } = record;
    game.set_auto_pass(autopass);
    Ok(Note { game, names, clocks: clocks.iter().any(Option::is_some).then_some(clocks) })
}

/// Reads moves: `f5d6c3`, `F5 D6 pass`.
pub fn read_moves(text: &str) -> Answer<Vec<Move>> {
    notation::parse_moves(text).map_err(|e| Refusal::new(Why::Syntax, e))
}

/// A position from single discs, as GoGui sets it up.
pub fn from_stones(stones: &[(Colour, String)], side: Colour) -> Answer<Position> {
    let mut discs = [BitBoard::EMPTY; 2];
    for (colour, name) in stones {
        let square: Square = name.parse().map_err(|e| Refusal::new(Why::Syntax, e))?;
        discs[colour.index()] = discs[colour.index()].with(square);
    }
    Position::new(discs[0], discs[1], side).map_err(|e| Refusal::new(Why::Illegal, e))
}

type Writer = fn(&Record) -> String;

/// The forms that [`write`] knows, each once.
const WRITERS: &[(&str, Writer)] = &[
    ("transcript", |r| lines::text(&r.game)),
    ("transcript-passes", |r| notation::transcript(r.game.moves(), Passes::As("ps"), "", false)),
    ("transcript-all", |r| notation::transcript(r.game.plies().iter().map(|p| p.mv), Passes::LeftOut, "", false)),
    ("board", |r| diagram::board_text(r.game.position(), diagram::Alphabet::LETTERS)),
    ("bits", |r| bits::bits_text(r.game.position(), style(BitsOrder::PlayerOpponent))),
    ("bits-colours", |r| bits::bits_text(r.game.position(), style(BitsOrder::BlackWhite))),
    ("fen", |r| fen::fen_text(r.game.position())),
    ("obf", |r| Problem::new(r.game.position()).to_string()),
    ("ggf", ggf::text),
    ("sgf", sgf::text),
    ("pgn", pgn::text),
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

pub fn write(form: &str, game: &Game, names: &[String; 2]) -> Answer<String> {
    let Some((_, writer)) = WRITERS.iter().find(|(name, _)| *name == form) else {
        return Err(Refusal::new(Why::Unsupported, format!("`{form}` is not a form: {}", FORMS.join(", "))));
    };
    let mut record = Record::new(game.clone());
    record.names = names.clone();
    Ok(writer(&record).trim_end().to_string())
}
