//! Gopal at work on a Go board: frames, matching, candidate trees, and what a player makes of them.

pub mod compare;
pub mod compile;
pub mod follow;
pub mod forest;
pub mod frame;
pub mod from_board;
pub mod intents;
pub mod interpret;
pub mod library;
pub mod local;
pub mod matcher;
pub mod phase;
pub mod search;
pub mod tree;

#[cfg(test)]
mod corner_tests;
#[cfg(test)]
mod follow_tests;
#[cfg(test)]
mod from_board_tests;
#[cfg(test)]
mod local_tests;
#[cfg(test)]
mod tactics_tests;
#[cfg(test)]
mod tests;

pub use follow::Follower;
pub use forest::Candidate;
pub use library::Library;
#[cfg(test)]
pub use matcher::Matcher;
