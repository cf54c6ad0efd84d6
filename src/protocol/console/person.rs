//! What a person at a terminal sees: sentences and tables that fit the window, what goes on in one place, the board
//! whenever it has changed. Pipes get none of this (`render.rs`).

use super::{
    Console, Mode, bar, board,
    display::Display,
    face::{Face, Last, cut, table_lines, wrap_all},
    help, picture, render,
    vocabulary::Vocabulary,
};
use crate::{
    base::{Clock, Colour, Language, Report},
    engine::{Engine, Focus, Job, Line, Outcome, Progress, Source, Thought, View, WorkDone},
    protocol::{Command, Output, Reply, Request, tables},
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The name of hints that come by themselves.
pub const AUTO_HINT: &str = "hints after a move";
/// A move that takes longer is waited for: the board before it is shown.
const WAITED_FOR: Duration = Duration::from_millis(300);
/// Hints broken off sooner were not seen by anybody.
const TOO_SOON: Duration = Duration::from_millis(200);

/// A person at a terminal.
pub struct Person {
    pub face: Face,
    pub display: Display,
    /// Lines are edited, with these words at hand; otherwise the prompt is written here.
    pub words: Option<Arc<Mutex<Vocabulary>>>,
    /// To be told when the session begins.
    pub notices: Vec<String>,
    greeted: bool,
    prompted: bool,
    /// What was drawn last.
    shown: Option<(View, [Option<Clock>; 2])>,
    /// The board before the engine's own move, to be shown while it thinks.
    before_own_move: Option<(View, String)>,
    /// The position that hints were shown for.
    hinted: Option<View>,
    /// Since when the person thinks about a move, in a game with clocks, and what that took.
    thinks_since: Option<(Colour, Instant)>,
    thought_for: Option<(Colour, Duration)>,
    /// When the analysis of a game told of its first position, and which that was.
    analysis: Option<(Instant, usize)>,
}

impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Person").field("face", &self.face).field("display", &self.display).finish_non_exhaustive()
    }
}

impl Person {
    pub fn new(face: Face, display: Display, words: Option<Arc<Mutex<Vocabulary>>>) -> Person {
        Person {
            face,
            display,
            words,
            notices: vec![],
            greeted: false,
            prompted: false,
            shown: None,
            before_own_move: None,
            hinted: None,
            thinks_since: None,
            thought_for: None,
            analysis: None,
        }
    }

    /// A line has come.
    pub fn hears(&mut self) {
        self.prompted = false;
    }

    /// The board has to be drawn again: its words or colours are others now.
    pub fn forget_the_board(&mut self) {
        self.shown = None;
    }

    pub fn set(&mut self, name: &str, value: &str) -> crate::engine::Answer<()> {
        let before = self.display.clone();
        self.display.set(name, value)?;
        if before.colour != self.display.colour {
            self.shown = None;
        }
        if before.hint_auto != self.display.hint_auto {
            self.hinted = None;
        }
        Ok(())
    }

    /// Hints after a move, where they are wanted.
    pub fn own_work(&mut self, engine: &dyn Engine) -> Option<Request> {
        let view = engine.view();
        let wanted = self.display.values && self.display.hint_auto > 0 && !view.over && view.legal != ["pass"];
        if !wanted || self.hinted.as_ref() == Some(&view) {
            return None;
        }
        self.hinted = Some(view);
        Some(Request::new(
            AUTO_HINT,
            Command::Work(Job::Hint { count: self.display.hint_auto, focus: Focus::default() }),
        ))
    }

    /// What the person's move took goes off the clock.
    pub fn pays(&mut self, engine: &dyn Engine) -> Option<Request> {
        let (colour, time) = self.thought_for.take()?;
        let mut clock = engine.clock(colour)?;
        clock.spend(time);
        Some(Request::new("clock", Command::TimeLeft { colour, clock }))
    }

    /// A move was made: the person's thinking is over.
    pub fn has_moved(&mut self) {
        self.thought_for = self.thinks_since.take().map(|(colour, since)| (colour, since.elapsed()));
    }

    pub fn picture(&self, engine: &dyn Engine, view: &View, language: &Language) -> String {
        let (clocks, opening) = (Colour::BOTH.map(|colour| engine.clock(colour)), engine.opening());
        let sight = board::Sight { view, opening: opening.as_ref(), clocks, colour: self.display.colour };
        board::board(&sight, &self.face, language)
    }

    /// The engine is about to move by itself.
    pub fn awaits_own_move(&mut self, engine: &dyn Engine, language: &Language) {
        let view = engine.view();
        let is_new = self.shown.as_ref().is_none_or(|(shown, _)| *shown != view);
        self.before_own_move = is_new.then(|| {
            let picture = self.picture(engine, &view, language);
            (view, picture)
        });
    }

    /// The board before the engine's move, once it is worth showing: when the move takes time, or nobody else moves.
    pub fn board_before_own_move(&mut self, worth: bool) -> String {
        let Some((view, picture)) = self.before_own_move.take_if(|_| worth) else { return String::new() };
        self.shown = Some((view, [None; 2]));
        picture + "\n"
    }

    /// Greeting, board and prompt, as far as they are due.
    pub(super) fn prompt(
        &mut self,
        engine: &dyn Engine,
        mode: Mode,
        language: &Language,
        reading: bool,
        out: &mut Output,
    ) {
        out.live = Some(vec![]);
        self.before_own_move = None;
        if !self.greeted {
            self.greeted = true;
            let (name, version) = (help::NAME, env!("CARGO_PKG_VERSION"));
            let greeting = format!("{name} {version}. `help` lists the commands, `quit` leaves.");
            let notices: Vec<String> =
                self.notices.drain(..).map(|notice| format!("note: {}", language.say(&notice))).collect();
            for line in std::iter::once(language.say(&greeting).into_owned()).chain(notices) {
                out.out.push_str(&wrap_all(&tables::printable(&line), self.face.width()));
                out.out.push('\n');
            }
        }
        if reading {
            return;
        }
        let view = engine.view();
        let clocks = Colour::BOTH.map(|colour| engine.clock(colour));
        let seen = (view, clocks);
        if self.shown.as_ref() != Some(&seen) {
            out.out.push_str(&self.picture(engine, &seen.0, language));
            out.out.push('\n');
        }
        let (view, _) = self.shown.insert(seen);
        let plays = !view.over && mode != Mode::Nobody && !mode.plays(view.to_move);
        let clock = plays && engine.clock(view.to_move).is_some();
        self.thinks_since = match self.thinks_since {
            Some((colour, since)) if clock && colour == view.to_move => Some((colour, since)),
            _ => clock.then(|| (view.to_move, Instant::now())),
        };
        if self.words.is_none() && !self.prompted {
            self.prompted = true;
            out.out.push_str("> ");
        }
    }

    /// What may be typed next.
    pub fn learn_words(
        &self,
        engine: &dyn Engine,
        settings: &[crate::base::settings::SettingView],
        language: &Language,
    ) {
        let Some(words) = &self.words else { return };
        let leaving = language.say("Ctrl-D or `quit` leaves.").into_owned();
        let settings = [engine.settings(), settings.to_vec(), self.display.settings()].concat();
        let fresh = Vocabulary::new(engine, &settings, leaving);
        *words.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
    }

    /// An answer as text that fits the window.
    pub fn answer(&mut self, request: &Request, reply: &Reply, language: &Language) -> String {
        self.analysis = None;
        let width = self.face.width();
        let text = match reply {
            Reply::Done(notices) => {
                let line = |notice: &String| format!("note: {}\n", tables::one_line(&language.say(notice)));
                notices.iter().chain(&self.hidden_hints(request)).map(line).collect()
            }
            // The board brings its colours.
            Reply::Text(text) if request.word == "show" => return text.clone(),
            // What is to be copied stays in one piece; the terminal itself goes on in the next row.
            Reply::Text(text) if is_copied(request) => return tables::printable(text),
            Reply::Text(text) => text.clone(),
            Reply::Report(report) => self.report(report, language),
            Reply::Settings(rows) => match rows.as_slice() {
                [one] => format!("{} {}", one.name, tables::shown(&one.value)),
                rows => table_lines(language, &tables::settings(rows), width, Last::Wrap).join("\n"),
            },
            Reply::Outcome(outcome) => self.outcome(request, outcome, language),
            Reply::Refused(refusal) => format!("error: {}", tables::one_line(&language.say(&refusal.message))),
            Reply::Bye => String::new(),
        };
        // What a file brought must not steer the terminal.
        wrap_all(&tables::printable(&text), width)
    }

    /// Hints that come by themselves are values unasked for.
    fn hidden_hints(&self, request: &Request) -> Option<String> {
        let Ok(Command::Set(pairs)) = &request.command else { return None };
        let asked = pairs.iter().any(|(name, _)| name == "hint-auto") && self.display.hint_auto > 0;
        (asked && !self.display.values).then(|| "hints are shown after `show values on`".to_owned())
    }

    fn report(&self, report: &Report, language: &Language) -> String {
        match report {
            Report::Table(table) => table_lines(language, table, self.face.width(), Last::Wrap).join("\n"),
            Report::OnBoard(board) => picture::on_board(board),
            Report::Several(parts) => {
                let parts = parts.iter().map(|part| self.report(part, language)).filter(|text| !text.is_empty());
                parts.collect::<Vec<_>>().join("\n")
            }
            report => tables::text_in(language, report),
        }
    }

    fn outcome(&self, request: &Request, outcome: &Outcome, language: &Language) -> String {
        let width = self.face.width();
        match outcome {
            Outcome::Move { colour, best, thought } => self.sentence(*colour, best, thought, language),
            Outcome::Thought(thought)
                if request.word == AUTO_HINT && !thought.complete && thought.elapsed < TOO_SOON =>
            {
                String::new()
            }
            Outcome::Thought(thought) => {
                let last = if thought.lines.len() == 1 { Last::Wrap } else { Last::Cut };
                table_lines(language, &render::hint_table(thought, language), width, last).join("\n")
            }
            Outcome::Analysis(analysis) => {
                let tables = render::analysis_tables(analysis, language);
                let lines = tables.iter().flat_map(|table| table_lines(language, table, width, Last::Cut));
                lines.collect::<Vec<_>>().join("\n")
            }
            Outcome::Done(_) => String::new(),
            Outcome::Report(report) => self.report(report, language),
        }
    }

    /// `white plays d6 (-1.0, book)`.
    fn sentence(&self, colour: Colour, best: &str, thought: &Thought, language: &Language) -> String {
        let plain = match best {
            "pass" => format!("{colour} passes"),
            "resign" => format!("{colour} resigns"),
            best => format!("{colour} plays {best}"),
        };
        let line = thought.lines.iter().find(|line| line.best() == best).or(thought.lines.first());
        let facts = line.filter(|_| self.display.values).map(|line| facts(line, !thought.complete, language));
        match facts {
            Some(facts) if best != "pass" && best != "resign" && !facts.is_empty() => {
                language.say(&format!("{colour} plays {best} ({facts})")).into_owned()
            }
            _ => language.say(&plain).into_owned(),
        }
    }

    /// Whether somebody looks at the board while this goes on.
    pub fn is_waited_for(news: &Progress) -> bool {
        matches!(news, Progress::Thought(thought) if thought.elapsed > WAITED_FOR)
    }

    /// What stands in one place while work goes on; `None`: as it was.
    pub fn live(&mut self, running: &Request, news: &Progress, language: &Language) -> Option<Vec<String>> {
        let width = self.face.width();
        match (news, running.job()) {
            (Progress::Work(work), _) => Some(vec![bar::bar(work, &self.face, language)]),
            (Progress::Thought(thought), Some(Job::Hint { .. } | Job::Watch { .. })) => {
                let (_, rows) = (self.face.size)();
                let mut table = render::hint_table(thought, language);
                // What goes on is neither complete nor stopped.
                table.notes.truncate(1);
                table.rows.truncate(rows.saturating_sub(6).max(1));
                Some(table_lines(language, &table, width, Last::Cut))
            }
            (Progress::Thought(thought), _) => {
                let seconds = format!("{:.1}", thought.elapsed.as_secs_f64());
                let line = thought.lines.first().filter(|_| self.display.values);
                let said = match line {
                    Some(line) => {
                        format!("thinking for {seconds} s: {} ({})", line.best(), facts(line, false, language))
                    }
                    None => format!("thinking for {seconds} s"),
                };
                Some(vec![cut(&language.say(&said), width).into_owned()])
            }
            (Progress::Judged(judged), _) => {
                let (began, first) = *self.analysis.get_or_insert_with(|| (Instant::now(), judged.ply));
                // From the end of the game to its beginning, or the other way.
                let known = self.shown.as_ref().map_or(0, |(view, _)| view.moves.len());
                let (done, all) = match first {
                    0 => (judged.ply + 1, known.max(judged.ply) + 1),
                    first => (first + 1 - judged.ply.min(first), first + 1),
                };
                let work = WorkDone {
                    work: "analyze".into(),
                    done: done as u64,
                    waiting: (all - done) as u64,
                    positions: 0,
                    elapsed: began.elapsed(),
                };
                Some(vec![bar::bar(&work, &self.face, language)])
            }
        }
    }
}

/// Answers that are copied to other programs. `export` alone lists the forms that there are.
fn is_copied(request: &Request) -> bool {
    match &request.command {
        Ok(Command::Look(form)) if request.word == "export" => !form.is_empty(),
        _ => ["echo", "transcript", "export", "board", "bits"].contains(&request.word),
    }
}

/// What is known of a move: its value, and where that comes from.
fn facts(line: &Line, stopped: bool, language: &Language) -> String {
    let mut facts = vec![];
    match &line.playouts {
        Some(playouts) => {
            facts.push(format!("{:.0} % to win", 100.0 * playouts.win_rate));
            facts.push(format!("{} playouts", playouts.visits));
        }
        None => {
            let solved = line.depth.solved() || line.source == Source::Rules;
            facts.push(discs(line.value, solved && !line.depth.wld));
            facts.push(match line.source {
                Source::Book { .. } => "book".into(),
                Source::Rules => String::new(),
                Source::Search if solved => "solved".into(),
                Source::Search => format!("{} plies", line.depth.plies),
            });
        }
    }
    if stopped {
        facts.push("stopped early".into());
    }
    facts.retain(|fact| !fact.is_empty());
    facts.iter().map(|fact| language.say(fact).into_owned()).collect::<Vec<_>>().join(", ")
}

/// For people one decimal is enough.
fn discs(value: f64, whole: bool) -> String {
    let text = if whole { format!("{value:+.0}") } else { format!("{value:+.1}") };
    if text.trim_start_matches(['+', '-', '0', '.']).is_empty() { text.replacen('-', "+", 1) } else { text }
}

impl Console {
    /// For a person at a terminal.
    pub fn for_person(person: Person) -> Console {
        let progress = person.face.moves;
        Console { person: Some(person), progress, ..Console::default() }
    }
}
