//! Games and the book: learning from them, putting them in, comparing them.

use super::{
    Learned,
    deviate::{Deviation, deviate_metered, ended},
    lay_path, run_number,
};
use crate::{
    base::Control,
    othello::{
        Board, Move,
        book::{
            Book, BookError, Positions,
            answers::Stage,
            entry::{Level, ply},
            graph,
            judge::Judge,
            lookup,
            progress::{BookProgress, Meter},
        },
        notation::parse_moves,
    },
};

/// A game as the positions it went through, passes made: the first is the start.
pub type Path = Vec<Board>;

/// A line of a file of games that is no game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Counted from 1.
    pub number: usize,
    pub reason: String,
}

/// One game a line, moves from the start; blank lines and those with `#` in front are passed over. Either every line is
/// fine, or all bad ones are named.
pub fn read(text: &str) -> Result<Vec<Path>, Vec<BadLine>> {
    let mut games = Vec::new();
    let mut bad = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match path(line) {
            Ok(path) => games.push(path),
            Err(reason) => bad.push(BadLine { number: i + 1, reason }),
        }
    }
    if bad.is_empty() { Ok(games) } else { Err(bad) }
}

fn path(line: &str) -> Result<Path, String> {
    let moves = parse_moves(line).map_err(|error| error.to_string())?;
    let mut path = vec![Board::START];
    for (i, mv) in moves.into_iter().enumerate() {
        // Passes are made as they come; one that is written down was made already.
        let Move::Place(square) = mv else { continue };
        let board = *path.last().unwrap_or(&Board::START);
        let child = graph::after(board, square).ok_or_else(|| format!("move {} ({square}) is illegal", i + 1))?;
        path.push(child.board);
    }
    Ok(path)
}

/// Learns from the last position of each game, one after the other. What a later game brings may open something to an
/// earlier one: without a limit on the rounds all are gone through again until none finds anything.
///
/// A run that was stopped goes on with the game it had come to, so that it ends as if it had not been.
pub fn learn_games(
    book: &mut Book,
    games: &[Path],
    how: &Deviation,
    judge: &mut dyn Judge,
    control: Control<'_, BookProgress>,
) -> Result<Learned, BookError> {
    let meter = Meter::new("learn-games", control);
    let mut report = Learned::default();
    let number = run_number("learn-games", games.iter().map(Vec::as_slice), how);
    let mut stage = book.answers.enter(number);
    // What an earlier part of the run found, or left undone, is not known any more: it is taken for granted.
    let mut unfinished = how.rounds.is_some() && stage.games > 0;
    let mut found = stage.games > 0;
    while !games.is_empty() && !report.stopped {
        let path = &games[(stage.games % games.len() as u64) as usize];
        // A game whose rounds are used up does not keep the others from theirs.
        report.unfinished = false;
        let before = (report.rounds, report.added);
        deviate_metered(book, path, how, stage, judge, &meter, &mut report)?;
        unfinished |= report.unfinished;
        found |= (report.rounds, report.added) != before;
        if report.stopped {
            break;
        }
        stage = Stage { games: stage.games + 1, rounds: 0, ..stage };
        if stage.games.is_multiple_of(games.len() as u64) {
            if how.rounds.is_some() || !found {
                break;
            }
            found = false;
        }
        book.answers.reach(stage);
        report.stopped = meter.stopped();
    }
    report.unfinished = unfinished | report.stopped;
    ended(book, &mut report);
    Ok(report)
}

/// Puts the positions of a game into the book, up to `depth` moves.
pub fn store_game(
    book: &mut Book,
    path: &[Board],
    depth: Option<u32>,
    level: Level,
    judge: &mut dyn Judge,
    control: Control<'_, BookProgress>,
) -> Result<Learned, BookError> {
    let meter = Meter::new("store", control);
    let mut report = Learned::default();
    let within: Path = path.iter().copied().filter(|&board| depth.is_none_or(|depth| ply(board) <= depth)).collect();
    lay_path(book, &within, level, judge, &meter, &mut report)?;
    report.positions = book.len();
    Ok(report)
}

/// Games held against the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checked {
    pub games: u64,
    /// Positions of the games, up to the depth asked for.
    pub positions: u64,
    pub missing: u64,
    /// Moves the book calls best, moves up to the tolerance worse, and worse ones.
    pub best: u64,
    pub good: u64,
    pub bad: u64,
    /// Moves that leave the book.
    pub outside: u64,
    /// Where games leave the book, on average: the number of moves that are in it.
    pub moves_in_book: u64,
}

/// `None`: stopped.
pub fn check(
    book: &Book,
    games: &[Path],
    depth: Option<u32>,
    tolerance: u32,
    control: Control<'_, BookProgress>,
) -> Option<Checked> {
    let mut report = Checked { games: games.len() as u64, ..Checked::default() };
    for path in games {
        if control.stopped() {
            return None;
        }
        let mut inside = true;
        for (i, &board) in path.iter().enumerate() {
            if depth.is_some_and(|depth| ply(board) > depth) {
                break;
            }
            report.positions += 1;
            let present = book.get(board).is_some();
            report.missing += u64::from(!present);
            let Some(&next) = path.get(i + 1).filter(|_| present) else {
                inside = false;
                continue;
            };
            let links = lookup::sorted_links(book.store(), board);
            match links.iter().find(|link| link.child.board == next) {
                None => {
                    report.outside += 1;
                    inside = false;
                }
                Some(link) => {
                    let loss = links.iter().map(|l| l.value).max().unwrap_or(link.value) - link.value;
                    match loss {
                        0 => report.best += 1,
                        n if n as u32 <= tolerance => report.good += 1,
                        _ => report.bad += 1,
                    }
                    report.moves_in_book += u64::from(inside);
                }
            }
        }
    }
    Some(report)
}

/// All lines of best moves from a position to the end of the book: at most `most` of them.
pub fn extract(book: &impl Positions, root: Board, most: usize) -> Vec<Vec<Move>> {
    let mut lines = Vec::new();
    follow(book, root, &mut Vec::new(), &mut lines, most);
    lines
}

fn follow(book: &impl Positions, board: Board, line: &mut Vec<Move>, lines: &mut Vec<Vec<Move>>, most: usize) {
    if lines.len() >= most {
        return;
    }
    let links = lookup::sorted_links(book, board);
    let Some(best) = links.first().map(|link| link.value) else {
        if !line.is_empty() {
            lines.push(line.clone());
        }
        return;
    };
    for link in links.iter().take_while(|link| link.value == best) {
        let length = line.len();
        line.push(Move::Place(link.square));
        if link.child.again {
            line.push(Move::Pass);
        }
        follow(book, link.child.board, line, lines, most);
        line.truncate(length);
    }
}
