//! Discs that can never be turned again: they bound the final score.

use crate::othello::{Board, flip::lanes::Lanes};
use std::sync::LazyLock;

/// Own discs of an edge that no further play on that edge can turn, for each of its 3^8 states.
pub(super) struct Edges {
    /// Base three weight of a set of eight squares.
    trits: [u16; 256],
    stable: Box<[u8; 6561]>,
}

pub(super) static EDGES: LazyLock<Edges> = LazyLock::new(Edges::new);

impl Edges {
    fn new() -> Edges {
        let mut trits = [0u16; 256];
        for (set, trit) in trits.iter_mut().enumerate() {
            *trit = (0..8).filter(|i| set >> i & 1 != 0).map(|i| 3u16.pow(i)).sum();
        }
        let mut known: Box<[Option<u8>; 6561]> = Box::new([None; 6561]);
        for own in 0..256usize {
            for other in (0..256usize).filter(|other| own & other == 0) {
                Self::survive(own as u8, other as u8, &trits, &mut known);
            }
        }
        let mut stable = Box::new([0u8; 6561]);
        for (cell, value) in stable.iter_mut().zip(known.iter()) {
            *cell = value.unwrap_or(0);
        }
        Edges { trits, stable }
    }

    /// The discs of `own` that survive whatever either side plays on the empty squares of the edge, with or without
    /// turning discs (a move may also be legal because of another line).
    fn survive(own: u8, other: u8, trits: &[u16; 256], known: &mut [Option<u8>; 6561]) -> u8 {
        let index = usize::from(trits[usize::from(own)] + 2 * trits[usize::from(other)]);
        if let Some(found) = known[index] {
            return found;
        }
        let mut stable = own;
        let empty = !(own | other);
        for at in (0..8).filter(|at| empty >> at & 1 != 0) {
            let turned = edge_flips(at, own, other);
            stable &= Self::survive(own | turned | 1 << at, other & !turned, trits, known);
            let turned = edge_flips(at, other, own);
            stable &= Self::survive(own & !turned, other | turned | 1 << at, trits, known);
            if stable == 0 {
                break;
            }
        }
        known[index] = Some(stable);
        stable
    }

    #[inline]
    fn of(&self, own: u64, other: u64) -> u64 {
        let index = usize::from(self.trits[own as usize & 255]) + 2 * usize::from(self.trits[other as usize & 255]);
        // Own and other never share a square, so the index is below 6561; `get` says so without a check that panics.
        u64::from(self.stable.get(index).copied().unwrap_or(0))
    }
}

fn edge_flips(at: u32, own: u8, other: u8) -> u8 {
    let mut turned = 0;
    for up in [true, false] {
        let step = |bit: u8| if up { bit << 1 } else { bit >> 1 };
        let (mut run, mut bit) = (0, step(1 << at));
        while bit & other != 0 {
            run |= bit;
            bit = step(bit);
        }
        if bit & own != 0 {
            turned |= run;
        }
    }
    turned
}

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
#[inline]
pub(super) fn full_lines(discs: u64) -> [u64; 4] {
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
pub(super) fn stable(board: Board) -> u64 {
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
    use crate::{base::Rng, othello::Square};

    #[test]
    fn packing_goes_round() {
        for byte in 0..256 {
            assert_eq!(pack_a(unpack_a(byte)), byte);
        }
    }

    #[test]
    fn full_lines_are_full() {
        let mut rng = Rng::new(11);
        for _ in 0..2_000 {
            let discs = rng.next_u64() | rng.next_u64() | rng.next_u64() | rng.next_u64();
            let found = full_lines(discs);
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
        for _ in 0..2_000 {
            let mut board = Board::START;
            let mut held: Vec<(u64, bool)> = Vec::new();
            let mut swapped = false;
            loop {
                let moves: Vec<_> = board.moves().into_iter().collect();
                for &(discs, side) in &held {
                    let owner = if side == swapped { board.player } else { board.opponent };
                    assert_eq!(discs & !owner, 0, "{board:?}");
                }
                let found = stable(board);
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
}
