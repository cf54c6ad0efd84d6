//! Pictures of what the playouts say about the points of the board.

use crate::{
    base::Rng,
    go::{
        Config, GoGame, Point, Report,
        notation::Vertex,
        pattern::PatternTable,
        playout::{Uniform, play_out},
        point::Geometry,
        policy::Full,
        surroundings::Cell,
    },
};

/// One word for every point, rows from the top.
fn rows(geometry: Geometry, word: impl Fn(Point) -> String) -> String {
    let words: Vec<String> = geometry.points_from_top().map(word).collect();
    words.chunks(geometry.size()).map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")
}

fn numbers(geometry: Geometry, number: impl Fn(Point) -> f32) -> String {
    rows(geometry, |p| format!("{:.2}", number(p) + 0.0))
}

/// A label for the moves that were looked at.
fn labels(report: &Report, label: impl Fn(&crate::go::MoveReport) -> String) -> String {
    rows(report.geometry(), |p| {
        let found = report.moves.iter().find(|m| m.point == p && m.visits > 0);
        found.map_or("\"\"".into(), &label)
    })
}

/// From 1, surely black's at the end, to -1, surely white's.
pub fn ownership(report: &Report) -> String {
    numbers(report.geometry(), |p| report.tally.ownership(p))
}

/// How much holding a point goes with winning, from 0 to 0.5.
pub fn criticality(report: &Report) -> String {
    numbers(report.geometry(), |p| report.tally.criticality(p).max(0.0))
}

pub fn visits(report: &Report) -> String {
    labels(report, |m| m.visits.to_string())
}

/// In per cent, for the side to move.
pub fn win_rates(report: &Report) -> String {
    labels(report, |m| format!("{:.0}", m.win_rate * 100.0))
}

/// The weight of the 3x3 pattern at each empty point, for the side to move.
pub fn patterns(game: &GoGame) -> String {
    let (board, table) = (game.board(), PatternTable::standard());
    rows(game.geometry(), |p| match table.weight(board.surroundings(p), game.to_move()) {
        weight if board.cell(p) == Cell::Empty && weight > 0.0 => weight.to_string(),
        _ => "\"\"".into(),
    })
}

/// The moves of one playout, up to its first pass.
pub fn playout(game: &GoGame, config: &Config, seed: u64) -> String {
    let mut board = game.board().clone();
    let (mut moves, mut rng) = (Vec::new(), Rng::new(seed));
    if config.full_policy {
        play_out(&mut board, &mut Full::new(config.weights, config.eye), game.last_move(), &mut rng, &mut moves);
    } else {
        play_out(&mut board, &mut Uniform { eye: config.eye }, game.last_move(), &mut rng, &mut moves);
    }
    let names = moves.iter().take_while(|p| !p.is_pass()).map(|&p| Vertex(game.geometry(), p).to_string());
    names.collect::<Vec<_>>().join(" ")
}
