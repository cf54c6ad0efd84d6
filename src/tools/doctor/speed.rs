//! A second of work: is it right, and as fast as is usual?

use super::{Finding, State};
use crate::{
    base::Control,
    othello::{
        Board, Game, Position,
        eval::Weights,
        notation::parse_moves,
        perft::perft,
        search::{Config, Effort, Searcher, Task},
    },
};
use std::time::{Duration, Instant};

const AREA: &str = "speed";
const PAUSE: Duration = Duration::from_millis(500);

/// Positions of our own random games, and the discs by which the side to move wins them: known exactly.
const ENDINGS: [(&str, i32); 3] = [
    ("e6f6f5f4g5e7e3g6f3d6f7h5c3e8c5c4c6d7b4b3h4h3d8c8c7a4g4c2f8g8a3a2d2d3c1f2g1e2h6d1", -24),
    ("f5d6c4g5c6c5d7e7e6c3b6f7f6e3f3d3g8f8g6c8d8h8e8h6g7g3b3a3e2b5f4f2d2b4h7f1a4g4e1d1a2c7", 10),
    ("c4e3f6c5c3b4d3e2d2b3f3f4f5g3c2e1d1c1f2g6g5h6h5h4b5a6a5g4f1a4b1f7g2c6h3e6d6e7d7h1b2h2g1e8", 0),
];
const DEPTH: u32 = 9;
const LINES: u64 = 3_005_288;

/// Millions a second that are usual: from a quarter of to four times what a release build did on one thread of a busy
/// AMD EPYC with AVX-512 (40 for the search, 600 for perft).
const USUAL_SEARCH: [f64; 2] = [10.0, 160.0];
const USUAL_PERFT: [f64; 2] = [150.0, 2400.0];

pub fn measure() -> Vec<Finding> {
    vec![search(), count()]
}

fn search() -> Finding {
    let weights = Weights::builtin();
    let (began, mut time, mut nodes) = (Instant::now(), Duration::ZERO, 0);
    while began.elapsed() < PAUSE {
        for (moves, discs) in ENDINGS {
            let Some(board) = board_after(moves) else {
                return Finding::new(State::Wrong, AREA, "search", format!("`{moves}` is refused as a game"));
            };
            let mut searcher = Searcher::new(Config { threads: 1, hash_bits: 16, weights: weights.clone() });
            let start = Instant::now();
            let report = searcher.search(board, &Task::new(Effort::Exact), Control::alone());
            time += start.elapsed();
            nodes += report.nodes;
            if report.value.rounded() != discs {
                let value = format!("{} instead of {discs:+} after {moves}", report.value);
                return Finding::new(State::Wrong, AREA, "search", value);
            }
        }
    }
    judged("search", "nodes", nodes, time, USUAL_SEARCH)
}

fn board_after(moves: &str) -> Option<Board> {
    let mut game = Game::without_auto_pass(Position::START);
    game.play_sequence(parse_moves(moves).ok()?.into_iter().map(|mv| (None, mv))).ok()?;
    Some(game.position().board)
}

fn count() -> Finding {
    let (began, mut lines) = (Instant::now(), 0);
    while began.elapsed() < PAUSE {
        let counted = perft(Board::START, DEPTH, true);
        if counted != LINES {
            let value = format!("{counted} lines of {DEPTH} plies instead of {LINES}");
            return Finding::new(State::Wrong, AREA, "perft", value);
        }
        lines += counted;
    }
    judged("perft", "lines", lines, began.elapsed(), USUAL_PERFT)
}

/// The result is right; the speed is worth a note if it is not usual.
fn judged(name: &str, what: &str, count: u64, time: Duration, [least, most]: [f64; 2]) -> Finding {
    let millions = count as f64 / time.as_secs_f64().max(1e-6) / 1e6;
    let (state, remark) = match millions {
        slow if slow < least => (State::Note, "; slower: a busy or old machine, or a build without optimisation"),
        fast if fast > most => (State::Note, "; faster than expected"),
        _ => (State::Ok, ""),
    };
    let value = format!("right, {millions:.0} million {what}/s on one thread (usual: {least} to {most}){remark}");
    Finding::new(state, AREA, name, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_judged_by_the_range() {
        let state = |count| judged("search", "nodes", count, Duration::from_secs(1), [10.0, 20.0]).state;
        assert_eq!([state(9_000_000), state(15_000_000), state(21_000_000)], [State::Note, State::Ok, State::Note]);
    }

    #[test]
    fn the_work_is_done_right() {
        assert!(measure().iter().all(|finding| finding.value.starts_with("right")), "{:?}", measure());
    }
}
