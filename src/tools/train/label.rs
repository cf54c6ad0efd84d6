//! Better scores for the positions of games that are there already.

use super::{
    TrainError, at,
    games::{self, Game, Source},
    progress,
};
use crate::{
    base::Control,
    othello::{
        Board,
        eval::{DISC, Weights},
        search::{Config, Effort, Report, Searcher, Task},
    },
};
use rayon::prelude::*;
use std::{
    collections::HashSet,
    io::Write,
    path::PathBuf,
    sync::{Arc, Mutex},
};

#[derive(clap::Args, Debug)]
pub struct LabelOptions {
    /// File of training games to append the scored games to; games it holds already are passed over
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Solve positions with at most so many empty squares
    #[arg(long, default_value_t = 14)]
    end: u32,
    /// Search the other positions to this depth; 0 leaves them as they are
    #[arg(long, default_value_t = 0)]
    mid: u32,
    /// Search no positions with more empty squares than this
    #[arg(long, default_value_t = 60)]
    from: u32,
    /// Weights file instead of the built-in weights
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
    /// Games worked on at a time
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
    /// Files of training games
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

/// A report's value in the units of training records, and what it is worth.
pub fn score_of(report: &Report) -> (i16, Source) {
    let score = (report.value.hundredths() * DISC / 100).clamp(-64 * DISC, 64 * DISC) as i16;
    let source = match report.lines.first().map(|line| line.depth) {
        Some(depth) if depth.solved => Source::Exact,
        Some(depth) => Source::Search(depth.plies.min(254) as u8),
        None => Source::Unknown,
    };
    (score, source)
}

pub fn run(options: &LabelOptions) -> Result<(), TrainError> {
    let weights = super::weights(options.eval.as_deref())?;
    let path = &options.output;
    let done: HashSet<u64> = match path.exists() {
        true => games::read_file(path).map_err(at(path))?.games.iter().map(|g| g.id).collect(),
        false => HashSet::new(),
    };
    let mut todo = super::read_games(&options.games)?;
    todo.retain(|g| !done.contains(&g.id));
    let file = Mutex::new(games::append_to(path).map_err(at(path))?);
    let bar = progress(todo.len() as u64, "games");
    let work = |labeller: &mut Labeller, game: &Game| -> Result<(), TrainError> {
        let mut bytes = Vec::new();
        labeller.label(game, options).write(&mut bytes).map_err(at(path))?;
        file.lock().unwrap_or_else(|e| e.into_inner()).write_all(&bytes).map_err(at(path))?;
        bar.inc(1);
        Ok(())
    };
    let pool = super::pool(options.threads)?;
    pool.install(|| todo.par_iter().try_for_each_init(|| Labeller::new(&weights), |l, game| work(l, game)))?;
    bar.finish();
    crate::say_line!("{} games scored, {} were there", todo.len(), done.len());
    Ok(())
}

struct Labeller {
    searcher: Searcher,
}

impl Labeller {
    fn new(weights: &Arc<Weights>) -> Labeller {
        Labeller { searcher: Searcher::new(Config { threads: 1, hash_bits: 18, weights: Arc::clone(weights) }) }
    }

    fn label(&mut self, game: &Game, options: &LabelOptions) -> Game {
        let mut game = game.clone();
        let boards = game.boards();
        for (ply, &board) in game.plies.iter_mut().zip(&boards) {
            let Some(effort) = effort(board, options) else { continue };
            // What is known better already stays.
            let enough = match effort {
                Effort::Exact => Source::Exact,
                _ => Source::Search(options.mid as u8),
            };
            if ply.source >= enough {
                continue;
            }
            let report = self.searcher.search(board, &Task::new(effort), Control::alone());
            (ply.score, ply.source) = score_of(&report);
        }
        game
    }
}

fn effort(board: Board, options: &LabelOptions) -> Option<Effort> {
    let empties = board.empty_count();
    if empties <= options.end {
        Some(Effort::Exact)
    } else if empties <= options.from && options.mid > 0 {
        Some(Effort::Sliders { mid: options.mid, end: 0 })
    } else {
        None
    }
}
