//! Games of people with the ratings of the players.

use super::{Split, TrainError, ratings};
use crate::{
    base::files,
    othello::{Board, Square, human::Rating, records::wthor::Wthor},
};
use flate2::read::GzDecoder;
use std::{io::Read, path::Path};

/// Positions so early may become well-known ones.
pub const KNOWN_PLIES: usize = 24;

/// The moves of a game, passes left out, and the ratings of black and white.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanGame {
    pub squares: Vec<Square>,
    pub ratings: [Rating; 2],
}

impl HumanGame {
    /// The positions with a choice and the move played there, from the start.
    pub fn positions(&self) -> impl Iterator<Item = (Board, Square)> + '_ {
        self.played().map(|(board, square, _)| (board, square))
    }

    /// The same with the rating of who moved.
    pub fn played(&self) -> impl Iterator<Item = (Board, Square, Rating)> + '_ {
        let (mut board, mut side) = (Board::START, 0);
        let steps = self.squares.iter().map_while(move |&square| {
            if board.must_pass() {
                (board, side) = (board.pass(), 1 - side);
            }
            let (before, mover) = (board, side);
            board = board.play(square)?;
            side = 1 - side;
            Some((before, square, self.ratings[mover]))
        });
        steps.filter(|(board, ..)| board.moves().count() > 1)
    }
}

/// Games to learn from and games held out.
pub fn read(paths: &[impl AsRef<Path>], split: Split) -> Result<(Vec<HumanGame>, Vec<HumanGame>), TrainError> {
    let (mut learn, mut judge, mut files_of_wthor) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths.iter().map(AsRef::as_ref) {
        let bytes = files::read(path, files::LARGEST).map_err(super::super::at(path))?;
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wtb")) {
            let file = Wthor::parse(&bytes)
                .map_err(|error| TrainError::Games { path: path.into(), error: error.to_string() })?;
            files_of_wthor.push(file);
        } else {
            let (some, held) = list(path, &bytes, split.hold_out)?;
            learn.extend(some);
            judge.extend(held);
        }
    }
    files_of_wthor.sort_by_key(|file| file.header.year);
    for (year, games) in ratings::rated(&files_of_wthor) {
        let games = games.into_iter().map(|(squares, ratings)| HumanGame { squares, ratings });
        if year >= split.hold_out_from { judge.extend(games) } else { learn.extend(games) }
    }
    Ok((learn, judge))
}

/// A list `id,winner,moves` with a line of headings. Nothing is known of the players: all count as average.
fn list(path: &Path, bytes: &[u8], hold_out: usize) -> Result<(Vec<HumanGame>, Vec<HumanGame>), TrainError> {
    let mut text = String::new();
    let bad = |error: &dyn std::fmt::Display| TrainError::Games { path: path.into(), error: error.to_string() };
    if bytes.starts_with(&[0x1F, 0x8B]) {
        GzDecoder::new(bytes).read_to_string(&mut text).map_err(|e| bad(&e))?;
    } else {
        text = String::from_utf8(bytes.to_vec()).map_err(|e| bad(&e))?;
    }
    let (mut learn, mut judge) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let moves = line.split(',').nth(2).unwrap_or_default().trim();
        let squares: Option<Vec<Square>> =
            moves.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok()?.parse().ok()).collect();
        let squares = squares.ok_or_else(|| bad(&format!("line {}: `{moves}` is no game", number + 1)))?;
        let game = HumanGame { squares, ratings: [Rating::MEAN; 2] };
        if hold_out > 0 && number % hold_out == 0 { judge.push(game) } else { learn.push(game) }
    }
    Ok((learn, judge))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forced_moves_say_nothing_and_are_left_out() {
        let squares = ["f5", "d6", "c3"].map(|name| name.parse().unwrap()).to_vec();
        let game = HumanGame { squares, ratings: [Rating(1400.0), Rating(1600.0)] };
        let played: Vec<_> = game.played().map(|(_, square, rating)| (square.to_string(), rating.0)).collect();
        assert_eq!(played, [("f5".into(), 1400.0), ("d6".into(), 1600.0), ("c3".into(), 1400.0)]);
    }

    #[test]
    fn a_list_is_split_and_a_bad_line_named() {
        let text = "id,winner,moves\n1,1,f5d6\n2,-1,f5f6\n3,1,f5d6c3\n";
        let (learn, judge) = list(Path::new("x.csv"), text.as_bytes(), 2).unwrap();
        assert_eq!((learn.len(), judge.len()), (2, 1));
        let error = list(Path::new("x.csv"), b"id,winner,moves\n1,1,f5zz\n", 2).unwrap_err();
        assert_eq!(error.to_string(), "x.csv: line 2: `f5zz` is no game");
    }
}
