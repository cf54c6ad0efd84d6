//! Books of other programs: recognised by their content, read with every fault counted, written with a list of what the
//! format cannot hold.

mod bytes;
mod codec;
pub mod edax;
pub mod edax_text;
pub mod egbk;
pub mod egbk2;
pub mod egbk3;
mod losses;
mod own;
pub mod text;
pub mod zebra;
mod zebra_hash;

#[cfg(test)]
mod tests;

use super::{
    entry::{Entry, Level, Source},
    graph,
    store::BoardMap,
    table::Table,
};
use crate::{
    base::files::{self, Backup, Stoppable},
    othello::Board,
};
use rayon::prelude::*;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, BufWriter, Read, Write},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Our own (see `FORMAT.md`).
    Own,
    Egbk3,
    Egbk2,
    Edax,
    EdaxText,
    /// Egaroucid 5.
    Text,
    Zebra,
    ZebraText,
    ZebraPacked,
    Egbk,
}

/// What may be wrong with a book file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    // Damage: a strict reading ends here; a lenient one leaves the record out.
    Truncated,
    Overlap,
    ValueRange,
    BadLine,
    CountWrong,
    BadBlock,
    BadIndex,
    // Blemishes: mended on reading, only counted.
    LevelRange,
    LeafIllegal,
    LeafInBook,
    LinkIllegal,
    LinkMissing,
    PassPosition,
    Doubled,
    Unreached,
    TrailingBytes,
}

impl Fault {
    pub const fn is_damage(self) -> bool {
        matches!(self, Fault::Truncated | Fault::Overlap | Fault::ValueRange | Fault::BadLine | Fault::CountWrong)
    }

    pub const fn text(self) -> &'static str {
        match self {
            Fault::Truncated => "the file ends in the middle of a record",
            Fault::Overlap => "two discs on one square",
            Fault::ValueRange => "a value outside -64 to 64",
            Fault::BadLine => "a line that cannot be read",
            Fault::CountWrong => "the number of positions differs from the header's",
            Fault::BadBlock => "a block with a wrong checksum or wrong records",
            Fault::BadIndex => "a damaged header, table of checksums or directory",
            Fault::LevelRange => "a level outside 1 to 60, taken as unknown",
            Fault::LeafIllegal => "a leaf that is not a legal move, dropped",
            Fault::LeafInBook => "a leaf that is a book move, dropped",
            Fault::LinkIllegal => "a link that is not a legal move, dropped",
            Fault::LinkMissing => "a link to a position that is not in the book",
            Fault::PassPosition => "a position with a forced pass, kept as the one after the pass",
            Fault::Doubled => "a position met before; the later one stays",
            Fault::Unreached => "a position that no moves from the start lead to, left out",
            Fault::TrailingBytes => "bytes after the last record, ignored",
        }
    }
}

/// How often a fault was met, and where first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub count: u64,
    pub first_offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Care {
    /// A damaged file is refused.
    #[default]
    Strict,
    /// What is sound is taken.
    Lenient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    pub care: Care,
    /// For formats that do not tell it.
    pub level: Level,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { care: Care::Strict, level: Level::from_search(1) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadReport {
    pub format: Format,
    pub positions: usize,
    pub faults: BTreeMap<Fault, Tally>,
}

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("not a book in any known format")]
    Unknown,
    #[error("{format} book, byte {offset}: {}", fault.text())]
    Damaged { format: Format, fault: Fault, offset: u64 },
    #[error(transparent)]
    Own(#[from] super::table::OpenError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Collects faults; a strict reading stops at the first damage.
pub(crate) struct Faults {
    format: Format,
    care: Care,
    met: BTreeMap<Fault, Tally>,
    /// Where each entry was found, if that is wanted.
    places: Option<Vec<u64>>,
    /// Raised when nobody wants the entries any more.
    given_up: Arc<AtomicBool>,
}

impl Faults {
    pub fn new(format: Format, care: Care) -> Faults {
        Faults { format, care, met: BTreeMap::new(), places: None, given_up: Arc::default() }
    }

    /// For the same work on a part of the file.
    fn for_part(&self) -> Faults {
        let places = self.places.as_ref().map(|_| Vec::new());
        Faults { places, given_up: self.given_up.clone(), ..Faults::new(self.format, self.care) }
    }

    /// Takes an entry into the list in the form the book keeps.
    pub fn keep(&mut self, entries: &mut Vec<Entry>, entry: Entry, offset: usize) {
        if !self.given_up.load(Ordering::Relaxed)
            && let Some(entry) = kept(entry)
        {
            entries.push(entry);
            if let Some(places) = &mut self.places {
                places.push(offset as u64);
            }
        }
    }

    pub fn note(&mut self, fault: Fault, offset: usize) -> Result<(), ReadError> {
        self.note_many(fault, offset, 1)
    }

    pub fn note_many(&mut self, fault: Fault, offset: usize, count: usize) -> Result<(), ReadError> {
        let offset = offset as u64;
        if fault.is_damage() && self.care == Care::Strict {
            return Err(ReadError::Damaged { format: self.format, fault, offset });
        }
        if count > 0 {
            let tally = self.met.entry(fault).or_insert(Tally { count: 0, first_offset: offset });
            tally.count += count as u64;
            tally.first_offset = tally.first_offset.min(offset);
        }
        Ok(())
    }

    fn join(&mut self, other: Faults) {
        for (fault, tally) in other.met {
            let mine = self.met.entry(fault).or_insert(Tally { count: 0, ..tally });
            mine.count += tally.count;
            mine.first_offset = mine.first_offset.min(tally.first_offset);
        }
        if let Some(places) = &mut self.places {
            places.extend(other.places.into_iter().flatten());
        }
    }
}

/// Reads a book in any format; packed ones (gzip) are unpacked first.
pub fn read(bytes: &[u8], options: ReadOptions) -> Result<(Table, ReadReport), ReadError> {
    read_plain(unpacked(Cow::Borrowed(bytes))?, options, &Arc::default())
}

/// As [`read`], without a copy of bytes that are already ours, and only as long as somebody wants the book.
pub fn read_owned(
    bytes: Vec<u8>,
    options: ReadOptions,
    given_up: &Arc<AtomicBool>,
) -> Result<(Table, ReadReport), ReadError> {
    read_plain(unpacked(Cow::Owned(bytes))?, options, given_up)
}

fn read_plain(
    bytes: Cow<'_, [u8]>,
    options: ReadOptions,
    given_up: &Arc<AtomicBool>,
) -> Result<(Table, ReadReport), ReadError> {
    let format = Format::detect(&bytes).ok_or(ReadError::Unknown)?;
    let mut faults = Faults { given_up: given_up.clone(), ..Faults::new(format, options.care) };
    if format == Format::Own && options.care == Care::Strict {
        let table = Table::from_vec(bytes.into_owned())?;
        // What is taken over from another book is looked at as a whole.
        if let Some(offset) = table.verify().into_iter().min() {
            return Err(ReadError::Damaged { format, fault: Fault::BadBlock, offset: offset as u64 });
        }
        let report = ReadReport { format, positions: table.len(), faults: BTreeMap::new() };
        return Ok((table, report));
    }
    let entries = format.read(&bytes, options.level, &mut faults)?;
    if given_up.load(Ordering::Relaxed) {
        return Err(io::Error::other("nobody waits for it").into());
    }
    let table = settled(entries, &mut faults)?;
    let report = ReadReport { format, positions: table.len(), faults: located(&bytes, options.level, &table, faults)? };
    Ok((table, report))
}

/// Doubles and leaves that the book follows show only in the finished table. Where they are in the file is found by a
/// second reading, so that sound files need not remember a place for every entry.
fn located(bytes: &[u8], level: Level, table: &Table, faults: Faults) -> Result<BTreeMap<Fault, Tally>, ReadError> {
    let Faults { format, mut met, .. } = faults;
    if !met.contains_key(&Fault::Doubled) && !met.contains_key(&Fault::LeafInBook) {
        return Ok(met);
    }
    let mut second = Faults { places: Some(Vec::new()), ..Faults::new(format, Care::Lenient) };
    let entries = format.read(bytes, level, &mut second)?;
    let places = second.places.unwrap_or_default();
    let mut before: BoardMap<()> = BoardMap::default();
    let mut first = |fault: Fault, place: Option<&u64>| {
        if let (Some(tally), Some(&place)) = (met.get_mut(&fault), place) {
            tally.first_offset = place;
        }
    };
    first(Fault::LeafInBook, entries.iter().zip(&places).find(|(entry, _)| followed(table, entry)).map(|(_, at)| at));
    let doubled = entries.iter().zip(&places).find(|(entry, _)| before.insert(entry.board, ()).is_some());
    first(Fault::Doubled, doubled.map(|(_, at)| at));
    Ok(met)
}

/// The leaf leads to a position of the book.
fn followed(table: &Table, entry: &Entry) -> bool {
    let child = entry.leaf.and_then(|leaf| graph::after(entry.board, leaf.square));
    child.is_some_and(|child| table.index_of(graph::key(child.board)).is_some())
}

/// A packed book may not unpack to more than this.
const LARGEST_UNPACKED: u64 = 1 << 34;

fn unpacked(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, [u8]>, ReadError> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&*bytes).take(LARGEST_UNPACKED + 1).read_to_end(&mut plain)?;
    if plain.len() as u64 > LARGEST_UNPACKED {
        return Err(io::Error::from(files::Unfit::TooLarge(LARGEST_UNPACKED)).into());
    }
    Ok(Cow::Owned(plain))
}

/// One table of what was read: of doubles the last stays, and leaves that the book follows are no leaves.
fn settled(entries: Vec<Entry>, faults: &mut Faults) -> Result<Table, ReadError> {
    let read = entries.len();
    let table = Table::from_entries(entries, 0);
    faults.note_many(Fault::Doubled, 0, read - table.len())?;
    let wrong: Vec<usize> =
        table.par_iter().filter(|(_, entry)| followed(&table, entry)).map(|(index, _)| index).collect();
    faults.note_many(Fault::LeafInBook, 0, wrong.len())?;
    if wrong.is_empty() {
        return Ok(table);
    }
    let mut wrong = wrong.into_iter().peekable();
    let mended = table
        .iter()
        .enumerate()
        .map(|(index, entry)| if wrong.next_if_eq(&index).is_some() { Entry { leaf: None, ..entry } } else { entry });
    Ok(Table::from_stream(mended, table.len() as u64, 0))
}

/// An entry about any board, brought into the form the book keeps: passes made, canonical. `None`: two discs on one
/// square.
pub(crate) fn kept(entry: Entry) -> Option<Entry> {
    if entry.board.player & entry.board.opponent != 0 {
        return None;
    }
    let standing = graph::standing(entry.board);
    Some(if standing.turned {
        let turned = Entry { board: entry.board.pass(), value: -entry.value, leaf: None, ..entry };
        turned.symmetry(standing.symmetry)
    } else {
        entry.symmetry(standing.symmetry)
    })
}

/// A new entry of another program's book.
pub(crate) fn imported(board: Board, value: i32, level: Level) -> Entry {
    Entry::new(board, value, level, Source::Import)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Write this level for all positions.
    pub level: Option<Level>,
}

/// Something the format had no place for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub what: &'static str,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteReport {
    pub format: Format,
    /// Positions written (those a format needs besides ours included).
    pub positions: u64,
    pub lost: Vec<Loss>,
}

impl WriteReport {
    fn new(format: Format) -> WriteReport {
        WriteReport { format, positions: 0, lost: Vec::new() }
    }

    /// Something of which the format's row says that it cannot be held.
    fn lose(&mut self, what: &'static str, count: u64) {
        debug_assert!(self.format.cannot_hold().contains(&what), "{}: {what}", self.format);
        if count > 0 {
            self.lost.push(Loss { what, count });
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{0} books are only read, not written")]
    ReadOnly(Format),
    #[error("{count} positions are more than a {format} book can count")]
    TooMany { format: Format, count: usize },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a book to a file all at once; what had the name before is kept as a backup. On an error, or when `stop` is
/// raised, nothing is touched.
pub fn write_file(
    path: &Path,
    table: &Table,
    format: Format,
    options: WriteOptions,
    stop: &AtomicBool,
) -> Result<WriteReport, WriteError> {
    if !format.can_write() {
        return Err(WriteError::ReadOnly(format));
    }
    let mut outcome = Err(WriteError::ReadOnly(format));
    let replaced = files::replace_with(path, Backup::Keep, |file| {
        let mut out = BufWriter::with_capacity(1 << 20, Stoppable { out: file, stop });
        outcome = write(&mut out, table, format, options);
        // Half a book must not take the place of the file that is there.
        if outcome.is_err() { Err(io::ErrorKind::Other.into()) } else { out.flush() }
    });
    match outcome {
        Ok(report) => replaced.map(|()| report).map_err(WriteError::Io),
        // The file could not even be made: the writer was not asked.
        Err(WriteError::ReadOnly(_)) => Err(replaced.map_or_else(WriteError::Io, |()| WriteError::ReadOnly(format))),
        Err(error) => Err(error),
    }
}

/// Writes a book in another program's format.
pub fn write<W: Write>(
    out: &mut W,
    table: &Table,
    format: Format,
    options: WriteOptions,
) -> Result<WriteReport, WriteError> {
    format.write(out, table, options)
}
