//! `shirokuro soak`: this very program as other processes, treated badly: random clients, kills, broken files, full disks
//! and stops at any moment. What must never happen is looked for all the time.

mod cases;
mod client;
mod files;
mod stops;

use std::{
    io::{self, Write},
    time::Duration,
};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP)]
pub struct SoakArgs {
    /// Stop every command of every protocol so many times, and measure how soon it ends
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub stops: Option<u32>,
    /// With --stops: what 99 of 100 stops may take at most, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50, requires = "stops")]
    pub within: u64,
    /// With --stops: only commands with this in their name, such as `book`
    #[arg(long, value_name = "NAME", default_value = "", requires = "stops")]
    pub only: String,
    /// Where the random numbers begin [default: from the time of day]
    #[arg(long)]
    pub seed: Option<u64>,
}

const HELP: &str = "\
Example: shirokuro soak --stops 200

The exit code is 1 if a stop took too long.";

/// Does what is asked; true if all was well.
pub fn run(args: &SoakArgs, out: &mut dyn Write) -> io::Result<bool> {
    let folder = tempfile::tempdir()?;
    let Some(stops) = args.stops else { return Err(io::Error::other("say what to do: --stops N")) };
    files::for_stops(folder.path())?;
    let plan = stops::Plan {
        stops: stops as usize,
        within: Duration::from_millis(args.within),
        only: &args.only,
        seed: args.seed.unwrap_or(1),
    };
    stops::measure(&plan, folder.path(), out)
}
