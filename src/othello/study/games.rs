//! Collections of games from files and folders: listed, searched by player, year, event, opening and position, and
//! asked which moves were played from a position.

use super::openings::Names;
use crate::{
    base::{Colour, control::unless_stopped, files},
    othello::{
        Board, Game, Move, Position, Square,
        records::{self, Format, GameResult, Record, wthor},
    },
};
use rayon::prelude::*;
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// Larger files are not read.
const LARGEST: u64 = 256 << 20;

/// Games in memory, each in some 100 bytes, however many there are.
#[derive(Debug, Default)]
pub struct Collection {
    games: Vec<Stored>,
    /// Names of players and events, each once.
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
    starts: Vec<Position>,
    pub files: Vec<PathBuf>,
    /// Files and entries that were left out, with the reason.
    pub damaged: Vec<Damage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    pub file: PathBuf,
    pub message: String,
}

/// A game as it is kept: squares without passes, everything else by number.
#[derive(Debug)]
struct Stored {
    file: u32,
    /// In its file, counted from 1.
    number: u32,
    start: u32,
    squares: Box<[u8]>,
    names: [u32; 2],
    event: u32,
    date: u32,
    memo: u32,
    /// Black's lead; `None` if it is not known.
    result: Option<i8>,
}

/// What is said about a game in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// In the collection, counted from 0.
    pub index: usize,
    pub file: PathBuf,
    pub names: [String; 2],
    pub event: String,
    pub date: String,
    pub memo: String,
    pub result: Option<i32>,
    pub moves: usize,
}

/// What is looked for; everything that is given has to fit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// Part of either name.
    pub player: Option<String>,
    pub black: Option<String>,
    pub white: Option<String>,
    /// From the first to the last of these years.
    pub years: Option<(u32, u32)>,
    pub event: Option<String>,
    /// Part of the name of an opening, in any language there is.
    pub opening: Option<String>,
    /// In any of the eight orientations.
    pub position: Option<Position>,
    /// How the game begins, in any orientation: the squares without passes.
    pub moves: Option<Vec<Square>>,
    pub winner: Option<Won>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Won {
    Black,
    White,
    Draw,
    /// By this much for black.
    By(i32),
}

/// A move that was played from a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// `None`: the game ended here.
    pub mv: Option<Square>,
    pub games: usize,
    /// Black's wins, draws, white's wins among those whose result is known.
    pub wins: [usize; 3],
    /// Black's mean lead.
    pub mean: Option<f64>,
}

impl Collection {
    /// Reads files and the files of folders; `tell` hears how many files of how many are done. What cannot be used is
    /// named and left out.
    pub fn open(paths: &[PathBuf], tell: &mut dyn FnMut(usize, usize), stop: &AtomicBool) -> Collection {
        let mut collection = Collection::default();
        let mut found = vec![];
        for path in paths {
            collection.collect(path, true, &mut found);
        }
        found.sort();
        found.dedup();
        for (done, path) in found.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            tell(done, found.len());
            collection.read(path, stop);
        }
        tell(found.len(), found.len());
        collection
    }

    /// The files to read below a path. In a folder only what looks like games is taken.
    fn collect(&mut self, path: &Path, asked: bool, found: &mut Vec<PathBuf>) {
        if let Err(error) = files::permitted(path) {
            self.damaged.push(Damage { file: path.to_path_buf(), message: error.to_string() });
            return;
        }
        if !path.is_dir() {
            if asked || is_game_file(path) {
                found.push(path.to_path_buf());
            }
            return;
        }
        match std::fs::read_dir(path) {
            Ok(entries) => {
                for entry in entries.flatten() {
                    // A link could lead round in a circle.
                    if !entry.file_type().is_ok_and(|kind| kind.is_symlink() && entry.path().is_dir()) {
                        self.collect(&entry.path(), false, found);
                    }
                }
            }
            Err(error) => self.damaged.push(Damage { file: path.to_path_buf(), message: error.to_string() }),
        }
    }

    fn read(&mut self, path: &Path, stop: &AtomicBool) {
        let own = path.to_path_buf();
        let entries = match unless_stopped(stop, move |_| entries_of(&own)) {
            None => return,
            Some(Ok(entries)) => entries,
            Some(Err(error)) => {
                self.damaged.push(Damage { file: path.to_path_buf(), message: error.to_string() });
                return;
            }
        };
        let file = self.files.len() as u32;
        self.files.push(path.to_path_buf());
        let mut good = 0;
        for (i, entry) in entries.into_iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            match entry {
                Ok(record) => {
                    good += 1;
                    self.add(file, i as u32 + 1, &record);
                }
                Err(error) => {
                    self.damaged.push(Damage { file: path.to_path_buf(), message: error.to_string() });
                }
            }
        }
        if good == 0 && !self.damaged.iter().any(|damage| damage.file == path) {
            self.damaged.push(Damage { file: path.to_path_buf(), message: "there is no game in the file".into() });
        }
    }

    fn add(&mut self, file: u32, number: u32, record: &Record) {
        let squares = record.game.plies().iter().filter_map(|ply| match ply.mv {
            Move::Place(square) => Some(square.index() as u8),
            Move::Pass => None,
        });
        let squares = squares.collect();
        let start = record.game.start();
        let start = self.starts.iter().position(|&known| known == start).unwrap_or_else(|| {
            self.starts.push(start);
            self.starts.len() - 1
        }) as u32;
        let result = record.final_result().map(|r| r.black_margin().round().clamp(-64.0, 64.0) as i8);
        let names = [self.number(&record.names[0]), self.number(&record.names[1])];
        let [event, date, memo] = [&record.event, &record.date, &record.memo].map(|text| self.number(text));
        self.games.push(Stored { file, number, start, squares, names, event, date, memo, result });
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_string());
        self.numbers.insert(text.to_string(), number);
        number
    }

    pub fn len(&self) -> usize {
        self.games.len()
    }

    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }

    pub fn summary(&self, index: usize) -> Option<Summary> {
        let game = self.games.get(index)?;
        Some(Summary {
            index,
            file: self.files.get(game.file as usize).cloned().unwrap_or_default(),
            names: game.names.map(|name| self.text(name).to_string()),
            event: self.text(game.event).to_string(),
            date: self.text(game.date).to_string(),
            memo: self.text(game.memo).to_string(),
            result: game.result.map(i32::from),
            moves: game.squares.len(),
        })
    }

    /// The game with everything its file says, or as it is kept if the file is no longer there.
    pub fn record(&self, index: usize) -> Option<Record> {
        let stored = self.games.get(index)?;
        let path = self.files.get(stored.file as usize)?;
        let kept = self.kept(stored)?;
        if Format::from_path(path) == Format::Wthor {
            return Some(kept);
        }
        let entries = files::read(path, LARGEST).map(|bytes| Format::from_path(path).read(bytes)).unwrap_or_default();
        let again = entries.into_iter().nth(stored.number as usize - 1).and_then(Result::ok);
        Some(again.filter(|record| record.game.position() == kept.game.position()).unwrap_or(kept))
    }

    fn kept(&self, stored: &Stored) -> Option<Record> {
        let mut game = Game::without_auto_pass(*self.starts.get(stored.start as usize)?);
        let moves = stored.squares.iter().map(|&square| (None, Move::Place(Square::wrapping(square.into()))));
        game.play_sequence(moves).ok()?;
        let mut record = Record::new(game);
        record.names = stored.names.map(|name| self.text(name).to_string());
        record.event = self.text(stored.event).to_string();
        record.date = self.text(stored.date).to_string();
        record.memo = self.text(stored.memo).to_string();
        record.result = stored.result.map(|margin| GameResult::from_score(margin.into()));
        Some(record)
    }

    /// The numbers of the games that fit.
    pub fn find(&self, query: &Query) -> Vec<usize> {
        let by_text = |part: &Option<String>| part.as_ref().map(|part| self.with(part));
        let (player, black) = (by_text(&query.player), by_text(&query.black));
        let (white, event) = (by_text(&query.white), by_text(&query.event));
        let position = query.position.map(Images::new);
        let moves = query.moves.as_ref().map(|squares| images_of_moves(squares));
        let openings = query.opening.as_ref().map(|part| Openings::named(part));
        let has = |set: &Option<Vec<bool>>, text: u32| set.as_ref().is_none_or(|set| set[text as usize]);
        let fits = |game: &Stored| {
            (has(&player, game.names[0]) || has(&player, game.names[1]))
                && has(&black, game.names[0])
                && has(&white, game.names[1])
                && has(&event, game.event)
                && query.years.is_none_or(|(first, last)| {
                    year(self.text(game.date)).is_some_and(|year| (first..=last).contains(&year))
                })
                && query.winner.is_none_or(|won| game.result.is_some_and(|result| won.fits(result.into())))
                && moves.as_ref().is_none_or(|images| {
                    self.starts[game.start as usize] == Position::START
                        && images.iter().any(|image| game.squares.starts_with(image))
                })
                && position.as_ref().is_none_or(|images| self.reaches(game, images).is_some())
                && openings.as_ref().is_none_or(|openings| openings.fit(&self.boards(game)))
        };
        (0..self.games.len()).into_par_iter().filter(|&i| fits(&self.games[i])).collect()
    }

    /// Which texts contain this one, in any case.
    fn with(&self, part: &str) -> Vec<bool> {
        let part = part.to_lowercase();
        self.texts.iter().map(|text| text.to_lowercase().contains(&part)).collect()
    }

    /// After how many squares the game reaches one of these positions, and by which symmetry.
    fn reaches(&self, game: &Stored, images: &Images) -> Option<(usize, u8)> {
        let start = self.starts[game.start as usize];
        let steps = images.discs.checked_sub(start.board.disc_count())? as usize;
        let played = game.squares.get(..steps)?;
        // A disc never goes: a square of the line that is empty in all images is the end of the search.
        let position = played.iter().try_fold(start, |position, &square| step(position, square))?;
        let position = passed(position);
        images.find(position).map(|symmetry| (steps, symmetry))
    }

    /// The first positions of a game, for names of openings.
    fn boards(&self, game: &Stored) -> Vec<Position> {
        let mut position = self.starts[game.start as usize];
        let mut all = vec![position];
        for &square in game.squares.iter().take(LONGEST_OPENING) {
            let Some(next) = step(position, square) else { break };
            position = next;
            all.push(position);
        }
        all
    }

    /// What was played from a position, most often first, in its own orientation.
    pub fn explore(&self, position: Position) -> Vec<Played> {
        let images = Images::new(position);
        let found: Vec<(Option<Square>, Option<i8>)> = self
            .games
            .par_iter()
            .filter_map(|game| {
                let (steps, symmetry) = self.reaches(game, &images)?;
                let next =
                    game.squares.get(steps).map(|&square| Square::wrapping(square.into()).symmetry_back(symmetry));
                Some((next.map(|square| images.representative(square)), game.result))
            })
            .collect();
        let mut by_move: HashMap<Option<Square>, Vec<Option<i8>>> = HashMap::new();
        for (mv, result) in found {
            by_move.entry(mv).or_default().push(result);
        }
        let mut played: Vec<Played> = by_move
            .into_iter()
            .map(|(mv, results)| {
                let known: Vec<i32> = results.iter().flatten().map(|&r| i32::from(r)).collect();
                let count = |fits: fn(i32) -> bool| known.iter().filter(|&&r| fits(r)).count();
                let sum: i32 = known.iter().sum();
                Played {
                    mv,
                    games: results.len(),
                    wins: [count(|r| r > 0), count(|r| r == 0), count(|r| r < 0)],
                    mean: (!known.is_empty()).then(|| f64::from(sum) / known.len() as f64),
                }
            })
            .collect();
        played.sort_by_key(|played| (std::cmp::Reverse(played.games), played.mv));
        played
    }
}

/// Names are given to positions of at most this many moves.
const LONGEST_OPENING: usize = 24;

impl Won {
    fn fits(self, black_lead: i32) -> bool {
        match self {
            Won::Black => black_lead > 0,
            Won::White => black_lead < 0,
            Won::Draw => black_lead == 0,
            Won::By(lead) => black_lead == lead,
        }
    }
}

/// After a square, forced passes made on the way.
fn step(position: Position, square: u8) -> Option<Position> {
    let square = Square::wrapping(square.into());
    position.play(square).or_else(|| if position.board.can_move() { None } else { position.pass().play(square) })
}

/// With the pass that is due made, so that a position is found whether its pass is played or not.
fn passed(position: Position) -> Position {
    if position.board.must_pass() { position.pass() } else { position }
}

/// A position in its eight orientations.
struct Images {
    discs: u32,
    side: Colour,
    boards: [Board; 8],
}

impl Images {
    fn new(position: Position) -> Images {
        let position = passed(position);
        let boards = std::array::from_fn(|s| position.board.symmetry(s as u8));
        Images { discs: position.board.disc_count(), side: position.side, boards }
    }

    fn find(&self, position: Position) -> Option<u8> {
        let at = self.boards.iter().position(|&board| board == position.board)?;
        (position.side == self.side).then_some(at as u8)
    }

    /// Of the squares that are one by the symmetry of the position itself, the first.
    fn representative(&self, square: Square) -> Square {
        let own = (0..8u8).filter(|&s| self.boards[usize::from(s)] == self.boards[0]);
        own.map(|s| square.symmetry(s)).min().unwrap_or(square)
    }
}

fn images_of_moves(squares: &[Square]) -> Vec<Vec<u8>> {
    // The start keeps four of the eight symmetries with black to move.
    let start = |s: &u8| Board::START.symmetry(*s) == Board::START;
    (0..8).filter(start).map(|s| squares.iter().map(|q| q.symmetry(s).index() as u8).collect()).collect()
}

/// The positions that have a name with some text in it.
struct Openings {
    part: String,
}

impl Openings {
    fn named(part: &str) -> Openings {
        Openings { part: part.to_lowercase() }
    }

    /// Is the last opening of these positions one of ours, in any language?
    fn fit(&self, positions: &[Position]) -> bool {
        [Names::english(), Names::japanese()].into_iter().any(|names| {
            let last = positions.iter().rev().find_map(|&position| names.of(position));
            last.is_some_and(|name| name.to_lowercase().contains(&self.part))
        })
    }
}

/// The first number of four digits in a date.
fn year(date: &str) -> Option<u32> {
    date.split(|c: char| !c.is_ascii_digit()).find(|part| part.len() == 4).and_then(|part| part.parse().ok())
}

fn is_game_file(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    matches!(ending.as_deref(), Some("ggf" | "sgf" | "pgn" | "wtb" | "txt" | "gam" | "json"))
}

/// What is in a file, as far as it can be read.
fn entries_of(path: &Path) -> io::Result<Vec<Result<Record, records::BadEntry>>> {
    let bytes = files::read(path, LARGEST)?;
    Ok(match Format::from_path(path) {
        Format::Wthor => wthor_records(path, &bytes),
        format => format.read(bytes),
    })
}

/// The games of a WTHOR file with the names of the files beside it.
fn wthor_records(path: &Path, bytes: &[u8]) -> Vec<Result<Record, records::BadEntry>> {
    let players = beside(path, "jou").and_then(|bytes| wthor::players(&bytes).ok());
    let tournaments = beside(path, "trn").and_then(|bytes| wthor::tournaments(&bytes).ok());
    wthor::records_with(bytes, players.as_deref().unwrap_or_default(), tournaments.as_deref().unwrap_or_default())
}

/// The file with this ending in the same folder: of the same name, or the only one.
fn beside(path: &Path, ending: &str) -> Option<Vec<u8>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let has_ending =
        |path: &PathBuf| path.extension().is_some_and(|e| e.to_string_lossy().eq_ignore_ascii_case(ending));
    let found: Vec<PathBuf> =
        std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(has_ending).collect();
    let same = found.iter().find(|file| file.file_stem() == path.file_stem());
    let file = same.or(if found.len() == 1 { found.first() } else { None })?;
    files::read(file, LARGEST).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::{lines, samples};
    use std::fs;

    fn collection(texts: &[&str]) -> Collection {
        let mut collection = Collection::default();
        for (i, text) in texts.iter().enumerate() {
            let mut record = Record::new(lines::parse(text).unwrap());
            record.names = [format!("Ann {i}"), "Bob".into()];
            record.date = format!("{}-05-01", 2000 + i);
            record.result = Some(GameResult::from_score(f64::from(i as i32 * 4 - 4)));
            collection.add(0, i as u32 + 1, &record);
        }
        collection.files.push("none".into());
        collection
    }

    #[test]
    fn games_are_found_by_everything_that_is_known_of_them() {
        // The second is the first in another orientation.
        let games = collection(&["f5d6c3d3c4", "c4e3f6e6f5c5", "f5f6"]);
        let find = |query: Query| games.find(&query);
        assert_eq!(find(Query::default()), [0, 1, 2]);
        assert_eq!(find(Query { player: Some("ann 1".into()), ..Query::default() }), [1]);
        assert_eq!(find(Query { white: Some("ann".into()), ..Query::default() }), [0usize; 0]);
        assert_eq!(find(Query { years: Some((2001, 2010)), ..Query::default() }), [1, 2]);
        assert_eq!(find(Query { opening: Some("tiger".into()), ..Query::default() }), [0, 1]);
        assert_eq!(find(Query { opening: Some("虎".into()), ..Query::default() }), [0, 1]);
        assert_eq!(find(Query { winner: Some(Won::White), ..Query::default() }), [0]);
        assert_eq!(find(Query { winner: Some(Won::By(4)), ..Query::default() }), [2]);
        let same = lines::parse("f5d6c3").unwrap().position();
        assert_eq!(find(Query { position: Some(same), ..Query::default() }), [0, 1]);
        let squares = ["c4", "e3"].map(|name| name.parse().unwrap()).to_vec();
        assert_eq!(find(Query { moves: Some(squares), ..Query::default() }), [0, 1]);
    }

    #[test]
    fn the_explorer_turns_moves_into_the_orientation_asked_for() {
        let games = collection(&["f5d6c3", "c4e3f6", "e6f4c3", "d3c5f6", "f5f6"]);
        let first = games.explore(Position::START);
        assert_eq!(first.len(), 1, "all first moves are one: {first:?}");
        assert_eq!((first[0].games, first[0].wins), (5, [3, 1, 1]));
        let after = games.explore(lines::parse("f5").unwrap().position());
        let named: Vec<_> = after.iter().map(|p| (p.mv.unwrap().to_string(), p.games)).collect();
        assert_eq!(named, [("d6".to_string(), 4), ("f6".to_string(), 1)]);
        let end = games.explore(lines::parse("f5f6").unwrap().position());
        assert_eq!((end[0].mv, end[0].games), (None, 1));
    }

    #[test]
    fn files_and_folders_are_read_and_what_is_wrong_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        file("a.txt", "f5d6c3\nf5f5\n");
        file("b.ggf", "(;GM[Othello]PB[x]PW[y]B[F5];)(;GM[Othello]B[D3];)");
        file("c.jpg", "no game");
        let mut told = vec![];
        let games =
            Collection::open(&[folder.path().into()], &mut |done, of| told.push((done, of)), &AtomicBool::new(false));
        assert_eq!((games.len(), games.damaged.len(), told.last()), (3, 1, Some(&(2, 2))));
        assert!(games.damaged[0].message.contains("entry 2: move 2: f5"), "{:?}", games.damaged);
        assert_eq!(games.record(1).unwrap().names, ["x", "y"]);
        let missing = Collection::open(&[folder.path().join("no")], &mut |_, _| {}, &AtomicBool::new(false));
        assert_eq!((missing.len(), missing.damaged.len()), (0, 1));
    }

    #[test]
    fn every_position_of_a_game_finds_it() {
        for seed in 0..20 {
            let game = samples::game(seed, true);
            let mut collection = Collection::default();
            collection.add(0, 1, &Record::new(game.clone()));
            for ply in 0..=game.plies().len() {
                let position = game.position_at(ply).unwrap().symmetry((seed % 8) as u8);
                let query = Query { position: Some(position), ..Query::default() };
                assert_eq!(collection.find(&query), [0], "seed {seed}, ply {ply}");
            }
        }
    }
}
