//! What has to be known of a value: more than a window asks for is not found out.

use super::{Bound, Depth, Value};
use crate::othello::eval::DISC;

/// Of a value up to `alpha` it is enough to know that it is no more, of one from `beta` on that it is no less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    alpha: Value,
    beta: Value,
}

impl Window {
    /// Everything that a value can be.
    pub const WHOLE: Window = Window { alpha: Value::from_discs(-64), beta: Value::from_discs(64) };
    /// Who wins. Final scores are even, so that a win is at least +2.
    pub const SIGN: Window = Window { alpha: Value::from_discs(-1), beta: Value::from_discs(1) };

    /// `None` unless `alpha` is below `beta` and both are scores of a game.
    pub fn new(alpha: Value, beta: Value) -> Option<Window> {
        let (alpha, beta) = (alpha.max(Window::WHOLE.alpha), beta.min(Window::WHOLE.beta));
        (alpha < beta && Window::WHOLE.alpha <= beta && alpha <= Window::WHOLE.beta).then_some(Window { alpha, beta })
    }

    /// In discs.
    pub fn from_discs(alpha: i32, beta: i32) -> Option<Window> {
        Window::new(Value::from_discs(alpha), Value::from_discs(beta))
    }

    /// In the units of the evaluation: a value up to the first is at most alpha, one from the second on at least beta.
    /// What is open at an end has a limit there that no value reaches.
    pub(super) fn limits(self) -> (i32, i32) {
        let units = |value: Value| i64::from(value.hundredths()) * i64::from(DISC);
        let low = match self.alpha {
            alpha if alpha == Window::WHOLE.alpha => -64 * DISC - 1,
            alpha => units(alpha).div_euclid(100) as i32,
        };
        let high = match self.beta {
            beta if beta == Window::WHOLE.beta => 64 * DISC + 1,
            beta => -((-units(beta)).div_euclid(100) as i32),
        };
        (low, high)
    }

    /// How a value is said that was found to be beyond one end of the window.
    pub(super) fn said(self, value: Value, bound: Bound, depth: Depth) -> Value {
        let even = |hundredths: i32| Value::from_hundredths(hundredths * 200);
        match bound {
            Bound::Exact => value,
            Bound::Upper if depth.solved => even(self.alpha.hundredths().div_euclid(200)),
            Bound::Upper => self.alpha,
            Bound::Lower if depth.solved => even(-(-value.max(self.beta).hundredths()).div_euclid(200)),
            Bound::Lower => value.max(self.beta),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_something() {
        assert!(Window::from_discs(0, 0).is_none() && Window::from_discs(2, -2).is_none());
        assert!(Window::from_discs(64, 70).is_none() && Window::from_discs(-70, -64).is_none());
        assert_eq!(Window::from_discs(-70, 70), Some(Window::WHOLE));
    }

    #[test]
    fn limits_are_beyond_what_was_asked() {
        assert_eq!(Window::WHOLE.limits(), (-64 * DISC - 1, 64 * DISC + 1));
        assert_eq!(Window::SIGN.limits(), (-DISC, DISC));
        let odd = Window::new(Value::from_hundredths(-33), Value::from_hundredths(33)).unwrap();
        assert_eq!(odd.limits(), (-43, 43), "42.24 units");
    }

    #[test]
    fn proven_bounds_are_even() {
        let solved = |solved| Depth { plies: 9, percent: 100, solved };
        let window = Window::from_discs(-3, 1).unwrap();
        let said = |value, bound, proven| window.said(Value::from_discs(value), bound, solved(proven)).rounded();
        assert_eq!((said(9, Bound::Upper, true), said(9, Bound::Upper, false)), (-4, -3));
        assert_eq!((said(1, Bound::Lower, true), said(1, Bound::Lower, false)), (2, 1));
        assert_eq!((said(6, Bound::Lower, true), said(0, Bound::Exact, true)), (6, 0));
    }
}
