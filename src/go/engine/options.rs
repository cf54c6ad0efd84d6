//! Changing options.

use super::{GoEngine, settings};
use crate::{
    base::{
        Control, TimeSource, cpu, files,
        settings::{self as table, SettingError},
    },
    engine::{Answer, CommandError, CommandErrorKind, Progress, read_option},
    go::{
        PlayerKind, config,
        net::{self, Net},
        pattern::PatternTable,
    },
};
use std::sync::Arc;

/// More than any file of patterns has.
const LARGEST_PATTERNS: u64 = 1 << 20;

impl GoEngine {
    /// Changes an option, or nothing.
    pub(super) fn change_option(&mut self, name: &str, value: &str, control: Control<'_, Progress>) -> Answer<()> {
        let (mut options, mut config) = (self.options.clone(), self.config.clone());
        match table::set(settings::TABLE, &mut options, name, value) {
            Ok(()) => {}
            Err(SettingError::Unknown(_)) => config::set(&mut config, name, value)?,
            Err(error) => return Err(error.into()),
        }
        if config.cpu_clock && !TimeSource::cpu(config.threads).is_known() {
            return Err(CommandError::new(CommandErrorKind::Unsupported, cpu::UNKNOWN).in_field("clock"));
        }
        let without = |net: &str| matches!(net, "" | "none");
        if config.kind == PlayerKind::Net && self.config.kind != PlayerKind::Net && without(&options.net) {
            options.net = net::OWN.into();
        }
        if options.net != self.options.net {
            let net = match options.net.as_str() {
                net if without(net) => None,
                net::OWN => Some(Net::own().map(Arc::new).map_err(|e| CommandError::new(CommandErrorKind::File, e))?),
                path => Some(read_option(path, control, |path, _| {
                    let refused = |e| CommandError::new(CommandErrorKind::File, e).in_field("net");
                    Net::from_file(path).map(Arc::new).map_err(refused)
                })?),
            };
            match (&net, config.kind) {
                (Some(_), _) => config.become_player(PlayerKind::Net),
                (None, PlayerKind::Net) => config.become_player(PlayerKind::Rave),
                (None, _) => {}
            }
            self.player.set_net(net);
        }
        if options.pattern_file != self.options.pattern_file {
            config.patterns = match options.pattern_file.as_str() {
                "" => None,
                path => Some(read_option(path, control, |path, _| {
                    let refused = |error: String| {
                        let message = format!("{}: {error}", path.display());
                        CommandError::new(CommandErrorKind::File, message).in_field("pattern-file")
                    };
                    let text = files::read_text(path, LARGEST_PATTERNS).map_err(|e| refused(e.to_string()))?;
                    PatternTable::from_text(&text).map(Arc::new).map_err(|e| refused(e.to_string()))
                })?),
            };
        }
        self.game.set_rules(options.rules);
        (self.options, self.config) = (options, config);
        self.seen = None;
        Ok(())
    }
}
