//! Changing options.

use super::{GoEngine, settings};
use crate::{
    base::{
        Control, TimeSource, cpu,
        settings::{self as table, SettingError},
    },
    engine::{Answer, CommandError, CommandErrorKind, Progress, read_option},
    go::{PlayerKind, config, net::Net},
};
use std::sync::Arc;

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
        if options.net != self.options.net {
            let net = match options.net.as_str() {
                "" | "none" => None,
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
        if config.kind == PlayerKind::Net && self.player.net().is_none() {
            let message = "the player `net` needs a network: the option `net` names its file";
            return Err(CommandError::new(CommandErrorKind::Unsupported, message).in_field("player"));
        }
        self.game.set_rules(options.rules);
        (self.options, self.config) = (options, config);
        self.seen = None;
        Ok(())
    }
}
