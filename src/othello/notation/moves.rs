//! Single moves and transcripts: `f5d6c3`, `F5 D6 pass c3`, `1. f5 d6 2. c3`.

use crate::{
    base::{
        ParseError,
        parse_error::{Read, expect, read_all},
    },
    othello::{Move, Square},
};
use nom::{
    Parser,
    branch::alt,
    bytes::complete::{tag, tag_no_case},
    character::complete::{char, digit1, multispace1, one_of, satisfy},
    combinator::{eof, map, map_opt, value},
    multi::{many_till, many0_count},
    sequence::{pair, preceded, terminated},
};

/// `a1` to `h8` in any case.
pub fn square(input: &str) -> Read<'_, Square> {
    let column = satisfy(|c| matches!(c.to_ascii_lowercase(), 'a'..='h'));
    let row = expect("a row from 1 to 8", one_of("12345678"));
    map_opt(pair(column, row), |(column, row)| Square::at(column.to_ascii_lowercase() as u8 - b'a', row as u8 - b'1'))
        .parse(input)
}

/// `pass` in any case or a beginning of it, `ps`, `--`.
pub fn pass(input: &str) -> Read<'_, Move> {
    let word = alt((
        tag_no_case("pass"),
        tag_no_case("pas"),
        tag_no_case("pa"),
        tag_no_case("ps"),
        tag_no_case("p"),
        tag("--"),
    ));
    value(Move::Pass, word).parse(input)
}

/// A square or a pass.
pub fn one_move(input: &str) -> Read<'_, Move> {
    expect("a square (a1 to h8) or a pass", alt((map(square, Move::Place), pass))).parse(input)
}

/// One move and nothing else.
pub fn parse_move(text: &str) -> Result<Move, ParseError> {
    read_all(text, one_move)
}

/// Moves one after the other, with blanks, commas and numbers like `12.` between them or nothing at all.
pub fn parse_moves(text: &str) -> Result<Vec<Move>, ParseError> {
    // `many_till` and not `many0`: it passes on the error of the move it could not read.
    let moves = preceded(gaps, many_till(terminated(one_move, gaps), eof));
    read_all(text, moves).map(|(moves, _)| moves)
}

/// Blanks, commas and move numbers.
fn gaps(input: &str) -> Read<'_, ()> {
    let number = value((), terminated(digit1, char('.')));
    let item = alt((value((), multispace1), value((), char(',')), number));
    value((), many0_count(item)).parse(input)
}

/// What a transcript does with passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// They follow from the rules.
    LeftOut,
    /// With this word, for example `ps` or `pass`.
    As(&'static str),
}

/// Moves as a transcript: `f5d6c3`, or with blanks `f5 d6 c3`; in capitals if asked.
pub fn transcript(moves: impl IntoIterator<Item = Move>, passes: Passes, separator: &str, capitals: bool) -> String {
    let words = moves.into_iter().filter_map(|mv| match (mv, passes) {
        (Move::Place(square), _) => Some(square.to_string()),
        (Move::Pass, Passes::As(word)) => Some(word.to_string()),
        (Move::Pass, Passes::LeftOut) => None,
    });
    let text = words.collect::<Vec<_>>().join(separator);
    if capitals { text.to_ascii_uppercase() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn all_the_ways_to_write_a_transcript() {
        let expected = parse_moves("f5d6c3").unwrap();
        assert_eq!(expected.len(), 3);
        for text in ["F5D6C3", "f5 d6 c3", " F5,D6, c3\n", "1. f5 d6 2. c3", "1.f5 2.d6 3.c3", "f5\td6\r\nc3"] {
            assert_eq!(parse_moves(text).as_ref(), Ok(&expected), "{text:?}");
        }
        for text in ["f5pad6", "f5 PASS d6", "F5PSD6", "f5--d6", "f5 p d6", "f5 Pas d6"] {
            let moves = parse_moves(text).unwrap();
            assert_eq!((moves.len(), moves[1]), (3, Move::Pass), "{text:?}");
        }
        assert_eq!(parse_moves(" \n"), Ok(vec![]));
    }

    #[test]
    fn errors_name_the_column() {
        for (text, message) in [
            ("f5i6", "column 3: expected a square (a1 to h8) or a pass, found `i`"),
            ("f5 d9", "column 5: expected a row from 1 to 8, found `9`"),
            ("f5d", "column 4: expected a row from 1 to 8, found the end"),
            ("f5-d6", "column 3: expected a square (a1 to h8) or a pass, found `-`"),
            ("f5\n!", "line 2, column 1: expected a square (a1 to h8) or a pass, found `!`"),
        ] {
            assert_eq!(parse_moves(text).unwrap_err().to_string(), message, "{text:?}");
        }
        assert_eq!(parse_move("f5d6").unwrap_err().to_string(), "column 3: expected the end, found `d`");
        assert_eq!(parse_move("PASS"), Ok(Move::Pass));
    }

    fn any_move() -> impl Strategy<Value = Move> {
        (0u32..80).prop_map(|n| if n < 64 { Move::Place(Square::wrapping(n)) } else { Move::Pass })
    }

    proptest! {
        #[test]
        fn printed_and_read_again(
            moves in prop::collection::vec(any_move(), 0..70),
            word in prop::sample::select(vec!["ps", "pa", "pass", "--"]),
            separator in prop::sample::select(vec!["", " ", "\n", ", "]),
            capitals in any::<bool>(),
        ) {
            let text = transcript(moves.iter().copied(), Passes::As(word), separator, capitals);
            prop_assert_eq!(parse_moves(&text), Ok(moves.clone()));
            let text = transcript(moves.iter().copied(), Passes::LeftOut, separator, capitals);
            let squares: Vec<_> = moves.into_iter().filter(|&mv| mv != Move::Pass).collect();
            prop_assert_eq!(parse_moves(&text), Ok(squares));
        }

        #[test]
        fn any_text_is_answered(text in any::<String>()) {
            let _ = (parse_moves(&text), parse_move(&text));
        }

        #[test]
        fn nearly_transcripts_are_answered(text in "[a-iA-H0-9pasPS. ,-]{0,40}") {
            if let Ok(moves) = parse_moves(&text) {
                let again = transcript(moves.iter().copied(), Passes::As("pass"), " ", false);
                prop_assert_eq!(parse_moves(&again), Ok(moves));
            }
        }
    }
}
