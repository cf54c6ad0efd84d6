//! Messages for people in their own language. The code speaks plain English; a [`Language`] is a list of phrases with
//! their translations, read from JSON. `resources/languages/README.md` tells a translator how to write one.
//!
//! A phrase may have placeholders (`{1}`): it then stands for every message of that shape, and its parts are carried
//! over, translated themselves where they are phrases. What is not in the list stays English.

use super::files;
use once_cell::sync::Lazy;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    fmt, io,
    path::Path,
    sync::Arc,
};

/// The languages built in, English apart.
const BUILT_IN: &[(&str, &str)] = &[
    ("ja", include_str!("../../resources/languages/ja.json")),
    ("zh", include_str!("../../resources/languages/zh.json")),
];

static READ: [Lazy<Arc<Language>>; BUILT_IN.len()] = [Lazy::new(|| built_in_at(0)), Lazy::new(|| built_in_at(1))];

fn built_in_at(index: usize) -> Arc<Language> {
    let (code, text) = BUILT_IN[index];
    Arc::new(Language { code, ..Language::read(text).expect("a test reads the phrases") })
}

/// Larger files are no lists of phrases.
const LARGEST_FILE: u64 = 4 << 20;
/// A reason within a reason within a reason: deeper than that nothing is nested.
const DEEPEST: usize = 4;
/// Of so many colons in a message one may stand before a phrase.
const MOST_COLONS: usize = 8;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Language {
    /// `ja`, `zh`; empty for English and for files.
    code: &'static str,
    phrases: HashMap<String, String>,
    /// Those with most words of their own first.
    templates: Vec<Template>,
}

#[derive(Debug, thiserror::Error)]
pub enum BadLanguage {
    #[error("there is no language `{0}`: it takes en, ja, zh or a file of phrases")]
    Unknown(String),
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error("{path}: {error}")]
    Phrases { path: String, error: BadPhrases },
}

/// Why a text is no list of phrases.
#[derive(Debug, thiserror::Error)]
pub enum BadPhrases {
    #[error("not JSON: {0}")]
    NotJson(serde_json::Error),
    #[error("not one object of texts: {0}")]
    NotTexts(serde_json::Error),
    #[error("`{0}` is a duplicate key")]
    Twice(String),
    #[error("`{phrase}`: `{found}` is not a placeholder (number, word and raw are the kinds)")]
    Kind { phrase: String, found: String },
    #[error("`{0}` has a placeholder twice, or two side by side")]
    Ambiguous(String),
    #[error("`{0}` has no words beside its placeholders")]
    Wordless(String),
    #[error("`{0}` and its translation do not have the same placeholders")]
    Disagreement(String),
}

/// What a placeholder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    /// Any text, translated if it is a phrase.
    Text,
    /// The same without blanks.
    Word,
    /// Digits with sign and point.
    Number,
    /// Any text, carried over as it is; so is everything between backquotes.
    Raw,
}

/// A piece of a phrase.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Words(String),
    Part(u8, Slot),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Template {
    /// What comes before the first part.
    head: String,
    /// Every part with the words behind it; only the last may have none.
    parts: Vec<(Slot, String)>,
    /// The translation; parts by their place in `parts`.
    output: Vec<Result<String, usize>>,
    /// Bytes of the phrase's own words.
    weight: usize,
}

impl Language {
    pub fn english() -> Arc<Language> {
        Arc::default()
    }

    /// The language of the system's settings, as `LC_ALL=zh_CN.UTF-8` names it, if there is one here.
    pub fn of_locale(locale: &str) -> Option<&'static str> {
        let word = locale.split(['_', '.', '@', '-']).next()?;
        BUILT_IN.iter().map(|(code, _)| *code).find(|code| code.eq_ignore_ascii_case(word))
    }

    /// `en`, `ja`, `zh`, or the file of this name; with the name as it is to be shown.
    pub fn named(name: &str) -> Result<(String, Arc<Language>), BadLanguage> {
        if name.eq_ignore_ascii_case("en") {
            return Ok(("en".into(), Language::english()));
        }
        if let Some(index) = BUILT_IN.iter().position(|(code, _)| name.eq_ignore_ascii_case(code)) {
            return Ok((BUILT_IN[index].0.into(), READ[index].clone()));
        }
        let path = || shortened(name);
        match files::read_text(Path::new(name), LARGEST_FILE) {
            Ok(text) => match Language::read(text.trim_start_matches('\u{feff}')) {
                Ok(language) => Ok((name.into(), Arc::new(language))),
                Err(error) => Err(BadLanguage::Phrases { path: path(), error }),
            },
            // Most who name no file meant a language.
            Err(e)
                if [io::ErrorKind::NotFound, io::ErrorKind::InvalidInput, io::ErrorKind::InvalidFilename]
                    .contains(&e.kind()) =>
            {
                Err(BadLanguage::Unknown(path()))
            }
            Err(error) => Err(BadLanguage::File { path: path(), error }),
        }
    }

    /// Reads a list of phrases: one JSON object of texts.
    pub fn read(text: &str) -> Result<Language, BadPhrases> {
        let Phrases(list) = serde_json::from_str(text).map_err(|e| match e.classify() {
            serde_json::error::Category::Data => BadPhrases::NotTexts(e),
            _ => BadPhrases::NotJson(e),
        })?;
        let mut language = Language::default();
        let mut seen = std::collections::HashSet::new();
        for (phrase, translation) in list {
            if !seen.insert(phrase.clone()) {
                return Err(BadPhrases::Twice(shortened(&phrase)));
            }
            let (key, output) = (pieces(&phrase, &phrase)?, pieces(&phrase, &translation)?);
            // Not translated yet.
            if translation.is_empty() {
                continue;
            }
            if key.iter().chain(&output).all(|piece| matches!(piece, Piece::Words(_))) {
                language.phrases.insert(phrase, translation);
            } else {
                language.templates.push(Template::new(&phrase, &key, &output)?);
            }
        }
        language.templates.sort_by_key(|template| std::cmp::Reverse(template.weight));
        Ok(language)
    }

    /// Which of the languages that are built in this is; English is `en`, and so is what a file does not say.
    pub fn code(&self) -> &'static str {
        if self.code.is_empty() { "en" } else { self.code }
    }

    /// A message in this language, or as it is.
    pub fn say<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.find(text, 0).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Whether there is a translation.
    #[cfg(test)]
    pub fn knows(&self, text: &str) -> bool {
        self.find(text, 0).is_some()
    }

    fn find(&self, text: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST || (self.phrases.is_empty() && self.templates.is_empty()) {
            return None;
        }
        if let Some(said) = self.phrase(text, depth) {
            return Some(said);
        }
        // `FILE: reason`, `OPTION: reason`: what stands before the reason is not ours.
        let first = text.find(": ")?;
        let colons = text.match_indices(": ").take(MOST_COLONS);
        colons.into_iter().find_map(|(at, colon)| {
            let (before, reason) = text.split_at(at + colon.len());
            let said = self.phrase(reason, depth + 1)?;
            // Unless it is a place: `line 3, column 5`.
            let place = self.template(&text[..first], depth + 1).unwrap_or_else(|| text[..first].to_owned());
            Some(format!("{place}{}{said}", &before[first..]))
        })
    }

    fn phrase(&self, text: &str, depth: usize) -> Option<String> {
        self.phrases.get(text).cloned().or_else(|| self.template(text, depth))
    }

    fn template(&self, text: &str, depth: usize) -> Option<String> {
        let (template, parts) = self.templates.iter().find_map(|t| t.parts_of(text).map(|parts| (t, parts)))?;
        let part = |index: usize| match template.parts[index].0 {
            Slot::Number | Slot::Raw => Cow::Borrowed(parts[index]),
            Slot::Text | Slot::Word => {
                self.find(parts[index], depth + 1).map_or(Cow::Borrowed(parts[index]), Cow::Owned)
            }
        };
        Some(
            template
                .output
                .iter()
                .map(|piece| match piece {
                    Ok(words) => Cow::Borrowed(words.as_str()),
                    Err(index) => part(*index),
                })
                .collect(),
        )
    }
}

impl Template {
    fn new(phrase: &str, key: &[Piece], output: &[Piece]) -> Result<Template, BadPhrases> {
        let mut template = Template { head: String::new(), parts: vec![], output: vec![], weight: 0 };
        let mut places = BTreeMap::new();
        let words_at = |i: Option<usize>| match i.and_then(|i| key.get(i)) {
            Some(Piece::Words(words)) => words.as_str(),
            _ => "",
        };
        for (i, piece) in key.iter().enumerate() {
            match (piece, template.parts.last_mut()) {
                (Piece::Words(words), None) => template.head = words.clone(),
                (Piece::Words(words), Some((_, behind))) => behind.clone_from(words),
                (Piece::Part(_, _), Some((_, behind))) if behind.is_empty() => {
                    return Err(BadPhrases::Ambiguous(shortened(phrase)));
                }
                (Piece::Part(number, slot), _) => {
                    if places.insert(*number, template.parts.len()).is_some() {
                        return Err(BadPhrases::Ambiguous(shortened(phrase)));
                    }
                    let quoted = words_at(i.checked_sub(1)).ends_with('`') && words_at(Some(i + 1)).starts_with('`');
                    let slot = if quoted && *slot == Slot::Text { Slot::Raw } else { *slot };
                    template.parts.push((slot, String::new()));
                }
            }
        }
        let words = || std::iter::once(&template.head).chain(template.parts.iter().map(|(_, words)| words));
        if !words().any(|words| words.contains(char::is_alphabetic)) {
            return Err(BadPhrases::Wordless(shortened(phrase)));
        }
        template.weight = words().map(String::len).sum();
        let mut used = BTreeMap::new();
        for piece in output {
            template.output.push(match piece {
                Piece::Words(words) => Ok(words.clone()),
                Piece::Part(number, _) => {
                    let place = places.get(number).ok_or_else(|| BadPhrases::Disagreement(shortened(phrase)))?;
                    used.insert(*number, *place);
                    Err(*place)
                }
            });
        }
        if used == places { Ok(template) } else { Err(BadPhrases::Disagreement(shortened(phrase))) }
    }

    /// The parts of a message of this shape. Every part ends where the words behind it first stand, so the time
    /// grows with the length of the text alone.
    fn parts_of<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let mut rest = text.strip_prefix(self.head.as_str())?;
        let ((_, ending), before) = self.parts.split_last()?;
        if !rest.ends_with(ending.as_str()) {
            return None;
        }
        let mut parts = Vec::with_capacity(self.parts.len());
        for (i, (slot, behind)) in self.parts.iter().enumerate() {
            let last = i == before.len();
            let length = match slot {
                Slot::Number => number_length(rest),
                _ if last => rest.len().checked_sub(behind.len())?,
                _ => rest.find(behind.as_str())?,
            };
            let (part, after) = rest.split_at_checked(length)?;
            let fits = match slot {
                Slot::Number => !part.is_empty(),
                Slot::Word => !part.is_empty() && !part.contains(char::is_whitespace),
                Slot::Text | Slot::Raw => true,
            };
            rest = after.strip_prefix(behind.as_str()).filter(|_| fits)?;
            parts.push(part);
        }
        rest.is_empty().then_some(parts)
    }
}

/// The length of the number a text begins with; a point that ends a sentence is not a part of it.
fn number_length(text: &str) -> usize {
    let signs = text.len() - text.trim_start_matches(['+', '-']).len();
    let digits = text[signs..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len() - signs);
    let number = text[..signs + digits].trim_end_matches('.');
    if number.ends_with(|c: char| c.is_ascii_digit()) { number.len() } else { 0 }
}

/// Splits a phrase or its translation at its placeholders: `{1}`, `{2:number}`. Other braces are words.
fn pieces(phrase: &str, text: &str) -> Result<Vec<Piece>, BadPhrases> {
    let (mut pieces, mut words, mut rest) = (vec![], String::new(), text);
    while let Some(at) = rest.find('{') {
        words.push_str(&rest[..at]);
        rest = &rest[at..];
        let inside = rest[1..].find('}').map(|end| &rest[1..=end]);
        let Some((number, kind)) = inside.and_then(placeholder) else {
            words.push('{');
            rest = &rest[1..];
            continue;
        };
        let slot = match kind {
            "" => Slot::Text,
            "word" => Slot::Word,
            "number" => Slot::Number,
            "raw" => Slot::Raw,
            _ => {
                let found = shortened(&format!("{{{}}}", inside.unwrap_or_default()));
                return Err(BadPhrases::Kind { phrase: shortened(phrase), found });
            }
        };
        if !words.is_empty() {
            pieces.push(Piece::Words(std::mem::take(&mut words)));
        }
        pieces.push(Piece::Part(number, slot));
        rest = &rest[inside.unwrap_or_default().len() + 2..];
    }
    words.push_str(rest);
    if !words.is_empty() {
        pieces.push(Piece::Words(words));
    }
    Ok(pieces)
}

/// `1`, `12:number`: the number and what kind of part it is.
fn placeholder(inside: &str) -> Option<(u8, &str)> {
    let (number, kind) = inside.split_once(':').unwrap_or((inside, ""));
    let plain = (1..=2).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| number.parse().ok())?.map(|number| (number, kind))
}

/// For a message of one line.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String = text.chars().take(LONGEST).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

/// The entries of a file in their order: a map would drop one that stands twice.
struct Phrases(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Phrases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Phrases, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Phrases;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Phrases, A::Error> {
                let mut list = vec![];
                while let Some((phrase, said)) = map.next_entry::<String, serde_json::Value>()? {
                    let serde_json::Value::String(said) = said else {
                        return Err(de::Error::custom(format!("`{}` has no text", shortened(&phrase))));
                    };
                    list.push((phrase, said));
                }
                Ok(Phrases(list))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// The phrases of a language built in, with their translations: for the tests that hold them against the code.
#[cfg(test)]
pub fn built_in(name: &str) -> Vec<(String, String)> {
    let (_, text) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name).expect("a language built in");
    let Phrases(list) = serde_json::from_str(text).expect("a list of phrases");
    list
}

/// The words of a phrase, without its placeholders.
#[cfg(test)]
pub fn words_of(phrase: &str) -> Vec<String> {
    let words = |piece| match piece {
        Piece::Words(words) => Some(words),
        Piece::Part(..) => None,
    };
    pieces(phrase, phrase).expect("well formed").into_iter().filter_map(words).collect()
}

#[cfg(test)]
mod tests;
