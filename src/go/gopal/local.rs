//! Local search: a goal on a small part of the board, which is cut out and searched by B* alone.
//!
//! The bounds of an open position say how much is left to do for the one side and the other: liberties, gaps, points
//! that an eye still needs. Their signs are right, their sizes lead the search to what is nearly done.

use super::interpret::liberties_of;
use crate::base::Colour;
use crate::go::board::Board;
use crate::go::bstar::{Bounds, Domain, End, Search};
use crate::go::eye::EyeRule;
use crate::go::point::{Geometry, Point};
use crate::go::surroundings::Cell;
use crate::go::tactics::rescuing_captures;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a side wants. The points are stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The other side wants to take this chain.
    Capture(Point),
    /// The owner wants these two stones to become one chain.
    Connect(Point, Point),
    /// The owner wants an eye beside this chain.
    Eye(Point),
}

/// A goal that reads wrongly on this board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoGoal {
    #[error("there is no stone on that point")]
    NoStone,
    #[error("the two stones are of different colours")]
    Colours,
    #[error("the two stones are connected")]
    Connected,
}

/// A chain has got away with so many liberties, or with so many more than it began with.
const FREE: usize = 4;
const GAIN: usize = 2;
/// A goal that takes longer is not reached.
const LONGEST: u32 = 60;
/// What the goal is worth. A bound is nearer to 0 by what is left to do.
const WHOLE: f32 = 1_000.0;
/// What a ply takes off: long ways come after short ones, but a line of answers that are forced is followed first.
const PER_PLY: f32 = 0.1;
/// Columns and rows around the stones that belong to the part that is cut out.
const MARGIN: usize = 3;
/// Chains with more liberties are not thought to be taken on the way.
const WEAK: usize = 2;
/// An eye is looked for within so many moves of the chain.
const NEAR: u32 = 2;
/// Empty points farther than this from a shortest connection or the nearest eye are left out.
const DETOUR: u32 = 1;

/// Whether a value comes from the end of a goal, and is no estimate between its bounds.
pub fn is_decided(value: f32) -> bool {
    value.abs() > WHOLE / 2.0
}

/// What is known about a position at a glance.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Status {
    Reached,
    Failed,
    /// So many plies are left to reach the goal, or to fail, if nobody answers.
    Open {
        reach: u32,
        fail: u32,
    },
}

/// A position of the search.
pub struct Position {
    board: Box<Board>,
    ply: u32,
    passes: u32,
}

impl Position {
    pub fn new(board: &Board, first: Colour) -> Position {
        let mut board = Box::new(board.clone());
        board.set_to_move(first);
        Position { board, ply: 0, passes: 0 }
    }
}

/// The game about one goal.
#[derive(Debug, Clone)]
pub struct Local {
    goal: Goal,
    /// The side that wants it.
    wants: Colour,
    /// The points that are played on; `None` for captures, where they follow the prey.
    region: Option<BTreeSet<Point>>,
    /// Liberties with which the prey has got away.
    free: usize,
    /// The longest line looked at, in plies.
    pub deepest: u32,
}

impl Local {
    pub fn new(board: &Board, goal: Goal) -> Result<Local, NoGoal> {
        let colour = |p: Point| board.cell(p).colour().ok_or(NoGoal::NoStone);
        let mut free = FREE;
        let (wants, seeds) = match goal {
            Goal::Capture(p) => {
                let prey = colour(p)?;
                free = free.max(liberties_of(board, p).len() + GAIN);
                (!prey, vec![])
            }
            Goal::Eye(p) => (colour(p)?, board.chain(p).collect()),
            Goal::Connect(a, b) => {
                let owner = colour(a)?;
                if colour(b)? != owner {
                    return Err(NoGoal::Colours);
                }
                if board.head(a) == board.head(b) {
                    return Err(NoGoal::Connected);
                }
                (owner, board.chain(a).chain(board.chain(b)).collect::<Vec<_>>())
            }
        };
        let region = (!seeds.is_empty()).then(|| around(board.geometry(), &seeds));
        Ok(Local { goal, wants, region, free, deepest: 0 })
    }

    /// The side that wants the goal.
    pub fn wants(&self) -> Colour {
        self.wants
    }

    /// How many points are cut out; `None` if they follow the prey.
    pub fn size(&self) -> Option<usize> {
        self.region.as_ref().map(BTreeSet::len)
    }

    fn inside(&self, p: Point) -> bool {
        self.region.as_ref().is_none_or(|region| region.contains(&p))
    }

    fn status(&self, board: &Board) -> Status {
        let turn = board.to_move() == self.wants;
        // So many moves of the side that wants it, the other side answering each but the last.
        let plies = |moves: u32| (2 * moves).saturating_sub(u32::from(turn));
        let fail = if turn { 2 } else { 1 };
        let owns = |p: Point| self.owns(board, p);
        match self.goal {
            Goal::Capture(p) => match board.cell(p).colour() {
                Some(prey) if prey != self.wants => match liberties_of(board, p).len() {
                    // One more move and it is free.
                    count if count + usize::from(!turn) >= self.free => Status::Failed,
                    count => Status::Open { reach: plies(count as u32), fail: fail + (self.free - count) as u32 },
                },
                _ => Status::Reached,
            },
            Goal::Connect(a, b) if !owns(a) || !owns(b) => Status::Failed,
            Goal::Connect(a, b) if board.head(a) == board.head(b) => Status::Reached,
            Goal::Connect(a, b) => match self.gaps(board, a).get(&board.head(b)) {
                Some(&moves) => Status::Open { reach: plies(moves), fail },
                None => Status::Failed,
            },
            Goal::Eye(p) if !owns(p) => Status::Failed,
            Goal::Eye(p) => match self.eyes(board, p).into_iter().map(|(_, moves)| moves).min() {
                Some(0) => Status::Reached,
                Some(moves) => Status::Open { reach: plies(moves), fail },
                None => Status::Failed,
            },
        }
    }

    fn owns(&self, board: &Board, p: Point) -> bool {
        board.cell(p).colour() == Some(self.wants)
    }

    /// Moves it takes at least to take the enemy's chain at a point; `None` for one that is too strong, and elsewhere.
    fn prey(&self, board: &Board, p: Point) -> Option<u32> {
        let hostile = board.cell(p).colour() == Some(!self.wants);
        let liberties = if hostile { liberties_of(board, p).len() } else { 0 };
        (1..=WEAK).contains(&liberties).then_some(liberties as u32)
    }

    /// Moves it takes at least to reach every point of the region from a chain: own stones cost nothing, weak enemies
    /// are taken. Chains stand at their head.
    fn gaps(&self, board: &Board, from: Point) -> BTreeMap<Point, u32> {
        let key = |p: Point| if board.cell(p) == Cell::Empty { p } else { board.head(p) };
        let mut cost = BTreeMap::from([(key(from), 0)]);
        let mut queue = VecDeque::from([key(from)]);
        while let Some(p) = queue.pop_front() {
            let so_far = cost[&p];
            let members = if board.cell(p) == Cell::Empty { vec![p] } else { board.chain(p).collect() };
            for n in members.into_iter().flat_map(|p| board.geometry().beside(p)) {
                let step = match board.cell(n) {
                    Cell::Empty if self.inside(n) => Some(1),
                    Cell::Empty | Cell::Edge => None,
                    _ if self.owns(board, n) => Some(0),
                    _ => self.prey(board, n),
                };
                let Some(step) = step else { continue };
                let known = cost.entry(key(n)).or_insert(u32::MAX);
                if so_far + step < *known {
                    *known = so_far + step;
                    queue.push_back(key(n));
                }
            }
        }
        cost
    }

    /// Points near a chain that may become its eye, with the moves this takes at least.
    fn eyes(&self, board: &Board, chain: Point) -> Vec<(Point, u32)> {
        let reach = self.gaps(board, chain);
        let near = |p: &Point| board.cell(*p) != Cell::Empty || reach.get(p).is_some_and(|&moves| moves <= NEAR);
        let places = self.region.iter().flatten().copied().filter(near);
        places.filter_map(|p| Some((p, self.eye_at(board, p)?))).collect()
    }

    /// Moves it takes at least until the point is an eye; `None` if it cannot become one.
    fn eye_at(&self, board: &Board, p: Point) -> Option<u32> {
        let g = board.geometry();
        let mut captures = match board.cell(p) {
            Cell::Empty => 0,
            _ => self.prey(board, p)?,
        };
        let mut missing = 0;
        for n in g.beside(p).into_iter().filter(|&n| board.cell(n) != Cell::Edge && !self.owns(board, n)) {
            missing += 1;
            if board.cell(n) != Cell::Empty {
                captures = captures.max(self.prey(board, n)?);
            }
        }
        let corners = g.diagonal(p);
        let spare = u32::from(corners.iter().all(|&n| board.cell(n) != Cell::Edge));
        let (mut open, mut lost) = (0, 0);
        for n in corners.into_iter().filter(|&n| board.cell(n) != Cell::Edge && !self.owns(board, n)) {
            let held = board.cell(n) != Cell::Empty && self.prey(board, n).is_none();
            if held { lost += 1 } else { open += 1 }
        }
        (lost <= spare).then(|| captures.max(missing + (open + lost).saturating_sub(spare)))
    }

    /// The moves that may matter for the side to move.
    fn moves(&self, board: &Board) -> BTreeSet<Point> {
        let mut moves = match self.goal {
            Goal::Capture(p) => around_prey(board, p),
            Goal::Connect(a, b) => self.between(board, a, b),
            Goal::Eye(p) => self.eye_space(board, p),
        };
        // Chains at stake that are in atari, and what can be taken to save them.
        let stones = match self.goal {
            Goal::Capture(p) | Goal::Eye(p) => vec![p],
            Goal::Connect(a, b) => vec![a, b],
        };
        for p in stones {
            moves.extend(rescuing_captures(board, p).as_slice());
            moves.extend(board.liberties(p).last());
        }
        let me = board.to_move();
        moves.retain(|&p| board.check(p, false).is_ok() && !EyeRule::Strict.is_eye(board, p, me) && self.inside(p));
        moves
    }

    /// Empty points on the shortest ways between two chains, and what takes enemies that stand there.
    fn between(&self, board: &Board, a: Point, b: Point) -> BTreeSet<Point> {
        let (from_a, from_b) = (self.gaps(board, a), self.gaps(board, b));
        let Some(&least) = from_a.get(&board.head(b)) else { return BTreeSet::new() };
        // Both ways count the point itself, so that it is counted twice.
        let near = |p: &&Point| from_a[p] + from_b.get(p).copied().unwrap_or(LONGEST) <= least + 1 + DETOUR;
        let mut points = BTreeSet::new();
        for &p in from_a.keys().filter(near) {
            if board.cell(p) == Cell::Empty {
                points.insert(p);
            }
            for n in std::iter::once(p).chain(board.geometry().beside(p)) {
                points.extend(self.short(board, n));
            }
        }
        points
    }

    fn eye_space(&self, board: &Board, chain: Point) -> BTreeSet<Point> {
        let g = board.geometry();
        let eyes = self.eyes(board, chain);
        let Some(least) = eyes.iter().map(|&(_, moves)| moves).min() else { return BTreeSet::new() };
        let near = eyes.into_iter().filter(|&(_, moves)| moves <= least + DETOUR);
        let mut points = BTreeSet::new();
        for p in near.flat_map(|(p, _)| std::iter::once(p).chain(g.around(p))) {
            if board.cell(p) == Cell::Empty {
                points.insert(p);
            }
            points.extend(self.short(board, p));
        }
        points
    }

    /// The liberties of a chain that is short of them.
    fn short(&self, board: &Board, p: Point) -> Vec<Point> {
        let stone = board.cell(p).colour().is_some();
        let liberties = if stone { liberties_of(board, p) } else { vec![] };
        if liberties.len() <= WEAK { liberties } else { vec![] }
    }

    /// What a position is worth to the side that wants the goal.
    fn value(&self, position: &Position) -> Bounds {
        let after = |plies: u32| WHOLE - plies as f32 - PER_PLY * position.ply as f32;
        let exactly = |value: f32| Bounds::new(value, value);
        if position.passes >= 2 || position.ply >= LONGEST {
            return exactly(-after(0));
        }
        match self.status(&position.board) {
            Status::Reached => exactly(after(0)),
            Status::Failed => exactly(-after(0)),
            Status::Open { reach, fail } => Bounds::new(-after(fail), after(reach)),
        }
    }
}

/// The points within a few columns and rows of some stones.
fn around(g: Geometry, seeds: &[Point]) -> BTreeSet<Point> {
    let span = |of: fn(Geometry, Point) -> usize| {
        let values = || seeds.iter().map(|&p| of(g, p));
        (values().min().unwrap_or(0).saturating_sub(MARGIN), values().max().unwrap_or(0) + MARGIN)
    };
    let (columns, rows) = (span(Geometry::column), span(Geometry::row));
    let inside = |&p: &Point| (columns.0..=columns.1).contains(&g.column(p)) && (rows.0..=rows.1).contains(&g.row(p));
    g.points().filter(inside).collect()
}

/// Liberties of a chain, the points beside these, and the liberties of hunters that are short of them.
fn around_prey(board: &Board, prey: Point) -> BTreeSet<Point> {
    let g = board.geometry();
    let liberties = liberties_of(board, prey);
    let mut moves: BTreeSet<Point> = liberties.iter().copied().collect();
    // A chain in atari is taken or runs; captures are added later.
    if liberties.len() <= 1 {
        return moves;
    }
    let beside = liberties.iter().flat_map(|&p| g.beside(p));
    moves.extend(beside.filter(|&n| board.cell(n) == Cell::Empty));
    let owner = board.cell(prey).colour();
    for stone in board.chain(prey) {
        for n in g.beside(stone) {
            if board.cell(n).colour().is_some_and(|colour| Some(colour) != owner) {
                let own = liberties_of(board, n);
                if own.len() <= liberties.len() {
                    moves.extend(own);
                }
            }
        }
    }
    moves
}

impl Domain for Local {
    type Move = Point;
    type State = Position;

    fn expand(&mut self, state: &Position) -> Vec<(Point, Position, Bounds)> {
        let mover = state.board.to_move();
        let mut moves: Vec<Point> = self.moves(&state.board).into_iter().collect();
        // Who is only asked to prevent something may play elsewhere.
        if mover != self.wants || moves.is_empty() {
            moves.push(Point::PASS);
        }
        self.deepest = self.deepest.max(state.ply + 1);
        let child = |p: Point| {
            let mut board = state.board.clone();
            board.play(p);
            let passes = if p.is_pass() { state.passes + 1 } else { 0 };
            let position = Position { board, ply: state.ply + 1, passes };
            let Bounds { lower, upper } = self.value(&position);
            let bounds = if mover == self.wants { Bounds::new(lower, upper) } else { Bounds::new(-upper, -lower) };
            (p, position, bounds)
        };
        moves.into_iter().map(child).collect()
    }
}

/// What a local search found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether the goal is reached; `None` if the limit came first.
    pub reached: Option<bool>,
    /// The line expected from here, the first move first.
    pub line: Vec<Point>,
    pub nodes: u64,
    /// The longest line looked at, in plies.
    pub deepest: u32,
}

/// Searches until it is known whether the goal is reached when `first` begins, or until `over` says so.
pub fn search(local: Local, board: &Board, first: Colour, mut over: impl FnMut(u64) -> bool) -> Verdict {
    let wanted = local.wants == first;
    match local.status(board) {
        Status::Open { .. } => {}
        status => {
            let reached = Some(status == Status::Reached);
            return Verdict { reached, line: vec![], nodes: 0, deepest: 0 };
        }
    }
    let mut search = Search::new(local, Position::new(board, first));
    let mut end = End::Budget;
    let success = loop {
        if let Some(success) = search.beats(0.0) {
            break Some(success);
        }
        if over(search.made()) {
            break None;
        }
        if let Some(why) = search.step() {
            end = why;
            // A proven best move may still be better or worse than nothing: it is looked at until that is known.
            if end == End::Exhausted || !search.deepen() {
                break search.beats(0.0);
            }
        }
    };
    let outcome = search.outcome(end, std::time::Duration::ZERO);
    let line = outcome.moves.first().map_or(vec![], |best| best.line.clone());
    let deepest = search.domain().deepest;
    Verdict { reached: success.map(|success| success == wanted), line, nodes: outcome.nodes, deepest }
}
