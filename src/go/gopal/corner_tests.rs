//! The corner joseki: every sequence is legal, and is followed as candidates move by move, in every corner.

use super::frame::{self, Frame};
use super::{Follower, Library};
use crate::base::Colour;
use crate::go::{GoGame, Point, Rules, point::Geometry};
use crate::gopal::ast::{Candidate, Expr, Moves, Pattern, Sequence, Step};
use crate::gopal::{self, Local};
use std::{collections::BTreeSet, sync::Arc};

const TEXT: &str = include_str!("../../../resources/gopal/corners.gopal");
const SIZE: usize = 19;

/// A move with its intent and weight.
type Ply = (Local, String, i64);

fn library() -> Arc<Library> {
    Arc::new(Library::from_text("corners", TEXT).unwrap_or_else(|fault| panic!("{fault}")))
}

fn written(moves: &Moves) -> impl Iterator<Item = Ply> + '_ {
    moves.points.iter().map(|point| match point {
        Expr::Point(local, _) => (*local, moves.intent.text.clone(), moves.weight),
        other => panic!("{other} is no point"),
    })
}

/// All lines of a sequence, each to its end, as they are written.
fn lines(sequences: &[Sequence]) -> Vec<Vec<Ply>> {
    let begin = |sequence: &Sequence| {
        let rest = rests(&sequence.then);
        written(&sequence.first).flat_map(|first| with_first(&first, &rest)).collect::<Vec<_>>()
    };
    sequences.iter().flat_map(begin).collect()
}

fn with_first(first: &Ply, rest: &[Vec<Ply>]) -> Vec<Vec<Ply>> {
    let whole = |line: &Vec<Ply>| std::iter::once(first.clone()).chain(line.iter().cloned()).collect();
    if rest.is_empty() { vec![vec![first.clone()]] } else { rest.iter().map(whole).collect() }
}

fn rests(steps: &[Step]) -> Vec<Vec<Ply>> {
    let mut all = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Branch { candidates, .. } => {
                let ways = |candidate: &Candidate| lines(&candidate.sequences);
                all.extend(candidates.iter().flat_map(ways));
            }
            Step::Next { moves, .. } => {
                let rest = rests(&steps[i + 1..]);
                all.extend(written(moves).flat_map(|next| with_first(&next, &rest)));
                break;
            }
        }
    }
    all
}

/// The stone that stands in the corner, with whether it belongs to the side to move.
fn stone(pattern: &Pattern) -> Option<(Local, bool)> {
    let text = pattern.condition.to_string();
    let rest = text.strip_prefix("state(p")?;
    let (name, rest) = rest.split_once(')')?;
    let column = name.as_bytes()[0] - b'a' + 1;
    Some((Local::new(column, name[1..].parse().ok()?)?, rest.starts_with(" = friend")))
}

fn corner(geometry: Geometry, symmetry: u8) -> impl Fn(Local) -> Point {
    let (column, row) = frame::corner(geometry.size(), symmetry);
    let anchor = Local { column: 1, row: 1 };
    let frame = Frame { symmetry, anchor, column: column as u8, row: row as u8 };
    move |local| frame.point(geometry, local).unwrap()
}

/// The game in which only the stone of a pattern stands, with the other side to move if it is the enemy's.
fn start(pattern: &Pattern, at: &impl Fn(Local) -> Point) -> GoGame {
    let mut game = GoGame::new(SIZE, Rules::CHINESE, 6.5).unwrap();
    if let Some((local, friend)) = stone(pattern) {
        game.play(Colour::Black, at(local)).unwrap();
        if friend {
            game.play(Colour::White, Point::PASS).unwrap();
        }
    }
    game
}

#[test]
fn every_sequence_is_legal_and_followed_move_by_move() {
    let library = library();
    let program = gopal::parse(TEXT).unwrap().program;
    let mut known: BTreeSet<(String, Vec<Local>)> = BTreeSet::new();
    for pattern in &program.patterns {
        for line in lines(&pattern.candidate.sequences) {
            let named = (pattern.name.text.clone(), line.iter().map(|step| step.0).collect());
            assert!(known.insert(named), "{} has a line twice: {line:?}", pattern.name.text);
            for symmetry in 0..8 {
                follow(&library, pattern, &line, symmetry);
            }
        }
    }
    let long = known.iter().filter(|(_, line)| line.len() >= 2).count();
    assert!(long >= 60, "{long} sequences");
    for (name, least) in [("star_approached", 30), ("komoku_approached", 30), ("sansan_approached", 5)] {
        let count = known.iter().filter(|(pattern, _)| pattern == name).count();
        assert!(count >= least, "{name}: {count} sequences");
    }
}

fn follow(library: &Arc<Library>, pattern: &Pattern, line: &[Ply], symmetry: u8) {
    let geometry = Geometry::new(SIZE).unwrap();
    let at = corner(geometry, symmetry);
    let mut game = start(pattern, &at);
    let mut follower = Follower::new(library.clone(), &game);
    for (i, (local, intent, weight)) in line.iter().enumerate() {
        follower.follow(&game);
        let board = game.board();
        let all = follower.forest().all_candidates(board, follower.move_number());
        let known = |c: &super::Candidate| c.point == at(*local) && *c.intent == **intent && c.weight == *weight;
        assert!(all.iter().any(known), "{}: move {} of {line:?} is no candidate", pattern.name.text, i + 1);
        game.play(game.to_move(), at(*local)).unwrap_or_else(|e| panic!("{line:?}: {e}"));
    }
}

#[test]
fn a_handicap_stone_is_approached_and_answered() {
    let mut game = GoGame::new(SIZE, Rules::CHINESE, 0.5).unwrap();
    let at = corner(game.geometry(), 0);
    let name = |column, row| at(Local { column, row });
    let stones = crate::go::handicap::fixed(game.geometry(), 4).unwrap();
    game.place_handicap(&stones).unwrap();
    let mut follower = Follower::new(library(), &game);
    follower.follow(&game);
    assert!(follower.candidates().iter().any(|c| c.point == name(6, 3) && &*c.intent == "sumijoban"));
    game.play(Colour::White, name(6, 3)).unwrap();
    follower.follow(&game);
    let answers = follower.candidates();
    assert_eq!(answers[0].point, name(3, 6), "the knight's answer first");
    // Black plays elsewhere: the approach from the other side is what the tree holds ready.
    game.play(Colour::Black, game.geometry().point(9, 9).unwrap()).unwrap();
    follower.follow(&game);
    let reason = |c: &super::Candidate| (c.point, c.reason);
    let found: Vec<_> = follower.candidates().iter().map(reason).collect();
    assert!(found.contains(&(name(3, 6), super::forest::Reason::Tenuki)), "{found:?}");
}
