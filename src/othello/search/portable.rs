//! The search tree for all processors.

use super::keys::portable::Keys;
use crate::{
    base::kernel::for_portable as tuned,
    othello::{eval::portable as judge, flip::portable as flip},
};

#[path = "tree/mod.rs"]
mod tree;

#[cfg(test)]
pub use tree::full_lines;
pub use tree::{search, stable};
