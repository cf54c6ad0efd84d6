//! A syntax tree as text, in one fixed layout. Comments are not part of the tree: `comments` puts them back.

use super::ast::{Candidate, Declaration, Expr, Moves, Op, Pattern, Pickup, Program, Sequence, Step, Word, word_of};
use std::fmt::{self, Display, Formatter, Write};

const INDENT: &str = "  ";

/// A list with something between its items.
struct Joined<'a, T>(&'a [T], &'static str);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            let between = if i == 0 { "" } else { self.1 };
            write!(f, "{between}{item}")?;
        }
        Ok(())
    }
}

fn words<T: Word + PartialEq>(values: &[T]) -> Vec<&'static str> {
    values.iter().map(|&value| word_of(value)).collect()
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut between = "";
        if let Some(header) = &self.header {
            write!(f, "program {}", header.name.text)?;
            if !header.arguments.is_empty() {
                let names: Vec<&str> = header.arguments.iter().map(|name| name.text.as_str()).collect();
                write!(f, "({})", Joined(&names, ", "))?;
            }
            writeln!(f, ";")?;
            if !header.phases.is_empty() {
                writeln!(f, "applied_time {};", Joined(&words(&header.phases), ", "))?;
            }
            header.declarations.iter().try_for_each(|declaration| writeln!(f, "{declaration};"))?;
            between = "\n";
        }
        for pattern in &self.patterns {
            write!(f, "{between}{pattern}")?;
            between = "\n";
        }
        match self.header {
            Some(_) => writeln!(f, "{between}end_program;"),
            None => Ok(()),
        }
    }
}

impl Display for Declaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Declaration::Const { name, value } => write!(f, "const {} = {value}", name.text),
            Declaration::Var { names, kind } => {
                let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
                write!(f, "var {}: {}", Joined(&names, ", "), word_of(*kind))
            }
            Declaration::Function(function) => {
                let parameters: Vec<String> = function
                    .parameters
                    .iter()
                    .map(|(name, kind)| format!("{}: {}", name.text, word_of(*kind)))
                    .collect();
                let (name, result, body) = (&function.name.text, word_of(function.result), &function.body);
                write!(f, "function {name}({}): {result}; begin {body}; end", Joined(&parameters, ", "))
            }
        }
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "pattern {};", self.name.text)?;
        if !self.phases.is_empty() {
            writeln!(f, "{INDENT}applied_time {};", Joined(&words(&self.phases), ", "))?;
        }
        let reflections = if self.symmetric { "" } else { " non_symmetric" };
        writeln!(f, "{INDENT}applied_place {}{reflections};", word_of(self.place))?;
        self.declarations.iter().try_for_each(|declaration| writeln!(f, "{INDENT}{declaration};"))?;
        writeln!(f, "{INDENT}pickup {};", self.pickup)?;
        writeln!(f, "{INDENT}condition {};", self.condition)?;
        self.candidate.print(f, 1)?;
        writeln!(f, "end_pattern;")
    }
}

impl Display for Pickup {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let point = |at: &Option<Expr>| at.as_ref().map_or(String::new(), |at| format!(", {at}"));
        match self {
            Pickup::None => f.write_str("none"),
            Pickup::Corner(stones, _) => write!(f, "corner({stones})"),
            Pickup::Stone { who, at } => write!(f, "stone({}{})", who.text, point(at)),
            Pickup::Chain { who, op, liberties, at } => {
                write!(f, "chain({}, liberties {} {liberties}{})", who.text, op.symbol(), point(at))
            }
        }
    }
}

fn indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str(INDENT))
}

impl Candidate {
    fn print(&self, f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
        indent(f, depth)?;
        f.write_str("candidate\n")?;
        self.sequences.iter().try_for_each(|sequence| sequence.print(f, depth + 1))?;
        indent(f, depth)?;
        f.write_str("end_candidate;\n")
    }
}

impl Sequence {
    fn print(&self, f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
        if let Some(condition) = &self.condition {
            indent(f, depth)?;
            writeln!(f, "condition {condition};")?;
        }
        if !self.tarea.is_empty() {
            indent(f, depth)?;
            writeln!(f, "tarea({});", Joined(&self.tarea, ":"))?;
        }
        indent(f, depth)?;
        writeln!(f, "with {}", self.first)?;
        self.then.iter().try_for_each(|step| step.print(f, depth))
    }
}

impl Step {
    fn print(&self, f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
        indent(f, depth)?;
        match self {
            Step::Next { moves, tenuki } => {
                writeln!(f, "next {moves}")?;
                if let Some(tenuki) = tenuki {
                    indent(f, depth)?;
                    writeln!(f, "tenuki {tenuki}")?;
                }
                Ok(())
            }
            Step::Branch { condition, candidates } => {
                f.write_str("branch\n")?;
                if let Some(condition) = condition {
                    indent(f, depth + 1)?;
                    writeln!(f, "condition {condition};")?;
                }
                candidates.iter().try_for_each(|candidate| candidate.print(f, depth + 1))?;
                indent(f, depth)?;
                f.write_str("end_branch;\n")
            }
        }
    }
}

impl Display for Moves {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}", self.intent.text, self.weight)?;
        if let Some(extra) = self.extra {
            write!(f, ", {extra}")?;
        }
        write!(f, ") {};", Joined(&self.points, ", "))
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_expr(self, 1, f)
    }
}

/// Parentheses are written where the place needs a tighter binding than the expression has.
fn write_expr(expr: &Expr, place: u8, f: &mut Formatter<'_>) -> fmt::Result {
    let tightness = match expr {
        Expr::Binary { op, .. } => op.precedence(),
        Expr::Not(..) => 3,
        _ => 7,
    };
    if tightness < place {
        f.write_char('(')?;
        write_expr(expr, 1, f)?;
        return f.write_char(')');
    }
    match expr {
        Expr::Number(number, _) => write!(f, "{number}"),
        Expr::Point(point, _) => write!(f, "{point}"),
        Expr::Name(name) => f.write_str(&name.text),
        Expr::Call { name, arguments } => {
            let between = if name.text == "try" { " : " } else { ", " };
            write!(f, "{}({})", name.text, Joined(arguments, between))
        }
        Expr::Not(inner, _) => {
            f.write_str("not ")?;
            write_expr(inner, 3, f)
        }
        Expr::Negative(inner, _) => {
            f.write_char('-')?;
            write_expr(inner, 7, f)
        }
        Expr::Binary { op, left, right, .. } => {
            let own = op.precedence();
            let left_place = if op.compares() { own + 1 } else { own };
            write_expr(left, left_place, f)?;
            write!(f, " {} ", op.symbol())?;
            // A colour after a minus would be read as the misprint of figure 6.
            let text = right.to_string();
            let first = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(&*text, |end| &text[..end]);
            let colour = ["friend", "enemy", "empty", "edge"].contains(&first);
            if *op == Op::Minus && colour {
                return write!(f, "({text})");
            }
            write_expr(right, own + 1, f)
        }
    }
}
