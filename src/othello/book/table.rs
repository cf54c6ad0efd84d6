//! A finished book image, mapped from disk or in memory, with look-up by position.
#![expect(unsafe_code, reason = "mapping a file into memory")]

use super::{
    entry::Entry,
    image::{self, BLOCK, Flaw, Header, PER_BLOCK, RECORD, Writer, u32_at},
};
use crate::othello::Board;
use memmap2::{Advice, Mmap};
use rayon::prelude::*;
use std::{
    fs::File,
    io::{self, Cursor},
    path::Path,
    sync::atomic::{AtomicU8, AtomicUsize, Ordering},
};

pub enum Bytes {
    Owned(Vec<u8>),
    Mapped(Mmap),
    /// Part of the program.
    Static(&'static [u8]),
}

impl Bytes {
    pub fn map(path: &Path) -> io::Result<Bytes> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if about.len() == 0 {
            return Ok(Bytes::Owned(Vec::new()));
        }
        // SAFETY: the map is only read. Books are replaced by renaming, never written in place, so that the bytes
        // under the map stay those of the file that was opened.
        Ok(Bytes::Mapped(unsafe { Mmap::map(&file)? }))
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(map) => map,
            Bytes::Static(bytes) => bytes,
        }
    }
}

const UNSEEN: u8 = 0;
const SOUND: u8 = 1;
const DAMAGED: u8 = 2;

/// Sorted entries. Blocks read from disk are checked against their checksums when first touched; a damaged block is
/// counted and its records are as if absent.
pub struct Table {
    bytes: Bytes,
    header: Header,
    blocks: Vec<AtomicU8>,
    damaged: AtomicUsize,
}

impl Table {
    pub fn empty() -> Table {
        Table::of_sorted(&[], 0)
    }

    /// Opens a book file; cost and memory do not grow with the records, only with the directory.
    pub fn open(path: &Path) -> Result<Table, OpenError> {
        let bytes = Bytes::map(path)?;
        let table = Table::of_bytes(bytes, UNSEEN)?;
        if let Bytes::Mapped(map) = &table.bytes {
            // Look-ups jump about: reading ahead would only cost time and memory.
            map.advise(Advice::Random).ok();
        }
        Ok(table)
    }

    /// A book held in memory as one piece of bytes.
    pub fn of_vec(bytes: Vec<u8>) -> Result<Table, OpenError> {
        Ok(Table::of_bytes(Bytes::Owned(bytes), UNSEEN)?)
    }

    /// A book that is part of the program.
    pub fn of_static(bytes: &'static [u8]) -> Result<Table, OpenError> {
        Ok(Table::of_bytes(Bytes::Static(bytes), UNSEEN)?)
    }

    fn of_bytes(bytes: Bytes, state: u8) -> Result<Table, Flaw> {
        let header = Header::decode(&bytes)?;
        let checksums = &bytes[header.checksums_at()..header.directory_at()];
        if image::crc32(checksums) != header.checksums_crc {
            return Err(Flaw::Part("table of checksums"));
        }
        let directory = &bytes[header.directory_at()..];
        let mut before = 0;
        let rising = directory.chunks_exact(4).all(|n| {
            let n = u32_at(n, 0);
            let fine = n >= before && u64::from(n) <= header.count;
            before = n;
            fine
        });
        if !rising || image::crc32(directory) != header.directory_crc {
            return Err(Flaw::Part("directory"));
        }
        let blocks = (0..header.blocks()).map(|_| AtomicU8::new(state)).collect();
        Ok(Table { bytes, header, blocks, damaged: AtomicUsize::new(0) })
    }

    /// `entries` must be in [`image::order`] without doubles.
    pub fn of_sorted(entries: &[Entry], serial: u64) -> Table {
        Table::of_stream(entries.iter().copied(), entries.len() as u64, serial)
    }

    pub fn of_stream(entries: impl Iterator<Item = Entry>, expected: u64, serial: u64) -> Table {
        let room = BLOCK * (2 + expected as usize / PER_BLOCK) + expected as usize;
        let build = || -> io::Result<Vec<u8>> {
            let mut writer = Writer::new(Cursor::new(Vec::with_capacity(room)), expected)?;
            for entry in entries {
                writer.push(&entry)?;
            }
            Ok(writer.finish(serial)?.into_inner())
        };
        let bytes = build().expect("sorted entries written to memory");
        Table::of_bytes(Bytes::Owned(bytes), SOUND).expect("an image made a moment ago")
    }

    /// Entries in any order; of several for one position the last stays.
    pub fn of_entries(mut entries: Vec<Entry>, serial: u64) -> Table {
        // The sort is stable and `dedup` keeps the first: turn round, so that the last comes first.
        entries.reverse();
        entries.par_sort_by_key(|entry| image::order(entry.board));
        entries.dedup_by_key(|entry| entry.board);
        Table::of_sorted(&entries, serial)
    }

    pub fn len(&self) -> usize {
        self.header.count as usize
    }

    pub fn is_empty(&self) -> bool {
        self.header.count == 0
    }

    pub fn serial(&self) -> u64 {
        self.header.serial
    }

    pub fn is_mapped(&self) -> bool {
        matches!(self.bytes, Bytes::Mapped(_))
    }

    /// The whole image.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where in the table a canonical position is.
    pub fn index_of(&self, board: Board) -> Option<usize> {
        let at = self.header.directory_at() + 4 * image::bucket(board, self.header.bucket_bits);
        let range = u32_at(&self.bytes, at) as usize..u32_at(&self.bytes, at + 4) as usize;
        let records = &self.bytes[BLOCK + range.start * RECORD..BLOCK + range.end * RECORD];
        let (player, opponent) = (board.player.to_le_bytes(), board.opponent.to_le_bytes());
        let found = records.chunks_exact(RECORD).position(|r| r[..8] == player && r[8..16] == opponent)?;
        let index = range.start + found;
        self.is_sound(index / PER_BLOCK).then_some(index)
    }

    #[inline]
    pub fn get(&self, board: Board) -> Option<Entry> {
        self.index_of(board).map(|index| self.raw(index))
    }

    fn raw(&self, index: usize) -> Entry {
        let at = BLOCK + index * RECORD;
        image::decode(&self.bytes[at..at + RECORD])
    }

    /// The entry with this number; `None` in a damaged block or past the end.
    pub fn entry(&self, index: usize) -> Option<Entry> {
        (index < self.len() && self.is_sound(index / PER_BLOCK)).then(|| self.raw(index))
    }

    /// All sound entries in order.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.len()).filter_map(|index| self.entry(index))
    }

    /// All sound entries with their numbers, over all threads.
    pub fn par_iter(&self) -> impl ParallelIterator<Item = (usize, Entry)> + '_ {
        (0..self.len()).into_par_iter().filter_map(|index| Some((index, self.entry(index)?)))
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
        let at = BLOCK + block * BLOCK;
        let wanted = u32_at(&self.bytes, self.header.checksums_at() + 4 * block);
        let sound = image::crc32(&self.bytes[at..at + BLOCK]) == wanted;
        let state = if sound { SOUND } else { DAMAGED };
        if self.blocks[block].swap(state, Ordering::Relaxed) == UNSEEN && !sound {
            self.damaged.fetch_add(1, Ordering::Relaxed);
            log::error!("the book is damaged at byte {at}: {PER_BLOCK} positions there are left out");
        }
        sound
    }

    /// Reads everything once against the checksums; where the blocks lie that do not fit.
    pub fn verify(&self) -> Vec<usize> {
        (0..self.blocks.len())
            .into_par_iter()
            .filter(|&block| !self.is_sound(block))
            .map(|block| BLOCK + block * BLOCK)
            .collect()
    }

    /// Damaged blocks met so far.
    pub fn damaged(&self) -> usize {
        self.damaged.load(Ordering::Relaxed)
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
    use crate::othello::book::{
        entry::{Level, Source},
        synth,
    };

    #[test]
    fn finds_all_that_is_in_and_nothing_else() {
        for n in [0, 1, 2, 127, 128, 129, 5000] {
            let entries = synth::entries(n, 1);
            let table = Table::of_entries(entries.clone(), 0);
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
        assert_eq!(Table::of_entries(vec![a, b], 0).get(Board::START), Some(b));
    }

    #[test]
    fn a_damaged_block_is_noticed_when_touched() {
        let entries = synth::entries(1000, 2);
        let mut bytes = Table::of_entries(entries.clone(), 0).bytes().to_vec();
        bytes[BLOCK + 2 * BLOCK + 17] ^= 0x40;
        let table = Table::of_vec(bytes).unwrap();
        assert_eq!(table.damaged(), 0);
        let found = entries.iter().filter(|e| table.get(e.board) == Some(**e)).count();
        assert_eq!(found, 1000 - PER_BLOCK);
        assert_eq!(table.damaged(), 1);
        assert_eq!(table.verify(), [3 * BLOCK]);
        assert_eq!(table.iter().count(), 1000 - PER_BLOCK);
    }

    #[test]
    fn a_damaged_directory_is_refused() {
        let image = Table::of_entries(synth::entries(1000, 3), 0).bytes().to_vec();
        for at in [image.len() - 1, image.len() - 40, 9 * BLOCK + 1] {
            let mut bytes = image.clone();
            bytes[at] ^= 1;
            assert!(matches!(Table::of_vec(bytes), Err(OpenError::Flaw(Flaw::Part(_)))), "{at}");
        }
    }
}
