//! JSON lines, for programs: one request object a line in, one or more answer objects a line out, each with the
//! request's `id`. `JSON.md` beside this file describes it for those who use it.

mod answer;
mod request;

use super::{Command, Id, Line, Output, Protocol, Reply, Request, SessionSettings, console::Console, tables::excerpt};
use crate::engine::{Answer, CommandError, CommandErrorKind, Engine, Job, Progress, Query, command::Table};
use answer::Message;
use request::{BAD_LINE, Pace};
use std::{collections::VecDeque, time::Instant};

#[derive(Debug, Default)]
pub struct JsonLines {
    /// Looks at the game for the console's words.
    console: Console,
    /// The pace of every piece of work asked for and not yet answered; work is answered in its order.
    paces: VecDeque<Pace>,
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
        let (request, pace) = request::read(&line.text, own);
        if is_work(&request) {
            self.paces.push_back(pace);
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
        self.console.look(request, args, engine)
    }

    fn shows_result(&self, request: &Request) -> bool {
        self.console.shows_result(request)
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        if is_work(request) {
            self.paces.pop_front();
            self.told = None;
        }
        let message = Message::reply(&request.id, &named_as_asked(request, reply), self.session_settings.language());
        out.out.push_str(&message.line());
        out.out.push('\n');
    }

    fn adopt(&mut self, session_settings: &SessionSettings) {
        self.session_settings = session_settings.clone();
        self.console.adopt(session_settings);
    }

    fn progress(&mut self, running: &Request, news: &Progress, out: &mut Output) {
        let Some(Pace(Some(interval))) = self.paces.front() else { return };
        let now = Instant::now();
        if is_work(running) && self.told.is_none_or(|told| now.duration_since(told) >= *interval) {
            self.told = Some(now);
            out.out.push_str(&Message::progress(&running.id, news).line());
            out.out.push('\n');
        }
    }
}

/// Reads a line that has to be a question.
pub(crate) fn read_question(line: &str, own: Table) -> Answer<Query> {
    match request::read(line, own).0.command? {
        Command::Work(Job::Query(query)) => Ok(query),
        _ => Err(CommandError::new(CommandErrorKind::Unsupported, "only questions are taken here, no commands")),
    }
}

/// The answer to a question as one line.
pub(crate) fn answer_question(id: &Id, reply: &Reply, session_settings: &SessionSettings) -> String {
    let asked = Request::new(request::QUESTION, Command::Nothing);
    Message::reply(id, &named_as_asked(&asked, reply), session_settings.language()).line()
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
