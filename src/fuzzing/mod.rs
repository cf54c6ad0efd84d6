//! What every reader of files must bear: any bytes at all. A panic is a failure, and so is a book that is not sound.
//!
//! Used by the tests below with generated inputs, and by `cargo fuzz` with inputs of its own making.

use crate::{
    base::{files::text_of, sgf},
    othello::{
        book::{
            Table,
            formats::{self, Care, Format, ReadOptions, WriteOptions},
        },
        records::{self, any},
    },
};

#[cfg(test)]
mod tests;

/// A book in whatever format the bytes look like.
pub fn book(bytes: &[u8]) {
    for care in [Care::Strict, Care::Lenient] {
        let Ok((table, report)) = formats::read(bytes, ReadOptions { care, ..ReadOptions::default() }) else {
            continue;
        };
        assert!(table.verify().is_empty(), "what was read is not sound");
        assert_eq!(report.positions, table.iter().count());
        for format in Format::all().filter(|format| format.can_write()) {
            let mut out = Vec::new();
            formats::write(&mut out, &table, format, WriteOptions::default()).expect("written to memory");
        }
    }
    if let Ok(table) = Table::from_vec(bytes.to_vec()) {
        table.verify();
        table.iter().for_each(|entry| assert_eq!(table.get(entry.board), Some(entry)));
    }
}

/// Games and problems, read as each format in turn.
pub fn record(bytes: &[u8]) {
    use records::Format::{Ggf, Obf, Pgn, Sgf, Text, Wthor};
    for format in [Ggf, Sgf, Obf, Pgn, Wthor, Text] {
        for record in format.read(bytes.to_vec()).into_iter().flatten() {
            for other in [Ggf, Sgf, Obf, Pgn, Text] {
                let text = other.write(&record).unwrap_or_default();
                other.read(text.into_bytes());
            }
        }
    }
    let text = text_of(bytes.to_vec());
    let _ = any::read_record(&text);
    let _ = records::egaroucid::parse(&text);
    let _ = records::wthor::players(bytes);
    let _ = records::wthor::tournaments(bytes);
}

/// Trees of SGF, as both games read them.
pub fn tree(bytes: &[u8]) {
    let text = text_of(bytes.to_vec());
    let _ = sgf::parse(&text);
    let _ = crate::go::sgf::parse(&text);
}
