//! The bytes of a book, the same on disk and in memory; `FORMAT.md` describes them one by one.

use super::entry::{Entry, Leaf, Level, Source};
pub use crate::base::checksum::crc32;
use crate::othello::{Board, Square};
use std::io::{self, Seek, SeekFrom, Write};

pub const MAGIC: [u8; 8] = *b"SHIROBK\x1A";
pub const VERSION: u32 = 1;
/// Records are checked and read in blocks of this many bytes; the header has one for itself.
pub const BLOCK: usize = 4096;
pub const RECORD: usize = 32;
pub const PER_BLOCK: usize = BLOCK / RECORD;
/// Used bytes of the header.
pub const HEADER: usize = 96;
/// The directory leads to about this many records at a time.
const PER_BUCKET: u64 = 8;
const MOST_BUCKET_BITS: u32 = 28;
const NO_LEAF: u8 = 255;

/// The head of a book: how many positions there are and where the parts lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub count: u64,
    /// The directory has 2^bits buckets.
    pub bucket_bits: u32,
    /// How many times this book has been saved.
    pub serial: u64,
    pub checksums_crc: u32,
    pub directory_crc: u32,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Flaw {
    #[error("not a Shirokuro book")]
    Foreign,
    #[error("version {0} of the book format; this program reads version {VERSION}")]
    Version(u32),
    #[error("the header is damaged")]
    Header,
    #[error("the file has {found} bytes, {wanted} are needed: it is cut off or something was added")]
    Length { found: u64, wanted: u64 },
    #[error("the {0} is damaged")]
    Part(&'static str),
}

impl Header {
    pub fn blocks(&self) -> u64 {
        self.count.div_ceil(PER_BLOCK as u64)
    }

    pub fn records_at(&self) -> usize {
        BLOCK
    }

    pub fn checksums_at(&self) -> usize {
        BLOCK + self.blocks() as usize * BLOCK
    }

    pub fn directory_at(&self) -> usize {
        self.checksums_at() + 4 * self.blocks() as usize
    }

    pub fn buckets(&self) -> usize {
        1 << self.bucket_bits
    }

    pub fn file_length(&self) -> u64 {
        self.directory_at() as u64 + 4 * (self.buckets() as u64 + 1)
    }

    fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &(HEADER as u32).to_le_bytes());
        put(16, &self.count.to_le_bytes());
        put(24, &(RECORD as u32).to_le_bytes());
        put(28, &(BLOCK as u32).to_le_bytes());
        put(32, &self.bucket_bits.to_le_bytes());
        put(40, &self.serial.to_le_bytes());
        put(48, &(self.records_at() as u64).to_le_bytes());
        put(56, &(self.checksums_at() as u64).to_le_bytes());
        put(64, &(self.directory_at() as u64).to_le_bytes());
        put(72, &self.file_length().to_le_bytes());
        put(80, &self.checksums_crc.to_le_bytes());
        put(84, &self.directory_crc.to_le_bytes());
        let crc = crc32(&bytes[..92]);
        bytes[92..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// The block that a book begins with.
    pub fn first_block(&self) -> Vec<u8> {
        let mut block = self.encode().to_vec();
        block.resize(BLOCK, 0);
        block
    }

    /// The directory is sound: it rises from 0 to the number of records.
    pub fn leads_everywhere(&self, directory: &[u8]) -> bool {
        let ends = || directory.chunks_exact(4).map(|n| u64::from(u32_at(n, 0)));
        ends().next() == Some(0)
            && ends().next_back() == Some(self.count)
            && ends().is_sorted()
            && crc32(directory) == self.directory_crc
    }

    /// Reads and checks the header of a whole book; the parts themselves are not looked at.
    pub fn decode(bytes: &[u8]) -> Result<Header, Flaw> {
        Header::decode_first(bytes, bytes.len() as u64)
    }

    /// As [`Header::decode`], from the first block of a file that is so long.
    pub fn decode_first(bytes: &[u8], length: u64) -> Result<Header, Flaw> {
        if !bytes.starts_with(&MAGIC) {
            return Err(Flaw::Foreign);
        }
        if bytes.len() < BLOCK {
            return Err(Flaw::Length { found: length, wanted: BLOCK as u64 });
        }
        let version = u32_at(bytes, 8);
        if version != VERSION {
            return Err(Flaw::Version(version));
        }
        let header = Header {
            count: u64_at(bytes, 16),
            bucket_bits: u32_at(bytes, 32),
            serial: u64_at(bytes, 40),
            checksums_crc: u32_at(bytes, 80),
            directory_crc: u32_at(bytes, 84),
        };
        // The sizes are believed only after the checksum, and the offsets must be those this version makes.
        if u32_at(bytes, 92) != crc32(&bytes[..92])
            || header.count > u64::from(u32::MAX)
            || header.bucket_bits > MOST_BUCKET_BITS
            || header.encode() != bytes[..HEADER]
        {
            return Err(Flaw::Header);
        }
        let (found, wanted) = (length, header.file_length());
        if found != wanted { Err(Flaw::Length { found, wanted }) } else { Ok(header) }
    }
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The place of a position in the order of the records: even over all 64-bit numbers, so that the upper bits lead
/// straight to the bucket. Part of the format.
#[inline]
pub fn spread(board: Board) -> u64 {
    let mut h = board.player.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ board.opponent.rotate_left(32);
    h = (h ^ (h >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    h = (h ^ (h >> 29)).wrapping_add(board.opponent).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    h ^ (h >> 32)
}

/// What records are sorted by.
#[inline]
pub fn order(board: Board) -> (u64, u64, u64) {
    (spread(board), board.player, board.opponent)
}

pub fn encode(entry: &Entry) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    bytes[..8].copy_from_slice(&entry.board.player.to_le_bytes());
    bytes[8..16].copy_from_slice(&entry.board.opponent.to_le_bytes());
    bytes[16] = entry.value as u8;
    bytes[17] = entry.level.raw();
    (bytes[18], bytes[19], bytes[20]) = match entry.leaf {
        Some(leaf) => (leaf.value as u8, leaf.square.index() as u8, leaf.level.raw()),
        None => (0, NO_LEAF, 0),
    };
    bytes[21] = entry.source.raw();
    bytes[24..28].copy_from_slice(&entry.lines.to_le_bytes());
    bytes
}

pub fn decode(bytes: &[u8]) -> Entry {
    let level = |at: usize| Level::new(bytes[at]).unwrap_or_default();
    let leaf = Square::new(bytes[19]).map(|square| Leaf { value: bytes[18] as i8, square, level: level(20) });
    Entry {
        board: Board::new(u64_at(bytes, 0), u64_at(bytes, 8)),
        value: bytes[16] as i8,
        level: level(17),
        lines: u32_at(bytes, 24),
        leaf,
        source: Source::from_raw(bytes[21]),
    }
}

fn bucket_bits(expected: u64) -> u32 {
    (expected / PER_BUCKET).checked_ilog2().unwrap_or(0).min(MOST_BUCKET_BITS)
}

#[inline]
pub fn bucket(board: Board, bits: u32) -> usize {
    // A shift by 64 is not defined; with no bits there is one bucket.
    spread(board).checked_shr(64 - bits).unwrap_or(0) as usize
}

/// Writes a book from entries that come in [`order`].
pub struct Writer<W: Write + Seek> {
    out: io::BufWriter<W>,
    block: Vec<u8>,
    checksums: Vec<u8>,
    /// How many records each bucket has.
    buckets: Vec<u32>,
    bucket_bits: u32,
    count: u64,
    last: Option<(u64, u64, u64)>,
}

impl<W: Write + Seek> Writer<W> {
    /// `expected`: about how many entries will come; the directory is sized by it.
    pub fn new(out: W, expected: u64) -> io::Result<Self> {
        let mut out = io::BufWriter::with_capacity(1 << 20, out);
        out.write_all(&[0; BLOCK])?;
        let bucket_bits = bucket_bits(expected);
        let buckets = vec![0; 1 << bucket_bits];
        let block = Vec::with_capacity(BLOCK);
        Ok(Writer { out, block, checksums: Vec::new(), buckets, bucket_bits, count: 0, last: None })
    }

    pub fn push(&mut self, entry: &Entry) -> io::Result<()> {
        let place = order(entry.board);
        if self.last.is_some_and(|last| last >= place) || self.count >= u64::from(u32::MAX) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "book entries out of order, or too many"));
        }
        self.last = Some(place);
        self.block.extend_from_slice(&encode(entry));
        self.buckets[bucket(entry.board, self.bucket_bits)] += 1;
        self.count += 1;
        if self.block.len() == BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> io::Result<()> {
        self.block.resize(BLOCK, 0);
        self.checksums.extend_from_slice(&crc32(&self.block).to_le_bytes());
        self.out.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    /// Writes what comes after the records, then the header; gives the output back, flushed.
    pub fn finish(mut self, serial: u64) -> io::Result<W> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        let mut directory = Vec::with_capacity(4 * (self.buckets.len() + 1));
        let mut before = 0u32;
        directory.extend_from_slice(&before.to_le_bytes());
        for &n in &self.buckets {
            before += n;
            directory.extend_from_slice(&before.to_le_bytes());
        }
        self.out.write_all(&self.checksums)?;
        self.out.write_all(&directory)?;
        let header = Header {
            count: self.count,
            bucket_bits: self.bucket_bits,
            serial,
            checksums_crc: crc32(&self.checksums),
            directory_crc: crc32(&directory),
        };
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&header.encode())?;
        self.out.into_inner().map_err(|failed| failed.into_error())
    }
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Flaw(#[from] Flaw),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn some_entry() -> Entry {
        let leaf = Leaf { value: -3, square: "f6".parse().unwrap(), level: Level::from_search(21) };
        Entry {
            board: Board::new(0x0000_0008_1000_0000, 0x0000_0010_0800_0000),
            value: -7,
            level: Level::HAND,
            lines: 4_000_000_000,
            leaf: Some(leaf),
            source: Source::Hand,
        }
    }

    #[test]
    fn a_record_lies_as_described() {
        let bytes = encode(&some_entry());
        let by_hand: [u8; 32] = [
            0, 0, 0, 0x10, 0x08, 0, 0, 0, // own discs
            0, 0, 0, 0x08, 0x10, 0, 0, 0, // opponent's discs
            0xF9, 70, 0xFD, 45, 21, 2, 0, 0, // value, level, leaf value, move, level; source; spare
            0x00, 0x28, 0x6B, 0xEE, 0, 0, 0, 0, // lines; spare
        ];
        assert_eq!(bytes, by_hand);
        assert_eq!(decode(&bytes), some_entry());
        let bare = Entry { leaf: None, ..some_entry() };
        assert_eq!(decode(&encode(&bare)), bare);
    }

    #[test]
    fn a_small_book_lies_as_described() {
        let mut writer = Writer::new(Cursor::new(Vec::new()), 1).unwrap();
        writer.push(&some_entry()).unwrap();
        assert!(writer.push(&some_entry()).is_err(), "the same position twice");
        let bytes = writer.finish(5).unwrap().into_inner();
        assert_eq!(bytes.len(), 4096 + 4096 + 4 + 8);
        assert_eq!(&bytes[..16], b"SHIROBK\x1A\x01\0\0\0\x60\0\0\0");
        assert_eq!(&bytes[4096..4128], encode(&some_entry()));
        assert_eq!(u32_at(&bytes, 8192), crc32(&bytes[4096..8192]));
        assert_eq!((u32_at(&bytes, 8196), u32_at(&bytes, 8200)), (0, 1));
        let header = Header::decode(&bytes).unwrap();
        assert_eq!((header.count, header.serial, header.bucket_bits), (1, 5, 0));
    }

    #[test]
    fn every_flaw_of_the_header_is_named() {
        let bytes = Writer::new(Cursor::new(Vec::new()), 0).unwrap().finish(1).unwrap().into_inner();
        assert!(Header::decode(&bytes).is_ok());
        assert_eq!(Header::decode(b"DICUORAGE\x03"), Err(Flaw::Foreign));
        assert_eq!(Header::decode(&bytes[..100]), Err(Flaw::Length { found: 100, wanted: 4096 }));
        let cut = &bytes[..bytes.len() - 1];
        assert!(matches!(Header::decode(cut), Err(Flaw::Length { .. })));
        for at in 0..HEADER {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(Header::decode(&bad).is_err(), "byte {at}");
        }
    }

    #[test]
    fn the_order_spreads_positions_evenly() {
        let mut counts = [0u32; 64];
        let mut boards = vec![Board::START];
        for _ in 0..6 {
            boards = boards
                .iter()
                .flat_map(|b| b.moves().into_iter().filter_map(|s| b.play(s)).map(|n| n.canonical().0))
                .collect();
            boards.sort();
            boards.dedup();
        }
        for &board in &boards {
            counts[bucket(board, 6)] += 1;
        }
        let mean = boards.len() as f64 / 64.0;
        let chi2: f64 = counts.iter().map(|&n| (f64::from(n) - mean).powi(2) / mean).sum();
        assert!(chi2 < 110.0, "63 degrees of freedom: {chi2}");
    }
}
