//! Names and types: an expression of the syntax tree becomes a value with a type, and what is known is worked out.

use super::ast::{At, Expr, Function, Local, Name, Op, Type};
use super::message::{Complaint, Fault};
use super::rule::{Cells, Number, Region, Spot, Truth};
use std::collections::HashMap;

/// How many parts one program may have once constants and functions are put in.
const LARGEST: usize = 2_000_000;
/// How many parts the value of a name may have.
const LARGEST_VALUE: usize = 20_000;
const DEEPEST_CALLS: usize = 32;

/// The colours' names are values: `empty`, or what a point holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Truth(Truth),
    Number(Number),
    Spot(Spot),
    Region(Region),
    Colour(Cells),
    State(Spot),
    States(Region),
}

impl Value {
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Value::Truth(_) => "boolean",
            Value::Number(_) => "integer",
            Value::Spot(_) => "point",
            Value::Region(_) => "set",
            Value::Colour(_) | Value::State(_) => "colour",
            Value::States(_) => "the colours of a set",
        }
    }

    fn has_type(&self, kind: Type) -> bool {
        match kind {
            Type::Boolean => matches!(self, Value::Truth(_)),
            Type::Integer => matches!(self, Value::Number(_)),
            Type::Point => matches!(self, Value::Spot(_)),
            Type::Set => matches!(self, Value::Region(_) | Value::Spot(_)),
            Type::Colour => matches!(self, Value::Colour(_) | Value::State(_)),
        }
    }
}

/// What a name stands for.
#[derive(Debug, Clone)]
pub(super) enum Meaning {
    Value(Value),
    /// A variable that nothing was put into.
    Unset,
    Function(Box<Function>),
}

/// The names known at one place, the innermost last.
pub(super) struct Scope<'t> {
    pub text: &'t str,
    names: Vec<HashMap<String, Meaning>>,
    /// Parts made so far in the whole program.
    made: usize,
    calls: usize,
    /// Whether `picked` is a point here.
    pub picked: bool,
}

const COLOURS: &[(&str, Cells)] =
    &[("friend", Cells::FRIEND), ("enemy", Cells::ENEMY), ("empty", Cells::EMPTY), ("edge", Cells::EDGE)];

const FUNCTIONS: &[&str] = &[
    "state",
    "states",
    "emparea",
    "range",
    "pset1",
    "union",
    "difference",
    "intersection",
    "liberties",
    "libs",
    "size",
    "distance",
    "can_capture",
    "can_escape",
    "catching",
    "saving",
    "connected",
    "count",
    "try",
];

pub(super) fn is_built_in(name: &str) -> bool {
    COLOURS.iter().any(|(colour, _)| *colour == name)
        || FUNCTIONS.contains(&name)
        || ["true", "false", "picked", "move_number"].contains(&name)
}

impl<'t> Scope<'t> {
    pub(super) fn new(text: &'t str) -> Scope<'t> {
        Scope { text, names: vec![HashMap::new()], made: 0, calls: 0, picked: false }
    }

    pub(super) fn fault<T>(&self, at: At, complaint: Complaint) -> Result<T, Fault> {
        Err(Fault::new(self.text, at.0, complaint))
    }

    pub(super) fn open(&mut self) {
        self.names.push(HashMap::new());
    }

    pub(super) fn close(&mut self) {
        self.names.pop();
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &Name, meaning: Meaning) -> Result<(), Fault> {
        if is_built_in(&name.text) {
            return self.fault(name.at, Complaint::BuiltIn(name.text.clone()));
        }
        // Nothing hides anything: so a function's body means the same wherever it is called.
        if self.find(&name.text).is_some() {
            return self.fault(name.at, Complaint::Twice(name.text.clone()));
        }
        if let Some(names) = self.names.last_mut() {
            names.insert(name.text.clone(), meaning);
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Option<&Meaning> {
        self.names.iter().rev().find_map(|names| names.get(name))
    }

    fn count(&mut self, parts: usize, at: At) -> Result<(), Fault> {
        self.made = self.made.saturating_add(parts);
        if self.made > LARGEST {
            return self.fault(at, Complaint::TooLarge { what: "the number of parts", limit: LARGEST });
        }
        Ok(())
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value, Fault> {
        self.count(1, expr.at())?;
        match expr {
            Expr::Number(number, _) => Ok(Value::Number(Number::Constant(*number))),
            Expr::Point(point, _) => Ok(Value::Spot(Spot::Fixed(*point))),
            Expr::Name(name) => self.name(name),
            Expr::Call { name, arguments } => self.call(name, arguments),
            Expr::Not(inner, _) => Ok(Value::Truth(self.truth(inner)?.negated())),
            Expr::Negative(inner, _) => Ok(Value::Number(match self.number(inner)? {
                Number::Constant(n) => Number::Constant(-n),
                other => Number::Negative(Box::new(other)),
            })),
            Expr::Binary { op: Op::And | Op::Or, .. } => self.chain(expr).map(Value::Truth),
            Expr::Binary { op, at, left, right } if op.compares() => self.comparison(*op, *at, left, right),
            Expr::Binary { op, left, right, .. } => self.arithmetic(*op, left, right),
        }
    }

    fn name(&mut self, name: &Name) -> Result<Value, Fault> {
        if let Some(&(_, cells)) = COLOURS.iter().find(|(colour, _)| *colour == name.text) {
            return Ok(Value::Colour(cells));
        }
        match name.text.as_str() {
            "true" => return Ok(Value::Truth(Truth::Constant(true))),
            "false" => return Ok(Value::Truth(Truth::Constant(false))),
            "move_number" => return Ok(Value::Number(Number::MovesMade)),
            "picked" if self.picked => return Ok(Value::Spot(Spot::Picked)),
            "picked" => return self.fault(name.at, Complaint::NothingPicked),
            _ => {}
        }
        match self.find(&name.text).cloned() {
            Some(Meaning::Value(value)) => {
                let parts = size_of_value(&value);
                self.count(parts, name.at)?;
                if parts > LARGEST_VALUE {
                    return self
                        .fault(name.at, Complaint::TooLarge { what: "the size of a value", limit: LARGEST_VALUE });
                }
                Ok(value)
            }
            Some(Meaning::Unset) => self.fault(name.at, Complaint::NoValue(name.text.clone())),
            Some(Meaning::Function(_)) => self.wrong_number(name, "1 or more", 0),
            None => self.fault(name.at, Complaint::UnknownName(name.text.clone())),
        }
    }

    /// A row of `&` or `|` as one condition.
    fn chain(&mut self, expr: &Expr) -> Result<Truth, Fault> {
        let Expr::Binary { op, .. } = expr else { return self.truth(expr) };
        let own = *op;
        let (mut operands, mut at) = (Vec::new(), expr);
        while let Expr::Binary { op, left, right, .. } = at
            && *op == own
        {
            operands.push(&**right);
            at = left;
        }
        operands.push(at);
        let parts = operands.into_iter().rev().map(|part| self.truth(part)).collect::<Result<Vec<Truth>, Fault>>()?;
        Ok(if own == Op::And { Truth::all(parts) } else { Truth::any(parts) })
    }

    pub(super) fn truth(&mut self, expr: &Expr) -> Result<Truth, Fault> {
        match self.value(expr)? {
            Value::Truth(truth) => Ok(truth),
            other => self.wrong_type(expr.at(), "boolean", &other),
        }
    }

    fn number(&mut self, expr: &Expr) -> Result<Number, Fault> {
        match self.value(expr)? {
            Value::Number(number) => Ok(number),
            other => self.wrong_type(expr.at(), "integer", &other),
        }
    }

    pub(super) fn spot(&mut self, expr: &Expr) -> Result<Spot, Fault> {
        match self.value(expr)? {
            Value::Spot(spot) => Ok(spot),
            other => self.wrong_type(expr.at(), "point", &other),
        }
    }

    /// A point that is known before the match.
    pub(super) fn fixed(&mut self, expr: &Expr) -> Result<Local, Fault> {
        match self.spot(expr)? {
            Spot::Fixed(point) => Ok(point),
            Spot::Picked => self.fault(expr.at(), Complaint::NotConstant),
        }
    }

    pub(super) fn region(&mut self, expr: &Expr) -> Result<Region, Fault> {
        match self.value(expr)? {
            Value::Region(region) => Ok(region),
            Value::Spot(Spot::Fixed(point)) => Ok(Region::Fixed(vec![point])),
            Value::Spot(spot) => Ok(Region::Single(spot)),
            other => self.wrong_type(expr.at(), "set", &other),
        }
    }

    fn cells(&mut self, expr: &Expr) -> Result<Cells, Fault> {
        match self.value(expr)? {
            Value::Colour(cells) => Ok(cells),
            Value::State(_) => self.fault(expr.at(), Complaint::NotConstant),
            other => self.wrong_type(expr.at(), "colour", &other),
        }
    }

    /// `friend` or `enemy`.
    pub(super) fn stone(&self, name: &Name) -> Result<Cells, Fault> {
        match name.text.as_str() {
            "friend" => Ok(Cells::FRIEND),
            "enemy" => Ok(Cells::ENEMY),
            other => {
                let complaint = Complaint::Expected { expected: "friend or enemy".into(), found: format!("`{other}`") };
                self.fault(name.at, complaint)
            }
        }
    }

    fn wrong_type<T>(&self, at: At, wanted: &'static str, found: &Value) -> Result<T, Fault> {
        self.fault(at, Complaint::Type { wanted, found: found.type_name() })
    }

    fn comparison(&mut self, op: Op, at: At, left: &Expr, right: &Expr) -> Result<Value, Fault> {
        let (a, b) = (self.value(left)?, self.value(right)?);
        let equality = matches!(op, Op::Equal | Op::Unequal);
        let truth = match (a, b) {
            (Value::Number(a), Value::Number(b)) => compare(op, a, b),
            (Value::States(region), Value::Colour(cells)) | (Value::Colour(cells), Value::States(region))
                if equality =>
            {
                let truth = match region {
                    Region::Fixed(points) => Truth::Hold(points, cells),
                    other => Truth::RegionHolds(other, cells),
                };
                if op == Op::Equal { truth } else { truth.negated() }
            }
            (Value::State(spot), Value::Colour(cells)) | (Value::Colour(cells), Value::State(spot)) if equality => {
                let cells = if op == Op::Equal { cells } else { cells.not() };
                match spot {
                    Spot::Fixed(point) => Truth::Hold(vec![point], cells),
                    Spot::Picked => Truth::PickedHolds(cells),
                }
            }
            (Value::State(a), Value::State(b)) if equality => negate_if(op == Op::Unequal, Truth::Alike(a, b)),
            (Value::Colour(a), Value::Colour(b)) if equality => Truth::Constant((a == b) == (op == Op::Equal)),
            (Value::Spot(a), Value::Spot(b)) if equality => {
                let same = match (a, b) {
                    (Spot::Fixed(a), Spot::Fixed(b)) => Truth::Constant(a == b),
                    (a, b) => Truth::SameSpot(a, b),
                };
                negate_if(op == Op::Unequal, same)
            }
            (a, b) => {
                return self.fault(at, Complaint::Incomparable { left: a.type_name(), right: b.type_name() });
            }
        };
        Ok(Value::Truth(truth))
    }

    fn arithmetic(&mut self, op: Op, left: &Expr, right: &Expr) -> Result<Value, Fault> {
        let (a, b) = (self.number(left)?, self.number(right)?);
        Ok(Value::Number(match (a, b) {
            (Number::Constant(a), Number::Constant(b)) => Number::Constant(work_out(op, a, b)),
            (a, b) => Number::Sum(op, Box::new(a), Box::new(b)),
        }))
    }

    fn call(&mut self, name: &Name, arguments: &[Expr]) -> Result<Value, Fault> {
        let given = arguments.len();
        match (name.text.as_str(), arguments) {
            ("state", [p]) => self.spot(p).map(Value::State),
            ("states", [set]) => self.region(set).map(Value::States),
            ("emparea", [p, width, height, except @ ..]) => {
                let mut points = self.rectangle(p, width, height)?;
                for expr in except {
                    let out = self.fixed(expr)?;
                    points.retain(|&p| p != out);
                }
                Ok(Value::Truth(Truth::Hold(points, Cells::EMPTY)))
            }
            ("range", [p, width, height]) => Ok(Value::Region(Region::Fixed(self.rectangle(p, width, height)?))),
            ("pset1", points @ [_, ..]) => {
                let spots = points.iter().map(|p| self.spot(p)).collect::<Result<Vec<Spot>, Fault>>()?;
                let single = |spot| match spot {
                    Spot::Fixed(point) => Region::Fixed(vec![point]),
                    spot => Region::Single(spot),
                };
                let set = spots.into_iter().map(single).reduce(|a, b| combine(Combine::Union, a, b));
                Ok(Value::Region(set.unwrap_or(Region::Fixed(vec![]))))
            }
            ("union", [a, b]) => self.combination(Combine::Union, a, b),
            ("difference", [a, b]) => self.combination(Combine::Difference, a, b),
            ("intersection", [a, b]) => self.combination(Combine::Intersection, a, b),
            ("liberties", [p]) => self.spot(p).map(|p| Value::Number(Number::Liberties(p))),
            ("libs", [p]) => self.spot(p).map(|p| Value::Region(Region::Liberties(p))),
            ("catching", [p]) => self.spot(p).map(|p| Value::Region(Region::Catching(p))),
            ("saving", [p]) => self.spot(p).map(|p| Value::Region(Region::Saving(p))),
            ("size", [p]) => self.spot(p).map(|p| Value::Number(Number::Size(p))),
            ("distance", [p, q]) => Ok(Value::Number(Number::Distance(self.spot(p)?, self.spot(q)?))),
            ("can_capture", [p]) => self.spot(p).map(|p| Value::Truth(Truth::CanCapture(p))),
            ("can_escape", [p]) => self.spot(p).map(|p| Value::Truth(Truth::CanEscape(p))),
            ("connected", [p, q]) => Ok(Value::Truth(Truth::Connected(self.spot(p)?, self.spot(q)?))),
            ("count", [set, who]) => Ok(Value::Number(Number::Count(self.region(set)?, self.cells(who)?))),
            ("try", [p, expr]) => Ok(Value::Truth(Truth::Try(self.spot(p)?, Box::new(self.truth(expr)?)))),
            ("emparea", _) => self.wrong_number(name, "3 or more", given),
            ("range", _) => self.wrong_number(name, "3", given),
            ("pset1", _) => self.wrong_number(name, "1 or more", given),
            ("union" | "difference" | "intersection" | "distance" | "connected" | "count" | "try", _) => {
                self.wrong_number(name, "2", given)
            }
            (built_in, _) if FUNCTIONS.contains(&built_in) => self.wrong_number(name, "1", given),
            _ => self.user_function(name, arguments),
        }
    }

    fn wrong_number<T>(&self, name: &Name, wanted: &'static str, found: usize) -> Result<T, Fault> {
        self.fault(name.at, Complaint::Arguments { name: name.text.clone(), wanted, found })
    }

    /// A function of the program: its body with the arguments put in. It was checked when only what stands before it
    /// was declared, so that it cannot call itself.
    fn user_function(&mut self, name: &Name, arguments: &[Expr]) -> Result<Value, Fault> {
        let Some(Meaning::Function(function)) = self.find(&name.text).cloned() else {
            return self.fault(name.at, Complaint::UnknownFunction(name.text.clone()));
        };
        const NUMBERS: [&str; 9] = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
        let wanted = function.parameters.len();
        if wanted != arguments.len() {
            return self.wrong_number(name, NUMBERS.get(wanted).copied().unwrap_or("more"), arguments.len());
        }
        let mut frame = HashMap::new();
        for ((parameter, kind), argument) in function.parameters.iter().zip(arguments) {
            let value = self.value(argument)?;
            self.check_type(argument.at(), *kind, &value)?;
            frame.insert(parameter.text.clone(), Meaning::Value(value));
        }
        if self.calls >= DEEPEST_CALLS {
            return self.fault(name.at, Complaint::TooLarge { what: "the depth of calls", limit: DEEPEST_CALLS });
        }
        self.calls += 1;
        self.names.push(frame);
        let value = self.value(&function.body);
        self.names.pop();
        self.calls -= 1;
        let value = value?;
        self.check_type(name.at, function.result, &value)?;
        Ok(value)
    }

    pub(super) fn check_type(&self, at: At, kind: Type, value: &Value) -> Result<(), Fault> {
        if value.has_type(kind) { Ok(()) } else { self.wrong_type(at, super::ast::word_of(kind), value) }
    }

    fn combination(&mut self, how: Combine, a: &Expr, b: &Expr) -> Result<Value, Fault> {
        Ok(Value::Region(combine(how, self.region(a)?, self.region(b)?)))
    }

    fn rectangle(&mut self, p: &Expr, width: &Expr, height: &Expr) -> Result<Vec<Local>, Fault> {
        let corner = self.fixed(p)?;
        let [width, height] = [self.extent(width)?, self.extent(height)?];
        let end = |from: u8, by: u8| from.checked_add(by - 1).filter(|&end| end <= Local::LARGEST);
        let (Some(right), Some(top)) = (end(corner.column, width), end(corner.row, height)) else {
            return self.fault(p.at(), Complaint::OutsideFrame);
        };
        self.count(usize::from(width) * usize::from(height), p.at())?;
        let columns = corner.column..=right;
        Ok(columns.flat_map(|column| (corner.row..=top).map(move |row| Local { column, row })).collect())
    }

    fn extent(&mut self, expr: &Expr) -> Result<u8, Fault> {
        match self.number(expr)? {
            Number::Constant(n @ 1..=25) => Ok(n as u8),
            Number::Constant(_) => self.fault(expr.at(), Complaint::OutsideFrame),
            _ => self.fault(expr.at(), Complaint::NotConstant),
        }
    }
}

fn negate_if(negate: bool, truth: Truth) -> Truth {
    if negate { truth.negated() } else { truth }
}

fn compare(op: Op, a: Number, b: Number) -> Truth {
    match (&a, &b) {
        (Number::Constant(a), Number::Constant(b)) => Truth::Constant(holds(op, *a, *b)),
        _ => Truth::Compare(op, a, b),
    }
}

/// Whether two numbers compare so.
pub fn holds(op: Op, a: i64, b: i64) -> bool {
    match op {
        Op::Equal => a == b,
        Op::Unequal => a != b,
        Op::Less => a < b,
        Op::AtMost => a <= b,
        Op::Greater => a > b,
        Op::AtLeast => a >= b,
        _ => false,
    }
}

/// The sum, difference or product; the largest number stands for all that are larger.
pub fn work_out(op: Op, a: i64, b: i64) -> i64 {
    match op {
        Op::Plus => a.saturating_add(b),
        Op::Minus => a.saturating_sub(b),
        _ => a.saturating_mul(b),
    }
}

#[derive(Clone, Copy)]
enum Combine {
    Union,
    Difference,
    Intersection,
}

fn combine(how: Combine, a: Region, b: Region) -> Region {
    match (how, a, b) {
        (how, Region::Fixed(mut a), Region::Fixed(b)) => {
            match how {
                Combine::Union => a.extend(b),
                Combine::Difference => a.retain(|p| !b.contains(p)),
                Combine::Intersection => a.retain(|p| b.contains(p)),
            }
            a.sort_unstable();
            a.dedup();
            Region::Fixed(a)
        }
        (Combine::Union, a, b) => Region::Union(Box::new(a), Box::new(b)),
        (Combine::Difference, a, b) => Region::Difference(Box::new(a), Box::new(b)),
        (Combine::Intersection, a, b) => Region::Intersection(Box::new(a), Box::new(b)),
    }
}

fn size_of_value(value: &Value) -> usize {
    match value {
        Value::Truth(truth) => size_of_truth(truth),
        Value::Number(number) => size_of_number(number),
        Value::Region(region) | Value::States(region) => size_of_region(region),
        Value::Spot(_) | Value::Colour(_) | Value::State(_) => 1,
    }
}

fn size_of_truth(truth: &Truth) -> usize {
    1 + match truth {
        Truth::All(parts) | Truth::Any(parts) => parts.iter().map(size_of_truth).sum(),
        Truth::Not(inner) | Truth::Try(_, inner) => size_of_truth(inner),
        Truth::Hold(points, _) => points.len(),
        Truth::RegionHolds(region, _) => size_of_region(region),
        Truth::Compare(_, a, b) => size_of_number(a) + size_of_number(b),
        _ => 0,
    }
}

fn size_of_number(number: &Number) -> usize {
    1 + match number {
        Number::Negative(inner) => size_of_number(inner),
        Number::Sum(_, a, b) => size_of_number(a) + size_of_number(b),
        Number::Count(region, _) => size_of_region(region),
        _ => 0,
    }
}

fn size_of_region(region: &Region) -> usize {
    1 + match region {
        Region::Fixed(points) => points.len(),
        Region::Union(a, b) | Region::Difference(a, b) | Region::Intersection(a, b) => {
            size_of_region(a) + size_of_region(b)
        }
        _ => 0,
    }
}
