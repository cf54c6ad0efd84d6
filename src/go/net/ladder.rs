//! Which chains are caught in a ladder, as the networks were taught to see it: every ko works for the side that is
//! caught, and what takes too long to read is not caught.

use crate::{
    base::Colour,
    go::{
        board::Board,
        point::Point,
        surroundings::Cell,
        tactics::{self, Few},
    },
};

/// Moves that one question may look at.
const BUDGET: u32 = 25_000;

/// Reads ladders; keeps its boards from one question to the next.
#[derive(Default)]
pub struct Ladders {
    boards: Vec<Box<Board>>,
    moves: u32,
}

/// A chain that is caught, and by which moves if the attacker has to begin.
pub struct Caught {
    pub chain: Point,
    pub by: Few<2>,
}

impl Ladders {
    /// All chains of one or two liberties that are caught: those in atari even if they move first, the others if the
    /// attacker does.
    pub fn caught(&mut self, board: &Board) -> Vec<Caught> {
        let mut found = Vec::new();
        for p in board.geometry().points() {
            let Some(colour) = board.cell(p).colour() else { continue };
            if board.head(p) != p {
                continue;
            }
            match tactics::liberties::<3>(board, p).as_slice() {
                [_] if self.is_caught(board, p, colour) => found.push(Caught { chain: p, by: Few::new() }),
                &[a, b] => {
                    let mut by = Few::new();
                    for point in [a, b] {
                        if self.catches(board, p, colour, point) {
                            by.insert(point);
                        }
                    }
                    if !by.as_slice().is_empty() {
                        found.push(Caught { chain: p, by });
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Is a chain in atari caught although it moves first?
    fn is_caught(&mut self, board: &Board, p: Point, colour: Colour) -> bool {
        self.at(0).copy_from(board);
        self.read(p, colour)
    }

    /// Does the attacker's move catch a chain of two liberties?
    fn catches(&mut self, board: &Board, p: Point, colour: Colour, by: Point) -> bool {
        if board.ko() == Some(by) || !self.copy_and_play(board, by, !colour) {
            return false;
        }
        tactics::liberties::<2>(&self.boards[0], p).as_slice().len() == 1 && self.read(p, colour)
    }

    /// Puts the board after a move at the bottom of the stack; false if the move is not legal.
    fn copy_and_play(&mut self, board: &Board, by: Point, colour: Colour) -> bool {
        let copy = self.at(0);
        copy.copy_from(board);
        copy.set_to_move(colour);
        let legal = copy.check(by, false).is_ok();
        if legal {
            copy.play(by);
        }
        legal
    }

    /// Reads from the board at the bottom, the chain's side to move, without a ko.
    fn read(&mut self, p: Point, colour: Colour) -> bool {
        self.moves = 0;
        let bottom = self.at(0);
        bottom.set_to_move(!colour);
        bottom.set_to_move(colour);
        self.defend(0, p, colour) && self.moves < BUDGET
    }

    fn at(&mut self, depth: usize) -> &mut Board {
        while self.boards.len() <= depth {
            self.boards.push(Box::new(Board::empty(crate::go::point::Geometry::new(9).expect("a usual size"))));
        }
        &mut self.boards[depth]
    }

    /// Plays on a copy one deeper; false if the move is not legal.
    fn play(&mut self, depth: usize, p: Point) -> bool {
        if self.boards[depth].check(p, false).is_err() {
            return false;
        }
        self.at(depth + 1);
        let (above, below) = self.boards.split_at_mut(depth + 1);
        below[0].copy_from(&above[depth]);
        below[0].play(p);
        self.moves += 1;
        true
    }

    /// Is the chain caught, its own side to move?
    fn defend(&mut self, depth: usize, p: Point, colour: Colour) -> bool {
        let board = &self.boards[depth];
        let own = tactics::liberties::<2>(board, p);
        if own.is_full() || board.ko().is_some() {
            return false;
        }
        let answers: Vec<Point> =
            captures(board, p, colour).into_iter().chain(own.as_slice().iter().copied()).collect();
        for answer in answers {
            if self.moves >= BUDGET {
                return false;
            }
            if self.play(depth, answer) && !self.attack(depth + 1, p, colour) {
                return false;
            }
        }
        true
    }

    /// Is the chain caught, the attacker to move?
    fn attack(&mut self, depth: usize, p: Point, colour: Colour) -> bool {
        let board = &self.boards[depth];
        let liberties = tactics::liberties::<3>(board, p);
        let &[a, b] = liberties.as_slice() else { return liberties.as_slice().len() <= 1 };
        let room = |at: Point| board.geometry().beside(at).iter().filter(|&&n| board.cell(n) == Cell::Empty).count();
        let (at_a, at_b) = (room(a), room(b));
        if at_a == 0
            && at_b == 0
            && takes_ko(board, a, !colour)
            && takes_ko(board, b, !colour)
            && connects_in_vain(board, a, colour)
            && connects_in_vain(board, b, colour)
            && captures(board, p, colour).is_empty()
        {
            return true;
        }
        let adjacent = board.geometry().beside(a).contains(&b);
        let useful = |there: usize| adjacent || there < 3;
        // A move is of use only if the other liberty gives no way out.
        let tries = [(a, useful(at_b)), (b, useful(at_a))];
        for (by, _) in tries.into_iter().filter(|(_, useful)| *useful) {
            if self.moves >= BUDGET {
                return false;
            }
            if self.play(depth, by) && self.defend(depth + 1, p, colour) {
                return true;
            }
        }
        false
    }
}

/// The last liberties of the enemy's chains in atari around a chain.
fn captures(board: &Board, p: Point, colour: Colour) -> Vec<Point> {
    let enemy = Cell::from(!colour);
    let mut found = Vec::new();
    for stone in board.chain(p) {
        for n in board.geometry().beside(stone) {
            if board.cell(n) == enemy
                && let Some(last) = board.liberties(n).last()
                && board.in_atari(n)
                && !found.contains(&last)
            {
                found.push(last);
            }
        }
    }
    found
}

/// Would a stone here take exactly one stone, and be surrounded by the enemy?
fn takes_ko(board: &Board, p: Point, colour: Colour) -> bool {
    let enemy = Cell::from(!colour);
    let mut taken = None;
    for n in board.geometry().beside(p) {
        let cell = board.cell(n);
        if cell == Cell::Edge {
            continue;
        }
        if cell != enemy || (board.in_atari(n) && taken.replace(n).is_some()) {
            return false;
        }
    }
    taken.is_some_and(|n| board.chain_size(n) == 1)
}

/// Would the chain have no more than two liberties after its side has played here?
fn connects_in_vain(board: &Board, p: Point, colour: Colour) -> bool {
    let mut copy = board.clone();
    copy.set_to_move(colour);
    if copy.check(p, false).is_err() {
        return true;
    }
    copy.play(p);
    !tactics::liberties::<3>(&copy, p).is_full()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::notation::{Vertex, parse_picture};

    fn caught(picture: &str) -> Vec<(String, Vec<String>)> {
        let board = parse_picture(picture).expect("a picture");
        let g = board.geometry();
        let name = |p: &Point| Vertex(g, *p).to_string();
        let found = Ladders::default().caught(&board);
        let mut all: Vec<_> = found
            .iter()
            .map(|caught| {
                let first = board.chain(caught.chain).map(|p| name(&p)).min().expect("a stone");
                (first, caught.by.as_slice().iter().map(name).collect::<Vec<_>>())
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn a_ladder_runs_until_something_stands_in_its_way() {
        let stones = |breaker: char| {
            format!(
                ".........\n.........\n.........\n.........\n.........\n..XX.....\n.XOO.....\n..X.{breaker}....\n........."
            )
        };
        assert_eq!(caught(&stones('.')), [("C3".to_owned(), vec!["E3".to_owned()])]);
        assert_eq!(caught(&stones('O')), [] as [(String, Vec<String>); 0]);
    }

    #[test]
    fn a_chain_in_atari_that_cannot_get_away_is_caught() {
        let edge = ".....\n.....\nX....\nOX...\n.....";
        assert_eq!(caught(edge), [("A2".to_owned(), vec![])]);
        // Taking one of the attackers is a way out.
        let counter = ".....\n.....\nX....\nOXO..\n.O...";
        assert!(caught(counter).iter().all(|(chain, _)| chain != "A2"), "{:?}", caught(counter));
    }
}
