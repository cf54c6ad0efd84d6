//! Matches between two of our own players inside one process: what a feature is worth.

use super::config::{Config, PlayerKind};
use super::game::GoGame;
use super::player::Player;
use super::point::{BadSize, Point};
use super::report::Choice;
use super::rules::Rules;
use super::score;
use super::timing::limits;
use crate::base::settings::SettingError;
use crate::base::{Colour, Control};

/// Reads a player from `name=value` pairs with commas between: `player=uct,playouts=1000`.
pub fn parse_player(text: &str) -> Result<Config, SettingError> {
    let mut config = Config::named(PlayerKind::Rave);
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(|| SettingError::Unknown(pair.into()))?;
        super::config::set(&mut config, name.trim(), value.trim())?;
    }
    Ok(config)
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    pub size: usize,
    pub komi: f32,
    pub games: u32,
    pub seed: u64,
}

#[derive(Debug, Clone)]
pub struct Finished {
    pub game: GoGame,
    /// Which colour the first player had.
    pub first_is: Colour,
    /// `None` for a draw.
    pub winner: Option<Colour>,
    pub resigned: bool,
    pub score: f32,
}

impl Finished {
    /// 1, 0.5 or 0 for the first player.
    pub fn points(&self) -> f64 {
        self.winner.map_or(0.5, |winner| if winner == self.first_is { 1.0 } else { 0.0 })
    }
}

/// Plays the games, colours alternating, and shows each when it is over. All stones left at the end count as alive,
/// so that nobody has to judge.
pub fn run(
    first: &Config,
    second: &Config,
    terms: Terms,
    mut show: impl FnMut(&Finished),
) -> Result<Vec<Finished>, BadSize> {
    let mut finished = Vec::new();
    for number in 0..terms.games {
        let first_is = if number % 2 == 0 { Colour::Black } else { Colour::White };
        let seed = terms.seed.wrapping_add(u64::from(number)) << 16;
        let mut players = [Player::new(first.clone()), Player::new(second.clone())];
        let result = one_game(&mut players, first_is, seed, terms)?;
        show(&result);
        finished.push(result);
    }
    Ok(finished)
}

fn one_game(players: &mut [Player; 2], first_is: Colour, seed: u64, terms: Terms) -> Result<Finished, BadSize> {
    let mut game = GoGame::new(terms.size, Rules::TROMP_TAYLOR, terms.komi)?;
    let most = 3 * game.geometry().area();
    while !game.is_over() && game.plays().len() < most {
        let me = game.to_move();
        let player = &mut players[usize::from(me != first_is)];
        player.set_seed(seed.wrapping_add(game.plays().len() as u64));
        let limits = limits(player.config(), None, &game);
        match player.think(&game, limits, Control::alone()).choice {
            Choice::Resign => {
                let score = score::final_score(&game, &[]);
                return Ok(Finished { game, first_is, winner: Some(!me), resigned: true, score });
            }
            // A player never chooses an illegal move; should one do so, it passes.
            Choice::Play(p) => {
                let legal = game.check(me, p).is_ok();
                debug_assert!(legal);
                let _ = game.play(me, if legal { p } else { Point::PASS });
            }
        }
    }
    let score = score::final_score(&game, &[]);
    let winner = match score {
        s if s > 0.0 => Some(Colour::Black),
        s if s < 0.0 => Some(Colour::White),
        _ => None,
    };
    Ok(Finished { game, first_is, winner, resigned: false, score })
}

/// The first player's share of the points and half the width of its 95 % interval.
pub fn share(finished: &[Finished]) -> (f64, f64) {
    let n = finished.len().max(1) as f64;
    let mean = finished.iter().map(Finished::points).sum::<f64>() / n;
    (mean, 1.96 * (mean * (1.0 - mean) / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_read_from_text() {
        let config = parse_player("player=uct, playouts=50,threads=2").unwrap();
        assert_eq!((config.kind, config.playouts, config.threads), (PlayerKind::Uct, 50, 2));
        assert!(parse_player("player=human").is_err());
        assert!(parse_player("playouts").is_err());
    }

    #[test]
    fn games_are_finished_and_can_be_repeated() {
        let first = parse_player("player=rave,playouts=20").unwrap();
        let second = parse_player("player=uct,playouts=20").unwrap();
        let terms = Terms { size: 5, komi: 0.5, games: 2, seed: 1 };
        let play = || run(&first, &second, terms, |_| {}).unwrap();
        let (one, two) = (play(), play());
        for (a, b) in one.iter().zip(&two) {
            assert_eq!(a.game.plays(), b.game.plays());
            assert!(a.resigned || a.game.is_over());
        }
        assert_eq!(one[0].first_is, Colour::Black);
        assert_eq!(one[1].first_is, Colour::White);
    }
}
