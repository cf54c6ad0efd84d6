//! Matches between engines: `shirokuro match`.
//!
//! `spec` describes an engine, `client` talks to it, `process` keeps it at arm's length. `play` plays one game under
//! the eyes of a `referee`, `runner` plays the `schedule`, `store` keeps the results, `standings` and `stats` make
//! sense of them, `report` and `html` show them.

mod client;
mod clock;
mod go_referee;
mod html;
mod journal;
mod kifu;
mod openings;
mod options;
pub mod pair;
mod play;
pub mod process;
mod record;
mod referee;
mod report;
mod runner;
mod schedule;
mod spec;
mod standings;
mod stats;
mod store;
#[cfg(all(test, unix))]
mod tests;
mod watch;

pub use client::Maker;
pub use options::MatchArgs;

use crate::base::files;
use client::Setup;
use openings::{Opening, OpeningError};
use options::{MatchFile, MatchOptions, seconds};
use play::GameRules;
use record::GameRecord;
use referee::GameKind;
use runner::{Plan, Players};
use schedule::Schedule;
use spec::{Adapters, Engine, EngineSpec, SpecError, Start, built_in_adapters};
use stats::Verdict;
use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::Duration,
};
use store::{Header, Store, StoreError};
use watch::{Folder, Watch};

/// How a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All games were played.
    Finished,
    /// The sequential test ended it.
    Decided(Verdict),
    /// It was stopped and can be resumed.
    Interrupted,
    /// All games were played, some were lost by a fault, and `--strict` was given.
    Faulty,
}

impl Ending {
    pub fn exit_code(self) -> u8 {
        match self {
            Ending::Finished | Ending::Decided(Verdict::H1) => 0,
            Ending::Decided(Verdict::H0) => 3,
            Ending::Interrupted => 4,
            Ending::Faulty => 5,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("opening {0}")]
    Opening(#[from] OpeningError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{path}: {why}", path = .path.display())]
    File { path: PathBuf, why: String },
    #[error("engine `{name}` {why}")]
    Engine { name: String, why: String },
    #[error(transparent)]
    Fleet(crate::tools::fleet::FleetError),
    #[error("engine `{name}` failed {failures} games in a row, the last one so: {last}")]
    Hopeless { name: String, failures: u32, last: String },
}

fn usage(text: impl Into<String>) -> MatchError {
    MatchError::Usage(text.into())
}

/// The match of the command line. Everything that can be found wrong before the first game is.
pub fn run(args: &MatchArgs, make: Maker) -> Result<Ending, MatchError> {
    let stop = Arc::new(AtomicBool::new(false));
    let on_interrupt = stop.clone();
    if let Err(error) =
        crate::base::signals::watch(move |_| on_interrupt.store(true, std::sync::atomic::Ordering::Relaxed))
    {
        log::warn!("no signals: {error}");
    }
    play_match(args, make, &stop)
}

fn play_match(args: &MatchArgs, make: Maker, stop: &Arc<AtomicBool>) -> Result<Ending, MatchError> {
    let header = match &args.resume {
        Some(dir) => stored_match(dir, &args.options)?,
        None => new_match(args)?,
    };
    let engines = spec::resolve(&header.engines, &all_adapters(&header.adapters), &header.base)?;
    let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
    let mut folder = match (&args.resume, &args.out) {
        (Some(dir), _) => Some(Folder::resume(dir, &header, &names)?),
        (None, Some(dir)) => Some(Folder::create(dir, &header, &names)?),
        (None, None) => None,
    };
    let mut plan = plan(&header, engines, make, stop)?;
    plan.referee = referee(&header, &plan)?;
    let done = folder.as_mut().map(|folder| std::mem::take(&mut folder.done)).unwrap_or_default();
    plan.unfinished = folder.as_mut().map(|folder| std::mem::take(&mut folder.unfinished)).unwrap_or_default();
    check_pairing(&done, &plan)?;
    if header.options.logs == Some(true)
        && let Some(folder) = &folder
    {
        plan.engines = folder.with_logs(plan.engines)?;
    }
    if let Some(url) = &args.fleet {
        fits_a_fleet(&plan)?;
        return play_all(&header, &plan, done, folder, How::Fleet(url));
    }
    let concurrency = concurrency(&header.options, &plan.engines)?;
    let ready = start_all(&plan)?;
    play_all(&header, &plan, done, folder, How::Here { concurrency, ready })
}

/// The description of a match from the command line and the match files.
fn new_match(args: &MatchArgs) -> Result<Header, MatchError> {
    let mut options = args.options.clone();
    let (mut engines, mut adapters) = (Vec::new(), Adapters::new());
    for path in &args.config {
        let failed = |why: String| MatchError::File { path: path.clone(), why };
        let text = files::read_text(path, files::LARGEST).map_err(|error| failed(error.to_string()))?;
        let file: MatchFile = toml::from_str(&text).map_err(|error| failed(error.to_string()))?;
        options = options.or(&file.options);
        engines.extend(file.engines);
        adapters.extend(file.adapters);
    }
    let (specs, chosen): (Vec<&String>, Vec<&String>) =
        args.engines.iter().partition(|text| text.contains('=') || text.starts_with("self"));
    if !chosen.is_empty() {
        let find = |name: &String| {
            let found = engines.iter().find(|spec: &&EngineSpec| spec.name.as_ref() == Some(name)).cloned();
            found.ok_or_else(|| usage(format!("no match file describes an engine `{name}`")))
        };
        engines = chosen.into_iter().map(find).collect::<Result<_, _>>()?;
    }
    for text in specs {
        engines.push(EngineSpec::from_text(text)?);
    }
    if engines.len() < 2 {
        return Err(usage(format!("a match takes two engines or more, not {}", engines.len())));
    }
    let game = options.kind().map_err(usage)?;
    let openings = options.openings(game)?;
    let base = std::env::current_dir().unwrap_or_default();
    Ok(Header::new(options, engines, adapters, base, openings))
}

/// The description of a match that goes on. Options may be changed as long as the pairing stays the same.
fn stored_match(dir: &Path, changes: &MatchOptions) -> Result<Header, MatchError> {
    let mut header = Store::header(&Folder::results(dir))?;
    let kept = header.options.clock.unwrap_or_default();
    if changes.clock.is_some_and(|clock| clock != kept) {
        return Err(usage("the games that are there were played with another --clock: times must mean one thing"));
    }
    header.options = changes.or(&header.options);
    if header.options.openings.is_none() {
        // Random openings follow from the seed; a longer match needs more of them.
        header.openings = header.options.openings(header.options.kind().map_err(usage)?)?;
    }
    Ok(header)
}

fn all_adapters(own: &Adapters) -> Adapters {
    let mut adapters = built_in_adapters();
    adapters.extend(own.clone());
    adapters
}

fn plan(header: &Header, engines: Vec<Engine>, make: Maker, stop: &Arc<AtomicBool>) -> Result<Plan, MatchError> {
    let options = &header.options;
    let game = options.kind().map_err(usage)?;
    let bad_opening = |opening: &Opening, error: referee::BadMove| {
        MatchError::Opening(OpeningError::Bad { place: opening.source.clone(), why: error.to_string() })
    };
    let opening_plies = header
        .openings
        .iter()
        .map(|opening| opening.plies(game).map_err(|error| bad_opening(opening, error)))
        .collect::<Result<Vec<_>, _>>()?;
    let games = options.games_per_pairing(header.openings.len());
    let schedule = Schedule::new(options.format.unwrap_or_default(), engines.len(), games, header.openings.len());
    let control = options.tc.as_deref().map(str::parse).transpose();
    if options.sprt.is_some() && engines.len() != 2 {
        return Err(usage("--sprt decides between two engines"));
    }
    let clock = options.clock.unwrap_or_default();
    let usual_length = match game {
        GameKind::Othello => 130,
        GameKind::Go { size, .. } => usize::from(size) * usize::from(size) * 4,
    };
    Ok(Plan {
        engines,
        openings: header.openings.clone(),
        opening_plies,
        schedule,
        rules: GameRules {
            game,
            margin: Duration::from_millis(options.margin.unwrap_or(50)),
            patience: seconds(options.think_timeout, 600),
            clock,
            solve_from: options.solve_from,
            most_plies: options.max_moves.unwrap_or(usual_length),
        },
        start: Start {
            game,
            patience: seconds(options.start_timeout, 60),
            reply_patience: seconds(options.reply_timeout, 20),
            clock,
            make,
        },
        referee: None,
        unfinished: journal::Unfinished::new(),
        control: control.map_err(|error: clock::NotATimeControl| usage(error.to_string()))?,
        stop: stop.clone(),
    })
}

/// The engine that settles disputes, after it has shown that it can.
fn referee(header: &Header, plan: &Plan) -> Result<Option<Engine>, MatchError> {
    let Some(spec) = header.options.referee()? else { return Ok(None) };
    if plan.rules.game == GameKind::Othello {
        return Err(usage("--referee is for Go: in Othello nothing is disputed"));
    }
    let engine = spec::resolve(&[spec], &all_adapters(&header.adapters), &header.base)?.pop();
    let Some(engine) = engine else { return Ok(None) };
    let failed = |why: String| MatchError::Engine { name: engine.name.clone(), why };
    let (mut player, _) = engine.start(&plan.start, &plan.stop).map_err(|failure| failed(failure.to_string()))?;
    let dead = runner::dead_stones(&mut *player, plan, ["black", "white"], &[]);
    player.leave();
    match dead.map_err(|failure| failed(failure.to_string()))? {
        Some(_) => Ok(Some(engine)),
        None => Err(failed("cannot say which stones are dead (final_status_list)".into())),
    }
}

/// The games that are there must be those the schedule would have played.
fn check_pairing(done: &[GameRecord], plan: &Plan) -> Result<(), MatchError> {
    for record in done {
        let opening = plan.opening_plies.get(record.opening);
        let same = plan
            .schedule
            .fixture(record.index)
            .is_none_or(|fixture| (fixture.players, fixture.opening) == (record.players, record.opening))
            && opening.is_some_and(|opening| {
                opening.len() == record.opening_plies
                    && opening.iter().zip(&record.plies).all(|(a, b)| a.text == b.text)
            });
        if !same {
            return Err(usage(format!(
                "with these options game {} would have been another one: the match cannot go on like this",
                record.index + 1
            )));
        }
    }
    Ok(())
}

fn concurrency(options: &MatchOptions, engines: &[Engine]) -> Result<usize, MatchError> {
    let cores = options.cores.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)).max(1);
    // The two sides of a game take turns, so a game needs the cores of the one that uses more.
    let need = engines.iter().map(|engine| engine.threads as usize).max().unwrap_or(1);
    match options.concurrency {
        Some(0) => Err(usage("--concurrency must be at least 1")),
        Some(games) if games > 1 && games * need > cores => Err(usage(format!(
            "{games} games at a time with {need} threads each need {} cores, and there are {cores} (see --cores)",
            games * need
        ))),
        Some(games) => Ok(games),
        None => Ok((cores / need).max(1)),
    }
}

/// Starts every engine once and lets it set up a game: what cannot work is found before the first one.
fn start_all(plan: &Plan) -> Result<Players, MatchError> {
    let set_up = plan.openings.iter().find(|opening| opening.position.is_some());
    let mut ready = Players::new();
    for (place, engine) in plan.engines.iter().enumerate() {
        let failed = |why: String| MatchError::Engine { name: engine.name.clone(), why };
        let (mut player, abilities) =
            engine.start(&plan.start, &plan.stop).map_err(|failure| failed(failure.to_string()))?;
        if let (Some(opening), false) = (set_up, abilities.positions) {
            return Err(failed(format!(
                "can only start from the normal position, not from opening {}",
                opening.source
            )));
        }
        let control = engine.control.or(plan.control);
        let told = match control {
            Some(clock::TimeControl::PerMove(_)) => abilities.move_time,
            Some(clock::TimeControl::Game(_)) => abilities.clocks,
            None => true,
        };
        if !told {
            log::warn!("{} cannot be told its time; it is judged by the clock all the same", engine.name);
        }
        let setup = Setup {
            game: plan.rules.game,
            colour: crate::base::Colour::Black,
            position: None,
            opening: &[],
            controls: [control; 2],
            names: [&engine.name, &engine.name],
        };
        player.new_game(&setup).map_err(|failure| failed(failure.to_string()))?;
        ready.insert(place, player);
    }
    Ok(ready)
}

/// Who plays the games.
enum How<'a> {
    /// This process, with these players that have been started.
    Here { concurrency: usize, ready: Players },
    /// The workers of the queue with this URL.
    Fleet(&'a str),
}

/// A fleet has our own engine and no other.
fn fits_a_fleet(plan: &Plan) -> Result<(), MatchError> {
    if plan.rules.game != GameKind::Othello {
        return Err(usage("--fleet plays Othello only"));
    }
    match plan.engines.iter().find(|engine| engine.spec.cmd.is_some()) {
        Some(engine) => Err(usage(format!("--fleet plays engines of this program only: `{}` is none", engine.name))),
        None => Ok(()),
    }
}

fn play_all(
    header: &Header,
    plan: &Plan,
    done: Vec<GameRecord>,
    folder: Option<Folder>,
    how: How<'_>,
) -> Result<Ending, MatchError> {
    let options = &header.options;
    let sprt = options.sprt().map_err(usage)?;
    let mut watch = Watch::new(plan, options, sprt, folder, done)?;
    let todo: Vec<usize> = (0..plan.schedule.len()).filter(|index| !watch.is_done(*index)).collect();
    let mut outcome = Ok(());
    if watch.decision().is_none() {
        let mut hear = |event| {
            outcome = match event {
                runner::Event::Moved { game, at, ply } => watch.moved(game, at, &ply),
                runner::Event::Over(record) => watch.add(record),
            };
            match (&outcome, watch.decision()) {
                (Ok(()), None) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        };
        match how {
            How::Here { concurrency, ready } => runner::run(plan, todo, concurrency, ready, hear),
            How::Fleet(url) => pair::by_fleet(url, plan, &todo, |record| hear(runner::Event::Over(record)))?,
        }
    }
    watch.end()?;
    outcome?;
    Ok(match watch.decision() {
        Some(verdict) => Ending::Decided(verdict),
        None if watch.missing() > 0 => Ending::Interrupted,
        None if options.strict == Some(true) && watch.standings.faults() > 0 => Ending::Faulty,
        None => Ending::Finished,
    })
}
