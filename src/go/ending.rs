//! The end of a game: which chains are dead, when to pass, when to give up.

use super::config::Config;
use super::game::GoGame;
use super::point::Point;
use super::report::{Choice, Report};
use super::rules::Scoring;
use super::score;
pub use super::status::{Status, dead_chains, status};
use super::status::{USELESS, all_settled};
use super::surroundings::Cell;
use super::tactics;
use super::tally::Tally;
use crate::base::Colour;

/// A pass is as good as a move if it costs no more than this chance to win.
const PASS_COSTS: f64 = 0.03;
/// Playouts without which nothing is believed, and passes among them.
const ENOUGH: u32 = 300;
const LEAST_PASSES: u64 = 20;

/// Black's lead if the game ended now, the dead taken off where the rules do so.
pub fn score_now(game: &GoGame, tally: &Tally) -> f32 {
    let dead = if game.rules().agreement { dead_chains(game.board(), tally) } else { Vec::new() };
    score::final_score(game, &dead)
}

/// What to do after a search: its best move, or pass, or give up.
pub fn choose(game: &GoGame, config: &Config, report: &Report) -> Choice {
    let Some(best) = report.moves.first() else { return Choice::Play(Point::PASS) };
    let sure = report.tally.playouts() >= ENOUGH;
    if sure && passing_is_right(game, config, report, best.point) {
        return Choice::Play(Point::PASS);
    }
    let long_enough = game.plays().len() >= game.geometry().area() / 4;
    if sure && long_enough && best.win_rate < f64::from(config.resign_below) {
        return Choice::Resign;
    }
    if sure && config.clean_up && useless(report, best.point) {
        return Choice::Play(capturing_move(game, report).unwrap_or(best.point));
    }
    if best.point.is_pass() {
        return Choice::Play(instead_of_pass(game, config, report));
    }
    Choice::Play(best.point)
}

fn passing_is_right(game: &GoGame, config: &Config, report: &Report, best: Point) -> bool {
    let (board, tally) = (game.board(), &report.tally);
    if !all_settled(board, tally) {
        return false;
    }
    let me = game.to_move();
    let mut dead = dead_chains(board, tally);
    if config.clean_up && dead.iter().any(|&p| board.cell(p) == Cell::from(!me)) {
        return false;
    }
    if !game.rules().agreement {
        dead.clear();
    }
    let lead = score::final_score(game, &dead) * if me == Colour::Black { 1.0 } else { -1.0 };
    // The game ends now; otherwise the enemy gets another move, and the search must have seen what it does with it.
    let ends = game.passes() > 0;
    let safe = ends || pass_is_harmless(report);
    match game.rules().scoring {
        // A move into settled ground costs nothing, but the game may end here if it is won.
        Scoring::Area => lead > 0.0 && (ends || (useless(report, best) && safe)),
        // It costs a point: pass whoever is ahead, unless a win needs the enemy's dead to be taken first.
        Scoring::Territory => useless(report, best) && safe && (lead > 0.0 || !config.clean_up),
    }
}

/// The search has tried the pass and lost nothing by it.
fn pass_is_harmless(report: &Report) -> bool {
    let best = report.moves.first().map_or(0.0, |m| m.win_rate);
    let pass = report.moves.iter().find(|m| m.point.is_pass());
    pass.is_some_and(|pass| pass.visits >= LEAST_PASSES && pass.win_rate >= best - PASS_COSTS)
}

/// Playing there changes nothing.
fn useless(report: &Report, p: Point) -> bool {
    p.is_pass() || report.tally.ownership(p).abs() >= USELESS
}

/// The best move that takes a liberty from a dead chain of the enemy and does not harm.
fn capturing_move(game: &GoGame, report: &Report) -> Option<Point> {
    let (board, me) = (game.board(), game.to_move());
    let dead = dead_chains(board, &report.tally);
    let beside_dead = |p: Point| {
        let beside = board.geometry().beside(p);
        beside.iter().any(|&n| board.cell(n) == Cell::from(!me) && dead.contains(&board.head(n)))
    };
    let best = report.moves.first()?;
    let harmless = |p: Point| !tactics::is_self_atari(board, p, me);
    let candidates = report.moves.iter().filter(|m| !m.point.is_pass() && m.visits > 0 && beside_dead(m.point));
    candidates.filter(|m| harmless(m.point) && m.win_rate > best.win_rate - 0.1).map(|m| m.point).next()
}

/// The search would pass, but the game would be lost by that: the best other move, if there is one worth trying.
fn instead_of_pass(game: &GoGame, config: &Config, report: &Report) -> Point {
    let lost_anyway = !config.clean_up && all_settled(game.board(), &report.tally);
    let other = report.moves.iter().find(|m| !m.point.is_pass() && m.visits > 0);
    match other {
        Some(other) if !lost_anyway && score_for_mover(game, &report.tally) <= 0.0 => other.point,
        Some(other) if config.clean_up => other.point,
        _ => Point::PASS,
    }
}

fn score_for_mover(game: &GoGame, tally: &Tally) -> f32 {
    let score = score_now(game, tally);
    if game.to_move() == Colour::Black { score } else { -score }
}
