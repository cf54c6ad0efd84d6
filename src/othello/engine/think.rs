//! From options to search tasks, and from what the search found to what the session hears.

use super::{settings::Options, start};
use crate::{
    base::{Budget, Cell, Clock, Colour, Control, Limits, Table, TimeSource},
    engine::{
        Answer, Bound, CommandError, CommandErrorKind, Depth, Focus, Judged, Line, Progress, Restriction, Source,
        Thought,
    },
    othello::{
        BitBoard, Board, Move, Square,
        search::{self, Effort, Searcher, Task, Value, Window},
        study::analysis::{DISAGREE, MISTAKE},
    },
};
use std::time::Duration;

/// How hard to think about a move. Where time is limited and nobody asked for a level, the time decides.
pub fn effort(options: &Options, limits: &Limits) -> Effort {
    match options {
        Options { depth: 0, mid: 0, end: 0, level_asked: false, .. } if limits.time.is_some() => Effort::Unlimited,
        Options { depth: 0, mid: 0, end: 0, .. } => Effort::Level(options.level),
        Options { depth: 0, .. } => sliders(options.mid, options.end),
        _ => Effort::Depth { plies: options.depth.into(), percent: options.percent },
    }
}

/// How hard to think about a hint: hints may have sliders of their own.
pub fn hint_effort(options: &Options, limits: &Limits) -> Effort {
    match options {
        Options { hint_mid: 0, hint_end: 0, .. } => effort(options, limits),
        _ => sliders(options.hint_mid, options.hint_end),
    }
}

pub fn sliders(mid: u8, end: u8) -> Effort {
    Effort::Sliders { mid: u32::from(mid).max(1), end: end.into() }
}

/// The limits for one move: the options' own, and what the clock allows.
pub fn limits(options: &Options, clock: Option<&Clock>, board: Board) -> Limits {
    let fixed = (options.move_time > 0.0).then(|| Budget::exactly(Duration::from_secs_f64(options.move_time)));
    let clock = clock.map(|clock| search::time::budget(clock, board.empty_count()));
    let time = match (fixed, clock) {
        (Some(a), Some(b)) => Some(if a.hard < b.hard { a } else { b }),
        (a, b) => a.or(b),
    };
    Limits { nodes: (options.nodes > 0).then_some(options.nodes), time, clock: time_source(options) }
}

/// What the clocks and `move-time` count.
pub fn time_source(options: &Options) -> TimeSource {
    if options.cpu_clock { TimeSource::cpu(options.threads) } else { TimeSource::Wall }
}

/// The window of a question, in discs.
pub fn window(alpha: f32, beta: f32) -> Answer<Window> {
    let value = |discs: f32| Value::from_hundredths((discs.clamp(-64.0, 64.0) * 100.0).round() as i32);
    let empty = || CommandError::new(CommandErrorKind::Range, "the window has to begin below its end, from -64 to 64");
    Window::new(value(alpha), value(beta)).ok_or_else(|| empty().in_field("alpha"))
}

/// The squares that an analysis is restricted to, if it is. Only the first move can be.
pub fn restricted(board: Board, side: Colour, focus: &Focus) -> Answer<Option<BitBoard>> {
    let legal = board.moves();
    let mut left = legal;
    for Restriction { colour, moves, only, plies } in &focus.restrictions {
        if *plies > 1 {
            let message = "in Othello only the first move can be restricted: the last number has to be 1";
            return Err(CommandError::new(CommandErrorKind::Range, message));
        }
        let mut named = BitBoard::EMPTY;
        for name in moves.iter().filter(|name| !name.eq_ignore_ascii_case("pass")) {
            let square: Square = name.parse().map_err(|e| CommandError::new(CommandErrorKind::Syntax, e))?;
            named = named.with(square);
        }
        if *colour == side {
            left = BitBoard(left.0 & if *only { named.0 } else { !named.0 });
        }
    }
    if left.0 == 0 && legal.0 != 0 {
        return Err(CommandError::new(CommandErrorKind::Illegal, "no legal move is left to analyse"));
    }
    Ok((left != legal).then_some(left))
}

/// Searches and passes on every iteration as a [`Thought`].
pub fn think(
    searcher: &mut Searcher,
    board: Board,
    task: &Task,
    translate: &(dyn Fn(&search::Report) -> Thought + Sync),
    control: Control<'_, Progress>,
) -> Thought {
    let translate = |report: &search::Report| translate(&start::completed(board, task, report));
    let tell = |report: &search::Report| control.tell(&Progress::Thought(translate(report)));
    let report = searcher.search(board, &start::reduced(board, task), Control::new(control.stop_flag(), &tell));
    let mut thought = translate(&report);
    if thought.lines.is_empty() {
        thought.lines.push(finished(board));
    }
    thought
}

/// The value of a game that is over, as the only line of a thought.
fn finished(board: Board) -> Line {
    Line {
        moves: vec![],
        value: board.final_score().into(),
        bound: Bound::Exact,
        source: Source::Rules,
        depth: Depth { plies: 0, percent: 100, to_end: true, wld: false },
        playouts: None,
    }
}

/// What a search found, in the session's words. `draw` is what a proven draw is worth to the side to move.
pub fn thought(report: &search::Report, empties: u32, wld: bool, draw: f64) -> Thought {
    let lines = report.lines.iter().map(|line| Line {
        moves: line.pv.iter().map(Move::to_string).collect(),
        value: if line.depth.solved && line.value.hundredths() == 0 && line.bound == search::Bound::Exact {
            draw
        } else {
            line.value.discs()
        },
        bound: match line.bound {
            search::Bound::Exact => Bound::Exact,
            search::Bound::Lower => Bound::AtLeast,
            search::Bound::Upper => Bound::AtMost,
        },
        source: Source::Search,
        depth: Depth {
            plies: line.depth.plies,
            percent: line.depth.percent,
            to_end: line.depth.solved || line.depth.plies >= empties,
            wld: wld && line.depth.solved,
        },
        playouts: None,
    });
    let (nodes, elapsed, complete) = (report.nodes, report.elapsed, report.complete);
    Thought { lines: lines.collect(), nodes, elapsed, complete, ..Thought::default() }
}

/// The first `given` plies were not the players' choice.
pub fn summary(moves: &[Judged], given: usize) -> Table {
    let row = |colour: Colour| -> Vec<Cell> {
        let own: Vec<f64> =
            moves.iter().filter(|m| m.colour == colour && m.played_value.is_some()).map(Judged::loss).collect();
        let disagree = own.iter().filter(|loss| (DISAGREE..MISTAKE).contains(*loss)).count();
        let mistakes = own.iter().filter(|loss| **loss >= MISTAKE).count();
        let total = own.iter().fold(0.0, |sum, loss| sum + loss);
        let average = if own.is_empty() { Cell::Nothing } else { Cell::Real(total / own.len() as f64, 2) };
        vec![
            Cell::phrase(colour.to_string()),
            own.len().into(),
            disagree.into(),
            mistakes.into(),
            Cell::Real(total, 2),
            average,
        ]
    };
    let mut notes = vec![];
    if given > 0 {
        notes.push(format!("the first {given} moves were given and are not judged"));
    }
    Table {
        title: "summary".into(),
        columns: vec!["side", "moves", "disagree", "mistakes", "loss", "average"],
        rows: Colour::BOTH.map(row).into(),
        notes,
    }
}

/// The answer of who was stopped before a search could begin: the move that leaves the other side the fewest replies.
pub fn hasty(board: Board) -> Thought {
    let replies = |square: &Square| board.play(*square).map_or(u32::MAX, |next| next.moves().count());
    let best = board.moves().into_iter().min_by_key(replies).map_or(Move::Pass, Move::Place);
    let line = Line {
        moves: vec![best.to_string()],
        value: 0.0,
        bound: Bound::Exact,
        source: Source::Search,
        depth: Depth { percent: 100, ..Depth::default() },
        playouts: None,
    };
    Thought { lines: vec![line], ..Thought::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_decides_unless_a_level_was_asked_for() {
        let timed = Limits { time: Some(Budget::exactly(Duration::from_secs(1))), ..Limits::NONE };
        let mut options = Options::default();
        assert_eq!(effort(&options, &timed), Effort::Unlimited);
        assert_eq!(effort(&options, &Limits::NONE), Effort::Level(21));
        options.level_asked = true;
        assert_eq!(effort(&options, &timed), Effort::Level(21));
        options.depth = 7;
        assert_eq!(effort(&options, &timed), Effort::Depth { plies: 7, percent: 100 });
    }
}
