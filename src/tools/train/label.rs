//! Better scores for the positions of games that are there already.

use super::{
    TrainError, at,
    games::{self, Game, GameText, Source},
    progress,
};
use crate::{
    base::Control,
    engine::{Answer, CommandError, CommandErrorKind},
    othello::{
        Board,
        eval::{DISC, Weights},
        search::{Config, Effort, Report, Searcher, Task},
    },
    tools::pool::job::{AtHand, Fields, Piece, fields_of, from_fields, search_cost},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashSet,
    io::Write,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
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
    /// Let the workers of a fleet score the games: the URL of its queue
    #[arg(long, value_name = "URL", conflicts_with = "eval")]
    fleet: Option<String>,
    /// Files of training games
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

/// Which positions are scored, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct How {
    end: u32,
    mid: u32,
    from: u32,
}

impl Default for How {
    fn default() -> How {
        How { end: 14, mid: 0, from: 60 }
    }
}

/// A game to be scored as a job: `label`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelJob {
    game: GameText,
    #[serde(flatten)]
    how: How,
}

impl LabelJob {
    pub fn read(fields: Fields) -> Answer<Arc<dyn Piece>> {
        let job: LabelJob = from_fields(fields)?;
        if job.game.game().is_none() {
            let message = "game: its moves, scores and sources do not fit together";
            return Err(CommandError::new(CommandErrorKind::Illegal, message).in_field("game"));
        }
        Ok(Arc::new(job))
    }

    fn fields(&self) -> Fields {
        let mut fields = fields_of(self);
        fields.insert("kind".into(), "label".into());
        fields.insert("cost".into(), self.cost().into());
        fields
    }
}

impl Piece for LabelJob {
    fn carry_out(&self, at_hand: &mut dyn AtHand, stop: &AtomicBool) -> Answer<Option<Fields>> {
        let game = self.game.game().and_then(|game| label(at_hand.searcher(HASH_BITS), &game, self.how, stop));
        Ok(game
            .map(|game| fields_of(GameText::from(&game)))
            .map(|game| Fields::from_iter([("game".into(), game.into())])))
    }

    fn cost(&self) -> f64 {
        let (mid, end) = (f64::from(self.how.mid), f64::from(self.how.end));
        let middle = if self.how.mid > 0 { 40.0 * search_cost(mid, 60.0, 100.0) } else { 0.0 };
        middle + 2.0 * search_cost(end, end, 100.0)
    }
}

const HASH_BITS: u32 = 18;

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
    let how = How { end: options.end, mid: options.mid, from: options.from };
    let path = &options.output;
    let done: HashSet<u64> = match path.exists() {
        true => games::read_file(path).map_err(at(path))?.games.iter().map(|g| g.id).collect(),
        false => HashSet::new(),
    };
    let mut todo = super::read_games(&options.games)?;
    todo.retain(|g| !done.contains(&g.id));
    let mut file = games::append_to(path).map_err(at(path))?;
    let bar = progress(todo.len() as u64, "games");
    if let Some(url) = &options.fleet {
        let jobs = todo.iter().map(|game| LabelJob { game: game.into(), how }.fields()).collect();
        super::by_fleet(url, jobs, &mut |game| {
            game.write(&mut file)?;
            bar.inc(1);
            Ok(())
        })?;
        bar.finish();
        crate::say_line!("{} games scored, {} were there", todo.len(), done.len());
        return Ok(());
    }
    let weights = super::weights(options.eval.as_deref())?;
    let file = Mutex::new(file);
    let work = |labeller: &mut Labeller, game: &Game| -> Result<(), TrainError> {
        let mut bytes = Vec::new();
        // What was found in one game has no part in the next, so that their order does not matter.
        labeller.searcher.clear();
        let never = AtomicBool::new(false);
        let Some(scored) = label(&mut labeller.searcher, game, how, &never) else { return Ok(()) };
        scored.write(&mut bytes).map_err(at(path))?;
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
        Labeller { searcher: Searcher::new(Config { threads: 1, hash_bits: HASH_BITS, weights: Arc::clone(weights) }) }
    }
}

/// `None`: it was stopped.
fn label(searcher: &mut Searcher, game: &Game, how: How, stop: &AtomicBool) -> Option<Game> {
    let mut game = game.clone();
    let boards = game.boards();
    for (ply, &board) in game.plies.iter_mut().zip(&boards) {
        let Some(effort) = effort(board, how) else { continue };
        // What is known better already stays.
        let enough = match effort {
            Effort::Exact => Source::Exact,
            _ => Source::Search(how.mid as u8),
        };
        if ply.source >= enough {
            continue;
        }
        let report = searcher.search(board, &Task::new(effort), Control::new(stop, &|_| {}));
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        (ply.score, ply.source) = score_of(&report);
    }
    Some(game)
}

fn effort(board: Board, how: How) -> Option<Effort> {
    let empties = board.empty_count();
    if empties <= how.end {
        Some(Effort::Exact)
    } else if empties <= how.from && how.mid > 0 {
        Some(Effort::Sliders { mid: how.mid, end: 0 })
    } else {
        None
    }
}
