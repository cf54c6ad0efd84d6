//! What a format cannot hold: a game that was written is read again and compared.

use super::{Format, Record};
use crate::othello::{Game, Move, Position, position::Turn};

/// A part of a record that a file does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The file cannot be read as this game at all.
    Moves,
    Names,
    Ratings,
    Clocks,
    Occasion,
    Memo,
    Result,
    /// Values are there, rounded to whole discs.
    Fractions,
    Values,
    Times,
    Branches,
    Tags,
}

impl Part {
    /// As a person is told.
    pub const fn sentence(self) -> &'static str {
        match self {
            Part::Moves => "this form cannot hold a game from such a position",
            Part::Names => "the names of the players are not kept in this form as they are",
            Part::Ratings => "ratings are not kept in this form",
            Part::Clocks => "clocks are not kept in this form",
            Part::Occasion => "event, place and date are not all kept in this form",
            Part::Memo => "the memo is not kept in this form as it is",
            Part::Result => "the result is not kept in this form",
            Part::Fractions => "values are rounded to whole discs in this form",
            Part::Values => "the values of moves are not kept in this form",
            Part::Times => "the times of moves are not kept in this form",
            Part::Branches => "other lines of the game are not kept in this form",
            Part::Tags => "other tags of the file are not all kept in this form",
        }
    }
}

/// What of a record is not in `text`, which was written in `format`.
pub fn lost(record: &Record, text: &str, format: Format) -> Vec<Part> {
    let read = format.read(text.as_bytes().to_vec()).into_iter().next();
    let again = match read {
        Some(Ok(again)) => again,
        // A game without moves may be an empty text.
        None if record.game.plies().is_empty() => Record::new(Game::without_auto_pass(record.game.start())),
        _ => return vec![Part::Moves],
    };
    if moves(&again.game) != moves(&record.game) || start(&again.game) != start(&record.game) {
        return vec![Part::Moves];
    }
    let mut lost = vec![];
    let mut check = |part, kept: bool| {
        if !kept {
            lost.push(part);
        }
    };
    check(Part::Names, again.names == record.names);
    check(Part::Ratings, again.ratings == record.ratings);
    check(Part::Clocks, again.clocks == record.clocks);
    let occasion = |record: &Record| [record.event.clone(), record.place.clone(), record.date.clone()];
    check(Part::Occasion, occasion(&again) == occasion(record));
    check(Part::Memo, again.memo == record.memo);
    check(Part::Result, same_result(&again, record));
    match values(&again.game, &record.game) {
        Some(difference) if difference < 0.005 => {}
        Some(_) => check(Part::Fractions, false),
        None => check(Part::Values, false),
    }
    check(Part::Times, same_times(&again.game, &record.game));
    check(Part::Branches, branches(&again.game) == branches(&record.game));
    check(Part::Tags, record.extra.iter().all(|tag| again.extra.contains(tag)));
    lost
}

fn moves(game: &Game) -> Vec<Move> {
    game.plies().iter().map(|ply| ply.mv).filter(|mv| *mv != Move::Pass).collect()
}

/// Where nobody has a choice the pass may be left out.
fn start(game: &Game) -> Position {
    let start = game.start();
    if start.turn() == Turn::MustPass { start.pass() } else { start }
}

/// A margin means something only where the game was played to its end.
fn same_result(again: &Record, record: &Record) -> bool {
    match (again.final_result(), record.final_result()) {
        (Some(a), Some(b)) => {
            let margin = b.ending != super::Ending::Played || a.margin == b.margin;
            (a.winner, a.ending) == (b.winner, b.ending) && margin
        }
        (a, b) => a == b,
    }
}

/// The largest difference between the values of moves; `None` if one of them is missing.
fn values(again: &Game, game: &Game) -> Option<f64> {
    let values = |game: &Game| -> Vec<Option<f64>> {
        game.plies().iter().filter(|ply| ply.mv != Move::Pass).map(|ply| ply.value).collect()
    };
    let pairs = values(again).into_iter().zip(values(game));
    pairs.filter(|(_, value)| value.is_some()).try_fold(0.0, |most: f64, pair| match pair {
        (Some(a), Some(b)) if (a - b).abs() <= 0.5 + 1e-9 => Some(most.max((a - b).abs())),
        _ => None,
    })
}

fn same_times(again: &Game, game: &Game) -> bool {
    let times = |game: &Game| -> Vec<Option<i64>> {
        let milliseconds = |seconds: f64| (seconds * 1000.0).round() as i64;
        let placed = game.plies().iter().filter(|ply| ply.mv != Move::Pass);
        // What took no millisecond took no time.
        placed.map(|ply| ply.seconds.map(milliseconds).filter(|time| *time > 0)).collect()
    };
    times(again) == times(game)
}

/// The lines that lead elsewhere than the main line.
fn branches(game: &Game) -> usize {
    let main = moves(game);
    let own = game.branches().iter().filter(|branch| {
        let line: Vec<Move> = branch.plies.iter().map(|ply| ply.mv).filter(|mv| *mv != Move::Pass).collect();
        !main.starts_with(&line)
    });
    own.count()
}
