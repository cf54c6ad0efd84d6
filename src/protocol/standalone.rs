//! Boards in, moves out: a line `0` (black) or `1` (white) for the side to move, then eight rows of `0`, `1` and `.`;
//! the answer is `y x value`, counted from 0 at the top left, the value in whole discs for the side to move.
//!
//! Any number of boards may follow each other. Without a move to make (a pass, a finished game) the answer is
//! `-1 -1 value`. A board that cannot be read is answered `error: row R, column C: …`, both counted from 1, and reading
//! goes on at the next line that is `0` or `1` alone. A row without discs may be written with fewer dots.

use super::{
    Command, Line, Output, Protocol, Reply, Request, SessionSettings,
    tables::{excerpt, one_line},
};
use crate::{
    base::Colour,
    engine::{Answer, CommandError, CommandErrorKind, Engine, Job, Outcome, Progress, Query, Thought, command::Table},
};
use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::tag_no_case,
    character::complete::{char, one_of},
    combinator::{all_consuming, value},
};

/// The request that asks for a move on a board.
pub const WORD: &str = "stand-alone board";

#[derive(Debug, Default)]
pub struct StandAlone {
    stage: Stage,
    session_settings: SessionSettings,
}

#[derive(Debug, Default, Clone, PartialEq)]
enum Stage {
    /// The next line says who is to move.
    #[default]
    Side,
    Rows {
        to_move: Colour,
        cells: String,
        rows: usize,
    },
    /// Something was wrong; everything up to the next side is passed over.
    Lost,
}

/// Lines that are no row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Opening {
    Side(Colour),
    Quit,
}

fn opening(line: &str) -> IResult<&str, Opening> {
    all_consuming(alt((
        value(Opening::Side(Colour::Black), char('0')),
        value(Opening::Side(Colour::White), char('1')),
        value(Opening::Quit, alt((tag_no_case("quit"), tag_no_case("exit")))),
    )))
    .parse(line)
}

fn square(text: &str) -> IResult<&str, char> {
    alt((value('X', char('0')), value('O', char('1')), value('-', char('.')))).parse(text)
}

/// The eight squares of a row as `X`, `O`, `-`; or the column (from 1) where it goes wrong, and why.
fn row(line: &str) -> Result<String, (usize, String)> {
    let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let (mut rest, mut cells) = (line.as_str(), String::new());
    while let Some(next) = rest.chars().next() {
        let column = cells.len() + 1;
        if column > 8 {
            return Err((9, "more than 8 squares".into()));
        }
        let Ok((after, cell)) = square(rest) else {
            return Err((column, format!("`{}` is none of `0`, `1` and `.`", excerpt(&next.to_string()))));
        };
        cells.push(cell);
        rest = after;
    }
    if cells.len() < 8 && cells.contains(['X', 'O']) {
        return Err((cells.len() + 1, format!("only {} squares instead of 8", cells.len())));
    }
    Ok(format!("{cells:-<8}"))
}

fn refused(message: String) -> Option<Request> {
    Some(Request {
        command: Err(CommandError::new(CommandErrorKind::Syntax, message)),
        ..Request::new(WORD, Command::Nothing)
    })
}

impl StandAlone {
    /// A board has been begun and not ended.
    pub fn is_reading(&self) -> bool {
        matches!(self.stage, Stage::Rows { .. })
    }

    /// Whether a line among others is meant for this: a side to move, what follows it, or the rest of a bad board.
    pub fn expects(&self, line: &str) -> bool {
        match self.stage {
            Stage::Rows { .. } => true,
            _ if matches!(opening(line), Ok((_, Opening::Side(_)))) => true,
            Stage::Lost => !line.is_empty() && line.chars().all(|c| matches!(c, '0' | '1' | '.' | ' ')),
            Stage::Side => false,
        }
    }

    fn row(&mut self, line: &str) -> Option<Request> {
        let Stage::Rows { to_move, cells, rows } = &mut self.stage else { return None };
        *rows += 1;
        match row(line) {
            Err((column, what)) => {
                let message = format!("row {rows}, column {column}: {what}");
                self.stage = Stage::Lost;
                refused(message)
            }
            Ok(squares) => {
                cells.push_str(&squares);
                if *rows < 8 {
                    return None;
                }
                if !cells.contains(['X', 'O']) {
                    self.stage = Stage::Side;
                    return refused("row 1, column 1: there is no disc on the whole board".into());
                }
                let side = if *to_move == Colour::Black { 'X' } else { 'O' };
                let query = Query { position: Some(format!("{cells} {side}")), count: 1, ..Query::default() };
                self.stage = Stage::Side;
                Some(Request::new(WORD, Command::Work(Job::Query(query))))
            }
        }
    }

    fn begin(&mut self, to_move: Colour) -> Option<Request> {
        let unfinished = self.unfinished("the next board begins");
        self.stage = Stage::Rows { to_move, cells: String::new(), rows: 0 };
        unfinished
    }

    fn unfinished(&self, instead: &str) -> Option<Request> {
        let Stage::Rows { rows, .. } = &self.stage else { return None };
        refused(format!("row {}, column 1: the row is missing, {instead}", rows + 1))
    }
}

impl Protocol for StandAlone {
    fn parse(&mut self, line: &Line, _: Table) -> Option<Request> {
        let text = line.text.trim();
        if text.is_empty() {
            return None;
        }
        match opening(text) {
            Ok((_, Opening::Side(to_move))) => return self.begin(to_move),
            Ok((_, Opening::Quit)) => return Some(Request::new("quit", Command::Quit)),
            Err(_) => {}
        }
        match self.stage {
            Stage::Rows { .. } => self.row(text),
            Stage::Lost => None,
            Stage::Side => {
                self.stage = Stage::Lost;
                refused(format!(
                    "a board begins with a line `0` (black to move) or `1` (white), not `{}`",
                    excerpt(text)
                ))
            }
        }
    }

    fn finish(&mut self) -> Option<Request> {
        let unfinished = self.unfinished("the input ends");
        self.stage = Stage::Side;
        unfinished
    }

    fn ends_all(&self, line: &Line) -> bool {
        matches!(opening(line.text.trim()), Ok((_, Opening::Quit)))
    }

    fn interrupts(&self, new: &Request, _running: &Request) -> bool {
        matches!(new.command, Ok(Command::Quit))
    }

    fn look(&mut self, _request: &Request, _args: &str, _engine: &dyn Engine) -> Answer<Reply> {
        Ok(Reply::Done(vec![]))
    }

    fn render(&mut self, _request: &Request, reply: &Reply, out: &mut Output) {
        let line = match reply {
            Reply::Outcome(Outcome::Thought(thought) | Outcome::Move { thought, .. }) => answer(thought),
            Reply::Refused(refusal) => {
                format!("error: {}", one_line(&self.session_settings.language().say(&refusal.message)))
            }
            _ => return,
        };
        out.out.push_str(&line);
        out.out.push('\n');
    }

    fn progress(&mut self, _running: &Request, _news: &Progress, _out: &mut Output) {}

    fn adopt(&mut self, session_settings: &SessionSettings) {
        self.session_settings = session_settings.clone();
    }
}

fn answer(thought: &Thought) -> String {
    let Some(line) = thought.lines.first() else { return "-1 -1 0".into() };
    let value = line.value.round() as i64;
    match place(line.best()) {
        Ok((_, (x, y))) => format!("{y} {x} {value}"),
        Err(_) => format!("-1 -1 {value}"),
    }
}

/// `f5` as column 5 and row 4.
fn place(name: &str) -> IResult<&str, (usize, usize)> {
    let column = one_of("abcdefgh").map(|c| c as usize - 'a' as usize);
    let row = one_of("12345678").map(|c| c as usize - '1' as usize);
    all_consuming((column, row)).parse(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{Bound, Depth, Line as Variation, Source},
        protocol::dummy::Dummy,
    };

    /// What becomes of these lines: the positions asked about and the errors, in order.
    fn fed(lines: &[&str]) -> Vec<String> {
        let mut protocol = StandAlone::default();
        let mut requests: Vec<Request> =
            lines.iter().filter_map(|l| protocol.parse(&Line::new(*l), Dummy::default().commands())).collect();
        requests.extend(protocol.finish());
        let told = |request: Request| match request.command {
            Ok(Command::Work(Job::Query(query))) => query.position.unwrap_or_default(),
            Ok(other) => format!("{other:?}"),
            Err(refusal) => refusal.message,
        };
        requests.into_iter().map(told).collect()
    }

    const VERTICAL: [&str; 9] =
        ["0", "........", ".....", "........", "...10...", "...100..", "...1....", ".....", "........"];

    #[test]
    fn a_board_becomes_a_question() {
        let position = format!("{}---OX------OXX-----O----{} X", "-".repeat(24), "-".repeat(16));
        assert_eq!(fed(&VERTICAL), std::slice::from_ref(&position));
        let mut twice = VERTICAL.to_vec();
        twice.extend(["", "1"]);
        twice.extend(VERTICAL[1..].iter().map(|_| ". . . 1 0 . . ."));
        let other = format!("{} O", "---OX---".repeat(8));
        assert_eq!(fed(&twice), [position, other]);
    }

    #[test]
    fn a_bad_board_names_the_place_and_the_next_one_is_read() {
        let mut lines = vec!["0", "........", "....x...", "........"];
        lines.extend(VERTICAL);
        let got = fed(&lines);
        assert_eq!(got[0], "row 2, column 5: `x` is none of `0`, `1` and `.`");
        assert!(got.len() == 2 && got[1].ends_with('X'), "{got:?}");
        assert_eq!(fed(&["1", "...10"]), ["row 1, column 6: only 5 squares instead of 8"]);
        assert_eq!(fed(&["1", "........."]), ["row 1, column 9: more than 8 squares"]);
        assert_eq!(fed(&["0", "........"]), ["row 2, column 1: the row is missing, the input ends"]);
        assert_eq!(
            fed(&["0", "1"]),
            [
                "row 1, column 1: the row is missing, the next board begins",
                "row 1, column 1: the row is missing, the input ends"
            ]
        );
        let garbage = fed(&["hello", "world", "quit"]);
        assert_eq!(garbage.len(), 2, "{garbage:?}");
        assert!(garbage[0].contains("`hello`") && garbage[1] == "Quit");
    }

    fn rendered(best: &[&str], value: f64) -> String {
        let line = Variation {
            moves: best.iter().map(|m| (*m).to_owned()).collect(),
            value,
            bound: Bound::Exact,
            source: Source::Search,
            depth: Depth::default(),
            playouts: None,
        };
        let reply = Reply::Outcome(Outcome::Thought(Thought { lines: vec![line], ..Thought::default() }));
        let mut out = Output::default();
        StandAlone::default().render(&Request::new(WORD, Command::Nothing), &reply, &mut out);
        out.out
    }

    #[test]
    fn answers_are_row_column_value() {
        assert_eq!(rendered(&["f5", "d6"], -1.6), "4 5 -2\n");
        assert_eq!(rendered(&["a8"], -0.3), "7 0 0\n");
        assert_eq!(rendered(&["pass", "d6"], 12.0), "-1 -1 12\n");
        assert_eq!(rendered(&[], -64.0), "-1 -1 -64\n");
    }
}
