//! What more workers bring: `cargo test --release --features fleet --test fleet -- --ignored --nocapture throughput`.

use crate::{
    chaos::random_line,
    server::{Rng, Server, shirokuro, text},
};
use std::{fmt::Write, fs, time::Instant};

#[test]
#[ignore = "a measurement"]
fn throughput() {
    let Some(server) = Server::start() else { return };
    println!("| level | workers | jobs | seconds | jobs a second |\n|---|---|---|---|---|");
    for (level, count) in [(8, 2000), (12, 400)] {
        let mut rng = Rng::new(11);
        let mut lines = String::new();
        for number in 0..count {
            let moves = random_line(&mut rng, 20 + number % 10);
            let _ = writeln!(lines, r#"{{"id":{number},"moves":"{moves}","level":{level},"hash":18,"threads":1}}"#);
        }
        let file = server.folder().join("jobs.jsonl");
        fs::write(&file, lines).unwrap();
        for workers in [1, 2, 4] {
            let queue = format!("t-{level}-{workers}");
            text(shirokuro(&["submit", &server.url(&queue), file.to_str().unwrap()]));
            let began = Instant::now();
            let args = ["--jobs", "1", "--kinds", "question"];
            let _workers: Vec<_> = (0..workers).map(|_| server.worker(&queue, &args)).collect();
            let results = server.folder().join(&queue);
            text(shirokuro(&["collect", &server.url(&queue), "-o", results.to_str().unwrap()]));
            let seconds = began.elapsed().as_secs_f64();
            println!("| {level} | {workers} | {count} | {seconds:.1} | {:.0} |", count as f64 / seconds);
        }
    }
}
