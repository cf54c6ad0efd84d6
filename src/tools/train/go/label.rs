//! `train go-label`: positions for a network to learn from, and what a network that knows more says of them.
//!
//! Positions come from games of people, a few of each game, or from games that the teacher plays against itself by its
//! policy alone: openings, single moves, rules and komi are left to chance, so that the positions are not all alike and not
//! all decided.

use super::{
    super::{TrainError, at, pool, progress},
    labels::{self, Game, Sample},
};
use crate::{
    base::{Colour, Rng, files},
    go::{
        GoGame, Point, Rules,
        net::{Input, Ladders, Net, Recent, Workspace, input, search},
    },
};
use flate2::read::MultiGzDecoder;
use rayon::prelude::*;
use std::{
    collections::HashSet,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

#[derive(clap::Args, Debug)]
pub struct LabelOptions {
    /// The network that labels: a file of KataGo
    #[arg(long, value_name = "FILE")]
    net: PathBuf,
    /// File to append to; games that it has are passed over
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Take positions from these games, one a line: komi, result, moves as pairs of letters (`7.5 B+R pddpdd`), plain or
    /// packed by gzip; without it the network plays
    #[arg(long, value_name = "FILE")]
    games: Option<PathBuf>,
    /// Positions of each game of people
    #[arg(long, default_value_t = 4)]
    positions: usize,
    /// Sizes of the boards that the network plays on; what is named twice comes twice as often
    #[arg(long, value_name = "SIZES", value_delimiter = ',', default_value = "9,9,9,13,13,7,11,15",
          value_parser = clap::value_parser!(u8).range(2..=19))]
    sizes: Vec<u8>,
    /// Games in the file when it is done
    #[arg(short, long, default_value_t = 1000)]
    count: u64,
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
    /// Games worked on at a time; the result does not depend on it
    #[arg(short, long, default_value_t = 1)]
    threads: usize,
}

/// The part of the positions of a game that is kept: neighbours teach almost the same.
const KEPT: f64 = 0.5;
/// Komi that games have, and how often that is left to chance.
const KOMI: [f32; 6] = [5.5, 6.0, 6.5, 7.0, 7.5, 0.5];
const OTHER_KOMI: f64 = 0.3;
/// How often a position of people is one move further, by chance: searches see such moves and must know that they are bad.
const ASIDE: f64 = 0.25;
/// Games of people on smaller boards are not expected.
const PEOPLE_SIZE: usize = 19;
/// Games that are done before they are written.
const PIECE: usize = 16;

pub fn run(options: &LabelOptions) -> Result<(), TrainError> {
    let path = &options.output;
    let net = Net::from_file(&options.net)
        .map_err(|error| TrainError::Net { path: options.net.clone(), error: error.to_string() })?;
    let people = options.games.as_deref().map(|path| People::read(path, options.count)).transpose()?;
    let (mut file, there) = labels::append_to(path).map_err(at(path))?;
    let there: HashSet<u64> = there.iter().map(|game| game.number).collect();
    let last = people.as_ref().map_or(options.count, |people| options.count.min(people.len() as u64));
    let todo: Vec<u64> = (0..last).filter(|number| !there.contains(number)).collect();
    let bar = progress(todo.len() as u64, "games");
    let mut positions = 0;
    let pool = pool(options.threads)?;
    for piece in todo.chunks(PIECE) {
        let one = |labeller: &mut Labeller, &number: &u64| {
            let mut rng = Rng::new(options.seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let samples = match &people {
                Some(people) => labeller.look_at(&people[number as usize], options.positions, &mut rng),
                None => labeller.play(usize::from(options.sizes[rng.below(options.sizes.len())]), &mut rng),
            };
            bar.inc(1);
            Game { number, samples }
        };
        let games: Vec<Game> = pool.install(|| piece.par_iter().map_init(|| Labeller::new(&net), one).collect());
        for game in games {
            positions += game.samples.len();
            game.write(&mut file).map_err(at(path))?;
        }
    }
    bar.finish();
    crate::say_line!("{} games with {positions} positions labelled, {} games were there", todo.len(), there.len());
    Ok(())
}

/// A game of people: komi, who won, and the moves.
struct People {
    komi: f32,
    winner: Option<Colour>,
    moves: String,
}

impl People {
    /// The first games of a file.
    fn read(path: &Path, count: u64) -> Result<Vec<People>, TrainError> {
        let file = files::open(path).map_err(at(path))?;
        let mut start = BufReader::new(file);
        let packed = start.fill_buf().map_err(at(path))?.starts_with(&[0x1F, 0x8B]);
        let text: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(start)) } else { Box::new(start) };
        let mut games = Vec::new();
        for (number, line) in BufReader::new(text).lines().take(count.try_into().unwrap_or(usize::MAX)).enumerate() {
            let line = line.map_err(at(path))?;
            games.push(People::of(&line).ok_or_else(|| {
                let error = format!("line {}: komi, result and moves expected", number + 1);
                TrainError::Games { path: path.into(), error }
            })?);
        }
        if games.is_empty() { Err(TrainError::NoGames) } else { Ok(games) }
    }

    fn of(line: &str) -> Option<People> {
        let mut words = line.split_whitespace();
        let komi = words.next()?.parse().ok().filter(|komi: &f32| komi.abs() < 400.0)?;
        let result = words.next()?;
        let moves = words.next().unwrap_or_default();
        let letters = moves.len().is_multiple_of(2) && moves.bytes().all(|b| (b'a'..=b't').contains(&b));
        let winner = match result.as_bytes() {
            [b'B', b'+', ..] => Some(Colour::Black),
            [b'W', b'+', ..] => Some(Colour::White),
            _ => None,
        };
        (letters && words.next().is_none()).then(|| People { komi, winner, moves: moves.into() })
    }

    /// The moves up to the first that is not legal.
    fn plays(&self) -> Vec<Point> {
        let Ok(mut game) = GoGame::new(PEOPLE_SIZE, Rules::JAPANESE, self.komi) else { return Vec::new() };
        let geometry = game.geometry();
        let mut plays = Vec::new();
        for &[column, row] in self.moves.as_bytes().as_chunks::<2>().0 {
            let (column, row) = (usize::from(column - b'a'), usize::from(row - b'a'));
            let point = PEOPLE_SIZE.checked_sub(row + 1).and_then(|row| geometry.point(column, row));
            let point = point.unwrap_or(Point::PASS);
            if game.is_over() || game.play(game.to_move(), point).is_err() {
                break;
            }
            plays.push(point);
        }
        plays
    }
}

struct Labeller<'a> {
    net: &'a Net,
    ladders: Ladders,
    room: Workspace,
}

impl<'a> Labeller<'a> {
    fn new(net: &'a Net) -> Labeller<'a> {
        Labeller { net, ladders: Ladders::default(), room: Workspace::default() }
    }

    /// A position, what the network says of it, and the moves with their shares.
    fn judge(&mut self, game: &GoGame) -> (Sample, Vec<(Point, f32)>) {
        let recent = Recent::of(game);
        let input = Input::new(&recent.situation(game), &mut self.ladders);
        let output = self.net.evaluate(std::slice::from_ref(&input), &mut self.room).remove(0);
        let board = game.board();
        let mut moves = game.legal_points();
        moves.retain(|&p| !input::is_lone_suicide(board, p));
        moves.push(Point::PASS);
        let shares = search::shares(board, &output, &moves);
        let numbered: Vec<(usize, f32)> = shares.iter().map(|&(p, share)| (numbered(game, p), share)).collect();
        (Sample::new(&input, &output, &numbered), shares)
    }

    /// Positions of a game that the network plays against itself without looking ahead.
    fn play(&mut self, size: usize, rng: &mut Rng) -> Vec<Sample> {
        let Ok(mut game) = GoGame::new(size, *rng.pick(&Rules::ALL).unwrap_or(&Rules::CHINESE), komi(size, rng)) else {
            return Vec::new();
        };
        let opening = if rng.unit() < 0.5 { rng.below(size + 1) } else { rng.below(3) };
        for _ in 0..opening {
            step_aside(&mut game, rng);
        }
        if rng.unit() < 0.7 {
            // What chance has spoiled is made good by komi, more or less.
            let (sample, _) = self.judge(&game);
            let lead = sample.heads[5] * if game.to_move() == Colour::Black { 1.0 } else { -1.0 };
            let limit = (size * size) as f32;
            let komi = (game.komi() + lead + 1.5 * rng.normal() as f32).clamp(-limit, limit);
            game.set_komi((2.0 * komi).round() / 2.0);
        }
        let strange = [0.0, 0.02, 0.08][rng.below(3)];
        let sharp = [1.0, 1.0, 2.0][rng.below(3)];
        let mut samples = Vec::new();
        while !game.is_over() && game.plays().len() < size * size * 3 / 2 {
            let (sample, shares) = self.judge(&game);
            if rng.unit() < KEPT {
                samples.push(sample);
            }
            if rng.unit() < strange {
                step_aside(&mut game, rng);
            } else {
                let p = draw(&shares, sharp, rng);
                if game.play(game.to_move(), p).is_err() {
                    break;
                }
            }
        }
        samples
    }

    /// Some positions of a game of people.
    fn look_at(&mut self, people: &People, count: usize, rng: &mut Rng) -> Vec<Sample> {
        let plays = people.plays();
        let rules = *rng.pick(&Rules::ALL).unwrap_or(&Rules::CHINESE);
        let mut chosen: Vec<usize> = (0..plays.len()).collect();
        rng.shuffle(&mut chosen);
        chosen.truncate(count);
        chosen.sort_unstable();
        let mut samples = Vec::new();
        for at in chosen {
            let Ok(mut game) = GoGame::new(PEOPLE_SIZE, rules, people.komi) else { break };
            if plays[..at].iter().any(|&p| game.play(game.to_move(), p).is_err()) {
                break;
            }
            let own_komi = rng.unit() >= OTHER_KOMI;
            if !own_komi {
                game.set_komi(komi(PEOPLE_SIZE, rng));
            }
            let aside = rng.unit() < ASIDE && step_aside(&mut game, rng);
            let (mut sample, _) = self.judge(&game);
            if !aside {
                sample.played = Some(numbered(&game, plays[at]) as u16);
                let result = people.winner.map_or(0, |winner| if winner == game.to_move() { 1 } else { -1 });
                sample.result = if own_komi { result } else { 0 };
            }
            samples.push(sample);
        }
        samples
    }
}

fn komi(size: usize, rng: &mut Rng) -> f32 {
    if rng.unit() >= OTHER_KOMI {
        return *rng.pick(&KOMI).unwrap_or(&7.0);
    }
    let komi = 7.0 + rng.normal() as f32 * size as f32;
    (2.0 * komi).round() / 2.0
}

/// The number of a move in policies: points from the top, then the pass.
fn numbered(game: &GoGame, p: Point) -> usize {
    if p.is_pass() { game.geometry().area() } else { input::number(game.board(), p) }
}

/// Some legal move; whether there was one.
fn step_aside(game: &mut GoGame, rng: &mut Rng) -> bool {
    let mut moves = game.legal_points();
    moves.retain(|&p| !input::is_lone_suicide(game.board(), p));
    rng.pick(&moves).is_some_and(|&p| game.play(game.to_move(), p).is_ok())
}

/// A move by its share, likely ones still likelier if it is to be sharp.
fn draw(shares: &[(Point, f32)], sharp: f32, rng: &mut Rng) -> Point {
    let weight = |share: f32| share.powf(sharp);
    let sum: f32 = shares.iter().map(|(_, share)| weight(*share)).sum();
    let mut left = rng.unit() as f32 * sum;
    for &(p, share) in shares {
        left -= weight(share);
        if left < 0.0 {
            return p;
        }
    }
    shares.last().map_or(Point::PASS, |(p, _)| *p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::net::{file, tests::tiny_file};

    #[test]
    fn positions_come_from_games_and_know_what_was_played() {
        let net = Net::new(file::read(&tiny_file(5)).unwrap());
        let people = People::of("6.5 W+1.5 pdddpqdpfqttcnqf").unwrap();
        assert_eq!(people.plays().len(), 8);
        let samples = Labeller::new(&net).look_at(&people, 40, &mut Rng::new(1));
        assert_eq!(samples.len(), 8, "there are no more");
        let played: Vec<u16> = samples.iter().filter_map(|sample| sample.played).collect();
        let all = people.plays();
        let game = GoGame::new(19, Rules::CHINESE, 6.5).unwrap();
        assert!(!played.is_empty() && played.len() < samples.len() + 1);
        assert!(played.iter().all(|&n| all.iter().any(|&p| numbered(&game, p) == usize::from(n))));
        // The first move was made by black, who lost.
        let first = samples.iter().find(|sample| sample.played == Some(3 * 19 + 15));
        assert!(first.is_none_or(|first| first.result <= 0));
        for sample in &samples {
            let sum: u32 = sample.policy.iter().map(|(_, share)| u32::from(*share)).sum();
            assert!((60_000..=66_000).contains(&sum), "{sum}");
        }
    }

    #[test]
    fn lines_that_are_no_games_are_refused() {
        for line in ["", "six B+R dd", "6.5", "6.5 B+R ddp", "6.5 B+R DD", "6.5 B+R dd pp", "NaN B+R dd"] {
            assert!(People::of(line).is_none(), "{line}");
        }
    }

    #[test]
    fn the_network_plays_games_that_end() {
        let net = Net::new(file::read(&tiny_file(6)).unwrap());
        let mut labeller = Labeller::new(&net);
        let play = |labeller: &mut Labeller<'_>| labeller.play(5, &mut Rng::new(3));
        let samples = play(&mut labeller);
        assert!(!samples.is_empty() && samples.len() < 38);
        assert_eq!(samples, play(&mut labeller), "the same seed plays the same game");
    }
}
