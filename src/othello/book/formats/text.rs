//! Egaroucid 5: `book.txt`. One position a line: 64 squares from a1 (`0` black, `1` white, `.` empty), the side to move
//! (`0` or `1`), and the value in discs as *black* sees it.

use super::{Fault, Faults, Format, ReadError, WriteError, WriteOptions, WriteReport, imported, losses};
use crate::othello::{
    Board, Square,
    book::{
        entry::{Entry, Level, MOST_DISCS, ply},
        table::Table,
    },
};
use std::io::Write;

/// The lines of a text that are not blank, each with its offset.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    bytes.split(|&b| b == b'\n').filter_map(move |line| {
        let offset = at;
        at += line.len() + 1;
        let line = line.trim_ascii();
        (!line.is_empty()).then_some((offset, line))
    })
}

/// 64 squares written with one letter for each of the two sides and for an empty square: the two sets of discs.
pub(super) fn squares(text: &[u8], first: &[u8], second: &[u8], empty: &[u8]) -> Option<(u64, u64)> {
    if text.len() != Square::COUNT {
        return None;
    }
    let (mut a, mut b) = (0, 0);
    for (i, letter) in text.iter().enumerate() {
        if first.contains(letter) {
            a |= 1 << i;
        } else if second.contains(letter) {
            b |= 1 << i;
        } else if !empty.contains(letter) {
            return None;
        }
    }
    Some((a, b))
}

pub(super) fn looks_like(bytes: &[u8]) -> bool {
    lines(bytes).next().is_some_and(|(_, line)| line.len() > 66 && squares(&line[..64], b"0", b"1", b".").is_some())
}

fn position(line: &[u8]) -> Option<(Board, i32)> {
    let (black, white) = squares(line.get(..64)?, b"0", b"1", b".")?;
    let mut rest = str::from_utf8(&line[64..]).ok()?.split_ascii_whitespace();
    let side = rest.next()?;
    let value: f64 = rest.next()?.parse().ok()?;
    if rest.next().is_some() || !value.is_finite() || value.abs() > f64::from(MOST_DISCS) {
        return None;
    }
    let value = value.round() as i32;
    match side {
        "0" => Some((Board::new(black, white), value)),
        "1" => Some((Board::new(white, black), -value)),
        _ => None,
    }
}

pub(super) fn read(bytes: &[u8], level: Level, faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::with_capacity(bytes.len() / 69);
    for (offset, line) in lines(bytes) {
        match position(line) {
            Some((board, value)) => faults.keep(&mut entries, imported(board, value, level), offset),
            None => faults.note(Fault::BadLine, offset)?,
        }
    }
    Ok(entries)
}

pub(super) fn write(out: &mut dyn Write, table: &Table, options: WriteOptions) -> Result<WriteReport, WriteError> {
    let mut report = WriteReport::new(Format::Text);
    let mut leaves = 0;
    for entry in table.iter() {
        // Whose colour is to move is not known after passes; any choice is read back rightly.
        let black_moves = ply(entry.board).is_multiple_of(2);
        let Board { player, opponent } = entry.board;
        let (black, white) = if black_moves { (player, opponent) } else { (opponent, player) };
        let board: String = Square::all()
            .map(|s| {
                if black & s.bit() != 0 {
                    '0'
                } else if white & s.bit() != 0 {
                    '1'
                } else {
                    '.'
                }
            })
            .collect();
        let (side, value) = if black_moves { (0, entry.value) } else { (1, -entry.value) };
        writeln!(out, "{board} {side} {value}")?;
        leaves += u64::from(entry.leaf.is_some());
        report.positions += 1;
    }
    report.lose(losses::LEAVES, leaves);
    if options.level.is_none() {
        report.lose(losses::LEVELS, report.positions);
    }
    report.lose(losses::LINES, report.positions);
    report.lose(losses::SOURCES, report.positions);
    Ok(report)
}
