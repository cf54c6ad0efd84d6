//! Openings: read from a file and checked move by move, or drawn at random from a seed.

use super::{
    record::Ply,
    referee::{BadMove, GameKind, Referee, othello_position, othello_text},
};
use crate::{
    base::Rng,
    othello::{Move, notation::parse_moves},
};
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, fs, path::Path};

/// A start position and the moves played from it before the engines take over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// Where it comes from, for messages: `openings.txt:12`.
    pub source: String,
    /// `None` is the normal start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    pub moves: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    #[error("{place}: {why}")]
    Bad { place: String, why: String },
    #[error("{0} holds no openings")]
    Empty(String),
}

impl Opening {
    /// The moves with their colours. An opening that came out of a file earlier may still be wrong.
    pub fn plies(&self, game: GameKind) -> Result<Vec<Ply>, BadMove> {
        let mut referee = game.referee(self.position.as_deref())?;
        let play = |text: &String| {
            let colour = referee.to_move();
            referee.play(text).map(|text| Ply::given(colour, text))
        };
        self.moves.iter().map(play).collect()
    }
}

/// All openings of a file; the first wrong one is named with its line.
pub fn load(path: &Path, game: GameKind) -> Result<Vec<Opening>, OpeningError> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| OpeningError::File(name.clone(), error))?;
    let openings = parse(&name, &String::from_utf8_lossy(&bytes), game)?;
    if openings.is_empty() { Err(OpeningError::Empty(name)) } else { Ok(openings) }
}

fn parse(name: &str, text: &str, game: GameKind) -> Result<Vec<Opening>, OpeningError> {
    let mut openings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with(['#', '%']) {
            continue;
        }
        let place = format!("{name}:{}", number + 1);
        let bad = |why: String| OpeningError::Bad { place: place.clone(), why };
        let (position, moves) = read_line(line, game).map_err(bad)?;
        openings.push(checked(place.clone(), position, &moves, game).map_err(bad)?);
    }
    Ok(openings)
}

/// A position, if the line holds one, and the words of the moves.
fn read_line(line: &str, game: GameKind) -> Result<(Option<String>, Vec<String>), String> {
    match game {
        GameKind::Othello => othello_line(line),
        GameKind::Go { .. } => {
            Ok((None, line.split([' ', ',', ';']).filter(|w| !w.is_empty()).map(str::to_owned).collect()))
        }
    }
}

fn othello_line(line: &str) -> Result<(Option<String>, Vec<String>), String> {
    // What follows the `;` of a problem is its answers.
    let head = line.split(';').next().unwrap_or(line);
    match (othello_position(head), parse_moves(line)) {
        (Ok(position), _) => Ok((Some(othello_text(position)), Vec::new())),
        (Err(_), Ok(moves)) => Ok((None, moves.iter().map(Move::to_string).collect())),
        // A long line without a square of the board in it was meant to be a board.
        (Err(board), Err(_)) if head.len() >= 60 => Err(board.to_string()),
        (Err(_), Err(moves)) => Err(moves.to_string()),
    }
}

/// Plays the opening through; passes that the text leaves out are put in.
fn checked(place: String, position: Option<String>, words: &[String], game: GameKind) -> Result<Opening, String> {
    let mut referee = game.referee(position.as_deref()).map_err(|error| error.to_string())?;
    let mut moves = Vec::new();
    for word in words {
        if referee.must_pass() {
            match referee.play(word) {
                Ok(pass) => moves.push(pass),
                Err(_) => moves.extend([play(&mut *referee, "pass")?, play(&mut *referee, word)?]),
            }
        } else {
            moves.push(play(&mut *referee, word)?);
        }
    }
    if referee.result().is_some() {
        return Err("the game is over after this opening".into());
    }
    Ok(Opening { source: place, position, moves })
}

fn play(referee: &mut dyn Referee, word: &str) -> Result<String, String> {
    referee.play(word).map_err(|error| error.to_string())
}

/// `count` different openings of `plies` random moves. The first ones are the same whatever the count.
pub fn random(game: GameKind, count: usize, plies: u32, seed: u64) -> Result<Vec<Opening>, OpeningError> {
    const TRIES: usize = 100;
    let mut rng = Rng::new(seed);
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    while openings.len() < count {
        // Few plies have few positions: when nothing new turns up, a repetition is taken.
        let mut last = None;
        for _ in 0..TRIES {
            last = random_line(game, plies, &mut rng).or(last);
            if last.as_ref().is_some_and(|(_, position)| seen.insert(position.clone())) {
                break;
            }
        }
        let why = || format!("{plies} random moves end the game");
        let (moves, _) = last.ok_or_else(|| OpeningError::Bad { place: "random openings".into(), why: why() })?;
        openings.push(Opening { source: format!("random {}", openings.len() + 1), position: None, moves });
    }
    Ok(openings)
}

/// `None` when the game was over before.
fn random_line(game: GameKind, plies: u32, rng: &mut Rng) -> Option<(Vec<String>, String)> {
    let mut referee = game.referee(None).ok()?;
    let mut moves = Vec::new();
    for _ in 0..plies {
        let choice = rng.pick(&referee.moves())?.clone();
        moves.push(referee.play(&choice).ok()?);
    }
    referee.result().is_none().then(|| (moves, referee.position()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn othello(text: &str) -> Result<Vec<Opening>, String> {
        parse("file.txt", text, GameKind::Othello).map_err(|error| error.to_string())
    }

    #[test]
    fn transcripts_and_boards() {
        let board = "---------------------------OX------XO--------------------------- X; D3:+0;";
        let openings = othello(&format!("# a comment\nf5d6c3\n\n F5 D6\n{board}\n")).unwrap();
        assert_eq!(
            openings[0],
            Opening {
                source: "file.txt:2".into(),
                position: None,
                moves: ["f5", "d6", "c3"].map(String::from).to_vec()
            }
        );
        assert_eq!(openings[1].moves, ["f5", "d6"]);
        assert_eq!(openings[2].position.as_deref(), Some(super::super::referee::OTHELLO_START));
        let plies = openings[0].plies(GameKind::Othello).unwrap();
        assert_eq!(plies[1].colour, crate::base::Colour::White);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, expected) in [
            ("f5d6\nf5f5", "file.txt:2: f5 is not legal for white after 1 moves"),
            ("f5d", "file.txt:1: "),
            ("f5zz", "file.txt:1: "),
            (&"-X".repeat(32), "file.txt:1: not a position: the side to move is missing"),
            ("e6f4e3f6g5d6e7f5c5", "file.txt:1: the game is over"),
        ] {
            let error = othello(text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(matches!(load(Path::new("/nonexistent"), GameKind::Othello), Err(OpeningError::File(..))));
    }

    #[test]
    fn passes_may_be_left_out() {
        // A game drawn at random in which somebody has to pass; written with and without its passes.
        let (line, _) = (0..1000)
            .filter_map(|seed| random_line(GameKind::Othello, 40, &mut Rng::new(seed)))
            .find(|(moves, _)| moves.iter().any(|text| text == "pass"))
            .unwrap();
        let without: String = line.iter().filter(|text| *text != "pass").map(String::as_str).collect();
        let with: String = line.iter().map(|text| if text == "pass" { "PA" } else { text }).collect();
        // A pass at the very end cannot be told from the text without passes.
        let last = line.iter().rposition(|text| text != "pass").unwrap();
        assert_eq!(othello(&without).unwrap()[0].moves, line[..=last]);
        assert_eq!(othello(&with).unwrap()[0].moves, line);
    }

    #[test]
    fn random_openings_come_from_the_seed() {
        let ten = random(GameKind::Othello, 10, 8, 7).unwrap();
        assert_eq!(random(GameKind::Othello, 20, 8, 7).unwrap()[..10], ten);
        assert_ne!(random(GameKind::Othello, 10, 8, 8).unwrap(), ten);
        assert!(ten.iter().all(|opening| opening.moves.len() == 8 && opening.plies(GameKind::Othello).is_ok()));
        // One ply has only four positions.
        assert_eq!(random(GameKind::Othello, 6, 1, 1).unwrap().len(), 6);
        assert!(random(GameKind::Othello, 1, 70, 1).is_err());
    }
}
