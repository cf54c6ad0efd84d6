//! Work on the command line: one file per subcommand.
pub mod perft;

pub mod train;
