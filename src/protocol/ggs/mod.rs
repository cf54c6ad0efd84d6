//! GGS, the Othello server: requests to play, games, two at once when they are synchronised, and their clocks.

mod message;

use super::{
    Command, Id, Line, Output, Protocol, Reply, Request,
    online::{self, Standing, remark},
    tables,
};
use crate::{
    base::Colour,
    engine::{Answer, Engine, Game as Played, Job, Outcome, Progress, Thought, TimeControl, command::Table},
    othello::{Game, Position, Record, RecordFormat},
};
use message::{Kind, Message, State};
use std::{collections::HashMap, sync::Arc, time::Duration};

/// Kept back of the clock: it is told in whole seconds, and the way is long.
const LAG: Duration = Duration::from_secs(3);

/// A game of ours.
struct Seat {
    game: Game,
    mine: Colour,
}

/// The match that is played; a synchronised one has two games.
struct Match {
    id: String,
    kind: Kind,
}

pub struct Ggs {
    name: String,
    rated: bool,
    standing: Arc<Standing>,
    /// Lines of a message that is not complete.
    block: Vec<String>,
    /// A request that was accepted and has not become a match yet.
    accepted: Option<String>,
    playing: Option<Match>,
    games: HashMap<String, Seat>,
    /// Said before leaving.
    last_words: String,
}

impl Ggs {
    pub fn new(name: &str, rated: bool, standing: Arc<Standing>) -> Ggs {
        let (block, accepted, playing, games) = (vec![], None, None, HashMap::new());
        let last_words = String::new();
        Ggs { name: name.into(), rated, standing, block, accepted, playing, games, last_words }
    }

    /// What the service is told once it is there.
    pub fn greeting(rated: bool) -> String {
        let rated = if rated { '+' } else { '-' };
        format!(
            "tell /os trust +\ntell /os rated {rated}\ntell /os request +\ntell /os client -\ntell /os open 1\nmso\n"
        )
    }

    fn message(&mut self) -> Option<Request> {
        let lines = std::mem::take(&mut self.block);
        let request = |word, text: String| Some(Request::new(word, Command::Look(text)));
        match Message::read(&lines)? {
            Message::Service => request("service", Ggs::greeting(self.rated)),
            Message::Request { id, from, to, kind } => request("request", self.asked(&id, &from, &to, &kind)?),
            Message::Withdrawn { id } => {
                self.accepted.take_if(|accepted| *accepted == id);
                None
            }
            Message::Begins { id, players, kind } => {
                let opponent = players.iter().position(|name| *name == self.name).map(|own| &players[1 - own])?;
                self.accepted = None;
                let said = remark(&format!("match {id} against {opponent}: {}", kind.text));
                if let Some(obstacle) = kind.obstacle() {
                    return request("match", format!("tell {opponent} {obstacle}\ntell /os abort {id}\n{said}"));
                }
                self.playing = Some(Match { id, kind });
                request("match", format!("tell /os open 0\n{said}"))
            }
            Message::Ends { id, players, result } if players.contains(&self.name) => {
                self.games.retain(|game, _| !belongs(game, &id));
                if self.playing.take_if(|playing| playing.id == id).is_none() {
                    return request("end", remark(&format!("match {id} ends: {result}")));
                }
                self.last_words = remark(&format!("match {id} ends: {result}"));
                let command = match self.standing.finish_game() {
                    true => Command::Quit,
                    false => Command::Look(format!("{}tell /os open 1", self.last_words)),
                };
                Some(Request { id: Id::Json(id), word: "end", command: Ok(command) })
            }
            Message::Ends { .. } => None,
            Message::GameEnds { id } => {
                self.games.remove(&id);
                Some(Request { id: Id::Json(id), word: "end", command: Ok(Command::Nothing) })
            }
            Message::State(state) => self.state(*state),
            Message::Other(text) => {
                request("other", text.lines().map(|line| remark(&tables::excerpt_of(line, 160))).collect())
            }
        }
    }

    /// What is answered to a request; `None` when it is not for us.
    fn asked(&mut self, id: &str, from: &str, to: &str, kind: &Kind) -> Option<String> {
        if from == self.name || (to != self.name && to != "*") {
            return None;
        }
        let busy = self.playing.is_some() || self.accepted.is_some();
        let obstacle = if busy { Some("already playing") } else { kind.obstacle() };
        Some(match obstacle {
            Some(obstacle) => {
                let said = remark(&format!("declined {} from {from}: {obstacle}", kind.text));
                format!("tell /os decline {id}\ntell {from} {obstacle}\n{said}")
            }
            None => {
                self.accepted = Some(id.into());
                format!("tell /os accept {id}\n{}", remark(&format!("accepted {} from {from}", kind.text)))
            }
        })
    }

    /// A game has moved on. When it is our turn there, that is work.
    fn state(&mut self, state: State) -> Option<Request> {
        let me = state.players.iter().find(|player| player.name == self.name)?;
        if state.kind.obstacle().is_some() {
            return None;
        }
        // After a lost connection a match may go on that was never announced.
        let id = state.id.clone();
        let playing = self.playing.get_or_insert_with(|| {
            let id = if state.kind.synchro { id.rsplit_once('.').map_or(&*id, |(parent, _)| parent) } else { &id };
            Match { id: id.into(), kind: state.kind.clone() }
        });
        if !belongs(&state.id, &playing.id) {
            return None;
        }
        log::debug!("{} {}", playing.kind.text, state.id);
        let known = self.games.remove(&state.id).map(|table| table.game);
        let game = followed(known, &state);
        let (over, mine) = (game.is_over(), game.side() == me.colour);
        let text = RecordFormat::Ggf.write(&Record::new(game.clone()));
        self.games.insert(state.id.clone(), Seat { game, mine: me.colour });
        if over || !mine {
            return Some(Request { id: Id::Json(state.id), word: "update", command: Ok(Command::Nothing) });
        }
        let mut clock = me.clock;
        clock.left = clock.left.saturating_sub(LAG.min(clock.left / 5));
        if state.kind.synchro {
            // While one game is thought about, the clock of the other may run.
            clock.left = clock.left * 3 / 5;
        }
        let list = vec![
            Command::Import(text.unwrap_or_default()),
            Command::SetTime(TimeControl { clock: Some(clock) }),
            Command::TimeLeft { colour: me.colour, clock },
            Command::Work(Job::Move { colour: None, play: true }),
        ];
        Some(Request { id: Id::Json(state.id), word: "move", command: Ok(Command::Several(list)) })
    }

    /// The move for the server and what it is worth, for the person who watches.
    fn moved(&self, id: &str, best: &str, thought: &Thought) -> String {
        let Some(table) = self.games.get(id) else {
            return remark(&format!("{id} is over, {best} comes too late"));
        };
        let value = thought.lines.first().map_or(0.0, |line| line.value) + 0.0;
        let depth = thought.lines.first().map(|line| line.depth.to_string()).unwrap_or_default();
        let seconds = thought.elapsed.as_secs_f64();
        let name = if best == "pass" { "PA".into() } else { best.to_ascii_uppercase() };
        let said = remark(&format!("{id}: {} {best} {value:+.2} at {depth}, {seconds:.1} s", table.mine));
        format!("tell /os play {id} {name}/{value:.2}/{seconds:.2}\n{said}")
    }
}

/// The game as it stands, with its moves as far as they are known.
fn followed(known: Option<Game>, state: &State) -> Game {
    let mut game = match (&state.whole, known) {
        (Some((start, moves)), _) => {
            let mut game = Game::without_auto_pass(*start);
            // What does not fit is found below.
            let _ = game.play_sequence(moves.iter().map(|mv| (None, *mv)));
            game
        }
        (None, Some(game)) => game,
        (None, None) => Game::without_auto_pass(state.position),
    };
    if state.whole.is_none()
        && let Some(mv) = state.last
        && game.position() != state.position
    {
        let _ = game.play(None, mv);
    }
    // The server knows.
    let same = |position: Position| position == state.position;
    if same(game.position()) { game } else { Game::without_auto_pass(state.position) }
}

/// `.5.0` belongs to `.5`.
fn belongs(game: &str, id: &str) -> bool {
    game.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn id_of(request: &Request) -> &str {
    match &request.id {
        Id::Json(id) => id,
        _ => "",
    }
}

impl Protocol for Ggs {
    /// A message is complete with `READY`, or when another begins.
    fn parse(&mut self, line: &Line, _: Table) -> Option<Request> {
        let text = line.text.trim_end();
        if text == "READY" {
            return self.message();
        }
        if text.starts_with('|') && !self.block.is_empty() {
            self.block.push(text.into());
            return None;
        }
        let before = self.message();
        if !text.is_empty() {
            self.block.push(text.into());
        }
        before
    }

    /// The end of a match ends the search for a move in it.
    fn interrupts(&self, new: &Request, running: &Request) -> bool {
        let end = new.word == "end" && belongs(id_of(running), id_of(new));
        end || (new.word == "move" && new.id == running.id)
    }

    fn look(&mut self, _: &Request, text: &str, _: &dyn Engine) -> Answer<Reply> {
        online::as_text(text)
    }

    fn own_turn(&mut self, engine: &dyn Engine) -> Option<Request> {
        let wrong = engine.game() != Played::Othello;
        wrong.then(|| Request::new("switch", Command::Switch(Played::Othello)))
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        match (request.word, reply) {
            (_, Reply::Bye) => online::say(&format!("{}quit", self.last_words), out),
            (_, Reply::Text(text)) => online::say(text, out),
            ("move", Reply::Outcome(Outcome::Move { best, thought, .. })) => {
                online::say(&self.moved(id_of(request), best, thought), out);
            }
            (word, Reply::Refused(refusal)) => {
                let said = remark(&format!("{word} {}: {refusal}", id_of(request)));
                let give_up =
                    if word == "move" { format!("tell /os abort {}\n", id_of(request)) } else { String::new() };
                online::say(&format!("{give_up}{said}"), out);
            }
            _ => {}
        }
    }

    fn progress(&mut self, _: &Request, _: &Progress, _: &mut Output) {}
}
