//! Every position of a game looked at, from its end to its beginning: what is found deep in the game is then in the
//! table when its beginnings are looked at.

use crate::{
    base::{Colour, Control, Limits},
    engine::{Depth, Source},
    othello::{
        Board, Game, Move, Position,
        position::Turn,
        search::{Effort, Report, Searcher, Task},
    },
};

/// A move and what it is worth to the side that makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveValue {
    pub mv: Move,
    pub value: f64,
    /// What is expected, the move first.
    pub line: Vec<Move>,
    pub depth: Depth,
    pub source: Source,
}

/// A position of a game with the values of some or all of its moves, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Reviewed {
    /// Moves made before it, passes counted.
    pub ply: usize,
    pub position: Position,
    /// `None` at the end of the game.
    pub played: Option<Move>,
    pub values: Vec<MoveValue>,
}

/// How to look at a game.
pub struct Review<'a> {
    pub effort: Effort,
    pub limits: Limits,
    /// So many moves of a position get a value, and the one that was played.
    pub lines: usize,
    /// What the book says of a position; empty where it says nothing.
    pub book: &'a (dyn Fn(Board) -> Vec<MoveValue> + Sync),
}

impl Reviewed {
    pub fn side(&self) -> Colour {
        self.position.side
    }

    pub fn best(&self) -> Option<&MoveValue> {
        self.values.first()
    }

    /// What the position is worth to the side to move.
    pub fn value(&self) -> Option<f64> {
        match self.position.turn() {
            Turn::Over => Some(self.position.board.final_score().into()),
            _ => self.best().map(|best| best.value),
        }
    }

    pub fn played_value(&self) -> Option<&MoveValue> {
        self.values.iter().find(|value| Some(value.mv) == self.played)
    }

    /// What the played move gave away; `None` where there was nothing to choose.
    pub fn loss(&self) -> Option<f64> {
        match self.played? {
            Move::Pass => None,
            Move::Place(_) => Some((self.best()?.value - self.played_value()?.value).max(0.0)),
        }
    }
}

/// Looks at the positions of the whole line, the last first; `control` hears of each. After a stop it returns those
/// that were finished, in the order of the game.
pub fn review(searcher: &mut Searcher, game: &Game, how: &Review, control: Control<'_, Reviewed>) -> Vec<Reviewed> {
    let mut done = vec![];
    for ply in (0..=game.plies().len()).rev() {
        let Some(position) = game.position_at(ply) else { continue };
        let played = game.plies().get(ply).map(|ply| ply.mv);
        let Some(values) = values(searcher, position, played, how, control) else { break };
        let reviewed = Reviewed { ply, position, played, values };
        control.tell(&reviewed);
        done.push(reviewed);
    }
    done.reverse();
    done
}

/// `None` when stopped: half an answer would be a wrong one.
fn values(
    searcher: &mut Searcher,
    position: Position,
    played: Option<Move>,
    how: &Review,
    control: Control<'_, Reviewed>,
) -> Option<Vec<MoveValue>> {
    if control.stopped() {
        return None;
    }
    if position.turn() != Turn::Move {
        let pass = |mv| MoveValue { mv, value: 0.0, line: vec![mv], depth: Depth::default(), source: Source::Rules };
        return Some(played.map(pass).into_iter().collect());
    }
    let mut values = (how.book)(position.board);
    let quiet = |_: &Report| {};
    let task = Task { limits: how.limits, lines: how.lines, ..Task::new(how.effort) };
    let mut look = |task: Task| -> Option<()> {
        let report = searcher.search(position.board, &task, Control::new(control.stop_flag(), &quiet));
        if control.stopped() && !report.complete {
            return None;
        }
        let empties = position.board.empty_count();
        for line in report.lines.iter().take(task.lines) {
            if !values.iter().any(|value| value.mv == line.best) {
                values.push(MoveValue {
                    mv: line.best,
                    value: line.value.discs(),
                    line: line.pv.clone(),
                    depth: Depth {
                        plies: line.depth.plies,
                        percent: line.depth.percent,
                        to_end: line.depth.solved || line.depth.plies >= empties,
                        wld: false,
                    },
                    source: Source::Search,
                });
            }
        }
        Some(())
    };
    // A book that knows the position is believed; all values together need a search of the other moves too.
    let known = !(how.book)(position.board).is_empty();
    if !known || how.lines > 1 {
        look(task)?;
    }
    if let Some(Move::Place(square)) = played
        && !values.iter().any(|value| value.mv == Move::Place(square))
    {
        let only = crate::othello::BitBoard::EMPTY.with(square);
        let task = Task { limits: how.limits, only: Some(only), ..Task::new(how.effort) };
        let report = searcher.search(position.board, &task, Control::new(control.stop_flag(), &quiet));
        if control.stopped() && !report.complete {
            return None;
        }
        if let Some(line) = report.lines.first() {
            let to_end = line.depth.solved || line.depth.plies >= position.board.empty_count();
            let depth = Depth { plies: line.depth.plies, percent: line.depth.percent, to_end, wld: false };
            let (mv, value) = (line.best, line.value.discs());
            values.push(MoveValue { mv, value, line: line.pv.clone(), depth, source: Source::Search });
        }
    }
    values.sort_by(|a, b| b.value.total_cmp(&a.value));
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{eval::Weights, records::samples, search::Config};
    use std::sync::{Mutex, atomic::AtomicBool};

    fn searcher() -> Searcher {
        Searcher::new(Config { threads: 1, hash_bits: 14, weights: Weights::builtin() })
    }

    fn finished() -> Game {
        (0..).map(|seed| samples::game(seed, false)).find(Game::is_over).unwrap()
    }

    #[test]
    fn the_last_moves_are_judged_as_they_are() {
        let (game, none) = (finished(), |_: Board| vec![]);
        let how = Review { effort: Effort::Level(4), limits: Limits::NONE, lines: 64, book: &none };
        let reviews = review(&mut searcher(), &game, &how, Control::alone());
        assert_eq!(reviews.len(), game.plies().len() + 1);
        // From 8 empty squares on level 4 is exact: along the best moves the value stays.
        for pair in reviews.windows(2).filter(|pair| pair[0].position.board.empty_count() <= 8) {
            let [before, after] = pair else { continue };
            let (Some(played), Some(value)) = (before.played_value(), after.value()) else { continue };
            if played.mv != Move::Pass && after.position.turn() != Turn::MustPass {
                assert_eq!(played.value, -value, "ply {}", before.ply);
            }
            assert_eq!(before.values.len(), before.position.legal().len());
        }
    }

    #[test]
    fn a_stop_keeps_what_is_done_and_the_book_is_believed() {
        let game = finished();
        let (stop, seen) = (AtomicBool::new(false), Mutex::new(vec![]));
        let tell = |reviewed: &Reviewed| {
            seen.lock().unwrap().push(reviewed.ply);
            stop.store(reviewed.ply == game.plies().len() - 3, std::sync::atomic::Ordering::Relaxed);
        };
        let book = |board: Board| match board == Board::START {
            true => vec![MoveValue {
                mv: Move::Place("f5".parse().unwrap()),
                value: 7.0,
                line: vec![],
                depth: Depth::default(),
                source: Source::Book { games: 1 },
            }],
            false => vec![],
        };
        let how = Review { effort: Effort::Level(1), limits: Limits::NONE, lines: 1, book: &book };
        let part = review(&mut searcher(), &game, &how, Control::new(&stop, &tell));
        assert_eq!((part.len(), part[0].ply), (4, game.plies().len() - 3));
        assert_eq!(seen.lock().unwrap().len(), 4);
        let all = review(&mut searcher(), &game, &how, Control::alone());
        assert_eq!(all[0].values.iter().find(|v| v.value == 7.0).map(|v| v.source), Some(Source::Book { games: 1 }));
    }
}
