//! Edax 4: `book.dat`.
//!
//! A header of 42 bytes (`XADE`, `KOOB`, version 4, release, date, options, count), then records of 42 bytes and 2 for each
//! link: own discs, opponent's discs (u64), wins, draws, losses, lines (u32), value, lower and upper bound (i16), number of
//! links, level (u8), the links and the leaf (score i8, move u8: 64 pass, 65 none). Unlike ours, the book holds positions
//! with a forced pass, and Edax follows links without looking: each must lead to a position.

use super::{
    Fault, Faults, Format, ReadError, WriteError, WriteOptions, WriteReport,
    bytes::Cursor,
    egbk2::{self, Linked, StoredLink},
    imported, losses,
};
use crate::othello::{
    Board, Square,
    book::{
        edax_stats::{self, Stats},
        entry::{Entry, Leaf, Level, MOST_DISCS},
        graph::{self, Link},
        store::BoardMap,
        table::Table,
    },
};
use std::{
    io::Write,
    time::{SystemTime, UNIX_EPOCH},
};

const MAGIC: &[u8; 8] = b"XADEKOOB";
const HEADER: usize = 42;
const PASS: u8 = 64;
const NO_MOVE: u8 = 65;
const NO_SCORE: i8 = -127;
const RELEASE: u8 = 4;

pub(super) fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

struct Record<'a> {
    board: Board,
    lines: u32,
    value: i16,
    level: u8,
    links: &'a [u8],
    leaf: (i8, u8),
}

fn record<'a>(at: &mut Cursor<'a>) -> Option<Record<'a>> {
    let board = Board::new(at.u64()?, at.u64()?);
    at.take(12)?; // wins, draws, losses: counted again when needed
    let lines = at.u32()?;
    let value = at.i16()?;
    at.take(4)?; // bounds, likewise
    let (count, level) = (at.u8()?, at.u8()?);
    let links = at.take(2 * usize::from(count))?;
    Some(Record { board, lines, value, level, links, leaf: (at.i8()?, at.u8()?) })
}

pub(super) fn read(bytes: &[u8], faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let told = Cursor::new(bytes, 38).i32();
    let mut at = Cursor::new(bytes, HEADER);
    let mut found = Vec::new();
    let mut others = Vec::new();
    let mut read = 0;
    if told.is_none() {
        faults.note(Fault::Truncated, bytes.len())?;
    }
    while !at.is_at_end() && told.is_some() {
        let offset = at.at;
        let Some(record) = record(&mut at) else {
            faults.note(Fault::Truncated, offset)?;
            break;
        };
        read += 1;
        let Some(entry) = checked(&record, offset, faults)? else { continue };
        if entry.board.must_pass() {
            faults.note(Fault::PassPosition, offset)?;
            others.push((entry, offset));
        } else if graph::standing(entry.board).turned {
            others.push((entry, offset));
        } else {
            found.push(Linked { entry, links: links(&record, offset, faults)?, offset });
        }
    }
    if told.is_some_and(|told| i64::from(told) != read) {
        faults.note(Fault::CountWrong, 38)?;
    }
    let mut entries = egbk2::leaves_from_links(found, faults)?;
    let keys: BoardMap<()> = entries.iter().map(|entry| (entry.board, ())).collect();
    for (entry, offset) in others.into_iter().filter(|(entry, _)| !keys.contains_key(&graph::key(entry.board))) {
        faults.keep(&mut entries, entry, offset);
    }
    Ok(entries)
}

fn checked(record: &Record, offset: usize, faults: &mut Faults) -> Result<Option<Entry>, ReadError> {
    let board = record.board;
    if board.player & board.opponent != 0 {
        return faults.note(Fault::Overlap, offset).map(|()| None);
    }
    if record.value.unsigned_abs() > u16::from(MOST_DISCS.unsigned_abs()) {
        return faults.note(Fault::ValueRange, offset + 32).map(|()| None);
    }
    let level = match Level::new(record.level) {
        Some(level) => level,
        None => {
            faults.note(Fault::LevelRange, offset + 39)?;
            Level::UNKNOWN
        }
    };
    let mut entry = imported(board, i32::from(record.value), level);
    entry.lines = record.lines.clamp(1, crate::othello::book::entry::MOST_LINES);
    let (value, square) = record.leaf;
    if value.unsigned_abs() <= MOST_DISCS.unsigned_abs() && square < PASS {
        match Square::new(square).filter(|&s| board.moves().contains(s)) {
            Some(square) => entry.leaf = Some(Leaf { value, square, level }),
            None => faults.note(Fault::LeafIllegal, offset + 40 + record.links.len())?,
        }
    }
    Ok(Some(entry))
}

fn links(record: &Record, offset: usize, faults: &mut Faults) -> Result<Vec<StoredLink>, ReadError> {
    let mut sound = Vec::with_capacity(record.links.len() / 2);
    for (i, link) in record.links.chunks_exact(2).enumerate() {
        sound.extend(egbk2::stored_link(record.board, link[0] as i8, link[1], offset + 40 + 2 * i, faults)?);
    }
    Ok(sound)
}

pub(super) fn write(
    out: &mut dyn Write,
    table: &Table,
    options: WriteOptions,
    now: SystemTime,
) -> Result<WriteReport, WriteError> {
    let stats = edax_stats::of(table, options.level);
    let others: u64 = table.iter().map(|entry| u64::from(other_side(entry.board).is_some())).sum();
    let count = table.len() + others as usize;
    out.write_all(&header(table, options, count, now)?)?;
    let mut report = WriteReport::new(Format::Edax);
    let (mut hand, mut invented, mut leaf_levels) = (0, 0, 0);
    for (index, entry) in table.iter().enumerate() {
        let links = graph::links(table, entry.board);
        let leaf = leaf_for(&entry, &links);
        invented += u64::from(entry.leaf.is_none() && leaf.1 < PASS);
        hand += u64::from(entry.level.is_hand());
        leaf_levels += u64::from(entry.leaf.is_some_and(|leaf| leaf.level != entry.level));
        let level = written_level(&entry, options);
        let stored: Vec<(i8, u8)> = links.iter().map(|link| (link.value as i8, link.square.index() as u8)).collect();
        write_record(out, entry.board, &stats[index], entry.lines, level, &stored, leaf)?;
        if let Some(other) = other_side(entry.board) {
            let turned = stats[index].turned();
            let value = turned.value as i8;
            let (links, leaf) = if other.must_pass() {
                (&[(value, PASS)][..], (NO_SCORE, NO_MOVE))
            } else {
                (&[][..], (value, NO_MOVE))
            };
            write_record(out, other, &turned, entry.lines, level, links, leaf)?;
        }
        report.positions += 1;
    }
    report.positions += others;
    report.lose(losses::BY_HAND, hand);
    report.lose(losses::LEAF_LEVELS, leaf_levels);
    report.lose(losses::GUESSED, invented);
    report.lose(losses::SOURCES, table.len() as u64);
    Ok(report)
}

fn written_level(entry: &Entry, options: WriteOptions) -> u8 {
    options.level.unwrap_or(entry.level).min(Level::MAX).raw()
}

/// The same discs seen by the other side, where Edax needs that as a record of its own: a position from which a forced
/// pass leads to `board`, or a finished game. One that no move leads to does no harm.
pub(super) fn other_side(board: Board) -> Option<Board> {
    let other = board.pass();
    let key = other.canonical().0;
    (!other.can_move() && key != board).then_some(key)
}

/// The leaf as Edax wants it: a legal move that is not a link, unless all are.
fn leaf_for(entry: &Entry, links: &[Link]) -> (i8, u8) {
    if let Some(leaf) = graph::sound_leaf(entry, graph::squares(links)) {
        return (leaf.value, leaf.square.index() as u8);
    }
    let free = entry.board.moves().into_iter().find(|s| links.iter().all(|link| link.square != *s));
    match free {
        // The value of a position without links is that of its best move, whichever it is.
        Some(square) if links.is_empty() => (entry.value, square.index() as u8),
        Some(square) => (-MOST_DISCS, square.index() as u8),
        None if links.is_empty() => (entry.value, NO_MOVE),
        None => (NO_SCORE, NO_MOVE),
    }
}

fn write_record(
    out: &mut dyn Write,
    board: Board,
    stats: &Stats,
    lines: u32,
    level: u8,
    links: &[(i8, u8)],
    leaf: (i8, u8),
) -> Result<(), WriteError> {
    out.write_all(&board.player.to_le_bytes())?;
    out.write_all(&board.opponent.to_le_bytes())?;
    for count in [stats.wins, stats.draws, stats.losses, lines] {
        out.write_all(&count.to_le_bytes())?;
    }
    for score in [stats.value, stats.lower, stats.upper] {
        out.write_all(&score.to_le_bytes())?;
    }
    out.write_all(&[links.len() as u8, level])?;
    for &(score, square) in links.iter().chain([&leaf]) {
        out.write_all(&[score as u8, square])?;
    }
    Ok(())
}

fn header(table: &Table, options: WriteOptions, count: usize, now: SystemTime) -> Result<[u8; HEADER], WriteError> {
    let count = i32::try_from(count).map_err(|_| WriteError::TooMany { format: Format::Edax, count })?;
    let level = options.level.or_else(|| table.iter().map(|e| e.level.min(Level::MAX)).max()).unwrap_or_default();
    // The deepest position has one empty square less than this number.
    let empties = table.iter().map(|entry| entry.board.empty_count()).min().unwrap_or(60) as i32 + 1;
    let (year, rest) = date(now);
    let mut bytes = [0; HEADER];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(0, MAGIC);
    put(8, &[4, RELEASE]);
    put(10, &year.to_le_bytes());
    put(12, &rest);
    let (midgame_error, endcut_error, verbosity) = (edax_stats::MIDGAME_ERROR, edax_stats::ENDCUT_ERROR, 1);
    let numbers = [i32::from(level.raw()), empties, midgame_error.into(), endcut_error.into(), verbosity, count];
    for (i, number) in numbers.into_iter().enumerate() {
        put(18 + 4 * i, &number.to_le_bytes());
    }
    Ok(bytes)
}

/// Year; month, day, hour, minute, second (UTC).
fn date(now: SystemTime) -> (i16, [u8; 5]) {
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64);
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days since 0000-03-01, so that a leap day comes at the end of a year, in eras of 400 years.
    let from_march = days + 719_468;
    let (era, day) = (from_march.div_euclid(146_097), from_march.rem_euclid(146_097));
    let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year as i16, [month as u8, day as u8, (of_day / 3600) as u8, (of_day / 60 % 60) as u8, (of_day % 60) as u8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| date(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), (1970, [1, 1, 0, 0, 0]));
        assert_eq!(at(951_782_400), (2000, [2, 29, 0, 0, 0]));
        assert_eq!(at(1_718_000_000), (2024, [6, 10, 6, 13, 20]));
    }
}
