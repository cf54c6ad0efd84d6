use super::board::{Board, Forbidden};
use super::game::GoGame;
use super::notation::{parse_picture, parse_vertex};
use super::point::Point;
use super::rules::{Rules, Superko};
use super::score;
use crate::base::{Colour, Rng};

fn at(game: &GoGame, name: &str) -> Point {
    parse_vertex(game.geometry(), name).unwrap()
}

fn play(game: &mut GoGame, name: &str) -> Result<(), Forbidden> {
    let p = at(game, name);
    game.play(game.to_move(), p)
}

fn game(picture: &str, to_move: Colour, superko: Superko) -> GoGame {
    let mut board = parse_picture(picture).unwrap();
    board.set_to_move(to_move);
    GoGame::from_board(board, Rules { superko, ..Rules::CHINESE }, 6.5)
}

/// Three kos side by side, as in the course: each side can always retake one that the other did not just take.
const TRIPLE_KO: &str = "
    X X X X X X X . .
    X O X . X O X . .
    O . O X O . O . .
    O O O O O O O . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .";

#[test]
fn triple_ko_comes_back_after_six_moves() {
    let mut game = game(TRIPLE_KO, Colour::Black, Superko::None);
    let cycle = [("b7", "b8"), ("d8", "d7"), ("f7", "f8"), ("b8", "b7"), ("d7", "d8"), ("f8", "f7"), ("b7", "b8")];
    for (played, (name, ko)) in cycle.into_iter().enumerate() {
        assert_eq!(game.repetition(), None, "before move {}", played + 1);
        play(&mut game, name).unwrap();
        assert_eq!(game.board().ko(), Some(at(&game, ko)));
    }
    // The sixth move brings the stones back, but with a ko; only the seventh repeats a whole position.
    assert_eq!(game.repetition(), Some(6));
}

#[test]
fn superko_ends_the_triple_ko_where_the_stones_repeat() {
    for superko in [Superko::Positional, Superko::Situational] {
        let mut game = game(TRIPLE_KO, Colour::Black, superko);
        for name in ["b7", "d8", "f7", "b8", "d7"] {
            play(&mut game, name).unwrap();
        }
        let before = game.board().hash();
        assert_eq!(play(&mut game, "f8"), Err(Forbidden::Superko));
        assert_eq!(game.board().hash(), before);
        let p = at(&game, "f8");
        assert_eq!(game.play_despite_superko(Colour::White, p), Ok(()));
    }
}

#[test]
fn chosei_comes_back_after_four_moves() {
    const CHOSEI: &str = "OXOO\nOXXO\n.OXO\nXO.O";
    let cycle = ["a2", "a3", "a1", "a4"];
    let mut free = game(CHOSEI, Colour::Black, Superko::None);
    for name in cycle {
        assert_eq!(free.repetition(), None);
        play(&mut free, name).unwrap();
        assert_eq!(free.board().ko(), None, "each takes two for two");
    }
    assert_eq!(free.repetition(), Some(4));
    let mut bound = game(CHOSEI, Colour::Black, Superko::Positional);
    for name in &cycle[..3] {
        play(&mut bound, name).unwrap();
    }
    assert_eq!(play(&mut bound, cycle[3]), Err(Forbidden::Superko));
}

#[test]
fn undo_gives_back_every_earlier_position() {
    let mut rng = Rng::new(4);
    let mut game = GoGame::new(5, Rules::TROMP_TAYLOR, 0.0).unwrap();
    let mut hashes = vec![game.board().hash()];
    for _ in 0..100 {
        let legal = game.legal_points();
        let p = rng.pick(&legal).copied().unwrap_or(Point::PASS);
        game.play(game.to_move(), p).unwrap();
        hashes.push(game.board().hash());
    }
    while let Some(hash) = hashes.pop() {
        assert_eq!(game.board().hash(), hash);
        assert_eq!(game.undo().is_some(), !hashes.is_empty());
    }
}

#[test]
fn a_refused_move_changes_nothing() {
    let mut game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    play(&mut game, "e5").unwrap();
    let before = game.board().hash();
    assert_eq!(play(&mut game, "e5"), Err(Forbidden::Occupied));
    assert_eq!((game.board().hash(), game.plays().len()), (before, 1));
}

#[test]
fn positional_superko_holds_in_random_games() {
    let mut rng = Rng::new(9);
    for _ in 0..20 {
        let mut game = GoGame::new(3, Rules::TROMP_TAYLOR, 0.0).unwrap();
        let mut seen = vec![game.board().stones_hash()];
        for _ in 0..200 {
            let legal = game.legal_points();
            let Some(&p) = rng.pick(&legal) else { break };
            game.play(game.to_move(), p).unwrap();
            assert!(!seen.contains(&game.board().stones_hash()));
            seen.push(game.board().stones_hash());
        }
    }
}

/// Best result for the side to move by full search, area counted, with the history deciding what is legal.
fn solve(game: &mut GoGame, mut alpha: i32, beta: i32) -> i32 {
    if game.is_over() {
        let count = score::area(game.board(), &[]).difference();
        return if game.to_move() == Colour::Black { count } else { -count };
    }
    let moves = std::iter::once(Point::PASS).chain(game.legal_points());
    let mut best = i32::MIN;
    for p in moves {
        game.play(game.to_move(), p).unwrap();
        let value = -solve(game, -beta, -alpha);
        game.undo();
        best = best.max(value);
        alpha = alpha.max(value);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[test]
fn two_by_two_is_a_win_by_one_point() {
    // Known: with positional superko and area scoring black wins 2x2 by 1.
    let mut game = GoGame::new(2, Rules::TROMP_TAYLOR, 0.0).unwrap();
    assert_eq!(solve(&mut game, 0, 2), 1);
}

#[test]
fn handicap_stones_come_before_the_first_move() {
    let mut game = GoGame::new(9, Rules::CHINESE, 0.5).unwrap();
    let stones = super::handicap::fixed(game.geometry(), 4).unwrap();
    game.place_handicap(&stones).unwrap();
    assert_eq!((game.to_move(), game.handicap(), game.head_start()), (Colour::White, 4, 4.5));
    assert_eq!(game.place_handicap(&stones), Err(Forbidden::Occupied));
    assert!(game.undo().is_none());
}

#[test]
fn colours_need_not_alternate() {
    let mut game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    for name in ["c3", "g7"] {
        let p = at(&game, name);
        game.play(Colour::Black, p).unwrap();
    }
    assert_eq!(game.board().stones(Colour::Black), 2);
    assert_eq!(game.to_move(), Colour::White);
}

#[test]
fn the_board_alone_forbids_no_more_than_the_game() {
    let mut rng = Rng::new(2);
    let mut game = GoGame::new(4, Rules { superko: Superko::None, ..Rules::CHINESE }, 0.0).unwrap();
    for _ in 0..300 {
        let board: &Board = game.board();
        let by_board: Vec<Point> = game.geometry().points().filter(|&p| board.check(p, false).is_ok()).collect();
        assert_eq!(game.legal_points(), by_board);
        let p = rng.pick(&by_board).copied().unwrap_or(Point::PASS);
        game.play(game.to_move(), p).unwrap();
    }
}
