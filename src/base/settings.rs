//! Options as one typed table: name, range, default and help stand once, and every protocol and the command line
//! read and write through it.

use std::{fmt, time::Duration};

/// What a setting may hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Flag,
    Whole {
        min: i64,
        max: i64,
    },
    Real {
        min: f64,
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text; what the text means is checked by whoever uses it.
    Text,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Flag => f.write_str("on or off"),
            Kind::Whole { min, max } => write!(f, "{min} to {max}"),
            Kind::Real { min, max } => write!(f, "{min} to {max}, decimals allowed"),
            Kind::Choice(words) => f.write_str(&words.join(", ")),
            Kind::Text => f.write_str("text"),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Flag(bool),
    Whole(i64),
    Real(f64),
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(on) => f.write_str(if *on { "on" } else { "off" }),
            Value::Whole(n) => n.fmt(f),
            Value::Real(x) => x.fmt(f),
            Value::Text(text) => f.write_str(text),
        }
    }
}

impl Value {
    pub fn flag(&self) -> bool {
        matches!(self, Value::Flag(true))
    }

    /// The number as any integer type; the table's range has been checked before.
    pub fn whole<N: TryFrom<i64> + Default>(&self) -> N {
        match self {
            Value::Whole(n) => N::try_from(*n).unwrap_or_default(),
            _ => N::default(),
        }
    }

    pub fn real(&self) -> f64 {
        match self {
            Value::Real(x) => *x,
            Value::Whole(n) => *n as f64,
            _ => 0.0,
        }
    }

    pub fn text(&self) -> String {
        self.to_string()
    }

    /// Seconds; 0 means no limit.
    pub fn seconds(&self) -> Option<Duration> {
        let seconds = self.real();
        (seconds > 0.0).then(|| Duration::from_secs_f64(seconds))
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingError {
    #[error("there is no option `{0}`")]
    Unknown(String),
    #[error("`{value}` is not a value of {name}: it takes {kind}")]
    Range { name: &'static str, value: String, kind: Kind },
    #[error("{name}: {reason}")]
    Refused { name: &'static str, reason: String },
}

/// One row of a table of settings kept in an `O`.
pub struct Setting<O> {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
    pub get: fn(&O) -> Value,
    /// Stores a value that fits `kind`.
    pub put: fn(&mut O, Value),
}

/// A row as clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingView {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
    pub default: Value,
    pub value: Value,
    /// For those who tune the player; not shown to everybody.
    pub tuning: bool,
    /// What it was called before; scripts may still say so.
    pub former: Option<&'static str>,
}

impl SettingView {
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.trim();
        self.name.eq_ignore_ascii_case(name) || self.former.is_some_and(|former| former.eq_ignore_ascii_case(name))
    }
}

impl Kind {
    /// Reads a value of this kind; `None` when the text does not fit.
    pub fn parse(&self, text: &str) -> Option<Value> {
        let text = text.trim();
        match *self {
            Kind::Flag => match text.to_ascii_lowercase().as_str() {
                "on" | "true" | "1" | "yes" => Some(Value::Flag(true)),
                "off" | "false" | "0" | "no" => Some(Value::Flag(false)),
                _ => None,
            },
            Kind::Whole { min, max } => text.parse().ok().filter(|n| (min..=max).contains(n)).map(Value::Whole),
            Kind::Real { min, max } => text.parse().ok().filter(|x: &f64| *x >= min && *x <= max).map(Value::Real),
            Kind::Choice(words) => {
                words.iter().find(|w| w.eq_ignore_ascii_case(text)).map(|w| Value::Text((*w).into()))
            }
            Kind::Text => Some(Value::Text(text.into())),
        }
    }
}

/// The rows of a table with their present values; `O::default()` gives the defaults.
pub fn view<O: Default>(table: &[Setting<O>], options: &O) -> Vec<SettingView> {
    let fresh = O::default();
    table
        .iter()
        .map(|s| SettingView {
            name: s.name,
            kind: s.kind,
            help: s.help,
            default: (s.get)(&fresh),
            value: (s.get)(options),
            tuning: false,
            former: None,
        })
        .collect()
}

/// Changes one setting; on an error nothing has changed.
pub fn set<O>(table: &[Setting<O>], options: &mut O, name: &str, text: &str) -> Result<(), SettingError> {
    let setting =
        table.iter().find(|s| s.name.eq_ignore_ascii_case(name)).ok_or_else(|| SettingError::Unknown(name.into()))?;
    let value = setting.kind.parse(text).ok_or_else(|| SettingError::Range {
        name: setting.name,
        value: text.into(),
        kind: setting.kind,
    })?;
    (setting.put)(options, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Lamp {
        on: bool,
        watts: u32,
    }

    impl Default for Lamp {
        fn default() -> Self {
            Lamp { on: false, watts: 40 }
        }
    }

    const TABLE: &[Setting<Lamp>] = &[
        Setting {
            name: "on",
            kind: Kind::Flag,
            help: "whether it shines",
            get: |o| Value::Flag(o.on),
            put: |o, v| o.on = v.flag(),
        },
        Setting {
            name: "watts",
            kind: Kind::Whole { min: 1, max: 100 },
            help: "how strongly",
            get: |o| Value::Whole(i64::from(o.watts)),
            put: |o, v| o.watts = v.whole(),
        },
    ];

    #[test]
    fn a_wrong_value_names_the_range_and_changes_nothing() {
        let mut lamp = Lamp::default();
        set(TABLE, &mut lamp, "Watts", " 60 ").unwrap();
        assert_eq!(lamp.watts, 60);
        let error = set(TABLE, &mut lamp, "watts", "101").unwrap_err();
        assert_eq!(error.to_string(), "`101` is not a value of watts: it takes 1 to 100");
        assert_eq!(set(TABLE, &mut lamp, "colour", "red"), Err(SettingError::Unknown("colour".into())));
        assert_eq!(lamp, Lamp { on: false, watts: 60 });
        let rows = view(TABLE, &lamp);
        assert_eq!((&rows[1].default, &rows[1].value), (&Value::Whole(40), &Value::Whole(60)));
    }
}
