//! OBF, problems one a line: `…64 squares… X; G8:+18; H1:+12; % comment`.

use super::{BadEntry, BadRecord, Record};
use crate::{
    base::{
        ParseError,
        parse_error::{Read, expect, parse_error},
    },
    othello::{
        Game, Move, Position,
        notation::{diagram, moves},
    },
};
use nom::{
    Parser,
    character::complete::{char, digit1, multispace0, one_of},
    combinator::{map_opt, opt, recognize},
    sequence::{delimited, preceded, terminated},
};
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub position: Position,
    /// The moves with their values for the side to move, best first.
    pub moves: Vec<(Move, i32)>,
    /// A value without a move: of a finished game, or when nothing else is known.
    pub score: Option<i32>,
    pub comment: String,
}

impl Problem {
    pub fn new(position: Position) -> Problem {
        Problem { position, moves: vec![], score: None, comment: String::new() }
    }

    /// The value of the position: of its best move, or the one that stands alone.
    pub fn value(&self) -> Option<i32> {
        self.moves.iter().map(|&(_, value)| value).max().or(self.score)
    }

    /// The moves that keep the value.
    #[cfg(test)]
    pub fn best(&self) -> impl Iterator<Item = Move> + '_ {
        let value = self.value();
        self.moves.iter().filter(move |&&(_, v)| Some(v) == value).map(|&(mv, _)| mv)
    }

    pub fn record(&self) -> Record {
        Record { memo: self.comment.clone(), ..Record::new(Game::without_auto_pass(self.position)) }
    }

    pub fn parse(line: &str) -> Result<Problem, BadRecord> {
        let (text, comment) = line.split_once('%').map_or((line, ""), |(text, comment)| (text, comment.trim()));
        let board = text.find(';').map_or(text, |end| &text[..end]);
        let bad_board = |error: diagram::BadBoard| BadRecord::Board { line: 1, error: error.into() };
        let diagram = diagram::parse_board(board).map_err(bad_board)?;
        let side =
            diagram.side.ok_or_else(|| ParseError::at(text, &text[board.len()..], "the side to move (X or O)"))?;
        let position = Position::new(diagram.black, diagram.white, side);
        let position = position.map_err(|error| BadRecord::Board { line: 1, error: error.into() })?;
        let mut problem = Problem { comment: comment.into(), ..Problem::new(position) };
        let mut rest = text[board.len()..].trim_start_matches([';', ' ', '\t', '\r', '\n']);
        while !rest.is_empty() {
            let (after, (mv, value)) = field(rest).map_err(|error| parse_error(text, error))?;
            match mv {
                Some(mv) if value >= NO_MOVE => problem.check(mv, text, rest)?.moves.push((mv, value)),
                Some(_) => {}
                None => problem.score = Some(value),
            }
            rest = after.trim_start_matches([';', ' ', '\t', '\r', '\n']);
        }
        Ok(problem)
    }

    fn check(&mut self, mv: Move, text: &str, rest: &str) -> Result<&mut Problem, BadRecord> {
        if self.position.legal().contains(&mv) {
            return Ok(self);
        }
        Err(ParseError::at(text, rest, "a legal move").into())
    }
}

/// Files are padded with moves of less value than any real one.
const NO_MOVE: i32 = -64;

/// `G8:+18` or a value alone.
fn field(input: &str) -> Read<'_, (Option<Move>, i32)> {
    let number = map_opt(recognize((opt(one_of("+-")), digit1)), |n: &str| {
        n.trim_start_matches('+').parse().ok().filter(|n| (-127..=64).contains(n))
    });
    let mut number = expect("a value from -64 to 64", number);
    let mv = terminated(moves::one_move, (multispace0, expect("`:`", char(':')), multispace0));
    let starts_with_move = input.starts_with(|c: char| c.is_ascii_alphabetic()) || input.starts_with("--");
    if starts_with_move {
        let (rest, (mv, value)) = (mv, number).parse(input)?;
        let (rest, ()) = end(rest)?;
        return Ok((rest, (Some(mv), value)));
    }
    let (rest, value) = number.parse(input)?;
    let (rest, ()) = end(rest)?;
    Ok((rest, (None, value)))
}

fn end(input: &str) -> Read<'_, ()> {
    let end =
        nom::branch::alt((nom::combinator::value((), char(';')), nom::combinator::value((), nom::combinator::eof)));
    delimited(multispace0, expect("`;`", end), preceded(multispace0, nom::combinator::success(()))).parse(input)
}

/// The problems of a file; lines that are empty or comments are skipped.
pub fn problems(text: &str) -> impl Iterator<Item = Result<Problem, BadEntry>> + '_ {
    super::lines::entries(text, '%').map(|(number, line, text)| {
        Problem::parse(text).map_err(|error| BadEntry { number, line: Some(line), error: error.moved_to_line(line) })
    })
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", diagram::board_text(self.position, diagram::Alphabet::LETTERS))?;
        for (mv, value) in &self.moves {
            match mv {
                Move::Place(square) => write!(f, " {square:#}:{value:+};")?,
                Move::Pass => write!(f, " PS:{value:+};")?,
            }
        }
        if let Some(score) = self.score {
            write!(f, " {score:+};")?;
        }
        if !self.comment.is_empty() {
            write!(f, " % {}", self.comment.replace(['\r', '\n'], " "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::Rng, othello::records::samples};
    use proptest::prelude::*;

    const LINE: &str =
        "---------------------------OX------XO--------------------------- X; D3:+0; F5:-2; --:-127; % opening";

    #[test]
    fn a_line() {
        let problem = Problem::parse(LINE).unwrap();
        assert_eq!((problem.position, problem.value(), problem.best().count()), (Position::START, Some(0), 1));
        assert_eq!((problem.moves.len(), problem.comment.as_str()), (2, "opening"));
        let spaced = LINE.replace("---------------------------OX", "------------- -- ------------OX");
        assert_eq!(Problem::parse(&spaced).unwrap().position, Position::START);
        let over = Problem::parse(&("X".repeat(64) + " O; -64;")).unwrap();
        assert_eq!((over.value(), over.moves.len()), (Some(-64), 0));
        let bare = Problem::parse(&("X".repeat(63) + "-x")).unwrap();
        assert_eq!(bare.value(), None);
    }

    #[test]
    fn bad_lines_and_their_places() {
        let file =
            format!("% head\n\n{LINE}\n{}\n{}\n{}\n", LINE.replace("F5", "F6"), LINE.replace("+0", "?"), &LINE[..60]);
        let errors: Vec<_> = problems(&file).filter_map(Result::err).map(|e| e.to_string()).collect();
        assert_eq!(
            errors,
            [
                "entry 2: line 4, column 76: expected a legal move, found `F`",
                "entry 3: line 5, column 72: expected a value from -64 to 64, found `?`",
                "entry 4: line 6: row 8, column 5 (e8): the board ends here, 64 squares are needed",
            ]
        );
        assert_eq!(problems(&file).flatten().count(), 1);
        assert_eq!(
            Problem::parse(&"-X".repeat(32)).unwrap_err().to_string(),
            "column 65: expected the side to move (X or O), found the end"
        );
    }

    proptest! {
        #[test]
        fn printed_and_read_again(game in samples::games(true), seed in any::<u64>(), comment in "[a-z0-9 ]{0,9}") {
            let mut rng = Rng::new(seed);
            let mut moves: Vec<_> =
                game.position().legal().into_iter().map(|mv| (mv, rng.below(129) as i32 - 64)).collect();
            moves.sort_by_key(|&(_, value)| -value);
            let score = moves.is_empty().then_some(12);
            let problem = Problem { moves, score, comment: comment.trim().into(), ..Problem::new(game.position()) };
            prop_assert_eq!(Problem::parse(&problem.to_string()), Ok(problem));
        }

        #[test]
        fn any_text_is_answered(text in any::<String>(), at in 0usize..200, c in any::<char>()) {
            let _ = (Problem::parse(&text), problems(&text).count());
            let mut spoilt: Vec<char> = LINE.chars().collect();
            let at = at % spoilt.len();
            spoilt[at] = c;
            let _ = Problem::parse(&spoilt.into_iter().collect::<String>());
        }
    }
}
