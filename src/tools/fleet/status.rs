//! What is known about a queue, and its dead jobs.

use super::{
    FleetError, FleetTool,
    queue::{Packet, Put, Queue},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{io::Write, time::Duration};

/// A worker that was not heard of for so many seconds is not shown.
const FORGOTTEN: u64 = 30;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkerNote {
    pub name: String,
    #[serde(default)]
    pub jobs: usize,
    #[serde(default)]
    pub running: usize,
    #[serde(default)]
    pub done: u64,
    #[serde(default)]
    pub per_second: f64,
    #[serde(default)]
    pub nodes_per_second: f64,
    pub seen: u64,
    #[serde(default)]
    pub gone: bool,
}

/// The workers that were heard of a moment ago.
pub fn workers(queue: &Queue) -> Result<Vec<WorkerNote>, FleetError> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let notes = queue.read_all("notes", "note.worker.>")?;
    let workers = notes.iter().filter_map(|(_, text, _)| serde_json::from_slice::<WorkerNote>(text).ok());
    Ok(workers.filter(|worker| !worker.gone && worker.seen + FORGOTTEN >= now).collect())
}

pub fn run(tool: &FleetTool, out: &mut dyn Write) -> Result<(), FleetError> {
    let (FleetTool::Status { url, .. }
    | FleetTool::Dead { url }
    | FleetTool::Requeue { url, .. }
    | FleetTool::Remove { url }) = tool;
    let queue = Queue::connect(url)?;
    if !queue.exists()? {
        return Err(FleetError::NoQueue);
    }
    match tool {
        FleetTool::Status { json, .. } => status(&queue, *json, out),
        FleetTool::Dead { .. } => {
            for (_, text, _) in queue.read_all("dead", "dead.>")? {
                writeln!(out, "{}", String::from_utf8_lossy(&text))?;
            }
            Ok(())
        }
        FleetTool::Requeue { keys, all, .. } => requeue(&queue, keys, *all, out),
        FleetTool::Remove { .. } => queue.remove(),
    }
}

fn status(queue: &Queue, as_json: bool, out: &mut dyn Write) -> Result<(), FleetError> {
    let shelves = queue.shelves()?;
    let (done, dead, workers) = (queue.count("done")?, queue.count("dead")?, workers(queue)?);
    let (waiting, handed_out) = shelves.iter().fold((0, 0), |(w, h), shelf| (w + shelf.waiting, h + shelf.handed_out));
    // What was handed out and is not being done waits as well: fetched in advance, handed back, or with a worker that died.
    let running = workers.iter().map(|worker| worker.running as u64).sum::<u64>().min(handed_out);
    let waiting = waiting + handed_out - running;
    let rate: f64 = workers.iter().map(|worker| worker.per_second).sum();
    let left = (rate > 0.0 && waiting + running > 0).then(|| (waiting + running) as f64 / rate);
    if as_json {
        let kinds: Vec<Value> = shelves
            .iter()
            .map(|s| json!({ "kind": s.kind, "class": s.class, "waiting": s.waiting, "handed_out": s.handed_out }))
            .collect();
        let status = json!({
            "waiting": waiting, "running": running, "done": done, "dead": dead, "seconds_left": left.map(f64::round),
            "kinds": kinds, "workers": workers,
        });
        writeln!(out, "{status}")?;
        return Ok(());
    }
    writeln!(out, "{waiting} jobs waiting, {running} running, {done} done, {dead} dead")?;
    if let Some(seconds) = left {
        writeln!(out, "about {} left at {rate:.1} jobs a second", in_words(Duration::from_secs_f64(seconds)))?;
    }
    for shelf in shelves.iter().filter(|shelf| shelf.waiting + shelf.handed_out > 0) {
        let cost = ["cheap", "middling", "dear", "very dear"][shelf.class.min(3)];
        writeln!(out, "  {} ({cost}): {} waiting, {} handed out", shelf.kind, shelf.waiting, shelf.handed_out)?;
    }
    writeln!(out, "{} workers", workers.len())?;
    for w in &workers {
        let (speed, rate) = (w.nodes_per_second / 1e6, w.per_second);
        let places = format!("{} of {} at work", w.running, w.jobs);
        writeln!(out, "  {}: {places}, {} done, {rate:.1} a second, {speed:.1} Mnodes/s a thread", w.name, w.done)?;
    }
    Ok(())
}

fn in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds < 120 => format!("{seconds} s"),
        seconds if seconds < 7200 => format!("{} min", seconds / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

/// Puts dead jobs back, then takes them off the list: broken off between the two, a job is in both and can be put back
/// again.
fn requeue(queue: &Queue, keys: &[String], all: bool, out: &mut dyn Write) -> Result<(), FleetError> {
    if keys.is_empty() && !all {
        return Err(FleetError::NoKeys);
    }
    let mut back = 0;
    for (_, text, number) in queue.read_all("dead", "dead.>")? {
        let dead: Value = serde_json::from_slice(&text).unwrap_or_default();
        let key = dead["key"].as_str().unwrap_or_default().to_owned();
        if !all && !keys.contains(&key) {
            continue;
        }
        queue.put_note(&format!("tries.{key}"), "0".into())?;
        let kind = super::submit::known_kind(Some(dead["job"]["kind"].clone()));
        let class = dead["class"].as_u64().unwrap_or(0) as usize;
        let packet = Packet { kind, class, key, payload: dead["job"].to_string() };
        if queue.put(&[packet], Duration::from_secs(60))? != [Put::Done] {
            back += 1;
        }
        queue.delete("dead", number)?;
    }
    writeln!(out, "{back} jobs put back")?;
    Ok(())
}
