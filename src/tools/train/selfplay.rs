//! Games of the engine against itself: a random opening, a search of fixed depth, an exact endgame.

use super::{
    TrainError, at,
    games::{self, Game, Ply},
    label::score_of,
    progress,
};
use crate::{
    base::{Control, Rng},
    othello::{
        Board, Move, Square,
        eval::Weights,
        search::{Config, Effort, Searcher, Task},
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
pub struct SelfplayOptions {
    /// File of training games to append to
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Games the file shall hold in the end from this seed; what is already there counts
    #[arg(short, long, default_value_t = 10_000)]
    games: u32,
    /// Machines that share the work take different seeds
    #[arg(short, long, default_value_t = 1)]
    seed: u32,
    /// Depth of the search
    #[arg(long, default_value_t = 6)]
    mid: u32,
    /// Play perfectly from so many empty squares on
    #[arg(long, default_value_t = 16)]
    end: u32,
    /// Fewest random moves at the start
    #[arg(long, default_value_t = 8)]
    random_min: u8,
    /// Most random moves at the start
    #[arg(long, default_value_t = 40)]
    random_max: u8,
    /// Weights file instead of the built-in weights
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
    /// Games played at a time
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
}

pub fn run(options: &SelfplayOptions) -> Result<(), TrainError> {
    let weights = super::weights(options.eval.as_deref())?;
    let path = &options.output;
    let done: HashSet<u64> = match path.exists() {
        true => games::read_file(path).map_err(at(path))?.games.iter().map(|g| g.id).collect(),
        false => HashSet::new(),
    };
    let file = Mutex::new(games::append_to(path).map_err(at(path))?);
    let todo: Vec<u64> = (0..options.games)
        .map(|i| u64::from(options.seed) << 32 | u64::from(i))
        .filter(|id| !done.contains(id))
        .collect();
    let bar = progress(todo.len() as u64, "games");
    let work = |player: &mut Player, id: &u64| -> Result<(), TrainError> {
        let game = player.play(*id, options);
        let mut bytes = Vec::new();
        game.write(&mut bytes).map_err(at(path))?;
        // One write for one record: what a stop cuts off is noticed by its checksum.
        file.lock().unwrap_or_else(|e| e.into_inner()).write_all(&bytes).map_err(at(path))?;
        bar.inc(1);
        Ok(())
    };
    let pool = super::pool(options.threads)?;
    pool.install(|| todo.par_iter().try_for_each_init(|| Player::new(&weights), |player, id| work(player, id)))?;
    bar.finish();
    println!("{} games played, {} were there", todo.len(), done.len());
    Ok(())
}

struct Player {
    searcher: Searcher,
}

impl Player {
    fn new(weights: &Arc<Weights>) -> Player {
        Player { searcher: Searcher::new(Config { threads: 1, hash_bits: 16, weights: Arc::clone(weights) }) }
    }

    /// The game depends on the id and the weights alone: the memory of the last game is wiped out first.
    fn play(&mut self, id: u64, options: &SelfplayOptions) -> Game {
        self.searcher.clear();
        let mut rng = Rng::new(id);
        let spread = usize::from(options.random_max.saturating_sub(options.random_min)) + 1;
        let length = options.random_min + rng.below(spread) as u8;
        let (mut board, mut plies) = opening(&mut rng, length);
        let random = plies.len() as u8;
        let task = Task::new(Effort::Sliders { mid: options.mid, end: options.end });
        while !board.is_over() {
            let report = self.searcher.search(board, &task, Control::alone());
            let Some(action) = report.best() else { break };
            let (score, source) = score_of(&report);
            plies.push(Ply { action, score, source });
            board = match action {
                Move::Place(square) => board.play(square).unwrap_or(board),
                Move::Pass => board.pass(),
            };
        }
        Game { id, random, plies }
    }
}

/// Random legal moves from the start; begun again in the rare case that the game ends on the way.
pub fn opening(rng: &mut Rng, count: u8) -> (Board, Vec<Ply>) {
    loop {
        let mut board = Board::START;
        let mut plies = Vec::new();
        let unknown = |action| Ply { action, score: 0, source: games::Source::Unknown };
        while plies.len() < usize::from(count) && !board.is_over() {
            let moves: Vec<Square> = board.moves().into_iter().collect();
            match rng.pick(&moves).and_then(|&s| Some((s, board.play(s)?))) {
                Some((square, next)) => {
                    plies.push(unknown(Move::Place(square)));
                    board = next;
                }
                None => {
                    plies.push(unknown(Move::Pass));
                    board = board.pass();
                }
            }
        }
        if !board.is_over() {
            return (board, plies);
        }
    }
}
