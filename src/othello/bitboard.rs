//! A set of squares as 64 bits, a1 lowest.

use super::Square;
use std::{
    fmt,
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not},
};

/// A set of squares: bit 0 is a1, bit 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct BitBoard(pub u64);

impl BitBoard {
    /// No square.
    pub const EMPTY: BitBoard = BitBoard(0);
    /// Every square.
    pub const FULL: BitBoard = BitBoard(!0);
    /// a1, h1, a8 and h8.
    pub const CORNERS: BitBoard = BitBoard(0x8100_0000_0000_0081);

    /// How many squares.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this square is one of them.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// The same with this square.
    #[inline]
    pub const fn with(self, square: Square) -> BitBoard {
        BitBoard(self.0 | square.bit())
    }

    /// The same without this square.
    #[inline]
    pub const fn without(self, square: Square) -> BitBoard {
        BitBoard(self.0 & !square.bit())
    }

    /// The first in the order a1, b1, … h8.
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::wrapping(self.0.trailing_zeros())) }
    }

    /// Left and right changed: a1 goes to h1.
    pub const fn mirror_columns(self) -> BitBoard {
        let x = self.0;
        let x = (x >> 1) & 0x5555_5555_5555_5555 | (x & 0x5555_5555_5555_5555) << 1;
        let x = (x >> 2) & 0x3333_3333_3333_3333 | (x & 0x3333_3333_3333_3333) << 2;
        BitBoard((x >> 4) & 0x0F0F_0F0F_0F0F_0F0F | (x & 0x0F0F_0F0F_0F0F_0F0F) << 4)
    }

    /// Top and bottom changed: a1 goes to a8.
    #[inline]
    pub const fn mirror_rows(self) -> BitBoard {
        BitBoard(self.0.swap_bytes())
    }

    /// Mirrored in the diagonal a1–h8: b1 goes to a2.
    pub const fn transpose(self) -> BitBoard {
        let x = self.0;
        let t = (x ^ (x >> 7)) & 0x00AA_00AA_00AA_00AA;
        let x = x ^ t ^ (t << 7);
        let t = (x ^ (x >> 14)) & 0x0000_CCCC_0000_CCCC;
        let x = x ^ t ^ (t << 14);
        let t = (x ^ (x >> 28)) & 0x0000_0000_F0F0_F0F0;
        BitBoard(x ^ t ^ (t << 28))
    }
}

impl BitAnd for BitBoard {
    type Output = BitBoard;
    #[inline]
    fn bitand(self, other: BitBoard) -> BitBoard {
        BitBoard(self.0 & other.0)
    }
}

impl BitOr for BitBoard {
    type Output = BitBoard;
    #[inline]
    fn bitor(self, other: BitBoard) -> BitBoard {
        BitBoard(self.0 | other.0)
    }
}

impl BitXor for BitBoard {
    type Output = BitBoard;
    #[inline]
    fn bitxor(self, other: BitBoard) -> BitBoard {
        BitBoard(self.0 ^ other.0)
    }
}

impl Not for BitBoard {
    type Output = BitBoard;
    #[inline]
    fn not(self) -> BitBoard {
        BitBoard(!self.0)
    }
}

impl BitAndAssign for BitBoard {
    #[inline]
    fn bitand_assign(&mut self, other: BitBoard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for BitBoard {
    #[inline]
    fn bitor_assign(&mut self, other: BitBoard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for BitBoard {
    #[inline]
    fn bitxor_assign(&mut self, other: BitBoard) {
        self.0 ^= other.0;
    }
}

impl From<Square> for BitBoard {
    #[inline]
    fn from(square: Square) -> BitBoard {
        BitBoard(square.bit())
    }
}

impl FromIterator<Square> for BitBoard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> BitBoard {
        squares.into_iter().fold(BitBoard::EMPTY, BitBoard::with)
    }
}

/// The squares of a set, a1 first.
#[derive(Debug, Clone)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = BitBoard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for BitBoard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl fmt::Debug for BitBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_move_squares_where_they_say() {
        for square in Square::all() {
            let (c, r) = (square.column(), square.row());
            let one = BitBoard::from(square);
            assert_eq!(one.mirror_columns().first(), Square::at(7 - c, r));
            assert_eq!(one.mirror_rows().first(), Square::at(c, 7 - r));
            assert_eq!(one.transpose().first(), Square::at(r, c));
        }
    }
}
