//! Discs that can never be turned again: they bound the final score.

use super::{flip::Lanes, tuned};
use crate::othello::{Board, search::edges::EDGES};
use macro_rules_attribute::apply;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const BORDER_ROWS: u64 = 0xFF00_0000_0000_00FF;

/// The bits of column a as a byte, row 1 lowest.
#[inline]
fn pack_a(board: u64) -> u64 {
    (board & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[inline]
fn unpack_a(byte: u64) -> u64 {
    // Each bit of the byte to the lowest bit of its row: spread, then keep one bit a row.
    ((byte & 0x7F).wrapping_mul(0x0002_0408_1020_4081) & FILE_A) | (byte >> 7) << 56
}

#[apply(tuned)]
#[inline]
fn edges(own: u64, other: u64) -> u64 {
    let table = &*EDGES;
    let top = table.of(own & 0xFF, other & 0xFF);
    let bottom = table.of(own >> 56, other >> 56) << 56;
    let left = unpack_a(table.of(pack_a(own), pack_a(other)));
    let right = unpack_a(table.of(pack_a(own >> 7), pack_a(other >> 7))) << 7;
    top | bottom | left | right
}

/// A direction in each lane: along the row, the column, the rising and the falling diagonal.
const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 1), (1, 1)];

/// One, two and four squares along each direction: how far that is in bits, and from where it leads off the board,
/// upwards (to higher bits) and downwards.
static STEPS: [Step; 3] = [step(1), step(2), step(4)];

struct Step {
    bits: [u64; 4],
    off_upwards: [u64; 4],
    off_downwards: [u64; 4],
}

const fn step(squares: i32) -> Step {
    let mut step = Step { bits: [0; 4], off_upwards: [0; 4], off_downwards: [0; 4] };
    let mut lane = 0;
    while lane < 4 {
        let (columns, rows) = (DIRECTIONS[lane].0 * squares, DIRECTIONS[lane].1 * squares);
        step.bits[lane] = (rows * 8 + columns) as u64;
        let mut square = 0;
        while square < 64 {
            let (column, row) = (square % 8, square / 8);
            if column + columns < 0 || column + columns > 7 || row + rows > 7 {
                step.off_upwards[lane] |= 1 << square;
            }
            if column - columns < 0 || column - columns > 7 || row - rows < 0 {
                step.off_downwards[lane] |= 1 << square;
            }
            square += 1;
        }
        lane += 1;
    }
    step
}

/// For each of [`DIRECTIONS`] the squares whose line in that direction has no empty square.
#[apply(tuned)]
#[inline]
pub fn full_lines(discs: u64) -> [u64; 4] {
    // Full as far as one square away, then three, then seven; what lies beyond the border counts as full.
    let mut full = Lanes::splat(discs);
    for step in &STEPS {
        let bits = Lanes::new(step.bits);
        let above = full.down_by(bits) | Lanes::new(step.off_upwards);
        let below = full.up_by(bits) | Lanes::new(step.off_downwards);
        full = full & above & below;
    }
    full.to_array()
}

/// Discs of the side to move that can never be turned (not all of them: those that simple reasoning finds).
#[apply(tuned)]
pub fn stable(board: Board) -> u64 {
    let own = board.player;
    let mut found = edges(own, board.opponent);
    let [rows, columns, rising, falling] = full_lines(own | board.opponent);
    found |= own & rows & columns & rising & falling;
    if found == 0 {
        return 0;
    }
    let (rows, columns) = (rows | FILE_A | FILE_H, columns | BORDER_ROWS);
    let border = FILE_A | FILE_H | BORDER_ROWS;
    let (rising, falling) = (rising | border, falling | border);
    let inner = own & !border;
    loop {
        let h = (found >> 1) | (found << 1) | rows;
        let v = (found >> 8) | (found << 8) | columns;
        let d7 = (found >> 7) | (found << 7) | rising;
        let d9 = (found >> 9) | (found << 9) | falling;
        let more = h & v & d7 & d9 & inner & !found;
        if more == 0 {
            return found;
        }
        found |= more;
    }
}

/// Stable discs in and next to the corners: a cheap hint for move ordering.
#[apply(tuned)]
#[inline]
pub(super) fn corner_stability(own: u64) -> u32 {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    let mut stable = (0x0100_0000_0000_0001 & own) << 1;
    stable |= (0x8000_0000_0000_0080 & own) >> 1;
    stable |= (0x0000_0000_0000_0081 & own) << 8;
    stable |= (0x8100_0000_0000_0000 & own) >> 8;
    stable |= CORNERS;
    (stable & own).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_goes_round() {
        for byte in 0..256 {
            assert_eq!(pack_a(unpack_a(byte)), byte);
        }
    }
}
