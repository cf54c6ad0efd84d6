//! A game of Go: the moves that led here, the rules they obey, and what may come next.

use super::board::{Board, Forbidden};
use super::point::{BadSize, Geometry, Point};
use super::rules::{Rules, Superko};
use super::surroundings::Cell;
use super::zobrist;
use crate::base::Colour;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Play {
    pub colour: Colour,
    pub point: Point,
}

/// What superko and repetition look at, for every position of the game.
#[derive(Debug, Clone, Copy)]
struct Seen {
    stones: u64,
    situation: u64,
    full: u64,
}

impl Seen {
    fn of(board: &Board) -> Seen {
        Seen { stones: board.stones_hash(), situation: board.situation_hash(), full: board.hash() }
    }
}

/// What two games must share, beside their moves and whose turn it is, to have the same future.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    size: usize,
    /// The hash of the first position.
    start: u64,
    rules: Rules,
    komi: f32,
    handicap: usize,
}

/// A game with its history, rules, komi and handicap.
#[derive(Debug, Clone)]
pub struct GoGame {
    rules: Rules,
    komi: f32,
    handicap: usize,
    start: Box<Board>,
    board: Box<Board>,
    plays: Vec<Play>,
    seen: Vec<Seen>,
}

impl GoGame {
    /// A new game on an empty board.
    pub fn new(size: usize, rules: Rules, komi: f32) -> Result<GoGame, BadSize> {
        Ok(GoGame::from_board(Board::new(size)?, rules, komi))
    }

    /// A game that begins with stones on the board.
    pub fn from_board(board: Board, rules: Rules, komi: f32) -> GoGame {
        let seen = vec![Seen::of(&board)];
        let start = Box::new(board);
        GoGame { rules, komi, handicap: 0, board: start.clone(), start, plays: Vec::new(), seen }
    }

    /// Black gets stones before the first move and white moves first. The board must be empty.
    pub fn place_handicap(&mut self, stones: &[Point]) -> Result<(), Forbidden> {
        if self.board.empties().len() != self.geometry().area() || !self.plays.is_empty() {
            return Err(Forbidden::Occupied);
        }
        let mut board = Board::with_stones(self.geometry(), stones.iter().map(|&p| (p, Colour::Black)))?;
        board.set_to_move(Colour::White);
        let mut game = GoGame::from_board(board, self.rules, self.komi);
        game.handicap = stones.len();
        *self = game;
        Ok(())
    }

    /// The position now.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The position before the first move.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// Size and coordinates.
    pub fn geometry(&self) -> Geometry {
        self.board.geometry()
    }

    /// Points on a side.
    pub fn size(&self) -> usize {
        self.board.size()
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Colour {
        self.board.to_move()
    }

    /// What may be played and how the end is counted.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Changes the rules from here on.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    /// Points that white gets.
    pub fn komi(&self) -> f32 {
        self.komi
    }

    /// Changes the komi.
    pub fn set_komi(&mut self, komi: f32) {
        self.komi = komi;
    }

    /// Handicap stones.
    pub fn handicap(&self) -> usize {
        self.handicap
    }

    /// For games read from a file that names the number of stones apart from the stones themselves.
    pub fn set_handicap(&mut self, stones: usize) {
        self.handicap = stones;
    }

    /// What white is ahead before any area is counted: komi and compensation for handicap stones.
    pub fn head_start(&self) -> f32 {
        self.komi + self.rules.handicap_points(self.handicap) as f32
    }

    /// All that decides the value of a position besides the board.
    pub fn terms(&self) -> Terms {
        let GoGame { rules, komi, handicap, .. } = *self;
        Terms { size: self.size(), start: self.start.hash(), rules, komi, handicap }
    }

    /// The moves so far.
    pub fn plays(&self) -> &[Play] {
        &self.plays
    }

    /// The move just made; the pass if there was none.
    pub fn last_move(&self) -> Point {
        self.plays.last().map_or(Point::PASS, |play| play.point)
    }

    /// How many of the last moves were passes.
    pub fn passes(&self) -> usize {
        self.plays.iter().rev().take_while(|play| play.point.is_pass()).count()
    }

    /// Whether both sides have passed.
    pub fn is_over(&self) -> bool {
        self.passes() >= 2
    }

    /// Whether a side may play at a point, as if it were its turn.
    pub fn check(&self, colour: Colour, p: Point) -> Result<(), Forbidden> {
        if p.is_pass() {
            return Ok(());
        }
        if colour == self.to_move() {
            self.board.check(p, self.rules.suicide)?;
        } else {
            let mut board = self.board.clone();
            board.set_to_move(colour);
            board.check(p, self.rules.suicide)?;
        }
        if self.repeats(colour, p) { Err(Forbidden::Superko) } else { Ok(()) }
    }

    /// Whether superko forbids a move that is legal otherwise.
    fn repeats(&self, colour: Colour, p: Point) -> bool {
        let stones = || self.board.stones_hash_after(p, colour);
        match self.rules.superko {
            Superko::None => false,
            Superko::Positional => {
                let after = stones();
                self.seen.iter().any(|s| s.stones == after)
            }
            Superko::Situational => {
                let after = stones() ^ zobrist::side(!colour);
                self.seen.iter().any(|s| s.situation == after)
            }
        }
    }

    /// The hashes superko compares, for a search that goes on from here; empty where repetition is allowed.
    pub fn superko_hashes(&self) -> Vec<u64> {
        match self.rules.superko {
            Superko::None => Vec::new(),
            Superko::Positional => self.seen.iter().map(|s| s.stones).collect(),
            Superko::Situational => self.seen.iter().map(|s| s.situation).collect(),
        }
    }

    /// Makes a move, or a pass.
    pub fn play(&mut self, colour: Colour, p: Point) -> Result<(), Forbidden> {
        self.check(colour, p)?;
        self.play_unchecked(colour, p);
        Ok(())
    }

    /// Plays what superko would forbid, for games under the rules of others; all else is checked.
    pub fn play_despite_superko(&mut self, colour: Colour, p: Point) -> Result<(), Forbidden> {
        match self.check(colour, p) {
            Err(Forbidden::Superko) | Ok(()) => self.play_unchecked(colour, p),
            Err(other) => return Err(other),
        }
        Ok(())
    }

    fn play_unchecked(&mut self, colour: Colour, p: Point) {
        self.board.set_to_move(colour);
        self.board.play(p);
        self.plays.push(Play { colour, point: p });
        self.seen.push(Seen::of(&self.board));
    }

    /// Takes the last move back; `None` at the start.
    pub fn undo(&mut self) -> Option<Play> {
        let last = self.plays.len().checked_sub(1)?;
        self.back_to(last).pop()
    }

    /// Goes back to the position after so many moves and returns those that came after.
    pub fn back_to(&mut self, moves: usize) -> Vec<Play> {
        let mut plays = std::mem::take(&mut self.plays);
        let undone = plays.split_off(moves.min(plays.len()));
        self.board.copy_from(&self.start);
        self.seen.truncate(1);
        for play in plays {
            self.play_unchecked(play.colour, play.point);
        }
        undone
    }

    /// Gives the move to a side without a pass.
    pub fn set_to_move(&mut self, colour: Colour) {
        self.board.set_to_move(colour);
        if self.plays.is_empty() {
            self.start.set_to_move(colour);
            self.seen = vec![Seen::of(&self.board)];
        }
    }

    /// All points the side to move may play on; passing is always possible beside them.
    pub fn legal_points(&self) -> Vec<Point> {
        let me = self.to_move();
        self.geometry().points().filter(|&p| self.board.cell(p) == Cell::Empty && self.check(me, p).is_ok()).collect()
    }

    /// If the present position (stones, side to move and ko) was there before: how many moves ago.
    pub fn repetition(&self) -> Option<usize> {
        let (now, earlier) = self.seen.split_last()?;
        earlier.iter().rev().position(|s| s.full == now.full).map(|back| back + 1)
    }
}
