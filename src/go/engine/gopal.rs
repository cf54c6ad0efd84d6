//! Commands about Gopal: rules are loaded and listed, candidates and trees are shown.

use super::GoEngine;
use crate::{
    base::{
        Args, BadArgs, Cell as TableCell, Colour, Control, PerLabel, PerPoint, Report as Answered, Table, Way, files,
    },
    engine::{Answer, CommandError, CommandErrorKind, Progress},
    go::{
        Report,
        bstar::{End, Outcome},
        gopal::{
            self as work, Library,
            forest::{Growing, Reason},
            from_board::{self, Wanted},
            local::{self, Goal, Local, Verdict},
            tree::Suggestion,
        },
        notation::{Vertex, parse_vertex},
        point::{Geometry, Point},
    },
    gopal::{
        self, Message, Severity,
        ast::{Place, Word},
    },
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
    /// Take out the rules of a program.
    Unload(String),
    /// Read a file and say what is wrong with it.
    Check(PathBuf),
    List,
    Candidates,
    Trees,
    /// The weight of the best candidate on each point.
    Weights,
    /// The intent and the weight of the best candidate on each point.
    Intents,
    /// A B* search with the bounds of every move.
    Bounds,
    /// A pattern from the board in hand.
    FromBoard(FromBoard),
    /// A search for one goal in one part of the board.
    Local(Aim),
}

/// What `gopal_from_board` is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct FromBoard {
    name: String,
    place: Place,
    moves: usize,
    /// Points by name.
    points: Vec<String>,
}

impl FromBoard {
    pub(super) fn read(args: &mut Args) -> Result<FromBoard, BadArgs> {
        let name = args.next_word().ok_or(BadArgs::Missing("a name"))?;
        let place = args.peek().and_then(|word| Place::from_word(&word.to_ascii_lowercase()));
        if place.is_some() {
            args.next_word();
        }
        let counts = args.peek().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let moves = if counts { args.number("a number of moves", usize::MAX)? } else { 1 };
        let points = std::iter::from_fn(|| args.next_word()).collect();
        Ok(FromBoard { name, place: place.unwrap_or(Place::Corner), moves, points })
    }
}

/// A goal whose stones are still names.
#[derive(Debug, Clone, PartialEq)]
pub enum Aim {
    Capture(String),
    Connect(String, String),
    Eye(String),
}

impl Aim {
    pub(super) fn read(args: &mut Args) -> Result<Aim, BadArgs> {
        const GOALS: &str = "capture, connect or eye";
        let goal = args.next_word().ok_or(BadArgs::Missing(GOALS))?;
        let mut stone = || args.next_word().ok_or(BadArgs::Missing("a stone"));
        match goal.to_ascii_lowercase().as_str() {
            "capture" => stone().map(Aim::Capture),
            "connect" => Ok(Aim::Connect(stone()?, stone()?)),
            "eye" => stone().map(Aim::Eye),
            _ => Err(BadArgs::Wrong { found: goal, expected: GOALS }),
        }
    }
}

/// Nodes for each of the two questions of a local search, unless fewer playouts are set.
const LOCAL_NODES: u64 = 20_000;

/// A file named in a command.
pub(super) fn file(args: &mut crate::base::Args) -> Result<PathBuf, BadArgs> {
    args.next_word().map(PathBuf::from).ok_or(BadArgs::Missing("a file"))
}

impl GoEngine {
    pub(super) fn gopal(&mut self, command: &GopalCommand, control: Control<'_, Progress>) -> Answer<Answered> {
        match command {
            GopalCommand::Load(path) => self.gopal_load(path),
            GopalCommand::Unload(name) => {
                let library = self.player().library().without(name);
                let unknown =
                    || CommandError::new(CommandErrorKind::Illegal, format!("no Gopal program `{name}` is in use"));
                self.player.set_library(Arc::new(library.ok_or_else(unknown)?));
                Ok(Answered::Nothing)
            }
            GopalCommand::Check(path) => {
                let text = read(path)?;
                let checked = gopal::read(&text).map_err(|fault| refuse(path, &fault.0))?;
                Ok(Answered::Table(warnings(checked.rules.len(), &checked.warnings)))
            }
            GopalCommand::FromBoard(wanted) => self.written_pattern(wanted),
            GopalCommand::Local(aim) => self.local(aim, control),
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
            GopalCommand::Intents => {
                let game = self.game.clone();
                let found = self.player().follower(&game).candidates();
                let label = |c: &work::Candidate| format!("{}{}", c.intent.get(..3).unwrap_or(&c.intent), c.weight);
                let of = |p: Point| found.iter().find(|c| c.point == p).map(label);
                let labels = game.geometry().points_from_top().map(of).collect();
                Ok(Answered::Labels(PerLabel { width: game.size(), labels }))
            }
            GopalCommand::Bounds => {
                let (game, limits) = (self.game.clone(), self.limits(None));
                let quiet = Control::new(control.stop_flag(), &|_: &Report| {});
                let (outcome, _) = work::search::bounds(&game, self.player().follower(&game), limits, quiet);
                Ok(Answered::Table(bounds(&outcome, game.geometry())))
            }
        }
    }

    fn point_named(&self, name: &str) -> Answer<Point> {
        let found = parse_vertex(self.game.geometry(), name).ok().filter(|p| !p.is_pass());
        found
            .ok_or_else(|| CommandError::new(CommandErrorKind::Syntax, format!("`{name}` is not a point of the board")))
    }

    fn written_pattern(&self, wanted: &FromBoard) -> Answer<Answered> {
        let points = wanted.points.iter().map(|name| self.point_named(name)).collect::<Answer<Vec<Point>>>()?;
        let FromBoard { name, place, moves, .. } = wanted;
        let wanted = Wanted { name, place: *place, moves: *moves, points: &points };
        let program = from_board::program(wanted, &self.game);
        let text = program.map_err(|e| CommandError::new(CommandErrorKind::Illegal, e))?.to_string();
        // A name that the language reserves would make a text that is no program.
        gopal::read(&text).map_err(|fault| CommandError::new(CommandErrorKind::Syntax, fault))?;
        Ok(Answered::text(text.trim_end()))
    }

    fn local(&self, aim: &Aim, control: Control<'_, Progress>) -> Answer<Answered> {
        let goal = match aim {
            Aim::Capture(stone) => Goal::Capture(self.point_named(stone)?),
            Aim::Eye(stone) => Goal::Eye(self.point_named(stone)?),
            Aim::Connect(a, b) => Goal::Connect(self.point_named(a)?, self.point_named(b)?),
        };
        let board = self.game.board();
        let local = Local::new(board, goal).map_err(|e| CommandError::new(CommandErrorKind::Illegal, e))?;
        let limits = self.limits(None);
        let most = limits.nodes.unwrap_or(LOCAL_NODES).min(LOCAL_NODES);
        let ask = |first: Colour| {
            let over = |nodes: u64| nodes >= most || control.stopped();
            (first, local::search(local.clone(), board, first, over))
        };
        let wants = local.wants();
        let verdicts = [wants, !wants].map(ask);
        Ok(Answered::Table(verdict_table(&verdicts, &local, self.game.geometry())))
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
            TableCell::Ways {
                text: drawn(growing, growing.at, geometry, 0),
                ways: ways(growing, growing.at, geometry, 0),
            },
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

/// A tree step by step: each move with its side, weight and intent, what answers a tenuki, and what follows.
fn ways(growing: &Growing, from: usize, geometry: Geometry, depth: usize) -> Vec<Way> {
    let tree = &growing.tree;
    let move_facts = |point: Point, weight: i64, intent: &str| {
        let vertex = Vertex(geometry, point).to_string();
        vec![("move", vertex.into()), ("weight", weight.into()), ("intent", intent.into())]
    };
    let one = |id: usize| {
        let node = &tree.nodes[id];
        let mut facts = move_facts(node.point, node.weight, &node.intent);
        facts.push(("side", node.colour.to_string().into()));
        if !node.tenuki.is_empty() {
            let answer = |s: &Suggestion| Way { facts: move_facts(s.point, s.weight, &s.intent), next: vec![] };
            let ways = node.tenuki.iter().map(answer).collect();
            facts.push(("tenuki", TableCell::Ways { text: String::new(), ways }));
        }
        let next = node.next.filter(|_| depth < DEEPEST);
        Way { facts, next: next.map_or(vec![], |next| ways(growing, next, geometry, depth + 1)) }
    };
    tree.alternatives(Some(from)).map(one).collect()
}

/// What was found out about a goal, for either side to move first.
fn verdict_table(verdicts: &[(Colour, Verdict)], local: &Local, geometry: Geometry) -> Table {
    let row = |(first, verdict): &(Colour, Verdict)| {
        let result = match verdict.reached {
            Some(true) => "reached",
            Some(false) => "not reached",
            None => "open",
        };
        let line: Vec<String> = verdict.line.iter().map(|&p| Vertex(geometry, p).to_string()).collect();
        vec![first.to_string().into(), TableCell::phrase(result), verdict.nodes.into(), line.join(" ").into()]
    };
    let part = match local.size() {
        Some(points) => format!("{points} points were cut out"),
        None => "the moves follow the prey".into(),
    };
    Table {
        title: "local search".into(),
        columns: vec!["first", "goal", "nodes", "line"],
        rows: verdicts.iter().map(row).collect(),
        notes: vec![format!("{} wants it", local.wants()), part],
    }
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
