//! Playing from the book: which moves it has, and which one to take.

use super::{
    entry::{Entry, Leaf},
    graph::{self, Link, Positions},
};
use crate::{
    base::Rng,
    othello::{BitBoard, Board, Square},
};

/// How to choose among the moves of the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choosing {
    /// Any move that is at most so many discs worse than the best, with equal chances.
    Error(u32),
    /// Level 0 to 10: moves up to twice the level worse than the best, the worse the rarer.
    Variation(u32),
}

impl Default for Choosing {
    fn default() -> Self {
        Choosing::Error(0)
    }
}

pub const MOST_VARIATION: u32 = 10;

/// A book whose best move lies further than this below the position's own value contradicts itself.
const CONTRADICTION: i32 = 8;

/// The chance of each move, given their values for the side to move.
///
/// With a variation level X: moves with v ≥ vmax − 2X are taken in, each with the weight
/// (exp((v − vmax + 1.5) / 3))^(10 − X), and the weights are made to sum to 1. This is the formula as it is published;
/// Egaroucid's own program computes ((exp(v − vmax) + 1.5) / 3)^(10 − X) instead and takes in v ≥ vmax − 2X − 0.5.
pub fn chances(values: &[i32], choosing: Choosing) -> Vec<f64> {
    let Some(&best) = values.iter().max() else { return Vec::new() };
    let weight = |value: i32| match choosing {
        Choosing::Error(error) => f64::from(u8::from(i64::from(value) >= i64::from(best) - i64::from(error))),
        Choosing::Variation(level) => {
            let level = level.min(MOST_VARIATION) as i32;
            if value < best - 2 * level {
                return 0.0;
            }
            ((f64::from(value - best) + 1.5) / 3.0).exp().powi(MOST_VARIATION as i32 - level)
        }
    };
    let weights: Vec<f64> = values.iter().map(|&value| weight(value)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// A move taken from the book.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    pub square: Square,
    /// For the side to move.
    pub value: i32,
    /// How probable this choice was.
    pub chance: f64,
    /// The book's entry after the move.
    pub entry: Entry,
    /// The best value any book move has.
    pub best: i32,
}

/// Draws a move; `None` when the book has none here.
pub fn choose<P: Positions + ?Sized>(book: &P, board: Board, choosing: Choosing, rng: &mut Rng) -> Option<Choice> {
    let links = graph::links(book, board);
    let values: Vec<i32> = links.iter().map(|link| link.value).collect();
    let chances = chances(&values, choosing);
    let drawn = rng.unit();
    let mut sum = 0.0;
    let mut taken = None;
    for (link, chance) in links.iter().zip(&chances).filter(|(_, chance)| **chance > 0.0) {
        sum += chance;
        // Rounding may leave the sum a hair below 1: then the last one is taken.
        taken = Some((link, *chance));
        if drawn <= sum {
            break;
        }
    }
    let best = values.into_iter().max()?;
    taken.map(|(link, chance)| Choice { square: link.square, value: link.value, chance, entry: link.entry, best })
}

/// Whether the book may be left for something better, when it is not trusted blindly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Doubt {
    /// The best move is in the book, as far as the book itself can tell.
    None,
    /// The book knows a better move outside.
    Leaf(Leaf),
    /// The values of the book contradict each other here: search without it.
    Contradiction,
    /// These moves are not in the book, and none is known to be worse than `best`: they should be searched.
    Untried { moves: BitBoard, best: i32 },
}

/// What speaks against playing from the book here. `level`: how deep a leaf must have been searched to be believed.
pub fn doubt<P: Positions + ?Sized>(book: &P, board: Board, level: super::Level) -> Doubt {
    let links = graph::links(book, board);
    let Some(best) = links.iter().map(|link| link.value).max() else { return Doubt::None };
    let entry = book.about(board);
    if entry.is_some_and(|entry| best < i32::from(entry.value) - CONTRADICTION) {
        return Doubt::Contradiction;
    }
    let linked = graph::squares(&links);
    let free = BitBoard(board.moves().0 & !linked.0);
    if free.is_empty() {
        return Doubt::None;
    }
    match entry.and_then(|entry| graph::sound_leaf(&entry, linked)) {
        Some(leaf) if leaf.level >= level && i32::from(leaf.value) > best => Doubt::Leaf(leaf),
        Some(leaf) if leaf.level >= level => Doubt::None,
        _ => Doubt::Untried { moves: free, best },
    }
}

/// The moves of the book, best first; equal ones a1 first.
pub fn sorted_links<P: Positions + ?Sized>(book: &P, board: Board) -> Vec<Link> {
    let mut links = graph::links(book, board);
    links.sort_by_key(|link| std::cmp::Reverse(link.value));
    links
}

/// The line of best book moves from a position.
pub fn best_line<P: Positions + ?Sized>(book: &P, mut board: Board) -> Vec<Link> {
    let mut line = Vec::new();
    while let Some(&link) = sorted_links(book, board).first() {
        line.push(link);
        board = link.child.board;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{
        entry::{Level, Source},
        table::Table,
    };

    #[test]
    fn error_takes_all_within_reach_alike() {
        assert_eq!(chances(&[1, -2, -10], Choosing::Error(2)), [1.0, 0.0, 0.0]);
        assert_eq!(chances(&[1, -2, -10], Choosing::Error(3)), [0.5, 0.5, 0.0]);
        assert_eq!(chances(&[1, -2, -10], Choosing::Error(10)), [0.5, 0.5, 0.0]);
        let third = chances(&[1, -2, -10], Choosing::Error(11));
        assert!(third.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-12));
        assert!(chances(&[], Choosing::Error(0)).is_empty());
    }

    #[test]
    fn variation_follows_the_published_formula() {
        // Level 5, values 4, 3 and 0 and one out of reach; by hand: e^(0.5·5), e^(0.5/3·5), e^(-2.5/3·5).
        let found = chances(&[4, 3, 0, -7], Choosing::Variation(5));
        let by_hand = [12.182_493_960_703_473, 2.300_975_890_892_825, 0.015_503_853_599_009_314, 0.0];
        let sum: f64 = by_hand.iter().sum();
        for (p, w) in found.iter().zip(by_hand) {
            assert!((p - w / sum).abs() < 1e-12, "{found:?}");
        }
        assert_eq!(chances(&[4, 3, 4], Choosing::Variation(0)), [0.5, 0.0, 0.5], "level 0: only the best");
        assert_eq!(chances(&[4, -16, -17], Choosing::Variation(10)), [0.5, 0.5, 0.0], "level 10: all within 20 alike");
    }

    fn three_moves() -> (Table, Board) {
        let f5 = Board::START.play("f5".parse().unwrap()).unwrap();
        let entries = [("d6", 4), ("f6", 3), ("f4", 0)].map(|(square, value)| {
            Entry::new(f5.play(square.parse().unwrap()).unwrap(), -value, Level::MAX, Source::Search).canonical()
        });
        (Table::from_entries(entries.to_vec(), 0), f5)
    }

    #[test]
    fn draws_are_distributed_as_the_chances_say() {
        let (table, board) = three_moves();
        let links = graph::links(&table, board);
        let values: Vec<i32> = links.iter().map(|link| link.value).collect();
        for level in [0, 3, 5, 8, 9, 10] {
            let expected = chances(&values, Choosing::Variation(level));
            let mut rng = Rng::new(u64::from(level));
            let mut seen = vec![0.0; links.len()];
            let draws = 20_000;
            for _ in 0..draws {
                let choice = choose(&table, board, Choosing::Variation(level), &mut rng).unwrap();
                let i = links.iter().position(|link| link.square == choice.square).unwrap();
                assert_eq!((choice.value, choice.chance, choice.best), (values[i], expected[i], 4));
                seen[i] += 1.0;
            }
            let chi2: f64 = expected
                .iter()
                .zip(&seen)
                .filter(|(p, _)| **p > 0.0)
                .map(|(p, n)| (n - p * f64::from(draws)).powi(2) / (p * f64::from(draws)))
                .sum();
            assert!(chi2 < 14.0, "level {level}: {chi2} with two degrees of freedom");
            assert!(expected.iter().zip(&seen).all(|(p, n)| *p > 0.0 || *n == 0.0));
        }
    }

    #[test]
    fn doubts_are_raised_where_they_should_be() {
        let (table, board) = three_moves();
        assert_eq!(doubt(&table, board, Level::MAX), Doubt::None, "all three moves are known");
        let fewer: Vec<Entry> = table.iter().filter(|e| e.value != -3).collect();
        let mut root = Entry::new(board, 4, Level::MAX, Source::Search);
        let doubt_of = |root: Entry| {
            let mut entries = fewer.clone();
            entries.push(root.canonical());
            doubt(&Table::from_entries(entries, 0), board, Level::from_search(20))
        };
        let f6: Square = "f6".parse().unwrap();
        assert_eq!(doubt_of(root), Doubt::Untried { moves: f6.into(), best: 4 });
        let mut leaf = Leaf { value: 5, square: f6, level: Level::from_search(20) };
        root.leaf = Some(leaf);
        assert_eq!(doubt_of(root), Doubt::Leaf(leaf));
        leaf.value = 4;
        root.leaf = Some(leaf);
        assert_eq!(doubt_of(root), Doubt::None);
        leaf.level = Level::from_search(19);
        root.leaf = Some(leaf);
        assert_eq!(doubt_of(root), Doubt::Untried { moves: f6.into(), best: 4 }, "searched too shallowly");
        root.value = 13;
        assert_eq!(doubt_of(root), Doubt::Contradiction);
    }
}
