//! A queue on the server: its streams, and the few things that are done with them. Everything here waits for the server
//! and tries again while it is away.

use super::{FleetError, Identity};
use async_nats::jetstream::{
    self, Context, Message,
    consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull},
    context::PublishErrorKind,
    stream::{Config, DiscardPolicy, RetentionPolicy, Stream},
};
use futures_util::{StreamExt, future::join_all};
use std::{collections::BTreeMap, fmt, future::Future, time::Duration};
use tokio::{runtime::Runtime, time::timeout};

/// Publications under way at a time.
const AT_ONCE: usize = 256;
/// Messages read at a time.
const SOME: usize = 10_000;
/// How long one request may take; then it is tried again.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is tried to connect to a server that does not answer.
const CONNECTS: usize = 3;
/// How long the server may be away before a command gives up.
const MOST_TRIES: usize = 24;

/// The class of a job that takes about so many nodes: four, the cheapest first.
pub fn class(cost: f64) -> usize {
    [1e6, 3e7, 1e9].iter().filter(|limit| cost > **limit).count()
}

pub struct Queue {
    runtime: Runtime,
    context: Context,
    name: String,
}

/// What becomes of a job that is put into the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    New,
    /// It waits already, or is being done.
    Waiting,
    /// Its result is there.
    Done,
}

/// A job ready to be put into the queue.
#[derive(Debug, Clone)]
pub struct Packet {
    pub kind: &'static str,
    pub class: usize,
    pub key: String,
    pub payload: String,
}

/// The server and the queue's name.
fn split(url: &str) -> Result<(String, String), FleetError> {
    let bad = || FleetError::Url(url.into());
    let (scheme, rest) = url.split_once("://").ok_or_else(bad)?;
    let (host, name) = rest.split_once('/').ok_or_else(bad)?;
    let sound = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let fits = ["nats", "tls"].contains(&scheme) && !host.is_empty() && !name.is_empty() && name.chars().all(sound);
    if fits { Ok((format!("{scheme}://{host}"), name.into())) } else { Err(bad()) }
}

fn failed(error: impl fmt::Display) -> FleetError {
    FleetError::Server(error.to_string())
}

impl Queue {
    /// Connects by the usual means: user and password in the URL, or the variables that the program `nats` reads.
    pub fn connect(url: &str) -> Result<Queue, FleetError> {
        let (server, name) = split(url)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let options = runtime.block_on(async {
            let mut options = async_nats::ConnectOptions::new().name("shirokuro").max_reconnects(None);
            if let Some(path) = variable("NATS_CREDS") {
                let text = std::fs::read_to_string(&path);
                let text = text.map_err(|source| FleetError::File { path: path.into(), source })?;
                options = options.credentials(&text)?;
            }
            if let Some(path) = variable("NATS_NKEY") {
                let text = std::fs::read_to_string(&path);
                let text = text.map_err(|source| FleetError::File { path: path.into(), source })?;
                options = options.nkey(text.trim().to_owned());
            }
            if let (Some(user), Some(password)) = (variable("NATS_USER"), variable("NATS_PASSWORD")) {
                options = options.user_and_password(user, password);
            }
            if let Some(token) = variable("NATS_TOKEN") {
                options = options.token(token);
            }
            if let Some(path) = variable("NATS_CA") {
                options = options.add_root_certificates(path.into());
            }
            if let (Some(cert), Some(key)) = (variable("NATS_CERT"), variable("NATS_KEY")) {
                options = options.add_client_certificate(cert.into(), key.into());
            }
            Ok::<_, FleetError>(options)
        })?;
        // A server that turns away says so at once; one that is busy may need another try.
        let connect =
            |_| runtime.block_on(async { timeout(2 * PATIENCE, options.clone().connect(server.as_str())).await });
        let client = (0..CONNECTS)
            .find_map(|attempt| connect(attempt).ok())
            .ok_or_else(|| failed(format!("{}: no answer", shown(&server))))?
            .map_err(|error| failed(format!("{}: {error}", shown(&server))))?;
        // It starts a task of its own.
        let context = runtime.block_on(async { jetstream::new(client) });
        Ok(Queue { runtime, context, name })
    }

    fn stream_name(&self, of: &str) -> String {
        format!("shirokuro-{}-{of}", self.name)
    }

    fn subject(&self, rest: impl fmt::Display) -> String {
        format!("shirokuro.{}.{rest}", self.name)
    }

    /// Waits for the answer to a request that may be repeated; while the server is away it is.
    fn wait<T, E: fmt::Display, F: Future<Output = Result<T, E>>>(
        &self,
        mut request: impl FnMut() -> F,
    ) -> Result<T, FleetError> {
        let mut last = String::new();
        for attempt in 0..MOST_TRIES {
            let answer = self.runtime.block_on(async { timeout(PATIENCE, request()).await });
            match answer {
                Ok(Ok(found)) => return Ok(found),
                Ok(Err(error)) => last = error.to_string(),
                Err(_) => last = "no answer".into(),
            }
            log::info!("the server: {last}; attempt {}", attempt + 1);
            std::thread::sleep(Duration::from_millis(100 << attempt.min(4)));
        }
        Err(failed(format!("the server: {last}")))
    }

    fn streams(&self) -> [Config; 4] {
        let config = |of: &str, filter: &str| Config {
            name: self.stream_name(of),
            subjects: vec![self.subject(filter)],
            max_messages_per_subject: 1,
            ..Config::default()
        };
        // The second of two messages of one subject is turned away, whoever sends it and however late.
        let first = |config| Config { discard: DiscardPolicy::New, discard_new_per_subject: true, ..config };
        [
            Config { retention: RetentionPolicy::WorkQueue, ..first(config("jobs", "job.>")) },
            first(config("done", "done.>")),
            config("notes", "note.>"),
            config("dead", "dead.>"),
        ]
    }

    /// Makes what is missing of the queue, and makes sure that it is for this engine.
    pub fn prepare(&self, identity: &Identity) -> Result<(), FleetError> {
        for config in self.streams() {
            self.wait(|| self.context.get_or_create_stream(config.clone()))?;
        }
        match self.note("queue")? {
            Some(text) => {
                let theirs: Identity = serde_json::from_slice(&text).map_err(failed)?;
                if theirs == *identity {
                    return Ok(());
                }
                Err(FleetError::Other { theirs: theirs.to_string(), ours: identity.to_string() })
            }
            None => self.put_note("queue", serde_json::to_string(identity).map_err(failed)?),
        }
    }

    fn stream(&self, of: &str) -> Result<Stream, FleetError> {
        let name = self.stream_name(of);
        self.wait(|| self.context.get_stream(&name))
    }

    /// Whether the queue is there.
    pub fn exists(&self) -> Result<bool, FleetError> {
        let name = self.stream_name("jobs");
        self.wait(|| async {
            match self.context.get_stream(&name).await {
                Ok(_) => Ok(true),
                Err(error) if error.to_string().contains("not found") => Ok(false),
                Err(error) => Err(error),
            }
        })
    }

    /// The last message of a subject.
    fn last(&self, of: &str, subject: &str) -> Result<Option<Vec<u8>>, FleetError> {
        let (name, subject) = (self.stream_name(of), self.subject(subject));
        self.wait(|| async {
            let stream = self.context.get_stream_no_info(&name).await.map_err(|e| e.to_string())?;
            match stream.get_last_raw_message_by_subject(&subject).await {
                Ok(message) => Ok(Some(message.payload.to_vec())),
                Err(error) if error.to_string().contains("no message found") => Ok(None),
                Err(error) => Err(error.to_string()),
            }
        })
    }

    pub fn note(&self, name: &str) -> Result<Option<Vec<u8>>, FleetError> {
        self.last("notes", &format!("note.{name}"))
    }

    pub fn put_note(&self, name: &str, text: String) -> Result<(), FleetError> {
        self.publish(&format!("note.{name}"), text).map(drop)
    }

    /// Stores many notes; of several with one name the last stays.
    pub fn put_notes(&self, notes: &[(String, String)]) -> Result<(), FleetError> {
        for part in notes.chunks(AT_ONCE) {
            let put = |(name, text): &(String, String)| {
                publish(&self.context, self.subject(format!("note.{name}")), text.clone())
            };
            self.wait(|| async {
                join_all(part.iter().map(put)).await.into_iter().collect::<Result<Vec<_>, String>>()
            })?;
        }
        Ok(())
    }

    pub fn result(&self, key: &str) -> Result<Option<Vec<u8>>, FleetError> {
        self.last("done", &format!("done.{key}"))
    }

    /// Stores a message; false when one of this subject is there already.
    fn publish(&self, subject: &str, payload: String) -> Result<bool, FleetError> {
        let subject = self.subject(subject);
        self.wait(|| publish(&self.context, subject.clone(), payload.clone()))
    }

    /// Stores a result, once.
    pub fn put_result(&self, key: &str, line: String) -> Result<bool, FleetError> {
        self.publish(&format!("done.{key}"), line)
    }

    pub fn put_dead(&self, key: &str, line: String) -> Result<(), FleetError> {
        self.publish(&format!("dead.{key}"), line).map(drop)
    }

    /// Puts jobs into the queue, each once.
    pub fn put(&self, packets: &[Packet], ack_wait: Duration) -> Result<Vec<Put>, FleetError> {
        let stream = self.stream("jobs")?;
        let combinations: BTreeMap<(&str, usize), ()> = packets.iter().map(|p| ((p.kind, p.class), ())).collect();
        for (kind, class) in combinations.into_keys() {
            let name = format!("{kind}-{class}");
            let config = pull::Config {
                durable_name: Some(name.clone()),
                filter_subject: self.subject(format!("job.{kind}.{class}.>")),
                ack_policy: AckPolicy::Explicit,
                ack_wait,
                // Deliveries are counted by the workers, who know which ones were handed back.
                max_deliver: -1,
                max_ack_pending: 50_000,
                ..pull::Config::default()
            };
            self.wait(|| stream.get_or_create_consumer(&name, config.clone()))?;
        }
        let mut became = Vec::with_capacity(packets.len());
        for part in packets.chunks(AT_ONCE) {
            let put = |packet: &Packet| {
                let done = self.subject(format!("done.{}", packet.key));
                let subject = self.subject(format!("job.{}.{}.{}", packet.kind, packet.class, packet.key));
                let payload = packet.payload.clone();
                let name = self.stream_name("done");
                async move {
                    let stream = self.context.get_stream_no_info(&name).await.map_err(|e| e.to_string())?;
                    match stream.get_last_raw_message_by_subject(&done).await {
                        Ok(_) => return Ok(Put::Done),
                        Err(error) if error.to_string().contains("no message found") => {}
                        Err(error) => return Err(error.to_string()),
                    }
                    let new = publish(&self.context, subject, payload).await?;
                    Ok(if new { Put::New } else { Put::Waiting })
                }
            };
            // What was put when an attempt broke off half way is `Waiting` in the next.
            let put_all =
                || async { join_all(part.iter().map(put)).await.into_iter().collect::<Result<Vec<_>, String>>() };
            became.extend(self.wait(put_all)?);
        }
        Ok(became)
    }

    /// Some messages of a stream from a number on, with their subjects behind the queue's name; none when there are none.
    pub fn read(&self, of: &str, filter: &str, from: u64) -> Result<Vec<(String, Vec<u8>, u64)>, FleetError> {
        let stream = self.stream(of)?;
        let filter = self.subject(filter);
        let cut = self.subject("").len();
        self.wait(|| async {
            let config = pull::Config {
                filter_subject: filter.clone(),
                ack_policy: AckPolicy::None,
                deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from.max(1) },
                inactive_threshold: Duration::from_secs(30),
                ..pull::Config::default()
            };
            let consumer: PullConsumer = stream.create_consumer(config).await.map_err(|e| e.to_string())?;
            let mut all = Vec::new();
            while all.len() < SOME {
                let mut batch = consumer.fetch().max_messages(500).messages().await.map_err(|e| e.to_string())?;
                let mut some = false;
                while let Some(message) = batch.next().await {
                    let message = message.map_err(|e| e.to_string())?;
                    some = true;
                    let sequence = message.info().map_err(|e| e.to_string())?.stream_sequence;
                    let subject = message.subject.get(cut..).unwrap_or_default().to_owned();
                    all.push((subject, message.payload.to_vec(), sequence));
                }
                if !some {
                    break;
                }
            }
            let _ = stream.delete_consumer(&consumer.cached_info().name).await;
            Ok::<_, String>(all)
        })
    }

    /// All of them.
    pub fn read_all(&self, of: &str, filter: &str) -> Result<Vec<(String, Vec<u8>, u64)>, FleetError> {
        let (mut all, mut from) = (vec![], 0);
        loop {
            let some = self.read(of, filter, from)?;
            let Some((_, _, last)) = some.last() else { return Ok(all) };
            from = last + 1;
            all.extend(some);
        }
    }

    /// The number of the last message of a stream.
    pub fn last_number(&self, of: &str) -> Result<u64, FleetError> {
        Ok(self.stream(of)?.cached_info().state.last_sequence)
    }

    /// How many messages a stream holds.
    pub fn count(&self, of: &str) -> Result<u64, FleetError> {
        Ok(self.stream(of)?.cached_info().state.messages)
    }

    pub fn delete(&self, of: &str, sequence: u64) -> Result<(), FleetError> {
        let stream = self.stream(of)?;
        self.wait(|| stream.delete_message(sequence)).map(drop)
    }

    pub fn remove(&self) -> Result<(), FleetError> {
        for config in self.streams() {
            self.wait(|| self.context.delete_stream(&config.name))?;
        }
        Ok(())
    }

    /// What can be taken from the queue, by kind and class.
    pub fn shelves(&self) -> Result<Vec<Shelf>, FleetError> {
        let stream = self.stream("jobs")?;
        let consumers = self.wait(|| async {
            let mut all = Vec::new();
            let mut consumers = stream.consumers();
            while let Some(info) = consumers.next().await {
                all.push(info.map_err(|e| e.to_string())?);
            }
            Ok::<_, String>(all)
        })?;
        let mut shelves = Vec::new();
        for info in consumers {
            let Some((kind, class)) = info.name.rsplit_once('-') else { continue };
            let Ok(class) = class.parse() else { continue };
            let (kind, name) = (kind.to_owned(), info.name.clone());
            let consumer = self.wait(|| stream.get_consumer::<pull::Config>(&name))?;
            let (waiting, handed_out) = (info.num_pending, info.num_ack_pending as u64);
            shelves.push(Shelf { kind, class, waiting, handed_out, ack_wait: info.config.ack_wait, consumer });
        }
        Ok(shelves)
    }

    /// Up to so many jobs that wait; none if the server does not answer.
    pub fn take(&self, shelf: &Shelf, count: usize) -> Vec<Message> {
        // Outside of what may be broken off: a message that came and was dropped would be missing until its time is over.
        let mut all = Vec::new();
        let fetch = async {
            let Ok(mut batch) = shelf.consumer.fetch().max_messages(count).messages().await else { return };
            while let Some(Ok(message)) = batch.next().await {
                all.push(message);
            }
        };
        if self.runtime.block_on(async { timeout(PATIENCE, fetch).await }).is_err() {
            log::warn!("the server was slow to hand out jobs: {} came", all.len());
        }
        all
    }

    /// Says something about a job to the server. If that is not heard, the job is delivered again.
    pub fn tell(&self, message: &Message, what: jetstream::AckKind) {
        let last = !matches!(what, jetstream::AckKind::Progress);
        let said = async {
            match last {
                true => message.double_ack_with(what).await,
                false => message.ack_with(what).await,
            }
        };
        match self.runtime.block_on(async { timeout(PATIENCE, said).await }) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => log::warn!("the server did not hear about a job: {error}"),
            Err(_) => log::warn!("the server did not hear about a job"),
        }
    }
}

/// Jobs of one kind and class.
pub struct Shelf {
    pub kind: String,
    pub class: usize,
    pub waiting: u64,
    /// Delivered and not acknowledged.
    pub handed_out: u64,
    pub ack_wait: Duration,
    consumer: PullConsumer,
}

/// False when the subject has a message already.
async fn publish(context: &Context, subject: String, payload: String) -> Result<bool, String> {
    let sent = context.publish(subject, payload.into()).await.map_err(|e| e.to_string())?;
    match sent.await {
        Ok(_) => Ok(true),
        Err(error) if is_taken(error.kind(), &error.to_string()) => Ok(false),
        Err(error) => Err(error.to_string()),
    }
}

fn is_taken(_kind: PublishErrorKind, text: &str) -> bool {
    text.contains("maximum messages per subject exceeded")
}

/// A server without what may be secret.
fn shown(server: &str) -> String {
    match server.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?.1))) {
        Some((scheme, host)) => format!("{scheme}://{host}"),
        None => server.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_a_server_and_a_queue() {
        assert_eq!(split("nats://h:1/q").unwrap(), ("nats://h:1".into(), "q".into()));
        assert_eq!(split("tls://u:p@h/a-b_1").unwrap().1, "a-b_1");
        for bad in ["", "h/q", "http://h/q", "nats://h", "nats://h/", "nats:///q", "nats://h/a.b", "nats://h/a/b"] {
            assert!(split(bad).is_err(), "{bad}");
        }
        assert_eq!(shown("nats://me:secret@host:4222"), "nats://host:4222");
    }

    #[test]
    fn classes_go_from_cheap_to_dear() {
        assert_eq!([1.0, 2e6, 1e8, 1e12].map(class), [0, 1, 2, 3]);
    }
}
