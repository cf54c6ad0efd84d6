//! `gopal coverage`: how much of real games a library knows.

use super::{GopalError, games, library};
use crate::go::gopal::Follower;
use std::{collections::BTreeMap, io::Write, path::PathBuf};

#[derive(Debug, clap::Args)]
pub struct CoverageArgs {
    /// Games (SGF, or lines of `komi result moves`, also gzipped)
    games_file: PathBuf,
    /// Programs [default: those built in]
    programs: Vec<PathBuf>,
    /// Look at so many games
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: usize,
    /// Begin after so many games
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// Look at so many moves of a game
    #[arg(long, value_name = "N", default_value_t = 100)]
    moves: usize,
}

#[derive(Default)]
struct Count {
    /// Positions in which it named a candidate.
    named: u32,
    /// Positions in which the move played was one of these.
    played: u32,
}

pub fn run(args: &CoverageArgs, out: &mut dyn Write) -> Result<(), GopalError> {
    let library = library(&args.programs)?;
    let lines = games::read(&args.games_file)?;
    let (mut positions, mut covered, mut candidates) = (0u32, 0u32, 0u64);
    let mut ranks: BTreeMap<usize, u32> = BTreeMap::new();
    let mut by_intent: BTreeMap<String, Count> = BTreeMap::new();
    let mut by_rule: BTreeMap<usize, Count> = BTreeMap::new();
    for line in lines.iter().filter(|line| !line.set_up).skip(args.skip).take(args.games) {
        let Some((mut game, plays)) = games::replay(line, args.moves) else { continue };
        let mut follower = Follower::new(library.clone(), &game);
        for play in plays {
            game.set_to_move(play.colour);
            follower.follow(&game);
            let found = follower.candidates();
            positions += 1;
            covered += u32::from(!found.is_empty());
            candidates += found.len() as u64;
            if let Some(rank) = found.iter().position(|c| c.point == play.point) {
                *ranks.entry(rank + 1).or_default() += 1;
            }
            let all = follower.forest().all_candidates(game.board(), follower.move_number());
            let mut seen: BTreeMap<(usize, String), bool> = BTreeMap::new();
            for c in all {
                *seen.entry((c.rule, c.intent.to_string())).or_default() |= c.point == play.point;
            }
            for ((rule, intent), played) in seen {
                for count in [by_intent.entry(intent).or_default(), by_rule.entry(rule).or_default()] {
                    count.named += 1;
                    count.played += u32::from(played);
                }
            }
            if game.play_despite_superko(play.colour, play.point).is_err() {
                break;
            }
        }
    }
    if positions == 0 {
        return Err(GopalError::NoMoves(args.games_file.clone()));
    }
    let share = |n: u32, of: u32| 100.0 * f64::from(n) / f64::from(of.max(1));
    let hit: u32 = ranks.values().sum();
    writeln!(out, "positions            {positions}")?;
    writeln!(out, "with candidates      {covered} ({:.1} %)", share(covered, positions))?;
    writeln!(out, "candidates each      {:.1}", candidates as f64 / f64::from(covered.max(1)))?;
    writeln!(out, "move among them      {hit} ({:.1} % of those with candidates)", share(hit, covered))?;
    let first = ranks.get(&1).copied().unwrap_or(0);
    writeln!(out, "move ranked first    {first} ({:.1} %)", share(first, covered))?;
    let most = ranks.range(..=5).map(|(_, n)| n).sum();
    writeln!(out, "among the first 5    {most} ({:.1} %)", share(most, covered))?;
    writeln!(out, "\n{:<20} {:>9} {:>9} {:>7}", "intent", "positions", "played", "%")?;
    for (intent, Count { named, played }) in &by_intent {
        writeln!(out, "{intent:<20} {named:>9} {played:>9} {:>7.1}", share(*played, *named))?;
    }
    writeln!(out, "\n{:<20} {:>9} {:>9} {:>7}", "pattern", "positions", "played", "%")?;
    for (number, rule) in library.rules().iter().enumerate() {
        match by_rule.get(&number) {
            Some(Count { named, played }) => {
                writeln!(out, "{:<20} {named:>9} {played:>9} {:>7.1}", rule.name, share(*played, *named))?;
            }
            None => writeln!(out, "{:<20} {:>9}", rule.name, "never")?,
        }
    }
    Ok(())
}
