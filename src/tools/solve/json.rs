//! Rows as JSON: one object for every position, and one for all of them at the end.

use super::{Row, Totals, published};
use crate::othello::{
    notation::diagram::{Alphabet, board_text},
    records::obf::Problem,
    search::Bound,
};
use serde::Serialize;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Position(Solved<'a>),
    Total(Sum),
}

#[derive(Serialize)]
struct Solved<'a> {
    /// Of the position in the file, from 1.
    number: usize,
    /// 64 squares and the side to move.
    position: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    comment: &'a str,
    empties: u32,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    score: i32,
    bound: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<i32>,
    /// Proven: the search came to its end.
    solved: bool,
    /// Differs from what is expected.
    wrong: bool,
    depth: u32,
    percent: u8,
    pv: Vec<String>,
    nodes: u64,
    made: u64,
    seconds: f64,
    /// Seconds at most; the search is another one than without (see the documentation of `solve`).
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    published: Vec<Published>,
}

/// What another program has needed.
#[derive(Serialize)]
struct Published {
    test: String,
    program: &'static str,
    nodes: u64,
}

#[derive(Serialize)]
struct Sum {
    positions: usize,
    compared: usize,
    wrong: usize,
    unsolved: usize,
    nodes: u64,
    made: u64,
    seconds: f64,
}

pub fn row(number: usize, problem: &Problem, row: &Row, limit: Option<f64>, known: Option<&published::Row>) -> String {
    let line = row.report.lines.first();
    let bound = match row.bound() {
        Bound::Exact => "exact",
        Bound::Lower => "lower",
        Bound::Upper => "upper",
    };
    let depth = line.map(|line| line.depth);
    let published = known.into_iter().flat_map(|known| {
        let test = format!("FFO {}", known.ffo);
        published::PROGRAMS.into_iter().zip(known.nodes).map(move |(program, nodes)| Published {
            test: test.clone(),
            program,
            nodes,
        })
    });
    text(&Line::Position(Solved {
        number,
        position: board_text(problem.position, Alphabet::LETTERS),
        comment: &problem.comment,
        empties: problem.position.board.empty_count(),
        best: line.map(|line| line.best.to_string()),
        score: row.report.value.rounded(),
        bound,
        expected: row.expected,
        solved: row.solved(),
        wrong: row.wrong(),
        depth: depth.map_or(0, |depth| depth.plies),
        percent: depth.map_or(100, |depth| depth.percent),
        pv: line.iter().flat_map(|line| &line.pv).map(|mv| mv.to_string()).collect(),
        nodes: row.report.nodes,
        made: row.report.made,
        seconds: micros(row.time.as_secs_f64()),
        limit,
        published: published.collect(),
    }))
}

pub fn totals(totals: &Totals) -> String {
    let &Totals { positions, compared, wrong, unsolved, nodes, made, time, .. } = totals;
    let seconds = micros(time.as_secs_f64());
    text(&Line::Total(Sum { positions, compared, wrong, unsolved, nodes, made, seconds }))
}

fn micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

fn text(line: &Line<'_>) -> String {
    serde_json::to_string(line).expect("numbers, words and lists of them can be written")
}
