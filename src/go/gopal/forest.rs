//! The candidate trees of a position: moves played on the board walk down the trees, and the nodes that are reached are
//! the candidates.

use super::frame::Match;
use super::interpret::Sight;
use super::library::Library;
use super::tree::Tree;
use crate::base::Colour;
use crate::go::board::Board;
use crate::go::point::{Geometry, Point};
use crate::gopal::ast::Place;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A tree and the first of the alternatives that come next.
#[derive(Debug, Clone, PartialEq)]
pub struct Growing {
    pub tree: Arc<Tree>,
    pub at: usize,
}

impl Growing {
    /// The numbers of the nodes that come next.
    pub fn alternatives(&self) -> impl Iterator<Item = usize> + '_ {
        self.tree.alternatives(Some(self.at))
    }
}

/// Why a move is a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The first move of a match.
    Match,
    /// The next move of a sequence.
    Sequence,
    /// The other side played elsewhere.
    Tenuki,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub point: Point,
    pub weight: i64,
    pub intent: Arc<str>,
    /// The rule's number in the library.
    pub rule: usize,
    pub reason: Reason,
}

/// All trees of a position.
#[derive(Debug, Clone, Default)]
pub struct Forest {
    trees: Vec<Growing>,
    /// The corner patterns that grew a tree, with the corner and the side.
    grown: BTreeSet<(usize, (u8, u8), usize)>,
}

impl Forest {
    pub fn trees(&self) -> &[Growing] {
        &self.trees
    }

    /// Grows the trees of these matches, for the side to move.
    pub fn grow(&mut self, library: &Library, matches: &[Match], board: &Board, move_number: usize) {
        let me = board.to_move();
        let mut grown = Vec::new();
        for found in matches {
            let rule = &library.rules()[found.rule];
            let key = (found.rule, (found.frame.column, found.frame.row), me.index());
            if rule.place == Place::Corner && self.grown.contains(&key) {
                continue;
            }
            let sight = Sight { board, me, frame: found.frame, picked: found.picked, move_number };
            let Some(tree) = library.tree(*found, sight) else { continue };
            if rule.place == Place::Corner && tree.lasting {
                grown.push(key);
            }
            let twin = |other: &Growing| {
                let (a, b) = (&other.tree, &tree);
                (a.origin.rule, other.at) == (b.origin.rule, 0)
                    && (Arc::ptr_eq(a, b) || (a.nodes == b.nodes && a.areas == b.areas))
            };
            if !self.trees.iter().any(twin) {
                self.trees.push(Growing { tree, at: 0 });
            }
        }
        // Both reflections may grow at once.
        self.grown.extend(grown);
    }

    /// The moves the trees suggest to the side to move.
    pub fn all_candidates(&self, board: &Board, move_number: usize) -> Vec<Candidate> {
        let me = board.to_move();
        let mut found = Vec::new();
        for growing in &self.trees {
            let tree = &growing.tree;
            let rule = tree.origin.rule;
            for id in growing.alternatives() {
                let node = &tree.nodes[id];
                let sight = Sight { board, me, frame: tree.origin.frame, picked: tree.origin.picked, move_number };
                if node.condition.as_ref().is_some_and(|condition| !sight.truth(condition)) {
                    continue;
                }
                if node.colour == me {
                    let reason = if growing.at == 0 { Reason::Match } else { Reason::Sequence };
                    let (point, weight, intent) = (node.point, node.weight, node.intent.clone());
                    found.push(Candidate { point, weight, intent, rule, reason });
                } else {
                    found.extend(node.tenuki.iter().map(|s| Candidate {
                        point: s.point,
                        weight: s.weight,
                        intent: s.intent.clone(),
                        rule,
                        reason: Reason::Tenuki,
                    }));
                }
            }
        }
        found.retain(|candidate| board.check(candidate.point, false).is_ok());
        found
    }

    /// The candidates, each point once with its largest weight, best first.
    pub fn candidates(&self, board: &Board, move_number: usize) -> Vec<Candidate> {
        let mut all = self.all_candidates(board, move_number);
        all.sort_by(|a, b| b.weight.cmp(&a.weight).then(a.point.cmp(&b.point)).then(a.rule.cmp(&b.rule)));
        let mut seen = BTreeSet::new();
        all.retain(|candidate| seen.insert(candidate.point));
        all
    }

    /// The intent of a move, if it is a candidate: that of the largest weight.
    pub fn intent_of(&self, board: &Board, move_number: usize, p: Point) -> Option<Arc<str>> {
        let all = self.all_candidates(board, move_number).into_iter();
        all.filter(|candidate| candidate.point == p).max_by_key(|candidate| candidate.weight).map(|c| c.intent)
    }

    /// A move was played. Trees that hold it go on past it; trees for which it is a tenuki stay; all others go.
    pub fn advance(&mut self, geometry: Geometry, colour: Colour, p: Point) {
        let trees = std::mem::take(&mut self.trees);
        for growing in trees {
            growing.advance(geometry, colour, p, &mut self.trees);
        }
    }
}

impl Growing {
    /// Adds what is left of the tree after a move. Several alternatives may begin with that move.
    fn advance(self, geometry: Geometry, colour: Colour, p: Point, left: &mut Vec<Growing>) {
        let tree = &self.tree;
        let before = left.len();
        let mut held = false;
        for id in self.alternatives().filter(|&id| tree.nodes[id].point == p && tree.nodes[id].colour == colour) {
            held = true;
            if let Some(at) = tree.nodes[id].next
                && left[before..].iter().all(|other| other.at != at)
            {
                left.push(Growing { at, tree: tree.clone() });
            }
        }
        if !held && self.stays(geometry, colour, p) {
            left.push(self);
        }
    }

    /// Whether a move that the tree does not hold is a tenuki.
    fn stays(&self, geometry: Geometry, colour: Colour, p: Point) -> bool {
        let tree = &self.tree;
        let Some(area) = tree.nodes[self.at].area.and_then(|area| tree.areas.get(area)) else { return false };
        let away = p.is_pass() || !area.contains(geometry, p);
        // The move of a tenuki ends the sequence wherever it is.
        let punished = self.alternatives().any(|id| tree.nodes[id].tenuki.iter().any(|s| s.point == p));
        tree.lasting && away && !(punished && tree.nodes[self.at].colour != colour)
    }
}
