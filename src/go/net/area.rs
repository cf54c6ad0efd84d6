//! Whose area each point is if the game ended now, as the networks were taught: chains that no play can kill with what
//! they enclose (Benson's algorithm), the other stones as they stand, and empty regions that one side surrounds.

use crate::{
    base::Colour,
    go::{
        board::Board,
        point::{Grid, Point},
        surroundings::Cell,
    },
};

/// A largest connected set of points without stones of one side, with an empty point in it.
struct Region {
    points: Vec<Point>,
    /// Chains of the side that every point of the region (every empty one, unless suicide is allowed) lies beside.
    vital: Vec<Point>,
    /// Points beside no stone of the side, counted up to two.
    inside: usize,
    has_enemy: bool,
    /// All chains around it are alive for certain.
    sound: bool,
}

/// The owner of each point.
pub fn owners(board: &Board, suicide: bool) -> Grid<Option<Colour>> {
    let mut owner = Grid::new(None);
    for colour in [Colour::Black, Colour::White] {
        claim(board, colour, suicide, &mut owner);
    }
    for p in board.geometry().points() {
        owner[p] = owner[p].or_else(|| board.cell(p).colour());
    }
    owner
}

fn claim(board: &Board, colour: Colour, suicide: bool, owner: &mut Grid<Option<Colour>>) {
    if board.stones(colour) == 0 {
        return;
    }
    let (mut regions, of) = regions(board, colour, suicide);
    for p in alive(board, colour, &mut regions, &of) {
        for stone in board.chain(p) {
            owner[stone] = Some(colour);
        }
    }
    for region in &regions {
        if region.sound && (region.inside <= 1 || !region.has_enemy) {
            region.points.iter().for_each(|&p| owner[p] = Some(colour));
        } else if !region.has_enemy {
            // Not what the other side has claimed together with the stones around it.
            region.points.iter().for_each(|&p| owner[p] = owner[p].or(Some(colour)));
        }
    }
}

/// The regions of a side, and the number of the region of each point.
fn regions(board: &Board, colour: Colour, suicide: bool) -> (Vec<Region>, Grid<Option<u16>>) {
    let g = board.geometry();
    let own = Cell::from(colour);
    let heads = |p: Point| g.beside(p).into_iter().filter(|&n| board.cell(n) == own).map(|n| board.head(n));
    let mut of: Grid<Option<u16>> = Grid::new(None);
    let mut found: Vec<Region> = Vec::new();
    for start in g.points() {
        if board.cell(start) != Cell::Empty || of[start].is_some() {
            continue;
        }
        let number = Some(found.len() as u16);
        let mut vital: Vec<Point> = heads(start).collect();
        vital.dedup();
        let mut region = Region { points: vec![start], vital, inside: 0, has_enemy: false, sound: true };
        of[start] = number;
        let mut next = 0;
        while let Some(&p) = region.points.get(next) {
            next += 1;
            if suicide || board.cell(p) == Cell::Empty {
                region.vital.retain(|&head| heads(p).any(|beside| beside == head));
            }
            region.inside = (region.inside + usize::from(heads(p).next().is_none())).min(2);
            region.has_enemy |= board.cell(p) == Cell::from(!colour);
            for n in g.beside(p) {
                if board.cell(n) != Cell::Edge && board.cell(n) != own && of[n].is_none() {
                    of[n] = number;
                    region.points.push(n);
                }
            }
        }
        region.vital.sort();
        region.vital.dedup();
        found.push(region);
    }
    (found, of)
}

/// The heads of the chains that are alive whatever is played, and which regions they enclose soundly.
fn alive(board: &Board, colour: Colour, regions: &mut [Region], of: &Grid<Option<u16>>) -> Vec<Point> {
    let own = Cell::from(colour);
    let g = board.geometry();
    let mut chains: Vec<Point> = g.points().filter(|&p| board.cell(p) == own && board.head(p) == p).collect();
    loop {
        let eyes = |head: Point| regions.iter().filter(|region| region.sound && region.vital.contains(&head)).count();
        let (alive, dead): (Vec<Point>, Vec<Point>) = chains.iter().partition(|&&head| eyes(head) >= 2);
        if dead.is_empty() {
            return alive;
        }
        for head in dead {
            for n in board.chain(head).flat_map(|stone| g.beside(stone)) {
                if let Some(number) = of[n] {
                    regions[usize::from(number)].sound = false;
                }
            }
        }
        chains = alive;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::notation::parse_picture;

    fn drawn(picture: &str, suicide: bool) -> String {
        let board = parse_picture(picture).expect("a picture");
        let owner = owners(&board, suicide);
        let g = board.geometry();
        let row = |row| -> String {
            let cell = |column| match owner[g.point(column, row).expect("a point")] {
                Some(Colour::Black) => 'X',
                Some(Colour::White) => 'O',
                None => '.',
            };
            (0..g.size()).map(cell).collect()
        };
        (0..g.size()).rev().map(row).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn two_eyes_hold_what_is_inside() {
        let picture = ".X.X.\nXXXX.\n....O\n...O.\n..O..";
        assert_eq!(drawn(picture, false), "XXXX. XXXX. ....O ...OO ..OOO");
    }

    #[test]
    fn an_empty_board_is_nobodys() {
        assert_eq!(drawn("...\n...\n...", false), "... ... ...");
        assert_eq!(drawn("...\n.X.\n...", false), "XXX XXX XXX");
    }

    #[test]
    fn a_stone_in_a_living_eye_is_dead() {
        let picture = "OX.X.\n.XXXX\nXX...\n.....\n.....";
        let found = drawn(picture, false);
        assert!(found.starts_with("XXXX"), "{found}");
    }
}
