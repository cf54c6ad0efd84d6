//! From a clock to the time for one move.

use crate::base::{Budget, Clock};
use std::time::Duration;

/// Kept back on every move for the way of the answer through pipes and a busy machine.
const MARGIN: Duration = Duration::from_millis(40);

/// The time for a move with `empties` empty squares on the board.
pub fn budget(clock: &Clock, empties: u32) -> Budget {
    if let Some(byoyomi) = clock.byoyomi {
        let stones = byoyomi.stones_left.unwrap_or(byoyomi.stones).max(1);
        if byoyomi.stones_left.is_some() {
            // The running period has to last for the stones that are left in it.
            let share = clock.left / stones;
            return within(share, share * 2, clock.left, stones);
        }
        let period = byoyomi.period / stones;
        let main = share(clock.left, clock.increment, empties);
        return within(main.max(period), (main * 3).max(period), clock.left + period, 1);
    }
    let soft = share(clock.left, clock.increment, empties);
    within(soft, soft * 3, clock.left, moves_left(empties))
}

/// Our own moves still to come, this one included.
fn moves_left(empties: u32) -> u32 {
    empties.div_ceil(2).max(1)
}

/// The part of the remaining time for this move: the last moves are solved at once and need next to nothing, the
/// moves before the solve need most.
fn share(left: Duration, increment: Duration, empties: u32) -> Duration {
    let moves = moves_left(empties);
    let costly = moves.saturating_sub(8).max(2);
    left / (costly + 1) + increment * 3 / 4
}

/// Never so much that the moves after this one could not be made at all.
fn within(soft: Duration, hard: Duration, left: Duration, moves: u32) -> Budget {
    let reserve = MARGIN * moves.min(30);
    let most = left.saturating_sub(reserve).max(left / (4 * moves)).min(left.saturating_sub(MARGIN).max(left / 4));
    let hard = hard.min(most);
    Budget { soft: soft.min(hard), hard }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Byoyomi;

    fn clock(left_ms: u64, increment_ms: u64) -> Clock {
        Clock { left: Duration::from_millis(left_ms), increment: Duration::from_millis(increment_ms), byoyomi: None }
    }

    #[test]
    fn a_whole_game_fits_into_its_clock() {
        for (total, increment) in [(5_000, 100), (60_000, 0), (1_000, 0), (300_000, 2_000)] {
            let mut left = total;
            for empties in (1..=60).rev().step_by(2) {
                let budget = budget(&clock(left, increment), empties);
                assert!(budget.soft <= budget.hard);
                // Even if every search runs to its very end and the answer takes 20 ms more.
                let used = budget.hard.as_millis() as u64 + 20;
                assert!(used <= left, "{total} {increment} {empties} {left} {budget:?}");
                left = left - used + increment;
            }
        }
    }

    #[test]
    fn byoyomi_periods_are_kept() {
        for stones_left in [Some(5), Some(1), None] {
            let byoyomi = Byoyomi { period: Duration::from_secs(10), stones: 5, stones_left };
            let left = if stones_left.is_some() { 10_000 } else { 0 };
            let budget = budget(&Clock { byoyomi: Some(byoyomi), ..clock(left, 0) }, 40);
            assert!(budget.hard <= Duration::from_secs(10) && budget.soft >= Duration::from_millis(900), "{budget:?}");
        }
    }

    #[test]
    fn nothing_left_is_nothing_to_spend() {
        assert_eq!(budget(&clock(0, 0), 30).hard, Duration::ZERO);
    }
}
