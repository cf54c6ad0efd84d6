use super::*;
use crate::{
    base::{Byoyomi, PerLabel, Report as Answered},
    go::Rules,
};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

pub(super) fn engine(size: usize, settings: &[(&str, &str)]) -> GoEngine {
    let mut engine = GoEngine::new();
    engine.resize(size).unwrap();
    for (name, value) in [("seed", "1"), ("playouts", "100"), ("threads", "1")].iter().chain(settings) {
        engine.set(name, value).unwrap();
    }
    engine
}

pub(super) fn play(engine: &mut GoEngine, moves: &str) -> Answer<Notices> {
    let moves: Vec<_> = moves.split(' ').map(|text| (None, text.to_string())).collect();
    engine.play(&moves)
}

pub(super) fn word(engine: &mut GoEngine, name: &str, args: &str) -> Answer<Answered> {
    let command = engine.commands().read(name, args).expect("a command of the game")?;
    engine.work(&Job::Command(command), Control::alone()).map(|outcome| match outcome {
        Outcome::Report(report) => report,
        other => panic!("{other:?}"),
    })
}

pub(super) fn genmove(engine: &mut GoEngine, colour: Colour) -> String {
    match engine.work(&Job::Move { colour: Some(colour), play: true }, Control::alone()).unwrap() {
        Outcome::Move { best, .. } => best,
        other => panic!("{other:?}"),
    }
}

#[test]
fn sizes_and_komi() {
    let mut engine = engine(9, &[]);
    for size in [2, 9, 13, 19, 25] {
        engine.resize(size).unwrap();
        assert_eq!(engine.view().cells.len(), size * size);
        assert_eq!(engine.view().legal.len(), size * size + 1);
    }
    for size in [0, 1, 26, 1000] {
        assert!(engine.resize(size).is_err());
        assert_eq!(engine.view().size, 25);
    }
    engine.komi(-3.5).unwrap();
    assert!(engine.komi(f64::NAN).is_err());
    engine.new_game();
    assert_eq!(engine.game.komi(), -3.5, "a new game keeps the komi");
}

#[test]
fn refused_moves_change_nothing() {
    let mut engine = engine(5, &[]);
    play(&mut engine, "c3 c2").unwrap();
    assert_eq!(play(&mut engine, "b2 c3").unwrap_err().kind, CommandErrorKind::Illegal);
    assert_eq!(play(&mut engine, "b2 z9").unwrap_err().kind, CommandErrorKind::Syntax);
    assert_eq!(engine.view().moves.len(), 2);
    assert!(engine.step(Step::Back(3)).is_err());
    assert_eq!(engine.view().moves.len(), 2);
}

#[test]
fn back_and_forth_and_taking_back() {
    let mut engine = engine(5, &[]);
    play(&mut engine, "c3 c2 d2 b3").unwrap();
    engine.step(Step::Back(3)).unwrap();
    assert_eq!(engine.view().moves.len(), 1);
    engine.step(Step::Forward(2)).unwrap();
    engine.step(Step::To(4)).unwrap();
    assert_eq!(engine.view().moves.len(), 4);
    engine.step(Step::TakeBack(1)).unwrap();
    assert!(engine.step(Step::Forward(1)).is_err());
    assert_eq!(engine.view().to_move, Colour::White);
}

#[test]
fn repetition_is_refused_unless_accepted() {
    let mut engine = engine(4, &[]);
    engine.import("OXOO\nOXXO\n.OXO\nXO.O").unwrap();
    play(&mut engine, "a2 a3 a1").unwrap();
    assert_eq!(play(&mut engine, "a4").unwrap_err().kind, CommandErrorKind::Illegal);
    assert!(!engine.view().legal.contains(&"A4".into()));
    engine.set("accept-repetition", "on").unwrap();
    play(&mut engine, "a4").unwrap();
    assert_eq!(engine.view().moves.len(), 4);
}

#[test]
fn moves_come_for_any_colour_and_are_legal() {
    for player in ["primitive", "uct", "patterns", "rave"] {
        let mut engine = engine(5, &[("player", player), ("playouts-per-move", "3"), ("resign-below", "0")]);
        for _ in 0..3 {
            let best = genmove(&mut engine, Colour::White);
            assert!(engine.view().moves.last().unwrap().1 == best, "{player}: {best}");
        }
        assert_eq!(engine.view().count[0], 0);
    }
}

#[test]
fn one_seed_one_game() {
    let game = || {
        let mut engine = engine(7, &[("seed", "5")]);
        (0..6).map(|i| genmove(&mut engine, Colour::BOTH[i % 2])).collect::<Vec<_>>()
    };
    assert_eq!(game(), game());
}

#[test]
fn asking_without_playing_changes_nothing() {
    let mut engine = engine(9, &[]);
    play(&mut engine, "e5").unwrap();
    engine.work(&Job::Move { colour: Some(Colour::Black), play: false }, Control::alone()).unwrap();
    engine.work(&Job::Hint { count: 3, focus: Default::default() }, Control::alone()).unwrap();
    let query = Query { moves: Some("c3 d4".into()), count: 2, ..Query::default() };
    let Outcome::Move { colour, thought, .. } = engine.work(&Job::Query(query), Control::alone()).unwrap() else {
        panic!()
    };
    assert_eq!((colour, thought.lines.len()), (Colour::Black, 2));
    assert_eq!(engine.view().moves, [(Colour::Black, "E5".to_string())]);
    assert_eq!(engine.view().to_move, Colour::White);
}

#[test]
fn a_stop_ends_any_work_and_the_answer_says_so() {
    for job in [
        Job::Move { colour: None, play: false },
        Job::Watch { colour: None, count: 5, focus: Default::default() },
        Job::Ponder,
        Job::Hint { count: 1, focus: Default::default() },
        Job::Analyse,
        Job::Command(crate::engine::GameCommand::new("ownership", super::commands::GoCommand::Ownership)),
    ] {
        let mut engine = engine(19, &[("playouts", "0"), ("move-time", "600"), ("threads", "2")]);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                stop.store(true, Ordering::Relaxed);
            });
            match engine.work(&job, Control::new(&stop, &|_: &Progress| {})).unwrap() {
                Outcome::Move { thought, best, .. } => {
                    assert!(!thought.complete);
                    assert!(engine.view().legal.contains(&best));
                }
                Outcome::Thought(thought) => assert!(!thought.complete),
                Outcome::Analysis(analysis) => assert!(!analysis.complete),
                Outcome::Done(_) | Outcome::Report(_) => {}
            }
        });
    }
}

#[test]
fn a_stop_before_the_beginning_still_gives_a_legal_move() {
    let mut engine = engine(9, &[("playouts", "0"), ("move-time", "600")]);
    let stop = AtomicBool::new(true);
    let job = Job::Move { colour: None, play: true };
    let Outcome::Move { best, .. } = engine.work(&job, Control::new(&stop, &|_: &Progress| {})).unwrap() else {
        panic!()
    };
    assert_eq!(engine.view().moves, [(Colour::Black, best)]);
}

#[test]
fn handicap() {
    let mut engine = engine(9, &[]);
    assert_eq!(word(&mut engine, "fixed_handicap", "2").unwrap(), Answered::Names(vec!["C3".into(), "G7".into()]));
    assert_eq!(engine.view().to_move, Colour::White);
    assert_eq!(engine.view().count, [2, 0]);
    assert!(word(&mut engine, "fixed_handicap", "2").is_err(), "the board is in use");
    engine.new_game();
    for bad in ["1", "10", "x", ""] {
        assert!(word(&mut engine, "fixed_handicap", bad).is_err(), "{bad}");
    }
    let places = word(&mut engine, "place_free_handicap", "12").unwrap();
    assert!(matches!(&places, Answered::Names(names) if names.len() == 12), "{places:?}");
    engine.new_game();
    for bad in ["C3", "C3 C3", "C3 pass", "C3 Z1"] {
        assert!(word(&mut engine, "set_free_handicap", bad).is_err(), "{bad}");
        assert_eq!(engine.view().count, [0, 0]);
    }
    word(&mut engine, "set_free_handicap", "C3 D4 E5").unwrap();
    assert_eq!((engine.game.handicap(), engine.view().count), (3, [3, 0]));
}

#[test]
fn clocks_run_down() {
    let mut engine = engine(9, &[("playouts", "0")]);
    let byoyomi = Some(Byoyomi { period: Duration::from_secs(1), stones: 2, stones_left: None });
    let clock = Clock { left: Duration::from_secs(2), increment: Duration::ZERO, byoyomi };
    engine.set_time(TimeControl { clock: Some(clock) });
    let begun = Instant::now();
    genmove(&mut engine, Colour::Black);
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert!(engine.clocks.of(Colour::Black).unwrap().left < Duration::from_secs(2));
    assert_eq!(engine.clocks.of(Colour::White), Some(&clock));
    let now = Clock { left: Duration::from_millis(300), ..clock };
    engine.time_left(Colour::White, now);
    assert_eq!(engine.clocks.of(Colour::White), Some(&now));
    engine.new_game();
    assert_eq!(Colour::BOTH.map(|colour| engine.clocks.of(colour)), [Some(&clock); 2]);
}

#[test]
fn pondering_goes_on_from_our_move_until_theirs() {
    let mut engine = engine(9, &[("ponder", "on")]);
    assert!(!engine.wants_to_ponder());
    genmove(&mut engine, Colour::Black);
    assert!(engine.wants_to_ponder());
    play(&mut engine, "a1").unwrap();
    assert!(!engine.wants_to_ponder());
    engine.set("ponder", "off").unwrap();
    genmove(&mut engine, Colour::Black);
    assert!(!engine.wants_to_ponder());
}

#[test]
fn files_keep_their_variations() {
    let mut engine = engine(9, &[]);
    let text = "(;GM[1]SZ[9]KM[5.5]RU[Japanese]PB[A]PW[B];B[ee](;W[cc]C[good])(;W[gg];B[gc]))";
    engine.import(text).unwrap();
    assert_eq!(engine.view().names, ["A".to_string(), "B".to_string()]);
    assert_eq!((engine.game.komi(), engine.game.rules()), (5.5, Rules::JAPANESE));
    let written = engine.export("sgf").unwrap();
    assert!(written.contains("W[gg];B[gc]") && written.contains("C[good]"), "{written}");
    engine.step(Step::Back(1)).unwrap();
    assert_eq!(engine.export("sgf").unwrap(), written, "where we stand is no part of the game");
    play(&mut engine, "d4").unwrap();
    let other = engine.export("sgf").unwrap();
    assert!(other.contains("W[df]") && other.contains("W[cc]"), "{other}");
    engine.import(&other).unwrap();
    assert_eq!(engine.view().moves[1], (Colour::White, "D4".into()), "what was played is the main line");
    let error = engine.import("(;GM[1]SZ[9]\n;B[ee").unwrap_err();
    assert!(error.message.contains("line 2"), "{error}");
    assert_eq!(engine.view().moves.len(), 2, "a refused file changes nothing");
}

#[test]
fn other_notations() {
    let mut engine = engine(5, &[]);
    engine.import("c3, d4 b2").unwrap();
    assert_eq!(engine.export("transcript").unwrap(), "C3 D4 B2");
    engine.import(".....\n..X..\n..O..\n.....\n.....").unwrap();
    assert_eq!(engine.export("board").unwrap(), ".....\n..X..\n..O..\n.....\n.....");
    assert!(engine.import("c3 d9").is_err());
    assert!(engine.export("ggf").is_err());
}

#[test]
fn stones_set_up() {
    let mut engine = engine(5, &[]);
    let stones = [(Colour::Black, "C3".to_string()), (Colour::White, "C2".to_string())];
    engine.set_up(&stones, None).unwrap();
    engine.set_up(&[], Some(Colour::White)).unwrap();
    assert_eq!((engine.view().to_move, engine.view().count), (Colour::White, [1, 1]));
    assert!(engine.set_up(&stones, None).is_err(), "taken");
    play(&mut engine, "c4").unwrap();
    assert!(engine.set_up(&stones[..1], None).is_err());
}

#[test]
fn options_are_checked_and_kept() {
    let mut engine = engine(9, &[]);
    assert!(engine.set("rules", "martian").is_err());
    engine.set("rules", "japanese").unwrap();
    assert_eq!(engine.game.rules(), Rules::JAPANESE);
    assert!(engine.set("colour", "red").is_err());
    assert!(engine.set("threads", "0").is_err());
    engine.set("player", "uct").unwrap();
    let value = |name: &str| engine.settings().into_iter().find(|s| s.name == name).unwrap().value.to_string();
    assert_eq!((value("player"), value("rave"), value("playouts")), ("uct".into(), "off".into(), "100".into()));
}

#[test]
fn scores_and_charts() {
    let mut engine = engine(5, &[]);
    engine.import("..X.O\n..XO.\n..XOO\n..XO.\n..XOO").unwrap();
    engine.komi(0.5).unwrap();
    assert_eq!(word(&mut engine, "final_score", "").unwrap(), Answered::Score(5.5));
    assert_eq!(word(&mut engine, "final_status_list", "dead").unwrap(), Answered::Chains(vec![]));
    let alive = word(&mut engine, "final_status_list", "alive").unwrap();
    assert!(matches!(&alive, Answered::Chains(chains) if chains.len() == 3), "{alive:?}");
    assert!(word(&mut engine, "final_status_list", "sleepy").is_err());
    play(&mut engine, "pass pass").unwrap();
    assert_eq!(engine.view().result, Some(5.5));
    assert!(engine.view().legal.is_empty());
    // Other terms are another question; looking does not answer it.
    engine.komi(1.5).unwrap();
    assert_eq!((engine.view().result, engine.awaits_verdict()), (None, true));
    engine.work(&Job::Judge, Control::alone()).unwrap();
    assert_eq!((engine.view().result, engine.awaits_verdict()), (Some(4.5), false));
    for about in engine.commands().list().iter().filter(|about| about.chart.is_some()) {
        let answer = word(&mut engine, about.name, "");
        if about.name.starts_with("net_") {
            assert!(answer.is_err(), "{} without a network", about.name);
            continue;
        }
        match answer.unwrap() {
            Answered::Points(points) => assert_eq!((points.width, points.values.len()), (5, 25), "{}", about.name),
            Answered::Labels(PerLabel { width, labels }) => {
                assert_eq!((width, labels.len()), (5, 25), "{}", about.name)
            }
            Answered::Names(_) => assert_eq!(about.name, "playout"),
            Answered::Table(_) => assert!(about.name.starts_with("gopal_"), "{}", about.name),
            other => panic!("{}: {other:?}", about.name),
        }
    }
}

#[test]
fn cleaning_up_takes_the_dead() {
    let mut engine = engine(5, &[("playouts", "600")]);
    engine.import(".XO.X\nXXO..\nXXOO.\nX.XO.\n.XXOO").unwrap();
    engine.komi(0.5).unwrap();
    // Black's stone at E5 is dead: white passes usually, but takes it when asked to.
    for _ in 0..8 {
        if engine.view().cells[4].is_none() {
            break;
        }
        word(&mut engine, "kgs-genmove_cleanup", "w").unwrap();
    }
    assert_eq!(engine.view().captured[1], 1, "{}", engine.export("board").unwrap());
}

#[test]
fn whole_games_are_judged() {
    let mut engine = engine(5, &[("playouts", "50")]);
    play(&mut engine, "c3 c2 d2").unwrap();
    let Outcome::Analysis(analysis) = engine.work(&Job::Analyse, Control::alone()).unwrap() else { panic!() };
    assert!(analysis.complete);
    assert_eq!(analysis.moves.len(), 4);
    assert_eq!(analysis.moves[1].played.as_deref(), Some("C2"));
    assert_eq!(engine.view().moves.len(), 3);
}

#[test]
fn gopal_programs_are_loaded_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let [good, bad] = ["good.gopal", "bad.gopal"].map(|name| folder.path().join(name).display().to_string());
    let pattern = "pattern tengen; applied_place anywhere non_symmetric; pickup none;\n\
        condition move_number = 1 & state(pe5) = empty & state(pa1) <> edge & state(pi9) <> edge;\n\
        candidate with (tatakai, 99) pe5; end_candidate; end_pattern;\n";
    std::fs::write(&good, pattern).unwrap();
    std::fs::write(&bad, format!("{pattern} pattern other; applied_place nowhere;")).unwrap();
    let mut engine = engine(9, &[]);
    let programs = |engine: &mut GoEngine| match word(engine, "gopal_list", "").unwrap() {
        Answered::Table(table) => table.rows.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(programs(&mut engine), 3);
    let error = word(&mut engine, "gopal_load", &bad).unwrap_err().message;
    assert!(
        error.ends_with("line 4, column 31: expected corner, side, center or anywhere, found `nowhere`"),
        "{error}"
    );
    assert!(word(&mut engine, "gopal_load", "nowhere.gopal").is_err());
    assert_eq!(programs(&mut engine), 3);
    for _ in 0..2 {
        word(&mut engine, "gopal_load", &good).unwrap();
        assert_eq!(programs(&mut engine), 4, "a program of the same name is replaced");
    }
    assert!(word(&mut engine, "gopal_unload", "jozeki").is_err());
    word(&mut engine, "gopal_unload", "joseki").unwrap();
    assert_eq!(programs(&mut engine), 3);
    assert!(word(&mut engine, "gopal_unload", "joseki").is_err());
    let Answered::Table(table) = word(&mut engine, "gopal_candidates", "").unwrap() else { panic!("a table") };
    assert_eq!(table.rows[0][..3], ["E5".into(), 99.into(), "tatakai".into()]);
    let Answered::Table(table) = word(&mut engine, "gopal_check", &good).unwrap() else { panic!("a table") };
    assert_eq!(table.notes, ["1 patterns read"]);
}

const NEARLY_OVER: &str = "e5 g4 d3 f7 g5 f5 f6 f4 d6 g6 e8 e7 d7 f8 d8 f2 e2 e4 d4 e6 f9 g9 e9 d5 c5 g8 f1 g2 g1 h1 e1 \
    e3 d2 h2 e5 b6 d5 b8 b5 c8 a7 a6 c9 b3 a5 a8 b9 c2 c1 b1 c3 d1 b4 a2 c1 h5 pass";

/// White has lost by half a point, whatever it does, once the dead stones are taken off: the pass that ends the game is
/// not shown as a win, and the game ends as it was shown.
#[test]
fn a_pass_that_ends_the_game_is_worth_what_it_will_be_counted() {
    let mut engine = engine(9, &[("playouts", "6000")]);
    engine.komi(6.5).unwrap();
    play(&mut engine, NEARLY_OVER).unwrap();
    let thought = match engine.work(&Job::Move { colour: Some(Colour::White), play: false }, Control::alone()).unwrap()
    {
        Outcome::Move { thought, .. } => thought,
        other => panic!("{other:?}"),
    };
    let pass = thought.lines.iter().find(|line| line.best() == "pass").expect("the pass was tried");
    let playouts = pass.playouts.expect("it was");
    assert!(playouts.visits > 100 && playouts.win_rate < 0.3, "{playouts:?}");
    play(&mut engine, "pass").unwrap();
    assert_eq!(word(&mut engine, "final_score", "").unwrap(), Answered::Score(0.5));
}

fn watch(engine: &mut GoEngine, focus: crate::engine::Focus) -> Answer<Thought> {
    // It never ends by itself: a stop that is there already leaves one playout, so let some be made.
    let stop = AtomicBool::new(false);
    let tell = |news: &Progress| {
        if matches!(news, Progress::Thought(thought) if thought.nodes > 50) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let job = Job::Watch { colour: None, count: 100, focus };
    match engine.work(&job, Control::new(&stop, &tell))? {
        Outcome::Thought(thought) => Ok(thought),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_analysis_leaves_out_what_it_is_told_to() {
    use crate::engine::{Focus, Restriction};
    let restriction = |colour, moves: &str, only, plies| Restriction {
        colour,
        moves: moves.split(' ').map(String::from).collect(),
        only,
        plies,
    };
    let with = |restriction| Focus { least: 0, restrictions: vec![restriction] };
    let mut engine = engine(5, &[("playouts", "2000")]);
    let firsts = |thought: &Thought| -> Vec<String> { thought.lines.iter().map(|l| l.best().to_string()).collect() };
    // What is asked for is looked at, sensible or not, and nothing else.
    let only = watch(&mut engine, with(restriction(Colour::Black, "A1 E5", true, 1))).unwrap();
    assert!(firsts(&only).iter().all(|name| ["A1", "E5"].contains(&name.as_str())), "{:?}", firsts(&only));
    // In the moves after it too, for one side.
    let deep = watch(&mut engine, with(restriction(Colour::White, "C3", false, 30))).unwrap();
    let lines = deep.lines.iter().filter(|line| line.playouts.is_some_and(|p| p.visits > 0));
    let white: Vec<&String> = lines.flat_map(|line| line.moves.iter().skip(1).step_by(2)).collect();
    assert!(white.len() > 5 && !white.contains(&&"C3".to_string()), "{white:?}");
    // And nothing of it stays: the next analysis sees the whole board.
    let all = watch(&mut engine, Focus { least: 20, restrictions: vec![] }).unwrap();
    assert!(all.lines.len() >= 20 && firsts(&all).contains(&"C3".to_string()), "{:?}", firsts(&all));
    let none = watch(&mut engine, with(restriction(Colour::Black, "Z9", true, 1))).unwrap_err();
    assert_eq!(none.kind, CommandErrorKind::Syntax);
    play(&mut engine, "c3").unwrap();
    let none = watch(&mut engine, with(restriction(Colour::White, "C3", true, 1))).unwrap_err();
    assert_eq!(none.kind, CommandErrorKind::Illegal);
    engine.set("player", "primitive").unwrap();
    let primitive = watch(&mut engine, with(restriction(Colour::White, "C4", true, 1))).unwrap_err();
    assert_eq!(primitive.kind, CommandErrorKind::Unsupported);
    assert!(watch(&mut engine, Focus::default()).is_ok());
}

#[test]
fn a_question_about_some_moves_knows_nothing_of_others() {
    use crate::engine::{Focus, Restriction};
    let mut engine = engine(5, &[("playouts", "200")]);
    let restriction =
        Restriction { colour: Colour::Black, moves: vec!["A1".into(), "E5".into()], only: true, plies: 1 };
    let focus = Focus { least: 0, restrictions: vec![restriction] };
    let ask = |focus| Job::Query(Query { count: 100, focus, ..Query::default() });
    let outcome = engine.work(&ask(focus), Control::alone()).unwrap();
    let Outcome::Move { best, thought, .. } = outcome else { panic!("{outcome:?}") };
    let mut names: Vec<&str> = thought.lines.iter().map(|line| line.best()).collect();
    assert!(names.contains(&best.as_str()));
    names.sort();
    assert_eq!(names, ["A1", "E5"]);
}
