//! Expressions: operators from loose to tight, calls, points and names.

use super::{Expected, Grammar, LONGEST, Read, TOO_LONG, failure};
use crate::gopal::ast::{At, Expr, Local, Name, Op};
use crate::gopal::message::Complaint;
use nom::{
    Parser,
    combinator::{cut, map, opt, peek},
    multi::separated_list1,
    sequence::terminated,
};

impl<'a> Grammar<'a> {
    pub(super) fn expression(&self, input: &'a str) -> Read<'a, Expr> {
        self.nested(input, || self.binary(1, input))
    }

    /// Operators of this precedence and higher, all from left to right; comparisons do not chain.
    fn binary(&self, precedence: u8, input: &'a str) -> Read<'a, Expr> {
        match precedence {
            3 => return self.negation(input),
            7.. => return self.unary(input),
            _ => {}
        }
        let (mut input, mut left) = self.binary(precedence + 1, input)?;
        let mut length = 0;
        while let Some((rest, op, at)) = self.operator(precedence, input)? {
            let (rest, right) = cut(|i| self.binary(precedence + 1, i)).parse(rest)?;
            left = Expr::Binary { op, at, left: Box::new(left), right: Box::new(right) };
            input = rest;
            length += 1;
            if length > LONGEST {
                return failure(input, TOO_LONG);
            }
            if op.compares() {
                break;
            }
        }
        Ok((input, left))
    }

    /// An operator of this precedence, misprints included.
    fn operator(&self, precedence: u8, input: &'a str) -> Result<Option<(&'a str, Op, At)>, nom::Err<Expected<'a>>> {
        let (start, ()) = self.space(input)?;
        let mut rest = start;
        if precedence <= 2
            && let Some(after) = start.strip_prefix(';')
        {
            (rest, ()) = self.space(after)?;
        }
        let at = self.at(rest);
        if precedence == 4 {
            if let Some(after) = rest.strip_prefix('-').filter(|after| self.is_colour(after)) {
                self.warn(rest, Complaint::MinusForEqual);
                return Ok(Some((after, Op::Equal, at)));
            }
            return Ok(self.comparison_sign(rest).ok().map(|(rest, op)| (rest, op, at)));
        }
        let found = Op::ALL.into_iter().filter(|op| op.precedence() == precedence).find_map(|op| {
            let after = rest.strip_prefix(op.symbol())?;
            (op != Op::Minus || !self.is_colour(after)).then_some((after, op, at))
        });
        if found.is_some() && rest.len() != start.len() {
            self.warn(start, Complaint::SemicolonBeforeOperator);
        }
        Ok(found)
    }

    fn is_colour(&self, input: &'a str) -> bool {
        let word = self.raw_word(input);
        word.is_ok_and(|(_, (text, _))| ["friend", "enemy", "empty", "edge"].contains(&text.as_str()))
    }

    fn negation(&self, input: &'a str) -> Read<'a, Expr> {
        match self.keyword("not", "`not`")(input) {
            Ok((rest, at)) => {
                self.nested(rest, || map(cut(|i| self.negation(i)), |inner| Expr::Not(Box::new(inner), at)).parse(rest))
            }
            Err(_) => self.binary(4, input),
        }
    }

    fn unary(&self, input: &'a str) -> Read<'a, Expr> {
        let (rest, ()) = self.space(input)?;
        match rest.strip_prefix('-') {
            Some(after) => {
                let at = self.at(rest);
                self.nested(after, || {
                    map(cut(|i| self.unary(i)), |inner| Expr::Negative(Box::new(inner), at)).parse(after)
                })
            }
            None => self.atom(rest),
        }
    }

    fn atom(&self, input: &'a str) -> Read<'a, Expr> {
        let at = self.at(input);
        if input.starts_with(|c: char| c.is_ascii_digit()) {
            return map(self.integer("a number"), |number| Expr::Number(number, at)).parse(input);
        }
        if let Some(inside) = input.strip_prefix('(') {
            return cut(terminated(|i| self.expression(i), self.symbol(")", "an operator or `)`"))).parse(inside);
        }
        let (rest, name) = self.name("a point, a name, a number or `(`")(input)?;
        if let (after, Some(_)) = opt(peek(self.symbol("(", "`(`"))).parse(rest)? {
            let (after, ()) = self.symbol("(", "`(`")(after)?;
            let between: &'static str = if name.text == "try" { ":" } else { "," };
            let arguments = separated_list1(self.symbol(between, "`,`"), |i| self.expression(i));
            let (after, arguments) =
                cut(terminated(arguments, self.symbol(")", "an operator, `,` or `)`"))).parse(after)?;
            return Ok((after, Expr::Call { name, arguments }));
        }
        match self.point(&name) {
            Some(Ok(point)) => Ok((rest, Expr::Point(point, at))),
            Some(Err(())) => failure(input, "a point from pa1 to py25"),
            None => Ok((rest, Expr::Name(name))),
        }
    }

    /// A name that is a point: `p`, a letter, a number; `l` is read as 1.
    fn point(&self, name: &Name) -> Option<Result<Local, ()>> {
        let &[b'p', letter @ b'a'..=b'z', ref digits @ ..] = name.text.as_bytes() else { return None };
        let column = letter - b'a' + 1;
        if digits == b"l" {
            let meant = Local::new(column, 1)?;
            let complaint = Complaint::LetterForDigit(name.text.clone(), meant.to_string());
            self.warnings.borrow_mut().push((name.at.0, complaint));
            return Some(Ok(meant));
        }
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let row = digits.iter().try_fold(0u8, |n, d| n.checked_mul(10)?.checked_add(d - b'0'));
        Some(row.and_then(|row| Local::new(column, row)).ok_or(()))
    }
}
