//! Letting a book grow.
//!
//! New positions come with their value and their leaf: the best move that the book does not follow. A position whose
//! leaf has been taken into the book gets a new leaf.
//!
//! Learning goes in steps, and what a step does depends on the book alone: find out what is to be done, take a parcel of
//! it, ask all its questions, put all the answers in, bring the values up. A step that is stopped changes nothing; its
//! answers wait in [`Answers`](super::answers::Answers). So a book depends neither on the number of threads nor on where
//! a run was interrupted.

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
use deviate::Deviation;
use std::{collections::hash_map::Entry as Slot, fmt::Write as _};

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
    pub stopped: bool,
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

impl Todo {
    fn key(self) -> Board {
        let (Todo::Leaf(key) | Todo::Expand(key) | Todo::Add(key)) = self;
        key
    }
}

/// A question, and what its answer is for.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    /// A new position with its leaf.
    Position,
    /// The next leaf of a position in the book.
    Leaf,
}

/// How many of so many things to do make one step. Between steps the values are brought up and the book is walked
/// through again, so that steps are larger where there is more to walk through.
pub(crate) fn parcel(todo: usize) -> usize {
    (todo / 8).clamp(64, 2048).min(todo)
}

/// Does one step's work, all of it or nothing. `waiting`: what is to be done after it, as far as it is known.
pub(crate) fn work_off(
    book: &mut Book,
    todo: &[Todo],
    waiting: usize,
    level: Level,
    judge: &mut dyn Judge,
    meter: &Meter,
    report: &mut Learned,
) -> Result<(), BookError> {
    if todo.is_empty() {
        return Ok(());
    }
    let asked = questions(book, todo, level);
    let plain: Vec<Question> = asked.iter().map(|(_, question)| *question).collect();
    let Some(verdicts) = answers(book, &plain, waiting, judge, meter)? else {
        (report.unfinished, report.stopped) = (true, true);
        return Ok(());
    };
    for ((purpose, question), verdict) in asked.iter().zip(verdicts) {
        take_in(book, *purpose, question, verdict, level, report);
    }
    book.answers.forget(&plain);
    Ok(())
}

/// Answers to all questions, or `None` when stopped; those that were given are kept for the next time.
pub(crate) fn answers(
    book: &mut Book,
    questions: &[Question],
    waiting: usize,
    judge: &mut dyn Judge,
    meter: &Meter,
) -> Result<Option<Vec<Verdict>>, BookError> {
    let open: Vec<Question> = questions.iter().copied().filter(|q| book.answers.get(q).is_none()).collect();
    for (i, part) in open.chunks(AT_ONCE).enumerate() {
        if meter.stopped() {
            return Ok(None);
        }
        let verdicts = judge.judge(part, meter.stop_flag());
        let given: Vec<(Question, Verdict)> =
            part.iter().zip(verdicts).filter_map(|(q, verdict)| Some((*q, verdict?))).collect();
        let all = given.len() == part.len();
        given.iter().for_each(|(question, verdict)| book.answers.insert(*question, *verdict));
        let left = open.len() - i * AT_ONCE - part.len();
        meter.step(given.len() as u64, (left + waiting) as u64, book.len());
        book.autosave()?;
        if !all {
            return Ok(None);
        }
    }
    Ok(questions.iter().map(|question| book.answers.get(question)).collect())
}

fn questions(book: &Book, parcel: &[Todo], level: Level) -> Vec<(Purpose, Question)> {
    let mut asked = Vec::new();
    let mut coming: BoardMap<()> = BoardMap::default();
    let adds = parcel.iter().filter(|todo| matches!(todo, Todo::Add(_)));
    let beside: BoardMap<()> = adds.map(|todo| (todo.key(), ())).collect();
    for &todo in parcel {
        let key = todo.key();
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
            asked.push((Purpose::Position, position_question(book, added, &beside, level)));
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

/// A new position is searched over the moves that do not lead into the book, or to what comes into it in the same step:
/// those that do have their values there.
fn position_question(book: &Book, key: Board, beside: &BoardMap<()>, level: Level) -> Question {
    let leads_in = |square| {
        let child = graph::after(key, square).map(|child| graph::key(child.board));
        child.is_some_and(|child| book.store().get(child).is_some() || beside.contains_key(&child))
    };
    let free = key.moves().into_iter().filter(|&square| !leads_in(square)).fold(BitBoard::EMPTY, BitBoard::with);
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

/// A number for a run: the same for the same work from the same positions.
pub(crate) fn run_number<'a>(work: &str, paths: impl Iterator<Item = &'a [Board]>, how: &Deviation) -> u64 {
    let mut text = format!("{work} {how:?}");
    for path in paths {
        text.push(';');
        path.iter().for_each(|board| _ = write!(text, "{:x} {:x},", board.player, board.opponent));
    }
    // FNV-1a: it must stay the same from one build of the program to the next.
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
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
    work_off(book, &missing, 0, level, judge, meter, report)?;
    renew_leaves(book, path, level, judge, meter, report)?;
    walk::refresh_path(book.store_mut(), path);
    Ok(())
}

/// Searches a leaf for positions whose leaf has become a move of the book, and for those that follow some moves but
/// know nothing of the others.
pub(crate) fn renew_leaves(
    book: &mut Book,
    positions: &[Board],
    level: Level,
    judge: &mut dyn Judge,
    meter: &Meter,
    report: &mut Learned,
) -> Result<(), BookError> {
    if report.stopped {
        return Ok(());
    }
    let wanting = |key: &Board| {
        book.store().get(*key).filter(|entry| !entry.level.is_hand()).is_some_and(|entry| {
            let node = Node::of(book.store(), entry, 0);
            node.leaf.is_none() && !node.links.is_empty() && !free_moves(&node).is_empty()
        })
    };
    let todo: Vec<Todo> = positions.iter().map(|&board| graph::key(board)).filter(wanting).map(Todo::Leaf).collect();
    work_off(book, &todo, 0, level, judge, meter, report)
}
