//! Games from files: SGF with all variations, or lines of `komi result moves` with moves as pairs of SGF letters.

use super::GopalError;
use crate::{
    base::{Colour, files, sgf as tree},
    go::{GoGame, Rules, game::Play, point::Geometry, sgf},
};
use std::{io::Read, path::Path};

/// A collection may be so large, unpacked.
const LARGEST: u64 = 1 << 30;

pub struct Line {
    pub size: usize,
    pub plays: Vec<Play>,
    pub winner: Option<Colour>,
    /// Stones before the first move.
    pub set_up: bool,
}

/// All games of a file, and for SGF every variation to its end.
pub fn read(path: &Path) -> Result<Vec<Line>, GopalError> {
    let file = |error| GopalError::File(path.to_owned(), error);
    let bytes = files::read(path, LARGEST).map_err(file)?;
    let bytes = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => {
            let mut unpacked = Vec::new();
            let unpack = flate2::read::GzDecoder::new(bytes.as_slice());
            unpack.take(LARGEST).read_to_end(&mut unpacked).map_err(file)?;
            unpacked
        }
        false => bytes,
    };
    let text = files::text_of(bytes);
    let wrong = |what: String| GopalError::Game(path.to_owned(), what);
    if text.trim_start().starts_with('(') {
        return variations(&text).map_err(wrong);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(i, line)| one_line(line).ok_or_else(|| wrong(format!("line {}: not `komi result moves`", i + 1))))
        .collect()
}

fn variations(text: &str) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    for tree in tree::games(text) {
        let tree = tree.map_err(|e| e.to_string())?;
        let result = tree.root().get("RE").unwrap_or_default().to_owned();
        let leaves: Vec<usize> = (0..tree.size()).filter(|&id| tree.node(id).children().is_empty()).collect();
        let record = sgf::Record { tree, info: sgf::Info::default() };
        for leaf in leaves {
            let game: GoGame = record.game_to(leaf).map_err(|e| e.to_string())?;
            let set_up = game.start().empties().len() != game.geometry().area();
            lines.push(Line { size: game.size(), plays: game.plays().to_vec(), winner: winner(&result), set_up });
        }
    }
    Ok(lines)
}

fn winner(result: &str) -> Option<Colour> {
    match result.chars().next()? {
        'B' | 'b' => Some(Colour::Black),
        'W' | 'w' => Some(Colour::White),
        _ => None,
    }
}

fn one_line(line: &str) -> Option<Line> {
    let mut words = line.split_whitespace();
    let (_komi, result) = (words.next()?, words.next()?);
    let moves = words.next().unwrap_or("");
    let geometry = Geometry::new(19).ok()?;
    let mut plays = Vec::with_capacity(moves.len() / 2);
    let mut colour = Colour::Black;
    for pair in moves.as_bytes().chunks(2) {
        let &[column, row] = pair else { return None };
        let (column, row) = (usize::from(column.checked_sub(b'a')?), usize::from(row.checked_sub(b'a')?));
        // `tt` is a pass.
        let point = match (column, row) {
            (19, 19) => crate::go::Point::PASS,
            _ => geometry.point(column, 18usize.checked_sub(row)?)?,
        };
        plays.push(Play { colour, point });
        colour = !colour;
    }
    Some(Line { size: 19, plays, winner: winner(result), set_up: false })
}

/// The game as far as it is legal, or its first moves.
pub fn replay(line: &Line, most: usize) -> Option<(GoGame, Vec<Play>)> {
    let game = GoGame::new(line.size, Rules::CHINESE, 6.5).ok()?;
    let mut legal = game.clone();
    let mut plays = Vec::new();
    for play in line.plays.iter().take(most) {
        if legal.play_despite_superko(play.colour, play.point).is_err() {
            break;
        }
        plays.push(*play);
    }
    Some((game, plays))
}
