//! A finished book image with look-up by position: in memory, or read from a large file block by block.
//!
//! Files are read, never mapped: another program may cut or overwrite a file at any moment, and a map would end the
//! process then. Every block that is read is checked against its checksum, so that what is answered is what was saved, or
//! nothing.

pub use super::image::OpenError;
use super::{
    entry::{Entry, MOST_DISCS},
    graph::{self, Positions},
    image::{self, BLOCK, Flaw, Header, PER_BLOCK, RECORD, Writer, u32_at},
    pages::Pages,
};
use crate::{base::files, othello::Board};
use rayon::prelude::*;
use std::{
    io::{self, Cursor, Read, Write},
    path::Path,
    sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering},
};

/// Books up to this size are read into memory as a whole: some two million positions.
const IN_MEMORY: u64 = 64 << 20;

enum Bytes {
    Owned(Vec<u8>),
    /// Part of the program.
    Static(&'static [u8]),
    /// Blocks are read when they are needed.
    Paged(Pages),
}

const UNSEEN: u8 = 0;
const SOUND: u8 = 1;
const DAMAGED: u8 = 2;

/// Sorted entries. Blocks read from disk are checked when first touched: against their checksums, and their records for
/// order and form; a damaged block is counted and its records are as if absent.
pub struct Table {
    bytes: Bytes,
    header: Header,
    blocks: Vec<AtomicU8>,
    damaged: AtomicUsize,
}

impl Positions for Table {
    fn find(&self, key: Board) -> Option<Entry> {
        self.get(key)
    }
}

impl Table {
    pub fn empty() -> Table {
        Table::from_sorted(&[], 0)
    }

    /// Opens a book file. A small one is read into memory; of a large one only header, checksums and directory are.
    pub fn open(path: &Path) -> Result<Table, OpenError> {
        let file = files::open(path)?;
        if file.metadata()?.len() > IN_MEMORY {
            return Table::from_pages(Pages::open(file)?);
        }
        Table::from_vec(files::read_open(file, IN_MEMORY)?)
    }

    /// What a book file begins with at present.
    pub fn header_of(path: &Path) -> Result<Header, OpenError> {
        let file = files::open(path)?;
        let length = file.metadata()?.len();
        let mut first = Vec::new();
        file.take(BLOCK as u64).read_to_end(&mut first)?;
        Ok(Header::decode_first(&first, length)?)
    }

    /// Opens a book file of any size to be read block by block.
    #[cfg(test)]
    pub fn open_paged(path: &Path) -> Result<Table, OpenError> {
        Table::from_pages(Pages::open(files::open(path)?)?)
    }

    fn from_pages(pages: Pages) -> Result<Table, OpenError> {
        let header = pages.header();
        Ok(Table::from_bytes(Bytes::Paged(pages), header, UNSEEN)?)
    }

    /// A book held in memory as one piece of bytes.
    pub fn from_vec(bytes: Vec<u8>) -> Result<Table, OpenError> {
        let header = Header::decode(&bytes)?;
        Ok(Table::from_bytes(Bytes::Owned(bytes), header, UNSEEN)?)
    }

    /// A book that is part of the program.
    pub fn from_static(bytes: &'static [u8]) -> Result<Table, OpenError> {
        Ok(Table::from_bytes(Bytes::Static(bytes), Header::decode(bytes)?, UNSEEN)?)
    }

    fn from_bytes(bytes: Bytes, header: Header, state: u8) -> Result<Table, Flaw> {
        let blocks = (0..header.blocks()).map(|_| AtomicU8::new(state)).collect();
        let table = Table { bytes, header, blocks, damaged: AtomicUsize::new(0) };
        if image::crc32(table.checksums()) != header.checksums_crc {
            return Err(Flaw::Part("table of checksums"));
        }
        if !header.leads_everywhere(table.directory()) {
            return Err(Flaw::Part("directory"));
        }
        Ok(table)
    }

    /// Checksums and directory, one after the other.
    fn tail(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(bytes) => &bytes[self.header.checksums_at()..],
            Bytes::Static(bytes) => &bytes[self.header.checksums_at()..],
            Bytes::Paged(pages) => pages.tail(),
        }
    }

    fn checksums(&self) -> &[u8] {
        &self.tail()[..4 * self.blocks.len()]
    }

    fn directory(&self) -> &[u8] {
        &self.tail()[4 * self.blocks.len()..]
    }

    /// `entries` must be in [`image::order`] without doubles.
    pub fn from_sorted(entries: &[Entry], serial: u64) -> Table {
        Table::from_stream(entries.iter().copied(), entries.len() as u64, serial)
    }

    pub fn from_stream(entries: impl Iterator<Item = Entry>, expected: u64, serial: u64) -> Table {
        let room = BLOCK * (2 + expected as usize / PER_BLOCK) + expected as usize;
        let build = || -> io::Result<Vec<u8>> {
            let mut writer = Writer::new(Cursor::new(Vec::with_capacity(room)), expected)?;
            for entry in entries {
                // Out of order they can only come from a damaged file.
                if let Err(error) = writer.push(&entry) {
                    log::error!("a position of the book is left out: {error}");
                }
            }
            Ok(writer.finish(serial)?.into_inner())
        };
        let bytes = build().expect("entries written to memory");
        let header = Header::decode(&bytes).expect("a header made a moment ago");
        Table::from_bytes(Bytes::Owned(bytes), header, SOUND).expect("an image made a moment ago")
    }

    /// Entries in any order; of several for one position the last stays.
    pub fn from_entries(mut entries: Vec<Entry>, serial: u64) -> Table {
        // The sort is stable and `dedup` keeps the first: turn round, so that the last comes first.
        entries.reverse();
        entries.par_sort_by_key(|entry| image::order(entry.board));
        entries.dedup_by_key(|entry| entry.board);
        Table::from_sorted(&entries, serial)
    }

    pub fn len(&self) -> usize {
        self.header.count as usize
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.header.count == 0
    }

    pub fn serial(&self) -> u64 {
        self.header.serial
    }

    /// What the file of this very state begins with.
    pub fn header(&self) -> Header {
        self.header
    }

    /// The file was cut or overwritten while it was in use: what was not read before is gone.
    pub fn is_lost(&self) -> bool {
        matches!(&self.bytes, Bytes::Paged(pages) if pages.is_lost())
    }

    /// The whole image, of a table in memory.
    #[cfg(test)]
    pub fn bytes(&self) -> &[u8] {
        self.in_memory().expect("in memory")
    }

    /// Writes the whole image.
    pub fn copy_to(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        match &self.bytes {
            Bytes::Owned(bytes) => out.write_all(bytes),
            Bytes::Static(bytes) => out.write_all(bytes),
            Bytes::Paged(pages) => {
                out.write_all(&self.header.first_block())?;
                for block in 0..self.blocks.len() {
                    let copied = pages.with_block(block, |data| out.write_all(data));
                    copied.unwrap_or_else(|| Err(io::Error::new(io::ErrorKind::InvalidData, Flaw::Part("book"))))?;
                }
                out.write_all(pages.tail())
            }
        }
    }

    fn in_memory(&self) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::Owned(bytes) => Some(bytes),
            Bytes::Static(bytes) => Some(bytes),
            Bytes::Paged(_) => None,
        }
    }

    /// The records of a bucket, by number.
    fn bucket(&self, bucket: usize) -> std::ops::Range<usize> {
        let directory = self.directory();
        u32_at(directory, 4 * bucket) as usize..u32_at(directory, 4 * bucket + 4) as usize
    }

    /// Where in the table a canonical position is.
    pub fn index_of(&self, board: Board) -> Option<usize> {
        self.search(board, |index, _| index)
    }

    #[inline]
    pub fn get(&self, board: Board) -> Option<Entry> {
        self.search(board, |_, record| image::decode(record))
    }

    /// What is made of the number and the record of a position, if it is there.
    #[inline]
    fn search<T>(&self, board: Board, found: impl Fn(usize, &[u8]) -> T) -> Option<T> {
        let range = self.bucket(image::bucket(board, self.header.bucket_bits));
        let (player, opponent) = (board.player.to_le_bytes(), board.opponent.to_le_bytes());
        let find = |records: &[u8], first: usize| {
            let mut records = records.chunks_exact(RECORD).enumerate();
            let (i, record) = records.find(|(_, r)| r[..8] == player && r[8..16] == opponent)?;
            Some((first + i, found(first + i, record)))
        };
        let Some(bytes) = self.in_memory() else {
            return (range.start / PER_BLOCK..range.end.div_ceil(PER_BLOCK)).find_map(|block| {
                let before = block * PER_BLOCK;
                let (first, last) = (range.start.max(before), range.end.min(before + PER_BLOCK));
                self.with_block(block, |data| find(&data[(first - before) * RECORD..(last - before) * RECORD], first))?
                    .map(|(_, made)| made)
            });
        };
        let (index, made) = find(&bytes[BLOCK + range.start * RECORD..BLOCK + range.end * RECORD], range.start)?;
        self.is_sound(index / PER_BLOCK).then_some(made)
    }

    /// The entry with this number; `None` in a damaged block or past the end.
    pub fn entry(&self, index: usize) -> Option<Entry> {
        let at = index % PER_BLOCK * RECORD;
        let decode = |data: &[u8]| image::decode(&data[at..at + RECORD]);
        (index < self.len()).then(|| self.with_block(index / PER_BLOCK, decode))?
    }

    /// The entries of a block; none if it is damaged.
    fn entries_of(&self, block: usize) -> Vec<Entry> {
        let count = (self.len() - block * PER_BLOCK).min(PER_BLOCK);
        let decode = |data: &[u8]| data.chunks_exact(RECORD).take(count).map(image::decode).collect();
        self.with_block(block, decode).unwrap_or_default()
    }

    /// All sound entries in order.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.blocks.len()).flat_map(|block| self.entries_of(block))
    }

    /// All sound entries with their numbers, over all threads.
    pub fn par_iter(&self) -> impl ParallelIterator<Item = (usize, Entry)> + '_ {
        (0..self.blocks.len()).into_par_iter().flat_map_iter(|block| (block * PER_BLOCK..).zip(self.entries_of(block)))
    }

    /// Something made of the records of a sound block.
    fn with_block<T>(&self, block: usize, make: impl FnOnce(&[u8]) -> T) -> Option<T> {
        if !self.is_sound(block) {
            return None;
        }
        let made = self.with_bytes(block, make);
        if let (None, Bytes::Paged(pages)) = (&made, &self.bytes) {
            pages.give_up();
        }
        made
    }

    /// As [`Table::with_block`], whatever the records say.
    fn with_bytes<T>(&self, block: usize, make: impl FnOnce(&[u8]) -> T) -> Option<T> {
        match &self.bytes {
            Bytes::Owned(bytes) => Some(make(&bytes[BLOCK + block * BLOCK..][..BLOCK])),
            Bytes::Static(bytes) => Some(make(&bytes[BLOCK + block * BLOCK..][..BLOCK])),
            Bytes::Paged(pages) => pages.with_block(block, make),
        }
    }

    #[inline]
    fn is_sound(&self, block: usize) -> bool {
        match self.blocks[block].load(Ordering::Relaxed) {
            SOUND => true,
            DAMAGED => false,
            _ => self.check(block),
        }
    }

    #[cold]
    fn check(&self, block: usize) -> bool {
        let sound = self.fits(block) && self.is_in_order(block);
        if self.is_lost() {
            return false;
        }
        let state = if sound { SOUND } else { DAMAGED };
        if self.blocks[block].swap(state, Ordering::Relaxed) == UNSEEN && !sound {
            self.damaged.fetch_add(1, Ordering::Relaxed);
            let at = BLOCK + block * BLOCK;
            log::error!("the book is damaged at byte {at}: {PER_BLOCK} positions there are left out");
        }
        sound
    }

    /// The block is what its checksum says.
    fn fits(&self, block: usize) -> bool {
        let wanted = u32_at(self.checksums(), 4 * block);
        self.with_bytes(block, |data| image::crc32(data) == wanted).unwrap_or(false)
    }

    /// The records of a block that fits its checksum are what a book keeps, each in its bucket and behind the one before.
    fn is_in_order(&self, block: usize) -> bool {
        let first = block * PER_BLOCK;
        let count = (self.len() - first).min(PER_BLOCK);
        let decode = |data: &[u8]| data.chunks_exact(RECORD).take(count).map(image::decode).collect();
        let entries: Vec<Entry> = self.with_bytes(block, decode).unwrap_or_default();
        let in_bucket = |(index, entry): (usize, &Entry)| {
            self.bucket(image::bucket(entry.board, self.header.bucket_bits)).contains(&index)
        };
        entries.len() == count
            && entries.iter().all(is_kept)
            && (first..).zip(&entries).all(in_bucket)
            && entries.is_sorted_by(|a, b| image::order(a.board) < image::order(b.board))
            && entries.first().is_none_or(|entry| self.follows(block, entry))
    }

    /// The first entry of a block lies behind the last of the block before, if that can be told.
    fn follows(&self, block: usize, entry: &Entry) -> bool {
        let Some(before) = block.checked_sub(1) else { return true };
        let last = self.with_bytes(before, |data| image::decode(&data[BLOCK - RECORD..]));
        last.is_none_or(|last| image::order(last.board) < image::order(entry.board) || !self.fits(before))
    }

    /// Reads everything once: checksums, order and form of the records; where the blocks lie that are wrong.
    pub fn verify(&self) -> Vec<usize> {
        self.verify_until(&AtomicBool::new(false))
    }

    /// The same; once `stop` is raised the other blocks are not looked at.
    pub fn verify_until(&self, stop: &AtomicBool) -> Vec<usize> {
        (0..self.blocks.len())
            .into_par_iter()
            .filter(|&block| !stop.load(Ordering::Relaxed) && !self.is_sound(block))
            .map(|block| BLOCK + block * BLOCK)
            .collect()
    }

    /// Damaged blocks met so far.
    pub fn damaged(&self) -> usize {
        self.damaged.load(Ordering::Relaxed)
    }
}

/// An entry in the form that is kept: discs apart, values possible, the board canonical and with a move if there is one.
fn is_kept(entry: &Entry) -> bool {
    let Board { player, opponent, .. } = entry.board;
    let possible = |value: i8| value.unsigned_abs() <= MOST_DISCS.unsigned_abs();
    if player & opponent != 0 || !possible(entry.value) || !entry.leaf.is_none_or(|leaf| possible(leaf.value)) {
        return false;
    }
    let standing = graph::standing(entry.board);
    standing.key == entry.board && !standing.turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{
        entry::{Level, Source},
        synth,
    };

    #[test]
    fn finds_all_that_is_in_and_nothing_else() {
        for n in [0, 1, 2, 127, 128, 129, 5000] {
            let entries = synth::entries(n, 1);
            let table = Table::from_entries(entries.clone(), 0);
            assert_eq!(table.len(), n);
            for entry in &entries {
                assert_eq!(table.get(entry.board), Some(*entry));
            }
            assert_eq!(table.get(Board::new(1, 2)), None);
            assert_eq!(table.iter().count(), n);
        }
    }

    #[test]
    fn the_last_of_doubles_stays() {
        let [a, b] = [3, 4].map(|value| Entry::new(Board::START, value, Level::UNKNOWN, Source::Unknown));
        assert_eq!(Table::from_entries(vec![a, b], 0).get(Board::START), Some(b));
    }

    #[test]
    fn a_damaged_block_is_noticed_when_touched() {
        let entries = synth::entries(1000, 2);
        let mut bytes = Table::from_entries(entries.clone(), 0).bytes().to_vec();
        bytes[BLOCK + 2 * BLOCK + 17] ^= 0x40;
        let table = Table::from_vec(bytes).unwrap();
        assert_eq!(table.damaged(), 0);
        let found = entries.iter().filter(|e| table.get(e.board) == Some(**e)).count();
        assert_eq!(found, 1000 - PER_BLOCK);
        assert_eq!(table.damaged(), 1);
        assert_eq!(table.verify(), [3 * BLOCK]);
        assert_eq!(table.iter().count(), 1000 - PER_BLOCK);
    }

    #[test]
    fn a_damaged_directory_is_refused() {
        let image = Table::from_entries(synth::entries(1000, 3), 0).bytes().to_vec();
        for at in [image.len() - 1, image.len() - 40, 9 * BLOCK + 1] {
            let mut bytes = image.clone();
            bytes[at] ^= 1;
            assert!(matches!(Table::from_vec(bytes), Err(OpenError::Flaw(Flaw::Part(_)))), "{at}");
        }
    }
}
