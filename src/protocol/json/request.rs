//! A line of JSON as a request.

use crate::{
    engine::{
        Aim, Answer, CommandError, CommandErrorKind, Job, Query,
        command::{GameCommand, Table},
    },
    protocol::{Command, Id, Request, Target, console::commands, tables::excerpt},
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::Duration;

/// How a request wants to be answered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Manner {
    /// The least time between two messages about its progress; `None`: there are none.
    pub pace: Option<Duration>,
    /// Of questions that wait the one with the highest is answered first, where several are answered at once.
    pub priority: i64,
    /// Its answer waits for those of the questions before it.
    pub ordered: bool,
    pub warnings: Vec<Warning>,
}

/// What has no effect, or not the whole one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    pub field: String,
    pub message: String,
}

impl Warning {
    pub fn new(field: &str, message: impl ToString) -> Warning {
        Warning { field: field.into(), message: message.to_string() }
    }
}

/// A field that is an option under a longer name.
pub const TIME: (&str, &str) = ("time", "move-time");

/// All moves of a position.
const ALL_MOVES: usize = 64;

type Fields = Map<String, Value>;

fn wrong(field: &str, message: impl std::fmt::Display) -> CommandError {
    CommandError::new(CommandErrorKind::Syntax, format!("{}: {message}", excerpt(field))).in_field(field)
}

/// The request and how it wants to be answered.
pub fn read(line: &str, own: Table) -> (Request, Manner) {
    let plain = |command| Request { command, ..Request::new(BAD_LINE, Command::Nothing) };
    let mut fields = match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => {
            return (
                plain(Err(CommandError::new(CommandErrorKind::Syntax, "a request is an object: {…}"))),
                Manner::default(),
            );
        }
        Err(e) => {
            return (
                plain(Err(CommandError::new(CommandErrorKind::Syntax, format!("not JSON: {e}")))),
                Manner::default(),
            );
        }
    };
    let id = fields.remove("id").map_or(Id::None, |id| Id::Json(id.to_string()));
    let (request, manner) = read_fields(fields, own).unwrap_or_else(|refusal| (plain(Err(refusal)), Manner::default()));
    (Request { id, ..request }, manner)
}

/// The name of a request that could not be read.
pub const BAD_LINE: &str = "line";
/// The name of a request that asks about a position.
pub const QUESTION: &str = "question";
/// The names of requests that ask about the program; the console has a word `version` too.
pub const VERSION: &str = "question of version";
pub const CAPABILITIES: &str = "question of capabilities";
/// Their fields.
const ABOUT: [(&str, &str); 2] = [("version", VERSION), ("capabilities", CAPABILITIES)];

/// The fields of a question that are no options.
pub const FIELDS: &[&str] = &[
    "id", "position", "moves", "hint", "alpha", "beta", "wld", "analyze", "explain", "progress", "priority", "ordered",
    "time",
];

fn read_fields(mut fields: Fields, own: Table) -> Answer<(Request, Manner)> {
    let about = ABOUT.into_iter().find(|(field, _)| fields.get(*field) == Some(&Value::Bool(true)));
    let (request, manner) = if let Some((field, about)) = about {
        fields.remove(field);
        (Request::new(about, Command::Look(String::new())), Manner::default())
    } else if let Some(target) = fields.remove("stop") {
        let target = if target == Value::Bool(true) { Target::All } else { Target::Id(Id::Json(target.to_string())) };
        (Request::new("stop", Command::Stop(target)), Manner::default())
    } else if let Some(command) = fields.remove("command") {
        let pace = pace(&mut fields)?;
        (command_line(&command, own)?, Manner { pace, ..Manner::default() })
    } else {
        let (query, manner) = question(std::mem::take(&mut fields), own)?;
        (Request::new(QUESTION, Command::Work(Job::Query(query))), manner)
    };
    match fields.keys().next() {
        Some(field) => Err(wrong(field, "no such field in this kind of request")),
        None => Ok((request, manner)),
    }
}

/// Words of the console that make no sense between programs.
const NOT_HERE: &[&str] = &["mode", "progress"];

fn command_line(command: &Value, own: Table) -> Answer<Request> {
    let line = command.as_str().map(str::trim).filter(|line| !line.is_empty());
    let line = line.ok_or_else(|| wrong("command", "it takes a line as the console reads it"))?;
    let request = commands::parse(line, own);
    if NOT_HERE.contains(&request.word) {
        let refusal =
            CommandError::new(CommandErrorKind::Unsupported, format!("`{}` is for the console alone", request.word));
        return Err(refusal.in_field("command"));
    }
    Ok(Request { command: request.command.map_err(|refusal| refusal.in_field("command")), ..request })
}

/// What is no field of its own is an option, for this question alone; the game knows which there are.
pub fn question(mut fields: Fields, own: Table) -> Answer<(Query, Manner)> {
    let mut manner = manner(&mut fields)?;
    let position = text(&mut fields, "position")?;
    let moves = match fields.remove("moves") {
        Some(Value::Array(list)) => Some(joined(&list)?),
        Some(other) => {
            fields.insert("moves".into(), other);
            text(&mut fields, "moves")?
        }
        None => None,
    };
    let count = match fields.remove("hint") {
        None | Some(Value::Bool(false)) => 1,
        Some(Value::Bool(true)) => ALL_MOVES,
        Some(value) => match value.as_u64().and_then(|n| usize::try_from(n).ok()) {
            Some(count) if count > 0 => count,
            _ => return Err(wrong("hint", "it takes true or a number of moves above 0")),
        },
    };
    let analyse = match fields.remove("analyze") {
        None => false,
        Some(value) => value.as_bool().ok_or_else(|| wrong("analyze", "it takes true or false"))?,
    };
    let command = explanation(&mut fields, own)?;
    let aim = aim(&mut fields, analyse || command.is_some())?;
    let settings = settings(fields)?;
    let has = |name: &str| settings.iter().any(|(other, value)| other == name && value != "0");
    if has("level") && has("depth") {
        manner.warnings.push(Warning::new("level", "it has no effect beside `depth`"));
    }
    if aim == Aim::Winner && (has("level") || has("depth")) {
        let field = if has("level") { "level" } else { "depth" };
        manner.warnings.push(Warning::new(field, "it has no effect beside `wld`, which asks for a proof"));
    }
    Ok((Query { position, moves, settings, count, aim, analyse, command, ..Query::default() }, manner))
}

/// What has to be known of values: all, what `alpha` and `beta` leave open, or with `wld` only who wins.
fn aim(fields: &mut Fields, other: bool) -> Answer<Aim> {
    let mut end = |name| match fields.remove(name) {
        None => Ok(None),
        Some(value) => match value.as_f64().filter(|discs| (-64.0..=64.0).contains(discs)) {
            None => Err(wrong(name, "it takes a number of discs from -64 to 64")),
            Some(_) if other => Err(wrong(name, "it goes with the value of a position, not with an analysis")),
            discs => Ok(discs),
        },
    };
    let (alpha, beta) = (end("alpha")?, end("beta")?);
    let wld = match fields.remove("wld") {
        None => false,
        Some(value) => value.as_bool().ok_or_else(|| wrong("wld", "it takes true or false"))?,
    };
    match (alpha, beta) {
        _ if wld && other => Err(wrong("wld", "it goes with the value of a position, not with an analysis")),
        (None, None) if wld => Ok(Aim::Winner),
        (None, None) => Ok(Aim::Value),
        _ if wld => Err(wrong("wld", "it is a window of its own: `alpha` and `beta` do not go with it")),
        (alpha, beta) => {
            let (alpha, beta) = (alpha.unwrap_or(-64.0), beta.unwrap_or(64.0));
            match alpha < beta {
                true => Ok(Aim::Window(alpha as f32, beta as f32)),
                false => Err(wrong("alpha", format!("{alpha} is not below {beta}"))),
            }
        }
    }
}

/// What the field `explain` asks of a game that explains moves: the last one, or a legal one by its name.
fn explanation(fields: &mut Fields, own: Table) -> Answer<Option<GameCommand>> {
    let name = match fields.remove("explain") {
        None | Some(Value::Bool(false)) => return Ok(None),
        Some(Value::Bool(true)) => String::new(),
        Some(Value::String(name)) => name,
        Some(_) => return Err(wrong("explain", "it takes true, false or a move")),
    };
    match own.read("explain", &name) {
        Some(command) => command.map(Some).map_err(|refusal| refusal.in_field("explain")),
        None => Err(wrong("explain", "this game explains no moves")),
    }
}

fn settings(fields: Fields) -> Answer<Vec<(String, String)>> {
    let mut settings = Vec::new();
    for (field, value) in fields {
        let value = scalar(&value).ok_or_else(|| wrong(&field, "it takes a number, a text, true or false"))?;
        settings.push((if field == TIME.0 { TIME.1.to_owned() } else { field }, value));
    }
    // A level ends a fixed depth, so it comes before one.
    settings.sort_by_key(|(name, _)| name != "level");
    Ok(settings)
}

fn text(fields: &mut Fields, name: &str) -> Answer<Option<String>> {
    match fields.remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(name, "it takes a text")),
    }
}

fn joined(list: &[Value]) -> Answer<String> {
    let moves: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    moves.map(|moves| moves.join(" ")).ok_or_else(|| wrong("moves", "it takes a text or a list of texts"))
}

/// A value as the table of options reads it.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Bool(on) => Some(if *on { "on" } else { "off" }.into()),
        Value::Number(n) => Some(n.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn manner(fields: &mut Fields) -> Answer<Manner> {
    let priority = match fields.remove("priority") {
        None => 0,
        Some(value) => value.as_i64().ok_or_else(|| wrong("priority", "it takes a whole number"))?,
    };
    let ordered = match fields.remove("ordered") {
        None => false,
        Some(value) => value.as_bool().ok_or_else(|| wrong("ordered", "it takes true or false"))?,
    };
    Ok(Manner { pace: pace(fields)?, priority, ordered, warnings: vec![] })
}

fn pace(fields: &mut Fields) -> Answer<Option<Duration>> {
    match fields.remove("progress") {
        None | Some(Value::Bool(false)) => Ok(None),
        Some(Value::Bool(true)) => Ok(Some(Duration::ZERO)),
        Some(value) => value
            .as_f64()
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .map(Some)
            .ok_or_else(|| wrong("progress", "it takes true, or the seconds between two messages")),
    }
}

#[cfg(test)]
mod tests {
    use super::{read as read_with, *};
    use crate::{engine::Engine, protocol::dummy::Dummy};

    fn read(line: &str) -> (Request, Manner) {
        read_with(line, Dummy::default().commands())
    }

    fn refusal(line: &str) -> CommandError {
        read(line).0.command.expect_err(line)
    }

    #[test]
    fn a_question_in_full() {
        let line = r#"{"id":"x","position":"start","moves":["f5","d6"],"hint":3,"time":0.5,"level":5,
                       "depth":3,"threads":1,"ponder":false,"progress":0.25}"#;
        let (request, manner) = read(line);
        assert_eq!(request.id, Id::Json("\"x\"".into()));
        assert_eq!(manner.pace, Some(Duration::from_millis(250)));
        assert_eq!(manner.warnings, [Warning::new("level", "it has no effect beside `depth`")]);
        let Ok(Command::Work(Job::Query(query))) = request.command else { panic!("{request:?}") };
        assert_eq!((query.position.as_deref(), query.moves.as_deref()), (Some("start"), Some("f5 d6")));
        assert_eq!((query.count, query.analyse), (3, false));
        let settings: Vec<String> = query.settings.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(settings, ["level=5", "depth=3", "ponder=off", "threads=1", "move-time=0.5"]);
    }

    #[test]
    fn errors_name_the_field() {
        for (line, field) in [
            (r#"{"levle":{}}"#, "levle"),
            (r#"{"position":5}"#, "position"),
            (r#"{"moves":[1]}"#, "moves"),
            (r#"{"hint":0}"#, "hint"),
            (r#"{"hint":-1}"#, "hint"),
            (r#"{"hint":1.5}"#, "hint"),
            (r#"{"progress":-1}"#, "progress"),
            (r#"{"priority":1.5}"#, "priority"),
            (r#"{"ordered":1}"#, "ordered"),
            (r#"{"version":true,"level":1}"#, "level"),
            (r#"{"progress":1e300}"#, "progress"),
            (r#"{"analyze":1}"#, "analyze"),
            (r#"{"hash":null}"#, "hash"),
            (r#"{"alpha":"x"}"#, "alpha"),
            (r#"{"beta":65}"#, "beta"),
            (r#"{"alpha":2,"beta":2}"#, "alpha"),
            (r#"{"alpha":0,"wld":true}"#, "wld"),
            (r#"{"wld":1}"#, "wld"),
            (r#"{"wld":true,"analyze":true}"#, "wld"),
            (r#"{"level":[5]}"#, "level"),
            (r#"{"command":""}"#, "command"),
            (r#"{"command":"mode 2"}"#, "command"),
            (r#"{"command":"undo x"}"#, "command"),
            (r#"{"command":"go","level":5}"#, "level"),
            (r#"{"stop":1,"position":"x"}"#, "position"),
        ] {
            assert_eq!(refusal(line).field.as_deref(), Some(field), "{line}");
        }
        for line in ["", "x", "[]", "5", "{", "{\"id\":1", "null", "{}{}", "\u{0}"] {
            assert_eq!(refusal(line).kind, CommandErrorKind::Syntax, "{line}");
        }
    }

    #[test]
    fn an_id_is_kept_even_by_a_bad_request() {
        assert_eq!(read(r#"{"id":{"a":[1]},"bad":1}"#).0.id, Id::Json(r#"{"a":[1]}"#.into()));
        assert_eq!(read("{}").0.id, Id::None);
        let stop = |line| read(line).0.command;
        assert_eq!(stop(r#"{"stop":7}"#), Ok(Command::Stop(Target::Id(Id::Json("7".into())))));
        assert_eq!(stop(r#"{"stop":true}"#), Ok(Command::Stop(Target::All)));
    }
}
