//! `shirokuro gopal`: tools for those who write Gopal.

mod coverage;
mod games;
mod learn;
mod nodes;

use crate::{
    base::files,
    go::{
        gopal::{Follower, Library},
        notation::Vertex,
        sgf,
    },
    gopal::{self, Message, Severity},
};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

#[derive(Debug, clap::Subcommand)]
pub enum GopalTool {
    /// Report errors and warnings of programs
    #[command(after_help = "Example: shirokuro gopal check my.gopal")]
    Check {
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Lay out a program in the one usual way; comments stay where they belong
    #[command(after_help = "Example: shirokuro gopal fmt my.gopal --write")]
    Fmt {
        file: PathBuf,
        /// Change the file, with a backup, instead of printing
        #[arg(long)]
        write: bool,
    },
    /// Make corner sequences from games or joseki trees (SGF, or lines of `komi result moves`, also gzipped)
    #[command(after_help = "Example: shirokuro gopal from-sgf joseki.sgf --at-least 1 > joseki.gopal")]
    FromSgf(learn::LearnArgs),
    /// Show what programs suggest in the last position of a game
    #[command(after_help = "Example: shirokuro gopal match game.sgf my.gopal")]
    Match {
        /// The game (SGF)
        game: PathBuf,
        /// Programs [default: those built in]
        programs: Vec<PathBuf>,
    },
    /// Compare programs with games: how often there are candidates, and how the played move ranks among them
    #[command(after_help = "Example: shirokuro gopal coverage games.sgf --games 100")]
    Coverage(coverage::CoverageArgs),
    /// Count the nodes that B* and alpha-beta need for tactical positions
    #[command(after_help = "Example: shirokuro gopal nodes")]
    Nodes(nodes::NodesArgs),
}

#[derive(Debug, thiserror::Error)]
pub enum GopalError {
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, io::Error),
    /// Written out, with the line and a caret.
    #[error("{0}")]
    Program(String),
    #[error("{}: {}", .0.display(), .1)]
    Game(PathBuf, String),
    #[error("the comments of {} would be lost", .0.display())]
    Comments(PathBuf),
    #[error("{}: there are no moves to look at", .0.display())]
    NoMoves(PathBuf),
    #[error("nothing occurs {0} times")]
    Nothing(u32),
    #[error(transparent)]
    Write(#[from] io::Error),
}

pub fn run(tool: &GopalTool, out: &mut dyn Write) -> Result<(), GopalError> {
    match tool {
        GopalTool::Check { files } => files.iter().try_for_each(|file| check(file, out)),
        GopalTool::Fmt { file, write } => format(file, *write, out),
        GopalTool::FromSgf(args) => learn::run(args, out),
        GopalTool::Match { game, programs } => show_match(game, programs, out),
        GopalTool::Coverage(args) => coverage::run(args, out),
        GopalTool::Nodes(args) => nodes::run(args, out),
    }
}

fn read(path: &Path) -> Result<String, GopalError> {
    let limit = gopal::parse::LARGEST as u64;
    files::read_text(path, limit).map_err(|error| GopalError::File(path.to_owned(), error))
}

/// A remark with its file, its line and a caret.
fn written_out(path: &Path, message: &Message) -> String {
    let kind = if message.severity == Severity::Error { "error" } else { "warning" };
    let Message { line, column, complaint, source_line, .. } = message;
    format!("{}:{line}:{column}: {kind}: {complaint}\n  {source_line}\n  {}", path.display(), message.caret())
}

fn check(path: &Path, out: &mut dyn Write) -> Result<(), GopalError> {
    let text = read(path)?;
    let checked = gopal::read(&text).map_err(|fault| GopalError::Program(written_out(path, &fault.0)))?;
    for warning in &checked.warnings {
        writeln!(out, "{}", written_out(path, warning))?;
    }
    let (patterns, warnings) = (checked.rules.len(), checked.warnings.len());
    Ok(writeln!(out, "{}: {patterns} patterns, {warnings} warnings", path.display())?)
}

fn format(path: &Path, write: bool, out: &mut dyn Write) -> Result<(), GopalError> {
    let text = read(path)?;
    let formatted = gopal::comments::format(&text);
    let formatted = formatted.map_err(|fault| GopalError::Program(written_out(path, &fault.0)))?;
    let formatted = formatted.ok_or_else(|| GopalError::Comments(path.to_owned()))?;
    if !write {
        return Ok(write!(out, "{formatted}")?);
    }
    files::replace(path, |file| file.write_all(formatted.as_bytes()))
        .map_err(|error| GopalError::File(path.to_owned(), error))
}

/// The programs of these files as one library, or what is built in.
fn library(programs: &[PathBuf]) -> Result<Arc<Library>, GopalError> {
    if programs.is_empty() {
        return Ok(Library::standard());
    }
    let mut library = Library::empty();
    for path in programs {
        let text = read(path)?;
        let added = library.with_text(&path.display().to_string(), &text);
        library = added.map_err(|fault| GopalError::Program(written_out(path, &fault.0)))?.0;
    }
    Ok(Arc::new(library))
}

fn show_match(path: &Path, programs: &[PathBuf], out: &mut dyn Write) -> Result<(), GopalError> {
    let library = library(programs)?;
    let text = files::read_text(path, 1 << 26).map_err(|error| GopalError::File(path.to_owned(), error))?;
    let wrong = |error: sgf::BadSgf| GopalError::Game(path.to_owned(), error.to_string());
    let game = sgf::parse(&text).map_err(wrong)?.game(None).map_err(wrong)?;
    let mut follower = Follower::new(library.clone(), &game);
    follower.follow(&game);
    let found = follower.candidates();
    writeln!(out, "{:<5} {:>6}  {:<12} pattern", "move", "weight", "intent")?;
    for c in &found {
        let name = &library.rules()[c.rule].name;
        let source = library.source_of(c.rule);
        let vertex = Vertex(game.geometry(), c.point).to_string();
        writeln!(out, "{vertex:<5} {:>6}  {:<12} {name} ({source})", c.weight, c.intent)?;
    }
    Ok(writeln!(out, "{} candidates for {}, {} trees", found.len(), game.to_move(), follower.forest().trees().len())?)
}
