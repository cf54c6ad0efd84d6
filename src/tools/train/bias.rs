//! How far searches lie from the truth in one direction.
//!
//! Positions of training games are searched, and the mean of (value − truth) is told by the stage of the game, by the
//! parity of the empty squares, and by depth and selectivity. The truth is proven near the end; earlier it is the first
//! proven score of the game, which is right on average as far as both sides err alike.
//!
//! What has one sign with an even number of empty squares and the other with an odd one is an error about colours: one
//! side is judged too well at every depth. It can be taken out of the constants of the weights, which then are right at
//! the root whatever the depth, and choose hardly any other move, since all leaves go up or down together.

use super::{TrainError, games::Game, games::Source, progress, write_file};
use crate::{
    base::{Control, Rng},
    othello::{
        Board,
        eval::DISC,
        search::{Config, Effort, Searcher, Task},
    },
};
use rayon::prelude::*;
use serde::Serialize;
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

#[derive(clap::Args, Debug)]
pub struct BiasOptions {
    /// Where to write what was measured (JSON, one object for each group)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Positions to search in each file; as many of each number of empty squares
    #[arg(short, long, default_value_t = 2000)]
    positions: usize,
    /// Fewest empty squares
    #[arg(long, default_value_t = 16)]
    from: u32,
    /// Most empty squares
    #[arg(long, default_value_t = 47)]
    to: u32,
    /// Solve positions with at most so many empty squares; the others go by their game
    #[arg(long, default_value_t = 20)]
    end: u32,
    /// Depths to search to
    #[arg(long, value_delimiter = ',', default_value = "10,11")]
    depths: Vec<u32>,
    /// Selectivities, in per cent
    #[arg(long, value_delimiter = ',', default_value = "74", value_parser = clap::value_parser!(u8).range(50..=100))]
    percents: Vec<u8>,
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Take only games whose number leaves this rest when it is divided by two: one half to fit, one to judge by
    #[arg(long, value_parser = clap::value_parser!(u64).range(0..=1))]
    half: Option<u64>,
    /// Where to write these weights with the error about colours taken out of their constants
    #[arg(long, value_name = "FILE", requires = "eval")]
    corrected: Option<PathBuf>,
    /// Weights file instead of the built-in weights
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
    /// Positions worked on at a time
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
    /// Files of training games; each is measured by itself, because what a search gets wrong depends on who played
    #[arg(required = true)]
    games: Vec<PathBuf>,
}

/// A position, and what its game says it is worth to the side to move, in discs.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sample {
    board: Board,
    course: f64,
}

/// What is put together: the first of eight numbers of empty squares, whether they are odd, depth and selectivity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Group {
    empties: u32,
    odd: bool,
    depth: u32,
    percent: u8,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Errors {
    count: f64,
    sum: f64,
    squares: f64,
    absolute: f64,
}

/// What is written of a group.
#[derive(Serialize)]
struct Row<'a> {
    games: &'a str,
    #[serde(flatten)]
    group: Group,
    positions: u32,
    bias: f64,
    error: f64,
    mean_absolute: f64,
}

impl Errors {
    fn add(&mut self, error: f64) {
        self.count += 1.0;
        self.sum += error;
        self.squares += error * error;
        self.absolute += error.abs();
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// The standard error of the mean.
    fn error(&self) -> f64 {
        ((self.squares / self.count - self.mean().powi(2)).max(0.0) / self.count).sqrt()
    }
}

pub fn run(options: &BiasOptions) -> Result<(), TrainError> {
    let weights = super::weights(options.eval.as_deref())?;
    let (mut text, mut seen) = (String::new(), Vec::new());
    for path in &options.games {
        let samples = draw(&super::read_games(std::slice::from_ref(path))?, options);
        if samples.is_empty() {
            return Err(TrainError::NoGames);
        }
        let bar = progress(samples.len() as u64, "positions");
        let searcher = || Searcher::new(Config { threads: 1, hash_bits: 18, weights: Arc::clone(&weights) });
        let found: Vec<Vec<(u32, u32, u8, f64)>> = super::pool(options.threads)?.install(|| {
            let samples = samples.par_iter();
            samples
                .map_init(searcher, |searcher, sample| {
                    bar.inc(1);
                    errors(searcher, *sample, options)
                })
                .collect()
        });
        bar.finish_and_clear();
        let mut groups: BTreeMap<Group, Errors> = BTreeMap::new();
        for (empties, depth, percent, error) in found.into_iter().flatten() {
            let group = Group { empties: empties / 8 * 8, odd: empties % 2 == 1, depth, percent };
            groups.entry(group).or_default().add(error);
            seen.push((empties - depth, for_even(empties) * error));
        }
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        print(&name, &groups);
        for (&group, errors) in &groups {
            let rounded = |discs: f64| (discs * 1000.0).round() / 1000.0;
            let row = Row {
                games: &name,
                group,
                positions: errors.count as u32,
                bias: rounded(errors.mean()),
                error: rounded(errors.error()),
                mean_absolute: rounded(errors.absolute / errors.count),
            };
            text += &serde_json::to_string(&row).unwrap_or_default();
            text.push('\n');
        }
    }
    if let (Some(corrected), Some(eval)) = (&options.corrected, &options.eval) {
        let mut parameters = super::parameters_of(eval)?;
        correct(&mut parameters.constants, &seen);
        super::write_weights(corrected, &parameters)?;
    }
    options.output.as_ref().map_or(Ok(()), |path| write_file(path, text.as_ref()))
}

/// 1 with an even number of empty squares, -1 with an odd one.
fn for_even(empties: u32) -> f64 {
    if empties.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// Takes from each constant what the side to move with an even number of empty squares was judged too well near it.
/// `seen`: the empty squares at the horizon of a search, and that error in discs.
fn correct(constants: &mut [i16], seen: &[(u32, f64)]) {
    for (empties, constant) in (0..).zip(constants) {
        let near = |leaf: u32| (-(f64::from(leaf) - f64::from(empties)).powi(2) / 32.0).exp();
        let weight: f64 = seen.iter().map(|(leaf, _)| near(*leaf)).sum();
        // Far from everything that was seen nothing is known.
        if weight > 1.0 {
            let error = seen.iter().map(|(leaf, discs)| near(*leaf) * discs).sum::<f64>() / weight;
            *constant = constant.saturating_sub((for_even(empties) * error * f64::from(DISC)).round() as i16);
        }
    }
}

/// As many positions of each number of empty squares as there are to be, from games in random order.
fn draw(games: &[Game], options: &BiasOptions) -> Vec<Sample> {
    let mut rng = Rng::new(options.seed);
    let mut order: Vec<&Game> =
        games.iter().filter(|game| options.half.is_none_or(|half| game.id % 2 == half)).collect();
    rng.shuffle(&mut order);
    let each = options.positions.div_ceil((options.to.saturating_sub(options.from) + 1) as usize);
    let mut by_empties: BTreeMap<u32, Vec<Sample>> = BTreeMap::new();
    for game in order {
        for sample in samples(game) {
            let empties = sample.board.empty_count();
            let there = by_empties.entry(empties).or_default();
            if (options.from..=options.to).contains(&empties) && there.len() < each {
                there.push(sample);
            }
        }
    }
    by_empties.into_values().flatten().collect()
}

/// The positions before the first proven score of a game, and that of the score itself.
fn samples(game: &Game) -> Vec<Sample> {
    let Some(first) = game.plies.iter().position(|ply| ply.source == Source::Exact) else { return vec![] };
    let proven = f64::from(game.plies[first].score) / f64::from(DISC);
    let boards = game.boards().into_iter().enumerate().take(first + 1).skip(game.random.into());
    boards
        .filter(|(_, board)| board.can_move())
        .map(|(at, board)| Sample { board, course: if (first - at) % 2 == 0 { proven } else { -proven } })
        .collect()
}

/// Empty squares, depth, selectivity, and how much too well the side to move was judged.
fn errors(searcher: &mut Searcher, sample: Sample, options: &BiasOptions) -> Vec<(u32, u32, u8, f64)> {
    let empties = sample.board.empty_count();
    let mut value = |effort| {
        searcher.clear();
        searcher.search(sample.board, &Task::new(effort), Control::alone()).value.discs()
    };
    let truth = if empties <= options.end { value(Effort::Exact) } else { sample.course };
    let mut found = Vec::new();
    for &depth in options.depths.iter().filter(|&&depth| depth > 0 && depth < empties) {
        for &percent in &options.percents {
            let error = value(Effort::Depth { plies: depth, percent }) - truth;
            found.push((empties, depth, percent, error));
        }
    }
    found
}

fn print(name: &str, groups: &BTreeMap<Group, Errors>) {
    crate::say_line!("{name}: value - truth in discs, for the side to move");
    crate::say_line!("empties  parity  depth  cuts  positions           bias  mean error");
    for (Group { empties, odd, depth, percent }, errors) in groups {
        let parity = if *odd { "odd" } else { "even" };
        crate::say_line!(
            "{empties:>3}–{:<3}  {parity:<6}  {depth:>5}  {percent:>3}%  {:>9}  {:>+6.2} ± {:<5.2}  {:>10.2}",
            empties + 7,
            errors.count,
            errors.mean(),
            errors.error(),
            errors.absolute / errors.count,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::train::games::Ply;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: BiasOptions,
    }

    /// A game of moves that are always the first legal one, whose score is proven from its ply `first` on.
    fn game(id: u64, first: usize) -> Game {
        let mut board = Board::START;
        let mut plies = Vec::new();
        while let Some(square) = board.moves().into_iter().next() {
            let proven = plies.len() >= first;
            let score = if (plies.len() - first.min(plies.len())) % 2 == 0 { 4 * DISC } else { -4 * DISC };
            let source = if proven { Source::Exact } else { Source::Unknown };
            plies.push(Ply { action: square.into(), score: score as i16, source });
            board = board.play(square).unwrap();
        }
        Game { id, random: 2, plies }
    }

    #[test]
    fn positions_take_the_first_proven_score_of_their_game() {
        let game = game(1, 12);
        let samples = samples(&game);
        assert_eq!(samples.len(), 11, "from ply 2 to ply 12");
        assert_eq!((samples[10].course, samples[9].course, samples[0].course), (4.0, -4.0, 4.0));
        assert!(super::samples(&Game { plies: game.plies[..12].to_vec(), ..game }).is_empty());
    }

    #[test]
    fn halves_share_no_game() {
        let parse = |half: &str| Cli::try_parse_from(["bias", "--half", half, "--from", "50", "--to", "56", "x"]);
        let games = [game(1, 12), game(2, 12), game(3, 12)];
        let count = |half| draw(&games, &parse(half).unwrap().options).len();
        assert_eq!((count("0"), count("1")), (7, 14));
        assert!(parse("2").is_err());
    }

    #[test]
    fn colours_are_put_right_near_what_was_seen() {
        let mut constants = vec![10; 61];
        correct(&mut constants, &(8..16).map(|leaf| (leaf, 1.0)).collect::<Vec<_>>());
        let disc = DISC as i16;
        assert_eq!((constants[10], constants[11], constants[60]), (10 - disc, 10 + disc, 10));
    }

    #[test]
    fn the_mean_and_its_error() {
        let mut errors = Errors::default();
        [1.0, 3.0, 2.0, 2.0].into_iter().for_each(|error| errors.add(error));
        assert_eq!((errors.mean(), errors.absolute), (2.0, 8.0));
        assert!((errors.error() - (0.5f64 / 4.0).sqrt()).abs() < 1e-12);
    }
}
