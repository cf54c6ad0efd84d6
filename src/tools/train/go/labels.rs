//! Positions of Go and what a network is to say of them: what the training of networks reads and writes.
//!
//! A file is a row of games and nothing else, so files can be joined with `cat`, and a game cut short at the end by a lost
//! machine is noticed and passed over. One game:
//!
//! ```text
//! 0  4  "SKGN"
//! 4  4  length of the payload
//! 8  4  CRC-32 of the payload
//! 12 …  payload: number of the game (u64), then by zlib the size of the board (u8), the number of positions (u16) and the
//!       positions
//! ```
//!
//! A position: the planes of each point as bits of three bytes (rows from the top), the other inputs (f32), win, loss, no
//! result, score, deviation and lead (f32), the ownership of each point (i8, 127 is the side to move), the number of likely
//! moves (u16) and for each its point and its share of 65,535 (u16), the move that was played (u16, 65,535 if none) and who
//! won the game (i8: 1 the side to move, −1 the other, 0 nobody knows). All numbers are little-endian.

use super::super::{TrainError, at};
use crate::{
    base::files,
    go::net::{
        Input, Output,
        file::{GLOBALS, PLANES},
    },
};
use flate2::{Compression, Crc, read::ZlibDecoder, write::ZlibEncoder};
use std::{
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

const MARK: &[u8; 4] = b"SKGN";
const HEAD: usize = 12;
const NO_MOVE: u16 = u16::MAX;
/// Shares of the policy below this are not kept.
const LEAST_SHARE: f32 = 1.0 / 4000.0;

/// Win, loss, no result, score, deviation, lead.
pub const HEADS: usize = 6;

/// A position and what is to be said of it, seen by the side to move.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub size: usize,
    /// The planes of each point as bits.
    pub points: Box<[u32]>,
    pub globals: [f32; GLOBALS],
    pub heads: [f32; HEADS],
    /// In parts of 127.
    pub ownership: Box<[i8]>,
    /// Likely moves (the pass comes after all points) and their shares of 65,535.
    pub policy: Box<[(u16, u16)]>,
    pub played: Option<u16>,
    pub result: i8,
}

impl Sample {
    /// What a network says of an input, of the moves that are legal.
    pub fn new(input: &Input, output: &Output, legal: &[(usize, f32)]) -> Sample {
        let bits = |planes: &[f32]| planes.iter().enumerate().fold(0, |bits, (n, &p)| bits | u32::from(p != 0.0) << n);
        let shares = legal.iter().filter(|(_, share)| *share >= LEAST_SHARE);
        Sample {
            size: input.size,
            points: input.planes.chunks_exact(PLANES).map(bits).collect(),
            globals: input.globals,
            heads: [output.win, output.loss, output.no_result, output.score, output.deviation, output.lead],
            ownership: output.ownership.iter().map(|own| (own * 127.0).round() as i8).collect(),
            policy: shares.map(|&(point, share)| (point as u16, (share * 65535.0).round() as u16)).collect(),
            played: None,
            result: 0,
        }
    }

    pub fn area(&self) -> usize {
        self.size * self.size
    }

    /// What a network is told of it.
    pub fn input(&self) -> Input {
        let planes = self.points.iter().flat_map(|&bits| (0..PLANES).map(move |plane| ((bits >> plane) & 1) as f32));
        Input { size: self.size, planes: planes.collect(), globals: self.globals }
    }

    /// The move with the largest share.
    pub fn best(&self) -> Option<u16> {
        self.policy.iter().max_by_key(|(point, share)| (*share, std::cmp::Reverse(*point))).map(|(point, _)| *point)
    }

    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.points.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(3)));
        to.extend(self.globals.iter().chain(&self.heads).flat_map(|n| n.to_le_bytes()));
        to.extend(self.ownership.iter().map(|&own| own as u8));
        to.extend((self.policy.len() as u16).to_le_bytes());
        to.extend(self.policy.iter().flat_map(|(point, share)| [point.to_le_bytes(), share.to_le_bytes()].concat()));
        to.extend(self.played.unwrap_or(NO_MOVE).to_le_bytes());
        to.push(self.result as u8);
    }

    fn read(size: usize, from: &mut &[u8]) -> Option<Sample> {
        let area = size * size;
        let points = take(from, 3 * area)?.as_chunks::<3>().0;
        let points: Box<[u32]> = points.iter().map(|&[a, b, c]| u32::from_le_bytes([a, b, c, 0])).collect();
        let numbers = take(from, 4 * (GLOBALS + HEADS))?.as_chunks::<4>().0;
        let numbers: Vec<f32> = numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        let ownership = take(from, area)?.iter().map(|&own| own as i8).collect();
        let moves = usize::from(number(from)?);
        let policy = (0..moves).map(|_| Some((number(from)?, number(from)?))).collect::<Option<Box<[_]>>>()?;
        let played = Some(number(from)?).filter(|&played| played != NO_MOVE);
        let result = take(from, 1)?[0] as i8;
        let known = |point: u16| usize::from(point) <= area;
        let fits = numbers.iter().all(|n| n.is_finite())
            && points.iter().all(|&bits| bits >> PLANES == 0)
            && policy.iter().map(|(point, _)| *point).chain(played).all(known);
        let (globals, heads) = numbers.split_at(GLOBALS);
        fits.then_some(Sample {
            size,
            points,
            globals: globals.try_into().ok()?,
            heads: heads.try_into().ok()?,
            ownership,
            policy,
            played,
            result,
        })
    }
}

fn take<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

fn number(from: &mut &[u8]) -> Option<u16> {
    Some(u16::from_le_bytes(take(from, 2)?.try_into().ok()?))
}

/// Positions of one game, all of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// Decides on which side of the held-out split the game falls.
    pub number: u64,
    pub samples: Vec<Sample>,
}

impl Game {
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut plain = vec![self.samples.first().map_or(0, |sample| sample.size as u8)];
        plain.extend((self.samples.len() as u16).to_le_bytes());
        self.samples.iter().for_each(|sample| sample.write(&mut plain));
        let mut packer = ZlibEncoder::new(self.number.to_le_bytes().to_vec(), Compression::default());
        packer.write_all(&plain)?;
        let payload = packer.finish()?;
        let mut record = MARK.to_vec();
        record.extend((payload.len() as u32).to_le_bytes());
        record.extend(checksum(&payload).to_le_bytes());
        record.extend(payload);
        out.write_all(&record)
    }

    fn from_payload(payload: &[u8]) -> Option<Game> {
        let (game, packed) = payload.split_first_chunk::<8>()?;
        let mut plain = Vec::new();
        ZlibDecoder::new(packed).take(LARGEST).read_to_end(&mut plain).ok()?;
        let mut from = &plain[..];
        let size = usize::from(take(&mut from, 1)?[0]);
        let count = number(&mut from)?;
        let samples = (0..count).map(|_| Sample::read(size, &mut from)).collect::<Option<Vec<_>>>()?;
        from.is_empty().then_some(Game { number: u64::from_le_bytes(*game), samples })
    }
}

/// More than the positions of any game take.
const LARGEST: u64 = 1 << 26;

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The games of a file, and what was wrong with the rest of it.
#[derive(Default)]
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
    let mut contents = Contents::default();
    let mut at = 0;
    while let Some(&head) = bytes[at..].first_chunk::<HEAD>() {
        let [_, _, _, _, length @ .., c0, c1, c2, c3] = head;
        let length = u32::from_le_bytes(length) as usize;
        let crc = u32::from_le_bytes([c0, c1, c2, c3]);
        let payload = bytes[at + HEAD..].get(..length).filter(|p| head.starts_with(MARK) && checksum(p) == crc);
        if let Some(payload) = payload {
            match Game::from_payload(payload) {
                Some(game) => contents.games.push(game),
                None => contents.damaged += 1,
            }
            at += HEAD + length;
            contents.whole = at as u64;
        } else if let Some(skip) = bytes[at + 1..].windows(4).position(|w| w == MARK) {
            // The damage may be in the middle.
            contents.damaged += 1;
            at += 1 + skip;
        } else {
            break;
        }
    }
    contents
}

/// Positions to learn from and positions to judge by; games are never divided.
pub fn read_split(paths: &[PathBuf], hold_out: u64) -> Result<(Vec<Sample>, Vec<Sample>), TrainError> {
    let (mut learn, mut judge) = (Vec::new(), Vec::new());
    for path in paths {
        let contents = read_file(path).map_err(at(path))?;
        if contents.damaged > 0 {
            eprintln!("{}: {} damaged records passed over", path.display(), contents.damaged);
        }
        for game in contents.games {
            let held_out = hold_out > 0 && game.number.is_multiple_of(hold_out);
            if held_out { &mut judge } else { &mut learn }.extend(game.samples);
        }
    }
    if learn.is_empty() && judge.is_empty() { Err(TrainError::NoGames) } else { Ok((learn, judge)) }
}

/// Opens a file to append games to, after cutting off a record that was not finished; and the games that it has.
pub fn append_to(path: &Path) -> io::Result<(File, Vec<Game>)> {
    let Contents { games, whole, .. } = if path.exists() { read_file(path)? } else { Contents::default() };
    let file = files::append(path)?;
    file.set_len(whole)?;
    Ok((file, games))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::base::Rng;

    pub fn sample(size: usize, rng: &mut Rng) -> Sample {
        let area = size * size;
        let below = |rng: &mut Rng, n: usize| rng.below(n);
        Sample {
            size,
            points: (0..area).map(|_| 1 | (below(rng, 1 << PLANES) as u32)).collect(),
            globals: std::array::from_fn(|_| below(rng, 100) as f32 / 100.0),
            heads: std::array::from_fn(|_| below(rng, 100) as f32 / 50.0 - 1.0),
            ownership: (0..area).map(|_| below(rng, 255) as u8 as i8).collect(),
            policy: (0..3).map(|_| (below(rng, area + 1) as u16, below(rng, 65536) as u16)).collect(),
            played: Some(below(rng, area + 1) as u16),
            result: below(rng, 3) as i8 - 1,
        }
    }

    fn game(number: u64) -> Game {
        let mut rng = Rng::new(number);
        Game { number, samples: (0..5).map(|_| sample(5 + number as usize % 3, &mut rng)).collect() }
    }

    #[test]
    fn games_go_round_and_damage_costs_only_itself() {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for number in 0..4 {
            game(number).write(&mut bytes).unwrap();
            ends.push(bytes.len());
        }
        let read = read_all(&bytes);
        assert_eq!((read.games, read.damaged, read.whole), ((0..4).map(game).collect(), 0, bytes.len() as u64));
        bytes[ends[0] + 40] ^= 4;
        bytes.truncate(ends[3] - 3);
        let read = read_all(&bytes);
        assert_eq!((read.games, read.whole), (vec![game(0), game(2)], ends[2] as u64));
        assert!(read.damaged >= 1);
    }

    #[test]
    fn a_game_cut_short_is_cut_off_before_more_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels");
        let mut bytes = Vec::new();
        (0..2).for_each(|number| game(number).write(&mut bytes).unwrap());
        std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
        let (mut file, there) = append_to(&path).unwrap();
        assert_eq!(there, [game(0)]);
        game(1).write(&mut file).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn inputs_come_back_from_bits() {
        let sample = sample(7, &mut Rng::new(1));
        let input = sample.input();
        let output = Output {
            policy: vec![],
            win: 0.5,
            loss: 0.25,
            no_result: 0.25,
            score: 1.0,
            deviation: 2.0,
            lead: 3.0,
            ownership: sample.ownership.iter().map(|&own| f32::from(own) / 127.0).collect(),
        };
        let again = Sample::new(&input, &output, &[(49, 0.75), (3, 0.25), (4, 0.0)]);
        assert_eq!((again.policy.len(), again.best()), (2, Some(49)));
        assert_eq!((again.points, again.globals), (sample.points, sample.globals));
    }
}
