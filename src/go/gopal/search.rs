//! The player `gopal`: candidates from the rules, a few from tactics where the rules name too few, and B* among them.

use super::follow::Follower;
use super::forest::{Candidate, Forest};
use super::intents::Intents;
use super::library::Library;
use super::matcher::Matcher;
use crate::base::{Control, Limits, Stopwatch};
use crate::go::board::Board;
use crate::go::bstar::{self, Bounds, Domain, Outcome, Search};
use crate::go::config::Config;
use crate::go::eye::EyeRule;
use crate::go::game::GoGame;
use crate::go::mcts::Hinter;
use crate::go::pattern::PatternTable;
use crate::go::point::Point;
use crate::go::potential::Evaluator;
use crate::go::prior::{self, Traits};
use crate::go::report::{Choice, MoveReport, Report};
use crate::go::surroundings::Cell;
use crate::go::tally::Tally;
use crate::gopal::ast::Phase;
use std::sync::Arc;
use std::time::Duration;

/// Moves looked at from the root, and from every other position.
const AT_ROOT: usize = 16;
const BELOW: usize = 8;
/// Where fewer are named, simple tactics fill up to so many.
const ENOUGH: usize = 6;
/// Large empty areas that are offered.
const AREAS: usize = 4;
/// Points a weight of 100 is worth.
const WEIGHT_OF_100: f32 = 5.0;
/// Points that move the chance to win from one half to about three quarters.
const SCALE: f64 = 15.0;
/// Positions a search keeps at most: each is a board.
const MOST_NODES: u64 = 150_000;
/// News from a search.
const NEWS_EVERY: Duration = Duration::from_millis(200);

/// A position of the search.
pub struct Position {
    board: Box<Board>,
    forest: Forest,
    intents: Intents,
    last: Point,
    passes: usize,
    move_number: usize,
}

/// The game of candidates.
struct Candidates<'a> {
    follower: &'a mut Follower,
    game: &'a GoGame,
    evaluator: Evaluator,
}

impl Domain for Candidates<'_> {
    type Move = Point;
    type State = Position;

    fn expand(&mut self, state: &Position) -> Vec<(Point, Position, Bounds)> {
        if state.passes >= 2 {
            return vec![];
        }
        let at_root = state.move_number == self.game.plays().len() + 1;
        let forest = self.follower.ahead(&state.forest, &state.board, state.move_number);
        let chosen = self.choose(state, &forest, if at_root { AT_ROOT } else { BELOW }, at_root);
        let mover = state.board.to_move();
        let mut children = Vec::with_capacity(chosen.len());
        for (point, weight) in chosen {
            let mut board = state.board.clone();
            board.play(point);
            let (lower, upper) = self.evaluator.bounds(&board, mover, self.game.head_start());
            let bonus = weight as f32 / 100.0 * WEIGHT_OF_100;
            let bounds = Bounds::new(lower + bonus, upper + bonus);
            let mut next = forest.clone();
            let mut intents = state.intents.clone();
            if self.follower.bonus() != 0 {
                intents.record(mover, forest.intent_of(&state.board, state.move_number, point));
            }
            next.advance(board.geometry(), mover, point);
            let passes = if point.is_pass() { state.passes + 1 } else { 0 };
            let move_number = state.move_number + 1;
            children.push((point, Position { board, forest: next, intents, last: point, passes, move_number }, bounds));
        }
        children
    }
}

impl Candidates<'_> {
    /// The moves to look at, each with its weight.
    fn choose(&self, state: &Position, forest: &Forest, most: usize, at_root: bool) -> Vec<(Point, i64)> {
        let board = &state.board;
        let me = board.to_move();
        let allowed = |p: Point| {
            board.check(p, false).is_ok()
                && !EyeRule::Strict.is_eye(board, p, me)
                && (!at_root || self.game.check(me, p).is_ok())
        };
        let mut chosen: Vec<(Point, i64)> = Vec::new();
        let add = |chosen: &mut Vec<(Point, i64)>, p: Point, weight: i64| {
            if chosen.len() < most && allowed(p) && chosen.iter().all(|&(q, _)| q != p) {
                chosen.push((p, weight));
            }
        };
        let mut candidates = forest.candidates(board, state.move_number);
        state.intents.prefer(me, self.follower.bonus(), &mut candidates);
        for candidate in candidates {
            if chosen.len() >= most * 2 / 3 {
                break;
            }
            add(&mut chosen, candidate.point, candidate.weight.clamp(0, 100));
        }
        let mut sensible = prior::sensible_moves(board, state.last, &PatternTable::standard());
        sensible.sort_by(|a, b| b.1.bonus().total_cmp(&a.1.bonus()).then(a.0.cmp(&b.0)));
        for (p, _) in sensible.iter().filter(|(_, traits)| is_tactical(traits)) {
            add(&mut chosen, *p, 0);
        }
        for p in large_areas(board, &sensible) {
            add(&mut chosen, p, 0);
        }
        for (p, _) in sensible.iter().filter(|(_, traits)| !traits.self_atari) {
            if chosen.len() >= ENOUGH {
                break;
            }
            add(&mut chosen, *p, 0);
        }
        let ending = super::phase::phase(board) == Phase::Ending;
        if chosen.is_empty() || (ending && (state.passes > 0 || chosen.len() < ENOUGH)) {
            chosen.insert(0, (Point::PASS, 0));
        }
        chosen
    }
}

/// Something to win or lose at once.
fn is_tactical(traits: &Traits) -> bool {
    !traits.self_atari
        && !traits.runs_in_vain
        && (traits.captures > 0 || traits.saves > 0 || traits.catches > 0 || traits.vital)
}

/// Points on the third and fourth line that lie farthest from all stones.
fn large_areas(board: &Board, moves: &[(Point, Traits)]) -> Vec<Point> {
    let g = board.geometry();
    let stones: Vec<Point> = g.points().filter(|&p| board.cell(p) != Cell::Empty).collect();
    let mut areas: Vec<(usize, Point)> = moves
        .iter()
        .filter(|(_, traits)| traits.lonely && matches!(traits.line, 3 | 4))
        .map(|&(p, _)| (stones.iter().map(|&s| g.distance(p, s)).min().unwrap_or(g.size()), p))
        .collect();
    areas.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    // Far from each other too.
    let mut chosen: Vec<Point> = Vec::new();
    for (_, p) in areas {
        if chosen.len() < AREAS && chosen.iter().all(|&q| g.distance(p, q) > 4) {
            chosen.push(p);
        }
    }
    chosen
}

/// Looks for the best move of a position by B*. Comes back soon when stopped, with a legal move in any case.
pub fn search(
    game: &GoGame,
    config: &Config,
    follower: &mut Follower,
    limits: Limits,
    control: Control<'_, Report>,
) -> Report {
    let (outcome, _) = bounds(game, follower, limits, control);
    report(game, config, &outcome, !control.stopped())
}

/// The search itself, with the bounds of every move.
pub fn bounds(
    game: &GoGame,
    follower: &mut Follower,
    limits: Limits,
    control: Control<'_, Report>,
) -> (Outcome<Point>, Option<bstar::Strategy>) {
    let begun = Stopwatch::start(limits.clock);
    follower.follow(game);
    let root = Position {
        board: Box::new(game.board().clone()),
        forest: follower.forest().clone(),
        intents: follower.intents().clone(),
        last: game.last_move(),
        passes: game.passes() % 2,
        move_number: game.plays().len() + 1,
    };
    let evaluator = Evaluator::new(game.geometry());
    let mut search = Search::new(Candidates { follower, game, evaluator }, root);
    let most = limits.nodes.unwrap_or(MOST_NODES).min(MOST_NODES);
    let mut next_news = NEWS_EVERY;
    let mut news_due = false;
    loop {
        let end = search.run(|nodes| {
            let elapsed = begun.elapsed();
            news_due = elapsed >= next_news;
            news_due || nodes >= most || control.stopped() || limits.time.is_some_and(|budget| elapsed >= budget.soft)
        });
        let elapsed = begun.elapsed();
        let over =
            search.made() >= most || control.stopped() || limits.time.is_some_and(|budget| elapsed >= budget.soft);
        if end != bstar::End::Budget || over || !news_due {
            return (search.outcome(end, elapsed), search.strategy());
        }
        next_news = elapsed + NEWS_EVERY;
        control.tell(&report(game, &Config::default(), &search.outcome(end, elapsed), false));
    }
}

fn report(game: &GoGame, config: &Config, outcome: &Outcome<Point>, complete: bool) -> Report {
    let count = outcome.moves.len().max(1) as f64;
    let mut moves: Vec<MoveReport> = outcome
        .moves
        .iter()
        .map(|ranked| {
            let score = f64::from(ranked.bounds.lower + ranked.bounds.upper) / 2.0;
            MoveReport {
                point: ranked.play,
                visits: ranked.nodes,
                win_rate: 1.0 / (1.0 + (-score / SCALE).exp()),
                score,
                prior: 1.0 / count,
                line: ranked.line.clone(),
            }
        })
        .collect();
    shuffle_equals(&mut moves, outcome, config.seed);
    Report {
        choice: Choice::Play(moves.first().map_or(Point::PASS, |m| m.point)),
        moves,
        playouts: outcome.nodes,
        elapsed: outcome.elapsed,
        complete,
        tally: Tally::new(game.geometry()),
        memory: 0.0,
        to_move: game.to_move(),
    }
}

/// One of the moves with the best bounds is put first, by chance.
fn shuffle_equals(moves: &mut [MoveReport], outcome: &Outcome<Point>, seed: u64) {
    let Some(best) = outcome.moves.first() else { return };
    let equal = outcome.moves.iter().take_while(|m| m.bounds == best.bounds && !m.play.is_pass()).count();
    if equal > 1 {
        let chosen = crate::base::Rng::new(seed).below(equal);
        moves[..=chosen].rotate_right(1);
    }
}

/// What it takes to name candidates below the root of another search.
pub struct Below {
    library: Arc<Library>,
    root: Box<Board>,
    forest: Forest,
    intents: Intents,
    bonus: i64,
    move_number: usize,
    /// Prior games of the best candidate.
    games: f32,
}

impl Below {
    pub fn new(game: &GoGame, follower: &mut Follower, games: f32) -> Below {
        follower.follow(game);
        Below {
            library: follower.library().clone(),
            root: Box::new(game.board().clone()),
            forest: follower.forest().clone(),
            intents: follower.intents().clone(),
            bonus: follower.bonus(),
            move_number: follower.move_number(),
            games,
        }
    }

    /// For one thread: the prior games of moves after a line from the root.
    pub fn hinter(self: Arc<Self>) -> Hinter {
        let mut matcher = Matcher::new(self.library.clone(), self.root.geometry());
        Box::new(move |moves| self.hints(&mut matcher, moves))
    }

    fn hints(&self, matcher: &mut Matcher, moves: &[Point]) -> Vec<(Point, f32)> {
        let (mut board, mut forest, mut intents) = (self.root.clone(), self.forest.clone(), self.intents.clone());
        let mut number = self.move_number;
        for &p in moves {
            let mover = board.to_move();
            if self.bonus != 0 {
                intents.record(mover, forest.intent_of(&board, number, p));
            }
            forest.advance(board.geometry(), mover, p);
            board.play(p);
            number += 1;
            let matches = matcher.matches(&board, number);
            forest.grow(&self.library, &matches, &board, number);
        }
        let mut candidates = forest.candidates(&board, number);
        intents.prefer(board.to_move(), self.bonus, &mut candidates);
        shares(&candidates).into_iter().map(|(p, share)| (p, share * self.games)).collect()
    }
}

/// Each point with its share of the largest weight.
fn shares(candidates: &[Candidate]) -> Vec<(Point, f32)> {
    let largest = candidates.iter().map(|c| c.weight).max().unwrap_or(1).max(1);
    candidates.iter().map(|c| (c.point, c.weight.max(0) as f32 / largest as f32)).collect()
}

/// The candidates of the present position as prior games for the root of another search: a point and its share of
/// the largest weight.
pub fn hints(game: &GoGame, follower: &mut Follower) -> Vec<(Point, f32)> {
    follower.follow(game);
    shares(&follower.candidates())
}
