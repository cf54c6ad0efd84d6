//! The rules as a match needs them. The runner knows no game: it asks a [`Referee`].

use super::go_referee::GoReferee;
use crate::{
    base::{Colour, Control},
    go::Rules,
    othello::{
        Move,
        eval::Weights,
        notation::{diagram, parse_move},
        position::{Position, Turn},
        search::{Config, Effort, Searcher, Task},
    },
};
use std::fmt;

/// Enough for the last twenty-odd empty squares.
const SOLVER_HASH_BITS: u32 = 18;

/// Black to move, `X` black, `O` white: how positions are written between the parts of the runner.
pub const OTHELLO_START: &str = "---------------------------OX------XO---------------------------X";

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GameKind {
    Othello,
    Go { size: u8, komi: f64, rules: Rules },
}

impl GameKind {
    /// As GTP's `set_game` and SGF files spell it.
    pub fn name(self) -> &'static str {
        match self {
            GameKind::Othello => "Othello",
            GameKind::Go { .. } => "Go",
        }
    }

    pub fn size(self) -> u8 {
        match self {
            GameKind::Othello => 8,
            GameKind::Go { size, .. } => size,
        }
    }

    /// What the score is counted in.
    pub fn unit(self) -> &'static str {
        match self {
            GameKind::Othello => "discs",
            GameKind::Go { .. } => "points",
        }
    }

    /// A referee for a game from `position`, or from the normal start.
    pub fn referee(self, position: Option<&str>) -> Result<Box<dyn Referee>, BadMove> {
        match self {
            GameKind::Othello => Ok(Box::new(OthelloReferee::new(position.unwrap_or(OTHELLO_START))?)),
            GameKind::Go { size, komi, rules } => Ok(Box::new(GoReferee::new(size, rules, komi)?)),
        }
    }
}

/// Why a move was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMove {
    #[error("`{0}` is not a move")]
    NotAMove(String),
    #[error("{text} is not legal for {colour} after {} moves", .ply)]
    Illegal { text: String, colour: Colour, ply: usize },
    #[error("not a position: {0}")]
    NotAPosition(String),
}

/// Watches over one game.
pub trait Referee: Send {
    /// Whose turn it is.
    fn to_move(&self) -> Colour;

    /// Makes a move of the side to move and gives it back in the one spelling used everywhere: `f5`, `pass`.
    fn play(&mut self, text: &str) -> Result<String, BadMove>;

    /// All legal moves.
    fn moves(&self) -> Vec<String>;

    /// The side to move has to pass, so it need not be asked.
    fn must_pass(&self) -> bool;

    /// The score for black once the game is over.
    fn result(&self) -> Option<f64>;

    /// Moves left at most, where the game knows such a number.
    fn empties(&self) -> Option<u32>;

    /// The exact result for black, computed; `None` where that cannot be done.
    fn solve(&self) -> Option<f64>;

    /// The score for black if the game were over.
    fn score_now(&self) -> f64;

    /// The score of a finished game without the stones that each player calls dead; `None` when they disagree.
    fn score_without(&self, _dead: &[Vec<String>]) -> Option<f64> {
        None
    }

    /// The position in the runner's spelling.
    fn position(&self) -> String;
}

pub struct OthelloReferee {
    position: Position,
    ply: usize,
}

impl OthelloReferee {
    pub fn new(text: &str) -> Result<OthelloReferee, BadMove> {
        Ok(OthelloReferee { position: othello_position(text)?, ply: 0 })
    }
}

/// A board with its side to move in any of the usual alphabets.
pub fn othello_position(text: &str) -> Result<Position, BadMove> {
    let bad = |why: String| BadMove::NotAPosition(why);
    let board = diagram::parse_board(text).map_err(|error| bad(error.to_string()))?;
    let side = board.side.ok_or_else(|| bad("the side to move is missing".into()))?;
    Position::new(board.black, board.white, side).map_err(|error| bad(error.to_string()))
}

/// A position as the runner spells it.
pub fn othello_text(position: Position) -> String {
    diagram::board_text(position, diagram::Alphabet::LETTERS).replace(' ', "")
}

impl Referee for OthelloReferee {
    fn to_move(&self) -> Colour {
        self.position.side
    }

    fn play(&mut self, text: &str) -> Result<String, BadMove> {
        let text = text.trim();
        let wanted = parse_move(text).map_err(|_| BadMove::NotAMove(text.into()))?;
        let next = match wanted {
            Move::Place(square) => self.position.play(square),
            Move::Pass => self.must_pass().then(|| self.position.pass()),
        };
        let illegal = || BadMove::Illegal { text: wanted.to_string(), colour: self.to_move(), ply: self.ply };
        self.position = next.ok_or_else(illegal)?;
        self.ply += 1;
        Ok(wanted.to_string())
    }

    fn moves(&self) -> Vec<String> {
        self.position.legal().iter().map(Move::to_string).collect()
    }

    fn must_pass(&self) -> bool {
        self.position.turn() == Turn::MustPass
    }

    fn result(&self) -> Option<f64> {
        self.position.is_over().then(|| self.score_now())
    }

    fn empties(&self) -> Option<u32> {
        Some(self.position.score().empties())
    }

    fn solve(&self) -> Option<f64> {
        let config = Config { threads: 1, hash_bits: SOLVER_HASH_BITS, weights: Weights::builtin() };
        let task = Task::new(Effort::Exact);
        let report = Searcher::new(config).search(self.position.board, &task, Control::alone());
        let score = report.value.rounded();
        report.complete.then(|| f64::from(if self.to_move() == Colour::Black { score } else { -score }))
    }

    fn score_now(&self) -> f64 {
        f64::from(self.position.score().difference())
    }

    fn position(&self) -> String {
        othello_text(self.position)
    }
}

impl fmt::Display for GameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameKind::Othello => f.write_str("othello"),
            GameKind::Go { size, komi, rules } => write!(f, "go {size}x{size}, {} rules, komi {komi}", rules.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Black wipes white out in nine moves.
    const SHORTEST: [&str; 9] = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"];

    #[test]
    fn a_short_game_is_refereed() {
        let mut referee = GameKind::Othello.referee(None).unwrap();
        assert_eq!(referee.position(), OTHELLO_START);
        assert_eq!(referee.moves(), ["d3", "c4", "f5", "e6"]);
        for (ply, text) in SHORTEST.iter().enumerate() {
            assert_eq!(referee.to_move(), if ply % 2 == 0 { Colour::Black } else { Colour::White });
            assert_eq!(referee.result(), None);
            assert_eq!(referee.play(&text.to_uppercase()), Ok((*text).to_owned()));
        }
        assert_eq!(referee.result(), Some(64.0));
        assert_eq!(referee.to_move(), Colour::White);
    }

    #[test]
    fn bad_moves_are_told_apart_and_change_nothing() {
        let mut referee = GameKind::Othello.referee(None).unwrap();
        assert_eq!(referee.play("hello"), Err(BadMove::NotAMove("hello".into())));
        assert!(matches!(referee.play("a1"), Err(BadMove::Illegal { .. })));
        assert!(matches!(referee.play("pass"), Err(BadMove::Illegal { .. })));
        assert_eq!(referee.position(), OTHELLO_START);
    }

    #[test]
    fn passes_only_when_forced() {
        // Black has a1 and b1 with nothing to flip; white can play c1? No: white needs a black disc between.
        let position = format!("O-X{}X", "-".repeat(61));
        let mut referee = OthelloReferee::new(&position).unwrap();
        assert_eq!(referee.position(), position);
        assert_eq!(referee.moves(), Vec::<String>::new());
        assert_eq!(referee.result(), Some(0.0));
        assert!(referee.play("pass").is_err());
        let mut referee = OthelloReferee::new(&format!("OX-{}X", "-".repeat(61))).unwrap();
        assert!(referee.must_pass());
        assert_eq!(referee.play("PA").as_deref(), Ok("pass"));
        assert_eq!(referee.play("c1").as_deref(), Ok("c1"));
        assert_eq!(referee.result(), Some(-64.0));
    }

    #[test]
    fn bad_positions() {
        for bad in ["", "X", &"-".repeat(65), &format!("{}Q", &OTHELLO_START[..64]), &OTHELLO_START[..64]] {
            assert!(OthelloReferee::new(bad).is_err(), "{bad}");
        }
    }
}
