//! Keeps the house plan true. Every path of the source is resolved, through imports and re-exports, to the module that
//! defines what it names; a room may only use rooms above it.

mod resolve;

use resolve::{Edge, Source};
use std::collections::{BTreeMap, BTreeSet};

/// The rooms of a module in dependency order; those on one line never see each other.
type Plan = &'static [&'static [&'static str]];

const CRATE: Plan = &[
    &["base"],
    &["engine", "gopal"],
    &["report"],
    &["othello", "go"],
    &["protocol"],
    &["terminal"],
    &["backlog", "input", "queue", "status", "worker"],
    &["session"],
    &["tools"],
    &["cli", "fuzzing"],
];

const OTHELLO: Plan = &[
    &["square"],
    &["bitboard"],
    &["flip"],
    &["board"],
    &["position"],
    &["perft", "notation"],
    &["game"],
    &["eval", "records"],
    &["search"],
    &["book", "human"],
    &["study"],
    &["explain"],
    &["engine"],
];

/// Modules whose rooms have a fixed order. The rooms of all others may only not go round in circles.
const PLANS: &[(&str, Plan)] = &[("", CRATE), ("othello", OTHELLO)];

/// Modules whose rooms still call each other in circles. Take one off when it is straight; add none.
const ENTANGLED: &[&str] = &[
    "othello::eval",
    "othello::records",
    "othello::search::portable::tree",
    "othello::search::avx2::tree",
    "othello::search::avx512::tree",
    "othello::search::neon::tree",
    "protocol::gtp",
    "tools::tournament",
];

#[test]
fn every_module_uses_only_those_above_it() {
    let source = Source::from_crate();
    let edges = source.edges();
    assert!(edges.len() > 500, "the test must see the code: {} edges", edges.len());
    assert_eq!(complaints(&edges), [] as [String; 0]);
    for parent in ENTANGLED {
        let inside = edges.iter().filter(|edge| edge.parting().is_some_and(|(name, ..)| name == *parent));
        let mut uses: BTreeMap<&str, BTreeMap<&str, &Edge>> = BTreeMap::new();
        inside.filter_map(|edge| Some((edge.parting()?, edge))).for_each(|((_, a, b), edge)| {
            uses.entry(a).or_default().entry(b).or_insert(edge);
        });
        assert!(circle(&uses).is_some(), "`{parent}` is straight now: take it off the list");
    }
}

#[test]
fn the_plans_name_the_rooms_there_are() {
    let source = Source::from_crate();
    for (parent, plan) in PLANS {
        let planned: BTreeSet<&str> = plan.iter().flat_map(|row| row.iter().copied()).collect();
        assert_eq!(planned, source.rooms(parent), "rooms of `{parent}`");
    }
}

/// What is wrong with these edges: against a plan, or round in a circle.
fn complaints(edges: &[Edge]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut siblings: BTreeMap<String, BTreeMap<&str, BTreeMap<&str, &Edge>>> = BTreeMap::new();
    for edge in edges {
        let Some((parent, a, b)) = edge.parting() else { continue };
        match PLANS.iter().find(|(name, _)| *name == parent) {
            Some((_, plan)) if !allowed(plan, a, b) => wrong.push(edge.to_string()),
            Some(_) => {}
            None => {
                siblings.entry(parent).or_default().entry(a).or_default().entry(b).or_insert(edge);
            }
        }
    }
    for (parent, uses) in &siblings {
        if !ENTANGLED.contains(&parent.as_str())
            && let Some(circle) = circle(uses)
        {
            let steps: Vec<String> = circle.iter().map(|edge| format!("  {edge}")).collect();
            wrong.push(format!("a circle of rooms in `{parent}`:\n{}", steps.join("\n")));
        }
    }
    wrong
}

fn allowed(plan: Plan, a: &str, b: &str) -> bool {
    let floor = |name: &str| plan.iter().position(|row| row.contains(&name));
    match (floor(a), floor(b)) {
        (Some(a), Some(b)) => b < a,
        _ => true,
    }
}

/// A way from a room back to itself.
fn circle<'a>(uses: &BTreeMap<&'a str, BTreeMap<&'a str, &'a Edge>>) -> Option<Vec<&'a Edge>> {
    fn walk<'a>(
        uses: &BTreeMap<&'a str, BTreeMap<&'a str, &'a Edge>>,
        room: &'a str,
        path: &mut Vec<(&'a str, Option<&'a Edge>)>,
        done: &mut BTreeSet<&'a str>,
    ) -> Option<Vec<&'a Edge>> {
        for (&next, &edge) in uses.get(room).into_iter().flatten() {
            if let Some(at) = path.iter().position(|(name, _)| *name == next) {
                return Some(path[at + 1..].iter().filter_map(|(_, edge)| *edge).chain([edge]).collect());
            }
            if done.contains(next) {
                continue;
            }
            path.push((next, Some(edge)));
            let found = walk(uses, next, path, done);
            if found.is_some() {
                return found;
            }
            path.pop();
        }
        done.insert(room);
        None
    }
    let mut done = BTreeSet::new();
    uses.keys().find_map(|&room| walk(uses, room, &mut vec![(room, None)], &mut done))
}

/// A made-up house with one use in `othello::eval`, to see what is found in it.
#[cfg(test)]
fn planted(file: &str, text: &str) -> Vec<String> {
    let mut files: BTreeMap<&str, &str> = BTreeMap::from([
        ("lib.rs", "mod base; mod engine; mod othello; mod go; mod protocol; mod session; mod tools;"),
        ("base/mod.rs", "pub struct Rng;"),
        ("engine.rs", "pub struct Job;"),
        ("othello/mod.rs", "pub mod board; pub mod eval; pub mod book; pub use board::Board; pub use book::Book;"),
        ("othello/board.rs", "pub struct Board;"),
        ("othello/eval.rs", ""),
        ("othello/book.rs", "pub struct Book; pub fn open() {}"),
        ("go/mod.rs", "pub mod board; pub mod tree; pub mod player;"),
        ("go/board.rs", "pub struct Point;"),
        ("go/tree.rs", "use super::board::Point;"),
        ("go/player.rs", "use super::tree;"),
        ("protocol/mod.rs", "pub mod gtp; pub mod json;"),
        ("protocol/gtp.rs", ""),
        ("protocol/json.rs", "use super::gtp;"),
        ("session.rs", "pub struct Session;"),
        ("tools/mod.rs", "pub mod bench; pub mod solve;"),
        ("tools/bench.rs", "use super::solve;"),
        ("tools/solve.rs", ""),
    ]);
    files.insert(file, text);
    complaints(&Source::of_files(files).edges())
}

#[test]
fn planted_violations_are_found() {
    for (file, text) in [
        ("othello/eval.rs", "use crate::go::board::Point;"),
        ("othello/eval.rs", "use crate::othello::book::Book;"),
        ("othello/eval.rs", "use crate::{othello::{Board, book::Book}};"),
        (
            "othello/eval.rs",
            "use crate::{\n    base::Rng,\n    othello::{\n        Board,\n        book::open,\n    },\n};",
        ),
        ("othello/eval.rs", "use super::{\n    board::Board,\n    book::{Book},\n};"),
        ("othello/eval.rs", "use super::super::session::Session;"),
        ("othello/eval.rs", "fn f() { super::book::open() }"),
        ("othello/eval.rs", "pub use super::book;"),
        ("othello/eval.rs", "use super::Book;"),
        ("othello/eval.rs", "use crate::othello as game; fn f(_: game::Book) {}"),
        ("othello/eval.rs", "fn f() { println!(\"{}\", crate::session::Session) }"),
        ("othello/eval.rs", "mod inner { use super::super::book::Book; }"),
        ("engine.rs", "use crate::protocol;"),
        ("go/board.rs", "use super::player; pub struct Point;"),
        ("protocol/gtp.rs", "use super::json;"),
        ("tools/solve.rs", "use crate::tools::bench;"),
    ] {
        assert_eq!(planted(file, text).len(), 1, "{file}: {text}\n{:?}", planted(file, text));
    }
}

#[test]
fn what_is_allowed_is_not_complained_about() {
    for (file, text) in [
        ("othello/eval.rs", "use super::Board; use crate::{base::Rng, engine::Job};"),
        ("othello/book.rs", "use super::eval; pub struct Book; pub fn open() {}"),
        ("othello/eval.rs", "#[cfg(test)] mod tests { use crate::othello::book::Book; }"),
        ("othello/eval.rs", "struct Book; fn f(_: Book) {}"),
        ("session.rs", "use crate::{othello::Book, go::player}; pub struct Session;"),
    ] {
        assert_eq!(planted(file, text), [] as [String; 0], "{file}: {text}");
    }
}
