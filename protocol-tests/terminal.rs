//! The program at a terminal, as a person types and sees it: a pseudo-terminal, and an emulator that keeps its screen.
#![cfg(unix)]

use crate::process::{PATIENCE, Process};
use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Termios, Winsize, tcgetattr, tcsetwinsize},
};
use std::{
    fs::{self, File},
    io::{Read, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use tempfile::TempDir;

const UP: &str = "\x1b[A";
const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";
const CTRL_U: &str = "\x15";

/// A person's folders, where settings and history are kept.
struct Home(TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().expect("a folder"))
    }

    fn settings(&self) -> PathBuf {
        self.0.path().join("config/shirokuro/settings.toml")
    }

    fn history(&self) -> PathBuf {
        self.0.path().join("state/shirokuro/history")
    }

    fn places(&self) -> [(&'static str, PathBuf); 3] {
        let at = |name: &str| self.0.path().join(name);
        [("XDG_CONFIG_HOME", at("config")), ("XDG_STATE_HOME", at("state")), ("XDG_DATA_HOME", at("data"))]
    }
}

/// A program at a terminal of its own.
struct Tty {
    child: Child,
    keys: File,
    /// Keeps the terminal open, to look at its mode.
    terminal: OwnedFd,
    found: Termios,
    seen: Arc<Mutex<Seen>>,
}

struct Seen {
    screen: vt100::Parser,
    raw: String,
}

impl Tty {
    fn start(home: &Home, columns: u16, args: &[&str], environment: &[(&str, &str)]) -> Tty {
        Tty::of_size(home, columns, 40, args, environment)
    }

    fn of_size(home: &Home, columns: u16, rows: u16, args: &[&str], environment: &[(&str, &str)]) -> Tty {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&keys).and_then(|()| unlockpt(&keys)).expect("a pseudo-terminal");
        let name = ptsname(&keys, Vec::new()).expect("it has a name").into_string().expect("in ASCII");
        let end = || File::options().read(true).write(true).open(&name).expect("its other end");
        let terminal: OwnedFd = end().into();
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("a terminal has a size");
        let found = tcgetattr(&terminal).expect("a terminal has a mode");
        let child = Command::new(env!("CARGO_BIN_EXE_shirokuro"))
            .args(["--threads", "1"])
            .args(if args.contains(&"--level") || args.contains(&"go") { [].as_slice() } else { &["--level", "6"] })
            .args(args)
            .env_clear()
            .envs(home.places())
            .envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("HOME", "/nonexistent")])
            .envs(environment.iter().copied())
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("the built program starts");
        let screen = vt100::Parser::new(rows, columns, 0);
        let seen = Arc::new(Mutex::new(Seen { screen, raw: String::new() }));
        let keys: File = keys.into();
        let mut output = keys.try_clone().expect("a file can be opened twice");
        let watched = seen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n) = output.read(&mut bytes) {
                let mut seen = watched.lock().expect("no panic there");
                seen.screen.process(&bytes[..n]);
                seen.raw.push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
        });
        let mut tty = Tty { child, keys, terminal, found, seen };
        tty.wait("a prompt", |text| text.trim_end().ends_with('>'));
        tty
    }

    fn keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Types a line.
    fn line(&mut self, line: &str) {
        self.keys(&format!("{line}\r"));
    }

    fn text(&self) -> String {
        self.seen.lock().expect("no panic there").screen.screen().contents()
    }

    fn raw(&self) -> String {
        self.seen.lock().expect("no panic there").raw.clone()
    }

    /// Waits until the screen shows something; its text then.
    fn wait(&mut self, what: &str, shows: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let text = self.text();
            if shows(&text) {
                return text;
            }
            assert!(Instant::now() < until, "{what} did not come:\n{text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn wait_for(&mut self, what: &str) -> String {
        self.wait(what, |text| text.contains(what))
    }

    /// Types a line and waits for its answer.
    fn ask(&mut self, line: &str, answer: &str) -> String {
        self.line(line);
        self.wait_for(answer)
    }

    /// Waits for the end. The terminal is as it was found.
    fn ends(mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().expect("a child can be waited for") {
                Some(status) => break status,
                None => assert!(Instant::now() < until, "the program did not leave:\n{}", self.text()),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let mode = tcgetattr(&self.terminal).expect("a terminal has a mode");
        assert_eq!(mode.local_modes, self.found.local_modes);
        assert_eq!(mode.input_modes, self.found.input_modes);
        assert_eq!(mode.output_modes, self.found.output_modes);
        // The last output may still be on its way to the emulator.
        let pastes = || self.seen.lock().expect("no panic there").screen.screen().bracketed_paste();
        while pastes() {
            assert!(Instant::now() < until, "bracketed paste was not ended");
            std::thread::sleep(Duration::from_millis(10));
        }
        status
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn a_game_is_played_in_sentences_on_a_coloured_board() {
    let home = Home::new();
    let mut tty = Tty::of_size(&home, 80, 120, &[], &[]);
    tty.ask("f5", "white to move");
    {
        let seen = tty.seen.lock().unwrap();
        let screen = seen.screen.screen();
        let top = screen.rows(0, 80).position(|row| row.starts_with("> f5")).expect("the line is there") as u16 + 1;
        let cell = |row: u16, column: u16| screen.cell(top + row, 3 + 2 * column).expect("on the board");
        let [last, white, empty] = [cell(5, 5), cell(4, 3), cell(1, 0)];
        assert_eq!([last.contents(), white.contents(), empty.contents().trim()], ["●", "●", ""]);
        assert_ne!(last.fgcolor(), white.fgcolor());
        assert!(last.bgcolor() != white.bgcolor() && white.bgcolor() == empty.bgcolor());
        assert_ne!(white.bgcolor(), vt100::Color::Default);
    }
    let text = tty.ask("go", "white plays ");
    assert!(text.contains("white plays ") && text.contains(", book)"), "{text}");
    assert!(!text.contains("colour white value"), "{text}");
    tty.line("show values off");
    tty.line("book off");
    tty.line("c3");
    tty.line("go");
    let text = tty.wait("a move", |text| count(text, "white plays ") == 2);
    let said = text.lines().filter(|line| line.starts_with("white plays ")).nth(1).unwrap();
    assert!(!said.contains('('), "{said}");
    assert_eq!(tty.ask("time game 5:00", "clock: black 5:00, white 5:00").matches("clock").count(), 1);
    tty.line("quit");
    assert!(tty.ends().success());
}

#[test]
fn a_table_of_hints_stays_in_its_place_while_somebody_types() {
    let home = Home::new();
    let mut tty = Tty::start(&home, 100, &["--book", "none"], &[]);
    tty.line("f5");
    tty.line("level 40");
    tty.line("watch 3");
    tty.wait_for("a second\n> ");
    let early = tty.text();
    tty.keys("hint 1");
    let later = tty.wait("news", |text| text != early && text.trim_end().ends_with("> hint 1"));
    assert_eq!(count(&later, "expected"), 1, "{later}");
    assert_eq!(count(&later, " a second"), 1, "{later}");
    tty.keys(CTRL_C);
    let text = tty.wait_for("partial: stopped before the end");
    assert_eq!(count(&text, "expected"), 1, "{text}");
    // With nothing to stop it says how to leave.
    tty.wait("a prompt", |text| text.ends_with("> "));
    tty.keys(CTRL_C);
    tty.wait_for("Ctrl-D or `quit` leaves.");
    tty.keys(CTRL_D);
    assert!(tty.ends().success());
}

#[test]
fn what_is_there_to_be_copied_stays_in_one_piece() {
    let game = "f5d6c3d3c4f4c5b3e2c6b4e6d2a3b5a4f7c2f3e3d7d1a6a5a2e1b6";
    let home = Home::new();
    let mut tty = Tty::start(&home, 40, &["--book", "none"], &[]);
    tty.line(&format!("transcript {game}"));
    tty.wait_for("to move");
    tty.line("transcript");
    // The emulator joins rows that the terminal broke by itself, and only those.
    let text = tty.wait("the moves", |text| text.lines().any(|line| line == game));
    assert!(text.lines().filter(|line| line.starts_with("f5d6")).all(|line| line == game), "{text}");
    // The names of the forms are a list to read.
    let text = tty.ask("export", "\npgn gam record json");
    let (_, list) = text.split_once("> export").expect("the line is there");
    assert!(list.lines().all(|line| line.len() < 40), "{text}");
    tty.line("quit");
    assert!(tty.ends().success());
}

#[test]
fn long_work_has_a_bar() {
    let home = Home::new();
    let mut tty = Tty::start(&home, 80, &["--book", "none", "--level", "12"], &[]);
    tty.line("book learn depth 20 error 6");
    tty.wait("a bar", |text| text.lines().any(|line| line.starts_with("book learn ") && line.contains("/s")));
    tty.keys("f5");
    let text = tty.wait("the typed line", |text| text.trim_end().ends_with("> f5"));
    assert_eq!(text.lines().filter(|line| line.starts_with("book learn ") && line.contains("/s")).count(), 1, "{text}");
    tty.keys(&format!("{CTRL_U}{CTRL_C}"));
    tty.wait_for("learned");
    tty.line("quit discard");
    assert!(tty.ends().success());
}

#[test]
fn lines_are_completed_and_kept_for_the_next_session() {
    let home = Home::new();
    let mut tty = Tty::start(&home, 80, &[], &[]);
    tty.keys("book lear\t");
    tty.wait_for("learn-games");
    tty.keys(&format!("{CTRL_U}f\t"));
    tty.wait_for("> f5");
    tty.keys(CTRL_U);
    tty.ask("level 7", "> level 7");
    tty.line("quit");
    assert!(tty.ends().success());
    assert_eq!(fs::read_to_string(home.history()).unwrap(), "level 7\nquit\n");

    let mut tty = Tty::start(&home, 80, &[], &[]);
    tty.keys(&format!("{UP}{UP}"));
    tty.wait_for("> level 7");
    tty.keys(&format!("{CTRL_U}{CTRL_D}"));
    assert!(tty.ends().success());
    // Where no files may be used, none is.
    fs::remove_file(home.history()).unwrap();
    let mut tty = Tty::start(&home, 80, &["--files", "none"], &[]);
    tty.ask("settings save", "(--files none)");
    tty.line("quit");
    assert!(tty.ends().success());
    assert!(!home.history().exists() && !home.settings().exists());
}

#[test]
fn settings_are_kept_for_people_and_not_for_pipes() {
    let home = Home::new();
    let mut tty = Tty::start(&home, 80, &[], &[]);
    for line in ["level 9", "language ja", "show values off"] {
        tty.line(line);
    }
    tty.ask("settings save", "settings.toml");
    tty.line("quit");
    assert!(tty.ends().success());
    let kept = fs::read_to_string(home.settings()).unwrap();
    for line in ["language = \"ja\"\n", "values = false\n", "[othello]\n", "level = 9\n"] {
        assert!(kept.contains(line), "{kept}");
    }
    let mut tty = Tty::of_size(&home, 80, 40, &["--files", "any"], &[]);
    tty.wait_for("黒の手番");
    tty.ask("settings reset", "note: ");
    tty.wait_for("black to move");
    tty.line("quit");
    assert!(tty.ends().success());
    assert!(!home.settings().exists());

    fs::write(home.settings(), &kept).unwrap();
    let level = |args: &[&str]| {
        let mut pipe = Process::start_with(args, &home.places());
        pipe.send("level");
        pipe.line()
    };
    assert_eq!(level(&[]).as_deref(), Some("level 21"));
    let path = home.settings();
    assert_eq!(level(&["--config", path.to_str().unwrap()]).as_deref(), Some("level 9"));
    assert_eq!(level(&["--config", path.to_str().unwrap(), "--level", "3"]).as_deref(), Some("level 3"));
    assert_eq!(level(&["--config", "/nonexistent/file"]), None);
}

#[test]
fn damaged_files_are_kept_aside_and_named() {
    let home = Home::new();
    for (path, bytes) in [(home.settings(), b"level = = 3\n".as_slice()), (home.history(), b"f5\n\xff\0")] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let mut tty = Tty::start(&home, 80, &[], &[]);
    let text = tty.text().replace('\n', "");
    assert!(text.contains("settings.toml.damaged") && text.contains("history.damaged"), "{text}");
    assert_eq!(count(&text, "note: "), 2, "{text}");
    tty.line("quit");
    assert!(tty.ends().success());
    let aside = |path: &Path| fs::read(format!("{}.damaged", path.display())).unwrap();
    assert_eq!((aside(&home.settings()), aside(&home.history())), (b"level = = 3\n".to_vec(), b"f5\n\xff\0".to_vec()));
}

#[test]
fn without_colours_there_are_none_and_a_dumb_terminal_gets_plain_lines() {
    let home = Home::new();
    let mut tty = Tty::start(&home, 80, &[], &[("NO_COLOR", "1")]);
    let text = tty.ask("f5", " 5 . . . X X(X). .");
    assert!(text.contains("white (O) to move"), "{text}");
    assert!(!tty.raw().contains("\x1b[38;5") && !tty.raw().contains("\x1b[48;5"), "{:?}", tty.raw());
    tty.line("quit");
    assert!(tty.ends().success());

    let mut tty = Tty::start(&home, 80, &[], &[("TERM", "dumb")]);
    tty.ask("f5", "white (O) to move");
    tty.ask("go", "white plays ");
    tty.line("hint 2");
    tty.wait_for(" a second");
    assert!(!tty.raw().contains('\x1b'), "{:?}", tty.raw());
    tty.keys(CTRL_D);
    assert!(tty.ends().success());
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let home = Home::new();
    let mut tty = Tty::start(&home, 80, &["--book", "none"], &[]);
    tty.line("watch 3");
    tty.wait_for(" a second");
    let id = rustix::process::Pid::from_child(&tty.child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(tty.ends().code(), Some(143));
}

#[test]
fn nothing_is_wider_than_the_window() {
    let lines = [
        "help",
        "help book learn",
        "help draw",
        "help hint",
        "book help",
        "options",
        "levelinfo",
        "f5d6c3d3c4",
        "hint",
        "opening",
        "book show",
        "analyze",
        "go",
        "settings show",
        "help levels of nonsense",
        "book learn depth what",
        "xot 12",
        "explain",
        "difficulty game",
        "score",
        "show order",
    ];
    for (columns, args, locale) in [
        (80, ["--game", "othello", "--book", "none"], "C.UTF-8"),
        (48, ["--game", "othello", "--book", "none"], "C.UTF-8"),
        (80, ["--game", "othello", "--book", "none"], "ja_JP.UTF-8"),
        (60, ["--game", "go", "--playouts", "50"], "ja_JP.UTF-8"),
        (120, ["--game", "go", "--playouts", "50"], "C.UTF-8"),
    ] {
        let home = Home::new();
        // Rows enough that nothing scrolls away.
        let mut tty = Tty::of_size(&home, columns, 1500, &args, &[("LANG", locale)]);
        tty.line("level 2");
        for (n, line) in lines.iter().enumerate().filter(|(_, line)| args[1] != "go" || !line.starts_with('f')) {
            tty.line(line);
            tty.ask(&format!("echo done-{n}"), &format!("\ndone-{n}\n"));
        }
        let seen = tty.seen.lock().unwrap();
        let screen = seen.screen.screen();
        let rows: Vec<String> = screen.rows(0, columns).collect();
        let wide: Vec<&String> =
            (0..1500).filter(|row| screen.row_wrapped(*row)).map(|row| &rows[usize::from(row)]).collect();
        assert!(wide.is_empty(), "{columns} {locale}: {wide:#?}");
        drop(seen);
        tty.line("quit");
        assert!(tty.ends().success());
    }
}
