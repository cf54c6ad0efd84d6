//! Made-up books of any size, for tests and measurements: real positions from the start, values from a seed.

use super::{
    entry::{Entry, Leaf, Level, Source, in_discs},
    graph,
};
use crate::{
    base::Rng,
    othello::{Board, Square},
};

/// The first `count` canonical positions from the start, ply by ply (those after passes included).
pub fn positions(count: usize) -> Vec<Board> {
    let mut all = vec![Board::START.canonical().0];
    let mut row = all.clone();
    while all.len() < count && !row.is_empty() {
        let mut next: Vec<Board> = Vec::new();
        for &board in &row {
            next.extend(
                board.moves().into_iter().filter_map(|s| graph::after(board, s)).map(|c| c.board.canonical().0),
            );
        }
        next.sort_unstable();
        next.dedup();
        next.truncate(count - all.len());
        all.extend(&next);
        row = next;
    }
    all.truncate(count);
    all
}

/// `count` entries over [`positions`], with values, levels and leaves drawn from `seed`.
pub fn entries(count: usize, seed: u64) -> Vec<Entry> {
    let mut rng = Rng::new(seed);
    positions(count).into_iter().map(|board| entry(board, &mut rng)).collect()
}

/// An entry with a made-up value, level and leaf.
pub fn entry(board: Board, rng: &mut Rng) -> Entry {
    let level = Level::from_search(1 + rng.below(60) as u8);
    let value = |rng: &mut Rng| in_discs((rng.normal() * 6.0).round() as i32);
    let moves: Vec<Square> = board.moves().into_iter().collect();
    let leaf = match rng.pick(&moves) {
        Some(&square) if rng.below(4) > 0 => Some(Leaf { value: value(rng), square, level }),
        _ => None,
    };
    let lines = 1 + rng.below(1000) as u32;
    let mut entry = Entry::new(board, i32::from(value(rng)), level, Source::Search);
    (entry.leaf, entry.lines) = (leaf, lines);
    entry
}

/// A book of positions from random games, gaps and passes and finished games included: for trying out maintenance.
#[cfg(test)]
pub fn scattered(count: usize, seed: u64) -> Vec<Entry> {
    let mut rng = Rng::new(seed);
    let mut boards = std::collections::BTreeSet::new();
    let mut games = 0;
    while boards.len() < count && games < 40 * count {
        games += 1;
        let mut board = Board::START;
        let stop = 5 + rng.below(60) as u32;
        while super::entry::ply(board) < stop {
            if rng.below(10) > 0 {
                boards.insert(graph::key(board));
            }
            let moves: Vec<Square> = board.moves().into_iter().collect();
            let Some(next) = rng.pick(&moves).and_then(|&s| graph::after(board, s)) else { break };
            board = next.board;
        }
    }
    boards.into_iter().take(count).map(|board| entry(board, &mut rng)).collect()
}
