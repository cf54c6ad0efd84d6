//! The inner loops of the evaluation with 256-bit vectors.
#![expect(unsafe_code, reason = "vector instructions and unchecked table look-ups")]

use super::patterns::{CENTRE, DISC_ON, LANES, Lanes, REACH, TABLES};
use crate::othello::Square;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_load_si256, _mm256_max_epi16, _mm256_min_epi16, _mm256_setzero_si256,
    _mm256_store_si256, _mm256_sub_epi16,
};

const VECTORS: usize = LANES / 16;
type Vectors = [__m256i; VECTORS];

#[inline]
fn load(lanes: &Lanes) -> Vectors {
    let start: *const __m256i = lanes.0.as_ptr().cast();
    // SAFETY: `Lanes` is aligned to 32 bytes and holds exactly VECTORS vectors.
    std::array::from_fn(|i| unsafe { _mm256_load_si256(start.add(i)) })
}

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

#[inline]
fn add(a: &Vectors, b: &Vectors) -> Vectors {
    // SAFETY: the file is compiled only where AVX2 is there.
    std::array::from_fn(|i| unsafe { _mm256_add_epi16(a[i], b[i]) })
}

/// See `portable::after`.
#[inline]
pub fn after(lanes: &Lanes, square: Square, flips: u64) -> Lanes {
    // SAFETY: the file is compiled only where AVX2 is there.
    let zero = unsafe { _mm256_setzero_si256() };
    let mut turned = [zero; VECTORS];
    let mut rest = flips;
    while rest != 0 {
        turned = add(&turned, &load(&DISC_ON[Square::wrapping(rest.trailing_zeros()).index()]));
        rest &= rest - 1;
    }
    let placed = add(&load(lanes), &load(&DISC_ON[square.index()]));
    let sum = add(&placed, &add(&turned, &turned));
    // SAFETY: as above.
    store(&std::array::from_fn(|i| unsafe { _mm256_sub_epi16(zero, sum[i]) }))
}

/// See `portable::sum`.
#[inline]
pub fn sum(lanes: &Lanes, tables: &[i16]) -> i32 {
    assert!(tables.len() > TABLES);
    let (indices, reach) = (load(lanes), load(&REACH));
    let inside: Vectors = std::array::from_fn(|i| {
        // SAFETY: the file is compiled only where AVX2 is there.
        unsafe {
            let low = _mm256_sub_epi16(_mm256_setzero_si256(), reach[i]);
            _mm256_max_epi16(_mm256_min_epi16(indices[i], reach[i]), low)
        }
    });
    let inside = store(&inside);
    (0..LANES)
        .map(|lane| {
            let place = CENTRE[lane].wrapping_add_signed(i32::from(inside.0[lane])) as usize;
            // SAFETY: CENTRE ± REACH stays within the kind's table, all tables within TABLES, and an unused lane
            // (reach 0) points to entry TABLES, which the assertion has seen.
            i32::from(unsafe { *tables.get_unchecked(place) })
        })
        .sum()
}
