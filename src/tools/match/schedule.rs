//! Who plays whom, with which opening and colours: a pure function of the match, so that a match that is resumed
//! goes on exactly where it was.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The first engine against each of the others.
    #[default]
    Gauntlet,
    /// Everyone against everyone.
    RoundRobin,
}

/// One game to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixture {
    pub index: usize,
    pub opening: usize,
    /// Black's and white's place in the list of engines.
    pub players: [usize; 2],
}

/// All games of a match, round by round: in each round one opening is played twice by every pairing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    rounds: usize,
    openings: usize,
}

impl Schedule {
    /// `games` for each pairing, rounded up to whole pairs. With more rounds than openings these come round again.
    pub fn new(format: Format, engines: usize, games: usize, openings: usize) -> Schedule {
        let pairings = match format {
            Format::Gauntlet => (1..engines).map(|other| [0, other]).collect(),
            Format::RoundRobin => (0..engines).flat_map(|a| (a + 1..engines).map(move |b| [a, b])).collect(),
        };
        Schedule { pairings, rounds: games.div_ceil(2), openings: openings.max(1) }
    }

    /// All games.
    pub fn len(&self) -> usize {
        self.rounds * self.pairings.len() * 2
    }

    pub fn fixture(&self, index: usize) -> Option<Fixture> {
        if index >= self.len() {
            return None;
        }
        let pair = index / 2;
        let round = pair / self.pairings.len();
        let [first, second] = self.pairings[pair % self.pairings.len()];
        let players = if index.is_multiple_of(2) { [first, second] } else { [second, first] };
        Some(Fixture { index, opening: round % self.openings, players })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(schedule: &Schedule) -> Vec<(usize, [usize; 2])> {
        (0..).map_while(|i| schedule.fixture(i)).map(|f| (f.opening, f.players)).collect()
    }

    #[test]
    fn two_engines_change_colours() {
        let schedule = Schedule::new(Format::Gauntlet, 2, 3, 10);
        assert_eq!(games(&schedule), [(0, [0, 1]), (0, [1, 0]), (1, [0, 1]), (1, [1, 0])]);
    }

    #[test]
    fn gauntlet_and_round_robin() {
        assert_eq!(Schedule::new(Format::Gauntlet, 4, 2, 1).pairings, [[0, 1], [0, 2], [0, 3]]);
        let all = Schedule::new(Format::RoundRobin, 4, 2, 1);
        assert_eq!(all.pairings, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(all.len(), 12);
        for engine in 0..4 {
            let colours = |c: usize| games(&all).iter().filter(|(_, players)| players[c] == engine).count();
            assert_eq!((colours(0), colours(1)), (3, 3));
        }
    }

    #[test]
    fn a_longer_match_begins_like_a_shorter_one() {
        let short = games(&Schedule::new(Format::RoundRobin, 3, 10, 4));
        let long = games(&Schedule::new(Format::RoundRobin, 3, 30, 4));
        assert_eq!(long[..short.len()], short);
        assert_eq!(long[24].0, 0, "the openings come round again");
    }

    #[test]
    fn one_engine_plays_nothing() {
        assert_eq!(Schedule::new(Format::Gauntlet, 1, 10, 1).len(), 0);
    }
}
