//! The tree of moves that one match grows, by section 2.4 of the paper.

use super::frame::Match;
use super::interpret::Sight;
use crate::base::Colour;
use crate::go::point::{Geometry, Point};
use crate::gopal::Local;
use crate::gopal::ast::Place;
use crate::gopal::rule::{Area, Moves, Rule, Sequence, Step, Truth};
use std::collections::HashMap;
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
    pub area: Option<usize>,
    /// Asked when the move comes up.
    pub condition: Option<Arc<Truth>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    pub point: Point,
    pub intent: Arc<str>,
    pub weight: i64,
}

/// A rectangle of the board: columns and rows, ends included. It may reach beyond the edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    low: (i32, i32),
    high: (i32, i32),
}

impl Rectangle {
    pub fn contains(&self, geometry: Geometry, p: Point) -> bool {
        let (c, r) = (geometry.column(p) as i32, geometry.row(p) as i32);
        (self.low.0..=self.high.0).contains(&c) && (self.low.1..=self.high.1).contains(&r)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    pub origin: Match,
    pub nodes: Vec<Node>,
    pub areas: Vec<Rectangle>,
    /// It has moves after the first ones: it is kept from move to move.
    pub lasting: bool,
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
