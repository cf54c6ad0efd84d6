//! Many threads on one tree: young siblings wait, unless they are sure to be needed.
//!
//! When threads are idle and a node has searched its first moves, or is expected to need all of them ([`Answer::No`]), the
//! moves that are left become a *split*: any idle thread takes the next of them until none is left. The thread that opened
//! a split takes part like the others, and while it waits for the last of them it helps in splits below its own and
//! nowhere else, so that nobody waits in a circle. The moves of the root are shared out like those of any other node. One
//! split of sure need is kept in store before anybody is idle: it lies as high in the tree as they come, and who becomes
//! idle need not wait for the next.

use super::{
    midgame::{Answer, Line, Position, Question},
    ordering::Handed,
    tuned,
    worker::Worker,
};
use crate::othello::search::levels::SearchDepth;
use macro_rules_attribute::apply;
use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering::*},
};

/// How long an idle thread looks for work before it sleeps, in turns of a short loop: up to a millisecond, since
/// being woken takes longer than many splits do.
const SPINS: u32 = 20_000;
/// How often it gives way meanwhile: with more threads than cores somebody may be waiting for this one.
const YIELD_EVERY: u32 = 256;

/// A node whose remaining moves are shared out.
pub(super) struct Split {
    parent: Option<Arc<Split>>,
    moves: Vec<Handed>,
    /// The place of the first of them in the order of the node; `None` where late moves are searched like the others.
    place: Option<usize>,
    next: AtomicUsize,
    reach: SearchDepth,
    expected: Answer,
    alpha: AtomicI32,
    beta: i32,
    best: Mutex<Best>,
    /// A move was good enough: the others need not be searched.
    cut: AtomicBool,
    /// Threads that work here.
    busy: AtomicUsize,
    /// It counts no longer as [`Pool::store`].
    spent: AtomicBool,
}

/// What a node knows of its best move.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub value: i32,
    pub square: u8,
    pub line: Line,
}

impl Split {
    fn has_work(&self) -> bool {
        self.next.load(Relaxed) < self.moves.len() && !self.cut.load(Relaxed)
    }

    /// Does no thread work here any more?
    fn is_empty(&self) -> bool {
        self.busy.load(Acquire) == 0
    }

    /// Has this node, or one above it, become pointless?
    pub fn is_cut(&self) -> bool {
        self.cut.load(Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_cut())
    }

    fn is_below(&self, other: &Arc<Split>) -> bool {
        let mut at = self.parent.as_ref();
        while let Some(split) = at {
            if Arc::ptr_eq(split, other) {
                return true;
            }
            at = split.parent.as_ref();
        }
        false
    }
}

/// Where splits are offered and idle threads wait.
#[derive(Default)]
pub(super) struct Pool {
    open: Mutex<Open>,
    news: Condvar,
    idle: AtomicUsize,
    /// Threads that came to help.
    helpers: AtomicUsize,
    /// Splits with moves that nobody has taken.
    store: AtomicUsize,
    /// Counts what an idle thread may have waited for, to be looked at without a lock: as long as it stands still there is
    /// no new work.
    events: AtomicUsize,
    /// How many splits have been cut: as long as it stands still nobody's work has become pointless.
    cuts: AtomicUsize,
}

#[derive(Default)]
struct Open {
    splits: Vec<Arc<Split>>,
    closing: bool,
}

impl Pool {
    /// Is there a thread without work?
    #[inline]
    pub fn wants_work(&self) -> bool {
        self.idle.load(Relaxed) > 0
    }

    /// Will a thread that becomes idle find nothing to do?
    #[inline]
    pub fn wants_store(&self) -> bool {
        self.store.load(Relaxed) == 0 && self.helpers.load(Relaxed) > 0
    }

    #[inline]
    pub fn cuts(&self) -> usize {
        self.cuts.load(Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the helpers away when it is dropped, whatever the reason.
    pub fn closer(&self) -> impl Drop {
        struct Closer<'a>(&'a Pool);
        impl Drop for Closer<'_> {
            fn drop(&mut self) {
                self.0.lock().closing = true;
                self.0.announce();
            }
        }
        Closer(self)
    }

    /// Tells idle threads, whether they sleep or not, that there is something new.
    fn announce(&self) {
        self.events.fetch_add(1, Release);
        self.news.notify_all();
    }

    fn offer(&self, split: &Arc<Split>) {
        self.store.fetch_add(1, Relaxed);
        self.lock().splits.push(Arc::clone(split));
        self.announce();
    }

    /// A split has no more moves to be taken.
    fn spend(&self, split: &Split) {
        if !split.spent.swap(true, Relaxed) {
            self.store.fetch_sub(1, Relaxed);
        }
    }

    fn withdraw(&self, split: &Arc<Split>) {
        self.spend(split);
        self.lock().splits.retain(|other| !Arc::ptr_eq(other, split));
    }

    /// A thread leaves a split it had joined.
    fn leave(&self, split: &Split) {
        if split.busy.fetch_sub(1, AcqRel) == 1 {
            // The lock makes sure that the owner either sees the change or is already waiting for the news.
            drop(self.lock());
            self.news.notify_all();
        }
    }

    /// Waits for a split to join: any for a helper, one below `own` for its owner, who gets none once his split is
    /// empty. `None` for a helper when the pool closes.
    fn wait(&self, own: Option<&Arc<Split>>) -> Option<Arc<Split>> {
        self.idle.fetch_add(1, Relaxed);
        let found = self.look_out(own).unwrap_or_else(|| {
            let mut open = self.lock();
            loop {
                if let Some(found) = open.ask(own) {
                    break found;
                }
                open = self.news.wait(open).unwrap_or_else(PoisonError::into_inner);
            }
        });
        self.idle.fetch_sub(1, Relaxed);
        found
    }

    /// Looks for an answer as [`Open::ask`] gives it, for some time, without sleeping.
    fn look_out(&self, own: Option<&Arc<Split>>) -> Option<Option<Arc<Split>>> {
        let mut seen = None;
        for spin in 1..=SPINS {
            let events = Some(self.events.load(Acquire));
            if events != seen || own.is_some_and(|own| own.is_empty()) {
                if let Some(answer) = self.lock().ask(own) {
                    return Some(answer);
                }
                seen = events;
            }
            if spin.is_multiple_of(YIELD_EVERY) {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
        None
    }
}

impl Open {
    /// The split to join, or none because there is no reason to wait any longer; no answer while there is.
    fn ask(&self, own: Option<&Arc<Split>>) -> Option<Option<Arc<Split>>> {
        if own.is_some_and(|own| own.is_empty()) {
            return Some(None);
        }
        let fits = |split: &&Arc<Split>| split.has_work() && own.is_none_or(|own| split.is_below(own));
        if let Some(split) = self.splits.iter().find(fits) {
            split.busy.fetch_add(1, Relaxed);
            return Some(Some(Arc::clone(split)));
        }
        (own.is_none() && self.closing).then_some(None)
    }
}

impl Worker<'_> {
    /// The life of a helping thread.
    #[apply(tuned)]
    pub fn help(&mut self) {
        let pool = &self.shared.pool;
        pool.helpers.fetch_add(1, Relaxed);
        while let Some(split) = pool.wait(None) {
            self.join(&split);
        }
        self.flush();
    }

    /// Searches `moves`, of which the first has this place in the order (see [`Split::place`]), together with idle threads;
    /// `best` is what was found before them. Returns the best of all.
    #[apply(tuned)]
    pub fn split(
        &mut self,
        moves: Vec<Handed>,
        place: Option<usize>,
        window: (i32, i32),
        reach: SearchDepth,
        expected: Answer,
        best: Best,
    ) -> Best {
        let split = Arc::new(Split {
            parent: self.split.clone(),
            moves,
            place,
            next: AtomicUsize::new(0),
            reach,
            expected,
            alpha: AtomicI32::new(window.0),
            beta: window.1,
            best: Mutex::new(best),
            cut: AtomicBool::new(false),
            busy: AtomicUsize::new(1),
            spent: AtomicBool::new(false),
        });
        let pool = &self.shared.pool;
        pool.offer(&split);
        self.join(&split);
        pool.withdraw(&split);
        while let Some(below) = pool.wait(Some(&split)) {
            self.join(&below);
        }
        // Another thread may have stopped before this one noticed, and left its move unfinished.
        self.halted |= self.is_pointless();
        *split.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes part in a split until it has no more moves to search.
    #[apply(tuned)]
    fn join(&mut self, split: &Arc<Split>) {
        let outer = self.split.replace(Arc::clone(split));
        self.cuts_seen = None;
        while !self.halted {
            let number = split.next.fetch_add(1, Relaxed);
            let Some((child, square)) = split.moves.get(number) else { break };
            if number + 1 == split.moves.len() {
                self.shared.pool.spend(split);
            }
            self.search_sibling(split, number, child, *square);
        }
        self.split = outer;
        // Stopped because of this split alone: the nodes above go on.
        self.halted = self.is_pointless();
        self.flush();
        self.shared.pool.leave(split);
    }

    #[apply(tuned)]
    fn search_sibling(&mut self, split: &Split, number: usize, child: &Position, square: u32) {
        let mut line = Line::EMPTY;
        let reach = split.reach.less(1);
        let alpha = split.alpha.load(Relaxed);
        let place = split.place.map_or(0, |first| first + number);
        let mut value = self.try_move(child, place, Question { alpha, expected: split.expected }, split.reach);
        if value > alpha && value < split.beta && !self.halted {
            let alpha = split.alpha.load(Relaxed);
            value = -self.pv_search(child, -split.beta, -alpha, reach, &mut line);
        }
        if self.halted {
            return;
        }
        let mut best = split.best.lock().unwrap_or_else(PoisonError::into_inner);
        if value > best.value {
            best.value = value;
            if value > split.alpha.load(Relaxed) {
                best.line.set(square as u8, &line);
                split.alpha.fetch_max(value, Relaxed);
            }
            best.square = square as u8;
            if value >= split.beta {
                split.cut.store(true, Relaxed);
                self.shared.pool.spend(split);
                self.shared.pool.cuts.fetch_add(1, Release);
                self.halted = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Board, search::probcut::Confidence};

    /// A split with so many moves, which nobody searches.
    fn split(moves: usize) -> Arc<Split> {
        Arc::new(Split {
            parent: None,
            moves: vec![(Position::new(Board::START), 19); moves],
            place: None,
            next: AtomicUsize::new(0),
            reach: SearchDepth { depth: 20, confidence: Confidence::EXACT },
            expected: Answer::No,
            alpha: AtomicI32::new(0),
            beta: 1,
            best: Mutex::new(Best { value: 0, square: 64, line: Line::EMPTY }),
            cut: AtomicBool::new(false),
            busy: AtomicUsize::new(1),
            spent: AtomicBool::new(false),
        })
    }

    #[test]
    fn there_is_something_in_store_until_the_last_move_is_taken() {
        let pool = Pool::default();
        assert!(!pool.wants_store(), "there is nobody to take anything");
        pool.helpers.fetch_add(1, Relaxed);
        assert!(pool.wants_store());
        let (first, second) = (split(3), split(2));
        pool.offer(&first);
        assert!(!pool.wants_store());
        pool.offer(&second);
        pool.spend(&first);
        assert!(!pool.wants_store(), "the second one is left");
        // Taken to the last move, then cut, then withdrawn: it counts once.
        pool.spend(&first);
        pool.withdraw(&first);
        assert!(!pool.wants_store());
        pool.withdraw(&second);
        assert!(pool.wants_store());
        assert_eq!(pool.store.load(Relaxed), 0);
        assert!(pool.lock().splits.is_empty());
    }

    #[test]
    fn an_owner_helps_below_his_own_split_and_nowhere_else() {
        let pool = Pool::default();
        let (own, strange) = (split(1), split(1));
        own.next.store(1, Relaxed);
        pool.offer(&strange);
        assert!(pool.lock().ask(Some(&own)).is_none(), "he waits");
        let below = Arc::new(Split { parent: Some(Arc::clone(&own)), ..Arc::into_inner(split(1)).expect("only ours") });
        pool.offer(&below);
        let found = pool.wait(Some(&own)).expect("there is one below");
        assert!(Arc::ptr_eq(&found, &below));
        assert!(Arc::ptr_eq(&pool.wait(None).expect("anything will do"), &strange));
        // Nobody works in his own any more: there is nothing to wait for, whatever is offered.
        pool.leave(&own);
        assert!(pool.wait(Some(&own)).is_none());
        assert_eq!((pool.idle.load(Relaxed), below.busy.load(Relaxed)), (0, 2));
    }
}
