//! Dialogues with the program, kept as text files.
//!
//! ```text
//! # A remark.
//! $ gtp --level 1        the arguments; first line that is no remark
//! > name                 a line sent
//! < = Shirokuro          a line expected; a blank at its end is written ␣
//! <~ = * discs           expected, where * stands for any text
//! <...                   any number of lines, up to the one that follows
//! >e a\tb\x07            sent with \t \r \n \\ \xNN resolved, and no line end added
//! @ 50                   waits so many milliseconds
//! ^D                     ends the input (otherwise it ends after the last line)
//! 2 text   2~ *   2...   expected on standard error; without any of these, nothing may come there
//! = 2                    the exit code, if it is not to be 0
//! ```
//!
//! `UPDATE=1` rewrites what is expected; answers that still fit patterns written by hand stay as they are.

use crate::process::Process;
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

/// When rewriting, silence of this length means that the program has said all it wants to.
const QUIET: Duration = Duration::from_millis(500);
/// When rewriting, the first line of an answer may take this long on a busy machine.
const FIRST: Duration = Duration::from_secs(4);
/// Longer than any answer in a transcript takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// Transcripts run two at a time.
const HANDS: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expect {
    Exact(String),
    Pattern(String),
    Any,
}

impl Expect {
    fn fits(&self, line: &str) -> bool {
        match self {
            Expect::Exact(text) => text == line,
            Expect::Pattern(pattern) => fits(pattern, line),
            Expect::Any => true,
        }
    }

    fn written(&self, mark: char) -> String {
        match self {
            Expect::Exact(text) if text.is_empty() => mark.to_string(),
            Expect::Exact(text) => match text.strip_suffix(' ') {
                Some(rest) => format!("{mark} {rest}␣"),
                None => format!("{mark} {text}"),
            },
            Expect::Pattern(text) => format!("{mark}~ {text}"),
            Expect::Any => format!("{mark}..."),
        }
    }

    fn read(text: &str) -> Option<Expect> {
        let visible = |text: &str| text.strip_suffix('␣').map_or(text.to_string(), |rest| format!("{rest} "));
        match text {
            "" => Some(Expect::Exact(String::new())),
            "..." => Some(Expect::Any),
            _ => match text.strip_prefix("~ ") {
                Some(pattern) => Some(Expect::Pattern(visible(pattern))),
                None => text.strip_prefix(' ').map(|text| Expect::Exact(visible(text))),
            },
        }
    }
}

/// Whether a text fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether lines are what was expected, `...` standing for any number of them.
fn all_fit(expected: &[Expect], lines: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((Expect::Any, rest)) => (0..=lines.len()).any(|n| all_fit(rest, &lines[n..])),
        Some((one, rest)) => lines.split_first().is_some_and(|(line, more)| one.fits(line) && all_fit(rest, more)),
    }
}

#[derive(Debug, Clone)]
enum Step {
    Remark(String),
    Send { written: String, bytes: Vec<u8> },
    Wait(Duration),
    Close,
    Expect(Expect),
}

struct Transcript {
    args: String,
    steps: Vec<Step>,
    errors: Vec<Expect>,
    code: i32,
}

fn resolve(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend(before.as_bytes());
        let mut chars = after.chars();
        match chars.next()? {
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'n' => bytes.push(b'\n'),
            '\\' => bytes.push(b'\\'),
            'x' => {
                bytes.push(u8::from_str_radix(after.get(1..3)?, 16).ok()?);
                chars = after[3..].chars();
            }
            _ => return None,
        }
        rest = chars.as_str();
    }
    bytes.extend(rest.as_bytes());
    Some(bytes)
}

impl Transcript {
    fn read(text: &str) -> Result<Transcript, String> {
        let mut this = Transcript { args: String::new(), steps: vec![], errors: vec![], code: 0 };
        for (number, line) in text.lines().enumerate() {
            let wrong = || format!("line {} is not part of a transcript: {line}", number + 1);
            let (mark, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
            let step = match mark {
                "" | "#" => Step::Remark(line.into()),
                "$" => {
                    this.args = rest.trim().into();
                    continue;
                }
                ">" => {
                    let written = line.to_string();
                    let bytes = match rest.strip_prefix("e ") {
                        Some(text) => resolve(text).ok_or_else(wrong)?,
                        None => format!("{}\n", rest.strip_prefix(' ').unwrap_or(rest)).into_bytes(),
                    };
                    Step::Send { written, bytes }
                }
                "<" => Step::Expect(Expect::read(rest).ok_or_else(wrong)?),
                "@" => Step::Wait(Duration::from_millis(rest.trim().parse().map_err(|_| wrong())?)),
                "^" => Step::Close,
                "2" => {
                    this.errors.push(Expect::read(rest).ok_or_else(wrong)?);
                    continue;
                }
                "=" => {
                    this.code = rest.trim().parse().map_err(|_| wrong())?;
                    continue;
                }
                _ => return Err(wrong()),
            };
            this.steps.push(step);
        }
        Ok(this)
    }

    fn written(&self) -> String {
        let mut text = String::new();
        let mut args = Some(&self.args);
        for step in &self.steps {
            if !matches!(step, Step::Remark(_))
                && let Some(args) = args.take()
            {
                let _ = writeln!(text, "$ {args}");
            }
            let _ = match step {
                Step::Remark(line) | Step::Send { written: line, .. } => writeln!(text, "{line}"),
                Step::Wait(time) => writeln!(text, "@ {}", time.as_millis()),
                Step::Close => writeln!(text, "^D"),
                Step::Expect(expect) => writeln!(text, "{}", expect.written('<')),
            };
        }
        // A program that leaves at once has nothing but its arguments.
        if let Some(args) = args {
            let _ = writeln!(text, "$ {args}");
        }
        for expect in &self.errors {
            let _ = writeln!(text, "{}", expect.written('2'));
        }
        if self.code != 0 {
            let _ = writeln!(text, "= {}", self.code);
        }
        text
    }

    fn start(&self, folder: &Path) -> Process {
        Process::start_in(&self.args.split_whitespace().collect::<Vec<_>>(), folder)
    }

    /// Holds the dialogue; the first difference ends it.
    fn check(&self, folder: &Path) -> Result<(), String> {
        let mut process = self.start(folder);
        let mut skipping = false;
        let mut said = String::from("(start)");
        for step in &self.steps {
            match step {
                Step::Remark(_) => {}
                Step::Send { written, bytes } => {
                    said.clone_from(written);
                    process.send_bytes(bytes);
                }
                Step::Wait(time) => std::thread::sleep(*time),
                Step::Close => process.close(),
                Step::Expect(Expect::Any) => skipping = true,
                Step::Expect(expect) => loop {
                    let line = process.line_within(PATIENCE);
                    match line {
                        Some(line) if expect.fits(&line) => {
                            skipping = false;
                            break;
                        }
                        Some(_) if skipping => {}
                        other => {
                            let mut report = format!("after {said}\n  expected {}\n", expect.written('<'));
                            let mut next = other;
                            for _ in 0..12 {
                                let Some(line) = next else { break };
                                let _ = writeln!(report, "  got      {}", Expect::Exact(line).written('<'));
                                next = process.line_within(Duration::from_millis(100));
                            }
                            let ending = process.end();
                            let _ = writeln!(report, "  exit     {}\n  stderr   {}", ending.status, ending.errors);
                            return Err(report);
                        }
                    }
                },
            }
        }
        let ending = process.end();
        let errors: Vec<String> = lines_that_repeat(&ending.errors);
        if !skipping && !ending.rest.is_empty() {
            return Err(format!("at the end it says more:\n  {}\n", ending.rest.join("\n  ")));
        }
        if !all_fit(&self.errors, &errors) {
            return Err(format!("standard error differs:\n  {}\n", errors.join("\n  ")));
        }
        if ending.status.code() != Some(self.code) {
            return Err(format!("it left with {}, not with {}\n", ending.status, self.code));
        }
        Ok(())
    }

    /// Holds the dialogue and writes down what the program says now.
    fn update(&self, folder: &Path) -> Transcript {
        let mut process = self.start(folder);
        let mut new = Transcript { args: self.args.clone(), steps: vec![], errors: vec![], code: 0 };
        let mut old: Vec<Expect> = Vec::new();
        let mut steps = self.steps.iter().peekable();
        while let Some(step) = steps.next() {
            match step {
                Step::Expect(expect) => old.push(expect.clone()),
                other => {
                    match other {
                        Step::Send { bytes, .. } => process.send_bytes(bytes),
                        Step::Wait(time) => std::thread::sleep(*time),
                        Step::Close => process.close(),
                        Step::Remark(_) | Step::Expect(_) => {}
                    }
                    new.steps.push(other.clone());
                }
            }
            // Only where an answer stood before, and after the last line: pipelined commands stay together.
            let answered = matches!(step, Step::Expect(_)) && !matches!(steps.peek(), Some(Step::Expect(_)));
            if answered || steps.peek().is_none() {
                let mut lines: Vec<String> = process.line_within(FIRST).into_iter().collect();
                if !lines.is_empty() {
                    lines.extend(std::iter::from_fn(|| process.line_within(QUIET)));
                }
                add(&mut new.steps, std::mem::take(&mut old), lines);
            }
        }
        let ending = process.end();
        add(&mut new.steps, vec![], ending.rest);
        let errors: Vec<String> = lines_that_repeat(&ending.errors);
        new.errors = match all_fit(&self.errors, &errors) {
            true => self.errors.clone(),
            false => errors.into_iter().map(Expect::Exact).collect(),
        };
        new.code = ending.status.code().unwrap_or(-1);
        new
    }
}

fn add(steps: &mut Vec<Step>, old: Vec<Expect>, lines: Vec<String>) {
    let kept = if all_fit(&old, &lines) { old } else { lines.into_iter().map(Expect::Exact).collect() };
    steps.extend(kept.into_iter().map(Step::Expect));
}

/// Runs every `*.txt` of a folder; returns a report for each that differs.
pub fn run_folder(folder: &Path, update: bool) -> Vec<String> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    assert!(!files.is_empty(), "{} holds no transcripts", folder.display());
    files.sort();
    // UPDATE=1 TRANSCRIPT=name works on the one that is being written.
    if let Some(only) = std::env::var_os("TRANSCRIPT") {
        files.retain(|path| path.file_stem() == Some(&only));
    }
    let (queue, failures) = (Mutex::new(files.iter()), Mutex::new(Vec::new()));
    let next = || queue.lock().expect("no thread panics while it holds the list").next();
    let work = || {
        while let Some(path) = next() {
            if let Err(report) = run_file(folder, path, update) {
                let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(path).display();
                failures.lock().expect("no thread panics while it holds the list").push(format!("{name}: {report}"));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..HANDS {
            scope.spawn(work);
        }
    });
    let mut failures = failures.into_inner().expect("all threads have ended well");
    failures.sort();
    failures
}

fn run_file(folder: &Path, path: &Path, update: bool) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let transcript = Transcript::read(&text)?;
    if update {
        let new = transcript.update(folder).written();
        return if new == text { Ok(()) } else { fs::write(path, new).map_err(|e| e.to_string()) };
    }
    transcript.check(folder)
}

#[test]
fn patterns() {
    assert!(fits("= *", "= ") && fits("a*c", "abc") && fits("*", "") && fits("a*b*c", "a1b2c"));
    assert!(!fits("a*c", "abd") && !fits("ab*ba", "aba") && !fits("a", "ab"));
    let expected = [Expect::Any, Expect::Exact("x".into()), Expect::Any];
    assert!(all_fit(&expected, &["a".into(), "x".into()]));
    assert!(!all_fit(&expected, &["a".into()]));
}

#[test]
fn a_transcript_reads_and_writes_itself() {
    let text =
        "# Hello\n$ gtp --level 1\n> name\n< = Shirokuro\n<\n< =␣\n>e a\\x07\\n\n<~ *\n<...\n@ 5\n^D\n2...\n= 2\n";
    let transcript = Transcript::read(text).expect("it is one");
    assert_eq!(transcript.written(), text);
    let refused = "# No\n$ gtp --level 99\n2 no\n= 2\n";
    assert_eq!(Transcript::read(refused).expect("it is one").written(), refused);
    assert!(Transcript::read("name\n").is_err());
    assert_eq!(resolve("a\\x41\\t\\\\"), Some(b"aA\t\\".to_vec()));
}

/// Standard error without the note where a book is kept: the user's folder is another in every run.
fn lines_that_repeat(errors: &str) -> Vec<String> {
    errors.lines().filter(|line| !line.contains("the book with its changes is kept in")).map(String::from).collect()
}
