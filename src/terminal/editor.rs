//! Lines as a person types them, with history and completion.

use super::{History, Screen};
use crate::{
    base::files,
    protocol::{
        Line,
        console::{INTERRUPT, Vocabulary, commands},
    },
};
use rustyline::{
    ColorMode, CompletionType, Config, Context, ExternalPrinter, Helper,
    completion::{Completer, FilenameCompleter, Pair},
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::MemHistory,
    validate::Validator,
};
use std::{
    borrow::Cow,
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

/// What stands before a line that is typed.
const PROMPT: &str = "> ";
/// Makes the editor draw its prompt again: up and down, so that nothing else changes.
const NUDGE: &str = "\x1b[A\n";

pub struct Editor {
    lines: rustyline::Editor<Typist, MemHistory>,
    history: History,
    screen: Arc<Screen>,
    words: Arc<Mutex<Vocabulary>>,
}

impl Editor {
    pub fn new(history: History, screen: Arc<Screen>, words: Arc<Mutex<Vocabulary>>) -> io::Result<Editor> {
        let config = Config::builder()
            .auto_add_history(false)
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            // The colours are ours; what goes above the prompt is drawn with it.
            .color_mode(ColorMode::Forced)
            .build();
        let earlier = MemHistory::with_config(&config);
        let mut lines = rustyline::Editor::with_history(config, earlier).map_err(other)?;
        for line in history.lines() {
            lines.add_history_entry(line.as_str()).map_err(other)?;
        }
        lines.set_helper(Some(Typist {
            screen: screen.clone(),
            words: words.clone(),
            files: FilenameCompleter::new(),
        }));
        nudge(lines.create_external_printer().map_err(other)?, screen.clone());
        Ok(Editor { lines, history, screen, words })
    }

    /// Hands on line after line until it is told that nobody takes them, or the person leaves.
    pub fn run(mut self, mut send: impl FnMut(Line) -> bool) {
        // Ctrl-D was the last key; the last line may be the last of all.
        let (mut left, mut leaves) = (false, false);
        while self.screen.before_a_line(leaves) {
            // What was pasted may be several lines.
            let lines = match self.lines.readline(PROMPT) {
                Ok(text) => {
                    self.screen.after_a_line(PROMPT, Some(&text));
                    left = false;
                    let lines = text.split('\n').inspect(|line| self.keep(line));
                    lines.map(|line| Line::bounded(line.to_owned())).collect()
                }
                Err(ReadlineError::Interrupted) => {
                    self.screen.after_a_line(PROMPT, None);
                    if !self.screen.works() {
                        let leaving = self.words().leaving.clone();
                        let _ = self.screen.show(&format!("{leaving}\n"), None);
                        continue;
                    }
                    vec![Line::new(INTERRUPT)]
                }
                // Who insists leaves without an answer; what can be saved is saved then too.
                Err(ReadlineError::Eof) if !left => {
                    self.screen.after_a_line(PROMPT, Some(""));
                    left = true;
                    vec![Line::new("quit")]
                }
                Err(_) => return,
            };
            leaves = lines.last().is_some_and(|line| is_farewell(&line.text));
            if !lines.into_iter().all(&mut send) {
                return;
            }
        }
    }

    fn words(&self) -> std::sync::MutexGuard<'_, Vocabulary> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&mut self, text: &str) {
        let _ = self.lines.add_history_entry(text);
        if let Err(error) = self.history.add(text) {
            log::warn!("history: {error}");
        }
    }
}

fn is_farewell(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    commands::find(word).is_some_and(|entry| entry.name == "quit")
}

fn other(error: ReadlineError) -> io::Error {
    io::Error::other(error)
}

/// Wakes the editor whenever something has to be drawn while a line is typed.
fn nudge(mut printer: impl ExternalPrinter + Send + 'static, screen: Arc<Screen>) {
    let watch = move || {
        while screen.wait_for_news() {
            if printer.print(NUDGE.to_owned()).is_err() {
                return;
            }
            screen.wait_for_the_editor();
        }
    };
    std::thread::Builder::new().name("screen".into()).spawn(watch).expect("the system has room for one thread");
}

/// Helps with the line that is typed.
struct Typist {
    screen: Arc<Screen>,
    words: Arc<Mutex<Vocabulary>>,
    files: FilenameCompleter,
}

impl Helper for Typist {}
impl Validator for Typist {}

impl Hinter for Typist {
    type Hint = String;
}

impl Highlighter for Typist {
    /// The editor's cursor stands where the prompt goes: what has to be shown above it is written first.
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _default: bool) -> Cow<'b, str> {
        let above = self.screen.before_the_prompt();
        if above.is_empty() { Cow::Borrowed(prompt) } else { Cow::Owned(above + prompt) }
    }
}

impl Completer for Typist {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, ctx: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let found = self.words.lock().unwrap_or_else(PoisonError::into_inner).complete(&line[..pos]);
        let pair = |word: String| Pair { display: word.clone(), replacement: word };
        let mut start = found.start;
        let mut pairs: Vec<Pair> = found.words.into_iter().map(pair).collect();
        if found.files && files::permitted(Path::new(".")).is_ok() {
            let (from, names) = self.files.complete(line, pos, ctx)?;
            // A name in quotation marks begins elsewhere than a word.
            if from != start && !names.is_empty() {
                pairs.clear();
                start = from;
            }
            pairs.extend(names);
        }
        if let [one] = pairs.as_mut_slice()
            && pos == line.len()
            && !one.replacement.ends_with(['/', '\\', '"'])
        {
            one.replacement.push(' ');
        }
        if pairs.len() > 1 {
            self.screen.lose_place();
        }
        Ok((start, pairs))
    }
}
