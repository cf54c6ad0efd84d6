//! Small readings on a position: liberties after a move, self-atari, captures, ladders, and the vital points of
//! small eyes.

use super::board::Board;
use super::liberties::Liberties;
use super::point::Point;
use super::surroundings::Cell;
use crate::base::Colour;

/// A short list on the stack.
#[derive(Debug, Clone, Copy)]
pub struct Few<const N: usize> {
    points: [Point; N],
    len: usize,
}

impl<const N: usize> Few<N> {
    pub const fn new() -> Self {
        Few { points: [Point::PASS; N], len: 0 }
    }

    #[inline]
    pub fn as_slice(&self) -> &[Point] {
        &self.points[..self.len]
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.len == N
    }

    /// Adds a point that is not yet there; a full list takes no more.
    #[inline]
    pub fn insert(&mut self, p: Point) -> bool {
        if self.is_full() || self.as_slice().contains(&p) {
            return false;
        }
        self.points[self.len] = p;
        self.len += 1;
        true
    }
}

impl<const N: usize> Default for Few<N> {
    fn default() -> Self {
        Few::new()
    }
}

/// The liberties of the chain at `p`, no more than `N` of them.
#[inline]
pub fn liberties<const N: usize>(board: &Board, p: Point) -> Few<N> {
    let mut found = Few::new();
    for stone in board.chain(p) {
        if !board.surroundings(stone).has_empty_beside() {
            continue;
        }
        for n in board.geometry().beside(stone) {
            if board.cell(n) == Cell::Empty && found.insert(n) && found.is_full() {
                return found;
            }
        }
    }
    found
}

/// What a move leads to, as far as sums can tell.
#[derive(Debug, Clone, Copy)]
pub struct After {
    /// Liberties of the mover's chain, those from captured stones counted only where they touch the move.
    pub liberties: Liberties,
    /// Stones of the mover's chain.
    pub stones: usize,
    pub captured: usize,
}

/// The outcome of playing on an empty point.
#[inline]
pub fn after(board: &Board, p: Point, colour: Colour) -> After {
    let own = Cell::from(colour);
    let beside = board.geometry().beside(p);
    let mut result = After { liberties: Liberties::NONE, stones: 1, captured: 0 };
    for i in 0..4 {
        let n = beside[i];
        match board.cell(n) {
            Cell::Empty => result.liberties.add(n),
            Cell::Edge => {}
            cell => {
                let first = beside[..i].iter().all(|&m| board.head(m) != board.head(n));
                if cell == own {
                    result.liberties.remove(p);
                    if first {
                        result.liberties.join(board.liberties(n));
                        result.stones += board.chain_size(n);
                    }
                } else if board.in_atari(n) {
                    result.liberties.add(n);
                    if first {
                        result.captured += board.chain_size(n);
                    }
                }
            }
        }
    }
    result
}

/// Whether a move leaves its own chain with a single liberty. Taking two stones or more is never called so.
#[inline]
pub fn is_self_atari(board: &Board, p: Point, colour: Colour) -> bool {
    if board.surroundings(p).empty_beside() >= 2 {
        return false;
    }
    let after = after(board, p, colour);
    after.captured <= 1 && after.liberties.at_most_one()
}

/// The enemy chains in atari beside the chain at `p`: where to take them. At most four.
pub fn rescuing_captures(board: &Board, p: Point) -> Few<4> {
    let mut found = Few::new();
    let Some(colour) = board.cell(p).colour() else { return found };
    let enemy = Cell::from(!colour);
    for stone in board.chain(p) {
        for n in board.geometry().beside(stone) {
            if board.cell(n) == enemy
                && let Some(at) = board.liberties(n).last()
            {
                found.insert(at);
            }
        }
    }
    found
}

/// Moves a ladder is followed at most; one that runs longer is called an escape.
const LADDER_PLIES: u32 = 120;
/// Positions looked at in one ladder.
const LADDER_NODES: u32 = 400;

/// Whether the chain at `p` can be caught by a run of ataris when the side to move of `board` moves first.
pub fn is_caught(board: &Board, p: Point) -> bool {
    let Some(prey) = board.cell(p).colour() else { return false };
    let mut nodes = LADDER_NODES;
    if board.to_move() == prey {
        !escapes(board, p, LADDER_PLIES, &mut nodes)
    } else {
        catches(board, p, LADDER_PLIES, &mut nodes)
    }
}

/// Whether the chain at `p` gets away when its own side moves first. Unlike [`is_caught`] this also reads chains with
/// two liberties: they get away if no ladder catches them now, or none after running or after a capture.
pub fn gets_away(board: &Board, p: Point) -> bool {
    let Some(prey) = board.cell(p).colour() else { return false };
    let liberties = liberties::<3>(board, p);
    if liberties.is_full() {
        return true;
    }
    let mut board = board.clone();
    if liberties.as_slice().len() == 2 {
        board.set_to_move(!prey);
        if !is_caught(&board, p) {
            return true;
        }
    }
    board.set_to_move(prey);
    let captures = rescuing_captures(&board, p);
    liberties.as_slice().iter().chain(captures.as_slice()).any(|&m| escapes_by(&board, p, m))
}

/// The first move of a ladder that catches the chain at `p`, for the hunter to move.
pub fn catching_move(board: &Board, p: Point) -> Option<Point> {
    let mut nodes = LADDER_NODES;
    let liberties = liberties::<3>(board, p);
    match *liberties.as_slice() {
        [last] => board.check(last, false).is_ok().then_some(last),
        [a, b] => [a, b].into_iter().find(|&m| catches_with(board, p, m, LADDER_PLIES, &mut nodes)),
        _ => None,
    }
}

/// Whether the chain at `p`, which is in atari, gets away by this move of its side.
pub fn escapes_by(board: &Board, p: Point, m: Point) -> bool {
    if board.check(m, false).is_err() {
        return false;
    }
    let mut next = board.clone();
    next.play(m);
    liberties::<2>(&next, p).is_full() && !catches(&next, p, LADDER_PLIES, &mut LADDER_NODES.clone())
}

/// The hunter moves.
fn catches(board: &Board, p: Point, plies: u32, nodes: &mut u32) -> bool {
    let liberties = liberties::<3>(board, p);
    match *liberties.as_slice() {
        [last] => board.check(last, false).is_ok(),
        [a, b] => [a, b].into_iter().any(|m| catches_with(board, p, m, plies, nodes)),
        _ => false,
    }
}

fn catches_with(board: &Board, p: Point, m: Point, plies: u32, nodes: &mut u32) -> bool {
    let hunter = board.to_move();
    if plies == 0 || *nodes == 0 || board.check(m, false).is_err() || is_self_atari(board, m, hunter) {
        return false;
    }
    *nodes -= 1;
    let mut next = board.clone();
    next.play(m);
    !escapes(&next, p, plies - 1, nodes)
}

/// The prey moves; it has one liberty, or it is safe for now.
fn escapes(board: &Board, p: Point, plies: u32, nodes: &mut u32) -> bool {
    let Some(last) = board.liberties(p).last() else { return true };
    if plies == 0 || *nodes == 0 {
        return true;
    }
    let captures = rescuing_captures(board, p);
    captures.as_slice().iter().chain([&last]).any(|&m| {
        if board.check(m, false).is_err() || *nodes == 0 {
            return false;
        }
        *nodes -= 1;
        let mut next = board.clone();
        next.play(m);
        liberties::<2>(&next, p).is_full() && !catches(&next, p, plies - 1, nodes)
    })
}

/// The one point of a small empty region that decides about two eyes, if the region is closed by one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vital {
    pub point: Point,
    /// Whose eye space it is.
    pub owner: Colour,
    pub size: usize,
}

/// The vital point of the empty region at `p`, if it has three to six points, one of the shapes that one move
/// reduces to a single eye, and is walled in by one colour.
pub fn vital_point(board: &Board, p: Point) -> Option<Vital> {
    const MOST: usize = 6;
    let mut region = [Point::PASS; MOST];
    let mut degree = [0u8; MOST];
    region[0] = p;
    let (mut len, mut at) = (1, 0);
    let mut walls = [false; 2];
    while at < len {
        for n in board.geometry().beside(region[at]) {
            match board.cell(n) {
                Cell::Black => walls[0] = true,
                Cell::White => walls[1] = true,
                Cell::Edge => {}
                Cell::Empty => {
                    degree[at] += 1;
                    if !region[..len].contains(&n) {
                        *region.get_mut(len)? = n;
                        len += 1;
                    }
                }
            }
        }
        if walls == [true; 2] {
            return None;
        }
        at += 1;
    }
    let owner = match walls {
        [true, false] => Colour::Black,
        [false, true] => Colour::White,
        _ => return None,
    };
    let mut shape = [0u8; 5];
    for &d in &degree[..len] {
        shape[usize::from(d)] += 1;
    }
    // How many points of the region have how many neighbours in it tells these shapes from all others.
    let most = match (len, shape) {
        (3, _) => 2,               // three in a row or bent
        (4, [0, 3, 0, 1, 0]) => 3, // pyramid
        (5, [0, 1, 3, 1, 0]) => 3, // bulky five
        (5, [0, 4, 0, 0, 1]) => 4, // cross
        (6, [0, 2, 3, 0, 1]) => 4, // rabbity six
        _ => return None,
    };
    let centre = degree[..len].iter().position(|&d| d == most)?;
    Some(Vital { point: region[centre], owner, size: len })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;
    use crate::go::naive::NaiveBoard;
    use crate::go::notation::{parse_picture, parse_vertex};
    use crate::go::playout::{Policy, Uniform};

    fn position(picture: &str, to_move: Colour) -> Board {
        let mut board = parse_picture(picture).unwrap();
        board.set_to_move(to_move);
        board
    }

    fn at(board: &Board, name: &str) -> Point {
        parse_vertex(board.geometry(), name).unwrap()
    }

    #[test]
    fn sums_after_a_move_agree_with_flooding() {
        let mut rng = Rng::new(5);
        for size in [4, 6, 9] {
            let (mut board, mut naive) = (Board::new(size).unwrap(), None::<NaiveBoard>);
            for ply in 0..3_000 {
                if ply % (3 * size * size) == 0 {
                    board = Board::new(size).unwrap();
                    naive = Some(NaiveBoard::new(board.geometry()));
                }
                let naive = naive.as_mut().unwrap();
                let me = board.to_move();
                for &p in board.empties() {
                    if board.check(p, false).is_err() {
                        continue;
                    }
                    let sums = after(&board, p, me);
                    let mut next = naive.clone();
                    next.play(p);
                    let (stones, liberties) = next.chain(p);
                    let captured = next.captured[(!me).index()] - naive.captured[(!me).index()];
                    assert_eq!((sums.stones, sums.captured), (stones.len(), captured as usize));
                    if captured <= 1 {
                        assert_eq!(is_self_atari(&board, p, me), liberties.len() == 1);
                    }
                }
                let p = Uniform::default().choose(&mut board, Point::PASS, &mut rng);
                board.play(p);
                naive.play(p);
            }
        }
    }

    #[test]
    fn liberties_are_found_up_to_the_limit() {
        let board = position("X.O..\n.....\n..X..\n.....\n.....", Colour::Black);
        assert_eq!(liberties::<4>(&board, at(&board, "a5")).as_slice().len(), 2);
        assert_eq!(liberties::<4>(&board, at(&board, "c3")).as_slice().len(), 4);
        assert_eq!(liberties::<3>(&board, at(&board, "c3")).as_slice().len(), 3);
    }

    const LADDER: &str = "
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . O O . . . . .
        . O X . . . . . .
        . . O . . . . . .";

    #[test]
    fn ladders_work_unless_a_stone_breaks_them() {
        let board = position(LADDER, Colour::White);
        let prey = at(&board, "c2");
        assert!(is_caught(&board, prey));
        let mut runs = board.clone();
        runs.set_to_move(Colour::Black);
        assert!(is_caught(&runs, prey), "running along the second line leads nowhere");
        let broken = position(&LADDER.replacen(". O X . . .", ". O X . X .", 1), Colour::Black);
        assert_eq!(broken.cell(at(&broken, "e2")), Cell::Black);
        assert!(!is_caught(&broken, prey));
    }

    #[test]
    fn a_diagonal_ladder_and_its_breaker() {
        let open = "
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . O O . . . . . .
            . O X . . . . . .
            . . O O . . . . .";
        let board = position(open, Colour::Black);
        let prey = at(&board, "c2");
        let mut hunted = board.clone();
        hunted.set_to_move(Colour::White);
        assert_eq!(catching_move(&hunted, prey), Some(at(&board, "d2")));
        assert!(is_caught(&hunted, prey));
        let free = position(&open.replacen(". O O . .", ". O . . .", 1), Colour::Black);
        assert!(!is_caught(&free, prey));
    }

    #[test]
    fn a_capture_breaks_the_net() {
        let board = position(".....\n.....\nXOO..\nOXX..\n.....".replace(' ', "").as_str(), Colour::Black);
        let white = at(&board, "a2");
        assert_eq!(rescuing_captures(&board, at(&board, "b2")).as_slice(), &[at(&board, "a1")]);
        assert!(board.in_atari(white));
    }

    #[test]
    fn vital_points_of_small_eyes() {
        let vital = |picture: &str, inside: &str| {
            let board = position(picture, Colour::Black);
            vital_point(&board, at(&board, inside)).map(|v| (v.point, v.owner))
        };
        let board = Board::new(5).unwrap();
        let b1 = Some((at(&board, "b1"), Colour::White));
        assert_eq!(vital(".....\n.....\n.....\nOOOO.\n...O.", "a1"), b1, "three in a row");
        assert_eq!(vital(".....\n.....\n.....\nOOOOO\n....O", "a1"), None, "four in a row lives");
        assert_eq!(vital(".....\n.....\nOOO..\n..O..\n..O..", "a1"), None, "a square is no eye shape to save");
        assert_eq!(vital(".....\n.....\n.O...\nO.OO.\n...O.", "a1"), b1, "pyramid");
        assert_eq!(vital(".....\n.....\nOOO..\n..OO.\n...O.", "a1"), b1, "bulky five");
        assert_eq!(vital(".....\n.....\n.....\nOOOX.\n...X.", "a1"), None, "walls of two colours");
        let c3 = Some((at(&board, "c3"), Colour::White));
        assert_eq!(vital(".OOO.\nOO.OO\nO...O\nOO.OO\n.OOO.", "c3"), c3, "cross");
    }
}
