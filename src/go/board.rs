//! A Go position: stones in chains with their liberties, empty points, surroundings and hash, all kept move by move.
//!
//! The board knows captures, suicide and the simple ko. Superko needs the history and lives in `game`.

use super::liberties::Liberties;
use super::point::{BadSize, CAPACITY, Geometry, Grid, Point};
use super::surroundings::{Cell, Surroundings};
use super::zobrist;
use crate::base::Colour;

/// Why a stone may not be put on a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    /// Not a point of this board.
    #[error("the point is not on the board")]
    OffBoard,
    /// There is a stone already.
    #[error("the point is occupied")]
    Occupied,
    /// It would retake the ko at once.
    #[error("retaking the ko at once is not allowed")]
    Ko,
    /// It would leave its own chain without a liberty.
    #[error("suicide is not allowed")]
    Suicide,
    /// It would repeat an earlier position.
    #[error("the move repeats an earlier position")]
    Superko,
}

/// Stones on a square board, with their chains and whose turn it is. It knows the simple ko, not superko.
#[derive(Debug, Clone)]
pub struct Board {
    geometry: Geometry,
    to_move: Colour,
    /// Where the side to move may not retake; the pass if anywhere.
    ko: Point,
    /// Stones of each colour that were captured.
    captured: [u32; 2],
    stones_hash: u64,
    stones: [u16; 2],
    empty_count: u16,
    cells: Grid<Cell>,
    /// The stone that stands for the chain of this stone; the pass where there is no stone.
    head: Grid<Point>,
    /// The stones of a chain form a ring.
    next: Grid<Point>,
    /// Liberties and size of the chain with this head.
    chain_liberties: Grid<Liberties>,
    chain_stones: Grid<u16>,
    surroundings: Grid<Surroundings>,
    /// The empty points in the first `empty_count` places, in no order.
    empties: [Point; CAPACITY],
    /// Where in `empties` a point stands.
    place: Grid<u16>,
}

impl Board {
    /// An empty board; black moves first.
    pub fn new(size: usize) -> Result<Board, BadSize> {
        Geometry::new(size).map(Board::empty)
    }

    /// The empty board of a shape, black to move.
    pub fn empty(geometry: Geometry) -> Board {
        let mut board = Board {
            geometry,
            to_move: Colour::Black,
            ko: Point::PASS,
            captured: [0; 2],
            stones_hash: 0,
            stones: [0; 2],
            empty_count: 0,
            cells: Grid::new(Cell::Edge),
            head: Grid::new(Point::PASS),
            next: Grid::new(Point::PASS),
            chain_liberties: Grid::new(Liberties::NONE),
            chain_stones: Grid::new(0),
            surroundings: Grid::new(Surroundings::default()),
            empties: [Point::PASS; CAPACITY],
            place: Grid::new(0),
        };
        for p in geometry.points() {
            board.cells[p] = Cell::Empty;
            board.note_empty(p);
        }
        for p in geometry.points() {
            board.surroundings[p] = Surroundings::of(geometry.around(p).map(|n| board.cells[n]));
        }
        board
    }

    /// Becomes a copy of a board of any size, copying only what is in use.
    pub fn copy_from(&mut self, other: &Board) {
        let cells = other.geometry.cells();
        let empties = usize::from(other.empty_count);
        self.geometry = other.geometry;
        self.to_move = other.to_move;
        self.ko = other.ko;
        self.captured = other.captured;
        self.stones_hash = other.stones_hash;
        self.stones = other.stones;
        self.empty_count = other.empty_count;
        self.cells.prefix_mut(cells).copy_from_slice(other.cells.prefix(cells));
        self.head.prefix_mut(cells).copy_from_slice(other.head.prefix(cells));
        self.next.prefix_mut(cells).copy_from_slice(other.next.prefix(cells));
        self.chain_liberties.prefix_mut(cells).copy_from_slice(other.chain_liberties.prefix(cells));
        self.chain_stones.prefix_mut(cells).copy_from_slice(other.chain_stones.prefix(cells));
        self.surroundings.prefix_mut(cells).copy_from_slice(other.surroundings.prefix(cells));
        self.place.prefix_mut(cells).copy_from_slice(other.place.prefix(cells));
        self.empties[..empties].copy_from_slice(&other.empties[..empties]);
    }

    /// Size and coordinates.
    #[inline]
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Points on a side.
    #[inline]
    pub fn size(&self) -> usize {
        self.geometry.size()
    }

    /// Whose turn it is.
    #[inline]
    pub fn to_move(&self) -> Colour {
        self.to_move
    }

    /// Gives the move to a side. A ko belongs to the side it was made for and is forgotten if that changes.
    pub fn set_to_move(&mut self, colour: Colour) {
        if colour != self.to_move {
            self.to_move = colour;
            self.ko = Point::PASS;
        }
    }

    /// What is on a point.
    #[inline]
    pub fn cell(&self, p: Point) -> Cell {
        self.cells[p]
    }

    /// What is on the eight points around one.
    #[inline]
    pub fn surroundings(&self, p: Point) -> Surroundings {
        self.surroundings[p]
    }

    /// The point that may not be taken back now.
    #[inline]
    pub fn ko(&self) -> Option<Point> {
        (!self.ko.is_pass()).then_some(self.ko)
    }

    /// How many stones of this colour have been captured.
    pub fn captured(&self, colour: Colour) -> u32 {
        self.captured[colour.index()]
    }

    /// How many stones of this colour stand on the board.
    #[inline]
    pub fn stones(&self, colour: Colour) -> u32 {
        u32::from(self.stones[colour.index()])
    }

    /// The hash of the stones alone: what positional superko compares.
    #[inline]
    pub fn stones_hash(&self) -> u64 {
        self.stones_hash
    }

    /// Stones and side to move: what situational superko compares.
    #[inline]
    pub fn situation_hash(&self) -> u64 {
        self.stones_hash ^ zobrist::side(self.to_move)
    }

    /// Stones, side to move and ko: equal hashes have equal futures.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.situation_hash() ^ zobrist::ko(self.ko)
    }

    /// The empty points, in no order.
    #[inline]
    pub fn empties(&self) -> &[Point] {
        &self.empties[..usize::from(self.empty_count)]
    }

    /// The head of the chain of the stone at `p`: equal for all its stones, changed by moves.
    #[inline]
    pub fn head(&self, p: Point) -> Point {
        self.head[p]
    }

    /// The liberties of the chain of the stone at `p`.
    #[inline]
    pub fn liberties(&self, p: Point) -> Liberties {
        self.chain_liberties[self.head[p]]
    }

    /// The number of stones in the chain of the stone at `p`.
    #[inline]
    pub fn chain_size(&self, p: Point) -> usize {
        usize::from(self.chain_stones[self.head[p]])
    }

    /// Whether the chain here has one liberty.
    #[inline]
    pub fn in_atari(&self, p: Point) -> bool {
        self.liberties(p).at_most_one()
    }

    /// The stones of the chain of the stone at `p`, beginning with it.
    pub fn chain(&self, p: Point) -> impl Iterator<Item = Point> + '_ {
        let mut at = Some(p);
        std::iter::from_fn(move || {
            let stone = at?;
            at = Some(self.next[stone]).filter(|&n| n != p);
            Some(stone)
        })
    }

    /// A board with these stones, none of which may be without liberties.
    pub fn with_stones(
        geometry: Geometry,
        stones: impl IntoIterator<Item = (Point, Colour)>,
    ) -> Result<Board, Forbidden> {
        let mut board = Board::empty(geometry);
        for (p, colour) in stones {
            board.check_empty(p)?;
            board.put(p, colour.into());
        }
        // Stones that lose their last liberty on the way are not captured: only the whole can tell.
        let dead = geometry.points().any(|p| board.cells[p].colour().is_some() && board.liberties(p).is_none());
        if dead { Err(Forbidden::Suicide) } else { Ok(board) }
    }

    fn check_empty(&self, p: Point) -> Result<(), Forbidden> {
        if !self.geometry.contains(p) {
            Err(Forbidden::OffBoard)
        } else if self.cells[p] != Cell::Empty {
            Err(Forbidden::Occupied)
        } else {
            Ok(())
        }
    }

    /// Whether the side to move may play here by the rules this board knows; passing is always allowed.
    pub fn check(&self, p: Point, suicide_allowed: bool) -> Result<(), Forbidden> {
        if p.is_pass() {
            return Ok(());
        }
        self.check_empty(p)?;
        if p == self.ko {
            return Err(Forbidden::Ko);
        }
        if !suicide_allowed && self.is_suicide(p, self.to_move) {
            return Err(Forbidden::Suicide);
        }
        Ok(())
    }

    /// For an empty point: playable without suicide and without retaking a ko.
    #[inline]
    pub fn is_playable(&self, p: Point, colour: Colour) -> bool {
        (p != self.ko || colour != self.to_move) && !self.is_suicide(p, colour)
    }

    #[inline]
    fn is_suicide(&self, p: Point, colour: Colour) -> bool {
        if self.surroundings[p].has_empty_beside() {
            return false;
        }
        let own = Cell::from(colour);
        for n in self.geometry.beside(p) {
            let cell = self.cells[n];
            // Without an edge: my chain keeps a liberty, or a chain of the enemy loses its last.
            if cell != Cell::Edge && self.in_atari(n) != (cell == own) {
                return false;
            }
        }
        true
    }

    /// The hash of the stones after a legal move of a colour.
    pub fn stones_hash_after(&self, p: Point, colour: Colour) -> u64 {
        if p.is_pass() {
            return self.stones_hash;
        }
        let (own, enemy) = (Cell::from(colour), Cell::from(!colour));
        let beside = self.geometry.beside(p);
        let removed = |gone: Cell| {
            // Each chain once, though it may touch the point on several sides.
            let first = |i: usize| beside[..i].iter().all(|&m| self.head[m] != self.head[beside[i]]);
            let dies = |i: &usize| self.cells[beside[*i]] == gone && self.in_atari(beside[*i]) && first(*i);
            let chains = (0..4).filter(dies).flat_map(|i| self.chain(beside[i]));
            chains.fold(0, |hash, stone| hash ^ zobrist::stone(stone, gone))
        };
        if self.is_suicide(p, colour) {
            return self.stones_hash ^ removed(own);
        }
        self.stones_hash ^ zobrist::stone(p, own) ^ removed(enemy)
    }

    /// Plays for the side to move. The move must have been found legal; a suicide removes the mover's own chain.
    #[inline]
    pub fn play(&mut self, p: Point) {
        if p.is_pass() {
            self.pass();
        } else {
            self.place_stone(p);
        }
    }

    /// Gives the turn away.
    #[inline]
    pub fn pass(&mut self) {
        self.ko = Point::PASS;
        self.to_move = !self.to_move;
    }

    #[inline]
    fn place_stone(&mut self, p: Point) {
        let colour = self.to_move;
        let (own, enemy) = (Cell::from(colour), Cell::from(!colour));
        let in_enemy_eye = self.surroundings[p].surrounded_by(!colour);
        self.put(p, own);
        let mut taken = 0;
        let mut last_taken = Point::PASS;
        for n in self.geometry.beside(p) {
            if self.cells[n] == enemy && self.liberties(n).is_none() {
                taken += self.remove_chain(n);
                last_taken = n;
            }
        }
        self.captured[(!colour).index()] += taken;
        self.ko = if taken == 1 && in_enemy_eye { last_taken } else { Point::PASS };
        if taken == 0 && self.liberties(p).is_none() {
            self.captured[colour.index()] += self.remove_chain(p);
        }
        self.to_move = !colour;
    }

    /// Puts a stone on an empty point and joins it to its neighbours; captures nothing.
    #[inline]
    fn put(&mut self, p: Point, own: Cell) {
        self.note_occupied(p);
        self.toggle(p, own);
        self.cells[p] = own;
        self.stones[usize::from(own == Cell::White)] += 1;
        let mut liberties = Liberties::NONE;
        let beside = self.geometry.beside(p);
        for n in beside {
            // Without a branch: cells without a stone have the pass as head, whose entry nobody reads.
            liberties.add_if(n, self.cells[n] == Cell::Empty);
            let head = self.head[n];
            self.chain_liberties[head].remove(p);
        }
        self.head[p] = p;
        self.next[p] = p;
        self.chain_liberties[p] = liberties;
        self.chain_stones[p] = 1;
        for n in beside {
            if self.cells[n] == own && self.head[n] != self.head[p] {
                self.join(self.head[n], self.head[p]);
            }
        }
    }

    /// Joins two chains: the stones of the smaller one get the head of the larger.
    #[inline]
    fn join(&mut self, a: Point, b: Point) {
        let (big, small) = if self.chain_stones[a] >= self.chain_stones[b] { (a, b) } else { (b, a) };
        let (liberties, stones) = (self.chain_liberties[small], self.chain_stones[small]);
        self.chain_liberties[big].join(liberties);
        self.chain_stones[big] += stones;
        let mut stone = small;
        loop {
            self.head[stone] = big;
            stone = self.next[stone];
            if stone == small {
                break;
            }
        }
        let after_big = self.next[big];
        self.next[big] = self.next[small];
        self.next[small] = after_big;
    }

    /// Takes a chain off the board and says how many stones it had.
    fn remove_chain(&mut self, p: Point) -> u32 {
        let stone = self.cells[p];
        let mut at = p;
        let mut count = 0;
        loop {
            count += 1;
            self.cells[at] = Cell::Empty;
            self.head[at] = Point::PASS;
            self.note_empty(at);
            self.toggle(at, stone);
            for n in self.geometry.beside(at) {
                // Stones of the dying chain gain liberties too: it does no harm.
                let head = self.head[n];
                self.chain_liberties[head].add(at);
            }
            at = self.next[at];
            if at == p {
                self.stones[usize::from(stone == Cell::White)] -= count;
                return u32::from(count);
            }
        }
    }

    /// Tells hash and neighbourhood that a stone appears or disappears.
    #[inline]
    fn toggle(&mut self, p: Point, stone: Cell) {
        self.stones_hash ^= zobrist::stone(p, stone);
        for (i, n) in self.geometry.beside(p).into_iter().enumerate() {
            self.surroundings[n].toggle(3 - i, stone);
        }
        for (i, n) in self.geometry.diagonal(p).into_iter().enumerate() {
            self.surroundings[n].toggle(7 - i, stone);
        }
    }

    #[inline]
    fn note_empty(&mut self, p: Point) {
        self.place[p] = self.empty_count;
        self.empties[usize::from(self.empty_count) & (CAPACITY - 1)] = p;
        self.empty_count += 1;
    }

    #[inline]
    fn note_occupied(&mut self, p: Point) {
        self.empty_count -= 1;
        let (place, last) = (self.place[p], self.empties[usize::from(self.empty_count) & (CAPACITY - 1)]);
        self.empties[usize::from(place) & (CAPACITY - 1)] = last;
        self.place[last] = place;
    }

    /// Exchanges two places in the list of empty points: lets a drawing without replacement work inside the list.
    #[inline]
    pub(super) fn swap_empties(&mut self, a: usize, b: usize) {
        let (p, q) = (self.empties[a & (CAPACITY - 1)], self.empties[b & (CAPACITY - 1)]);
        self.empties[a & (CAPACITY - 1)] = q;
        self.empties[b & (CAPACITY - 1)] = p;
        self.place[p] = b as u16;
        self.place[q] = a as u16;
    }
}
