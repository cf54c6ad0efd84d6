//! What a position comes to: which stones are dead, and the score without them. Judged by playouts of our best
//! player, whoever plays, so that a verdict does not depend on options.

use crate::{
    base::{Colour, Control, Limits},
    go::{Config, GoGame, Player, PlayerKind, Point, Report, ending, game::Terms, score, tally::Tally},
};

/// Playouts for a verdict with black to move, and as many with white.
const PLAYOUTS: u64 = 1000;
/// For its tree.
const MEMORY_MB: usize = 64;
/// Verdicts on one position are always the same.
const SEED: u64 = 20_150_301;

#[derive(Debug, Clone)]
pub struct Verdict {
    about: About,
    pub tally: Tally,
    /// A stone of each chain that is taken off before counting.
    pub dead: Vec<Point>,
    /// Black's lead, with komi.
    pub score: f32,
}

/// What a verdict depends on: stones, ko, prisoners and what is counted beside them. Passes change nothing.
#[derive(Debug, Clone, PartialEq)]
struct About {
    terms: Terms,
    stones: u64,
    ko: Option<Point>,
    captured: [u32; 2],
}

impl About {
    fn new(game: &GoGame) -> About {
        let board = game.board();
        let captured = Colour::BOTH.map(|colour| board.captured(colour));
        About { terms: game.terms(), stones: board.stones_hash(), ko: board.ko(), captured }
    }
}

impl Verdict {
    pub fn is_about(&self, game: &GoGame) -> bool {
        self.about == About::new(game)
    }

    /// Looks at the position with either side to move; `None` if it was stopped before it saw enough.
    pub fn on(game: &GoGame, control: Control<'_, Report>) -> Option<Verdict> {
        let tally = if game.rules().agreement { both_sides(game, control)? } else { Tally::new(game.geometry()) };
        let dead = if game.rules().agreement { ending::dead_chains(game.board(), &tally) } else { vec![] };
        let score = score::final_score(game, &dead);
        Some(Verdict { about: About::new(game), tally, dead, score })
    }
}

/// Who holds the points at the end, with black to move and with white to move alike.
pub fn both_sides(game: &GoGame, control: Control<'_, Report>) -> Option<Tally> {
    let config = Config { seed: SEED, memory_mb: MEMORY_MB, reuse: false, ..Config::named(PlayerKind::Rave) };
    let limits = Limits { nodes: Some(PLAYOUTS), time: None };
    let mut tally = Tally::new(game.geometry());
    for colour in Colour::BOTH {
        let mut game = game.clone();
        game.set_to_move(colour);
        let report = Player::new(config.clone()).examine(&game, limits, control);
        if !report.complete {
            return None;
        }
        tally.add(&report.tally);
    }
    Some(tally)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{
        Rules,
        notation::{Vertex, parse_picture},
    };

    /// White's stone at A1 is lost behind black's wall, and black's at J9 behind white's.
    const SETTLED: &str = "
        . . . . X O . . X
        . . . . X O . . .
        . . . . X O . . .
        . . . . X O . . .
        . . . . X O . . .
        . . . . X O . . .
        . . . . X O . . .
        . . . . X O . . .
        O . . . X O . . .";

    #[test]
    fn lone_stones_behind_walls_are_dead() {
        let game = |rules| GoGame::from_board(parse_picture(SETTLED).unwrap(), rules, 0.5);
        let chinese = game(Rules::CHINESE);
        let verdict = Verdict::on(&chinese, Control::alone()).unwrap();
        let names: Vec<String> = verdict.dead.iter().map(|&p| Vertex(chinese.geometry(), p).to_string()).collect();
        assert_eq!(names, ["A1", "J9"]);
        assert_eq!(verdict.score, 45.0 - 36.0 - 0.5);
        assert!(verdict.is_about(&chinese) && !verdict.is_about(&game(Rules::TROMP_TAYLOR)));
        let as_it_stands = Verdict::on(&game(Rules::TROMP_TAYLOR), Control::alone()).unwrap();
        assert_eq!((as_it_stands.dead.len(), as_it_stands.score), (0, 10.0 - 10.0 - 0.5));
    }
}
