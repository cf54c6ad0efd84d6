//! What a batch leaves on the disk: the results, one line each, and beside them what was being worked on.

use super::{BatchError, at, jobs::Jobs};
use crate::{
    base::files::{self, Backup},
    tools::pool::job::id_of,
};
use serde_json::{Value, json};
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

/// How often each job without an answer was begun: who was at work when the process died is in here. A job that was
/// stopped is taken back. The file goes when all is done.
pub struct Attempts {
    path: PathBuf,
    file: File,
    times: BTreeMap<String, u32>,
    /// Bytes added since it was written anew.
    added: usize,
}

/// When so many bytes were added, the file is written anew with what still counts.
const MOST_ADDED: usize = 1 << 20;

impl Attempts {
    pub fn open(results: &Path) -> Result<Attempts, BatchError> {
        let path = files::with_suffix(results, ".running");
        let old = match path.exists() {
            true => files::read_text(&path, files::LARGEST).map_err(at(&path))?,
            false => String::new(),
        };
        let times = counted(&old);
        let file = written_anew(&path, &times).map_err(at(&path))?;
        Ok(Attempts { path, file, times, added: 0 })
    }

    pub fn of(&self, id: &str) -> u32 {
        self.times.get(id).copied().unwrap_or(0)
    }

    /// Noted before the job begins. It is not forced to the disk: what outlives the process is enough.
    pub fn begin(&mut self, id: &str) -> Result<(), BatchError> {
        self.note(id, self.of(id) + 1)
    }

    pub fn take_back(&mut self, id: &str) -> Result<(), BatchError> {
        self.note(id, self.of(id).saturating_sub(1))
    }

    /// The job has its answer.
    pub fn end(&mut self, id: &str) {
        self.times.remove(id);
    }

    fn note(&mut self, id: &str, times: u32) -> Result<(), BatchError> {
        self.times.insert(id.to_owned(), times);
        if self.added > MOST_ADDED {
            self.file = written_anew(&self.path, &self.times).map_err(at(&self.path))?;
            self.added = 0;
            return Ok(());
        }
        let line = line_of(id, times);
        self.added += line.len();
        self.file.write_all(line.as_bytes()).map_err(at(&self.path))
    }

    pub fn remove(self) -> Result<(), BatchError> {
        drop(self.file);
        fs::remove_file(&self.path).map_err(at(&self.path))
    }
}

fn line_of(id: &str, times: u32) -> String {
    let id: Value = serde_json::from_str(id).unwrap_or_else(|_| id.into());
    format!("{}\n", json!({ "id": id, "begun": times }))
}

/// The last line about a job counts. Half a line is of a job that has not begun.
fn counted(text: &str) -> BTreeMap<String, u32> {
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        Some((id_of(&value["id"])?, u32::try_from(value["begun"].as_u64()?).ok()?))
    };
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).filter_map(read).collect()
}

fn written_anew(path: &Path, times: &BTreeMap<String, u32>) -> io::Result<File> {
    let lines = times.iter().filter(|(_, times)| **times > 0).map(|(id, times)| line_of(id, *times));
    let text: String = lines.collect();
    files::replace_with(path, Backup::None, |file| file.write_all(text.as_bytes()))?;
    files::append(path)
}
