//! Points of a Go board of any size from 2 to 25, as places in one padded row of cells.
//!
//! A board of size n is stored with stride n + 1: one edge cell serves as the right edge of a row and the left edge
//! of the next, so that the neighbours of a point are found by adding a constant and never need a check.

use std::ops::{Index, IndexMut};

pub const MIN_SIZE: usize = 2;
pub const MAX_SIZE: usize = 25;
/// Cells in every table: (25 + 2) * 26 + 1 = 703, rounded up to a power of two so that a masked index needs no check.
pub const CAPACITY: usize = 1024;

/// A cell of the padded board. Cell 0 is always edge; as a move it is the pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u16);

impl Point {
    /// Not a point but a pass.
    pub const PASS: Point = Point(0);

    /// Whether this is a pass.
    #[inline]
    pub const fn is_pass(self) -> bool {
        self.0 == 0
    }

    /// Its index in an array with one entry a point, frame included.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number of the cell, for compact storage; [`Point::from_raw`] is its inverse.
    #[inline]
    pub const fn raw(self) -> u16 {
        self.0
    }

    /// The point with this index; nothing is checked.
    #[inline]
    pub const fn from_raw(raw: u16) -> Point {
        Point(raw & (CAPACITY as u16 - 1))
    }

    #[inline]
    const fn offset(self, by: u16) -> Point {
        Point(self.0.wrapping_add(by))
    }
}

/// A table with an entry for every cell.
#[derive(Debug, Clone)]
pub struct Grid<T>([T; CAPACITY]);

impl<T: Copy> Grid<T> {
    pub const fn new(fill: T) -> Self {
        Grid([fill; CAPACITY])
    }

    /// The first cells: all that a small board uses.
    #[inline]
    pub fn prefix(&self, cells: usize) -> &[T] {
        &self.0[..cells]
    }

    #[inline]
    pub fn prefix_mut(&mut self, cells: usize) -> &mut [T] {
        &mut self.0[..cells]
    }
}

impl<T> Index<Point> for Grid<T> {
    type Output = T;

    #[inline]
    fn index(&self, p: Point) -> &T {
        &self.0[p.index() & (CAPACITY - 1)]
    }
}

impl<T> IndexMut<Point> for Grid<T> {
    #[inline]
    fn index_mut(&mut self, p: Point) -> &mut T {
        &mut self.0[p.index() & (CAPACITY - 1)]
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a Go board of size {0} cannot be played on ({MIN_SIZE} to {MAX_SIZE})")]
pub struct BadSize(pub usize);

/// The shape of a board: which cells are points and which cells touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    size: u16,
}

impl Geometry {
    /// The shape of a board of this size.
    pub fn new(size: usize) -> Result<Geometry, BadSize> {
        if (MIN_SIZE..=MAX_SIZE).contains(&size) { Ok(Geometry { size: size as u16 }) } else { Err(BadSize(size)) }
    }

    /// Points on a side.
    #[inline]
    pub const fn size(self) -> usize {
        self.size as usize
    }

    /// Number of points.
    #[inline]
    pub const fn area(self) -> usize {
        self.size() * self.size()
    }

    /// The distance in indices between two rows.
    #[inline]
    pub const fn stride(self) -> u16 {
        self.size + 1
    }

    /// Number of cells with the edge around them.
    #[inline]
    pub const fn cells(self) -> usize {
        (self.size() + 2) * (self.size() + 1) + 1
    }

    /// Column and row count from 0 at the lower left corner; outside the board there is no point.
    pub fn point(self, column: usize, row: usize) -> Option<Point> {
        (column < self.size() && row < self.size()).then(|| self.at(column as u16, row as u16))
    }

    const fn at(self, column: u16, row: u16) -> Point {
        Point((row + 1) * self.stride() + column + 1)
    }

    /// The column of a point of the board.
    #[inline]
    pub const fn column(self, p: Point) -> usize {
        (p.0 % self.stride()) as usize - 1
    }

    /// The row, from 0 at the bottom.
    #[inline]
    pub const fn row(self, p: Point) -> usize {
        (p.0 / self.stride()) as usize - 1
    }

    /// Whether a point is on the board.
    pub const fn contains(self, p: Point) -> bool {
        let (column, row) = (p.0 % self.stride(), p.0 / self.stride());
        column >= 1 && row >= 1 && row <= self.size
    }

    /// 1 on the edge line, 2 on the second line, and so on.
    pub fn line(self, p: Point) -> usize {
        let last = self.size() - 1;
        let (c, r) = (self.column(p), self.row(p));
        c.min(last - c).min(r.min(last - r)) + 1
    }

    /// All points, row by row from the lower left.
    pub fn points(self) -> impl Iterator<Item = Point> + Clone {
        (0..self.size).flat_map(move |row| (0..self.size).map(move |column| self.at(column, row)))
    }

    /// Points row by row from the upper left, as boards are printed.
    pub fn points_from_top(self) -> impl Iterator<Item = Point> + Clone {
        (0..self.size).rev().flat_map(move |row| (0..self.size).map(move |column| self.at(column, row)))
    }

    /// The four cells beside: below, left, right, above. Place i lies opposite to place 3 - i.
    #[inline]
    pub const fn beside(self, p: Point) -> [Point; 4] {
        let s = self.stride();
        [p.offset(s.wrapping_neg()), p.offset(u16::MAX), p.offset(1), p.offset(s)]
    }

    /// The four diagonal cells: below left, below right, above left, above right; again i is opposite to 3 - i.
    #[inline]
    pub const fn diagonal(self, p: Point) -> [Point; 4] {
        let s = self.stride();
        [
            p.offset(s.wrapping_neg().wrapping_sub(1)),
            p.offset(s.wrapping_neg().wrapping_add(1)),
            p.offset(s - 1),
            p.offset(s + 1),
        ]
    }

    /// The eight cells around: [`Geometry::beside`] and then [`Geometry::diagonal`].
    #[inline]
    pub const fn around(self, p: Point) -> [Point; 8] {
        let ([a, b, c, d], [e, f, g, h]) = (self.beside(p), self.diagonal(p));
        [a, b, c, d, e, f, g, h]
    }

    /// Steps along the lines between two points.
    pub fn distance(self, a: Point, b: Point) -> usize {
        self.column(a).abs_diff(self.column(b)) + self.row(a).abs_diff(self.row(b))
    }

    /// The image of a point under one of the eight symmetries of the square (`symmetry` is taken modulo 8).
    pub fn transform(self, p: Point, symmetry: usize) -> Point {
        if p.is_pass() {
            return p;
        }
        let last = self.size() - 1;
        let (mut c, mut r) = (self.column(p), self.row(p));
        if symmetry & 1 != 0 {
            c = last - c;
        }
        if symmetry & 2 != 0 {
            r = last - r;
        }
        if symmetry & 4 != 0 {
            (c, r) = (r, c);
        }
        self.at(c as u16, r as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_its_points_and_only_these() {
        for size in MIN_SIZE..=MAX_SIZE {
            let g = Geometry::new(size).unwrap();
            let points: Vec<Point> = g.points().collect();
            assert_eq!(points.len(), size * size);
            let inside = (0..g.cells()).filter(|&i| g.contains(Point(i as u16))).count();
            assert_eq!(inside, size * size);
            for p in points {
                assert_eq!(g.point(g.column(p), g.row(p)), Some(p));
                assert!(g.around(p).iter().all(|n| n.index() < g.cells()));
            }
        }
        for size in [0, 1, 26] {
            assert_eq!(Geometry::new(size), Err(BadSize(size)));
        }
    }

    #[test]
    fn neighbours_lie_opposite_each_other() {
        let g = Geometry::new(9).unwrap();
        for p in g.points() {
            for i in 0..4 {
                assert_eq!(g.beside(g.beside(p)[i])[3 - i], p);
                assert_eq!(g.diagonal(g.diagonal(p)[i])[3 - i], p);
            }
        }
    }

    #[test]
    fn corner_neighbours_are_edge() {
        let g = Geometry::new(5).unwrap();
        let corner = g.point(0, 0).unwrap();
        assert_eq!(g.around(corner).iter().filter(|&&n| g.contains(n)).count(), 3);
        assert_eq!(g.line(corner), 1);
        assert_eq!(g.line(g.point(2, 2).unwrap()), 3);
    }

    #[test]
    fn symmetries_are_eight_permutations() {
        let g = Geometry::new(7).unwrap();
        let p = g.point(1, 2).unwrap();
        let mut images: Vec<Point> = (0..8).map(|s| g.transform(p, s)).collect();
        images.sort();
        images.dedup();
        assert_eq!(images.len(), 8);
        for s in 0..8 {
            let mut all: Vec<Point> = g.points().map(|p| g.transform(p, s)).collect();
            all.sort();
            assert!(all.into_iter().eq(g.points()));
        }
    }
}
