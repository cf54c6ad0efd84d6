//! The phases of a game.

use crate::go::board::Board;
use crate::go::surroundings::Cell;
use crate::gopal::ast::Phase;

/// The opening lasts while fewer stones than this share of the points are on the board.
const OPENING: f64 = 0.15;

/// Opening while there are few stones; ending when no empty point is farther than two steps from a stone; else middle.
pub fn phase(board: &Board) -> Phase {
    let area = board.geometry().area();
    let stones = area - board.empties().len();
    if (stones as f64) < OPENING * area as f64 {
        Phase::Opening
    } else if board.empties().iter().all(|&p| is_near_stone(board, p)) {
        Phase::Ending
    } else {
        Phase::Middle
    }
}

/// A stone within two steps along the lines.
fn is_near_stone(board: &Board, p: crate::go::Point) -> bool {
    let g = board.geometry();
    g.around(p).iter().any(|&n| board.cell(n).colour().is_some())
        || g.beside(p)
            .iter()
            .any(|&n| board.cell(n) == Cell::Empty && g.beside(n).iter().any(|&m| board.cell(m).colour().is_some()))
}

/// Whether something for these phases applies now; for none means always.
pub fn applies(phases: &[Phase], now: Phase) -> bool {
    phases.is_empty() || phases.contains(&Phase::Any) || phases.contains(&now)
}
