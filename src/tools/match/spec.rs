//! The description of an engine: on the command line, in a match file, and what follows from it.

use super::{
    client::{
        Abilities, Adapter, BUILT_IN_ADAPTERS, ConsolePlayer, Failure, GtpHabits, GtpPlayer, Maker, NboardPlayer,
        OwnPlayer, Player, Talk, fill, unfilled,
    },
    clock::{ClockSource, TimeControl},
    process::{Launch, Process},
    referee::GameKind,
};
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

pub type Adapters = BTreeMap<String, Adapter>;

/// As it is written, on the command line or in a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EngineSpec {
    #[serde(deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Program and arguments; `{level}`, `{depth}`, `{nodes}` and `{threads}` are filled in.
    #[serde(deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub cmd: Option<String>,
    /// `gtp`, `nboard`, `self`, or the name of a console.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proto: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    #[serde(deserialize_with = "texts", skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// A time control of its own, for games with time odds.
    #[serde(deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    pub tc: Option<String>,
    /// Other settings, sent the way of the protocol and in this order: one may set others.
    #[serde(deserialize_with = "texts", skip_serializing_if = "IndexMap::is_empty")]
    pub option: IndexMap<String, String>,
    /// How they are sent: `set_option {name} {value}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option_line: Option<String>,
    /// Lines sent as they are, after the start.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub send: Vec<String>,
    /// GTP: do not send passes; the engine refuses them and notices by itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub swallow_passes: bool,
    /// GTP: times with decimals.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decimal_times: bool,
    /// A fresh process for every game.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub restart: bool,
}

/// A description that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("engine `{0}`: {1}")]
    Text(String, String),
    #[error("two engines are called `{0}`")]
    SameName(String),
}

/// An engine ready to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct Engine {
    pub name: String,
    pub threads: u64,
    pub control: Option<TimeControl>,
    pub restart: bool,
    language: Language,
    launch: Launch,
    /// What it is sent at the start.
    opening_lines: Vec<String>,
    pub spec: EngineSpec,
}

#[derive(Debug, Clone, PartialEq)]
enum Language {
    /// In this process.
    Own,
    Gtp(GtpHabits),
    Nboard,
    Console(Box<Adapter>),
}

/// What starting an engine takes.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    pub game: GameKind,
    /// How long it may take to start.
    pub patience: Duration,
    /// How long it may take for everything but thinking.
    pub reply_patience: Duration,
    /// What its thinking is counted in.
    pub clock: ClockSource,
    /// Makes our own engine.
    pub make: Maker,
}

impl EngineSpec {
    /// `self:level=10,threads=1`, or `name=x,cmd="engine --gtp",proto=gtp,depth=12`.
    pub fn from_text(input: &str) -> Result<EngineSpec, SpecError> {
        let error = |why: String| SpecError::Text(input.into(), why);
        let own = input.strip_prefix("self");
        let pairs = match own {
            Some("") => "",
            Some(rest) => rest.strip_prefix(':').ok_or_else(|| error("write self:level=10,…".into()))?,
            None => input,
        };
        let mut table = toml::Table::new();
        for part in split_outside_quotes(pairs, ',').map_err(error)? {
            let (key, value) = part.split_once('=').ok_or_else(|| error(format!("`{part}` is not NAME=VALUE")))?;
            insert(&mut table, key.trim(), value.trim(), own.is_some());
        }
        if own.is_some() {
            table.insert("proto".into(), "self".into());
        }
        table.try_into().map_err(|e: toml::de::Error| error(e.message().into()))
    }
}

/// What an engine in this process is told by field; all else is a setting of its own.
const FIELDS_OF_OWN: [&str; 7] = ["name", "tc", "level", "depth", "nodes", "threads", "restart"];

fn insert(table: &mut toml::Table, key: &str, value: &str, own: bool) {
    let value = scalar(value.trim_matches('"'));
    match key.split_once('.') {
        Some((group @ ("env" | "option"), name)) => insert_inside(table, group, name, value),
        _ if own && !FIELDS_OF_OWN.contains(&key) => insert_inside(table, "option", key, value),
        _ if key == "send" => match table.entry(key).or_insert_with(|| toml::Value::Array(Vec::new())) {
            toml::Value::Array(lines) => lines.push(toml::Value::String(as_text(value))),
            _ => unreachable!("made an array above"),
        },
        _ => {
            table.insert(key.into(), value);
        }
    }
}

fn insert_inside(table: &mut toml::Table, group: &str, name: &str, value: toml::Value) {
    if let toml::Value::Table(inner) = table.entry(group).or_insert_with(|| toml::Value::Table(toml::Table::new())) {
        inner.insert(name.into(), value);
    }
}

/// The type a match file would have given the value.
fn scalar(text: &str) -> toml::Value {
    match (text.parse::<i64>(), text.parse::<bool>()) {
        (Ok(number), _) if number.to_string() == text => number.into(),
        (_, Ok(truth)) => truth.into(),
        _ => text.into(),
    }
}

fn as_text(value: toml::Value) -> String {
    match value {
        toml::Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A name may look like a number.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    toml::Value::deserialize(from).map(|value| Some(as_text(value)))
}

fn texts<'de, D: Deserializer<'de>, T: FromIterator<(String, String)>>(from: D) -> Result<T, D::Error> {
    let table = toml::Table::deserialize(from)?;
    Ok(table.into_iter().map(|(key, value)| (key, as_text(value))).collect())
}

fn list<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match toml::Value::deserialize(from)? {
        toml::Value::Array(lines) => lines.into_iter().map(as_text).collect(),
        one => vec![as_text(one)],
    })
}

/// Splits at `separator`, but not inside double or single quotes. The quotes stay.
fn split_outside_quotes(input: &str, separator: char) -> Result<Vec<String>, String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in input.chars() {
        match quote {
            Some(open) if open == c => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == separator => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    match quote {
        Some(open) => Err(format!("a quote {open} is not closed")),
        None => Ok(parts.into_iter().filter(|part| !part.trim().is_empty()).collect()),
    }
}

/// Words of a command line; quotes keep blanks and are taken off.
fn words(command: &str) -> Result<Vec<String>, String> {
    let unquote = |word: String| word.replace(['"', '\''], "");
    let blanks = command.replace(['\t', '\n'], " ");
    Ok(split_outside_quotes(&blanks, ' ')?.into_iter().map(unquote).collect())
}

/// Makes engines of descriptions: fills in what was left out, and finds what cannot work.
pub fn resolve(specs: &[EngineSpec], adapters: &Adapters, base: &Path) -> Result<Vec<Engine>, SpecError> {
    let mut engines: Vec<Engine> = Vec::new();
    for spec in specs {
        let mut name = spec.name.clone().unwrap_or_else(|| default_name(spec));
        let taken = |name: &str, engines: &[Engine]| engines.iter().any(|engine| engine.name == name);
        if taken(&name, &engines) {
            if spec.name.is_some() {
                return Err(SpecError::SameName(name));
            }
            let stem = name.clone();
            name = (2..).map(|n| format!("{stem}-{n}")).find(|name| !taken(name, &engines)).unwrap_or(stem);
        }
        let error = |why: String| SpecError::Text(name.clone(), why);
        engines.push(engine(name.clone(), spec, adapters, base).map_err(error)?);
    }
    Ok(engines)
}

fn default_name(spec: &EngineSpec) -> String {
    let stem = match &spec.cmd {
        Some(cmd) => {
            let program = words(cmd).ok().and_then(|words| words.into_iter().next()).unwrap_or_default();
            Path::new(&program).file_stem().map_or(program.clone(), |stem| stem.to_string_lossy().into_owned())
        }
        None => "self".into(),
    };
    let setting = |letter: &str, value: Option<u64>| value.map(|n| format!("-{letter}{n}")).unwrap_or_default();
    format!("{stem}{}{}{}", setting("l", spec.level), setting("d", spec.depth), setting("n", spec.nodes))
}

fn engine(name: String, spec: &EngineSpec, adapters: &Adapters, base: &Path) -> Result<Engine, String> {
    let control =
        spec.tc.as_deref().map(str::parse).transpose().map_err(|e: super::clock::NotATimeControl| e.to_string())?;
    let language = language(spec, adapters)?;
    let threads = spec.threads.unwrap_or(1).max(1);
    let numbers = [("level", spec.level), ("depth", spec.depth), ("nodes", spec.nodes), ("threads", Some(threads))];
    let values: Vec<(&str, String)> = numbers.iter().filter_map(|&(k, v)| v.map(|v| (k, v.to_string()))).collect();
    let places: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();

    let filled = |line: &str| {
        let line = fill(line, &places);
        match unfilled(&line) {
            Some(place) => Err(format!("`{line}` needs a value for {place}")),
            None => Ok(line),
        }
    };
    let mut launch = Launch::default();
    if let Some(cmd) = &spec.cmd {
        let mut parts = words(&filled(cmd)?)?.into_iter();
        launch.program = parts.next().ok_or("cmd is empty")?;
        launch.args = parts.collect();
        launch.dir = Some(spec.dir.as_ref().map_or(base.into(), |dir| base.join(dir)));
        launch.env = spec.env.clone().into_iter().collect();
    }
    let mut opening_lines = Vec::new();
    for (key, value) in &places {
        let in_text = |line: &String| line.contains(&format!("{{{key}}}"));
        let told = spec.cmd.iter().chain(&spec.send).any(in_text);
        let by_option =
            || spec.option_line.as_ref().map(|line| fill(line, &[("name", key), ("value", &format!("{{{key}}}"))]));
        match language.setting_line(key).or_else(by_option) {
            Some(template) => opening_lines.push(fill(&template, &[(key, value)])),
            // An engine that cannot be told its threads has its own; anything else would make the match another one.
            None if told || *key == "threads" => {}
            None => return Err(format!("its protocol cannot set the {key}: put {{{key}}} into cmd or send")),
        }
    }
    for (option, value) in &spec.option {
        let template = spec.option_line.clone().or_else(|| language.option_line()).ok_or_else(|| {
            format!(
                "its protocol has no way to set `{option}`: give option-line = \"… {{name}} {{value}}\", or use send"
            )
        })?;
        opening_lines.push(fill(&template, &[("name", option), ("value", value)]));
    }
    for line in &spec.send {
        opening_lines.push(filled(line)?);
    }
    Ok(Engine { name, threads, control, restart: spec.restart, language, launch, opening_lines, spec: spec.clone() })
}

fn language(spec: &EngineSpec, adapters: &Adapters) -> Result<Language, String> {
    let proto = spec.proto.as_deref().unwrap_or(if spec.cmd.is_some() { "gtp" } else { "self" });
    let language = match proto {
        "self" => Language::Own,
        "gtp" => Language::Gtp(GtpHabits { swallow_passes: spec.swallow_passes, decimal_times: spec.decimal_times }),
        "nboard" => Language::Nboard,
        other => {
            let known = || adapters.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            let unknown = || format!("proto `{other}` is none of gtp, nboard, self, {}", known());
            Language::Console(Box::new(adapters.get(other).cloned().ok_or_else(unknown)?))
        }
    };
    match (&language, &spec.cmd) {
        (Language::Own, Some(_)) => Err("proto self runs in this process and has no cmd".into()),
        (Language::Own, None) if spec.dir.is_some() || !spec.env.is_empty() || !spec.send.is_empty() => {
            Err("proto self has no dir, env or send".into())
        }
        (Language::Gtp(_) | Language::Nboard | Language::Console(_), None) => Err("cmd is missing".into()),
        _ => Ok(language),
    }
}

impl Language {
    fn setting_line(&self, key: &str) -> Option<String> {
        match self {
            // The own player takes `name value`.
            Language::Own => Some(format!("{key} {{{key}}}")),
            Language::Gtp(_) => None,
            Language::Nboard => matches!(key, "depth" | "level").then(|| format!("set depth {{{key}}}")),
            Language::Console(adapter) => match key {
                "level" => adapter.level.clone(),
                "depth" => adapter.depth.clone(),
                "nodes" => adapter.nodes.clone(),
                "threads" => adapter.threads.clone(),
                _ => None,
            },
        }
    }

    fn option_line(&self) -> Option<String> {
        match self {
            Language::Own => Some("{name} {value}".into()),
            Language::Gtp(_) => None,
            Language::Nboard => Some("set {name} {value}".into()),
            Language::Console(adapter) => adapter.option.clone(),
        }
    }
}

impl Engine {
    /// Where its dialogue is logged.
    pub fn with_log(mut self, log: Option<PathBuf>) -> Engine {
        self.launch.log = log;
        self
    }

    /// Starts it and says hello.
    pub fn start(&self, how: &Start, stop: &Arc<AtomicBool>) -> Result<(Box<dyn Player>, Abilities), Failure> {
        let lines = &self.opening_lines;
        let process = || {
            let failed = |error: std::io::Error| Failure::Start(format!("{}: {error}", self.launch.program));
            let process = Process::start(&self.launch, stop.clone()).map_err(failed)?;
            if how.clock == ClockSource::Cpu {
                process.cpu_time().map_err(|error| Failure::Start(format!("--clock cpu: {error}")))?;
            }
            Ok(process)
        };
        let talk = || process().map(|process| Talk::new(process, how.reply_patience, how.clock));
        Ok(match &self.language {
            Language::Own => boxed(OwnPlayer::start(how, lines, stop.clone())?),
            Language::Gtp(habits) => boxed(GtpPlayer::start(talk()?, *habits, lines, how.patience)?),
            Language::Nboard => boxed(NboardPlayer::start(talk()?, lines, how.patience)?),
            Language::Console(adapter) => {
                let adapter = (**adapter).clone();
                boxed(ConsolePlayer::start(talk()?, adapter, lines, how.patience)?)
            }
        })
    }
}

fn boxed<P: Player + 'static>((player, abilities): (P, Abilities)) -> (Box<dyn Player>, Abilities) {
    (Box::new(player), abilities)
}

/// The consoles known without a file.
pub fn built_in_adapters() -> Adapters {
    toml::from_str(BUILT_IN_ADAPTERS).expect("a test reads the descriptions in the source")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Engine, String> {
        let spec = EngineSpec::from_text(text).map_err(|e| e.to_string())?;
        let engines = resolve(&[spec], &built_in_adapters(), Path::new("/base")).map_err(|e| e.to_string())?;
        Ok(engines.into_iter().next().unwrap())
    }

    #[test]
    fn a_process_on_the_command_line() {
        let engine =
            one("name=nt,cmd=\"./ntest -x 'a b', c\",proto=nboard,depth=12,dir=run,env.HOME=/tmp,option.contempt=0")
                .unwrap();
        assert_eq!(engine.name, "nt");
        assert_eq!(engine.launch.program, "./ntest");
        assert_eq!(engine.launch.args, ["-x", "a b,", "c"]);
        assert_eq!(engine.launch.dir.as_deref(), Some(Path::new("/base/run")));
        assert_eq!(engine.launch.env, [("HOME".into(), "/tmp".into())]);
        assert_eq!(engine.opening_lines, ["set depth 12", "set contempt 0"]);
    }

    #[test]
    fn settings_are_sent_in_their_order() {
        let sent = |text: &str| one(text).unwrap().opening_lines;
        assert_eq!(sent("self:player=uct,eye=strict"), ["threads 1", "player uct", "eye strict"]);
        assert_eq!(sent("self:eye=strict,player=uct"), ["threads 1", "eye strict", "player uct"]);
        let file: EngineSpec =
            toml::from_str("proto = \"self\"\noption = { player = \"uct\", eye = \"strict\" }").unwrap();
        assert_eq!(file, EngineSpec::from_text("self:player=uct,eye=strict").unwrap());
        assert_eq!(file.option.keys().collect::<Vec<_>>(), ["player", "eye"]);
    }

    #[test]
    fn our_own_engine() {
        let engine = one("self:level=10,threads=2,eval=some file.bin,tc=5:00+2").unwrap();
        assert_eq!(engine.name, "self-l10");
        assert_eq!(engine.language, Language::Own);
        assert_eq!(engine.opening_lines, ["level 10", "threads 2", "eval some file.bin"]);
        assert_eq!(engine.control, "300+2".parse().ok());
        assert_eq!(one("self").unwrap().name, "self");
    }

    #[test]
    fn settings_go_where_they_can() {
        let engine = one("cmd=engine -l {level} -t {threads},level=3,threads=4").unwrap();
        assert_eq!(engine.launch.args, ["-l", "3", "-t", "4"]);
        assert_eq!(engine.name, "engine-l3");
        assert_eq!(one("cmd=engine,level=3,send=set_level {level}").unwrap().opening_lines, ["set_level 3"]);
        assert_eq!(
            one("cmd=e,proto=edax,level=5,option.book-usage=off").unwrap().opening_lines,
            ["level 5", "n-tasks 1", "book-usage off"]
        );
        let engine = one("cmd=e,option.a=1,option-line=set_option {name} {value},send=komi 0,send=x").unwrap();
        assert_eq!(engine.opening_lines, ["set_option threads 1", "set_option a 1", "komi 0", "x"]);
        let ours = one("cmd=shirokuro gtp,option-line=shirokuro-set {name} {value},level=7").unwrap();
        assert_eq!(ours.opening_lines, ["shirokuro-set level 7", "shirokuro-set threads 1"]);
    }

    #[test]
    fn what_cannot_work_is_named() {
        for (text, expected) in [
            ("nonsense", "NAME=VALUE"),
            ("cmd=x,colour=red", "unknown field `colour`"),
            ("cmd=x,proto=morse", "none of gtp, nboard, self, console, edax, egaroucid"),
            ("proto=gtp", "cmd is missing"),
            ("cmd=x,level=3", "cannot set the level"),
            ("cmd=x -l {level}", "needs a value for level"),
            ("cmd=x,option.a=1", "no way to set `a`"),
            ("cmd=x,proto=self", "has no cmd"),
            ("cmd=\"x", "not closed"),
            ("cmd=x,tc=soon", "not a time control"),
            ("cmd=x,depth=deep,proto=nboard", "invalid type"),
            ("selfish", "self:level"),
        ] {
            let error = one(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn names_are_made_different_or_refused() {
        let spec = |text: &str| EngineSpec::from_text(text).unwrap();
        let names = |specs: &[EngineSpec]| {
            resolve(specs, &built_in_adapters(), Path::new("."))
                .map(|engines| engines.into_iter().map(|engine| engine.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[spec("self"), spec("self"), spec("self")]).unwrap(), ["self", "self-2", "self-3"]);
        assert_eq!(names(&[spec("name=a,cmd=x"), spec("name=a,cmd=y")]), Err(SpecError::SameName("a".into())));
    }

    #[test]
    fn a_description_goes_through_a_file() {
        let spec = EngineSpec::from_text("name=12,cmd=x y,proto=nboard,depth=3,restart=true,env.A=1,send=q").unwrap();
        let text = toml::to_string(&spec).unwrap();
        assert_eq!(toml::from_str::<EngineSpec>(&text).unwrap(), spec, "{text}");
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<EngineSpec>(&json).unwrap(), spec, "{json}");
    }
}
