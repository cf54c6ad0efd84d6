//! One finished game: its moves with what the players said about them, and why it ended.

use super::client::{Failure, Thought};
use crate::base::Colour;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub struct Ply {
    pub colour: Colour,
    /// `f5`, `pass`.
    pub text: String,
    /// In discs or points, seen by the mover.
    pub value: Option<f64>,
    pub seconds: Option<f64>,
    pub depth: Option<String>,
    pub nodes: Option<u64>,
}

impl Default for Ply {
    fn default() -> Ply {
        Ply { colour: Colour::Black, text: "pass".into(), value: None, seconds: None, depth: None, nodes: None }
    }
}

impl Ply {
    /// A move of the opening or of the rules: nobody thought about it.
    pub fn given(colour: Colour, text: impl Into<String>) -> Ply {
        Ply { colour, text: text.into(), ..Ply::default() }
    }

    pub fn thought(colour: Colour, text: String, thought: Thought, seconds: f64) -> Ply {
        let Thought { value, depth, nodes } = thought;
        Ply { colour, text, value, seconds: Some(seconds), depth, nodes }
    }

    pub fn is_pass(&self) -> bool {
        self.text == "pass"
    }
}

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// By the rules.
    End,
    /// By the rules, but the players do not agree on dead stones: the score is that of the board as it stands.
    Disputed,
    /// The exact result was computed.
    Solved,
    Resignation,
    Timeout,
    Illegal,
    Crash,
    Silence,
    Garbage,
    /// The engine refused a legal move or another command it has to know.
    Refusal,
    /// The engine could not be started again.
    Start,
    /// More moves than the match allows.
    Length,
}

impl Reason {
    /// The engine did something wrong, beyond losing.
    pub fn is_fault(self) -> bool {
        !matches!(self, Reason::End | Reason::Disputed | Reason::Solved | Reason::Resignation | Reason::Length)
    }

    pub fn word(self) -> &'static str {
        match self {
            Reason::End => "end",
            Reason::Disputed => "disputed",
            Reason::Solved => "solved",
            Reason::Resignation => "resignation",
            Reason::Timeout => "timeout",
            Reason::Illegal => "illegal",
            Reason::Crash => "crash",
            Reason::Silence => "silence",
            Reason::Garbage => "garbage",
            Reason::Refusal => "refusal",
            Reason::Start => "start",
            Reason::Length => "length",
        }
    }

    /// What a failure of an engine is called in a record; `None` when it was none.
    pub fn of(failure: &Failure) -> Option<Reason> {
        Some(match failure {
            Failure::Start(_) => Reason::Start,
            Failure::Crash(_) | Failure::NoTime(_) | Failure::InputClosed | Failure::OutputClosed => Reason::Crash,
            Failure::Silence { .. } => Reason::Silence,
            Failure::TimeOver(_) => Reason::Timeout,
            Failure::Garbage { .. } => Reason::Garbage,
            Failure::Refused { .. } => Reason::Refusal,
            Failure::Stopped => return None,
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// `None` is a draw.
    pub winner: Option<Colour>,
    /// For black; only of games whose score is known.
    pub score: Option<f64>,
    pub reason: Reason,
    /// More about it, for people.
    pub detail: String,
}

impl Verdict {
    /// A game with a score.
    pub fn scored(score: f64, reason: Reason) -> Verdict {
        let winner = match score.total_cmp(&0.0) {
            _ if score == 0.0 => None,
            std::cmp::Ordering::Greater => Some(Colour::Black),
            _ => Some(Colour::White),
        };
        Verdict { winner, score: Some(score), reason, detail: String::new() }
    }

    /// A game that `loser` lost otherwise.
    pub fn forfeit(loser: Colour, reason: Reason, detail: String) -> Verdict {
        Verdict { winner: Some(!loser), score: None, reason, detail }
    }

    /// 2, 1 or 0.
    pub fn half_points(&self, colour: Colour) -> u8 {
        match self.winner {
            None => 1,
            Some(winner) if winner == colour => 2,
            Some(_) => 0,
        }
    }
}

impl fmt::Display for Verdict {
    /// `B+10`, `W+2.5`, `0`, `B+R`, `W+T`, `B+F` (forfeit).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(winner) = self.winner else { return f.pad("0") };
        let letter = winner.letter().to_ascii_uppercase();
        let text = match (self.score, self.reason) {
            (Some(score), _) => format!("{letter}+{}", score.abs()),
            (None, Reason::Resignation) => format!("{letter}+R"),
            (None, Reason::Timeout) => format!("{letter}+T"),
            (None, _) => format!("{letter}+F"),
        };
        f.pad(&text)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct GameRecord {
    /// Place in the schedule.
    pub index: usize,
    pub opening: usize,
    /// Black's and white's place in the list of engines.
    pub players: [usize; 2],
    pub position: Option<String>,
    pub plies: Vec<Ply>,
    /// So many of them were the opening.
    pub opening_plies: usize,
    pub verdict: Verdict,
    /// Seconds since 1970.
    pub started: u64,
    pub seconds: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_in_words_and_points() {
        for (verdict, text, black) in [
            (Verdict::scored(10.0, Reason::End), "B+10", 2),
            (Verdict::scored(-2.5, Reason::End), "W+2.5", 0),
            (Verdict::scored(0.0, Reason::Solved), "0", 1),
            (Verdict::scored(-0.0, Reason::End), "0", 1),
            (Verdict::forfeit(Colour::White, Reason::Resignation, String::new()), "B+R", 2),
            (Verdict::forfeit(Colour::Black, Reason::Timeout, String::new()), "W+T", 0),
            (Verdict::forfeit(Colour::Black, Reason::Crash, String::new()), "W+F", 0),
        ] {
            assert_eq!(verdict.to_string(), text);
            assert_eq!(verdict.half_points(Colour::Black), black);
            assert_eq!(verdict.half_points(Colour::White), 2 - black);
        }
    }

    #[test]
    fn words_are_those_of_the_file() {
        for reason in [Reason::End, Reason::Refusal, Reason::Length, Reason::Start] {
            assert_eq!(serde_json::to_string(&reason).unwrap(), format!("\"{}\"", reason.word()));
        }
    }
}
