//! Files of games one a line: transcripts, alone or after a board and a `;`, and Egaroucid's records.

use super::{BadEntry, BadRecord, Record, egaroucid};
use crate::{
    base::ParseError,
    othello::{
        Game, Move, Position,
        notation::{self, Passes, diagram},
    },
};

/// The lines that say something: number of the entry, number of the line, text. Empty lines and those that begin with
/// the comment sign are left out.
pub fn entries(text: &str, comment: char) -> impl Iterator<Item = (usize, usize, &str)> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    let lines = lines.filter(move |(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with(comment));
    lines.enumerate().map(|(i, (line, text))| (i + 1, line, text))
}

/// The games of a file. Lines that begin with `#` or `%` are comments.
pub fn games(text: &str) -> impl Iterator<Item = Result<Record, BadEntry>> + '_ {
    let lines = entries(text, '#').filter(|(_, _, text)| !text.trim_start().starts_with('%'));
    lines.enumerate().map(|(i, (_, line, text))| {
        read_line(text).map_err(|error| BadEntry { number: i + 1, line: Some(line), error: error.moved_to_line(line) })
    })
}

fn read_line(text: &str) -> Result<Record, BadRecord> {
    match egaroucid::parse(text) {
        Some(record) => record,
        None => parse(text).map(Record::new),
    }
}

/// `f5d6c3` from the start, or `BOARD SIDE;moves` from another position. Passes may be left out.
pub fn parse(text: &str) -> Result<Game, BadRecord> {
    let (start, moves) = match text.split_once(';') {
        None => (Position::START, text),
        Some((board, moves)) => {
            let bad = |error| BadRecord::Board { line: 1, error };
            let diagram = diagram::parse_board(board).map_err(|error| bad(error.into()))?;
            let side = diagram.likely_side();
            let start = Position::new(diagram.black, diagram.white, side).map_err(|error| bad(error.into()))?;
            (start, moves)
        }
    };
    let mut game = Game::without_auto_pass(start);
    let before = text.len() - moves.len();
    let list = notation::parse_moves(moves).map_err(|error| match error.line {
        1 => ParseError { column: error.column + text[..before].chars().count(), ..error },
        _ => error,
    })?;
    play_all(&mut game, &list)?;
    Ok(game)
}

/// Plays moves in which passes may be left out; passes after the end are not played.
pub fn play_all(game: &mut Game, moves: &[Move]) -> Result<(), BadRecord> {
    let trailing = moves.iter().rev().take_while(|&&mv| mv == Move::Pass).count();
    let (played, passes) = moves.split_at(moves.len() - trailing);
    let bad = |index: usize, error| BadRecord::Move {
        at: format!("move {}", index + 1),
        mv: moves[index].to_string(),
        error,
    };
    game.play_sequence(played.iter().map(|&mv| (None, mv))).map_err(|e| bad(e.index, e.error))?;
    for (i, &pass) in passes.iter().enumerate() {
        if !game.is_over() {
            game.play(None, pass).map_err(|error| bad(played.len() + i, error))?;
        }
    }
    Ok(())
}

/// The moves up to the current position, passes left out; after the board if the game began elsewhere.
pub fn text(game: &Game) -> String {
    let moves = notation::transcript(game.moves(), Passes::LeftOut, "", false);
    if game.start() == Position::START {
        return moves;
    }
    format!("{};{moves}", diagram::board_text(game.start(), diagram::Alphabet::LETTERS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::samples;
    use proptest::prelude::*;

    #[test]
    fn a_file_with_comments_and_bad_lines() {
        let file = "# openings\nf5d6c3\n\nF5 D6 C4\n% more\nf5f5\nf5x\n";
        let found: Vec<_> = games(file).map(|g| g.map(|r| r.game.ply()).map_err(|e| (e.line, e.to_string()))).collect();
        assert_eq!(
            found,
            [
                Ok(3),
                Ok(3),
                Err((Some(6), "entry 3: move 2: f5: illegal move: f5 is occupied".into())),
                Err((Some(7), "entry 4: line 7, column 3: expected a square (a1 to h8) or a pass, found `x`".into())),
            ]
        );
    }

    proptest! {
        #[test]
        fn printed_and_read_again(game in samples::games(true)) {
            let text = text(&game);
            let again = parse(&text).unwrap();
            prop_assert_eq!(samples::without_passes(&again), samples::without_passes(&game));
            prop_assert_eq!(again.start(), game.start());
            prop_assert_eq!(self::text(&again), text);
        }

        #[test]
        fn any_text_is_answered(text in any::<String>(), nearly in "[a-h1-9 ;#?\n-]{0,60}") {
            let _ = (games(&text).count(), games(&nearly).count());
        }
    }
}
