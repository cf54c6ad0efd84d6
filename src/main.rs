//! `shirokuro`: see `README.md` for what it does and `src/ARCHITECTURE.md` for how.

use shirokuro::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
