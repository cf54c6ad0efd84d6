//! What the playouts say about the points of the board, as numbers.

use crate::{
    base::{Cell as Shown, Colour, PerPoint, Rng, Table},
    go::{
        Config, GoGame, MoveReport, Point, Report,
        net::{Output, input::number},
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

/// How much holding a point goes with winning, from 0 to 1.
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
pub fn patterns(game: &GoGame, table: &PatternTable) -> PerPoint {
    let board = game.board();
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
        play_out(
            &mut board,
            &mut Full::new(config.weights, config.eye, config.pattern_table()),
            game.last_move(),
            &mut rng,
            &mut moves,
        );
    } else {
        play_out(&mut board, &mut Uniform { eye: config.eye }, game.last_move(), &mut rng, &mut moves);
    }
    moves.iter().take_while(|p| !p.is_pass()).map(|&p| Vertex(game.geometry(), p).to_string()).collect()
}

/// The hash that tells repetitions, and the point that may not be retaken.
pub fn position_hash(game: &GoGame) -> Table {
    let board = game.board();
    let ko = board.ko().map(|p| Vertex(game.geometry(), p).to_string());
    Table {
        columns: vec!["hash", "ko"],
        rows: vec![vec![
            Shown::Text(format!("{:016x}", board.hash())),
            Shown::Text(ko.unwrap_or_else(|| "none".into())),
        ]],
        ..Table::default()
    }
}

/// What a network says for the side to move.
pub fn net_value(asked: &Output) -> Table {
    let Output { win, loss, no_result, score, deviation, lead, .. } = *asked;
    Table {
        columns: vec!["win", "loss", "no_result", "score", "deviation", "lead"],
        rows: vec![
            [(win, 5), (loss, 5), (no_result, 5), (score, 4), (deviation, 4), (lead, 4)]
                .map(|(value, decimals)| Shown::Real(value.into(), decimals))
                .to_vec(),
        ],
        ..Table::default()
    }
}

/// The share of the policy that each legal move has, in per cent.
pub fn net_policy(game: &GoGame, asked: &Output) -> PerPoint {
    let legal = game.legal_points();
    let pass = asked.policy[game.geometry().area()];
    let logit = |p: Point| asked.policy[number(game.board(), p)];
    let most = legal.iter().map(|&p| logit(p)).fold(pass, f32::max);
    let sum: f32 = legal.iter().map(|&p| (logit(p) - most).exp()).sum::<f32>() + (pass - most).exp();
    per_point(game.geometry(), 3, |p| legal.contains(&p).then(|| 100.0 * (logit(p) - most).exp() / sum))
}

/// From 1, surely black's at the end, to -1, surely white's.
pub fn net_ownership(game: &GoGame, asked: &Output) -> PerPoint {
    let sign = if game.to_move() == Colour::Black { 1.0 } else { -1.0 };
    per_point(game.geometry(), 4, |p| Some(sign * asked.ownership[number(game.board(), p)]))
}
