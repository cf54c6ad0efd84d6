//! Two processes of the program play each other, a third pair of eyes watches.

use crate::{process::Process, rng::Rng};
use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Plays one game as gogui-twogtp does: strictly in turn, until two passes follow each other.
fn game(referee: &mut Process, players: &mut [Process; 2], rng: &mut Rng, longest: usize) -> String {
    assert_eq!(referee.gtp("clear_board"), "= ");
    for player in players.iter_mut() {
        assert_eq!(player.gtp("clear_board"), "= ");
    }
    let mut passes = 0;
    for ply in 0.. {
        assert!(ply < longest, "the game does not end");
        let (mover, letter) = (ply % 2, ["b", "w"][ply % 2]);
        // A few free moves make the games different.
        let name = if ply < 6 {
            let legal = referee.gtp("gogui-rules_legal_moves");
            let moves: Vec<&str> = legal.trim_start_matches("= ").split(' ').collect();
            let name = *rng.pick(&moves).expect("nobody is out of moves so early");
            assert_eq!(players[mover].gtp(&format!("play {letter} {name}")), "= ");
            name.to_string()
        } else {
            let answer = players[mover].gtp(&format!("genmove {letter}"));
            answer.strip_prefix("= ").unwrap_or_else(|| panic!("genmove: {answer}")).to_string()
        };
        let command = format!("play {letter} {name}");
        assert_eq!(referee.gtp(&command), "= ", "ply {ply}, {command}");
        assert_eq!(players[1 - mover].gtp(&command), "= ", "ply {ply}, {command}");
        passes = if name == "pass" { passes + 1 } else { 0 };
        if passes == 2 {
            break;
        }
    }
    assert_eq!(referee.gtp("gogui-rules_legal_moves"), "= ", "two passes end the game");
    let score = referee.gtp("final_score");
    for player in players.iter_mut() {
        assert_eq!(player.gtp("final_score"), score);
    }
    score
}

#[test]
fn twenty_games_without_an_illegal_move() {
    let start =
        |level: &str| Process::start(&["gtp", "--threads", "1", "--hash", "14", "--book", "none", "--level", level]);
    let mut players = [start("3"), start("1")];
    let mut referee = start("1");
    let mut rng = Rng::new(7);
    let mut scores: Vec<String> = (0..20)
        .map(|_| {
            let score = game(&mut referee, &mut players, &mut rng, 130);
            players.swap(0, 1);
            score
        })
        .collect();
    scores.sort();
    scores.dedup();
    assert!(scores.len() > 3, "the games are all alike: {scores:?}");
}

#[test]
fn go_games_without_an_illegal_move() {
    let start = |playouts: &str| {
        let player = ["gtp", "--game", "go", "--threads", "1", "--seed", "3", "--resign-below", "0", "--playouts"];
        let mut process = Process::start(&[&player[..], &[playouts]].concat());
        assert_eq!(process.gtp("boardsize 7"), "= ");
        process
    };
    let mut players = [start("60"), start("20")];
    let mut referee = start("20");
    let mut rng = Rng::new(7);
    for _ in 0..4 {
        game(&mut referee, &mut players, &mut rng, 400);
        players.swap(0, 1);
    }
}

/// Killed in the middle of a game, a match goes on inside it.
#[test]
fn a_match_that_was_killed_goes_on_inside_the_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shirokuro"));
        command.arg("match").args(args).current_dir(folder.path()).stdout(Stdio::null());
        command
    };
    let players = ["-e", "self:name=a,depth=10,hash=14,threads=1", "-e", "self:name=b,depth=10,hash=14,threads=1"];
    let game = ["-n", "2", "--random-plies", "4", "--tc", "60+1", "--concurrency", "1", "--quiet", "--out", "m"];
    let mut child = program(&[&players[..], &game[..]].concat()).spawn().expect("the built program starts");
    let running = folder.path().join("m/running.jsonl");
    let deadline = Instant::now() + Duration::from_secs(60);
    let moves = || std::fs::read_to_string(&running).unwrap_or_default();
    while moves().lines().count() < 10 {
        assert!(Instant::now() < deadline && child.try_wait().expect("a child").is_none(), "{}", moves());
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("killed");
    child.wait().expect("dead");
    let journal = moves();
    let status = program(&["--resume", "m"]).status().expect("the built program starts");
    assert!(status.success(), "{status}");
    let results = std::fs::read_to_string(folder.path().join("m/results.jsonl")).expect("results");
    assert_eq!(results.lines().count(), 3, "the match and two games");
    let first = results.lines().nth(1).expect("a game");
    // Each move is there with its time, in its order, after the opening.
    let part = |line: &str, key: &str| {
        let (_, rest) = line.split_once(&format!("\"{key}\":")).unwrap_or_else(|| panic!("no {key} in {line}"));
        rest.split([',', '}']).next().unwrap_or_default().to_owned()
    };
    let made: Vec<String> = journal.lines().map(|line| part(line, "m")).collect();
    let kept: Vec<String> = first.split("\"m\":").skip(1 + 4).map(|rest| part(&format!("\"m\":{rest}"), "m")).collect();
    assert!(made.len() >= 10 && kept.len() >= made.len(), "{journal}\n{first}");
    assert_eq!(kept[..made.len()], made[..], "{first}");
    let times: Vec<f64> = journal.lines().map(|line| part(line, "t").parse().expect("seconds")).collect();
    let rounded = format!("\"t\":{}", (times[3] * 1e6).round() / 1e6);
    assert!(first.contains(&rounded), "{rounded} is not in {first}");
    assert!(!running.exists(), "nothing is being played");
}

/// A match on 9x9 with a few playouts: every move legal and in time, nobody breaks down (`--strict`).
fn go_match(opponent: &str) {
    let ours = "self:name=ours,playouts=200,threads=1,seed=5";
    let arguments =
        ["match", "--game", "go", "--size", "9", "--komi", "6.5", "--random-plies", "4", "-n", "4", "--strict"];
    let output = Command::new(env!("CARGO_BIN_EXE_shirokuro"))
        .args(arguments)
        .args(["-e", ours, "-e", opponent])
        .output()
        .expect("the built program starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {said}{}", output.status, String::from_utf8_lossy(&output.stderr));
    assert_eq!(
        said.lines().filter(|line| line.trim_end().ends_with("none")).count(),
        2,
        "no faults on either side: {said}"
    );
}

#[test]
fn a_go_match_against_ourselves() {
    let ours = env!("CARGO_BIN_EXE_shirokuro");
    go_match(&format!("name=pipe,cmd='{ours}' gtp --game go --playouts 100 --threads 1 --seed 9"));
}

/// Only where GNU Go is installed.
#[test]
fn a_go_match_against_gnu_go() {
    let found = ["gnugo", "/usr/games/gnugo"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()));
    match found {
        Some(name) => go_match(&format!("name=gnugo,cmd={name} --mode gtp --level 1 --chinese-rules")),
        None => println!("GNU Go is not installed: nothing to play against"),
    }
}
