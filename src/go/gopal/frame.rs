//! Where a pattern is tried: a frame maps the coordinates of a pattern to points of the board.

use crate::go::point::{Geometry, Point};
use crate::gopal::Local;
use crate::gopal::ast::Place;
use crate::gopal::rule::{Pickup, Rule};

/// A pattern turned by a symmetry and put down so that its anchor lies on a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame {
    /// As in [`Geometry::transform`], around the anchor.
    pub symmetry: u8,
    pub anchor: Local,
    pub column: u8,
    pub row: u8,
}

/// A rule that holds in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Match {
    /// Its number in the library.
    pub rule: usize,
    pub frame: Frame,
    pub picked: Option<Point>,
}

/// A step in the coordinates of a pattern as a step on the board.
pub const fn turn(symmetry: u8, (dc, dr): (i32, i32)) -> (i32, i32) {
    let c = if symmetry & 1 != 0 { -dc } else { dc };
    let r = if symmetry & 2 != 0 { -dr } else { dr };
    if symmetry & 4 != 0 { (r, c) } else { (c, r) }
}

/// The corner of the board that is `pa1` under a symmetry: column and row.
pub const fn corner(size: usize, symmetry: u8) -> (usize, usize) {
    let last = size - 1;
    let c = if symmetry & 1 != 0 { last } else { 0 };
    let r = if symmetry & 2 != 0 { last } else { 0 };
    if symmetry & 4 != 0 { (r, c) } else { (c, r) }
}

impl Frame {
    /// Column and row of a point of the pattern, which may lie off the board.
    pub fn place(&self, local: Local) -> (i32, i32) {
        let step = (
            i32::from(local.column) - i32::from(self.anchor.column),
            i32::from(local.row) - i32::from(self.anchor.row),
        );
        let (dc, dr) = turn(self.symmetry, step);
        (i32::from(self.column) + dc, i32::from(self.row) + dr)
    }

    /// The point of the board, `None` off the board.
    pub fn point(&self, geometry: Geometry, local: Local) -> Option<Point> {
        let (column, row) = self.place(local);
        geometry.point(usize::try_from(column).ok()?, usize::try_from(row).ok()?)
    }

    /// The point of the pattern that lies on a point of the board.
    pub fn local(&self, geometry: Geometry, p: Point) -> Option<Local> {
        let (dc, dr) =
            (geometry.column(p) as i32 - i32::from(self.column), geometry.row(p) as i32 - i32::from(self.row));
        // A symmetry undone: swap first, then mirror.
        let (dc, dr) = if self.symmetry & 4 != 0 { (dr, dc) } else { (dc, dr) };
        let c = if self.symmetry & 1 != 0 { -dc } else { dc } + i32::from(self.anchor.column);
        let r = if self.symmetry & 2 != 0 { -dr } else { dr } + i32::from(self.anchor.row);
        Local::new(u8::try_from(c).ok()?, u8::try_from(r).ok()?)
    }
}

/// The point of a pattern that its frames are counted by.
pub fn anchor(rule: &Rule) -> Local {
    const ORIGIN: Local = Local { column: 1, row: 1 };
    let picked = match rule.pickup {
        Pickup::Stone { at, .. } | Pickup::Chain { at, .. } => Some(at.unwrap_or(ORIGIN)),
        Pickup::None | Pickup::Corner(_) => None,
    };
    let first = || rule.sequences.first().and_then(|sequence| sequence.first.fixed_points().next());
    let point = picked.or_else(first).unwrap_or(ORIGIN);
    match rule.place {
        Place::Corner => ORIGIN,
        Place::Side => Local { column: point.column, row: 1 },
        Place::Center | Place::Anywhere => point,
    }
}

/// The symmetries a pattern is tried in.
pub fn symmetries(place: Place, symmetric: bool) -> &'static [u8] {
    match (place, symmetric) {
        (_, true) => &[0, 1, 2, 3, 4, 5, 6, 7],
        (Place::Corner, false) => &[0, 1, 2, 3],
        (Place::Side, false) => &[0, 2, 4, 6],
        (Place::Center | Place::Anywhere, false) => &[0],
    }
}

/// All frames of a pattern on a board of this shape.
#[cfg(test)]
pub fn frames(rule: &Rule, geometry: Geometry) -> Vec<Frame> {
    let anchor = anchor(rule);
    let size = geometry.size();
    let mut frames = Vec::new();
    for &symmetry in symmetries(rule.place, rule.symmetric) {
        let mut add = |(column, row): (usize, usize)| {
            frames.push(Frame { symmetry, anchor, column: column as u8, row: row as u8 });
        };
        match rule.place {
            Place::Corner => add(corner(size, symmetry)),
            Place::Side => (0..size).for_each(|k| add(on_side(size, symmetry, k))),
            Place::Center | Place::Anywhere => {
                geometry.points().for_each(|p| add((geometry.column(p), geometry.row(p))))
            }
        }
    }
    frames
}

/// The k-th point along the side that is row 1 under a symmetry: column and row.
pub fn on_side(size: usize, symmetry: u8, k: usize) -> (usize, usize) {
    let (column, row) = corner(size, symmetry);
    let (dc, dr) = turn(symmetry, (k as i32, 0));
    ((column as i32 + dc) as usize, (row as i32 + dr) as usize)
}

/// Whether a pattern for the centre may be put down here: all its points are on the fourth line or higher.
pub fn is_central(rule: &Rule, frame: &Frame, geometry: Geometry) -> bool {
    rule.place != Place::Center
        || rule.points().into_iter().all(|local| frame.point(geometry, local).is_some_and(|p| geometry.line(p) >= 4))
}
