//! The kinds of jobs there are besides questions: one row each.

use super::pool::job::KindRow;

pub const KINDS: &[KindRow] = &[];
