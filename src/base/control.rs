//! The one link of a long piece of work to the outside: may it go on, and whom does it tell.

use std::sync::atomic::{AtomicBool, Ordering};

/// Lent to a search (or any other long work) for its duration. Each piece of work gets a stop flag of its own, so
/// that a stop meant for one can neither be lost nor hit the next.
pub struct Control<'a, T> {
    stop: &'a AtomicBool,
    tell: &'a (dyn Fn(&T) + Sync),
}

// Written out because a derived copy would ask the same of `T`, which is only ever lent.
impl<T> Clone for Control<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Control<'_, T> {}

impl<'a, T> Control<'a, T> {
    /// Watches `stop`, and tells `tell` what is found on the way.
    pub fn new(stop: &'a AtomicBool, tell: &'a (dyn Fn(&T) + Sync)) -> Self {
        Control { stop, tell }
    }

    /// Whether to stop now.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag itself, for threads that poll it in their inner loop.
    pub fn stop_flag(&self) -> &'a AtomicBool {
        self.stop
    }

    /// Passes on what is known so far.
    pub fn tell(&self, news: &T) {
        (self.tell)(news)
    }

    /// A control that is never stopped and tells nobody: for tools and tests.
    pub fn alone() -> Control<'static, T> {
        static GO_ON: AtomicBool = AtomicBool::new(false);
        Control { stop: &GO_ON, tell: &|_| {} }
    }
}
