//! The console: for people at a terminal and for scripts, with the words that players of Edax and Egaroucid know.
//!
//! A command that succeeds and has nothing to say is silent. Refusals are `error: …`, remarks `note: …`; answers of
//! searches begin with a word that names them (see [`render`]). Prompt, pictures and sentences appear only at a terminal
//! (see [`person`]).

mod args;
mod bar;
mod board;
pub mod commands;
pub mod display;
mod face;
pub mod help;
mod person;
mod picture;
mod render;
mod vocabulary;

pub use display::Display;
pub use face::Face;
pub use person::Person;
pub use vocabulary::Vocabulary;

use super::{
    Command, Line, Output, Protocol, Reply, Request, SessionSettings, Target,
    standalone::{self, StandAlone},
    tables,
};
use crate::{
    base::{Colour, Language, settings::SettingView},
    engine::{Answer, CommandError, CommandErrorKind, Engine, Job, Outcome, Progress, View, command::Table},
};
use person::AUTO_HINT;
use std::time::{Duration, Instant};

/// How often long work is heard of when news of searches are off.
const STATUS_PAUSE: Duration = Duration::from_secs(5);
/// What the keyboard sends to stop the work.
pub const INTERRUPT: &str = "\u{3}";

#[derive(Debug, Default)]
pub struct Console {
    /// Who sits at a terminal.
    person: Option<Person>,
    /// Print what is found while thinking.
    progress: bool,
    /// Long work tells how far it is: when that was shown last, or when the work first told.
    status_at: Option<Instant>,
    mode: Mode,
    /// After a step back the engine waits for the next move, whoever's turn it is.
    paused: bool,
    boards: StandAlone,
    /// The lines of a board being typed in.
    rows: Option<String>,
    /// The engine moved by itself last.
    own_move: bool,
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
            "show" => {
                let (view, language) = (engine.view(), self.session_settings.language());
                Ok(match &self.person {
                    Some(person) => person.picture(engine, &view, language),
                    None => picture::picture(&view, engine.opening().as_ref(), language),
                })
            }
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
            "help" => {
                let settings = [engine.settings(), self.session_settings.settings(), self.settings()].concat();
                let width = self.person.as_ref().map(|person| person.face.width());
                help::help(args, engine, &settings, self.session_settings.language(), width)
            }
            _ => Err(CommandError::new(CommandErrorKind::Unsupported, format!("`{word}` is not known here"))),
        }
    }

    /// How far long work is, as a line.
    fn status(&mut self, status: &str, out: &mut Output) {
        let status = tables::one_line(&self.session_settings.language().say(status));
        out.out.push_str(&format!("status {status}\n"));
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

    fn set_mode(&mut self, args: &str) -> String {
        let Some(mode) = args.trim().parse().ok().and_then(|n: usize| Mode::ALL.get(n)) else {
            return format!("mode {}", self.mode as usize);
        };
        (self.mode, self.paused) = (*mode, false);
        String::new()
    }

    /// What a command that was carried out means for the engine's own turns.
    fn follow(&mut self, request: &Request, reply: &Reply) {
        if let (Some(person), Ok(Command::Play(_)), Reply::Done(_)) = (&mut self.person, &request.command, reply) {
            person.has_moved();
        }
        let own_move = std::mem::replace(&mut self.own_move, request.word == OWN_TURN);
        match (&request.command, reply) {
            // What the engine would refuse again and again, or has given up, it must not repeat by itself.
            (_, Reply::Refused(_)) if request.word == OWN_TURN => self.mode = Mode::Nobody,
            (_, Reply::Outcome(Outcome::Move { best, .. })) if best == "resign" => self.mode = Mode::Nobody,
            // The keyboard stops what runs: a game goes on unless it was the engine's move.
            (Ok(Command::Stop(_)), _) if request.word == BY_KEY => {
                self.mode = if own_move { Mode::Nobody } else { self.mode };
            }
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
/// A stop from the keyboard.
const BY_KEY: &str = "interrupt";

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
    fn may_only_watch(&self) -> bool {
        true
    }

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
        if let Some(person) = &mut self.person {
            person.hears();
            if text == INTERRUPT {
                self.rows = None;
                return Some(Request::new(BY_KEY, Command::Stop(Target::All)));
            }
        }
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
        self.person.is_some()
    }

    fn settings(&self) -> Vec<SettingView> {
        self.person.as_ref().map_or(vec![], |person| person.display.settings())
    }

    fn has_setting(&self, name: &str) -> bool {
        self.person.is_some() && Display::has(name)
    }

    fn set(&mut self, name: &str, value: &str) -> Answer<()> {
        match &mut self.person {
            Some(person) => person.set(name, value),
            None => Err(crate::engine::not_for_a_game()),
        }
    }

    fn ends_all(&self, line: &Line) -> bool {
        let name = commands::find(line.text.trim()).map(|entry| entry.name);
        matches!(name, Some("stop" | "quit"))
    }

    fn interrupts(&self, new: &Request, running: &Request) -> bool {
        let ends = running.word == AUTO_HINT || running.job().is_some_and(Job::endless);
        ends || matches!(new.command, Ok(Command::Quit | Command::Leave { .. }))
    }

    fn look(&mut self, request: &Request, args: &str, engine: &dyn Engine) -> Answer<Reply> {
        self.look_at(request.word, args, engine).map(Reply::Text)
    }

    fn shows_result(&self, request: &Request) -> bool {
        ["score", "show", "export", "save"].contains(&request.word)
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        self.status_at = None;
        self.follow(request, reply);
        if request.word == standalone::WORD {
            return self.boards.render(request, reply, out);
        }
        let language = self.session_settings.language();
        if let Some(person) = &mut self.person {
            out.live = Some(vec![]);
            out.out.push_str(&person.board_before_own_move(self.mode == Mode::Both));
            return finish(request, reply, &person.answer(request, reply, language), out);
        }
        // Scripts look for `error:` and `note:`, in every language.
        let text = match reply {
            Reply::Done(notices) => {
                notices.iter().map(|n| format!("note: {}\n", tables::one_line(&language.say(n)))).collect()
            }
            Reply::Text(text) => text.clone(),
            Reply::Report(report) => tables::text_in(language, report),
            Reply::Settings(rows) => settings_text(language, rows),
            Reply::Outcome(outcome) => render::outcome(outcome, language),
            Reply::Refused(refusal) => format!("error: {}", tables::one_line(&language.say(&refusal.message))),
            Reply::Bye => String::new(),
        };
        finish(request, reply, &text, out);
    }

    fn progress(&mut self, running: &Request, news: &Progress, out: &mut Output) {
        if running.job().is_some_and(Job::unasked) || running.word == standalone::WORD {
            return;
        }
        if let Some(person) = &mut self.person
            && person.face.moves
        {
            out.out.push_str(&person.board_before_own_move(Person::is_waited_for(news)));
            // A bar is always shown, what is found while thinking only when it is wanted.
            if self.progress || matches!(news, Progress::Work(_)) {
                out.live = person.live(running, news, self.session_settings.language());
            }
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
        if let Some(paid) = self.person.as_mut().and_then(|person| person.pays(engine)) {
            return Some(paid);
        }
        let view = engine.view();
        let own = !view.over && self.mode.plays(view.to_move);
        if let Some(person) = self.person.as_mut().filter(|_| own) {
            person.awaits_own_move(engine, self.session_settings.language());
        }
        own.then(|| Request::new(OWN_TURN, Command::Work(Job::Move { colour: None, play: true })))
    }

    fn adopt(&mut self, session_settings: &SessionSettings) {
        self.session_settings = session_settings.clone();
        self.boards.adopt(session_settings);
        // The picture's words are other words now.
        if let Some(person) = &mut self.person {
            person.forget_the_board();
        }
    }

    fn own_work(&mut self, engine: &dyn Engine) -> Option<Request> {
        self.person.as_mut().filter(|_| self.rows.is_none()).and_then(|person| person.own_work(engine))
    }

    fn prompt(&mut self, engine: &dyn Engine, out: &mut Output) {
        let reading = self.rows.is_some() || self.boards.is_reading();
        let settings = self.session_settings.settings();
        let Some(person) = &mut self.person else { return };
        let language = self.session_settings.language();
        person.prompt(engine, self.mode, language, reading, out);
        person.learn_words(engine, &settings, language);
    }
}

/// Ends the answer with a line end, unless there is none.
fn finish(request: &Request, reply: &Reply, text: &str, out: &mut Output) {
    out.out.push_str(text.trim_end_matches('\n'));
    // What was asked for by name gets its line, even an empty one.
    let asked = ["echo", "transcript", "export"].contains(&request.word) && matches!(reply, Reply::Text(_));
    if asked || !text.is_empty() {
        out.out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::dummy::Dummy;

    #[test]
    fn a_person_is_greeted_in_his_language() {
        let person = Person::new(Face::default(), Display::default(), None);
        let mut console = Console::for_person(person);
        let mut japanese = SessionSettings::default();
        japanese.set("language", "ja").unwrap();
        console.adopt(&japanese);
        let mut out = Output::default();
        console.prompt(&Dummy::default(), &mut out);
        let version = env!("CARGO_PKG_VERSION");
        let greeting = format!("Shirokuro {version} です。コマンドの一覧は `help`、終了は `quit` です。\n   a b c d\n");
        assert!(out.out.starts_with(&greeting) && out.out.ends_with("\n> "), "{}", out.out);
        assert!(out.out.contains(" 1 + + + +    黒（X）の手番\n 2 + + + +    1 手目、空き 16\n"), "{}", out.out);
        // The same board again only when its words have changed.
        let drawn = |console: &mut Console| {
            console.parse(&Line::new(""), Dummy::default().commands());
            let mut out = Output::default();
            console.prompt(&Dummy::default(), &mut out);
            out.out
        };
        assert_eq!(drawn(&mut console), "> ");
        console.adopt(&SessionSettings::default());
        assert!(drawn(&mut console).contains("black (X) to move"));
    }
}
