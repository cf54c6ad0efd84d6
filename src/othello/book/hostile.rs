//! Files that lie: every checksum is right, and yet the records, the directory or the header are not what a book has.

use super::{
    formats::{self, Care},
    image::{self, BLOCK, RECORD, crc32, u32_at, u64_at},
    judge::MadeUp,
    *,
};
use crate::base::{Colour, Control};

const POSITIONS: usize = 700;

/// Makes all checksums right again, as far as the parts lie where the header says.
fn seal(bytes: &mut [u8]) {
    let blocks = usize::try_from(u64_at(bytes, 16).div_ceil(image::PER_BLOCK as u64)).unwrap_or(usize::MAX);
    let checksums = BLOCK.saturating_add(blocks.saturating_mul(BLOCK));
    let directory = checksums.saturating_add(blocks.saturating_mul(4));
    if directory <= bytes.len() {
        for block in 0..blocks {
            let crc = crc32(&bytes[BLOCK + block * BLOCK..][..BLOCK]);
            bytes[checksums + 4 * block..][..4].copy_from_slice(&crc.to_le_bytes());
        }
        let crcs = [crc32(&bytes[checksums..directory]), crc32(&bytes[directory..])];
        bytes[80..84].copy_from_slice(&crcs[0].to_le_bytes());
        bytes[84..88].copy_from_slice(&crcs[1].to_le_bytes());
    }
    let crc = crc32(&bytes[..92]);
    bytes[92..96].copy_from_slice(&crc.to_le_bytes());
}

fn swap_records(bytes: &mut [u8], a: usize, b: usize) {
    for i in 0..RECORD {
        bytes.swap(BLOCK + a * RECORD + i, BLOCK + b * RECORD + i);
    }
}

/// One lie more.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let record = rng.below(POSITIONS);
    let (at, other) = (BLOCK + record * RECORD, rng.below(POSITIONS));
    let tail = BLOCK + POSITIONS.div_ceil(image::PER_BLOCK) * BLOCK;
    match rng.below(9) {
        0 => bytes[at + rng.below(RECORD)] = rng.next_u64() as u8,
        1 => bytes[at + rng.below(21)] ^= 1 << rng.below(8),
        2 => swap_records(bytes, record, other),
        3 => swap_records(bytes, record, (record + 1) % POSITIONS),
        4 => bytes.copy_within(at..at + RECORD, BLOCK + other * RECORD),
        5 => bytes[at..at + 16].copy_from_slice(&[rng.next_u64().to_le_bytes(); 2].concat()),
        6 if tail < bytes.len() => {
            let place = tail + rng.below(bytes.len() - tail);
            bytes[place] = bytes[place].wrapping_add(rng.below(3) as u8);
        }
        7 => bytes[[16, 17, 32, 40][rng.below(4)]] ^= 1 << rng.below(3),
        _ => bytes.truncate(bytes.len() - rng.below(8)),
    }
}

/// Everything that reads a book as a whole; a panic is the only failure.
fn use_it(table: Table) -> bool {
    let strict = table.verify().is_empty();
    if strict {
        let entries: Vec<Entry> = table.iter().collect();
        assert!(entries.is_sorted_by(|a, b| image::order(a.board) < image::order(b.board)));
        assert!(entries.iter().all(|entry| formats::kept(*entry) == Some(*entry)));
        assert_eq!(entries.len(), table.len());
    }
    let mut book = Book::from_store(Store::new(table), None);
    for line in ["show", "info", "verify", "umigame", "fix", "lines", "verify", "extract 3", "reduce depth 8 error 2"] {
        let mut judge = MadeUp::new(5);
        let (side, level) = (Colour::Black, Level::from_search(1));
        let cx = Context { path: &[Board::START], side, level, judge: &mut judge, control: Control::alone() };
        book.run(commands::parse(line).unwrap(), cx).unwrap();
    }
    strict
}

#[test]
fn no_file_with_right_checksums_brings_us_down() {
    let whole = Table::from_entries(synth::entries(POSITIONS, 1), 0).bytes().to_vec();
    let mut rng = Rng::new(11);
    let (mut opened, mut sound) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..=rng.below(3) {
            mutate(&mut bytes, &mut rng);
        }
        seal(&mut bytes);
        for care in [Care::Strict, Care::Lenient] {
            let _ = formats::read(&bytes, ReadOptions { care, ..ReadOptions::default() });
        }
        if let Ok(table) = Table::from_vec(bytes) {
            opened += 1;
            sound += u32::from(use_it(table));
        }
    }
    assert!(opened > 1500 && sound > 20 && sound < opened / 2, "{opened} opened, {sound} sound");
}

#[test]
fn records_out_of_order_are_found_by_every_reading() {
    let whole = Table::from_entries(synth::entries(POSITIONS, 1), 0).bytes().to_vec();
    // In one block, over the end of a block, far apart, and one twice.
    for (a, b) in [(3, 4), (127, 128), (5, 600), (9, 9)] {
        let mut bytes = whole.clone();
        if a == b {
            let at = BLOCK + a * RECORD;
            bytes.copy_within(at..at + RECORD, at + RECORD);
        }
        swap_records(&mut bytes, a, b);
        seal(&mut bytes);
        assert_eq!(u32_at(&bytes, 92), crc32(&bytes[..92]));
        assert!(formats::read(&bytes, ReadOptions::default()).is_err(), "{a} {b}: strict");
        let table = Table::from_vec(bytes.clone()).unwrap();
        assert!(!table.verify().is_empty(), "{a} {b}: verify");
        use_it(table);
        let lenient = ReadOptions { care: Care::Lenient, ..ReadOptions::default() };
        let (saved, _) = formats::read(&bytes, lenient).unwrap();
        assert_eq!(saved.len(), POSITIONS - usize::from(a == b), "{a} {b}: all that is there is taken");
    }
}
