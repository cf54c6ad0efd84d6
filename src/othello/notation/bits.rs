//! Positions as two numbers in hexadecimal, the highest bit being a1 as in Egaroucid: `0000000810000000
//! 0000001008000000`, with or without `0x` and leading zeros.

use super::{BadPosition, diagram};
use crate::{
    base::{
        Colour,
        parse_error::{Read, expect, read_all},
    },
    othello::{BitBoard, Position},
};
use nom::{
    Parser,
    branch::alt,
    bytes::complete::{tag_no_case, take_while1},
    character::complete::{multispace0, multispace1, one_of},
    combinator::{eof, map_opt, opt, value},
    multi::many1_count,
    sequence::{delimited, preceded, terminated},
};

/// Whose discs the first number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitsOrder {
    PlayerOpponent,
    BlackWhite,
}

/// How bitboards are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitsStyle {
    pub order: BitsOrder,
    /// With `0x` in front.
    pub prefix: bool,
    /// The side to move at the end.
    pub side: bool,
}

fn number(input: &str) -> Read<'_, u64> {
    let digits = take_while1(|c: char| c.is_ascii_hexdigit());
    let number = map_opt(digits, |digits: &str| {
        let significant = digits.trim_start_matches('0');
        if significant.is_empty() { Some(0) } else { u64::from_str_radix(significant, 16).ok() }
    });
    let number = preceded(opt(tag_no_case("0x")), number);
    expect("a hexadecimal number of up to 16 digits", number).parse(input)
}

fn order(input: &str) -> Read<'_, BitsOrder> {
    let black_white = value(BitsOrder::BlackWhite, (tag_no_case("black"), one_of("/- "), tag_no_case("white")));
    let player = value(BitsOrder::PlayerOpponent, (tag_no_case("player"), one_of("/- "), tag_no_case("opponent")));
    terminated(alt((black_white, player)), multispace1).parse(input)
}

/// Two numbers and maybe the side to move, black if it is not said. `black/white` or `player/opponent` in front says
/// whose the first number is; without it, it is the side to move's.
pub fn bits(input: &str) -> Read<'_, (BitsOrder, u64, u64, Option<Colour>)> {
    let (rest, order) = opt(order).parse(input)?;
    let gap = || many1_count(one_of(" \t\r\n,/"));
    let (rest, (first, _, second)) = (number, expect("a blank", gap()), number).parse(rest)?;
    let mut side = opt(preceded(multispace1, diagram::side));
    let (rest, side) = side.parse(rest)?;
    Ok((rest, (order.unwrap_or(BitsOrder::PlayerOpponent), first, second, side)))
}

pub fn parse_bits(text: &str) -> Result<Position, BadPosition> {
    let end = expect("the side to move (X or O), or the end", eof);
    let parser = delimited(multispace0, bits, preceded(multispace0, end));
    let (order, first, second, side) = read_all(text, parser)?;
    let side = side.unwrap_or(Colour::Black);
    let (first, second) = (BitBoard(first.reverse_bits()), BitBoard(second.reverse_bits()));
    let white_first = order == BitsOrder::PlayerOpponent && side == Colour::White;
    let (black, white) = if white_first { (second, first) } else { (first, second) };
    Ok(Position::new(black, white, side)?)
}

pub fn bits_text(position: Position, style: BitsStyle) -> String {
    let (first, second) = match style.order {
        BitsOrder::PlayerOpponent => (position.board.player, position.board.opponent),
        BitsOrder::BlackWhite => (position.black().0, position.white().0),
    };
    let prefix = if style.prefix { "0x" } else { "" };
    let mut text = format!("{prefix}{:016x} {prefix}{:016x}", first.reverse_bits(), second.reverse_bits());
    if style.side {
        text.push(' ');
        text.push(if position.side == Colour::Black { 'X' } else { 'O' });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_start_and_one_more() {
        // The numbers of Egaroucid's empty book.
        for text in [
            "0000000810000000 0000001008000000",
            "0x810000000 0x1008000000",
            "810000000,1008000000 X",
            " 0X0000000810000000 / 1008000000\nblack ",
            "black/white 810000000 1008000000 X",
        ] {
            assert_eq!(parse_bits(text), Ok(Position::START), "{text}");
        }
        let white = parse_bits("1008000000 810000000 O").unwrap();
        assert_eq!(white, Position::START.pass());
        assert_eq!(parse_bits("black-white 810000000 1008000000 white"), Ok(white));
        let a1 = parse_bits("8000000000000000 1").unwrap();
        assert_eq!((a1.black(), a1.white()), (BitBoard(1), BitBoard(1 << 63)));
    }

    #[test]
    fn errors_name_the_column_or_the_square() {
        for (text, message) in [
            ("12 g", "column 4: expected a hexadecimal number of up to 16 digits, found `g`"),
            ("12", "column 3: expected a blank, found the end"),
            ("1 2 3", "column 5: expected the side to move (X or O), or the end, found `3`"),
            ("12345678901234567 0", "column 1: expected a hexadecimal number of up to 16 digits, found `1`"),
            ("3 1", "black and white both have a disc on h8"),
            ("0 0", "there is no disc on the board"),
        ] {
            assert_eq!(parse_bits(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    proptest! {
        #[test]
        fn printed_and_read_again(a in any::<u64>(), b in any::<u64>(), white in any::<bool>(), prefix in any::<bool>()) {
            let side = if white { Colour::White } else { Colour::Black };
            let position = Position::new(BitBoard(a & b), BitBoard(!a & (b | 1)), side).unwrap();
            let text = bits_text(position, BitsStyle { order: BitsOrder::PlayerOpponent, prefix, side: true });
            prop_assert_eq!(parse_bits(&text), Ok(position));
            let text = bits_text(position, BitsStyle { order: BitsOrder::BlackWhite, prefix, side: true });
            prop_assert_eq!(parse_bits(&format!("black/white {text}")), Ok(position));
        }

        #[test]
        fn any_text_is_answered(text in any::<String>(), nearly in "[0-9a-gxX ,OX]{0,45}") {
            let _ = (parse_bits(&text), parse_bits(&nearly));
        }
    }
}
