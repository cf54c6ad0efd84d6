//! The results on disk: one JSON object a line, written through to the disk game by game, so that a match killed at
//! any moment loses only the games that were being played.
//!
//! The first line describes the match completely; every other line is a finished game.

use super::{
    openings::Opening,
    options::MatchOptions,
    record::{GameRecord, Ply, Reason, Verdict},
    spec::{Adapters, EngineSpec},
};
use crate::base::Colour;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

const VERSION: u32 = 1;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{path}: {error}", path = .path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{path} exists already: go on with --resume, or choose another --out", path = .0.display())]
    Exists(PathBuf),
    #[error("{path}:{line}: {why}", path = .path.display())]
    Damaged { path: PathBuf, line: usize, why: String },
    #[error("{path} is in use by another match", path = .0.display())]
    InUse(PathBuf),
}

/// Everything that defines a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of this format.
    #[serde(rename = "match")]
    pub version: u32,
    pub options: MatchOptions,
    pub engines: Vec<EngineSpec>,
    #[serde(default, skip_serializing_if = "Adapters::is_empty")]
    pub adapters: Adapters,
    /// What relative paths of the engines start from.
    pub base: PathBuf,
    pub openings: Vec<Opening>,
}

impl Header {
    pub fn new(
        options: MatchOptions,
        engines: Vec<EngineSpec>,
        adapters: Adapters,
        base: PathBuf,
        openings: Vec<Opening>,
    ) -> Header {
        Header { version: VERSION, options, engines, adapters, base, openings }
    }
}

/// A game as a line of the file. Colours of moves follow from the first and are not written.
#[derive(Debug, Serialize, Deserialize)]
pub struct GameLine {
    game: usize,
    opening: usize,
    black: String,
    white: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    result: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    winner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    reason: Reason,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    detail: String,
    started: u64,
    seconds: f64,
    opening_plies: usize,
    first: String,
    moves: Vec<MoveLine>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct MoveLine {
    /// Move.
    m: String,
    /// Value for the mover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    v: Option<f64>,
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    t: Option<f64>,
    /// Depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    d: Option<String>,
    /// Nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    n: Option<u64>,
}

pub fn to_line(record: &GameRecord, names: &[String]) -> GameLine {
    let rounded = |x: f64, unit: f64| (x * unit).round() / unit;
    let moves = record.plies.iter().map(|ply| MoveLine {
        m: ply.text.clone(),
        v: ply.value.map(|v| rounded(v, 1e3)),
        t: ply.seconds.map(|t| rounded(t, 1e6)),
        d: ply.depth.clone(),
        n: ply.nodes,
    });
    let verdict = &record.verdict;
    GameLine {
        game: record.index,
        opening: record.opening,
        black: names[record.players[0]].clone(),
        white: names[record.players[1]].clone(),
        position: record.position.clone(),
        result: verdict.to_string(),
        winner: verdict.winner.map(|colour| colour.to_string()),
        score: verdict.score,
        reason: verdict.reason,
        detail: verdict.detail.clone(),
        started: record.started,
        seconds: rounded(record.seconds, 1e3),
        opening_plies: record.opening_plies,
        first: record.plies.first().map_or(Colour::Black, |ply| ply.colour).to_string(),
        moves: moves.collect(),
    }
}

pub fn from_line(line: GameLine, names: &[String]) -> Result<GameRecord, String> {
    let player = |name: &str| {
        names.iter().position(|known| known == name).ok_or_else(|| format!("`{name}` is no engine of this match"))
    };
    let colour = |text: &str| text.parse::<Colour>().map_err(|error| error.to_string());
    let mut next = colour(&line.first)?;
    let plies = line.moves.into_iter().map(|one| {
        let ply = Ply { colour: next, text: one.m, value: one.v, seconds: one.t, depth: one.d, nodes: one.n };
        next = !next;
        ply
    });
    Ok(GameRecord {
        index: line.game,
        opening: line.opening,
        players: [player(&line.black)?, player(&line.white)?],
        position: line.position,
        plies: plies.collect(),
        opening_plies: line.opening_plies,
        verdict: Verdict {
            winner: line.winner.as_deref().map(colour).transpose()?,
            score: line.score,
            reason: line.reason,
            detail: line.detail,
        },
        started: line.started,
        seconds: line.seconds,
    })
}

/// The open file of a running match.
#[derive(Debug)]
pub struct Store {
    file: File,
    path: PathBuf,
    names: Vec<String>,
}

impl Store {
    /// Begins a new file; one that is there already is not touched.
    pub fn create(path: &Path, header: &Header, names: &[String]) -> Result<Store, StoreError> {
        let failed = |error| StoreError::File { path: path.into(), error };
        let file = File::options().read(true).append(true).create_new(true).open(path).map_err(|error| match error
            .kind()
        {
            io::ErrorKind::AlreadyExists => StoreError::Exists(path.into()),
            _ => failed(error),
        })?;
        let mut store = Store { file, path: path.into(), names: names.to_vec() };
        store.lock()?;
        store.write(header)?;
        Ok(store)
    }

    /// Reads the first line of a file: what match it is.
    pub fn header(path: &Path) -> Result<Header, StoreError> {
        let text = fs::read(path).map_err(|error| StoreError::File { path: path.into(), error })?;
        let first = text.split(|&b| b == b'\n').next().unwrap_or_default();
        let damaged = |why: String| StoreError::Damaged { path: path.into(), line: 1, why };
        let header: Header = serde_json::from_slice(first).map_err(|error| damaged(error.to_string()))?;
        match header.version {
            VERSION => Ok(header),
            other => Err(damaged(format!("version {other} of the format is unknown"))),
        }
    }

    /// Opens a file to go on with it. A last line that was cut off is removed.
    pub fn resume(path: &Path, names: &[String]) -> Result<(Store, Vec<GameRecord>), StoreError> {
        let failed = |error| StoreError::File { path: path.into(), error };
        let mut file = File::options().read(true).append(true).open(path).map_err(failed)?;
        let mut store = Store { file: file.try_clone().map_err(failed)?, path: path.into(), names: names.to_vec() };
        store.lock()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        let mut records = Vec::new();
        for (number, line) in bytes[..whole].split(|&b| b == b'\n').enumerate().skip(1).filter(|(_, l)| !l.is_empty()) {
            let damaged = |why: String| StoreError::Damaged { path: path.into(), line: number + 1, why };
            let line: GameLine = serde_json::from_slice(line).map_err(|error| damaged(error.to_string()))?;
            records.push(from_line(line, names).map_err(damaged)?);
        }
        if whole < bytes.len() {
            store.file.set_len(whole as u64).map_err(failed)?;
        }
        store.file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok((store, records))
    }

    fn lock(&mut self) -> Result<(), StoreError> {
        // A process that is just being started may hold a copy of the lock for a moment.
        let deadline = Instant::now() + Duration::from_secs(1);
        loop {
            match self.file.try_lock() {
                Err(fs::TryLockError::WouldBlock) if Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(20))
                }
                Err(fs::TryLockError::WouldBlock) => return Err(StoreError::InUse(self.path.clone())),
                // A file system without locks is no reason not to play.
                _ => return Ok(()),
            }
        }
    }

    /// Adds a finished game; when this returns it is on the disk.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), StoreError> {
        let line = to_line(record, &self.names);
        self.write(&line)
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), StoreError> {
        let failed = |error| StoreError::File { path: self.path.clone(), error };
        let mut line = serde_json::to_vec(value).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).and_then(|()| self.file.sync_data()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(index: usize) -> GameRecord {
        let thought = crate::tools::tournament::client::Thought {
            value: Some(1.25),
            depth: Some("12@73%".into()),
            nodes: Some(99),
        };
        GameRecord {
            index,
            opening: 3,
            players: [1, 0],
            position: None,
            plies: vec![
                Ply::given(Colour::Black, "f5"),
                Ply::thought(Colour::White, "d6".into(), thought, 0.125),
                Ply::given(Colour::Black, "pass"),
            ],
            opening_plies: 1,
            verdict: Verdict::forfeit(Colour::White, Reason::Crash, "b died (signal 9)".into()),
            started: 1_700_000_000,
            seconds: 1.5,
        }
    }

    fn header() -> Header {
        let engines =
            vec![EngineSpec::from_text("name=a,cmd=x").unwrap(), EngineSpec::from_text("name=b,cmd=y").unwrap()];
        Header::new(MatchOptions::default(), engines, Adapters::new(), "/tmp".into(), Vec::new())
    }

    #[test]
    fn games_come_back_as_they_were_even_after_a_torn_write() {
        let dir = std::env::temp_dir().join(format!("shirokuro-store-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("results.jsonl");
        let _ = fs::remove_file(&path);
        let names = ["a".to_owned(), "b".to_owned()];

        let mut store = Store::create(&path, &header(), &names).unwrap();
        store.add(&record(0)).unwrap();
        store.add(&record(1)).unwrap();
        assert!(matches!(Store::create(&path, &header(), &names), Err(StoreError::Exists(_))));
        assert!(matches!(Store::resume(&path, &names), Err(StoreError::InUse(_))));
        drop(store);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"{\"game\":2,\"open"].concat()).unwrap();

        assert_eq!(Store::header(&path).unwrap(), header());
        let (mut store, records) = Store::resume(&path, &names).unwrap();
        assert_eq!(records, [record(0), record(1)]);
        store.add(&record(2)).unwrap();
        drop(store);
        let (_, records) = Store::resume(&path, &names).unwrap();
        assert_eq!(records.len(), 3);

        fs::write(&path, [&whole[..], b"nonsense\n"].concat()).unwrap();
        let Err(StoreError::Damaged { line, .. }) = Store::resume(&path, &names) else { panic!("it is damaged") };
        assert_eq!(line, 4);
        fs::remove_dir_all(&dir).unwrap();
    }
}
