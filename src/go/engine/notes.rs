//! Games and positions as text, in and out. A game that was read from SGF keeps the variations of its file.

use crate::{
    base::Colour,
    engine::{Answer, CommandError, CommandErrorKind},
    go::{
        GoGame,
        game::Play,
        notation::{self, Vertex},
        sgf::{self, BadSgf, Info, Record},
    },
};

impl From<BadSgf> for CommandError {
    fn from(error: BadSgf) -> CommandError {
        let why = match error {
            BadSgf::Illegal { .. } => CommandErrorKind::Illegal,
            BadSgf::Unsupported(_) => CommandErrorKind::Range,
            BadSgf::Syntax(_) | BadSgf::Value(_) => CommandErrorKind::Syntax,
        };
        CommandError::new(why, error)
    }
}

/// What a text said.
pub struct Note {
    pub game: GoGame,
    /// The file with everything else in it, if it was SGF.
    pub record: Option<Record>,
}

/// Reads SGF, a picture of a board, or moves; what the text does not say is as in `like`.
pub fn read(text: &str, like: &GoGame) -> Answer<Note> {
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('(') {
        let record = sgf::parse(text)?;
        return Ok(Note { game: record.game(None)?, record: Some(record) });
    }
    let moves = read_moves(text, like);
    let game = match moves {
        Ok(game) => game,
        // A text that is neither is called wrong as what it looks like: rows of a board have no digits.
        Err(refusal) if text.contains(|c: char| c.is_ascii_digit()) => return Err(refusal),
        Err(_) => {
            let board = notation::parse_picture(text).map_err(|e| CommandError::new(CommandErrorKind::Syntax, e))?;
            GoGame::from_board(board, like.rules(), like.komi())
        }
    };
    Ok(Note { game, record: None })
}

/// Moves from the empty board, black first.
fn read_moves(text: &str, like: &GoGame) -> Answer<GoGame> {
    let mut game = GoGame::new(like.size(), like.rules(), like.komi())
        .map_err(|e| CommandError::new(CommandErrorKind::Range, e))?;
    play_moves(&mut game, text)?;
    Ok(game)
}

/// Plays moves written one after the other, with blanks or commas between; a colour may stand before each.
pub fn play_moves(game: &mut GoGame, text: &str) -> Answer<()> {
    let mut colour = None;
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
        if let Ok(said) = word.parse::<Colour>() {
            colour = Some(said);
            continue;
        }
        let point = notation::parse_vertex(game.geometry(), word)
            .map_err(|e| CommandError::new(CommandErrorKind::Syntax, e))?;
        let side = colour.take().unwrap_or(game.to_move());
        game.play(side, point).map_err(|e| CommandError::new(CommandErrorKind::Illegal, format!("{word}: {e}")))?;
    }
    Ok(())
}

pub const FORMS: &[&str] = &["sgf", "transcript", "board"];

/// What is written: the whole game, the present position being after some of its moves.
pub struct Written<'a> {
    pub game: &'a GoGame,
    /// Moves that were stepped back over.
    pub future: &'a [Play],
    pub info: &'a Info,
    pub record: Option<&'a Record>,
}

pub fn write(form: &str, written: &Written<'_>) -> Answer<String> {
    let game = written.game;
    match form {
        "sgf" => Ok(sgf_text(written)),
        "transcript" => {
            let name = |play: &Play| Vertex(game.geometry(), play.point).to_string();
            Ok(game.plays().iter().map(name).collect::<Vec<_>>().join(" "))
        }
        "board" => Ok(notation::picture(game.board()).trim_end().into()),
        _ => Err(CommandError::new(
            CommandErrorKind::Unsupported,
            format!("`{form}` is not a form: {}", FORMS.join(", ")),
        )),
    }
}

fn sgf_text(written: &Written<'_>) -> String {
    let mut whole = written.game.clone();
    for play in written.future {
        // They were legal when they were made.
        let _ = whole.play_despite_superko(play.colour, play.point);
    }
    let plain = || sgf::record(&whole, written.info, |_| None);
    let kept = written.record.and_then(|record| record.with_line(&whole));
    let mut record = kept.unwrap_or_else(plain);
    if whole.is_over() && !record.tree.root().has("RE") && !written.info.result.is_empty() {
        record.tree.root_mut().push("RE", written.info.result.as_str());
    }
    record.tree.to_string().trim_end().into()
}
