//! Changing single positions of the book.

use super::{
    Book, BookError, Judge, Level,
    entry::{Entry, Source, in_discs},
    graph,
    learn::{self, Learned},
    maintain::{
        cut::{self, Cut},
        walk::refresh_path,
    },
    progress::{BookProgress, Meter},
};
use crate::{
    base::Control,
    othello::{Board, Square},
};

/// The position after a move of the last position of `path`, with the path to it.
fn onward(path: &[Board], square: Option<Square>) -> Result<Vec<Board>, BookError> {
    let board = *path.last().ok_or(BookError::NoPosition)?;
    let mut path = path.to_vec();
    if let Some(square) = square {
        path.push(graph::after(board, square).ok_or(BookError::Illegal(square))?.board);
    }
    Ok(path)
}

/// Gives a move (or the position itself) a value by hand, for the side to move now. What led here follows.
pub fn set(book: &mut Book, path: &[Board], square: Option<Square>, value: i32) -> Result<Entry, BookError> {
    let board = *path.last().ok_or(BookError::NoPosition)?;
    let path = onward(path, square)?;
    let (target, own) = match square.and_then(|square| graph::after(board, square)) {
        Some(child) => (child.board, child.seen(value)),
        None => (board, value),
    };
    let present = book.get(target);
    let mut entry = Entry::new(target, own, Level::HAND, Source::Hand);
    if let Some(present) = present {
        entry = Entry { value: in_discs(own), level: Level::HAND, source: Source::Hand, ..present };
    }
    book.put(entry);
    refresh_path(book.store_mut(), &path);
    Ok(entry)
}

/// Puts a move (or the position itself) into the book, searched at this level.
pub fn add(
    book: &mut Book,
    path: &[Board],
    square: Option<Square>,
    level: Level,
    judge: &mut dyn Judge,
    control: Control<'_, BookProgress>,
) -> Result<Learned, BookError> {
    let path = onward(path, square)?;
    let meter = Meter::new("add", control);
    let mut report = Learned::default();
    let last = &path[path.len() - 1..];
    learn::lay_path(book, last, level, judge, &meter, &mut report)?;
    if let Some(before) = square.and(path.len().checked_sub(2)) {
        learn::renew_leaves(book, &path[before..=before], level, judge, &meter, &mut report)?;
    }
    refresh_path(book.store_mut(), &path);
    report.positions = book.len();
    Ok(report)
}

/// Takes a move (or the position itself) out of the book; what lay below it stays until `fix`.
pub fn delete(
    book: &mut Book,
    path: &[Board],
    square: Option<Square>,
    control: Control<'_, BookProgress>,
) -> Result<Cut, BookError> {
    let path = onward(path, square)?;
    let target = *path.last().ok_or(BookError::NoPosition)?;
    let cut = cut::delete_one(book.store_mut(), target, control).ok_or(BookError::NotInBook)?;
    refresh_path(book.store_mut(), &path);
    Ok(cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::judge::MadeUp;

    fn sq(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn a_value_by_hand_is_kept_and_goes_up() {
        let mut book = Book::new();
        let mut judge = MadeUp::new(3);
        let level = Level::from_search(5);
        let path = [Board::START];
        add(&mut book, &path, None, level, &mut judge, Control::alone()).unwrap();
        set(&mut book, &path, Some(sq("c4")), 9).unwrap();
        let child = book.get(Board::START.play(sq("f5")).unwrap()).unwrap();
        assert_eq!((child.value, child.level, child.source), (-9, Level::HAND, Source::Hand), "c4 is an image of f5");
        assert_eq!(book.get(Board::START).unwrap().value, 9);
        assert!(matches!(set(&mut book, &path, Some(sq("a1")), 0), Err(BookError::Illegal(_))));
        assert!(matches!(set(&mut book, &[], None, 0), Err(BookError::NoPosition)));
        set(&mut book, &path, None, -4).unwrap();
        assert_eq!(book.get(Board::START).unwrap().value, -4, "a value given by hand stays");
        let cut = delete(&mut book, &path, Some(sq("d3")), Control::alone()).unwrap();
        assert_eq!((cut.deleted, book.len()), (1, 1));
        assert!(matches!(delete(&mut book, &path, Some(sq("d3")), Control::alone()), Err(BookError::NotInBook)));
    }
}
