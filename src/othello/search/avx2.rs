//! The search tree for processors with AVX2.

use super::keys::vector::Keys;
use crate::{
    base::kernel::for_avx2 as tuned,
    othello::{eval::avx2 as judge, flip::avx2 as flip},
};

#[path = "tree/mod.rs"]
mod tree;

#[cfg(test)]
pub use tree::full_lines;
pub use tree::{search, stable};
