//! A player with a console described by an [`Adapter`].

use super::{
    Abilities, Answer, Failure, Player, Setup, Talk, Thought, Turn,
    adapter::{Adapter, Found, fill},
};
use crate::{
    base::Colour,
    tools::tournament::{clock::TimeControl, record::Ply, referee::OTHELLO_START},
};
use std::time::Duration;

pub struct ConsolePlayer {
    talk: Talk,
    adapter: Adapter,
}

impl ConsolePlayer {
    /// Starts the dialogue and sends the options.
    pub fn start(
        talk: Talk,
        adapter: Adapter,
        options: &[String],
        start_patience: Duration,
    ) -> Result<(ConsolePlayer, Abilities), Failure> {
        let mut player = ConsolePlayer { talk, adapter };
        let mut title = String::new();
        if let (Some(ready), Some(reply)) = (player.adapter.ready.clone(), player.adapter.ready_reply.clone()) {
            let wanted = |line: &str| reply.find(line).map(|_| line.trim().to_owned());
            title = player.talk.ask(&ready, start_patience, wanted)?.0;
        }
        for line in player.adapter.start.clone().iter().chain(options) {
            player.talk.send(line);
        }
        let abilities = Abilities {
            title,
            positions: player.adapter.position.is_some(),
            clocks: player.adapter.time_control.is_some() || player.adapter.clock.is_some(),
            move_time: player.adapter.move_time.is_some(),
        };
        Ok((player, abilities))
    }

    fn send(&mut self, template: Option<String>, places: &[(&str, &str)]) {
        if let Some(template) = template {
            self.talk.send(&fill(&template, places));
        }
    }

    fn play(&mut self, ply: &Ply) {
        let upper = ply.text.to_uppercase();
        let template = if ply.is_pass() { self.adapter.pass.clone() } else { Some(self.adapter.play.clone()) };
        let places = [("move", ply.text.as_str()), ("MOVE", &upper)];
        self.send(template, &[&places[..], &colour_places(ply.colour)[..]].concat());
    }
}

fn colour_places(colour: Colour) -> [(&'static str, &'static str); 3] {
    match colour {
        Colour::Black => [("colour", "black"), ("c", "b"), ("disc", "X")],
        Colour::White => [("colour", "white"), ("c", "w"), ("disc", "O")],
    }
}

impl Player for ConsolePlayer {
    fn new_game(&mut self, setup: &Setup) -> Result<(), Failure> {
        match setup.position {
            Some(board) => self.send(self.adapter.position.clone(), &[("board", board)]),
            None => {
                for line in self.adapter.new_game.clone() {
                    self.send(Some(line), &[("board", OTHELLO_START)]);
                }
            }
        }
        match setup.controls[setup.colour.index()] {
            Some(TimeControl::PerMove(each)) => {
                let seconds = each.as_secs_f64().to_string();
                self.send(self.adapter.move_time.clone(), &[("seconds", &seconds)]);
            }
            Some(TimeControl::Game(time)) => {
                let (main, increment) = (time.main.as_secs_f64().to_string(), time.increment.as_secs_f64().to_string());
                self.send(self.adapter.time_control.clone(), &[("main", &main), ("increment", &increment)]);
            }
            None => {}
        }
        setup.opening.iter().for_each(|ply| self.play(ply));
        Ok(())
    }

    fn think(&mut self, turn: &Turn) -> Result<Answer, Failure> {
        if let Some(clock) = &turn.clocks[turn.colour.index()] {
            let left = format!("{:.3}", clock.left.as_secs_f64());
            let places = [&[("left", left.as_str())][..], &colour_places(turn.colour)[..]].concat();
            self.send(self.adapter.clock.clone(), &places);
        }
        let Adapter { go, reply, info, refusal, .. } = self.adapter.clone();
        let mut thought = Thought::default();
        let (found, elapsed) = self.talk.ask(&go, turn.patience, |line| {
            if refusal.iter().any(|pattern| pattern.find(line).is_some()) {
                return Some(Err(line.trim().to_owned()));
            }
            if let Some(found) = reply.iter().find_map(|pattern| pattern.find(line)) {
                return Some(Ok(found));
            }
            if let Some(found) = info.iter().find_map(|pattern| pattern.find(line)) {
                merge(&mut thought, found.thought);
            }
            None
        })?;
        let Found { text, thought: last } = found.map_err(|answer| Failure::Refused { asked: go.clone(), answer })?;
        merge(&mut thought, last);
        Ok(Answer { text: text.unwrap_or_default(), thought, elapsed })
    }

    fn played(&mut self, ply: &Ply, own: bool) -> Result<(), Failure> {
        if !(own && self.adapter.plays_own_move) {
            self.play(ply);
        }
        Ok(())
    }

    fn is_alive(&mut self) -> bool {
        self.talk.process.is_alive()
    }

    fn leave(self: Box<Self>) {
        let goodbye = self.adapter.quit;
        self.talk.process.leave(goodbye.as_deref());
    }
}

/// What is newer wins.
fn merge(thought: &mut Thought, news: Thought) {
    thought.value = news.value.or(thought.value);
    thought.depth = news.depth.or(thought.depth.take());
    thought.nodes = news.nodes.or(thought.nodes);
}
