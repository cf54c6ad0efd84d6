//! Scenes about files: kills in the middle of a save, rivals, changes from outside, disks without room.

use super::{
    client::{Client, Launch, set_length},
    files,
    stage::{Failure, Outcome, Played, Stage, finish},
};
use crate::othello::{
    Board,
    book::{
        Book, Table,
        formats::{Format, ReadOptions},
    },
};
use std::{fs, io, path::Path, process::Command, time::Duration};

const BOOK: &str = "own.skbook";
/// Values by hand go from 1 to this, again and again.
const HIGHEST: i32 = 60;

fn start(stage: &Stage<'_>, file: &str, shell: Option<&str>) -> io::Result<Client> {
    let args = ["console", "--threads", "1", "--hash", "10", "--level", "1", "--book", file];
    let mut launch = Launch::new(stage.folder, &args);
    launch.shell = shell.map(str::to_owned);
    launch.start()
}

/// What is said to a line, up to the echo after it; `None` when it has left.
fn ask(client: &mut Client, line: &str) -> Option<Vec<String>> {
    client.send(line);
    client.send("echo all-of-it");
    let mut said = Vec::new();
    loop {
        let (_, line) = client.line_within(super::client::PATIENCE)?;
        if line == "all-of-it" {
            return Some(said);
        }
        said.push(line);
    }
}

fn is_refused(said: &[String]) -> bool {
    said.iter().any(|line| line.starts_with("error: "))
}

/// The book can be read, and is sound from end to end.
fn sound(path: &Path, client: &str) -> Result<Book, Failure> {
    let fail = |what: String| Failure::new(format!("{}: {what}", path.display()), client);
    let table = Table::open(path).map_err(|error| fail(error.to_string()))?;
    if !table.verify().is_empty() {
        return Err(fail("damaged blocks".into()));
    }
    Ok(Book::open(path, ReadOptions::default()).map_err(|error| fail(error.to_string()))?.0)
}

/// The value that was given to a line of moves, for who makes its last one.
fn value_of(book: &Book, moves: &[&str]) -> Option<i32> {
    let square = |name: &&str| name.parse().ok();
    let board = moves.iter().filter_map(square).try_fold(Board::START, |board, square| board.play(square))?;
    book.get(board).map(|entry| -i32::from(entry.value))
}

/// Steps from `confirmed` to `found`, where values go round.
fn is_at_least(found: i32, confirmed: u32, tried: u32) -> bool {
    (confirmed..=tried).any(|step| nth_value(step) == found)
}

fn nth_value(step: u32) -> i32 {
    step as i32 % HIGHEST + 1
}

/// A book is changed and saved over and over, and the process killed at any moment: what was said to be saved is there.
pub fn killed_while_saving(stage: &mut Stage<'_>) -> Outcome {
    let path = stage.folder.join(BOOK);
    files::book(&path, Format::Own, 300 + stage.rng.below(4000), 1)?;
    let (mut tried, mut confirmed) = (0, None);
    for _ in 0..3 {
        let mut client = start(stage, BOOK, None)?;
        let last_moment = stage.rng.below(12);
        for round in 0.. {
            tried += 1;
            client.send(&format!("book set f5 {}", nth_value(tried)));
            if round == last_moment {
                client.send("book save");
                std::thread::sleep(Duration::from_micros(stage.rng.below(20_000) as u64));
                client.kill();
                break;
            }
            match ask(&mut client, "book save") {
                Some(said) if !is_refused(&said) => confirmed = Some(tried),
                _ => return Err(Failure::new("a save was refused", client.dialogue())),
            }
        }
        let dialogue = client.dialogue();
        finish(client, &[-9])?;
        let book = sound(&path, &dialogue)?;
        let found = value_of(&book, &["f5"]);
        if let (Some(confirmed), Some(found)) = (confirmed, found)
            && !is_at_least(found, confirmed, tried)
        {
            return Err(Failure::new(format!("save {confirmed} was confirmed, {found} is there"), dialogue));
        }
    }
    Ok(Played::Survived)
}

/// Two processes change one book, each a move of its own. What one of them was told to be saved is there at the end.
pub fn two_on_one_book(stage: &mut Stage<'_>) -> Outcome {
    let path = stage.folder.join(BOOK);
    files::book(&path, Format::Own, 300, 1)?;
    let moves = ["d6", "f4"];
    let mut clients = vec![start(stage, BOOK, None)?, start(stage, BOOK, None)?];
    let (mut tried, mut confirmed) = ([0; 2], [None; 2]);
    for client in &mut clients {
        client.send("f5");
    }
    for _ in 0..4 + stage.rng.below(20) {
        let who = stage.rng.below(2);
        tried[who] += 1;
        let line = format!("book set {} {}", moves[who], nth_value(tried[who]));
        let heard = |said: Option<Vec<String>>, client: &Client| {
            said.ok_or_else(|| Failure::new("no answer", client.dialogue())).map(|said| !is_refused(&said))
        };
        let set = ask(&mut clients[who], &line);
        let set = heard(set, &clients[who])?;
        if stage.rng.below(2) == 0 {
            let saved = ask(&mut clients[who], "book save");
            if heard(saved, &clients[who])? && set {
                confirmed[who] = Some(tried[who]);
            }
        }
        if stage.rng.below(10) == 0 {
            // One of them goes, and another comes.
            let client = std::mem::replace(&mut clients[who], start(stage, BOOK, None)?);
            leave(client, stage.rng.below(3) == 0)?;
            clients[who].send("f5");
        }
    }
    let dialogue = clients.iter().map(Client::dialogue).collect::<Vec<_>>().join("\n--\n");
    for client in clients {
        leave(client, false)?;
    }
    let book = sound(&path, &dialogue)?;
    for who in 0..2 {
        if let (Some(confirmed), Some(found)) = (confirmed[who], value_of(&book, &["f5", moves[who]]))
            && !is_at_least(found, confirmed, tried[who])
        {
            let what = format!("{}: save {confirmed} was confirmed, {found} is there", moves[who]);
            return Err(Failure::new(what, dialogue));
        }
    }
    rescued_are_sound(stage.folder, &dialogue)
}

/// Ends a process at the end of its input, or kills it. A save at the end may be refused, and is then reported.
fn leave(mut client: Client, kill: bool) -> Result<(), Failure> {
    if kill {
        client.kill();
    } else {
        client.close();
    }
    finish(client, if kill { &[-9] } else { &[0, 1] }).map(drop)
}

/// What was kept in other places can be read.
fn rescued_are_sound(folder: &Path, dialogue: &str) -> Outcome {
    for name in fs::read_dir(folder)?.flatten().map(|file| file.path()) {
        if name.extension().is_some_and(|e| e == "skbook") && name.to_string_lossy().contains("-rescued-") {
            sound(&name, dialogue)?;
        }
    }
    Ok(Played::Survived)
}

/// What others do to a file while it is in use.
fn spoil(stage: &mut Stage<'_>, name: &str) -> io::Result<()> {
    let path = stage.folder.join(name);
    match stage.rng.below(6) {
        0 => set_length(&path, stage.rng.below(5000) as u64),
        1 => fs::write(&path, (0..stage.rng.below(9000)).map(|_| stage.rng.below(256) as u8).collect::<Vec<u8>>()),
        2 => fs::remove_file(&path),
        3 => fs::rename(&path, stage.folder.join("elsewhere")),
        4 => fs::copy(stage.folder.join("spare.skbook"), &path).map(drop),
        _ => fs::write(&path, ""),
    }
}

/// Books and games are cut, overwritten, moved and deleted by others: refused perhaps, but nothing dies.
pub fn changing_files(stage: &mut Stage<'_>) -> Outcome {
    files::for_scenes(stage.folder, 30, &mut stage.rng)?;
    for name in [BOOK, "spare.skbook", "third.skbook"] {
        files::book(&stage.folder.join(name), Format::Own, 600, 3)?;
    }
    let mut client = start(stage, BOOK, None)?;
    // A book that is gone before it was opened ends the process, and should.
    ask(&mut client, "book show");
    let lines = [
        "book show",
        "book verify",
        "book save",
        "book set f5 7",
        "book learn depth 3 rounds 1",
        "book merge third.skbook",
        "book import third.skbook lenient",
        "book load own.skbook discard",
        "book load third.skbook lenient discard",
        "book revert",
        "book check games.txt",
        "load games.txt",
        "games open games.txt",
        "games load 3",
        "save games.txt",
        "book info",
        "book fix",
        "go",
    ];
    for _ in 0..10 + stage.rng.below(25) {
        let line = lines[stage.rng.below(lines.len())];
        client.send(line);
        if stage.rng.below(2) == 0 {
            let name = [BOOK, "third.skbook", "games.txt"][stage.rng.below(3)];
            // A file that is gone already cannot be spoiled.
            let _ = spoil(stage, name);
        }
        if stage.rng.below(3) == 0 && ask(&mut client, "show").is_none() {
            return Err(Failure::new("no answer", client.silent()));
        }
    }
    leave(client, false)?;
    Ok(Played::Survived)
}

/// Writes beyond a limit fail: that is said, the old book stays, and the process goes on.
pub fn file_limit(stage: &mut Stage<'_>) -> Outcome {
    if !cfg!(unix) {
        return Ok(Played::NotHere);
    }
    let path = stage.folder.join(BOOK);
    files::book(&path, Format::Own, 2000, 1)?;
    let before = fs::read(&path)?;
    // In blocks of 512 or 1024 bytes: less than the book has in any case.
    let blocks = 1 + stage.rng.below(40);
    let mut client = start(stage, BOOK, Some(&format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")))?;
    for line in ["book set f5 9", "book save", "book export out.egbk3", "save game.sgf", "book save"] {
        let Some(said) = ask(&mut client, line) else { return Err(Failure::new("no answer", client.silent())) };
        if line == "book save" && !is_refused(&said) {
            return Err(Failure::new("a save without room was not refused", client.dialogue()));
        }
    }
    client.send("quit");
    let dialogue = client.dialogue();
    let ending = finish(client, &[1])?;
    if !ending.errors.contains("shirokuro: ") {
        return Err(Failure::new("the lost save was not reported on standard error", dialogue));
    }
    sound(&path, &dialogue)?;
    if fs::read(&path)? != before {
        return Err(Failure::new("the book that could not be saved has changed", dialogue));
    }
    Ok(Played::Survived)
}

/// A file system of 256 kB, in a space of its own.
fn small_disk() -> bool {
    let script = ["--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs -o size=256k tmpfs /mnt"];
    let tried = Command::new("unshare").args(script).output();
    tried.is_ok_and(|done| done.status.success())
}

/// A book on a disk that is nearly full: saved as a whole, or refused and kept elsewhere.
pub fn full_file_system(stage: &mut Stage<'_>) -> Outcome {
    if !small_disk() {
        return Ok(Played::NotHere);
    }
    files::book(&stage.folder.join(BOOK), Format::Own, 500 + stage.rng.below(3000), 1)?;
    fs::create_dir(stage.folder.join("small"))?;
    let filler = stage.rng.below(200);
    let script = format!(
        "exec unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o size=256k tmpfs small \
         && cp {BOOK} small/ && head -c {filler}k /dev/zero > small/filler; \
         \"$0\" \"$@\"; code=$?; cp small/{BOOK} after.skbook; exit $code' \"$0\" \"$@\""
    );
    let mut client = start(stage, &format!("small/{BOOK}"), Some(&script))?;
    let mut refused = false;
    for line in
        ["book set f5 9", "book save", "book learn depth 4 rounds 1", "book save", "book export small/out.egbk3"]
    {
        let Some(said) = ask(&mut client, line) else { return Err(Failure::new("no answer", client.silent())) };
        refused |= line == "book save" && is_refused(&said);
    }
    client.close();
    let dialogue = client.dialogue();
    finish(client, &[0, 1])?;
    let book = sound(&stage.folder.join("after.skbook"), &dialogue)?;
    if !refused && value_of(&book, &["f5"]) != Some(9) {
        return Err(Failure::new("a value that was saved is not there", dialogue));
    }
    rescued_are_sound(stage.folder, &dialogue)
}

/// Nobody hears the answers, and devices are no files: the book is saved all the same.
pub fn full_output(stage: &mut Stage<'_>) -> Outcome {
    if !Path::new("/dev/full").exists() {
        return Ok(Played::NotHere);
    }
    let path = stage.folder.join(BOOK);
    files::book(&path, Format::Own, 300, 1)?;
    let mut client = start(stage, BOOK, Some("exec \"$0\" \"$@\" > /dev/full"))?;
    for line in ["book set f5 9", "save /dev/full", "book export /dev/full egbk3", "show", "quit"] {
        client.send(line);
    }
    client.close();
    let dialogue = client.dialogue();
    finish(client, &[0, 1])?;
    let book = sound(&path, &dialogue)?;
    match value_of(&book, &["f5"]) {
        Some(9) => Ok(Played::Survived),
        other => Err(Failure::new(format!("the value is {other:?}"), dialogue)),
    }
}
