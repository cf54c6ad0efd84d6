//! Games with scores: what training reads and writes.
//!
//! A file is a row of records and nothing else, so files can be joined with `cat`, and a record cut short at the end
//! by a lost machine is noticed and passed over. One record:
//!
//! ```text
//! 0  2  "SG"
//! 2  2  length of the payload
//! 4  4  CRC-32 of the payload
//! 8  …  payload: game id (u64), random plies (u8), plies (u8), then for each ply the move (0…63 a1…h8, 64 pass),
//!       the score of the position before it (i16, 1/128 disc, side to move) and where the score comes from (u8)
//! ```
//! All numbers are little-endian. Every game begins at the starting position.

use crate::{
    base::files,
    othello::{Board, Move, Square, notation::moves::parse_moves},
};
use flate2::Crc;
use serde::{Deserialize, Serialize};
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
};

const MARK: &[u8; 2] = b"SG";
const PASS: u8 = 64;
const PLY_BYTES: usize = 4;
/// Sixty discs and as many passes at the very most.
const MAX_PLIES: usize = 120;

/// How a position's score was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Unknown,
    /// By a search of this depth.
    Search(u8),
    /// By perfect play to the end.
    Exact,
}

impl Source {
    fn to_byte(self) -> u8 {
        match self {
            Source::Unknown => 0,
            Source::Search(depth) => depth.clamp(1, 254),
            Source::Exact => 255,
        }
    }

    fn from_byte(byte: u8) -> Source {
        match byte {
            0 => Source::Unknown,
            255 => Source::Exact,
            depth => Source::Search(depth),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ply {
    pub action: Move,
    /// Of the position before the move, for its side to move, in units of `eval::DISC`.
    pub score: i16,
    pub source: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// Decides on which side of the held-out split the game falls.
    pub id: u64,
    /// So many plies at the start were played at random and say nothing about the positions before them.
    pub random: u8,
    pub plies: Vec<Ply>,
}

impl Game {
    /// The position before each ply, then the last one; cut short before the first illegal move.
    pub fn boards(&self) -> Vec<Board> {
        let mut board = Board::START;
        let mut boards = vec![board];
        for ply in &self.plies {
            let next = match ply.action {
                Move::Place(square) => board.play(square),
                Move::Pass => board.must_pass().then(|| board.pass()),
            };
            let Some(next) = next else { break };
            boards.push(next);
            board = next;
        }
        boards
    }

    pub fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let mut payload = Vec::with_capacity(10 + PLY_BYTES * self.plies.len());
        payload.extend(self.id.to_le_bytes());
        payload.extend([self.random, self.plies.len() as u8]);
        for ply in &self.plies {
            payload.push(match ply.action {
                Move::Place(square) => square.index() as u8,
                Move::Pass => PASS,
            });
            payload.extend(ply.score.to_le_bytes());
            payload.push(ply.source.to_byte());
        }
        let mut record = MARK.to_vec();
        record.extend((payload.len() as u16).to_le_bytes());
        record.extend(checksum(&payload).to_le_bytes());
        record.extend(payload);
        out.write_all(&record)
    }

    fn from_payload(payload: &[u8]) -> Option<Game> {
        let (head, rest) = payload.split_at_checked(10)?;
        let plies = usize::from(head[9]);
        if rest.len() != plies * PLY_BYTES || plies > MAX_PLIES {
            return None;
        }
        let ply = |b: &[u8]| {
            let action = match b[0] {
                PASS => Move::Pass,
                square => Move::Place(Square::new(square)?),
            };
            Some(Ply { action, score: i16::from_le_bytes([b[1], b[2]]), source: Source::from_byte(b[3]) })
        };
        let plies = rest.chunks_exact(PLY_BYTES).map(ply).collect::<Option<Vec<_>>>()?;
        Some(Game { id: u64::from_le_bytes(head[..8].try_into().ok()?), random: head[8], plies })
    }
}

/// A game as a job and its answer hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameText {
    pub id: u64,
    pub random: u8,
    /// `f5d6--`, with two dashes for a pass.
    pub moves: String,
    /// Of the position before each move, in units of `eval::DISC`.
    pub scores: Vec<i16>,
    /// Where each score comes from: 0 nowhere, 255 perfect play, else the depth of a search.
    pub sources: Vec<u8>,
}

impl From<&Game> for GameText {
    fn from(game: &Game) -> GameText {
        let moves = game.plies.iter().map(|ply| match ply.action {
            Move::Place(square) => square.to_string(),
            Move::Pass => "--".into(),
        });
        GameText {
            id: game.id,
            random: game.random,
            moves: moves.collect(),
            scores: game.plies.iter().map(|ply| ply.score).collect(),
            sources: game.plies.iter().map(|ply| ply.source.to_byte()).collect(),
        }
    }
}

impl GameText {
    /// The game, if its parts fit together and its moves are legal.
    pub fn game(&self) -> Option<Game> {
        let actions = parse_moves(&self.moves).ok()?;
        let fits = actions.len() == self.scores.len() && actions.len() == self.sources.len();
        if !fits || actions.len() > MAX_PLIES {
            return None;
        }
        let ply = |((action, &score), &source)| Ply { action, score, source: Source::from_byte(source) };
        let plies: Vec<Ply> = actions.into_iter().zip(&self.scores).zip(&self.sources).map(ply).collect();
        let game = Game { id: self.id, random: self.random, plies };
        (game.boards().len() == game.plies.len() + 1).then_some(game)
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The games of a file, and what was wrong with the rest of it.
pub struct Contents {
    pub games: Vec<Game>,
    /// Records passed over because their checksum or contents did not fit.
    pub damaged: usize,
    /// Bytes from the start that hold whole records.
    pub whole: u64,
}

pub fn read_file(path: &Path) -> io::Result<Contents> {
    Ok(read_all(&files::read(path, u64::MAX)?))
}

pub fn read_all(bytes: &[u8]) -> Contents {
    let mut contents = Contents { games: Vec::new(), damaged: 0, whole: 0 };
    let mut at = 0;
    while at + 8 <= bytes.len() {
        let length = usize::from(u16::from_le_bytes([bytes[at + 2], bytes[at + 3]]));
        let found = u32::from_le_bytes([bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]]);
        let payload =
            bytes.get(at + 8..at + 8 + length).filter(|p| bytes[at..].starts_with(MARK) && checksum(p) == found);
        match payload {
            Some(payload) => {
                match Game::from_payload(payload) {
                    Some(game) => contents.games.push(game),
                    None => contents.damaged += 1,
                }
                at += 8 + length;
                contents.whole = at as u64;
            }
            // Look for the next record: the damage may be in the middle.
            None => match bytes[at + 1..].windows(2).position(|w| w == MARK) {
                Some(skip) => {
                    contents.damaged += 1;
                    at += 1 + skip;
                }
                None => break,
            },
        }
    }
    contents
}

/// Opens a file to append games to, after cutting off a record that was not finished.
pub fn append_to(path: &Path) -> io::Result<File> {
    let whole = if path.exists() { read_file(path)?.whole } else { 0 };
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(whole)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;

    fn sample(seed: u64) -> Game {
        let mut rng = Rng::new(seed);
        let mut board = Board::START;
        let mut plies = Vec::new();
        while !board.is_over() {
            let moves: Vec<_> = board.moves().into_iter().collect();
            let action = rng.pick(&moves).map_or(Move::Pass, |&s| Move::Place(s));
            let source = [Source::Unknown, Source::Search(7), Source::Exact][rng.below(3)];
            plies.push(Ply { action, score: rng.next_u64() as i16, source });
            board = match action {
                Move::Place(square) => board.play(square).unwrap(),
                Move::Pass => board.pass(),
            };
        }
        Game { id: seed, random: 12, plies }
    }

    #[test]
    fn games_go_round() {
        let games: Vec<_> = (0..50).map(sample).collect();
        let mut bytes = Vec::new();
        games.iter().for_each(|g| g.write(&mut bytes).unwrap());
        let read = read_all(&bytes);
        assert_eq!((read.games.as_slice(), read.damaged, read.whole), (games.as_slice(), 0, bytes.len() as u64));
        for game in &games {
            let boards = game.boards();
            assert_eq!(boards.len(), game.plies.len() + 1);
            assert!(boards.last().unwrap().is_over());
        }
    }

    #[test]
    fn a_damaged_record_costs_only_itself() {
        let mut bytes = Vec::new();
        (0..3).for_each(|i| sample(i).write(&mut bytes).unwrap());
        let first = 8 + usize::from(u16::from_le_bytes([bytes[2], bytes[3]]));
        bytes[first + 30] ^= 4;
        let read = read_all(&bytes);
        assert_eq!(read.games, [sample(0), sample(2)]);
        assert!(read.damaged >= 1);
    }

    #[test]
    fn a_record_cut_short_is_cut_off_before_more_is_written() {
        let path = std::env::temp_dir().join(format!("shirokuro-games-{}", std::process::id()));
        let mut bytes = Vec::new();
        (0..2).for_each(|i| sample(i).write(&mut bytes).unwrap());
        std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
        sample(2).write(&mut append_to(&path).unwrap()).unwrap();
        let read = read_file(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!((read.games, read.damaged), (vec![sample(0), sample(2)], 0));
    }
}
