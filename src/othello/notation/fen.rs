//! The board as chess programs write it, used in PGN files of Othello: rows from 8 to 1, digits for runs of empty
//! squares, `p` black, `P` white, then the side to move: `8/8/8/3pP3/3Pp3/8/8/8 b`.

use super::BadPosition;
use crate::{
    base::{
        Colour,
        parse_error::{Expected, Read, expect, read_all},
    },
    othello::{BitBoard, Position, Square},
};
use nom::{
    Parser,
    branch::alt,
    character::complete::{char, multispace0, multispace1, one_of},
    combinator::value,
    sequence::{delimited, preceded},
};

/// The discs of one row, a first: bits of black and of white.
fn row(input: &str) -> Read<'_, (u64, u64)> {
    let (mut black, mut white, mut column) = (0, 0, 0);
    let mut rest = input;
    while column < 8 {
        let (after, c) = expect("`p`, `P` or a digit from 1 to 8", one_of("pP12345678")).parse(rest)?;
        match c {
            'p' => black |= 1 << column,
            'P' => white |= 1 << column,
            _ => {}
        }
        column += c.to_digit(10).unwrap_or(1);
        if column > 8 {
            return Err(nom::Err::Error(Expected { rest, expected: "no more than 8 squares in a row" }));
        }
        rest = after;
    }
    Ok((rest, (black, white)))
}

pub fn parse_fen(text: &str) -> Result<Position, BadPosition> {
    let side = alt((value(Colour::Black, char('b')), value(Colour::White, char('w'))));
    let side = preceded(expect("a blank", multispace1), expect("`b` or `w`", side));
    let (black, white, side) = read_all(text, delimited(multispace0, (rows, side), multispace0))
        .map(|((black, white), side)| (BitBoard(black), BitBoard(white), side))?;
    Ok(Position::new(black, white, side)?)
}

fn rows(input: &str) -> Read<'_, (u64, u64)> {
    let (mut black, mut white) = (0, 0);
    let mut rest = input;
    for number in (0..8).rev() {
        if number < 7 {
            (rest, _) = expect("`/`", char('/')).parse(rest)?;
        }
        let (after, (row_black, row_white)) = row(rest)?;
        black |= row_black << (8 * number);
        white |= row_white << (8 * number);
        rest = after;
    }
    Ok((rest, (black, white)))
}

pub fn fen_text(position: Position) -> String {
    let mut text = String::new();
    for row in (0..8).rev() {
        let mut run = 0;
        for column in 0..8 {
            match Square::at(column, row).and_then(|square| position.disc_at(square)) {
                None => run += 1,
                Some(colour) => {
                    if run > 0 {
                        text.push_str(&run.to_string());
                        run = 0;
                    }
                    text.push(if colour == Colour::Black { 'p' } else { 'P' });
                }
            }
        }
        if run > 0 {
            text.push_str(&run.to_string());
        }
        text.push(if row > 0 { '/' } else { ' ' });
    }
    text.push(position.side.letter());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_start() {
        assert_eq!(fen_text(Position::START), "8/8/8/3pP3/3Pp3/8/8/8 b");
        assert_eq!(parse_fen("8/8/8/3pP3/3Pp3/8/8/8 b"), Ok(Position::START));
        for (text, message) in [
            ("8/9/8", "column 3: expected `p`, `P` or a digit from 1 to 8, found `9`"),
            ("8/7pp", "column 5: expected `/`, found `p`"),
            ("8/72", "column 4: expected no more than 8 squares in a row, found `2`"),
            ("8/8/8/3pP3/3Pp3/8/8/8 x", "column 23: expected `b` or `w`, found `x`"),
        ] {
            assert_eq!(parse_fen(text).unwrap_err().to_string(), message);
        }
    }

    proptest! {
        #[test]
        fn printed_and_read_again(a in any::<u64>(), b in any::<u64>(), white in any::<bool>()) {
            let side = if white { Colour::White } else { Colour::Black };
            let position = Position::new(BitBoard(a & b), BitBoard(!a & (b | 1)), side).unwrap();
            prop_assert_eq!(parse_fen(&fen_text(position)), Ok(position));
        }

        #[test]
        fn any_text_is_answered(text in any::<String>(), nearly in "[1-9pP/ bw]{0,45}") {
            let _ = (parse_fen(&text), parse_fen(&nearly));
        }
    }
}
