//! Where a book lives that has no file of its own: the changes to the built-in book, a new one, one of a foreign format.

use super::{Book, BookError, formats::ReadOptions};
use crate::base::{files, places};
use std::path::{Path, PathBuf};

/// The file of the built-in book with the user's changes.
const BUILTIN: &str = "builtin.skbook";

/// The folder of a user's books: this one, or the platform's place for data when the name is empty. `none`: nowhere.
pub fn folder(name: &str) -> Option<PathBuf> {
    match name {
        "none" => None,
        "" => places::data().map(|data| data.join("books")),
        name => Some(PathBuf::from(name)),
    }
}

impl Book {
    /// The built-in book with the changes that were kept in this folder.
    pub fn builtin_with_changes(folder: Option<&Path>) -> Book {
        let file = folder.map(|folder| folder.join(BUILTIN)).filter(|file| file.exists());
        let Some(file) = file else { return Book::builtin() };
        match Book::open(&file, ReadOptions::default()) {
            Ok((book, _)) => book,
            Err(error) => {
                log::error!("{error}; the built-in book is used as it came");
                Book::builtin()
            }
        }
    }

    /// Saves changes to a book without a file into this folder; from then on the book belongs there. Says where.
    pub fn keep_in(&mut self, folder: &Path) -> Result<Option<PathBuf>, BookError> {
        if self.path().is_some() || !self.is_changed() {
            return Ok(None);
        }
        files::permitted(folder)
            .and_then(|()| std::fs::create_dir_all(folder))
            .map_err(|error| BookError::Save { path: folder.into(), error: error.into() })?;
        let path = match self.origin.as_deref() {
            Some(BUILTIN) => folder.join(BUILTIN),
            origin => free_name(folder, origin.unwrap_or("book")),
        };
        self.save(Some(&path))?;
        Ok(Some(path))
    }

    /// Remembers where the positions came from, for the name of its file.
    pub(super) fn called_builtin(mut self) -> Book {
        self.origin = Some(BUILTIN.into());
        self
    }

    pub(super) fn called_after(mut self, path: &Path) -> Book {
        self.origin = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        self
    }
}

fn free_name(folder: &Path, stem: &str) -> PathBuf {
    let numbered = (2..).map(|n| format!("{stem}-{n}.skbook"));
    let mut names = std::iter::once(format!("{stem}.skbook")).chain(numbered).map(|name| folder.join(name));
    names.find(|path| !path.exists()).unwrap_or_else(|| folder.join(BUILTIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{
        Board,
        book::{Entry, Level, entry::Source},
    };

    #[test]
    fn changes_to_the_built_in_book_are_there_the_next_time() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("books");
        let mut book = Book::builtin_with_changes(Some(&folder));
        assert_eq!(book.keep_in(&folder).unwrap(), None, "nothing has changed");
        assert!(!folder.exists());
        book.put(Entry::new(Board::START, 7, Level::HAND, Source::Hand));
        let kept = book.keep_in(&folder).unwrap();
        assert_eq!(kept.as_deref(), Some(folder.join(BUILTIN).as_path()));
        drop(book);
        let again = Book::builtin_with_changes(Some(&folder));
        assert_eq!(again.get(Board::START).map(|entry| entry.value), Some(7));
        assert_eq!(again.len(), Book::builtin().len());
        assert_eq!(Book::builtin_with_changes(None).path(), None);
    }

    #[test]
    fn a_foreign_book_keeps_its_name_and_no_file_is_overwritten() {
        let scratch = tempfile::tempdir().unwrap();
        for expected in ["my.skbook", "my-2.skbook", "my-3.skbook"] {
            let mut book = Book::new().called_after(Path::new("/somewhere/my.egbk3"));
            book.put(Entry::new(Board::START, 1, Level::HAND, Source::Hand));
            assert_eq!(book.keep_in(scratch.path()).unwrap(), Some(scratch.path().join(expected)));
        }
    }
}
