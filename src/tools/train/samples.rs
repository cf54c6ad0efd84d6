//! From games to what the fit wants: positions with labels, sorted into phases, equal positions joined.

use super::games::{Game, Source};
use crate::othello::{
    Board,
    eval::{
        DISC, PHASES, Packing,
        patterns::{COUNTS, FEATURES},
        phase,
    },
};
use rayon::prelude::*;

/// Parameters that make up the value of one position, constants apart.
pub const ROW: usize = FEATURES + COUNTS;

/// The first parameter of each place in a row.
pub fn starts(packing: &Packing) -> [u32; ROW] {
    std::array::from_fn(|feature| packing.start_of(feature))
}

/// How labels are made.
#[derive(Debug, Clone, Copy)]
pub struct Labelling {
    /// The part of a search's score in the label; the rest comes from the score the game led to.
    pub search_share: f32,
    /// One game in so many is held out.
    pub hold_out: u64,
}

/// A position with what it should be worth to the side to move, in discs.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub board: Board,
    pub label: f32,
    pub weight: f32,
}

/// Samples to learn from and samples to judge by, from different games.
pub struct Split {
    pub learn: Vec<Sample>,
    pub judge: Vec<Sample>,
}

/// A label and how much it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Label {
    pub discs: f32,
    pub weight: f32,
}

/// What an estimate counts beside a proven score.
const ESTIMATE: f32 = 0.5;

/// Labels for the positions of a game, `None` where nothing is known.
///
/// A proven score labels its own position. Between two proven scores that agree nothing was lost, so they label all
/// positions between them; where they differ, somebody erred in between and the label goes over from the one to the
/// other. Before the first proven score the game's course and the searches along it have to do.
pub fn labels(game: &Game, boards: &[Board], labelling: Labelling) -> Vec<Option<Label>> {
    let last = boards.len() - 1;
    let proven = |i: usize| {
        if i == last {
            return boards[i].is_over().then(|| boards[i].final_score() as f32);
        }
        (game.plies[i].source == Source::Exact).then(|| f32::from(game.plies[i].score) / DISC as f32)
    };
    let mut labels = vec![None; boards.len()];
    let mut next: Option<usize> = proven(last).map(|_| last);
    for i in (0..last).rev() {
        let told_by_game = i >= usize::from(game.random);
        if let Some(discs) = proven(i) {
            labels[i] = Some(Label { discs, weight: 1.0 });
            next = Some(i);
            continue;
        }
        let seen_from = |j: usize| proven(j).map(|v| if j.abs_diff(i) % 2 == 0 { v } else { -v });
        let later = next.filter(|_| told_by_game).and_then(|j| Some((j, seen_from(j)?)));
        let earlier = (usize::from(game.random)..i).rev().find(|&j| proven(j).is_some());
        let earlier = earlier.filter(|_| told_by_game).and_then(|j| Some((j, seen_from(j)?)));
        let course = match (earlier, later) {
            (Some((_, a)), Some((_, b))) if a == b => {
                labels[i] = Some(Label { discs: a, weight: 1.0 });
                continue;
            }
            (Some((j, a)), Some((k, b))) => {
                let part = (i - j) as f32 / (k - j) as f32;
                Some(a + part * (b - a))
            }
            (_, later) => later.map(|(_, v)| v),
        };
        let found = match game.plies[i].source {
            Source::Search(_) => Some(f32::from(game.plies[i].score) / DISC as f32),
            _ => None,
        };
        let share = labelling.search_share;
        let discs = match (found, course) {
            (Some(s), Some(c)) => Some(share * s + (1.0 - share) * c),
            (s, c) => s.or(c),
        };
        labels[i] = discs.map(|discs| Label { discs, weight: ESTIMATE });
    }
    labels
}

pub fn split(games: &[Game], labelling: Labelling) -> Split {
    let held_out = |g: &Game| mix(g.id).is_multiple_of(labelling.hold_out);
    let collect = |judge: bool| {
        let mut samples: Vec<Sample> = games
            .par_iter()
            .filter(|g| held_out(g) == judge)
            .flat_map_iter(|game| {
                let boards = game.boards();
                let labels = labels(game, &boards, labelling);
                boards.into_iter().zip(labels).filter_map(|(board, label)| {
                    let Label { discs, weight } = label?;
                    Some(Sample { board: board.canonical().0, label: discs, weight })
                })
            })
            .collect();
        join_equal(&mut samples);
        samples
    };
    Split { learn: collect(false), judge: collect(true) }
}

/// Joins equal positions: the mean label, with a weight that grows more slowly than their number, so that the first
/// moves of every game do not outweigh all the rest.
fn join_equal(samples: &mut Vec<Sample>) {
    samples.par_sort_unstable_by_key(|s| s.board);
    let mut joined = 0;
    let mut i = 0;
    while i < samples.len() {
        let board = samples[i].board;
        let same = samples[i..].iter().take_while(|s| s.board == board).count();
        let group = &samples[i..i + same];
        let weight: f64 = group.iter().map(|s| f64::from(s.weight)).sum();
        let sum: f64 = group.iter().map(|s| f64::from(s.weight * s.label)).sum();
        samples[joined] =
            Sample { board, label: (sum / weight) as f32, weight: (weight / (same as f64).sqrt()) as f32 };
        joined += 1;
        i += same;
    }
    samples.truncate(joined);
}

fn mix(id: u64) -> u64 {
    let z = (id ^ (id >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 20
}

/// The samples of one phase as the fit reads them: parameter numbers, each relative to the first of its kind.
#[derive(Default)]
pub struct PhaseSamples {
    pub features: Vec<u16>,
    pub empties: Vec<u8>,
    pub label: Vec<f32>,
    pub weight: Vec<f32>,
}

impl PhaseSamples {
    pub fn len(&self) -> usize {
        self.label.len()
    }
}

pub fn by_phase(samples: &[Sample], packing: &Packing) -> Vec<PhaseSamples> {
    let starts = starts(packing);
    (0..PHASES)
        .into_par_iter()
        .map(|p| {
            let mut out = PhaseSamples::default();
            for s in samples.iter().filter(|s| phase(s.board.empty_count()) == p) {
                let parameters = packing.parameters_of(s.board);
                out.features.extend(parameters.iter().zip(&starts).map(|(n, start)| (n - start) as u16));
                out.empties.push(s.board.empty_count() as u8);
                out.label.push(s.label);
                out.weight.push(s.weight);
            }
            out
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{othello::Move, tools::train::games::Ply};

    fn game(random: u8, sources: &[(i16, Source)]) -> Game {
        let mut board = Board::START;
        let mut plies = Vec::new();
        for i in 0.. {
            let Some(square) = board.moves().first() else { break };
            let (score, source) = sources.get(i).copied().unwrap_or((0, Source::Unknown));
            plies.push(Ply { action: Move::Place(square), score: score * DISC as i16, source });
            board = board.play(square).unwrap();
        }
        Game { id: 1, random, plies }
    }

    fn found(g: &Game) -> Vec<Option<(f32, f32)>> {
        let labelling = Labelling { search_share: 0.5, hold_out: 10 };
        labels(g, &g.boards(), labelling).into_iter().map(|l| l.map(|l| (l.discs, l.weight))).collect()
    }

    #[test]
    fn labels_come_from_the_nearest_proven_score() {
        let unknown = (0, Source::Unknown);
        let scores = [unknown, unknown, (6, Source::Search(4)), (10, Source::Exact)];
        // The first ply is random; the search saw 6 where the game led to −10.
        assert_eq!(found(&game(1, &scores))[..4], [None, Some((10.0, 0.5)), Some((-2.0, 0.5)), Some((10.0, 1.0))]);
        assert_eq!(found(&game(3, &scores))[..4], [None, None, Some((6.0, 0.5)), Some((10.0, 1.0))]);
    }

    #[test]
    fn between_two_proven_scores_the_label_goes_over() {
        let (unknown, exact) = ((0, Source::Unknown), Source::Exact);
        let agree = game(0, &[(4, exact), unknown, unknown, (-4, exact)]);
        assert_eq!(found(&agree)[1..3], [Some((-4.0, 1.0)), Some((4.0, 1.0))]);
        let differ = game(0, &[(4, exact), unknown, unknown, unknown, (8, exact)]);
        assert_eq!(found(&differ)[1..4], [Some((-5.0, 0.5)), Some((6.0, 0.5)), Some((-7.0, 0.5))]);
    }

    #[test]
    fn equal_positions_are_joined() {
        let sample = |label| Sample { board: Board::START, label, weight: 1.0 };
        let other = Sample { board: Board::new(1, 2), label: 5.0, weight: 1.0 };
        let mut samples = vec![sample(2.0), other, sample(4.0), sample(6.0), sample(0.0)];
        join_equal(&mut samples);
        let found: Vec<_> = samples.iter().map(|s| (s.board, s.label, s.weight)).collect();
        assert_eq!(found, [(Board::new(1, 2), 5.0, 1.0), (Board::START, 3.0, 2.0)]);
    }
}
