//! The walk for processors with AVX2.

use crate::{base::kernel::for_avx2 as tuned, othello::flip::avx2 as flip};

#[path = "walk.rs"]
mod walk;

pub use walk::count;
