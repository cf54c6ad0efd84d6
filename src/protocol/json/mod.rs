//! JSON lines, for programs: one request object a line in, one or more answer objects a line out, each with the
//! request's `id`. `JSON.md` beside this file describes it for those who use it.

mod answer;
mod request;

use super::{Command, Id, Line, Output, Protocol, Reply, Request, SessionSettings, console::Console, tables::excerpt};
use crate::{
    engine::{Answer, CommandError, CommandErrorKind, Engine, Game, Job, Progress, Query, command::Table},
    othello::Weights,
};
use answer::Message;
use request::BAD_LINE;
pub(crate) use request::{Manner, Warning};
use serde_json::{Map, Value, json};
use std::{collections::VecDeque, time::Instant};

#[derive(Debug, Default)]
pub struct JsonLines {
    /// Looks at the game for the console's words.
    console: Console,
    /// How every piece of work asked for and not yet answered wants its answer; work is answered in its order.
    manners: VecDeque<Manner>,
    /// When the running work was last told about.
    told: Option<Instant>,
    session_settings: SessionSettings,
}

/// Work has news to tell; what takes no time has none.
fn is_work(request: &Request) -> bool {
    match &request.command {
        // Nobody asked for it, so nobody is told.
        Ok(Command::Work(job)) => !job.unasked(),
        Ok(_) | Err(_) => false,
    }
}

impl Protocol for JsonLines {
    fn parse(&mut self, line: &Line, own: Table) -> Option<Request> {
        if line.cut {
            let refusal =
                CommandError::new(CommandErrorKind::Syntax, format!("the line is longer than {} bytes", Line::LONGEST));
            return Some(Request { command: Err(refusal), ..Request::new(BAD_LINE, Command::Nothing) });
        }
        if line.text.trim().is_empty() {
            return None;
        }
        let (request, mut manner) = request::read(&line.text, own);
        if is_work(&request) {
            if manner.priority != 0 {
                let message = "without --jobs questions are answered in their order";
                manner.warnings.push(Warning::new("priority", message));
            }
            self.manners.push_back(manner);
        }
        Some(request)
    }

    fn ends_all(&self, line: &Line) -> bool {
        // Few lines are worth a closer look.
        let close = ["stop", "quit", "exit"].iter().any(|word| line.text.contains(word));
        let read = || serde_json::from_str::<serde_json::Value>(&line.text).ok();
        close && read().is_some_and(|request| request["stop"] == true || request["command"] == "quit")
    }

    fn interrupts(&self, new: &Request, running: &Request) -> bool {
        matches!(new.command, Ok(Command::Quit)) || (running.job().is_some_and(Job::endless) && is_work(new))
    }

    fn answers_stop_at_once(&self) -> bool {
        true
    }

    fn look(&mut self, request: &Request, args: &str, engine: &dyn Engine) -> Answer<Reply> {
        match request.word {
            request::VERSION => Ok(Reply::Text(Value::Object(version()).to_string())),
            request::CAPABILITIES => Ok(Reply::Text(Value::Object(capabilities(engine, 1, &[])).to_string())),
            _ => self.console.look(request, args, engine),
        }
    }

    fn shows_result(&self, request: &Request) -> bool {
        self.console.shows_result(request)
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        let mut warnings = vec![];
        if is_work(request) {
            warnings = self.manners.pop_front().unwrap_or_default().warnings;
            self.told = None;
        }
        let language = self.session_settings.language();
        let about = [request::VERSION, request::CAPABILITIES].contains(&request.word);
        let message = match reply {
            Reply::Text(text) if about && request.command == Ok(Command::Look(String::new())) => {
                Message::fields(&request.id, serde_json::from_str(text).unwrap_or_default())
            }
            reply => Message::reply(&request.id, &named_as_asked(request, reply), language),
        };
        let message = message.with_warnings(&warnings, language);
        out.out.push_str(&message.line());
        out.out.push('\n');
    }

    fn adopt(&mut self, session_settings: &SessionSettings) {
        self.session_settings = session_settings.clone();
        self.console.adopt(session_settings);
    }

    fn progress(&mut self, running: &Request, news: &Progress, out: &mut Output) {
        let Some(Manner { pace: Some(interval), .. }) = self.manners.front() else { return };
        let now = Instant::now();
        if is_work(running) && self.told.is_none_or(|told| now.duration_since(told) >= *interval) {
            self.told = Some(now);
            out.out.push_str(&Message::progress(&running.id, news).line());
            out.out.push('\n');
        }
    }
}

/// Which program this is.
fn version() -> Map<String, Value> {
    let commit = option_env!("SHIROKURO_COMMIT");
    let weights = format!("{:08x}", Weights::builtin_fingerprint());
    let fields =
        json!({ "program": "Shirokuro", "version": env!("CARGO_PKG_VERSION"), "commit": commit, "weights": weights });
    fields.as_object().cloned().unwrap_or_default()
}

/// What it can be asked, so many questions at a time.
fn capabilities(engine: &dyn Engine, jobs: usize, kinds: &[(&str, &str)]) -> Map<String, Value> {
    let options: Vec<&str> = engine.settings().iter().map(|row| row.name).collect();
    let games = Game::ALL.map(Game::name);
    let fields = json!({
        "protocol": 1, "games": games, "game": engine.game().name(), "jobs": jobs, "fields": request::FIELDS,
        "options": options, "commands": kinds.is_empty(),
    });
    let mut fields = fields.as_object().cloned().unwrap_or_default();
    if !kinds.is_empty() {
        let kinds = kinds.iter().map(|(name, about)| ((*name).to_owned(), Value::from(*about)));
        fields.insert("kinds".into(), Value::Object(kinds.collect()));
    }
    fields
}

/// Any line, and how it wants to be answered.
pub(crate) fn read_line(line: &str, own: Table) -> (Request, Manner) {
    request::read(line, own)
}

/// A question by its fields.
pub(crate) fn read_question(mut fields: Map<String, Value>, own: Table) -> Answer<(Query, Manner)> {
    fields.remove("id");
    if ["stop", "command", "version", "capabilities"].iter().any(|name| fields.contains_key(*name)) {
        return Err(CommandError::new(CommandErrorKind::Unsupported, "only questions are taken here, no commands"));
    }
    request::question(fields, own)
}

/// The answer to a question as one line.
pub(crate) fn answer_question(
    id: &Id,
    reply: &Reply,
    warnings: &[Warning],
    session_settings: &SessionSettings,
) -> String {
    let asked = Request::new(request::QUESTION, Command::Nothing);
    let message = Message::reply(id, &named_as_asked(&asked, reply), session_settings.language());
    message.with_warnings(warnings, session_settings.language()).line()
}

/// An answer whose fields are ready.
pub(crate) fn answer_fields(id: &Id, fields: Map<String, Value>) -> String {
    Message::fields(id, fields).line()
}

/// The answer to what asks about the program; `None` for other requests.
pub(crate) fn answer_about(
    request: &Request,
    engine: &dyn Engine,
    jobs: usize,
    kinds: &[(&str, &str)],
) -> Option<String> {
    match request.word {
        request::VERSION => Some(answer_fields(&request.id, version())),
        request::CAPABILITIES => Some(answer_fields(&request.id, capabilities(engine, jobs, kinds))),
        _ => None,
    }
}

/// What is heard of a question on the way.
pub(crate) fn progress_of_question(id: &Id, news: &Progress) -> String {
    Message::progress(id, news).line()
}

/// A refusal names the field as it was written in the request.
fn named_as_asked(request: &Request, reply: &Reply) -> Reply {
    let Reply::Refused(refusal) = reply else { return reply.clone() };
    let mut refusal = refusal.clone();
    match (request.word, &mut refusal.field) {
        (request::QUESTION, Some(field)) => {
            if field == request::TIME.1 {
                *field = request::TIME.0.to_owned();
            }
            if refusal.kind == CommandErrorKind::Unsupported {
                refusal.message = format!("there is no field or option `{}`", excerpt(field));
            }
        }
        (request::QUESTION | BAD_LINE, _) => {}
        (_, field) => drop(field.get_or_insert_with(|| "command".into())),
    }
    Reply::Refused(refusal)
}
