//! Lines that have come but wait to be looked at: in memory up to a bound, then in a temporary file, so that any number
//! of lines can be read ahead and an interruption behind them is heard.

use crate::protocol::Line;
use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufReader, BufWriter, Read, Write},
};
use tempfile::NamedTempFile;

/// Bytes kept in memory.
const IN_MEMORY: usize = 16 << 20;

/// First in, first out.
#[derive(Default)]
pub struct Backlog {
    lines: VecDeque<Line>,
    bytes: usize,
    /// What came after the lines in memory.
    spilled: Option<Spill>,
}

struct Spill {
    write: BufWriter<File>,
    read: BufReader<File>,
    /// Written and not yet read.
    left: u64,
    /// Keeps the name until both ends are closed.
    _file: NamedTempFile,
}

impl Backlog {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.spilled.is_none()
    }

    pub fn push(&mut self, line: Line) -> io::Result<()> {
        if self.spilled.is_none() && self.bytes + line.text.len() <= IN_MEMORY {
            self.bytes += line.text.len();
            self.lines.push_back(line);
            return Ok(());
        }
        match &mut self.spilled {
            Some(spill) => spill.push(&line),
            none => none.insert(Spill::new()?).push(&line),
        }
    }

    pub fn pop(&mut self) -> io::Result<Option<Line>> {
        if let Some(line) = self.lines.pop_front() {
            self.bytes -= line.text.len();
            return Ok(Some(line));
        }
        let Some(spill) = &mut self.spilled else { return Ok(None) };
        let line = spill.pop()?;
        if spill.left == 0 {
            self.spilled = None;
        }
        Ok(Some(line))
    }
}

impl Spill {
    fn new() -> io::Result<Spill> {
        let file = NamedTempFile::with_prefix("shirokuro-lines-")?;
        let (write, read) = (BufWriter::new(file.reopen()?), BufReader::new(file.reopen()?));
        Ok(Spill { write, read, left: 0, _file: file })
    }

    fn push(&mut self, line: &Line) -> io::Result<()> {
        let length = u32::try_from(line.text.len()).map_err(io::Error::other)?;
        self.write.write_all(&[u8::from(line.cut)])?;
        self.write.write_all(&length.to_le_bytes())?;
        self.write.write_all(line.text.as_bytes())?;
        self.left += 1;
        Ok(())
    }

    fn pop(&mut self) -> io::Result<Line> {
        self.write.flush()?;
        let (mut cut, mut length) = ([0], [0; 4]);
        self.read.read_exact(&mut cut)?;
        self.read.read_exact(&mut length)?;
        let mut text = vec![0; u32::from_le_bytes(length) as usize];
        self.read.read_exact(&mut text)?;
        self.left -= 1;
        Ok(Line { text: String::from_utf8(text).map_err(io::Error::other)?, cut: cut == [1] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_in_order_from_memory_and_from_the_file() {
        let mut backlog = Backlog::default();
        let long = |n: usize| Line { text: format!("{n} é {}", "x".repeat(1 << 20)), cut: n.is_multiple_of(3) };
        let (mut pushed, mut popped) = (0, 0);
        for round in 0..3 {
            for _ in 0..20 {
                backlog.push(long(pushed)).unwrap();
                pushed += 1;
            }
            assert!(round > 0 || backlog.spilled.is_some(), "more than memory is for");
            for _ in 0..if round == 2 { 40 } else { 10 } {
                assert_eq!(backlog.pop().unwrap(), Some(long(popped)));
                popped += 1;
            }
        }
        assert!(backlog.is_empty() && backlog.spilled.is_none() && backlog.bytes == 0);
        assert_eq!(backlog.pop().unwrap(), None);
        backlog.push(Line::new("again")).unwrap();
        assert_eq!(backlog.lines.len(), 1);
    }
}
