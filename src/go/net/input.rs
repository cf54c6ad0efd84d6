//! What a network is told of a position: planes of points and a few numbers, as version 7 of KataGo's inputs has them.

use super::{
    area,
    file::{GLOBALS, PLANES},
    ladder::Ladders,
};
use crate::{
    base::Colour,
    go::{
        board::{Board, Forbidden},
        game::GoGame,
        point::Point,
        rules::{Rules, Scoring, Superko},
        surroundings::Cell,
        tactics,
    },
};

/// Moves that are told, the last one first.
const REMEMBERED: usize = 5;
/// Komi further from zero than the area and this much says nothing more.
const KOMI_BEYOND: f32 = 20.0;

/// A position with the little history that matters.
pub struct Situation<'a> {
    pub board: &'a Board,
    /// The boards before the last move and before the one before it, as far as there are any.
    pub before: [Option<&'a Board>; 2],
    /// The last moves, the latest first, with those who made them.
    pub last: &'a [(Colour, Point)],
    pub rules: Rules,
    /// What white is ahead before anything is counted.
    pub head_start: f32,
    /// Points that superko forbids.
    pub forbidden: &'a [Point],
}

impl Situation<'_> {
    /// Equal for situations that a network is told the same of, as long as rules and komi stay.
    pub fn key(&self) -> u64 {
        let mut key = self.board.hash();
        let moves =
            self.last.iter().take(REMEMBERED).map(|(colour, p)| (u64::from(p.raw()) << 1) | colour.index() as u64);
        for word in moves.chain(self.forbidden.iter().map(|p| u64::from(p.raw()) << 16)) {
            key = (key ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        }
        key
    }
}

/// The inputs for one position.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    pub size: usize,
    /// By point (rows from the top), plane.
    pub planes: Vec<f32>,
    pub globals: [f32; GLOBALS],
}

/// The number of a point in everything a network takes and gives: rows from the top.
pub fn number(board: &Board, p: Point) -> usize {
    let g = board.geometry();
    (g.size() - 1 - g.row(p)) * g.size() + g.column(p)
}

impl Input {
    pub fn new(situation: &Situation<'_>, ladders: &mut Ladders) -> Input {
        let board = situation.board;
        let size = board.size();
        let mut input = Input { size, planes: vec![0.0; size * size * PLANES], globals: [0.0; GLOBALS] };
        input.stones(board);
        for &p in situation.forbidden.iter().chain(&board.ko()) {
            input.set(board, p, 6);
        }
        let told = input.history(situation);
        input.ladders(situation, told, ladders);
        if situation.rules.scoring == Scoring::Area {
            let owner = area::owners(board, situation.rules.suicide);
            for p in board.geometry().points() {
                if let Some(colour) = owner[p] {
                    input.set(board, p, if colour == board.to_move() { 18 } else { 19 });
                }
            }
        }
        input.terms(situation);
        input
    }

    /// Whether the rules allow a game to go round in a circle and have no result.
    pub fn may_be_endless(&self) -> bool {
        self.globals[6] == 0.0 || self.globals[9] != 0.0
    }

    fn set(&mut self, board: &Board, p: Point, plane: usize) {
        self.planes[number(board, p) * PLANES + plane] = 1.0;
    }

    fn stones(&mut self, board: &Board) {
        let own = Cell::from(board.to_move());
        for p in board.geometry().points() {
            self.set(board, p, 0);
            let cell = board.cell(p);
            if cell == Cell::Empty {
                continue;
            }
            self.set(board, p, if cell == own { 1 } else { 2 });
            let liberties = tactics::liberties::<4>(board, p).as_slice().len();
            if (1..=3).contains(&liberties) {
                self.set(board, p, 2 + liberties);
            }
        }
    }

    /// The last moves as long as the sides took turns; how many were told.
    fn history(&mut self, situation: &Situation<'_>) -> usize {
        let mut mover = !situation.board.to_move();
        for (age, &(colour, p)) in situation.last.iter().take(REMEMBERED).enumerate() {
            if colour != mover {
                return age;
            }
            if p.is_pass() {
                self.globals[age] = 1.0;
            } else {
                self.set(situation.board, p, 9 + age);
            }
            mover = !mover;
        }
        situation.last.len().min(REMEMBERED)
    }

    fn ladders(&mut self, situation: &Situation<'_>, told: usize, ladders: &mut Ladders) {
        let now = situation.board;
        let earlier = situation.before[0].filter(|_| told >= 1).unwrap_or(now);
        let earliest = situation.before[1].filter(|_| told >= 2).unwrap_or(earlier);
        for (plane, board) in [(14, now), (15, earlier), (16, earliest)] {
            if plane > 14 && std::ptr::eq(board, now) {
                self.copy_plane(14, plane);
                continue;
            }
            for caught in ladders.caught(board) {
                board.chain(caught.chain).for_each(|stone| self.set(board, stone, plane));
                if plane == 14 && board.cell(caught.chain) == Cell::from(!board.to_move()) {
                    caught.by.as_slice().iter().for_each(|&p| self.set(board, p, 17));
                }
            }
        }
    }

    fn copy_plane(&mut self, from: usize, to: usize) {
        for point in self.planes.chunks_exact_mut(PLANES) {
            point[to] = point[from];
        }
    }

    fn terms(&mut self, situation: &Situation<'_>) {
        let area = (self.size * self.size) as f32;
        let white = situation.head_start + paid_for_moves(situation.board, situation.rules);
        let for_me = if situation.board.to_move() == Colour::White { white } else { -white };
        let komi = for_me.clamp(-area - KOMI_BEYOND, area + KOMI_BEYOND);
        let globals = &mut self.globals;
        globals[5] = komi / 20.0;
        let Rules { superko, suicide, scoring, .. } = situation.rules;
        (globals[6], globals[7]) = match superko {
            Superko::None => (0.0, 0.0),
            Superko::Positional => (1.0, 0.5),
            Superko::Situational => (1.0, -0.5),
        };
        globals[8] = f32::from(u8::from(suicide));
        // Where territory is counted, that in seki is not.
        (globals[9], globals[10]) = if scoring == Scoring::Territory { (1.0, 1.0) } else { (0.0, 0.0) };
        globals[14] = f32::from(u8::from(situation.last.first().is_some_and(|(_, p)| p.is_pass())));
        if scoring == Scoring::Area {
            globals[18] = parity_wave(komi, self.size * self.size);
        }
    }
}

/// What white is ahead by moves that cost a point where territory is counted: every stone that a side has played.
pub fn paid_for_moves(board: &Board, rules: Rules) -> f32 {
    let played = |colour| (board.stones(colour) + board.captured(colour)) as f32;
    if rules.scoring == Scoring::Territory { played(Colour::Black) - played(Colour::White) } else { 0.0 }
}

/// A stone that would stand alone without a liberty: no rule set takes that for a move, and networks are not told of it.
pub fn is_lone_suicide(board: &Board, p: Point) -> bool {
    let me = board.to_move();
    Some(p) != board.ko()
        && !board.is_playable(p, me)
        && board.geometry().beside(p).iter().all(|&n| board.cell(n) != Cell::from(me))
}

/// How much a little more komi is worth: it rises around the values of komi that allow a draw and falls around the others.
fn parity_wave(komi: f32, area: usize) -> f32 {
    let offset = (area % 2) as f32;
    let floor = ((komi - offset) / 2.0).floor() * 2.0 + offset;
    match (komi - floor).clamp(0.0, 2.0) {
        above if above < 0.5 => above,
        above if above < 1.5 => 1.0 - above,
        above => above - 2.0,
    }
}

/// The boards that a network is told of, for a game as it stands.
pub struct Recent {
    boards: Vec<Board>,
    last: Vec<(Colour, Point)>,
    forbidden: Vec<Point>,
}

impl Recent {
    pub fn of(game: &GoGame) -> Recent {
        let plays = game.plays();
        let mut board = game.start().clone();
        let mut boards = Vec::new();
        for (number, play) in plays.iter().enumerate() {
            if number + 2 >= plays.len() {
                boards.push(board.clone());
            }
            board.set_to_move(play.colour);
            board.play(play.point);
        }
        boards.reverse();
        let me = game.to_move();
        let superko = |&p: &Point| game.check(me, p) == Err(Forbidden::Superko) && !is_lone_suicide(game.board(), p);
        Recent {
            boards,
            last: plays.iter().rev().take(REMEMBERED).map(|play| (play.colour, play.point)).collect(),
            forbidden: game.board().empties().iter().copied().filter(superko).collect(),
        }
    }

    pub fn situation<'a>(&'a self, game: &'a GoGame) -> Situation<'a> {
        Situation {
            board: game.board(),
            before: [self.boards.first(), self.boards.get(1)],
            last: &self.last,
            rules: game.rules(),
            head_start: game.head_start(),
            forbidden: &self.forbidden,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_is_worth_most_where_it_can_make_a_draw() {
        let wave = |komi| parity_wave(komi, 81);
        assert_eq!([7.0, 7.5, 8.0, 8.5].map(wave), [0.0, 0.5, 0.0, -0.5]);
        assert_eq!([-7.5, -7.0, -6.5].map(wave), [-0.5, 0.0, 0.5]);
        assert_eq!(parity_wave(6.0, 100), 0.0);
    }

    #[test]
    fn the_last_moves_are_told_as_long_as_the_sides_take_turns() {
        let mut game = GoGame::new(9, Rules::CHINESE, 7.0).expect("a usual size");
        let at = |c, r| crate::go::point::Geometry::new(9).expect("a usual size").point(c, r).expect("a point");
        game.play(Colour::Black, at(2, 2)).expect("legal");
        game.play(Colour::White, at(6, 6)).expect("legal");
        game.play(Colour::Black, Point::PASS).expect("legal");
        let input = Input::new(&Recent::of(&game).situation(&game), &mut Ladders::default());
        assert_eq!(input.globals[..5], [1.0, 0.0, 0.0, 0.0, 0.0]);
        let told = |plane: usize| input.planes.chunks_exact(PLANES).filter(|point| point[plane] == 1.0).count();
        assert_eq!([0, 1, 2, 9, 10, 11].map(told), [81, 1, 1, 0, 1, 1]);
        assert_eq!(input.planes[(2 * 9 + 6) * PLANES + 10], 1.0, "rows are counted from the top");
        assert_eq!((input.globals[5], input.globals[14]), (7.0 / 20.0, 1.0));
    }
}
