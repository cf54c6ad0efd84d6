//! The book in use: a finished table and, on top of it, what has changed since.

use super::{
    entry::Entry,
    graph::Positions,
    image::{self, Writer},
    table::Table,
};
use crate::othello::Board;
use rayon::prelude::*;
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    io::{self, Seek, Write},
};

/// Boards are spread by the book's own order; nothing is gained by a second hash.
#[derive(Default, Clone, Copy)]
pub struct BoardHasher(u64);

impl Hasher for BoardHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = image::spread(Board::new(self.0, n));
    }
}

pub type BoardMap<T> = HashMap<Board, T, BuildHasherDefault<BoardHasher>>;

pub struct Store {
    base: Table,
    /// `None`: deleted.
    changes: BoardMap<Option<Entry>>,
    len: usize,
    /// The base itself is not what lies on disk.
    rebuilt: bool,
}

impl Store {
    pub fn new(base: Table) -> Store {
        let len = base.len();
        Store { base, changes: BoardMap::default(), len, rebuilt: false }
    }

    pub fn empty() -> Store {
        Store::new(Table::empty())
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Something would be lost without a save.
    pub fn is_changed(&self) -> bool {
        self.rebuilt || !self.changes.is_empty()
    }

    pub fn base(&self) -> &Table {
        &self.base
    }

    pub fn get(&self, key: Board) -> Option<Entry> {
        match self.changes.get(&key) {
            Some(change) => *change,
            None => self.base.get(key),
        }
    }

    /// Keeps `entry`, whose board must be a canonical one; what was there before is given back.
    pub fn put(&mut self, entry: Entry) -> Option<Entry> {
        debug_assert_eq!(entry.board, super::graph::key(entry.board));
        let before = self.get(entry.board);
        if before != Some(entry) {
            self.changes.insert(entry.board, Some(entry));
        }
        self.len += usize::from(before.is_none());
        before
    }

    pub fn remove(&mut self, key: Board) -> Option<Entry> {
        let before = self.get(key)?;
        if self.base.get(key).is_some() {
            self.changes.insert(key, None);
        } else {
            self.changes.remove(&key);
        }
        self.len -= 1;
        Some(before)
    }

    /// All entries, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        let mut changed: Vec<(&Board, &Option<Entry>)> = self.changes.iter().collect();
        changed.par_sort_unstable_by_key(|(board, _)| image::order(**board));
        let mut changed = changed.into_iter().peekable();
        let mut base = self.base.iter().peekable();
        std::iter::from_fn(move || {
            loop {
                let change = changed.peek().map(|(board, _)| image::order(**board));
                let kept = base.peek().map(|entry| image::order(entry.board));
                match (change, kept) {
                    (None, None) => return None,
                    (None, Some(_)) => return base.next(),
                    (Some(c), Some(k)) if k < c => return base.next(),
                    (Some(c), k) => {
                        if k == Some(c) {
                            base.next();
                        }
                        if let Some((_, Some(entry))) = changed.next() {
                            return Some(*entry);
                        }
                    }
                }
            }
        })
    }

    /// Writes the whole book in its own format.
    pub fn write<W: Write + Seek>(&self, out: W, serial: u64) -> io::Result<W> {
        let mut writer = Writer::new(out, self.len as u64)?;
        for entry in self.iter() {
            writer.push(&entry)?;
        }
        writer.finish(serial)
    }

    /// The book as one table: changes are worked in (in memory; nothing is written).
    pub fn settle(&mut self) -> &Table {
        if !self.changes.is_empty() {
            let table = Table::from_stream(self.iter(), self.len as u64, self.base.serial());
            self.replace(table);
        }
        &self.base
    }

    /// Puts a rebuilt table in place of everything.
    pub fn replace(&mut self, table: Table) {
        self.changes = BoardMap::default();
        self.len = table.len();
        self.base = table;
        self.rebuilt = true;
    }

    /// The same contents now lie on disk: go on with the file.
    pub fn saved(&mut self, table: Table) {
        *self = Store::new(table);
    }

    /// What has changed and is still there, without the table below, which cannot be read any more.
    pub fn only_changes(&self) -> Store {
        let entries = self.changes.values().copied().flatten().collect();
        let mut store = Store::new(Table::from_entries(entries, self.base.serial()));
        store.rebuilt = true;
        store
    }

    pub fn damaged(&self) -> usize {
        self.base.damaged()
    }
}

impl Positions for Store {
    fn find(&self, key: Board) -> Option<Entry> {
        self.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::Rng, othello::book::synth};
    use std::collections::BTreeMap;

    #[test]
    fn behaves_like_a_plain_map() {
        let pool = synth::entries(400, 1);
        let mut store = Store::new(Table::from_entries(pool[..200].to_vec(), 0));
        let mut plain: BTreeMap<Board, Entry> = pool[..200].iter().map(|e| (e.board, *e)).collect();
        let mut rng = Rng::new(9);
        for step in 0..3000 {
            let mut entry = *rng.pick(&pool).unwrap();
            if rng.below(2) == 0 {
                entry.value = rng.below(100) as i8 - 50;
                assert_eq!(store.put(entry), plain.insert(entry.board, entry));
            } else {
                assert_eq!(store.remove(entry.board), plain.remove(&entry.board));
            }
            assert_eq!(store.len(), plain.len());
            if step % 500 == 499 {
                store.settle();
            }
        }
        let mut all: Vec<Entry> = store.iter().collect();
        assert!(all.is_sorted_by_key(|e| image::order(e.board)));
        all.sort_by_key(|e| e.board);
        assert_eq!(all, plain.values().copied().collect::<Vec<_>>());
        assert!(pool.iter().all(|e| store.get(e.board) == plain.get(&e.board).copied()));
    }

    #[test]
    fn putting_what_is_there_changes_nothing() {
        let pool = synth::entries(10, 1);
        let mut store = Store::new(Table::from_entries(pool.clone(), 0));
        store.put(pool[3]);
        assert!(!store.is_changed());
        store.remove(pool[3].board);
        assert!(store.is_changed());
    }
}
