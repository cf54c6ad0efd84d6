//! Games and positions in files: GGF, SGF, OBF, PGN, WTHOR, Egaroucid's records, transcripts. A bad entry of a file is
//! reported with its place and the rest is read.

pub mod any;
pub mod egaroucid;
pub mod egaroucid_json;
pub mod gam;
pub mod ggf;
pub mod json;
pub mod lines;
pub mod lost;
pub mod obf;
pub mod pgn;
pub mod sgf;
pub mod wthor;

#[cfg(test)]
mod round_trips;
#[cfg(test)]
pub(in crate::othello) mod samples;

pub use any::read_any;

use super::{Game, game::PlayError, notation::BadPosition};
use crate::base::{Clock, Colour, ParseError, sgf::BadValue};
use std::{fmt, time::Duration};

/// A game with what is known about it. Nothing here passes by itself: the game stands at its last ply.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The moves.
    pub game: Game,
    /// Black's and white's; empty if not known. Likewise for the other pairs.
    pub names: [String; 2],
    /// Ratings of black and white.
    pub ratings: [Option<f64>; 2],
    /// Clocks of black and white.
    pub clocks: [Option<GameClock>; 2],
    /// Where it was played.
    pub place: String,
    /// The tournament.
    pub event: String,
    /// As the file has it.
    pub date: String,
    /// The result as the file has it.
    pub result: Option<GameResult>,
    /// A remark.
    pub memo: String,
    /// What was not understood, kept to be written again.
    pub extra: Vec<(String, String)>,
}

impl Record {
    /// A game without names.
    pub fn new(game: Game) -> Record {
        Record {
            game,
            names: Default::default(),
            ratings: [None; 2],
            clocks: [None; 2],
            place: String::new(),
            event: String::new(),
            date: String::new(),
            result: None,
            memo: String::new(),
            extra: vec![],
        }
    }

    /// The result that is noted or, for a finished game, the one on the board.
    pub fn final_result(&self) -> Option<GameResult> {
        self.result
            .or_else(|| self.game.is_over().then(|| GameResult::from_score(self.game.score().difference().into())))
    }

    /// What a side has left of its clock after the moves played, as far as their times are known.
    pub fn clock_left(&self, colour: Colour) -> Option<Clock> {
        let clock = self.clocks[colour.index()]?;
        let moves = self.game.played().iter().filter(|ply| ply.colour == colour && !ply.automatic);
        let (used, count) =
            moves.fold((0.0, 0u32), |(used, count), ply| (used + ply.seconds.unwrap_or(0.0), count + 1));
        let mut left = clock.main.as_secs_f64() + clock.increment.as_secs_f64() * f64::from(count) - used;
        if left < 0.0 {
            // The grace time begins when the main time has run out.
            left += clock.grace.as_secs_f64();
        }
        let left = Duration::try_from_secs_f64(left.max(0.0)).unwrap_or(Duration::MAX);
        Some(Clock { left, increment: clock.increment, byoyomi: None })
    }
}

/// The time a game gives a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameClock {
    pub main: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Once, when the main time has run out.
    pub grace: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GameResult {
    /// `None` for a draw.
    pub winner: Option<Colour>,
    /// In discs; `None` if only the winner is known.
    pub margin: Option<f64>,
    pub ending: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Played,
    Resigned,
    Timeout,
    /// A player left.
    Left,
}

impl GameResult {
    /// Played to the end with so many discs more for black.
    pub fn from_score(black_margin: f64) -> GameResult {
        let winner = match black_margin {
            m if m > 0.0 => Some(Colour::Black),
            m if m < 0.0 => Some(Colour::White),
            _ => None,
        };
        GameResult { winner, margin: Some(black_margin.abs()), ending: Ending::Played }
    }

    /// Black's discs minus white's; a win by unknown margin counts 64.
    pub fn black_margin(self) -> f64 {
        let margin = self.margin.unwrap_or(64.0);
        match self.winner {
            Some(Colour::Black) => margin,
            Some(Colour::White) => -margin,
            None => 0.0,
        }
    }
}

impl fmt::Display for GameResult {
    /// `B+4`, `W+R`, `0`: as SGF and GTP write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.winner {
            None => return f.write_str("0"),
            Some(Colour::Black) => 'B',
            Some(Colour::White) => 'W',
        };
        match (self.ending, self.margin) {
            (Ending::Resigned, _) => write!(f, "{letter}+R"),
            (Ending::Timeout, _) => write!(f, "{letter}+T"),
            (Ending::Left, _) => write!(f, "{letter}+F"),
            (Ending::Played, Some(margin)) => write!(f, "{letter}+{margin}"),
            (Ending::Played, None) => write!(f, "{letter}+"),
        }
    }
}

/// Why an entry is not a game or position.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadRecord {
    #[error(transparent)]
    Text(#[from] ParseError),
    #[error("line {line}: {error}")]
    Board { line: usize, error: BadPosition },
    #[error("{at}: {mv}: {error}")]
    Move { at: String, mv: String, error: PlayError },
    #[error(transparent)]
    Property(#[from] BadValue),
    #[error("{0}")]
    Unsupported(String),
}

impl BadRecord {
    /// The same for a text that begins in line `first_line` of a file.
    fn moved_to_line(self, first_line: usize) -> BadRecord {
        match self {
            BadRecord::Text(parse_error) => BadRecord::Text(parse_error.moved_to_line(first_line)),
            BadRecord::Board { line, error } => BadRecord::Board { line: line + first_line - 1, error },
            other => other,
        }
    }
}

/// An entry of a file that could not be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("entry {number}: {error}")]
pub struct BadEntry {
    /// Counted from 1, good and bad ones.
    pub number: usize,
    /// Where the entry begins, if the file has lines.
    pub line: Option<usize>,
    pub error: BadRecord,
}

/// Kinds of files with games in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Generic Game Format, of GGS and NBoard.
    Ggf,
    /// Smart Game Format.
    Sgf,
    /// Problems with the value of moves.
    Obf,
    /// Portable Game Notation.
    Pgn,
    /// The database of the Fédération française d'Othello.
    Wthor,
    /// Logistello's.
    Gam,
    /// Egaroucid 7's and Othello Quest's.
    Json,
    /// Transcripts or Egaroucid's records, one a line.
    Text,
}

impl Format {
    /// By the ending of a file's name.
    pub fn from_path(path: &std::path::Path) -> Format {
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("ggf") => Format::Ggf,
            Some("sgf") => Format::Sgf,
            Some("obf") => Format::Obf,
            Some("pgn") => Format::Pgn,
            Some("wtb") => Format::Wthor,
            Some("gam") => Format::Gam,
            Some("json") => Format::Json,
            _ => Format::Text,
        }
    }

    /// All games of a file, bad entries among them as errors.
    pub fn read(self, bytes: Vec<u8>) -> Vec<Result<Record, BadEntry>> {
        if self == Format::Wthor {
            return wthor::records(&bytes);
        }
        let text = crate::base::files::text_of(bytes);
        match self {
            Format::Ggf => ggf::games(&text).collect(),
            Format::Sgf => sgf::games(&text).collect(),
            Format::Obf => obf::problems(&text).map(|entry| entry.map(|problem| problem.record())).collect(),
            Format::Pgn => pgn::games(&text).collect(),
            Format::Gam => gam::games(&text).collect(),
            Format::Json => json::games(&text),
            Format::Wthor | Format::Text => lines::games(&text).collect(),
        }
    }

    /// A game as this format writes it, with the line end. `None` for formats that are only read.
    pub fn write(self, record: &Record) -> Option<String> {
        match self {
            Format::Ggf => Some(ggf::text(record) + "\n"),
            Format::Sgf => Some(sgf::text(record) + "\n"),
            Format::Obf => Some(obf::Problem::new(record.game.position()).to_string() + "\n"),
            Format::Pgn => Some(pgn::text(record)),
            Format::Text => Some(lines::text(&record.game) + "\n"),
            Format::Gam => Some(gam::text(record) + "\n"),
            Format::Json => Some(egaroucid_json::text(record, |_| None)),
            Format::Wthor => None,
        }
    }
}
