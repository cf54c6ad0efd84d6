//! The loop that joins a protocol, an engine and the search thread.
//!
//! The engine is either at home here or away working; that is the whole state machine. Requests that arrive while it
//! is away wait in a queue, so replies keep the order of the questions.

use crate::{
    base::{Signal, files},
    engine::{Answer, Engine, Game, Job, Outcome, Query, Refusal, Step, Why, command::Table},
    protocol::{Command, Line, Manners, Output, Protocol, Reply, Request, Target},
    worker::{Event, StopHandle, Worker},
};
use crossbeam_channel::{Receiver, never, select_biased};
use std::{
    collections::VecDeque,
    io::{self, Write},
    path::Path,
    time::Instant,
};

/// More than this waits in the pipe instead of in memory.
const LONGEST_QUEUE: usize = 100_000;
/// So many bytes of waiting lines, likewise.
const LARGEST_QUEUE: usize = 64 << 20;
/// The largest game file that `load` reads.
const LARGEST_FILE: u64 = 256 << 20;

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
    Away { stop: StopHandle, request: Request, number: u64, began: Instant, interrupted: bool },
}

/// A request in the queue. One that was stopped before it began is answered in haste.
struct Waiting {
    request: Request,
    /// Counts the requests: what the log calls them.
    number: u64,
    /// The length of its line.
    size: usize,
    hurry: bool,
    /// The result it shows has been judged, or that was stopped.
    judged: bool,
}

pub struct Session<'a> {
    protocol: Box<dyn Protocol>,
    seat: Option<Seat>,
    worker: Worker,
    waiting: VecDeque<Waiting>,
    /// The size of the lines that wait.
    bytes: usize,
    games: Games,
    /// The commands of the game that is played once all that waits is done.
    commands: Table,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    /// Options that no game owns.
    manners: Manners,
    /// Requests so far.
    requests: u64,
    /// What should not be lost was saved, or could not be.
    closed: bool,
    unsaved: Option<Refusal>,
    /// Pondering came to its end by itself: do not start it again until something happens.
    pondered: bool,
}

/// What became of a request at first sight.
enum Begun {
    Job(Job),
    Done(Reply),
}

/// Why the session ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Quit,
    EndOfInput,
    Signal(Signal),
}

/// A session that is over.
#[derive(Debug)]
pub struct Closed {
    /// Why it ended, or what broke it off.
    pub end: io::Result<End>,
    /// What could not be saved at the end; it was reported.
    pub unsaved: Option<Refusal>,
}

impl<'a> Session<'a> {
    pub fn new(
        protocol: Box<dyn Protocol>,
        mut engine: Box<dyn Engine>,
        games: Games,
        out: &'a mut dyn Write,
        err: &'a mut dyn Write,
    ) -> Self {
        engine.warm_up();
        let commands = engine.commands();
        Session {
            protocol,
            seat: Some(Seat::Home(engine)),
            worker: Worker::spawn(),
            waiting: VecDeque::new(),
            bytes: 0,
            games,
            commands,
            out,
            err,
            manners: Manners::default(),
            requests: 0,
            closed: false,
            unsaved: None,
            pondered: false,
        }
    }

    /// Begins with these options of its own.
    pub fn with_manners(mut self, manners: Manners) -> Self {
        self.adopt(manners);
        self
    }

    fn adopt(&mut self, manners: Manners) {
        if manners != self.manners {
            self.protocol.adopt(&manners);
            self.manners = manners;
        }
    }

    /// Runs until `quit`, the end of input (everything asked is answered first) or a signal. However it ends, also when
    /// nobody reads the output any more: what runs is stopped and answered, and what should not be lost is saved.
    pub fn run(mut self, lines: &Receiver<Line>, signals: &Receiver<Signal>) -> Closed {
        let end = self.serve(lines, signals);
        self.bring_home();
        if let Err(refusal) = self.shutdown() {
            // A protocol that has nothing to answer may still have a place for it.
            let _ = self.reply(self.requests, &Request::new("quit", Command::Quit), &Reply::Refused(refusal));
        }
        Closed { end, unsaved: self.unsaved }
    }

    fn serve(&mut self, lines: &Receiver<Line>, signals: &Receiver<Signal>) -> io::Result<End> {
        let mut open = true;
        loop {
            let away = matches!(self.seat, Some(Seat::Away { .. }));
            if !away {
                if let Some(waiting) = self.next() {
                    if self.dispatch(waiting)? {
                        return Ok(End::Quit);
                    }
                    continue;
                }
                // Lines that are already here come before anything the session starts by itself.
                if open && !lines.is_empty() {
                    match lines.recv() {
                        Ok(line) => self.line(&line)?,
                        Err(_) => open = self.end_of_input()?,
                    }
                    continue;
                }
                if self.own_work()? {
                    continue;
                }
                if !open {
                    return Ok(End::EndOfInput);
                }
                self.prompt()?;
            }
            let room = self.waiting.len() < LONGEST_QUEUE && self.bytes < LARGEST_QUEUE;
            let lines_now = if open && room { lines.clone() } else { never() };
            let events = self.worker.events.clone();
            select_biased! {
                recv(lines_now) -> line => match line {
                    Ok(line) => self.line(&line)?,
                    Err(_) => open = self.end_of_input()?,
                },
                recv(signals) -> signal => match (signal.unwrap_or(Signal::Terminate), &mut self.seat) {
                    // The first interrupt stops the search, a second one ends the session.
                    (Signal::Interrupt, Some(Seat::Away { stop, interrupted, .. })) if !*interrupted => {
                        *interrupted = true;
                        stop.stop();
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
                    Ok(Event::Home { engine, outcome }) => self.home(engine, outcome)?,
                    Err(_) => return Err(io::Error::other("the search thread is gone")),
                },
            }
        }
    }

    fn line(&mut self, line: &Line) -> io::Result<()> {
        let Some(request) = self.protocol.parse(line, self.commands) else {
            log::info!("in      {}", line.text);
            return Ok(());
        };
        log::info!("in  #{} {}", self.requests + 1, line.text);
        self.pondered = false;
        if let Ok(Command::Stop(target)) = &request.command {
            let target = target.clone();
            self.stop(&target);
            if self.protocol.answers_stop_at_once() {
                self.requests += 1;
                return self.reply(self.requests, &request, &Reply::Done(vec![]));
            }
        } else if let Some(Seat::Away { stop, request: running, number, .. }) = &self.seat
            && (running.word == IDLE || self.protocol.interrupts(&request, running))
        {
            log::info!("stop #{number}: a new line came");
            stop.stop();
            // What was asked before the interruption is still answered, but briefly.
            self.waiting.iter_mut().for_each(|w| w.hurry = true);
        }
        self.put_in_line(request, line.text.len());
        Ok(())
    }

    fn put_in_line(&mut self, request: Request, size: usize) {
        if let Ok(Command::Switch(game)) = request.command {
            self.commands = (self.games.commands)(game).unwrap_or(self.commands);
        }
        self.bytes += size;
        self.requests += 1;
        self.waiting.push_back(Waiting { request, number: self.requests, size, hurry: false, judged: false });
    }

    fn stop(&mut self, target: &Target) {
        let meant = |request: &Request| match target {
            Target::All => true,
            Target::Id(id) => request.id == *id,
        };
        if let Some(Seat::Away { stop, request, number, .. }) = &self.seat
            && meant(request)
        {
            log::info!("stop #{number}");
            stop.stop();
        }
        self.waiting.iter_mut().filter(|w| meant(&w.request)).for_each(|w| w.hurry = true);
    }

    /// Returns whether more input may come: never.
    fn end_of_input(&mut self) -> io::Result<bool> {
        if let Some(request) = self.protocol.finish() {
            self.put_in_line(request, 0);
        }
        if let Some(Seat::Away { stop, request, .. }) = &self.seat
            && request.job().is_some_and(Job::endless)
        {
            stop.stop();
        }
        for w in &mut self.waiting {
            w.hurry |= w.request.job().is_some_and(Job::endless);
        }
        self.pondered = true;
        Ok(false)
    }

    /// Starts what nobody asked for: the protocol's own turn in a game, or pondering. True if anything was begun.
    fn own_work(&mut self) -> io::Result<bool> {
        let Some(Seat::Home(engine)) = &self.seat else { return Ok(false) };
        if let Some(request) = self.protocol.idle(engine.as_ref()) {
            self.put_in_line(request, 0);
            return Ok(true);
        }
        let job = match () {
            () if self.pondered => return Ok(false),
            () if engine.awaits_verdict() => Job::Judge,
            () if engine.wants_to_ponder() => Job::Ponder,
            () => return Ok(false),
        };
        self.pondered = true;
        self.put_in_line(Request::new(IDLE, Command::Work(job)), 0);
        Ok(true)
    }

    /// What comes next. Before a request that shows the result of a finished game, that is judged.
    fn next(&mut self) -> Option<Waiting> {
        let first = self.waiting.front_mut()?;
        let pending = matches!(&self.seat, Some(Seat::Home(engine)) if engine.awaits_verdict());
        if pending && !first.judged && self.protocol.shows_result(&first.request) {
            first.judged = true;
            let request = Request::new("judge", Command::Work(Job::Judge));
            return Some(Waiting { request, number: first.number, size: 0, hurry: first.hurry, judged: true });
        }
        let next = self.waiting.pop_front()?;
        self.bytes -= next.size;
        Some(next)
    }

    fn prompt(&mut self) -> io::Result<()> {
        let Some(Seat::Home(engine)) = &self.seat else { return Ok(()) };
        let mut output = Output::default();
        self.protocol.prompt(engine.as_ref(), &mut output);
        self.write(self.requests, output)
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
        let reply = match outcome {
            Ok(Outcome::Report(report)) => Reply::Report(report),
            Ok(outcome) => Reply::Outcome(outcome),
            Err(refusal) => Reply::Refused(refusal),
        };
        self.reply(number, &request, &reply)
    }

    /// Does or starts one request; true when the session is to end.
    fn dispatch(&mut self, Waiting { request, number, hurry, .. }: Waiting) -> io::Result<bool> {
        let Some(Seat::Home(mut engine)) = self.seat.take() else {
            unreachable!("requests are dispatched only while the engine is at home")
        };
        let begun = self.begin(&mut engine, &request).unwrap_or_else(|refusal| Begun::Done(Reply::Refused(refusal)));
        match begun {
            Begun::Job(job) => {
                // What came while others worked may end this job before it begins: a line after a live analysis.
                let ended = self.waiting.iter().any(|w| self.protocol.interrupts(&w.request, &request));
                log::info!("begin #{number} {job:?}");
                let stop = self.worker.start(engine, job, hurry || ended);
                self.seat = Some(Seat::Away { stop, request, number, began: Instant::now(), interrupted: false });
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

    /// Finds out what a request takes; what needs no search is done at once.
    fn begin(&mut self, engine: &mut Box<dyn Engine>, request: &Request) -> Answer<Begun> {
        match request.command.clone()? {
            Command::Work(Job::Query(query)) => {
                // The game is asked with its own options; those of the session hold for the answer.
                let (_, settings) = self.manners_for(&query)?;
                Ok(Begun::Job(Job::Query(Query { settings, ..query })))
            }
            Command::Work(job) => Ok(Begun::Job(job)),
            Command::Option { name, value } => self.option(engine.as_mut(), &name, &value).map(Begun::Done),
            Command::Quit => Ok(Begun::Done(Reply::Bye)),
            command => self.quick(engine, request, command).map(Begun::Done),
        }
    }

    /// Commands that need no search.
    fn quick(&mut self, engine: &mut Box<dyn Engine>, request: &Request, command: Command) -> Answer<Reply> {
        let done = |()| Reply::Done(vec![]);
        match command {
            Command::Look(args) => self.protocol.look(request, &args, engine.as_ref()),
            Command::NewGame => {
                engine.new_game();
                Ok(Reply::Done(vec![]))
            }
            Command::Resize(size) => engine.resize(size).map(done),
            Command::Komi(komi) => engine.komi(komi).map(done),
            Command::Import(text) => engine.import(&text).map(Reply::Done),
            Command::SetUp { stones, to_move } => engine.set_up(&stones, to_move).map(done),
            Command::Play(moves) => engine.play(&moves).map(Reply::Done),
            Command::Step(step) => engine.step(step).map(done),
            Command::SetTime(control) => {
                engine.set_time(control);
                Ok(Reply::Done(vec![]))
            }
            Command::TimeLeft { colour, clock } => {
                engine.time_left(colour, clock);
                Ok(Reply::Done(vec![]))
            }
            Command::Set(pairs) => self.set_all(engine.as_mut(), &pairs).map(done),
            Command::Settings => Ok(Reply::Settings([engine.settings(), self.manners.settings()].concat())),
            Command::Switch(game) => {
                let switched = self.switch(engine, game);
                // What comes next is read for the game that is played after all.
                if !self.waiting.iter().any(|w| matches!(w.request.command, Ok(Command::Switch(_)))) {
                    self.commands = engine.commands();
                }
                switched.map(done)
            }
            Command::Load { path, ply } => load(engine.as_mut(), &path, ply),
            Command::Save { path, form } => {
                let text = engine.export(&form)?;
                files::replace(&path, |file| file.write_all(text.as_bytes())).map_err(|e| in_file(&path, e))?;
                Ok(Reply::Done(vec![]))
            }
            Command::Several(list) => {
                list.into_iter().try_fold(Reply::Done(vec![]), |_, one| self.quick(engine, request, one))
            }
            Command::Stop(_) | Command::Nothing => Ok(Reply::Done(vec![])),
            Command::Work(_) | Command::Option { .. } | Command::Quit => {
                Err(Refusal::new(Why::Unsupported, "not possible here"))
            }
        }
    }

    fn switch(&mut self, engine: &mut Box<dyn Engine>, game: Game) -> Answer<()> {
        if engine.game() == game {
            engine.new_game();
            return Ok(());
        }
        let other = (self.games.engine)(game)
            .ok_or_else(|| Refusal::new(Why::Unsupported, format!("{game} is not played here")))?;
        engine.shutdown()?;
        *engine = other;
        engine.warm_up();
        Ok(())
    }

    /// Changes all settings, the game's and the session's, or, when one is refused, none.
    fn set_all(&mut self, engine: &mut dyn Engine, pairs: &[(String, String)]) -> Answer<()> {
        let (before, mut manners) = (engine.settings(), self.manners.clone());
        for (done, (name, value)) in pairs.iter().enumerate() {
            let set = if Manners::have(name) { manners.set(name, value) } else { engine.set(name, value) };
            if let Err(refusal) = set {
                for (name, _) in pairs[..done].iter().rev() {
                    if let Some(old) = before.iter().find(|s| s.name.eq_ignore_ascii_case(name)) {
                        engine.set(old.name, &old.value.to_string())?;
                    }
                }
                return Err(refusal);
            }
        }
        self.adopt(manners);
        pairs.iter().for_each(|(name, value)| log::info!("set {name} to {value}"));
        Ok(())
    }

    /// Shows one option or, given a value, changes it.
    fn option(&mut self, engine: &mut dyn Engine, name: &str, value: &str) -> Answer<Reply> {
        let rows = [engine.settings(), self.manners.settings()].concat();
        match rows.into_iter().find(|s| s.name.eq_ignore_ascii_case(name)) {
            Some(row) if value.is_empty() => Ok(Reply::Settings(vec![row])),
            Some(row) => {
                self.set_all(engine, &[(row.name.into(), value.into())])?;
                Ok(Reply::Done(vec![]))
            }
            None => {
                let shown: String = name.chars().take(40).collect();
                Err(Refusal::new(Why::Unsupported, format!("unknown command `{shown}` (`help` lists all commands)")))
            }
        }
    }

    /// How to answer a question, and the settings in it that are the game's.
    fn manners_for(&self, query: &Query) -> Answer<(Manners, Vec<(String, String)>)> {
        let (own, settings): (Vec<_>, Vec<_>) =
            query.settings.iter().cloned().partition(|(name, _)| Manners::have(name));
        let mut manners = self.manners.clone();
        for (name, value) in own {
            manners.set(&name, &value)?;
        }
        Ok((manners, settings))
    }

    /// Stops what runs and waits for its answer.
    fn bring_home(&mut self) {
        while let Some(Seat::Away { stop, .. }) = &self.seat {
            stop.stop();
            match self.worker.events.recv() {
                // The output may be gone; the engine is back all the same.
                Ok(Event::Home { engine, outcome }) => drop(self.home(engine, outcome)),
                Ok(Event::News(_)) => {}
                Err(_) => return,
            }
        }
    }

    /// Saves what should not be lost, once. A failure is also reported on standard error: the client may not listen.
    fn shutdown(&mut self) -> Answer<()> {
        let Some(Seat::Home(engine)) = &mut self.seat else { return Ok(()) };
        if std::mem::replace(&mut self.closed, true) {
            return Ok(());
        }
        let saved = engine.shutdown();
        if let Err(refusal) = &saved {
            log::error!("{refusal}");
            let said = self.manners.language().say(&refusal.message);
            let _ = writeln!(self.err, "shirokuro: {said}").and_then(|()| self.err.flush());
            self.unsaved = Some(refusal.clone());
        }
        saved
    }

    fn reply(&mut self, number: u64, request: &Request, reply: &Reply) -> io::Result<()> {
        let mut output = Output::default();
        // A question may bring its own manners.
        let usual = self.manners.clone();
        if let Some(Job::Query(query)) = request.job()
            && let Ok((manners, _)) = self.manners_for(query)
        {
            self.adopt(manners);
        }
        self.protocol.render(request, reply, &mut output);
        self.adopt(usual);
        self.write(number, output)
    }

    fn write(&mut self, number: u64, output: Output) -> io::Result<()> {
        output.out.lines().for_each(|line| log::info!("out #{number} {line}"));
        output.err.lines().for_each(|line| log::info!("err #{number} {line}"));
        // Standard error first: GoGui's live graphics must be cleared before the reply is seen.
        if !output.err.is_empty() {
            let _ = self.err.write_all(output.err.as_bytes()).and_then(|()| self.err.flush());
        }
        if !output.out.is_empty() {
            self.out.write_all(output.out.as_bytes())?;
            self.out.flush()?;
        }
        Ok(())
    }
}

fn load(engine: &mut dyn Engine, path: &Path, ply: Option<usize>) -> Answer<Reply> {
    let text = files::read_text(path, LARGEST_FILE).map_err(|e| in_file(path, e))?;
    if text.trim().is_empty() {
        return Err(in_file(path, io::Error::other("no game or position in the file")));
    }
    let notices = engine.import(&text).map_err(|r| Refusal::new(r.why, format!("{}: {r}", path.display())))?;
    if let Some(ply) = ply {
        // Past the end of the game means its end, as with GTP's `loadsgf`.
        let _ = engine.step(Step::To(ply));
    }
    Ok(Reply::Done(notices))
}

/// What a job has cost, for the log.
fn cost(outcome: &Answer<Outcome>) -> String {
    match outcome {
        Ok(Outcome::Move { thought, .. } | Outcome::Thought(thought)) => format!("{} nodes", thought.nodes),
        Ok(Outcome::Analysis(analysis)) => format!("{} positions", analysis.moves.len()),
        Ok(Outcome::Report(_)) => "done".into(),
        Err(refusal) => format!("refused: {refusal}"),
    }
}

fn in_file(path: &Path, error: io::Error) -> Refusal {
    Refusal::new(Why::File, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
