//! The pattern indices of a position, carried from move to move.
#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "calls of code for instructions that the processor has")
)]

#[cfg(target_arch = "aarch64")]
use super::neon;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use super::{
    patterns::{self, Lanes},
    portable,
};
use crate::{
    base::kernel::dispatch,
    othello::{Board, Square},
};

/// Pattern indices as the side to move sees them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Tracker {
    pub(super) lanes: Lanes,
}

impl Tracker {
    pub fn new(board: Board) -> Tracker {
        Tracker { lanes: patterns::indices(board) }
    }

    /// The indices after a move on `square` that turns `flips`, as the other side sees them.
    #[inline]
    pub fn after(&self, square: Square, flips: u64) -> Tracker {
        Tracker { lanes: dispatch!(after(&self.lanes, square, flips)) }
    }

    /// The same discs seen by the other side.
    #[inline]
    pub fn pass(&self) -> Tracker {
        Tracker { lanes: Lanes(self.lanes.0.map(i16::wrapping_neg)) }
    }
}

impl std::fmt::Debug for Tracker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tracker").field(&&self.lanes.0[..patterns::FEATURES]).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;

    #[test]
    fn carried_indices_equal_counted_ones() {
        let mut rng = Rng::new(5);
        let mut passes = 0;
        for _ in 0..300 {
            let mut board = Board::START;
            let mut tracker = Tracker::new(board);
            while !board.is_over() {
                if board.must_pass() {
                    (board, tracker) = (board.pass(), tracker.pass());
                    passes += 1;
                } else {
                    let moves: Vec<_> = board.moves().into_iter().collect();
                    let square = moves[rng.below(moves.len())];
                    let flips = board.flips(square).0;
                    (board, tracker) = (board.after(square, flips), tracker.after(square, flips));
                }
                assert_eq!(tracker, Tracker::new(board));
                assert_eq!(tracker.pass(), Tracker::new(board.pass()));
            }
        }
        assert!(passes > 100);
    }
}
