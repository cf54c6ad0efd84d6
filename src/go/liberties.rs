//! A chain's liberties as three sums in one word, so that chains merge and lose a liberty by one addition.
//!
//! Every meeting of a stone with an empty point beside it counts once, so one liberty may count up to four times.
//! With n meetings, their sum s and sum of squares q, all meetings are at one point exactly when n * q = s * s: that
//! tells atari from safety, and s / n is the last liberty.

use super::point::Point;

/// From the top: 12 bits of meetings, 21 bits of sum, 31 bits of squares; enough for 2500 meetings at cell 702.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Liberties(u64);

const MEETINGS: u32 = 52;
const SUM: u32 = 31;

impl Liberties {
    pub const NONE: Liberties = Liberties(0);

    #[inline]
    const fn meeting(p: Point) -> u64 {
        let at = p.index() as u64;
        (1 << MEETINGS) + (at << SUM) + at * at
    }

    // Wrapping, because the entry that stands for "no chain" takes part in the sums to save branches.

    #[inline]
    pub const fn add(&mut self, p: Point) {
        self.0 = self.0.wrapping_add(Self::meeting(p));
    }

    #[inline]
    pub const fn add_if(&mut self, p: Point, really: bool) {
        self.0 = self.0.wrapping_add(Self::meeting(p) * really as u64);
    }

    /// Takes away one meeting, which must be there.
    #[inline]
    pub const fn remove(&mut self, p: Point) {
        self.0 = self.0.wrapping_sub(Self::meeting(p));
    }

    #[inline]
    pub const fn join(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// An upper bound of the number of liberties.
    #[inline]
    pub const fn meetings(self) -> u64 {
        self.0 >> MEETINGS
    }

    #[inline]
    const fn sum(self) -> u64 {
        (self.0 >> SUM) & ((1 << (MEETINGS - SUM)) - 1)
    }

    #[inline]
    const fn squares(self) -> u64 {
        self.0 & ((1 << SUM) - 1)
    }

    /// No liberty or one.
    #[inline]
    pub const fn at_most_one(self) -> bool {
        // A point has four cells beside it: more than four meetings are at more than one point.
        self.meetings() <= 4 && self.meetings() * self.squares() == self.sum() * self.sum()
    }

    /// The last liberty, if there is exactly one.
    #[inline]
    pub const fn last(self) -> Option<Point> {
        if self.is_none() || !self.at_most_one() {
            return None;
        }
        // Division by a constant each, for division by a variable is slow.
        let at = match self.meetings() {
            1 => self.sum(),
            2 => self.sum() / 2,
            3 => self.sum() / 3,
            _ => self.sum() / 4,
        };
        Some(Point::from_raw(at as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_liberty_is_told_from_more() {
        let cells = || (1..703u16).map(Point::from_raw);
        for a in cells().step_by(7) {
            for times in 1..=4 {
                let mut one = Liberties::NONE;
                (0..times).for_each(|_| one.add(a));
                assert_eq!(one.last(), Some(a));
            }
            for b in cells().filter(|&b| b != a) {
                let mut two = Liberties::NONE;
                two.add(a);
                two.add(b);
                assert_eq!(two.last(), None);
                two.add(b);
                assert!(!two.at_most_one());
                two.remove(a);
                assert_eq!(two.last(), Some(b));
            }
        }
        assert!(Liberties::NONE.is_none() && Liberties::NONE.at_most_one() && Liberties::NONE.last().is_none());
    }

    #[test]
    fn the_largest_chain_does_not_overflow() {
        let mut all = Liberties::NONE;
        (0..2500).for_each(|_| all.add(Point::from_raw(702)));
        assert_eq!((all.meetings(), all.sum(), all.squares()), (2500, 2500 * 702, 2500 * 702 * 702));
        assert!(!all.at_most_one());
    }
}
