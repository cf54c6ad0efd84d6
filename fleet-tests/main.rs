//! A fleet as its users see it: the built program, and a real server on this machine. Without `nats-server` the tests say
//! that they were left out.
//!
//! `cargo test --release --features fleet --test fleet`; with `-- --ignored --nocapture` what takes minutes.

mod bench;
mod chaos;
mod server;
mod works;

use serde_json::Value;
use server::{Server, shirokuro, text};
use std::{collections::BTreeMap, fs, path::Path, process::Command};

/// The answers of a file by id, without what differs from run to run.
fn answers(path: &Path) -> BTreeMap<String, Value> {
    let lines = fs::read_to_string(path).unwrap();
    let mut all = BTreeMap::new();
    for line in lines.lines() {
        let mut answer: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        answer.as_object_mut().unwrap().remove("time");
        let old = all.insert(answer["id"].to_string(), answer);
        assert_eq!(old, None, "answered twice");
    }
    all
}

#[test]
fn what_a_fleet_answers_is_what_a_batch_answers() {
    let Some(server) = Server::start() else { return };
    let folder = server.folder();
    let jobs = folder.join("jobs.jsonl");
    let lines = [
        r#"{"id":"a","moves":"f5d6c3d3c4","level":6}"#,
        r#"{"id":"same","position":"start","moves":["f5","d6","c3","d3","c4"],"level":6}"#,
        r#"{"id":"b","moves":"f5f6e6f4","hint":3,"level":5}"#,
        r#"{"id":"game","moves":"f5d6c3d3c4f4f6","analyze":true,"level":4}"#,
        r#"{"id":"wrong","moves":"a1","analyze":true,"level":4}"#,
        r#"{"id":"solved","kind":"solve","wld":true,"position":"OOOOOOOOOOXXXOOOOXXOXOOOOXOXXOOOOXXXOOOOOXXXXOOO-XXXXO---XXXX--- X"}"#,
        r#"{"id":"play","kind":"selfplay","game":7,"mid":2,"end":8}"#,
        r#"{"id":"leaf","kind":"leaf","position":"---------------------------OX------XO--------------------------- X","level":4,"only":["f5","d3"]}"#,
        r#"{"id":"review","kind":"review","moves":["f5","d6","c3"],"level":3}"#,
        r#"{"id":"pair","kind":"pair","engines":["self:level=1,option.seed=3","self:level=2,option.seed=3"],"moves":["f5","d6"],"solve_from":20}"#,
    ];
    fs::write(&jobs, lines.join("\n")).unwrap();
    let said = text(shirokuro(&["submit", &server.url("q"), jobs.to_str().unwrap()]));
    assert!(said.contains("10 jobs: 9 new, 1 in the queue already"), "{said}");
    let said = text(shirokuro(&["submit", &server.url("q"), jobs.to_str().unwrap()]));
    assert!(said.contains("0 new, 10 in the queue"), "{said}");
    let status = text(shirokuro(&["fleet", "status", &server.url("q")]));
    assert!(status.starts_with("9 jobs waiting, 0 running, 0 done, 0 dead\n"), "{status}");
    let worked = shirokuro(&["work", &server.url("q"), "--jobs", "2", "--idle", "0.5"]).output().unwrap();
    assert!(worked.status.success(), "{worked:?}");
    let (fleet, batch) = (folder.join("fleet.jsonl"), folder.join("batch.jsonl"));
    let collect = |out: &Path| shirokuro(&["collect", &server.url("q"), "-o", out.to_str().unwrap()]).output().unwrap();
    assert_eq!(collect(&fleet).status.code(), Some(1), "one answer is an error");
    assert_eq!(collect(&fleet).status.code(), Some(1), "nothing is added");
    let _ = shirokuro(&["batch", jobs.to_str().unwrap(), "-o", batch.to_str().unwrap()]).output().unwrap();
    let (mut fleet, mut batch) = (answers(&fleet), answers(&batch));
    assert_eq!(fleet.len(), 10);
    assert_eq!(fleet["\"a\""]["nodes"], fleet["\"same\""]["nodes"]);
    assert_eq!(fleet["\"wrong\""]["code"], "illegal");
    // Games hold the time of day.
    for (name, count) in [("fleet", fleet.remove("\"pair\"")), ("batch", batch.remove("\"pair\""))] {
        assert_eq!(count.unwrap()["games"].as_array().unwrap().len(), 2, "{name}");
    }
    assert_eq!(fleet, batch);
    let said = text(shirokuro(&["submit", &server.url("q"), jobs.to_str().unwrap()]));
    assert!(said.contains("0 new, 0 in the queue already, 10 done already"), "{said}");
    let removed = shirokuro(&["fleet", "remove", &server.url("q")]).output().unwrap();
    assert!(removed.status.success());
    let none = shirokuro(&["fleet", "status", &server.url("q")]).output().unwrap();
    assert!(String::from_utf8_lossy(&none.stderr).contains("no queue of this name"), "{none:?}");
}

#[test]
fn a_worker_of_another_kind_refuses_and_bad_jobs_are_named() {
    let Some(server) = Server::start() else { return };
    let jobs = server.folder().join("jobs.jsonl");
    let complaint = |command: &mut Command| String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned();
    for (line, said) in [
        (r#"{"id":1,"book":"/etc/passwd"}"#, "a job of a fleet names no file"),
        (r#"{"id":1,"moves":"a1"}"#, "1: move 1: illegal move"),
        (r#"{"id":1,"kind":"nonsense"}"#, "question, solve, leaf"),
        (r#"{"id":1,"kind":"selfplay","game":1,"depht":3}"#, "depht: no such field"),
        (r#"{"id":1,"kind":"pair","engines":["name=x,cmd=rm","self"]}"#, "only this program"),
    ] {
        fs::write(&jobs, line).unwrap();
        let error = complaint(&mut shirokuro(&["submit", &server.url("q"), jobs.to_str().unwrap()]));
        assert!(error.contains(said), "{line}: {error}");
    }
    fs::write(&jobs, r#"{"id":1,"level":1}"#).unwrap();
    text(shirokuro(&["submit", &server.url("q"), jobs.to_str().unwrap()]));
    let error = complaint(&mut shirokuro(&["work", &server.url("q"), "--game", "go"]));
    assert!(error.contains("the queue is for Othello with weights"), "{error}");
    let error = complaint(&mut shirokuro(&["work", &server.url("q"), "--kinds", "question,sleep"]));
    assert!(error.contains("no kind of job called `sleep`"), "{error}");
    for url in ["nats://127.0.0.1:1/q", "http://127.0.0.1/q", "nats://127.0.0.1"] {
        assert!(complaint(&mut shirokuro(&["fleet", "status", url])).starts_with("shirokuro: "), "{url}");
    }
}

#[cfg(unix)]
#[test]
fn a_worker_that_is_told_to_stop_hands_its_job_back() {
    let Some(server) = Server::start() else { return };
    let jobs = server.folder().join("jobs.jsonl");
    fs::write(&jobs, "{\"id\":\"long\",\"level\":60}\n{\"id\":\"next\",\"level\":60,\"moves\":\"f5\"}\n").unwrap();
    text(shirokuro(&["submit", &server.url("q"), jobs.to_str().unwrap()]));
    for _ in 0..4 {
        // More often than a job may die.
        let mut worker = server.worker("q", &["--jobs", "2"]);
        // At once, although a worker may be silent for a minute; one that was tried before would run alone.
        let begun = worker.wait_for("begin ", 2);
        assert_ne!(begun[0], begun[1]);
        worker.terminate();
        assert_eq!(worker.wait_for("back ", 2).len(), 2);
    }
    assert_eq!(server.status("q")["dead"], 0);
}
