use super::*;
use crate::engine::Query;
use std::sync::atomic::AtomicBool;

/// Black cannot move after white's fourth move.
const BLACK_PASSES: &str = "c4 c3 e6 b4 a4 a5 b2 a3";

fn engine(settings: &[(&str, &str)]) -> OthelloEngine {
    let mut engine = OthelloEngine::new();
    for (name, value) in
        [("threads", "1"), ("hash", "14"), ("depth", "3"), ("seed", "1"), ("book", "none")].iter().chain(settings)
    {
        engine.set(name, value).unwrap();
    }
    engine
}

fn play(engine: &mut OthelloEngine, moves: &str) -> Answer<Notices> {
    let moves: Vec<_> = moves.split_whitespace().map(|mv| (None, mv.to_string())).collect();
    engine.play(&moves)
}

fn genmove(engine: &mut OthelloEngine, colour: Option<Colour>) -> Answer<String> {
    match engine.work(&Job::Move { colour, play: true }, Control::alone())? {
        Outcome::Move { best, .. } => Ok(best),
        other => panic!("a move was asked for: {other:?}"),
    }
}

#[test]
fn a_game_against_itself_ends_with_two_passes() {
    let mut engine = engine(&[]);
    let mut passes = 0;
    let mut plies = 0;
    // As a referee that knows no rules would drive it: strictly alternating, until both pass.
    let mut colour = Colour::Black;
    while passes < 2 {
        let over_before = engine.view().over;
        let best = genmove(&mut engine, Some(colour)).unwrap();
        passes = if best == "pass" { passes + 1 } else { 0 };
        assert!(!over_before || best == "pass");
        colour = !colour;
        plies += 1;
        assert!(plies < 130);
    }
    let view = engine.view();
    assert!(view.over && view.legal.is_empty() && view.result.is_some());
}

#[test]
fn the_wrong_side_is_refused_and_nothing_changes() {
    let mut engine = engine(&[]);
    let before = engine.view();
    let refusal = genmove(&mut engine, Some(Colour::White)).unwrap_err();
    assert_eq!((refusal.kind, refusal.message.as_str()), (CommandErrorKind::Illegal, "it is not white's turn"));
    assert!(engine.play(&[(Some(Colour::White), "f4".into())]).is_err());
    assert!(play(&mut engine, "f5 d6 a1").unwrap_err().message.starts_with("move 3: illegal move"));
    assert!(play(&mut engine, "f5 d6 z9").is_err());
    assert_eq!(engine.view(), before);
}

#[test]
fn a_hurried_search_still_has_a_legal_move() {
    let mut engine = engine(&[("depth", "0"), ("level", "60")]);
    let stop = AtomicBool::new(true);
    let outcome = engine.work(&Job::Move { colour: None, play: false }, Control::new(&stop, &|_| {})).unwrap();
    let Outcome::Move { best, thought, .. } = outcome else { panic!("{outcome:?}") };
    assert!(engine.view().legal.contains(&best));
    assert!(!thought.complete);
}

/// What was thought about the expected reply on the opponent's time need not be thought again.
#[test]
fn pondering_on_the_right_reply_saves_work() {
    let after_reply = |ponder: bool| {
        // Pondering goes on to greater depths for as long as it may: with room for both.
        let mut engine = engine(&[("depth", "9"), ("hash", "20"), ("ponder", "on")]);
        play(&mut engine, "f5 f6").unwrap();
        genmove(&mut engine, None).unwrap();
        let Some(Move::Place(reply)) = engine.expectation.and_then(|e| e.reply) else { panic!("a reply is expected") };
        assert!(engine.wants_to_ponder());
        if ponder {
            // Pondering has no end of its own: stopped by the clock of the test.
            let stop = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(1500));
                    stop.store(true, std::sync::atomic::Ordering::Relaxed);
                });
                engine.work(&Job::Ponder, Control::new(&stop, &|_| {})).unwrap();
            });
        }
        play(&mut engine, &reply.to_string()).unwrap();
        let outcome = engine.work(&Job::Move { colour: None, play: false }, Control::alone()).unwrap();
        let Outcome::Move { thought, .. } = outcome else { panic!("{outcome:?}") };
        thought.nodes
    };
    let (with, without) = (after_reply(true), after_reply(false));
    assert!(with * 2 < without, "{with} nodes with pondering, {without} without");
}

#[test]
fn a_query_leaves_game_and_options_alone() {
    let mut engine = engine(&[]);
    play(&mut engine, "f5 d6").unwrap();
    let (view, settings) = (engine.view(), engine.settings());
    let query = Query {
        moves: Some("f5f6e6f4".into()),
        settings: vec![("depth".into(), "2".into()), ("threads".into(), "2".into())],
        count: 3,
        ..Query::default()
    };
    let outcome = engine.work(&Job::Query(query.clone()), Control::alone()).unwrap();
    let Outcome::Move { thought, .. } = outcome else { panic!("{outcome:?}") };
    assert!(thought.lines.len() >= 3 && thought.lines[0].value >= thought.lines[1].value);
    let bad = Query { settings: vec![("depth".into(), "2".into()), ("level".into(), "61".into())], ..query };
    assert_eq!(engine.work(&Job::Query(bad), Control::alone()).unwrap_err().kind, CommandErrorKind::Range);
    assert_eq!((engine.view(), engine.settings()), (view, settings));
}

#[test]
fn every_move_of_a_game_is_judged() {
    let mut engine = engine(&[("depth", "4")]);
    play(&mut engine, "f5 f6 e6 f4 g6").unwrap();
    let outcome = engine.work(&Job::Analyse, Control::alone()).unwrap();
    let Outcome::Analysis(analysis) = outcome else { panic!("{outcome:?}") };
    assert!(analysis.complete);
    assert_eq!(analysis.moves.iter().map(|m| m.ply).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    for judged in &analysis.moves[..5] {
        assert!(judged.best_value >= judged.played_value.unwrap());
    }
    assert_eq!(analysis.moves[5].played, None);
}

#[test]
fn passes_are_said_or_made_as_wanted() {
    let mut by_hand = engine(&[]);
    assert_eq!(play(&mut by_hand, BLACK_PASSES).unwrap(), ["black must pass"]);
    assert_eq!(by_hand.view().legal, ["pass"]);
    assert_eq!(genmove(&mut by_hand, None).unwrap(), "pass");
    assert_eq!(by_hand.view().to_move, Colour::White);

    let mut by_itself = engine(&[("autopass", "on")]);
    assert_eq!(play(&mut by_itself, BLACK_PASSES).unwrap(), ["black passes"]);
    assert_eq!(by_itself.view().to_move, Colour::White);
    by_itself.step(Step::Back(1)).unwrap();
    assert_eq!(by_itself.view().moves.len(), 7);
}

#[test]
fn an_evaluation_file_that_is_none_is_refused() {
    let mut engine = engine(&[]);
    let refusal = engine.set("eval", "/no/such/file").unwrap_err();
    assert_eq!(refusal.kind, CommandErrorKind::File);
    assert_eq!(engine.options.eval, "");
}

#[test]
fn a_random_position_depends_on_its_seed_alone() {
    let mut engine = engine(&[]);
    let mut random = |args: &str| {
        let command = engine.commands().read("random", args).unwrap().unwrap();
        engine.work(&Job::Command(command), Control::alone()).unwrap()
    };
    let first = random("20 7");
    assert_ne!(random("20 8"), first);
    assert_eq!(random("20 7"), first);
    assert_eq!(engine.view().count.iter().sum::<u32>(), 24);
}

#[test]
fn moves_carry_their_time_and_new_games_start_with_full_clocks() {
    let mut engine = engine(&[]);
    let clock = Clock { left: Duration::from_secs(60), increment: Duration::ZERO, byoyomi: None };
    engine.set_time(TimeControl { clock: Some(clock) });
    let left =
        |engine: &OthelloEngine| Colour::BOTH.map(|colour| engine.clocks.of(colour).map(|c| c.left.as_secs_f64()));
    play(&mut engine, "f5//10 d6/-1.5/2.5").unwrap();
    assert_eq!(left(&engine), [Some(50.0), Some(57.5)]);
    assert_eq!((engine.game.last().unwrap().value, engine.game.last().unwrap().seconds), (Some(-1.5), Some(2.5)));
    assert!(play(&mut engine, "c3//5 a1//5").is_err());
    assert_eq!(left(&engine), [Some(50.0), Some(57.5)], "refused moves cost nothing");
    engine.work(&Job::Move { colour: None, play: false }, Control::alone()).unwrap();
    assert_eq!(left(&engine), [Some(50.0), Some(57.5)], "who asked for the move will say what it cost");
    play(&mut engine, "c3/x/-7").unwrap();
    assert_eq!(left(&engine)[0], Some(50.0), "nonsense is no time");
    engine.new_game();
    assert_eq!(left(&engine), [Some(60.0); 2]);
}

#[test]
fn a_question_about_some_moves_knows_nothing_of_others() {
    use crate::engine::Restriction;
    // The book has f4, d6 and f6 after f5; whatever is asked, they are not there when they were not asked for.
    let mut engine = engine(&[("book", "builtin")]);
    let mut ask = |moves: &[&str], only, aim| {
        let moves = moves.iter().map(|mv| (*mv).to_owned()).collect();
        let restrictions = vec![Restriction { colour: Colour::White, moves, only, plies: 1 }];
        let focus = Focus { least: 0, restrictions };
        let query = Query { moves: Some("f5".into()), count: 64, focus, aim, ..Query::default() };
        let outcome = engine.work(&Job::Query(query), Control::alone())?;
        let Outcome::Move { best, thought, .. } = outcome else { panic!("{outcome:?}") };
        let mut found: Vec<String> = thought.lines.iter().map(|line| line.best().to_string()).collect();
        assert_eq!(best, found[0]);
        found.sort();
        Answer::Ok(found)
    };
    for aim in [Aim::Value, Aim::Window(-64.0, 64.0)] {
        assert_eq!(ask(&["f4"], true, aim).unwrap(), ["f4"]);
        assert_eq!(ask(&["f4", "d6"], true, aim).unwrap(), ["d6", "f4"]);
        assert_eq!(ask(&["f4"], false, aim).unwrap(), ["d6", "f6"]);
    }
    let nothing = ask(&["a1"], true, Aim::Value).unwrap_err();
    assert_eq!((nothing.kind, nothing.field.as_deref()), (CommandErrorKind::Illegal, Some("focus")));
    assert_eq!(ask(&["z9"], true, Aim::Value).unwrap_err().kind, CommandErrorKind::Syntax);
}
