//! What a position is worth, from the inner loops of one kernel; compiled once for each.

use super::{after, flip, forward, hidden, inside, sum, tuned};
use crate::othello::{
    Board, Square,
    eval::{
        LIMIT, Tracker, Weights,
        net::{self, Net},
        patterns::{COUNT_SIZE, COUNTS, Lanes},
        phase,
        weights::{NET_REACHES, STRIDE},
    },
};
use macro_rules_attribute::apply;

/// See [`Weights::value`].
#[apply(tuned)]
pub fn value(weights: &Weights, board: Board, tracker: &Tracker) -> i32 {
    value_for(weights, board, tracker, None)
}

/// The same, but without the network where the sum of weights is so far from `bound` that the network would hardly
/// bring it to the other side.
#[apply(tuned)]
#[inline]
pub fn value_near(weights: &Weights, board: Board, tracker: &Tracker, bound: i32) -> i32 {
    value_for(weights, board, tracker, Some(bound))
}

/// One function for both, so that there is one place that the network is compiled into.
#[apply(tuned)]
#[inline(never)]
fn value_for(weights: &Weights, board: Board, tracker: &Tracker, bound: Option<i32>) -> i32 {
    let (inside, counts) = (inside(&tracker.lanes), counts(board));
    let mut sum = plain_sum(weights, board, &inside, counts);
    if let Some(net) = &weights.net
        && bound.is_none_or(|bound| (sum - bound).abs() < NET_REACHES)
    {
        sum += net_value(net, &inside, counts, board.empty_count());
    }
    sum.clamp(-LIMIT, LIMIT)
}

/// The same without the network at all: for ordering moves.
#[apply(tuned)]
#[inline]
pub fn rough_value(weights: &Weights, board: Board, tracker: &Tracker) -> i32 {
    plain_sum(weights, board, &inside(&tracker.lanes), counts(board)).clamp(-LIMIT, LIMIT)
}

#[apply(tuned)]
#[inline]
fn plain_sum(weights: &Weights, board: Board, inside: &Lanes, counts: [usize; COUNTS]) -> i32 {
    let empties = board.empty_count();
    let phase = phase(empties);
    let start = phase * STRIDE;
    let mut sum = sum(inside, &weights.tables[start..start + STRIDE]);
    for (table, count) in weights.counts[phase].iter().zip(counts) {
        sum += table[count];
    }
    sum + weights.constants[empties as usize]
}

/// What the network adds to the sum of weights.
#[apply(tuned)]
#[inline]
pub fn net_value(net: &Net, inside: &Lanes, counts: [usize; COUNTS], empties: u32) -> i32 {
    let stage = &net.stages[net::stage(empties)];
    let counted = [&net.counts[0][counts[0]], &net.counts[1][counts[1]]];
    forward(&hidden(inside, &net.rows, counted, &stage.start), stage)
}

/// See `patterns::counts`.
#[apply(tuned)]
#[inline]
fn counts(board: Board) -> [usize; COUNTS] {
    let own = flip::moves(board.player, board.opponent).count_ones() as usize;
    let other = flip::moves(board.opponent, board.player).count_ones() as usize;
    [own.min(COUNT_SIZE - 1), other.min(COUNT_SIZE - 1)]
}

/// See [`Tracker::after`].
#[apply(tuned)]
#[inline]
pub fn moved(tracker: &Tracker, square: Square, flips: u64) -> Tracker {
    Tracker { lanes: after(&tracker.lanes, square, flips) }
}
