//! The two inner loops of the evaluation in plain Rust: the truth the vector versions are tested against.

use super::patterns::{CENTRE, DISC_ON, LANES, Lanes, REACH};
use crate::othello::{BitBoard, Square};

/// The indices after a move on `square` that turns `flips`, as the other side sees them.
#[inline]
pub fn after(lanes: &Lanes, square: Square, flips: u64) -> Lanes {
    let mut turned = Lanes::ZERO;
    for square in BitBoard(flips) {
        add(&mut turned, &DISC_ON[square.index()]);
    }
    // A turned disc goes from −1 to +1.
    let mut sum = *lanes;
    add(&mut sum, &turned);
    add(&mut sum, &turned);
    add(&mut sum, &DISC_ON[square.index()]);
    Lanes(sum.0.map(i16::wrapping_neg))
}

#[inline]
fn add(sum: &mut Lanes, more: &Lanes) {
    for (s, m) in sum.0.iter_mut().zip(&more.0) {
        *s = s.wrapping_add(*m);
    }
}

/// The sum of the weights that the indices point to in the tables of one phase.
#[inline]
pub fn sum(lanes: &Lanes, tables: &[i16]) -> i32 {
    (0..LANES)
        .map(|lane| {
            let index = i32::from(lanes.0[lane].clamp(-REACH.0[lane], REACH.0[lane]));
            i32::from(tables[CENTRE[lane].wrapping_add_signed(index) as usize])
        })
        .sum()
}
