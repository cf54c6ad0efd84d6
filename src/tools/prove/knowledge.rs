//! What is known about positions: lines `OBF,depth,strength,lower,upper,nodes`, to which lines are only ever added.

use super::claims::{Ask, LEAST, MOST};
use crate::{
    base::{Colour, files},
    othello::{
        Board, Position,
        notation::diagram::{Alphabet, board_text},
        records::obf::Problem,
    },
};
use std::{
    collections::HashMap,
    fs::File,
    io::{self, Write},
    path::Path,
};

pub const HEADER: &str = "OBF,depth,strength,lower,upper,nodes";
/// Nothing is cut on a guess.
const PROVEN: u32 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub board: Board,
    /// Plies; 0 where the bounds follow from those of the positions after it.
    pub depth: u32,
    pub strength: u32,
    pub lower: i32,
    pub upper: i32,
    pub nodes: u64,
}

impl Row {
    /// What a search to the end has said to a question.
    pub fn answer(board: Board, question: i32, yes: bool, nodes: u64) -> Row {
        let (lower, upper) = if yes { (question, MOST) } else { (LEAST, question - 2) };
        Row { board: board.canonical().0, depth: board.empty_count(), strength: PROVEN, lower, upper, nodes }
    }

    /// The question that a search has answered with this row, if it was one.
    pub fn question(&self) -> Option<i32> {
        match (self.lower, self.upper) {
            (lower, MOST) if lower > LEAST => Some(lower),
            (LEAST, upper) if upper < MOST => Some(upper + 2),
            _ => None,
        }
    }

    pub fn is_derived(&self) -> bool {
        self.depth == 0 && self.board.empty_count() > 0
    }

    pub fn parse(line: &str) -> Result<Row, String> {
        let fields: Vec<&str> = line.split(',').collect();
        let [obf, depth, strength, lower, upper, nodes] = fields[..] else {
            return Err(format!("it takes {HEADER}"));
        };
        let problem = Problem::parse(obf).map_err(|error| error.to_string())?;
        let bad = |name: &str| format!("{name}: this is not a number that it takes");
        let score = |name: &str, text: &str| {
            text.trim().parse().ok().filter(|n| (LEAST..=MOST).contains(n)).ok_or_else(|| bad(name))
        };
        let row = Row {
            board: problem.position.board.canonical().0,
            depth: depth.trim().parse().ok().filter(|n| *n <= 64).ok_or_else(|| bad("depth"))?,
            strength: strength.trim().parse().ok().filter(|n| *n <= 100).ok_or_else(|| bad("strength"))?,
            lower: score("lower", lower)?,
            upper: score("upper", upper)?,
            nodes: nodes.trim().parse().map_err(|_| bad("nodes"))?,
        };
        if row.lower > row.upper { Err("the lower bound is above the upper one".into()) } else { Ok(row) }
    }
}

/// A position as the files have it, black to move.
pub fn obf(board: Board) -> String {
    format!("{};", board_text(Position { board, side: Colour::Black }, Alphabet::LETTERS))
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Row { board, depth, strength, lower, upper, nodes } = self;
        write!(f, "{},{depth},{strength},{lower},{upper},{nodes}", obf(*board))
    }
}

#[derive(Default)]
pub struct Knowledge {
    rows: HashMap<Board, Vec<Row>>,
    file: Option<File>,
}

impl Knowledge {
    /// Opens or makes the file; half a line at its end, of a process that died, is cut off.
    pub fn open(path: &Path) -> io::Result<Knowledge> {
        let mut file = files::append(path)?;
        let text = files::read_text(path, files::LARGEST)?;
        let whole = text.rfind('\n').map_or(0, |last| last + 1);
        if whole < text.len() {
            file.set_len(whole as u64)?;
        }
        if whole == 0 {
            writeln!(file, "{HEADER}")?;
        }
        let mut knowledge = Knowledge::read(&text[..whole]).map_err(io::Error::other)?;
        knowledge.file = Some(file);
        Ok(knowledge)
    }

    pub fn read(text: &str) -> Result<Knowledge, String> {
        let mut knowledge = Knowledge::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.eq_ignore_ascii_case(HEADER) {
                let at = |why: String| format!("line {}: {why}", index + 1);
                let row = Row::parse(line).map_err(at)?;
                knowledge.note(row).map_err(at)?;
            }
        }
        Ok(knowledge)
    }

    fn note(&mut self, row: Row) -> Result<(), String> {
        let rows = self.rows.entry(row.board).or_default();
        rows.push(row);
        let (lower, upper) = bounds(rows);
        if lower <= upper { Ok(()) } else { Err(format!("this contradicts what is known about {}", obf(row.board))) }
    }

    /// Adds what was found; it is on the disk afterwards.
    pub fn add(&mut self, row: Row) -> io::Result<()> {
        self.note(row).map_err(io::Error::other)?;
        match &mut self.file {
            Some(file) => {
                file.write_all(format!("{row}\n").as_bytes())?;
                file.sync_data()
            }
            None => Ok(()),
        }
    }

    /// What is proven about a position.
    pub fn bounds(&self, board: Board) -> (i32, i32) {
        self.rows.get(&board.canonical().0).map_or((LEAST, MOST), |rows| bounds(rows))
    }

    /// The row that settles a claim.
    pub fn row(&self, board: Board, ask: Ask) -> Option<Row> {
        let rows = self.rows.get(&board.canonical().0)?;
        let proves = |row: &&Row| row.strength == PROVEN && ask.settled((row.lower, row.upper)) == Some(true);
        rows.iter().find(proves).copied()
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

fn bounds(rows: &[Row]) -> (i32, i32) {
    let proven = rows.iter().filter(|row| row.strength == PROVEN);
    proven.fold((LEAST, MOST), |(lower, upper), row| (lower.max(row.lower), upper.min(row.upper)))
}
