//! A person's terminal: lines are edited while output comes, what goes on is shown in one place, and the terminal is
//! left as it was found. What is shown is made by `protocol/console`; this room only knows lines.

mod editor;
mod history;
mod mode;
mod screen;

pub use editor::Editor;
pub use history::History;
pub use mode::Mode;
pub use screen::Screen;

use crate::protocol::console::Face;
use std::io::{self, IsTerminal};

/// Somebody sits there.
pub fn is_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// What the terminal can show.
pub fn face() -> Face {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let term = variable("TERM").unwrap_or_else(|| "dumb".into());
    let moves = term != "dumb" && term != "unknown" && term != "emacs";
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    Face {
        moves,
        colours: moves && variable("NO_COLOR").is_none(),
        many_colours: term.contains("256") || variable("COLORTERM").is_some(),
        unicode: locale.contains("utf-8") || locale.contains("utf8") || cfg!(windows),
        size: || {
            let (rows, columns) = console::Term::stdout().size();
            (usize::from(columns), usize::from(rows))
        },
    }
}
