//! The layers for one kind of processor.

use crate::base::kernel::for_portable as tuned;

#[path = "layers.rs"]
mod layers;
#[path = "slopes.rs"]
mod slopes;
#[path = "vector_portable.rs"]
mod vector;

pub use layers::{add_to_all, convolve, multiply, normalise, sum_and_most};
pub use slopes::{back_through_norm, correlate};
