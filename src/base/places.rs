//! Where a user's own files live.

use etcetera::{BaseStrategy, choose_base_strategy};
use std::path::PathBuf;

/// The folder for data of this program, by the platform's convention; `None` where there is no home.
pub fn data() -> Option<PathBuf> {
    choose_base_strategy().ok().map(|places| places.data_dir().join("shirokuro"))
}

/// The file with the options that are kept for the next session.
pub fn settings() -> Option<PathBuf> {
    choose_base_strategy().ok().map(|places| places.config_dir().join("shirokuro").join("settings.toml"))
}

/// The file with the lines typed in earlier sessions.
pub fn history() -> Option<PathBuf> {
    let places = choose_base_strategy().ok()?;
    let folder = places.state_dir().unwrap_or_else(|| places.data_dir());
    Some(folder.join("shirokuro").join("history"))
}

/// Folders to try, the best first, for what must not be lost and cannot be kept where it belongs.
pub fn rescue() -> Vec<PathBuf> {
    let home = data().map(|data| data.join("rescue"));
    home.into_iter().chain([std::env::temp_dir()]).collect()
}
