//! The inner loops of the evaluation with 256-bit vectors.
#![expect(unsafe_code, reason = "vector instructions and unchecked table look-ups")]

use super::net::{Hidden, INNER, ROW_TOP, Row, Stage, UNIT_TOP, WIDTH};
use super::patterns::{CENTRE, COUNTS, DISC_ON, LANES, Lanes, REACH, TABLES};
use crate::{
    base::kernel::for_avx2 as tuned,
    othello::{Square, flip::avx2 as flip},
};
use macro_rules_attribute::apply;
use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_load_si128, _mm_packus_epi16, _mm_shuffle_epi32, _mm_storeu_si128,
    _mm256_add_epi16, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256,
    _mm256_load_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi16, _mm256_max_epi32,
    _mm256_min_epi16, _mm256_min_epi32, _mm256_mullo_epi32, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
    _mm256_srai_epi32, _mm256_srli_epi16, _mm256_store_si256, _mm256_sub_epi16,
};

#[path = "judge.rs"]
mod judge;

#[cfg(test)]
pub use judge::net_value;
pub use judge::{moved, rough_value, value, value_near};

const VECTORS: usize = LANES / 16;
type Vectors = [__m256i; VECTORS];

#[apply(tuned)]
#[inline]
fn load(lanes: &Lanes) -> Vectors {
    let start: *const __m256i = lanes.0.as_ptr().cast();
    // SAFETY: `Lanes` is aligned to 32 bytes and holds exactly VECTORS vectors.
    std::array::from_fn(|i| unsafe { _mm256_load_si256(start.add(i)) })
}

#[apply(tuned)]
#[inline]
fn store(vectors: &Vectors) -> Lanes {
    let mut lanes = Lanes::ZERO;
    let start: *mut __m256i = lanes.0.as_mut_ptr().cast();
    for (i, &v) in vectors.iter().enumerate() {
        // SAFETY: as in `load`.
        unsafe { _mm256_store_si256(start.add(i), v) };
    }
    lanes
}

#[apply(tuned)]
#[inline]
fn add(a: &Vectors, b: &Vectors) -> Vectors {
    std::array::from_fn(|i| _mm256_add_epi16(a[i], b[i]))
}

/// See `portable::after`.
#[apply(tuned)]
#[inline]
pub fn after(lanes: &Lanes, square: Square, flips: u64) -> Lanes {
    let zero = _mm256_setzero_si256();
    let mut turned = [zero; VECTORS];
    let mut rest = flips;
    while rest != 0 {
        turned = add(&turned, &load(&DISC_ON[Square::wrapping(rest.trailing_zeros()).index()]));
        rest &= rest - 1;
    }
    let placed = add(&load(lanes), &load(&DISC_ON[square.index()]));
    let sum = add(&placed, &add(&turned, &turned));
    store(&std::array::from_fn(|i| _mm256_sub_epi16(zero, sum[i])))
}

/// See `portable::inside`.
#[apply(tuned)]
#[inline]
pub fn inside(lanes: &Lanes) -> Lanes {
    let (indices, reach) = (load(lanes), load(&REACH));
    store(&std::array::from_fn(|i| {
        let low = _mm256_sub_epi16(_mm256_setzero_si256(), reach[i]);
        _mm256_max_epi16(_mm256_min_epi16(indices[i], reach[i]), low)
    }))
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
    assert!(rows.len() > TABLES);
    // SAFETY: a row is 16 bytes, aligned to 16.
    let wide = |row: &Row| unsafe { _mm256_cvtepi8_epi16(_mm_load_si128((&raw const row.0).cast())) };
    // SAFETY: 16 numbers of 16 bits; any address will do.
    let mut sum = unsafe { [_mm256_loadu_si256(start.as_ptr().cast()), _mm256_setzero_si256()] };
    for lane in 0..LANES {
        // SAFETY: as in `sum`.
        let row = wide(unsafe { entry(rows, inside, lane) });
        sum[lane % 2] = _mm256_add_epi16(sum[lane % 2], row);
    }
    for row in counted {
        sum[0] = _mm256_add_epi16(sum[0], wide(row));
    }
    let mut hidden = Hidden([0; WIDTH]);
    // SAFETY: `Hidden` is aligned to 32 bytes and has as many.
    unsafe { _mm256_store_si256(hidden.0.as_mut_ptr().cast(), _mm256_add_epi16(sum[0], sum[1])) };
    hidden
}

/// See `portable::forward`.
#[apply(tuned)]
#[inline]
pub fn forward(hidden: &Hidden, stage: &Stage) -> i32 {
    const { assert!(INNER == 16 && WIDTH == 16) };
    // SAFETY: `Hidden` and `Stage` are aligned to 32 bytes, and all sizes before `start` are multiples of that.
    unsafe {
        let zero = _mm256_setzero_si256();
        let sums = _mm256_load_si256(hidden.0.as_ptr().cast());
        let cut = _mm256_min_epi16(_mm256_max_epi16(sums, zero), _mm256_set1_epi16(ROW_TOP));
        let half = _mm256_srli_epi16::<1>(cut);
        let bytes = _mm_packus_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
        let mut fours = [0i32; WIDTH / 4];
        _mm_storeu_si128(fours.as_mut_ptr().cast(), bytes);
        let starts: *const __m256i = stage.inner_start.as_ptr().cast();
        let mut units = [_mm256_loadu_si256(starts), _mm256_loadu_si256(starts.add(1))];
        let ones = _mm256_set1_epi16(1);
        for (four, weights) in fours.iter().zip(&stage.mixed) {
            let inputs = _mm256_set1_epi32(*four);
            let weights: *const __m256i = weights.as_ptr().cast();
            for (i, unit) in units.iter_mut().enumerate() {
                let pairs = _mm256_maddubs_epi16(inputs, _mm256_loadu_si256(weights.add(i)));
                *unit = _mm256_add_epi32(*unit, _mm256_madd_epi16(pairs, ones));
            }
        }
        let last: *const __m256i = stage.last.as_ptr().cast();
        let mut result = zero;
        for (i, unit) in units.iter().enumerate() {
            let cut = _mm256_srai_epi32::<6>(*unit);
            let cut = _mm256_min_epi32(_mm256_max_epi32(cut, zero), _mm256_set1_epi32(UNIT_TOP));
            result = _mm256_add_epi32(result, _mm256_mullo_epi32(cut, _mm256_loadu_si256(last.add(i))));
        }
        let four = _mm_add_epi32(_mm256_castsi256_si128(result), _mm256_extracti128_si256::<1>(result));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
        (_mm_cvtsi128_si32(one) + stage.last_start) >> 6
    }
}
