//! What may stand on the command line.

use crate::{engine::Game, protocol::ProtocolKind, tools};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Parser)]
#[command(
    version,
    about,
    max_term_width = 100,
    disable_help_flag = true,
    after_help = "Example: printf 'level 8\\nf5\\ngo\\n' | shirokuro --threads 2"
)]
pub(super) struct Cli {
    /// The language spoken on standard input and output
    #[arg(long, value_enum, default_value = "auto")]
    pub(super) protocol: SpeechArg,
    #[command(flatten)]
    pub(super) start: Start,
    /// Write a log to this file (how much: environment variable SHIROKURO_LOG, e.g. `debug`)
    #[arg(long, value_name = "FILE", global = true)]
    pub(super) log: Option<PathBuf>,
    /// Print help
    #[arg(short, long, action = ArgAction::HelpShort, global = true, display_order = 1000)]
    pub(super) help: Option<bool>,
    #[command(subcommand)]
    pub(super) tool: Option<Tool>,
}

#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct ChosenGame {
    /// The game to begin with [default: othello]
    #[arg(long, value_enum)]
    pub(super) game: Option<GameArg>,
}

/// How a session begins.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Start {
    #[command(flatten)]
    pub(super) chosen: ChosenGame,
    #[command(flatten)]
    pub(super) manner: Manner,
}

/// How a session behaves towards scripts and the file system.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Manner {
    /// In a pipe: end with exit code 1 if any command was refused
    #[arg(long)]
    pub(super) strict: bool,
    /// Report once a second on standard error how many requests are answered
    #[arg(long)]
    pub(super) status: bool,
    /// Which files commands may read and write: any, none, or those below a folder [default: any]
    #[arg(long, value_name = "none|DIR|any")]
    pub(super) files: Option<PathBuf>,
    /// Begin with the options that `settings save` has kept in this file [default: at a terminal the usual place, in a pipe none]
    #[arg(long, value_name = "FILE|none")]
    pub(super) config: Option<PathBuf>,
}

impl Manner {
    /// What is given after the subcommand, else what stands before it.
    pub(super) fn or(self, before: Manner) -> Manner {
        Manner {
            strict: self.strict || before.strict,
            status: self.status || before.status,
            files: self.files.or(before.files),
            config: self.config.or(before.config),
        }
    }
}

/// Several questions at a time.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct Several {
    /// Answer so many questions at a time, each with a searcher of its own; cores and memory are shared out
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<std::num::NonZeroUsize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SpeechArg {
    /// Recognised from the first line
    Auto,
    Console,
    Gtp,
    Nboard,
    Json,
    Standalone,
    Uci,
    Katago,
}

impl SpeechArg {
    pub(super) fn protocol_kind(self) -> Option<ProtocolKind> {
        match self {
            SpeechArg::Auto => None,
            SpeechArg::Console => Some(ProtocolKind::Console),
            SpeechArg::Gtp => Some(ProtocolKind::Gtp),
            SpeechArg::Nboard => Some(ProtocolKind::Nboard),
            SpeechArg::Json => Some(ProtocolKind::Json),
            SpeechArg::Standalone => Some(ProtocolKind::Standalone),
            SpeechArg::Uci => Some(ProtocolKind::Uci),
            SpeechArg::Katago => Some(ProtocolKind::Katago),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GameArg {
    Othello,
    Go,
}

impl From<GameArg> for Game {
    fn from(arg: GameArg) -> Game {
        match arg {
            GameArg::Othello => Game::Othello,
            GameArg::Go => Game::Go,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum Tool {
    /// Speak GTP (GoGui, Quarry, Sabaki, gogui-twogtp)
    #[command(after_help = "Example: shirokuro gtp --game go --move-time 5")]
    Gtp(Start),
    /// Speak NBoard
    #[command(after_help = "Example: shirokuro nboard --threads 2")]
    Nboard(Start),
    /// Speak the console language, for people and scripts
    #[command(after_help = "Example: shirokuro console --level 12 --book my.skbook")]
    Console(Start),
    /// Speak JSON lines, for programs
    #[command(after_help = r#"Example: echo '{"moves":"f5d6","level":8}' | shirokuro json"#)]
    Json {
        #[command(flatten)]
        start: Start,
        #[command(flatten)]
        several: Several,
        /// With --jobs: give every answer its place after those to the questions before it
        #[arg(long, requires = "jobs")]
        ordered: bool,
    },
    /// A side and eight lines in, `y x eval` out
    #[command(after_help = "Example: shirokuro standalone --level 10 < boards.txt")]
    Standalone {
        #[command(flatten)]
        start: Start,
        #[command(flatten)]
        several: Several,
    },
    /// Speak UCI with the variant flipello, for front ends of chess variants
    #[command(after_help = "Example: shirokuro uci --threads 2 --level 16")]
    Uci(Start),
    /// Speak the JSON of `katago analysis`, for KaTrain and other analysis boards for Go
    #[command(after_help = "Example: shirokuro katago --threads 2")]
    Katago(Start),
    /// Play Othello on a GGS server
    #[command(after_help = "Example: SHIROKURO_PASSWORD=… shirokuro ggs skatgame.net --login NAME --set threads=2")]
    Ggs(tools::online::GgsArgs),
    /// Play Go on a CGOS server
    #[command(after_help = "Example: shirokuro cgos HOST:6867 --login NAME --password-file FILE --set memory=512")]
    Cgos(tools::online::OnlineArgs),
    /// Search fixed positions and print the node count, a signature of the search
    #[command(after_help = "Example: shirokuro bench --signature --game go")]
    Bench {
        #[command(flatten)]
        start: ChosenGame,
        #[command(flatten)]
        args: tools::bench::BenchArgs,
    },
    /// Count the lines of play from the start position
    #[command(after_help = "Example: shirokuro perft 10 --threads 2")]
    Perft(tools::perft::PerftArgs),
    /// Play engines against each other and measure the difference
    Match(Box<tools::tournament::MatchArgs>),
    /// Solve problems exactly and compare with the scores in the file
    #[command(after_help = "Example: shirokuro solve problems.obf --threads 2")]
    Solve(tools::solve::SolveArgs),
    /// Prove what is claimed about positions, and write or check the proof
    #[command(after_help = "Example: shirokuro prove tasks.csv -k knowledge.csv --plan --root start --claim 0,0")]
    Prove(Box<tools::prove::ProveArgs>),
    /// Look at many games and make a page about their players
    #[command(after_help = "Example: shirokuro report games/ -o league.html --level 10")]
    Report(tools::report::ReportArgs),
    /// Solve problems with different numbers of threads in turn and report what more of them gain
    #[command(after_help = "Example: shirokuro scale problems.obf --threads 1,2 --rounds 5")]
    Scale(tools::scale::ScaleArgs),
    /// Put problems of a GTP script to the player (Go unless --game says otherwise) and count the right answers
    #[command(after_help = "Example: shirokuro suite --playouts 2000")]
    Suite {
        #[command(flatten)]
        start: ChosenGame,
        #[command(flatten)]
        args: tools::suite::SuiteArgs,
    },
    /// Answer a file of JSON questions, several at a time; a batch that was broken off goes on where it was
    #[command(after_help = BATCH_HELP)]
    Batch {
        #[command(flatten)]
        start: ChosenGame,
        #[command(flatten)]
        args: tools::batch::BatchArgs,
    },
    /// Put a file of jobs into the queue of a fleet
    #[command(after_help = "Example: shirokuro submit nats://127.0.0.1:4222/study jobs.jsonl")]
    Submit {
        #[command(flatten)]
        start: ChosenGame,
        #[command(flatten)]
        args: tools::fleet::SubmitArgs,
    },
    /// Do jobs from the queue of a fleet until told to stop
    #[command(after_help = "Example: shirokuro work nats://127.0.0.1:4222/study --jobs 2")]
    Work {
        #[command(flatten)]
        start: ChosenGame,
        #[command(flatten)]
        args: tools::fleet::WorkArgs,
    },
    /// Wait for the results of submitted jobs and write them to a file
    #[command(after_help = "Example: shirokuro collect nats://127.0.0.1:4222/study -o results.jsonl")]
    Collect(tools::fleet::CollectArgs),
    /// Look after the queue of a fleet
    #[command(subcommand)]
    Fleet(tools::fleet::FleetTool),
    /// Work on opening books: commands on a file, conversion, measurements
    #[command(subcommand)]
    Book(tools::book::BookTool),
    /// Tools for those who write Gopal, the Go pattern language
    #[command(subcommand)]
    Gopal(tools::gopal::GopalTool),
    /// Examine the machine, the data in the binary, the speed and the protocols
    #[command(after_help = "Example: shirokuro doctor > report.txt\n\nThe exit code is 1 if anything is wrong.")]
    Doctor(tools::doctor::DoctorArgs),
    /// Try this program hard: stop every command at any moment, and measure how soon it ends
    Soak(tools::soak::SoakArgs),
    /// Print completions for a shell
    #[command(
        after_help = "Example: shirokuro completions bash > ~/.local/share/bash-completion/completions/shirokuro"
    )]
    Completions(tools::packaging::CompletionsArgs),
    /// Write man pages
    #[command(after_help = "Example: shirokuro man ~/.local/share/man/man1")]
    Man(tools::packaging::ManArgs),
    /// Print the licences of what the binary contains
    #[command(after_help = "Example: shirokuro licences > NOTICE.txt")]
    Licences,
    /// Make an evaluation from games
    #[command(subcommand)]
    Train(tools::train::TrainCommand),
}

const BATCH_HELP: &str = "\
A question and its answer are lines as those of `shirokuro json`; commands are not taken, and `progress` has no effect. \
With \"kind\" a line is another job: solve, review, pair, leaf, selfplay or label (src/tools/fleet/README.md). \
Ids are texts or whole numbers. The same question twice under one id is answered once.

Cores and memory are shared out among the questions under way unless `threads`, `hash` or `memory` are set.

The answers are added to RESULTS and are on the disk a second later. Starting again answers what is missing. The work \
is done in a process of its own. If that dies it is started again; what it was answering comes last and alone, and after \
the second time its answer is the error `gave-up`. RESULTS.running keeps count meanwhile.

Exit code: 0 all answered, 1 some answers are errors.

Example: shirokuro batch questions.jsonl -o answers.jsonl --jobs 2 --set level=12 --set book=none";
