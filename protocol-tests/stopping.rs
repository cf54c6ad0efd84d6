//! How soon the program stops.

use crate::process::Process;
use crate::rng::Rng;
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
