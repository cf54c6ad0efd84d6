//! Counting the lines of play of a given length: the touchstone of the rules, and of their speed.
//!
//! No table of positions seen: every line is counted by walking to its last but one move. The last two plies of a node
//! are done four moves at a time, a lane of a vector for each.

use super::{
    Board, Square,
    flip::{self, lanes::Lanes},
};
use rayon::prelude::*;

/// The number of lines of `depth` plies. A pass is a ply if `pass_counts`, otherwise it takes none; a game
/// that ends before is one line.
pub fn perft(board: Board, depth: u32, pass_counts: bool) -> u64 {
    if pass_counts { count::<true>(board, depth) } else { count::<false>(board, depth) }
}

/// As [`perft`], shared among the threads of the current rayon pool.
pub fn perft_parallel(board: Board, depth: u32, pass_counts: bool) -> u64 {
    /// Enough starting points for even shares, few enough to collect at once.
    const SPLIT: u32 = 5;
    if depth <= SPLIT + 2 {
        return perft(board, depth, pass_counts);
    }
    let mut front = vec![(board, depth)];
    for _ in 0..SPLIT {
        front = front.into_iter().flat_map(|(board, depth)| step(board, depth, pass_counts)).collect();
    }
    front.into_par_iter().map(|(board, depth)| perft(board, depth, pass_counts)).sum()
}

/// The boards one move on, with the depth still to go.
fn step(board: Board, depth: u32, pass_counts: bool) -> Vec<(Board, u32)> {
    if depth <= 2 {
        return vec![(board, depth)];
    }
    if board.can_move() {
        return board.moves().into_iter().filter_map(|s| Some((board.play(s)?, depth - 1))).collect();
    }
    match board.must_pass() {
        true if pass_counts => vec![(board.pass(), depth - 1)],
        true => step(board.pass(), depth, pass_counts),
        false => vec![(board, 0)],
    }
}

fn count<const PASS_COUNTS: bool>(board: Board, depth: u32) -> u64 {
    match depth {
        0 => return 1,
        2 => return last_two_plies::<PASS_COUNTS>(board),
        _ => {}
    }
    let moves = board.moves();
    if moves.is_empty() {
        return without_moves::<PASS_COUNTS>(board, depth);
    }
    if depth == 1 {
        return u64::from(moves.count());
    }
    let play = |square: Square| board.after(square, flip::flips(square.index(), board.player, board.opponent));
    moves.into_iter().map(|square| count::<PASS_COUNTS>(play(square), depth - 1)).sum()
}

/// Lines from a board where the side to move cannot: a pass, or the end of the game, which is one line.
#[cold]
fn without_moves<const PASS_COUNTS: bool>(board: Board, depth: u32) -> u64 {
    match board.must_pass() {
        true if PASS_COUNTS => count::<PASS_COUNTS>(board.pass(), depth - 1),
        true => count::<PASS_COUNTS>(board.pass(), depth),
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

#[inline(always)]
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
#[inline(always)]
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
#[inline(always)]
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

#[inline(always)]
fn moves_of_four(player: Lanes, opponent: Lanes) -> Lanes {
    let inner = opponent & Lanes::splat(INNER);
    let found = ends::<1, 2>(player, inner)
        | ends::<7, 14>(player, inner)
        | ends::<8, 16>(player, opponent)
        | ends::<9, 18>(player, inner);
    found.without(player | opponent)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Known from many programs, a pass being a ply.
    const COUNTS: [u64; 12] = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288, 24_571_284, 212_258_800];
    /// With passes that take no ply, from depth 9 on; before, nobody ever has to pass.
    const PASS_FREE: [u64; 3] = [3_005_320, 24_571_420, 212_260_880];

    #[test]
    fn counts_from_the_start() {
        for (depth, &expected) in COUNTS.iter().enumerate() {
            assert_eq!(perft(Board::START, depth as u32, true), expected, "depth {depth}");
        }
    }

    #[test]
    fn counts_with_free_passes() {
        for depth in 0..12 {
            let expected = if depth < 9 { COUNTS[depth] } else { PASS_FREE[depth - 9] };
            assert_eq!(perft(Board::START, depth as u32, false), expected, "depth {depth}");
        }
    }

    #[test]
    fn threads_count_the_same() {
        for pass_counts in [true, false] {
            for depth in [3, 8, 9, 10] {
                assert_eq!(
                    perft_parallel(Board::START, depth, pass_counts),
                    perft(Board::START, depth, pass_counts),
                    "depth {depth}"
                );
            }
        }
    }

    /// One move at a time, nothing shared with the fast way but the kernels.
    fn slow(board: Board, depth: u32, pass_counts: bool) -> u64 {
        if depth == 0 {
            return 1;
        }
        if board.can_move() {
            return board.moves().into_iter().map(|s| slow(board.play(s).unwrap(), depth - 1, pass_counts)).sum();
        }
        if board.is_over() { 1 } else { slow(board.pass(), depth - u32::from(pass_counts), pass_counts) }
    }

    #[test]
    fn late_positions_with_passes_and_endings() {
        let mut rng = crate::base::Rng::new(11);
        let mut passes_differ = 0;
        for _ in 0..300 {
            let mut board = Board::START;
            while board.empty_count() > 8 {
                let moves: Vec<_> = board.moves().into_iter().collect();
                match rng.pick(&moves) {
                    Some(&square) => board = board.play(square).unwrap(),
                    None if board.must_pass() => board = board.pass(),
                    None => break,
                }
            }
            for depth in 0..8 {
                let counts = [true, false].map(|pass_counts| perft(board, depth, pass_counts));
                assert_eq!(counts, [slow(board, depth, true), slow(board, depth, false)], "{board:?} {depth}");
                passes_differ += u32::from(counts[0] != counts[1]);
            }
        }
        assert!(passes_differ > 100, "{passes_differ}");
    }
}
