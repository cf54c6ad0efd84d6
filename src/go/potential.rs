//! The evaluation of section 3.4 of the Gopal paper: potential of each point, groups by potential, strength of groups,
//! dead groups, and all of it again with the dead taken off; the result is territory in points.
//!
//! Optimistic thresholds for one side, pessimistic for the other, give that side's upper bound.

use super::board::Board;
use super::point::{Geometry, Point};
use crate::base::Colour;

/// What a stone radiates on its own point and at a distance of 1 to 4 steps.
const RADIATION: [f32; 5] = [64.0, 32.0, 16.0, 8.0, 4.0];
/// A potential from which points connect stones of one colour into a group.
const CONNECTS: f32 = 24.0;

/// What counts as territory and as alive, for one side.
#[derive(Debug, Clone, Copy)]
struct Thresholds {
    /// Potential from which an empty point is territory.
    territory: f32,
    /// Strength below which a group is dead.
    dead: f32,
}

const FAVOURED: Thresholds = Thresholds { territory: 10.0, dead: 3.0 };
#[cfg(test)]
const NEUTRAL: Thresholds = Thresholds { territory: 20.0, dead: 5.0 };
const HARSH: Thresholds = Thresholds { territory: 34.0, dead: 7.0 };

/// How the thresholds are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    #[cfg(test)]
    Neutral,
    /// In favour of this side.
    For(Colour),
}

impl View {
    fn thresholds(self) -> [Thresholds; 2] {
        match self {
            #[cfg(test)]
            View::Neutral => [NEUTRAL; 2],
            View::For(Colour::Black) => [FAVOURED, HARSH],
            View::For(Colour::White) => [HARSH, FAVOURED],
        }
    }
}

/// Makes evaluations; keeps its memory between them.
pub struct Evaluator {
    geometry: Geometry,
    /// The points within four steps of each point, with their distance.
    near: Vec<Vec<(u16, u8)>>,
    potential: Vec<f32>,
    owner: Vec<i8>,
    group: Vec<u16>,
    stack: Vec<usize>,
}

struct Group {
    sign: i8,
    stones: u32,
    liberties: u32,
    /// Empty points of its own potential.
    space: u32,
}

const NOBODY: u16 = u16::MAX;

fn sign(colour: Colour) -> i8 {
    if colour == Colour::Black { 1 } else { -1 }
}

impl Evaluator {
    pub fn new(geometry: Geometry) -> Evaluator {
        let points: Vec<Point> = geometry.points().collect();
        let near = points.iter().map(|&p| {
            let close = points.iter().enumerate().filter_map(|(i, &q)| {
                let distance = geometry.distance(p, q);
                (distance < RADIATION.len()).then_some((i as u16, distance as u8))
            });
            close.collect()
        });
        let area = geometry.area();
        Evaluator {
            geometry,
            near: near.collect(),
            potential: vec![0.0; area],
            owner: vec![0; area],
            group: vec![NOBODY; area],
            stack: Vec::new(),
        }
    }

    /// The upper and the lower bound of a position for a side, in points: what it hopes for, and what is left when the
    /// other side's hopes come true.
    pub fn bounds(&mut self, board: &Board, colour: Colour, head_start: f32) -> (f32, f32) {
        let for_black = |black: f32| if colour == Colour::Black { black } else { -black };
        let upper = for_black(self.evaluate(board, View::For(colour)) - head_start);
        let lower = for_black(self.evaluate(board, View::For(!colour)) - head_start);
        (lower.min(upper), upper)
    }

    /// Black's lead on the board in points, area counted.
    pub fn evaluate(&mut self, board: &Board, view: View) -> f32 {
        let thresholds = view.thresholds();
        self.place_stones(board);
        self.radiate();
        let groups = self.find_groups(board);
        if self.remove_dead(&groups, thresholds) {
            // With the dead gone, their neighbours' potential and groups are other ones.
            self.radiate();
        }
        self.count(thresholds)
    }

    fn place_stones(&mut self, board: &Board) {
        for (i, p) in self.geometry.points().enumerate() {
            self.owner[i] = board.cell(p).colour().map_or(0, sign);
        }
    }

    fn radiate(&mut self) {
        self.potential.fill(0.0);
        for i in 0..self.owner.len() {
            let owner = self.owner[i];
            if owner != 0 {
                for &(n, distance) in &self.near[i] {
                    // Stones in the way take the force: a stone of the other side keeps its own point.
                    if self.owner[usize::from(n)] != -owner {
                        self.potential[usize::from(n)] += f32::from(owner) * RADIATION[usize::from(distance)];
                    }
                }
            }
        }
    }

    fn beside(&self, i: usize) -> impl Iterator<Item = usize> + use<> {
        let size = self.geometry.size();
        let (column, row) = (i % size, i / size);
        let inside = [
            (column > 0).then(|| i - 1),
            (column + 1 < size).then(|| i + 1),
            (row > 0).then(|| i - size),
            (row + 1 < size).then(|| i + size),
        ];
        inside.into_iter().flatten()
    }

    /// Stones of one colour and the points between them whose potential is high enough, as groups.
    fn find_groups(&mut self, board: &Board) -> Vec<Group> {
        self.group.fill(NOBODY);
        let mut groups = Vec::new();
        for start in 0..self.owner.len() {
            let own = self.owner[start];
            if own == 0 || self.group[start] != NOBODY {
                continue;
            }
            let number = groups.len() as u16;
            let mut group = Group { sign: own, stones: 0, liberties: 0, space: 0 };
            self.group[start] = number;
            self.stack.push(start);
            while let Some(i) = self.stack.pop() {
                if self.owner[i] == own {
                    group.stones += 1;
                } else {
                    group.space += 1;
                }
                for n in self.beside(i) {
                    let joins =
                        self.owner[n] == own || (self.owner[n] == 0 && self.potential[n] * f32::from(own) >= CONNECTS);
                    if self.owner[n] == 0 && self.owner[i] == own {
                        group.liberties += 1;
                    }
                    if joins && self.group[n] == NOBODY {
                        self.group[n] = number;
                        self.stack.push(n);
                    }
                }
            }
            // A group of one chain has the liberties the board counts.
            let p = self.geometry.point(start % self.geometry.size(), start / self.geometry.size());
            if let Some(p) = p
                && board.chain_size(p) == group.stones as usize
                && board.in_atari(p)
            {
                group.liberties = 1;
            }
            groups.push(group);
        }
        groups
    }

    /// Takes dead groups off the board; true if there were any.
    fn remove_dead(&mut self, groups: &[Group], thresholds: [Thresholds; 2]) -> bool {
        let dead: Vec<bool> = groups
            .iter()
            .map(|group| {
                let limit = thresholds[usize::from(group.sign < 0)].dead;
                // A single stone or two in the open are light, not dead: they need fewer liberties.
                let need = if group.stones <= 2 { limit - 2.0 } else { limit };
                (group.liberties as f32 * 0.5 + group.space as f32) < need
            })
            .collect();
        for i in 0..self.owner.len() {
            let number = self.group[i];
            if number != NOBODY && self.owner[i] != 0 && dead[usize::from(number)] {
                self.owner[i] = 0;
            }
        }
        dead.contains(&true)
    }

    fn count(&self, thresholds: [Thresholds; 2]) -> f32 {
        let point = |i: usize| {
            let potential = self.potential[i];
            match self.owner[i] {
                0 if potential >= thresholds[0].territory => 1.0,
                0 if -potential >= thresholds[1].territory => -1.0,
                0 => 0.0,
                owner => f32::from(owner),
            }
        };
        (0..self.owner.len()).map(point).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::notation::parse_picture;

    const WALL: &str =
        "..XO.....\n..XO.....\n..XO.....\n..XO.....\n..XO.....\n..XO.....\n..XO.....\n..XO.....\n..XO.....";

    #[test]
    fn territory_belongs_to_who_walls_it_in() {
        let board = parse_picture(WALL).unwrap();
        let mut evaluator = Evaluator::new(board.geometry());
        let neutral = evaluator.evaluate(&board, View::Neutral);
        // 27 points for black; for white its wall and what lies near it.
        assert!((-27.0..=9.0).contains(&neutral), "{neutral}");
        let (lower, upper) = evaluator.bounds(&board, Colour::Black, 0.0);
        assert!(lower < neutral && neutral < upper, "{lower} {neutral} {upper}");
        let (mine, theirs) =
            (evaluator.bounds(&board, Colour::Black, 6.5), evaluator.bounds(&board, Colour::White, 6.5));
        assert_eq!(mine, (-theirs.1, -theirs.0));
    }

    #[test]
    fn the_empty_board_and_its_mirror_are_even() {
        let mut evaluator = Evaluator::new(Geometry::new(9).unwrap());
        assert_eq!(evaluator.evaluate(&Board::new(9).unwrap(), View::Neutral), 0.0);
        let swapped = WALL.replace('X', "?").replace('O', "X").replace('?', "O");
        let [a, b] = [WALL, &swapped].map(|text| evaluator.evaluate(&parse_picture(text).unwrap(), View::Neutral));
        assert_eq!(a, -b);
    }

    #[test]
    fn stones_without_room_are_dead() {
        let alive = parse_picture(
            ".........\n.........\n.........\n....O....\n.........\n.........\n.........\n.........\n.........",
        )
        .unwrap();
        let dead = parse_picture(
            ".........\n.........\n....X....\n...XOX...\n.........\n.........\n.........\n.........\n.........",
        )
        .unwrap();
        let mut evaluator = Evaluator::new(alive.geometry());
        assert!(evaluator.evaluate(&alive, View::Neutral) < 0.0);
        let with_prisoner = evaluator.evaluate(&dead, View::Neutral);
        assert!(with_prisoner > 3.0, "{with_prisoner}");
    }
}
