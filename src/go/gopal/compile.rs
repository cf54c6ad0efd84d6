//! Rules made ready for matching. What a rule demands of single points becomes a path in a decision trie, shared with
//! the rules that begin the same; the rest of its condition is asked only where the whole path is found.

use super::frame;
use crate::gopal::Local;
use crate::gopal::ast::Place;
use crate::gopal::check::demands;
use crate::gopal::rule::{Cells, Pickup, Rule, Truth};
use std::collections::HashMap;

/// What kind of frames a trie is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Corner,
    Side,
    Free,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Corner, Kind::Side, Kind::Free];

    fn of(place: Place) -> Kind {
        match place {
            Place::Corner => Kind::Corner,
            Place::Side => Kind::Side,
            Place::Center | Place::Anywhere => Kind::Free,
        }
    }
}

/// A step from the anchor of a frame, in the frame's coordinates.
pub type Offset = (i8, i8);

#[derive(Debug, Default)]
pub struct Trie {
    pub offsets: Vec<Offset>,
    pub nodes: Vec<Node>,
}

#[derive(Debug, Default)]
pub struct Node {
    pub edges: Vec<Edge>,
    /// The rules whose demands are all met here.
    pub rules: Vec<u32>,
}

/// Go on to `child` where the point holds one of `cells`.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    pub offset: u16,
    pub cells: Cells,
    pub child: u32,
}

/// All rules of a library, ready to be matched.
#[derive(Debug)]
pub struct Compiled {
    pub tries: [Trie; 3],
    pub parts: Vec<Compound>,
}

/// What is left to ask about a rule once its path was found.
#[derive(Debug)]
pub struct Compound {
    pub anchor: Local,
    pub rest: Truth,
    /// A symmetry as a bit: those the rule is tried in.
    pub symmetries: u8,
    /// Its tree depends on nothing but the frame and the side: a corner rule whose moves are points of the frame.
    pub fixed: bool,
    /// Its pickup holds wherever its path is found: the stones in the corner are known.
    pub picked: bool,
}

pub fn compile(rules: &[Rule]) -> Compiled {
    let mut builders = [(); 3].map(|()| Builder::new());
    let mut parts = Vec::with_capacity(rules.len());
    for (number, rule) in rules.iter().enumerate() {
        let anchor = frame::anchor(rule);
        let rest = rule.condition.parts().iter().filter(|part| !matches!(part, Truth::Hold(..))).cloned().collect();
        let symmetries = frame::symmetries(rule.place, rule.symmetric).iter().fold(0, |bits, s| bits | 1u8 << s);
        let fixed = rule.place == Place::Corner && rule.sequences.iter().all(|s| s.condition.is_none() && s.is_fixed());
        let picked = stones_are_known(rule);
        parts.push(Compound { anchor, rest: Truth::all(rest), symmetries, fixed, picked });
        // A rule that can never match is in no trie.
        if let Some(tests) = tests(rule, anchor) {
            builders[Kind::of(rule.place) as usize].insert(&tests, number as u32);
        }
    }
    Compiled { tries: builders.map(|builder| builder.trie), parts }
}

/// Whether the demands of a rule on single points leave no doubt that its corner has as many stones as it asks for.
fn stones_are_known(rule: &Rule) -> bool {
    let (Pickup::Corner(wanted), Some(known)) = (&rule.pickup, demands(&rule.condition)) else { return false };
    let stone = Cells(Cells::FRIEND.0 | Cells::ENEMY.0);
    let mut stones = 0;
    for local in (1..=6).flat_map(|column| (1..=6).map(move |row| Local { column, row })) {
        match known.get(&local) {
            Some(cells) if !cells.meets(stone.not()) => stones += 1,
            Some(cells) if !cells.meets(stone) => {}
            _ => return false,
        }
    }
    stones == *wanted
}

/// The demands of a rule on single points, the most telling first.
fn tests(rule: &Rule, anchor: Local) -> Option<Vec<(Offset, Cells)>> {
    let mut known = demands(&rule.condition)?;
    if let Pickup::Stone { who, at } | Pickup::Chain { who, at, .. } = rule.pickup {
        let origin = (rule.place != Place::Corner).then_some(Local { column: 1, row: 1 });
        if let Some(local) = at.or(origin) {
            let entry = known.entry(local).or_insert(Cells::ALL);
            *entry = entry.and(who);
            if *entry == Cells::NONE {
                return None;
            }
        }
    }
    let offset = |l: Local| (l.column as i8 - anchor.column as i8, l.row as i8 - anchor.row as i8);
    let mut tests: Vec<(Offset, Cells)> = known.into_iter().map(|(local, cells)| (offset(local), cells)).collect();
    // In a corner, stones stand around the star point first.
    let centre: (i32, i32) = if rule.place == Place::Corner { (3, 3) } else { (0, 0) };
    tests.sort_by_key(|&((c, r), _)| ((i32::from(c) - centre.0).abs() + (i32::from(r) - centre.1).abs(), c, r));
    Some(tests)
}

struct Builder {
    trie: Trie,
    numbers: HashMap<Offset, u16>,
    children: HashMap<(u32, Offset, Cells), u32>,
}

impl Builder {
    fn new() -> Builder {
        let trie = Trie { offsets: Vec::new(), nodes: vec![Node::default()] };
        Builder { trie, numbers: HashMap::new(), children: HashMap::new() }
    }

    fn insert(&mut self, tests: &[(Offset, Cells)], rule: u32) {
        let mut at = 0u32;
        for &(offset, cells) in tests {
            let next = self.trie.nodes.len() as u32;
            let child = *self.children.entry((at, offset, cells)).or_insert(next);
            if child == next {
                let offsets = &mut self.trie.offsets;
                let number = *self.numbers.entry(offset).or_insert_with(|| {
                    offsets.push(offset);
                    (offsets.len() - 1) as u16
                });
                self.trie.nodes.push(Node::default());
                self.trie.nodes[at as usize].edges.push(Edge { offset: number, cells, child });
            }
            at = child;
        }
        self.trie.nodes[at as usize].rules.push(rule);
    }
}
