//! How far long work has come, as a bar.

use super::face::{Face, cut};
use crate::{base::Language, engine::WorkDone, protocol::tables::one_line};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// A terminal of one line that keeps what is drawn on it.
#[derive(Debug, Clone)]
struct Paper {
    width: u16,
    line: Arc<Mutex<String>>,
}

impl TermLike for Paper {
    fn width(&self) -> u16 {
        self.width
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Done and what is known to wait, as a bar; and in words how fast, and how long it will take.
pub fn bar(done: &WorkDone, face: &Face, language: &Language) -> String {
    let width = face.width();
    let line = Arc::new(Mutex::new(String::new()));
    let paper = Paper { width: u16::try_from(width).unwrap_or(u16::MAX), line: line.clone() };
    let all = (done.waiting > 0).then(|| done.done.saturating_add(done.waiting));
    let words = words(done, language);
    let template = if all.is_some() { "{prefix} [{wide_bar}] {msg}" } else { "{prefix} {spinner} {msg}" };
    let style = ProgressStyle::with_template(template).expect("a template of this file");
    let bar = ProgressBar::with_draw_target(all, ProgressDrawTarget::term_like(Box::new(paper)));
    bar.set_style(style.progress_chars("=> ").tick_chars("|/-\\ "));
    bar.set_prefix(one_line(&language.say(&done.work)));
    bar.set_message(words);
    bar.set_position(done.done);
    bar.tick();
    let drawn = line.lock().unwrap_or_else(PoisonError::into_inner).clone();
    bar.abandon();
    cut(drawn.trim_end(), width).into_owned()
}

/// `120/400, 35.2/s, 0:08 left, 12345 positions`.
fn words(done: &WorkDone, language: &Language) -> String {
    let say = |phrase: &str, number: &str| language.say(phrase).replace("{…}", number);
    let count = match done.waiting {
        0 => say("{…} done", &done.done.to_string()),
        waiting => format!("{}/{}", done.done, done.done.saturating_add(waiting)),
    };
    let mut parts = vec![count, format!("{:.1}/s", done.per_second())];
    parts.extend(done.left().map(|left| say("{…} left", &clock(left))));
    if done.positions > 0 {
        parts.push(say("{…} positions", &done.positions.to_string()));
    }
    parts.join(", ")
}

/// `0:08`, `12:30`, `1:02:03`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn work(waiting: u64) -> WorkDone {
        let elapsed = Duration::from_secs(10);
        WorkDone { work: "book learn".into(), done: 100, waiting, positions: 1234, elapsed }
    }

    #[test]
    fn a_bar_shows_done_rate_and_time_to_go() {
        let english = Language::default();
        let face = Face { size: || (72, 24), ..Face::default() };
        let drawn = bar(&work(300), &face, &english);
        assert_eq!(drawn, "book learn [===>           ] 100/400, 10.0/s, 0:30 left, 1234 positions");
        let drawn = bar(&work(0), &face, &english);
        assert!(drawn.starts_with("book learn ") && drawn.ends_with(" 100 done, 10.0/s, 1234 positions"), "{drawn}");
        for size in [|| (20, 24), || (40, 24), || (80, 24)] {
            let face = Face { size, ..Face::default() };
            let drawn = bar(&work(300), &face, &Language::named("ja").unwrap().1);
            assert!(drawn.width() <= face.width(), "{drawn}");
        }
    }

    #[test]
    fn clocks() {
        assert_eq!([8, 750, 3723].map(|s| clock(Duration::from_secs(s))), ["0:08", "12:30", "1:02:03"]);
    }
}
