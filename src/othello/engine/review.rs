//! The page about a game, the table of its values, and the record it is saved as.

use super::{OthelloEngine, opening, read_move, think};
use crate::{
    base::{Cell, Control, Limits, Report, Table, files},
    engine::{Analysis, Answer, Bound, CommandError, CommandErrorKind, Depth, Judged, Line, Progress, Source, Thought},
    othello::{
        Board, Game, Move, Position,
        book::lookup,
        records::egaroucid::{self, Stamp},
        search::levels::Level,
        study::{
            analysis::{self, Graph, Known, Point},
            page::{self, judged},
            review::{MoveValue, Review, Reviewed, review},
        },
    },
    report,
};
use std::path::Path;

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
                // A value that came with the game has no depth.
                let depth = point.known.map(|known| known.depth).filter(|depth| depth.plies > 0 || depth.solved());
                row.push(Cell::from(depth.map(|depth| depth.to_string())));
                let area = point.known.and_then(|known| analysis::area(known.depth));
                row.push(area.map_or(Cell::Nothing, Cell::phrase));
                row.push(value.map_or(Cell::Nothing, |value| Cell::from(bar(value))));
            }
            Graph::Loss => row.extend(point.lost.map(|lost| Cell::Real(lost, 1))),
        }
        row
    });
    let rows = rows.collect();
    match graph {
        Graph::Value => Table {
            title: "values".into(),
            columns: vec!["ply", "move", "black's value", "depth", "search", "graph"],
            rows,
            notes: vec![],
        },
        Graph::Loss => Table {
            title: "lost discs".into(),
            columns: vec!["ply", "move", "black lost", "white lost"],
            rows,
            notes: vec![],
        },
    }
}

fn stamp(time: &jiff::Zoned) -> Stamp {
    let whole = |n: i8| u32::from(n.unsigned_abs());
    Stamp {
        year: u32::from(time.year().unsigned_abs()),
        month: whole(time.month()),
        day: whole(time.day()),
        hour: whole(time.hour()),
        minute: whole(time.minute()),
        second: whole(time.second()),
    }
}

/// Writes Egaroucid 5's record and says where.
pub fn save_record(engine: &mut OthelloEngine, here: bool) -> Answer<Report> {
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
    let failed = |e| CommandError::new(CommandErrorKind::File, format!("record: {e}"));
    files::permitted(folder).and_then(|()| std::fs::create_dir_all(folder)).map_err(failed)?;
    // Of two games that are saved in one second the later gets the name of the next.
    let now = jiff::Zoned::now();
    let names = (0..3600).filter_map(|later| now.checked_add(jiff::SignedDuration::from_secs(later)).ok());
    let mut paths = names.map(|time| folder.join(egaroucid::file_name(stamp(&time), mid, end, mode)));
    let path = paths.find(|path| !path.exists()).ok_or_else(|| failed(std::io::ErrorKind::AlreadyExists.into()))?;
    write_file(&path, format!("{}\n", egaroucid::text(&record)).as_bytes())?;
    Ok(Report::text(path.display().to_string()))
}

impl OthelloEngine {
    pub(super) fn analyse(&mut self, control: Control<'_, Progress>) -> Analysis {
        if !self.is_ready(control) {
            return Analysis::default();
        }
        // How hard a position is follows from the values of all its moves.
        let lines = if self.options.difficulty { 64 } else { 1 };
        let reviews = self.review(lines, control);
        let difficulties = if self.options.difficulty { self.difficulties(&reviews) } else { vec![] };
        let mut moves: Vec<Judged> = reviews.iter().map(page::judged).collect();
        let complete = moves.len() == self.game.plies().len() + 1;
        let given = self.given();
        // What the players did not choose is nobody's mistake.
        moves.iter_mut().filter(|judged| judged.ply < given).for_each(|judged| judged.played_value = None);
        let openings = if self.options.opening_names { opening::along(&self.game) } else { vec![] };
        Analysis { summary: think::summary(&moves, given), moves, complete, openings, difficulties }
    }

    /// Keeps the values that a search found for a position and the positions after its moves.
    pub(super) fn keep(&mut self, position: Position, thought: &Thought) {
        for (i, line) in thought.lines.iter().enumerate().filter(|(_, line)| line.bound == Bound::Exact) {
            let Ok(mv) = read_move(line.best()) else { continue };
            let black = analysis::for_black(position.side, line.value);
            let known = Known { black, best: Some(mv), depth: line.depth, source: line.source };
            if i == 0 {
                self.findings.note(position, known);
            }
            let after = match mv {
                Move::Place(square) => position.play(square),
                Move::Pass => Some(position.pass()),
            };
            if let Some(after) = after {
                let depth = Depth { plies: line.depth.plies.saturating_sub(1), ..line.depth };
                let next = line.moves.get(1).and_then(|mv| read_move(mv).ok());
                self.findings.note(after, Known { best: next, depth, ..known });
            }
        }
    }

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
        let mut page = self.page(&reviews);
        self.add_people(&mut page, &reviews);
        write_file(file, page.html().as_bytes())?;
        Ok(Report::Nothing)
    }

    /// Looks at the game with the present settings, and keeps what was found.
    pub(super) fn review(&mut self, lines: usize, control: Control<'_, Progress>) -> Vec<Reviewed> {
        let limits: Limits = think::limits(&self.options, None, self.position().board);
        let effort = think::effort(&self.options, &limits);
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
        page::page(&self.record(), reviews, &points, &branches, self.given())
    }
}
