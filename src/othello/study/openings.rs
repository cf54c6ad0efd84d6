//! The names of openings, found by position: transpositions and all eight symmetries have one name.

use crate::othello::{Board, Game, Position, records::lines};
use std::{collections::HashMap, sync::LazyLock};

static ENGLISH: LazyLock<Names> = LazyLock::new(|| Names::new(include_str!("../../../resources/openings/en.txt")));
static JAPANESE: LazyLock<Names> = LazyLock::new(|| Names::new(include_str!("../../../resources/openings/ja.txt")));

/// The names of one language.
pub struct Names {
    by_board: HashMap<Board, String>,
    /// Lines of the list that are no opening, with their number.
    bad: Vec<(usize, String)>,
}

impl Names {
    /// Reads lines of moves, a tab and a name; `#` begins a comment.
    pub fn new(text: &str) -> Names {
        let mut names = Names { by_board: HashMap::new(), bad: vec![] };
        for (_, line, text) in lines::entries(text, '#') {
            match read(text) {
                Ok((board, name)) => match names.by_board.entry(board) {
                    std::collections::hash_map::Entry::Vacant(place) => _ = place.insert(name),
                    std::collections::hash_map::Entry::Occupied(old) => {
                        names.bad.push((line, format!("the position of {name} is that of {}", old.get())));
                    }
                },
                Err(error) => names.bad.push((line, error)),
            }
        }
        names
    }

    pub fn english() -> &'static Names {
        &ENGLISH
    }

    pub fn japanese() -> &'static Names {
        &JAPANESE
    }

    /// The opening that this very position is.
    pub fn of(&self, position: Position) -> Option<&str> {
        self.by_board.get(&position.board.canonical().0).map(String::as_str)
    }

    /// The last opening the game went through up to its present position, and the ply it was reached at.
    pub fn reached(&self, game: &Game) -> Option<(&str, usize)> {
        (0..=game.ply()).rev().find_map(|ply| Some((self.of(game.position_at(ply)?)?, ply)))
    }

    /// The openings that legal moves lead to.
    #[cfg(test)]
    pub fn ahead(&self, position: Position) -> Vec<(crate::othello::Move, &str)> {
        let after = |square| Some((crate::othello::Move::Place(square), self.of(position.play(square)?)?));
        position.moves().into_iter().filter_map(after).collect()
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.by_board.len()
    }
}

/// The lines of the openings whose name has these words in it, in either language, in any case.
pub fn lines_named(words: &str) -> Vec<Game> {
    let words = words.to_lowercase();
    let texts =
        [include_str!("../../../resources/openings/en.txt"), include_str!("../../../resources/openings/ja.txt")];
    let lines = texts.into_iter().flat_map(|text| lines::entries(text, '#')).filter_map(|(_, _, line)| {
        let (moves, name) = line.split_once('\t')?;
        name.to_lowercase().contains(&words).then(|| lines::parse(moves).ok()).flatten()
    });
    lines.collect()
}

fn read(line: &str) -> Result<(Board, String), String> {
    let (moves, name) = line.split_once('\t').ok_or("a tab is missing between the moves and the name")?;
    let game = lines::parse(moves).map_err(|error| format!("{name}: {error}"))?;
    Ok((game.position().board.canonical().0, name.trim().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_lists_is_legal_and_its_own() {
        for (names, least) in [(Names::english(), 90), (Names::japanese(), 60)] {
            assert_eq!(names.bad, []);
            assert!(names.len() >= least, "{}", names.len());
        }
        let bad = Names::new("f5d6 Tiger\nf5f5\tx\nf5d6\tA\nd3c5\tB\n").bad;
        assert_eq!(bad.len(), 3, "no tab, an illegal move, a second name: {bad:?}");
    }

    #[test]
    fn an_opening_is_known_by_position_in_any_orientation() {
        let game = |moves: &str| lines::parse(moves).unwrap();
        let english = Names::english();
        for s in 0..8 {
            let mut tiger = game("f5d6c3d3c4");
            tiger.transform(s);
            assert_eq!(english.reached(&tiger), Some(("Tiger", 5)));
        }
        assert_eq!(
            Names::japanese().reached(&game("c4e3f6e6f5b4")),
            Some(("虎定石", 5)),
            "out of the list, the last name stays"
        );
        let rose = game("f5d6c5f4e3c6d3f6e6");
        let ahead: Vec<_> = english.ahead(rose.position()).iter().map(|(mv, name)| format!("{mv} {name}")).collect();
        assert_eq!(ahead, ["d7 Rose"]);
        assert_eq!(english.reached(&game("")), None);
    }
}
