//! Where a scene is played, how it may end, and what no process may do.

use super::client::{Client, Ending, last};
use crate::base::Rng;
use std::path::Path;

/// What went wrong.
#[derive(Debug)]
pub struct Failure {
    pub what: String,
    /// The last of what was said.
    pub dialogue: String,
}

impl Failure {
    pub fn new(what: impl Into<String>, dialogue: impl Into<String>) -> Failure {
        Failure { what: what.into(), dialogue: dialogue.into() }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::new(format!("the scene could not be played: {error}"), "")
    }
}

/// A scene was survived, or cannot be played on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Played {
    Survived,
    NotHere,
}

pub type Outcome = Result<Played, Failure>;

/// One scene: its own folder, its own random numbers.
pub struct Stage<'a> {
    pub rng: Rng,
    pub folder: &'a Path,
}

/// What no process may do, however it is treated. `codes`: how it may end; -9: killed by us.
pub fn check(ending: &Ending, codes: &[i32]) -> Result<(), Failure> {
    let fail = |what: String| Err(Failure::new(what, format!("{}\n{}", last(&ending.dialogue), ending.errors)));
    if ending.errors.contains("panicked at") {
        return fail("a panic".into());
    }
    if ending.dialogue.iter().any(|line| line.starts_with('<') && line.contains("internal error")) {
        return fail("an internal error".into());
    }
    let code = code_of(ending);
    if codes.contains(&code) { Ok(()) } else { fail(format!("it ended with {code}, not with one of {codes:?}")) }
}

#[cfg(unix)]
fn code_of(ending: &Ending) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    ending.status.code().unwrap_or_else(|| -ending.status.signal().unwrap_or(0))
}

#[cfg(not(unix))]
fn code_of(ending: &Ending) -> i32 {
    ending.status.code().unwrap_or(-9)
}

/// Waits for the end of a process and looks whether it was a proper one.
pub fn finish(client: Client, codes: &[i32]) -> Result<Ending, Failure> {
    let dialogue = client.dialogue();
    let ending = client.end().ok_or_else(|| Failure::new("it did not leave", dialogue))?;
    check(&ending, codes)?;
    Ok(ending)
}
