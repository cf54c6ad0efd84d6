//! What a request takes, and what is done at once because it needs no search.

use super::{Begun, Session};
use crate::{
    base::{Control, settings::SettingView},
    engine::{self, Answer, CommandError, CommandErrorKind, Engine, Game, Job, Query},
    protocol::{Command, Reply, Request, SessionSettings},
};

/// One of these options reads a file; all are the game's.
fn sets_slowly(engine: &dyn Engine, pairs: &[(String, String)]) -> bool {
    pairs.iter().any(|(name, _)| engine.sets_slowly(name)) && !pairs.iter().any(|(name, _)| SessionSettings::have(name))
}

impl Session<'_> {
    /// Finds out what a request takes; what needs no search is done at once.
    pub(super) fn begin(&mut self, engine: &mut Box<dyn Engine>, request: &Request) -> Answer<Begun> {
        match request.command.clone()? {
            Command::Work(Job::Query(query)) => {
                // The game is asked with its own options; those of the session hold for the answer.
                let (_, settings) = self.session_settings.for_question(&query)?;
                Ok(Begun::Job(Job::Query(Query { settings, ..query })))
            }
            Command::Work(job) => Ok(Begun::Job(job)),
            Command::Several(mut list) if matches!(list.last(), Some(Command::Work(_))) => {
                let work = list.pop();
                self.quick(engine, request, Command::Several(list))?;
                match work {
                    Some(Command::Work(job)) => Ok(Begun::Job(job)),
                    _ => Ok(Begun::Done(Reply::Done(vec![]))),
                }
            }
            Command::Load { path, ply } => Ok(Begun::Job(Job::Load { path, ply })),
            Command::Save { path, form, here } => Ok(Begun::Job(Job::Save { path, form, here })),
            Command::Quit => match engine.unsaved().filter(|_| self.protocol.asks_before_leaving()) {
                Some(lost) => Err(CommandError::new(CommandErrorKind::Illegal, lost)),
                None => Ok(Begun::Done(Reply::Bye)),
            },
            Command::Leave { save } => {
                if save {
                    drop(engine.save_all()?);
                } else {
                    engine.discard();
                }
                Ok(Begun::Done(Reply::Bye))
            }
            Command::Option { name, value } if !value.is_empty() && engine.sets_slowly(&name) => {
                Ok(Begun::Job(Job::Set(vec![(name, value)])))
            }
            Command::Option { name, value } => self.option(engine.as_mut(), &name, &value).map(Begun::Done),
            Command::Set(pairs) if sets_slowly(engine.as_ref(), &pairs) => Ok(Begun::Job(Job::Set(pairs))),
            command => Ok(match self.quick(engine, request, command)? {
                Reply::Done(notices) if engine.wants_preparation() => Begun::Job(Job::Prepare(notices)),
                reply => Begun::Done(reply),
            }),
        }
    }

    /// Commands that need no search.
    fn quick(&mut self, engine: &mut Box<dyn Engine>, request: &Request, command: Command) -> Answer<Reply> {
        let done = |()| Reply::Done(vec![]);
        match command {
            Command::Look(args) => self.protocol.look(request, &args, engine.as_ref()),
            Command::NewGame => {
                engine.new_game();
                Ok(Reply::Done(vec![]))
            }
            Command::Resize(size) => engine.resize(size).map(done),
            Command::Komi(komi) => engine.komi(komi).map(done),
            Command::Import(text) => engine.import(&text).map(Reply::Done),
            Command::SetUp { stones, to_move } => engine.set_up(&stones, to_move).map(done),
            Command::Play(moves) => engine.play(&moves).map(Reply::Done),
            Command::Step(step) => engine.step(step).map(done),
            Command::SetTime(control) => {
                engine.set_time(control);
                Ok(Reply::Done(vec![]))
            }
            Command::TimeLeft { colour, clock } => {
                engine.time_left(colour, clock);
                Ok(Reply::Done(vec![]))
            }
            Command::Set(pairs) => self.set_all(engine.as_mut(), &pairs).map(done),
            Command::Settings => Ok(Reply::Settings(self.all_settings(engine.as_ref()))),
            Command::Keep(keep) => self.keep(engine.as_mut(), keep),
            Command::Switch(game) => {
                let switched = self.switch(engine, game);
                // What comes next is read for the game that is played after all.
                if !self.queue.iter().any(|waiting| matches!(waiting.command, Ok(Command::Switch(_)))) {
                    self.commands = engine.commands();
                }
                switched.map(done)
            }
            Command::Several(list) => {
                list.into_iter().try_fold(Reply::Done(vec![]), |_, one| self.quick(engine, request, one))
            }
            Command::Stop(_) | Command::Nothing => Ok(Reply::Done(vec![])),
            Command::Work(_)
            | Command::Load { .. }
            | Command::Save { .. }
            | Command::Option { .. }
            | Command::Leave { .. }
            | Command::Quit => Err(engine::not_for_a_game()),
        }
    }

    fn switch(&mut self, engine: &mut Box<dyn Engine>, game: Game) -> Answer<()> {
        if engine.game() == game {
            engine.new_game();
            return Ok(());
        }
        let other = (self.games.engine)(game)
            .ok_or_else(|| CommandError::new(CommandErrorKind::Unsupported, format!("{game} is not played here")))?;
        engine.shutdown()?;
        *engine = other;
        self.warm = false;
        Ok(())
    }

    /// Changes all settings, the game's and the session's, or, when one is refused, none.
    pub(super) fn set_all(&mut self, engine: &mut dyn Engine, pairs: &[(String, String)]) -> Answer<()> {
        let mut session_settings = self.session_settings.clone();
        let (own, others): (Vec<_>, Vec<_>) = pairs.iter().cloned().partition(|(name, _)| SessionSettings::have(name));
        let (display, games): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|(name, _)| self.protocol.has_setting(name));
        own.iter().try_for_each(|(name, value)| session_settings.set(name, value))?;
        let before = self.protocol.settings();
        let put_back = |session: &mut Session<'_>| {
            before.iter().for_each(|old| drop(session.protocol.set(old.name, &old.value.to_string())));
        };
        let set = display.iter().try_for_each(|(name, value)| self.protocol.set(name, value));
        if let Err(refusal) = set.and_then(|()| engine::set_each(engine, &games, Control::alone())) {
            put_back(self);
            return Err(refusal);
        }
        self.adopt(session_settings);
        own.iter().for_each(|(name, value)| log::info!("set {name} to {value}"));
        Ok(())
    }

    /// The options of the game, of the session and of what a person sees.
    pub(super) fn all_settings(&self, engine: &dyn Engine) -> Vec<SettingView> {
        [engine.settings(), self.session_settings.settings(), self.protocol.settings()].concat()
    }

    /// Shows one option or, given a value, changes it.
    fn option(&mut self, engine: &mut dyn Engine, name: &str, value: &str) -> Answer<Reply> {
        let rows = self.all_settings(engine);
        match rows.into_iter().find(|s| s.name.eq_ignore_ascii_case(name)) {
            Some(row) if value.is_empty() => Ok(Reply::Settings(vec![row])),
            Some(row) => {
                self.set_all(engine, &[(row.name.into(), value.into())])?;
                Ok(Reply::Done(vec![]))
            }
            None => {
                let shown: String = name.chars().take(40).collect();
                Err(CommandError::new(
                    CommandErrorKind::Unsupported,
                    format!("unknown command `{shown}` (`help` lists all commands)"),
                ))
            }
        }
    }
}
