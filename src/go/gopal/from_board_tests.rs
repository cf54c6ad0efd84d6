use super::frame::{self, Frame};
use super::from_board::{NoPattern, Wanted, program};
use super::{Follower, Library};
use crate::go::notation::parse_vertex;
use crate::go::{GoGame, Point, Rules};
use crate::gopal::{Local, ast::Place};
use std::{collections::BTreeSet, sync::Arc};

fn game(moves: &[Point]) -> GoGame {
    let mut game = GoGame::new(19, Rules::CHINESE, 6.5).unwrap();
    for &p in moves {
        game.play(game.to_move(), p).unwrap();
    }
    game
}

fn named(names: &str) -> Vec<Point> {
    let g = crate::go::Geometry::new(19).unwrap();
    names.split_whitespace().map(|name| parse_vertex(g, name).unwrap()).collect()
}

fn wanted(place: Place, moves: usize, points: &[Point]) -> Wanted<'_> {
    Wanted { name: "Learned", place, moves, points }
}

fn library(text: &str) -> Arc<Library> {
    Arc::new(Library::from_text("test", text).unwrap_or_else(|fault| panic!("{fault}\n{text}")))
}

fn candidates(library: &Arc<Library>, game: &GoGame) -> BTreeSet<Point> {
    let mut follower = Follower::new(library.clone(), game);
    follower.follow(game);
    follower.candidates().iter().map(|c| c.point).collect()
}

#[test]
fn a_corner_is_found_in_all_corners() {
    let learned = program(wanted(Place::Corner, 2, &[]), &game(&named("D4 F3 C6 D2"))).unwrap().to_string();
    assert!(
        learned.contains("condition state(pd4) = friend & state(pf3) = enemy & emparea(pa1, 10, 10, pd4, pf3);"),
        "{learned}"
    );
    let library = library(&learned);
    let anchor = Local { column: 1, row: 1 };
    for symmetry in 0..8 {
        let (column, row) = frame::corner(19, symmetry);
        let frame = Frame { symmetry, anchor, column: column as u8, row: row as u8 };
        let g = crate::go::Geometry::new(19).unwrap();
        let at = |column, row| frame.point(g, Local { column, row }).unwrap();
        let line = [at(4, 4), at(6, 3), at(3, 6), at(4, 2)];
        for step in 2..4 {
            assert_eq!(candidates(&library, &game(&line[..step])), BTreeSet::from([line[step]]));
        }
    }
}

#[test]
fn a_side_is_found_along_all_sides() {
    let learned = program(wanted(Place::Side, 1, &[]), &game(&named("K3 K16 M3"))).unwrap().to_string();
    assert!(learned.contains("applied_place side;"), "{learned}");
    assert!(learned.contains("condition state(pa3) = friend & emparea(pa1, 5, 5, pa3);"), "{learned}");
    // With the stone named, two spaces beside a stone of one's own, wherever it stands on the third line.
    let learned = program(wanted(Place::Side, 1, &named("K3 L3")), &game(&named("K3 K16 M3"))).unwrap().to_string();
    assert!(learned.contains("state(pa3) = friend & state(pb3) = empty"), "{learned}");
    let library = library(&learned);
    for (stone, moves) in [("G3", "J3 E3"), ("G17", "J17 E17"), ("C11", "C13 C9"), ("R8", "R6 R10")] {
        let played = game(&named(&format!("{stone} K10")));
        assert_eq!(candidates(&library, &played), named(moves).into_iter().collect(), "{stone}");
    }
}

#[test]
fn the_centre_keeps_to_the_fourth_line() {
    let moves = named("K10 L10 L11");
    let learned = program(wanted(Place::Center, 1, &named("K10 L10")), &game(&moves)).unwrap().to_string();
    assert!(learned.contains("applied_place center;"), "{learned}");
    assert!(learned.contains("state(pa1) = friend & state(pb1) = enemy"), "{learned}");
    let library = library(&learned);
    let hane = |stones: &str| candidates(&library, &game(&named(stones)));
    assert_eq!(hane("G7 H7"), named("H8 H6").into_iter().collect());
    assert_eq!(hane("C3 D3"), BTreeSet::new(), "too low");
    let low = program(wanted(Place::Center, 1, &named("K10 L3")), &game(&moves));
    assert_eq!(low, Err(NoPattern::NotCentral));
    // Anywhere has no such limit.
    let anywhere = program(wanted(Place::Anywhere, 1, &named("K10 L10")), &game(&moves)).unwrap().to_string();
    let everywhere = super::from_board_tests::library(&anywhere);
    assert_eq!(candidates(&everywhere, &game(&named("C3 D3"))), named("D4 D2").into_iter().collect());
}

#[test]
fn what_makes_no_pattern_is_refused() {
    let played = game(&named("D4 F3 C6 D2 Q16"));
    let corner = |moves| program(wanted(Place::Corner, moves, &[]), &played).unwrap_err();
    assert_eq!(corner(6), NoPattern::TooShort(5));
    assert_eq!(corner(0), NoPattern::NoMove);
    assert_eq!(corner(2), NoPattern::TooWide(10));
    let mut passed = played.clone();
    passed.play(passed.to_move(), Point::PASS).unwrap();
    assert_eq!(program(wanted(Place::Side, 1, &[]), &passed).unwrap_err(), NoPattern::NoMove);
    let mut twice = played.clone();
    twice.play(!twice.to_move(), named("K10")[0]).unwrap();
    assert_eq!(program(wanted(Place::Side, 2, &[]), &twice).unwrap_err(), NoPattern::Colours);
}
