//! A player for tests of everything around a player: a board of four by four where any free square may be taken.

use crate::{
    base::{
        Args, BadArgs, Clock, Colour, Control, Report, Table,
        settings::{self, Kind, Setting, SettingView, Value},
    },
    engine::{
        Analysis, Answer, Bound, CommandError, CommandErrorKind, Depth, Engine, Game, Job, Judged, Line, Notices,
        Outcome, Progress, Source, Step, Thought, TimeControl, View,
        command::{self, Row, Rows, Typed},
    },
};
use std::time::Duration;

const SIZE: usize = 4;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Work goes on until it is stopped.
    slow: bool,
    depth: i64,
    contempt: i64,
}

const TABLE: &[Setting<Options>] = &[
    Setting {
        name: "slow",
        kind: Kind::Flag,
        help: "work until stopped",
        get: |o| Value::Flag(o.slow),
        put: |o, v| o.slow = v.flag(),
    },
    Setting {
        name: "depth",
        kind: Kind::Whole { min: 0, max: 60 },
        help: "plies",
        get: |o| Value::Whole(o.depth),
        put: |o, v| o.depth = v.whole(),
    },
    Setting {
        name: "contempt",
        kind: Kind::Whole { min: -100, max: 100 },
        help: "value of a draw",
        get: |o| Value::Whole(o.contempt),
        put: |o, v| o.contempt = v.whole(),
    },
];

#[derive(Debug, Clone, PartialEq)]
enum Own {
    Echo(String),
    Learn,
}

impl Typed for Own {}

fn rest(args: &mut Args) -> Result<Own, BadArgs> {
    let words: Vec<String> = std::iter::from_fn(|| args.next_word()).collect();
    Ok(Own::Echo(words.join(" ")))
}

static COMMANDS: Rows<Own> = Rows {
    rows: &[
        Row::new("echo", "echo [TEXT]", "says it again", rest),
        Row::new("learn", "learn", "remembers the game", |_| Ok(Own::Learn)),
        Row::new("final_status_list", "final_status_list STATUS", "a word GTP knows", rest),
    ],
};

#[derive(Debug, Default)]
pub struct Dummy {
    moves: Vec<(Colour, String)>,
    pub options: Options,
    pub clocks: [Option<Clock>; 2],
}

impl Dummy {
    pub fn slow() -> Dummy {
        Dummy { options: Options { slow: true, ..Options::default() }, ..Dummy::default() }
    }

    fn squares() -> impl Iterator<Item = String> {
        (0..SIZE * SIZE).map(|i| format!("{}{}", char::from(b'a' + (i % SIZE) as u8), i / SIZE + 1))
    }

    fn free(&self) -> Vec<String> {
        Dummy::squares().filter(|s| self.moves.iter().all(|(_, taken)| taken != s)).collect()
    }

    fn side(&self) -> Colour {
        self.moves.last().map_or(Colour::Black, |(colour, _)| !*colour)
    }

    fn thought(&self, plies: u32, count: usize) -> Thought {
        let mut names = self.free();
        if names.is_empty() {
            names.push("pass".into());
        }
        let line = |(i, name): (usize, String)| Line {
            moves: vec![name],
            value: -(i as f64),
            bound: Bound::Exact,
            source: if i == 3 { Source::Book { games: 7 } } else { Source::Search },
            depth: Depth { plies, percent: 100, ..Depth::default() },
            playouts: None,
        };
        Thought {
            lines: names.into_iter().take(count).enumerate().map(line).collect(),
            nodes: u64::from(plies) * 10,
            elapsed: Duration::from_millis(250),
            complete: false,
            ..Thought::default()
        }
    }

    /// Tells two thoughts; then either it is finished or it waits to be stopped.
    fn think(&self, count: usize, endless: bool, control: Control<'_, Progress>) -> Thought {
        for plies in 1..=2 {
            if control.stopped() {
                return self.thought(0, count);
            }
            control.tell(&Progress::Thought(self.thought(plies, count)));
        }
        let waits = endless || self.options.slow;
        while waits && !control.stopped() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Thought { complete: !waits, ..self.thought(2, count) }
    }

    fn analyse(&self, control: Control<'_, Progress>) -> Analysis {
        let mut moves = Vec::new();
        for ply in (0..=self.moves.len()).rev() {
            let played = self.moves.get(ply).map(|(_, name)| name.clone());
            let judged = Judged {
                ply,
                colour: if ply % 2 == 0 { Colour::Black } else { Colour::White },
                played_value: played.as_ref().map(|_| 1.0),
                played,
                best: Some("a1".into()),
                best_value: 1.5,
                depth: Depth { plies: 2, percent: 100, ..Depth::default() },
            };
            control.tell(&Progress::Judged(judged.clone()));
            moves.push(judged);
        }
        moves.reverse();
        Analysis { moves, summary: Table::default(), complete: true, ..Analysis::default() }
    }

    fn play_one(&mut self, colour: Option<Colour>, name: &str) -> Answer<()> {
        let name = name.split('/').next().unwrap_or_default().to_ascii_lowercase();
        let colour = colour.unwrap_or(self.side());
        let legal = if self.free().is_empty() { name == "pass" } else { self.free().contains(&name) };
        if colour != self.side() || !legal {
            return Err(CommandError::new(CommandErrorKind::Illegal, format!("{name} is not allowed")));
        }
        self.moves.push((colour, name));
        Ok(())
    }
}

impl Engine for Dummy {
    fn game(&self) -> Game {
        Game::Othello
    }

    fn new_game(&mut self) {
        self.moves.clear();
    }

    fn resize(&mut self, size: usize) -> Answer<()> {
        if size != SIZE {
            return Err(CommandError::new(CommandErrorKind::Range, "only 4x4"));
        }
        self.new_game();
        Ok(())
    }

    fn komi(&mut self, _: f64) -> Answer<()> {
        Ok(())
    }

    fn import(&mut self, text: &str) -> Answer<Notices> {
        if !text.starts_with("(;") {
            return Err(CommandError::new(CommandErrorKind::Syntax, "not a game"));
        }
        self.moves.clear();
        Ok(vec![])
    }

    fn set_up(&mut self, _: &[(Colour, String)], _: Option<Colour>) -> Answer<()> {
        if self.moves.is_empty() {
            Ok(())
        } else {
            Err(CommandError::new(CommandErrorKind::Illegal, "the board is in use"))
        }
    }

    fn export(&self, form: &str) -> Answer<String> {
        Ok(format!("({form} of {} moves)", self.moves.len()))
    }

    fn forms(&self) -> &'static [&'static str] {
        &["sgf"]
    }

    fn saved(&self, form: &str, _here: bool) -> Answer<(String, Notices)> {
        Ok((self.export(form)?, vec![]))
    }

    fn play(&mut self, moves: &[(Option<Colour>, String)]) -> Answer<Notices> {
        let before = self.moves.clone();
        for (colour, name) in moves {
            if let Err(refusal) = self.play_one(*colour, name) {
                self.moves = before;
                return Err(refusal);
            }
        }
        Ok(vec![])
    }

    fn play_line(&mut self, moves: &str) -> Answer<()> {
        let moves: Vec<_> = moves.split_whitespace().map(|name| (None, name.to_owned())).collect();
        self.play(&moves).map(drop)
    }

    fn step(&mut self, step: Step) -> Answer<()> {
        match step {
            Step::Back(n) | Step::TakeBack(n) if n <= self.moves.len() => {
                self.moves.truncate(self.moves.len() - n);
                Ok(())
            }
            _ => Err(CommandError::new(CommandErrorKind::Illegal, "no such move")),
        }
    }

    fn view(&self) -> View {
        let colour_of = |square: String| self.moves.iter().find(|(_, name)| *name == square).map(|(colour, _)| *colour);
        let over = self.free().is_empty();
        let count = Colour::BOTH.map(|c| self.moves.iter().filter(|(colour, _)| *colour == c).count() as u32);
        View {
            game: Game::Othello,
            size: SIZE,
            cells: Dummy::squares().map(colour_of).collect(),
            to_move: self.side(),
            over,
            legal: self.free(),
            moves: self.moves.clone(),
            count,
            empties: self.free().len() as u32,
            captured: [0; 2],
            result: over.then_some(0.0),
            names: Default::default(),
        }
    }

    fn set_time(&mut self, control: TimeControl) {
        self.clocks = [control.clock; 2];
    }

    fn time_left(&mut self, colour: Colour, clock: Clock) {
        self.clocks[colour.index()] = Some(clock);
    }

    fn settings(&self) -> Vec<SettingView> {
        settings::view(TABLE, &self.options)
    }

    fn set(&mut self, name: &str, value: &str) -> Answer<()> {
        Ok(settings::set(TABLE, &mut self.options, name, value)?)
    }

    fn commands(&self) -> command::Table {
        &COMMANDS
    }

    fn work(&mut self, job: &Job, control: Control<'_, Progress>) -> Answer<Outcome> {
        match job {
            Job::Move { colour, play } => {
                let thought = self.think(1, false, control);
                let (colour, best) = (colour.unwrap_or(self.side()), thought.lines[0].best().to_string());
                if *play {
                    self.play_one(Some(colour), &best)?;
                }
                Ok(Outcome::Move { colour, best, thought })
            }
            Job::Hint { count, .. } | Job::Bound { count, .. } => {
                Ok(Outcome::Thought(self.think(*count, false, control)))
            }
            Job::Watch { count, .. } => Ok(Outcome::Thought(self.think(*count, true, control))),
            Job::Ponder | Job::Judge | Job::Query(_) => Ok(Outcome::Thought(self.think(1, false, control))),
            Job::Analyse => Ok(Outcome::Analysis(self.analyse(control))),
            Job::Prepare(notices) => Ok(Outcome::Done(notices.clone())),
            Job::Load { .. } | Job::Save { .. } | Job::Set(_) => {
                Err(CommandError::new(CommandErrorKind::Unsupported, "not possible here"))
            }
            Job::Command(own) => match own.open()? {
                Own::Learn => Ok(Outcome::Report(Report::Nothing)),
                Own::Echo(text) if text == "panic" => panic!("as asked for"),
                Own::Echo(text) => Ok(Outcome::Report(Report::text(text.as_str()))),
            },
        }
    }

    fn wants_to_ponder(&self) -> bool {
        false
    }

    fn shutdown(&mut self) -> Answer<Notices> {
        Ok(vec![])
    }
}
