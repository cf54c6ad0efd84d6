//! The compiled matcher. It keeps, for either side and every frame, which rules' paths are found there, and walks a
//! trie again only where a move changed a point that the trie looks at.

use super::compile::{Kind, Trie};
use super::frame::{self, Frame, Match};
use super::interpret::Sight;
use super::library::Library;
use super::phase;
use crate::base::Colour;
use crate::go::board::Board;
use crate::go::point::Geometry;
use crate::go::surroundings::Cell;
use crate::gopal::rule::Cells;
use std::sync::Arc;

/// Cells beyond the edge on every side: as far as a pattern reaches from its anchor.
const MARGIN: usize = 25;

pub struct Matcher {
    library: Arc<Library>,
    geometry: Geometry,
    /// Cells in a row, margins included.
    width: usize,
    /// What each cell holds, seen by black and by white.
    cells: [Vec<u8>; 2],
    tables: [Table; 3],
    changed: Vec<(usize, usize)>,
}

/// The frames of one kind.
struct Table {
    kind: Kind,
    /// Each offset of the trie as a step in `cells`, for each symmetry.
    steps: [Vec<isize>; 8],
    frames: usize,
    /// The rules found in each frame, for either side.
    found: [Vec<Vec<u32>>; 2],
    /// Frames to look at again, for either side.
    stale: [Vec<u32>; 2],
    is_stale: [Vec<bool>; 2],
}

impl Matcher {
    pub fn new(library: Arc<Library>, geometry: Geometry) -> Matcher {
        let width = geometry.size() + 2 * MARGIN;
        let mut row = vec![Cells::EDGE.0; width * width];
        for p in geometry.points() {
            row[cell_index(width, geometry.column(p), geometry.row(p))] = Cells::EMPTY.0;
        }
        let tables = Kind::ALL.map(|kind| Table::new(kind, &library.compiled().tries[kind as usize], geometry, width));
        Matcher { library, geometry, width, cells: [row.clone(), row], tables, changed: Vec::new() }
    }

    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Everything that matches for the side to move, by rule and frame.
    pub fn matches(&mut self, board: &Board, move_number: usize) -> Vec<Match> {
        self.update(board);
        let library = self.library.clone();
        let compiled = library.compiled();
        let me = board.to_move();
        let now = phase::phase(board);
        let mut found = Vec::new();
        for table in &mut self.tables {
            let trie = &compiled.tries[table.kind as usize];
            table.refresh(trie, &self.cells[me.index()], self.geometry, self.width, me);
            for (number, rules) in table.found[me.index()].iter().enumerate().filter(|(_, rules)| !rules.is_empty()) {
                let (symmetry, column, row) = place(table.kind, self.geometry, number);
                for &number in rules {
                    let rule = &library.rules()[number as usize];
                    let part = &compiled.parts[number as usize];
                    let frame = Frame { symmetry, anchor: part.anchor, column: column as u8, row: row as u8 };
                    if part.symmetries & (1 << symmetry) == 0
                        || !phase::applies(&rule.phases, now)
                        || !frame::is_central(rule, &frame, self.geometry)
                    {
                        continue;
                    }
                    let sight = Sight { board, me, frame, picked: None, move_number };
                    let picks = if part.picked { vec![None] } else { sight.picks(rule) };
                    let whole = picks.into_iter().filter(|&picked| Sight { picked, ..sight }.truth(&part.rest));
                    found.extend(whole.map(|picked| Match { rule: number as usize, frame, picked }));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Takes over the stones of a board and marks the frames that changed points belong to.
    fn update(&mut self, board: &Board) {
        self.changed.clear();
        for p in self.geometry.points() {
            let seen_by = |colour: Colour| match board.cell(p) {
                Cell::Empty | Cell::Edge => Cells::EMPTY.0,
                stone if stone.colour() == Some(colour) => Cells::FRIEND.0,
                _ => Cells::ENEMY.0,
            };
            let (column, row) = (self.geometry.column(p), self.geometry.row(p));
            let index = cell_index(self.width, column, row);
            let black = seen_by(Colour::Black);
            if self.cells[Colour::Black.index()][index] != black {
                self.cells[Colour::Black.index()][index] = black;
                self.cells[Colour::White.index()][index] = seen_by(Colour::White);
                self.changed.push((column, row));
            }
        }
        for table in &mut self.tables {
            let trie = &self.library.compiled().tries[table.kind as usize];
            table.mark(trie, &self.changed, self.geometry);
        }
    }
}

fn cell_index(width: usize, column: usize, row: usize) -> usize {
    (row + MARGIN) * width + column + MARGIN
}

/// How many frames there are of a kind.
fn frame_count(kind: Kind, geometry: Geometry) -> usize {
    match kind {
        Kind::Corner => 8,
        Kind::Side => 8 * geometry.size(),
        Kind::Free => 8 * geometry.area(),
    }
}

/// Symmetry, column and row of the anchor of a frame.
fn place(kind: Kind, geometry: Geometry, frame: usize) -> (u8, usize, usize) {
    let size = geometry.size();
    let per_symmetry = frame_count(kind, geometry) / 8;
    let (symmetry, rest) = ((frame / per_symmetry) as u8, frame % per_symmetry);
    let (column, row) = match kind {
        Kind::Corner => frame::corner(size, symmetry),
        Kind::Side => frame::on_side(size, symmetry, rest),
        Kind::Free => (rest % size, rest / size),
    };
    (symmetry, column, row)
}

/// The frame of a symmetry whose anchor lies on this column and row, if there is one.
fn frame_at(kind: Kind, geometry: Geometry, symmetry: u8, column: i32, row: i32) -> Option<usize> {
    let size = geometry.size();
    let (column, row) = (usize::try_from(column).ok()?, usize::try_from(row).ok()?);
    if column >= size || row >= size {
        return None;
    }
    let corner = frame::corner(size, symmetry);
    let s = usize::from(symmetry);
    match kind {
        Kind::Corner => (corner == (column, row)).then_some(s),
        Kind::Side => {
            // Row 1 of the frame runs along a row of the board, or along a column when the symmetry swaps.
            let (across, along) = if symmetry & 4 == 0 {
                (row == corner.1, column.abs_diff(corner.0))
            } else {
                (column == corner.0, row.abs_diff(corner.1))
            };
            across.then_some(s * size + along)
        }
        Kind::Free => Some(s * size * size + row * size + column),
    }
}

impl Table {
    fn new(kind: Kind, trie: &Trie, geometry: Geometry, width: usize) -> Table {
        // A trie without rules has no frames to look at.
        let empty = trie.nodes.len() == 1 && trie.nodes[0].rules.is_empty();
        let frames = if empty { 0 } else { frame_count(kind, geometry) };
        let steps = std::array::from_fn(|symmetry| {
            let step = |&(c, r): &(i8, i8)| {
                let (dc, dr) = frame::turn(symmetry as u8, (i32::from(c), i32::from(r)));
                dr as isize * width as isize + dc as isize
            };
            trie.offsets.iter().map(step).collect()
        });
        let all: Vec<u32> = (0..frames as u32).collect();
        Table {
            kind,
            steps,
            frames,
            found: [vec![vec![]; frames], vec![vec![]; frames]],
            stale: [all.clone(), all],
            is_stale: [vec![true; frames], vec![true; frames]],
        }
    }

    fn mark(&mut self, trie: &Trie, changed: &[(usize, usize)], geometry: Geometry) {
        if self.frames == 0 {
            return;
        }
        for &(column, row) in changed {
            for symmetry in 0..8u8 {
                for &(c, r) in &trie.offsets {
                    let (dc, dr) = frame::turn(symmetry, (i32::from(c), i32::from(r)));
                    let (column, row) = (column as i32 - dc, row as i32 - dr);
                    if let Some(frame) = frame_at(self.kind, geometry, symmetry, column, row) {
                        for side in 0..2 {
                            if !std::mem::replace(&mut self.is_stale[side][frame], true) {
                                self.stale[side].push(frame as u32);
                            }
                        }
                    }
                }
            }
        }
    }

    fn refresh(&mut self, trie: &Trie, cells: &[u8], geometry: Geometry, width: usize, me: Colour) {
        let side = me.index();
        let mut stack = Vec::new();
        for frame in std::mem::take(&mut self.stale[side]) {
            let frame = frame as usize;
            self.is_stale[side][frame] = false;
            let (symmetry, column, row) = place(self.kind, geometry, frame);
            let base = cell_index(width, column, row);
            let steps = &self.steps[usize::from(symmetry)];
            let found = &mut self.found[side][frame];
            found.clear();
            stack.push(0u32);
            while let Some(node) = stack.pop() {
                let node = &trie.nodes[node as usize];
                found.extend_from_slice(&node.rules);
                for edge in &node.edges {
                    let cell = cells[base.wrapping_add_signed(steps[usize::from(edge.offset)])];
                    if edge.cells.0 & cell != 0 {
                        stack.push(edge.child);
                    }
                }
            }
        }
    }
}
