//! Playing a position to its end at random: the loop shared by every policy, and the plainest policy.

use super::board::Board;
use super::eye::EyeRule;
use super::point::Point;
use super::surroundings::Cell;
use crate::base::{Colour, Rng};

/// How the moves of a playout are chosen.
pub trait Policy {
    /// A legal move for the side to move, or the pass if it has none that is not foolish. `last` is the move just
    /// made. The list of empty points may be left in another order.
    fn choose(&mut self, board: &mut Board, last: Point, rng: &mut Rng) -> Point;
}

/// Every legal move that does not fill an own eye is as likely as any other.
#[derive(Debug, Clone, Copy, Default)]
pub struct Uniform {
    pub eye: EyeRule,
}

impl Policy for Uniform {
    #[inline]
    fn choose(&mut self, board: &mut Board, _last: Point, rng: &mut Rng) -> Point {
        draw_uniform(board, self.eye, rng, |_, _, _| true)
    }
}

/// Draws among the empty points without replacement until one is playable, no own eye, and pleases `accept`.
#[inline]
pub fn draw_uniform(
    board: &mut Board,
    eye: EyeRule,
    rng: &mut Rng,
    accept: impl Fn(&Board, Point, &mut Rng) -> bool,
) -> Point {
    let colour = board.to_move();
    let mut left = board.empties().len();
    while left > 0 {
        let i = rng.below(left);
        let p = board.empties()[i];
        if !eye.is_eye(board, p, colour) && board.is_playable(p, colour) && accept(board, p, rng) {
            return p;
        }
        left -= 1;
        board.swap_empties(i, left);
    }
    Point::PASS
}

/// Plays on to two passes, or to a length no sensible game has. Every move, passes too, goes to `moves`.
pub fn play_out<P: Policy>(board: &mut Board, policy: &mut P, last: Point, rng: &mut Rng, moves: &mut Vec<Point>) {
    let limit = 3 * board.geometry().area();
    let mut last = last;
    let mut passes = 0;
    for _ in 0..limit {
        let p = policy.choose(board, last, rng);
        board.play(p);
        moves.push(p);
        if p.is_pass() {
            passes += 1;
            if passes == 2 {
                return;
            }
        } else {
            passes = 0;
        }
        last = p;
    }
}

/// Whose a point is when a playout is over: its stone's, or that of the eye it is. Seki points are nobody's.
#[inline]
pub fn owner_at_end(board: &Board, p: Point) -> Option<Colour> {
    match board.cell(p) {
        Cell::Black => Some(Colour::Black),
        Cell::White => Some(Colour::White),
        Cell::Empty | Cell::Edge => {
            let around = board.surroundings(p);
            Colour::BOTH.into_iter().find(|&colour| around.surrounded_by(colour))
        }
    }
}

/// Black's area minus white's at the end of a playout, where all empty points are eyes or seki.
pub fn area_at_end(board: &Board) -> i32 {
    let mut eyes = [0; 2];
    for &p in board.empties() {
        let around = board.surroundings(p);
        eyes[0] += i32::from(around.surrounded_by(Colour::Black));
        eyes[1] += i32::from(around.surrounded_by(Colour::White));
    }
    board.stones(Colour::Black) as i32 + eyes[0] - board.stones(Colour::White) as i32 - eyes[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::naive::NaiveBoard;

    fn one(size: usize, seed: u64) -> (Board, Vec<Point>) {
        let mut board = Board::new(size).unwrap();
        let mut moves = Vec::new();
        play_out(&mut board, &mut Uniform::default(), Point::PASS, &mut Rng::new(seed), &mut moves);
        (board, moves)
    }

    #[test]
    fn moves_are_legal_and_lead_to_the_same_board() {
        for seed in 0..50 {
            let (board, moves) = one(9, seed);
            NaiveBoard::assert_reached_by(&board, &moves);
        }
    }

    #[test]
    fn area_is_the_sum_of_owners() {
        for size in [2, 5, 9, 19] {
            for seed in 0..20 {
                let (board, _) = one(size, seed);
                let owner = |p| owner_at_end(&board, p).map_or(0, |c| if c == Colour::Black { 1 } else { -1 });
                assert_eq!(area_at_end(&board), board.geometry().points().map(owner).sum::<i32>());
            }
        }
    }

    #[test]
    fn first_moves_are_spread_evenly() {
        let mut rng = Rng::new(1);
        let mut board = Board::new(3).unwrap();
        let points: Vec<Point> = board.geometry().points().collect();
        let mut seen = [0; 9];
        for _ in 0..9_000 {
            let p = Uniform::default().choose(&mut board, Point::PASS, &mut rng);
            seen[points.iter().position(|&q| q == p).unwrap()] += 1;
        }
        assert!(seen.iter().all(|&n| (880..1120).contains(&n)), "{seen:?}");
    }
}
