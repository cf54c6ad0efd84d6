//! What one worker of a pool has at hand, and how it does a job.

use super::{
    Found,
    job::{AtHand, Work},
};
use crate::{
    base::Control,
    engine::{self, Answer, CommandError, CommandErrorKind, Engine, Progress},
    othello::{
        eval::Weights,
        search::{Config, Searcher},
    },
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
};

pub type Make = dyn Fn(&[(&'static str, String)]) -> Answer<Box<dyn Engine>> + Send + Sync;

/// How the engines of a pool are made.
#[derive(Clone)]
pub struct Recipe {
    pub make: Arc<Make>,
    pub options: Vec<(&'static str, String)>,
}

impl Recipe {
    /// An engine with these options.
    pub fn engine(&self) -> Answer<Box<dyn Engine>> {
        (self.make)(&self.options)
    }
}

pub struct Hand {
    recipe: Recipe,
    /// Made for the first question, and again after a refusal, which may have been a fault of ours.
    engine: Option<Box<dyn Engine>>,
    searcher: Option<Searcher>,
}

impl Hand {
    pub fn new(recipe: Recipe) -> Hand {
        Hand { recipe, engine: None, searcher: None }
    }

    /// A fault in one job takes nothing else with it.
    pub fn carry_out(&mut self, work: &Work, stop: &AtomicBool, tell: &(dyn Fn(&Progress) + Sync)) -> Answer<Found> {
        let done = catch_unwind(AssertUnwindSafe(|| match work {
            Work::Question(query) => {
                self.ask(engine::Job::Query((**query).clone()), Control::new(stop, tell)).map(Found::Outcome)
            }
            Work::Piece(piece) => match piece.carry_out(self, stop)? {
                Some(fields) => Ok(Found::Fields(fields)),
                None => Err(CommandError::new(CommandErrorKind::Illegal, "stopped")),
            },
        }));
        done.unwrap_or_else(|_| {
            *self = Hand::new(self.recipe.clone());
            Err(CommandError::new(CommandErrorKind::Unsupported, "internal error; please report it"))
        })
    }

    fn ask(&mut self, job: engine::Job, control: Control<'_, Progress>) -> Answer<engine::Outcome> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.recipe.engine()?,
        };
        // The answer may not depend on what was asked before.
        engine.forget();
        let outcome = engine.work(&job, control)?;
        self.engine = Some(engine);
        Ok(outcome)
    }
}

impl AtHand for Hand {
    fn searcher(&mut self, hash_bits: u32) -> &mut Searcher {
        let config = Config { threads: 1, hash_bits, weights: Weights::builtin() };
        let searcher = self.searcher.get_or_insert_with(|| Searcher::new(config.clone()));
        searcher.configure(config);
        searcher.clear();
        searcher
    }
}
