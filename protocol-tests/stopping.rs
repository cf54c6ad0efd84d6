//! How soon the program starts, stops and leaves.

use crate::process::Process;
use shirokuro::base::Rng;
use std::time::{Duration, Instant};

/// What a person notices, times five for a busy machine.
const BOUND: Duration = Duration::from_millis(250);

/// The time that 99 of 100 do not exceed.
fn p99(mut times: Vec<Duration>) -> Duration {
    times.sort();
    let report = |p: usize| times[(times.len() * p / 100).min(times.len() - 1)];
    println!("stops: {}, median {:?}, p99 {:?}, worst {:?}", times.len(), report(50), report(99), report(100));
    report(99)
}

/// Searches that would take minutes are stopped after up to 80 ms.
#[test]
fn stops_are_answered_soon() {
    let mut rng = Rng::new(20);
    let mut times = Vec::new();
    let mut pause = || std::thread::sleep(Duration::from_micros(rng.below(80_000) as u64));

    let mut gtp = Process::start(&["gtp", "--level", "60", "--hash", "18"]);
    for stop in 0..100 {
        if stop % 10 == 0 {
            assert!(gtp.gtp(&format!("shirokuro-random {} {}", 8 + stop / 4, stop + 1)).starts_with('='));
        }
        let colour = if gtp.gtp("gogui-rules_side_to_move").ends_with("black") { "b" } else { "w" };
        gtp.send(&format!("reg_genmove {colour}"));
        pause();
        let asked = Instant::now();
        gtp.send("# interrupt");
        let answer = gtp.lines_until(str::is_empty);
        times.push(asked.elapsed());
        assert!(answer[0].starts_with("= "), "{answer:?}");
    }

    let mut nboard = Process::start(&["nboard", "--level", "60", "--hash", "18"]);
    nboard.send("nboard 2");
    nboard.send("F5");
    for stop in 0..100 {
        nboard.send(["go", "hint 64", "hint 1", "analyze"][stop % 4]);
        pause();
        let asked = Instant::now();
        nboard.send(&format!("ping {stop}"));
        nboard.lines_until(|line| line == format!("pong {stop}"));
        times.push(asked.elapsed());
    }
    assert!(p99(times) < BOUND);
}

/// GoGui starts four copies, and some of them never hear a word: each must be quick and small.
#[test]
fn the_start_is_quick_and_small() {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let began = Instant::now();
        let mut process = Process::start(&["gtp"]);
        assert_eq!(process.gtp("name"), "= Shirokuro");
        best = best.min(began.elapsed());
        for command in ["boardsize 8", "clear_board", "play b f5", "gogui-rules_legal_moves", "list_commands"] {
            assert!(process.gtp(command).starts_with('='));
        }
        if let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", process.id())) {
            let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux tells it");
            let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().expect("a number");
            println!("resident after the start: {kilobytes} kB");
            assert!(kilobytes < 50_000, "{kilobytes} kB");
        }
        assert!(process.end().status.success());
    }
    println!("start to first reply: {best:?}");
    assert!(best < Duration::from_millis(500), "{best:?}");
}

#[test]
fn the_end_of_input_is_the_end() {
    for protocol in ["gtp", "nboard"] {
        let process = Process::start(&[protocol]);
        let began = Instant::now();
        let ending = process.end();
        assert!(ending.status.success() && ending.rest.is_empty() && ending.errors.is_empty());
        assert!(began.elapsed() < Duration::from_secs(1), "{protocol}: {:?}", began.elapsed());
    }
}

/// `quit` does not wait for a search that nobody wants any more.
#[test]
fn quit_in_the_middle_of_a_search() {
    for (protocol, think) in [("gtp", "genmove b"), ("nboard", "go")] {
        let mut process = Process::start(&[protocol, "--level", "60", "--hash", "18"]);
        process.send(think);
        std::thread::sleep(Duration::from_millis(300));
        let began = Instant::now();
        process.send("quit");
        let ending = process.end();
        assert!(ending.status.success());
        assert!(began.elapsed() < Duration::from_secs(1), "{protocol}: {:?}", began.elapsed());
    }
}

/// A reader that goes away is no reason to complain.
#[cfg(unix)]
#[test]
fn a_broken_pipe_is_a_quiet_end() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_shirokuro"))
        .arg("gtp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the built program starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("piped");
    std::io::Write::write_all(&mut input, b"name\nname\n").expect("it reads");
    let output = child.wait_with_output().expect("it leaves");
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    drop(input);
}
