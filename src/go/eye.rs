//! What counts as an eye that its owner does not fill.

use super::board::Board;
use super::point::Point;
use super::surroundings::Cell;
use crate::base::Colour;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EyeRule {
    /// Surrounded, and the enemy holds too few diagonals to make it false.
    #[default]
    Strict,
    /// Surrounded by stones that are not in atari, whatever stands on the diagonals.
    Neighbours,
}

impl EyeRule {
    pub const NAMES: &'static [&'static str] = &["strict", "neighbours"];

    pub fn from_name(name: &str) -> EyeRule {
        if name == "neighbours" { EyeRule::Neighbours } else { EyeRule::Strict }
    }

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Whether an empty point is an eye of this colour.
    #[inline]
    pub fn is_eye(self, board: &Board, p: Point, colour: Colour) -> bool {
        let around = board.surroundings(p);
        match self {
            EyeRule::Strict => around.is_eye(colour),
            EyeRule::Neighbours => around.surrounded_by(colour) && !beside_atari(board, p),
        }
    }
}

fn beside_atari(board: &Board, p: Point) -> bool {
    board.geometry().beside(p).iter().any(|&n| board.cell(n) != Cell::Edge && board.in_atari(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::notation::{parse_picture, parse_vertex};

    #[test]
    fn the_rules_differ_on_false_eyes_and_on_stones_in_atari() {
        let eyes = |picture: &str, name: &str| {
            let board = parse_picture(picture).unwrap();
            let p = parse_vertex(board.geometry(), name).unwrap();
            [EyeRule::Strict, EyeRule::Neighbours].map(|rule| rule.is_eye(&board, p, Colour::Black))
        };
        assert_eq!(eyes(".X...\nX.X..\n.X...\n.....\n.....", "b4"), [true, true]);
        assert_eq!(eyes(".....\n.OX..\n.X.X.\n..XO.\n.....", "c3"), [false, true], "a false eye");
        assert_eq!(eyes(".XO..\nXO...\nO....\n.....\n.....", "a5"), [false, false], "about to be taken");
        assert_eq!(eyes(".XO..\nX....\nO....\n.....\n.....", "a5"), [true, true]);
    }
}
