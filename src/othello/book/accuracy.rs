//! How far a book value can be relied on: what stands at the ends of all the lines that good play follows.
//!
//! From the position on, both sides make any move that loses less than two discs against the best the book knows. Each
//! end met is *perfect* (its level reads that many empty squares out exactly), *read out* (to the end of the game, but
//! selectively) or *open*. The class says which kinds were met. A position in class A is looked at once more with
//! moves that lose up to two discs.

use super::{
    entry::{Entry, Level},
    graph::{self, Positions},
    store::BoardMap,
};
use crate::othello::{Board, search::levels};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Every end is perfect.
    A,
    /// Perfect and read-out ends.
    B,
    /// Every end is read out.
    C,
    /// Some end is perfect, another open.
    D,
    /// Some end is read out, another open.
    E,
    /// Every end is open.
    F,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grade {
    pub class: Class,
    /// Of positions in class A: the class with the wider margin.
    pub wide: Option<Class>,
}

impl fmt::Display for Grade {
    /// `C`; `AB` for a position that is A by the narrow margin and B by the wide one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = self.wide.map(|class| format!("{class:?}")).unwrap_or_default();
        f.pad(&format!("{:?}{wide}", self.class))
    }
}

const NARROW: i32 = 1;
const WIDE: i32 = 2;

/// A set of kinds of ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Ends(u8);

impl Ends {
    const PERFECT: Ends = Ends(1);
    const READ_OUT: Ends = Ends(2);
    const OPEN: Ends = Ends(4);

    fn of(level: Level, empties: u32) -> Ends {
        if level.is_hand() || empties == 0 {
            return Ends::PERFECT;
        }
        if !level.is_known() {
            return Ends::OPEN;
        }
        let steps = levels::Level::new(level.raw()).end;
        let up_to = |exact: bool| {
            let fitting = steps.iter().filter(|(percent, _)| *percent == 100 || !exact);
            fitting.map(|&(_, empties)| empties).max().unwrap_or(0)
        };
        match empties {
            n if n <= up_to(true) => Ends::PERFECT,
            n if n <= up_to(false) => Ends::READ_OUT,
            _ => Ends::OPEN,
        }
    }

    fn class(self) -> Class {
        let met = |kind: Ends| self.0 & kind.0 != 0;
        match (met(Ends::PERFECT), met(Ends::READ_OUT), met(Ends::OPEN)) {
            (true, false, false) => Class::A,
            (true, true, false) => Class::B,
            (false, true, false) => Class::C,
            (true, _, true) => Class::D,
            (false, true, true) => Class::E,
            (false, false, _) => Class::F,
        }
    }
}

/// Grades positions of one book; what was found is kept for the next question.
pub struct Grader<'a, P: Positions + ?Sized> {
    book: &'a P,
    known: [BoardMap<Ends>; 2],
}

impl<'a, P: Positions + ?Sized> Grader<'a, P> {
    pub fn new(book: &'a P) -> Self {
        Grader { book, known: Default::default() }
    }

    /// `None`: the position is not in the book.
    pub fn grade(&mut self, board: Board) -> Option<Grade> {
        let entry = self.book.find(graph::key(board))?;
        let class = self.ends(&entry, NARROW).class();
        let wide = (class == Class::A).then(|| self.ends(&entry, WIDE).class());
        Some(Grade { class, wide })
    }

    fn ends(&mut self, entry: &Entry, margin: i32) -> Ends {
        let known = usize::from(margin == WIDE);
        if let Some(&ends) = self.known[known].get(&entry.board) {
            return ends;
        }
        let empties = entry.board.empty_count();
        let links = graph::links(self.book, entry.board);
        let leaf = graph::sound_leaf(entry, graph::squares(&links));
        let ends = if entry.board.is_over() {
            Ends::PERFECT
        } else if links.is_empty() {
            Ends::of(entry.level, empties)
        } else {
            let least = graph::negamax(&links, leaf).unwrap_or(0) - margin;
            let mut ends = Ends::default();
            for link in links.iter().filter(|link| link.value >= least) {
                ends.0 |= self.ends(&link.entry, margin).0;
            }
            if let Some(leaf) = leaf.filter(|leaf| i32::from(leaf.value) >= least) {
                ends.0 |= Ends::of(leaf.level, empties).0;
            }
            ends
        };
        self.known[known].insert(entry.board, ends);
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{
        entry::{Leaf, Source},
        table::Table,
    };

    #[test]
    fn ends_follow_the_levels() {
        let of = |level: u8, empties| Ends::of(Level::from_search(level), empties);
        assert_eq!(of(10, 20), Ends::PERFECT);
        assert_eq!(of(10, 21), Ends::OPEN);
        assert_eq!(of(21, 24), Ends::PERFECT);
        assert_eq!(of(21, 30), Ends::READ_OUT);
        assert_eq!(of(21, 31), Ends::OPEN);
        assert_eq!(Ends::of(Level::HAND, 60), Ends::PERFECT);
        assert_eq!(Ends::of(Level::UNKNOWN, 1), Ends::OPEN);
    }

    #[test]
    fn classes_by_the_kinds_of_ends() {
        let classes: Vec<Class> = (1..8).map(|set| Ends(set).class()).collect();
        use Class::*;
        assert_eq!(classes, [A, C, B, F, D, E, D]);
    }

    /// The start with children of given values (for black) and levels; the three that are not images of each other
    /// come after f5.
    fn book(children: &[(&str, i32, Level)], leaf: Option<(&str, i32, Level)>) -> (Table, Board) {
        let f5 = Board::START.play("f5".parse().unwrap()).unwrap();
        let mut root = Entry::new(f5, 0, Level::from_search(1), Source::Search);
        root.leaf =
            leaf.map(|(square, value, level)| Leaf { value: value as i8, square: square.parse().unwrap(), level });
        let mut entries = vec![root.canonical()];
        for &(square, value, level) in children {
            let child = f5.play(square.parse().unwrap()).unwrap();
            entries.push(Entry::new(child, -value, level, Source::Search).canonical());
        }
        (Table::from_entries(entries, 0), f5)
    }

    #[test]
    fn only_moves_near_the_best_count() {
        let (exact, open) = (Level::MAX, Level::from_search(1));
        let read_out = Level::from_search(57); // to the end from 60 empties, exactly from 54
        let grade = |children: &[_], leaf| {
            let (table, board) = book(children, leaf);
            Grader::new(&table).grade(board).unwrap().to_string()
        };
        assert_eq!(grade(&[("d6", 0, exact), ("f6", -1, exact), ("f4", -8, open)], None), "AA");
        assert_eq!(grade(&[("d6", 0, exact), ("f6", -2, open)], None), "AD", "the wide margin sees f6");
        assert_eq!(grade(&[("d6", 0, exact), ("f6", -1, read_out)], None), "B");
        assert_eq!(grade(&[("d6", 0, read_out), ("f6", 0, read_out)], None), "C");
        assert_eq!(grade(&[("d6", 0, exact), ("f6", 0, read_out), ("f4", 0, open)], None), "D");
        assert_eq!(grade(&[("d6", 0, read_out), ("f4", 0, open)], None), "E");
        assert_eq!(grade(&[("d6", 0, open), ("f6", -2, exact)], None), "F");
        assert_eq!(grade(&[("d6", 0, exact)], Some(("f6", 0, open))), "D", "a leaf near the best is an end");
        assert_eq!(grade(&[("d6", 0, exact)], Some(("f6", -5, open))), "AA");
        assert_eq!(grade(&[], None), "F");
    }
}
