//! A tree search led by a network: PUCT. Every visit adds one position to the tree; the network's policy says where to look,
//! its values and what was found below say how good a move is. Games are played to their ends only where the option
//! `playout-share` asks for it.

use super::{
    Input, Ladders, Net, Output, Workspace,
    cache::{Cache, Judgement},
    input::{self, Situation},
};
use crate::{
    base::{Colour, Control, Limits, Rng, Stopwatch},
    go::{
        board::Board,
        config::Config,
        game::GoGame,
        playout::{Uniform, area_at_end, play_out},
        point::Point,
        policy::Full,
        report::{Choice, MoveReport, Report},
        restriction::{self, Restriction},
        rules::{Rules, Superko},
        score, status,
        tally::Tally,
        zobrist,
    },
};
use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// How what the policy counts against what was found (the option `exploration`) grows with the visits.
const EXPLORATION_GROWTH: f32 = 0.45;
const GROWS_FROM: f32 = 500.0;
/// A move that was never tried is taken to be worse than its node by this, the more of the policy has been tried.
const UNTRIED_LESS: f32 = 0.2;
const UNTRIED_LESS_AT_ROOT: f32 = 0.1;
/// What the size of the win adds to winning: safe points are not thrown away, and a lost game is lost by little.
const SCORE_WEIGHT: f32 = 0.15;
/// How often news are told.
const NEWS_EVERY: Duration = Duration::from_millis(500);
/// A search ends early once a move can no longer be overtaken, but not before so many visits.
const LEAST_VISITS: u64 = 16;
/// Moves shown in a line at most.
const LINE: usize = 16;

/// One search and what it may use.
pub struct Request<'a> {
    pub game: &'a GoGame,
    pub config: &'a Config,
    pub net: &'a Net,
    pub cache: &'a Cache,
    pub restrictions: &'a [Restriction],
    pub limits: Limits,
    /// May end as soon as the choice is clear.
    pub choose: bool,
}

#[derive(Default)]
struct Node {
    edges: Vec<Edge>,
    /// Visits, and sums over them as black sees it: chance to win, score, what the search goes by.
    visits: u32,
    win: f64,
    score: f64,
    utility: f64,
    /// Both sides have passed.
    over: bool,
}

struct Edge {
    point: Point,
    prior: f32,
    child: Option<u32>,
    /// Threads that are below it.
    pending: u32,
}

/// What is known of a position, as black sees it.
#[derive(Clone, Copy)]
struct Worth {
    win: f64,
    score: f64,
    utility: f64,
}

impl Worth {
    fn new(win: f64, score: f64, area: usize) -> Worth {
        let spread = 2.0 * (area as f64).sqrt();
        let bonus = f64::from(SCORE_WEIGHT) * (score / spread).atan() / std::f64::consts::FRAC_PI_2;
        Worth { win, score, utility: 2.0 * win - 1.0 + bonus }
    }
}

struct Tree {
    nodes: Vec<Node>,
    /// What nodes and moves take.
    bytes: usize,
    visits: u64,
    /// Sums of the ownership of each point, as black sees it.
    ownership: Vec<f64>,
    judged: u32,
}

impl Tree {
    /// The move of a node to look at next.
    fn select(&self, id: usize, to_move: Colour, exploration: f32) -> Option<usize> {
        let node = &self.nodes[id];
        let sign = if to_move == Colour::Black { 1.0 } else { -1.0 };
        let visits = |edge: &Edge| edge.child.map_or(0, |child| self.nodes[child as usize].visits);
        let tried: f32 = node.edges.iter().filter(|edge| visits(edge) > 0).map(|edge| edge.prior).sum();
        let less = if id == 0 { UNTRIED_LESS_AT_ROOT } else { UNTRIED_LESS };
        let own = (sign * node.utility / f64::from(node.visits.max(1))) as f32;
        let untried = own - less * tried.sqrt();
        let below = (node.visits.max(1) - 1) as f32 + node.edges.iter().map(|edge| edge.pending).sum::<u32>() as f32;
        let exploration = exploration + EXPLORATION_GROWTH * ((below + GROWS_FROM) / GROWS_FROM).ln();
        let scale = exploration * (below + 0.01).sqrt();
        let worth = |edge: &Edge| {
            let (found, visits) = match edge.child.map(|child| &self.nodes[child as usize]) {
                Some(child) if child.visits > 0 => ((sign * child.utility) as f32, child.visits as f32),
                _ => (0.0, 0.0),
            };
            // A thread that is still below counts as a loss, so that the next one looks elsewhere.
            let pending = edge.pending as f32;
            let value = if visits + pending > 0.0 { (found - pending) / (visits + pending) } else { untried };
            value + scale * edge.prior / (1.0 + visits + pending)
        };
        (0..node.edges.len()).max_by(|&a, &b| worth(&node.edges[a]).total_cmp(&worth(&node.edges[b])))
    }

    fn add(&mut self, path: &[(usize, usize)], leaf: usize, worth: Worth) {
        self.visits += 1;
        for id in path.iter().map(|(node, _)| *node).chain([leaf]) {
            let node = &mut self.nodes[id];
            node.visits += 1;
            node.win += worth.win;
            node.score += worth.score;
            node.utility += worth.utility;
        }
        for &(node, edge) in path {
            self.nodes[node].edges[edge].pending -= 1;
        }
    }

    /// Visits of the first two moves of the root, and whether the most visited is also the best.
    fn lead(&self) -> (u64, bool) {
        let sums = |edge: &Edge| edge.child.map(|child| &self.nodes[child as usize]).filter(|node| node.visits > 0);
        let mut visits: Vec<&Node> = self.nodes[0].edges.iter().filter_map(sums).collect();
        visits.sort_by_key(|node| std::cmp::Reverse(node.visits));
        match visits[..] {
            [] => (0, false),
            [only] => (u64::from(only.visits), true),
            [first, second, ..] => (u64::from(first.visits - second.visits), first.visits > 2 * second.visits),
        }
    }
}

struct Shared<'a> {
    request: &'a Request<'a>,
    tree: Mutex<Tree>,
    done: AtomicBool,
    begun: Stopwatch,
    /// Visits that were begun.
    begun_visits: AtomicU64,
    /// What superko forbids to bring back.
    history: Vec<u64>,
    root: Recent,
}

/// The last boards and moves on the way to a position.
#[derive(Clone)]
struct Recent {
    /// The present board, the one before it, and the one before that.
    boards: [Box<Board>; 3],
    known: usize,
    /// The latest first.
    last: Vec<(Colour, Point)>,
}

impl Recent {
    fn of(game: &GoGame) -> Recent {
        let told = input::Recent::of(game);
        let situation = told.situation(game);
        let [before, earlier] = situation.before.map(|board| Box::new(board.unwrap_or(game.board()).clone()));
        Recent {
            boards: [Box::new(game.board().clone()), before, earlier],
            known: situation.before.iter().flatten().count(),
            last: situation.last.to_vec(),
        }
    }

    fn play(&mut self, p: Point) {
        self.boards.rotate_right(1);
        let (now, before) = self.boards.split_at_mut(1);
        now[0].copy_from(&before[0]);
        self.last.insert(0, (now[0].to_move(), p));
        self.last.truncate(5);
        now[0].play(p);
        self.known = (self.known + 1).min(2);
    }

    fn copy_from(&mut self, other: &Recent) {
        for (own, other) in self.boards.iter_mut().zip(&other.boards) {
            own.copy_from(other);
        }
        self.known = other.known;
        self.last.clone_from(&other.last);
    }

    fn board(&self) -> &Board {
        &self.boards[0]
    }

    fn passes(&self) -> usize {
        self.last.iter().take_while(|(_, p)| p.is_pass()).count()
    }
}

/// Searches a position until its limits are reached, the choice is clear or it is stopped; at least one position is judged.
pub fn search(request: &Request<'_>, control: Control<'_, Report>) -> Report {
    let game = request.game;
    let area = game.geometry().area();
    let tree =
        Tree { nodes: vec![Node::default()], bytes: NODE_BYTES, visits: 0, ownership: vec![0.0; area], judged: 0 };
    let shared = Shared {
        request,
        tree: Mutex::new(tree),
        done: AtomicBool::new(false),
        begun: Stopwatch::start(request.limits.clock),
        begun_visits: AtomicU64::new(1),
        history: game.superko_hashes(),
        root: Recent::of(game),
    };
    let mut leader = Worker::new(&shared, 0);
    leader.visit();
    std::thread::scope(|scope| {
        for number in 1..request.config.threads {
            let (shared, stop) = (&shared, control.stop_flag());
            scope.spawn(move || {
                let mut worker = Worker::new(shared, number);
                while !shared.done.load(Relaxed) && !stop.load(Relaxed) && shared.begin() {
                    worker.visit();
                }
            });
        }
        let mut told = Instant::now();
        while !control.stopped() && !shared.is_over() && shared.begin() {
            leader.visit();
            if told.elapsed() >= NEWS_EVERY {
                told = Instant::now();
                control.tell(&shared.report(false));
            }
        }
        shared.done.store(true, Relaxed);
    });
    shared.report(!control.stopped())
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there may be another visit.
    fn begin(&self) -> bool {
        let limit = self.request.limits.nodes.unwrap_or(u64::MAX);
        self.begun_visits.fetch_add(1, Relaxed) < limit
    }

    fn is_over(&self) -> bool {
        let request = self.request;
        let elapsed = self.begun.elapsed();
        let tree = self.lock();
        if request.limits.time.is_some_and(|budget| elapsed >= budget.hard)
            || request.limits.nodes.is_some_and(|nodes| tree.visits >= nodes)
            || tree.bytes > tree_bytes(request.config)
        {
            return true;
        }
        if !request.choose {
            return false;
        }
        let (lead, settled) = tree.lead();
        if settled && request.limits.time.is_some_and(|budget| elapsed >= budget.soft) {
            return true;
        }
        let left = request.limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(tree.visits)).min(
            request.limits.time.map_or(u64::MAX, |budget| {
                let rate = tree.visits as f64 / elapsed.as_secs_f64().max(1e-3);
                (rate * budget.hard.saturating_sub(elapsed).as_secs_f64()) as u64
            }),
        );
        request.config.early_stop && tree.visits >= LEAST_VISITS && lead > left
    }

    fn superko_hash(&self, board: &Board) -> u64 {
        match self.request.game.rules().superko {
            Superko::Situational => board.situation_hash(),
            Superko::Positional | Superko::None => board.stones_hash(),
        }
    }

    fn repeats(&self, board: &Board, p: Point, path: &[u64]) -> bool {
        let me = board.to_move();
        let after = match self.request.game.rules().superko {
            Superko::None => return false,
            Superko::Positional => board.stones_hash_after(p, me),
            Superko::Situational => board.stones_hash_after(p, me) ^ zobrist::side(!me),
        };
        self.history.contains(&after) || path.contains(&after)
    }

    fn report(&self, complete: bool) -> Report {
        let tree = self.lock();
        let game = self.request.game;
        let (geometry, me) = (game.geometry(), game.to_move());
        let for_me = |black: f64| if me == Colour::Black { black } else { -black };
        let root = &tree.nodes[0];
        let mut moves: Vec<MoveReport> = root
            .edges
            .iter()
            .map(|edge| {
                let child = edge.child.map(|child| &tree.nodes[child as usize]).filter(|child| child.visits > 0);
                let of = child.unwrap_or(root);
                let visits = f64::from(of.visits.max(1));
                let win = of.win / visits;
                MoveReport {
                    point: edge.point,
                    visits: child.map_or(0, |child| child.visits.into()),
                    win_rate: if me == Colour::Black { win } else { 1.0 - win },
                    score: for_me(of.score / visits),
                    prior: edge.prior.into(),
                    line: line(&tree, edge),
                }
            })
            .collect();
        moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.prior.total_cmp(&a.prior)).then(a.point.cmp(&b.point)));
        let judged = f64::from(tree.judged.max(1));
        let black_wins = root.win / f64::from(root.visits.max(1));
        let number = |p| input::number(game.board(), p);
        let tally = Tally::from_ownership(geometry, |p| (tree.ownership[number(p)] / judged) as f32, black_wins as f32);
        Report {
            to_move: me,
            choice: Choice::Play(moves.first().map_or(Point::PASS, |best| best.point)),
            moves,
            playouts: tree.visits,
            elapsed: self.begun.elapsed(),
            complete,
            tally,
            memory: (tree.bytes as f64 / tree_bytes(self.request.config) as f64).min(1.0),
        }
    }
}

/// What a node takes without its moves at most: for a moment the old list of nodes and one of twice its size are there.
const NODE_BYTES: usize = 3 * size_of::<Node>();

/// The part of the memory that is left for the tree.
fn tree_bytes(config: &Config) -> usize {
    (config.memory_mb << 20) - cache_bytes(config)
}

/// The part of the memory in which is kept what the network has said.
pub fn cache_bytes(config: &Config) -> usize {
    const MOST: usize = 64 << 20;
    ((config.memory_mb << 20) / 4).min(MOST)
}

/// The most visited moves from here on.
fn line(tree: &Tree, edge: &Edge) -> Vec<Point> {
    let mut line = vec![edge.point];
    let mut at = edge.child;
    while let Some(node) = at.map(|id| &tree.nodes[id as usize])
        && line.len() < LINE
    {
        let visits = |edge: &&Edge| edge.child.map_or(0, |child| tree.nodes[child as usize].visits);
        let Some(best) = node.edges.iter().max_by_key(visits).filter(|best| visits(best) > 0) else { break };
        line.push(best.point);
        at = best.child;
    }
    line
}

/// One thread.
struct Worker<'s, 'a> {
    shared: &'s Shared<'a>,
    recent: Recent,
    path: Vec<(usize, usize)>,
    hashes: Vec<u64>,
    ladders: Ladders,
    room: Workspace,
    /// What plays games to their ends, if that is wanted.
    playouts: Option<Playouts>,
}

struct Playouts {
    board: Box<Board>,
    full: Box<Full>,
    rng: Rng,
    moves: Vec<Point>,
}

impl Playouts {
    /// Black's area minus white's at the end of a game from a position.
    fn play_on(&mut self, recent: &Recent, config: &Config) -> f32 {
        let Playouts { board, full, rng, moves } = self;
        let last = recent.last.first().map_or(Point::PASS, |(_, p)| *p);
        board.copy_from(recent.board());
        moves.clear();
        if config.full_policy {
            play_out(board, &mut **full, last, rng, moves);
        } else {
            play_out(board, &mut Uniform { eye: config.eye }, last, rng, moves);
        }
        area_at_end(board) as f32
    }
}

impl<'s, 'a> Worker<'s, 'a> {
    fn new(shared: &'s Shared<'a>, number: usize) -> Worker<'s, 'a> {
        let config = shared.request.config;
        Worker {
            playouts: (config.playout_share > 0.0).then(|| Playouts {
                board: Box::new(shared.root.board().clone()),
                full: Box::new(Full::new(config.weights, config.eye, config.pattern_table())),
                rng: Rng::new(config.seed.wrapping_add((number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))),
                moves: Vec::new(),
            }),
            shared,
            recent: shared.root.clone(),
            path: Vec::new(),
            hashes: Vec::new(),
            ladders: Ladders::default(),
            room: Workspace::default(),
        }
    }

    /// One way down the tree, and one more position in it.
    fn visit(&mut self) {
        let shared = self.shared;
        let leaf = self.descend();
        // A game that is over can be searched as if it were not.
        let over = self.recent.passes() >= 2 && !self.path.is_empty();
        let judgement = if over { None } else { Some(self.judge()) };
        let game = shared.request.game;
        let share = f64::from(shared.request.config.playout_share);
        let played = self.playouts.as_mut().filter(|_| !over).map(|playouts| {
            let ahead = game.head_start() + input::paid_for_moves(self.recent.board(), game.rules());
            f64::from(playouts.play_on(&self.recent, shared.request.config) - ahead)
        });
        let mut tree = shared.lock();
        let area = self.recent.board().geometry().area();
        let black = self.recent.board().to_move() == Colour::Black;
        let worth = match &judgement {
            None => {
                tree.nodes[leaf].over = true;
                let score = f64::from(self.count(&tree));
                Worth::new(chance(score), score, area)
            }
            Some(judged) => {
                if tree.nodes[leaf].edges.is_empty() {
                    tree.bytes += judged.moves.len() * size_of::<Edge>();
                    tree.nodes[leaf].edges = judged
                        .moves
                        .iter()
                        .map(|&(point, prior)| Edge { point, prior, child: None, pending: 0 })
                        .collect();
                }
                let sign = if black { 1.0 } else { -1.0 };
                for (sum, own) in tree.ownership.iter_mut().zip(&judged.ownership) {
                    *sum += f64::from(sign as f32 * own);
                }
                tree.judged += 1;
                let win = f64::from(judged.win);
                let (win, score) = (if black { win } else { 1.0 - win }, sign * f64::from(judged.score));
                match played {
                    None => Worth::new(win, score, area),
                    Some(played) => {
                        let mix = |net: f64, played: f64| (1.0 - share) * net + share * played;
                        Worth::new(mix(win, chance(played)), mix(score, played), area)
                    }
                }
            }
        };
        tree.add(&self.path, leaf, worth);
    }

    /// Goes down to a position that has not been judged, which is played on the board then.
    fn descend(&mut self) -> usize {
        let shared = self.shared;
        self.recent.copy_from(&shared.root);
        self.path.clear();
        self.hashes.clear();
        let mut tree = shared.lock();
        let mut id = 0;
        while !tree.nodes[id].over
            && let Some(chosen) = tree.select(id, self.recent.board().to_move(), shared.request.config.exploration)
        {
            let edge = &mut tree.nodes[id].edges[chosen];
            edge.pending += 1;
            let (point, child) = (edge.point, edge.child);
            self.path.push((id, chosen));
            self.recent.play(point);
            self.hashes.push(shared.superko_hash(self.recent.board()));
            id = child.map_or_else(
                || {
                    tree.nodes.push(Node::default());
                    tree.bytes += NODE_BYTES;
                    let new = tree.nodes.len() - 1;
                    tree.nodes[id].edges[chosen].child = Some(new as u32);
                    new
                },
                |child| child as usize,
            );
        }
        id
    }

    /// What the network says of the present position, and its moves.
    fn judge(&mut self) -> Judgement {
        let shared = self.shared;
        let request = shared.request;
        let rules: Rules = request.game.rules();
        let board = self.recent.board();
        let me = board.to_move();
        let playable = |p: &Point| {
            board.is_playable(*p, me)
                || (rules.suicide && board.check(*p, true).is_ok() && !input::is_lone_suicide(board, *p))
        };
        let (mut legal, mut forbidden) = (Vec::new(), Vec::new());
        for p in board.empties().iter().copied().filter(playable) {
            let list = if shared.repeats(board, p, &self.hashes) { &mut forbidden } else { &mut legal };
            list.push(p);
        }
        legal.push(Point::PASS);
        legal.sort();
        let situation = Situation {
            board,
            before: [0, 1].map(|age| (self.recent.known > age).then(|| &*self.recent.boards[age + 1])),
            last: &self.recent.last,
            rules,
            head_start: request.game.head_start(),
            forbidden: &forbidden,
        };
        let key = situation.key();
        let output = request.cache.get(key).unwrap_or_else(|| {
            let input = Input::new(&situation, &mut self.ladders);
            let output = request.net.evaluate(std::slice::from_ref(&input), &mut self.room).remove(0);
            request.cache.put(key, output)
        });
        let depth = self.path.len();
        legal.retain(|&p| restriction::allow(request.restrictions, me, depth, p));
        Judgement {
            moves: shares(board, &output, &legal),
            win: output.win + 0.5 * output.no_result,
            score: output.lead,
            ownership: output.ownership.clone(),
        }
    }

    /// Black's lead when both have passed, dead stones taken off where the rules do so.
    fn count(&self, tree: &Tree) -> f32 {
        let game = self.shared.request.game;
        let board = self.recent.board();
        let dead = if game.rules().agreement {
            let judged = f64::from(tree.judged.max(1));
            let number = |p| input::number(board, p);
            let tally = Tally::from_ownership(board.geometry(), |p| (tree.ownership[number(p)] / judged) as f32, 0.5);
            status::dead_chains(board, &tally)
        } else {
            Vec::new()
        };
        score::area(board, &dead).difference() as f32 - game.head_start() - input::paid_for_moves(board, game.rules())
    }
}

/// Whether a score wins for black: 1, 0 or a half.
fn chance(score: f64) -> f64 {
    0.5 + 0.5 * if score == 0.0 { 0.0 } else { score.signum() }
}

/// The share of the policy that each of these moves has.
pub fn shares(board: &Board, output: &Output, moves: &[Point]) -> Vec<(Point, f32)> {
    let area = board.geometry().area();
    let logit = |&p: &Point| output.policy[if p.is_pass() { area } else { input::number(board, p) }];
    let most = moves.iter().map(logit).fold(f32::MIN, f32::max);
    let powers: Vec<f32> = moves.iter().map(|p| (logit(p) - most).exp()).collect();
    let sum: f32 = powers.iter().sum();
    moves.iter().zip(powers).map(|(&p, power)| (p, power / sum)).collect()
}
