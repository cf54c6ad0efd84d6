//! The program as a child process with lines going in and out.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Longer than any answer may take here, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    /// Its user's files; gone with it.
    _home: TempDir,
}

/// How a process ended.
pub struct Ending {
    pub status: ExitStatus,
    /// What it wrote that nobody had read.
    pub rest: Vec<String>,
    pub errors: String,
}

impl Process {
    pub fn start(args: &[&str]) -> Process {
        Process::start_in(args, Path::new(env!("CARGO_MANIFEST_DIR")))
    }

    pub fn start_in(args: &[&str], folder: &Path) -> Process {
        Process::begin(args, folder, &[])
    }

    /// With more variables of the environment.
    #[cfg(unix)]
    pub fn start_with(args: &[&str], environment: &[(&'static str, PathBuf)]) -> Process {
        Process::begin(args, Path::new(env!("CARGO_MANIFEST_DIR")), environment)
    }

    fn begin(args: &[&str], folder: &Path, environment: &[(&'static str, PathBuf)]) -> Process {
        let home = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(env!("CARGO_BIN_EXE_shirokuro"))
            .args(args)
            .current_dir(folder)
            .env("XDG_DATA_HOME", home.path())
            .envs(environment.iter().map(|(name, path)| (name, path)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the built program starts");
        let (send, output) = channel();
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while stdout.read_until(b'\n', &mut bytes).is_ok_and(|n| n > 0) {
                let line = String::from_utf8_lossy(&bytes);
                if send.send(line.strip_suffix('\n').unwrap_or(&line).to_string()).is_err() {
                    return;
                }
                bytes.clear();
            }
        });
        let mut stderr = child.stderr.take().expect("piped");
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Process { input: child.stdin.take(), child, output, errors: Some(errors), _home: home }
    }

    /// Its number for the operating system.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line. A program that has left already will be noticed by what it does not say.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    /// The next line of its output; `None` when there is none within this time, or none any more.
    pub fn line_within(&self, time: Duration) -> Option<String> {
        self.output.recv_timeout(time).ok()
    }

    pub fn line(&self) -> Option<String> {
        self.line_within(PATIENCE)
    }

    /// Lines until one fits; that one comes last.
    pub fn lines_until(&self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.line() {
            lines.push(line);
            if lines.last().is_some_and(|l| fits(l)) {
                return lines;
            }
        }
        panic!("the line waited for did not come; there were {lines:#?}");
    }

    /// Sends a GTP command and returns its answer without the blank line that ends it.
    pub fn gtp(&mut self, command: &str) -> String {
        self.send(command);
        let mut lines = self.lines_until(str::is_empty);
        lines.pop();
        lines.join("\n")
    }

    /// Ends its input.
    pub fn close(&mut self) {
        drop(self.input.take());
    }

    /// Ends its input and waits for it to leave.
    pub fn end(mut self) -> Ending {
        self.close();
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().expect("a child can be waited for") {
                Some(status) => break status,
                None if Instant::now() > deadline => {
                    let _ = self.child.kill();
                    panic!("the program did not leave at the end of its input");
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let rest = self.output.iter().collect();
        let errors = self.errors.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Ending { status, rest, errors }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
