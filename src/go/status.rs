//! Which chains are alive, dead or in seki, by who holds their points at the end of playouts.

use super::board::Board;
use super::point::Point;
use super::surroundings::Cell;
use super::tally::Tally;

/// How sure the playouts must be of a chain to call its fate settled.
pub const SURE: f32 = 0.8;
/// How sure of a point, to call playing there useless.
pub const USELESS: f32 = 0.9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Alive,
    Seki,
    Dead,
}

/// How much its own side holds the chain's points at the end of playouts, from -1 to 1.
pub fn safety(board: &Board, tally: &Tally, p: Point) -> f32 {
    let (sum, stones) = board.chain(p).fold((0.0, 0), |(sum, n), stone| (sum + tally.ownership(stone), n + 1));
    let black = sum / stones as f32;
    if board.cell(p) == Cell::Black { black } else { -black }
}

/// The heads of all chains.
pub fn chains(board: &Board) -> impl Iterator<Item = Point> + '_ {
    board.geometry().points().filter(|&p| board.cell(p).colour().is_some() && board.head(p) == p)
}

/// What becomes of the chain of the stone at `p`, by what the playouts say.
pub fn status(board: &Board, tally: &Tally, p: Point) -> Status {
    if safety(board, tally, p) < 0.0 {
        Status::Dead
    } else if shares_all_liberties(board, tally, p) {
        Status::Seki
    } else {
        Status::Alive
    }
}

/// Every liberty also belongs to a living chain of the enemy, and the playouts give it to nobody for sure.
fn shares_all_liberties(board: &Board, tally: &Tally, p: Point) -> bool {
    let Some(colour) = board.cell(p).colour() else { return false };
    let enemy = Cell::from(!colour);
    let g = board.geometry();
    let shared = |liberty: Point| {
        g.beside(liberty).iter().any(|&n| board.cell(n) == enemy && safety(board, tally, n) >= 0.0)
            && tally.ownership(liberty).abs() < USELESS
    };
    let mut liberties = board.chain(p).flat_map(|s| g.beside(s)).filter(|&n| board.cell(n) == Cell::Empty).peekable();
    liberties.peek().is_some() && liberties.all(shared)
}

/// A stone of every chain that the playouts call dead.
pub fn dead_chains(board: &Board, tally: &Tally) -> Vec<Point> {
    chains(board).filter(|&p| safety(board, tally, p) < 0.0).collect()
}

/// The fate of no chain is in doubt.
pub fn all_settled(board: &Board, tally: &Tally) -> bool {
    chains(board).all(|p| safety(board, tally, p).abs() >= SURE)
}
