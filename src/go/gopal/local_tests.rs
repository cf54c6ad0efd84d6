use super::local::{Goal, Local, NoGoal, Verdict, search};
use crate::base::Colour;
use crate::go::board::Board;
use crate::go::notation::{Vertex, parse_picture, parse_vertex};
use crate::go::point::Point;

/// Rows of a 9x9 board from the top, missing ones and missing ends empty.
fn board(rows: &str) -> Board {
    let rows: Vec<&str> = rows.split('/').collect();
    let row = |i: usize| format!("{:.<9}\n", rows.get(i).copied().unwrap_or(""));
    parse_picture(&(0..9).map(row).collect::<String>()).unwrap()
}

fn at(board: &Board, name: &str) -> Point {
    parse_vertex(board.geometry(), name).unwrap()
}

fn ask(board: &Board, goal: Goal, first: Colour) -> Verdict {
    search(Local::new(board, goal).unwrap(), board, first, |nodes| nodes >= 50_000)
}

fn first_move(board: &Board, verdict: &Verdict) -> String {
    Vertex(board.geometry(), verdict.line[0]).to_string()
}

#[test]
fn ladders_and_their_breakers_are_read() {
    let open = board("/////...XO..../....XX...");
    let prey = Goal::Capture(at(&open, "E4"));
    let caught = ask(&open, prey, Colour::Black);
    assert_eq!((caught.reached, first_move(&open, &caught)), (Some(true), "E5".into()));
    assert_eq!(ask(&open, prey, Colour::White).reached, Some(false), "it runs");
    let broken = board("///.....O...//...XO..../....XX...");
    assert_eq!(ask(&broken, prey, Colour::Black).reached, Some(false));
}

#[test]
fn a_net_is_found() {
    let shape = board("///...X...../...XO..../....XX...");
    let net = ask(&shape, Goal::Capture(at(&shape, "E5")), Colour::Black);
    assert_eq!(net.reached, Some(true));
}

#[test]
fn a_snapback_and_an_eye_keep_apart() {
    let snap = board("//////XXXXX..../XOOOX..../XO..X....");
    let verdict = ask(&snap, Goal::Capture(at(&snap, "C2")), Colour::Black);
    assert_eq!((verdict.reached, first_move(&snap, &verdict)), (Some(true), "C1".into()));
    // Two eyes: whoever begins, the chain lives, because it may play elsewhere.
    let alive = board("//////XXXXXX.../OOOOOX.../.O.O.X...");
    for first in [Colour::Black, Colour::White] {
        let verdict = ask(&alive, Goal::Capture(at(&alive, "A2")), first);
        assert_eq!(verdict.reached, Some(false), "{first}");
    }
}

#[test]
fn connections_are_made_and_cut() {
    // One space apart on an open board: whoever moves first decides.
    let gap = board("////..X.X..../...O.....");
    let goal = Goal::Connect(at(&gap, "C5"), at(&gap, "E5"));
    let joined = ask(&gap, goal, Colour::Black);
    assert_eq!((joined.reached, first_move(&gap, &joined)), (Some(true), "D5".into()));
    // A bamboo joint holds although the other side begins.
    let bamboo = board("///..X.X..../..X.X..../");
    let goal = Goal::Connect(at(&bamboo, "C5"), at(&bamboo, "E5"));
    assert_eq!(ask(&bamboo, goal, Colour::White).reached, Some(true));
    // A wall between them cannot be passed.
    let wall = "....O....\n".repeat(9).replacen("....O", "..X.O", 5).replacen("O....", "O..X.", 5);
    let wall = parse_picture(&wall).unwrap();
    let goal = Goal::Connect(at(&wall, "C5"), at(&wall, "H5"));
    assert_eq!(ask(&wall, goal, Colour::Black).reached, Some(false));
}

#[test]
fn eyes_are_made_and_prevented() {
    let shape = board("///////XXXOO..../..XO.....");
    let goal = Goal::Eye(at(&shape, "A2"));
    let local = Local::new(&shape, goal).unwrap();
    assert_eq!(local.wants(), Colour::Black);
    assert_eq!(ask(&shape, goal, Colour::Black).reached, Some(true));
    // Three points in a row: one eye cannot be prevented.
    let three = board("//////O.OOO..../XXXXO..../...XO....");
    assert_eq!(ask(&three, Goal::Eye(at(&three, "A2")), Colour::White).reached, Some(true));
    // Two points, one of them held by an enemy who is connected: nothing is left.
    let poked = board("//////OOO....../XXO....../.OO......");
    for first in [Colour::Black, Colour::White] {
        assert_eq!(ask(&poked, Goal::Eye(at(&poked, "A2")), first).reached, Some(false));
    }
}

#[test]
fn a_goal_needs_its_stones() {
    let shape = board("////..X.O");
    let [stone, enemy, empty] = ["C5", "E5", "D5"].map(|name| at(&shape, name));
    assert_eq!(Local::new(&shape, Goal::Capture(empty)).unwrap_err(), NoGoal::NoStone);
    assert_eq!(Local::new(&shape, Goal::Connect(stone, enemy)).unwrap_err(), NoGoal::Colours);
    assert_eq!(Local::new(&shape, Goal::Connect(stone, stone)).unwrap_err(), NoGoal::Connected);
    // Only the part around the stones is searched.
    let local = Local::new(&shape, Goal::Eye(stone)).unwrap();
    assert_eq!(local.size(), Some(6 * 7));
    // A limit ends it without a verdict.
    let verdict = search(Local::new(&shape, Goal::Capture(enemy)).unwrap(), &shape, Colour::Black, |nodes| nodes >= 1);
    assert_eq!((verdict.reached, verdict.nodes > 0), (None, true));
}
