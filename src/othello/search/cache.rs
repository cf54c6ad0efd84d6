//! A small table of one thread's own for the lower layers of the endgame, where the shared one would cost more than
//! it saves. Everything in it is exact, so it stays true for ever.

use super::table::NO_MOVE;
use crate::othello::Board;

const BITS: u32 = 12;
const SIZE: usize = 1 << BITS;

#[derive(Clone, Copy)]
pub(super) struct Known {
    player: u64,
    opponent: u64,
    pub lower: i8,
    pub upper: i8,
    pub best: u8,
}

const EMPTY: Known = Known { player: 0, opponent: 0, lower: -64, upper: 64, best: NO_MOVE };

pub(super) struct Cache {
    cells: Box<[Known; SIZE]>,
}

impl Default for Cache {
    fn default() -> Cache {
        let cells = vec![EMPTY; SIZE].into_boxed_slice();
        Cache { cells: cells.try_into().unwrap_or_else(|_| Box::new([EMPTY; SIZE])) }
    }
}

impl Cache {
    #[inline]
    fn index(board: Board) -> usize {
        let mixed =
            board.player.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ board.opponent.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
        (mixed >> (64 - BITS)) as usize
    }

    #[inline]
    pub fn probe(&self, board: Board) -> Option<&Known> {
        let cell = &self.cells[Self::index(board)];
        (cell.player == board.player && cell.opponent == board.opponent).then_some(cell)
    }

    /// The result of a null-window search at `alpha`.
    #[inline]
    pub fn store(&mut self, board: Board, alpha: i32, value: i32, best: u8) {
        let cell = &mut self.cells[Self::index(board)];
        if cell.player != board.player || cell.opponent != board.opponent {
            *cell = Known { player: board.player, opponent: board.opponent, ..EMPTY };
        }
        if value > alpha {
            cell.lower = cell.lower.max(value as i8);
        } else {
            cell.upper = cell.upper.min(value as i8);
        }
        cell.best = best;
    }
}
