//! The board as a person at a terminal sees it: in colours where there are any, with notes beside it.

use super::{
    bar::clock,
    face::{Face, wrap},
    picture::{header, mark, notes},
};
use crate::{
    base::{Clock, Colour, Language},
    engine::{Game, Opening, View},
};
use std::fmt::Write;

/// The number of a row and a blank.
const MARGIN: usize = 3;
/// Between board and notes.
const GAP: usize = 3;
/// Notes need so much room, else they stand below.
const NARROWEST: usize = 18;
const RESET: &str = "\x1b[0m";

/// What is shown.
pub struct Sight<'a> {
    pub view: &'a View,
    pub opening: Option<&'a Opening>,
    pub clocks: [Option<Clock>; 2],
    /// Colours are wanted.
    pub colour: bool,
}

/// The board and its notes, as lines that fit.
pub fn board(sight: &Sight<'_>, face: &Face, language: &Language) -> String {
    let colour = sight.colour && face.colours;
    let size = sight.view.size;
    let beside = MARGIN + 2 * size + GAP;
    let width = face.width();
    let below = width < beside + NARROWEST;
    let room = if below { width } else { width - beside };
    let notes = notes_of(sight, colour, language);
    let notes: Vec<String> = notes.iter().flat_map(|note| wrap(&language.say(note), room, 2)).collect();
    let rows = (0..size).map(|row| if colour { coloured(sight.view, row, face) } else { plain(sight.view, row) });
    let mut lines = vec![format!("   {}", header(sight.view))];
    lines.extend(rows);
    if below {
        lines.extend(notes);
        return lines.join("\n");
    }
    // The first note stands beside the second row: the board is looked at first.
    for (i, note) in notes.iter().enumerate() {
        let at = i + 1;
        if at >= lines.len() {
            lines.push(String::new());
        }
        let line = &mut lines[at];
        if colour && at <= size {
            // Where a disc takes two columns, the notes stand in line all the same.
            let _ = write!(line, "\x1b[{}G{note}", beside + 1);
        } else {
            let used = line.chars().count();
            let _ = write!(line, "{}{note}", " ".repeat(beside.saturating_sub(used)));
        }
    }
    lines.join("\n")
}

fn number(view: &View, row: usize) -> usize {
    if view.game == Game::Go { view.size - row } else { row + 1 }
}

/// The cell of the last move, and those of the legal moves where that says something.
fn marked(view: &View) -> (Option<usize>, Vec<usize>) {
    let last = view.moves.last().and_then(|(_, name)| index(view, name));
    let legal = match view.game {
        Game::Othello => view.legal.iter().filter_map(|name| index(view, name)).collect(),
        Game::Go => vec![],
    };
    (last, legal)
}

fn index(view: &View, name: &str) -> Option<usize> {
    let column = name.bytes().next()?.to_ascii_lowercase().checked_sub(b'a').map(usize::from)?;
    let row: usize = name.get(1..)?.parse().ok()?;
    let (column, row) = match view.game {
        Game::Othello => (column, row.checked_sub(1)?),
        // No I among the columns of Go.
        Game::Go => (column - usize::from(column > 8), view.size.checked_sub(row)?),
    };
    (column < view.size && row < view.size).then_some(row * view.size + column)
}

/// A row in letters: the last move in brackets, legal moves as `+`.
fn plain(view: &View, row: usize) -> String {
    let (last, legal) = marked(view);
    let mut line = format!("{:>2} ", number(view, row));
    for column in 0..view.size {
        let at = row * view.size + column;
        let cell = view.cells.get(at).copied().flatten();
        let sign = if cell.is_none() && legal.contains(&at) { "+" } else { mark(cell) };
        if last == Some(at) {
            line.pop();
            let _ = write!(line, "({sign})");
        } else {
            let _ = write!(line, "{sign} ");
        }
    }
    line.trim_end().to_owned()
}

/// The colours of a board: its own, that of the last move, of marks, and of the discs.
struct Palette {
    ground: &'static str,
    last: &'static str,
    faint: &'static str,
    discs: [&'static str; 2],
}

const fn palette(game: Game, many: bool) -> Palette {
    match (game, many) {
        (Game::Othello, true) => {
            Palette { ground: "48;5;29", last: "48;5;172", faint: "38;5;115", discs: ["38;5;16", "38;5;231"] }
        }
        (Game::Go, true) => {
            Palette { ground: "48;5;179", last: "48;5;167", faint: "38;5;94", discs: ["38;5;16", "38;5;231"] }
        }
        (Game::Othello, false) => Palette { ground: "42", last: "43", faint: "30", discs: ["30", "97"] },
        (Game::Go, false) => Palette { ground: "43", last: "41", faint: "30", discs: ["30", "97"] },
    }
}

/// A row in colours. Every disc is put in its column by the terminal, because some draw discs two columns wide.
fn coloured(view: &View, row: usize, face: &Face) -> String {
    let Palette { ground, last: of_last, faint, discs } = palette(view.game, face.many_colours);
    let (last, legal) = marked(view);
    let mut line = format!("{:>2}\x1b[{ground}m{}", number(view, row), " ".repeat(2 * view.size + 1));
    for column in 0..view.size {
        let at = row * view.size + column;
        let sign = match view.cells.get(at).copied().flatten() {
            Some(colour) => {
                let ground = if last == Some(at) { of_last } else { ground };
                format!("\x1b[{ground};{}m{}", discs[colour.index()], disc(colour, face))
            }
            None if legal.contains(&at) => format!("\x1b[{ground};{faint}m{}", if face.unicode { "•" } else { "+" }),
            None if view.game == Game::Go => {
                let point = if face.unicode { "·" } else { "." };
                format!("\x1b[{ground};{faint}m{}", if is_star(view.size, row, column) { "+" } else { point })
            }
            None => continue,
        };
        let _ = write!(line, "\x1b[{}G{sign}", MARGIN + 2 * column + 1);
    }
    line + RESET
}

/// The star points of a Go board, by which people find their way on it.
fn is_star(size: usize, row: usize, column: usize) -> bool {
    let edge = match size {
        13.. => 3,
        9..13 => 2,
        _ => return false,
    };
    let corner = |at: usize| at == edge || at + edge + 1 == size;
    let middle = |at: usize| 2 * at + 1 == size;
    match (middle(row), middle(column)) {
        (false, false) => corner(row) && corner(column),
        (true, true) => true,
        (true, false) => size >= 19 && corner(column),
        (false, true) => size >= 19 && corner(row),
    }
}

const fn disc(colour: Colour, face: &Face) -> &'static str {
    match (face.unicode, colour) {
        (true, _) => "●",
        (false, Colour::Black) => "X",
        (false, Colour::White) => "O",
    }
}

fn notes_of(sight: &Sight<'_>, colour: bool, language: &Language) -> Vec<String> {
    let mut notes = notes(sight.view);
    if colour && !sight.view.over {
        notes[0] = format!("{} to move", sight.view.to_move);
    }
    if let [Some(black), Some(white)] = sight.clocks {
        notes.push(format!("clock: black {}, white {}", clock(black.left), clock(white.left)));
    }
    if let Some(opening) = sight.opening {
        notes.push(format!("opening: {}", opening.name(language.code())));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn view() -> View {
        let mut cells = vec![None; 64];
        for (name, colour) in
            [("d4", Colour::White), ("e5", Colour::White), ("e4", Colour::Black), ("f5", Colour::Black)]
        {
            cells[usize::from(name.as_bytes()[0] - b'a') + 8 * usize::from(name.as_bytes()[1] - b'1')] = Some(colour);
        }
        View {
            game: Game::Othello,
            size: 8,
            cells,
            to_move: Colour::White,
            over: false,
            legal: ["d6", "f4", "f6"].map(String::from).to_vec(),
            moves: vec![(Colour::Black, "f5".into())],
            count: [4, 1],
            empties: 59,
            captured: [0, 0],
            result: None,
            names: Default::default(),
        }
    }

    fn shown(face: &Face) -> String {
        let clock = Clock { left: Duration::from_secs(299), increment: Duration::ZERO, byoyomi: None };
        let tiger = Opening { english: Some("Tiger".into()), japanese: Some("虎".into()) };
        let view = view();
        board(
            &Sight { view: &view, opening: Some(&tiger), clocks: [Some(clock); 2], colour: true },
            face,
            &Language::default(),
        )
    }

    #[test]
    fn without_colours_letters_and_brackets() {
        let text = shown(&Face::default());
        for line in [
            "   a b c d e f g h\n",
            " 1 . . . . . . . .    white (O) to move\n",
            " 4 . . . O X + . .    last: black f5\n",
            " 5 . . . . O(X). .    moves: d6 f4 f6\n",
            " 6 . . . + . + . .    clock: black 4:59, white 4:59\n",
            " 7 . . . . . . . .    opening: Tiger\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let narrow = shown(&Face { size: || (30, 24), ..Face::default() });
        assert!(narrow.lines().all(|line| line.len() < 30) && narrow.ends_with("opening: Tiger"), "{narrow}");
    }

    #[test]
    fn in_colours_every_disc_has_its_column() {
        let face = Face { moves: true, colours: true, many_colours: true, unicode: true, ..Face::default() };
        let text = shown(&face);
        let row = text.lines().nth(5).unwrap();
        let ground = " ".repeat(17);
        assert!(row.starts_with(&format!(" 5\x1b[48;5;29m{ground}\x1b[12G\x1b[48;5;29;38;5;231m●")), "{row:?}");
        assert!(row.contains("\x1b[14G\x1b[48;5;172;38;5;16m●\x1b[0m\x1b[23G"), "{row:?}");
        assert!(text.contains("white to move") && !text.contains("(O)"));
    }

    #[test]
    fn points_of_go_count_from_below_and_know_no_i() {
        let go = View { game: Game::Go, size: 19, ..view() };
        assert_eq!([index(&go, "A19"), index(&go, "J1"), index(&go, "T1")], [Some(0), Some(18 * 19 + 8), Some(360)]);
        let stars = |size| (0..size * size).filter(|at| is_star(size, at / size, at % size)).count();
        assert_eq!([stars(19), stars(13), stars(9), stars(10), stars(5)], [9, 5, 5, 4, 0]);
        assert_eq!([index(&go, "pass"), index(&go, "A20"), index(&go, "Z1")], [None; 3]);
    }
}
