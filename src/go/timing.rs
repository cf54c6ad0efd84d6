//! How long to think about a move: from the options of a player and from its clock.

use super::config::{Config, PlayerKind};
use super::game::GoGame;
use crate::base::{Budget, Clock, Limits, TimeSource};
use std::time::Duration;

/// What a move may take beyond its thinking: the way of the answer through pipes and front ends.
const LAG: Duration = Duration::from_millis(80);
/// Thinking is never shorter than this, however little is left.
const LEAST: Duration = Duration::from_millis(2);
/// How much longer than planned an unclear move may take.
const STRETCH: f64 = 2.0;
/// No move takes more of a main time that nothing follows.
const LARGEST_SHARE: f64 = 0.25;

/// What one search may use: the number of playouts if there is one, and what the clock or, without it, the fixed time
/// for a move allows. The primitive player counts its playouts by itself.
pub fn limits(config: &Config, clock: Option<&Clock>, game: &GoGame) -> Limits {
    let counts = config.kind != PlayerKind::Primitive;
    let nodes = (counts && config.playouts > 0).then_some(config.playouts);
    let fixed = || (counts && nodes.is_none()).then(|| Budget::exactly(config.time));
    Limits {
        nodes,
        time: clock.map(|clock| budget(clock, moves_left(game))).or_else(fixed),
        clock: if config.cpu_clock { TimeSource::cpu(config.threads) } else { TimeSource::Wall },
    }
}

/// About how many moves of its own a side still has to make.
fn moves_left(game: &GoGame) -> u32 {
    let area = game.geometry().area() as f64;
    let most = (0.8 * area - game.plays().len() as f64) / 2.0;
    most.max(0.1 * area).max(4.0) as u32
}

/// The time for one move of `moves` that are to come.
pub fn budget(clock: &Clock, moves: u32) -> Budget {
    let left = clock.left.saturating_sub(LAG);
    let (share, most) = match clock.byoyomi {
        Some(byoyomi) => {
            let each = byoyomi.period.saturating_sub(LAG) / byoyomi.stones.max(1);
            match byoyomi.stones_left {
                // A period runs: what it has is there for its stones, the last of which may use up the rest.
                Some(1) => (left, left),
                Some(stones) => (left / stones.max(1), left / 2),
                // Main time: the periods that come after it are there to be used too.
                None => (left / moves + each.mul_f64(0.8), left + each.mul_f64(0.8)),
            }
        }
        None => {
            let increment = clock.increment.mul_f64(0.8);
            (left / moves + increment.min(left / 2), left.mul_f64(LARGEST_SHARE).max(increment).min(left))
        }
    };
    let soft = share.min(most).max(LEAST);
    Budget { soft, hard: soft.mul_f64(STRETCH).min(most).max(soft) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Byoyomi;
    use crate::go::Rules;

    fn seconds(n: f64) -> Duration {
        Duration::from_secs_f64(n)
    }

    fn clock(left: f64, byoyomi: Option<(f64, u32, Option<u32>)>) -> Clock {
        let byoyomi =
            byoyomi.map(|(period, stones, stones_left)| Byoyomi { period: seconds(period), stones, stones_left });
        Clock { left: seconds(left), increment: Duration::ZERO, byoyomi }
    }

    #[test]
    fn a_whole_game_fits_into_its_main_time() {
        let mut clock = clock(60.0, None);
        let mut game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
        // Every move as long as it can be, in a game that is longer than games are.
        for _ in 0..81 {
            let budget = budget(&clock, moves_left(&game));
            assert!(budget.soft <= budget.hard && budget.hard < clock.left, "{budget:?} {clock:?}");
            clock.spend(budget.hard);
            for _ in 0..2 {
                game.play(game.to_move(), crate::go::Point::PASS).unwrap();
            }
        }
    }

    #[test]
    fn periods_are_used_but_never_overstepped() {
        let last = budget(&clock(10.0, Some((10.0, 1, Some(1)))), 30);
        assert!(last.hard < seconds(10.0) && last.soft > seconds(9.0));
        let many = budget(&clock(30.0, Some((30.0, 5, Some(5)))), 30);
        assert!(many.soft > seconds(5.0) && many.hard < seconds(15.0));
        let main = budget(&clock(1.0, Some((10.0, 1, None))), 30);
        assert!(main.hard < seconds(11.0) && main.soft > seconds(5.0), "{main:?}");
    }

    #[test]
    fn no_time_is_no_reason_not_to_move() {
        let none = budget(&clock(0.0, None), 30);
        assert_eq!((none.soft, none.hard), (LEAST, LEAST));
    }

    #[test]
    fn the_clock_comes_before_the_fixed_time_and_playouts_before_both() {
        let game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
        let config = Config { playouts: 0, time: seconds(5.0), ..Config::default() };
        assert_eq!(limits(&config, None, &game).time, Some(Budget::exactly(seconds(5.0))));
        assert!(limits(&config, Some(&clock(60.0, None)), &game).time.unwrap().hard < seconds(5.0));
        let counted = Config { playouts: 100, ..config };
        assert_eq!(limits(&counted, None, &game), Limits { nodes: Some(100), ..Limits::NONE });
        assert!(limits(&counted, Some(&clock(60.0, None)), &game).time.is_some());
    }
}
