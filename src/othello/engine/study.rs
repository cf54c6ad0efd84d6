//! Commands for the study of games: pictures, openings, graphs, collections, reports.

use super::{
    OthelloEngine,
    review::{self, write_file},
    show::{self, Shown},
};
use crate::{
    base::{
        Args, BadArgs, Cell, Control, Report, Table,
        control::unless_stopped,
        svg::{
            Svg,
            board::{Theme, Value},
            png,
        },
    },
    engine::{Answer, CommandError, CommandErrorKind, Focus, Progress},
    othello::{
        Move, Square,
        book::{
            accuracy::Grader,
            graph::Stoppable,
            umigame::{self, Counter},
        },
        position::Turn,
        search,
        study::{
            analysis::{self, Graph},
            openings::Names,
            picture::{self, Look},
            xot,
        },
    },
};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq)]
pub enum StudyCommand {
    Draw {
        file: PathBuf,
        look: Look,
        width: Option<u32>,
        every: Option<usize>,
    },
    Opening,
    Graph {
        graph: Graph,
        file: Option<PathBuf>,
        theme: Theme,
        width: Option<u32>,
    },
    Show(Shown),
    Report(PathBuf),
    /// `None`: any.
    Xot(Option<usize>),
    About(Field, String),
    /// Save as Egaroucid 5 did; up to the present position only.
    Record {
        here: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Black,
    White,
    Memo,
    Event,
    Date,
}

pub fn read_page(args: &mut Args) -> Result<StudyCommand, BadArgs> {
    let file = args.file()?;
    match file.extension().and_then(|e| e.to_str()) {
        Some("html" | "htm") => Ok(StudyCommand::Report(file)),
        _ => Err(BadArgs::Wrong { found: file.display().to_string(), expected: "the name of an HTML file" }),
    }
}

pub fn read_xot(args: &mut Args) -> Result<StudyCommand, BadArgs> {
    if args.flag("random") || args.is_empty() {
        return Ok(StudyCommand::Xot(None));
    }
    let number = args.parsed("the number of an opening", |word| word.parse::<usize>().ok()?.checked_sub(1))?;
    Ok(StudyCommand::Xot(Some(number)))
}

pub fn read_name(args: &mut Args) -> Result<StudyCommand, BadArgs> {
    let field = args.parsed("black or white", |word| match word.to_ascii_lowercase().as_str() {
        "black" | "b" => Some(Field::Black),
        "white" | "w" => Some(Field::White),
        _ => None,
    })?;
    Ok(about(field, args))
}

pub fn about(field: Field, args: &mut Args) -> StudyCommand {
    let words: Vec<String> = std::iter::from_fn(|| args.next_word()).collect();
    // What steers a terminal has no place in a record.
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    StudyCommand::About(field, words.join(" ").chars().map(plain).collect())
}

fn theme(args: &mut Args) -> Result<Theme, BadArgs> {
    args.parsed("a theme: colour, mono or cvd", |word| word.to_ascii_lowercase().parse().ok())
}

fn width(args: &mut Args) -> Result<Option<u32>, BadArgs> {
    let pixels = |word: &str| word.parse().ok().filter(|n| (64..=png::LARGEST).contains(n));
    args.parsed("a width from 64 to 8192 pixels", pixels).map(Some)
}

/// SVG and PNG are told apart by the ending of the name.
pub fn picture_file(path: PathBuf) -> Result<PathBuf, BadArgs> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("svg" | "png") => Ok(path),
        _ => Err(BadArgs::Wrong { found: path.display().to_string(), expected: "the name of an SVG or PNG file" }),
    }
}

pub fn read_draw(args: &mut Args) -> Result<StudyCommand, BadArgs> {
    let file = picture_file(args.file()?)?;
    let (mut look, mut size, mut every, mut marking) = (Look::default(), None, None, false);
    while let Some(word) = args.next_word() {
        match word.to_ascii_lowercase().as_str() {
            "order" => look.order = true,
            "last" => look.last = true,
            "next" => look.next = true,
            "legal" => look.legal = true,
            "stable" => look.stable = true,
            "values" => look.values = true,
            "umigame" => look.umigame = true,
            "accuracy" => look.accuracy = true,
            "human" => look.human = true,
            "theme" => look.theme = theme(args)?,
            "size" => size = width(args)?,
            "every" => {
                let moves = |word: &str| word.parse().ok().filter(|n| (1..=60usize).contains(n));
                every = Some(args.parsed("a number of moves from 1 to 60", moves)?);
            }
            "marks" => marking = true,
            _ if marking => look.marks.extend(show::read_marks(&word)?),
            _ => return Err(BadArgs::Extra(word)),
        }
    }
    Ok(StudyCommand::Draw { file, look, width: size, every })
}

pub fn read_graph(args: &mut Args) -> Result<StudyCommand, BadArgs> {
    let graph = if args.flag("loss") {
        Graph::Loss
    } else {
        args.flag("value");
        Graph::Value
    };
    let named = args.peek().is_some_and(|word| !matches!(word, "size" | "theme"));
    let file = if named { Some(picture_file(args.file()?)?) } else { None };
    let (mut colours, mut size) = (Theme::default(), None);
    args.options(|word, args| {
        match word {
            "theme" => colours = theme(args)?,
            "size" => size = width(args)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(StudyCommand::Graph { graph, file, theme: colours, width: size })
}

/// Writes a picture as the ending of its name says.
pub fn write_picture(path: &Path, svg: Svg, width: Option<u32>, control: Control<'_, Progress>) -> Answer<()> {
    let is_png = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    let bytes = if is_png {
        let pixels = width.unwrap_or((svg.size().0 * 1.5) as u32).min(png::LARGEST);
        let stopped = || CommandError::new(CommandErrorKind::Illegal, "stopped: nothing was drawn");
        let drawn = unless_stopped(control.stop_flag(), move |_| png::png(&svg, pixels)).ok_or_else(stopped)?;
        drawn.map_err(|e| CommandError::new(CommandErrorKind::Unsupported, e))?
    } else {
        match width {
            None => svg.document(),
            Some(width) => svg.element(&format!("width=\"{width}\"")),
        }
        .into_bytes()
    };
    write_file(path, &bytes)
}

impl OthelloEngine {
    pub(super) fn study(&mut self, command: &StudyCommand, control: Control<'_, Progress>) -> Answer<Report> {
        match command {
            StudyCommand::Draw { file, look, width, every } => self.draw(file, look, *width, *every, control),
            StudyCommand::Opening => Ok(Report::Table(self.openings())),
            StudyCommand::Graph { graph, file, theme, width } => {
                self.draw_graph(*graph, file.as_deref(), *theme, *width, control)
            }
            StudyCommand::Show(shown) => Ok(self.shown(shown)),
            StudyCommand::Report(file) => self.write_report(file, control),
            StudyCommand::Xot(number) => self.xot(*number),
            StudyCommand::About(field, text) => {
                let about = &mut self.about;
                *match field {
                    Field::Black => &mut about.names[0],
                    Field::White => &mut about.names[1],
                    Field::Memo => &mut about.memo,
                    Field::Event => &mut about.event,
                    Field::Date => &mut about.date,
                } = text.clone();
                Ok(Report::Nothing)
            }
            StudyCommand::Record { here } => review::save_record(self, *here),
        }
    }

    fn draw(
        &mut self,
        file: &Path,
        look: &Look,
        width: Option<u32>,
        every: Option<usize>,
        control: Control<'_, Progress>,
    ) -> Answer<Report> {
        let svg = match every {
            Some(every) => picture::strip(&self.game, every, look.theme),
            None => {
                let values = self.picture_values(look, control)?;
                picture::board(&self.game, look, search::stable_discs(self.position()), &values).draw()
            }
        };
        write_picture(file, svg, width, control)?;
        Ok(Report::Nothing)
    }

    /// What stands on the legal moves: the values of a hint, numbers of the book.
    fn picture_values(&mut self, look: &Look, control: Control<'_, Progress>) -> Answer<Vec<(Square, Value)>> {
        if !(look.values || look.umigame || look.accuracy || look.human) || self.game.turn() != Turn::Move {
            return Ok(vec![]);
        }
        let position = self.position();
        let lines = if look.values { self.hint(64, &Focus::default(), control)?.lines } else { vec![] };
        if look.values && control.stopped() && lines.len() < position.moves().count() as usize {
            return Err(CommandError::new(CommandErrorKind::Illegal, "stopped: nothing was drawn"));
        }
        let likely = if look.human { self.likely(position.board) } else { vec![] };
        let best = lines.iter().map(|line| line.value).fold(f64::NEG_INFINITY, f64::max);
        let store = &Stoppable { book: self.book.store(), stop: control.stop_flag() };
        let mut grader = Grader::new(store);
        let mut counter = Counter::new(store, umigame::Reach::default());
        let value = |square: Square| {
            let line = lines.iter().find(|line| line.best() == square.to_string());
            let after = position.play(square)?;
            let mut notes = vec![];
            if look.umigame {
                notes.extend(self.umigame_number(&mut counter, square));
            }
            if look.accuracy
                && let Some(grade) = grader.grade(after.board)
            {
                notes.push(grade.to_string());
            }
            if let Some(likely) = likely.iter().find(|likely| likely.square == square) {
                notes.push(format!("{:.0} %", 100.0 * likely.probability));
            }
            if let Some(line) = line {
                notes.push(review::source_word(line));
            }
            let text = line.map_or(String::new(), |line| crate::report::signed(line.value));
            let is_best = line.is_some_and(|line| line.value >= best - 1e-9);
            (!text.is_empty() || !notes.is_empty()).then_some((square, Value { text, best: is_best, notes }))
        };
        let values = position.moves().into_iter().filter_map(value).collect();
        if (look.umigame || look.accuracy) && control.stopped() {
            return Err(CommandError::new(CommandErrorKind::Illegal, "stopped: nothing was drawn"));
        }
        Ok(values)
    }

    fn openings(&self) -> Table {
        let (english, japanese) = (Names::english(), Names::japanese());
        let reached = [english.reached(&self.game), japanese.reached(&self.game)];
        let name = |found: Option<(&str, usize)>| Cell::from(found.map(|(name, _)| name.to_string()));
        let ply = reached.iter().flatten().map(|(_, ply)| *ply).max();
        let mut rows = vec![vec![Cell::phrase("reached"), Cell::from(ply), name(reached[0]), name(reached[1])]];
        let position = self.position();
        for square in position.moves() {
            let Some(after) = position.play(square) else { continue };
            let [one, other] = [english.of(after), japanese.of(after)];
            if one.is_some() || other.is_some() {
                rows.push(vec![
                    square.to_string().into(),
                    Cell::from(self.game.ply() + 1),
                    one.map(str::to_string).into(),
                    other.map(str::to_string).into(),
                ]);
            }
        }
        Table { title: "openings".into(), columns: vec!["move", "ply", "English", "Japanese"], rows, notes: vec![] }
    }

    /// The points of the game and of its other lines.
    pub(super) fn points(&self) -> (Vec<analysis::Point>, Vec<Vec<analysis::Point>>) {
        let given = self.given();
        let branches = (0..self.game.branches().len()).map(|number| {
            let mut game = self.game.clone();
            game.switch_branch(number);
            self.findings.graph(&game, given)
        });
        let main: Vec<Move> = self.game.plies().iter().map(|ply| ply.mv).collect();
        let others = branches
            .zip(self.game.branches())
            .filter(|(_, branch)| !branch.plies.iter().map(|ply| ply.mv).eq(main.iter().copied()));
        (self.findings.graph(&self.game, given), others.map(|(points, _)| points).collect())
    }

    fn draw_graph(
        &self,
        graph: Graph,
        file: Option<&Path>,
        theme: Theme,
        width: Option<u32>,
        control: Control<'_, Progress>,
    ) -> Answer<Report> {
        let (points, branches) = self.points();
        if points.iter().all(|point| point.known.is_none()) {
            return Err(CommandError::new(
                CommandErrorKind::Illegal,
                "no value of this game is known yet: `analyze` finds them",
            ));
        }
        if let Some(file) = file {
            let svg = analysis::draw(&points, &branches, graph, theme, (800.0, 400.0));
            write_picture(file, svg, width, control)?;
            return Ok(Report::Nothing);
        }
        Ok(Report::Table(review::graph_table(&self.game, &points, graph)))
    }

    /// How many plies of the game were not the players' choice.
    pub(super) fn given(&self) -> usize {
        xot::given(self.xot.as_deref(), &self.game)
    }

    fn xot(&mut self, number: Option<usize>) -> Answer<Report> {
        let own = self.xot.clone();
        let list = own.as_deref().unwrap_or(xot::List::built_in());
        let index = number.unwrap_or_else(|| self.rng.below(list.len()));
        let too_large =
            || CommandError::new(CommandErrorKind::Range, format!("there are only {} openings", list.len()));
        let mut game = list.get(index).ok_or_else(too_large)?.clone();
        game.set_auto_pass(self.options.autopass);
        self.start_over(game);
        self.forget_about();
        Ok(Report::text(format!("{} {}", index + 1, super::notes::write("transcript", &self.record())?)))
    }
}
