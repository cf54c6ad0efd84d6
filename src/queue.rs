//! Requests that wait for the engine, in order, and who of them is to be answered in haste.

use crate::{
    engine::Job,
    protocol::{Command, Id, Request},
};
use std::collections::{HashMap, VecDeque};

/// More than this waits unread.
const LONGEST: usize = 100_000;
/// So many bytes of waiting lines, likewise.
const LARGEST: usize = 64 << 20;

/// A request in the queue.
pub struct Waiting {
    pub request: Request,
    /// Counts the requests: what the log calls them.
    pub number: u64,
    /// Counts the lines: what came before a stop is answered in haste.
    pub line: u64,
    /// The length of its line.
    size: usize,
    /// The result it shows has been judged, or that was stopped.
    pub judged: bool,
}

#[derive(Default)]
pub struct Queue {
    waiting: VecDeque<Waiting>,
    /// The size of the lines that wait.
    bytes: usize,
    /// Requests so far.
    requests: u64,
    /// Lines taken from the input, and lines looked at: the others are in the backlog.
    heard: u64,
    looked_at: u64,
    /// Requests of lines up to this one are answered in haste.
    hurried: u64,
    /// The same, but for what outlasts `quit`.
    left: u64,
    /// The same for requests with these ids.
    stopped: HashMap<Id, u64>,
    /// Waiting requests that end what was asked before.
    endings: usize,
}

impl Queue {
    pub fn has_room(&self) -> bool {
        self.waiting.len() < LONGEST && self.bytes < LARGEST
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// A request that takes no place in the queue; its number.
    pub fn count(&mut self) -> u64 {
        self.requests += 1;
        self.requests
    }

    pub fn heard(&self) -> u64 {
        self.heard
    }

    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// A line was taken from the input.
    pub fn hear(&mut self) {
        self.heard += 1;
    }

    /// The next of the lines that were heard is looked at.
    pub fn look(&mut self) {
        self.looked_at += 1;
    }

    /// A request of the line that was looked at last.
    pub fn push(&mut self, request: Request, size: usize) {
        self.bytes += size;
        self.endings += usize::from(is_ending(&request));
        let (number, line) = (self.count(), self.looked_at);
        self.waiting.push_back(Waiting { request, number, line, size, judged: false });
    }

    pub fn pop(&mut self) -> Option<Waiting> {
        let next = self.waiting.pop_front();
        match &next {
            Some(next) => {
                self.bytes -= next.size;
                self.endings -= usize::from(is_ending(&next.request));
            }
            None => self.stopped.clear(),
        }
        next
    }

    pub fn iter(&self) -> impl Iterator<Item = &Request> {
        self.waiting.iter().map(|waiting| &waiting.request)
    }

    /// Somebody has asked to end what was asked before.
    pub fn is_ending(&self) -> bool {
        self.endings > 0
    }

    /// A request of the session's own, before all that waits.
    pub fn ahead(&mut self, request: Request) -> Waiting {
        let line = self.waiting.front().map_or(self.looked_at + 1, |waiting| waiting.line);
        Waiting { request, number: self.count(), line, size: 0, judged: true }
    }

    /// The judgement that the first request waits for, once, if it is such a request.
    pub fn judgement(&mut self, shows_result: impl FnOnce(&Request) -> bool) -> Option<Waiting> {
        let first = self.waiting.front_mut().filter(|first| !first.judged && shows_result(&first.request))?;
        first.judged = true;
        let request = Request::new("judge", Command::Work(Job::Judge));
        Some(Waiting { request, number: first.number, line: first.line, size: 0, judged: true })
    }

    /// What was asked up to this line is answered in haste.
    pub fn hurry(&mut self, line: u64) {
        self.hurried = self.hurried.max(line);
    }

    /// The same, but what outlasts `quit` is done to its end.
    pub fn leave(&mut self, line: u64) {
        self.left = self.left.max(line);
    }

    /// What was asked so far with this id is answered in haste.
    pub fn hurry_id(&mut self, id: Id) {
        self.stopped.insert(id, self.looked_at);
    }

    /// Somebody has asked to end this before it began.
    pub fn is_hurried(&self, waiting: &Waiting) -> bool {
        let by_id = || self.stopped.get(&waiting.request.id).is_some_and(|line| waiting.line <= *line);
        let left = || waiting.line <= self.left && !waiting.request.job().is_some_and(Job::outlasts_quit);
        waiting.line <= self.hurried || left() || (!self.stopped.is_empty() && by_id())
    }
}

/// Ends what was asked before it.
fn is_ending(request: &Request) -> bool {
    matches!(request.command, Ok(Command::Stop(_) | Command::Quit | Command::Leave { .. }))
}
