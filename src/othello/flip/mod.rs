//! The two kernels everything stands on: which discs a move turns, and which moves there are.
//!
//! `portable` is always compiled and is the truth the others are tested against.

pub mod portable;

pub use portable::{flips, moves};
