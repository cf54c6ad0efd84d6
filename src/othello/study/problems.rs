//! Problems to practise with: positions near the end where one move is best and people miss it.

use crate::othello::{
    Board, Move, Position, Square,
    human::{Likely, difficulty::Difficulty},
    records::obf,
};

/// Which positions make a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Hardly anybody finds the move.
    pub hard: bool,
    /// Every other move loses at least four discs.
    pub unique: bool,
}

const MISSED: f64 = 0.5;
const HARD: f64 = 0.15;
const CLEAR: i32 = 2;
const UNIQUE: i32 = 4;
/// Where so much is won or lost nobody thinks hard.
const DECIDED: i32 = 20;

/// A problem with its solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Practice {
    pub position: Position,
    /// All moves with their exact values, best first.
    pub moves: Vec<(Square, i32)>,
    /// The best line.
    pub line: Vec<Move>,
    pub difficulty: Difficulty,
    /// How likely a person is to find the best move.
    pub found: f64,
}

impl Practice {
    /// The position as a problem, if it is one.
    pub fn new(
        position: Position,
        mut moves: Vec<(Square, i32)>,
        line: Vec<Move>,
        likely: &[Likely],
        wanted: Wanted,
    ) -> Option<Practice> {
        moves.sort_by_key(|&(square, value)| (std::cmp::Reverse(value), square));
        let [(best, value), (_, second), ..] = *moves.as_slice() else { return None };
        let found = likely.iter().find(|likely| likely.square == best)?.probability;
        let margin = if wanted.unique { UNIQUE } else { CLEAR };
        let most = if wanted.hard { HARD } else { MISSED };
        if value - second < margin || found > most || value.abs() > DECIDED {
            return None;
        }
        let values: Vec<(Square, f64)> = moves.iter().map(|&(square, value)| (square, value.into())).collect();
        let difficulty = Difficulty::new(likely, &values)?;
        Some(Practice { position, moves, line, difficulty, found })
    }

    pub fn best(&self) -> Square {
        self.moves[0].0
    }

    pub fn board(&self) -> Board {
        self.position.board
    }

    /// A line of an OBF file.
    pub fn problem(&self) -> obf::Problem {
        let moves = self.moves.iter().map(|&(square, value)| (Move::Place(square), value)).collect();
        let comment =
            format!("found by {:.0} %, expected loss {:.2}", 100.0 * self.found, self.difficulty.expected_loss);
        obf::Problem { moves, comment, ..obf::Problem::new(self.position) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_has_one_best_move_that_is_missed() {
        let square = |name: &str| name.parse::<Square>().unwrap();
        let moves = |second| vec![(square("d3"), second), (square("c4"), 4), (square("f5"), -2)];
        let likely = |p| {
            let list = [("c4", p), ("d3", 0.9 - p), ("f5", 0.1)];
            list.map(|(name, probability)| Likely { square: square(name), probability })
        };
        let make = |second, p, hard, unique| {
            Practice::new(Position::START, moves(second), vec![], &likely(p), Wanted { hard, unique })
        };
        let problem = make(2, 0.3, false, false).unwrap();
        assert_eq!((problem.best(), problem.found), (square("c4"), 0.3));
        assert!((problem.difficulty.expected_loss - (0.6 * 2.0 + 0.1 * 6.0)).abs() < 1e-9);
        assert!(make(4, 0.3, false, false).is_none(), "two best moves");
        assert!(make(2, 0.6, false, false).is_none(), "most people find it");
        assert!(make(2, 0.3, true, false).is_none() && make(2, 0.1, true, false).is_some());
        assert!(make(2, 0.3, false, true).is_none() && make(0, 0.3, false, true).is_some());
        let text = problem.problem().to_string();
        assert!(text.contains("; c4:+4; d3:+2; f5:-2;") || text.to_lowercase().contains("c4:+4"), "{text}");
    }
}
