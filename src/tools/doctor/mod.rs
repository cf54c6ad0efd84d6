//! `shirokuro doctor`: looks at the machine, the data in the binary, the speed and every protocol, and writes down what
//! it found in a form that can be pasted into a bug report.

mod machine;
mod protocols;
mod speed;

use crate::{
    base::{files, places},
    engine::{Engine, Game},
    othello::{book::Book, eval::Weights},
};
use serde::Serialize;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

#[derive(Debug, Clone, clap::Args)]
pub struct DoctorArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

/// Makes the engine of a game, with its default options.
pub type MakeEngine<'a> = &'a dyn Fn(Game) -> Box<dyn Engine>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Ok,
    /// Unusual, but nothing is broken.
    Note,
    Wrong,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Note => "note",
            State::Wrong => "WRONG",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    state: State,
    area: &'static str,
    name: String,
    value: String,
}

impl Finding {
    fn new(state: State, area: &'static str, name: impl Into<String>, value: impl Into<String>) -> Finding {
        Finding { state, area, name: name.into(), value: value.into() }
    }

    fn ok(area: &'static str, name: impl Into<String>, value: impl Into<String>) -> Finding {
        Finding::new(State::Ok, area, name, value)
    }
}

#[derive(Debug, Serialize)]
struct Diagnosis {
    version: String,
    healthy: bool,
    findings: Vec<Finding>,
}

/// Examines everything and prints it; true if nothing is wrong.
pub fn run(args: &DoctorArgs, version: &str, make: MakeEngine<'_>, out: &mut dyn Write) -> io::Result<bool> {
    let findings: Vec<Finding> =
        [machine::examine(), data(), folders(), speed::measure(), protocols::test(make)].concat();
    let diagnosis = Diagnosis {
        version: version.to_owned(),
        healthy: findings.iter().all(|finding| finding.state < State::Wrong),
        findings,
    };
    if args.json {
        serde_json::to_writer(&mut *out, &diagnosis)?;
        writeln!(out)?;
    } else {
        print(&diagnosis, out)?;
    }
    Ok(diagnosis.healthy)
}

fn print(diagnosis: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Shirokuro {}", diagnosis.version)?;
    let width =
        |text: fn(&Finding) -> &str| diagnosis.findings.iter().map(|f| text(f).chars().count()).max().unwrap_or(0);
    let (areas, names) = (width(|f| f.area), width(|f| &f.name));
    for Finding { state, area, name, value } in &diagnosis.findings {
        writeln!(out, "{:<5}  {area:<areas$}  {name:<names$}  {value}", state.name())?;
    }
    let count = |state| diagnosis.findings.iter().filter(|finding| finding.state == state).count();
    match (count(State::Wrong), count(State::Note)) {
        (0, 0) => writeln!(out, "All is well."),
        (0, notes) => writeln!(out, "Nothing is wrong; to note: {notes}."),
        (wrong, _) => writeln!(out, "Wrong: {wrong}. Please paste all of this into the bug report."),
    }
}

/// The weights and the book in the binary, read from end to end.
fn data() -> Vec<Finding> {
    let weights = match Weights::check_builtin() {
        Ok(()) => Finding::ok("data", "weights", format!("built in, crc32 {:08x}", Weights::builtin_fingerprint())),
        Err(error) => Finding::new(State::Wrong, "data", "weights", error.to_string()),
    };
    let book = match Book::check_builtin() {
        Ok(check) if check.damaged_blocks == 0 && check.positions > 0 => Finding::ok(
            "data",
            "book",
            format!("built in, {} positions, crc32 {:08x}", check.positions, Book::builtin_fingerprint()),
        ),
        Ok(check) => Finding::new(
            State::Wrong,
            "data",
            "book",
            format!("{} positions, {} damaged blocks", check.positions, check.damaged_blocks),
        ),
        Err(error) => Finding::new(State::Wrong, "data", "book", error.to_string()),
    };
    vec![weights, book]
}

/// Folders where files of the user are kept.
fn folders() -> Vec<Finding> {
    let home = match places::data() {
        None => {
            Finding::new(State::Note, "folders", "data", "there is no home folder; files are kept in the temporary one")
        }
        Some(folder) => folder_finding("data", &folder),
    };
    let of_file = |name, file: Option<PathBuf>| Some(folder_finding(name, file?.parent()?));
    let kept = [of_file("settings", places::settings()), of_file("history", places::history())];
    let temporary = folder_finding("temporary", &std::env::temp_dir());
    std::iter::once(home).chain(kept.into_iter().flatten()).chain([temporary]).collect()
}

fn folder_finding(name: &str, folder: &Path) -> Finding {
    let shown = folder.display();
    // A folder that is not there yet is made below the first one that is.
    let existing: Option<PathBuf> = folder.ancestors().find(|above| above.exists()).map(Path::to_owned);
    let outcome = existing.as_deref().map_or(Err(io::ErrorKind::NotFound.into()), files::try_folder);
    match outcome {
        Err(error) => Finding::new(State::Wrong, "folders", name, format!("{shown}: cannot be written: {error}")),
        Ok(()) if existing.as_deref() == Some(folder) => Finding::ok("folders", name, format!("{shown}")),
        Ok(()) => Finding::ok("folders", name, format!("{shown} (made when it is needed)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{go::GoEngine, othello::OthelloEngine};

    fn make(game: Game) -> Box<dyn Engine> {
        match game {
            Game::Othello => Box::new(OthelloEngine::new()),
            Game::Go => Box::new(GoEngine::new()),
        }
    }

    #[test]
    fn a_sound_machine_is_healthy_and_the_json_says_the_same() {
        let mut out = Vec::new();
        let healthy = run(&DoctorArgs { json: true }, "1.2.3", &make, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(healthy, "{text}");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["version"], "1.2.3");
        assert_eq!(value["healthy"], true);
        let areas: Vec<&str> =
            value["findings"].as_array().unwrap().iter().filter_map(|f| f["area"].as_str()).collect();
        for area in ["machine", "data", "folders", "speed", "protocol"] {
            assert!(areas.contains(&area), "{areas:?}");
        }
    }

    #[test]
    fn the_table_counts_what_is_wrong() {
        let wrong = Finding::new(State::Wrong, "data", "book", "gone");
        let diagnosis =
            Diagnosis { version: "1".into(), healthy: false, findings: vec![wrong, Finding::ok("a", "b", "c")] };
        let mut out = Vec::new();
        print(&diagnosis, &mut out).unwrap();
        let expected = "Shirokuro 1\nWRONG  data  book  gone\nok     a     b     c\n\
            Wrong: 1. Please paste all of this into the bug report.\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_wrong() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(folder_finding("data", &file.path().join("below/a/file")).state, State::Wrong);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(folder_finding("data", folder.path()).state, State::Ok);
        let later = folder_finding("data", &folder.path().join("a/b"));
        assert_eq!(later.state, State::Ok);
        assert!(later.value.ends_with("(made when it is needed)") && !folder.path().join("a").exists());
    }
}
