//! The pattern features: groups of squares whose contents, read as a number, look up a weight.
//!
//! Each *kind* is drawn once; the eight symmetries of the board place it everywhere, and all placements share one
//! table of weights. A placement is a *lane*: its index counts in balanced ternary (own disc +1, empty 0, opponent −1),
//! so that the other side's view is the negative of the index and nothing has to be kept twice.

use crate::othello::{Board, Square};

/// Placements over all kinds, and the number of 16-bit lanes kept for them (whole 256-bit vectors).
pub const FEATURES: usize = feature_count();
pub const LANES: usize = FEATURES.next_multiple_of(16);

pub struct Kind {
    /// The first placement; cell i weighs 3^i.
    pub cells: &'static [u8],
}

macro_rules! cells {
    ($($name:ident)*) => { &[$(square(stringify!($name))),*] };
}

const fn square(name: &str) -> u8 {
    let b = name.as_bytes();
    (b[1] - b'1') * 8 + (b[0] - b'a')
}

pub const KINDS: &[Kind] = &[
    Kind { cells: cells!(a2 b2 c2 d2 e2 f2 g2 h2) },       // line 2
    Kind { cells: cells!(a3 b3 c3 d3 e3 f3 g3 h3) },       // line 3
    Kind { cells: cells!(a4 b4 c4 d4 e4 f4 g4 h4) },       // line 4
    Kind { cells: cells!(a1 b2 c3 d4 e5 f6 g7 h8 b1 a2) }, // diagonal 8 and C
    Kind { cells: cells!(b1 c2 d3 e4 f5 g6 h7 a1 h8) },    // diagonal 7 and corners
    Kind { cells: cells!(c1 d2 e3 f4 g5 h6 b1 h7 g2) },    // diagonal 6, C and X
    Kind { cells: cells!(d1 e2 f3 g4 h5 b2 g7) },          // diagonal 5 and X
    Kind { cells: cells!(a1 b1 c1 a2 b2 c2 a3 b3 c3) },    // corner 3x3
    Kind { cells: cells!(b2 a1 b1 c1 d1 e1 f1 g1 h1 g2) }, // edge and X
    Kind { cells: cells!(a1 b1 c1 d1 a2 b2 c2 a3 b3 a4) }, // triangle
    Kind { cells: cells!(a1 c1 d1 c2 d2 e2 f2 e1 f1 h1) }, // edge block
    Kind { cells: cells!(a1 b2 c3 d4 b3 c2 c4 d3 b4 d2) }, // band
    Kind { cells: cells!(a1 b1 c1 d1 e1 f1 g1 h1 d2 e2) }, // edge and middle
    Kind { cells: cells!(a5 a4 a3 a2 a1 b2 b1 c1 d1 e1) }, // corner arms
    Kind { cells: cells!(a1 a2 b1 b2 b3 c2 c3 d3 c4 d4) }, // fish
    Kind { cells: cells!(c1 d1 e1 f1 c2 d2 e2 f2 d3 e3) }, // anvil
];

/// What people would say the kinds look at.
pub const GROUPS: [&str; 5] = ["edges", "corners", "diagonals", "lines", "centre"];
/// For each kind its group.
pub const GROUP_OF_KIND: [usize; KINDS.len()] = [3, 3, 3, 2, 2, 2, 2, 1, 0, 1, 0, 4, 0, 1, 1, 4];

const MAX_CELLS: usize = 10;

/// One placement of a kind.
#[derive(Clone, Copy)]
pub struct Placement {
    pub kind: usize,
    cells: [u8; MAX_CELLS],
    count: usize,
}

impl Placement {
    pub fn cells(&self) -> &[u8] {
        &self.cells[..self.count]
    }
}

const fn image(cells: &[u8], symmetry: u8) -> [u8; MAX_CELLS] {
    let mut out = [0; MAX_CELLS];
    let mut i = 0;
    while i < cells.len() {
        out[i] = Square::wrapping(cells[i] as u32).symmetry(symmetry).index() as u8;
        i += 1;
    }
    out
}

const fn mask(cells: &[u8; MAX_CELLS], count: usize) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < count {
        set |= 1 << cells[i];
        i += 1;
    }
    set
}

/// Whether symmetry `s` puts the kind on squares no earlier symmetry has put it on.
const fn is_new_placement(cells: &[u8], s: u8) -> bool {
    let own = mask(&image(cells, s), cells.len());
    let mut earlier = 0;
    while earlier < s {
        if mask(&image(cells, earlier), cells.len()) == own {
            return false;
        }
        earlier += 1;
    }
    true
}

const fn feature_count() -> usize {
    let mut count = 0;
    let mut kind = 0;
    while kind < KINDS.len() {
        let mut s = 0;
        while s < 8 {
            if is_new_placement(KINDS[kind].cells, s) {
                count += 1;
            }
            s += 1;
        }
        kind += 1;
    }
    count
}

pub static PLACEMENTS: [Placement; FEATURES] = placements();

const fn placements() -> [Placement; FEATURES] {
    let mut all = [Placement { kind: 0, cells: [0; MAX_CELLS], count: 0 }; FEATURES];
    let mut feature = 0;
    let mut kind = 0;
    while kind < KINDS.len() {
        let cells = KINDS[kind].cells;
        let mut s = 0;
        while s < 8 {
            if is_new_placement(cells, s) {
                all[feature] = Placement { kind, cells: image(cells, s), count: cells.len() };
                feature += 1;
            }
            s += 1;
        }
        kind += 1;
    }
    all
}

/// Entries in the table of a kind.
pub const fn table_size(kind: usize) -> usize {
    3usize.pow(KINDS[kind].cells.len() as u32)
}

/// Entries of all tables of one phase.
pub const TABLES: usize = {
    let (mut total, mut kind) = (0, 0);
    while kind < KINDS.len() {
        total += table_size(kind);
        kind += 1;
    }
    total
};

/// Where each lane's table starts, moved to the entry for an empty pattern (index 0), and how far indices go from it.
/// Unused lanes stay at index 0 and point to a weight of 0 behind the tables.
pub static CENTRE: [u32; LANES] = centres();
pub static REACH: Lanes = reaches();

const fn centres() -> [u32; LANES] {
    let mut centre = [TABLES as u32; LANES];
    let all = placements();
    let mut feature = 0;
    while feature < FEATURES {
        let (mut start, mut kind) = (0, 0);
        while kind < all[feature].kind {
            start += table_size(kind);
            kind += 1;
        }
        centre[feature] = (start + table_size(kind) / 2) as u32;
        feature += 1;
    }
    centre
}

const fn reaches() -> Lanes {
    let mut reach = Lanes::ZERO;
    let all = placements();
    let mut feature = 0;
    while feature < FEATURES {
        reach.0[feature] = (table_size(all[feature].kind) / 2) as i16;
        feature += 1;
    }
    reach
}

/// One 16-bit number per lane.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Lanes(pub [i16; LANES]);

impl Lanes {
    pub const ZERO: Lanes = Lanes([0; LANES]);
}

/// What an own disc on each square adds to the indices.
pub static DISC_ON: [Lanes; 64] = disc_on();

const fn disc_on() -> [Lanes; 64] {
    let mut on = [Lanes::ZERO; 64];
    let all = placements();
    let mut feature = 0;
    while feature < FEATURES {
        let (mut cell, mut power) = (0, 1);
        while cell < all[feature].count {
            on[all[feature].cells[cell] as usize].0[feature] = power;
            power = power.wrapping_mul(3);
            cell += 1;
        }
        feature += 1;
    }
    on
}

/// The indices of a board, counted from nothing.
pub fn indices(board: Board) -> Lanes {
    let mut lanes = Lanes::ZERO;
    for (lane, placement) in lanes.0.iter_mut().zip(&PLACEMENTS) {
        for &cell in placement.cells().iter().rev() {
            let own = (board.player >> cell & 1) as i16;
            let other = (board.opponent >> cell & 1) as i16;
            *lane = *lane * 3 + own - other;
        }
    }
    lanes
}

/// Beside the patterns a few counts have tables of their own: moves of the side to move, moves of the other side.
pub const COUNTS: usize = 2;
/// Entries of each; higher counts share the last one.
pub const COUNT_SIZE: usize = 32;

pub fn counts(board: Board) -> [usize; COUNTS] {
    let last = COUNT_SIZE - 1;
    [board.moves(), board.pass().moves()].map(|moves| (moves.count() as usize).min(last))
}

/// For each entry of a kind's table the number of the weight it uses: entries that are images of each other under the
/// symmetries of the kind share one. Numbers run from 0 without gaps; the second value is their count.
pub fn shared(kind: usize) -> (Vec<u16>, usize) {
    let turns: Vec<Turn> = own_symmetries(KINDS[kind].cells).iter().map(|turn| Turn::new(turn)).collect();
    let mut number = vec![u16::MAX; table_size(kind)];
    let mut count = 0;
    for entry in 0..number.len() {
        // The smallest image comes first, so an entry that has no number yet starts a new class.
        if number[entry] == u16::MAX {
            for turn in &turns {
                number[turn.of(entry)] = count;
            }
            count += 1;
        }
    }
    (number, usize::from(count))
}

/// A symmetry of a kind acting on table entries. Entries are sums over their digits, so two short tables do for the
/// low and the high ones: unfolding the weights must not hold up a first move.
struct Turn {
    low: Vec<usize>,
    high: Vec<usize>,
}

impl Turn {
    fn new(turn: &[usize]) -> Turn {
        let size = 3usize.pow(turn.len() as u32 / 2);
        let high = 3usize.pow(turn.len() as u32) / size;
        Turn {
            low: (0..size).map(|entry| turned(entry, turn)).collect(),
            high: (0..high).map(|entry| turned(entry * size, turn)).collect(),
        }
    }

    fn of(&self, entry: usize) -> usize {
        self.low[entry % self.low.len()] + self.high[entry / self.low.len()]
    }
}

/// The permutations of the cells that symmetries of the board make when they map the kind onto itself.
fn own_symmetries(cells: &[u8]) -> Vec<Vec<usize>> {
    let place_of = |square: u8| cells.iter().position(|&c| c == square);
    (0..8).filter_map(|s| image(cells, s)[..cells.len()].iter().map(|&c| place_of(c)).collect()).collect()
}

fn turned(entry: usize, turn: &[usize]) -> usize {
    let mut rest = entry;
    let mut out = 0;
    for &to in turn {
        out += rest % 3 * 3usize.pow(to as u32);
        rest /= 3;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_placed_as_often_as_its_symmetry_says() {
        for (kind, k) in KINDS.iter().enumerate() {
            let placed = PLACEMENTS.iter().filter(|p| p.kind == kind).count();
            assert_eq!(placed * own_symmetries(k.cells).len(), 8);
        }
    }

    #[test]
    fn images_share_their_weight() {
        for (kind, k) in KINDS.iter().enumerate() {
            let (number, count) = shared(kind);
            assert_eq!(number.iter().copied().max(), Some(count as u16 - 1));
            for turn in own_symmetries(k.cells) {
                assert!((0..number.len()).all(|e| number[turned(e, &turn)] == number[e]));
            }
        }
        // A line read from either end: (3^8 + 3^4) / 2.
        let line = 0;
        assert_eq!(shared(line).1, 3321);
    }
}
