//! The inner loops of the evaluation in plain Rust: the truth the vector versions are tested against.

use super::net::{Hidden, INNER, ROW_TOP, Row, Stage, UNIT_TOP, WIDTH};
use super::patterns::{CENTRE, COUNTS, DISC_ON, Lanes, REACH};
use crate::{
    base::kernel::for_portable as tuned,
    othello::{BitBoard, Square, flip::portable as flip},
};

#[path = "judge.rs"]
mod judge;

pub use judge::{moved, net_value, rough_value, value, value_near};

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

/// The indices, none beyond its table even if they come from nonsense.
#[inline]
pub fn inside(lanes: &Lanes) -> Lanes {
    Lanes(std::array::from_fn(|lane| lanes.0[lane].clamp(-REACH.0[lane], REACH.0[lane])))
}

fn entries<'a, T>(of: &'a [T], inside: &'a Lanes) -> impl Iterator<Item = &'a T> {
    CENTRE.iter().zip(inside.0).map(|(centre, index)| &of[centre.wrapping_add_signed(index.into()) as usize])
}

/// The sum of the weights that the indices point to in the tables of one phase.
#[inline]
pub fn sum(inside: &Lanes, tables: &[i16]) -> i32 {
    entries(tables, inside).map(|&weight| i32::from(weight)).sum()
}

/// The rows that the indices and the counts point to, summed onto `start`.
#[inline]
pub fn hidden(inside: &Lanes, rows: &[Row], counted: [&Row; COUNTS], start: &[i16; WIDTH]) -> Hidden {
    let mut sum = *start;
    for row in entries(rows, inside).chain(counted) {
        sum.iter_mut().zip(row.0).for_each(|(s, r)| *s = s.wrapping_add(r.into()));
    }
    Hidden(sum)
}

/// The layers behind the rows.
#[inline]
pub fn forward(hidden: &Hidden, stage: &Stage) -> i32 {
    // Half the range, so that the products of two neighbours fit into 16 bits.
    let cut = hidden.0.map(|h| i32::from(h.clamp(0, ROW_TOP) >> 1));
    let mut result = stage.last_start;
    for unit in 0..INNER {
        let mut sum = stage.inner_start[unit];
        for (four, weights) in stage.mixed.iter().enumerate() {
            for (i, &weight) in weights[unit].iter().enumerate() {
                sum += cut[4 * four + i] * i32::from(weight);
            }
        }
        result += (sum >> 6).clamp(0, UNIT_TOP) * stage.last[unit];
    }
    result >> 6
}
