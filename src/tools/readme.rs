//! The README's tables come out of the code: this test fails when they differ, and `UPDATE=1` rewrites them.

use crate::{
    engine::Engine,
    go::GoEngine,
    othello::OthelloEngine,
    protocol::{CommandHelp, Manners, console::help, gtp, nboard},
};
use std::{fs, path::Path};

/// A table and the name of the marks it stands between: `<!-- NAME -->` and `<!-- /NAME -->`.
fn tables() -> Vec<(&'static str, String)> {
    let (othello, go) = (OthelloEngine::new(), GoEngine::new());
    let commands = [
        "### Console\n".to_owned(),
        help::commands_markdown(),
        "\nOf Othello:\n".into(),
        help::own_commands_markdown(othello.commands()),
        "\nOf Go:\n".into(),
        help::own_commands_markdown(go.commands()),
        "\n### GTP\n".into(),
        listed(&gtp::commands()),
        "\n### NBoard\n".into(),
        listed(&nboard::commands()),
    ];
    let options = [
        "### Othello\n".to_owned(),
        help::options_markdown(&othello.settings()),
        "\n### Go\n".into(),
        help::options_markdown(&go.settings()),
        "\n### The session, whatever game it plays\n".into(),
        help::options_markdown(&Manners::default().settings()),
    ];
    vec![("commands", commands.join("\n")), ("options", options.join("\n"))]
}

fn listed(commands: &[CommandHelp]) -> String {
    let row = |c: &CommandHelp| format!("| `{}` | {} |", c.usage.replace('|', "\\|"), c.help.replace('|', "\\|"));
    let head = ["| command | meaning |".to_owned(), "|---|---|".to_owned()];
    head.into_iter().chain(commands.iter().map(row)).collect::<Vec<_>>().join("\n")
}

/// The text with `table` between its marks; `None` without marks.
fn with_table(text: &str, name: &str, table: &str) -> Option<String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&open)?;
    let (_, after) = rest.split_once(&close)?;
    Some(format!("{before}{open}{table}\n{close}{after}"))
}

#[test]
fn the_readme_shows_what_there_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let old = fs::read_to_string(&path).expect("the README is there");
    let mut new = old.clone();
    for (name, table) in tables() {
        new = with_table(&new, name, &table).unwrap_or_else(|| panic!("the README has no marks for {name}"));
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &new).expect("the README can be written");
    } else {
        assert!(new == old, "the README's tables are old: `UPDATE=1 cargo test readme` renews them");
    }
}

#[test]
fn tables_go_between_their_marks() {
    let text = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n";
    assert_eq!(with_table(text, "x", "new").as_deref(), Some("a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"));
    assert_eq!(with_table(text, "y", "new"), None);
}
