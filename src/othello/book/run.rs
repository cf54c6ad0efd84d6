//! One entry for all commands.

use super::{
    Book, BookError, Level,
    accuracy::Grader,
    commands::{BookCommand, Learning, Reading},
    edit,
    entry::{Entry, Leaf, in_discs},
    formats::{self, Format, ReadOptions, WriteOptions, WriteReport},
    graph::{self, Positions, Stoppable},
    info::Info,
    judge::{Judge, Question},
    learn::{
        deviate::{deviate, extend},
        fill::fill,
        games,
        queue::queue,
    },
    lookup::{self, Choosing},
    maintain::{
        cut,
        leaves::{deepen, free_moves, leaves},
        merge::{Winner, merge},
        sweep::{Sweep, sweep},
        verify::verify,
        walk::Node,
    },
    progress::{BookProgress, Meter},
    read_file_until,
    reply::{BookReply, Shown, ShownMove, transcript},
    store::BoardMap,
    table::Table,
    umigame::{Counter, Reach, Umigame},
};
use crate::{
    base::{
        Colour, Control,
        control::unless_stopped,
        files::{self, Backup},
    },
    othello::{Board, Square},
};
use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::Duration,
};

/// Where and with what a command is carried out.
pub struct Context<'a> {
    /// The positions of the game, passes made; the last is the present one.
    pub path: &'a [Board],
    /// Whose move it is in the present position.
    pub side: Colour,
    /// For searches where the command names none.
    pub level: Level,
    pub judge: &'a mut dyn Judge,
    pub control: Control<'a, BookProgress>,
}

impl Context<'_> {
    fn board(&self) -> Result<Board, BookError> {
        self.path.last().copied().ok_or(BookError::NoPosition)
    }
}

/// The level at which moves are found that a format must have and the book does not.
const EXPORT_LEVEL: u8 = 5;
/// Files of games larger than this are refused.
const MOST_GAME_BYTES: u64 = 1 << 30;

impl Book {
    /// Carries out a command. On an error the book is as it was.
    pub fn run(&mut self, command: BookCommand, cx: Context<'_>) -> Result<BookReply, BookError> {
        let level = |own: Option<Level>| own.unwrap_or(cx.level);
        self.refresh();
        if command.changes() {
            self.begin_change()?;
        }
        match command {
            BookCommand::Help(verb) => Ok(BookReply::Help(verb)),
            BookCommand::Use(on) => Ok(self.set_up(|settings| settings.on = on)),
            BookCommand::Error(discs) => Ok(self.set_up(|settings| settings.choosing = Choosing::Error(discs))),
            BookCommand::Variation(x) => Ok(self.set_up(|settings| settings.choosing = Choosing::Variation(x))),
            BookCommand::Trust(on) => Ok(self.set_up(|settings| settings.trust = on)),
            BookCommand::Autosave { on, minutes } => Ok(self.set_up(|settings| {
                settings.autosave = on;
                if let Some(minutes) = minutes {
                    settings.autosave_every = Duration::from_secs(60 * u64::from(minutes));
                }
            })),
            BookCommand::Show => {
                let shown = self.show(cx.board()?, cx.side, cx.control.stop_flag());
                if cx.control.stopped() { Err(BookError::Unchanged) } else { Ok(BookReply::Shown(shown)) }
            }
            BookCommand::Set { square, value } => edit::set(self, cx.path, square, value).map(BookReply::Set),
            BookCommand::Add { square, level: own } => {
                edit::add(self, cx.path, square, level(own), cx.judge, cx.control).map(BookReply::Learned)
            }
            BookCommand::Delete { square } => edit::delete(self, cx.path, square, cx.control).map(BookReply::Cut),
            BookCommand::Store { depth, level: own } => {
                games::store_game(self, cx.path, depth, level(own), cx.judge, cx.control).map(BookReply::Learned)
            }
            BookCommand::Learn(_)
            | BookCommand::LearnGames { .. }
            | BookCommand::Extend(_)
            | BookCommand::Fill { .. }
            | BookCommand::Deepen { .. }
            | BookCommand::Leaves { .. } => self.grow(command, cx),
            BookCommand::Fix { .. }
            | BookCommand::Lines
            | BookCommand::Reduce(_)
            | BookCommand::Prune { .. }
            | BookCommand::Subtree => self.tidy(command, cx),
            BookCommand::Info { .. }
            | BookCommand::Check { .. }
            | BookCommand::Extract { .. }
            | BookCommand::Umigame(_)
            | BookCommand::Verify => self.tell(command, cx),
            BookCommand::Merge { .. }
            | BookCommand::Import { .. }
            | BookCommand::Export { .. }
            | BookCommand::Load { .. }
            | BookCommand::Save { .. }
            | BookCommand::New { .. }
            | BookCommand::Revert => self.files(command, cx),
        }
    }

    fn set_up(&mut self, change: impl FnOnce(&mut super::Settings)) -> BookReply {
        change(&mut self.settings);
        BookReply::Settings(self.settings)
    }

    fn grow(&mut self, command: BookCommand, cx: Context<'_>) -> Result<BookReply, BookError> {
        let level = |own: Option<Level>| own.unwrap_or(cx.level);
        match command {
            BookCommand::Learn(Learning::Deviate(how)) => {
                deviate(self, cx.path, &how.at(cx.level), cx.judge, cx.control).map(BookReply::Learned)
            }
            BookCommand::Learn(learning) => match learning.queue_at(cx.level) {
                Some(how) => queue(self, cx.path, &how, cx.judge, cx.control).map(BookReply::Learned),
                None => Err(BookError::NoPosition),
            },
            BookCommand::LearnGames { file, learning } => match read_games(file, cx.control.stop_flag())? {
                Ok(games) => games::learn_games(self, &games, &learning.at(cx.level), cx.judge, cx.control)
                    .map(BookReply::Learned),
                Err(bad) => Ok(BookReply::BadGames(bad)),
            },
            BookCommand::Extend(how) => {
                extend(self, cx.path, &how.at(cx.level), cx.judge, cx.control).map(BookReply::Learned)
            }
            BookCommand::Fill { plies, level: own } => {
                fill(self, plies, level(own), cx.judge, cx.control).map(BookReply::Learned)
            }
            BookCommand::Deepen { level: own } => {
                deepen(self, level(own), cx.judge, cx.control).map(BookReply::Searched)
            }
            BookCommand::Leaves { which, bounds, level: own } => {
                leaves(self, cx.path, &bounds, level(own), which, cx.judge, cx.control).map(BookReply::Searched)
            }
            _ => Err(BookError::NoPosition),
        }
    }

    fn tidy(&mut self, command: BookCommand, cx: Context<'_>) -> Result<BookReply, BookError> {
        let board = cx.board();
        let (store, control) = (self.store_mut(), cx.control);
        Ok(match command {
            BookCommand::Fix { all } => {
                BookReply::Swept(sweep(store, Sweep { keep_hand: !all, ..Sweep::FIX }, control))
            }
            BookCommand::Lines => BookReply::Swept(sweep(store, Sweep::LINES, control)),
            _ => {
                let cut = match command {
                    BookCommand::Reduce(bounds) => cut::reduce(store, board?, &bounds, control),
                    BookCommand::Prune { depth } => cut::prune(store, board?, depth, control),
                    _ => cut::subtree(store, cx.path, control),
                };
                if cut.deleted > 0 {
                    sweep(store, Sweep::LINES, control);
                }
                BookReply::Cut(cut)
            }
        })
    }

    /// Looks at the book. Stopped, there is no answer: half of one would be a wrong one.
    fn tell(&mut self, command: BookCommand, cx: Context<'_>) -> Result<BookReply, BookError> {
        let stop = cx.control.stop_flag();
        let view = Stoppable { book: self.store(), stop };
        Ok(match command {
            BookCommand::Info { svg } => {
                let info = Info::of(self.store(), stop).ok_or(BookError::Unchanged)?;
                let info = Info { file: self.path.clone(), ..info };
                if let Some(file) = svg {
                    write_file(&file, info.svg().as_bytes())?;
                }
                BookReply::Info(info)
            }
            BookCommand::Check { file, depth, error } => match read_games(file, stop)? {
                Ok(games) => {
                    let checked = games::check(self, &games, depth, error, cx.control);
                    BookReply::Checked(checked.ok_or(BookError::Unchanged)?)
                }
                Err(bad) => BookReply::BadGames(bad),
            },
            BookCommand::Extract { file, most } => {
                let lines = games::extract(&view, cx.board()?, most);
                if view.is_stopped() {
                    return Err(BookError::Unchanged);
                }
                if let Some(file) = &file {
                    let text: String = lines.iter().map(|line| transcript(line) + "\n").collect();
                    write_file(file, text.as_bytes())?;
                }
                BookReply::Extracted { lines, file }
            }
            BookCommand::Umigame(reach) => {
                let numbers = umigame(&view, cx.board()?, cx.side, reach);
                if view.is_stopped() {
                    return Err(BookError::Unchanged);
                }
                BookReply::Umigame(numbers)
            }
            _ => BookReply::Verified(verify(self.store(), cx.control).ok_or(BookError::Unchanged)?),
        })
    }

    fn files(&mut self, command: BookCommand, cx: Context<'_>) -> Result<BookReply, BookError> {
        match command {
            BookCommand::Merge { file, winner, reading } => self.take_in(file, winner, reading, cx.control),
            BookCommand::Import { file, reading } => self.take_in(file, Winner::Level, reading, cx.control),
            BookCommand::Export { file, format, level } => {
                let report = self.export(&file, format, level, cx)?;
                Ok(BookReply::Exported { file, report })
            }
            BookCommand::Load { file, reading, discard } => {
                self.may_go(discard)?;
                if !discard {
                    // It may be the very file that is about to be read.
                    self.save_at_exit()?;
                }
                let open = move |given_up: &_| Book::open_until(&file, read_options(reading), given_up);
                let (book, read) = unless_stopped(cx.control.stop_flag(), open).ok_or(BookError::Unchanged)??;
                let holder = book.holder();
                self.give_way(book, discard)?;
                Ok(BookReply::Loaded { read, holder })
            }
            BookCommand::Save { file } => {
                self.save_until(file.as_deref(), cx.control.stop_flag())?;
                let file = self.path().map(Path::to_path_buf).unwrap_or_default();
                Ok(BookReply::Saved { file, positions: self.len() })
            }
            BookCommand::Revert => {
                self.revert()?;
                Ok(BookReply::Reverted { positions: self.len() })
            }
            BookCommand::New { discard } => {
                self.may_go(discard)?;
                self.give_way(Book::new(), discard)?;
                Ok(BookReply::New)
            }
            _ => Err(BookError::NoPosition),
        }
    }

    /// Unsaved work is not thrown away unless that is said: it can be saved by itself, or it is refused.
    fn may_go(&self, discard: bool) -> Result<(), BookError> {
        let saves_itself = self.settings.autosave && self.path.is_some();
        if self.is_changed() && !discard && !saves_itself { Err(BookError::Unsaved) } else { Ok(()) }
    }

    fn give_way(&mut self, other: Book, discard: bool) -> Result<(), BookError> {
        if discard {
            // Without a file it cannot be saved by itself.
            (self.path, self.lock) = (None, None);
        }
        self.become_book(other)
    }

    fn take_in(
        &mut self,
        file: PathBuf,
        winner: Winner,
        reading: Reading,
        control: Control<'_, BookProgress>,
    ) -> Result<BookReply, BookError> {
        let read = move |given_up: &_| read_file_until(&file, read_options(reading), given_up);
        let (table, read) = unless_stopped(control.stop_flag(), read).ok_or(BookError::Unchanged)??;
        let merged = merge(self.store_mut(), &table, winner, control).ok_or(BookError::Unchanged)?;
        Ok(BookReply::Merged { read, merged })
    }

    fn export(
        &mut self,
        file: &Path,
        format: Option<Format>,
        level: Option<Level>,
        cx: Context<'_>,
    ) -> Result<WriteReport, BookError> {
        let name = file.to_string_lossy();
        let format = format.or_else(|| Format::by_file_name(&name)).ok_or(BookError::NoFormat)?;
        let fail = |error: formats::WriteError| BookError::Write { path: file.into(), error };
        if !format.can_write() {
            return Err(fail(formats::WriteError::ReadOnly(format)));
        }
        let complete;
        let table = if matches!(format, Format::Edax | Format::EdaxText) {
            complete = with_leaves(self.store.settle(), cx.judge, cx.control)?;
            &complete
        } else {
            self.store.settle()
        };
        let stop = cx.control.stop_flag();
        let written = formats::write_file(file, table, format, WriteOptions { level }, stop);
        if written.is_err() && cx.control.stopped() {
            return Err(BookError::Stopped);
        }
        written.map_err(fail)
    }

    /// What the book knows of a position and its moves.
    pub(super) fn show(&self, board: Board, side: Colour, stop: &AtomicBool) -> Shown {
        let store = &Stoppable { book: self.store(), stop };
        let mut grader = Grader::new(store);
        let mut counter = Counter::new(store, Reach::default());
        let moves = lookup::sorted_links(store, board).into_iter().map(|link| {
            let mover = if link.child.again { side } else { !side };
            let after = self.get(link.child.board).unwrap_or(link.entry);
            ShownMove {
                square: link.square,
                value: link.value,
                level: link.entry.level,
                lines: link.entry.lines,
                grade: grader.grade(link.child.board),
                umigame: counter.count(link.child.board, mover),
                leaf: after.leaf,
                source: link.entry.source.name(),
            }
        });
        let moves = moves.collect();
        Shown { entry: self.get(board), grade: grader.grade(board), umigame: counter.count(board, side), moves }
    }
}

/// Umigame's number of every book move.
fn umigame(book: &impl Positions, board: Board, side: Colour, reach: Reach) -> Vec<(Square, i32, Umigame)> {
    let mut counter = Counter::new(book, reach);
    let links = lookup::sorted_links(book, board).into_iter();
    links
        .map(|link| {
            let mover = if link.child.again { side } else { !side };
            (link.square, link.value, counter.count(link.child.board, mover))
        })
        .collect()
}

fn read_options(reading: Reading) -> ReadOptions {
    let usual = ReadOptions::default();
    ReadOptions { care: reading.care, level: reading.level.unwrap_or(usual.level) }
}

type Games = Result<Vec<games::Path>, Vec<games::BadLine>>;

fn read_games(path: PathBuf, stop: &AtomicBool) -> Result<Games, BookError> {
    let read = move |_: &_| match files::read_text(&path, MOST_GAME_BYTES) {
        Ok(text) => Ok(games::read(&text)),
        Err(error) => Err(BookError::Read { path, error: error.into() }),
    };
    unless_stopped(stop, read).ok_or(BookError::Unchanged)?
}

fn write_file(file: &Path, bytes: &[u8]) -> Result<(), BookError> {
    files::replace_with(file, Backup::None, |out| out.write_all(bytes))
        .map_err(|error| BookError::Write { path: file.into(), error: error.into() })
}

/// The same book with a leaf wherever one is missing and some move is free: Edax needs them.
fn with_leaves(table: &Table, judge: &mut dyn Judge, control: Control<'_, BookProgress>) -> Result<Table, BookError> {
    use rayon::prelude::*;
    let level = Level::from_search(EXPORT_LEVEL);
    let missing: Vec<Question> = table
        .par_iter()
        .filter_map(|(_, entry)| {
            let node = Node::of(table, entry, 0);
            let free = free_moves(&node);
            (node.leaf.is_none() && !free.is_empty()).then_some(Question {
                board: entry.board,
                level,
                only: Some(free),
            })
        })
        .collect();
    let meter = Meter::new("export", control);
    let mut found: BoardMap<Leaf> = BoardMap::default();
    for parcel in missing.chunks(1024) {
        for (question, verdict) in parcel.iter().zip(judge.judge(parcel, meter.stop_flag())) {
            let verdict = verdict.ok_or(BookError::Stopped)?;
            if let Some(square) = verdict.best {
                found.insert(question.board, Leaf { value: in_discs(verdict.value), square, level });
            }
        }
        meter.step(parcel.len() as u64, (missing.len() - found.len()) as u64, table.len());
    }
    let entries = table.iter().map(|entry| match found.get(&entry.board) {
        // An end without a leaf is worth what the book says, whatever a shallow search thinks of it.
        Some(&leaf) if graph::links(table, entry.board).is_empty() => {
            Entry { leaf: Some(Leaf { value: entry.value, ..leaf }), ..entry }
        }
        // No move outside may beat the value that the book has found.
        Some(&leaf) => Entry { leaf: Some(Leaf { value: leaf.value.min(entry.value), ..leaf }), ..entry },
        None => entry,
    });
    Ok(Table::from_stream(entries, table.len() as u64, table.serial()))
}
