//! The command line: which protocol to speak, which options to start with, which tool to run.

use crate::{
    base::{
        settings::SettingView,
        signals::{self, Signal},
    },
    engine::{Engine, Game},
    go, input, othello,
    protocol::{self, Manners, Speech},
    session::{Closed, End, Factory, Session},
    tools,
};
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use crossbeam_channel::{Receiver, bounded};
use std::{
    fs::OpenOptions,
    io::{self, BufReader, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    start: Start,
    #[command(subcommand)]
    tool: Option<Tool>,
}

#[derive(Debug, Args)]
struct Start {
    /// The language spoken on standard input and output
    #[arg(long, value_enum, default_value = "auto", global = true)]
    protocol: SpeechArg,
    /// The game to begin with [default: othello]
    #[arg(long, value_enum, global = true)]
    game: Option<GameArg>,
    /// Write a log to this file (how much: environment variable SHIROKURO_LOG, e.g. `debug`)
    #[arg(long, value_name = "FILE", global = true)]
    log: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SpeechArg {
    /// Recognised from the first line
    Auto,
    Console,
    Gtp,
    Nboard,
    Json,
    Standalone,
}

impl SpeechArg {
    fn speech(self) -> Option<Speech> {
        match self {
            SpeechArg::Auto => None,
            SpeechArg::Console => Some(Speech::Console),
            SpeechArg::Gtp => Some(Speech::Gtp),
            SpeechArg::Nboard => Some(Speech::Nboard),
            SpeechArg::Json => Some(Speech::Json),
            SpeechArg::Standalone => Some(Speech::Standalone),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GameArg {
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
enum Tool {
    /// Speak GTP (GoGui, Quarry, Sabaki, gogui-twogtp)
    Gtp,
    /// Speak NBoard
    Nboard,
    /// Speak the console language, for people and scripts
    Console,
    /// Speak JSON lines, for programs
    Json,
    /// A side and eight lines in, `y x eval` out
    Standalone,
    /// Search fixed positions and print the node count, a signature of the search
    Bench(tools::bench::BenchArgs),
    /// Count the lines of play from the start position
    Perft(tools::perft::PerftArgs),
    /// Play engines against each other and measure the difference
    Match(Box<tools::tournament::MatchArgs>),
    /// Solve problems exactly and compare with the scores in the file
    Solve(tools::solve::SolveArgs),
    /// Solve problems with different numbers of threads in turn and tell what more of them gain
    Scale(tools::scale::ScaleArgs),
    /// Put problems of a GTP script to the player (Go unless --game says otherwise) and count the right answers
    Suite(tools::suite::SuiteArgs),
    /// Work on opening books: commands on a file, conversion, measurements
    #[command(subcommand)]
    Book(tools::book::BookTool),
    /// Make an evaluation from games
    #[command(subcommand)]
    Train(tools::train::TrainCommand),
}

/// Everything the program does, from its arguments to its exit code.
pub fn run() -> ExitCode {
    let settings = all_settings();
    let own = Manners::default().settings();
    let players = settings.iter().map(|s| setting_arg(s, "Options of the player, as `set` knows them"));
    let sessions = own.iter().map(|s| setting_arg(s, "Options of the session, as `set` knows them"));
    let command = players.chain(sessions).fold(Cli::command(), clap::Command::arg);
    let matches = command.get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    if let Err(e) = start_log(&cli.start) {
        eprintln!("shirokuro: {e}");
        return ExitCode::FAILURE;
    }
    let speech = match cli.tool {
        None => cli.start.protocol.speech(),
        Some(Tool::Gtp) => Some(Speech::Gtp),
        Some(Tool::Nboard) => Some(Speech::Nboard),
        Some(Tool::Console) => Some(Speech::Console),
        Some(Tool::Json) => Some(Speech::Json),
        Some(Tool::Standalone) => Some(Speech::Standalone),
        Some(Tool::Bench(args)) => {
            return exit(match cli.start.game {
                Some(GameArg::Go) => tools::bench_go::run(&args, &mut io::stdout()),
                _ => tools::bench::run(&args, &mut io::stdout()),
            });
        }
        Some(Tool::Perft(args)) => return exit(tools::perft::run(&args, &mut io::stdout())),
        Some(Tool::Match(args)) => match misplaced(&settings, &matches) {
            Some(name) => {
                eprintln!("shirokuro: --{name} belongs to an engine of the match: -e self:{name}=…");
                return ExitCode::from(2);
            }
            None => return play_match(&args, cli.start.game),
        },
        Some(Tool::Solve(args)) => return exit(tools::solve::run(&args, &mut io::stdout())),
        Some(Tool::Scale(args)) => return exit(tools::scale::run(&args, &mut io::stdout())),
        Some(Tool::Suite(args)) => {
            let game = cli.start.game.map_or(Game::Go, Game::from);
            return exit(suite(&args, game, &chosen_settings(&settings, &matches)));
        }
        Some(Tool::Book(tool)) => {
            let chosen = chosen_settings(&settings, &matches);
            return exit(tools::book::run(&tool, &chosen, &mut io::stdout()));
        }
        Some(Tool::Train(command)) => return exit(tools::train::run(command)),
    };
    let mut manners = Manners::default();
    for (name, value) in chosen_settings(&own, &matches) {
        if let Err(refusal) = manners.set(name, &value) {
            eprintln!("shirokuro: {refusal}");
            return ExitCode::from(2);
        }
    }
    let chosen = chosen_settings(&settings, &matches);
    serve(speech, cli.start.game.map_or(Game::Othello, Game::from), chosen, manners)
}

/// A tool's result as an exit code, with its complaint on standard error.
fn exit<E: std::fmt::Display>(result: Result<(), E>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("shirokuro: {e}");
            ExitCode::FAILURE
        }
    }
}

/// A match has exit codes of its own.
fn play_match(args: &tools::tournament::MatchArgs, game: Option<GameArg>) -> ExitCode {
    match tools::tournament::run(args, game.map(Game::from), make_engine) {
        Ok(ending) => ExitCode::from(ending.exit_code()),
        Err(e) => {
            eprintln!("shirokuro: {e}");
            ExitCode::FAILURE
        }
    }
}

fn suite(args: &tools::suite::SuiteArgs, game: Game, chosen: &[(&str, String)]) -> Result<(), String> {
    let mut engine = make_engine(game).ok_or_else(|| format!("{game} is not played here"))?;
    for (name, value) in tools::suite::DEFAULTS {
        // Those that another game does not know.
        let _ = engine.set(name, value);
    }
    for (name, value) in chosen {
        engine.set(name, value).map_err(|e| e.to_string())?;
    }
    tools::suite::run(args, engine, &mut io::stdout()).map_err(|e| e.to_string())
}

/// The options of every game, each name once.
fn all_settings() -> Vec<SettingView> {
    let mut all: Vec<SettingView> = Vec::new();
    for engine in Game::ALL.into_iter().filter_map(make_engine) {
        for setting in engine.settings() {
            if all.iter().all(|s| s.name != setting.name) {
                all.push(setting);
            }
        }
    }
    all
}

fn setting_arg(setting: &SettingView, heading: &'static str) -> Arg {
    Arg::new(setting.name)
        .long(setting.name)
        .value_name("VALUE")
        .help(format!("{} ({}) [default: {}]", setting.help, setting.kind, setting.default))
        .help_heading(heading)
        .global(true)
}

fn chosen_settings(settings: &[SettingView], matches: &ArgMatches) -> Vec<(&'static str, String)> {
    settings.iter().filter_map(|s| matches.get_one::<String>(s.name).map(|value| (s.name, value.clone()))).collect()
}

/// An option of the player given to a match, whose players are described one by one. What a match itself calls so is
/// another thing.
fn misplaced(settings: &[SettingView], matches: &ArgMatches) -> Option<&'static str> {
    let own = tools::tournament::MatchArgs::augment_args(clap::Command::new("match"));
    let is_own = |name: &str| own.get_arguments().any(|arg| arg.get_id() == name);
    let given = |name: &str| matches!(matches.try_get_one::<String>(name), Ok(Some(_)));
    settings.iter().map(|s| s.name).find(|name| !is_own(name) && given(name))
}

fn make_engine(game: Game) -> Option<Box<dyn Engine>> {
    match game {
        Game::Othello => Some(Box::new(othello::OthelloEngine::new())),
        Game::Go => Some(Box::new(go::GoEngine::new())),
    }
}

/// Logs go to a file or, when asked for by the environment, to standard error; standard output is the protocol's.
fn start_log(start: &Start) -> io::Result<()> {
    let mut builder = env_logger::Builder::new();
    match (&start.log, std::env::var("SHIROKURO_LOG")) {
        (None, Err(_)) => return Ok(()),
        (_, Ok(filter)) => builder.parse_filters(&filter),
        (Some(_), Err(_)) => builder.filter_level(log::LevelFilter::Info),
    };
    if let Some(path) = &start.log {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
        builder.target(env_logger::Target::Pipe(Box::new(file)));
    }
    builder.init();
    Ok(())
}

/// Drives an engine from standard input until it ends.
fn serve(speech: Option<Speech>, game: Game, chosen: Vec<(&'static str, String)>, manners: Manners) -> ExitCode {
    let Some(mut engine) = make_engine(game) else {
        eprintln!("shirokuro: {game} is not played here yet");
        return ExitCode::FAILURE;
    };
    for (name, value) in &chosen {
        // What only another game knows waits for that game.
        let known = engine.settings().iter().any(|s| s.name == *name);
        if let Err(refusal) = engine.set(name, value)
            && known
        {
            eprintln!("shirokuro: {}", manners.language().say(&refusal.message));
            return ExitCode::from(2);
        }
    }
    // A game that is switched to later gets those of the options that it knows.
    let options = chosen.clone();
    let factory: Factory = Box::new(move |game| {
        let mut engine = make_engine(game)?;
        for (name, value) in &options {
            if let Err(refusal) = engine.set(name, value) {
                log::info!("{refusal}");
            }
        }
        Some(engine)
    });

    let lines = input::lines(BufReader::new(io::stdin()));
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let (speech, lines) = choose_speech(speech, terminal, lines);
    let protocol = protocol::speak(speech, terminal);
    let passes_by_itself = speech == Speech::Console && chosen.iter().all(|(name, _)| *name != "autopass");
    if passes_by_itself {
        let _ = engine.set("autopass", "on");
    }
    let (mut out, mut err) = (io::stdout().lock(), io::stderr());
    let session = Session::new(protocol, engine, factory, &mut out, &mut err).with_manners(manners);
    let Closed { end, unsaved } = session.run(&lines, &signals());
    match end {
        _ if unsaved.is_some() => ExitCode::FAILURE,
        Ok(End::Quit | End::EndOfInput) => ExitCode::SUCCESS,
        Ok(End::Signal(signal)) => ExitCode::from(signal.exit_code()),
        // The reader of our output has gone: nobody is left to complain to.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            let _ = writeln!(io::stderr(), "shirokuro: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The protocol asked for, or the one the first line speaks; that line is then still to be read.
fn choose_speech(
    speech: Option<Speech>,
    terminal: bool,
    lines: Receiver<protocol::Line>,
) -> (Speech, Receiver<protocol::Line>) {
    match speech {
        Some(speech) => return (speech, lines),
        None if terminal => return (Speech::Console, lines),
        None => {}
    }
    // Blank lines and comments say nothing about the language and ask for nothing.
    for first in &lines {
        if let Some(speech) = protocol::recognise::recognise(&first.text) {
            log::info!("the first line speaks {speech:?}");
            return (speech, input::with_first(first, lines));
        }
    }
    (Speech::Console, lines)
}

/// A message for each signal.
fn signals() -> Receiver<Signal> {
    let (send, receive) = bounded(16);
    // A full channel means that enough signals wait already.
    if let Err(e) = signals::watch(move |signal| send.try_send(signal).unwrap_or(())) {
        log::warn!("no signals: {e}");
    }
    receive
}
