//! Umigame's number: how many lines each side must know by heart if both play only the best moves of the book.
//!
//! A position where the book ends counts one line for each side. Elsewhere the side to move chooses the continuation
//! that asks least of it, while the other side must know what to do against every good move. Two ways into one
//! position count twice: they are two lines.

use super::{
    graph::{self, Positions},
    store::BoardMap,
};
use crate::{base::Colour, othello::Board};

/// The lines of black and of white.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Umigame {
    pub black: u64,
    pub white: u64,
}

/// How far to look, and which moves count as good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reach {
    /// The book is followed up to this many moves from the start.
    pub depth: u32,
    /// Discs that both sides together may give away on the way; 0: only best moves.
    pub error: u32,
}

impl Default for Reach {
    fn default() -> Self {
        Reach { depth: 60, error: 0 }
    }
}

/// Lines of the side to move and of the other side.
type Lines = (u64, u64);

pub struct Counter<'a, P: Positions + ?Sized> {
    book: &'a P,
    reach: Reach,
    /// By position and what may still be given away.
    known: std::collections::HashMap<u32, BoardMap<Lines>>,
}

impl<'a, P: Positions + ?Sized> Counter<'a, P> {
    pub fn new(book: &'a P, reach: Reach) -> Self {
        Counter { book, reach, known: Default::default() }
    }

    /// The number of a position with `side` to move.
    pub fn count(&mut self, board: Board, side: Colour) -> Umigame {
        let (own, other) = self.lines(board, self.reach.error);
        match side {
            Colour::Black => Umigame { black: own, white: other },
            Colour::White => Umigame { black: other, white: own },
        }
    }

    fn lines(&mut self, board: Board, error: u32) -> Lines {
        let standing = graph::standing(board);
        let turned = |(own, other): Lines| if standing.turned { (other, own) } else { (own, other) };
        if let Some(&known) = self.known.get(&error).and_then(|known| known.get(&standing.key)) {
            return turned(known);
        }
        let lines = self.fresh(standing.key, error);
        self.known.entry(error).or_default().insert(standing.key, lines);
        turned(lines)
    }

    fn fresh(&mut self, key: Board, error: u32) -> Lines {
        let links = graph::links(self.book, key);
        let Some(best) = links.iter().map(|link| link.value).max() else { return (1, 1) };
        if super::entry::ply(key) >= self.reach.depth || self.book.find(key).is_none() {
            return (1, 1);
        }
        let (mut own, mut other) = (u64::MAX, 0u64);
        for link in links {
            let loss = (best - link.value) as u32;
            if loss > error {
                continue;
            }
            let (mover, waiting) = self.lines(link.child.board, error - loss);
            let (mine, theirs) = if link.child.again { (mover, waiting) } else { (waiting, mover) };
            own = own.min(mine);
            other = other.saturating_add(theirs);
        }
        (own, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{
        entry::{Entry, Level, Source},
        table::Table,
    };

    /// Lines of moves from the start with the value of their last position for black.
    fn book(lines: &[(&str, i32)]) -> Table {
        let entries = lines.iter().map(|(moves, value)| {
            let mut board = Board::START;
            for name in moves.split_whitespace() {
                board = board.play(name.parse().unwrap()).unwrap();
            }
            let black_moves = moves.split_whitespace().count().is_multiple_of(2);
            let value = if black_moves { *value } else { -value };
            Entry::new(board, value, Level::MAX, Source::Search).canonical()
        });
        Table::from_entries(entries.collect(), 0)
    }

    fn board(moves: &str) -> Board {
        moves.split_whitespace().fold(Board::START, |b, m| b.play(m.parse().unwrap()).unwrap())
    }

    fn number(table: &Table, moves: &str, reach: Reach) -> (u64, u64) {
        let side = if moves.split_whitespace().count().is_multiple_of(2) { Colour::Black } else { Colour::White };
        let found = Counter::new(table, reach).count(board(moves), side);
        (found.black, found.white)
    }

    #[test]
    fn small_books_counted_by_hand() {
        let all = Reach::default();
        let table = book(&[("f5", 0), ("f5 d6", 0), ("f5 f6", 0), ("f5 f4", 8)]);
        // White has two best answers: white needs to know one of them, black both.
        assert_eq!(number(&table, "f5", all), (2, 1));
        // Where the book ends: one line each. The position itself must be in the book too.
        assert_eq!(number(&table, "f5 d6", all), (1, 1));
        assert_eq!(number(&table, "", all), (1, 1), "the start is not in this book");
        // With the start in it, its four moves are images of one another: white must know all four.
        let table = book(&[("", 0), ("f5", 0), ("f5 d6", 0), ("f5 f6", 0), ("f5 f4", 8)]);
        assert_eq!(number(&table, "", all), (2, 4));
        // Going on after d6 with two equal moves of black and after f6 with one.
        let table = book(&[
            ("f5", 0),
            ("f5 d6", 0),
            ("f5 f6", 0),
            ("f5 d6 c3", 0),
            ("f5 d6 c5", 0),
            ("f5 d6 c4", -4),
            ("f5 f6 e6", 0),
        ]);
        assert_eq!(number(&table, "f5 d6", all), (1, 2), "black picks one, white must know both");
        assert_eq!(number(&table, "f5 f6", all), (1, 1));
        assert_eq!(number(&table, "f5", all), (2, 1), "white picks f6, black must know an answer to each");
    }

    #[test]
    fn depth_and_error_widen_or_narrow() {
        let table = book(&[("f5", 0), ("f5 d6", 0), ("f5 f6", 0), ("f5 f4", 8), ("f5 f4 e3", 8), ("f5 f4 f3", 8)]);
        let reach = |depth, error| Reach { depth, error };
        assert_eq!(number(&table, "f5", reach(60, 8)), (3, 1), "f4 counts when 8 discs may be given away");
        assert_eq!(number(&table, "f5", reach(60, 7)), (2, 1));
        assert_eq!(number(&table, "f5", reach(1, 0)), (1, 1), "the position lies at the limit");
        assert_eq!(number(&table, "f5 f4", reach(60, 0)), (1, 2));
        assert_eq!(number(&table, "f5 f4", reach(2, 0)), (1, 1));
    }
}
