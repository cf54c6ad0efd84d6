//! The opening book: store, look-up, learning, maintenance, formats.

pub mod disk;
mod edax_stats;
pub mod entry;
pub mod formats;
pub mod graph;
pub mod image;
pub mod store;
pub mod synth;
pub mod table;

pub use entry::{Entry, Leaf, Level, Source};
pub use graph::Positions;
pub use store::Store;
pub use table::Table;
