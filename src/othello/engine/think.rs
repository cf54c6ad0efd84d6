//! From options to search tasks, and from what the search found to what the session hears.

use super::settings::Options;
use crate::{
    base::{Budget, Cell, Clock, Colour, Control, Limits, Table},
    engine::{Analysis, Bound, Depth, Judged, Line, Progress, Source, Thought},
    othello::{
        Board, Move, Square,
        search::{self, Effort, Searcher, Task},
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

fn sliders(mid: u8, end: u8) -> Effort {
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
    Limits { nodes: (options.nodes > 0).then_some(options.nodes), time }
}

/// Searches and passes on every iteration as a [`Thought`].
pub fn think(
    searcher: &mut Searcher,
    board: Board,
    task: &Task,
    translate: &(dyn Fn(&search::Report) -> Thought + Sync),
    control: Control<'_, Progress>,
) -> Thought {
    let tell = |report: &search::Report| control.tell(&Progress::Thought(translate(report)));
    let report = searcher.search(board, task, Control::new(control.stop_flag(), &tell));
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
        value: if line.depth.solved && line.value.hundredths() == 0 { draw } else { line.value.discs() },
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
    Thought { lines: lines.collect(), nodes: report.nodes, elapsed: report.elapsed, complete: report.complete }
}

/// A position of a game and what was played there.
#[derive(Debug, Clone, Copy)]
pub struct Played {
    pub board: Board,
    pub colour: Colour,
    /// `None` for the last position of the game.
    pub mv: Option<Move>,
}

/// Judges every move of a game, from its end to its beginning: what was found deep in the game is then in the table
/// when its beginnings are looked at.
pub fn analyse(
    searcher: &mut Searcher,
    game: &[Played],
    options: &Options,
    control: Control<'_, Progress>,
) -> Analysis {
    let mut judged: Vec<Judged> = Vec::new();
    for (ply, played) in game.iter().enumerate().rev() {
        if control.stopped() {
            break;
        }
        let Some(judgement) = judge(searcher, ply, played, options, control) else { break };
        control.tell(&Progress::Judged(judgement.clone()));
        judged.push(judgement);
    }
    judged.reverse();
    let complete = judged.len() == game.len();
    Analysis { summary: summary(&judged), moves: judged, complete }
}

/// `None` when stopped: half a judgement would be a wrong one.
fn judge(
    searcher: &mut Searcher,
    ply: usize,
    played: &Played,
    options: &Options,
    control: Control<'_, Progress>,
) -> Option<Judged> {
    let Played { board, colour, mv } = *played;
    let quiet = |_: &search::Report| {};
    let control = Control::new(control.stop_flag(), &quiet);
    let limits = limits(options, None, board);
    let task = Task { limits, ..Task::new(effort(options, &limits)) };
    let report = searcher.search(board, &task, control);
    if control.stopped() && !report.complete {
        return None;
    }
    let mut best_value = report.value.discs();
    let line = report.lines.first();
    let mut best = line.map(|line| line.best);
    let depth = line.map_or(Depth { percent: 100, to_end: true, ..Depth::default() }, |line| Depth {
        plies: line.depth.plies,
        percent: line.depth.percent,
        to_end: line.depth.solved || line.depth.plies >= board.empty_count(),
        wld: false,
    });
    let played_value = match (mv, best) {
        (Some(mv), Some(best)) if mv == best => Some(best_value),
        (Some(Move::Place(square)), Some(_)) => {
            let task = Task { only: Some(square.into()), ..task };
            let report = searcher.search(board, &task, control);
            if control.stopped() && !report.complete {
                return None;
            }
            Some(report.value.discs())
        }
        (Some(_), _) => Some(best_value),
        (None, _) => None,
    };
    // A second look can find the played move better than the first look found the best one.
    if let Some(value) = played_value
        && value > best_value
    {
        (best_value, best) = (value, mv);
    }
    Some(Judged {
        ply,
        colour,
        played: mv.map(|mv| mv.to_string()),
        played_value,
        best: best.map(|mv| mv.to_string()),
        best_value,
        depth,
    })
}

/// From this loss on a move is a mistake; below it the engine merely disagrees.
pub const MISTAKE: f64 = 4.0;
/// Smaller differences are the noise of unfinished searches.
pub const DISAGREE: f64 = 1.0;

fn summary(moves: &[Judged]) -> Table {
    let row = |colour: Colour| -> Vec<Cell> {
        let own: Vec<f64> = moves
            .iter()
            .filter(|m| m.colour == colour && m.played.as_deref().is_some_and(|mv| mv != "pass"))
            .map(Judged::loss)
            .collect();
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
    Table {
        title: "summary".into(),
        columns: vec!["side", "moves", "disagree", "mistakes", "loss", "average"],
        rows: Colour::BOTH.map(row).into(),
        notes: vec![],
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
