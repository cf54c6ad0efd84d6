//! The last way out for a book that cannot be saved where it belongs.

use super::{Book, BookError};
use crate::base::places;
use std::path::{Path, PathBuf};

impl Book {
    /// Saves at the end of the program. When that fails, the whole book with its changes goes to a folder that can be
    /// written to, and the error says where.
    pub fn save_or_rescue(&mut self) -> Result<(), BookError> {
        let Err(error) = self.save_at_exit() else { return Ok(()) };
        match self.rescue(&places::rescue()) {
            Some(kept) => Err(BookError::Rescued { error: Box::new(error), kept }),
            None => Err(error),
        }
    }

    /// Writes the book into the first of these folders that takes it. From then on it belongs there.
    fn rescue(&mut self, folders: &[PathBuf]) -> Option<PathBuf> {
        // Damaged blocks stay in the file they are in.
        self.accepts_damage = true;
        folders.iter().find_map(|folder| {
            std::fs::create_dir_all(folder).ok()?;
            let path = folder.join(self.rescue_name());
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
        assert_eq!(book.rescue(&[file.clone()]), None);
        let kept = book.rescue(&[file, folder.clone()]).unwrap();
        assert!(kept.starts_with(&folder));
        let (read, _) = Book::open(&kept, ReadOptions::default()).unwrap();
        assert_eq!(read.get(Board::START).map(|entry| entry.value), Some(3));
    }
}
