//! A batch works in a process of its own, and the one that was started attends to it. Only who sees a process die knows
//! that a question ended it: when the power goes, or somebody kills both, no question is to blame.

use super::{BatchError, journal::Attempts};
use crate::base::signals::Signal;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, never, select};
use std::{
    env,
    io::Read,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

/// Set for the process that works.
const ATTENDED: &str = "SHIROKURO_ATTENDED";
/// How often it is looked whether the process still lives.
const LOOK: Duration = Duration::from_millis(10);

/// What this process is to do.
pub enum Role {
    /// Start the one that works, and attend to it.
    Attend,
    /// Work; the attendant's end is a signal like the others.
    Work(Receiver<Signal>),
}

impl Role {
    pub fn new(signals: &Receiver<Signal>) -> Role {
        match env::var_os(ATTENDED) {
            Some(_) => Role::Work(or_end_of_input(signals.clone())),
            None => Role::Attend,
        }
    }
}

/// The signals, and one more when the standard input ends, which the attendant holds open as long as it lives.
fn or_end_of_input(signals: Receiver<Signal>) -> Receiver<Signal> {
    let (ended, end) = bounded::<()>(0);
    let watch = move || {
        let mut byte = [0];
        while std::io::stdin().read(&mut byte).is_ok_and(|read| read > 0) {}
        drop(ended);
    };
    let (send, all) = bounded(16);
    let join = move || forward(&signals, &end, &send);
    for (name, run) in [("attendant", Box::new(watch) as Box<dyn FnOnce() + Send>), ("signals", Box::new(join))] {
        if let Err(error) = thread::Builder::new().name(name.into()).spawn(run) {
            log::warn!("no thread for signals: {error}");
        }
    }
    all
}

fn forward(signals: &Receiver<Signal>, end: &Receiver<()>, to: &Sender<Signal>) {
    let mut signals = signals.clone();
    loop {
        select! {
            recv(signals) -> signal => match signal {
                Ok(signal) => to.try_send(signal).unwrap_or(()),
                Err(_) => signals = never(),
            },
            recv(end) -> _ => {
                to.send(Signal::Terminate).unwrap_or(());
                return;
            }
        }
    }
}

/// Starts this program again until the batch is done, and returns its exit code. What was running when it died is noted.
pub fn run(results: &Path, signals: &Receiver<Signal>) -> Result<u8, BatchError> {
    loop {
        let mut child = start().map_err(BatchError::NoProcess)?;
        let (status, signal) = end_of(&mut child, signals).map_err(BatchError::NoProcess)?;
        match (ended_by_itself(status), signal) {
            // The other one only knows that it was to end.
            (Some(code), Some(signal)) if code == Signal::Terminate.exit_code() => return Ok(signal.exit_code()),
            (Some(code), _) => return Ok(code),
            (None, _) => {}
        }
        let ids = Attempts::died(results)?;
        log::warn!("the process died ({status}) over {}", ids.join(", "));
        if ids.is_empty() {
            return Err(BatchError::Died(status));
        }
    }
}

fn start() -> std::io::Result<Child> {
    Command::new(env::current_exe()?).args(env::args_os().skip(1)).env(ATTENDED, "1").stdin(Stdio::piped()).spawn()
}

/// Waits for the end. A signal is handed on as the end of the input; a keyboard sends it to both.
fn end_of(child: &mut Child, signals: &Receiver<Signal>) -> std::io::Result<(ExitStatus, Option<Signal>)> {
    let (mut input, mut heard) = (child.stdin.take(), None);
    let mut signals = signals.clone();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, heard));
        }
        match signals.recv_timeout(LOOK) {
            Ok(signal) => {
                heard = heard.or(Some(signal));
                drop(input.take());
            }
            Err(RecvTimeoutError::Disconnected) => signals = never(),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// The exit code of a process that was not ended by what it did.
fn ended_by_itself(status: ExitStatus) -> Option<u8> {
    /// A program that cannot be linked or started, by the custom of shells.
    const NOT_STARTED: [u8; 2] = [126, 127];
    let signals = [Signal::Interrupt, Signal::Terminate, Signal::HangUp].map(Signal::exit_code);
    let code = u8::try_from(status.code()?).ok()?;
    (code <= 2 || signals.contains(&code) || NOT_STARTED.contains(&code)).then_some(code)
}
