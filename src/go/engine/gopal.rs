//! Commands about Gopal: rules are loaded and listed, candidates and trees are shown.

use super::GoEngine;
use crate::{
    base::{BadArgs, Cell as TableCell, Control, PerPoint, Report as Answered, Table, files},
    engine::{Answer, CommandError, CommandErrorKind, Progress},
    go::{
        Report,
        bstar::{End, Outcome},
        gopal::{
            self as work, Library,
            forest::{Growing, Reason},
        },
        notation::Vertex,
        point::{Geometry, Point},
    },
    gopal::{self, Message, Severity},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The largest program that is read.
const LARGEST: u64 = gopal::parse::LARGEST as u64;

/// A command about Gopal.
#[derive(Debug, Clone, PartialEq)]
pub enum GopalCommand {
    /// Add the rules of a file; those of a file of the same name are replaced.
    Load(PathBuf),
    /// Read a file and say what is wrong with it.
    Check(PathBuf),
    List,
    Candidates,
    Trees,
    /// The weight of the best candidate on each point.
    Weights,
    /// A B* search with the bounds of every move.
    Bounds,
    /// A pattern of this name from the last moves.
    FromBoard(String, usize),
}

/// A file named in a command.
pub(super) fn file(args: &mut crate::base::Args) -> Result<PathBuf, BadArgs> {
    args.next_word().map(PathBuf::from).ok_or(BadArgs::Missing("a file"))
}

impl GoEngine {
    pub(super) fn gopal(&mut self, command: &GopalCommand, control: Control<'_, Progress>) -> Answer<Answered> {
        match command {
            GopalCommand::Load(path) => self.gopal_load(path),
            GopalCommand::Check(path) => {
                let text = read(path)?;
                let checked = gopal::read(&text).map_err(|fault| refuse(path, &fault.0))?;
                Ok(Answered::Table(warnings(checked.rules.len(), &checked.warnings)))
            }
            GopalCommand::FromBoard(name, moves) => {
                let program = work::from_board::corner_pattern(name, &self.game, *moves);
                let text = program.map_err(|e| CommandError::new(CommandErrorKind::Illegal, e))?.to_string();
                // A name that the language reserves would make a text that is no program.
                gopal::read(&text).map_err(|fault| CommandError::new(CommandErrorKind::Syntax, fault))?;
                Ok(Answered::text(text.trim_end()))
            }
            GopalCommand::List => Ok(Answered::Table(list(self.player().library()))),
            GopalCommand::Candidates => {
                let game = self.game.clone();
                Ok(Answered::Table(candidates(self.player().follower(&game), game.geometry())))
            }
            GopalCommand::Trees => {
                let game = self.game.clone();
                Ok(Answered::Table(trees(self.player().follower(&game), game.geometry())))
            }
            GopalCommand::Weights => {
                let game = self.game.clone();
                let found = self.player().follower(&game).candidates();
                let weight = |p: Point| found.iter().find(|c| c.point == p).map(|c| c.weight as f32);
                let geometry = game.geometry();
                let values = geometry.points_from_top().map(weight).collect();
                Ok(Answered::Points(PerPoint { width: geometry.size(), values, decimals: 0 }))
            }
            GopalCommand::Bounds => {
                let (game, limits) = (self.game.clone(), self.limits(None));
                let quiet = Control::new(control.stop_flag(), &|_: &Report| {});
                let (outcome, _) = work::search::bounds(&game, self.player().follower(&game), limits, quiet);
                Ok(Answered::Table(bounds(&outcome, game.geometry())))
            }
        }
    }

    fn gopal_load(&mut self, path: &Path) -> Answer<Answered> {
        let text = read(path)?;
        let name = path.display().to_string();
        let loaded = self.player().library().with_text(&name, &text);
        let (library, found) = loaded.map_err(|fault| refuse(path, &fault.0))?;
        let rules = library.sources().last().map_or(0, |source| source.rules);
        self.player.set_library(Arc::new(library));
        Ok(Answered::Table(warnings(rules, &found)))
    }
}

fn read(path: &Path) -> Answer<String> {
    files::read_text(path, LARGEST)
        .map_err(|e| CommandError::new(CommandErrorKind::File, format!("{}: {e}", path.display())))
}

fn refuse(path: &Path, message: &Message) -> CommandError {
    CommandError::new(CommandErrorKind::Syntax, format!("{}: {message}", path.display()))
}

/// What was read, and the warnings about it.
fn warnings(rules: usize, found: &[Message]) -> Table {
    let row = |message: &Message| {
        let kind = if message.severity == Severity::Warning { "warning" } else { "error" };
        vec![
            message.line.into(),
            message.column.into(),
            TableCell::phrase(kind),
            TableCell::phrase(message.complaint.to_string()),
        ]
    };
    Table {
        title: "remarks".into(),
        columns: vec!["line", "column", "kind", "remark"],
        rows: found.iter().map(row).collect(),
        notes: vec![format!("{rules} patterns read")],
    }
}

fn list(library: &Library) -> Table {
    let row = |source: &work::library::Source| vec![source.name.clone().into(), source.rules.into()];
    Table {
        title: "programs".into(),
        columns: vec!["program", "patterns"],
        rows: library.sources().iter().map(row).collect(),
        notes: vec![],
    }
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Match => "match",
        Reason::Sequence => "sequence",
        Reason::Tenuki => "tenuki",
    }
}

fn candidates(follower: &work::Follower, geometry: Geometry) -> Table {
    let library = follower.library();
    let row = |c: work::Candidate| {
        vec![
            Vertex(geometry, c.point).to_string().into(),
            c.weight.into(),
            (*c.intent).into(),
            TableCell::phrase(reason(c.reason)),
            (*library.rules()[c.rule].name).into(),
        ]
    };
    Table {
        title: "candidates".into(),
        columns: vec!["move", "weight", "intent", "reason", "pattern"],
        rows: follower.candidates().into_iter().map(row).collect(),
        notes: vec![],
    }
}

fn trees(follower: &work::Follower, geometry: Geometry) -> Table {
    let library = follower.library();
    let row = |(number, growing): (usize, &Growing)| {
        vec![
            (number + 1).into(),
            (*library.rules()[growing.tree.origin.rule].name).into(),
            growing.tree.nodes[growing.at].colour.to_string().into(),
            TableCell::Text(drawn(growing, growing.at, geometry, 0)),
        ]
    };
    Table {
        title: "trees".into(),
        columns: vec!["tree", "pattern", "side", "moves"],
        rows: follower.forest().trees().iter().enumerate().map(row).collect(),
        notes: vec![],
    }
}

/// Moves of a tree that are written out.
const DEEPEST: usize = 40;

/// A tree in one line: `D4 F3 (D6 | J4)`, the move of a tenuki after a stroke: `E6/D6`.
fn drawn(growing: &Growing, from: usize, geometry: Geometry, depth: usize) -> String {
    let tree = &growing.tree;
    let one = |id: usize| {
        let node = &tree.nodes[id];
        let mut text = Vertex(geometry, node.point).to_string();
        for tenuki in &node.tenuki {
            text += &format!("/{}", Vertex(geometry, tenuki.point));
        }
        match node.next {
            Some(_) if depth >= DEEPEST => text + " …",
            Some(next) => text + " " + &drawn(growing, next, geometry, depth + 1),
            None => text,
        }
    };
    let ways: Vec<String> = tree.alternatives(Some(from)).map(one).collect();
    if ways.len() == 1 { ways.concat() } else { format!("({})", ways.join(" | ")) }
}

fn bounds(outcome: &Outcome<Point>, geometry: Geometry) -> Table {
    let row = |m: &crate::go::bstar::Ranked<Point>| {
        let line: Vec<String> = m.line.iter().map(|&p| Vertex(geometry, p).to_string()).collect();
        vec![
            Vertex(geometry, m.play).to_string().into(),
            TableCell::Real(m.bounds.lower.into(), 1),
            TableCell::Real(m.bounds.upper.into(), 1),
            m.nodes.into(),
            TableCell::Text(line.join(" ")),
        ]
    };
    let end = match outcome.end {
        End::Proven => "the best move is proven",
        End::Exhausted => "nothing is left to search",
        End::Budget => "stopped by the limit before a move was proven",
    };
    Table {
        title: "bounds".into(),
        columns: vec!["move", "lower", "upper", "nodes", "line"],
        rows: outcome.moves.iter().map(row).collect(),
        notes: vec![
            end.into(),
            format!(
                "{} nodes, ProveBest {} times, DisproveRest {} times",
                outcome.nodes, outcome.prove_best, outcome.disprove_rest
            ),
        ],
    }
}
