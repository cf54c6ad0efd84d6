//! Files that are never half written.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// Writes to a temporary file beside `path`, makes sure it is on the disk, keeps the old file as `NAME~` and renames.
/// Whatever happens in between, `path` or its backup is whole.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let beside = |suffix: &str| -> PathBuf {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(suffix);
        path.with_file_name(name)
    };
    let temporary = beside(&format!(".{}.tmp", std::process::id()));
    let result = (|| {
        let mut file = io::BufWriter::new(File::create(&temporary)?);
        write(&mut file)?;
        file.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        if path.exists() {
            let backup = beside("~");
            let _ = fs::remove_file(&backup);
            // A second name for the old file, so that `path` exists at every moment; where the file system has no
            // links, a copy.
            if fs::hard_link(path, &backup).is_err() {
                fs::copy(path, &backup)?;
            }
        }
        fs::rename(&temporary, path)
    })();
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// The text of a file: UTF-8 if it is, otherwise read as Latin-1. A file larger than `limit` bytes is refused.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {limit} bytes")));
    }
    Ok(text_of(bytes))
}

/// Bytes from outside as text: UTF-8 if they are, otherwise Latin-1, so that nothing is lost or refused.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| e.as_bytes().iter().map(|&b| char::from(b)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_litter() {
        let folder = std::env::temp_dir().join(format!("shirokuro-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("record.txt");
        replace(&path, |f| f.write_all(b"one")).unwrap();
        replace(&path, |f| f.write_all(b"two")).unwrap();
        let broken = replace(&path, |f| {
            f.write_all(b"thr")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(broken.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read(folder.join("record.txt~")).unwrap(), b"one");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        assert!(read_text(&path, 2).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn bytes_that_are_no_utf8_are_latin1() {
        assert_eq!(text_of("ö".into()), "ö");
        assert_eq!(text_of(vec![0xF6]), "ö");
    }
}
