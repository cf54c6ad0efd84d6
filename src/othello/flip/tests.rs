//! The portable kernel against a walk square by square, the vector kernels against the portable one.

use super::*;
use crate::base::{Rng, kernel::Kernel};

const BOARDS: usize = 1_000_000;

/// Walks from `square` in all eight directions, one step at a time.
fn naive_flips(square: usize, player: u64, opponent: u64) -> u64 {
    let mut turned = 0;
    for (column_step, row_step) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
        let (mut column, mut row) = ((square % 8) as i32, (square / 8) as i32);
        let mut run = 0u64;
        loop {
            column += column_step;
            row += row_step;
            if !(0..8).contains(&column) || !(0..8).contains(&row) {
                break;
            }
            let bit = 1u64 << (row * 8 + column);
            if opponent & bit != 0 {
                run |= bit;
            } else {
                if player & bit != 0 {
                    turned |= run;
                }
                break;
            }
        }
    }
    turned
}

fn naive_moves(player: u64, opponent: u64) -> u64 {
    (0..64)
        .filter(|&s| (player | opponent) >> s & 1 == 0 && naive_flips(s, player, opponent) != 0)
        .fold(0, |found, s| found | 1 << s)
}

/// Random discs of every density, the opponent's sometimes many so that long runs come up.
fn random_boards(count: usize) -> impl Iterator<Item = (u64, u64)> {
    let mut rng = Rng::new(20);
    (0..count).map(move |i| {
        let (a, b, c) = (rng.next_u64(), rng.next_u64(), rng.next_u64());
        match i % 4 {
            0 => (a & !b, b & !a),
            1 => (a & b, !a),
            2 => (a & b & c, !(a & b & c) & (a | b | c)),
            _ => (a & b, c & !(a & b)),
        }
    })
}

#[test]
fn portable_agrees_with_a_naive_walk() {
    for (i, (player, opponent)) in random_boards(BOARDS).enumerate() {
        assert_eq!(player & opponent, 0);
        let found = portable::moves(player, opponent);
        assert_eq!(found, naive_moves(player, opponent), "{player:#x} {opponent:#x}");
        // Every square of the board in turn, the legal moves among them at the latest after 64 boards of a kind.
        for square in [i % 64, (i / 4) % 64, found.trailing_zeros() as usize % 64] {
            let turned = portable::flips(square, player, opponent);
            assert_eq!(turned, naive_flips(square, player, opponent), "{square} {player:#x} {opponent:#x}");
        }
    }
}

fn agrees_with_portable(flips: impl Fn(usize, u64, u64) -> u64, moves: impl Fn(u64, u64) -> u64) {
    for (i, (player, opponent)) in random_boards(BOARDS).enumerate() {
        assert_eq!(moves(player, opponent), portable::moves(player, opponent), "{player:#x} {opponent:#x}");
        // Eight squares a board, another eight for the next four boards.
        for square in (i / 4 % 8..64).step_by(8) {
            assert_eq!(
                flips(square, player, opponent),
                portable::flips(square, player, opponent),
                "{square} {player:#x} {opponent:#x}"
            );
        }
    }
}

#[test]
fn all_kernels_agree_with_portable() {
    for kernel in Kernel::available() {
        agrees_with_portable(
            |square, player, opponent| dispatch!(kernel, flips(square, player, opponent)),
            |player, opponent| dispatch!(kernel, moves(player, opponent)),
        );
    }
}

#[test]
fn avx512_written_out_agrees_with_portable() {
    agrees_with_portable(emulated::flips, emulated::moves);
}

/// Whatever the processor has.
#[test]
fn the_chosen_kernels_agree_with_portable_in_play() {
    let mut rng = Rng::new(4);
    for _ in 0..2000 {
        let (mut player, mut opponent) = (0x0000_0008_1000_0000u64, 0x0000_0010_0800_0000u64);
        let mut passes = 0;
        while passes < 2 {
            let found = moves(player, opponent);
            assert_eq!(found, portable::moves(player, opponent));
            if found == 0 {
                passes += 1;
            } else {
                passes = 0;
                let list: Vec<usize> = (0..64).filter(|&s| found >> s & 1 == 1).collect();
                let square = list[rng.below(list.len())];
                let turned = flips(square, player, opponent);
                assert_eq!(turned, portable::flips(square, player, opponent));
                player ^= turned | 1 << square;
                opponent ^= turned;
            }
            (player, opponent) = (opponent, player);
        }
    }
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn four_lanes_calculate_as_four_numbers() {
    #[cfg(target_arch = "x86_64")]
    use lanes::avx2 as vector;
    #[cfg(target_arch = "aarch64")]
    use lanes::neon as vector;
    use lanes::portable;
    if Kernel::best() == Kernel::Portable {
        return;
    }
    let mut rng = Rng::new(8);
    for _ in 0..1000 {
        let (a, b) = (std::array::from_fn(|_| rng.next_u64()), std::array::from_fn(|_| rng.next_u64()));
        let (x, y) = (portable::Lanes::new(a), portable::Lanes::new(b));
        let (v, w) = (vector::Lanes::new(a), vector::Lanes::new(b));
        assert_eq!((x & y).to_array(), (v & w).to_array());
        assert_eq!((x | y).to_array(), (v | w).to_array());
        assert_eq!((x ^ y).to_array(), (v ^ w).to_array());
        assert_eq!((x + y).to_array(), (v + w).to_array());
        assert_eq!(x.without(y).to_array(), v.without(w).to_array());
        assert_eq!(x.up::<9>().to_array(), v.up::<9>().to_array());
        assert_eq!(x.down::<14>().to_array(), v.down::<14>().to_array());
        let by: [u64; 4] = b.map(|n: u64| n % 64);
        let (near, far) = (portable::Lanes::new(by), vector::Lanes::new(by));
        assert_eq!(x.up_by(near).to_array(), v.up_by(far).to_array());
        assert_eq!(x.down_by(near).to_array(), v.down_by(far).to_array());
        assert_eq!(portable::Lanes::splat(a[0]).to_array(), vector::Lanes::splat(a[0]).to_array());
    }
}
