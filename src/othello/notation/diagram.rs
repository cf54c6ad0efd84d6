//! Boards as 64 characters from a1 to h8, in one line or in eight, with or without the side to move.

use crate::{
    base::{
        Colour, ParseError,
        parse_error::{Expected, Read, expect, parse_error},
    },
    othello::{BitBoard, Position, Square},
};
use nom::{
    Parser,
    branch::alt,
    bytes::complete::tag_no_case,
    character::complete::{multispace0, one_of},
    combinator::{eof, map, opt, value},
    multi::fold_many_m_n,
    sequence::{delimited, preceded, terminated},
};
use std::fmt;

/// The discs of a diagram, and the side to move if it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diagram {
    pub black: BitBoard,
    pub white: BitBoard,
    pub side: Option<Colour>,
}

/// A text that was meant to be a board. Names the square when a character of the board itself is wrong or missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct BadBoard {
    pub square: Option<Square>,
    pub parse_error: ParseError,
}

impl fmt::Display for BadBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(square) = self.square else {
            return self.parse_error.fmt(f);
        };
        let (row, column) = (square.row() + 1, square.column() + 1);
        match self.parse_error.found {
            Some(c) => write!(f, "row {row}, column {column} ({square}): `{}` is not a square", c.escape_debug()),
            None => write!(f, "row {row}, column {column} ({square}): the board ends here, 64 squares are needed"),
        }
    }
}

const EMPTY: &str = ".-_";
const BLACK: &str = "XxBb0*●";
const WHITE: &str = "OoWw1○";

fn disc(input: &str) -> Read<'_, Colour> {
    alt((value(Colour::Black, one_of(BLACK)), value(Colour::White, one_of(WHITE)))).parse(input)
}

fn squares(input: &str) -> Read<'_, (u64, u64)> {
    let cell = alt((map(disc, Some), value(None, one_of(EMPTY))));
    let cell = preceded(multispace0, expect("`.`, `X` or `O`", cell));
    let count = 64;
    let fold = fold_many_m_n(
        count,
        count,
        cell,
        || (0u64, 0u64, 1u64),
        |(black, white, bit), disc| match disc {
            Some(Colour::Black) => (black | bit, white, bit << 1),
            Some(Colour::White) => (black, white | bit, bit << 1),
            None => (black, white, bit << 1),
        },
    );
    map(fold, |(black, white, _)| (black, white)).parse(input)
}

/// A disc of the side to move, or its name.
pub fn side(input: &str) -> Read<'_, Colour> {
    let word = alt((value(Colour::Black, tag_no_case("black")), value(Colour::White, tag_no_case("white"))));
    expect("the side to move (X or O)", alt((word, disc))).parse(input)
}

/// The squares and what follows them, at the beginning of `input`.
pub fn board(input: &str) -> Read<'_, Diagram> {
    let (rest, (black, white)) = squares(input)?;
    let (rest, side) = opt(preceded(multispace0, side)).parse(rest)?;
    Ok((rest, Diagram { black: BitBoard(black), white: BitBoard(white), side }))
}

/// The side first, then the squares.
fn side_and_board(input: &str) -> Read<'_, Diagram> {
    let (rest, (side, (black, white))) = (preceded(multispace0, side), squares).parse(input)?;
    Ok((rest, Diagram { black: BitBoard(black), white: BitBoard(white), side: Some(side) }))
}

/// A board and, if it is there, the side to move: 64 or 65 characters from a1, blanks and line ends anywhere.
/// Empty `. - _`, black `X x B b 0 * ●`, white `O o W w 1 ○`.
pub fn parse_board(text: &str) -> Result<Diagram, BadBoard> {
    let end = expect("the side to move (X or O), or the end", eof);
    whole(text, 0, terminated(board, preceded(multispace0, end)))
}

/// The side to move first, then the board: `0` or `1` and eight lines.
pub fn parse_side_first(text: &str) -> Result<Diagram, BadBoard> {
    whole(text, 1, delimited(multispace0, side_and_board, (multispace0, expect("the end", eof))))
}

/// Runs a parser whose text has `before` characters in front of the board.
fn whole<'a>(
    text: &'a str,
    before: usize,
    mut parser: impl Parser<&'a str, Output = Diagram, Error = Expected<'a>>,
) -> Result<Diagram, BadBoard> {
    let unmet = match parser.parse(text) {
        Ok((_, diagram)) => return Ok(diagram),
        Err(error) => error,
    };
    let misread_at = parse_error(text, unmet.clone());
    let (nom::Err::Error(Expected { rest, .. }) | nom::Err::Failure(Expected { rest, .. })) = unmet else {
        return Err(BadBoard { square: None, parse_error: misread_at });
    };
    let read = &text[..text.len() - rest.len()];
    let count = read.chars().filter(|c| !c.is_whitespace()).count();
    // A side in front may be a word; then only the place in the text is told.
    let square = count.checked_sub(before).and_then(|n| u8::try_from(n).ok()).and_then(Square::new);
    Err(BadBoard { square: square.filter(|_| count >= before), parse_error: misread_at })
}

impl Diagram {
    /// The side to move, as the discs tell it when nobody says: an even number of discs means that black is to move.
    pub fn likely_side(self) -> Colour {
        let even = (self.black | self.white).count().is_multiple_of(2);
        self.side.unwrap_or(if even { Colour::Black } else { Colour::White })
    }
}

/// The characters for a printed board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alphabet {
    pub black: char,
    pub white: char,
    pub empty: char,
}

impl Alphabet {
    /// As Edax and Egaroucid write positions.
    pub const LETTERS: Alphabet = Alphabet { black: 'X', white: 'O', empty: '-' };
    /// The stand-alone mode's and Egaroucid 5's.
    pub const DIGITS: Alphabet = Alphabet { black: '0', white: '1', empty: '.' };
    /// GGF's.
    pub const STARS: Alphabet = Alphabet { black: '*', white: 'O', empty: '-' };

    pub fn disc(self, colour: Option<Colour>) -> char {
        match colour {
            Some(Colour::Black) => self.black,
            Some(Colour::White) => self.white,
            None => self.empty,
        }
    }
}

/// The 64 squares in one word.
pub fn squares_text(position: Position, alphabet: Alphabet) -> String {
    Square::all().map(|square| alphabet.disc(position.disc_at(square))).collect()
}

/// The 64 squares, a blank and the side to move.
pub fn board_text(position: Position, alphabet: Alphabet) -> String {
    format!("{} {}", squares_text(position, alphabet), alphabet.disc(Some(position.side)))
}

/// The side to move, then eight lines.
pub fn side_first_text(position: Position, alphabet: Alphabet) -> String {
    let squares: Vec<char> = squares_text(position, alphabet).chars().collect();
    let mut text = format!("{}\n", alphabet.disc(Some(position.side)));
    for row in squares.chunks(8) {
        text.extend(row);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::notation::BadPosition;
    use proptest::prelude::*;

    const START: &str = "---------------------------OX------XO---------------------------";

    fn position(text: &str) -> Result<Position, BadPosition> {
        let diagram = parse_board(text)?;
        Ok(Position::new(diagram.black, diagram.white, diagram.likely_side())?)
    }

    #[test]
    fn the_start_in_every_alphabet() {
        let lines = START.as_bytes().chunks(8).map(|row| String::from_utf8_lossy(row).into_owned() + "\r\n");
        let lines: String = lines.collect();
        let spaced: String = START.chars().flat_map(|c| [c, ' ']).collect();
        for text in [START, &lines, &spaced] {
            for (black, white, empty) in
                [('x', 'o', '.'), ('B', 'W', '_'), ('b', 'w', '-'), ('0', '1', '.'), ('*', 'O', '-')]
            {
                let text = text.replace('O', "w?").replace('X', &black.to_string()).replace("w?", &white.to_string());
                let text = text.replace('-', &empty.to_string());
                assert_eq!(position(&text), Ok(Position::START), "{text}");
                for side in [black.to_string(), format!(" {black}\n"), "\nblack".into()] {
                    assert_eq!(position(&(text.clone() + &side)), Ok(Position::START), "{text}{side}");
                }
                assert_eq!(position(&format!("{text} {white}")), Ok(Position::START.pass()));
            }
        }
    }

    #[test]
    fn errors_name_row_column_and_character() {
        let say = |text: &str| parse_board(text).unwrap_err().to_string();
        assert_eq!(say(&START.replacen("X-", "X?", 1)), "row 4, column 6 (f4): `?` is not a square");
        assert_eq!(say(&START[..63]), "row 8, column 8 (h8): the board ends here, 64 squares are needed");
        assert_eq!(say(""), "row 1, column 1 (a1): the board ends here, 64 squares are needed");
        assert_eq!(say(&format!("{START} ?")), "column 66: expected the side to move (X or O), or the end, found `?`");
        assert_eq!(say(&format!("{START}XX")), "column 66: expected the side to move (X or O), or the end, found `X`");
        let eight = side_first_text(Position::START, Alphabet::DIGITS).replacen("10", "1z", 1);
        let bad = parse_side_first(&eight).unwrap_err();
        assert_eq!(bad.to_string(), "row 4, column 5 (e4): `z` is not a square");
        assert_eq!((bad.parse_error.line, bad.parse_error.column), (5, 5));
        assert_eq!(
            parse_side_first("2").unwrap_err().to_string(),
            "column 1: expected the side to move (X or O), found `2`"
        );
    }

    fn positions() -> impl Strategy<Value = Position> {
        let side = prop::sample::select(Colour::BOTH.to_vec());
        (any::<u64>(), any::<u64>(), side)
            .prop_filter_map("no disc", |(a, b, side)| Position::new(BitBoard(a & b), BitBoard(!a & b), side).ok())
    }

    proptest! {
        #[test]
        fn printed_and_read_again(
            position in positions(),
            alphabet in prop::sample::select(vec![Alphabet::LETTERS, Alphabet::DIGITS, Alphabet::STARS]),
        ) {
            let expected =
                Diagram { black: position.black(), white: position.white(), side: Some(position.side) };
            prop_assert_eq!(parse_board(&board_text(position, alphabet)), Ok(expected));
            prop_assert_eq!(parse_side_first(&side_first_text(position, alphabet)), Ok(expected));
            let squares = parse_board(&squares_text(position, alphabet));
            prop_assert_eq!(squares, Ok(Diagram { side: None, ..expected }));
        }

        #[test]
        fn any_text_is_answered(text in any::<String>(), nearly in "[XO.?é 01\n]{0,80}") {
            for text in [text, nearly] {
                let _ = (parse_board(&text).map_err(|e| e.to_string()), parse_side_first(&text).map_err(|e| e.to_string()));
            }
        }
    }
}
