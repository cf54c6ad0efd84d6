//! What is believed about the moves of a position before any of them is tried.

use super::board::Board;
use super::eye::EyeRule;
use super::pattern::PatternTable;
use super::point::{Grid, Point};
use super::surroundings::Cell;
use super::tactics::{self, Few};
use super::tree::Seed;

/// What can be said of a move at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Traits {
    /// Stones taken.
    pub captures: usize,
    /// Stones of own chains in atari that get two liberties or more and are not caught in a ladder.
    pub saves: usize,
    /// An own chain in atari runs, but the ladder catches it.
    pub runs_in_vain: bool,
    /// Stones of an enemy chain that this move begins to catch in a ladder.
    pub catches: usize,
    /// Leaves its own chain, which is more than one stone, with one liberty and takes nothing.
    pub self_atari: bool,
    pub throw_in: bool,
    /// The weight of its 3x3 pattern.
    pub pattern: f32,
    /// Steps from the last move, chains counting as one place; 0: far away.
    pub distance: u8,
    /// 1 at the edge.
    pub line: u8,
    /// No stone within two steps in any direction.
    pub lonely: bool,
    /// How good a point it is in a corner where nobody has played.
    pub corner: Corner,
    /// The vital point of a small eye.
    pub vital: bool,
}

/// What a point is in an empty corner of a large board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Corner {
    /// Not a usual first move there.
    #[default]
    None,
    /// The 3-3, 5-3 and 5-4 points.
    Usual,
    /// The star point and the 3-4 points.
    Best,
}

/// From this size on corners are worth more than anything else at the beginning.
const LARGE: usize = 11;
/// A corner is empty while nobody has played on so many lines of it.
const CORNER_LINES: usize = 6;

/// Prior games: how many, and how many of them won.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Games {
    played: f32,
    won: f32,
}

impl Games {
    fn won(&mut self, games: f32) {
        self.played += games;
        self.won += games;
    }

    fn lost(&mut self, games: f32) {
        self.played += games;
    }
}

/// Prior games for each trait; units are playouts.
const EVEN: f32 = 10.0;
const CAPTURE_ONE: f32 = 15.0;
const CAPTURE_MANY: f32 = 30.0;
const SAVE_ONE: f32 = 10.0;
const SAVE_MANY: f32 = 20.0;
const CATCH: f32 = 10.0;
const IN_VAIN: f32 = 10.0;
const SELF_ATARI: f32 = 15.0;
const THROW_IN: f32 = 5.0;
const PATTERN: f32 = 10.0;
const NEAR: [f32; 4] = [0.0, 20.0, 18.0, 8.0];
const LONELY_EDGE: f32 = 10.0;
const LONELY_THIRD: f32 = 10.0;
const CORNER_USUAL: f32 = 10.0;
const CORNER_BEST: f32 = 40.0;
const VITAL: f32 = 20.0;
const PASS: f32 = 20.0;

/// How far from the last move distances are told apart.
const FAR: u8 = 4;

/// The traits of every point that may be played sensibly, with the point.
pub fn sensible_moves(board: &Board, last: Point, pattern: &PatternTable) -> Vec<(Point, Traits)> {
    let me = board.to_move();
    let distance = distances(board, last);
    let tactical = Tactical::find(board);
    let corners = empty_corners(board);
    let mut moves = Vec::with_capacity(board.empties().len());
    for &p in board.empties() {
        let around = board.surroundings(p);
        if !board.is_playable(p, me) || (around.is_eye(me) && !saves_by_filling(board, p)) {
            continue;
        }
        let after = tactics::after(board, p, me);
        let in_atari = after.captured == 0 && after.liberties.at_most_one();
        moves.push((
            p,
            Traits {
                captures: after.captured,
                saves: tactical.saves[p],
                runs_in_vain: tactical.in_vain[p],
                catches: tactical.catches[p],
                self_atari: in_atari && after.stones > 1,
                throw_in: in_atari && after.stones == 1,
                pattern: pattern.weight(around, me),
                distance: distance[p],
                line: board.geometry().line(p) as u8,
                lonely: is_lonely(board, p),
                corner: corner(board, p, corners),
                vital: tactical.vital[p],
            },
        ));
    }
    moves
}

/// Filling an eye is sensible only to save a chain around it that is in atari.
fn saves_by_filling(board: &Board, p: Point) -> bool {
    board.geometry().beside(p).iter().any(|&n| board.cell(n).colour().is_some() && board.in_atari(n))
}

/// Which corners nobody has played in: left or right, then bottom or top.
fn empty_corners(board: &Board) -> [[bool; 2]; 2] {
    let g = board.geometry();
    let size = g.size();
    if size < LARGE {
        return [[false; 2]; 2];
    }
    let lines = |far: bool| if far { size - CORNER_LINES..size } else { 0..CORNER_LINES };
    let empty = |right: bool, top: bool| {
        let mut points = lines(right).flat_map(|column| lines(top).filter_map(move |row| g.point(column, row)));
        points.all(|p| board.cell(p) == Cell::Empty)
    };
    [false, true].map(|right| [false, true].map(|top| empty(right, top)))
}

fn corner(board: &Board, p: Point, empty: [[bool; 2]; 2]) -> Corner {
    let g = board.geometry();
    let last = g.size() - 1;
    let (column, row) = (g.column(p), g.row(p));
    if !empty[usize::from(2 * column > last)][usize::from(2 * row > last)] {
        return Corner::None;
    }
    let (a, b) = (column.min(last - column) + 1, row.min(last - row) + 1);
    match (a.min(b), a.max(b)) {
        (4, 4) | (3, 4) => Corner::Best,
        (3, 3) | (3, 5) | (4, 5) => Corner::Usual,
        _ => Corner::None,
    }
}

fn is_lonely(board: &Board, p: Point) -> bool {
    let g = board.geometry();
    if !board.surroundings(p).no_stones() {
        return false;
    }
    // The points two steps away: what surrounds the neighbours.
    g.beside(p).iter().all(|&n| board.cell(n) != Cell::Empty || board.surroundings(n).no_stones())
}

/// Steps from the last move up to [`FAR`], where all stones of a chain are one place.
fn distances(board: &Board, last: Point) -> Grid<u8> {
    let mut distance = Grid::new(0u8);
    if last.is_pass() || !board.geometry().contains(last) {
        return distance;
    }
    // Marked with one more than the distance while growing; the last move itself is never a candidate.
    let mut front: Vec<Point> = Vec::new();
    let reach = |p: Point, mark: u8, distance: &mut Grid<u8>, front: &mut Vec<Point>| {
        if board.cell(p) == Cell::Edge || distance[p] != 0 {
            return;
        }
        if board.cell(p) == Cell::Empty {
            distance[p] = mark;
            front.push(p);
        } else {
            for stone in board.chain(p) {
                distance[stone] = mark;
                front.push(stone);
            }
        }
    };
    reach(last, u8::MAX, &mut distance, &mut front);
    for mark in 1..FAR {
        for p in std::mem::take(&mut front) {
            for n in board.geometry().beside(p) {
                reach(n, mark, &mut distance, &mut front);
            }
        }
    }
    distance
}

/// Points with something to win or lose at once.
struct Tactical {
    saves: Grid<usize>,
    in_vain: Grid<bool>,
    catches: Grid<usize>,
    vital: Grid<bool>,
}

impl Tactical {
    fn find(board: &Board) -> Tactical {
        let mut found =
            Tactical { saves: Grid::new(0), in_vain: Grid::new(false), catches: Grid::new(0), vital: Grid::new(false) };
        let me = board.to_move();
        for p in board.geometry().points() {
            match board.cell(p).colour() {
                // Once a chain: at its head.
                Some(colour) if board.head(p) == p => {
                    if colour == me {
                        found.look_at_own(board, p);
                    } else {
                        found.look_at_enemy(board, p);
                    }
                }
                None if board.surroundings(p).empty_beside() <= 2 => {
                    if let Some(vital) = tactics::vital_point(board, p) {
                        found.vital[vital.point] = true;
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn look_at_own(&mut self, board: &Board, p: Point) {
        let Some(last) = board.liberties(p).last() else { return };
        let mut answers: Few<5> = Few::new();
        answers.insert(last);
        for &capture in tactics::rescuing_captures(board, p).as_slice() {
            answers.insert(capture);
        }
        for &answer in answers.as_slice() {
            if tactics::escapes_by(board, p, answer) {
                self.saves[answer] += board.chain_size(p);
            } else {
                self.in_vain[answer] = true;
            }
        }
    }

    fn look_at_enemy(&mut self, board: &Board, p: Point) {
        if board.liberties(p).meetings() <= 8
            && !board.in_atari(p)
            && let Some(m) = tactics::catching_move(board, p)
        {
            self.catches[m] += board.chain_size(p);
        }
    }
}

impl Traits {
    /// The traits as games played beforehand.
    fn games(&self) -> Games {
        let mut games = Games { played: EVEN, won: EVEN / 2.0 };
        match self.captures {
            0 => {}
            1 => games.won(CAPTURE_ONE),
            _ => games.won(CAPTURE_MANY),
        }
        match self.saves {
            0 => {}
            1 => games.won(SAVE_ONE),
            _ => games.won(SAVE_MANY),
        }
        if self.catches > 0 {
            games.won(CATCH);
        }
        if self.runs_in_vain && self.saves == 0 && self.captures == 0 {
            games.lost(IN_VAIN);
        }
        if self.self_atari {
            games.lost(SELF_ATARI);
        }
        if self.throw_in {
            games.lost(THROW_IN);
        }
        if self.pattern > 0.0 {
            games.won(PATTERN);
        }
        if self.vital {
            games.won(VITAL);
        }
        games.won(NEAR[usize::from(self.distance).min(3)]);
        if self.lonely {
            match self.line {
                1 | 2 => games.lost(LONELY_EDGE),
                3 => games.won(LONELY_THIRD),
                _ => {}
            }
        }
        match self.corner {
            Corner::None => {}
            Corner::Usual => games.won(CORNER_USUAL),
            Corner::Best => games.won(CORNER_BEST),
        }
        games
    }

    /// The traits as the bonus of the course: from 0 to about 10, small at the edge, large beside the last move.
    pub fn bonus(&self) -> f32 {
        let mut bonus = match self.line {
            1 => 0.5,
            2 => 1.0,
            _ => 2.0,
        };
        bonus += [0.0, 5.0, 3.0, 1.0][usize::from(self.distance).min(3)];
        if self.pattern > 0.0 {
            bonus += 3.0;
        }
        if self.captures > 0 || self.saves > 0 || self.vital {
            bonus += 8.0;
        }
        if self.self_atari || self.runs_in_vain {
            bonus *= 0.2;
        }
        bonus
    }
}

/// Prior games for each sensible move and the pass, best first.
pub fn seeds_with_games(moves: Vec<(Point, Traits)>) -> Vec<Seed> {
    let seed = |point, games: Games| Seed { point, visits: games.played, value: games.won };
    let mut seeds: Vec<Seed> = moves.into_iter().map(|(p, traits)| seed(p, traits.games())).collect();
    seeds.push(seed(Point::PASS, Games { played: EVEN + PASS, won: EVEN / 2.0 }));
    sort_by_worth(&mut seeds, |s| s.value / s.visits);
    seeds
}

/// The course's bonus for each move in place of prior games: `value` holds it, `visits` is 0. Best first.
pub fn seeds_with_bonus(moves: Vec<(Point, Traits)>) -> Vec<Seed> {
    let mut seeds: Vec<Seed> =
        moves.into_iter().map(|(p, traits)| Seed { point: p, visits: 0.0, value: traits.bonus() }).collect();
    seeds.push(Seed { point: Point::PASS, visits: 0.0, value: 0.0 });
    sort_by_worth(&mut seeds, |s| s.value);
    seeds
}

/// Adds games that were won to some moves, or a bonus of up to 10 where priors are bonuses. Best first again.
pub fn add_hints(seeds: &mut [Seed], hints: &[(Point, f32)], as_bonus: bool) {
    let most = hints.iter().map(|&(_, games)| games).fold(f32::MIN_POSITIVE, f32::max);
    for seed in seeds.iter_mut() {
        let Some(&(_, games)) = hints.iter().find(|(p, _)| *p == seed.point) else { continue };
        if as_bonus {
            seed.value += 10.0 * games / most;
        } else {
            seed.visits += games;
            seed.value += games;
        }
    }
    let worth = |s: &Seed| if as_bonus || s.visits == 0.0 { s.value } else { s.value / s.visits };
    sort_by_worth(seeds, worth);
}

/// Moves about which nothing is believed.
pub fn bare_seeds(board: &Board, eye: EyeRule) -> Vec<Seed> {
    let me = board.to_move();
    let sensible = |&&p: &&Point| board.is_playable(p, me) && !eye.is_eye(board, p, me);
    let points = board.empties().iter().filter(sensible).copied().chain([Point::PASS]);
    points.map(|point| Seed { point, visits: 0.0, value: 0.0 }).collect()
}

fn sort_by_worth(seeds: &mut [Seed], worth: impl Fn(&Seed) -> f32) {
    // The point decides between equals, so that the order does not depend on how the position arose.
    seeds.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.point.cmp(&b.point)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Colour;
    use crate::go::notation::{parse_picture, parse_vertex};

    fn traits(picture: &str, to_move: Colour, last: &str, p: &str) -> Traits {
        let mut board = parse_picture(picture).unwrap();
        board.set_to_move(to_move);
        let at = |name| parse_vertex(board.geometry(), name).unwrap();
        let moves = sensible_moves(&board, at(last), &PatternTable::standard());
        moves.into_iter().find(|&(q, _)| q == at(p)).unwrap().1
    }

    #[test]
    fn distances_run_along_chains() {
        let picture =
            ".........\n.........\n.........\n..XXXXX..\n.........\n.........\n.........\n.........\n.........";
        assert_eq!(traits(picture, Colour::White, "c6", "h6").distance, 1);
        assert_eq!(traits(picture, Colour::White, "c6", "j6").distance, 2);
        assert_eq!(traits(picture, Colour::White, "c6", "c3").distance, 3);
        assert_eq!(traits(picture, Colour::White, "c6", "c2").distance, 0);
    }

    #[test]
    fn captures_and_rescues_are_seen() {
        let picture = ".....\n.X...\nXOX..\n.....\n.....";
        assert_eq!(traits(picture, Colour::Black, "b3", "b2").captures, 1);
        assert_eq!(traits(picture, Colour::White, "c3", "b2").saves, 1);
        let ladder = ".....\n.....\n.OOO.\n.OX..\n..O..";
        assert!(traits(ladder, Colour::Black, "b2", "d2").runs_in_vain);
    }

    #[test]
    fn lone_points_know_their_line() {
        let empty = Board::new(9).unwrap();
        let moves = sensible_moves(&empty, Point::PASS, &PatternTable::standard());
        assert_eq!(moves.len(), 81);
        assert!(moves.iter().all(|(_, t)| t.lonely && t.distance == 0));
        let seeds = seeds_with_games(moves);
        assert_eq!(empty.geometry().line(seeds[0].point), 3);
        assert_eq!(seeds.len(), 82);
        assert!(seeds.iter().all(|s| s.value >= 0.0 && s.value <= s.visits));
    }

    #[test]
    fn empty_corners_come_first_on_large_boards() {
        let mut board = Board::new(19).unwrap();
        let best = |board: &Board, last| {
            let seeds = seeds_with_games(sensible_moves(board, last, &PatternTable::standard()));
            crate::go::notation::Vertex(board.geometry(), seeds[0].point).to_string()
        };
        let mut taken = Vec::new();
        let mut last = Point::PASS;
        for _ in 0..4 {
            let name = best(&board, last);
            last = parse_vertex(board.geometry(), &name).unwrap();
            board.play(last);
            taken.push((name.as_bytes()[0] > b'K', name[1..].parse::<u32>().unwrap() > 10));
        }
        taken.sort();
        taken.dedup();
        assert_eq!(taken.len(), 4, "each in a corner of its own");
        assert!(
            sensible_moves(&Board::new(9).unwrap(), Point::PASS, &PatternTable::standard())
                .iter()
                .all(|(_, traits)| traits.corner == Corner::None)
        );
    }

    #[test]
    fn own_eyes_are_left_alone() {
        let picture = ".XO..\nXXO..\nOOO..\n.....\n.....";
        let mut board = parse_picture(picture).unwrap();
        board.set_to_move(Colour::Black);
        let eye = parse_vertex(board.geometry(), "a5").unwrap();
        let has_eye = |seeds: &[Seed]| seeds.iter().any(|s| s.point == eye);
        assert!(!has_eye(&bare_seeds(&board, EyeRule::Strict)));
    }
}
