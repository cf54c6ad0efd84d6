//! GTP 2 with GoGui's extensions: for GoGui, gogui-twogtp, Quarry, Sabaki and everybody who speaks it.

mod answers;
mod live;
mod read;
mod table;
mod wire;

use super::{Command, Line, Output, Protocol, Reply, Request, SessionSettings, tables, words};
use crate::{
    base::{Byoyomi, Report},
    engine::{Answer, CommandError, CommandErrorKind, Engine, Job, Outcome, Progress, Thought, command::Table},
};
use live::{Live, Style};
use std::collections::VecDeque;
use table::Failure;
use wire::Cleaned;

#[cfg(test)]
pub use table::TABLE;

/// Whether there is a command of this name, whatever the game.
pub fn knows(name: &str) -> bool {
    table::find(name).is_some()
}

/// Before the names of commands that only this program has.
const PREFIX: &str = "shirokuro-";

/// The word of a line that asks for nothing but ends a live analysis.
const SILENCE: &str = "";
/// The word of a command that is not in the table: perhaps the game knows it.
const UNLISTED: &str = "command";

#[derive(Debug, Default)]
pub struct Gtp {
    /// From the last `time_settings`: `time_left` does not repeat it.
    byoyomi: Option<Byoyomi>,
    /// Live analyses asked for and not ended yet, in order.
    lives: VecDeque<Live>,
    /// Whether to draw in GoGui while thinking.
    live_gfx: bool,
    /// The marks of the board there, as last asked for.
    board_gfx: String,
    /// Something is drawn there now.
    drawn: bool,
    /// The front end has said that this copy of the program only keeps the rules.
    rules_only: bool,
    /// To be listed; responses are English, because front ends look for the words of the specification.
    session_settings: SessionSettings,
}

impl Gtp {
    pub fn new() -> Gtp {
        Gtp::default()
    }

    /// What a command of several words means beyond its own line.
    fn remember(&mut self, name: &str, args: &str, command: &mut Command) {
        match command {
            Command::SetTime(control) => self.byoyomi = control.clock.and_then(|clock| clock.byoyomi),
            Command::TimeLeft { clock, .. } => {
                clock.byoyomi = match (self.byoyomi, clock.byoyomi) {
                    (Some(set), Some(now)) => Some(Byoyomi { stones_left: now.stones_left, ..set }),
                    (set, now) => set.or(now),
                }
            }
            Command::Set(pairs) if pairs.iter().any(|(name, _)| name == answers::LIVE_GFX) => {
                let value = pairs.first().map(|(_, value)| value.clone());
                *command = Command::Look(value.unwrap_or_default());
            }
            Command::Work(Job::Watch { .. } | Job::Move { .. }) => {
                if let Some(style) = live_style(name)
                    && let Ok(arguments) = read::live_arguments(args)
                {
                    let most = arguments.count.max(arguments.focus.least);
                    self.lives.push_back(Live::new(style, arguments.interval, most, arguments.extras));
                }
            }
            _ => {}
        }
    }

    fn live_reply(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        let Some(mut live) = self.lives.pop_front() else { return };
        if let (Reply::Refused(refusal), false) = (reply, live.begun) {
            out.out.push_str(&wire::response('?', &request.id, &refusal.message));
            return;
        }
        if !live.begun {
            out.out.push_str(&wire::head('=', &request.id));
            out.out.push('\n');
        }
        match reply {
            Reply::Outcome(Outcome::Move { best, thought, .. }) => {
                out.out.push_str(&live.line(thought, true).unwrap_or_default());
                out.out.push_str(&format!("play {}\n", answers::vertex(best)));
            }
            Reply::Outcome(Outcome::Thought(thought)) => {
                out.out.push_str(&live.line(thought, true).unwrap_or_default());
            }
            _ => {}
        }
        out.out.push('\n');
    }
}

/// Commands whose response grows while they run.
fn live_style(name: &str) -> Option<Style> {
    match name {
        "lz-analyze" | "lz-genmove_analyze" => Some(Style::Leela),
        "kata-analyze" | "kata-genmove_analyze" => Some(Style::Kata),
        _ => None,
    }
}

impl Protocol for Gtp {
    fn may_only_watch(&self) -> bool {
        true
    }

    fn parse(&mut self, line: &Line, own: Table) -> Option<Request> {
        let text = match wire::clean(&line.text) {
            Cleaned::Command(text) => text,
            Cleaned::Interrupt => return Some(Request::new(SILENCE, Command::Stop(super::Target::All))),
            // Any line ends a live analysis, even one that says nothing.
            Cleaned::Nothing => return (!self.lives.is_empty()).then(|| Request::new(SILENCE, Command::Nothing)),
        };
        let (id, name, args) = wire::split(&text);
        let of_the_game = answers::own_name(own, name).and_then(|name| own.read(name, args));
        let of_the_game = of_the_game.map(|command| command.map(|command| Command::Work(Job::Command(command))));
        let Some(entry) = table::find(name) else {
            return Some(Request { id, word: UNLISTED, command: of_the_game.unwrap_or_else(|| Err(unknown())) });
        };
        // A game that knows better comes first.
        let mut command = match of_the_game {
            _ if line.cut => Err(words::syntax_error()),
            // Without arguments the same name may mean something of the protocol's own.
            Some(Err(_)) if args.is_empty() => (entry.read)(args),
            Some(command) => command,
            None => (entry.read)(args),
        };
        let has_owners = own.find("ownership").is_some();
        if live_style(entry.name).is_some()
            && !has_owners
            && read::live_arguments(args).is_ok_and(|arguments| arguments.extras.ownership)
        {
            let message = "`ownership true` is not supported in this game";
            command = Err(CommandError::new(CommandErrorKind::Unsupported, message));
        }
        if let Ok(command) = &mut command {
            self.remember(entry.name, args, command);
        }
        Some(Request { id, word: entry.name, command })
    }

    fn ends_all(&self, line: &Line) -> bool {
        match wire::clean(&line.text) {
            Cleaned::Interrupt => true,
            Cleaned::Command(_) | Cleaned::Nothing => false,
        }
    }

    /// Commands are answered in their order, `quit` too: only a live analysis ends with the next line.
    fn interrupts(&self, _: &Request, running: &Request) -> bool {
        matches!(running.job(), Some(Job::Watch { .. }))
    }

    fn look(&mut self, request: &Request, args: &str, engine: &dyn Engine) -> Answer<Reply> {
        // Setting the one option that is the protocol's own comes here under the name of its command.
        if ["shirokuro-set", "shirokuro-param"].contains(&request.word) && !args.is_empty() {
            return answers::live_gfx(self, args, engine).map(Reply::Text);
        }
        let look = table::find(request.word).and_then(|entry| entry.own.look).ok_or_else(unknown)?;
        let text = look(self, args, engine)?;
        if request.word == "gogui-rules_board_gfx" {
            self.board_gfx.clone_from(&text);
        }
        Ok(Reply::Text(text))
    }

    fn shows_result(&self, request: &Request) -> bool {
        let looks = ["gogui-rules_final_result", "showboard", "printsgf"].contains(&request.word);
        looks || matches!(request.command, Ok(Command::Save { .. }))
    }

    /// GoGui starts four copies, three of which are asked for the rules at most.
    fn needs_only_rules(&self, request: Option<&Request>) -> bool {
        let Some(Request { word, command: Ok(command), .. }) = request else { return true };
        match command {
            Command::Work(_) => false,
            _ if self.rules_only => true,
            Command::Look(_) | Command::NewGame | Command::Play(_) | Command::Nothing | Command::Quit => {
                // Only the copy that plays is asked for its menu and for the title of a game.
                !["gogui-analyze_commands", "gogui-title"].contains(word)
            }
            _ => false,
        }
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        if std::mem::take(&mut self.drawn) {
            out.err.push_str(&live::clear(&self.board_gfx));
        }
        if !matches!(request.command, Ok(Command::Look(_) | Command::Nothing)) {
            self.board_gfx.clear();
        }
        if request.word == SILENCE {
            return;
        }
        if request.command.is_ok() && live_style(request.word).is_some() {
            return self.live_reply(request, reply, out);
        }
        let (mark, text) = match reply {
            Reply::Refused(refusal) => ('?', failure(request, refusal)),
            reply => ('=', success(request, reply)),
        };
        out.out.push_str(&wire::response(mark, &request.id, &text));
    }

    fn adopt(&mut self, session_settings: &SessionSettings) {
        self.session_settings = session_settings.clone();
    }

    fn progress(&mut self, running: &Request, news: &Progress, out: &mut Output) {
        let Progress::Thought(thought) = news else { return };
        if live_style(running.word).is_some() {
            let Some(live) = self.lives.front_mut() else { return };
            let Some(line) = live.line(thought, false) else { return };
            if !std::mem::replace(&mut live.begun, true) {
                out.out.push_str(&wire::head('=', &running.id));
                out.out.push('\n');
            }
            out.out.push_str(&line);
        } else if self.live_gfx && !thought.lines.is_empty() {
            let colour = match running.job() {
                Some(Job::Move { colour, .. }) => *colour,
                _ => None,
            };
            out.err.push_str(&live::graphics(thought, colour, &self.board_gfx));
            self.drawn = true;
        }
    }
}

fn unknown() -> CommandError {
    CommandError::new(CommandErrorKind::Unsupported, "unknown command")
}

/// The error message of a refused command.
fn failure(request: &Request, refusal: &CommandError) -> String {
    // What could not be read has its message already.
    let told = if request.command.is_err() { None } else { table::find(request.word) };
    match told.map(|entry| entry.own.failure) {
        Some(Failure::Says(text)) => text.into(),
        Some(Failure::SaysWhy(text)) => format!("{text}: {}", refusal.message),
        Some(Failure::Reason) | None => refusal.message.clone(),
    }
}

fn success(request: &Request, reply: &Reply) -> String {
    match reply {
        Reply::Done(_) | Reply::Outcome(Outcome::Done(_)) | Reply::Bye | Reply::Refused(_) => String::new(),
        Reply::Text(text) => text.clone(),
        Reply::Report(report) => report_text(report),
        Reply::Settings(rows) => format!("\n{}", tables::table_text(&tables::settings(rows))),
        Reply::Outcome(Outcome::Move { best, .. }) => answers::vertex(best),
        Reply::Outcome(Outcome::Thought(thought)) => thought_text(request.word, thought),
        Reply::Outcome(Outcome::Analysis(analysis)) => format!("\n{}", live::analysis(analysis)),
        Reply::Outcome(Outcome::Report(report)) => report_text(report),
    }
}

/// Othello counts its rows from the top, GoGui from the bottom.
fn report_text(report: &Report) -> String {
    match report {
        Report::OnBoard(board) => tables::text(&tables::from_the_bottom(&board.report)),
        report => tables::text(report),
    }
}

fn thought_text(word: &str, thought: &Thought) -> String {
    match word {
        "shirokuro-line" => live::variation(thought),
        _ => live::values(thought),
    }
}
