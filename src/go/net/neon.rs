//! The layers for one kind of processor.

use crate::base::kernel::for_neon as tuned;

#[path = "layers.rs"]
mod layers;
#[path = "vector_neon.rs"]
mod vector;

pub use layers::{add_to_all, convolve, multiply, normalise, sum_and_most};
