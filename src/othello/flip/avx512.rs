//! The kernels of `avx512_kernels` on processors that have what it takes.
#![expect(unsafe_code, reason = "vector instructions")]

use super::rays::{RAYS, Rays};
use std::arch::x86_64::*;

/// As [`super::portable::flips`].
#[inline]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    // SAFETY: this file is compiled only for targets that have AVX-512 F, CD and VL.
    unsafe { flips_avx512(&RAYS[square & 63], player, opponent) }
}

/// As [`super::portable::moves`].
#[inline]
pub fn moves(player: u64, opponent: u64) -> u64 {
    // SAFETY: this file is compiled only for targets that have AVX-512 F, CD and VL.
    unsafe { moves_avx512(player, opponent) }
}

super::avx512_kernels::kernels!(#[target_feature(enable = "avx2,avx512f,avx512cd,avx512vl")]);

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &[u64; 4]) -> __m256i {
    // SAFETY: the reference covers the 32 bytes read, and the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}
