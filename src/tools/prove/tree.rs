//! The tree between a root and the positions below it: what has still to be proven, and the proof.
//!
//! That the value is at least n needs one move after which the other side has at most -n; that it is at most n needs
//! that of all moves. So what is missing is counted as in proof-number search: the least over the moves in one case, the
//! sum in the other.

use super::{
    claims::{Ask, Claim},
    knowledge::{Knowledge, Row},
};
use crate::{
    base::Control,
    othello::{
        Board, Weights,
        search::{Config, Effort, Searcher, Task},
    },
};
use std::collections::{BTreeSet, HashMap};

/// A claim about a position, whichever of its eight images it is.
pub type Need = (Board, Ask);

/// Where the tree ends.
pub struct Leaves {
    /// Positions about which something is claimed.
    pub claims: HashMap<Board, Claim>,
    /// Positions with so few empty squares are leaves too; what is expected of them a search says.
    pub split: Option<Expected>,
}

/// What a search of little depth expects.
pub struct Expected {
    pub empties: u32,
    level: u8,
    searcher: Searcher,
    values: HashMap<Board, i32>,
}

impl Expected {
    pub fn new(empties: u32, level: u8) -> Expected {
        let searcher = Searcher::new(Config { threads: 1, hash_bits: 16, weights: Weights::builtin() });
        Expected { empties, level, searcher, values: HashMap::new() }
    }

    fn value(&mut self, board: Board) -> i32 {
        let key = board.canonical().0;
        if let Some(value) = self.values.get(&key) {
            return *value;
        }
        self.searcher.clear();
        let report = self.searcher.search(key, &Task::new(Effort::Level(self.level)), Control::alone());
        self.values.insert(key, report.value.rounded());
        report.value.rounded()
    }
}

/// How much it takes where a search expects the contrary: other ways are gone first.
const UNLIKELY: f64 = 1e6;

pub struct Tree<'a> {
    pub knowledge: &'a Knowledge,
    pub leaves: &'a mut Leaves,
    floor: u32,
    costs: HashMap<Need, f64>,
    /// What a leaf costs that others need too.
    shared: HashMap<Need, f64>,
}

impl<'a> Tree<'a> {
    pub fn new(knowledge: &'a Knowledge, leaves: &'a mut Leaves) -> Tree<'a> {
        let lowest = leaves.claims.keys().map(|board| board.empty_count()).min();
        let floor = leaves.split.as_ref().map(|split| split.empties).or(lowest).unwrap_or(0);
        Tree { knowledge, leaves, floor, costs: HashMap::new(), shared: HashMap::new() }
    }

    /// About how many leaves have still to be proven; infinitely many where it cannot be proven with these leaves.
    pub fn cost(&mut self, board: Board, ask: Ask) -> f64 {
        let key = (board.canonical().0, ask);
        if let Some(cost) = self.costs.get(&key) {
            return *cost;
        }
        let cost = self.fresh_cost(key.0, ask);
        self.costs.insert(key, cost);
        cost
    }

    fn fresh_cost(&mut self, board: Board, ask: Ask) -> f64 {
        let known =
            if board.is_over() { (board.final_score(), board.final_score()) } else { self.knowledge.bounds(board) };
        if let Some(true_) = ask.settled(known) {
            return if true_ { 0.0 } else { f64::INFINITY };
        }
        if let Some(cost) = self.leaf_cost(board, ask) {
            return cost;
        }
        if board.must_pass() {
            return self.cost(board.pass(), ask.turned());
        }
        let children = self.children(board, ask);
        let mut sum = 0.0;
        let mut least = f64::INFINITY;
        for child in children {
            let cost = self.cost(child, ask.turned());
            sum += cost;
            least = least.min(cost);
            match ask {
                Ask::AtMost(_) if cost.is_infinite() => return cost,
                // In a tree that is made as it goes the first way that holds is gone.
                Ask::AtLeast(_) if self.leaves.split.is_some() && cost.is_finite() => return cost,
                _ => {}
            }
        }
        if matches!(ask, Ask::AtMost(_)) { sum } else { least }
    }

    /// `None`: it is no leaf.
    fn leaf_cost(&mut self, board: Board, ask: Ask) -> Option<f64> {
        let own = self.shared.get(&(board, ask)).copied().unwrap_or(1.0);
        match &mut self.leaves.split {
            Some(split) if board.empty_count() <= split.empties => {
                let expected = split.value(board);
                let deficit = match ask {
                    Ask::AtLeast(n) => n - expected,
                    Ask::AtMost(n) => expected - n,
                };
                Some(if deficit <= 0 { own } else { UNLIKELY * f64::from(deficit) })
            }
            Some(_) => None,
            None => match self.leaves.claims.get(&board) {
                Some(claim) => Some(if ask.settled(claim.bounds()) == Some(true) { own } else { f64::INFINITY }),
                None => (board.empty_count() <= self.floor).then_some(f64::INFINITY),
            },
        }
    }

    /// The positions after all moves, the likeliest to hold first where that is known.
    fn children(&mut self, board: Board, ask: Ask) -> Vec<Board> {
        let mut children: Vec<Board> = board.moves().into_iter().filter_map(|square| board.play(square)).collect();
        if let (Some(split), Ask::AtLeast(_)) = (&mut self.leaves.split, ask) {
            children.sort_by_cached_key(|child| split.value(*child));
        }
        children
    }

    /// The leaves to be proven: as few as were found. They are counted as in a tree, so that one that is needed twice
    /// first counts twice; then it is tried what comes out when it counts less.
    pub fn missing(&mut self, roots: &[Need]) -> Option<Vec<Need>> {
        let mut best: Option<Vec<Need>> = None;
        for _ in 0..4 {
            self.costs.clear();
            let mut leaves = HashMap::new();
            for (board, ask) in roots {
                if self.cost(*board, *ask).is_infinite() {
                    return None;
                }
                self.follow(*board, *ask, &mut leaves, &mut BTreeSet::new());
            }
            let mut found: Vec<Need> = leaves.keys().copied().collect();
            found.sort();
            let better = best.as_ref().is_none_or(|best| found.len() < best.len());
            self.shared = leaves.iter().map(|(need, uses)| (*need, 1.0 / f64::from(*uses))).collect();
            if !better {
                break;
            }
            best = Some(found);
        }
        best
    }

    fn follow(&mut self, board: Board, ask: Ask, leaves: &mut HashMap<Need, u32>, seen: &mut BTreeSet<Need>) {
        let key = (board.canonical().0, ask);
        if self.cost(board, ask) == 0.0 {
            return;
        }
        if self.is_leaf(key) {
            *leaves.entry(key).or_default() += 1;
            return;
        }
        if !seen.insert(key) {
            return;
        }
        for child in self.chosen(key.0, ask) {
            self.follow(child, ask.turned(), leaves, seen);
        }
    }

    fn is_leaf(&mut self, (board, ask): Need) -> bool {
        self.leaf_cost(board, ask).is_some()
    }

    /// The positions after the moves that have to hold.
    fn chosen(&mut self, board: Board, ask: Ask) -> Vec<Board> {
        if board.must_pass() {
            return vec![board.pass()];
        }
        let children = self.children(board, ask);
        match ask {
            Ask::AtMost(_) => children,
            Ask::AtLeast(_) => {
                let split = self.leaves.split.is_some();
                let costs: Vec<f64> = children.iter().map(|child| self.cost(*child, ask.turned())).collect();
                let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
                let fits = |cost: f64| if split { cost.is_finite() } else { cost == least };
                costs.iter().position(|cost| fits(*cost)).map(|at| vec![children[at]]).unwrap_or_default()
            }
        }
    }

    /// The rows of a proof, each after what it follows from: bounds that were searched, and those that follow.
    pub fn proof(&mut self, board: Board, ask: Ask, rows: &mut Vec<Row>, seen: &mut BTreeSet<Need>) -> bool {
        let key = (board.canonical().0, ask);
        if board.is_over() || !seen.insert(key) {
            return true;
        }
        if let Some(row) = self.knowledge.row(board, ask).filter(|row| !row.is_derived()) {
            rows.push(row);
            return true;
        }
        // Bounds of several rows may be needed for what follows; a claim has one side only, so one row is enough.
        if self.cost(board, ask) != 0.0 {
            return false;
        }
        let children = match ask {
            Ask::AtLeast(_) if !key.0.must_pass() => {
                let children = self.children(key.0, ask);
                children.into_iter().find(|child| self.cost(*child, ask.turned()) == 0.0).into_iter().collect()
            }
            _ => self.chosen(key.0, ask),
        };
        // Bounds that followed in an earlier run from what is not known here are not proven here.
        let enough = !children.is_empty();
        let proven = enough && children.into_iter().all(|child| self.proof(child, ask.turned(), rows, seen));
        let (lower, upper) = match ask {
            Ask::AtLeast(n) => (n, super::claims::MOST),
            Ask::AtMost(n) => (super::claims::LEAST, n),
        };
        rows.push(Row { board: key.0, depth: 0, strength: 100, lower, upper, nodes: 0 });
        proven
    }
}

/// Whether the bounds of a row follow from those of the positions after it.
pub fn follows(row: &Row, knowledge: &Knowledge) -> bool {
    let board = row.board;
    if board.is_over() {
        return row.lower <= board.final_score() && board.final_score() <= row.upper;
    }
    let bounds = |child: Board| match child.is_over() {
        true => (child.final_score(), child.final_score()),
        false => knowledge.bounds(child),
    };
    if board.must_pass() {
        let (lower, upper) = bounds(board.pass());
        return -upper >= row.lower && -lower <= row.upper;
    }
    let children: Vec<(i32, i32)> = board.moves().into_iter().filter_map(|s| board.play(s)).map(bounds).collect();
    let lower = children.iter().map(|(_, upper)| -upper).max().unwrap_or(super::claims::LEAST);
    let upper = children.iter().map(|(lower, _)| -lower).max().unwrap_or(super::claims::MOST);
    lower >= row.lower && upper <= row.upper
}
