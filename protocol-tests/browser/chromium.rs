//! Chromium without a window, driven over its own protocol: JSON with a zero after each message, in a pipe.

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Longer than a page of ours takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The browser that `CHROMIUM` names, or the first one in the path.
pub fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
}

pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    number: u64,
    session: Option<String>,
    /// How many pages were loaded.
    loads: usize,
    /// What a page complained about: exceptions, errors on the console, requests to anywhere.
    pub complaints: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    pub fn start(program: &Path) -> Browser {
        let profile = tempfile::tempdir().expect("a folder");
        // The protocol is spoken on the descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#])
            .arg(program)
            .args(["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-dev-shm-usage", "--lang=en-US"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let (send, messages) = channel();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|n| n > 0) {
                bytes.pop();
                if serde_json::from_slice(&bytes).is_ok_and(|message: Value| send.send(message).is_err()) {
                    return;
                }
                bytes.clear();
            }
        });
        let input = child.stdin.take().expect("piped");
        let mut browser = Browser {
            child,
            input,
            messages,
            number: 0,
            session: None,
            loads: 0,
            complaints: vec![],
            _profile: profile,
        };
        browser.attach();
        browser
    }

    fn attach(&mut self) {
        let begun = Instant::now();
        let target = loop {
            let targets = self.call("Target.getTargets", json!({}));
            let pages = targets["targetInfos"].as_array().cloned().unwrap_or_default();
            if let Some(page) = pages.into_iter().find(|target| target["type"] == "page") {
                break page["targetId"].clone();
            }
            assert!(begun.elapsed() < PATIENCE, "the browser has no page");
            std::thread::sleep(Duration::from_millis(50));
        };
        let attached = self.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Sends a command and waits for its answer; what happens meanwhile is looked at.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        self.input.flush().expect("the browser listens");
        loop {
            let message = self.next(method);
            if message["id"] == self.number {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    fn next(&mut self, waiting_for: &str) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {waiting_for}"));
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Page.loadEventFired") => self.loads += 1,
            Some("Runtime.exceptionThrown") => self.complaints.push(format!("exception: {params}")),
            Some("Runtime.consoleAPICalled") if params["type"] == "error" || params["type"] == "warning" => {
                self.complaints.push(format!("console: {params}"));
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.complaints.push(format!("log: {params}"));
            }
            Some("Network.requestWillBeSent") => {
                let address = params["request"]["url"].as_str().unwrap_or_default();
                if !address.starts_with("file://") && !address.starts_with("data:") && address != "about:blank" {
                    self.complaints.push(format!("request: {address}"));
                }
            }
            _ => {}
        }
        message
    }

    pub fn open(&mut self, page: &Path) {
        let address = json!({"url": format!("file://{}", page.display())});
        self.until_loaded(|browser| drop(browser.call("Page.navigate", address)));
    }

    /// Does something that leads to another page and waits for it.
    pub fn until_loaded(&mut self, act: impl FnOnce(&mut Browser)) {
        let before = self.loads;
        act(self);
        while self.loads == before {
            self.next("the load of the page");
        }
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let answer = self.call("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub fn text(&mut self, selector: &str) -> String {
        self.value(&format!("document.querySelector({}).textContent", json!(selector)))
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Presses a key that has no letter.
    pub fn key(&mut self, name: &str) {
        for kind in ["rawKeyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": name, "code": name}));
        }
    }

    /// Clicks where the middle of an element is, or so far to the right of its left edge.
    pub fn click(&mut self, selector: &str, right: Option<f64>) {
        let place = format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{block: 'center'}}); \
             const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; }})()",
            json!(selector)
        );
        let place = self.value(&place);
        let at = |i: usize| place[i].as_f64().unwrap_or_default();
        let (x, y) = (at(0) + right.unwrap_or(at(2) / 2.0), at(1) + at(3) / 2.0);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// The width of the window, as of a phone.
    pub fn widen(&mut self, width: u32) {
        let size = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": true});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
