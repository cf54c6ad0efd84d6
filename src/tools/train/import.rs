//! Games of others as training records: the WTHOR database, and transcripts, one game a line.

use super::{
    TrainError,
    games::{Game, Ply, Source},
};
use crate::{
    base::files,
    othello::{Board, Move, Square, eval::DISC},
};
use std::path::Path;

const HEADER: usize = 16;
const RECORD: usize = 68;

/// The games of a file, and the number of those left out because they break the rules.
pub fn read(path: &Path) -> Result<(Vec<Game>, usize), TrainError> {
    let bytes = files::read(path, files::LARGEST).map_err(|source| TrainError::File { path: path.into(), source })?;
    let wthor = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("wtb"));
    if wthor { wthor_games(path, &bytes) } else { Ok(transcripts(&bytes)) }
}

fn wthor_games(path: &Path, bytes: &[u8]) -> Result<(Vec<Game>, usize), TrainError> {
    let wrong = |reason| TrainError::Wthor { path: path.into(), reason };
    let (header, records) = bytes.split_at_checked(HEADER).ok_or_else(|| wrong("shorter than its header"))?;
    if !matches!(header[12], 0 | 8) {
        return Err(wrong("not for the board of 8×8"));
    }
    if records.len() % RECORD != 0 {
        return Err(wrong("its length does not fit whole games"));
    }
    let depth = u32::from(header[14]);
    let mut left_out = 0;
    let mut games = Vec::new();
    for record in records.chunks_exact(RECORD) {
        match wthor_game(record, depth) {
            Some(game) => games.push(game),
            None => left_out += 1,
        }
    }
    Ok((games, left_out))
}

/// A finished game; its position at `depth` empty squares carries the theoretical score.
fn wthor_game(record: &[u8], depth: u32) -> Option<Game> {
    let squares = record[8..].iter().take_while(|&&m| m != 0).map(|&m| {
        let (row, column) = ((m / 10).checked_sub(1)?, (m % 10).checked_sub(1)?);
        Square::at(column, row)
    });
    let (mut game, board, black_to_move) = replay(squares)?;
    let result = if black_to_move { board.final_score() } else { -board.final_score() };
    if !board.is_over() || i32::from(record[6]) * 2 - 64 != result {
        return None;
    }
    let theoretical = i32::from(record[7]) * 2 - 64;
    let mut black = true;
    let boards = game.boards();
    for (ply, board) in game.plies.iter_mut().zip(boards) {
        if board.empty_count() == depth && board.can_move() {
            ply.score = (if black { theoretical } else { -theoretical } * DISC) as i16;
            ply.source = Source::Exact;
        }
        black = !black;
    }
    Some(game)
}

/// Plays the squares from the start, putting in the passes; `None` when a move is illegal.
fn replay(squares: impl Iterator<Item = Option<Square>>) -> Option<(Game, Board, bool)> {
    let mut board = Board::START;
    let mut black = true;
    let mut plies = Vec::new();
    let mut id = 0xCBF2_9CE4_8422_2325u64;
    let unknown = |action| Ply { action, score: 0, source: Source::Unknown };
    for square in squares {
        let square = square?;
        if board.must_pass() {
            board = board.pass();
            black = !black;
            plies.push(unknown(Move::Pass));
        }
        board = board.play(square)?;
        black = !black;
        plies.push(unknown(Move::Place(square)));
        id = (id ^ square.index() as u64).wrapping_mul(0x100_0000_01B3);
    }
    Some((Game { id, random: 0, plies }, board, black))
}

/// One game a line, `f5d6c3…`; unfinished games count as far as they go.
fn transcripts(bytes: &[u8]) -> (Vec<Game>, usize) {
    let mut games = Vec::new();
    let mut left_out = 0;
    for line in bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|l| !l.is_empty() && l[0] != b'#') {
        let squares = line.chunks(2).map(|pair| std::str::from_utf8(pair).ok()?.parse().ok());
        match replay(squares) {
            Some((game, ..)) => games.push(game),
            None => left_out += 1,
        }
    }
    (games, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game played to the end by taking always the first move.
    fn first_moves() -> (Vec<Square>, i32) {
        let (mut board, mut black, mut squares) = (Board::START, true, Vec::new());
        while !board.is_over() {
            board = match board.moves().first() {
                Some(square) => {
                    squares.push(square);
                    board.play(square).unwrap()
                }
                None => board.pass(),
            };
            black = !black;
        }
        (squares, if black { board.final_score() } else { -board.final_score() })
    }

    fn file(squares: &[Square], real: i32, theoretical: i32) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + RECORD];
        (bytes[12], bytes[14]) = (8, 24);
        bytes[HEADER + 6] = (real / 2 + 32) as u8;
        bytes[HEADER + 7] = (theoretical / 2 + 32) as u8;
        for (i, s) in squares.iter().enumerate() {
            bytes[HEADER + 8 + i] = 10 * (s.row() + 1) + s.column() + 1;
        }
        bytes
    }

    #[test]
    fn the_theoretical_score_sits_on_its_position() {
        let (squares, result) = first_moves();
        let (games, left_out) = wthor_games(Path::new("x.wtb"), &file(&squares, result, 10)).unwrap();
        assert_eq!((games.len(), left_out), (1, 0));
        let boards = games[0].boards();
        let scored: Vec<_> = games[0].plies.iter().zip(&boards).filter(|(p, _)| p.source == Source::Exact).collect();
        assert_eq!(scored.len(), 1);
        let (ply, board) = scored[0];
        assert_eq!(board.empty_count(), 24);
        assert_eq!(i32::from(ply.score).abs(), 10 * DISC);
    }

    #[test]
    fn broken_games_and_files_are_refused() {
        let (squares, result) = first_moves();
        let wthor = |bytes: &[u8]| wthor_games(Path::new("x.wtb"), bytes);
        assert_eq!(wthor(&file(&squares, result + 2, 0)).unwrap().1, 1);
        let mut swapped = squares.clone();
        swapped.swap(0, 1);
        assert_eq!(wthor(&file(&swapped, result, 0)).unwrap().1, 1);
        let good = file(&squares, result, 0);
        assert!(wthor(&good[..good.len() - 1]).is_err());
        assert!(wthor(&good[..7]).is_err());
        let mut big = good.clone();
        big[12] = 10;
        assert!(wthor(&big).is_err());
    }

    #[test]
    fn transcripts_are_read_line_by_line() {
        let (games, left_out) = transcripts("f5d6c3\n# remark\n\nF5F4\r\nf5a1\nf5é".as_bytes());
        assert_eq!((games.len(), left_out), (2, 2));
        assert_eq!(games[0].plies.len(), 3);
    }
}
