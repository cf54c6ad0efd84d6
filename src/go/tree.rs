//! The search tree: every move of every node in one growing store with a limit, shared by all threads without locks.
//!
//! A node is the block of its moves. What is known about a position is kept with the move that leads to it, so the
//! whole tree is one kind of entry, a cache line each.

use super::point::Point;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU16, AtomicU32, AtomicU64, Ordering::*};

/// The number of an entry. 0 stands for none; the root has a place of its own.
pub type Id = u32;

/// A win in the sums of values.
pub const WIN: u64 = 1 << 16;

/// A move and what the playouts through it say. All values are those of the side that makes the move.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Entry {
    point: AtomicU16,
    /// How many moves follow, valid once `first` is set.
    count: AtomicU16,
    /// The first of the moves that follow; 0: none yet, `GROWING`: somebody is making them.
    first: AtomicU32,
    visits: AtomicU32,
    rave_visits: AtomicU32,
    /// Sums of values, in parts of [`WIN`].
    value: AtomicU64,
    rave_value: AtomicU64,
    /// Sum of the scores of the playouts, in points of the mover.
    score: AtomicI64,
    /// Games and wins believed in beforehand, as bits of an `f32`.
    prior_visits: AtomicU32,
    prior_value: AtomicU32,
    /// In how many playouts through the parent black held this point at the end, and in how many the winner did.
    black_held: AtomicU32,
    winner_held: AtomicU32,
    /// The move turned out not to be playable here.
    barred: AtomicBool,
}

const GROWING: u32 = u32::MAX;

/// One reading of an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stats {
    pub point: Point,
    pub visits: u32,
    /// Sum of values, a win being 1.
    pub value: f64,
    pub rave_visits: u32,
    pub rave_value: f64,
    pub score: f64,
    pub prior_visits: f32,
    pub prior_value: f32,
    pub black_held: u32,
    pub winner_held: u32,
}

/// What is believed about a move before any playout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seed {
    pub point: Point,
    pub visits: f32,
    /// Sum of values, at most `visits`.
    pub value: f32,
}

impl Entry {
    fn plant(&self, seed: Seed) {
        self.point.store(seed.point.raw(), Relaxed);
        self.prior_visits.store(seed.visits.to_bits(), Relaxed);
        self.prior_value.store(seed.value.to_bits(), Relaxed);
    }

    #[inline]
    pub fn point(&self) -> Point {
        Point::from_raw(self.point.load(Relaxed))
    }

    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Leaves the move out from now on.
    pub fn bar(&self) {
        self.barred.store(true, Relaxed);
    }

    #[inline]
    pub fn is_barred(&self) -> bool {
        self.barred.load(Relaxed)
    }

    #[inline]
    pub fn stats(&self) -> Stats {
        let sum = |cell: &AtomicU64| cell.load(Relaxed) as f64 / WIN as f64;
        Stats {
            point: self.point(),
            visits: self.visits(),
            value: sum(&self.value),
            rave_visits: self.rave_visits.load(Relaxed),
            rave_value: sum(&self.rave_value),
            score: self.score.load(Relaxed) as f64,
            prior_visits: f32::from_bits(self.prior_visits.load(Relaxed)),
            prior_value: f32::from_bits(self.prior_value.load(Relaxed)),
            black_held: self.black_held.load(Relaxed),
            winner_held: self.winner_held.load(Relaxed),
        }
    }

    /// A playout goes through this move. Until its value arrives it counts as lost, which sends other threads
    /// elsewhere.
    #[inline]
    pub fn enter(&self, visits: u32) {
        self.visits.fetch_add(visits, Relaxed);
    }

    /// The playout has ended; `virtual_visits` beyond the first are taken back.
    #[inline]
    pub fn leave(&self, value: u64, score: i32, virtual_visits: u32) {
        if virtual_visits > 0 {
            self.visits.fetch_sub(virtual_visits, Relaxed);
        }
        self.value.fetch_add(value, Relaxed);
        self.score.fetch_add(i64::from(score), Relaxed);
    }

    #[inline]
    pub fn add_rave(&self, value: u64) {
        self.rave_visits.fetch_add(1, Relaxed);
        self.rave_value.fetch_add(value, Relaxed);
    }

    #[inline]
    pub fn add_held(&self, by_black: bool, by_winner: bool) {
        if by_black {
            self.black_held.fetch_add(1, Relaxed);
        }
        if by_winner {
            self.winner_held.fetch_add(1, Relaxed);
        }
    }

    fn copy_from(&self, other: &Entry) {
        self.point.store(other.point.load(Relaxed), Relaxed);
        self.barred.store(other.barred.load(Relaxed), Relaxed);
        self.visits.store(other.visits.load(Relaxed), Relaxed);
        self.rave_visits.store(other.rave_visits.load(Relaxed), Relaxed);
        self.value.store(other.value.load(Relaxed), Relaxed);
        self.rave_value.store(other.rave_value.load(Relaxed), Relaxed);
        self.score.store(other.score.load(Relaxed), Relaxed);
        self.prior_visits.store(other.prior_visits.load(Relaxed), Relaxed);
        self.prior_value.store(other.prior_value.load(Relaxed), Relaxed);
        self.black_held.store(other.black_held.load(Relaxed), Relaxed);
        self.winner_held.store(other.winner_held.load(Relaxed), Relaxed);
    }
}

/// Entries come in chunks, so that memory is taken as the tree grows. A block never crosses from one to the next.
const CHUNK: usize = 1 << 12;

pub struct Tree {
    chunks: Vec<OnceLock<Box<[Entry]>>>,
    used: AtomicU32,
}

/// So many entries are copied between two looks at whether to stop: well under a millisecond.
const LOOK_EVERY: u32 = 1024;

impl Tree {
    pub const ROOT: Id = 1;

    /// An empty tree that will never take more than this memory (but room for a few nodes in any case).
    pub fn new(bytes: usize) -> Tree {
        let chunks = (bytes / (CHUNK * size_of::<Entry>())).clamp(1, (GROWING as usize - 1) / CHUNK);
        Tree { chunks: (0..chunks).map(|_| OnceLock::new()).collect(), used: AtomicU32::new(Self::ROOT + 1) }
    }

    fn capacity(&self) -> usize {
        self.chunks.len() * CHUNK
    }

    /// Entries in use.
    pub fn len(&self) -> usize {
        self.used.load(Relaxed) as usize
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.first(Self::ROOT).is_none()
    }

    /// How much of the memory is used, from 0 to 1.
    pub fn fullness(&self) -> f64 {
        self.len() as f64 / self.capacity() as f64
    }

    fn chunk(&self, number: usize) -> &[Entry] {
        self.chunks[number].get_or_init(|| (0..CHUNK).map(|_| Entry::default()).collect())
    }

    #[inline]
    pub fn entry(&self, id: Id) -> &Entry {
        &self.chunk(id as usize / CHUNK)[id as usize % CHUNK]
    }

    fn first(&self, id: Id) -> Option<Id> {
        let first = self.entry(id).first.load(Acquire);
        (first != 0 && first != GROWING).then_some(first)
    }

    /// The number of the first of the moves that follow, and these moves; `None` for a leaf.
    #[inline]
    pub fn children(&self, id: Id) -> Option<(Id, &[Entry])> {
        let first = self.first(id)?;
        let count = usize::from(self.entry(id).count.load(Relaxed));
        let at = first as usize % CHUNK;
        Some((first, &self.chunk(first as usize / CHUNK)[at..at + count]))
    }

    /// Gives a leaf its moves. Nothing happens if another thread is at it, if there is no room, or for no seeds.
    pub fn grow(&self, id: Id, seeds: impl FnOnce() -> Vec<Seed>) {
        let parent = self.entry(id);
        if parent.first.load(Relaxed) != 0 || parent.first.compare_exchange(0, GROWING, Acquire, Relaxed).is_err() {
            return;
        }
        let seeds = seeds();
        let Some(first) = self.take(seeds.len()) else {
            parent.first.store(0, Release);
            return;
        };
        for (i, &seed) in seeds.iter().enumerate() {
            self.entry(first + i as u32).plant(seed);
        }
        parent.count.store(seeds.len() as u16, Relaxed);
        parent.first.store(first, Release);
    }

    /// Room for a block.
    fn take(&self, count: usize) -> Option<Id> {
        if count == 0 || count > CHUNK {
            return None;
        }
        let place = |used: u32| {
            let left = CHUNK - used as usize % CHUNK;
            let first = if left >= count { used as usize } else { used as usize + left };
            (first + count <= self.capacity()).then_some(first as u32)
        };
        let step = |used| place(used).map(|first| first + count as u32);
        self.used.fetch_update(Relaxed, Relaxed, step).ok().and_then(place)
    }

    /// Keeps what is below one entry, with the children of entries of fewer than `least` visits left out, and gives the
    /// rest of the memory back. Blocks move down in the order in which they lie, so that nothing is needed beside the
    /// tree. A large tree takes its time: nothing is done when `stopped` says on the way that nobody waits for it.
    pub fn keep(&mut self, top: Id, least: u32, stopped: impl Fn() -> bool) -> bool {
        let Some(blocks) = self.blocks_below(top, least, stopped) else { return false };
        self.move_entry(top, Self::ROOT);
        let mut places: Vec<Id> = Vec::with_capacity(blocks.len());
        self.used.store(Self::ROOT + 1, Relaxed);
        for block in &blocks {
            // Parents were there before their children, so they have moved already.
            let parent = if block.parent == top {
                Self::ROOT
            } else {
                let number = blocks.partition_point(|other| other.first <= block.parent) - 1;
                places[number] + (block.parent - blocks[number].first)
            };
            // There is room: everything before it has moved down or stayed.
            let Some(place) = self.take(usize::from(block.count)) else { continue };
            for i in 0..Id::from(block.count) {
                self.move_entry(block.first + i, place + i);
            }
            self.entry(parent).count.store(block.count, Relaxed);
            self.entry(parent).first.store(place, Release);
            places.push(place);
        }
        let used = self.len();
        for (number, chunk) in self.chunks.iter_mut().enumerate() {
            let kept = used.saturating_sub(number * CHUNK);
            if kept == 0 {
                chunk.take();
            } else if let Some(chunk) = chunk.get_mut() {
                chunk.iter_mut().skip(kept).for_each(|entry| *entry = Entry::default());
            }
        }
        true
    }

    /// The blocks of children below an entry, in the order in which they lie.
    fn blocks_below(&self, top: Id, least: u32, stopped: impl Fn() -> bool) -> Option<Vec<Block>> {
        let mut blocks = Vec::new();
        let mut open = vec![top];
        let mut seen = 0u32;
        while let Some(parent) = open.pop() {
            if seen.is_multiple_of(LOOK_EVERY) && stopped() {
                return None;
            }
            seen = seen.wrapping_add(1);
            let Some((first, children)) =
                self.children(parent).filter(|_| parent == top || self.entry(parent).visits() >= least)
            else {
                continue;
            };
            let count = children.len() as u16;
            blocks.push(Block { first, parent, count });
            open.extend((first..).zip(children).filter(|(_, child)| child.first.load(Relaxed) != 0).map(|(id, _)| id));
        }
        blocks.sort_unstable_by_key(|block| block.first);
        Some(blocks)
    }

    /// What is known of an entry, without its children, to another place.
    fn move_entry(&self, from: Id, to: Id) {
        let entry = self.entry(to);
        if from != to {
            entry.copy_from(self.entry(from));
        }
        entry.count.store(0, Relaxed);
        entry.first.store(0, Release);
    }
}

/// The children of one entry.
struct Block {
    first: Id,
    parent: Id,
    count: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(count: usize) -> Vec<Seed> {
        (0..count).map(|i| Seed { point: Point::from_raw(i as u16 + 1), visits: 10.0, value: 5.0 }).collect()
    }

    #[test]
    fn a_node_gets_its_moves_once() {
        let tree = Tree::new(1 << 20);
        assert!(tree.is_empty());
        tree.grow(Tree::ROOT, || seeds(82));
        tree.grow(Tree::ROOT, || panic!("grown already"));
        let (first, children) = tree.children(Tree::ROOT).unwrap();
        assert_eq!(children.len(), 82);
        assert_eq!(tree.entry(first + 81).point(), Point::from_raw(82));
        assert!(tree.children(first).is_none());
    }

    #[test]
    fn a_full_tree_stops_growing_and_stays_whole() {
        let tree = Tree::new(0);
        let mut leaves = vec![Tree::ROOT];
        let mut grown = 0;
        while let Some(leaf) = leaves.pop() {
            tree.grow(leaf, || seeds(626));
            let Some((first, children)) = tree.children(leaf) else { break };
            assert_eq!(children.len(), 626);
            grown += 1;
            leaves.extend(first..first + 3);
        }
        assert_eq!(grown, CHUNK / 626);
        assert!(tree.len() <= CHUNK);
    }

    #[test]
    fn keeping_can_be_stopped() {
        let mut tree = Tree::new(64 << 20);
        let mut leaves = vec![Tree::ROOT];
        for _ in 0..100 {
            let leaf = leaves.pop().unwrap();
            tree.grow(leaf, || seeds(82));
            let (first, children) = tree.children(leaf).unwrap();
            leaves.extend(first..first + children.len() as Id);
        }
        let whole = drawn(&tree, Tree::ROOT);
        assert!(!tree.keep(Tree::ROOT, 0, || true));
        assert_eq!(drawn(&tree, Tree::ROOT), whole);
        assert!(tree.keep(Tree::ROOT, 0, || false));
        assert_eq!(drawn(&tree, Tree::ROOT), whole);
    }

    #[test]
    fn blocks_do_not_overlap() {
        let tree = Tree::new(64 << 20);
        tree.grow(Tree::ROOT, || seeds(500));
        let (first, _) = tree.children(Tree::ROOT).unwrap();
        let mut taken = std::collections::BTreeSet::new();
        for id in first..first + 500 {
            tree.grow(id, || seeds(300));
            let (start, children) = tree.children(id).unwrap();
            assert!((start..start + children.len() as u32).all(|i| taken.insert(i)));
        }
    }

    #[test]
    fn threads_agree_on_who_grows() {
        let tree = Tree::new(1 << 20);
        let made = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    tree.grow(Tree::ROOT, || {
                        made.fetch_add(1, Relaxed);
                        seeds(10)
                    })
                });
            }
        });
        assert_eq!(made.load(Relaxed), 1);
    }

    /// Points and visits of everything below an entry.
    fn drawn(tree: &Tree, id: Id) -> String {
        let entry = tree.entry(id);
        let below = tree.children(id).map_or(String::new(), |(first, children)| {
            let each: Vec<String> = (first..).zip(children).map(|(id, _)| drawn(tree, id)).collect();
            format!("({})", each.join(" "))
        });
        format!("{}:{}{below}", entry.point().raw(), entry.visits())
    }

    /// A tree of chance, its visits as a search leaves them.
    fn grown(rng: &mut crate::base::Rng) -> Tree {
        let tree = Tree::new(4 << 20);
        for _ in 0..300 {
            let mut id = Tree::ROOT;
            tree.entry(id).enter(1);
            while let Some((first, children)) = tree.children(id) {
                id = first + rng.below(children.len()).min(rng.below(children.len())) as Id;
                tree.entry(id).enter(1);
            }
            tree.grow(id, || seeds(1 + rng.below(90)));
        }
        tree
    }

    #[test]
    fn what_is_kept_is_as_it_was_and_takes_no_more_room() {
        let rng = &mut crate::base::Rng::new(8);
        for round in 0..20 {
            let mut tree = grown(rng);
            let (first, children) = tree.children(Tree::ROOT).unwrap();
            let top = if round % 2 == 0 { Tree::ROOT } else { first + rng.below(children.len()) as Id };
            let (wanted, before) = (drawn(&tree, top), tree.len());
            assert!(tree.keep(top, 0, || false));
            assert_eq!(drawn(&tree, Tree::ROOT), wanted);
            assert!(tree.len() <= before);
            // What grows afterwards begins anew.
            let used = tree.len();
            let leaf = (Tree::ROOT..).find(|&id| tree.children(id).is_none()).unwrap();
            tree.grow(leaf, || seeds(70));
            let (_, children) = tree.children(leaf).unwrap();
            assert!(children.iter().all(|child| child.visits() == 0 && child.first.load(Relaxed) == 0));
            assert!(tree.len() >= used + 70);
            assert!(tree.chunks.iter().skip(tree.len().div_ceil(CHUNK)).all(|chunk| chunk.get().is_none()));
        }
    }

    #[test]
    fn a_branch_keeps_what_it_knew() {
        let mut tree = Tree::new(1 << 20);
        tree.grow(Tree::ROOT, || seeds(5));
        let (first, _) = tree.children(Tree::ROOT).unwrap();
        let top = first + 2;
        tree.entry(top).enter(1);
        tree.entry(top).leave(WIN, 7, 0);
        tree.grow(top, || seeds(3));
        let (below, _) = tree.children(top).unwrap();
        tree.entry(below).enter(1);
        tree.entry(below).leave(0, -7, 0);
        tree.grow(below, || seeds(2));
        let (of_top, of_below) = (tree.entry(top).stats(), tree.entry(below).stats());
        assert!(tree.keep(top, 1, || false));
        assert_eq!(tree.entry(Tree::ROOT).stats(), of_top);
        let (id, children) = tree.children(Tree::ROOT).unwrap();
        assert_eq!(children.len(), 3);
        assert_eq!(children[0].stats(), of_below);
        assert_eq!(tree.children(id).unwrap().1.len(), 2);
        assert!(tree.keep(Tree::ROOT, 2, || false));
        let (id, _) = tree.children(Tree::ROOT).unwrap();
        assert!(tree.children(id).is_none());
    }
}
