//! Letting a book grow.
//!
//! New positions come with their value and their leaf: the best move that the book does not follow. A position whose
//! leaf has been taken into the book gets a new leaf. Questions to the judge go out in parcels of a fixed size, so that
//! a book depends neither on the number of threads nor on where a run was interrupted.

pub mod deviate;
pub mod fill;
pub mod games;
pub mod queue;

#[cfg(test)]
mod tests;

use super::{
    Book, BookError,
    entry::{Entry, Leaf, Level, Source, in_discs},
    graph,
    judge::{Judge, Question, Verdict},
    maintain::{
        leaves::{AT_ONCE, free_moves},
        walk::{self, Node},
    },
    progress::Meter,
    store::BoardMap,
};
use crate::othello::{BitBoard, Board};
use std::collections::hash_map::Entry as Slot;

/// What learning did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Learned {
    pub added: u64,
    /// Leaves searched for positions that were there.
    pub leaves: u64,
    /// Rounds of finding out what to do next.
    pub rounds: u64,
    pub positions: usize,
    /// There may be more to do: stopped, or the rounds were used up.
    pub unfinished: bool,
}

/// Something to do for a position of the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Todo {
    /// Find its leaf.
    Leaf(Board),
    /// Take its leaf into the book, and find the next.
    Expand(Board),
    /// Put a position into the book.
    Add(Board),
}

/// A question, and what its answer is for.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    /// A new position with its leaf.
    Position,
    /// The next leaf of a position in the book.
    Leaf,
}

/// Does all that is to be done, in parcels. Stops between them when told to; what was answered is kept.
pub(crate) fn work_off(
    book: &mut Book,
    todo: &[Todo],
    level: Level,
    judge: &mut dyn Judge,
    meter: &Meter,
    report: &mut Learned,
) -> Result<(), BookError> {
    for (i, parcel) in todo.chunks(AT_ONCE).enumerate() {
        if meter.stopped() {
            report.unfinished = true;
            return Ok(());
        }
        let asked = questions(book, parcel, level);
        let plain: Vec<Question> = asked.iter().map(|(_, question)| *question).collect();
        let verdicts = judge.judge(&plain, meter.stop_flag());
        for ((purpose, question), verdict) in asked.iter().zip(verdicts) {
            match verdict {
                Some(verdict) => take_in(book, *purpose, question, verdict, level, report),
                None => report.unfinished = true,
            }
        }
        book.autosave()?;
        let waiting = todo.len() - i * AT_ONCE - parcel.len();
        meter.step(parcel.len() as u64, waiting as u64, book.len());
    }
    Ok(())
}

fn questions(book: &Book, parcel: &[Todo], level: Level) -> Vec<(Purpose, Question)> {
    let mut asked = Vec::new();
    let mut coming: BoardMap<()> = BoardMap::default();
    for &todo in parcel {
        let (Todo::Leaf(key) | Todo::Expand(key) | Todo::Add(key)) = todo;
        let entry = book.store().get(key);
        let added = match (todo, entry) {
            (Todo::Add(key), None) => Some(key),
            (Todo::Expand(_), Some(entry)) => {
                let leaf = entry.leaf.and_then(|leaf| graph::after(key, leaf.square));
                leaf.map(|child| graph::key(child.board)).filter(|&child| book.store().get(child).is_none())
            }
            _ => None,
        };
        if let Some(added) = added
            && let Slot::Vacant(free) = coming.entry(added)
        {
            free.insert(());
            asked.push((Purpose::Position, position_question(book, added, level)));
        }
        if let Some(entry) = entry {
            let node = Node::of(book.store(), entry, 0);
            let mut only = free_moves(&node);
            if let (Todo::Expand(_), Some(leaf)) = (todo, entry.leaf) {
                only = only.without(leaf.square);
            }
            if !only.is_empty() && !matches!(todo, Todo::Add(_)) {
                asked.push((Purpose::Leaf, Question { board: key, level, only: Some(only) }));
            }
        }
    }
    asked
}

/// A new position is searched over the moves that do not lead into the book: those that do have their values there.
fn position_question(book: &Book, key: Board, level: Level) -> Question {
    let linked = graph::squares(&graph::links(book.store(), key));
    let free = BitBoard(key.moves().0 & !linked.0);
    Question { board: key, level, only: (!free.is_empty()).then_some(free) }
}

fn take_in(
    book: &mut Book,
    purpose: Purpose,
    question: &Question,
    verdict: Verdict,
    level: Level,
    report: &mut Learned,
) {
    let key = question.board;
    let leaf = verdict.best.map(|square| Leaf { value: in_discs(verdict.value), square, level });
    match purpose {
        Purpose::Position => {
            let mut entry = Entry::new(key, verdict.value, level, Source::Search);
            entry.leaf = leaf;
            // Some of its moves may lead into the book already, perhaps to better values.
            let node = Node::of(book.store(), entry, 0);
            (entry.leaf, entry.value) = (node.leaf, in_discs(node.best));
            report.added += u64::from(book.store_mut().put(entry).is_none());
        }
        Purpose::Leaf => {
            if let Some(mut entry) = book.store().get(key) {
                entry.leaf = leaf;
                book.store_mut().put(entry);
                report.leaves += 1;
            }
        }
    }
}

/// Makes sure that every position of the path is in the book, searching those that are not.
pub(crate) fn lay_path(
    book: &mut Book,
    path: &[Board],
    level: Level,
    judge: &mut dyn Judge,
    meter: &Meter,
    report: &mut Learned,
) -> Result<(), BookError> {
    let missing: Vec<Todo> = path
        .iter()
        .map(|&board| graph::key(board))
        .filter(|&key| book.store().get(key).is_none())
        .map(Todo::Add)
        .collect();
    work_off(book, &missing, level, judge, meter, report)?;
    walk::refresh_path(book.store_mut(), path);
    Ok(())
}
