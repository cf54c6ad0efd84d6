use super::forest::{Growing, Reason};
use super::frame::{self, Frame};
use super::{Candidate, Follower, Library, Matcher, interpret, phase};
use crate::base::{Budget, Colour, Control, Limits, Rng};
use crate::go::board::Board;
use crate::go::game::GoGame;
use crate::go::notation::Vertex;
use crate::go::playout::{Policy, Uniform};
use crate::go::point::{Geometry, Point};
use crate::go::report::Choice;
use crate::go::{Config, Player, PlayerKind, Rules};
use crate::gopal::Local;
use crate::gopal::ast::Phase;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

macro_rules! figure {
    ($name:literal) => {
        library(include_str!(concat!("../../../resources/gopal/", $name, ".gopal")))
    };
}

fn library(text: &str) -> Arc<Library> {
    Arc::new(Library::from_text("test", text).unwrap_or_else(|fault| panic!("{fault}")))
}

/// `d4` in the coordinates of a pattern.
fn local(name: &str) -> Local {
    let column = name.as_bytes()[0] - b'a' + 1;
    Local::new(column, name[1..].parse().unwrap()).unwrap()
}

/// One of the eight frames of the corners.
fn corner(geometry: Geometry, symmetry: u8) -> impl Fn(&str) -> Point {
    let (column, row) = frame::corner(geometry.size(), symmetry);
    let frame = Frame { symmetry, anchor: local("a1"), column: column as u8, row: row as u8 };
    move |name| frame.point(geometry, local(name)).unwrap()
}

fn empty_game(size: usize) -> GoGame {
    GoGame::new(size, Rules::CHINESE, 6.5).unwrap()
}

fn play(game: &mut GoGame, points: &[Point]) {
    for &p in points {
        game.play(game.to_move(), p).unwrap();
    }
}

fn candidates(library: &Arc<Library>, game: &GoGame) -> Vec<Candidate> {
    let mut follower = Follower::new(library.clone(), game);
    follower.follow(game);
    follower.candidates()
}

fn points(candidates: &[Candidate]) -> BTreeSet<Point> {
    candidates.iter().map(|c| c.point).collect()
}

#[test]
fn figure_1_takes_an_empty_corner() {
    let library = figure!("figure1");
    let game = empty_game(19);
    let found = candidates(&library, &game);
    let expected: BTreeSet<Point> = (0..4)
        .flat_map(|symmetry| ["c3", "d3", "c4", "d4"].map(|name| corner(game.geometry(), symmetry)(name)))
        .collect();
    assert_eq!((points(&found), found.len()), (expected, 16));
    assert!(found.iter().all(|c| &*c.intent == "sumijoban" && c.weight == 80 && c.reason == Reason::Match));
    // A stone in a corner leaves the other three, and the pattern goes on matching there.
    let mut game = empty_game(19);
    for (taken, symmetry) in [0, 1, 2].into_iter().enumerate() {
        let star = corner(game.geometry(), symmetry)("d4");
        play(&mut game, &[star]);
        assert_eq!(candidates(&library, &game).len(), 4 * (3 - taken));
    }
}

#[test]
fn figure_2_approaches_the_star_point_in_all_corners_and_reflections() {
    let library = figure!("figure2");
    for symmetry in 0..8 {
        let mut game = empty_game(19);
        let at = corner(game.geometry(), symmetry);
        let mirrored = corner(
            game.geometry(),
            (0..8).find(|&s| s != symmetry && frame::corner(19, s) == frame::corner(19, symmetry)).unwrap(),
        );
        play(&mut game, &[at("d4")]);
        let found = candidates(&library, &game);
        let expected = BTreeSet::from([at("f3"), at("f4"), mirrored("f3"), mirrored("f4")]);
        assert_eq!((points(&found), found.len()), (expected, 4));
        assert!(found.iter().all(|c| &*c.intent == "sumijoban" && c.weight == 72));
        // A stone in the way on one side leaves the other reflection.
        play(&mut game, &[Point::PASS, at("g2"), Point::PASS, Point::PASS]);
        let found = candidates(&library, &game);
        assert_eq!(points(&found), BTreeSet::from([mirrored("f3"), mirrored("f4")]));
        // The own star point is not approached.
        play(&mut game, &[Point::PASS]);
        assert_eq!(candidates(&library, &game), []);
    }
}

const JOSEKI: [(&str, &str); 9] = [
    ("d4", "sumijoban"),
    ("c6", "sumijoban"),
    ("d9", "sumijoban"),
    ("e6", "nigedashi"),
    ("f4", "kakicho"),
    ("b4", "shinryaku"),
    ("c3", "kakicho"),
    ("b9", "kakicho"),
    ("j3", "kakicho"),
];
/// After so many moves of the joseki, what answers a tenuki.
const TENUKI: [(usize, &str, &str); 5] =
    [(3, "d6", "hokaku"), (4, "f4", "shinryaku"), (5, "b4", "kakicho"), (6, "c3", "shinryaku"), (7, "b8", "shinryaku")];

/// The candidates that lie in the corner of a frame.
fn in_corner(found: &[Candidate], g: Geometry, near: Point) -> Vec<(Point, String, i64)> {
    let inside = |p: Point| g.column(p).abs_diff(g.column(near)) < 10 && g.row(p).abs_diff(g.row(near)) < 10;
    let mut found: Vec<_> =
        found.iter().filter(|c| inside(c.point)).map(|c| (c.point, c.intent.to_string(), c.weight)).collect();
    found.sort();
    found
}

#[test]
fn figures_5_and_6_give_the_same_moves_at_every_step_of_the_joseki() {
    let (extended, old) = (figure!("figure5"), figure!("figure6"));
    assert_eq!((extended.rules().len(), old.rules().len()), (1, 14));
    for symmetry in 0..8 {
        let mut game = empty_game(19);
        let g = game.geometry();
        let at = corner(g, symmetry);
        let [mut new_follower, mut old_follower] = [&extended, &old].map(|l| Follower::new(l.clone(), &game));
        for (step, (name, intent)) in JOSEKI.into_iter().enumerate() {
            new_follower.follow(&game);
            old_follower.follow(&game);
            let new = in_corner(&new_follower.candidates(), g, at("a1"));
            assert_eq!(new, in_corner(&old_follower.candidates(), g, at("a1")), "step {step}");
            let expected = (at(name), intent.to_owned(), 20);
            assert!(new.contains(&expected) && new.len() == if step == 1 { 2 } else { 1 }, "step {step}: {new:?}");
            play(&mut game, &[at(name)]);
            if let Some((_, name, intent)) = TENUKI.into_iter().find(|&(moves, ..)| moves == step + 1) {
                let mut elsewhere = game.clone();
                play(&mut elsewhere, &[at("o16")]);
                let [new, old] =
                    [&extended, &old].map(|library| in_corner(&candidates(library, &elsewhere), g, at("a1")));
                assert_eq!(new, [(at(name), intent.to_owned(), 20)]);
                assert_eq!(new, old);
            }
        }
    }
}

#[test]
fn figure_8_grows_the_tree_of_figure_9() {
    let library = figure!("figure8");
    let game = empty_game(19);
    let mut follower = Follower::new(library, &game);
    follower.follow(&game);
    let trees = follower.forest().trees();
    assert_eq!(trees.len(), 8);
    let at = corner(game.geometry(), 0);
    let Growing { tree, at: root } = trees.iter().find(|t| t.tree.origin.frame.symmetry == 0).unwrap();
    let shape = |id: usize| (tree.nodes[id].point, tree.nodes[id].colour);
    assert_eq!((shape(*root), tree.nodes[*root].with), ((at("d4"), Colour::Black), None));
    let approach = tree.nodes[*root].next.unwrap();
    assert_eq!((shape(approach), tree.nodes[approach].with), ((at("f3"), Colour::White), None));
    let jump = tree.nodes[approach].next.unwrap();
    assert_eq!((shape(jump), tree.nodes[jump].next), ((at("d6"), Colour::Black), None));
    let pincer = tree.nodes[jump].with.unwrap();
    assert_eq!(shape(pincer), (at("i4"), Colour::Black));
    assert_eq!((tree.nodes[pincer].with, tree.nodes[pincer].next, tree.nodes.len()), (None, None, 4));
    let mut game = game;
    play(&mut game, &[at("d4"), at("f3")]);
    follower.follow(&game);
    let found = follower.candidates();
    assert_eq!(in_corner(&found, game.geometry(), at("a1")).len(), 2);
    assert_eq!(points(&found).intersection(&BTreeSet::from([at("d6"), at("i4")])).count(), 2);
    assert!(found.iter().all(|c| &*c.intent == "sumijoban" && c.weight == 20));
}

#[test]
fn a_program_of_figure_3s_shape_runs() {
    let library = figure!("figure3");
    let mut game = empty_game(19);
    let at = corner(game.geometry(), 0);
    let first = in_corner(&candidates(&library, &game), game.geometry(), at("a1"));
    // The second `with`, c4, has its reflection d3.
    let expected = BTreeSet::from([at("d4"), at("c4"), at("d3")]);
    assert_eq!(first.iter().map(|c| c.0).collect::<BTreeSet<_>>(), expected);
    play(&mut game, &[at("d4"), at("f3")]);
    let after = in_corner(&candidates(&library, &game), game.geometry(), at("a1"));
    assert_eq!(
        after.iter().map(|c| (c.0, c.2)).collect::<BTreeSet<_>>(),
        BTreeSet::from([(at("d6"), 30), (at("i4"), 25)])
    );
    // The condition of the branch no longer holds once j4 is taken, outside the area.
    play(&mut game, &[Point::PASS, at("j4")]);
    assert_eq!(in_corner(&candidates(&library, &game), game.geometry(), at("a1")), []);
}

/// What the forest says about the corner of symmetry 0, after each move.
fn corner_moves(library: &Arc<Library>, game: &GoGame) -> Vec<(Point, Reason)> {
    let near = corner(game.geometry(), 0)("a1");
    let g = game.geometry();
    let found = candidates(library, game).into_iter();
    found
        .filter(|c| g.column(c.point).abs_diff(g.column(near)) < 10 && g.row(c.point).abs_diff(g.row(near)) < 10)
        .map(|c| (c.point, c.reason))
        .collect()
}

#[test]
fn trees_follow_the_rules_of_the_paper() {
    let library = figure!("figure5");
    let mut game = empty_game(19);
    let at = corner(game.geometry(), 0);
    let far = |name| corner(game.geometry(), 3)(name);
    let [far_d4, far_d3, far_c4] = ["d4", "d3", "c4"].map(far);
    // (a) The move of a tree advances it: the candidate is in progress.
    play(&mut game, &[at("d4"), at("c6"), at("d9")]);
    assert_eq!(corner_moves(&library, &game), [(at("e6"), Reason::Sequence)]);
    // (b) A tenuki leaves the tree; the colour differs, so the punishing move is offered.
    play(&mut game, &[far_d4]);
    assert_eq!(corner_moves(&library, &game), [(at("d6"), Reason::Tenuki)]);
    // Interruption and resumption: the other side plays elsewhere too, and the sequence goes on.
    let mut resumed = game.clone();
    play(&mut resumed, &[far_c4]);
    assert_eq!(corner_moves(&library, &resumed), [(at("e6"), Reason::Sequence)]);
    play(&mut resumed, &[at("e6")]);
    assert_eq!(corner_moves(&library, &resumed), [(at("f4"), Reason::Sequence)]);
    // The punishing move ends the sequence.
    let mut punished = game.clone();
    play(&mut punished, &[at("d6")]);
    assert_eq!(corner_moves(&library, &punished), []);
    // (c) Another move in the area drops the tree, for good.
    play(&mut game, &[at("h3"), far_d3]);
    assert_eq!(corner_moves(&library, &game), []);
    // A pass is a tenuki.
    let mut passed = empty_game(19);
    play(&mut passed, &[at("d4"), at("c6"), at("d9"), Point::PASS]);
    assert_eq!(corner_moves(&library, &passed), [(at("d6"), Reason::Tenuki)]);
}

#[test]
fn a_corner_grows_a_tree_once_for_each_side() {
    let library = figure!("figure8");
    let mut game = empty_game(19);
    let mut follower = Follower::new(library.clone(), &game);
    follower.follow(&game);
    assert_eq!(follower.forest().trees().len(), 8);
    // Both play in the centre: the trees stay, the other side grows its own, nobody grows a second.
    let centre = game.geometry().point(9, 9).unwrap();
    play(&mut game, &[centre]);
    follower.follow(&game);
    assert_eq!(follower.forest().trees().len(), 16);
    let above = game.geometry().point(9, 10).unwrap();
    play(&mut game, &[above]);
    follower.follow(&game);
    assert_eq!(follower.forest().trees().len(), 16);
    // Taking back begins anew and comes to the same.
    let mut again = Follower::new(library, &game);
    again.follow(&game);
    assert_eq!(again.forest().trees(), follower.forest().trees());
    game.undo();
    follower.follow(&game);
    assert_eq!(follower.forest().trees().len(), 16);
    game.undo();
    follower.follow(&game);
    assert_eq!(follower.forest().trees().len(), 8);
}

/// Rules of every kind, to compare the two ways of matching.
const MIXED: &str = "
pattern a1; applied_place corner; pickup corner(2); condition state(pd4) <> empty & count(range(pa1, 9, 9), friend) >= 1;
  candidate with (i, 1) pc3; end_candidate; end_pattern;
pattern a2; applied_place corner non_symmetric; pickup none; condition states(range(pa1, 3, 2)) = empty | state(pc3) = friend;
  candidate with (i, 1) pb2; end_candidate; end_pattern;
pattern a3; applied_place corner; pickup chain(enemy, liberties <= 3); condition distance(picked, pa1) < 8 & liberties(picked) > 1;
  candidate with (i, 1) libs(picked); end_candidate; end_pattern;
pattern s1; applied_place side; pickup stone(enemy, pc2); condition state(pc1) = empty & state(pb2) <> enemy & state(pd2) = empty;
  candidate with (i, 1) pd2; end_candidate; end_pattern;
pattern s2; applied_place side non_symmetric; pickup none; condition emparea(pa1, 2, 2) & state(pc2) = friend & (state(pa4) = edge | state(pb4) <> friend);
  candidate with (i, 1) pb3; end_candidate; end_pattern;
pattern f1; applied_place anywhere; pickup stone(friend, pm13); condition state(pm14) = enemy & state(pl13) = empty & state(pl14) = empty;
  candidate with (tatakai, 5) pl14; end_candidate; end_pattern;
pattern f2; applied_place anywhere non_symmetric; pickup chain(enemy, liberties = 1); condition size(picked) >= 2 | move_number > 20;
  candidate with (hokaku, 9) libs(picked); end_candidate; end_pattern;
pattern f3; applied_place anywhere; pickup none; condition state(pb2) = empty & state(pa2) = friend & state(pc2) = friend & state(pb1) = enemy & state(pb3) = enemy;
  candidate with (setsudan, 7) pb2; end_candidate; end_pattern;
pattern f4; applied_time middle, ending; applied_place center; pickup none; condition state(pc3) = empty & not (state(pc4) = state(pd3)) & connected(pb3, pb4);
  candidate with (i, 1) pc3; end_candidate; end_pattern;
pattern f5; applied_place anywhere; pickup stone(enemy, pc3); condition state(pc4) = friend & try(pd3 : liberties(pd3) > 2 & can_capture(pc3));
  candidate with (i, 1) pd3; end_candidate; end_pattern;
pattern f6; applied_place anywhere; pickup chain(enemy, liberties = 2, pc3); condition state(pa3) <> edge & can_capture(picked) & (can_escape(picked) | liberties(picked) = 2);
  candidate with (i, 1) catching(picked); end_candidate; end_pattern;
";

#[test]
fn compiled_matching_is_naive_matching() {
    let figures = [
        include_str!("../../../resources/gopal/figure1.gopal").replace("akisumisen", "f_akisumisen"),
        include_str!("../../../resources/gopal/figure2.gopal").into(),
        include_str!("../../../resources/gopal/figure3.gopal").into(),
        include_str!("../../../resources/gopal/figure6.gopal").into(),
        include_str!("../../../resources/gopal/figure8.gopal").into(),
    ];
    let library = library(&(figures.join("\n") + MIXED));
    let mut rng = Rng::new(11);
    let (mut compared, mut ruled) = (0, BTreeSet::new());
    for size in [5, 9, 13, 19] {
        let mut board = Board::new(size).unwrap();
        let mut matcher = Matcher::new(library.clone(), board.geometry());
        for ply in 0..(if size == 19 { 60 } else { 120 }) {
            let compiled = matcher.matches(&board, ply + 1);
            let mut naive = interpret::matches(library.rules(), &board, ply + 1);
            naive.sort();
            assert_eq!(compiled, naive, "size {size}, move {ply}");
            compared += naive.len();
            ruled.extend(naive.iter().map(|m| library.rules()[m.rule].name.to_string()));
            let p = Uniform::default().choose(&mut board, Point::PASS, &mut rng);
            board.play(p);
            // Also jumps, as a search makes them.
            if ply % 40 == 39 {
                board = Board::new(size).unwrap();
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
    for name in ["a1", "a2", "a3", "s1", "s2", "f1", "f2", "f3", "f4", "f5", "f6", "f_akisumisen"] {
        assert!(ruled.contains(name), "{name} never matched");
    }
}

#[test]
fn all_symmetries_match_alike() {
    let library = library(&MIXED.replace(" non_symmetric", ""));
    let mut rng = Rng::new(3);
    let mut boards = [(); 8].map(|()| Board::new(9).unwrap());
    let g = boards[0].geometry();
    let mut matchers = [(); 8].map(|()| Matcher::new(library.clone(), g));
    for ply in 0..60 {
        let count = |i: usize, boards: &[Board; 8], matchers: &mut [Matcher; 8]| {
            let found = matchers[i].matches(&boards[i], ply);
            let mut rules: Vec<(usize, Option<Point>)> =
                found.iter().map(|m| (m.rule, m.picked.map(|_| Point::PASS))).collect();
            rules.sort();
            // Which stone of a chain is met first differs: chains in corners are counted once either way.
            rules
        };
        let plain = count(0, &boards, &mut matchers);
        for symmetry in 1..8 {
            assert_eq!(count(symmetry, &boards, &mut matchers).len(), plain.len(), "symmetry {symmetry}, move {ply}");
        }
        let p = Uniform::default().choose(&mut boards[0], Point::PASS, &mut rng);
        for (symmetry, board) in boards.iter_mut().enumerate() {
            board.play(g.transform(p, symmetry));
        }
    }
}

#[test]
fn frames_lead_there_and_back() {
    let g = Geometry::new(13).unwrap();
    for symmetry in 0..8 {
        let frame = Frame { symmetry, anchor: local("c5"), column: 4, row: 6 };
        assert_eq!(frame.point(g, local("c5")), g.point(4, 6));
        for p in g.points() {
            if let Some(local) = frame.local(g, p) {
                assert_eq!(frame.point(g, local), Some(p));
            }
        }
    }
}

#[test]
fn phases_of_a_game() {
    let mut board = Board::new(9).unwrap();
    assert_eq!(phase::phase(&board), Phase::Opening);
    // 12.15 stones are 15 per cent of 9x9.
    for (i, p) in board.geometry().points().filter(|p| p.raw() % 2 == 0).take(13).enumerate() {
        assert_eq!(phase::phase(&board), Phase::Opening, "{i}");
        board.play(p);
    }
    assert_eq!(phase::phase(&board), Phase::Middle);
    let mut rng = Rng::new(2);
    for _ in 0..60 {
        let p = Uniform::default().choose(&mut board, Point::PASS, &mut rng);
        board.play(p);
    }
    assert_eq!(phase::phase(&board), Phase::Ending);
}

/// Corner patterns of joseki size, all different: some stones, the rest of 10x10 empty.
pub(super) fn many_patterns(count: usize) -> String {
    let mut rng = Rng::new(5);
    let mut text = String::new();
    for number in 0..count {
        let stones = 1 + rng.below(6);
        let mut used = BTreeSet::new();
        while used.len() < stones + 1 {
            used.insert((b'b' + rng.below(8) as u8, 2 + rng.below(8)));
        }
        let names: Vec<String> = used.iter().map(|(column, row)| format!("p{}{row}", char::from(*column))).collect();
        let states: Vec<String> = names[1..]
            .iter()
            .map(|name| format!("state({name}) = {}", if rng.below(2) == 0 { "friend" } else { "enemy" }))
            .collect();
        text += &format!(
            "pattern j{number}; applied_place corner; pickup none;\n condition {} & emparea(pa1, 10, 10, {});\n candidate with (i, 1) {}; end_candidate;\nend_pattern;\n",
            states.join(" & "),
            names[1..].join(", "),
            names[0],
        );
    }
    text
}

/// Prints the figures of `LAB.md`: `cargo test --lib matching_speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn matching_speed() {
    let library = library(&many_patterns(1_000));
    let mut rng = Rng::new(1);
    let (mut compiled, mut naive, mut moves) = (Duration::ZERO, Duration::ZERO, 0u32);
    let mut first = Duration::ZERO;
    for _ in 0..3 {
        let mut board = Board::new(19).unwrap();
        let mut matcher = Matcher::new(library.clone(), board.geometry());
        for ply in 0..200 {
            let begun = Instant::now();
            let found = matcher.matches(&board, ply);
            let taken = begun.elapsed();
            if ply == 0 {
                first += taken
            } else {
                compiled += taken
            }
            if ply % 50 == 5 {
                let begun = Instant::now();
                let mut slow = interpret::matches(library.rules(), &board, ply);
                naive += begun.elapsed();
                slow.sort();
                assert_eq!(found, slow);
            }
            moves += 1;
            let p = Uniform::default().choose(&mut board, Point::PASS, &mut rng);
            board.play(p);
        }
    }
    println!(
        "1,000 corner patterns, 19x19: compiled {:.1} us a move, {:.1} us for the first",
        compiled.as_secs_f64() * 1e6 / f64::from(moves - 3),
        first.as_secs_f64() * 1e6 / 3.0
    );
    println!("naive {:.1} us a position", naive.as_secs_f64() * 1e6 / 12.0);
}

/// The shortest time of many to follow the joseki from an empty board.
fn quickest_joseki(library: &Arc<Library>) -> Duration {
    let mut game = empty_game(19);
    let at = corner(game.geometry(), 0);
    play(&mut game, &JOSEKI.map(|(name, _)| at(name)));
    let follow = |_| {
        let begun = Instant::now();
        Follower::new(library.clone(), &game).follow(&game);
        begun.elapsed()
    };
    (0..300).map(follow).min().unwrap()
}

/// Prints the figures of `LAB.md`: `cargo test --lib extended_form -- --nocapture`.
#[test]
fn the_extended_form_is_not_slower() {
    let (extended, old) = (quickest_joseki(&figure!("figure5")), quickest_joseki(&figure!("figure6")));
    println!("the joseki: extended, 1 pattern {extended:?}; old, 14 patterns {old:?}");
    // A quarter more is what a busy machine may add.
    assert!(extended < old + old / 4, "{extended:?} {old:?}");
}

#[test]
fn a_thousand_patterns_match_in_time() {
    let library = library(&many_patterns(1_000));
    let mut rng = Rng::new(1);
    let mut board = Board::new(19).unwrap();
    let mut matcher = Matcher::new(library, board.geometry());
    matcher.matches(&board, 0);
    let mut quickest = Duration::MAX;
    for ply in 0..100 {
        let p = Uniform::default().choose(&mut board, Point::PASS, &mut rng);
        board.play(p);
        let begun = Instant::now();
        matcher.matches(&board, ply);
        quickest = quickest.min(begun.elapsed());
    }
    // The quickest, so that a busy machine does not matter.
    assert!(quickest < Duration::from_millis(2), "{quickest:?}");
}

#[test]
fn the_standard_library_is_read_and_matches() {
    let library = Library::standard();
    assert_eq!(library.sources().iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["corners", "joseki", "tactics"]);
    let game = empty_game(19);
    let found = candidates(&library, &game);
    assert!(!found.is_empty());
    let named: Vec<String> = found.iter().map(|c| Vertex(game.geometry(), c.point).to_string()).collect();
    assert!(named.contains(&"D4".to_owned()), "{named:?}");
}

#[test]
fn the_player_plays_whole_legal_games() {
    for (size, most) in [(9, 400), (13, 60), (19, 40)] {
        let mut game = empty_game(size);
        let mut player = Player::new(Config { seed: 7, ..Config::named(PlayerKind::Gopal) });
        let limits = Limits { nodes: Some(if size == 9 { 30 } else { 1 }), ..Limits::NONE };
        while !game.is_over() && game.plays().len() < most {
            let report = player.think(&game, limits, Control::alone());
            let Choice::Play(p) = report.choice else { break };
            game.play(game.to_move(), p).unwrap();
        }
        assert!(size != 9 || game.is_over(), "{} moves", game.plays().len());
        assert!(game.plays().iter().take(20).all(|play| !play.point.is_pass()));
    }
}

#[test]
fn the_player_takes_what_is_in_atari_and_keeps_its_time() {
    let picture = ".........\n.........\n..XXX....\n.XOOOX...\n..XX.....\n.........\n......O..\n.......O.\n.........";
    let mut board = crate::go::notation::parse_picture(picture).unwrap();
    board.set_to_move(Colour::Black);
    let game = GoGame::from_board(board, Rules::CHINESE, 6.5);
    let mut player = Player::new(Config::named(PlayerKind::Gopal));
    let report = player.think(&game, Limits { nodes: Some(200), ..Limits::NONE }, Control::alone());
    assert_eq!(Vertex(game.geometry(), report.moves[0].point).to_string(), "E5");
    // A stop is heard at once; of three tries the quickest counts, the machine may be busy.
    let game = empty_game(19);
    let delay = (0..3).map(|_| {
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let stopper = scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
                Instant::now()
            });
            let report = player.think(&game, Limits::NONE, Control::new(&stop, &|_| {}));
            let back = Instant::now();
            assert!(!report.complete && !report.moves.is_empty());
            back.saturating_duration_since(stopper.join().unwrap())
        })
    });
    let quickest = delay.min().unwrap();
    assert!(quickest < Duration::from_millis(50), "{quickest:?}");
    let begun = Instant::now();
    let budget = Budget::exactly(Duration::from_millis(50));
    player.think(&game, Limits { time: Some(budget), ..Limits::NONE }, Control::alone());
    assert!(begun.elapsed() < Duration::from_millis(500));
}

#[test]
fn candidates_are_prior_games_of_another_player() {
    let mut game = empty_game(9);
    let e5 = game.geometry().point(4, 4).unwrap();
    play(&mut game, &[e5]);
    let a1 = game.geometry().point(0, 0).unwrap();
    let text = "pattern odd; applied_place corner non_symmetric; pickup none; condition emparea(pa1, 4, 4); candidate with (i, 9) pa1; end_candidate; end_pattern;";
    let visits = |games: f32| {
        let mut player = Player::new(Config { seed: 1, gopal_priors: games, ..Config::named(PlayerKind::Rave) });
        player.set_library(library(text));
        let report = player.examine(&game, Limits { nodes: Some(400), ..Limits::NONE }, Control::alone());
        report.moves.iter().find(|m| m.point == a1).unwrap().visits
    };
    let (without, with) = (visits(0.0), visits(200.0));
    assert!(with > without + 50, "{without} {with}");
}
