//! `book`: work on book files from the command line, and measurements.

mod bench;
pub mod leaf;

use crate::{
    base::{Control, files, signals},
    engine::{CommandError, Engine, GameCommand, Job, Outcome, Progress},
    othello::{
        OthelloEngine,
        book::{
            BookCommand, BookError, Level, Table, commands,
            formats::{self, Care, Format, ReadOptions, WriteOptions},
            judge, read_file, synth,
        },
        engine::OthelloCommand,
    },
    protocol::tables,
    tools::fleet::FleetError,
};
use indicatif::ProgressBar;
use std::{
    io::{self, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// How often long work is heard of where there is no terminal.
const STATUS_PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug, clap::Subcommand)]
pub enum BookTool {
    /// Carry out `book` commands on a book file, one after the other, and save it
    Do(DoArgs),
    /// Turn a book of any format into another
    Convert(ConvertArgs),
    /// Make up a book of real positions with random values
    Synth(SynthArgs),
    /// Measure opening, looking up, saving, merging and fixing, beside reading a book into a hash map
    Bench(BenchArgs),
}

#[derive(Debug, clap::Args)]
pub struct DoArgs {
    /// The book; made if it is not there and a command puts something into it
    file: PathBuf,
    /// What would follow `book` in the console, e.g. "learn depth 12 error 2" fix
    #[arg(required = true)]
    commands: Vec<String>,
    /// The moves that lead to the position to work on
    #[arg(long, default_value = "")]
    moves: String,
    /// Let the workers of a fleet search for the book: the URL of its queue; this process alone writes it
    #[arg(long, value_name = "URL")]
    fleet: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct ConvertArgs {
    /// The book to read
    from: PathBuf,
    /// The file to write; its ending names the format unless --format does
    to: PathBuf,
    /// skbook, egbk3, egbk2, edax, edax-text or text
    #[arg(long)]
    format: Option<String>,
    /// Write this level for all positions
    #[arg(long, value_name = "LEVEL")]
    uniform: Option<Level>,
    /// Take what is sound of a damaged file
    #[arg(long)]
    lenient: bool,
}

#[derive(Debug, clap::Args)]
pub struct SynthArgs {
    /// How many positions
    positions: usize,
    /// The file to write; its ending names the format
    file: PathBuf,
    /// Values are drawn from this number
    #[arg(default_value_t = 1)]
    draw: u64,
}

#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// How many positions
    #[arg(default_value_t = 1_000_000)]
    positions: usize,
    /// Where the files of the measurement are put; they are deleted at the end
    #[arg(long)]
    folder: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Command(#[from] commands::CommandError),
    #[error(transparent)]
    Refused(#[from] CommandError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Open(#[from] crate::othello::book::table::OpenError),
    #[error("{} is no book of our own: changes could not be saved to it (`book convert` makes one of it)", .0.display())]
    Foreign(PathBuf),
    #[error("{} does not exist (commands such as learn, add, import or new make a book)", .0.display())]
    Missing(PathBuf),
    #[error("{0} has no effect on a fleet: its workers search by level")]
    NotInAFleet(&'static str),
    #[error(transparent)]
    Fleet(#[from] FleetError),
    #[error("`{0}` is not a format that can be written")]
    Format(String),
    #[error(transparent)]
    Write(#[from] formats::WriteError),
}

/// `settings`: those of the player, for searches.
pub fn run(tool: &BookTool, settings: &[(&'static str, String)], out: &mut dyn Write) -> Result<(), ToolError> {
    match tool {
        BookTool::Do(args) => carry_out(args, settings, out),
        BookTool::Convert(args) => convert(args, out),
        BookTool::Synth(args) => make_up(args, out),
        BookTool::Bench(args) => bench::run(args, out),
    }
}

fn carry_out(args: &DoArgs, settings: &[(&'static str, String)], out: &mut dyn Write) -> Result<(), ToolError> {
    // All words are read before anything is done.
    let parsed: Vec<BookCommand> = args.commands.iter().map(|line| commands::parse(line)).collect::<Result<_, _>>()?;
    // Before hours of work go into a book that cannot be saved back to where it came from.
    if is_foreign(&args.file)
        && parsed.iter().any(BookCommand::changes)
        && !parsed.iter().any(|command| matches!(command, BookCommand::Save { .. } | BookCommand::Export { .. }))
    {
        return Err(ToolError::Foreign(args.file.clone()));
    }
    let there = args.file.symlink_metadata().is_ok();
    if !there && !parsed.iter().any(makes_a_book) {
        return Err(ToolError::Missing(args.file.clone()));
    }
    if let Some(url) = &args.fleet {
        if let Some((name, _)) = settings.iter().find(|(name, _)| ["mid", "end", "eval"].contains(name)) {
            return Err(ToolError::NotInAFleet(name));
        }
        if cfg!(not(feature = "fleet")) {
            return Err(FleetError::NotBuilt.into());
        }
        let url = url.clone();
        judge::ask_elsewhere(Box::new(move || Box::new(leaf::FleetJudge::new(&url))));
    }
    let mut engine = OthelloEngine::new();
    engine.set("book", "none")?;
    for (name, value) in settings {
        engine.set(name, value)?;
    }
    if !args.moves.trim().is_empty() {
        engine.import(&args.moves)?;
    }
    let file = args.file.display();
    let first = commands::parse(&if there { format!("load \"{file}\"") } else { format!("save \"{file}\"") })?;
    let stop = interrupt();
    let bar = if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    bar.enable_steady_tick(Duration::from_millis(200));
    let told = Mutex::new(Instant::now());
    let tell = |news: &Progress| {
        if let Progress::Work(work) = news {
            let news = tables::work(work);
            bar.set_message(news.clone());
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if bar.is_hidden() && told.elapsed() >= STATUS_PAUSE {
                *told = Instant::now();
                eprintln!("status {news}");
            }
        }
    };
    for command in std::iter::once(first).chain(parsed) {
        let job = Job::Command(GameCommand::new("book", OthelloCommand::Book(command)));
        let Outcome::Report(report) = engine.work(&job, Control::new(stop, &tell))? else { continue };
        bar.suspend(|| writeln!(out, "{}", tables::text(&report)))?;
    }
    bar.finish_and_clear();
    engine.shutdown()?;
    Ok(())
}

/// What has something to put into a book that is not there yet.
fn makes_a_book(command: &BookCommand) -> bool {
    matches!(
        command,
        BookCommand::Set { .. }
            | BookCommand::Add { .. }
            | BookCommand::Store { .. }
            | BookCommand::Learn(_)
            | BookCommand::LearnGames { .. }
            | BookCommand::Extend(_)
            | BookCommand::Fill { .. }
            | BookCommand::Merge { .. }
            | BookCommand::Import { .. }
            | BookCommand::New { .. }
    )
}

/// The file is there, and it is in the format of another program.
fn is_foreign(file: &Path) -> bool {
    let mut first = Vec::new();
    let read = files::open(file).and_then(|file| file.take(64).read_to_end(&mut first));
    read.is_ok() && !first.is_empty() && Format::detect(&first) != Some(Format::Own)
}

/// A signal ends the commands; what is done is kept and saved.
fn interrupt() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    if let Err(error) = signals::watch(|_| STOP.store(true, Ordering::Relaxed)) {
        log::warn!("no signals: {error}");
    }
    &STOP
}

fn format_for(file: &Path, named: Option<&str>) -> Result<Format, ToolError> {
    let format = match named {
        Some(name) => Format::by_name(name),
        None => Format::by_file_name(&file.to_string_lossy()),
    };
    format
        .filter(|format| format.can_write())
        .ok_or_else(|| ToolError::Format(named.map_or_else(|| file.display().to_string(), str::to_string)))
}

fn write_book(
    table: &Table,
    file: &Path,
    format: Format,
    level: Option<Level>,
) -> Result<formats::WriteReport, ToolError> {
    Ok(formats::write_file(file, table, format, WriteOptions { level }, &AtomicBool::new(false))?)
}

fn convert(args: &ConvertArgs, out: &mut dyn Write) -> Result<(), ToolError> {
    let format = format_for(&args.to, args.format.as_deref())?;
    let care = if args.lenient { Care::Lenient } else { Care::Strict };
    let level = args.uniform.unwrap_or(ReadOptions::default().level);
    let (table, read) = read_file(&args.from, ReadOptions { care, level })?;
    writeln!(out, "read {}: {} positions", read.format, read.positions)?;
    for (fault, tally) in &read.faults {
        writeln!(out, "  {} x {} (first at byte {})", tally.count, fault.text(), tally.first_offset)?;
    }
    let report = write_book(&table, &args.to, format, args.uniform)?;
    writeln!(out, "wrote {}: {} positions", report.format, report.positions)?;
    for loss in &report.lost {
        writeln!(out, "  not kept: {} ({})", loss.what, loss.count)?;
    }
    Ok(())
}

fn make_up(args: &SynthArgs, out: &mut dyn Write) -> Result<(), ToolError> {
    let format = format_for(&args.file, None)?;
    let table = Table::from_entries(synth::entries(args.positions, args.draw), 0);
    let report = write_book(&table, &args.file, format, None)?;
    writeln!(out, "wrote {} positions to {}", report.positions, args.file.display())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("shirokuro-booktool-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).ok();
        }
    }

    fn output(tool: &BookTool) -> Result<String, ToolError> {
        let mut out = Vec::new();
        let settings = [("level", "1".to_string()), ("threads", "1".into()), ("hash", "10".into())];
        run(tool, &settings, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn doing(file: &Path, commands: &[&str], moves: &str) -> Result<String, ToolError> {
        let commands = commands.iter().map(|line| line.to_string()).collect();
        output(&BookTool::Do(DoArgs { file: file.into(), commands, moves: moves.into(), fleet: None }))
    }

    #[test]
    fn commands_are_carried_out_and_the_book_is_saved() {
        let scratch = Scratch::new("do");
        let file = scratch.0.join("a book.skbook");
        let text = doing(&file, &["learn depth 3 error 1", "fix"], "").unwrap();
        assert!(text.contains("positions") && text.contains("orphans"), "{text}");
        let learned = Table::open(&file).unwrap().len();
        assert!(learned > 3);
        doing(&file, &["set 5"], "f5d6").unwrap();
        doing(&file, &["store"], "f5d6c3d3c4").unwrap();
        assert!(Table::open(&file).unwrap().len() > learned);
        let error = doing(&file, &["fix", "frobnicate"], "").unwrap_err();
        assert_eq!(error.to_string(), "there is no `book frobnicate`; `book help` lists what there is");
        assert!(doing(&file, &["fix"], "a1").is_err());
        let typo = scratch.0.join("typo.skbook");
        for command in ["info", "fix", "verify", "show", "export x.egbk3"] {
            assert!(matches!(doing(&typo, &[command], "").unwrap_err(), ToolError::Missing(_)), "{command}");
            assert!(!typo.exists(), "{command}");
        }
        doing(&typo, &["new"], "").unwrap();
        assert!(Table::open(&typo).unwrap().is_empty());
        std::fs::write(scratch.0.join("noise"), "no book").unwrap();
        assert!(doing(&scratch.0.join("noise"), &["fix"], "").is_err());
        let foreign = scratch.0.join("a.egbk3");
        doing(&file, &[&format!("export \"{}\"", foreign.display())], "").unwrap();
        assert!(doing(&foreign, &["info"], "").unwrap().contains("by level"));
        let error = doing(&foreign, &["info", "fix"], "").unwrap_err();
        assert!(matches!(&error, ToolError::Foreign(_)), "{error}");
        let own = scratch.0.join("b.skbook");
        doing(&foreign, &["fix", &format!("save \"{}\"", own.display())], "").unwrap();
        assert_eq!(Table::open(&own).unwrap().len(), Table::open(&file).unwrap().len());
    }

    #[test]
    fn books_are_made_up_and_converted() {
        let scratch = Scratch::new("convert");
        let at = |name: &str| scratch.0.join(name);
        let made = output(&BookTool::Synth(SynthArgs { positions: 500, file: at("a.skbook"), draw: 3 })).unwrap();
        assert!(made.starts_with("wrote 500 positions"));
        let convert = |from: &str, to: &str, uniform| {
            let (from, to) = (at(from), at(to));
            output(&BookTool::Convert(ConvertArgs { from, to, format: None, uniform, lenient: false }))
        };
        let text = convert("a.skbook", "b.egbk3", None).unwrap();
        assert!(
            text.contains("read skbook: 500 positions\n") && text.contains("wrote egbk3: 500 positions\n"),
            "{text}"
        );
        convert("b.egbk3", "c.skbook", Some(Level::from_search(9))).unwrap();
        let table = Table::open(&at("c.skbook")).unwrap();
        assert_eq!(table.len(), 500);
        assert!(convert("a.skbook", "d.xyz", None).is_err());
        assert!(convert("missing", "d.egbk3", None).is_err() && !at("d.egbk3").exists());
    }

    #[test]
    fn the_measurement_leaves_nothing_behind() {
        let scratch = Scratch::new("bench");
        let args = BenchArgs { positions: 2000, folder: Some(scratch.0.clone()) };
        let text = output(&BookTool::Bench(args)).unwrap();
        assert!(text.contains("look up, warm") && text.contains("hash map"), "{text}");
        assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 0);
    }
}
