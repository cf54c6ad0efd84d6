//! One game between two players.

use super::{
    client::{Failure, Patience, Player, Setup, Turn},
    clock::{Clock, ClockSource, TimeControl},
    record::{Ply, Reason, Verdict},
    referee::{BadMove, GameKind, Referee},
};
use crate::base::Colour;
use std::time::Duration;

/// What holds for all games of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GameRules {
    pub game: GameKind,
    /// Forgiven at the end of a player's time: what the machine takes, not the player.
    pub margin: Duration,
    /// How long a player without a clock may think.
    pub patience: Duration,
    /// What the clocks count.
    pub clock: ClockSource,
    /// From so few empty squares the exact result is computed instead of played.
    pub solve_from: Option<u32>,
    /// The longest game.
    pub most_plies: usize,
}

/// One game's players and beginnings.
pub struct Table<'a> {
    pub players: [&'a mut dyn Player; 2],
    pub names: [&'a str; 2],
    pub controls: [Option<TimeControl>; 2],
    pub position: Option<&'a str>,
    /// The moves that are made already: the opening, and what was played before the match was broken off.
    pub made: &'a [Ply],
    /// Hears of every move.
    pub tell: &'a mut dyn FnMut(&Ply),
}

/// The match is being stopped; the game does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// How the game went.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    pub plies: Vec<Ply>,
    pub verdict: Verdict,
    /// The player who must not be used again as it is.
    pub broken: Option<Colour>,
}

/// Plays the game to its end. Whatever the players do, it ends.
pub fn play(rules: &GameRules, mut table: Table) -> Result<Played, Stopped> {
    let mut plies = table.made.to_vec();
    match play_on(rules, &mut table, &mut plies) {
        Ok(verdict) => {
            let broken = (verdict.reason.is_fault()).then_some(()).and(verdict.winner).map(|winner| !winner);
            Ok(Played { plies, verdict, broken })
        }
        Err(Broken { colour, failure }) => {
            let reason = Reason::of(&failure).ok_or(Stopped)?;
            let detail = format!("{} {failure}", table.names[colour.index()]);
            Ok(Played { plies, verdict: Verdict::forfeit(colour, reason, detail), broken: Some(colour) })
        }
    }
}

struct Broken {
    colour: Colour,
    failure: Failure,
}

fn blame(colour: Colour) -> impl Fn(Failure) -> Broken {
    move |failure| Broken { colour, failure }
}

fn play_on(rules: &GameRules, table: &mut Table, plies: &mut Vec<Ply>) -> Result<Verdict, Broken> {
    let mut referee = match start(rules, table) {
        Ok(referee) => referee,
        // Openings are checked before the match: an illegal one here is nobody's fault.
        Err(error) => return Ok(Verdict { detail: error.to_string(), ..Verdict::scored(0.0, Reason::Illegal) }),
    };
    for colour in Colour::BOTH {
        let setup = Setup {
            game: rules.game,
            colour,
            position: table.position,
            opening: table.made,
            controls: table.controls,
            names: table.names,
        };
        table.players[colour.index()].new_game(&setup).map_err(blame(colour))?;
    }
    let mut clocks = clocks_after(table.made, table.controls, rules.margin);
    loop {
        if let Some(score) = referee.result() {
            return Ok(count(&*referee, table, score));
        }
        if rules.solve_from.zip(referee.empties()).is_some_and(|(from, empties)| empties <= from)
            && let Some(score) = referee.solve()
        {
            return Ok(Verdict::scored(score, Reason::Solved));
        }
        if plies.len() >= rules.most_plies {
            let detail = format!("still going after {} moves", plies.len());
            return Ok(Verdict { detail, ..Verdict::scored(referee.score_now(), Reason::Length) });
        }
        let colour = referee.to_move();
        let ply = if referee.must_pass() {
            Ply::given(colour, "pass")
        } else {
            match ask(rules, table, colour, &mut clocks)? {
                Ok(ply) => ply,
                Err(verdict) => return Ok(verdict),
            }
        };
        let asked = ply.seconds.is_some();
        let name = table.names[colour.index()];
        let ply = match referee.play(&ply.text) {
            Ok(text) => Ply { text, ..ply },
            Err(error @ BadMove::Illegal { .. }) => {
                return Ok(Verdict::forfeit(colour, Reason::Illegal, format!("{name}: {error}")));
            }
            Err(error) => return Ok(Verdict::forfeit(colour, Reason::Garbage, format!("{name}: {error}"))),
        };
        plies.push(ply.clone());
        (table.tell)(&ply);
        // A player that fails after the last move has lost nothing by it.
        let over = referee.result().is_some();
        for told in Colour::BOTH {
            match table.players[told.index()].played(&ply, asked && told == colour) {
                Err(failure) if !over => return Err(Broken { colour: told, failure }),
                _ => {}
            }
        }
    }
}

/// The score of a finished game. In Go the players say which stones are dead; unless all who can say it agree, the
/// board is counted as it stands.
fn count(referee: &dyn Referee, table: &mut Table, score: f64) -> Verdict {
    let dead: Vec<_> = table.players.iter_mut().filter_map(|player| player.dead_stones()).collect();
    match referee.score_without(&dead) {
        Some(score) => Verdict::scored(score, Reason::End),
        None if dead.is_empty() => Verdict::scored(score, Reason::End),
        None => {
            let detail = "the players disagree about dead stones: counted as it stands".into();
            Verdict { detail, ..Verdict::scored(score, Reason::Disputed) }
        }
    }
}

/// The score of a game after these moves, without these stones.
pub fn score_without(rules: &GameRules, plies: &[Ply], dead: Vec<String>) -> Option<f64> {
    let mut referee = rules.game.referee(None).ok()?;
    for ply in plies {
        referee.play(&ply.text).ok()?;
    }
    referee.score_without(&[dead])
}

fn start(rules: &GameRules, table: &Table) -> Result<Box<dyn Referee>, BadMove> {
    let mut referee = rules.game.referee(table.position)?;
    for ply in table.made {
        referee.play(&ply.text)?;
    }
    Ok(referee)
}

/// The clocks after moves that took their time.
fn clocks_after(made: &[Ply], controls: [Option<TimeControl>; 2], margin: Duration) -> [Option<Clock>; 2] {
    let mut clocks = controls.map(|control| control.map(Clock::new));
    for ply in made {
        if let (Some(clock), Some(seconds)) = (&mut clocks[ply.colour.index()], ply.seconds) {
            let elapsed = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            // It was in time when it was made; a shorter control of now leaves what it leaves.
            let _ = clock.spend(elapsed.min(clock.limit()), margin);
        }
    }
    clocks
}

/// Whether these moves can be made one after the other, and leave a game to go on with.
pub fn can_go_on(game: GameKind, position: Option<&str>, plies: &[Ply]) -> bool {
    let Ok(mut referee) = game.referee(position) else { return false };
    plies.iter().all(|ply| referee.to_move() == ply.colour && referee.play(&ply.text).is_ok())
        && referee.result().is_none()
}

/// How many times as long by the wall clock a move may take whose processor time is limited: the machine may be busy.
const BUSY: u32 = 20;

fn patience(rules: &GameRules, limit: Option<Duration>) -> Patience {
    match (rules.clock, limit) {
        (_, None) => rules.patience.into(),
        (ClockSource::Wall, Some(limit)) => limit.into(),
        (ClockSource::Cpu, cpu @ Some(limit)) => Patience { wall: rules.patience.max(limit * BUSY), cpu },
    }
}

/// A move, or the end of the game.
fn ask(
    rules: &GameRules,
    table: &mut Table,
    colour: Colour,
    clocks: &mut [Option<Clock>; 2],
) -> Result<Result<Ply, Verdict>, Broken> {
    let name = table.names[colour.index()];
    let limit = clocks[colour.index()].map(|clock| clock.limit() + rules.margin);
    let turn =
        Turn { colour, clocks: clocks.map(|clock| clock.map(|clock| clock.view())), patience: patience(rules, limit) };
    let time_over = |text: String| Ok(Err(Verdict::forfeit(colour, Reason::Timeout, text)));
    let answer = match table.players[colour.index()].think(&turn) {
        Ok(answer) => answer,
        Err(Failure::Silence { after, .. }) if limit.is_some() && rules.clock == ClockSource::Wall => {
            return time_over(format!("{name} had not moved after {:.3} s", after.as_secs_f64()));
        }
        Err(failure @ Failure::TimeOver(_)) => return time_over(format!("{name} {failure}")),
        Err(failure) => return Err(Broken { colour, failure }),
    };
    if let Some(clock) = &mut clocks[colour.index()]
        && clock.spend(answer.elapsed, rules.margin).is_err()
    {
        let seconds = rules.clock.seconds();
        return time_over(format!("{name} moved after {:.3} {seconds}", answer.elapsed.as_secs_f64()));
    }
    if answer.text.eq_ignore_ascii_case("resign") {
        return Ok(Err(Verdict::forfeit(colour, Reason::Resignation, String::new())));
    }
    Ok(Ok(Ply::thought(colour, answer.text, answer.thought, answer.elapsed.as_secs_f64())))
}
