//! The Go player as a session sees it: a game, options, clocks and a player behind the trait [`Engine`].

mod charts;
mod commands;
mod gopal;
mod notes;
mod options;
mod picture;
pub mod settings;
mod think;
mod verdict;

#[cfg(test)]
mod net_tests;
#[cfg(test)]
mod reuse_tests;
#[cfg(test)]
mod tests;

use super::{
    Board, Config, Forbidden, GoGame, Player, Point, Report, config,
    game::Play,
    notation::{Vertex, parse_vertex},
    pattern::PatternTable,
    report::Choice,
    sgf::{self, Info, Record},
    surroundings::Cell,
    timing,
};
use crate::{
    base::{
        Clock, Clocks, Colour, Control, Limits, Rng, Stopwatch,
        settings::{self as table, SettingView},
    },
    engine::{
        self, Analysis, Answer, Aside, CommandError, CommandErrorKind, Engine, Focus, Game, Job, Notices, Outcome,
        Progress, Query, Step, Thought, TimeControl, View, command,
    },
};
pub use commands::COMMANDS;
use settings::Options;
use verdict::Verdict;

/// The board and komi of a new session.
const SIZE: usize = 19;
const KOMI: f32 = 6.5;

pub struct GoEngine {
    game: GoGame,
    /// Moves that were stepped back over, the next one first.
    future: Vec<Play>,
    options: Options,
    config: Config,
    player: Player,
    /// Black's and white's, when the game is played with clocks.
    clocks: Clocks,
    info: Info,
    /// The file the game was read from, with its variations.
    record: Option<Record>,
    /// The side we moved for last, until the position changes otherwise.
    moved_for: Option<Colour>,
    /// The last search, and the position it was about.
    seen: Option<(u64, Report)>,
    /// The last word about dead stones.
    verdict: Option<Verdict>,
    rng: Rng,
}

impl Default for GoEngine {
    fn default() -> Self {
        Self::new()
    }
}

impl GoEngine {
    pub fn new() -> GoEngine {
        let options = Options::default();
        let board = Board::new(SIZE).expect("the usual board can be played on");
        GoEngine {
            game: GoGame::from_board(board, options.rules, KOMI),
            future: vec![],
            options,
            config: Config::default(),
            player: Player::new(Config::default()),
            clocks: Clocks::default(),
            info: Info::default(),
            record: None,
            moved_for: None,
            seen: None,
            verdict: None,
            rng: Rng::from_seed_or_time(0),
        }
    }

    /// The seed of the next search: a chosen one repeats games but does not repeat itself within one.
    fn next_seed(&mut self) -> u64 {
        match self.config.seed {
            0 => self.rng.next_u64(),
            seed => (seed << 16).wrapping_add(self.game.plays().len() as u64),
        }
    }

    /// The player with the options as they are now.
    fn player(&mut self) -> &mut Player {
        let seed = self.next_seed();
        let config = Config { seed: self.player.config().seed, ..self.config.clone() };
        self.player.set_config(config);
        self.player.set_seed(seed);
        &mut self.player
    }

    fn limits(&self, clock: Option<Colour>) -> Limits {
        let clock = clock.and_then(|colour| self.clocks.of(colour));
        timing::limits(&self.config, clock, &self.game)
    }

    /// The game with this side to move.
    fn game_for(&self, colour: Option<Colour>) -> GoGame {
        let mut game = self.game.clone();
        if let Some(colour) = colour {
            game.set_to_move(colour);
        }
        game
    }

    /// Chooses a move: a point, `pass` or `resign`.
    fn choose(
        &mut self,
        colour: Option<Colour>,
        play: bool,
        cleaning: bool,
        control: Control<'_, Progress>,
    ) -> Answer<(String, Thought)> {
        let game = self.game_for(colour);
        let colour = game.to_move();
        let limits = self.limits(Some(colour));
        let begun = Stopwatch::start(limits.clock);
        let report = think::telling(1..=usize::MAX, control, |control| match cleaning {
            true => self.player().clean(&game, limits, control),
            false => self.player().think(&game, limits, control),
        });
        let thought = think::thought(&report, 1..=usize::MAX);
        let choice = report.choice;
        self.seen = Some((game.board().hash(), report));
        let best = match choice {
            Choice::Resign => "resign".into(),
            Choice::Play(p) => Vertex(game.geometry(), p).to_string(),
        };
        if play {
            self.clocks.spend(colour, begun.elapsed());
            if let Choice::Play(p) = choice {
                self.game.play(colour, p).map_err(|e| CommandError::new(CommandErrorKind::Illegal, e))?;
                self.future.clear();
                self.moved_for = Some(colour);
            }
        }
        Ok((best, thought))
    }

    /// Searches the present position without choosing, perhaps without some of the moves.
    fn examine(
        &mut self,
        colour: Option<Colour>,
        limits: Limits,
        count: usize,
        focus: &Focus,
        control: Control<'_, Progress>,
    ) -> Answer<Thought> {
        let game = self.game_for(colour);
        let restrictions = think::restrictions(&game, self.config.kind, &focus.restrictions)?;
        let shown = focus.least.max(1)..=count.max(1);
        let report = think::telling(shown.clone(), control, |control| {
            self.player().examine_within(&game, &restrictions, limits, control)
        });
        let thought = think::thought(&report, shown);
        // What was found without some of the moves says nothing about the position.
        self.seen = restrictions.is_empty().then(|| (game.board().hash(), report));
        Ok(thought)
    }

    fn analyse(&mut self, control: Control<'_, Progress>) -> Analysis {
        let (limits, mut game) = (self.limits(None), self.game.clone());
        for play in &self.future {
            let _ = game.play_despite_superko(play.colour, play.point);
        }
        think::analyse(self.player(), &game, limits, control)
    }

    fn play_one(&mut self, colour: Option<Colour>, text: &str) -> Answer<()> {
        let colour = colour.unwrap_or(self.game.to_move());
        let point = parse_vertex(self.game.geometry(), text.trim())
            .map_err(|e| CommandError::new(CommandErrorKind::Syntax, e))?;
        let done = match self.options.accept_repetition {
            true => self.game.play_despite_superko(colour, point),
            false => self.game.play(colour, point),
        };
        done.map_err(|why: Forbidden| {
            CommandError::new(CommandErrorKind::Illegal, format!("{colour} at {text}: {why}"))
        })
    }

    /// A game that did not come from play: what was expected and known of the old one is void.
    fn start_over(&mut self, game: GoGame, record: Option<Record>) {
        self.game = game;
        self.future.clear();
        self.record = record;
        self.moved_for = None;
        self.seen = None;
    }

    /// The empty board, with komi and rules as they are.
    fn start_on(&mut self, board: Board) {
        let komi = self.game.komi();
        self.start_over(GoGame::from_board(board, self.options.rules, komi), None);
        self.info = Info::default();
        self.clocks.restart();
    }

    /// Black's lead once the game is over and judged.
    fn result(&self) -> Option<f64> {
        let verdict = self.verdict.as_ref().filter(|verdict| self.game.is_over() && verdict.is_about(&self.game));
        verdict.map(|verdict| f64::from(verdict.score))
    }

    fn notices(&self) -> Notices {
        if self.game.is_over() { vec!["both sides passed: the game is over".into()] } else { vec![] }
    }

    fn go_to(&mut self, ply: usize) -> bool {
        let (now, future) = (self.game.plays().len(), self.future.len());
        if ply > now + future {
            return false;
        }
        if ply <= now {
            let undone = self.game.back_to(ply);
            self.future.splice(0..0, undone);
        } else {
            for play in self.future.drain(..ply - now) {
                // It was made here before.
                let _ = self.game.play_despite_superko(play.colour, play.point);
            }
        }
        true
    }
}

impl Aside for GoEngine {
    /// The whole engine: its tree is worth keeping, and a question needs one of its own.
    type Kept = GoEngine;

    fn lay_aside(&mut self, _: &Query) -> GoEngine {
        let board = Board::empty(self.game.geometry());
        let other = GoEngine {
            rng: self.rng.clone(),
            options: self.options.clone(),
            config: self.config.clone(),
            game: GoGame::from_board(board, self.game.rules(), self.game.komi()),
            ..GoEngine::new()
        };
        let net = self.player.net().cloned();
        let kept = std::mem::replace(self, other);
        self.player.set_net(net);
        kept
    }

    fn take_up(&mut self, kept: GoEngine) {
        *self = kept;
    }
}

impl Engine for GoEngine {
    fn game(&self) -> Game {
        Game::Go
    }

    fn warm_up(&mut self, _near: bool) -> bool {
        // Without the thread the first search makes it, and cannot be stopped meanwhile.
        let _ = std::thread::Builder::new().name("patterns".into()).spawn(PatternTable::standard);
        true
    }

    fn new_game(&mut self) {
        self.start_on(Board::empty(self.game.geometry()));
    }

    fn resize(&mut self, size: usize) -> Answer<()> {
        let board = Board::new(size).map_err(|e| CommandError::new(CommandErrorKind::Range, e))?;
        self.start_on(board);
        Ok(())
    }

    fn komi(&mut self, komi: f64) -> Answer<()> {
        if !(komi.is_finite() && komi.abs() < 10_000.0) {
            return Err(CommandError::new(CommandErrorKind::Range, "komi out of range"));
        }
        self.game.set_komi(komi as f32);
        self.seen = None;
        Ok(())
    }

    fn import(&mut self, text: &str) -> Answer<Notices> {
        let note = notes::read(text, &self.game)?;
        self.info = note.record.as_ref().map(|record| record.info.clone()).unwrap_or_default();
        self.start_over(note.game, note.record);
        self.options.rules = self.game.rules();
        Ok(self.notices())
    }

    fn set_up(&mut self, stones: &[(Colour, String)], to_move: Option<Colour>) -> Answer<()> {
        if !self.game.plays().is_empty() || !self.future.is_empty() {
            return Err(CommandError::new(CommandErrorKind::Illegal, "the board is in use: set up only a new game"));
        }
        let geometry = self.game.geometry();
        let mut all: Vec<(Point, Colour)> = Vec::new();
        for (colour, name) in stones {
            let point = parse_vertex(geometry, name).ok().filter(|p| !p.is_pass());
            all.push((
                point.ok_or_else(|| CommandError::new(CommandErrorKind::Syntax, format!("`{name}` is no point")))?,
                *colour,
            ));
        }
        let mut game = self.game.clone();
        if !all.is_empty() {
            let before = geometry.points().filter_map(|p| Some((p, game.board().cell(p).colour()?)));
            let board = Board::with_stones(geometry, before.chain(all).collect::<Vec<_>>())
                .map_err(|e| CommandError::new(CommandErrorKind::Illegal, e))?;
            game = GoGame::from_board(board, game.rules(), game.komi());
        }
        if let Some(colour) = to_move {
            game.set_to_move(colour);
        }
        self.start_over(game, None);
        Ok(())
    }

    fn export(&self, form: &str) -> Answer<String> {
        let result = self.result().map_or(String::new(), |score| sgf::result(score as f32));
        let info = Info { result, ..self.info.clone() };
        let record = self.record.as_ref();
        notes::write(form, &notes::Written { game: &self.game, future: &self.future, info: &info, record })
    }

    fn forms(&self) -> &'static [&'static str] {
        notes::FORMS
    }

    fn saved(&self, form: &str, here: bool) -> Answer<(String, Notices)> {
        let info = Info {
            result: self.result().map_or(String::new(), |score| sgf::result(score as f32)),
            ..self.info.clone()
        };
        // The variations of a file lead elsewhere.
        let (future, record) = if here { (&[][..], None) } else { (&self.future[..], self.record.as_ref()) };
        let written = notes::Written { game: &self.game, future, info: &info, record };
        Ok((notes::write(form, &written)? + "\n", vec![]))
    }

    fn play(&mut self, moves: &[(Option<Colour>, String)]) -> Answer<Notices> {
        // A single move that is refused changes nothing by itself.
        let before = (moves.len() > 1).then(|| self.game.clone());
        if let Err(refusal) = engine::play_each(moves, |colour, text| self.play_one(colour, text)) {
            before.into_iter().for_each(|game| self.game = game);
            return Err(refusal);
        }
        self.future.clear();
        self.moved_for = None;
        Ok(self.notices())
    }

    fn play_line(&mut self, moves: &str) -> Answer<()> {
        let mut game = self.game.clone();
        notes::play_moves(&mut game, moves)?;
        self.game = game;
        Ok(())
    }

    fn step(&mut self, step: Step) -> Answer<()> {
        let now = self.game.plays().len();
        let (to, complaint) = match step {
            Step::Back(n) | Step::TakeBack(n) => (now.checked_sub(n), "cannot undo"),
            Step::Forward(n) => (now.checked_add(n), "cannot redo"),
            Step::To(ply) => (Some(ply), "the game has fewer moves"),
        };
        self.moved_for = None;
        if !to.is_some_and(|ply| self.go_to(ply)) {
            return Err(CommandError::new(CommandErrorKind::Illegal, complaint));
        }
        if matches!(step, Step::TakeBack(_)) {
            self.future.clear();
        }
        Ok(())
    }

    fn view(&self) -> View {
        let (board, geometry) = (self.game.board(), self.game.geometry());
        let over = self.game.is_over();
        let name = |p: Point| Vertex(geometry, p).to_string();
        let legal = || self.game.legal_points().into_iter().map(name).chain(["pass".to_string()]).collect();
        let cell = |p: Point| match board.cell(p) {
            Cell::Black => Some(Colour::Black),
            Cell::White => Some(Colour::White),
            Cell::Empty | Cell::Edge => None,
        };
        View {
            game: Game::Go,
            size: geometry.size(),
            cells: geometry.points_from_top().map(cell).collect(),
            to_move: self.game.to_move(),
            over,
            legal: if over { vec![] } else { legal() },
            moves: self.game.plays().iter().map(|play| (play.colour, name(play.point))).collect(),
            count: Colour::BOTH.map(|colour| board.stones(colour)),
            empties: board.empties().len() as u32,
            captured: Colour::BOTH.map(|colour| board.captured(!colour)),
            result: self.result(),
            names: [self.info.black.clone(), self.info.white.clone()],
        }
    }

    fn awaits_verdict(&self) -> bool {
        self.game.is_over() && self.result().is_none()
    }

    fn set_time(&mut self, control: TimeControl) {
        self.clocks.set(control.clock);
    }

    fn clock(&self, colour: Colour) -> Option<Clock> {
        self.clocks.of(colour).copied()
    }

    fn time_left(&mut self, colour: Colour, clock: Clock) {
        self.clocks.put(colour, clock);
    }

    fn settings(&self) -> Vec<SettingView> {
        let mut all = config::view(&self.config);
        all.extend(table::view(settings::TABLE, &self.options));
        all
    }

    fn set(&mut self, name: &str, value: &str) -> Answer<()> {
        self.set_until(name, value, Control::alone())
    }

    fn sets_slowly(&self, name: &str) -> bool {
        ["net", "pattern-file"].iter().any(|slow| name.eq_ignore_ascii_case(slow))
    }

    fn set_until(&mut self, name: &str, value: &str, control: Control<'_, Progress>) -> Answer<()> {
        self.change_option(name, value, control)
    }

    fn commands(&self) -> command::Table {
        &COMMANDS
    }

    fn work(&mut self, job: &Job, control: Control<'_, Progress>) -> Answer<Outcome> {
        match job {
            Job::Move { colour, play } => {
                if *play && colour.is_none() && self.game.is_over() {
                    return Err(CommandError::new(CommandErrorKind::Illegal, "the game is over"));
                }
                let side = colour.unwrap_or(self.game.to_move());
                let (best, thought) = self.choose(*colour, *play, false, control)?;
                Ok(Outcome::Move { colour: side, best, thought })
            }
            Job::Hint { count, focus } => {
                let limits = self.limits(None);
                self.examine(None, limits, *count, focus, control).map(Outcome::Thought)
            }
            Job::Watch { colour, count, focus } => {
                self.examine(*colour, Limits::NONE, *count, focus, control).map(Outcome::Thought)
            }
            Job::Bound { .. } => {
                let message = "in Go the value of a move has no bounds that could be proven";
                Err(CommandError::new(CommandErrorKind::Unsupported, message))
            }
            Job::Analyse => Ok(Outcome::Analysis(self.analyse(control))),
            Job::Query(query) => engine::ask_aside(self, query, control),
            Job::Ponder => self.examine(None, Limits::NONE, 1, &Focus::default(), control).map(Outcome::Thought),
            Job::Judge => self.verdict(control).map(|_| Outcome::Report(crate::base::Report::Nothing)),
            Job::Command(command) => self.carry_out(command.open()?, control).map(Outcome::Report),
            Job::Prepare(notices) => Ok(Outcome::Done(notices.clone())),
            Job::Load { .. } | Job::Save { .. } | Job::Set(_) => Err(engine::not_for_a_game()),
        }
    }

    fn wants_to_ponder(&self) -> bool {
        let theirs = self.moved_for.is_some_and(|own| own != self.game.to_move());
        self.config.ponder && self.config.reuse && theirs && !self.game.is_over()
    }

    fn shutdown(&mut self) -> Answer<Notices> {
        Ok(vec![])
    }
}
