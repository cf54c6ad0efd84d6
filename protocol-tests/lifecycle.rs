//! How the program begins and ends: quickly and lightly, with every answer given, and quietly when nobody listens.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

/// Generous, because tests run on busy machines.
const SOON: Duration = Duration::from_secs(5);

fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_shirokuro"))
        .args(args)
        .env("XDG_DATA_HOME", std::env::temp_dir().join(format!("shirokuro-test-{}", std::process::id())))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the built program starts")
}

fn send(child: &mut Child, text: &str) {
    let input = child.stdin.as_mut().expect("piped");
    input.write_all(text.as_bytes()).and_then(|()| input.flush()).expect("the program reads");
}

/// Waits for the end; kills and fails when it does not come.
fn end(child: &mut Child, within: Duration) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        if began.elapsed() > within {
            let _ = child.kill();
            panic!("the program did not leave within {within:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Everything sent at once, then the end of input: what comes out, and the exit code.
fn pipe(args: &[&str], input: &[u8]) -> (String, String, ExitStatus) {
    let mut child = start(args);
    let mut stdin = child.stdin.take().expect("piped");
    let bytes = input.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&bytes);
    });
    let output = child.wait_with_output().expect("the program ends");
    let _ = writer.join();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr), output.status)
}

#[cfg(target_os = "linux")]
fn resident_kilobytes(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("the process lives");
    // The most it ever was: what was unfolded and given back counts too.
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).expect("its size is known");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
}

/// The size of a copy that was told this much, the last line being one whose answer begins with `end`.
#[cfg(target_os = "linux")]
fn size_after(args: &[&str], lines: &str, end_of_it: &str) -> u64 {
    let mut child = start(args);
    send(&mut child, lines);
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    while !line.starts_with(end_of_it) {
        line.clear();
        assert!(output.read_line(&mut line).expect("a reply") > 0, "the program left: {args:?}");
    }
    // What is unfolded beside the session is there by then.
    std::thread::sleep(Duration::from_millis(700));
    let size = resident_kilobytes(&child);
    drop(child.stdin.take());
    assert!(end(&mut child, SOON).success());
    size
}

/// Copies that are asked for names, boards and moves unfold nothing; who has moved by the book does, for the next move.
#[cfg(target_os = "linux")]
#[test]
fn a_copy_that_keeps_the_rules_stays_small() {
    const UNKNOWN: &str = "? unknown command";
    let ruler = "list_commands\ngogui-interrupt\ngogui-rules_game_id\ngogui-rules_board_size\nclear_board\nplay B F5\n\
        gogui-rules_board\ngogui-rules_side_to_move\ngogui-rules_legal_moves\necho_is_unknown\n";
    let told = "gogui-rules_only\nboardsize 8\nkomi 6.5\nclear_board\ngogui-rules_legal_moves\necho_is_unknown\n";
    let referee = "name\nversion\nlist_commands\nboardsize 8\nkomi 0\nclear_board\nplay b f5\nplay w d6\nundo\n\
        play w f6\nshowboard\nfinal_score\necho_is_unknown\n";
    let nboard = "nboard 2\nset depth 10\nmove F5//0\nmove D6//0\nping 3\n";
    let console = "help\nf5\nd6\nundo\nmoves\necho end of it\n";
    for (args, lines, end) in [
        (&["gtp"][..], ruler, UNKNOWN),
        (&["gtp"], told, UNKNOWN),
        (&["gtp"], referee, UNKNOWN),
        (&["nboard"], nboard, "pong 3"),
        (&["console"], console, "end of it"),
    ] {
        let size = size_after(args, lines, end);
        assert!(size < SMALL, "{args:?}: {size} kB");
    }
    // Without a book the first move needs the weights, so they are there before it is asked for.
    let size = size_after(&["gtp", "--book", "none"], "boardsize 8\necho_is_unknown\n", UNKNOWN);
    assert!(size > 40_000, "{size} kB");
    let size = size_after(&["gtp"], "genmove b\necho_is_unknown\n", UNKNOWN);
    assert!(size > 40_000, "{size} kB");
}

/// In kilobytes. A program built for tests is read from the disk in larger pieces.
#[cfg(target_os = "linux")]
const SMALL: u64 = if cfg!(debug_assertions) { 25_000 } else { 15_000 };

/// GoGui starts four copies of an engine, one of which never hears a word.
#[test]
fn the_first_reply_comes_at_once_and_from_a_small_process() {
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let began = Instant::now();
            let mut child = start(&["gtp"]);
            send(&mut child, "name\n");
            let mut line = String::new();
            BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a reply");
            let time = began.elapsed();
            assert_eq!(line, "= Shirokuro\n");
            #[cfg(target_os = "linux")]
            assert!(resident_kilobytes(&child) < 50_000, "{} kB", resident_kilobytes(&child));
            drop(child.stdin.take());
            assert!(end(&mut child, SOON).success());
            time
        })
        .collect();
    times.sort();
    assert!(times[0] < Duration::from_millis(250), "{times:?}");
}

#[test]
fn a_script_without_quit_gets_all_its_answers() {
    let script = b"1 boardsize 8\n2 clear_board\n3 genmove b\n4 genmove w\n5 genmove b\n6 nonsense\n7 final_score\n";
    let (out, err, status) = pipe(&["gtp", "--level", "3", "--threads", "1"], script);
    for id in [1, 2, 3, 4, 5] {
        assert!(out.contains(&format!("={id} ")), "{out}");
    }
    assert!(out.contains("?6 unknown command") && out.contains("?7 cannot score"), "{out}");
    assert!(status.success() && err.is_empty(), "{status} {err}");
}

#[test]
fn the_end_of_input_is_the_end_within_a_second() {
    for args in [&["gtp"][..], &["nboard"], &["console"], &["json"], &["standalone"], &[]] {
        let mut child = start(args);
        drop(child.stdin.take());
        let began = Instant::now();
        assert!(end(&mut child, SOON).success(), "{args:?}");
        assert!(began.elapsed() < Duration::from_secs(2), "{args:?}");
    }
}

#[test]
fn quit_in_the_middle_of_a_search_is_obeyed_at_once() {
    for (args, script, quit) in [
        (&["gtp", "--level", "60", "--book", "none"][..], "genmove b\n", "# interrupt\nquit\n"),
        (&["console", "--level", "60", "--book", "none"], "go\n", "quit\n"),
        (&["nboard"], "set depth 60\nhint 64\n", "quit\n"),
    ] {
        let mut child = start(args);
        send(&mut child, script);
        std::thread::sleep(Duration::from_millis(300));
        send(&mut child, quit);
        let began = Instant::now();
        assert!(end(&mut child, SOON).success(), "{args:?}");
        // Freeing what the search held takes its time on a busy machine; the search itself would take years.
        assert!(began.elapsed() < Duration::from_secs(3), "{args:?} took {:?}", began.elapsed());
    }
}

#[test]
fn nobody_listening_is_no_reason_to_complain() {
    let mut child = start(&["gtp"]);
    drop(child.stdout.take());
    // The first reply may still fit into the pipe's grave; go on until the write fails.
    let input = child.stdin.as_mut().expect("piped");
    for _ in 0..100 {
        if input.write_all(b"name\n").is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(end(&mut child, SOON).success());
    let mut err = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut err).expect("text");
    assert_eq!(err, "");
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_the_search_and_a_second_one_leaves() {
    let mut child = start(&["gtp", "--level", "60", "--book", "none"]);
    let interrupt = |child: &Child| {
        let done = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
        assert!(done.is_ok_and(|status| status.success()));
    };
    send(&mut child, "genmove b\n");
    std::thread::sleep(Duration::from_millis(500));
    interrupt(&child);
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    output.read_line(&mut line).expect("the search answers");
    assert!(line.starts_with("= "), "{line}");
    send(&mut child, "name\n");
    let mut lines = output.lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "= Shirokuro"));
    interrupt(&child);
    assert_eq!(end(&mut child, SOON).code(), Some(130));
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let done = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(done.is_ok_and(|status| status.success()));
}

/// The values of a book file as a new process sees them.
fn values(book: &std::path::Path) -> String {
    let script = "book show\nf5\nbook show\n";
    pipe(&["console", "--book", &book.to_string_lossy()], script.as_bytes()).0
}

/// A process with a book that has one unsaved value.
#[cfg(unix)]
fn with_unsaved_value(folder: &std::path::Path, args: &[&str]) -> (Child, std::path::PathBuf) {
    let path = folder.join("own.skbook");
    let (out, ..) =
        pipe(&["console", "--book", "none"], format!("book new\nbook save {}\n", path.display()).as_bytes());
    assert!(!out.contains("error"), "{out}");
    let mut child = start(&[&["console", "--level", "60", "--book", &path.to_string_lossy()], args].concat());
    send(&mut child, "book set f5 +9\necho heard\n");
    until_heard(&mut child);
    (child, path)
}

/// Waits for the answer to `echo heard`.
fn until_heard(child: &mut Child) {
    let mut seen = [0; 4096];
    let mut text = String::new();
    while !text.contains("heard") {
        let n = child.stdout.as_mut().expect("piped").read(&mut seen).expect("text");
        assert!(n > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&seen[..n]));
    }
}

#[cfg(unix)]
#[test]
fn every_ending_saves_the_book() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("EOF", 0), ("GONE", 0)] {
        for busy in [false, true] {
            let folder = tempfile::tempdir().expect("a folder");
            let (mut child, path) = with_unsaved_value(folder.path(), &[]);
            if busy {
                send(&mut child, "setboard f5f6e6f4g7\nwatch\n");
                std::thread::sleep(Duration::from_millis(200));
            }
            match name {
                "EOF" => drop(child.stdin.take()),
                "GONE" => {
                    drop(child.stdout.take());
                    send(&mut child, "stop\necho anybody\n");
                }
                _ => signal(&child, name),
            }
            if busy && name == "INT" {
                // The first one stops the search, the second comes while that ends. Two at once may count as one.
                std::thread::sleep(Duration::from_millis(20));
                signal(&child, name);
            }
            assert_eq!(end(&mut child, SOON).code(), Some(code), "{name} {busy}");
            assert!(values(&path).contains("+9"), "{name} {busy}: {}", values(&path));
        }
    }
}

#[cfg(unix)]
#[test]
fn a_signal_answers_with_what_was_found() {
    let mut child = start(&["gtp", "--level", "60", "--book", "none"]);
    send(&mut child, "genmove b\n");
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "TERM");
    assert_eq!(end(&mut child, SOON).code(), Some(143));
    let mut out = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
    assert!(out.starts_with("= ") && out.len() > 3, "{out:?}");
}

/// The folder of the book vanishes, as a disk does that was pulled out: nothing is lost, and it is said.
#[cfg(unix)]
#[test]
fn a_last_save_that_fails_is_reported_and_rescued() {
    for quit in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let (inside, home) = (folder.path().join("inside"), folder.path().join("home"));
        std::fs::create_dir_all(&inside).expect("a folder");
        let path = inside.join("own.skbook");
        let script = format!("book new\nbook save {}\n", path.display());
        assert!(!pipe(&["console", "--book", "none"], script.as_bytes()).0.contains("error"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_shirokuro"))
            .args(["console", "--book", &path.to_string_lossy()])
            .env("XDG_DATA_HOME", &home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the built program starts");
        send(&mut child, "book set f5 +9\necho heard\n");
        until_heard(&mut child);
        std::fs::remove_dir_all(&inside).expect("removed");
        if quit {
            send(&mut child, "quit\n");
        }
        let output = child.wait_with_output().expect("it ends");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{out}{err}");
        assert!(out.contains("error: ") && out.contains("is kept in"), "{out}");
        assert!(err.starts_with("shirokuro: ") && err.contains("is kept in"), "{err}");
        let rescued = std::fs::read_dir(home.join("shirokuro/rescue")).expect("a rescue folder");
        let kept: Vec<_> = rescued.flatten().map(|file| file.path()).filter(|p| p.extension().is_some()).collect();
        assert!(kept.iter().any(|path| values(path).contains("+9")), "{kept:?}");
    }
}

/// Longer than anybody needs, in each language: answered or ignored, and the next line is heard.
#[test]
fn a_line_of_ten_megabytes_hurts_nobody() {
    let long = "x".repeat(10 << 20);
    for (args, next, reply) in [
        (&["gtp"][..], "name", "= Shirokuro"),
        (&["nboard"], "ping 7", "pong 7"),
        (&["console"], "echo heard", "heard"),
        (&["json"], r#"{"id":7,"command":"version"}"#, r#"{"id":7"#),
    ] {
        let (out, err, status) = pipe(args, format!("{long}\n{next}\n").as_bytes());
        assert!(out.contains(reply), "{args:?}: {}", &out[..out.len().min(400)]);
        assert!(status.success() && err.is_empty(), "{args:?} {status} {err}");
    }
}

#[test]
fn a_wrong_option_is_named_with_its_range() {
    let (_, err, status) = pipe(&["gtp", "--level", "61"], b"");
    assert_eq!(status.code(), Some(2));
    assert_eq!(err, "shirokuro: `61` is not a value of level: it takes 1 to 60\n");
}

/// An option where it has no use is an error that says where it belongs, never ignored.
#[test]
fn a_misplaced_option_is_told_where_it_belongs() {
    for (args, message) in [
        (&["perft", "3", "--level", "5"][..], "`perft` has no option --level: it belongs to a player"),
        (&["perft", "3", "--protocol", "nboard"], "`perft` has no option --protocol"),
        (&["--language", "ja", "perft", "3"], "`perft` has no option --language"),
        (&["solve", "none.obf", "--level", "1"], "`solve` has no option --level"),
        (&["gtp", "--game", "go", "--level", "9"], "--level is an option of Othello"),
        (&["gtp", "--playouts", "9"], "--playouts is an option of Go: add --game go"),
        (&["match", "--level", "9"], "-e self:level="),
        (&["gtp", "--set", "playouts=many"], "`many` is not a value of playouts"),
        (&["gtp", "--set", "nonsense=1"], "no game has an option `nonsense`"),
    ] {
        let (out, err, status) = pipe(args, b"");
        assert_eq!((status.code(), out.as_str()), (Some(2), ""), "{args:?}");
        assert!(err.contains(message) && err.lines().count() == 1, "{args:?}: {err}");
    }
    // Weights of the playouts are set by name; their old options still work.
    let (out, ..) = pipe(&["console", "--game", "go", "--set", "w-near=2", "--w-capture", "3"], b"w-near\nw-capture\n");
    assert_eq!(out, "w-near 2\nw-capture 3\n");
}

#[test]
fn help_fits_on_a_screen_and_ends_with_an_example() {
    for tool in ["perft", "solve", "scale", "bench", "suite", "match", "gtp", "nboard", "console", "json", "standalone"]
    {
        let (out, _, status) = pipe(&[tool, "--help"], b"");
        assert!(status.success() && out.lines().count() < 75, "{tool}: {} lines", out.lines().count());
        assert!(out.trim_end().lines().last().is_some_and(|line| line.contains("shirokuro")), "{tool}: {out}");
    }
    let (go, ..) = pipe(&["gtp", "--game", "go", "--help"], b"");
    assert!(go.contains("--playouts") && !go.contains("--level") && !go.contains("--w-capture"), "{go}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let program = env!("CARGO_BIN_EXE_shirokuro");
    let script = format!("set -o pipefail; {program} perft 9 | head -1");
    let done = Command::new("bash").args(["-c", &script]).output().expect("bash runs");
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
}

/// What authors of front ends ask for first: every line in and out, which request it belongs to, what it cost.
#[test]
fn the_log_tells_the_whole_dialogue() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dialogue.log");
    let args = ["gtp", "--level", "3", "--threads", "1", "--log", &path.to_string_lossy()];
    pipe(&args, b"7 shirokuro-set level 2\n8 genmove b\n9 nonsense\n");
    let log = std::fs::read_to_string(&path).expect("a log");
    let at = |text: &str| log.find(text).unwrap_or_else(|| panic!("no {text:?} in\n{log}"));
    let order =
        ["in  #1 7 shirokuro-set level 2", "set level to 2", "out #1 =7", "begin #2 Move", "end #2 after", "out #2 =8"];
    assert!(order.map(at).is_sorted(), "{log}");
    at("in  #3 9 nonsense");
    at("out #3 ?9 unknown command");
}
