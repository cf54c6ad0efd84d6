//! The Othello player as a session sees it: a game, options, clocks and a searcher behind the trait [`Engine`].

mod aside;
mod book;
mod commands;
mod games;
mod human;
mod notes;
mod opening;
mod options;
mod practice;
mod review;
mod saving;
pub mod settings;
mod show;
mod start;
mod study;
mod think;

#[cfg(test)]
mod tests;

use super::{
    Game, Move, Position, Square,
    book::{Book, home},
    eval::Weights,
    game::PlayError,
    notation,
    position::Turn,
    records::Record,
    search::{self, Config, Effort, Searcher, Task, Window},
    study::{analysis::Findings, xot},
};
use crate::{
    base::{Clock, Clocks, Colour, Control, Rng, Stopwatch, settings as table},
    engine::{
        self, Aim, Answer, CommandError, CommandErrorKind, Engine, Focus, Game as GameName, Job, Notices, Outcome,
        Progress, Step, Thought, TimeControl, View, command,
    },
};
pub use commands::{COMMANDS, OthelloCommand};
use settings::{Options, PlayerKind};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// What thinking on the opponent's time is about.
#[derive(Debug, Clone, Copy)]
struct Expectation {
    /// The side we played for.
    own: Colour,
    /// What we expect the opponent to play.
    reply: Option<Move>,
}

pub struct OthelloEngine {
    game: Game,
    options: Options,
    /// Black's and white's, when the game is played with clocks.
    clocks: Clocks,
    /// What is known of the game besides its moves; its own game is not used.
    about: Record,
    /// The sides we made moves for.
    moved_for: [bool; 2],
    findings: Findings,
    games: games::Open,
    practising: practice::Practising,
    /// Made with the first search: a process that only keeps the rules stays small.
    searcher: Option<Searcher>,
    weights: Option<Arc<Weights>>,
    /// Set after a move of ours, until the position changes otherwise.
    expectation: Option<Expectation>,
    rng: Rng,
    book: Book,
    /// Balanced openings from a file.
    xot: Option<Arc<xot::List>>,
    /// A clock was set before the weights were there.
    wanted_ready: bool,
}

impl Default for OthelloEngine {
    fn default() -> Self {
        Self::new()
    }
}

impl OthelloEngine {
    pub fn new() -> Self {
        OthelloEngine {
            game: Game::without_auto_pass(Position::START),
            options: Options::default(),
            clocks: Clocks::default(),
            about: Record::new(Game::without_auto_pass(Position::START)),
            moved_for: [false; 2],
            findings: Findings::default(),
            games: games::Open::default(),
            practising: practice::Practising::default(),
            searcher: None,
            weights: None,
            expectation: None,
            rng: Rng::from_seed_or_time(0),
            book: Book::builtin(),
            xot: None,
            wanted_ready: false,
        }
    }

    fn position(&self) -> Position {
        self.game.position()
    }

    fn searcher(&mut self) -> &mut Searcher {
        let weights = self.weights.get_or_insert_with(Weights::builtin).clone();
        let config = Config { threads: self.options.threads, hash_bits: self.options.hash, weights };
        match &mut self.searcher {
            Some(searcher) => searcher.configure(config),
            None => self.searcher = Some(Searcher::new(config)),
        }
        self.searcher.as_mut().expect("made above")
    }

    /// Where changes to a book without a file are kept.
    fn book_home(&self) -> Option<PathBuf> {
        home::folder(&self.options.book_home)
    }

    /// Waits until a search can begin; false when told to stop before.
    fn is_ready(&self, control: Control<'_, Progress>) -> bool {
        self.weights.is_some() || Weights::wait_for_builtin(|| control.stopped())
    }

    /// Begins to unfold what a search needs, if that has not begun.
    fn begin_weights(&self) {
        if self.weights.is_none() && Weights::prepare_builtin() {
            // Without the thread the first search makes them.
            let _ = std::thread::Builder::new().name("tables".into()).spawn(search::make_tables);
        }
    }

    /// Whoever sets a clock will want moves in time: weights and hash table are made next, while no clock runs.
    fn get_ready(&mut self) {
        self.wanted_ready = true;
    }

    /// Searches the present position with `side` to move.
    fn think(&mut self, side: Colour, task: &Task, control: Control<'_, Progress>) -> Thought {
        let board = self.position().with_side(side).board;
        if !self.is_ready(control) {
            return think::hasty(board);
        }
        let black_draw = f64::from(self.options.contempt) / 100.0;
        let draw = if side == Colour::Black { black_draw } else { -black_draw };
        let wld = task.effort == Effort::WinLossDraw || task.window == Window::SIGN;
        let empties = board.empty_count();
        let (names, position) = (self.options.opening_names, Position { board, side });
        let translate =
            |report: &search::Report| opening::named(names, position, think::thought(report, empties, wld, draw));
        think::think(self.searcher(), board, task, &translate, control)
    }

    /// The side that a search for `colour` is about. A colour that is not on turn may move only if the other must
    /// pass; at the end of the game nobody can, and both may say so.
    fn mover(&self, colour: Option<Colour>) -> Answer<Colour> {
        let side = self.game.side();
        match (colour, self.game.turn()) {
            (None, _) => Ok(side),
            (Some(colour), Turn::Move) if colour != side => {
                Err(CommandError::new(CommandErrorKind::Illegal, PlayError::WrongSide { colour }))
            }
            (Some(colour), _) => Ok(colour),
        }
    }

    fn choose(&mut self, colour: Option<Colour>, play: bool, control: Control<'_, Progress>) -> Answer<Outcome> {
        // A protocol that names the colour knows what it asks for: GTP lets both sides pass once more.
        if play && colour.is_none() && self.game.is_over() {
            return Err(CommandError::new(CommandErrorKind::Illegal, "the game is over"));
        }
        let colour = self.mover(colour)?;
        let started = Stopwatch::start(think::time_source(&self.options));
        let board = self.position().with_side(colour).board;
        let limits = think::limits(&self.options, self.clocks.of(colour), board);
        let task = Task { limits, ..Task::new(think::effort(&self.options, &limits)) };
        let thought = match self.options.player {
            PlayerKind::Human => self.human_thought(board, control),
            PlayerKind::Engine => match self.book_move(board, control) {
                Some(thought) => opening::named(self.options.opening_names, self.position().with_side(colour), thought),
                None => self.think(colour, &task, control),
            },
        };
        let thought = self.with_people(board, thought);
        self.keep(self.position().with_side(colour), &thought);
        let line = thought.lines.first();
        let best = line.map_or("pass", |line| line.best()).to_string();
        if play {
            self.clocks.spend(colour, started.elapsed());
            let mv = read_move(&best)?;
            self.play_one(Some(colour), mv)?;
            self.moved_for[colour.index()] = true;
            self.game.annotate(line.map(|l| l.value), Some(started.elapsed().as_secs_f64()));
            let reply = line.and_then(|l| l.moves.get(1)).and_then(|mv| read_move(mv).ok());
            self.expectation = Some(Expectation { own: colour, reply });
        }
        Ok(Outcome::Move { colour, best, thought })
    }

    fn hint(&mut self, count: usize, focus: &Focus, control: Control<'_, Progress>) -> Answer<Thought> {
        let Position { board, side } = self.position();
        let limits = think::limits(&self.options, None, board);
        let only = think::restricted(board, side, focus)?;
        let task = Task { limits, lines: count, only, ..Task::new(think::hint_effort(&self.options, &limits)) };
        let mut thought = self.think(side, &task, control);
        book::add_book_lines(&self.book_lines(board, only), count, &mut thought);
        self.keep(self.position(), &thought);
        let thought = self.with_people(board, thought);
        Ok(opening::named(self.options.opening_names, self.position(), thought))
    }

    /// What a search finds out about the moves, the book aside, when no more has to be known than `aim`.
    fn bound(&mut self, count: usize, aim: Aim, focus: &Focus, control: Control<'_, Progress>) -> Answer<Thought> {
        let Position { board, side } = self.position();
        let limits = think::limits(&self.options, None, board);
        let only = think::restricted(board, side, focus)?;
        let (effort, window) = match aim {
            Aim::Value => (think::hint_effort(&self.options, &limits), Window::WHOLE),
            Aim::Window(alpha, beta) => (think::hint_effort(&self.options, &limits), think::window(alpha, beta)?),
            Aim::Winner => (Effort::Exact, Window::SIGN),
        };
        let task = Task { limits, lines: count, only, window, ..Task::new(effort) };
        Ok(self.think(side, &task, control))
    }

    fn watch(
        &mut self,
        colour: Option<Colour>,
        count: usize,
        focus: &Focus,
        control: Control<'_, Progress>,
    ) -> Answer<Thought> {
        let side = self.mover(colour)?;
        let board = self.position().with_side(side).board;
        let only = think::restricted(board, side, focus)?;
        let task = Task { lines: count, only, ..Task::new(Effort::Unlimited) };
        let known = self.book_lines(board, only);
        let tell = |news: &Progress| match news {
            Progress::Thought(thought) => {
                let mut thought = thought.clone();
                book::add_book_lines(&known, count, &mut thought);
                control.tell(&Progress::Thought(thought));
            }
            news => control.tell(news),
        };
        let mut thought = self.think(side, &task, Control::new(control.stop_flag(), &tell));
        book::add_book_lines(&known, count, &mut thought);
        self.keep(self.position().with_side(side), &thought);
        let thought = self.with_people(self.position().with_side(side).board, thought);
        Ok(opening::named(self.options.opening_names, self.position().with_side(side), thought))
    }

    /// On the opponent's time: the position after the reply we expect, or else the one before it. First what will be
    /// asked there, since a surer search can use nothing of one that is less sure, then ever deeper. What is found is in
    /// the table when the clock runs again.
    fn ponder(&mut self, control: Control<'_, Progress>) -> Thought {
        if !self.is_ready(control) {
            return Thought::default();
        }
        let Position { board, side } = self.position();
        let expected = self.expectation.and_then(|e| e.reply);
        let after = match expected {
            Some(Move::Place(square)) => board.play(square),
            Some(Move::Pass) => Some(board.pass()),
            None => None,
        };
        let board = after.unwrap_or(board);
        log::debug!("pondering for {} on {expected:?}", !side);
        let quiet = |_: &search::Report| {};
        let control = Control::new(control.stop_flag(), &quiet);
        let limits = think::limits(&self.options, self.clocks.of(!side), board);
        let asked = Task::new(think::effort(&self.options, &limits));
        let mut report = self.searcher().search(board, &asked, control);
        if !control.stopped() {
            report = self.searcher().search(board, &Task::new(Effort::Unlimited), control);
        }
        think::thought(&report, board.empty_count(), false, 0.0)
    }

    fn play_one(&mut self, colour: Option<Colour>, mv: Move) -> Answer<()> {
        let refused = |error: PlayError| CommandError::new(CommandErrorKind::Illegal, error);
        // A referee that knows no Othello ends a game by two passes: with a colour said, both are accepted.
        if mv == Move::Pass && self.game.is_over() && colour.is_some() {
            return self.game.pass_at_end(colour).map_err(refused);
        }
        self.game.play(colour, mv).map_err(refused)
    }

    /// Plays a move as others say it: `f5`, or with value and seconds `f5/-1.78/0.3`.
    fn play_said(&mut self, colour: Option<Colour>, text: &str) -> Answer<()> {
        let mut parts = text.split('/');
        let mv = read_move(parts.next().unwrap_or_default())?;
        let number = |part: &str| part.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let (value, seconds) = (parts.next().and_then(number), parts.next().and_then(number));
        // Written without its pass: the move can only be the other side's.
        let skips = colour.is_none() && self.game.turn() == Turn::MustPass && mv != Move::Pass;
        let side = self.game.side();
        let colour = if skips { Some(!side) } else { colour };
        self.play_one(colour, mv)?;
        if value.is_some() || seconds.is_some() {
            self.game.annotate(value, seconds);
        }
        if let Some(time) = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()) {
            self.clocks.spend(colour.unwrap_or(side), time);
        }
        Ok(())
    }

    /// What a person should know about the position that was reached.
    fn notices(&self, automatic_pass_from: usize) -> Notices {
        let mut notices: Notices = self.game.played()[automatic_pass_from.min(self.game.ply())..]
            .iter()
            .filter(|ply| ply.automatic)
            .map(|ply| format!("{} passes", ply.colour))
            .collect();
        match self.game.turn() {
            Turn::Over => notices.push("neither side can move: the game is over".into()),
            Turn::MustPass => notices.push(format!("{} must pass", self.game.side())),
            Turn::Move => {}
        }
        notices
    }

    fn forget_about(&mut self) {
        self.about = Record::new(Game::without_auto_pass(Position::START));
        self.moved_for = [false; 2];
    }

    /// A position that did not come from play: expectations and clocks of the old game are void.
    fn start_over(&mut self, game: Game) {
        self.game = game;
        self.expectation = None;
    }
}

fn read_move(text: &str) -> Answer<Move> {
    notation::parse_move(text).map_err(|e| CommandError::new(CommandErrorKind::Syntax, e))
}

impl Engine for OthelloEngine {
    fn warm_up(&mut self, near: bool) -> bool {
        if self.options.book == "builtin" && self.book.path().is_none() && !self.book.is_changed() {
            let mut book = Book::builtin_with_changes(self.book_home().as_deref());
            book.settings = self.book.settings;
            self.book = book;
        }
        // A move from the book needs no weights, and those of the next move can be unfolded while the opponent thinks.
        let ready = near || !self.moves_by_book();
        if ready {
            self.begin_weights();
        }
        ready
    }

    fn game(&self) -> GameName {
        GameName::Othello
    }

    fn forget(&mut self) {
        if let Some(searcher) = &mut self.searcher {
            searcher.clear();
        }
    }

    fn new_game(&mut self) {
        self.game.set_position(Position::START);
        self.clocks.restart();
        self.expectation = None;
        self.forget_about();
        self.findings.clear();
    }

    fn resize(&mut self, size: usize) -> Answer<()> {
        if size != 8 {
            return Err(CommandError::new(CommandErrorKind::Range, "unacceptable size: Othello is played on 8x8"));
        }
        self.new_game();
        Ok(())
    }

    /// GoGui sends a komi for every game; Othello has none, so nothing changes.
    fn komi(&mut self, _komi: f64) -> Answer<()> {
        Ok(())
    }

    fn import(&mut self, text: &str) -> Answer<Notices> {
        self.import_until(text, Control::alone())
    }

    fn import_until(&mut self, text: &str, control: Control<'_, Progress>) -> Answer<Notices> {
        if let Some(changes) = notes::edits(text) {
            let position = notes::edited(self.position(), changes)?;
            self.game.set_position(position);
            self.expectation = None;
            return Ok(self.notices(usize::MAX));
        }
        let note = notes::read_until(text, self.options.autopass, control.stop_flag())?;
        if let Some(clocks) = note.clocks {
            self.clocks.show(clocks);
            self.get_ready();
        }
        self.findings.note_annotations(&note.about.game);
        self.start_over(note.about.game.clone());
        self.about = note.about;
        self.moved_for = [false; 2];
        // Passes that were made by themselves in the end change whose turn it is.
        let automatic = self.game.played().iter().rev().take_while(|ply| ply.automatic).count();
        let mut notices = self.notices(self.game.ply() - automatic);
        if note.others > 0 {
            let count = note.others + 1;
            notices.push(format!(
                "the text holds {count} games: this is the first; `games open FILE` lists those of a file"
            ));
        }
        Ok(notices)
    }

    fn open_list(&mut self, path: &Path, text: &str, control: Control<'_, Progress>) -> Answer<Option<Notices>> {
        self.list_of_file(path, text, control)
    }

    fn set_up(&mut self, stones: &[(Colour, String)], to_move: Option<Colour>) -> Answer<()> {
        if self.game.ply() > 0 {
            return Err(CommandError::new(CommandErrorKind::Illegal, "the board is in use: set up only a new game"));
        }
        let side = to_move.unwrap_or(self.game.side());
        let position =
            if stones.is_empty() { self.position().with_side(side) } else { notes::from_stones(stones, side)? };
        self.game.set_position(position);
        Ok(())
    }

    fn export(&self, form: &str) -> Answer<String> {
        match form {
            "json" => Ok(self.egaroucid_json(&self.record()).trim_end().to_owned()),
            _ => notes::write(form, &self.record()),
        }
    }

    fn forms(&self) -> &'static [&'static str] {
        notes::FORMS
    }

    fn opening(&self) -> Option<engine::Opening> {
        self.options.opening_names.then(|| opening::reached(&self.game)).flatten()
    }

    fn saved(&self, form: &str, here: bool) -> Answer<(String, Notices)> {
        self.text_and_losses(form, here)
    }

    fn play(&mut self, moves: &[(Option<Colour>, String)]) -> Answer<Notices> {
        let (game, clocks) = (self.game.clone(), self.clocks);
        let ply = game.ply();
        if let Err(refusal) = engine::play_each(moves, |colour, text| self.play_said(colour, text)) {
            (self.game, self.clocks) = (game, clocks);
            return Err(refusal);
        }
        // Pondering goes on only if the opponent's move is the next thing that happened.
        self.expectation = None;
        Ok(self.notices(ply))
    }

    fn play_line(&mut self, moves: &str) -> Answer<()> {
        let moves = notes::read_moves(moves)?;
        let sequence = moves.into_iter().map(|mv| (None, mv));
        self.game.play_sequence(sequence).map_err(|e| CommandError::new(CommandErrorKind::Illegal, e))
    }

    fn step(&mut self, step: Step) -> Answer<()> {
        let (done, complaint) = match step {
            Step::Back(n) => (self.game.undo(n), "cannot undo"),
            Step::Forward(n) => (self.game.redo(n), "cannot redo"),
            Step::To(ply) => (self.game.go_to(ply), "the game has fewer plies"),
            Step::TakeBack(n) => (self.game.take_back(n), "cannot undo"),
        };
        self.expectation = None;
        if done { Ok(()) } else { Err(CommandError::new(CommandErrorKind::Illegal, complaint)) }
    }

    fn view(&self) -> View {
        let position = self.position();
        let score = position.score();
        let over = self.game.is_over();
        View {
            game: GameName::Othello,
            size: 8,
            cells: Square::all().map(|square| position.disc_at(square)).collect(),
            to_move: position.side,
            over,
            legal: position.legal().iter().map(Move::to_string).collect(),
            moves: self.game.played().iter().map(|ply| (ply.colour, ply.mv.to_string())).collect(),
            count: [score.black, score.white],
            empties: score.empties(),
            captured: [0; 2],
            result: over.then(|| score.difference().into()),
            names: self.about.names.clone(),
        }
    }

    fn set_time(&mut self, control: TimeControl) {
        self.clocks.set(control.clock);
        if control.clock.is_some() {
            self.get_ready();
        }
    }

    fn clock(&self, colour: Colour) -> Option<Clock> {
        self.clocks.of(colour).copied()
    }

    fn time_left(&mut self, colour: Colour, clock: Clock) {
        self.clocks.put(colour, clock);
        self.get_ready();
    }

    fn settings(&self) -> Vec<table::SettingView> {
        table::view(settings::TABLE, &self.options)
    }

    fn set(&mut self, name: &str, value: &str) -> Answer<()> {
        self.set_until(name, value, Control::alone())
    }

    fn sets_slowly(&self, name: &str) -> bool {
        ["book", "eval", "xot-file"].iter().any(|slow| name.eq_ignore_ascii_case(slow))
    }

    fn set_until(&mut self, name: &str, value: &str, control: Control<'_, Progress>) -> Answer<()> {
        self.change_option(name, value, control)
    }

    fn commands(&self) -> command::Table {
        &COMMANDS
    }

    fn work(&mut self, job: &Job, control: Control<'_, Progress>) -> Answer<Outcome> {
        match job {
            Job::Move { colour, play } => self.choose(*colour, *play, control),
            Job::Hint { count, focus } => self.hint(*count, focus, control).map(Outcome::Thought),
            Job::Watch { colour, count, focus } => self.watch(*colour, *count, focus, control).map(Outcome::Thought),
            Job::Bound { count, aim, focus } => self.bound(*count, *aim, focus, control).map(Outcome::Thought),
            Job::Analyse => Ok(Outcome::Analysis(self.analyse(control))),
            Job::Query(query) => engine::ask_aside(self, query, control),
            Job::Ponder => Ok(Outcome::Thought(self.ponder(control))),
            Job::Judge => Ok(Outcome::Report(crate::base::Report::Nothing)),
            Job::Command(command) => self.carry_out(command.open()?, control).map(Outcome::Report),
            Job::Prepare(notices) => {
                self.prepare(control);
                Ok(Outcome::Done(notices.clone()))
            }
            Job::Load { .. } | Job::Save { .. } | Job::Set(_) => Err(engine::not_for_a_game()),
        }
    }

    fn wants_preparation(&self) -> bool {
        self.wanted_ready && self.searcher.is_none()
    }

    fn wants_to_ponder(&self) -> bool {
        self.options.ponder && !self.game.is_over() && self.expectation.is_some_and(|e| e.own != self.game.side())
    }

    fn shutdown(&mut self) -> Answer<Notices> {
        if !self.book.settings.autosave {
            return Ok(vec![]);
        }
        let home = self.book_home().filter(|_| self.book.path().is_none() && self.book.is_changed());
        let kept = home.and_then(|home| {
            self.book.keep_in(&home).unwrap_or_else(|error| {
                log::error!("{error}");
                None
            })
        });
        self.book.save_or_rescue()?;
        Ok(kept.map(|path| format!("the book with its changes is kept in {}", path.display())).into_iter().collect())
    }

    fn unsaved(&self) -> Option<String> {
        let kept = self.book.settings.autosave && (self.book.path().is_some() || self.book_home().is_some());
        let lost = self.book.is_changed() && !kept;
        let name = self.book.path().map_or("without a file".into(), |path| path.display().to_string());
        lost.then(|| format!("the book ({name}) has unsaved changes: `quit save` or `quit discard`"))
    }

    fn discard(&mut self) {
        self.book.let_go();
    }

    fn save_all(&mut self) -> Answer<Notices> {
        self.book.settings.autosave = true;
        self.shutdown()
    }
}
