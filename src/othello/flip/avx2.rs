//! Four lines at a time in one 256-bit register: a row, two diagonals and a column.
#![expect(unsafe_code, reason = "vector instructions")]

use super::rays::{RAYS, STEPS};
use crate::base::kernel::for_avx2 as tuned;
use macro_rules_attribute::apply;
use std::arch::x86_64::*;

pub use super::lanes::avx2::Lanes;

/// As [`super::portable::flips`].
#[apply(tuned)]
#[inline]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let rays = &RAYS[square & 63];
    let (up, down) = (load(&rays.up), load(&rays.down));
    let steps = load(&STEPS.map(|s| s as u64));
    let player = _mm256_set1_epi64x(player as i64);
    let opponent = _mm256_set1_epi64x(opponent as i64);

    // Upwards the first square that is not the opponent's is the lowest bit of what is left of the ray.
    let open = _mm256_andnot_si256(opponent, up);
    let first = _mm256_and_si256(open, _mm256_sub_epi64(_mm256_setzero_si256(), open));
    let anchor = _mm256_and_si256(first, player);
    // All below the anchor; nothing when there is none.
    let none = _mm256_cmpeq_epi64(anchor, _mm256_setzero_si256());
    let below = _mm256_sub_epi64(_mm256_add_epi64(anchor, _mm256_set1_epi64x(-1)), none);
    let turned_up = _mm256_and_si256(below, up);

    // Downwards it is the highest bit: shade everything beyond the first such square and take what is not shaded.
    let open = _mm256_andnot_si256(opponent, down);
    let shade = _mm256_srlv_epi64(open, steps);
    let shade = _mm256_or_si256(shade, _mm256_srlv_epi64(shade, steps));
    let shade = _mm256_or_si256(shade, _mm256_srlv_epi64(shade, _mm256_add_epi64(steps, steps)));
    let shade = _mm256_or_si256(shade, _mm256_srlv_epi64(shade, _mm256_slli_epi64(steps, 2)));
    let anchor = _mm256_and_si256(_mm256_andnot_si256(shade, open), player);
    // All above the anchor: minus twice the bit; nothing when there is none.
    let above = _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_add_epi64(anchor, anchor));
    let turned_down = _mm256_and_si256(above, down);

    join(_mm256_or_si256(turned_up, turned_down))
}

/// As [`super::portable::moves`].
#[apply(tuned)]
#[inline]
pub fn moves(player: u64, opponent: u64) -> u64 {
    let steps = load(&STEPS.map(|s| s as u64));
    let twice = _mm256_add_epi64(steps, steps);
    // A run sideways or aslant never includes the columns a and h.
    let inner = load(&[0x7E7E_7E7E_7E7E_7E7E, 0x7E7E_7E7E_7E7E_7E7E, !0, 0x7E7E_7E7E_7E7E_7E7E]);
    let own = _mm256_set1_epi64x(player as i64);
    let other = _mm256_and_si256(_mm256_set1_epi64x(opponent as i64), inner);

    let mut up = _mm256_and_si256(other, _mm256_sllv_epi64(own, steps));
    let mut down = _mm256_and_si256(other, _mm256_srlv_epi64(own, steps));
    up = _mm256_or_si256(up, _mm256_and_si256(other, _mm256_sllv_epi64(up, steps)));
    down = _mm256_or_si256(down, _mm256_and_si256(other, _mm256_srlv_epi64(down, steps)));
    let pairs_up = _mm256_and_si256(other, _mm256_sllv_epi64(other, steps));
    let pairs_down = _mm256_srlv_epi64(pairs_up, steps);
    for _ in 0..2 {
        up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
        down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));
    }
    let ends = _mm256_or_si256(_mm256_sllv_epi64(up, steps), _mm256_srlv_epi64(down, steps));
    join(ends) & !(player | opponent)
}

#[apply(tuned)]
#[inline]
fn load(lanes: &[u64; 4]) -> __m256i {
    // SAFETY: the reference covers the 32 bytes read, and the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

/// The union of the four lanes.
#[apply(tuned)]
#[inline]
fn join(lanes: __m256i) -> u64 {
    let two = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    _mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))) as u64
}
