//! The kernels of `avx512_kernels` on processors that have what it takes.
#![expect(unsafe_code, reason = "vector instructions")]

use super::rays::RAYS;
use crate::base::kernel::for_avx512 as tuned;
use macro_rules_attribute::apply;
use std::arch::x86_64::*;

pub use super::lanes::avx2::Lanes;

super::avx512_kernels::kernels!(#[apply(tuned)]);

#[apply(tuned)]
#[inline]
fn load(lanes: &[u64; 4]) -> __m256i {
    // SAFETY: the reference covers the 32 bytes read, and the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}
