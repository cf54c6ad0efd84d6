//! 500 jobs, four workers, and everything that can go wrong on the way: `cargo test --release --features fleet --test fleet
//! -- --ignored --nocapture chaos`.

use crate::server::Rng;
use crate::{
    answers,
    server::{Server, Worker, shirokuro, text},
};
use shirokuro::othello::Board;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    time::{Duration, Instant},
};

const JOBS: usize = 500;
/// These end every worker that begins them.
const DEADLY: [&str; 3] = ["deadly-1", "deadly-2", "deadly-3"];
const WORKERS: usize = 4;
/// Seconds without a word after which a worker has lost its jobs.
const ACK_WAIT: u64 = 4;

/// Moves from the start.
pub fn random_line(rng: &mut Rng, plies: usize) -> String {
    let (mut board, mut line) = (Board::START, String::new());
    for _ in 0..plies {
        let moves: Vec<_> = board.moves().into_iter().collect();
        if moves.is_empty() {
            if board.is_over() {
                break;
            }
            board = board.pass();
            continue;
        }
        let square = moves[rng.below(moves.len())];
        board = board.play(square).unwrap();
        let _ = write!(line, "{square}");
    }
    line
}

fn jobs() -> String {
    let mut rng = Rng::new(2025);
    let mut lines = String::new();
    for number in 0..JOBS - DEADLY.len() {
        let moves = random_line(&mut rng, 22 + number % 12);
        let _ = writeln!(
            lines,
            r#"{{"id":"job-{number}","moves":"{moves}","level":{},"hash":18,"threads":1}}"#,
            9 + number % 4
        );
    }
    for (number, id) in DEADLY.iter().enumerate() {
        let _ = writeln!(lines, r#"{{"id":"{id}","level":60,"seed":{},"hash":18}}"#, 666_000 + number);
    }
    lines
}

#[cfg(unix)]
#[test]
#[ignore = "takes some minutes"]
fn chaos() {
    let Some(mut server) = Server::start() else { return };
    let file = server.folder().join("jobs.jsonl");
    fs::write(&file, jobs()).unwrap();
    let (url, file) = (server.url("chaos"), file.to_str().unwrap().to_owned());
    let submit = || text(shirokuro(&["submit", &url, &file, "--ack-wait", &ACK_WAIT.to_string()]));
    print!("{}{}", submit(), submit());
    let began = Instant::now();
    let results = server.folder().join("results.jsonl");
    let mut collector = shirokuro(&["collect", &url, "-o", results.to_str().unwrap()]).spawn().unwrap();
    let start = |server: &Server| server.worker("chaos", &["--jobs", "1"]);
    let mut workers: Vec<Worker> = (0..WORKERS).map(|_| start(&server)).collect();
    let mut rng = Rng::new(7);
    let (mut killed, mut died, mut restarted, mut again) = (0, 0, false, false);
    let mut next_kill = Instant::now() + Duration::from_secs(2);
    let (mut stopped, mut woken): (Option<(usize, Instant)>, bool) = (None, false);
    let ended = loop {
        if let Some(ended) = collector.try_wait().unwrap() {
            break ended;
        }
        assert!(began.elapsed() < Duration::from_secs(900), "{}", server.status("chaos"));
        std::thread::sleep(Duration::from_millis(50));
        for worker in &mut workers {
            // A deadly job ends its worker.
            if worker.heard().iter().any(|line| line.contains("begin ") && line.contains("\"seed\":666")) {
                worker.kill();
                *worker = start(&server);
                died += 1;
            }
        }
        if Instant::now() >= next_kill {
            next_kill += Duration::from_secs(2);
            let victim = rng.below(WORKERS);
            if stopped.is_none_or(|(number, _)| number != victim) {
                workers[victim].kill();
                workers[victim] = start(&server);
                killed += 1;
            }
        }
        let time = began.elapsed().as_secs();
        if time >= 5 && stopped.is_none() && !woken {
            workers[0].signal("STOP");
            stopped = Some((0, Instant::now()));
        }
        if let Some((number, since)) = stopped
            && since.elapsed() > Duration::from_secs(2 * ACK_WAIT)
        {
            workers[number].signal("CONT");
            (stopped, woken) = (None, true);
        }
        if time >= 9 && !restarted {
            server.restart();
            restarted = true;
        }
        if time >= 12 && !again {
            // Everything once more, in the middle of it.
            print!("{}", submit());
            again = true;
        }
    };
    println!(
        "{:.0} s; {killed} workers killed, {died} by their jobs, one stopped for {} s, the server restarted: {}",
        began.elapsed().as_secs_f64(),
        2 * ACK_WAIT,
        restarted && woken && again
    );
    assert_eq!(ended.code(), Some(1), "three jobs have errors for answers");
    drop(workers);
    let dead = text(shirokuro(&["fleet", "dead", &url]));
    let seeds: BTreeSet<&str> = ["666000", "666001", "666002"].into_iter().filter(|seed| dead.contains(seed)).collect();
    assert_eq!((dead.lines().count(), seeds.len()), (3, 3), "{dead}");
    let fleet = answers(&results);
    assert_eq!(fleet.len(), JOBS);
    for id in DEADLY {
        assert_eq!(fleet[&format!("\"{id}\"")]["code"], "gave-up");
    }
    // The same in one process.
    let alone: String = jobs().lines().take(JOBS - DEADLY.len()).map(|line| format!("{line}\n")).collect();
    let (questions, truth) = (server.folder().join("alone.jsonl"), server.folder().join("truth.jsonl"));
    fs::write(&questions, alone).unwrap();
    text(shirokuro(&["batch", questions.to_str().unwrap(), "-o", truth.to_str().unwrap(), "--jobs", "2"]));
    let truth: BTreeMap<_, _> = answers(&truth);
    let differ: Vec<_> = truth.iter().filter(|(id, answer)| fleet.get(*id) != Some(*answer)).collect();
    assert_eq!((truth.len(), differ.len()), (JOBS - DEADLY.len(), 0), "{differ:#?}");
    // The dead can be put back.
    let said = text(shirokuro(&["fleet", "requeue", &url, "--all"]));
    assert!(said.contains("3 jobs put back"), "{said}");
    let status = server.status("chaos");
    // A worker may have begun one of them already.
    let count = |what: &str| status[what].as_u64().unwrap();
    assert_eq!((count("waiting") + count("running"), count("dead")), (3, 0), "{status}");
}

/// `batch` killed fifty times at any moment goes on each time, without loss or doubles, and blames no question.
#[cfg(unix)]
#[test]
#[ignore = "takes some minutes"]
fn batch_survives_fifty_kills() {
    use std::{
        os::unix::process::CommandExt,
        process::{Command, Stdio},
    };
    // At the slower pace most of the kills would come too late.
    for (from, to, most) in [(40, 140, 50), (150, 500, usize::MAX)] {
        let folder = tempfile::tempdir().unwrap();
        let (jobs_file, results) = (folder.path().join("jobs.jsonl"), folder.path().join("results.jsonl"));
        let lines: String = jobs().lines().take(JOBS - DEADLY.len()).map(|line| format!("{line}\n")).collect();
        fs::write(&jobs_file, lines).unwrap();
        let to_file = |results: &std::path::Path| {
            shirokuro(&["batch", jobs_file.to_str().unwrap(), "-o", results.to_str().unwrap(), "--jobs", "2"])
        };
        let mut rng = Rng::new(50);
        let (mut kills, mut least) = (0, 0);
        while kills < most {
            // In a group of its own, so that both of its processes can be killed at once.
            let mut process = to_file(&results).stderr(Stdio::null()).process_group(0).spawn().unwrap();
            std::thread::sleep(Duration::from_millis((from + rng.below(to - from)) as u64));
            if process.try_wait().unwrap().is_some() {
                break;
            }
            match rng.below(2) {
                0 => drop(Command::new("kill").args(["-9", "--", &format!("-{}", process.id())]).status().unwrap()),
                _ => process.kill().unwrap(),
            }
            process.wait().unwrap();
            kills += 1;
            let text = fs::read_to_string(&results).unwrap_or_default();
            let whole = text.rfind('\n').map_or(0, |last| text[..last].lines().count());
            assert!(whole >= least, "what was answered stays answered");
            least = whole;
        }
        let ended = to_file(&results).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        println!("{from} to {to} ms: {kills} kills, {least} answered before the last: {said}");
        assert!(kills == most || most == usize::MAX, "the batch was through before it could be killed fifty times");
        let broken = answers(&results);
        assert_eq!(broken.len(), JOBS - DEADLY.len());
        let whole = folder.path().join("whole.jsonl");
        text(to_file(&whole));
        assert!(broken == answers(&whole), "the answers are those of one run, and none was given up");
    }
}
