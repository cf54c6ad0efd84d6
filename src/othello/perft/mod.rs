//! Counting the lines of play of a given length: the touchstone of the rules, and of their speed.
//!
//! No table of positions seen: every line is counted by walking to its last but one move. The last two plies of a node
//! are done four moves at a time, a lane of a vector for each. `walk` is compiled once for each kernel.
#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "calls of code for instructions that the processor has")
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use super::Board;
use crate::base::kernel::dispatch;
use rayon::prelude::*;

/// The number of lines of `depth` plies. A pass is a ply if `pass_counts`, otherwise it takes none; a game
/// that ends before is one line.
pub fn perft(board: Board, depth: u32, pass_counts: bool) -> u64 {
    dispatch!(count(board, depth, pass_counts))
}

/// As [`perft`], shared among the threads of the current rayon pool.
pub fn perft_parallel(board: Board, depth: u32, pass_counts: bool) -> u64 {
    /// Enough starting points for even shares, few enough to collect at once.
    const SPLIT: u32 = 5;
    if depth <= SPLIT + 2 {
        return perft(board, depth, pass_counts);
    }
    let mut front = vec![(board, depth)];
    for _ in 0..SPLIT {
        front = front.into_iter().flat_map(|(board, depth)| step(board, depth, pass_counts)).collect();
    }
    front.into_par_iter().map(|(board, depth)| perft(board, depth, pass_counts)).sum()
}

/// The boards one move on, with the depth still to go.
fn step(board: Board, depth: u32, pass_counts: bool) -> Vec<(Board, u32)> {
    if depth <= 2 {
        return vec![(board, depth)];
    }
    if board.can_move() {
        return board.moves().into_iter().filter_map(|s| Some((board.play(s)?, depth - 1))).collect();
    }
    match board.must_pass() {
        true if pass_counts => vec![(board.pass(), depth - 1)],
        true => step(board.pass(), depth, pass_counts),
        false => vec![(board, 0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::kernel::Kernel;

    /// Known from many programs, a pass being a ply.
    const COUNTS: [u64; 12] = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288, 24_571_284, 212_258_800];
    /// With passes that take no ply, from depth 9 on; before, nobody ever has to pass.
    const PASS_FREE: [u64; 3] = [3_005_320, 24_571_420, 212_260_880];

    #[test]
    fn counts_from_the_start() {
        for (depth, &expected) in COUNTS.iter().enumerate() {
            assert_eq!(perft(Board::START, depth as u32, true), expected, "depth {depth}");
        }
    }

    #[test]
    fn all_kernels_count_alike() {
        for kernel in Kernel::available() {
            for pass_counts in [true, false] {
                let expected = if pass_counts { COUNTS[10] } else { PASS_FREE[1] };
                assert_eq!(dispatch!(kernel, count(Board::START, 10, pass_counts)), expected, "{kernel:?}");
            }
        }
    }

    #[test]
    fn counts_with_free_passes() {
        for depth in 0..12 {
            let expected = if depth < 9 { COUNTS[depth] } else { PASS_FREE[depth - 9] };
            assert_eq!(perft(Board::START, depth as u32, false), expected, "depth {depth}");
        }
    }

    #[test]
    fn threads_count_the_same() {
        for pass_counts in [true, false] {
            for depth in [3, 8, 9, 10] {
                assert_eq!(
                    perft_parallel(Board::START, depth, pass_counts),
                    perft(Board::START, depth, pass_counts),
                    "depth {depth}"
                );
            }
        }
    }

    /// One move at a time, nothing shared with the fast way but the kernels.
    fn slow(board: Board, depth: u32, pass_counts: bool) -> u64 {
        if depth == 0 {
            return 1;
        }
        if board.can_move() {
            return board.moves().into_iter().map(|s| slow(board.play(s).unwrap(), depth - 1, pass_counts)).sum();
        }
        if board.is_over() { 1 } else { slow(board.pass(), depth - u32::from(pass_counts), pass_counts) }
    }

    #[test]
    fn late_positions_with_passes_and_endings() {
        let mut rng = crate::base::Rng::new(11);
        let mut passes_differ = 0;
        for _ in 0..300 {
            let mut board = Board::START;
            while board.empty_count() > 8 {
                let moves: Vec<_> = board.moves().into_iter().collect();
                match rng.pick(&moves) {
                    Some(&square) => board = board.play(square).unwrap(),
                    None if board.must_pass() => board = board.pass(),
                    None => break,
                }
            }
            for depth in 0..8 {
                let counts = [true, false].map(|pass_counts| perft(board, depth, pass_counts));
                assert_eq!(counts, [slow(board, depth, true), slow(board, depth, false)], "{board:?} {depth}");
                passes_differ += u32::from(counts[0] != counts[1]);
            }
        }
        assert!(passes_differ > 100, "{passes_differ}");
    }
}
