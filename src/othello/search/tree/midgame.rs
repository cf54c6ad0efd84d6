//! The search above the endgame layers: evaluation at the horizon, shared table, selective cuts.
//!
//! Values are in the unit of the evaluation. A search to the end hands over to the endgame solver, whose whole discs
//! fit in without rounding: a score is above `alpha` exactly when it is above the whole discs in `alpha`.

use super::{
    endgame::{self, after},
    flip, judge,
    ordering::Picker,
    parallel::Best,
    tuned,
    worker::Worker,
};
use crate::othello::{
    Board, Move, Square,
    eval::{DISC, Tracker},
    search::{
        levels::SearchDepth,
        probcut::{self, Confidence},
        table::{NO_MOVE, TableEntry, hash},
    },
};
use macro_rules_attribute::apply;

/// The best possible result.
pub(super) const WIN_ALL: i32 = 64 * DISC;

/// With so many empty squares a search to the end leaves evaluation and shared table behind.
pub(super) const SOLVE_FROM: u32 = 12;
/// Positions after a move are looked up in the table before any is searched, from this depth on.
const ETC_DEPTH: u32 = 13;

/// Moves that come so late in the order seldom turn out best: from this depth on they are first searched so many plies
/// less deeply (an even number, since searches of odd and even depth lie apart), and in full only if that looks good.
/// On the principal variation all moves are searched in full.
const LATE: usize = 2;
const LATE_DEPTH: u32 = 7;
const LATE_LESS: u32 = 2;

/// A node is worth sharing out from this depth on, when the search goes to the end and when it does not.
const SPLIT_TO_END: u32 = 13;
const SPLIT_MIDGAME: u32 = 5;

/// A board and what the evaluation remembers about it.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub board: Board,
    pub tracker: Tracker,
}

impl Position {
    pub fn new(board: Board) -> Position {
        Position { board, tracker: Tracker::new(board) }
    }

    #[apply(tuned)]
    #[inline]
    pub fn after(&self, square: u32, flipped: u64) -> Position {
        Position {
            board: after(self.board, square, flipped),
            tracker: judge::moved(&self.tracker, Square::wrapping(square), flipped),
        }
    }

    pub fn pass(&self) -> Position {
        Position { board: self.board.pass(), tracker: self.tracker.pass() }
    }
}

/// What a null window asks: is the value above `alpha`?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Question {
    pub alpha: i32,
    /// It never changes what is searched, only when it is shared out.
    pub expected: Answer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Some move is above alpha, mostly the first: the others will not be needed.
    Yes,
    /// No move is, so that all have to be searched.
    No,
}

impl Question {
    #[inline]
    pub fn likely(alpha: i32) -> Question {
        Question { alpha, expected: Answer::Yes }
    }

    #[inline]
    pub fn unlikely(alpha: i32) -> Question {
        Question { alpha, expected: Answer::No }
    }

    /// The same question put to the other side.
    #[inline]
    pub fn turned(self) -> Question {
        let expected = match self.expected {
            Answer::Yes => Answer::No,
            Answer::No => Answer::Yes,
        };
        Question { alpha: -self.alpha - 1, expected }
    }

    /// How many moves are tried before the rest is shared out. In a search to the end, after a first move that was not above
    /// alpha, as it should have been, two nodes in five are cut by another; of those where none was expected to be, one in
    /// ten (selective passes) or a thousand (exact ones). In the midgame expectations are worth less.
    #[inline]
    fn tries(self, to_end: bool) -> usize {
        match self.expected {
            _ if !to_end => 1,
            Answer::Yes => 2,
            Answer::No => 0,
        }
    }
}

/// The moves of the best line found below a node.
#[derive(Clone, Copy)]
pub(super) struct Line {
    moves: [u8; 64],
    length: usize,
}

impl Line {
    pub const EMPTY: Line = Line { moves: [NO_MOVE; 64], length: 0 };

    /// `square`, then the line below it; [`NO_MOVE`] is a pass.
    pub fn set(&mut self, square: u8, below: &Line) {
        let length = below.length.min(63);
        self.moves[0] = square;
        self.moves[1..=length].copy_from_slice(&below.moves[..length]);
        self.length = length + 1;
    }

    pub fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.length]
            .iter()
            .map(|&m| if m < 64 { Move::Place(Square::wrapping(m.into())) } else { Move::Pass })
    }
}

impl Worker<'_> {
    #[apply(tuned)]
    #[inline]
    pub fn evaluate(&self, position: &Position) -> i32 {
        judge::value(self.shared.weights, position.board, &position.tracker)
    }

    /// The value for ordering moves.
    #[apply(tuned)]
    #[inline]
    pub fn evaluate_roughly(&self, position: &Position) -> i32 {
        judge::rough_value(self.shared.weights, position.board, &position.tracker)
    }

    /// The value where only its being above or below `bound` matters.
    #[apply(tuned)]
    #[inline]
    pub fn evaluate_near(&self, position: &Position, bound: i32) -> i32 {
        judge::value_near(self.shared.weights, position.board, &position.tracker, bound)
    }

    /// A value that is above alpha when the true one is, and only then.
    #[apply(tuned)]
    pub fn null_window(&mut self, position: &Position, question: Question, reach: SearchDepth) -> i32 {
        let alpha = question.alpha;
        let board = position.board;
        let empties = board.empty_count();
        let to_end = reach.depth >= empties;
        if to_end && empties <= SOLVE_FROM {
            return self.solve(board, alpha.div_euclid(DISC), empties) * DISC;
        }
        if reach.depth == 0 {
            self.nodes += 1;
            return self.evaluate_near(position, alpha);
        }
        let moves = flip::moves(board.player, board.opponent);
        if moves == 0 {
            self.nodes += 1;
            if flip::moves(board.opponent, board.player) == 0 {
                return board.final_score() * DISC;
            }
            return -self.null_window(&position.pass(), question.turned(), reach);
        }
        if reach.depth == 1 {
            return self.last_ply(position, moves, alpha);
        }
        let reach = SearchDepth { depth: reach.depth.min(empties), ..reach };
        self.inner_node(position, moves, question, reach)
    }

    /// One ply before the horizon nothing needs to be ordered or remembered, but that what was good enough in the last
    /// such position will often do again.
    #[apply(tuned)]
    fn last_ply(&mut self, position: &Position, mut moves: u64, alpha: i32) -> i32 {
        self.nodes += 1;
        let board = position.board;
        let killer = (board.empty_count() & 63) as usize;
        let mut first = 1 << (self.killers[killer] & 63) & moves;
        let mut best = -WIN_ALL;
        while moves != 0 {
            let square = endgame::take(if first != 0 { &mut first } else { &mut moves });
            moves &= !(1 << square);
            let flipped = flip::flips((square & 63) as usize, board.player, board.opponent);
            if flipped == board.opponent {
                return WIN_ALL;
            }
            self.nodes += 1;
            best = best.max(-self.evaluate_near(&position.after(square, flipped), -alpha));
            if best > alpha {
                self.killers[killer] = square as u8;
                return best;
            }
        }
        best
    }

    #[apply(tuned)]
    fn inner_node(&mut self, position: &Position, moves: u64, question: Question, reach: SearchDepth) -> i32 {
        let alpha = question.alpha;
        self.nodes += 1;
        if self.poll() {
            return alpha;
        }
        let board = position.board;
        let empties = board.empty_count();
        let to_end = reach.depth >= empties;
        if to_end && let Some(bound) = endgame::stability_bound(board, alpha.div_euclid(DISC), empties) {
            return bound * DISC;
        }
        let key = hash(board);
        let mut hash_moves = [NO_MOVE; 2];
        let mut looked_at_roughly = false;
        if let Some(entry) = self.shared.table.probe(board, key) {
            looked_at_roughly = u32::from(entry.depth) >= reach.depth && entry.confidence >= Confidence::ROUGH.0;
            if u32::from(entry.depth) >= reach.depth && entry.confidence >= reach.confidence.0 {
                if i32::from(entry.lower) > alpha {
                    return entry.lower.into();
                }
                if i32::from(entry.upper) <= alpha {
                    return entry.upper.into();
                }
            }
            hash_moves = entry.moves;
        }
        if to_end
            && !looked_at_roughly
            && reach.depth >= self.shared.rough_first
            && reach.confidence > Confidence::ROUGH
        {
            self.null_window(position, question, SearchDepth { confidence: Confidence::ROUGH, ..reach });
            hash_moves = self.shared.table.probe(board, key).map_or(hash_moves, |entry| entry.moves);
        }
        if !reach.confidence.is_exact()
            && reach.depth >= probcut::LEAST_DEPTH
            && let Some(bound) = self.probcut(position, alpha, reach, empties)
        {
            return bound;
        }
        if self.halted {
            return alpha;
        }
        let mut picker = Picker::new(moves, hash_moves);
        if reach.depth >= ETC_DEPTH
            && let Some(bound) = self.early_cut(&mut picker, position, alpha, reach)
        {
            picker.close(self);
            return bound;
        }
        let (mut best, mut best_square) = (-WIN_ALL - 1, NO_MOVE);
        let mut place = 0;
        loop {
            let tries = question.tries(to_end);
            if place >= tries && self.should_split(picker.left(), reach, to_end, tries == 0) {
                let rest = picker.rest(self, position, alpha, reach);
                let known = Best { value: best, square: best_square, line: Line::EMPTY };
                let all = self.split(rest, Some(place), (alpha, alpha + 1), reach, question.expected, known);
                (best, best_square) = (all.value, all.square);
                break;
            }
            let Some((child, square)) = picker.next(self, position, alpha, reach) else { break };
            let value = self.try_move(&child, place, question, reach);
            place += 1;
            if self.halted {
                break;
            }
            if value > best {
                (best, best_square) = (value, square as u8);
                if best > alpha {
                    break;
                }
            }
        }
        picker.close(self);
        if self.halted {
            return alpha;
        }
        let finding = TableEntry {
            depth: reach.depth,
            confidence: reach.confidence.0,
            alpha,
            beta: alpha + 1,
            value: best,
            best: best_square,
        };
        self.shared.table.store(board, key, &finding);
        best
    }

    /// Asks a node's question of the move that leads to `child` and has this place in its order.
    #[apply(tuned)]
    pub fn try_move(&mut self, child: &Position, place: usize, question: Question, reach: SearchDepth) -> i32 {
        let below = question.turned();
        let late = place >= LATE && reach.depth >= LATE_DEPTH && !reach.confidence.is_exact();
        if late && reach.depth <= child.board.empty_count() {
            let value = -self.null_window(child, below, reach.less(1 + LATE_LESS));
            if value <= question.alpha || self.halted {
                return value;
            }
        }
        -self.null_window(child, below, reach.less(1))
    }

    /// Are there idle threads, and is there enough to do for them? Where all moves are `needed` they are also laid in store
    /// for the next thread to become idle, unless something is there already.
    #[inline]
    pub fn should_split(&self, left: usize, reach: SearchDepth, to_end: bool, needed: bool) -> bool {
        let pool = &self.shared.pool;
        (pool.wants_work() || needed && pool.wants_store())
            && left > 1
            && reach.depth >= if to_end { SPLIT_TO_END } else { SPLIT_MIDGAME }
    }

    /// Enhanced transposition cut-off: does the table know a move that is good enough?
    #[apply(tuned)]
    fn early_cut(&mut self, picker: &mut Picker, position: &Position, alpha: i32, reach: SearchDepth) -> Option<i32> {
        let table = self.shared.table;
        let candidates = picker.list(self, position);
        for candidate in candidates {
            table.prefetch(hash(candidate.child.board));
        }
        for candidate in candidates {
            let child = candidate.child.board;
            let Some(entry) = table.probe(child, hash(child)) else { continue };
            let deep = u32::from(entry.depth) + 1 >= reach.depth && entry.confidence >= reach.confidence.0;
            let bound = -i32::from(entry.upper);
            if deep && bound > alpha {
                return Some(bound);
            }
        }
        None
    }

    /// Tries to answer a deep question with a shallow search.
    #[apply(tuned)]
    fn probcut(&mut self, position: &Position, alpha: i32, reach: SearchDepth, empties: u32) -> Option<i32> {
        let shallow = probcut::shallow_depth(reach.depth, reach.depth >= empties);
        let sigma = probcut::sigma(empties, reach.depth);
        let margin = (reach.confidence.t() * sigma * f64::from(DISC)) as i32;
        let slack = (margin - 4 * DISC).max(DISC);
        let now = self.evaluate(position);
        // In the midgame itself no surer than the deep one: the last iteration has answered most of these questions already.
        // Before a pass to the end none has, and a wrong answer leaves a wrong move to try first to the pass that follows.
        let quick = reach.depth < empties || (self.shared.quick_first && reach.confidence <= Confidence::ROUGH);
        let reach =
            SearchDepth { depth: shallow, confidence: if quick { reach.confidence } else { Confidence::EXACT } };
        let high = alpha + margin;
        if high < WIN_ALL
            && now >= alpha + slack
            && (shallow == 0 || self.null_window(position, Question::likely(high), reach) > high)
        {
            return (!self.halted && (shallow > 0 || now > high)).then_some(alpha + 1);
        }
        let low = alpha + 1 - margin;
        if low > -WIN_ALL
            && now <= alpha + 1 - slack
            && (shallow == 0 || self.null_window(position, Question::unlikely(low - 1), reach) < low)
        {
            return (!self.halted && (shallow > 0 || now < low)).then_some(alpha);
        }
        None
    }

    /// Principal variation search: the value within (`alpha`, `beta`), with the line that leads to it.
    #[apply(tuned)]
    pub fn pv_search(
        &mut self,
        position: &Position,
        mut alpha: i32,
        beta: i32,
        reach: SearchDepth,
        line: &mut Line,
    ) -> i32 {
        line.length = 0;
        let board = position.board;
        let empties = board.empty_count();
        let reach = SearchDepth { depth: reach.depth.min(empties), ..reach };
        self.nodes += 1;
        if self.poll() {
            return alpha;
        }
        let moves = flip::moves(board.player, board.opponent);
        if moves == 0 {
            if flip::moves(board.opponent, board.player) == 0 {
                return board.final_score() * DISC;
            }
            let mut below = Line::EMPTY;
            let value = -self.pv_search(&position.pass(), -beta, -alpha, reach, &mut below);
            line.set(NO_MOVE, &below);
            return value;
        }
        if reach.depth == 0 {
            return self.evaluate(position);
        }
        // No cut from the table here: the line must not break off, and the nodes below hit it anyway.
        let key = hash(board);
        let hash_moves = self.shared.table.probe(board, key).map_or([NO_MOVE; 2], |entry| entry.moves);
        let (start, mut best, mut best_square) = (alpha, -WIN_ALL - 1, NO_MOVE);
        let mut below = Line::EMPTY;
        let mut picker = Picker::new(moves, hash_moves);
        while let Some((child, square)) = picker.next(self, position, alpha, reach) {
            let mut value = -WIN_ALL;
            if best_square != NO_MOVE {
                value = -self.null_window(&child, Question::likely(-alpha - 1), reach.less(1));
            }
            if best_square == NO_MOVE || (value > alpha && value < beta && !self.halted) {
                value = -self.pv_search(&child, -beta, -alpha, reach.less(1), &mut below);
            } else {
                below.length = 0;
            }
            if self.halted {
                break;
            }
            if value > best {
                (best, best_square) = (value, square as u8);
                if value > alpha {
                    line.set(best_square, &below);
                    alpha = value;
                    if value >= beta {
                        break;
                    }
                }
            }
            if self.should_split(picker.left(), reach, reach.depth >= empties, true) {
                let rest = picker.rest(self, position, alpha, reach);
                let known = Best { value: best, square: best_square, line: *line };
                let all = self.split(rest, None, (alpha, beta), reach, Answer::No, known);
                (best, best_square, *line) = (all.value, all.square, all.line);
                break;
            }
        }
        picker.close(self);
        if self.halted {
            return alpha;
        }
        let finding = TableEntry {
            depth: reach.depth,
            confidence: reach.confidence.0,
            alpha: start,
            beta,
            value: best,
            best: best_square,
        };
        self.shared.table.store(board, key, &finding);
        best
    }
}
