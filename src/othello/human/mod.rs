//! How people play: which moves they take, how hard a position is for them, and an opponent that errs as they do.
//!
//! `README.md` beside this file tells how it works and how well it predicts.

pub mod difficulty;
pub mod features;
pub mod hint;
pub mod model;
pub mod player;

#[cfg(test)]
mod tests;

pub use model::{HumanModel, Likely, ModelError, Rating};
