//! A job as a line of JSON, whatever it asks for, and its answer as another. A batch, a fleet and `json --jobs` read and
//! write these and no others.

use super::Found;
use crate::{
    base::settings::SettingView,
    engine::{Aim, Answer, CommandError, CommandErrorKind, Engine, Query},
    othello::search::{Searcher, levels::Level},
    protocol::{
        Id, Line, Reply, SessionSettings,
        json::{self, Manner, Warning},
    },
};
use serde_json::{Map, Value};
use std::{fmt, sync::Arc, sync::atomic::AtomicBool};

pub type Fields = Map<String, Value>;

/// Work of another kind than a question.
pub trait Piece: Send + Sync + fmt::Debug {
    /// The fields of the answer; `None` when it was stopped before there was one.
    fn carry_out(&self, at_hand: &mut dyn AtHand, stop: &AtomicBool) -> Answer<Option<Fields>>;

    /// About how many positions will have to be searched.
    fn cost(&self) -> f64;
}

/// What a worker has for those who do not need its engine.
pub trait AtHand {
    /// A searcher of one thread, with the built-in weights, that knows nothing.
    fn searcher(&mut self, hash_bits: u32) -> &mut Searcher;
}

/// A kind of job by the name it has in the field `kind`.
pub struct KindRow {
    pub name: &'static str,
    pub help: &'static str,
    pub read: fn(Fields) -> Answer<Arc<dyn Piece>>,
}

pub type Kinds = &'static [KindRow];

/// Jobs that need no row: what `shirokuro json` takes, and the same to the end of the game.
pub const QUESTION: &str = "question";
pub const SOLVE: &str = "solve";

#[derive(Debug, Clone)]
pub enum Work {
    Question(Box<Query>),
    Piece(Arc<dyn Piece>),
}

/// Work and how its answer is given.
#[derive(Debug, Clone)]
pub struct Job {
    pub kind: &'static str,
    pub work: Work,
    pub manner: Manner,
    session_settings: SessionSettings,
}

/// What the jobs of a pool may be, and how much of the machine one of them may have.
pub struct Reader<'a> {
    pub engine: &'a dyn Engine,
    pub kinds: Kinds,
    known: Vec<SettingView>,
    /// What an option of a question can be at most.
    most: Vec<(&'static str, u64)>,
    /// How people are spoken to unless a question says otherwise.
    session_settings: SessionSettings,
}

impl<'a> Reader<'a> {
    pub fn new(engine: &'a dyn Engine, kinds: Kinds) -> Reader<'a> {
        Reader { engine, kinds, known: engine.settings(), most: vec![], session_settings: SessionSettings::default() }
    }

    /// Threads and memory of a question stay within the share of one worker.
    pub fn with_shares(self, options: &[(&'static str, String)]) -> Reader<'a> {
        let shared = |name: &str| ["threads", "hash", "memory"].contains(&name);
        let most = options.iter().filter(|(name, _)| shared(name));
        Reader { most: most.filter_map(|(name, value)| Some((*name, value.parse().ok()?))).collect(), ..self }
    }

    pub fn with_settings(self, session_settings: SessionSettings) -> Reader<'a> {
        Reader { session_settings, ..self }
    }

    /// A question that was read elsewhere.
    pub fn query(&self, query: Query) -> Job {
        let session_settings = self.session_settings.clone();
        Job { kind: QUESTION, work: Work::Question(Box::new(query)), manner: Manner::default(), session_settings }
    }

    /// The id of a line and the job in it, checked as far as that takes no search.
    pub fn read(&self, line: &str) -> (Option<Value>, Answer<Job>) {
        if line.len() > Line::LONGEST {
            return (None, Err(syntax(format!("it is longer than {} bytes", Line::LONGEST))));
        }
        match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(mut fields)) => (fields.remove("id"), self.read_fields(fields)),
            Ok(_) => (None, Err(syntax("a request is an object: {…}"))),
            Err(error) => (None, Err(syntax(format!("not JSON: {error}")))),
        }
    }

    pub fn read_fields(&self, mut fields: Fields) -> Answer<Job> {
        let kind = match fields.remove("kind") {
            None => QUESTION.to_owned(),
            Some(Value::String(kind)) => kind,
            Some(_) => return Err(syntax("kind: it takes a text").in_field("kind")),
        };
        match kind.as_str() {
            QUESTION => self.question(QUESTION, fields),
            SOLVE => {
                let taken = ["level", "depth", "percent", "mid", "end", "analyze", "explain"];
                if let Some(name) = taken.into_iter().find(|name| fields.contains_key(*name)) {
                    return Err(syntax(format!("{name}: it has no place where a position is solved")).in_field(name));
                }
                fields.insert("level".into(), 60.into());
                let wld = fields.get("wld") == Some(&Value::Bool(true));
                if !wld && !fields.contains_key("alpha") && !fields.contains_key("beta") {
                    // A window of its own keeps the book out.
                    fields.insert("alpha".into(), (-64).into());
                }
                let mut job = self.question(SOLVE, fields)?;
                job.manner.warnings.clear();
                Ok(job)
            }
            kind => {
                let row = self.kinds.iter().find(|row| row.name == kind).ok_or_else(|| {
                    let names: Vec<&str> = self.kinds.iter().map(|row| row.name).collect();
                    let message = format!("there are jobs of these kinds: question, solve, {}", names.join(", "));
                    CommandError::new(CommandErrorKind::Unsupported, message).in_field("kind")
                })?;
                let work = Work::Piece((row.read)(fields)?);
                let session_settings = self.session_settings.clone();
                Ok(Job { kind: row.name, work, manner: Manner::default(), session_settings })
            }
        }
    }

    fn question(&self, kind: &'static str, fields: Fields) -> Answer<Job> {
        let (query, mut manner) = json::read_question(fields, self.engine.commands())?;
        let is_known = |name: &str| SessionSettings::have(name) || self.known.iter().any(|row| row.is_called(name));
        if let Some((name, _)) = query.settings.iter().find(|(name, _)| !is_known(name)) {
            let message = format!("there is no field or option `{name}`");
            return Err(CommandError::new(CommandErrorKind::Unsupported, message).in_field(name));
        }
        let (session_settings, mut settings) = self.session_settings.for_question(&query)?;
        for (name, value) in &mut settings {
            let most = self.most.iter().find(|(other, _)| other == name);
            if let Some((_, most)) = most.filter(|(_, most)| value.parse().is_ok_and(|wanted: u64| wanted > *most)) {
                manner.warnings.push(Warning::new(name, format!("{most} is the share of one question here")));
                *value = most.to_string();
            }
        }
        let work = Work::Question(Box::new(Query { settings, ..query }));
        Ok(Job { kind, work, manner, session_settings })
    }
}

impl Job {
    /// A position solved: options about how hard to search have no place in it.
    pub fn is_solved(&self) -> bool {
        self.kind == SOLVE
    }

    /// The answer as a line.
    pub fn answer(&self, id: &Id, found: &Answer<Found>) -> String {
        if let Ok(Found::Fields(fields)) = found {
            return json::answer_fields(id, fields.clone());
        }
        json::answer_question(id, &reply(found), &self.manner.warnings, &self.session_settings)
    }

    /// About how many positions will have to be searched.
    pub fn cost(&self) -> f64 {
        match &self.work {
            Work::Piece(piece) => piece.cost(),
            Work::Question(query) => cost(query),
        }
    }
}

/// What was found, as a protocol renders it.
pub fn reply(found: &Answer<Found>) -> Reply {
    match found {
        Ok(Found::Outcome(outcome)) => Reply::from(Ok(outcome.clone())),
        Ok(Found::Fields(_)) => Reply::Done(vec![]),
        Err(refusal) => Reply::Refused(refusal.clone()),
    }
}

/// An error that is no answer to a job that could be read.
pub fn refusal(id: &Id, refusal: CommandError) -> String {
    json::answer_question(id, &Reply::Refused(refusal), &[], &SessionSettings::default())
}

fn syntax(message: impl fmt::Display) -> CommandError {
    CommandError::new(CommandErrorKind::Syntax, message)
}

/// The id of a message as JSON; what is none, or no text or whole number, is not one.
pub fn id_of(value: &Value) -> Option<String> {
    let whole = |value: &Value| value.is_u64() || value.is_i64();
    Some(value).filter(|value| value.is_string() || whole(value)).map(Value::to_string)
}

/// The fields of a structure.
pub fn fields_of(value: impl serde::Serialize) -> Fields {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Fields::new(),
    }
}

/// A structure from its fields; what it does not know is an error.
pub fn from_fields<T: serde::de::DeserializeOwned + serde::Serialize>(fields: Fields) -> Answer<T> {
    let names: Vec<String> = fields.keys().cloned().collect();
    let read: T = serde_json::from_value(Value::Object(fields)).map_err(syntax)?;
    let known = fields_of(&read);
    match names.iter().find(|name| !known.contains_key(*name)) {
        Some(name) => Err(syntax(format!("{name}: no such field in this kind of job")).in_field(name.as_str())),
        None => Ok(read),
    }
}

/// About how many nodes a question takes: a guess within a factor of ten or so, to tell cheap from dear.
fn cost(query: &Query) -> f64 {
    let number = |name: &str| {
        let found = query.settings.iter().find(|(other, _)| other == name);
        found.and_then(|(_, value)| value.parse::<f64>().ok()).filter(|value| *value > 0.0)
    };
    let empties = empties(query);
    let one = match (number("nodes"), number("move-time"), number("depth")) {
        (Some(nodes), ..) => nodes,
        (_, Some(seconds), _) => seconds * NODES_PER_SECOND,
        (.., Some(depth)) => search_cost(depth, empties, number("percent").unwrap_or(100.0)),
        _ if query.aim == Aim::Winner => search_cost(empties, empties, 100.0) / 3.0,
        _ => {
            let level = Level::new(number("level").unwrap_or(21.0) as u8);
            let to_end = level.end.iter().rev().find(|(_, from)| empties <= f64::from(*from));
            match to_end {
                Some((percent, _)) => search_cost(empties, empties, f64::from(*percent)),
                None => search_cost(level.mid.0.into(), empties, f64::from(level.mid.1)),
            }
        }
    };
    // All positions of a game, most of them with fewer empty squares.
    one * if query.analyse { 20.0 } else { query.count.min(10) as f64 }
}

/// What one thread searches in a second on a machine of today.
pub const NODES_PER_SECOND: f64 = 2e7;

/// Nodes of a search to this depth.
pub fn search_cost(depth: f64, empties: f64, percent: f64) -> f64 {
    let whole = if depth >= empties { 1e7 * 2.6_f64.powf(empties - 20.0) } else { 30.0 * 2.1_f64.powf(depth) };
    whole * if percent < 100.0 { 0.1 } else { 1.0 }
}

/// Empty squares of the position in question, as far as its text says without being read in earnest.
fn empties(query: &Query) -> f64 {
    let text = query.position.as_deref().unwrap_or_default();
    let empty = text.chars().filter(|c| matches!(c, '-' | '.')).count();
    let is_board = text.len() >= 64 && (1..=60).contains(&empty);
    let moves = query.moves.as_deref().unwrap_or_default();
    let played = moves.chars().filter(char::is_ascii_digit).count();
    let from = if is_board { empty } else { 60 };
    from.saturating_sub(played) as f64
}
