//! What a terminal can show, and how text is fitted into it.

use crate::{
    base::{Language, Table},
    protocol::tables::Cells,
};
use std::borrow::Cow;
use textwrap::{Options, WordSeparator, WordSplitter, core::Word};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What the terminal can show.
#[derive(Debug, Clone, Copy)]
pub struct Face {
    /// The cursor can be moved: things are drawn again in their place.
    pub moves: bool,
    /// Colours are shown and wanted.
    pub colours: bool,
    /// 256 of them.
    pub many_colours: bool,
    /// Characters beyond ASCII.
    pub unicode: bool,
    /// Columns and rows, now.
    pub size: fn() -> (usize, usize),
}

impl Default for Face {
    /// Lines of text and nothing else.
    fn default() -> Face {
        Face { moves: false, colours: false, many_colours: false, unicode: false, size: || (80, 24) }
    }
}

impl Face {
    /// Columns that may be written to: the last one stays free, so that no terminal begins a new line by itself.
    pub fn width(&self) -> usize {
        (self.size)().0.clamp(20, 1000) - 1
    }
}

/// A line broken at blanks, and in the middle of words that are too long. The lines after the first are indented.
pub fn wrap(line: &str, width: usize, indent: usize) -> Vec<String> {
    if line.width() <= width {
        return vec![line.to_owned()];
    }
    let indent = " ".repeat(indent.min(width / 2));
    // What is indented stays so: only the text behind it is broken.
    let own = line.len() - line.trim_start_matches(' ').len();
    let (own, rest) = line.split_at(own.min(width / 2));
    let options = Options::new(width).initial_indent(own).subsequent_indent(&indent);
    let options = options.word_splitter(WordSplitter::NoHyphenation).word_separator(WordSeparator::Custom(words));
    textwrap::wrap(rest, options).into_iter().map(Cow::into_owned).collect()
}

/// Words end at blanks; Japanese and Chinese have none, and a line may end behind any of their characters that does not
/// open a bracket, before any that does not close one or end a sentence.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let (mut found, mut begin) = (vec![], 0);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let Some(&(_, next)) = chars.peek() else { break };
        let wide = |c: char| c.width() == Some(2);
        let breaks = match (c, next) {
            (' ', next) => next != ' ',
            (c, next) => {
                (wide(c) || wide(next))
                    && next != ' '
                    && !"（「『［".contains(c)
                    && !"、。，；：！？）」』］ー".contains(next)
            }
        };
        if breaks {
            found.push(Word::from(&line[begin..end]));
            begin = end;
        }
    }
    found.push(Word::from(&line[begin..]));
    Box::new(found.into_iter())
}

/// Text of several lines, none wider than this. What follows a broken line is indented a little more than the line. A
/// line that is a single word stays in one piece: the moves of a game or a path is there to be copied.
pub fn wrap_all(text: &str, width: usize) -> String {
    let one = |line: &str| {
        if words(line.trim()).nth(1).is_none() {
            return vec![line.to_owned()];
        }
        let own = line.len() - line.trim_start_matches(' ').len();
        wrap(line, width, if own > 0 { own + 2 } else { 0 })
    };
    text.lines().flat_map(one).collect::<Vec<_>>().join("\n")
}

/// A line cut to this width.
pub fn cut(line: &str, width: usize) -> Cow<'_, str> {
    console::truncate_str(line, width, "…")
}

/// What happens to a last column that is too wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    Cut,
    Wrap,
}

/// Between two columns.
const GAP: usize = 2;
/// No column becomes narrower than this.
const NARROWEST: usize = 10;

/// A table as lines no wider than this: title, heading, aligned rows, notes.
pub fn table_lines(language: &Language, table: &Table, width: usize, last: Last) -> Vec<String> {
    let text = Cells::new(language, table);
    let mut widths = text.widths();
    let count = widths.len();
    // Wide columns give way first, the last one before all.
    loop {
        let total: usize = widths.iter().sum::<usize>() + GAP * count.saturating_sub(1);
        let over = total.saturating_sub(width);
        if over == 0 {
            break;
        }
        let last_one = count.checked_sub(1).filter(|&c| widths[c] > NARROWEST);
        let widest = (0..count).filter(|&c| widths[c] > NARROWEST).max_by_key(|&c| widths[c]);
        let Some(column) = last_one.or(widest) else { break };
        widths[column] = widths[column].saturating_sub(over).max(NARROWEST);
    }
    let mut lines = vec![];
    if !table.title.is_empty() {
        lines.extend(wrap(&language.say(&table.title), width, 2));
    }
    for row in &text.rows {
        lines.extend(
            row_lines(row, &widths, &text.numeric, last).into_iter().map(|line| cut(&line, width).into_owned()),
        );
    }
    lines.extend(table.notes.iter().flat_map(|note| wrap(&language.say(note), width, 0)));
    lines
}

fn row_lines(row: &[String], widths: &[usize], numeric: &[bool], last: Last) -> Vec<String> {
    let mut line = String::new();
    for (c, cell) in row.iter().enumerate() {
        let ends = c + 1 == row.len();
        if ends && last == Last::Wrap && cell.width() > widths[c] {
            let indent = line.width();
            let pieces = wrap(cell, widths[c], 0);
            let joined = pieces.iter().enumerate().map(|(i, piece)| match i {
                0 => format!("{line}{piece}"),
                _ => format!("{}{piece}", " ".repeat(indent)),
            });
            return joined.collect();
        }
        let shown = cut_moves(cell, widths[c]);
        let gap = " ".repeat(widths[c].saturating_sub(shown.width()));
        let (before, after) = if numeric[c] { (gap.as_str(), "") } else { ("", gap.as_str()) };
        line.push_str(&format!("{before}{shown}{after}{}", if ends { "" } else { "  " }));
    }
    vec![line.trim_end().to_owned()]
}

/// Cut, at a blank if there is one: half a move says nothing.
fn cut_moves(cell: &str, width: usize) -> Cow<'_, str> {
    if cell.width() <= width {
        return Cow::Borrowed(cell);
    }
    let short = cut(cell, width);
    match short.rfind(' ').filter(|at| *at > 0) {
        Some(at) => Cow::Owned(format!("{} …", short[..at].trim_end())),
        None => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_words_end_and_wide_characters_count_twice() {
        assert_eq!(wrap("  aaa bbb ccc", 9, 4), ["  aaa bbb", "    ccc"]);
        assert_eq!(wrap("白黒白黒白", 6, 0), ["白黒白", "黒白"]);
        assert_eq!(wrap("deviate: 良い手順（上限）。", 14, 0), ["deviate: 良い", "手順（上限）。"]);
        assert_eq!(wrap("あいう（え）。", 8, 0), ["あいう", "（え）。"]);
        assert_eq!(wrap_all("short\n  one two three", 9), "short\n  one two\n    three");
        let game = "f5d6c3d3c4f4f6b4b3";
        assert_eq!(wrap_all(&format!("two games\n{game}\n  {game}"), 9), format!("two games\n{game}\n  {game}"));
        for width in 10..40 {
            let text = wrap_all("    a-very-long-word-without-any-blank 定石から読み筋を表示します and so on", width);
            assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
        }
    }

    #[test]
    fn tables_fit() {
        let table = Table {
            title: "a title that is long".into(),
            columns: vec!["move", "value", "opening", "expected"],
            rows: vec![vec!["f5".into(), "+1".into(), "ローズビル".into(), "f5 d6 c3 d3 c4".into()]],
            notes: vec!["7 nodes in 0.10 s, 70 a second".into()],
        };
        let english = Language::default();
        let lines = table_lines(&english, &table, 35, Last::Cut);
        assert_eq!(lines[2], "f5    +1     ローズビル  f5 d6 c3 …");
        let lines = table_lines(&english, &table, 35, Last::Wrap);
        assert_eq!(lines[2..4], ["f5    +1     ローズビル  f5 d6 c3", "                         d3 c4"]);
        for (width, last) in (20..80).flat_map(|width| [(width, Last::Cut), (width, Last::Wrap)]) {
            let lines = table_lines(&english, &table, width, last);
            assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:#?}");
        }
        let whole = table_lines(&english, &table, 1000, Last::Cut).join("\n");
        assert_eq!(whole, crate::protocol::tables::table_text(&table));
    }
}
