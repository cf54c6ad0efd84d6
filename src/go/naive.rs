//! A board that keeps nothing but the stones and finds everything by flooding: slow, plain, and the measure of
//! `board` in tests.

use super::board::{Board, Forbidden};
use super::point::{Geometry, Point};
use super::surroundings::Cell;
use crate::base::Colour;
use std::collections::BTreeSet;

#[derive(Clone)]
pub struct NaiveBoard {
    pub geometry: Geometry,
    pub cells: Vec<Cell>,
    pub to_move: Colour,
    pub ko: Option<Point>,
    pub captured: [u32; 2],
}

impl NaiveBoard {
    pub fn new(geometry: Geometry) -> Self {
        let cells = (0..geometry.cells() as u16)
            .map(|i| if geometry.contains(Point::from_raw(i)) { Cell::Empty } else { Cell::Edge })
            .collect();
        NaiveBoard { geometry, cells, to_move: Colour::Black, ko: None, captured: [0; 2] }
    }

    pub fn cell(&self, p: Point) -> Cell {
        self.cells[p.index()]
    }

    /// Stones and liberties of the chain at `p`.
    pub fn chain(&self, p: Point) -> (BTreeSet<Point>, BTreeSet<Point>) {
        let colour = self.cell(p);
        let (mut stones, mut liberties, mut todo) = (BTreeSet::from([p]), BTreeSet::new(), vec![p]);
        while let Some(stone) = todo.pop() {
            for n in self.geometry.beside(stone) {
                if self.cell(n) == Cell::Empty {
                    liberties.insert(n);
                } else if self.cell(n) == colour && stones.insert(n) {
                    todo.push(n);
                }
            }
        }
        (stones, liberties)
    }

    pub fn check(&self, p: Point, suicide_allowed: bool) -> Result<(), Forbidden> {
        if p.is_pass() {
            return Ok(());
        }
        if !self.geometry.contains(p) {
            return Err(Forbidden::OffBoard);
        }
        if self.cell(p) != Cell::Empty {
            return Err(Forbidden::Occupied);
        }
        if self.ko == Some(p) {
            return Err(Forbidden::Ko);
        }
        let mut after = self.clone();
        after.play(p);
        let died = after.captured[self.to_move.index()] > self.captured[self.to_move.index()];
        if died && !suicide_allowed { Err(Forbidden::Suicide) } else { Ok(()) }
    }

    pub fn play(&mut self, p: Point) {
        let (me, enemy) = (self.to_move, !self.to_move);
        self.to_move = enemy;
        self.ko = None;
        if p.is_pass() {
            return;
        }
        self.cells[p.index()] = me.into();
        let mut taken = Vec::new();
        for n in self.geometry.beside(p) {
            if self.cell(n) == Cell::from(enemy) {
                taken.extend(self.take_if_dead(n));
            }
        }
        self.captured[enemy.index()] += taken.len() as u32;
        let suicide = self.take_if_dead(p);
        self.captured[me.index()] += suicide.len() as u32;
        if suicide.is_empty()
            && let [only] = taken[..]
        {
            let (stones, liberties) = self.chain(p);
            if stones.len() == 1 && liberties.len() == 1 {
                self.ko = Some(only);
            }
        }
    }

    fn take_if_dead(&mut self, p: Point) -> Vec<Point> {
        let (stones, liberties) = self.chain(p);
        if !liberties.is_empty() {
            return Vec::new();
        }
        for s in &stones {
            self.cells[s.index()] = Cell::Empty;
        }
        stones.into_iter().collect()
    }

    /// Panics unless everything the quick board keeps is what flooding finds.
    /// These moves from the empty board are legal and lead to this board.
    pub fn assert_reached_by(board: &Board, moves: &[Point]) {
        let mut naive = NaiveBoard::new(board.geometry());
        for &p in moves {
            assert_eq!(naive.check(p, false), Ok(()));
            naive.play(p);
        }
        naive.assert_same(board);
    }

    pub fn assert_same(&self, board: &Board) {
        assert_eq!((self.to_move, self.ko), (board.to_move(), board.ko()));
        assert_eq!(self.captured, [board.captured(Colour::Black), board.captured(Colour::White)]);
        let mut empties = board.empties().to_vec();
        empties.sort();
        assert!(self.geometry.points().filter(|&p| self.cell(p) == Cell::Empty).eq(empties));
        for colour in Colour::BOTH {
            let stones = self.cells.iter().filter(|c| c.colour() == Some(colour)).count();
            assert_eq!(board.stones(colour), stones as u32);
        }
        let mut seen = BTreeSet::new();
        for p in self.geometry.points() {
            assert_eq!(self.cell(p), board.cell(p));
            assert_eq!(board.surroundings(p).cells(), self.geometry.around(p).map(|n| self.cell(n)));
            if self.cell(p).colour().is_none() || seen.contains(&p) {
                continue;
            }
            let (stones, liberties) = self.chain(p);
            assert_eq!(board.chain(p).collect::<BTreeSet<_>>(), stones);
            assert_eq!(board.chain_size(p), stones.len());
            assert!(stones.iter().all(|&s| board.head(s) == board.head(p)));
            assert_eq!(board.in_atari(p), liberties.len() == 1);
            let last = if liberties.len() == 1 { liberties.first().copied() } else { None };
            assert_eq!(board.liberties(p).last(), last);
            seen.extend(stones);
        }
    }
}
