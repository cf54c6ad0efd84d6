//! What a search left behind is used only where it is still true: every answer is compared with that of an engine
//! that has nothing to remember.

use super::tests::{engine, genmove, play, word};
use super::*;
use crate::engine::Line;

const FIGHT: &str = "e5 e6 d6 f5 f6 d5";

fn kept(reuse: &str) -> GoEngine {
    let mut engine = engine(9, &[("playouts", "400"), ("resign-below", "0"), ("reuse", reuse), ("early-stop", "off")]);
    play(&mut engine, FIGHT).unwrap();
    engine
}

fn ask(engine: &mut GoEngine, colour: Colour) -> (String, Vec<Line>) {
    match engine.work(&Job::Move { colour: Some(colour), play: false }, Control::alone()).unwrap() {
        Outcome::Move { best, thought, .. } => (best, thought.lines),
        other => panic!("{other:?}"),
    }
}

/// What may happen between two searches after which nothing of the first is true any more.
type Change = (&'static str, Colour, fn(&mut GoEngine));

const CHANGES: &[Change] = &[
    ("the other colour", Colour::White, |_| {}),
    ("another komi", Colour::Black, |engine| engine.komi(-20.5).unwrap()),
    ("other rules", Colour::Black, |engine| engine.set("rules", "japanese").unwrap()),
    ("a move taken back", Colour::White, |engine| engine.step(Step::TakeBack(1)).unwrap()),
    ("a move taken back and another made", Colour::Black, |engine| {
        engine.step(Step::TakeBack(1)).unwrap();
        play(engine, "c3").unwrap();
    }),
    ("a move of the wrong colour", Colour::Black, |engine| {
        engine.play(&[(Some(Colour::White), "c3".into())]).unwrap_none()
    }),
    ("two moves of one colour", Colour::Black, |engine| {
        engine.play(&[(Some(Colour::Black), "c3".into()), (Some(Colour::Black), "g3".into())]).unwrap_none();
    }),
    ("a played move taken back, and the other colour", Colour::White, |engine| {
        genmove(engine, Colour::Black);
        engine.step(Step::TakeBack(1)).unwrap();
    }),
    ("a new game", Colour::Black, |engine| engine.new_game()),
    ("another board", Colour::Black, |engine| engine.resize(7).unwrap()),
    ("a game read", Colour::White, |engine| drop(engine.import("e5 e6 d6 f5 f6 d5 c3").unwrap())),
    ("the same moves from other stones", Colour::Black, |engine| {
        engine.new_game();
        engine.set_up(&[(Colour::Black, "G3".into())], None).unwrap();
        play(engine, FIGHT).unwrap();
    }),
    ("other options", Colour::Black, |engine| engine.set("rave-games", "500").unwrap()),
];

trait Quiet {
    fn unwrap_none(self);
}

impl Quiet for Answer<Notices> {
    fn unwrap_none(self) {
        assert_eq!(self.unwrap(), Notices::new());
    }
}

#[test]
fn nothing_is_kept_that_is_no_longer_true() {
    for (name, colour, change) in CHANGES {
        let answer = |reuse: &str, before: bool| {
            let mut engine = kept(reuse);
            if before {
                ask(&mut engine, Colour::Black);
            }
            change(&mut engine);
            ask(&mut engine, *colour)
        };
        let fresh = answer("off", false);
        assert_eq!(answer("on", true), fresh, "{name}");
        assert_eq!(answer("off", true), fresh, "{name}");
    }
}

/// Two stones given by handicap are paid for, the same stones set up by hand are not.
#[test]
fn the_price_of_a_handicap_is_part_of_the_game() {
    let answer = |first: Option<&str>, second: &str| {
        let mut engine = engine(9, &[("playouts", "300"), ("early-stop", "off")]);
        engine.komi(0.5).unwrap();
        for way in first.into_iter().chain([second]) {
            engine.new_game();
            if way == "handicap" {
                word(&mut engine, "fixed_handicap", "2").unwrap();
            } else {
                let stones = ["C3", "G7"].map(|name| (Colour::Black, name.to_string()));
                engine.set_up(&stones, Some(Colour::White)).unwrap();
            }
            ask(&mut engine, Colour::White);
        }
        ask(&mut engine, Colour::White)
    };
    assert_eq!(answer(Some("handicap"), "by hand"), answer(None, "by hand"));
    assert_ne!(answer(None, "by hand"), answer(None, "handicap"));
}

/// A game that goes on as expected does use what is known.
#[test]
fn the_tree_goes_on_along_the_game() {
    let visits = |reuse: &str| {
        let mut engine = kept(reuse);
        let (_, lines) = ask(&mut engine, Colour::Black);
        let expected = lines[0].moves[..2].join(" ");
        play(&mut engine, &expected).unwrap();
        let (_, lines) = ask(&mut engine, Colour::Black);
        lines.iter().filter_map(|line| line.playouts).map(|known| known.visits).sum::<u64>()
    };
    assert_eq!(visits("off"), 400);
    assert!(visits("on") > 400);
}

/// Whatever is asked in whatever order, every answer is a legal move for the side that was asked.
#[test]
fn no_order_of_commands_leads_astray() {
    for rules in ["chinese", "japanese", "tromp-taylor", "aga"] {
        let mut engine = engine(5, &[("playouts", "60"), ("resign-below", "0"), ("rules", rules)]);
        let mut rng = Rng::new(5);
        for _ in 0..150 {
            let colour = Colour::BOTH[rng.below(2)];
            match rng.below(8) {
                0 => drop(engine.step(Step::TakeBack(1 + rng.below(3)))),
                1 => drop(engine.step(Step::Back(1))),
                2 => drop(engine.step(Step::Forward(1))),
                3 => engine.komi(rng.below(10) as f64).unwrap(),
                4 | 5 => {
                    let (best, lines) = ask(&mut engine, colour);
                    let point = parse_vertex(engine.game.geometry(), &best).unwrap();
                    assert_eq!(engine.game.check(colour, point), Ok(()), "{rules}: {best}");
                    for line in &lines {
                        assert_playable(&engine.game, colour, line);
                    }
                }
                _ => drop(genmove(&mut engine, colour)),
            }
            if engine.view().over {
                engine.step(Step::TakeBack(2)).unwrap();
            }
        }
    }
}

fn assert_playable(game: &GoGame, colour: Colour, line: &Line) {
    let mut game = game.clone();
    game.set_to_move(colour);
    for text in &line.moves {
        let point = parse_vertex(game.geometry(), text).unwrap();
        assert_eq!(game.play(game.to_move(), point), Ok(()), "{text} of {:?}", line.moves);
    }
}

/// What is shown of the last search, and the verdict, belong to their komi and their prisoners.
#[test]
fn what_was_seen_belongs_to_its_terms() {
    let mut engine = kept("on");
    ask(&mut engine, Colour::Black);
    let before = word(&mut engine, "winrates", "").unwrap();
    engine.komi(-60.5).unwrap();
    let after = word(&mut engine, "winrates", "").unwrap();
    assert_ne!(before, after);
    let mut fresh = kept("on");
    fresh.komi(-60.5).unwrap();
    assert_eq!(word(&mut fresh, "winrates", "").unwrap(), after);
}

/// The same stones with more prisoners are worth more.
#[test]
fn a_verdict_belongs_to_its_prisoners() {
    let mut engine = engine(5, &[("rules", "japanese")]);
    engine.import("..XO.\n.XXO.\n..XOO\n..XO.\n..XOO").unwrap();
    engine.komi(0.5).unwrap();
    let first = word(&mut engine, "final_score", "").unwrap();
    // White throws a stone in, black takes it: the board is as before but for the stones black added.
    play(&mut engine, "pass a5 b5 pass").unwrap();
    let second = word(&mut engine, "final_score", "").unwrap();
    let mut fresh = GoEngine::new();
    fresh.import("..XO.\n.XXO.\n..XOO\n..XO.\n..XOO").unwrap();
    fresh.set("rules", "japanese").unwrap();
    fresh.komi(0.5).unwrap();
    play(&mut fresh, "pass a5 b5 pass").unwrap();
    assert_eq!(word(&mut fresh, "final_score", "").unwrap(), second, "after {first:?}");
}
