//! What a position comes to: which stones are dead, and the score without them. Judged by playouts of our best
//! player, whoever plays, so that a verdict does not depend on options.

use crate::{
    base::{Colour, Control, Limits},
    go::{
        Config, GoGame, Player, PlayerKind, Point, Report, ending, game::Terms, policy::Weights, score, status,
        tally::Tally,
    },
};

/// Playouts for a verdict with black to move, and as many with white.
const PLAYOUTS: u64 = 1000;
/// How often playouts that kill from inside refuse to put their own stones in atari.
const BOLD: f32 = 0.5;
/// How sure those have to be of a chain.
const CLEAR: f32 = 0.3;
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
///
/// Playouts that hardly ever put their own stones in atari do not kill a group from inside, and playouts that often do
/// so break a seki. So chains whose fate the first kind leaves open are judged by the second where that is clear.
pub fn both_sides(game: &GoGame, control: Control<'_, Report>) -> Option<Tally> {
    let careful = Config { seed: SEED, memory_mb: MEMORY_MB, reuse: false, ..Config::named(PlayerKind::Rave) };
    let board = game.board();
    let mut tally = playouts(game, &careful, control)?;
    if status::all_settled(board, &tally) {
        return Some(tally);
    }
    let weights = Weights { refuse_self_atari: BOLD, refuse_throw_in: BOLD, ..careful.weights };
    let bold = playouts(game, &Config { weights, ..careful }, control)?;
    let open: Vec<Point> = status::chains(board)
        .filter(|&p| status::safety(board, &tally, p).abs() < status::SURE)
        .filter(|&p| status::safety(board, &bold, p).abs() >= CLEAR)
        .collect();
    for stone in open.into_iter().flat_map(|p| board.chain(p)) {
        tally.copy_point(&bold, stone);
    }
    Some(tally)
}

fn playouts(game: &GoGame, config: &Config, control: Control<'_, Report>) -> Option<Tally> {
    let limits = Limits { nodes: Some(PLAYOUTS), ..Limits::NONE };
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
    use crate::go::notation::parse_vertex;

    fn played(moves: &str, komi: f32) -> GoGame {
        let mut game = GoGame::new(9, Rules::CHINESE, komi).unwrap();
        for name in moves.split_whitespace() {
            let point = parse_vertex(game.geometry(), name).unwrap();
            game.play(game.to_move(), point).unwrap();
        }
        game
    }

    /// White's twelve stones in the corner have one eye: black's four stones inside make a shape that kills.
    #[test]
    fn a_group_killed_from_inside_is_dead() {
        let game = played(
            "D4 E5 E4 F4 F3 F5 D5 D7 G3 H5 C7 C8 D6 E7 B7 H3 H2 C3 B8 D2 B2 B3 B4 A2 B1 E2 G4 G7 F2 E1 C1 C4 B5 E3 H4 D3 \
             A1 C5 C6 A3 D8 E8 C9 G5 J5 J6 J4 H8 E9 F1 H1 G2 G1 F9 D9 E6 J2 A5 B6 J7 F8 G9 A8 F7 J3 G6 B9 G8 G2 pass pass",
            7.0,
        );
        let verdict = Verdict::on(&game, Control::alone()).unwrap();
        let stones: usize = verdict.dead.iter().map(|&p| game.board().chain_size(p)).sum();
        assert_eq!((stones, verdict.score), (13, 24.0));
    }
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
