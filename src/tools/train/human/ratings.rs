//! Ratings of the players of the WTHOR games, from their results: Elo's formula, game after game.

use crate::othello::{
    Move, Square,
    human::Rating,
    records::wthor::{Wthor, WthorGame},
};
use std::collections::HashMap;

/// What one game can change at most; more while little is known of a player.
const STEP: f64 = 16.0;
const FIRST_STEP: f64 = 48.0;
const FIRST_GAMES: u32 = 30;

/// The moves of a game, passes left out, and the ratings of black and white.
pub type Rated = (Vec<Square>, [Rating; 2]);

#[derive(Clone, Copy)]
struct Player {
    rating: f64,
    games: u32,
}

/// The games of files in the order of their years. The ratings of a game are those before it, but for a player's first
/// games, which count with what they led to: nobody begins as an average player.
pub fn rated(files: &[Wthor]) -> Vec<(u16, Vec<Rated>)> {
    let mut players: HashMap<u16, Player> = HashMap::new();
    // Once to know the players, once for the ratings.
    files.iter().flat_map(|file| &file.games).for_each(|game| {
        play(&mut players, game);
    });
    let list = files.iter().map(|file| {
        let games = file.games.iter().filter_map(|game| {
            let ratings = play(&mut players, game);
            Some((squares(game)?, ratings))
        });
        (file.header.year, games.collect())
    });
    list.collect()
}

/// Counts a game; the ratings before it.
fn play(players: &mut HashMap<u16, Player>, game: &WthorGame) -> [Rating; 2] {
    let ids = [game.black, game.white];
    let [black, white] = ids.map(|id| *players.entry(id).or_insert(Player { rating: Rating::MEAN.0, games: 0 }));
    let expected = 1.0 / (1.0 + 10f64.powf((white.rating - black.rating) / 400.0));
    let result = match game.score.cmp(&32) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    for (id, player, gain) in [(ids[0], black, result - expected), (ids[1], white, expected - result)] {
        let step = if player.games < FIRST_GAMES { FIRST_STEP } else { STEP };
        players.insert(id, Player { rating: player.rating + step * gain, games: player.games + 1 });
    }
    [Rating(black.rating), Rating(white.rating)]
}

fn squares(game: &WthorGame) -> Option<Vec<Square>> {
    let record = game.record().ok()?;
    let placed = record.game.plies().iter().filter_map(|ply| match ply.mv {
        Move::Place(square) => Some(square),
        Move::Pass => None,
    });
    Some(placed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wins_is_rated_higher() {
        let game =
            |black, white, score| WthorGame { tournament: 0, black, white, score, theoretical: 32, moves: [0; 60] };
        let mut players = HashMap::new();
        for _ in 0..50 {
            play(&mut players, &game(1, 2, 40));
            play(&mut players, &game(2, 3, 40));
        }
        let rating = |id: u16| players[&id].rating;
        assert!(rating(1) > rating(2) + 100.0 && rating(2) > rating(3) + 100.0);
        let sum: f64 = players.values().map(|player| player.rating).sum();
        assert!((sum - 4500.0).abs() < 60.0, "{sum}");
    }
}
