//! What happens to a game when it is over: it is written down, counted and shown.

use super::{
    MatchError, html,
    journal::{Journal, Unfinished},
    kifu,
    options::{MatchOptions, RecordFormat},
    record::{GameRecord, Ply},
    referee::GameKind,
    report,
    runner::Plan,
    spec::Engine,
    standings::Standings,
    stats::{Sprt, Verdict},
    store::{Header, Store},
};
use crate::base::files::{self, Backup};
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The page is written anew at most so often.
const PAGE_EVERY: Duration = Duration::from_secs(10);

/// The directory of a match.
pub struct Folder {
    dir: PathBuf,
    store: Store,
    games: File,
    journal: Journal,
    /// The games found there.
    pub done: Vec<GameRecord>,
    /// Those that were being played.
    pub unfinished: Unfinished,
}

fn failed(path: &Path) -> impl Fn(io::Error) -> MatchError {
    move |error| MatchError::File { path: path.into(), why: error.to_string() }
}

impl Folder {
    pub fn results(dir: &Path) -> PathBuf {
        dir.join("results.jsonl")
    }

    fn journal(dir: &Path) -> PathBuf {
        dir.join("running.jsonl")
    }

    fn page(dir: &Path) -> PathBuf {
        dir.join("index.html")
    }

    fn games(dir: &Path, format: RecordFormat) -> PathBuf {
        dir.join(match format {
            RecordFormat::Ggf => "games.ggf",
            RecordFormat::Sgf => "games.sgf",
        })
    }

    /// Makes the directory and all files of a new match, so that what cannot be written is known at once.
    pub fn create(dir: &Path, header: &Header, names: &[String]) -> Result<Folder, MatchError> {
        fs::create_dir_all(dir).map_err(failed(dir))?;
        let store = Store::create(&Folder::results(dir), header, names)?;
        Folder::with_store(dir, header, names, store, Vec::new())
    }

    pub fn resume(dir: &Path, header: &Header, names: &[String]) -> Result<Folder, MatchError> {
        let (store, done) = Store::resume(&Folder::results(dir), names)?;
        Folder::with_store(dir, header, names, store, done)
    }

    /// The file of games follows from the results, so it is written anew: a kill may have cut it anywhere.
    fn with_store(
        dir: &Path,
        header: &Header,
        names: &[String],
        store: Store,
        done: Vec<GameRecord>,
    ) -> Result<Folder, MatchError> {
        let format = header.options.record_format();
        let game = header.options.kind().map_err(MatchError::Usage)?;
        let path = Folder::games(dir, format);
        let text: String = done.iter().map(|record| kifu::text(record, names, game, format)).collect();
        files::replace_with(&path, Backup::None, |file| file.write_all(text.as_bytes())).map_err(failed(&path))?;
        let games = File::options().append(true).open(&path).map_err(failed(&path))?;
        let page = Folder::page(dir);
        File::options().create(true).append(true).open(&page).map_err(failed(&page))?;
        let path = Folder::journal(dir);
        let is_done = |game| done.iter().any(|record| record.index == game);
        let unfinished = Journal::read(&path, is_done).map_err(failed(&path))?;
        let journal = Journal::create(&path, &unfinished).map_err(failed(&path))?;
        Ok(Folder { dir: dir.into(), store, games, journal, done, unfinished })
    }

    /// Each engine's dialogue goes to a file of its own.
    pub fn with_logs(&self, engines: Vec<Engine>) -> Result<Vec<Engine>, MatchError> {
        let logs = self.dir.join("logs");
        fs::create_dir_all(&logs).map_err(failed(&logs))?;
        let safe = |name: &str| name.replace(|c: char| !c.is_alphanumeric() && !"-_.".contains(c), "_");
        let logged = |engine: Engine| {
            let path = logs.join(format!("{}.log", safe(&engine.name)));
            engine.with_log(Some(path))
        };
        Ok(engines.into_iter().map(logged).collect())
    }
}

/// Keeps the score of a running match.
pub struct Watch<'a> {
    plan: &'a Plan,
    pub standings: Standings,
    sprt: Option<Sprt>,
    format: RecordFormat,
    folder: Option<Folder>,
    records: BTreeMap<usize, GameRecord>,
    /// Games each engine has lost by a fault since it last did not.
    failing: Vec<u32>,
    most_failures: u32,
    quiet: bool,
    bar: Option<ProgressBar>,
    page_written: Option<Instant>,
}

impl<'a> Watch<'a> {
    pub fn new(
        plan: &'a Plan,
        options: &MatchOptions,
        sprt: Option<Sprt>,
        folder: Option<Folder>,
        done: Vec<GameRecord>,
    ) -> Result<Watch<'a>, MatchError> {
        let names: Vec<String> = plan.engines.iter().map(|engine| engine.name.clone()).collect();
        let mut watch = Watch {
            plan,
            standings: Standings::new(&names, plan.start.clock),
            sprt,
            format: options.record_format(),
            folder,
            records: BTreeMap::new(),
            failing: vec![0; names.len()],
            most_failures: options.max_failures.unwrap_or(10).max(1),
            quiet: options.quiet == Some(true),
            bar: None,
            page_written: None,
        };
        for record in done {
            // A game may be there twice if two copies of a results file were joined; it counts once.
            if !watch.records.contains_key(&record.index) {
                watch.standings.add(&record);
                watch.records.insert(record.index, record);
            }
        }
        if !watch.quiet && io::stderr().is_terminal() {
            watch.bar = Some(bar(plan.schedule.len(), watch.records.len()));
        }
        Ok(watch)
    }

    pub fn is_done(&self, index: usize) -> bool {
        self.records.contains_key(&index)
    }

    pub fn missing(&self) -> usize {
        (0..self.plan.schedule.len()).filter(|index| !self.is_done(*index)).count()
    }

    /// What the sequential test says.
    pub fn decision(&self) -> Option<Verdict> {
        let duel = self.standings.duel(0, 1)?;
        self.sprt.as_ref()?.verdict(&duel.pairs)
    }

    /// A move of a game that is being played.
    pub fn moved(&mut self, game: usize, at: usize, ply: &Ply) -> Result<(), MatchError> {
        let Some(folder) = &mut self.folder else { return Ok(()) };
        folder.journal.moved(game, at, ply).map_err(failed(folder.journal.path()))
    }

    pub fn add(&mut self, record: GameRecord) -> Result<(), MatchError> {
        let text = kifu::text(&record, &self.standings.names, self.game(), self.format);
        if let Some(folder) = &mut self.folder {
            folder.store.add(&record)?;
            let path = Folder::games(&folder.dir, self.format);
            folder.games.write_all(text.as_bytes()).map_err(failed(&path))?;
            folder.journal.over(record.index).map_err(failed(folder.journal.path()))?;
        }
        self.standings.add(&record);
        self.show(&record);
        let hopeless = self.count_failures(&record);
        self.records.insert(record.index, record);
        if self.page_written.is_none_or(|at| at.elapsed() > PAGE_EVERY) {
            self.write_page()?;
        }
        hopeless
    }

    fn game(&self) -> GameKind {
        self.plan.rules.game
    }

    fn count_failures(&mut self, record: &GameRecord) -> Result<(), MatchError> {
        let loser = record.verdict.winner.filter(|_| record.verdict.reason.is_fault()).map(|winner| !winner);
        for colour in crate::base::Colour::BOTH {
            let place = record.players[colour.index()];
            self.failing[place] = if loser == Some(colour) { self.failing[place] + 1 } else { 0 };
            if self.failing[place] >= self.most_failures {
                return Err(MatchError::Hopeless {
                    name: self.standings.names[place].clone(),
                    failures: self.failing[place],
                    last: record.verdict.detail.clone(),
                });
            }
        }
        Ok(())
    }

    fn show(&self, record: &GameRecord) {
        let [a, b] = [record.players[0].min(record.players[1]), record.players[0].max(record.players[1])];
        let score = report::running(&self.standings, [a, b]);
        if let Some(bar) = &self.bar {
            bar.set_message(score);
            bar.inc(1);
            if record.verdict.reason.is_fault() {
                bar.println(format!("game {}: {}", record.index + 1, record.verdict.detail));
            }
        } else if !self.quiet {
            let [black, white] = record.players.map(|player| &self.standings.names[player]);
            let why = match record.verdict.detail.as_str() {
                "" => record.verdict.reason.to_string(),
                detail => format!("{}: {detail}", record.verdict.reason),
            };
            let sprt = self.sprt.as_ref().zip(self.standings.duel(0, 1));
            let llr = sprt.map(|(sprt, duel)| format!(", LLR {:.2}", sprt.llr(&duel.pairs))).unwrap_or_default();
            let (games, all) = (self.standings.games, self.plan.schedule.len());
            let _ = writeln!(
                io::stderr(),
                "{games}/{all}  game {}: {black} - {white} {} ({why})  |  {score}{llr}",
                record.index + 1,
                record.verdict
            );
        }
    }

    fn write_page(&mut self) -> Result<(), MatchError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        self.page_written = Some(Instant::now());
        let records: Vec<GameRecord> = self.records.values().cloned().collect();
        let title = self.standings.names.join(" – ");
        let page = html::page(&title, &self.standings, &records, self.game(), self.sprt.as_ref());
        let path = Folder::page(&folder.dir);
        // A reader never sees half a page. No backup: it can be made again from the results at any time.
        files::replace_with(&path, Backup::None, |file| file.write_all(page.as_bytes())).map_err(failed(&path))
    }

    /// The last words: the page once more, and the tables.
    pub fn end(&mut self) -> Result<(), MatchError> {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.write_page()?;
        if self.missing() == 0
            && let Some(folder) = &self.folder
        {
            folder.journal.remove().map_err(failed(folder.journal.path()))?;
        }
        let text = report::full(&self.standings, self.game(), self.sprt.as_ref());
        let _ = io::stdout().write_all(text.as_bytes());
        if let (Some(folder), missing @ 1..) = (&self.folder, self.missing())
            && self.decision().is_none()
        {
            let _ = writeln!(
                io::stderr(),
                "{missing} games are left: shirokuro match --resume {} plays them",
                folder.dir.display()
            );
        }
        Ok(())
    }
}

fn bar(games: usize, done: usize) -> ProgressBar {
    let bar = ProgressBar::new(games as u64).with_position(done as u64);
    let template = "{bar:24} {pos}/{len}  {elapsed} gone, {eta} to go  {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
