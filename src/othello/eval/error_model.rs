//! How far a shallow search lies from a deep one: the fitted model that Multi-ProbCut cuts by.

use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

pub const TERMS: usize = 7;

/// What the logarithm of the deviation is linear in. Depths of different parity look at the game after a move of
/// different sides and lie further apart. For searches to the end
/// the empty squares are the deep depth, and what is measured near the end must carry far: only slow terms are left.
pub fn terms(empties: u32, shallow: u32, deep: u32, to_end: bool) -> [f64; TERMS] {
    let [e, s, d] = [empties, shallow, deep].map(f64::from);
    let stage = if to_end { 0.0 } else { e / 60.0 };
    let gap = (1.0 + d - s).max(1.0).ln();
    let odd = f64::from(deep.abs_diff(shallow) % 2);
    [1.0, stage, stage * stage, (1.0 + s).ln(), gap, s / 10.0, odd]
}

/// Factors of [`terms`], for searches that stop in the midgame and for searches to the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorModel {
    pub midgame: [f64; TERMS],
    pub to_end: [f64; TERMS],
}

impl ErrorModel {
    /// The model fitted to the built-in weights.
    pub fn builtin() -> &'static ErrorModel {
        static MODEL: LazyLock<ErrorModel> = LazyLock::new(|| {
            serde_json::from_str(include_str!("../../../resources/probcut.json")).expect("a test reads the model")
        });
        &MODEL
    }

    /// The deviation of (deep − shallow) in discs.
    pub fn sigma(&self, empties: u32, shallow: u32, deep: u32, to_end: bool) -> f64 {
        let factors = if to_end { &self.to_end } else { &self.midgame };
        let log: f64 = terms(empties, shallow, deep, to_end).iter().zip(factors).map(|(t, f)| t * f).sum();
        log.exp()
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_model_is_sane() {
        let model = ErrorModel::builtin();
        for empties in 8..=54 {
            for deep in 3..=empties.min(24) {
                let sigma = |shallow, end| model.sigma(empties, shallow, deep, end);
                assert!(
                    (0.3..20.0).contains(&sigma(deep / 2, false)) && (0.3..20.0).contains(&sigma(deep / 3, true)),
                    "{empties} {deep}"
                );
                // Looking further ahead brings the shallow search nearer.
                assert!(sigma(deep / 2, false) < sigma(0, false));
            }
        }
    }

    #[test]
    fn a_model_goes_round() {
        let model = ErrorModel { midgame: [1.0, 2.0, 3.0, 4.0, 5.0, 0.5, -1.0], to_end: [0.25; TERMS] };
        assert_eq!(serde_json::from_str::<ErrorModel>(&model.to_json()).unwrap(), model);
    }
}
