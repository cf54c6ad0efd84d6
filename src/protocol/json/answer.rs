//! Answers as JSON objects, their fields always in the same order.

use super::request::Warning;
use crate::{
    base::{Colour, Language, settings::SettingView},
    engine::{
        Analysis, Bound, CommandError, Depth, Difficulty, Judged, Line, Opening, Outcome, Progress, Source, Thought,
        WorkDone,
    },
    protocol::{Id, Reply, tables},
};
use serde::Serialize;
use serde_json::{Map, Value};

/// One line of output. What does not apply is left out.
#[derive(Debug, Default, Serialize)]
pub struct Message {
    /// `null` when the request had none, or was no JSON.
    id: Option<Value>,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(flatten)]
    body: Body,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning>,
}

#[derive(Debug, Default, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The last word about a request.
    #[default]
    Answer,
    Progress,
    Error,
}

#[derive(Debug, Default, Serialize)]
#[serde(untagged)]
enum Body {
    #[default]
    Empty,
    Error {
        code: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        field: Option<String>,
        message: String,
    },
    Thought(ThoughtBody),
    Analysis {
        analysis: Vec<JudgedBody>,
        summary: Value,
        complete: bool,
    },
    Judged {
        judged: JudgedBody,
    },
    Notices {
        notices: Vec<String>,
    },
    Text {
        text: String,
    },
    Report {
        report: Value,
    },
    Fields(Map<String, Value>),
    Options {
        options: Vec<OptionBody>,
    },
    Work(WorkBody),
}

/// How far long work has come; times are seconds.
#[derive(Debug, Serialize)]
struct WorkBody {
    work: String,
    done: u64,
    waiting: u64,
    positions: u64,
    per_second: f64,
    time: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<f64>,
}

impl From<&WorkDone> for WorkBody {
    fn from(work: &WorkDone) -> WorkBody {
        WorkBody {
            work: work.work.clone(),
            done: work.done,
            waiting: work.waiting,
            positions: work.positions,
            per_second: hundredths(work.per_second()),
            time: hundredths(work.elapsed.as_secs_f64()),
            left: work.left().map(|left| left.as_secs_f64().round()),
        }
    }
}

#[derive(Debug, Serialize)]
struct OptionBody {
    name: &'static str,
    value: Value,
    default: Value,
    takes: String,
    meaning: String,
}

impl OptionBody {
    fn new(setting: &SettingView, language: &Language) -> OptionBody {
        OptionBody {
            name: setting.name,
            value: tables::value_json(&setting.value),
            default: tables::value_json(&setting.default),
            takes: setting.kind.to_string(),
            meaning: language.say(setting.help).into_owned(),
        }
    }
}

#[derive(Debug, Serialize)]
struct ThoughtBody {
    /// `null` when the game is over.
    #[serde(rename = "move")]
    best: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    colour: Option<String>,
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
    lines: Vec<LineBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difficulty: Option<DifficultyBody>,
    nodes: u64,
    time: f64,
    complete: bool,
}

#[derive(Debug, Serialize)]
struct DepthBody {
    depth: u32,
    percent: u8,
    solved: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    wld: bool,
}

impl From<Depth> for DepthBody {
    fn from(depth: Depth) -> DepthBody {
        DepthBody { depth: depth.plies, percent: depth.percent, solved: depth.solved(), wld: depth.wld }
    }
}

#[derive(Debug, Serialize)]
struct LineBody {
    #[serde(rename = "move")]
    best: Option<String>,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
    #[serde(flatten)]
    depth: DepthBody,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    book_lines: Option<u32>,
    #[serde(flatten)]
    playouts: Option<PlayoutsBody>,
    /// That a person plays it.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<OpeningBody>,
    pv: Vec<String>,
}

/// The name of an opening by language.
#[derive(Debug, Serialize)]
struct OpeningBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    en: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ja: Option<String>,
}

impl From<&Opening> for OpeningBody {
    fn from(opening: &Opening) -> OpeningBody {
        OpeningBody { en: opening.english.clone(), ja: opening.japanese.clone() }
    }
}

/// How hard a position is for a person.
#[derive(Debug, Serialize)]
struct DifficultyBody {
    expected_loss: f64,
    chance: f64,
}

impl From<Difficulty> for DifficultyBody {
    fn from(difficulty: Difficulty) -> DifficultyBody {
        DifficultyBody { expected_loss: hundredths(difficulty.expected_loss), chance: hundredths(difficulty.chance) }
    }
}

#[derive(Debug, Serialize)]
struct PlayoutsBody {
    visits: u64,
    win: f64,
    prior: f64,
}

impl LineBody {
    fn new(line: &Line, thought: &Thought) -> LineBody {
        let (source, book_lines) = match line.source {
            Source::Search => ("search", None),
            Source::Book { games } => ("book", Some(games)),
            Source::Rules => ("rules", None),
        };
        LineBody {
            best: line.moves.first().cloned(),
            value: hundredths(line.value),
            bound: bound_word(line.bound),
            depth: line.depth.into(),
            source,
            book_lines,
            playouts: line.playouts.map(|p| PlayoutsBody { visits: p.visits, win: p.win_rate, prior: p.prior }),
            probability: thought.probability(line.best()).map(|p| (p * 1000.0).round() / 1000.0),
            opening: thought.opening(line.best()).map(OpeningBody::from),
            pv: line.moves.clone(),
        }
    }
}

/// `None`: the value is exact.
const fn bound_word(bound: Bound) -> Option<&'static str> {
    match bound {
        Bound::Exact => None,
        Bound::AtLeast => Some("at least"),
        Bound::AtMost => Some("at most"),
    }
}

/// No noise behind the second decimal, and no minus zero.
fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}

#[derive(Debug, Serialize)]
struct JudgedBody {
    ply: usize,
    colour: String,
    played: Option<String>,
    value: Option<f64>,
    best: Option<String>,
    best_value: f64,
    loss: f64,
    #[serde(flatten)]
    depth: DepthBody,
    #[serde(skip_serializing_if = "Option::is_none")]
    difficulty: Option<DifficultyBody>,
    /// What the played move led to.
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<OpeningBody>,
}

impl From<&Judged> for JudgedBody {
    fn from(judged: &Judged) -> JudgedBody {
        JudgedBody {
            ply: judged.ply,
            colour: judged.colour.to_string(),
            played: judged.played.clone(),
            value: judged.played_value.map(hundredths),
            best: judged.best.clone(),
            best_value: hundredths(judged.best_value),
            loss: hundredths(judged.loss()),
            depth: judged.depth.into(),
            difficulty: None,
            opening: None,
        }
    }
}

fn thought(thought: &Thought, chosen: Option<(Colour, &str)>) -> Body {
    let first = thought.lines.first();
    // At the end of the game there is a value and no move.
    let best = match (chosen, first) {
        (_, Some(line)) if line.moves.is_empty() => None,
        (Some((_, best)), _) => Some(best.to_owned()),
        (None, line) => line.map(|line| line.best().to_owned()),
    };
    let valued = thought.lines.iter().find(|line| Some(line.best()) == best.as_deref()).or(first);
    Body::Thought(ThoughtBody {
        best,
        colour: chosen.map(|(colour, _)| colour.to_string()),
        value: valued.map(|line| hundredths(line.value)),
        bound: valued.and_then(|line| bound_word(line.bound)),
        lines: thought.lines.iter().map(|line| LineBody::new(line, thought)).collect(),
        difficulty: thought.difficulty.map(DifficultyBody::from),
        nodes: thought.nodes,
        time: (thought.elapsed.as_secs_f64() * 1000.0).round() / 1000.0,
        complete: thought.complete,
    })
}

fn judged(judged: &Judged, difficulty: Option<Difficulty>, opening: Option<&Opening>) -> JudgedBody {
    let difficulty = difficulty.map(DifficultyBody::from);
    JudgedBody { difficulty, opening: opening.map(OpeningBody::from), ..judged.into() }
}

fn analysis(analysis: &Analysis) -> Body {
    Body::Analysis {
        analysis: analysis
            .moves
            .iter()
            .map(|j| judged(j, analysis.difficulty(j.ply), analysis.opening(j.ply + 1)))
            .collect(),
        summary: tables::table_json(&analysis.summary),
        complete: analysis.complete,
    }
}

fn outcome(given: &Outcome) -> Body {
    match given {
        Outcome::Move { colour, best, thought: found } => thought(found, Some((*colour, best))),
        Outcome::Thought(found) => thought(found, None),
        Outcome::Analysis(found) => analysis(found),
        Outcome::Report(report) => Body::Report { report: tables::json(report) },
        Outcome::Done(_) => Body::Empty,
    }
}

fn error(refusal: &CommandError, language: &Language) -> Body {
    let message = language.say(&refusal.message).into_owned();
    Body::Error { code: refusal.kind.code(), field: refusal.field.clone(), message }
}

/// The id as it came.
fn id(id: &Id) -> Option<Value> {
    match id {
        Id::None => None,
        Id::Number(n) => Some((*n).into()),
        Id::Json(text) => serde_json::from_str(text).ok(),
    }
}

impl Message {
    fn new(to: &Id, kind: Kind, body: Body) -> Message {
        Message { id: id(to), kind, body, warnings: vec![] }
    }

    /// The same with what has had no effect.
    pub fn with_warnings(self, warnings: &[Warning], language: &Language) -> Message {
        let said =
            |warning: &Warning| Warning { message: language.say(&warning.message).into_owned(), ..warning.clone() };
        Message { warnings: warnings.iter().map(said).collect(), ..self }
    }

    /// An answer that is ready.
    pub fn fields(to: &Id, fields: Map<String, Value>) -> Message {
        Message::new(to, Kind::Answer, Body::Fields(fields))
    }

    /// Sentences for people are in their language; all that programs read is the same in every language.
    pub fn reply(to: &Id, reply: &Reply, language: &Language) -> Message {
        let (kind, body) = match reply {
            Reply::Refused(refusal) => (Kind::Error, error(refusal, language)),
            Reply::Done(notices) if !notices.is_empty() => {
                let notices = notices.iter().map(|notice| language.say(notice).into_owned()).collect();
                (Kind::Answer, Body::Notices { notices })
            }
            Reply::Done(_) | Reply::Bye => (Kind::Answer, Body::Empty),
            Reply::Text(text) => (Kind::Answer, Body::Text { text: text.clone() }),
            Reply::Report(report) => (Kind::Answer, outcome(&Outcome::Report(report.clone()))),
            Reply::Settings(rows) => (
                Kind::Answer,
                Body::Options { options: rows.iter().map(|row| OptionBody::new(row, language)).collect() },
            ),
            Reply::Outcome(given) => (Kind::Answer, outcome(given)),
        };
        Message::new(to, kind, body)
    }

    pub fn progress(to: &Id, news: &Progress) -> Message {
        let body = match news {
            Progress::Thought(found) => thought(found, None),
            Progress::Judged(judged) => Body::Judged { judged: judged.into() },
            Progress::Work(work) => Body::Work(work.into()),
        };
        Message::new(to, Kind::Progress, body)
    }

    /// The message as one line.
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|e| {
            log::error!("{e}");
            r#"{"id":null,"type":"error","code":"unsupported","message":"the answer could not be written"}"#.into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::CommandErrorKind;
    use std::time::Duration;

    #[test]
    fn fields_keep_their_order() {
        let line = Line {
            moves: vec!["f5".into(), "d6".into()],
            value: 0.256,
            bound: Bound::AtLeast,
            source: Source::Book { games: 3 },
            depth: Depth { plies: 14, percent: 73, ..Depth::default() },
            playouts: None,
        };
        let found = Thought {
            lines: vec![line],
            nodes: 99,
            elapsed: Duration::from_micros(12345),
            complete: true,
            ..Thought::default()
        };
        let reply = Reply::Outcome(Outcome::Move { colour: Colour::Black, best: "f5".into(), thought: found });
        let expected = concat!(
            r#"{"id":"q1","type":"answer","move":"f5","colour":"black","value":0.26,"bound":"at least","lines":[{"move":"f5","value":0.26,"#,
            r#""bound":"at least","depth":14,"percent":73,"solved":false,"source":"book","book_lines":3,"pv":["f5","d6"]}],"#,
            r#""nodes":99,"time":0.012,"complete":true}"#
        );
        assert_eq!(Message::reply(&Id::Json("\"q1\"".into()), &reply, &Language::default()).line(), expected);
    }

    #[test]
    fn errors_have_a_code_and_a_field() {
        let refusal = CommandError::new(CommandErrorKind::Range, "too\nmuch").in_field("level");
        let expected = r#"{"id":7,"type":"error","code":"range","field":"level","message":"too\nmuch"}"#;
        assert_eq!(
            Message::reply(&Id::Json("7".into()), &Reply::Refused(refusal), &Language::default()).line(),
            expected
        );
        assert_eq!(
            Message::reply(&Id::None, &Reply::Done(vec![]), &Language::default()).line(),
            r#"{"id":null,"type":"answer"}"#
        );
    }

    #[test]
    fn values_that_are_no_numbers_do_no_harm() {
        assert_eq!(hundredths(-0.001).to_string(), "0");
        let found = Thought::default();
        let text = Message::reply(&Id::None, &Reply::Outcome(Outcome::Thought(found)), &Language::default()).line();
        assert!(text.contains(r#""move":null"#) && text.contains(r#""value":null"#), "{text}");
    }
}
