//! The shipped problems: every score right, with one thread and with two, and a wrong one is noticed.

use std::{path::PathBuf, process::Command};

fn shipped() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("resources/problems/empties-8-20.obf")
}

fn solve(file: &PathBuf, threads: &str) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_shirokuro"))
        .args(["solve", "--threads", threads, "--hash", "20"])
        .arg(file)
        .output()
        .expect("the built program starts");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

#[test]
fn every_score_is_right() {
    let (table, code) = solve(&shipped(), "2");
    assert_eq!(code, Some(0), "{table}");
    assert!(table.contains("340 scores compared, 0 wrong, 0 unsolved"), "{table}");
}

/// The easy half with one thread, the first score falsified: one row is marked, and the exit code tells.
#[test]
fn a_wrong_score_is_noticed() {
    let text = std::fs::read_to_string(shipped()).expect("the shipped problems");
    let mut lines: Vec<String> = text.lines().take(170).map(str::to_owned).collect();
    assert!(lines[0].ends_with("B8:-32;"), "{}", lines[0]);
    lines[0] = lines[0].replace("B8:-32;", "B8:-30;");
    let file = std::env::temp_dir().join(format!("shirokuro-problems-{}.obf", std::process::id()));
    std::fs::write(&file, lines.join("\n")).expect("a temporary file");
    let (table, code) = solve(&file, "1");
    let _ = std::fs::remove_file(&file);
    assert_eq!(code, Some(1), "{table}");
    assert_eq!(table.matches("WRONG").count(), 1, "{table}");
    assert!(table.contains("170 scores compared, 1 wrong, 0 unsolved"), "{table}");
}
