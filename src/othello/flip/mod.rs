//! The two kernels everything stands on: which discs a move turns, and which moves there are.
//!
//! `portable` is the truth the others are tested against. The hot loops call the functions of one module directly; for
//! everybody else [`flips`] and [`moves`] take the best that the processor has.
#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "calls of code for instructions that the processor has")
)]

pub mod lanes;

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(any(test, target_arch = "x86_64"))]
mod avx512_kernels;
#[cfg(test)]
mod emulated;
#[cfg(target_arch = "aarch64")]
pub mod neon;
pub mod portable;
mod rays;

#[cfg(test)]
mod tests;

use crate::base::kernel::dispatch;

/// The opponent's discs turned by `player` playing on square number `square`; 0 when the move is not legal.
#[inline]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    dispatch!(flips(square, player, opponent))
}

/// The squares where `player` may move.
#[inline]
pub fn moves(player: u64, opponent: u64) -> u64 {
    dispatch!(moves(player, opponent))
}
