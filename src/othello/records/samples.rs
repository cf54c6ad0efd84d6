//! Games for the tests of all formats.

use super::{Ending, GameClock, GameResult, Record};
use crate::{
    base::{Colour, Rng},
    othello::{Game, Move, Position},
};
use proptest::prelude::*;
use std::time::Duration;

/// A random game from the start or from a position reached at random, finished or not; passes are played by hand.
pub fn game(seed: u64, set_up: bool) -> Game {
    let mut rng = Rng::new(seed);
    let mut game = Game::without_auto_pass(Position::START);
    let first = rng.below(30);
    let stop = rng.below(80);
    for ply in 0..80 {
        if set_up && ply == first && !game.is_over() {
            game.set_position(game.position());
        }
        let Some(&mv) = rng.pick(&game.position().legal()) else { break };
        if ply == stop && ply > first {
            break;
        }
        game.play(None, mv).unwrap();
    }
    game
}

/// Games as they are in formats that keep the moves alone.
pub fn moves(game: &Game) -> Vec<(Colour, Move)> {
    game.played().iter().map(|ply| (ply.colour, ply.mv)).collect()
}

pub fn without_passes(game: &Game) -> Vec<(Colour, Move)> {
    moves(game).into_iter().filter(|(_, mv)| *mv != Move::Pass).collect()
}

pub fn games(set_up: bool) -> impl Strategy<Value = Game> {
    any::<u64>().prop_map(move |seed| game(seed, set_up))
}

fn word() -> impl Strategy<Value = String> {
    // Letters of any script.
    r"([\p{L}\p{N}+][\p{L}\p{M}\p{N}+. ]{0,8}[\p{L}\p{N}+])?"
}

fn clock() -> impl Strategy<Value = GameClock> {
    let time = || (0u64..400_000, 0u64..1000).prop_map(|(s, ms)| Duration::from_millis(s * 1000 + ms));
    (time(), time(), time()).prop_map(|(main, increment, grace)| GameClock { main, increment, grace })
}

pub fn result() -> impl Strategy<Value = GameResult> {
    let ending = prop::sample::select(vec![Ending::Played, Ending::Resigned, Ending::Timeout, Ending::Left]);
    ((-64i32..=64).prop_map(f64::from), ending).prop_map(|(margin, ending)| match margin {
        0.0 => GameResult::from_score(0.0),
        _ => GameResult { ending, ..GameResult::from_score(margin) },
    })
}

/// Everything a record can hold.
pub fn records() -> impl Strategy<Value = Record> {
    let texts = (word(), word(), word(), word(), word(), word());
    let numbers = (prop::option::of(0u32..3000), prop::option::of(clock()), prop::option::of(clock()));
    (games(true), texts, numbers, prop::option::of(result()), any::<u64>()).prop_map(
        |(mut game, (black, white, place, event, date, memo), (rating, one, other), result, seed)| {
            let mut rng = Rng::new(seed);
            let length = game.ply();
            for ply in 1..=length {
                game.go_to(ply);
                let note = |rng: &mut Rng, scale| (rng.below(2) == 1).then(|| rng.below(6000) as f64 / scale);
                game.annotate(note(&mut rng, 100.0).map(|v| v - 30.0), note(&mut rng, 1000.0));
            }
            let result =
                result.or_else(|| game.is_over().then(|| GameResult::from_score(game.score().difference().into())));
            Record {
                names: [black, white],
                ratings: [rating.map(f64::from), None],
                clocks: [one, other],
                place,
                event,
                date,
                result,
                memo,
                ..Record::new(game)
            }
        },
    )
}
