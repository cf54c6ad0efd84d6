//! The targets of `cargo fuzz` as ordinary tests: a fixed number of inputs, generated and mutated from fixed seeds.

use crate::{
    base::Rng,
    othello::{
        Game, Move,
        book::{
            Table,
            formats::{self, Format, WriteOptions},
            synth,
        },
        records::{self, Record},
    },
};

const BOOKS: usize = 4000;
const RECORDS: usize = 4000;

/// Bytes that begin as a book of each format that is only read, with nonsense behind.
fn foreign(rng: &mut Rng) -> Vec<Vec<u8>> {
    let noise = |rng: &mut Rng, n: usize| -> Vec<u8> { (0..n).map(|_| rng.next_u64() as u8).collect() };
    let start = [0, 0, 0, 8, 0x10, 0, 0, 0, 0, 0, 0, 0x10, 8, 0, 0, 0];
    let numbers = |list: &[i16]| -> Vec<u8> { list.iter().flat_map(|n| n.to_le_bytes()).collect() };
    let lines: String = (0..20)
        .map(|_| {
            let words: Vec<String> = (0..7).map(|_| (rng.next_u64() as i16).to_string()).collect();
            words.join(" ") + "\n"
        })
        .collect();
    vec![
        [&[1, 0, 0, 0], &start[..], &[0x43]].concat(),
        [&[30, 0, 0, 0][..], &noise(rng, 30 * 17)].concat(),
        [&numbers(&[2718, 2818, 20, 0])[..], &noise(rng, 20 * 18)].concat(),
        [&numbers(&[9, 0, 8, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 56, 64, 33])[..], &noise(rng, 200)].concat(),
        format!("2718\n2818\n20\n{lines}").into_bytes(),
        [&b"\x1F\x8B\x08\0"[..], &noise(rng, 60)].concat(),
    ]
}

/// A book of every format that can be written, and beginnings of the others.
fn books(rng: &mut Rng) -> Vec<Vec<u8>> {
    let table = Table::from_entries(synth::entries(40, 1), 0);
    let written = Format::all().filter(|format| format.can_write()).map(|format| {
        let mut out = Vec::new();
        formats::write(&mut out, &table, format, WriteOptions::default()).expect("written to memory");
        out
    });
    let mut all: Vec<Vec<u8>> = written.collect();
    all.extend(foreign(rng));
    all
}

/// Games played at random, in every format that is written, and a file of WTHOR.
fn games(rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut game = Game::default();
    while !game.is_over() {
        let moves: Vec<_> = game.position().board.moves().into_iter().collect();
        let Some(&square) = rng.pick(&moves) else { break };
        if game.play(None, Move::Place(square)).is_err() {
            break;
        }
    }
    let record = Record::new(game);
    use records::Format::{Ggf, Obf, Pgn, Sgf, Text};
    let mut all: Vec<Vec<u8>> =
        [Ggf, Sgf, Obf, Pgn, Text].iter().filter_map(|format| format.write(&record)).map(String::into_bytes).collect();
    let head = [20, 26, 1, 1, 2, 0, 0, 0, 0, 0, 0xEA, 7, 8, 0, 24, 0];
    all.push([&head[..], &[0, 0, 1, 0, 2, 0, 40, 40, 56, 64, 33], &[0; 57 + 68]].concat());
    all
}

/// A few changes of the kind that files suffer.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    const WORDS: [&[u8]; 8] = [b"[", b"]", b"(;", b"\0", b"\xFF\xFF\xFF\xFF", b"99999999999999999999", b"-1", b"\n"];
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(7) {
            0 if at < bytes.len() => bytes[at] = rng.next_u64() as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..(at + rng.below(9)).min(bytes.len()))),
            4 => drop(bytes.splice(at..at, WORDS[rng.below(WORDS.len())].iter().copied())),
            5 => {
                let end = (at + rng.below(40)).min(bytes.len());
                bytes.extend_from_within(at..end);
            }
            _ => {
                let from = rng.below(other.len().max(1)).min(other.len());
                let to = (from + rng.below(64)).min(other.len());
                drop(bytes.splice(at..at, other[from..to].iter().copied()));
            }
        }
    }
}

/// Runs a target over the seeds as they are, then over so many mutations of each.
fn run(seeds: &[Vec<u8>], each: usize, rng: &mut Rng, target: fn(&[u8])) {
    assert!(seeds.len() > 5);
    for seed in seeds {
        target(seed);
        for _ in 0..each {
            let mut bytes = seed.clone();
            let other = rng.pick(seeds).cloned().unwrap_or_default();
            mutate(&mut bytes, &other, rng);
            target(&bytes);
        }
    }
}

#[test]
fn books_of_every_format() {
    let mut rng = Rng::new(1);
    let seeds = books(&mut rng);
    let known = seeds.iter().filter_map(|bytes| Format::detect(bytes)).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(known.len(), Format::all().count(), "every reader is reached: {known:?}");
    run(&seeds, BOOKS, &mut rng, super::book);
}

#[test]
fn records_of_every_format() {
    let mut rng = Rng::new(2);
    let seeds = games(&mut rng);
    run(&seeds, RECORDS, &mut rng, super::record);
}

#[test]
fn trees_of_sgf() {
    let mut rng = Rng::new(3);
    let seeds = games(&mut rng);
    run(&seeds, RECORDS, &mut rng, super::tree);
}
