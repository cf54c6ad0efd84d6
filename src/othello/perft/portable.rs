//! The walk for all processors.

use crate::{base::kernel::for_portable as tuned, othello::flip::portable as flip};

#[path = "walk.rs"]
mod walk;

pub use walk::count;
