//! How positions of the book hang together: a link is a move whose outcome is in the book. Links are not stored.
//!
//! A position in which the side to move must pass is never stored; the one after the pass is, and its value is turned
//! round. A finished game is stored from the side whose canonical image is smaller.

use super::entry::{Entry, Leaf, Level};
use crate::othello::{BitBoard, Board, Square};
use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
};

/// How a position stands in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The canonical board under which it is kept.
    pub key: Board,
    /// The symmetry that leads there, from the board in hand or (if `turned`) from the same discs seen by the other side.
    pub symmetry: u8,
    /// The entry sees the position from the other side: its value must be negated.
    pub turned: bool,
}

pub fn standing(board: Board) -> Standing {
    let of = |board: Board, turned| {
        let (key, symmetry) = board.canonical();
        Standing { key, symmetry, turned }
    };
    if board.can_move() {
        return of(board, false);
    }
    let other = of(board.pass(), true);
    if board.pass().can_move() {
        return other;
    }
    let this = of(board, false);
    if this.key <= other.key { this } else { other }
}

/// Where a position is kept.
pub fn key(board: Board) -> Board {
    standing(board).key
}

/// A position one move on, passes made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Child {
    pub board: Board,
    /// The same side moves again: its opponent had to pass.
    pub again: bool,
}

impl Child {
    /// A value of the child's side to move, seen by the side that moved there.
    #[inline]
    pub fn seen(self, value: i32) -> i32 {
        if self.again { value } else { -value }
    }
}

/// The position after a legal move; a forced pass is made at once.
pub fn after(board: Board, square: Square) -> Option<Child> {
    let next = board.play(square)?;
    Some(if next.must_pass() { Child { board: next.pass(), again: true } } else { Child { board: next, again: false } })
}

/// Anything that can be asked for canonical positions.
pub trait Positions: Sync {
    fn find(&self, key: Board) -> Option<Entry>;

    /// Nothing will be found any more.
    fn is_over(&self) -> bool {
        false
    }

    /// What is known of any board, told about that very board.
    fn about(&self, board: Board) -> Option<Entry> {
        let standing = standing(board);
        let entry = self.find(standing.key)?;
        Some(if standing.turned {
            // The leaf is a move of the other side.
            Entry { board, value: -entry.value, leaf: None, ..entry }
        } else {
            entry.symmetry_back(standing.symmetry)
        })
    }
}

impl<S: std::hash::BuildHasher + Sync> Positions for HashMap<Board, Entry, S> {
    fn find(&self, key: Board) -> Option<Entry> {
        self.get(&key).copied()
    }
}

/// A move that stays in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub square: Square,
    pub child: Child,
    /// Where the outcome is kept.
    pub key: Board,
    /// For the side that makes the move.
    pub value: i32,
    /// What is kept there, as it is kept.
    pub entry: Entry,
}

/// The moves of `board` that stay in the book, a1 first.
pub fn links<P: Positions + ?Sized>(book: &P, board: Board) -> Vec<Link> {
    let linked = |square: Square| {
        let child = after(board, square)?;
        let standing = standing(child.board);
        let entry = book.find(standing.key)?;
        let value = i32::from(entry.value);
        let value = child.seen(if standing.turned { -value } else { value });
        Some(Link { square, child, key: standing.key, value, entry })
    };
    let moves = if book.is_over() { BitBoard::EMPTY } else { board.moves() };
    moves.into_iter().filter_map(linked).collect()
}

/// The squares of `links`.
pub fn squares(links: &[Link]) -> BitBoard {
    links.iter().map(|link| link.square).collect()
}

/// The leaf if it is what a leaf must be: a legal move that the book does not follow.
pub fn sound_leaf(entry: &Entry, linked: BitBoard) -> Option<Leaf> {
    entry.leaf.filter(|leaf| {
        let free = BitBoard(entry.board.moves().0 & !linked.0);
        free.contains(leaf.square)
    })
}

/// The value of a position by what lies below it: the best of its links and its leaf.
pub fn negamax(links: &[Link], leaf: Option<Leaf>) -> Option<i32> {
    links.iter().map(|link| link.value).chain(leaf.map(|leaf| i32::from(leaf.value))).max()
}

/// What a position is worth by what lies below it, and the level of that value: `None` where nothing below may speak.
///
/// The best link always counts. A leaf counts only if it was searched at least as deeply as what it would replace: the
/// value the position has (`own`) or the best link, whichever is lower. The level is the lowest of what was compared; a
/// link given by hand has none, and the position keeps its own.
pub fn from_below(own: Level, links: impl Iterator<Item = (i32, Level)>, leaf: Option<Leaf>) -> Option<(i32, Level)> {
    let link = links.max();
    let searched = link.map(|(_, level)| level).filter(|level| !level.is_hand());
    let needed = if link.is_some() { searched.map_or(own, |level| level.min(own)) } else { own };
    let leaf = leaf.filter(|leaf| leaf.level >= needed);
    let value = link.map(|(value, _)| value).max(leaf.map(|leaf| i32::from(leaf.value)))?;
    let level = searched.into_iter().chain(leaf.map(|leaf| leaf.level)).min();
    Some((value, level.unwrap_or(own)))
}

/// A book that is empty once `stop` is raised: whoever walks through it comes to an end soon. What was found then is
/// worth nothing.
pub struct Stoppable<'a, P: ?Sized> {
    pub book: &'a P,
    pub stop: &'a AtomicBool,
}

impl<P: ?Sized> Stoppable<'_, P> {
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl<P: Positions + ?Sized> Positions for Stoppable<'_, P> {
    fn find(&self, key: Board) -> Option<Entry> {
        if self.is_stopped() { None } else { self.book.find(key) }
    }

    fn is_over(&self) -> bool {
        self.is_stopped()
    }
}

/// All positions that can be reached from `root` inside the book, grouped by number of discs; `root` itself included
/// if it is there.
pub fn reachable<P: Positions + ?Sized>(book: &P, root: Board) -> Vec<Vec<Board>> {
    use rayon::prelude::*;
    let mut rows: Vec<Vec<Board>> = vec![Vec::new(); 65];
    let root = key(root);
    if book.find(root).is_none() {
        return rows;
    }
    let discs = root.disc_count() as usize;
    rows[discs].push(root);
    for n in discs..64 {
        let mut next: Vec<Board> =
            rows[n].par_iter().flat_map_iter(|&board| links(book, board).into_iter().map(|link| link.key)).collect();
        next.par_sort_unstable();
        next.dedup();
        rows[n + 1] = next;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::entry::Source;

    #[test]
    fn a_leaf_never_outranks_a_deeper_value() {
        let level = |n| Level::from_search(n);
        let leaf = |value, n| Some(Leaf { value, square: "d6".parse().unwrap(), level: level(n) });
        let below = |own, links: &[(i32, Level)], leaf| from_below(own, links.iter().copied(), leaf);
        assert_eq!(below(level(10), &[], leaf(8, 1)), None);
        assert_eq!(below(level(10), &[], leaf(8, 10)), Some((8, level(10))));
        assert_eq!(below(level(10), &[(-3, level(10))], leaf(8, 1)), Some((-3, level(10))));
        // A line made deeper later does not silence the leaf beside it.
        assert_eq!(below(level(16), &[(-3, level(20))], leaf(8, 16)), Some((8, level(16))));
        assert_eq!(below(level(16), &[(9, level(20))], leaf(8, 16)), Some((9, level(16))));
        // The better known of two equal links.
        assert_eq!(below(level(3), &[(2, level(4)), (2, level(9)), (1, level(30))], None), Some((2, level(9))));
        // A person's word below does not make this one a person's word.
        assert_eq!(below(level(3), &[(2, Level::HAND)], None), Some((2, level(3))));
        assert_eq!(below(level(3), &[], None), None);
    }

    /// A position with a move after which the other side must pass.
    fn pass_board() -> Board {
        let mut board = Board::START;
        let mut rng = crate::base::Rng::new(4);
        loop {
            let moves: Vec<Square> = board.moves().into_iter().collect();
            let Some(&square) = rng.pick(&moves) else {
                board = Board::START;
                continue;
            };
            if after(board, square).is_some_and(|child| child.again) {
                return board;
            }
            board = after(board, square).unwrap().board;
        }
    }

    #[test]
    fn a_value_after_a_pass_keeps_its_sign() {
        let board = pass_board();
        let square = board.moves().into_iter().find(|&s| after(board, s).unwrap().again).unwrap();
        let child = after(board, square).unwrap();
        assert!(child.board.can_move());
        let entry = Entry::new(child.board, 6, Level::MAX, Source::Search).canonical();
        let book = HashMap::from([(entry.board, entry)]);
        let link = links(&book, board).into_iter().find(|l| l.square == square).unwrap();
        assert_eq!(link.value, 6, "the same side moves again");
        let passing = board.play(square).unwrap();
        assert_eq!(book.about(passing).unwrap().value, -6, "asked from the side that must pass");
        assert_eq!(book.about(child.board).unwrap().value, 6);
    }

    #[test]
    fn a_finished_game_is_known_from_both_sides() {
        let board = Board::new(0x0000_0000_0000_00FF, 0x0F00_0000_0000_0000);
        assert!(board.is_over());
        let standing = standing(board);
        let kept = if standing.turned { board.pass() } else { board };
        let entry = Entry::new(kept, 4, Level::MAX, Source::Search).canonical();
        let book = HashMap::from([(entry.board, entry)]);
        let (this, other) = (book.about(board).unwrap().value, book.about(board.pass()).unwrap().value);
        assert_eq!(this, -other);
        assert_eq!(this.abs(), 4);
    }

    #[test]
    fn links_are_found_in_every_orientation() {
        let start = Entry::new(Board::START, 0, Level::MAX, Source::Search).canonical();
        let f5 = Entry::new(Board::START.play("f5".parse().unwrap()).unwrap(), -1, Level::MAX, Source::Search);
        let book: HashMap<_, _> = [start, f5.canonical()].into_iter().map(|e| (e.board, e)).collect();
        let found = links(&book, Board::START);
        assert_eq!(
            found.iter().map(|l| (l.square.to_string(), l.value)).collect::<Vec<_>>(),
            [("d3".into(), 1), ("c4".into(), 1), ("f5".into(), 1), ("e6".into(), 1)]
        );
        let rows = reachable(&book, Board::START);
        assert_eq!(rows.iter().map(Vec::len).sum::<usize>(), 2);
    }
}
