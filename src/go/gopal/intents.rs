//! Intents that last: a side that goes on with the intent of its last moves prefers candidates of that intent.

use super::forest::Candidate;
use crate::base::Colour;
use std::sync::Arc;

/// The intents of the last two moves of either side, the latest first. `None`: no rule suggested the move.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intents([[Option<Arc<str>>; 2]; 2]);

impl Intents {
    pub fn record(&mut self, colour: Colour, intent: Option<Arc<str>>) {
        let [last, before] = &mut self.0[colour.index()];
        *before = std::mem::replace(last, intent);
    }

    /// How much of a bonus a candidate of this intent gets: all of it for the intent of the last move, half for that
    /// of the move before it.
    fn share(&self, colour: Colour, bonus: i64, intent: &str) -> i64 {
        let [last, before] = &self.0[colour.index()];
        let same = |other: &Option<Arc<str>>| other.as_deref() == Some(intent);
        match (same(last), same(before)) {
            (true, _) => bonus,
            (false, true) => bonus / 2,
            (false, false) => 0,
        }
    }

    /// Adds the bonus to the weights of the candidates and puts them in order again.
    pub fn prefer(&self, colour: Colour, bonus: i64, candidates: &mut [Candidate]) {
        if bonus == 0 {
            return;
        }
        for candidate in candidates.iter_mut() {
            candidate.weight += self.share(colour, bonus, &candidate.intent);
        }
        candidates.sort_by(|a, b| b.weight.cmp(&a.weight).then(a.point.cmp(&b.point)).then(a.rule.cmp(&b.rule)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::gopal::forest::Reason;
    use crate::go::point::Geometry;

    #[test]
    fn the_intent_of_the_last_moves_is_preferred() {
        let g = Geometry::new(9).unwrap();
        let candidate = |column: usize, weight: i64, intent: &str| Candidate {
            point: g.point(column, 4).unwrap(),
            weight,
            intent: intent.into(),
            rule: 0,
            reason: Reason::Match,
        };
        let fresh = || vec![candidate(0, 50, "kakicho"), candidate(1, 45, "tatakai"), candidate(2, 42, "nigedashi")];
        let order = |intents: &Intents, bonus: i64| {
            let mut found = fresh();
            intents.prefer(Colour::Black, bonus, &mut found);
            found.iter().map(|c| (c.intent.to_string(), c.weight)).collect::<Vec<_>>()
        };
        let mut intents = Intents::default();
        assert_eq!(order(&intents, 20)[0], ("kakicho".into(), 50), "nothing was played");
        intents.record(Colour::White, Some("tatakai".into()));
        assert_eq!(order(&intents, 20)[0].0, "kakicho", "the other side's intent does not count");
        intents.record(Colour::Black, Some("nigedashi".into()));
        intents.record(Colour::Black, Some("tatakai".into()));
        let expected = [("tatakai", 65), ("nigedashi", 52), ("kakicho", 50)].map(|(i, w)| (i.to_owned(), w));
        assert_eq!(order(&intents, 20), expected);
        assert_eq!(order(&intents, 0)[0].0, "kakicho", "switched off");
        intents.record(Colour::Black, None);
        intents.record(Colour::Black, None);
        assert_eq!(order(&intents, 20)[0].0, "kakicho", "forgotten after two other moves");
    }
}
