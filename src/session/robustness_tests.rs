//! Floods of lines that are wrong in every way: nothing may panic, hang or change what it refused to change.

use crate::{
    base::{Clock, Colour, Control, Rng, files::text_of, settings::SettingView},
    engine::{
        Answer, CommandError, CommandErrorKind, Engine, Game, Job, Notices, Outcome, Progress, Step, TimeControl, View,
        command,
    },
    othello::OthelloEngine,
    protocol::{Line, ProtocolKind, new_protocol},
    session::{End, Games, Session},
};
use crossbeam_channel::unbounded;
use std::sync::atomic::AtomicBool;

const LINES: usize = 100_000;

/// The real player, with every refusal checked for having changed nothing. Work is stopped before it begins: what is
/// tested is the way there.
struct Watched(OthelloEngine);

impl Watched {
    fn verb<T>(&mut self, act: impl FnOnce(&mut OthelloEngine) -> Answer<T>) -> Answer<T> {
        let before = (self.0.view(), self.0.settings());
        let answer = act(&mut self.0);
        if let Err(refusal) = &answer {
            assert_eq!(before, (self.0.view(), self.0.settings()), "changed by what was refused: {refusal}");
        }
        answer
    }
}

impl Engine for Watched {
    fn game(&self) -> Game {
        self.0.game()
    }
    fn new_game(&mut self) {
        self.0.new_game();
    }
    fn resize(&mut self, size: usize) -> Answer<()> {
        self.verb(|e| e.resize(size))
    }
    fn komi(&mut self, komi: f64) -> Answer<()> {
        self.verb(|e| e.komi(komi))
    }
    fn import(&mut self, text: &str) -> Answer<Notices> {
        self.verb(|e| e.import(text))
    }
    fn set_up(&mut self, stones: &[(Colour, String)], to_move: Option<Colour>) -> Answer<()> {
        self.verb(|e| e.set_up(stones, to_move))
    }
    fn export(&self, form: &str) -> Answer<String> {
        self.0.export(form)
    }
    fn forms(&self) -> &'static [&'static str] {
        self.0.forms()
    }
    fn saved(&self, form: &str, here: bool) -> Answer<(String, Notices)> {
        self.0.saved(form, here)
    }
    fn play(&mut self, moves: &[(Option<Colour>, String)]) -> Answer<Notices> {
        self.verb(|e| e.play(moves))
    }
    fn play_line(&mut self, moves: &str) -> Answer<()> {
        self.verb(|e| e.play_line(moves))
    }
    fn step(&mut self, step: Step) -> Answer<()> {
        self.verb(|e| e.step(step))
    }
    fn view(&self) -> View {
        self.0.view()
    }
    fn set_time(&mut self, control: TimeControl) {
        self.0.set_time(control);
    }
    fn time_left(&mut self, colour: Colour, clock: Clock) {
        self.0.time_left(colour, clock);
    }
    fn settings(&self) -> Vec<SettingView> {
        self.0.settings()
    }
    fn set(&mut self, name: &str, value: &str) -> Answer<()> {
        if ["hash", "threads", "ponder", "nodes", "move-time"].iter().any(|n| name.eq_ignore_ascii_case(n)) {
            return Err(CommandError::new(CommandErrorKind::Range, "not in this test: it would take memory and time"));
        }
        self.verb(|e| e.set(name, value))
    }
    fn commands(&self) -> command::Table {
        self.0.commands()
    }
    fn work(&mut self, job: &Job, _: Control<'_, Progress>) -> Answer<Outcome> {
        let stopped = AtomicBool::new(true);
        self.verb(|e| e.work(job, Control::new(&stopped, &|_| {})))
    }
    fn wants_to_ponder(&self) -> bool {
        false
    }
    fn shutdown(&mut self) -> Answer<Notices> {
        Ok(vec![])
    }
}

/// Strange things to find in a line.
const ODDITIES: &[&str] = &[
    "",
    " ",
    "\t",
    "\0",
    "\u{7f}",
    "\r",
    "#",
    "\"",
    "'",
    "\\",
    "/",
    "%",
    "{",
    "}",
    "[",
    "]",
    "(",
    ";",
    ":",
    ",",
    "=",
    "?",
    "-1",
    "0",
    "9",
    "65",
    "256",
    "4294967296",
    "99999999999999999999999",
    "1e999",
    "-0",
    "nan",
    "inf",
    "0x10",
    "ö",
    "白",
    "\u{feff}",
    "\u{202e}",
    "😀",
    "null",
    "true",
    "pass",
    "PA",
    "--",
    "i9",
    "a0",
    "h9",
    "z99",
    "aa1",
    "b",
    "w",
    "black",
];

fn mutated(seeds: &[&str], rng: &mut Rng) -> String {
    if rng.below(20) == 0 {
        let length = rng.below(80);
        return text_of((0..length).map(|_| rng.next_u64() as u8).filter(|b| *b != b'\n').collect());
    }
    let mut chars: Vec<char> = rng.pick(seeds).expect("there are seeds").chars().collect();
    for _ in 0..rng.below(4) {
        let at = rng.below(chars.len() + 1);
        match rng.below(6) {
            0 => chars.truncate(at),
            1 if at < chars.len() => drop(chars.remove(at)),
            2 if at + 1 < chars.len() => chars.swap(at, at + 1),
            3 => chars.extend(rng.pick(seeds).expect("there are seeds").chars()),
            _ => {
                let oddity = rng.pick(ODDITIES).expect("there are oddities").chars();
                chars.splice(at..at, oddity);
            }
        }
    }
    chars.into_iter().filter(|c| *c != '\n').collect()
}

/// Sends the lines through a session and returns what it said.
fn flood(protocol_kind: ProtocolKind, lines: impl Iterator<Item = String>) -> String {
    let (send, receive) = unbounded();
    for line in lines {
        send.send(Line::new(line)).expect("the other end is here");
    }
    drop(send);
    let (_keep, signals) = unbounded();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let engine = Watched(OthelloEngine::new());
    let session = Session::new(new_protocol(protocol_kind), Box::new(engine), Games::none(), &mut out, &mut err);
    assert_eq!(session.run(&receive, &signals).end.expect("writing to memory works"), End::OfInput);
    assert_eq!(String::from_utf8_lossy(&err), "");
    let said = text_of(out);
    assert!(!said.contains("internal error"), "something panicked");
    said
}

/// Files that a mutated `printsgf` or `save` writes land here.
fn in_an_empty_folder() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let folder = std::env::temp_dir().join(format!("shirokuro-robustness-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for litter");
        std::env::set_current_dir(&folder).expect("it exists");
    });
}

/// Lines that would end the session, or write where they should not.
fn harmless(line: &str) -> bool {
    let plain: String = line.chars().filter(|c| !c.is_control()).collect::<String>().to_ascii_lowercase();
    let words = ["quit", "exit", "q", "bye", "eof"];
    !plain.split(|c: char| !c.is_alphanumeric()).any(|w| words.contains(&w)) && !plain.contains("..")
}

const GTP: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "known_command play",
    "list_commands",
    "help play",
    "boardsize 8",
    "clear_board",
    "komi 6.5",
    "play b f5",
    "play w d6",
    "play B C3",
    "play white pass",
    "genmove b",
    "genmove w",
    "reg_genmove b",
    "undo",
    "gg-undo 3",
    "final_score",
    "showboard",
    "loadsgf game.sgf 12",
    "printsgf",
    "time_settings 300 10 5",
    "time_left b 299 0",
    "kgs-time_settings canadian 300 10 5",
    "cputime",
    "list_games",
    "set_game Othello",
    "gogui-analyze_commands",
    "gogui-play_sequence B D3 W C3 B C4 W C5",
    "gogui-setup B D4 W E5 B E4 W D5",
    "gogui-setup_player W",
    "gogui-title",
    "gogui-rules_board",
    "gogui-rules_board_gfx",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "gogui-rules_final_result",
    "lz-analyze b 10",
    "kata-analyze w 10 maxmoves 3",
    "kata-genmove_analyze b 10",
    "shirokuro-values 3",
    "shirokuro-line",
    "shirokuro-analyze",
    "shirokuro-set level 5",
    "shirokuro-param level 3",
    "shirokuro-options",
    "shirokuro-transform 180",
    "shirokuro-branch keep",
    "shirokuro-levelinfo 5",
];

#[test]
fn gtp_answers_every_command_once() {
    in_an_empty_folder();
    let mut rng = Rng::new(1);
    let lines: Vec<String> =
        std::iter::repeat_with(|| mutated(GTP, &mut rng)).filter(|l| harmless(l)).take(LINES).collect();
    let said = flood(ProtocolKind::Gtp, lines.iter().enumerate().map(|(i, line)| format!("{i} {line}")));
    let mut expected = 0..LINES;
    let mut after_blank = true;
    for line in said.split('\n') {
        // The head of an answer is the first line after a blank one; other lines belong to an answer.
        if after_blank && !line.is_empty() {
            let id = expected.next().unwrap_or_else(|| panic!("more answers than questions: {line}"));
            let head = line.strip_prefix(['=', '?']).and_then(|l| l.strip_prefix(&format!("{id} ")));
            assert!(head.is_some(), "to `{}` it says `{line}`", lines[id]);
        }
        after_blank = line.is_empty();
    }
    assert_eq!(expected.next(), None, "not all were answered");
}

const NBOARD: &[&str] = &[
    "nboard 2",
    "nboard 1",
    "set game (;GM[Othello]PC[NBoard]DT[2026-11-16 00:54:28 GMT]PB[root]PW[Abigail1]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5//34.959]W[F4/-1.78/0.3];)",
    "set game (;GM[Othello]BO[8 -------------------O-------O*----OOO----*O--------------------- O];)",
    "set depth 12",
    "set contempt -100",
    "set time b 100",
    "move F5/-1.78/0.3",
    "move d6",
    "move PA",
    "F5",
    "D6//3",
    "go",
    "hint 4",
    "hint 64",
    "analyze",
    "learn",
    "clear",
    "ping 7",
];

#[test]
fn nboard_says_nothing_a_gui_would_choke_on() {
    in_an_empty_folder();
    let mut rng = Rng::new(2);
    let lines: Vec<String> =
        std::iter::repeat_with(|| mutated(NBOARD, &mut rng)).filter(|l| harmless(l)).take(LINES).collect();
    let said = flood(ProtocolKind::Nboard, lines.into_iter().chain(["ping 424242".into()]));
    let words = ["set", "pong", "===", "search", "book", "nodestats", "analysis", "status", "learned"];
    for line in said.lines() {
        assert!(line.chars().all(|c| matches!(c, ' '..='~')), "not ASCII: {line:?}");
        let first = line.split(' ').next().unwrap_or_default();
        assert!(words.contains(&first), "not a word of NBoard: {line}");
        let arguments: Vec<&str> = line.split(' ').skip(1).collect();
        let number =
            |i: usize| arguments.get(i).is_some_and(|a| a.parse::<f64>().is_ok_and(f64::is_finite) && !a.contains('e'));
        let sound = match first {
            "pong" => arguments.len() == 1 && number(0),
            "set" => arguments.len() == 2 && arguments[0] == "myname",
            "search" | "book" => arguments.len() >= 4 && number(1) && number(2),
            "nodestats" | "analysis" => arguments.len() == 2 && number(0) && number(1),
            "===" => arguments.len() == 1 && arguments[0].split('/').count() == 3,
            _ => true,
        };
        assert!(sound, "{line}");
    }
    assert!(said.ends_with("pong 424242\n"));
}

const CONSOLE: &[&str] = &[
    "setboard ---------------------------O*------*O--------------------------- *",
    "setboard",
    "--------",
    "---OX---",
    "play f5",
    "f5d6c3",
    "play white d6",
    "undo",
    "redo",
    "goto 3",
    "takeback",
    "branch keep",
    "go",
    "genmove black",
    "hint 4",
    "hint depth mid 2 end 4",
    "watch 2",
    "analyze",
    "stop",
    "mode 0",
    "mode 3",
    "level 5",
    "depth 4",
    "depth mid 3 end 5",
    "levelinfo",
    "time move 1",
    "time game 5:00 + 2",
    "time left black 3",
    "show",
    "board",
    "bits",
    "moves",
    "score",
    "transcript",
    "transcript f5d6",
    "export ggf",
    "transform 180",
    "random 10 3",
    "autopass on",
    "clearcache",
    "options",
    "version",
    "help",
    "help go",
    "set level 3 seed=5",
    "new",
    "load game.txt 3",
    "game othello",
    "progress on",
    "echo text",
    "0",
    "1",
    "........",
    "...10...",
];

#[test]
fn the_console_answers_in_clean_lines() {
    in_an_empty_folder();
    let mut rng = Rng::new(3);
    let lines: Vec<String> =
        std::iter::repeat_with(|| mutated(CONSOLE, &mut rng)).filter(|l| harmless(l)).take(LINES).collect();
    let said =
        flood(ProtocolKind::Console, lines.into_iter().chain(["".into(), "new".into(), "echo still here".into()]));
    let controls: Vec<&str> = said.lines().filter(|l| l.contains(|c: char| c.is_control())).collect();
    assert!(controls.iter().all(|l| !l.starts_with("error:")), "{controls:?}");
    assert!(said.trim_end().ends_with("still here"));
}

#[test]
fn json_answers_every_line_once() {
    in_an_empty_folder();
    let seeds = [
        r#"{"id":1,"moves":"f5d6c3","hint":3,"level":2}"#,
        r#"{"id":"a","position":"---------------------------O*------*O--------------------------- *","depth":4}"#,
        r#"{"id":2,"stop":1}"#,
        r#"{"id":3,"analyze":true,"moves":["f5","d6"]}"#,
        r#"{"id":4,"command":"version"}"#,
        r#"{"id":5,"command":"play f5"}"#,
        r#"{"id":6,"command":"go"}"#,
        r#"{"id":7,"command":"hint 2"}"#,
        r#"{"id":8,"command":"set level 3"}"#,
        r#"{"id":9,"command":"levelinfo 3","progress":true}"#,
        r#"{"id":10,"progress":0.1,"seed":1000,"autopass":true}"#,
        "{}",
        "[]",
    ];
    let mut rng = Rng::new(4);
    let lines: Vec<String> =
        std::iter::repeat_with(|| mutated(&seeds, &mut rng)).filter(|l| harmless(l)).take(LINES).collect();
    let asked = lines.iter().filter(|l| !l.trim().is_empty()).count();
    let said = flood(ProtocolKind::Json, lines.into_iter());
    let mut finals = 0;
    for line in said.lines() {
        let message: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(message.get("id").is_some(), "{line}");
        match message["type"].as_str() {
            Some("answer") => finals += 1,
            Some("error") => {
                finals += 1;
                assert!(message["code"].is_string() && message["message"].is_string(), "{line}");
            }
            Some("progress") => {}
            _ => panic!("what is this? {line}"),
        }
    }
    assert_eq!(finals, asked);
}

#[test]
fn stand_alone_boards_survive() {
    in_an_empty_folder();
    let seeds = ["0", "1", "........", "...01...", "...10...", "01010101", "..0.1..0"];
    let mut rng = Rng::new(5);
    let lines = std::iter::repeat_with(|| mutated(&seeds, &mut rng)).filter(|l| harmless(l)).take(LINES);
    flood(ProtocolKind::Standalone, lines);
}
