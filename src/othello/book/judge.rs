//! Whoever tells the book what a position is worth.

use super::entry::Level;
use crate::{
    base::Control,
    othello::{
        BitBoard, Board, Move, Square,
        search::{Config, Effort, Report, Searcher, Task},
    },
};
use std::sync::{
    OnceLock,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// What is a position worth, and which move is best? The side to move can move, or the game is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Question {
    pub board: Board,
    pub level: Level,
    /// Only these moves count; all of them when `None`.
    pub only: Option<BitBoard>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// In discs, for the side to move.
    pub value: i32,
    /// `None`: the game is over.
    pub best: Option<Square>,
}

impl Verdict {
    /// What needs no search.
    pub fn from_finished(board: Board) -> Verdict {
        Verdict { value: board.final_score(), best: None }
    }
}

type MakeJudge = Box<dyn Fn() -> Box<dyn Judge> + Send + Sync>;

/// Who answers the questions of books in this process instead of its own searches.
static ELSEWHERE: OnceLock<MakeJudge> = OnceLock::new();

/// From now on the questions of books go to this judge.
pub fn ask_elsewhere(make: MakeJudge) {
    let _ = ELSEWHERE.set(make);
}

/// The judge that answers instead of this process, if there is one.
pub fn elsewhere() -> Option<Box<dyn Judge>> {
    ELSEWHERE.get().map(|make| make())
}

pub trait Judge {
    /// Answers in the order of the questions; `None` for those that were not finished when `stop` was raised.
    fn judge(&mut self, questions: &[Question], stop: &AtomicBool) -> Vec<Option<Verdict>>;
}

/// The engine's own search as a judge. Questions are shared out, one searcher of one thread for each; only a hard
/// question or two that would leave threads without work are searched with all threads together.
pub struct SearchJudge {
    config: Config,
    /// How to search for questions of this level.
    effort: Option<(Level, Effort)>,
    together: Option<Searcher>,
    alone: Vec<Searcher>,
}

/// Up to this level a question is always searched by one thread: it does not take long, and the answer is always the
/// same, which that of several threads together is not.
const ALONE_UP_TO: u8 = 16;

/// Table sizes for searches side by side: large enough for the level, small enough to be cleared each time, so that an
/// answer does not depend on what was asked before.
fn hash_bits(level: Level, most: u32) -> u32 {
    let wanted = match level.raw() {
        0..=8 => 12,
        9..=12 => 16,
        13..=20 => 19,
        _ => 22,
    };
    wanted.min(most)
}

impl SearchJudge {
    pub fn new(config: Config) -> SearchJudge {
        SearchJudge { effort: None, together: None, alone: Vec::new(), config }
    }

    /// Searches for questions of one level in a way of its own.
    pub fn searching(self, effort: Option<(Level, Effort)>) -> SearchJudge {
        SearchJudge { effort, ..self }
    }

    fn share_out(&mut self, questions: &[Question], stop: &AtomicBool) -> Vec<Option<Verdict>> {
        let level = questions.iter().map(|q| q.level).max().unwrap_or_default();
        let hash_bits = hash_bits(level, self.config.hash_bits);
        let config = Config { threads: 1, hash_bits, ..self.config.clone() };
        let workers = self.config.threads.min(questions.len());
        self.alone.resize_with(workers.max(self.alone.len()), || Searcher::new(config.clone()));
        let next = AtomicUsize::new(0);
        let mut answers = vec![None; questions.len()];
        let effort = self.effort;
        let work = |searcher: &mut Searcher| {
            let mut own = Vec::new();
            while let Some((i, question)) = take(questions, &next) {
                searcher.clear();
                own.push((i, ask(searcher, question, effort, stop)));
            }
            own
        };
        std::thread::scope(|scope| {
            let running: Vec<_> = self.alone[..workers]
                .iter_mut()
                .map(|searcher| {
                    searcher.configure(config.clone());
                    scope.spawn(|| work(searcher))
                })
                .collect();
            for worker in running {
                // A worker that fell over leaves its questions unanswered, as if it had been stopped.
                for (i, answer) in worker.join().unwrap_or_default() {
                    answers[i] = answer;
                }
            }
        });
        answers
    }

    fn one_by_one(&mut self, questions: &[Question], stop: &AtomicBool) -> Vec<Option<Verdict>> {
        let searcher = self.together.get_or_insert_with(|| Searcher::new(self.config.clone()));
        let effort = self.effort;
        let answer = |question| {
            searcher.clear();
            ask(searcher, question, effort, stop)
        };
        questions.iter().map(answer).collect()
    }
}

/// The next question that nobody has taken.
fn take<'a>(questions: &'a [Question], next: &AtomicUsize) -> Option<(usize, &'a Question)> {
    let i = next.fetch_add(1, Ordering::Relaxed);
    questions.get(i).map(|question| (i, question))
}

fn ask(
    searcher: &mut Searcher,
    question: &Question,
    own: Option<(Level, Effort)>,
    stop: &AtomicBool,
) -> Option<Verdict> {
    if question.board.is_over() {
        return Some(Verdict::from_finished(question.board));
    }
    let control: Control<'_, Report> = Control::new(stop, &|_| {});
    if control.stopped() {
        return None;
    }
    let effort = match own {
        Some((level, effort)) if level == question.level => effort,
        _ => Effort::Level(question.level.raw().clamp(1, Level::MAX.raw())),
    };
    let task = Task { only: question.only, ..Task::new(effort) };
    let report = searcher.search(question.board, &task, control);
    if !report.complete {
        return None;
    }
    let best = match report.best() {
        Some(Move::Place(square)) => Some(square),
        _ => None,
    };
    Some(Verdict { value: report.value.rounded(), best })
}

impl Judge for SearchJudge {
    fn judge(&mut self, questions: &[Question], stop: &AtomicBool) -> Vec<Option<Verdict>> {
        let few = questions.len() < self.config.threads;
        let hard = questions.iter().any(|question| question.level.raw() > ALONE_UP_TO);
        if few && hard { self.one_by_one(questions, stop) } else { self.share_out(questions, stop) }
    }
}

/// A judge that makes values up, always the same for a position: for tests and for measuring the book alone.
#[cfg(test)]
pub struct MadeUp {
    /// Half the width of the values.
    pub spread: i32,
    /// Raise the stop flag after so many answers.
    pub stop_after: Option<u64>,
    pub asked: u64,
}

#[cfg(test)]
impl MadeUp {
    #[cfg(test)]
    pub fn new(spread: i32) -> MadeUp {
        MadeUp { spread, stop_after: None, asked: 0 }
    }

    /// What a move is worth to this judge, for the side that makes it.
    #[cfg(test)]
    pub fn value_of(&self, board: Board, square: Square) -> i32 {
        match board.play(square) {
            Some(next) if next.is_over() => -next.final_score(),
            Some(next) => {
                let h = super::image::spread(next.canonical().0);
                (h % (2 * self.spread as u64 + 1)) as i32 - self.spread
            }
            None => 0,
        }
    }
}

#[cfg(test)]
impl Judge for MadeUp {
    fn judge(&mut self, questions: &[Question], stop: &AtomicBool) -> Vec<Option<Verdict>> {
        let mut answers = Vec::with_capacity(questions.len());
        for question in questions {
            if self.stop_after == Some(self.asked) {
                stop.store(true, Ordering::Relaxed);
            }
            if stop.load(Ordering::Relaxed) {
                answers.push(None);
                continue;
            }
            self.asked += 1;
            if question.board.is_over() {
                answers.push(Some(Verdict::from_finished(question.board)));
                continue;
            }
            let moves = BitBoard(question.board.moves().0 & question.only.unwrap_or(BitBoard::FULL).0);
            let best = moves.into_iter().map(|s| (self.value_of(question.board, s), s)).max_by_key(|m| m.0);
            answers.push(best.map(|(value, square)| Verdict { value, best: Some(square) }));
        }
        answers
    }
}
