//! Saving a book under its name (see `base/files.rs` for how nothing can be half there).

use super::{
    image::Flaw,
    store::Store,
    table::{OpenError, Table},
};
use crate::base::files::{self, Backup, Stoppable};
use std::{io, path::Path, sync::atomic::AtomicBool};

pub use files::backup_of;

/// Saves the store under `path` and goes on with the saved file. Unless `accept_damage`, nothing is written when some of
/// what was there cannot be read any more; nor when `stop` is raised before all is written.
pub fn save(store: &mut Store, path: &Path, accept_damage: bool, stop: &AtomicBool) -> Result<(), OpenError> {
    let serial = store.base().serial() + 1;
    files::replace_with(path, Backup::Keep, |file| {
        store.write(Stoppable { out: file, stop }, serial)?;
        // What is damaged may show only while it is copied.
        let lost = store.base().is_lost() || store.damaged() > 0 && !accept_damage;
        if lost { Err(io::Error::new(io::ErrorKind::InvalidData, Flaw::Part("book"))) } else { Ok(()) }
    })?;
    store.saved(Table::open(path)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::Control,
        othello::{
            Board,
            book::{
                Book, Level,
                formats::ReadOptions,
                judge::MadeUp,
                learn::{
                    Learned,
                    deviate::{Deviation, deviate},
                },
                maintain::walk::Bounds,
                synth,
            },
        },
    };
    use std::{
        fs,
        io::BufRead,
        path::PathBuf,
        process::{Command, Stdio},
        time::Duration,
    };

    /// A directory of this test's own, gone when it ends.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("shirokuro-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    #[test]
    fn saved_books_open_again_and_leave_a_backup() {
        let scratch = Scratch::new("save");
        let path = scratch.0.join("a.book");
        let mut store = Store::empty();
        let pool = synth::entries(300, 1);
        for (round, part) in pool.chunks(100).enumerate() {
            part.iter().for_each(|e| _ = store.put(*e));
            save(&mut store, &path, false, &AtomicBool::new(false)).unwrap();
            assert!(!store.is_changed());
            assert_eq!(store.base().serial(), round as u64 + 1);
        }
        assert_eq!(Table::open(&path).unwrap().len(), 300);
        assert_eq!(Table::open(&backup_of(&path)).unwrap().len(), 200);
        assert!(pool.iter().all(|e| store.get(e.board) == Some(*e)));
        let names: Vec<_> = fs::read_dir(&scratch.0).unwrap().map(|f| f.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "no temporary file stays: {names:?}");
    }

    const SAVING: &str = "SHIROKURO_TEST_SAVE_LOOP";
    const LEARNING: &str = "SHIROKURO_TEST_LEARN_LOOP";
    const STEP: usize = 10;
    const POOL: usize = 12_000;

    /// Runs one of the tests below as a process of its own and kills it after a wait and some microseconds.
    fn run_and_kill(test: &str, variable: &str, path: &Path, wait: impl FnOnce(), micros: u64) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("othello::book::disk::tests::{test}"), "--nocapture"])
            .env(variable, path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let words = io::BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(words.map_while(Result::ok).any(|line| line.contains("ready")), "the child did not start");
        wait();
        std::thread::sleep(Duration::from_micros(micros));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Run as a child process: saves over and over, telling after each save how many positions it holds.
    #[test]
    fn child_that_saves_until_killed() {
        let Some(path) = std::env::var_os(SAVING).map(PathBuf::from) else { return };
        let pool = synth::entries(POOL, 1);
        let mut store = Store::new(Table::open(&path).unwrap_or_else(|_| Table::empty()));
        println!("ready");
        while store.len() < POOL {
            let done = store.len();
            pool[done..done + STEP].iter().for_each(|e| _ = store.put(*e));
            save(&mut store, &path, false, &AtomicBool::new(false)).unwrap();
            fs::write(path.with_extension("count"), store.len().to_string()).unwrap();
        }
    }

    #[test]
    fn killed_while_saving_all_that_was_saved_is_there() {
        let scratch = Scratch::new("kill");
        let path = scratch.0.join("a.book");
        let pool = synth::entries(POOL, 1);
        let mut rng = crate::base::Rng::new(1);
        for _ in 0..50 {
            run_and_kill("child_that_saves_until_killed", SAVING, &path, || {}, rng.below(20_000) as u64);
            // The count file is written without any care: it may be empty, but never ahead of the book.
            let told = fs::read_to_string(path.with_extension("count")).ok().and_then(|n| n.parse().ok()).unwrap_or(0);
            let Ok(table) = Table::open(&path) else {
                assert_eq!(told, 0, "a book that was saved does not open");
                continue;
            };
            assert!(table.len() >= told && table.len() % STEP == 0, "{} of {told}", table.len());
            assert!(table.verify().is_empty());
            assert!(pool[..table.len()].iter().all(|e| table.get(e.board) == Some(*e)));
            if let Ok(backup) = Table::open(&backup_of(&path)) {
                assert!(backup.verify().is_empty());
            }
        }
        assert!(Table::open(&path).unwrap().len() > STEP, "the children had time to save");
    }

    fn learn(book: &mut Book) -> Learned {
        let bounds = Bounds { depth: Some(9), per_move: Some(2), sum: Some(4), leaf: Some(2) };
        let how = Deviation { bounds, level: Level::from_search(5), rounds: None };
        deviate(book, &[Board::START], &how, &mut MadeUp::new(5), Control::alone()).unwrap()
    }

    /// Run as a child process: learns and saves after every step.
    #[test]
    fn child_that_learns_until_killed() {
        let Some(path) = std::env::var_os(LEARNING).map(PathBuf::from) else { return };
        let (mut book, _) = Book::open(&path, ReadOptions::default()).unwrap();
        book.settings.autosave_every = Duration::ZERO;
        println!("ready");
        learn(&mut book);
    }

    #[test]
    fn killed_while_learning_it_goes_on_as_if_it_had_not_been() {
        let scratch = Scratch::new("kill-learning");
        let path = scratch.0.join("a.skbook");
        let mut whole = Book::new();
        learn(&mut whole);
        Book::new().save(Some(&path)).unwrap();
        let mut rng = crate::base::Rng::new(2);
        let (mut before, mut grew) = (Table::empty(), 0);
        for round in 0..50 {
            // Every other child gets the time to save at least once, however busy the machine is.
            let saved = before.serial().max(1);
            let wait_for_save = || {
                let began = std::time::Instant::now();
                while began.elapsed() < Duration::from_secs(5) && Table::open(&path).unwrap().serial() == saved {
                    std::thread::sleep(Duration::from_micros(200));
                }
            };
            let wait = || {
                if round % 2 == 0 && before.len() < whole.len() {
                    wait_for_save()
                }
            };
            run_and_kill("child_that_learns_until_killed", LEARNING, &path, wait, rng.below(10_000) as u64);
            let table = Table::open(&path).unwrap();
            assert!(table.verify().is_empty());
            assert!(before.iter().all(|entry| table.get(entry.board).is_some()), "nothing that was there is gone");
            assert!(table.iter().all(|entry| whole.store().get(entry.board).is_some()), "nothing else is there");
            grew += usize::from(table.len() > before.len());
            before = table;
        }
        assert!(grew > 3 && before.len() > 100, "the children had time to learn: {grew}");
        let (mut book, _) = Book::open(&path, ReadOptions::default()).unwrap();
        learn(&mut book);
        assert!(book.store().iter().eq(whole.store().iter()), "{} and {}", book.len(), whole.len());
    }
}
