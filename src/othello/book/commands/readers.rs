//! What may follow a verb of `book`.

use super::{BookCommand, Deviating, Learning, Reading, words::level as read_level};
use crate::base::{Args, BadArgs};
use crate::othello::book::{
    entry::Level,
    formats::{Care, Format},
    maintain::{leaves::Which, merge::Winner, walk::Bounds},
    umigame::Reach,
};

/// Where learning goes unless told otherwise.
pub const DEFAULT_DEPTH: u32 = 24;
pub const DEFAULT_ERROR: u32 = 2;
pub const DEFAULT_SUM: u32 = 4;
pub(super) const DEFAULT_TOLERANCE: u32 = 10;
pub(super) const PLIES: &str = "a number of plies (0 to 60) or inf";
pub(super) const DISCS: &str = "a number of discs (0 to 128) or inf";

/// Reads one of the four bounds; a leaf may lose what a move may, unless told.
pub(super) fn bound(bounds: &mut Bounds, leaf_told: &mut bool, word: &str, words: &mut Args) -> Result<bool, BadArgs> {
    match word {
        "depth" => bounds.depth = words.limit(PLIES, 60)?,
        "error" => bounds.per_move = words.limit(DISCS, 128)?,
        "sum" => bounds.sum = words.limit(DISCS, 10_000)?,
        "leaf" => {
            bounds.leaf = words.limit(DISCS, 128)?;
            *leaf_told = true;
        }
        _ => return Ok(false),
    }
    if !*leaf_told {
        bounds.leaf = bounds.per_move;
    }
    Ok(true)
}

pub(super) const USUAL: Bounds = Bounds {
    depth: Some(DEFAULT_DEPTH),
    per_move: Some(DEFAULT_ERROR),
    sum: Some(DEFAULT_SUM),
    leaf: Some(DEFAULT_ERROR),
};

pub(super) fn deviating(words: &mut Args, usual: Bounds) -> Result<Deviating, BadArgs> {
    let mut how = Deviating { bounds: usual, level: None, rounds: None };
    let mut leaf_told = false;
    words.options(|word, words| {
        match word {
            "level" => how.level = Some(read_level(words)?),
            "rounds" => how.rounds = words.limit("a number of rounds or inf", u32::MAX)?.map(u64::from),
            _ => return bound(&mut how.bounds, &mut leaf_told, word, words),
        }
        Ok(true)
    })?;
    Ok(how)
}

pub(super) fn learn(words: &mut Args) -> Result<BookCommand, BadArgs> {
    if !words.flag("queue") {
        words.flag("deviate");
        return Ok(BookCommand::Learn(Learning::Deviate(deviating(words, USUAL)?)));
    }
    let (mut depth, mut tolerance, mut level) = (DEFAULT_DEPTH, DEFAULT_TOLERANCE, None);
    words.options(|word, words| {
        match word {
            "depth" => depth = words.limit(PLIES, 60)?.unwrap_or(60),
            "tolerance" => tolerance = words.limit(DISCS, 128)?.unwrap_or(64),
            "level" => level = Some(read_level(words)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(BookCommand::Learn(Learning::Queue { depth, tolerance, level }))
}

/// `level L` and nothing else.
pub(super) fn only_level(words: &mut Args) -> Result<Option<Level>, BadArgs> {
    let level = if words.flag("level") { Some(read_level(words)?) } else { None };
    words.end().map(|()| level)
}

/// `depth D` and `level L` in any order.
pub(super) fn depth_and_level(words: &mut Args) -> Result<(Option<u32>, Option<Level>), BadArgs> {
    let (mut depth, mut level) = (None, None);
    words.options(|word, words| {
        match word {
            "depth" => depth = words.limit(PLIES, 60)?,
            "level" => level = Some(read_level(words)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((depth, level))
}

/// Words about reading a file, and one more that the caller knows.
pub(super) fn reading(words: &mut Args, mut other: impl FnMut(&str) -> bool) -> Result<Reading, BadArgs> {
    let mut reading = Reading::default();
    words.options(|word, words| {
        match word {
            "lenient" => reading.care = Care::Lenient,
            "strict" => reading.care = Care::Strict,
            "level" => reading.level = Some(read_level(words)?),
            _ => return Ok(other(word)),
        }
        Ok(true)
    })?;
    Ok(reading)
}

pub(super) fn leaves(words: &mut Args) -> Result<BookCommand, BadArgs> {
    let (mut which, mut bounds, mut level, mut leaf_told) = (Which::default(), USUAL, None, false);
    words.options(|word, words| {
        match word {
            "missing" => which = Which::Missing,
            "weaker" => which = Which::Weaker,
            "all" => which = Which::All,
            "level" => level = Some(read_level(words)?),
            _ => return bound(&mut bounds, &mut leaf_told, word, words),
        }
        Ok(true)
    })?;
    Ok(BookCommand::Leaves { which, bounds, level })
}

pub(super) fn merge(words: &mut Args) -> Result<BookCommand, BadArgs> {
    let file = words.file()?;
    let mut winner = Winner::default();
    let reading = reading(words, |word| {
        winner = match word {
            "later" => Winner::Later,
            "missing" => Winner::Present,
            _ => return false,
        };
        true
    })?;
    Ok(BookCommand::Merge { file, winner, reading })
}

pub(super) fn export(words: &mut Args) -> Result<BookCommand, BadArgs> {
    let file = words.file()?;
    let (mut format, mut level) = (None, None);
    words.options(|word, words| {
        match word {
            "level" => level = Some(read_level(words)?),
            word => format = Some(Format::by_name(word).ok_or_else(|| BadArgs::Extra(word.into()))?),
        }
        Ok(true)
    })?;
    Ok(BookCommand::Export { file, format, level })
}

pub(super) fn check(words: &mut Args) -> Result<BookCommand, BadArgs> {
    let file = words.file()?;
    let (mut depth, mut error) = (None, DEFAULT_ERROR);
    words.options(|word, words| {
        match word {
            "depth" => depth = words.limit(PLIES, 60)?,
            "error" => error = words.limit(DISCS, 128)?.unwrap_or(128),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(BookCommand::Check { file, depth, error })
}

pub(super) fn value(words: &mut Args) -> Result<i32, BadArgs> {
    words.parsed("a value from -64 to 64", |word| {
        let word = word.strip_prefix('+').unwrap_or(word);
        word.parse().ok().filter(|n: &i32| n.abs() <= 64)
    })
}

pub(super) fn load(words: &mut Args) -> Result<BookCommand, BadArgs> {
    let file = words.file()?;
    let mut discard = false;
    let reading = reading(words, |word| {
        discard |= word == "discard";
        word == "discard"
    })?;
    Ok(BookCommand::Load { file, reading, discard })
}

pub(super) fn ended(words: &mut Args, command: BookCommand) -> Result<BookCommand, BadArgs> {
    words.end().map(|()| command)
}

/// What follows `book umigame`, and `umigame` alone.
pub fn umigame(words: &mut Args) -> Result<BookCommand, BadArgs> {
    let usual = Reach::default();
    let depth = if words.is_empty() { usual.depth } else { words.number(PLIES, 60)? };
    let error = if words.is_empty() { usual.error } else { words.number("a number of discs (0 to 128)", 128)? };
    ended(words, BookCommand::Umigame(Reach { depth, error }))
}
