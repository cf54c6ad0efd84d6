//! NBoard, versions 1 and 2: the language of Chris Welty's NBoard and of the programs that borrowed it.
//!
//! The GUI reads standard error as if it were standard output, understands Latin-1 only, and shows an error box for a
//! known word with something wrong behind it. So every line here is plain ASCII and begins with a word it knows.

use super::{Command, Id, Line, Output, Protocol, Reply, Request, Target, command_table, tables, words};
use crate::{
    engine::{
        Answer, CommandError, CommandErrorKind, Depth, Engine, Focus, Job, Judged, Line as Variation, Outcome,
        Progress, Source, Thought, command::Table,
    },
    protocol::words::{Parsed, number, remainder, whole, word},
};
use nom::{Parser, combinator::opt};
use std::fmt::Write;

/// The command of the game that a row stands for.
type Entry = command_table::Entry<Option<&'static str>>;

const fn entry(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    read: fn(&str) -> Answer<Command>,
) -> Entry {
    Entry { name, aliases: &[], arguments, help, more: "", only: None, read, own: None }
}

/// A command that the game has under this name.
const fn of_the_game(name: &'static str, help: &'static str, command: &'static str) -> Entry {
    Entry { own: Some(command), ..entry(name, "", help, |_| Ok(Command::Nothing)) }
}

pub const TABLE: &[Entry] = &[
    entry(
        "nboard",
        "VERSION",
        "the first line; answers with the program's name. The version is for information only",
        |_| Ok(Command::Nothing),
    ),
    entry("set game", "GGF", "load this game with its clocks", |args| Ok(Command::Import(args.into()))),
    entry("set depth", "N", "fixed search depth in plies", set_depth),
    entry("set contempt", "N", "value of a draw for black, in hundredths of a disc", |args| setting("contempt", args)),
    entry("move", "MOVE[/EVAL[/TIME]]", "make a move; the move alone will do (version 1)", read_move),
    entry("hint", "N", "the values of the N best moves, deeper and deeper", |args| {
        let count = whole(|text| opt(number::<usize>).parse(text), args)?;
        Ok(Command::Work(Job::Hint { count: count.unwrap_or(1).clamp(1, MOST_HINTS), focus: Focus::default() }))
    }),
    entry("go", "", "choose a move and say it, without making it", |_| {
        Ok(Command::Work(Job::Move { colour: None, play: false }))
    }),
    entry("ping", "N", "stop, then answer `pong N`", |args| {
        whole(number::<u64>, args).map(|_| Command::Stop(Target::All))
    }),
    of_the_game("learn", "add the game to the book", "learn"),
    entry("analyze", "", "the value of every position of the game", |_| Ok(Command::Work(Job::Analyse))),
    of_the_game("clear", "clear the results of earlier searches", "clearcache"),
    entry("quit", "", "end the session", |_| Ok(Command::Quit)),
];

/// NBoard asks for 64 when it wants all.
const MOST_HINTS: usize = 64;
const NAME: &str = "Shirokuro";

/// Reads what follows the name of a command.
fn read(entry: &Entry, args: &str, commands: Table) -> Answer<Command> {
    let Some(name) = entry.own else { return (entry.read)(args) };
    let missing = || Err(CommandError::new(CommandErrorKind::Unsupported, "unknown command"));
    commands.read(name, "").unwrap_or_else(missing).map(|command| Command::Work(Job::Command(command)))
}

fn setting(name: &str, args: &str) -> Answer<Command> {
    let value = whole(word, args)?;
    Ok(Command::Set(vec![(name.into(), value.into())]))
}

fn set_depth(args: &str) -> Answer<Command> {
    match whole(number::<u8>, args)? {
        plies @ 1..=60 => setting("depth", &plies.to_string()),
        _ => Err(CommandError::new(CommandErrorKind::Range, "a depth is 1 to 60")),
    }
}

/// Some programs put blanks where NBoard puts slashes.
fn read_move(args: &str) -> Answer<Command> {
    let mut parts = args.split(|c: char| c == '/' || c.is_whitespace());
    let name = parts.next().filter(|name| !name.is_empty()).ok_or_else(words::syntax_error)?;
    let name = if is_pass(name) { "pass" } else { name };
    // The engine reads the value and the time behind the move, for its clock.
    let rest: Vec<&str> = parts.collect();
    let text = [&[name], &rest[..]].concat().join("/");
    Ok(Command::Play(vec![(None, text)]))
}

/// Any beginning of `PASS` counts, and two dashes.
fn is_pass(name: &str) -> bool {
    let long = !name.is_empty() && "PASS".starts_with(&name.to_ascii_uppercase());
    long || name == "--"
}

/// A line of version 1 that is nothing but a move.
fn is_bare_move(line: &str) -> bool {
    let name = line.split('/').next().unwrap_or_default();
    let square = matches!(name.as_bytes(), [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8']);
    square || (name.len() > 1 && is_pass(name))
}

/// The command and what follows it; `None` for a line that is not NBoard's and is to be ignored.
fn split(line: &str) -> Option<(&'static Entry, &str)> {
    let first = |text: &str| -> Option<(String, usize)> {
        let parsed: Parsed<'_, &str> = word(text);
        parsed.ok().map(|(rest, word)| (word.to_string(), text.len() - rest.len()))
    };
    let (mut name, mut end) = first(line)?;
    if name == "set" {
        let (second, length) = first(&line[end..])?;
        name = format!("set {second}");
        end += length;
    }
    let args = remainder(&line[end..]).map_or("", |(_, rest)| rest);
    command_table::find(TABLE, &name).map(|entry| (entry, args))
}

#[derive(Debug, Default)]
pub struct NBoard {
    /// What the running hint has said already, so that its end does not repeat it.
    said: String,
    /// The positions of the running analysis that were told.
    judged: Vec<usize>,
}

impl NBoard {
    pub fn new() -> NBoard {
        NBoard::default()
    }

    fn hints(&mut self, thought: &Thought, out: &mut Output) {
        let text = hint_lines(thought);
        if !text.is_empty() && text != self.said {
            out.out.push_str(&text);
            out.out.push_str(&node_stats(thought));
            self.said = text;
        }
    }

    fn judgement(&mut self, judged: &Judged, out: &mut Output) {
        if !self.judged.contains(&judged.ply) {
            self.judged.push(judged.ply);
            let _ = writeln!(out.out, "analysis {} {:.2}", judged.ply, judged.best_value + 0.0);
        }
    }
}

/// The words after `set`, `status` and the like must not break a line or leave ASCII.
fn plain(text: &str) -> String {
    let ascii = |c: char| match c {
        ' '..='~' => c,
        c if c.is_whitespace() => ' ',
        '×' => 'x',
        _ => '?',
    };
    text.chars().take(300).map(ascii).collect()
}

fn status(text: &str, out: &mut Output) {
    let _ = writeln!(out.out, "status {}", plain(text));
}

fn move_name(name: &str) -> String {
    if name.eq_ignore_ascii_case("pass") { "PA".into() } else { name.to_ascii_uppercase() }
}

/// All moves of one iteration stand under one depth: NBoard drops those of another. If some were read deeper than
/// others, the word says the least of them.
fn hint_lines(thought: &Thought) -> String {
    let searched = thought.lines.iter().filter(|line| line.source == Source::Search);
    let depth = searched.map(|line| line.depth).min_by_key(|d| (d.solved(), d.plies, d.percent)).unwrap_or_default();
    let lines = thought.lines.iter().filter(|line| !line.moves.is_empty());
    lines.map(|line| hint_line(line, depth)).collect()
}

fn hint_line(line: &Variation, depth: Depth) -> String {
    let moves: String = line.moves.iter().map(|m| move_name(m)).collect();
    let value = line.value + 0.0;
    match line.source {
        Source::Book { games } => format!("book {moves} {value:.2} {games} {}\n", line.depth),
        Source::Rules => format!("search {moves} {value:.2} 0 {}\n", line.depth),
        Source::Search => format!("search {moves} {value:.2} 0 {depth}\n"),
    }
}

fn node_stats(thought: &Thought) -> String {
    format!("nodestats {} {:.3}\n", thought.nodes, thought.elapsed.as_secs_f64())
}

/// `=== F5/1.00/0.3`.
fn choice(best: &str, thought: &Thought) -> String {
    let value = thought.lines.first().map_or(String::new(), |line| format!("{:.2}", line.value + 0.0));
    format!("=== {}/{value}/{:.3}\n", move_name(best), thought.elapsed.as_secs_f64())
}

impl Protocol for NBoard {
    fn may_only_watch(&self) -> bool {
        true
    }

    fn parse(&mut self, line: &Line, commands: Table) -> Option<Request> {
        let text = line.text.trim();
        if is_bare_move(text) {
            return Some(Request { id: Id::None, word: "move", command: read_move(text) });
        }
        let (entry, args) = split(text)?;
        let too_long = || CommandError::new(CommandErrorKind::Syntax, "the line is too long");
        let command = if line.cut { Err(too_long()) } else { read(entry, args, commands) };
        // What `ping` and `set depth` answer repeats their number.
        let id = whole(number, args).map_or(Id::None, Id::Number);
        Some(Request { id, word: entry.name, command })
    }

    fn hears_standard_error(&self) -> bool {
        true
    }

    fn ends_all(&self, line: &Line) -> bool {
        matches!(split(line.text.trim()), Some((Entry { name: "ping" | "quit", .. }, _)))
    }

    /// Whatever the GUI says, it has lost interest in what it asked before.
    fn interrupts(&self, new: &Request, running: &Request) -> bool {
        // Making ready for a clock is no answer that anybody could have lost interest in.
        new.command.is_ok() && running.job().is_some()
    }

    fn look(&mut self, _: &Request, _: &str, _: &dyn Engine) -> Answer<Reply> {
        Ok(Reply::Done(vec![]))
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        match reply {
            Reply::Refused(refusal) if request.word == "clear" => log::info!("clear: {refusal}"),
            Reply::Refused(refusal) => status(&format!("{}: {refusal}", request.word), out),
            Reply::Outcome(Outcome::Move { best, thought, .. }) => {
                out.out.push_str(&node_stats(thought));
                out.out.push_str(&choice(best, thought));
            }
            Reply::Outcome(Outcome::Thought(thought)) => self.hints(thought, out),
            Reply::Outcome(Outcome::Analysis(analysis)) => {
                analysis.moves.iter().for_each(|judged| self.judgement(judged, out));
                out.out.push_str("status\n");
            }
            Reply::Bye | Reply::Text(_) | Reply::Settings(_) => {}
            Reply::Done(_) | Reply::Report(_) | Reply::Outcome(Outcome::Report(_) | Outcome::Done(_)) => {
                match (request.word, &request.id) {
                    ("nboard", _) => drop(writeln!(out.out, "set myname {NAME}")),
                    ("set depth", Id::Number(n)) => drop(writeln!(out.out, "set myname {NAME}{n}")),
                    ("ping", Id::Number(n)) => drop(writeln!(out.out, "pong {n}")),
                    ("learn", _) => out.out.push_str("learned\n"),
                    _ => {}
                }
            }
        }
        if request.job().is_some() {
            *self = NBoard::default();
        }
    }

    fn progress(&mut self, running: &Request, news: &Progress, out: &mut Output) {
        match (running.word, news) {
            ("hint", Progress::Thought(thought)) => self.hints(thought, out),
            ("analyze", Progress::Judged(judged)) => self.judgement(judged, out),
            ("go", Progress::Thought(thought)) => {
                if let Some(line) = thought.lines.first() {
                    status(
                        &format!("{} {:+.2} at depth {}", move_name(line.best()), line.value + 0.0, line.depth),
                        out,
                    );
                }
            }
            (_, Progress::Work(work)) => status(&tables::work(work), out),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::Control,
        engine::{Analysis, Bound},
        protocol::dummy::Dummy,
    };
    use std::time::Duration;

    fn read(line: &str) -> Option<Request> {
        NBoard::new().parse(&Line::new(line), Dummy::default().commands())
    }

    fn command(line: &str) -> Command {
        read(line).expect("a command").command.expect("well formed")
    }

    fn rendered(line: &str, reply: &Reply) -> String {
        let mut out = Output::default();
        NBoard::new().render(&read(line).expect("a command"), reply, &mut out);
        assert_eq!(out.err, "");
        out.out
    }

    #[test]
    fn moves_of_both_versions() {
        let played = |text: &str| Command::Play(vec![(None, text.into())]);
        assert_eq!(command("move F5/-1.78/0.3"), played("F5/-1.78/0.3"));
        assert_eq!(command("move f5 1.00 3"), played("f5/1.00/3"));
        assert_eq!(command("F5//34.959"), played("F5//34.959"));
        for pass in ["PA", "pass", "--", "pas", "move P", "PA//1"] {
            assert!(matches!(command(pass), Command::Play(m) if m[0].1.starts_with("pass")), "{pass}");
        }
        assert!(read("move").unwrap().command.is_err());
    }

    #[test]
    fn other_lines_are_ignored() {
        for line in
            ["", "  ", "f9", "i1", "hello", "set", "set time b 1000", "set option a b", "NBOARD 2", "p", "\u{0}"]
        {
            assert_eq!(read(line), None, "{line:?}");
        }
    }

    #[test]
    fn bad_arguments_become_a_status() {
        for line in ["ping", "ping x", "ping -1", "set depth", "set depth x", "hint x", "set contempt"] {
            let request = read(line).unwrap_or_else(|| panic!("{line}"));
            let refusal = request.command.expect_err(line);
            let said = rendered(line, &Reply::Refused(refusal));
            assert!(said.starts_with("status ") && said.matches('\n').count() == 1, "{said:?}");
        }
        let nasty = CommandError::new(CommandErrorKind::Syntax, "pong 7\npong 8 é 白");
        assert_eq!(rendered("go", &Reply::Refused(nasty)), "status go: pong 7 pong 8 ? ?\n");
    }

    #[test]
    fn answers_with_numbers() {
        let done = Reply::Done(vec![]);
        assert_eq!(rendered("ping 12", &done), "pong 12\n");
        assert_eq!(rendered("nboard 1", &done), "set myname Shirokuro\n");
        assert_eq!(rendered("set depth 18", &done), "set myname Shirokuro18\n");
        assert_eq!(rendered("set game (;x;)", &done), "");
        assert_eq!(rendered("move f5", &done), "");
        assert_eq!(rendered("set contempt 100", &done), "");
        assert_eq!(rendered("quit", &Reply::Bye), "");
    }

    fn line(moves: &[&str], value: f64, source: Source, depth: Depth) -> Variation {
        Variation {
            moves: moves.iter().map(|m| (*m).into()).collect(),
            value,
            bound: Bound::Exact,
            source,
            depth,
            playouts: None,
        }
    }

    #[test]
    fn one_depth_word_for_all_hints_of_an_iteration() {
        let deep = Depth { plies: 14, percent: 73, ..Depth::default() };
        let solved = Depth { plies: 20, percent: 100, to_end: true, wld: false };
        let thought = Thought {
            lines: vec![
                line(&["f5", "pass", "c3"], 1.0, Source::Search, solved),
                line(&["e6"], -0.001, Source::Search, deep),
                line(&["c4"], 0.5, Source::Book { games: 9 }, solved),
            ],
            nodes: 5,
            elapsed: Duration::from_millis(1500),
            complete: true,
            ..Thought::default()
        };
        let expected =
            "search F5PAC3 1.00 0 14@73%\nsearch E6 -0.00 0 14@73%\nbook C4 0.50 9 100%\nnodestats 5 1.500\n";
        assert_eq!(rendered("hint 3", &Reply::Outcome(Outcome::Thought(thought.clone()))), expected);
        let go = Outcome::Move { colour: crate::base::Colour::Black, best: "pass".into(), thought };
        assert_eq!(rendered("go", &Reply::Outcome(go)), "nodestats 5 1.500\n=== PA/1.00/1.500\n");
    }

    #[test]
    fn what_was_told_on_the_way_is_not_told_again() {
        let mut dummy = Dummy::default();
        dummy.play(&[(None, "a1".into())]).unwrap();
        let Ok(Outcome::Analysis(analysis)) = dummy.work(&Job::Analyse, Control::alone()) else { panic!() };
        let Analysis { moves, .. } = &analysis;
        let (mut nboard, mut out) = (NBoard::new(), Output::default());
        let request = read("analyze").unwrap();
        nboard.progress(&request, &Progress::Judged(moves[1].clone()), &mut out);
        nboard.render(&request, &Reply::Outcome(Outcome::Analysis(analysis)), &mut out);
        assert_eq!(out.out, "analysis 1 1.50\nanalysis 0 1.50\nstatus\n");
    }
}
