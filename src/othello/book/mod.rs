//! The opening book: store, look-up, learning, maintenance, formats.
//!
//! [`Book`] is the door: what is known of a position, and what may be done with the whole. Everything about a position
//! is told for the board in hand, whatever image of it is stored.

pub mod accuracy;
pub mod answers;
pub mod commands;
pub mod disk;
mod edax_stats;
pub mod edit;
pub mod entry;
pub mod formats;
pub mod graph;
pub mod home;
pub mod image;
pub mod info;
pub mod judge;
pub mod learn;
pub mod lookup;
pub mod maintain;
mod pages;
pub mod progress;
pub mod reply;
mod rescue;
pub mod run;
pub mod store;
pub mod synth;
pub mod table;
pub mod umigame;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

pub use commands::BookCommand;
pub use entry::{Entry, Level};
#[cfg(test)]
pub use entry::{Leaf, Source};
pub use graph::Positions;
pub use judge::Judge;
pub use lookup::Choosing;
pub use progress::BookProgress;
pub use run::Context;
pub use store::Store;
pub use table::Table;

use crate::{
    base::{
        Rng,
        checksum::crc32,
        files::{
            self,
            lock::{self, Claim, Holder, Lock},
        },
    },
    othello::{Board, Square},
};
use answers::Answers;
use formats::{Format, ReadError, ReadOptions, ReadReport, WriteError};
use lookup::Doubt;
use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// `README.md` says how it is made.
static BUILTIN: &[u8] = include_bytes!("../../../resources/book.skbook");

/// How the book is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Moves are taken from the book.
    pub on: bool,
    pub choosing: Choosing,
    /// Moves of the book are played without asking whether one outside is better.
    pub trust: bool,
    /// The book is saved by itself while learning and when the program ends.
    pub autosave: bool,
    /// How often while learning.
    pub autosave_every: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            on: true,
            choosing: Choosing::default(),
            trust: true,
            autosave: true,
            autosave_every: Duration::from_secs(300),
        }
    }
}

/// A move that the book leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    Book(lookup::Choice),
    /// A move that the book does not have and that is better than all it has.
    Outside {
        square: Square,
        value: i32,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum BookError {
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: ReadError },
    #[error("{}: {error}", path.display())]
    Write { path: PathBuf, error: WriteError },
    #[error("{}: {error}", path.display())]
    Save { path: PathBuf, error: table::OpenError },
    #[error("{error}; the book with its changes is kept in {}", kept.display())]
    Rescued { error: Box<BookError>, kept: PathBuf },
    #[error("the book has no file yet: say where to save it")]
    NoPath,
    #[error(
        "{0} damaged blocks of the book's file were left out; saving would lose them for good (load it as lenient to allow that)"
    )]
    Damaged(usize),
    #[error("there is no position to work on")]
    NoPosition,
    #[error("this position is not in the book")]
    NotInBook,
    #[error("{0} is not a legal move here")]
    Illegal(Square),
    #[error("{}: {holder}; opened read-only (save it under another name to change it)", path.display())]
    InUse { path: PathBuf, holder: Holder },
    #[error(
        "{}: the file has changed since it was read; save under another name, load this one and `book merge` the other",
        .0.display()
    )]
    Moved(PathBuf),
    #[error("{}: the file was cut or overwritten while it was in use", .0.display())]
    Lost(PathBuf),
    #[error("the book has unsaved changes: save it first, or add `discard`")]
    Unsaved,
    #[error("the format of the file is not clear: name it (skbook, egbk3, egbk2, edax, edax-text or text)")]
    NoFormat,
    #[error("stopped before the end; nothing was written")]
    Stopped,
    #[error("stopped before the end; the book is as it was")]
    Unchanged,
}

/// What is in the book of the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinCheck {
    pub positions: usize,
    pub damaged_blocks: usize,
}

/// An opening book in use: positions with values, where they are kept, and how moves are chosen from them.
pub struct Book {
    store: Store,
    path: Option<PathBuf>,
    /// What the file began with when it was read or saved last.
    on_disk: Option<image::Header>,
    /// The right to write the file: asked for by the first change.
    lock: Option<Lock>,
    /// Damage was announced and accepted: saving may go on without what is lost.
    accepts_damage: bool,
    /// What a book without a file is called.
    origin: Option<String>,
    /// How moves are chosen.
    pub settings: Settings,
    /// Of a step of learning that was stopped.
    pub(crate) answers: Answers,
    saved: Instant,
    /// How long that took.
    save_took: Duration,
}

impl Default for Book {
    fn default() -> Self {
        Book::new()
    }
}

impl Book {
    /// A book without positions and without a file.
    pub fn new() -> Book {
        Book::from_store(Store::empty(), None)
    }

    /// The book that comes with the program, made by its own learning. It has no file: to change it, save it first.
    pub fn builtin() -> Book {
        let table = Table::from_static(BUILTIN).unwrap_or_else(|error| {
            log::error!("the book of the program is damaged: {error}");
            Table::empty()
        });
        Book::from_store(Store::new(table), None).called_builtin()
    }

    /// The checksum of the book in the binary: tells versions of it apart.
    pub fn builtin_fingerprint() -> u32 {
        crc32(BUILTIN)
    }

    /// Reads the book in the binary from end to end.
    pub fn check_builtin() -> Result<BuiltinCheck, ReadError> {
        let table = Table::from_static(BUILTIN)?;
        Ok(BuiltinCheck { positions: table.len(), damaged_blocks: table.verify().len() })
    }

    fn from_store(store: Store, path: Option<PathBuf>) -> Book {
        Book {
            store,
            path,
            on_disk: None,
            lock: None,
            accepts_damage: false,
            origin: None,
            settings: Settings::default(),
            answers: Answers::default(),
            saved: Instant::now(),
            save_took: Duration::ZERO,
        }
    }

    /// Opens a book of any format. A sound one of our own is saved back to the same file; any other is read
    /// into memory and has no file until it is saved. With lenient care, what is sound of a damaged one is taken.
    pub fn open(path: &Path, options: ReadOptions) -> Result<(Book, ReadReport), BookError> {
        Book::open_until(path, options, &Arc::default())
    }

    /// The same; once the flag is raised nobody wants the book any more.
    pub fn open_until(
        path: &Path,
        options: ReadOptions,
        given_up: &Arc<AtomicBool>,
    ) -> Result<(Book, ReadReport), BookError> {
        let fail = |error: ReadError| BookError::Read { path: path.into(), error };
        match Table::open(path) {
            Ok(table) => {
                let mut report = ReadReport { format: Format::Own, positions: table.len(), faults: Default::default() };
                let lenient = options.care == formats::Care::Lenient;
                // Blocks are looked at when they are needed: a book opens at once, however large. Whoever expects damage
                // is told of all of it.
                if lenient && let Some(first) = table.verify().into_iter().min() {
                    let tally = formats::Tally { count: table.damaged() as u64, first_offset: first as u64 };
                    report.faults.insert(formats::Fault::BadBlock, tally);
                    report.positions = table.iter().count();
                }
                let header = table.header();
                let mut book = Book::from_store(Store::new(table), Some(path.into()));
                book.on_disk = Some(header);
                book.accepts_damage = lenient;
                book.answers = Answers::beside(path);
                Ok((book, report))
            }
            // What was saved from a broken book of our own does not take its file over by itself either.
            Err(table::OpenError::Flaw(flaw))
                if flaw == image::Flaw::Foreign || options.care == formats::Care::Lenient =>
            {
                let (table, report) = read_file_until(path, options, given_up)?;
                Ok((Book::from_store(Store::new(table), None).called_after(path), report))
            }
            Err(error) => Err(fail(error.into())),
        }
    }

    /// Puts another book in place of this one, keeping the settings. What was unsaved and has a file is saved.
    pub fn become_book(&mut self, mut other: Book) -> Result<(), BookError> {
        self.save_at_exit()?;
        other.settings = self.settings;
        std::mem::swap(self, &mut other);
        Ok(())
    }

    /// The file it belongs to.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Positions in it.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether it holds no position.
    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// Whether there is something to save.
    pub fn is_changed(&self) -> bool {
        self.store.is_changed()
    }

    /// The positions.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The positions, to be changed.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// What is known of a board, told about that very board.
    pub fn get(&self, board: Board) -> Option<Entry> {
        self.store.about(board)
    }

    /// Keeps an entry about any board; the one that was there before is given back as it was kept.
    pub fn put(&mut self, entry: Entry) -> Option<Entry> {
        let kept = formats::kept(entry)?;
        self.store.put(kept)
    }

    /// What to play by the book, if it is in use and knows something here. `level`: how well a move outside must have
    /// been searched, or is searched now, before it counts against the book when that is not trusted.
    pub fn decide(
        &self,
        board: Board,
        level: Level,
        rng: &mut Rng,
        judge: &mut dyn Judge,
        stop: &AtomicBool,
    ) -> Option<Decision> {
        if !self.settings.on {
            return None;
        }
        let choice = lookup::choose(&self.store, board, self.settings.choosing, rng)?;
        if self.settings.trust {
            return Some(Decision::Book(choice));
        }
        match lookup::doubt(&self.store, board, level) {
            Doubt::None => Some(Decision::Book(choice)),
            Doubt::Leaf(leaf) => Some(Decision::Outside { square: leaf.square, value: leaf.value.into() }),
            Doubt::Contradiction => None,
            Doubt::Untried { moves, best } => {
                let question = judge::Question { board, level, only: Some(moves) };
                let verdict = judge.judge(&[question], stop).into_iter().flatten().next();
                let better = verdict.filter(|verdict| verdict.value > best);
                Some(match better.and_then(|verdict| Some((verdict.best?, verdict.value))) {
                    Some((square, value)) => Decision::Outside { square, value },
                    None => Decision::Book(choice),
                })
            }
        }
    }

    /// Saves, from now on to `path` if one is given.
    pub fn save(&mut self, path: Option<&Path>) -> Result<(), BookError> {
        self.save_until(path, &AtomicBool::new(false))
    }

    /// The same, unless `stop` is raised before the end: then nothing is written.
    fn save_until(&mut self, path: Option<&Path>, stop: &AtomicBool) -> Result<(), BookError> {
        let path = path.or(self.path.as_deref()).ok_or(BookError::NoPath)?.to_path_buf();
        self.may_save()?;
        let lock = self.claim(&path)?;
        let began = Instant::now();
        let fail = |error: table::OpenError| BookError::Save { path: path.clone(), error };
        let saved = disk::save(&mut self.store, &path, self.accepts_damage, stop).map_err(fail);
        if saved.is_err() && stop.load(Ordering::Relaxed) {
            return Err(BookError::Stopped);
        }
        if saved.is_err() {
            self.may_save()?;
        }
        saved?;
        self.answers.save_beside(&path).map_err(|error| fail(error.into()))?;
        (self.on_disk, self.lock) = (Some(self.store.base().header()), lock);
        self.path = Some(path);
        (self.saved, self.save_took) = (Instant::now(), began.elapsed());
        Ok(())
    }

    /// Everything can be written that was there.
    fn may_save(&self) -> Result<(), BookError> {
        match self.store.damaged() {
            _ if self.store.base().is_lost() => Err(BookError::Lost(self.path.clone().unwrap_or_default())),
            damaged if damaged > 0 && !self.accepts_damage => Err(BookError::Damaged(damaged)),
            _ => Ok(()),
        }
    }

    /// The right to write `path`. The book's own file must be as it was when it was read.
    fn claim(&self, path: &Path) -> Result<Option<Lock>, BookError> {
        let lock = match lock::claim(path) {
            Claim::Ours(lock) => Some(lock),
            Claim::Taken(holder) => return Err(BookError::InUse { path: path.into(), holder }),
            Claim::NoLocks => None,
        };
        let own = self.path.as_deref().is_some_and(|own| same_file(own, path));
        if own && self.on_disk.is_some_and(|header| has_moved(path, header)) {
            return Err(BookError::Moved(path.into()));
        }
        Ok(lock)
    }

    /// Before the first change: the file is ours to write, or nothing is begun. A file that has moved on is read again.
    pub fn begin_change(&mut self) -> Result<(), BookError> {
        let Some(path) = self.path.clone() else { return Ok(()) };
        if self.lock.is_none() {
            self.lock = match self.claim(&path) {
                Err(BookError::Moved(_)) if !self.is_changed() => {
                    self.reload()?;
                    self.claim(&path)?
                }
                claimed => claimed?,
            };
        }
        Ok(())
    }

    /// Reads a file again that was cut or overwritten while it was in use, unless there are changes to lose.
    pub fn refresh(&mut self) {
        if self.store.base().is_lost()
            && !self.is_changed()
            && let Err(error) = self.reload()
        {
            log::error!("{error}");
        }
    }

    fn reload(&mut self) -> Result<(), BookError> {
        let Some(path) = self.path.clone() else { return Ok(()) };
        let care = if self.accepts_damage { formats::Care::Lenient } else { formats::Care::Strict };
        let (mut book, _) = Book::open(&path, ReadOptions { care, ..ReadOptions::default() })?;
        std::mem::swap(&mut self.store, &mut book.store);
        std::mem::swap(&mut self.answers, &mut book.answers);
        self.on_disk = book.on_disk;
        book.path = None;
        Ok(())
    }

    /// Drops all changes since the book was read or saved.
    pub fn revert(&mut self) -> Result<(), BookError> {
        if self.path.is_some() {
            self.reload()?;
        } else if self.is_changed() {
            let builtin = self.origin == Book::builtin().origin;
            let mut other = if builtin { Book::builtin() } else { return Err(BookError::NoPath) };
            std::mem::swap(&mut self.store, &mut other.store);
            self.answers = Answers::default();
        }
        self.lock = None;
        Ok(())
    }

    /// From now on nothing of this book is saved by itself.
    pub fn let_go(&mut self) {
        self.settings.autosave = false;
    }

    /// Who else writes the file at present.
    pub fn holder(&self) -> Option<Holder> {
        match lock::claim(self.path.as_deref()?) {
            Claim::Taken(holder) => Some(holder),
            _ => None,
        }
    }

    /// Saves what has changed, if anything has and there is a file: the book, or only the answers beside it.
    fn save_changes(&mut self) -> Result<bool, BookError> {
        let Some(path) = self.path.clone() else { return Ok(false) };
        if self.is_changed() {
            self.save(None)?;
        } else if self.answers.is_unsaved() {
            self.lock = self.claim(&path)?;
            self.answers.save_beside(&path).map_err(|error| BookError::Save { path, error: error.into() })?;
            self.saved = Instant::now();
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Saves if that is due and wanted, and there is a file to save to. A save that takes long is made less often,
    /// unless it is wanted all the time (an interval of 0).
    pub fn autosave(&mut self) -> Result<bool, BookError> {
        let every = self.settings.autosave_every;
        let pause = if every.is_zero() { every } else { every.max(20 * self.save_took) };
        if !self.settings.autosave || self.saved.elapsed() < pause {
            return Ok(false);
        }
        self.save_changes()
    }

    /// What the end of the program asks for: saved if something changed, a file is there and saving by itself is on.
    pub fn save_at_exit(&mut self) -> Result<bool, BookError> {
        if self.settings.autosave { self.save_changes() } else { Ok(false) }
    }
}

impl Drop for Book {
    /// A last chance: a book that goes away without having been asked is saved too. Errors can only be logged.
    fn drop(&mut self) {
        if let Err(error) = self.save_or_rescue() {
            log::error!("the book could not be saved: {error}");
        }
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// There is a file, and it is not the book that it was.
fn has_moved(path: &Path, header: image::Header) -> bool {
    match Table::header_of(path) {
        Ok(now) => now != header,
        Err(table::OpenError::Io(error)) => error.kind() != io::ErrorKind::NotFound,
        Err(table::OpenError::Flaw(_)) => true,
    }
}

/// More than any book has.
const LARGEST_BOOK: u64 = 1 << 38;

/// Reads a book of any format into memory.
pub fn read_file(path: &Path, options: ReadOptions) -> Result<(Table, ReadReport), BookError> {
    read_file_until(path, options, &Arc::default())
}

/// The same; once the flag is raised nobody wants the book any more.
pub fn read_file_until(
    path: &Path,
    options: ReadOptions,
    given_up: &Arc<AtomicBool>,
) -> Result<(Table, ReadReport), BookError> {
    let read = || -> Result<(Table, ReadReport), ReadError> {
        formats::read_owned(files::read(path, LARGEST_BOOK)?, options, given_up)
    };
    read().map_err(|error| BookError::Read { path: path.into(), error })
}

impl From<io::Error> for BookError {
    fn from(error: io::Error) -> Self {
        BookError::Read { path: PathBuf::new(), error: ReadError::Io(error) }
    }
}
