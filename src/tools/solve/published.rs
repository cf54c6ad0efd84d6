//! Node counts that others have published, to be shown beside ours.
//!
//! FFO 40–59, from the logs on the pages of benchmarks at egaroucid.nyanyan.dev, both on a Core i9-11900K with 1 table of
//! 2^25 entries: Edax 4.5.5 (x86-64, 16 threads; page of version 7.8.0) and Egaroucid 7.6.0 (AVX-512, 26 threads; page of
//! version 7.6.0). A node is not the same thing in every program, and more threads search more nodes.

use crate::{
    base::checksum::crc32,
    othello::{
        Position,
        notation::diagram::{Alphabet, squares_text},
    },
};

/// Whose counts these are.
pub const PROGRAMS: [&str; 2] = ["Edax 4.5.5", "Egaroucid 7.6.0"];

/// A position of the test set, known by the checksum of its squares and its side.
pub struct Row {
    pub ffo: u32,
    empties: u32,
    crc: u32,
    /// By program.
    pub nodes: [u64; 2],
}

/// The row of this position, if anything was published about it.
pub fn find(position: Position) -> Option<&'static Row> {
    let crc = key(position);
    ROWS.iter().find(|row| row.crc == crc && row.empties == position.board.empty_count())
}

/// The checksum of 64 letters and the side to move.
fn key(position: Position) -> u32 {
    let side = Alphabet::LETTERS.disc(Some(position.side));
    crc32(format!("{}{side}", squares_text(position, Alphabet::LETTERS)).as_bytes())
}

const ROWS: &[Row] = &[
    Row { ffo: 40, empties: 20, crc: 0xf68b48d7, nodes: [10_614_740, 10_547_921] },
    Row { ffo: 41, empties: 22, crc: 0x70cee7a2, nodes: [22_072_985, 12_853_101] },
    Row { ffo: 42, empties: 22, crc: 0xc22b3226, nodes: [28_458_486, 20_708_764] },
    Row { ffo: 43, empties: 23, crc: 0x181e5d57, nodes: [85_805_673, 23_504_904] },
    Row { ffo: 44, empties: 23, crc: 0x1e7ea2b0, nodes: [19_972_604, 11_286_061] },
    Row { ffo: 45, empties: 24, crc: 0xa585ddf0, nodes: [272_894_511, 206_904_897] },
    Row { ffo: 46, empties: 24, crc: 0x620b92e7, nodes: [62_314_637, 38_255_588] },
    Row { ffo: 47, empties: 25, crc: 0xde4d7ec5, nodes: [19_220_138, 12_839_663] },
    Row { ffo: 48, empties: 25, crc: 0x49c263d7, nodes: [155_792_580, 104_611_974] },
    Row { ffo: 49, empties: 26, crc: 0xa62a2c5f, nodes: [386_501_937, 188_599_206] },
    Row { ffo: 50, empties: 26, crc: 0x408a6ddb, nodes: [960_436_715, 550_168_964] },
    Row { ffo: 51, empties: 27, crc: 0xa1f278e2, nodes: [419_098_962, 155_365_605] },
    Row { ffo: 52, empties: 27, crc: 0x76d3d05f, nodes: [651_163_997, 226_863_453] },
    Row { ffo: 53, empties: 28, crc: 0xb10d18ee, nodes: [2_839_518_291, 1_508_410_122] },
    Row { ffo: 54, empties: 28, crc: 0x86cbbe2d, nodes: [4_021_545_566, 1_843_884_612] },
    Row { ffo: 55, empties: 29, crc: 0xa0f3a908, nodes: [11_417_138_668, 5_729_728_165] },
    Row { ffo: 56, empties: 29, crc: 0x44365463, nodes: [1_320_650_707, 540_316_452] },
    Row { ffo: 57, empties: 30, crc: 0x7f458d79, nodes: [1_620_336_000, 1_142_254_950] },
    Row { ffo: 58, empties: 30, crc: 0x2e5d908e, nodes: [1_879_491_102, 734_114_143] },
    Row { ffo: 59, empties: 34, crc: 0x861f4c36, nodes: [958_308, 250_859] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_are_those_of_the_logs() {
        let sum = |program: usize| ROWS.iter().map(|row| row.nodes[program]).sum::<u64>();
        assert_eq!((sum(0), sum(1)), (26_193_986_607, 13_061_469_404));
        assert!(ROWS.iter().map(|row| row.ffo).eq(40..60));
        assert!(find(Position::START).is_none());
    }

    #[test]
    fn positions_are_known_by_their_squares() {
        assert_eq!(key(Position::START), crc32(b"---------------------------OX------XO---------------------------X"));
    }
}
