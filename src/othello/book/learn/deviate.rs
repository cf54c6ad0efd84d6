//! Learning by deviation: from a position, wherever good play goes in the book, the leaf is taken into the book, as long
//! as it does not lose too much; again and again, until nothing within the bounds is left outside.

use super::{Learned, Todo, lay_path, parcel, run_number, work_off};
use crate::{
    base::Control,
    othello::{
        Board,
        book::{
            Book, BookError,
            answers::Stage,
            entry::{Level, ply},
            graph::{self, Stoppable},
            judge::Judge,
            maintain::{
                leaves::free_moves,
                walk::{self, Bounds, Node, refresh, refresh_path},
            },
            progress::{BookProgress, Meter},
        },
    },
};

/// Up to so many positions for each thing done, all values of the book are brought up after a step, which then costs
/// little beside the searches. In a larger book only those that the step's walk met are, and the others at the end.
const AFFORDABLE: usize = 500;

/// How to learn from a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deviation {
    pub bounds: Bounds,
    pub level: Level,
    /// So many rounds at most. Each then takes in everything that is within the bounds at its beginning.
    pub rounds: Option<u64>,
}

/// Learns from the last position of `path`; the positions before it are what led there, and are put into the book too.
pub fn deviate(
    book: &mut Book,
    path: &[Board],
    how: &Deviation,
    judge: &mut dyn Judge,
    control: Control<'_, BookProgress>,
) -> Result<Learned, BookError> {
    let meter = Meter::new("learn", control);
    let mut report = Learned::default();
    let stage = book.answers.enter(run_number("learn", std::iter::once(path), how));
    deviate_metered(book, path, how, stage, judge, &meter, &mut report)?;
    ended(book, &mut report);
    Ok(report)
}

/// A run that was not stopped is over, whether anything is left to do or not.
pub(super) fn ended(book: &mut Book, report: &mut Learned) {
    if !report.stopped {
        book.answers.leave();
    }
    report.positions = book.len();
}

pub(crate) fn deviate_metered(
    book: &mut Book,
    path: &[Board],
    how: &Deviation,
    stage: Stage,
    judge: &mut dyn Judge,
    meter: &Meter,
    report: &mut Learned,
) -> Result<(), BookError> {
    let root = *path.last().ok_or(BookError::NoPosition)?;
    lay_path(book, path, how.level, judge, meter, report)?;
    let choose = |node: &Node| wanted(node, &how.bounds);
    grow(book, root, how, stage, choose, judge, meter, report)?;
    refresh_path(book.store_mut(), path);
    Ok(())
}

/// What to do for a position that good play reaches.
fn wanted(node: &Node, bounds: &Bounds) -> Option<Todo> {
    let board = node.entry.board;
    let deepest = bounds.depth.is_some_and(|depth| ply(board) >= depth);
    if deepest || free_moves(node).is_empty() {
        return None;
    }
    match node.leaf {
        Some(leaf) if leaf.level.is_known() => {
            bounds.allows_leaf(&leaf, node.best, node.left).then_some(Todo::Expand(board))
        }
        _ => Some(Todo::Leaf(board)),
    }
}

/// Rounds of finding out what to do and doing it, until nothing is left or the rounds are used up.
///
/// What a round does depends on the book alone. A new value may also reach, by another order of moves, positions that
/// good play does not touch; so all positions below are brought up to date after a round, as far as that is affordable.
/// When nothing seems left, they are in any case, and only if then nothing is left either, it is the end.
///
/// Where the rounds are limited, those of a run that was stopped count.
#[expect(clippy::too_many_arguments, reason = "one place, and all of them are needed there")]
pub(super) fn grow(
    book: &mut Book,
    root: Board,
    how: &Deviation,
    stage: Stage,
    choose: impl Fn(&Node) -> Option<Todo> + Sync,
    judge: &mut dyn Judge,
    meter: &Meter,
    report: &mut Learned,
) -> Result<(), BookError> {
    let before = if how.rounds.is_some() { stage.rounds } else { 0 };
    let mut rounds = before;
    let mut all_fresh = false;
    while !report.unfinished {
        let view = Stoppable { book: book.store(), stop: meter.stop_flag() };
        let seen = walk::walk(&view, root, &how.bounds, |node| Some((node.entry.board, choose(node))));
        if meter.stopped() {
            (report.unfinished, report.stopped) = (true, true);
            break;
        }
        let todo: Vec<Todo> = seen.iter().flatten().filter_map(|(_, todo)| *todo).collect();
        if todo.is_empty() && all_fresh {
            break;
        }
        let used_up = how.rounds.is_some_and(|most| rounds >= most);
        if todo.is_empty() || used_up {
            let below = graph::reachable(book.store(), root);
            refresh(book.store_mut(), &below, meter.stop_flag());
            all_fresh = true;
            report.unfinished |= used_up && !todo.is_empty();
            continue;
        }
        let step = if how.rounds.is_some() { &todo[..] } else { &todo[..parcel(todo.len())] };
        work_off(book, step, todo.len() - step.len(), how.level, judge, meter, report)?;
        if report.unfinished {
            break;
        }
        all_fresh = book.len() <= AFFORDABLE * step.len();
        let stale: Vec<Vec<Board>> = if all_fresh {
            graph::reachable(book.store(), root)
        } else {
            seen.into_iter().map(|row| row.into_iter().map(|(board, _)| board).collect()).collect()
        };
        refresh(book.store_mut(), &stale, meter.stop_flag());
        rounds += 1;
        if how.rounds.is_some() {
            book.answers.reach(Stage { rounds, ..stage });
        }
    }
    report.rounds += rounds - before;
    Ok(())
}

/// Takes into the book every leaf that equals or beats the value of its position: those that make a value doubtful.
pub fn extend(
    book: &mut Book,
    path: &[Board],
    how: &Deviation,
    judge: &mut dyn Judge,
    control: Control<'_, BookProgress>,
) -> Result<Learned, BookError> {
    let root = *path.last().ok_or(BookError::NoPosition)?;
    let meter = Meter::new("extend", control);
    let mut report = Learned::default();
    let choose = |node: &Node| {
        let board = node.entry.board;
        let deepest = how.bounds.depth.is_some_and(|depth| ply(board) >= depth);
        let links = node.links.iter().map(|link| link.value).max();
        let beats = node.leaf.is_some_and(|leaf| links.is_none_or(|best| i32::from(leaf.value) >= best));
        (beats && !deepest).then_some(Todo::Expand(board))
    };
    let stage = book.answers.enter(run_number("extend", std::iter::once(path), how));
    grow(book, root, how, stage, choose, judge, &meter, &mut report)?;
    refresh_path(book.store_mut(), path);
    ended(book, &mut report);
    Ok(report)
}
