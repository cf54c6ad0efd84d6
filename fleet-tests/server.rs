//! A server of our own on a free port, workers, and what is asked of them.

use serde_json::Value;
use std::{
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// The built program.
pub fn shirokuro(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shirokuro"));
    for name in ["NATS_CREDS", "NATS_USER", "NATS_PASSWORD", "NATS_TOKEN", "NATS_NKEY", "NATS_CA"] {
        command.env_remove(name);
    }
    command.args(args);
    command
}

/// What a command prints that has to succeed.
pub fn text(mut command: Command) -> String {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let (done, ended) = std::sync::mpsc::channel::<()>();
    // Whatever waits for ever fails instead of hanging.
    let guard = thread::spawn(move || {
        let late = ended.recv_timeout(Duration::from_secs(240)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
        if late {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
        late
    });
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    drop(done);
    assert!(!guard.join().unwrap(), "{command:?} was not done after four minutes");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub struct Server {
    folder: TempDir,
    port: u16,
    process: Option<Child>,
    /// How many were started.
    workers: std::sync::atomic::AtomicUsize,
}

impl Server {
    /// `None`, with a word about it, where the program is not installed.
    pub fn start() -> Option<Server> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Server { folder: tempfile::tempdir().unwrap(), port, process: None, workers: 0.into() };
        if let Err(error) = server.begin() {
            eprintln!("SKIPPED: nats-server cannot be started: {error}");
            return None;
        }
        Some(server)
    }

    fn begin(&mut self) -> std::io::Result<()> {
        let store = self.folder.path().join("store");
        let start = |program: &str| {
            Command::new(program)
                .args(["-js", "-a", "127.0.0.1", "-p", &self.port.to_string(), "-sd"])
                .arg(&store)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
        };
        self.process = Some(start("nats-server").or_else(|_| start("/usr/sbin/nats-server"))?);
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(20), "the server does not listen");
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn end(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Killed, and begun again from what it has on the disk.
    pub fn restart(&mut self) {
        self.end();
        thread::sleep(Duration::from_millis(500));
        self.begin().unwrap();
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What the workers wrote, the end of each.
    fn logs(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder()).into_iter().flatten().flatten().map(|entry| entry.path());
        let logs = files.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
        let end = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().rev().take(20).collect();
            format!("{}:\n{}", path.display(), lines.into_iter().rev().collect::<Vec<_>>().join("\n"))
        };
        logs.map(end).collect()
    }

    pub fn url(&self, queue: &str) -> String {
        format!("nats://127.0.0.1:{}/{queue}", self.port)
    }

    pub fn worker(&self, queue: &str, args: &[&str]) -> Worker {
        let number = self.workers.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let log = self.folder().join(format!("worker-{number}.log"));
        let mut command = shirokuro(&["work", &self.url(queue), "--log", log.to_str().unwrap()]);
        command.args(args).env("SHIROKURO_LOG", "info").stdout(Stdio::null()).stderr(Stdio::null());
        Worker { process: command.spawn().unwrap(), log, read: 0 }
    }

    pub fn status(&self, queue: &str) -> Value {
        let output = shirokuro(&["fleet", "status", &self.url(queue), "--json"]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if thread::panicking() {
            self.logs().into_iter().for_each(|log| eprintln!("{log}"));
        }
        self.end();
    }
}

pub struct Worker {
    process: Child,
    log: PathBuf,
    read: usize,
}

impl Worker {
    /// The lines of its log since this was asked last.
    pub fn heard(&mut self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let whole = text.rfind('\n').map_or(0, |last| last + 1).max(self.read);
        let lines = text[self.read..whole].lines().map(String::from).collect();
        self.read = whole;
        lines
    }

    /// So many lines of its log with this word, without the time of day.
    pub fn wait_for(&mut self, word: &str, count: usize) -> Vec<String> {
        let (began, mut found) = (Instant::now(), vec![]);
        while found.len() < count {
            assert!(began.elapsed() < Duration::from_secs(60), "{word}: {found:?}");
            let lines = self.heard().into_iter().filter_map(|line| Some(line.split_once(word)?.1.to_owned()));
            found.extend(lines);
            thread::sleep(Duration::from_millis(50));
        }
        found
    }

    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let _ = Command::new("kill").args([&format!("-{name}"), &self.process.id().to_string()]).status();
    }

    #[cfg(unix)]
    pub fn terminate(&mut self) {
        self.signal("TERM");
        let _ = self.process.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Random numbers that are the same in every run (SplitMix64).
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}
