//! Zebra and WZebra, only read: the packed form (a tree in pre-order), the hashed form (`book.bin`), and its text.
//!
//! Scores are 1/128 disc as black sees them; 30000 and more away from 0 stand for a proven result plus 30000. A position
//! is either reached by the tree or, in the hashed form, found by walking from the start and asking for each position's
//! numbers. The best move outside the book is given for Zebra's own choice among the eight images.

use super::{
    Fault, Faults, ReadError,
    bytes::Cursor,
    imported,
    text::lines,
    zebra_hash::{name, square},
};
use crate::othello::{
    Board,
    book::entry::{Entry, Leaf, Level, in_discs},
};
use std::collections::HashMap;

const MAGIC: (i16, i16) = (2718, 2818);
const NO_SCORE: i16 = 9999;
const PROVEN: i32 = 30_000;
const UNWANTED_DRAW: i32 = PROVEN - 1;
const UNITS: i32 = 128;
const BLACK_TO_MOVE: u16 = 1;
const FULLY_SOLVED: u16 = 16;
const DEPTH_SHIFT: u32 = 10;
const NODE: usize = 18;

/// What both forms tell about a position.
#[derive(Debug, Clone, Copy)]
struct Node {
    black_score: i16,
    white_score: i16,
    other_move: i16,
    other_score: i16,
    flags: u16,
}

impl Node {
    fn black_moves(&self) -> bool {
        self.flags & BLACK_TO_MOVE != 0
    }

    fn level(&self) -> Level {
        if self.flags & FULLY_SOLVED != 0 {
            return Level::MAX;
        }
        Level::from_search((self.flags >> DEPTH_SHIFT) as u8)
    }

    /// A score in discs for the side to move.
    fn value(&self, score: i16) -> Option<i32> {
        if score == NO_SCORE {
            return None;
        }
        let score = i32::from(score);
        let black = match score.abs() {
            UNWANTED_DRAW => 0,
            n if n > PROVEN => score - score.signum() * PROVEN,
            _ => (f64::from(score) / f64::from(UNITS)).round() as i32,
        };
        Some(if self.black_moves() { black } else { -black })
    }

    fn entry(&self, black: u64, white: u64) -> Option<Entry> {
        let (board, own_score) = if self.black_moves() {
            (Board::new(black, white), self.black_score)
        } else {
            (Board::new(white, black), self.white_score)
        };
        let leaf_value = self.value(self.other_score);
        let value = self.value(own_score).or(leaf_value)?;
        let mut entry = imported(board, value, self.level());
        let symmetry = name(black, white).symmetry;
        entry.leaf = square(self.other_move).zip(leaf_value).map(|(square, value)| Leaf {
            value: in_discs(value),
            square: square.symmetry_back(symmetry),
            level: entry.level,
        });
        Some(entry)
    }
}

/// Takes a node with its discs into the list, counting what is wrong with it.
fn take(
    node: &Node,
    black: u64,
    white: u64,
    offset: usize,
    entries: &mut Vec<Entry>,
    faults: &mut Faults,
) -> Result<(), ReadError> {
    let Some(mut entry) = node.entry(black, white) else { return faults.note(Fault::ValueRange, offset) };
    if entry.leaf.is_some_and(|leaf| !entry.board.moves().contains(leaf.square)) {
        faults.note(Fault::LeafIllegal, offset)?;
        entry.leaf = None;
    }
    faults.keep(entries, entry, offset);
    Ok(())
}

/// The discs of both colours after a move of the side that a node says is to move.
fn played(node: &Node, black: u64, white: u64, number: i16) -> Option<(u64, u64)> {
    let square = square(number)?;
    if node.black_moves() {
        Board::new(black, white).play(square).map(|next| (next.opponent, next.player))
    } else {
        Board::new(white, black).play(square).map(|next| (next.player, next.opponent))
    }
}

const START: (u64, u64) = (Board::START.player, Board::START.opponent);

// ---- the packed form ----

/// Node count, size of the list of moves; the list has a move for every node but the first.
fn packed_sizes(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut at = Cursor::new(bytes, 0);
    let nodes = usize::try_from(at.i32()?).ok()?;
    let moves = usize::try_from(at.i32()?).ok()?;
    (nodes == moves + 1).then_some((nodes, moves))
}

pub(super) fn looks_packed(bytes: &[u8]) -> bool {
    packed_sizes(bytes).is_some_and(|(nodes, _)| {
        let first = Cursor::new(bytes, 8).i16();
        // The root has between no and all four of its moves in the tree.
        bytes.len() >= 10 && first.is_some_and(|n| (0..=4).contains(&n)) && nodes > 0
    })
}

pub(super) fn read_packed(bytes: &[u8], faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let Some((count, moves)) = packed_sizes(bytes) else { return Ok(Vec::new()) };
    let wanted = 8 + 12 * count + 2 * moves;
    if bytes.len() < wanted {
        // The parts are stored one after the other: without the last there is no side to move for any position.
        faults.note(Fault::Truncated, bytes.len())?;
        return Ok(Vec::new());
    }
    if bytes.len() > wanted {
        faults.note(Fault::TrailingBytes, wanted)?;
    }
    let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let scores_at = 8 + 2 * count + 2 * moves;
    let node = |i: usize| Node {
        black_score: number(scores_at + 4 * i),
        white_score: number(scores_at + 4 * i + 2),
        other_move: number(scores_at + 4 * count + 2 * i),
        other_score: number(scores_at + 6 * count + 2 * i),
        flags: number(scores_at + 8 * count + 2 * i) as u16,
    };
    let moves_at = 8 + 2 * count;
    let mut entries = Vec::with_capacity(count);
    let mut next_move = 0;
    // Positions still to come, the next one last.
    let mut coming = vec![START];
    for i in 0..count {
        let Some((black, white)) = coming.pop() else {
            faults.note(Fault::CountWrong, 0)?;
            break;
        };
        let here = node(i);
        take(&here, black, white, scores_at + 4 * i, &mut entries, faults)?;
        let children = usize::try_from(number(8 + 2 * i)).unwrap_or(0);
        if next_move + children > moves {
            faults.note(Fault::CountWrong, 8 + 2 * i)?;
            break;
        }
        let places = (next_move..next_move + children).map(|k| moves_at + 2 * k);
        next_move += children;
        let after: Vec<Option<(u64, u64)>> = places.map(|at| played(&here, black, white, number(at))).collect();
        if after.iter().any(Option::is_none) {
            // Which nodes belong to the illegal move cannot be told: the rest of the tree is lost.
            faults.note(Fault::LinkIllegal, moves_at + 2 * next_move)?;
            faults.note(Fault::CountWrong, 8 + 2 * i)?;
            break;
        }
        coming.extend(after.into_iter().flatten().rev());
    }
    Ok(entries)
}

// ---- the hashed form ----

pub(super) fn looks_hashed(bytes: &[u8]) -> bool {
    let mut at = Cursor::new(bytes, 0);
    at.i16() == Some(MAGIC.0) && at.i16() == Some(MAGIC.1)
}

pub(super) fn looks_text(bytes: &[u8]) -> bool {
    let mut first = lines(bytes).map(|(_, line)| line);
    first.next() == Some(b"2718") && first.next() == Some(b"2818")
}

type Hashed = HashMap<(i32, i32), (usize, Node)>;

pub(super) fn read_hashed(bytes: &[u8], faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let told = Cursor::new(bytes, 4).i32().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let here = bytes.len().saturating_sub(8) / NODE;
    if here < told || bytes.len() < 8 {
        faults.note(Fault::Truncated, 8 + here * NODE)?;
    }
    if bytes.len() > 8 + told * NODE {
        faults.note(Fault::TrailingBytes, 8 + told * NODE)?;
    }
    let mut nodes = Hashed::with_capacity(here.min(told));
    for i in 0..here.min(told) {
        let offset = 8 + i * NODE;
        let mut at = Cursor::new(bytes, offset);
        let mut read = || {
            let hash = (at.i32()?, at.i32()?);
            let (black_score, white_score) = (at.i16()?, at.i16()?);
            let (other_move, other_score) = (at.i16()?, at.i16()?);
            Some((hash, Node { black_score, white_score, other_move, other_score, flags: at.i16()? as u16 }))
        };
        nodes.extend(read().map(|(hash, node)| (hash, (offset, node))));
    }
    walk(&nodes, faults)
}

pub(super) fn read_text(bytes: &[u8], faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let mut rows = lines(bytes).skip(2);
    let told: Option<usize> = rows.next().and_then(|(_, line)| str::from_utf8(line).ok()?.parse().ok());
    let mut nodes = Hashed::new();
    for (offset, line) in rows {
        let numbers: Option<Vec<i32>> =
            str::from_utf8(line).ok().and_then(|line| line.split_ascii_whitespace().map(|n| n.parse().ok()).collect());
        match numbers.as_deref() {
            Some(&[hash1, hash2, black, white, other_move, other_score, flags]) => {
                let [black_score, white_score, other_move, other_score] =
                    [black, white, other_move, other_score].map(|n| n as i16);
                let node = Node { black_score, white_score, other_move, other_score, flags: flags as u16 };
                nodes.insert((hash1, hash2), (offset, node));
            }
            _ => faults.note(Fault::BadLine, offset)?,
        }
    }
    if told != Some(nodes.len()) {
        faults.note(Fault::CountWrong, 0)?;
    }
    walk(&nodes, faults)
}

/// All positions that moves from the start lead to inside the book.
fn walk(nodes: &Hashed, faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::with_capacity(nodes.len());
    let mut seen = std::collections::HashSet::with_capacity(nodes.len());
    let mut coming = vec![START];
    while let Some((black, white)) = coming.pop() {
        let hash = name(black, white).hash;
        let Some((offset, node)) = nodes.get(&hash) else { continue };
        if !seen.insert(hash) {
            continue;
        }
        take(node, black, white, *offset, &mut entries, faults)?;
        let board = if node.black_moves() { Board::new(black, white) } else { Board::new(white, black) };
        for square in board.moves() {
            let Some(next) = board.play(square) else { continue };
            let next = if node.black_moves() { (next.opponent, next.player) } else { (next.player, next.opponent) };
            coming.push(next);
        }
    }
    let unreached = nodes.iter().filter(|(hash, _)| !seen.contains(hash)).map(|(_, (offset, _))| *offset);
    faults.note_many(Fault::Unreached, unreached.min().unwrap_or(0), nodes.len() - seen.len())?;
    Ok(entries)
}
