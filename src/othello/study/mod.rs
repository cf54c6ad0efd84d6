//! What a student of the game asks: the name of an opening, pictures, collections of games, what an analysis found.

pub mod analysis;
pub mod drill;
pub mod games;
pub mod league;
pub mod openings;
pub mod page;
pub mod picture;
pub mod problems;
pub mod review;
pub mod xot;
