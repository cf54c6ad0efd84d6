//! The walk for processors with NEON.

use crate::{base::kernel::for_neon as tuned, othello::flip::neon as flip};

#[path = "walk.rs"]
mod walk;

pub use walk::count;
