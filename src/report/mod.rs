//! Pages for people: one file that needs no network and no server, in English, Japanese and Chinese.

pub mod game;
pub mod league;
pub mod sheet;

use crate::base::Language;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::sync::{Arc, LazyLock};

static JAPANESE: LazyLock<Arc<Language>> = LazyLock::new(|| language("ja"));
static CHINESE: LazyLock<Arc<Language>> = LazyLock::new(|| language("zh"));

fn language(code: &str) -> Arc<Language> {
    Language::named(code).map_or_else(|_| Language::english(), |(_, language)| language)
}

const STYLE: &str = include_str!("../../resources/report/style.css");
/// Switches the language of a page.
const LANGUAGE: &str = include_str!("../../resources/report/language.js");

/// A sentence of ours in every language; the page shows one of them.
fn say(text: &str) -> Markup {
    html! { span data-ja=(JAPANESE.say(text)) data-zh=(CHINESE.say(text)) { (text) } }
}

/// Words of pictures in the other languages.
fn words(list: &[&str]) -> serde_json::Value {
    let said =
        |word: &&str| ((*word).to_owned(), serde_json::json!({ "ja": JAPANESE.say(word), "zh": CHINESE.say(word) }));
    serde_json::Value::Object(list.iter().map(said).collect())
}

/// A button whose name is only heard.
fn labelled(id: &str, label: &str, text: &str) -> Markup {
    html! {
        button type="button" id=(id) aria-label=(label) title=(label) data-label=(label)
            data-label-ja=(JAPANESE.say(label)) data-label-zh=(CHINESE.say(label)) { (text) }
    }
}

fn page(title: &str, body: Markup, scripts: &[&str]) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    div .tools {
                        (labelled("mono", "black and white", "◐"))
                        button type="button" id="language" { "日本語" }
                    }
                }
                (body)
                script { (PreEscaped(LANGUAGE)) @for script in scripts { (PreEscaped(*script)) } }
            }
        }
    }
    .into_string()
}

/// JSON inside a script element: nothing in it may end the element.
fn embedded(value: &serde_json::Value) -> PreEscaped<String> {
    PreEscaped(value.to_string().replace('<', "\\u003c"))
}

/// A value with its sign: `+2`, `-1.5`, `0`.
pub fn signed(value: f64) -> String {
    let text = crate::base::svg::number((value * 10.0).round() / 10.0);
    if value > 0.0 && text != "0" { format!("+{text}") } else { text }
}
