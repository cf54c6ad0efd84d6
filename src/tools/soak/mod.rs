//! `shirokuro soak`: this very program as other processes, treated badly: random clients, kills, broken files, full disks
//! and stops at any moment. What must never happen is looked for all the time.

mod cases;
mod client;
mod disks;
mod files;
mod scenes;
mod stage;
mod stops;
mod talk;

use crate::base::Rng;
use scenes::SCENES;
use stage::{Failure, Outcome, Played, Stage};
use std::{
    collections::BTreeMap,
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP)]
pub struct SoakArgs {
    /// How long, in minutes
    #[arg(long, value_name = "N", default_value_t = 10.0)]
    pub minutes: f64,
    /// At most so many scenes
    #[arg(long, value_name = "N")]
    pub scenes: Option<u64>,
    /// The seed of the first scene; each later one has the next number [default: from the time of day]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Scenes at once
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub jobs: u32,
    /// Instead: stop every command of every protocol so many times, and measure how soon it ends
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub stops: Option<u32>,
    /// With --stops: what 99 of 100 stops may take at most, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50, requires = "stops")]
    pub within: u64,
    /// With --stops: only commands with this in their name, such as `book`
    #[arg(long, value_name = "NAME", default_value = "", requires = "stops")]
    pub only: String,
}

const HELP: &str = "\
Example: shirokuro soak --minutes 30

Plays scenes with processes of this program: random clients of all protocols and both games, kills in the middle of a
save, two processes on one book, files that others change, disks without room. No process may panic, hang, end in a
way it was not asked to, leave a question without its answer, or lose what it said was saved.
The exit code is 1 if one did, or if a stop took too long. A scene is played again with `--seed SEED --scenes 1`.";

/// After so many failures there is enough to look at.
const ENOUGH: usize = 10;

/// Does what is asked; true if all was well.
pub fn run(args: &SoakArgs, out: &mut (dyn Write + Send)) -> io::Result<bool> {
    match args.stops {
        Some(stops) => stop_all(stops, args, out),
        None => play_scenes(args, out),
    }
}

fn stop_all(stops: u32, args: &SoakArgs, out: &mut dyn Write) -> io::Result<bool> {
    let folder = tempfile::tempdir()?;
    files::for_stops(folder.path())?;
    let plan = stops::Plan {
        stops: stops as usize,
        within: Duration::from_millis(args.within),
        only: &args.only,
        seed: args.seed.unwrap_or(1),
    };
    stops::measure(&plan, folder.path(), out)
}

/// What became of the scenes of one name.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    played: u64,
    survived: u64,
    not_here: u64,
}

struct Results<'a> {
    tallies: BTreeMap<&'static str, Tally>,
    failures: usize,
    out: &'a mut (dyn Write + Send),
}

impl Results<'_> {
    fn add(&mut self, name: &'static str, seed: u64, outcome: Outcome) -> io::Result<()> {
        let tally = self.tallies.entry(name).or_default();
        match outcome {
            Ok(Played::NotHere) => tally.not_here += 1,
            Ok(Played::Survived) => {
                tally.played += 1;
                tally.survived += 1;
            }
            Err(Failure { what, dialogue }) => {
                tally.played += 1;
                self.failures += 1;
                writeln!(self.out, "FAILED: {name}: {what}\n{dialogue}")?;
                writeln!(self.out, "again: shirokuro soak --seed {seed} --scenes 1\n")?;
                self.out.flush()?;
            }
        }
        Ok(())
    }

    fn table(&mut self) -> io::Result<()> {
        writeln!(self.out, "{:<32} {:>7} {:>9} {:>7}", "scene", "played", "survived", "failed")?;
        for scene in SCENES {
            let Tally { played, survived, not_here } = self.tallies.get(scene.name).copied().unwrap_or_default();
            let note = if not_here > 0 { "  (cannot be played on this machine)" } else { "" };
            writeln!(self.out, "{:<32} {played:>7} {survived:>9} {:>7}{note}", scene.name, played - survived)?;
        }
        Ok(())
    }
}

fn play_scenes(args: &SoakArgs, out: &mut (dyn Write + Send)) -> io::Result<bool> {
    let limit = Duration::try_from_secs_f64(args.minutes * 60.0).map_err(io::Error::other)?;
    let (began, next) = (Instant::now(), AtomicU64::new(0));
    let first = args.seed.unwrap_or_else(|| Rng::from_seed_or_time(0).next_u64() >> 32);
    writeln!(out, "seed {first}")?;
    let results = Mutex::new(Results { tallies: BTreeMap::new(), failures: 0, out });
    let locked = || results.lock().unwrap_or_else(PoisonError::into_inner);
    let one_after_another = || -> io::Result<()> {
        while began.elapsed() < limit && locked().failures < ENOUGH {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if args.scenes.is_some_and(|most| number >= most) {
                break;
            }
            let seed = first.wrapping_add(number);
            let (name, outcome) = play(seed);
            locked().add(name, seed, outcome)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..args.jobs).map(|_| scope.spawn(one_after_another)).collect();
        jobs.into_iter().try_for_each(|job| job.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
    })?;
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.table()?;
    let played: u64 = results.tallies.values().map(|tally| tally.played).sum();
    if played == 0 {
        return Err(io::Error::other("no scene was played"));
    }
    Ok(results.failures == 0)
}

/// Plays the scene of a seed in a folder of its own.
fn play(seed: u64) -> (&'static str, Outcome) {
    let (scene, rng) = scenes::of_seed(seed);
    let outcome = tempfile::tempdir().map_err(Failure::from).and_then(|folder| {
        let mut stage = Stage { rng, folder: folder.path() };
        // A reader of files is tried here too: it may not fall over either.
        catch_unwind(AssertUnwindSafe(|| (scene.play)(&mut stage)))
            .unwrap_or_else(|_| Err(Failure::new("the book that was left made the reader panic", "")))
    });
    (scene.name, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_named_with_its_seed_and_counted() {
        let mut out = Vec::new();
        let mut results = Results { tallies: BTreeMap::new(), failures: 0, out: &mut out };
        let name = SCENES[0].name;
        results.add(name, 5, Ok(Played::Survived)).unwrap();
        results.add(name, 6, Err(Failure::new("a panic", "> go"))).unwrap();
        results.add(SCENES[1].name, 7, Ok(Played::NotHere)).unwrap();
        assert_eq!(results.tallies[name], Tally { played: 2, survived: 1, not_here: 0 });
        assert_eq!(results.failures, 1);
        results.table().unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains(&format!("FAILED: {name}: a panic\n> go\n")), "{text}");
        assert!(text.contains("again: shirokuro soak --seed 6 --scenes 1"), "{text}");
        assert!(text.contains("(cannot be played on this machine)"), "{text}");
    }
}
