//! The two sides of every game played here.

use std::{fmt, ops::Not, str::FromStr};

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Colour {
    /// Moves first in both games.
    Black,
    /// Moves second.
    White,
}

impl Colour {
    /// Black, then white.
    pub const BOTH: [Colour; 2] = [Colour::Black, Colour::White];

    /// 0 for black, 1 for white: for arrays with a cell per side.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `b` or `w`.
    pub const fn letter(self) -> char {
        match self {
            Colour::Black => 'b',
            Colour::White => 'w',
        }
    }
}

impl Not for Colour {
    type Output = Colour;

    fn not(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Colour::Black => "black",
            Colour::White => "white",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a colour (black, b, white or w)")]
pub struct NotAColour(pub String);

impl FromStr for Colour {
    type Err = NotAColour;

    fn from_str(text: &str) -> Result<Self, NotAColour> {
        match text.to_ascii_lowercase().as_str() {
            "b" | "black" => Ok(Colour::Black),
            "w" | "white" => Ok(Colour::White),
            _ => Err(NotAColour(text.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_letters_in_any_case() {
        for text in ["b", "B", "black", "Black", "BLACK"] {
            assert_eq!(text.parse(), Ok(Colour::Black));
        }
        for text in ["w", "W", "white", "White"] {
            assert_eq!(text.parse(), Ok(Colour::White));
        }
        assert!("red".parse::<Colour>().is_err());
        assert_eq!(!Colour::Black, Colour::White);
    }
}
