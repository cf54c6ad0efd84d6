//! A game with its history: what was played, what was taken back, and the branches kept.

use super::{
    Move, Position, Square,
    position::{Score, Turn},
};
use crate::base::Colour;

/// A move as it was played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ply {
    pub colour: Colour,
    pub mv: Move,
    /// What the player thought the position worth, in discs, seen by itself.
    pub value: Option<f64>,
    /// What it took of the clock.
    pub seconds: Option<f64>,
    /// A pass that the game made by itself.
    pub automatic: bool,
    /// Undoing stops in front of it; the others go together with the ply before them.
    step: bool,
}

impl Ply {
    fn new(colour: Colour, mv: Move) -> Ply {
        Ply { colour, mv, value: None, seconds: None, automatic: false, step: true }
    }
}

/// Why a move was refused. The game is as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    #[error("illegal move: {square} is occupied")]
    Occupied { square: Square },
    #[error("illegal move: {colour} on {square} turns nothing")]
    TurnsNothing { colour: Colour, square: Square },
    #[error("illegal move: {colour} cannot pass, it has a move")]
    CannotPass { colour: Colour },
    #[error("{colour} has no move and must pass")]
    MustPass { colour: Colour },
    #[error("it is not {colour}'s turn")]
    WrongSide { colour: Colour },
    #[error("the game is over")]
    GameOver,
}

/// A sequence was refused at its move number `index`, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("move {}: {error}", .index + 1)]
pub struct SequenceError {
    pub index: usize,
    pub error: PlayError,
}

/// A line of the game laid aside, with the ply that was current.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    pub plies: Vec<Ply>,
    pub at: usize,
}

/// Lines kept by going back and playing on: a client that tries moves for hours must not fill the memory.
const MOST_KEPT: usize = 100;

/// A game with its history, the moves taken back and its branches.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    start: Position,
    /// The whole line, also what was undone and can be redone.
    plies: Vec<Ply>,
    /// The positions before each ply and after the last: one more than plies.
    positions: Vec<Position>,
    /// How many of the plies are played.
    at: usize,
    branches: Vec<Branch>,
    auto_pass: bool,
}

impl Default for Game {
    fn default() -> Game {
        Game::new()
    }
}

impl Game {
    /// From the usual start, passing automatically.
    pub fn new() -> Game {
        Game::from_position(Position::START)
    }

    /// From any position, passing automatically: also at once if the side to move has to.
    pub fn from_position(start: Position) -> Game {
        Game::started(start, true)
    }

    /// From any position, passing only when told to.
    pub fn without_auto_pass(start: Position) -> Game {
        Game::started(start, false)
    }

    fn started(start: Position, auto_pass: bool) -> Game {
        let mut game = Game { start, plies: vec![], positions: vec![start], at: 0, branches: vec![], auto_pass };
        game.pass_automatically();
        game
    }

    /// Forgets everything and begins at `start`, keeping the way of passing. The turn tells if anybody can move.
    pub fn set_position(&mut self, start: Position) -> Turn {
        *self = Game::started(start, self.auto_pass);
        self.turn()
    }

    /// Back to the position the game began with, everything played forgotten.
    pub fn restart(&mut self) {
        self.set_position(self.start);
    }

    /// Whether forced passes are made without being asked for.
    pub fn auto_pass(&self) -> bool {
        self.auto_pass
    }

    /// Switches automatic passing; switched on where a pass is due, the pass is made.
    pub fn set_auto_pass(&mut self, on: bool) {
        self.auto_pass = on;
        if self.at == self.plies.len() {
            self.pass_automatically();
        }
    }

    /// The position it began with.
    pub fn start(&self) -> Position {
        self.start
    }

    /// The position now.
    pub fn position(&self) -> Position {
        self.positions[self.at]
    }

    /// The position after `ply` plies of the whole line.
    pub fn position_at(&self, ply: usize) -> Option<Position> {
        self.positions.get(ply).copied()
    }

    /// How many plies are played, passes counted.
    pub fn ply(&self) -> usize {
        self.at
    }

    /// What is played up to the current position.
    pub fn played(&self) -> &[Ply] {
        &self.plies[..self.at]
    }

    /// What was undone and can be redone.
    pub fn future(&self) -> &[Ply] {
        &self.plies[self.at..]
    }

    /// The whole line, undone plies included.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The moves up to the current position.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> + '_ {
        self.played().iter().map(|ply| ply.mv)
    }

    /// The last move.
    pub fn last(&self) -> Option<&Ply> {
        self.played().last()
    }

    /// Whose turn it is, or that the game is over.
    pub fn turn(&self) -> Turn {
        self.position().turn()
    }

    /// The side to move.
    pub fn side(&self) -> Colour {
        self.position().side
    }

    /// Whether neither side can move.
    pub fn is_over(&self) -> bool {
        self.turn() == Turn::Over
    }

    /// Discs on the board now.
    pub fn score(&self) -> Score {
        self.position().score()
    }

    /// Plays a move. Without a colour it is for the side to move. A colour that is not to move may play only when the
    /// other must pass; that pass is then made for it. With automatic passing a move without a colour may do the same,
    /// and a pass that was just made automatically may be said again.
    pub fn play(&mut self, colour: Option<Colour>, mv: Move) -> Result<(), PlayError> {
        match mv {
            Move::Place(square) => self.place(colour, square),
            Move::Pass => self.pass(colour),
        }
    }

    fn place(&mut self, colour: Option<Colour>, square: Square) -> Result<(), PlayError> {
        let position = self.position();
        let turn = self.turn();
        let mover = match (colour, turn) {
            (_, Turn::Over) => return Err(PlayError::GameOver),
            (None, Turn::MustPass) if self.auto_pass => !position.side,
            (None, _) => position.side,
            (Some(colour), Turn::Move) if colour != position.side => return Err(PlayError::WrongSide { colour }),
            (Some(colour), _) => colour,
        };
        if position.disc_at(square).is_some() {
            return Err(PlayError::Occupied { square });
        }
        if turn == Turn::MustPass && mover == position.side {
            return Err(PlayError::MustPass { colour: mover });
        }
        let next = position.with_side(mover).play(square).ok_or(PlayError::TurnsNothing { colour: mover, square })?;
        let mut ply = Ply::new(mover, square.into());
        if mover != position.side {
            self.push(Ply { automatic: true, ..Ply::new(position.side, Move::Pass) }, position.pass());
            // Undoing the move undoes the pass in front of it as well.
            ply.step = false;
        }
        self.push(ply, next);
        self.pass_automatically();
        Ok(())
    }

    fn pass(&mut self, colour: Option<Colour>) -> Result<(), PlayError> {
        let position = self.position();
        let side = position.side;
        match self.turn() {
            Turn::Over => return Err(PlayError::GameOver),
            Turn::MustPass => match colour {
                Some(colour) if colour != side => return Err(PlayError::WrongSide { colour }),
                _ => self.push(Ply::new(side, Move::Pass), position.pass()),
            },
            Turn::Move => match self.at.checked_sub(1) {
                Some(last) if self.plies[last].automatic && colour != Some(side) => self.plies[last].automatic = false,
                _ if colour.is_some_and(|colour| colour != side) => return Err(PlayError::WrongSide { colour: !side }),
                _ => return Err(PlayError::CannotPass { colour: side }),
            },
        }
        Ok(())
    }

    /// A pass after the end of the game, by either side: some referees end a game only after two passes.
    pub fn pass_at_end(&mut self, colour: Option<Colour>) -> Result<(), PlayError> {
        let colour = colour.unwrap_or(self.side());
        if !self.is_over() {
            return Err(PlayError::CannotPass { colour });
        }
        let next = self.position().with_side(!colour);
        self.push(Ply::new(colour, Move::Pass), next);
        Ok(())
    }

    /// Plays all of the moves or, when one of them is refused, none. Passes may be given or left out.
    pub fn play_sequence<I>(&mut self, moves: I) -> Result<(), SequenceError>
    where
        I: IntoIterator<Item = (Option<Colour>, Move)>,
    {
        let mut trial = self.clone();
        for (index, (colour, mv)) in moves.into_iter().enumerate() {
            let left_out = trial.turn() == Turn::MustPass && colour.is_none() && mv != Move::Pass;
            let colour = if left_out { Some(!trial.side()) } else { colour };
            trial.play(colour, mv).map_err(|error| SequenceError { index, error })?;
        }
        *self = trial;
        Ok(())
    }

    /// Notes what the player of the last move thought and how long it took.
    pub fn annotate(&mut self, value: Option<f64>, seconds: Option<f64>) {
        // An automatic pass is nobody's thought: the note belongs to the move before it.
        if let Some(ply) = self.plies[..self.at].iter_mut().rev().find(|ply| !ply.automatic) {
            (ply.value, ply.seconds) = (value, seconds);
        }
    }

    /// Appends to the played line. The undone plies stay if this is what they begin with.
    fn push(&mut self, ply: Ply, next: Position) {
        let same = self.plies.get(self.at).is_some_and(|old| old.mv == ply.mv && old.colour == ply.colour);
        if same {
            self.plies[self.at] = ply;
        } else {
            // Another move after going back: the line that was stays as a branch.
            if self.plies[self.at..].iter().any(|ply| !ply.automatic) && self.kept().is_none() {
                self.branches.push(Branch { plies: self.plies.clone(), at: self.plies.len() });
                let extra = self.branches.len().saturating_sub(MOST_KEPT);
                self.branches.drain(..extra);
            }
            self.plies.truncate(self.at);
            self.positions.truncate(self.at + 1);
            self.plies.push(ply);
            self.positions.push(next);
        }
        self.at += 1;
    }

    fn pass_automatically(&mut self) {
        if self.auto_pass && self.turn() == Turn::MustPass {
            let position = self.position();
            let ply = Ply { automatic: true, step: false, ..Ply::new(position.side, Move::Pass) };
            self.push(ply, position.pass());
        }
    }

    /// Goes `n` moves back, an automatic pass going together with its move. False, and nothing done, when there are
    /// not so many.
    pub fn undo(&mut self, n: usize) -> bool {
        let mut starts = (0..self.at).rev().filter(|&i| self.plies[i].step);
        match n {
            0 => true,
            n => starts.nth(n - 1).map(|at| self.at = at).is_some(),
        }
    }

    /// Goes `n` undone moves forward again. False, and nothing done, when there are fewer.
    pub fn redo(&mut self, n: usize) -> bool {
        let steps = self.future().iter().filter(|ply| ply.step).count();
        if n > steps {
            return false;
        }
        if n > 0 {
            let ends = (self.at + 1..=self.plies.len()).filter(|&i| self.plies.get(i).is_none_or(|ply| ply.step));
            // A line that begins with a pass made by the game itself has its first stop before the first real move.
            let lead = usize::from(self.plies.get(self.at).is_some_and(|ply| !ply.step));
            self.at = ends.into_iter().nth(n - 1 + lead).unwrap_or(self.plies.len());
        }
        true
    }

    /// Goes to the position after `ply` plies of the whole line. False, and nothing done, when it is shorter.
    pub fn go_to(&mut self, ply: usize) -> bool {
        if ply > self.plies.len() {
            return false;
        }
        self.at = ply;
        true
    }

    /// Undoes `n` moves and forgets them and all that came after.
    pub fn take_back(&mut self, n: usize) -> bool {
        let done = self.undo(n);
        if done {
            self.forget_future();
        }
        done
    }

    /// What was undone can no longer be redone.
    pub fn forget_future(&mut self) {
        self.plies.truncate(self.at);
        self.positions.truncate(self.at + 1);
    }

    /// Lines that were left for another move.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// Keeps the whole line as it is now, and tells its number among the branches. A line already kept is not kept
    /// twice.
    pub fn keep_branch(&mut self) -> usize {
        match self.kept() {
            Some(number) => {
                self.branches[number].at = self.at;
                number
            }
            None => {
                self.branches.push(Branch { plies: self.plies.clone(), at: self.at });
                self.branches.len() - 1
            }
        }
    }

    /// The branch that the present line is.
    fn kept(&self) -> Option<usize> {
        let same = |kept: &Branch| {
            kept.plies.len() == self.plies.len() && kept.plies.iter().zip(&self.plies).all(|(a, b)| a.mv == b.mv)
        };
        self.branches.iter().position(same)
    }

    /// Makes a kept branch the line of the game, and keeps the line that was. False when there is no such branch.
    pub fn switch_branch(&mut self, number: usize) -> bool {
        if number >= self.branches.len() {
            return false;
        }
        if !self.plies.is_empty() {
            self.keep_branch();
        }
        let Branch { plies, at } = self.branches[number].clone();
        self.positions = positions(self.start, &plies);
        (self.plies, self.at) = (plies, at);
        true
    }

    /// The present line is the game; all others are forgotten.
    pub fn keep_only_this_line(&mut self) {
        self.branches.clear();
    }

    /// Forgets a branch; whether there was one.
    pub fn drop_branch(&mut self, number: usize) -> bool {
        let found = number < self.branches.len();
        if found {
            self.branches.remove(number);
        }
        found
    }

    /// Turns or mirrors the whole game, branches too, by a symmetry as numbered by [`super::Board::symmetry`].
    pub fn transform(&mut self, s: u8) {
        let lines = self.branches.iter_mut().map(|branch| &mut branch.plies).chain([&mut self.plies]);
        for ply in lines.flatten() {
            if let Move::Place(square) = ply.mv {
                ply.mv = square.symmetry(s).into();
            }
        }
        self.start = self.start.symmetry(s);
        for position in &mut self.positions {
            *position = position.symmetry(s);
        }
    }
}

/// The positions along a line of legal plies.
fn positions(start: Position, plies: &[Ply]) -> Vec<Position> {
    let mut all = vec![start];
    let mut position = start;
    for ply in plies {
        let mover = position.with_side(ply.colour);
        position = match ply.mv {
            Move::Place(square) => mover.play(square).unwrap_or(mover),
            Move::Pass => mover.pass(),
        };
        all.push(position);
    }
    all
}

#[cfg(test)]
mod tests;
