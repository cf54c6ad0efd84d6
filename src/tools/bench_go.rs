//! `shirokuro bench --game go`: playouts on an empty 9x9 board, bare and inside the search, one thread. The signature
//! moves only when rules, playouts or search do, and it is the same on every machine.

use super::bench::BenchArgs;
use crate::{
    base::{Control, Limits, Rng},
    go::{
        Board, Config, GoGame, Player, PlayerKind, Point, Rules,
        eye::EyeRule,
        notation::parse_vertex,
        pattern::PatternTable,
        playout::{Policy, Uniform, play_out},
        policy::{Full, Weights},
    },
};
use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

const SIZE: usize = 9;
const LIGHT: u64 = 30_000;
const HEAVY: u64 = 10_000;
const SEARCHED: u64 = 4_000;

/// A fight in the middle of a game, for a tree that is not all opening.
const FIGHT: &str = "e5 c6 e7 c4 d3 c3 d6 c7 d7 d4 e4 d5 e6 c5 f3 e3";

struct Row {
    name: &'static str,
    playouts: u64,
    time: Duration,
    signature: u64,
}

pub fn run(args: &BenchArgs, out: &mut dyn Write) -> io::Result<()> {
    let rows = [
        bare("playouts, uniform", LIGHT, &mut Uniform::default()),
        bare(
            "playouts, full policy",
            HEAVY,
            &mut Full::new(Weights::STANDARD, EyeRule::Strict, PatternTable::standard()),
        ),
        search("search, uct", PlayerKind::Uct, ""),
        search("search, rave", PlayerKind::Rave, ""),
        search("search, rave, in a fight", PlayerKind::Rave, FIGHT),
    ];
    let signature = rows.iter().fold(0u64, |sum, row| sum.wrapping_mul(31).wrapping_add(row.signature)) % 1_000_000_007;
    if args.signature {
        return writeln!(out, "{signature}");
    }
    writeln!(out, "{:<26} {:>9} {:>9} {:>12}", "9x9, one thread", "playouts", "seconds", "playouts/s")?;
    for Row { name, playouts, time, .. } in &rows {
        let (seconds, speed) = (time.as_secs_f64(), *playouts as f64 / time.as_secs_f64().max(1e-6));
        writeln!(out, "{name:<26} {playouts:>9} {seconds:>9.3} {speed:>12.0}")?;
    }
    writeln!(out, "Bench: {signature}")
}

/// Playouts from the empty board alone.
fn bare(name: &'static str, playouts: u64, policy: &mut impl Policy) -> Row {
    let start = Board::new(SIZE).expect("a board of this size");
    let (mut board, mut moves, mut rng) = (start.clone(), Vec::new(), Rng::new(1));
    let mut signature = 0u64;
    let begun = Instant::now();
    for _ in 0..playouts {
        board.copy_from(&start);
        moves.clear();
        play_out(&mut board, policy, Point::PASS, &mut rng, &mut moves);
        signature = signature.wrapping_mul(31).wrapping_add(moves.len() as u64);
    }
    Row { name, playouts, time: begun.elapsed(), signature: signature % 1_000_000_007 }
}

/// A search, tree and all.
fn search(name: &'static str, kind: PlayerKind, moves: &str) -> Row {
    let mut game = GoGame::new(SIZE, Rules::CHINESE, 6.5).expect("a board of this size");
    for text in moves.split_whitespace() {
        let point = parse_vertex(game.geometry(), text).expect("the moves of the benchmark are points");
        game.play(game.to_move(), point).expect("the moves of the benchmark are legal");
    }
    let mut player = Player::new(Config { seed: 1, ..Config::named(kind) });
    let limits = Limits { nodes: Some(SEARCHED), ..Limits::NONE };
    let report = player.examine(&game, limits, Control::alone());
    let visits = report.moves.iter().fold(0u64, |sum, m| {
        sum.wrapping_mul(31).wrapping_add(m.visits).wrapping_mul(1021).wrapping_add(u64::from(m.point.raw()))
    });
    Row { name, playouts: report.playouts, time: report.elapsed, signature: visits % 1_000_000_007 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_every_time() {
        let light = || bare("", 50, &mut Uniform::default()).signature;
        assert_eq!(light(), light());
        let tree = || search("", PlayerKind::Rave, FIGHT).signature;
        assert_eq!(tree(), tree());
    }
}
