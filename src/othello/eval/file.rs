//! The weights file.
//!
//! ```text
//! 0   8  "SHIROEVL"
//! 8   4  version
//! 12  4  CRC-32 of what follows
//! 16  8  fingerprint of the pattern set
//! 24  4  phases
//! 28  4  parameters per phase
//! 32  4  bytes of the remark
//! 36  …  the remark (UTF-8), 61 constants (i16), for each phase the bytes of its stream (u32), the streams
//! …   4  numbers in a row of the network; 0: no network
//! …   …  for each of them, and for the layers, the bytes of a stream (u32), then the streams: one with this number of
//!        all rows (i8) for each, one with the layers of all stages (i32)
//! ```
//! A file of version 2 ends before the network.
//! All numbers are little-endian. A stream is the deflated form of the low bytes of all parameters of the phase, then
//! of their high bytes, which compresses better than pairs. Each phase has its own so that all cores can unfold them:
//! a first move must not wait for the weights.

use super::{
    PHASES, Packing, Parameters,
    net::{Layers, NetParameters, Row, STAGES, WIDTH},
    patterns::KINDS,
    weights::side_by_side,
};
use flate2::{Compression, Crc, read::DeflateDecoder, write::DeflateEncoder};
use std::{
    io::{self, Read, Write},
    ops::Range,
    path::PathBuf,
};

const MAGIC: &[u8; 8] = b"SHIROEVL";
const VERSION: u32 = 3;
/// Ends where the network begins.
const WITHOUT_NET: u32 = 2;
const CONSTANTS: usize = 61;
/// Rows of the network that are put together in one piece.
const SHARE: usize = 1 << 15;

#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    #[error("cannot read the weights file {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("not a weights file (it does not begin with SHIROEVL)")]
    NotWeights,
    #[error("weights file of version {0}; this program reads version {VERSION}")]
    Version(u32),
    #[error("weights file damaged: its checksum is {found:08x}, its contents make {made:08x}")]
    Checksum { found: u32, made: u32 },
    #[error("weights file damaged: {0}")]
    Damaged(#[from] io::Error),
    #[error("weights with a network of width {0}; this program reads width {WIDTH}")]
    Width(usize),
    #[error("weights for other patterns (fingerprint {found:016x}, this program has {own:016x})")]
    OtherPatterns { found: u64, own: u64 },
    #[error(
        "weights of another shape: {phases} phases of {parameters} parameters instead of {own_phases} of {own_parameters}"
    )]
    Shape { phases: usize, parameters: usize, own_phases: usize, own_parameters: usize },
}

/// A number that changes with every change of the pattern set.
fn fingerprint() -> u64 {
    let bytes = KINDS.iter().flat_map(|k| k.cells.iter().copied().chain([64]));
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01B3))
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

pub fn read(bytes: &[u8]) -> Result<Parameters, WeightsError> {
    let head = bytes.get(..16).filter(|h| h.starts_with(MAGIC)).ok_or(WeightsError::NotWeights)?;
    let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let version = number(8);
    if ![WITHOUT_NET, VERSION].contains(&version) {
        return Err(WeightsError::Version(version));
    }
    let made = checksum(&bytes[16..]);
    if number(12) != made {
        return Err(WeightsError::Checksum { found: number(12), made });
    }
    read_body(&bytes[16..], version)
}

fn read_body(mut body: &[u8], version: u32) -> Result<Parameters, WeightsError> {
    let found = u64::from_le_bytes(take(&mut body)?);
    if found != fingerprint() {
        return Err(WeightsError::OtherPatterns { found, own: fingerprint() });
    }
    let phases = u32::from_le_bytes(take(&mut body)?) as usize;
    let parameters = u32::from_le_bytes(take(&mut body)?) as usize;
    let (own_phases, own_parameters) = (PHASES, Packing::shared().len());
    if (phases, parameters) != (own_phases, own_parameters) {
        return Err(WeightsError::Shape { phases, parameters, own_phases, own_parameters });
    }
    let length = u32::from_le_bytes(take(&mut body)?);
    let about = String::from_utf8_lossy(cut(&mut body, length)?).into_owned();
    let constants = (0..CONSTANTS).map(|_| take(&mut body).map(i16::from_le_bytes)).collect::<io::Result<_>>()?;
    let lengths = (0..phases).map(|_| take(&mut body).map(u32::from_le_bytes)).collect::<io::Result<Vec<_>>>()?;
    let streams = lengths.into_iter().map(|length| cut(&mut body, length)).collect::<io::Result<Vec<_>>>()?;
    let phases = side_by_side(streams, |stream| unfold(stream, parameters)).into_iter().collect::<io::Result<_>>()?;
    let net = if version == WITHOUT_NET { None } else { read_net(&mut body, parameters)? };
    Ok(Parameters { about, constants, phases, net })
}

fn read_net(body: &mut &[u8], parameters: usize) -> Result<Option<NetParameters>, WeightsError> {
    match u32::from_le_bytes(take(body)?) as usize {
        0 => return Ok(None),
        WIDTH => {}
        width => return Err(WeightsError::Width(width)),
    }
    let lengths = (0..=WIDTH).map(|_| take(body).map(u32::from_le_bytes)).collect::<io::Result<Vec<_>>>()?;
    let mut streams = lengths.into_iter().map(|length| cut(body, length)).collect::<io::Result<Vec<_>>>()?;
    let mut layers = vec![0; 4 * STAGES * Layers::COUNT];
    DeflateDecoder::new(streams.pop().unwrap_or_default()).read_exact(&mut layers)?;
    let (numbers, _) = layers.as_chunks();
    let mut numbers = numbers.iter().map(|&n| i32::from_le_bytes(n));
    let stages: Option<Vec<_>> = (0..STAGES).map(|_| Layers::from_numbers(&mut numbers)).collect();
    let stages = stages.ok_or(io::Error::from(io::ErrorKind::InvalidData))?;
    let planes = side_by_side(streams, |stream| {
        let mut plane = vec![0; parameters];
        DeflateDecoder::new(stream).read_exact(&mut plane).map(|()| plane)
    });
    let planes = planes.into_iter().collect::<io::Result<Vec<_>>>()?;
    let row = |n: usize| Row(std::array::from_fn(|i| planes[i][n] as i8));
    let shares = (0..parameters).step_by(SHARE).map(|start| start..parameters.min(start + SHARE)).collect();
    let rows = side_by_side(shares, |share: Range<usize>| share.map(row).collect::<Vec<_>>()).concat();
    Ok(Some(NetParameters { rows, stages }))
}

/// The parameters of one phase.
fn unfold(stream: &[u8], parameters: usize) -> io::Result<Vec<i16>> {
    let mut planes = vec![0; 2 * parameters];
    DeflateDecoder::new(stream).read_exact(&mut planes)?;
    let (low, high) = planes.split_at(parameters);
    Ok(low.iter().zip(high).map(|(&l, &h)| i16::from_le_bytes([l, h])).collect())
}

fn take<const N: usize>(body: &mut &[u8]) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    body.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn cut<'a>(body: &mut &'a [u8], length: u32) -> io::Result<&'a [u8]> {
    let (front, rest) = body.split_at_checked(length as usize).ok_or(io::ErrorKind::UnexpectedEof)?;
    *body = rest;
    Ok(front)
}

impl Parameters {
    /// The contents of a weights file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Parameters, WeightsError> {
        read(bytes)
    }

    /// The bytes of a weights file.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let phases = self.phases.iter().collect();
        let streams = side_by_side(phases, |phase| fold(phase)).into_iter().collect::<io::Result<Vec<_>>>()?;
        let mut body = fingerprint().to_le_bytes().to_vec();
        for number in [self.phases.len(), Packing::shared().len(), self.about.len()] {
            body.extend((number as u32).to_le_bytes());
        }
        body.extend(self.about.as_bytes());
        self.constants.iter().for_each(|c| body.extend(c.to_le_bytes()));
        streams.iter().for_each(|s| body.extend((s.len() as u32).to_le_bytes()));
        streams.iter().for_each(|s| body.extend(s));
        match &self.net {
            None => body.extend(0u32.to_le_bytes()),
            Some(net) => write_net(&mut body, net)?,
        }
        let mut file = MAGIC.to_vec();
        file.extend(VERSION.to_le_bytes());
        file.extend(checksum(&body).to_le_bytes());
        file.extend(body);
        Ok(file)
    }
}

fn write_net(body: &mut Vec<u8>, net: &NetParameters) -> io::Result<()> {
    let rows = (0..WIDTH).map(|i| net.rows.iter().map(|row| row.0[i] as u8).collect());
    let layers = net.stages.iter().flat_map(|layers| layers.numbers().flat_map(i32::to_le_bytes).collect::<Vec<u8>>());
    let planes: Vec<Vec<u8>> = rows.chain([layers.collect()]).collect();
    let streams = side_by_side(planes, |plane| {
        let mut stream = DeflateEncoder::new(Vec::new(), Compression::best());
        stream.write_all(&plane)?;
        stream.finish()
    });
    let streams = streams.into_iter().collect::<io::Result<Vec<_>>>()?;
    body.extend((WIDTH as u32).to_le_bytes());
    streams.iter().for_each(|s| body.extend((s.len() as u32).to_le_bytes()));
    streams.iter().for_each(|s| body.extend(s));
    Ok(())
}

fn fold(phase: &[i16]) -> io::Result<Vec<u8>> {
    let mut stream = DeflateEncoder::new(Vec::new(), Compression::best());
    for byte in 0..2 {
        let plane: Vec<u8> = phase.iter().map(|n| n.to_le_bytes()[byte]).collect();
        stream.write_all(&plane)?;
    }
    stream.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn net(len: usize) -> NetParameters {
        let row = |n: usize| Row(std::array::from_fn(|i| (n * 5 + i * 11) as i8));
        let layers = |s: usize| Layers::from_numbers((0..Layers::COUNT).map(|i| (i * 3 + s) as i32 % 100)).unwrap();
        NetParameters { rows: (0..len).map(row).collect(), stages: (0..STAGES).map(layers).collect() }
    }

    fn sample() -> Parameters {
        let len = Packing::new().len();
        let phase = |p: usize| (0..len).map(|i| (i * 7 + p * 31) as i16).collect();
        Parameters {
            about: "a sample".into(),
            constants: (0..CONSTANTS as i16).map(|i| 3 * i - 90).collect(),
            phases: (0..PHASES).map(phase).collect(),
            net: Some(net(len)),
        }
    }

    #[test]
    fn a_file_goes_round() {
        assert!(read(&sample().to_bytes().unwrap()).unwrap() == sample());
    }

    #[test]
    fn files_without_a_network_are_read() {
        let none = Parameters { net: None, ..sample() };
        let mut file = none.to_bytes().unwrap();
        assert!(read(&file).unwrap() == none);
        // As version 2 had it: no word about a network.
        file.truncate(file.len() - 4);
        file[8] = 2;
        let sum = checksum(&file[16..]);
        file[12..16].copy_from_slice(&sum.to_le_bytes());
        assert!(read(&file).unwrap() == none);
    }

    #[test]
    fn another_width_is_refused() {
        let mut body = 24u32.to_le_bytes().to_vec();
        body.extend([0; 200]);
        assert!(matches!(read_net(&mut body.as_slice(), 10), Err(WeightsError::Width(24))));
    }

    #[test]
    fn a_wrong_file_is_refused_with_the_reason() {
        let good = sample().to_bytes().unwrap();
        let reason = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(reason(b"").contains("not a weights file"));
        assert!(reason(b"EVAL and other things").contains("not a weights file"));
        let mut other = good.clone();
        other[8] = 9;
        assert!(reason(&other).contains("version 9"));
        let mut damaged = good.clone();
        damaged[1000] ^= 1;
        assert!(reason(&damaged).contains("checksum"));
        assert!(reason(&good[..good.len() - 1]).contains("checksum"));
        let mut short = sample();
        short.phases.pop();
        assert!(reason(&short.to_bytes().unwrap()).contains("another shape"));
    }

    #[test]
    fn other_patterns_are_refused() {
        assert!(matches!(read_body(&[1; 100], VERSION), Err(WeightsError::OtherPatterns { .. })));
    }

    #[test]
    fn a_body_cut_short_anywhere_is_damaged() {
        let good = sample().to_bytes().unwrap();
        let streams = 36 + "a sample".len() + 2 * CONSTANTS + 4 * PHASES;
        for end in (16..16 + streams).chain([good.len() / 2, good.len() - 1]) {
            assert!(matches!(read_body(&good[16..end], VERSION), Err(WeightsError::Damaged(_))), "{end}");
        }
    }
}
