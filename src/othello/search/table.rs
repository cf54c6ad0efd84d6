//! The transposition table, shared by all threads without a lock.
//!
//! An entry holds the whole position, so it can never be taken for another one, and a sequence word: odd while a
//! thread writes, changed after every write. A reader that saw it odd, or saw it change, takes nothing.

use super::memory::Memory;
use crate::othello::Board;
use std::sync::atomic::{AtomicU64, Ordering::*, fence};

/// No move in a slot of [`Entry::moves`].
pub(super) const NO_MOVE: u8 = 64;

/// What is known about a position. Bounds are in the unit of the search, seen by the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub lower: i16,
    pub upper: i16,
    /// Plies searched below the position.
    pub depth: u8,
    /// How sure the selective search was, [`super::probcut::Confidence`].
    pub confidence: u8,
    /// The best move and the one before it.
    pub moves: [u8; 2],
}

impl Entry {
    fn pack(self) -> u64 {
        u64::from(self.lower as u16)
            | u64::from(self.upper as u16) << 16
            | u64::from(self.depth) << 32
            | u64::from(self.confidence) << 40
            | u64::from(self.moves[0]) << 48
            | u64::from(self.moves[1]) << 56
    }

    fn unpack(word: u64) -> Entry {
        Entry {
            lower: word as u16 as i16,
            upper: (word >> 16) as u16 as i16,
            depth: (word >> 32) as u8,
            confidence: (word >> 40) as u8,
            moves: [(word >> 48) as u8, (word >> 56) as u8],
        }
    }
}

/// What a finished node knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableEntry {
    pub depth: u32,
    pub confidence: u8,
    pub alpha: i32,
    pub beta: i32,
    pub value: i32,
    pub best: u8,
}

/// The discs of the side to move, the opponent's, the packed entry, the sequence word: 48 bits of sequence number, odd
/// while being written, then 16 bits of age.
type Slot = [AtomicU64; 4];
pub(super) const SLOT_BYTES: u64 = size_of::<Slot>() as u64;
const PLAYER: usize = 0;
const OPPONENT: usize = 1;
const DATA: usize = 2;
const SEQUENCE_WORD: usize = 3;

const SEQUENCE: u64 = (1 << 48) - 1;

pub(super) struct Table {
    slots: Memory<Slot>,
    mask: u64,
    /// The number of the running search.
    age: u16,
    /// Entries of searches before this one are forgotten.
    since: u16,
}

/// Neighbouring slots where a position may lie: 128 bytes, a pair of cache lines.
const WAYS: u64 = 4;

#[inline]
pub(super) fn hash(board: Board) -> u64 {
    let mixed = board.player.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ board.opponent.rotate_left(29).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

impl Table {
    /// 2 to the power of `bits` entries, or as many as there is memory for.
    /// Whether a table of this size can be had; its size in bytes.
    pub fn fits(bits: u32) -> (bool, u64) {
        let length = 1usize.checked_shl(bits).unwrap_or(usize::MAX);
        (Memory::<Slot>::fits(length), (size_of::<Slot>() as u64) << bits)
    }

    pub fn new(bits: u32) -> Table {
        let size = 1usize << bits.clamp(2, 40);
        let slots = Memory::new(size).expect("memory for the smallest table");
        Table { mask: slots.len() as u64 - WAYS, slots, age: 1, since: 1 }
    }

    /// Has all memory at hand, which the system would otherwise give bit by bit.
    pub fn prepare(&mut self) {
        self.slots.clear();
    }

    /// Forgets everything. The entries stay where they are: to wipe them out would take longer than many a search.
    pub fn forget(&mut self) {
        self.new_generation();
        self.since = self.age;
    }

    /// A new search begins: what it does not touch may be overwritten first.
    pub fn new_generation(&mut self) {
        if self.age == u16::MAX {
            // The ages begin anew, and must not meet those of long ago.
            self.slots.clear();
            (self.age, self.since) = (0, 1);
        }
        self.age += 1;
    }

    /// Is the entry with this sequence word there, and not forgotten?
    #[inline]
    fn remembers(&self, sequence: u64) -> bool {
        sequence >> 48 >= u64::from(self.since)
    }

    #[inline]
    fn first(&self, hash: u64) -> usize {
        ((hash >> 20) & self.mask) as usize
    }

    #[inline]
    fn bucket(&self, hash: u64) -> &[Slot] {
        let first = self.first(hash);
        &self.slots[first..first + WAYS as usize]
    }

    /// This position will be looked up soon.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let first = self.first(hash);
        self.slots.prefetch(first);
        self.slots.prefetch(first + WAYS as usize / 2);
    }

    #[inline]
    pub fn probe(&self, board: Board, hash: u64) -> Option<Entry> {
        self.bucket(hash).iter().find_map(|slot| self.read(slot, board))
    }

    pub fn store(&self, board: Board, hash: u64, finding: &TableEntry) {
        let mut worst = None;
        let mut worst_rank = u32::MAX;
        for slot in self.bucket(hash) {
            let sequence = slot[SEQUENCE_WORD].load(Relaxed);
            let is_same = slot[PLAYER].load(Relaxed) == board.player && slot[OPPONENT].load(Relaxed) == board.opponent;
            if is_same && self.remembers(sequence) {
                return self.update(slot, board, sequence, finding);
            }
            let entry = Entry::unpack(slot[DATA].load(Relaxed));
            let mut rank = u32::from(entry.depth) << 8 | u32::from(entry.confidence);
            if sequence >> 48 == u64::from(self.age) {
                rank += 1 << 16;
            }
            if !self.remembers(sequence) {
                rank = 0;
            }
            if rank < worst_rank {
                (worst, worst_rank) = (Some((slot, sequence)), rank);
            }
        }
        if let Some((slot, sequence)) = worst {
            write(slot, board, sequence, self.age, fresh(finding));
        }
    }

    #[inline]
    fn read(&self, slot: &Slot, board: Board) -> Option<Entry> {
        if slot[PLAYER].load(Relaxed) != board.player {
            return None;
        }
        let before = slot[SEQUENCE_WORD].load(Acquire);
        let (player, opponent, data) =
            (slot[PLAYER].load(Relaxed), slot[OPPONENT].load(Relaxed), slot[DATA].load(Relaxed));
        fence(Acquire);
        let after = slot[SEQUENCE_WORD].load(Relaxed);
        let whole = before == after && before & 1 == 0 && self.remembers(before);
        (whole && player == board.player && opponent == board.opponent).then(|| Entry::unpack(data))
    }

    /// The slot seems to hold this position already: add to what it knows.
    fn update(&self, slot: &Slot, board: Board, sequence: u64, finding: &TableEntry) {
        let Some(old) = self.read(slot, board) else {
            return write(slot, board, sequence, self.age, fresh(finding));
        };
        let mut entry = fresh(finding);
        let weaker = (entry.depth, entry.confidence) < (old.depth, old.confidence);
        if (old.depth, old.confidence) == (entry.depth, entry.confidence) {
            // Same search: the bounds complete each other, unless a selective search contradicts itself.
            let (lower, upper) = (entry.lower.max(old.lower), entry.upper.min(old.upper));
            if lower <= upper {
                (entry.lower, entry.upper) = (lower, upper);
            }
        } else if weaker {
            // A weaker search says nothing new about the value.
            (entry.lower, entry.upper) = (old.lower, old.upper);
            (entry.depth, entry.confidence) = (old.depth, old.confidence);
        }
        entry.moves = match entry.moves[0] {
            NO_MOVE => old.moves,
            best if best == old.moves[0] => old.moves,
            best if weaker && old.moves[0] != NO_MOVE => [old.moves[0], best],
            best => [best, old.moves[0]],
        };
        write(slot, board, sequence, self.age, entry);
    }
}

fn fresh(finding: &TableEntry) -> Entry {
    let (lower, upper) = bounds(finding);
    Entry {
        lower,
        upper,
        depth: finding.depth as u8,
        confidence: finding.confidence,
        moves: [if finding.value > finding.alpha || finding.best != NO_MOVE { finding.best } else { NO_MOVE }, NO_MOVE],
    }
}

fn bounds(finding: &TableEntry) -> (i16, i16) {
    let value = finding.value as i16;
    (
        if finding.value > finding.alpha { value } else { i16::MIN },
        if finding.value < finding.beta { value } else { i16::MAX },
    )
}

fn write(slot: &Slot, board: Board, sequence: u64, age: u16, entry: Entry) {
    let number = sequence & SEQUENCE;
    let busy = (sequence & !SEQUENCE) | (number | 1);
    if sequence & 1 != 0 || slot[SEQUENCE_WORD].compare_exchange(sequence, busy, Acquire, Relaxed).is_err() {
        return; // Another thread writes here: its news is as good as ours.
    }
    fence(Release);
    slot[PLAYER].store(board.player, Relaxed);
    slot[OPPONENT].store(board.opponent, Relaxed);
    slot[DATA].store(entry.pack(), Relaxed);
    slot[SEQUENCE_WORD].store(u64::from(age) << 48 | (number.wrapping_add(2) & SEQUENCE), Release);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;

    fn finding(value: i32) -> TableEntry {
        TableEntry { depth: 7, confidence: 3, alpha: -64, beta: 64, value, best: 5 }
    }

    #[test]
    fn an_entry_goes_round() {
        let entry = Entry { lower: -8192, upper: 8192, depth: 60, confidence: 255, moves: [64, 7] };
        assert_eq!(Entry::unpack(entry.pack()), entry);
    }

    #[test]
    fn bounds_meet_and_moves_are_kept() {
        let table = Table::new(4);
        let board = Board::START;
        let key = hash(board);
        table.store(board, key, &TableEntry { alpha: 3, beta: 4, value: 6, ..finding(0) });
        table.store(board, key, &TableEntry { alpha: 7, beta: 8, value: 7, best: 9, ..finding(0) });
        let entry = table.probe(board, key).expect("stored");
        assert_eq!((entry.lower, entry.upper, entry.moves), (6, 7, [9, 5]));
        table.store(board, key, &TableEntry { depth: 2, value: 0, best: 10, ..finding(0) });
        let entry = table.probe(board, key).expect("stored");
        assert_eq!((entry.lower, entry.upper, entry.depth, entry.moves), (6, 7, 7, [9, 10]));
    }

    #[test]
    fn what_is_forgotten_is_as_if_it_had_never_been() {
        let mut table = Table::new(2);
        let boards: Vec<_> = (0..4).map(|n| Board::new(1 << n, 1 << (8 + n))).collect();
        boards.iter().for_each(|&board| table.store(board, hash(board), &finding(1)));
        assert!(boards.iter().all(|&board| table.probe(board, hash(board)).is_some()));
        table.new_generation();
        assert!(boards.iter().all(|&board| table.probe(board, hash(board)).is_some()), "only older");
        table.forget();
        assert!(boards.iter().all(|&board| table.probe(board, hash(board)).is_none()));
        let (board, key) = (boards[0], hash(boards[0]));
        table.store(board, key, &TableEntry { depth: 2, best: 9, ..finding(4) });
        let entry = table.probe(board, key).expect("stored");
        assert_eq!((entry.lower, entry.depth, entry.moves), (4, 2, [9, NO_MOVE]), "nothing of the old entry");
    }

    #[test]
    fn ages_that_begin_anew_bring_nothing_back() {
        let mut table = Table::new(2);
        let (board, key) = (Board::START, hash(Board::START));
        table.store(board, key, &finding(1));
        table.forget();
        for _ in 0..3 * usize::from(u16::MAX) {
            table.new_generation();
            assert_eq!(table.probe(board, key), None);
        }
        table.store(board, key, &finding(2));
        table.new_generation();
        assert_eq!(table.probe(board, key).map(|entry| entry.lower), Some(2));
    }

    /// Two threads write and read a tiny table: whatever comes back belongs to the position asked for.
    #[test]
    fn never_another_positions_data() {
        let table = Table::new(3);
        let value_of = |board: Board| (board.player.wrapping_mul(31) ^ board.opponent) as i32 & 63;
        std::thread::scope(|scope| {
            for seed in 0..3 {
                let table = &table;
                scope.spawn(move || {
                    let mut rng = Rng::new(seed);
                    let mut hits = 0;
                    for _ in 0..200_000 {
                        let board = Board::new(rng.below(4) as u64, (rng.below(4) as u64) << 8);
                        let key = hash(board);
                        if let Some(entry) = table.probe(board, key) {
                            hits += 1;
                            assert_eq!(i32::from(entry.lower), value_of(board));
                            assert_eq!(entry.lower, entry.upper);
                        }
                        table.store(board, key, &finding(value_of(board)));
                    }
                    assert!(hits > 1_000);
                });
            }
        });
    }
}
