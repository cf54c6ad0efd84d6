//! Logistello's games: `+d3-c3+c4-e3…: -04 10`, `+` before black's moves, `-` before white's, then black's result.

use super::{BadEntry, BadRecord, GameResult, Record, lines};
use crate::{
    base::{
        Colour,
        parse_error::{Read, expect, read_all},
    },
    othello::{Game, Move, Position, notation::moves::one_move},
};
use nom::{
    Parser,
    character::complete::{char, digit1, multispace0, one_of, space0},
    combinator::{map, map_opt, opt, recognize},
    sequence::{pair, preceded, terminated},
};

type Plies = Vec<(Colour, Move)>;

fn line(input: &str) -> Read<'_, (Plies, Option<i32>)> {
    let colour = map(expect("`+` or `-`", one_of("+-")), |c| if c == '+' { Colour::Black } else { Colour::White });
    let mut ply = terminated(pair(colour, expect("a square (a1 to h8)", one_move)), space0);
    let (mut rest, _) = multispace0(input)?;
    let mut plies = vec![];
    // Not `many0`, which would end in front of a bad move and name the wrong place.
    while !rest.is_empty() && !rest.starts_with(':') {
        let (after, one) = ply.parse(rest)?;
        plies.push(one);
        rest = after;
    }
    let mut result = opt(preceded(pair(char(':'), space0), terminated(discs, opt(discs))));
    let (rest, result) = result.parse(rest)?;
    Ok((rest, (plies, result)))
}

fn discs(input: &str) -> Read<'_, i32> {
    let digits = recognize(pair(opt(one_of("+-")), digit1));
    let number = map_opt(digits, |text: &str| text.trim_start_matches('+').parse::<i32>().ok());
    terminated(expect("the result in discs", number), multispace0).parse(input)
}

/// Does a line begin as these do?
pub fn looks_like(text: &str) -> bool {
    let mut letters = text.trim_start().chars();
    matches!(letters.next(), Some('+')) && letters.next().is_some_and(|c| matches!(c, 'a'..='h'))
}

pub fn parse(text: &str) -> Result<Record, BadRecord> {
    let (plies, result) = read_all(text.trim_end(), line)?;
    let mut game = Game::without_auto_pass(Position::START);
    for (i, (colour, mv)) in plies.into_iter().enumerate() {
        game.play(Some(colour), mv).map_err(|error| BadRecord::Move {
            at: format!("move {}", i + 1),
            mv: mv.to_string(),
            error,
        })?;
    }
    Ok(Record { result: result.map(|margin| GameResult::from_score(margin.into())), ..Record::new(game) })
}

/// The games of a file, one a line.
pub fn games(text: &str) -> impl Iterator<Item = Result<Record, BadEntry>> + '_ {
    lines::entries(text, '#').map(|(number, line, text)| {
        parse(text).map_err(|error| BadEntry { number, line: Some(line), error: error.moved_to_line(line) })
    })
}

/// The game as a line; one that is not over has no result.
pub fn text(record: &Record) -> String {
    let plies = record.game.played().iter().filter(|ply| ply.mv != Move::Pass);
    let moves: String =
        plies.map(|ply| format!("{}{}", if ply.colour == Colour::Black { '+' } else { '-' }, ply.mv)).collect();
    match record.final_result().map(|result| result.black_margin() as i32) {
        Some(margin) => format!("{moves}: {margin:+03} 1"),
        None => moves,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::samples;
    use proptest::prelude::*;

    #[test]
    fn a_line_and_its_errors() {
        let record = parse("+d3-c3+c4-e3: -04 10\n").unwrap();
        assert_eq!((record.game.ply(), record.result.map(GameResult::black_margin)), (4, Some(-4.0)));
        let say = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(say("+d3+c3"), "move 2: c3: it is not black's turn");
        assert_eq!(say("+d3-z9"), "column 5: expected a square (a1 to h8), found `z`");
        assert_eq!(say("+d3: x"), "column 4: expected the end, found `:`");
    }

    proptest! {
        #[test]
        fn printed_and_read_again(game in samples::games(false)) {
            let record = Record::new(game);
            let again = parse(&text(&record)).unwrap();
            prop_assert_eq!(samples::without_passes(&again.game), samples::without_passes(&record.game));
            prop_assert_eq!(again.final_result(), record.final_result());
        }
    }
}
