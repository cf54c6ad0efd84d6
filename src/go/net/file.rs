//! Network files of KataGo (`.bin.gz` and `.bin`): words for people, and blocks of numbers between them.
//!
//! Read are the versions 8 to 10, with plain and pooling blocks: those of its run of 2020 (g170), 6 to 40 blocks.

use super::model::{Block, Conv, Dense, Model, Norm, PolicyHead, Pooling, ValueHead};
use crate::base::files;
use flate2::read::MultiGzDecoder;
use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Planes and numbers that a network of these versions is told.
pub const PLANES: usize = 22;
pub const GLOBALS: usize = 19;

const VERSIONS: std::ops::RangeInclusive<u32> = 8..=10;
/// The largest network of that run has 190 MB.
const LARGEST: u64 = 1 << 30;
/// More channels or blocks than any network has.
const MOST: usize = 4096;
pub(super) const MARK: &[u8] = b"@BIN@";

/// Why a file is not a network that can be used.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("it is larger than {} MiB", LARGEST >> 20)]
    TooLarge,
    #[error("it is not a network of KataGo: it begins with neither a gzip header nor a name and a version")]
    NotOne,
    #[error("networks of version {0} cannot be read, only those of version 8 to 10 (the g170 run of KataGo)")]
    Version(u32),
    #[error("it ends in the middle of `{0}`")]
    Truncated(String),
    #[error("`{layer}`: {what} expected, not `{found}`")]
    Word { layer: String, what: &'static str, found: String },
    #[error("`{0}`: a number is not finite")]
    NotFinite(String),
    #[error("`{layer}`: {what} is {found} where {expected} is needed")]
    Shape { layer: String, what: &'static str, found: usize, expected: usize },
}

/// Reads a network file.
pub fn read_file(path: &Path) -> Result<Model, NetError> {
    let bytes = files::read(path, LARGEST).map_err(|source| NetError::Read { path: path.into(), source })?;
    read_packed(bytes, path)
}

/// Reads the contents of a network file; `path` is named where they cannot be unpacked.
pub fn read_packed(mut bytes: Vec<u8>, path: &Path) -> Result<Model, NetError> {
    if bytes.starts_with(&[0x1F, 0x8B]) {
        let mut plain = Vec::new();
        let read = MultiGzDecoder::new(&bytes[..]).take(LARGEST + 1).read_to_end(&mut plain);
        read.map_err(|source| NetError::Read { path: path.into(), source })?;
        bytes = plain;
    }
    read(&bytes)
}

/// Reads an unpacked network.
pub fn read(bytes: &[u8]) -> Result<Model, NetError> {
    if bytes.len() as u64 > LARGEST {
        return Err(NetError::TooLarge);
    }
    let mut from = Reader { bytes, layer: "the beginning".into() };
    let name = from.word("a name").map_err(|_| NetError::NotOne)?;
    let version = from.number("a version").map_err(|_| NetError::NotOne)? as u32;
    if !VERSIONS.contains(&version) {
        return Err(NetError::Version(version));
    }
    from.expect("planes", PLANES)?;
    from.expect("numbers", GLOBALS)?;
    from.name()?;
    let blocks = from.count("the number of blocks")?;
    let channels = from.count("the number of channels")?;
    for what in ["middle channels", "regular channels", "dilated channels", "pooled channels"] {
        from.number(what)?;
    }
    let first = from.conv(PLANES)?;
    from.shape("outputs", first.outputs, channels)?;
    let first_global = from.dense(GLOBALS)?;
    from.shape("outputs", first_global.outputs, channels)?;
    let blocks = (0..blocks).map(|_| from.block(channels)).collect::<Result<Vec<_>, _>>()?;
    let last = from.norm(channels)?;
    from.name()?;
    let policy = from.policy(channels)?;
    let value = from.value(channels, if version >= 9 { 6 } else { 4 })?;
    Ok(Model { name, version, first, first_global, blocks, last, policy, value })
}

struct Reader<'a> {
    bytes: &'a [u8],
    /// What is being read, for messages.
    layer: String,
}

impl Reader<'_> {
    fn truncated(&self) -> NetError {
        NetError::Truncated(self.layer.clone())
    }

    fn word(&mut self, what: &'static str) -> Result<String, NetError> {
        let start = self.bytes.iter().position(|b| !b.is_ascii_whitespace()).ok_or_else(|| self.truncated())?;
        let rest = &self.bytes[start..];
        let end = rest.iter().take(256).position(u8::is_ascii_whitespace).ok_or_else(|| match rest.len() {
            0..256 => self.truncated(),
            _ => NetError::Word { layer: self.layer.clone(), what, found: "a word without an end".into() },
        })?;
        let word = std::str::from_utf8(&rest[..end]).map_err(|_| NetError::Word {
            layer: self.layer.clone(),
            what,
            found: rest[..end].escape_ascii().to_string(),
        })?;
        self.bytes = &rest[end..];
        Ok(word.to_owned())
    }

    /// The name of the next part, which is what is being read from now on.
    fn name(&mut self) -> Result<(), NetError> {
        self.layer = self.word("a name")?;
        Ok(())
    }

    fn number(&mut self, what: &'static str) -> Result<usize, NetError> {
        let found = self.word(what)?;
        found.parse().map_err(|_| NetError::Word { layer: self.layer.clone(), what, found })
    }

    /// A number of things that there may be many of, but not too many.
    fn count(&mut self, what: &'static str) -> Result<usize, NetError> {
        let found = self.number(what)?;
        if (1..=MOST).contains(&found) {
            return Ok(found);
        }
        Err(NetError::Word { layer: self.layer.clone(), what, found: found.to_string() })
    }

    fn expect(&mut self, what: &'static str, expected: usize) -> Result<(), NetError> {
        let found = self.number(what)?;
        self.shape(what, found, expected)
    }

    fn shape(&self, what: &'static str, found: usize, expected: usize) -> Result<(), NetError> {
        if found == expected {
            return Ok(());
        }
        Err(NetError::Shape { layer: self.layer.clone(), what, found, expected })
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, NetError> {
        let mark = self.bytes.iter().take(64).position(|b| !b.is_ascii_whitespace()).ok_or_else(|| self.truncated())?;
        let rest = &self.bytes[mark..];
        if !rest.starts_with(MARK) {
            if rest.len() < MARK.len() {
                return Err(self.truncated());
            }
            let found = rest[..MARK.len()].escape_ascii().to_string();
            return Err(NetError::Word { layer: self.layer.clone(), what: "a block of numbers", found });
        }
        let (block, rest) = rest[MARK.len()..].split_at_checked(4 * count).ok_or_else(|| self.truncated())?;
        self.bytes = rest;
        let numbers: Vec<f32> = block.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        if numbers.iter().all(|n| n.is_finite()) { Ok(numbers) } else { Err(NetError::NotFinite(self.layer.clone())) }
    }

    fn conv(&mut self, inputs: usize) -> Result<Conv, NetError> {
        self.name()?;
        let side = self.count("the height of a convolution")?;
        if ![1, 3, 5].contains(&side) {
            let found = side.to_string();
            return Err(NetError::Word { layer: self.layer.clone(), what: "a height of 1, 3 or 5", found });
        }
        self.expect("the width", side)?;
        self.expect("the number of inputs", inputs)?;
        let outputs = self.count("the number of outputs")?;
        self.expect("the vertical dilation", 1)?;
        self.expect("the horizontal dilation", 1)?;
        Ok(Conv { side, inputs, outputs, weights: self.floats(side * side * inputs * outputs)? })
    }

    /// A normalisation and the activation that follows it.
    fn norm(&mut self, channels: usize) -> Result<Norm, NetError> {
        self.name()?;
        self.expect("the number of channels", channels)?;
        let epsilon = self.word("an epsilon")?;
        let epsilon: f32 = epsilon
            .parse()
            .ok()
            .filter(|e: &f32| e.is_finite() && *e > 0.0)
            .ok_or_else(|| NetError::Word { layer: self.layer.clone(), what: "a positive number", found: epsilon })?;
        let has_scale = self.number("whether there is a scale")? != 0;
        let has_bias = self.number("whether there is a bias")? != 0;
        let mean = self.floats(channels)?;
        let variance = self.floats(channels)?;
        let scale = if has_scale { self.floats(channels)? } else { vec![1.0; channels] };
        let bias = if has_bias { self.floats(channels)? } else { vec![0.0; channels] };
        let scale: Vec<f32> = scale.iter().zip(&variance).map(|(s, v)| s / (v + epsilon).sqrt()).collect();
        let bias = bias.iter().zip(&scale).zip(&mean).map(|((b, s), m)| b - s * m).collect();
        if scale.iter().any(|s| !s.is_finite()) {
            return Err(NetError::NotFinite(self.layer.clone()));
        }
        Ok(Norm { scale, bias })
    }

    /// A normalisation, and the name of its activation.
    fn norm_and_activation(&mut self, channels: usize) -> Result<Norm, NetError> {
        let norm = self.norm(channels)?;
        self.name()?;
        Ok(norm)
    }

    fn dense(&mut self, inputs: usize) -> Result<Dense, NetError> {
        self.name()?;
        self.expect("the number of inputs", inputs)?;
        let outputs = self.count("the number of outputs")?;
        Ok(Dense { inputs, outputs, weights: self.floats(inputs * outputs)? })
    }

    fn bias(&mut self, channels: usize) -> Result<Vec<f32>, NetError> {
        self.name()?;
        self.expect("the number of channels", channels)?;
        self.floats(channels)
    }

    fn block(&mut self, channels: usize) -> Result<Block, NetError> {
        let kind = self.word("a kind of block")?;
        let pools = match kind.as_str() {
            "ordinary_block" => false,
            "gpool_block" => true,
            _ => {
                let what = "ordinary_block or gpool_block";
                return Err(NetError::Word { layer: self.layer.clone(), what, found: kind });
            }
        };
        self.name()?;
        let before = self.norm_and_activation(channels)?;
        let first = self.conv(channels)?;
        let pooling = if pools {
            let conv = self.conv(channels)?;
            let norm = self.norm_and_activation(conv.outputs)?;
            let to_bias = self.dense(3 * conv.outputs)?;
            self.shape("outputs", to_bias.outputs, first.outputs)?;
            Some(Pooling { conv, norm, to_bias })
        } else {
            None
        };
        let between = self.norm_and_activation(first.outputs)?;
        let second = self.conv(first.outputs)?;
        self.shape("outputs", second.outputs, channels)?;
        Ok(Block { before, first, pooling, between, second })
    }

    fn policy(&mut self, channels: usize) -> Result<PolicyHead, NetError> {
        self.name()?;
        let points = self.conv(channels)?;
        let board = self.conv(channels)?;
        let board_norm = self.norm_and_activation(board.outputs)?;
        let board_to_points = self.dense(3 * board.outputs)?;
        self.shape("outputs", board_to_points.outputs, points.outputs)?;
        let norm = self.norm_and_activation(points.outputs)?;
        let last = self.conv(points.outputs)?;
        self.shape("outputs", last.outputs, 1)?;
        let pass = self.dense(3 * board.outputs)?;
        self.shape("outputs", pass.outputs, 1)?;
        Ok(PolicyHead { points, board, board_norm, board_to_points, norm, last, pass })
    }

    fn value(&mut self, channels: usize, scores: usize) -> Result<ValueHead, NetError> {
        self.name()?;
        let first = self.conv(channels)?;
        let norm = self.norm_and_activation(first.outputs)?;
        let hidden = self.dense(3 * first.outputs)?;
        let hidden_bias = self.bias(hidden.outputs)?;
        self.name()?;
        let value = self.dense(hidden.outputs)?;
        self.shape("outputs", value.outputs, 3)?;
        let value_bias = self.bias(3)?;
        let score = self.dense(hidden.outputs)?;
        self.shape("outputs", score.outputs, scores)?;
        let score_bias = self.bias(scores)?;
        let ownership = self.conv(first.outputs)?;
        self.shape("outputs", ownership.outputs, 1)?;
        Ok(ValueHead { first, norm, hidden, hidden_bias, value, value_bias, score, score_bias, ownership })
    }
}
