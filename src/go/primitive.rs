//! The player of the course's first lesson: every move gets the same number of playouts, the best average wins.

use super::board::Board;
use super::config::Config;
use super::eye::EyeRule;
use super::game::GoGame;
use super::playout::{Uniform, area_at_end, play_out};
use super::point::Point;
use super::policy::Full;
use super::report::{Choice, MoveReport, Report};
use super::tally::Tally;
use crate::base::{Colour, Control, Limits, Rng, Stopwatch};

struct Trial {
    point: Point,
    made: u32,
    value: f64,
    score: f64,
}

pub fn search(game: &GoGame, config: &Config, limits: Limits, control: Control<'_, Report>) -> Report {
    let begun = Stopwatch::start(limits.clock);
    let me = game.to_move();
    let mut rng = Rng::new(config.seed);
    let mut trials: Vec<Trial> = candidates(game, config.eye)
        .into_iter()
        .map(|point| Trial { point, made: 0, value: 0.0, score: 0.0 })
        .collect();
    let mut tally = Tally::new(game.geometry());
    let mut board = Box::new(game.board().clone());
    let mut moves = Vec::new();
    let mut full = Full::new(config.weights, config.eye, config.pattern_table());
    let mut playouts = 0;
    let over = || control.stopped() || limits.time.is_some_and(|budget| begun.elapsed() >= budget.soft);
    // Round by round, so that being stopped early is fair to all moves.
    'rounds: for _ in 0..config.playouts_per_move {
        for trial in &mut trials {
            if over() || limits.nodes.is_some_and(|nodes| playouts >= nodes) {
                break 'rounds;
            }
            playouts += 1;
            board.copy_from(game.board());
            board.play(trial.point);
            moves.clear();
            if config.full_policy {
                play_out(&mut board, &mut full, trial.point, &mut rng, &mut moves);
            } else {
                play_out(&mut board, &mut Uniform { eye: config.eye }, trial.point, &mut rng, &mut moves);
            }
            let score = area_at_end(&board) as f32 - game.head_start();
            tally.count(&board, if score > 0.0 { Colour::Black } else { Colour::White });
            let mine = f64::from(if me == Colour::Black { score } else { -score });
            trial.made += 1;
            trial.score += mine;
            trial.value += if mine > 0.0 {
                1.0
            } else if mine < 0.0 {
                0.0
            } else {
                0.5
            };
        }
    }
    let count = trials.len().max(1) as f64;
    let mut moves: Vec<MoveReport> = trials.iter().map(|trial| trial.report(count)).collect();
    // The first of equals, as in the course: how large a win is does not matter.
    moves.sort_by(|a, b| b.win_rate.total_cmp(&a.win_rate));
    Report {
        to_move: me,
        choice: Choice::Play(moves.first().map_or(Point::PASS, |m| m.point)),
        moves,
        playouts,
        elapsed: begun.elapsed(),
        complete: !control.stopped(),
        tally,
        memory: 0.0,
    }
}

impl Trial {
    fn report(&self, count: f64) -> MoveReport {
        let made = f64::from(self.made.max(1));
        MoveReport {
            point: self.point,
            visits: u64::from(self.made),
            win_rate: if self.made > 0 { self.value / made } else { 0.5 },
            score: self.score / made,
            prior: 1.0 / count,
            line: vec![self.point],
        }
    }
}

/// All legal moves that fill no own eye; the pass only if there is none.
fn candidates(game: &GoGame, eye: EyeRule) -> Vec<Point> {
    let board: &Board = game.board();
    let me = game.to_move();
    let mut points = game.legal_points();
    points.retain(|&p| board.is_playable(p, me) && !eye.is_eye(board, p, me));
    if points.is_empty() { vec![Point::PASS] } else { points }
}
