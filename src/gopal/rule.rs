//! A pattern with all its names resolved: constants and functions are put in, types are checked, and what is known
//! before the match is worked out. This is what is matched against a board.

use super::ast::{Local, Op, Phase, Place};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub name: Arc<str>,
    /// Empty: at any time.
    pub phases: Vec<Phase>,
    pub place: Place,
    pub symmetric: bool,
    pub pickup: Pickup,
    pub condition: Truth,
    pub sequences: Vec<Sequence>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Pickup {
    None,
    /// So many stones in the 6x6 points of the corner.
    Corner(i64),
    Stone {
        who: Cells,
        at: Option<Local>,
    },
    Chain {
        who: Cells,
        op: Op,
        liberties: i64,
        at: Option<Local>,
    },
}

/// A set of the four things a point can hold, seen from the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cells(pub u8);

impl Cells {
    pub const FRIEND: Cells = Cells(1);
    pub const ENEMY: Cells = Cells(2);
    pub const EMPTY: Cells = Cells(4);
    pub const EDGE: Cells = Cells(8);
    pub const ALL: Cells = Cells(15);
    pub const NONE: Cells = Cells(0);

    pub const fn not(self) -> Cells {
        Cells(!self.0 & Cells::ALL.0)
    }

    pub const fn and(self, other: Cells) -> Cells {
        Cells(self.0 & other.0)
    }

    pub const fn meets(self, other: Cells) -> bool {
        self.0 & other.0 != 0
    }
}

/// A point that is known before the match, or the one that was picked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    Fixed(Local),
    Picked,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Region {
    /// In ascending order, none twice.
    Fixed(Vec<Local>),
    Single(Spot),
    /// The liberties of the chain.
    Liberties(Spot),
    /// Moves that catch the chain, in a ladder if need be.
    Catching(Spot),
    /// Moves by which the chain, in atari, gets away.
    Saving(Spot),
    Union(Box<Region>, Box<Region>),
    Difference(Box<Region>, Box<Region>),
    Intersection(Box<Region>, Box<Region>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    Constant(i64),
    /// Of the chain at the point; 0 without a stone.
    Liberties(Spot),
    Size(Spot),
    Distance(Spot, Spot),
    Count(Region, Cells),
    MovesMade,
    Negative(Box<Number>),
    Sum(Op, Box<Number>, Box<Number>),
}

/// A condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    Constant(bool),
    All(Vec<Truth>),
    Any(Vec<Truth>),
    Not(Box<Truth>),
    /// Each of the points holds one of these.
    Hold(Vec<Local>, Cells),
    PickedHolds(Cells),
    RegionHolds(Region, Cells),
    /// Two points hold the same.
    Alike(Spot, Spot),
    SameSpot(Spot, Spot),
    Compare(Op, Number, Number),
    CanCapture(Spot),
    CanEscape(Spot),
    Connected(Spot, Spot),
    /// With a stone of the mover at the point, this holds.
    Try(Spot, Box<Truth>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    pub condition: Option<Truth>,
    /// The area outside which a move is a tenuki.
    pub area: Option<Area>,
    pub first: Moves,
    pub then: Vec<Step>,
}

/// A rectangle in the coordinates of the frame, both corners in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    pub low: Local,
    pub high: Local,
}

impl Area {
    /// The smallest rectangle around these points.
    pub fn around(points: impl IntoIterator<Item = Local>) -> Option<Area> {
        points.into_iter().fold(None, |area: Option<Area>, p| {
            let Area { low, high } = area.unwrap_or(Area { low: p, high: p });
            let low = Local { column: low.column.min(p.column), row: low.row.min(p.row) };
            let high = Local { column: high.column.max(p.column), row: high.row.max(p.row) };
            Some(Area { low, high })
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Next {
        moves: Moves,
        tenuki: Option<Moves>,
    },
    /// Ways the game may go instead of what the next step says.
    Branch {
        condition: Option<Truth>,
        ways: Vec<Sequence>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Moves {
    pub intent: Arc<str>,
    pub weight: i64,
    pub points: Vec<Region>,
}

impl Rule {
    /// All points that the pickup, the condition and the candidates name.
    pub fn points(&self) -> Vec<Local> {
        let mut points = Vec::new();
        if let Pickup::Stone { at: Some(at), .. } | Pickup::Chain { at: Some(at), .. } = self.pickup {
            points.push(at);
        }
        self.condition.add_points(&mut points);
        self.sequences.iter().for_each(|sequence| sequence.add_points(&mut points));
        points.sort_unstable();
        points.dedup();
        points
    }
}

impl Sequence {
    /// The points its moves name.
    pub fn add_points(&self, points: &mut Vec<Local>) {
        points.extend(self.first.fixed_points());
        for step in &self.then {
            match step {
                Step::Next { moves, tenuki } => {
                    points.extend(moves.fixed_points());
                    points.extend(tenuki.iter().flat_map(Moves::fixed_points));
                }
                Step::Branch { ways, .. } => ways.iter().for_each(|way| way.add_points(points)),
            }
        }
    }
}

impl Sequence {
    /// All its moves are known before the match.
    pub fn is_fixed(&self) -> bool {
        self.first.is_fixed()
            && self.then.iter().all(|step| match step {
                Step::Next { moves, tenuki } => moves.is_fixed() && tenuki.iter().all(Moves::is_fixed),
                Step::Branch { ways, .. } => ways.iter().all(Sequence::is_fixed),
            })
    }
}

impl Spot {
    fn fixed(self) -> Option<Local> {
        match self {
            Spot::Fixed(point) => Some(point),
            Spot::Picked => None,
        }
    }
}

impl Moves {
    fn is_fixed(&self) -> bool {
        self.points.iter().all(|region| matches!(region, Region::Fixed(_) | Region::Single(Spot::Fixed(_))))
    }

    pub fn fixed_points(&self) -> impl Iterator<Item = Local> + '_ {
        self.points.iter().flat_map(Region::fixed_points).copied()
    }
}

impl Number {
    fn add_points(&self, points: &mut Vec<Local>) {
        match self {
            Number::Liberties(spot) | Number::Size(spot) => points.extend(spot.fixed()),
            Number::Distance(a, b) => points.extend(a.fixed().into_iter().chain(b.fixed())),
            Number::Count(region, _) => region.add_points(points),
            Number::Negative(inner) => inner.add_points(points),
            Number::Sum(_, a, b) => [a, b].into_iter().for_each(|number| number.add_points(points)),
            Number::Constant(_) | Number::MovesMade => {}
        }
    }
}

impl Region {
    fn add_points(&self, points: &mut Vec<Local>) {
        match self {
            Region::Fixed(fixed) => points.extend(fixed),
            Region::Single(spot) | Region::Liberties(spot) | Region::Catching(spot) | Region::Saving(spot) => {
                points.extend(spot.fixed());
            }
            Region::Union(a, b) | Region::Difference(a, b) | Region::Intersection(a, b) => {
                [a, b].into_iter().for_each(|region| region.add_points(points));
            }
        }
    }

    /// The points it names, as far as they are known before the match.
    pub fn fixed_points(&self) -> &[Local] {
        match self {
            Region::Fixed(points) => points,
            Region::Single(Spot::Fixed(point)) => std::slice::from_ref(point),
            _ => &[],
        }
    }
}

impl Truth {
    /// All of them, flattened.
    pub fn all(parts: Vec<Truth>) -> Truth {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Truth::Constant(true) => {}
                Truth::Constant(false) => return Truth::Constant(false),
                Truth::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Truth::Constant(true),
            1 => flat.swap_remove(0),
            _ => Truth::All(flat),
        }
    }

    /// One of them, flattened. What one point may hold is put together.
    pub fn any(parts: Vec<Truth>) -> Truth {
        let mut flat: Vec<Truth> = Vec::with_capacity(parts.len());
        for part in parts {
            let inner = match part {
                Truth::Constant(false) => continue,
                Truth::Constant(true) => return Truth::Constant(true),
                Truth::Any(inner) => inner,
                other => vec![other],
            };
            for part in inner {
                match (flat.last_mut(), &part) {
                    (Some(Truth::Hold(a, cells)), Truth::Hold(b, more)) if a.len() == 1 && a == b => cells.0 |= more.0,
                    _ => flat.push(part),
                }
            }
        }
        match flat.len() {
            0 => Truth::Constant(false),
            1 => flat.swap_remove(0),
            _ => Truth::Any(flat),
        }
    }

    pub fn negated(self) -> Truth {
        match self {
            Truth::Constant(value) => Truth::Constant(!value),
            Truth::Not(inner) => *inner,
            Truth::Hold(points, cells) if points.len() == 1 => Truth::Hold(points, cells.not()),
            Truth::PickedHolds(cells) => Truth::PickedHolds(cells.not()),
            other => Truth::Not(Box::new(other)),
        }
    }

    fn add_points(&self, points: &mut Vec<Local>) {
        match self {
            Truth::All(parts) | Truth::Any(parts) => parts.iter().for_each(|part| part.add_points(points)),
            Truth::Not(inner) => inner.add_points(points),
            Truth::Hold(held, _) => points.extend(held),
            Truth::RegionHolds(region, _) => region.add_points(points),
            Truth::Alike(a, b) | Truth::SameSpot(a, b) | Truth::Connected(a, b) => {
                points.extend(a.fixed().into_iter().chain(b.fixed()));
            }
            Truth::CanCapture(spot) | Truth::CanEscape(spot) => points.extend(spot.fixed()),
            Truth::Try(spot, inner) => {
                points.extend(spot.fixed());
                inner.add_points(points);
            }
            Truth::Compare(_, a, b) => [a, b].into_iter().for_each(|number| number.add_points(points)),
            Truth::Constant(_) | Truth::PickedHolds(_) => {}
        }
    }

    /// The parts that must all be true.
    pub fn parts(&self) -> &[Truth] {
        match self {
            Truth::All(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }
}
