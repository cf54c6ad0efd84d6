//! A small network beside the sum of weights: what the patterns of a position say together.
//!
//! Every pattern entry has a row of [`WIDTH`] small numbers besides its weights. The rows of a position are summed,
//! cut to a range, mixed by an inner layer of [`INNER`] units, cut again and summed to what has to be added to the
//! plain sum of weights. Rows are the same for the whole game; the layers behind them go by its stage.
//!
//! Everything is done in whole numbers: rows in 1/256 cut at 0 and 255, inner weights in 1/64, inner units in 1/128 cut
//! at 0 and 127, the result in 1/64 of the unit of the evaluation.

use super::{
    Packing,
    patterns::{COUNT_SIZE, COUNTS, TABLES},
};

/// Numbers in a row.
pub const WIDTH: usize = 16;
/// Units behind them.
pub const INNER: usize = 16;
/// Sets of layers: one for every four plies.
pub const STAGES: usize = 15;

#[inline]
pub const fn stage(empties: u32) -> usize {
    let stage = 60usize.saturating_sub(empties as usize) / 4;
    if stage < STAGES { stage } else { STAGES - 1 }
}

/// What the whole numbers stand for.
pub const ROW_UNIT: f32 = 256.0;
pub const INNER_UNIT: f32 = 64.0;
pub const UNIT_UNIT: f32 = 128.0;
pub const RESULT_UNIT: f32 = 64.0;

/// The highest sum of rows, and of an inner unit.
pub const ROW_TOP: i16 = 255;
pub const UNIT_TOP: i32 = 127;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Row(pub [i8; WIDTH]);

impl Row {
    pub const ZERO: Row = Row([0; WIDTH]);
}

/// What is stored of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetParameters {
    /// By the parameter numbers of [`Packing`].
    pub rows: Vec<Row>,
    pub stages: Vec<Layers>,
}

/// What stands behind the rows in one stage of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layers {
    /// Added to the sum of rows.
    pub start: [i16; WIDTH],
    /// For each inner unit its weights.
    pub inner: [[i8; WIDTH]; INNER],
    pub inner_start: [i32; INNER],
    pub last: [i32; INNER],
    pub last_start: i32,
}

impl Layers {
    /// Numbers in one.
    pub const COUNT: usize = WIDTH + INNER * WIDTH + 2 * INNER + 1;

    pub fn numbers(&self) -> impl Iterator<Item = i32> + '_ {
        let start = self.start.iter().map(|&n| n.into());
        let inner = self.inner.iter().flatten().map(|&n| n.into());
        start.chain(inner).chain(self.inner_start).chain(self.last).chain([self.last_start])
    }

    /// `None` when there are too few or one of them does not fit.
    pub fn from_numbers(mut from: impl Iterator<Item = i32>) -> Option<Layers> {
        let mut layers = Layers {
            start: [0; WIDTH],
            inner: [[0; WIDTH]; INNER],
            inner_start: [0; INNER],
            last: [0; INNER],
            last_start: 0,
        };
        for n in &mut layers.start {
            *n = from.next()?.try_into().ok()?;
        }
        for n in layers.inner.iter_mut().flatten() {
            *n = from.next()?.try_into().ok()?;
        }
        for n in layers.inner_start.iter_mut().chain(&mut layers.last).chain([&mut layers.last_start]) {
            *n = from.next().filter(|n| n.unsigned_abs() < LARGEST)?;
        }
        Some(layers)
    }
}

/// From here on the sums of the last layers could overflow.
pub const LARGEST: u32 = 1 << 20;

/// Inner weights as vectors want them: for each four inputs those of all units.
pub type Mixed = [[[i8; 4]; INNER]; WIDTH / 4];

/// Layers as the kernels read them.
#[repr(C, align(32))]
pub struct Stage {
    pub mixed: Mixed,
    pub start: [i16; WIDTH],
    pub inner_start: [i32; INNER],
    pub last: [i32; INNER],
    pub last_start: i32,
}

impl From<&Layers> for Stage {
    fn from(layers: &Layers) -> Stage {
        let mixed = |four: usize, unit: usize| std::array::from_fn(|i| layers.inner[unit][4 * four + i]);
        Stage {
            mixed: std::array::from_fn(|four| std::array::from_fn(|unit| mixed(four, unit))),
            start: layers.start,
            inner_start: layers.inner_start,
            last: layers.last,
            last_start: layers.last_start,
        }
    }
}

/// A network as the search uses it.
pub struct Net {
    /// The rows of all table entries, then one of zeros for unused lanes.
    pub(super) rows: Box<[Row]>,
    pub(super) counts: [[Row; COUNT_SIZE]; COUNTS],
    pub(super) stages: Vec<Stage>,
}

impl Net {
    pub fn new(parameters: &NetParameters, packing: &Packing) -> Net {
        let mut rows = vec![Row::ZERO; TABLES + 1].into_boxed_slice();
        let (tables, _) = rows.split_at_mut(TABLES);
        packing.unfold(&parameters.rows, tables);
        let count = |c: usize, n: usize| parameters.rows[packing.len() - (COUNTS - c) * COUNT_SIZE + n];
        let counts = std::array::from_fn(|c| std::array::from_fn(|n| count(c, n)));
        Net { rows, counts, stages: parameters.stages.iter().map(Stage::from).collect() }
    }
}

/// The summed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Hidden(pub [i16; WIDTH]);

#[cfg(test)]
impl Net {
    /// The value in plain Rust, whatever the kernels are.
    pub fn plain_value(&self, board: crate::othello::Board) -> i32 {
        use super::{patterns, portable};
        let stage = &self.stages[stage(board.empty_count())];
        let counts = patterns::counts(board);
        let counted = std::array::from_fn(|c| &self.counts[c][counts[c]]);
        portable::forward(
            &portable::hidden(&portable::inside(&patterns::indices(board)), &self.rows, counted, &stage.start),
            stage,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let numbers = |at: usize, value: i32| (0..Layers::COUNT).map(move |i| if i == at { value } else { 1 });
        let refused = |at, value| Layers::from_numbers(numbers(at, value)).is_none();
        assert!(!refused(0, i16::MAX.into()) && refused(0, 40_000));
        assert!(!refused(WIDTH, 127) && refused(WIDTH, 128));
        let last = Layers::COUNT - 1;
        assert!(!refused(last, (1 << 20) - 1) && refused(last, 1 << 20) && refused(last, i32::MIN));
        assert!(Layers::from_numbers(numbers(0, 0).take(last)).is_none());
    }

    #[test]
    fn every_four_plies_are_a_stage() {
        assert_eq!([60, 57, 56, 3, 0].map(stage), [0, 0, 1, 14, 14]);
    }
}
