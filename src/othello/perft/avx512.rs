//! The walk for processors with AVX-512.

use crate::{base::kernel::for_avx512 as tuned, othello::flip::avx512 as flip};

#[path = "walk.rs"]
mod walk;

pub use walk::count;
