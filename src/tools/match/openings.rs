//! Openings: read from a file and checked move by move, or drawn at random from a seed.

use super::{
    record::Ply,
    referee::{BadMove, GameKind, othello_text},
};
use crate::{
    base::{
        Rng,
        files::{self, text_of},
        sgf,
    },
    othello::{
        Game, Position,
        records::{BadEntry, Format, Record, read_any},
    },
};
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, path::Path};

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

/// All openings of a file, of games so many moves if that is told; the first wrong one is named with its line.
pub fn load(path: &Path, game: GameKind, plies: Option<usize>) -> Result<Vec<Opening>, OpeningError> {
    let name = path.display().to_string();
    let bytes = files::read(path, files::LARGEST).map_err(|error| OpeningError::File(name.clone(), error))?;
    let lines = match (game, Format::from_path(path)) {
        (GameKind::Othello, Format::Text) => othello_lines(&name, &text_of(bytes))?,
        (GameKind::Othello, format) => othello_records(&name, format, bytes)?,
        (GameKind::Go { size, .. }, Format::Sgf) => go_records(&name, &text_of(bytes), usize::from(size))?,
        (GameKind::Go { .. }, _) => go_lines(&name, &text_of(bytes)),
    };
    let mut openings = Vec::new();
    for (place, position, mut moves) in lines {
        moves.truncate(plies.unwrap_or(usize::MAX));
        let opening = checked(place.clone(), position, moves, game);
        openings.push(opening.map_err(|why| OpeningError::Bad { place, why })?);
    }
    if openings.is_empty() { Err(OpeningError::Empty(name)) } else { Ok(openings) }
}

/// Where it stands, the position and the moves.
type Entry = (String, Option<String>, Vec<String>);

/// The lines that are neither empty nor comments, with their places.
fn lines<'a>(name: &'a str, text: &'a str) -> impl Iterator<Item = (String, &'a str)> {
    let all = text.lines().enumerate().map(move |(i, line)| (format!("{name}:{}", i + 1), line.trim()));
    all.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%']))
}

/// One opening a line, in any notation.
fn othello_lines(name: &str, text: &str) -> Result<Vec<Entry>, OpeningError> {
    lines(name, text)
        .map(|(place, line)| match read_any(line) {
            Ok(game) => Ok(entry(place, &game)),
            Err(error) => Err(OpeningError::Bad { place, why: error.to_string() }),
        })
        .collect()
}

fn othello_records(name: &str, format: Format, bytes: Vec<u8>) -> Result<Vec<Entry>, OpeningError> {
    let read = |found: Result<Record, BadEntry>| match found {
        Ok(record) => Ok(record),
        Err(BadEntry { line: Some(line), error, .. }) => {
            Err(OpeningError::Bad { place: format!("{name}:{line}"), why: error.to_string() })
        }
        Err(error) => Err(OpeningError::Bad { place: name.into(), why: error.to_string() }),
    };
    let number = |(i, record): (usize, Record)| entry(format!("{name}, game {}", i + 1), &record.game);
    let records: Vec<Record> = format.read(bytes).into_iter().map(read).collect::<Result<_, _>>()?;
    Ok(records.into_iter().enumerate().map(number).collect())
}

fn entry(place: String, game: &Game) -> Entry {
    let position = (game.start() != Position::START).then(|| othello_text(game.start()));
    (place, position, game.moves().map(|mv| mv.to_string()).collect())
}

fn go_lines(name: &str, text: &str) -> Vec<Entry> {
    let words = |line: &str| line.split([' ', ',', ';']).filter(|w| !w.is_empty()).map(str::to_owned).collect();
    lines(name, text).map(|(place, line)| (place, None, words(line))).collect()
}

/// The main lines of games without stones set up.
fn go_records(name: &str, text: &str, size: usize) -> Result<Vec<Entry>, OpeningError> {
    let bad = |place: String, why: String| OpeningError::Bad { place, why };
    let mut entries = Vec::new();
    for (i, tree) in sgf::parse(text).map_err(|error| bad(name.into(), error.to_string()))?.iter().enumerate() {
        let place = format!("{name}, game {}", i + 1);
        if tree.root().has("AB") || tree.root().has("AW") {
            return Err(bad(place, "stones are set up; only moves can be an opening".into()));
        }
        let point = |node: usize| ["B", "W"].iter().find_map(|colour| tree.node(node).get(colour));
        let moves = tree.main_line().filter_map(point).map(|point| go_vertex(point, size)).collect();
        entries.push((place, None, moves));
    }
    Ok(entries)
}

/// `cd` on a 9×9 board is C6.
fn go_vertex(point: &str, size: usize) -> String {
    let place = |byte: u8| usize::from(byte.wrapping_sub(b'a'));
    match point.as_bytes() {
        &[column, row] if place(column) < size && place(row) < size => {
            let skip_i = u8::from(place(column) > 7);
            format!("{}{}", char::from(column.to_ascii_uppercase() + skip_i), size - place(row))
        }
        _ => "pass".into(),
    }
}

/// Plays the opening through.
fn checked(source: String, position: Option<String>, words: Vec<String>, game: GameKind) -> Result<Opening, String> {
    let mut referee = game.referee(position.as_deref()).map_err(|error| error.to_string())?;
    let play = |word: &String| referee.play(word).map_err(|error| error.to_string());
    let moves = words.iter().map(play).collect::<Result<Vec<_>, _>>()?;
    match referee.result() {
        Some(_) => Err("the game is over after this opening (see --opening-plies)".into()),
        None => Ok(Opening { source, position, moves }),
    }
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
    use std::{
        fs,
        sync::atomic::{AtomicUsize, Ordering},
    };

    fn othello(text: &str) -> Result<Vec<Opening>, String> {
        file("openings.txt", text, None)
    }

    fn file(name: &str, text: &str, plies: Option<usize>) -> Result<Vec<Opening>, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("shirokuro-openings-{}-{number}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join(name);
        fs::write(&path, text).unwrap();
        let found = load(&path, GameKind::Othello, plies).map_err(|error| error.to_string());
        fs::remove_dir_all(&dir).unwrap();
        found.map_err(|error| error.rsplit_once('/').map_or(error.clone(), |(_, end)| end.into()))
    }

    #[test]
    fn transcripts_and_boards() {
        let board = "---------------------------OX------XO--------------------------- X; D3:+0;";
        let openings =
            othello(&format!("# a comment\nf5d6c3\n\n F5 D6\n{board}\n{}OX-- X;\n", "-".repeat(60))).unwrap();
        assert_eq!(openings[0].moves, ["f5", "d6", "c3"]);
        assert!(openings[0].source.ends_with("openings.txt:2"));
        assert_eq!(openings[1].moves, ["f5", "d6"]);
        assert_eq!(openings[2].position, None, "the normal start");
        assert_eq!(openings[3].position.as_deref().map(|text| &text[60..]), Some("OX--X"));
        let plies = openings[0].plies(GameKind::Othello).unwrap();
        assert_eq!(plies[1].colour, crate::base::Colour::White);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, expected) in [
            ("f5d6\nf5f5", "openings.txt:2: "),
            ("f5d", "openings.txt:1: "),
            ("f5zz", "openings.txt:1: column 3: expected"),
            (&"-".repeat(65), "openings.txt:1: "),
            ("e6f4e3f6g5d6e7f5c5", "openings.txt:1: the game is over"),
        ] {
            let error = othello(text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(matches!(load(Path::new("/nonexistent"), GameKind::Othello, None), Err(OpeningError::File(..))));
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
    fn games_of_files_are_cut() {
        let ggf =
            "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6]B[C3];)";
        assert_eq!(file("a.ggf", ggf, Some(2)).unwrap()[0].moves, ["f5", "d6"]);
        let sgf = "(;GM[2];B[f5];W[d6];B[c3])(;GM[2];B[d3];W[c3])";
        let openings = file("a.sgf", sgf, None).unwrap();
        assert_eq!(openings[1].moves, ["d3", "c3"]);
        assert!(openings[1].source.ends_with("a.sgf, game 2"));
        assert_eq!(file("a.txt", "e6f4e3f6g5d6e7f5c5", Some(4)).unwrap()[0].moves.len(), 4);
        assert!(file("a.ggf", "(;GM[Othello]BO[8", None).is_err());
    }

    #[test]
    fn go_openings() {
        assert_eq!(
            (go_vertex("cd", 9), go_vertex("ia", 9), go_vertex("", 9)),
            ("C6".into(), "J9".into(), "pass".into())
        );
        let entries = go_records("a.sgf", "(;GM[1]SZ[9];B[cc];W[gg](;B[ia])(;B[aa]))", 9).unwrap();
        assert_eq!(entries[0].2, ["C7", "G3", "J9"]);
        assert!(go_records("a.sgf", "(;GM[1]AB[aa];W[gg])", 9).is_err());
        assert_eq!(go_lines("a.txt", "# x\nC3 d4, E5\n")[0].2, ["C3", "d4", "E5"]);
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
