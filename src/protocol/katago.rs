//! The JSON lines of `katago analysis`, for KaTrain and other programs that are made for it: a query is a game and the
//! turns of it to look at, an answer is what is known of the moves there. Queries are answered one after the other.

use super::{Command, Id, Line, Output, Protocol, Reply, Request, Target, tables::excerpt};
use crate::{
    base::Colour,
    engine::{
        Answer, CommandError, CommandErrorKind, Engine, Focus, Game, Job, Outcome, Progress, Query, Restriction,
        Thought, command::Table,
    },
};
use serde_json::{Map, Value, json};
use std::{
    collections::VecDeque,
    fmt::Write,
    time::{Duration, Instant},
};

const QUERY: &str = "query";
const ACTION: &str = "action";
/// What can be asked beside queries.
pub const ACTIONS: &[&str] = &["query_version", "query_models", "clear_cache", "terminate", "terminate_all"];
/// Moves with values: all of any board.
const ALL: usize = 1000;
/// Asked for without a limit.
const VISITS: u64 = 1000;

/// Fields that are understood, and those that change nothing here.
const KNOWN: &[&str] = &[
    "id",
    "moves",
    "initialStones",
    "initialPlayer",
    "rules",
    "komi",
    "boardXSize",
    "boardYSize",
    "analyzeTurns",
    "maxVisits",
    "includeOwnership",
    "reportDuringSearchEvery",
    "overrideSettings",
    "priority",
    AVOID,
    ALLOW,
];
/// Moves that are left out, and those that alone are looked at.
const AVOID: &str = "avoidMoves";
const ALLOW: &str = "allowMoves";
/// Later in a line than any restriction goes.
const DEEPEST: u64 = 1000;

/// Whose chances are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Mover,
    Fixed(Colour),
}

/// A turn of a query that has not been answered.
#[derive(Debug, Clone)]
struct Asked {
    /// As it came.
    id: String,
    turn: usize,
    to_move: Colour,
    side: Side,
    ownership: bool,
    every: Option<Duration>,
    told: Option<Instant>,
    warnings: Vec<String>,
    query: Query,
}

#[derive(Default)]
pub struct Katago {
    /// In the order of their requests; the first is running or next.
    asked: VecDeque<Asked>,
    /// Turns of the last query that wait for their own request.
    more: VecDeque<Asked>,
}

fn wrong(field: &str, message: impl Into<String>) -> CommandError {
    CommandError::new(CommandErrorKind::Syntax, message.into()).in_field(field)
}

fn colour(value: &Value, field: &str) -> Answer<Colour> {
    match value.as_str() {
        Some("B" | "b") => Ok(Colour::Black),
        Some("W" | "w") => Ok(Colour::White),
        _ => Err(wrong(field, "a player is B or W")),
    }
}

/// `[["B","Q16"],["W","pass"]]`.
fn coloured(value: Option<&Value>, field: &str) -> Answer<Vec<(Colour, String)>> {
    let list = value.map_or(Some(&[][..]), |value| value.as_array().map(Vec::as_slice));
    let pair = |pair: &Value| match pair.as_array().map(Vec::as_slice) {
        Some([player, point]) => {
            let point = point.as_str().ok_or_else(|| wrong(field, "a point is a text"))?;
            Ok((colour(player, field)?, point.to_owned()))
        }
        _ => Err(wrong(field, "a move is a player and a point")),
    };
    list.ok_or_else(|| wrong(field, "this is a list of players and points"))?.iter().map(pair).collect()
}

/// A point as SGF names it; nothing for a pass.
fn sgf_point(point: &str, size: u64, field: &str) -> Answer<String> {
    if point.eq_ignore_ascii_case("pass") {
        return Ok(String::new());
    }
    let bad = || wrong(field, format!("`{}` is not a point of this board", excerpt(point)));
    let letter = point.chars().next().filter(char::is_ascii_alphabetic).ok_or_else(bad)?.to_ascii_uppercase();
    let row: u64 = point[1..].parse().map_err(|_| bad())?;
    let column = u64::from(letter as u8 - b'A') - u64::from(letter > 'I');
    if letter == 'I' || column >= size || !(1..=size).contains(&row) {
        return Err(bad());
    }
    let name = |n: u64| char::from(b'a' + n as u8);
    Ok([name(column), name(size - row)].iter().collect())
}

/// The rules by the names that KataGo and we have for them.
fn rules(value: Option<&Value>) -> Answer<&'static str> {
    let name = match value {
        None => "tromp-taylor",
        Some(value) => value.as_str().ok_or_else(|| wrong("rules", "rules are taken by their name only"))?,
    };
    match name.to_ascii_lowercase().as_str() {
        "japanese" | "korean" => Ok("japanese"),
        "chinese" | "chinese-ogs" | "chinese-kgs" | "chineseogs" | "chinesekgs" => Ok("chinese"),
        "aga" | "bga" | "french" => Ok("aga"),
        "new-zealand" | "nz" | "newzealand" => Ok("new-zealand"),
        "tromp-taylor" | "tromptaylor" => Ok("tromp-taylor"),
        _ => Err(wrong("rules", format!("the rules `{}` are not known", excerpt(name)))),
    }
}

fn whole(fields: &Map<String, Value>, field: &str) -> Answer<Option<u64>> {
    let bad = || wrong(field, "this is a whole number from 1 on");
    fields.get(field).map(|value| value.as_u64().filter(|n| *n > 0).ok_or_else(bad)).transpose()
}

/// `[{"player":"B","moves":["C3","pass"],"untilDepth":1}]`, in both fields.
fn focus(fields: &Map<String, Value>, size: u64) -> Answer<Focus> {
    let mut focus = Focus::default();
    for (field, only) in [(AVOID, false), (ALLOW, true)] {
        let Some(value) = fields.get(field) else { continue };
        let list = value.as_array().ok_or_else(|| wrong(field, "this is a list of players, moves and depths"))?;
        for entry in list {
            let entry = entry.as_object().ok_or_else(|| wrong(field, "an entry is a JSON object"))?;
            if let Some(key) = entry.keys().find(|key| !["player", "moves", "untilDepth"].contains(&key.as_str())) {
                return Err(wrong(field, format!("`{}` is not known in an entry", excerpt(key))));
            }
            let colour = colour(entry.get("player").unwrap_or(&Value::Null), field)?;
            let names = entry.get("moves").and_then(Value::as_array).filter(|names| !names.is_empty());
            let names = names.ok_or_else(|| wrong(field, "`moves` is a list of points"))?.iter().map(|name| {
                let name = name.as_str().ok_or_else(|| wrong(field, "a point is a text"))?;
                sgf_point(name, size, field).map(|_| name.to_owned())
            });
            let moves = names.collect::<Answer<Vec<String>>>()?;
            let depth = entry.get("untilDepth").and_then(Value::as_u64).filter(|depth| *depth > 0);
            let depth = depth.ok_or_else(|| wrong(field, "`untilDepth` is a whole number from 1 on"))?;
            if only && focus.restrictions.iter().any(|other| other.only && other.colour == colour) {
                return Err(wrong(field, "there is one entry for a player at most"));
            }
            focus.restrictions.push(Restriction { colour, moves, only, plies: depth.min(DEEPEST) as usize });
        }
    }
    Ok(focus)
}

/// The turns of a query, in the order in which they are answered.
fn read(id: &str, fields: &Map<String, Value>) -> Answer<Vec<Asked>> {
    let size = whole(fields, "boardXSize")?.ok_or_else(|| wrong("boardXSize", "the size is missing"))?;
    if whole(fields, "boardYSize")? != Some(size) || !(2..=19).contains(&size) {
        return Err(wrong("boardYSize", "boards are square, 2 to 19 lines"));
    }
    let komi = fields.get("komi").map_or(Some(7.5), Value::as_f64);
    let komi = komi.filter(|komi| komi.abs() <= 1000.0).ok_or_else(|| wrong("komi", "komi is a number"))?;
    let rules = rules(fields.get("rules"))?;
    let stones = coloured(fields.get("initialStones"), "initialStones")?;
    let moves = coloured(fields.get("moves"), "moves")?;
    let focus = focus(fields, size)?;
    let first = match fields.get("initialPlayer") {
        Some(value) => colour(value, "initialPlayer")?,
        None => moves.first().map_or(Colour::Black, |(colour, _)| *colour),
    };
    let mut sgf = format!("(;FF[4]GM[1]SZ[{size}]KM[{komi}]RU[{rules}]");
    for (name, side) in [("AB", Colour::Black), ("AW", Colour::White)] {
        let own: Vec<&String> = stones.iter().filter(|(colour, _)| *colour == side).map(|(_, point)| point).collect();
        if !own.is_empty() {
            sgf += name;
        }
        for point in own {
            let _ = write!(sgf, "[{}]", sgf_point(point, size, "initialStones")?);
        }
    }
    let _ = write!(sgf, "PL[{}]", letter(first));
    let turns = match fields.get("analyzeTurns") {
        None => vec![moves.len()],
        Some(value) => {
            let bad = || wrong("analyzeTurns", "turns are numbers from 0 to that of the last move");
            let turn = |turn: &Value| turn.as_u64().map(|n| n as usize).filter(|n| *n <= moves.len());
            let turns: Option<Vec<usize>> = value.as_array().ok_or_else(bad)?.iter().map(turn).collect();
            turns.filter(|turns| !turns.is_empty() && turns.len() <= 2000).ok_or_else(bad)?
        }
    };
    let mut warnings: Vec<String> = fields
        .iter()
        .filter(|(field, value)| !KNOWN.contains(&field.as_str()) && **value != json!(false))
        .map(|(field, _)| field.clone())
        .collect();
    let own = fields.get("overrideSettings").and_then(Value::as_object);
    let side = match own.and_then(|own| own.get("reportAnalysisWinratesAs")).and_then(Value::as_str) {
        Some("SIDETOMOVE") => Side::Mover,
        Some("WHITE") => Side::Fixed(Colour::White),
        _ => Side::Fixed(Colour::Black),
    };
    let strange = own.iter().flat_map(|own| own.keys()).filter(|key| *key != "reportAnalysisWinratesAs");
    warnings.extend(strange.map(|key| format!("overrideSettings.{key}")));
    let visits = whole(fields, "maxVisits")?.unwrap_or(VISITS).min(1 << 40);
    let every = fields.get("reportDuringSearchEvery").and_then(Value::as_f64);
    let every = every.filter(|seconds| *seconds > 0.0).map(|s| Duration::from_secs_f64(s.min(1e6)));
    turns
        .into_iter()
        .enumerate()
        .map(|(index, turn)| {
            let mut text = sgf.clone();
            for (colour, point) in &moves[..turn] {
                let _ = write!(text, ";{}[{}]", letter(*colour), sgf_point(point, size, "moves")?);
            }
            let to_move = match moves.get(turn) {
                Some((colour, _)) => *colour,
                None => moves[..turn].last().map_or(first, |(colour, _)| !*colour),
            };
            let settings = vec![("playouts".into(), visits.to_string())];
            let (position, focus) = (Some(text + ")"), focus.clone());
            let query = Query { position, settings, count: ALL, focus, ..Query::default() };
            Ok(Asked {
                id: id.into(),
                turn,
                to_move,
                side,
                ownership: fields.get("includeOwnership") == Some(&json!(true)),
                every,
                told: None,
                warnings: if index == 0 { warnings.clone() } else { vec![] },
                query,
            })
        })
        .collect()
}

fn letter(colour: Colour) -> char {
    if colour == Colour::Black { 'B' } else { 'W' }
}

fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}

impl Asked {
    fn answer(&self, thought: &Thought, during: bool) -> Value {
        // The search speaks for the side to move.
        let turned = matches!(self.side, Side::Fixed(side) if side != self.to_move);
        let chance = |p: f64| rounded(if turned { 1.0 - p } else { p });
        let points = |x: f64| rounded(if turned { -x } else { x });
        let known: Vec<_> = thought.lines.iter().filter_map(|line| Some((line, line.playouts?))).collect();
        let visits: u64 = known.iter().map(|(_, playouts)| playouts.visits).sum();
        let moves: Vec<Value> = known
            .iter()
            .enumerate()
            .map(|(order, (line, playouts))| {
                let rate = playouts.win_rate;
                let spread = 2.0 * (rate * (1.0 - rate) / playouts.visits.max(1) as f64).sqrt();
                let pv: Vec<String> = line.moves.iter().map(|mv| vertex(mv)).collect();
                json!({
                    "move": vertex(line.best()), "order": order, "visits": playouts.visits, "pv": pv,
                    "winrate": chance(rate), "lcb": chance((rate - spread).max(0.0)), "prior": rounded(playouts.prior),
                    "scoreLead": points(line.value), "scoreMean": points(line.value), "scoreSelfplay": points(line.value),
                    "utility": points(2.0 * rate - 1.0),
                })
            })
            .collect();
        let mean = |of: &dyn Fn(usize) -> f64| {
            let sum: f64 = (0..known.len()).map(|i| of(i) * known[i].1.visits as f64).sum();
            if visits == 0 { known.first().map_or(0.5, |_| of(0)) } else { sum / visits as f64 }
        };
        let (rate, score) = (mean(&|i| known[i].1.win_rate), mean(&|i| known[i].0.value));
        let mut answer = json!({
            "id": self.id_value(), "turnNumber": self.turn, "isDuringSearch": during, "moveInfos": moves,
            "rootInfo": {
                "visits": visits.max(thought.nodes), "winrate": chance(rate), "scoreLead": points(score),
                "scoreSelfplay": points(score), "utility": points(2.0 * rate - 1.0),
                "currentPlayer": letter(self.to_move).to_string(),
            },
        });
        if self.ownership && !thought.ownership.is_empty() {
            let owned: Vec<f64> = thought.ownership.iter().map(|point| points(f64::from(*point))).collect();
            answer["ownership"] = json!(owned);
        }
        answer
    }

    fn id_value(&self) -> Value {
        serde_json::from_str(&self.id).unwrap_or(Value::Null)
    }

    fn request(&self) -> Request {
        Request {
            id: Id::Json(self.id.clone()),
            word: QUERY,
            command: Ok(Command::Work(Job::Query(self.query.clone()))),
        }
    }
}

fn vertex(mv: &str) -> String {
    if mv.eq_ignore_ascii_case("pass") { "pass".into() } else { mv.to_ascii_uppercase() }
}

impl Katago {
    fn action(&mut self, id: &str, fields: &Map<String, Value>) -> Answer<Command> {
        let target = fields.get("terminateId");
        match fields.get(ACTION).and_then(Value::as_str) {
            Some("query_version" | "query_models") => Ok(Command::Nothing),
            Some("clear_cache") => Ok(Command::Nothing),
            Some("terminate_all") => {
                self.more.clear();
                Ok(Command::Stop(Target::All))
            }
            Some("terminate") => {
                let target = target.ok_or_else(|| wrong("terminateId", "terminateId is missing"))?.to_string();
                self.more.retain(|asked| asked.id != target);
                Ok(Command::Stop(Target::Id(Id::Json(target))))
            }
            _ => Err(wrong(ACTION, format!("the action of {id} is not known: there are {}", ACTIONS.join(", ")))),
        }
    }
}

impl Protocol for Katago {
    fn parse(&mut self, line: &Line, _: Table) -> Option<Request> {
        if line.text.trim().is_empty() {
            return None;
        }
        let request = |id: &str, word, command| Some(Request { id: Id::Json(id.into()), word, command });
        let bad = |message: &str| CommandError::new(CommandErrorKind::Syntax, message);
        if line.cut {
            return request("null", QUERY, Err(bad("the line is too long")));
        }
        let fields = match serde_json::from_str::<Value>(&line.text) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return request("null", QUERY, Err(bad("a query is a JSON object"))),
            Err(error) => return request("null", QUERY, Err(bad(&format!("this is not JSON: {error}")))),
        };
        let Some(id @ Value::String(_)) = fields.get("id") else {
            return request("null", QUERY, Err(wrong("id", "a query has an id, which is a text")));
        };
        let id = id.to_string();
        if fields.contains_key(ACTION) {
            let command = self.action(&id, &fields);
            // What is said is said again, with the answer in it.
            return request(&line.text, ACTION, command);
        }
        match read(&id, &fields) {
            Err(refusal) => request(&id, QUERY, Err(refusal)),
            Ok(mut turns) => {
                let first = turns.remove(0);
                let request = first.request();
                self.asked.push_back(first);
                self.more.extend(turns);
                Some(request)
            }
        }
    }

    fn interrupts(&self, _: &Request, _: &Request) -> bool {
        false
    }

    fn answers_stop_at_once(&self) -> bool {
        true
    }

    fn answers_at_once(&self, request: &Request) -> bool {
        request.word == ACTION && request.command.is_ok()
    }

    fn look(&mut self, _: &Request, _: &str, _: &dyn Engine) -> Answer<Reply> {
        Ok(Reply::Done(vec![]))
    }

    fn own_turn(&mut self, engine: &dyn Engine) -> Option<Request> {
        if engine.game() != Game::Go {
            return Some(Request::new("switch", Command::Switch(Game::Go)));
        }
        // Later turns of a query come after its first.
        let waits = self.more.front().is_some_and(|next| self.asked.iter().any(|asked| asked.id == next.id));
        let next = if waits { None } else { self.more.pop_front() }?;
        let request = next.request();
        self.asked.push_front(next);
        Some(request)
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        let Id::Json(text) = &request.id else { return };
        let mut say = |value: Value| {
            out.out.push_str(&value.to_string());
            out.out.push('\n');
        };
        let said: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        if request.word == ACTION {
            let mut answer = said;
            if let Reply::Refused(refusal) = reply {
                answer = json!({ "error": refusal.message, "field": refusal.field, "id": answer["id"] });
            } else if answer[ACTION] == "query_version" {
                answer["version"] = json!(format!("Shirokuro {}", env!("CARGO_PKG_VERSION")));
                answer["git_hash"] = json!(option_env!("SHIROKURO_COMMIT").unwrap_or("unknown"));
            } else if answer[ACTION] == "query_models" {
                answer["models"] = json!([]);
            }
            return say(answer);
        }
        if request.command.is_err() {
            if let Reply::Refused(refusal) = reply {
                say(json!({ "error": refusal.message, "field": refusal.field, "id": said }));
            }
            return;
        }
        let Some(asked) = self.asked.pop_front() else { return };
        for field in &asked.warnings {
            say(json!({ "warning": "this field has no effect", "field": field, "id": said }));
        }
        match reply {
            Reply::Outcome(Outcome::Move { thought, .. } | Outcome::Thought(thought)) => {
                say(asked.answer(thought, false))
            }
            Reply::Refused(refusal) => {
                // The game is one text for the engine; to who asked it is the moves.
                let field = match refusal.field.as_deref() {
                    Some("focus") if asked.query.focus.restrictions.iter().all(|one| !one.only) => AVOID,
                    Some("focus") => ALLOW,
                    _ => "moves",
                };
                say(json!({ "error": refusal.message, "field": field, "id": said, "turnNumber": asked.turn }));
            }
            _ => {}
        }
    }

    fn progress(&mut self, _: &Request, news: &Progress, out: &mut Output) {
        let (Progress::Thought(thought), Some(asked)) = (news, self.asked.front_mut()) else { return };
        let Some(every) = asked.every else { return };
        let since = *asked.told.get_or_insert_with(Instant::now);
        if since.elapsed() >= every && !thought.lines.is_empty() {
            asked.told = Some(Instant::now());
            out.out.push_str(&asked.answer(thought, true).to_string());
            out.out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(fields: Value) -> Answer<Vec<Asked>> {
        read("\"q\"", fields.as_object().expect("an object"))
    }

    #[test]
    fn a_query_becomes_a_game_for_each_turn() {
        let turns = asked(json!({
            "rules": "japanese", "komi": 6.5, "boardXSize": 9, "boardYSize": 9, "initialStones": [["B", "C3"]],
            "moves": [["W", "E5"], ["B", "J9"], ["W", "pass"]], "analyzeTurns": [0, 3], "maxVisits": 50,
        }))
        .unwrap();
        let texts: Vec<&str> = turns.iter().map(|asked| asked.query.position.as_deref().unwrap()).collect();
        let head = "(;FF[4]GM[1]SZ[9]KM[6.5]RU[japanese]AB[cg]PL[W]";
        assert_eq!(texts, [format!("{head})"), format!("{head};W[ee];B[ia];W[])")]);
        assert_eq!((turns[0].to_move, turns[1].to_move, turns[1].turn), (Colour::White, Colour::Black, 3));
        assert_eq!(turns[0].query.settings, [("playouts".to_owned(), "50".to_owned())]);
    }

    #[test]
    fn what_is_wrong_names_its_field() {
        let base = json!({ "boardXSize": 9, "boardYSize": 9 });
        assert!(asked(base.clone()).is_ok());
        for (field, value) in [
            ("boardXSize", json!(0)),
            ("boardYSize", json!(13)),
            ("moves", json!([["B", "I5"]])),
            ("moves", json!([["B", "K5"]])),
            ("moves", json!([["B", "é"]])),
            ("moves", json!([["X", "E5"]])),
            ("moves", json!("E5")),
            ("rules", json!("martian")),
            ("rules", json!({ "ko": "SIMPLE" })),
            ("komi", json!("much")),
            ("analyzeTurns", json!([1])),
            ("analyzeTurns", json!([])),
            ("maxVisits", json!(-1)),
            ("avoidMoves", json!("E5")),
            ("avoidMoves", json!([["B", "E5"]])),
            ("avoidMoves", json!([{ "player": "X", "moves": ["E5"], "untilDepth": 1 }])),
            ("avoidMoves", json!([{ "player": "B", "moves": ["K5"], "untilDepth": 1 }])),
            ("avoidMoves", json!([{ "player": "B", "moves": [], "untilDepth": 1 }])),
            ("avoidMoves", json!([{ "player": "B", "moves": ["E5"] }])),
            ("avoidMoves", json!([{ "player": "B", "moves": ["E5"], "untilDepth": 0 }])),
            ("allowMoves", json!([{ "player": "B", "moves": ["E5"], "untilDepth": 1, "from": 3 }])),
            (
                "allowMoves",
                json!([
                    { "player": "B", "moves": ["E5"], "untilDepth": 1 },
                    { "player": "B", "moves": ["E6"], "untilDepth": 2 },
                ]),
            ),
        ] {
            let mut fields = base.clone();
            fields[field] = value.clone();
            let refusal = asked(fields).expect_err(field);
            assert_eq!(refusal.field.as_deref(), Some(field), "{value}");
        }
    }

    #[test]
    fn moves_to_avoid_and_to_allow_become_restrictions_of_every_turn() {
        let turns = asked(json!({
            "boardXSize": 9, "boardYSize": 9, "moves": [["B", "E5"]], "analyzeTurns": [0, 1],
            "avoidMoves": [{ "player": "B", "moves": ["C3", "pass"], "untilDepth": 2 }],
            "allowMoves": [{ "player": "W", "moves": ["D4"], "untilDepth": 1 }],
        }))
        .unwrap();
        let restriction = |colour, moves: &[&str], only, plies| Restriction {
            colour,
            moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
            only,
            plies,
        };
        let expected =
            [restriction(Colour::Black, &["C3", "pass"], false, 2), restriction(Colour::White, &["D4"], true, 1)];
        assert_eq!(turns.len(), 2);
        assert!(turns.iter().all(|asked| asked.query.focus.restrictions == expected && asked.warnings.is_empty()));
        let none = asked(json!({ "boardXSize": 9, "boardYSize": 9, "avoidMoves": [] })).unwrap();
        assert_eq!(none[0].query.focus, Focus::default());
    }

    #[test]
    fn fields_without_effect_are_named() {
        let fields = json!({
            "boardXSize": 9, "boardYSize": 9, "includePolicy": true, "includeMovesOwnership": false,
            "overrideSettings": { "reportAnalysisWinratesAs": "SIDETOMOVE", "maxTime": 8.0 },
        });
        let turns = asked(fields).unwrap();
        assert_eq!(turns[0].warnings, ["includePolicy", "overrideSettings.maxTime"]);
        assert_eq!(turns[0].side, Side::Mover);
    }
}
