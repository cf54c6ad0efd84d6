//! Each format against bytes put together by hand from its description, and against itself.

use super::*;
use crate::othello::book::image;
use crate::othello::{
    Square,
    book::{entry::Leaf, graph::Positions, synth},
};
use proptest::prelude::*;
use std::collections::HashMap;

fn sq(name: &str) -> Square {
    name.parse().unwrap()
}

fn strict(bytes: &[u8]) -> (Table, ReadReport) {
    read(bytes, ReadOptions::default()).unwrap()
}

fn lenient(bytes: &[u8]) -> (Table, ReadReport) {
    read(bytes, ReadOptions { care: Care::Lenient, ..ReadOptions::default() }).unwrap()
}

fn refused(bytes: &[u8]) -> (Fault, u64) {
    match read(bytes, ReadOptions::default()) {
        Err(ReadError::Damaged { fault, offset, .. }) => (fault, offset),
        other => panic!("not refused: {:?}", other.map(|(_, report)| report)),
    }
}

/// The start position as Egaroucid and Edax write it (both numberings give the same numbers).
const START: [u8; 16] = [0, 0, 0, 0x10, 0x08, 0, 0, 0, 0, 0, 0, 0x08, 0x10, 0, 0, 0];
/// After the first move (e6 in Egaroucid's numbering): canonical own and opponent's discs.
fn after_one() -> Board {
    Board::START.play(sq("f5")).unwrap().canonical().0
}

fn bytes_of(board: Board) -> Vec<u8> {
    [board.player.to_le_bytes(), board.opponent.to_le_bytes()].concat()
}

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

// ---- egbk3 ----

#[test]
fn egbk3_empty_book_as_shipped_by_egaroucid() {
    let file = join(&[b"DICUORAGE\x03\x01\0\0\0", &START, &[0, 0xFF, 0, 0, 0, 0, 0, 19, 0xFF]]);
    assert_eq!(file.len(), 39);
    let (table, report) = strict(&file);
    assert_eq!((report.format, report.positions), (Format::Egbk3, 1));
    let entry = table.get(Board::START.canonical().0).unwrap();
    assert_eq!((entry.value, entry.level), (0, Level::UNKNOWN));
    let leaf = entry.leaf.unwrap();
    assert_eq!((leaf.square.index(), leaf.value, leaf.level), (19, 0, Level::UNKNOWN));
    let documented = join(&[b"EGAROUCID", &file[9..]]);
    assert_eq!(strict(&documented).0.bytes(), table.bytes(), "the magic of the documents is read too");
}

#[test]
fn egbk3_every_field_and_every_fault() {
    let fine = join(&[&START, &[0xFD, 70], &1234u32.to_le_bytes(), &[0xFC, 26, 21]]);
    let child = join(&[&bytes_of(after_one()), &[3, 21, 9, 0, 0, 0, 0x82, 125, 0xFF]]);
    let overlap = join(&[&START[..8], &START[..8], &[0; 9]]);
    let value = join(&[&bytes_of(Board::new(3, 4)), &[65, 1, 1, 0, 0, 0, 0x82, 125, 0xFF]]);
    let leaf = join(&[&bytes_of(Board::new(2, 4)), &[5, 66, 1, 0, 0, 0, 5, 7, 21]]);
    let head = |n: u8| [b"DICUORAGE\x03" as &[u8], &[n, 0, 0, 0]].concat();
    let (table, _) = strict(&join(&[&head(1), &fine]));
    let entry = table.get(Board::START.canonical().0).unwrap();
    let leaf_26 = Leaf { value: -4, square: Square::new(26).unwrap(), level: Level::from_search(21) };
    assert_eq!((entry.value, entry.level, entry.lines, entry.leaf), (-3, Level::HAND, 1234, Some(leaf_26)));

    let all = join(&[&head(5), &fine, &child, &overlap, &value, &leaf]);
    assert_eq!(refused(&all), (Fault::Overlap, 14 + 50));
    let (table, report) = lenient(&all);
    assert_eq!(table.len(), 3);
    let met: Vec<_> = report.faults.iter().map(|(f, t)| (*f, t.count, t.first_offset)).collect();
    assert_eq!(
        met,
        [
            (Fault::Overlap, 1, 64),
            (Fault::ValueRange, 1, 14 + 75 + 16),
            (Fault::LevelRange, 1, 14 + 100 + 17),
            (Fault::LeafIllegal, 1, 14 + 100 + 22),
            (Fault::LeafInBook, 1, 14),
        ]
    );
    assert_eq!(table.get(entry.board).unwrap().leaf, None, "all first moves are in the book now");

    let cut = &all[..all.len() - 1];
    assert_eq!(refused(&join(&[&head(2), &fine, &child[..24]])), (Fault::Truncated, 14 + 25));
    assert_eq!(lenient(cut).0.len(), 2);
    let longer = join(&[&head(1), &fine, b"xyz"]);
    assert_eq!(strict(&longer).1.faults[&Fault::TrailingBytes].first_offset, 39);
    let twice = strict(&join(&[&head(4), &child, &fine, &child, &fine])).1;
    let met: Vec<_> = twice.faults.iter().map(|(f, t)| (*f, t.count, t.first_offset)).collect();
    assert_eq!(met, [(Fault::LeafInBook, 1, 14 + 25), (Fault::Doubled, 2, 14 + 50)], "the second time it is met");
    assert_eq!(refused(b"DICUORAGE\x03\xFF\xFF\xFF\xFF").0, Fault::CountWrong);
    assert_eq!(refused(b"DICUORAGE\x03\x01").0, Fault::Truncated);
}

// ---- egbk2, egbk ----

#[test]
fn egbk2_empty_book_as_shipped_by_egaroucid() {
    let links = [0, 19, 0, 26, 0, 37, 0, 44];
    let file = join(&[b"DICUORAGE\x02\x01\0\0\0", &START, &[0, 70, 4], &links]);
    assert_eq!(file.len(), 41);
    let (table, report) = strict(&file);
    assert_eq!((report.format, table.len()), (Format::Egbk2, 1));
    let entry = table.get(Board::START.canonical().0).unwrap();
    assert_eq!((entry.value, entry.level), (0, Level::HAND));
    assert_eq!(entry.leaf.map(|leaf| leaf.value), Some(0), "a link without its position is kept as the leaf");
    assert_eq!(refused(&file[..40]), (Fault::Truncated, 14));
    let mut wrong = file.clone();
    wrong[34] = 1;
    assert_eq!(strict(&wrong).1.faults[&Fault::LinkIllegal].count, 1);
}

#[test]
fn egbk2_as_documented_with_four_bytes_for_the_links() {
    let links = [0, 19, 0, 26, 0, 37, 0, 44];
    let one = join(&[&START, &[2, 21, 4, 0, 0, 0], &links]);
    let two = join(&[&bytes_of(after_one()), &[0xFE, 70, 0, 0, 0, 0]]);
    for magic in [b"EGAROUCID", b"DICUORAGE"] {
        let file = join(&[magic, b"\x02\x02\0\0\0", &one, &two]);
        assert_eq!(file.len(), 14 + (22 + 2 * 4) + 22);
        let (table, report) = strict(&file);
        assert_eq!((report.format, table.len(), report.faults.len()), (Format::Egbk2, 2, 0));
        let entry = table.get(Board::START.canonical().0).unwrap();
        assert_eq!((entry.value, entry.level, entry.leaf), (2, Level::from_search(21), None));
        assert_eq!(table.get(after_one().canonical().0).unwrap().value, -2);
        // With something behind it, it is still read; cut off, it is refused.
        let longer = strict(&join(&[&file, b"xyz"])).1;
        assert_eq!(longer.faults[&Fault::TrailingBytes].first_offset, file.len() as u64);
        assert_eq!(refused(&file[..file.len() - 1]).0, Fault::Truncated);
        let mut wrong = file.clone();
        wrong[14 + 22 + 1] = 1;
        assert_eq!(strict(&wrong).1.faults[&Fault::LinkIllegal].first_offset, 14 + 22);
    }
}

#[test]
fn egbk_value_is_the_opponents_and_biased() {
    let empty = join(&[&[1, 0, 0, 0], &START, &[0x40]]);
    assert_eq!(empty.len(), 21);
    let (table, report) = strict(&empty);
    assert_eq!((report.format, table.get(Board::START.canonical().0).unwrap().value), (Format::Egbk, 0));
    let two = join(&[&[2, 0, 0, 0], &START, &[0x40 + 3], &bytes_of(after_one()), &[0x40 - 5]]);
    let options = ReadOptions { level: Level::from_search(17), ..ReadOptions::default() };
    let (table, _) = read(&two, options).unwrap();
    assert_eq!(table.get(Board::START.canonical().0).unwrap().value, -3);
    let child = table.get(after_one()).unwrap();
    assert_eq!((child.value, child.level.raw()), (5, 17));
    assert_eq!(strict(&[0, 0, 0, 0]).0.len(), 0, "the empty book of 5.4");
    assert_eq!(refused(&two[..37]), (Fault::Truncated, 21));
    let mut wrong = two;
    wrong[20] = 129;
    // With an impossible value in its first record nothing speaks for a book of this kind.
    assert!(matches!(read(&wrong, ReadOptions::default()), Err(ReadError::Unknown)));
    wrong[20] = 64;
    wrong[37] = 255;
    assert_eq!(refused(&wrong), (Fault::ValueRange, 37));
}

// ---- Egaroucid 5 text ----

#[test]
fn text_value_is_blacks() {
    let start = "...........................10......01...........................";
    let f5 = "...........................10......000..........................";
    let f5d6 = "...........................10......100.....1....................";
    assert_eq!((start.len(), f5.len(), f5d6.len()), (64, 64, 64));
    let file = format!("{start} 0 1\n{f5} 1 1\r\n\n{f5d6} 0 -2.0\n");
    let (table, report) = strict(file.as_bytes());
    assert_eq!((report.format, table.len()), (Format::Text, 3));
    assert_eq!(table.get(Board::START.canonical().0).unwrap().value, 1);
    assert_eq!(table.get(after_one()).unwrap().value, -1, "white's view");
    let bad = format!("{start} 0 1\n{f5} 1\n{f5} 2 1\n{f5} 1 99\nhello\n");
    assert_eq!(refused(bad.as_bytes()), (Fault::BadLine, 69));
    let (table, report) = lenient(bad.as_bytes());
    assert_eq!((table.len(), report.faults[&Fault::BadLine].count), (1, 4));
}

// ---- Edax ----

fn edax_header(count: i32) -> Vec<u8> {
    let mut bytes = b"XADEKOOB\x04\x06".to_vec();
    bytes.extend(2020i16.to_le_bytes());
    bytes.extend([1, 2, 3, 4, 5, 0]);
    for n in [21, 25, 2, 1, 1, count] {
        bytes.extend(i32::to_le_bytes(n));
    }
    bytes
}

fn edax_record(board: Board, value: i16, level: u8, links: &[(i8, u8)], leaf: (i8, u8)) -> Vec<u8> {
    let mut bytes = bytes_of(board);
    for n in [7u32, 8, 9, 10] {
        bytes.extend(n.to_le_bytes());
    }
    for n in [value, -64, 64] {
        bytes.extend(n.to_le_bytes());
    }
    bytes.extend([links.len() as u8, level]);
    for &(score, square) in links.iter().chain([&leaf]) {
        bytes.extend([score as u8, square]);
    }
    bytes
}

#[test]
fn edax_record_by_record() {
    let start = Board::START.canonical().0;
    let links: Vec<(i8, u8)> = start.moves().into_iter().map(|s| (1, s.index() as u8)).collect();
    let first = edax_record(start, 1, 21, &links, (-127, 65));
    assert_eq!(first.len(), 42 + 8);
    let square = after_one().moves().first().unwrap();
    let second = edax_record(after_one(), -1, 18, &[], (-1, square.index() as u8));
    let file = join(&[&edax_header(2), &first, &second]);
    let (table, report) = strict(&file);
    assert_eq!((report.format, table.len(), report.faults.len()), (Format::Edax, 2, 0));
    let entry = table.get(start).unwrap();
    assert_eq!((entry.value, entry.level.raw(), entry.lines, entry.leaf), (1, 21, 10, None));
    let leaf = table.get(after_one()).unwrap().leaf.unwrap();
    assert_eq!((leaf.value, leaf.square, leaf.level.raw()), (-1, square, 18));

    assert_eq!(refused(&file[..file.len() - 1]), (Fault::Truncated, 42 + 50));
    assert_eq!(refused(&join(&[&edax_header(3), &first, &second])), (Fault::CountWrong, 38));
    assert_eq!(refused(&edax_header(1)[..40]).0, Fault::Truncated);
    let broken = edax_record(after_one(), -1, 99, &[(3, 0), (5, 64)], (-1, 0));
    let (table, report) = strict(&join(&[&edax_header(1), &broken]));
    assert_eq!(table.len(), 1);
    for fault in [Fault::LevelRange, Fault::LinkIllegal, Fault::LeafIllegal] {
        assert!(report.faults.contains_key(&fault), "{fault:?}");
    }
    assert_eq!(refused(&join(&[&edax_header(1), &edax_record(start, 65, 1, &[], (0, 65))])), (Fault::ValueRange, 74));
}

/// A position whose side must pass.
fn pass_position() -> Board {
    let found = synth::scattered(3000, 5).into_iter().map(|e| e.board.pass()).find(|b| b.must_pass());
    found.unwrap()
}

#[test]
fn edax_pass_positions_become_those_after_the_pass() {
    let before = pass_position();
    let record = edax_record(before.canonical().0, 6, 21, &[(6, 64)], (-127, 65));
    let child = edax_record(before.pass().canonical().0, -4, 21, &[], (-127, 65));
    let (table, report) = strict(&join(&[&edax_header(1), &record]));
    assert_eq!(report.faults[&Fault::PassPosition].count, 1);
    assert_eq!(table.get(graph::key(before)).unwrap().value, -6);
    for file in [[&record, &child], [&child, &record]] {
        let (table, _) = strict(&join(&[&edax_header(2), file[0], file[1]]));
        assert_eq!((table.len(), table.get(graph::key(before)).unwrap().value), (1, -4), "its own record counts");
    }
}

/// Everything Edax checks before it uses a book, over the bytes we wrote.
fn check_as_edax(bytes: &[u8]) -> usize {
    let number = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(&bytes[..9], b"XADEKOOB\x04");
    let (mut at, mut found) = (42, HashMap::new());
    while at < bytes.len() {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let short = |at: usize| i16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());
        let board = Board::new(word(at), word(at + 8));
        let values = (short(at + 32), short(at + 34), short(at + 36));
        let count = usize::from(bytes[at + 38]);
        let pairs: Vec<(i8, u8)> = bytes[at + 40..at + 42 + 2 * count].chunks(2).map(|p| (p[0] as i8, p[1])).collect();
        at += 42 + 2 * count;
        assert!(found.insert(board, (values, pairs)).is_none(), "twice");
    }
    assert_eq!(found.len(), number(38) as usize);
    for (board, ((value, lower, upper), pairs)) in &found {
        let (links, leaf) = (&pairs[..pairs.len() - 1], pairs[pairs.len() - 1]);
        assert_eq!(*board, board.canonical().0);
        assert!(lower <= value && value <= upper);
        let legal = board.moves();
        let mut squares: Vec<u8> = links.iter().map(|link| link.1).collect();
        for &(score, square) in links {
            let next = if square == 64 {
                assert!(board.must_pass() && links.len() == 1);
                board.pass()
            } else {
                board.play(Square::new(square).unwrap()).unwrap()
            };
            let child = &found[&next.canonical().0];
            assert_eq!(i16::from(score), -child.0.0, "a link has its child's value");
        }
        match leaf.1 {
            65 => assert!(links.len() == legal.count() as usize || links.iter().any(|l| l.1 == 64)),
            square => assert!(legal.contains(Square::new(square).unwrap())),
        }
        squares.push(leaf.1);
        squares.sort();
        squares.dedup();
        assert_eq!(squares.len(), pairs.len(), "no move twice");
        let best = links.iter().map(|l| l.0).chain((leaf.0 != -127).then_some(leaf.0)).max();
        assert_eq!(best.map(i16::from), Some(*value), "the value is that of the best move");
    }
    found.len()
}

#[test]
fn what_we_write_passes_all_checks_of_edax() {
    for seed in 0..6 {
        let (table, _) = settled_book(synth::scattered(1500, seed));
        let mut bytes = Vec::new();
        let report = write(&mut bytes, &table, Format::Edax, WriteOptions::default()).unwrap();
        assert_eq!(check_as_edax(&bytes) as u64, report.positions);
        assert!(report.positions > table.len() as u64, "some passes");
        let level = Some(Level::from_search(21));
        let mut uniform = Vec::new();
        write(&mut uniform, &table, Format::Edax, WriteOptions { level }).unwrap();
        check_as_edax(&uniform);
        let (table, _) = strict(&uniform);
        assert!(table.iter().all(|e| e.level.raw() == 21));
    }
}

#[test]
fn edax_text_line_by_line() {
    let start = "---------------------------OX------XO---------------------------";
    let f5 = "---------------------------OX------XXX--------------------------";
    let file = format!("{start} X,21,--,-127\n{f5} O,18,D6,-1\n");
    let (table, report) = strict(file.as_bytes());
    assert_eq!((report.format, table.len()), (Format::EdaxText, 2));
    let child = table.about(Board::START.play(sq("f5")).unwrap()).unwrap();
    assert_eq!((child.value, child.leaf.unwrap().square.to_string().as_str()), (-1, "d6"));
    let root = table.about(Board::START).unwrap();
    assert_eq!((root.value, root.level.raw(), root.leaf), (1, 21, None), "its value comes from below");
    let bad = format!("{start} X,21,--,-127\n{start} X,21\n{start} X,77,D3,1\n{start} X,21,Z9,1\n");
    assert_eq!(refused(bad.as_bytes()), (Fault::BadLine, 78));
    assert_eq!(lenient(bad.as_bytes()).1.faults[&Fault::BadLine].count, 3);
    let illegal = format!("{start} X,21,A1,3\n");
    assert_eq!(strict(illegal.as_bytes()).1.faults[&Fault::LeafIllegal].count, 1);
}

// ---- Zebra ----

/// Start, f5, then d6 and f6 after it: in the packed form.
fn zebra_packed() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |numbers: &[i16]| numbers.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    put(&[4, 0, 3, 0]); // two i32: nodes, moves
    put(&[1, 2, 0, 0]); // children
    put(&[56, 64, 66]); // f5; d6, f6
    put(&[128, 128, 200, 130, 30_004, 30_004, -29_999, -29_999]); // scores for black and white
    put(&[-2, -1, -1, -1]); // moves outside
    put(&[9999, 9999, 9999, 9999]);
    put(&[1 + (12 << 10), 2 + (12 << 10), 1 + 4 + 16, 1 + 4]); // side to move, solved, depth
    bytes
}

#[test]
fn zebra_packed_tree() {
    let file = zebra_packed();
    assert_eq!(file.len(), 8 + 12 * 4 + 2 * 3);
    let (table, report) = strict(&file);
    assert_eq!((report.format, table.len()), (Format::ZebraPacked, 4));
    let start = table.about(Board::START).unwrap();
    assert_eq!((start.value, start.level.raw()), (1, 12));
    let f5 = Board::START.play(sq("f5")).unwrap();
    assert_eq!(table.about(f5).unwrap().value, -1, "130/128 for black, white to move");
    let d6 = table.about(f5.play(sq("d6")).unwrap()).unwrap();
    assert_eq!((d6.value, d6.level), (4, Level::MAX));
    assert_eq!(table.about(f5.play(sq("f6")).unwrap()).unwrap().value, 0);
    assert_eq!(refused(&file[..file.len() - 1]).0, Fault::Truncated);
    let mut illegal = file.clone();
    illegal[16..18].copy_from_slice(&55i16.to_le_bytes());
    assert_eq!(lenient(&illegal).0.len(), 1, "nothing below an illegal move can be trusted");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&file).unwrap();
    assert_eq!(strict(&packed.finish().unwrap()).0.bytes(), table.bytes(), "unpacked on the way");
}

#[test]
fn zebra_hashed_is_found_by_walking() {
    // As shipped: the start alone, with the numbers Zebra gives it.
    let empty = [
        0x9E, 0x0A, 0x02, 0x0B, 1, 0, 0, 0, 0xBD, 0x27, 0x88, 0x51, 0xF3, 0xF2, 0x87, 0x52, 0, 0, 0, 0, 0xFF, 0xFF, 0,
        0, 1, 0,
    ];
    let (table, report) = strict(&empty);
    assert_eq!((report.format, table.len()), (Format::Zebra, 1));
    let f5 = Board::START.play(sq("f5")).unwrap();
    let hash = zebra_hash::name(f5.opponent, f5.player).hash;
    let mut two = empty.to_vec();
    two[4] = 3;
    for (a, b) in [hash, (77, 78)] {
        two.extend(i32::to_le_bytes(a));
        two.extend(i32::to_le_bytes(b));
        two.extend([0x80, 0xFE, 0x80, 0xFE, 0xFF, 0xFF, 0x0F, 0x27, 2, 0]); // −3 for black, white to move
    }
    let (table, report) = strict(&two);
    assert_eq!((table.len(), report.faults[&Fault::Unreached]), (2, Tally { count: 1, first_offset: 8 + 2 * 18 }));
    assert_eq!(table.about(f5).unwrap().value, 3);
    assert_eq!(refused(&two[..two.len() - 1]).0, Fault::Truncated);
    let text = format!("2718\n2818\n2\n1367877565 1384641267 0 0 -1 0 1\n{} {} -384 -384 -1 9999 2\n", hash.0, hash.1);
    let (table, report) = strict(text.as_bytes());
    assert_eq!((report.format, table.len()), (Format::ZebraText, 2));
    assert_eq!(table.about(f5).unwrap().value, 3);
}

// ---- all ----

#[test]
fn a_write_that_fails_leaves_the_file_as_it_was() {
    let path = std::env::temp_dir().join(format!("shirokuro-write-{}.egbk3", std::process::id()));
    std::fs::write(&path, b"precious").unwrap();
    let table = Table::from_entries(synth::entries(10, 1), 0);
    for format in [Format::Egbk, Format::Zebra, Format::ZebraPacked, Format::ZebraText] {
        let failed = write_file(&path, &table, format, WriteOptions::default(), &AtomicBool::new(false));
        assert!(matches!(failed, Err(WriteError::ReadOnly(_))), "{failed:?}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    assert!(!files::backup_of(&path).exists());
    assert_eq!(
        write_file(&path, &table, Format::Egbk3, WriteOptions::default(), &AtomicBool::new(false)).unwrap().positions,
        10
    );
    assert_eq!(std::fs::read(files::backup_of(&path)).unwrap(), b"precious");
    let nowhere = path.join("below");
    let failed = write_file(&nowhere, &table, Format::Egbk3, WriteOptions::default(), &AtomicBool::new(false));
    assert!(matches!(failed, Err(WriteError::Io(_))), "{failed:?}");
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_file(files::backup_of(&path)).unwrap();
}

#[test]
fn a_damaged_book_of_our_own_is_not_merged_unless_that_is_said() {
    let mut bytes = Table::from_entries(synth::entries(1000, 1), 0).bytes().to_vec();
    bytes[3 * image::BLOCK + 20] ^= 1;
    assert_eq!(refused(&bytes), (Fault::BadBlock, 3 * image::BLOCK as u64));
    let (table, report) = lenient(&bytes);
    assert_eq!((table.len(), report.faults[&Fault::BadBlock].count), (1000 - image::PER_BLOCK, 1));
}

/// A book in which every value is what lies below it and every leaf is one: what formats without some fields can carry.
fn settled_book(entries: Vec<Entry>) -> (Table, BTreeMap<Fault, Tally>) {
    let mut faults = Faults::new(Format::Own, Care::Lenient);
    let table = settled(entries, &mut faults).unwrap();
    let mut entries: Vec<Entry> = table.iter().collect();
    entries.sort_by_key(|e| std::cmp::Reverse(e.board.disc_count()));
    let mut done: HashMap<Board, Entry> = HashMap::new();
    for mut entry in entries {
        let links = graph::links(&done, entry.board);
        let value = graph::negamax(&links, graph::sound_leaf(&entry, graph::squares(&links)));
        entry.value = value.map_or(entry.value, |v| v as i8);
        done.insert(entry.board, entry);
    }
    (Table::from_entries(done.into_values().collect(), 0), faults.met)
}

/// What the format keeps of an entry.
fn carried(entry: Entry, format: Format, default: Level) -> Entry {
    let capped = entry.level.min(Level::MAX);
    let mut kept = Entry { source: Source::Import, ..entry };
    match format {
        Format::Egbk3 => {}
        Format::Egbk2 => (kept.leaf, kept.lines) = (None, 1),
        Format::Text => (kept.leaf, kept.lines, kept.level) = (None, 1, default),
        Format::Edax => {
            kept.level = capped;
            kept.leaf = entry.leaf.map(|leaf| Leaf { level: capped, ..leaf });
        }
        Format::EdaxText => {
            (kept.level, kept.lines) = (capped, 1);
            kept.leaf = entry.leaf.map(|leaf| Leaf { level: capped, ..leaf });
        }
        _ => unreachable!(),
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn round_trips_keep_what_the_format_can_hold(seed in 0u64..1000, count in 1usize..400) {
        let (table, _) = settled_book(synth::scattered(count, seed));
        for format in [Format::Egbk3, Format::Egbk2, Format::Text, Format::Edax, Format::EdaxText] {
            let mut bytes = Vec::new();
            let report = write(&mut bytes, &table, format, WriteOptions::default()).unwrap();
            prop_assert!(report.positions >= table.len() as u64);
            prop_assert_eq!(Format::detect(&bytes), Some(format));
            let (back, _) = strict(&bytes);
            prop_assert_eq!(back.len(), table.len());
            for entry in table.iter() {
                let wanted = carried(entry, format, ReadOptions::default().level);
                let mut found = back.get(entry.board).unwrap();
                if entry.leaf.is_none() && matches!(format, Format::Edax | Format::EdaxText) {
                    // Edax has no word for "not known": a guess stands there, and the reply says so.
                    found.leaf = None;
                }
                prop_assert_eq!(found, wanted);
            }
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..600), kind in 0usize..9) {
        let heads: [&[u8]; 9] = [
            b"", b"DICUORAGE\x03\x05\0\0\0", b"DICUORAGE\x02\x05\0\0\0", b"XADEKOOB\x04\x04", b"\x9E\x0A\x02\x0B\x05\0\0\0",
            b"\x05\0\0\0\x04\0\0\0\x04\0", b"2718\n2818\n3\n", b"SHIROBK\x1A\x01\0\0\0", b"\x1F\x8B",
        ];
        bytes.splice(0..0, heads[kind].iter().copied());
        for care in [Care::Strict, Care::Lenient] {
            let _ = read(&bytes, ReadOptions { care, ..ReadOptions::default() });
        }
    }

    #[test]
    fn a_spoiled_file_is_refused_or_partly_read(seed in 0u64..50, at in 0.0f64..1.0, bit in 0u8..8, cut in any::<bool>()) {
        let (table, _) = settled_book(synth::scattered(60, seed));
        for format in [Format::Egbk3, Format::Egbk2, Format::Text, Format::Edax, Format::EdaxText] {
            let mut bytes = Vec::new();
            write(&mut bytes, &table, format, WriteOptions::default()).unwrap();
            let place = (at * bytes.len() as f64) as usize;
            if cut { bytes.truncate(place) } else { bytes[place] ^= 1 << bit }
            if let Ok((read, _)) = read(&bytes, ReadOptions { care: Care::Lenient, ..ReadOptions::default() }) {
                prop_assert!(read.len() <= table.len() + 2);
            }
        }
    }
}
