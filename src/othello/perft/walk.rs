//! The walk itself, compiled once for each kernel.

use super::{flip, tuned};
use crate::othello::{BitBoard, Board, Square};
use flip::Lanes;
use macro_rules_attribute::apply;

/// See [`super::perft`].
#[apply(tuned)]
pub fn count(board: Board, depth: u32, pass_counts: bool) -> u64 {
    if pass_counts { lines::<true>(board, depth) } else { lines::<false>(board, depth) }
}

#[apply(tuned)]
fn lines<const PASS_COUNTS: bool>(board: Board, depth: u32) -> u64 {
    match depth {
        0 => return 1,
        2 => return last_two_plies::<PASS_COUNTS>(board),
        _ => {}
    }
    let moves = BitBoard(flip::moves(board.player, board.opponent));
    if moves.is_empty() {
        return without_moves::<PASS_COUNTS>(board, depth);
    }
    if depth == 1 {
        return u64::from(moves.count());
    }
    let play = |square: Square| board.after(square, flip::flips(square.index(), board.player, board.opponent));
    moves.into_iter().map(|square| lines::<PASS_COUNTS>(play(square), depth - 1)).sum()
}

/// Lines from a board where the side to move cannot: a pass, or the end of the game, which is one line.
#[apply(tuned)]
#[cold]
fn without_moves<const PASS_COUNTS: bool>(board: Board, depth: u32) -> u64 {
    match board.must_pass() {
        true if PASS_COUNTS => lines::<PASS_COUNTS>(board.pass(), depth - 1),
        true => lines::<PASS_COUNTS>(board.pass(), depth),
        false => 1,
    }
}

/// The squares a run sideways or aslant can have: none on the columns a and h.
const INNER: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// The opponent's discs that a disc of the player holds from below (`up`) or from above along one line. What a move
/// turns is the run of such discs that begins next to it.
struct Held {
    up: u64,
    down: u64,
}

#[apply(tuned)]
#[inline]
fn held<const STEP: u32>(player: u64, inner: u64) -> Held {
    let mut up = inner & (player << STEP);
    let mut down = inner & (player >> STEP);
    up |= inner & (up << STEP);
    down |= inner & (down >> STEP);
    let pairs_up = inner & (inner << STEP);
    let pairs_down = pairs_up >> STEP;
    for _ in 0..2 {
        up |= pairs_up & (up << (2 * STEP));
        down |= pairs_down & (down >> (2 * STEP));
    }
    Held { up, down }
}

/// The discs that moves on `squares` turn along one line; `TWICE` is twice the `STEP`.
#[apply(tuned)]
#[inline]
fn turned<const STEP: i32, const TWICE: i32>(squares: Lanes, held: &Held) -> Lanes {
    let below = Lanes::splat(held.up);
    let pairs = below & below.down::<STEP>();
    let mut run = below & squares.down::<STEP>();
    run = run | below & run.down::<STEP>();
    run = run | pairs & run.down::<TWICE>();
    run = run | pairs & run.down::<TWICE>();
    let above = Lanes::splat(held.down);
    if STEP == 1 {
        // Along a row an addition runs through the discs by its carry and leaves zeros where they were.
        return run | above.without(above + (above & squares.up::<1>()));
    }
    let pairs = above & above.up::<STEP>();
    let mut run_up = above & squares.up::<STEP>();
    run_up = run_up | above & run_up.up::<STEP>();
    run_up = run_up | pairs & run_up.up::<TWICE>();
    run_up = run_up | pairs & run_up.up::<TWICE>();
    run | run_up
}

/// Both ends of the opponent's runs along one line that the player holds from the other end.
#[apply(tuned)]
#[inline]
fn ends<const STEP: i32, const TWICE: i32>(player: Lanes, inner: Lanes) -> Lanes {
    let pairs_up = inner & inner.up::<STEP>();
    let pairs_down = pairs_up.down::<STEP>();
    let mut down = inner & player.down::<STEP>();
    down = down | inner & down.down::<STEP>();
    down = down | pairs_down & down.down::<TWICE>();
    down = down | pairs_down & down.down::<TWICE>();
    if STEP == 1 {
        // The carry of an addition comes out at the end of the run.
        return down.down::<1>() | (inner + (inner & player.up::<1>())).without(inner);
    }
    let mut up = inner & player.up::<STEP>();
    up = up | inner & up.up::<STEP>();
    up = up | pairs_up & up.up::<TWICE>();
    up = up | pairs_up & up.up::<TWICE>();
    up.up::<STEP>() | down.down::<STEP>()
}

#[apply(tuned)]
#[inline]
fn moves_of_four(player: Lanes, opponent: Lanes) -> Lanes {
    let inner = opponent & Lanes::splat(INNER);
    let found = ends::<1, 2>(player, inner)
        | ends::<7, 14>(player, inner)
        | ends::<8, 16>(player, opponent)
        | ends::<9, 18>(player, inner);
    found.without(player | opponent)
}

#[apply(tuned)]
fn last_two_plies<const PASS_COUNTS: bool>(board: Board) -> u64 {
    let inner = board.opponent & INNER;
    let row = held::<1>(board.player, inner);
    let aslant = held::<7>(board.player, inner);
    let column = held::<8>(board.player, board.opponent);
    let other_way = held::<9>(board.player, inner);
    let ends_up = row.up << 1 | aslant.up << 7 | column.up << 8 | other_way.up << 9;
    let ends_down = row.down >> 1 | aslant.down >> 7 | column.down >> 8 | other_way.down >> 9;
    let mut left = (ends_up | ends_down) & board.empties();
    if left == 0 {
        return without_moves::<PASS_COUNTS>(board, 2);
    }
    let (own, other) = (Lanes::splat(board.player), Lanes::splat(board.opponent));
    let mut total = 0;
    while left != 0 {
        // The last group may have lanes without a move: bit 0.
        let squares: [u64; 4] = std::array::from_fn(|_| {
            let lowest = left & left.wrapping_neg();
            left ^= lowest;
            lowest
        });
        let at = Lanes::new(squares);
        let turned = turned::<1, 2>(at, &row)
            | turned::<7, 14>(at, &aslant)
            | turned::<8, 16>(at, &column)
            | turned::<9, 18>(at, &other_way);
        let (player, opponent) = (other ^ turned, own ^ turned ^ at);
        let found = moves_of_four(player, opponent).to_array();
        for i in 0..4 {
            if squares[i] == 0 {
                break;
            }
            total += match found[i].count_ones() {
                0 => without_moves::<PASS_COUNTS>(Board::new(player.to_array()[i], opponent.to_array()[i]), 1),
                n => u64::from(n),
            };
        }
    }
    total
}
