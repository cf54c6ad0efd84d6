//! The state of a match: who has scored what against whom, and how the engines behaved.

use super::{
    clock::ClockSource,
    record::{GameRecord, Reason},
    stats::{EloRange, Mean, Pairs, Tally, ratings},
};
use crate::base::Colour;
use std::collections::{BTreeMap, HashMap};

/// Two engines against each other, seen by the first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Duel {
    pub tally: Tally,
    pub pairs: Pairs,
    /// Scores of the games that have one.
    pub margins: Vec<f64>,
    /// Half points game by game, as they came in.
    pub history: Vec<u8>,
}

impl Duel {
    /// From the pairs; while there are none, from the single games.
    pub fn score(&self) -> Option<Mean> {
        if self.pairs.count() > 0 {
            return self.pairs.score();
        }
        let points: Vec<f64> = self.history.iter().map(|&half| f64::from(half) / 2.0).collect();
        Mean::of(&points)
    }

    pub fn elo(&self) -> Option<EloRange> {
        self.score().filter(|score| !score.error.is_nan()).map(EloRange::of)
    }

    pub fn reversed(&self) -> Duel {
        Duel {
            tally: self.tally.reversed(),
            pairs: self.pairs.reversed(),
            margins: self.margins.iter().map(|margin| -margin).collect(),
            history: self.history.iter().map(|half| 2 - half).collect(),
        }
    }
}

/// How one engine played.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Behaviour {
    pub tally: Tally,
    pub margins: Vec<f64>,
    /// Moves it was asked for.
    pub moves: u64,
    pub seconds: f64,
    pub slowest: f64,
    /// Sum and number of the depths it told.
    pub depths: (u64, u64),
    pub nodes: u64,
    /// How it lost otherwise than by the score.
    pub faults: BTreeMap<&'static str, u32>,
}

impl Behaviour {
    pub fn seconds_per_move(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.seconds / self.moves as f64)
    }

    pub fn mean_depth(&self) -> Option<f64> {
        (self.depths.1 > 0).then(|| self.depths.0 as f64 / self.depths.1 as f64)
    }

    pub fn fault_count(&self) -> u32 {
        self.faults.values().sum()
    }
}

#[derive(Debug, Clone)]
pub struct Standings {
    pub names: Vec<String>,
    /// By the places of the two engines, the lower first.
    pub duels: BTreeMap<[usize; 2], Duel>,
    pub engines: Vec<Behaviour>,
    /// What the seconds are.
    pub clock: ClockSource,
    pub games: usize,
    /// Those of them that ended without agreement on dead stones.
    pub disputed: usize,
    /// Half points of the first engine in pairs with one game missing.
    open_pairs: HashMap<usize, u8>,
}

impl Standings {
    pub fn new(names: &[String], clock: ClockSource) -> Standings {
        Standings {
            clock,
            names: names.to_vec(),
            duels: BTreeMap::new(),
            engines: vec![Behaviour::default(); names.len()],
            games: 0,
            disputed: 0,
            open_pairs: HashMap::new(),
        }
    }

    pub fn add(&mut self, record: &GameRecord) {
        self.games += 1;
        self.disputed += usize::from(record.verdict.reason == Reason::Disputed);
        let [black, white] = record.players;
        let key = [black.min(white), black.max(white)];
        let first = if key[0] == black { Colour::Black } else { Colour::White };
        let half = record.verdict.half_points(first);
        let for_first = |score: f64| if first == Colour::Black { score } else { -score };

        let duel = self.duels.entry(key).or_default();
        duel.tally.add(half);
        duel.history.push(half);
        duel.margins.extend(record.verdict.score.map(for_first));
        match self.open_pairs.remove(&(record.index / 2)) {
            Some(other) => duel.pairs.add(half + other),
            None => {
                self.open_pairs.insert(record.index / 2, half);
            }
        }
        for colour in Colour::BOTH {
            let engine = &mut self.engines[record.players[colour.index()]];
            engine.tally.add(record.verdict.half_points(colour));
            let sign = if colour == Colour::Black { 1.0 } else { -1.0 };
            engine.margins.extend(record.verdict.score.map(|score| sign * score));
            if record.verdict.winner == Some(!colour) && record.verdict.reason.is_fault() {
                *engine.faults.entry(record.verdict.reason.word()).or_default() += 1;
            }
        }
        for ply in &record.plies {
            let Some(seconds) = ply.seconds else { continue };
            let engine = &mut self.engines[record.players[ply.colour.index()]];
            engine.moves += 1;
            engine.seconds += seconds;
            engine.slowest = engine.slowest.max(seconds);
            engine.nodes += ply.nodes.unwrap_or(0);
            if let Some(depth) = ply.depth.as_deref().and_then(plies_of) {
                engine.depths.0 += depth;
                engine.depths.1 += 1;
            }
        }
    }

    /// Two engines, seen by `a`.
    pub fn duel(&self, a: usize, b: usize) -> Option<Duel> {
        let duel = self.duels.get(&[a.min(b), a.max(b)])?;
        Some(if a < b { duel.clone() } else { duel.reversed() })
    }

    /// Ratings with mean 0.
    pub fn ratings(&self) -> Vec<Option<f64>> {
        let n = self.names.len();
        let mut points = vec![vec![0.0; n]; n];
        for (&[a, b], duel) in &self.duels {
            points[a][b] = duel.tally.points();
            points[b][a] = duel.tally.reversed().points();
        }
        ratings(&points)
    }

    /// Places by rating, best first.
    pub fn ranking(&self) -> Vec<usize> {
        let ratings = self.ratings();
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        let key = |i: usize| ratings[i].unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
        order
    }

    pub fn faults(&self) -> u32 {
        self.engines.iter().map(Behaviour::fault_count).sum()
    }
}

/// `12` and `14@73%` are 12 and 14 plies; `100%` (solved) and `book` are none.
fn plies_of(depth: &str) -> Option<u64> {
    let digits = depth.find(|c: char| !c.is_ascii_digit()).unwrap_or(depth.len());
    if depth[digits..].starts_with('%') { None } else { depth[..digits].parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tournament::record::{Ply, Reason, Verdict};

    fn game(index: usize, players: [usize; 2], verdict: Verdict) -> GameRecord {
        let mut ply = Ply::given(Colour::Black, "f5");
        (ply.seconds, ply.depth) = (Some(2.0), Some("12@73%".into()));
        let plies = vec![ply];
        GameRecord {
            index,
            opening: 0,
            players,
            position: None,
            plies,
            opening_plies: 0,
            verdict,
            started: 0,
            seconds: 2.0,
        }
    }

    #[test]
    fn pairs_and_margins_are_seen_by_the_first_engine() {
        let mut standings = Standings::new(&["a".into(), "b".into()], ClockSource::Wall);
        standings.add(&game(0, [0, 1], Verdict::scored(10.0, Reason::End)));
        // The pair is not whole yet, and one game has no known error.
        assert_eq!(standings.duel(0, 1).unwrap().pairs.count(), 0);
        assert!(standings.duel(0, 1).unwrap().elo().is_none());
        standings.add(&game(2, [0, 1], Verdict::scored(0.0, Reason::End)));
        standings.add(&game(1, [1, 0], Verdict::scored(-4.0, Reason::End)));
        standings.add(&game(3, [1, 0], Verdict::forfeit(Colour::White, Reason::Crash, String::new())));
        let duel = standings.duel(0, 1).unwrap();
        assert_eq!(duel.tally, Tally { wins: 2, draws: 1, losses: 1 });
        assert_eq!(duel.pairs, Pairs([0, 1, 0, 0, 1]), "one pair won 2:0, one lost ½:1½");
        assert_eq!(duel.margins, [10.0, 0.0, 4.0]);
        assert_eq!(standings.duel(1, 0).unwrap().pairs, Pairs([1, 0, 0, 1, 0]));
        assert_eq!(standings.engines[0].faults, [("crash", 1)].into());
        assert_eq!(standings.engines[1].faults, [].into());
        assert_eq!((standings.engines[0].moves, standings.engines[0].seconds), (2, 4.0));
        assert_eq!(standings.engines[1].mean_depth(), Some(12.0));
        assert_eq!(standings.ranking(), [0, 1]);
    }

    #[test]
    fn depths() {
        assert_eq!(plies_of("12"), Some(12));
        assert_eq!(plies_of("21@73%"), Some(21));
        for none in ["100%", "100%W", "book", "", "-"] {
            assert_eq!(plies_of(none), None, "{none}");
        }
    }
}
