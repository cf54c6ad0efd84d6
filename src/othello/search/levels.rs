//! Levels 1 to 60 and the older pair of sliders: how deep and how surely to search with so many empty squares.

use super::probcut::Confidence;

/// How far a search looks, and how surely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SearchDepth {
    pub depth: u32,
    pub confidence: Confidence,
}

impl SearchDepth {
    #[inline]
    pub fn less(self, plies: u32) -> SearchDepth {
        SearchDepth { depth: self.depth.saturating_sub(plies), ..self }
    }
}

/// The strongest level.
pub const MOST: u8 = 60;

/// One level: a midgame depth, and from which numbers of empty squares down the game is searched to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// Plies and percent of the midgame search.
    pub mid: (u32, u8),
    /// (percent, empty squares): the largest number of empty squares from which the search goes to the end with that
    /// probability; surest last.
    pub end: [(u8, u32); 5],
}

const PERCENTS: [u8; 5] = [88, 93, 98, 99, 100];

impl Level {
    /// `level` is brought into the range 1 to 60.
    pub fn new(level: u8) -> Level {
        let level = u32::from(level.clamp(1, MOST));
        // Empty squares for 88, 93, 98, 99 and 100 percent; 0 where a level has no such step.
        let end = match level {
            1..=10 => [0, 0, 0, 0, 2 * level],
            11 | 12 => [0, 0, 25, 23, 21],
            13 | 14 => [0, 27, 25, 23, 21],
            15..=17 => [0, 0, 27, 24, 22],
            18 | 19 => [0, 29, 27, 24, 22],
            20..=22 => [0, 30, 28, 26, 24],
            23 | 24 => [0, 32, 30, 28, 26],
            25 | 26 => [34, 32, 30, 28, 26],
            27 | 28 => [36, 34, 32, 30, 28],
            // From here pairs of levels take turns: without and with a step of 88 percent.
            29..=50 => {
                let exact = 30 + (level - 29) / 4 * 2;
                let first = if (level - 29) % 4 < 2 { 0 } else { exact + 8 };
                [first, exact + 6, exact + 4, exact + 2, exact]
            }
            51 => [48, 46, 44, 42, 40],
            52 => [50, 48, 46, 44, 42],
            53 => [54, 52, 50, 48, 46],
            54 => [56, 54, 52, 50, 48],
            55 => [58, 56, 54, 52, 50],
            56 => [60, 58, 56, 54, 52],
            57 => [0, 60, 58, 56, 54],
            58 => [0, 0, 60, 58, 56],
            59 => [0, 0, 0, 60, 58],
            _ => [0, 0, 0, 0, 60],
        };
        let percent = match level {
            1..=10 | 60 => 100,
            11..=55 => 74,
            56 | 57 => 88,
            _ => 93,
        };
        Level { mid: (level, percent), end: std::array::from_fn(|i| (PERCENTS[i], end[i])) }
    }

    pub(super) fn reach(&self, empties: u32) -> SearchDepth {
        let (depth, percent) = match self.end.iter().rev().find(|&&(_, from)| empties <= from) {
            Some(&(percent, _)) => (empties, percent),
            None => self.mid,
        };
        SearchDepth { depth, confidence: Confidence::percent(percent.into()) }
    }
}

/// The two sliders of Egaroucid 5: midgame depth, and the empty squares from which the search goes to the end.
pub(super) fn sliders(mid: u32, end: u32, empties: u32) -> SearchDepth {
    let one_sided = |steps: &[(u32, f64)], at: u32| {
        steps.iter().find(|&&(up_to, _)| at <= up_to).map_or(Confidence::deviations(0.8), |&(_, t)| match t {
            0.0 => Confidence::EXACT,
            t => Confidence::deviations(t),
        })
    };
    const MID: [(u32, f64); 7] = [(10, 0.0), (12, 2.0), (14, 1.8), (16, 1.6), (18, 1.4), (20, 1.2), (22, 1.0)];
    const END: [(u32, f64); 7] = [(20, 0.0), (22, 1.8), (24, 1.7), (26, 1.6), (28, 1.4), (30, 1.2), (32, 1.0)];
    if empties <= end {
        SearchDepth { depth: empties, confidence: one_sided(&END, empties) }
    } else {
        SearchDepth { depth: mid.max(1), confidence: one_sided(&MID, mid) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(level: u8) -> String {
        let level = Level::new(level);
        let end: Vec<_> = level.end.iter().filter(|e| e.1 > 0).map(|(p, n)| format!("<={n}:{p}%")).collect();
        format!("{}@{}% {}", level.mid.0, level.mid.1, end.join(" "))
    }

    #[test]
    fn the_table_of_levels() {
        for (level, expected) in [
            (1, "1@100% <=2:100%"),
            (10, "10@100% <=20:100%"),
            (11, "11@74% <=25:98% <=23:99% <=21:100%"),
            (14, "14@74% <=27:93% <=25:98% <=23:99% <=21:100%"),
            (17, "17@74% <=27:98% <=24:99% <=22:100%"),
            (21, "21@74% <=30:93% <=28:98% <=26:99% <=24:100%"),
            (25, "25@74% <=34:88% <=32:93% <=30:98% <=28:99% <=26:100%"),
            (30, "30@74% <=36:93% <=34:98% <=32:99% <=30:100%"),
            (32, "32@74% <=38:88% <=36:93% <=34:98% <=32:99% <=30:100%"),
            (34, "34@74% <=38:93% <=36:98% <=34:99% <=32:100%"),
            (36, "36@74% <=40:88% <=38:93% <=36:98% <=34:99% <=32:100%"),
            (37, "37@74% <=40:93% <=38:98% <=36:99% <=34:100%"),
            (40, "40@74% <=42:88% <=40:93% <=38:98% <=36:99% <=34:100%"),
            (48, "48@74% <=46:88% <=44:93% <=42:98% <=40:99% <=38:100%"),
            (50, "50@74% <=46:93% <=44:98% <=42:99% <=40:100%"),
            (51, "51@74% <=48:88% <=46:93% <=44:98% <=42:99% <=40:100%"),
            (56, "56@88% <=60:88% <=58:93% <=56:98% <=54:99% <=52:100%"),
            (58, "58@93% <=60:98% <=58:99% <=56:100%"),
            (60, "60@100% <=60:100%"),
        ] {
            assert_eq!(text(level), expected);
        }
    }

    #[test]
    fn the_surest_step_that_reaches_wins() {
        let at = |empties| Level::new(21).reach(empties);
        assert_eq!((at(31).depth, at(31).confidence.as_percent()), (21, 74));
        assert_eq!((at(30).depth, at(30).confidence.as_percent()), (30, 93));
        assert_eq!((at(25).depth, at(25).confidence.as_percent()), (25, 99));
        assert_eq!((at(24).depth, at(24).confidence), (24, Confidence::EXACT));
    }

    #[test]
    fn sliders_as_of_old() {
        assert_eq!(sliders(10, 20, 30), SearchDepth { depth: 10, confidence: Confidence::EXACT });
        assert_eq!(sliders(15, 20, 20), SearchDepth { depth: 20, confidence: Confidence::EXACT });
        assert_eq!(sliders(15, 24, 24).confidence, Confidence::deviations(1.7));
        assert_eq!(sliders(30, 20, 40).confidence, Confidence::deviations(0.8));
    }
}
