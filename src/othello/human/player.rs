//! An opponent that errs as people of some strength do.

use super::{Likely, Rating};
use crate::{base::Rng, othello::Square};

/// What a disc counts for a player of average strength, in units of ln p.
const DISC_WEIGHT: f64 = 0.15;
/// It doubles with so many points of rating: who is stronger sees more of what a search sees.
const DOUBLING: f64 = 200.0;

/// How the human player plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    pub rating: Rating,
    /// A move that loses more discs than this is never played.
    pub max_loss: f64,
}

/// The probability of each move for this player: what people play, leaning towards what a search finds good.
pub fn chances(likely: &[Likely], values: &[(Square, f64)], style: Style) -> Vec<Likely> {
    let best = values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
    let weight = DISC_WEIGHT * 2f64.powf((style.rating.0 - Rating::MEAN.0) / DOUBLING);
    let score = |likely: &Likely| {
        let value = values.iter().find(|(square, _)| *square == likely.square)?.1;
        let loss = best - value;
        (loss <= style.max_loss + 1e-9).then(|| likely.probability.max(1e-6).ln() - weight * loss)
    };
    let scored: Vec<(Square, f64)> = likely.iter().filter_map(|likely| Some((likely.square, score(likely)?))).collect();
    let top = scored.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scored.iter().map(|(_, score)| (score - top).exp()).sum();
    scored.into_iter().map(|(square, score)| Likely { square, probability: (score - top).exp() / sum }).collect()
}

/// One of the moves at random, by its probability.
pub fn choose(chances: &[Likely], rng: &mut Rng) -> Option<Square> {
    let mut left = rng.unit();
    for likely in chances {
        left -= likely.probability;
        if left < 0.0 {
            return Some(likely.square);
        }
    }
    chances.last().map(|likely| likely.square)
}
