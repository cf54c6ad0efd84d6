//! The search tree, compiled once for each kernel: `root` deepens step by step, `midgame` searches above the endgame
//! layers, `endgame` and `last` solve below them.
//!
//! What the hot loops need of a kernel comes from the module that holds this one: `flip`, `judge` and `Keys`.

mod endgame;
mod last;
mod midgame;
mod ordering;
mod parallel;
mod root;
mod stability;
mod worker;

pub use root::search;
#[cfg(test)]
pub use stability::full_lines;
pub use stability::stable;

use super::{Keys, flip, judge, tuned};
