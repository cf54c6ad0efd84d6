//! The last four empty squares, without tables or ordering beyond parity.
//!
//! All functions search the null window (`alpha`, `alpha` + 1) in discs, are fail-soft, and count one node per
//! position they look at.

use super::{flip, tuned};
use crate::othello::{Board, search::last_flip};
use macro_rules_attribute::apply;

#[apply(tuned)]
#[inline]
fn flips(square: u32, board: Board) -> u64 {
    flip::flips((square & 63) as usize, board.player, board.opponent)
}

#[apply(tuned)]
#[inline]
fn after(board: Board, square: u32, flipped: u64) -> Board {
    Board { player: board.opponent ^ flipped, opponent: board.player ^ flipped ^ 1 << (square & 63) }
}

/// One empty square; `player` is the side to move, all else is the opponent's.
#[inline(always)]
pub(super) fn one(player: u64, alpha: i32, square: u32) -> i32 {
    let discs = 2 * player.count_ones() as i32;
    let turned = last_flip::doubled(square, player);
    if turned != 0 {
        return discs - 62 + turned;
    }
    // Own pass. The opponent's move can only make it worse than the score without it.
    let still = if discs > 63 { discs - 62 } else { discs - 64 };
    if still <= alpha {
        return still;
    }
    let turned = last_flip::doubled(square, !(player | 1 << (square & 63)));
    if turned != 0 { discs - 64 - turned } else { still }
}

/// Not a part of its callers, which are many: what it does fills the registers.
#[apply(tuned)]
#[inline(never)]
pub(super) fn two(nodes: &mut u64, board: Board, alpha: i32, a: u32, b: u32) -> i32 {
    // Both at once, whether the second will be needed or not: the processor does them side by side.
    let (at_a, at_b) = (flips(a, board), flips(b, board));
    if at_a != 0 {
        let value = -one(board.opponent ^ at_a, -alpha - 1, b);
        *nodes += 2;
        if value > alpha || at_b == 0 {
            return value;
        }
        *nodes += 1;
        return value.max(-one(board.opponent ^ at_b, -alpha - 1, a));
    }
    if at_b != 0 {
        *nodes += 2;
        return -one(board.opponent ^ at_b, -alpha - 1, a);
    }
    two_passed(nodes, board.pass(), alpha, a, b)
}

/// As [`two`] for the side that has passed; `board` is seen by the other one, which chooses the smaller value.
///
/// Not a part of it: what happens seldom would take registers from what happens mostly. So for three and four.
#[apply(tuned)]
#[inline(never)]
fn two_passed(nodes: &mut u64, board: Board, alpha: i32, a: u32, b: u32) -> i32 {
    *nodes += 1;
    let mut best = i32::MAX;
    let flipped = flips(a, board);
    if flipped != 0 {
        *nodes += 1;
        best = one(board.opponent ^ flipped, alpha, b);
        if best <= alpha {
            return best;
        }
    }
    let flipped = flips(b, board);
    if flipped != 0 {
        *nodes += 1;
        return best.min(one(board.opponent ^ flipped, alpha, a));
    }
    if best < i32::MAX { best } else { -board.final_score() }
}

/// The quarter of the board a square lies in, as two bits.
#[apply(tuned)]
#[inline]
fn quarter(square: u32) -> u32 {
    square & 0b100_100
}

#[apply(tuned)]
pub(super) fn three(nodes: &mut u64, board: Board, alpha: i32, [a, b, c]: [u32; 3]) -> i32 {
    *nodes += 1;
    // A square alone in its quarter comes first: whoever plays there moves last in it.
    let (a, b, c) = match (quarter(a) == quarter(b), quarter(a) == quarter(c)) {
        (true, false) => (c, a, b),
        (false, true) => (b, a, c),
        _ => (a, b, c),
    };
    let mut best = i32::MIN;
    for (square, x, y) in [(a, b, c), (b, a, c), (c, a, b)] {
        let flipped = flips(square, board);
        if flipped != 0 {
            best = best.max(-two(nodes, after(board, square, flipped), -alpha - 1, x, y));
            if best > alpha {
                return best;
            }
        }
    }
    if best > i32::MIN { best } else { three_passed(nodes, board.pass(), alpha, [a, b, c]) }
}

/// As [`three`] for the side that has passed; `board` is seen by the other one, which chooses the smaller value.
#[apply(tuned)]
#[inline(never)]
fn three_passed(nodes: &mut u64, board: Board, alpha: i32, [a, b, c]: [u32; 3]) -> i32 {
    let mut best = i32::MAX;
    for (square, x, y) in [(a, b, c), (b, a, c), (c, a, b)] {
        let flipped = flips(square, board);
        if flipped != 0 {
            best = best.min(two(nodes, after(board, square, flipped), alpha, x, y));
            if best <= alpha {
                return best;
            }
        }
    }
    if best < i32::MAX { best } else { -board.final_score() }
}

/// Four empty squares, in the order in which they are to be tried.
#[apply(tuned)]
pub(super) fn four(nodes: &mut u64, board: Board, alpha: i32, [a, b, c, d]: [u32; 4]) -> i32 {
    *nodes += 1;
    let mut best = i32::MIN;
    let tries = [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])];
    for (square, rest) in tries {
        let flipped = flips(square, board);
        if flipped != 0 {
            best = best.max(-three(nodes, after(board, square, flipped), -alpha - 1, rest));
            if best > alpha {
                return best;
            }
        }
    }
    if best > i32::MIN { best } else { four_passed(nodes, board.pass(), alpha, [a, b, c, d]) }
}

/// As [`four`] for the side that has passed; `board` is seen by the other one, which chooses the smaller value.
#[apply(tuned)]
#[inline(never)]
fn four_passed(nodes: &mut u64, board: Board, alpha: i32, [a, b, c, d]: [u32; 4]) -> i32 {
    let mut best = i32::MAX;
    for (square, rest) in [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])] {
        let flipped = flips(square, board);
        if flipped != 0 {
            best = best.min(three(nodes, after(board, square, flipped), alpha, rest));
            if best <= alpha {
                return best;
            }
        }
    }
    if best < i32::MAX { best } else { -board.final_score() }
}
