use super::search::Below;
use super::{Follower, Library};
use crate::base::{Control, Limits};
use crate::go::notation::parse_vertex;
use crate::go::{Config, GoGame, Player, PlayerKind, Point, Rules};
use std::{collections::BTreeSet, sync::Arc};

fn library(text: &str) -> Arc<Library> {
    Arc::new(Library::from_text("test", text).unwrap_or_else(|fault| panic!("{fault}")))
}

fn game(size: usize, names: &str) -> GoGame {
    let mut game = GoGame::new(size, Rules::CHINESE, 6.5).unwrap();
    for name in names.split_whitespace() {
        let p = parse_vertex(game.geometry(), name).unwrap();
        game.play(game.to_move(), p).unwrap();
    }
    game
}

fn named(game: &GoGame, names: &str) -> BTreeSet<Point> {
    names.split_whitespace().map(|name| parse_vertex(game.geometry(), name).unwrap()).collect()
}

fn pattern(name: &str, moves: &str) -> String {
    format!(
        "pattern {name}; applied_place corner non_symmetric; pickup none; condition emparea(pa1, 4, 4);\n\
         candidate {moves} end_candidate; end_pattern;\n"
    )
}

#[test]
fn ways_that_begin_with_the_same_move_both_go_on() {
    let text = pattern("two", "with (i, 5) pd4; next (i, 4) pf3; with (i, 3) pd4; next (i, 2) pc6;");
    let game = game(19, "D4");
    let mut follower = Follower::new(library(&text), &game);
    follower.follow(&game);
    let found: BTreeSet<Point> = follower.candidates().iter().map(|c| c.point).collect();
    assert!(found.is_superset(&named(&game, "F3 C6")));
}

#[test]
fn a_side_goes_on_with_its_intent() {
    let text = pattern("calm", "with (kakicho, 50) pc3;") + &pattern("sharp", "with (tatakai, 45) pd4;");
    let library = library(&text);
    let first = |played: &str, bonus: i64| {
        let game = game(19, played);
        let mut follower = Follower::new(library.clone(), &game);
        follower.set_bonus(bonus);
        follower.follow(&game);
        follower.candidates()[0].intent.to_string()
    };
    assert_eq!(first("D4 K10", 0), "kakicho");
    assert_eq!(first("D4 K10", 20), "tatakai", "black played the star point");
    assert_eq!(first("C3 K10", 20), "kakicho");
    // White has played no candidate yet.
    assert_eq!(first("D4", 20), "kakicho");
}

#[test]
fn a_new_game_begins_anew_with_the_same_matcher() {
    let library = library(&pattern("a", "with (i, 1) pc3; next (i, 1) pd3;"));
    let mut follower = Follower::new(library.clone(), &game(19, ""));
    for played in ["C3 Q17", "", "D4", "C3"] {
        for size in [19, 13] {
            let played = game(size, if size == 13 { "" } else { played });
            follower.follow(&played);
            let mut fresh = Follower::new(library.clone(), &played);
            fresh.follow(&played);
            assert_eq!(follower.candidates(), fresh.candidates());
            assert_eq!(follower.forest().trees(), fresh.forest().trees());
        }
    }
}

#[test]
fn candidates_are_prior_games_below_the_root_too() {
    let library = library(&pattern("odd", "with (i, 9) pa1;"));
    let start = game(9, "E5");
    let mut follower = Follower::new(library.clone(), &start);
    let below = Arc::new(Below::new(&start, &mut follower, 40.0));
    let mut hinter = below.hinter();
    let corners = named(&start, "A1 J1 A9 J9");
    let after =
        |hints: Vec<(Point, f32)>| hints.into_iter().map(|(p, games)| (p, games as u32)).collect::<BTreeSet<_>>();
    let taken = named(&start, "A1").into_iter().next().unwrap();
    let rest = |except: Point| corners.iter().filter(|&&p| p != except).map(|&p| (p, 40)).collect::<BTreeSet<_>>();
    assert_eq!(after(hinter(&[taken])), rest(taken));
    assert_eq!(after(hinter(&[Point::PASS])), rest(Point::PASS));
    // The answer to a move is one of them only where the search is told of them.
    let answer = |depth: usize| {
        let priors = Config { seed: 1, gopal_priors: 3_000.0, gopal_depth: depth, ..Config::named(PlayerKind::Rave) };
        let mut player = Player::new(priors);
        player.set_library(library.clone());
        let report = player.examine(&start, Limits { nodes: Some(600), ..Limits::NONE }, Control::alone());
        let best = report.moves.iter().find(|m| m.line.len() > 1).expect("a line of two moves");
        corners.contains(&best.line[1])
    };
    assert!(answer(1) && !answer(0));
}
