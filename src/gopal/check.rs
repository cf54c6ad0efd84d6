//! The checker: from the syntax tree to rules. Everything is checked before anything is used.

use super::ast::{self, At, Candidate, Declaration, Expr, Pattern, Place, Program, Type};
use super::message::{Complaint, Fault, Message, Severity};
use super::rule::{Area, Cells, Moves, Pickup, Region, Rule, Sequence, Step, Truth};
use super::scope::{Meaning, Scope, Value};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// How many patterns one program may have.
pub const MOST_PATTERNS: usize = 50_000;

/// A program that was found good.
#[derive(Debug, Clone)]
pub struct Checked {
    pub rules: Vec<Rule>,
    pub warnings: Vec<Message>,
}

/// Checks names and types and resolves them. `text` is what the program was read from, for messages.
pub fn check(program: &Program, text: &str) -> Result<Checked, Fault> {
    if program.patterns.len() > MOST_PATTERNS {
        return Err(Fault::new(text, 0, Complaint::TooLarge { what: "the number of patterns", limit: MOST_PATTERNS }));
    }
    let mut checker = Checker { scope: Scope::new(text), warnings: Vec::new() };
    let mut phases = &Vec::new();
    if let Some(header) = &program.header {
        for argument in &header.arguments {
            checker.scope.declare(argument, Meaning::Unset)?;
        }
        phases = &header.phases;
        checker.declarations(&header.declarations, None)?;
    }
    let mut names = HashSet::new();
    let mut rules = Vec::with_capacity(program.patterns.len());
    for pattern in &program.patterns {
        if !names.insert(&pattern.name.text) {
            return checker.scope.fault(pattern.name.at, Complaint::Twice(pattern.name.text.clone()));
        }
        let mut rule = checker.pattern(pattern)?;
        if rule.phases.is_empty() {
            rule.phases.clone_from(phases);
        }
        rules.push(rule);
    }
    Ok(Checked { rules, warnings: checker.warnings })
}

struct Checker<'t> {
    scope: Scope<'t>,
    warnings: Vec<Message>,
}

impl Checker<'_> {
    fn warn(&mut self, at: At, complaint: Complaint) {
        self.warnings.push(Message::new(Severity::Warning, self.scope.text, at.0, complaint));
    }

    /// `picked` is what the first variable of type point stands for.
    fn declarations(&mut self, declarations: &[Declaration], picked: Option<()>) -> Result<(), Fault> {
        let mut picked = picked;
        for declaration in declarations {
            match declaration {
                Declaration::Const { name, value } => {
                    let value = self.scope.value(value)?;
                    self.scope.declare(name, Meaning::Value(value))?;
                }
                Declaration::Var { names, kind } => {
                    for name in names {
                        let holds_picked = *kind == Type::Point && picked.take().is_some();
                        let spot = || Meaning::Value(Value::Spot(super::rule::Spot::Picked));
                        self.scope.declare(name, if holds_picked { spot() } else { Meaning::Unset })?;
                    }
                }
                Declaration::Function(function) => {
                    self.check_function(function)?;
                    self.scope.declare(&function.name, Meaning::Function(Box::new(function.clone())))?;
                }
            }
        }
        Ok(())
    }

    /// A function is checked where it is declared, with values of its parameters' types.
    fn check_function(&mut self, function: &ast::Function) -> Result<(), Fault> {
        use super::rule::{Number, Spot};
        self.scope.open();
        for (name, kind) in &function.parameters {
            let spot = ast::Local { column: 1, row: 1 };
            let value = match kind {
                Type::Boolean => Value::Truth(Truth::CanCapture(Spot::Fixed(spot))),
                Type::Integer => Value::Number(Number::Constant(1)),
                Type::Point => Value::Spot(Spot::Fixed(spot)),
                Type::Set => Value::Region(Region::Fixed(vec![spot])),
                Type::Colour => Value::Colour(Cells::EMPTY),
            };
            self.scope.declare(name, Meaning::Value(value))?;
        }
        let value = self.scope.value(&function.body)?;
        self.scope.close();
        self.scope.check_type(function.body.at(), function.result, &value)
    }

    fn pattern(&mut self, pattern: &Pattern) -> Result<Rule, Fault> {
        self.scope.open();
        let picks = matches!(pattern.pickup, ast::Pickup::Stone { .. } | ast::Pickup::Chain { .. });
        self.scope.picked = picks;
        self.declarations(&pattern.declarations, picks.then_some(()))?;
        let pickup = self.pickup(pattern)?;
        let condition = self.scope.truth(&pattern.condition)?;
        let sequences = self.candidate(&pattern.candidate)?;
        self.scope.close();
        self.scope.picked = false;
        let rule = Rule {
            name: Arc::from(pattern.name.text.as_str()),
            phases: pattern.phases.clone(),
            place: pattern.place,
            symmetric: pattern.symmetric,
            pickup,
            condition,
            sequences,
        };
        self.contradictions(pattern, &rule);
        Ok(rule)
    }

    fn pickup(&mut self, pattern: &Pattern) -> Result<Pickup, Fault> {
        let mut point = |at: &Option<Expr>| at.as_ref().map(|at| self.scope.fixed(at)).transpose();
        Ok(match &pattern.pickup {
            ast::Pickup::None => Pickup::None,
            ast::Pickup::Corner(stones, at) => {
                if pattern.place != Place::Corner {
                    let found = format!("`{}`", ast::word_of(pattern.place));
                    return self
                        .scope
                        .fault(*at, Complaint::Expected { expected: "applied_place corner".into(), found });
                }
                Pickup::Corner(*stones)
            }
            ast::Pickup::Stone { who, at } => {
                let at = point(at)?;
                Pickup::Stone { who: self.scope.stone(who)?, at }
            }
            ast::Pickup::Chain { who, op, liberties, at } => {
                let at = point(at)?;
                Pickup::Chain { who: self.scope.stone(who)?, op: *op, liberties: *liberties, at }
            }
        })
    }

    fn candidate(&mut self, candidate: &Candidate) -> Result<Vec<Sequence>, Fault> {
        candidate.sequences.iter().map(|sequence| self.sequence(sequence)).collect()
    }

    fn sequence(&mut self, sequence: &ast::Sequence) -> Result<Sequence, Fault> {
        let condition = sequence.condition.as_ref().map(|expr| self.scope.truth(expr)).transpose()?;
        let corners = sequence.tarea.iter().map(|p| self.scope.fixed(p)).collect::<Result<Vec<_>, Fault>>()?;
        let first = self.moves(&sequence.first)?;
        let then = sequence.then.iter().map(|step| self.step(step)).collect::<Result<Vec<_>, Fault>>()?;
        Ok(Sequence { condition, area: Area::around(corners), first, then })
    }

    fn step(&mut self, step: &ast::Step) -> Result<Step, Fault> {
        Ok(match step {
            ast::Step::Next { moves, tenuki } => {
                let moves = self.moves(moves)?;
                Step::Next { moves, tenuki: tenuki.as_ref().map(|tenuki| self.moves(tenuki)).transpose()? }
            }
            ast::Step::Branch { condition, candidates } => {
                let condition = condition.as_ref().map(|expr| self.scope.truth(expr)).transpose()?;
                let ways = candidates.iter().map(|c| self.candidate(c)).collect::<Result<Vec<_>, Fault>>()?;
                Step::Branch { condition, ways: ways.into_iter().flatten().collect() }
            }
        })
    }

    fn moves(&mut self, moves: &ast::Moves) -> Result<Moves, Fault> {
        let points = moves.points.iter().map(|point| self.scope.region(point)).collect::<Result<Vec<_>, Fault>>()?;
        Ok(Moves { intent: Arc::from(moves.intent.text.as_str()), weight: moves.weight, points })
    }

    /// Warns of a condition that contradicts itself and of candidates it does not leave empty.
    fn contradictions(&mut self, pattern: &Pattern, rule: &Rule) {
        let never = |checker: &mut Self| {
            checker.warn(pattern.name.at, Complaint::NeverMatches(pattern.name.text.clone()));
        };
        let Some(known) = demands(&rule.condition) else { return never(self) };
        if let Pickup::Corner(stones) = rule.pickup {
            let in_corner = |p: &ast::Local| p.column <= 6 && p.row <= 6;
            let stone = Cells(Cells::FRIEND.0 | Cells::ENEMY.0);
            let of = |wanted: fn(Cells, Cells) -> bool| {
                known.iter().filter(|(p, cells)| in_corner(p) && wanted(**cells, stone)).count() as i64
            };
            let least = of(|cells, stone| !cells.meets(stone.not()));
            let most = 36 - of(|cells, stone| !cells.meets(stone));
            if stones < least || stones > most {
                return never(self);
            }
        }
        for (sequence, written) in rule.sequences.iter().zip(&pattern.candidate.sequences) {
            let hidden = |p: &ast::Local| known.get(p).is_some_and(|cells| !cells.meets(Cells::EMPTY));
            if let Some(p) = sequence.first.fixed_points().find(hidden) {
                self.warn(written.first.at, Complaint::NeverEmpty(p.to_string()));
            }
        }
    }
}

/// What the condition demands of single points; `None` if it can never hold.
pub fn demands(condition: &Truth) -> Option<BTreeMap<ast::Local, Cells>> {
    let mut known: BTreeMap<ast::Local, Cells> = BTreeMap::new();
    for part in condition.parts() {
        match part {
            Truth::Constant(false) => return None,
            Truth::Hold(points, cells) => {
                for &point in points {
                    let entry = known.entry(point).or_insert(Cells::ALL);
                    *entry = entry.and(*cells);
                    if *entry == Cells::NONE {
                        return None;
                    }
                }
            }
            _ => {}
        }
    }
    Some(known)
}
