//! A position as the side to move sees it: own discs and the opponent's, no colours.

use super::{BitBoard, Square, flip};
use std::fmt;

/// A position seen by the side to move, as two bitboards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board {
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
}

/// What a side can do on its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A disc on this square.
    Place(Square),
    /// No disc: only when there is no legal move.
    Pass,
}

impl From<Square> for Move {
    fn from(square: Square) -> Move {
        Move::Place(square)
    }
}

impl fmt::Display for Move {
    /// `f5` or `pass`; `F5` or `PASS` with the alternate flag.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Place(square) => square.fmt(f),
            Move::Pass => f.write_str(if f.alternate() { "PASS" } else { "pass" }),
        }
    }
}

impl Board {
    /// Black to move, white on d4 and e5.
    pub const START: Board = Board { player: 0x0000_0008_1000_0000, opponent: 0x0000_0010_0800_0000 };

    /// From the discs of the side to move and of the opponent; they must not overlap.
    #[inline]
    pub const fn new(player: u64, opponent: u64) -> Board {
        Board { player, opponent }
    }

    /// The empty squares.
    #[inline]
    pub const fn empties(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// How many squares are empty.
    #[inline]
    pub const fn empty_count(self) -> u32 {
        self.empties().count_ones()
    }

    /// How many discs there are.
    #[inline]
    pub const fn disc_count(self) -> u32 {
        (self.player | self.opponent).count_ones()
    }

    /// Where the side to move may play.
    #[inline]
    pub fn moves(self) -> BitBoard {
        BitBoard(flip::moves(self.player, self.opponent))
    }

    /// The discs that `square` turns; empty when it is not a legal move.
    #[inline]
    pub fn flips(self, square: Square) -> BitBoard {
        if self.empties() & square.bit() == 0 {
            return BitBoard::EMPTY;
        }
        BitBoard(flip::flips(square.index(), self.player, self.opponent))
    }

    /// The board after playing on `square` and turning `flipped`, seen by the other side.
    #[inline]
    pub const fn after(self, square: Square, flipped: u64) -> Board {
        Board { player: self.opponent ^ flipped, opponent: self.player ^ flipped ^ square.bit() }
    }

    /// The board after a legal move on `square`, seen by the other side; `None` when it turns nothing.
    pub fn play(self, square: Square) -> Option<Board> {
        let flipped = self.flips(square);
        if flipped.is_empty() { None } else { Some(self.after(square, flipped.0)) }
    }

    /// The same discs seen by the other side.
    #[inline]
    pub const fn pass(self) -> Board {
        Board { player: self.opponent, opponent: self.player }
    }

    /// Whether the side to move has a legal move.
    pub fn can_move(self) -> bool {
        !self.moves().is_empty()
    }

    /// No move here, but the other side has one.
    pub fn must_pass(self) -> bool {
        !self.can_move() && self.pass().can_move()
    }

    /// Whether neither side has a legal move.
    pub fn is_over(self) -> bool {
        !self.can_move() && !self.pass().can_move()
    }

    /// Own discs minus the opponent's.
    #[inline]
    pub const fn disc_difference(self) -> i32 {
        self.player.count_ones() as i32 - self.opponent.count_ones() as i32
    }

    /// The result when nobody can move any more: empty squares go to the winner.
    #[inline]
    pub const fn final_score(self) -> i32 {
        let difference = self.disc_difference();
        if difference == 0 { 0 } else { difference + difference.signum() * self.empty_count() as i32 }
    }

    /// The image of the board under symmetry `s`: bit 0 changes left and right, bit 1 top and bottom, bit 2 then
    /// mirrors in the diagonal a1–h8.
    pub const fn symmetry(self, s: u8) -> Board {
        let mut p = BitBoard(self.player);
        let mut o = BitBoard(self.opponent);
        if s & 1 != 0 {
            (p, o) = (p.mirror_columns(), o.mirror_columns());
        }
        if s & 2 != 0 {
            (p, o) = (p.mirror_rows(), o.mirror_rows());
        }
        if s & 4 != 0 {
            (p, o) = (p.transpose(), o.transpose());
        }
        Board { player: p.0, opponent: o.0 }
    }

    /// The smallest of the eight images, and the symmetry that leads to it.
    pub fn canonical(self) -> (Board, u8) {
        (0..8).map(|s| (self.symmetry(s), s)).min_by_key(|&(b, s)| (b.player, b.opponent, s)).expect("eight images")
    }
}

impl Square {
    /// Where symmetry `s` of [`Board::symmetry`] sends this square.
    pub const fn symmetry(self, s: u8) -> Square {
        let b = Board { player: self.bit(), opponent: 0 }.symmetry(s);
        Square::wrapping(b.player.trailing_zeros())
    }

    /// The square that symmetry `s` sends here.
    pub const fn symmetry_back(self, s: u8) -> Square {
        // The two mirrors undo themselves and each other; after a transposition their order is turned round.
        match s {
            5 => self.symmetry(6),
            6 => self.symmetry(5),
            _ => self.symmetry(s),
        }
    }
}

impl fmt::Debug for Board {
    /// 64 characters from a1, `X` for the side to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in Square::all() {
            let c = match square.bit() {
                b if self.player & b != 0 => 'X',
                b if self.opponent & b != 0 => 'O',
                _ => '-',
            };
            fmt::Write::write_char(f, c)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_has_its_four_moves() {
        let names: Vec<_> = Board::START.moves().into_iter().map(|s| s.to_string()).collect();
        assert_eq!(names, ["d3", "c4", "f5", "e6"]);
    }

    #[test]
    fn a_symmetry_and_its_way_back() {
        let mut board = Board::START;
        for name in ["f5", "d6", "c3", "d3"] {
            board = board.play(name.parse().unwrap()).unwrap();
        }
        for s in 0..8 {
            let image = board.symmetry(s);
            assert_eq!(image.canonical().0, board.canonical().0);
            for square in Square::all() {
                assert_eq!(square.symmetry(s).symmetry_back(s), square);
                assert_eq!(square.symmetry_back(s).symmetry(s), square);
                let turned = BitBoard(board.flips(square).0).into_iter().map(|q| q.symmetry(s)).collect();
                assert_eq!(image.flips(square.symmetry(s)), turned);
            }
        }
    }

    #[test]
    fn empties_go_to_the_winner() {
        assert_eq!(Board::new(0b111, 0b1000).final_score(), 62);
        assert_eq!(Board::new(0b1, 0b1110).final_score(), -62);
        assert_eq!(Board::new(0b1, 0b10).final_score(), 0);
    }
}
