//! The two kernels everything stands on: which discs a move turns, and which moves there are.
//!
//! `portable` is the truth the others are tested against. The best one the target has is chosen here, at compile time,
//! and nowhere else; tests compile all that the target can run.

pub mod lanes;

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
pub mod portable;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    any(test, not(all(target_feature = "avx512f", target_feature = "avx512cd", target_feature = "avx512vl")))
))]
pub mod avx2;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512cd",
    target_feature = "avx512vl"
))]
pub mod avx512;
#[cfg(any(test, all(target_feature = "avx512f", target_feature = "avx512cd", target_feature = "avx512vl")))]
mod avx512_kernels;
#[cfg(test)]
mod emulated;
#[cfg(any(test, all(target_arch = "x86_64", target_feature = "avx2")))]
mod rays;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    not(all(target_feature = "avx512f", target_feature = "avx512cd", target_feature = "avx512vl"))
))]
use avx2 as chosen;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512cd",
    target_feature = "avx512vl"
))]
use avx512 as chosen;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
use portable as chosen;

pub use chosen::{flips, moves};

/// The name of the kernel this binary uses.
pub const KERNEL: &str = if cfg!(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512cd",
    target_feature = "avx512vl"
)) {
    "AVX-512"
} else if cfg!(all(target_arch = "x86_64", target_feature = "avx2")) {
    "AVX2"
} else {
    "portable"
};

#[cfg(test)]
mod tests;
