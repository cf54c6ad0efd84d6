//! Problems and drills: commands to practise with.

use super::{OthelloEngine, review::write_file};
use crate::{
    base::{Args, BadArgs, Cell, Colour, Control, Report, Rng, Table, places},
    engine::{Answer, CommandError, CommandErrorKind, Progress, WorkDone},
    othello::{
        Board, Game, Move, Position, Square,
        book::lookup,
        human::{HumanModel, Rating, player},
        notation::{self, Passes},
        position::Turn,
        search::{self, Effort, Task},
        study::{
            drill::{Card, Drill, Memories, cards, from_f5},
            games::Collection,
            openings,
            problems::{Practice, Wanted},
        },
    },
    report::sheet,
};
use std::{
    path::{Path, PathBuf},
    time::Instant,
};

#[derive(Debug, Clone, PartialEq)]
pub enum PracticeCommand {
    Problem {
        empties: u32,
        wanted: Wanted,
        count: usize,
        /// An OBF file; a sheet to print is written beside it.
        file: Option<PathBuf>,
    },
    Drill(DrillCommand),
}

#[derive(Debug, Clone, PartialEq)]
pub enum DrillCommand {
    Begin { source: Source, asked: Option<Colour> },
    Answer(Square),
    Show,
    End,
}

/// Where a repertoire is from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    File(PathBuf),
    Opening(String),
    Book,
}

/// What a drill remembers while the process lives.
#[derive(Debug, Default)]
pub struct Practising {
    drill: Option<(Drill, Memories)>,
}

const EMPTIES: u32 = 12;
const MOST_EMPTIES: u32 = 24;
/// Games tried for each problem before giving up.
const TRIES: usize = 3000;
/// Plies of the book that are asked.
const BOOK_PLIES: usize = 12;

pub fn read_problem(args: &mut Args) -> Result<PracticeCommand, BadArgs> {
    let (mut empties, mut wanted, mut count, mut file) = (EMPTIES, Wanted::default(), 1, None);
    while let Some(word) = args.next_word() {
        let number = word.parse::<u32>().ok();
        match word.to_ascii_lowercase().as_str() {
            "hard" => wanted.hard = true,
            "unique" => wanted.unique = true,
            "count" => {
                count = args.parsed("a number of problems from 1 to 1000", |word| {
                    word.parse().ok().filter(|n| (1..=1000usize).contains(n))
                })?
            }
            lower if lower.ends_with(".obf") => file = Some(PathBuf::from(word)),
            _ => match number {
                Some(n) if (4..=MOST_EMPTIES).contains(&n) => empties = n,
                Some(_) => {
                    return Err(BadArgs::Wrong { found: word, expected: "a number of empty squares from 4 to 24" });
                }
                None => {
                    return Err(BadArgs::Wrong {
                        found: word,
                        expected: "hard, unique, count K or the name of an OBF file",
                    });
                }
            },
        }
    }
    if count > 1 && file.is_none() {
        return Err(BadArgs::Missing("the OBF file for several problems"));
    }
    Ok(PracticeCommand::Problem { empties, wanted, count, file })
}

pub fn read_drill(args: &mut Args) -> Result<PracticeCommand, BadArgs> {
    let Some(word) = args.next_word() else { return Ok(PracticeCommand::Drill(DrillCommand::Show)) };
    if let Ok(square) = word.parse::<Square>() {
        return Ok(PracticeCommand::Drill(DrillCommand::Answer(square)));
    }
    let source = match word.to_ascii_lowercase().as_str() {
        "stop" | "end" => return Ok(PracticeCommand::Drill(DrillCommand::End)),
        "book" => Source::Book,
        "opening" => {
            let mut name = vec![];
            while args.peek().is_some_and(|word| colour(word).is_none()) {
                name.extend(args.next_word());
            }
            if name.is_empty() {
                return Err(BadArgs::Missing("the name of an opening"));
            }
            Source::Opening(name.join(" "))
        }
        _ => Source::File(PathBuf::from(word)),
    };
    let asked = args.optional("black or white", colour)?;
    Ok(PracticeCommand::Drill(DrillCommand::Begin { source, asked }))
}

fn colour(word: &str) -> Option<Colour> {
    match word.to_ascii_lowercase().as_str() {
        "black" => Some(Colour::Black),
        "white" => Some(Colour::White),
        _ => None,
    }
}

fn refuse(kind: CommandErrorKind, message: impl std::fmt::Display) -> CommandError {
    CommandError::new(kind, message)
}

/// Days since 1970 where the person is.
fn today() -> i64 {
    let now = jiff::Zoned::now();
    (now.timestamp().as_second() + i64::from(now.offset().seconds())).div_euclid(86_400)
}

impl OthelloEngine {
    pub(super) fn practice(&mut self, command: &PracticeCommand, control: Control<'_, Progress>) -> Answer<Report> {
        match command {
            PracticeCommand::Problem { empties, wanted, count, file } => {
                self.problem(*empties, *wanted, *count, file.as_deref(), control)
            }
            PracticeCommand::Drill(command) => self.drill(command, control),
        }
    }

    fn problem(
        &mut self,
        empties: u32,
        wanted: Wanted,
        count: usize,
        file: Option<&Path>,
        control: Control<'_, Progress>,
    ) -> Answer<Report> {
        if !self.is_ready(control) {
            return Err(refuse(CommandErrorKind::Illegal, "stopped: no problem was made"));
        }
        let (mut made, began) = (Vec::<Practice>::new(), Instant::now());
        for _ in 0..TRIES * count {
            if made.len() == count || control.stopped() {
                break;
            }
            let problem = self.try_problem(empties, wanted, control);
            if let Some(problem) = problem.filter(|new| made.iter().all(|old| old.board() != new.board())) {
                made.push(problem);
                let done = WorkDone {
                    work: "problem".into(),
                    done: made.len() as u64,
                    waiting: (count - made.len()) as u64,
                    positions: 0,
                    elapsed: began.elapsed(),
                };
                control.tell(&Progress::Work(done));
            }
        }
        if made.is_empty() {
            return Err(refuse(CommandErrorKind::Illegal, "no such problem was found"));
        }
        // The hardest first.
        made.sort_by(|a, b| a.found.total_cmp(&b.found));
        match file {
            Some(file) => write_problems(&made, file)?,
            None => {
                self.start_over(Game::without_auto_pass(made[0].position));
                self.forget_about();
            }
        }
        Ok(Report::Table(table(&made, file.is_some(), made.len() < count)))
    }

    /// A game as people play it, down to so many empty squares; the position if it makes a problem.
    fn try_problem(&mut self, empties: u32, wanted: Wanted, control: Control<'_, Progress>) -> Option<Practice> {
        let (model, weights) = (HumanModel::builtin(), self.weights());
        let rating = Rating(f64::from(self.options.human_strength));
        let mut rng = Rng::new(self.rng.next_u64());
        let (mut board, mut side) = (Board::START, Colour::Black);
        while board.empty_count() > empties || !board.can_move() {
            if board.is_over() {
                return None;
            }
            board = match player::choose(&model.likely(board, &weights, rating), &mut rng) {
                Some(square) => board.play(square)?,
                None => board.pass(),
            };
            side = !side;
        }
        let likely = model.likely(board, &weights, rating);
        let task = Task { lines: 64, ..Task::new(Effort::Exact) };
        let quiet = |_: &search::Report| {};
        let report = self.searcher().search(board, &task, Control::new(control.stop_flag(), &quiet));
        if !report.complete {
            return None;
        }
        let moves = report.lines.iter().filter_map(|line| match line.best {
            Move::Place(square) => Some((square, line.value.rounded())),
            Move::Pass => None,
        });
        let line = report.lines.first().map(|line| line.pv.clone()).unwrap_or_default();
        Practice::new(Position { board, side }, moves.collect(), line, &likely, wanted)
    }

    fn drill(&mut self, command: &DrillCommand, control: Control<'_, Progress>) -> Answer<Report> {
        match command {
            DrillCommand::Begin { source, asked } => self.begin_drill(source, *asked, control),
            DrillCommand::Answer(square) => self.answer_drill(*square),
            DrillCommand::Show => self.ask_drill(vec![]),
            DrillCommand::End => match self.practising.drill.take() {
                Some((drill, _)) => Ok(Report::text(summary(&drill))),
                None => Err(no_drill()),
            },
        }
    }

    fn begin_drill(
        &mut self,
        source: &Source,
        asked: Option<Colour>,
        control: Control<'_, Progress>,
    ) -> Answer<Report> {
        let games = match source {
            Source::File(path) => games_of(path, control)?,
            Source::Opening(name) => {
                let games = openings::lines_named(name);
                if games.is_empty() {
                    return Err(refuse(CommandErrorKind::Illegal, format!("there is no opening `{name}`")));
                }
                games
            }
            Source::Book => vec![self.book_game()?],
        };
        let games: Vec<Game> = games.into_iter().map(from_f5).collect();
        let list = cards(&games, asked);
        if list.is_empty() {
            return Err(refuse(CommandErrorKind::Illegal, "there is nothing to ask in these games"));
        }
        let memories = match memory_file() {
            Some(path) => {
                Memories::load(&path).map_err(|e| refuse(CommandErrorKind::File, format!("{}: {e}", path.display())))?
            }
            None => Memories::default(),
        };
        let drill = Drill::new(list, &memories, today());
        if drill.left() == 0 {
            return Ok(Report::Sentence("nothing is due today"));
        }
        self.practising.drill = Some((drill, memories));
        self.ask_drill(vec![])
    }

    /// The main line of the book.
    fn book_game(&self) -> Answer<Game> {
        let mut game = Game::without_auto_pass(Position::START);
        for link in lookup::best_line(self.book.store(), Board::START).into_iter().take(BOOK_PLIES) {
            if game.turn() != Turn::Move || game.play(None, Move::Place(link.square)).is_err() {
                break;
            }
        }
        if game.plies().is_empty() {
            return Err(refuse(CommandErrorKind::Illegal, "the book is empty"));
        }
        Ok(game)
    }

    fn answer_drill(&mut self, square: Square) -> Answer<Report> {
        let Some((drill, memories)) = &mut self.practising.drill else { return Err(no_drill()) };
        let Some(position) = drill.card().map(position_of) else { return Err(no_drill()) };
        if position.play(square).is_none() {
            return Err(refuse(
                CommandErrorKind::Illegal,
                format!("illegal move: {} on {square} turns nothing", position.side),
            ));
        }
        let mut after = memories.clone();
        let Some(verdict) = drill.answer(square, &mut after, today()) else { return Err(no_drill()) };
        *memories = after;
        if let Some(path) = memory_file() {
            let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            folder
                .and_then(|()| memories.save(&path))
                .map_err(|e| refuse(CommandErrorKind::File, format!("{}: {e}", path.display())))?;
        }
        let answers: Vec<String> = verdict.answers.iter().map(Square::to_string).collect();
        let said = if verdict.right {
            Report::Sentence("right")
        } else {
            Report::text(format!("not in the repertoire: it plays {}", answers.join(", ")))
        };
        self.ask_drill(vec![said])
    }

    /// The next question, on the board too; what was right and wrong at the end.
    fn ask_drill(&mut self, mut said: Vec<Report>) -> Answer<Report> {
        let Some((drill, _)) = &self.practising.drill else { return Err(no_drill()) };
        match drill.card().cloned() {
            None => {
                said.push(Report::text(summary(drill)));
                self.practising.drill = None;
            }
            Some(card) => {
                let left = drill.left();
                let mut game = Game::without_auto_pass(Position::START);
                for mv in &card.line {
                    game.play(None, *mv).map_err(|e| refuse(CommandErrorKind::Illegal, e))?;
                }
                let line = notation::transcript(card.line.iter().copied(), Passes::As("ps"), " ", false);
                let side = game.position().side;
                self.start_over(game);
                said.push(Report::text(format!("{left} left; {line} {side} to move").replace("  ", " ")));
            }
        }
        Ok(if said.len() == 1 { said.remove(0) } else { Report::Several(said) })
    }
}

fn no_drill() -> CommandError {
    refuse(
        CommandErrorKind::Illegal,
        "no drill is under way: `drill FILE`, `drill opening NAME` or `drill book` begins one",
    )
}

fn summary(drill: &Drill) -> String {
    format!("{} right, {} wrong, {} not asked", drill.right, drill.wrong, drill.left())
}

fn position_of(card: &Card) -> Position {
    let mut position = Position::START;
    for &mv in &card.line {
        position = match mv {
            Move::Place(square) => position.play(square).unwrap_or(position),
            Move::Pass => position.pass(),
        };
    }
    position
}

fn memory_file() -> Option<PathBuf> {
    places::data().map(|folder| folder.join("drill.json"))
}

fn games_of(path: &Path, control: Control<'_, Progress>) -> Answer<Vec<Game>> {
    let failed = |e: &dyn std::fmt::Display| refuse(CommandErrorKind::File, format!("{}: {e}", path.display()));
    if !path.is_file() {
        return Err(failed(&"there is no such file"));
    }
    let collection = Collection::open(&[path.to_path_buf()], &mut |_, _| {}, control.stop_flag());
    if control.stopped() {
        return Err(refuse(CommandErrorKind::Illegal, "stopped before there was an answer"));
    }
    let games: Vec<Game> =
        (0..collection.len()).filter_map(|i| collection.record(i)).map(|record| record.game).collect();
    if games.is_empty() { Err(failed(&"there is no game in it")) } else { Ok(games) }
}

fn table(made: &[Practice], solved: bool, fewer: bool) -> Table {
    let rows = made.iter().enumerate().map(|(i, problem)| {
        let mut row = vec![
            Cell::from(i + 1),
            Cell::phrase(problem.position.side.to_string()),
            problem.board().empty_count().into(),
            Cell::Real(100.0 * problem.found, 0),
            Cell::Real(problem.difficulty.expected_loss, 2),
        ];
        if solved {
            row.push(problem.best().to_string().into());
        }
        row
    });
    let mut columns = vec!["problem", "side", "empties", "found %", "expected loss"];
    if solved {
        columns.push("best");
    }
    let notes = if fewer { vec!["fewer problems than asked for were found".into()] } else { vec![] };
    Table { title: "problems".into(), columns, rows: rows.collect(), notes }
}

/// The OBF file, and a sheet to print beside it.
fn write_problems(made: &[Practice], file: &Path) -> Answer<()> {
    let lines: String = made.iter().map(|problem| format!("{}\n", problem.problem())).collect();
    write_file(file, lines.as_bytes())?;
    let problems = made.iter().map(|problem| sheet::Problem {
        board: notation::diagram::board_text(problem.position, notation::diagram::Alphabet::LETTERS)
            .chars()
            .take(64)
            .collect(),
        to_move: problem.position.side,
        empties: problem.board().empty_count(),
        found: problem.found,
        moves: problem.moves.iter().map(|(square, value)| (square.to_string(), *value)).collect(),
        line: problem.line.iter().map(Move::to_string).collect::<Vec<_>>().join(" "),
    });
    let page = sheet::html(&problems.collect::<Vec<_>>());
    write_file(&file.with_extension("html"), page.as_bytes())
}
