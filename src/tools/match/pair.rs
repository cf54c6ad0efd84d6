//! Two games of our own engines with changed colours as a job: `pair`. A match that asks a fleet shares itself out in
//! these.

use super::{
    MatchError, Plan,
    client::Maker,
    clock::ClockSource,
    openings::Opening,
    options::seconds,
    play::GameRules,
    record::GameRecord,
    referee::GameKind,
    runner,
    schedule::{Format, Schedule},
    spec::{self, Adapters, EngineSpec, Start},
    store::{GameLine, from_line, to_line},
};
use crate::{
    engine::{Answer, CommandError, CommandErrorKind, Engine, Game},
    tools::{
        fleet,
        pool::job::{AtHand, Fields, NODES_PER_SECOND, Piece, fields_of, from_fields, search_cost},
    },
};
use serde::{Deserialize, Serialize};
use std::{
    ops::ControlFlow,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairJob {
    /// As a match describes them: `self:level=8`.
    engines: [Described; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    /// The opening.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solve_from: Option<u32>,
    /// What the players' clocks count.
    #[serde(default, skip_serializing_if = "is_wall")]
    clock: ClockSource,
    /// Pairs that differ in nothing else are different games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Described {
    Text(String),
    Spec(Box<EngineSpec>),
}

fn is_wall(clock: &ClockSource) -> bool {
    *clock == ClockSource::Wall
}

fn own_engine(game: Game) -> Option<Box<dyn Engine>> {
    Some(match game {
        Game::Othello => Box::new(crate::othello::OthelloEngine::new()),
        Game::Go => Box::new(crate::go::GoEngine::new()),
    })
}

impl PairJob {
    pub fn read(fields: Fields) -> Answer<Arc<dyn Piece>> {
        let job: PairJob = from_fields(fields)?;
        job.plan(Arc::default(), own_engine)?;
        Ok(Arc::new(job))
    }

    /// Everything the two games need, if they can be played.
    fn plan(&self, stop: Arc<AtomicBool>, make: Maker) -> Answer<Plan> {
        let refused = |field: &str, why: String| {
            CommandError::new(CommandErrorKind::Range, format!("{field}: {why}")).in_field(field)
        };
        let mut specs = vec![];
        for described in &self.engines {
            let mut spec = match described {
                Described::Text(text) => EngineSpec::from_text(text).map_err(|e| refused("engines", e.to_string()))?,
                Described::Spec(spec) => (**spec).clone(),
            };
            if spec.cmd.is_some() || spec.proto.as_ref().is_some_and(|proto| proto != "self") {
                return Err(refused("engines", "only this program plays in a job: self:level=8,…".into()));
            }
            spec.threads.get_or_insert(1);
            specs.push(spec);
        }
        let engines = spec::resolve(&specs, &Adapters::new(), Path::new("."));
        let engines = engines.map_err(|e| refused("engines", e.to_string()))?;
        let game = GameKind::Othello;
        let opening = Opening { source: "the job".into(), position: self.position.clone(), moves: self.moves.clone() };
        let plies = opening.plies(game).map_err(|e| refused("moves", e.to_string()))?;
        Ok(Plan {
            engines,
            openings: vec![opening],
            opening_plies: vec![plies],
            schedule: Schedule::new(Format::Gauntlet, 2, 2, 1),
            rules: GameRules {
                game,
                margin: Duration::from_millis(50),
                patience: seconds(None, 600),
                clock: self.clock,
                solve_from: self.solve_from,
                most_plies: 200,
            },
            start: Start {
                game,
                patience: seconds(None, 60),
                reply_patience: seconds(None, 20),
                clock: self.clock,
                make,
            },
            referee: None,
            unfinished: super::journal::Unfinished::new(),
            control: None,
            stop,
        })
    }
}

impl Piece for PairJob {
    fn carry_out(&self, _: &mut dyn AtHand, stop: &AtomicBool) -> Answer<Option<Fields>> {
        let own_stop = Arc::new(AtomicBool::new(false));
        let plan = self.plan(own_stop.clone(), own_engine)?;
        let names: Vec<String> = plan.engines.iter().map(|engine| engine.name.clone()).collect();
        let mut games = vec![];
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    if stop.load(Ordering::Relaxed) {
                        own_stop.store(true, Ordering::Relaxed);
                    }
                    thread::sleep(Duration::from_millis(5));
                }
            });
            runner::run(&plan, [0, 1], 1, runner::Players::new(), |event| {
                if let runner::Event::Over(record) = event {
                    games.push(to_line(&record, &names));
                }
                ControlFlow::Continue(())
            });
            over.store(true, Ordering::Relaxed);
        });
        let whole = games.len() == 2 && !stop.load(Ordering::Relaxed);
        Ok(whole.then(|| fields_of(PairAnswer { games })))
    }

    fn cost(&self) -> f64 {
        let cost = |described: &Described| {
            let spec = match described {
                Described::Text(text) => EngineSpec::from_text(text).unwrap_or_default(),
                Described::Spec(spec) => (**spec).clone(),
            };
            match (spec.tc, spec.nodes, spec.depth.or(spec.level)) {
                (Some(_), ..) => 60.0 * NODES_PER_SECOND,
                (_, Some(nodes), _) => 30.0 * nodes as f64,
                (.., depth) => 30.0 * search_cost(depth.unwrap_or(21) as f64, 60.0, 74.0),
            }
        };
        2.0 * self.engines.iter().map(cost).sum::<f64>()
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct PairAnswer {
    games: Vec<GameLine>,
}

/// Has the games `todo` played by a fleet, pair by pair, and hands each to `hear`; that may break off the match.
pub fn by_fleet(
    url: &str,
    plan: &Plan,
    todo: &[usize],
    mut hear: impl FnMut(GameRecord) -> ControlFlow<()>,
) -> Result<(), MatchError> {
    let mut pairs: Vec<usize> = todo.iter().map(|index| index / 2).collect();
    pairs.dedup();
    let run = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let names: Vec<String> = plan.engines.iter().map(|engine| engine.name.clone()).collect();
    let job = |pair: &usize| {
        let fixture = plan.schedule.fixture(2 * pair)?;
        let opening = &plan.openings[fixture.opening];
        let described = |place: usize| {
            let control = plan.engines[place].spec.tc.clone().or_else(|| plan.control.map(|c| c.to_string()));
            let spec = EngineSpec { name: Some(names[place].clone()), tc: control, ..plan.engines[place].spec.clone() };
            Described::Spec(Box::new(spec))
        };
        let job = PairJob {
            engines: fixture.players.map(described),
            position: opening.position.clone(),
            moves: opening.moves.clone(),
            solve_from: plan.rules.solve_from,
            clock: plan.rules.clock,
            run: Some(format!("{run}-{pair}")),
        };
        let mut fields = fields_of(&job);
        fields.insert("kind".into(), "pair".into());
        fields.insert("cost".into(), job.cost().into());
        Some(fields)
    };
    let jobs = pairs.iter().filter_map(job).collect();
    let bad = |why: String| fleet::FleetError::Server(format!("a result is no pair of games: {why}"));
    let mut broken_off = false;
    let asked = fleet::ask(url, jobs, &plan.stop, &mut |number, fields| {
        let answer: PairAnswer = serde_json::from_value(fields.into()).map_err(|error| bad(error.to_string()))?;
        for (second, line) in answer.games.into_iter().enumerate() {
            let record = from_line(line, &names).map_err(bad)?;
            let index = 2 * pairs[number] + second;
            let Some(fixture) = plan.schedule.fixture(index).filter(|_| todo.contains(&index)) else { continue };
            let record = GameRecord { index, opening: fixture.opening, players: fixture.players, ..record };
            if hear(record).is_break() {
                broken_off = true;
                plan.stop.store(true, Ordering::Relaxed);
                break;
            }
        }
        Ok(())
    });
    match asked {
        Err(fleet::FleetError::Stopped) => Ok(()),
        Err(_) if broken_off => Ok(()),
        other => other.map_err(MatchError::Fleet),
    }
}
