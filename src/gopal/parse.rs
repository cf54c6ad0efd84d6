//! The grammar of Gopal, read with nom. `GOPAL.md` shows it in one piece.
//!
//! Known misprints of the paper are read as what was meant and reported as warnings.

use super::ast::{
    At, Candidate, Declaration, Expr, Function, Header, Moves, Name, Op, Pattern, Phase, Pickup, Place, Program,
    Sequence, Step, Type, Word,
};
use super::message::{Complaint, Fault, Message, Severity};
use crate::base::parse_error::{Expected, Read};
use nom::{
    Parser,
    branch::alt,
    bytes::complete::take_while1,
    combinator::{cut, map, opt, verify},
    multi::{many0, many1, separated_list1},
    sequence::{delimited, preceded, terminated},
};
use std::cell::{Cell, RefCell};

/// The largest program, in bytes.
pub const LARGEST: usize = 8 << 20;
/// How deep expressions and branches may be nested.
pub const DEEPEST: usize = 64;
/// How many operators of one precedence may stand in a row.
pub const LONGEST: usize = 400;

#[derive(Debug, Clone)]
pub struct Parsed {
    pub program: Program,
    pub warnings: Vec<Message>,
}

/// Reads a program or a bare list of patterns.
pub fn parse(text: &str) -> Result<Parsed, Fault> {
    if text.len() > LARGEST {
        return Err(Fault::new(text, 0, Complaint::TooLarge { what: "the number of bytes", limit: LARGEST }));
    }
    let grammar = Grammar { text, warnings: RefCell::default(), depth: Cell::new(0) };
    match grammar.program(text) {
        Ok((_, program)) => Ok(Parsed { program, warnings: grammar.warnings() }),
        Err(nom::Err::Error(unmet) | nom::Err::Failure(unmet)) => Err(grammar.fault(&unmet)),
        Err(nom::Err::Incomplete(_)) => Err(grammar.fault(&Expected { rest: "", expected: "" })),
    }
}

/// Words that name no constant, function or pattern.
const RESERVED: &[&str] = &[
    "applied_place",
    "applied_time",
    "begin",
    "branch",
    "candidate",
    "condition",
    "const",
    "end",
    "end_branch",
    "end_candidate",
    "end_pattern",
    "end_program",
    "function",
    "next",
    "not",
    "pattern",
    "pickup",
    "program",
    "tarea",
    "tenuki",
    "var",
    "with",
];

/// What a comment that swallowed a statement contains at the beginning of a line.
const STATEMENTS: &[&str] = &["with", "next", "tenuki", "condition", "candidate", "pickup", "branch", "tarea"];

const TOO_DEEP: &str = "less deep nesting";
const TOO_LONG: &str = "a shorter expression";

mod expression;

struct Grammar<'a> {
    text: &'a str,
    /// Where and what; a place read twice warns once.
    warnings: RefCell<Vec<(usize, Complaint)>>,
    depth: Cell<usize>,
}

/// An error that ends the reading.
fn failure<'a, T>(rest: &'a str, expected: &'static str) -> Result<T, nom::Err<Expected<'a>>> {
    Err(nom::Err::Failure(Expected { rest, expected }))
}

/// An error after which another way may be tried.
fn mismatch<'a, T>(rest: &'a str, expected: &'static str) -> Result<T, nom::Err<Expected<'a>>> {
    Err(nom::Err::Error(Expected { rest, expected }))
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The name, number or character a text begins with, for error messages.
fn found(rest: &str) -> String {
    let rest = rest.trim_start();
    let name = rest.find(|c| !is_name_character(c)).map_or(rest, |end| &rest[..end]);
    match rest.chars().next() {
        None => "the end".into(),
        Some(c) if name.is_empty() => format!("`{}`", c.escape_debug()),
        Some(_) => format!("`{}`", name.chars().take(40).collect::<String>()),
    }
}

impl<'a> Grammar<'a> {
    fn offset(&self, rest: &str) -> usize {
        self.text.len() - rest.len()
    }

    fn at(&self, rest: &str) -> At {
        At(self.offset(rest))
    }

    fn warn(&self, rest: &str, complaint: Complaint) {
        self.warnings.borrow_mut().push((self.offset(rest), complaint));
    }

    fn warnings(&self) -> Vec<Message> {
        let mut warnings = self.warnings.take();
        warnings.sort_by_key(|(at, _)| *at);
        warnings.dedup();
        let message = |(at, complaint)| Message::new(Severity::Warning, self.text, at, complaint);
        // A text full of misprints is no Gopal: the first hundred tell enough.
        warnings.into_iter().take(100).map(message).collect()
    }

    fn fault(&self, unmet: &Expected<'_>) -> Fault {
        let rest = unmet.rest.trim_start();
        let expected = if unmet.expected.is_empty() { "something else" } else { unmet.expected };
        let complaint = match expected {
            TOO_LONG => Complaint::TooLarge { what: "the number of operators in a row", limit: LONGEST },
            TOO_DEEP => Complaint::TooLarge { what: "the depth of nesting", limit: DEEPEST },
            _ => Complaint::Expected { expected: expected.into(), found: found(rest) },
        };
        Fault::new(self.text, self.offset(rest), complaint)
    }

    /// Runs `parser` one level deeper.
    fn nested<T>(&self, input: &'a str, parser: impl FnOnce() -> Read<'a, T>) -> Read<'a, T> {
        if self.depth.get() >= DEEPEST {
            return failure(input, TOO_DEEP);
        }
        self.depth.set(self.depth.get() + 1);
        let result = parser();
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// Blanks and comments.
    fn space(&self, mut input: &'a str) -> Read<'a, ()> {
        loop {
            let rest = input.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            let Some(comment) = rest.strip_prefix('{') else { return Ok((rest, ())) };
            let Some(end) = comment.find('}') else { return failure(rest, "a comment that ends with `}`") };
            for line in comment[..end].lines().skip(1).map(str::trim_start) {
                let lower = line.get(..12.min(line.len())).unwrap_or("").to_ascii_lowercase();
                let statement = |word: &&str| {
                    lower.strip_prefix(*word).is_some_and(|rest| rest.trim_start().starts_with(['(', ' ']))
                };
                if STATEMENTS.iter().any(statement) {
                    self.warn(rest, Complaint::HiddenStatement);
                    break;
                }
            }
            input = &comment[end + 1..];
        }
    }

    /// Where a statement may begin: also skips lines of explanation that lost their braces, as in the figures of the
    /// paper. They begin with `(` or with a letter that is not ASCII.
    fn between_statements(&self, input: &'a str) -> Read<'a, ()> {
        let (mut rest, ()) = self.space(input)?;
        while rest.starts_with(|c: char| c == '(' || c == '}' || !c.is_ascii()) {
            self.warn(rest, Complaint::BareComment);
            let line = rest.find('\n').unwrap_or(rest.len());
            (rest, ()) = self.space(&rest[line..])?;
        }
        Ok((rest, ()))
    }

    fn symbol(&self, symbol: &'static str, expected: &'static str) -> impl Fn(&'a str) -> Read<'a, ()> + '_ {
        move |input| {
            let (rest, ()) = self.space(input)?;
            match rest.strip_prefix(symbol) {
                Some(after) => Ok((after, ())),
                None => mismatch(rest, expected),
            }
        }
    }

    /// The end of a statement.
    fn semicolon(&self, input: &'a str) -> Read<'a, ()> {
        let (rest, ()) = self.space(input)?;
        if let Some(after) = rest.strip_prefix(';') {
            return Ok((after, ()));
        }
        match rest.strip_prefix(':') {
            Some(after) => {
                self.warn(rest, Complaint::Colon);
                Ok((after, ()))
            }
            None => mismatch(rest, "`;`"),
        }
    }

    fn raw_word(&self, input: &'a str) -> Read<'a, (String, At)> {
        let (rest, ()) = self.space(input)?;
        let at = self.at(rest);
        let letters =
            verify(take_while1(is_name_character), |word: &str| !word.starts_with(|c: char| c.is_ascii_digit()));
        let (rest, word) = letters_or(letters, rest, "a name")?;
        Ok((rest, (word.to_ascii_lowercase(), at)))
    }

    fn name(&self, expected: &'static str) -> impl Fn(&'a str) -> Read<'a, Name> + '_ {
        move |input| match self.raw_word(input) {
            Ok((rest, (text, at))) if !RESERVED.contains(&text.as_str()) => Ok((rest, Name { text, at })),
            _ => mismatch(self.space(input)?.0, expected),
        }
    }

    fn keyword(&self, word: &'static str, expected: &'static str) -> impl Fn(&'a str) -> Read<'a, At> + '_ {
        move |input| match self.raw_word(input) {
            Ok((rest, (text, at))) if text == word => Ok((rest, at)),
            _ => mismatch(self.space(input)?.0, expected),
        }
    }

    fn choice<T: Word>(&self, expected: &'static str) -> impl Fn(&'a str) -> Read<'a, T> + '_ {
        move |input| match self.raw_word(input) {
            Ok((rest, (text, _))) if T::from_word(&text).is_some() => {
                T::from_word(&text).map_or_else(|| mismatch(input, expected), |value| Ok((rest, value)))
            }
            _ => mismatch(self.space(input)?.0, expected),
        }
    }

    fn integer(&self, expected: &'static str) -> impl Fn(&'a str) -> Read<'a, i64> + '_ {
        move |input| {
            let (rest, ()) = self.space(input)?;
            let (after, digits) = letters_or(take_while1(|c: char| c.is_ascii_digit()), rest, expected)?;
            match digits.parse::<i64>() {
                Ok(number) if number <= 1_000_000_000 => Ok((after, number)),
                _ => failure(rest, "a number up to 1000000000"),
            }
        }
    }

    fn program(&self, input: &'a str) -> Read<'a, Program> {
        let (input, header) = opt(|i| self.header(i)).parse(input)?;
        let (input, patterns) = many0(preceded(|i| self.between_statements(i), |i| self.pattern(i))).parse(input)?;
        let (input, ()) = self.between_statements(input)?;
        let (input, ended) =
            opt(terminated(self.keyword("end_program", "`pattern` or `end_program`"), opt(|i| self.semicolon(i))))
                .parse(input)?;
        let (input, ()) = self.between_statements(input)?;
        match (&header, ended) {
            (Some(_), None) if input.is_empty() => self.warn(input, Complaint::Missing("end_program")),
            (None, Some(_)) => return failure(input, "a pattern: there was no `program`"),
            _ => {}
        }
        let end = match header {
            _ if ended.is_some() => "the end",
            Some(_) => "`pattern` or `end_program`",
            None if patterns.is_empty() => "`program` or `pattern`",
            None => "`pattern`",
        };
        let nothing = header.is_none() && patterns.is_empty();
        if input.is_empty() && !nothing { Ok((input, Program { header, patterns })) } else { failure(input, end) }
    }

    fn header(&self, input: &'a str) -> Read<'a, Header> {
        let (input, _) = self.keyword("program", "`program`")(input)?;
        let (input, name) = cut(self.name("the name of the program")).parse(input)?;
        let arguments = delimited(
            self.symbol("(", "`(`"),
            separated_list1(self.symbol(",", "`,`"), self.name("a name")),
            cut(self.symbol(")", "`)`")),
        );
        let (input, arguments) = opt(arguments).parse(input)?;
        let (input, ()) = cut(|i| self.semicolon(i)).parse(input)?;
        let (input, phases) = self.phases(input)?;
        let (input, declarations) = self.declarations(input)?;
        Ok((input, Header { name, arguments: arguments.unwrap_or_default(), phases, declarations }))
    }

    fn phases(&self, input: &'a str) -> Read<'a, Vec<Phase>> {
        let phase = self.choice::<Phase>("opening, middle, ending or any");
        let list = preceded(
            self.keyword("applied_time", "`applied_time`"),
            cut(terminated(separated_list1(self.symbol(",", "`,`"), phase), |i| self.semicolon(i))),
        );
        map(opt(list), Option::unwrap_or_default).parse(input)
    }

    fn declarations(&self, input: &'a str) -> Read<'a, Vec<Declaration>> {
        let constant = (
            preceded(self.keyword("const", "`const`"), cut(self.name("the name of a constant"))),
            preceded(cut(self.symbol("=", "`=`")), cut(|i| self.expression(i))),
        );
        let constant = map(constant, |(name, value)| Declaration::Const { name, value });
        let variables = (
            preceded(
                self.keyword("var", "`var`"),
                cut(separated_list1(self.symbol(",", "`,`"), self.name("the name of a variable"))),
            ),
            preceded(cut(self.symbol(":", "`:`")), cut(self.choice::<Type>(TYPES))),
        );
        let variables = map(variables, |(names, kind)| Declaration::Var { names, kind });
        let function = map(|i| self.function(i), Declaration::Function);
        many0(terminated(alt((constant, variables, function)), cut(|i| self.semicolon(i)))).parse(input)
    }

    fn function(&self, input: &'a str) -> Read<'a, Function> {
        let (input, _) = self.keyword("function", "`function`")(input)?;
        let (input, name) = cut(self.name("the name of a function")).parse(input)?;
        let kind = |i: &'a str| preceded(self.symbol(":", "`:`"), self.choice::<Type>(TYPES)).parse(i);
        let parameters = delimited(
            cut(self.symbol("(", "`(`")),
            separated_list1(alt((self.symbol(",", "`,`"), self.symbol(";", "`;`"))), (self.name("a parameter"), kind)),
            self.symbol(")", "`)`"),
        );
        let (input, parameters) = cut(parameters).parse(input)?;
        let (input, result) = cut(kind).parse(input)?;
        let (input, ()) = cut(|i| self.semicolon(i)).parse(input)?;
        let (input, _) = cut(self.keyword("begin", "`begin`")).parse(input)?;
        let (input, body) = cut(|i| self.expression(i)).parse(input)?;
        let (input, ()) = cut(|i| self.semicolon(i)).parse(input)?;
        let (input, _) = cut(self.keyword("end", "`end`")).parse(input)?;
        Ok((input, Function { name, parameters, result, body }))
    }

    fn pattern(&self, input: &'a str) -> Read<'a, Pattern> {
        let (input, _) = self.keyword("pattern", "`pattern`")(input)?;
        cut(|i| self.pattern_body(i)).parse(input)
    }

    fn pattern_body(&self, input: &'a str) -> Read<'a, Pattern> {
        let (input, name) = terminated(self.name("the name of the pattern"), |i| self.semicolon(i)).parse(input)?;
        let (input, phases) = self.phases(input)?;
        let (input, _) = self.keyword("applied_place", "`applied_place`")(input)?;
        let (input, place) = self.choice::<Place>("corner, side, center or anywhere")(input)?;
        let (input, plain) = opt(self.keyword("non_symmetric", "`non_symmetric`")).parse(input)?;
        let (input, ()) = self.semicolon(input)?;
        let (input, declarations) = self.declarations(input)?;
        let (input, _) = self.keyword("pickup", "`pickup`")(input)?;
        let (input, pickup) = terminated(|i| self.pickup(i), |i| self.semicolon(i)).parse(input)?;
        let (input, condition) = self.condition(input)?;
        let (input, candidate) = self.candidate(input)?;
        let (input, ()) = self.closing("end_pattern", &["pattern", "end_program", ""], input)?;
        let symmetric = plain.is_none();
        Ok((input, Pattern { name, phases, place, symmetric, declarations, pickup, condition, candidate }))
    }

    /// `end_…;`, which may be missing where one of these words or the end of the text follows.
    fn closing(&self, word: &'static str, before: &[&str], input: &'a str) -> Read<'a, ()> {
        let (input, ()) = self.between_statements(input)?;
        let end = terminated(self.keyword(word, word), cut(|i| self.semicolon(i)));
        let (rest, ended) = opt(end).parse(input)?;
        let next = self.raw_word(rest).map_or_else(|_| String::new(), |(_, (text, _))| text);
        let may_miss = before.contains(&next.as_str()) && (!next.is_empty() || rest.is_empty());
        match ended {
            Some(_) => Ok((rest, ())),
            None if may_miss => {
                self.warn(rest, Complaint::Missing(word));
                Ok((rest, ()))
            }
            None => mismatch(
                rest,
                if word == "end_pattern" { "`end_pattern`" } else { "`with`, `next`, `branch` or `end_candidate`" },
            ),
        }
    }

    fn pickup(&self, input: &'a str) -> Read<'a, Pickup> {
        const WHAT: &str = "none, corner, stone or chain";
        let (rest, Name { text, at }) = self.name(WHAT)(input)?;
        let comma = |i| self.symbol(",", "`,`")(i);
        let point = |i| opt(preceded(comma, |i| self.expression(i))).parse(i);
        let (open, close) = (self.symbol("(", "`(`"), self.symbol(")", "`)`"));
        match text.as_str() {
            "none" => Ok((rest, Pickup::None)),
            "corner" => {
                let count = delimited(open, self.integer("a number of stones"), close);
                map(count, |count| Pickup::Corner(count, at)).parse(rest)
            }
            "stone" => {
                let stone = delimited(open, (self.name("friend or enemy"), point), close);
                map(stone, |(who, at)| Pickup::Stone { who, at }).parse(rest)
            }
            "chain" => {
                let liberties =
                    preceded(comma, preceded(self.keyword("liberties", "`liberties`"), |i| self.comparison_sign(i)));
                let chain = (self.name("friend or enemy"), liberties, self.integer("a number of liberties"), point);
                map(delimited(open, chain, close), |(who, op, liberties, at)| Pickup::Chain { who, op, liberties, at })
                    .parse(rest)
            }
            _ => mismatch(self.space(input)?.0, WHAT),
        }
    }

    fn comparison_sign(&self, input: &'a str) -> Read<'a, Op> {
        let (rest, ()) = self.space(input)?;
        // The longer signs first.
        for op in [Op::Unequal, Op::AtMost, Op::AtLeast, Op::Less, Op::Greater, Op::Equal] {
            if let Some(after) = rest.strip_prefix(op.symbol()) {
                return Ok((after, op));
            }
        }
        mismatch(rest, "a comparison")
    }

    fn condition(&self, input: &'a str) -> Read<'a, Expr> {
        let (input, ()) = self.between_statements(input)?;
        let (input, _) = self.keyword("condition", "`condition`")(input)?;
        cut(terminated(|i| self.expression(i), |i| self.semicolon(i))).parse(input)
    }

    fn candidate(&self, input: &'a str) -> Read<'a, Candidate> {
        let (input, ()) = self.between_statements(input)?;
        let (input, _) = self.keyword("candidate", "`candidate`")(input)?;
        self.nested(input, || {
            let (input, sequences) = cut(many1(|i| self.sequence(i))).parse(input)?;
            let followers = ["end_pattern", "candidate", "end_branch", "pattern", "end_program", ""];
            let (input, ()) = cut(|i| self.closing("end_candidate", &followers, i)).parse(input)?;
            Ok((input, Candidate { sequences }))
        })
    }

    fn sequence(&self, input: &'a str) -> Read<'a, Sequence> {
        let (input, condition) = opt(|i| self.condition(i)).parse(input)?;
        let (input, tarea) = opt(|i| self.tarea(i)).parse(input)?;
        let cut_short = condition.is_some() || tarea.is_some();
        let (input, first) = match self.moves("with", "`with`", input) {
            Err(nom::Err::Error(unmet)) if cut_short => return Err(nom::Err::Failure(unmet)),
            other => other?,
        };
        let (input, then) = many0(|i| self.step(i)).parse(input)?;
        Ok((input, Sequence { condition, tarea: tarea.unwrap_or_default(), first, then }))
    }

    fn tarea(&self, input: &'a str) -> Read<'a, Vec<Expr>> {
        let (input, ()) = self.between_statements(input)?;
        let (input, _) = self.keyword("tarea", "`tarea`")(input)?;
        let points = delimited(
            self.symbol("(", "`(`"),
            separated_list1(self.symbol(":", "`:`"), |i| self.expression(i)),
            self.symbol(")", "`)`"),
        );
        cut(terminated(points, |i| self.semicolon(i))).parse(input)
    }

    fn step(&self, input: &'a str) -> Read<'a, Step> {
        const STEP: &str = "`with`, `next`, `branch` or `end_candidate`";
        let next = |i| {
            let (i, moves) = self.moves("next", STEP, i)?;
            let (i, tenuki) = opt(|i| self.moves("tenuki", "`tenuki`", i)).parse(i)?;
            Ok((i, Step::Next { moves, tenuki }))
        };
        alt((next, |i| self.branch(i))).parse(input)
    }

    fn branch(&self, input: &'a str) -> Read<'a, Step> {
        let (input, ()) = self.between_statements(input)?;
        let (input, _) = self.keyword("branch", "`branch`")(input)?;
        self.nested(input, || {
            let (input, condition) = opt(|i| self.condition(i)).parse(input)?;
            let (input, candidates) = cut(many1(|i| self.candidate(i))).parse(input)?;
            let (input, ()) = self.between_statements(input)?;
            let (input, _) = cut(self.keyword("end_branch", "`candidate` or `end_branch`")).parse(input)?;
            let (input, ()) = cut(|i| self.semicolon(i)).parse(input)?;
            Ok((input, Step::Branch { condition, candidates }))
        })
    }

    /// `with (intent, weight, extra) points;` and the like.
    fn moves(&self, word: &'static str, expected: &'static str, input: &'a str) -> Read<'a, Moves> {
        let (input, ()) = self.between_statements(input)?;
        let (input, at) = self.keyword(word, expected)(input)?;
        let comma = |i| self.symbol(",", "`,`")(i);
        let head = delimited(
            self.symbol("(", "`(`"),
            (terminated(self.name("an intent"), comma), |i| self.weight(i)),
            self.symbol(")", "`)`"),
        );
        let (input, (intent, (weight, extra))) = cut(head).parse(input)?;
        let points = terminated(separated_list1(comma, |i| self.expression(i)), |i| self.semicolon(i));
        let (input, points) = cut(points).parse(input)?;
        Ok((input, Moves { at, intent, weight, extra, points }))
    }

    fn weight(&self, input: &'a str) -> Read<'a, (i64, Option<i64>)> {
        let (rest, weight) = self.integer("a weight")(input)?;
        if let Some(after) = rest.strip_prefix('.').filter(|after| after.starts_with(|c: char| c.is_ascii_digit())) {
            self.warn(rest, Complaint::PointForComma);
            return map(self.integer("a number"), |extra| (weight, Some(extra))).parse(after);
        }
        let extra = preceded(self.symbol(",", "`,`"), cut(self.integer("a number")));
        map(opt(extra), |extra| (weight, extra)).parse(rest)
    }
}

const TYPES: &str = "boolean, integer, point, set or colour";

/// Runs a parser of characters and names what it expects.
fn letters_or<'a>(
    mut parser: impl Parser<&'a str, Output = &'a str, Error = Expected<'a>>,
    input: &'a str,
    expected: &'static str,
) -> Read<'a, &'a str> {
    parser.parse(input).or_else(|_| mismatch(input, expected))
}
