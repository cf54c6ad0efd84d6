//! A position in any notation: whatever a person pastes.

use super::{BadRecord, Record, egaroucid, gam, ggf, json, lines, obf, pgn, sgf};
use crate::othello::{
    Game, Position,
    notation::{BadPosition, bits, diagram, fen, parse_moves},
};

/// The notations that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    Start,
    Board,
    SideFirst,
    Bits,
    Fen,
    Obf,
    Transcript,
    Ggf,
    Sgf,
    Pgn,
    Json,
    Gam,
}

/// Recognises the notation by its looks and reads it. A game that comes with its moves keeps them. Nothing passes by
/// itself: see [`Game::set_auto_pass`].
pub fn read_any(text: &str) -> Result<Game, BadRecord> {
    read_record(text).map(|record| record.game)
}

/// Like [`read_any`], with the names, clocks and whatever else the text tells about the game.
pub fn read_record(text: &str) -> Result<Record, BadRecord> {
    let text = text.trim();
    let new = |game| Ok(Record::new(game));
    let position = |position: Result<Position, BadPosition>| {
        position
            .map(|position| Record::new(Game::without_auto_pass(position)))
            .map_err(|error| BadRecord::Board { line: 1, error })
    };
    match recognise(text) {
        Notation::Start => new(Game::without_auto_pass(Position::START)),
        Notation::Ggf => ggf::parse(text),
        Notation::Sgf => sgf::parse(text),
        Notation::Obf => obf::Problem::parse(text).map(|problem| problem.record()),
        Notation::Pgn => pgn::parse(text),
        Notation::Json => json::parse(text),
        Notation::Gam => gam::parse(text),
        Notation::Transcript => egaroucid::parse(text).unwrap_or_else(|| lines::parse(text).map(Record::new)),
        Notation::Fen => position(fen::parse_fen(text)),
        Notation::Bits => position(bits::parse_bits(without_word(text, "bits").unwrap_or(text))),
        Notation::SideFirst => position(board(diagram::parse_side_first(text))),
        Notation::Board => position(board(diagram::parse_board(text))),
    }
}

fn board(diagram: Result<diagram::Diagram, diagram::BadBoard>) -> Result<Position, BadPosition> {
    let diagram = diagram?;
    Ok(Position::new(diagram.black, diagram.white, diagram.likely_side())?)
}

/// What follows `word` and a blank.
fn without_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    let rest = &text[word.len()..];
    (head.eq_ignore_ascii_case(word) && rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

/// The notation a text is most like. It may still be wrong in it: the error is then about that notation.
pub fn recognise(text: &str) -> Notation {
    let text = text.trim();
    if text.is_empty() || ["start", "init", "startpos"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Notation::Start;
    }
    let after_count = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    if text.starts_with('(') || (after_count.len() < text.len() && after_count.starts_with("(;")) {
        return if looks_like_sgf(text) { Notation::Sgf } else { Notation::Ggf };
    }
    if text.starts_with('{') || text.starts_with("[{") || text.starts_with("[\n") {
        return Notation::Json;
    }
    let first = text.split([' ', '\t']).next().unwrap_or_default();
    if parse_moves(first).is_ok() && egaroucid::parse(text).is_some() {
        return Notation::Transcript;
    }
    if gam::looks_like(text) {
        return Notation::Gam;
    }
    if looks_like_pgn(text) {
        return Notation::Pgn;
    }
    if let Some((_, after)) = text.split_once(';') {
        let fields = after.trim();
        let moves = !fields.is_empty() && !fields.contains([':', ';', '%']) && parse_moves(fields).is_ok();
        return if moves { Notation::Transcript } else { Notation::Obf };
    }
    let letters = text.chars().filter(|c| !c.is_whitespace());
    let (length, squares) = letters.fold((0, 0), |(all, some), c| (all + 1, some + usize::from(SQUARES.contains(c))));
    let board = if side_comes_first(text) { Notation::SideFirst } else { Notation::Board };
    // More than two numbers of bits can have, and nothing but squares.
    if length > 40 && squares == length {
        return board;
    }
    if parse_moves(text).is_ok() {
        return Notation::Transcript;
    }
    if without_word(text, "bits").is_some() || looks_like_bits(text) {
        return Notation::Bits;
    }
    if text.matches('/').count() == 7 {
        return Notation::Fen;
    }
    if squares * 2 > length && length > 8 { board } else { Notation::Transcript }
}

/// All that can stand for a square of a board.
const SQUARES: &str = ".-_XxOoBbWw01*●○";

/// A lone character, then a longer word.
fn side_comes_first(text: &str) -> bool {
    let mut lengths = text.split_whitespace().map(|word| word.chars().count());
    lengths.next() == Some(1) && lengths.next().is_some_and(|length| length > 1)
}

/// A tag at the beginning, or moves with numbers: `1. f5 d6 2. c3`.
fn looks_like_pgn(text: &str) -> bool {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after.len() < text.len() && after.starts_with('.');
    let square = after.trim_start_matches(['.', ' ']).as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    text.starts_with('[') || (numbered && square)
}

/// The games of a text that holds more than one; fewer than two are none.
pub fn several(text: &str) -> Vec<Record> {
    let text = text.trim();
    let good = |entries: Vec<Result<Record, super::BadEntry>>| entries.into_iter().flatten().collect::<Vec<_>>();
    let games = match recognise(text) {
        Notation::Ggf => good(ggf::games(text).collect()),
        Notation::Sgf => good(sgf::games(text).collect()),
        Notation::Pgn => good(pgn::games(text).collect()),
        Notation::Json => good(json::games(text)),
        Notation::Gam => good(gam::games(text).collect()),
        // Many lines may also be one game with line ends in it.
        Notation::Transcript if lines::parse(text).is_err() => good(lines::games(text).collect()),
        _ => vec![],
    };
    if games.len() > 1 { games } else { vec![] }
}

/// SGF puts a `;` before every node, GGF only at both ends.
fn looks_like_sgf(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let sgf = upper.contains("GM[2]") || upper.contains("FF[") || upper.contains("];B[") || upper.contains("];W[");
    sgf && !upper.contains("GM[OTHELLO]")
}

/// Two words of hexadecimal digits, or what can stand before them.
fn looks_like_bits(text: &str) -> bool {
    let mut words = text.split([' ', '\t', '\n', '\r', ',']).filter(|word| !word.is_empty());
    let number = |word: &str| {
        let digits = word.strip_prefix("0x").or(word.strip_prefix("0X")).unwrap_or(word);
        !digits.is_empty() && digits.len() <= 17 && digits.chars().all(|c| c.is_ascii_hexdigit())
    };
    let first = words.next().unwrap_or_default().to_ascii_lowercase();
    first.starts_with("black") || first.starts_with("player") || number(&first) && words.next().is_some_and(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::Colour,
        othello::{
            notation::{BitsOrder, BitsStyle},
            records::{Record, samples},
        },
    };
    use proptest::prelude::*;

    const BOARD: &str = "---------------------------OX------XO---------------------------";

    #[test]
    fn what_people_paste() {
        let digits = BOARD.replace('X', "0").replace('O', "1").replace('-', ".");
        let lines: String =
            digits.as_bytes().chunks(8).map(|row| String::from_utf8_lossy(row).into_owned() + "\n").collect();
        for text in [
            "start",
            " Init ",
            "",
            BOARD,
            &format!("{BOARD} X"),
            &format!("{BOARD}X"),
            &lines,
            &format!("0\n{lines}"),
            &format!("{BOARD} X; D3:+0; C4:+0;"),
            &format!("{BOARD} X;"),
            "0x0000000810000000 0x0000001008000000",
            "bits 810000000 1008000000",
            "black/white 810000000 1008000000",
            "8/8/8/3pP3/3Pp3/8/8/8 b",
            "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *];)",
            "(;FF[4]GM[2])",
        ] {
            let game = read_any(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!((game.position(), game.ply()), (Position::START, 0), "{text}");
        }
        for text in [
            "f5d6",
            "F5 D6",
            "f5 d6",
            &format!("{BOARD} X;f5d6"),
            "(;B[F5]W[D6];)",
            "1 (;B[F5]W[D6];)",
            "1. f5 d6",
            "1.f5 2.d6",
            "[Event \"x\"]\n\n1. f5 d6 *",
            "+f5-d6: +02 1",
            "f5d6 3 3 ? Ann Bob memo",
            r#"{"position":{"moves":[{"m":"f5"},{"m":"d6"}]}}"#,
            "(;GM[2];B[f5];W[d6])",
        ] {
            assert_eq!(read_any(text).unwrap().ply(), 2, "{text}");
        }
    }

    #[test]
    fn a_text_with_several_games_is_seen() {
        for (text, count) in [
            ("f5d6\nc3d3", 0),
            ("f5d6\nf5f6\nc4", 3),
            ("(;GM[Othello]B[F5];)(;GM[Othello]B[D3];)", 2),
            ("(;GM[2];B[f5])\n(;GM[2];B[d3])", 2),
            ("f5d6", 0),
        ] {
            assert_eq!(several(text).len(), count, "{text}");
        }
    }

    #[test]
    fn errors_are_about_what_was_meant() {
        for (text, message) in [
            ("f5x6", "column 3: expected a square (a1 to h8) or a pass, found `x`"),
            ("f5f5", "move 2: f5: illegal move: f5 is occupied"),
            ("nonsense", "column 1: expected a square (a1 to h8) or a pass, found `n`"),
            ("0x12 0x12", "line 1: black and white both have a disc on d8, g8"),
            (&BOARD.replace('X', "?"), "line 1: row 4, column 5 (e4): `?` is not a square"),
            (&BOARD[..50], "line 1: row 7, column 3 (c7): the board ends here, 64 squares are needed"),
            (&"-".repeat(64), "line 1: there is no disc on the board"),
        ] {
            assert_eq!(read_any(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_notation_is_recognised(game in samples::games(true)) {
            let position = game.position();
            let bits = |order| bits::bits_text(position, BitsStyle { order, prefix: true, side: true });
            let positions = [
                diagram::board_text(position, diagram::Alphabet::LETTERS),
                diagram::board_text(position, diagram::Alphabet::DIGITS),
                diagram::side_first_text(position, diagram::Alphabet::DIGITS),
                bits(BitsOrder::PlayerOpponent),
                format!("black/white {}", bits(BitsOrder::BlackWhite)),
                fen::fen_text(position),
                obf::Problem::new(position).to_string(),
            ];
            for text in positions {
                prop_assert_eq!(read_any(&text).map(|game| game.position()), Ok(position), "{}", text);
            }
            let record = Record::new(game);
            for text in [ggf::text(&record), sgf::text(&record), lines::text(&record.game)] {
                let read = read_any(&text).map(|game| game.position().with_side(Colour::Black));
                prop_assert_eq!(read, Ok(position.with_side(Colour::Black)), "{}", text);
            }
        }

        #[test]
        fn any_text_is_answered(text in any::<String>(), nearly in "[XO.0-9a-h/; ():x-]{0,70}") {
            let _ = (read_any(&text), read_any(&nearly));
        }
    }
}
