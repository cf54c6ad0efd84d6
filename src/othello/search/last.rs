//! The last four empty squares, without tables or ordering beyond parity.
//!
//! All functions search the null window (`alpha`, `alpha` + 1) in discs, are fail-soft, and count one node per
//! position they look at.

use super::last_flip;
use crate::othello::{Board, flip};

/// The squares next to each square: a move that turns something has an opponent's disc there.
static NEIGHBOURS: [u64; 64] = neighbours();

const fn neighbours() -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let bit = 1u64 << square;
        let sideways = (bit & !0x8080_8080_8080_8080) << 1 | (bit & !0x0101_0101_0101_0101) >> 1;
        let row = bit | sideways;
        table[square] = sideways | row << 8 | row >> 8;
        square += 1;
    }
    table
}

#[inline]
fn flips(square: u32, board: Board) -> u64 {
    let square = (square & 63) as usize;
    if NEIGHBOURS[square] & board.opponent == 0 { 0 } else { flip::flips(square, board.player, board.opponent) }
}

#[inline]
fn after(board: Board, square: u32, flipped: u64) -> Board {
    Board { player: board.opponent ^ flipped, opponent: board.player ^ flipped ^ 1 << (square & 63) }
}

/// One empty square; `player` is the side to move, all else is the opponent's.
#[inline]
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

#[inline]
pub(super) fn two(nodes: &mut u64, board: Board, alpha: i32, a: u32, b: u32) -> i32 {
    *nodes += 1;
    let mut best = i32::MIN;
    let flipped = flips(a, board);
    if flipped != 0 {
        *nodes += 1;
        best = -one(board.opponent ^ flipped, -alpha - 1, b);
        if best > alpha {
            return best;
        }
    }
    let flipped = flips(b, board);
    if flipped != 0 {
        *nodes += 1;
        return best.max(-one(board.opponent ^ flipped, -alpha - 1, a));
    }
    if best > i32::MIN {
        return best;
    }
    // Pass: now the opponent chooses the smaller value.
    let board = board.pass();
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
#[inline]
fn quarter(square: u32) -> u32 {
    square & 0b100_100
}

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
    if best > i32::MIN {
        return best;
    }
    let board = board.pass();
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
    if best > i32::MIN {
        return best;
    }
    let board = board.pass();
    let mut best = i32::MAX;
    for (square, rest) in tries {
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
