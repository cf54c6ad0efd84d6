//! The opening book behind the session: moves and hints from it, and the word `book`.

use super::{OthelloEngine, settings::PlayerKind, start, think};
use crate::{
    base::{Colour, Control, Report},
    engine::{Answer, Bound, CommandError, CommandErrorKind, Depth, Line, Progress, Source, Thought, WorkDone},
    othello::{
        BitBoard, Board, Move, Square,
        book::{
            BookCommand, BookError, BookProgress, Context, Decision, Level, commands,
            graph::Link,
            judge::{self, Judge, Question, SearchJudge, Verdict},
            lookup,
        },
        eval::Weights,
        search::{self, Config, Effort},
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Said once, when the first change is made to a book that has no file.
const NO_FILE: &str = "the book has no file: changes are kept only after `book save FILE`";
const AT_HOME: &str = "the book has no file: its changes are kept in the folder `book-home` at the end";

impl From<BookError> for CommandError {
    fn from(error: BookError) -> CommandError {
        let why = match error {
            BookError::Read { .. } | BookError::Write { .. } | BookError::Save { .. } | BookError::Rescued { .. } => {
                CommandErrorKind::File
            }
            _ => CommandErrorKind::Illegal,
        };
        CommandError::new(why, error)
    }
}

impl OthelloEngine {
    pub(super) fn book_command(&mut self, command: BookCommand, control: Control<'_, Progress>) -> Answer<Report> {
        let path = self.book_path();
        let due = self.game.position().board.must_pass();
        let (side, level) = (if due { !self.game.side() } else { self.game.side() }, self.book_level());
        let here = matches!(
            command,
            BookCommand::Show | BookCommand::Umigame(_) | BookCommand::Set { .. } | BookCommand::Add { .. }
        );
        let mut judge = self.late_judge(self.book_effort().map(|effort| (level, effort)));
        let tell = |news: &BookProgress| control.tell(&Progress::Work(work_done(news)));
        let context =
            Context { path: &path, side, level, judge: &mut judge, control: Control::new(control.stop_flag(), &tell) };
        let was_changed = self.book.is_changed();
        let report = self.book.run(command, context)?.report();
        let kept = self.book.settings.autosave && self.book_home().is_some();
        let homeless = self.book.path().is_none() && self.book.is_changed();
        let mut notes = Vec::new();
        if due && here {
            notes.push(Report::Sentence(match self.game.side() {
                Colour::Black => "black must pass: this is the position after the pass",
                Colour::White => "white must pass: this is the position after the pass",
            }));
        }
        if homeless && !was_changed {
            notes.push(Report::Sentence(if kept { AT_HOME } else { NO_FILE }));
        }
        Ok(if notes.is_empty() {
            report
        } else {
            notes.insert(0, report);
            Report::Several(notes)
        })
    }

    /// A complete game goes into the book, as far as openings go.
    pub(super) fn learn_game(&mut self, control: Control<'_, Progress>) -> Answer<Report> {
        if !self.game.is_over() {
            return Err(CommandError::new(CommandErrorKind::Illegal, "the game is not over"));
        }
        let store = BookCommand::Store { depth: Some(commands::DEFAULT_DEPTH), level: None };
        self.book_command(store, control)
    }

    /// The positions of the game as the book keeps them: never one where a pass is due, but the one after it.
    fn book_path(&self) -> Vec<Board> {
        let boards = (0..=self.game.ply()).filter_map(|ply| self.game.position_at(ply)).map(|position| position.board);
        let mut path: Vec<Board> = boards.map(|board| if board.must_pass() { board.pass() } else { board }).collect();
        path.dedup();
        path
    }

    /// The level of what the book learns: that of the midgame slider, if the sliders are set.
    fn book_level(&self) -> Level {
        let raw = if self.book_effort().is_some() { self.options.mid.max(1) } else { self.options.level };
        Level::new(raw).unwrap_or_default()
    }

    /// How the book's questions are searched where that is not by level: by the sliders.
    fn book_effort(&self) -> Option<Effort> {
        let set = self.options.depth == 0 && (self.options.mid, self.options.end) != (0, 0);
        set.then(|| think::sliders(self.options.mid, self.options.end))
    }

    /// A judge for the book, with this effort for questions of this level.
    fn late_judge(&self, effort: Option<(Level, Effort)>) -> LateJudge {
        LateJudge {
            threads: self.options.threads,
            hash_bits: self.options.hash,
            weights: self.weights.clone(),
            effort,
            judge: None,
        }
    }

    /// Whether a move here would come from the book.
    pub(super) fn moves_by_book(&self) -> bool {
        let board = self.position().board;
        self.options.player == PlayerKind::Engine
            && self.book.settings.on
            && self.book.settings.trust
            && !board.must_pass()
            && !lookup::sorted_links(self.book.store(), board).is_empty()
    }

    /// The book's move for the side to move, as the only line of a thought.
    pub(super) fn book_move(&mut self, board: Board, control: Control<'_, Progress>) -> Option<Thought> {
        self.book.refresh();
        if !self.book.settings.on || self.book.is_empty() || board.must_pass() {
            return None;
        }
        let mut judge = self.late_judge(None);
        let level = self.book_level();
        let decision = self.book.decide(board, level, &mut self.rng, &mut judge, control.stop_flag())?;
        let line = match decision {
            Decision::Book(choice) => {
                let square = if board == Board::START { start::FIRST } else { choice.square };
                let next = board.play(square)?;
                let rest = lookup::best_line(self.book.store(), next);
                book_line(square, choice.value, choice.entry.lines, choice.entry.level, &rest)
            }
            Decision::Outside { square, value } => {
                Line { source: Source::Search, ..book_line(square, value, 0, level, &[]) }
            }
        };
        // The next move may need them.
        self.begin_weights();
        Some(Thought { lines: vec![line], complete: true, ..Thought::default() })
    }

    /// What the book knows of the moves here, or of these, each with the line it expects.
    pub(super) fn book_lines(&self, board: Board, only: Option<BitBoard>) -> Vec<Line> {
        if !self.book.settings.on || self.book.is_empty() || board.must_pass() {
            return vec![];
        }
        let store = self.book.store();
        let line = |link: Link| {
            let rest = board.play(link.square).map_or(vec![], |next| lookup::best_line(store, next));
            book_line(link.square, link.value, link.entry.lines, link.entry.level, &rest)
        };
        let mut links = lookup::sorted_links(store, board);
        links.retain(|link| only.is_none_or(|only| only.contains(link.square)));
        if board == Board::START {
            links.sort_by_key(|link| link.square != start::FIRST);
        }
        links.into_iter().map(line).collect()
    }
}

/// The book's values for moves that a search lists; the search's lines for the others stay. Of two expected lines the
/// longer is kept.
pub(super) fn add_book_lines(known: &[Line], count: usize, thought: &mut Thought) {
    if known.is_empty() {
        return;
    }
    for line in known {
        match thought.lines.iter_mut().find(|old| old.best() == line.best()) {
            Some(old) if old.moves.len() > line.moves.len() => {
                *old = Line { moves: std::mem::take(&mut old.moves), ..line.clone() };
            }
            Some(old) => *old = line.clone(),
            None => thought.lines.push(line.clone()),
        }
    }
    thought.lines.sort_by(|a, b| b.value.total_cmp(&a.value));
    thought.lines.truncate(count.max(1));
}

/// A judge that asks for the weights with its first question: most commands have none.
struct LateJudge {
    threads: usize,
    hash_bits: u32,
    /// `None`: those built in.
    weights: Option<Arc<Weights>>,
    effort: Option<(Level, Effort)>,
    judge: Option<SearchJudge>,
}

impl Judge for LateJudge {
    fn judge(&mut self, questions: &[Question], stop: &AtomicBool) -> Vec<Option<Verdict>> {
        if let Some(mut other) = judge::elsewhere() {
            return other.judge(questions, stop);
        }
        let there = self.weights.is_some() || Weights::wait_for_builtin(|| stop.load(Ordering::Relaxed));
        if !there {
            return vec![None; questions.len()];
        }
        let make = || {
            let weights = self.weights.clone().unwrap_or_else(Weights::builtin);
            let config = Config { threads: self.threads, hash_bits: self.hash_bits, weights };
            SearchJudge::new(config).searching(self.effort)
        };
        self.judge.get_or_insert_with(make).judge(questions, stop)
    }
}

fn work_done(news: &BookProgress) -> WorkDone {
    WorkDone {
        work: format!("book {}", news.work),
        done: news.done,
        waiting: news.queue,
        positions: news.positions as u64,
        elapsed: news.elapsed,
    }
}

/// How deep a midgame search of this level looks, and how surely; nothing is known of a value given by hand.
fn depth_of(level: Level) -> Depth {
    match level.raw() {
        raw if level.is_hand() || raw == 0 => Depth { percent: 100, ..Depth::default() },
        raw => {
            let (plies, percent) = search::levels::Level::new(raw).mid;
            Depth { plies, percent, ..Depth::default() }
        }
    }
}

fn book_line(square: Square, value: i32, lines: u32, level: Level, rest: &[Link]) -> Line {
    let moves = std::iter::once(square).chain(rest.iter().map(|link| link.square));
    Line {
        moves: moves.map(|square| Move::from(square).to_string()).collect(),
        value: value.into(),
        bound: Bound::Exact,
        source: Source::Book { games: lines },
        depth: depth_of(level),
        playouts: None,
    }
}
