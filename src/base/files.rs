//! The one place that writes files: never half, never onto the old one. And the one that reads them: regular files only.

mod disk;
pub mod lock;

#[cfg(test)]
mod crash;

pub use disk::{Disk, System};

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufWriter, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// Why a path cannot be read or written as a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("a directory, not a file")]
    Directory,
    /// A pipe, a device or a socket: reading it might never end.
    #[error("not a regular file")]
    NotRegular,
    #[error("the file is read-only")]
    ReadOnly,
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    #[error("too many symbolic links")]
    Links,
    #[error("no files are read or written here (--files none)")]
    NoFiles,
    #[error("not a text")]
    NotText,
    #[error("outside of the folder that files are kept to (--files)")]
    Outside,
}

impl From<Unfit> for io::Error {
    fn from(unfit: Unfit) -> io::Error {
        let kind = match unfit {
            Unfit::Directory => io::ErrorKind::IsADirectory,
            Unfit::NotRegular | Unfit::Links => io::ErrorKind::InvalidInput,
            Unfit::NotText => io::ErrorKind::InvalidData,
            Unfit::ReadOnly | Unfit::NoFiles | Unfit::Outside => io::ErrorKind::PermissionDenied,
            Unfit::TooLarge(_) => io::ErrorKind::FileTooLarge,
        };
        io::Error::new(kind, unfit)
    }
}

/// Which files the process reads and writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fence {
    /// Whatever the system allows.
    Open,
    /// Those below this folder, by its real path.
    Below(PathBuf),
    Closed,
}

static FENCE: OnceLock<Fence> = OnceLock::new();

/// Keeps the process to some files from now on. Done once, before anything is read.
pub fn restrict(fence: Fence) {
    if FENCE.set(fence).is_err() {
        log::error!("which files may be used was decided before");
    }
}

/// Refuses a path outside the fence. Links count by where they lead.
pub fn permitted(path: &Path) -> io::Result<()> {
    within(FENCE.get().unwrap_or(&Fence::Open), path)
}

fn within(fence: &Fence, path: &Path) -> io::Result<()> {
    let folder = match fence {
        Fence::Open => return Ok(()),
        Fence::Closed => return Err(Unfit::NoFiles.into()),
        Fence::Below(folder) => folder,
    };
    let target = target_of(path)?;
    // A file that is not there yet lies where its folder does.
    let real = match target.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            disk::directory_of(&target).canonicalize()?.join(target.file_name().unwrap_or_default())
        }
        Err(error) => return Err(error),
    };
    if real.starts_with(folder) { Ok(()) } else { Err(Unfit::Outside.into()) }
}

/// The same for a file whose folder may not be there yet: the nearest folder that is there decides.
pub fn permitted_or_new(path: &Path) -> io::Result<()> {
    if path.exists() {
        return permitted(path);
    }
    match path.ancestors().skip(1).find(|folder| folder.exists()) {
        Some(folder) => permitted(folder),
        None => permitted(path),
    }
}

/// Gives a file that cannot be used another name, so that it is not lost; that name.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    permitted(path)?;
    let names = (1..100).map(|n| if n == 1 { ".damaged".to_owned() } else { format!(".damaged-{n}") });
    let mut free = names.map(|suffix| with_suffix(path, &suffix)).filter(|name| fs::symlink_metadata(name).is_err());
    let aside = free.next().ok_or_else(|| io::Error::from(io::ErrorKind::AlreadyExists))?;
    fs::rename(path, &aside)?;
    System.sync_directory(&aside)?;
    Ok(aside)
}

/// More than any file that is read whole has any use for, books left out.
pub const LARGEST: u64 = 1 << 32;

/// Whether the state before a save is kept as `NAME~`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backup {
    Keep,
    None,
}

/// The same path with something added to the name of the file.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// Where the state before the last save is kept.
pub fn backup_of(path: &Path) -> PathBuf {
    with_suffix(path, "~")
}

/// Where a file really lies: symbolic links are followed, also to a file that is not there yet.
pub fn target_of(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_symlink() => path = disk::directory_of(&path).join(fs::read_link(&path)?),
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(Unfit::Links.into())
}

/// Refuses what must not be replaced: directories, pipes, devices, and files that we may not write.
fn may_replace(path: &Path) -> io::Result<()> {
    let about = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about?,
    };
    regular(&about)?;
    // The mode counts for the superuser too.
    if about.permissions().readonly() {
        return Err(Unfit::ReadOnly.into());
    }
    match File::options().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(Unfit::ReadOnly.into()),
        opened => opened.map(drop),
    }
}

fn regular(about: &fs::Metadata) -> Result<(), Unfit> {
    match about {
        _ if about.is_file() => Ok(()),
        _ if about.is_dir() => Err(Unfit::Directory),
        _ => Err(Unfit::NotRegular),
    }
}

/// Writes a file under its name all at once and keeps the old one as `NAME~`. Whatever happens, the old or the new file
/// is whole. A symbolic link stays one; mode and owner stay those of the old file.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    replace_with(path, Backup::Keep, |file| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        file.flush()
    })
}

/// As [`replace`], for a writer that buffers and seeks by itself.
pub fn replace_with(
    path: &Path,
    backup: Backup,
    write: impl FnOnce(&mut <System as Disk>::Temp) -> io::Result<()>,
) -> io::Result<()> {
    permitted(path)?;
    let path = target_of(path)?;
    may_replace(&path)?;
    disk::remove_abandoned(&path);
    replace_on(&System, &path, backup, write)
}

/// The steps of a save, each a call that may fail or be the last.
fn replace_on<D: Disk>(
    disk: &D,
    path: &Path,
    backup: Backup,
    write: impl FnOnce(&mut D::Temp) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = disk.create(path)?;
    write(&mut file)?;
    if disk.exists(path) {
        disk.dress(&file, path)?;
    }
    disk.sync(&mut file)?;
    if backup == Backup::Keep && disk.exists(path) {
        keep_backup(disk, path)?;
    }
    disk.persist(file, path)?;
    disk.sync_directory(path)
}

/// The old file gets a second name, so that there is no moment without it, and the backup is whole at once. Where the file
/// system has no links, it is a copy that reaches the disk before it takes the name.
fn keep_backup<D: Disk>(disk: &D, path: &Path) -> io::Result<()> {
    match disk.link(path) {
        Ok(second) => {
            let renamed = disk.rename(&second, &backup_of(path));
            // A rename between two names of one file leaves both.
            disk.remove(&second).ok();
            renamed
        }
        Err(_) => {
            let mut copy = disk.create(path)?;
            io::copy(&mut disk.open(path)?, &mut copy)?;
            disk.dress(&copy, path)?;
            disk.sync(&mut copy)?;
            disk.persist(copy, &backup_of(path))
        }
    }
}

/// A file whose writing ends with an error once `stop` is raised: [`replace_with`] then leaves the old one.
pub struct Stoppable<'a, W> {
    pub out: W,
    pub stop: &'a AtomicBool,
}

impl<W> Stoppable<'_, W> {
    fn go_on(&self) -> io::Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(io::Error::other("stopped")) } else { Ok(()) }
    }
}

impl<W: Write> Write for Stoppable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.go_on()?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.go_on()?;
        self.out.flush()
    }
}

impl<W: Seek> Seek for Stoppable<'_, W> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

/// Whether new files can be made in this folder: one without a name is made and is gone at once.
pub fn try_folder(folder: &Path) -> io::Result<()> {
    permitted(folder)?;
    tempfile::tempfile_in(folder).map(|_| ())
}

/// Opens a regular file for reading; a pipe or a device, which might keep us waiting for ever, is refused.
pub fn open(path: &Path) -> io::Result<File> {
    permitted(path)?;
    regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file to add to its end, for journals; it is made if there is none. Only regular files are taken.
pub fn append(path: &Path) -> io::Result<File> {
    permitted(path)?;
    let path = target_of(path)?;
    may_replace(&path)?;
    let is_new = !path.exists();
    let file = File::options().create(true).append(true).open(&path)?;
    if is_new {
        System.sync_directory(&path)?;
    }
    Ok(file)
}

/// The bytes of a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_open(open(path)?, limit)
}

/// As [`read`], from the beginning of a file that is open.
pub fn read_open(mut file: File, limit: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    if length > limit {
        return Err(Unfit::TooLarge(limit).into());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))?;
    file.rewind()?;
    // It may grow while it is read.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(Unfit::TooLarge(limit).into()) } else { Ok(bytes) }
}

/// The text of a regular file: UTF-8 if it is, otherwise read as Latin-1. A file larger than `limit` bytes is refused.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    read(path, limit).map(text_of)
}

/// Bytes from outside as text: UTF-8 if they are, otherwise Latin-1, so that nothing is lost or refused.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| e.as_bytes().iter().map(|&b| char::from(b)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.txt");
        replace(&path, |f| f.write_all(b"one")).unwrap();
        replace(&path, |f| f.write_all(b"two")).unwrap();
        let broken = replace(&path, |f| {
            f.write_all(b"thr")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(broken.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read(backup_of(&path)).unwrap(), b"one");
        assert_eq!(names(folder.path()), ["record.txt", "record.txt~"]);
        assert_eq!(read_text(&path, 2).unwrap_err().to_string(), "larger than 2 bytes");
        // As after a crash between the backup and the new file: both names are one file.
        fs::remove_file(backup_of(&path)).unwrap();
        fs::hard_link(&path, backup_of(&path)).unwrap();
        replace(&path, |f| f.write_all(b"three")).unwrap();
        assert_eq!(fs::read(backup_of(&path)).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["record.txt", "record.txt~"]);
    }

    #[test]
    fn bytes_that_are_no_utf8_are_latin1() {
        assert_eq!(text_of("ö".into()), "ö");
        assert_eq!(text_of(vec![0xF6]), "ö");
    }

    #[test]
    fn a_directory_is_named_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let write = |path: &Path| replace(path, |f| f.write_all(b"x"));
        assert_eq!(write(path).unwrap_err().to_string(), "a directory, not a file");
        assert_eq!(read(path, 9).unwrap_err().to_string(), "a directory, not a file");
        assert_eq!(write(&path.join("no/where")).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(names(path).is_empty());
    }

    #[cfg(unix)]
    mod unix {
        use super::*;

        #[test]
        fn nothing_outside_the_fence_is_permitted() {
            let scratch = tempfile::tempdir().unwrap();
            let at = |name: &str| scratch.path().join(name);
            for folder in ["in", "in/deep", "out"] {
                fs::create_dir(at(folder)).unwrap();
            }
            for file in ["in/a", "in/deep/b", "out/c", "in-not"] {
                fs::write(at(file), "x").unwrap();
            }
            symlink("../out/c", at("in/link")).unwrap();
            symlink("../out/new", at("in/hanging")).unwrap();
            symlink("../out", at("in/folder")).unwrap();
            symlink("deep/b", at("in/inside")).unwrap();
            let fence = Fence::Below(at("in").canonicalize().unwrap());
            for name in ["in/a", "in/deep/b", "in/new", "in/inside", "out/../in/a", "in/deep/../new"] {
                assert!(within(&fence, &at(name)).is_ok(), "{name}");
            }
            for name in
                ["out/c", "out/new", "in-not", "in/link", "in/hanging", "in/folder/c", "in/../out/c", "in/folder/new"]
            {
                let refused = within(&fence, &at(name)).unwrap_err();
                assert_eq!(refused.to_string(), Unfit::Outside.to_string(), "{name}");
            }
            assert!(within(&Fence::Closed, &at("in/a")).is_err() && within(&Fence::Open, &at("out/c")).is_ok());
        }
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

        #[test]
        fn a_link_stays_and_its_target_is_written() {
            let folder = tempfile::tempdir().unwrap();
            let [link, other] = ["link", "other"].map(|name| folder.path().join(name));
            fs::create_dir(folder.path().join("deep")).unwrap();
            let target = folder.path().join("deep/target");
            symlink("deep/target", &link).unwrap();
            symlink("link", &other).unwrap();
            for text in ["one", "two"] {
                replace(&other, |f| f.write_all(text.as_bytes())).unwrap();
                assert_eq!(fs::read_to_string(&target).unwrap(), text);
            }
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert!(fs::symlink_metadata(&other).unwrap().is_symlink());
            assert_eq!(fs::read(backup_of(&target)).unwrap(), b"one");
            symlink("round", folder.path().join("round")).unwrap();
            let round = replace(&folder.path().join("round"), |f| f.write_all(b"x"));
            assert_eq!(round.unwrap_err().to_string(), "too many symbolic links");
        }

        #[test]
        fn the_mode_stays_and_read_only_is_respected() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a");
            replace(&path, |f| f.write_all(b"one")).unwrap();
            let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
            // A new file is as the system makes them, not as private as a temporary one.
            fs::write(folder.path().join("plain"), "").unwrap();
            assert_eq!(mode(&path), mode(&folder.path().join("plain")));
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            replace(&path, |f| f.write_all(b"two")).unwrap();
            assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o640, b"two".to_vec()));
            fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
            let refused = replace(&path, |f| f.write_all(b"three")).unwrap_err();
            assert_eq!(refused.to_string(), "the file is read-only");
            assert_eq!(fs::read(&path).unwrap(), b"two");
        }

        #[test]
        fn pipes_and_devices_are_neither_read_nor_written() {
            let folder = tempfile::tempdir().unwrap();
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
                let (read, written) = (read(path, 9).unwrap_err(), replace(path, |f| f.write_all(b"x")).unwrap_err());
                let said = [read.to_string(), written.to_string()];
                assert_eq!(said, ["not a regular file"; 2], "{}", path.display());
            }
        }
    }
}
