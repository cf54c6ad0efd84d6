//! Counting a finished game: by area or by territory, with the dead stones taken off first.

use super::board::Board;
use super::game::GoGame;
use super::point::{Grid, Point};
use super::rules::Scoring;
use super::surroundings::Cell;
use crate::base::Colour;

/// What each side has, before komi.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    pub black: u32,
    pub white: u32,
}

impl Count {
    /// Black's lead.
    pub fn difference(self) -> i32 {
        self.black as i32 - self.white as i32
    }

    fn add(&mut self, colour: Colour, points: u32) {
        match colour {
            Colour::Black => self.black += points,
            Colour::White => self.white += points,
        }
    }
}

/// Whose each point is once the dead stones are gone: a stone's own colour, or that of the only colour an empty
/// region touches. A dead stone brings its whole chain with it.
pub fn owners(board: &Board, dead: &[Point]) -> Grid<Option<Colour>> {
    let g = board.geometry();
    let mut cells = Grid::new(Cell::Edge);
    for p in g.points() {
        cells[p] = board.cell(p);
    }
    for &p in dead.iter().filter(|&&p| board.cell(p).colour().is_some()) {
        for stone in board.chain(p) {
            cells[stone] = Cell::Empty;
        }
    }
    let mut owner = Grid::new(None);
    let mut counted = Grid::new(false);
    for p in g.points() {
        if cells[p] != Cell::Empty {
            owner[p] = cells[p].colour();
            continue;
        }
        if counted[p] {
            continue;
        }
        let (region, touched) = flood(board, &cells, p, &mut counted);
        let only = match touched {
            [true, false] => Some(Colour::Black),
            [false, true] => Some(Colour::White),
            _ => None,
        };
        for q in region {
            owner[q] = only;
        }
    }
    owner
}

/// The empty region around `p` and which colours it touches.
fn flood(board: &Board, cells: &Grid<Cell>, p: Point, counted: &mut Grid<bool>) -> (Vec<Point>, [bool; 2]) {
    let mut region = vec![p];
    let mut touched = [false; 2];
    counted[p] = true;
    let mut next = 0;
    while let Some(&q) = region.get(next) {
        next += 1;
        for n in board.geometry().beside(q) {
            match cells[n] {
                Cell::Empty if !counted[n] => {
                    counted[n] = true;
                    region.push(n);
                }
                Cell::Black => touched[0] = true,
                Cell::White => touched[1] = true,
                Cell::Empty | Cell::Edge => {}
            }
        }
    }
    (region, touched)
}

/// Stones and surrounded points of each side. With no dead stones this is the Tromp-Taylor count.
pub fn area(board: &Board, dead: &[Point]) -> Count {
    let owner = owners(board, dead);
    let mut count = Count::default();
    for colour in board.geometry().points().filter_map(|p| owner[p]) {
        count.add(colour, 1);
    }
    count
}

/// Surrounded points, prisoners and dead stones of each side.
pub fn territory(board: &Board, dead: &[Point]) -> Count {
    let owner = owners(board, dead);
    let mut count = Count { black: board.captured(Colour::White), white: board.captured(Colour::Black) };
    for p in board.geometry().points() {
        let Some(colour) = owner[p] else { continue };
        match board.cell(p).colour() {
            None => count.add(colour, 1),
            // A dead stone: the point and the prisoner.
            Some(stone) if stone != colour => count.add(colour, 2),
            // A stone of one's own taken for dead inside one's own area: the point alone.
            Some(_) if is_dead(board, dead, p) => count.add(colour, 1),
            Some(_) => {}
        }
    }
    // Dead stones that nobody's area swallowed are prisoners all the same.
    for p in board.geometry().points().filter(|&p| owner[p].is_none()) {
        if let Some(stone) = board.cell(p).colour() {
            count.add(!stone, 1);
        }
    }
    count
}

fn is_dead(board: &Board, dead: &[Point], p: Point) -> bool {
    dead.iter().any(|&d| board.cell(d).colour().is_some() && board.head(d) == board.head(p))
}

/// Black's lead in points with komi and handicap, by the rules of the game; negative if white is ahead.
pub fn final_score(game: &GoGame, dead: &[Point]) -> f32 {
    let count = match game.rules().scoring {
        Scoring::Area => area(game.board(), dead),
        Scoring::Territory => territory(game.board(), dead),
    };
    count.difference() as f32 - game.head_start()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::notation::{parse_picture, parse_vertex};
    use crate::go::rules::Rules;

    const FINISHED: &str = "
        . X O . .
        . X O . O
        X X O O .
        X O . O .
        . X O X .";

    #[test]
    fn empty_board_is_nobodys() {
        assert_eq!(area(&Board::new(9).unwrap(), &[]), Count::default());
    }

    #[test]
    fn one_stone_owns_everything() {
        let mut board = Board::new(5).unwrap();
        board.play(parse_vertex(board.geometry(), "c3").unwrap());
        assert_eq!(area(&board, &[]), Count { black: 25, white: 0 });
    }

    #[test]
    fn dead_stones_count_for_the_other_side() {
        let board = parse_picture(FINISHED).unwrap();
        let dead = [parse_vertex(board.geometry(), "d1").unwrap()];
        assert_eq!(area(&board, &[]), Count { black: 10, white: 12 });
        assert_eq!(area(&board, &dead), Count { black: 9, white: 16 });
        assert_eq!(territory(&board, &dead), Count { black: 3, white: 9 });
    }

    #[test]
    fn rules_and_komi_decide() {
        let board = parse_picture(FINISHED).unwrap();
        let dead = [parse_vertex(board.geometry(), "d1").unwrap()];
        let game = |rules| GoGame::from_board(board.clone(), rules, 0.5);
        assert_eq!(final_score(&game(Rules::CHINESE), &dead), -7.5);
        assert_eq!(final_score(&game(Rules::JAPANESE), &dead), -6.5);
    }

    #[test]
    fn points_both_sides_touch_are_nobodys() {
        let board = parse_picture("X.O\nX.O\nX.O").unwrap();
        assert_eq!(area(&board, &[]), Count { black: 3, white: 3 });
    }
}
