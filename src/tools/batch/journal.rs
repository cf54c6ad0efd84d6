//! What a batch leaves on the disk: the results, one line each, and beside them what was being worked on.

use super::{BatchError, at, jobs::Jobs};
use crate::{
    base::files::{self, Backup},
    tools::pool::job::{fields_of, id_of},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The answers so far. Lines are only ever added.
pub struct Results {
    path: PathBuf,
    file: File,
    /// Whether the answer is an error.
    done: HashMap<String, bool>,
    dirty: bool,
}

impl Results {
    /// Opens or makes the file. A line that was not finished is cut off; a file that holds anything but answers to these
    /// jobs is left as it is.
    pub fn open(path: &Path, jobs: &Jobs) -> Result<Results, BatchError> {
        Results::open_for(path, &|id| jobs.has(id))
    }

    /// The same for jobs that are known elsewhere.
    pub fn open_for(path: &Path, is_job: &dyn Fn(&str) -> bool) -> Result<Results, BatchError> {
        let mut file = files::append(path).map_err(at(path))?;
        let bytes = files::read(path, files::LARGEST).map_err(at(path))?;
        let wrong = |line, message: String| BatchError::Result { path: path.to_path_buf(), line, message };
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |last| last + 1);
        let mut done = HashMap::new();
        let mut lines = 0;
        for line in bytes[..whole].split_inclusive(|&b| b == b'\n') {
            lines += 1;
            let (id, failed) = answer(line).ok_or_else(|| wrong(lines, "this is not an answer".into()))?;
            if !is_job(&id) {
                return Err(wrong(lines, format!("{id} is not the id of a job: the results are those of other jobs")));
            }
            if done.insert(id.clone(), failed).is_some() {
                return Err(wrong(lines, format!("{id} is answered twice")));
            }
        }
        if !is_begun(&bytes[whole..]) {
            return Err(wrong(lines + 1, "this is not the beginning of an answer".into()));
        }
        if whole < bytes.len() {
            file.set_len(whole as u64).and_then(|()| file.sync_data()).map_err(at(path))?;
        }
        file.flush().map_err(at(path))?;
        Ok(Results { path: path.to_path_buf(), file, done, dirty: false })
    }

    pub fn has(&self, id: &str) -> bool {
        self.done.contains_key(id)
    }

    pub fn has_failed(&self, id: &str) -> bool {
        self.done.get(id) == Some(&true)
    }

    pub fn add(&mut self, id: &str, line: &str, failed: bool) -> Result<(), BatchError> {
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(at(&self.path))?;
        self.done.insert(id.to_owned(), failed);
        self.dirty = true;
        Ok(())
    }

    /// What was added is on the disk afterwards.
    pub fn sync(&mut self) -> Result<(), BatchError> {
        if std::mem::take(&mut self.dirty) {
            self.file.sync_data().map_err(at(&self.path))?;
        }
        Ok(())
    }
}

/// The id of an answer, and whether it is an error.
fn answer(line: &[u8]) -> Option<(String, bool)> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let failed = match value["type"].as_str()? {
        "answer" => false,
        "error" => true,
        _ => return None,
    };
    Some((id_of(&value["id"])?, failed))
}

/// Nothing, the beginning of an answer, or the zeros that a file system may leave where a write was under way.
fn is_begun(half: &[u8]) -> bool {
    const BEGINNING: &[u8] = b"{\"id\":";
    let length = half.len().min(BEGINNING.len());
    half[..length] == BEGINNING[..length] || half.iter().all(|&b| b == 0)
}

/// What is known of the jobs without an answer that were begun: which of them run, and which ran when the process died. A
/// job that was stopped is taken back. The file goes when all is done.
pub struct Attempts {
    path: PathBuf,
    file: File,
    known: BTreeMap<String, Attempt>,
    /// Bytes added since it was written anew.
    added: usize,
}

/// What is known of a job that was begun.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    #[serde(default)]
    pub running: bool,
    /// How often it was running when the process died and the attendant saw it.
    #[serde(default)]
    pub deaths: u32,
    /// How often it was running when everything ended at once. The question may have done it; mostly it was the power.
    #[serde(default)]
    pub losses: u32,
}

/// When so many bytes were added, the file is written anew with what still counts.
const MOST_ADDED: usize = 1 << 20;

impl Attempts {
    /// What still runs by the file was lost, unless it has its answer.
    pub fn open(answers: &Path, results: &Results) -> Result<Attempts, BatchError> {
        let mut known = Attempts::read(answers)?;
        known.retain(|id, _| !results.has(id));
        running(&mut known)
            .for_each(|(_, attempt)| *attempt = Attempt { running: false, losses: attempt.losses + 1, ..*attempt });
        let path = path_of(answers);
        let file = written_anew(&path, &known).map_err(at(&path))?;
        Ok(Attempts { path, file, known, added: 0 })
    }

    /// Notes that the process died over what was running, and says which jobs were begun in it.
    pub fn died(answers: &Path) -> Result<Vec<String>, BatchError> {
        let mut known = Attempts::read(answers)?;
        let mut ids = vec![];
        for (id, attempt) in running(&mut known) {
            *attempt = Attempt { running: false, deaths: attempt.deaths + 1, ..*attempt };
            ids.push(id.clone());
        }
        if !ids.is_empty() {
            let path = path_of(answers);
            written_anew(&path, &known).map_err(at(&path))?;
        }
        Ok(ids)
    }

    fn read(answers: &Path) -> Result<BTreeMap<String, Attempt>, BatchError> {
        let path = path_of(answers);
        match path.exists() {
            true => Ok(last_lines(&files::read_text(&path, files::LARGEST).map_err(at(&path))?)),
            false => Ok(BTreeMap::new()),
        }
    }

    pub fn of(&self, id: &str) -> Attempt {
        self.known.get(id).copied().unwrap_or_default()
    }

    /// Noted before the job begins. It is not forced to the disk: what outlives the process is enough.
    pub fn begin(&mut self, id: &str) -> Result<(), BatchError> {
        self.note(id, Attempt { running: true, ..self.of(id) })
    }

    pub fn take_back(&mut self, id: &str) -> Result<(), BatchError> {
        self.note(id, Attempt { running: false, ..self.of(id) })
    }

    /// The job has its answer.
    pub fn end(&mut self, id: &str) {
        self.known.remove(id);
    }

    fn note(&mut self, id: &str, attempt: Attempt) -> Result<(), BatchError> {
        self.known.insert(id.to_owned(), attempt);
        if self.added > MOST_ADDED {
            self.file = written_anew(&self.path, &self.known).map_err(at(&self.path))?;
            self.added = 0;
            return Ok(());
        }
        let line = line_of(id, attempt);
        self.added += line.len();
        self.file.write_all(line.as_bytes()).map_err(at(&self.path))
    }

    pub fn remove(self) -> Result<(), BatchError> {
        drop(self.file);
        fs::remove_file(&self.path).map_err(at(&self.path))
    }
}

fn path_of(answers: &Path) -> PathBuf {
    files::with_suffix(answers, ".running")
}

fn running(known: &mut BTreeMap<String, Attempt>) -> impl Iterator<Item = (&String, &mut Attempt)> {
    known.iter_mut().filter(|(_, attempt)| attempt.running)
}

fn line_of(id: &str, attempt: Attempt) -> String {
    let mut fields = fields_of(attempt);
    fields.insert("id".into(), serde_json::from_str(id).unwrap_or_else(|_| id.into()));
    format!("{}\n", Value::Object(fields))
}

/// The last line about a job counts. Half a line is of a job that has not begun.
fn last_lines(text: &str) -> BTreeMap<String, Attempt> {
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        Some((id_of(&value["id"])?, Attempt::deserialize(&value).ok()?))
    };
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).filter_map(read).collect()
}

fn written_anew(path: &Path, known: &BTreeMap<String, Attempt>) -> io::Result<File> {
    let lines = known.iter().filter(|(_, attempt)| **attempt != Attempt::default());
    let text: String = lines.map(|(id, attempt)| line_of(id, *attempt)).collect();
    files::replace_with(path, Backup::None, |file| file.write_all(text.as_bytes()))?;
    files::append(path)
}
