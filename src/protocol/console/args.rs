//! What may stand behind the console's words.

use crate::{
    base::{Clock, Colour},
    engine::{Focus, Game, Job, TimeControl},
    protocol::{Command, Keep},
};
use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{tag, tag_no_case, take_till1, take_until, take_while_m_n, take_while1},
    character::complete::{char, multispace0, multispace1, satisfy, usize as whole},
    combinator::{all_consuming, cut, eof, map_opt, not, opt, peek, recognize, rest, value, verify},
    multi::{many1, separated_list1},
    sequence::{delimited, pair, preceded, separated_pair, terminated},
};
use std::{path::Path, time::Duration};

/// Moves that get hints after each move, unless told how many.
const AUTO_HINTS: usize = 5;

/// Why arguments were not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    Usage,
    /// What was expected, and what stood there.
    Here(&'static str, String),
}

pub type Parsed<T> = Result<T, Wrong>;

/// Applies a parser to the whole of the arguments.
fn whole_of<'a, T>(
    args: &'a str,
    parser: impl Parser<&'a str, Output = T, Error = nom::error::Error<&'a str>>,
) -> Parsed<T> {
    all_consuming(delimited(multispace0, parser, multispace0))
        .parse(args)
        .map(|(_, value)| value)
        .map_err(|_| Wrong::Usage)
}

/// The same, saying what was expected.
fn expect<'a, T>(
    what: &'static str,
    args: &'a str,
    parser: impl Parser<&'a str, Output = T, Error = nom::error::Error<&'a str>>,
) -> Parsed<T> {
    if args.is_empty() {
        return Err(Wrong::Usage);
    }
    whole_of(args, parser).map_err(|_| Wrong::Here(what, args.to_owned()))
}

fn word(text: &str) -> IResult<&str, &str> {
    take_till1(char::is_whitespace).parse(text)
}

/// A whole word, in any case.
fn keyword<'a>(name: &'static str) -> impl Parser<&'a str, Output = &'a str, Error = nom::error::Error<&'a str>> {
    verify(word, move |w: &str| w.eq_ignore_ascii_case(name))
}

pub fn nothing(args: &str) -> Parsed<()> {
    whole_of(args, eof).map(drop)
}

pub fn text(args: &str) -> Parsed<String> {
    whole_of(args, verify(rest, |text: &str| !text.is_empty())).map(str::to_owned)
}

pub fn number(args: &str) -> Parsed<usize> {
    expect("a number", args, whole)
}

/// A number of steps, 1 when missing.
pub fn count(args: &str) -> Parsed<usize> {
    count_or(args, 1)
}

pub fn count_or(args: &str, missing: usize) -> Parsed<usize> {
    if args.is_empty() { Ok(missing) } else { expect("a number above 0", args, verify(whole, |n| *n > 0)) }
}

fn colour_word(text: &str) -> IResult<&str, Colour> {
    map_opt(word, |w| w.parse().ok()).parse(text)
}

pub fn colour(args: &str) -> Parsed<Option<Colour>> {
    if args.is_empty() { Ok(None) } else { expect("a colour", args, colour_word).map(Some) }
}

/// `f5`, `Q16`, `pass`.
fn one_move(text: &str) -> IResult<&str, &str> {
    let letter = satisfy(|c| c.is_ascii_alphabetic());
    let digits = take_while_m_n(1, 2, |c: char| c.is_ascii_digit());
    let point = terminated(recognize(pair(letter, digits)), not(peek(satisfy(|c| c.is_ascii_digit()))));
    let ends = || peek(alt((recognize(satisfy(|c| !c.is_ascii_alphabetic())), eof)));
    let pass = terminated(alt((tag_no_case("pass"), tag_no_case("ps"), tag_no_case("pa"))), ends());
    alt((point, pass, tag("--"))).parse(text)
}

type Moves = Vec<(Option<Colour>, String)>;

/// Moves with or without blanks or commas between them; a colour may stand before each.
pub fn moves(args: &str) -> Parsed<Moves> {
    let separator = take_while1(|c: char| c.is_whitespace() || c == ',');
    let coloured = pair(opt(terminated(colour_word, multispace1)), one_move.map(str::to_owned));
    expect("a list of moves", args, many1(terminated(coloured, opt(separator))))
}

pub fn mode(args: &str) -> Parsed<()> {
    if args.is_empty() { Ok(()) } else { expect("a mode", args, satisfy(|c| ('0'..='3').contains(&c))).map(drop) }
}

pub fn switch(args: &str) -> Parsed<bool> {
    expect("`on` or `off`", args, alt((value(true, keyword("on")), value(false, keyword("off")))))
}

pub fn game(args: &str) -> Parsed<Game> {
    let named = |w: &str| Game::ALL.into_iter().find(|g| g.name().eq_ignore_ascii_case(w));
    expect("a game played here", args, map_opt(word, named))
}

/// `mid N end M`.
fn sliders(text: &str) -> IResult<&str, (usize, usize)> {
    let slider = |name| preceded((keyword(name), multispace1), whole);
    separated_pair(slider("mid"), multispace1, slider("end")).parse(text)
}

fn set(pairs: &[(&str, usize)]) -> Command {
    Command::Set(pairs.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect())
}

pub fn quit(args: &str) -> Parsed<Command> {
    let save = value(Command::Leave { save: true }, keyword("save"));
    let discard = value(Command::Leave { save: false }, keyword("discard"));
    if args.is_empty() { Ok(Command::Quit) } else { expect("`save` or `discard`", args, alt((save, discard))) }
}

/// `values on|off`; without it, the board.
pub fn show(args: &str) -> Parsed<Command> {
    if args.is_empty() {
        return Ok(Command::Look(String::new()));
    }
    let on_off = alt((value("on", keyword("on")), value("off", keyword("off"))));
    let switched = whole_of(args, preceded((keyword("values"), multispace1), on_off))?;
    Ok(Command::Set(vec![("values".into(), switched.into())]))
}

pub fn keep(args: &str) -> Parsed<Keep> {
    let words =
        (value(Keep::Save, keyword("save")), value(Keep::Show, keyword("show")), value(Keep::Reset, keyword("reset")));
    if args.is_empty() { Ok(Keep::Show) } else { expect("`save`, `show` or `reset`", args, alt(words)) }
}

/// `auto on [N]`, `auto off`.
fn auto_hints(text: &str) -> IResult<&str, usize> {
    let number = verify(whole, |n| (1..=ALL_MOVES).contains(n));
    let on = preceded(keyword("on"), opt(preceded(multispace1, number))).map(|n| n.unwrap_or(AUTO_HINTS));
    preceded((keyword("auto"), multispace1), alt((on, value(0, keyword("off"))))).parse(text)
}

/// All moves, unless told how many.
const ALL_MOVES: usize = 64;

pub fn hint(args: &str) -> Parsed<Command> {
    if let Ok((mid, end)) = whole_of(args, preceded((keyword("depth"), multispace1), sliders)) {
        return Ok(set(&[("hint-mid", mid), ("hint-end", end)]));
    }
    if let Ok(count) = whole_of(args, auto_hints) {
        return Ok(set(&[("hint-auto", count)]));
    }
    count_or(args, ALL_MOVES).map(|count| Command::Work(Job::Hint { count, focus: Focus::default() }))
}

pub fn depth(args: &str) -> Parsed<Command> {
    let plies = whole.map(|n| set(&[("mid", 0), ("end", 0), ("depth", n)]));
    let both = sliders.map(|(mid, end)| set(&[("depth", 0), ("mid", mid), ("end", end)]));
    let off = value((), keyword("off")).map(|()| set(&[("depth", 0), ("mid", 0), ("end", 0)]));
    let shown = |args: &str| Command::Option { name: "depth".into(), value: args.into() };
    if args.is_empty() { Ok(shown(args)) } else { expect("a depth", args, alt((plies, both, off))) }
}

/// Longer is no limit at all.
const LONGEST: f64 = 1e8;

/// `12`, `0.5`, `5:00`, `1:30:00`.
fn seconds(text: &str) -> IResult<&str, Duration> {
    let part =
        map_opt(take_while1(|c: char| c.is_ascii_digit() || c == '.'), |digits: &str| digits.parse::<f64>().ok());
    map_opt(separated_list1(char(':'), part), |parts| {
        let total = parts.iter().fold(0.0, |sum, part| sum * 60.0 + part);
        (parts.len() <= 3 && total <= LONGEST).then(|| Duration::from_secs_f64(total))
    })
    .parse(text)
}

pub fn time(args: &str) -> Parsed<Command> {
    let after = |name| preceded(keyword(name), multispace1);
    let plus = delimited(multispace0, char('+'), multispace0);
    let clock = |left, increment| Clock { left, increment, byoyomi: None };
    let per_move = |limit: Duration| Command::Set(vec![("move-time".into(), limit.as_secs_f64().to_string())]);
    let for_game = |clock| Command::SetTime(TimeControl { clock });
    let both = |clock, limit| Command::Several(vec![per_move(limit), for_game(clock)]);

    let move_time = preceded(after("move"), cut(seconds)).map(|limit| both(None, limit));
    let game_time = preceded(after("game"), cut(pair(seconds, opt(preceded(plus, seconds)))))
        .map(|(left, increment)| both(Some(clock(left, increment.unwrap_or_default())), Duration::ZERO));
    let left = preceded(after("left"), cut(separated_pair(colour_word, multispace1, seconds)))
        .map(|(colour, left)| Command::TimeLeft { colour, clock: clock(left, Duration::ZERO) });
    let off = keyword("off").map(|_| both(None, Duration::ZERO));
    expect("a time", args, alt((move_time, game_time, left, off)))
}

/// `NAME VALUE`, `NAME=VALUE`, several of them.
pub fn settings(args: &str) -> Parsed<Vec<(String, String)>> {
    let equals = alt((delimited(multispace0, tag("="), multispace0), multispace1));
    let name = take_while1(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let given = alt((quoted, word));
    let one = separated_pair(name, equals, given).map(|(n, v): (&str, &str)| (n.to_owned(), v.to_owned()));
    whole_of(args, separated_list1(multispace1, one))
}

fn quoted(text: &str) -> IResult<&str, &str> {
    delimited(char('"'), take_until("\""), char('"')).parse(text)
}

fn path(text: &str) -> IResult<&str, &str> {
    alt((quoted, word)).parse(text)
}

pub fn load(args: &str) -> Parsed<Command> {
    let (path, ply) = whole_of(args, pair(path, opt(preceded(multispace1, whole))))?;
    Ok(Command::Load { path: path.into(), ply })
}

pub fn save(args: &str) -> Parsed<Command> {
    let words = (path, opt(preceded(multispace1, word)), opt(preceded(multispace1, word)));
    let (path, first, second) = whole_of(args, words)?;
    let is_here = |word: &Option<&str>| word.is_some_and(|word| word.eq_ignore_ascii_case("here"));
    let (form, here) = match (first, second) {
        (form, second) if is_here(&second) && form.is_some() => (form, true),
        (first, None) if is_here(&first) => (None, true),
        (first, form) if is_here(&first) => (form, true),
        (form, None) => (form, false),
        _ => return Err(Wrong::Usage),
    };
    // `save here` alone has no name for a file: the game's own `save` names it.
    if form.is_none() && !here && path.eq_ignore_ascii_case("here") {
        return Err(Wrong::Usage);
    }
    let form = form.unwrap_or_else(|| form_of(Path::new(path)));
    Ok(Command::Save { path: path.into(), form: form.to_owned(), here })
}

fn form_of(path: &Path) -> &str {
    match path.extension().and_then(|e| e.to_str()) {
        Some("txt") | None => "transcript",
        Some(extension) => extension,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_in_every_dress() {
        let plain = |text: &str| moves(text).map(|list| list.into_iter().map(|(_, m)| m).collect::<Vec<_>>().join(" "));
        assert_eq!(plain("f5d6C3"), Ok("f5 d6 C3".into()));
        assert_eq!(plain("f5 d6,c3  PASS"), Ok("f5 d6 c3 PASS".into()));
        assert_eq!(plain("f5ps d6 --"), Ok("f5 ps d6 --".into()));
        assert_eq!(plain("Q16 d4"), Ok("Q16 d4".into()));
        assert_eq!(moves("white d6"), Ok(vec![(Some(Colour::White), "d6".into())]));
        for wrong in ["", "f", "f123", "passage", "5f", "f5 go", "f5;d6", "é5"] {
            assert!(moves(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times() {
        let secs = |text| whole_of(text, seconds).map(|t| t.as_secs_f64());
        assert_eq!(secs("0.5"), Ok(0.5));
        assert_eq!(secs("5:00"), Ok(300.0));
        assert_eq!(secs("1:00:01"), Ok(3601.0));
        for wrong in ["", "-1", "1e400", "nan", "inf", "1.2.3", "999999999999", "1:2:3:4", ":"] {
            assert!(secs(wrong).is_err(), "{wrong}");
        }
        let clock = Clock { left: Duration::from_secs(300), increment: Duration::from_secs(2), byoyomi: None };
        let game = Command::SetTime(TimeControl { clock: Some(clock) });
        for text in ["game 300 + 2", "game 5:00+2", "GAME 300+2.0"] {
            let Ok(Command::Several(list)) = time(text) else { panic!("{text}") };
            assert_eq!(list[1], game, "{text}");
        }
        assert_eq!(
            time("left white 3"),
            Ok(Command::TimeLeft {
                colour: Colour::White,
                clock: Clock { left: Duration::from_secs(3), increment: Duration::ZERO, byoyomi: None }
            })
        );
        assert!(time("game 300 +").is_err() && time("off now").is_err());
    }

    #[test]
    fn options_and_files() {
        let pairs = |text| settings(text).map(|l| l.into_iter().map(|(n, v)| format!("{n}:{v}")).collect::<Vec<_>>());
        assert_eq!(
            pairs("level 10 hash=20 eval \"a b\""),
            Ok(vec!["level:10".into(), "hash:20".into(), "eval:a b".into()])
        );
        assert_eq!(pairs("level = 10"), Ok(vec!["level:10".into()]));
        assert!(pairs("level").is_err() && pairs("").is_err());
        let saved = |text| save(text).map(|c| format!("{c:?}"));
        assert!(saved("\"my game.sgf\"").unwrap().contains("form: \"sgf\""));
        assert!(saved("game.txt ggf").unwrap().contains("form: \"ggf\", here: false"));
        for text in ["game.ggf here", "game.txt ggf here", "game.txt HERE ggf"] {
            assert!(saved(text).unwrap().contains("form: \"ggf\", here: true"), "{text}");
        }
        assert!(saved("here").is_err() && saved("a ggf sgf").is_err());
        assert!(load("game.sgf 12").is_ok() && load("").is_err() && load("a b").is_err());
        assert_eq!(depth("mid 10 end 20"), Ok(set(&[("depth", 0), ("mid", 10), ("end", 20)])));
        assert_eq!(hint("3"), Ok(Command::Work(Job::Hint { count: 3, focus: Focus::default() })));
        assert!(hint("0").is_err() && hint("depth").is_err());
        assert_eq!(hint("auto on"), Ok(set(&[("hint-auto", 5)])));
        assert_eq!((hint("AUTO on 3"), hint("auto off")), (Ok(set(&[("hint-auto", 3)])), Ok(set(&[("hint-auto", 0)]))));
        assert!(hint("auto").is_err() && hint("auto on 0").is_err() && hint("auto off 3").is_err());
        assert_eq!(show("values off"), Ok(Command::Set(vec![("values".into(), "off".into())])));
        assert!(show("values").is_err() && show("stable").is_err());
        assert_eq!((keep(""), keep("RESET")), (Ok(Keep::Show), Ok(Keep::Reset)));
    }
}
