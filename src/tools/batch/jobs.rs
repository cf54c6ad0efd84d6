//! The questions of a batch, all of them looked at before the first is answered.

use super::{BatchError, at};
use crate::{
    base::{files, settings::SettingView},
    engine::{Answer, CommandError, CommandErrorKind, Engine},
    protocol::{Line, SessionSettings, json},
};
use serde_json::Value;
use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
    path::Path,
    str::FromStr,
};

/// So many bad lines are named; more help nobody.
const NAMED: usize = 20;

/// A question and its place in the text.
pub struct Job {
    /// As JSON.
    pub id: String,
    number: usize,
    line: Range<usize>,
}

pub struct Jobs {
    text: String,
    pub list: Vec<Job>,
    by_id: HashMap<String, usize>,
}

/// The id of a message; what is none, or no text or whole number, is not one.
pub fn id_of(value: &Value) -> Option<String> {
    let whole = |value: &Value| value.is_u64() || value.is_i64();
    Some(value).filter(|value| value.is_string() || whole(value)).map(Value::to_string)
}

impl Jobs {
    /// Every line is checked as far as that takes no search; blank lines are passed over.
    pub fn read(path: &Path, engine: &dyn Engine) -> Result<Jobs, BatchError> {
        let text = files::read_text(path, files::LARGEST).map_err(at(path))?;
        Jobs::of(text, engine).map_err(|complaints| BatchError::Lines { path: path.to_path_buf(), complaints })
    }

    pub fn of(text: String, engine: &dyn Engine) -> Result<Jobs, Vec<String>> {
        let known = engine.settings();
        let mut jobs = Jobs { text, list: vec![], by_id: HashMap::new() };
        let (mut complaints, mut start) = (vec![], 0);
        let lines: Vec<Range<usize>> = jobs
            .text
            .split_inclusive('\n')
            .map(|line| {
                let range = start..start + line.len();
                start = range.end;
                range
            })
            .collect();
        for (index, line) in lines.into_iter().enumerate() {
            let number = index + 1;
            if jobs.text[line.clone()].trim().is_empty() {
                continue;
            }
            let read = check(&jobs.text[line.clone()], number, engine, &known);
            if let Err(complaint) = read.and_then(|id| jobs.add(Job { id, number, line })) {
                complaints.push(format!("line {number}: {complaint}"));
                if complaints.len() == NAMED {
                    complaints.push("there may be more".into());
                    break;
                }
            }
        }
        if complaints.is_empty() { Ok(jobs) } else { Err(complaints) }
    }

    /// The same question twice is one.
    fn add(&mut self, job: Job) -> Answer<()> {
        match self.by_id.entry(job.id.clone()) {
            Entry::Vacant(free) => {
                free.insert(self.list.len());
                self.list.push(job);
                Ok(())
            }
            Entry::Occupied(taken) => {
                let first = &self.list[*taken.get()];
                if contents(&self.text[first.line.clone()]) == contents(&self.text[job.line]) {
                    return Ok(());
                }
                let message = format!("the id {} is that of line {}, which asks something else", job.id, first.number);
                Err(CommandError::new(CommandErrorKind::Syntax, message))
            }
        }
    }

    pub fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    pub fn line(&self, job: usize) -> &str {
        self.text[self.list[job].line.clone()].trim()
    }
}

/// What a line asks, without its id.
fn contents(line: &str) -> Option<Value> {
    let mut value: Value = serde_json::from_str(line).ok()?;
    value.as_object_mut()?.remove("id");
    Some(value)
}

/// The id of a question that can be asked.
fn check(line: &str, number: usize, engine: &dyn Engine, known: &[SettingView]) -> Answer<String> {
    if line.len() > Line::LONGEST {
        return Err(CommandError::new(CommandErrorKind::Syntax, format!("it is longer than {} bytes", Line::LONGEST)));
    }
    let query = json::read_question(line, engine.commands())?;
    let is_known = |name: &str| SessionSettings::have(name) || known.iter().any(|row| row.is_called(name));
    if let Some((name, _)) = query.settings.iter().find(|(name, _)| !is_known(name)) {
        return Err(CommandError::new(CommandErrorKind::Unsupported, format!("there is no field or option `{name}`")));
    }
    let value: Value = serde_json::from_str(line).map_err(|e| CommandError::new(CommandErrorKind::Syntax, e))?;
    match &value["id"] {
        Value::Null => Ok(number.to_string()),
        id => id_of(id)
            .ok_or_else(|| CommandError::new(CommandErrorKind::Syntax, "its id is neither a text nor a whole number")),
    }
}

/// One part of several that share the jobs among them by their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    part: u32,
    parts: u32,
}

impl Shard {
    /// The same on every machine and in every version.
    pub fn holds(self, id: &str) -> bool {
        let mut sum = flate2::Crc::new();
        sum.update(id.as_bytes());
        sum.sum() % self.parts == self.part
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').map(|(part, parts)| (part.parse::<u32>(), parts.parse::<u32>()));
        match numbers {
            Some((Ok(part), Ok(parts))) if (1..=parts).contains(&part) => Ok(Shard { part: part - 1, parts }),
            Some((Ok(_), Ok(parts))) if parts > 0 => {
                Err(format!("of {parts} parts there are 1/{parts} to {parts}/{parts}"))
            }
            _ => Err("it takes a part and the number of parts, like 1/4".into()),
        }
    }
}
