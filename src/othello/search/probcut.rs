//! Multi-ProbCut: a shallow search whose result lies far outside the window stands for the deep one.
//!
//! How far it usually lies off comes from the [`ErrorModel`], which `shirokuro train probcut` fits to the weights.

use crate::othello::eval::error_model::ErrorModel;
use std::sync::LazyLock;

/// How sure a selective search has to be before it cuts, in fortieths of a standard deviation; 255 cuts never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(pub(super) u8);

impl Confidence {
    pub const EXACT: Confidence = Confidence(255);
    /// Right in 74 of 100 cases: a first look.
    pub const ROUGH: Confidence = Confidence(45);
    const STEPS: f64 = 40.0;

    /// So many standard deviations.
    pub fn deviations(t: f64) -> Confidence {
        Confidence((t * Self::STEPS).round().clamp(1.0, 254.0) as u8)
    }

    /// The two-sided probability of the normal distribution that a cut is right; 100 and more cut never.
    pub fn percent(percent: f64) -> Confidence {
        if percent >= 100.0 {
            return Confidence::EXACT;
        }
        let (mut low, mut high) = (0.0, 6.0);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if 100.0 * two_sided(middle) < percent { low = middle } else { high = middle }
        }
        Confidence::deviations(low)
    }

    /// The percentage to show to people.
    pub fn as_percent(self) -> u8 {
        if self == Confidence::EXACT { 100 } else { (100.0 * two_sided(self.t())).round().clamp(0.0, 99.0) as u8 }
    }

    /// The same as the manual of the sliders counts: only a value that is too high would be a wrong cut.
    pub fn as_one_sided_percent(self) -> u8 {
        if self == Confidence::EXACT {
            100
        } else {
            (50.0 * (1.0 + two_sided(self.t()))).round().clamp(0.0, 99.0) as u8
        }
    }

    pub fn is_exact(self) -> bool {
        self == Confidence::EXACT
    }

    /// Standard deviations.
    pub fn t(self) -> f64 {
        f64::from(self.0) / Self::STEPS
    }
}

/// The part of a normal distribution within `t` deviations of its mean (Abramowitz and Stegun 7.1.26).
fn two_sided(t: f64) -> f64 {
    let x = t / std::f64::consts::SQRT_2;
    let k = 1.0 / (1.0 + 0.327_591_1 * x);
    let poly =
        k * (0.254_829_592 + k * (-0.284_496_736 + k * (1.421_413_741 + k * (-1.453_152_027 + k * 1.061_405_429))));
    1.0 - poly * (-x * x).exp()
}

/// The least depth at which a cut is tried.
pub(super) const LEAST_DEPTH: u32 = 3;

/// The depth of the shallow search for a deep one of `depth` plies; `to_end` when the deep one reaches the end.
pub(super) fn shallow_depth(depth: u32, to_end: bool) -> u32 {
    let part = if to_end { depth / 3 } else { depth / 2 };
    (part & !1) + (depth & 1)
}

/// The deviation of (deep − shallow) in discs, with `empties` empty squares on the board and the shallow depth of
/// [`shallow_depth`].
#[inline]
pub(super) fn sigma(empties: u32, deep: u32) -> f64 {
    DEVIATIONS[usize::from(deep >= empties)][(empties & 63) as usize][(deep & 63) as usize]
}

/// The model's deviations: for searches into the midgame and to the end, by empty squares and depth.
static DEVIATIONS: LazyLock<Box<[[[f64; 64]; 64]; 2]>> = LazyLock::new(|| {
    let model = ErrorModel::builtin();
    let mut table = Box::new([[[0.0; 64]; 64]; 2]);
    for (to_end, by_empties) in [false, true].into_iter().zip(table.iter_mut()) {
        for (empties, by_depth) in (0..).zip(by_empties) {
            for (deep, deviation) in (0..).zip(by_depth) {
                *deviation = model.sigma(empties, shallow_depth(deep, to_end), deep, to_end);
            }
        }
    }
    table
});

/// Makes that table now.
pub(super) fn make_table() {
    LazyLock::force(&DEVIATIONS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_go_round() {
        for percent in [50, 74, 88, 93, 98, 99, 100] {
            assert_eq!(Confidence::percent(f64::from(percent)).as_percent(), percent);
        }
        assert_eq!(Confidence::percent(74.0), Confidence::ROUGH);
        let one_sided = |t| Confidence::deviations(t).as_one_sided_percent();
        assert_eq!([one_sided(2.0), one_sided(1.8), one_sided(1.0), one_sided(0.8)], [98, 96, 84, 79]);
        assert!((Confidence::percent(74.0).t() - 1.13).abs() < 0.02);
        assert!((Confidence::percent(99.0).t() - 2.57).abs() < 0.03);
    }
}
