//! Looking for what is wrong with a book, changing nothing.

use super::walk::Node;
use crate::{
    base::Control,
    othello::book::{
        entry::{Entry, MOST_LINES},
        progress::{BookProgress, Meter},
        store::Store,
    },
};
use rayon::prelude::*;
use std::sync::atomic::Ordering;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verified {
    pub positions: u64,
    /// Offsets of blocks of the file that do not fit their checksums.
    pub damaged: Vec<usize>,
    /// Values that are not the best of what lies below them, those given by hand left out.
    pub wrong_values: u64,
    /// Leaves that are no legal moves, or moves of the book.
    pub wrong_leaves: u64,
    pub wrong_lines: u64,
}

/// Entries that one thread takes at a time.
const AT_ONCE: usize = 1 << 16;

/// Reads the whole book: its file against the checksums, and every position against those one move on. `None`: stopped.
pub fn verify(store: &Store, control: Control<'_, BookProgress>) -> Option<Verified> {
    let meter = Meter::new("verify", control);
    let stop = meter.stop_flag();
    let mut report = Verified { damaged: store.base().verify_until(stop), ..Verified::default() };
    let mut entries = store.iter();
    loop {
        let part: Vec<Entry> = entries.by_ref().take(AT_ONCE).collect();
        if meter.stopped() {
            return None;
        }
        if part.is_empty() {
            return Some(report);
        }
        let wrong = part
            .par_iter()
            .map(|&entry| if stop.load(Ordering::Relaxed) { [0; 3] } else { faults(store, entry) })
            .reduce(|| [0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
        report.positions += part.len() as u64;
        report.wrong_values += wrong[0];
        report.wrong_leaves += wrong[1];
        report.wrong_lines += wrong[2];
        meter.step(part.len() as u64, (store.len() as u64).saturating_sub(report.positions), store.len());
    }
}

fn faults(store: &Store, entry: Entry) -> [u64; 3] {
    let node = Node::of(store, entry, 0);
    let value = i32::from(entry.value) != node.best && !entry.level.is_hand();
    let below: u64 = node.links.iter().map(|link| u64::from(link.entry.lines)).sum();
    let lines = u64::from(entry.lines) != (1 + below).min(MOST_LINES.into());
    [value, entry.leaf != node.leaf, lines].map(u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{
        Level, Source, Table,
        maintain::sweep::{Sweep, sweep},
        synth,
    };
    use std::sync::atomic::AtomicBool;

    fn verify(store: &Store) -> Verified {
        super::verify(store, Control::alone()).expect("nobody stops it")
    }

    #[test]
    fn a_stop_leaves_no_half_report() {
        let store = Store::new(Table::from_entries(synth::entries(300, 4), 0));
        let stop = AtomicBool::new(true);
        assert_eq!(super::verify(&store, Control::new(&stop, &|_| {})), None);
    }

    #[test]
    fn what_fix_mends_is_found_before_and_not_after() {
        let mut store = Store::new(Table::from_entries(synth::entries(2000, 4), 0));
        let before = verify(&store);
        assert_eq!(before.positions, 2000);
        assert!(before.wrong_values > 100 && before.wrong_leaves > 10 && before.wrong_lines > 100, "{before:?}");
        let swept = sweep(&mut store, Sweep::FIX, Control::alone());
        assert!(swept.values_changed >= before.wrong_values.min(1) && swept.leaves_dropped == before.wrong_leaves);
        assert_eq!(verify(&store), Verified { positions: 2000, ..Verified::default() });
        // One value by hand is no fault, one by search is; and so is what stands above it.
        let mut entry = store.iter().find(|entry| entry.lines > 1).unwrap();
        entry.value = if entry.value > 0 { -64 } else { 64 };
        store.put(Entry { level: Level::HAND, ..entry });
        assert!(verify(&store).wrong_values <= 1);
        store.put(Entry { source: Source::Search, level: Level::from_search(5), ..entry });
        assert!(verify(&store).wrong_values >= 1);
    }
}
