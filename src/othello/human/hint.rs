//! The human-like hint of Egaroucid 5.
//!
//! A move is judged by what people would make of the game after it, from three ingredients: the expected result, the
//! number and worth of the branches on the way, and how natural each of them is.
//!
//! 1. The best line after the move is found, `N` plies counted with the move.
//! 2. In every position of the line, all moves are searched to `M` plies, seen by the side to move there.
//! 3. The model says how likely a person is to take each of them.
//! 4. Value times probability is summed: own turns count plus, those of the opponent minus. The sum, divided by the
//!    number of positions, is what a line between people is worth in discs; 9·tanh of a sixteenth of it lies between
//!    −9 and 9.

use super::Likely;
use crate::othello::{Board, Move, Square};

/// So many discs a position bring the hint to 9·tanh(1), about 6.9.
const SCALE: f64 = 16.0;
const TOP: f64 = 9.0;

/// What the hint asks of its surroundings.
pub trait Oracle {
    /// The best line from a position, a few plies at least, as far as there is one; `None` when stopped.
    fn line(&mut self, board: Board, plies: usize) -> Option<Vec<Move>>;
    /// The value of every legal move for the side to move; `None` when stopped.
    fn values(&mut self, board: Board) -> Option<Vec<(Square, f64)>>;
    /// How likely a person is to take each legal move.
    fn likely(&mut self, board: Board) -> Vec<Likely>;
}

/// A move with its human-like value.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanValue {
    pub square: Square,
    /// From −9 to 9.
    pub hint: f64,
    /// Discs that a position of the line is worth between people, for who makes the move.
    pub discs: f64,
    /// The best line, the move first.
    pub line: Vec<Move>,
}

/// The hint for one move; `None` when it is illegal or the oracle was stopped.
pub fn human_value(board: Board, square: Square, plies: usize, oracle: &mut impl Oracle) -> Option<HumanValue> {
    let mut after = board.play(square)?;
    let mut line = vec![Move::Place(square)];
    let mut own = false;
    let (mut sum, mut positions) = (0.0, 0);
    let rest = oracle.line(after, plies.saturating_sub(1))?;
    for mv in rest.into_iter().map(Some).chain([None]).take(plies) {
        if after.is_over() {
            let result = f64::from(after.final_score());
            sum += if own { result } else { -result };
            positions += 1;
            break;
        }
        if after.can_move() {
            let expected = expected_value(after, oracle)?;
            sum += if own { expected } else { -expected };
            positions += 1;
        }
        let Some(mv) = mv else { break };
        after = match mv {
            Move::Place(square) => after.play(square)?,
            Move::Pass => after.pass(),
        };
        own = !own;
        line.push(mv);
    }
    let discs = if positions == 0 { 0.0 } else { sum / f64::from(positions) };
    line.truncate(plies.max(1));
    Some(HumanValue { square, hint: normalised(discs), discs, line })
}

/// The value of all branches, each weighted with its probability, for the side to move.
fn expected_value(board: Board, oracle: &mut impl Oracle) -> Option<f64> {
    let values = oracle.values(board)?;
    let likely = oracle.likely(board);
    let value = |square: Square| values.iter().find(|(other, _)| *other == square).map_or(0.0, |(_, value)| *value);
    Some(likely.iter().map(|likely| likely.probability * value(likely.square)).sum())
}

/// From discs to the scale of the hint.
pub fn normalised(discs: f64) -> f64 {
    TOP * (discs / SCALE).tanh()
}
