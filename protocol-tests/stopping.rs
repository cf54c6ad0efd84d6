//! How soon the program stops.

use crate::process::Process;
use crate::rng::Rng;
use std::{
    process::Command,
    time::{Duration, Instant},
};

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

    let mut gtp = Process::start(&["gtp", "--level", "60", "--hash", "18", "--book", "none"]);
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

    let mut go = Process::start(&["gtp", "--game", "go", "--move-time", "600", "--memory", "64"]);
    for stop in 0..40 {
        let asked_for = ["reg_genmove b", "shirokuro-values", "genmove w", "shirokuro-ownership"][stop % 4];
        go.send(asked_for);
        pause();
        let asked = Instant::now();
        go.send("# interrupt");
        let answer = go.lines_until(str::is_empty);
        times.push(asked.elapsed());
        assert!(answer[0].starts_with("= "), "{answer:?}");
    }

    let mut nboard = Process::start(&["nboard", "--level", "60", "--hash", "18", "--book", "none"]);
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

/// Every command of every protocol is stopped a few times, also as the first of its process. The bound is for a program
/// without optimisation on a busy machine; `shirokuro soak --stops 200` measures it properly.
#[test]
fn every_command_heeds_a_stop() {
    let soak = ["soak", "--stops", "2", "--within", "1000"];
    let output = Command::new(env!("CARGO_BIN_EXE_shirokuro")).args(soak).output().expect("the built program starts");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{table}{}", String::from_utf8_lossy(&output.stderr));
    assert!(table.lines().count() > 200, "{table}");
}

/// Scenes with a fixed seed: one of each kind at least.
#[test]
fn a_short_soak_is_survived() {
    let soak = ["soak", "--seed", "1", "--scenes", "40", "--minutes", "3"];
    let output = Command::new(env!("CARGO_BIN_EXE_shirokuro")).args(soak).output().expect("the built program starts");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{table}{}", String::from_utf8_lossy(&output.stderr));
}
