//! Following good play through the book from a position, within bounds on what may be given away.

use crate::othello::{
    Board,
    book::{
        entry::{Entry, Leaf, Level, in_discs, ply},
        graph::{self, Link, Positions},
        store::{BoardMap, Store},
    },
};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far learning and its relatives go. `None`: without limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The last ply that is dealt with, counted from the start of the game.
    pub depth: Option<u32>,
    /// What one move may lose against the best.
    pub per_move: Option<u32>,
    /// What all moves from the first position on may lose together.
    pub sum: Option<u32>,
    /// What a leaf may lose against the value of its position.
    pub leaf: Option<u32>,
}

impl Bounds {
    pub const NONE: Bounds = Bounds { depth: None, per_move: None, sum: None, leaf: None };

    pub fn within_depth(&self, board: Board) -> bool {
        self.depth.is_none_or(|depth| ply(board) <= depth)
    }

    /// A leaf of a position worth `best` may be followed, with `left` still to give away.
    pub fn allows_leaf(&self, leaf: &Leaf, best: i32, left: u32) -> bool {
        let loss = (best - i32::from(leaf.value)).max(0) as u32;
        self.leaf.is_none_or(|most| loss <= most) && loss <= left
    }
}

/// A position met on the way.
#[derive(Debug, Clone)]
pub struct Node {
    pub entry: Entry,
    /// What may still be lost from here on (the most, over all ways here).
    pub left: u32,
    pub links: Vec<Link>,
    /// A sound one.
    pub leaf: Option<Leaf>,
    /// What links and leaf make of the position (see [`graph::from_below`]), or the entry's own value.
    pub best: i32,
    /// The level of that value.
    pub level: Level,
}

impl Node {
    pub fn of<P: Positions + ?Sized>(book: &P, entry: Entry, left: u32) -> Node {
        let links = graph::links(book, entry.board);
        let leaf = graph::sound_leaf(&entry, graph::squares(&links));
        let known = links.iter().map(|link| (link.value, link.entry.level));
        let below = graph::from_below(entry.level, known, leaf);
        let (best, level) = below.unwrap_or((entry.value.into(), entry.level));
        Node { entry, left, links, leaf, best, level }
    }

    /// Where good play goes on, and what may be lost after that.
    fn onward<'a>(&'a self, bounds: &'a Bounds) -> impl Iterator<Item = (Board, u32)> + 'a {
        self.links.iter().filter_map(|link| {
            let loss = (self.best - link.value).max(0) as u32;
            let fine = bounds.per_move.is_none_or(|most| loss <= most) && loss <= self.left;
            (fine && bounds.within_depth(link.key)).then(|| (link.key, self.left - loss))
        })
    }
}

/// Visits every position within `bounds` below `root`, and `root`; what `see` returns is collected by number of discs.
pub fn walk<P, R>(book: &P, root: Board, bounds: &Bounds, see: impl Fn(&Node) -> Option<R> + Sync) -> Vec<Vec<R>>
where
    P: Positions + ?Sized,
    R: Send,
{
    let mut seen: Vec<Vec<R>> = (0..=64).map(|_| Vec::new()).collect();
    let root = graph::key(root);
    let mut row: BoardMap<u32> = BoardMap::default();
    row.insert(root, bounds.sum.unwrap_or(u32::MAX));
    for slot in seen.iter_mut().skip(root.disc_count() as usize) {
        if row.is_empty() {
            break;
        }
        let mut boards: Vec<(Board, u32)> = row.into_iter().collect();
        boards.par_sort_unstable();
        let visited: Vec<_> = boards
            .par_iter()
            .filter_map(|&(key, left)| {
                let node = Node::of(book, book.find(key)?, left);
                Some((see(&node), node.onward(bounds).collect::<Vec<_>>()))
            })
            .collect();
        row = BoardMap::default();
        for (result, onward) in visited {
            slot.extend(result);
            for (key, left) in onward {
                let known = row.entry(key).or_insert(left);
                *known = left.max(*known);
            }
        }
    }
    seen
}

/// So many positions are brought up to date whatever is asked.
const SOON_DONE: usize = 4096;

/// Gives positions the value and the lines of what lies below them, deepest first. `rows` are by number of discs.
/// A stop leaves the rest of many as they are: `fix`, or the next run, brings them up.
pub fn refresh(store: &mut Store, rows: &[Vec<Board>], stop: &AtomicBool) -> u64 {
    let mut changed = 0;
    let many = rows.iter().map(Vec::len).sum::<usize>() > SOON_DONE;
    let stopped = || many && stop.load(Ordering::Relaxed);
    for row in rows.iter().rev() {
        if stopped() {
            break;
        }
        let fresh: Vec<Entry> =
            row.par_iter().filter_map(|&key| if stopped() { None } else { refreshed(store, key) }).collect();
        changed += fresh.len() as u64;
        for entry in fresh {
            store.put(entry);
        }
    }
    changed
}

/// An entry after a look at what lies below it, if that changes it.
fn refreshed(store: &Store, key: Board) -> Option<Entry> {
    use crate::othello::book::entry::{MOST_LINES, Source};
    let known = store.get(key)?;
    let mut entry = known;
    let node = Node::of(store, entry, 0);
    entry.leaf = node.leaf;
    let value = in_discs(node.best);
    if entry.value != value && !entry.level.is_hand() {
        (entry.value, entry.level, entry.source) = (value, node.level, Source::Negamax);
    }
    let lines = 1 + node.links.iter().map(|link| u64::from(link.entry.lines)).sum::<u64>();
    entry.lines = lines.min(u64::from(MOST_LINES)) as u32;
    (entry != known).then_some(entry)
}

/// Brings the values of a game's positions up to date, the last first.
pub fn refresh_path(store: &mut Store, path: &[Board]) {
    for &board in path.iter().rev() {
        if let Some(entry) = refreshed(store, graph::key(board)) {
            store.put(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{entry::Source, synth, table::Table};

    fn count(rows: &[Vec<Board>]) -> usize {
        rows.iter().map(Vec::len).sum()
    }

    #[test]
    fn without_bounds_everything_below_is_visited() {
        let table = Table::from_entries(synth::entries(3000, 1), 0);
        let all = walk(&table, Board::START, &Bounds::NONE, |node| Some(node.entry.board));
        assert_eq!(count(&all), 3000);
        let shallow = Bounds { depth: Some(4), ..Bounds::NONE };
        let some = walk(&table, Board::START, &shallow, |node| Some(node.entry.board));
        // Unique positions after 0 to 4 moves.
        assert_eq!(some.iter().map(Vec::len).filter(|n| *n > 0).collect::<Vec<_>>(), [1, 1, 3, 14, 60]);
    }

    /// Straight from the definition: every line, with what was lost on it.
    fn slow(table: &Table, key: Board, left: u32, bounds: &Bounds, seen: &mut BoardMap<u32>) {
        let Some(entry) = table.get(key) else { return };
        let best = seen.entry(key).or_insert(left);
        *best = left.max(*best);
        let node = Node::of(table, entry, left);
        for (next, left) in node.onward(bounds) {
            slow(table, next, left, bounds, seen);
        }
    }

    #[test]
    fn the_most_that_is_left_counts_over_all_ways() {
        for seed in 0..5 {
            let table = Table::from_entries(synth::entries(800, seed), 0);
            let bounds = Bounds { per_move: Some(5), sum: Some(12), ..Bounds::NONE };
            let mut expected = BoardMap::default();
            slow(&table, Board::START.canonical().0, 12, &bounds, &mut expected);
            let found = walk(&table, Board::START, &bounds, |node| Some((node.entry.board, node.left)));
            let found: BoardMap<u32> = found.into_iter().flatten().collect();
            assert_eq!(found, expected);
            assert!(found.len() > 5 && found.len() < 800, "the bounds must bite: {}", found.len());
        }
    }

    #[test]
    fn a_path_is_refreshed_to_its_start() {
        let boards: Vec<Board> = ["f5", "d6", "c3", "d3"]
            .iter()
            .scan(Board::START, |board, name| {
                *board = board.play(name.parse().unwrap())?;
                Some(*board)
            })
            .collect();
        let path: Vec<Board> = std::iter::once(Board::START).chain(boards).collect();
        let mut store = Store::empty();
        for (i, &board) in path.iter().enumerate() {
            let value = if i == 4 { 7 } else { 0 };
            store.put(Entry::new(board, value, Level::MAX, Source::Search).canonical());
        }
        refresh_path(&mut store, &path);
        let values: Vec<i8> = path.iter().map(|&b| store.about(b).unwrap().value).collect();
        assert_eq!(values, [7, -7, 7, -7, 7]);
        assert_eq!(store.about(path[3]).unwrap().lines, 2);
    }
}
