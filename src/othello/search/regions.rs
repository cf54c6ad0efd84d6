//! Parity: in a region with an odd number of empty squares the side that enters it may also have its last move.
//! The four quarters of the board stand for regions.

/// Which quarters hold an odd number of empty squares, a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parity(u32);

const QUARTERS: [u64; 4] = [0x0000_0000_0F0F_0F0F, 0x0000_0000_F0F0_F0F0, 0x0F0F_0F0F_0000_0000, 0xF0F0_F0F0_0000_0000];

/// The squares of the odd quarters.
static ODD: [u64; 16] = odd();

const fn odd() -> [u64; 16] {
    let mut table = [0; 16];
    let mut set = 0;
    while set < 16 {
        let mut quarter = 0;
        while quarter < 4 {
            if set >> quarter & 1 != 0 {
                table[set] |= QUARTERS[quarter];
            }
            quarter += 1;
        }
        set += 1;
    }
    table
}

impl Parity {
    #[inline]
    pub fn of(empties: u64) -> Parity {
        Parity(QUARTERS.iter().enumerate().map(|(i, quarter)| ((empties & quarter).count_ones() & 1) << i).sum())
    }

    /// After a disc is placed on `square`.
    #[inline]
    pub fn after(self, square: u32) -> Parity {
        Parity(self.0 ^ 1 << ((square >> 2 & 1) | (square >> 4 & 2)))
    }

    #[inline]
    pub fn odd_squares(self) -> u64 {
        ODD[(self.0 & 15) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_square_changes_its_own_quarter() {
        for square in 0..64 {
            let parity = Parity::of(1 << square);
            assert_eq!(Parity::of(0).after(square), parity);
            assert!(parity.odd_squares() >> square & 1 != 0);
            assert_eq!(parity.odd_squares().count_ones(), 16);
        }
    }
}
