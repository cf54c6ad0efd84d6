//! The counts and bounds that Edax keeps with a position, worked out the way it does: from the ends up.

use super::{
    entry::{Entry, Level},
    graph,
    table::Table,
};

pub const MIDGAME_ERROR: i16 = 2;
pub const ENDCUT_ERROR: i16 = 1;
const NONE: i16 = -127;

/// Value, bounds, and how the solved ends below a position go, for its side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    pub value: i16,
    pub lower: i16,
    pub upper: i16,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

impl Stats {
    /// The same seen by the other side.
    pub fn turned(self) -> Stats {
        Stats {
            value: -self.value,
            lower: -self.upper,
            upper: -self.lower,
            wins: self.losses,
            losses: self.wins,
            ..self
        }
    }
}

/// How far Edax looks at a level: a search to the end, and if so, whether an exact one; otherwise its depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Exact,
    ToTheEnd,
    Depth(u32),
}

fn reach(level: u32, empties: u32) -> Reach {
    let (exact, to_the_end) = match level {
        0..=10 => (2 * level, 2 * level),
        11..=12 => (21, 24),
        13..=18 => (21, 27),
        19..=21 => (24, 30),
        22..=24 => (24, 33),
        25..=27 => (27, 33),
        28..=29 => (27, 36),
        30..=31 => (30, 36),
        32..=35 => (30, 39),
        36..=59 => (level - 6, level + 9),
        _ => (60, 60),
    };
    match empties {
        n if n <= exact => Reach::Exact,
        n if n <= to_the_end => Reach::ToTheEnd,
        _ => Reach::Depth(level),
    }
}

/// Of every entry of the table, by its number. `level` stands for all levels if given.
pub fn of(table: &Table, level: Option<Level>) -> Vec<Stats> {
    let mut order: Vec<usize> = (0..table.len()).collect();
    let discs: Vec<u8> = (0..table.len()).map(|i| table.entry(i).map_or(0, |e| e.board.disc_count() as u8)).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(discs[index]));
    let blank = Stats { value: NONE, lower: NONE, upper: NONE, wins: 0, draws: 0, losses: 0 };
    let mut all = vec![blank; table.len()];
    for index in order {
        if let Some(entry) = table.entry(index) {
            all[index] = one(table, &entry, level.unwrap_or(entry.level), &all);
        }
    }
    all
}

fn one(table: &Table, entry: &Entry, level: Level, below: &[Stats]) -> Stats {
    let links = graph::links(table, entry.board);
    let leaf = graph::sound_leaf(entry, graph::squares(&links));
    // A position without anything below is worth what the book says.
    let own = leaf.map(|leaf| leaf.value).or(links.is_empty().then_some(entry.value)).map(i16::from);
    let mut stats = own
        .map_or(Stats { value: NONE, lower: NONE, upper: NONE, wins: 0, draws: 0, losses: 0 }, |value| {
            of_leaf(value, u32::from(level.min(Level::MAX).raw()), entry.board.empty_count())
        });
    for link in &links {
        let Some(index) = table.index_of(link.key) else { continue };
        let stood = graph::standing(link.child.board);
        let child = if stood.turned == link.child.again { below[index].turned() } else { below[index] };
        stats.value = stats.value.max(child.value);
        stats.lower = stats.lower.max(child.lower);
        stats.upper = stats.upper.max(child.upper);
        stats.wins = stats.wins.saturating_add(child.wins);
        stats.draws = stats.draws.saturating_add(child.draws);
        stats.losses = stats.losses.saturating_add(child.losses);
    }
    stats
}

fn of_leaf(value: i16, level: u32, empties: u32) -> Stats {
    let (below, above) = match reach(level, empties) {
        Reach::Exact => (0, 0),
        Reach::ToTheEnd => (ENDCUT_ERROR, ENDCUT_ERROR),
        Reach::Depth(depth) => {
            let bias = (depth & 1) as i16 - (empties & 1) as i16;
            (MIDGAME_ERROR + bias, MIDGAME_ERROR - bias)
        }
    };
    let solved = reach(level, empties) == Reach::Exact;
    let count = |is: bool| u32::from(solved && is);
    Stats {
        value,
        lower: value - below,
        upper: value + above,
        wins: count(value > 0),
        draws: count(value == 0),
        losses: count(value < 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_reach_as_far_as_edax_says() {
        assert_eq!(reach(10, 20), Reach::Exact);
        assert_eq!(reach(10, 21), Reach::Depth(10));
        assert_eq!(reach(21, 24), Reach::Exact);
        assert_eq!(reach(21, 30), Reach::ToTheEnd);
        assert_eq!(reach(21, 31), Reach::Depth(21));
        assert_eq!(reach(40, 34), Reach::Exact);
        assert_eq!(reach(40, 49), Reach::ToTheEnd);
        assert_eq!(reach(60, 60), Reach::Exact);
    }

    #[test]
    fn bounds_of_a_leaf_follow_the_parity_of_depth_and_empties() {
        let stats = of_leaf(3, 21, 40);
        assert_eq!((stats.lower, stats.upper, stats.wins), (0, 4, 0));
        let stats = of_leaf(-2, 21, 20);
        assert_eq!((stats.lower, stats.upper, stats.losses), (-2, -2, 1));
    }
}
