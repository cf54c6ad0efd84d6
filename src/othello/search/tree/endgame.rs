//! The exact endgame below the layers that an evaluation helps to order: null windows in discs, always right.

use super::{
    Keys, flip, last,
    midgame::{Answer, Line, Position},
    parallel::Best,
    stability::{corner_stability, stable},
    tuned,
    worker::Worker,
};
use crate::othello::{
    Board,
    eval::DISC,
    search::{
        keys,
        levels::SearchDepth,
        probcut::Confidence,
        regions::Parity,
        table::{NO_MOVE, TableEntry, hash},
    },
};
use macro_rules_attribute::apply;

/// From so many empty squares down no table is asked and moves are tried in the order of parity alone.
const SHALLOW: u32 = 5;
/// From so many empty squares up the shared table is used instead of the thread's own cache.
const SHARED_FROM: u32 = 12;
/// From so many empty squares up a node is shared out when another thread is idle.
const SPLIT_FROM: u32 = 11;
/// The most empty squares [`Worker::solve`] is meant for (its move list has room for these).
pub(super) const MOST: u32 = keys::MOST as u32;

/// A stability cut-off is tried when alpha is at least this, by empty squares: below it hardly ever succeeds.
static STABILITY_FROM: [i8; 64] = {
    let mut table = [64; 64];
    let mut n = 0;
    while n < 64 {
        table[n] = if n < 4 {
            64
        } else if n < 7 {
            24
        } else if n < 40 {
            (6 + (n as i32 - 4) * 11 / 5) as i8
        } else {
            64
        };
        n += 1;
    }
    table
};

/// The upper bound that the opponent's stable discs put on the score, where it is worth looking for.
#[apply(tuned)]
#[inline]
pub(super) fn stability_bound(board: Board, alpha: i32, empties: u32) -> Option<i32> {
    let from = i32::from(STABILITY_FROM[(empties & 63) as usize]);
    // It would not do even if all of the opponent's discs were stable.
    if alpha < from || 64 - 2 * board.opponent.count_ones() as i32 > alpha {
        return None;
    }
    let bound = 64 - 2 * stable(board.pass()).count_ones() as i32;
    (bound <= alpha).then_some(bound)
}

#[apply(tuned)]
#[inline]
pub(super) fn after(board: Board, square: u32, flipped: u64) -> Board {
    Board { player: board.opponent ^ flipped, opponent: board.player ^ flipped ^ 1 << (square & 63) }
}

/// Takes the lowest square out of a set that is not empty.
#[apply(tuned)]
#[inline]
pub(super) fn take(set: &mut u64) -> u32 {
    let square = set.trailing_zeros();
    *set &= set.wrapping_sub(1);
    square
}

/// Empty squares next to the discs of the side that has just moved.
#[apply(tuned)]
#[inline]
pub(super) fn potential(board: Board) -> i32 {
    let o = board.opponent;
    let h = o & 0x7E7E_7E7E_7E7E_7E7E;
    let v = o & 0x00FF_FFFF_FFFF_FF00;
    let d = h & v;
    let near = (h << 1 | h >> 1) | (v << 8 | v >> 8) | (d << 7 | d >> 7) | (d << 9 | d >> 9);
    (near & board.empties()).count_ones() as i32
}

/// Mobility with the corners counted twice.
#[apply(tuned)]
#[inline]
pub(super) fn weighted_mobility(moves: u64) -> u32 {
    moves.count_ones() + (moves & 0x8100_0000_0000_0081).count_ones()
}

impl Worker<'_> {
    /// Is the score of `board` above `alpha`? Any number of empty squares up to [`MOST`].
    #[apply(tuned)]
    pub fn solve(&mut self, board: Board, alpha: i32, empties: u32) -> i32 {
        self.solve_child(board, alpha, empties, Parity::of(board.empties()))
    }

    #[apply(tuned)]
    fn solve_child(&mut self, board: Board, alpha: i32, empties: u32, parity: Parity) -> i32 {
        if empties <= 4 {
            return self.solve_few(board, alpha, empties, parity);
        }
        let moves = flip::moves(board.player, board.opponent);
        if empties <= SHALLOW {
            self.solve_shallow(board, moves, alpha, empties, parity)
        } else {
            self.solve_deep(board, moves, alpha, empties, parity)
        }
    }

    #[apply(tuned)]
    fn solve_few(&mut self, board: Board, alpha: i32, empties: u32, parity: Parity) -> i32 {
        let mut left = board.empties();
        match empties {
            0 => {
                self.nodes += 1;
                board.final_score()
            }
            1 => {
                self.nodes += 1;
                last::one(board.player, alpha, take(&mut left))
            }
            2 => {
                let (a, b) = (take(&mut left), take(&mut left));
                last::two(&mut self.nodes, board, alpha, a, b)
            }
            3 => {
                let squares = [take(&mut left), take(&mut left), take(&mut left)];
                last::three(&mut self.nodes, board, alpha, squares)
            }
            _ => self.solve_four(board, alpha, parity),
        }
    }

    #[apply(tuned)]
    #[inline]
    fn solve_four(&mut self, board: Board, alpha: i32, parity: Parity) -> i32 {
        // Two squares of odd quarters first, if there are any.
        let all = board.empties();
        let odd = all & parity.odd_squares();
        let mut first = if odd != 0 { odd } else { all };
        let (a, b) = (take(&mut first), take(&mut first));
        let mut rest = all & !(1 << (a & 63) | 1 << (b & 63));
        let squares = [a, b, take(&mut rest), take(&mut rest)];
        last::four(&mut self.nodes, board, alpha, squares)
    }

    /// Few empty squares, at least five: odd regions first, nothing else.
    #[apply(tuned)]
    fn solve_shallow(&mut self, board: Board, moves: u64, alpha: i32, empties: u32, parity: Parity) -> i32 {
        self.nodes += 1;
        if let Some(bound) = stability_bound(board, alpha, empties) {
            return bound;
        }
        if moves == 0 {
            let theirs = flip::moves(board.opponent, board.player);
            if theirs == 0 {
                return board.final_score();
            }
            return -self.solve_shallow(board.pass(), theirs, -alpha - 1, empties, parity);
        }
        let odd = parity.odd_squares();
        let mut best = -64;
        for mut group in [moves & odd, moves & !odd] {
            while group != 0 {
                let square = take(&mut group);
                let flipped = flip::flips((square & 63) as usize, board.player, board.opponent);
                let child = after(board, square, flipped);
                let parity = parity.after(square);
                let value = if empties == 5 {
                    -self.solve_four(child, -alpha - 1, parity)
                } else {
                    let replies = flip::moves(child.player, child.opponent);
                    -self.solve_shallow(child, replies, -alpha - 1, empties - 1, parity)
                };
                if value > best {
                    best = value;
                    if best > alpha {
                        return best;
                    }
                }
            }
        }
        best
    }

    /// The middle layers: own cache, moves ordered by what they leave to the opponent.
    #[apply(tuned)]
    fn solve_deep(&mut self, board: Board, moves: u64, alpha: i32, empties: u32, parity: Parity) -> i32 {
        self.nodes += 1;
        if let Some(bound) = stability_bound(board, alpha, empties) {
            return bound;
        }
        if moves == 0 {
            let theirs = flip::moves(board.opponent, board.player);
            if theirs == 0 {
                return board.final_score();
            }
            return -self.solve_deep(board.pass(), theirs, -alpha - 1, empties, parity);
        }
        if empties >= 9 && self.poll() {
            return alpha;
        }
        let mut tried_first = NO_MOVE;
        let shared = empties >= SHARED_FROM;
        let key = if shared { hash(board) } else { 0 };
        if shared {
            if let Some(entry) = self.shared.table.probe(board, key) {
                if u32::from(entry.depth) >= empties && entry.confidence == 255 {
                    if i32::from(entry.lower) > alpha * DISC {
                        return i32::from(entry.lower) / DISC;
                    }
                    if i32::from(entry.upper) <= alpha * DISC {
                        return i32::from(entry.upper) / DISC;
                    }
                }
                tried_first = entry.moves[0];
            }
        } else if let Some(known) = self.cache.probe(board) {
            if i32::from(known.lower) > alpha {
                return i32::from(known.lower);
            }
            if i32::from(known.upper) <= alpha {
                return i32::from(known.upper);
            }
            tried_first = known.best;
        }
        let (mut best, mut best_square) = (-65, NO_MOVE);
        let mut rest = moves;
        // The remembered move needs no comparison with the others, and mostly they are never looked at.
        if tried_first != NO_MOVE && moves >> tried_first & 1 != 0 {
            let square = u32::from(tried_first);
            rest ^= 1 << square;
            let child = after(board, square, flip::flips(square as usize, board.player, board.opponent));
            if child.player == 0 {
                return 64;
            }
            best = -self.solve_child(child, -alpha - 1, empties - 1, parity.after(square));
            best_square = tried_first;
        }
        if best <= alpha && rest != 0 {
            let level = (empties % LEVELS) as usize;
            let Some(mut keys) = fill(&mut self.lists[level], board, rest, parity) else {
                return 64; // A move that takes all.
            };
            let count = keys.count();
            self.made += count as u64;
            for i in 0..count {
                let candidate = self.lists[level][keys.take_least() % MOST as usize];
                let child = after(board, candidate.square, candidate.flipped);
                let parity = parity.after(candidate.square);
                let value = if empties - 1 <= SHALLOW {
                    -self.solve_shallow(child, candidate.replies, -alpha - 1, empties - 1, parity)
                } else {
                    -self.solve_deep(child, candidate.replies, -alpha - 1, empties - 1, parity)
                };
                if value > best {
                    (best, best_square) = (value, candidate.square as u8);
                    if best > alpha {
                        break;
                    }
                }
                if empties >= SPLIT_FROM && self.shared.pool.wants_work() && i + 2 < count {
                    let left: Vec<_> = (i + 1..count).map(|_| self.lists[level][keys.take_least()]).collect();
                    (best, best_square) = self.share_out(board, &left, alpha, (best, best_square));
                    break;
                }
            }
        }
        if shared && !self.halted {
            let finding = TableEntry {
                depth: empties,
                confidence: 255,
                alpha: alpha * DISC,
                beta: alpha * DISC + 1,
                value: best * DISC,
                best: best_square,
            };
            self.shared.table.store(board, key, &finding);
        } else if !self.halted {
            self.cache.store(board, alpha, best, best_square);
        }
        best
    }

    /// Searches the moves that are left of a node together with idle threads. The lists of the nodes above stay as they are:
    /// until the split is done this thread sees only positions below it, which have fewer empty squares.
    #[apply(tuned)]
    #[cold]
    fn share_out(&mut self, board: Board, left: &[Candidate], alpha: i32, best: (i32, u8)) -> (i32, u8) {
        let moves = left.iter().map(|&Candidate { flipped, square, .. }| {
            let child = Position::new(after(board, square, flipped));
            (child, square)
        });
        let moves = moves.collect();
        let reach = SearchDepth { depth: board.empty_count(), confidence: Confidence::EXACT };
        let known = Best { value: best.0 * DISC, square: best.1, line: Line::EMPTY };
        // What is expected does not matter: nodes this low do not ask.
        let all = self.split(moves, None, (alpha * DISC, alpha * DISC + 1), reach, Answer::No, known);
        (all.value.div_euclid(DISC), all.square)
    }
}

/// Room for the moves of one node for every number of empty squares: a new list would have to be cleared each time.
pub(super) type Lists = [List; LEVELS as usize];
const LEVELS: u32 = 32;

/// The moves of one node, in no order.
pub(super) type List = [Candidate; MOST as usize];

#[derive(Clone, Copy, Default)]
pub(super) struct Candidate {
    flipped: u64,
    replies: u64,
    square: u32,
}

/// Lists all moves and gives them keys, the smaller the better; `None` when one of them takes every disc.
#[apply(tuned)]
#[inline]
fn fill(list: &mut List, board: Board, mut moves: u64, parity: Parity) -> Option<Keys> {
    let odd = parity.odd_squares();
    let mut keys = Keys::EMPTY;
    while moves != 0 && keys.count() < MOST as usize {
        let square = take(&mut moves);
        let flipped = flip::flips((square & 63) as usize, board.player, board.opponent);
        if flipped == board.opponent {
            return None;
        }
        let child = after(board, square, flipped);
        let replies = flip::moves(child.player, child.opponent);
        let mut key = 64 + weighted_mobility(replies) as i32 * 16;
        key -= corner_stability(child.opponent) as i32 * 3;
        if odd >> (square & 63) & 1 != 0 {
            key -= 6;
        }
        list[keys.count()] = Candidate { flipped, replies, square };
        keys.push(key as u16);
    }
    Some(keys)
}
