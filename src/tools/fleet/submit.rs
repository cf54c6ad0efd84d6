//! Putting jobs into a queue, for `collect` to pick up or for a work of this process that waits for them.

use super::{
    FleetError, Identity, SubmitArgs,
    queue::{Packet, Put, Queue, class},
};
use crate::{
    base::files,
    engine::{Answer, CommandError, CommandErrorKind, Engine, Game},
    tools::{
        batch,
        pool::{
            Job, Kinds, Reader, Recipe,
            job::{Fields, Work},
        },
    },
};
use serde_json::Value;
use std::{
    collections::HashMap,
    io::Write,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// What is asked in the queue is forgotten by its worker after so long, unless a queue says otherwise.
const ACK_WAIT: Duration = Duration::from_secs(60);
/// How often results are looked for.
const LOOK: Duration = Duration::from_millis(100);
/// Jobs under way for one piece of long work: more wait in this process.
const AHEAD: usize = 20_000;

/// The same for the same work, whoever asks for it: kind, position, options and the engine.
pub fn key_of(identity: &Identity, kind: &str, fields: &Fields) -> String {
    let text = format!("{} {} {kind} {}", identity.game, identity.weights, Value::Object(fields.clone()));
    // FNV-1a, twice from different beginnings: it must stay the same from one build of the program to the next.
    let hash =
        |start: u64| text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
    format!("{:016x}{:016x}", hash(0xCBF2_9CE4_8422_2325), hash(0x9E37_79B9_7F4A_7C15))
}

/// The fields of a job written in one way only: a position in whatever notation becomes its board, and options that were
/// asked for on the command line stand in it.
fn normal(fields: Fields, job: &Job, recipe: &Recipe, engine: &mut dyn Engine) -> Answer<Fields> {
    let mut fields = fields;
    fields.remove("id");
    if let Work::Question(query) = &job.work {
        for (name, value) in &recipe.options {
            let taken = query.settings.iter().any(|(other, _)| other == name);
            if !taken && !job.is_solved() {
                fields.insert((*name).into(), value.clone().into());
            }
        }
        if !query.analyse && query.command.is_none() {
            match &query.position {
                Some(text) => drop(engine.import(text).map_err(|refusal| refusal.in_field("position"))?),
                None => engine.new_game(),
            }
            if let Some(moves) = &query.moves {
                engine.play_line(moves).map_err(|refusal| refusal.in_field("moves"))?;
            }
            // Go has no notation of a position that says whose move it is.
            if engine.game() == Game::Othello {
                fields.remove("moves");
                fields.insert("position".into(), engine.export("board")?.into());
            }
        }
    }
    Ok(fields)
}

fn packet(identity: &Identity, job: &Job, fields: &Fields) -> Packet {
    let key = key_of(identity, job.kind, fields);
    let mut payload = fields.clone();
    payload.insert("kind".into(), job.kind.into());
    Packet { kind: job.kind, class: class(job.cost()), key, payload: Value::Object(payload).to_string() }
}

pub fn run(args: &SubmitArgs, recipe: Recipe, kinds: Kinds, out: &mut dyn Write) -> Result<(), FleetError> {
    let engine = recipe.engine()?;
    let reader = Reader::new(engine.as_ref(), kinds);
    let at = |source| FleetError::File { path: args.jobs.clone(), source };
    let text = files::read_text(&args.jobs, files::LARGEST).map_err(at)?;
    let jobs = batch::jobs::Jobs::of(text, &reader);
    let lines = |complaints| FleetError::Lines { path: args.jobs.clone(), complaints };
    let jobs = jobs.map_err(lines)?;
    if jobs.list.is_empty() {
        return Err(lines(vec!["there are no jobs in it".into()]));
    }
    let identity = Identity::of(engine.as_ref());
    let mut board = recipe.engine()?;
    let (mut packets, mut ids, mut complaints) = (vec![], vec![], vec![]);
    for (index, job) in jobs.list.iter().enumerate() {
        let line: Value = serde_json::from_str(jobs.line(index)).unwrap_or_default();
        let Value::Object(fields) = line else { continue };
        let read = reader.read_fields(without_id(&fields)).and_then(|read| {
            has_no_file(&read)?;
            Ok((normal(fields, &read, &recipe, board.as_mut())?, read))
        });
        match read {
            Ok((mut fields, read)) => {
                fields.remove("kind");
                packets.push(packet(&identity, &read, &fields));
                ids.push(job.id.clone());
            }
            Err(refusal) => complaints.push(format!("{}: {refusal}", job.id)),
        }
    }
    if !complaints.is_empty() {
        return Err(lines(complaints));
    }
    let queue = Queue::connect(&args.url)?;
    queue.prepare(&identity)?;
    let became = queue.put(&packets, Duration::from_secs(args.ack_wait))?;
    // Whose results these are is noted after the jobs are there: half a submission can be repeated.
    let notes: Vec<(String, String)> = packets.iter().zip(&ids).map(|(packet, id)| asked(&packet.key, id)).collect();
    queue.put_notes(&notes)?;
    let count = |what: Put| became.iter().filter(|put| **put == what).count();
    let (new, waiting, done) = (count(Put::New), count(Put::Waiting), count(Put::Done));
    writeln!(out, "{} jobs: {new} new, {waiting} in the queue already, {done} done already", packets.len())?;
    Ok(())
}

fn without_id(fields: &Fields) -> Fields {
    let mut fields = fields.clone();
    fields.remove("id");
    fields
}

/// A worker reads and writes no file that a job names.
pub fn has_no_file(job: &Job) -> Answer<()> {
    let Work::Question(query) = &job.work else { return Ok(()) };
    let names_file = |(name, value): &&(String, String)| match name.as_str() {
        "book" => !["builtin", "none"].contains(&value.as_str()),
        "eval" | "book-home" | "xot-file" | "gopal" => !["", "none"].contains(&value.as_str()),
        _ => false,
    };
    match query.settings.iter().find(names_file) {
        Some((name, _)) => {
            let message = format!("{name}: a job of a fleet names no file");
            Err(CommandError::new(CommandErrorKind::File, message).in_field(name))
        }
        None => Ok(()),
    }
}

/// The name and the text of the note that somebody has asked for a job.
fn asked(key: &str, id: &str) -> (String, String) {
    let mut sum = flate2::Crc::new();
    sum.update(id.as_bytes());
    let name = format!("asked.{key}.{:08x}{:x}", sum.sum(), id.len());
    (name, format!("{{\"id\":{id},\"key\":\"{key}\"}}"))
}

/// Somebody who asks a fleet, and stays connected from one asking to the next.
pub struct Asker {
    queue: Queue,
    identity: Identity,
}

impl Asker {
    pub fn connect(url: &str) -> Result<Asker, FleetError> {
        let queue = Queue::connect(url)?;
        let identity = Identity { game: "Othello".into(), ..Identity::of(&crate::othello::OthelloEngine::new()) };
        queue.prepare(&identity)?;
        Ok(Asker { queue, identity })
    }

    /// The results of jobs, each handed to `take` with its number as it comes.
    pub fn ask(
        &self,
        jobs: Vec<Fields>,
        stop: &AtomicBool,
        take: &mut dyn FnMut(usize, Fields) -> Result<(), FleetError>,
    ) -> Result<(), FleetError> {
        ask(&self.queue, &self.identity, jobs, stop, take)
    }
}

fn ask(
    queue: &Queue,
    identity: &Identity,
    jobs: Vec<Fields>,
    stop: &AtomicBool,
    take: &mut dyn FnMut(usize, Fields) -> Result<(), FleetError>,
) -> Result<(), FleetError> {
    let mut from = queue.last_number("done")? + 1;
    let mut dead_from = queue.last_number("dead")? + 1;
    // The numbers of those that asked for a key; the same job may be asked for twice.
    let mut open: HashMap<String, Vec<usize>> = HashMap::new();
    let mut dead = 0;
    let mut later = jobs.into_iter().enumerate().peekable();
    while !open.is_empty() || later.peek().is_some() {
        if stop.load(Ordering::Relaxed) {
            return Err(FleetError::Stopped);
        }
        let next: Vec<(usize, Packet)> = later
            .by_ref()
            .take(AHEAD.saturating_sub(open.len()))
            .map(|(number, mut fields)| {
                let kind = known_kind(fields.remove("kind"));
                let cost = fields.remove("cost").and_then(|cost| cost.as_f64()).unwrap_or(0.0);
                let key = key_of(identity, kind, &fields);
                fields.insert("kind".into(), kind.into());
                (number, Packet { kind, class: class(cost), key, payload: Value::Object(fields).to_string() })
            })
            .collect();
        let packets: Vec<Packet> = next.iter().map(|(_, packet)| packet.clone()).collect();
        let became = queue.put(&packets, ACK_WAIT)?;
        for ((number, packet), put) in next.into_iter().zip(became) {
            match put {
                Put::Done => {
                    let result = queue.result(&packet.key)?.unwrap_or_default();
                    take(number, fields_of_result(&result)?)?;
                }
                Put::New | Put::Waiting => open.entry(packet.key).or_default().push(number),
            }
        }
        let mut some = false;
        for (subject, payload, number) in queue.read("done", "done.>", from)? {
            from = number + 1;
            if let Some(numbers) = subject.strip_prefix("done.").and_then(|key| open.remove(key)) {
                some = true;
                let fields = fields_of_result(&payload)?;
                numbers.into_iter().try_for_each(|number| take(number, fields.clone()))?;
            }
        }
        for (subject, _, number) in queue.read("dead", "dead.>", dead_from)? {
            dead_from = number + 1;
            dead += subject.strip_prefix("dead.").and_then(|key| open.remove(key)).map_or(0, |numbers| numbers.len());
        }
        if !some {
            thread::sleep(LOOK);
        }
    }
    if dead > 0 { Err(FleetError::Dead(dead)) } else { Ok(()) }
}

pub fn known_kind(kind: Option<Value>) -> &'static str {
    const NAMES: [&str; 7] = ["question", "solve", "selfplay", "label", "leaf", "review", "pair"];
    let kind = kind.and_then(|kind| kind.as_str().and_then(|kind| NAMES.into_iter().find(|name| *name == kind)));
    kind.unwrap_or("question")
}

/// A result without what every answer has; an error is one here too.
fn fields_of_result(payload: &[u8]) -> Result<Fields, FleetError> {
    let mut fields: Fields = serde_json::from_slice(payload).map_err(|error| FleetError::Server(error.to_string()))?;
    fields.remove("id");
    match fields.remove("type") {
        Some(Value::String(kind)) if kind == "answer" => Ok(fields),
        _ => Err(FleetError::Server(format!("a job was refused: {}", fields["message"]))),
    }
}
