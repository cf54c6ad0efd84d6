//! Which move to try first, above the endgame layers.
//!
//! The moves of a node lie on a stack of the worker, so that nothing has to be cleared or allocated for a node.

use super::{
    endgame::{potential, take, weighted_mobility},
    flip,
    midgame::{Position, WIN_ALL},
    stability::corner_stability,
    tuned,
    worker::Worker,
};
use crate::othello::{
    eval::DISC,
    search::{levels::SearchDepth, probcut::Confidence, regions::Parity, table::NO_MOVE},
};
use macro_rules_attribute::apply;

/// A move of a node and the position it leads to.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub child: Position,
    pub square: u32,
    /// The greater the sooner; [`TRIED`] once it has been taken.
    key: i32,
}

const TRIED: i32 = i32::MIN;

/// The moves of one node, to be handed out one after the other: those the table remembers before anything else is
/// looked at, then the others in order. What lies on the worker's stack for it is taken off by [`Picker::close`].
pub(super) struct Picker {
    remaining: u64,
    table_moves: [u8; 2],
    /// Where its part of the stack begins, once there is one.
    listed: Option<usize>,
    ordered: bool,
}

/// A move that has been handed out: where it leads to, and its square.
pub(super) type Handed = (Position, u32);

impl Picker {
    pub fn new(moves: u64, table_moves: [u8; 2]) -> Picker {
        Picker { remaining: moves, table_moves, listed: None, ordered: false }
    }

    /// How many moves are left.
    #[apply(tuned)]
    pub fn left(&self) -> usize {
        self.remaining.count_ones() as usize
    }

    /// All moves that are left, unordered.
    #[apply(tuned)]
    pub fn list<'w>(&mut self, worker: &'w mut Worker<'_>, position: &Position) -> &'w [Candidate] {
        let start = *self.listed.get_or_insert_with(|| worker.list(position, self.remaining));
        &worker.stack[start..]
    }

    #[apply(tuned)]
    pub fn next(
        &mut self,
        worker: &mut Worker<'_>,
        position: &Position,
        alpha: i32,
        reach: SearchDepth,
    ) -> Option<Handed> {
        for slot in &mut self.table_moves {
            let square = std::mem::replace(slot, NO_MOVE);
            let bit = 1u64.checked_shl(square.into()).unwrap_or(0) & self.remaining;
            if bit != 0 {
                self.remaining ^= bit;
                let board = position.board;
                let flipped = flip::flips(square.into(), board.player, board.opponent);
                return Some((position.after(square.into(), flipped), square.into()));
            }
        }
        if self.remaining == 0 {
            return None;
        }
        let start = *self.listed.get_or_insert_with(|| worker.list(position, self.remaining));
        if !self.ordered {
            worker.order(start, position, self.remaining, alpha, reach);
            self.ordered = true;
        }
        let best = worker.stack[start..].iter_mut().max_by_key(|candidate| candidate.key)?;
        best.key = TRIED;
        self.remaining &= !(1 << best.square);
        Some((best.child, best.square))
    }

    /// All moves that are left, in order.
    #[apply(tuned)]
    pub fn rest(
        &mut self,
        worker: &mut Worker<'_>,
        position: &Position,
        alpha: i32,
        reach: SearchDepth,
    ) -> Vec<Handed> {
        std::iter::from_fn(|| self.next(worker, position, alpha, reach)).collect()
    }

    pub fn close(self, worker: &mut Worker<'_>) {
        if let Some(start) = self.listed {
            worker.stack.truncate(start);
        }
    }
}

/// What the key of a move is made of besides its value, in units of the evaluation.
struct KeyWeights {
    /// Each reply left to the opponent.
    mobility: i32,
    /// Each empty square next to our own discs.
    potential: i32,
    /// Each own stable disc in and next to a corner.
    corners: i32,
    /// Playing into an odd region.
    parity: i32,
}

/// In a search to the end a move that cuts is as good as any: what leaves little to search comes first.
const TO_END: KeyWeights = KeyWeights { mobility: 600, potential: 30, corners: 32, parity: 100 };
const MIDGAME: KeyWeights = KeyWeights { mobility: 300, potential: 30, corners: 32, parity: 0 };

/// Plies of the search that values moves for ordering; `None` for no evaluation at all.
fn sorting_depth(reach: SearchDepth) -> Option<u32> {
    match reach.depth {
        0..=2 => None,
        depth => Some(depth.saturating_sub(16) / 4),
    }
}

impl Worker<'_> {
    /// Puts the positions after `moves` on the stack, in no order, and tells where they begin.
    #[apply(tuned)]
    fn list(&mut self, position: &Position, mut moves: u64) -> usize {
        let start = self.stack.len();
        let board = position.board;
        self.made += u64::from(moves.count_ones());
        while moves != 0 {
            let square = take(&mut moves);
            let flipped = flip::flips((square & 63) as usize, board.player, board.opponent);
            self.stack.push(Candidate { child: position.after(square, flipped), square, key: 0 });
        }
        start
    }

    /// Gives every move of `wanted` its key, the others count as tried.
    #[apply(tuned)]
    fn order(&mut self, start: usize, position: &Position, wanted: u64, alpha: i32, reach: SearchDepth) {
        let depth = sorting_depth(reach);
        let odd = Parity::of(position.board.empties()).odd_squares();
        for i in start..self.stack.len() {
            let Candidate { child, square, .. } = self.stack[i];
            self.stack[i].key = match wanted >> square & 1 {
                0 => TRIED,
                _ => self.key(&child, odd >> square & 1 != 0, depth, alpha, reach),
            };
        }
    }

    #[apply(tuned)]
    fn key(&mut self, child: &Position, odd: bool, depth: Option<u32>, alpha: i32, reach: SearchDepth) -> i32 {
        let board = child.board;
        if board.player == 0 {
            return i32::MAX; // Nothing left to the opponent.
        }
        let replies = flip::moves(board.player, board.opponent);
        let weights = if reach.depth >= board.empty_count() { &TO_END } else { &MIDGAME };
        let mut key = -(weighted_mobility(replies) as i32) * weights.mobility - potential(board) * weights.potential;
        key += corner_stability(board.opponent) as i32 * weights.corners;
        if odd {
            key += weights.parity;
        }
        key + match depth {
            None => 0,
            Some(0) => -self.evaluate_roughly(child),
            // Far from the window the exact value does not matter.
            Some(depth) => -self.shallow_search(child, -(alpha + 8 * DISC), -(alpha - 12 * DISC), depth),
        }
    }

    /// A plain search of a few plies.
    #[apply(tuned)]
    fn shallow_search(&mut self, position: &Position, mut alpha: i32, beta: i32, depth: u32) -> i32 {
        self.nodes += 1;
        if depth == 0 || self.halted {
            return self.evaluate_roughly(position);
        }
        let board = position.board;
        let moves = flip::moves(board.player, board.opponent);
        if moves == 0 {
            if flip::moves(board.opponent, board.player) == 0 {
                return board.final_score() * DISC;
            }
            return -self.shallow_search(&position.pass(), -beta, -alpha, depth);
        }
        let mut picker = Picker::new(moves, [NO_MOVE; 2]);
        let reach = SearchDepth { depth, confidence: Confidence::EXACT };
        let mut best = -WIN_ALL;
        while let Some((child, _)) = picker.next(self, position, alpha, reach) {
            let first = best == -WIN_ALL;
            let mut value = alpha + 1;
            if !first && depth > 1 {
                value = -self.shallow_search(&child, -alpha - 1, -alpha, depth - 1);
            }
            if value > alpha && value < beta {
                value = -self.shallow_search(&child, -beta, -alpha, depth - 1);
            }
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        picker.close(self);
        best
    }
}
