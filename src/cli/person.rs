//! A person at a terminal: the line editor, and the options that were kept in earlier sessions.

use crate::{
    base::{files, kept::Kept, places, settings::SettingView},
    engine::{Engine, Game},
    input,
    protocol::{
        Line, SessionSettings,
        console::{Display, Face, Person, Vocabulary},
    },
    session::Keeper,
    terminal::{self, Editor, History, Mode, Screen},
};
use crossbeam_channel::Receiver;
use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// What was kept, and where.
#[derive(Default)]
pub struct Earlier {
    pub kept: Kept,
    pub path: Option<PathBuf>,
    /// What a person should know about it.
    pub notices: Vec<String>,
}

/// Reads what was kept: what `--config` names, otherwise for a person what is in the usual place.
pub fn earlier(config: Option<&Path>, person: bool) -> Result<Earlier, String> {
    match config {
        Some(path) if path == Path::new("none") => Ok(Earlier::default()),
        Some(path) => {
            let named = |error: &dyn std::fmt::Display| format!("--config {}: {error}", path.display());
            if !person && !path.exists() {
                return Err(named(&io::Error::from(io::ErrorKind::NotFound)));
            }
            files::permitted_or_new(path).map_err(|error| named(&error))?;
            let kept = Kept::read(path).map_err(|error| named(&error))?;
            let path = std::path::absolute(path).map_err(|error| named(&error))?;
            Ok(Earlier { kept, path: Some(path), notices: vec![] })
        }
        None if person => Ok(usual()),
        None => Ok(Earlier::default()),
    }
}

/// A damaged file is kept under another name and said to be so.
fn usual() -> Earlier {
    let Some(path) = places::settings() else { return Earlier::default() };
    // Where no files may be used, none is looked for; `settings save` says why it cannot.
    if files::permitted_or_new(&path).is_err() {
        return Earlier { path: Some(path), ..Earlier::default() };
    }
    let shown = path.display().to_string();
    match Kept::read(&path) {
        Ok(kept) => Earlier { kept, path: Some(path), notices: vec![] },
        Err(error) if error.is_damage() => match files::set_aside(&path) {
            Ok(aside) => {
                let aside = aside.display();
                let notice = format!("the options in {shown} are damaged ({error}) and are kept as {aside}");
                Earlier { path: Some(path), notices: vec![notice], ..Earlier::default() }
            }
            Err(error) => Earlier { notices: vec![format!("{shown}: {error}")], ..Earlier::default() },
        },
        Err(error) => Earlier { notices: vec![format!("{shown}: {error}")], ..Earlier::default() },
    }
}

impl Earlier {
    /// Gives a game the options it had; what it refuses is added to the notices.
    pub fn apply(&mut self, engine: &mut dyn Engine) {
        for (name, value) in self.kept.of(engine.game().name()) {
            if let Err(refusal) = engine.set(name, value) {
                self.notices.push(format!("kept option {name}: {}", refusal.message));
            }
        }
    }

    /// The same for the session and for what a person sees.
    pub fn apply_to_session(&mut self, session: &mut SessionSettings) -> Display {
        let mut display = Display::default();
        for (name, value) in self.kept.of("") {
            let set = if Display::has(name) { display.set(name, value) } else { session.set(name, value) };
            if let Err(refusal) = set {
                self.notices.push(format!("kept option {name}: {}", refusal.message));
            }
        }
        display
    }

    /// `start` makes a game as at a first start.
    pub fn keeper(&self, session: SessionSettings, start: fn(Game) -> Box<dyn Engine>) -> Option<Keeper> {
        let path = self.path.clone()?;
        let start = move |game: Option<Game>| -> Vec<SettingView> {
            match game {
                Some(game) => start(game).settings(),
                None => [session.settings(), Display::default().settings()].concat(),
            }
        };
        Some(Keeper { path, start: Box::new(start) })
    }
}

/// The terminal of a person.
pub struct AtTerminal {
    pub person: Person,
    pub lines: Receiver<Line>,
    /// Where lines can be edited.
    pub screen: Option<Arc<Screen>>,
}

/// Sits down at the terminal. Where its cursor cannot be moved, lines are read as they come.
pub fn at_terminal(display: Display, mut notices: Vec<String>) -> AtTerminal {
    let face = terminal::face();
    let edited = if face.moves { edited(face, &mut notices) } else { None };
    let words = edited.as_ref().map(|edited| edited.words.clone());
    let mut person = Person::new(face, display, words);
    person.notices = notices;
    match edited {
        Some(Edited { screen, lines, .. }) => AtTerminal { person, lines, screen: Some(screen) },
        None => AtTerminal { person, lines: input::of_stdin(), screen: None },
    }
}

/// Lines that are edited, with the words that complete them.
struct Edited {
    words: Arc<Mutex<Vocabulary>>,
    screen: Arc<Screen>,
    lines: Receiver<Line>,
}

fn edited(face: Face, notices: &mut Vec<String>) -> Option<Edited> {
    let (history, notice) = History::open(places::history());
    notices.extend(notice);
    let words = Arc::default();
    let mode = Mode::take();
    let screen = Arc::new(Screen::new(face, mode.clone()));
    match Editor::new(history, screen.clone(), Arc::clone(&words)) {
        Ok(editor) => {
            put_back_after_a_panic(screen.clone());
            Some(Edited { words, screen, lines: input::typed(editor) })
        }
        Err(error) => {
            mode.put_back();
            notices.push(format!("lines cannot be edited: {error}"));
            None
        }
    }
}

/// Faults of searches are caught and reported; with the others the process ends.
fn put_back_after_a_panic(screen: Arc<Screen>) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if matches!(std::thread::current().name(), None | Some("main" | "reader" | "screen")) {
            screen.give_up();
        }
        usual(info);
    }));
}
