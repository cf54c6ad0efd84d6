//! Plays the games of a schedule, several at a time, each worker with engines of its own.

use super::{
    client::{Failure, Player, Setup},
    clock::TimeControl,
    journal::Unfinished,
    openings::Opening,
    play::{self, GameRules, Played, Stopped, Table},
    record::{GameRecord, Ply, Reason, Verdict},
    schedule::{Fixture, Schedule},
    spec::{Engine, Start},
};
use crate::base::Colour;
use crossbeam_channel::{Sender, unbounded};
use std::{
    collections::{HashMap, VecDeque},
    ops::ControlFlow,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

/// Everything a worker has to know.
pub struct Plan {
    pub engines: Vec<Engine>,
    pub openings: Vec<Opening>,
    /// The openings with colours.
    pub opening_plies: Vec<Vec<Ply>>,
    pub schedule: Schedule,
    pub rules: GameRules,
    pub start: Start,
    /// Asked about dead stones where the players disagree.
    pub referee: Option<Engine>,
    /// Games that were being played when the match was broken off: the moves after their openings.
    pub unfinished: Unfinished,
    /// For engines that have none of their own.
    pub control: Option<TimeControl>,
    pub stop: Arc<AtomicBool>,
}

/// What a worker tells.
pub enum Event {
    /// The move with this number after the opening.
    Moved {
        game: usize,
        at: usize,
        ply: Ply,
    },
    Over(GameRecord),
}

pub type Players = HashMap<usize, Box<dyn Player>>;

impl Plan {
    fn control(&self, engine: usize) -> Option<TimeControl> {
        self.engines[engine].control.or(self.control)
    }

    /// The moves that a game begins with, or goes on after.
    fn made(&self, fixture: Fixture) -> Vec<Ply> {
        let opening = &self.opening_plies[fixture.opening];
        let later = self.unfinished.get(&fixture.index).map_or(&[][..], Vec::as_slice);
        let whole = [opening, later].concat();
        let position = self.openings[fixture.opening].position.as_deref();
        if later.is_empty() || play::can_go_on(self.rules.game, position, &whole) {
            return whole;
        }
        log::warn!("game {} cannot go on where it was broken off: it begins again", fixture.index + 1);
        opening.clone()
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Plays the games `todo`, `concurrency` at a time, and hands each move and each finished game to `hear`; that may break
/// off the match. `ready` are players that have been started already.
pub fn run(
    plan: &Plan,
    todo: impl IntoIterator<Item = usize>,
    concurrency: usize,
    ready: Players,
    mut hear: impl FnMut(Event) -> ControlFlow<()>,
) {
    let queue = Mutex::new(todo.into_iter().collect::<VecDeque<usize>>());
    let (to_main, events) = unbounded();
    let mut ready = Some(ready);
    thread::scope(|scope| {
        for _ in 0..concurrency {
            let players = ready.take().unwrap_or_default();
            let (queue, to_main) = (&queue, to_main.clone());
            scope.spawn(move || work(plan, queue, players, &to_main));
        }
        drop(to_main);
        for event in events {
            if hear(event).is_break() {
                plan.stop.store(true, Ordering::Relaxed);
                break;
            }
        }
    });
}

fn work(plan: &Plan, queue: &Mutex<VecDeque<usize>>, mut players: Players, to_main: &Sender<Event>) {
    while !plan.stopped() {
        let next = queue.lock().unwrap_or_else(|poison| poison.into_inner()).pop_front();
        let Some(fixture) = next.and_then(|index| plan.schedule.fixture(index)) else { break };
        let Ok(record) = one_game(plan, fixture, &mut players, to_main) else { break };
        if to_main.send(Event::Over(record)).is_err() {
            break;
        }
    }
    for (_, player) in players {
        if plan.stopped() { drop(player) } else { player.leave() }
    }
}

fn one_game(
    plan: &Plan,
    fixture: Fixture,
    players: &mut Players,
    to_main: &Sender<Event>,
) -> Result<GameRecord, Stopped> {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let clock = Instant::now();
    let opening = &plan.openings[fixture.opening];
    let plies = &plan.opening_plies[fixture.opening];
    let made = plan.made(fixture);
    let before: f64 = made.iter().filter_map(|ply| ply.seconds).sum();
    let mut at = made.len() - plies.len();
    let mut tell = |ply: &Ply| {
        let _ = to_main.send(Event::Moved { game: fixture.index, at, ply: ply.clone() });
        at += 1;
    };
    let played = match seat(plan, fixture, players) {
        Ok(seated) => play_seated(plan, fixture, seated, players, &made, &mut tell)?,
        Err((colour, failure)) => {
            let reason = Reason::of(&failure).ok_or(Stopped)?;
            let name = &plan.engines[fixture.players[colour.index()]].name;
            let verdict = Verdict::forfeit(colour, reason, format!("{name} {failure}"));
            Played { plies: made.clone(), verdict, broken: None }
        }
    };
    Ok(GameRecord {
        index: fixture.index,
        opening: fixture.opening,
        players: fixture.players,
        position: opening.position.clone(),
        plies: played.plies,
        opening_plies: plies.len(),
        verdict: played.verdict,
        started,
        seconds: before + clock.elapsed().as_secs_f64(),
    })
}

type Seated = [Box<dyn Player>; 2];

/// Takes the two players out of the worker's own, starting those that are not there or have died since.
fn seat(plan: &Plan, fixture: Fixture, players: &mut Players) -> Result<Seated, (Colour, Failure)> {
    let mut take = |colour: Colour| {
        let place = fixture.players[colour.index()];
        let engine = &plan.engines[place];
        if let Some(mut player) = players.remove(&place) {
            if !engine.restart && player.is_alive() {
                return Ok(player);
            }
            player.leave();
        }
        engine.start(&plan.start, &plan.stop).map(|(player, _)| player).map_err(|failure| (colour, failure))
    };
    let black = take(Colour::Black)?;
    match take(Colour::White) {
        Ok(white) => Ok([black, white]),
        Err(failed) => {
            players.insert(fixture.players[0], black);
            Err(failed)
        }
    }
}

fn play_seated(
    plan: &Plan,
    fixture: Fixture,
    seated: Seated,
    players: &mut Players,
    made: &[Ply],
    tell: &mut dyn FnMut(&Ply),
) -> Result<Played, Stopped> {
    let [mut black, mut white] = seated;
    let table = Table {
        players: [&mut *black, &mut *white],
        names: fixture.players.map(|place| plan.engines[place].name.as_str()),
        controls: fixture.players.map(|place| plan.control(place)),
        position: plan.openings[fixture.opening].position.as_deref(),
        made,
        tell,
    };
    let names = table.names;
    let mut played = play::play(&plan.rules, table)?;
    if played.verdict.reason == Reason::Disputed
        && let Some(engine) = &plan.referee
    {
        played.verdict = settle(plan, engine, names, &played);
    }
    for (colour, player) in [(Colour::Black, black), (Colour::White, white)] {
        // A player that broke a rule is not trusted with another game; it is ended here and started afresh.
        if played.broken != Some(colour) {
            players.insert(fixture.players[colour.index()], player);
        }
    }
    Ok(played)
}

/// The verdict on a disputed game by the referee; the old one, with the reason, if it cannot give any.
fn settle(plan: &Plan, engine: &Engine, names: [&str; 2], played: &Played) -> Verdict {
    let name = &engine.name;
    let dead = engine.start(&plan.start, &plan.stop).and_then(|(mut player, _)| {
        let dead = dead_stones(&mut *player, plan, names, &played.plies);
        player.leave();
        dead
    });
    match dead {
        Ok(Some(dead)) => match play::score_without(&plan.rules, &played.plies, dead) {
            Some(score) => {
                let detail = format!("the players disagreed about dead stones: {name} decided");
                Verdict { detail, ..Verdict::scored(score, Reason::End) }
            }
            None => unsettled(played, "the game cannot be repeated"),
        },
        Ok(None) => unsettled(played, &format!("{name} names no dead stones")),
        Err(failure) => unsettled(played, &format!("{name} {failure}")),
    }
}

fn unsettled(played: &Played, why: &str) -> Verdict {
    log::warn!("a disputed game could not be settled: {why}");
    let detail = format!("{} ({why})", played.verdict.detail);
    Verdict { detail, ..played.verdict.clone() }
}

/// The dead stones after these moves, by an engine that has not played them.
pub fn dead_stones(
    player: &mut dyn Player,
    plan: &Plan,
    names: [&str; 2],
    plies: &[Ply],
) -> Result<Option<Vec<String>>, Failure> {
    let game = plan.rules.game;
    let setup = Setup { game, colour: Colour::Black, position: None, opening: plies, controls: [None; 2], names };
    player.new_game(&setup)?;
    Ok(player.dead_stones())
}
