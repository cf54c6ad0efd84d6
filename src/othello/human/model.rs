//! The model of what people play: its weights, its file, and the probabilities it gives.
//!
//! ```text
//! 0   8  "SHIROHUM"
//! 8   4  version
//! 12  4  CRC-32 of what follows
//! 16  4  fingerprint of the features
//! 20  4  bytes of the remark
//! 24  …  the remark (UTF-8); then, deflated: the pattern tables (i8), the dense weights (f32, two each),
//!        the number of well-known positions (u32), and these
//! ```
//! A well-known position: discs of the side to move and of the other (u64 each), moves (u8), and for each the square
//! (u8) and how often it was played (u16). All numbers are little-endian.

use super::features::{self, Candidate, DENSE};
use crate::{
    base::{checksum::crc32, files},
    othello::{Board, Square, eval::Weights},
};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use once_cell::sync::OnceCell;
use std::{
    collections::HashMap,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

const MAGIC: &[u8; 8] = b"SHIROHUM";
const VERSION: u32 = 1;
/// Pattern weights are stored in this unit.
pub const UNIT: f32 = 1.0 / 64.0;
/// The model counts like so many games of a well-known position.
const PRIOR_GAMES: f64 = 12.0;

static BUILTIN: &[u8] = include_bytes!("../../../resources/human.bin");
static LOADED: OnceCell<Arc<HumanModel>> = OnceCell::new();

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("cannot read the model {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("not a model of human play (it does not begin with SHIROHUM)")]
    NotAModel,
    #[error("model of version {0}; this program reads version {VERSION}")]
    Version(u32),
    #[error("model damaged: its checksum is {found:08x}, its contents make {made:08x}")]
    Checksum { found: u32, made: u32 },
    #[error("model for other features (fingerprint {found:08x}, this program has {own:08x})")]
    OtherFeatures { found: u32, own: u32 },
    #[error("model damaged: {0}")]
    Damaged(#[from] io::Error),
}

/// How strong a person is, on the scale of the ratings that were computed from the results of the WTHOR games.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Rating(pub f64);

impl Rating {
    /// An average player of those games.
    pub const MEAN: Rating = Rating(1500.0);
    /// Where the ratings of the games end; beyond it the model would only guess.
    const RANGE: f64 = 2.0;

    /// As the model takes it: 0 for the mean, 1 for 400 points more.
    pub fn scaled(self) -> f32 {
        (((self.0 - Rating::MEAN.0) / 400.0).clamp(-Rating::RANGE, Rating::RANGE)) as f32
    }
}

/// A legal move and how likely a person is to play it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likely {
    pub square: Square,
    pub probability: f64,
}

/// Positions that were reached often, and how often each move was played there.
pub type WellKnown = HashMap<(u64, u64), Vec<(u8, u16)>>;

/// What is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanModel {
    pub about: String,
    /// In [`UNIT`]s.
    pub tables: Vec<i8>,
    /// A weight, and what is added to it for each 400 points of rating.
    pub dense: Vec<[f32; 2]>,
    pub known: WellKnown,
}

impl HumanModel {
    /// The model in the binary, unfolded at the first call.
    pub fn builtin() -> Arc<HumanModel> {
        let loaded = LOADED.get_or_try_init(|| HumanModel::from_bytes(BUILTIN).map(Arc::new));
        Arc::clone(loaded.expect("a test opens the built-in model"))
    }

    /// Reads a model file.
    pub fn from_file(path: &Path) -> Result<HumanModel, ModelError> {
        let bytes =
            files::read(path, files::LARGEST).map_err(|source| ModelError::Read { path: path.into(), source })?;
        HumanModel::from_bytes(&bytes)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<HumanModel, ModelError> {
        let head = bytes.get(..24).filter(|head| head.starts_with(MAGIC)).ok_or(ModelError::NotAModel)?;
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if number(8) != VERSION {
            return Err(ModelError::Version(number(8)));
        }
        let made = crc32(&bytes[16..]);
        if number(12) != made {
            return Err(ModelError::Checksum { found: number(12), made });
        }
        if number(16) != features::fingerprint() {
            return Err(ModelError::OtherFeatures { found: number(16), own: features::fingerprint() });
        }
        let short = || io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early");
        let (about, packed) = bytes[24..].split_at_checked(number(20) as usize).ok_or_else(short)?;
        let mut stream = DeflateDecoder::new(packed);
        let mut tables = vec![0; features::table_len()];
        stream.read_exact(&mut tables)?;
        let mut float = || -> io::Result<f32> { Ok(f32::from_le_bytes(array(&mut stream)?)) };
        let dense = (0..DENSE).map(|_| Ok([float()?, float()?])).collect::<io::Result<_>>()?;
        let known = read_known(&mut stream)?;
        let tables = tables.into_iter().map(|byte| byte as i8).collect();
        Ok(HumanModel { about: String::from_utf8_lossy(about).into_owned(), tables, dense, known })
    }

    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut stream = DeflateEncoder::new(Vec::new(), Compression::best());
        let tables: Vec<u8> = self.tables.iter().map(|&weight| weight as u8).collect();
        stream.write_all(&tables)?;
        for weight in self.dense.iter().flatten() {
            stream.write_all(&weight.to_le_bytes())?;
        }
        stream.write_all(&(self.known.len() as u32).to_le_bytes())?;
        let mut positions: Vec<_> = self.known.iter().collect();
        positions.sort_unstable();
        for ((player, opponent), moves) in positions {
            stream.write_all(&player.to_le_bytes())?;
            stream.write_all(&opponent.to_le_bytes())?;
            stream.write_all(&[moves.len() as u8])?;
            for (square, games) in moves {
                stream.write_all(&[*square])?;
                stream.write_all(&games.to_le_bytes())?;
            }
        }
        let packed = stream.finish()?;
        let mut body = features::fingerprint().to_le_bytes().to_vec();
        body.extend((self.about.len() as u32).to_le_bytes());
        body.extend(self.about.as_bytes());
        body.extend(packed);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(crc32(&body).to_le_bytes());
        bytes.extend(body);
        Ok(bytes)
    }

    /// The legal moves with the probability that a person of this strength takes them, likeliest first.
    pub fn likely(&self, board: Board, weights: &Weights, rating: Rating) -> Vec<Likely> {
        let candidates = features::candidates(board, weights);
        let mut likely = self.likely_of(board, &candidates, rating);
        likely.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        likely
    }

    /// The same for moves whose features are known already, in their order.
    pub fn likely_of(&self, board: Board, candidates: &[Candidate], rating: Rating) -> Vec<Likely> {
        let strength = rating.scaled();
        let scores: Vec<f32> = candidates.iter().map(|candidate| self.score(candidate, strength)).collect();
        let played = self.games(board);
        let total: f64 = played.iter().map(|(_, games)| games).sum();
        let list = candidates.iter().zip(softmax(&scores)).map(|(candidate, model)| {
            let games = played.iter().find(|(square, _)| *square == candidate.square).map_or(0.0, |(_, games)| *games);
            let probability = (games + PRIOR_GAMES * f64::from(model)) / (total + PRIOR_GAMES);
            Likely { square: candidate.square, probability }
        });
        list.collect()
    }

    fn score(&self, candidate: &Candidate, strength: f32) -> f32 {
        let tables: i32 = candidate.patterns.iter().map(|&index| i32::from(self.tables[index as usize])).sum();
        let dense = candidate.dense.iter().map(|&index| self.dense[usize::from(index)]);
        tables as f32 * UNIT + dense.map(|[base, slope]| base + strength * slope).sum::<f32>()
    }

    /// How often each move was played here, if the position is well known.
    fn games(&self, board: Board) -> Vec<(Square, f64)> {
        let (canonical, s) = board.canonical();
        let Some(moves) = self.known.get(&(canonical.player, canonical.opponent)) else { return vec![] };
        let back =
            |&(square, games): &(u8, u16)| (Square::wrapping(u32::from(square)).symmetry_back(s), f64::from(games));
        moves.iter().map(back).collect()
    }
}

/// Probabilities from scores.
pub fn softmax(scores: &[f32]) -> Vec<f32> {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = scores.iter().map(|score| (score - top).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

fn array<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_known(stream: &mut impl Read) -> io::Result<WellKnown> {
    let mut known = WellKnown::new();
    for _ in 0..u32::from_le_bytes(array(stream)?) {
        let position = (u64::from_le_bytes(array(stream)?), u64::from_le_bytes(array(stream)?));
        let [count] = array(stream)?;
        let mut moves = Vec::with_capacity(count.into());
        for _ in 0..count {
            let [square] = array(stream)?;
            moves.push((square, u16::from_le_bytes(array(stream)?)));
        }
        known.insert(position, moves);
    }
    Ok(known)
}
