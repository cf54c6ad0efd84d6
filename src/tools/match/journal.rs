//! The games that are being played, move by move, beside the results: a match that was killed goes on inside them.
//!
//! One JSON object a line. Lines are not forced to the disk one by one: what the process has written outlives it, and
//! where the machine itself fails, games may go back some moves or begin anew.

use super::record::Ply;
use crate::base::{
    Colour,
    files::{self, Backup},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// A move of a game, or its end.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Step {
    Move {
        game: usize,
        /// The number of the move, from 0 after the opening.
        at: usize,
        colour: String,
        m: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        v: Option<f64>,
        /// Seconds; not rounded, because the clocks follow from them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        t: Option<f64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        d: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        n: Option<u64>,
    },
    Over {
        game: usize,
    },
}

fn step(game: usize, at: usize, ply: &Ply) -> Step {
    let (colour, m) = (ply.colour.to_string(), ply.text.clone());
    Step::Move { game, at, colour, m, v: ply.value, t: ply.seconds, d: ply.depth.clone(), n: ply.nodes }
}

/// The moves after the opening of games that are not over.
pub type Unfinished = BTreeMap<usize, Vec<Ply>>;

#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Begins anew with what is unfinished.
    pub fn create(path: &Path, unfinished: &Unfinished) -> io::Result<Journal> {
        files::replace_with(path, Backup::None, |file| {
            let mut text = Vec::new();
            for (game, plies) in unfinished {
                for (at, ply) in plies.iter().enumerate() {
                    write_line(&mut text, &step(*game, at, ply))?;
                }
            }
            file.write_all(&text)
        })?;
        Ok(Journal { path: path.into(), file: File::options().append(true).open(path)? })
    }

    /// What was being played when the match ended, the games `done` left out. A last line that was cut off is a move
    /// that was not made; any other line that cannot be read is an error, with its number.
    pub fn read(path: &Path, done: impl Fn(usize) -> bool) -> io::Result<Unfinished> {
        let mut unfinished = Unfinished::new();
        if !path.exists() {
            return Ok(unfinished);
        }
        let bytes = files::read(path, files::LARGEST)?;
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        for (number, line) in bytes[..whole].split(|&b| b == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            let bad = |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {why}", number + 1));
            match serde_json::from_slice(line).map_err(|error| bad(error.to_string()))? {
                Step::Over { game } => _ = unfinished.remove(&game),
                Step::Move { game, at, colour, m, v, t, d, n } => {
                    let colour: Colour = colour.parse().map_err(|_| bad(format!("`{colour}` is not a colour")))?;
                    let plies = unfinished.entry(game).or_default();
                    // A game that could not be gone on with begins again at its first move.
                    plies.truncate(at);
                    if plies.len() < at {
                        return Err(bad(format!("move {at} of game {game} comes too early")));
                    }
                    plies.push(Ply { colour, text: m, value: v, seconds: t, depth: d, nodes: n });
                }
            }
        }
        unfinished.retain(|game, _| !done(*game));
        Ok(unfinished)
    }

    pub fn moved(&mut self, game: usize, at: usize, ply: &Ply) -> io::Result<()> {
        write_line(&mut self.file, &step(game, at, ply))
    }

    pub fn over(&mut self, game: usize) -> io::Result<()> {
        write_line(&mut self.file, &Step::Over { game })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Nothing is being played any more.
    pub fn remove(&self) -> io::Result<()> {
        fs::remove_file(&self.path)
    }
}

/// In one write, so that a kill cuts at most one line.
fn write_line(out: &mut impl Write, step: &Step) -> io::Result<()> {
    let mut line = serde_json::to_vec(step)?;
    line.push(b'\n');
    out.write_all(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_being_played_comes_back_even_after_a_torn_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("running.jsonl");
        assert_eq!(Journal::read(&path, |_| false).unwrap(), Unfinished::new());
        let ply = |text: &str, seconds| Ply { seconds: Some(seconds), ..Ply::given(Colour::White, text) };
        let mut journal = Journal::create(&path, &Unfinished::new()).unwrap();
        journal.moved(3, 0, &ply("d6", 0.123_456_789)).unwrap();
        journal.moved(4, 0, &ply("c4", 1.0)).unwrap();
        journal.moved(3, 1, &Ply::given(Colour::Black, "pass")).unwrap();
        journal.over(4).unwrap();
        drop(journal);
        let expected = Unfinished::from([(3, vec![ply("d6", 0.123_456_789), Ply::given(Colour::Black, "pass")])]);
        assert_eq!(Journal::read(&path, |_| false).unwrap(), expected);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"{\"move\":{\"game\":3,\"at\":2,\"co"].concat()).unwrap();
        assert_eq!(Journal::read(&path, |_| false).unwrap(), expected);
        assert_eq!(Journal::read(&path, |game| game == 3).unwrap(), Unfinished::new());
        // Gone on with, it holds the same; begun again, the new moves count.
        let mut journal = Journal::create(&path, &expected).unwrap();
        assert_eq!(Journal::read(&path, |_| false).unwrap(), expected);
        journal.moved(3, 0, &ply("c6", 2.0)).unwrap();
        assert_eq!(Journal::read(&path, |_| false).unwrap()[&3], [ply("c6", 2.0)]);
        fs::write(&path, [b"nonsense\n", &whole[..]].concat()).unwrap();
        assert!(Journal::read(&path, |_| false).unwrap_err().to_string().starts_with("line 1: "));
    }
}
