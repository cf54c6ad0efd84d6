//! Games of the engine against itself: a random opening or a branch off a known game, a search of fixed depth, an exact
//! endgame.

use super::{
    TrainError, at,
    games::{self, Game, GameText, Ply},
    label::score_of,
    progress,
};
use crate::{
    base::{Control, Rng},
    engine::{Answer, CommandError, CommandErrorKind},
    othello::{
        Board, Move, Square,
        eval::Weights,
        search::{Config, Effort, Searcher, Task},
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
    /// Take the first moves, as many as the random ones would be, from games of this file; `--stray` random moves follow
    #[arg(long, value_name = "FILE")]
    branch: Option<PathBuf>,
    /// With `--branch`: most random moves behind the known ones, at least one
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=20))]
    stray: u8,
    /// Per cent of the moves that are random all through the game. A search has to judge what bad moves lead to as well;
    /// positions of such a game are labelled by their own search alone
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    wander: u8,
    /// Weights file instead of the built-in weights
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
    /// Games played at a time
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
    /// Let the workers of a fleet play: the URL of its queue
    #[arg(long, value_name = "URL", conflicts_with = "eval")]
    fleet: Option<String>,
}

/// What a game depends on besides its id, the weights and the game it branches off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct How {
    mid: u32,
    end: u32,
    random_min: u8,
    random_max: u8,
    stray: u8,
    wander: u8,
}

impl Default for How {
    fn default() -> How {
        How { mid: 6, end: 16, random_min: 8, random_max: 40, stray: 3, wander: 0 }
    }
}

impl SelfplayOptions {
    fn how(&self) -> How {
        let SelfplayOptions { mid, end, random_min, random_max, stray, wander, .. } = *self;
        How { mid, end, random_min, random_max, stray, wander }
    }
}

/// A game of the engine against itself as a job: `selfplay`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfplayJob {
    game: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trunk: Option<GameText>,
    #[serde(flatten)]
    how: How,
}

impl SelfplayJob {
    pub fn read(fields: Fields) -> Answer<Arc<dyn Piece>> {
        let job: SelfplayJob = from_fields(fields)?;
        let how = job.how;
        let error = |message: &str| CommandError::new(CommandErrorKind::Range, message);
        if job.trunk.as_ref().is_some_and(|trunk| trunk.game().is_none_or(|game| game.plies.is_empty())) {
            return Err(error("trunk: its moves, scores and sources are not those of a game").in_field("trunk"));
        }
        if how.stray == 0 || how.wander > 100 || how.random_max > 60 || how.mid > 60 || how.end > 60 {
            return Err(error("mid, end and random_max take up to 60, wander up to 100, stray 1 at least"));
        }
        Ok(Arc::new(job))
    }

    /// The same in every process: the trunk is drawn from the games to branch off as the game itself would.
    fn new(id: u64, trunks: &[Game], how: How) -> SelfplayJob {
        let mut rng = Rng::new(id);
        let spread = usize::from(how.random_max.saturating_sub(how.random_min)) + 1;
        rng.below(spread);
        SelfplayJob { game: id, trunk: rng.pick(trunks).map(GameText::from), how }
    }

    fn fields(&self) -> Fields {
        let mut fields = fields_of(self);
        fields.insert("kind".into(), "selfplay".into());
        fields.insert("cost".into(), self.cost().into());
        fields
    }
}

impl Piece for SelfplayJob {
    fn carry_out(&self, at_hand: &mut dyn AtHand, stop: &AtomicBool) -> Answer<Option<Fields>> {
        let trunks: Vec<Game> = self.trunk.as_ref().and_then(GameText::game).into_iter().collect();
        let game = play(at_hand.searcher(HASH_BITS), self.game, &trunks, self.how, stop);
        Ok(game
            .map(|game| fields_of(GameText::from(&game)))
            .map(|game| Fields::from_iter([("game".into(), game.into())])))
    }

    fn cost(&self) -> f64 {
        let (mid, end) = (f64::from(self.how.mid), f64::from(self.how.end));
        40.0 * search_cost(mid, 60.0, 100.0) + search_cost(end, end, 100.0)
    }
}

pub fn run(options: &SelfplayOptions) -> Result<(), TrainError> {
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
    if let Some(url) = &options.fleet {
        return by_fleet(url, options, &trunks_of(options)?, &todo, done.len());
    }
    let (weights, trunks) = (super::weights(options.eval.as_deref())?, trunks_of(options)?);
    let bar = progress(todo.len() as u64, "games");
    let work = |player: &mut Player, id: &u64| -> Result<(), TrainError> {
        player.searcher.clear();
        let never = AtomicBool::new(false);
        let Some(game) = play(&mut player.searcher, *id, &trunks, options.how(), &never) else { return Ok(()) };
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
    crate::say_line!("{} games played, {} were there", todo.len(), done.len());
    Ok(())
}

fn trunks_of(options: &SelfplayOptions) -> Result<Vec<Game>, TrainError> {
    match &options.branch {
        Some(file) => super::read_games(std::slice::from_ref(file)),
        None => Ok(vec![]),
    }
}

/// The games are played by others; this process alone writes them down.
fn by_fleet(
    url: &str,
    options: &SelfplayOptions,
    trunks: &[Game],
    todo: &[u64],
    there: usize,
) -> Result<(), TrainError> {
    let path = &options.output;
    let mut file = games::append_to(path).map_err(at(path))?;
    let bar = progress(todo.len() as u64, "games");
    let jobs = todo.iter().map(|id| SelfplayJob::new(*id, trunks, options.how()).fields()).collect();
    super::by_fleet(url, jobs, &mut |game| {
        game.write(&mut file)?;
        bar.inc(1);
        Ok(())
    })?;
    bar.finish();
    crate::say_line!("{} games played, {there} were there", todo.len());
    Ok(())
}

const HASH_BITS: u32 = 16;

struct Player {
    searcher: Searcher,
}

impl Player {
    fn new(weights: &Arc<Weights>) -> Player {
        Player { searcher: Searcher::new(Config { threads: 1, hash_bits: HASH_BITS, weights: Arc::clone(weights) }) }
    }
}

/// The game depends on the id, the weights and the games to branch off alone, if the searcher knows nothing. `None`: it
/// was stopped.
fn play(searcher: &mut Searcher, id: u64, trunks: &[Game], how: How, stop: &AtomicBool) -> Option<Game> {
    let mut rng = Rng::new(id);
    let spread = usize::from(how.random_max.saturating_sub(how.random_min)) + 1;
    let length = how.random_min + rng.below(spread) as u8;
    let (mut board, mut plies) = match rng.pick(trunks) {
        Some(trunk) => branch(&mut rng, trunk, length, how.stray),
        None => opening(&mut rng, length),
    };
    let mut random = plies.len() as u8;
    let task = Task::new(Effort::Sliders { mid: how.mid, end: how.end });
    while !board.is_over() {
        let report = searcher.search(board, &task, Control::new(stop, &|_| {}));
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let Some(mut action) = report.best() else { break };
        let (score, source) = score_of(&report);
        let moves: Vec<Square> = board.moves().into_iter().collect();
        if rng.below(100) < usize::from(how.wander)
            && let Some(&square) = rng.pick(&moves)
        {
            action = Move::Place(square);
        }
        plies.push(Ply { action, score, source });
        board = match action {
            Move::Place(square) => board.play(square).unwrap_or(board),
            Move::Pass => board.pass(),
        };
    }
    if how.wander > 0 {
        random = plies.len() as u8;
    }
    Some(Game { id, random, plies })
}

/// Random legal moves from the start; begun again in the rare case that the game ends on the way.
pub fn opening(rng: &mut Rng, count: u8) -> (Board, Vec<Ply>) {
    loop {
        let (mut board, mut plies) = (Board::START, Vec::new());
        stray(rng, &mut board, &mut plies, usize::from(count));
        if !board.is_over() {
            return (board, plies);
        }
    }
}

/// The first `count` moves of a known game, then up to `most` random ones: positions like those that people reach, and
/// the mistakes beside them that a search has to judge. Where the game ends on the way, as much of it as does not.
fn branch(rng: &mut Rng, trunk: &Game, count: u8, most: u8) -> (Board, Vec<Ply>) {
    let strays = 1 + rng.below(usize::from(most));
    let boards = trunk.boards();
    let mut known = usize::from(count).min(boards.len() - 1);
    loop {
        let mut board = boards[known];
        let mut plies: Vec<Ply> = trunk.plies[..known].iter().map(|ply| unknown(ply.action)).collect();
        stray(rng, &mut board, &mut plies, strays);
        if !board.is_over() {
            return (board, plies);
        }
        // The starting position does not end within a few moves, so this does.
        known = known.saturating_sub(4);
    }
}

fn unknown(action: Move) -> Ply {
    Ply { action, score: 0, source: games::Source::Unknown }
}

/// Makes `count` random legal moves, passes counted, or as many as there are.
fn stray(rng: &mut Rng, board: &mut Board, plies: &mut Vec<Ply>, count: usize) {
    for _ in 0..count {
        if board.is_over() {
            return;
        }
        let moves: Vec<Square> = board.moves().into_iter().collect();
        match rng.pick(&moves).and_then(|&s| Some((s, board.play(s)?))) {
            Some((square, next)) => {
                plies.push(unknown(Move::Place(square)));
                *board = next;
            }
            None => {
                plies.push(unknown(Move::Pass));
                *board = board.pass();
            }
        }
    }
}
