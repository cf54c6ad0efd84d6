//! Work on the command line: one file per subcommand.
pub mod batch;
pub mod bench;
pub mod bench_go;
pub mod book;
pub mod doctor;
pub mod fleet;
pub mod gopal;
pub mod kinds;
pub mod licences;
pub mod online;
pub mod packaging;
pub mod perft;
mod plot;
pub mod pool;
pub mod prove;
pub mod report;
pub mod scale;
pub mod serve;
pub mod soak;
pub mod solve;
pub mod suite;

#[path = "match/mod.rs"]
pub mod tournament;
pub mod train;

#[cfg(test)]
mod phrases;
#[cfg(test)]
mod readme;
