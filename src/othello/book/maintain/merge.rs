//! Two books into one.

use crate::{
    base::Control,
    othello::book::{entry::Entry, progress::BookProgress, store::Store, table::Table},
};

/// Which of two entries for one position stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Winner {
    /// The higher level; on equal levels the newcomer. Values and leaves are decided apart.
    #[default]
    Level,
    /// Always the newcomer.
    Later,
    /// Always the one that is there: only missing positions are added.
    Present,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Merged {
    pub added: u64,
    pub changed: u64,
    pub same: u64,
    pub positions: usize,
}

/// What two entries for one position become.
fn joined(mine: Entry, theirs: Entry, winner: Winner) -> Entry {
    match winner {
        Winner::Present => mine,
        Winner::Later => theirs,
        Winner::Level => {
            let mut result = mine;
            if theirs.level >= mine.level {
                result = Entry { leaf: mine.leaf, lines: mine.lines.max(theirs.lines), ..theirs };
            }
            result.leaf = match (mine.leaf, theirs.leaf) {
                (Some(a), Some(b)) if b.level >= a.level => Some(b),
                (a, b) => a.or(b),
            };
            result
        }
    }
}

/// So many entries are put in one by one at most.
const FEW: usize = 20_000;

/// Adds the other book to this one; counts of lines and values above are left to `fix`. `None`: stopped, and nothing has
/// changed.
pub fn merge(store: &mut Store, other: &Table, winner: Winner, control: Control<'_, BookProgress>) -> Option<Merged> {
    let mut report = Merged::default();
    let mut fresh = Vec::new();
    for theirs in other.iter() {
        if control.stopped() {
            return None;
        }
        let mine = store.get(theirs.board);
        let entry = mine.map_or(theirs, |mine| joined(mine, theirs, winner));
        match mine {
            None => report.added += 1,
            Some(mine) if mine != entry => report.changed += 1,
            Some(_) => report.same += 1,
        }
        if mine != Some(entry) {
            fresh.push(entry);
        }
    }
    if other.len() > (store.len() / 4).min(FEW) && !fresh.is_empty() {
        replace_many(store, fresh, control)?;
    } else {
        fresh.into_iter().for_each(|entry| _ = store.put(entry));
    }
    report.positions = store.len();
    Some(report)
}

/// Puts many sorted entries in at once: both lists go side by side into a new table, which takes far less room and time
/// than as many single changes. `None`: stopped.
fn replace_many(store: &mut Store, entries: Vec<Entry>, control: Control<'_, BookProgress>) -> Option<()> {
    use crate::othello::book::image::order;
    let expected = (store.len() + entries.len()) as u64;
    let serial = store.base().serial();
    let table = {
        let mut old = store.iter().peekable();
        let mut new = entries.into_iter().peekable();
        let both = std::iter::from_fn(|| match (old.peek(), new.peek()) {
            _ if control.stopped() => None,
            (Some(a), Some(b)) if order(a.board) < order(b.board) => old.next(),
            (Some(a), Some(b)) => {
                if a.board == b.board {
                    old.next();
                }
                new.next()
            }
            (Some(_), None) => old.next(),
            _ => new.next(),
        });
        Table::from_stream(both, expected, serial)
    };
    if control.stopped() {
        return None;
    }
    store.replace(table);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{
        Board,
        book::{Leaf, Level, Source, synth},
    };
    use std::{collections::BTreeMap, sync::atomic::AtomicBool};

    fn merge(store: &mut Store, other: &Table, winner: Winner) -> Merged {
        super::merge(store, other, winner, Control::alone()).expect("nobody stops it")
    }

    #[test]
    fn a_stop_changes_nothing() {
        let pool = synth::entries(500, 1);
        for theirs in [10, 500] {
            let mut store = Store::new(Table::from_entries(pool[..300].to_vec(), 0));
            let other = Table::from_entries(synth::entries(theirs, 2), 0);
            let stop = AtomicBool::new(true);
            assert_eq!(super::merge(&mut store, &other, Winner::Later, Control::new(&stop, &|_| {})), None);
            assert!(!store.is_changed() && store.len() == 300);
        }
    }

    fn entry(value: i32, level: u8, leaf: Option<(i8, u8)>) -> Entry {
        let leaf = leaf.map(|(value, level)| Leaf {
            value,
            square: Board::START.canonical().0.moves().first().unwrap(),
            level: Level::from_search(level),
        });
        let start = Board::START.canonical().0;
        Entry { leaf, ..Entry::new(start, value, Level::from_search(level), Source::Search) }
    }

    fn merged(mine: Entry, theirs: Entry, winner: Winner) -> Entry {
        let mut store = Store::new(Table::from_entries(vec![mine], 0));
        merge(&mut store, &Table::from_entries(vec![theirs], 0), winner);
        store.get(mine.board).unwrap()
    }

    #[test]
    fn the_higher_level_wins_and_on_a_tie_the_newcomer() {
        let wins = |mine, theirs| merged(entry(1, mine, None), entry(2, theirs, None), Winner::Level).value;
        assert_eq!([wins(20, 21), wins(21, 20), wins(20, 20)], [2, 1, 2]);
        let mut hand = entry(1, 20, None);
        hand.level = Level::HAND;
        assert_eq!(merged(hand, entry(2, 60, None), Winner::Level).value, 1);
        let both = merged(entry(1, 30, Some((5, 10))), entry(2, 20, Some((6, 25))), Winner::Level);
        assert_eq!((both.value, both.leaf.unwrap().value), (1, 6), "the leaf has a level of its own");
        assert_eq!(merged(entry(1, 30, None), entry(2, 20, None), Winner::Later).value, 2);
        assert_eq!(merged(entry(1, 20, None), entry(2, 30, None), Winner::Present).value, 1);
    }

    #[test]
    fn many_at_once_and_one_by_one_come_to_the_same() {
        let pool = synth::entries(900, 1);
        let others = synth::entries(900, 2);
        for (mine, theirs) in [(600, 10), (600, 900), (10, 900), (0, 900), (900, 0)] {
            let mut plain: BTreeMap<Board, Entry> = pool[..mine].iter().map(|e| (e.board, *e)).collect();
            for &e in &others[900 - theirs..] {
                let joined = plain.get(&e.board).map_or(e, |m| joined(*m, e, Winner::Level));
                plain.insert(e.board, joined);
            }
            let mut store = Store::new(Table::from_entries(pool[..mine].to_vec(), 0));
            if mine > 20 {
                store.put(pool[3]);
                store.remove(pool[4].board);
                plain.remove(&pool[4].board);
                if let Some(e) = others[900 - theirs..].iter().find(|e| e.board == pool[4].board) {
                    plain.insert(e.board, *e);
                }
            }
            let report = merge(&mut store, &Table::from_entries(others[900 - theirs..].to_vec(), 0), Winner::Level);
            assert_eq!((report.positions, store.len()), (plain.len(), plain.len()));
            assert_eq!(report.added + report.changed + report.same, theirs as u64);
            assert!(plain.values().all(|e| store.get(e.board) == Some(*e)));
        }
    }
}
