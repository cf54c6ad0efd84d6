//! Writes a pattern from the board in hand: the position some moves ago is the condition, the moves since are `with`
//! and `next`.

use super::frame::{Frame, corner, on_side};
use crate::go::board::Board;
use crate::go::game::{GoGame, Play};
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
    #[error("the pattern does not fit into {0} columns and rows")]
    TooLarge(u8),
    #[error("a pattern for the centre has no point below the fourth line")]
    NotCentral,
}

/// What to write.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub name: &'a str,
    pub place: Place,
    /// The last moves of the game that become candidates.
    pub moves: usize,
    /// What the condition asks about; empty: what lies around the moves.
    pub points: &'a [Point],
}

/// The columns and rows of a corner.
const WIDTH: u8 = 10;
/// Elsewhere: columns and rows around the moves, and the highest row of a side.
const AROUND: u8 = 2;
const HEIGHT: u8 = 5;

/// A pattern for the last moves of a game, seen from the side that made the first of them.
pub fn program(wanted: Wanted<'_>, game: &GoGame) -> Result<Program, NoPattern> {
    let all = game.plays();
    let Some(before) = all.len().checked_sub(wanted.moves) else { return Err(NoPattern::TooShort(all.len())) };
    let plays = &all[before..];
    let (Some(first), true) = (plays.first(), plays.iter().all(|play| !play.point.is_pass())) else {
        return Err(NoPattern::NoMove);
    };
    if plays.windows(2).any(|pair| pair[0].colour == pair[1].colour) {
        return Err(NoPattern::Colours);
    }
    let mut start = game.clone();
    start.back_to(before);
    let writer = Writer { board: start.board(), first: *first, wanted };
    let pattern = if wanted.place == Place::Corner { writer.corner(plays)? } else { writer.elsewhere(plays)? };
    Ok(Program { header: None, patterns: vec![pattern] })
}

struct Writer<'a> {
    board: &'a Board,
    first: Play,
    wanted: Wanted<'a>,
}

impl Writer<'_> {
    fn geometry(&self) -> Geometry {
        self.board.geometry()
    }

    fn locals(&self, frame: &Frame, points: impl Iterator<Item = Point>) -> Option<Vec<Local>> {
        points.map(|p| frame.local(self.geometry(), p)).collect()
    }

    fn corner(&self, plays: &[Play]) -> Result<Pattern, NoPattern> {
        let width = WIDTH.min(self.geometry().size() as u8);
        let frame = frame_around(self.geometry(), self.first.point);
        let inside = |locals: &Vec<Local>| locals.iter().all(|l| l.column <= width && l.row <= width);
        let points = plays.iter().map(|play| play.point);
        let moves = self.locals(&frame, points).filter(inside).ok_or(NoPattern::TooWide(width))?;
        let [low, high] = [1, width].map(|n| Local { column: n, row: n });
        self.pattern(&frame, (low, high), &moves, "sumijoban")
    }

    /// A pattern that slides along a side or over the board; its rectangle lies around the moves and the points.
    fn elsewhere(&self, plays: &[Play]) -> Result<Pattern, NoPattern> {
        let g = self.geometry();
        let place = self.wanted.place;
        let points: Vec<Point> =
            plays.iter().map(|play| play.point).chain(self.wanted.points.iter().copied()).collect();
        let central = |p: &Point| g.line(*p) >= 4;
        if place == Place::Center && !points.iter().all(central) {
            return Err(NoPattern::NotCentral);
        }
        // Seen from the side, or as the board lies: the rectangle that is wanted, then the frame that begins there.
        let symmetry = if place == Place::Side { nearest_side(g, self.first.point) } else { 0 };
        let (column, row) = on_side(g.size(), symmetry, 0);
        let anchor = Local { column: 1, row: 1 };
        let whole = Frame { symmetry, anchor, column: column as u8, row: row as u8 };
        let seen = self.locals(&whole, points.into_iter()).ok_or(NoPattern::TooLarge(Local::LARGEST))?;
        let (low, high) = self.rectangle(&seen);
        let shift = |l: Local| Local { column: l.column + 1 - low.column, row: l.row + 1 - low.row };
        let at = whole.place(low);
        let frame = Frame { column: at.0 as u8, row: at.1 as u8, ..whole };
        let moves: Vec<Local> = seen[..plays.len()].iter().map(|&l| shift(l)).collect();
        let intent = if place == Place::Side { "kakicho" } else { "tatakai" };
        self.pattern(&frame, (shift(low), shift(high)), &moves, intent)
    }

    /// The rectangle around some points: with a margin where the points of the condition are not named. A side begins
    /// at its first line, the centre ends at the fourth.
    fn rectangle(&self, seen: &[Local]) -> (Local, Local) {
        let margin = if self.wanted.points.is_empty() { AROUND } else { 0 };
        let (place, size) = (self.wanted.place, self.geometry().size() as u8);
        let least = if place == Place::Center { 4 } else { 1 };
        let span = |of: fn(&Local) -> u8| {
            let (low, high) = (seen.iter().map(of).min().unwrap_or(1), seen.iter().map(of).max().unwrap_or(1));
            (low.saturating_sub(margin).max(least), (high + margin).min(size + 1 - least))
        };
        let (columns, mut rows) = (span(|l| l.column), span(|l| l.row));
        if place == Place::Side {
            rows = (1, if margin == 0 { rows.1 } else { rows.1.max(HEIGHT).min(size) });
        }
        (Local { column: columns.0, row: rows.0 }, Local { column: columns.1, row: rows.1 })
    }

    fn pattern(
        &self,
        frame: &Frame,
        rectangle: (Local, Local),
        moves: &[Local],
        intent: &str,
    ) -> Result<Pattern, NoPattern> {
        let condition = if self.wanted.points.is_empty() {
            self.area(frame, rectangle)
        } else {
            let points = self.locals(frame, self.wanted.points.iter().copied());
            self.named(&points.ok_or(NoPattern::TooLarge(Local::LARGEST))?, frame)
        };
        let turn = |&local: &Local| Moves {
            at: At(0),
            intent: name(intent),
            weight: 50,
            extra: None,
            points: vec![point(local)],
        };
        let mut turns = moves.iter().map(turn);
        let first = turns.next().ok_or(NoPattern::NoMove)?;
        let then: Vec<Step> = turns.map(|moves| Step::Next { moves, tenuki: None }).collect();
        let tarea = if then.is_empty() { vec![] } else { vec![point(rectangle.0), point(rectangle.1)] };
        Ok(Pattern {
            name: name(self.wanted.name),
            phases: vec![],
            place: self.wanted.place,
            symmetric: true,
            declarations: vec![],
            pickup: Pickup::None,
            condition,
            candidate: Candidate { sequences: vec![Sequence { condition: None, tarea, first, then }] },
        })
    }

    /// `friend`, `enemy` or `empty`.
    fn word(&self, frame: &Frame, local: Local) -> &'static str {
        let p = frame.point(self.geometry(), local);
        match p.and_then(|p| self.board.cell(p).colour()) {
            Some(colour) if colour == self.first.colour => "friend",
            Some(_) => "enemy",
            None => "empty",
        }
    }

    /// All points of a rectangle: its stones, and the rest empty.
    fn area(&self, frame: &Frame, (low, high): (Local, Local)) -> Expr {
        let points =
            (low.column..=high.column).flat_map(|column| (low.row..=high.row).map(move |row| Local { column, row }));
        let stones: Vec<Local> = points.filter(|&local| self.word(frame, local) != "empty").collect();
        let [width, height] = [high.column - low.column + 1, high.row - low.row + 1];
        let mut arguments = vec![point(low), number(width), number(height)];
        arguments.extend(stones.iter().map(|&local| point(local)));
        self.states(frame, &stones, Some(call("emparea", arguments)))
    }

    /// The points that were named and nothing else.
    fn named(&self, points: &[Local], frame: &Frame) -> Expr {
        let (empty, stones): (Vec<Local>, Vec<Local>) =
            points.iter().partition(|&&local| self.word(frame, local) == "empty");
        let set = call("pset1", empty.iter().map(|&local| point(local)).collect());
        let rest = match empty[..] {
            [] => None,
            [only] => Some(equal("state", point(only), "empty")),
            _ => Some(equal("states", set, "empty")),
        };
        self.states(frame, &stones, rest)
    }

    fn states(&self, frame: &Frame, stones: &[Local], rest: Option<Expr>) -> Expr {
        let state = |&local: &Local| equal("state", point(local), self.word(frame, local));
        let all = stones.iter().map(state).chain(rest);
        all.reduce(|a, b| both(Op::And, a, b))
            .unwrap_or_else(|| equal("state", point(Local { column: 1, row: 1 }), "empty"))
    }
}

/// The frame of the corner nearest to a point.
fn frame_around(geometry: Geometry, p: Point) -> Frame {
    let size = geometry.size();
    let symmetry = u8::from(2 * geometry.column(p) >= size) | u8::from(2 * geometry.row(p) >= size) << 1;
    let (column, row) = corner(size, symmetry);
    Frame { symmetry, anchor: Local { column: 1, row: 1 }, column: column as u8, row: row as u8 }
}

/// The symmetry whose row 1 runs along the side nearest to a point.
fn nearest_side(geometry: Geometry, p: Point) -> u8 {
    let last = geometry.size() - 1;
    let (column, row) = (geometry.column(p), geometry.row(p));
    let sides = [(row, 0), (last - row, 2), (column, 4), (last - column, 6)];
    sides.into_iter().min().map_or(0, |(_, symmetry)| symmetry)
}

fn name(text: &str) -> Name {
    Name { text: text.to_ascii_lowercase(), at: At(0) }
}

fn point(local: Local) -> Expr {
    Expr::Point(local, At(0))
}

fn number(n: u8) -> Expr {
    Expr::Number(n.into(), At(0))
}

fn call(function: &str, arguments: Vec<Expr>) -> Expr {
    Expr::Call { name: name(function), arguments }
}

fn equal(function: &str, argument: Expr, colour: &str) -> Expr {
    both(Op::Equal, call(function, vec![argument]), Expr::Name(name(colour)))
}

fn both(op: Op, left: Expr, right: Expr) -> Expr {
    Expr::Binary { op, at: At(0), left: Box::new(left), right: Box::new(right) }
}
