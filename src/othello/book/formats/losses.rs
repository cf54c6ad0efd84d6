//! What a format cannot hold, in words.

pub(super) const SOURCES: &str = "where the values come from (source)";
pub(super) const LINES: &str = "numbers of lines";
pub(super) const LEAVES: &str = "leaves";
pub(super) const LEVELS: &str = "levels";
pub(super) const LEAF_LEVELS: &str = "levels of leaves";
pub(super) const BY_HAND: &str = "the mark of values given by hand (written as level 60)";
pub(super) const GUESSED: &str = "leaves that were not known and are written as a guess";
pub(super) const DIFFERENT: &str = "values that differ from what lies below them";
