//! Gopal, the Go pattern language: text to syntax tree, syntax tree to text, and the checker that turns a syntax tree
//! into rules with all names resolved. Nothing here knows a board; `GOPAL.md` describes the language.

pub mod ast;
pub mod check;
pub mod comments;
pub mod message;
pub mod parse;
pub mod print;
pub mod rule;
mod scope;

#[cfg(test)]
mod tests;

pub use ast::Local;
pub use check::{Checked, check};
pub use message::{Fault, Message, Severity};
pub use parse::{Parsed, parse};
pub use rule::Rule;
pub use scope::{holds, work_out};

/// Reads and checks a program. A program with an error gives no rules at all.
pub fn read(text: &str) -> Result<Checked, Fault> {
    let Parsed { program, warnings } = parse(text)?;
    let mut checked = check(&program, text)?;
    checked.warnings.splice(0..0, warnings);
    checked.warnings.sort_by_key(|warning| (warning.line, warning.column));
    Ok(checked)
}
