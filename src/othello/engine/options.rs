//! Changing options, and making ready what a first move needs.

use super::{OthelloEngine, settings};
use crate::{
    base::{Control, Rng, TimeSource, cpu, settings as table},
    engine::{Answer, CommandError, CommandErrorKind, Progress, read_option},
    othello::{
        book::{Book, formats::ReadOptions, home},
        eval::Weights,
        search,
        study::xot,
    },
};
use std::sync::Arc;

impl OthelloEngine {
    /// Changes an option, or nothing.
    pub(super) fn change_option(&mut self, name: &str, value: &str, control: Control<'_, Progress>) -> Answer<()> {
        let mut options = self.options.clone();
        table::set(settings::TABLE, &mut options, name, value)?;
        if options.hash != self.options.hash
            && let Err((bytes, largest)) = search::hash_fits(options.hash)
        {
            let size = bytes >> 20;
            let message =
                format!("hash {} needs {size} MiB, more than can be had: the largest is {largest}", options.hash);
            return Err(CommandError::new(CommandErrorKind::Range, message).in_field("hash"));
        }
        if options.cpu_clock && !TimeSource::cpu(options.threads).is_known() {
            return Err(CommandError::new(CommandErrorKind::Unsupported, cpu::UNKNOWN).in_field("clock"));
        }
        if options.eval != self.options.eval {
            self.weights = match options.eval.as_str() {
                "" => None,
                path => Some(read_option(path, control, |path, _| {
                    let weights = Weights::from_file(path);
                    weights.map(Arc::new).map_err(|e| CommandError::new(CommandErrorKind::File, e))
                })?),
            };
        }
        if options.book != self.options.book {
            let book = match options.book.as_str() {
                "builtin" => Book::builtin_with_changes(home::folder(&options.book_home).as_deref()),
                "none" | "" => Book::new(),
                path => read_option(path, control, |path, given_up| {
                    Ok(Book::open_until(path, ReadOptions::default(), given_up)?.0)
                })?,
            };
            self.book.become_book(book)?;
        }
        if options.xot_file != self.options.xot_file {
            self.xot = match options.xot_file.as_str() {
                "" => None,
                path => Some(read_option(path, control, |path, _| {
                    let refused = |e| CommandError::new(CommandErrorKind::File, format!("{}: {e}", path.display()));
                    xot::List::open(path).map(Arc::new).map_err(|e| refused(e).in_field("xot-file"))
                })?),
            };
        }
        if options.autopass != self.options.autopass {
            self.game.set_auto_pass(options.autopass);
        }
        if options.seed != self.options.seed {
            self.rng = Rng::from_seed_or_time(options.seed);
        }
        self.options = options;
        Ok(())
    }

    /// Waits for the weights and makes the hash table.
    pub(super) fn prepare(&mut self, control: Control<'_, Progress>) {
        self.wanted_ready = false;
        if self.is_ready(control) {
            self.searcher();
        }
    }
}
