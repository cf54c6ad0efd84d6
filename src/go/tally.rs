//! Counts over all playouts of a search: who holds each point in the end, and whether that goes with winning.

use super::board::Board;
use super::playout::owner_at_end;
use super::point::{Geometry, Grid, Point};
use crate::base::Colour;

#[derive(Debug, Clone)]
pub struct Tally {
    geometry: Geometry,
    playouts: u32,
    black_wins: u32,
    black_held: Grid<u32>,
    white_held: Grid<u32>,
    winner_held: Grid<u32>,
}

impl Tally {
    pub fn new(geometry: Geometry) -> Tally {
        let zero = Grid::new(0);
        Tally {
            geometry,
            playouts: 0,
            black_wins: 0,
            black_held: zero.clone(),
            white_held: zero.clone(),
            winner_held: zero,
        }
    }

    /// As if so many playouts had ended with this ownership of each point (1 is black's, −1 white's) and this share of
    /// wins for black.
    pub fn from_ownership(geometry: Geometry, ownership: impl Fn(Point) -> f32, black_wins: f32) -> Tally {
        const PLAYOUTS: f32 = 10_000.0;
        let mut tally = Tally::new(geometry);
        tally.playouts = PLAYOUTS as u32;
        tally.black_wins = (black_wins.clamp(0.0, 1.0) * PLAYOUTS) as u32;
        for p in geometry.points() {
            let black = 0.5 + 0.5 * ownership(p).clamp(-1.0, 1.0);
            tally.black_held[p] = (black * PLAYOUTS) as u32;
            tally.white_held[p] = ((1.0 - black) * PLAYOUTS) as u32;
            // Nothing is known of what goes with winning.
            tally.winner_held[p] = ((black * black_wins + (1.0 - black) * (1.0 - black_wins)) * PLAYOUTS) as u32;
        }
        tally
    }

    pub fn clear(&mut self) {
        *self = Tally::new(self.geometry);
    }

    /// Counts a finished playout.
    pub fn count(&mut self, board: &Board, winner: Colour) {
        self.count_owners(|p| owner_at_end(board, p), winner);
    }

    /// Counts a game that ended with these owners of its points.
    pub fn count_owners(&mut self, owner: impl Fn(Point) -> Option<Colour>, winner: Colour) {
        self.playouts += 1;
        self.black_wins += u32::from(winner == Colour::Black);
        for p in self.geometry.points() {
            let owner = owner(p);
            self.black_held[p] += u32::from(owner == Some(Colour::Black));
            self.white_held[p] += u32::from(owner == Some(Colour::White));
            self.winner_held[p] += u32::from(owner == Some(winner));
        }
    }

    pub fn add(&mut self, other: &Tally) {
        self.playouts += other.playouts;
        self.black_wins += other.black_wins;
        for p in self.geometry.points() {
            self.black_held[p] += other.black_held[p];
            self.white_held[p] += other.white_held[p];
            self.winner_held[p] += other.winner_held[p];
        }
    }

    /// Takes over what as many other playouts say about one point.
    pub fn copy_point(&mut self, other: &Tally, p: Point) {
        self.black_held[p] = other.black_held[p];
        self.white_held[p] = other.white_held[p];
        self.winner_held[p] = other.winner_held[p];
    }

    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    pub fn playouts(&self) -> u32 {
        self.playouts
    }

    fn share(&self, count: u32) -> f32 {
        count as f32 / self.playouts.max(1) as f32
    }

    /// From 1, always black's at the end, to -1, always white's.
    pub fn ownership(&self, p: Point) -> f32 {
        self.share(self.black_held[p]) - self.share(self.white_held[p])
    }

    /// How much holding the point goes with winning: from 0 (not at all) to 1 (wholly).
    pub fn criticality(&self, p: Point) -> f32 {
        let (black, white) = (self.share(self.black_held[p]), self.share(self.white_held[p]));
        let black_won = self.share(self.black_wins);
        2.0 * (self.share(self.winner_held[p]) - (white * (1.0 - black_won) + black * black_won))
    }

    /// The ownership of all points, row by row from the top left.
    pub fn ownership_map(&self) -> Vec<f32> {
        self.geometry.points_from_top().map(|p| self.ownership(p)).collect()
    }

    pub fn criticality_map(&self) -> Vec<f32> {
        self.geometry.points_from_top().map(|p| self.criticality(p)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::notation::parse_picture;
    use crate::go::select::criticality;

    #[test]
    fn held_points_and_critical_points() {
        let black_side = parse_picture("XX.\nX.X\nXXX").unwrap();
        let white_side = parse_picture("XX.\nXOO\nO.O").unwrap();
        let mut tally = Tally::new(black_side.geometry());
        for _ in 0..5 {
            tally.count(&black_side, Colour::Black);
            tally.count(&white_side, Colour::White);
        }
        let at = |column, row| black_side.geometry().point(column, row).unwrap();
        assert_eq!(tally.playouts(), 10);
        assert_eq!((tally.ownership(at(0, 2)), tally.criticality(at(0, 2))), (1.0, 0.0));
        assert_eq!((tally.ownership(at(0, 0)), tally.criticality(at(0, 0))), (0.0, 1.0));
        assert_eq!(tally.ownership_map().len(), 9);
        assert_eq!(tally.ownership_map()[0], 1.0);
        assert_eq!(2.0 * criticality(1.0, 0.5, 0.5), tally.criticality(at(0, 0)));
    }
}
