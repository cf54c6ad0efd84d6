//! The text that Edax writes with `book export`: one position a line, the side to move always as `X`:
//! `64 squares X,level,leaf move,leaf score`. The values of positions are not there: they come from the leaves up.

use super::{
    Fault, Faults, Format, ReadError, WriteError, WriteOptions, WriteReport, edax, imported, losses,
    text::{lines, squares},
};
use crate::othello::{
    Board, Square,
    book::{
        entry::{Entry, Leaf, Level, MOST_DISCS, in_discs},
        graph,
        store::BoardMap,
        table::Table,
    },
};
use std::io::Write;

const FIRST: &[u8] = b"Xx*BbPp";
const SECOND: &[u8] = b"OoWw";
const EMPTY: &[u8] = b"-.";

pub(super) fn looks_like(bytes: &[u8]) -> bool {
    lines(bytes).next().is_some_and(|(_, line)| {
        line.len() > 67 && squares(&line[..64], FIRST, SECOND, EMPTY).is_some() && line[64..].contains(&b',')
    })
}

struct Line {
    board: Board,
    level: Level,
    /// `None`: nothing is left to play outside the book.
    leaf: Option<(i32, LeafMove)>,
}

enum LeafMove {
    Place(Square),
    Pass,
    Over,
}

fn position(line: &[u8]) -> Option<Line> {
    let (x, o) = squares(line.get(..64)?, FIRST, SECOND, EMPTY)?;
    let mut fields = str::from_utf8(&line[64..]).ok()?.split(',').map(str::trim);
    let board = match fields.next()?.as_bytes() {
        [side] if FIRST.contains(side) => Board::new(x, o),
        [side] if SECOND.contains(side) => Board::new(o, x),
        _ => return None,
    };
    let level = Level::new(fields.next()?.parse().ok().filter(|&n: &u8| n <= 60)?)?;
    let (name, score) = (fields.next()?.to_ascii_lowercase(), fields.next()?.parse::<i32>().ok()?);
    let possible = score.abs() <= i32::from(MOST_DISCS);
    let leaf = match name.as_str() {
        "pa" | "ps" | "pass" => Some((score, LeafMove::Pass)),
        "--" if possible => Some((score, LeafMove::Over)),
        "--" => None,
        square => Some((score, LeafMove::Place(square.parse().ok()?))),
    };
    (leaf.is_none() || possible).then_some(Line { board, level, leaf })
}

pub(super) fn read(bytes: &[u8], faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::with_capacity(bytes.len() / 77);
    let mut others = Vec::new();
    for (offset, text) in lines(bytes) {
        let Some(line) = position(text) else {
            faults.note(Fault::BadLine, offset)?;
            continue;
        };
        let value = line.leaf.as_ref().map_or(0, |leaf| leaf.0);
        let mut entry = imported(line.board, value, line.level);
        if let Some((score, LeafMove::Place(square))) = line.leaf {
            if line.board.moves().contains(square) {
                entry.leaf = Some(Leaf { value: in_discs(score), square, level: line.level });
            } else {
                faults.note(Fault::LeafIllegal, offset)?;
            }
        }
        if graph::standing(line.board).turned {
            if line.board.must_pass() {
                faults.note(Fault::PassPosition, offset)?;
            }
            // Without a leaf its value is that of the position after the pass, which must then be there itself.
            others.extend(line.leaf.map(|_| (entry, offset)));
        } else {
            faults.keep(&mut entries, entry, offset);
        }
    }
    let table = Table::from_entries(entries.clone(), 0);
    let missing = |board: Board| table.index_of(graph::key(board)).is_none();
    for (entry, offset) in others.into_iter().filter(|(entry, _)| missing(entry.board)) {
        faults.keep(&mut entries, entry, offset);
    }
    from_the_ends_up(&mut entries);
    Ok(entries)
}

/// Gives every position the value of what lies below it.
fn from_the_ends_up(entries: &mut [Entry]) {
    let mut ends_first: Vec<&mut Entry> = entries.iter_mut().collect();
    ends_first.sort_by_key(|entry| std::cmp::Reverse(entry.board.disc_count()));
    let mut done: BoardMap<Entry> = BoardMap::default();
    for entry in ends_first {
        let links = graph::links(&done, entry.board);
        let leaf = graph::sound_leaf(entry, graph::squares(&links));
        if let Some(value) = graph::negamax(&links, leaf) {
            entry.value = in_discs(value);
        }
        done.insert(entry.board, *entry);
    }
}

pub(super) fn write(out: &mut dyn Write, table: &Table, options: WriteOptions) -> Result<WriteReport, WriteError> {
    let mut report = WriteReport::new(Format::EdaxText);
    let (mut hand, mut unknown, mut values, mut leaf_levels) = (0, 0, 0, 0);
    for entry in table.iter() {
        let links = graph::links(table, entry.board);
        let leaf = graph::sound_leaf(&entry, graph::squares(&links));
        values += u64::from(graph::negamax(&links, leaf).is_some_and(|v| v != i32::from(entry.value)));
        let level = options.level.unwrap_or(entry.level);
        let (name, score) = match leaf {
            Some(leaf) => (format!("{:#}", leaf.square), i32::from(leaf.value)),
            None if links.is_empty() => match entry.board.moves().first() {
                Some(square) => {
                    unknown += 1;
                    (format!("{square:#}"), i32::from(entry.value))
                }
                None => ("--".into(), i32::from(entry.value)),
            },
            None => ("--".into(), -127),
        };
        let level = level.min(Level::MAX).raw();
        writeln!(out, "{:?} X,{level},{name},{score}", entry.board)?;
        if let Some(other) = edax::other_side(entry.board) {
            let score = if other.must_pass() { -127 } else { -i32::from(entry.value) };
            writeln!(out, "{other:?} X,{level},--,{score}")?;
            report.positions += 1;
        }
        leaf_levels += u64::from(leaf.is_some_and(|leaf| leaf.level != entry.level));
        hand += u64::from(entry.level.is_hand());
        report.positions += 1;
    }
    report.lose(losses::BY_HAND, hand);
    report.lose(losses::DIFFERENT, values);
    report.lose(losses::GUESSED, unknown);
    report.lose(losses::LEAF_LEVELS, leaf_levels);
    report.lose(losses::LINES, table.len() as u64);
    report.lose(losses::SOURCES, table.len() as u64);
    Ok(report)
}
