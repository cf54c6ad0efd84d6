//! What a search found out, as data: whoever shows it decides how.

use super::point::{Geometry, Point};
use super::tally::Tally;
use super::tree::{Entry, Id, Tree};
use crate::base::Colour;
use std::time::Duration;

/// What a player does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// A point or the pass.
    Play(Point),
    /// Give up.
    Resign,
}

/// What is known about one move of the position.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub point: Point,
    /// Playouts that began with it.
    pub visits: u64,
    /// Chance to win, from 0 to 1, for the side to move.
    pub win_rate: f64,
    /// Expected lead in points, for the side to move.
    pub score: f64,
    /// Chance given to it before any playout, from 0 to 1.
    pub prior: f64,
    /// The most visited moves from here on, this one first.
    pub line: Vec<Point>,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Report {
    /// The side it searched for.
    pub to_move: Colour,
    /// What it would play.
    pub choice: Choice,
    /// Most visited first.
    pub moves: Vec<MoveReport>,
    /// Playouts made.
    pub playouts: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// The work asked for was done: neither stopped nor still running.
    pub complete: bool,
    /// Who owned which point at the end of the playouts.
    pub tally: Tally,
    /// How much of the tree's memory is used, from 0 to 1.
    pub memory: f64,
}

impl Report {
    /// Size and coordinates.
    pub fn geometry(&self) -> Geometry {
        self.tally.geometry()
    }

    /// How fast the search was.
    pub fn playouts_per_second(&self) -> f64 {
        self.playouts as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }
}

/// Moves shown in a line at most.
const LINE: usize = 16;

/// The moves of the root, most visited first.
pub fn moves(tree: &Tree) -> Vec<MoveReport> {
    let Some((first, children)) = tree.children(Tree::ROOT) else { return Vec::new() };
    let mut moves: Vec<MoveReport> =
        playable(children).map(|i| one(tree, first + i as Id, &children[i].stats())).collect();
    let count = moves.len() as f64;
    let total: f64 = moves.iter().map(|m| m.prior).sum();
    for m in &mut moves {
        m.prior = if total > 0.0 { m.prior / total } else { 1.0 / count };
    }
    moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.win_rate.total_cmp(&a.win_rate)).then(a.point.cmp(&b.point)));
    moves
}

fn playable(children: &[Entry]) -> impl Iterator<Item = usize> + '_ {
    (0..children.len()).filter(|&i| !children[i].is_barred())
}

fn one(tree: &Tree, id: Id, stats: &super::tree::Stats) -> MoveReport {
    let visits = f64::from(stats.visits.max(1));
    let prior = if stats.prior_visits > 0.0 { stats.prior_value / stats.prior_visits } else { stats.prior_value };
    MoveReport {
        point: stats.point,
        visits: u64::from(stats.visits),
        win_rate: if stats.visits > 0 { (stats.value / visits).clamp(0.0, 1.0) } else { 0.5 },
        score: stats.score / visits,
        prior: f64::from(prior),
        line: line(tree, id),
    }
}

/// The most visited moves from an entry on, its own move first.
fn line(tree: &Tree, id: Id) -> Vec<Point> {
    let mut line = vec![tree.entry(id).point()];
    let mut at = id;
    while line.len() < LINE
        && let Some((first, children)) = tree.children(at)
        && let Some(best) = playable(children).max_by_key(|&i| children[i].visits())
        && children[best].visits() > 0
    {
        line.push(children[best].point());
        at = first + best as Id;
    }
    line
}
