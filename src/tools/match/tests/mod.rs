//! Whole matches with engines that behave in every bad way: small shell scripts that play a known game.

#[cfg(target_os = "linux")]
mod cpu;
mod fakes;

use fakes::*;

use super::{
    client::Maker,
    options::MatchArgs,
    record::{GameRecord, Reason},
    referee::GameKind,
    store::Store,
    *,
};
use crate::base::{Colour, Rng};
use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

const NO_OWN_ENGINE: Maker = |_| None;

/// A directory of its own for each test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("shirokuro-match-{}-{number}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A whole game at random, and its score for black.
fn random_game(seed: u64) -> (Vec<String>, f64) {
    let mut rng = Rng::new(seed);
    let mut referee = GameKind::Othello.referee(None).unwrap();
    let mut moves = Vec::new();
    loop {
        if let Some(score) = referee.result() {
            return (moves, score);
        }
        let choice = rng.pick(&referee.moves()).unwrap().clone();
        moves.push(referee.play(&choice).unwrap());
    }
}

/// The first random game of the seeds from `seed` on that has what is wanted.
fn game_with(seed: u64, wanted: impl Fn(&[String], f64) -> bool) -> (Vec<String>, f64) {
    (seed..).map(random_game).find(|(moves, score)| wanted(moves, *score)).unwrap()
}

fn script(template: &str, game: &[String]) -> String {
    let moves: Vec<&str> = game.iter().map(String::as_str).filter(|text| *text != "pass").collect();
    template.replace("MOVES", &moves.join(" ")).replace("EXTRA", "")
}

/// `name=…,cmd=sh script at fault`
fn gtp(scratch: &Scratch, name: &str, game: &[String], at: usize, fault: &str) -> String {
    let path = scratch.write(&format!("{name}.sh"), &script(GTP_FAKE, game));
    format!("name={name},cmd=sh {} {at} {fault}", path.display())
}

fn args(scratch: &Scratch, engines: &[String], games: u32) -> MatchArgs {
    let options = MatchOptions {
        games: Some(games),
        random_plies: Some(0),
        quiet: Some(true),
        concurrency: Some(1),
        start_timeout: Some(10.0),
        reply_timeout: Some(2.0),
        think_timeout: Some(1.5),
        ..MatchOptions::default()
    };
    MatchArgs { engines: engines.to_vec(), out: Some(scratch.path("out")), options, ..MatchArgs::default() }
}

fn play_out(args: &MatchArgs) -> Result<Ending, MatchError> {
    play_match(args, NO_OWN_ENGINE, &Arc::default())
}

fn records(scratch: &Scratch) -> Vec<GameRecord> {
    let path = Folder::results(&scratch.path("out"));
    let header = Store::header(&path).unwrap();
    let engines = spec::resolve(&header.engines, &all_adapters(&header.adapters), &header.base).unwrap();
    let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
    Store::resume(&path, &names).unwrap().1
}

/// A position that is not the normal start.
fn after_f5() -> String {
    let mut referee = GameKind::Othello.referee(None).unwrap();
    referee.play("f5").unwrap();
    referee.position()
}

fn moves_of(record: &GameRecord) -> Vec<String> {
    record.plies.iter().map(|ply| ply.text.clone()).collect()
}

#[test]
fn a_known_game_is_played_and_kept() {
    let scratch = Scratch::new();
    let (game, score) = game_with(1, |moves, score| moves.iter().any(|m| m == "pass") && score > 0.0);
    let engines = [gtp(&scratch, "a", &game, 99, "none"), gtp(&scratch, "b", &game, 99, "none")];
    assert_eq!(play_out(&args(&scratch, &engines, 2)).unwrap(), Ending::Finished);
    let played = records(&scratch);
    assert_eq!(played.len(), 2);
    for record in &played {
        assert_eq!(moves_of(record), game);
        assert_eq!((record.verdict.score, record.verdict.reason), (Some(score), Reason::End));
        assert_eq!(record.verdict.winner, Some(Colour::Black));
    }
    assert_eq!((played[0].players, played[1].players), ([0, 1], [1, 0]));
    let ggf = fs::read_to_string(scratch.path("out/games.ggf")).unwrap();
    assert_eq!(ggf.lines().count(), 2);
    assert!(ggf.contains("PB[a]PW[b]") && ggf.contains("PB[b]PW[a]") && ggf.contains("[PA]"));
    let page = fs::read_to_string(scratch.path("out/index.html")).unwrap();
    assert!(page.contains(&format!("B+{score}")));
}

#[test]
fn every_fault_loses_its_game_and_no_other() {
    let (game, score) = random_game(5);
    for (fault, reason) in [
        ("crash", Reason::Crash),
        ("hang", Reason::Silence),
        ("garbage", Reason::Garbage),
        ("word", Reason::Garbage),
        ("illegal", Reason::Illegal),
        ("pass", Reason::Illegal),
        ("resign", Reason::Resignation),
        ("refuse", Reason::Refusal),
        ("deaf", Reason::Crash),
        ("mute", Reason::Crash),
        ("flood", Reason::Garbage),
        ("endless", Reason::Garbage),
        ("deadplay", Reason::Crash),
    ] {
        let scratch = Scratch::new();
        let good = gtp(&scratch, "good", &game, 99, "none");
        // The fault comes in the middle of the game, then the engine has to be there again for the next one.
        let bad = gtp(&scratch, "bad", &game, 20, fault);
        let start = Instant::now();
        assert_eq!(play_out(&args(&scratch, &[bad, good], 2)).unwrap(), Ending::Finished, "{fault}");
        assert!(start.elapsed() < Duration::from_secs(30), "{fault} took {:?}", start.elapsed());
        let played = records(&scratch);
        assert_eq!(played.len(), 2);
        for record in &played {
            let verdict = &record.verdict;
            let bad = if record.players[0] == 0 { Colour::Black } else { Colour::White };
            assert_eq!(
                (verdict.winner, verdict.reason, verdict.score),
                (Some(!bad), reason, None),
                "{fault} {verdict:?}"
            );
            assert!(moves_of(record).len() >= 20 && game.starts_with(&moves_of(record)), "{fault}");
        }
    }
    assert_ne!(score, 0.0);
}

#[test]
fn a_crash_tells_its_last_words() {
    let scratch = Scratch::new();
    let (game, _) = random_game(5);
    let engines = [gtp(&scratch, "bad", &game, 6, "crash"), gtp(&scratch, "good", &game, 99, "none")];
    play_out(&args(&scratch, &engines, 2)).unwrap();
    let detail = &records(&scratch)[0].verdict.detail;
    assert!(detail.starts_with("bad died") && detail.contains("something is very wrong"), "{detail}");
    let ggf = fs::read_to_string(scratch.path("out/games.ggf")).unwrap();
    assert!(ggf.contains("RE[-64:l]") && ggf.contains("CO[crash: bad died"), "{ggf}");
}

#[test]
fn the_clock_decides() {
    let (game, score) = random_game(5);
    for (tc, margin, expected) in [
        ("move=0.3", 50, Reason::Timeout),
        ("move=5", 50, Reason::End),
        ("move=0.3", 2000, Reason::End),
        // Each late move takes 0.6 s: enough main time for one or two of them, not for all.
        ("1", 50, Reason::Timeout),
        ("1+1", 50, Reason::End),
        ("main=0.1,byo=0.4,periods=2", 0, Reason::Timeout),
    ] {
        let scratch = Scratch::new();
        let engines = [gtp(&scratch, "slow", &game, game.len() - 7, "late"), gtp(&scratch, "good", &game, 99, "none")];
        let mut args = args(&scratch, &engines, 1);
        args.options.tc = Some(tc.into());
        args.options.margin = Some(margin);
        play_out(&args).unwrap();
        let verdict = &records(&scratch)[0].verdict;
        assert_eq!(verdict.reason, expected, "{tc} {margin}: {verdict:?}");
        match expected {
            Reason::Timeout => assert_eq!(verdict.winner, Some(Colour::White), "{tc}"),
            _ => assert_eq!(verdict.score, Some(score), "{tc}"),
        }
    }
}

#[test]
fn other_languages_play_too() {
    let scratch = Scratch::new();
    let (game, score) = game_with(30, |moves, _| moves.iter().any(|m| m == "pass"));
    let nboard = scratch.write("nboard.sh", &script(NBOARD_FAKE, &game));
    let console = scratch.write("console.sh", &script(CONSOLE_FAKE, &game));
    let config = scratch.write("match.toml", &format!(
        "{CONSOLE_ADAPTER}\n[match]\nformat = \"round-robin\"\n[[engine]]\nname = \"console\"\ncmd = \"sh {}\"\nproto = \"fake\"\n\
         level = 3\n[[engine]]\nname = \"nboard\"\ncmd = \"sh {}\"\nproto = \"nboard\"\ndepth = 7\n",
        console.display(),
        nboard.display()
    ));
    let mut args = args(&scratch, &[gtp(&scratch, "gtp", &game, 99, "none")], 2);
    args.config = vec![config];
    args.options.logs = Some(true);
    assert_eq!(play_out(&args).unwrap(), Ending::Finished);
    let played = records(&scratch);
    assert_eq!(played.len(), 6);
    for record in &played {
        assert_eq!((moves_of(record), record.verdict.score), (game.clone(), Some(score)), "{:?}", record.verdict);
        for ply in record.plies.iter().filter(|ply| ply.seconds.is_some()) {
            let told = (ply.value, ply.depth.as_deref(), ply.nodes);
            match record.players[ply.colour.index()] {
                0 => assert_eq!(told, (Some(3.0), Some("9@73%"), Some(4711))),
                1 => assert_eq!(told, (Some(1.5), Some("7"), Some(1234))),
                _ => assert_eq!(told, (None, None, None)),
            }
        }
    }
    let log = fs::read_to_string(scratch.path("out/logs/console.log")).unwrap();
    assert!(log.contains("< strength 3") && log.contains("> I choose"), "{log}");
    let log = fs::read_to_string(scratch.path("out/logs/nboard.log")).unwrap();
    assert!(log.contains("< set depth 7") && log.contains("< move PA"), "{log}");
}

#[test]
fn passes_are_swallowed_for_engines_that_refuse_them() {
    let (game, score) = game_with(60, |moves, _| moves.iter().any(|m| m == "pass"));
    for (switch, expected) in [("", Reason::Refusal), (",swallow-passes=true", Reason::End)] {
        let scratch = Scratch::new();
        let engines = [gtp(&scratch, "touchy", &game, 99, "nopass") + switch, gtp(&scratch, "good", &game, 99, "none")];
        play_out(&args(&scratch, &engines, 2)).unwrap();
        for record in records(&scratch) {
            assert_eq!(record.verdict.reason, expected, "{:?}", record.verdict);
            assert!(expected != Reason::End || record.verdict.score == Some(score));
        }
    }
}

#[test]
fn what_cannot_work_is_said_before_the_first_game() {
    let scratch = Scratch::new();
    let (game, _) = random_game(5);
    let good = || gtp(&scratch, "good", &game, 99, "none");
    let error = |engines: &[String], change: &dyn Fn(&mut MatchArgs)| {
        let mut args = args(&scratch, engines, 2);
        change(&mut args);
        let error = play_out(&args).unwrap_err().to_string();
        let _ = fs::remove_dir_all(scratch.path("out"));
        error
    };
    let missing = error(&[good(), "name=x,cmd=/nonexistent/engine".into()], &|_| {});
    assert!(missing.starts_with("engine `x` could not be started: /nonexistent/engine"), "{missing}");
    let dead = error(&[good(), "name=x,cmd=false".into()], &|_| {});
    assert!(dead.starts_with("engine `x` died"), "{dead}");
    let mute = error(&[good(), "name=x,cmd=sleep 20".into()], &|args| args.options.start_timeout = Some(0.3));
    assert!(mute.starts_with("engine `x` did not answer `name` within 0.3 s"), "{mute}");
    let board = error(&[good(), gtp(&scratch, "x", &game, 0, "noboard")], &|_| {});
    assert!(board.contains("engine `x` refused `boardsize 8`: no such size"), "{board}");
    let openings = scratch.write("openings.txt", "f5d6\nf5d6d6\n");
    let illegal = error(&[good(), "name=x,cmd=y".into()], &|args| args.options.openings = Some(openings.clone()));
    assert!(illegal.contains("openings.txt:2: move 3: d6: illegal move"), "{illegal}");
    let board = scratch.write("board.obf", &format!("{};\n", after_f5()));
    let position = error(&[good(), gtp(&scratch, "x", &game, 0, "none")], &|args| {
        args.options.openings = Some(board.clone());
    });
    assert!(
        position.contains("can only start from the normal position") && position.contains("board.obf, game 1"),
        "{position}"
    );
    let blocked = scratch.write("blocked", "");
    let unwritable = error(&[good(), gtp(&scratch, "x", &game, 0, "none")], &|args| {
        args.out = Some(blocked.join("dir"));
    });
    assert!(unwritable.contains("blocked/dir"), "{unwritable}");
    let one = error(&[good()], &|_| {});
    assert!(one.contains("two engines or more"), "{one}");
    let cores = error(&[good(), gtp(&scratch, "x", &game, 0, "none") + ",threads=4"], &|args| {
        (args.options.concurrency, args.options.cores) = (Some(2), Some(4));
    });
    assert!(cores.contains("need 8 cores"), "{cores}");
    assert!(error(&[good(), "self".into()], &|_| {}).contains("does not play Othello"));
}

#[test]
fn a_killed_match_goes_on_with_the_same_pairing() {
    let (game, _) = random_game(5);
    let whole = Scratch::new();
    let engines: Vec<String> = ["a", "b", "c"].iter().map(|name| gtp(&whole, name, &game, 99, "none")).collect();
    let mut args = args(&whole, &engines, 4);
    args.options.format = Some(schedule::Format::RoundRobin);
    play_out(&args).unwrap();
    let all = records(&whole);
    assert_eq!(all.len(), 12);
    let out = whole.path("out");
    let results = fs::read_to_string(Folder::results(&out)).unwrap();
    let lines: Vec<&str> = results.lines().collect();

    // Killed in the middle of writing the sixth game, with the games file cut somewhere else.
    fs::write(Folder::results(&out), format!("{}\n{}", lines[..6].join("\n"), &lines[6][..40])).unwrap();
    fs::write(out.join("games.ggf"), "(;GM[Oth").unwrap();
    let resumed = MatchArgs { resume: Some(out.clone()), options: MatchOptions::default(), ..MatchArgs::default() };
    assert_eq!(play_out(&resumed).unwrap(), Ending::Finished);
    let pairing = |records: &[GameRecord]| {
        records.iter().map(|r| (r.index, r.opening, r.players, moves_of(r))).collect::<Vec<_>>()
    };
    assert_eq!(pairing(&records(&whole)), pairing(&all));
    assert_eq!(fs::read_to_string(out.join("games.ggf")).unwrap().lines().count(), 12);

    // A finished match has nothing left to do, a longer one goes on, another one is refused.
    assert_eq!(play_out(&resumed).unwrap(), Ending::Finished);
    assert_eq!(records(&whole).len(), 12);
    let mut longer = resumed.clone();
    longer.options.games = Some(6);
    assert_eq!(play_out(&longer).unwrap(), Ending::Finished);
    assert_eq!(records(&whole).len(), 18);
    let mut other = resumed;
    other.options.random_plies = Some(4);
    assert!(play_out(&other).unwrap_err().to_string().contains("game 1 would have been another one"));
}

#[test]
fn the_sequential_test_ends_a_match() {
    let (game, _) = random_game(5);
    for (order, expected, code) in [(false, Verdict::H1, 0), (true, Verdict::H0, 3)] {
        let scratch = Scratch::new();
        let mut engines = vec![gtp(&scratch, "good", &game, 99, "none"), gtp(&scratch, "weak", &game, 2, "resign")];
        if order {
            engines.reverse();
        }
        let mut args = args(&scratch, &engines, 1000);
        args.options.sprt = Some(vec!["elo0=0".into(), "elo1=200".into()]);
        let ending = play_out(&args).unwrap();
        assert_eq!((ending, ending.exit_code()), (Ending::Decided(expected), code));
        let played = records(&scratch).len();
        assert!((4..100).contains(&played), "{played}");
        // Resuming a decided match plays nothing.
        let resumed = MatchArgs { resume: Some(scratch.path("out")), options: MatchOptions::default(), ..args };
        assert_eq!(play_out(&resumed).unwrap(), Ending::Decided(expected));
        assert_eq!(records(&scratch).len(), played);
    }
}

#[test]
fn a_hopeless_engine_ends_the_match_and_strictness_is_told() {
    let (game, _) = random_game(5);
    let scratch = Scratch::new();
    let engines = [gtp(&scratch, "bad", &game, 3, "illegal"), gtp(&scratch, "good", &game, 99, "none")];
    let mut args = args(&scratch, &engines, 100);
    args.options.max_failures = Some(3);
    let error = play_out(&args).unwrap_err().to_string();
    assert!(error.starts_with("engine `bad` failed 3 games in a row"), "{error}");
    assert_eq!(records(&scratch).len(), 3);

    fs::remove_dir_all(scratch.path("out")).unwrap();
    args.options.games = Some(2);
    args.options.strict = Some(true);
    assert_eq!(play_out(&args).unwrap(), Ending::Faulty);
}

#[test]
fn many_games_at_a_time() {
    let (game, score) = random_game(5);
    let scratch = Scratch::new();
    let engines: Vec<String> = ["a", "b", "c", "d"].iter().map(|name| gtp(&scratch, name, &game, 99, "none")).collect();
    let mut args = args(&scratch, &engines, 4);
    (args.options.concurrency, args.options.cores) = (Some(4), Some(4));
    args.options.format = Some(schedule::Format::RoundRobin);
    assert_eq!(play_out(&args).unwrap(), Ending::Finished);
    let mut indices: Vec<usize> = records(&scratch).iter().map(|record| record.index).collect();
    indices.sort_unstable();
    assert_eq!(indices, (0..24).collect::<Vec<_>>());
    assert!(records(&scratch).iter().all(|record| record.verdict.score == Some(score)));
}

#[test]
fn a_stop_ends_the_match_at_once_and_leaves_it_to_be_resumed() {
    let (game, _) = random_game(5);
    let scratch = Scratch::new();
    let engines = [gtp(&scratch, "slow", &game, 0, "hang"), gtp(&scratch, "good", &game, 99, "none")];
    let mut args = args(&scratch, &engines, 10);
    args.options.think_timeout = Some(25.0);
    let stop = Arc::new(AtomicBool::new(false));
    let later = stop.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(700));
        later.store(true, Ordering::Relaxed);
    });
    let start = Instant::now();
    assert_eq!(play_match(&args, NO_OWN_ENGINE, &stop).unwrap(), Ending::Interrupted);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(Ending::Interrupted.exit_code(), 4);
    assert!(records(&scratch).is_empty());
}

#[test]
fn a_stopped_match_goes_on_inside_the_game_with_its_clocks() {
    let (game, _) = random_game(5);
    let scratch = Scratch::new();
    // Hangs at the 21st move; whoever takes its place knows the game.
    let engines = [gtp(&scratch, "a", &game, 20, "hang"), gtp(&scratch, "b", &game, 20, "hang")];
    let mut args = args(&scratch, &engines, 1);
    (args.options.think_timeout, args.options.tc) = (Some(25.0), Some("60+0".into()));
    let stop = Arc::new(AtomicBool::new(false));
    let later = stop.clone();
    let running = scratch.path("out").join("running.jsonl");
    let watched = running.clone();
    thread::spawn(move || {
        while fs::read_to_string(&watched).map_or(0, |text| text.lines().count()) < 20 {
            thread::sleep(Duration::from_millis(5));
        }
        later.store(true, Ordering::Relaxed);
    });
    assert_eq!(play_match(&args, NO_OWN_ENGINE, &stop).unwrap(), Ending::Interrupted);
    let before = journal::Journal::read(&running, |_| false).unwrap().remove(&0).unwrap();
    assert_eq!(before.len(), 20);
    // So much that it can be seen on the clock.
    let slow = record::Ply { seconds: Some(30.0), ..before[0].clone() };
    journal::Journal::create(&running, &[(0, [std::slice::from_ref(&slow), &before[1..]].concat())].into()).unwrap();
    for name in ["a", "b"] {
        scratch.write(&format!("{name}.sh"), &script(GTP_FAKE, &game).replace("at=$1; fault=$2", "at=99; fault=none"));
    }
    let resumed = MatchArgs { resume: Some(scratch.path("out")), options: MatchOptions::default(), ..args };
    assert_eq!(play_out(&resumed).unwrap(), Ending::Finished);
    let record = records(&scratch).remove(0);
    assert_eq!(moves_of(&record), game);
    assert!((record.plies[0].seconds, record.plies[1].seconds.is_some()) == (slow.seconds, true));
    assert!(record.seconds > 30.0 && record.opening_plies == 0);
    assert!(!running.exists(), "nothing is being played");
}

const OWN_ENGINE: Maker = |_| Some(Box::new(crate::othello::OthelloEngine::new()));

#[test]
fn our_own_engine_plays_in_this_process() {
    let scratch = Scratch::new();
    let board = &after_f5();
    let openings = scratch.write("openings.txt", &format!("f5d6c3d3\n{board}\nf5f6e6f4\n"));
    let engines = ["self:depth=1,hash=14".to_owned(), "self:depth=3,hash=14,name=three".to_owned()];
    let mut args = args(&scratch, &engines, 6);
    (args.options.openings, args.options.random_plies) = (Some(openings), None);
    args.options.think_timeout = Some(60.0);
    let ending = play_match(&args, OWN_ENGINE, &Arc::default()).unwrap();
    assert_eq!(ending, Ending::Finished);
    let played = records(&scratch);
    assert_eq!(played.len(), 6);
    for record in &played {
        assert_eq!(record.verdict.reason, Reason::End, "{:?}", record.verdict);
        let thought = |ply: &&record::Ply| ply.seconds.is_some();
        assert!(record.plies.iter().filter(thought).all(|ply| ply.value.is_some() && ply.depth.is_some()));
        let first = &record.plies[record.opening_plies];
        let depth = if record.players[first.colour.index()] == 0 { "1" } else { "3" };
        assert_eq!(first.depth.as_deref(), Some(depth));
    }
    assert_eq!(played[2].position.as_deref(), Some(board.as_str()));
}

#[test]
fn our_own_engine_keeps_to_the_clock() {
    let scratch = Scratch::new();
    let engines = ["self:level=10,hash=16".to_owned(), "self:level=10,hash=16,name=b,tc=move=0.05".to_owned()];
    let mut args = args(&scratch, &engines, 2);
    args.options.tc = Some("1.5+0.02".into());
    // The machine may be busy with other tests.
    args.options.margin = Some(3000);
    play_match(&args, OWN_ENGINE, &Arc::default()).unwrap();
    assert!(records(&scratch).iter().all(|record| record.verdict.reason == Reason::End), "{:?}", records(&scratch));
}

#[test]
fn a_bad_setting_of_our_own_engine_is_said_at_once() {
    let scratch = Scratch::new();
    for (bad, expected) in [("self:level=99", "level"), ("self:nonsense=1", "nonsense")] {
        let args = args(&scratch, &["self".to_owned(), bad.to_owned()], 2);
        let error = play_match(&args, OWN_ENGINE, &Arc::default()).unwrap_err().to_string();
        assert!(error.contains("could not be started") && error.contains(expected), "{error}");
        fs::remove_dir_all(scratch.path("out")).unwrap();
    }
}

/// The best result for black by trying everything.
fn brute_force(board: crate::othello::Board) -> i32 {
    if board.is_over() {
        return board.final_score();
    }
    if board.must_pass() {
        return -brute_force(board.pass());
    }
    board.moves().into_iter().filter_map(|square| board.play(square)).map(|next| -brute_force(next)).max().unwrap_or(0)
}

#[test]
fn the_end_is_computed_when_asked_for() {
    let scratch = Scratch::new();
    let (game, _) = random_game(8);
    let engines = [gtp(&scratch, "a", &game, 99, "none"), gtp(&scratch, "b", &game, 99, "none")];
    let mut args = args(&scratch, &engines, 1);
    args.options.solve_from = Some(7);
    play_out(&args).unwrap();
    let record = &records(&scratch)[0];
    assert_eq!(record.verdict.reason, Reason::Solved);
    let mut board = crate::othello::Board::START;
    for text in &game[..record.plies.len()] {
        board = if text == "pass" { board.pass() } else { board.play(text.parse().unwrap()).unwrap() };
    }
    assert_eq!(board.empty_count(), 7);
    let sign = if record.plies.len().is_multiple_of(2) { 1 } else { -1 };
    assert_eq!(record.verdict.score, Some(f64::from(sign * brute_force(board))));
}

#[test]
fn go_is_counted_without_the_stones_both_call_dead() {
    let (agreed, as_it_stands) = (25.0 - 7.0, 0.0 - 7.0);
    for (one, other, referee, expected, reason) in [
        ("A1", "A1", None, agreed, Reason::End),
        ("A1", "", None, as_it_stands, Reason::Disputed),
        ("A1", "", Some("A1"), agreed, Reason::End),
        ("A1", "", Some(""), as_it_stands, Reason::End),
    ] {
        let scratch = Scratch::new();
        let engine = |name: &str, dead: &str| {
            let path = scratch.write(&format!("{name}.sh"), &GO_FAKE.replace("DEAD", dead));
            format!("name={name},cmd=sh {}", path.display())
        };
        let mut args = args(&scratch, &[engine("a", one), engine("b", other)], 1);
        args.options.game = Some(options::GameName::Go);
        args.options.size = Some(5);
        args.options.referee = referee.map(|dead| engine("judge", dead));
        play_out(&args).unwrap();
        let record = &records(&scratch)[0];
        assert_eq!(moves_of(record), ["C3", "A1", "pass", "pass"]);
        assert_eq!((record.verdict.score, record.verdict.reason), (Some(expected), reason), "{:?}", record.verdict);
        let sgf = fs::read_to_string(scratch.path("out/games.sgf")).unwrap();
        assert!(
            sgf.contains("SZ[5]") && [";B[cc]", ";W[ae]", ";B[]", ";W[]"].iter().all(|ply| sgf.contains(ply)),
            "{sgf}"
        );
    }
}
