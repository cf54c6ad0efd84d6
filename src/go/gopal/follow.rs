//! Keeps the candidate trees of a game up to date, move by move, and begins anew when the game is another one.

use super::forest::{Candidate, Forest};
use super::intents::Intents;
use super::library::Library;
use super::matcher::Matcher;
use crate::go::board::Board;
use crate::go::game::{GoGame, Play};
use std::sync::Arc;

pub struct Follower {
    matcher: Matcher,
    forest: Forest,
    board: Box<Board>,
    plays: Vec<Play>,
    start: u64,
    /// Whether the trees of the present position have grown.
    grown: bool,
    intents: Intents,
    /// Added to the weight of a candidate that goes on with the intent of its side's last moves.
    bonus: i64,
    outdated: bool,
}

impl Follower {
    pub fn new(library: Arc<Library>, game: &GoGame) -> Follower {
        Follower {
            matcher: Matcher::new(library, game.geometry()),
            forest: Forest::default(),
            board: Box::new(game.start().clone()),
            plays: Vec::new(),
            start: game.start().hash(),
            grown: false,
            intents: Intents::default(),
            bonus: 0,
            outdated: false,
        }
    }

    /// Makes intents last: this is added to the weight of candidates that go on with the intent of the last moves.
    pub fn set_bonus(&mut self, bonus: i64) {
        // Intents are kept only while they count: the game has to be followed again.
        self.outdated |= bonus != self.bonus;
        self.bonus = bonus;
    }

    pub fn bonus(&self) -> i64 {
        self.bonus
    }

    pub fn library(&self) -> &Arc<Library> {
        self.matcher.library()
    }

    /// Begins anew. On a board of the same size the matcher looks again only at what differs.
    fn begin(&mut self, game: &GoGame) {
        if self.matcher.geometry() != game.geometry() {
            self.matcher = Matcher::new(self.library().clone(), game.geometry());
        }
        self.forest = Forest::default();
        *self.board = game.start().clone();
        self.plays.clear();
        self.start = game.start().hash();
        self.grown = false;
        self.outdated = false;
        self.intents = Intents::default();
    }

    /// Goes to the position of a game.
    pub fn follow(&mut self, game: &GoGame) {
        let same = self.matcher.geometry() == game.geometry() && self.start == game.start().hash();
        if self.outdated || !same || !game.plays().starts_with(&self.plays) {
            self.begin(game);
        }
        for play in &game.plays()[self.plays.len()..] {
            if self.board.to_move() != play.colour {
                // Trees that grew for the other side stay as after a tenuki.
                self.board.set_to_move(play.colour);
                self.grown = false;
            }
            self.grow();
            if self.bonus != 0 {
                let intent = self.forest.intent_of(&self.board, self.move_number(), play.point);
                self.intents.record(play.colour, intent);
            }
            self.forest.advance(self.board.geometry(), play.colour, play.point);
            self.board.play(play.point);
            self.plays.push(*play);
            self.grown = false;
        }
        if self.board.to_move() != game.to_move() {
            self.board.set_to_move(game.to_move());
            self.grown = false;
        }
        self.grow();
    }

    fn grow(&mut self) {
        if !self.grown {
            let matches = self.matcher.matches(&self.board, self.move_number());
            let number = self.move_number();
            self.forest.grow(self.matcher.library(), &matches, &self.board, number);
            self.grown = true;
        }
    }

    pub fn move_number(&self) -> usize {
        self.plays.len() + 1
    }

    pub fn board(&self) -> &Board {
        &self.board
    }

    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// The candidates of the position, each point once, best first.
    pub fn candidates(&self) -> Vec<Candidate> {
        let mut found = self.forest.candidates(&self.board, self.move_number());
        self.intents.prefer(self.board.to_move(), self.bonus, &mut found);
        found
    }

    /// The intents of the last moves of both sides.
    pub fn intents(&self) -> &Intents {
        &self.intents
    }

    /// The trees after a move from here, and the board: for a search that looks ahead.
    pub fn ahead(&mut self, forest: &Forest, board: &Board, move_number: usize) -> Forest {
        let mut forest = forest.clone();
        let matches = self.matcher.matches(board, move_number);
        forest.grow(self.matcher.library(), &matches, board, move_number);
        forest
    }
}
