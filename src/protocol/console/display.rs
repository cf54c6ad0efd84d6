//! Options of what a person sees. They stand beside those of the game and the session, at a terminal only: scripts have
//! no use for them.

use crate::{
    base::settings::{self, Kind, Setting, SettingView, Value},
    engine::Answer,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Display {
    /// Where the terminal has colours and `NO_COLOR` is not set.
    pub colour: bool,
    /// Values of moves are shown unasked.
    pub values: bool,
    /// After each move so many hints.
    pub hint_auto: usize,
}

impl Default for Display {
    fn default() -> Display {
        Display { colour: true, values: true, hint_auto: 0 }
    }
}

pub const TABLE: &[Setting<Display>] = &[
    Setting {
        name: "colour",
        kind: Kind::Flag,
        help: "show the board in colours, where the terminal has them and NO_COLOR is not set",
        get: |o| Value::Flag(o.colour),
        put: |o, v| o.colour = v.flag(),
    },
    Setting {
        name: "values",
        kind: Kind::Flag,
        help: "show values of moves without being asked: in the engine's sentence, while thinking, as hints after each move",
        get: |o| Value::Flag(o.values),
        put: |o, v| o.values = v.flag(),
    },
    Setting {
        name: "hint-auto",
        kind: Kind::Whole { min: 0, max: 64 },
        help: "hints for so many moves after each move, stopped by the next line (0 = none)",
        get: |o| Value::Whole(o.hint_auto as i64),
        put: |o, v| o.hint_auto = v.whole(),
    },
];

impl Display {
    pub fn has(name: &str) -> bool {
        TABLE.iter().any(|setting| setting.name.eq_ignore_ascii_case(name.trim()))
    }

    pub fn settings(&self) -> Vec<SettingView> {
        settings::view(TABLE, self)
    }

    /// Changes one option; on an error nothing has changed.
    pub fn set(&mut self, name: &str, value: &str) -> Answer<()> {
        Ok(settings::set(TABLE, self, name.trim(), value)?)
    }
}
