//! What a search or an analysis found, in the words of the session.

use crate::base::{Colour, Table};
use std::{fmt, time::Duration};

/// A search's view of a position at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Thought {
    /// Best first; all of one iteration.
    pub lines: Vec<Line>,
    pub nodes: u64,
    pub elapsed: Duration,
    /// The work asked for was finished; otherwise this is what was known when it was stopped, or while it goes on.
    pub complete: bool,
    /// Go: ownership of each point, from 1 (the side to move) to -1, rows from the top; empty if unknown.
    pub ownership: Vec<f32>,
    /// The openings that moves lead to, by the name of the move, where names are wanted.
    pub openings: Vec<(String, Opening)>,
    /// How likely a person is to play each move, where that is wanted.
    pub people: Vec<(String, f64)>,
    /// The same for the position, if all moves have a value.
    pub difficulty: Option<Difficulty>,
}

impl Thought {
    /// How likely a person is to play a move.
    pub fn probability(&self, mv: &str) -> Option<f64> {
        self.people.iter().find(|(name, _)| name == mv).map(|(_, probability)| *probability)
    }

    pub fn opening(&self, mv: &str) -> Option<&Opening> {
        self.openings.iter().find(|(name, _)| name == mv).map(|(_, opening)| opening)
    }

    pub fn nodes_per_second(&self) -> u64 {
        (self.nodes as f64 / self.elapsed.as_secs_f64().max(1e-6)) as u64
    }
}

/// How hard a position is for a person who has to find a move there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difficulty {
    /// Discs lost on average.
    pub expected_loss: f64,
    /// Probability of a move that loses at most one disc.
    pub chance: f64,
}

/// The name of an opening, in the languages that have one for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opening {
    pub english: Option<String>,
    pub japanese: Option<String>,
}

impl Opening {
    /// The name for those who read the language with this code.
    pub fn name(&self, code: &str) -> &str {
        let (first, second) =
            if code == "ja" { (&self.japanese, &self.english) } else { (&self.english, &self.japanese) };
        first.as_deref().or(second.as_deref()).unwrap_or_default()
    }

    /// As one word for programs: blanks become underscores.
    pub fn word(&self) -> String {
        self.name("en").split_whitespace().collect::<Vec<_>>().join("_")
    }
}

/// One move and what is expected after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The moves, the one in question first. Othello: `f5`, `pass`; Go: `D4`, `pass`.
    pub moves: Vec<String>,
    /// Discs or points, seen by the side to move; positive is good for it.
    pub value: f64,
    pub bound: Bound,
    pub source: Source,
    pub depth: Depth,
    /// Go: visits, chance to win (0 to 1) and prior.
    pub playouts: Option<Playouts>,
}

impl Line {
    pub fn best(&self) -> &str {
        self.moves.first().map_or("pass", String::as_str)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Playouts {
    pub visits: u64,
    pub win_rate: f64,
    pub prior: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Search,
    /// The book, with the number of its lines or games behind the move and the level of the entry.
    Book {
        games: u32,
    },
    /// Nothing to search: a forced pass or a finished game.
    Rules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Depth {
    pub plies: u32,
    /// How sure the selective search is, in per cent; 100 means nothing was cut on a guess.
    pub percent: u8,
    /// To the end of the game.
    pub to_end: bool,
    /// Only win, loss or draw is known, not the margin.
    pub wld: bool,
}

impl Depth {
    /// A proven value: read out to the end without guessing.
    pub const fn solved(self) -> bool {
        self.to_end && self.percent == 100
    }
}

impl fmt::Display for Depth {
    /// `12`, `14@73%`; a value that is proven reads `100%`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Depth { wld: true, .. } if self.solved() => "100%W".into(),
            _ if self.solved() => "100%".into(),
            Depth { plies, percent: 100, .. } => plies.to_string(),
            Depth { plies, percent, .. } => format!("{plies}@{percent}%"),
        };
        f.pad(&text)
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Analysis {
    /// In the order of the game.
    pub moves: Vec<Judged>,
    /// Loss per side summed up, mistakes counted: ready to be shown.
    pub summary: Table,
    pub complete: bool,
    /// The openings that the game went through, by the ply at which it reached them, where names are wanted.
    pub openings: Vec<(usize, Opening)>,
    /// How hard positions were, by their ply, where that is wanted.
    pub difficulties: Vec<(usize, Difficulty)>,
}

impl Analysis {
    pub fn difficulty(&self, ply: usize) -> Option<Difficulty> {
        self.difficulties.iter().find(|(at, _)| *at == ply).map(|(_, difficulty)| *difficulty)
    }

    pub fn opening(&self, ply: usize) -> Option<&Opening> {
        self.openings.iter().find(|(at, _)| *at == ply).map(|(_, opening)| opening)
    }
}

/// A position of a game, what was played there and what should have been.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Moves made before it, passes counted.
    pub ply: usize,
    pub colour: Colour,
    /// `None` for the last position.
    pub played: Option<String>,
    /// Value of the played move, for the side that played it.
    pub played_value: Option<f64>,
    pub best: Option<String>,
    /// Value of the position for the side to move.
    pub best_value: f64,
    pub depth: Depth,
}

impl Judged {
    /// What the played move gave away.
    pub fn loss(&self) -> f64 {
        self.played_value.map_or(0.0, |v| (self.best_value - v).max(0.0))
    }
}
