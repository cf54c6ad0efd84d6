//! Every pattern of `tactics.gopal` finds its moves in a position made for it, whichever way the board is turned.

use super::{Follower, Library};
use crate::base::Colour;
use crate::go::game::GoGame;
use crate::go::notation::{Vertex, parse_picture};
use crate::go::{Board, Point, Rules};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A pattern, the rows of a position from the top with `X` to move, and all the moves the pattern has there.
type Case = (&'static str, &'static str, &'static str);

/// Empty rows around rows in the middle of a 9x9 board.
const CASES: &[Case] = &[
    ("take_many", "/////..XXX..../.XOOO..../..XXX....", "F3"),
    ("take_two", "..XX...../.XOO...../..XX.....", "E8"),
    ("take_one", "..X....../.XO....../..X......", "D8"),
    ("save_many", "..OOO..../.OXXX..../..OOO....", "F8"),
    ("save_few", "..OO...../.OXX...../..OO.....", "E8"),
    ("ladder", "/////...XO..../....XX...", "E5"),
    ("leave_the_ladder", "////...O...../..OXX..../...OOO...", "E5 F4"),
    ("net", "///...X...../...XO..../....XX...", "F6"),
    ("snapback", "//////XXXXX..../XOOOX..../XO..X....", "C1"),
    ("hane_at_the_head_of_two", "////...XO..../...XO....", "E6 E3"),
    ("hane", "////....O..../....X....", "D5 F5"),
    ("extend_from_contact", "////...OX..../....O....", "F5 E6"),
    ("extend_from_crosscut", "///....OX.../....XO...", "E4 D5 F7 G6"),
    ("cut", "///....XO.../....O....", "F5"),
    ("connect_the_cut", "///....OX.../....X....", "F5"),
    ("answer_the_peep", "////....X.X../.....O...", "F5"),
    ("push_through_the_jump", "////....O.O../.....X...", "F5"),
    ("bamboo_joint", "////...OX.X../...OX....", "G4"),
    ("take_the_eye_of_three", "///////OOOOO..../O...O....", "C1"),
    ("make_eyes_of_three", "///////XXXXX..../X...X....", "C1"),
    ("take_the_bent_three", "//////OOO....../O.OO...../O..O.....", "B1"),
    ("make_eyes_of_bent_three", "//////XXX....../X.XX...../X..X.....", "B1"),
    ("extend_on_the_side", "//////...X.....", "G3"),
    ("split_the_side", "//////////..O..........", "H3 C8"),
];

/// Rows from the top, the missing ones and missing ends empty.
fn board(rows: &str) -> Board {
    let rows: Vec<&str> = rows.split('/').collect();
    let size = if rows.len() > 9 { 13 } else { 9 };
    let row = |i: usize| format!("{:.<size$}\n", rows.get(i).copied().unwrap_or(""));
    let mut board = parse_picture(&(0..size).map(row).collect::<String>()).unwrap();
    board.set_to_move(Colour::Black);
    board
}

fn suggested(library: &Arc<Library>, pattern: &str, board: &Board) -> BTreeSet<Point> {
    let game = GoGame::from_board(board.clone(), Rules::CHINESE, 6.5);
    let mut follower = Follower::new(library.clone(), &game);
    follower.follow(&game);
    let all = follower.forest().all_candidates(board, 1).into_iter();
    all.filter(|c| &*library.rules()[c.rule].name == pattern).map(|c| c.point).collect()
}

fn tactics() -> Arc<Library> {
    let text = include_str!("../../../resources/gopal/tactics.gopal");
    Arc::new(Library::from_text("tactics", text).unwrap_or_else(|fault| panic!("{fault}")))
}

#[test]
fn every_tactical_pattern_finds_its_moves() {
    let library = tactics();
    for &(pattern, rows, moves) in CASES {
        let board = board(rows);
        let g = board.geometry();
        let found = suggested(&library, pattern, &board);
        let names: BTreeSet<String> = found.iter().map(|&p| Vertex(g, p).to_string()).collect();
        assert_eq!(names, moves.split(' ').map(str::to_owned).collect(), "{pattern}");
        // Turned and mirrored it is the same.
        for symmetry in 1..8 {
            let stones = g.points().filter_map(|p| Some((g.transform(p, symmetry), board.cell(p).colour()?)));
            let mut turned = Board::with_stones(g, stones).unwrap();
            turned.set_to_move(Colour::Black);
            let expected: BTreeSet<Point> = found.iter().map(|&p| g.transform(p, symmetry)).collect();
            assert_eq!(suggested(&library, pattern, &turned), expected, "{pattern}, symmetry {symmetry}");
        }
    }
    let tried: BTreeSet<&str> = CASES.iter().map(|case| case.0).collect();
    let all: BTreeSet<&str> = library.rules().iter().map(|rule| &*rule.name).collect();
    assert_eq!(tried, all, "a position for every pattern");
}

#[test]
fn what_does_not_work_is_not_suggested() {
    let library = tactics();
    let none = |pattern: &str, rows: &str| {
        assert_eq!(suggested(&library, pattern, &board(rows)), BTreeSet::new(), "{pattern}");
    };
    // A stone in its way breaks the ladder.
    none("ladder", "///......O..//...XO..../....XX...");
    // The net has a hole: without the stone at F4 the prey gets out there.
    none("net", "///...X...../...XO..../....X....");
    // With a liberty more for the takers nothing snaps back.
    none("snapback", "//////X.XXX..../XOOOX..../XO..X....");
    // The cutting stone would be caught.
    none("cut", "///....XO.../....O.O../....O....");
    // The three points are open at one end.
    none("take_the_eye_of_three", "///////OOOO...../O........");
}
