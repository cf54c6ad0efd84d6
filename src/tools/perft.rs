//! `perft`: counts the lines of play from the start and tells the speed.

use crate::othello::{
    Board,
    perft::{perft, perft_parallel},
};
use std::{
    io::{self, Write},
    time::Instant,
};

/// Count the lines of play of each length up to DEPTH, without a table of positions seen
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct PerftArgs {
    /// The longest lines to count, in plies
    #[arg(default_value_t = 11, value_parser = clap::value_parser!(u32).range(0..=60))]
    pub depth: u32,
    /// Threads to count with
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// A pass takes no ply (otherwise it is a ply like any move)
    #[arg(long)]
    pub pass_free: bool,
}

pub fn run(args: &PerftArgs, out: &mut dyn Write) -> io::Result<()> {
    let pool = match args.threads {
        0 | 1 => None,
        n => Some(rayon::ThreadPoolBuilder::new().num_threads(n as usize).build().map_err(io::Error::other)?),
    };
    let count = |depth| match &pool {
        None => perft(Board::START, depth, !args.pass_free),
        Some(pool) => pool.install(|| perft_parallel(Board::START, depth, !args.pass_free)),
    };
    writeln!(out, "depth             lines      seconds         lines/s")?;
    for depth in 1..=args.depth {
        let start = Instant::now();
        let lines = count(depth);
        let seconds = start.elapsed().as_secs_f64();
        let speed = if seconds > 0.0 { lines as f64 / seconds } else { 0.0 };
        writeln!(out, "{depth:5} {lines:17} {seconds:12.6} {speed:15.0}")?;
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(threads: u32, pass_free: bool) -> Vec<u64> {
        let mut out = Vec::new();
        run(&PerftArgs { depth: 9, threads, pass_free }, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        text.lines().skip(1).map(|l| l.split_whitespace().nth(1).unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn prints_the_count_of_every_depth() {
        let expected = [4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288];
        assert_eq!(lines(1, false), expected);
        assert_eq!(lines(2, false), expected);
        assert_eq!(lines(1, true).last(), Some(&3_005_320));
    }
}
