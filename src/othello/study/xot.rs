//! Balanced openings of eight moves, made by random moves and kept when a search found them within two discs of even.

use crate::{
    base::files,
    othello::{Board, Game, Move, records::lines},
};
use std::{collections::HashSet, path::Path, sync::LazyLock};

/// Larger files are no lists of openings.
const LARGEST: u64 = 16 << 20;
const EMPTY: &str = "there are no openings in the file";

/// How many moves are given.
pub const MOVES: usize = 8;

static BUILT_IN: LazyLock<List> = LazyLock::new(|| {
    // A bad line of the built-in list is found by the test below.
    List::read(include_str!("../../../resources/xot.txt")).unwrap_or_default()
});

#[derive(Debug, Clone, Default)]
pub struct List {
    games: Vec<Game>,
    boards: HashSet<Board>,
}

impl List {
    pub fn built_in() -> &'static List {
        &BUILT_IN
    }

    /// One opening a line; `#` begins a comment.
    /// The openings of a file.
    pub fn open(path: &Path) -> Result<List, String> {
        let text = files::read_text(path, LARGEST).map_err(|error| error.to_string())?;
        List::read(&text).and_then(|list| if list.games.is_empty() { Err(EMPTY.into()) } else { Ok(list) })
    }

    pub fn read(text: &str) -> Result<List, String> {
        let mut list = List::default();
        for (_, line, text) in lines::entries(text, '#') {
            let game = lines::parse(text.trim()).map_err(|error| format!("line {line}: {error}"))?;
            if placed(&game) != MOVES {
                return Err(format!("line {line}: {} moves instead of {MOVES}", placed(&game)));
            }
            list.boards.insert(game.position().board.canonical().0);
            list.games.push(game);
        }
        Ok(list)
    }

    pub fn len(&self) -> usize {
        self.games.len()
    }

    pub fn get(&self, index: usize) -> Option<&Game> {
        self.games.get(index)
    }

    /// How many plies of a game were given: those of the opening if it began with one of the list, or none.
    pub fn given(&self, game: &Game) -> usize {
        let with_discs = |ply: &usize| game.position_at(*ply).is_some_and(|p| p.board.disc_count() == 4 + MOVES as u32);
        let Some(ply) = (0..=game.plies().len()).find(with_discs) else { return 0 };
        let known = |position: crate::othello::Position| self.boards.contains(&position.board.canonical().0);
        if game.position_at(ply).is_some_and(known) { ply } else { 0 }
    }
}

/// The same for a list of one's own and the one that is built in.
pub fn given(own: Option<&List>, game: &Game) -> usize {
    List::built_in().given(game).max(own.map_or(0, |list| list.given(game)))
}

fn placed(game: &Game) -> usize {
    game.moves().filter(|mv| *mv != Move::Pass).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sound_and_knows_its_games() {
        let list = List::read(include_str!("../../../resources/xot.txt")).unwrap();
        assert!(list.len() >= 250, "{}", list.len());
        assert_eq!(list.boards.len(), list.len(), "every opening once, symmetries counted as one");
        let mut game = list.get(7).unwrap().clone();
        game.transform(5);
        assert_eq!(list.given(&game), MOVES);
        assert_eq!(list.given(&lines::parse("f5d6").unwrap()), 0);
        assert_eq!(List::read("f5d6").unwrap_err(), "line 1: 2 moves instead of 8");
    }
}
