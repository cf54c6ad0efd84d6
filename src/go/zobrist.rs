//! Random numbers for hashing positions: one for each stone on each point, one for each ko point.

use super::point::{CAPACITY, Point};
use super::surroundings::Cell;
use crate::base::Colour;

const fn mix(n: u64) -> u64 {
    let z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x5EA5_1507_9C92_8CE4);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn table(from: usize) -> [u64; CAPACITY] {
    let mut keys = [0; CAPACITY];
    let mut i = 0;
    while i < CAPACITY {
        keys[i] = mix((from + i) as u64);
        i += 1;
    }
    keys
}

static STONES: [[u64; CAPACITY]; 2] = [table(0), table(CAPACITY)];
static KO: [u64; CAPACITY] = {
    let mut keys = table(2 * CAPACITY);
    keys[0] = 0; // no ko
    keys
};

#[inline]
pub fn stone(p: Point, stone: Cell) -> u64 {
    STONES[(stone == Cell::White) as usize][p.index() & (CAPACITY - 1)]
}

#[inline]
pub fn ko(p: Point) -> u64 {
    KO[p.index() & (CAPACITY - 1)]
}

/// The side to move turns every bit round: two passes bring a hash back.
#[inline]
pub fn side(to_move: Colour) -> u64 {
    match to_move {
        Colour::Black => 0,
        Colour::White => u64::MAX,
    }
}
