//! How many requests were answered and how fast, told now and then to who waits for a long batch.

use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_secs(1);

pub struct Status {
    began: Instant,
    told: Instant,
    answered: u64,
}

impl Status {
    pub fn begin() -> Status {
        Status { began: Instant::now(), told: Instant::now(), answered: 0 }
    }

    /// Counts some more; the line to write when it is time, or at the end.
    pub fn count(&mut self, answers: u64, end: bool) -> Option<String> {
        self.answered += answers;
        if !end && self.told.elapsed() < PAUSE {
            return None;
        }
        self.told = Instant::now();
        let (answered, seconds) = (self.answered, self.began.elapsed().as_secs_f64());
        let rate = answered as f64 / seconds.max(1e-3);
        Some(format!("status {answered} answered in {seconds:.1} s, {rate:.1} a second\n"))
    }
}
