//! Keeps a promise of the house: whatever is `unsafe` says beside it why it is sound.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// So many lines may lie between the note and what it is about.
const NEAR: usize = 8;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the source") {
        let path = entry.expect("an entry").path();
        match path.extension().and_then(|e| e.to_str()) {
            _ if path.is_dir() => sources(&path, found),
            Some("rs") => found.push(path),
            _ => {}
        }
    }
}

/// The code of a line: what is neither a comment nor a text.
fn code(line: &str) -> String {
    let line = line.split("//").next().unwrap_or_default();
    line.split('"').step_by(2).collect()
}

/// The numbers of lines with an `unsafe` that says nothing.
fn silent(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let is_unsafe =
        |line: &str| code(line).split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
    let explained = |number: usize| {
        let before = &lines[number.saturating_sub(NEAR)..=number];
        before.iter().any(|line| line.contains("SAFETY:") || line.contains("# Safety"))
    };
    (0..lines.len()).filter(|&number| is_unsafe(lines[number]) && !explained(number)).map(|n| n + 1).collect()
}

#[test]
fn every_unsafe_says_why_it_is_sound() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    ["src", "examples", "fuzz", "protocol-tests"].iter().for_each(|folder| sources(&root.join(folder), &mut files));
    assert!(files.len() > 200, "the test must see the code: {} files", files.len());
    let complaints: Vec<String> = files
        .iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).expect("source is text");
            let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
            silent(&text).into_iter().map(move |line| format!("{name}:{line}"))
        })
        .collect();
    assert_eq!(complaints, [] as [String; 0], "no SAFETY note here");
}

#[test]
fn a_silent_unsafe_is_seen() {
    assert_eq!(silent("fn f() {\n    unsafe { g() }\n}\n"), [2]);
    assert_eq!(silent("    // SAFETY: always.\n    unsafe { g() }\n"), [] as [usize; 0]);
    assert_eq!(silent("// unsafe\nlet text = \"unsafe\";\n#![expect(unsafe_code)]\n"), [] as [usize; 0]);
}
