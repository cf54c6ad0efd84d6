//! The one link of a long piece of work to the outside: may it go on, and whom does it tell.

use crossbeam_channel::{RecvTimeoutError, bounded};
use std::{
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

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

/// How often a stop is looked for while work on a thread of its own is waited for.
const LOOK: Duration = Duration::from_millis(2);
/// As much as the search thread has.
const STACK: usize = 64 << 20;

/// Does work that cannot be told to stop at any moment, such as reading a slow disk, on a thread of its own. `None`:
/// stopped first; the work then ends unheard, sooner if it looks at the flag it gets.
pub fn unless_stopped<T: Send + 'static>(
    stop: &AtomicBool,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send + 'static,
) -> Option<T> {
    let (send, done) = bounded(1);
    let given_up = Arc::new(AtomicBool::new(false));
    let flag = given_up.clone();
    let thread = std::thread::Builder::new()
        .name("aside".into())
        .stack_size(STACK)
        .spawn(move || send.send(work(&flag)).unwrap_or(()))
        .expect("the system has room for one thread");
    loop {
        match done.recv_timeout(LOOK) {
            Ok(result) => return Some(result),
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                given_up.store(true, Ordering::Relaxed);
                return None;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => resume_unwind(thread.join().err()?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn work_that_cannot_stop_is_left_behind() {
        let stop = AtomicBool::new(false);
        assert_eq!(unless_stopped(&stop, |_| 7), Some(7));
        stop.store(true, Ordering::Relaxed);
        let began = Instant::now();
        assert_eq!(unless_stopped(&stop, |_| std::thread::sleep(Duration::from_secs(20))), None);
        assert!(began.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_panic_there_is_a_panic_here() {
        let stop = AtomicBool::new(false);
        let panicked = std::panic::catch_unwind(|| unless_stopped(&stop, |_| panic!("on purpose")));
        assert!(panicked.is_err());
    }
}
