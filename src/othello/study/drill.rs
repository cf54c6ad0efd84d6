//! A repertoire asked move by move, and what is remembered of the answers: what was missed comes back soon, what is
//! known seldom.

use crate::{
    base::files,
    othello::{Board, Game, Move, Square, position::Turn},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, io, path::Path};

/// Days until a position is asked again, by how often in a row it was known.
const INTERVALS: [i64; 7] = [0, 1, 3, 7, 16, 35, 80];

/// A position of a repertoire and the moves that belong to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// The moves that lead there.
    pub line: Vec<Move>,
    pub answers: Vec<Square>,
}

/// What is remembered of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Memory {
    /// How often in a row it was known.
    pub known: u8,
    /// The day it is due, counted from 1970.
    pub due: i64,
    pub right: u32,
    pub wrong: u32,
}

/// What is remembered of all positions, by their canonical boards.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Memories {
    positions: BTreeMap<String, Memory>,
}

fn key(board: Board) -> String {
    let board = board.canonical().0;
    format!("{:016x}{:016x}", board.player, board.opponent)
}

impl Memories {
    /// An empty memory where there is no file; a damaged one is an error, not a beginning.
    pub fn load(path: &Path) -> io::Result<Memories> {
        match files::read(path, files::LARGEST) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Memories::default()),
            Err(error) => Err(error),
        }
    }

    pub fn save(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        files::replace(path, |out| writeln!(out, "{text}"))
    }

    pub fn of(&self, board: Board) -> Option<Memory> {
        self.positions.get(&key(board)).copied()
    }

    /// Counts an answer.
    pub fn answered(&mut self, board: Board, right: bool, today: i64) {
        let memory = self.positions.entry(key(board)).or_default();
        if right {
            memory.right += 1;
            memory.known = (memory.known + 1).min(INTERVALS.len() as u8 - 1);
        } else {
            memory.wrong += 1;
            memory.known = 0;
        }
        memory.due = today + INTERVALS[usize::from(memory.known)];
    }
}

/// The positions of some games, each once; what several games play there are all answers. The moves of the side that is
/// not `asked` are given.
pub fn cards(games: &[Game], asked: Option<crate::base::Colour>) -> Vec<Card> {
    let (mut cards, mut places) = (Vec::<(Card, u8)>::new(), BTreeMap::new());
    for game in games {
        for (ply, played) in game.plies().iter().enumerate() {
            let Some(position) = game.position_at(ply) else { break };
            let Move::Place(square) = played.mv else { continue };
            if asked.is_some_and(|colour| colour != position.side) || position.turn() != Turn::Move {
                continue;
            }
            let (canonical, s) = position.board.canonical();
            let place = *places.entry((canonical.player, canonical.opponent)).or_insert_with(|| {
                let line = game.plies()[..ply].iter().map(|ply| ply.mv).collect();
                cards.push((Card { line, answers: vec![] }, s));
                cards.len() - 1
            });
            let (card, first) = &mut cards[place];
            // An answer found in an image of the position is turned to how the card stands.
            let answer = square.symmetry(s).symmetry_back(*first);
            if !card.answers.contains(&answer) {
                card.answers.push(answer);
            }
        }
    }
    cards.into_iter().map(|(card, _)| card).collect()
}

/// The game turned so that it begins with f5, as people write games.
pub fn from_f5(mut game: Game) -> Game {
    if let Some(Move::Place(first)) = game.plies().first().map(|ply| ply.mv)
        && let Some(f5) = Square::at(5, 4)
        && let Some(s) = (0..8).find(|&s| first.symmetry(s) == f5 && Board::START.symmetry(s) == Board::START)
    {
        game.transform(s);
    }
    game
}

/// A drill under way.
#[derive(Debug, Clone, Default)]
pub struct Drill {
    cards: Vec<Card>,
    /// Which cards are still to be asked, the next first.
    queue: Vec<usize>,
    pub right: u32,
    pub wrong: u32,
}

/// What came of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub right: bool,
    pub answers: Vec<Square>,
}

impl Drill {
    /// Asks what is due, what was missed most before; then what was never asked, in the order of the repertoire. What is
    /// not due is left for another day.
    pub fn new(cards: Vec<Card>, memories: &Memories, today: i64) -> Drill {
        let memory = |card: &Card| memories.of(board(card));
        let mut due: Vec<usize> =
            (0..cards.len()).filter(|&i| memory(&cards[i]).is_some_and(|memory| memory.due <= today)).collect();
        due.sort_by_key(|&i| memory(&cards[i]).map_or((0, 0), |m| (-i64::from(m.wrong), m.due)));
        let new = (0..cards.len()).filter(|&i| memory(&cards[i]).is_none());
        let queue = due.into_iter().chain(new).collect();
        Drill { cards, queue, right: 0, wrong: 0 }
    }

    pub fn left(&self) -> usize {
        self.queue.len()
    }

    pub fn card(&self) -> Option<&Card> {
        self.queue.first().map(|&i| &self.cards[i])
    }

    /// Counts an answer to the present card. What was missed is asked again a few cards later.
    pub fn answer(&mut self, square: Square, memories: &mut Memories, today: i64) -> Option<Verdict> {
        const LATER: usize = 3;
        let index = *self.queue.first()?;
        let card = &self.cards[index];
        let here = board(card);
        // Moves that a symmetry of the position makes equal are one move.
        let after = |square: Square| here.play(square).map(|after| after.canonical().0);
        let right = card.answers.iter().any(|&answer| after(answer) == after(square));
        memories.answered(here, right, today);
        self.queue.remove(0);
        if right {
            self.right += 1;
        } else {
            self.wrong += 1;
            self.queue.insert(LATER.min(self.queue.len()), index);
        }
        Some(Verdict { right, answers: self.cards[index].answers.clone() })
    }
}

fn board(card: &Card) -> Board {
    let mut board = Board::START;
    for &mv in &card.line {
        board = match mv {
            Move::Place(square) => board.play(square).unwrap_or(board),
            Move::Pass => board.pass(),
        };
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::Colour, othello::records::lines};

    fn games(lines: &[&str]) -> Vec<Game> {
        lines.iter().map(|line| lines::parse(line).unwrap()).collect()
    }

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn each_position_is_one_card_with_all_its_answers() {
        let games = games(&["f5d6c3d3c4", "f5f6e6f4", "f5d6c5f4"]);
        let white = cards(&games, Some(Colour::White));
        let after_f5 = &white[0];
        assert_eq!(after_f5.line, [Move::Place(square("f5"))]);
        assert_eq!(after_f5.answers, [square("d6"), square("f6")]);
        let black = cards(&games, Some(Colour::Black));
        assert_eq!(black[0].answers, [square("f5")]);
        assert_eq!(black[1].answers, [square("c3"), square("c5")]);
        assert_eq!(cards(&games, None).len(), white.len() + black.len());
    }

    #[test]
    fn images_of_a_position_share_a_card() {
        let both = cards(&games(&["f5d6", "d3c5"]), Some(Colour::White));
        assert_eq!((both.len(), both[0].answers.len()), (1, 1), "{both:?}");
    }

    #[test]
    fn games_are_turned_to_begin_with_f5_and_equal_moves_are_right() {
        let game = from_f5(games(&["c4c3d3c5b2"]).remove(0));
        assert_eq!(game.plies()[0].mv, Move::Place(square("f5")));
        assert_eq!(game.position().board.canonical().0, games(&["c4c3d3c5b2"])[0].position().board.canonical().0);
        let mut drill = Drill::new(cards(&[game], None), &Memories::default(), 1);
        assert!(drill.answer(square("d3"), &mut Memories::default(), 1).unwrap().right);
    }

    #[test]
    fn what_was_missed_comes_back_soon_and_what_is_known_later() {
        let list = cards(&games(&["f5d6c3d3c4f4c5b3c2"]), None);
        let mut memories = Memories::default();
        let mut drill = Drill::new(list.clone(), &memories, 100);
        assert_eq!(drill.left(), list.len());
        let missed = drill.card().unwrap().clone();
        let verdict = drill.answer(square("a1"), &mut memories, 100).unwrap();
        assert_eq!(verdict, Verdict { right: false, answers: missed.answers.clone() });
        assert_eq!(drill.left(), list.len());
        for _ in 0..3 {
            let answer = drill.card().unwrap().answers[0];
            assert!(drill.answer(answer, &mut memories, 100).unwrap().right);
        }
        assert_eq!(drill.card(), Some(&missed));
        while let Some(card) = drill.card().cloned() {
            drill.answer(card.answers[0], &mut memories, 100).unwrap();
        }
        assert_eq!((drill.right, drill.wrong), (list.len() as u32, 1));
        // Nothing is due on the same day; tomorrow everything that was known once.
        assert_eq!(Drill::new(list.clone(), &memories, 100).left(), 0);
        let tomorrow = Drill::new(list.clone(), &memories, 101);
        assert_eq!((tomorrow.left(), tomorrow.card()), (list.len(), Some(&missed)));
    }

    #[test]
    fn memories_go_through_their_file_and_a_damaged_one_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drill.json");
        let mut memories = Memories::load(&path).unwrap();
        memories.answered(Board::START, true, 20_000);
        memories.save(&path).unwrap();
        assert_eq!(Memories::load(&path).unwrap(), memories);
        std::fs::write(&path, "{").unwrap();
        assert!(Memories::load(&path).is_err());
    }
}
