//! The search tree for processors with AVX-512.

use super::keys::vector::Keys;
use crate::{
    base::kernel::for_avx512 as tuned,
    othello::{eval::avx512 as judge, flip::avx512 as flip},
};

#[path = "tree/mod.rs"]
mod tree;

#[cfg(test)]
pub use tree::full_lines;
pub use tree::{search, stable};
