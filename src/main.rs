//! `shirokuro`: see `README.md` for what it does and `src/ARCHITECTURE.md` for how.

use shirokuro::{base::cpu, cli};
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(complaint) = cpu::complaint() {
        eprintln!("{complaint}");
        return ExitCode::FAILURE;
    }
    cli::run()
}
