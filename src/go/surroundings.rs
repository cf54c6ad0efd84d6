//! What stands on the eight cells around a point, in sixteen bits kept up to date move by move.

use crate::base::Colour;

/// A cell of the padded board. The two bits of a stone of one colour and the other together make the edge: so "mine
/// or edge" is one bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Cell {
    /// Nothing.
    #[default]
    Empty = 0,
    /// A black stone.
    Black = 1,
    /// A white stone.
    White = 2,
    /// Off the board.
    Edge = 3,
}

impl Cell {
    /// Whose stone it is.
    pub const fn colour(self) -> Option<Colour> {
        match self {
            Cell::Black => Some(Colour::Black),
            Cell::White => Some(Colour::White),
            Cell::Empty | Cell::Edge => None,
        }
    }

    /// From two bits.
    pub const fn from_bits(bits: u16) -> Cell {
        match bits & 3 {
            0 => Cell::Empty,
            1 => Cell::Black,
            2 => Cell::White,
            _ => Cell::Edge,
        }
    }
}

impl From<Colour> for Cell {
    #[inline]
    fn from(colour: Colour) -> Cell {
        match colour {
            Colour::Black => Cell::Black,
            Colour::White => Cell::White,
        }
    }
}

/// Two bits a cell, in the order of `Geometry::around`: the four beside in the low byte, the diagonals in the high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Surroundings(pub u16);

const BESIDE: u16 = 0x0055;
const DIAGONAL: u16 = 0x5500;

impl Surroundings {
    pub fn of(cells: [Cell; 8]) -> Surroundings {
        Surroundings(cells.iter().enumerate().fold(0, |code, (i, &cell)| code | ((cell as u16) << (2 * i))))
    }

    pub const fn cells(self) -> [Cell; 8] {
        let mut cells = [Cell::Empty; 8];
        let mut i = 0;
        while i < 8 {
            cells[i] = Cell::from_bits(self.0 >> (2 * i));
            i += 1;
        }
        cells
    }

    /// Puts a stone on an empty place, or takes it away.
    #[inline]
    pub fn toggle(&mut self, place: usize, stone: Cell) {
        self.0 ^= (stone as u16) << (2 * place);
    }

    #[inline]
    const fn occupied(self) -> u16 {
        self.0 | (self.0 >> 1)
    }

    /// A low bit for each cell with a stone of this colour, edge not counted.
    #[inline]
    const fn stones(self, colour: Colour) -> u16 {
        match colour {
            Colour::Black => self.0 & !(self.0 >> 1),
            Colour::White => (self.0 >> 1) & !self.0,
        }
    }

    #[inline]
    pub const fn has_empty_beside(self) -> bool {
        self.occupied() & BESIDE != BESIDE
    }

    #[inline]
    pub const fn empty_beside(self) -> u32 {
        4 - (self.occupied() & BESIDE).count_ones()
    }

    #[inline]
    pub const fn beside(self, colour: Colour) -> u32 {
        (self.stones(colour) & BESIDE).count_ones()
    }

    #[inline]
    pub const fn diagonal(self, colour: Colour) -> u32 {
        (self.stones(colour) & DIAGONAL).count_ones()
    }

    /// No stone at all nearby.
    #[inline]
    pub const fn no_stones(self) -> bool {
        (self.stones(Colour::Black) | self.stones(Colour::White)) & (BESIDE | DIAGONAL) == 0
    }

    #[inline]
    pub const fn touches_edge(self) -> bool {
        self.0 & (self.0 >> 1) & (BESIDE | DIAGONAL) != 0
    }

    /// All four beside are this colour or edge.
    #[inline]
    pub const fn surrounded_by(self, colour: Colour) -> bool {
        let wanted = match colour {
            Colour::Black => BESIDE,
            Colour::White => BESIDE << 1,
        };
        self.0 & wanted == wanted
    }

    /// Looks like an eye: surrounded, and the enemy has too few diagonals to make it false (one in the open, none
    /// at the edge).
    #[inline]
    pub fn is_eye(self, colour: Colour) -> bool {
        self.surrounded_by(colour) && self.diagonal(!colour) <= u32::from(!self.touches_edge())
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell::*, *};

    #[test]
    fn code_and_cells_are_inverse() {
        for code in 0..=u16::MAX {
            assert_eq!(Surroundings::of(Surroundings(code).cells()), Surroundings(code));
        }
    }

    #[test]
    fn bit_counts_agree_with_the_cells() {
        for code in 0..=u16::MAX {
            let (s, cells) = (Surroundings(code), Surroundings(code).cells());
            let count = |part: &[Cell], cell| part.iter().filter(|&&c| c == cell).count() as u32;
            assert_eq!(s.empty_beside(), count(&cells[..4], Empty));
            assert_eq!(s.has_empty_beside(), count(&cells[..4], Empty) > 0);
            assert_eq!(s.touches_edge(), count(&cells, Edge) > 0);
            assert_eq!(s.no_stones(), count(&cells, Black) + count(&cells, White) == 0);
            for (colour, stone) in [(Colour::Black, Black), (Colour::White, White)] {
                assert_eq!(s.beside(colour), count(&cells[..4], stone));
                assert_eq!(s.diagonal(colour), count(&cells[4..], stone));
                assert_eq!(s.surrounded_by(colour), cells[..4].iter().all(|&c| c == stone || c == Edge));
            }
        }
    }

    #[test]
    fn eyes_true_and_false() {
        let open = |diagonals: [Cell; 4]| {
            let [a, b, c, d] = diagonals;
            Surroundings::of([Black, Black, Black, Black, a, b, c, d])
        };
        assert!(open([Black, Black, Black, White]).is_eye(Colour::Black));
        assert!(!open([White, Black, Black, White]).is_eye(Colour::Black));
        assert!(!open([Empty; 4]).is_eye(Colour::White));
        let side = |a, b| Surroundings::of([Edge, Black, Black, Black, Edge, Edge, a, b]);
        assert!(side(Black, Empty).is_eye(Colour::Black));
        assert!(!side(Black, White).is_eye(Colour::Black));
    }
}
