//! The board as a person sees it.

use crate::{
    base::{Colour, Language},
    engine::{Game, View},
    protocol::tables::discs,
};

/// Columns of a Go board have no I.
const LETTERS: &[u8] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// The board with coordinates, and beside it whose turn it is, the count and the legal moves.
pub fn picture(view: &View, language: &Language) -> String {
    let notes: Vec<String> = notes(view).iter().map(|note| language.say(note).into_owned()).collect();
    let mut lines = vec![format!("   {}", header(view))];
    for row in 0..view.size {
        let cells = view.cells.get(row * view.size..(row + 1) * view.size).unwrap_or_default();
        let marks: Vec<&str> = cells.iter().map(|c| mark(*c)).collect();
        let number = if view.game == Game::Go { view.size - row } else { row + 1 };
        let note = row.checked_sub(1).and_then(|n| notes.get(n)).map_or("", String::as_str);
        lines.push(format!("{number:>2} {}    {note}", marks.join(" ")).trim_end().to_owned());
    }
    lines.join("\n")
}

fn header(view: &View) -> String {
    let letters = (0..view.size).map(|column| match view.game {
        Game::Go => LETTERS.get(column).copied().map_or('?', char::from).to_string(),
        Game::Othello => char::from(b'a' + u8::try_from(column).unwrap_or(25)).to_string(),
    });
    letters.collect::<Vec<_>>().join(" ")
}

fn mark(cell: Option<Colour>) -> &'static str {
    match cell {
        Some(Colour::Black) => "X",
        Some(Colour::White) => "O",
        None => ".",
    }
}

fn notes(view: &View) -> Vec<String> {
    let turn =
        if view.over { "game over".into() } else { format!("{} ({}) to move", view.to_move, mark(Some(view.to_move))) };
    let mut notes = vec![turn, format!("move {}, {} empty", view.moves.len() + 1, view.empties)];
    if view.over {
        notes[1] = format!("{} moves, {} empty", view.moves.len(), view.empties);
    }
    notes.push(match view.game {
        Game::Othello => format!("black {}, white {}", view.count[0], view.count[1]),
        Game::Go => format!("captured by black {}, by white {}", view.captured[0], view.captured[1]),
    });
    if let Some(result) = view.result {
        notes.push(format!("result {} for black", discs(result, result.fract() == 0.0)));
    }
    if let Some((colour, last)) = view.moves.last() {
        notes.push(format!("last: {colour} {last}"));
    }
    // On a Go board nearly everything is legal, so nobody wants to read it.
    if view.game == Game::Othello && !view.legal.is_empty() {
        notes.push(format!("moves: {}", view.legal.join(" ")));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn othello_from_the_top_go_from_the_bottom() {
        let mut cells = vec![None; 9];
        cells[1] = Some(Colour::Black);
        cells[6] = Some(Colour::White);
        let mut view = View {
            game: Game::Othello,
            size: 3,
            cells,
            to_move: Colour::Black,
            over: false,
            legal: vec!["a1".into(), "b2".into()],
            moves: vec![],
            count: [1, 1],
            empties: 7,
            captured: [0, 0],
            result: None,
            names: Default::default(),
        };
        let othello = "   a b c\n 1 . X .\n 2 . . .    black (X) to move\n 3 O . .    move 1, 7 empty";
        assert_eq!(picture(&view, &Language::default()), othello);
        view.game = Game::Go;
        let go = "   A B C\n 3 . X .\n 2 . . .    black (X) to move\n 1 O . .    move 1, 7 empty";
        assert_eq!(picture(&view, &Language::default()), go);
    }
}
