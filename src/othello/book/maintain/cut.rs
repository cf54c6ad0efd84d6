//! Making a book smaller: reduce, prune, subtree, delete.

use super::walk::{Bounds, walk};
use crate::{
    base::Control,
    othello::{
        Board,
        book::{
            entry::{Entry, Leaf, in_discs},
            graph::{self, Positions, Stoppable},
            progress::{BookProgress, Meter},
            store::{BoardMap, Store},
            table::Table,
        },
    },
};
use rayon::prelude::*;

/// What was cut away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cut {
    pub deleted: u64,
    pub positions: usize,
    /// Positions whose best deleted move is now their leaf.
    pub leaves_made: u64,
    /// Stopped before the end: nothing has changed.
    pub stopped: bool,
}

type Keys = BoardMap<()>;

fn keys(rows: Vec<Vec<Board>>) -> Keys {
    rows.into_iter().flatten().map(|key| (key, ())).collect()
}

/// Deletes below `root` what good play does not reach. What lines beside `root` lead to stays.
pub fn reduce(store: &mut Store, root: Board, bounds: &Bounds, control: Control<'_, BookProgress>) -> Cut {
    let meter = Meter::new("reduce", control);
    let book = &Stoppable { book: &*store, stop: meter.stop_flag() };
    let below = keys(graph::reachable(book, root));
    let good = keys(walk(book, root, bounds, |node| Some(node.entry.board)));
    let beside = beside(book, root);
    let doomed = below.into_keys().filter(|key| !good.contains_key(key) && !beside.contains_key(key));
    let doomed: Vec<Board> = doomed.collect();
    delete(store, doomed, &meter)
}

/// What the start leads to without going through `root`.
fn beside(book: &impl Positions, root: Board) -> Keys {
    let (start, root) = (Board::START.canonical().0, graph::key(root));
    let mut seen = Keys::default();
    if start == root || book.find(start).is_none() {
        return seen;
    }
    let mut row = vec![start];
    while !row.is_empty() {
        row.iter().for_each(|&key| _ = seen.insert(key, ()));
        let mut next: Vec<Board> =
            row.par_iter().flat_map_iter(|&key| graph::links(book, key)).map(|link| link.key).collect();
        next.retain(|&key| key != root && !seen.contains_key(&key));
        next.par_sort_unstable();
        next.dedup();
        row = next;
    }
    seen
}

/// Deletes what is reached neither when one side plays only best moves (and the other anything), nor when the other
/// does.
pub fn prune(store: &mut Store, root: Board, depth: Option<u32>, control: Control<'_, BookProgress>) -> Cut {
    let meter = Meter::new("prune", control);
    let book = &Stoppable { book: &*store, stop: meter.stop_flag() };
    let mut kept = one_side_best(book, root, true, depth);
    kept.extend(one_side_best(book, root, false, depth));
    let doomed = keys(graph::reachable(book, root)).into_keys().filter(|key| !kept.contains_key(key)).collect();
    delete(store, doomed, &meter)
}

/// What is reached when one side plays only best moves: the side to move at `root`, or the other.
fn one_side_best(book: &impl Positions, root: Board, mover: bool, depth: Option<u32>) -> Keys {
    let bounds = Bounds { depth, ..Bounds::NONE };
    let mut seen: BoardMap<u8> = BoardMap::default();
    let mut row: Vec<(Board, bool)> = vec![(graph::key(root), mover)];
    let bit = |careful: bool| if careful { 1 } else { 2 };
    while !row.is_empty() {
        row.retain(|&(key, careful)| {
            let known = seen.entry(key).or_insert(0);
            let fresh = *known & bit(careful) == 0;
            *known |= bit(careful);
            fresh
        });
        let mut next: Vec<(Board, bool)> =
            row.par_iter().flat_map_iter(|&(key, careful)| onward(book, key, careful, &bounds)).collect();
        next.par_sort_unstable();
        next.dedup();
        row = next;
    }
    seen.into_keys().filter(|key| book.find(*key).is_some()).map(|key| (key, ())).collect()
}

/// Where the side to move may go: anywhere, or with its best moves only if it is the careful one; and whether the side
/// that moves there is.
fn onward(book: &impl Positions, key: Board, careful: bool, bounds: &Bounds) -> Vec<(Board, bool)> {
    let links = graph::links(book, key);
    let best = links.iter().map(|link| link.value).max().unwrap_or(0);
    let good = links.iter().filter(|link| (!careful || link.value == best) && bounds.within_depth(link.key));
    good.map(|link| {
        let same_side = link.child.again != graph::standing(link.child.board).turned;
        (link.key, careful == same_side)
    })
    .collect()
}

/// Keeps only what lies below the last position of `path`, and the path that leads there.
pub fn subtree(store: &mut Store, path: &[Board], control: Control<'_, BookProgress>) -> Cut {
    let meter = Meter::new("subtree", control);
    let Some(&root) = path.last() else { return Cut { positions: store.len(), ..Cut::default() } };
    let book = &Stoppable { book: &*store, stop: meter.stop_flag() };
    let mut kept = keys(graph::reachable(book, root));
    kept.extend(path.iter().map(|&board| (graph::key(board), ())));
    let entries = store.iter().take_while(|_| !meter.stopped());
    let doomed = entries.map(|entry| entry.board).filter(|key| !kept.contains_key(key)).collect();
    delete(store, doomed, &meter)
}

/// Deletes positions; the best of them that was a move of a position that stays becomes that position's leaf, unless
/// it has a better one.
fn delete(store: &mut Store, doomed: Vec<Board>, meter: &Meter) -> Cut {
    let stopped = Cut { positions: store.len(), stopped: true, ..Cut::default() };
    let stop = meter.stop_flag();
    let doomed: Vec<Board> = doomed.into_iter().filter(|&key| store.get(key).is_some()).collect();
    let gone: Keys = doomed.iter().map(|&key| (key, ())).collect();
    let heirs: Vec<Entry> = if gone.is_empty() {
        Vec::new()
    } else {
        let entries = store.iter().take_while(|_| !meter.stopped());
        let all: Vec<Entry> = entries.filter(|entry| !gone.contains_key(&entry.board)).collect();
        let book = &Stoppable { book: &*store, stop };
        all.par_iter().filter_map(|entry| heir(book, entry, &gone)).collect()
    };
    let (deleted, leaves_made) = (doomed.len() as u64, heirs.len() as u64);
    let few = doomed.len() <= FEW;
    // What was found before a stop is incomplete; from here on it is done to the end.
    if meter.stopped() || !(few || without(store, &gone, &heirs, meter)) {
        return stopped;
    }
    if few {
        doomed.into_iter().for_each(|key| _ = store.remove(key));
        heirs.into_iter().for_each(|entry| _ = store.put(entry));
    }
    meter.step(deleted, 0, store.len());
    Cut { deleted, positions: store.len(), leaves_made, stopped: false }
}

/// So many positions are deleted one by one at most.
const FEW: usize = 4096;

/// Builds the book anew without many positions, which takes less than as many changes. False: stopped, and nothing has
/// changed.
fn without(store: &mut Store, gone: &Keys, heirs: &[Entry], meter: &Meter) -> bool {
    let heirs: BoardMap<Entry> = heirs.iter().map(|entry| (entry.board, *entry)).collect();
    let entries = store.iter().take_while(|_| !meter.stopped()).filter(|entry| !gone.contains_key(&entry.board));
    let entries = entries.map(|entry| heirs.get(&entry.board).copied().unwrap_or(entry));
    let table = Table::from_stream(entries, store.len() as u64, store.base().serial());
    if meter.stopped() {
        return false;
    }
    store.replace(table);
    true
}

fn heir(book: &impl Positions, entry: &Entry, gone: &Keys) -> Option<Entry> {
    let links = graph::links(book, entry.board);
    let lost = links.iter().filter(|link| gone.contains_key(&link.key)).max_by_key(|link| link.value)?;
    let linked = graph::squares(&links);
    let better = graph::sound_leaf(entry, linked).is_none_or(|leaf| i32::from(leaf.value) < lost.value);
    let leaf = Leaf { value: in_discs(lost.value), square: lost.square, level: lost.entry.level };
    better.then_some(Entry { leaf: Some(leaf), ..*entry })
}

/// Deletes one position.
pub fn delete_one(store: &mut Store, board: Board, control: Control<'_, BookProgress>) -> Option<Cut> {
    let key = graph::key(board);
    store.find(key)?;
    Some(delete(store, vec![key], &Meter::new("delete", control)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{
        entry::{Level, Source},
        maintain::sweep::{Sweep, sweep},
        synth,
        table::Table,
    };

    fn fixed(count: usize, seed: u64) -> Store {
        let mut store = Store::new(Table::from_entries(synth::entries(count, seed), 0));
        sweep(&mut store, Sweep::FIX, Control::alone());
        store
    }

    #[test]
    fn reduce_leaves_exactly_what_good_play_reaches() {
        for seed in 0..4 {
            let mut store = fixed(1500, seed);
            let bounds = Bounds { depth: Some(5), per_move: Some(4), sum: Some(9), leaf: None };
            let good = keys(walk(&store, Board::START, &bounds, |node| Some(node.entry.board)));
            let values: Vec<Entry> = store.iter().filter(|e| good.contains_key(&e.board)).collect();
            let cut = reduce(&mut store, Board::START, &bounds, Control::alone());
            assert_eq!((cut.positions, cut.deleted as usize), (good.len(), 1500 - good.len()));
            assert!(store.iter().all(|entry| good.contains_key(&entry.board)));
            sweep(&mut store, Sweep::FIX, Control::alone());
            assert!(
                values.iter().all(|e| store.get(e.board).unwrap().value == e.value),
                "no value is lost with its move"
            );
        }
    }

    #[test]
    fn reduce_below_one_position_spares_what_others_lead_to() {
        let mut store = fixed(1500, 9);
        let root = Board::START.play("f5".parse().unwrap()).unwrap().play("d6".parse().unwrap()).unwrap();
        let beside: Vec<Entry> = beside(&store, root).into_keys().filter_map(|k| store.get(k)).collect();
        let bounds = Bounds { per_move: Some(0), sum: Some(0), ..Bounds::NONE };
        let cut = reduce(&mut store, root, &bounds, Control::alone());
        assert!(cut.deleted > 0);
        assert!(beside.iter().all(|e| store.get(e.board).is_some()));
        assert!(store.about(root).is_some());
    }

    #[test]
    fn prune_keeps_best_play_of_either_side() {
        let start = Entry::new(Board::START, 0, Level::MAX, Source::Search).canonical();
        let line = |moves: &str, value| {
            let board = moves.split(' ').fold(Board::START, |b, m| b.play(m.parse().unwrap()).unwrap());
            (board, Entry::new(board, value, Level::MAX, Source::Search).canonical())
        };
        // White's f4 loses 8; after it c3 for black loses 6 more. Nobody who plays best gets to see that.
        let entries = [line("f5", 0), line("f5 d6", 0), line("f5 f4", 8), line("f5 f4 e3", -8), line("f5 f4 c3", -2)];
        let mut all: Vec<Entry> = entries.iter().map(|(_, e)| *e).collect();
        all.push(start);
        let mut store = Store::new(Table::from_entries(all, 0));
        let cut = prune(&mut store, Board::START, None, Control::alone());
        assert_eq!(cut.deleted, 1);
        assert!(store.about(entries[4].0).is_none());
        let leaf = store.about(entries[2].0).unwrap().leaf.unwrap();
        assert_eq!((leaf.square.to_string().as_str(), leaf.value), ("c3", 2), "what was cut is remembered as the leaf");
    }

    #[test]
    fn subtree_keeps_the_way_to_it() {
        let mut store = fixed(1500, 2);
        let f5 = Board::START.play("f5".parse().unwrap()).unwrap();
        let f6 = f5.play("f6".parse().unwrap()).unwrap();
        let below: usize = graph::reachable(&store, f6).iter().map(Vec::len).sum();
        let cut = subtree(&mut store, &[Board::START, f5, f6], Control::alone());
        assert_eq!(cut.positions, below + 2);
        let report = sweep(&mut store, Sweep::FIX, Control::alone());
        assert_eq!(report.orphans_deleted, 0);
    }
}
