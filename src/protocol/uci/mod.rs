//! UCI with the variant `flipello`, as Fairy-Stockfish speaks it: for front ends of chess variants.
//!
//! UCI has no errors: what is wrong is said in `info string error: …`, and a `go` that cannot be carried out is still
//! answered, with `bestmove (none)`.

mod go;
mod notation;

use super::{Command, Line, Output, Protocol, Reply, Request, Target, command_table, tables};
use crate::{
    base::{
        Colour,
        settings::{Kind, SettingView},
    },
    engine::{
        Answer, Bound, CommandError, CommandErrorKind, Engine, Game as Played, Job, Line as Variation, Outcome,
        Progress, Thought, command::Table,
    },
    othello::{Game, Move, Position},
};
use go::Go;
use notation::VARIANT;
use std::{collections::VecDeque, fmt::Write};

type Entry = command_table::Entry<()>;

const fn entry(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    read: fn(&str) -> Answer<Command>,
) -> Entry {
    Entry { name, aliases: &[], arguments, help, more: "", only: None, read, own: () }
}

fn look(_: &str) -> Answer<Command> {
    Ok(Command::Look(String::new()))
}

fn nothing(_: &str) -> Answer<Command> {
    Ok(Command::Nothing)
}

pub const TABLE: &[Entry] = &[
    entry("uci", "", "the program's name and its options", look),
    entry("isready", "", "answer `readyok`, also in the middle of a search", nothing),
    entry("setoption", "name NAME [value VALUE]", "change an option", read_option),
    entry("ucinewgame", "", "a new game begins: forget what earlier searches found", |_| Ok(Command::NewGame)),
    entry(
        "position",
        "startpos|fen FEN [moves MOVE…]",
        "the position to search, all of it or, when something is wrong, nothing",
        |args| notation::read_position(args).and_then(|game| go::text(&game)).map(Command::Import),
    ),
    entry(
        "go",
        "[depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N] [infinite] [ponder] [searchmoves MOVE…]",
        "search and answer `bestmove`; without a limit the search level holds",
        |args| Go::read(args).map(|_| Command::Nothing),
    ),
    entry("stop", "", "end the search; its best move is answered", |_| Ok(Command::Stop(Target::All))),
    entry("ponderhit", "", "the expected move was played: search on with the clock", nothing),
    entry("debug", "on|off", "accepted and ignored", nothing),
    entry("d", "", "show the position", look),
    entry("quit", "", "end the session", |_| Ok(Command::Quit)),
];

/// Options that are not the engine's, or have another unit there.
const HASH: &str = "Hash";
const MULTI_PV: &str = "MultiPV";
const UCI_VARIANT: &str = "UCI_Variant";
const CLEAR: &str = "Clear Hash";
/// Accepted and ignored: front ends tell them without being asked.
const TOLD: [&str; 2] = ["Ponder", "UCI_AnalyseMode"];
/// Bytes of an entry in the hash table.
const ENTRY_BYTES: u64 = 32;

fn refused(kind: CommandErrorKind, message: impl Into<String>) -> CommandError {
    CommandError::new(kind, message.into())
}

/// `name NAME [value VALUE]`; both may have blanks.
fn name_and_value(args: &str) -> Answer<(&str, &str)> {
    let rest = args.trim().strip_prefix("name").map(str::trim).filter(|rest| !rest.is_empty());
    let rest = rest.ok_or_else(|| refused(CommandErrorKind::Syntax, "setoption name NAME value VALUE"))?;
    Ok(match rest.split_once(" value") {
        Some((name, value)) => (name.trim(), value.trim()),
        None => (rest, ""),
    })
}

fn read_option(args: &str) -> Answer<Command> {
    let (name, value) = name_and_value(args)?;
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    let out_of_range = |range: &str| refused(CommandErrorKind::Range, format!("{name} takes {range}"));
    let number = |range: std::ops::RangeInclusive<u64>| {
        let said = || out_of_range(&format!("{} to {}", range.start(), range.end()));
        value.parse::<u64>().ok().filter(|n| range.contains(n)).ok_or_else(said)
    };
    if is(UCI_VARIANT) {
        return if value == VARIANT { Ok(Command::Nothing) } else { Err(out_of_range(VARIANT)) };
    }
    if is(MULTI_PV) {
        return number(1..=64).map(|_| Command::Nothing);
    }
    if TOLD.iter().any(|told| is(told)) {
        let flag = ["true", "false"].contains(&value);
        return if flag { Ok(Command::Nothing) } else { Err(out_of_range("true or false")) };
    }
    if is(HASH) {
        let bits = (number(1..=32_768)? * (1 << 20) / ENTRY_BYTES).ilog2();
        return Ok(Command::Set(vec![("hash".into(), bits.to_string())]));
    }
    let value = match value {
        "true" => "on",
        "false" => "off",
        "<empty>" => "",
        value => value,
    };
    Ok(Command::Set(vec![(name.to_ascii_lowercase(), value.into())]))
}

/// A `go` that has not been answered.
#[derive(Debug)]
struct Asked {
    position: Position,
    /// Nothing to search.
    over: bool,
    /// Its answer must wait for `stop` or `ponderhit`.
    waits: bool,
    /// What was asked with `go ponder`.
    ponder: Option<Go>,
    /// `ponderhit` has come: another search answers.
    dropped: bool,
    /// What was said last, so that the end does not repeat it.
    said: String,
}

#[derive(Debug)]
pub struct Uci {
    game: Game,
    multi_pv: usize,
    asked: VecDeque<Asked>,
    /// An answer that must not be given before `stop`.
    held: Option<(String, Option<Go>)>,
}

impl Default for Uci {
    fn default() -> Uci {
        Uci { game: Game::without_auto_pass(Position::START), multi_pv: 1, asked: VecDeque::new(), held: None }
    }
}

impl Uci {
    fn go(&mut self, go: &Go) -> Answer<Command> {
        let over = self.game.is_over();
        let command = if over { Command::Nothing } else { go.command(&self.game, self.multi_pv)? };
        self.asked.push_back(Asked {
            position: self.game.position(),
            over,
            waits: (go.infinite || go.ponder) && !over,
            ponder: go.ponder.then(|| go.without_pondering()),
            dropped: false,
            said: String::new(),
        });
        Ok(command)
    }

    /// What is asked for now need not wait for `stop` any more.
    fn release(&mut self) {
        self.asked.iter_mut().for_each(|asked| asked.waits = false);
    }

    /// What a command means beyond its own line; a refused one changes nothing.
    fn remember(&mut self, name: &str, args: &str, command: Command, commands: Table) -> Answer<Command> {
        match name {
            "position" => {
                self.game = notation::read_position(args)?;
                self.release();
            }
            "ucinewgame" => {
                self.game = Game::without_auto_pass(Position::START);
                self.release();
                if let Some(Ok(clear)) = commands.read("clearcache", "") {
                    return Ok(Command::Several(vec![command, Command::Work(Job::Command(clear))]));
                }
            }
            "go" => {
                self.release();
                return self.go(&Go::read(args)?);
            }
            "ponderhit" => return self.ponder_hit(),
            "stop" | "quit" => self.release(),
            "setoption" => {
                let (name, value) = name_and_value(args)?;
                if name.eq_ignore_ascii_case(MULTI_PV) {
                    self.multi_pv = value.parse().unwrap_or(1);
                }
                if name.eq_ignore_ascii_case(CLEAR)
                    && let Some(Ok(clear)) = commands.read("clearcache", "")
                {
                    return Ok(Command::Work(Job::Command(clear)));
                }
            }
            _ => {}
        }
        Ok(command)
    }

    fn ponder_hit(&mut self) -> Answer<Command> {
        let held = self.held.take_if(|(_, ponder)| ponder.is_some()).and_then(|(_, ponder)| ponder);
        let running = self.asked.back_mut().filter(|asked| asked.waits && asked.ponder.is_some());
        let go = match running {
            Some(asked) => {
                (asked.waits, asked.dropped) = (false, true);
                asked.ponder.take()
            }
            None => held,
        };
        match go {
            Some(go) => self.go(&go),
            None => Err(refused(CommandErrorKind::Illegal, "ponderhit without go ponder")),
        }
    }

    fn about(&self, engine: &dyn Engine) -> String {
        let mut text = format!("id name Shirokuro {}\nid author the Shirokuro authors\n", env!("CARGO_PKG_VERSION"));
        let mut option = |name: &str, rest: String| text += &format!("option name {name} type {rest}\n");
        option(UCI_VARIANT, format!("combo default {VARIANT} var {VARIANT}"));
        option(MULTI_PV, "spin default 1 min 1 max 64".into());
        TOLD.iter().for_each(|name| option(name, "check default false".into()));
        option(CLEAR, "button".into());
        for row in engine.settings().iter().filter(|row| !row.tuning) {
            match row.name {
                "hash" => {
                    let bits: u32 = row.value.whole();
                    option(HASH, format!("spin default {} min 1 max 32768", ((ENTRY_BYTES << bits) >> 20).max(1)));
                }
                "threads" => option("Threads", kind(row)),
                // The front end says itself when to ponder, and passes are moves.
                "ponder" | "autopass" => {}
                name => option(name, kind(row)),
            }
        }
        text + "uciok"
    }
}

/// An option as UCI describes it.
fn kind(row: &SettingView) -> String {
    let value = row.value.to_string();
    match row.kind {
        Kind::Flag => format!("check default {}", value == "on"),
        Kind::Whole { min, max } => format!("spin default {value} min {min} max {max}"),
        Kind::Choice(words) => words.iter().fold(format!("combo default {value}"), |all, word| all + " var " + word),
        Kind::Real { .. } | Kind::Text if value.is_empty() => "string default <empty>".into(),
        Kind::Real { .. } | Kind::Text => format!("string default {value}"),
    }
}

/// Our moves as theirs, as far as they are legal.
fn moves_text(position: Position, moves: &[String]) -> Vec<String> {
    let (mut position, mut texts) = (position, vec![]);
    for mv in moves {
        let mv = if mv == "pass" { Move::Pass } else { mv.parse().map_or(Move::Pass, Move::Place) };
        let next = match mv {
            Move::Place(square) => position.play(square),
            Move::Pass => position.board.must_pass().then(|| position.pass()),
        };
        let Some(next) = next else { break };
        texts.push(notation::move_text(position, mv));
        position = next;
    }
    texts
}

fn info(position: Position, thought: &Thought) -> String {
    let mut text = String::new();
    let milliseconds = thought.elapsed.as_millis();
    for (number, line) in thought.lines.iter().enumerate().filter(|(_, line)| !line.moves.is_empty()) {
        let Variation { value, bound, depth, moves, .. } = line;
        let bound = match bound {
            Bound::Exact => "",
            Bound::AtLeast => " lowerbound",
            Bound::AtMost => " upperbound",
        };
        let score = (value * 100.0).round() as i64;
        let pv = moves_text(position, moves).join(" ");
        let (number, nodes, speed) = (number + 1, thought.nodes, thought.nodes_per_second());
        let _ = writeln!(
            text,
            "info depth {} multipv {number} score cp {score}{bound} nodes {nodes} nps {speed} time {milliseconds} pv {pv}",
            depth.plies
        );
    }
    text
}

fn best_move(position: Position, best: &str, thought: &Thought) -> String {
    let line = thought.lines.first().filter(|line| line.best() == best);
    let moves = line.map_or_else(|| vec![best.to_owned()], |line| line.moves.clone());
    match moves_text(position, &moves).as_slice() {
        [] => "bestmove (none)\n".into(),
        [best] => format!("bestmove {best}\n"),
        [best, reply, ..] => format!("bestmove {best} ponder {reply}\n"),
    }
}

impl Protocol for Uci {
    fn parse(&mut self, line: &Line, commands: Table) -> Option<Request> {
        let text = line.text.trim();
        let (word, args) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        if word.is_empty() {
            return None;
        }
        let Some(entry) = command_table::find(TABLE, word) else {
            let message = format!("unknown command `{}`", tables::excerpt(word));
            return Some(Request {
                word: "unknown",
                command: Err(refused(CommandErrorKind::Unsupported, message)),
                id: super::Id::None,
            });
        };
        let too_long = || refused(CommandErrorKind::Syntax, "the line is too long");
        let read = if line.cut { Err(too_long()) } else { (entry.read)(args.trim()) };
        let command = read.and_then(|command| self.remember(entry.name, args.trim(), command, commands));
        Some(Request { id: super::Id::None, word: entry.name, command })
    }

    fn finish(&mut self) -> Option<Request> {
        self.release();
        Some(Request::new("stop", Command::Nothing))
    }

    fn ends_all(&self, line: &Line) -> bool {
        matches!(line.text.trim(), "stop" | "quit")
    }

    /// Searches of a length of their own are answered before the next command, endless ones end with it.
    fn interrupts(&self, new: &Request, running: &Request) -> bool {
        let endless = matches!(running.job(), Some(Job::Watch { .. }));
        new.word == "quit" || (endless && ["position", "go", "ucinewgame", "ponderhit"].contains(&new.word))
    }

    fn answers_at_once(&self, request: &Request) -> bool {
        request.word == "isready" && request.command.is_ok()
    }

    fn look(&mut self, request: &Request, _: &str, engine: &dyn Engine) -> Answer<Reply> {
        if engine.game() != Played::Othello {
            return Err(refused(CommandErrorKind::Unsupported, "UCI is spoken for Othello only"));
        }
        Ok(Reply::Text(match request.word {
            "uci" => self.about(engine),
            _ => notation::picture(self.game.position()),
        }))
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        if !["isready", "unknown", "debug", "d", "uci", "setoption"].contains(&request.word)
            && let Some((held, _)) = self.held.take()
        {
            out.out.push_str(&held);
        }
        let searched = ["go", "ponderhit"].contains(&request.word);
        if let Reply::Refused(refusal) = reply {
            let _ = writeln!(out.out, "info string error: {}", tables::one_line(&refusal.message));
            if request.command.is_err() {
                // It was never asked for.
                if request.word == "go" {
                    out.out.push_str("bestmove (none)\n");
                }
                return;
            }
        }
        if searched {
            let Some(asked) = self.asked.pop_front() else { return };
            let position = asked.position;
            let answer = match reply {
                Reply::Outcome(Outcome::Move { best, thought, .. }) => {
                    say_new(&asked.said, info(position, thought), out);
                    best_move(position, best, thought)
                }
                Reply::Outcome(Outcome::Thought(thought)) => {
                    say_new(&asked.said, info(position, thought), out);
                    let best = thought.lines.first().map_or("pass", |line| line.best()).to_owned();
                    best_move(position, &best, thought)
                }
                _ => "bestmove (none)\n".into(),
            };
            if asked.over {
                let black = position.score().difference();
                let margin = if position.side == Colour::Black { black } else { -black };
                let _ = writeln!(out.out, "info depth 0 score cp {}", margin * 100);
            }
            match asked {
                Asked { dropped: true, .. } => {}
                Asked { waits: true, ponder, .. } => self.held = Some((answer, ponder)),
                _ => out.out.push_str(&answer),
            }
            return;
        }
        match (request.word, reply) {
            ("isready", Reply::Done(_)) => out.out.push_str("readyok\n"),
            (_, Reply::Text(text)) => drop(writeln!(out.out, "{text}")),
            _ => {}
        }
    }

    fn progress(&mut self, running: &Request, news: &Progress, out: &mut Output) {
        if let (Progress::Thought(thought), true) = (news, ["go", "ponderhit"].contains(&running.word))
            && let Some(asked) = self.asked.front_mut().filter(|asked| !asked.dropped)
        {
            let text = info(asked.position, thought);
            say_new(&asked.said, text.clone(), out);
            asked.said = text;
        }
    }
}

fn say_new(said: &str, text: String, out: &mut Output) {
    if text != said {
        out.out.push_str(&text);
    }
}
