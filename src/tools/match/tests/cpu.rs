//! Clocks that count processor time.

use super::*;
use crate::tools::tournament::clock::ClockSource;

fn with_cpu_clock(scratch: &Scratch, engines: &[String], tc: &str) -> MatchArgs {
    let mut args = args(scratch, engines, 2);
    args.options = MatchOptions { clock: Some(ClockSource::Cpu), tc: Some(tc.into()), ..args.options };
    args
}

#[test]
fn who_sleeps_is_in_time_and_who_works_is_not() {
    let scratch = Scratch::new();
    let (game, _) = game_with(1, |moves, _| !moves.iter().any(|m| m == "pass"));
    // From move 50 on one sleeps for 0.6 s, twice what it has; from move 53 on the other works without end.
    let engines = [gtp(&scratch, "sleeper", &game, 50, "late"), gtp(&scratch, "worker", &game, 53, "burn")];
    let args = with_cpu_clock(&scratch, &engines, "move=0.3");
    play_out(&args).unwrap();
    let played = records(&scratch);
    for record in &played {
        let verdict = &record.verdict;
        assert_eq!(verdict.reason, Reason::Timeout, "{verdict:?}");
        let winner = record.players[verdict.winner.unwrap().index()];
        assert_eq!(winner, 0, "the sleeper wins");
        assert!(verdict.detail.contains("worker had not moved after 0.350 s of processor time"), "{}", verdict.detail);
        assert!(record.plies.iter().filter_map(|ply| ply.seconds).all(|seconds| seconds < 0.3));
        assert!(record.plies.len() > 52);
    }
    let page = fs::read_to_string(scratch.path("out/index.html")).unwrap();
    assert!(page.contains("CPU s/move"));
}

#[test]
fn a_clock_is_not_changed_in_the_middle() {
    let scratch = Scratch::new();
    let (game, _) = random_game(3);
    let engines = [gtp(&scratch, "a", &game, 99, "none"), gtp(&scratch, "b", &game, 99, "none")];
    play_out(&with_cpu_clock(&scratch, &engines, "60")).unwrap();
    let resume = |clock| MatchArgs {
        resume: Some(scratch.path("out")),
        options: MatchOptions { clock, games: Some(4), ..MatchOptions::default() },
        ..MatchArgs::default()
    };
    let error = play_out(&resume(Some(ClockSource::Wall))).unwrap_err();
    assert!(error.to_string().contains("another --clock"), "{error}");
    assert_eq!(play_out(&resume(None)).unwrap(), Ending::Finished);
    assert_eq!(records(&scratch).len(), 4);
}

#[test]
fn engines_in_this_program_have_one_thread_and_know_the_clock() {
    let scratch = Scratch::new();
    let own = |game| -> Option<Box<dyn crate::engine::Engine>> {
        match game {
            crate::engine::Game::Othello => Some(Box::new(crate::othello::OthelloEngine::new())),
            crate::engine::Game::Go => Some(Box::new(crate::go::GoEngine::new())),
        }
    };
    let mut args = with_cpu_clock(&scratch, &["self:threads=2,level=1".into(), "self:level=1".into()], "10");
    args.options.cores = Some(2);
    let error = play_match(&args, own, &Arc::default()).unwrap_err();
    assert!(error.to_string().contains("one thread only"), "{error}");
    for game in [options::GameName::Othello, options::GameName::Go] {
        let scratch = Scratch::new();
        let engines = match game {
            options::GameName::Othello => ["self:nodes=2000,hash=12".to_owned(), "self:depth=1,hash=12".into()],
            options::GameName::Go => ["self:playouts=20".to_owned(), "self:playouts=10".into()],
        };
        let mut args = with_cpu_clock(&scratch, &engines, "30");
        args.options.game = Some(game);
        (args.options.size, args.options.max_moves) = (Some(5), Some(60));
        assert_eq!(play_match(&args, own, &Arc::default()).unwrap(), Ending::Finished);
        for record in records(&scratch) {
            assert!(matches!(record.verdict.reason, Reason::End | Reason::Length), "{:?}", record.verdict);
            assert!(record.plies.iter().filter_map(|ply| ply.seconds).sum::<f64>() > 0.0);
        }
    }
}
