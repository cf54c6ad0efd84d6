//! Tests of the built program, seen from outside: transcripts of whole dialogues, a match of the
//! program against itself, and how soon it stops.

mod batch;
mod browser;
mod empty;
mod lifecycle;
mod pictures;
mod problems;
mod process;
mod readme;
#[expect(dead_code, reason = "the tests need only a part of it")]
#[path = "../src/base/rng.rs"]
mod rng;
mod selfplay;
mod servers;
mod stopping;
mod terminal;
mod transcript;
mod trust;

use std::path::Path;

/// Runs every transcript of one folder and reports all that differ.
fn folder(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-tests").join(name);
    let failures = transcript::run_folder(&path, std::env::var_os("UPDATE").is_some());
    assert!(failures.is_empty(), "{} transcripts differ:\n\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn gtp() {
    folder("gtp");
}

#[test]
fn go() {
    folder("go");
}

#[test]
fn nboard() {
    folder("nboard");
}

#[test]
fn console() {
    folder("console");
}

#[test]
fn book() {
    folder("book");
}

#[test]
fn json() {
    folder("json");
}

#[test]
fn katago() {
    folder("katago");
}

#[test]
fn uci() {
    folder("uci");
}

#[test]
fn standalone() {
    folder("standalone");
}
