//! Positions and games as text, in and out.

use crate::{
    base::{Clock, Colour},
    engine::{Answer, Refusal, Why},
    othello::{BitBoard, Game, Move, Position, Square},
};

/// What a text said.
pub struct Note {
    pub game: Game,
    pub names: [String; 2],
    /// The clocks as they stand after the moves, when the text knows of any.
    pub clocks: Option<[Option<Clock>; 2]>,
}

/// Names of the forms that [`write`] knows.
pub const FORMS: &[&str] = &["transcript", "board"];

fn syntax(message: impl std::fmt::Display) -> Refusal {
    Refusal::new(Why::Syntax, message)
}

/// Reads a position or a game in any notation.
pub fn read(text: &str, autopass: bool) -> Answer<Note> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let looks_like_board = compact.len() >= 64 && compact.chars().any(|c| "-.".contains(c));
    let mut game = if looks_like_board {
        Game::without_auto_pass(read_board(&compact)?)
    } else {
        let mut game = Game::without_auto_pass(Position::START);
        let moves = read_moves(text)?;
        game.play_sequence(moves.into_iter().map(|mv| (None, mv))).map_err(|e| Refusal::new(Why::Illegal, e))?;
        game
    };
    game.set_auto_pass(autopass);
    Ok(Note { game, names: Default::default(), clocks: None })
}

fn read_board(compact: &str) -> Answer<Position> {
    let mut discs = [BitBoard::EMPTY; 2];
    let mut characters = compact.chars();
    for square in Square::all() {
        match characters.next() {
            Some('X' | 'x' | 'B' | 'b' | '0' | '*') => discs[0] = discs[0].with(square),
            Some('O' | 'o' | 'W' | 'w' | '1') => discs[1] = discs[1].with(square),
            Some('-' | '.' | '_') => {}
            other => {
                let place = format!("row {}, column {}", square.row() + 1, square.column() + 1);
                return Err(syntax(format!("{place}: {other:?} is not a disc or an empty square")));
            }
        }
    }
    let side = match characters.next() {
        None | Some('X' | 'x' | 'B' | 'b' | '0' | '*') => Colour::Black,
        Some('O' | 'o' | 'W' | 'w' | '1') => Colour::White,
        Some(other) => return Err(syntax(format!("`{other}` is not a side"))),
    };
    Position::new(discs[0], discs[1], side).map_err(syntax)
}

/// Reads moves: `f5d6c3`, `F5 D6 pass`.
pub fn read_moves(text: &str) -> Answer<Vec<Move>> {
    let lower = text.to_ascii_lowercase();
    let mut rest = lower.as_str();
    let mut moves = Vec::new();
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        rest = &rest[start..];
        let pass = ["pass", "pa", "ps", "--"].iter().find(|p| rest.starts_with(**p));
        let used = pass.map_or(2, |p| p.len());
        let token = rest.get(..used).ok_or_else(|| syntax(format!("`{rest}` is not a move")))?;
        moves.push(super::read_move(token)?);
        rest = &rest[used..];
    }
    Ok(moves)
}

/// A position from single discs, as GoGui sets it up.
pub fn from_stones(stones: &[(Colour, String)], side: Colour) -> Answer<Position> {
    let mut discs = [BitBoard::EMPTY; 2];
    for (colour, name) in stones {
        let square: Square = name.parse().map_err(syntax)?;
        discs[colour.index()] = discs[colour.index()].with(square);
    }
    Position::new(discs[0], discs[1], side).map_err(|e| Refusal::new(Why::Illegal, e))
}

pub fn write(form: &str, game: &Game, _names: &[String; 2]) -> Answer<String> {
    match form {
        "transcript" => Ok(game.moves().filter(|mv| *mv != Move::Pass).map(|mv| mv.to_string()).collect()),
        "board" => Ok(board_text(game.position())),
        _ => Err(Refusal::new(Why::Unsupported, format!("`{form}` is not a form: {}", FORMS.join(", ")))),
    }
}

fn board_text(position: Position) -> String {
    let letter = |colour: Option<Colour>| match colour {
        Some(Colour::Black) => 'X',
        Some(Colour::White) => 'O',
        None => '-',
    };
    Square::all().map(|square| letter(position.disc_at(square))).chain([' ', letter(Some(position.side))]).collect()
}
