//! `gopal nodes`: how many nodes B* and alpha-beta need for tactical positions.

use super::GopalError;
use crate::{
    base::files,
    go::gopal::{
        compare::{self, Answer},
        local::Local,
    },
};
use std::{io::Write, path::PathBuf};

/// Positions of our own making.
const BUILT_IN: &str = include_str!("../../../resources/gopal/problems.txt");

#[derive(Debug, clap::Args)]
pub struct NodesArgs {
    /// A file of positions [default: those built in]
    file: Option<PathBuf>,
    /// Give up after so many nodes
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    nodes: u64,
}

pub fn run(args: &NodesArgs, out: &mut dyn Write) -> Result<(), GopalError> {
    let (name, text) = match &args.file {
        None => (PathBuf::from("the positions built in"), BUILT_IN.to_owned()),
        Some(path) => {
            let text = files::read_text(path, 1 << 20).map_err(|error| GopalError::File(path.clone(), error))?;
            (path.clone(), text)
        }
    };
    let wrong = |error: String| GopalError::Game(name.clone(), error);
    let problems = compare::problems(&text).map_err(|error| wrong(error.to_string()))?;
    if problems.is_empty() {
        return Err(wrong("there is no position in it".into()));
    }
    writeln!(
        out,
        "{:<50} {:>7} {:>7} {:>6} {:>10} {:>10} {:>6}",
        "position", "right", "B*", "plies", "alpha-beta", "all depths", "plies"
    )?;
    let (mut right, mut ours, mut theirs, mut fewer, mut open) = (0, 0, 0, 0, 0);
    for problem in &problems {
        let local = Local::new(&problem.board, problem.goal);
        let local = local.map_err(|error| wrong(format!("{}: {error}", problem.name)))?;
        let found = compare::by_bstar(problem, &local, args.nodes);
        let other = compare::by_alpha_beta(problem, &local, args.nodes);
        let is_right = found.reached == Some(problem.reached);
        right += usize::from(is_right);
        (ours, theirs) = (ours + found.nodes, theirs + other.nodes);
        fewer += usize::from(found.nodes < other.nodes);
        open += usize::from(other.reached.is_none());
        let Answer { nodes, depth, .. } = found;
        let at_least = if other.reached.is_none() { ">" } else { "" };
        writeln!(
            out,
            "{:<50} {:>7} {nodes:>7} {depth:>6} {:>10} {:>10} {:>6}",
            problem.name,
            if is_right { "yes" } else { "no" },
            format!("{at_least}{}", other.nodes),
            format!("{at_least}{}", other.all_nodes),
            other.depth,
        )?;
    }
    writeln!(
        out,
        "{} positions, {right} right; B* {ours} nodes, alpha-beta {theirs} at its last depth",
        problems.len()
    )?;
    Ok(writeln!(out, "B* needed fewer nodes on {fewer}; alpha-beta was not sure after {} nodes on {open}", args.nodes)?)
}
