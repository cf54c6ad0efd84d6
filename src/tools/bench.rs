//! `shirokuro bench`: fixed positions, fixed depths, one thread. The number of nodes is a signature of the search: it
//! moves only when the search or its weights do, and it is the same on every machine.

use crate::{
    base::Control,
    othello::{
        Game, Position,
        eval::Weights,
        notation::parse_moves,
        search::{Config, Effort, Searcher, Task},
    },
};
use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// Print the signature alone
    #[arg(long)]
    pub signature: bool,
}

/// Games of our own random play, and how deeply to search the position after them: midgames to a depth, with and
/// without selective cuts, endgames to the end.
const POSITIONS: &[(&str, Effort)] = &[
    ("c4e3f4c5d6c3c6f5d3e6b6e2b4b3", Effort::Depth { plies: 10, percent: 74 }),
    ("e6f6f5f4g5e7d7g6g4h5e3c5e8h3c4d6f7c8g7d8", Effort::Depth { plies: 12, percent: 74 }),
    ("c4c3d3c5d6f4f5e3g4e6f6g6e2h3g5e7h4h5b5d7b3b4b6c6", Effort::Depth { plies: 8, percent: 100 }),
    ("d3c3c4c5d6e2d2f4b4d1e3e6f5c2f3f6b5a4e7g3g6g4h3h5a3a2f2a5", Effort::Depth { plies: 12, percent: 88 }),
    ("c4c3d3c5b3f4b5b4a5a6c6b6a7d6b7d2c7a4a3c8d8e8f5b8d7c2b2a8e6a2e1e3", Effort::Depth { plies: 13, percent: 93 }),
    ("c4e3f4c5d6c3d3e2c2g5f1e6f2c1f5f3d2f6e7f7c6d8g6h5b6g7g4d7c8b8e8f8c7h3b5b3", Effort::Level(14)),
    ("e6f6f5f4g5e7e3g6f3d6f7h5c3e8c5c4c6d7b4b3h4h3d8c8c7a4g4c2f8g8a3a2d2d3c1f2g1e2h6d1", Effort::Exact),
    ("f5d6c4g5c6c5d7e7e6c3b6f7f6e3f3d3g8f8g6c8d8h8e8h6g7g3b3a3e2b5f4f2d2b4h7f1a4g4e1d1a2c7", Effort::Exact),
    ("c4e3f6c5c3b4d3e2d2b3f3f4f5g3c2e1d1c1f2g6g5h6h5h4b5a6a5g4f1a4b1f7g2c6h3e6d6e7d7h1b2h2g1e8", Effort::Exact),
    (
        "d3e3f4c3f5g4f3g5g3e2f2h3h6f1c4b4c2g6h5d2c1d1h4h7e1b2g1g2b1c6d6c5e6c7h1e7a5a4f6g7f7f8b6b5a6b7",
        Effort::WinLossDraw,
    ),
];

struct Row {
    empties: u32,
    effort: String,
    best: String,
    value: String,
    nodes: u64,
    time: Duration,
}

pub fn run(args: &BenchArgs, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<Row> = POSITIONS.iter().map(|(moves, effort)| measure(moves, *effort)).collect();
    let nodes: u64 = rows.iter().map(|row| row.nodes).sum();
    if args.signature {
        return writeln!(out, "{nodes}");
    }
    let speed = |nodes: u64, time: Duration| nodes as f64 / time.as_secs_f64().max(1e-6) / 1e6;
    writeln!(
        out,
        "{:>7}  {:<22} {:<5} {:>7} {:>12} {:>9} {:>9}",
        "empties", "task", "move", "value", "nodes", "seconds", "Mnodes/s"
    )?;
    for row in &rows {
        let Row { empties, effort, best, value, nodes, time } = row;
        let (seconds, speed) = (time.as_secs_f64(), speed(*nodes, *time));
        writeln!(out, "{empties:>7}  {effort:<22} {best:<5} {value:>7} {nodes:>12} {seconds:>9.3} {speed:>9.1}")?;
    }
    let time: Duration = rows.iter().map(|row| row.time).sum();
    writeln!(out, "total {:.3} s, {:.1} Mnodes/s", time.as_secs_f64(), speed(nodes, time))?;
    writeln!(out, "Bench: {nodes}")
}

/// A searcher of its own for every position, so that their order does not matter.
fn measure(moves: &str, effort: Effort) -> Row {
    let mut game = Game::without_auto_pass(Position::START);
    let moves = parse_moves(moves).unwrap_or_default();
    game.play_sequence(moves.into_iter().map(|mv| (None, mv))).expect("the positions of the benchmark are legal");
    let board = game.position().board;
    let mut searcher = Searcher::new(Config { threads: 1, hash_bits: 18, weights: Weights::builtin() });
    let began = Instant::now();
    let report = searcher.search(board, &Task::new(effort), Control::alone());
    Row {
        empties: board.empty_count(),
        effort: match effort {
            Effort::Depth { plies, percent } => format!("depth {plies} at {percent}%"),
            Effort::Level(level) => format!("level {level}"),
            other => format!("{other:?}"),
        },
        best: report.best().map_or("-".into(), |mv| mv.to_string()),
        value: report.value.to_string(),
        nodes: report.nodes,
        time: began.elapsed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_nodes_every_time() {
        let (moves, effort) = POSITIONS[7];
        let row = measure(moves, effort);
        assert_eq!((row.empties, row.nodes), (18, measure(moves, effort).nodes));
        assert!(row.nodes > 1000);
    }
}
