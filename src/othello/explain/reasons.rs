//! From facts to reasons, and from reasons to sentences. A reason is given only where its fact is above a threshold.

use super::facts::Facts;
use crate::othello::{BitBoard, Move};

/// A loss below this is none that a person would speak of.
const GOOD: f64 = 1.0;

/// Why a move is good or bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    WipeOut,
    Wedge,
    GivesCorner,
    MissesCorner,
    XSquare,
    CSquare,
    GivesMoves,
    LosesMoves,
    MissesPass,
    OpensUp,
    Frontier,
    TurnsMany,
    Stability,
    Parity,
    LosesCornerLater,
    MissesCornerLater,
    RunsOutOfMoves,
    Evaluation,
    Count,
    TakesCorner,
    ForcesPass,
    Quiet,
    FewReplies,
    StableDiscs,
    OddRegion,
}

impl Reason {
    pub fn name(self) -> &'static str {
        match self {
            Reason::WipeOut => "wipe-out",
            Reason::Wedge => "wedge",
            Reason::GivesCorner => "gives-corner",
            Reason::MissesCorner => "misses-corner",
            Reason::XSquare => "x-square",
            Reason::CSquare => "c-square",
            Reason::GivesMoves => "gives-moves",
            Reason::LosesMoves => "loses-moves",
            Reason::MissesPass => "misses-pass",
            Reason::OpensUp => "opens-up",
            Reason::Frontier => "frontier",
            Reason::TurnsMany => "turns-many",
            Reason::Stability => "stability",
            Reason::Parity => "parity",
            Reason::LosesCornerLater => "loses-corner-later",
            Reason::MissesCornerLater => "misses-corner-later",
            Reason::RunsOutOfMoves => "runs-out-of-moves",
            Reason::Evaluation => "evaluation",
            Reason::Count => "count",
            Reason::TakesCorner => "takes-corner",
            Reason::ForcesPass => "forces-pass",
            Reason::Quiet => "quiet",
            Reason::FewReplies => "few-replies",
            Reason::StableDiscs => "stable-discs",
            Reason::OddRegion => "odd-region",
        }
    }
}

/// A reason and how much it weighs, roughly in discs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Why {
    pub reason: Reason,
    pub weight: f64,
}

/// The reasons for a move, or against it, the main one first.
pub fn why(facts: &Facts) -> Vec<Why> {
    let mut reasons = if facts.loss() < GOOD { good(facts) } else { bad(facts) };
    reasons.retain(|why| why.weight > 0.0);
    reasons.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    reasons
}

/// The difference where it reaches a threshold, weighed; else nothing.
fn beyond(more: u32, less: u32, threshold: u32, weight: f64) -> f64 {
    let difference = more.saturating_sub(less);
    if difference >= threshold { weight * f64::from(difference) } else { 0.0 }
}

fn when(holds: bool, weight: f64) -> f64 {
    if holds { weight } else { 0.0 }
}

fn bad(facts: &Facts) -> Vec<Why> {
    let (own, best) = (&facts.of_move, &facts.of_best);
    let empties = facts.board.empty_count();
    let early = empties > 20;
    // A better move that does the same is no reason against this one.
    let corners = own.gives_corners.count().saturating_sub(best.gives_corners.count());
    let (line, best_line) = (&facts.line, &facts.best_line);
    // What the move itself gives is not counted again.
    let later = line.other_corners.saturating_sub(best_line.other_corners).saturating_sub(corners);
    let missed = best_line.own_corners.saturating_sub(line.own_corners + u32::from(best.takes_corner));
    let fewer = beyond(best_line.own_moves, line.own_moves, 3, 0.8);
    let list = [
        (Reason::WipeOut, when(own.wipe_out && !best.wipe_out, 30.0)),
        (Reason::Wedge, when(!own.gives_wedges.is_empty() && best.gives_wedges.is_empty(), 6.0)),
        (Reason::GivesCorner, 10.0 * f64::from(corners)),
        (Reason::MissesCorner, when(best.takes_corner && !own.takes_corner, 9.0)),
        (Reason::XSquare, when(own.x_square && !best.x_square, 7.0)),
        (Reason::CSquare, when(own.c_square && !best.c_square && !best.x_square, 4.5)),
        (Reason::MissesPass, when(best.forces_pass && !own.forces_pass, 6.0)),
        (Reason::GivesMoves, when(early, beyond(own.mobility.other.after, best.mobility.other.after, 2, 1.2))),
        (Reason::LosesMoves, when(early, beyond(best.mobility.own.after, own.mobility.own.after, 2, 1.0))),
        (Reason::OpensUp, when(early, beyond(own.openness, best.openness, 4, 0.6))),
        (Reason::Frontier, when(early, beyond(own.frontier.own.after, best.frontier.own.after, 3, 0.6))),
        (Reason::TurnsMany, when(early, beyond(own.flips, best.flips, 4, 0.5))),
        (Reason::Stability, beyond(best.stable.own.after, own.stable.own.after, 2, 0.8)),
        (Reason::Parity, when(!early && own.region % 2 == 0 && own.odd_regions > 0 && best.region % 2 == 1, 5.0)),
        (Reason::LosesCornerLater, when(corners == 0, 7.0 * f64::from(later))),
        (Reason::MissesCornerLater, 5.0 * f64::from(missed)),
        (Reason::RunsOutOfMoves, when(early && !line.over && !best_line.over, fewer)),
        (Reason::Evaluation, when(weakest(facts).is_some(), 0.2)),
        (Reason::Count, when(empties <= LAST, 0.1)),
    ];
    list.into_iter().map(|(reason, weight)| Why { reason, weight }).collect()
}

/// From so few empty squares on values are counted discs.
const LAST: u32 = 12;

/// The part of the evaluation that differs most against the move, if it is clear and neither line ends the game.
fn weakest(facts: &Facts) -> Option<(&'static str, f64)> {
    const CLEAR: f64 = -1.5;
    let named = |name: &str| !["network", "turn"].contains(&name);
    let parts = facts.attribution.iter().filter(|(name, discs)| named(name) && *discs <= CLEAR);
    let weakest = parts.min_by(|a, b| a.1.total_cmp(&b.1)).copied();
    weakest.filter(|_| facts.board.empty_count() > LAST && !facts.line.over && !facts.best_line.over)
}

fn good(facts: &Facts) -> Vec<Why> {
    let own = &facts.of_move;
    let early = facts.board.empty_count() > 20;
    let list = [
        (Reason::TakesCorner, when(own.takes_corner, 9.0)),
        (Reason::ForcesPass, when(own.forces_pass, 8.0)),
        (Reason::StableDiscs, beyond(own.stable.own.after, own.stable.own.before, 2, 0.8)),
        (Reason::FewReplies, when(early && !own.forces_pass && own.mobility.other.after <= 3, 5.0)),
        (Reason::Quiet, when(early && own.openness <= 2, 4.0)),
        (Reason::OddRegion, when(!early && own.region % 2 == 1 && own.region > 1, 3.0)),
    ];
    list.into_iter().map(|(reason, weight)| Why { reason, weight }).collect()
}

/// Two or three sentences: the verdict, the reasons, where the loss shows.
pub fn sentences(facts: &Facts) -> Vec<String> {
    let mut list = vec![verdict(facts)];
    list.extend(why(facts).iter().take(2).map(|why| sentence(why.reason, facts)));
    if let Some(plies) = facts.real_after.filter(|&plies| plies > 2) {
        list.push(format!("the loss shows after {}", line(&facts.searched.line, plies)));
    }
    list
}

fn verdict(facts: &Facts) -> String {
    let (mv, best, loss) = (facts.of_move.square, facts.of_best.square, facts.loss());
    if mv == best {
        format!("{mv} is the best move")
    } else if loss < GOOD {
        format!("{mv} is nearly as good as {best}")
    } else {
        format!("{mv} loses {loss:.1} discs against {best}")
    }
}

fn line(moves: &[Move], plies: usize) -> String {
    moves.iter().take(plies).map(Move::to_string).collect::<Vec<_>>().join(" ")
}

fn names(squares: BitBoard) -> String {
    squares.into_iter().map(|square| square.to_string()).collect::<Vec<_>>().join(", ")
}

fn sentence(reason: Reason, facts: &Facts) -> String {
    let (own, best) = (&facts.of_move, &facts.of_best);
    let (mv, better) = (own.square, best.square);
    match reason {
        Reason::WipeOut => format!("after {mv} the opponent can turn the last disc"),
        Reason::Wedge => format!("{mv} lets the opponent wedge in on the edge: {}", names(own.gives_wedges)),
        Reason::GivesCorner => format!("{mv} lets the opponent take a corner: {}", names(own.gives_corners)),
        Reason::MissesCorner => format!("{better} takes a corner, {mv} leaves it"),
        Reason::XSquare => format!("{mv} is an X square: it opens the way to the corner beside it"),
        Reason::CSquare => format!("{mv} is a C square: it weakens the edge and the corner beside it"),
        Reason::MissesPass => format!("{better} makes the opponent pass, {mv} does not"),
        Reason::GivesMoves => {
            let (moves, other) = (own.mobility.other.after, best.mobility.other.after);
            format!("after {mv} the opponent has {moves} moves, after {better} only {other}")
        }
        Reason::LosesMoves => {
            let (moves, other) = (own.mobility.own.after, best.mobility.own.after);
            format!("{mv} leaves {moves} moves for later, {better} {other}")
        }
        Reason::OpensUp => {
            let (open, other) = (own.openness, best.openness);
            format!("{mv} turns discs with {open} empty squares around them, {better} with {other}")
        }
        Reason::Frontier => {
            let (discs, other) = (own.frontier.own.after, best.frontier.own.after);
            format!("{mv} leaves {discs} discs beside empty squares, {better} {other}")
        }
        Reason::TurnsMany => {
            let (flips, other) = (own.flips, best.flips);
            format!("{mv} turns {flips} discs, {better} only {other}")
        }
        Reason::Stability => {
            let (discs, other) = (own.stable.own.after, best.stable.own.after);
            format!("after {mv} {discs} discs are safe for good, after {better} {other}")
        }
        Reason::Parity => {
            let region = own.region;
            format!("{mv} plays into a region of {region} squares, where the opponent gets the last move")
        }
        Reason::LosesCornerLater => {
            let taken = facts.searched.line.iter().enumerate().filter(|(i, mv)| {
                i % 2 == 1 && matches!(mv, Move::Place(square) if BitBoard::CORNERS.contains(*square))
            });
            let plies = taken.map(|(i, _)| i + 1).next().unwrap_or(facts.line.plies);
            format!("after {} the opponent has taken a corner", line(&facts.searched.line, plies))
        }
        Reason::MissesCornerLater => {
            format!("{better} wins a corner: {}", line(&facts.best.line, facts.best_line.plies))
        }
        Reason::RunsOutOfMoves => {
            let (moves, other) = (facts.line.own_moves, facts.best_line.own_moves);
            format!("at the end of the line {moves} moves are left, after {better} {other}")
        }
        Reason::Evaluation => {
            let (name, discs) = weakest(facts).unwrap_or(("", 0.0));
            let discs = -discs;
            match name {
                "edges" => format!("the evaluation sees the difference at the edges: {discs:.1} discs"),
                "corners" => format!("the evaluation sees the difference around the corners: {discs:.1} discs"),
                "diagonals" => format!("the evaluation sees the difference on the diagonals: {discs:.1} discs"),
                "lines" => format!("the evaluation sees the difference on the inner lines: {discs:.1} discs"),
                "centre" => format!("the evaluation sees the difference in the centre: {discs:.1} discs"),
                _ => format!("the evaluation sees the difference in mobility: {discs:.1} discs"),
            }
        }
        Reason::Count => {
            let (value, other) = (facts.searched.value, facts.best.value);
            format!("counted to the end it is {value:+.0} after {mv}, {other:+.0} after {better}")
        }
        Reason::TakesCorner => format!("{mv} takes a corner"),
        Reason::ForcesPass => format!("{mv} makes the opponent pass"),
        Reason::Quiet => {
            let open = own.openness;
            format!("{mv} is a quiet move: only {open} empty squares around the discs that it turns")
        }
        Reason::FewReplies => {
            let moves = own.mobility.other.after;
            format!("{mv} leaves the opponent {moves} moves")
        }
        Reason::StableDiscs => {
            let discs = own.stable.own.after;
            format!("{mv} brings the discs that are safe for good to {discs}")
        }
        Reason::OddRegion => {
            let region = own.region;
            format!("{mv} plays into a region of {region} squares and can have the last move there")
        }
    }
}
