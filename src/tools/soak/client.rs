//! The program as a child process, with lines going in and out and the time of each.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// An answer that takes longer, also on a busy machine, is taken for none.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Lines of the dialogue that are shown with a failure.
const SHOWN: usize = 40;

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<(Instant, String)>,
    errors: Option<JoinHandle<String>>,
    /// What was sent and received, for a report.
    dialogue: Vec<String>,
}

/// How a process is started.
pub struct Launch<'a> {
    pub args: Vec<String>,
    /// Where it runs; its own data are kept there too.
    pub folder: &'a Path,
    /// A script of the shell that starts it, as `"$0" "$@"`.
    pub shell: Option<String>,
}

/// How a process ended.
pub struct Ending {
    pub status: ExitStatus,
    pub errors: String,
    pub dialogue: Vec<String>,
}

impl Launch<'_> {
    pub fn new<'a>(folder: &'a Path, args: &[&str]) -> Launch<'a> {
        Launch::owned(folder, args.iter().map(|&arg| arg.to_owned()).collect())
    }

    pub fn owned(folder: &Path, args: Vec<String>) -> Launch<'_> {
        Launch { args, folder, shell: None }
    }

    pub fn start(&self) -> io::Result<Client> {
        let program = std::env::current_exe()?;
        let mut command = match &self.shell {
            None => Command::new(&program),
            Some(script) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", script]).arg(&program);
                shell
            }
        };
        let mut child = command
            .args(&self.args)
            .current_dir(self.folder)
            .env("XDG_DATA_HOME", self.folder.join("data"))
            .env("TMPDIR", self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let (stdout, stderr) = (child.stdout.take().ok_or_else(missing)?, child.stderr.take().ok_or_else(missing)?);
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut bytes = Vec::new();
            while stdout.read_until(b'\n', &mut bytes).is_ok_and(|n| n > 0) {
                let line = String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned();
                if send.send((Instant::now(), line)).is_err() {
                    return;
                }
                bytes.clear();
            }
        });
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = BufReader::new(stderr).read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let input = child.stdin.take();
        let dialogue = vec![format!("$ shirokuro {}", self.args.join(" "))];
        Ok(Client { child, input, output, errors: Some(errors), dialogue })
    }
}

impl Client {
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// A process that has left already is noticed by what it does not say.
    pub fn send(&mut self, line: &str) -> Instant {
        self.dialogue.push(format!("> {}", line.chars().take(120).collect::<String>()));
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) -> Instant {
        let now = Instant::now();
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
        now
    }

    /// The next line and when it came; `None` when there is none in time, or none any more.
    pub fn line_within(&mut self, time: Duration) -> Option<(Instant, String)> {
        let got = self.output.recv_timeout(time).ok()?;
        self.dialogue.push(format!("< {}", got.1.chars().take(200).collect::<String>()));
        Some(got)
    }

    /// Waits for a line that fits; when it came.
    pub fn wait_for(&mut self, fits: impl Fn(&str) -> bool) -> Option<Instant> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let (at, line) = self.line_within(deadline.saturating_duration_since(Instant::now()))?;
            if fits(&line) {
                return Some(at);
            }
        }
    }

    /// All lines that are still to come, until the output ends.
    pub fn rest(&mut self) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok((_, line)) => lines.push(line),
                Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => return lines,
            }
        }
    }

    pub fn close(&mut self) {
        drop(self.input.take());
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// What became of a process that gave no answer.
    pub fn silent(mut self) -> String {
        let dialogue = self.dialogue();
        match self.child.try_wait() {
            Ok(Some(status)) => {
                let errors = self.errors.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
                format!("{dialogue}\nit has left: {status}\n{errors}")
            }
            _ => format!("{dialogue}\nit is still there"),
        }
    }

    /// Waits until it has left; `None` if it does not.
    pub fn end(mut self) -> Option<Ending> {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                _ if Instant::now() > deadline => return None,
                _ => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        let rest = self.rest();
        self.dialogue.extend(rest.iter().map(|line| format!("< {}", line.chars().take(200).collect::<String>())));
        let errors = self.errors.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Some(Ending { status, errors, dialogue: std::mem::take(&mut self.dialogue) })
    }

    /// The last of what was said.
    pub fn dialogue(&self) -> String {
        last(&self.dialogue)
    }
}

/// The last lines of a dialogue.
pub fn last(dialogue: &[String]) -> String {
    dialogue[dialogue.len().saturating_sub(SHOWN)..].join("\n")
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a process a signal by name.
pub fn signal(id: u32, name: &str) -> io::Result<()> {
    let status = Command::new("kill").args([&format!("-{name}"), &id.to_string()]).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other("the signal could not be sent")) }
}

/// Cuts a file, or makes it longer.
pub fn set_length(path: &Path, length: u64) -> io::Result<()> {
    File::options().write(true).open(path)?.set_len(length)
}
