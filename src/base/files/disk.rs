//! What a save asks of the file system, one call after the other, so that tests can make each of them fail.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};
use tempfile::NamedTempFile;

/// The calls that a save is made of.
pub trait Disk {
    /// A file without a lasting name: gone when it is dropped.
    type Temp: Write + Seek;

    /// A new file beside `path`, with a name that nobody else has.
    fn create(&self, path: &Path) -> io::Result<Self::Temp>;

    /// Gives a file the mode and, where that is allowed, the owner of another.
    fn dress(&self, file: &Self::Temp, like: &Path) -> io::Result<()>;

    /// Returns when the contents are on the disk.
    fn sync(&self, file: &mut Self::Temp) -> io::Result<()>;

    /// The file takes this name, whatever had it before.
    fn persist(&self, file: Self::Temp, path: &Path) -> io::Result<()>;

    fn exists(&self, path: &Path) -> bool;

    fn open(&self, path: &Path) -> io::Result<impl Read>;

    /// A second name, unique, for the file that is there.
    fn link(&self, path: &Path) -> io::Result<PathBuf>;

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Returns when the names in the directory of `path` are on the disk.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;
}

/// The files of the operating system.
pub struct System;

/// A temporary file this old belongs to nobody any more.
const ABANDONED: Duration = Duration::from_secs(3600);

pub(super) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn prefix_of(path: &Path) -> OsString {
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".tmp-");
    prefix
}

impl Disk for System {
    type Temp = NamedTempFile;

    fn create(&self, path: &Path) -> io::Result<NamedTempFile> {
        unique(path, |name| File::options().read(true).write(true).create_new(true).open(name))
    }

    fn dress(&self, file: &NamedTempFile, like: &Path) -> io::Result<()> {
        let about = fs::metadata(like)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Only the superuser may give files away; the group often can be kept.
            let _ = fchown(file.as_file(), Some(about.uid()), None);
            let _ = fchown(file.as_file(), None, Some(about.gid()));
        }
        file.as_file().set_permissions(about.permissions())
    }

    fn sync(&self, file: &mut NamedTempFile) -> io::Result<()> {
        file.as_file().sync_all()
    }

    fn persist(&self, file: NamedTempFile, path: &Path) -> io::Result<()> {
        file.persist(path).map(drop).map_err(|failed| failed.error)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn open(&self, path: &Path) -> io::Result<impl Read> {
        File::open(path)
    }

    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        unique(path, |name| fs::hard_link(path, name))?.into_temp_path().keep().map_err(|failed| failed.error)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        if cfg!(unix) { File::open(directory_of(path))?.sync_all() } else { Ok(()) }
    }
}

/// Something new beside `path`, with a name that nobody else has. Errors are those of the system: the name of a temporary
/// file would only puzzle.
fn unique<T>(path: &Path, mut make: impl FnMut(&Path) -> io::Result<T>) -> io::Result<NamedTempFile<T>> {
    let mut number = None;
    let made = tempfile::Builder::new()
        .prefix(&prefix_of(path))
        .make_in(directory_of(path), |name| make(name).inspect_err(|error| number = error.raw_os_error()));
    made.map_err(|error| number.map_or(error, io::Error::from_raw_os_error))
}

/// Temporary files of processes that were killed while saving.
pub(super) fn remove_abandoned(path: &Path) {
    let prefix = prefix_of(path);
    let Ok(files) = fs::read_dir(directory_of(path)) else { return };
    for file in files.flatten() {
        let ours = file.file_name().as_encoded_bytes().starts_with(prefix.as_encoded_bytes());
        if ours && file.metadata().is_ok_and(|about| age(&about).is_some_and(|age| age > ABANDONED)) {
            fs::remove_file(file.path()).ok();
        }
    }
}

/// Since the file got its name: a second name of an old file is young.
fn age(about: &fs::Metadata) -> Option<Duration> {
    #[cfg(unix)]
    let named = SystemTime::UNIX_EPOCH
        + Duration::from_secs(u64::try_from(std::os::unix::fs::MetadataExt::ctime(about)).unwrap_or(0));
    #[cfg(not(unix))]
    let named = about.modified().ok()?;
    SystemTime::now().duration_since(named).ok()
}
