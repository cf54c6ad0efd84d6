//! The description of a console: what to send, and what its answers look like.
//!
//! Lines to send are templates: `play {move}`. Answers are patterns over the words of a line (`|` counts as a blank):
//! a plain word stands for itself, `*` for any number of words, `{move}`, `{value}`, `{depth}`, `{nodes}` and `{any}`
//! for one word of that kind, also inside a word (`move={move}`).

use super::{Thought, number};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Consoles known without a description of their own.
pub const BUILT_IN: &str = include_str!("adapters.toml");

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Adapter {
    /// Sent once, after the start.
    pub start: Vec<String>,
    /// Sent after the start; the engine is there when it answers with a line like `ready-reply`.
    pub ready: Option<String>,
    pub ready_reply: Option<Pattern>,
    /// How the settings of an engine are sent: `{level}`, `{depth}` …
    pub level: Option<String>,
    pub depth: Option<String>,
    pub nodes: Option<String>,
    pub threads: Option<String>,
    /// Any other option: `{name}` and `{value}`.
    pub option: Option<String>,
    /// Sent before each game from the normal start; `{board}` is the start position.
    pub new_game: Vec<String>,
    /// Sent before a game from another position `{board}`.
    pub position: Option<String>,
    /// Sent before each game with a clock: `{main}` and `{increment}` in seconds.
    pub time_control: Option<String>,
    /// Sent before each game with a fixed time per move: `{seconds}`.
    pub move_time: Option<String>,
    /// Sent before each `go` with the engine's clock: `{left}` in seconds, `{colour}`, `{disc}`.
    pub clock: Option<String>,
    pub play: String,
    /// How a pass is sent; nothing is sent when the console passes by itself.
    pub pass: Option<String>,
    pub go: String,
    /// The line that holds the `{move}`; the first pattern that fits counts.
    pub reply: Vec<Pattern>,
    /// Lines before it that tell `{value}`, `{depth}` or `{nodes}`.
    pub info: Vec<Pattern>,
    /// Lines that say that a command was refused.
    pub refusal: Vec<Pattern>,
    /// After `go` the console has made its move itself.
    pub plays_own_move: bool,
    pub quit: Option<String>,
}

/// A line to send with its places filled in; unknown places stay as they are.
pub fn fill(template: &str, places: &[(&str, &str)]) -> String {
    places.iter().fold(template.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

/// A place in a template that nothing was put into, if any.
pub fn unfilled(text: &str) -> Option<&str> {
    let start = text.find('{')?;
    let end = start + text[start..].find('}')?;
    let name = &text[start + 1..end];
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '_');
    is_name.then_some(name)
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    text: String,
    words: Vec<Word>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    /// `*`
    Any,
    Plain(String),
    Place {
        before: String,
        place: Place,
        after: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Move,
    Value,
    Depth,
    Nodes,
    Any,
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let words = text.split_whitespace().map(parse_word).collect::<Result<Vec<_>, _>>()?;
        if words.is_empty() { Err("an empty pattern fits nothing".into()) } else { Ok(Pattern { text, words }) }
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> String {
        pattern.text
    }
}

fn parse_word(word: &str) -> Result<Word, String> {
    if word == "*" {
        return Ok(Word::Any);
    }
    let Some((before, rest)) = word.split_once('{') else { return Ok(Word::Plain(word.into())) };
    let Some((name, after)) = rest.split_once('}') else { return Err(format!("`{word}` has no closing brace")) };
    let place = match name {
        "move" => Place::Move,
        "value" => Place::Value,
        "depth" => Place::Depth,
        "nodes" => Place::Nodes,
        "any" => Place::Any,
        _ => return Err(format!("`{{{name}}}` is none of {{move}}, {{value}}, {{depth}}, {{nodes}}, {{any}}")),
    };
    Ok(Word::Place { before: before.into(), place, after: after.into() })
}

/// What a line told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    pub text: Option<String>,
    pub thought: Thought,
}

impl Pattern {
    /// What the line tells, if it fits.
    pub fn find(&self, line: &str) -> Option<Found> {
        let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || c == '|').filter(|w| !w.is_empty()).collect();
        let mut found = BTreeMap::new();
        if !fit(&self.words, &words, &mut found) {
            return None;
        }
        let get = |place: Place| found.get(&(place as u8)).map(|word: &&str| (*word).to_owned());
        let thought = Thought {
            value: get(Place::Value).and_then(|word| value(&word)),
            depth: get(Place::Depth),
            nodes: get(Place::Nodes).and_then(|word| word.parse().ok()),
        };
        Some(Found { text: get(Place::Move), thought })
    }
}

fn fit<'a>(pattern: &[Word], words: &[&'a str], found: &mut BTreeMap<u8, &'a str>) -> bool {
    match pattern {
        [] => words.is_empty(),
        [Word::Any] => true,
        [Word::Any, rest @ ..] => (0..=words.len()).any(|skip| fit(rest, &words[skip..], found)),
        [first, rest @ ..] => {
            let Some((word, others)) = words.split_first() else { return false };
            match first {
                Word::Plain(plain) => plain.eq_ignore_ascii_case(word) && fit(rest, others, found),
                Word::Place { before, place, after } => {
                    let inner = word.strip_prefix(before.as_str()).and_then(|w| w.strip_suffix(after.as_str()));
                    let Some(inner) = inner.filter(|inner| place.takes(inner)) else { return false };
                    if !fit(rest, others, found) {
                        return false;
                    }
                    found.insert(*place as u8, inner);
                    true
                }
                Word::Any => false,
            }
        }
    }
}

impl Place {
    fn takes(self, word: &str) -> bool {
        match self {
            Place::Move => is_move(word),
            Place::Value => value(word).is_some(),
            Place::Nodes => !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()),
            Place::Depth => word.bytes().any(|b| b.is_ascii_digit()) || word.eq_ignore_ascii_case("book"),
            Place::Any => !word.is_empty(),
        }
    }
}

/// Looks like a move of some board: a letter and a number, or a word for passing.
fn is_move(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let mut chars = lower.chars();
    let square = chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && (1..=2).contains(&chars.as_str().len())
        && chars.all(|c| c.is_ascii_digit());
    square || ["pass", "pa", "ps", "--", "resign"].contains(&lower.as_str())
}

/// A value that may be marked as a bound: `<+02`.
fn value(word: &str) -> Option<f64> {
    number(word.trim_start_matches(['<', '>', '=', '?']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn rows_of_tables() {
        let edax = pattern("{depth} {value} {any} {nodes} *");
        let found = edax.find("21@73%  +02        0:00.123        123456    1234567 F5 d6 C3").unwrap();
        let thought = Thought { value: Some(2.0), depth: Some("21@73%".into()), nodes: Some(123_456) };
        assert_eq!(found, Found { text: None, thought });
        assert_eq!(edax.find("   12  <-04        0:00.000         99 ").unwrap().thought.value, Some(-4.0));
        assert_eq!(edax.find(" depth|score|       time   |  nodes (N)  |   N/s    | principal variation"), None);

        let egaroucid = pattern("{any} {depth} {move} {value} {any} {nodes} {any} *");
        let row = "|             21|         21@74%|             f5|             +2|  000:00:01.234|         123456|         \
                   100000|            -/-|";
        let found = egaroucid.find(row).unwrap();
        assert_eq!((found.text.as_deref(), found.thought.value), (Some("f5"), Some(2.0)));
    }

    #[test]
    fn sentences() {
        let plays = pattern("Edax plays {move}");
        assert_eq!(plays.find("Edax plays F5").unwrap().text.as_deref(), Some("F5"));
        assert_eq!(plays.find("edax plays pa").unwrap().text.as_deref(), Some("pa"));
        assert_eq!(plays.find("Edax plays well"), None);
        assert_eq!(plays.find("Edax plays F5 now"), None);
        assert_eq!(pattern("* move={move}, *").find("I say move=c4, good").unwrap().text.as_deref(), Some("c4"));
        assert_eq!(pattern("* {move}").find("a1 b2 c3").unwrap().text.as_deref(), Some("c3"));
    }

    #[test]
    fn bad_patterns_are_named() {
        for bad in ["", "{nonsense}", "{move"] {
            assert!(Pattern::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }

    #[test]
    fn templates() {
        assert_eq!(fill("play {move} {move}", &[("move", "f5")]), "play f5 f5");
        assert_eq!(unfilled("engine -l {level}"), Some("level"));
        assert_eq!(unfilled("echo '{ x }'"), None);
        assert_eq!(unfilled("engine"), None);
    }

    #[test]
    fn the_built_in_descriptions_can_be_read() {
        let adapters: BTreeMap<String, Adapter> = toml::from_str(BUILT_IN).unwrap();
        for name in ["console", "edax", "egaroucid"] {
            let adapter = &adapters[name];
            assert!(!adapter.go.is_empty() && !adapter.reply.is_empty() && adapter.play.contains("{move}"), "{name}");
        }
    }
}
