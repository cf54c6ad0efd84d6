//! From games to what the fit wants: positions with labels, sorted into phases, equal positions joined.

use super::games::{Game, Source};
use crate::othello::{
    Board,
    eval::{
        DISC, PHASES, Packing, Weights,
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

/// By how much searches of each depth judge a position too well for the side to move, on average: a search of odd depth
/// makes the last move itself. Told by the scores that are proven a few moves later.
pub struct Optimism([f32; 256]);

/// How many plies before the first proven score the searches are compared with it.
const COMPARED: usize = 8;

impl Optimism {
    #[cfg(test)]
    pub const NONE: Optimism = Optimism([0.0; 256]);

    pub fn of(games: &[Game]) -> Optimism {
        let mut sums = [(0.0f64, 0u32); 256];
        for game in games {
            let Some(first) = game.plies.iter().position(|ply| ply.source == Source::Exact) else { continue };
            let proven = f64::from(game.plies[first].score);
            let compared = first.saturating_sub(COMPARED).max(game.random.into());
            for (i, ply) in game.plies.iter().enumerate().take(first).skip(compared) {
                if let Source::Search(depth) = ply.source {
                    let seen = if (first - i) % 2 == 0 { proven } else { -proven };
                    let (sum, count) = &mut sums[usize::from(depth)];
                    *sum += f64::from(ply.score) - seen;
                    *count += 1;
                }
            }
        }
        // A handful of games tells nothing.
        let mean = |(sum, count): (f64, u32)| if count < 1000 { 0.0 } else { sum / f64::from(count) / f64::from(DISC) };
        Optimism(sums.map(|s| mean(s) as f32))
    }

    /// Depth and discs, where there is any.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.0.iter().copied().enumerate().filter(|(_, discs)| *discs != 0.0)
    }
}

/// What an estimate counts beside a proven score.
const ESTIMATE: f32 = 0.5;

/// Labels for the positions of a game, `None` where nothing is known.
///
/// A proven score labels its own position. Between two proven scores that agree nothing was lost, so they label all
/// positions between them; where they differ, somebody erred in between and the label goes over from the one to the
/// other. Before the first proven score the game's course and the searches along it have to do.
pub fn labels(game: &Game, boards: &[Board], labelling: Labelling, optimism: &Optimism) -> Vec<Option<Label>> {
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
            Source::Search(depth) => {
                Some(f32::from(game.plies[i].score) / DISC as f32 - optimism.0[usize::from(depth)])
            }
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
    let optimism = Optimism::of(games);
    for (depth, discs) in optimism.iter() {
        crate::say_line!("searches of depth {depth} are {discs:+.2} discs off; their labels are put right");
    }
    let held_out = |g: &Game| mix(g.id).is_multiple_of(labelling.hold_out);
    let collect = |judge: bool| {
        let mut samples: Vec<Sample> = games
            .par_iter()
            .filter(|g| held_out(g) == judge)
            .flat_map_iter(|game| {
                let boards = game.boards();
                let labels = labels(game, &boards, labelling, &optimism);
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

/// Lets positions count less the further `weights` put them from a draw: close ones are what games are decided by. Never
/// by their labels, whose errors would then choose for themselves.
pub fn focus(samples: &mut [Sample], weights: &Weights, half_at: f32) {
    samples.par_iter_mut().for_each(|sample| {
        let off = weights.discs(sample.board) as f32 / half_at;
        sample.weight /= 1.0 + off * off;
    });
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
        labels(g, &g.boards(), labelling, &Optimism::NONE).into_iter().map(|l| l.map(|l| (l.discs, l.weight))).collect()
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
    fn searches_that_judge_too_well_are_put_right() {
        let scores = [(0, Source::Unknown), (7, Source::Search(5)), (-3, Source::Search(5)), (5, Source::Exact)];
        // Proven for the third mover: 5, so the searches were off by 2 and 2.
        let few = vec![game(1, &scores); 499];
        assert_eq!(Optimism::of(&few).iter().count(), 0);
        let games = vec![game(1, &scores); 500];
        let optimism = Optimism::of(&games);
        assert_eq!(optimism.iter().collect::<Vec<_>>(), [(5, 2.0)]);
        assert_eq!(Optimism::of(&vec![game(60, &scores); 500]).iter().count(), 0, "random throughout");
        let labelling = Labelling { search_share: 1.0, hold_out: 10 };
        let labels = labels(&games[0], &games[0].boards(), labelling, &optimism);
        assert_eq!(labels[1].map(|l| l.discs), Some(5.0));
    }

    #[test]
    fn positions_far_from_a_draw_count_less() {
        let weights = Weights::builtin();
        let lost = Board::new(0x0000_0000_0800_0000, 0x0000_3C3C_343C_0000);
        let mut samples = [Board::START, lost].map(|board| Sample { board, label: 0.0, weight: 1.0 });
        focus(&mut samples, &weights, 5.0);
        for sample in &samples {
            let off = weights.discs(sample.board) as f32 / 5.0;
            assert!((sample.weight * (1.0 + off * off) - 1.0).abs() < 1e-4);
        }
        assert!(samples[1].weight < 0.5 * samples[0].weight, "{samples:?}");
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
