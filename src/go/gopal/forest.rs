//! Candidate trees, by section 2.4 of the paper: a match grows a tree of moves, moves played on the board walk down
//! the trees, and the nodes that are reached are the candidates.

use super::frame::Match;
use super::interpret::Sight;
use super::library::Library;
use crate::base::Colour;
use crate::go::board::Board;
use crate::go::point::{Geometry, Point};
use crate::gopal::Local;
use crate::gopal::ast::Place;
use crate::gopal::rule::{Area, Moves, Rule, Sequence, Step, Truth};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, RwLock};

/// A move of a tree. `next` leads to the moves that follow it, `with` to its next alternative.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub point: Point,
    pub colour: Colour,
    pub intent: Arc<str>,
    pub weight: i64,
    /// What the other side plays if this move is not played here.
    pub tenuki: Vec<Suggestion>,
    pub next: Option<usize>,
    pub with: Option<usize>,
    /// The number of the area outside which a move is a tenuki.
    area: Option<usize>,
    /// Asked when the move comes up.
    condition: Option<Arc<Truth>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    pub point: Point,
    pub intent: Arc<str>,
    pub weight: i64,
}

/// A rectangle of the board: columns and rows, ends included. It may reach beyond the edge.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rectangle {
    low: (i32, i32),
    high: (i32, i32),
}

impl Rectangle {
    fn contains(&self, geometry: Geometry, p: Point) -> bool {
        let (c, r) = (geometry.column(p) as i32, geometry.row(p) as i32);
        (self.low.0..=self.high.0).contains(&c) && (self.low.1..=self.high.1).contains(&r)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    pub origin: Match,
    pub nodes: Vec<Node>,
    areas: Vec<Rectangle>,
    /// It has moves after the first ones: it is kept from move to move.
    pub lasting: bool,
}

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

impl Tree {
    /// The tree of one match; `None` if it has no move.
    pub fn new(origin: Match, rule: &Rule, sight: Sight<'_>) -> Option<Tree> {
        Grower::new(sight, rule).tree(origin, rule)
    }

    pub fn alternatives(&self, first: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(first, |&id| self.nodes[id].with)
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

/// Trees that depend on nothing but their frame and side: each is made once and shared.
#[derive(Debug, Default)]
pub struct Shared(RwLock<HashMap<(Match, Colour, usize), Arc<Tree>>>);

/// So many are kept.
const MOST_SHARED: usize = 20_000;

impl Shared {
    pub fn tree(&self, origin: Match, rule: &Rule, sight: Sight<'_>) -> Option<Arc<Tree>> {
        let key = (origin, sight.me, sight.board.geometry().size());
        if let Some(tree) = self.0.read().unwrap_or_else(|e| e.into_inner()).get(&key) {
            return Some(tree.clone());
        }
        let tree = Arc::new(Tree::new(origin, rule, sight)?);
        let mut all = self.0.write().unwrap_or_else(|e| e.into_inner());
        if all.len() < MOST_SHARED {
            all.insert(key, tree.clone());
        }
        Some(tree)
    }
}

/// Makes the tree of one match.
struct Grower<'a> {
    sight: Sight<'a>,
    nodes: Vec<Node>,
    areas: Vec<Rectangle>,
    in_corner: bool,
}

/// What the moves of one statement have in common.
#[derive(Clone)]
struct Common {
    colour: Colour,
    area: Option<usize>,
    next: Option<usize>,
    condition: Option<Arc<Truth>>,
    tenuki: Vec<Suggestion>,
}

impl<'a> Grower<'a> {
    fn new(sight: Sight<'a>, rule: &Rule) -> Grower<'a> {
        Grower { sight, nodes: vec![], areas: vec![], in_corner: rule.place == Place::Corner }
    }

    fn tree(mut self, origin: Match, rule: &Rule) -> Option<Tree> {
        let mut heads = Vec::new();
        for sequence in &rule.sequences {
            if sequence.condition.as_ref().is_none_or(|condition| self.sight.truth(condition)) {
                let area = self.area(sequence, None);
                self.sequence(sequence, self.sight.me, area, None, &mut heads);
            }
        }
        let first = self.link(&heads)?;
        let lasting = self.nodes.iter().any(|node| node.next.is_some());
        self.root_at(first);
        Some(Tree { origin, nodes: self.nodes, areas: self.areas, lasting })
    }

    /// Puts the first alternative in place 0, where a tree begins.
    fn root_at(&mut self, first: usize) {
        self.nodes.swap(0, first);
        let moved = |id: usize| match id {
            0 => first,
            id if id == first => 0,
            id => id,
        };
        for node in &mut self.nodes {
            node.next = node.next.map(moved);
            node.with = node.with.map(moved);
        }
    }

    /// The area a sequence names, or the one around it; a corner pattern without one gets the smallest that holds it.
    fn area(&mut self, sequence: &Sequence, around: Option<usize>) -> Option<usize> {
        let default = || {
            let mut points = vec![Local { column: 1, row: 1 }];
            sequence.add_points(&mut points);
            self.in_corner.then(|| Area::around(points)).flatten()
        };
        let area = match (sequence.area, around) {
            (Some(area), _) => area,
            (None, Some(around)) => return Some(around),
            (None, None) => default()?,
        };
        let (a, b) = (self.sight.frame.place(area.low), self.sight.frame.place(area.high));
        let low = (a.0.min(b.0), a.1.min(b.1));
        let high = (a.0.max(b.0), a.1.max(b.1));
        self.areas.push(Rectangle { low, high });
        Some(self.areas.len() - 1)
    }

    /// Adds the first moves of a sequence, with all that follows, to `heads`. `condition` is asked when they come up.
    fn sequence(
        &mut self,
        sequence: &Sequence,
        colour: Colour,
        area: Option<usize>,
        condition: Option<Arc<Truth>>,
        heads: &mut Vec<usize>,
    ) {
        let next = self.steps(&sequence.then, !colour, area);
        self.moves(&sequence.first, Common { colour, area, next, condition, tenuki: vec![] }, heads);
    }

    /// The alternatives that these steps begin with.
    fn steps(&mut self, steps: &[Step], colour: Colour, area: Option<usize>) -> Option<usize> {
        let mut heads = Vec::new();
        for (i, step) in steps.iter().enumerate() {
            match step {
                Step::Branch { condition, ways } => {
                    for way in ways {
                        let area = self.area(way, area);
                        let both: Vec<Truth> = condition.iter().chain(&way.condition).cloned().collect();
                        let condition = (!both.is_empty()).then(|| Arc::new(Truth::all(both)));
                        self.sequence(way, colour, area, condition, &mut heads);
                    }
                }
                Step::Next { moves, tenuki } => {
                    let next = self.steps(&steps[i + 1..], !colour, area);
                    let tenuki = tenuki.as_ref().map_or(vec![], |tenuki| self.suggestions(tenuki).collect());
                    self.moves(moves, Common { colour, area, next, condition: None, tenuki }, &mut heads);
                    break;
                }
            }
        }
        self.link(&heads)
    }

    fn suggestions<'m>(&self, moves: &'m Moves) -> impl Iterator<Item = Suggestion> + use<'a, 'm> {
        let sight = self.sight;
        let points = moves.points.iter().flat_map(move |region| sight.region(region));
        points.map(|point| Suggestion { point, intent: moves.intent.clone(), weight: moves.weight })
    }

    fn moves(&mut self, moves: &Moves, common: Common, heads: &mut Vec<usize>) {
        for Suggestion { point, intent, weight } in self.suggestions(moves) {
            heads.push(self.nodes.len());
            let Common { colour, area, next, condition, tenuki } = common.clone();
            self.nodes.push(Node { point, colour, intent, weight, tenuki, next, with: None, area, condition });
        }
    }

    /// Chains alternatives and returns the first.
    fn link(&mut self, heads: &[usize]) -> Option<usize> {
        for pair in heads.windows(2) {
            self.nodes[pair[0]].with = Some(pair[1]);
        }
        heads.first().copied()
    }
}
