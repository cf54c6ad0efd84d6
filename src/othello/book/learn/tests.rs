use super::{
    deviate::{Deviation, deviate, extend},
    fill::fill,
    games,
    queue::{Queue, queue},
    *,
};
use crate::{
    base::Control,
    othello::book::{
        entry::ply,
        judge::MadeUp,
        maintain::{
            sweep::{Sweep, sweep},
            verify::{Verified, verify},
            walk::Bounds,
        },
        progress::BookProgress,
    },
};
use std::{collections::BTreeMap, sync::atomic::AtomicBool};

const BOUNDS: Bounds = Bounds { depth: Some(7), per_move: Some(2), sum: Some(4), leaf: Some(2) };

fn how(bounds: Bounds) -> Deviation {
    Deviation { bounds, level: Level::from_search(10), rounds: None }
}

/// Everything but where values come from: a value that went up and came back is marked as brought up.
fn facts(book: &Book) -> Vec<Entry> {
    book.store().iter().map(|entry| Entry { source: Source::Unknown, ..entry }).collect()
}

fn learned(bounds: Bounds) -> (Book, Learned) {
    let mut book = Book::new();
    let report = deviate(&mut book, &[Board::START], &how(bounds), &mut MadeUp::new(5), Control::alone()).unwrap();
    (book, report)
}

#[test]
fn deviation_leaves_nothing_within_its_bounds() {
    let (book, report) = learned(BOUNDS);
    assert!(!report.unfinished && report.added as usize == book.len() && report.rounds > 5);
    assert!((50..5000).contains(&book.len()), "{}", book.len());
    assert!(book.store().iter().all(|entry| ply(entry.board) <= 7));
    let reached = walk::walk(book.store(), Board::START, &BOUNDS, |node| Some(node.clone()));
    let mut edge = 0;
    for node in reached.iter().flatten() {
        assert_eq!(i32::from(node.entry.value), node.best, "a value is that of what lies below");
        if ply(node.entry.board) < 7 && !free_moves(node).is_empty() {
            let leaf = node.leaf.expect("searched");
            assert!(!BOUNDS.allows_leaf(&leaf, node.best, node.left));
            edge += 1;
        }
    }
    assert!(edge > 2, "{edge}");
}

#[test]
fn after_fix_every_value_is_the_negamax_of_its_children_and_leaf() {
    let (mut book, _) = learned(BOUNDS);
    sweep(book.store_mut(), Sweep::FIX, Control::alone());
    for entry in book.store().iter() {
        let node = Node::of(book.store(), entry, 0);
        assert_eq!(i32::from(entry.value), node.best);
    }
}

#[test]
fn without_bounds_every_position_up_to_the_depth_is_learned() {
    let bounds = Bounds { depth: Some(5), ..Bounds::NONE };
    assert_eq!(learned(bounds).0.len(), 1 + 1 + 3 + 14 + 60 + 322);
}

/// A judge that never changes its mind: what it says of a position is the negamax of what it says of the positions
/// after it, down to made-up values at a certain ply.
#[derive(Default)]
struct Consistent {
    known: BoardMap<i32>,
}

impl Consistent {
    const HORIZON: u32 = 7;

    fn value(&mut self, key: Board) -> i32 {
        if key.is_over() {
            return key.final_score();
        }
        if ply(key) >= Self::HORIZON {
            return (crate::othello::book::image::spread(key) % 17) as i32 - 8;
        }
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let value = key.moves().into_iter().map(|square| self.after(key, square)).max().unwrap();
        self.known.insert(key, value);
        value
    }

    /// The value of a move for the side that makes it.
    fn after(&mut self, key: Board, square: crate::othello::Square) -> i32 {
        let child = graph::after(key, square).unwrap();
        let standing = graph::standing(child.board);
        let own = self.value(standing.key);
        child.seen(if standing.turned { -own } else { own })
    }
}

impl Judge for Consistent {
    fn judge(&mut self, questions: &[Question], _: &AtomicBool) -> Vec<Option<Verdict>> {
        let answer = |question: &Question| {
            let moves = BitBoard(question.board.moves().0 & question.only.unwrap_or(BitBoard::FULL).0);
            let best = moves.into_iter().map(|square| (self.after(question.board, square), square)).max();
            best.map_or(Verdict::from_finished(question.board), |(value, square)| Verdict { value, best: Some(square) })
        };
        questions.iter().map(answer).map(Some).collect()
    }
}

/// All positions that the bounds describe, straight from their meaning.
fn described(judge: &mut Consistent, key: Board, left: u32, bounds: &Bounds, seen: &mut BTreeMap<Board, u32>) {
    if seen.get(&key).is_some_and(|&before| before >= left) {
        return;
    }
    seen.insert(key, left);
    if bounds.depth.is_some_and(|depth| ply(key) >= depth) {
        return;
    }
    let best = judge.value(key);
    for square in key.moves() {
        let loss = (best - judge.after(key, square)) as u32;
        if loss <= bounds.per_move.unwrap() && loss <= left {
            let child = graph::key(graph::after(key, square).unwrap().board);
            described(judge, child, left - loss, bounds, seen);
        }
    }
}

#[test]
fn with_a_judge_that_never_errs_the_book_is_what_the_bounds_describe() {
    let mut sizes = Vec::new();
    for (per_move, sum) in [(0, 0), (2, 2), (2, 4), (2, 6), (3, 6)] {
        let bounds = Bounds { depth: Some(6), per_move: Some(per_move), sum: Some(sum), leaf: Some(per_move) };
        let (mut book, mut judge) = (Book::new(), Consistent::default());
        deviate(&mut book, &[Board::START], &how(bounds), &mut judge, Control::alone()).unwrap();
        let mut expected = BTreeMap::new();
        described(&mut judge, graph::key(Board::START), sum, &bounds, &mut expected);
        let mut keys: Vec<Board> = book.store().iter().map(|entry| entry.board).collect();
        keys.sort_unstable();
        assert_eq!(keys, expected.into_keys().collect::<Vec<_>>(), "error {per_move}, sum {sum}");
        sizes.push(book.len());
    }
    assert!(sizes.is_sorted_by(|a, b| a < b), "wider bounds make a larger book: {sizes:?}");
}

#[test]
fn stopped_anywhere_and_resumed_it_comes_to_the_same_end() {
    let (whole, _) = learned(BOUNDS);
    for stop_after in [7, 64, 100, 333] {
        let mut book = Book::new();
        let mut rounds = 0;
        loop {
            let stop = AtomicBool::new(false);
            let mut judge = MadeUp { stop_after: Some(stop_after), ..MadeUp::new(5) };
            let before = book.len();
            let control = Control::new(&stop, &|_: &BookProgress| {});
            let report = deviate(&mut book, &[Board::START], &how(BOUNDS), &mut judge, control).unwrap();
            rounds += 1;
            assert_eq!(book.len() as u64, before as u64 + report.added);
            let found = verify(book.store(), Control::alone());
            assert_eq!(
                found,
                Some(Verified { positions: book.len() as u64, ..Verified::default() }),
                "sound wherever stopped"
            );
            if !report.unfinished {
                break;
            }
            assert!(rounds < 5000, "no progress");
        }
        assert!(book.store().iter().eq(whole.store().iter()), "{} and {}", book.len(), whole.len());
        assert!(rounds > 1 && book.answers.is_empty());
    }
}

#[test]
fn a_limit_on_rounds_is_a_limit() {
    let mut book = Book::new();
    let few = Deviation { rounds: Some(3), ..how(BOUNDS) };
    let report = deviate(&mut book, &[Board::START], &few, &mut MadeUp::new(5), Control::alone()).unwrap();
    assert!(report.unfinished && report.rounds == 3);
}

#[test]
fn the_way_to_the_position_is_put_in_too() {
    let path = games::read("f5d6c3d3c4").unwrap().remove(0);
    let mut book = Book::new();
    let bounds = Bounds { depth: Some(7), per_move: Some(0), sum: Some(0), leaf: Some(0) };
    deviate(&mut book, &path, &how(bounds), &mut MadeUp::new(5), Control::alone()).unwrap();
    assert!(path.iter().all(|&board| book.get(board).is_some()));
    let swept = sweep(book.store_mut(), Sweep::FIX, Control::alone());
    assert_eq!(swept.orphans_deleted, 0);
}

#[test]
fn extend_takes_in_leaves_that_beat_the_links() {
    let (mut book, _) = learned(Bounds { depth: Some(4), ..BOUNDS });
    let bounds = Bounds { depth: Some(8), ..Bounds::NONE };
    let report = extend(&mut book, &[Board::START], &how(bounds), &mut MadeUp::new(5), Control::alone()).unwrap();
    assert!(report.added > 0 && !report.unfinished);
    for node in walk::walk(book.store(), Board::START, &bounds, |node| Some(node.clone())).iter().flatten() {
        let best = node.links.iter().map(|link| link.value).max();
        let beats = node.leaf.is_some_and(|leaf| best.is_none_or(|best| i32::from(leaf.value) >= best));
        assert!(!beats || ply(node.entry.board) >= 8);
    }
}

/// The algorithm of the queue word for word, one position at a time.
fn plain_queue(depth: u32, tolerance: u32, judge: &mut MadeUp) -> BTreeMap<Board, i32> {
    let stop = AtomicBool::new(false);
    let level = Level::from_search(10);
    let mut value = |board: Board| judge.judge(&[Question { board, level, only: None }], &stop)[0].unwrap().value;
    let root = Board::START.canonical().0;
    let mut book = BTreeMap::from([(root, value(root))]);
    let mut waiting = vec![(0, root)];
    let mut done = BTreeMap::new();
    while !waiting.is_empty() {
        waiting.sort_unstable();
        let (sum, key) = waiting.remove(0);
        if ply(key) >= depth || done.insert(key, ()).is_some() {
            continue;
        }
        for square in key.moves() {
            let child = graph::after(key, square).unwrap().board.canonical().0;
            let value = *book.get(&child).unwrap_or(&value(child));
            if value.unsigned_abs() <= tolerance {
                book.insert(child, value);
                waiting.push((sum + value.unsigned_abs(), child));
            }
        }
    }
    book
}

#[test]
fn the_queue_equals_its_plain_description() {
    for (depth, tolerance) in [(3, 64), (6, 6), (5, 4)] {
        let plain = plain_queue(depth, tolerance, &mut MadeUp::new(7));
        let mut book = Book::new();
        let how = Queue { depth, tolerance, level: Level::from_search(10) };
        let report = queue(&mut book, &[Board::START], &how, &mut MadeUp::new(7), Control::alone()).unwrap();
        assert!(!report.unfinished);
        let mut keys: Vec<Board> = book.store().iter().map(|e| e.board).collect();
        keys.sort_unstable();
        assert_eq!(keys, plain.keys().copied().collect::<Vec<_>>(), "depth {depth}, tolerance {tolerance}");
        let again = queue(&mut book, &[Board::START], &how, &mut MadeUp::new(7), Control::alone()).unwrap();
        assert_eq!(again.added, 0);
    }
}

#[test]
fn a_stopped_queue_goes_on() {
    let how = Queue { depth: 6, tolerance: 6, level: Level::from_search(10) };
    let mut whole = Book::new();
    queue(&mut whole, &[Board::START], &how, &mut MadeUp::new(7), Control::alone()).unwrap();
    let mut book = Book::new();
    let mut runs = 0;
    loop {
        runs += 1;
        let stop = AtomicBool::new(false);
        let mut judge = MadeUp { stop_after: Some(40), ..MadeUp::new(7) };
        let control = Control::new(&stop, &|_: &BookProgress| {});
        if !queue(&mut book, &[Board::START], &how, &mut judge, control).unwrap().unfinished {
            break;
        }
    }
    assert!(runs > 10 && whole.len() > 300, "{runs} {}", whole.len());
    assert_eq!(book.len(), whole.len());
    sweep(book.store_mut(), Sweep::FIX, Control::alone());
    sweep(whole.store_mut(), Sweep::FIX, Control::alone());
    assert_eq!(facts(&book), facts(&whole));
}

#[test]
fn fill_joins_lines() {
    let games = games::read("f5d6c3d3c4\nf5d6c4d3c3\n").unwrap();
    let mut book = Book::new();
    let (level, mut judge) = (Level::from_search(3), MadeUp::new(4));
    for path in &games {
        games::store_game(&mut book, path, None, level, &mut judge, Control::alone()).unwrap();
    }
    // The ends of both lines are one position; taking out what stands before it opens a gap.
    let before = book.len();
    let gap = graph::key(games[1][4]);
    book.store_mut().remove(gap);
    let report = fill(&mut book, 1, level, &mut judge, Control::alone()).unwrap();
    assert!(book.store().get(gap).is_some());
    assert!(report.added >= 1 && book.len() >= before && !report.unfinished);
}

#[test]
fn bad_lines_are_all_named_and_nothing_is_learned() {
    let bad = games::read("f5d6\n\n# a comment\nf5d9\nf5f5\nhello\n").unwrap_err();
    assert_eq!(bad.iter().map(|line| line.number).collect::<Vec<_>>(), [4, 5, 6]);
    assert_eq!(bad[1].reason, "move 2 (f5) is illegal");
    assert_eq!(games::read("f5d6\n\n# a comment\n").unwrap().len(), 1);
}

#[test]
fn games_are_learned_one_after_the_other() {
    let games = games::read("f5d6c3\nf5f6e6f4\n").unwrap();
    let mut book = Book::new();
    let how = Deviation { rounds: Some(2), ..how(BOUNDS) };
    let report = games::learn_games(&mut book, &games, &how, &mut MadeUp::new(5), Control::alone()).unwrap();
    assert!(games.iter().flatten().all(|&board| book.get(board).is_some()));
    assert!(report.rounds <= 4 && report.rounds > 1);
}

type Work<'a> = &'a dyn Fn(&mut Book, &mut MadeUp, Control<'_, BookProgress>) -> Learned;

/// Does some work again and again, each time stopped after so many answers, until it is through.
fn in_pieces(stop_after: u64, work: Work) -> (Book, Learned) {
    let mut book = Book::new();
    let mut total = Learned::default();
    for _ in 0..5000 {
        let stop = AtomicBool::new(false);
        let mut judge = MadeUp { stop_after: Some(stop_after), ..MadeUp::new(5) };
        let report = work(&mut book, &mut judge, Control::new(&stop, &|_: &BookProgress| {}));
        total.added += report.added;
        total.rounds += report.rounds;
        if !report.stopped {
            return (book, Learned { unfinished: report.unfinished, ..total });
        }
    }
    panic!("no progress");
}

#[test]
fn stopped_games_go_on_and_find_no_more_than_an_unbroken_run() {
    let games = games::read("f5d6c3d3\nf5f6e6f4\nf5d6c4d3c3\nf5f4e3\n").unwrap();
    for rounds in [None, Some(2), Some(3)] {
        let how = Deviation { rounds, ..how(BOUNDS) };
        let learn = |book: &mut Book, judge: &mut MadeUp, control: Control<'_, BookProgress>| {
            games::learn_games(book, &games, &how, judge, control).unwrap()
        };
        let mut whole = Book::new();
        let unbroken = learn(&mut whole, &mut MadeUp::new(5), Control::alone());
        assert_eq!(unbroken.unfinished, rounds.is_some());
        for stop_after in [9, 50, 170] {
            let (book, total) = in_pieces(stop_after, &learn);
            assert!(book.store().iter().eq(whole.store().iter()), "{} and {}", book.len(), whole.len());
            assert_eq!((total.added, total.unfinished), (unbroken.added, unbroken.unfinished));
            assert!(book.answers.is_empty());
        }
        if rounds.is_none() {
            let again = learn(&mut whole, &mut MadeUp::new(5), Control::alone());
            assert_eq!((again.added, again.leaves, again.rounds), (0, 0, 0), "nothing is left");
        }
    }
}

#[test]
fn stopped_rounds_are_counted_on() {
    let few = Deviation { rounds: Some(4), ..how(BOUNDS) };
    let learn = |book: &mut Book, judge: &mut MadeUp, control: Control<'_, BookProgress>| {
        deviate(book, &[Board::START], &few, judge, control).unwrap()
    };
    let mut whole = Book::new();
    let unbroken = learn(&mut whole, &mut MadeUp::new(5), Control::alone());
    let (book, total) = in_pieces(11, &learn);
    assert!(book.store().iter().eq(whole.store().iter()));
    assert_eq!((total.rounds, total.unfinished), (4, unbroken.unfinished));
    let more = learn(&mut whole, &mut MadeUp::new(5), Control::alone());
    assert!(more.added > 0, "a run that is through begins anew");
}

#[test]
fn games_are_held_against_the_book() {
    let main = games::read("f5d6c3d3").unwrap().remove(0);
    let mut book = Book::new();
    games::store_game(&mut book, &main, None, Level::from_search(3), &mut MadeUp::new(0), Control::alone()).unwrap();
    let games = games::read("f5d6c3d3c4\nf5d6c4\n").unwrap();
    let report = games::check(&book, &games, None, 2, Control::alone()).unwrap();
    assert_eq!((report.games, report.positions, report.missing), (2, 10, 2));
    assert_eq!((report.best, report.outside), (6, 2));
    assert_eq!(report.moves_in_book, 6);
    let lines = games::extract(book.store(), Board::START, 100);
    assert_eq!(lines.len(), 4, "four images of f5");
    assert!(lines.iter().all(|line| line.len() == 4));
}
