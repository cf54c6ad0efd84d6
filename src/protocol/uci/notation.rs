//! Positions and moves of `flipello`, the name under which programs for chess variants know Othello.
//!
//! White begins there, a move is a piece dropped on a square (`P@f4`), and rank 1 is at the bottom: their board is ours
//! with its rows the other way round. A pass is a piece that stays where it is; the programs expect the first of the
//! mover's pieces, counted from their a1.

use crate::{
    base::Colour,
    engine::{Answer, CommandError, CommandErrorKind},
    othello::{BitBoard, Game, Move, Position, Square, position::Turn},
    protocol::tables::excerpt,
};

/// The only variant that is played.
pub const VARIANT: &str = "flipello";

fn wrong(message: String) -> CommandError {
    CommandError::new(CommandErrorKind::Syntax, message)
}

/// The same square of the other board: as we name it from their name, or the other way round.
fn turned(square: Square) -> Square {
    Square::wrapping((square.index() ^ 56) as u32)
}

/// How a move is written in this position.
pub fn move_text(position: Position, mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("P@{}", turned(square)),
        Move::Pass => {
            let own = |square: &Square| position.disc_at(turned(*square)) == Some(position.side);
            Square::all().find(own).map_or("0000".into(), |square| format!("{square}{square}"))
        }
    }
}

/// A drop, or a pass in any of the ways in which it is written.
pub fn read_move(text: &str) -> Answer<Move> {
    let bad = || wrong(format!("`{}` is not a move: it is written like P@f4", excerpt(text)));
    if let Some((piece, square)) = text.split_once('@').filter(|_| text != "@@@@") {
        let square: Square = square.parse().map_err(|_| bad())?;
        return if ["P", "p", ""].contains(&piece) { Ok(turned(square).into()) } else { Err(bad()) };
    }
    let stays = text.len() == 4 && text.is_ascii() && text[..2] == text[2..] && text[..2].parse::<Square>().is_ok();
    match text {
        "0000" | "@@@@" | "pass" => Ok(Move::Pass),
        _ if stays => Ok(Move::Pass),
        _ => Err(bad()),
    }
}

/// `8/8/8/3pP3/3Pp3/8/8/8[PPpp] w - - 0 1`; the pieces in hand and what follows the side say nothing here.
fn read_fen(text: &str) -> Answer<Position> {
    let bad = |why: &str| wrong(format!("not a position of {VARIANT}: {why}"));
    let mut words = text.split_whitespace();
    let board = words.next().unwrap_or_default();
    let board = board.split_once('[').map_or(board, |(board, _)| board);
    let rows: Vec<&str> = board.split('/').collect();
    if rows.len() != 8 {
        return Err(bad("there must be 8 rows"));
    }
    let (mut black, mut white) = (BitBoard::EMPTY, BitBoard::EMPTY);
    for (row, text) in (0u8..).zip(&rows) {
        let mut column = 0u8;
        for c in text.chars() {
            let square = || Square::at(column, row).ok_or_else(|| bad("a row has more than 8 squares"));
            match c {
                'P' => black = black.with(square()?),
                'p' => white = white.with(square()?),
                '1'..='8' => column += c as u8 - b'1',
                _ => return Err(bad("a row is made of P, p and digits")),
            }
            column += 1;
        }
        if column != 8 {
            return Err(bad("a row has 8 squares"));
        }
    }
    let side = match words.next() {
        Some("w") => Colour::Black,
        Some("b") => Colour::White,
        _ => return Err(bad("the side to move is w or b")),
    };
    Position::new(black, white, side).map_err(|error| bad(&error.to_string()))
}

/// The position as those programs write it.
pub fn fen(position: Position) -> String {
    let row = |row: u8| -> String {
        let (mut text, mut empty) = (String::new(), 0);
        for column in 0..8 {
            let disc = Square::at(column, row).and_then(|square| position.disc_at(square));
            if disc.is_some() && empty > 0 {
                text += &std::mem::take(&mut empty).to_string();
            }
            match disc {
                Some(Colour::Black) => text.push('P'),
                Some(Colour::White) => text.push('p'),
                None => empty += 1,
            }
        }
        if empty > 0 { text + &empty.to_string() } else { text }
    };
    let side = if position.side == Colour::Black { 'w' } else { 'b' };
    format!("{}[] {side} - - 0 1", (0..8).map(row).collect::<Vec<_>>().join("/"))
}

/// The board with the ranks of those programs, and its FEN.
pub fn picture(position: Position) -> String {
    let letter = |square: Square| match position.disc_at(square) {
        Some(Colour::Black) => " P",
        Some(Colour::White) => " p",
        None => " .",
    };
    let row = |row: u8| -> String {
        let discs: String = (0..8).filter_map(|column| Square::at(column, row)).map(letter).collect();
        format!("{}{discs}\n", 8 - row)
    };
    (0..8).map(row).collect::<String>() + "  a b c d e f g h\nFen: " + &fen(position)
}

/// What follows `position`: where it begins, and the moves from there.
pub fn read_position(args: &str) -> Answer<Game> {
    let (start, moves) = match args.split_once("moves") {
        Some((start, moves)) => (start.trim(), moves),
        None => (args.trim(), ""),
    };
    let start = match start.split_once(char::is_whitespace).unwrap_or((start, "")) {
        ("startpos", "") => Position::START,
        ("fen", text) => read_fen(text)?,
        _ => return Err(wrong("a position is `startpos` or `fen …`, then perhaps `moves …`".into())),
    };
    let mut game = Game::without_auto_pass(start);
    for (number, text) in moves.split_whitespace().enumerate() {
        let mv = read_move(text)?;
        // A client may leave passes out.
        let skips = game.turn() == Turn::MustPass && mv != Move::Pass;
        let mover = if skips { !game.side() } else { game.side() };
        game.play(Some(mover), mv).map_err(|_| {
            CommandError::new(CommandErrorKind::Illegal, format!("move {}, {text}, is illegal", number + 1))
        })?;
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1";

    #[test]
    fn the_start_is_the_start_whichever_way_it_is_said() {
        for args in ["startpos", "startpos moves", &format!("fen {START}"), &format!("fen {START} moves")] {
            assert_eq!(read_position(args).unwrap().position(), Position::START, "{args}");
        }
        assert_eq!(fen(Position::START), "8/8/8/3pP3/3Pp3/8/8/8[] w - - 0 1");
        assert_eq!(read_fen(&fen(Position::START)), Ok(Position::START));
    }

    #[test]
    fn rank_one_is_at_the_bottom() {
        let game = read_position("startpos moves P@f4 p@d3").unwrap();
        let moves: Vec<String> = game.moves().map(|mv| mv.to_string()).collect();
        assert_eq!(moves, ["f5", "d6"]);
        assert_eq!(move_text(Position::START, read_move("P@f4").unwrap()), "P@f4");
    }

    #[test]
    fn a_pass_is_the_movers_first_piece_which_stays() {
        // Black, their white, cannot move: its only discs are h8 and g8, the corner h1 and the square g1 there.
        let position = read_fen("8/8/8/8/8/8/8/p5PP w").unwrap();
        assert!(position.board.must_pass() || position.is_over());
        assert_eq!(move_text(position, Move::Pass), "g1g1");
        for text in ["g1g1", "0000", "@@@@", "pass"] {
            assert_eq!(read_move(text), Ok(Move::Pass), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_position_is_too_strange(text in r"(startpos|fen [pP1-9/]{0,70}) ?[wb]?( moves)?( [pP]?@?[a-h0-9é]{0,4}){0,5}") {
            let _ = read_position(&text);
        }

        /// Every position that can be reached is written and read again.
        #[test]
        fn positions_go_there_and_back(choices in proptest::collection::vec(0usize..20, 0..60)) {
            let mut game = Game::without_auto_pass(Position::START);
            let mut said = String::from("startpos moves");
            for choice in choices {
                let moves = game.position().legal();
                let Some(mv) = moves.get(choice % moves.len().max(1)) else { break };
                said += &format!(" {}", move_text(game.position(), *mv));
                game.play(None, *mv).unwrap();
            }
            proptest::prop_assert_eq!(read_fen(&fen(game.position())).unwrap(), game.position());
            proptest::prop_assert_eq!(read_position(&said).unwrap().position(), game.position());
        }
    }

    #[test]
    fn what_is_wrong_is_said_and_nothing_is_taken_over() {
        for (args, why) in [
            ("", "`startpos` or `fen"),
            ("startpos moves P@a1", "move 1, P@a1, is illegal"),
            ("startpos moves P@f4 P@f4", "move 2, P@f4, is illegal"),
            ("startpos moves 0000", "move 1, 0000, is illegal"),
            ("startpos moves e2e4", "`e2e4` is not a move"),
            ("startpos moves Q@f4", "`Q@f4` is not a move"),
            ("startpos moves é@é", "is not a move"),
            ("fen 8/8 w", "there must be 8 rows"),
            ("fen 8/8/8/8/8/8/8/9 w", "P, p and digits"),
            ("fen 8/8/8/8/8/8/8/PPPPPPPPP w", "more than 8 squares"),
            ("fen 8/8/8/8/8/8/8/7 w", "a row has 8 squares"),
            ("fen 8/8/8/3pP3/3Pp3/8/8/8 x", "w or b"),
            ("fen 8/8/8/8/8/8/8/8 w", "no disc"),
        ] {
            let error = read_position(args).expect_err(args);
            assert!(error.message.contains(why), "{args}: {error}");
        }
    }
}
