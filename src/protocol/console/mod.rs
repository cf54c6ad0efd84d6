//! The console: for people at a terminal and for scripts, with the words that players of Edax and Egaroucid know.
//!
//! A command that succeeds and has nothing to say is silent. Refusals are `error: …`, remarks `note: …`; answers of
//! searches begin with a word that names them (see [`render`]). Prompt and pictures appear only at a terminal.

mod args;
pub mod commands;
pub mod help;
mod picture;
mod render;

use super::{
    Command, Line, Output, Protocol, Reply, Request, SessionSettings,
    standalone::{self, StandAlone},
    tables,
};
use crate::{
    base::{Colour, Language, Report, settings::SettingView},
    engine::{Answer, CommandError, CommandErrorKind, Engine, Job, Outcome, Progress, View, command::Table},
};
use std::time::{Duration, Instant};

/// How often long work is heard of when news of searches are off.
const STATUS_PAUSE: Duration = Duration::from_secs(5);
/// Clears a terminal's line from the cursor on.
const CLEAR_REST: &str = "\x1b[K";

#[derive(Debug, Default)]
pub struct Console {
    interactive: bool,
    /// Print what is found while thinking.
    progress: bool,
    /// Long work tells how far it is: when that was shown last, or when the work first told.
    status_at: Option<Instant>,
    /// It stands on the terminal's last line, without a line end.
    status_stands: bool,
    mode: Mode,
    /// After a step back the engine waits for the next move, whoever's turn it is.
    paused: bool,
    boards: StandAlone,
    /// The lines of a board being typed in.
    rows: Option<String>,
    greeted: bool,
    /// What was drawn last.
    shown: Option<View>,
    session_settings: SessionSettings,
}

/// Whom the engine plays for by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    White,
    Black,
    Both,
    #[default]
    Nobody,
}

impl Mode {
    const ALL: [Mode; 4] = [Mode::White, Mode::Black, Mode::Both, Mode::Nobody];

    fn plays(self, colour: Colour) -> bool {
        match self {
            Mode::White => colour == Colour::White,
            Mode::Black => colour == Colour::Black,
            Mode::Both => true,
            Mode::Nobody => false,
        }
    }
}

impl Console {
    pub fn new(interactive: bool) -> Console {
        Console { interactive, progress: interactive, ..Console::default() }
    }

    /// `setboard` alone: the rows follow.
    fn begins_rows(text: &str) -> bool {
        commands::find(text).is_some_and(|entry| entry.name == "setboard")
    }

    /// One more line of a board. It is whole with 64 squares and the side to move, or at a blank line.
    fn row(&mut self, text: &str) -> Option<Request> {
        let mut rows = self.rows.take()?;
        let squares = |rows: &str| rows.chars().filter(|c| !c.is_whitespace()).count();
        if !text.chars().all(|c| c.is_whitespace() || is_board_character(c)) {
            let message = format!("`{}` is not a row of a board; the board is given up", tables::excerpt(text));
            return Some(refused("setboard", CommandErrorKind::Syntax, message));
        }
        rows.push_str(text);
        rows.push('\n');
        let whole = squares(&rows) > 64 || (squares(&rows) == 64 && text.is_empty());
        if whole {
            return Some(Request::new("setboard", Command::Import(rows)));
        }
        self.rows = Some(rows);
        None
    }

    fn look_at(&mut self, word: &str, args: &str, engine: &dyn Engine) -> Answer<String> {
        match word {
            "show" => Ok(picture::picture(&engine.view(), engine.opening().as_ref(), self.session_settings.language())),
            "board" | "bits" | "transcript" => engine.export(word),
            "export" if args.is_empty() => Ok(engine.forms().join(" ")),
            "export" => engine.export(args),
            "moves" => Ok(format!("moves {}", engine.view().legal.join(" ")).trim_end().to_owned()),
            "score" => Ok(score(&engine.view())),
            "mode" => Ok(self.set_mode(args)),
            "progress" => {
                self.progress = args.trim().eq_ignore_ascii_case("on");
                Ok(String::new())
            }
            "echo" => Ok(args.to_owned()),
            "version" => Ok(format!("{} {}", help::NAME, env!("CARGO_PKG_VERSION"))),
            "help" => help::help(args, engine, &self.session_settings),
            _ => Err(CommandError::new(CommandErrorKind::Unsupported, format!("`{word}` is not known here"))),
        }
    }

    /// How far long work is: on a terminal always in the same place, otherwise a line each time.
    fn status(&mut self, status: &str, out: &mut Output) {
        let status = tables::one_line(&self.session_settings.language().say(status));
        if self.interactive {
            out.out.push_str(&format!("\r{status}{CLEAR_REST}"));
            self.status_stands = true;
        } else {
            out.out.push_str(&format!("status {status}\n"));
        }
    }

    /// The same, but only now and then.
    fn rare_status(&mut self, status: &str, out: &mut Output) {
        match self.status_at {
            Some(at) if at.elapsed() < STATUS_PAUSE => return,
            Some(_) => self.status(status, out),
            None => {}
        }
        self.status_at = Some(Instant::now());
    }

    /// The work is over.
    fn end_status(&mut self, out: &mut Output) {
        self.status_at = None;
        if std::mem::take(&mut self.status_stands) {
            out.out.push_str(&format!("\r{CLEAR_REST}"));
        }
    }

    fn set_mode(&mut self, args: &str) -> String {
        let Some(mode) = args.trim().parse().ok().and_then(|n: usize| Mode::ALL.get(n)) else {
            return format!("mode {}", self.mode as usize);
        };
        (self.mode, self.paused) = (*mode, false);
        String::new()
    }

    /// What a command that was carried out means for the engine's own turns.
    fn follow(&mut self, request: &Request, reply: &Reply) {
        match (&request.command, reply) {
            // What the engine would refuse again and again, or has given up, it must not repeat by itself.
            (_, Reply::Refused(_)) if request.word == OWN_TURN => self.mode = Mode::Nobody,
            (_, Reply::Outcome(Outcome::Move { best, .. })) if best == "resign" => self.mode = Mode::Nobody,
            (Ok(Command::Stop(_)), _) => self.mode = Mode::Nobody,
            (Ok(Command::Step(_)), Reply::Done(_)) => self.paused = true,
            (Ok(Command::Play(_) | Command::NewGame | Command::Import(_) | Command::Load { .. }), Reply::Done(_))
            | (Ok(Command::Work(Job::Move { .. })), Reply::Outcome(_)) => self.paused = false,
            _ => {}
        }
    }
}

/// The name of the requests that nobody typed.
const OWN_TURN: &str = "own turn";

fn is_board_character(c: char) -> bool {
    matches!(c, '.' | '-' | '_' | '*' | '0' | '1' | 'x' | 'X' | 'o' | 'O' | 'b' | 'B' | 'w' | 'W')
}

fn refused(word: &'static str, why: CommandErrorKind, message: impl std::fmt::Display) -> Request {
    Request { command: Err(CommandError::new(why, message)), ..Request::new(word, Command::Nothing) }
}

fn score(view: &View) -> String {
    let result = view.result.map_or(String::new(), |r| format!(" result {}", tables::discs(r, r.fract() == 0.0)));
    let over = if view.over { " over" } else { "" };
    format!("score black {} white {} empties {}{result}{over}", view.count[0], view.count[1], view.empties)
}

fn settings_text(language: &Language, rows: &[SettingView]) -> String {
    match rows {
        [one] => format!("{} {}", one.name, tables::shown(&one.value)),
        rows => tables::table_in(language, &tables::settings(rows)),
    }
}

impl Protocol for Console {
    fn parse(&mut self, line: &Line, own: Table) -> Option<Request> {
        if line.cut {
            self.rows = None;
            return Some(refused(
                "line",
                CommandErrorKind::Syntax,
                format!("the line is longer than {} bytes", Line::LONGEST),
            ));
        }
        let text = line.text.trim();
        if self.rows.is_some() {
            return self.row(text);
        }
        if self.boards.expects(text) {
            return self.boards.parse(line, own);
        }
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        if Console::begins_rows(text) {
            self.rows = Some(String::new());
            return None;
        }
        Some(commands::parse(text, own))
    }

    fn finish(&mut self) -> Option<Request> {
        match self.rows.take() {
            Some(rows) => Some(Request::new("setboard", Command::Import(rows))),
            None => self.boards.finish(),
        }
    }

    fn asks_before_leaving(&self) -> bool {
        self.interactive
    }

    fn ends_all(&self, line: &Line) -> bool {
        let name = commands::find(line.text.trim()).map(|entry| entry.name);
        matches!(name, Some("stop" | "quit"))
    }

    fn interrupts(&self, new: &Request, running: &Request) -> bool {
        matches!(new.command, Ok(Command::Quit | Command::Leave { .. })) || running.job().is_some_and(Job::endless)
    }

    fn look(&mut self, request: &Request, args: &str, engine: &dyn Engine) -> Answer<Reply> {
        self.look_at(request.word, args, engine).map(Reply::Text)
    }

    fn shows_result(&self, request: &Request) -> bool {
        ["score", "show", "export", "save"].contains(&request.word)
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        self.end_status(out);
        self.follow(request, reply);
        if request.word == standalone::WORD {
            return self.boards.render(request, reply, out);
        }
        // Scripts look for `error:` and `note:`, in every language.
        let language = self.session_settings.language();
        let text = match reply {
            Reply::Done(notices) => {
                notices.iter().map(|n| format!("note: {}\n", tables::one_line(&language.say(n)))).collect()
            }
            Reply::Text(text) => text.clone(),
            Reply::Report(Report::OnBoard(board)) if self.interactive => picture::on_board(board),
            Reply::Report(report) => tables::text_in(language, report),
            Reply::Settings(rows) => settings_text(language, rows),
            Reply::Outcome(outcome) => render::outcome(outcome, self.interactive, language),
            Reply::Refused(refusal) => format!("error: {}", tables::one_line(&language.say(&refusal.message))),
            Reply::Bye => String::new(),
        };
        // What a file brought must not steer the terminal.
        let text = if self.interactive { tables::printable(&text) } else { text };
        out.out.push_str(text.trim_end_matches('\n'));
        // What was asked for by name gets its line, even an empty one.
        let asked = ["echo", "transcript", "export"].contains(&request.word) && matches!(reply, Reply::Text(_));
        if asked || !text.is_empty() {
            out.out.push('\n');
        }
    }

    fn progress(&mut self, running: &Request, news: &Progress, out: &mut Output) {
        if running.job().is_some_and(Job::unasked) || running.word == standalone::WORD {
            return;
        }
        match news {
            // Long work on a book is heard of even when nobody asked for news of searches.
            Progress::Work(work) if !self.progress => self.rare_status(&tables::work(work), out),
            _ if !self.progress => {}
            Progress::Thought(thought) => out.out.push_str(&render::info(thought)),
            Progress::Judged(judged) => out.out.push_str(&format!("info {}\n", render::judged(judged))),
            Progress::Work(work) => self.status(&tables::work(work), out),
        }
    }

    fn own_turn(&mut self, engine: &dyn Engine) -> Option<Request> {
        if self.paused || self.mode == Mode::Nobody {
            return None;
        }
        let view = engine.view();
        let own = !view.over && self.mode.plays(view.to_move);
        own.then(|| Request::new(OWN_TURN, Command::Work(Job::Move { colour: None, play: true })))
    }

    fn adopt(&mut self, session_settings: &SessionSettings) {
        self.session_settings = session_settings.clone();
        self.boards.adopt(session_settings);
        // The picture's words are other words now.
        self.shown = None;
    }

    fn prompt(&mut self, engine: &dyn Engine, out: &mut Output) {
        if !self.interactive {
            return;
        }
        if !self.greeted {
            self.greeted = true;
            let (name, version) = (help::NAME, env!("CARGO_PKG_VERSION"));
            let greeting = format!("{name} {version}. `help` lists the commands, `quit` leaves.");
            out.out.push_str(&self.session_settings.language().say(&greeting));
            out.out.push('\n');
        }
        if self.rows.is_some() || self.boards.is_reading() {
            return;
        }
        let view = engine.view();
        if self.shown.as_ref() != Some(&view) {
            let opening = engine.opening();
            out.out.push_str(&picture::picture(&view, opening.as_ref(), self.session_settings.language()));
            out.out.push('\n');
            self.shown = Some(view);
        }
        out.out.push_str("> ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::dummy::Dummy;

    #[test]
    fn a_person_is_greeted_in_his_language() {
        let mut console = Console::new(true);
        let mut japanese = SessionSettings::default();
        japanese.set("language", "ja").unwrap();
        console.adopt(&japanese);
        let mut out = Output::default();
        console.prompt(&Dummy::default(), &mut out);
        let version = env!("CARGO_PKG_VERSION");
        let greeting = format!("Shirokuro {version} です。コマンドの一覧は `help`、終了は `quit` です。\n   a b c d\n");
        assert!(out.out.starts_with(&greeting) && out.out.ends_with("\n> "), "{}", out.out);
        assert!(out.out.contains(" 2 . . . .    黒（X）の手番\n 3 . . . .    1 手目、空き 16\n"), "{}", out.out);
        // The same board again only when its words have changed.
        let drawn = |console: &mut Console| {
            let mut out = Output::default();
            console.prompt(&Dummy::default(), &mut out);
            out.out
        };
        assert_eq!(drawn(&mut console), "> ");
        console.adopt(&SessionSettings::default());
        assert!(drawn(&mut console).contains("black (X) to move"));
    }
}
