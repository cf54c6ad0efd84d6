//! Searching leaves again: `leaves` and `deepen`.

use super::{
    sweep::{Sweep, Swept, sweep},
    walk::{Bounds, Node, refresh, walk},
};
use crate::{
    base::Control,
    othello::{
        BitBoard, Board,
        book::{
            Book, BookError,
            entry::{Entry, Leaf, Level, Source, in_discs},
            graph::{self, Stoppable},
            judge::{Judge, Question, Verdict},
            progress::{BookProgress, Meter},
            store::Store,
        },
    },
};
use std::sync::atomic::Ordering;

/// Which leaves are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Which {
    /// Those that are missing or were found at a lower level.
    #[default]
    Weaker,
    /// Only those that are missing or wrong.
    Missing,
    /// All but those that were found at a higher level.
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Searched {
    pub visited: u64,
    pub searched: u64,
    /// Values that changed because of it, up to the position where it began.
    pub values_changed: u64,
    pub stopped: bool,
}

/// How many questions are asked between two looks at the stop flag and the clock. A fixed number, so that a book does
/// not depend on the number of threads.
pub const AT_ONCE: usize = 64;

/// The moves of a node that the book does not follow.
pub fn free_moves(node: &Node) -> BitBoard {
    BitBoard(node.entry.board.moves().0 & !graph::squares(&node.links).0)
}

fn wants(node: &Node, level: Level, which: Which) -> bool {
    !free_moves(node).is_empty()
        && match (which, node.leaf) {
            (_, None) => true,
            (Which::All, Some(leaf)) => leaf.level <= level,
            (Which::Weaker, Some(leaf)) => leaf.level < level,
            (Which::Missing, Some(leaf)) => !leaf.level.is_known(),
        }
}

/// Searches the leaves of all positions within `bounds` below the last of `path`.
pub fn leaves(
    book: &mut Book,
    path: &[Board],
    bounds: &Bounds,
    level: Level,
    which: Which,
    judge: &mut dyn Judge,
    control: Control<'_, BookProgress>,
) -> Result<Searched, BookError> {
    let root = *path.last().ok_or(BookError::NoPosition)?;
    let meter = Meter::new("leaves", control);
    let view = Stoppable { book: book.store(), stop: meter.stop_flag() };
    let rows =
        walk(&view, root, bounds, |node| Some((node.entry.board, wants(node, level, which).then(|| free_moves(node)))));
    let todo: Vec<Question> = rows
        .iter()
        .flatten()
        .filter_map(|&(board, free)| free.map(|only| Question { board, level, only: Some(only) }))
        .collect();
    let visited: Vec<Vec<Board>> =
        rows.into_iter().map(|row| row.into_iter().map(|(board, _)| board).collect()).collect();
    let mut report = Searched { visited: visited.iter().map(|row| row.len() as u64).sum(), ..Searched::default() };
    report.searched = ask_all(book, &todo, judge, &meter, |book, question, verdict| {
        set_leaf(book, question.board, verdict, level);
    })?;
    report.stopped = meter.stopped();
    report.values_changed = refresh(book.store_mut(), &visited, meter.stop_flag());
    super::walk::refresh_path(book.store_mut(), path);
    Ok(report)
}

/// Asks all questions in parcels, handing each answer to `take`; ends early when stopped. How many were answered.
pub fn ask_all(
    book: &mut Book,
    questions: &[Question],
    judge: &mut dyn Judge,
    meter: &Meter,
    mut take: impl FnMut(&mut Book, &Question, Verdict),
) -> Result<u64, BookError> {
    let mut answered = 0;
    for (i, parcel) in questions.chunks(AT_ONCE).enumerate() {
        if meter.stopped() {
            break;
        }
        let verdicts = judge.judge(parcel, meter.stop_flag());
        let mut here = 0;
        for (question, verdict) in parcel.iter().zip(verdicts) {
            if let Some(verdict) = verdict {
                take(book, question, verdict);
                here += 1;
            }
        }
        answered += here;
        book.autosave()?;
        meter.step(here, (questions.len() - i * AT_ONCE - parcel.len()) as u64, book.len());
    }
    Ok(answered)
}

/// Gives the entry of a canonical board the leaf that was found for it.
pub fn set_leaf(book: &mut Book, key: Board, verdict: Verdict, level: Level) {
    if let (Some(mut entry), Some(square)) = (book.store().get(key), verdict.best) {
        entry.leaf = Some(Leaf { value: in_discs(verdict.value), square, level });
        book.store_mut().put(entry);
    }
}

/// Searches everything at the edge of the book that was found at a lower level: leaves, and positions without moves in
/// the book.
pub fn deepen(
    book: &mut Book,
    level: Level,
    judge: &mut dyn Judge,
    control: Control<'_, BookProgress>,
) -> Result<Searched, BookError> {
    use rayon::prelude::*;
    let meter = Meter::new("deepen", control);
    let all: Vec<Entry> = book.store().iter().filter(|entry| !entry.board.is_over()).collect();
    let (store, stop) = (book.store(), meter.stop_flag());
    let todo: Vec<Question> = all
        .par_iter()
        .filter_map(|&entry| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let node = Node::of(store, entry, 0);
            let end = node.links.is_empty() && entry.level < level && !entry.level.is_hand();
            let weak = wants(&node, level, Which::Weaker);
            (end || weak).then(|| Question { board: entry.board, level, only: Some(free_moves(&node)) })
        })
        .collect();
    let searched = ask_all(book, &todo, judge, &meter, |book, question, verdict| {
        set_leaf(book, question.board, verdict, level);
        let ends_here = graph::links(book.store(), question.board).is_empty();
        if let Some(mut entry) = book.store().get(question.board)
            && ends_here
            && entry.level <= level
        {
            (entry.value, entry.level, entry.source) = (in_discs(verdict.value), level, Source::Search);
            book.store_mut().put(entry);
        }
    })?;
    let swept = sweep_at_end(book.store_mut(), Sweep::VALUES, control);
    Ok(Searched { visited: all.len() as u64, searched, values_changed: swept.values_changed, stopped: meter.stopped() })
}

/// Brings a small book up to date also after a stop; of a large one that would take too long, `fix` does it later.
pub fn sweep_at_end(store: &mut Store, what: Sweep, control: Control<'_, BookProgress>) -> Swept {
    const SMALL: usize = 4096;
    sweep(store, what, if store.len() <= SMALL { Control::alone() } else { control })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{judge::MadeUp, synth, table::Table};

    fn book(count: usize) -> Book {
        let mut book = Book::new();
        book.store_mut().replace(Table::from_entries(synth::entries(count, 1), 0));
        book
    }

    #[test]
    fn every_leaf_is_the_best_move_outside() {
        let mut book = book(300);
        let mut judge = MadeUp::new(8);
        let (level, bounds) = (Level::from_search(60), Bounds::NONE);
        let run = |book: &mut Book, judge: &mut MadeUp, which| {
            leaves(book, &[Board::START], &bounds, level, which, judge, Control::alone()).unwrap()
        };
        let report = run(&mut book, &mut judge, Which::All);
        assert_eq!(report.visited, 300);
        for entry in book.store().iter() {
            let node = Node::of(book.store(), entry, 0);
            let best = free_moves(&node).into_iter().map(|s| judge.value_of(entry.board, s)).max();
            assert_eq!(node.leaf.map(|leaf| i32::from(leaf.value)), best);
            assert_eq!(i32::from(entry.value), node.best, "and values follow");
        }
        assert_eq!(run(&mut book, &mut judge, Which::Weaker).searched, 0, "nothing is left to do");
    }

    #[test]
    fn a_shallow_leaf_leaves_a_deeper_value_alone() {
        let ten = Level::from_search(10);
        let mut book = Book::new();
        book.put(Entry::new(Board::START, 3, ten, Source::Search));
        let run = |book: &mut Book, level| {
            let judge = &mut MadeUp::new(8);
            leaves(book, &[Board::START], &Bounds::NONE, level, Which::Missing, judge, Control::alone()).unwrap()
        };
        let one = Level::from_search(1);
        assert_eq!(run(&mut book, one).searched, 1);
        let entry = book.get(Board::START).unwrap();
        assert_eq!((entry.value, entry.level, entry.source), (3, ten, Source::Search));
        assert_eq!(entry.leaf.map(|leaf| leaf.level), Some(one), "the leaf itself is kept");
        // And a deeper leaf is not replaced by a shallower one.
        let run = |book: &mut Book, level, which| {
            let judge = &mut MadeUp::new(8);
            leaves(book, &[Board::START], &Bounds::NONE, level, which, judge, Control::alone()).unwrap().searched
        };
        let twenty = Level::from_search(20);
        assert_eq!(run(&mut book, twenty, Which::All), 1);
        assert_eq!(run(&mut book, ten, Which::All), 0);
        let entry = book.get(Board::START).unwrap();
        let leaf = entry.leaf.unwrap();
        assert_eq!(leaf.level, twenty);
        assert_eq!((entry.value, entry.level), (leaf.value, twenty), "its value and its level go together");
    }

    #[test]
    fn stopped_and_begun_again_it_ends_the_same() {
        let (level, bounds) = (Level::from_search(60), Bounds::NONE);
        let mut whole = book(400);
        leaves(&mut whole, &[Board::START], &bounds, level, Which::Weaker, &mut MadeUp::new(8), Control::alone())
            .unwrap();
        let mut parts = book(400);
        let mut rounds = 0;
        loop {
            rounds += 1;
            let stop = std::sync::atomic::AtomicBool::new(false);
            let mut judge = MadeUp { stop_after: Some(70), ..MadeUp::new(8) };
            let control = Control::new(&stop, &|_| {});
            let report =
                leaves(&mut parts, &[Board::START], &bounds, level, Which::Weaker, &mut judge, control).unwrap();
            if !report.stopped {
                break;
            }
            assert_eq!(report.searched, 70, "all that was answered is kept");
        }
        assert!(rounds > 2);
        // A value that went up and came back is marked as brought up from below, with the level of what it came from;
        // nothing else may differ.
        let facts = |book: &Book| -> Vec<Entry> {
            let plain = |entry| Entry { source: Source::Unknown, level: Level::UNKNOWN, ..entry };
            book.store().iter().map(plain).collect()
        };
        assert_eq!(facts(&whole), facts(&parts));
    }

    #[test]
    fn deepen_brings_the_edge_to_the_level() {
        let mut book = book(300);
        let level = Level::from_search(40);
        let report = deepen(&mut book, level, &mut MadeUp::new(8), Control::alone()).unwrap();
        assert!(report.searched > 0 && !report.stopped);
        for entry in book.store().iter() {
            let node = Node::of(book.store(), entry, 0);
            assert!(node.leaf.is_none_or(|leaf| leaf.level >= level));
            assert!(!node.links.is_empty() || entry.level >= level);
        }
        assert_eq!(deepen(&mut book, level, &mut MadeUp::new(8), Control::alone()).unwrap().searched, 0);
    }
}
