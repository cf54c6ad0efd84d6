//! From a clock to the time for one move.

use super::Value;
use crate::{
    base::{Budget, Clock},
    othello::Move,
};
use std::time::Duration;

/// Kept back for every move to come: the way of the answer through pipes and a busy machine.
const MARGIN: Duration = Duration::from_millis(40);
/// Kept back for a moment at which the machine has no time for us at all; less in a period of some seconds, of which
/// nothing would be left otherwise.
const FLOOR: Duration = Duration::from_millis(400);

/// The time for a move with `empties` empty squares on the board.
pub fn budget(clock: &Clock, empties: u32) -> Budget {
    if let Some(byoyomi) = clock.byoyomi {
        let stones = byoyomi.stones_left.unwrap_or(byoyomi.stones).max(1);
        if byoyomi.stones_left.is_some() {
            // The running period has to last for the stones that are left in it.
            let share = clock.left / stones;
            return within(share, share * 2, clock.left, stones, FLOOR.min(clock.left / 10));
        }
        let period = byoyomi.period / stones;
        let main = share(clock.left, clock.increment, empties);
        return within(main.max(period), (main * 3).max(period), clock.left + period, 1, FLOOR);
    }
    let soft = share(clock.left, clock.increment, empties);
    within(soft, soft * 3, clock.left, moves_left(empties), FLOOR)
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
fn within(soft: Duration, hard: Duration, left: Duration, moves: u32, floor: Duration) -> Budget {
    let reserve = MARGIN * moves.min(30) + floor;
    let most = left.saturating_sub(reserve).max(left / (4 * moves)).min(left.saturating_sub(MARGIN).max(left / 4));
    let hard = hard.min(most);
    Budget { soft: soft.min(hard), hard }
}

/// Decides after every iteration whether another one is worth its time. A budget with room between its limits comes
/// from a clock: what an easy move does not use, a hard one may have. A fixed time for a move is simply used up.
pub(super) struct Patience {
    budget: Budget,
    last: Option<(Move, Value)>,
    /// Iterations in a row that did not change the move.
    steady: u32,
}

/// A move that stayed the best for so many iterations is easy.
const STEADY: u32 = 6;
/// Hundredths of a disc: so great a fall of the value since the last iteration means trouble.
const FALL: i32 = 200;

impl Patience {
    pub fn new(budget: Budget) -> Patience {
        Patience { budget, last: None, steady: 0 }
    }

    /// A search that is at this time through would be in time.
    pub fn affords(&self, through: Duration) -> bool {
        through <= self.budget.hard
    }

    /// `choices` is the number of moves there are to choose from.
    pub fn is_over(&mut self, best: Move, value: Value, elapsed: Duration, choices: usize) -> bool {
        let Budget { soft, hard } = self.budget;
        let same = self.last.is_none_or(|(mv, _)| mv == best);
        let fell = self.last.is_some_and(|(_, before)| value.hundredths() <= before.hundredths() - FALL);
        self.steady = if same { self.steady + 1 } else { 0 };
        self.last = Some((best, value));
        if soft == hard {
            return elapsed >= soft;
        }
        // An iteration takes longer than all before it together: one begun after half of the time would hardly end.
        let limit = match (same && !fell, self.steady >= STEADY) {
            _ if choices == 1 => Duration::ZERO,
            (false, _) => soft,
            (true, false) => soft / 2,
            (true, true) => soft / 3,
        };
        elapsed >= limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::Byoyomi, othello::Square};

    #[test]
    fn hard_moves_get_the_time_that_easy_ones_leave() {
        let second = Duration::from_secs(1);
        let budget = Budget { soft: 6 * second, hard: 18 * second };
        let [a, b] = [0, 1].map(|n| Move::from(Square::wrapping(n)));
        let at = |tenths: u32| second * tenths / 10;
        let value = Value::from_discs(2);
        // Half of the time for a move that stays, a third when it has stayed for long, all of it when it changes.
        let mut patience = Patience::new(budget);
        assert!(!patience.is_over(a, value, at(29), 5));
        assert!(!patience.is_over(b, value, at(59), 5));
        assert!(patience.is_over(b, value, at(30), 5));
        let mut patience = Patience::new(budget);
        let over: Vec<bool> = (0..7).map(|_| patience.is_over(a, value, at(20), 5)).collect();
        assert_eq!(over, [false, false, false, false, false, true, true]);
        // A value that falls is a reason to go on.
        assert!(!patience.is_over(a, Value::from_discs(0), at(59), 5));
        assert!(patience.is_over(a, Value::from_discs(0), at(60), 5));
        // Nothing to choose, nothing to think about.
        assert!(Patience::new(budget).is_over(a, value, Duration::ZERO, 1));
        // A fixed time is used up.
        let mut patience = Patience::new(Budget::exactly(second));
        assert!(!patience.is_over(a, value, at(9), 1) && patience.is_over(a, value, second, 1));
    }

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
    fn a_second_for_each_move_is_used() {
        let byoyomi = Byoyomi { period: Duration::from_secs(1), stones: 1, stones_left: Some(1) };
        let budget = budget(&Clock { byoyomi: Some(byoyomi), ..clock(1_000, 0) }, 40);
        assert!(budget.soft == budget.hard, "nothing is saved for later");
        assert!((800..950).contains(&budget.hard.as_millis()), "{budget:?}");
    }

    #[test]
    fn nothing_left_is_nothing_to_spend() {
        assert_eq!(budget(&clock(0, 0), 30).hard, Duration::ZERO);
    }
}
