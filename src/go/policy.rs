//! The full playout policy: each move is drawn from a distribution in which answers to the last move weigh more.
//!
//! Only the points near the last move are weighed one by one; all others share a background weight of one each, so
//! that a draw costs little more than a uniform one.

use super::board::Board;
use super::eye::EyeRule;
use super::pattern::PatternTable;
use super::playout::{Policy, draw_uniform};
use super::point::Point;
use super::surroundings::Cell;
use super::tactics::{self, Few};
use crate::base::{Colour, Rng};
use std::sync::Arc;

/// Weights relative to a move that nothing speaks for; 0 switches a feature off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Taking the stone just played, for each of its stones up to five.
    pub capture: f32,
    /// Saving a chain that was just put in atari, by taking a neighbour of it.
    pub rescue: f32,
    /// Saving it by running, to three liberties or more.
    pub escape: f32,
    /// Running to two liberties.
    pub weak_escape: f32,
    /// A move that gives a third liberty to a chain just brought down to two, or takes a neighbour in atari.
    pub strengthen: f32,
    /// Atari on the chain just played, if it has two liberties.
    pub pursue: f32,
    /// The vital point of a small eye space beside the last move.
    pub vital: f32,
    /// Multiplies the weights of the 3x3 patterns around the last move.
    pub pattern: f32,
    /// Any move beside or diagonal to the last.
    pub near: f32,
    /// How often a chosen move that puts its own chain in atari is taken back: single stones, larger chains.
    pub refuse_throw_in: f32,
    pub refuse_self_atari: f32,
}

impl Weights {
    pub const STANDARD: Weights = Weights {
        capture: 1000.0,
        rescue: 5000.0,
        escape: 5000.0,
        weak_escape: 1000.0,
        strengthen: 20.0,
        pursue: 20.0,
        vital: 5000.0,
        pattern: 10.0,
        near: 2.0,
        refuse_throw_in: 0.8,
        refuse_self_atari: 0.95,
    };
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    point: Point,
    weight: f32,
}

const MOST_CANDIDATES: usize = 48;

#[derive(Clone)]
pub struct Full {
    weights: Weights,
    eye: EyeRule,
    table: Arc<PatternTable>,
    candidates: [Candidate; MOST_CANDIDATES],
    len: usize,
    total: f32,
}

impl Full {
    pub fn new(weights: Weights, eye: EyeRule, table: Arc<PatternTable>) -> Full {
        let none = Candidate { point: Point::PASS, weight: 0.0 };
        Full { weights, eye, table, candidates: [none; MOST_CANDIDATES], len: 0, total: 0.0 }
    }

    #[inline]
    fn add(&mut self, point: Point, weight: f32) {
        if weight > 0.0 && self.len < MOST_CANDIDATES {
            self.candidates[self.len] = Candidate { point, weight };
            self.len += 1;
            self.total += weight;
        }
    }

    /// Weighs the answers to the last move.
    #[inline]
    fn gather(&mut self, board: &Board, last: Point) {
        self.len = 0;
        self.total = 0.0;
        if last.is_pass() {
            return;
        }
        let me = board.to_move();
        self.answer_played_chain(board, last);
        let mut seen: Few<4> = Few::new();
        for n in board.geometry().beside(last) {
            if board.cell(n) == Cell::from(me) && seen.insert(board.head(n)) {
                self.answer_threat(board, n, me);
            }
        }
        if self.weights.vital > 0.0 {
            self.answer_eye_space(board, last);
        }
        for n in board.geometry().around(last) {
            if board.cell(n) == Cell::Empty {
                let pattern = self.table.weight(board.surroundings(n), me) * self.weights.pattern;
                self.add(n, pattern + self.weights.near);
            }
        }
    }

    #[inline]
    fn answer_played_chain(&mut self, board: &Board, last: Point) {
        if board.cell(last) == Cell::Empty {
            return; // a suicide
        }
        if let Some(at) = board.liberties(last).last() {
            self.add(at, self.weights.capture * board.chain_size(last).min(5) as f32);
        } else if self.weights.pursue > 0.0 && board.liberties(last).meetings() <= 8 {
            let liberties = tactics::liberties::<3>(board, last);
            if let &[a, b] = liberties.as_slice() {
                self.add(a, self.weights.pursue);
                self.add(b, self.weights.pursue);
            }
        }
    }

    /// The chain at `p` lost a liberty by the last move.
    #[inline]
    fn answer_threat(&mut self, board: &Board, p: Point, me: Colour) {
        if let Some(at) = board.liberties(p).last() {
            for &capture in tactics::rescuing_captures(board, p).as_slice() {
                self.add(capture, self.weights.rescue);
            }
            let weight = match liberties_after_running(board, at, me) {
                0 | 1 => 0.0,
                2 => self.weights.weak_escape,
                _ => self.weights.escape,
            };
            self.add(at, weight);
        } else if self.weights.strengthen > 0.0 && board.liberties(p).meetings() <= 8 {
            let liberties = tactics::liberties::<3>(board, p);
            if let &[a, b] = liberties.as_slice() {
                for at in [a, b] {
                    if liberties_after_running(board, at, me) >= 3 {
                        self.add(at, self.weights.strengthen);
                    }
                }
                for &capture in tactics::rescuing_captures(board, p).as_slice() {
                    self.add(capture, self.weights.strengthen);
                }
            }
        }
    }

    #[inline]
    fn answer_eye_space(&mut self, board: &Board, last: Point) {
        for n in board.geometry().beside(last) {
            // Open areas are the common case: two empty cells in line beside two more are hardly an eye.
            if board.cell(n) == Cell::Empty
                && board.surroundings(n).empty_beside() <= 2
                && let Some(vital) = tactics::vital_point(board, n)
            {
                self.add(vital.point, self.weights.vital);
            }
        }
    }

    /// Whether a drawn move should not be made after all.
    #[inline]
    fn refuses(weights: &Weights, board: &Board, p: Point, rng: &mut Rng) -> bool {
        let me = board.to_move();
        if board.surroundings(p).empty_beside() >= 2 {
            return false;
        }
        let after = tactics::after(board, p, me);
        if after.captured > 0 || !after.liberties.at_most_one() {
            return false;
        }
        let refusal = if after.stones == 1 { weights.refuse_throw_in } else { weights.refuse_self_atari };
        rng.unit() < f64::from(refusal)
    }
}

/// How many liberties, counted to three, a chain has after its side plays at `at`.
#[inline]
fn liberties_after_running(board: &Board, at: Point, me: Colour) -> usize {
    if board.surroundings(at).empty_beside() >= 3 {
        return 3;
    }
    let mut found: Few<3> = Few::new();
    for n in board.geometry().beside(at) {
        match board.cell(n) {
            Cell::Empty => {
                found.insert(n);
            }
            cell if cell == Cell::from(me) => {
                let joined: Few<4> = tactics::liberties(board, n);
                for &liberty in joined.as_slice().iter().filter(|&&l| l != at) {
                    found.insert(liberty);
                }
            }
            Cell::Edge => {}
            _ if board.in_atari(n) => {
                found.insert(n);
            }
            _ => {}
        }
    }
    found.as_slice().len()
}

impl Policy for Full {
    #[inline]
    fn choose(&mut self, board: &mut Board, last: Point, rng: &mut Rng) -> Point {
        self.gather(board, last);
        let me = board.to_move();
        while self.len > 0 {
            let background = board.empties().len() as f32;
            let mut x = rng.unit() as f32 * (self.total + background) - background;
            if x < 0.0 {
                break;
            }
            let mut i = 0;
            while i + 1 < self.len && x >= self.candidates[i].weight {
                x -= self.candidates[i].weight;
                i += 1;
            }
            let Candidate { point, weight } = self.candidates[i];
            if !self.eye.is_eye(board, point, me)
                && board.is_playable(point, me)
                && !Self::refuses(&self.weights, board, point, rng)
            {
                return point;
            }
            self.total = (self.total - weight).max(0.0);
            self.len -= 1;
            self.candidates[i] = self.candidates[self.len];
        }
        let weights = self.weights;
        draw_uniform(board, self.eye, rng, |board, p, rng| !Self::refuses(&weights, board, p, rng))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::naive::NaiveBoard;
    use crate::go::notation::{parse_picture, parse_vertex};
    use crate::go::playout::play_out;

    fn share(picture: &str, last: &str, wanted: &str) -> f64 {
        let mut board = parse_picture(picture).unwrap();
        board.set_to_move(Colour::Black);
        let at = |name| parse_vertex(board.geometry(), name).unwrap();
        let (last, wanted) = (at(last), at(wanted));
        let mut policy = Full::new(Weights::STANDARD, EyeRule::Strict, PatternTable::standard());
        let mut rng = Rng::new(1);
        let hits = (0..1000).filter(|_| policy.choose(&mut board, last, &mut rng) == wanted).count();
        hits as f64 / 1000.0
    }

    #[test]
    fn moves_are_legal_and_games_end() {
        for (size, seed) in [(2, 1), (3, 2), (5, 3), (9, 4), (9, 5), (13, 6), (19, 7), (25, 8)] {
            let mut board = Board::new(size).unwrap();
            let (mut moves, mut policy) =
                (Vec::new(), Full::new(Weights::STANDARD, EyeRule::Strict, PatternTable::standard()));
            play_out(&mut board, &mut policy, Point::PASS, &mut Rng::new(seed), &mut moves);
            NaiveBoard::assert_reached_by(&board, &moves);
        }
    }

    #[test]
    fn a_chain_put_in_atari_runs() {
        let share = share(".......\n...O...\n..OXO..\n.......\n.......\n.......\n.......", "e5", "d4");
        assert!(share > 0.9, "{share}");
    }

    #[test]
    fn a_stone_played_into_atari_is_taken() {
        let share = share(".......\n.......\n...X...\n..XO...\n...X...\n.......\n.......", "d4", "e4");
        assert!(share > 0.8, "{share}");
    }

    #[test]
    fn the_middle_of_three_is_played() {
        let share = share("..XOOOO\n..XO...\n..XOOOO\n..X.XO.\n..X.XOO\n..XXXO.\n.....XX", "d6", "f6");
        assert!(share > 0.8, "{share}");
    }

    #[test]
    fn the_same_seed_plays_the_same_game() {
        let game = |seed| {
            let (mut board, mut moves) = (Board::new(9).unwrap(), Vec::new());
            play_out(
                &mut board,
                &mut Full::new(Weights::STANDARD, EyeRule::Strict, PatternTable::standard()),
                Point::PASS,
                &mut Rng::new(seed),
                &mut moves,
            );
            moves
        };
        assert_eq!(game(3), game(3));
        assert_ne!(game(3), game(4));
    }
}
