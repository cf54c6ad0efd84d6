//! Picking up the results of jobs that were submitted.

use super::{CollectArgs, Ending, FleetError, queue::Queue};
use crate::{
    base::{files::lock, signals::Signal},
    engine::{CommandError, CommandErrorKind},
    protocol::Id,
    tools::{
        batch::{BatchError, journal::Results},
        pool::job,
    },
};
use crossbeam_channel::{Receiver, RecvTimeoutError};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

/// How often results are looked for.
const LOOK: Duration = Duration::from_millis(300);

/// What has been asked for, and has no answer in the file yet.
#[derive(Default)]
struct Asked {
    /// Those that asked for the job with this key.
    ids: HashMap<String, Vec<String>>,
    all: HashSet<String>,
    notes_from: u64,
}

impl Asked {
    /// What was asked for since this was read last: the keys.
    fn read(&mut self, queue: &Queue) -> Result<Vec<String>, FleetError> {
        let mut keys = vec![];
        loop {
            let some = queue.read("notes", "note.asked.>", self.notes_from)?;
            let Some((_, _, last)) = some.last() else { return Ok(keys) };
            self.notes_from = last + 1;
            for (_, text, _) in some {
                let note: Value = serde_json::from_slice(&text).unwrap_or_default();
                if let (Some(id), Some(key)) = (job::id_of(&note["id"]), note["key"].as_str())
                    && self.all.insert(id.clone())
                {
                    self.ids.entry(key.into()).or_default().push(id);
                    keys.push(key.into());
                }
            }
        }
    }

    /// Writes the result of a job down for all who asked for it.
    fn answer(&mut self, key: &str, line: &str, results: &mut Results) -> Result<(), FleetError> {
        let failed = line.starts_with("{\"id\":null,\"type\":\"error\"");
        for id in self.ids.remove(key).unwrap_or_default() {
            if !results.has(&id) {
                results.add(&id, &line.replacen("{\"id\":null", &format!("{{\"id\":{id}"), 1), failed)?;
            }
        }
        Ok(())
    }
}

pub fn run(args: &CollectArgs, signals: &Receiver<Signal>) -> Result<Ending, FleetError> {
    let queue = Queue::connect(&args.url)?;
    if !queue.exists()? {
        return Err(FleetError::NoQueue);
    }
    let _lock = match lock::claim(&args.output) {
        lock::Claim::Taken(holder) => {
            return Err(BatchError::Taken { path: args.output.clone(), holder }.into());
        }
        lock::Claim::Ours(lock) => Some(lock),
        lock::Claim::NoLocks => None,
    };
    let mut asked = Asked::default();
    asked.read(&queue)?;
    let mut results = Results::open_for(&args.output, &|id| asked.all.contains(id))?;
    asked.ids.values_mut().for_each(|ids| ids.retain(|id| !results.has(id)));
    asked.ids.retain(|_, ids| !ids.is_empty());
    let (mut done_from, mut dead_from) = (0, 0);
    let mut signal = None;
    loop {
        loop {
            let some = queue.read("done", "done.>", done_from)?;
            let Some((_, _, last)) = some.last() else { break };
            done_from = last + 1;
            for (subject, payload, _) in &some {
                let key = subject.trim_start_matches("done.");
                asked.answer(key, &String::from_utf8_lossy(payload), &mut results)?;
            }
            results.sync()?;
        }
        for (subject, _, number) in queue.read("dead", "dead.>", dead_from)? {
            dead_from = number + 1;
            let message = "three workers died while this was being answered";
            let line = job::refusal(&Id::None, CommandError::new(CommandErrorKind::GaveUp, message));
            asked.answer(subject.trim_start_matches("dead."), &line, &mut results)?;
        }
        results.sync()?;
        if asked.ids.is_empty() || args.now || signal.is_some() {
            break;
        }
        match signals.recv_timeout(LOOK) {
            Ok(came) => signal = Some(came),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
        // The result of what is asked for only now may have gone by.
        for key in asked.read(&queue)? {
            if let Some(line) = queue.result(&key)? {
                asked.answer(&key, &String::from_utf8_lossy(&line), &mut results)?;
            }
        }
    }
    let missing: usize = asked.ids.values().map(Vec::len).sum();
    let failed = asked.all.iter().filter(|id| results.has_failed(id)).count();
    eprintln!("{} of {} answered, {failed} of them errors", asked.all.len() - missing, asked.all.len());
    Ok(match signal {
        Some(signal) => Ending::Stopped(signal),
        None if failed > 0 || missing > 0 => Ending::Failed,
        None => Ending::Done,
    })
}
