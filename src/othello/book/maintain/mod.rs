//! Keeping a book in order.

pub mod cut;
pub mod leaves;
pub mod merge;
pub mod sweep;
pub mod verify;
pub mod walk;
