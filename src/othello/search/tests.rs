//! The search against plain brute force and against a simple independent solver.

use super::*;
use crate::{base::Rng, othello::Square};
use std::sync::atomic::{AtomicBool, Ordering};

/// Plain negamax: the truth.
fn brute_force(board: Board) -> i32 {
    let moves = board.moves();
    if moves.is_empty() {
        let passed = board.pass();
        return if passed.can_move() { -brute_force(passed) } else { board.final_score() };
    }
    moves.into_iter().map(|square| -brute_force(board.play(square).expect("legal"))).max().expect("a move")
}

/// Alpha-beta in its simplest form, written on its own: for positions too big for brute force.
fn simple(board: Board, mut alpha: i32, beta: i32) -> i32 {
    let moves = board.moves();
    if moves.is_empty() {
        let passed = board.pass();
        return if passed.can_move() { -simple(passed, -beta, -alpha) } else { board.final_score() };
    }
    let mut children: Vec<Board> = moves.into_iter().map(|square| board.play(square).expect("legal")).collect();
    children.sort_by_key(|child| child.moves().count());
    let mut best = -64;
    for child in children {
        best = best.max(-simple(child, -beta, -alpha.max(best)));
        if best >= beta {
            break;
        }
        alpha = alpha.max(best);
    }
    best
}

/// A position of a random game with so many empty squares and somebody to move.
fn random_position(rng: &mut Rng, empties: u32) -> Board {
    loop {
        let mut board = Board::START;
        while board.empty_count() > empties {
            let moves: Vec<Square> = board.moves().into_iter().collect();
            board = match rng.pick(&moves) {
                Some(&square) => board.play(square).expect("legal"),
                None if board.must_pass() => board.pass(),
                None => break,
            };
        }
        if board.empty_count() == empties {
            return board;
        }
    }
}

fn searcher(threads: usize) -> Searcher {
    Searcher::new(Config { threads, hash_bits: 14, weights: Weights::builtin() })
}

fn exact(searcher: &mut Searcher, board: Board) -> i32 {
    let report = searcher.search(board, &Task::new(Effort::Exact), Control::alone());
    assert!(report.complete);
    if let Some(line) = report.lines.first() {
        assert!(line.depth.solved);
        check_line(board, line);
    }
    report.value.rounded()
}

/// The moves of a solved line are legal and lead to the value.
fn check_line(board: Board, line: &Line) {
    let mut at = board;
    let mut sign = 1;
    assert_eq!(line.pv.first(), Some(&line.best));
    for &step in &line.pv {
        at = match step {
            Move::Place(square) => at.play(square).expect("a legal move"),
            Move::Pass => {
                assert!(at.must_pass(), "{board:?}");
                at.pass()
            }
        };
        sign = -sign;
    }
    assert!(at.is_over(), "{board:?} {:?}", line.pv);
    assert_eq!(Value::from_discs(sign * at.final_score()), line.value, "{board:?} {:?}", line.pv);
}

#[test]
fn few_empties_against_brute_force() {
    let mut rng = Rng::new(1);
    let mut searcher = searcher(1);
    for i in 0..20_000 {
        // Brute force takes its time with ten: more of the small ones.
        let empties = [0, 1, 2, 3, 4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 7][i % 16] + u32::from(i % 160 == 11) * 2;
        let board = random_position(&mut rng, empties);
        assert_eq!(exact(&mut searcher, board), brute_force(board), "{board:?}");
    }
}

#[test]
fn more_empties_against_a_simple_solver() {
    let mut rng = Rng::new(2);
    let mut searchers = [1, 2, 4].map(searcher);
    for i in 0..2_000 {
        let board = random_position(&mut rng, 12 + u32::from(i % 8 == 0) + u32::from(i % 16 == 0));
        let truth = simple(board, -64, 64);
        for searcher in &mut searchers {
            assert_eq!(exact(searcher, board), truth, "{board:?}");
        }
    }
}

/// Big enough for many splits; the table of each run is its own.
#[test]
fn many_threads_agree_with_one() {
    let mut rng = Rng::new(7);
    for _ in 0..6 {
        let board = random_position(&mut rng, 20);
        let truth = exact(&mut searcher(1), board);
        for threads in [2, 3, 8] {
            assert_eq!(exact(&mut searcher(threads), board), truth, "{board:?}");
        }
    }
}

/// Forwards, backwards and at random through games, with all moves valued in between: what is remembered never
/// changes what is true.
#[test]
fn memory_never_changes_the_truth() {
    let mut rng = Rng::new(8);
    let mut old = searcher(2);
    for _ in 0..3 {
        let mut board = random_position(&mut rng, 16);
        let mut positions = vec![board];
        while let Some(step) = exact_best(&mut searcher(1), board) {
            board = match step {
                Move::Place(square) => board.play(square).expect("legal"),
                Move::Pass => board.pass(),
            };
            positions.push(board);
        }
        let truth: Vec<i32> = positions.iter().map(|&board| exact(&mut searcher(1), board)).collect();
        let mut order: Vec<usize> = (0..positions.len()).chain((0..positions.len()).rev()).collect();
        let mut mixed: Vec<usize> = (0..positions.len()).collect();
        rng.shuffle(&mut mixed);
        order.extend(mixed);
        for i in order {
            assert_eq!(exact(&mut old, positions[i]), truth[i], "{:?}", positions[i]);
            old.search(positions[i], &Task { lines: 3, ..Task::new(Effort::Level(6)) }, Control::alone());
            old.search(positions[i], &Task::new(Effort::Level(14)), Control::alone());
        }
    }
}

fn exact_best(searcher: &mut Searcher, board: Board) -> Option<Move> {
    searcher.search(board, &Task::new(Effort::Exact), Control::alone()).best()
}

#[test]
fn every_move_gets_its_own_true_value() {
    let mut rng = Rng::new(3);
    let mut searcher = searcher(1);
    for i in 0..40 {
        let board = random_position(&mut rng, 8 + i % 7);
        let all = Task { lines: 64, ..Task::new(Effort::Exact) };
        let report = searcher.search(board, &all, Control::alone());
        let mut truth: Vec<i32> =
            board.moves().into_iter().map(|square| -simple(board.play(square).expect("legal"), -64, 64)).collect();
        truth.sort_by_key(|value| -value);
        if board.can_move() {
            assert_eq!(report.lines.iter().map(|line| line.value.rounded()).collect::<Vec<_>>(), truth);
        }
        for line in &report.lines {
            check_line(board, line);
        }
        // A limited count shows the best ones and no others.
        let three = searcher.search(board, &Task { lines: 3, ..all }, Control::alone());
        let values: Vec<i32> = three.lines.iter().map(|line| line.value.rounded()).collect();
        assert_eq!(values, truth[..truth.len().min(3)], "{board:?}");
    }
}

/// With several threads the moves behind the best ones are looked at together: none of them may slip through.
#[test]
fn many_threads_find_the_same_best_moves() {
    let mut rng = Rng::new(17);
    for i in 0..12 {
        let board = random_position(&mut rng, 17 + i % 2);
        let task = Task { lines: 1 + i as usize % 3, ..Task::new(Effort::Exact) };
        let values = |report: &Report| report.lines.iter().map(|line| line.value).collect::<Vec<_>>();
        let truth = searcher(1).search(board, &task, Control::alone());
        for threads in [2, 4] {
            let report = searcher(threads).search(board, &task, Control::alone());
            assert_eq!(values(&report), values(&truth), "{board:?}");
            report.lines.iter().for_each(|line| check_line(board, line));
        }
    }
}

#[test]
fn win_loss_draw_has_the_sign_of_the_truth() {
    let mut rng = Rng::new(4);
    let mut searcher = searcher(1);
    let mut seen = [0; 3];
    for i in 0..300 {
        let board = random_position(&mut rng, 6 + i % 9);
        let report = searcher.search(board, &Task::new(Effort::WinLossDraw), Control::alone());
        let truth = simple(board, -64, 64);
        assert_eq!(report.value.rounded().signum(), truth.signum(), "{board:?}");
        seen[(truth.signum() + 1) as usize] += 1;
    }
    assert!(seen.iter().all(|&n| n > 3), "{seen:?}");
}

#[test]
fn a_window_bounds_what_is_found_out() {
    let mut rng = Rng::new(41);
    let mut seen = [0; 3];
    for i in 0..400 {
        let board = random_position(&mut rng, 5 + i % 10);
        let alpha = rng.below(40) as i32 - 20;
        let beta = alpha + 1 + rng.below(20) as i32;
        let window = Window::from_discs(alpha, beta).unwrap();
        let task = Task { window, lines: 1 + i as usize % 3, ..Task::new(Effort::Exact) };
        let mut searcher = searcher(1 + i as usize % 2);
        let report = searcher.search(board, &task, Control::alone());
        assert!(report.complete);
        for line in &report.lines {
            let truth = match line.best {
                Move::Place(square) => -simple(board.play(square).unwrap(), -64, 64),
                Move::Pass => -simple(board.pass(), -64, 64),
            };
            let said = line.value.rounded();
            assert_eq!(said % 2, 0, "proven bounds are scores");
            match line.bound {
                Bound::Exact => assert_eq!(said, truth, "{board:?}"),
                Bound::Lower => assert!(said >= beta && truth >= said, "{board:?} {truth} {said}"),
                Bound::Upper => assert!(said <= alpha && truth <= said, "{board:?} {truth} {said}"),
            }
        }
        let truth = simple(board, -64, 64);
        let bound = report.lines[0].bound;
        let expected = if truth <= alpha {
            Bound::Upper
        } else if truth >= beta {
            Bound::Lower
        } else {
            Bound::Exact
        };
        assert_eq!(bound, expected, "{board:?} {truth} in {alpha},{beta}");
        seen[bound as usize] += 1;
    }
    assert!(seen.iter().all(|&n| n > 30), "{seen:?}");
}

#[test]
fn a_window_that_holds_everything_changes_nothing() {
    let mut rng = Rng::new(42);
    for i in 0..20 {
        let board = random_position(&mut rng, 12 + i % 8);
        let plain = searcher(1).search(board, &Task::new(Effort::Exact), Control::alone());
        let window = Window::from_discs(-64, 64).unwrap();
        let whole = searcher(1).search(board, &Task { window, ..Task::new(Effort::Exact) }, Control::alone());
        assert_eq!((plain.lines, plain.nodes), (whole.lines, whole.nodes));
    }
}

#[test]
fn a_stopped_search_answers_at_once_and_claims_nothing() {
    let mut searcher = searcher(1);
    let stop = AtomicBool::new(true);
    let report = searcher.search(Board::START, &Task::new(Effort::Level(30)), Control::new(&stop, &|_| {}));
    assert!(!report.complete);
    assert!(report.lines.iter().all(|line| !line.depth.solved && line.depth.plies == 1));
    assert!(report.best().is_some());
    assert!(report.nodes < 1_000);
}

#[test]
fn stopping_in_the_middle_leaves_the_truth_intact() {
    let mut rng = Rng::new(5);
    for _ in 0..8 {
        let board = random_position(&mut rng, 18);
        let mut once = searcher(1);
        let whole = once.search(board, &Task::new(Effort::Exact), Control::alone());
        let mut searcher = searcher(1);
        for _ in 0..4 {
            let nodes = Some(rng.below(whole.nodes as usize) as u64);
            let task = Task { limits: Limits { nodes, ..Limits::NONE }, ..Task::new(Effort::Exact) };
            let partial = searcher.search(board, &task, Control::alone());
            assert!(partial.complete || partial.lines.iter().all(|line| !line.depth.solved));
        }
        assert_eq!(exact(&mut searcher, board), whole.value.rounded());
    }
}

#[test]
fn one_thread_repeats_itself() {
    let task = Task { lines: 2, ..Task::new(Effort::Level(8)) };
    let run = || {
        let report = searcher(1).search(Board::START, &task, Control::alone());
        (report.nodes, report.lines)
    };
    assert_eq!(run(), run());
}

#[test]
fn passes_and_finished_games() {
    let mut searcher = searcher(1);
    let over = Board::new(!0, 0);
    let report = searcher.search(over, &Task::new(Effort::Level(5)), Control::alone());
    assert_eq!((report.lines.len(), report.value), (0, Value::from_discs(64)));
    let mut rng = Rng::new(6);
    let mut passes = 0;
    while passes < 20 {
        let empties = 4 + rng.below(14) as u32;
        let board = random_position(&mut rng, empties);
        if board.must_pass() {
            let report = searcher.search(board, &Task::new(Effort::Level(10)), Control::alone());
            assert_eq!(report.best(), Some(Move::Pass));
            passes += 1;
        }
    }
}

#[test]
fn told_iterations_carry_all_lines_under_one_depth() {
    let mut searcher = searcher(1);
    let stop = AtomicBool::new(false);
    let told = std::sync::Mutex::new(Vec::new());
    let task = Task { lines: 4, ..Task::new(Effort::Unlimited) };
    let report = searcher.search(
        Board::START,
        &task,
        Control::new(&stop, &|report: &Report| {
            let mut told = told.lock().expect("one thread");
            told.push(report.clone());
            if told.len() == 8 {
                stop.store(true, Ordering::Relaxed);
            }
        }),
    );
    let told = told.into_inner().expect("one thread");
    assert!(!report.complete && told.len() == 8);
    for report in &told {
        assert_eq!(report.lines.len(), 4);
        assert!(report.lines.iter().all(|line| line.depth == report.lines[0].depth));
        assert!(report.lines.is_sorted_by_key(|line| std::cmp::Reverse(line.value)));
    }
}

#[test]
fn a_better_move_of_an_unfinished_iteration_is_kept_and_claims_no_more_than_the_last() {
    let (mut rng, mut kept) = (Rng::new(31), 0);
    for i in 0..300 {
        let board = random_position(&mut rng, 30);
        let limits = Limits { nodes: Some(2_000 + 40 * i), ..Limits::NONE };
        let last = std::sync::Mutex::new(None);
        let stop = AtomicBool::new(false);
        let tell = |report: &Report| *last.lock().expect("one thread") = report.lines.first().cloned();
        let task = Task { limits, ..Task::new(Effort::Unlimited) };
        let report = searcher(1).search(board, &task, Control::new(&stop, &tell));
        let (Some(last), [line]) = (last.into_inner().expect("one thread"), &report.lines[..]) else { continue };
        assert!(!report.complete && report.value == line.value);
        assert_eq!(line.depth, last.depth);
        if line.bound == Bound::Lower {
            assert!(line.best != last.best && !line.depth.solved);
            kept += 1;
        } else {
            assert_eq!(*line, last);
        }
    }
    assert!(kept > 5, "{kept}");
}

#[test]
fn only_some_moves() {
    let mut searcher = searcher(1);
    let square: Square = "e6".parse().expect("a square");
    let task = Task { only: Some(BitBoard::from(square)), ..Task::new(Effort::Level(5)) };
    assert_eq!(searcher.search(Board::START, &task, Control::alone()).best(), Some(square.into()));
}

#[test]
fn cuts_and_late_moves_spare_most_of_the_work_and_little_of_the_truth() {
    let mut rng = Rng::new(22);
    let (mut off, mut sure, mut selective) = (0.0, 0, 0);
    let positions = 40;
    for _ in 0..positions {
        let board = random_position(&mut rng, 32);
        let search = |percent| {
            let task = Task::new(Effort::Depth { plies: 9, percent });
            searcher(1).search(board, &task, Control::alone())
        };
        let (full, cut) = (search(100), search(74));
        off += (full.value.discs() - cut.value.discs()).abs();
        sure += full.nodes;
        selective += cut.nodes;
        assert!(full.made > full.nodes && cut.made > cut.nodes);
    }
    let off = off / f64::from(positions);
    assert!(off < 1.0, "off by {off} discs on average");
    assert!(selective * 4 < sure, "{selective} nodes instead of {sure}");
}
