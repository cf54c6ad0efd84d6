//! What goes into a file, and what a person should know about it.

use super::{OthelloEngine, notes};
use crate::{
    engine::{Answer, CommandError, CommandErrorKind, Notices},
    othello::records::{
        Record, egaroucid_json,
        lost::{Part, lost},
    },
};

impl OthelloEngine {
    /// The game with all that is known of it.
    pub(super) fn record(&self) -> Record {
        Record { game: self.game.clone(), ..self.about.clone() }
    }

    pub(super) fn text_and_losses(&self, form: &str, here: bool) -> Answer<(String, Notices)> {
        let mut record = self.record();
        if here {
            record.game.forget_future();
            record.game.keep_only_this_line();
        } else if notes::format_of(form).is_some() {
            record.game.go_to(record.game.plies().len());
        }
        let text = match form {
            "json" => self.egaroucid_json(&record),
            form => notes::write(form, &record)?,
        };
        let lost = notes::format_of(form).map_or(vec![], |format| lost(&record, &text, format));
        if lost.contains(&Part::Moves) {
            return Err(CommandError::new(CommandErrorKind::Unsupported, Part::Moves.sentence()));
        }
        let notices = lost.into_iter().map(|part| part.sentence().to_owned()).collect();
        Ok((text.trim_end().to_owned() + "\n", notices))
    }

    /// Egaroucid 7's form, with the values that were found.
    pub(super) fn egaroucid_json(&self, record: &Record) -> String {
        egaroucid_json::text(record, |ply| {
            let known = self.findings.get(record.game.position_at(ply)?)?;
            let level = if known.depth.solved() { 60 } else { known.depth.plies.min(60) as u8 };
            Some(egaroucid_json::Valued { black: known.black, level })
        })
    }
}
