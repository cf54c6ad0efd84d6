//! The board as a person sees it.

use crate::{
    base::{Colour, Language, OnBoard, PerLabel},
    engine::{Game, Opening, View},
    protocol::tables::discs,
};
use unicode_width::UnicodeWidthStr;

/// Columns of a Go board have no I.
const LETTERS: &[u8] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// The board with coordinates, and beside it whose turn it is, the count and the legal moves.
pub fn picture(view: &View, opening: Option<&Opening>, language: &Language) -> String {
    let opening = opening.map(|opening| format!("opening: {}", opening.name(language.code())));
    let notes = notes(view).into_iter().chain(opening);
    let notes: Vec<String> = notes.map(|note| language.say(&note).into_owned()).collect();
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

/// The board with a label on or beside its discs.
pub fn on_board(board: &OnBoard) -> String {
    let PerLabel { width, labels } = &board.labels;
    let longest = labels.iter().flatten().map(|label| label.width()).max().unwrap_or(0);
    let padded = |text: &str| format!("{text}{}", " ".repeat((longest + 1).saturating_sub(text.width())));
    let header: String =
        (0..*width).map(|i| padded(&char::from(b'a' + u8::try_from(i).unwrap_or(25)).to_string())).collect();
    let mut lines = vec![format!("   {}", header.trim_end())];
    let cells: Vec<String> = board
        .discs
        .iter()
        .zip(labels)
        .map(|(disc, label)| match (disc, label) {
            // A label says more than an empty field.
            (None, Some(label)) => padded(label),
            (disc, label) => padded(&format!("{}{}", mark(*disc), label.as_deref().unwrap_or_default())),
        })
        .collect();
    for (i, row) in cells.chunks((*width).max(1)).enumerate() {
        lines.push(format!("{:>2} {}", i + 1, row.concat().trim_end()));
    }
    lines.join("\n")
}

pub(super) fn header(view: &View) -> String {
    let letters = (0..view.size).map(|column| match view.game {
        Game::Go => LETTERS.get(column).copied().map_or('?', char::from).to_string(),
        Game::Othello => char::from(b'a' + u8::try_from(column).unwrap_or(25)).to_string(),
    });
    letters.collect::<Vec<_>>().join(" ")
}

pub(super) fn mark(cell: Option<Colour>) -> &'static str {
    match cell {
        Some(Colour::Black) => "X",
        Some(Colour::White) => "O",
        None => ".",
    }
}

pub(super) fn notes(view: &View) -> Vec<String> {
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
        assert_eq!(picture(&view, None, &Language::default()), othello);
        let tiger = Opening { english: Some("Tiger".into()), japanese: None };
        assert!(
            picture(&View { size: 8, ..view.clone() }, Some(&tiger), &Language::default()).contains("opening: Tiger")
        );
        view.game = Game::Go;
        let go = "   A B C\n 3 . X .\n 2 . . .    black (X) to move\n 1 O . .    move 1, 7 empty";
        assert_eq!(picture(&view, None, &Language::default()), go);
    }
}
