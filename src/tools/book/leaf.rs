//! Questions of a learning book as jobs, and a judge that lets a fleet answer them. The learner alone writes the book.

use crate::{
    base::Colour,
    engine::{Answer, CommandError, CommandErrorKind},
    othello::{
        BitBoard, Position, Square, Weights,
        book::{
            Level,
            judge::{Judge, Question, SearchJudge, Verdict},
        },
        notation::diagram::{Alphabet, board_text},
        records::obf::Problem,
        search::Config,
    },
    tools::{
        fleet,
        pool::job::{AtHand, Fields, Piece, fields_of, from_fields, search_cost},
    },
};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, atomic::AtomicBool};

/// What a position is worth to a book, over some of its moves: `leaf`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeafJob {
    position: String,
    level: u8,
    /// Only these moves count; all of them when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    only: Option<Vec<String>>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct LeafAnswer {
    value: i32,
    #[serde(rename = "move")]
    best: Option<String>,
}

impl LeafJob {
    pub fn read(fields: Fields) -> Answer<Arc<dyn Piece>> {
        let job: LeafJob = from_fields(fields)?;
        job.question()?;
        Ok(Arc::new(job))
    }

    fn new(question: &Question) -> LeafJob {
        let position = Position { board: question.board, side: Colour::Black };
        LeafJob {
            position: board_text(position, Alphabet::LETTERS),
            level: question.level.raw(),
            only: question.only.map(|only| only.into_iter().map(|square| square.to_string()).collect()),
        }
    }

    fn question(&self) -> Answer<Question> {
        let syntax = |field: &str, message: String| {
            CommandError::new(CommandErrorKind::Syntax, format!("{field}: {message}")).in_field(field)
        };
        let problem = Problem::parse(&self.position).map_err(|error| syntax("position", error.to_string()))?;
        let level = Level::new(self.level).filter(|level| !level.is_hand() && level.raw() > 0);
        let level = level.ok_or_else(|| syntax("level", "it takes 1 to 60".into()))?;
        let only = match &self.only {
            None => None,
            Some(names) => {
                let squares: Result<Vec<Square>, _> = names.iter().map(|name| name.parse::<Square>()).collect();
                let squares = squares.map_err(|error| syntax("only", error.to_string()))?;
                Some(squares.into_iter().fold(BitBoard::EMPTY, BitBoard::with))
            }
        };
        Ok(Question { board: problem.position.board, level, only })
    }

    fn fields(&self) -> Fields {
        let mut fields = fields_of(self);
        fields.insert("kind".into(), "leaf".into());
        fields.insert("cost".into(), self.cost().into());
        fields
    }
}

impl Piece for LeafJob {
    fn carry_out(&self, _: &mut dyn AtHand, stop: &AtomicBool) -> Answer<Option<Fields>> {
        // As a learner by itself would: its tables are as large as the level needs.
        let mut judge = SearchJudge::new(Config { threads: 1, hash_bits: 22, weights: Weights::builtin() });
        let verdict = judge.judge(&[self.question()?], stop).pop().flatten();
        let answer = |verdict: Verdict| {
            fields_of(LeafAnswer { value: verdict.value, best: verdict.best.map(|square| square.to_string()) })
        };
        Ok(verdict.map(answer))
    }

    fn cost(&self) -> f64 {
        let empties = self.position.chars().take(64).filter(|c| matches!(c, '-' | '.')).count() as f64;
        search_cost(self.level.into(), empties, if self.level > 10 { 74.0 } else { 100.0 })
    }
}

/// Lets a fleet answer the questions of a book.
pub struct FleetJudge {
    url: String,
    /// Connected with the first question, and again after a failure.
    asker: Option<fleet::Asker>,
}

impl FleetJudge {
    pub fn new(url: &str) -> FleetJudge {
        FleetJudge { url: url.into(), asker: None }
    }
}

impl Judge for FleetJudge {
    fn judge(&mut self, questions: &[Question], stop: &AtomicBool) -> Vec<Option<Verdict>> {
        let mut verdicts = vec![None; questions.len()];
        let mut asked = vec![];
        for (number, question) in questions.iter().enumerate() {
            // What needs no search needs no fleet.
            match question.board.is_over() {
                true => verdicts[number] = Some(Verdict::from_finished(question.board)),
                false => asked.push(number),
            }
        }
        let jobs = asked.iter().map(|number| LeafJob::new(&questions[*number]).fields()).collect();
        let mut take = |job: usize, fields: Fields| {
            let answer: LeafAnswer = serde_json::from_value(fields.into()).map_err(std::io::Error::other)?;
            let best = answer.best.and_then(|name| name.parse().ok());
            verdicts[asked[job]] = Some(Verdict { value: answer.value, best });
            Ok(())
        };
        let connected = match self.asker.take() {
            Some(asker) => Ok(asker),
            None => fleet::Asker::connect(&self.url),
        };
        let ended = connected.and_then(|asker| {
            asker.ask(jobs, stop, &mut take)?;
            self.asker = Some(asker);
            Ok(())
        });
        // The learner sees that some are missing and leaves the book as it was.
        if let Err(error) = ended {
            log::error!("{error}");
            eprintln!("shirokuro: {error}");
        }
        verdicts
    }
}
