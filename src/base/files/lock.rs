//! One process at a time writes a file: a lock of the operating system on `NAME.lock`, with the owner's name in it.
//!
//! The lock goes with the process, however it ends, so that a file left behind is in nobody's way.

use super::{target_of, with_suffix};
use std::{
    fmt,
    fs::{self, File, TryLockError},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// The right to write a file. Within one process it is shared by all that ask for it.
#[derive(Debug, Clone)]
pub struct Lock(Arc<Held>);

/// What became of the wish for a lock.
#[derive(Debug)]
pub enum Claim {
    Ours(Lock),
    Taken(Holder),
    /// The file system has no locks, or the directory cannot be written.
    NoLocks,
}

/// Who has a file open for writing, as far as its lock file tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    pub process: Option<u32>,
    pub host: String,
}

impl Holder {
    fn me() -> Holder {
        let host = gethostname::gethostname().to_string_lossy().split_whitespace().collect();
        Holder { process: Some(std::process::id()), host }
    }

    /// From `process host`; whatever else may stand there.
    fn read(text: &str) -> Holder {
        let (process, host) = text.trim().split_once(' ').unwrap_or_default();
        Holder { process: process.parse().ok(), host: host.chars().filter(|c| !c.is_control()).take(64).collect() }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.process {
            Some(process) => write!(f, "open in process {process} on {}", self.host),
            None => f.write_str("open in another process"),
        }
    }
}

#[derive(Debug)]
struct Held {
    file: File,
    path: PathBuf,
}

impl Drop for Held {
    /// The name goes before the lock does: whoever waits for it sees that its file has no name any more.
    fn drop(&mut self) {
        if cfg!(unix) {
            fs::remove_file(&self.path).ok();
        }
        self.file.unlock().ok();
    }
}

static OURS: Mutex<Vec<Weak<Held>>> = Mutex::new(Vec::new());

/// Asks for the right to write `path`; never waits.
pub fn claim(path: &Path) -> Claim {
    // One claim at a time in this process: a lock of our own must be found in the list.
    let mut ours = OURS.lock().unwrap_or_else(PoisonError::into_inner);
    ours.retain(|held| held.strong_count() > 0);
    let claimed = lock_file_of(path).and_then(|lock| {
        if let Some(held) = ours.iter().filter_map(Weak::upgrade).find(|held| held.path == lock) {
            return Ok(Claim::Ours(Lock(held)));
        }
        take(&lock)
    });
    match claimed {
        Ok(Claim::Ours(lock)) => {
            ours.push(Arc::downgrade(&lock.0));
            Claim::Ours(lock)
        }
        Ok(other) => other,
        Err(error) => {
            log::warn!("{}: no lock: {error}", path.display());
            Claim::NoLocks
        }
    }
}

/// The same for every way to name the file.
fn lock_file_of(path: &Path) -> io::Result<PathBuf> {
    super::permitted(path)?;
    let path = target_of(path)?;
    let directory = super::disk::directory_of(&path).canonicalize()?;
    Ok(with_suffix(&directory.join(path.file_name().unwrap_or_default()), ".lock"))
}

fn take(path: &Path) -> io::Result<Claim> {
    loop {
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                file.take(256).read_to_string(&mut text).ok();
                return Ok(Claim::Taken(Holder::read(&text)));
            }
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => {}
        }
        // The one before us may have taken the name away between our opening and our locking.
        if !has_name(&file, path)? {
            continue;
        }
        let Holder { process, host } = Holder::me();
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{} {host}", process.unwrap_or_default())?;
        return Ok(Claim::Ours(Lock(Arc::new(Held { file, path: path.into() }))));
    }
}

#[cfg(unix)]
fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (open, named) = (file.metadata()?, fs::metadata(path));
    Ok(named.is_ok_and(|named| (named.dev(), named.ino()) == (open.dev(), open.ino())))
}

#[cfg(not(unix))]
fn has_name(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_shared_in_a_process_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.skbook");
        let lock = with_suffix(&path, ".lock");
        let first = claim(&path);
        let second = claim(&folder.path().join("./a.skbook"));
        assert!(matches!((&first, &second), (Claim::Ours(_), Claim::Ours(_))));
        let text = fs::read_to_string(&lock).unwrap();
        assert_eq!(Holder::read(&text), Holder::me());
        assert!(text.starts_with(&std::process::id().to_string()), "{text}");
        drop(first);
        assert!(lock.exists(), "the second still has it");
        drop(second);
        assert!(!lock.exists());
        assert!(matches!(claim(&folder.path().join("no/where")), Claim::NoLocks));
    }

    #[test]
    fn another_holder_is_named_and_a_stale_file_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.skbook");
        let lock = with_suffix(&path, ".lock");
        fs::write(&lock, "4711 elsewhere\n").unwrap();
        // As another process would hold it: another open file.
        let other = File::open(&lock).unwrap();
        other.lock().unwrap();
        let Claim::Taken(holder) = claim(&path) else { panic!("it is taken") };
        assert_eq!(holder.to_string(), "open in process 4711 on elsewhere");
        for (text, said) in [("", "open in another process"), ("x y", "open in another process")] {
            fs::write(&lock, text).unwrap();
            let Claim::Taken(holder) = claim(&path) else { panic!("it is taken") };
            assert_eq!(holder.to_string(), said);
        }
        drop(other);
        assert!(matches!(claim(&path), Claim::Ours(_)));
    }
}
