//! `shirokuro report GAMES… -o league.html`: looks at many games, one a core, and makes a page about their players,
//! a page for each game, and the same as CSV and JSON.

use crate::{
    base::{Control, Limits, files},
    engine::{Answer, CommandError, CommandErrorKind, Depth, Source},
    othello::{
        Board, Game, Move, Position,
        eval::Weights,
        notation::{
            diagram::{Alphabet, board_text},
            moves::parse_move,
        },
        records::{Record, lines, obf::Problem},
        search::{Config, Effort, Searcher},
        study::{
            analysis::Findings,
            games::Collection,
            league::{GameResult, game_result, league},
            page,
            review::{MoveValue, Review, Reviewed, review},
            xot,
        },
    },
    protocol::tables::one_line,
    tools::{
        fleet::{self, FleetError},
        pool::job::{AtHand, Fields, Piece, fields_of, from_fields, search_cost},
    },
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Files and folders with games
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The page to write; CSV and JSON get its name with their own ending, games a folder beside it
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// How hard to look at each position
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=60))]
    level: u8,
    /// Games looked at at the same time (default: one a core)
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Go on where an earlier report with the same level was stopped
    #[arg(long)]
    resume: bool,
    /// No page for each game
    #[arg(long)]
    no_pages: bool,
    /// The heading of the page
    #[arg(long, default_value = "Othello league")]
    title: String,
    /// Let the workers of a fleet look at the games: the URL of its queue
    #[arg(long, value_name = "URL")]
    fleet: Option<String>,
    /// Balanced openings, one a line: the moves of a game that began with one of them are not judged
    #[arg(long, value_name = "FILE")]
    xot_file: Option<PathBuf>,
}

/// A game to be looked at, as a job: `review`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewJob {
    /// Where the game began, if not as usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    /// Passes too.
    moves: Vec<String>,
    level: u8,
}

/// What was found about one position, the moves with their values.
#[derive(Debug, Serialize, Deserialize)]
struct ReviewedText {
    ply: usize,
    values: Vec<ValueText>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ValueText {
    value: f64,
    line: String,
    plies: u32,
    percent: u8,
    to_end: bool,
    /// By the rules, not by a search.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    rules: bool,
}

impl ReviewJob {
    pub fn read(fields: Fields) -> Answer<Arc<dyn Piece>> {
        let job: ReviewJob = from_fields(fields)?;
        if !(1..=60).contains(&job.level) {
            return Err(CommandError::new(CommandErrorKind::Range, "level: it takes 1 to 60").in_field("level"));
        }
        job.game()?;
        Ok(Arc::new(job))
    }

    fn new(record: &Record, level: u8) -> ReviewJob {
        let game = &record.game;
        let start = game.position_at(0).filter(|start| *start != Position::START);
        let position = start.map(|start| board_text(start, Alphabet::LETTERS));
        ReviewJob { position, moves: game.plies().iter().map(|ply| ply.mv.to_string()).collect(), level }
    }

    fn game(&self) -> Answer<Game> {
        let wrong = |field: &str, why: String| {
            CommandError::new(CommandErrorKind::Illegal, format!("{field}: {why}")).in_field(field)
        };
        let start = match &self.position {
            Some(text) => Problem::parse(text).map_err(|e| wrong("position", e.to_string()))?.position,
            None => Position::START,
        };
        let mut game = Game::without_auto_pass(start);
        for name in &self.moves {
            let mv = parse_move(name).map_err(|e| wrong("moves", e.to_string()))?;
            game.play(None, mv).map_err(|e| wrong("moves", e.to_string()))?;
        }
        Ok(game)
    }

    fn fields(&self) -> Fields {
        let mut fields = fields_of(self);
        fields.insert("kind".into(), "review".into());
        fields.insert("cost".into(), self.cost().into());
        fields
    }
}

impl Piece for ReviewJob {
    fn carry_out(&self, at_hand: &mut dyn AtHand, stop: &AtomicBool) -> Answer<Option<Fields>> {
        let game = self.game()?;
        let reviews = look_at(at_hand.searcher(HASH_BITS), &game, self.level, Control::new(stop, &|_| {}));
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let value = |value: &MoveValue| ValueText {
            value: value.value,
            line: value.line.iter().map(Move::to_string).collect::<Vec<_>>().join(" "),
            plies: value.depth.plies,
            percent: value.depth.percent,
            to_end: value.depth.to_end,
            rules: value.source == Source::Rules,
        };
        let texts = reviews.iter().map(|r| ReviewedText { ply: r.ply, values: r.values.iter().map(value).collect() });
        let reviews = serde_json::to_value(texts.collect::<Vec<_>>()).unwrap_or_default();
        Ok(Some(Fields::from_iter([("reviews".into(), reviews)])))
    }

    fn cost(&self) -> f64 {
        let end = f64::from(2 * self.level.min(10));
        self.moves.len() as f64 * search_cost(f64::from(self.level), 60.0, 74.0) + search_cost(end, end, 100.0)
    }
}

fn look_at(searcher: &mut Searcher, game: &Game, level: u8, control: Control<'_, Reviewed>) -> Vec<Reviewed> {
    let no_book = |_: Board| -> Vec<MoveValue> { vec![] };
    let how = Review { effort: Effort::Level(level), limits: Limits::NONE, lines: 1, book: &no_book };
    review(searcher, game, &how, control)
}

/// The reviews that a worker has sent back.
fn reviews_of(game: &Game, mut fields: Fields) -> Option<Vec<Reviewed>> {
    let texts: Vec<ReviewedText> = serde_json::from_value(fields.remove("reviews")?).ok()?;
    let reviewed = |text: ReviewedText| {
        let values = text.values.into_iter().map(|value| {
            let line =
                value.line.split_whitespace().map(|name| parse_move(name).ok()).collect::<Option<Vec<Move>>>()?;
            let depth = Depth { plies: value.plies, percent: value.percent, to_end: value.to_end, wld: false };
            let source = if value.rules { Source::Rules } else { Source::Search };
            Some(MoveValue { mv: *line.first()?, value: value.value, line, depth, source })
        });
        Some(Reviewed {
            ply: text.ply,
            position: game.position_at(text.ply)?,
            played: game.plies().get(text.ply).map(|ply| ply.mv),
            values: values.collect::<Option<_>>()?,
        })
    };
    texts.into_iter().map(reviewed).collect()
}

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Fleet(#[from] FleetError),
    #[error("there are no games in these files{0}")]
    NoGames(String),
    #[error("{path}: {error}", path = .path.display())]
    File { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
struct Done {
    game: String,
    level: u8,
    page: Option<String>,
    result: GameResult,
}

/// The entries of the hash table of a thread: two to this power. Games are looked at by shallow searches.
const HASH_BITS: u32 = 18;

pub fn run(args: &ReportArgs, out: &mut dyn Write) -> Result<(), ReportError> {
    let collection = Collection::open(&args.games, &mut |_, _| {}, &AtomicBool::new(false));
    for damage in &collection.damaged {
        writeln!(out, "left out: {}: {}", damage.file.display(), one_line(&damage.message))?;
    }
    let records: Vec<Record> = (0..collection.len()).filter_map(|i| collection.record(i)).collect();
    if records.is_empty() {
        let reason = collection.damaged.first();
        return Err(ReportError::NoGames(reason.map_or(String::new(), |damage| format!(": {}", damage.message))));
    }
    let xot = match &args.xot_file {
        Some(path) => {
            let bad = |error: String| ReportError::File { path: path.clone(), error: io::Error::other(error) };
            Some(xot::List::open(path).map_err(bad)?)
        }
        None => None,
    };
    let work = Work::begin(args, xot, &records)?;
    let results = match &args.fleet {
        Some(url) => work.by_fleet(url, &records)?,
        None => work.all(&records)?,
    };
    let league = league(&args.title, args.level, &results);
    write(&args.output, league.html().as_bytes())?;
    write(&args.output.with_extension("csv"), league.csv().as_bytes())?;
    let json = serde_json::to_string_pretty(&league).map_err(io::Error::other)?;
    write(&args.output.with_extension("json"), json.as_bytes())?;
    // What is finished needs no journal.
    std::fs::remove_file(journal_of(&args.output)).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;
    let (games, players) = (league.games.len(), league.players.len());
    writeln!(out, "{games} games of {players} players: {}", args.output.display())?;
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    files::replace(path, |file| file.write_all(bytes)).map_err(|error| ReportError::File { path: path.into(), error })
}

fn journal_of(output: &Path) -> PathBuf {
    files::with_suffix(output, ".journal")
}

/// What makes a game this game.
fn key(record: &Record) -> String {
    let mut game = record.game.clone();
    game.go_to(game.plies().len());
    format!("{}|{}|{}|{}", record.names[0], record.names[1], record.date, lines::text(&game))
}

struct Work<'a> {
    args: &'a ReportArgs,
    /// Openings that were given, besides those built in.
    xot: Option<xot::List>,
    /// What is known already, by key.
    done: HashMap<String, Done>,
    journal: Mutex<File>,
    /// Pages of games: where, and how the main page names them.
    pages: Option<(PathBuf, String)>,
    bar: ProgressBar,
}

impl<'a> Work<'a> {
    fn begin(args: &'a ReportArgs, xot: Option<xot::List>, records: &[Record]) -> Result<Work<'a>, ReportError> {
        let path = journal_of(&args.output);
        let at = |error| ReportError::File { path: path.clone(), error };
        let old =
            if args.resume && path.exists() { files::read_text(&path, 1 << 30).map_err(at)? } else { String::new() };
        // A line that was cut off in the middle is not taken.
        let entries = old.lines().filter_map(|line| serde_json::from_str::<Done>(line).ok());
        let done: HashMap<String, Done> =
            entries.filter(|done| done.level == args.level).map(|done| (done.game.clone(), done)).collect();
        let mut options = OpenOptions::new();
        let mut journal = options.create(true).append(true).open(&path).map_err(at)?;
        if args.resume {
            journal.write_all(b"\n").map_err(at)?;
        } else {
            journal.set_len(0).map_err(at)?;
        }
        let pages = match (args.no_pages, args.output.file_stem()) {
            (false, Some(stem)) => {
                let name = format!("{}-games", stem.to_string_lossy());
                let folder = args.output.with_file_name(&name);
                let at = |error| ReportError::File { path: folder.clone(), error };
                std::fs::create_dir_all(&folder).map_err(at)?;
                Some((folder, name))
            }
            _ => None,
        };
        let bar = ProgressBar::new(records.len() as u64);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {eta} left") {
            bar.set_style(style);
        }
        Ok(Work { args, xot, done, journal: Mutex::new(journal), pages, bar })
    }

    /// The results in the order of the games.
    fn all(&self, records: &[Record]) -> Result<Vec<GameResult>, ReportError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.args.threads.map_or(cores, usize::from).min(records.len());
        let (next, found) = (AtomicUsize::new(0), Mutex::new(vec![]));
        let weights = Weights::builtin();
        std::thread::scope(|scope| {
            let worker = || -> Result<(), ReportError> {
                let config = Config { threads: 1, hash_bits: HASH_BITS, weights: weights.clone() };
                let mut searcher = Searcher::new(config);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(record) = records.get(index) else { return Ok(()) };
                    let result = self.one(&mut searcher, record, index)?;
                    found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
                    self.bar.inc(1);
                }
            };
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().try_for_each(|worker| {
                worker.join().unwrap_or_else(|_| Err(io::Error::other("a thread of the report failed").into()))
            })
        })?;
        self.bar.finish_and_clear();
        let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        found.sort_by_key(|(index, _)| *index);
        Ok(found.into_iter().map(|(_, result)| result).collect())
    }

    /// The same, looked at by the workers of a fleet.
    fn by_fleet(&self, url: &str, records: &[Record]) -> Result<Vec<GameResult>, ReportError> {
        let mut results: Vec<Option<GameResult>> =
            records.iter().enumerate().map(|(index, record)| self.known(record, index)).collect();
        let open: Vec<usize> = (0..records.len()).filter(|index| results[*index].is_none()).collect();
        let jobs = open.iter().map(|index| ReviewJob::new(&records[*index], self.args.level).fields()).collect();
        fleet::ask(url, jobs, &AtomicBool::new(false), &mut |number, fields| {
            let index = open[number];
            let record = &records[index];
            let reviews = reviews_of(&record.game, fields);
            let reviews = reviews.ok_or_else(|| FleetError::Server("a result is no review of its game".into()))?;
            let result = self.keep(record, index, &reviews).map_err(|error| io::Error::other(error.to_string()))?;
            results[index] = Some(result);
            self.bar.inc(1);
            Ok(())
        })?;
        self.bar.finish_and_clear();
        Ok(results.into_iter().flatten().collect())
    }

    /// The page of a game, and how the main page names it.
    fn page_of(&self, index: usize) -> Option<(PathBuf, String)> {
        self.pages.as_ref().map(|(folder, name)| {
            let file = format!("{}.html", index + 1);
            (folder.join(&file), format!("{name}/{file}"))
        })
    }

    /// What an earlier run has found.
    fn known(&self, record: &Record, index: usize) -> Option<GameResult> {
        let name = self.page_of(index);
        let done = self.done.get(&key(record))?;
        let same = done.page == name.as_ref().map(|(_, link)| link.clone())
            && name.as_ref().is_none_or(|(path, _)| path.exists());
        same.then(|| done.result.clone())
    }

    fn one(&self, searcher: &mut Searcher, record: &Record, index: usize) -> Result<GameResult, ReportError> {
        if let Some(result) = self.known(record, index) {
            return Ok(result);
        }
        // Values must not depend on which games were looked at before.
        searcher.clear();
        let reviews = look_at(searcher, &record.game, self.args.level, Control::alone());
        self.keep(record, index, &reviews)
    }

    /// Writes the page of a game and a line of the journal.
    fn keep(&self, record: &Record, index: usize, reviews: &[Reviewed]) -> Result<GameResult, ReportError> {
        let name = self.page_of(index);
        let given = xot::given(self.xot.as_ref(), &record.game);
        let mut result = game_result(record, reviews, given);
        if let Some((path, link)) = &name {
            let mut findings = Findings::default();
            reviews.iter().for_each(|reviewed| findings.note_judged(&record.game, &page::judged(reviewed)));
            let points = findings.graph(&record.game, given);
            write(path, page::page(record, reviews, &points, &[], given).html().as_bytes())?;
            result.game.page = Some(link.clone());
        }
        let page = name.map(|(_, link)| link);
        let done = Done { game: key(record), level: self.args.level, page, result };
        let line = serde_json::to_string(&done).map_err(io::Error::other)? + "\n";
        let mut journal = self.journal.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        journal.write_all(line.as_bytes())?;
        Ok(done.result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(folder: &Path, resume: bool) -> ReportArgs {
        ReportArgs {
            games: vec![folder.join("games.txt")],
            output: folder.join("league.html"),
            level: 1,
            threads: Some(2),
            resume,
            no_pages: false,
            title: "Cup".into(),
            fleet: None,
            xot_file: None,
        }
    }

    #[test]
    fn a_league_is_written_and_can_be_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let games = "f5d6c3d3c4 6 3 ? Ann Bob\nf5f6e6f4 4 4 ? Bob Cid\nf5f5 0 0 ? X Y\n";
        std::fs::write(folder.path().join("games.txt"), games).unwrap();
        let run = |resume| {
            let mut out = vec![];
            super::run(&args(folder.path(), resume), &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let said = run(false);
        assert!(said.contains("left out: ") && said.contains("2 games of 3 players"), "{said}");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let (html, csv, json) = (read("league.html"), read("league.csv"), read("league.json"));
        assert!(html.contains("league-games/2.html") && read("league-games/2.html").contains("Cid"));
        assert_eq!((csv.lines().count(), json.contains("\"Ann\"")), (4, true));
        assert!(!folder.path().join("league.html.journal").exists());
        // A journal of one game and half another: the first is believed, the second is looked at again.
        let record = Collection::open(&args(folder.path(), true).games, &mut |_, _| {}, &AtomicBool::new(false))
            .record(0)
            .unwrap();
        let mut result = game_result(&record, &[], 0);
        result.game.lost = [77.0, 0.0];
        result.game.page = Some("league-games/1.html".into());
        let done = Done { game: key(&record), level: 1, page: result.game.page.clone(), result };
        let journal = format!("{}\n{{\"game\":", serde_json::to_string(&done).unwrap());
        std::fs::write(folder.path().join("league.html.journal"), journal).unwrap();
        run(true);
        assert!(read("league.json").contains("77.0"), "what the journal says was taken over");
        run(false);
        assert!(!read("league.json").contains("77.0"));
    }

    #[test]
    fn files_without_games_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = super::run(&args(folder.path(), false), &mut vec![]).unwrap_err().to_string();
        assert!(error.starts_with("there are no games in these files: No such file"), "{error}");
    }
}
