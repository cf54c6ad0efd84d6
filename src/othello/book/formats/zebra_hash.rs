//! The numbers by which Zebra's book names positions: two 31-bit hashes instead of the discs.

use crate::othello::{Board, Square};
use std::sync::LazyLock;

/// Zebra's eight orientations in the order in which it tries them, as symmetries of ours.
const ORIENTATIONS: [u8; 8] = [0, 1, 3, 2, 4, 6, 7, 5];

/// The additive generator of BSD's `random()` with 31 words: what Zebra carries with it.
struct Random {
    state: [u32; 31],
    front: usize,
    rear: usize,
}

impl Random {
    fn new(seed: u32) -> Random {
        let mut state = [seed; 31];
        for i in 1..31 {
            state[i] = state[i - 1].wrapping_mul(1_103_515_245).wrapping_add(12_345);
        }
        let mut random = Random { state, front: 3, rear: 0 };
        for _ in 0..310 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> i32 {
        self.state[self.front] = self.state[self.front].wrapping_add(self.state[self.rear]);
        let drawn = self.state[self.front] >> 1;
        self.front = (self.front + 1) % 31;
        self.rear = (self.rear + 1) % 31;
        drawn as i32
    }
}

struct Keys {
    /// For each of the two hashes, each row of the board and each of its 3^8 contents.
    rows: Box<[[[i32; 6561]; 8]; 2]>,
    /// A byte read as a number in base 3.
    ternary: [u16; 256],
}

static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let mut random = Random::new(0);
    let mut rows = Box::new([[[0; 6561]; 8]; 2]);
    for key in rows.iter_mut().flatten().flatten() {
        let positive = random.next() % 2 != 0;
        let drawn = random.next();
        *key = if positive { drawn } else { -drawn };
    }
    let mut ternary = [0; 256];
    for (byte, number) in ternary.iter_mut().enumerate() {
        *number = (0..8).filter(|j| byte >> j & 1 != 0).map(|j| 3u16.pow(j)).sum();
    }
    Keys { rows, ternary }
});

/// A position's two numbers, and the symmetry that leads to the image they belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    pub hash: (i32, i32),
    pub symmetry: u8,
}

/// `black` and `white` are the discs of the two colours; who is to move does not matter to Zebra.
pub fn name(black: u64, white: u64) -> Name {
    let keys = &*KEYS;
    let of = |symmetry: u8| {
        let image = Board::new(black, white).symmetry(symmetry);
        let (black, white) = (image.player.to_le_bytes(), image.opponent.to_le_bytes());
        let mut hash = (0, 0);
        for row in 0..8 {
            let content = keys.ternary[usize::from(black[row])] + 2 * keys.ternary[usize::from(white[row])];
            hash.0 ^= keys.rows[0][row][usize::from(content)];
            hash.1 ^= keys.rows[1][row][usize::from(content)];
        }
        hash
    };
    let (hash, symmetry) = ORIENTATIONS
        .into_iter()
        .map(|s| (of(s), s))
        .reduce(|best, next| if next.0 < best.0 { next } else { best })
        .expect("eight");
    Name { hash: (hash.0.wrapping_abs(), hash.1.wrapping_abs()), symmetry }
}

/// A square as Zebra numbers it: 10 · row + column, from 11 to 88.
pub fn square(number: i16) -> Option<Square> {
    let (row, column) = (number / 10 - 1, number % 10 - 1);
    Square::at(u8::try_from(column).ok()?, u8::try_from(row).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_that_of_bsd() {
        // The first numbers of the old random() after srandom(1).
        let mut random = Random::new(1);
        assert_eq!([random.next(), random.next(), random.next()], [2_078_917_053, 143_302_914, 1_027_100_827]);
    }

    #[test]
    fn the_start_has_the_name_that_books_give_it() {
        let start = name(Board::START.player, Board::START.opponent);
        assert_eq!(start.hash, (0x5188_27BD, 0x5287_F2F3));
    }

    #[test]
    fn all_images_have_one_name() {
        let board = Board::START.play("f5".parse().unwrap()).unwrap();
        let first = name(board.opponent, board.player);
        for s in 0..8 {
            let image = board.symmetry(s);
            assert_eq!(name(image.opponent, image.player).hash, first.hash);
        }
        assert_ne!(name(board.player, board.opponent).hash, first.hash);
    }

    #[test]
    fn squares_have_row_and_column() {
        assert_eq!(square(11), Square::at(0, 0));
        assert_eq!(square(12), Square::at(1, 0));
        assert_eq!(square(88), Square::at(7, 7));
        for bad in [-2, -1, 0, 10, 19, 9, 90, 91, 100] {
            assert_eq!(square(bad), None, "{bad}");
        }
    }
}
