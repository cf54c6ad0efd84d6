//! What a legal move looks like: the patterns around it, and what it does to both sides.

use crate::othello::{
    BitBoard, Board, Square,
    eval::{DISC, Tracker, Weights},
};
use std::sync::LazyLock;

/// Stages of the game with weights of their own, ten squares each.
pub const STAGES: usize = 6;

pub fn stage(empties: u32) -> usize {
    (60usize.saturating_sub(empties as usize) / 10).min(STAGES - 1)
}

/// Patterns around one move.
pub const PATTERNS: usize = 8;
/// Dense features of one move, one of each group.
pub const GROUPS: usize = 7;
/// How many values each group has: loss by a search of two plies, rank by it, moves of the opponent, discs turned,
/// corners given, openness, moves left to the own side.
const SIZES: [usize; GROUPS] = [17, 8, 16, 10, 4, 12, 12];

/// Dense features of one stage.
const DENSE_PER_STAGE: usize = {
    let (mut sum, mut i) = (0, 0);
    while i < GROUPS {
        sum += SIZES[i];
        i += 1;
    }
    sum
};
pub const DENSE: usize = STAGES * DENSE_PER_STAGE;

/// Losses in discs at which the next class begins.
const LOSSES: [f32; SIZES[0] - 1] =
    [0.02, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.5, 8.0, 10.0, 13.0, 17.0, 22.0, 30.0];

/// The patterns of one square up to symmetry, and where their tables begin.
struct Shape {
    cells: [Vec<u8>; PATTERNS],
    starts: [usize; PATTERNS],
}

struct Shapes {
    /// By the index of the square, which is the smallest of its images.
    of: Vec<Option<Shape>>,
    /// The symmetries that bring each square to the smallest of its images.
    ways: Vec<Vec<u8>>,
    len: usize,
}

static SHAPES: LazyLock<Shapes> = LazyLock::new(Shapes::new);

impl Shapes {
    fn new() -> Shapes {
        let image = |square: Square| (0..8).map(|s| square.symmetry(s)).min().unwrap_or(square);
        let ways = |square: Square| (0..8).filter(|&s| square.symmetry(s) == image(square)).collect();
        let (mut of, mut len) = (Vec::new(), 0);
        for square in Square::all() {
            of.push((image(square) == square).then(|| {
                let cells = patterns(square);
                let starts = std::array::from_fn(|i| {
                    let start = len;
                    len += 3usize.pow(cells[i].len() as u32);
                    start
                });
                Shape { cells, starts }
            }));
        }
        Shapes { of, ways: Square::all().map(ways).collect(), len }
    }
}

/// Row, column and both diagonals through a square, its neighbours, the corner a1, and both edges from there.
fn patterns(square: Square) -> [Vec<u8>; PATTERNS] {
    let (column, row) = (i32::from(square.column()), i32::from(square.row()));
    let all = |fits: &dyn Fn(i32, i32) -> bool| -> Vec<u8> {
        Square::all().filter(|s| fits(i32::from(s.column()), i32::from(s.row()))).map(|s| s.index() as u8).collect()
    };
    [
        all(&|_, r| r == row),
        all(&|c, _| c == column),
        all(&|c, r| c - r == column - row),
        all(&|c, r| c + r == column + row),
        all(&|c, r| (c - column).abs() <= 1 && (r - row).abs() <= 1 && (c, r) != (column, row)),
        all(&|c, r| c < 3 && r < 3),
        all(&|c, r| r == 0 || (r == 1 && (c == 1 || c == 6))),
        all(&|c, r| c == 0 || (c == 1 && (r == 1 || r == 6))),
    ]
}

/// Entries of all pattern tables.
pub fn table_len() -> usize {
    STAGES * SHAPES.len
}

/// A number that changes with every change of the features.
pub fn fingerprint() -> u32 {
    let cells = SHAPES.of.iter().flatten().flat_map(|shape| shape.cells.iter().flatten().copied());
    let bytes: Vec<u8> = cells.chain(SIZES.iter().map(|&n| n as u8)).chain([STAGES as u8]).collect();
    crate::base::checksum::crc32(&bytes)
}

/// A legal move as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub square: Square,
    /// What the move loses against the best by a search of two plies, in discs.
    pub loss: f32,
    pub patterns: [u32; PATTERNS],
    pub dense: [u16; GROUPS],
}

/// All legal moves of a position.
pub fn candidates(board: Board, weights: &Weights) -> Vec<Candidate> {
    let tracker = Tracker::new(board);
    let moves = board.moves();
    let mut values = Vec::with_capacity(moves.count() as usize);
    for square in moves {
        let flips = board.flips(square);
        let after = board.after(square, flips.0);
        values.push((square, flips, after, value_after(after, &tracker.after(square, flips.0), weights)));
    }
    let best = values.iter().map(|(.., value)| *value).fold(f32::NEG_INFINITY, f32::max);
    let stage = stage(board.empty_count());
    let corners_before = corners(board.pass());
    let list = values.iter().map(|&(square, flips, after, value)| {
        let rank = values.iter().filter(|(.., other)| *other > value).count();
        let given = corners(after).saturating_sub(corners_before);
        let groups = [
            LOSSES.iter().filter(|&&from| best - value >= from).count(),
            rank,
            after.moves().count() as usize,
            flips.count() as usize - 1,
            given as usize,
            openness(board, square, flips) as usize / 2,
            after.pass().moves().count() as usize,
        ];
        let mut start = stage * DENSE_PER_STAGE;
        let dense = std::array::from_fn(|i| {
            let index = start + groups[i].min(SIZES[i] - 1);
            start += SIZES[i];
            index as u16
        });
        Candidate { square, loss: best - value, patterns: pattern_indices(board, square), dense }
    });
    list.collect()
}

fn corners(board: Board) -> u32 {
    (board.moves() & BitBoard::CORNERS).count()
}

/// Empty squares around the discs that a move turns, each counted once for every disc.
pub fn openness(board: Board, square: Square, flips: BitBoard) -> u32 {
    let empty = board.empties() & !square.bit();
    flips.into_iter().map(|disc| (neighbours(disc.bit()) & empty).count_ones()).sum()
}

/// The squares beside a set of squares.
pub const fn neighbours(bits: u64) -> u64 {
    const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let sides = ((bits << 1) & NOT_A) | ((bits >> 1) & NOT_H);
    let row = bits | sides;
    sides | (row << 8) | (row >> 8)
}

/// The value of a move for who made it, after the opponent's best reply, in discs.
fn value_after(after: Board, tracker: &Tracker, weights: &Weights) -> f32 {
    let discs = |board: Board, tracker: &Tracker| {
        if board.is_over() { board.final_score() as f32 } else { weights.value(board, tracker) as f32 / DISC as f32 }
    };
    let replies = after.moves();
    if replies.is_empty() {
        let own = after.pass();
        return discs(own, &tracker.pass());
    }
    let reply = |square: Square| {
        let flips = after.flips(square).0;
        discs(after.after(square, flips), &tracker.after(square, flips))
    };
    replies.into_iter().map(reply).fold(f32::INFINITY, f32::min)
}

/// The entries of the pattern tables: the board is turned so that the square is the smallest of its images.
fn pattern_indices(board: Board, square: Square) -> [u32; PATTERNS] {
    let shapes = &*SHAPES;
    let turned = shapes.ways[square.index()].iter().map(|&s| (board.symmetry(s), s));
    let Some((turned, s)) = turned.min_by_key(|(board, _)| (board.player, board.opponent)) else {
        return [0; PATTERNS];
    };
    let Some(shape) = &shapes.of[square.symmetry(s).index()] else { return [0; PATTERNS] };
    let set = stage(board.empty_count()) * shapes.len;
    std::array::from_fn(|i| {
        let digit = |cell: u8| ((turned.player >> cell & 1) + 2 * (turned.opponent >> cell & 1)) as usize;
        let index = shape.cells[i].iter().fold(0, |index, &cell| 3 * index + digit(cell));
        (set + shape.starts[i] + index) as u32
    })
}
