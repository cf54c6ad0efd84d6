//! The training of the evaluation, from games to weights.

mod bias;
mod duel;
mod fit;
pub mod games;
mod go;
mod human;
mod import;
pub mod label;
mod net;
mod probcut;
mod report;
mod samples;
pub mod selfplay;
mod tempo;

use crate::base::files::{self, Backup, replace};
use crate::othello::{
    eval::{Packing, Parameters, Weights, WeightsError, phase},
    human::ModelError,
};
use crate::tools::{
    fleet::{self, FleetError},
    pool::job::Fields,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

#[derive(clap::Subcommand, Debug)]
pub enum TrainCommand {
    /// Turn WTHOR files (.wtb) and transcripts (one game a line) into a file of training games
    Import {
        /// Where to write the games
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Files to read
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Let the engine play against itself
    Selfplay(selfplay::SelfplayOptions),
    /// Score the positions of training games again: exactly near the end, by search elsewhere
    Label(label::LabelOptions),
    /// Train the network that completes the sum of weights
    Net(net::NetOptions),
    /// Put right what the right to move is worth at the horizon
    Tempo(tempo::TempoOptions),
    /// Fit the error model of Multi-ProbCut to the weights
    Probcut(probcut::ProbcutOptions),
    /// Say how far searches lie from the truth in one direction, by stage, parity, depth and selectivity
    Bias(bias::BiasOptions),
    /// Tables and plots: errors by stage of the game, calibration, amount of data
    Report(report::ReportOptions),
    /// Let two sets of weights play each other
    Duel(duel::DuelOptions),
    /// Fit the pattern weights to training games
    Fit(FitOptions),
    /// Fit the model of human play to games of people
    Human(human::HumanOptions),
    /// Report how well the model of human play predicts games that were held out
    HumanReport(human::ReportOptions),
    /// Positions of Go for a network to learn from, labelled by a network that knows more
    GoLabel(go::LabelOptions),
    /// Train a network for Go on labelled positions
    GoNet(go::NetOptions),
    /// Report how well networks for Go say what labelled positions say that were held out
    GoNetReport(go::ReportOptions),
    /// Compare what a network says here with what it says in KataGo
    GoNetCheck(go::CheckOptions),
}

#[derive(clap::Args, Debug)]
pub struct FitOptions {
    /// Where to write the weights
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A remark kept in the weights file
    #[arg(long, default_value = "")]
    about: String,
    /// Pull towards zero, in observations
    #[arg(long, default_value_t = 20.0)]
    ridge: f32,
    /// Pull towards the neighbouring phases, in observations
    #[arg(long, default_value_t = 100.0)]
    smooth: f32,
    /// Steps of the solver
    #[arg(long, default_value_t = 40)]
    iterations: usize,
    /// Part of a search's score in the label of a position; the rest is the score the game led to
    #[arg(long, default_value_t = 0.5)]
    search_share: f32,
    /// Weights to begin with: what the games say nothing about stays as it is there
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,
    /// With `--prior`: the part of its weights in the mean of old and new
    #[arg(long, default_value_t = 0.5)]
    keep: f32,
    /// With `--prior`: positions that it puts so many discs from a draw count half, those further off still less; 0: all
    /// count alike
    #[arg(long, default_value_t = 0.0, requires = "prior")]
    focus: f32,
    /// Hold out one game in so many
    #[arg(long, default_value_t = 20)]
    hold_out: u64,
    /// Files of training games
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: not a WTHOR file: {reason}", path.display())]
    Wthor { path: PathBuf, reason: &'static str },
    #[error("{}: {error}", path.display())]
    Games { path: PathBuf, error: String },
    #[error("{}: {error}", path.display())]
    Net { path: PathBuf, error: String },
    #[error("the engine: {0}")]
    Engine(String),
    #[error("the networks differ by {0}")]
    Differs(f32),
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("no games to learn from")]
    NoGames,
    #[error(transparent)]
    Fleet(#[from] FleetError),
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> TrainError {
    let path = path.to_path_buf();
    move |source| TrainError::File { path, source }
}

pub fn run(command: TrainCommand) -> Result<(), TrainError> {
    match command {
        TrainCommand::Import { output, files } => run_import(&output, &files),
        TrainCommand::Selfplay(options) => selfplay::run(&options),
        TrainCommand::Label(options) => label::run(&options),
        TrainCommand::Net(options) => net::run(&options),
        TrainCommand::Tempo(options) => tempo::run(&options),
        TrainCommand::Probcut(options) => probcut::run(&options),
        TrainCommand::Bias(options) => bias::run(&options),
        TrainCommand::Report(options) => report::run(&options),
        TrainCommand::Duel(options) => duel::run(&options),
        TrainCommand::Fit(options) => run_fit(&options),
        TrainCommand::Human(options) => human::run(&options),
        TrainCommand::HumanReport(options) => human::report(&options),
        TrainCommand::GoLabel(options) => go::label(&options),
        TrainCommand::GoNet(options) => go::net(&options),
        TrainCommand::GoNetReport(options) => go::report(&options),
        TrainCommand::GoNetCheck(options) => go::check(&options),
    }
}

fn parameters_of(path: &Path) -> Result<Parameters, TrainError> {
    Ok(Parameters::from_bytes(&files::read(path, files::LARGEST).map_err(at(path))?)?)
}

/// Writes a weights file and keeps the one that was there as a backup; the number of bytes.
fn write_weights(path: &Path, parameters: &Parameters) -> Result<usize, TrainError> {
    let bytes = parameters.to_bytes().map_err(at(path))?;
    replace(path, |out| out.write_all(&bytes)).map_err(at(path))?;
    Ok(bytes.len())
}

/// Writes a file that can be made again at any time: no backup is kept.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    files::replace_with(path, Backup::None, |file| file.write_all(bytes)).map_err(at(path))
}

fn weights(path: Option<&Path>) -> Result<Arc<Weights>, TrainError> {
    Ok(match path {
        Some(path) => Arc::new(Weights::from_file(path)?),
        None => Weights::builtin(),
    })
}

/// Games that the workers of a fleet make of these jobs, each handed to `write` as it comes.
fn by_fleet(
    url: &str,
    jobs: Vec<Fields>,
    write: &mut dyn FnMut(&games::Game) -> io::Result<()>,
) -> Result<(), TrainError> {
    let bad = || FleetError::Server("a result is no game".into());
    fleet::ask(url, jobs, &AtomicBool::new(false), &mut |_, mut fields| {
        let text = fields.remove("game").and_then(|game| serde_json::from_value::<games::GameText>(game).ok());
        let game = text.and_then(|text| text.game()).ok_or_else(bad)?;
        Ok(write(&game)?)
    })?;
    Ok(())
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, TrainError> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?)
}

/// Shown on a terminal only.
fn progress(length: u64, what: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}, {per_sec}, {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style).with_message(what.to_string())
}

fn run_import(output: &Path, files: &[PathBuf]) -> Result<(), TrainError> {
    let (mut all, mut left_out) = (Vec::new(), 0);
    for path in files {
        let (games, bad) = import::read(path)?;
        all.extend(games);
        left_out += bad;
    }
    if all.is_empty() {
        return Err(TrainError::NoGames);
    }
    replace(output, |out| all.iter().try_for_each(|game| game.write(out))).map_err(at(output))?;
    crate::say_line!("{} games written, {left_out} left out", all.len());
    Ok(())
}

fn read_games(paths: &[PathBuf]) -> Result<Vec<games::Game>, TrainError> {
    let mut all = Vec::new();
    for path in paths {
        let contents = games::read_file(path).map_err(at(path))?;
        if contents.damaged > 0 {
            eprintln!("{}: {} damaged records passed over", path.display(), contents.damaged);
        }
        all.extend(contents.games);
    }
    if all.is_empty() { Err(TrainError::NoGames) } else { Ok(all) }
}

fn run_fit(options: &FitOptions) -> Result<(), TrainError> {
    let games = read_games(&options.games)?;
    let labelling = samples::Labelling { search_share: options.search_share, hold_out: options.hold_out };
    let mut split = samples::split(&games, labelling);
    if let Some(prior) = options.prior.as_ref().filter(|_| options.focus > 0.0) {
        samples::focus(&mut split.learn, &Weights::from_file(prior)?, options.focus);
    }
    crate::say_line!(
        "{} games, {} positions to learn from, {} to judge by",
        games.len(),
        split.learn.len(),
        split.judge.len()
    );
    drop(games);
    let packing = Packing::shared();
    let learn = samples::by_phase(&split.learn, packing);
    let judge = samples::by_phase(&split.judge, packing);
    drop(split);
    let settings = fit::Settings { ridge: options.ridge, smooth: options.smooth, iterations: options.iterations };
    let problem = fit::Problem::new(&learn, packing, settings);
    let (older, share) = match &options.prior {
        Some(path) => (problem.unknowns_of(&parameters_of(path)?), 1.0 - options.keep),
        None => (problem.zero(), 1.0),
    };
    let judged = |news: &fit::Unknowns, samples: &[_]| problem.errors(&fit::sum(&older, news, share), samples);
    let news = problem.solve(&older, |step, news, gradient| {
        if step % 5 == 0 {
            let total = judged(news, &judge).into_iter().fold(fit::Errors::default(), fit::Errors::join);
            crate::say_line!(
                "step {step:3}  gradient {gradient:9.3}  held out: MAE {:.3} RMSE {:.3}",
                total.mae(),
                total.rmse()
            );
        }
    });
    print_errors(&judged(&news, &learn), &judged(&news, &judge));
    let parameters = problem.parameters(&fit::sum(&older, &news, share), options.about.clone());
    let bytes = write_weights(&options.output, &parameters)?;
    crate::say_line!("{bytes} bytes written to {}", options.output.display());
    Ok(())
}

fn print_errors(learn: &[fit::Errors], judge: &[fit::Errors]) {
    crate::say_line!("phase  empties    learn  held out     MAE    RMSE    bias  (learn RMSE)");
    for (p, (l, j)) in learn.iter().zip(judge).enumerate() {
        let empties: Vec<u32> = (0..=60).filter(|&e| phase(e) == p).collect();
        let (low, high) = (empties.first().unwrap_or(&0), empties.last().unwrap_or(&0));
        crate::say_line!(
            "{p:5}  {low:2} to {high:2} {:8} {:9} {:7.3} {:7.3} {:7.3}  {:7.3}",
            l.count,
            j.count,
            j.mae(),
            j.rmse(),
            j.bias(),
            l.rmse()
        );
    }
    let sum = |e: &[fit::Errors]| e.iter().copied().fold(fit::Errors::default(), fit::Errors::join);
    let (l, j) = (sum(learn), sum(judge));
    crate::say_line!(
        "all            {:8} {:9} {:7.3} {:7.3} {:7.3}  {:7.3}",
        l.count,
        j.count,
        j.mae(),
        j.rmse(),
        j.bias(),
        l.rmse()
    );
}
