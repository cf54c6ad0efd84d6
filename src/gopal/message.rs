//! What the reader of a program has to say about it: errors and warnings, each with its place in the text.

use crate::base::ParseError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// A remark about one place of a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {complaint}")]
pub struct Message {
    pub severity: Severity,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The line of the text, cut after 200 characters.
    pub source_line: String,
    pub complaint: Complaint,
}

/// A program that cannot be used, and the first reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct Fault(#[from] pub Box<Message>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Complaint {
    #[error("expected {expected}, found {found}")]
    Expected { expected: String, found: String },
    #[error("the program is too large: {what} is limited to {limit}")]
    TooLarge { what: &'static str, limit: usize },
    #[error("unknown name `{0}`")]
    UnknownName(String),
    #[error("unknown function `{0}`")]
    UnknownFunction(String),
    #[error("`{0}` is declared twice")]
    Twice(String),
    #[error("`{0}` is a built-in name")]
    BuiltIn(String),
    #[error("`{name}` takes {wanted} arguments, found {found}")]
    Arguments { name: String, wanted: &'static str, found: usize },
    #[error("expected a value of type {wanted}, found {found}")]
    Type { wanted: &'static str, found: &'static str },
    #[error("these cannot be compared: {left} and {right}")]
    Incomparable { left: &'static str, right: &'static str },
    #[error("the point lies outside the frame, which ends at y25")]
    OutsideFrame,
    #[error("the variable `{0}` has no value: only `pickup stone` and `pickup chain` give one")]
    NoValue(String),
    #[error("nothing is picked up here")]
    NothingPicked,
    #[error("this needs points known before the match")]
    NotConstant,
    #[error("`:` in place of `;`")]
    Colon,
    #[error("missing `{0}`")]
    Missing(&'static str),
    #[error("`;` before an operator")]
    SemicolonBeforeOperator,
    #[error("`-` in place of `=`")]
    MinusForEqual,
    #[error("`{0}` in place of `{1}`")]
    LetterForDigit(String, String),
    #[error("`.` in place of `,`")]
    PointForComma,
    #[error("a comment without braces")]
    BareComment,
    #[error("a comment hides a statement")]
    HiddenStatement,
    #[error("the pattern `{0}` can never match")]
    NeverMatches(String),
    #[error("the candidate {0} can never be empty here")]
    NeverEmpty(String),
}

/// The line and column of a byte of a text, and the line itself.
fn place(text: &str, at: usize) -> (usize, usize, String) {
    let ParseError { line, column, .. } = ParseError::at(text, text.get(at..).unwrap_or(""), "");
    let source_line: String = text.lines().nth(line - 1).unwrap_or("").chars().take(200).collect();
    (line, column, source_line)
}

impl Message {
    pub fn new(severity: Severity, text: &str, at: usize, complaint: Complaint) -> Message {
        let (line, column, source_line) = place(text, at);
        Message { severity, line, column, source_line, complaint }
    }

    /// A second line for the line of the text, with a caret under the place. Wide characters take two columns.
    pub fn caret(&self) -> String {
        let wide = |c: char| matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6);
        let pad = self.source_line.chars().take(self.column.saturating_sub(1)).map(|c| match c {
            '\t' => "\t",
            c if wide(c) => "  ",
            _ => " ",
        });
        pad.chain(["^"]).collect()
    }
}

impl Fault {
    pub fn new(text: &str, at: usize, complaint: Complaint) -> Fault {
        Fault(Box::new(Message::new(Severity::Error, text, at, complaint)))
    }
}
