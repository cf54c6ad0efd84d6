//! Keeps the house plan true: every `use` may only point upwards in these lists.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The rooms in dependency order. Those on one line never see each other.
const HOUSE: &[&[&str]] = &[
    &["base"],
    &["engine"],
    &["gopal"],
    &["othello", "go"],
    &["protocol"],
    &["input", "worker"],
    &["session"],
    &["tools"],
    &["cli"],
];

/// The rooms of Othello, likewise.
const OTHELLO: &[&[&str]] = &[
    &["bitboard", "square", "flip"],
    &["board"],
    &["position"],
    &["perft", "notation"],
    &["game"],
    &["eval", "records"],
    &["search"],
    &["book"],
    &["study"],
    &["engine"],
];

/// A reference from one module path to another, such as `othello::search` to `base`.
#[derive(Debug)]
struct Edge {
    file: PathBuf,
    from: Vec<String>,
    to: Vec<String>,
}

#[test]
fn every_module_uses_only_those_above_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut edges = Vec::new();
    collect(&source, &source, &mut edges);
    assert!(edges.len() > 20, "the test must see the code: {} edges", edges.len());
    let wrong: Vec<String> = edges.iter().filter_map(complaint).collect();
    assert!(wrong.is_empty(), "against the house plan:\n{}", wrong.join("\n"));
}

#[test]
fn a_wrong_edge_would_be_found() {
    let edge = |from: &str, to: &str| Edge {
        file: PathBuf::new(),
        from: from.split("::").map(Into::into).collect(),
        to: to.split("::").map(Into::into).collect(),
    };
    assert!(complaint(&edge("othello::search", "go::board")).is_some());
    assert!(complaint(&edge("engine", "session")).is_some());
    assert!(complaint(&edge("othello::eval", "othello::book")).is_some());
    assert!(complaint(&edge("othello::book", "othello::eval")).is_none());
    assert_eq!(
        names_used("use crate::{base::{Rng, clock}, engine::Job};", "crate::"),
        [vec!["base"], vec!["engine", "Job"]]
    );
    assert_eq!(names_used("crate::othello::board::Board", "crate::"), [["othello", "board"]]);
}

fn complaint(Edge { file, from, to }: &Edge) -> Option<String> {
    let judge = |plan: &[&[&str]], a: &str, b: &str| -> bool {
        let floor = |name: &str| plan.iter().position(|rooms| rooms.contains(&name));
        match (floor(a), floor(b)) {
            (Some(a_floor), Some(b_floor)) => a == b || b_floor < a_floor,
            // Names that are no rooms (types passed on by a `mod.rs`) are not judged.
            _ => true,
        }
    };
    let fine = judge(HOUSE, &from[0], &to[0])
        && match (from.get(1), to.get(1)) {
            (Some(a), Some(b)) if from[0] == "othello" && to[0] == "othello" => judge(OTHELLO, a, b),
            _ => true,
        };
    (!fine).then(|| format!("{}: {} uses {}", file.display(), from.join("::"), to.join("::")))
}

fn collect(root: &Path, folder: &Path, edges: &mut Vec<Edge>) {
    for entry in fs::read_dir(folder).expect("the source is readable") {
        let path = entry.expect("the source is readable").path();
        if path.is_dir() {
            collect(root, &path, edges);
            continue;
        }
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if path.extension().is_none_or(|e| e != "rs") || matches!(name, "lib.rs" | "main.rs" | "layers.rs") {
            continue;
        }
        let mut from: Vec<String> = path
            .strip_prefix(root)
            .expect("below the root")
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if from.last().is_some_and(|last| last == "mod") {
            from.pop();
        }
        let text = fs::read_to_string(&path).expect("the source is readable");
        for to in names_used(&text, "crate::") {
            edges.push(Edge { file: path.clone(), from: from.clone(), to });
        }
        // `use super::` at the margin is relative to the file; inside `mod tests` it would mean the file itself.
        for line in text.lines().filter(|line| line.starts_with("use super::")) {
            let parent = &from[..from.len() - 1];
            for names in names_used(line, "use super::") {
                let to: Vec<String> = parent.iter().cloned().chain(names).collect();
                edges.push(Edge { file: path.clone(), from: from.clone(), to });
            }
        }
    }
}

/// The module paths (at most two names) that follow each `prefix` in `text`, groups in braces included.
fn names_used(text: &str, prefix: &str) -> Vec<Vec<String>> {
    let ident = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let path = |s: &str| {
        let first = ident(s);
        let second = s[first.len()..].strip_prefix("::").map(ident).filter(|s| !s.is_empty());
        std::iter::once(first).chain(second).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let rest = &text[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.push(path(rest));
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                c if begins && c.is_alphabetic() => {
                    found.push(path(&group[i..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    found.retain(|names| !names[0].is_empty());
    found
}
