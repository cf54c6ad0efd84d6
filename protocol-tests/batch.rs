//! Batches that are killed and started again.

use crate::rng::Rng;
use serde_json::Value;
use shirokuro::othello::{Game, Move};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

const PATIENCE: Duration = Duration::from_secs(120);

fn start(jobs: &Path, results: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_shirokuro"))
        .arg("batch")
        .args([jobs.as_os_str(), "-o".as_ref(), results.as_os_str()])
        .args(["--jobs", "2", "--level", "2", "--threads", "1", "--hash", "14", "--book", "none"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the built program starts")
}

/// Games of random moves at every length, as questions.
fn questions(count: usize) -> String {
    let (mut rng, mut text) = (Rng::new(11), String::new());
    for n in 0..count {
        let (mut game, mut moves) = (Game::default(), vec![]);
        for _ in 0..4 + n % 40 {
            let legal: Vec<_> = game.position().board.moves().into_iter().collect();
            let Some(&square) = rng.pick(&legal) else { break };
            game.play(None, Move::Place(square)).expect("a legal move");
            moves.push(square.to_string());
        }
        writeln!(text, "{{\"id\":\"q{n}\",\"moves\":\"{}\",\"hint\":2}}", moves.join(" ")).expect("memory");
    }
    text
}

fn lines(path: &Path) -> usize {
    fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&b| b == b'\n').count())
}

/// The answers by id without the time they took. No id may come twice.
fn answers(path: &Path) -> BTreeMap<String, Value> {
    let mut answers = BTreeMap::new();
    for line in fs::read_to_string(path).expect("results").lines() {
        let mut answer: Value = serde_json::from_str(line).expect("whole lines");
        answer.as_object_mut().expect("an object").remove("time");
        let id = answer["id"].as_str().expect("a text").to_owned();
        assert!(answers.insert(id, answer).is_none(), "twice: {line}");
    }
    answers
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited for {what}");
        sleep(Duration::from_millis(1));
    }
}

fn kill(mut child: Child) {
    child.kill().expect("it can be killed");
    child.wait().expect("it has ended");
}

fn running(results: &Path) -> PathBuf {
    results.with_extension("jsonl.running")
}

#[test]
fn a_batch_that_is_killed_goes_on_without_loss_or_doubles() {
    const COUNT: usize = 1200;
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (jobs, broken, unbroken) = (at("jobs.jsonl"), at("broken.jsonl"), at("unbroken.jsonl"));
    fs::write(&jobs, questions(COUNT)).expect("written");
    assert!(start(&jobs, &unbroken).wait().expect("it ends").success());

    let (mut rng, mut kills, mut cut) = (Rng::new(u64::from(std::process::id())), 0, 0);
    while lines(&broken) < COUNT && kills < 60 {
        let child = start(&jobs, &broken);
        let goal = (lines(&broken) + rng.below(60)).min(COUNT - 1);
        wait_until("answers", || lines(&broken) >= goal);
        sleep(Duration::from_micros(rng.below(3000) as u64));
        // Somebody ends all that belongs to it, or only what was started.
        let all = rng.below(2) == 0;
        if all {
            worker_of(&child).into_iter().for_each(kill_process);
        }
        kill(child);
        kills += 1;
        // A machine that dies leaves half a line, which a process that dies does not.
        if all && rng.below(2) == 0 {
            let mut bytes = fs::read(&broken).unwrap_or_default();
            bytes.truncate(bytes.len().saturating_sub(rng.below(100)));
            fs::write(&broken, bytes).expect("written");
            cut += 1;
        }
    }
    println!("killed {kills} times, cut {cut} times");
    assert!(kills >= 5);
    assert!(start(&jobs, &broken).wait().expect("it ends").success());
    assert!(!running(&broken).exists());
    let (broken, unbroken) = (answers(&broken), answers(&unbroken));
    assert_eq!(unbroken.len(), COUNT);
    assert!(broken == unbroken, "the values are those of an unbroken run");
}

/// The process that works for this one. Another process's memory is nobody's business here, so the system is asked.
fn worker_of(child: &Child) -> Option<u32> {
    let is_ours = |stat: String| {
        let behind_name = stat.rsplit_once(") ")?.1;
        (behind_name.split(' ').nth(1)? == child.id().to_string()).then_some(())
    };
    let mut processes =
        fs::read_dir("/proc").expect("Linux").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.find(|id: &u32| fs::read_to_string(format!("/proc/{id}/stat")).ok().and_then(is_ours).is_some())
}

fn kill_process(id: u32) {
    let _ = Command::new("kill").args(["-9", &id.to_string()]).stderr(Stdio::null()).status();
}

#[test]
fn a_question_that_takes_the_process_with_it_is_given_up_and_the_rest_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let (jobs, results) = (folder.path().join("jobs.jsonl"), folder.path().join("results.jsonl"));
    fs::write(&jobs, format!("{{\"id\":\"endless\",\"level\":60}}\n{}", questions(20))).expect("written");
    let is_begun = |deaths: u32| {
        let last = format!("{{\"deaths\":{deaths},\"id\":\"endless\",\"losses\":0,\"running\":true}}");
        fs::read_to_string(running(&results)).is_ok_and(|text| text.contains(&last))
    };
    let mut child = start(&jobs, &results);
    for deaths in 0..2 {
        wait_until("the rest and the attempt", || lines(&results) == 20 && is_begun(deaths));
        kill_process(worker_of(&child).expect("one that works"));
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(1), "one has failed");
    let answers = answers(&results);
    assert_eq!((answers.len(), answers["endless"]["code"].as_str()), (21, Some("gave-up")));
    assert!(!running(&results).exists());
}

#[test]
fn a_signal_to_the_one_that_attends_stops_the_one_that_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let (jobs, results) = (folder.path().join("jobs.jsonl"), folder.path().join("results.jsonl"));
    fs::write(&jobs, "{\"id\":\"endless\",\"level\":60}\n").expect("written");
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let mut child = start(&jobs, &results);
        wait_until("the attempt", || {
            fs::read_to_string(running(&results)).is_ok_and(|text| text.ends_with("\"running\":true}\n"))
        });
        let worker = worker_of(&child).expect("one that works");
        Command::new("kill").args([signal, &child.id().to_string()]).status().expect("a signal");
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{signal}");
        assert!(!Path::new(&format!("/proc/{worker}")).exists());
        let text = fs::read_to_string(running(&results)).expect("kept");
        assert!(text.ends_with("\"losses\":0,\"running\":false}\n"), "it was taken back: {text}");
    }
}
