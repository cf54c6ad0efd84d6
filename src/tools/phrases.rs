//! The phrases of a language are held against the code: what people read has a translation, and what is translated is
//! still said. When one of these tests fails, the files in `resources/languages` are to be mended.

use crate::{
    base::{
        Language,
        language::{built_in, words_of},
        settings::SettingView,
    },
    engine::{Engine, Game},
    go::GoEngine,
    othello::{OthelloEngine, book::commands::VERBS},
    protocol::{
        SessionSettings,
        console::{
            Display,
            commands::{Group, TABLE},
        },
    },
};
use std::{fs, path::Path};

/// The languages that have to be whole.
const LANGUAGES: [&str; 2] = ["ja", "zh"];

/// Said by the operating system and by the reader of the command line, not by us.
const OF_OTHERS: &[&str] = &[
    "Print version",
    "Print this message or the help of the given subcommand(s)",
    "No such file or directory (os error 2)",
    "Permission denied (os error 13)",
    "Is a directory (os error 21)",
    "No space left on device (os error 28)",
];

/// The string literals of a piece of Rust, `\` at the end of a line resolved, and where each begins.
fn literals(source: &str) -> Vec<(usize, String)> {
    let (mut found, mut at) = (vec![], 0);
    while let Some(next) = source[at..].find(['"', '/', '\'', 'r']).map(|offset| at + offset) {
        let rest = &source[next..];
        at = next + 1;
        if rest.starts_with("//") {
            at = next + rest.find('\n').unwrap_or(rest.len());
        } else if let Some(quoted) = ["'\"'", "'\\\"'", "'\\''", "'\\\\'"].iter().find(|q| rest.starts_with(**q)) {
            at = next + quoted.len();
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            let end = raw.find("\"#").unwrap_or(raw.len());
            found.push((next, raw[..end].to_owned()));
            at = next + 3 + end + 2;
        } else if let Some(inside) = rest.strip_prefix('"') {
            let (text, length) = literal(inside);
            found.push((next, text));
            at = next + 1 + length;
        }
    }
    found
}

/// The text of a literal whose opening mark was read, and the length up to behind the closing one.
fn literal(rest: &str) -> (String, usize) {
    let (mut text, mut chars) = (String::new(), rest.char_indices());
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return (text, i + 1),
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((i, '\n')) => {
                    let skipped = rest[i..].len() - rest[i..].trim_start().len();
                    let (more, length) = literal(&rest[i + skipped..]);
                    text.push_str(&more);
                    return (text, i + skipped + length);
                }
                Some((_, c)) => text.push(c),
                None => {}
            },
            c => text.push(c),
        }
    }
    (text, rest.len())
}

/// Every source file by its path, without its tests.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).expect("the source is readable") {
            let path = entry.expect("the source is readable").path();
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                walk(&path, root, found);
            } else if name.ends_with(".rs") && !name.contains("tests") && !name.ends_with("dummy.rs") {
                let text = fs::read_to_string(&path).expect("the source is readable");
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                found.push((name, code.to_owned()));
            }
        }
    }
    let (root, mut found) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), vec![]);
    walk(&root, &root, &mut found);
    // Not this file's own lists.
    found.retain(|(name, _)| name != "tools/phrases.rs" && name != "layers.rs");
    found
}

/// A format string as a message: every placeholder filled.
fn sample(format: &str) -> String {
    let (mut text, mut rest) = (String::new(), format);
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('}') else { break };
        text.push_str(if rest[open..].starts_with("{…}") { "{…}" } else { "7" });
        rest = &rest[open + close + 1..];
    }
    text + rest
}

/// Complains about everything in `said` that the language does not know.
fn all_known(what: &str, said: impl IntoIterator<Item = String>) {
    let said: Vec<String> = said.into_iter().collect();
    assert!(!said.is_empty(), "no {what} was found: the test must see the code");
    for code in LANGUAGES {
        let language = Language::named(code).expect("built in").1;
        let unknown: Vec<&String> = said.iter().filter(|text| !text.is_empty() && !language.knows(text)).collect();
        assert!(unknown.is_empty(), "these {what} need a translation in {code}.json: {unknown:#?}");
    }
}

#[test]
fn everything_in_the_tables_is_translated() {
    let (othello, go) = (OthelloEngine::new(), GoEngine::new());
    let commands = TABLE.iter().flat_map(|entry| [entry.help, entry.more]).map(str::to_owned);
    all_known("helps of commands", commands);
    all_known("titles", Group::ALL.map(|group| group.title().to_owned()));
    all_known("games", Game::ALL.map(|game| game.name().to_owned()));
    let own = [othello.commands().list(), go.commands().list()].concat();
    all_known("helps of the games' commands", own.iter().map(|about| about.help.to_owned()));
    all_known("helps of `book`", VERBS.iter().flat_map(|verb| [verb.help, verb.defaults]).map(str::to_owned));
    let settings: Vec<SettingView> =
        [othello.settings(), go.settings(), SessionSettings::default().settings(), Display::default().settings()]
            .concat();
    all_known("helps of options", settings.iter().map(|s| s.help.to_owned()));
    let choices = |s: &&SettingView| !matches!(s.kind, crate::base::settings::Kind::Choice(_));
    all_known("ranges of options", settings.iter().filter(choices).map(|s| s.kind.to_string()));
}

#[test]
fn no_option_stands_in_two_tables() {
    for engine in [Box::new(OthelloEngine::new()) as Box<dyn Engine>, Box::new(GoEngine::new())] {
        assert!(engine.settings().iter().all(|s| !SessionSettings::have(s.name) && !Display::has(s.name)));
    }
    assert!(Display::default().settings().iter().all(|s| !SessionSettings::have(s.name)));
}

/// What only programs, logs or the tools of the command line hear.
fn for_people(name: &str) -> bool {
    const ENGLISH: [&str; 10] = [
        "tools/",
        "cli.rs",
        "cli/arguments.rs",
        "protocol/gtp",
        "protocol/nboard.rs",
        "protocol/uci",
        "protocol/katago.rs",
        "protocol/ggs",
        "protocol/cgos.rs",
        "protocol/online.rs",
    ];
    !ENGLISH.iter().any(|start| name.starts_with(start))
}

/// The literals that begin behind one of these openings, blanks between.
fn behind(openings: &[&str]) -> Vec<String> {
    let mut found = vec![];
    for (name, code) in sources().iter().filter(|(name, _)| for_people(name)) {
        for (at, text) in literals(code) {
            let before = code[..at].trim_end();
            if openings.iter().any(|opening| before.ends_with(opening)) {
                log::trace!("{name}: {text}");
                found.push(text);
            }
        }
    }
    found
}

/// With words of its own, not only parts: `{0}`, `{name}: {reason}`.
fn has_words(format: &str) -> bool {
    sample(format).chars().any(|c| c.is_alphabetic())
}

#[test]
fn every_error_is_translated() {
    // Of the evaluation's and the processor's tables, and of files only tools read.
    let tools_only = ["patterns, line", "entry 7", "a WTHOR file", "games on a board of size", "the header tells"];
    let errors = behind(&["#[error("]).into_iter().filter(|e| has_words(e)).map(|e| sample(&e));
    all_known("errors", errors.filter(|e| !tools_only.iter().any(|start| e.starts_with(start))));
}

#[test]
fn every_refusal_is_translated() {
    let whys = ["Syntax", "Illegal", "Range", "Unsupported", "File"];
    let openings: Vec<String> = whys
        .iter()
        .flat_map(|why| ["", " format!("].map(|format| format!("CommandError::new(CommandErrorKind::{why},{format}")))
        .chain(["let message = format!(", "notices.push(", "notes.push(", "notes: vec!["].map(str::to_owned))
        .collect();
    let openings: Vec<&str> = openings.iter().map(String::as_str).collect();
    all_known("refusals", behind(&openings).iter().filter(|m| has_words(m)).map(|m| sample(m)));
}

#[test]
fn every_column_is_translated() {
    let mut columns = vec![];
    for (_, code) in sources().iter().filter(|(name, _)| for_people(name)) {
        for (at, _) in code.match_indices("columns: vec![") {
            let list = &code[at..at + code[at..].find(']').expect("a list ends")];
            columns.extend(literals(list).into_iter().map(|(_, column)| column));
        }
    }
    assert!(columns.len() > 30, "{columns:?}");
    all_known("columns", columns);
    all_known("titles of tables", behind(&["title:", "facts("]).into_iter().filter(|t| !t.is_empty()));
}

#[test]
fn every_answer_about_the_book_is_translated() {
    let code = sources().into_iter().find(|(name, _)| name == "othello/book/reply.rs").expect("it is there").1;
    let said = literals(&code).into_iter().map(|(_, text)| text).filter(|text| has_words(text));
    // The usage of a verb.
    all_known("words about the book", said.filter(|text| text != "book {}").map(|text| sample(&text)));
}

#[test]
fn what_readers_expected_is_translated() {
    let expected =
        behind(&["= expect(", "(expect(", " expect(", "Unread::Missing(", ".parsed(", "w.number(", "w.limit("]);
    all_known("expectations", expected.into_iter().filter(|text| has_words(text)));
}

/// A phrase without placeholders is a literal of the code; the words of one with placeholders stand in one literal, in
/// their order.
fn is_said(phrase: &str, all: &[String]) -> bool {
    let words = words_of(phrase);
    if words.len() == 1 && words[0] == phrase {
        return all.iter().any(|literal| literal == phrase);
    }
    all.iter().any(|literal| {
        let mut rest = literal.as_str();
        words.iter().all(|words| match rest.split_once(words.as_str()) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
    })
}

/// What the help of the command line says is written as documentation: its paragraphs, without the last full stop.
fn documentation() -> Vec<String> {
    let mut found = vec![env!("CARGO_PKG_DESCRIPTION").to_owned()];
    let explained = |name: &str| ["cli.rs", "cli/arguments.rs"].contains(&name) || name.starts_with("tools/");
    let code: Vec<String> = sources().into_iter().filter(|(name, _)| explained(name)).map(|(_, code)| code).collect();
    let mut paragraph = String::new();
    for line in code.iter().flat_map(|code| code.lines()).map(str::trim) {
        match line.strip_prefix("///").map(str::trim) {
            Some(text) if !text.is_empty() => paragraph += &format!("{text} "),
            _ if !paragraph.is_empty() => found.push(std::mem::take(&mut paragraph)),
            _ => {}
        }
    }
    found.iter().map(|text| text.trim().trim_end_matches('.').to_owned()).collect()
}

#[test]
fn every_phrase_is_still_said() {
    let literals = sources().iter().flat_map(|(_, code)| literals(code)).map(|(_, text)| text).collect::<Vec<_>>();
    let all: Vec<String> = literals.into_iter().chain(documentation()).collect();
    for code in LANGUAGES {
        let (ours, stale): (Vec<_>, Vec<_>) = built_in(code).into_iter().partition(|(phrase, said)| {
            assert!(!said.is_empty() && *said != *phrase, "`{phrase}` is not translated in {code}.json");
            OF_OTHERS.contains(&phrase.as_str()) || is_said(phrase, &all)
        });
        assert!(ours.len() > 300);
        assert!(stale.is_empty(), "nothing in the code says this any more; {code}.json should not either: {stale:#?}");
    }
}

#[test]
fn every_language_knows_the_same_phrases() {
    let phrases = LANGUAGES.map(|code| built_in(code).into_iter().map(|(phrase, _)| phrase).collect::<Vec<_>>());
    for list in &phrases {
        let other: Vec<&String> = list.iter().filter(|phrase| phrases.iter().any(|l| !l.contains(phrase))).collect();
        assert!(other.is_empty(), "not in every language: {other:#?}");
    }
}

#[test]
fn the_source_is_read_as_it_is() {
    let code = "a(\"one\\\n   two\", 'x', '\"', r#\"th\"ree\"#) // \"no\"\nlet s = \"f\\\"our\";";
    let found: Vec<String> = literals(code).into_iter().map(|(_, text)| text).collect();
    assert_eq!(found, ["onetwo", "th\"ree", "f\"our"]);
    assert_eq!(sample("`{0}` is {a:08x} of {…} {}"), "`7` is 7 of {…} 7");
    let all = ["`{0}` is not a square".to_owned(), "the end".to_owned()];
    assert!(is_said("`{1}` is not a square", &all) && is_said("the end", &all));
    assert!(!is_said("the", &all) && !is_said("a square `{1}` is not", &all));
}
