//! Local search: a goal on a small part of the board, which is cut out and searched by B* alone.
//!
//! A move is worth more the sooner it reaches the goal. What a position shows at a glance (liberties, gaps, points an
//! eye still needs) says how many plies that takes at least, so the bounds are honest.

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
    #[error("there is no stone on {0}")]
    NoStone(&'static str),
    #[error("the two stones are of different colours")]
    Colours,
    #[error("the two stones are connected")]
    Connected,
}

/// From so many liberties on, a chain has got away.
const FREE: usize = 5;
/// A goal that takes longer is not reached.
const LONGEST: u32 = 60;
/// What reaching the goal at once is worth. Each ply takes one off.
const WHOLE: f32 = 1_000.0;
/// Columns and rows around the stones that belong to the part that is cut out.
const MARGIN: usize = 3;
/// Empty points farther than this from a shortest connection or the nearest eye are left out.
const DETOUR: u32 = 1;

/// What is known about a position at a glance.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Status {
    Reached,
    Failed,
    /// The goal is reached, or failed, in so many plies at the earliest.
    Open { reach: u32, fail: u32 },
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
    /// The longest line looked at, in plies.
    pub deepest: u32,
}

impl Local {
    pub fn new(board: &Board, goal: Goal) -> Result<Local, NoGoal> {
        let colour = |p: Point, which| board.cell(p).colour().ok_or(NoGoal::NoStone(which));
        let (wants, seeds) = match goal {
            Goal::Capture(p) => (!colour(p, "the point")?, vec![]),
            Goal::Eye(p) => (colour(p, "the point")?, board.chain(p).collect()),
            Goal::Connect(a, b) => {
                let owner = colour(a, "the first point")?;
                if colour(b, "the second point")? != owner {
                    return Err(NoGoal::Colours);
                }
                if board.head(a) == board.head(b) {
                    return Err(NoGoal::Connected);
                }
                (owner, board.chain(a).chain(board.chain(b)).collect::<Vec<_>>())
            }
        };
        let region = (!seeds.is_empty()).then(|| around(board.geometry(), &seeds));
        Ok(Local { goal, wants, region, deepest: 0 })
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
        let owns = |p: Point| board.cell(p).colour() == Some(self.wants);
        match self.goal {
            Goal::Capture(p) => match board.cell(p).colour() {
                Some(prey) if prey != self.wants => match liberties_of(board, p).len() {
                    FREE.. => Status::Failed,
                    count => Status::Open { reach: plies(count as u32), fail },
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

    /// Stones it takes to reach every point of the region from a chain: own stones cost nothing.
    fn gaps(&self, board: &Board, from: Point) -> BTreeMap<Point, u32> {
        let key = |p: Point| if board.cell(p) == Cell::Empty { p } else { board.head(p) };
        let mut cost = BTreeMap::from([(key(from), 0)]);
        let mut queue: VecDeque<Point> = board.chain(from).collect();
        while let Some(p) = queue.pop_front() {
            let so_far = cost[&key(p)];
            for n in board.geometry().beside(p) {
                let cell = board.cell(n);
                let own = cell.colour() == Some(self.wants);
                if cost.contains_key(&key(n)) || !(own || (cell == Cell::Empty && self.inside(n))) {
                    continue;
                }
                cost.insert(key(n), so_far + u32::from(!own));
                match own {
                    true => board.chain(n).for_each(|stone| queue.push_front(stone)),
                    false => queue.push_back(n),
                }
            }
        }
        cost
    }

    /// Points beside the chain or near it that may become its eye, with the stones this takes.
    fn eyes(&self, board: &Board, chain: Point) -> Vec<(Point, u32)> {
        let g = board.geometry();
        let reach = self.gaps(board, chain);
        let near = |p: &Point| reach.get(p).is_some_and(|&moves| moves <= 2);
        let places = self.region.iter().flatten().copied().filter(|p| board.cell(*p) == Cell::Empty && near(p));
        let need = |p: Point| {
            let hostile = |n: &Point| board.cell(*n).colour() == Some(!self.wants);
            let missing = |n: &&Point| board.cell(**n) == Cell::Empty;
            let (beside, diagonal) = (g.beside(p), g.diagonal(p));
            let at_edge = diagonal.iter().any(|&n| board.cell(n) == Cell::Edge);
            let spare = usize::from(!at_edge);
            let bad = diagonal.iter().filter(|n| hostile(n)).count();
            if beside.iter().any(|n| hostile(n)) || bad > spare {
                return None;
            }
            let open = diagonal.iter().filter(missing).count();
            let corners = (open + bad).saturating_sub(spare);
            Some((p, (beside.iter().filter(missing).count() + corners) as u32))
        };
        places.filter_map(need).collect()
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

    fn between(&self, board: &Board, a: Point, b: Point) -> BTreeSet<Point> {
        let (from_a, from_b) = (self.gaps(board, a), self.gaps(board, b));
        let Some(&least) = from_a.get(&board.head(b)) else { return BTreeSet::new() };
        // A point is counted from both sides.
        let through = |p: &Point| Some(from_a.get(p)? + from_b.get(p)? - 1);
        let near = |p: &Point| through(p).is_some_and(|length| length <= least + DETOUR);
        let mut points: BTreeSet<Point> =
            from_a.keys().copied().filter(|p| board.cell(*p) == Cell::Empty && near(p)).collect();
        // Cutting stones that can be taken, and own stones on the way that are in atari.
        let on_the_way: Vec<Point> = points.iter().copied().collect();
        for n in on_the_way.into_iter().flat_map(|p| board.geometry().beside(p)) {
            if board.cell(n).colour().is_some() {
                points.extend(board.liberties(n).last());
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
        for (p, _) in near {
            points.insert(p);
            points.extend(g.around(p).into_iter().filter(|&n| board.cell(n) == Cell::Empty));
            let stones = g.around(p).into_iter().filter(|&n| board.cell(n).colour().is_some());
            points.extend(stones.filter_map(|n| board.liberties(n).last()));
        }
        points
    }

    /// What a position is worth to the side that wants the goal.
    fn value(&self, position: &Position) -> Bounds {
        let after = |plies: u32| WHOLE - (position.ply + plies) as f32;
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
    let inside = |&p: &Point| {
        (columns.0..=columns.1).contains(&g.column(p)) && (rows.0..=rows.1).contains(&g.row(p))
    };
    g.points().filter(inside).collect()
}

/// Liberties of a chain, the points beside these, and the liberties of hunters that are short of them.
fn around_prey(board: &Board, prey: Point) -> BTreeSet<Point> {
    let g = board.geometry();
    let liberties = liberties_of(board, prey);
    let mut moves: BTreeSet<Point> = liberties.iter().copied().collect();
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
