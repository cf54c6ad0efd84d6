//! The options that are kept from one session to the next: a TOML file with a part for what belongs to no game and one
//! for each game.

use super::{
    files,
    settings::{Kind, SettingView, Value},
};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};
use toml::{Table, Value as Toml};

/// A larger file is not ours.
const LARGEST: u64 = 1 << 20;
const HEAD: &str = "# Options of Shirokuro, written by `settings save`. What is left out is as at a first start.\n\n";

/// Options by name, of no game (`""`) and of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept(BTreeMap<String, Vec<(String, String)>>);

#[derive(Debug, thiserror::Error)]
pub enum BadSettings {
    #[error("{0}")]
    File(#[from] io::Error),
    #[error("line {line}: {message}")]
    Toml { line: usize, message: String },
    #[error("`{0}` has no value that an option could have")]
    Value(String),
}

impl BadSettings {
    /// The content is at fault, not the way to it.
    pub fn is_damage(&self) -> bool {
        match self {
            BadSettings::File(error) => error.kind() == io::ErrorKind::FileTooLarge,
            BadSettings::Toml { .. } | BadSettings::Value(_) => true,
        }
    }
}

impl Kept {
    /// The options of a game, or of none (`""`).
    pub fn of(&self, game: &str) -> &[(String, String)] {
        self.0.get(&game.to_lowercase()).map_or(&[], Vec::as_slice)
    }

    pub fn put(&mut self, game: &str, options: Vec<(String, String)>) {
        self.0.insert(game.to_lowercase(), options);
    }

    /// A file that is not there keeps nothing.
    pub fn read(path: &Path) -> Result<Kept, BadSettings> {
        match files::read_text(path, LARGEST) {
            Ok(text) => Kept::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Kept::default()),
            Err(error) => Err(error.into()),
        }
    }

    pub fn parse(text: &str) -> Result<Kept, BadSettings> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            let line = text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            BadSettings::Toml { line, message: error.message().lines().next().unwrap_or_default().to_owned() }
        })?;
        let mut kept = Kept::default();
        for (name, value) in table {
            match value {
                Toml::Table(part) => {
                    let options = part.into_iter().map(|(name, value)| option(name, &value));
                    let options = options.collect::<Result<_, _>>()?;
                    kept.put(&name, options);
                }
                value => kept.0.entry(String::new()).or_default().push(option(name, &value)?),
            }
        }
        Ok(kept)
    }

    /// Writes the file, or takes it away when there is nothing to keep. The one before stays as its backup.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        files::permitted_or_new(path)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        files::replace(path, |file| file.write_all(self.text().as_bytes()))
    }

    fn text(&self) -> String {
        let mut table = Table::new();
        for (game, options) in self.0.iter().filter(|(_, options)| !options.is_empty()) {
            let part: Table = options.iter().map(|(name, value)| (name.clone(), toml_value(value))).collect();
            match game.as_str() {
                "" => table.extend(part),
                game => drop(table.insert(game.to_owned(), Toml::Table(part))),
            }
        }
        format!("{HEAD}{table}")
    }
}

fn option(name: String, value: &Toml) -> Result<(String, String), BadSettings> {
    let text = match value {
        Toml::String(text) => text.clone(),
        Toml::Integer(n) => n.to_string(),
        Toml::Float(x) => x.to_string(),
        Toml::Boolean(on) => if *on { "on" } else { "off" }.to_owned(),
        Toml::Datetime(_) | Toml::Array(_) | Toml::Table(_) => return Err(BadSettings::Value(name)),
    };
    Ok((name, text))
}

fn toml_value(text: &str) -> Toml {
    match text {
        "on" => Toml::Boolean(true),
        "off" => Toml::Boolean(false),
        text => match text.parse::<i64>() {
            Ok(n) if n.to_string() == text => Toml::Integer(n),
            _ => Toml::String(text.to_owned()),
        },
    }
}

/// The options that are not as at a first start. Names of files are kept with their whole path.
pub fn changed(now: &[SettingView], start: &[SettingView]) -> Vec<(String, String)> {
    let is_new =
        |setting: &&SettingView| start.iter().find(|s| s.name == setting.name).is_none_or(|s| s.value != setting.value);
    now.iter().filter(is_new).map(|setting| (setting.name.to_owned(), whole(setting))).collect()
}

fn whole(setting: &SettingView) -> String {
    let text = setting.value.to_string();
    let path = PathBuf::from(&text);
    let is_file = setting.kind == Kind::Text && matches!(setting.value, Value::Text(_)) && path.is_relative();
    match std::path::absolute(&path) {
        Ok(whole) if is_file && !text.is_empty() && path.exists() => whole.to_string_lossy().into_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let pairs = |pairs: &[(&str, &str)]| pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let mut kept = Kept::default();
        kept.put("", pairs(&[("language", "ja"), ("values", "off")]));
        kept.put(
            "Othello",
            pairs(&[("level", "12"), ("book", "/a \"b\"/c.skbook"), ("contempt", "0.5"), ("eval", "")]),
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/settings.toml");
        assert_eq!(Kept::read(&path).unwrap(), Kept::default());
        kept.write(&path).unwrap();
        assert_eq!(Kept::read(&path).unwrap(), kept);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("values = false\n") && text.contains("[othello]\nlevel = 12\n"), "{text}");
    }

    #[test]
    fn a_bad_file_is_named_with_its_line() {
        for (text, message) in [
            ("language = \"ja\"\nlevel = = 3\n", "line 2: "),
            ("[othello]\nlevel = [1]\n", "`level` has no value that an option could have"),
            ("\0", "line 1: "),
        ] {
            let error = Kept::parse(text).unwrap_err();
            assert!(error.to_string().starts_with(message) && error.is_damage(), "{error}");
        }
    }
}
