//! A collection of rules that is matched as one: what is built in, and what was loaded.

use super::compile::{self, Compiled};
use super::frame::Match;
use super::interpret::Sight;
use super::tree::{Shared, Tree};
use crate::gopal::{self, Fault, Message, Rule};
use std::sync::{Arc, LazyLock};

/// Where a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub rules: usize,
}

#[derive(Debug)]
pub struct Library {
    sources: Vec<Source>,
    rules: Vec<Rule>,
    compiled: Compiled,
    shared: Shared,
}

const BUILT_IN: &[(&str, &str)] = &[
    ("corners", include_str!("../../../resources/gopal/corners.gopal")),
    ("joseki", include_str!("../../../resources/gopal/joseki.gopal")),
    ("tactics", include_str!("../../../resources/gopal/tactics.gopal")),
];

impl Library {
    fn from_parts(sources: Vec<Source>, rules: Vec<Rule>) -> Library {
        let compiled = compile::compile(&rules);
        Library { sources, rules, compiled, shared: Shared::default() }
    }

    pub fn empty() -> Library {
        Library::from_parts(vec![], vec![])
    }

    /// A library of one program.
    pub fn from_text(name: &str, text: &str) -> Result<Library, Fault> {
        Library::empty().with_text(name, text).map(|(library, _)| library)
    }

    /// What is shipped.
    pub fn standard() -> Arc<Library> {
        static STANDARD: LazyLock<Arc<Library>> = LazyLock::new(|| {
            let (mut sources, mut rules) = (vec![], vec![]);
            for (name, text) in BUILT_IN {
                match gopal::read(text) {
                    Ok(checked) => {
                        sources.push(Source { name: (*name).into(), rules: checked.rules.len() });
                        rules.extend(checked.rules);
                    }
                    // A test reads them all.
                    Err(fault) => log::error!("{name}: {fault}"),
                }
            }
            Arc::new(Library::from_parts(sources, rules))
        });
        STANDARD.clone()
    }

    /// This library without a program; `None` if it has none of this name.
    pub fn without(&self, name: &str) -> Option<Library> {
        let at = self.sources.iter().position(|source| source.name == name)?;
        let begin: usize = self.sources[..at].iter().map(|source| source.rules).sum();
        let (mut sources, mut rules) = (self.sources.clone(), self.rules.clone());
        rules.drain(begin..begin + sources.remove(at).rules);
        Some(Library::from_parts(sources, rules))
    }

    /// This library with a program added; one of the same name is replaced.
    pub fn with_text(&self, name: &str, text: &str) -> Result<(Library, Vec<Message>), Fault> {
        let checked = gopal::read(text)?;
        let rest = self.without(name);
        let Library { sources, rules, .. } = rest.as_ref().unwrap_or(self);
        let (mut sources, mut rules) = (sources.clone(), rules.clone());
        sources.push(Source { name: name.into(), rules: checked.rules.len() });
        rules.extend(checked.rules);
        Ok((Library::from_parts(sources, rules), checked.warnings))
    }

    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The tree that a match grows; `None` if it has no move.
    pub fn tree(&self, found: Match, sight: Sight<'_>) -> Option<Arc<Tree>> {
        let rule = &self.rules[found.rule];
        if self.compiled.parts[found.rule].fixed {
            self.shared.tree(found, rule, sight)
        } else {
            Tree::new(found, rule, sight).map(Arc::new)
        }
    }

    /// The name of the program a rule was in.
    pub fn source_of(&self, rule: usize) -> &str {
        let mut end = 0;
        let found = self.sources.iter().find(|source| {
            end += source.rules;
            rule < end
        });
        found.map_or("", |source| &source.name)
    }
}
