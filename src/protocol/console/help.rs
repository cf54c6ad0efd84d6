//! `help`.

use super::commands::{Entry, Group, TABLE, find};
use crate::{
    base::{Language, settings::SettingView},
    engine::{Answer, CommandError, CommandErrorKind, Engine},
    protocol::{
        SessionSettings,
        tables::{excerpt, shown},
    },
};

/// The program as it calls itself.
pub const NAME: &str = "Shirokuro";

/// The whole list, or more about one command, command of the game, or option.
pub fn help(topic: &str, engine: &dyn Engine, session_settings: &SessionSettings) -> Answer<String> {
    let language = session_settings.language();
    let settings = [engine.settings(), session_settings.settings()].concat();
    if topic.is_empty() {
        return Ok(overview(engine, &settings, language));
    }
    let called = |name: &str| name.eq_ignore_ascii_case(topic);
    if let Some(entry) = find(topic) {
        return Ok(about(entry, language));
    }
    if let Some(about) = engine.commands().find(topic) {
        let example = language.say(&format!("Example: {}", about.example)).into_owned();
        return Ok(format!("{}\n{}\n{example}", about.usage, language.say(about.help)));
    }
    if let Some(setting) = settings.iter().find(|s| called(s.name)) {
        return Ok(option(setting, language));
    }
    Err(CommandError::new(
        CommandErrorKind::Unsupported,
        format!("no help about `{}`; `help` lists all commands", excerpt(topic)),
    ))
}

fn about(entry: &Entry, language: &Language) -> String {
    let mut lines = vec![entry.usage(), language.say(entry.help).into_owned()];
    if !entry.more.is_empty() {
        lines.push(language.say(entry.more).into_owned());
    }
    if !entry.aliases.is_empty() {
        lines.push(language.say(&format!("Also: {}", entry.aliases.join(", "))).into_owned());
    }
    lines.join("\n")
}

fn option(setting: &SettingView, language: &Language) -> String {
    let SettingView { name, kind, help, .. } = setting;
    let (value, default) = (shown(&setting.value), shown(&setting.default));
    let range = format!("Takes {kind}. Now {value}, at the start {default}.");
    format!("{name} VALUE\n{}\n{}", language.say(help), language.say(&range))
}

fn overview(engine: &dyn Engine, settings: &[SettingView], language: &Language) -> String {
    let row = |usage: &str, help: &str| row(usage, &language.say(help));
    let welcome = format!(
        "{NAME} plays {}. Type a move such as {} to play it, `go` to let the engine move, `hint` to see what the moves \
         are worth, `mode 0` to play black against it.",
        engine.game(),
        engine.view().legal.last().map_or("f5", String::as_str),
    );
    let mut lines = vec![language.say(&welcome).into_owned()];
    for group in Group::ALL {
        lines.push(format!("\n{}", language.say(group.title())));
        lines.extend(TABLE.iter().filter(|e| e.own == group).map(|e| row(&e.usage(), e.help)));
    }
    let own = engine.commands().list();
    if !own.is_empty() {
        lines.push(format!("\n{}", language.say(engine.game().name())));
        lines.extend(own.iter().map(|about| row(about.usage, about.help)));
    }
    let names: Vec<&str> = settings.iter().map(|s| s.name).collect();
    let options = format!("Every option is a command too: {}.", names.join(", "));
    lines.push(format!("\n{}", language.say(&options)));
    lines.push(language.say("`help COMMAND` explains one.").into_owned());
    lines.join("\n")
}

const WIDTH: usize = 20;

/// A usage that is too long for its column stands on a line of its own.
fn row(usage: &str, help: &str) -> String {
    let usage = short_usage(usage);
    match usage.chars().count() {
        0..=WIDTH => format!("  {usage:WIDTH$}  {help}"),
        _ => format!("  {usage}\n  {:WIDTH$}  {help}", ""),
    }
}

/// Of several ways to write a command the first.
fn short_usage(usage: &str) -> &str {
    usage.split(" | ").next().unwrap_or(usage)
}
