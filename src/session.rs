//! The loop that joins a protocol, an engine and the search thread.
//!
//! The engine is either at home here or away working; that is the whole state machine. Requests that arrive while it
//! is away wait in a queue, so replies keep the order of the questions.

use crate::{
    backlog::Backlog,
    base::Signal,
    engine::{Answer, CommandError, Engine, Game, Job, Outcome, command::Table},
    protocol::{Command, Line, Output, Protocol, Reply, Request, SessionSettings, Target, console::INTERRUPT},
    queue::{Queue, Waiting},
    status::Status,
    terminal::Screen,
    worker::{Event, StopHandle, Worker},
};
use crossbeam_channel::{Receiver, never, select_biased};
use std::{
    io::{self, Write},
    sync::Arc,
    time::Instant,
};

/// How far behind an endless job somebody may wait who ends it: the first line there does, unless it is a remark.
const NEAR: usize = 64;

/// The name of requests that the session makes while it has nothing to do: the next line stops them.
const IDLE: &str = "idle";

/// The games that a session can play.
pub struct Games {
    /// Makes an engine for a game; `None` when the game is not there.
    pub engine: Box<dyn Fn(Game) -> Option<Box<dyn Engine>>>,
    /// The commands that only this game has.
    pub commands: fn(Game) -> Option<Table>,
}

impl Games {
    /// For a session that stays with the engine it has.
    pub fn none() -> Games {
        Games { engine: Box::new(|_| None), commands: |_| None }
    }
}

enum Seat {
    Home(Box<dyn Engine>),
    Away { stop: StopHandle, request: Box<Request>, number: u64, began: Instant, interrupted: bool },
}

pub struct Session<'a> {
    protocol: Box<dyn Protocol>,
    seat: Option<Seat>,
    worker: Worker,
    queue: Queue,
    /// Lines that have not been looked at, because the queue is long.
    backlog: Backlog,
    /// More input may come.
    open: bool,
    /// Refused requests.
    refused: u64,
    status: Option<Status>,
    /// A person's terminal, which decides when something is written.
    screen: Option<Arc<Screen>>,
    keeper: Option<Keeper>,
    games: Games,
    /// The commands of the game that is played once all that waits is done.
    commands: Table,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    /// Options that no game owns.
    session_settings: SessionSettings,
    /// What should not be lost was saved, or could not be.
    closed: bool,
    unsaved: Option<CommandError>,
    /// Pondering came to its end by itself: do not start it again until something happens.
    pondered: bool,
    /// The engine was told to make ready what a first move needs.
    warm: bool,
}

/// What became of a request at first sight.
enum Begun {
    Job(Job),
    Done(Reply),
}

pub use keep::Keeper;

/// Why the session ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Quit,
    OfInput,
    Signal(Signal),
}

/// A session that is over.
#[derive(Debug)]
pub struct Closed {
    /// Why it ended, or what broke it off.
    pub end: io::Result<End>,
    /// What could not be saved at the end; it was reported.
    pub unsaved: Option<CommandError>,
    /// How many requests were refused.
    pub refused: u64,
}

impl<'a> Session<'a> {
    pub fn new(
        protocol: Box<dyn Protocol>,
        engine: Box<dyn Engine>,
        games: Games,
        out: &'a mut dyn Write,
        err: &'a mut dyn Write,
    ) -> Self {
        let commands = engine.commands();
        let mut session = Session {
            protocol,
            seat: Some(Seat::Home(engine)),
            worker: Worker::spawn(),
            queue: Queue::default(),
            backlog: Backlog::default(),
            open: true,
            refused: 0,
            status: None,
            screen: None,
            keeper: None,
            games,
            commands,
            out,
            err,
            session_settings: SessionSettings::default(),
            closed: false,
            unsaved: None,
            pondered: false,
            warm: false,
        };
        session.warm_up(None);
        session
    }

    /// Begins with these options of its own.
    pub fn with_settings(mut self, session_settings: SessionSettings) -> Self {
        self.adopt(session_settings);
        self
    }

    /// Reports on standard error how far it has come.
    pub fn with_status(mut self) -> Self {
        self.status = Some(Status::begin());
        self
    }

    /// Writes to a person's terminal.
    pub fn with_screen(mut self, screen: Arc<Screen>) -> Self {
        self.screen = Some(screen);
        self
    }

    /// Options can be kept for the next session.
    pub fn with_keeper(mut self, keeper: Keeper) -> Self {
        self.keeper = Some(keeper);
        self
    }

    /// Lets the engine make ready what a first move needs, once, unless the protocol knows that it only keeps the rules.
    fn warm_up(&mut self, request: Option<&Request>) {
        let switches = request.is_some_and(|request| matches!(request.command, Ok(Command::Switch(_))));
        if let Some(Seat::Home(engine)) = &mut self.seat
            && !self.warm
            && !switches
            && !self.protocol.needs_only_rules(request)
        {
            let works = request.is_some_and(|request| request.job().is_some());
            self.warm = engine.warm_up(works || !self.protocol.may_only_watch());
        }
    }

    fn adopt(&mut self, session_settings: SessionSettings) {
        if session_settings != self.session_settings {
            self.protocol.adopt(&session_settings);
            self.session_settings = session_settings;
        }
    }

    /// Runs until `quit`, the end of input (everything asked is answered first) or a signal. However it ends, also when
    /// nobody reads the output any more: what runs is stopped and answered, and what should not be lost is saved.
    pub fn run(mut self, lines: &Receiver<Line>, signals: &Receiver<Signal>) -> Closed {
        let end = self.serve(lines, signals);
        if let Some(screen) = &self.screen {
            screen.close();
        }
        self.bring_home();
        if let Err(refusal) = self.shutdown() {
            // A protocol that has nothing to answer may still have a place for it.
            let _ = self.reply(self.queue.requests(), &Request::new("quit", Command::Quit), &Reply::Refused(refusal));
        }
        self.tell_status(0, true);
        Closed { end, unsaved: self.unsaved, refused: self.refused }
    }

    fn serve(&mut self, lines: &Receiver<Line>, signals: &Receiver<Signal>) -> io::Result<End> {
        loop {
            let away = matches!(self.seat, Some(Seat::Away { .. }));
            if !away {
                if let Some(waiting) = self.next()? {
                    if self.dispatch(waiting)? {
                        return Ok(End::Quit);
                    }
                    continue;
                }
                // Lines that are already here come before anything the session starts by itself.
                if self.open && !lines.is_empty() {
                    match lines.recv() {
                        Ok(line) => self.line(line)?,
                        Err(_) => self.end_of_input()?,
                    }
                    continue;
                }
                if self.open {
                    self.prompt()?;
                }
                if self.own_work() {
                    continue;
                }
                if !self.open {
                    return Ok(End::OfInput);
                }
            }
            let lines_now = if self.open { lines.clone() } else { never() };
            let events = self.worker.events.clone();
            // Answers first: they must flow while lines come.
            select_biased! {
                recv(signals) -> signal => match (signal.unwrap_or(Signal::Terminate), &mut self.seat) {
                    // A person leaves otherwise.
                    (Signal::Interrupt, _) if self.protocol.asks_before_leaving() => self.line(Line::new(INTERRUPT))?,
                    // The first interrupt stops the search, a second one ends the session. What saves is left alone.
                    (Signal::Interrupt, Some(Seat::Away { stop, request, interrupted, .. })) if !*interrupted => {
                        *interrupted = true;
                        if !request.job().is_some_and(Job::saves) {
                            stop.stop();
                        }
                    }
                    (signal, _) => return Ok(End::Signal(signal)),
                },
                recv(events) -> event => match event {
                    Ok(Event::News(news)) => {
                        if let Some(Seat::Away { request, number, .. }) = &self.seat {
                            let (mut output, number) = (Output::default(), *number);
                            self.protocol.progress(request, &news, &mut output);
                            self.write(number, output)?;
                        }
                    }
                    Ok(Event::Home { engine, outcome, .. }) => self.home(engine, outcome)?,
                    Err(_) => return Err(io::Error::other("the search thread is gone")),
                },
                recv(lines_now) -> line => match line {
                    Ok(line) => self.line(line)?,
                    Err(_) => self.end_of_input()?,
                },
            }
        }
    }

    /// A line has come. When too many wait already it is put away, unless it ends them all.
    fn line(&mut self, line: Line) -> io::Result<()> {
        self.queue.hear();
        if self.backlog.is_empty() && self.queue.has_room() {
            return self.look_at(&line);
        }
        if self.protocol.ends_all(&line) {
            let heard = self.queue.heard();
            log::info!("stop of {} lines: {}", heard - self.queue.looked_at(), line.text);
            self.stop_all(heard);
        }
        self.backlog.push(line)
    }

    /// Reads a line at its turn in the queue.
    fn look_at(&mut self, line: &Line) -> io::Result<()> {
        self.queue.look();
        let Some(request) = self.protocol.parse(line, self.commands) else {
            log::info!("in      {}", line.text);
            return Ok(());
        };
        log::info!("in  #{} {}", self.queue.requests() + 1, line.text);
        self.pondered = false;
        if let Ok(Command::Stop(target)) = &request.command {
            let target = target.clone();
            self.stop(&target);
            if self.protocol.answers_stop_at_once() {
                let number = self.queue.count();
                return self.reply(number, &request, &Reply::Done(vec![]));
            }
        } else if let Some(Seat::Away { request: running, .. }) = &self.seat
            && (running.word == IDLE || self.protocol.interrupts(&request, running))
        {
            // What was asked before the interruption is still answered, but briefly.
            let line = self.queue.looked_at() - 1;
            if leaves(&request) { self.leave(line) } else { self.stop_all(line) }
        }
        if self.protocol.answers_at_once(&request) {
            let number = self.queue.count();
            return self.reply(number, &request, &Reply::Done(vec![]));
        }
        self.put_in_line(request, line.text.len());
        Ok(())
    }

    fn put_in_line(&mut self, request: Request, size: usize) {
        if let Ok(Command::Switch(game)) = request.command {
            self.commands = (self.games.commands)(game).unwrap_or(self.commands);
        }
        self.queue.push(request, size);
    }

    /// Stops what runs, and hurries what was asked up to this line.
    fn stop_all(&mut self, line: u64) {
        self.queue.hurry(line);
        if let Some(Seat::Away { stop, number, .. }) = &self.seat {
            log::info!("stop #{number}");
            stop.stop();
        }
    }

    /// The same for who leaves: what a script wants done to files before it leaves is done.
    fn leave(&mut self, line: u64) {
        self.queue.leave(line);
        if let Some(Seat::Away { stop, number, request, .. }) = &self.seat
            && !request.job().is_some_and(Job::outlasts_quit)
        {
            log::info!("stop #{number}");
            stop.stop();
        }
    }

    fn stop(&mut self, target: &Target) {
        let Target::Id(id) = target else { return self.stop_all(self.queue.looked_at()) };
        self.queue.hurry_id(id.clone());
        if let Some(Seat::Away { stop, request, number, .. }) = &self.seat
            && request.id == *id
        {
            log::info!("stop #{number}");
            stop.stop();
        }
    }

    /// Somebody has asked to end this before it began, or nobody is left who could end it.
    fn is_hurried(&self, waiting: &Waiting) -> bool {
        self.queue.is_hurried(waiting) || (!self.open && waiting.request.job().is_some_and(Job::endless))
    }

    fn end_of_input(&mut self) -> io::Result<()> {
        self.open = false;
        if self.backlog.is_empty() {
            self.finish();
        }
        if let Some(Seat::Away { stop, request, .. }) = &self.seat
            && request.job().is_some_and(Job::endless)
        {
            stop.stop();
        }
        self.pondered = true;
        Ok(())
    }

    /// The last line was looked at: a request begun but not ended is reported.
    fn finish(&mut self) {
        if let Some(request) = self.protocol.finish() {
            self.put_in_line(request, 0);
        }
    }

    /// Starts what nobody asked for, such as pondering. True if anything was begun.
    fn own_work(&mut self) -> bool {
        let Some(Seat::Home(engine)) = &self.seat else { return false };
        if self.open
            && let Some(request) = self.protocol.own_work(engine.as_ref())
        {
            self.queue.hear();
            self.queue.look();
            self.put_in_line(request, 0);
            return true;
        }
        let job = match () {
            () if self.pondered => return false,
            () if engine.awaits_verdict() => Job::Judge,
            () if engine.wants_to_ponder() => Job::Ponder,
            () => return false,
        };
        self.pondered = true;
        self.queue.hear();
        self.queue.look();
        self.put_in_line(Request::new(IDLE, Command::Work(job)), 0);
        true
    }

    /// What comes next: the protocol's own turn in the game, then what was asked. Before a request that shows the result
    /// of a finished game, that is judged.
    fn next(&mut self) -> io::Result<Option<Waiting>> {
        let Some(Seat::Home(engine)) = &self.seat else { return Ok(None) };
        if !self.queue.is_ending()
            && let Some(request) = self.protocol.own_turn(engine.as_ref())
        {
            return Ok(Some(self.queue.ahead(request)));
        }
        if engine.awaits_verdict()
            && let Some(judgement) = self.queue.judgement(|request| self.protocol.shows_result(request))
        {
            return Ok(Some(judgement));
        }
        self.refill()?;
        Ok(self.queue.pop())
    }

    /// Looks at lines that were put away, as there is room again.
    fn refill(&mut self) -> io::Result<()> {
        while self.queue.has_room() && !self.backlog.is_empty() {
            if let Some(line) = self.backlog.pop()? {
                self.look_at(&line)?;
            }
            if self.backlog.is_empty() && !self.open {
                self.finish();
            }
        }
        Ok(())
    }

    fn prompt(&mut self) -> io::Result<()> {
        let Some(Seat::Home(engine)) = &self.seat else { return Ok(()) };
        let mut output = Output::default();
        self.protocol.prompt(engine.as_ref(), &mut output);
        self.write(self.queue.requests(), output)?;
        if let Some(screen) = &self.screen {
            screen.is_idle();
        }
        Ok(())
    }

    /// The engine is back. What nobody asked for is nobody's answer.
    fn home(&mut self, engine: Box<dyn Engine>, outcome: Answer<Outcome>) -> io::Result<()> {
        let Some(Seat::Away { request, number, began, .. }) = self.seat.replace(Seat::Home(engine)) else {
            unreachable!("only an engine that was away comes home")
        };
        log::info!("end #{number} after {:.3} s: {}", began.elapsed().as_secs_f64(), cost(&outcome));
        if request.job().is_some_and(Job::unasked) {
            return Ok(());
        }
        self.reply(number, &request, &Reply::from(outcome))
    }

    /// Does or starts one request; true when the session is to end.
    fn dispatch(&mut self, waiting: Waiting) -> io::Result<bool> {
        let hurry = self.is_hurried(&waiting);
        let Waiting { request, number, .. } = waiting;
        self.warm_up(Some(&request));
        let Some(Seat::Home(mut engine)) = self.seat.take() else {
            unreachable!("requests are dispatched only while the engine is at home")
        };
        let begun = self.begin(&mut engine, &request).unwrap_or_else(|refusal| Begun::Done(Reply::Refused(refusal)));
        match begun {
            Begun::Job(job) => {
                // What came while others worked may end this job before it begins: a line after a live analysis.
                let ends = |waiting: &Request| {
                    self.protocol.interrupts(waiting, &request) && !(leaves(waiting) && job.outlasts_quit())
                };
                let ended = self.queue.iter().take(NEAR).any(ends);
                log::info!("begin #{number} {job:?}");
                if let Some(screen) = self.screen.as_ref().filter(|_| !job.unasked()) {
                    screen.is_busy();
                }
                let stop = self.worker.start(engine, job, hurry || ended);
                self.seat = Some(Seat::Away {
                    stop,
                    request: Box::new(request),
                    number,
                    began: Instant::now(),
                    interrupted: false,
                });
                Ok(false)
            }
            Begun::Done(reply) => {
                self.seat = Some(Seat::Home(engine));
                if reply != Reply::Bye {
                    return self.reply(number, &request, &reply).map(|()| false);
                }
                let reply = self.shutdown().map_or_else(Reply::Refused, |()| reply);
                self.reply(number, &request, &reply).map(|()| true)
            }
        }
    }

    /// Stops what runs, unless it saves, and waits for its answer.
    fn bring_home(&mut self) {
        while let Some(Seat::Away { stop, request, .. }) = &self.seat {
            if !request.job().is_some_and(Job::saves) {
                stop.stop();
            }
            match self.worker.events.recv() {
                // The output may be gone; the engine is back all the same.
                Ok(Event::Home { engine, outcome, .. }) => drop(self.home(engine, outcome)),
                Ok(Event::News(_)) => {}
                Err(_) => return,
            }
        }
    }

    /// Saves what should not be lost, once. A failure is also reported on standard error: the client may not listen.
    fn shutdown(&mut self) -> Answer<()> {
        // What is said from now on is said at once.
        if let Some(screen) = &self.screen {
            screen.close();
        }
        let Some(Seat::Home(engine)) = &mut self.seat else { return Ok(()) };
        if std::mem::replace(&mut self.closed, true) {
            return Ok(());
        }
        let saved = engine.shutdown();
        if let Ok(notices) = &saved {
            let quiet = self.protocol.hears_standard_error();
            for notice in notices {
                log::info!("{notice}");
                if !quiet {
                    let said = self.session_settings.language().say(notice);
                    let _ = writeln!(self.err, "shirokuro: {said}").and_then(|()| self.err.flush());
                }
            }
        }
        let saved = saved.map(drop);
        if let Err(refusal) = &saved {
            log::error!("{refusal}");
            let said = self.session_settings.language().say(&refusal.message);
            let _ = writeln!(self.err, "shirokuro: {said}").and_then(|()| self.err.flush());
            self.unsaved = Some(refusal.clone());
        }
        saved
    }

    fn reply(&mut self, number: u64, request: &Request, reply: &Reply) -> io::Result<()> {
        self.refused += u64::from(matches!(reply, Reply::Refused(_)));
        self.tell_status(1, false);
        let mut output = Output::default();
        // A question may bring its own manners.
        let usual = self.session_settings.clone();
        if let Some(Job::Query(query)) = request.job()
            && let Ok((session_settings, _)) = self.session_settings.for_question(query)
        {
            self.adopt(session_settings);
        }
        self.protocol.render(request, reply, &mut output);
        self.adopt(usual);
        self.write(number, output)
    }

    fn tell_status(&mut self, answers: u64, end: bool) {
        if let Some(line) = self.status.as_mut().and_then(|status| status.count(answers, end)) {
            if let Some(screen) = &self.screen {
                return drop(screen.show(&line, None));
            }
            // Nobody has to read it.
            let _ = self.err.write_all(line.as_bytes()).and_then(|()| self.err.flush());
        }
    }

    fn write(&mut self, number: u64, output: Output) -> io::Result<()> {
        output.out.lines().for_each(|line| log::info!("out #{number} {line}"));
        output.err.lines().for_each(|line| log::info!("err #{number} {line}"));
        // Standard error first: GoGui's live graphics must be cleared before the reply is seen.
        if !output.err.is_empty() {
            let _ = self.err.write_all(output.err.as_bytes()).and_then(|()| self.err.flush());
        }
        if let Some(screen) = &self.screen {
            return screen.show(&output.out, output.live);
        }
        if !output.out.is_empty() {
            self.out.write_all(output.out.as_bytes())?;
            self.out.flush()?;
        }
        Ok(())
    }
}

fn leaves(request: &Request) -> bool {
    matches!(request.command, Ok(Command::Quit | Command::Leave { .. }))
}

/// What a job has cost, for the log.
fn cost(outcome: &Answer<Outcome>) -> String {
    match outcome {
        Ok(Outcome::Move { thought, .. } | Outcome::Thought(thought)) => format!("{} nodes", thought.nodes),
        Ok(Outcome::Analysis(analysis)) => format!("{} positions", analysis.moves.len()),
        Ok(Outcome::Report(_) | Outcome::Done(_)) => "done".into(),
        Err(refusal) => format!("refused: {refusal}"),
    }
}

mod begin;
mod keep;
#[cfg(test)]
mod robustness_tests;
#[cfg(test)]
mod tests;
