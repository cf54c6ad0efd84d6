//! What the judge has said about a step of learning that is not finished, and how far the run had come.
//!
//! A step changes the book only when all its questions are answered, so that a run that was stopped goes on exactly as
//! one that was not. Until then the answers wait here; with the book they are kept in a small text file beside it, so
//! that no search is made twice even if the program ends in between.

use super::{
    entry::Level,
    judge::{Question, Verdict},
};
use crate::{
    base::files::{self, Backup},
    othello::{BitBoard, Board},
};
use std::{
    collections::HashMap,
    fmt::Write as _,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

const TITLE: &str = "shirokuro answers 1";
const STAGE: &str = "stage";
/// A file larger than this is none of ours.
const MOST_BYTES: u64 = 1 << 30;

/// How far a run of several games or of a limited number of rounds has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// Which run: a number made of all it depends on.
    pub run: u64,
    /// Games that are done with, over all passes.
    pub games: u64,
    /// Rounds made in the present game.
    pub rounds: u64,
}

#[derive(Debug, Default)]
pub struct Answers {
    known: HashMap<Question, Verdict>,
    /// Of the run that was stopped last.
    stage: Option<Stage>,
    /// Something is known that the file does not say, or the other way round.
    unsaved: bool,
}

impl Answers {
    pub fn get(&self, question: &Question) -> Option<Verdict> {
        self.known.get(question).copied()
    }

    pub fn insert(&mut self, question: Question, verdict: Verdict) {
        self.known.insert(question, verdict);
        self.unsaved = true;
    }

    /// Questions whose answers are in the book now.
    pub fn forget(&mut self, questions: &[Question]) {
        for question in questions {
            self.unsaved |= self.known.remove(question).is_some();
        }
    }

    #[cfg(test)]
    pub fn clear(&mut self) {
        self.unsaved |= !self.known.is_empty();
        self.known.clear();
        self.leave();
    }

    /// Where this run goes on: at its beginning, unless it was stopped before.
    pub fn enter(&mut self, run: u64) -> Stage {
        let stage = self.stage.filter(|stage| stage.run == run);
        self.unsaved |= stage != self.stage;
        self.stage = stage;
        stage.unwrap_or(Stage { run, games: 0, rounds: 0 })
    }

    pub fn reach(&mut self, stage: Stage) {
        self.unsaved |= self.stage != Some(stage);
        self.stage = Some(stage);
    }

    /// The run has come to its end: the next one begins anew.
    pub fn leave(&mut self) {
        self.unsaved |= self.stage.take().is_some();
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty() && self.stage.is_none()
    }

    pub fn is_unsaved(&self) -> bool {
        self.unsaved
    }

    /// The answers kept beside a book. Lines that are no answers are passed over: they only cost a search.
    pub fn beside(book: &Path) -> Answers {
        let text = files::read_text(&file_beside(book), MOST_BYTES).unwrap_or_default();
        let mut lines = text.lines();
        if lines.next() != Some(TITLE) {
            return Answers::default();
        }
        Answers {
            stage: lines.clone().find_map(read_stage),
            known: lines.filter_map(read_line).collect(),
            unsaved: false,
        }
    }

    /// Keeps them beside a book that is saved there; without answers there is no file.
    pub fn save_beside(&mut self, book: &Path) -> io::Result<()> {
        let file = file_beside(book);
        if self.is_empty() {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        } else {
            let mut lines: Vec<String> = self.known.iter().map(|(q, v)| write_line(q, v)).collect();
            lines.extend(self.stage.map(|stage| write_stage(&stage)));
            lines.sort_unstable();
            files::replace_with(&file, Backup::None, |out| writeln!(out, "{TITLE}\n{}", lines.join("\n")))?;
        }
        self.unsaved = false;
        Ok(())
    }
}

/// Where the answers of a book are kept.
pub fn file_beside(book: &Path) -> PathBuf {
    files::with_suffix(book, ".answers")
}

/// The run, its games that are done with, the rounds in the present one.
fn write_stage(Stage { run, games, rounds }: &Stage) -> String {
    format!("{STAGE} {run:016x} {games} {rounds}")
}

fn read_stage(line: &str) -> Option<Stage> {
    let words: Vec<&str> = line.split(' ').collect();
    let &[STAGE, run, games, rounds] = words.as_slice() else { return None };
    let run = u64::from_str_radix(run, 16).ok()?;
    Some(Stage { run, games: games.parse().ok()?, rounds: rounds.parse().ok()? })
}

/// Own discs, other discs, level, moves asked about, value, move; `-` where there is none.
fn write_line(question: &Question, verdict: &Verdict) -> String {
    let Question { board, level, only } = question;
    let mut line = format!("{:016x} {:016x} {}", board.player, board.opponent, level.raw());
    let _ = match only {
        Some(moves) => write!(line, " {:016x}", moves.0),
        None => write!(line, " -"),
    };
    let _ = match verdict.best {
        Some(square) => write!(line, " {} {square}", verdict.value),
        None => write!(line, " {} -", verdict.value),
    };
    line
}

fn read_line(line: &str) -> Option<(Question, Verdict)> {
    let mut words = line.split(' ');
    let mut next = || words.next();
    let bits = |word: &str| u64::from_str_radix(word, 16).ok();
    let (player, opponent) = (bits(next()?)?, bits(next()?)?);
    let level = Level::new(next()?.parse().ok()?)?;
    let only = match next()? {
        "-" => None,
        word => Some(BitBoard(bits(word)?)),
    };
    let value: i32 = next()?.parse().ok().filter(|value: &i32| value.abs() <= 64)?;
    let best = match next()? {
        "-" => None,
        word => Some(word.parse().ok()?),
    };
    let board = Board::new(player, opponent);
    let legal = player & opponent == 0 && best.is_none_or(|square| board.moves().contains(square));
    (legal && words.next().is_none()).then_some((Question { board, level, only }, Verdict { value, best }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_others_are_passed_over() {
        let question = Question { board: Board::START, level: Level::from_search(12), only: None };
        let some = Question { only: Some(Board::START.moves()), ..question };
        let place = Verdict { value: -3, best: Board::START.moves().into_iter().next() };
        for (question, verdict) in [(question, place), (some, place), (some, Verdict { value: 64, best: None })] {
            assert_eq!(read_line(&write_line(&question, &verdict)), Some((question, verdict)));
        }
        let good = write_line(&question, &place);
        for bad in ["", "x", &good[..40], &format!("{good} more"), &good.replace(" -3 ", " -65 ")] {
            assert_eq!(read_line(bad), None, "{bad}");
        }
        let illegal = write_line(&question, &Verdict { value: 0, best: "a1".parse().ok() });
        assert_eq!(read_line(&illegal), None);
    }

    #[test]
    fn a_run_is_known_again() {
        let stage = Stage { run: 0xABCD, games: 3, rounds: 2 };
        assert_eq!(read_stage(&write_stage(&stage)), Some(stage));
        for bad in ["", "stage", "stage x 1 2", "stage 1 2", "stage 1 2 3 4", "stage 1 -2 3"] {
            assert_eq!(read_stage(bad), None, "{bad}");
        }
        let mut answers = Answers::default();
        assert_eq!(answers.enter(7), Stage { run: 7, games: 0, rounds: 0 });
        answers.reach(stage);
        assert_eq!(answers.enter(0xABCD), stage);
        assert_eq!(answers.enter(7).games, 0, "another run");
        assert!(answers.is_empty(), "the former is given up");
    }

    #[test]
    fn they_stay_beside_the_book_until_they_are_used() {
        let book = std::env::temp_dir().join(format!("shirokuro-answers-{}.skbook", std::process::id()));
        let question = Question { board: Board::START, level: Level::from_search(12), only: None };
        let mut answers = Answers::default();
        answers.insert(question, Verdict { value: 1, best: None });
        answers.save_beside(&book).unwrap();
        assert!(!answers.is_unsaved());
        assert_eq!(Answers::beside(&book).get(&question), Some(Verdict { value: 1, best: None }));
        let stage = Stage { run: 9, games: 1, rounds: 0 };
        answers.reach(stage);
        answers.save_beside(&book).unwrap();
        assert_eq!(Answers::beside(&book).enter(9), stage);
        answers.clear();
        assert!(answers.is_unsaved());
        answers.save_beside(&book).unwrap();
        assert!(!file_beside(&book).exists() && Answers::beside(&book).is_empty());
    }
}
