//! The inner loops of the evaluation where gathering sixteen numbers is one instruction; the rest is that of `avx2`.
#![expect(unsafe_code, reason = "vector instructions and unchecked table look-ups")]

pub use super::avx2::{after, forward, hidden, inside};
use super::patterns::{CENTRE, LANES, Lanes, TABLES};
use crate::{base::kernel::for_avx512 as tuned, othello::flip::avx512 as flip};
use macro_rules_attribute::apply;
use std::arch::x86_64::*;

#[path = "judge.rs"]
mod judge;

#[cfg(test)]
pub use judge::net_value;
pub use judge::{moved, rough_value, value, value_near};

/// See `portable::sum`.
#[apply(tuned)]
#[inline]
pub fn sum(inside: &Lanes, tables: &[i16]) -> i32 {
    const { assert!(LANES.is_multiple_of(16)) };
    // One more than is pointed to: a look-up reads two numbers, of which the upper one is thrown away.
    assert!(tables.len() > TABLES + 1);
    // SAFETY: CENTRE ± REACH stays within the kind's table, all tables
    // within TABLES, and an unused lane points to entry TABLES; all callers have the lanes from `inside`.
    unsafe {
        let mut sums = _mm512_setzero_si512();
        for lane in (0..LANES).step_by(16) {
            let index = _mm512_cvtepi16_epi32(_mm256_load_si256(inside.0.as_ptr().add(lane).cast()));
            let place = _mm512_add_epi32(index, _mm512_loadu_si512(CENTRE.as_ptr().add(lane).cast()));
            let found = _mm512_i32gather_epi32::<2>(place, tables.as_ptr().cast());
            sums = _mm512_add_epi32(sums, _mm512_srai_epi32::<16>(_mm512_slli_epi32::<16>(found)));
        }
        _mm512_reduce_add_epi32(sums)
    }
}
