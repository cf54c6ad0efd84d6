//! The book as a whole: commands carried out one after the other, with a judge that makes values up.

use super::{formats::Care, graph::Positions, judge::MadeUp, *};
use super::{judge::SearchJudge, reply::BookReply};
use crate::base::{Cell, Colour, Control, Report};
use std::fs;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("shirokuro-book-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn try_run(book: &mut Book, line: &str, moves: &str) -> Result<BookReply, BookError> {
    let path = learn::games::read(&format!("{moves} \n")).unwrap().pop().unwrap_or(vec![Board::START]);
    let side = if path.len() % 2 == 1 { Colour::Black } else { Colour::White };
    let mut judge = MadeUp::new(5);
    let cx = Context { path: &path, side, level: Level::from_search(7), judge: &mut judge, control: Control::alone() };
    book.run(commands::parse(line).unwrap(), cx)
}

fn run(book: &mut Book, line: &str) -> BookReply {
    try_run(book, line, "").unwrap()
}

#[test]
fn a_day_in_the_life_of_a_book() {
    let scratch = Scratch::new("day");
    let mut book = Book::new();
    let BookReply::Learned(learned) = run(&mut book, "learn depth 6 error 3 sum 6") else { panic!() };
    assert!(learned.added > 20 && !learned.unfinished);
    assert_eq!(
        run(&mut book, "learn depth 6 error 3 sum 6"),
        BookReply::Learned(learn::Learned { positions: book.len(), ..learn::Learned::default() })
    );
    let file = scratch.file("my book.skbook");
    let save = format!("save \"{}\"", file.display());
    assert_eq!(run(&mut book, &save), BookReply::Saved { file: file.clone(), positions: book.len() });
    assert!(!book.is_changed());
    let BookReply::Swept(swept) = run(&mut book, "fix") else { panic!() };
    assert_eq!((swept.values_changed, swept.orphans_deleted), (0, 0));
    let BookReply::Shown(shown) = run(&mut book, "show") else { panic!() };
    assert_eq!(shown.moves.len(), 4);
    assert_eq!(shown.entry.unwrap().value as i32, shown.moves[0].value);
    let BookReply::Info(info) = run(&mut book, &format!("info '{}'", scratch.file("info.svg").display())) else {
        panic!()
    };
    assert_eq!((info.positions as usize, info.file.as_deref()), (book.len(), Some(file.as_path())));
    assert!(fs::read_to_string(scratch.file("info.svg")).unwrap().starts_with("<svg"));
    try_run(&mut book, "set -9", "f5d6").unwrap();
    let BookReply::Cut(cut) = run(&mut book, "reduce depth 5 error 1 sum 2") else { panic!() };
    assert!(cut.deleted > 0);
    assert!(book.is_changed());
    let positions = book.len();
    drop(book);
    let (book, read) = Book::open(&file, ReadOptions::default()).unwrap();
    assert_eq!((read.positions, book.len()), (positions, positions), "saved by itself at the end");
}

#[test]
fn books_go_out_and_come_back_in_every_format() {
    let scratch = Scratch::new("formats");
    let mut book = Book::new();
    run(&mut book, "learn depth 5 error 3 sum 6");
    run(&mut book, "leaves all depth inf error inf sum inf");
    run(&mut book, "fix");
    for name in ["a.skbook", "a.egbk3", "a.egbk2", "a.dat", "a.txt", "a.edax"] {
        let file = scratch.file(name);
        let BookReply::Exported { report, .. } = run(&mut book, &format!("export {}", file.display())) else {
            panic!()
        };
        let mut other = Book::new();
        let BookReply::Merged { read, merged } = run(&mut other, &format!("import {}", file.display())) else {
            panic!()
        };
        assert_eq!((merged.added as usize, read.format), (book.len(), report.format), "{name}");
        for entry in book.store().iter() {
            let found = other.store().get(entry.board).unwrap();
            assert_eq!(found.value, entry.value, "{name}");
        }
        let mut loaded = Book::new();
        run(&mut loaded, &format!("load {}", file.display()));
        assert_eq!(loaded.path().is_some(), name == "a.skbook", "only a book of our own is saved back to its file");
        loaded.settings.autosave = false;
    }
    let error = try_run(&mut book, &format!("export {}", scratch.file("a.xyz").display()), "").unwrap_err();
    assert!(matches!(error, BookError::NoFormat));
    assert!(!scratch.file("a.xyz").exists());
}

#[test]
fn nothing_in_memory_is_lost_by_a_bad_file() {
    let scratch = Scratch::new("bad");
    let mut book = Book::new();
    run(&mut book, "learn depth 4");
    let before: Vec<Entry> = book.store().iter().collect();
    fs::write(scratch.file("noise"), b"this is no book").unwrap();
    fs::write(scratch.file("cut"), b"DICUORAGE\x03\x05\0\0\0half").unwrap();
    fs::write(scratch.file("cut2"), [image::MAGIC.as_slice(), &[1, 0, 0, 0]].concat()).unwrap();
    for verb in ["load", "merge", "import"] {
        for name in ["noise", "cut", "cut2", "missing"] {
            let line =
                format!("{verb} {} {}", scratch.file(name).display(), if verb == "load" { "discard" } else { "" });
            assert!(try_run(&mut book, &line, "").is_err(), "{line}");
            assert!(book.store().iter().eq(before.iter().copied()), "{line}");
        }
    }
    let line = format!("merge {} lenient", scratch.file("cut").display());
    let BookReply::Merged { read, merged } = run(&mut book, &line) else { panic!() };
    assert_eq!((read.faults.len(), merged.added), (1, 0));
    let error = try_run(&mut book, "new", "").unwrap_err();
    assert!(matches!(error, BookError::Unsaved), "unsaved work is not thrown away");
    assert_eq!(run(&mut book, "new discard"), BookReply::New);
    assert!(book.is_empty());
}

#[test]
fn a_damaged_book_is_not_saved_over_unless_that_is_meant() {
    let scratch = Scratch::new("damage");
    let file = scratch.file("a.skbook");
    let mut bytes = Table::from_entries(synth::entries(1000, 1), 0).bytes().to_vec();
    bytes[image::BLOCK + 5] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let (mut book, _) = Book::open(&file, ReadOptions::default()).unwrap();
    let BookReply::Verified(found) = run(&mut book, "verify") else { panic!() };
    assert_eq!(found.damaged, [image::BLOCK]);
    run(&mut book, "set 3");
    assert!(matches!(book.save(None), Err(BookError::Damaged(1))));
    book.settings.autosave = false;
    drop(book);
    assert_eq!(fs::read(&file).unwrap(), bytes, "the file is as it was");
    let lenient = ReadOptions { care: Care::Lenient, ..ReadOptions::default() };
    let (mut book, _) = Book::open(&file, lenient).unwrap();
    run(&mut book, "verify");
    book.save(None).unwrap();
    assert_eq!(Table::open(&file).unwrap().verify(), Vec::<usize>::new());
    assert_eq!(book.len(), 1000 - image::PER_BLOCK);
    assert_eq!(fs::read(disk::backup_of(&file)).unwrap(), bytes, "and the damaged one is the backup");
}

#[test]
fn values_are_told_for_the_board_in_hand() {
    let mut book = Book::new();
    try_run(&mut book, "store", "f5d6c3d3c4").unwrap();
    try_run(&mut book, "set f4 7", "f5d6c3d3c4").unwrap();
    // The same line mirrored in the diagonal a1–h8.
    let BookReply::Shown(shown) = try_run(&mut book, "show", "e6f4c3c4d3").unwrap() else { panic!() };
    let top = &shown.moves[0];
    assert_eq!((top.square.to_string().as_str(), top.value, top.level), ("d6", 7, Level::HAND));
    assert_eq!(shown.entry.unwrap().value, 7);
    let error = try_run(&mut book, "set a1 7", "f5").unwrap_err();
    assert_eq!(error.to_string(), "a1 is not a legal move here");
}

#[test]
fn every_reply_has_tables_with_full_rows() {
    let scratch = Scratch::new("tables");
    fs::write(scratch.file("games"), "f5d6c3\nf5f6\n").unwrap();
    fs::write(scratch.file("bad"), "f5d6c3\nf5xx\n").unwrap();
    fs::write(
        scratch.file("b.txt"),
        format!("{} 0 1\n", "...........................10......01..........................."),
    )
    .unwrap();
    let at = |name: &str| scratch.file(name).display().to_string();
    let mut book = Book::new();
    for line in [
        "help".into(),
        "on".into(),
        "error 2".into(),
        "variation 3".into(),
        "trust off".into(),
        "autosave off 3".into(),
        "learn queue depth 3 tolerance 3".into(),
        "learn depth 4 rounds 2".into(),
        format!("learn-games {} depth 4", at("games")),
        format!("learn-games {}", at("bad")),
        "add f5".into(),
        "fill".into(),
        "extend depth 4".into(),
        "deepen level 8".into(),
        "leaves".into(),
        "lines".into(),
        "fix all".into(),
        "show".into(),
        "umigame 30 1".into(),
        "info".into(),
        "extract 3".into(),
        format!("check {}", at("games")),
        format!("merge {}", at("b.txt")),
        format!("export {}", at("c.egbk3")),
        format!("save {}", at("d.skbook")),
        format!("load {}", at("d.skbook")),
        "verify".into(),
        "prune".into(),
        "subtree".into(),
        "delete".into(),
        "new discard".into(),
    ] {
        let reply = run(&mut book, &line);
        let mut reports = vec![reply.report()];
        while let Some(report) = reports.pop() {
            match report {
                Report::Several(more) => reports.extend(more),
                Report::Table(table) => {
                    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{line}: {table:?}");
                    assert!(
                        table.rows.iter().flatten().all(|cell| !matches!(cell, Cell::Real(x, _) if !x.is_finite()))
                    );
                }
                Report::Nothing | Report::Text(_) | Report::Sentence(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn the_shipped_book_is_sound_and_knows_the_start() {
    let book = Book::builtin();
    assert!(book.len() > 100 && book.get(Board::START).is_some());
    let found = maintain::verify::verify(book.store(), Control::alone()).unwrap();
    let sound = maintain::verify::Verified { positions: book.len() as u64, ..Default::default() };
    assert_eq!(found, sound, "every value is that of what lies below it");
    assert!(book.store().iter().all(|entry| entry.level.is_known()));
    let shown = book.show(Board::START, Colour::Black, &AtomicBool::new(false));
    assert_eq!(shown.moves.len(), 4, "all four first moves are one");
    assert!(book.path().is_none(), "it is never saved over");
}

#[test]
fn learning_saves_by_itself_when_it_is_time() {
    let scratch = Scratch::new("autosave");
    let file = scratch.file("a.skbook");
    let mut book = Book::new();
    book.save(Some(&file)).unwrap();
    book.settings.autosave_every = Duration::ZERO;
    let path = [Board::START];
    let control = Control::alone();
    let how = learn::deviate::Deviation {
        bounds: maintain::walk::Bounds { depth: Some(6), per_move: Some(2), sum: Some(4), leaf: Some(2) },
        level: Level::from_search(5),
        rounds: None,
    };
    learn::deviate::deviate(&mut book, &path, &how, &mut MadeUp::new(5), control).unwrap();
    assert!(Table::open(&file).unwrap().serial() > 3, "saved between rounds");
    book.settings.autosave = false;
    let (other, _) = Book::open(&file, ReadOptions::default()).unwrap();
    assert!(other.len() <= book.len() && other.store().about(Board::START).is_some());
}

#[test]
fn the_engine_itself_is_a_judge() {
    use crate::othello::{eval::Weights, search::Config};
    let config = Config { threads: 2, hash_bits: 12, weights: Weights::builtin() };
    let mut judge = SearchJudge::new(config);
    let mut book = Book::new();
    let how = learn::deviate::Deviation {
        bounds: maintain::walk::Bounds { depth: Some(3), per_move: Some(2), sum: Some(4), leaf: Some(2) },
        level: Level::from_search(2),
        rounds: None,
    };
    let report = learn::deviate::deviate(&mut book, &[Board::START], &how, &mut judge, Control::alone()).unwrap();
    assert!(!report.unfinished && book.len() > 3);
    let again: Vec<Entry> = book.store().iter().collect();
    let mut second = Book::new();
    learn::deviate::deviate(&mut second, &[Board::START], &how, &mut judge, Control::alone()).unwrap();
    assert!(second.store().iter().eq(again), "the same questions have the same answers");
}

#[test]
fn an_untrusted_book_is_left_for_something_better() {
    let mut book = Book::new();
    let (mut judge, stop, mut rng) = (MadeUp::new(5), AtomicBool::new(false), Rng::new(1));
    let f5 = Board::START.play("f5".parse().unwrap()).unwrap();
    let mut worth: Vec<(i32, Square)> = f5.moves().into_iter().map(|s| (judge.value_of(f5, s), s)).collect();
    worth.sort();
    let (best, square) = worth[2];
    // A book move a little worse than the best one outside, then one as good.
    for (value, left) in [(best - 1, true), (best, false)] {
        try_run(&mut book, &format!("set {} {value}", worth[0].1), "f5").unwrap();
        book.settings.trust = true;
        let mut ask = |book: &Book| book.decide(f5, Level::from_search(9), &mut rng, &mut judge, &stop).unwrap();
        assert!(matches!(ask(&book), Decision::Book(choice) if choice.value == value));
        book.settings.trust = false;
        match ask(&book) {
            Decision::Outside { square: found, value: better } => assert!(left && (found, better) == (square, best)),
            Decision::Book(choice) => assert!(!left && choice.square == worth[0].1),
        }
    }
    book.settings.on = false;
    assert_eq!(book.decide(f5, Level::from_search(9), &mut rng, &mut judge, &stop), None);
}

/// As a process of somebody else would hold it.
fn hold(file: &Path) -> fs::File {
    let lock = files::with_suffix(file, ".lock");
    fs::write(&lock, "4711 elsewhere\n").unwrap();
    let held = fs::File::open(lock).unwrap();
    held.lock().unwrap();
    held
}

#[test]
fn a_book_that_another_process_changes_is_read_only() {
    let scratch = Scratch::new("held");
    let file = scratch.file("a.skbook");
    let mut book = Book::new();
    run(&mut book, "learn depth 3");
    book.save(Some(&file)).unwrap();
    drop(book);
    assert!(!files::with_suffix(&file, ".lock").exists(), "the lock goes with the book");
    let before = fs::read(&file).unwrap();
    let held = hold(&file);
    let mut book = Book::new();
    let loaded = run(&mut book, &format!("load {}", file.display())).report();
    let said = format!("{loaded:?}");
    assert!(said.contains("open in process 4711 on elsewhere; opened read-only"), "{said}");
    assert!(matches!(run(&mut book, "show"), BookReply::Shown(_)));
    for line in ["set 3", "fix", "learn depth 4"] {
        let error = try_run(&mut book, line, "").unwrap_err();
        assert!(matches!(error, BookError::InUse { .. }), "{line}: {error}");
        assert!(!book.is_changed());
    }
    assert!(matches!(book.save(None), Err(BookError::InUse { .. })));
    // Under another name it is ours.
    let mine = scratch.file("b.skbook");
    run(&mut book, &format!("save {}", mine.display()));
    run(&mut book, "set 3");
    drop(book);
    assert_eq!(fs::read(&file).unwrap(), before);
    // When the other has ended, however it did, its file is in nobody's way.
    let (mut book, _) = Book::open(&file, ReadOptions::default()).unwrap();
    drop(held);
    run(&mut book, "set 3");
    book.save(None).unwrap();
}

#[test]
fn a_file_that_has_moved_on_is_not_saved_over() {
    let scratch = Scratch::new("moved");
    let file = scratch.file("a.skbook");
    let mut book = Book::new();
    run(&mut book, "learn depth 3");
    book.save(Some(&file)).unwrap();
    // The same number of saves on both sides: the serial alone would not tell.
    let (mut other, _) = Book::open(&file, ReadOptions::default()).unwrap();
    run(&mut other, "set 3");
    run(&mut book, "set -5");
    other.save(None).unwrap();
    let theirs = fs::read(&file).unwrap();
    let error = book.save(None).unwrap_err();
    assert!(matches!(error, BookError::Moved(_)) && error.to_string().contains("book merge"), "{error}");
    let BookError::Rescued { kept: saved, .. } = book.save_or_rescue().unwrap_err() else {
        panic!("nothing may be lost")
    };
    assert_eq!(fs::read(&file).unwrap(), theirs);
    assert_eq!(Table::open(&saved).unwrap().get(Board::START.canonical().0).unwrap().value, -5);
    assert!(!book.save_at_exit().unwrap(), "it lives there now");
    // Without changes of its own a book follows.
    let (mut third, _) = Book::open(&file, ReadOptions::default()).unwrap();
    run(&mut other, "set 7");
    other.save(None).unwrap();
    try_run(&mut third, "add", "f5").unwrap();
    assert_eq!(third.get(Board::START).unwrap().value, 7);
    third.save(None).unwrap();
    let line = format!("merge {}", saved.display());
    assert!(matches!(run(&mut third, &line), BookReply::Merged { .. }));
}

#[test]
fn a_large_book_cut_or_overwritten_in_use_is_an_error_and_no_end() {
    let scratch = Scratch::new("cut");
    let file = scratch.file("a.skbook");
    let entries = synth::entries(5000, 1);
    let whole = Table::from_entries(entries.clone(), 0).bytes().to_vec();
    let other = Table::from_entries(synth::entries(6000, 2), 0).bytes().to_vec();
    let mut same_length = Table::from_entries(synth::entries(5000, 3), 0).bytes().to_vec();
    same_length.truncate(whole.len());
    for (what, bytes) in [("cut", &whole[..9000]), ("gone", &[]), ("other", &other), ("like", &same_length)] {
        fs::write(&file, &whole).unwrap();
        let table = Table::open_paged(&file).unwrap();
        assert!(entries[..50].iter().all(|e| table.get(e.board) == Some(*e)));
        let mut book = Book::from_store(Store::new(table), Some(file.clone()));
        book.on_disk = Some(book.store.base().header());
        run(&mut book, "set 5");
        // In place, as `cp` does it.
        std::thread::sleep(Duration::from_millis(20));
        fs::write(&file, bytes).unwrap();
        let right = |e: &&Entry| {
            book.store().get(e.board).is_none_or(|found| found == **e || e.board == graph::key(Board::START))
        };
        assert!(entries.iter().filter(right).count() == entries.len(), "{what}: wrong values");
        assert!(book.store().base().is_lost(), "{what}");
        assert!(matches!(book.save(None), Err(BookError::Lost(_))), "{what}");
        let BookError::Rescued { kept: saved, .. } = book.save_or_rescue().unwrap_err() else { panic!("{what}") };
        assert_eq!(Table::open(&saved).unwrap().get(graph::key(Board::START)).unwrap().value, 5);
        assert_eq!(fs::read(&file).unwrap(), *bytes, "{what}");
    }
    // Without changes it is read again.
    fs::write(&file, &whole).unwrap();
    let mut book = Book::from_store(Store::new(Table::open_paged(&file).unwrap()), Some(file.clone()));
    std::thread::sleep(Duration::from_millis(20));
    fs::write(&file, &other).unwrap();
    book.store().iter().count();
    assert!(book.store().base().is_lost());
    book.refresh();
    assert_eq!(book.len(), 6000);
}

#[test]
fn large_and_small_books_answer_alike() {
    let scratch = Scratch::new("paged");
    let file = scratch.file("a.skbook");
    let entries = synth::entries(5000, 1);
    let mut bytes = Table::from_entries(entries.clone(), 7).bytes().to_vec();
    bytes[3 * image::BLOCK + 40] ^= 4;
    fs::write(&file, &bytes).unwrap();
    let (small, large) = (Table::open(&file).unwrap(), Table::open_paged(&file).unwrap());
    assert_eq!((small.len(), small.serial()), (large.len(), large.serial()));
    for entry in entries.iter().chain(&synth::entries(500, 9)) {
        assert_eq!(small.get(entry.board), large.get(entry.board));
        assert_eq!(small.index_of(entry.board), large.index_of(entry.board));
    }
    assert!(small.iter().eq(large.iter()));
    assert_eq!(large.verify(), [3 * image::BLOCK]);
    assert_eq!((small.damaged(), large.damaged(), large.is_lost()), (1, 1, false));
    assert!(large.copy_to(&mut Vec::new()).is_err(), "a damaged block is not copied");
}
