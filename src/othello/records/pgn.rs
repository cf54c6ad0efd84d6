//! PGN as Edax writes it: tags, then `1. f5 d6 2. c3 …`, a comment and the result, black's points first.

use super::{BadEntry, BadRecord, GameResult, Record, lines};
use crate::{
    base::{
        Colour,
        parse_error::{Read, expect, parse_error},
    },
    othello::{
        Game, Move, Position,
        notation::{fen, moves},
    },
};
use nom::{
    Parser,
    branch::alt,
    bytes::complete::{is_not, tag, take_while1},
    character::complete::{char, digit1, multispace0, multispace1},
    combinator::{eof, map, opt, value},
    multi::{fold_many0, many_till, many0},
    sequence::{delimited, pair, preceded, terminated},
};
use std::fmt::Write;

fn pgn_tag(input: &str) -> Read<'_, (&str, String)> {
    let name = expect("the name of a tag", take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_'));
    let piece = alt((is_not("\"\\\n"), preceded(char('\\'), alt((tag("\""), tag("\\"))))));
    let text = fold_many0(piece, String::new, |text, piece| text + piece);
    let text = delimited(expect("`\"`", char('"')), text, expect("`\"`", char('"')));
    let inside = (terminated(name, multispace1), text);
    delimited((char('['), multispace0), inside, (multispace0, expect("`]`", char(']')), multispace0)).parse(input)
}

enum Token {
    Move(Move),
    Result(Option<GameResult>),
    Other,
}

fn token(input: &str) -> Read<'_, Token> {
    let winner = |winner| {
        let margin = if winner == Colour::Black { 64.0 } else { -64.0 };
        Token::Result(Some(GameResult { margin: None, ..GameResult::from_score(margin) }))
    };
    let result = alt((
        map(tag("1-0"), move |_| winner(Colour::Black)),
        map(tag("0-1"), move |_| winner(Colour::White)),
        map(tag("1/2-1/2"), |_| Token::Result(Some(GameResult::from_score(0.0)))),
        map(tag("*"), |_| Token::Result(None)),
    ));
    let comment = value((), (char('{'), opt(is_not("}")), expect("`}`", char('}'))));
    let line_comment = value((), (char(';'), opt(is_not("\n"))));
    let number = value((), (digit1, many0(char('.'))));
    let note = value((), pair(char('$'), digit1));
    let other = map(alt((comment, line_comment, note, number)), |()| Token::Other);
    let token = alt((result, other, map(moves::one_move, Token::Move)));
    terminated(expect("a move, a number, a comment or a result", token), multispace0).parse(input)
}

type Tags<'a> = Vec<(&'a str, String)>;

fn tags_and_tokens(input: &str) -> Read<'_, (Tags<'_>, Vec<Token>)> {
    let (mut rest, _) = multispace0(input)?;
    let mut tags = Vec::new();
    // Not `many0`, which would take a broken tag for the beginning of the moves.
    while rest.starts_with('[') {
        let (after, tag) = pgn_tag(rest)?;
        tags.push(tag);
        rest = after;
    }
    let (rest, (tokens, _)) = many_till(token, eof).parse(rest)?;
    Ok((rest, (tags, tokens)))
}

/// One game and nothing else.
pub fn parse(text: &str) -> Result<Record, BadRecord> {
    let (tags, tokens) = tags_and_tokens(text).map_err(|error| parse_error(text, error))?.1;
    let mut record = Record::new(Game::without_auto_pass(Position::START));
    for (name, value) in tags {
        match name {
            "Event" => record.event = known(value),
            "Site" => record.place = known(value),
            "Date" => record.date = known(value),
            "Black" => record.names[0] = known(value),
            "White" => record.names[1] = known(value),
            "FEN" => {
                let start = fen::parse_fen(&value).map_err(|error| BadRecord::Board { line: 1, error })?;
                record.game = Game::without_auto_pass(start);
            }
            "BlackElo" => record.ratings[0] = rating(&value),
            "WhiteElo" => record.ratings[1] = rating(&value),
            "Result" | "SetUp" => {}
            "Round" if known(value.clone()).is_empty() => {}
            _ => record.extra.push((name.into(), value)),
        }
    }
    let mut list = Vec::new();
    for token in tokens {
        match token {
            Token::Move(mv) => list.push(mv),
            Token::Result(result) => record.result = result,
            Token::Other => {}
        }
    }
    lines::play_all(&mut record.game, &list)?;
    if record.game.is_over() {
        // The board knows the margin, the result only the winner. Where they disagree the file is believed.
        let board = GameResult::from_score(record.game.score().difference().into());
        if record.result.is_none_or(|noted| noted.winner == board.winner) {
            record.result = Some(board);
        }
    }
    Ok(record)
}

fn rating(value: &str) -> Option<f64> {
    value.trim().parse().ok().filter(|rating: &f64| rating.is_finite())
}

/// Tags that are written in any case, or from elsewhere in the record.
const KNOWN: [&str; 11] =
    ["Event", "Site", "Date", "Round", "Black", "White", "Result", "BlackElo", "WhiteElo", "FEN", "SetUp"];

/// A name that can be read again.
fn is_free(name: &str) -> bool {
    let letters = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    !name.is_empty() && letters && !KNOWN.contains(&name)
}

fn known(value: String) -> String {
    if value.trim_matches(['?', '.', ' ']).is_empty() { String::new() } else { value }
}

/// The games of a file: each begins with a line of tags after moves.
pub fn games(text: &str) -> impl Iterator<Item = Result<Record, BadEntry>> + '_ {
    let mut starts = Vec::new();
    let (mut offset, mut in_tags) = (0, false);
    for (i, line) in text.split_inclusive('\n').enumerate() {
        let tags = line.trim_start().starts_with('[');
        if (tags && !in_tags) || (starts.is_empty() && !line.trim().is_empty()) {
            starts.push((i + 1, offset));
        }
        if !line.trim().is_empty() {
            in_tags = tags;
        }
        offset += line.len();
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|&(_, at)| at).chain([text.len()]).collect();
    starts.into_iter().zip(ends).enumerate().map(move |(i, ((line, start), end))| {
        parse(&text[start..end]).map_err(|error| BadEntry {
            number: i + 1,
            line: Some(line),
            error: error.moved_to_line(line),
        })
    })
}

pub fn text(record: &Record) -> String {
    let mut text = String::new();
    let mut put = |name: &str, value: &str| {
        let value = value.replace(['\r', '\n'], " ").replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    let result = record.final_result();
    let word = match result.map(|result| result.winner) {
        None => "*",
        Some(Some(Colour::Black)) => "1-0",
        Some(Some(Colour::White)) => "0-1",
        Some(None) => "1/2-1/2",
    };
    let or_unknown = |value: &str| if value.is_empty() { "?".to_string() } else { value.to_string() };
    put("Event", &or_unknown(&record.event));
    put("Site", &or_unknown(&record.place));
    put("Date", if record.date.is_empty() { "????.??.??" } else { &record.date });
    let round = record.extra.iter().find(|(name, _)| name == "Round");
    put("Round", round.map_or("?", |(_, round)| round.as_str()));
    put("Black", &or_unknown(&record.names[0]));
    put("White", &or_unknown(&record.names[1]));
    put("Result", word);
    for (name, rating) in ["BlackElo", "WhiteElo"].into_iter().zip(record.ratings) {
        if let Some(rating) = rating {
            put(name, &rating.to_string());
        }
    }
    if record.game.start() != Position::START {
        put("FEN", &fen::fen_text(record.game.start()));
    }
    for (name, value) in record.extra.iter().filter(|(name, _)| is_free(name)) {
        put(name, value);
    }
    text.push('\n');
    let mut words = Vec::new();
    for (i, mv) in record.game.moves().enumerate() {
        if i % 2 == 0 {
            words.push(format!("{}.", i / 2 + 1));
        }
        words.push(mv.to_string());
    }
    if record.game.is_over() {
        let score = record.game.score().with_empties();
        words.push(format!("{{{}-{}}}", score.black, score.white));
    }
    words.push(word.into());
    for line in words.chunks(24) {
        text.push_str(&line.join(" "));
        text.push('\n');
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::samples;
    use proptest::prelude::*;

    const GAME: &str =
        "[Event \"A \\\"cup\\\"\"]\n[Black \"Ann\"]\n[White \"?\"]\n\n1. f5 d6 {good} 2. c3\n; rest\n $3 d3 0-1\n";

    #[test]
    fn a_game_and_its_errors() {
        let record = parse(GAME).unwrap();
        assert_eq!((record.event.as_str(), record.game.ply()), ("A \"cup\"", 4));
        assert_eq!(record.names, ["Ann", ""]);
        assert_eq!(record.result.unwrap().winner, Some(Colour::White));
        let say = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(say("[Event x]"), "column 8: expected `\"`, found `x`");
        assert_eq!(say("1. f5 {open"), "column 12: expected `}`, found the end");
        assert_eq!(say("1. f5 f5"), "move 2: f5: illegal move: f5 is occupied");
        assert!(say("[FEN \"8/8\"]").contains("expected `/`"));
    }

    #[test]
    fn a_file_with_a_bad_game() {
        let file = format!("{GAME}\n{}\n{GAME}", GAME.replace("d6", "f5"));
        let found: Vec<_> = games(&file).map(|g| g.map(|r| r.game.ply()).map_err(|e| (e.number, e.line))).collect();
        assert_eq!(found, [Ok(4), Err((2, Some(9))), Ok(4)]);
        assert_eq!(games("").count(), 0);
    }

    proptest! {
        #[test]
        fn printed_and_read_again(record in samples::records()) {
            let text = text(&record);
            let again = parse(&text).unwrap();
            prop_assert_eq!(samples::moves(&again.game), samples::moves(&record.game));
            prop_assert_eq!(again.game.start(), record.game.start());
            prop_assert_eq!(games(&format!("{text}{text}")).flatten().count(), 2);
        }

        #[test]
        fn any_text_is_answered(text in any::<String>(), at in 0usize..300, c in any::<char>()) {
            let _ = games(&text).count();
            let mut spoilt: Vec<char> = GAME.chars().collect();
            let at = at % spoilt.len();
            spoilt[at] = c;
            let _ = games(&spoilt.into_iter().collect::<String>()).count();
        }
    }
}
