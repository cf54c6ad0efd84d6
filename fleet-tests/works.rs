//! Long works whose parts a fleet does: their results are those of this machine alone.

use crate::server::{Server, Worker, shirokuro, text};
use std::{fs, path::Path, process::Command};

fn begin() -> Option<(Server, Vec<Worker>)> {
    let server = Server::start()?;
    let workers = (0..2).map(|_| server.worker("works", &["--jobs", "1"])).collect();
    Some((server, workers))
}

fn path(server: &Server, name: &str) -> String {
    server.folder().join(name).to_str().unwrap().to_owned()
}

/// The records of a file of training games, sorted.
fn records(path: &str) -> Vec<Vec<u8>> {
    let bytes = fs::read(path).unwrap();
    let mut rest = bytes.as_slice();
    let mut all = vec![];
    while !rest.is_empty() {
        let length = 8 + usize::from(u16::from_le_bytes([rest[2], rest[3]]));
        let (record, after) = rest.split_at(length);
        all.push(record.to_vec());
        rest = after;
    }
    all.sort();
    all
}

fn run(mut command: Command, url: Option<&str>) -> String {
    if let Some(url) = url {
        command.args(["--fleet", url]);
    }
    text(command)
}

#[test]
fn training_games_are_the_same() {
    let Some((server, _workers)) = begin() else { return };
    let url = server.url("works");
    let (here, there) = (path(&server, "here"), path(&server, "there"));
    let play = |file: &str, games: &str, more: &[&str]| {
        let mut command = shirokuro(&["train", "selfplay", "-o", file, "-g", games, "--mid", "2", "--end", "8"]);
        command.args(more);
        command
    };
    run(play(&here, "6", &[]), None);
    run(play(&there, "3", &[]), Some(&url));
    run(play(&there, "6", &[]), Some(&url));
    assert_eq!(records(&here).len(), 6);
    assert_eq!(records(&here), records(&there));
    let (branched, elsewhere) = (path(&server, "branched"), path(&server, "elsewhere"));
    let more = ["--branch", &here, "--seed", "9", "--wander", "20"];
    run(play(&branched, "4", &more), None);
    run(play(&elsewhere, "4", &more), Some(&url));
    assert_eq!(records(&branched), records(&elsewhere));
    let label = |file: &str| shirokuro(&["train", "label", "-o", file, "--end", "9", "--mid", "3", &here]);
    let (scored, afar) = (path(&server, "scored"), path(&server, "afar"));
    run(label(&scored), None);
    run(label(&afar), Some(&url));
    assert_eq!(records(&scored), records(&afar));
}

#[test]
fn a_book_that_a_fleet_has_helped_to_learn_is_the_same() {
    let Some((server, _workers)) = begin() else { return };
    let (here, there) = (path(&server, "here.skbook"), path(&server, "there.skbook"));
    let learn = |file: &str| shirokuro(&["book", "do", file, "learn depth 4 error 2 level 3", "--level", "3"]);
    run(learn(&here), None);
    run(learn(&there), Some(&server.url("works")));
    let (here, there) = (fs::read(here).unwrap(), fs::read(there).unwrap());
    assert!(here.len() > 500 && here == there, "{} and {} bytes", here.len(), there.len());
}

#[test]
fn a_report_and_a_match_by_a_fleet() {
    let Some((server, _workers)) = begin() else { return };
    let url = server.url("works");
    let games = path(&server, "games.txt");
    fs::write(&games, "f5d6c3d3c4f4c5b3c2 6 3 ? Ann Bob\nf5f6e6f4g6c5g4g5 4 4 ? Bob Cid\n").unwrap();
    let report = |name: &str| {
        let folder = server.folder().join(name);
        fs::create_dir(&folder).unwrap();
        let page = folder.join("league.html");
        (shirokuro(&["report", &games, "--level", "3", "-o", page.to_str().unwrap()]), folder)
    };
    let same =
        |a: &Path, b: &Path, name: &str| assert_eq!(fs::read(a.join(name)).unwrap(), fs::read(b.join(name)).unwrap());
    let ((here, at_home), (there, afar)) = (report("home"), report("afar"));
    run(here, None);
    run(there, Some(&url));
    for name in ["league.json", "league.csv", "league.html", "league-games/2.html"] {
        same(&at_home, &afar, name);
    }
    let out = path(&server, "match");
    let engines = ["-e", "self:level=2", "-e", "self:level=1"];
    let mut played = shirokuro(&["match", "-n", "8", "-o", &out]);
    played.args(engines);
    let said = run(played, Some(&url));
    let results = fs::read_to_string(Path::new(&out).join("results.jsonl")).unwrap();
    assert_eq!(results.lines().count(), 9, "{said}");
    let foreign = shirokuro(&["match", "-e", "self", "-e", "name=x,cmd=cat", "--fleet", &url]).output().unwrap();
    assert!(String::from_utf8_lossy(&foreign.stderr).contains("`x` is none"), "{foreign:?}");
}

#[test]
fn a_proof_by_a_fleet_is_checked_here() {
    let Some((server, _workers)) = begin() else { return };
    let (tasks, known, tree) = (path(&server, "tasks"), path(&server, "known"), path(&server, "tree"));
    let board = "OOOOOOOOOOXXXOOOOXXOXOOOOXOXXOOOOXXXOOOOOXXXXOOO-XXXXO---XXXX--- X";
    fs::write(path(&server, "q"), format!(r#"{{"id":1,"kind":"solve","position":"{board}"}}"#)).unwrap();
    run(shirokuro(&["batch", &path(&server, "q"), "-o", &path(&server, "a")]), None);
    let answer = fs::read_to_string(path(&server, "a")).unwrap();
    let value: f64 = serde_json::from_str::<serde_json::Value>(&answer).unwrap()["value"].as_f64().unwrap();
    fs::write(&tasks, format!("{board};,1,{value:.0},-64,64\n")).unwrap();
    let prove = shirokuro(&["prove", &tasks, "-k", &known, "--tree", &tree]);
    let said = run(prove, Some(&server.url("works")));
    assert!(said.contains("1 proven, 0 refuted, 0 open"), "{said}");
    let said = run(shirokuro(&["prove", "--verify", &tree]), None);
    assert!(said.contains(" 0 different, 0 searches not finished"), "{said}");
}
