//! Moves that a search leaves out, because somebody asked for it.

use super::point::Point;
use crate::base::Colour;

/// What one side may not play, or all that it may, in the first moves from the position on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restriction {
    pub colour: Colour,
    pub points: Vec<Point>,
    /// These are allowed and all others are not.
    pub only: bool,
    /// For so many moves of both sides.
    pub plies: usize,
}

impl Restriction {
    /// It has something to say about a move of this side after so many others.
    pub fn holds(&self, colour: Colour, depth: usize) -> bool {
        self.colour == colour && depth < self.plies
    }

    pub fn forbids(&self, point: Point) -> bool {
        self.points.contains(&point) != self.only
    }
}

/// Whether a move may be tried, by all that is said.
pub fn allow(all: &[Restriction], colour: Colour, depth: usize, point: Point) -> bool {
    !all.iter().any(|one| one.holds(colour, depth) && one.forbids(point))
}
