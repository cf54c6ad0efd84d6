//! One row per book format: its name, the endings it is written to, how it is recognised, read and written, and what it
//! cannot hold. Everything that depends on the format comes out of this table.

use super::{
    Entry, Faults, Format, Level, ReadError, Table, WriteError, WriteOptions, WriteReport, edax, edax_text, egbk,
    egbk2, egbk3,
    losses::{BY_HAND, DIFFERENT, GUESSED, LEAF_LEVELS, LEAVES, LEVELS, LINES, SOURCES},
    own, text, zebra,
};
use crate::othello::book::image;
use std::{fmt, io::Write};

type Read = fn(&[u8], Level, &mut Faults) -> Result<Vec<Entry>, ReadError>;
type Write_ = fn(&mut dyn Write, &Table, WriteOptions) -> Result<WriteReport, WriteError>;

struct Codec {
    format: Format,
    /// The word for it in commands and replies.
    name: &'static str,
    /// Endings of file names that ask for it when a book is written.
    endings: &'static [&'static str],
    recognises: fn(&[u8]) -> bool,
    read: Read,
    /// `None`: such books are only read.
    write: Option<Write_>,
    /// What is lost when a book is written in it.
    cannot_hold: &'static [&'static str],
}

/// In the order in which they are tried on a file: formats with a mark of their own first.
static CODECS: [Codec; 10] = [
    Codec {
        format: Format::Own,
        name: "skbook",
        endings: &["skbook"],
        recognises: |bytes| bytes.starts_with(&image::MAGIC),
        read: |bytes, _, faults| own::salvage(bytes, faults),
        write: Some(own::write),
        cannot_hold: &[],
    },
    Codec {
        format: Format::Egbk3,
        name: "egbk3",
        endings: &["egbk3"],
        recognises: |bytes| egbk3::version(bytes) == Some(3),
        read: |bytes, _, faults| egbk3::read(bytes, faults),
        write: Some(egbk3::write),
        cannot_hold: &[SOURCES],
    },
    Codec {
        format: Format::Egbk2,
        name: "egbk2",
        endings: &["egbk2"],
        recognises: |bytes| egbk3::version(bytes) == Some(2),
        read: |bytes, _, faults| egbk2::read(bytes, faults),
        write: Some(egbk2::write),
        cannot_hold: &[LEAVES, LINES, SOURCES],
    },
    Codec {
        format: Format::Edax,
        name: "edax",
        endings: &["dat"],
        recognises: edax::looks_like,
        read: |bytes, _, faults| edax::read(bytes, faults),
        write: Some(|out, table, options| edax::write(out, table, options, std::time::SystemTime::now())),
        cannot_hold: &[BY_HAND, LEAF_LEVELS, GUESSED, SOURCES],
    },
    Codec {
        format: Format::EdaxText,
        name: "edax-text",
        endings: &["edax"],
        recognises: edax_text::looks_like,
        read: |bytes, _, faults| edax_text::read(bytes, faults),
        write: Some(edax_text::write),
        cannot_hold: &[BY_HAND, DIFFERENT, GUESSED, LEAF_LEVELS, LINES, SOURCES],
    },
    Codec {
        format: Format::Text,
        name: "text",
        endings: &["txt"],
        recognises: text::looks_like,
        read: text::read,
        write: Some(text::write),
        cannot_hold: &[LEAVES, LEVELS, LINES, SOURCES],
    },
    Codec {
        format: Format::Zebra,
        name: "zebra",
        endings: &[],
        recognises: zebra::looks_hashed,
        read: |bytes, _, faults| zebra::read_hashed(bytes, faults),
        write: None,
        cannot_hold: &[],
    },
    Codec {
        format: Format::ZebraText,
        name: "zebra-text",
        endings: &[],
        recognises: zebra::looks_text,
        read: |bytes, _, faults| zebra::read_text(bytes, faults),
        write: None,
        cannot_hold: &[],
    },
    Codec {
        format: Format::ZebraPacked,
        name: "zebra-packed",
        endings: &[],
        recognises: zebra::looks_packed,
        read: |bytes, _, faults| zebra::read_packed(bytes, faults),
        write: None,
        cannot_hold: &[],
    },
    Codec {
        format: Format::Egbk,
        name: "egbk",
        endings: &[],
        recognises: egbk::looks_like,
        read: egbk::read,
        write: None,
        cannot_hold: &[],
    },
];

impl Format {
    pub fn all() -> impl Iterator<Item = Format> {
        CODECS.iter().map(|codec| codec.format)
    }

    fn codec(self) -> &'static Codec {
        &CODECS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.codec().name
    }

    pub fn by_name(name: &str) -> Option<Format> {
        CODECS.iter().find(|codec| codec.name == name).map(|codec| codec.format)
    }

    /// What the end of a file name says about the format to write.
    pub fn by_file_name(name: &str) -> Option<Format> {
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        CODECS.iter().find(|codec| codec.endings.contains(&ending.as_str())).map(|codec| codec.format)
    }

    pub fn can_write(self) -> bool {
        self.codec().write.is_some()
    }

    /// What may be lost when a book is written in this format.
    pub fn cannot_hold(self) -> &'static [&'static str] {
        self.codec().cannot_hold
    }

    /// The format of a book by what it holds.
    pub fn detect(bytes: &[u8]) -> Option<Format> {
        CODECS.iter().find(|codec| (codec.recognises)(bytes)).map(|codec| codec.format)
    }

    /// The entries in the order of the file.
    pub(super) fn read(self, bytes: &[u8], level: Level, faults: &mut Faults) -> Result<Vec<Entry>, ReadError> {
        (self.codec().read)(bytes, level, faults)
    }

    pub(super) fn write(
        self,
        out: &mut dyn Write,
        table: &Table,
        options: WriteOptions,
    ) -> Result<WriteReport, WriteError> {
        self.codec().write.ok_or(WriteError::ReadOnly(self))?(out, table, options)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_row() {
        for (index, codec) in CODECS.iter().enumerate() {
            assert_eq!(codec.format as usize, index, "{}", codec.name);
            assert_eq!(Format::by_name(codec.name), Some(codec.format));
            assert_eq!(codec.write.is_none(), codec.endings.is_empty(), "{}", codec.name);
            for ending in codec.endings {
                assert_eq!(Format::by_file_name(&format!("a.{ending}")), Some(codec.format));
            }
        }
    }
}
