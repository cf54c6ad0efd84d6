//! Names of openings beside what searches and analyses say.

use crate::{
    engine::{Opening, Thought},
    othello::{Game, Move, Position, notation, study::openings::Names},
};

/// The opening that this very position is.
fn of(position: Position) -> Option<Opening> {
    let name = |names: &Names| names.of(position).map(str::to_string);
    let opening = Opening { english: name(Names::english()), japanese: name(Names::japanese()) };
    (opening != Opening::default()).then_some(opening)
}

/// The last opening that the game went through.
pub fn reached(game: &Game) -> Option<Opening> {
    let name = |names: &Names| names.reached(game).map(|(name, _)| name.to_string());
    let opening = Opening { english: name(Names::english()), japanese: name(Names::japanese()) };
    (opening != Opening::default()).then_some(opening)
}

/// All openings of the whole line, with the ply at which each was reached.
pub fn along(game: &Game) -> Vec<(usize, Opening)> {
    (0..=game.plies().len()).filter_map(|ply| Some((ply, of(game.position_at(ply)?)?))).collect()
}

/// The same thought, with the openings that its moves lead to if `names` are wanted.
pub fn named(names: bool, position: Position, mut thought: Thought) -> Thought {
    if names {
        let opening = |mv: &str| match notation::parse_move(mv).ok()? {
            Move::Place(square) => of(position.play(square)?),
            Move::Pass => None,
        };
        thought.openings =
            thought.lines.iter().filter_map(|line| Some((line.best().to_string(), opening(line.best())?))).collect();
    }
    thought
}
