//! The model of human play, from games of people: `train human`, and `train human-report` for how well it predicts.

mod fit;
mod games;
mod ratings;
mod report;

pub use report::{ReportOptions, run as report};

use super::{TrainError, progress};
use crate::{
    base::files::replace,
    othello::{
        eval::Weights,
        human::{HumanModel, model::WellKnown},
    },
};
use fit::Fit;
use games::{HumanGame, KNOWN_PLIES};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

#[derive(clap::Args, Debug)]
pub struct HumanOptions {
    /// Where to write the model
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A remark kept in the model
    #[arg(long, default_value = "")]
    about: String,
    /// Times to go through all games
    #[arg(long, default_value_t = 2)]
    epochs: u32,
    /// Size of the steps
    #[arg(long, default_value_t = 0.1)]
    rate: f32,
    /// Order of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Positions that were reached so often are kept with the moves that were played there
    #[arg(long, default_value_t = 60)]
    known_from: u32,
    #[command(flatten)]
    split: Split,
    /// WTHOR files (.wtb) and lists of games (.csv or .csv.gz: id, winner, moves). What was begun goes on if OUTPUT.state
    /// is there
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

/// Games that are not learned from.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Split {
    /// Hold out the WTHOR games of this year and later
    #[arg(long, default_value_t = 2023)]
    hold_out_from: u16,
    /// Hold out one game in so many of the lists
    #[arg(long, default_value_t = 10)]
    hold_out: usize,
}

pub fn run(options: &HumanOptions) -> Result<(), TrainError> {
    let (learn, judge) = games::read(&options.games, options.split)?;
    crate::say_line!("{} games to learn from, {} held out", learn.len(), judge.len());
    if learn.is_empty() {
        return Err(TrainError::NoGames);
    }
    let weights = Weights::builtin();
    let state = crate::base::files::with_suffix(&options.output, ".state");
    let mut fit = Fit::begin(options.rate, options.seed, learn.len());
    if fit.resume(&state).map_err(super::at(&state))? {
        crate::say_line!("going on at game {} of pass {}", fit.done(), fit.epoch() + 1);
    }
    while fit.epoch() < options.epochs {
        let bar = progress(learn.len() as u64, "games");
        bar.set_position(fit.done() as u64);
        let mut logs = fit::Losses::default();
        while let Some(losses) = fit.step(&learn, &weights) {
            logs = logs.join(losses);
            bar.set_position(fit.done() as u64);
            if fit.saves_now() {
                fit.save(&state).map_err(super::at(&state))?;
            }
        }
        bar.finish_and_clear();
        crate::say_line!("pass {}: log-loss {:.4} on {} positions", fit.epoch(), logs.mean(), logs.positions);
        fit.save(&state).map_err(super::at(&state))?;
    }
    let about = options.about.clone();
    let model = fit.model(about, well_known(&learn, options.known_from));
    let bytes = model.to_bytes().map_err(super::at(&options.output))?;
    replace(&options.output, |out| std::io::Write::write_all(out, &bytes)).map_err(super::at(&options.output))?;
    crate::say_line!(
        "{} bytes written to {}: {} well-known positions",
        bytes.len(),
        options.output.display(),
        model.known.len()
    );
    Ok(())
}

/// The positions of the first plies that were reached at least so often.
fn well_known(games: &[HumanGame], from: u32) -> WellKnown {
    let mut counts: HashMap<(u64, u64), HashMap<u8, u32>> = HashMap::new();
    for game in games {
        for (board, square) in game.positions().take(KNOWN_PLIES) {
            let (canonical, s) = board.canonical();
            let moves = counts.entry((canonical.player, canonical.opponent)).or_default();
            *moves.entry(square.symmetry(s).index() as u8).or_default() += 1;
        }
    }
    let kept = counts.into_iter().filter(|(_, moves)| moves.values().sum::<u32>() >= from);
    kept.map(|(position, moves)| {
        // Stored in 16 bits.
        let most = moves.values().copied().max().unwrap_or(1);
        let share = |games: u32| (u64::from(games) * u64::from(most.min(u16::MAX.into())) / u64::from(most)) as u16;
        let mut moves: Vec<(u8, u16)> = moves.into_iter().map(|(square, games)| (square, share(games))).collect();
        moves.retain(|(_, games)| *games > 0);
        moves.sort_unstable_by_key(|&(square, games)| (std::cmp::Reverse(games), square));
        (position, moves)
    })
    .collect()
}

fn model_of(path: Option<&Path>) -> Result<std::sync::Arc<HumanModel>, TrainError> {
    Ok(match path {
        Some(path) => std::sync::Arc::new(HumanModel::from_file(path)?),
        None => HumanModel::builtin(),
    })
}
