//! What a position is worth: pattern weights and their incremental indices.
//!
//! `portable`, `avx2`, `avx512` and `neon` hold the inner loops, and `judge`, which is made of them, once for each kernel.
//! The search calls them directly; [`Weights::value`] takes the best that the processor has.
//!
//! `README.md` beside this file tells how it works, `LAB.md` what was tried and measured.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod error_model;
mod file;
#[cfg(target_arch = "aarch64")]
pub mod neon;
pub mod net;
pub mod patterns;
pub mod portable;
mod tracker;
mod weights;

pub use file::WeightsError;
pub use tracker::Tracker;
pub use weights::{Packing, Parameters, Weights};

/// One disc in the units of [`Weights::value`].
pub const DISC: i32 = 128;

/// The value of winning every square.
pub const LIMIT: i32 = 64 * DISC;

/// Weights are kept for every stage of the game: the number of stages, and the stage of a position.
pub const PHASES: usize = 30;

#[inline]
pub const fn phase(empties: u32) -> usize {
    let ply = 60usize.saturating_sub(empties as usize);
    let phase = ply * PHASES / 60;
    if phase < PHASES { phase } else { PHASES - 1 }
}
