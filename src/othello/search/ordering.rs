//! Which move to try first, above the endgame layers.

use super::{
    endgame::{after, take, weighted_mobility},
    midgame::{Position, Reach, WIN_ALL},
    probcut::Confidence,
    stability::corner_stability,
    worker::Worker,
};
use crate::othello::{Board, eval::DISC, flip};

/// No position has more legal moves.
const ROOM: usize = 34;

#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub square: u32,
    pub flipped: u64,
    pub child: Board,
    key: i32,
}

pub(super) struct MoveList {
    list: [Candidate; ROOM],
    length: usize,
}

impl MoveList {
    pub fn new(position: &Position, mut moves: u64) -> MoveList {
        let board = position.board;
        let none = Candidate { square: 0, flipped: 0, child: board, key: 0 };
        let mut list = MoveList { list: [none; ROOM], length: 0 };
        while moves != 0 && list.length < ROOM {
            let square = take(&mut moves);
            let flipped = flip::flips((square & 63) as usize, board.player, board.opponent);
            list.list[list.length] = Candidate { square, flipped, child: after(board, square, flipped), key: 0 };
            list.length += 1;
        }
        list
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.list[..self.length].iter()
    }

    /// Does a move leave the opponent without a disc?
    pub fn takes_all(&self) -> bool {
        self.iter().any(|candidate| candidate.child.player == 0)
    }

    /// Brings the best of the moves from number `i` on to place `i`.
    pub fn pick(&mut self, i: usize) -> Candidate {
        let mut best = i;
        for j in i + 1..self.length {
            if self.list[j].key > self.list[best].key {
                best = j;
            }
        }
        self.list.swap(i, best);
        self.list[i]
    }
}

/// Plies of the search that values moves for ordering; `None` for no evaluation at all.
fn sorting_depth(reach: Reach) -> Option<u32> {
    match reach.depth {
        0..=2 => None,
        3..=9 => Some(0),
        10..=13 => Some(1),
        14..=17 => Some(2),
        18..=21 => Some(3),
        22..=26 => Some(4),
        _ => Some(6),
    }
}

impl Worker<'_> {
    pub fn order(&mut self, list: &mut MoveList, position: &Position, hash_moves: [u8; 2], alpha: i32, reach: Reach) {
        if list.length == 1 {
            return;
        }
        let depth = sorting_depth(reach);
        for i in 0..list.length {
            let candidate = list.list[i];
            let key = if candidate.square == u32::from(hash_moves[0]) {
                i32::MAX
            } else if candidate.square == u32::from(hash_moves[1]) {
                i32::MAX - 1
            } else if candidate.child.player == 0 {
                i32::MAX - 2
            } else {
                self.key(position, &candidate, depth, alpha)
            };
            list.list[i].key = key;
        }
    }

    fn key(&mut self, position: &Position, candidate: &Candidate, depth: Option<u32>, alpha: i32) -> i32 {
        let child = candidate.child;
        let replies = flip::moves(child.player, child.opponent);
        let mut key = -(weighted_mobility(replies) as i32) * DISC;
        key += corner_stability(child.opponent) as i32 * (DISC / 4);
        if let Some(depth) = depth {
            let position = position.after(candidate.square, candidate.flipped);
            let value = match depth {
                0 => -self.evaluate(&position),
                _ => {
                    // Far below the window the exact value does not matter.
                    let window = (-(alpha + 8 * DISC), (-(alpha - 12 * DISC)).min(WIN_ALL));
                    let reach = Reach { depth, confidence: Confidence::EXACT };
                    -self.shallow_search(&position, window.0, window.1, reach)
                }
            };
            key += value;
        }
        key
    }

    /// A plain full-window search of a few plies.
    fn shallow_search(&mut self, position: &Position, mut alpha: i32, beta: i32, reach: Reach) -> i32 {
        let board = position.board;
        if reach.depth == 0 || self.halted {
            self.nodes += 1;
            return self.evaluate(position);
        }
        let moves = flip::moves(board.player, board.opponent);
        if moves == 0 {
            self.nodes += 1;
            if flip::moves(board.opponent, board.player) == 0 {
                return board.final_score() * DISC;
            }
            return -self.shallow_search(&position.pass(), -beta, -alpha, reach);
        }
        self.nodes += 1;
        let mut list = MoveList::new(position, moves);
        if list.takes_all() {
            return WIN_ALL;
        }
        if reach.depth > 1 {
            self.order(&mut list, position, [super::table::NO_MOVE; 2], alpha, reach);
        }
        let mut best = -WIN_ALL - 1;
        for i in 0..list.length {
            let candidate = if reach.depth > 1 { list.pick(i) } else { list.list[i] };
            let child = position.after(candidate.square, candidate.flipped);
            let mut value = alpha + 1;
            if i > 0 && reach.depth > 1 {
                value = -self.shallow_search(&child, -alpha - 1, -alpha, reach.less(1));
            }
            if value > alpha && value < beta {
                value = -self.shallow_search(&child, -beta, -alpha, reach.less(1));
            }
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}
