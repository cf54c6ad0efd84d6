//! The questions of a batch, all of them looked at before the first is answered.

use super::{BatchError, at};
use crate::{
    base::files,
    engine::{Answer, CommandError, CommandErrorKind},
    tools::pool::{
        Reader,
        job::{Job as Task, id_of},
    },
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

impl Jobs {
    /// Every line is checked as far as that takes no search; blank lines are passed over.
    pub fn read(path: &Path, reader: &Reader) -> Result<Jobs, BatchError> {
        let text = files::read_text(path, files::LARGEST).map_err(at(path))?;
        Jobs::of(text, reader).map_err(|complaints| BatchError::Lines { path: path.to_path_buf(), complaints })
    }

    pub fn of(text: String, reader: &Reader) -> Result<Jobs, Vec<String>> {
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
            let read = check(&jobs.text[line.clone()], number, reader);
            if let Err(complaint) = read.and_then(|(id, _)| jobs.add(Job { id, number, line })) {
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

/// The id of a line and what is to be done.
pub fn check(line: &str, number: usize, reader: &Reader) -> Answer<(String, Task)> {
    let (id, job) = reader.read(line);
    let job = job?;
    let id = match id.unwrap_or_default() {
        Value::Null => number.to_string(),
        id => id_of(&id).ok_or_else(|| {
            CommandError::new(CommandErrorKind::Syntax, "its id is neither a text nor a whole number")
        })?,
    };
    Ok((id, job))
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
