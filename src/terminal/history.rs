//! The lines typed in earlier sessions, in a file to which every line is added at once: nothing is lost, also when
//! several sessions go on side by side.

use crate::base::files::{self, Unfit};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Lines kept when a session begins.
const KEPT: usize = 1000;
/// A file so large is not ours.
const LARGEST: u64 = 4 << 20;

pub struct History {
    path: Option<PathBuf>,
    lines: Vec<String>,
}

impl History {
    /// Reads the file. One that is damaged is kept under another name, and the notice says so. Where no files may be used
    /// (`--files`), none is.
    pub fn open(path: Option<PathBuf>) -> (History, Option<String>) {
        let none = History { path: None, lines: vec![] };
        let Some(path) = path.filter(|path| files::permitted_or_new(path).is_ok()) else { return (none, None) };
        match read(&path) {
            Ok(lines) => (History { path: Some(path), lines }, None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (History { path: Some(path), lines: vec![] }, None)
            }
            Err(error) if is_damage(&error) => match files::set_aside(&path) {
                Ok(aside) => {
                    let (path, aside) = (path.display().to_string(), aside.display().to_string());
                    let notice = format!("the history {path} is damaged and is kept as {aside}; a new one begins");
                    (History { path: Some(path.into()), lines: vec![] }, Some(notice))
                }
                Err(error) => (none, Some(unkept(&path, &error))),
            },
            Err(error) => (none, Some(unkept(&path, &error))),
        }
    }

    /// The lines of earlier sessions, the newest last.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Adds a line; an error ends the keeping.
    pub fn add(&mut self, line: &str) -> io::Result<()> {
        if line.trim().is_empty() || self.lines.last().is_some_and(|last| last == line) {
            return Ok(());
        }
        self.lines.push(line.to_owned());
        let Some(path) = &self.path else { return Ok(()) };
        let added = append(path, line);
        if added.is_err() {
            self.path = None;
        }
        added
    }
}

fn unkept(path: &Path, error: &io::Error) -> String {
    format!("what is typed is not kept: {}: {error}", path.display())
}

/// The content is at fault, not the way to it.
fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::FileTooLarge)
}

fn read(path: &Path) -> io::Result<Vec<String>> {
    let bytes = files::read(path, LARGEST)?;
    let text = String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, Unfit::NotText))?;
    if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, Unfit::NotText));
    }
    let lines: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
    if lines.len() <= 2 * KEPT {
        return Ok(lines);
    }
    let newest = lines[lines.len() - KEPT..].to_vec();
    let text: String = newest.iter().map(|line| format!("{line}\n")).collect();
    // If it cannot be shortened, it is read the same.
    if let Err(error) = files::replace_with(path, files::Backup::None, |file| file.write_all(text.as_bytes())) {
        log::warn!("{}: {error}", path.display());
    }
    Ok(newest)
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let clean: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    files::append(path)?.write_all(format!("{clean}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn lines_are_kept_and_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/history");
        let (mut history, notice) = History::open(Some(path.clone()));
        assert_eq!((history.lines().len(), notice), (0, None));
        for line in ["f5", "f5", " ", "hint 3\u{7}", "定石"] {
            history.add(line).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "f5\nhint 3 \n定石\n");
        assert_eq!(History::open(Some(path.clone())).0.lines(), ["f5", "hint 3 ", "定石"]);
        let many: String = (0..2500).map(|n| format!("level {n}\n")).collect();
        fs::write(&path, many).unwrap();
        assert_eq!(History::open(Some(path.clone())).0.lines().len(), 1000);
        assert!(fs::read_to_string(&path).unwrap().starts_with("level 1500\n"));
    }

    #[test]
    fn a_damaged_file_is_kept_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        for (n, bytes) in [b"f5\n\xff\xfe".as_slice(), b"f5\0\n"].into_iter().enumerate() {
            fs::write(&path, bytes).unwrap();
            let (history, notice) = History::open(Some(path.clone()));
            assert!(history.lines().is_empty());
            let aside = folder.path().join(if n == 0 { "history.damaged" } else { "history.damaged-2" });
            assert!(notice.unwrap().contains("is damaged"));
            assert_eq!(fs::read(aside).unwrap(), bytes);
            assert!(!path.exists());
        }
    }
}
