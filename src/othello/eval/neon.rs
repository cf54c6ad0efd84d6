//! The inner loops of the evaluation with 128-bit vectors.
#![expect(unsafe_code, reason = "vector instructions and unchecked table look-ups")]

use super::net::{Hidden, INNER, ROW_TOP, Row, Stage, UNIT_TOP, WIDTH};
use super::patterns::{CENTRE, COUNTS, DISC_ON, LANES, Lanes, REACH, TABLES};
use crate::{
    base::kernel::for_neon as tuned,
    othello::{Square, flip::neon as flip},
};
use macro_rules_attribute::apply;
use std::arch::aarch64::*;

#[path = "judge.rs"]
mod judge;

#[cfg(test)]
pub use judge::net_value;
pub use judge::{moved, rough_value, value, value_near};

const VECTORS: usize = LANES / 8;
type Vectors = [int16x8_t; VECTORS];

#[apply(tuned)]
#[inline]
fn load(lanes: &Lanes) -> Vectors {
    let start = lanes.0.as_ptr();
    // SAFETY: `Lanes` holds exactly VECTORS vectors.
    std::array::from_fn(|i| unsafe { vld1q_s16(start.add(8 * i)) })
}

#[apply(tuned)]
#[inline]
fn store(vectors: &Vectors) -> Lanes {
    let mut lanes = Lanes::ZERO;
    let start = lanes.0.as_mut_ptr();
    for (i, &vector) in vectors.iter().enumerate() {
        // SAFETY: as in `load`.
        unsafe { vst1q_s16(start.add(8 * i), vector) };
    }
    lanes
}

#[apply(tuned)]
#[inline]
fn add(a: &Vectors, b: &Vectors) -> Vectors {
    std::array::from_fn(|i| vaddq_s16(a[i], b[i]))
}

/// See `portable::after`.
#[apply(tuned)]
#[inline]
pub fn after(lanes: &Lanes, square: Square, flips: u64) -> Lanes {
    let mut turned = [vdupq_n_s16(0); VECTORS];
    let mut rest = flips;
    while rest != 0 {
        turned = add(&turned, &load(&DISC_ON[Square::wrapping(rest.trailing_zeros()).index()]));
        rest &= rest - 1;
    }
    let placed = add(&load(lanes), &load(&DISC_ON[square.index()]));
    let sum = add(&placed, &add(&turned, &turned));
    store(&sum.map(|indices| vnegq_s16(indices)))
}

/// See `portable::inside`.
#[apply(tuned)]
#[inline]
pub fn inside(lanes: &Lanes) -> Lanes {
    let (indices, reach) = (load(lanes), load(&REACH));
    store(&std::array::from_fn(|i| vmaxq_s16(vminq_s16(indices[i], reach[i]), vnegq_s16(reach[i]))))
}

/// What a lane points to in tables of all entries.
///
/// # Safety
/// `of` must have more than [`TABLES`] elements, and the lanes must come from [`inside`].
#[apply(tuned)]
#[inline]
unsafe fn entry<'a, T>(of: &'a [T], inside: &Lanes, lane: usize) -> &'a T {
    let place = CENTRE[lane].wrapping_add_signed(i32::from(inside.0[lane])) as usize;
    // SAFETY: CENTRE ± REACH stays within the kind's table, all tables within TABLES, and an unused lane (reach 0)
    // points to entry TABLES.
    unsafe { of.get_unchecked(place) }
}

/// See `portable::sum`.
#[apply(tuned)]
#[inline]
pub fn sum(inside: &Lanes, tables: &[i16]) -> i32 {
    assert!(tables.len() > TABLES);
    // SAFETY: the assertion; all callers have the lanes from `inside`.
    (0..LANES).map(|lane| i32::from(unsafe { *entry(tables, inside, lane) })).sum()
}

/// See `portable::hidden`.
#[apply(tuned)]
#[inline]
pub fn hidden(inside: &Lanes, rows: &[Row], counted: [&Row; COUNTS], start: &[i16; WIDTH]) -> Hidden {
    const { assert!(WIDTH == 16) };
    assert!(rows.len() > TABLES);
    // SAFETY: 16 numbers of 16 bits.
    let mut sum = unsafe { [vld1q_s16(start.as_ptr()), vld1q_s16(start.as_ptr().add(8))] };
    let add = |sum: [int16x8_t; 2], row: &Row| {
        // SAFETY: a row is 16 bytes.
        let row = unsafe { vld1q_s8(row.0.as_ptr()) };
        [vaddw_s8(sum[0], vget_low_s8(row)), vaddw_high_s8(sum[1], row)]
    };
    // Two sums, so that one addition need not wait for the other.
    let mut other = [vdupq_n_s16(0); 2];
    for lane in (0..LANES).step_by(2) {
        // SAFETY: as in `sum`; LANES is even.
        let (row, next) = unsafe { (entry(rows, inside, lane), entry(rows, inside, lane + 1)) };
        sum = add(sum, row);
        other = add(other, next);
    }
    for row in counted {
        sum = add(sum, row);
    }
    let mut hidden = Hidden([0; WIDTH]);
    let start = hidden.0.as_mut_ptr();
    // SAFETY: room for 16 numbers of 16 bits.
    unsafe {
        vst1q_s16(start, vaddq_s16(sum[0], other[0]));
        vst1q_s16(start.add(8), vaddq_s16(sum[1], other[1]));
    }
    hidden
}

/// See `portable::forward`.
#[apply(tuned)]
#[inline]
pub fn forward(hidden: &Hidden, stage: &Stage) -> i32 {
    const { assert!(INNER == 16 && WIDTH == 16) };
    let sums = hidden.0.as_ptr();
    // SAFETY: 16 numbers of 16 bits.
    let sums = unsafe { [vld1q_s16(sums), vld1q_s16(sums.add(8))] };
    // Half of 255 at most: what fits into 7 bits, and two products into 16.
    let [low, high] = sums.map(|sum| {
        let cut = vminq_s16(vmaxq_s16(sum, vdupq_n_s16(0)), vdupq_n_s16(ROW_TOP));
        vshrn_n_s16::<1>(cut)
    });
    let fours = vreinterpretq_s32_s8(vcombine_s8(low, high));
    let fours = [
        vdupq_laneq_s32::<0>(fours),
        vdupq_laneq_s32::<1>(fours),
        vdupq_laneq_s32::<2>(fours),
        vdupq_laneq_s32::<3>(fours),
    ];
    let mut result = vdupq_n_s32(0);
    for units in (0..INNER).step_by(4) {
        // SAFETY: four numbers of 32 bits.
        let mut sum = unsafe { vld1q_s32(stage.inner_start[units..units + 4].as_ptr()) };
        for (four, weights) in fours.iter().zip(&stage.mixed) {
            let inputs = vreinterpretq_s8_s32(*four);
            // SAFETY: the weights of four units are 16 bytes.
            let weights = unsafe { vld1q_s8(weights[units..units + 4].as_flattened().as_ptr()) };
            let products = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
            sum = vpadalq_s16(sum, vpaddq_s16(products, vmull_high_s8(inputs, weights)));
        }
        let cut = vminq_s32(vmaxq_s32(vshrq_n_s32::<6>(sum), vdupq_n_s32(0)), vdupq_n_s32(UNIT_TOP));
        // SAFETY: four numbers of 32 bits.
        result = vmlaq_s32(result, cut, unsafe { vld1q_s32(stage.last[units..units + 4].as_ptr()) });
    }
    (vaddvq_s32(result) + stage.last_start) >> 6
}
