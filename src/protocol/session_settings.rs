//! The options of the session itself: how people are spoken to, whatever game is played. They stand beside those of
//! the game in every list and are changed in the same ways.

use crate::{
    base::{
        Language,
        settings::{self, Kind, Setting, SettingError, SettingView, Value},
    },
    engine::{Answer, Query},
};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSettings {
    /// `en`, `ja`, `zh` or a file.
    name: String,
    language: Arc<Language>,
}

impl Default for SessionSettings {
    fn default() -> Self {
        SessionSettings { name: "en".into(), language: Language::english() }
    }
}

const TABLE: &[Setting<SessionSettings>] = &[Setting {
    name: "language",
    kind: Kind::Text,
    help: "language of messages: en, ja, zh, or a file of phrases",
    get: |m| Value::Text(m.name.clone()),
    put: |m, v| m.name = v.text(),
}];

impl SessionSettings {
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// Whether an option is one of these.
    pub fn have(name: &str) -> bool {
        TABLE.iter().any(|setting| setting.name.eq_ignore_ascii_case(name))
    }

    /// How to answer a question, and the settings in it that are the game's.
    pub fn for_question(&self, query: &Query) -> Answer<(SessionSettings, Vec<(String, String)>)> {
        let (own, settings): (Vec<_>, Vec<_>) =
            query.settings.iter().cloned().partition(|(name, _)| SessionSettings::have(name));
        let mut session_settings = self.clone();
        for (name, value) in own {
            session_settings.set(&name, &value)?;
        }
        Ok((session_settings, settings))
    }

    pub fn settings(&self) -> Vec<SettingView> {
        settings::view(TABLE, self)
    }

    /// Changes one option; on an error nothing has changed.
    pub fn set(&mut self, name: &str, value: &str) -> Answer<()> {
        let mut changed = self.clone();
        settings::set(TABLE, &mut changed, name, value)?;
        let refused = |error| SettingError::Refused { name: "language", reason: format!("{error}") };
        let (name, language) = Language::named(&changed.name).map_err(refused)?;
        *self = SessionSettings { name, language };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_that_is_refused_changes_nothing() {
        let mut session_settings = SessionSettings::default();
        session_settings.set("Language", " JA ").unwrap();
        assert_eq!(session_settings.settings()[0].value, Value::Text("ja".into()));
        let japanese = session_settings.clone();
        let refusal = session_settings.set("language", "xx").unwrap_err();
        assert_eq!(refusal.message, "language: there is no language `xx`: it takes en, ja, zh or a file of phrases");
        assert_eq!(refusal.field.as_deref(), Some("language"));
        assert!(session_settings.set("level", "5").is_err());
        assert_eq!(session_settings, japanese);
        assert!(session_settings.language().knows(&refusal.message));
    }
}
