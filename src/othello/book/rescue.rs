//! The last way out for a book that cannot be saved where it belongs.

use super::{Book, BookError};
use crate::base::{files, places};
use std::path::{Path, PathBuf};

impl Book {
    /// Saves at the end of the program. When that fails, the whole book with its changes goes to a folder that can be
    /// written to, and the error says where.
    pub fn save_or_rescue(&mut self) -> Result<(), BookError> {
        let Err(error) = self.save_at_exit() else { return Ok(()) };
        // A file that is another's now is no reason to leave its folder; a disk that takes nothing is.
        let beside = match &error {
            BookError::Moved(path) | BookError::Lost(path) | BookError::InUse { path, .. } => path.parent(),
            _ => None,
        };
        let folders: Vec<_> = beside.map(PathBuf::from).into_iter().chain(places::rescue()).collect();
        match self.rescue(&folders) {
            Some(kept) => Err(BookError::Rescued { error: Box::new(error), kept }),
            None => Err(error),
        }
    }

    /// Writes the book into the first of these folders that takes it. From then on it belongs there.
    fn rescue(&mut self, folders: &[PathBuf]) -> Option<PathBuf> {
        // Damaged blocks stay in the file they are in, and so does what another program overwrote.
        self.accepts_damage = true;
        if self.store.base().is_lost() {
            self.store = self.store.only_changes();
        }
        folders.iter().find_map(|folder| {
            let path = folder.join(self.rescue_name());
            files::permitted(folder).ok()?;
            std::fs::create_dir_all(path.parent()?).ok()?;
            self.save(Some(&path)).ok().map(|()| path)
        })
    }

    /// A name that tells which book it was and that no other process uses.
    fn rescue_name(&self) -> String {
        let stem = self.path().and_then(Path::file_stem).map_or("book".into(), |stem| stem.to_string_lossy());
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        format!("{stem}-rescued-{}-{}.skbook", now.as_secs(), std::process::id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{
        Board,
        book::{Entry, Level, entry::Source, formats::ReadOptions},
    };

    #[test]
    fn the_first_folder_that_can_be_written_to_keeps_the_book() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("a file, not a folder");
        std::fs::write(&file, b"").unwrap();
        let folder = scratch.path().join("new/folder");
        let mut book = Book::new();
        book.put(Entry::new(Board::START, 3, Level::MAX, Source::Search));
        assert_eq!(book.rescue(std::slice::from_ref(&file)), None);
        let kept = book.rescue(&[file, folder.clone()]).unwrap();
        assert!(kept.starts_with(&folder));
        let (read, _) = Book::open(&kept, ReadOptions::default()).unwrap();
        assert_eq!(read.get(Board::START).map(|entry| entry.value), Some(3));
    }
}
