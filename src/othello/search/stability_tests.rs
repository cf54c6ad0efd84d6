//! Stable discs as every kernel finds them.

use super::*;
use crate::{
    base::{Rng, kernel::Kernel},
    othello::Square,
};

#[test]
fn full_lines_are_full() {
    let mut rng = Rng::new(11);
    for kernel in (0..2_000).flat_map(|_| Kernel::available()) {
        let discs = rng.next_u64() | rng.next_u64() | rng.next_u64() | rng.next_u64();
        let found = dispatch!(kernel, full_lines(discs));
        for square in Square::all() {
            let (column, row) = (i32::from(square.column()), i32::from(square.row()));
            for (line, (dc, dr)) in found.iter().zip([(1, 0), (0, 1), (1, -1), (1, 1)]) {
                let full = (-7..8).all(|i| {
                    let (c, r) = (column + i * dc, row + i * dr);
                    !(0..8).contains(&c) || !(0..8).contains(&r) || discs >> (r * 8 + c) & 1 != 0
                });
                assert_eq!(line & square.bit() != 0, full, "{square} {dc} {dr} {discs:#x}");
            }
        }
    }
}

/// Stable discs must survive any play whatsoever.
#[test]
fn stable_discs_stay() {
    let mut rng = Rng::new(12);
    let mut seen = 0;
    for kernel in (0..2_000).flat_map(|_| Kernel::available()) {
        let mut board = Board::START;
        let mut held: Vec<(u64, bool)> = Vec::new();
        let mut swapped = false;
        loop {
            let moves: Vec<_> = board.moves().into_iter().collect();
            for &(discs, side) in &held {
                let owner = if side == swapped { board.player } else { board.opponent };
                assert_eq!(discs & !owner, 0, "{board:?}");
            }
            let found = dispatch!(kernel, stable(board));
            assert_eq!(found & !board.player, 0);
            seen += found.count_ones();
            held.push((found, swapped));
            if let Some(&square) = rng.pick(&moves) {
                board = board.play(square).expect("a legal move");
            } else if board.must_pass() {
                board = board.pass();
            } else {
                break;
            }
            swapped = !swapped;
        }
    }
    assert!(seen > 50_000, "{seen}");
}
