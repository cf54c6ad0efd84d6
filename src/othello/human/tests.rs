use super::{
    difficulty::Difficulty,
    features,
    hint::{HumanValue, Oracle, human_value, normalised},
    model::{HumanModel, Likely, ModelError, Rating},
    player::{Style, chances, choose},
};
use crate::{
    base::Rng,
    othello::{Board, Move, Square, eval::Weights},
};
use std::collections::HashMap;

fn square(name: &str) -> Square {
    name.parse().unwrap()
}

fn random_boards(count: usize) -> Vec<Board> {
    let mut rng = Rng::new(3);
    let mut boards = vec![];
    while boards.len() < count {
        let mut board = Board::START;
        for _ in 0..rng.below(56) {
            let moves: Vec<Square> = board.moves().into_iter().collect();
            board = match rng.pick(&moves) {
                Some(&square) => board.play(square).unwrap(),
                None => board.pass(),
            };
        }
        if board.can_move() {
            boards.push(board);
        }
    }
    boards
}

#[test]
fn the_features_of_images_are_equal() {
    let weights = Weights::builtin();
    for board in random_boards(40) {
        let mut own = features::candidates(board, &weights);
        own.sort_by_key(|candidate| candidate.square);
        for s in 1..8 {
            let mut images = features::candidates(board.symmetry(s), &weights);
            images.iter_mut().for_each(|image| image.square = image.square.symmetry_back(s));
            images.sort_by_key(|candidate| candidate.square);
            for (a, b) in own.iter().zip(&images) {
                assert_eq!((a.square, a.patterns, a.dense), (b.square, b.patterns, b.dense), "{board:?} {s}");
            }
        }
    }
}

#[test]
fn openness_counts_the_empty_squares_around_what_is_turned() {
    let board = Board::START;
    // f5 turns e5, around which f4, f6, e6 and d6 are left.
    assert_eq!(features::openness(board, square("f5"), board.flips(square("f5"))), 4);
    assert_eq!(features::neighbours(square("a1").bit()).count_ones(), 3);
    assert_eq!(features::neighbours(square("h4").bit()).count_ones(), 5);
    assert_eq!(features::neighbours(square("d4").bit()).count_ones(), 8);
}

#[test]
fn the_built_in_model_opens_and_knows_the_game() {
    let (model, weights) = (HumanModel::builtin(), Weights::builtin());
    for board in random_boards(200) {
        let likely = model.likely(board, &weights, Rating(1700.0));
        let sum: f64 = likely.iter().map(|likely| likely.probability).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
        assert_eq!(likely.len(), board.moves().count() as usize);
        assert!(likely.windows(2).all(|pair| pair[0].probability >= pair[1].probability));
    }
    // After f5 people play d6 or f6, hardly ever f4.
    let after = Board::START.play(square("f5")).unwrap();
    let likely = model.likely(after, &weights, Rating::MEAN);
    assert_eq!(likely[2].square, square("f4"));
    assert!(likely[2].probability < 0.1, "{likely:?}");
}

#[test]
fn a_model_goes_through_its_file() {
    let mut tables = vec![0; features::table_len()];
    (tables[5], tables[77]) = (-3, 90);
    let mut dense = vec![[0.0, 0.0]; features::DENSE];
    dense[3] = [1.5, -0.25];
    let known = HashMap::from([((1, 2), vec![(3, 400), (4, 7)])]);
    let model = HumanModel { about: "a test".into(), tables, dense, known };
    let bytes = model.to_bytes().unwrap();
    assert_eq!(HumanModel::from_bytes(&bytes).unwrap(), model);
    for end in [0, 10, 24, 60, bytes.len() - 1] {
        assert!(HumanModel::from_bytes(&bytes[..end]).is_err(), "{end}");
    }
    let mut damaged = bytes.clone();
    damaged[100] ^= 1;
    assert!(matches!(HumanModel::from_bytes(&damaged), Err(ModelError::Checksum { .. })));
}

#[test]
fn well_known_positions_are_played_as_they_were() {
    let model = HumanModel {
        about: String::new(),
        tables: vec![0; features::table_len()],
        dense: vec![[0.0; 2]; features::DENSE],
        known: {
            let (canonical, s) = Board::START.play(square("f5")).unwrap().canonical();
            let to = |name: &str| square(name).symmetry(s).index() as u8;
            HashMap::from([((canonical.player, canonical.opponent), vec![(to("d6"), 600), (to("f6"), 300)])])
        },
    };
    let weights = Weights::builtin();
    for s in 0..8 {
        let board = Board::START.play(square("f5")).unwrap().symmetry(s);
        let likely = model.likely(board, &weights, Rating::MEAN);
        assert_eq!(likely[0].square, square("d6").symmetry(s));
        assert!((likely[0].probability - (600.0 + 4.0) / 912.0).abs() < 1e-9, "{likely:?}");
        assert_eq!(likely[2].square, square("f4").symmetry(s));
    }
}

/// After the move there are two positions: one of the opponent's, one of our own.
struct Hand {
    line: Vec<Move>,
    values: Vec<Vec<f64>>,
    likely: Vec<Vec<f64>>,
    asked: usize,
}

impl Oracle for Hand {
    fn line(&mut self, _: Board, plies: usize) -> Option<Vec<Move>> {
        Some(self.line.iter().take(plies).copied().collect())
    }

    fn values(&mut self, board: Board) -> Option<Vec<(Square, f64)>> {
        self.asked += 1;
        Some(board.moves().into_iter().zip(self.values[self.asked - 1].iter().copied()).collect())
    }

    fn likely(&mut self, board: Board) -> Vec<Likely> {
        let list = board.moves().into_iter().zip(&self.likely[self.asked - 1]);
        list.map(|(square, &probability)| Likely { square, probability }).collect()
    }
}

#[test]
fn the_human_hint_by_hand() {
    // f5; then f4, d6 and f6 are legal, in this order by their squares: f4, d6, f6.
    let line = vec![Move::Place(square("d6")), Move::Place(square("c3"))];
    let after_d6 = Board::START.play(square("f5")).unwrap().play(square("d6")).unwrap();
    assert_eq!(after_d6.moves().count(), 5);
    let mut hand = Hand {
        line,
        values: vec![vec![-10.0, 0.0, 1.0], vec![2.0, -4.0, 0.0, 6.0, -2.0]],
        likely: vec![vec![0.1, 0.6, 0.3], vec![0.5, 0.1, 0.2, 0.1, 0.1]],
        asked: 0,
    };
    let HumanValue { hint, discs, line, .. } = human_value(Board::START, square("f5"), 2, &mut hand).unwrap();
    // The opponent's turn: −(−10·0.1 + 0·0.6 + 1·0.3) = +0.7. Own turn: 2·0.5 − 4·0.1 + 0 + 6·0.1 − 2·0.1 = 1.0.
    assert!((discs - (0.7 + 1.0) / 2.0).abs() < 1e-12, "{discs}");
    assert!((hint - 9.0 * (0.85f64 / 16.0).tanh()).abs() < 1e-12);
    assert_eq!(line.len(), 2);
    // One ply: the opponent's position alone.
    hand.asked = 0;
    assert!((human_value(Board::START, square("f5"), 1, &mut hand).unwrap().discs - 0.7).abs() < 1e-12);
    assert!(human_value(Board::START, square("a1"), 1, &mut hand).is_none());
    assert!((normalised(64.0) - 9.0).abs() < 0.01 && normalised(-1000.0) >= -9.0);
}

fn likely(list: &[(&str, f64)]) -> Vec<Likely> {
    list.iter().map(|(name, probability)| Likely { square: square(name), probability: *probability }).collect()
}

#[test]
fn difficulty_is_what_people_lose() {
    let moves = likely(&[("a1", 0.5), ("b1", 0.3), ("c1", 0.2)]);
    let values = [(square("a1"), -6.0), (square("b1"), 2.0), (square("c1"), 1.0)];
    let difficulty = Difficulty::new(&moves, &values).unwrap();
    assert!((difficulty.expected_loss - (0.5 * 8.0 + 0.2 * 1.0)).abs() < 1e-12);
    assert!((difficulty.chance - 0.5).abs() < 1e-12);
    assert_eq!(Difficulty::new(&[], &[]), None);
}

#[test]
fn the_dials_of_the_human_player() {
    let moves = likely(&[("a1", 0.7), ("b1", 0.2), ("c1", 0.1)]);
    let values = [(square("a1"), 0.0), (square("b1"), 4.0), (square("c1"), -20.0)];
    let at = |rating: f64, max_loss: f64| {
        let chances = chances(&moves, &values, Style { rating: Rating(rating), max_loss });
        let sum: f64 = chances.iter().map(|likely| likely.probability).sum();
        assert!((sum - 1.0).abs() < 1e-9);
        let best = chances.iter().find(|likely| likely.square == square("b1")).unwrap().probability;
        (best, chances.len())
    };
    // Who is stronger finds the best move more often, and a limit leaves out what loses too much.
    let found: Vec<f64> = [900.0, 1300.0, 1700.0, 2100.0].iter().map(|&rating| at(rating, 64.0).0).collect();
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{found:?}");
    assert!(found[3] > 0.95);
    assert_eq!(at(1500.0, 5.0).1, 2);
    assert_eq!(at(1500.0, 0.0), (1.0, 1));
    let mut rng = Rng::new(1);
    let chances = chances(&moves, &values, Style { rating: Rating(900.0), max_loss: 64.0 });
    let played = (0..1000).filter(|_| choose(&chances, &mut rng) == Some(square("a1"))).count();
    assert!((600..800).contains(&played), "{played}");
}
