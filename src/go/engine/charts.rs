//! What the playouts say about the points of the board, as numbers.

use crate::{
    base::{PerPoint, Rng},
    go::{
        Config, GoGame, MoveReport, Point, Report,
        notation::Vertex,
        pattern::PatternTable,
        playout::{Uniform, play_out},
        point::Geometry,
        policy::Full,
        surroundings::Cell,
    },
};

fn per_point(geometry: Geometry, decimals: u8, value: impl Fn(Point) -> Option<f32>) -> PerPoint {
    PerPoint { width: geometry.size(), values: geometry.points_from_top().map(value).collect(), decimals }
}

/// A number for the moves that were looked at.
fn of_moves(report: &Report, decimals: u8, value: impl Fn(&MoveReport) -> f32) -> PerPoint {
    per_point(report.geometry(), decimals, |p| report.moves.iter().find(|m| m.point == p && m.visits > 0).map(&value))
}

/// From 1, surely black's at the end, to -1, surely white's.
pub fn ownership(report: &Report) -> PerPoint {
    per_point(report.geometry(), 2, |p| Some(report.tally.ownership(p)))
}

/// How much holding a point goes with winning, from 0 to 0.5.
pub fn criticality(report: &Report) -> PerPoint {
    per_point(report.geometry(), 2, |p| Some(report.tally.criticality(p).max(0.0)))
}

pub fn visits(report: &Report) -> PerPoint {
    of_moves(report, 0, |m| m.visits as f32)
}

/// In per cent, for the side to move.
pub fn win_rates(report: &Report) -> PerPoint {
    of_moves(report, 0, |m| m.win_rate as f32 * 100.0)
}

/// The weight of the 3x3 pattern at each empty point, for the side to move.
pub fn patterns(game: &GoGame) -> PerPoint {
    let (board, table) = (game.board(), PatternTable::standard());
    per_point(game.geometry(), 0, |p| match table.weight(board.surroundings(p), game.to_move()) {
        weight if board.cell(p) == Cell::Empty && weight > 0.0 => Some(weight),
        _ => None,
    })
}

/// The moves of one playout, up to its first pass.
pub fn playout(game: &GoGame, config: &Config, seed: u64) -> Vec<String> {
    let mut board = game.board().clone();
    let (mut moves, mut rng) = (Vec::new(), Rng::new(seed));
    if config.full_policy {
        play_out(&mut board, &mut Full::new(config.weights, config.eye), game.last_move(), &mut rng, &mut moves);
    } else {
        play_out(&mut board, &mut Uniform { eye: config.eye }, game.last_move(), &mut rng, &mut moves);
    }
    moves.iter().take_while(|p| !p.is_pass()).map(|&p| Vertex(game.geometry(), p).to_string()).collect()
}
