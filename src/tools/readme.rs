//! The tables of commands and options in the docs come out of the code: this test fails when they differ, and `UPDATE=1`
//! rewrites them. The sessions in the README are typed too.

use crate::{
    base::settings::SettingView,
    engine::{Engine, command::Table},
    go::GoEngine,
    othello::OthelloEngine,
    protocol::{
        SessionSettings,
        command_table::{CommandHelp, Entry},
        console::{
            Display,
            commands::{self, Group},
        },
        gtp, nboard,
        tables::shown,
        uci,
    },
};
use std::{fs, path::Path};

/// A table and the name of the marks it stands between: `<!-- NAME -->` and `<!-- /NAME -->`.
fn tables() -> Vec<(&'static str, String)> {
    let (othello, go) = (OthelloEngine::new(), GoEngine::new());
    let commands = [
        "### Console\n".to_owned(),
        console_commands(),
        "\nOf Othello:\n".into(),
        own_commands(othello.commands()),
        "\nOf Go:\n".into(),
        own_commands(go.commands()),
        "\n### GTP\n".into(),
        listed(gtp::TABLE),
        "\n### NBoard\n".into(),
        listed(nboard::TABLE),
        "\n### UCI\n".into(),
        listed(uci::TABLE),
    ];
    let options = [
        "### Othello\n".to_owned(),
        options(&othello.settings()),
        "\n### Go\n".into(),
        options(&go.settings()),
        "\n### The session, whatever game it plays\n".into(),
        options(&SessionSettings::default().settings()),
        "\n### At a terminal\n".into(),
        options(&Display::default().settings()),
    ];
    vec![("commands", commands.join("\n")), ("options", options.join("\n"))]
}

/// A Markdown table.
fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let head = [line(head.iter().map(|cell| (*cell).into()).collect()), "|---".repeat(head.len()) + "|"];
    head.into_iter().chain(rows.map(line)).collect::<Vec<_>>().join("\n")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn code(text: &str) -> String {
    format!("`{}`", cell(text))
}

fn console_commands() -> String {
    let row = |CommandHelp { usage, aliases, help }: CommandHelp| {
        let aliases: Vec<String> = aliases.iter().map(|alias| code(alias)).collect();
        vec![code(&usage), aliases.join(" "), cell(help)]
    };
    let rows = Group::ALL.into_iter().flat_map(|group| {
        let title = vec![format!("**{}**", group.title()), String::new(), String::new()];
        let entries = commands::TABLE.iter().filter(move |entry| entry.own == group);
        std::iter::once(title).chain(entries.map(move |entry| row(entry.about())))
    });
    table(&["command", "also", "meaning"], rows)
}

fn own_commands(own: Table) -> String {
    table(&["command", "meaning"], own.list().iter().map(|about| vec![code(about.usage), cell(about.help)]))
}

fn listed<X, E>(entries: &[Entry<X, E>]) -> String {
    let row = |about: CommandHelp| vec![code(&about.usage), cell(about.help)];
    table(&["command", "meaning"], entries.iter().map(|entry| row(entry.about())))
}

fn options(settings: &[SettingView]) -> String {
    let row = |s: &SettingView| {
        // A default that follows the machine.
        let default = if s.name == "threads" { "all of the machine's".into() } else { shown(&s.default) };
        vec![code(s.name), cell(&s.kind.to_string()), cell(&default), cell(s.help)]
    };
    table(&["option", "takes", "default", "meaning"], settings.iter().map(row))
}

/// The text with `table` between its marks; `None` without marks.
fn with_table(text: &str, name: &str, table: &str) -> Option<String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&open)?;
    let (_, after) = rest.split_once(&close)?;
    Some(format!("{before}{open}{table}\n{close}{after}"))
}

#[test]
fn the_docs_show_what_there_is() {
    for (name, table) in tables() {
        let file = format!("src/protocol/{}.md", name.to_ascii_uppercase());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
        let old = fs::read_to_string(&path).expect("the file is there");
        let new = with_table(&old, name, &table).unwrap_or_else(|| panic!("{file} has no marks for {name}"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &new).expect("the file can be written");
        } else {
            assert!(new == old, "{file} is old: `UPDATE=1 cargo test readme` renews it");
        }
    }
}

#[test]
fn tables_go_between_their_marks() {
    let text = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n";
    assert_eq!(with_table(text, "x", "new").as_deref(), Some("a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"));
    assert_eq!(with_table(text, "y", "new"), None);
}
