//! Lays out a program and keeps its comments: the printed program is compared with the text word by word, and each
//! comment goes where the word stands that followed it, or at the end of the line of the word before it.

use super::message::Complaint;
use super::parse::Parsed;
use super::{Fault, parse};

/// How far ahead the two texts are searched for a place where they agree again.
const AHEAD: usize = 60;

#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Comment<'a> {
    text: &'a str,
    /// The number of the word it stands before.
    before: usize,
    /// On the same line as the word in front of it.
    trailing: bool,
    /// An empty line follows.
    gap: bool,
}

struct Scanned<'a> {
    words: Vec<Word<'a>>,
    comments: Vec<Comment<'a>>,
}

fn scan(text: &str) -> Scanned<'_> {
    let (mut words, mut comments): (Vec<Word<'_>>, Vec<Comment<'_>>) = (vec![], vec![]);
    let mut rest = text;
    let mut line_begun = false;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if c == '{' {
            let end = rest.find('}').map_or(rest.len(), |end| end + 1);
            let gap = rest[end..].chars().take_while(|c| c.is_whitespace()).filter(|&c| c == '\n').count() >= 2;
            comments.push(Comment { text: &rest[..end], before: words.len(), trailing: line_begun, gap });
            end
        } else if c.is_whitespace() || c == '\u{feff}' {
            line_begun &= c != '\n';
            c.len_utf8()
        } else {
            let end = if is_name(c) { rest.find(|c| !is_name(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
            words.push(Word { text: &rest[..end], at });
            line_begun = true;
            end
        };
        rest = &rest[length..];
    }
    Scanned { words, comments }
}

fn same(a: &Word<'_>, b: &Word<'_>) -> bool {
    a.text.eq_ignore_ascii_case(b.text)
}

/// For each word of the text the word of the printed program that stands in its place.
fn align(text: &[Word<'_>], printed: &[Word<'_>]) -> Vec<usize> {
    let mut places = Vec::with_capacity(text.len() + 1);
    let (mut i, mut j) = (0, 0);
    while i < text.len() {
        if printed.get(j).is_some_and(|word| same(&text[i], word)) {
            places.push(j);
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (skip, jump) = agree_again(&text[i..], &printed[j.min(printed.len())..]);
        // Words that were written otherwise lie side by side.
        places.extend((0..skip).map(|k| j + k.min(jump.saturating_sub(1))));
        (i, j) = (i + skip, j + jump);
        if skip == 0 && jump == 0 {
            places.push(j);
            i += 1;
        }
    }
    places.push(printed.len());
    places
}

/// The fewest words to leave out of both so that two or more agree; of the text alone where none do.
fn agree_again(text: &[Word<'_>], printed: &[Word<'_>]) -> (usize, usize) {
    for sum in 1..AHEAD {
        for skip in 0..=sum {
            let (a, b) = (text.get(skip..).unwrap_or(&[]), printed.get(sum - skip..).unwrap_or(&[]));
            let agreed = a.iter().zip(b).take(2).take_while(|(a, b)| same(a, b)).count();
            if agreed == 2 || (agreed > 0 && agreed == a.len().min(b.len())) {
                return (skip, sum - skip);
            }
        }
    }
    (0, 0)
}

/// Lines of explanation that lost their braces get them back.
fn with_braces(text: &str, parsed: &Parsed) -> String {
    let bare = |line: usize| {
        let warning = parsed.warnings.iter().find(|w| w.line == line && w.complaint == Complaint::BareComment);
        warning.map(|w| w.column - 1)
    };
    let mended = text.split_inclusive('\n').enumerate().map(|(i, line)| match bare(i + 1) {
        None => line.to_owned(),
        Some(column) => {
            let (before, words): (String, String) =
                (line.chars().take(column).collect(), line.trim_end().chars().skip(column).collect());
            format!("{before}{{ {} }}\n", words.replace(['{', '}'], "").trim())
        }
    });
    mended.collect()
}

/// Lays out a program in the usual way, with its comments. `None` in place of the text: a comment would be lost.
pub fn format(text: &str) -> Result<Option<String>, Fault> {
    let parsed = parse(text)?;
    let braced = with_braces(text, &parsed);
    let printed = parsed.program.to_string();
    let whole = put_back(&braced, &printed);
    let kept = parse(&whole)?.program == parsed.program;
    let comments = |text: &str| scan(text).comments.iter().map(|c| c.text.to_owned()).collect::<Vec<_>>();
    Ok((kept && comments(&whole) == comments(&braced)).then_some(whole))
}

/// The printed program with the comments of the text.
fn put_back(text: &str, printed: &str) -> String {
    let (old, new) = (scan(text), scan(printed));
    let places = align(&old.words, &new.words);
    let line_start = |at: usize| printed[..at].rfind('\n').map_or(0, |end| end + 1);
    let line_end = |at: usize| printed[at..].find('\n').map_or(printed.len(), |end| at + end);
    let at = |word: usize| new.words.get(word).map_or(printed.len(), |word| word.at);
    // What to put in, by place: comments keep their order, so a later one never goes before an earlier one.
    let mut pieces: Vec<(usize, String)> = Vec::new();
    let mut lowest = 0;
    for comment in &old.comments {
        let trails = comment.trailing && comment.before > 0;
        let after = trails.then(|| line_end(at(places[comment.before - 1]))).filter(|&end| end >= lowest);
        let (place, piece) = match after {
            Some(end) => (end, format!(" {}", comment.text)),
            None => {
                let wanted = line_start(at(places[comment.before]));
                let start = if wanted >= lowest { wanted } else { next_line(printed, lowest) };
                let indent: String = printed[start..].chars().take_while(|&c| c == ' ').collect();
                let gap = if comment.gap && indent.is_empty() { "\n" } else { "" };
                (start, format!("{indent}{}\n{gap}", comment.text))
            }
        };
        lowest = place;
        pieces.push((place, piece));
    }
    let mut whole = String::with_capacity(text.len().max(printed.len()));
    let mut done = 0;
    for (place, piece) in pieces {
        whole.push_str(&printed[done..place]);
        if place == printed.len() && !whole.is_empty() && !whole.ends_with('\n') && !piece.starts_with(' ') {
            whole.push('\n');
        }
        whole.push_str(&piece);
        done = place;
    }
    whole.push_str(&printed[done..]);
    whole
}

/// Where the line after a place begins; the place itself if a line begins there.
fn next_line(text: &str, at: usize) -> usize {
    if at == 0 || text[..at].ends_with('\n') {
        return at;
    }
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATTERN: &str = "{ About the file. }

{ About a. }
PATTERN a: { the first } applied_place corner; pickup none;
 { Empty? }
 condition (emparea(pal,4,4)); { all of it }
 candidate
  { One. } with (sumijoban, 20.0) pd4; { the star }
  { Two,
    in two lines. }
  with (sumijoban, 10) pc3;
end_pattern;
{ The end. }
";

    #[test]
    fn comments_stay_with_what_they_are_about() {
        let laid_out = "{ About the file. }

{ About a. }
pattern a; { the first }
  applied_place corner;
  pickup none;
  { Empty? }
  condition emparea(pa1, 4, 4); { all of it }
  candidate
    { One. }
    with (sumijoban, 20, 0) pd4; { the star }
    { Two,
    in two lines. }
    with (sumijoban, 10) pc3;
  end_candidate;
end_pattern;
{ The end. }
";
        assert_eq!(format(PATTERN).unwrap().as_deref(), Some(laid_out));
        assert_eq!(format(laid_out).unwrap().as_deref(), Some(laid_out), "nothing is left to do");
    }

    #[test]
    fn the_shipped_programs_keep_all_their_comments() {
        for text in [
            include_str!("../../resources/gopal/corners.gopal"),
            include_str!("../../resources/gopal/tactics.gopal"),
            include_str!("../../resources/gopal/figure6.gopal"),
            include_str!("../../resources/gopal/as-printed/figure1.gopal"),
            include_str!("../../resources/gopal/as-printed/figure8.gopal"),
        ] {
            let once = format(text).unwrap().expect("all comments are kept");
            assert_eq!(once.matches('{').count(), once.matches('}').count());
            assert!(once.matches('{').count() >= text.matches('{').count());
            assert_eq!(format(&once).unwrap(), Some(once.clone()));
        }
    }

    #[test]
    fn explanations_without_braces_become_comments() {
        let text = include_str!("../../resources/gopal/as-printed/figure1.gopal");
        let once = format(text).unwrap().unwrap();
        let warnings = parse(&once).unwrap().warnings;
        assert!(warnings.is_empty(), "{warnings:?}");
        assert!(once.contains("{ ("), "{once}");
    }

    proptest::proptest! {
        #[test]
        fn comments_anywhere_are_kept(places in proptest::collection::btree_map(0usize..60, 0usize..3, 0..12)) {
            let mut text = String::new();
            for (i, word) in scan(&PATTERN.replace("20.0", "20, 0")).words.iter().enumerate() {
                if let Some(kind) = places.get(&i) {
                    text += ["{ c } ", "\n{ c }\n", " { c }\n\n"][*kind];
                }
                text += word.text;
                text.push(' ');
            }
            let once = format(&text).unwrap().expect("all comments are kept");
            let last = scan(&PATTERN.replace("20.0", "20, 0")).words.len();
            proptest::prop_assert_eq!(once.matches("{ c }").count(), places.keys().filter(|&&i| i < last).count());
            proptest::prop_assert_eq!(parse(&once).unwrap().program, parse(&text).unwrap().program);
        }

        #[test]
        fn any_text_is_laid_out_without_panic(text in "[ -~\n{}（é]{0,80}") {
            let _ = format(&text);
            let _ = format(&(text + PATTERN));
        }
    }
}
