//! Our own format: written as it is kept, and what can still be read of a damaged file.

use super::{Fault, Faults, Format, ReadError, Table, WriteError, WriteOptions, WriteReport, kept};
use crate::othello::book::{
    entry::{Entry, Leaf, MOST_DISCS},
    image::{self, BLOCK, Header, PER_BLOCK, RECORD, crc32, u32_at, u64_at},
};
use std::io::Write;

/// Levels are kept whatever the options say.
pub(super) fn write(out: &mut dyn Write, table: &Table, _: WriteOptions) -> Result<WriteReport, WriteError> {
    table.copy_to(out)?;
    Ok(WriteReport { positions: table.len() as u64, ..WriteReport::new(Format::Own) })
}

/// Every record that is sound by its block's checksum; where the checksums themselves are lost, every record that makes
/// sense.
pub(super) fn salvage(bytes: &[u8], faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let header = match Header::decode(bytes) {
        Ok(header) => Some(header),
        Err(_) if bytes.len() < BLOCK => {
            faults.note(Fault::Truncated, bytes.len())?;
            return Ok(Vec::new());
        }
        Err(_) => {
            faults.note(Fault::BadIndex, 0)?;
            None
        }
    };
    // Without a sound header its count is only a hint: the bytes that are there set the limit.
    let count = header.map_or_else(|| u64_at(bytes, 16), |header| header.count);
    let blocks = (count.div_ceil(PER_BLOCK as u64) as usize).min(bytes.len() / BLOCK - 1);
    let checksums = header.and_then(|header| {
        let table = &bytes[header.checksums_at()..header.directory_at()];
        (crc32(table) == header.checksums_crc).then_some(table)
    });
    if header.is_some() && checksums.is_none() {
        faults.note(Fault::BadIndex, BLOCK + blocks * BLOCK)?;
    }
    let mut entries = Vec::with_capacity(blocks * PER_BLOCK);
    for block in 0..blocks {
        let at = BLOCK + block * BLOCK;
        let data = &bytes[at..at + BLOCK];
        if checksums.is_some_and(|table| u32_at(table, 4 * block) != crc32(data)) {
            faults.note(Fault::BadBlock, at)?;
            continue;
        }
        let left = (count as usize).saturating_sub(block * PER_BLOCK).min(PER_BLOCK);
        for (i, record) in data.chunks_exact(RECORD).take(left).enumerate() {
            match sensible(record) {
                Some(entry) => faults.keep(&mut entries, entry, at + i * RECORD),
                None => faults.note(Fault::Overlap, at + i * RECORD)?,
            }
        }
    }
    if header.is_none() && (entries.len() as u64) < count {
        faults.note(Fault::CountWrong, 16)?;
    }
    Ok(entries)
}

/// A record that can be one: discs apart, a possible value, and the board in the form that is stored.
fn sensible(record: &[u8]) -> Option<Entry> {
    let entry = image::decode(record);
    let discs = entry.board.player | entry.board.opponent;
    let possible = |value: i8| value.unsigned_abs() <= MOST_DISCS.unsigned_abs();
    let legal = |leaf: Leaf| possible(leaf.value) && entry.board.moves().contains(leaf.square);
    if discs == 0 || !possible(entry.value) || !entry.leaf.is_none_or(legal) {
        return None;
    }
    kept(entry).filter(|same| *same == entry)
}

#[cfg(test)]
mod tests {
    use super::super::{Care, ReadOptions, read};
    use super::*;
    use crate::othello::{
        Board,
        book::{
            entry::{Level, Source},
            synth,
            table::Table,
        },
    };

    #[test]
    fn a_value_that_cannot_be_is_no_record() {
        // A finished game that is kept the other way round: its value would have to be negated.
        let board = Board::new(0x0F00_0000_0000_0000, 0x0000_0000_0000_00FF);
        let entry = Entry::new(board, 4, Level::MAX, Source::Unknown).canonical();
        for value in [i8::MIN, -65, 65, i8::MAX] {
            assert_eq!(sensible(&image::encode(&Entry { value, ..entry })), None);
            assert_eq!(sensible(&image::encode(&Entry { value, board: entry.board.pass(), ..entry })), None);
        }
    }

    #[test]
    fn what_is_sound_of_a_damaged_book_is_saved() {
        let entries = synth::entries(1000, 1).into_iter().map(|entry| Entry { leaf: None, ..entry }).collect();
        let whole = Table::from_entries(entries, 0);
        let lenient = ReadOptions { care: Care::Lenient, ..ReadOptions::default() };
        let sound = |bytes: &[u8]| {
            let (table, report) = read(bytes, lenient).unwrap();
            assert!(table.iter().all(|entry| whole.get(entry.board) == Some(entry)));
            (table.len(), report.faults.keys().copied().collect::<Vec<_>>())
        };
        let spoiled = |at: usize| {
            let mut bytes = whole.bytes().to_vec();
            bytes[at] ^= 0x20;
            assert!(read(&bytes, ReadOptions::default()).is_err(), "byte {at}");
            sound(&bytes)
        };
        let length = whole.bytes().len();
        assert_eq!(sound(whole.bytes()), (1000, vec![]));
        assert_eq!(spoiled(3 * BLOCK + 20), (1000 - PER_BLOCK, vec![Fault::BadBlock]));
        assert_eq!(spoiled(40), (1000, vec![Fault::BadIndex]), "the header");
        assert_eq!(spoiled(9 * BLOCK + 3), (1000, vec![Fault::BadIndex]), "a checksum");
        assert_eq!(spoiled(length - 2).0, 1000, "the directory");
        assert_eq!(sound(&whole.bytes()[..length - 1]), (1000, vec![Fault::BadIndex]), "cut at the end");
        let cut = sound(&whole.bytes()[..4 * BLOCK + 100]);
        assert_eq!(cut, (3 * PER_BLOCK, vec![Fault::CountWrong, Fault::BadIndex]));
        assert_eq!(sound(&whole.bytes()[..100]), (0, vec![Fault::Truncated]));
    }
}
