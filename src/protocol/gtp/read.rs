//! From the arguments of a command to what the session is to do. Only the form is looked at here.

use super::live::Extras;
use crate::{
    base::{Byoyomi, Clock, Colour},
    engine::{Answer, CommandError, CommandErrorKind, Focus, Game, Job, Restriction, Step, TimeControl},
    protocol::{
        Command,
        words::{self, colour, number, quotable, real, remainder, seconds, syntax_error, whole, word},
    },
};
use nom::{
    Parser,
    branch::alt,
    bytes::complete::tag_no_case,
    character::complete::multispace0,
    combinator::{opt, value},
    sequence::{pair, preceded},
};
use std::{path::PathBuf, time::Duration};

/// For commands the protocol answers itself.
pub fn look(args: &str) -> Answer<Command> {
    Ok(Command::Look(args.into()))
}

/// For commands that need no answer but their name.
pub fn nothing(_: &str) -> Answer<Command> {
    Ok(Command::Nothing)
}

pub fn quit(_: &str) -> Answer<Command> {
    Ok(Command::Quit)
}

pub fn set_game(args: &str) -> Answer<Command> {
    let name = whole(word, args)?;
    let game = Game::ALL.into_iter().find(|game| game.name().eq_ignore_ascii_case(name));
    game.map(Command::Switch).ok_or_else(|| CommandError::new(CommandErrorKind::Unsupported, "unsupported game"))
}

pub fn boardsize(args: &str) -> Answer<Command> {
    whole(number, args).map(Command::Resize)
}

pub fn clear_board(_: &str) -> Answer<Command> {
    Ok(Command::NewGame)
}

pub fn komi(args: &str) -> Answer<Command> {
    whole(real, args).map(Command::Komi)
}

pub fn play(args: &str) -> Answer<Command> {
    let (colour, vertex) = whole(|text| pair(colour, word).parse(text), args)?;
    Ok(Command::Play(vec![(Some(colour), vertex.into())]))
}

pub fn play_sequence(args: &str) -> Answer<Command> {
    let moves = whole(words::coloured_moves, args)?;
    Ok(Command::Play(moves.into_iter().map(|(colour, vertex)| (Some(colour), vertex.into())).collect()))
}

pub fn set_up(args: &str) -> Answer<Command> {
    let stones = whole(words::coloured_moves, args)?;
    let stones = stones.into_iter().map(|(colour, vertex)| (colour, vertex.into())).collect();
    Ok(Command::SetUp { stones, to_move: None })
}

pub fn set_up_player(args: &str) -> Answer<Command> {
    let colour = whole(colour, args)?;
    Ok(Command::SetUp { stones: vec![], to_move: Some(colour) })
}

pub fn genmove(args: &str) -> Answer<Command> {
    let colour = whole(colour, args)?;
    Ok(Command::Work(Job::Move { colour: Some(colour), play: true }))
}

pub fn reg_genmove(args: &str) -> Answer<Command> {
    let colour = whole(colour, args)?;
    Ok(Command::Work(Job::Move { colour: Some(colour), play: false }))
}

pub fn undo(_: &str) -> Answer<Command> {
    Ok(Command::Step(Step::TakeBack(1)))
}

pub fn gg_undo(args: &str) -> Answer<Command> {
    let n = whole(|text| opt(number).parse(text), args)?;
    Ok(Command::Step(Step::TakeBack(n.unwrap_or(1))))
}

/// The file may have blanks in its name, with or without quotation marks; a number at the end is the move.
pub fn loadsgf(args: &str) -> Answer<Command> {
    let quoted = args.starts_with('"');
    let (file, number) = match (quoted, args.rsplit_once(char::is_whitespace)) {
        (true, _) => whole(|text| pair(quotable, opt(number::<usize>)).parse(text), args)?,
        (false, Some((file, last))) => match whole(number, last) {
            Ok(n) => (file, Some(n)),
            Err(_) => (args, None),
        },
        (false, None) => (args, None),
    };
    match file.trim() {
        "" => Err(syntax_error()),
        file => Ok(Command::Load { path: PathBuf::from(file), ply: number.map(|n| n.saturating_sub(1)) }),
    }
}

pub fn printsgf(args: &str) -> Answer<Command> {
    let unquoted = args.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(args);
    match unquoted.trim() {
        "" => look(""),
        file => Ok(Command::Save { path: PathBuf::from(file), form: "sgf".into(), here: false }),
    }
}

/// A clock with `stones` moves in each period after the main time.
fn clock(main: Duration, period: Duration, stones: u32) -> TimeControl {
    let byoyomi = (stones > 0 && !period.is_zero()).then_some(Byoyomi { period, stones, stones_left: None });
    TimeControl { clock: Some(Clock { left: main, increment: Duration::ZERO, byoyomi }) }
}

const NO_LIMIT: TimeControl = TimeControl { clock: None };

pub fn time_settings(args: &str) -> Answer<Command> {
    let (main, period, stones) = whole(|text| (seconds, seconds, number::<u32>).parse(text), args)?;
    // The specification: a period in which no move has to be made lasts for ever.
    let endless = !period.is_zero() && stones == 0;
    Ok(Command::SetTime(if endless { NO_LIMIT } else { clock(main, period, stones) }))
}

pub fn kgs_time_settings(args: &str) -> Answer<Command> {
    let system = |name: &'static str| preceded(multispace0, tag_no_case(name));
    let mut control = alt((
        value(NO_LIMIT, system("none")),
        preceded(system("absolute"), seconds).map(|main| clock(main, Duration::ZERO, 0)),
        // Several periods of one move each: what counts for a budget is that each move has its period.
        preceded(system("byoyomi"), (seconds, seconds, number::<u32>)).map(|(main, period, _)| clock(main, period, 1)),
        preceded(system("canadian"), (seconds, seconds, number::<u32>)).map(|(main, period, n)| clock(main, period, n)),
    ));
    whole(|text| control.parse(text), args).map(Command::SetTime)
}

/// The period is filled in by the protocol, which remembers it from the settings.
pub fn time_left(args: &str) -> Answer<Command> {
    let (colour, left, stones) = whole(|text| (colour, seconds, number::<u32>).parse(text), args)?;
    let byoyomi = (stones > 0).then_some(Byoyomi { period: left, stones, stones_left: Some(stones) });
    Ok(Command::TimeLeft { colour, clock: Clock { left, increment: Duration::ZERO, byoyomi } })
}

/// What follows `lz-analyze` and its relatives: colour, interval in hundredths, pairs of names and values.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveArguments {
    pub colour: Option<Colour>,
    pub interval: Duration,
    pub count: usize,
    pub focus: Focus,
    pub extras: Extras,
}

/// All moves of any board.
const ALL: usize = 1000;

/// The form is `[COLOUR] [INTERVAL] {NAME VALUE}`, where `avoid` and `allow` have three values. What is not known here is refused: an analysis that left it out
/// would be another one than was asked for.
pub fn live_arguments(args: &str) -> Answer<LiveArguments> {
    let mut words = args.split_whitespace().peekable();
    let colour = words.next_if(|text| text.parse::<Colour>().is_ok()).and_then(|text| text.parse().ok());
    let (focus, extras) = (Focus::default(), Extras::default());
    let mut read = LiveArguments { colour, interval: Duration::from_secs(1), count: ALL, focus, extras };
    if let Some(text) = words.next_if(|text| whole(number::<u64>, text).is_ok()) {
        read.interval = hundredths(text)?;
    }
    while let Some(name) = words.next() {
        let value = words.next().ok_or_else(syntax_error)?;
        let only = name.eq_ignore_ascii_case("allow");
        if only || name.eq_ignore_ascii_case("avoid") {
            let mut next = || words.next().ok_or_else(syntax_error);
            let restriction = restriction(only, value, next()?, next()?)?;
            let twice = |one: &Restriction| one.only && one.colour == restriction.colour;
            if only && read.focus.restrictions.iter().any(twice) {
                return Err(CommandError::new(CommandErrorKind::Syntax, "`allow` may be given once for each colour"));
            }
            read.focus.restrictions.push(restriction);
            continue;
        }
        match name.to_ascii_lowercase().as_str() {
            "interval" => read.interval = hundredths(value)?,
            "maxmoves" => read.count = whole(number::<usize>, value)?.clamp(1, ALL),
            "ownership" => read.extras.ownership = flag(value)?,
            "rootinfo" => read.extras.root_info = flag(value)?,
            "minmoves" => read.focus.least = whole(number::<usize>, value)?.min(ALL),
            "movesownership"
            | "ownershipstdev"
            | "movesownershipstdev"
            | "pvvisits"
            | "pvedgevisits"
            | "noresultvalue"
                if !flag(value)? => {}
            _ => {
                return Err(CommandError::new(
                    CommandErrorKind::Unsupported,
                    format!("`{name} {value}` is not supported"),
                ));
            }
        }
    }
    Ok(read)
}

/// `b D4,E5 10`
fn restriction(only: bool, colour: &str, moves: &str, plies: &str) -> Answer<Restriction> {
    let colour = colour.parse().map_err(|_| syntax_error())?;
    let moves: Vec<String> = moves.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let plies = whole(number::<usize>, plies)?;
    if moves.is_empty() || plies == 0 { Err(syntax_error()) } else { Ok(Restriction { colour, moves, only, plies }) }
}

fn hundredths(text: &str) -> Answer<Duration> {
    whole(number::<u64>, text).map(|n| Duration::from_millis(n.min(100_000) * 10))
}

fn flag(text: &str) -> Answer<bool> {
    text.to_ascii_lowercase().parse().map_err(|_| syntax_error())
}

pub fn analyse(args: &str) -> Answer<Command> {
    let LiveArguments { colour, count, focus, .. } = live_arguments(args)?;
    Ok(Command::Work(Job::Watch { colour, count: count.max(focus.least), focus }))
}

pub fn genmove_analyse(args: &str) -> Answer<Command> {
    let LiveArguments { colour, focus, .. } = live_arguments(args)?;
    if focus != Focus::default() {
        let name = match focus.restrictions.first() {
            None => "minmoves",
            Some(one) if one.only => "allow",
            Some(_) => "avoid",
        };
        let message = format!("`{name}` is for an analysis, not for a move");
        return Err(CommandError::new(CommandErrorKind::Unsupported, message));
    }
    Ok(Command::Work(Job::Move { colour, play: true }))
}

pub fn values(args: &str) -> Answer<Command> {
    let count = whole(|text| opt(number).parse(text), args)?.unwrap_or(ALL);
    Ok(Command::Work(Job::Hint { count: count.clamp(1, ALL), focus: Focus::default() }))
}

pub fn line(_: &str) -> Answer<Command> {
    Ok(Command::Work(Job::Hint { count: 1, focus: Focus::default() }))
}

pub fn analyse_game(_: &str) -> Answer<Command> {
    Ok(Command::Work(Job::Analyse))
}

pub fn settings(_: &str) -> Answer<Command> {
    Ok(Command::Settings)
}

pub fn set(args: &str) -> Answer<Command> {
    let (name, value) = whole(|text| pair(word, remainder).parse(text), args)?;
    Ok(Command::Set(vec![(name.into(), value.into())]))
}

/// Without arguments the protocol shows them all.
pub fn param(args: &str) -> Answer<Command> {
    if args.is_empty() { look("") } else { set(args) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(args: &str) -> (String, Option<usize>) {
        match loadsgf(args) {
            Ok(Command::Load { path, ply }) => (path.display().to_string(), ply),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_with_and_without_a_move() {
        assert_eq!(loaded("game.sgf"), ("game.sgf".into(), None));
        assert_eq!(loaded("game.sgf 12"), ("game.sgf".into(), Some(11)));
        assert_eq!(loaded("my game.sgf"), ("my game.sgf".into(), None));
        assert_eq!(loaded("my game.sgf 1"), ("my game.sgf".into(), Some(0)));
        assert_eq!(loaded("\"my game 3\" 5"), ("my game 3".into(), Some(4)));
        assert!(loadsgf("").is_err() && loadsgf("\"\" 3").is_err());
    }

    #[test]
    fn clocks() {
        let control = |args: &str| match time_settings(args) {
            Ok(Command::SetTime(control)) => control.clock,
            other => panic!("{other:?}"),
        };
        assert_eq!(control("0 1 0"), None);
        let game = control("300 0 0").unwrap();
        assert_eq!((game.left, game.byoyomi), (Duration::from_secs(300), None));
        let byoyomi = control("60 30 5").unwrap().byoyomi.unwrap();
        assert_eq!((byoyomi.period, byoyomi.stones, byoyomi.stones_left), (Duration::from_secs(30), 5, None));
        for bad in ["", "1", "1 2", "1 2 3 4", "a b c", "-1 0 0", "nan 0 0"] {
            assert!(time_settings(bad).is_err(), "{bad}");
        }
        assert!(kgs_time_settings("none").is_ok() && kgs_time_settings("byoyomi 300 30 5").is_ok());
        assert!(kgs_time_settings("absolute").is_err() && kgs_time_settings("hourglass 5").is_err());
    }

    #[test]
    fn arguments_of_a_live_analysis() {
        let read = |args: &str| live_arguments(args).unwrap();
        assert_eq!(read("").interval, Duration::from_secs(1));
        assert_eq!(read("50").interval, Duration::from_millis(500));
        assert_eq!(read("b 50").colour, Some(Colour::Black));
        assert_eq!(read("white interval 20 maxmoves 5").count, 5);
        let sabaki = read("B 10 ownership true minmoves 1 rootInfo true");
        assert_eq!((sabaki.interval, sabaki.count), (Duration::from_millis(100), ALL));
        assert!(sabaki.extras.ownership && sabaki.extras.root_info);
        assert!(!read("ownership false").extras.ownership);
        let focused = read("b 10 avoid b D4,E5 3 allow w pass 1 minmoves 4").focus;
        let restriction = |colour, moves: &[&str], only, plies| Restriction {
            colour,
            moves: moves.iter().map(|&name| name.into()).collect(),
            only,
            plies,
        };
        let restrictions =
            vec![restriction(Colour::Black, &["D4", "E5"], false, 3), restriction(Colour::White, &["pass"], true, 1)];
        assert_eq!(focused, Focus { least: 4, restrictions });
        assert!(live_arguments("allow b D4 1 allow b E5 1").unwrap_err().message.contains("once"));
        let genmove = |args| genmove_analyse(args).unwrap_err().message;
        assert!(genmove("b avoid b D4 1").contains("`avoid`") && genmove("minmoves 3").contains("`minmoves`"));
        for refused in ["pvVisits true", "speed 7"] {
            assert_eq!(live_arguments(refused).unwrap_err().kind, CommandErrorKind::Unsupported, "{refused}");
        }
        for wrong in [
            "avoid b D4",
            "avoid x D4 1",
            "allow b , 1",
            "avoid b D4 0",
            "ownership",
            "ownership 7",
            "maxmoves x",
            "interval -1",
            "b 10 20",
        ] {
            assert_eq!(live_arguments(wrong), Err(syntax_error()), "{wrong}");
        }
    }

    #[test]
    fn wrong_forms_are_syntax_errors() {
        for (read, args) in [
            (play as fn(&str) -> Answer<Command>, "b"),
            (play, "red f5"),
            (play, "b f5 f6"),
            (genmove, ""),
            (boardsize, "eight"),
            (komi, "much"),
            (play_sequence, "b f5 w"),
            (set, ""),
            (gg_undo, "x"),
        ] {
            assert_eq!(read(args), Err(syntax_error()), "{args}");
        }
    }
}
