//! The last lines of the terminal. Output scrolls by above; below it may stand a few lines that are drawn again and
//! again in the same place (a table that grows deeper, a bar); at the bottom is the line that is being typed.
//!
//! While a line is edited only the editor's thread writes, so that nothing is written into the line: what others have to
//! show waits in [`State::waiting`] and is drawn together with the prompt.

use super::Mode;
use crate::protocol::console::Face;
use std::{
    io::{self, Write},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use unicode_width::UnicodeWidthStr;

/// How long the prompt waits for the answer to the line before.
const ANSWER: Duration = Duration::from_millis(150);
/// The same when nothing may come after that line.
const FAREWELL: Duration = Duration::from_secs(2);
/// The editor begins a line within this time.
const BEGINNING: Duration = Duration::from_millis(500);
/// Between two drawings of what goes on.
const PAUSE: Duration = Duration::from_millis(80);
/// Erases everything from the cursor on.
const CLEAR_BELOW: &str = "\x1b[J";
/// Ends what the line editor has begun: bracketed paste, and colours.
const PLAIN: &str = "\x1b[?2004l\x1b[0m";

pub struct Screen {
    state: Mutex<State>,
    changed: Condvar,
    face: Face,
    mode: Mode,
}

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum Phase {
    /// The editor's thread waits for an answer, and writes what comes.
    #[default]
    Answering,
    /// A line is being typed.
    Typing,
    /// The editor is gone: everybody writes.
    Closed,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    /// Text that has not been written yet.
    waiting: String,
    /// What is to stand below the text.
    live: Vec<String>,
    /// The widths of what stands there.
    drawn: Vec<usize>,
    /// `live` is not what is drawn.
    stale: bool,
    /// When it was drawn last.
    drawn_at: Option<Instant>,
    /// A line that was typed below the drawn lines, and the rows it takes.
    typed: Option<(String, usize)>,
    /// The editor has drawn its prompt: the terminal is in its hands.
    begun: bool,
    /// Nothing is being done: the next line is waited for.
    idle: bool,
    /// Work goes on that somebody asked for.
    busy: bool,
}

impl State {
    /// What has to be written now, beginning where the typed line begins.
    fn draw(&mut self, (columns, rows): (usize, usize)) -> Option<String> {
        if self.waiting.is_empty() && !self.stale {
            return None;
        }
        let columns = columns.max(2);
        let mut text = String::new();
        let up: usize = self.drawn.iter().map(|width| width.saturating_sub(1) / columns + 1).sum();
        let typed = self.typed.take().filter(|_| up > 0);
        let up = up + typed.as_ref().map_or(0, |(_, rows)| *rows);
        if up > 0 {
            text.push_str(&format!("\x1b[{up}A\r{CLEAR_BELOW}"));
        }
        if let Some((line, _)) = typed {
            text.push_str(&line);
            text.push('\n');
        }
        text.push_str(&std::mem::take(&mut self.waiting));
        self.drawn.clear();
        // Two rows are left for what is typed; the best lines come first.
        for line in self.live.iter().take(rows.saturating_sub(2)) {
            let line = console::truncate_str(line, columns - 1, "…");
            self.drawn.push(console::measure_text_width(&line));
            text.push_str(&line);
            text.push('\n');
        }
        (self.stale, self.drawn_at) = (false, Some(Instant::now()));
        Some(text)
    }
}

impl Screen {
    pub fn new(face: Face, mode: Mode) -> Screen {
        Screen { state: Mutex::default(), changed: Condvar::new(), face, mode }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, state: &mut State) -> Option<String> {
        state.draw((self.face.size)())
    }

    /// Text that stays, whole lines; and what stands below it from now on, if that changes.
    pub fn show(&self, text: &str, live: Option<Vec<String>>) -> io::Result<()> {
        let mut state = self.state();
        state.waiting.push_str(text);
        if let Some(lines) = live.filter(|lines| *lines != state.live) {
            (state.live, state.stale) = (lines, true);
        }
        if state.phase == Phase::Closed
            && let Some(text) = self.draw(&mut state)
        {
            return write(&text);
        }
        self.changed.notify_all();
        Ok(())
    }

    /// Everything asked is answered: the next line may be typed.
    pub fn is_idle(&self) {
        let mut state = self.state();
        (state.idle, state.busy) = (true, false);
        self.changed.notify_all();
    }

    /// Work has begun that somebody asked for.
    pub fn is_busy(&self) {
        self.state().busy = true;
    }

    /// Something runs that Ctrl-C would stop.
    pub(super) fn works(&self) -> bool {
        let state = self.state();
        state.busy || !state.idle
    }

    /// Gives the terminal back. What is printed from now on is written at once.
    pub fn close(&self) {
        let mut state = self.state();
        // Who is about to begin a line would change the terminal's mode after it was put back.
        let until = Instant::now() + BEGINNING;
        while state.phase == Phase::Typing && !state.begun && Instant::now() < until {
            state = self.changed.wait_timeout(state, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
        }
        let before = std::mem::replace(&mut state.phase, Phase::Closed);
        if before == Phase::Closed {
            return;
        }
        if before == Phase::Typing {
            let _ = write(&format!("\r{CLEAR_BELOW}"));
        }
        state.live.clear();
        state.stale = !state.drawn.is_empty();
        let rest = self.draw(&mut state).unwrap_or_default();
        let _ = write(&format!("{rest}{PLAIN}"));
        self.mode.put_back();
        self.changed.notify_all();
    }

    /// After a fault, when nobody may know who holds what: only the terminal itself is put right.
    pub fn give_up(&self) {
        let _ = write(&format!("\r\n{PLAIN}"));
        self.mode.put_back();
    }

    // What follows is called by the editor's thread alone.

    /// Writes what comes until everything is answered, or long enough, which is longer for who leaves. False: there is no
    /// more to be typed.
    pub(super) fn before_a_line(&self, leaves: bool) -> bool {
        let until = Instant::now() + if leaves { FAREWELL } else { ANSWER };
        let mut state = self.state();
        loop {
            if state.phase == Phase::Closed {
                return false;
            }
            if let Some(text) = self.draw(&mut state)
                && write(&text).is_err()
            {
                return false;
            }
            let left = until.saturating_duration_since(Instant::now());
            if state.idle || left.is_zero() {
                (state.phase, state.begun) = (Phase::Typing, false);
                return true;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A line was typed; `None`: it was broken off.
    pub(super) fn after_a_line(&self, prompt: &str, line: Option<&str>) {
        let mut state = self.state();
        if state.phase == Phase::Closed {
            return;
        }
        state.phase = Phase::Answering;
        if line.is_some() {
            state.idle = false;
        }
        if !state.drawn.is_empty() {
            let text = format!("{prompt}{}", line.unwrap_or("^C"));
            let (columns, _) = (self.face.size)();
            let rows = match line {
                Some(_) => text.split('\n').map(|line| line.width() / columns.max(1) + 1).sum(),
                None => 1,
            };
            // More than one line cannot be kept together with what is drawn.
            match state.typed.take() {
                None => state.typed = Some((text, rows)),
                Some(_) => state.drawn.clear(),
            }
        }
    }

    /// The list of completions was written below what is drawn, which has lost its place.
    pub(super) fn lose_place(&self) {
        let mut state = self.state();
        state.drawn.clear();
        state.typed = None;
    }

    /// What goes before the prompt, which is about to be drawn.
    pub(super) fn before_the_prompt(&self) -> String {
        let mut state = self.state();
        if !std::mem::replace(&mut state.begun, true) {
            self.changed.notify_all();
        }
        if state.phase != Phase::Typing || !self.is_due(&state) {
            return String::new();
        }
        let above = self.draw(&mut state).unwrap_or_default();
        self.changed.notify_all();
        above
    }

    fn is_due(&self, state: &State) -> bool {
        !state.waiting.is_empty() || state.drawn_at.is_none_or(|at| at.elapsed() >= PAUSE)
    }

    /// Waits until something has to be drawn while a line is typed. False: never again.
    pub(super) fn wait_for_news(&self) -> bool {
        let mut state = self.state();
        loop {
            match state.phase {
                Phase::Closed => return false,
                Phase::Typing if !state.waiting.is_empty() || state.stale => {
                    if self.is_due(&state) {
                        return true;
                    }
                    state = self.changed.wait_timeout(state, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
                }
                _ => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// After the editor was told: until it has drawn, or should be told again because it was busy with something else.
    pub(super) fn wait_for_the_editor(&self) {
        let until = Instant::now() + PAUSE;
        let mut state = self.state();
        while state.phase == Phase::Typing && (!state.waiting.is_empty() || state.stale) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal of 20 columns with a prompt that is drawn again after each piece of output, as the editor does.
    struct Paper {
        state: State,
        screen: vt100::Parser,
    }

    impl Paper {
        fn new() -> Paper {
            Paper { state: State::default(), screen: vt100::Parser::new(12, 20, 0) }
        }

        fn show(&mut self, text: &str, live: &[&str]) -> String {
            self.state.waiting.push_str(text);
            let live: Vec<String> = live.iter().map(|line| (*line).to_owned()).collect();
            if live != self.state.live {
                (self.state.live, self.state.stale) = (live, true);
            }
            let drawn = self.state.draw((20, 12)).unwrap_or_default();
            let drawn = format!("\r{CLEAR_BELOW}{drawn}> ").replace('\n', "\r\n");
            self.screen.process(drawn.as_bytes());
            self.screen.screen().contents()
        }

        fn type_line(&mut self, line: &str) {
            self.screen.process(format!("{line}\r\n").as_bytes());
            self.state.typed = Some((format!("> {line}"), (line.len() + 2) / 20 + 1));
        }
    }

    #[test]
    fn what_goes_on_stays_in_its_place_and_text_goes_above_it() {
        let mut paper = Paper::new();
        assert_eq!(paper.show("one\n", &["a", "b"]), "one\na\nb\n> ");
        assert_eq!(paper.show("", &["c"]), "one\nc\n> ");
        assert_eq!(paper.show("two\n", &["c"]), "one\ntwo\nc\n> ");
        paper.type_line("stop");
        assert_eq!(paper.show("", &["d", "e"]), "one\ntwo\n> stop\nd\ne\n> ");
        paper.type_line("a line longer than the window");
        assert_eq!(paper.show("done\n", &[]), "one\ntwo\n> stop\n> a line longer than the window\ndone\n> ");
        assert_eq!(paper.state.draw((20, 12)), None);
    }

    #[test]
    fn lines_are_cut_to_the_window_and_counted_as_they_stand() {
        let mut paper = Paper::new();
        let wide = "定石定石定石定石定石定石";
        assert_eq!(paper.show("", &[wide]), "定石定石定石定石定…\n> ");
        assert_eq!(paper.show("", &["x"]), "x\n> ");
        let many = ["0"; 30];
        assert_eq!(paper.show("", &many).lines().count(), 11);
        // The window has become narrower: what stands there takes more rows.
        paper.state.drawn = vec![19];
        paper.state.waiting = "text\n".into();
        assert!(paper.state.draw((10, 12)).unwrap().starts_with("\x1b[2A"));
    }
}
