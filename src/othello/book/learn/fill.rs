//! Joining lines: positions that are not in the book, but from which a few moves lead back into it.

use super::{Learned, Todo, parcel, work_off};
use crate::{
    base::Control,
    othello::{
        BitBoard, Board,
        book::{
            Book, BookError,
            entry::{Entry, Level},
            graph::{self, Positions, Stoppable},
            judge::Judge,
            maintain::{
                leaves::{free_moves, sweep_at_end},
                sweep::Sweep,
                walk::Node,
            },
            progress::{BookProgress, Meter},
            store::Store,
        },
    },
};
use rayon::prelude::*;

/// Puts into the book every position one move outside from which at most `plies` moves lead back in, until there is none
/// left.
pub fn fill(
    book: &mut Book,
    plies: u32,
    level: Level,
    judge: &mut dyn Judge,
    control: Control<'_, BookProgress>,
) -> Result<Learned, BookError> {
    let meter = Meter::new("fill", control);
    let mut report = Learned::default();
    while !report.unfinished {
        let view = Stoppable { book: book.store(), stop: meter.stop_flag() };
        let mut todo: Vec<Todo> = gaps(&view, plies).into_iter().map(Todo::Add).collect();
        todo.extend(taken(&view).into_iter().map(Todo::Leaf));
        if meter.stopped() {
            (report.unfinished, report.stopped) = (true, true);
            break;
        }
        if todo.is_empty() {
            break;
        }
        let step = &todo[..parcel(todo.len())];
        work_off(book, step, todo.len() - step.len(), level, judge, &meter, &mut report)?;
        report.rounds += 1;
    }
    // Leaves that were taken in wait for the next run where this one was stopped.
    sweep_at_end(book.store_mut(), Sweep { orphans: false, leaves: !report.stopped, ..Sweep::FIX }, control);
    report.positions = book.len();
    Ok(report)
}

/// Positions that lie between two of the book.
fn gaps(book: &Stoppable<'_, Store>, plies: u32) -> Vec<Board> {
    let keys: Vec<Board> = book.book.iter().map(|entry| entry.board).take_while(|_| !book.is_stopped()).collect();
    let mut found: Vec<Board> = keys
        .par_iter()
        .flat_map_iter(|&key| {
            let moves = if book.is_stopped() { BitBoard::EMPTY } else { key.moves() };
            let children = moves.into_iter().filter_map(move |square| graph::after(key, square));
            children.map(|child| graph::key(child.board))
        })
        .filter(|&child| book.find(child).is_none() && leads_in(book, child, plies))
        .collect();
    found.par_sort_unstable();
    found.dedup();
    found
}

/// Positions whose leaf has become a move of the book, with others left to choose the next from.
fn taken(book: &Stoppable<'_, Store>) -> Vec<Board> {
    let all = book.book.iter().take_while(|_| !book.is_stopped());
    let entries: Vec<Entry> = all.filter(|entry| entry.leaf.is_some() && !entry.level.is_hand()).collect();
    let wanting = |entry: &&Entry| {
        let node = Node::of(book, **entry, 0);
        node.leaf.is_none() && !free_moves(&node).is_empty()
    };
    entries.par_iter().filter(wanting).map(|entry| entry.board).collect()
}

/// Some line of at most `plies` moves from here ends in the book.
fn leads_in(book: &impl Positions, key: Board, plies: u32) -> bool {
    plies > 0
        && key.moves().into_iter().filter_map(|square| graph::after(key, square)).any(|child| {
            let child = graph::key(child.board);
            book.find(child).is_some() || leads_in(book, child, plies - 1)
        })
}
