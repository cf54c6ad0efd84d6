//! `shirokuro suite`: problems in the manner of GNU Go's regression tests. The file is a GTP script; a command with a
//! number is a problem if a line like `#? [B1|C1]` (or `#? [!D4]`: anything else) follows it.

use crate::{
    base::files,
    engine::Engine,
    protocol::{Line, gtp::Gtp},
    session::{Games, Session},
};
use crossbeam_channel::{bounded, never};
use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::PathBuf,
};

/// Life, death and races of our own making; the answers were found by reading every line to its end.
const BUILT_IN: &str = include_str!("../../resources/go/life-and-death.tst");

/// What holds unless an option says otherwise: the same answers every time.
pub const DEFAULTS: &[(&str, &str)] = &[("playouts", "5000"), ("seed", "1"), ("threads", "1")];

#[derive(Debug, clap::Args)]
pub struct SuiteArgs {
    /// A file of problems [default: those built in, life and death in Go]
    file: Option<PathBuf>,
    /// Fail if fewer than so many per cent are solved
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    at_least: f64,
}

#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    #[error("line {line}: {what}")]
    Syntax { line: usize, what: String },
    #[error("there are no problems in the file")]
    Empty,
    #[error("only {solved:.1} % solved, {wanted} % are wanted")]
    TooFew { solved: f64, wanted: f64 },
}

/// A question of the file and what it should be answered with.
#[derive(Debug, PartialEq)]
struct Problem {
    id: u64,
    /// The last remark before it: kind and name.
    title: String,
    right: Vec<String>,
    /// Everything but these is right.
    except: bool,
}

impl Problem {
    fn accepts(&self, answer: &str) -> bool {
        self.right.iter().any(|right| right.eq_ignore_ascii_case(answer)) != self.except
    }

    fn kind(&self) -> &str {
        self.title.split(' ').next().unwrap_or_default()
    }

    fn expected(&self) -> String {
        format!("{}{}", if self.except { "not " } else { "" }, self.right.join(" or "))
    }
}

fn parse(text: &str) -> Result<Vec<Problem>, SuiteError> {
    let mut problems: Vec<Problem> = Vec::new();
    let (mut title, mut asked) = (String::new(), None);
    for (i, line) in text.lines().map(str::trim).enumerate() {
        let wrong = |what: &str| SuiteError::Syntax { line: i + 1, what: what.into() };
        if let Some(expected) = line.strip_prefix("#?") {
            let inside = expected.trim().strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let (answers, _) = inside.ok_or_else(|| wrong("answers stand in square brackets"))?;
            let id = asked.take().ok_or_else(|| wrong("no command with a number goes before this"))?;
            if problems.iter().any(|problem| problem.id == id) {
                return Err(wrong("this number was used before"));
            }
            let except = answers.starts_with('!');
            let right = answers.trim_start_matches('!').split('|').map(|a| a.trim().to_owned()).collect();
            problems.push(Problem { id, title: title.clone(), right, except });
        } else if let Some(remark) = line.strip_prefix('#') {
            title = remark.trim().into();
        } else {
            asked = line.split_whitespace().next().and_then(|word| word.parse().ok());
        }
    }
    Ok(problems)
}

/// Everything the engine answered, by number.
fn ask(text: &str, engine: Box<dyn Engine>) -> io::Result<BTreeMap<u64, String>> {
    let (send, lines) = bounded(text.lines().count());
    for line in text.lines() {
        let _ = send.send(Line::new(line));
    }
    drop(send);
    let (mut out, mut err) = (Vec::new(), io::sink());
    let session = Session::new(Box::new(Gtp::new()), engine, Games::none(), &mut out, &mut err);
    session.run(&lines, &never()).end?;
    let text = String::from_utf8_lossy(&out);
    let answers = text.lines().filter_map(|line| {
        let (id, answer) = line.strip_prefix(['=', '?'])?.split_once(' ')?;
        Some((id.parse().ok()?, answer.trim().to_owned()))
    });
    Ok(answers.collect())
}

pub fn run(args: &SuiteArgs, engine: Box<dyn Engine>, out: &mut dyn Write) -> Result<(), SuiteError> {
    let text = match &args.file {
        Some(path) => files::read_text(path, files::LARGEST).map_err(|e| SuiteError::File(path.clone(), e))?,
        None => BUILT_IN.into(),
    };
    let problems = parse(&text)?;
    if problems.is_empty() {
        return Err(SuiteError::Empty);
    }
    let answers = ask(&text, engine)?;
    let mut kinds: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for problem in &problems {
        let answer = answers.get(&problem.id).map_or("nothing", String::as_str);
        let count = kinds.entry(problem.kind()).or_default();
        count.1 += 1;
        if problem.accepts(answer) {
            count.0 += 1;
        } else {
            writeln!(out, "{} {}: {} expected, {answer} answered", problem.id, problem.title, problem.expected())?;
        }
    }
    for (kind, (solved, all)) in &kinds {
        writeln!(out, "{kind:<12} {solved:>3} of {all}")?;
    }
    let (solved, all) = kinds.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    let share = 100.0 * f64::from(solved) / f64::from(all.max(1));
    writeln!(out, "solved {solved} of {all}, {share:.1} %")?;
    if share < args.at_least {
        return Err(SuiteError::TooFew { solved: share, wanted: args.at_least });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::GoEngine;

    #[test]
    fn problems_and_their_answers() {
        let text = "# ko take it\nboardsize 5\n3 reg_genmove b\n#? [A1|pass]\n# life\n4 name\n#? [!C3]*\n";
        let problems = parse(text).unwrap();
        assert_eq!((problems[0].id, problems[0].kind(), problems[1].kind()), (3, "ko", "life"));
        assert!(problems[0].accepts("PASS") && problems[0].accepts("a1") && !problems[0].accepts("B1"));
        assert!(problems[1].accepts("A1") && !problems[1].accepts("c3"));
        for bad in ["#? [A1]", "1 name\n#? A1", "1 name\n#? [x]\n1 name\n#? [y]"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_file_is_asked_line_by_line() {
        let answers = ask("boardsize 5\n1 name\n2 nonsense\n3 boardsize\n", Box::new(GoEngine::new())).unwrap();
        assert_eq!(answers[&1], "Shirokuro");
        assert_eq!(answers[&2], "unknown command");
        assert_eq!(answers.len(), 3);
    }

    #[test]
    fn the_built_in_problems_are_sound() {
        let problems = parse(BUILT_IN).unwrap();
        assert!(problems.len() >= 40, "{}", problems.len());
        for kind in ["nakade", "life", "ko", "seki", "snapback", "ladder", "race"] {
            assert!(problems.iter().any(|p| p.kind() == kind), "{kind}");
        }
        // Every position can be set up: with a playout each, each question gets a move.
        let mut engine = GoEngine::new();
        engine.set("playouts", "1").unwrap();
        let answers = ask(BUILT_IN, Box::new(engine)).unwrap();
        for problem in &problems {
            let answer = &answers[&problem.id];
            assert!(answer.len() <= 4, "{}: {answer}", problem.title);
        }
    }
}
