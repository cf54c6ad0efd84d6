//! The command line: which protocol to speak, which options to start with, which tool to run.

mod arguments;
#[cfg(test)]
mod cluster_tests;
mod help;
mod log;
mod options;
mod person;

use crate::{
    base::{
        files::{self, Fence},
        kernel::Kernel,
        signals::{self, Signal},
        stdout::Stdout,
    },
    engine::{Answer, Engine, Game, command::Table},
    go, input, othello,
    protocol::{self, Protocol, ProtocolKind, SessionSettings, console::Console},
    session::{Closed, End, Games, Session},
    terminal, tools,
};
use arguments::{ChosenGame, Cli, GameArg, Manner, Start, Tool};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use crossbeam_channel::{Receiver, bounded};
use options::{Misplaced, Options};
use person::{AtTerminal, Earlier};
use std::{
    ffi::OsString,
    io::{self, IsTerminal, Write},
    path::Path,
    process::ExitCode,
    sync::LazyLock,
};

/// What `--version` prints: enough to know which program gave an answer. Whoever builds a release sets the commit; a
/// build script that asks git would compile everything again after every commit.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("SHIROKURO_COMMIT").map_or("commit unknown".to_owned(), |hash| format!("commit {hash}"));
    let weights = othello::eval::Weights::builtin_fingerprint();
    format!("{} ({commit}, kernel {}, weights {weights:08x})", env!("CARGO_PKG_VERSION"), Kernel::chosen().name())
});

/// The command line with the options of every game, for completions and man pages.
fn whole_command() -> clap::Command {
    Options::new(Game::Othello).add_all_to(Cli::command()).long_version(LONG_VERSION.as_str())
}

fn is_subcommand(word: &str) -> bool {
    Cli::command().get_subcommands().any(|command| command.get_name() == word)
}

/// Everything the program does, from its arguments to its exit code.
pub fn run() -> ExitCode {
    if let Err(error) = Kernel::choose() {
        eprintln!("shirokuro: {error}");
        return ExitCode::from(2);
    }
    let args: Vec<OsString> = std::env::args_os().collect();
    // Problems for Go are what `suite` is for; book files are Othello's.
    let usual = if args.iter().any(|arg| arg == "suite" || arg == "cgos" || arg == "katago") {
        Game::Go
    } else {
        Game::Othello
    };
    let language = help::language(&args, io::stdout().is_terminal());
    let options = Options::new(options::game_in(&args).unwrap_or(usual)).in_language(&language);
    // The weights are read for it, so only when it is asked for.
    let mut command = help::translated(options.add_to(Cli::command()), &language);
    if args.iter().any(|arg| arg == "--version") {
        command = command.long_version(LONG_VERSION.as_str());
    }
    let matches = match command.try_get_matches_from(&args) {
        Ok(matches) => matches,
        Err(error) => match options.explain(&error, &args) {
            Some(misplaced) => return usage_error(&misplaced),
            None => error.exit(),
        },
    };
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    if let Err(e) = log::start(cli.log.as_deref()) {
        eprintln!("shirokuro: {e}");
        return ExitCode::FAILURE;
    }
    signals::survive_file_limit();
    match options.before_a_tool(&matches).and_then(|()| options.player(&matches)) {
        Ok(chosen) => carry_out(cli, &options, &matches, chosen),
        Err(misplaced) => usage_error(&misplaced),
    }
}

fn usage_error(misplaced: &Misplaced) -> ExitCode {
    eprintln!("shirokuro: {}", misplaced.0);
    ExitCode::from(2)
}

fn carry_out(cli: Cli, options: &Options, matches: &ArgMatches, chosen: Vec<(&'static str, String)>) -> ExitCode {
    let out = &mut Stdout;
    let (mut jobs, mut ordered) = (None, false);
    let (protocol_kind, start) = match cli.tool {
        None => (cli.protocol.protocol_kind(), Start::default()),
        Some(Tool::Gtp(start)) => (Some(ProtocolKind::Gtp), start),
        Some(Tool::Nboard(start)) => (Some(ProtocolKind::Nboard), start),
        Some(Tool::Console(start)) => (Some(ProtocolKind::Console), start),
        Some(Tool::Json { start, several, ordered: in_order }) => {
            (jobs, ordered) = (several.jobs, in_order);
            (Some(ProtocolKind::Json), start)
        }
        Some(Tool::Standalone { start, several }) => {
            jobs = several.jobs;
            (Some(ProtocolKind::Standalone), start)
        }
        Some(Tool::Uci(start)) => (Some(ProtocolKind::Uci), start),
        Some(Tool::Katago(start)) => (Some(ProtocolKind::Katago), start),
        Some(Tool::Ggs(args)) => {
            return online(Game::Othello, &chosen, |make| tools::online::ggs(&args, make, &signals()));
        }
        Some(Tool::Cgos(args)) => {
            return online(Game::Go, &chosen, |make| tools::online::cgos(&args, make, &signals()));
        }
        Some(Tool::Bench { start: ChosenGame { game: Some(GameArg::Go) }, args }) => {
            return exit(tools::bench_go::run(&args, out));
        }
        Some(Tool::Bench { args, .. }) => return exit(tools::bench::run(&args, out)),
        Some(Tool::Perft(args)) => return exit(tools::perft::run(&args, out)),
        Some(Tool::Match(args)) => return play_match(&args),
        Some(Tool::Solve(args)) => return exit(tools::solve::run(&args, out)),
        Some(Tool::Prove(args)) => {
            return exit(tools::prove::run(&args, recipe(Game::Othello, &[]), tools::kinds::KINDS, out));
        }
        Some(Tool::Report(args)) => return exit(tools::report::run(&args, out)),
        Some(Tool::Scale(args)) => return exit(tools::scale::run(&args, out)),
        Some(Tool::Suite { start, args }) => {
            let game = start.game.or(cli.start.chosen.game).map_or(Game::Go, Game::from);
            return exit(suite(&args, game, &chosen));
        }
        Some(Tool::Batch { start, args }) => {
            let game = start.game.or(cli.start.chosen.game).map_or(Game::Othello, Game::from);
            return batch(&args, game, &chosen);
        }
        Some(Tool::Submit { start, args }) => {
            let game = start.game.or(cli.start.chosen.game).map_or(Game::Othello, Game::from);
            return exit(tools::fleet::submit(&args, recipe(game, &chosen), tools::kinds::KINDS, out));
        }
        Some(Tool::Work { start, args }) => {
            let game = start.game.or(cli.start.chosen.game).map_or(Game::Othello, Game::from);
            return fleet_ending(tools::fleet::work(&args, recipe(game, &chosen), tools::kinds::KINDS, signals()));
        }
        Some(Tool::Collect(args)) => return fleet_ending(tools::fleet::collect(&args, &signals())),
        Some(Tool::Fleet(tool)) => return exit(tools::fleet::fleet(&tool, out)),
        Some(Tool::Book(tool)) => return exit(tools::book::run(&tool, &chosen, out)),
        Some(Tool::Gopal(tool)) => return exit(tools::gopal::run(&tool, out)),
        Some(Tool::Doctor(args)) => return doctor(&args),
        Some(Tool::Soak(args)) => return sound(tools::soak::run(&args, out)),
        Some(Tool::Completions(args)) => return exit(tools::packaging::completions(&args, whole_command(), out)),
        Some(Tool::Man(args)) => return exit(tools::packaging::man(&args, whole_command(), out)),
        Some(Tool::Licences) => return exit(tools::licences::run(out)),
        Some(Tool::Train(command)) => return exit(tools::train::run(command)),
    };
    let manner = start.manner.or(cli.start.manner);
    if let Err(error) = fence(manner.files.as_deref()) {
        eprintln!("shirokuro: --files: {error}");
        return ExitCode::from(2);
    }
    let person = terminal::is_there() && matches!(protocol_kind, None | Some(ProtocolKind::Console));
    let protocol_kind = if person { Some(ProtocolKind::Console) } else { protocol_kind };
    let earlier = match person::earlier(manner.config.as_deref(), person) {
        Ok(earlier) => earlier,
        Err(error) => return usage_error(&Misplaced(protocol::tables::printable(&error))),
    };
    let usual = if protocol_kind == Some(ProtocolKind::Katago) { Game::Go } else { Game::Othello };
    let game = start.chosen.game.or(cli.start.chosen.game).map_or(usual, Game::from);
    if let Some(jobs) = jobs {
        if manner.config.is_some() {
            return usage_error(&Misplaced("--config is not taken together with --jobs".into()));
        }
        let mut session_settings = SessionSettings::default();
        for (name, value) in options.session(matches) {
            if let Err(refusal) = session_settings.set(name, &value) {
                return usage_error(&Misplaced(refusal.message));
            }
        }
        let tongue = match protocol_kind {
            Some(ProtocolKind::Standalone) => tools::serve::Tongue::stand_alone(),
            _ => tools::serve::Tongue::json(),
        };
        let kinds = tools::kinds::KINDS;
        let status = manner.status;
        let service = tools::serve::Service { tongue, jobs: jobs.into(), ordered, kinds, session_settings, status };
        return serve_several(service, recipe(game, &chosen), manner.strict);
    }
    let begin = Begin { protocol_kind, game, chosen, session: options.session(matches), earlier, person };
    serve(begin, &manner).unwrap_or_else(|complaint| {
        eprintln!("shirokuro: {complaint}");
        ExitCode::from(2)
    })
}

/// What a session begins with.
struct Begin {
    /// `None`: that of the first line.
    protocol_kind: Option<ProtocolKind>,
    game: Game,
    /// Options of the player that were given.
    chosen: Vec<(&'static str, String)>,
    /// Options of the session that were given.
    session: Vec<(&'static str, String)>,
    earlier: Earlier,
    /// Somebody sits at a terminal.
    person: bool,
}

/// Questions from standard input, several at a time.
fn serve_several(service: tools::serve::Service, recipe: tools::pool::Recipe, strict: bool) -> ExitCode {
    let lines = input::lines(io::BufReader::new(io::stdin()));
    let (mut out, mut err) = (io::stdout().lock(), io::stderr());
    match tools::serve::run(service, recipe, &lines, &signals(), &mut out, &mut err) {
        Ok(Ok(served)) => match served.signal {
            Some(signal) => ExitCode::from(signal.exit_code()),
            None if strict && served.refused > 0 => ExitCode::FAILURE,
            None => ExitCode::SUCCESS,
        },
        // The reader of our output has gone: nobody is left to complain to.
        Ok(Err(e)) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Ok(Err(e)) => exit(Err(e)),
        Err(refusal) => {
            eprintln!("shirokuro: {}", protocol::tables::printable(&refusal.to_string()));
            ExitCode::from(2)
        }
    }
}

/// Keeps the commands of a session to some files.
fn fence(files: Option<&Path>) -> io::Result<()> {
    let fence = match files {
        None => return Ok(()),
        Some(path) if path == Path::new("any") => Fence::Open,
        Some(path) if path == Path::new("none") => Fence::Closed,
        Some(path) if path.is_dir() => Fence::Below(path.canonicalize()?),
        Some(path) => return Err(io::Error::other(format!("{} is not a folder", path.display()))),
    };
    files::restrict(fence);
    Ok(())
}

/// A tool's result as an exit code, with its complaint on standard error.
fn exit<E: std::fmt::Display>(result: Result<(), E>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) if Stdout::is_gone() => ExitCode::SUCCESS,
        Err(e) => {
            // It may quote a file.
            eprintln!("shirokuro: {}", protocol::tables::printable(&e.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// A match has exit codes of its own.
fn play_match(args: &tools::tournament::MatchArgs) -> ExitCode {
    match tools::tournament::run(args, |game| Some(make_engine(game))) {
        Ok(ending) => ExitCode::from(ending.exit_code()),
        Err(e) => exit(Err(e)),
    }
}

/// The exit code says whether all is well.
fn doctor(args: &tools::doctor::DoctorArgs) -> ExitCode {
    sound(tools::doctor::run(args, &LONG_VERSION, &make_engine, &mut Stdout))
}

/// The exit code of a tool that looks whether all is well.
fn sound(result: io::Result<bool>) -> ExitCode {
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => exit(Err(e)),
    }
}

/// A batch has exit codes of its own.
fn batch(args: &tools::batch::BatchArgs, game: Game, chosen: &[(&'static str, String)]) -> ExitCode {
    match tools::batch::run(args, recipe(game, chosen), tools::kinds::KINDS, signals()) {
        Ok(code) => ExitCode::from(code),
        Err(e) => exit(Err(e)),
    }
}

fn fleet_ending(ending: Result<tools::fleet::Ending, tools::fleet::FleetError>) -> ExitCode {
    match ending {
        Ok(ending) => ExitCode::from(ending.exit_code()),
        Err(e) => exit(Err(e)),
    }
}

/// How the workers of a pool make their engines.
fn recipe(game: Game, chosen: &[(&'static str, String)]) -> tools::pool::Recipe {
    let make = move |options: &[(&'static str, String)]| {
        let mut engine = make_engine(game);
        options.iter().try_for_each(|(name, value)| engine.set(name, value))?;
        Ok(engine)
    };
    tools::pool::Recipe { make: std::sync::Arc::new(make), options: chosen.to_vec() }
}

fn suite(args: &tools::suite::SuiteArgs, game: Game, chosen: &[(&str, String)]) -> Result<(), String> {
    let mut engine = make_engine(game);
    for (name, value) in tools::suite::DEFAULTS {
        // Those that another game does not know.
        let _ = engine.set(name, value);
    }
    for (name, value) in chosen {
        engine.set(name, value).map_err(|e| e.to_string())?;
    }
    tools::suite::run(args, engine, &mut Stdout).map_err(|e| e.to_string())
}

fn make_engine(game: Game) -> Box<dyn Engine> {
    match game {
        Game::Othello => Box::new(othello::OthelloEngine::new()),
        Game::Go => Box::new(go::GoEngine::new()),
    }
}

/// Plays on a server with an engine that has those of these options that its game knows.
fn online(
    game: Game,
    chosen: &[(&'static str, String)],
    play: impl FnOnce(tools::online::MakeEngine<'_>) -> Result<(), tools::online::OnlineError>,
) -> ExitCode {
    let make = || -> Answer<Box<dyn Engine>> {
        let mut engine = make_engine(game);
        let known: Vec<&str> = engine.settings().iter().map(|row| row.name).collect();
        chosen.iter().filter(|(name, _)| known.contains(name)).try_for_each(|(name, value)| engine.set(name, value))?;
        Ok(engine)
    };
    match make() {
        Err(refusal) => {
            eprintln!("shirokuro: {}", protocol::tables::printable(&refusal.message));
            ExitCode::from(2)
        }
        // What was taken once is taken again.
        Ok(_) => exit(play(&|| make().unwrap_or_else(|_| make_engine(game)))),
    }
}

fn own_commands(game: Game) -> Table {
    match game {
        Game::Othello => &othello::COMMANDS,
        Game::Go => &go::COMMANDS,
    }
}

/// A game as a person at a terminal meets it first.
fn for_a_person(game: Game) -> Box<dyn Engine> {
    let mut engine = make_engine(game);
    for option in ["autopass", "opening-names"] {
        // Those that the game has.
        let _ = engine.set(option, "on");
    }
    engine
}

/// Drives an engine from standard input until it ends. An error is a complaint about the arguments.
fn serve(begin: Begin, manner: &Manner) -> Result<ExitCode, String> {
    let Begin { protocol_kind, game, chosen, session, mut earlier, person } = begin;
    let mut session_settings = SessionSettings::default();
    // Pipes stay English whatever the system's language is.
    if let Some(code) = help::of_the_system().filter(|_| person) {
        session_settings.set("language", code).map_err(|refusal| refusal.message)?;
    }
    let fresh: fn(Game) -> Box<dyn Engine> = if person { for_a_person } else { make_engine };
    let keeper = earlier.keeper(session_settings.clone(), fresh);
    let display = earlier.apply_to_session(&mut session_settings);
    for (name, value) in session {
        session_settings.set(name, &value).map_err(|refusal| refusal.message)?;
    }
    let mut engine = fresh(game);
    earlier.apply(engine.as_mut());
    for (name, value) in &chosen {
        let known = engine.settings().iter().any(|row| row.name == *name);
        if let Err(refusal) = engine.set(name, value)
            && known
        {
            let said = session_settings.language().say(&refusal.message);
            return Err(protocol::tables::printable(&said));
        }
    }
    let notices = std::mem::take(&mut earlier.notices);
    // Scripts do not go on with other options than those they named.
    if let Some(notice) = notices.first().filter(|_| !person) {
        return Err(protocol::tables::printable(notice));
    }
    // A game that is switched to later gets those of the options that it knows.
    let (options, kept) = (chosen.clone(), std::sync::Mutex::new(earlier));
    let make = move |game| {
        let mut engine = fresh(game);
        if let Ok(mut kept) = kept.lock() {
            kept.apply(engine.as_mut());
        }
        for (name, value) in &options {
            if let Err(refusal) = engine.set(name, value) {
                ::log::info!("{refusal}");
            }
        }
        Some(engine)
    };
    let games = Games { engine: Box::new(make), commands: |game| Some(own_commands(game)) };

    let (protocol, lines, screen): (Box<dyn Protocol>, _, _) = if person {
        let AtTerminal { person, lines, screen } = person::at_terminal(display, notices);
        (Box::new(Console::for_person(person)), lines, screen)
    } else {
        let (protocol_kind, lines) = choose_protocol(protocol_kind, input::of_stdin());
        if protocol_kind == ProtocolKind::Console && chosen.iter().all(|(name, _)| *name != "autopass") {
            let _ = engine.set("autopass", "on");
        }
        (protocol::new_protocol(protocol_kind), lines, None)
    };
    // The screen writes for itself.
    let mut out: Box<dyn Write> = if screen.is_some() { Box::new(io::sink()) } else { Box::new(io::stdout().lock()) };
    let mut err = io::stderr();
    let mut session = Session::new(protocol, engine, games, &mut out, &mut err).with_settings(session_settings);
    if let Some(screen) = screen {
        session = session.with_screen(screen);
    }
    if let Some(keeper) = keeper {
        session = session.with_keeper(keeper);
    }
    if manner.status {
        session = session.with_status();
    }
    let Closed { end, unsaved, refused } = session.run(&lines, &signals());
    Ok(match end {
        _ if unsaved.is_some() => ExitCode::FAILURE,
        Ok(_) if manner.strict && !person && refused > 0 => ExitCode::FAILURE,
        Ok(End::Quit | End::OfInput) => ExitCode::SUCCESS,
        Ok(End::Signal(signal)) => ExitCode::from(signal.exit_code()),
        // The reader of our output has gone: nobody is left to complain to.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            let _ = writeln!(io::stderr(), "shirokuro: {e}");
            ExitCode::FAILURE
        }
    })
}

/// The protocol asked for, or the one the first line speaks; that line is then still to be read.
fn choose_protocol(
    protocol_kind: Option<ProtocolKind>,
    lines: Receiver<protocol::Line>,
) -> (ProtocolKind, Receiver<protocol::Line>) {
    if let Some(protocol_kind) = protocol_kind {
        return (protocol_kind, lines);
    }
    // Blank lines and comments say nothing about the language and ask for nothing.
    let games = Game::ALL.map(own_commands);
    for first in &lines {
        if let Some(protocol_kind) = protocol::recognise::recognise(&first.text, &games) {
            ::log::info!("the first line speaks {protocol_kind:?}");
            return (protocol_kind, input::with_first(first, lines));
        }
    }
    (ProtocolKind::Console, lines)
}

/// A message for each signal.
fn signals() -> Receiver<Signal> {
    let (send, receive) = bounded(16);
    // A full channel means that enough signals wait already.
    if let Err(e) = signals::watch(move |signal| send.try_send(signal).unwrap_or(())) {
        ::log::warn!("no signals: {e}");
    }
    receive
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;
    use clap_complete::Shell;
    use std::fs;
    use tools::packaging::{self, CompletionsArgs, ManArgs};

    #[test]
    fn every_shell_completes_every_subcommand_and_the_options_of_both_games() {
        for &shell in Shell::value_variants() {
            let mut text = Vec::new();
            packaging::completions(&CompletionsArgs { shell }, whole_command(), &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            let lacks: Vec<String> = Cli::command()
                .get_subcommands()
                .map(|sub| sub.get_name().to_owned())
                .chain(["level", "playouts", "language"].map(String::from))
                .filter(|word| !text.contains(word.as_str()))
                .collect();
            assert_eq!(lacks, [] as [String; 0], "{shell}");
        }
    }

    #[test]
    fn every_subcommand_has_a_man_page_with_its_example() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("man/man1");
        packaging::man(&ManArgs { dir: dir.clone() }, whole_command(), &mut Vec::new()).unwrap();
        let root = fs::read_to_string(dir.join("shirokuro.1")).unwrap();
        for sub in Cli::command().get_subcommands() {
            let page = fs::read_to_string(dir.join(format!("shirokuro-{}.1", sub.get_name()))).unwrap();
            assert!(page.contains(".SH SYNOPSIS"), "{page}");
            assert_eq!(page.contains("Example"), sub.get_after_help().is_some(), "{}", sub.get_name());
            assert!(root.contains(&sub.get_name().replace('-', "\\-")), "{}", sub.get_name());
        }
        assert!(dir.join("shirokuro-book-do.1").exists());
    }

    #[test]
    fn the_long_version_names_kernel_and_weights() {
        assert!(LONG_VERSION.starts_with(env!("CARGO_PKG_VERSION")), "{}", *LONG_VERSION);
        for part in ["commit ", "kernel ", "weights "] {
            assert!(LONG_VERSION.contains(part), "{}", *LONG_VERSION);
        }
    }
}
