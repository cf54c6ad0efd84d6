//! Learning by a queue, the way of Egaroucid 5: all moves of a position are tried, and the positions wait in the order of
//! the sum of the absolute values on the way to them, so that even lines come first.

use super::{Learned, answers, lay_path};
use crate::{
    base::Control,
    othello::{
        Board,
        book::{
            Book, BookError,
            entry::{Entry, Leaf, Level, Source, in_discs, ply},
            graph,
            judge::{Judge, Question},
            maintain::{
                leaves::free_moves,
                walk::{Node, refresh, refresh_path},
            },
            progress::{BookProgress, Meter},
            store::BoardMap,
        },
    },
};
use std::{cmp::Reverse, collections::BinaryHeap};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// The last ply that is put into the book.
    pub depth: u32,
    /// Positions further from even than this are not put into the book.
    pub tolerance: u32,
    pub level: Level,
}

/// How many positions leave the queue together. A fixed number: the book must not depend on the number of threads.
const TOGETHER: usize = 16;

/// Sum of absolute values on the way, and the position.
type Waiting = Reverse<(u32, Board)>;

/// Learns from the last position of `path`; what is in the book at this level or a higher one is not searched again, so
/// that a second run goes on where the first was stopped.
pub fn queue(
    book: &mut Book,
    path: &[Board],
    how: &Queue,
    judge: &mut dyn Judge,
    control: Control<'_, BookProgress>,
) -> Result<Learned, BookError> {
    let root = *path.last().ok_or(BookError::NoPosition)?;
    let meter = Meter::new("learn", control);
    let mut report = Learned::default();
    lay_path(book, path, how.level, judge, &meter, &mut report)?;
    let mut waiting: BinaryHeap<Waiting> = BinaryHeap::from([Reverse((0, graph::key(root)))]);
    let mut done: BoardMap<()> = BoardMap::default();
    let mut visited: Vec<Vec<Board>> = vec![Vec::new(); 65];
    while !report.unfinished && !waiting.is_empty() {
        let batch = next_batch(&mut waiting, &mut done, how.depth);
        let Some(onward) = try_all(book, &batch, how, waiting.len(), judge, &meter, &mut report)? else {
            (report.unfinished, report.stopped) = (true, true);
            break;
        };
        batch.iter().for_each(|(_, key)| visited[key.disc_count() as usize].push(*key));
        waiting.extend(onward.into_iter().filter(|Reverse((_, key))| !done.contains_key(key)));
        report.rounds += 1;
    }
    refresh(book.store_mut(), &visited, meter.stop_flag());
    refresh_path(book.store_mut(), path);
    report.positions = book.len();
    Ok(report)
}

fn next_batch(waiting: &mut BinaryHeap<Waiting>, done: &mut BoardMap<()>, depth: u32) -> Vec<(u32, Board)> {
    let mut batch = Vec::with_capacity(TOGETHER);
    while batch.len() < TOGETHER
        && let Some(Reverse((sum, key))) = waiting.pop()
    {
        // The first time a position comes up is the time with the smallest sum.
        if ply(key) < depth && done.insert(key, ()).is_none() {
            batch.push((sum, key));
        }
    }
    batch
}

/// All moves of a position have been tried: each is in the book, or the best of those that are not loses more than the
/// tolerance, and so do the others.
fn is_settled(book: &Book, key: Board, how: &Queue) -> bool {
    let Some(entry) = book.store().get(key) else { return false };
    let node = Node::of(book.store(), entry, 0);
    let loses = |leaf: Leaf| leaf.level >= how.level && i32::from(leaf.value) < -(how.tolerance as i32);
    node.links.iter().all(|link| link.entry.level >= how.level)
        && (free_moves(&node).is_empty() || node.leaf.is_some_and(loses))
}

/// Tries every move of every position of the batch; what was put into the book goes on into the queue. `None`: stopped,
/// and nothing is changed.
fn try_all(
    book: &mut Book,
    batch: &[(u32, Board)],
    how: &Queue,
    waiting: usize,
    judge: &mut dyn Judge,
    meter: &Meter,
    report: &mut Learned,
) -> Result<Option<Vec<Waiting>>, BookError> {
    let known = |book: &Book, key: Board| book.store().get(key).filter(|entry| entry.level >= how.level);
    let mut missing: BoardMap<()> = BoardMap::default();
    for &(_, key) in batch.iter().filter(|(_, key)| !is_settled(book, *key, how)) {
        let children = key.moves().into_iter().filter_map(|square| graph::after(key, square));
        let keys = children.map(|child| graph::key(child.board)).filter(|&child| known(book, child).is_none());
        missing.extend(keys.map(|child| (child, ())));
    }
    let mut questions: Vec<Question> =
        missing.into_keys().map(|board| Question { board, level: how.level, only: None }).collect();
    questions.sort_unstable_by_key(|question| question.board);
    let Some(verdicts) = answers(book, &questions, waiting, judge, meter)? else { return Ok(None) };
    let mut fresh: BoardMap<Entry> = BoardMap::default();
    for (question, verdict) in questions.iter().zip(verdicts) {
        let mut entry = Entry::new(question.board, verdict.value, how.level, Source::Search);
        entry.leaf = verdict.best.map(|square| Leaf { value: entry.value, square, level: how.level });
        fresh.insert(question.board, entry);
    }
    let onward = batch.iter().flat_map(|&(sum, key)| settle(book, key, sum, how, &fresh, report)).collect();
    book.answers.forget(&questions);
    Ok(Some(onward))
}

/// Puts the even children of a position into the book; the best of the others is its leaf.
fn settle(
    book: &mut Book,
    key: Board,
    sum: u32,
    how: &Queue,
    fresh: &BoardMap<Entry>,
    report: &mut Learned,
) -> Vec<Waiting> {
    let mut onward = Vec::new();
    let mut outside: Option<Leaf> = None;
    let mut all_tried = true;
    for square in key.moves() {
        let Some(child) = graph::after(key, square) else { continue };
        let standing = graph::standing(child.board);
        let present = book.store().get(standing.key).filter(|entry| entry.level >= how.level);
        let Some(entry) = present.or_else(|| fresh.get(&standing.key).copied()) else {
            all_tried = false;
            continue;
        };
        let own = i32::from(if standing.turned { -entry.value } else { entry.value });
        if present.is_some() || own.unsigned_abs() <= how.tolerance {
            report.added += u64::from(book.store_mut().put(entry).is_none());
            onward.push(Reverse((sum + own.unsigned_abs(), standing.key)));
        } else {
            let value = in_discs(child.seen(own));
            if outside.is_none_or(|leaf| leaf.value < value) {
                outside = Some(Leaf { value, square, level: how.level });
            }
        }
    }
    // A position that was settled before keeps its leaf.
    if all_tried && let Some(mut entry) = book.store().get(key) {
        entry.leaf = outside;
        book.store_mut().put(entry);
    }
    onward
}
