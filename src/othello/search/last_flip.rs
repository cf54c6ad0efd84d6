//! How many discs the last move of a game turns: with one square left only the count matters, so four table look-ups
//! do what a full flip would.

/// `COUNTS[at][line]`: twice the number of discs turned on a line of eight whose only empty square is number `at`,
/// when `line` holds the mover's discs and all other squares are the opponent's. A line that is shorter than eight
/// is padded with zeros, which never close a run.
static COUNTS: [[u8; 256]; 8] = counts();

const fn counts() -> [[u8; 256]; 8] {
    let mut table = [[0u8; 256]; 8];
    let mut at = 0;
    while at < 8 {
        let mut line = 0;
        while line < 256 {
            let above = (line >> 1) >> at;
            let below = line & ((1 << at) - 1);
            let mut turned = 0;
            if above != 0 {
                turned += (above as u32).trailing_zeros();
            }
            if below != 0 {
                turned += (below as u32).leading_zeros() - (32 - at as u32);
            }
            table[at][line] = 2 * turned as u8;
            line += 1;
        }
        at += 1;
    }
    table
}

/// The two diagonals through each square: the one that falls from left to right, then the one that rises.
static DIAGONALS: [[u64; 2]; 64] = diagonals();

const fn diagonals() -> [[u64; 2]; 64] {
    let mut table = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let (column, row) = (square % 8, square / 8);
        let mut other = 0;
        while other < 64 {
            let (c, r) = (other % 8, other / 8);
            if c - column == r - row {
                table[square as usize][0] |= 1 << other;
            }
            if c - column == row - r {
                table[square as usize][1] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    table
}

const FILE_A: u64 = 0x0101_0101_0101_0101;

/// Twice the number of discs turned by `player` on `square`, the only empty one.
#[inline(always)]
pub(super) fn doubled(square: u32, player: u64) -> i32 {
    let square = square & 63;
    let (column, row) = ((square & 7) as usize, (square >> 3) as usize);
    let by_column = &COUNTS[column];
    let [falling, rising] = DIAGONALS[square as usize];
    // A multiplication gathers the bits of a column or a diagonal, one per column or row, in the top byte.
    let rank = (player >> (square & 56)) & 0xFF;
    let file = ((player >> column) & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let falling = (player & falling).wrapping_mul(FILE_A) >> 56;
    let rising = (player & rising).wrapping_mul(FILE_A) >> 56;
    i32::from(by_column[rank as usize])
        + i32::from(COUNTS[row][file as usize])
        + i32::from(by_column[falling as usize])
        + i32::from(by_column[rising as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::Rng, othello::flip};

    #[test]
    fn counts_what_a_full_flip_turns() {
        let mut rng = Rng::new(3);
        for _ in 0..200_000 {
            let square = rng.below(64);
            let player = match rng.below(3) {
                0 => rng.next_u64(),
                1 => rng.next_u64() & rng.next_u64(),
                _ => rng.next_u64() & rng.next_u64() & rng.next_u64(),
            } & !(1 << square);
            let opponent = !(player | 1 << square);
            let turned = flip::portable::flips(square, player, opponent).count_ones() as i32;
            assert_eq!(doubled(square as u32, player), 2 * turned, "{square} {player:#x}");
        }
    }
}
