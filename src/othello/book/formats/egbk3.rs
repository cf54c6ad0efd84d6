//! Egaroucid 7: `.egbk3`.
//!
//! Nine letters, a version byte 3, an i32 count, then 25 bytes for each position: own discs, opponent's discs (u64), value
//! (i8), level (i8: 1 to 60, 70 by hand, −1 unknown), lines (u32), leaf value (i8, −126 none), leaf move (i8: bit number,
//! 125 unknown, 65 nothing left), leaf level (i8). Files spell the letters backwards; documents do not; both are read.
//! The canonical board is ours, number for number, although a1 is the highest bit there: the eight images include the half
//! turn that separates the two ways of numbering.

use super::{Fault, Faults, Format, ReadError, WriteError, WriteOptions, WriteReport, bytes, imported, losses};
use crate::othello::{
    Board, Square,
    book::{
        entry::{Entry, Leaf, Level, MOST_DISCS},
        graph,
        table::Table,
    },
};
use std::io::Write;

const ON_DISK: &[u8; 9] = b"DICUORAGE";
const IN_DOCUMENTS: &[u8; 9] = b"EGAROUCID";
pub(super) const HEADER: usize = 14;
const RECORD: usize = 25;
const NO_VALUE: i8 = -126;
const NO_MOVE_LEFT: i8 = 65;
const MOVE_UNKNOWN: i8 = 125;
const LEVEL_UNKNOWN: i8 = -1;

/// The version byte, if this is a book of that family.
pub(super) fn version(bytes: &[u8]) -> Option<u8> {
    let family = bytes.starts_with(ON_DISK) || bytes.starts_with(IN_DOCUMENTS);
    if family { bytes.get(9).copied() } else { None }
}

/// The count of a header that [`version`] has seen.
pub(super) fn count(bytes: &[u8], faults: &mut Faults) -> Result<usize, ReadError> {
    let told = bytes::Cursor::new(bytes, 10).i32();
    match told.map(usize::try_from) {
        Some(Ok(count)) => Ok(count),
        Some(Err(_)) => {
            faults.note(Fault::CountWrong, 10)?;
            Ok(usize::MAX / 64)
        }
        None => {
            faults.note(Fault::Truncated, bytes.len())?;
            Ok(0)
        }
    }
}

pub(super) fn header(version: u8, format: Format, count: usize) -> Result<[u8; HEADER], WriteError> {
    let told = i32::try_from(count).map_err(|_| WriteError::TooMany { format, count })?;
    let mut bytes = [0; HEADER];
    bytes[..9].copy_from_slice(ON_DISK);
    bytes[9] = version;
    bytes[10..].copy_from_slice(&told.to_le_bytes());
    Ok(bytes)
}

pub(super) fn level(raw: i8, offset: usize, faults: &mut Faults) -> Result<Level, ReadError> {
    if raw == LEVEL_UNKNOWN {
        return Ok(Level::UNKNOWN);
    }
    match u8::try_from(raw).ok().and_then(Level::new) {
        Some(level) => Ok(level),
        None => faults.note(Fault::LevelRange, offset).map(|()| Level::UNKNOWN),
    }
}

pub(super) fn raw_level(level: Level) -> i8 {
    if level.is_known() { level.raw() as i8 } else { LEVEL_UNKNOWN }
}

pub(super) fn read(bytes: &[u8], faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let told = count(bytes, faults)?;
    bytes::fixed_records(bytes, HEADER, RECORD, told, faults, record)
}

fn record(bytes: &[u8], offset: usize, faults: &mut Faults) -> Result<Option<Entry>, ReadError> {
    let mut at = bytes::Cursor::new(bytes, 0);
    let mut fields = || {
        let board = Board::new(at.u64()?, at.u64()?);
        Some((board, at.i8()?, at.i8()?, at.u32()?, at.i8()?, at.i8()?, at.i8()?))
    };
    let Some((board, value, raw, lines, leaf_value, leaf_move, leaf_level)) = fields() else { return Ok(None) };
    if board.player & board.opponent != 0 {
        return faults.note(Fault::Overlap, offset).map(|()| None);
    }
    if value.unsigned_abs() > MOST_DISCS.unsigned_abs() {
        return faults.note(Fault::ValueRange, offset + 16).map(|()| None);
    }
    let mut entry = imported(board, i32::from(value), level(raw, offset + 17, faults)?);
    entry.lines = lines.max(1);
    entry.leaf = leaf(board, leaf_value, leaf_move, leaf_level, offset, faults)?;
    Ok(Some(entry))
}

fn leaf(
    board: Board,
    value: i8,
    square: i8,
    raw: i8,
    offset: usize,
    faults: &mut Faults,
) -> Result<Option<Leaf>, ReadError> {
    if value == NO_VALUE || square == NO_MOVE_LEFT || square == MOVE_UNKNOWN {
        return Ok(None);
    }
    let legal = u8::try_from(square).ok().and_then(Square::new).filter(|&s| board.moves().contains(s));
    match legal {
        Some(square) if value.unsigned_abs() <= MOST_DISCS.unsigned_abs() => {
            Ok(Some(Leaf { value, square, level: level(raw, offset + 24, faults)? }))
        }
        _ => faults.note(Fault::LeafIllegal, offset + 22).map(|()| None),
    }
}

pub(super) fn write(out: &mut dyn Write, table: &Table, options: WriteOptions) -> Result<WriteReport, WriteError> {
    out.write_all(&header(3, Format::Egbk3, table.len())?)?;
    let mut report = WriteReport::new(Format::Egbk3);
    let mut sources = 0;
    for entry in table.iter() {
        let (value, square, level) = match entry.leaf {
            Some(leaf) => (leaf.value, leaf.square.index() as i8, raw_level(leaf.level)),
            None if all_followed(table, entry.board) => (NO_VALUE, NO_MOVE_LEFT, LEVEL_UNKNOWN),
            None => (NO_VALUE, MOVE_UNKNOWN, LEVEL_UNKNOWN),
        };
        out.write_all(&entry.board.player.to_le_bytes())?;
        out.write_all(&entry.board.opponent.to_le_bytes())?;
        out.write_all(&[entry.value as u8, raw_level(options.level.unwrap_or(entry.level)) as u8])?;
        out.write_all(&entry.lines.to_le_bytes())?;
        out.write_all(&[value as u8, square as u8, level as u8])?;
        sources += u64::from(entry.source != super::Source::Import);
        report.positions += 1;
    }
    report.lose(losses::SOURCES, sources);
    Ok(report)
}

/// Every legal move leads to a position of the book.
fn all_followed(table: &Table, board: Board) -> bool {
    let mut children = board.moves().into_iter().filter_map(|square| graph::after(board, square));
    children.all(|child| table.index_of(graph::key(child.board)).is_some())
}
