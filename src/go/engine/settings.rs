//! The options of a game of Go beside those of its player: which rules hold, and how strictly.

use crate::{
    base::settings::{Kind, Setting, Value},
    go::Rules,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    pub rules: Rules,
    /// Take moves of others that superko forbids.
    pub accept_repetition: bool,
    /// The file of the network, or `own`; empty: none.
    pub net: String,
    /// The file of 3x3 patterns; empty: those built in.
    pub pattern_file: String,
}

impl Default for Options {
    fn default() -> Self {
        Options { rules: Rules::CHINESE, accept_repetition: false, net: String::new(), pattern_file: String::new() }
    }
}

const RULES: &[&str] = &{
    let mut names = [""; Rules::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Rules::ALL[i].name;
        i += 1;
    }
    names
};

pub const TABLE: &[Setting<Options>] = &[
    Setting {
        name: "rules",
        kind: Kind::Choice(RULES),
        help: "rule set; a game loaded from a file may bring its own",
        get: |o| Value::Text(o.rules.name.into()),
        put: |o, v| o.rules = v.text().parse().unwrap_or(o.rules),
    },
    Setting {
        name: "accept-repetition",
        kind: Kind::Flag,
        help: "accept moves that repeat a position against the rules",
        get: |o| Value::Flag(o.accept_repetition),
        put: |o, v| o.accept_repetition = v.flag(),
    },
    Setting {
        name: "net",
        kind: Kind::Text,
        help: "own: the network in the box; or a file with one of KataGo (.bin.gz, g170); makes the player `net` (empty = none)",
        get: |o| Value::Text(o.net.clone()),
        put: |o, v| o.net = v.text(),
    },
    Setting {
        name: "pattern-file",
        kind: Kind::Text,
        help: "file of 3x3 patterns for playouts and priors, as the program has them (empty = built in)",
        get: |o| Value::Text(o.pattern_file.clone()),
        put: |o, v| o.pattern_file = v.text(),
    },
];
