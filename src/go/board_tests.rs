use super::board::{Board, Forbidden};
use super::naive::NaiveBoard;
use super::point::{Geometry, Point};
use super::surroundings::Cell;
use crate::base::{Colour, Rng};
use std::collections::HashSet;

/// A board from a picture, top row first: X black, O white.
fn board(picture: &str, to_move: Colour) -> Board {
    let rows: Vec<&str> = picture.split_whitespace().collect();
    let g = Geometry::new(rows.len()).unwrap();
    let cells = rows.iter().flat_map(|row| row.chars());
    let stones = g.points_from_top().zip(cells).filter_map(|(p, c)| match c {
        'X' => Some((p, Colour::Black)),
        'O' => Some((p, Colour::White)),
        _ => None,
    });
    let mut board = Board::with_stones(g, stones).unwrap();
    board.set_to_move(to_move);
    board
}

fn at(board: &Board, name: &str) -> Point {
    let bytes = name.as_bytes();
    let column = (bytes[0] - b'a') as usize;
    board.geometry().point(column, name[1..].parse::<usize>().unwrap() - 1).unwrap()
}

/// Random games on the quick board and the naive one, compared after every move, and the legality of every point.
fn compare_random_games(size: usize, moves: usize, seed: u64, suicide: bool) {
    let g = Geometry::new(size).unwrap();
    let mut rng = Rng::new(seed);
    let (mut quick, mut naive) = (Board::empty(g), NaiveBoard::new(g));
    let points: Vec<Point> = g.points().collect();
    for played in 0..moves {
        if played % (4 * size * size) == 0 {
            (quick, naive) = (Board::empty(g), NaiveBoard::new(g));
        }
        for _ in 0..3 {
            let p = points[rng.below(points.len())];
            assert_eq!(quick.check(p, suicide), naive.check(p, suicide));
        }
        let legal: Vec<Point> = quick.empties().iter().copied().filter(|&p| quick.check(p, suicide).is_ok()).collect();
        let p = rng.pick(&legal).copied().filter(|_| rng.below(50) > 0).unwrap_or(Point::PASS);
        assert_eq!(naive.check(p, suicide), Ok(()));
        let hash_after = quick.stones_hash_after(p, quick.to_move());
        quick.play(p);
        naive.play(p);
        assert_eq!(quick.stones_hash(), hash_after);
        naive.assert_same(&quick);
    }
}

#[test]
fn a_million_random_moves_as_the_naive_board() {
    // Small boards see the most captures, kos and suicides for the time they take.
    let plan = [(2, 100_000), (3, 250_000), (4, 250_000), (5, 200_000), (7, 100_000), (9, 80_000), (13, 20_000)];
    std::thread::scope(|scope| {
        for half in [false, true] {
            scope.spawn(move || {
                for (size, moves) in plan {
                    compare_random_games(size, moves / 2, size as u64, half);
                }
            });
        }
    });
}

#[test]
fn large_boards_too() {
    for size in [19, 24, 25] {
        compare_random_games(size, 1_000, 5, true);
    }
}

#[test]
fn copying_to_and_from_other_sizes_leaves_no_trace() {
    let mut target = Board::new(25).unwrap();
    let mut rng = Rng::new(3);
    for size in [9, 2, 25, 5, 19] {
        let g = Geometry::new(size).unwrap();
        let (mut source, mut naive) = (Board::empty(g), NaiveBoard::new(g));
        for _ in 0..size * size {
            let p = source.empties()[rng.below(source.empties().len())];
            if source.check(p, false).is_ok() {
                source.play(p);
                naive.play(p);
            }
        }
        target.copy_from(&source);
        naive.assert_same(&target);
        assert_eq!(target.hash(), source.hash());
        let pass = Point::PASS;
        target.play(pass);
        naive.play(pass);
        naive.assert_same(&target);
    }
}

#[test]
fn a_snapback_takes_back_more_than_it_gave() {
    let mut b = board("..... ..... OOOO. XXXO. X..O.", Colour::White);
    let (throw_in, taker) = (at(&b, "b1"), at(&b, "c1"));
    b.play(throw_in);
    assert!(b.in_atari(throw_in));
    b.play(taker);
    assert_eq!((b.captured(Colour::White), b.ko()), (1, None));
    assert_eq!(b.check(throw_in, false), Ok(()));
    b.play(throw_in);
    assert_eq!(b.captured(Colour::Black), 5);
    assert_eq!(b.cell(taker), Cell::Empty);
}

#[test]
fn ko_is_forbidden_once_and_only_to_the_other() {
    let mut b = board(".XO.. X.XO. .XO.. ..... .....", Colour::White);
    let (inside, taken) = (at(&b, "b4"), at(&b, "c4"));
    assert_eq!(b.check(inside, false), Ok(()));
    b.play(inside);
    assert_eq!(b.cell(taken), Cell::Empty);
    assert_eq!(b.ko(), Some(taken));
    assert_eq!(b.check(taken, false), Err(Forbidden::Ko));
    b.play(Point::PASS);
    b.play(Point::PASS);
    assert_eq!(b.check(taken, false), Ok(()));
}

#[test]
fn two_passes_bring_the_hash_back() {
    let mut b = Board::new(9).unwrap();
    assert_eq!(b.hash(), 0);
    b.play(Point::PASS);
    assert_ne!(b.hash(), 0);
    b.play(Point::PASS);
    assert_eq!(b.hash(), 0);
}

#[test]
fn suicide_removes_the_movers_chain_where_it_is_allowed() {
    let mut b = board("XX.. OOX. .OX. XX..", Colour::White);
    let p = at(&b, "a2");
    assert_eq!(b.check(p, false), Err(Forbidden::Suicide));
    assert_eq!(b.check(p, true), Ok(()));
    b.play(p);
    assert_eq!(b.captured(Colour::White), 4);
    assert_eq!(b.cell(p), Cell::Empty);
    b = board("X... OOX. .OX. XX..", Colour::White);
    assert_eq!(b.check(p, false), Ok(()), "b4 is a liberty");
}

#[test]
fn positions_without_liberties_are_refused() {
    let g = Geometry::new(2).unwrap();
    let all = g.points().map(|p| (p, Colour::Black));
    assert!(matches!(Board::with_stones(g, all), Err(Forbidden::Suicide)));
    let twice = [g.points().next().unwrap(); 2].map(|p| (p, Colour::Black));
    assert!(matches!(Board::with_stones(g, twice), Err(Forbidden::Occupied)));
}

/// All positions that play can reach, either side moving at any time, as numbers in base 3.
fn reachable_positions(size: usize) -> usize {
    let g = Geometry::new(size).unwrap();
    let mut seen = HashSet::from([0usize]);
    let mut todo = vec![Board::empty(g)];
    while let Some(board) = todo.pop() {
        for colour in Colour::BOTH {
            for &p in board.empties() {
                let mut after = board.clone();
                after.set_to_move(colour);
                // Whoever wants to retake a ko can wait for one move elsewhere or a pass.
                if matches!(after.check(p, false), Ok(()) | Err(Forbidden::Ko)) {
                    after.play(p);
                    let number = g.points().fold(0, |n, p| 3 * n + after.cell(p) as usize);
                    if seen.insert(number) {
                        todo.push(after);
                    }
                }
            }
        }
    }
    seen.len()
}

#[test]
fn as_many_legal_positions_as_the_literature_counts() {
    // Tromp and Farnebäck, "Combinatorics of Go": L(2) = 57, L(3) = 12675.
    assert_eq!(reachable_positions(2), 57);
    assert_eq!(reachable_positions(3), 12675);
}

#[test]
#[ignore = "takes minutes: L(4) = 24318165"]
fn as_many_legal_positions_on_four_by_four() {
    assert_eq!(reachable_positions(4), 24_318_165);
}
