//! An engine in a process of its own, held at arm's length: whatever it does (dies, hangs, floods, closes a pipe),
//! every call here comes back by its deadline.
//!
//! One thread reads its output, one its error stream, one writes to it; they talk to the owner through channels only.

use crate::base::cpu;
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded, unbounded};
use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The rest of a longer line is thrown away: no reply of any protocol needs more.
const LONGEST_LINE: usize = 16 * 1024;
/// Lines waiting to be read; an engine that writes more has to wait, so a flood costs no memory.
const LINES_WAITING: usize = 4096;
/// Last words kept for the report on a dead engine.
const LAST_WORDS: usize = 5;
/// How often a wait looks whether the match is being stopped.
const STOP_LOOK: Duration = Duration::from_millis(50);
/// How long a process that closed a pipe may take to be seen dead.
const DYING: Duration = Duration::from_millis(500);
/// How long a process may take to leave after `quit`.
const LEAVING: Duration = Duration::from_millis(1500);

/// Everything needed to start the process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    pub program: String,
    pub args: Vec<String>,
    pub dir: Option<PathBuf>,
    pub env: Vec<(String, String)>,
    /// Where the whole dialogue is written, with the error stream.
    pub log: Option<PathBuf>,
}

/// A line of output and the moment it came: clocks must not depend on when the runner gets to read it.
#[derive(Debug, Clone)]
pub struct Line {
    pub text: String,
    pub at: Instant,
}

enum Event {
    Line(Line),
    OutputClosed,
    InputClosed,
}

/// Why no line came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoLine {
    /// The deadline passed.
    Late,
    /// The process ended; how, with its last words.
    Dead(String),
    /// It lives, but reads its input no more.
    InputClosed,
    /// It lives, but has closed its output.
    OutputClosed,
    /// The match is being stopped.
    Stopped,
}

pub struct Process {
    child: Child,
    to_engine: Option<Sender<String>>,
    events: Receiver<Event>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    /// Closed when the error stream has ended.
    errors_read: Receiver<()>,
    stop: Arc<AtomicBool>,
    ended: Option<NoLine>,
}

impl Process {
    /// Starts the engine. `stop` ends every wait on it.
    pub fn start(launch: &Launch, stop: Arc<AtomicBool>) -> io::Result<Process> {
        let log = Log::open(launch)?;
        let mut command = Command::new(&launch.program);
        command.args(&launch.args).envs(launch.env.iter().map(|(k, v)| (k, v)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &launch.dir {
            command.current_dir(dir);
        }
        // A group of its own: an interrupt at the terminal is ours to handle, and a wrapper script can be ended
        // together with the engine it started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;

        let (event_to, events) = bounded(LINES_WAITING);
        let (to_engine, lines) = unbounded();
        let (errors_open, errors_read) = bounded::<()>(0);
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(input) = child.stdin.take() {
            let (event_to, log) = (event_to.clone(), log.clone());
            thread::spawn(move || write_lines(input, &lines, &event_to, &log));
        }
        if let Some(output) = child.stdout.take() {
            let log = log.clone();
            thread::spawn(move || read_output(output, &event_to, &log));
        }
        if let Some(errors) = child.stderr.take() {
            let (log, words) = (log.clone(), last_words.clone());
            thread::spawn(move || {
                let _open = errors_open;
                read_errors(errors, &words, &log);
            });
        }
        Ok(Process { child, to_engine: Some(to_engine), events, last_words, errors_read, stop, ended: None })
    }

    /// Hands a line to the writing thread; never waits. That the engine does not read is found out by the next wait.
    pub fn send(&mut self, line: &str) {
        if let Some(to_engine) = &self.to_engine {
            // The thread is gone only when the pipe broke, and has reported that.
            let _ = to_engine.send(format!("{line}\n"));
        }
    }

    /// Forgets what the engine said unasked.
    pub fn drain(&mut self) {
        for _ in 0..2 * LINES_WAITING {
            match self.events.try_recv() {
                Ok(Event::Line(_)) => {}
                Ok(event) => {
                    self.note(event);
                }
                Err(_) => return,
            }
        }
    }

    /// The next line, if one comes before `deadline`.
    pub fn line(&mut self, deadline: Instant) -> Result<Line, NoLine> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(NoLine::Stopped);
            }
            // What the engine said before it closed a pipe still counts, so the channel comes first.
            match self.events.try_recv() {
                Ok(Event::Line(line)) => return Ok(line),
                Ok(event) => {
                    self.note(event);
                    continue;
                }
                Err(_) => {}
            }
            if let Some(end) = &self.ended {
                return Err(end.clone());
            }
            let now = Instant::now();
            if now >= deadline {
                return Err(NoLine::Late);
            }
            match self.events.recv_deadline(deadline.min(now + STOP_LOOK)) {
                Ok(Event::Line(line)) => return Ok(line),
                Ok(event) => self.note(event),
                Err(_) => {}
            }
        }
    }

    /// Works out why a pipe was closed: dead, or alive and silent.
    fn note(&mut self, event: Event) {
        if matches!(self.ended, Some(NoLine::Dead(_))) {
            return;
        }
        let pipe = match event {
            Event::InputClosed => NoLine::InputClosed,
            _ => NoLine::OutputClosed,
        };
        let end = match self.wait_for_end(DYING) {
            Some(status) => NoLine::Dead(self.obituary(status)),
            None => pipe,
        };
        self.ended = Some(end);
    }

    fn wait_for_end(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }

    fn obituary(&self, status: ExitStatus) -> String {
        // The thread that reads them may need a moment longer than the death took.
        let _ = self.errors_read.recv_timeout(DYING);
        let words = lock(&self.last_words);
        match words.is_empty() {
            true => status.to_string(),
            false => {
                let words: Vec<_> = words.iter().map(String::as_str).collect();
                format!("{status}; last words: {}", words.join(" / "))
            }
        }
    }

    /// The processor time it has used so far, with what it started.
    pub fn cpu_time(&self) -> io::Result<Duration> {
        cpu::of(self.child.id())
    }

    pub fn is_alive(&mut self) -> bool {
        self.ended.is_none() && matches!(self.child.try_wait(), Ok(None))
    }

    /// Says goodbye, waits a moment, and leaves the rest to [`Drop`].
    pub fn leave(mut self, goodbye: Option<&str>) {
        if let Some(goodbye) = goodbye {
            self.send(goodbye);
        }
        // Closing the channel lets the writing thread close the pipe after what it still has to write.
        self.to_engine = None;
        let deadline = Instant::now() + LEAVING;
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            self.drain();
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            kill_group(self.child.id());
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Ends the process and what it started. Called before the child is waited for, so its number cannot have been given
/// to another process.
#[cfg(unix)]
fn kill_group(id: u32) {
    let order = format!("kill -s KILL -- -{id}");
    let quiet = || Stdio::null();
    let _ = Command::new("sh").args(["-c", &order]).stdin(quiet()).stdout(quiet()).stderr(quiet()).status();
}

#[cfg(not(unix))]
fn kill_group(_id: u32) {}

fn write_lines(mut input: ChildStdin, lines: &Receiver<String>, event_to: &Sender<Event>, log: &Log) {
    for line in lines {
        log.write('<', line.trim_end_matches('\n'));
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            log.write('#', "the engine does not read its input any more");
            let _ = event_to.send(Event::InputClosed);
            return;
        }
    }
}

fn read_output(output: impl Read, event_to: &Sender<Event>, log: &Log) {
    let mut reader = BufReader::new(output);
    while let Some(text) = read_line(&mut reader) {
        let at = Instant::now();
        log.write('>', &text);
        // Wait for room, but notice when the owner is gone.
        if let Err(TrySendError::Full(event)) = event_to.try_send(Event::Line(Line { text, at }))
            && event_to.send(event).is_err()
        {
            return;
        }
    }
    let _ = event_to.send(Event::OutputClosed);
}

fn read_errors(errors: impl Read, words: &Mutex<VecDeque<String>>, log: &Log) {
    let mut reader = BufReader::new(errors);
    while let Some(text) = read_line(&mut reader) {
        log.write('!', &text);
        if !text.trim().is_empty() {
            let mut words = lock(words);
            if words.len() == LAST_WORDS {
                words.pop_front();
            }
            words.push_back(text.chars().take(200).collect());
        }
    }
}

/// A line of any bytes without its end; `None` at the end of the stream. Over-long lines are cut, and what steers a
/// terminal becomes blanks: people see parts of it.
fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let mut began = false;
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) if !chunk.is_empty() => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            _ if began => break,
            _ => return None,
        };
        began = true;
        let end = chunk.iter().position(|&b| b == b'\n');
        let text = &chunk[..end.unwrap_or(chunk.len())];
        line.extend_from_slice(&text[..text.len().min(LONGEST_LINE - line.len())]);
        let used = end.map_or(chunk.len(), |end| end + 1);
        reader.consume(used);
        if end.is_some() {
            break;
        }
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    let plain = |c: char| if c.is_control() && c != '\t' { ' ' } else { c };
    Some(String::from_utf8_lossy(&line).chars().map(plain).collect())
}

/// The dialogue on disk, if asked for. A full disk must not end a match, so errors are dropped here.
#[derive(Clone)]
struct Log(Option<Arc<Mutex<(File, Instant)>>>);

impl Log {
    fn open(launch: &Launch) -> io::Result<Log> {
        let Some(path) = &launch.log else { return Ok(Log(None)) };
        let mut file = File::options().create(true).append(true).open(path)?;
        writeln!(file, "# start {} {}", launch.program, launch.args.join(" "))?;
        Ok(Log(Some(Arc::new(Mutex::new((file, Instant::now()))))))
    }

    fn write(&self, mark: char, text: &str) {
        if let Some(log) = &self.0 {
            let mut log = lock(log);
            let seconds = log.1.elapsed().as_secs_f64();
            let _ = writeln!(log.0, "{seconds:10.3} {mark} {text}");
        }
    }
}

/// A poisoned lock only means that another thread died; what it guards here is still text.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poison| poison.into_inner())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str) -> Process {
        let launch = Launch { program: "sh".into(), args: vec!["-c".into(), script.into()], ..Launch::default() };
        Process::start(&launch, Arc::default()).unwrap()
    }

    fn soon(ms: u64) -> Instant {
        Instant::now() + Duration::from_millis(ms)
    }

    #[test]
    fn lines_go_both_ways() {
        let mut cat = sh("while read -r line; do echo \"got $line\"; done");
        cat.send("one");
        cat.send("two");
        assert_eq!(cat.line(soon(5000)).unwrap().text, "got one");
        assert_eq!(cat.line(soon(5000)).unwrap().text, "got two");
        assert_eq!(cat.line(soon(50)).unwrap_err(), NoLine::Late);
        cat.leave(None);
    }

    #[test]
    fn the_last_line_before_death_is_heard_and_the_reason_is_kept() {
        let mut dying = sh("echo last; echo 'out of memory' >&2; exit 7");
        assert_eq!(dying.line(soon(5000)).unwrap().text, "last");
        let NoLine::Dead(why) = dying.line(soon(5000)).unwrap_err() else { panic!("it is dead") };
        assert!(why.contains('7'), "{why}");
        assert!(!dying.is_alive());
    }

    #[test]
    fn closed_pipes_of_a_living_process_are_told_apart() {
        let mut deaf = sh("exec <&-; echo deaf; sleep 20");
        assert_eq!(deaf.line(soon(5000)).unwrap().text, "deaf");
        deaf.send("hello");
        deaf.send("hello");
        assert_eq!(deaf.line(soon(5000)).unwrap_err(), NoLine::InputClosed);
        let mut mute = sh("exec >&-; sleep 20");
        assert_eq!(mute.line(soon(5000)).unwrap_err(), NoLine::OutputClosed);
    }

    #[test]
    fn a_flood_and_an_endless_line_cost_neither_time_nor_memory() {
        let start = Instant::now();
        let mut flood = sh("while :; do echo x; done");
        assert_eq!(flood.line(soon(5000)).unwrap().text, "x");
        thread::sleep(Duration::from_millis(100));
        flood.drain();
        assert_eq!(flood.line(soon(5000)).unwrap().text, "x");
        drop(flood);
        let mut endless = sh("while :; do printf 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'; done");
        assert_eq!(endless.line(soon(200)).unwrap_err(), NoLine::Late);
        drop(endless);
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_is_whole() {
        let mut reader = BufReader::new(io::Cursor::new([vec![b'a'; 100_000], b"\r\nnext\r\nlast".to_vec()].concat()));
        assert_eq!(read_line(&mut reader).unwrap().len(), LONGEST_LINE);
        assert_eq!(read_line(&mut reader).unwrap(), "next");
        assert_eq!(read_line(&mut reader).unwrap(), "last");
        assert_eq!(read_line(&mut reader), None);
    }

    #[test]
    fn a_stop_ends_a_wait() {
        let stop = Arc::new(AtomicBool::new(false));
        let launch = Launch { program: "sleep".into(), args: vec!["20".into()], ..Launch::default() };
        let mut idle = Process::start(&launch, stop.clone()).unwrap();
        stop.store(true, Ordering::Relaxed);
        assert_eq!(idle.line(soon(10_000)).unwrap_err(), NoLine::Stopped);
    }

    #[test]
    fn a_killed_wrapper_takes_the_engine_with_it() {
        let mark = std::env::temp_dir().join(format!("shirokuro-orphan-{}", std::process::id()));
        let _ = std::fs::remove_file(&mark);
        let wrapper = sh(&format!("(sleep 1; echo alive > '{}') & echo up; wait", mark.display()));
        let mut wrapper = wrapper;
        assert_eq!(wrapper.line(soon(5000)).unwrap().text, "up");
        drop(wrapper);
        thread::sleep(Duration::from_millis(1300));
        assert!(!mark.exists());
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let launch = Launch { program: "/nonexistent/engine".into(), ..Launch::default() };
        assert!(Process::start(&launch, Arc::default()).is_err());
    }
}
