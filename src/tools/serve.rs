//! Questions of a pipe answered several at a time: `json --jobs N` and `standalone --jobs N`.
//!
//! Each question has a number. Its answer goes out as soon as it is there, or, where order is asked for, after those of
//! all questions with smaller numbers.

use super::pool::{self, Event, Job, Pool, Reader, Recipe, job::Kinds};
use crate::{
    backlog::Backlog,
    base::signals::Signal,
    engine::{Answer, CommandError, CommandErrorKind},
    protocol::{
        Command, Id, Line, Output, Protocol, Reply, Request, SessionSettings, Target,
        json::{self, JsonLines},
        standalone::StandAlone,
    },
    status::Status,
};
use crossbeam_channel::{Receiver, never, select_biased};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    io::{self, Write},
    sync::Arc,
    time::Instant,
};

/// More questions than this, or so many bytes of them, wait unread.
const LONGEST: usize = 100_000;
const LARGEST: usize = 64 << 20;
/// When so many answers wait for one before them, nothing else is begun.
const MOST_HELD: usize = 10_000;

/// What is spoken.
pub enum Tongue {
    Json,
    StandAlone(StandAlone),
}

impl Tongue {
    pub fn json() -> Tongue {
        Tongue::Json
    }

    pub fn stand_alone() -> Tongue {
        Tongue::StandAlone(StandAlone::default())
    }
}

/// How to serve.
pub struct Service {
    pub tongue: Tongue,
    pub jobs: usize,
    /// Every answer waits for those before it.
    pub ordered: bool,
    pub kinds: Kinds,
    pub session_settings: SessionSettings,
    pub status: bool,
}

/// How it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Served {
    pub refused: u64,
    pub signal: Option<Signal>,
}

/// A question that waits or is being answered.
struct Open {
    request: Request,
    job: Arc<Job>,
    ordered: bool,
    size: usize,
    told: Option<Instant>,
}

struct Server<'a> {
    tongue: Tongue,
    ordered: bool,
    session_settings: SessionSettings,
    reader: Reader<'a>,
    pool: Pool,
    /// By priority, the highest first, and number.
    waiting: BTreeMap<(i64, u64), Open>,
    bytes: usize,
    /// Told to stop before they began: they come first and are answered in haste.
    hurried: VecDeque<(u64, Open)>,
    running: HashMap<u64, Open>,
    backlog: Backlog,
    numbers: u64,
    /// Not answered yet.
    unanswered: BTreeSet<u64>,
    /// Answers that wait for others.
    held: BTreeMap<u64, String>,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    status: Option<Status>,
    refused: u64,
    /// The request that ends all, answered last.
    leaving: Option<Request>,
}

/// Answers all questions of the input.
pub fn run(
    service: Service,
    recipe: Recipe,
    lines: &Receiver<Line>,
    signals: &Receiver<Signal>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Answer<io::Result<Served>> {
    let engine = recipe.engine()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (count, shares) = pool::shared_out(Some(service.jobs), &recipe.options, engine.as_ref(), cores);
    let options = [recipe.options, shares].concat();
    let reader = Reader::new(engine.as_ref(), service.kinds)
        .with_shares(&options)
        .with_settings(service.session_settings.clone());
    let mut tongue = service.tongue;
    if let Tongue::StandAlone(tongue) = &mut tongue {
        tongue.adopt(&service.session_settings);
    }
    let server = Server {
        tongue,
        ordered: service.ordered,
        session_settings: service.session_settings,
        reader,
        pool: Pool::new(count, &Recipe { options, ..recipe }),
        waiting: BTreeMap::new(),
        bytes: 0,
        hurried: VecDeque::new(),
        running: HashMap::new(),
        backlog: Backlog::default(),
        numbers: 0,
        unanswered: BTreeSet::new(),
        held: BTreeMap::new(),
        out,
        err,
        status: service.status.then(Status::begin),
        refused: 0,
        leaving: None,
    };
    Ok(server.serve(lines, signals))
}

impl Server<'_> {
    fn serve(mut self, lines: &Receiver<Line>, signals: &Receiver<Signal>) -> io::Result<Served> {
        let (mut open, mut signal, mut interrupted) = (true, None, false);
        loop {
            self.begin_all();
            let idle = self.running.is_empty();
            if idle && (signal.is_some() || self.leaving.is_some() || (!open && self.unanswered.is_empty())) {
                break;
            }
            let hears = open && self.leaving.is_none() && signal.is_none();
            let lines_now = if hears { lines.clone() } else { never() };
            let events = self.pool.events.clone();
            select_biased! {
                recv(signals) -> came => match came.unwrap_or(Signal::Terminate) {
                    // As in a session: the first interrupt stops what runs, a second one ends it all.
                    Signal::Interrupt if !interrupted && !idle => {
                        interrupted = true;
                        self.pool.stop_all();
                    }
                    came => {
                        signal = Some(came);
                        self.pool.stop_all();
                    }
                },
                recv(events) -> event => if let Ok(event) = event { self.hear(event)? },
                recv(lines_now) -> line => match line {
                    Ok(line) => self.line(line)?,
                    Err(_) => {
                        open = false;
                        if self.backlog.is_empty() {
                            self.finish()?;
                        }
                    }
                },
            }
            while signal.is_none()
                && self.has_place()
                && let Some(line) = self.backlog.pop()?
            {
                self.look_at(&line)?;
                if !open && self.backlog.is_empty() {
                    self.finish()?;
                }
            }
        }
        if let Some(request) = self.leaving.take() {
            let line = json::answer_question(&request.id, &Reply::Bye, &[], &self.session_settings);
            self.write(&line)?;
        }
        self.tell_status(0, true);
        Ok(Served { refused: self.refused, signal })
    }

    fn has_place(&self) -> bool {
        self.waiting.len() < LONGEST && self.bytes < LARGEST
    }

    /// What is taken from the backlog later may end all that comes before it.
    fn line(&mut self, line: Line) -> io::Result<()> {
        if self.backlog.is_empty() && self.has_place() {
            return self.look_at(&line);
        }
        let ends = match &self.tongue {
            Tongue::Json => JsonLines::default().ends_all(&line),
            Tongue::StandAlone(_) => false,
        };
        if ends {
            self.stop(&Target::All);
        }
        self.backlog.push(line)
    }

    fn look_at(&mut self, line: &Line) -> io::Result<()> {
        if self.leaving.is_some() {
            return Ok(());
        }
        log::info!("in  #{} {}", self.numbers + 1, line.text);
        match &mut self.tongue {
            Tongue::Json if line.cut => {
                let message = format!("the line is longer than {} bytes", Line::LONGEST);
                self.answer_now(&Id::None, CommandError::new(CommandErrorKind::Syntax, message))
            }
            Tongue::Json => self.json(line),
            Tongue::StandAlone(tongue) => match tongue.parse(line, self.reader.engine.commands()) {
                Some(request) => self.board(request),
                None => Ok(()),
            },
        }
    }

    /// The end of the input: a board that was begun is no board.
    fn finish(&mut self) -> io::Result<()> {
        match &mut self.tongue {
            Tongue::StandAlone(tongue) => match tongue.finish() {
                Some(request) => self.board(request),
                None => Ok(()),
            },
            Tongue::Json => Ok(()),
        }
    }

    fn json(&mut self, line: &Line) -> io::Result<()> {
        let text = line.text.trim();
        if text.is_empty() {
            return Ok(());
        }
        let has = |name: &str| text.contains(name);
        let special = ["\"stop\"", "\"command\"", "\"version\"", "\"capabilities\""].into_iter().any(has);
        if special {
            let (request, _) = json::read_line(text, self.reader.engine.commands());
            let kinds: Vec<(&str, &str)> = self.reader.kinds.iter().map(|row| (row.name, row.help)).collect();
            if let Some(line) = json::answer_about(&request, self.reader.engine, self.pool.size(), &kinds) {
                return self.write(&line);
            }
            match &request.command {
                Ok(Command::Stop(target)) => {
                    let target = target.clone();
                    self.stop(&target);
                    let line = json::answer_question(&request.id, &Reply::Done(vec![]), &[], &self.session_settings);
                    return self.write(&line);
                }
                Ok(Command::Quit | Command::Leave { .. }) => {
                    self.stop(&Target::All);
                    self.leaving = Some(request);
                    return Ok(());
                }
                Ok(Command::Work(_)) => {}
                Ok(_) => {
                    let message = "there is no game here to give commands to: start without --jobs for one";
                    let refusal = CommandError::new(CommandErrorKind::Unsupported, message).in_field("command");
                    return self.answer_now(&request.id, refusal);
                }
                Err(refusal) => return self.answer_now(&request.id, refusal.clone()),
            }
        }
        let (id, job) = self.reader.read(text);
        let id = id.map_or(Id::None, |id: Value| Id::Json(id.to_string()));
        match job {
            Ok(job) => {
                let request = Request { id, ..Request::new("question", Command::Nothing) };
                self.put_in_line(request, job, text.len());
                Ok(())
            }
            Err(refusal) => self.answer_now(&id, refusal),
        }
    }

    fn board(&mut self, request: Request) -> io::Result<()> {
        match &request.command {
            Ok(Command::Work(crate::engine::Job::Query(query))) => {
                let job = self.reader.query(query.clone());
                self.put_in_line(request, job, 128);
                Ok(())
            }
            Ok(Command::Quit) => {
                self.stop(&Target::All);
                self.leaving = Some(request);
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(refusal) => {
                let refusal = refusal.clone();
                self.refused += 1;
                let number = self.number();
                let line = self.rendered(&request, &Reply::Refused(refusal));
                self.answered(number, true, line)
            }
        }
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.unanswered.insert(self.numbers);
        self.numbers
    }

    fn put_in_line(&mut self, request: Request, job: Job, size: usize) {
        let number = self.number();
        let ordered = self.ordered || job.manner.ordered || matches!(self.tongue, Tongue::StandAlone(_));
        let key = (job.manner.priority.saturating_neg(), number);
        self.bytes += size;
        self.waiting.insert(key, Open { request, job: job.into(), ordered, size, told: None });
    }

    /// A request that is refused has its place in the order of those that are not.
    fn answer_now(&mut self, id: &Id, refusal: CommandError) -> io::Result<()> {
        self.refused += 1;
        let number = self.number();
        let line = json::answer_question(id, &Reply::Refused(refusal), &[], &self.session_settings);
        self.answered(number, self.ordered, line)
    }

    /// Fills the free places.
    fn begin_all(&mut self) {
        while self.pool.has_room() {
            let next = match self.hurried.pop_front() {
                Some((number, open)) => Some((number, open, true)),
                None => self.next().map(|(number, open)| (number, open, false)),
            };
            let Some((number, open, hurried)) = next else { break };
            self.bytes -= open.size;
            self.pool.begin(number, open.job.clone(), open.job.manner.pace.is_some());
            if hurried {
                self.pool.stop(number);
            }
            self.running.insert(number, open);
        }
    }

    fn next(&mut self) -> Option<(u64, Open)> {
        let key = match self.held.len() {
            few if few < MOST_HELD => self.waiting.keys().next().copied(),
            // Everything waits for the first.
            _ => {
                let first = self.unanswered.first().copied()?;
                self.waiting.keys().find(|(_, number)| *number == first).copied()
            }
        };
        let key = key?;
        self.waiting.remove(&key).map(|open| (key.1, open))
    }

    fn stop(&mut self, target: &Target) {
        let hit = |open: &Open| match target {
            Target::All => true,
            Target::Id(id) => open.request.id == *id,
        };
        self.running.iter().filter(|(_, open)| hit(open)).for_each(|(number, _)| _ = self.pool.stop(*number));
        let keys: Vec<(i64, u64)> = self.waiting.iter().filter(|(_, open)| hit(open)).map(|(key, _)| *key).collect();
        for key in keys {
            self.hurried.extend(self.waiting.remove(&key).map(|open| (key.1, open)));
        }
    }

    fn hear(&mut self, event: Event) -> io::Result<()> {
        match self.pool.heard(event) {
            Event::News(number, news) => {
                let Some(open) = self.running.get_mut(&number) else { return Ok(()) };
                let now = Instant::now();
                let pace = open.job.manner.pace.unwrap_or_default();
                if open.told.is_some_and(|told| now.duration_since(told) < pace) {
                    return Ok(());
                }
                open.told = Some(now);
                let line = json::progress_of_question(&open.request.id, &news);
                self.write(&line)
            }
            Event::Done(done) => {
                let Some(open) = self.running.remove(&done.ticket) else { return Ok(()) };
                self.refused += u64::from(done.found.is_err());
                let line = match &self.tongue {
                    Tongue::Json => open.job.answer(&open.request.id, &done.found),
                    Tongue::StandAlone(_) => self.rendered(&open.request, &pool::job::reply(&done.found)),
                };
                self.answered(done.ticket, open.ordered, line)
            }
        }
    }

    fn rendered(&mut self, request: &Request, reply: &Reply) -> String {
        let mut output = Output::default();
        if let Tongue::StandAlone(tongue) = &mut self.tongue {
            tongue.render(request, reply, &mut output);
        }
        output.out.trim_end_matches('\n').to_owned()
    }

    /// An answer goes out, or waits for those before it; others may have waited for it.
    fn answered(&mut self, number: u64, ordered: bool, line: String) -> io::Result<()> {
        self.unanswered.remove(&number);
        self.held.insert(number, line);
        if !ordered && let Some(line) = self.held.remove(&number) {
            self.write(&line)?;
        }
        while let Some((&first, _)) = self.held.first_key_value() {
            if self.unanswered.first().is_some_and(|open| *open < first) {
                break;
            }
            let line = self.held.remove(&first).unwrap_or_default();
            self.write(&line)?;
        }
        self.tell_status(1, false);
        Ok(())
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        log::info!("out {line}");
        self.out.write_all(format!("{line}\n").as_bytes())?;
        self.out.flush()
    }

    fn tell_status(&mut self, answers: u64, end: bool) {
        if let Some(line) = self.status.as_mut().and_then(|status| status.count(answers, end)) {
            // Nobody has to read it.
            let _ = self.err.write_all(line.as_bytes()).and_then(|()| self.err.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engine::Engine, othello::OthelloEngine, tools::kinds::KINDS};
    use crossbeam_channel::unbounded;

    fn recipe() -> Recipe {
        let make = |options: &[(&'static str, String)]| {
            let mut engine = OthelloEngine::new();
            for (name, value) in [("book", "none"), ("level", "1")] {
                engine.set(name, value)?;
            }
            options.iter().try_for_each(|(name, value)| engine.set(name, value))?;
            Ok(Box::new(engine) as Box<dyn Engine>)
        };
        Recipe { make: Arc::new(make), options: vec![("hash", "14".into())] }
    }

    fn served(tongue: Tongue, ordered: bool, input: &[&str]) -> (Vec<String>, Served) {
        let (send, lines) = unbounded();
        input.iter().for_each(|line| send.send(Line::new(*line)).unwrap());
        drop(send);
        let (mut out, mut err) = (vec![], vec![]);
        let session_settings = SessionSettings::default();
        let service = Service { tongue, jobs: 2, ordered, kinds: KINDS, session_settings, status: false };
        let served = run(service, recipe(), &lines, &never(), &mut out, &mut err).unwrap().unwrap();
        (String::from_utf8(out).unwrap().lines().map(String::from).collect(), served)
    }

    fn ids(lines: &[String]) -> Vec<String> {
        lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].to_string()).collect()
    }

    /// Long enough for what stands behind it to be answered first.
    const LONG: &str = r#"{"id":"long","position":"start","depth":14,"time":30}"#;

    #[test]
    fn answers_come_as_they_are_done_or_in_order() {
        let input = [LONG, r#"{"id":1}"#, "", r#"{"id":2,"moves":"f5"}"#, r#"{"id":3,"levle":1}"#, r#"{"id":4}"#];
        let (lines, served) = served(Tongue::json(), false, &input);
        let mut came = ids(&lines);
        assert_eq!(came.last().unwrap(), "\"long\"", "{lines:#?}");
        came.sort();
        assert_eq!((came, served.refused), (["\"long\"", "1", "2", "3", "4"].map(String::from).into(), 1));
        let (lines, _) = super::tests::served(Tongue::json(), true, &input);
        assert_eq!(ids(&lines), ["\"long\"", "1", "2", "3", "4"]);
        let asked = [LONG, r#"{"id":1,"ordered":true}"#, r#"{"id":2}"#];
        assert_eq!(ids(&super::tests::served(Tongue::json(), false, &asked).0), ["2", "\"long\"", "1"]);
    }

    #[test]
    fn a_stop_ends_what_runs_and_what_waits() {
        let endless = r#"{"id":"x","level":60}"#;
        let (lines, _) = served(Tongue::json(), false, &[endless, endless, endless, r#"{"id":"s","stop":"x"}"#]);
        assert_eq!(ids(&lines), ["\"s\"", "\"x\"", "\"x\"", "\"x\""]);
        assert!(lines[1..].iter().all(|line| line.contains("\"complete\":false")), "{lines:#?}");
        let quit = r#"{"id":"q","command":"quit"}"#;
        let (lines, _) = served(Tongue::json(), false, &[endless, endless, endless, quit, endless]);
        assert_eq!(ids(&lines), ["\"x\"", "\"x\"", "\"x\"", "\"q\""]);
    }

    #[test]
    fn what_is_urgent_comes_first() {
        // Both places are taken until all questions are there.
        let mut input = ["a", "b"].map(|id| format!(r#"{{"id":"{id}","level":60}}"#)).to_vec();
        input.extend((0..6).map(|n| format!(r#"{{"id":{n},"level":2,"priority":{n}}}"#)));
        input.extend(["a", "b"].map(|id| format!(r#"{{"id":"stop {id}","stop":"{id}"}}"#)));
        let input: Vec<&str> = input.iter().map(String::as_str).collect();
        let (lines, _) = served(Tongue::json(), false, &input);
        let place = |id: &str| ids(&lines).iter().position(|other| other == id).unwrap();
        assert!(place("5") < place("1") && place("4") < place("0"), "{lines:#?}");
    }

    #[test]
    fn it_says_what_it_is_and_what_has_no_effect() {
        let input = [
            r#"{"id":1,"version":true}"#,
            r#"{"id":2,"capabilities":true}"#,
            r#"{"id":3,"level":2,"depth":1,"hash":20}"#,
            r#"{"id":4,"command":"play f5"}"#,
            r#"{"id":5,"wld":true,"position":"-XO------------------------------------------------------------- X"}"#,
        ];
        let (mut lines, _) = served(Tongue::json(), true, &input);
        lines.sort();
        assert!(lines[0].contains("\"program\":\"Shirokuro\""), "{lines:#?}");
        assert!(lines[1].contains("\"jobs\":2") && lines[1].contains("\"analyze\""));
        let said: Value = serde_json::from_str(&lines[2]).unwrap();
        assert_eq!(said["warnings"][0]["field"], "level");
        assert_eq!(said["warnings"][1]["message"], "14 is the share of one question here");
        assert!(lines[3].contains("\"code\":\"unsupported\",\"field\":\"command\""));
        assert!(lines[4].starts_with("{\"id\":5,\"type\":\"answer\""), "{}", lines[4]);
    }

    #[test]
    fn boards_are_answered_in_their_order() {
        let board =
            ["0", "........", "........", "........", "...10...", "...000..", "........", "........", "........"];
        let board = board.map(|line| if line == "0" { "1" } else { line });
        let input = [&board[..], &["1", "...x"], &board[..], &["quit"]].concat();
        let (lines, served) = served(Tongue::stand_alone(), false, &input);
        assert_eq!(lines.len(), 4, "{lines:#?}");
        assert!(lines[1].starts_with("error: row 1, column 4") && lines[0] == lines[2], "{lines:#?}");
        assert_eq!(served.refused, 1);
    }
}
