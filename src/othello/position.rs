//! A position with its colours: a board and whose turn it is.

use super::{BitBoard, Board, Move, Square};
use crate::base::Colour;
use std::fmt;

/// A board with its side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The discs, seen by that side.
    pub board: Board,
    /// The side to move, whose discs are `board.player`.
    pub side: Colour,
}

/// What the side to move can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Turn {
    Move,
    MustPass,
    /// Nobody can move.
    Over,
}

/// Why discs are not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPosition {
    #[error("there is no disc on the board")]
    Empty,
    #[error("black and white both have a disc on {}", Names(*.0))]
    Overlap(BitBoard),
}

/// `a1, b2`.
struct Names(BitBoard);

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, square) in self.0.into_iter().enumerate() {
            write!(f, "{}{square}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Position {
    /// The usual start.
    pub const START: Position = Position { board: Board::START, side: Colour::Black };

    /// Any discs but none, and never two on a square. A position where nobody can move is one: its turn is `Over`.
    pub fn new(black: BitBoard, white: BitBoard, side: Colour) -> Result<Position, NotAPosition> {
        if !(black & white).is_empty() {
            return Err(NotAPosition::Overlap(black & white));
        }
        if (black | white).is_empty() {
            return Err(NotAPosition::Empty);
        }
        let board = match side {
            Colour::Black => Board::new(black.0, white.0),
            Colour::White => Board::new(white.0, black.0),
        };
        Ok(Position { board, side })
    }

    /// The discs of one colour.
    pub const fn discs(self, colour: Colour) -> BitBoard {
        if colour as u8 == self.side as u8 { BitBoard(self.board.player) } else { BitBoard(self.board.opponent) }
    }

    /// Black's discs.
    pub const fn black(self) -> BitBoard {
        self.discs(Colour::Black)
    }

    /// White's discs.
    pub const fn white(self) -> BitBoard {
        self.discs(Colour::White)
    }

    /// Whose disc lies there.
    pub fn disc_at(self, square: Square) -> Option<Colour> {
        Colour::BOTH.into_iter().find(|&colour| self.discs(colour).contains(square))
    }

    /// Whose turn it is, or that the game is over.
    pub fn turn(self) -> Turn {
        if self.board.can_move() {
            Turn::Move
        } else if self.board.pass().can_move() {
            Turn::MustPass
        } else {
            Turn::Over
        }
    }

    /// Whether neither side can move.
    pub fn is_over(self) -> bool {
        self.turn() == Turn::Over
    }

    /// Where the side to move may play.
    pub fn moves(self) -> BitBoard {
        self.board.moves()
    }

    /// What the side to move may do: squares, or nothing but a pass, or nothing at all.
    pub fn legal(self) -> Vec<Move> {
        match self.turn() {
            Turn::Move => self.moves().into_iter().map(Move::Place).collect(),
            Turn::MustPass => vec![Move::Pass],
            Turn::Over => vec![],
        }
    }

    /// After a move of the side to move; `None` when it turns nothing.
    pub fn play(self, square: Square) -> Option<Position> {
        Some(Position { board: self.board.play(square)?, side: !self.side })
    }

    /// The same discs with the other side to move, whether that is allowed or not.
    pub fn pass(self) -> Position {
        Position { board: self.board.pass(), side: !self.side }
    }

    /// The same discs with `side` to move.
    pub fn with_side(self, side: Colour) -> Position {
        if side == self.side { self } else { self.pass() }
    }

    /// Discs on the board now.
    pub fn score(self) -> Score {
        Score { black: self.black().count(), white: self.white().count() }
    }

    /// The image under a symmetry as numbered by [`Board::symmetry`].
    pub fn symmetry(self, s: u8) -> Position {
        Position { board: self.board.symmetry(s), side: self.side }
    }
}

/// The discs on the board, and the result they make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Score {
    pub black: u32,
    pub white: u32,
}

impl Score {
    pub const fn empties(self) -> u32 {
        64 - self.black - self.white
    }

    /// Black's discs minus white's, as they lie.
    pub const fn bare_difference(self) -> i32 {
        self.black as i32 - self.white as i32
    }

    /// Black's discs minus white's with the empty squares given to the winner, as tournaments count.
    pub const fn difference(self) -> i32 {
        let bare = self.bare_difference();
        bare + bare.signum() * self.empties() as i32
    }

    /// Both sides' discs with the empty squares given to the winner, or to both when it is a draw.
    pub const fn with_empties(self) -> Score {
        let half = (64 + self.difference()) / 2;
        Score { black: half as u32, white: 64 - half as u32 }
    }

    /// `None` for a draw.
    pub fn winner(self) -> Option<Colour> {
        match self.bare_difference() {
            0 => None,
            n if n > 0 => Some(Colour::Black),
            _ => Some(Colour::White),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_the_side_to_move() {
        let start = Position::START;
        assert_eq!(start.disc_at("e4".parse().unwrap()), Some(Colour::Black));
        let next = start.play("f5".parse().unwrap()).unwrap();
        assert_eq!(next.side, Colour::White);
        assert_eq!((next.black().count(), next.white().count()), (4, 1));
        assert_eq!(next.disc_at("f5".parse().unwrap()), Some(Colour::Black));
        assert_eq!(next.disc_at("a1".parse().unwrap()), None);
        assert_eq!(next.pass().black(), next.black());
    }

    #[test]
    fn what_is_no_position_says_why() {
        let a1 = BitBoard(1);
        assert_eq!(Position::new(BitBoard::EMPTY, BitBoard::EMPTY, Colour::Black), Err(NotAPosition::Empty));
        let both = Position::new(BitBoard(0b11), a1, Colour::Black).unwrap_err();
        assert_eq!(both.to_string(), "black and white both have a disc on a1");
        let lone = Position::new(a1, BitBoard::EMPTY, Colour::White).unwrap();
        assert_eq!((lone.turn(), lone.legal()), (Turn::Over, vec![]));
    }

    #[test]
    fn empties_go_to_the_winner_and_a_draw_is_shared() {
        let score = Score { black: 10, white: 3 };
        assert_eq!((score.bare_difference(), score.difference(), score.winner()), (7, 58, Some(Colour::Black)));
        assert_eq!(score.with_empties(), Score { black: 61, white: 3 });
        let draw = Score { black: 20, white: 20 };
        assert_eq!((draw.difference(), draw.winner(), draw.with_empties()), (0, None, Score { black: 32, white: 32 }));
        assert_eq!(Score { black: 0, white: 13 }.difference(), -64);
    }
}
