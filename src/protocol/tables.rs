//! Reports and numbers as text and as JSON: one look in every protocol.

use crate::{
    base::{
        Cell, Language, PerLabel, PerPoint, Report, Table, Way,
        settings::{SettingView, Value},
    },
    engine::{Bound, Depth, Line, WorkDone},
};
use serde_json::{Map, Value as Json, json};
use unicode_width::UnicodeWidthStr;

/// A report in English, as lines without a final newline.
pub fn text(report: &Report) -> String {
    text_in(&Language::default(), report)
}

/// The same for people: what the program says itself is in their language, data stay as they are.
pub fn text_in(language: &Language, report: &Report) -> String {
    match report {
        Report::Nothing => String::new(),
        Report::Text(text) => text.clone(),
        Report::Sentence(sentence) => language.say(sentence).into_owned(),
        Report::Table(table) => table_in(language, table),
        Report::Points(points) => points_text(points),
        Report::Labels(labels) => labels_text(labels),
        Report::OnBoard(board) => text_in(language, &board.report),
        Report::Names(names) => names.join(" "),
        Report::Chains(chains) => chains.iter().map(|chain| chain.join(" ")).collect::<Vec<_>>().join("\n"),
        Report::Score(score) => score_text(*score),
        Report::Several(parts) => {
            let texts = parts.iter().map(|part| text_in(language, part)).filter(|t| !t.is_empty());
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

/// A row of the board a line, `""` where there is nothing to say: as GoGui reads boards.
fn points_text(points: &PerPoint) -> String {
    let decimals = usize::from(points.decimals);
    let one = |value: &Option<f32>| value.map(|v| without_minus_zero(format!("{v:.decimals$}")));
    board_text(points.width, points.values.iter().map(one))
}

fn board_text(width: usize, words: impl Iterator<Item = Option<String>>) -> String {
    let words: Vec<String> = words.map(|word| word.unwrap_or_else(|| "\"\"".into())).collect();
    words.chunks(width.max(1)).map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")
}

fn labels_text(labels: &PerLabel) -> String {
    let words: Vec<&str> = labels.labels.iter().map(|label| label.as_deref().unwrap_or("\"\"")).collect();
    words.chunks(labels.width.max(1)).map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")
}

/// The same report with the last row first, as front ends want it whose first row is at the bottom.
pub fn from_the_bottom(report: &Report) -> Report {
    fn turned<T: Clone>(cells: &[T], width: usize) -> Vec<T> {
        cells.chunks(width.max(1)).rev().flatten().cloned().collect()
    }
    match report {
        Report::Points(points) => {
            Report::Points(PerPoint { values: turned(&points.values, points.width), ..points.clone() })
        }
        Report::Labels(PerLabel { width, labels }) => {
            Report::Labels(PerLabel { width: *width, labels: turned(labels, *width) })
        }
        other => other.clone(),
    }
}

fn rounded(value: Option<f32>, decimals: u8) -> Json {
    let scale = 10f64.powi(i32::from(decimals));
    value.map_or(Json::Null, |value| json!((f64::from(value) * scale).round() / scale + 0.0))
}

/// Black's lead as Go writes results: `B+10`, `W+4`, `0`.
pub fn score_text(score: f64) -> String {
    match score {
        s if s > 0.0 => format!("B+{s}"),
        s if s < 0.0 => format!("W+{}", -s),
        _ => "0".into(),
    }
}

/// How far long work has come. Whole sentences, so that they can be translated.
pub fn work(done: &WorkDone) -> String {
    let WorkDone { work, done: number, waiting, positions, .. } = done;
    let rate = done.per_second();
    match done.left() {
        Some(left) => format!(
            "{work}: {number} done ({rate:.1}/s), {waiting} waiting, {positions} positions, about {} s left",
            left.as_secs()
        ),
        None => format!("{work}: {number} done ({rate:.1}/s), {waiting} waiting, {positions} positions"),
    }
}

pub fn table_text(table: &Table) -> String {
    table_in(&Language::default(), table)
}

/// The cells of a table as text, the heading first.
pub struct Cells {
    pub rows: Vec<Vec<String>>,
    /// Columns of numbers, which stand to the right.
    pub numeric: Vec<bool>,
}

impl Cells {
    pub fn new(language: &Language, table: &Table) -> Cells {
        let columns = table.columns.len().max(table.rows.iter().map(Vec::len).max().unwrap_or(0));
        let heading: Vec<String> = table.columns.iter().map(|c| language.say(c).into_owned()).collect();
        let mut rows: Vec<Vec<String>> = vec![];
        if !heading.is_empty() && !table.rows.is_empty() {
            rows.push(heading);
        }
        rows.extend(table.rows.iter().map(|row| row.iter().map(|cell| cell_text(language, cell)).collect()));
        Cells { rows, numeric: (0..columns).map(|c| is_numeric(table, c)).collect() }
    }

    pub fn widths(&self) -> Vec<usize> {
        let width =
            |c| self.rows.iter().filter_map(|row| row.get(c)).map(|text: &String| text.width()).max().unwrap_or(0);
        (0..self.numeric.len()).map(width).collect()
    }
}

/// Title, heading, aligned rows, notes. Numbers stand to the right of their column; the last column is not padded.
pub fn table_in(language: &Language, table: &Table) -> String {
    let cells = Cells::new(language, table);
    let widths = cells.widths();
    let mut lines = vec![];
    if !table.title.is_empty() {
        lines.push(language.say(&table.title).into_owned());
    }
    lines.extend(cells.rows.iter().map(|row| aligned(row, &widths, &cells.numeric)));
    lines.extend(table.notes.iter().map(|note| language.say(note).into_owned()));
    lines.join("\n")
}

fn aligned(row: &[String], widths: &[usize], numeric: &[bool]) -> String {
    let mut line = String::new();
    for (c, cell) in row.iter().enumerate() {
        if c > 0 {
            line.push_str("  ");
        }
        let gap = " ".repeat(widths[c] - cell.width());
        if numeric[c] {
            line.push_str(&gap);
            line.push_str(cell);
        } else {
            line.push_str(cell);
            line.push_str(&gap);
        }
    }
    line.trim_end().to_owned()
}

/// A column of numbers, perhaps with gaps.
fn is_numeric(table: &Table, column: usize) -> bool {
    let mut cells = table.rows.iter().filter_map(|row| row.get(column)).filter(|c| !matches!(c, Cell::Nothing));
    cells.clone().next().is_some() && cells.all(|c| !matches!(c, Cell::Text(_) | Cell::Phrase(_) | Cell::Ways { .. }))
}

fn cell_text(language: &Language, cell: &Cell) -> String {
    match cell {
        Cell::Text(text) | Cell::Ways { text, .. } => text.clone(),
        Cell::Phrase(words) => language.say(words).into_owned(),
        Cell::Whole(n) => n.to_string(),
        Cell::Real(x, decimals) => without_minus_zero(format!("{x:.*}", usize::from(*decimals))),
        Cell::Discs(x) => discs(*x, x.fract() == 0.0),
        Cell::Nothing => "-".into(),
    }
}

fn without_minus_zero(text: String) -> String {
    if text.trim_start_matches(['-', '0', '.']).is_empty() { text.replacen('-', "", 1) } else { text }
}

/// Discs with their sign: whole when proven, otherwise with two decimals.
pub fn discs(value: f64, whole: bool) -> String {
    let text = without_minus_zero(if whole { format!("{value:.0}") } else { format!("{value:.2}") });
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// A value as a search gives it: `+2`, `-0.75`, `>=+4`.
pub fn value(line: &Line) -> String {
    let bound = match line.bound {
        Bound::Exact => "",
        Bound::AtLeast => ">=",
        Bound::AtMost => "<=",
    };
    format!("{bound}{}", judged_value(line.value, line.depth))
}

/// A value and the depth it comes from.
pub fn judged_value(value: f64, depth: Depth) -> String {
    discs(value, depth.solved())
}

/// Options as a table.
pub fn settings(rows: &[SettingView]) -> Table {
    Table {
        columns: vec!["option", "value", "default", "takes", "meaning"],
        rows: rows
            .iter()
            .map(|s| {
                vec![
                    s.name.into(),
                    shown(&s.value).into(),
                    shown(&s.default).into(),
                    Cell::phrase(s.kind.to_string()),
                    Cell::phrase(s.help),
                ]
            })
            .collect(),
        ..Table::default()
    }
}

/// An empty text must be seen too.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) if text.is_empty() => "-".into(),
        value => value.to_string(),
    }
}

/// A report as JSON: text stays text, a table becomes an object with one object per row.
pub fn json(report: &Report) -> Json {
    match report {
        Report::Nothing => Json::Null,
        Report::Text(text) => json!(text),
        Report::Sentence(sentence) => json!(sentence),
        Report::Table(table) => table_json(table),
        Report::Points(PerPoint { width, values, decimals }) => {
            let values: Vec<Json> = values.iter().map(|value| rounded(*value, *decimals)).collect();
            json!({ "width": width, "values": values })
        }
        Report::Labels(PerLabel { width, labels }) => json!({ "width": width, "values": labels }),
        Report::OnBoard(board) => json(&board.report),
        Report::Names(names) => json!(names),
        Report::Chains(chains) => json!(chains),
        Report::Score(score) => json!({ "score": score }),
        Report::Several(parts) => parts.iter().map(json).collect(),
    }
}

pub fn table_json(table: &Table) -> Json {
    let rows: Vec<Json> = table
        .rows
        .iter()
        .map(|row| {
            let named = table.columns.iter().zip(row).map(|(name, cell)| ((*name).to_owned(), cell_json(cell)));
            Json::Object(named.collect())
        })
        .collect();
    let mut object = Map::new();
    if !table.title.is_empty() {
        object.insert("title".into(), json!(table.title));
    }
    object.insert("rows".into(), Json::Array(rows));
    if !table.notes.is_empty() {
        object.insert("notes".into(), json!(table.notes));
    }
    Json::Object(object)
}

fn cell_json(cell: &Cell) -> Json {
    match cell {
        Cell::Text(text) => json!(text),
        Cell::Phrase(words) => json!(words),
        Cell::Whole(n) => json!(n),
        Cell::Real(x, _) | Cell::Discs(x) => json!(x),
        Cell::Ways { ways, .. } => ways.iter().map(way_json).collect(),
        Cell::Nothing => Json::Null,
    }
}

/// The facts of a step, and under `next` what may follow it.
fn way_json(way: &Way) -> Json {
    let mut object: Map<String, Json> =
        way.facts.iter().map(|(name, cell)| ((*name).to_owned(), cell_json(cell))).collect();
    if !way.next.is_empty() {
        object.insert("next".into(), way.next.iter().map(way_json).collect());
    }
    Json::Object(object)
}

/// A value of an option.
pub fn value_json(value: &Value) -> Json {
    match value {
        Value::Flag(on) => json!(on),
        Value::Whole(n) => json!(n),
        Value::Real(x) => json!(x),
        Value::Text(text) => json!(text),
    }
}

/// One line, whatever was in it.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Text of several lines without the characters that steer a terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '?' } else { c }).collect()
}

/// Text from outside for a one-line message: no control characters, not endless.
pub fn excerpt(text: &str) -> String {
    excerpt_of(text, 60)
}

/// The same with so many characters at most.
pub fn excerpt_of(text: &str, longest: usize) -> String {
    let clean = |c: char| if c.is_control() { '?' } else { c };
    let mut short: String = text.chars().take(longest).map(clean).collect();
    if text.chars().nth(longest).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        Table {
            title: "Openings".into(),
            columns: vec!["move", "value", "games", "name"],
            rows: vec![
                vec!["f5".into(), Cell::Discs(0.0), 12.into(), "牛".into()],
                vec!["pass".into(), Cell::Discs(-1.25), Cell::Nothing, "Tiger".into()],
            ],
            notes: vec!["2 moves".into()],
        }
    }

    #[test]
    fn columns_are_aligned_and_lines_have_no_blanks_at_the_end() {
        let expected = "Openings\n\
                        move  value  games  name\n\
                        f5       +0     12  牛\n\
                        pass  -1.25      -  Tiger\n\
                        2 moves";
        assert_eq!(table_text(&sample()), expected);
        let both = Report::Several(vec![Report::text("one"), Report::Nothing, Report::Table(Table::default())]);
        assert_eq!(text(&both), "one");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let table = Table {
            columns: vec!["name", "n"],
            rows: vec![vec!["虎".into(), 1.into()], vec!["Tiger".into(), 22.into()]],
            ..Table::default()
        };
        assert_eq!(table_text(&table), "name    n\n虎      1\nTiger  22");
    }

    #[test]
    fn uneven_rows_do_no_harm() {
        let table = Table { columns: vec!["a"], rows: vec![vec![], vec![1.into(), 2.into()]], ..Table::default() };
        assert_eq!(table_text(&table), "a\n\n1  2");
        assert_eq!(table_json(&table), json!({"rows": [{}, {"a": 1}]}));
    }

    #[test]
    fn tables_as_objects() {
        let expected = json!({
            "title": "Openings",
            "rows": [
                {"move": "f5", "value": 0.0, "games": 12, "name": "牛"},
                {"move": "pass", "value": -1.25, "games": null, "name": "Tiger"},
            ],
            "notes": ["2 moves"],
        });
        assert_eq!(table_json(&sample()), expected);
    }

    #[test]
    fn values_have_a_sign_and_decimals_only_when_unproven() {
        assert_eq!([discs(2.0, true), discs(-2.0, true), discs(-0.0, true)], ["+2", "-2", "+0"]);
        assert_eq!([discs(2.0, false), discs(-0.001, false), discs(-0.004, true)], ["+2.00", "+0.00", "+0"]);
    }

    #[test]
    fn excerpts_are_short_and_clean() {
        assert_eq!(excerpt("a\tb\u{1b}"), "a?b?");
        assert_eq!(printable("a\tb\u{1b}[2J\nc\u{9b}\r"), "a\tb?[2J\nc??");
        assert_eq!(excerpt(&"x".repeat(1000)).chars().count(), 61);
    }
}
