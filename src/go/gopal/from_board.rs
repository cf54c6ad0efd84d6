//! Writes a pattern from the board in hand: the position some moves ago is the condition, the moves since are `with`
//! and `next`.

use super::frame::{Frame, corner};
use crate::go::game::GoGame;
use crate::go::point::{Geometry, Point};
use crate::gopal::Local;
use crate::gopal::ast::{At, Candidate, Expr, Moves, Name, Op, Pattern, Pickup, Place, Program, Sequence, Step};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPattern {
    #[error("the game has only {0} moves")]
    TooShort(usize),
    #[error("a pattern needs one move at least, and no pass")]
    NoMove,
    #[error("the moves do not alternate")]
    Colours,
    #[error("the moves do not fit into one corner of {0} columns and rows")]
    TooWide(u8),
}

/// The columns and rows of a corner.
const WIDTH: u8 = 10;

/// A pattern for the corner in which the last `count` moves of a game were played.
pub fn corner_pattern(name: &str, game: &GoGame, count: usize) -> Result<Program, NoPattern> {
    let all = game.plays();
    let Some(before) = all.len().checked_sub(count) else { return Err(NoPattern::TooShort(all.len())) };
    let plays = &all[before..];
    let (Some(first), true) = (plays.first(), plays.iter().all(|play| !play.point.is_pass())) else {
        return Err(NoPattern::NoMove);
    };
    if plays.windows(2).any(|pair| pair[0].colour == pair[1].colour) {
        return Err(NoPattern::Colours);
    }
    let mut start = game.clone();
    start.back_to(before);
    let geometry = game.geometry();
    let width = WIDTH.min(geometry.size() as u8);
    let inside = |local: &Local| local.column <= width && local.row <= width;
    let frame = frame_around(geometry, first.point);
    let moves: Option<Vec<Local>> = plays.iter().map(|play| frame.local(geometry, play.point).filter(inside)).collect();
    let moves = moves.ok_or(NoPattern::TooWide(width))?;
    let stones: Vec<(Local, bool)> = geometry
        .points()
        .filter_map(|p| {
            let colour = start.board().cell(p).colour()?;
            Some((frame.local(geometry, p).filter(inside)?, colour == first.colour))
        })
        .collect();
    Ok(Program { header: None, patterns: vec![pattern(name, width, &stones, &moves)] })
}

/// The frame of the corner nearest to a point.
fn frame_around(geometry: Geometry, p: Point) -> Frame {
    let size = geometry.size();
    let symmetry = u8::from(2 * geometry.column(p) >= size) | u8::from(2 * geometry.row(p) >= size) << 1;
    let (column, row) = corner(size, symmetry);
    Frame { symmetry, anchor: Local { column: 1, row: 1 }, column: column as u8, row: row as u8 }
}

fn name(text: &str) -> Name {
    Name { text: text.to_ascii_lowercase(), at: At(0) }
}

fn point(local: Local) -> Expr {
    Expr::Point(local, At(0))
}

fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Call { name: name(function), arguments }
}

fn both(op: Op, left: Expr, right: Expr) -> Expr {
    Expr::Binary { op, at: At(0), left: Box::new(left), right: Box::new(right) }
}

fn pattern(title: &str, width: u8, stones: &[(Local, bool)], moves: &[Local]) -> Pattern {
    let [origin, end] = [1, width].map(|n| Local { column: n, row: n });
    let state = |&(local, friend): &(Local, bool)| {
        let colour = Expr::Name(name(if friend { "friend" } else { "enemy" }));
        both(Op::Equal, call("state", vec![point(local)]), colour)
    };
    let side = || Expr::Number(width.into(), At(0));
    let mut area = vec![point(origin), side(), side()];
    area.extend(stones.iter().map(|&(local, _)| point(local)));
    let empty = call("emparea", area);
    let condition = stones.iter().map(state).reduce(|a, b| both(Op::And, a, b));
    let condition = condition.map_or(empty.clone(), |states| both(Op::And, states, empty));
    let turn = |&local: &Local| Moves {
        at: At(0),
        intent: name("sumijoban"),
        weight: 50,
        extra: None,
        points: vec![point(local)],
    };
    let mut turns = moves.iter().map(turn);
    let first = turns.next().into_iter();
    let then: Vec<Step> = turns.map(|moves| Step::Next { moves, tenuki: None }).collect();
    let tarea = if then.is_empty() { vec![] } else { vec![point(origin), point(end)] };
    let sequences = first.map(|first| Sequence { condition: None, tarea: tarea.clone(), first, then: then.clone() });
    Pattern {
        name: name(title),
        phases: vec![],
        place: Place::Corner,
        symmetric: true,
        declarations: vec![],
        pickup: Pickup::None,
        condition,
        candidate: Candidate { sequences: sequences.collect() },
    }
}
