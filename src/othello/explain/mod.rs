//! Why a move is good or bad: first facts that can be counted, then a few sentences that only say what the facts hold.

pub mod facts;
mod reasons;

#[cfg(test)]
mod tests;

pub use facts::{Facts, LineFacts, MoveFacts, Searched};
pub use reasons::{sentences, why};
