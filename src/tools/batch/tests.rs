use super::*;
use crate::{
    engine::{Answer, Engine},
    othello::OthelloEngine,
    tools::kinds::KINDS,
};
use std::{fs, sync::Arc};

fn jobs(text: &str) -> Result<Jobs, Vec<String>> {
    Jobs::of(text.into(), &Reader::new(&OthelloEngine::new(), KINDS))
}

fn ids(text: &str) -> Vec<String> {
    jobs(text).unwrap().list.into_iter().map(|job| job.id).collect()
}

fn make(options: &[(&'static str, String)]) -> Answer<Box<dyn Engine>> {
    let mut engine = OthelloEngine::new();
    for (name, value) in [("hash", "14"), ("book", "none"), ("level", "1")] {
        engine.set(name, value)?;
    }
    options.iter().try_for_each(|(name, value)| engine.set(name, value))?;
    Ok(Box::new(engine))
}

fn recipe() -> Recipe {
    Recipe { make: Arc::new(make), options: vec![] }
}

/// A folder with these questions and what is there of results and attempts.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new(questions: &str) -> Desk {
        let desk = Desk(tempfile::tempdir().unwrap());
        desk.write("jobs", questions);
        desk
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap_or_default()
    }

    fn run(&self, shard: Option<&str>) -> Result<Ending, String> {
        let args = BatchArgs {
            questions: self.0.path().join("jobs"),
            output: self.0.path().join("results"),
            jobs: std::num::NonZeroUsize::new(2),
            shard: shard.map(|text| text.parse().unwrap()),
        };
        work(&args, recipe(), KINDS, never()).map_err(|e| e.to_string())
    }

    /// The ids that are answered, in order.
    fn answered(&self) -> Vec<String> {
        let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].to_string();
        let mut ids: Vec<String> = self.text("results").lines().map(id).collect();
        ids.sort();
        ids
    }
}

#[test]
fn a_line_without_an_id_has_its_number() {
    assert_eq!(ids("{\"level\":1}\n\n{\"id\":\"x\"}\r\n{\"id\":null}\n{\"id\":-7}"), ["1", "\"x\"", "4", "-7"]);
    assert_eq!(ids(""), [] as [String; 0]);
}

#[test]
fn bad_lines_are_named_before_anything_starts() {
    let text =
        "{\"id\":1}\nnonsense\n{\"levle\":3}\n{\"command\":\"quit\"}\n{\"stop\":true}\n{\"id\":1.5}\n{\"id\":[1]}\n";
    let complaints = jobs(text).err().unwrap();
    let starts: Vec<&str> = complaints.iter().map(|c| &c[..6]).collect();
    assert_eq!(starts, ["line 2", "line 3", "line 4", "line 5", "line 6", "line 7"]);
    assert!(complaints[1].contains("`levle`"), "{complaints:?}");
    let desk = Desk::new(text);
    assert!(desk.run(None).unwrap_err().contains("line 2: not JSON"));
    assert_eq!(fs::read_dir(desk.0.path()).unwrap().count(), 1, "nothing was begun");
    assert_eq!(jobs(&"x\n".repeat(1000)).err().unwrap().len(), 21);
}

#[test]
fn the_same_question_twice_is_one_and_another_with_its_id_is_an_error() {
    assert_eq!(ids("{\"id\":1,\"level\":2}\n{\"level\":2, \"id\":1}\n").len(), 1);
    let complaints = jobs("{\"id\":\"a\"}\n{\"id\":\"a\",\"level\":2}\n").err().unwrap();
    assert_eq!(complaints, ["line 2: the id \"a\" is that of line 1, which asks something else"]);
    // A number that a line without an id would have.
    assert!(jobs("{\"id\":2,\"level\":3}\n{\"level\":1}\n").is_err());
}

#[test]
fn shards_are_disjoint_and_complete() {
    let ids: Vec<String> = (0..1000).map(|n| format!("\"job {n}\"")).collect();
    for parts in [1, 2, 3, 7, 64] {
        let shards: Vec<Shard> = (1..=parts).map(|part| format!("{part}/{parts}").parse().unwrap()).collect();
        let mut sizes = vec![0; parts];
        for id in &ids {
            let holders: Vec<usize> = (0..parts).filter(|&part| shards[part].holds(id)).collect();
            assert_eq!(holders.len(), 1, "{id} of {parts}");
            sizes[holders[0]] += 1;
        }
        let fair = ids.len() / parts;
        assert!(sizes.iter().all(|&size| size > fair / 3 && size < fair * 3), "{sizes:?}");
    }
    // The same for ever: results of one version are gone on with by the next.
    assert!("2/4".parse::<Shard>().unwrap().holds("\"job 1\"") == (crc("\"job 1\"") % 4 == 1));
    assert_eq!(crc("123456789"), 0xCBF4_3926, "CRC-32 as everybody computes it");
    for bad in ["0/4", "5/4", "1/0", "0/0", "1", "a/b", "-1/2", ""] {
        assert!(bad.parse::<Shard>().is_err(), "{bad}");
    }
}

fn crc(text: &str) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(text.as_bytes());
    sum.sum()
}

#[test]
fn half_a_line_is_cut_off_and_answered_again() {
    let desk = Desk::new("{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n");
    assert_eq!(desk.run(None), Ok(Ending::Answered));
    let whole = desk.text("results");
    assert_eq!(desk.answered(), ["1", "2", "3"]);
    assert!(!desk.0.path().join("results.running").exists());
    let first = whole.find('\n').unwrap() + 1;
    for cut in [0, 1, 5, first - 1, first, first + 1, first + 40, whole.len() - 1] {
        desk.write("results", &whole[..cut]);
        assert_eq!(desk.run(None), Ok(Ending::Answered), "cut at {cut}");
        assert_eq!(desk.answered(), ["1", "2", "3"], "cut at {cut}");
        assert!(desk.text("results").starts_with(&whole[..if cut >= first { first } else { 0 }]));
    }
    desk.write("results", &format!("{}\0\0\0", &whole[..first]));
    assert_eq!(desk.run(None), Ok(Ending::Answered));
    assert_eq!(desk.answered().len(), 3);
}

#[test]
fn a_file_that_holds_something_else_is_left_alone() {
    let desk = Desk::new("{\"id\":1}\n");
    let answer = "{\"id\":1,\"type\":\"answer\"}\n";
    for (text, said) in [
        ("my diary\n".to_owned(), "line 1: this is not an answer"),
        ("my diary".into(), "line 1: this is not the beginning of an answer"),
        ("{\"id\":9,\"type\":\"answer\"}\n".into(), "line 1: 9 is not the id of a job"),
        (answer.repeat(2), "line 2: 1 is answered twice"),
    ] {
        desk.write("results", &text);
        let error = desk.run(None).unwrap_err();
        assert!(error.contains(said), "{error}");
        assert_eq!(desk.text("results"), text);
    }
}

#[test]
fn a_job_that_killed_the_process_twice_is_given_up() {
    let desk =
        Desk::new("{\"id\":\"bad\"}\n{\"id\":\"once\"}\n{\"id\":\"new\"}\n{\"id\":\"wrong\",\"moves\":\"a1\"}\n");
    let running = |id: &str, deaths: u32| format!("{{\"id\":\"{id}\",\"running\":true,\"deaths\":{deaths}}}\n");
    desk.write("results.running", &[running("bad", 1), running("once", 0), "{\"id\":\"new\",\"runn".into()].concat());
    assert_eq!(Attempts::died(&desk.0.path().join("results")).unwrap(), ["\"bad\"", "\"once\""]);
    assert_eq!(desk.run(None), Ok(Ending::Failed));
    assert_eq!(desk.answered(), ["\"bad\"", "\"new\"", "\"once\"", "\"wrong\""]);
    let results = desk.text("results");
    let lines: Vec<&str> = results.lines().collect();
    assert!(lines[0].starts_with("{\"id\":\"bad\",\"type\":\"error\",\"code\":\"gave-up\""), "{}", lines[0]);
    assert!(lines[3].starts_with("{\"id\":\"once\",\"type\":\"answer\",\"move\""), "the suspect comes last");
    assert!(results.contains("\"code\":\"illegal\",\"field\":\"moves\""), "{results}");
    // What failed has its answer.
    assert_eq!(desk.run(None), Ok(Ending::Failed));
    assert_eq!(desk.text("results"), results);
    assert!(Attempts::died(&desk.0.path().join("results")).unwrap().is_empty());
    assert!(!desk.0.path().join("results.running").exists());
}

#[test]
fn a_job_that_was_lost_with_everything_else_waits_and_is_given_up_in_the_end() {
    let losses = |times: u32| format!("{{\"id\":1,\"running\":true,\"losses\":{times}}}\n");
    for (times, code) in [(0, "answer"), (8, "answer"), (9, "error")] {
        let desk = Desk::new("{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n");
        desk.write("results.running", &losses(times));
        desk.run(None).unwrap();
        let results = desk.text("results");
        let found = results.lines().find(|line| line.starts_with("{\"id\":1,")).unwrap();
        assert!(found.starts_with(&format!("{{\"id\":1,\"type\":\"{code}\"")), "{times}: {found}");
        let last = results.lines().last().unwrap();
        assert!(times != 8 || last == found, "{results}");
    }
}

#[test]
fn the_answer_does_not_depend_on_what_was_asked_before() {
    let question = "\"moves\":\"f5d6c3d3c4\",\"level\":6,\"threads\":1";
    let desk = Desk::new(&format!("{{\"id\":1,{question}}}\n{{\"id\":2,{question}}}\n{{\"id\":3,{question}}}\n"));
    assert_eq!(desk.run(None), Ok(Ending::Answered));
    let text = desk.text("results");
    let nodes = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["nodes"].as_u64().unwrap();
    let nodes: Vec<u64> = text.lines().map(nodes).collect();
    assert!(nodes[0] > 100 && nodes.iter().all(|&n| n == nodes[0]), "{nodes:?}");
}

#[test]
fn threads_and_memory_are_shared_out() {
    let engine = make(&[("hash", "22".into())]).unwrap();
    let share = |jobs, chosen: &[(&'static str, String)], cores| {
        let (count, shares) = pool::shared_out(jobs, chosen, engine.as_ref(), cores);
        let shares: Vec<String> = shares.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{count} {}", shares.join(" "))
    };
    assert_eq!(share(None, &[], 8), "8 threads=1 hash=19");
    assert_eq!(share(Some(3), &[], 8), "3 threads=2 hash=20");
    assert_eq!(share(Some(16), &[], 8), "16 threads=1 hash=18");
    assert_eq!(share(Some(1), &[("hash", "22".into())], 8), "1 threads=8");
}

#[test]
fn a_signal_stops_what_runs_and_does_not_count_against_it() {
    let desk = Desk::new("{\"id\":1,\"level\":60}\n");
    let args = BatchArgs {
        questions: desk.0.path().join("jobs"),
        output: desk.0.path().join("results"),
        jobs: None,
        shard: None,
    };
    for _ in 0..3 {
        let (send, signals) = crossbeam_channel::bounded(1);
        let later = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            send.send(Signal::Interrupt).unwrap();
            send
        });
        assert_eq!(work(&args, recipe(), KINDS, signals).unwrap(), Ending::Stopped(Signal::Interrupt));
        drop(later.join());
        assert_eq!(desk.text("results"), "");
        let last = "{\"deaths\":0,\"id\":1,\"losses\":0,\"running\":false}";
        assert_eq!(desk.text("results.running").lines().last(), Some(last));
    }
}
