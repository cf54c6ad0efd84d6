//! Playing on game servers: servers of our own, on this machine only, hold the dialogues of GGS and CGOS.

use crate::process::{PATIENCE, Process};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    time::Duration,
};

/// The server's end of a connection.
struct Guest {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

impl Guest {
    fn come(listener: &TcpListener) -> Guest {
        let (stream, _) = listener.accept().expect("the program comes");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        Guest { reader: BufReader::new(stream.try_clone().expect("a second handle")), writer: stream }
    }

    fn say(&mut self, text: &str) {
        self.writer.write_all(text.replace('\n', "\r\n").as_bytes()).expect("the program listens");
    }

    /// The next line that is not empty; `None` at the end.
    fn hear(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).expect("an answer in time") == 0 {
                return None;
            }
            if !line.trim().is_empty() {
                return Some(line.trim().to_owned());
            }
        }
    }

    /// The next line that begins so; those before it are passed over.
    fn hear_from(&mut self, beginning: &str) -> String {
        let mut heard = vec![];
        while let Some(line) = self.hear() {
            if line.starts_with(beginning) {
                return line;
            }
            heard.push(line);
        }
        panic!("`{beginning}` did not come; there were {heard:#?}");
    }
}

/// The program on its way to a server here, with a password in a file.
fn start(tool: &str, listener: &TcpListener, options: &[&str]) -> (Process, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let password = folder.path().join("password");
    fs::write(&password, "secret\n").expect("a file");
    let address = listener.local_addr().expect("an address").to_string();
    let password = password.to_str().expect("a plain name");
    let mut args = vec![tool, &address, "--login", "rose", "--password-file", password, "--wait", "1"];
    args.extend(options);
    (Process::start(&args), folder)
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a free port")
}

const QUICK: &[&str] = &["--set", "level=1", "--set", "threads=1", "--set", "hash=12", "--set", "book=none"];

fn ggs_login(guest: &mut Guest) {
    guest.say("\nGeneric Game Server (GGS)\n: Enter login (yours, or one you'd like to use).\n");
    assert_eq!(guest.hear().as_deref(), Some("rose"));
    guest.say(": Enter your password.\n");
    assert_eq!(guest.hear().as_deref(), Some("secret"));
    guest.say("READY\n");
    guest.hear_from("tell /os rated +");
    guest.hear_from("tell /os open 1");
}

/// A board as GGS draws it, with black and white as `*` and `O`.
fn board(rows: [&str; 8], side: &str) -> String {
    let rows: String = rows
        .iter()
        .enumerate()
        .map(|(row, cells)| {
            let cells: Vec<String> = cells.chars().map(String::from).collect();
            format!("| {0} {1} {0} \n", row + 1, cells.join(" "))
        })
        .collect();
    format!("|\n|   A B C D E F G H\n{rows}|   A B C D E F G H\n|\n|{side} to move\nREADY\n")
}

fn players(black: &str, white: &str) -> String {
    format!("|{black:<8} (1720.0 *) 01:00,0:0//02:00,0:0\n|{white:<8} (1720.0 O) 01:00,0:0//02:00,0:0\n")
}

const START: [&str; 8] =
    ["--------", "--------", "--------", "---O*---", "---*O---", "--------", "--------", "--------"];
const AFTER_F5: [&str; 8] =
    ["--------", "--------", "--------", "---O*---", "---***--", "--------", "--------", "--------"];

#[test]
fn a_rated_game_on_ggs() {
    let listener = listener();
    let (process, _folder) = start("ggs", &listener, &[QUICK, &["--matches", "1", "--say", "tell /os who 8"]].concat());
    let mut guest = Guest::come(&listener);
    ggs_login(&mut guest);
    guest.hear_from("tell /os who 8");
    // What is not played here is declined with a reason.
    for (kind, reason) in [("10", "8x8"), ("8k", "komi"), ("8a", "anti")] {
        guest.say(&format!("\n/os: +   .7 1720.0 bob    01:00//02:00       {kind} R 1720.0 rose\nREADY\n"));
        assert_eq!(guest.hear_from("tell /os"), "tell /os decline .7");
        assert!(guest.hear_from("tell bob").contains(reason), "{kind}");
    }
    // Requests between others are none of our business; the next is.
    guest.say("\n/os: +   .8 1720.0 bob    01:00//02:00       8 R 1720.0 eve\nREADY\n");
    guest.say("\n/os: +   .9 1720.0 bob    01:00//02:00       8w R 1720.0 rose\nREADY\n");
    assert_eq!(guest.hear_from("tell /os"), "tell /os accept .9");
    guest.say("\n/os: + match .5 1720 bob 1720 rose 8w R\nREADY\n\n/os: -   .9 1720.0 bob 8w R 1720.0 rose\nREADY\n");
    assert_eq!(guest.hear_from("tell /os"), "tell /os open 0");
    guest.say(&format!(
        "\n/os: join .5 8w K?\n|0 move(s)\n|  0: PASS\n{}{}",
        players("bob", "rose"),
        board(START, "*")
    ));
    guest.say(&format!("\n/os: update .5 8w K?\n|  1: f5//3.47\n{}{}", players("bob", "rose"), board(AFTER_F5, "O")));
    let answer = guest.hear_from("tell /os play .5 ");
    let mv = answer.rsplit(' ').next().and_then(|mv| mv.split('/').next()).map(str::to_owned);
    assert!(["D6", "F6", "F4"].map(String::from).contains(&mv.expect("a move")), "{answer}");
    guest.say("\n/os: .5 A 1720 bob: good game\nREADY\n");
    guest.say("\n/os: - match .5 1720 bob 1720 rose 8w R -64.00\nREADY\n");
    guest.hear_from("quit");
    let ending = process.end();
    assert!(ending.status.success(), "{}", ending.errors);
    for said in ["match .5 against bob: 8w", "bob: good game", "match .5 ends: -64.00", "1 match played"] {
        assert!(ending.errors.contains(said), "{said}: {}", ending.errors);
    }
    assert!(!ending.errors.contains("secret"));
}

#[test]
fn two_synchronised_games_with_a_pass_and_a_lost_connection() {
    let listener = listener();
    let (process, _folder) = start("ggs", &listener, &[QUICK, &["--matches", "1"]].concat());
    let mut guest = Guest::come(&listener);
    ggs_login(&mut guest);
    drop(guest);
    // It comes back by itself.
    let mut guest = Guest::come(&listener);
    ggs_login(&mut guest);
    guest.say("\n/os: +   .9 1720.0 bob    01:00//02:00       s8r6 R 1720.0 rose\nREADY\n");
    guest.hear_from("tell /os accept .9");
    guest.say("\n/os: + match .6 1720 bob 1720 rose s8r6 R\nREADY\n");
    guest.hear_from("tell /os open 0");
    // The positions are random: black, to move, has to pass in the first; in the second white has a move.
    let must_pass = ["------*O", "--------", "--------", "--------", "--------", "--------", "--------", "--------"];
    let has_move = ["-----O*-", "--------", "--------", "--------", "--------", "--------", "--------", "--------"];
    let join = |id: &str, black: &str, white: &str, rows, side| {
        format!("\n/os: join {id} s8r6 K?\n|0 move(s)\n|  0: PASS\n{}{}", players(black, white), board(rows, side))
    };
    guest.say(&join(".6.0", "rose", "bob", must_pass, "*"));
    guest.say(&join(".6.1", "bob", "rose", has_move, "O"));
    assert!(guest.hear_from("tell /os play").starts_with("tell /os play .6.0 PA/"));
    assert!(guest.hear_from("tell /os play").starts_with("tell /os play .6.1 H1/"));
    guest.say("\n/os: end .6.1 +64.00\nREADY\n\n/os: - match .6 1720 bob 1720 rose s8r6 R +64.00\nREADY\n");
    guest.hear_from("quit");
    let ending = process.end();
    assert!(ending.status.success() && ending.errors.contains("connecting again in 1 s"), "{}", ending.errors);
}

#[test]
fn the_end_of_a_match_ends_the_search() {
    let listener = listener();
    let (process, _folder) = start("ggs", &listener, &["--set", "book=none", "--set", "hash=12", "--matches", "1"]);
    let mut guest = Guest::come(&listener);
    ggs_login(&mut guest);
    let day = "|bob      (1720.0 *) 23:00:00,0:0//02:00,0:0\n|rose     (1720.0 O) 23:00:00,0:0//02:00,0:0\n";
    guest.say("\n/os: + match .5 1720 bob 1720 rose 8 R\nREADY\n");
    guest.say(&format!("\n/os: join .5 8 K?\n|1 move(s)\n|  1: f5\n{day}{}", board(AFTER_F5, "O")));
    std::thread::sleep(Duration::from_millis(300));
    guest.say("\n/os: - match .5 1720 bob 1720 rose 8 R bob left\nREADY\n");
    guest.hear_from("quit");
    assert!(process.end().errors.contains("comes too late"));
}

#[test]
fn who_is_refused_does_not_come_back() {
    let listener = listener();
    let (process, _folder) = start("ggs", &listener, QUICK);
    let mut guest = Guest::come(&listener);
    guest.say(": Enter login (yours, or one you'd like to use).\n");
    guest.hear();
    guest.say(": Enter your password.\n");
    guest.hear();
    guest.say("ERR wrong password\n: Enter login (yours, or one you'd like to use).\n");
    let ending = process.end();
    assert_eq!(ending.status.code(), Some(1));
    assert!(ending.errors.contains("the server refused: ERR wrong password"), "{}", ending.errors);
}

#[test]
fn without_a_password_nothing_is_tried() {
    let listener = listener();
    let address = listener.local_addr().unwrap().to_string();
    let ending = Process::start(&["cgos", &address, "--login", "rose"]).end();
    assert_eq!(ending.status.code(), Some(1));
    assert!(ending.errors.contains("no password"), "{}", ending.errors);
    let ending = Process::start(&["ggs", &address, "--login", "rose", "--set", "level=99"]).end();
    assert_eq!(ending.status.code(), Some(2), "{}", ending.errors);
}

const QUICK_GO: &[&str] = &["--set", "playouts=50", "--set", "memory=16", "--set", "threads=1"];

fn cgos_login(guest: &mut Guest, protocol: &str) {
    guest.say(&format!("{protocol}\n"));
    assert!(guest.hear().is_some_and(|line| line.starts_with("e1 Shirokuro ")));
    guest.say("username\n");
    assert_eq!(guest.hear().as_deref(), Some("rose"));
    guest.say("password\n");
    assert_eq!(guest.hear().as_deref(), Some("secret"));
}

#[test]
fn games_on_cgos() {
    let listener = listener();
    let (process, _folder) = start("cgos", &listener, &[QUICK_GO, &["--matches", "2"]].concat());
    let mut guest = Guest::come(&listener);
    cgos_login(&mut guest, "protocol genmove_analyze");
    guest.say("info Next round will start soon\n");
    guest.say("setup 1 9 7.5 300000 bob(1800?) rose(1500)\ngenmove b 300000\n");
    let answer = guest.hear().expect("a move");
    let (mv, analysis) = answer.split_once(' ').expect("a move and what it is worth");
    assert!(mv.len() == 2 && mv.starts_with(|c: char| ('a'..='j').contains(&c)), "{answer}");
    assert!(analysis.starts_with('{') && analysis.contains("\"winrate\":"), "{answer}");
    guest.say("play w pass 299000\ngenmove b 299000\n");
    assert!(guest.hear().is_some());
    guest.say("gameover 2026-11-19 B+Resign\n");
    assert_eq!(guest.hear().as_deref(), Some("ready"));
    // A game that is taken up again, with its moves and their clocks.
    guest.say("setup 2 9 7.5 300000 rose(1500) bob(1800?) E5 299000 E4 298000 D5 297000\ngenmove w 298000\n");
    assert!(guest.hear().is_some_and(|line| !line.starts_with("e5 ")));
    guest.say("gameover 2026-11-19 W+1.5\n");
    guest.hear_from("quit");
    let ending = process.end();
    assert!(ending.status.success(), "{}", ending.errors);
    for said in ["info Next round", "game over: 2026-11-19 B+Resign", "game over: 2026-11-19 W+1.5"] {
        assert!(ending.errors.contains(said), "{said}: {}", ending.errors);
    }
}

#[test]
fn a_game_on_cgos_that_cannot_be_followed_is_taken_up_again() {
    let listener = listener();
    let (process, _folder) = start("cgos", &listener, &[QUICK_GO, &["--matches", "1"]].concat());
    let mut guest = Guest::come(&listener);
    cgos_login(&mut guest, "protocol");
    guest.say("setup 1 9 7.5 300000 rose(1500) bob(1800?)\nplay b E5 299000\nplay b E5 299000\n");
    guest.hear_from("quit");
    drop(guest);
    let mut guest = Guest::come(&listener);
    cgos_login(&mut guest, "protocol");
    guest.say("setup 1 9 7.5 300000 rose(1500) bob(1800?) E5 299000\ngenmove w 300000\n");
    assert!(guest.hear().is_some_and(|line| !line.contains(' ')));
    guest.say("gameover 2026-11-19 W+1.5\n");
    guest.hear_from("quit");
    assert!(process.end().errors.contains("play: "));
}

#[test]
fn who_is_refused_by_cgos_does_not_come_back() {
    let listener = listener();
    let (process, _folder) = start("cgos", &listener, QUICK_GO);
    let mut guest = Guest::come(&listener);
    cgos_login(&mut guest, "protocol");
    guest.say("Error: Sorry, password doesn't match\n");
    let ending = process.end();
    assert_eq!(ending.status.code(), Some(1));
    assert!(ending.errors.contains("password doesn't match"), "{}", ending.errors);
}
