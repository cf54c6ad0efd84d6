//! The plain interpreter: a rule is asked about a frame of a board, point by point. The compiled matcher is tested
//! against it and uses it for what only a board with chains can tell.

use super::frame::Frame;
#[cfg(test)]
use super::{frame, frame::Match, phase};
use crate::base::Colour;
use crate::go::board::Board;
use crate::go::point::Point;
use crate::go::surroundings::Cell;
use crate::go::tactics;
use crate::gopal::Local;
use crate::gopal::ast::Place;
use crate::gopal::rule::{Cells, Number, Pickup, Region, Rule, Spot, Truth};
use crate::gopal::{holds, work_out};

/// In a corner, things are picked up within so many columns and rows.
const CORNER_REACH: u8 = 10;

/// A frame of a board, seen by one side.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    pub board: &'a Board,
    pub me: Colour,
    pub frame: Frame,
    pub picked: Option<Point>,
    pub move_number: usize,
}

/// The matches of all rules for the side to move, in the order of the rules and frames.
#[cfg(test)]
pub fn matches(rules: &[Rule], board: &Board, move_number: usize) -> Vec<Match> {
    let now = phase::phase(board);
    let mut found = Vec::new();
    for (number, rule) in rules.iter().enumerate().filter(|(_, rule)| phase::applies(&rule.phases, now)) {
        for frame in frame::frames(rule, board.geometry()) {
            if !frame::is_central(rule, &frame, board.geometry()) {
                continue;
            }
            let sight = Sight { board, me: board.to_move(), frame, picked: None, move_number };
            for picked in sight.picks(rule) {
                if (Sight { picked, ..sight }).truth(&rule.condition) {
                    found.push(Match { rule: number, frame, picked });
                }
            }
        }
    }
    found
}

impl Sight<'_> {
    fn cells(&self, p: Point) -> Cells {
        match self.board.cell(p).colour() {
            Some(colour) if colour == self.me => Cells::FRIEND,
            Some(_) => Cells::ENEMY,
            None if self.board.cell(p) == Cell::Empty => Cells::EMPTY,
            None => Cells::EDGE,
        }
    }

    fn local_cells(&self, local: Local) -> Cells {
        self.frame.point(self.board.geometry(), local).map_or(Cells::EDGE, |p| self.cells(p))
    }

    /// What may be picked up: `[None]` if nothing has to be, nothing if the pickup fails.
    pub fn picks(&self, rule: &Rule) -> Vec<Option<Point>> {
        match rule.pickup {
            Pickup::None => vec![None],
            Pickup::Corner(stones) => {
                let points = (1..=6).flat_map(|column| (1..=6).map(move |row| Local { column, row }));
                let found = points.filter(|&p| self.local_cells(p).meets(Cells(3))).count();
                if found as i64 == stones { vec![None] } else { vec![] }
            }
            Pickup::Stone { who, at } => self.stones(rule, who, at).into_iter().map(Some).collect(),
            Pickup::Chain { who, op, liberties, at } => {
                let mut heads = Vec::new();
                let mut stones = self.stones(rule, who, at);
                stones.retain(|&p| {
                    let new = !heads.contains(&self.board.head(p));
                    heads.push(self.board.head(p));
                    new && holds(op, liberties_of(self.board, p).len() as i64, liberties)
                });
                stones.into_iter().map(Some).collect()
            }
        }
    }

    fn stones(&self, rule: &Rule, who: Cells, at: Option<Local>) -> Vec<Point> {
        let geometry = self.board.geometry();
        let fixed = at.or((rule.place != Place::Corner).then_some(Local { column: 1, row: 1 }));
        let places: Vec<Local> = match fixed {
            Some(local) => vec![local],
            None => {
                (1..=CORNER_REACH).flat_map(|column| (1..=CORNER_REACH).map(move |row| Local { column, row })).collect()
            }
        };
        let points = places.into_iter().filter_map(|local| self.frame.point(geometry, local));
        points.filter(|&p| self.cells(p) == who).collect()
    }

    pub fn spot(&self, spot: Spot) -> Option<Point> {
        match spot {
            Spot::Fixed(local) => self.frame.point(self.board.geometry(), local),
            Spot::Picked => self.picked,
        }
    }

    fn stone(&self, spot: Spot) -> Option<Point> {
        self.spot(spot).filter(|&p| self.board.cell(p).colour().is_some())
    }

    /// The points of a region that lie on the board.
    pub fn region(&self, region: &Region) -> Vec<Point> {
        match region {
            Region::Fixed(points) => {
                points.iter().filter_map(|&local| self.frame.point(self.board.geometry(), local)).collect()
            }
            Region::Single(spot) => self.spot(*spot).into_iter().collect(),
            Region::Liberties(spot) => self.stone(*spot).map_or(vec![], |p| liberties_of(self.board, p)),
            Region::Catching(spot) => self.stone(*spot).map_or(vec![], |p| catching(self.board, p)),
            Region::Saving(spot) => self.stone(*spot).map_or(vec![], |p| saving(self.board, p)),
            Region::Union(a, b) => {
                let (mut a, b) = (self.region(a), self.region(b));
                a.extend(b);
                a.sort_unstable();
                a.dedup();
                a
            }
            Region::Difference(a, b) => {
                let b = self.region(b);
                self.region(a).into_iter().filter(|p| !b.contains(p)).collect()
            }
            Region::Intersection(a, b) => {
                let b = self.region(b);
                self.region(a).into_iter().filter(|p| b.contains(p)).collect()
            }
        }
    }

    fn number(&self, number: &Number) -> i64 {
        match number {
            Number::Constant(n) => *n,
            Number::Liberties(spot) => self.stone(*spot).map_or(0, |p| liberties_of(self.board, p).len() as i64),
            Number::Size(spot) => self.stone(*spot).map_or(0, |p| self.board.chain_size(p) as i64),
            Number::Distance(a, b) => match (self.spot(*a), self.spot(*b)) {
                (Some(a), Some(b)) => self.board.geometry().distance(a, b) as i64,
                // Off the board: farther than anything on it.
                _ => 1_000,
            },
            Number::Count(Region::Fixed(points), who) => {
                points.iter().filter(|&&local| self.local_cells(local).meets(*who)).count() as i64
            }
            Number::Count(region, who) => {
                self.region(region).into_iter().filter(|&p| self.cells(p).meets(*who)).count() as i64
            }
            Number::MovesMade => self.move_number as i64,
            Number::Negative(inner) => self.number(inner).saturating_neg(),
            Number::Sum(op, a, b) => work_out(*op, self.number(a), self.number(b)),
        }
    }

    pub fn truth(&self, truth: &Truth) -> bool {
        match truth {
            Truth::Constant(value) => *value,
            Truth::All(parts) => parts.iter().all(|part| self.truth(part)),
            Truth::Any(parts) => parts.iter().any(|part| self.truth(part)),
            Truth::Not(inner) => !self.truth(inner),
            Truth::Hold(points, cells) => points.iter().all(|&local| self.local_cells(local).meets(*cells)),
            Truth::PickedHolds(cells) => self.picked.is_some_and(|p| self.cells(p).meets(*cells)),
            Truth::RegionHolds(region, cells) => self.region(region).into_iter().all(|p| self.cells(p).meets(*cells)),
            Truth::Alike(a, b) => {
                let cells = |spot| self.spot(spot).map_or(Cells::EDGE, |p| self.cells(p));
                cells(*a) == cells(*b)
            }
            Truth::SameSpot(a, b) => self.spot(*a).is_some() && self.spot(*a) == self.spot(*b),
            Truth::Compare(op, a, b) => holds(*op, self.number(a), self.number(b)),
            Truth::CanCapture(spot) => self.stone(*spot).is_some_and(|p| can_capture(self.board, p)),
            Truth::CanEscape(spot) => self.stone(*spot).is_some_and(|p| can_escape(self.board, p)),
            Truth::Connected(a, b) => match (self.stone(*a), self.stone(*b)) {
                (Some(a), Some(b)) => self.board.head(a) == self.board.head(b),
                _ => false,
            },
            Truth::Try(spot, inner) => self.tried(*spot).is_some_and(|board| {
                let after = Sight { board: &board, ..*self };
                after.truth(inner)
            }),
        }
    }

    /// The board with a stone of this side at the point, if it may be played there.
    fn tried(&self, spot: Spot) -> Option<Board> {
        let p = self.spot(spot)?;
        let mut board = self.board.clone();
        board.set_to_move(self.me);
        board.check(p, false).ok()?;
        board.play(p);
        Some(board)
    }
}

/// All liberties of the chain of the stone at `p`, in ascending order.
pub fn liberties_of(board: &Board, p: Point) -> Vec<Point> {
    let geometry = board.geometry();
    let mut found: Vec<Point> =
        board.chain(p).flat_map(|stone| geometry.beside(stone)).filter(|&n| board.cell(n) == Cell::Empty).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The board with the move given to a side, without a copy if it has it already.
fn with_mover<T>(board: &Board, colour: Colour, ask: impl FnOnce(&Board) -> T) -> T {
    if board.to_move() == colour {
        return ask(board);
    }
    let mut turned = board.clone();
    turned.set_to_move(colour);
    ask(&turned)
}

/// Whether the other side catches the chain when it moves first.
fn can_capture(board: &Board, p: Point) -> bool {
    let Some(prey) = board.cell(p).colour() else { return false };
    with_mover(board, !prey, |board| tactics::is_caught(board, p))
}

/// Whether the chain gets away when its own side moves first.
fn can_escape(board: &Board, p: Point) -> bool {
    let Some(prey) = board.cell(p).colour() else { return false };
    with_mover(board, prey, |board| tactics::gets_away(board, p))
}

fn catching(board: &Board, p: Point) -> Vec<Point> {
    let Some(prey) = board.cell(p).colour() else { return vec![] };
    with_mover(board, !prey, |board| tactics::catching_move(board, p)).into_iter().collect()
}

/// The moves by which a chain in atari gets away: running, or taking what threatens it.
fn saving(board: &Board, p: Point) -> Vec<Point> {
    let Some(prey) = board.cell(p).colour() else { return vec![] };
    let Some(last) = board.liberties(p).last() else { return vec![] };
    with_mover(board, prey, |board| {
        let captures = tactics::rescuing_captures(board, p);
        let mut moves: Vec<Point> = captures.as_slice().iter().copied().chain([last]).collect();
        moves.sort_unstable();
        moves.dedup();
        moves.retain(|&m| tactics::escapes_by(board, p, m));
        moves
    })
}
