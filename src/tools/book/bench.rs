//! How fast a book opens, answers, changes and is saved, beside the plain way of reading it into a hash map.

use super::{BenchArgs, ToolError, write_book};
use crate::{
    base::{Control, Rng},
    othello::{
        Board,
        book::{
            Entry, Store, Table, disk,
            formats::{Format, ReadOptions},
            maintain::{
                merge::{Winner, merge},
                sweep::{Sweep, sweep},
            },
            read_file, synth,
        },
    },
};
use std::{
    collections::HashMap,
    fs,
    hint::black_box,
    io::{self, Write},
    path::Path,
    sync::atomic::AtomicBool,
    time::Instant,
};

/// Memory of this process that is its own (not mapped from files), in megabytes, where the system tells it.
fn own_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

struct Bench<'a> {
    out: &'a mut dyn Write,
    memory: Option<f64>,
}

impl Bench<'_> {
    /// Does something once and tells how long it took and how much memory stays because of it.
    fn time<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> Result<T, ToolError> {
        let began = Instant::now();
        let result = work();
        let took = began.elapsed();
        let memory = own_memory();
        let grown = memory.zip(self.memory).map_or(String::new(), |(now, before)| format!("{:+9.1} MB", now - before));
        self.memory = memory;
        writeln!(self.out, "{name:44} {:>12.3} ms {grown}", took.as_secs_f64() * 1e3)?;
        self.out.flush()?;
        Ok(result)
    }

    /// Looks all boards up so many times and tells the time of the fastest pass.
    fn look_ups(
        &mut self,
        name: &str,
        passes: usize,
        boards: &[Board],
        find: impl Fn(Board) -> bool,
    ) -> Result<(), ToolError> {
        let pass = |_| {
            let began = Instant::now();
            let found = boards.iter().filter(|&&board| black_box(find(black_box(board)))).count();
            (began.elapsed() / boards.len().max(1) as u32, found)
        };
        let (each, found) = (0..passes.max(1)).map(pass).min().unwrap_or_default();
        writeln!(self.out, "{name:44} {:>12.3} µs each ({found} of {} found)", each.as_secs_f64() * 1e6, boards.len())?;
        Ok(())
    }
}

pub fn run(args: &BenchArgs, out: &mut dyn Write) -> Result<(), ToolError> {
    let folder = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    fs::create_dir_all(&folder)?;
    let name = |ending: &str| folder.join(format!("shirokuro-bench-{}.{ending}", std::process::id()));
    let (own, other) = (name("skbook"), name("egbk3"));
    let result = measure(args.positions, &own, &other, out);
    for file in [&own, &other, &disk::backup_of(&own)] {
        fs::remove_file(file).ok();
    }
    result
}

fn measure(positions: usize, own: &Path, other: &Path, out: &mut dyn Write) -> Result<(), ToolError> {
    let more = positions.clamp(1, 1_000_000);
    let mut bench = Bench { out, memory: None };
    let (hits, misses, additions) = prepare(positions, more, own, other)?;
    writeln!(bench.out, "{positions} positions, {more} more to add")?;
    bench.memory = own_memory();
    let mut store = bench.time("open", || Table::open(own).map(Store::new))??;
    bench.look_ups("look up, first time (checksums tested)", 1, &hits, |board| store.get(board).is_some())?;
    bench.look_ups("look up, warm", PASSES, &hits, |board| store.get(board).is_some())?;
    bench.look_ups("look up what is not there", PASSES, &misses, |board| store.get(board).is_some())?;
    bench.time("add", || additions.iter().for_each(|entry| _ = store.put(*entry)))?;
    bench.time("save (fsync, backup)", || disk::save(&mut store, own, false, &AtomicBool::new(false)))??;
    let table = Table::from_entries(additions, 0);
    bench.memory = own_memory();
    bench.time("merge (the same again, later wins)", || merge(&mut store, &table, Winner::Later, Control::alone()))?;
    drop(table);
    bench.memory = own_memory();
    bench.time("fix", || sweep(&mut store, Sweep::FIX, Control::alone()))?;
    bench.time("save", || disk::save(&mut store, own, false, &AtomicBool::new(false)))??;
    bench.time("verify all checksums", || store.base().verify())?;
    drop(store);
    bench.memory = own_memory();
    let map = bench.time("egbk3 into a hash map", || hash_map_of(other))??;
    bench.look_ups("look up in the hash map", PASSES, &hits, |board| map.contains_key(&key(board)))?;
    drop(map);
    bench.memory = own_memory();
    bench.time("egbk3 read with all checks", || read_file(other, ReadOptions::default()))??;
    Ok(())
}

type Prepared = (Vec<Board>, Vec<Board>, Vec<Entry>);

/// Writes both files; boards that are there, boards that are not, and entries to be added.
fn prepare(positions: usize, more: usize, own: &Path, other: &Path) -> Result<Prepared, ToolError> {
    let mut entries = synth::entries(positions + more, 1);
    let additions = entries.split_off(entries.len().saturating_sub(more));
    let mut rng = Rng::new(2);
    let mut pick = |from: &[Entry]| -> Vec<Board> {
        (0..1_000_000.min(from.len() * 4)).filter_map(|_| rng.pick(from).map(|entry| entry.board)).collect()
    };
    let (hits, misses) = (pick(&entries), pick(&additions));
    let table = Table::from_entries(entries, 0);
    write_book(&table, own, Format::Own, None)?;
    write_book(&table, other, Format::Egbk3, None)?;
    Ok((hits, misses, additions))
}

/// Of several passes over the same boards the fastest counts: the others were disturbed.
const PASSES: usize = 5;

fn key(board: Board) -> (u64, u64) {
    (board.player, board.opponent)
}

type Plain = HashMap<(u64, u64), (i8, i8, u32, i8, i8, i8)>;

/// The plain way: every record of the file into a map of the standard library.
fn hash_map_of(file: &Path) -> io::Result<Plain> {
    let bytes = fs::read(file)?;
    let mut map = Plain::new();
    for record in bytes.get(14..).unwrap_or_default().chunks_exact(25) {
        let word = |at: usize| u64::from_le_bytes(record[at..at + 8].try_into().unwrap_or_default());
        let lines = u32::from_le_bytes(record[18..22].try_into().unwrap_or_default());
        let [value, level, a, b, c] = [16, 17, 22, 23, 24].map(|at| record[at] as i8);
        map.insert((word(0), word(8)), (value, level, lines, a, b, c));
    }
    Ok(map)
}
