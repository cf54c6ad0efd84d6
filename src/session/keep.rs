//! Options that are kept for the next session.

use super::Session;
use crate::{
    base::{
        Cell, Report, Table, files,
        kept::{self, BadSettings, Kept},
        settings::SettingView,
    },
    engine::{Answer, CommandError, CommandErrorKind, Engine, Game},
    protocol::{Keep, Reply, tables::shown},
};
use std::path::PathBuf;

/// Where options are kept, and what they are at a first start: those of a game, and those of none.
pub struct Keeper {
    pub path: PathBuf,
    pub start: Box<dyn Fn(Option<Game>) -> Vec<SettingView>>,
}

fn in_file(path: &std::path::Path, error: impl std::fmt::Display) -> CommandError {
    CommandError::new(CommandErrorKind::File, format!("{}: {error}", path.display()))
}

impl Session<'_> {
    pub(super) fn keep(&mut self, engine: &mut dyn Engine, keep: Keep) -> Answer<Reply> {
        let Some(keeper) = &self.keeper else {
            let message = "options are kept only at a terminal, or with --config FILE";
            return Err(CommandError::new(CommandErrorKind::Unsupported, message));
        };
        let (game, path) = (engine.game(), keeper.path.clone());
        let (own, of_game) = ((keeper.start)(None), (keeper.start)(Some(game)));
        let now = [self.session_settings.settings(), self.protocol.settings()].concat();
        match keep {
            Keep::Save => {
                let mut kept = Kept::read(&path).map_err(|error| in_file(&path, error))?;
                kept.put("", kept::changed(&now, &own));
                kept.put(game.name(), kept::changed(&engine.settings(), &of_game));
                kept.write(&path).map_err(|error| in_file(&path, error))?;
                Ok(Reply::Done(vec![format!("the options are kept in {}", path.display())]))
            }
            Keep::Show => {
                let kept = Kept::read(&path).map_err(|error| in_file(&path, error))?;
                let mut rows = rows("", &kept, &now, &own);
                rows.extend(self::rows(game.name(), &kept, &engine.settings(), &of_game));
                for other in Game::ALL.into_iter().filter(|other| *other != game) {
                    rows.extend(self::rows(other.name(), &kept, &[], &[]));
                }
                let notes =
                    if rows.is_empty() { vec!["all options are as at a first start".to_owned()] } else { vec![] };
                let columns = vec!["", "option", "kept", "now"];
                Ok(Reply::Report(Report::Table(Table { title: path.display().to_string(), columns, rows, notes })))
            }
            Keep::Reset => {
                forget(&path).map_err(|error| in_file(&path, error))?;
                let back = |now: &[SettingView], start: &[SettingView]| {
                    let other =
                        |old: &&SettingView| now.iter().any(|new| new.name == old.name && new.value != old.value);
                    let pair = |old: &SettingView| (old.name.to_owned(), old.value.to_string());
                    start.iter().filter(other).map(pair).collect::<Vec<_>>()
                };
                let pairs = [back(&now, &own), back(&engine.settings(), &of_game)].concat();
                self.set_all(engine, &pairs)?;
                Ok(Reply::Done(vec!["all options are as at a first start".to_owned()]))
            }
        }
    }
}

/// The file gets the name of its backup.
fn forget(path: &std::path::Path) -> Result<(), BadSettings> {
    if path.exists() {
        files::permitted(path)?;
        std::fs::rename(path, files::backup_of(path))?;
    }
    Ok(())
}

/// What is kept, and what is not as at the start.
fn rows(game: &str, kept: &Kept, now: &[SettingView], start: &[SettingView]) -> Vec<Vec<Cell>> {
    let kept = kept.of(game);
    let changed = kept::changed(now, start);
    let only_now = changed.iter().filter(|(name, _)| kept.iter().all(|(other, _)| other != name));
    let names = kept.iter().chain(only_now).map(|(name, _)| name);
    let value = |name: &String| now.iter().find(|setting| setting.name == name).map(|setting| shown(&setting.value));
    let row = |name: &String| {
        let was = kept.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
        vec![Cell::phrase(game.to_owned()), name.clone().into(), was.into(), value(name).into()]
    };
    names.map(row).collect()
}
