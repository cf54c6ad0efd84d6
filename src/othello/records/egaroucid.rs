//! The record line of Egaroucid 5: `MOVES BLACK WHITE SCORE NAME NAME MEMO`, a `?` for what is not known. The name of
//! its file is `yyyymmdd_hhmmss_N_M_X.txt`.

use super::{BadRecord, GameResult, Record};
use crate::othello::{
    Position,
    notation::{self, Passes, diagram},
};

/// A record, or `None` if the line is no such thing: at least four words, numbers or `?` behind the moves.
pub fn parse(line: &str) -> Option<Result<Record, BadRecord>> {
    let mut words = line.splitn(7, [' ', '\t']);
    let moves = words.next()?;
    let numbers = [words.next()?, words.next()?, words.next()?];
    let number = |word: &str| word == "?" || word.parse::<i32>().is_ok();
    if !numbers.into_iter().all(number) {
        return None;
    }
    let known = |word: Option<&str>| word.map(str::trim).filter(|&word| word != "?").unwrap_or_default().to_string();
    Some(super::lines::parse(moves).map(|game| {
        let names = [known(words.next()), known(words.next())];
        let memo = known(words.next());
        let result = numbers[2].parse::<i32>().ok().map(|score| GameResult::from_score(score.into()));
        Record { names, memo, result, ..Record::new(game) }
    }))
}

/// The line for a game. Its score is a `?` before the end; blanks in names become underscores, for blanks separate.
pub fn text(record: &Record) -> String {
    let mut moves = notation::transcript(record.game.moves(), Passes::LeftOut, "", false);
    if record.game.start() != Position::START {
        // Egaroucid has no such thing; one word, so that it can be read again.
        let board: String = diagram::board_text(record.game.start(), diagram::Alphabet::LETTERS);
        moves = format!("{};{moves}", board.replace(' ', ""));
    }
    let score = record.game.score();
    let result = record.game.is_over().then(|| score.difference());
    let result = result.map_or("?".to_string(), |difference| format!("{difference}"));
    let word = |text: &str| match text.trim() {
        "" => "?".to_string(),
        text => text.split_whitespace().collect::<Vec<_>>().join("_"),
    };
    let [black, white] = [0, 1].map(|i| word(&record.names[i]));
    let memo = record.memo.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{moves} {} {} {result} {black} {white} {memo}", score.black, score.white).trim_end().to_string()
}

/// The name of the file: date and time of the game, midgame depth, endgame depth and mode (0 human black, 1 human
/// white, 2 two humans, 3 two engines).
pub fn file_name(when: Stamp, midgame: u32, endgame: u32, mode: u32) -> String {
    let Stamp { year, month, day, hour, minute, second } = when;
    format!("{year:04}{month:02}{day:02}_{hour:02}{minute:02}{second:02}_{midgame}_{endgame}_{mode}.txt")
}

/// A date and a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub year: u32,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
}

impl Stamp {
    /// From seconds since the beginning of 1970, in universal time.
    #[cfg(test)]
    pub fn from_unix(seconds: u64) -> Stamp {
        let (days, rest) = (seconds / 86400, (seconds % 86400) as u32);
        let mut year = 1970;
        let mut day = days;
        let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        while day >= 365 + u64::from(leap(year)) {
            day -= 365 + u64::from(leap(year));
            year += 1;
        }
        let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut month = 0;
        while day >= lengths[month] {
            day -= lengths[month];
            month += 1;
        }
        Stamp {
            year: year as u32,
            month: month as u32 + 1,
            day: day as u32 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::samples;
    use proptest::prelude::*;

    #[test]
    fn a_line_and_a_name() {
        let record = parse("f5d6c3 5 2 ? ? Bob some memo here").unwrap().unwrap();
        assert_eq!((record.game.ply(), record.names[0].as_str(), record.names[1].as_str()), (3, "", "Bob"));
        assert_eq!((record.memo.as_str(), record.result), ("some memo here", None));
        assert_eq!(text(&record), "f5d6c3 5 2 ? ? Bob some memo here");
        assert!(parse("f5 d6 c3 d3").is_none());
        assert!(parse("f5f5 4 1 ?").unwrap().is_err());
        // 29 February 2024, 12:34:56.
        let stamp = Stamp::from_unix(1_709_210_096);
        assert_eq!(file_name(stamp, 15, 24, 0), "20240229_123456_15_24_0.txt");
        assert_eq!(Stamp::from_unix(0), Stamp { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0 });
    }

    proptest! {
        #[test]
        fn printed_and_read_again(game in samples::games(false), name in "[A-Za-z0-9]{1,8}", memo in "[a-z]{0,5}( [a-z]{1,5})?") {
            let record = Record { names: [name, String::new()], memo: memo.trim().into(), ..Record::new(game) };
            let line = text(&record);
            let again = parse(&line).unwrap().unwrap();
            prop_assert_eq!(samples::without_passes(&again.game), samples::without_passes(&record.game));
            prop_assert_eq!((&again.names, &again.memo), (&record.names, &record.memo));
            prop_assert_eq!(again.result.is_some(), record.game.is_over());
            prop_assert_eq!(text(&again), line);
        }
    }
}
