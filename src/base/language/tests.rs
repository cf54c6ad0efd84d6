use super::*;
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn language(json: &str) -> Language {
    Language::read(json).unwrap_or_else(|e| panic!("{json}: {e}"))
}

fn small() -> Language {
    language(
        r#"{
        "black": "schwarz",
        "the point is occupied": "der Punkt ist besetzt",
        "{1:word} passes": "{1} passt",
        "`{1}` is not a value of {2:word}: it takes {3}": "{2} kennt `{1}` nicht: möglich ist {3}",
        "{1:number} to {2:number}": "{1} bis {2}",
        "move {1:number}: {2}": "Zug {1}: {2}",
        "move {1:number}: the {2} is {3}": "Zug {1}: {2} ist {3}",
        "usage: {1:raw}": "so: {1}",
        "not yet": ""
    }"#,
    )
}

#[test]
fn phrases_and_shapes() {
    let l = small();
    for (english, said) in [
        ("black", "schwarz"),
        ("black passes", "schwarz passt"),
        ("red passes", "red passt"),
        // A word has no blanks: this is some other sentence.
        ("nothing here passes", "nothing here passes"),
        // Parts change places and are translated; what is quoted is not.
        ("`black` is not a value of level: it takes 1 to 60", "level kennt `black` nicht: möglich ist 1 bis 60"),
        ("`` is not a value of level: it takes black", "level kennt `` nicht: möglich ist schwarz"),
        ("1 to 60", "1 bis 60"),
        ("-1.5 to +60.", "-1.5 to +60."),
        ("back to 60", "back to 60"),
        ("move 3: black passes", "Zug 3: schwarz passt"),
        ("move 3: move 4: black passes", "Zug 3: Zug 4: schwarz passt"),
        // The shape with more words of its own.
        ("move 3: the black is black", "Zug 3: schwarz ist schwarz"),
        ("usage: black", "so: black"),
        // A reason behind something that is not ours.
        ("a b.sgf: move 3: black", "a b.sgf: Zug 3: schwarz"),
        ("not yet", "not yet"),
        ("", ""),
        ("something else", "something else"),
    ] {
        assert_eq!(l.say(english), said, "{english}");
        assert_eq!(l.knows(english), english != said, "{english}");
        assert_eq!(Language::default().say(english), english);
    }
}

#[test]
fn bad_files_are_refused_with_the_reason() {
    for (json, reason) in [
        ("", "not JSON: EOF while parsing a value at line 1 column 0"),
        ("{\"a\":\"b\"", "not JSON: EOF while parsing an object at line 1 column 8"),
        ("[]", "not one object of texts: invalid type: sequence, expected an object at line 1 column 0"),
        ("{\"a\":1}", "not one object of texts: `a` has no text at line 1 column 7"),
        ("{\"a\":\"b\",\"a\":\"c\"}", "`a` is a duplicate key"),
        ("{\"a {1}\":\"b\"}", "`a {1}` and its translation do not have the same placeholders"),
        ("{\"a\":\"b {1}\"}", "`a` and its translation do not have the same placeholders"),
        ("{\"a {1}\":\"b {2}\"}", "`a {1}` and its translation do not have the same placeholders"),
        ("{\"a {1} {1}\":\"b {1}\"}", "`a {1} {1}` has a placeholder twice, or two side by side"),
        ("{\"a {1}{2}\":\"b {1} {2}\"}", "`a {1}{2}` has a placeholder twice, or two side by side"),
        ("{\"{1}: {2}\":\"{2} {1}\"}", "`{1}: {2}` has no words beside its placeholders"),
        (
            "{\"a {1:digit}\":\"{1}\"}",
            "`a {1:digit}`: `{1:digit}` is not a placeholder (number, word and raw are the kinds)",
        ),
    ] {
        assert_eq!(Language::read(json).expect_err(json).to_string(), reason, "{json}");
    }
    // Braces that are no placeholders are words.
    assert_eq!(language("{\"{…} {x} {\":\"{…}\"}").say("{…} {x} {"), "{…}");
}

#[test]
fn languages_by_name() {
    assert_eq!(Language::named("EN").unwrap().0, "en");
    assert!(Language::named("Ja").unwrap().1.knows("the game is over"));
    let refused = |name: &str| Language::named(name).expect_err(name).to_string();
    for name in ["xx", "", "\0", "no/such/file.json"] {
        assert!(refused(name).ends_with(": it takes en, ja, zh or a file of phrases"), "{name}: {}", refused(name));
    }
    assert!(refused("src").starts_with("src: "), "{}", refused("src"));
    assert_eq!(refused("README.md"), "README.md: not JSON: expected value at line 1 column 1");
}

#[test]
fn a_megabyte_is_no_burden() {
    let japanese = Language::named("ja").unwrap().1;
    for piece in ["a", "`", ": ", "a: ", "move 1: ", "1", "あ", "`x` is not ", "line 1, column 1: expected "] {
        let text = piece.repeat((1 << 20) / piece.len());
        let begun = Instant::now();
        let said = japanese.say(&text);
        assert!(begun.elapsed() < Duration::from_secs(5), "{piece:?}: {:?}", begun.elapsed());
        assert!(said.len() > text.len() / 4, "{piece:?}");
    }
}

/// Pieces of real phrases, in any order, with other things between them.
fn likely_text() -> impl Strategy<Value = String> {
    let words: Vec<String> = built_in("ja").iter().flat_map(|(phrase, _)| words_of(phrase)).collect();
    let piece = prop_oneof![
        prop::sample::select(words),
        "[0-9+.-]{0,4}",
        "[a-z`{}: 白é\n]{0,6}",
        any::<char>().prop_map(|c| c.to_string())
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_is_said_nothing_breaks(text in likely_text()) {
        let japanese = Language::named("ja").unwrap().1;
        let said = japanese.say(&text);
        prop_assert_eq!(japanese.knows(&text), matches!(said, Cow::Owned(_)));
        prop_assert_eq!(Language::default().say(&text), text.as_str());
    }

    #[test]
    fn whatever_a_file_holds_it_is_read_or_refused(
        phrase in "[a{}1:b ]{0,12}",
        said in "[a{}1:b ]{0,12}",
        text in likely_text(),
    ) {
        let json = serde_json::json!({ &phrase: said }).to_string();
        if let Ok(language) = Language::read(&json) {
            let _ = language.say(&text);
            let _ = language.say(&phrase);
        }
    }
}
