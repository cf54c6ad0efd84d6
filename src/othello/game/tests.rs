use super::*;
use crate::{base::Rng, othello::BitBoard};
use proptest::prelude::*;

fn squares(text: &str) -> Vec<(Option<Colour>, Move)> {
    let words = text.split_whitespace();
    words.map(|w| (None, w.parse::<Square>().map_or(Move::Pass, Move::Place))).collect()
}

fn game(text: &str) -> Game {
    let mut game = Game::new();
    game.play_sequence(squares(text)).unwrap();
    game
}

/// A game that ends before the board is full: white is wiped out.
const WIPED_OUT: &str = "e6 f4 e3 f6 g5 d6 e7 f5 c5";

fn to_a_pass() -> Game {
    // Found by play, not by heart: the first random game with a pass in it, cut off in front of it.
    let mut rng = Rng::new(1);
    loop {
        let mut game = Game::without_auto_pass(Position::START);
        while game.turn() == Turn::Move {
            let moves: Vec<_> = game.position().moves().into_iter().collect();
            game.play(None, (*rng.pick(&moves).unwrap()).into()).unwrap();
        }
        if game.turn() == Turn::MustPass {
            return game;
        }
    }
}

#[test]
fn a_game_of_its_own_ends_when_nobody_can_move() {
    let game = game(WIPED_OUT);
    assert!(game.is_over());
    assert_eq!((game.score().white, game.score().difference()), (0, 64));
}

#[test]
fn refused_moves_change_nothing_and_say_why() {
    let mut game = game("f5 d6");
    let before = game.clone();
    let d6: Square = "d6".parse().unwrap();
    let a1: Square = "a1".parse().unwrap();
    let black = Colour::Black;
    for (colour, mv, error) in [
        (None, d6.into(), PlayError::Occupied { square: d6 }),
        (Some(black), a1.into(), PlayError::TurnsNothing { colour: black, square: a1 }),
        (Some(Colour::White), a1.into(), PlayError::WrongSide { colour: Colour::White }),
        (None, Move::Pass, PlayError::CannotPass { colour: black }),
        (Some(Colour::White), Move::Pass, PlayError::WrongSide { colour: Colour::White }),
    ] {
        assert_eq!(game.play(colour, mv), Err(error));
        assert_eq!(game, before);
    }
    let error = game.play_sequence(squares("c3 d3 a8")).unwrap_err();
    assert_eq!((error.index, game == before), (2, true));
    assert_eq!(error.to_string(), "move 3: illegal move: black on a8 turns nothing");
    let mut over = self::game(WIPED_OUT);
    assert_eq!(over.play(None, a1.into()), Err(PlayError::GameOver));
    assert_eq!(over.play(None, Move::Pass), Err(PlayError::GameOver));
    assert!(!game.redo(1) && !game.undo(3) && !game.go_to(3) && !game.switch_branch(0));
    assert_eq!(game, before);
}

#[test]
fn passes_by_hand() {
    let mut game = to_a_pass();
    let stuck = game.side();
    let free: Square = game.position().pass().moves().first().unwrap();
    assert_eq!(game.play(None, free.into()), Err(PlayError::MustPass { colour: stuck }));
    assert_eq!(game.play(Some(stuck), free.into()), Err(PlayError::MustPass { colour: stuck }));
    assert_eq!(game.play(Some(!stuck), Move::Pass), Err(PlayError::WrongSide { colour: !stuck }));
    game.play(Some(stuck), Move::Pass).unwrap();
    assert_eq!((game.side(), game.turn()), (!stuck, Turn::Move));
    game.play(None, free.into()).unwrap();
    assert!(game.undo(1) && game.side() == !stuck);
    assert!(game.undo(1) && game.side() == stuck);
}

#[test]
fn the_other_side_may_move_when_a_pass_is_due() {
    let mut game = to_a_pass();
    let before = game.clone();
    let stuck = game.side();
    let free: Square = game.position().pass().moves().first().unwrap();
    game.play(Some(!stuck), free.into()).unwrap();
    assert_eq!(game.ply(), before.ply() + 2);
    assert!(game.played()[before.ply()].automatic);
    assert!(game.undo(1));
    assert_eq!((game.ply(), game.side()), (before.ply(), stuck));
    assert!(game.redo(1));
    assert_eq!(game.ply(), before.ply() + 2);
}

#[test]
fn automatic_passes_go_with_their_move() {
    let hand = to_a_pass();
    let line: Vec<_> = hand.moves().map(|mv| (None, mv)).collect();
    let mut game = Game::new();
    game.play_sequence(line).unwrap();
    assert_eq!(game.ply(), hand.ply() + 1);
    assert_eq!(game.turn(), Turn::Move);
    // Saying it is allowed once.
    game.play(None, Move::Pass).unwrap();
    assert!(matches!(game.play(None, Move::Pass), Err(PlayError::CannotPass { .. })));
    assert!(game.undo(1));
    assert_eq!(game.ply(), hand.ply() - 1);
    assert!(game.redo(1));
    assert_eq!(game.ply(), hand.ply() + 1);
    // A position that begins with a pass.
    let mut set = Game::from_position(hand.position());
    assert_eq!((set.ply(), set.side()), (1, !hand.side()));
    assert!(!set.undo(1));
    let free = set.position().moves().first().unwrap();
    set.play(None, free.into()).unwrap();
    assert!(set.go_to(0) && set.redo(1) && set.ply() >= 2);
    assert!(set.go_to(0));
    set.play(None, free.into()).unwrap();
    assert_eq!(set.played()[0].mv, Move::Pass);
}

#[test]
fn switching_automatic_passing_on_makes_the_pass_that_is_due() {
    let mut game = to_a_pass();
    let ply = game.ply();
    game.set_auto_pass(true);
    assert_eq!((game.ply(), game.turn()), (ply + 1, Turn::Move));
}

#[test]
fn passes_after_the_end_are_a_matter_of_their_own() {
    let mut game = game(WIPED_OUT);
    let score = game.score();
    game.pass_at_end(Some(Colour::White)).unwrap();
    game.pass_at_end(Some(Colour::Black)).unwrap();
    game.pass_at_end(None).unwrap();
    assert_eq!((game.ply(), game.score(), game.is_over()), (12, score, true));
    assert!(game.undo(3) && game.ply() == 9);
    assert_eq!(Game::new().pass_at_end(None), Err(PlayError::CannotPass { colour: Colour::Black }));
}

#[test]
fn back_forth_and_away() {
    let mut game = game("f5 d6 c3 d3 c4");
    let end = game.clone();
    assert!(game.undo(2) && game.ply() == 3 && game.future().len() == 2);
    // The move that was undone keeps the rest; another one drops it.
    game.play(None, Move::Place("d3".parse().unwrap())).unwrap();
    assert_eq!(game.future().len(), 1);
    assert!(game.redo(1));
    assert_eq!(game, end);
    assert!(game.go_to(2) && game.side() == Colour::Black);
    game.play(None, Move::Place("c5".parse().unwrap())).unwrap();
    assert_eq!((game.ply(), game.future().len()), (3, 0));
    assert!(game.take_back(2));
    assert_eq!((game.ply(), game.plies().len(), game.redo(1)), (1, 1, false));
}

#[test]
fn branches_are_kept_and_come_back() {
    let mut game = game("f5 d6 c3 d3 c4");
    let first = game.clone();
    assert_eq!((game.keep_branch(), game.keep_branch()), (0, 0));
    game.undo(3);
    game.play_sequence(squares("c5 f4")).unwrap();
    assert!(game.switch_branch(0));
    assert_eq!((game.plies(), game.position()), (first.plies(), first.position()));
    assert_eq!(game.branches().len(), 2);
    assert!(game.switch_branch(1));
    assert_eq!(game.moves().last(), Some(Move::Place("f4".parse().unwrap())));
    assert!(game.drop_branch(0) && !game.drop_branch(1));
}

#[test]
fn notes_stay_with_their_move() {
    let mut game = game("f5 d6");
    game.annotate(Some(-1.5), Some(0.25));
    assert_eq!(game.last().map(|ply| (ply.value, ply.seconds)), Some((Some(-1.5), Some(0.25))));
    assert_eq!(game.played()[0].value, None);
    Game::new().annotate(Some(1.0), None);
}

#[test]
fn a_lone_disc_is_a_finished_game() {
    let lone = Position::new(BitBoard(1), BitBoard::EMPTY, Colour::Black).unwrap();
    let mut game = Game::new();
    assert_eq!(game.set_position(lone), Turn::Over);
    assert_eq!(game.set_position(Position::START), Turn::Move);
}

/// Anything a user might ask, by number.
fn ask(game: &mut Game, what: u8, number: u8) {
    let before = game.clone();
    let number = number as usize;
    let done = match what % 10 {
        0..=3 => {
            let legal = game.position().legal();
            legal.is_empty() || game.play(None, legal[number % legal.len()]).is_ok()
        }
        4 => game.play(Some(Colour::BOTH[number & 1]), Square::wrapping(number as u32 >> 1).into()).is_ok(),
        5 => game.undo(number % 4),
        6 => game.redo(number % 4),
        7 => game.go_to(number % 16),
        8 => game.keep_branch() < game.branches().len() && game.switch_branch(number % 3),
        _ => {
            game.transform(number as u8 % 8);
            true
        }
    };
    if !done && what % 10 != 8 {
        assert_eq!(*game, before);
    }
}

proptest! {
    #[test]
    fn the_history_always_replays(asks in prop::collection::vec(any::<(u8, u8)>(), 0..80), auto in any::<bool>()) {
        let mut game = if auto { Game::new() } else { Game::without_auto_pass(Position::START) };
        for (what, number) in asks {
            ask(&mut game, what, number);
            prop_assert_eq!(&game.positions, &positions(game.start, &game.plies));
            prop_assert!(game.at <= game.plies.len());
            prop_assert!(!game.auto_pass() || !game.future().is_empty() || game.turn() != Turn::MustPass || game.at == 0);
        }
    }

    #[test]
    fn undo_and_redo_are_inverse(seed in any::<u64>(), n in 1usize..20) {
        let mut rng = Rng::new(seed);
        let mut game = Game::new();
        while game.turn() == Turn::Move {
            let moves: Vec<_> = game.position().moves().into_iter().collect();
            game.play(None, (*rng.pick(&moves).unwrap()).into()).unwrap();
        }
        let end = game.clone();
        let n = n.min(game.plies().iter().filter(|ply| !ply.automatic).count());
        prop_assert!(game.undo(n));
        prop_assert!(game.redo(n));
        prop_assert_eq!(game, end);
    }
}
