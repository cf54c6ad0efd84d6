//! 3x3 patterns: pictures in a text file, spread by symmetry over a table of all 65536 surroundings.

use super::surroundings::{Cell, Surroundings};
use crate::base::Colour;
use std::sync::{Arc, LazyLock};

/// The patterns that come with the program.
pub const PICTURES: &str = include_str!("../../resources/go/patterns.txt");

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("patterns, line {line}: {what}")]
pub struct PatternError {
    pub line: usize,
    pub what: String,
}

/// Patterns that a table can tell apart.
const MOST: usize = 255;

#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    pub name: String,
    pub weight: f32,
    /// Which cells may stand on each of the eight places, as a set of bits by [`Cell`], in the order of
    /// `Geometry::around`; seen by black.
    allowed: [u8; 8],
}

/// The places around the middle of a picture, row by row, as places of the surroundings.
const ROWS: [[Option<usize>; 3]; 3] =
    [[Some(6), Some(3), Some(7)], [Some(1), None, Some(2)], [Some(4), Some(0), Some(5)]];

const SYMMETRIES: [[usize; 8]; 8] = symmetries();

/// For each symmetry, where each place goes.
const fn symmetries() -> [[usize; 8]; 8] {
    // A mirror that exchanges left and right, and one that exchanges rows and columns, make all eight.
    let mirror = [0, 2, 1, 3, 5, 4, 7, 6];
    let flip = [1, 0, 3, 2, 4, 6, 5, 7];
    let mut all = [[0, 1, 2, 3, 4, 5, 6, 7]; 8];
    let mut s = 1;
    while s < 8 {
        let by = if s % 2 == 1 { mirror } else { flip };
        let mut place = 0;
        while place < 8 {
            all[s][place] = by[all[s - 1][place]];
            place += 1;
        }
        s += 1;
    }
    all
}

fn allowed_by(symbol: char) -> Option<u8> {
    let only = |cell: Cell| 1u8 << cell as u8;
    Some(match symbol {
        'X' => only(Cell::Black),
        'O' => only(Cell::White),
        '.' => only(Cell::Empty),
        '#' => only(Cell::Edge),
        'x' => 0b1111 & !only(Cell::Black),
        'o' => 0b1111 & !only(Cell::White),
        '?' => 0b1111,
        _ => return None,
    })
}

/// Reads a file of pictures.
pub fn parse(text: &str) -> Result<Vec<Pattern>, PatternError> {
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let mut patterns = Vec::new();
    while let Some((line, head)) = lines.next() {
        if head.is_empty() || head.starts_with(';') {
            continue;
        }
        let wrong = |line: usize, what: &str| PatternError { line, what: what.into() };
        let (name, weight) = head.split_once(' ').ok_or_else(|| wrong(line, "a name and a weight are wanted"))?;
        let weight: f32 = weight.trim().parse().map_err(|_| wrong(line, "the weight is not a number"))?;
        if !(weight.is_finite() && weight > 0.0) {
            return Err(wrong(line, "the weight must be above 0"));
        }
        let mut allowed = [0; 8];
        for row in ROWS {
            let (line, symbols) = lines.next().ok_or_else(|| wrong(line, "three rows must follow"))?;
            let symbols: Vec<char> = symbols.chars().collect();
            if symbols.len() != 3 {
                return Err(wrong(line, "a row has three cells"));
            }
            for (place, symbol) in row.into_iter().zip(symbols) {
                let cells = allowed_by(symbol).ok_or_else(|| wrong(line, &format!("unknown cell `{symbol}`")))?;
                match place {
                    Some(place) => allowed[place] = cells,
                    None if symbol == '.' => {}
                    None => return Err(wrong(line, "the middle must be empty")),
                }
            }
        }
        if patterns.len() == MOST {
            return Err(wrong(line, "there are more than 255 patterns"));
        }
        patterns.push(Pattern { name: name.into(), weight, allowed });
    }
    Ok(patterns)
}

/// The weight of every surroundings for the side to move; 0 where no pattern fits.
#[derive(Clone, PartialEq)]
pub struct PatternTable {
    weights: Box<[f32]>,
    /// 1 + number of the pattern that gave the weight.
    origin: Box<[u8]>,
    patterns: Vec<Pattern>,
}

impl std::fmt::Debug for PatternTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PatternTable({} patterns)", self.patterns.len())
    }
}

impl PatternTable {
    pub fn new(patterns: Vec<Pattern>) -> PatternTable {
        let mut table =
            PatternTable { weights: vec![0.0; 1 << 16].into(), origin: vec![0; 1 << 16].into(), patterns: Vec::new() };
        for (number, pattern) in patterns.iter().take(MOST).enumerate() {
            for symmetry in SYMMETRIES {
                let mut allowed = [0; 8];
                for place in 0..8 {
                    allowed[symmetry[place]] = pattern.allowed[place];
                }
                table.spread(&allowed, 0, 0, pattern.weight, number as u8 + 1);
            }
        }
        table.patterns = patterns;
        table
    }

    fn spread(&mut self, allowed: &[u8; 8], place: usize, code: u16, weight: f32, number: u8) {
        if place == 8 {
            if weight > self.weights[usize::from(code)] {
                self.weights[usize::from(code)] = weight;
                self.origin[usize::from(code)] = number;
            }
            return;
        }
        for cell in (0..4u16).filter(|cell| allowed[place] >> cell & 1 == 1) {
            self.spread(allowed, place + 1, code | cell << (2 * place), weight, number);
        }
    }

    /// The weight of a move with these surroundings; 0 where no pattern fits.
    #[inline]
    pub fn weight(&self, around: Surroundings, to_move: Colour) -> f32 {
        self.weights[usize::from(seen_by(around, to_move).0)]
    }

    /// The pattern that gives the weight.
    #[cfg(test)]
    pub fn pattern(&self, around: Surroundings, to_move: Colour) -> Option<&Pattern> {
        let number = self.origin[usize::from(seen_by(around, to_move).0)];
        self.patterns.get(usize::from(number).checked_sub(1)?)
    }

    /// How many surroundings some pattern fits.
    #[cfg(test)]
    pub fn known(&self) -> usize {
        self.weights.iter().filter(|&&w| w > 0.0).count()
    }

    /// The table of the patterns that come with the program.
    pub fn standard() -> Arc<PatternTable> {
        static TABLE: LazyLock<Arc<PatternTable>> =
            LazyLock::new(|| Arc::new(PatternTable::new(parse(PICTURES).unwrap_or_default())));
        Arc::clone(&TABLE)
    }

    /// The table of a file of pictures, if it has any.
    pub fn from_text(text: &str) -> Result<PatternTable, PatternError> {
        let patterns = parse(text)?;
        if patterns.is_empty() {
            return Err(PatternError { line: text.lines().count().max(1), what: "there is no pattern".into() });
        }
        Ok(PatternTable::new(patterns))
    }
}

/// The surroundings with the side to move as black.
#[inline]
pub fn seen_by(around: Surroundings, to_move: Colour) -> Surroundings {
    match to_move {
        Colour::Black => around,
        Colour::White => Surroundings((around.0 & 0x5555) << 1 | (around.0 >> 1) & 0x5555),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::board::Board;
    use crate::go::notation::parse_picture;

    fn middle(picture: &str) -> (Board, Surroundings) {
        let board = parse_picture(picture).unwrap();
        let p = board.geometry().point(1, 1).unwrap();
        let around = board.surroundings(p);
        (board, around)
    }

    #[test]
    fn the_standard_pictures_can_be_read() {
        let patterns = parse(PICTURES).unwrap();
        assert_eq!(patterns.len(), 13);
        assert!(patterns.iter().all(|p| PatternTable::standard().patterns.contains(p)));
        assert!(PatternTable::standard().known() > 1000);
    }

    #[test]
    fn files_without_patterns_or_with_too_many_are_refused() {
        let error = |text: &str| PatternTable::from_text(text).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error("; nothing\n"), "patterns, line 1: there is no pattern");
        let many = "a 2\nX??\n?.?\n???\n".repeat(256);
        assert_eq!(error(&many), "patterns, line 1021: there are more than 255 patterns");
        assert_eq!(error("a 2\nX??\n?X?\n???\n"), "patterns, line 3: the middle must be empty");
        assert!(PatternTable::from_text("a 2\nX??\n?.?\n???\n").is_ok());
    }

    #[test]
    fn eight_symmetries_of_a_picture_all_fit() {
        let table = PatternTable::new(parse("cut 2\nXO.\nO..\n...\n").unwrap());
        assert_eq!(table.known(), 4, "a picture with one mirror of its own has four");
        let table = PatternTable::new(parse("odd 2\nXO.\n..X\n...\n").unwrap());
        assert_eq!(table.known(), 8);
        for place in 0..8 {
            assert!(SYMMETRIES.iter().all(|s| s.contains(&place)));
        }
    }

    #[test]
    fn pictures_are_seen_by_the_side_to_move() {
        let table = PatternTable::new(parse("cut 2\nXO?\nO.?\n???\n").unwrap());
        let (_, around) = middle(".....\n.....\n.OX..\n.X...\n.....".replace(' ', "").as_str());
        assert_eq!(table.weight(around, Colour::White), 0.0);
        let (_, around) = middle(".....\n.....\nOX...\nX....\n.....");
        assert_eq!(table.weight(around, Colour::White), 2.0);
        assert_eq!(table.weight(around, Colour::Black), 0.0);
        assert_eq!(table.pattern(around, Colour::White).unwrap().name, "cut");
    }

    #[test]
    fn edges_are_part_of_pictures() {
        let table = PatternTable::new(parse("corner 3\n...\n#..\n##.\n").unwrap());
        let board = Board::new(5).unwrap();
        let fitting = board.geometry().points().filter(|&p| table.weight(board.surroundings(p), Colour::Black) > 0.0);
        assert_eq!(fitting.count(), 0, "that picture is no corner");
        let table = PatternTable::new(parse("corner 3\n#..\n#..\n###\n").unwrap());
        let fitting = board.geometry().points().filter(|&p| table.weight(board.surroundings(p), Colour::Black) > 0.0);
        assert_eq!(fitting.count(), 4);
    }

    #[test]
    fn the_heaviest_pattern_counts() {
        let table = PatternTable::new(parse("a 2\nX??\n?.?\n???\n\nb 5\nXX?\n?.?\n???\n").unwrap());
        let (_, around) = middle(".....\n.....\nXX...\n.....\n.....");
        assert_eq!(table.weight(around, Colour::Black), 5.0);
    }

    #[test]
    fn wrong_files_say_where() {
        let line = |text: &str| parse(text).unwrap_err().line;
        assert_eq!(line("; fine\n\nname\n"), 3);
        assert_eq!(line("name x\n...\n...\n..."), 1);
        assert_eq!(line("name 1\n...\n..\n..."), 3);
        assert_eq!(line("name 1\n...\n.X.\n..."), 3);
        assert_eq!(line("name 1\n...\n...\n..@"), 4);
        assert_eq!(line("name 1\n...\n..."), 1);
        assert_eq!(line("name -1\n...\n...\n..."), 1);
    }
}
