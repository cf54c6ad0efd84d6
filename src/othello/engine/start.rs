//! The first move of a game: its four moves are images of each other, so one of them is searched, and the convention is
//! to play f5.

use crate::othello::{
    BitBoard, Board, Move, Square,
    search::{Report, Task},
};

/// f5.
pub const FIRST: Square = Square::wrapping(37);

/// The symmetries that leave the start as it is.
fn symmetries() -> impl Iterator<Item = u8> {
    (0..8).filter(|&s| Board::START.symmetry(s) == Board::START)
}

/// What has to be searched of a task: at the start one move stands for all.
pub fn reduced(board: Board, task: &Task) -> Task {
    match task.only {
        None if board == Board::START => Task { only: Some(BitBoard::from(FIRST)), lines: 1, ..*task },
        _ => *task,
    }
}

/// What was found for the reduced task, as the answer to the whole one.
pub fn completed(board: Board, task: &Task, report: &Report) -> Report {
    if task.only.is_some() || board != Board::START {
        return report.clone();
    }
    let image = |mv: &Move, s: u8| match mv {
        Move::Place(square) => Move::Place(square.symmetry(s)),
        Move::Pass => Move::Pass,
    };
    let lines = symmetries().take(task.lines.max(1)).flat_map(|s| {
        report.lines.iter().map(move |line| {
            let pv = line.pv.iter().map(|mv| image(mv, s)).collect();
            crate::othello::search::Line { best: image(&line.best, s), pv, ..line.clone() }
        })
    });
    Report { lines: lines.collect(), ..report.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::Control,
        othello::{
            eval::Weights,
            search::{Config, Effort, Searcher},
        },
    };

    #[test]
    fn the_moves_of_the_start_are_worth_the_same_and_f5_comes_first() {
        let task = Task { lines: 60, ..Task::new(Effort::Depth { plies: 7, percent: 74 }) };
        let mut searcher = Searcher::new(Config { threads: 1, hash_bits: 14, weights: Weights::builtin() });
        let found = searcher.search(Board::START, &reduced(Board::START, &task), Control::alone());
        let whole = completed(Board::START, &task, &found);
        let moves: Vec<String> = whole.lines.iter().map(|line| line.best.to_string()).collect();
        assert_eq!(moves[0], "f5");
        let mut sorted = moves.clone();
        sorted.sort();
        assert_eq!(sorted, ["c4", "d3", "e6", "f5"]);
        for line in &whole.lines {
            assert_eq!((line.value, line.pv.len()), (whole.value, whole.lines[0].pv.len()));
            let played = line.pv.iter().try_fold(Board::START, |board, mv| match mv {
                Move::Place(square) => board.play(*square),
                Move::Pass => Some(board.pass()),
            });
            assert!(played.is_some(), "{line:?}");
        }
        assert_eq!(completed(Board::START, &Task::new(Effort::Exact), &found).lines.len(), 1);
    }

    #[test]
    fn other_positions_and_chosen_moves_are_searched_as_asked() {
        let task = Task::new(Effort::Exact);
        let next = Board::START.play(FIRST).unwrap();
        assert_eq!(reduced(next, &task), task);
        let chosen = Task { only: Some(BitBoard::from(Square::wrapping(19))), ..task };
        assert_eq!(reduced(Board::START, &chosen), chosen);
    }
}
