//! The search tree for processors with NEON.

// No instruction of NEON finds the place of the least of eight.
use super::keys::portable::Keys;
use crate::{
    base::kernel::for_neon as tuned,
    othello::{eval::neon as judge, flip::neon as flip},
};

#[path = "tree/mod.rs"]
mod tree;

#[cfg(test)]
pub use tree::full_lines;
pub use tree::{search, stable};
