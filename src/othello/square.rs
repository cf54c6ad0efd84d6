//! One of the 64 squares, a1 = 0, b1 = 1, … h8 = 63; row 1 is the top row of a diagram.

use std::{fmt, str::FromStr};

/// A square, from a1 (0) to h8 (63).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// Squares on the board.
    pub const COUNT: usize = 64;

    /// The square with this index.
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The low six bits of `index`: for loops over bit numbers, which cannot leave the board.
    #[inline]
    pub const fn wrapping(index: u32) -> Square {
        Square((index & 63) as u8)
    }

    /// Column and row from 0, counted from the top left corner.
    pub const fn at(column: u8, row: u8) -> Option<Square> {
        if column < 8 && row < 8 { Some(Square(row * 8 + column)) } else { None }
    }

    /// All squares from a1 to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64).map(Square)
    }

    /// From 0 (a1) to 63 (h8).
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// From 0 (a) to 7 (h).
    pub const fn column(self) -> u8 {
        self.0 & 7
    }

    /// From 0 (row 1) to 7 (row 8).
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }

    /// The square as a bit of a bitboard.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }
}

impl fmt::Display for Square {
    /// `f5`, or `F5` with the alternate flag.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = if f.alternate() { b'A' } else { b'a' };
        write!(f, "{}{}", char::from(first + self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a square (a1 to h8)")]
pub struct NotASquare(pub String);

impl FromStr for Square {
    type Err = NotASquare;

    fn from_str(text: &str) -> Result<Self, NotASquare> {
        match text.as_bytes() {
            &[column, row] if column.is_ascii_alphabetic() && row.is_ascii_digit() => {
                Square::at(column.to_ascii_lowercase().wrapping_sub(b'a'), row.wrapping_sub(b'1'))
            }
            _ => None,
        }
        .ok_or_else(|| NotASquare(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_round() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(format!("{square:#}").parse(), Ok(square));
        }
        for bad in ["", "a", "a0", "a9", "i1", "a10", "é1", "1a"] {
            assert!(bad.parse::<Square>().is_err(), "{bad}");
        }
    }
}
