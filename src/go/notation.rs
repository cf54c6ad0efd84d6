//! Names of points (columns A to Z without I, rows from 1 at the bottom) and boards as pictures.

use super::board::{Board, Forbidden};
use super::point::{BadSize, Geometry, Point};
use super::surroundings::Cell;
use crate::base::Colour;
use std::fmt;

const COLUMNS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a point of this board or pass")]
pub struct BadVertex(pub String);

/// Reads `D4`, `d4` or `pass`.
pub fn parse_vertex(geometry: Geometry, text: &str) -> Result<Point, BadVertex> {
    if text.eq_ignore_ascii_case("pass") {
        return Ok(Point::PASS);
    }
    let wrong = || BadVertex(text.chars().take(20).collect());
    let &[letter, ref digits @ ..] = text.as_bytes() else { return Err(wrong()) };
    let column = COLUMNS.iter().position(|&c| c == letter.to_ascii_uppercase()).ok_or_else(wrong)?;
    // `parse` alone would take a plus sign too.
    if digits.is_empty() || digits.len() > 2 || !digits.iter().all(u8::is_ascii_digit) {
        return Err(wrong());
    }
    let row = digits.iter().fold(0, |n, d| 10 * n + usize::from(d - b'0'));
    row.checked_sub(1).and_then(|row| geometry.point(column, row)).ok_or_else(wrong)
}

/// A point with the board it belongs to, to be printed: `D4` or `pass`.
#[derive(Debug, Clone, Copy)]
pub struct Vertex(pub Geometry, pub Point);

impl fmt::Display for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Vertex(geometry, p) = *self;
        if p.is_pass() {
            return f.pad("pass");
        }
        f.pad(&format!("{}{}", COLUMNS[geometry.column(p)] as char, geometry.row(p) + 1))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPicture {
    #[error(transparent)]
    Size(#[from] BadSize),
    #[error("row {row} has {found} points instead of {wanted}")]
    RowLength { row: usize, found: usize, wanted: usize },
    #[error("row {row}, column {column}: `{found}` is none of X, O and .")]
    Cell { row: usize, column: usize, found: char },
    #[error("a chain in the picture has no liberty")]
    NoLiberty,
}

/// Reads a board drawn with `X` (black), `O` (white) and `.` (empty; `+` for a star point), top row first. Blanks
/// inside a row are allowed; blank lines are skipped.
pub fn parse_picture(text: &str) -> Result<Board, BadPicture> {
    let rows: Vec<Vec<char>> = text
        .lines()
        .map(|line| line.chars().filter(|c| !c.is_whitespace()).collect::<Vec<char>>())
        .filter(|row| !row.is_empty())
        .collect();
    let geometry = Geometry::new(rows.len())?;
    let mut stones = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let (wanted, found) = (rows.len(), row.len());
        if found != wanted {
            return Err(BadPicture::RowLength { row: i + 1, found, wanted });
        }
        for (column, &c) in row.iter().enumerate() {
            let colour = match c {
                'X' | 'x' | '#' => Some(Colour::Black),
                'O' | 'o' => Some(Colour::White),
                '.' | '+' => None,
                found => return Err(BadPicture::Cell { row: i + 1, column: column + 1, found }),
            };
            let p = geometry.point(column, wanted - 1 - i);
            stones.extend(p.zip(colour));
        }
    }
    Board::with_stones(geometry, stones).map_err(|e| {
        debug_assert_eq!(e, Forbidden::Suicide);
        BadPicture::NoLiberty
    })
}

/// The rows of a board from the top, as [`parse_picture`] reads them.
pub fn picture(board: &Board) -> String {
    let g = board.geometry();
    let mut text = String::with_capacity(g.area() + g.size());
    for p in g.points_from_top() {
        text.push(match board.cell(p) {
            Cell::Black => 'X',
            Cell::White => 'O',
            Cell::Empty | Cell::Edge => '.',
        });
        if g.column(p) + 1 == g.size() {
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_points() {
        let g = Geometry::new(9).unwrap();
        assert_eq!(parse_vertex(g, "a1"), Ok(g.point(0, 0).unwrap()));
        assert_eq!(parse_vertex(g, "J9"), Ok(g.point(8, 8).unwrap()));
        assert_eq!(parse_vertex(g, "PASS"), Ok(Point::PASS));
        for bad in ["", "I5", "K1", "A0", "A10", "a+1", "A", "1A", "A1x", "é1", "a100", "resign", "A-1"] {
            assert_eq!(parse_vertex(g, bad), Err(BadVertex(bad.into())), "{bad}");
        }
        assert_eq!(format!("{:>5}|", Vertex(g, Point::PASS)), " pass|");
    }

    #[test]
    fn every_point_of_every_size_by_name() {
        for size in 2..=25 {
            let g = Geometry::new(size).unwrap();
            for p in g.points().chain([Point::PASS]) {
                assert_eq!(parse_vertex(g, &Vertex(g, p).to_string()), Ok(p));
                assert_eq!(parse_vertex(g, &Vertex(g, p).to_string().to_lowercase()), Ok(p));
            }
        }
    }

    #[test]
    fn wrong_pictures_say_where() {
        assert_eq!(parse_picture("..\n.?").unwrap_err(), BadPicture::Cell { row: 2, column: 2, found: '?' });
        assert_eq!(parse_picture("..\n.").unwrap_err(), BadPicture::RowLength { row: 2, found: 1, wanted: 2 });
        assert_eq!(parse_picture("XX\nXX").unwrap_err(), BadPicture::NoLiberty);
        assert_eq!(parse_picture("X").unwrap_err(), BadPicture::Size(BadSize(1)));
    }

    proptest! {
        #[test]
        fn any_text_as_vertex_or_picture(text in ".{0,40}") {
            let g = Geometry::new(19).unwrap();
            if let Ok(p) = parse_vertex(g, &text) {
                prop_assert_eq!(parse_vertex(g, &Vertex(g, p).to_string()), Ok(p));
            }
            let _ = parse_picture(&text);
        }

        #[test]
        fn pictures_there_and_back(cells in proptest::collection::vec("[XO.]{5}", 5)) {
            let text = cells.join("\n") + "\n";
            if let Ok(board) = parse_picture(&text) {
                prop_assert_eq!(picture(&board), text);
            }
        }
    }
}
