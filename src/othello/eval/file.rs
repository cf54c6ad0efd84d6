//! The weights file.
//!
//! ```text
//! 0   8  "SHIROEVL"
//! 8   4  version
//! 12  4  CRC-32 of what follows
//! 16  …  deflate stream of:
//!        fingerprint of the pattern set (u64), phases (u32), parameters per phase (u32), bytes of the remark (u32),
//!        the remark (UTF-8), 61 constants, then the parameters phase by phase: first the low bytes of all of them,
//!        then the high bytes, which compresses better than pairs
//! ```
//! All numbers are little-endian.

use super::{PHASES, Packing, Parameters, patterns::KINDS};
use flate2::{Compression, Crc, read::DeflateDecoder, write::DeflateEncoder};
use std::{
    io::{self, Read, Write},
    path::PathBuf,
};

const MAGIC: &[u8; 8] = b"SHIROEVL";
const VERSION: u32 = 1;
const CONSTANTS: usize = 61;

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
    if number(8) != VERSION {
        return Err(WeightsError::Version(number(8)));
    }
    let made = checksum(&bytes[16..]);
    if number(12) != made {
        return Err(WeightsError::Checksum { found: number(12), made });
    }
    read_body(&mut DeflateDecoder::new(&bytes[16..]))
}

fn read_body(body: &mut impl Read) -> Result<Parameters, WeightsError> {
    let found = u64::from_le_bytes(take(body)?);
    if found != fingerprint() {
        return Err(WeightsError::OtherPatterns { found, own: fingerprint() });
    }
    let phases = u32::from_le_bytes(take(body)?) as usize;
    let parameters = u32::from_le_bytes(take(body)?) as usize;
    let (own_phases, own_parameters) = (PHASES, Packing::new().len());
    if (phases, parameters) != (own_phases, own_parameters) {
        return Err(WeightsError::Shape { phases, parameters, own_phases, own_parameters });
    }
    let length = u32::from_le_bytes(take(body)?);
    let mut about = String::new();
    body.take(u64::from(length)).read_to_string(&mut about)?;
    let mut planes = vec![0; 2 * (CONSTANTS + phases * parameters)];
    body.read_exact(&mut planes)?;
    let (low, high) = planes.split_at(planes.len() / 2);
    let mut numbers = low.iter().zip(high).map(|(&l, &h)| i16::from_le_bytes([l, h]));
    Ok(Parameters {
        about,
        constants: numbers.by_ref().take(CONSTANTS).collect(),
        phases: (0..phases).map(|_| numbers.by_ref().take(parameters).collect()).collect(),
    })
}

fn take<const N: usize>(body: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    body.read_exact(&mut bytes)?;
    Ok(bytes)
}

impl Parameters {
    /// The bytes of a weights file.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut body = DeflateEncoder::new(Vec::new(), Compression::best());
        body.write_all(&fingerprint().to_le_bytes())?;
        body.write_all(&(self.phases.len() as u32).to_le_bytes())?;
        body.write_all(&(Packing::new().len() as u32).to_le_bytes())?;
        body.write_all(&(self.about.len() as u32).to_le_bytes())?;
        body.write_all(self.about.as_bytes())?;
        let numbers: Vec<i16> = self.constants.iter().chain(self.phases.iter().flatten()).copied().collect();
        for byte in 0..2 {
            let plane: Vec<u8> = numbers.iter().map(|n| n.to_le_bytes()[byte]).collect();
            body.write_all(&plane)?;
        }
        let body = body.finish()?;
        let mut file = MAGIC.to_vec();
        file.extend(VERSION.to_le_bytes());
        file.extend(checksum(&body).to_le_bytes());
        file.extend(body);
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Parameters {
        let len = Packing::new().len();
        let phase = |p: usize| (0..len).map(|i| (i * 7 + p * 31) as i16).collect();
        Parameters {
            about: "a sample".into(),
            constants: (0..CONSTANTS as i16).map(|i| 3 * i - 90).collect(),
            phases: (0..PHASES).map(phase).collect(),
        }
    }

    #[test]
    fn a_file_goes_round() {
        assert!(read(&sample().to_bytes().unwrap()).unwrap() == sample());
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
        let mut body = DeflateEncoder::new(Vec::new(), Compression::fast());
        body.write_all(&1u64.to_le_bytes()).unwrap();
        let mut bytes = body.finish().unwrap();
        assert!(matches!(read_body(&mut DeflateDecoder::new(&bytes[..])), Err(WeightsError::OtherPatterns { .. })));
        bytes.truncate(3);
        assert!(matches!(read_body(&mut DeflateDecoder::new(&bytes[..])), Err(WeightsError::Damaged(_))));
    }
}
