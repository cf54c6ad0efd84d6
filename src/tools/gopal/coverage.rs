//! `gopal coverage`: how much of real games a library knows.

use super::{GopalError, games, library};
use crate::go::gopal::{Follower, Library};
use crate::go::{GoGame, game::Play};
use std::{collections::BTreeMap, io::Write, path::PathBuf, sync::Arc};

#[derive(Debug, clap::Args)]
pub struct CoverageArgs {
    /// Games (SGF, or lines of `komi result moves`, also gzipped)
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,
    /// A program, as often as needed [default: those built in]
    #[arg(long = "program", value_name = "FILE")]
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
    /// Weight added to candidates with the intent of the side's last moves
    #[arg(long, value_name = "WEIGHT", default_value_t = 0)]
    intent: u16,
}

/// What was seen of an intent or a pattern.
#[derive(Default)]
struct Count {
    /// Positions in which it named a candidate.
    named: u32,
    /// Positions in which the move played was one of these.
    played: u32,
    /// The ranks of the moves played, added up.
    ranks: u64,
}

impl Count {
    fn add(&mut self, played: bool, rank: Option<usize>) {
        self.named += 1;
        if let (true, Some(rank)) = (played, rank) {
            self.played += 1;
            self.ranks += rank as u64;
        }
    }
}

#[derive(Default)]
struct Totals {
    positions: u32,
    covered: u32,
    candidates: u64,
    /// How often the move played had this rank, counted from 1.
    ranks: BTreeMap<usize, u32>,
    by_intent: BTreeMap<String, Count>,
    by_rule: BTreeMap<usize, Count>,
}

pub fn run(args: &CoverageArgs, out: &mut dyn Write) -> Result<(), GopalError> {
    let library = library(&args.programs)?;
    let mut lines = Vec::new();
    for file in &args.files {
        lines.extend(games::read(file)?.into_iter().filter(|line| !line.set_up));
    }
    let mut totals = Totals::default();
    for line in lines.iter().skip(args.skip).take(args.games) {
        if let Some((game, plays)) = games::replay(line, args.moves) {
            totals.add_game(&library, game, &plays, i64::from(args.intent));
        }
    }
    if totals.positions == 0 {
        return Err(GopalError::NoMoves(args.files.first().cloned().unwrap_or_default()));
    }
    totals.write(&library, out)
}

impl Totals {
    fn add_game(&mut self, library: &Arc<Library>, mut game: GoGame, plays: &[Play], bonus: i64) {
        let mut follower = Follower::new(library.clone(), &game);
        follower.set_bonus(bonus);
        for play in plays {
            game.set_to_move(play.colour);
            follower.follow(&game);
            self.add_position(&follower, &game, *play);
            if game.play_despite_superko(play.colour, play.point).is_err() {
                break;
            }
        }
    }

    fn add_position(&mut self, follower: &Follower, game: &GoGame, play: Play) {
        let found = follower.candidates();
        self.positions += 1;
        self.covered += u32::from(!found.is_empty());
        self.candidates += found.len() as u64;
        let rank = found.iter().position(|c| c.point == play.point).map(|i| i + 1);
        if let Some(rank) = rank {
            *self.ranks.entry(rank).or_default() += 1;
        }
        let (mut intents, mut rules): (BTreeMap<String, bool>, BTreeMap<usize, bool>) = Default::default();
        for c in follower.forest().all_candidates(game.board(), follower.move_number()) {
            let played = c.point == play.point;
            *intents.entry(c.intent.to_string()).or_default() |= played;
            *rules.entry(c.rule).or_default() |= played;
        }
        intents.into_iter().for_each(|(intent, played)| self.by_intent.entry(intent).or_default().add(played, rank));
        rules.into_iter().for_each(|(rule, played)| self.by_rule.entry(rule).or_default().add(played, rank));
    }

    fn write(&self, library: &Library, out: &mut dyn Write) -> Result<(), GopalError> {
        let hit: u32 = self.ranks.values().sum();
        let first = self.ranks.get(&1).copied().unwrap_or(0);
        let most: u32 = self.ranks.range(..=5).map(|(_, n)| n).sum();
        let each = self.candidates as f64 / f64::from(self.covered.max(1));
        writeln!(out, "positions            {}", self.positions)?;
        writeln!(out, "with candidates      {} ({:.1} %)", self.covered, share(self.covered, self.positions))?;
        writeln!(out, "candidates each      {each:.1}")?;
        writeln!(out, "move among them      {hit} ({:.1} % of those with candidates)", share(hit, self.covered))?;
        writeln!(out, "move ranked first    {first} ({:.1} %)", share(first, self.covered))?;
        writeln!(out, "among the first 5    {most} ({:.1} %)", share(most, self.covered))?;
        let head = |what| format!("\n{what:<28} {:>9} {:>9} {:>7} {:>9}", "positions", "played", "%", "mean rank");
        writeln!(out, "{}", head("intent"))?;
        for (intent, count) in &self.by_intent {
            write_count(out, intent, count)?;
        }
        writeln!(out, "{}", head("pattern"))?;
        let rules = || library.rules().iter().enumerate();
        for (number, rule) in rules() {
            if let Some(count) = self.by_rule.get(&number) {
                write_count(out, &rule.name, count)?;
            }
        }
        let never: Vec<&str> =
            rules().filter(|(number, _)| !self.by_rule.contains_key(number)).map(|(_, rule)| &*rule.name).collect();
        match never[..] {
            [] => writeln!(out, "\nevery pattern matched")?,
            _ => writeln!(out, "\nnever matched: {}", never.join(", "))?,
        }
        Ok(())
    }
}

fn share(n: u32, of: u32) -> f64 {
    100.0 * f64::from(n) / f64::from(of.max(1))
}

fn write_count(out: &mut dyn Write, name: &str, count: &Count) -> Result<(), GopalError> {
    let Count { named, played, ranks } = count;
    write!(out, "{name:<28} {named:>9} {played:>9} {:>7.1}", share(*played, *named))?;
    match played {
        0 => writeln!(out, " {:>9}", "-")?,
        _ => writeln!(out, " {:>9.1}", *ranks as f64 / f64::from(*played))?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_counted_by_intent_and_by_pattern() {
        let folder = tempfile::tempdir().unwrap();
        let [games, program] = ["games.sgf", "two.gopal"].map(|name| folder.path().join(name));
        // D4 and Q16 are stars, C3 is not; the third pattern cannot match on an open board.
        std::fs::write(&games, "(;GM[1]SZ[19];B[dp];W[pd];B[cq])").unwrap();
        let pattern = |name: &str, condition: &str, moves: &str| {
            format!(
                "pattern {name}; applied_place corner; pickup none; condition {condition};\n\
                 candidate with {moves}; end_candidate; end_pattern;\n"
            )
        };
        let text = pattern("star", "emparea(pa1, 4, 4)", "(sumijoban, 50) pd4")
            + &pattern("second", "emparea(pa1, 4, 4)", "(kakicho, 60) pc3")
            + &pattern("walled", "state(pa2) = enemy & state(pb1) = enemy", "(shikatsu, 10) pa1");
        std::fs::write(&program, text).unwrap();
        let args = CoverageArgs {
            files: vec![games.clone(), games],
            programs: vec![program],
            games: 9,
            skip: 0,
            moves: 3,
            intent: 0,
        };
        let mut out = Vec::new();
        run(&args, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        // First position: four times C3 before four times D4; second: three and three; third: the corner is not empty.
        for line in [
            "positions            6",
            "move among them      4 (66.7 % of those with candidates)",
            "move ranked first    0 (0.0 %)",
            "star                                 6         4    66.7       5.5",
            "second                               6         0     0.0         -",
            "never matched: walled",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
