//! The options of a match, on the command line and in a match file.

use super::{
    clock::ClockSource,
    openings::{self, Opening, OpeningError},
    referee::GameKind,
    schedule::Format,
    spec::{Adapters, EngineSpec, SpecError},
    stats::Sprt,
};
use crate::go::rules::NotARuleSet;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};

/// Plays engines against each other and says which is stronger, and how sure that is.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_help = AFTER_HELP, after_long_help = AFTER_LONG_HELP)]
pub struct MatchArgs {
    /// An engine, or the name of one in a --config file
    ///
    /// `self:level=10,threads=1`, or `name=x,cmd="prog args",proto=gtp|nboard|console|edax|egaroucid` with level=,
    /// depth=, nodes=, threads=, tc=, dir=, env.X=, option.X=, send=, swallow-passes=true, restart=true. If any is
    /// named that a --config file describes, only those named take part.
    #[arg(short, long = "engine", value_name = "ENGINE")]
    pub engines: Vec<String>,
    /// A match file (TOML): [match] holds options, [[engine]] engines, [adapter.NAME] consoles
    #[arg(short, long, value_name = "FILE")]
    pub config: Vec<PathBuf>,
    /// Keep everything there: results.jsonl, games.ggf or .sgf, index.html, and the dialogues with --logs
    #[arg(short, long, value_name = "DIR", conflicts_with = "resume")]
    pub out: Option<PathBuf>,
    /// Go on with the match kept in DIR
    #[arg(long, value_name = "DIR", conflicts_with_all = ["engines", "config"])]
    pub resume: Option<PathBuf>,
    /// Let the workers of a fleet play, pairs of games each: the URL of its queue; engines are of this program
    #[arg(long, value_name = "URL")]
    pub fleet: Option<String>,
    #[command(flatten)]
    pub options: MatchOptions,
}

const AFTER_HELP: &str = "\
Engines: self:level=10,threads=1, or name=x,cmd=\"prog args\",proto=gtp. Time controls: 300, 60+0.6, move=1.
`shirokuro help match` lists every option, the keys of an engine, all time controls and the exit codes.

Example: shirokuro match -e self:level=10 -e self:level=8 -n 100 --openings openings.txt -o match-1";

const AFTER_LONG_HELP: &str = "\
Time controls (--tc, tc=): 300 or 5:00 (whole game), 60+0.6 (increment), move=1 (each move), main=60,delay=2, \
main=600,byo=30,moves=5 (30 s for every 5 moves), main=60,byo=10,periods=3. Without one engines think as long \
as their level, depth or nodes take.

Exit codes: 0 finished, or SPRT accepted H1; 1 error; 2 wrong usage; 3 SPRT accepted H0; 4 interrupted, go on \
with --resume; 5 (with --strict) a game was lost by a fault (crash, silence, garbage, illegal move, timeout).

Example: shirokuro match -e self:level=10 -e self:level=8 -n 100 --openings openings.txt -o match-1";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum GameName {
    #[default]
    Othello,
    Go,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum RecordFormat {
    #[default]
    Ggf,
    Sgf,
}

/// Every field may be missing: what the command line leaves open the match file may say.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchOptions {
    /// The game [default: othello]
    #[arg(long, value_enum)]
    pub game: Option<GameName>,
    /// Size of the Go board [default: 9]
    #[arg(long, value_name = "N")]
    pub size: Option<u8>,
    /// Komi of Go games [default: 7]
    #[arg(long, value_name = "POINTS")]
    pub komi: Option<f64>,
    /// Rules of Go games: chinese, japanese, tromp-taylor, aga [default: chinese]
    #[arg(long, value_name = "NAME")]
    pub rules: Option<String>,
    /// Who plays whom [default: gauntlet: the first engine against the others]
    #[arg(long)]
    pub format: Option<Format>,
    /// Games for each pairing, in pairs [default: each opening with both colours; 100 with random openings]
    #[arg(short = 'n', long, value_name = "N")]
    pub games: Option<u32>,
    /// Openings: transcripts, boards (OBF), one a line; or GGF or SGF games
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Play only so many moves of each opening
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub opening_plies: Option<u32>,
    /// Random openings of so many moves instead [default: 8, without --openings]
    #[arg(long, value_name = "N")]
    pub random_plies: Option<u32>,
    /// For random openings and --shuffle [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Take the openings of the file in random order
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true, hide_short_help = true)]
    pub shuffle: Option<bool>,
    /// Time control of both sides; see below
    #[arg(long, value_name = "TIME")]
    pub tc: Option<String>,
    /// What clocks count: wall, or cpu, the processor time of each engine: fair on a busy machine [default: wall]
    ///
    /// The column s/move and losing on time go by it too. An engine that looks at the wall clock itself will use less
    /// than it may when the machine is busy: tell ours `--clock cpu` as well (engines `self` are told), or let engines
    /// think to a level, a depth or a number of nodes. Engines `self` need one thread each.
    #[arg(long, value_enum)]
    pub clock: Option<ClockSource>,
    /// What is forgiven at the end of a player's time, in milliseconds [default: 50]
    #[arg(long, value_name = "MS", hide_short_help = true)]
    pub margin: Option<u64>,
    /// Games at the same time [default: as the cores allow]
    #[arg(short = 'j', long, value_name = "N")]
    pub concurrency: Option<usize>,
    /// Cores that may be used [default: all]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub cores: Option<usize>,
    /// Compute the exact result from N empty squares on (Othello)
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub solve_from: Option<u32>,
    /// A GTP engine that says which stones are dead where the players disagree (Go): a command, or as for --engine
    #[arg(long, value_name = "CMD", hide_short_help = true)]
    pub referee: Option<String>,
    /// Stop when it is clear whether the first engine is better: elo0=0 elo1=10 alpha=0.05 beta=0.05
    #[arg(long, num_args = 1..=4, value_name = "KEY=VALUE")]
    pub sprt: Option<Vec<String>>,
    /// Seconds an engine may take to start [default: 60]
    #[arg(long, value_name = "S", hide_short_help = true)]
    pub start_timeout: Option<f64>,
    /// Seconds for everything but thinking [default: 20]
    #[arg(long, value_name = "S", hide_short_help = true)]
    pub reply_timeout: Option<f64>,
    /// Seconds for a move when there is no clock [default: 600]
    #[arg(long, value_name = "S", hide_short_help = true)]
    pub think_timeout: Option<f64>,
    /// Longest game in moves [default: 130 in Othello, 4 for each point in Go]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub max_moves: Option<usize>,
    /// Give up when an engine has failed so many games in a row [default: 10]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub max_failures: Option<u32>,
    /// How games are kept [default: ggf for Othello, sgf for Go]
    #[arg(long, hide_short_help = true)]
    pub records: Option<RecordFormat>,
    /// Keep the dialogues with the engines
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub logs: Option<bool>,
    /// Exit with 5 when any game was lost by a fault
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub strict: Option<bool>,
    /// Only the table at the end
    #[arg(short, long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub quiet: Option<bool>,
}

/// A match file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatchFile {
    #[serde(rename = "match")]
    pub options: MatchOptions,
    #[serde(rename = "engine")]
    pub engines: Vec<EngineSpec>,
    #[serde(rename = "adapter")]
    pub adapters: Adapters,
}

impl MatchOptions {
    /// These options, and those of `other` where these say nothing.
    pub fn or(&self, other: &MatchOptions) -> MatchOptions {
        // Through tables, so that no second list of the fields is needed.
        let table = |options: &MatchOptions| toml::Table::try_from(options).unwrap_or_default();
        let mut both = table(other);
        both.extend(table(self));
        both.try_into().unwrap_or_else(|_| self.clone())
    }

    pub fn kind(&self) -> Result<GameKind, String> {
        match self.game.unwrap_or_default() {
            GameName::Othello => Ok(GameKind::Othello),
            GameName::Go => match self.size.unwrap_or(9) {
                size @ 2..=25 => {
                    let name = self.rules.as_deref().unwrap_or("chinese");
                    let rules = name.parse().map_err(|error: NotARuleSet| error.to_string())?;
                    Ok(GameKind::Go { size, komi: self.komi.unwrap_or(7.0), rules })
                }
                size => Err(format!("a Go board of size {size} is not supported (2 to 25)")),
            },
        }
    }

    pub fn sprt(&self) -> Result<Option<Sprt>, String> {
        self.sprt.as_ref().map(|parts| parts.join(" ").parse()).transpose().map_err(|why| format!("--sprt: {why}"))
    }

    /// The engine that settles disputes.
    pub fn referee(&self) -> Result<Option<EngineSpec>, SpecError> {
        let Some(text) = &self.referee else { return Ok(None) };
        if text.contains("cmd=") || text.starts_with("self") {
            return EngineSpec::from_text(text).map(Some);
        }
        let quoted = text.replace('"', "'");
        EngineSpec::from_text(&format!("name=referee,proto=gtp,cmd=\"{quoted}\"")).map(Some)
    }

    pub fn record_format(&self) -> RecordFormat {
        let usual = if self.game == Some(GameName::Go) { RecordFormat::Sgf } else { RecordFormat::Ggf };
        self.records.unwrap_or(usual)
    }

    pub fn openings(&self, game: GameKind) -> Result<Vec<Opening>, OpeningError> {
        let seed = self.seed.unwrap_or(1);
        let Some(path) = &self.openings else {
            let pairs = self.games.unwrap_or(100).div_ceil(2);
            return openings::random(game, pairs as usize, self.random_plies.unwrap_or(8), seed);
        };
        let mut list = openings::load(path, game, self.opening_plies.map(|plies| plies as usize))?;
        if self.shuffle == Some(true) {
            crate::base::Rng::new(seed).shuffle(&mut list);
        }
        Ok(list)
    }

    /// Games per pairing.
    pub fn games_per_pairing(&self, openings: usize) -> usize {
        match self.games {
            Some(games) => games as usize,
            None => openings * 2,
        }
    }
}

/// A number of seconds from an option; nonsense becomes the default.
pub fn seconds(option: Option<f64>, default: u64) -> Duration {
    match option {
        Some(s) if s > 0.0 && s < 1e7 => Duration::from_secs_f64(s),
        _ => Duration::from_secs(default),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: MatchArgs,
    }

    #[test]
    fn the_command_line_wins_over_the_file() {
        let words = "match -e self -e self:level=3 --sprt elo0=0 elo1=10 --games 10 --shuffle --tc 60+1 -j 2";
        let cli = Cli::try_parse_from(words.split(' ')).unwrap().args;
        let file: MatchFile = toml::from_str(
            "[match]\ngames = 50\nmargin = 7\nshuffle = false\nformat = \"round-robin\"\n[[engine]]\nname = \"x\"\ncmd = \"y\"",
        )
        .unwrap();
        let both = cli.options.or(&file.options);
        assert_eq!((both.games, both.margin, both.shuffle), (Some(10), Some(7), Some(true)));
        assert_eq!(both.format, Some(Format::RoundRobin));
        assert_eq!(both.sprt().unwrap().unwrap().elo1, 10.0);
        assert_eq!(cli.engines.len(), 2);
        assert!(toml::from_str::<MatchFile>("[match]\nspeed = 3").is_err());
    }

    #[test]
    fn resume_excludes_engines() {
        assert!(Cli::try_parse_from(["match", "--resume", "d", "-e", "self"]).is_err());
        assert!(Cli::try_parse_from(["match", "--resume", "d", "--games", "20"]).is_ok());
    }
}
