//! Commands that only Othello has.

use super::{
    OthelloEngine,
    games::{self, GamesCommand},
    human::{self, HumanCommand},
    practice::{self, PracticeCommand},
    show,
    study::{self, Field, StudyCommand},
};
use crate::{
    base::{Args, BadArgs, Cell, Control, Report, Rng, Table},
    engine::{
        Answer, CommandError, CommandErrorKind, Progress,
        command::{Chart, Picture, Row, Rows, Typed},
    },
    othello::{
        Game, Move, Position,
        book::{BookCommand, commands},
        position::Turn,
        search::{self, Effort, Task, levels::Level},
        study::analysis,
    },
};

/// A command that only Othello has.
#[derive(Debug, Clone, PartialEq)]
pub enum OthelloCommand {
    Book(BookCommand),
    /// Learn from the game, once it is over.
    Learn,
    /// What this level means, or all of them.
    LevelInfo(Option<u8>),
    /// By the number of [`crate::othello::Board::symmetry`].
    Transform(u8),
    Random {
        plies: usize,
        seed: Option<u64>,
        /// Black's value at the present level has to be in this range.
        between: Option<(f64, f64)>,
    },
    Branch(Branch),
    ClearCache,
    Study(StudyCommand),
    Games(GamesCommand),
    Human(HumanCommand),
    Practice(PracticeCommand),
}

impl Typed for OthelloCommand {
    fn outlasts_quit(&self) -> bool {
        matches!(self, OthelloCommand::Book(command) if command.moves_files())
    }

    fn saves(&self) -> bool {
        matches!(self, OthelloCommand::Book(BookCommand::Save { .. }))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    Keep,
    List,
    /// Counted from 0.
    Switch(usize),
    Drop(usize),
}

pub static COMMANDS: Rows<OthelloCommand> = Rows {
    rows: &[
        Row::new(
            "levelinfo",
            "levelinfo [LEVEL]",
            "what the levels mean: plies in the midgame, and from how many empties the game is read to its end",
            |args| args.optional("a level from 1 to 60", level_number).map(OthelloCommand::LevelInfo),
        )
        .example("levelinfo 21")
        .chart("Levels", Picture::Text),
        Row::new(
            "transform",
            "transform 180|black-line|white-line|90|270|columns|rows",
            "turn or mirror the whole game (black-line: in h1-a8, white-line: in a1-h8)",
            |args| args.parsed("a way to turn the board", symmetry).map(OthelloCommand::Transform),
        )
        .example("transform 180"),
        Row::new(
            "random",
            "random [PLY] [[seed] SEED] [between A B]",
            "a random midgame position of PLY moves, played with small errors, with black's value from A to B discs",
            random,
        )
        .example("random 20 7 between -2 2"),
        Row::new(
            "branch",
            "branch [keep|list|switch N|drop N]",
            "other lines of the game: keep only the present one, list them, go to the end of one, or drop it",
            |args| branch(args).map(OthelloCommand::Branch),
        )
        .example("branch keep"),
        Row::new("book", "book [VERB …]", "the opening book: `book help` lists what it can do", |args| {
            commands::read(args).map(OthelloCommand::Book).map_err(|e| BadArgs::Other(e.to_string()))
        })
        .example("book learn depth 12 error 2")
        .topics(commands::topics),
        Row::new(
            "umigame",
            "umigame [DEPTH] [ERROR]",
            "Umigame's number of every book move, as `book umigame`",
            |args| commands::umigame(args).map(OthelloCommand::Book),
        )
        .example("umigame 20"),
        Row::new("learn", "learn", "put the opening of the present game, once it is over, into the book", |_| {
            Ok(OthelloCommand::Learn)
        }),
        Row::new("clearcache", "clearcache", "clear the results of earlier searches", |_| Ok(OthelloCommand::ClearCache)),
Row::new(
    "draw",
    "draw FILE.svg|FILE.png [values] [umigame] [accuracy] [human] [order] [last] [next] [legal] [stable] [marks MARK …] \
     [every N] [size PIXELS] [theme colour|mono|cvd]",
    "a picture of the position, or with `every N` of the whole game (marks: c3:circle d3:A e3>f5)",
    |args| study::read_draw(args).map(OthelloCommand::Study),
)
.example("draw board.svg values last"),
Row::new(
    "opening",
    "opening",
    "the name of the opening that was reached, and of those that the legal moves lead to",
    |_| Ok(OthelloCommand::Study(StudyCommand::Opening)),
)
.chart("Opening", Picture::Text),
Row::new(
    "graph",
    "graph [value|loss] [FILE.svg|FILE.png] [size PIXELS] [theme colour|mono|cvd]",
    "the values of the game found so far, or what both sides lost: as a table, or as a picture",
    |args| study::read_graph(args).map(OthelloCommand::Study),
)
.example("graph loss loss.svg")
.chart("Graph", Picture::Text),
Row::new(
    "show",
    "show stable|order|last|next|legal|values|umigame|accuracy|marks MARK …",
    "on the board: stable discs, the number of each move, the last, next or legal moves, known values, \
     Umigame's numbers and accuracy of the book, marks",
    |args| show::read(args).map(|shown| OthelloCommand::Study(StudyCommand::Show(shown))),
)
.example("show stable")
.charts(&[
    Chart { label: "Stable discs", picture: Picture::Points, args: "stable" },
    Chart { label: "Order of moves", picture: Picture::Labels, args: "order" },
    Chart { label: "Last move", picture: Picture::Points, args: "last" },
    Chart { label: "Known values", picture: Picture::Labels, args: "values" },
    Chart { label: "Umigame's numbers", picture: Picture::Labels, args: "umigame" },
    Chart { label: "Accuracy of the book", picture: Picture::Labels, args: "accuracy" },
]),
Row::new(
    "analyze",
    "analyze FILE.html",
    "look at every move of every position, and write a page to step through the game",
    |args| study::read_page(args).map(OthelloCommand::Study),
)
.example("analyze game.html"),
Row::new(
    "hint",
    "hint human [N [M]]",
    "what each move is worth between people, from -9 to 9: best lines of N plies (6), their branches searched to M (4)",
    |args| human::read_hint(args).map(OthelloCommand::Human),
)
.example("hint human 6 4"),
Row::new(
    "difficulty",
    "difficulty [game [FILE.svg|FILE.png]]",
    "what a person would lose here and the chance to find a good move; or of every position of the game, as a table or picture",
    |args| human::read_difficulty(args).map(OthelloCommand::Human),
)
.example("difficulty game")
.chart("Difficulty", Picture::Text),
Row::new(
    "explain",
    "explain [MOVE]",
    "why a move is good or bad, the last one of the game unless one is named: facts, then a few sentences",
    |args| human::read_explain(args).map(OthelloCommand::Human),
)
.example("explain f5")
.chart("Explain", Picture::Text),
Row::new(
    "problem",
    "problem [EMPTIES] [hard] [unique] [count K] [FILE.obf]",
    "a position with one best move that people miss; with a file: K of them, and a sheet with solutions to print",
    |args| practice::read_problem(args).map(OthelloCommand::Practice),
)
.example("problem 10 hard"),
Row::new(
    "drill",
    "drill FILE|opening NAME|book [black|white] | MOVE | stop",
    "be asked the moves of a repertoire; what was missed is asked again, sooner than what is known",
    |args| practice::read_drill(args).map(OthelloCommand::Practice),
)
.example("drill opening \"Tiger\" black"),
Row::new("xot", "xot [N|random]", "begin a game with a balanced opening of eight moves, number N or any", |args| study::read_xot(args).map(OthelloCommand::Study))
    .example("xot 12"),
Row::new("name", "name black|white NAME", "set the name of a player", |args| study::read_name(args).map(OthelloCommand::Study))
    .example("name black \"Ann Lee\""),
Row::new("memo", "memo TEXT", "set the memo of the game", |args| Ok(OthelloCommand::Study(study::about(Field::Memo, args))))
        .example("memo club championship, round 3"),
Row::new("event", "event TEXT", "set the event of the game", |args| Ok(OthelloCommand::Study(study::about(Field::Event, args))))
        .example("event Paris Open"),
Row::new("date", "date TEXT", "set the date of the game", |args| Ok(OthelloCommand::Study(study::about(Field::Date, args))))
        .example("date 2024-05-06"),
Row::new(
    "save",
    "save [FILE [FORM]] [here]",
    "without a file name: write the game to `record/`, named by date, time and level; `here`: up to this \
     position",
    |args| Ok(OthelloCommand::Study(StudyCommand::Record { here: args.flag("here") })),
),
Row::new(
    "games",
    "games open [FILE|FOLDER …] | list [N] | find KEY=VALUE … | load N | next | previous | stats | hardest [N]",
    "collections of games: open files, look for games (player= black= white= year= event= opening= position=here \
     moves= result=), take one over, count what was played from here, or rank them by difficulty",
    |args| games::read(args).map(OthelloCommand::Games),
)
.example("games find player=tamenori year=1990-1999 opening=tiger"),
    ],
};

fn random(args: &mut Args) -> Result<OthelloCommand, BadArgs> {
    let (mut plies, mut seed, mut between) = (None, None, None);
    while let Some(word) = args.peek() {
        if word.eq_ignore_ascii_case("between") {
            args.next_word();
            let discs = |word: &str| word.parse::<f64>().ok().filter(|v| v.abs() <= 64.0);
            let mut value = || args.parsed("a value from -64 to 64", discs);
            let (low, high) = (value()?, value()?);
            if low > high {
                return Err(BadArgs::Wrong { found: high.to_string(), expected: "at least the value before it" });
            }
            between = Some((low, high));
        } else if word.eq_ignore_ascii_case("seed") || plies.is_some() {
            args.flag("seed");
            seed = Some(args.number("a seed", u64::MAX)?);
        } else {
            plies = Some(args.number("a number of moves from 0 to 60", 60usize)?);
        }
    }
    Ok(OthelloCommand::Random { plies: plies.unwrap_or(20), seed, between })
}

fn level_number(word: &str) -> Option<u8> {
    word.parse().ok().filter(|level| (1..=60).contains(level))
}

fn symmetry(word: &str) -> Option<u8> {
    match word.to_ascii_lowercase().as_str() {
        "180" => Some(3),
        "columns" => Some(1),
        "rows" => Some(2),
        "white-line" => Some(4),
        "black-line" => Some(7),
        "90" => Some(6),
        "270" => Some(5),
        _ => None,
    }
}

fn branch(args: &mut Args) -> Result<Branch, BadArgs> {
    let number = |args: &mut Args| {
        args.parsed("the number of a branch", |word| word.parse::<usize>().ok().and_then(|n| n.checked_sub(1)))
    };
    match args.next_word().as_deref() {
        None | Some("list") => Ok(Branch::List),
        Some("keep") => Ok(Branch::Keep),
        Some("switch") => number(args).map(Branch::Switch),
        Some("drop") => number(args).map(Branch::Drop),
        Some(other) => Err(BadArgs::Wrong { found: other.into(), expected: "something to do with branches" }),
    }
}

impl OthelloEngine {
    pub(super) fn carry_out(&mut self, command: &OthelloCommand, control: Control<'_, Progress>) -> Answer<Report> {
        match command {
            OthelloCommand::Book(command) => self.book_command(command.clone(), control),
            OthelloCommand::Learn => self.learn_game(control),
            OthelloCommand::LevelInfo(level) => Ok(Report::Table(level_info(*level))),
            OthelloCommand::Transform(symmetry) => {
                self.game.transform(*symmetry);
                self.expectation = None;
                Ok(Report::Nothing)
            }
            OthelloCommand::Random { plies, seed, between } => self.random(*plies, *seed, *between, control),
            OthelloCommand::Branch(branch) => self.branch(*branch),
            OthelloCommand::ClearCache => {
                self.searcher.iter_mut().for_each(search::Searcher::clear);
                Ok(Report::Nothing)
            }
            OthelloCommand::Study(command) => self.study(command, control),
            OthelloCommand::Games(command) => self.games(command, control),
            OthelloCommand::Human(command) => self.human(command, control),
            OthelloCommand::Practice(command) => self.practice(command, control),
        }
    }

    fn branch(&mut self, branch: Branch) -> Answer<Report> {
        let found = match branch {
            Branch::Keep => {
                self.game.keep_only_this_line();
                return Ok(Report::Nothing);
            }
            Branch::List => return Ok(Report::Table(self.branch_table())),
            Branch::Switch(n) => {
                let found = self.game.switch_branch(n);
                let end = self.game.plies().len();
                self.game.go_to(end);
                found
            }
            Branch::Drop(n) => self.game.drop_branch(n),
        };
        if found {
            Ok(Report::Nothing)
        } else {
            Err(CommandError::new(CommandErrorKind::Illegal, "there is no such branch"))
        }
    }

    fn branch_table(&self) -> Table {
        let rows = self.game.branches().iter().enumerate().map(|(i, branch)| {
            let moves: Vec<String> = branch.plies.iter().map(|ply| ply.mv.to_string()).collect();
            vec![Cell::from(i + 1), branch.at.into(), branch.plies.len().into(), moves.join(" ").into()]
        });
        Table {
            title: "branches".into(),
            columns: vec!["branch", "ply", "plies", "moves"],
            rows: rows.collect(),
            notes: vec![],
        }
    }

    /// Plays from the start: each move may be worse than the best by a normally distributed error with a deviation
    /// of four discs, judged by a search of two plies.
    fn random(
        &mut self,
        plies: usize,
        seed: Option<u64>,
        between: Option<(f64, f64)>,
        control: Control<'_, Progress>,
    ) -> Answer<Report> {
        if !self.is_ready(control) {
            return Err(CommandError::new(CommandErrorKind::Illegal, "stopped; the game is as it was"));
        }
        let seed = seed.filter(|seed| *seed != 0).unwrap_or_else(|| self.rng.next_u64());
        let mut rng = Rng::new(seed);
        for _ in 0..100 {
            let mut game = Game::without_auto_pass(Position::START);
            while game.played().iter().filter(|ply| ply.mv != Move::Pass).count() < plies {
                if control.stopped() {
                    return Err(CommandError::new(CommandErrorKind::Illegal, "stopped; the game is as it was"));
                }
                let mv = match game.turn() {
                    Turn::Over => break,
                    Turn::MustPass => Move::Pass,
                    Turn::Move => self.erring_move(game.position(), &mut rng),
                };
                game.play(None, mv).map_err(|e| CommandError::new(CommandErrorKind::Illegal, e))?;
            }
            // A line that ended early, or where nobody has a choice, is no midgame position: try another.
            if game.turn() == Turn::Move || plies == 60 {
                if let Some((low, high)) = between {
                    let value = self.black_value(game.position(), control);
                    if !value.is_some_and(|value| (low..=high).contains(&value)) {
                        continue;
                    }
                }
                game.set_auto_pass(self.options.autopass);
                self.start_over(game);
                self.forget_about();
                let transcript = super::notes::write("transcript", &self.record())?;
                return Ok(Report::Several(vec![Report::text(transcript), Report::text(format!("seed {seed}"))]));
            }
        }
        Err(CommandError::new(CommandErrorKind::Illegal, "no such position was found"))
    }

    /// At the present level; `None` when stopped.
    fn black_value(&mut self, position: Position, control: Control<'_, Progress>) -> Option<f64> {
        let quiet = |_: &search::Report| {};
        let task = Task::new(Effort::Level(self.options.level));
        let report = self.searcher().search(position.board, &task, Control::new(control.stop_flag(), &quiet));
        report.complete.then(|| analysis::for_black(position.side, report.value.discs()))
    }

    fn erring_move(&mut self, position: Position, rng: &mut Rng) -> Move {
        let task = Task { lines: 64, ..Task::new(Effort::Depth { plies: 2, percent: 100 }) };
        let report = self.searcher().search(position.board, &task, Control::alone());
        let best = report.value.discs();
        let error = (rng.normal() * 4.0).round().abs();
        let good: Vec<Move> = report.lines.iter().filter(|l| l.value.discs() >= best - error).map(|l| l.best).collect();
        *rng.pick(&good).or(report.best().as_ref()).unwrap_or(&Move::Pass)
    }
}

fn level_info(level: Option<u8>) -> Table {
    let chosen = level.map_or(1..=60, |level| level..=level);
    let rows = chosen.map(|level| {
        let Level { mid: (plies, percent), end } = Level::new(level);
        let ends: Vec<String> =
            end.iter().filter(|(_, from)| *from > 0).map(|(percent, from)| format!("{from}@{percent}%")).collect();
        let mid = format!("{plies}@{percent}%");
        vec![Cell::from(level), mid.into(), ends.join(" ").into()]
    });
    Table {
        title: "levels".into(),
        columns: vec!["level", "midgame", "to the end from empties"],
        rows: rows.collect(),
        notes: vec![],
    }
}
