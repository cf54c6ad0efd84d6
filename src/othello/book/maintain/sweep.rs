//! Over the whole book from its ends to its beginning: values, lines, leaves, and what no longer hangs together.

use crate::{
    base::Control,
    othello::{
        BitBoard, Board,
        book::{
            entry::{Entry, Level, MOST_LINES, Source, in_discs},
            graph,
            progress::{BookProgress, Meter},
            store::Store,
            table::Table,
        },
    },
};
use rayon::prelude::*;
use std::sync::atomic::Ordering;

/// What a sweep is to put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// A position is worth the best of what lies below it.
    pub values: bool,
    /// Values given by hand stay even so.
    pub keep_hand: bool,
    /// Lines are counted anew.
    pub lines: bool,
    /// Leaves that are no legal moves, or moves of the book, are dropped.
    pub leaves: bool,
    /// Positions that cannot be reached from the start are deleted.
    pub orphans: bool,
}

impl Sweep {
    pub const FIX: Sweep = Sweep { values: true, keep_hand: true, lines: true, leaves: true, orphans: true };
    pub const VALUES: Sweep = Sweep { values: true, keep_hand: true, lines: false, leaves: false, orphans: false };
    pub const LINES: Sweep = Sweep { values: false, keep_hand: true, lines: true, leaves: false, orphans: false };
}

/// What a sweep has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// In the book afterwards.
    pub positions: usize,
    pub links: u64,
    pub values_changed: u64,
    pub lines_changed: u64,
    pub leaves_dropped: u64,
    pub orphans_deleted: u64,
    /// Orphans could not be told: the start is not in the book.
    pub no_start: bool,
    /// Stopped before the end: nothing has changed.
    pub stopped: bool,
}

/// The number of an entry below, and whether its value keeps its sign.
#[derive(Clone, Copy)]
struct Down(u32);

const KEEPS_SIGN: u32 = 1 << 31;
/// Positions that one thread takes at a time.
const AT_ONCE: usize = 4096;

impl Down {
    fn index(self) -> usize {
        (self.0 & !KEEPS_SIGN) as usize
    }

    fn value(self, below: i8) -> i8 {
        if self.0 & KEEPS_SIGN != 0 { below } else { -below }
    }
}

/// Positions with one number of discs on their way through the sweep, their links packed one after the other.
#[derive(Default)]
struct Row {
    indices: Vec<u32>,
    /// The squares of each position's links.
    squares: Vec<BitBoard>,
    /// Where each position's links end.
    ends: Vec<u32>,
    links: Vec<Down>,
}

impl Row {
    fn push(&mut self, table: &Table, index: u32, board: Board) {
        let mut squares = BitBoard::EMPTY;
        for square in board.moves() {
            let Some(child) = graph::after(board, square) else { continue };
            let standing = graph::standing(child.board);
            let Some(below) = table.index_of(standing.key) else { continue };
            let keeps = child.again != standing.turned;
            self.links.push(Down(below as u32 | if keeps { KEEPS_SIGN } else { 0 }));
            squares = squares.with(square);
        }
        self.indices.push(index);
        self.squares.push(squares);
        self.ends.push(self.links.len() as u32);
    }

    fn append(&mut self, other: Row) {
        let before = self.links.len() as u32;
        self.indices.extend(other.indices);
        self.squares.extend(other.squares);
        self.ends.extend(other.ends.into_iter().map(|end| before + end));
        self.links.extend(other.links);
    }

    fn links(&self, i: usize) -> &[Down] {
        let begin = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.links[begin..self.ends[i] as usize]
    }
}

/// Puts the book right; takes all threads.
pub fn sweep(store: &mut Store, what: Sweep, control: Control<'_, BookProgress>) -> Swept {
    let table = store.settle();
    let meter = Meter::new("fix", control);
    let mut report = Swept::default();
    let layers = layers(table);
    let start = table.index_of(Board::START.canonical().0);
    report.no_start = what.orphans && start.is_none();
    let only_reached = what.orphans && start.is_some();
    let Some(rows) = linked(table, &layers, only_reached.then_some(start).flatten(), &meter) else {
        return Swept { positions: table.len(), stopped: true, ..report };
    };
    let reached = reached(table.len(), &rows, only_reached);
    report.orphans_deleted = reached.iter().filter(|r| !**r).count() as u64;
    let Some(after) = from_the_ends(table, rows, what, &meter, &mut report) else {
        return Swept { positions: table.len(), stopped: true, ..Swept::default() };
    };
    let changed = report.orphans_deleted + report.values_changed + report.lines_changed + report.leaves_dropped > 0;
    if changed {
        let entries = (0..table.len())
            .take_while(|_| !meter.stopped())
            .filter(|&i| reached[i])
            .filter_map(|i| Some(after.apply(table.entry(i)?, i)));
        let rebuilt = Table::from_stream(entries, table.len() as u64, table.serial());
        if meter.stopped() {
            return Swept { positions: table.len(), stopped: true, ..Swept::default() };
        }
        store.replace(rebuilt);
    }
    report.positions = store.len();
    report
}

/// The numbers of all entries by how many discs they have.
fn layers(table: &Table) -> Vec<Vec<u32>> {
    let mut layers = vec![Vec::new(); 65];
    for index in 0..table.len() {
        if let Some(entry) = table.entry(index) {
            layers[entry.board.disc_count() as usize].push(index as u32);
        }
    }
    layers
}

/// Finds the links of every position, layer by layer; with `start`, only of those that it leads to.
fn linked(table: &Table, layers: &[Vec<u32>], start: Option<usize>, meter: &Meter) -> Option<Vec<Row>> {
    let mut wanted = vec![start.is_none(); table.len()];
    if let Some(start) = start {
        wanted[start] = true;
    }
    let mut rows = Vec::with_capacity(layers.len());
    let mut left = table.len();
    let stop = meter.stop_flag();
    for layer in layers {
        if meter.stopped() {
            return None;
        }
        let parts: Vec<Row> = layer
            .par_chunks(AT_ONCE)
            .map(|part| {
                let mut row = Row::default();
                if stop.load(Ordering::Relaxed) {
                    return row;
                }
                for &index in part.iter().filter(|&&index| wanted[index as usize]) {
                    if let Some(entry) = table.entry(index as usize) {
                        row.push(table, index, entry.board);
                    }
                }
                row
            })
            .collect();
        let mut row = Row::default();
        parts.into_iter().for_each(|part| row.append(part));
        for link in &row.links {
            wanted[link.index()] = true;
        }
        left -= layer.len();
        meter.step(layer.len() as u64, left as u64, table.len());
        rows.push(row);
    }
    (!meter.stopped()).then_some(rows)
}

fn reached(count: usize, rows: &[Row], only: bool) -> Vec<bool> {
    let mut reached = vec![!only; count];
    rows.iter().flat_map(|row| &row.indices).for_each(|&index| reached[index as usize] = true);
    reached
}

/// The new state of every entry, by number.
struct After {
    values: Vec<i8>,
    levels: Vec<Level>,
    lines: Vec<u32>,
    drop_leaf: Vec<bool>,
}

/// What a position is to become.
struct Fresh {
    value: i8,
    level: Level,
    lines: u32,
    drop_leaf: bool,
}

impl After {
    fn set(&mut self, index: usize, fresh: Fresh) {
        self.values[index] = fresh.value;
        self.levels[index] = fresh.level;
        self.lines[index] = fresh.lines;
        self.drop_leaf[index] = fresh.drop_leaf;
    }

    fn apply(&self, mut entry: Entry, index: usize) -> Entry {
        if entry.value != self.values[index] {
            (entry.value, entry.level, entry.source) = (self.values[index], self.levels[index], Source::Negamax);
        }
        entry.lines = self.lines[index];
        if self.drop_leaf[index] {
            entry.leaf = None;
        }
        entry
    }
}

fn from_the_ends(table: &Table, rows: Vec<Row>, what: Sweep, meter: &Meter, report: &mut Swept) -> Option<After> {
    let count = table.len();
    let mut after = After {
        values: vec![0; count],
        levels: vec![Level::UNKNOWN; count],
        lines: vec![0; count],
        drop_leaf: vec![false; count],
    };
    let stop = meter.stop_flag();
    for row in rows.into_iter().rev() {
        if meter.stopped() {
            return None;
        }
        let done: Vec<_> = (0..row.indices.len())
            .into_par_iter()
            .filter_map(|i| {
                if stop.load(Ordering::Relaxed) {
                    return None;
                }
                let index = row.indices[i] as usize;
                let entry = table.entry(index)?;
                Some((index, entry, one(&entry, row.links(i), row.squares[i], what, &after)))
            })
            .collect();
        for (index, entry, fresh) in done {
            report.values_changed += u64::from(fresh.value != entry.value);
            report.lines_changed += u64::from(fresh.lines != entry.lines);
            report.leaves_dropped += u64::from(fresh.drop_leaf);
            after.set(index, fresh);
        }
        report.links += row.links.len() as u64;
        meter.step(0, 0, count);
    }
    (!meter.stopped()).then_some(after)
}

/// One position by what lies below it.
fn one(entry: &Entry, links: &[Down], squares: BitBoard, what: Sweep, after: &After) -> Fresh {
    let leaf = graph::sound_leaf(entry, squares);
    let hand = what.keep_hand && entry.level.is_hand();
    let known = links.iter().map(|link| (link.value(after.values[link.index()]).into(), after.levels[link.index()]));
    let below = graph::from_below(without_hand(entry.level), known, leaf).filter(|_| what.values && !hand);
    let (value, level) = match below {
        Some((value, level)) if in_discs(value) != entry.value => (in_discs(value), level),
        _ => (entry.value, entry.level),
    };
    let lines = if what.lines {
        let below: u64 = links.iter().map(|link| u64::from(after.lines[link.index()])).sum();
        (1 + below).min(u64::from(MOST_LINES)) as u32
    } else {
        entry.lines
    };
    Fresh { value, level, lines, drop_leaf: what.leaves && leaf.is_none() && entry.leaf.is_some() }
}

/// The level of the search behind a value; there is none behind one that was given by hand.
fn without_hand(level: Level) -> Level {
    if level.is_hand() { Level::UNKNOWN } else { level }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{Level, graph::Positions, synth};
    use std::collections::HashMap;

    /// Value, level and lines of a position.
    type Known = (i32, Level, u64);

    /// The slow, plain way: recursion over the graph.
    struct Naive {
        book: HashMap<Board, Entry>,
        known: HashMap<Board, Known>,
    }

    impl Naive {
        fn new(entries: &[Entry]) -> Naive {
            Naive { book: entries.iter().map(|e| (e.board, *e)).collect(), known: HashMap::new() }
        }

        /// Value, level and lines of the position with this board to move, if it or what follows its pass is in the book.
        fn of(&mut self, board: Board) -> Option<Known> {
            if !board.can_move() {
                let other = board.pass();
                if let Some(&entry) = self.book.get(&board.canonical().0).filter(|_| !other.can_move()) {
                    return Some((entry.value.into(), entry.level, 1));
                }
                if other.can_move() {
                    return self.of(other).map(|(value, level, lines)| (-value, level, lines));
                }
                return self.book.get(&other.canonical().0).map(|entry| (-i32::from(entry.value), entry.level, 1));
            }
            let key = board.canonical().0;
            if let Some(&known) = self.known.get(&key) {
                return Some(known);
            }
            let entry = *self.book.get(&key)?;
            let (mut best, mut lines, mut leaf_is_free) = (None::<(i32, Level)>, 1u64, true);
            for square in key.moves() {
                if let Some((value, level, below)) = self.of(key.play(square).unwrap()) {
                    best = best.max(Some((-value, level)));
                    lines += below;
                    leaf_is_free &= entry.leaf.is_none_or(|leaf| leaf.square != square);
                }
            }
            let mut level = best.map(|(_, level)| level).filter(|level| !level.is_hand());
            let mut value = best.map(|(value, _)| value);
            if let Some(leaf) = entry.leaf.filter(|leaf| leaf_is_free && key.play(leaf.square).is_some())
                && (leaf.level >= entry.level || level.is_some_and(|level| leaf.level >= level))
            {
                value = value.max(Some(leaf.value.into()));
                level = Some(level.map_or(leaf.level, |level| level.min(leaf.level)));
            }
            let lines = lines.min(u64::from(MOST_LINES));
            let found = match value {
                Some(value) if !entry.level.is_hand() && value != i32::from(entry.value) => {
                    (value, level.unwrap_or(entry.level), lines)
                }
                _ => (entry.value.into(), entry.level, lines),
            };
            self.known.insert(key, found);
            Some(found)
        }

        fn reached(&self, board: Board, seen: &mut HashMap<Board, ()>) {
            if !board.can_move() && board.pass().can_move() {
                return self.reached(board.pass(), seen);
            }
            let key = [board, board.pass()]
                .into_iter()
                .filter(|b| *b == board || board.is_over())
                .map(|b| b.canonical().0)
                .find(|b| self.book.contains_key(b));
            let Some(key) = key else { return };
            if seen.insert(key, ()).is_none() {
                key.moves().into_iter().for_each(|s| self.reached(key.play(s).unwrap(), seen));
            }
        }
    }

    fn random_book(count: usize, seed: u64) -> Vec<Entry> {
        let mut entries = synth::scattered(count, seed);
        for (i, entry) in entries.iter_mut().enumerate() {
            if i % 23 == 0 {
                entry.level = Level::HAND;
            }
        }
        entries
    }

    #[test]
    fn equals_a_plain_negamax_on_random_books() {
        let mut passes = 0;
        for seed in 0..12 {
            let entries = random_book(160 * (seed as usize + 1), seed);
            passes += entries.iter().filter(|e| e.board.pass().must_pass()).count();
            let mut naive = Naive::new(&entries);
            let mut reached = HashMap::new();
            naive.reached(Board::START, &mut reached);
            let mut store = Store::new(Table::from_entries(entries.clone(), 0));
            let report = sweep(&mut store, Sweep::FIX, Control::alone());
            let start_in = naive.book.contains_key(&Board::START.canonical().0);
            assert_eq!(report.no_start, !start_in);
            let mut kept = 0;
            for entry in &entries {
                let fixed = store.get(entry.board);
                if start_in && !reached.contains_key(&entry.board) {
                    assert_eq!(fixed, None);
                    continue;
                }
                kept += 1;
                let fixed = fixed.expect("not an orphan");
                let found = (i32::from(fixed.value), fixed.level, u64::from(fixed.lines));
                assert_eq!(found, naive.of(entry.board).unwrap(), "seed {seed}");
            }
            assert_eq!((report.positions, report.orphans_deleted as usize), (kept, entries.len() - kept));
            let again = sweep(&mut store, Sweep::FIX, Control::alone());
            let nothing = Swept { positions: kept, links: again.links, no_start: !start_in, ..Swept::default() };
            assert_eq!(again, nothing, "a fixed book stays as it is");
        }
        assert!(passes > 30, "the books must hold passes: {passes}");
    }

    #[test]
    fn a_deep_book_with_everything_from_the_start() {
        // Without gaps, so that nothing is an orphan.
        let entries = synth::entries(2000, 7);
        let mut naive = Naive::new(&entries);
        let mut store = Store::new(Table::from_entries(entries.clone(), 0));
        let report = sweep(&mut store, Sweep::FIX, Control::alone());
        assert_eq!(report.orphans_deleted, 0);
        assert!(report.leaves_dropped > 0, "leaves that became links");
        for entry in &entries {
            let fixed = store.find(entry.board).unwrap();
            let found = (i32::from(fixed.value), fixed.level, u64::from(fixed.lines));
            assert_eq!(found, naive.of(entry.board).unwrap());
        }
    }

    #[test]
    fn lines_alone_leave_values_alone() {
        let entries = synth::entries(500, 3);
        let mut store = Store::new(Table::from_entries(entries.clone(), 0));
        let report = sweep(&mut store, Sweep::LINES, Control::alone());
        assert!(report.lines_changed > 0);
        assert!(entries.iter().all(|e| store.get(e.board).is_some_and(|s| s.value == e.value && s.leaf == e.leaf)));
    }

    #[test]
    fn stopped_it_changes_nothing() {
        let entries = synth::entries(500, 3);
        let mut store = Store::new(Table::from_entries(entries, 0));
        let stop = std::sync::atomic::AtomicBool::new(true);
        let report = sweep(&mut store, Sweep::FIX, Control::new(&stop, &|_| {}));
        assert!(report.stopped && !store.is_changed());
    }
}
