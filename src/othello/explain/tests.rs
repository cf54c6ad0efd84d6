use super::{
    facts::{Facts, MoveFacts, Searched},
    reasons::Reason,
    sentences, why,
};
use crate::{
    base::Rng,
    othello::{Board, Move, Square, eval::Weights, records::any},
};

fn square(name: &str) -> Square {
    name.parse().unwrap()
}

fn board(text: &str) -> Board {
    any::read_record(text).unwrap().game.position().board
}

/// Facts with values that a test gives.
fn facts(board: Board, mv: &str, value: f64, best: &str, best_value: f64) -> Facts {
    let searched = |name: &str, value| (square(name), Searched { value, line: vec![Move::Place(square(name))] });
    let weights = Weights::builtin();
    Facts::new(board, searched(mv, value), searched(best, best_value), 0.5, None, &weights).unwrap()
}

#[test]
fn facts_equal_recounted_ones() {
    let mut rng = Rng::new(11);
    for _ in 0..60 {
        let mut board = Board::START;
        while !board.is_over() {
            let moves: Vec<Square> = board.moves().into_iter().collect();
            let Some(&square) = rng.pick(&moves) else {
                board = board.pass();
                continue;
            };
            let facts = MoveFacts::new(board, square).unwrap();
            let after = board.play(square).unwrap();
            let at = |c: i32, r: i32| {
                let inside = (0..8).contains(&c) && (0..8).contains(&r);
                inside.then(|| Square::at(c as u8, r as u8).unwrap())
            };
            let beside = |s: Square| {
                let steps = (-1..=1).flat_map(|dc| (-1..=1).map(move |dr| (dc, dr))).filter(|d| *d != (0, 0));
                let list = steps.filter_map(move |(dc, dr)| at(i32::from(s.column()) + dc, i32::from(s.row()) + dr));
                list.collect::<Vec<_>>()
            };
            let is_empty = |board: Board, s: Square| board.empties() & s.bit() != 0;
            let frontier = |discs: u64, board: Board| {
                let own = Square::all().filter(|s| discs & s.bit() != 0);
                own.filter(|s| beside(*s).iter().any(|n| is_empty(board, *n))).count() as u32
            };
            assert_eq!(facts.flips, (after.opponent.count_ones() - board.player.count_ones()) - 1);
            assert_eq!(facts.mobility.other.after, after.moves().count());
            assert_eq!(facts.mobility.own.before, moves.len() as u32);
            assert_eq!(facts.frontier.own.after, frontier(after.opponent, after));
            assert_eq!(facts.frontier.other.before, frontier(board.opponent, board));
            let turned = board.flips(square);
            let open = turned
                .into_iter()
                .map(|disc| beside(disc).iter().filter(|s| **s != square && is_empty(board, **s)).count() as u32);
            assert_eq!(facts.openness, open.sum::<u32>());
            assert!(facts.stable.own.after >= facts.stable.own.before, "stable discs stay");
            assert!(facts.region >= 1 && facts.region <= board.empty_count());
            assert_eq!(facts.odd_regions % 2, board.empty_count() % 2);
            board = after;
        }
    }
}

#[test]
fn the_loss_of_the_best_move_is_nothing() {
    let facts = facts(Board::START, "f5", 0.0, "f5", 0.0);
    assert_eq!((facts.loss(), facts.real_after), (0.0, None));
    assert!(facts.attribution.iter().all(|(_, discs)| *discs == 0.0));
    assert_eq!(sentences(&facts)[0], "f5 is the best move");
    assert!(MoveFacts::new(Board::START, square("a1")).is_none());
}

#[test]
fn a_move_that_gives_a_corner_is_said_to_do_so() {
    // b2 turns c3, and white takes a1 along the diagonal.
    let board = board("-------- -------- --OX---- ---XO--- ---XXO-- -----O-- -------- -------- X");
    let facts = facts(board, "b2", -12.0, "f4", -1.0);
    assert!(facts.of_move.x_square);
    let reasons: Vec<Reason> = why(&facts).iter().map(|why| why.reason).collect();
    assert!(reasons.contains(&Reason::XSquare), "{reasons:?}");
    let said = sentences(&facts);
    assert!(said[0].contains("loses 11.0 discs against f4"), "{said:?}");
}

#[test]
fn reasons_come_only_from_facts_beyond_their_threshold() {
    let mut rng = Rng::new(5);
    let weights = Weights::builtin();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..300 {
        let mut board = Board::START;
        for _ in 0..rng.below(58) {
            let moves: Vec<Square> = board.moves().into_iter().collect();
            board = rng.pick(&moves).map_or(board.pass(), |&square| board.play(square).unwrap());
        }
        let moves: Vec<Square> = board.moves().into_iter().collect();
        let (Some(&mv), Some(&best)) = (rng.pick(&moves), rng.pick(&moves)) else { continue };
        let searched = |square: Square, value| (square, Searched { value, line: vec![Move::Place(square)] });
        let value = if mv == best { 5.0 } else { -5.0 };
        let facts = Facts::new(board, searched(mv, value), searched(best, 5.0), 0.1, None, &weights).unwrap();
        let (own, other) = (&facts.of_move, &facts.of_best);
        for reason in why(&facts).iter().map(|why| why.reason) {
            seen.insert(reason.name());
            let holds = match reason {
                Reason::GivesCorner => own.gives_corners.count() > other.gives_corners.count(),
                Reason::MissesCorner => other.takes_corner && !own.takes_corner,
                Reason::XSquare => own.x_square,
                Reason::CSquare => own.c_square,
                Reason::WipeOut => own.wipe_out,
                Reason::Wedge => !own.gives_wedges.is_empty(),
                Reason::GivesMoves => own.mobility.other.after >= other.mobility.other.after + 2,
                Reason::LosesMoves => other.mobility.own.after >= own.mobility.own.after + 2,
                Reason::MissesPass => other.forces_pass && !own.forces_pass,
                Reason::OpensUp => own.openness >= other.openness + 4,
                Reason::Frontier => own.frontier.own.after >= other.frontier.own.after + 3,
                Reason::TurnsMany => own.flips >= other.flips + 4,
                Reason::Stability => other.stable.own.after >= own.stable.own.after + 2,
                Reason::Parity => own.region % 2 == 0 && other.region % 2 == 1,
                Reason::LosesCornerLater => facts.line.other_corners > facts.best_line.other_corners,
                Reason::MissesCornerLater => facts.best_line.own_corners > facts.line.own_corners,
                Reason::RunsOutOfMoves => facts.best_line.own_moves >= facts.line.own_moves + 3,
                Reason::Evaluation => facts.attribution.iter().any(|(_, discs)| *discs <= -1.5),
                Reason::Count => board.empty_count() <= 12,
                Reason::TakesCorner => own.takes_corner,
                Reason::ForcesPass => own.forces_pass,
                Reason::Quiet => own.openness <= 2,
                Reason::FewReplies => own.mobility.other.after <= 3,
                Reason::StableDiscs => own.stable.own.after >= own.stable.own.before + 2,
                Reason::OddRegion => own.region % 2 == 1,
            };
            assert!(holds, "{reason:?} {facts:?}");
        }
    }
    assert!(seen.len() >= 14, "{seen:?}");
}
