//! What a position is worth: pattern weights and their incremental indices.
//!
//! `README.md` beside this file tells how it works, `LAB.md` what was tried and measured.

#[cfg(target_feature = "avx2")]
mod avx2;
#[cfg(target_feature = "avx512f")]
mod avx512;
pub mod error_model;
mod file;
pub mod net;
pub mod patterns;
#[cfg(any(test, not(target_feature = "avx2")))]
mod portable;
mod tracker;
mod weights;

#[cfg(all(target_feature = "avx2", not(target_feature = "avx512f")))]
use avx2 as kernel;
#[cfg(target_feature = "avx512f")]
use avx512 as kernel;
#[cfg(not(target_feature = "avx2"))]
use portable as kernel;

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
