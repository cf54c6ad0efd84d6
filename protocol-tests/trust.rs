//! Files that are not what they seem, and several processes at one file: nothing hangs, dies or is lost.

use super::process::Process;
use std::{fs, path::Path};

fn new_protocol(folder: &Path) -> Process {
    Process::start_in(&["console", "--threads", "1", "--hash", "10", "--level", "1", "--book", "none"], folder)
}

/// The first line of what is said to a line of the console.
fn answer(process: &mut Process, line: &str) -> String {
    process.send(line);
    process.line().expect("an answer")
}

#[test]
fn a_file_without_a_game_costs_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("empty"), "").expect("a file");
    fs::write(folder.path().join("blank"), " \r\n\t\n").expect("a file");
    for game in ["othello", "go"] {
        let mut process = Process::start_in(&["gtp", "--game", game], folder.path());
        process.gtp("play black f5");
        let before = process.gtp("showboard");
        for name in ["empty", "blank"] {
            let said = process.gtp(&format!("loadsgf {name}"));
            assert_eq!(said, format!("? cannot load file: {name}: no game or position in the file"));
        }
        assert_eq!(process.gtp("showboard"), before);
    }
}

#[test]
fn what_is_no_file_is_named_and_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("directory")).expect("a folder");
    let mut process = new_protocol(folder.path());
    for line in ["save directory", "book save directory", "load directory", "book load directory"] {
        assert_eq!(answer(&mut process, line), "error: directory: a directory, not a file", "{line}");
    }
    if cfg!(unix) {
        let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
        assert!(made.expect("mkfifo runs").success());
        for line in ["save pipe", "book save pipe", "load pipe", "book load pipe", "book merge pipe"] {
            assert_eq!(answer(&mut process, line), "error: pipe: not a regular file", "{line}");
        }
        every_file_command_refuses_a_pipe(folder.path());
        assert_eq!(answer(&mut process, "book load /dev/zero"), "error: /dev/zero: not a regular file");
    }
}

/// A pipe that nobody writes to is never waited for, whatever command names it.
fn every_file_command_refuses_a_pipe(folder: &Path) {
    for name in ["pipe.svg", "pipe.png", "pipe.html"] {
        let made = std::process::Command::new("mkfifo").arg(folder.join(name)).status();
        assert!(made.expect("mkfifo runs").success());
    }
    let mut console = new_protocol(folder);
    let lines = [
        "f5",
        "book import pipe",
        "book export pipe egbk3",
        "book learn-games pipe",
        "book check pipe",
        "book extract 5 pipe",
        "book info pipe.svg",
        "games open pipe",
        "draw pipe.svg",
        "draw pipe.png",
        "analyze pipe.html",
        "set book pipe",
        "book pipe",
        "eval pipe",
        "language ./pipe",
    ];
    for line in &lines[1..] {
        console.send(lines[0]);
        console.send(line);
        console.send("echo heard");
        let said = console.lines_until(|line| line == "heard").join("\n");
        let refused = said.contains("not a regular file") || ["book pipe", "language ./pipe"].contains(line);
        assert!(refused && said.contains("error: "), "{line}: {said}");
    }
    let mut go = Process::start_in(&["gtp", "--game", "go"], folder);
    for line in ["loadsgf pipe", "printsgf pipe", "gopal_load pipe", "gopal_check pipe", "shirokuro-draw pipe.svg"] {
        let said = go.gtp(line);
        assert!(said.starts_with('?') && said.contains("not a regular file"), "{line}: {said}");
    }
    for args in [&["gtp", "--book", "pipe"][..], &["gtp", "--eval", "pipe"], &["solve", "pipe"], &["suite", "pipe"]] {
        let ending = Process::start_in(args, folder).end();
        assert!(!ending.status.success() && ending.errors.contains("not a regular file"), "{args:?} {}", ending.errors);
    }
}

/// Names and remarks of a file may hold what steers a terminal; nothing of it gets there.
#[test]
fn escape_characters_stay_where_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = "(;GM[2]PB[\x1b[31mred]PW[b\x07]C[\x1b\\]0;title\x07]EV[\x1b[2J];B[f5])";
    fs::write(folder.path().join("game.sgf"), game).expect("a file");
    fs::write(folder.path().join("bad.txt"), "f5\x1b[31mzz\n").expect("a file");
    fs::write(folder.path().join("go.sgf"), game.replace("GM[2]", "GM[1]").replace("f5", "dd")).expect("a file");
    let mut console = Process::start_in(&["console", "--book", "none", "--level", "1"], folder.path());
    let lines = [
        "load game.sgf",
        "show",
        "export sgf",
        "export ggf",
        "export json",
        "export pgn",
        "memo \x1b[31mred",
        "export sgf",
        "name black \x1b]0;x\x07",
        "export ggf",
        "games open game.sgf",
        "games list",
        "load bad.txt",
        "load \x1b[31m",
        "book check bad.txt",
        "games open bad.txt",
        "\x1b[31mword",
        "level \x1b[31m",
        "set \x1b[1m \x1b[2m",
        "f5\x1b[1m",
    ];
    lines.iter().for_each(|line| console.send(line));
    // Into a pipe data go as they are; what the program says itself never has any.
    let ending = console.end();
    let own = ending.rest.iter().filter(|line| ["error:", "note:"].iter().any(|word| line.starts_with(word)));
    let said = own.cloned().collect::<Vec<_>>().join("\n") + &ending.errors;
    assert!(said.lines().count() > 5 && !said.contains(['\x1b', '\x07']), "{said:?}");
    assert!(ending.rest.iter().any(|line| line.contains("GC[ [31mred]")), "a memo of the client: {:?}", ending.rest);
    let mut go = Process::start_in(&["gtp", "--game", "go"], folder.path());
    ["loadsgf go.sgf", "printsgf", "gogui-title", "\x1b[1mname", "play b \x1b[1m"]
        .iter()
        .for_each(|line| go.send(line));
    let ending = go.end();
    let said = ending.rest.join("\n") + &ending.errors;
    assert!(said.contains("red") && !said.contains(['\x1b', '\x07']), "{said:?}");
    for args in
        [&["solve", "bad.txt"][..], &["report", "bad.txt", "-o", "a.html"], &["book", "convert", "bad.txt", "b.skbook"]]
    {
        let ending = Process::start_in(args, folder.path()).end();
        let said = ending.rest.join("\n") + &ending.errors;
        assert!(!ending.status.success() && !said.contains('\x1b'), "{args:?}: {said:?}");
    }
}

/// What an engine says of its search over NBoard is in the record of the match, and what steers a terminal is not shown.
#[test]
fn a_match_over_nboard_knows_depths_and_shows_no_escapes() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = env!("CARGO_BIN_EXE_shirokuro");
    let rude = "while read -r c; do printf '? \\033[31mno\\007\\n\\n'; done";
    fs::write(folder.path().join("rude.sh"), rude).expect("a file");
    let ours = format!("name=ours,proto=nboard,cmd='{program}' nboard --threads 1 --hash 12 --book none,depth=3");
    let args = ["match", "-e", &ours, "-e", "self:depth=1,name=one", "-n", "2", "--random-plies", "4", "--out", "m"];
    let ending = Process::start_in(&args, folder.path()).end();
    assert!(ending.status.success(), "{}", ending.errors);
    let results = fs::read_to_string(folder.path().join("m/results.jsonl")).expect("results");
    let game = results.lines().nth(1).expect("a game");
    assert!(game.matches("\"d\":").count() > 40, "both sides' depths: {game}");
    let row = ending
        .rest
        .iter()
        .find(|line| line.starts_with("ours ") && !line.contains(" - one"))
        .expect("a row of the table");
    assert!(!row.contains(" - "), "a depth: {row}");
    let args = ["match", "-e", "name=rude,cmd=sh rude.sh", "-e", "self:depth=1,name=one", "-n", "2"];
    let ending = Process::start_in(&args, folder.path()).end();
    let said = ending.rest.join("\n") + &ending.errors;
    assert!(!ending.status.success() && said.contains("no") && !said.contains(['\x1b', '\x07']), "{said:?}");
}

/// A script that takes in a book, saves it and leaves has it saved; and whoever wants it stopped can stop it.
#[test]
fn work_on_files_is_finished_before_quit_but_heeds_a_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let synth = Process::start_in(&["book", "synth", "60000", "other.egbk3"], folder.path()).end();
    assert!(synth.status.success(), "{}", synth.errors);
    let mut script = new_protocol(folder.path());
    script.send_bytes(b"book import other.egbk3\nbook save own.skbook\nquit\n");
    let ending = script.end();
    let said = ending.rest.join("\n");
    assert!(ending.status.success() && said.contains("saved") && said.contains("60000"), "{said}");
    let mut other = new_protocol(folder.path());
    other.send_bytes(b"book import other.egbk3\nstop\necho heard\n");
    let said = other.lines_until(|line| line == "heard").join("\n");
    assert!(said.contains("error: stopped before the end; the book is as it was"), "{said}");
    other.send("book info");
    other.send("echo heard");
    let said = other.lines_until(|line| line == "heard").join("\n");
    let positions = said.lines().find_map(|line| line.strip_prefix("positions"));
    assert_eq!(positions.map(str::trim), Some("0"), "{said}");
}

/// A signal in the middle of a save that was asked for: the process leaves when the book is saved.
#[cfg(unix)]
#[test]
fn a_signal_waits_for_a_save() {
    let folder = tempfile::tempdir().expect("a folder");
    let synth = Process::start_in(&["book", "synth", "200000", "other.skbook"], folder.path()).end();
    assert!(synth.status.success(), "{}", synth.errors);
    let mut process = new_protocol(folder.path());
    say(&mut process, "book autosave off");
    say(&mut process, "book import other.skbook");
    process.send("book save own.skbook");
    let begun = || {
        let names = fs::read_dir(folder.path()).expect("it is there").flatten().map(|file| file.file_name());
        names.map(|name| name.to_string_lossy().into_owned()).any(|name| name.starts_with("own.skbook"))
    };
    while !begun() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let kill = std::process::Command::new("kill").args(["-TERM", &process.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    let ending = process.end();
    assert_eq!(ending.status.code(), Some(143), "{}", ending.errors);
    assert!(ending.rest.iter().any(|line| line == "saved"), "{:?}", ending.rest);
    let mut next = new_protocol(folder.path());
    say(&mut next, "book load own.skbook");
    let info = say(&mut next, "book info");
    assert!(info.lines().any(|line| line.starts_with("positions") && line.ends_with("200000")), "{info}");
}

const BOOK: &str = "book show";

/// All lines of an answer that ends with this one.
fn say(process: &mut Process, line: &str) -> String {
    process.send(line);
    process.send("play a1");
    let mut lines = process.lines_until(|line| line.starts_with("error: ") && line.contains("a1"));
    lines.pop();
    lines.join("\n")
}

#[test]
fn two_processes_at_one_book_do_not_overwrite_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut first = new_protocol(folder.path());
    say(&mut first, "book learn depth 3");
    assert!(say(&mut first, "book save a.skbook").contains("saved"));
    let mut second = new_protocol(folder.path());
    say(&mut second, "book load a.skbook");
    say(&mut first, "book set 7");
    let refused = say(&mut second, "book set -7");
    let expected = format!("a.skbook: open in process {} on ", first.id());
    assert!(refused.contains(&expected) && refused.contains("; opened read-only"), "{refused}");
    assert!(say(&mut second, BOOK).contains("moves"), "it can still be read");
    let mut third = new_protocol(folder.path());
    let loaded = say(&mut third, "book load a.skbook");
    assert!(loaded.contains("opened read-only"), "{loaded}");
    assert!(first.end().status.success());
    // The first has saved and gone: the second goes on from what it left.
    assert!(!say(&mut second, "book set d3 9").contains("error"), "the lock is free");
    assert!(second.end().status.success());
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).expect("it is there").map(|f| f.expect("a file").file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.skbook", "a.skbook~"]);
    drop(third);
    let mut last = new_protocol(folder.path());
    let position = say(&mut last, "book load a.skbook") + &say(&mut last, BOOK);
    assert!(position.contains("9"), "{position}");
}

#[test]
fn a_book_overwritten_in_use_costs_neither_the_process_nor_its_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let mut first = new_protocol(folder.path());
    say(&mut first, "book learn depth 3");
    say(&mut first, "book save other.skbook");
    say(&mut first, "book learn depth 4");
    say(&mut first, "book save a.skbook");
    say(&mut first, "book set 9");
    fs::copy(at("other.skbook"), at("a.skbook")).expect("copied over");
    fs::File::options().write(true).open(at("a.skbook")).and_then(|f| f.set_len(100)).expect("cut");
    assert!(say(&mut first, BOOK).contains("moves"));
    let refused = say(&mut first, "book save");
    assert!(refused.contains("has changed since it was read") && refused.contains("book merge"), "{refused}");
    let ending = first.end();
    let said = ending.rest.join("\n") + &ending.errors;
    let kept = said.split_whitespace().find(|word| word.starts_with("a-rescued-") && word.contains(".skbook"));
    let kept = kept.and_then(|word| word.split_once(".skbook")).unwrap_or_else(|| panic!("{said}")).0.to_owned();
    let mut second = new_protocol(folder.path());
    say(&mut second, &format!("book load {kept}.skbook"));
    assert!(say(&mut second, BOOK).contains('9'));
}

#[test]
fn a_fence_keeps_every_protocol_to_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("in")).expect("a folder");
    fs::write(at("out.sgf"), "(;GM[2];B[f5])").expect("a file");
    fs::write(at("in/game.sgf"), "(;GM[2];B[f5])").expect("a file");
    let outside = "outside of the folder that files are kept to (--files)";
    for (fence, load_in, load_out) in [
        ("in", None, Some(outside)),
        ("none", Some("no files are read"), Some("no files are read")),
        ("any", None, None),
    ] {
        let mut process = Process::start_in(&["console", "--book", "none", "--files", fence], folder.path());
        for (file, expected) in [("in/game.sgf", load_in), ("out.sgf", load_out)] {
            process.send(&format!("load {file}"));
            process.send("echo done");
            let said = process.lines_until(|line| line == "done").join("\n");
            match expected {
                Some(text) => assert!(said.contains(text), "{fence}: {said}"),
                None => assert!(!said.contains("error"), "{fence}: {said}"),
            }
        }
        process.send("save out.txt");
        process.send("book new discard");
        process.send("book save out.skbook");
        process.send("eval out.sgf");
        process.send("echo done");
        let said = process.lines_until(|line| line == "done").join("\n");
        assert_eq!(said.matches("error").count(), if fence == "any" { 1 } else { 3 }, "{fence}: {said}");
        assert_eq!(at("out.txt").exists(), fence == "any");
        assert!(process.end().status.success());
    }
    let nonsense = Process::start_in(&["console", "--files", "no/such/folder"], folder.path()).end();
    assert_eq!(nonsense.status.code(), Some(2));
    assert!(nonsense.errors.contains("no/such/folder is not a folder"), "{}", nonsense.errors);
}

#[test]
fn a_script_that_was_refused_something_can_end_with_an_error() {
    for (lines, strict, code) in
        [("f5\nd6\n", true, 0), ("f5\na1\nd6\n", true, 1), ("f5\na1\n", false, 0), ("quit\na1\n", true, 0)]
    {
        let mut args = vec!["console", "--book", "none"];
        args.extend(strict.then_some("--strict"));
        let mut process = Process::start(&args);
        process.send_bytes(lines.as_bytes());
        assert_eq!(process.end().status.code(), Some(code), "{lines:?} {strict}");
    }
}

#[test]
fn a_batch_of_boards_reports_how_far_it_is() {
    let board = "0\n........\n........\n........\n...10...\n...01...\n........\n........\n........\n";
    let mut process = Process::start(&["standalone", "--level", "1", "--book", "none", "--status"]);
    process.send_bytes(board.repeat(3).as_bytes());
    let ending = process.end();
    assert_eq!(ending.rest.len(), 3);
    assert!(ending.errors.starts_with("status 3 answered in "), "{}", ending.errors);
}

#[test]
fn a_stop_behind_very_many_lines_is_heard() {
    let mut process = Process::start(&["gtp", "--game", "go", "--move-time", "600", "--threads", "1"]);
    process.send("reg_genmove b");
    let many = "name\n".repeat(150_000);
    process.send_bytes(many.as_bytes());
    std::thread::sleep(std::time::Duration::from_millis(300));
    let asked = std::time::Instant::now();
    process.send("# interrupt");
    assert!(process.line().is_some_and(|answer| answer.starts_with("= ")));
    assert!(asked.elapsed() < std::time::Duration::from_secs(5), "{:?}", asked.elapsed());
    // Everything that was asked before is answered.
    process.send("quit");
    process.close();
    let answers = process.end().rest.iter().filter(|line| line.starts_with("= ")).count();
    assert_eq!(answers, 150_001, "every name, and the answer to `quit`");
}

#[test]
fn the_engine_moves_before_the_next_line_has_its_turn() {
    let mut process = Process::start(&["console", "--level", "1", "--book", "none", "--threads", "1"]);
    process.send_bytes(b"mode 0\nf5\necho one\nmode 3\nundo 2\nmode 1\necho two\nmode 3\ngoto 0\ntranscript\n");
    let lines = process.end().rest;
    let firsts: Vec<&str> = lines.iter().map(|line| line.split(' ').next().unwrap_or_default()).collect();
    assert_eq!(firsts, ["move", "one", "move", "two", ""], "{lines:#?}");
}

#[test]
fn changes_to_a_book_without_a_file_are_kept_and_there_the_next_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("books").display().to_string();
    let args = ["console", "--level", "1", "--book-home", &home];
    let new_protocol = |lines: &str| {
        let mut process = Process::start(&args);
        process.send_bytes(lines.as_bytes());
        process.end()
    };
    let first = new_protocol("book set f5 +9\n");
    let kept = format!("the book with its changes is kept in {home}");
    assert!(first.status.success() && first.errors.contains(&kept), "{}", first.errors);
    let value = || -> String {
        let shown = new_protocol("book show\n").rest;
        let row = shown.iter().find(|line| line.starts_with("f5")).unwrap_or_else(|| panic!("{shown:#?}"));
        row.split_whitespace().nth(1).unwrap_or_default().into()
    };
    assert_eq!(value(), "+9");
    // Dropped by hand, and by `quit discard`.
    for lines in ["book set f5 -9\nbook revert\n", "book set f5 -9\nquit discard\n"] {
        let ending = new_protocol(lines);
        assert!(ending.status.success() && ending.errors.is_empty(), "{}", ending.errors);
        assert_eq!(value(), "+9", "{lines}");
    }
    assert!(new_protocol("book autosave off\nbook set f5 -9\nquit save\n").status.success());
    assert_eq!(value(), "-9");
}
