use super::config::{Config, PlayerKind};
use super::game::GoGame;
use super::notation::{parse_picture, parse_vertex};
use super::player::Player;
use super::point::Point;
use super::report::{Choice, Report};
use super::rules::Rules;
use crate::base::{Budget, Colour, Control, Limits};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn playouts(n: u64) -> Limits {
    Limits { nodes: Some(n), ..Limits::NONE }
}

fn game(picture: &str, to_move: Colour) -> GoGame {
    let mut board = parse_picture(picture).unwrap();
    board.set_to_move(to_move);
    GoGame::from_board(board, Rules::CHINESE, 0.5)
}

fn think(game: &GoGame, kind: PlayerKind, n: u64) -> Report {
    Player::new(Config::named(kind)).think(game, playouts(n), Control::alone())
}

const ALL: [PlayerKind; 4] = [PlayerKind::Primitive, PlayerKind::Uct, PlayerKind::Patterns, PlayerKind::Rave];

/// White's three stones are in atari and connect two black chains that would otherwise die.
const RESCUE: &str = "
    . . . . .
    . O O O .
    X O X X O
    X O . X O
    X X O O O";

#[test]
fn every_player_takes_the_stones_that_decide() {
    let game = game(RESCUE, Colour::Black);
    for kind in ALL {
        let report = think(&game, kind, 2000);
        assert!(matches!(report.choice, Choice::Play(p) if game.check(Colour::Black, p).is_ok()), "{kind:?}");
        assert!(report.playouts > 0);
    }
}

#[test]
fn one_thread_and_a_seed_repeat_themselves() {
    let game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    for kind in ALL {
        let (a, b) = (think(&game, kind, 300), think(&game, kind, 300));
        assert_eq!(a.moves, b.moves, "{kind:?}");
        assert_eq!(a.choice, b.choice);
    }
}

#[test]
fn a_player_told_to_stop_at_once_still_has_a_move() {
    let game = GoGame::new(19, Rules::CHINESE, 6.5).unwrap();
    let stop = AtomicBool::new(true);
    for kind in ALL {
        let report = Player::new(Config::named(kind)).think(&game, Limits::NONE, Control::new(&stop, &|_| {}));
        assert!(matches!(report.choice, Choice::Play(p) if game.check(Colour::Black, p).is_ok()), "{kind:?}");
        assert!(!report.complete);
    }
}

#[test]
fn a_search_without_limits_ends_when_stopped() {
    let game = GoGame::new(13, Rules::CHINESE, 6.5).unwrap();
    let stop = AtomicBool::new(false);
    let mut player = Player::new(Config { threads: 2, memory_mb: 1, ..Config::named(PlayerKind::Rave) });
    let late = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
        });
        let begun = Instant::now();
        player.examine(&game, Limits::NONE, Control::new(&stop, &|_| {}));
        begun.elapsed().saturating_sub(Duration::from_millis(300))
    });
    // Generous: the machine may be busy. A quiet one needs a few milliseconds.
    assert!(late < Duration::from_millis(1000), "{late:?}");
}

#[test]
fn time_is_kept() {
    let game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    let time = Duration::from_millis(200);
    let limits = Limits { time: Some(Budget::exactly(time)), ..Limits::NONE };
    let report = Player::new(Config { early_stop: false, ..Config::named(PlayerKind::Rave) }).think(
        &game,
        limits,
        Control::alone(),
    );
    assert!(report.elapsed >= time && report.elapsed < time * 5, "{:?}", report.elapsed);
}

#[test]
fn a_game_that_is_decided_takes_little_time() {
    // White owns nothing, and black has all that is needed to live.
    let mut game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    for vertex in ["C5", "D5", "E5", "F5", "G5", "D3", "F3", "D7", "F7"] {
        let point = parse_vertex(game.geometry(), vertex).unwrap();
        game.play(game.to_move(), point).unwrap();
        game.play(game.to_move(), Point::PASS).unwrap();
    }
    let time = Duration::from_secs(4);
    let limits = Limits { time: Some(Budget::exactly(time)), ..Limits::NONE };
    let report = Player::new(Config::named(PlayerKind::Rave)).think(&game, limits, Control::alone());
    assert!(report.elapsed < time / 2, "{:?}", report.elapsed);
}

#[test]
fn the_tree_is_kept_from_move_to_move() {
    let mut game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    let mut player = Player::new(Config { early_stop: false, ..Config::named(PlayerKind::Rave) });
    let first = player.think(&game, playouts(2000), Control::alone());
    let line = first.moves[0].line.clone();
    for &p in &line[..2] {
        game.play(game.to_move(), p).unwrap();
    }
    let next = player.examine(&game, playouts(1), Control::alone());
    let visits: u64 = next.moves.iter().map(|m| m.visits).sum();
    assert!(visits > 10, "{visits} visits are known after two moves of the expected line");
    game.undo();
    game.undo();
    let other = player.examine(&game, playouts(1), Control::alone());
    assert!(other.moves.iter().map(|m| m.visits).sum::<u64>() <= 1, "another position starts anew");
}

#[test]
fn threads_share_one_tree() {
    let game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    let mut player = Player::new(Config { threads: 4, early_stop: false, ..Config::named(PlayerKind::Rave) });
    let report = player.think(&game, playouts(2000), Control::alone());
    assert_eq!(report.playouts, 2000);
    assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u64>(), 2000);
    assert_eq!(report.tally.playouts(), 2000);
}

#[test]
fn memory_is_never_exceeded_and_the_search_goes_on() {
    let game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    let config = Config { memory_mb: 1, expand_at: 1, early_stop: false, ..Config::named(PlayerKind::Uct) };
    let report = Player::new(config).examine(&game, playouts(3000), Control::alone());
    assert_eq!(report.playouts, 3000);
    assert!(report.memory <= 1.0);
}

#[test]
fn news_come_while_it_thinks() {
    let game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    let heard = std::sync::Mutex::new(Vec::new());
    let tell = |report: &Report| heard.lock().unwrap().push(report.playouts);
    let stop = AtomicBool::new(false);
    let limits = Limits { time: Some(Budget::exactly(Duration::from_millis(500))), ..Limits::NONE };
    Player::new(Config::named(PlayerKind::Rave)).examine(&game, limits, Control::new(&stop, &tell));
    let heard = heard.into_inner().unwrap();
    assert!(!heard.is_empty() && heard.windows(2).all(|w| w[0] <= w[1]), "{heard:?}");
}

/// All is settled: two living sides and a dead white stone in the lower left.
const SETTLED: &str = "
    . X O . O
    X X O O .
    . X O O O
    X X X O .
    . O X O O";

#[test]
fn a_won_and_settled_game_is_passed() {
    let mut game = game(SETTLED, Colour::White);
    game.set_komi(0.5);
    let report = think(&game, PlayerKind::Rave, 2000);
    assert_eq!(report.choice, Choice::Play(Point::PASS), "{:?}", report.moves[0]);
}

#[test]
fn clean_up_takes_dead_stones_before_passing() {
    let mut game = game(SETTLED, Colour::Black);
    game.set_komi(-5.0);
    let config = Config { clean_up: true, ..Config::named(PlayerKind::Rave) };
    let report = Player::new(config).think(&game, playouts(2000), Control::alone());
    let takes = parse_vertex(game.geometry(), "a1").unwrap();
    assert_eq!(report.choice, Choice::Play(takes));
    game.play(Colour::Black, takes).unwrap();
}

/// Moves that cannot be made here are left out, whoever put them into the tree.
#[test]
fn moves_that_cannot_be_made_are_left_out() {
    use super::mcts::{Search, Searcher};
    use super::tree::{Seed, Tree};
    // White's stone at C3 has just taken at B3: black may not retake at once.
    let mut game = GoGame::from_board(
        parse_picture(". . . . .\n. X O . .\nX . X O .\n. X O . .\n. . . . .").unwrap(),
        Rules::CHINESE,
        0.5,
    );
    game.play(Colour::White, parse_vertex(game.geometry(), "b3").unwrap()).unwrap();
    let at = |name: &str| parse_vertex(game.geometry(), name).unwrap();
    let config = Config { seed: 1, ..Config::named(PlayerKind::Rave) };
    for superko in [Rules::CHINESE, Rules::JAPANESE] {
        let mut game = game.clone();
        game.set_rules(superko);
        let tree = Tree::new(1 << 20);
        let seeds = ["b3", "c3", "e1", "pass"].map(|name| Seed { point: at(name), visits: 10.0, value: 9.0 });
        tree.grow(Tree::ROOT, || seeds.to_vec());
        let search = Search::new(&config, &tree, &game, 200, 0);
        Searcher::new(&search, 0).run(&AtomicBool::new(false), || {});
        let tried = super::report::moves(&tree);
        let mut names: Vec<Point> = tried.iter().map(|m| m.point).collect();
        names.sort();
        let mut wanted = [at("e1"), at("pass")];
        wanted.sort();
        assert_eq!(names, wanted);
        assert_eq!(tried.iter().map(|m| m.visits).sum::<u64>(), 200);
    }
}

/// Black has passed, and white is behind by its dead stones: passing too is no win.
#[test]
fn a_pass_is_worth_what_it_comes_to_without_the_dead() {
    let mut game = GoGame::new(9, Rules::CHINESE, 6.5).unwrap();
    for name in "E5 G4 D3 F7 G5 F5 F6 F4 D6 G6 E8 E7 D7 F8 D8 F2 E2 E4 D4 E6 F9 G9 E9 D5 C5 G8 F1 G2 G1 H1 E1 E3 D2 H2 E5 B6 D5 \
                 B8 B5 C8 A7 A6 C9 B3 A5 A8 B9 C2 C1 B1 C3 D1 B4 A2 C1 H5 pass"
        .split_whitespace()
    {
        let point = parse_vertex(game.geometry(), name).unwrap();
        game.play(game.to_move(), point).unwrap();
    }
    let config = Config { seed: 1, early_stop: false, ..Config::named(PlayerKind::Rave) };
    let report = Player::new(config).think(&game, playouts(5000), Control::alone());
    let pass = report.moves.iter().find(|m| m.point.is_pass()).unwrap();
    assert!(pass.visits > 20 && pass.win_rate < 0.2, "{pass:?}");
    assert!(report.moves[0].win_rate < 0.5, "white has lost, and knows it: {:?}", report.moves[0]);
}
