//! How hard a position is for a person.

use super::Likely;
use crate::othello::Square;

pub use crate::engine::Difficulty;

/// A move that loses no more than this, in discs, counts as found.
const NEARLY: f64 = 1.0;

impl Difficulty {
    /// From what is played and what it is worth; a move without a value counts as the worst that has one.
    pub fn new(likely: &[Likely], values: &[(Square, f64)]) -> Option<Difficulty> {
        let best = values.iter().map(|(_, value)| *value).reduce(f64::max)?;
        let worst = values.iter().map(|(_, value)| *value).reduce(f64::min)?;
        let loss = |square: Square| {
            best - values.iter().find(|(other, _)| *other == square).map_or(worst, |(_, value)| *value)
        };
        let found = likely.iter().filter(|move_| loss(move_.square) <= NEARLY + 1e-9);
        Some(Difficulty {
            expected_loss: likely.iter().map(|move_| move_.probability * loss(move_.square)).sum(),
            chance: found.map(|move_| move_.probability).sum(),
        })
    }
}
