//! Monte Carlo tree search: down the tree by the most promising moves, a playout from its edge, the result back up.

use super::board::Board;
use super::config::{Config, PriorKind};
use super::game::GoGame;
use super::pattern::PatternTable;
use super::playout::{Uniform, area_at_end, owner_at_end, play_out};
use super::point::{Grid, Point};
use super::policy::Full;
use super::prior;
use super::restriction::{self, Restriction};
use super::rules::Superko;
use super::score;
use super::select::{self, Parent};
use super::status;
use super::surroundings::Cell;
use super::tally::Tally;
use super::tree::{Entry, Id, Seed, Tree, WIN};
use super::zobrist;
use crate::base::{Colour, Rng};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

/// Tells the prior games of moves after a line of moves from the root; one for each thread.
pub type Hinter = Box<dyn FnMut(&[Point]) -> Vec<(Point, f32)>>;
pub type Hinters = Arc<dyn Fn() -> Hinter + Send + Sync>;

/// A position to search, with all that a thread needs to know about the game around it.
pub struct Search<'a> {
    pub config: &'a Config,
    pub tree: &'a Tree,
    root: &'a Board,
    patterns: Arc<PatternTable>,
    last: Point,
    passes: usize,
    /// Added to the seed: another for each round of one search.
    stream: u64,
    /// White's points before counting.
    head_start: f32,
    superko: Superko,
    /// What superko forbids to bring back.
    history: Vec<u64>,
    /// Playouts made and begun.
    pub playouts: AtomicU64,
    /// Moves in the tree before a playout takes over.
    deepest: usize,
    /// No playout beyond this number is begun.
    pub limit: u64,
    /// Set when the search has to end.
    pub done: AtomicBool,
    /// The end may be near: what a pass comes to should be known.
    asks_for_pass: bool,
    tally: Mutex<Tally>,
    /// Dead stones are taken off when both sides have passed.
    agreement: bool,
    /// What the first playouts said about the fate of the stones.
    judged: OnceLock<Tally>,
    /// Moves of the root that get prior games, with how many.
    pub hints: Vec<(Point, f32)>,
    /// Moves that are left out.
    pub restrictions: Vec<Restriction>,
    /// Makes what gives prior games to moves below the root.
    pub hinters: Option<Hinters>,
}

/// Playouts after which the fate of the stones is judged, once for the whole search.
const JUDGED_AT: u32 = 256;

/// Late in the game the pass gets one of so many playouts, so that there is something to judge it by.
const PASS_EVERY: u32 = 32;

/// Playouts a thread keeps to itself before it adds them to the common counts.
const TALLY_EVERY: u32 = 64;

impl<'a> Search<'a> {
    pub fn new(config: &'a Config, tree: &'a Tree, game: &'a GoGame, limit: u64, stream: u64) -> Search<'a> {
        Search {
            config,
            tree,
            root: game.board(),
            patterns: config.pattern_table(),
            last: game.last_move(),
            // A game that is over can be searched as if it were not.
            passes: game.passes() % 2,
            stream,
            head_start: game.head_start(),
            superko: game.rules().superko,
            history: game.superko_hashes(),
            playouts: AtomicU64::new(0),
            deepest: 3 * game.geometry().area(),
            limit,
            done: AtomicBool::new(false),
            asks_for_pass: config.prior == PriorKind::Games && 3 * game.plays().len() >= game.geometry().area(),
            tally: Mutex::new(Tally::new(game.geometry())),
            agreement: game.rules().agreement,
            judged: OnceLock::new(),
            hints: Vec::new(),
            restrictions: Vec::new(),
            hinters: None,
        }
    }

    /// The counts of all threads so far, save for their last few playouts.
    pub fn tally(&self) -> Tally {
        self.tally.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }

    fn seeds(&self, board: &Board, last: Point, path: &[u64], hints: &[(Point, f32)], rng: &mut Rng) -> Vec<Seed> {
        let mut seeds = match self.config.prior {
            PriorKind::None => {
                let mut seeds = prior::bare_seeds(board, self.config.eye);
                // Untried moves are taken in the order of the list.
                rng.shuffle(&mut seeds);
                seeds
            }
            prior => {
                let moves = prior::sensible_moves(board, last, &self.patterns);
                if prior == PriorKind::Bonus { prior::seeds_with_bonus(moves) } else { prior::seeds_with_games(moves) }
            }
        };
        let hints = if path.is_empty() { &self.hints } else { hints };
        if !hints.is_empty() {
            prior::add_hints(&mut seeds, hints, self.config.prior == PriorKind::Bonus);
        }
        if !self.restrictions.is_empty() {
            self.restrict(board, path.len(), &mut seeds);
        }
        if self.superko != Superko::None {
            seeds.retain(|seed| seed.point.is_pass() || !self.repeats(board, seed.point, path));
        }
        seeds
    }

    /// Leaves out what is not to be tried. A move that is asked for is there, sensible or not, and where nothing is left
    /// a side passes.
    fn restrict(&self, board: &Board, depth: usize, seeds: &mut Vec<Seed>) {
        let me = board.to_move();
        let bare = |point| Seed { point, visits: 0.0, value: 0.0 };
        for asked in self.restrictions.iter().filter(|one| one.only && one.holds(me, depth)) {
            let missing = asked.points.iter().filter(|&&p| self.is_playable(board, p, &[]));
            let missing: Vec<Point> = missing.filter(|p| seeds.iter().all(|seed| seed.point != **p)).copied().collect();
            seeds.extend(missing.into_iter().map(bare));
        }
        seeds.retain(|seed| restriction::allow(&self.restrictions, me, depth, seed.point));
        if seeds.is_empty() {
            seeds.push(bare(Point::PASS));
        }
    }

    /// Whether a move of the tree can be made on this board: one that cannot would corrupt it.
    fn is_playable(&self, board: &Board, p: Point, path: &[u64]) -> bool {
        p.is_pass()
            || (board.cell(p) == Cell::Empty
                && board.is_playable(p, board.to_move())
                && (self.superko == Superko::None || !self.repeats(board, p, path)))
    }

    fn repeats(&self, board: &Board, p: Point, path: &[u64]) -> bool {
        let me = board.to_move();
        let after = match self.superko {
            Superko::Situational => board.stones_hash_after(p, me) ^ zobrist::side(!me),
            Superko::Positional | Superko::None => board.stones_hash_after(p, me),
        };
        self.history.contains(&after) || path.contains(&after)
    }

    fn superko_hash(&self, board: &Board) -> u64 {
        match self.superko {
            Superko::Situational => board.situation_hash(),
            Superko::Positional | Superko::None => board.stones_hash(),
        }
    }

    /// Whose each point is when both sides have passed; `None` while the fate of a stone is open, so that it has to be
    /// played out.
    fn owners(&self, board: &Board) -> Option<Owners> {
        if !self.agreement {
            return Some(score::owners(board, &[]));
        }
        let tally = self.judged.get()?;
        status::all_settled(board, tally).then(|| score::owners(board, &status::dead_chains(board, tally)))
    }

    /// A share of the win, from 0 to [`WIN`], for black.
    fn value(&self, score: f32) -> u64 {
        let win = match score {
            s if s > 0.0 => 1.0,
            s if s < 0.0 => 0.0,
            _ => 0.5,
        };
        let area = self.root.geometry().area() as f32;
        let lead = 0.5 + 0.5 * (score / area).clamp(-1.0, 1.0);
        let share = self.config.score_share;
        ((win * (1.0 - share) + lead * share) * WIN as f32) as u64
    }
}

/// The owner of each point at the end of a game.
type Owners = Grid<Option<Colour>>;

/// One thread of a search.
pub struct Searcher<'s, 'a> {
    search: &'s Search<'a>,
    board: Box<Board>,
    full: Box<Full>,
    rng: Rng,
    /// The entries from the root down.
    path: Vec<Id>,
    /// All moves from the root on, in the tree and beyond.
    moves: Vec<Point>,
    /// Hashes of the positions below the root, for superko.
    hashes: Vec<u64>,
    /// Who is first on each point from some moment of the playout on.
    first: Grid<Option<Colour>>,
    tally: Tally,
    hinter: Option<Hinter>,
}

impl<'s, 'a> Searcher<'s, 'a> {
    pub fn new(search: &'s Search<'a>, thread: usize) -> Self {
        let thread = (thread as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let seed = search.config.seed.wrapping_add(thread).wrapping_add(search.stream << 32);
        Searcher {
            search,
            board: Box::new(search.root.clone()),
            full: Box::new(Full::new(search.config.weights, search.config.eye, search.config.pattern_table())),
            rng: Rng::new(seed),
            path: Vec::new(),
            moves: Vec::new(),
            hashes: Vec::new(),
            first: Grid::new(None),
            tally: Tally::new(search.root.geometry()),
            hinter: search.hinters.as_ref().map(|make| make()),
        }
    }

    /// Playouts until the limit or until told to end; `each` is called after every one.
    pub fn run(&mut self, stop: &AtomicBool, mut each: impl FnMut()) {
        let search = self.search;
        while !search.done.load(Relaxed) && !stop.load(Relaxed) {
            if search.playouts.fetch_add(1, Relaxed) >= search.limit {
                search.playouts.fetch_sub(1, Relaxed);
                break;
            }
            self.one();
            if self.tally.playouts() >= TALLY_EVERY {
                self.hand_in();
            }
            each();
        }
        self.hand_in();
    }

    /// One playout, whatever the limits say: so that there is something to go by.
    pub fn first(&mut self) {
        self.search.playouts.fetch_add(1, Relaxed);
        self.one();
    }

    fn hand_in(&mut self) {
        let mut all = self.search.tally.lock().unwrap_or_else(|e| e.into_inner());
        all.add(&self.tally);
        if self.search.agreement && all.playouts() >= JUDGED_AT {
            self.search.judged.get_or_init(|| all.clone());
        }
        self.tally.clear();
    }

    /// One playout.
    fn one(&mut self) {
        self.board.copy_from(self.search.root);
        self.path.clear();
        self.moves.clear();
        self.hashes.clear();
        let owners = if self.descend() { self.search.owners(&self.board) } else { None };
        if owners.is_none() {
            let last = self.moves.last().copied().unwrap_or(self.search.last);
            let (board, rng, moves) = (&mut *self.board, &mut self.rng, &mut self.moves);
            if self.search.config.full_policy {
                play_out(board, &mut *self.full, last, rng, moves);
            } else {
                play_out(board, &mut Uniform { eye: self.search.config.eye }, last, rng, moves);
            }
        }
        let count = owners.as_ref().map_or_else(|| area_at_end(&self.board), |owners| self.count(owners));
        self.back_up(count as f32 - self.search.head_start, owners.as_ref());
    }

    /// Goes down the tree and adds a node to it when it is time; true if the game ends there.
    fn descend(&mut self) -> bool {
        let Search { config, tree, .. } = *self.search;
        let mut id = Tree::ROOT;
        let mut passes = self.search.passes;
        tree.entry(id).enter(config.virtual_visits);
        self.path.push(id);
        loop {
            if passes >= 2 {
                return true;
            }
            if self.moves.len() >= self.search.deepest {
                return false;
            }
            let node = tree.entry(id);
            let grown = tree.children(id).or_else(|| {
                if id == Tree::ROOT || node.visits() > config.expand_at {
                    let last = self.moves.last().copied().unwrap_or(self.search.last);
                    let (search, board, hashes, rng) = (self.search, &self.board, &self.hashes, &mut self.rng);
                    let near = (1..=config.gopal_depth).contains(&self.moves.len());
                    let (hinter, moves) = (self.hinter.as_mut().filter(|_| near), &self.moves);
                    tree.grow(id, || {
                        let hints = hinter.map_or(vec![], |hinter| hinter(moves));
                        search.seeds(board, last, hashes, &hints, rng)
                    });
                }
                tree.children(id)
            });
            let Some((first, children)) = grown else { return false };
            let parent = self.parent(id);
            let owed = (id == Tree::ROOT).then(|| self.owed_pass(children, parent.visits)).flatten();
            let Some(chosen) = owed.or_else(|| self.choose(config, parent, children)) else { return false };
            let entry = &children[chosen];
            let point = entry.point();
            id = first + chosen as Id;
            entry.enter(config.virtual_visits);
            self.board.play(point);
            self.path.push(id);
            self.moves.push(point);
            self.hashes.push(self.search.superko_hash(&self.board));
            passes = if point.is_pass() { passes + 1 } else { 0 };
        }
    }

    /// The most promising move that can be made. Others are left out for good.
    fn choose(&self, config: &Config, parent: Parent, children: &[Entry]) -> Option<usize> {
        loop {
            let best = select::best(config, parent, children)?;
            if self.search.is_playable(&self.board, children[best].point(), &self.hashes) {
                return Some(best);
            }
            children[best].bar();
        }
    }

    /// The pass among the moves of the root, if it is its turn to be tried.
    fn owed_pass(&self, children: &[Entry], visits: u32) -> Option<usize> {
        if !self.search.asks_for_pass || !visits.is_multiple_of(PASS_EVERY) {
            return None;
        }
        children.iter().position(|child| child.point().is_pass())
    }

    fn parent(&self, id: Id) -> Parent {
        let config = self.search.config;
        let node = self.search.tree.entry(id);
        if config.criticality == 0.0 {
            return Parent { visits: node.visits(), counted: 0, black_share: 0.5 };
        }
        let before = if id == Tree::ROOT { 0 } else { config.expand_at };
        let stats = node.stats();
        let share = stats.value as f32 / stats.visits.max(1) as f32;
        let black_share = if self.board.to_move() == Colour::White { share } else { 1.0 - share };
        Parent { visits: stats.visits, counted: stats.visits.saturating_sub(before), black_share }
    }

    /// Black's area less white's.
    fn count(&self, owners: &Owners) -> i32 {
        let points = self.board.geometry().points();
        points.map(|p| owners[p].map_or(0, |colour| if colour == Colour::Black { 1 } else { -1 })).sum()
    }

    fn back_up(&mut self, score: f32, owners: Option<&Owners>) {
        let search = self.search;
        let winner = if score > 0.0 { Colour::Black } else { Colour::White };
        let board = &*self.board;
        let owner = |p: Point| owners.map_or_else(|| owner_at_end(board, p), |owners| owners[p]);
        self.tally.count_owners(owner, winner);
        let black_value = search.value(score);
        let for_side = |side: Colour| if side == Colour::Black { black_value } else { WIN - black_value };
        let points = |side: Colour| if side == Colour::Black { score } else { -score }.round() as i32;
        let root_mover = search.root.to_move();
        let mover = |ply: usize| if ply.is_multiple_of(2) { root_mover } else { !root_mover };
        for (depth, &id) in self.path.iter().enumerate() {
            // The side that made the move leading here.
            let side = mover(depth + 1);
            search.tree.entry(id).leave(for_side(side), points(side), search.config.virtual_visits - 1);
        }
        if !search.config.rave && search.config.criticality == 0.0 {
            return;
        }
        let deepest = self.path.len() - 1;
        for ply in (deepest..self.moves.len()).rev() {
            self.first[self.moves[ply]] = Some(mover(ply));
        }
        for depth in (0..=deepest).rev() {
            let side = mover(depth);
            if let Some(&p) = self.moves.get(depth) {
                self.first[p] = Some(side);
            }
            if let Some((_, children)) = search.tree.children(self.path[depth]) {
                for child in children {
                    let p = child.point();
                    if search.config.rave && self.first[p] == Some(side) && !p.is_pass() {
                        child.add_rave(for_side(side));
                    }
                    if search.config.criticality > 0.0 {
                        let owner = owner(p);
                        child.add_held(owner == Some(Colour::Black), owner == Some(winner));
                    }
                }
            }
        }
        for &p in &self.moves {
            self.first[p] = None;
        }
    }
}
