//! The page about a game, the table of its values, and the record it is saved as.

use super::OthelloEngine;
use crate::{
    base::{Cell, Control, Limits, Report, Table, files},
    engine::{Answer, CommandError, CommandErrorKind, Depth, Line, Progress, Source},
    othello::{
        Board, Game, Move,
        book::lookup,
        records::egaroucid::{self, Stamp},
        search::levels::Level,
        study::{
            analysis::{Graph, Point},
            page::{self, judged},
            review::{MoveValue, Review, Reviewed, review},
            xot,
        },
    },
    report,
};
use std::path::Path;

/// What `show` shows besides the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Stable,
    Order,
    Next,
    Last,
    Values,
}

impl Shown {
    pub fn read(word: &str) -> Option<Shown> {
        match word.to_ascii_lowercase().as_str() {
            "stable" => Some(Shown::Stable),
            "order" => Some(Shown::Order),
            "next" => Some(Shown::Next),
            "last" => Some(Shown::Last),
            "values" => Some(Shown::Values),
            _ => None,
        }
    }
}

pub fn write_file(path: &Path, bytes: &[u8]) -> Answer<()> {
    files::replace(path, |file| file.write_all(bytes))
        .map_err(|e| CommandError::new(CommandErrorKind::File, format!("{}: {e}", path.display())))
}

/// Where a value is from, in a word.
pub fn source_word(line: &Line) -> String {
    match line.source {
        Source::Book { .. } => "book".into(),
        _ => line.depth.to_string(),
    }
}

/// The values of a game as a table, with a bar for each.
pub fn graph_table(game: &Game, points: &[Point], graph: Graph) -> Table {
    let played = |ply: usize| ply.checked_sub(1).and_then(|i| game.plies().get(i));
    let bar = |value: f64| {
        // One character for two discs, black's to the right.
        let length = ((value.abs() / 2.0).round() as usize).min(32);
        let (left, right) =
            if value < 0.0 { ("<".repeat(length), String::new()) } else { (String::new(), ">".repeat(length)) };
        format!("{left:>12}|{right}")
    };
    let rows = points.iter().map(|point| {
        let mut row = vec![Cell::from(point.ply), Cell::from(played(point.ply).map(|ply| ply.mv.to_string()))];
        match graph {
            Graph::Value => {
                let value = point.known.map(|known| known.black);
                row.push(value.map_or(Cell::Nothing, Cell::Discs));
                row.push(Cell::from(point.known.map(|known| known.depth.to_string())));
                row.push(value.map_or(Cell::Nothing, |value| Cell::from(bar(value))));
            }
            Graph::Loss => row.extend(point.lost.map(|lost| Cell::Real(lost, 1))),
        }
        row
    });
    let columns = match graph {
        Graph::Value => vec!["ply", "move", "black's value", "depth", "graph"],
        Graph::Loss => vec!["ply", "move", "black lost", "white lost"],
    };
    let title = if graph == Graph::Value { "values" } else { "losses" };
    Table { title: title.into(), columns, rows: rows.collect(), notes: vec![] }
}

/// Writes Egaroucid 5's record and says where.
pub fn save_record(engine: &mut OthelloEngine, here: bool) -> Answer<Report> {
    let now = jiff::Zoned::now();
    let whole = |n: i8| u32::from(n.unsigned_abs());
    let stamp = Stamp {
        year: u32::from(now.year().unsigned_abs()),
        month: whole(now.month()),
        day: whole(now.day()),
        hour: whole(now.hour()),
        minute: whole(now.minute()),
        second: whole(now.second()),
    };
    let options = &engine.options;
    let level = Level::new(options.level);
    let exact = level.end.iter().find(|(percent, _)| *percent == 100).map_or(0, |(_, empties)| *empties);
    let (mid, end) = match (options.mid, options.end) {
        (0, 0) => (level.mid.0, exact),
        (mid, end) => (mid.into(), end.into()),
    };
    // Egaroucid 5: 0 human black, 1 human white, 2 two humans, 3 two engines.
    let mode = match engine.moved_for {
        [false, true] => 0,
        [true, false] => 1,
        [false, false] => 2,
        [true, true] => 3,
    };
    let mut record = engine.record();
    if !here {
        record.game.go_to(record.game.plies().len());
    }
    let folder = Path::new("record");
    std::fs::create_dir_all(folder).map_err(|e| CommandError::new(CommandErrorKind::File, format!("record: {e}")))?;
    let path = folder.join(egaroucid::file_name(stamp, mid, end, mode));
    write_file(&path, format!("{}\n", egaroucid::text(&record)).as_bytes())?;
    Ok(Report::text(path.display().to_string()))
}

impl OthelloEngine {
    /// The moves that the book has in a position, if it is in use.
    pub(super) fn book_values(&self) -> impl Fn(Board) -> Vec<MoveValue> + Sync + '_ {
        |board: Board| {
            if !self.book.settings.on || self.book.is_empty() || board.must_pass() {
                return vec![];
            }
            let value = |link: &crate::othello::book::graph::Link| {
                let level = link.entry.level;
                let depth = Depth {
                    plies: u32::from(level.min(crate::othello::book::Level::MAX).raw()),
                    percent: 100,
                    ..Depth::default()
                };
                let mv = Move::Place(link.square);
                MoveValue {
                    mv,
                    value: link.value.into(),
                    line: vec![mv],
                    depth,
                    source: Source::Book { games: link.entry.lines },
                }
            };
            lookup::sorted_links(self.book.store(), board).iter().map(value).collect()
        }
    }

    /// Looks at every move of the game, keeps what was found, and writes the page.
    pub(super) fn write_report(&mut self, file: &Path, control: Control<'_, Progress>) -> Answer<Report> {
        if self.game.plies().is_empty() {
            return Err(CommandError::new(CommandErrorKind::Illegal, "there is no game to analyze"));
        }
        let reviews = self.review(64, control);
        if control.stopped() && reviews.is_empty() {
            return Err(CommandError::new(CommandErrorKind::Illegal, "stopped: nothing was written"));
        }
        let page = self.page(&reviews);
        write_file(file, page.html().as_bytes())?;
        Ok(Report::Nothing)
    }

    /// Looks at the game with the present settings, and keeps what was found.
    pub(super) fn review(&mut self, lines: usize, control: Control<'_, Progress>) -> Vec<Reviewed> {
        let limits: Limits = super::think::limits(&self.options, None, self.position().board);
        let effort = super::think::effort(&self.options, &limits);
        if !self.is_ready(control) {
            return vec![];
        }
        // The searcher is borrowed for the whole work, and the book is read on the way.
        self.searcher();
        let Some(mut searcher) = self.searcher.take() else { return vec![] };
        let tell = |reviewed: &Reviewed| control.tell(&Progress::Judged(judged(reviewed)));
        let book = self.book_values();
        let how = Review { effort, limits, lines, book: &book };
        let reviews = review(&mut searcher, &self.game, &how, Control::new(control.stop_flag(), &tell));
        drop(book);
        self.searcher = Some(searcher);
        let game = self.game.clone();
        for reviewed in &reviews {
            self.findings.note_judged(&game, &judged(reviewed));
        }
        reviews
    }

    fn page(&self, reviews: &[Reviewed]) -> report::game::GamePage {
        let (points, branches) = self.points();
        page::page(&self.record(), reviews, &points, &branches, xot::List::built_in().given(&self.game))
    }
}
