//! Commands for collections of games.

use super::OthelloEngine;
use crate::{
    base::{Args, BadArgs, Cell, Control, Report, Table},
    engine::{Answer, CommandError, CommandErrorKind, Notices, Progress, WorkDone},
    othello::{
        Move, Position, Square, notation,
        records::{Format, any},
        study::games::{Collection, Query, Summary, Won},
    },
};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

#[derive(Debug, Clone, PartialEq)]
pub enum GamesCommand {
    /// Files and folders; none: one's own saved games.
    Open(Vec<PathBuf>),
    /// So many.
    List(usize),
    Find {
        query: Query,
        here: bool,
    },
    /// By its number in the collection, from 0.
    Load(usize),
    Next,
    Previous,
    Stats,
    /// So many of those found, the hardest for people first.
    Hardest(usize),
}

/// What is open, and which of its games are looked through.
#[derive(Debug, Default)]
pub struct Open {
    collection: Collection,
    /// The games that were found last, or all.
    found: Vec<usize>,
    /// Which of them is loaded.
    at: Option<usize>,
}

/// Games in a list, if no number is given.
const SHOWN: usize = 20;
/// Damaged entries that are named; the others are counted.
const NAMED: usize = 10;

pub fn read(args: &mut Args) -> Result<GamesCommand, BadArgs> {
    let word = args.next_word().ok_or(BadArgs::Missing("what to do with games"))?;
    match word.to_ascii_lowercase().as_str() {
        "open" => Ok(GamesCommand::Open(std::iter::from_fn(|| args.next_word()).map(PathBuf::from).collect())),
        "list" => {
            let count = args.optional("a number of games", |word| word.parse().ok().filter(|n| *n > 0))?;
            Ok(GamesCommand::List(count.unwrap_or(SHOWN)))
        }
        "find" => find(args),
        "load" => {
            let number = |word: &str| word.parse::<usize>().ok()?.checked_sub(1);
            Ok(GamesCommand::Load(args.parsed("the number of a game", number)?))
        }
        "next" => Ok(GamesCommand::Next),
        "previous" => Ok(GamesCommand::Previous),
        "stats" => Ok(GamesCommand::Stats),
        "hardest" => {
            let count = args.optional("a number of games", |word| word.parse().ok().filter(|n| *n > 0))?;
            Ok(GamesCommand::Hardest(count.unwrap_or(SHOWN)))
        }
        _ => Err(BadArgs::Wrong { found: word, expected: "something to do with games" }),
    }
}

fn find(args: &mut Args) -> Result<GamesCommand, BadArgs> {
    let (mut query, mut here) = (Query::default(), false);
    let mut given = false;
    while let Some(word) = args.next_word() {
        let wrong = |expected| BadArgs::Wrong { found: word.clone(), expected };
        let (key, value) = word.split_once('=').ok_or_else(|| wrong("of the form KEY=VALUE"))?;
        let text = || Some(value.to_string());
        match key.to_ascii_lowercase().as_str() {
            "player" => query.player = text(),
            "black" => query.black = text(),
            "white" => query.white = text(),
            "event" => query.event = text(),
            "opening" => query.opening = text(),
            "year" => query.years = Some(years(value).ok_or_else(|| wrong("a year or years like 1990-1999"))?),
            "position" if value.eq_ignore_ascii_case("here") => here = true,
            "position" => return Err(wrong("`position=here`")),
            "moves" => query.moves = Some(squares(value).ok_or_else(|| wrong("a list of moves"))?),
            "result" => query.winner = Some(won(value).ok_or_else(|| wrong("black, white, draw or black's lead"))?),
            _ => return Err(wrong("a key: player, black, white, year, event, opening, position, moves or result")),
        }
        given = true;
    }
    if given { Ok(GamesCommand::Find { query, here }) } else { Err(BadArgs::Missing("what to look for")) }
}

fn years(text: &str) -> Option<(u32, u32)> {
    let year = |text: &str| text.parse::<u32>().ok().filter(|year| (1800..3000).contains(year));
    match text.split_once('-') {
        None => year(text).map(|year| (year, year)),
        Some((first, last)) => Some((year(first)?, year(last)?)).filter(|(first, last)| first <= last),
    }
}

fn squares(text: &str) -> Option<Vec<Square>> {
    let moves = notation::parse_moves(text).ok()?;
    let squares = moves.into_iter().filter_map(|mv| match mv {
        Move::Place(square) => Some(square),
        Move::Pass => None,
    });
    Some(squares.collect::<Vec<_>>()).filter(|squares| !squares.is_empty())
}

fn won(text: &str) -> Option<Won> {
    match text.to_ascii_lowercase().as_str() {
        "black" | "b" => Some(Won::Black),
        "white" | "w" => Some(Won::White),
        "draw" => Some(Won::Draw),
        lead => lead.parse().ok().filter(|lead| (-64..=64).contains(lead)).map(Won::By),
    }
}

impl OthelloEngine {
    pub(super) fn games(&mut self, command: &GamesCommand, control: Control<'_, Progress>) -> Answer<Report> {
        match command {
            GamesCommand::Open(paths) => self.open_games(paths, control),
            GamesCommand::List(count) => self.list(*count),
            GamesCommand::Find { query, here } => {
                self.some_open()?;
                let mut query = query.clone();
                query.position = here.then(|| self.position());
                self.games.found = self.games.collection.find(&query);
                self.games.at = None;
                self.list(SHOWN)
            }
            GamesCommand::Load(number) => {
                self.some_open()?;
                self.games.at = self.games.found.iter().position(|found| found == number);
                self.load_game(*number)
            }
            GamesCommand::Next => self.walk(self.games.at.map_or(0, |at| at + 1)),
            GamesCommand::Previous => match self.games.at.and_then(|at| at.checked_sub(1)) {
                Some(at) => self.walk(at),
                None => Err(CommandError::new(CommandErrorKind::Illegal, "there is no game before this one")),
            },
            GamesCommand::Stats => self.stats(),
            GamesCommand::Hardest(count) => self.hardest(*count, control),
        }
    }

    /// A file with several games: they are open from now on, and the first is taken over.
    pub(super) fn list_of_file(
        &mut self,
        path: &Path,
        text: &str,
        control: Control<'_, Progress>,
    ) -> Answer<Option<Notices>> {
        let binary = Format::from_path(path) == Format::Wthor;
        if !binary && any::several(text).is_empty() {
            return Ok(None);
        }
        let collection = Collection::open(&[path.to_path_buf()], &mut |_, _| {}, control.stop_flag());
        if collection.len() < 2 && !binary {
            return Ok(None);
        }
        let mut notices = self.take_up(collection)?;
        self.games.at = Some(0);
        self.load_game(0)?;
        let count = self.games.collection.len();
        notices.push(format!(
            "the file holds {count} games: this is the first; `games list` lists them, `games next` goes on"
        ));
        Ok(Some(notices))
    }

    fn some_open(&self) -> Answer<()> {
        if self.games.collection.is_empty() {
            return Err(CommandError::new(CommandErrorKind::Illegal, "no games are open: `games open FILE`"));
        }
        Ok(())
    }

    fn open_games(&mut self, paths: &[PathBuf], control: Control<'_, Progress>) -> Answer<Report> {
        let own = [PathBuf::from("record")];
        let paths = if paths.is_empty() { &own } else { paths };
        let (begun, mut told) = (Instant::now(), Instant::now());
        let mut tell = |done: usize, of: usize| {
            if told.elapsed().as_millis() >= 500 {
                told = Instant::now();
                let work = "games open".to_string();
                let (done, waiting) = (done as u64, (of - done) as u64);
                control.tell(&Progress::Work(WorkDone { work, done, waiting, positions: 0, elapsed: begun.elapsed() }));
            }
        };
        let collection = Collection::open(paths, &mut tell, control.stop_flag());
        let row = vec![collection.len().into(), collection.files.len().into(), collection.damaged.len().into()];
        let mut notes = self.take_up(collection)?;
        if control.stopped() {
            notes.push("stopped: not all files were read".into());
        }
        Ok(Report::Table(Table {
            title: "games".into(),
            columns: vec!["games", "files", "damaged"],
            rows: vec![row],
            notes,
        }))
    }

    /// These games are the open ones from now on; says what was left out.
    fn take_up(&mut self, collection: Collection) -> Answer<Vec<String>> {
        if collection.is_empty() {
            let reason = collection.damaged.first().map(|d| format!("{}: {}", d.file.display(), d.message));
            let reason = reason.unwrap_or_else(|| "there are no games in the folder".into());
            return Err(CommandError::new(CommandErrorKind::File, reason));
        }
        let mut notes: Vec<String> =
            collection.damaged.iter().take(NAMED).map(|d| format!("{}: {}", d.file.display(), d.message)).collect();
        if collection.damaged.len() > NAMED {
            notes.push(format!("{} damaged entries in all", collection.damaged.len()));
        }
        self.games = Open { found: (0..collection.len()).collect(), collection, at: None };
        Ok(notes)
    }

    fn list(&self, count: usize) -> Answer<Report> {
        self.some_open()?;
        let found = &self.games.found;
        let rows = found.iter().take(count).filter_map(|&index| self.games.collection.summary(index)).map(row);
        let mut notes = vec![];
        if found.len() > count {
            notes.push(format!("{} games in all", found.len()));
        }
        Ok(Report::Table(Table {
            title: "games".into(),
            columns: vec!["game", "black", "white", "result", "date", "event", "memo", "moves"],
            rows: rows.collect(),
            notes,
        }))
    }

    fn walk(&mut self, at: usize) -> Answer<Report> {
        self.some_open()?;
        let none = || CommandError::new(CommandErrorKind::Illegal, "there is no game after this one");
        let &number = self.games.found.get(at).ok_or_else(none)?;
        self.games.at = Some(at);
        self.load_game(number)
    }

    fn load_game(&mut self, number: usize) -> Answer<Report> {
        let none = || {
            CommandError::new(CommandErrorKind::Range, format!("there are only {} games", self.games.collection.len()))
        };
        let mut record = self.games.collection.record(number).ok_or_else(none)?;
        record.game.set_auto_pass(self.options.autopass);
        self.findings.note_annotations(&record.game);
        self.start_over(record.game.clone());
        self.moved_for = [false; 2];
        self.about = record;
        let summary = self.games.collection.summary(number).map(row);
        Ok(Report::Table(Table {
            title: "game".into(),
            columns: vec!["game", "black", "white", "result", "date", "event", "memo", "moves"],
            rows: summary.into_iter().collect(),
            notes: vec![],
        }))
    }

    /// The found games by what a person would lose a move, as the model sees it by a search of two plies.
    fn hardest(&mut self, count: usize, control: Control<'_, Progress>) -> Answer<Report> {
        self.some_open()?;
        let mut ranked = vec![];
        for &index in &self.games.found.clone() {
            if !self.is_ready(control) || control.stopped() {
                return Err(CommandError::new(CommandErrorKind::Illegal, "stopped before there was an answer"));
            }
            let record = self.games.collection.record(index);
            if let Some(losses) = record.and_then(|record| self.expected_losses(&record.game)) {
                ranked.push((index, losses));
            }
        }
        ranked.sort_by(|a, b| b.1.iter().sum::<f64>().total_cmp(&a.1.iter().sum::<f64>()));
        let rows = ranked.iter().take(count).filter_map(|(index, losses)| {
            let [black, white] = self.games.collection.summary(*index)?.names;
            let loss = |i: usize| Cell::Real(losses[i], 2);
            Some(vec![Cell::from(index + 1), black.into(), white.into(), loss(0), loss(1)])
        });
        Ok(Report::Table(Table {
            title: "difficulty".into(),
            columns: vec!["game", "black", "white", "black's expected loss", "white's expected loss"],
            rows: rows.collect(),
            notes: vec![],
        }))
    }

    fn stats(&self) -> Answer<Report> {
        self.some_open()?;
        let position: Position = self.position();
        let played = self.games.collection.explore(position);
        let all: usize = played.iter().map(|played| played.games).sum();
        let rows = played.iter().map(|played| {
            let share = 100.0 * played.games as f64 / all.max(1) as f64;
            vec![
                played.mv.map_or(Cell::phrase("end"), |square| square.to_string().into()),
                played.games.into(),
                Cell::Real(share, 1),
                played.wins[0].into(),
                played.wins[1].into(),
                played.wins[2].into(),
                played.mean.map_or(Cell::Nothing, |mean| Cell::Real(mean, 2)),
            ]
        });
        Ok(Report::Table(Table {
            title: "played from here".into(),
            columns: vec!["move", "games", "per cent", "black won", "drawn", "white won", "mean result"],
            rows: rows.collect(),
            notes: vec![],
        }))
    }
}

fn row(summary: Summary) -> Vec<Cell> {
    let [black, white] = summary.names;
    vec![
        (summary.index + 1).into(),
        black.into(),
        white.into(),
        summary.result.map_or(Cell::Nothing, |result| Cell::from(format!("{result:+}"))),
        summary.date.into(),
        summary.event.into(),
        summary.memo.into(),
        summary.moves.into(),
    ]
}
