//! Which move of a node the next playout tries.

use super::config::{Config, PriorKind};
use super::tree::{Entry, Stats};

/// How much of the bonus of the course counts, and how long.
pub const BONUS_WEIGHT: f32 = 0.1;
pub const BONUS_GAMES: f32 = 100.0;

/// What the moves of a node share.
#[derive(Debug, Clone, Copy)]
pub struct Parent {
    /// Playouts through the node.
    pub visits: u32,
    /// Those of them that counted who holds the points.
    pub counted: u32,
    /// How many of them black won, for criticality; from 0 to 1.
    pub black_share: f32,
}

/// How many moves, in order of promise, a node with so many playouts looks at: 4 at 30, 12 at 1000.
pub fn width(visits: u32) -> usize {
    (1.37 * (visits.max(1) as f32).powf(0.313)).ceil() as usize
}

/// How much a point's owner goes with the winner: from 0 (not at all) to 0.5 (wholly), less noise.
///
/// `black_held`, `winner_held` and `black_won` are shares of the playouts.
pub fn criticality(winner_held: f32, black_held: f32, black_won: f32) -> f32 {
    winner_held - ((1.0 - black_held) * (1.0 - black_won) + black_held * black_won)
}

/// The number of the move with the largest upper bound, the first of equals; `None` if no move can be played.
pub fn best(config: &Config, parent: Parent, children: &[Entry]) -> Option<usize> {
    let considered = if config.widening { width(parent.visits) } else { children.len() };
    let ln_visits = if config.exploration > 0.0 { (parent.visits.max(1) as f32).ln() } else { 0.0 };
    let playable = children.iter().enumerate().filter(|(_, child)| !child.is_barred());
    let mut best = None;
    let mut most = f32::NEG_INFINITY;
    for (i, child) in playable.take(considered) {
        let bound = bound(config, parent, ln_visits, &child.stats());
        if best.is_none() || bound > most {
            (best, most) = (Some(i), bound);
        }
    }
    best
}

/// Larger than any real bound: for moves nothing is known of, which come first.
const UNTRIED: f32 = 1e6;
/// With values from other moves, the pass is tried when nothing better is left.
const UNTRIED_PASS: f32 = 0.3;

fn bound(config: &Config, parent: Parent, ln_visits: f32, move_: &Stats) -> f32 {
    let mut games = move_.visits as f32;
    let mut won = move_.value as f32;
    if config.prior == PriorKind::Games {
        games += move_.prior_visits;
        won += move_.prior_value;
    }
    if config.rave && move_.point.is_pass() {
        // No other move speaks for the pass, so nothing would ever hold the whole upper bound back.
        return if games > 0.0 { won / games } else { UNTRIED_PASS };
    }
    let mut bound = if games > 0.0 { won / games } else { UNTRIED };
    if ln_visits > 0.0 && games > 0.0 {
        bound += config.exploration * (ln_visits / games).sqrt();
    }
    if config.rave && move_.rave_visits > 0 {
        let rave_games = move_.rave_visits as f32;
        let rave = move_.rave_value as f32 / rave_games;
        let beta = rave_games / (rave_games + games + rave_games * games / config.rave_games);
        bound = if games > 0.0 { beta * rave + (1.0 - beta) * bound } else { rave };
    }
    if config.prior == PriorKind::Bonus {
        let fading = (BONUS_GAMES / (BONUS_GAMES + move_.visits as f32)).sqrt();
        bound += BONUS_WEIGHT * (1.0 + move_.prior_value).ln() * fading;
    }
    if config.criticality > 0.0 && parent.counted >= 64 && !move_.point.is_pass() {
        let all = parent.counted as f32;
        let critical = criticality(move_.winner_held as f32 / all, move_.black_held as f32 / all, parent.black_share);
        bound += config.criticality * critical.max(0.0) * (BONUS_GAMES / (BONUS_GAMES + games)).sqrt();
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::config::PlayerKind;
    use crate::go::point::Point;

    fn stats(visits: u32, value: f64) -> Stats {
        Stats {
            point: Point::from_raw(50),
            visits,
            value,
            rave_visits: 0,
            rave_value: 0.0,
            score: 0.0,
            prior_visits: 0.0,
            prior_value: 0.0,
            black_held: 0,
            winner_held: 0,
        }
    }

    const PARENT: Parent = Parent { visits: 100, counted: 100, black_share: 0.5 };

    #[test]
    fn width_is_that_of_the_course() {
        assert_eq!(width(30), 4);
        assert_eq!(width(1000), 12);
        assert!(width(0) >= 1);
    }

    #[test]
    fn the_upper_bound_of_the_course() {
        let config = Config::named(PlayerKind::Uct);
        let got = bound(&config, PARENT, 100f32.ln(), &stats(25, 15.0));
        assert!((got - (0.6 + (100f32.ln() / 25.0).sqrt())).abs() < 1e-6);
        assert!(bound(&config, PARENT, 100f32.ln(), &stats(0, 0.0)) > 1000.0, "untried moves come first");
    }

    #[test]
    fn the_bonus_of_the_course() {
        let config = Config { widening: false, ..Config::named(PlayerKind::Patterns) };
        let with = Stats { prior_value: 9.0, ..stats(25, 15.0) };
        let difference = bound(&config, PARENT, 1.0, &with) - bound(&config, PARENT, 1.0, &stats(25, 15.0));
        let wanted = 0.1 * 10f32.ln() * (100f32 / 125.0).sqrt();
        assert!((difference - wanted).abs() < 1e-6);
    }

    #[test]
    fn rave_rules_at_first_and_fades() {
        let config = Config { rave: true, ..Config::named(PlayerKind::Uct) };
        let move_ = Stats { rave_visits: 300, rave_value: 270.0, ..stats(100, 50.0) };
        let beta = 300.0 / (300.0 + 100.0 + 300.0 * 100.0 / 3000.0);
        let wanted = beta * 0.9 + (1.0 - beta) * 0.5;
        assert!((bound(&config, PARENT, 0.0, &move_) - wanted).abs() < 1e-6);
        let old = Stats { rave_visits: 300, rave_value: 270.0, ..stats(1_000_000, 500_000.0) };
        assert!((bound(&config, PARENT, 0.0, &old) - 0.5).abs() < 0.01);
    }

    #[test]
    fn the_pass_has_to_wait_for_moves_with_values_from_others() {
        let config = Config { rave: true, ..Config::named(PlayerKind::Uct) };
        let pass = |visits, value| Stats { point: Point::PASS, ..stats(visits, value) };
        assert_eq!(bound(&config, PARENT, 4.6, &pass(0, 0.0)), UNTRIED_PASS);
        assert_eq!(bound(&config, PARENT, 4.6, &pass(10, 4.0)), 0.4);
        let plain = Config::named(PlayerKind::Uct);
        assert_eq!(bound(&plain, PARENT, 4.6, &pass(0, 0.0)), UNTRIED);
    }

    #[test]
    fn criticality_lies_between_nothing_and_a_half() {
        assert!((criticality(1.0, 0.5, 0.5) - 0.5).abs() < 1e-6);
        assert!(criticality(0.5, 0.5, 0.5).abs() < 1e-6);
        assert!(criticality(0.3, 1.0, 0.3).abs() < 1e-6, "always black's: tells nothing");
    }
}
