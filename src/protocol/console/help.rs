//! `help`.

use super::{
    commands::{Entry, Group, TABLE, at_a_terminal, find},
    face::wrap,
};
use crate::{
    base::{Language, settings::SettingView},
    engine::{
        Answer, CommandError, CommandErrorKind, Engine,
        command::{About, Topic},
    },
    protocol::tables::{excerpt, shown},
};

/// The program as it calls itself.
pub const NAME: &str = "Shirokuro";

/// The whole list, or more about one command, command of the game, or option. With a width for a person, it fits.
pub fn help(
    topic: &str,
    engine: &dyn Engine,
    settings: &[SettingView],
    language: &Language,
    width: Option<usize>,
) -> Answer<String> {
    let topic = topic.trim();
    if topic.is_empty() {
        return Ok(overview(engine, settings, language, width));
    }
    let words: Vec<&str> = topic.split_whitespace().collect();
    let command = engine.commands().find(words[0]);
    if let (Some(command), [_, verb, ..]) = (command, words.as_slice())
        && let Some(topic) = engine.commands().topics(command.name).iter().find(|t| t.name.eq_ignore_ascii_case(verb))
    {
        return Ok(about_topic(&command, topic, language));
    }
    // What is in the table of the console and in that of the game does both.
    let known = [
        find(words[0]).map(|entry| about(entry, language, width.is_some())),
        command.map(|own| about_own(&own, language)),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    if !known.is_empty() && (words.len() == 1 || find(topic).is_none()) {
        return Ok(known.join("\n\n"));
    }
    if let Some(setting) = settings.iter().find(|setting| setting.is_called(topic)) {
        return Ok(option(setting, language));
    }
    Err(CommandError::new(
        CommandErrorKind::Unsupported,
        format!("no help about `{}`; `help` lists all commands", excerpt(topic)),
    ))
}

fn about_own(about: &About, language: &Language) -> String {
    let example = language.say(&format!("Example: {}", about.example)).into_owned();
    format!("{}\n{}\n{example}", about.usage, language.say(about.help))
}

fn about_topic(command: &About, topic: &Topic, language: &Language) -> String {
    let ways = topic.usage.split(" | ").map(|way| format!("{} {way}", command.name));
    let mut lines: Vec<String> = ways.collect();
    lines.push(language.say(topic.help).into_owned());
    if !topic.defaults.is_empty() {
        lines.push(language.say(topic.defaults).into_owned());
    }
    lines.push(language.say(&format!("Example: {}", topic.example)).into_owned());
    lines.join("\n")
}

fn about(entry: &Entry, language: &Language, person: bool) -> String {
    let mut lines = vec![entry.usage()];
    let more = if person { at_a_terminal(entry.name) } else { &[] };
    lines.extend(more.iter().map(|way| format!("{} {way}", entry.name)));
    lines.push(language.say(entry.help).into_owned());
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

fn overview(engine: &dyn Engine, settings: &[SettingView], language: &Language, width: Option<usize>) -> String {
    let row = |usage: &str, help: &str| row(usage, &language.say(help), width);
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
    if width.is_some() {
        // What a newcomer needs most stands where it is still seen.
        let welcome = lines.remove(0);
        lines.push(format!("\n{welcome}"));
    }
    lines.join("\n").trim_start().to_owned()
}

const WIDTH: usize = 20;

/// A usage that is too long for its column stands on a line of its own.
fn row(usage: &str, help: &str, width: Option<usize>) -> String {
    let usage = short_usage(usage);
    let indent = format!("\n  {:WIDTH$}  ", "");
    let help = match width {
        Some(width) => wrap(help, width.saturating_sub(WIDTH + 4).max(WIDTH), 0).join(&indent),
        None => help.to_owned(),
    };
    match usage.chars().count() {
        0..=WIDTH => format!("  {usage:WIDTH$}  {help}"),
        _ => format!("  {usage}{indent}{help}"),
    }
}

/// Of several ways to write a command the first.
fn short_usage(usage: &str) -> &str {
    usage.split(" | ").next().unwrap_or(usage)
}
