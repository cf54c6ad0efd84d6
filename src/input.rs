//! Standard input as lines, read by a thread of its own so that a stop is heard in the middle of a search.

use crate::{base::files::text_of, protocol::Line, terminal::Editor};
use crossbeam_channel::{Receiver, bounded};
use std::io::{self, BufRead, BufReader};

/// Lines waiting to be looked at; more stay in the pipe. Each may be as long as [`Line::LONGEST`].
const AHEAD: usize = 32;

/// The lines of `input`; the channel closes at its end.
pub fn lines(mut input: impl BufRead + Send + 'static) -> Receiver<Line> {
    let (send, receive) = bounded(AHEAD);
    std::thread::Builder::new()
        .name("reader".into())
        .spawn(move || {
            let mut first = true;
            while let Ok(Some(mut line)) = read_line(&mut input) {
                // The mark that some editors put before a text says nothing.
                if std::mem::take(&mut first) && line.text.starts_with('\u{feff}') {
                    line.text.remove(0);
                }
                if send.send(line).is_err() {
                    return;
                }
            }
        })
        .expect("the system has room for one thread");
    receive
}

/// The lines of standard input.
pub fn of_stdin() -> Receiver<Line> {
    lines(BufReader::new(io::stdin()))
}

/// The lines that a person types.
pub fn typed(editor: Editor) -> Receiver<Line> {
    let (send, receive) = bounded(AHEAD);
    std::thread::Builder::new()
        .name("reader".into())
        .spawn(move || editor.run(|line| send.send(line).is_ok()))
        .expect("the system has room for one thread");
    receive
}

/// `first`, then the rest: for a line that had to be looked at before it was known who should read it.
pub fn with_first(first: Line, rest: Receiver<Line>) -> Receiver<Line> {
    let (send, receive) = bounded(AHEAD);
    let pass_on = move || {
        if send.send(first).is_ok() {
            rest.into_iter().try_for_each(|line| send.send(line)).unwrap_or(());
        }
    };
    std::thread::Builder::new().name("lines".into()).spawn(pass_on).expect("the system has room for one thread");
    receive
}

/// The next line without its end (`\n` or `\r\n`). Of a line that is too long only the beginning is kept.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let (mut bytes, mut cut, mut any) = (Vec::new(), false, false);
    loop {
        let chunk = match input.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        if chunk.is_empty() {
            break;
        }
        any = true;
        let end = chunk.iter().position(|&b| b == b'\n');
        let piece = &chunk[..end.unwrap_or(chunk.len())];
        let room = Line::LONGEST - bytes.len();
        cut |= piece.len() > room;
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        let used = end.map_or(chunk.len(), |n| n + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    Ok(any.then(|| Line { text: text_of(bytes), cut }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read(bytes: Vec<u8>) -> Vec<Line> {
        lines(Cursor::new(bytes)).into_iter().collect()
    }

    #[test]
    fn ends_of_lines_of_every_kind() {
        let got = read(b"one\ntwo\r\n\nthree".to_vec());
        assert_eq!(got, ["one", "two", "", "three"].map(Line::new));
        assert_eq!(read(vec![]), []);
        assert_eq!(read("\u{feff}0\n\u{feff}1".into()), ["0", "\u{feff}1"].map(Line::new));
    }

    #[test]
    fn a_line_without_end_does_not_fill_the_memory() {
        let mut bytes = vec![b'x'; 10 << 20];
        bytes.extend(b"\nnext\n");
        let got = read(bytes);
        assert_eq!((got.len(), got[0].text.len(), got[0].cut), (2, Line::LONGEST, true));
        assert_eq!(got[1], Line::new("next"));
    }
}
