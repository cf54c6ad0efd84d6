//! Egaroucid 6.3 to 6.5: `.egbk2`.
//!
//! The header of egbk3 with version 2; then for each position own discs, opponent's discs (u64), value, level (i8), the
//! number of links, and for each link its value and its move (i8). The number has one byte in the files that are about and
//! four in the description of the format; the length of the file tells which. Links repeat what the positions below say; one
//! whose position is missing is kept as the leaf.

use super::{
    Fault, Faults, Format, ReadError, WriteError, WriteOptions, WriteReport,
    bytes::Cursor,
    egbk3::{self, HEADER, level, raw_level},
    imported, losses,
};
use crate::othello::{
    Board, Square,
    book::{
        entry::{Entry, Leaf, MOST_DISCS},
        graph,
        store::BoardMap,
        table::Table,
    },
};
use std::io::Write;

/// A link as some formats store it: a value for the side to move, and a move.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredLink {
    pub value: i8,
    pub square: Square,
}

/// An entry with its links, and where it was.
pub(super) struct Linked {
    pub entry: Entry,
    pub links: Vec<StoredLink>,
    pub offset: usize,
}

pub(super) fn read(bytes: &[u8], faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let told = egbk3::count(bytes, faults)?;
    let width = Width::of(bytes, told);
    let mut at = Cursor::new(bytes, HEADER);
    let mut found: Vec<Linked> = Vec::with_capacity(told.min(bytes.len() / 19));
    for _ in 0..told {
        let offset = at.at;
        let Some(record) = record(&mut at, width) else {
            faults.note(Fault::Truncated, offset)?;
            break;
        };
        found.extend(checked(record, width, offset, faults)?);
    }
    if !at.is_at_end() && found.len() == told {
        faults.note(Fault::TrailingBytes, at.at)?;
    }
    leaves_from_links(found, faults)
}

type Record<'a> = (Board, i8, i8, &'a [u8]);

/// The squares that have discs in every position of a game.
const CENTRE: u64 = 0x0000_0018_1800_0000;

/// How much of a record makes sense: its discs and value, and each of its links.
fn sense((board, value, _, links): Record<'_>) -> usize {
    let discs = board.player | board.opponent;
    if board.player & board.opponent != 0
        || discs & CENTRE != CENTRE
        || value.unsigned_abs() > MOST_DISCS.unsigned_abs()
    {
        return 0;
    }
    let legal = |link: &&[u8]| Square::new(link[1]).is_some_and(|square| board.moves().contains(square));
    1 + links.chunks_exact(2).filter(legal).count()
}

/// How many bytes the number of links has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    Byte,
    Word,
}

impl Width {
    /// The one with which the records end where the file does; failing that, the one with which more of them make sense.
    fn of(bytes: &[u8], told: usize) -> Width {
        let fit = |width| {
            let mut at = Cursor::new(bytes, HEADER);
            let records = (0..told).map_while(|_| record(&mut at, width));
            let sound: usize = records.map(sense).sum();
            (at.is_at_end(), sound)
        };
        if fit(Width::Word) > fit(Width::Byte) { Width::Word } else { Width::Byte }
    }

    /// Where the links begin in a record.
    const fn links_at(self) -> usize {
        match self {
            Width::Byte => 19,
            Width::Word => 22,
        }
    }
}

fn record<'a>(at: &mut Cursor<'a>, width: Width) -> Option<Record<'a>> {
    let board = Board::new(at.u64()?, at.u64()?);
    let (value, level) = (at.i8()?, at.i8()?);
    let links = match width {
        Width::Byte => usize::from(at.u8()?),
        Width::Word => usize::try_from(at.u32()?).ok()?,
    };
    Some((board, value, level, at.take(links.checked_mul(2)?)?))
}

fn checked(
    (board, value, raw, links): Record,
    width: Width,
    offset: usize,
    faults: &mut Faults,
) -> Result<Option<Linked>, ReadError> {
    if board.player & board.opponent != 0 {
        return faults.note(Fault::Overlap, offset).map(|()| None);
    }
    if value.unsigned_abs() > MOST_DISCS.unsigned_abs() {
        return faults.note(Fault::ValueRange, offset + 16).map(|()| None);
    }
    let entry = imported(board, i32::from(value), level(raw, offset + 17, faults)?);
    let mut sound = Vec::with_capacity(links.len() / 2);
    for (i, link) in links.chunks_exact(2).enumerate() {
        sound.extend(stored_link(board, link[0] as i8, link[1], offset + width.links_at() + 2 * i, faults)?);
    }
    Ok(Some(Linked { entry, links: sound, offset }))
}

/// A link of a file, if it is a legal move with a possible value.
pub(super) fn stored_link(
    board: Board,
    value: i8,
    square: u8,
    offset: usize,
    faults: &mut Faults,
) -> Result<Option<StoredLink>, ReadError> {
    match Square::new(square).filter(|&s| board.moves().contains(s)) {
        Some(square) if value.unsigned_abs() <= MOST_DISCS.unsigned_abs() => Ok(Some(StoredLink { value, square })),
        _ => faults.note(Fault::LinkIllegal, offset).map(|()| None),
    }
}

/// Brings entries into the book's form; the best link to a position that is not there becomes the leaf, if there is no
/// other or it is worse.
pub(super) fn leaves_from_links(found: Vec<Linked>, faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let keys: BoardMap<()> = found.iter().map(|one| (graph::key(one.entry.board), ())).collect();
    let mut entries = Vec::with_capacity(found.len());
    for Linked { mut entry, links, offset } in found {
        let missing = |link: &StoredLink| {
            graph::after(entry.board, link.square).is_some_and(|child| !keys.contains_key(&graph::key(child.board)))
        };
        let best = links.iter().filter(|link| missing(link)).max_by_key(|link| link.value);
        if let Some(link) = best {
            faults.note(Fault::LinkMissing, offset)?;
            if entry.leaf.is_none_or(|leaf| leaf.value < link.value) {
                entry.leaf = Some(Leaf { value: link.value, square: link.square, level: entry.level });
            }
        }
        faults.keep(&mut entries, entry, offset);
    }
    Ok(entries)
}

pub(super) fn write(out: &mut dyn Write, table: &Table, options: WriteOptions) -> Result<WriteReport, WriteError> {
    out.write_all(&egbk3::header(2, Format::Egbk2, table.len())?)?;
    let mut report = WriteReport::new(Format::Egbk2);
    let mut leaves = 0;
    for entry in table.iter() {
        let links = graph::links(table, entry.board);
        out.write_all(&entry.board.player.to_le_bytes())?;
        out.write_all(&entry.board.opponent.to_le_bytes())?;
        out.write_all(&[entry.value as u8, raw_level(options.level.unwrap_or(entry.level)) as u8, links.len() as u8])?;
        for link in &links {
            out.write_all(&[link.value as i8 as u8, link.square.index() as u8])?;
        }
        leaves += u64::from(entry.leaf.is_some());
        report.positions += 1;
    }
    report.lose(losses::LEAVES, leaves);
    report.lose(losses::LINES, report.positions);
    report.lose(losses::SOURCES, report.positions);
    Ok(report)
}
