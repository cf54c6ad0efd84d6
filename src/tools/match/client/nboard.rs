//! A player that speaks NBoard 2.

use super::{Abilities, Answer, Failure, Player, Setup, Talk, Thought, Turn, number};
use crate::{
    othello::records::{GameClock, Record, ggf},
    tools::tournament::{
        clock::{Overtime, TimeControl},
        kifu::othello_game,
        record::Ply,
    },
};
use std::time::Duration;

pub struct NboardPlayer {
    talk: Talk,
    pings: u32,
}

impl NboardPlayer {
    /// Says hello and sends the options; the first `pong` shows that the engine is there.
    pub fn start(
        talk: Talk,
        options: &[String],
        start_patience: Duration,
    ) -> Result<(NboardPlayer, Abilities), Failure> {
        let mut player = NboardPlayer { talk, pings: 0 };
        player.talk.send("nboard 2");
        for option in options {
            player.talk.send(option);
        }
        let mut title = String::new();
        player.ping(start_patience, |line| {
            if let Some(name) = line.strip_prefix("set myname ") {
                title = name.trim().to_owned();
            }
        })?;
        let abilities = Abilities { title, positions: true, clocks: true, move_time: false };
        Ok((player, abilities))
    }

    /// Waits until the engine has done all it was told.
    fn ping(&mut self, patience: Duration, mut other: impl FnMut(&str)) -> Result<(), Failure> {
        self.pings += 1;
        let pong = self.pings.to_string();
        self.talk
            .ask(&format!("ping {pong}"), patience, |line| {
                other(line);
                let mut words = line.split_whitespace();
                (words.next() == Some("pong") && words.next() == Some(&pong)).then_some(())
            })
            .map(drop)
    }
}

impl Player for NboardPlayer {
    fn new_game(&mut self, setup: &Setup) -> Result<(), Failure> {
        self.talk.send(&format!("set game {}", game_text(setup)));
        self.ping(self.talk.patience, |_| {})
    }

    fn think(&mut self, turn: &Turn) -> Result<Answer, Failure> {
        self.ping(self.talk.patience, |_| {})?;
        let mut thought = Thought::default();
        let (answer, elapsed) = self.talk.ask("go", turn.patience, |line| {
            note(line, &mut thought);
            line.strip_prefix("===").map(|answer| answer.trim().to_owned())
        })?;
        // `F5/1.20/0.3`, with blanks instead of strokes in some engines, and with parts left out.
        let mut parts = answer.split(['/', ' ']).map(str::trim);
        let text = parts.next().unwrap_or_default().to_owned();
        if let Some(value) = parts.next().and_then(number) {
            thought.value = Some(value);
        }
        if text.is_empty() {
            return Err(Failure::Garbage { asked: "go".into(), answer: format!("=== {answer}") });
        }
        Ok(Answer { text, thought, elapsed })
    }

    fn played(&mut self, ply: &Ply, _own: bool) -> Result<(), Failure> {
        self.talk.send(&format!("move {}", move_text(ply)));
        Ok(())
    }

    fn is_alive(&mut self) -> bool {
        self.talk.process.is_alive()
    }

    fn leave(self: Box<Self>) {
        self.talk.process.leave(Some("quit"));
    }
}

/// Takes value, depth and nodes from what the engine says while it thinks.
fn note(line: &str, thought: &mut Thought) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["search" | "book", _pv, value, _games, depth, ..] => {
            // A pair `a,b` is the value with the draw given to each side.
            let value = value.split(',').next().unwrap_or(value);
            thought.value = number(value).or(thought.value);
            thought.depth = Some(if words[0] == "book" { "book".into() } else { (*depth).to_owned() });
        }
        // How Shirokuro says it while it chooses a move.
        ["status", _move, value, "at", "depth", depth] => {
            thought.value = number(value).or(thought.value);
            thought.depth = Some((*depth).to_owned());
        }
        ["nodestats", nodes, ..] => thought.nodes = nodes.parse().ok().or(thought.nodes),
        _ => {}
    }
}

/// The game so far, with the clocks.
fn game_text(setup: &Setup) -> String {
    ggf::text(&Record {
        // The parser of the reference program stops at these, whatever they stand in.
        names: setup.names.map(|name| name.replace(['[', ']', ';', '(', ')'], "_")),
        clocks: setup.controls.map(|control| control.map(clock)),
        place: "Shirokuro".into(),
        ..Record::new(othello_game(setup.position, setup.opening))
    })
}

/// The format knows neither overtime nor a time per move: the engine hears of the part it can be sure of.
fn clock(control: TimeControl) -> GameClock {
    let (main, increment) = match control {
        TimeControl::PerMove(each) => (each, each),
        TimeControl::Game(time) => {
            let overtime = match time.overtime {
                Some(Overtime::Canadian { period, moves }) => period / moves,
                Some(Overtime::Japanese { period, .. }) => period,
                None => Duration::ZERO,
            };
            (time.main + overtime, time.increment.max(overtime))
        }
    };
    GameClock { main, increment, grace: Duration::ZERO }
}

/// `F5/1.20/0.300`; a pass is `PA`.
fn move_text(ply: &Ply) -> String {
    let text = if ply.is_pass() { "PA".to_owned() } else { ply.text.to_uppercase() };
    match (ply.value, ply.seconds) {
        (None, None) => text,
        (Some(value), None) => format!("{text}/{value:.2}"),
        (value, Some(seconds)) => {
            let value = value.map(|value| format!("{value:.2}")).unwrap_or_default();
            format!("{text}/{value}/{seconds:.3}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::Colour, tools::tournament::referee::GameKind};

    fn ply(colour: Colour, text: &str) -> Ply {
        Ply { colour, text: text.into(), ..Ply::default() }
    }

    #[test]
    fn the_game_as_it_is_sent() {
        let opening = [ply(Colour::Black, "f5"), ply(Colour::White, "d6")];
        let setup = Setup {
            game: GameKind::Othello,
            colour: Colour::Black,
            position: None,
            opening: &opening,
            controls: ["5:00+2".parse().ok(); 2],
            names: ["a", "b[1]"],
        };
        assert_eq!(
            game_text(&setup),
            "(;GM[Othello]PC[Shirokuro]PB[a]PW[b_1_]RE[?]TI[5:00/0:02/0:00]TY[8]\
             BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6];)"
        );
        let setup = Setup { controls: ["1.5".parse().ok(), None], opening: &[], ..setup };
        assert!(game_text(&setup).contains("RE[?]TB[0:01.5/0:00/0:00]TY[8]"), "{}", game_text(&setup));
    }

    #[test]
    fn moves_carry_value_and_time() {
        let mut move_made = ply(Colour::Black, "pass");
        assert_eq!(move_text(&move_made), "PA");
        move_made.text = "c3".into();
        move_made.seconds = Some(0.25);
        assert_eq!(move_text(&move_made), "C3//0.250");
        move_made.value = Some(-1.5);
        assert_eq!(move_text(&move_made), "C3/-1.50/0.250");
    }

    #[test]
    fn thoughts_are_noted() {
        let mut thought = Thought::default();
        note("status thinking", &mut thought);
        note("search F5d6 +1.50 0 12", &mut thought);
        note("search F5d6 2.5,2.5 0 14@73%", &mut thought);
        note("nodestats 12345 0.5", &mut thought);
        note("search broken", &mut thought);
        let mut ours = Thought::default();
        note("status F5 +1.25 at depth 16@98%", &mut ours);
        assert_eq!(ours, Thought { value: Some(1.25), depth: Some("16@98%".into()), nodes: None });
        assert_eq!(thought, Thought { value: Some(2.5), depth: Some("14@73%".into()), nodes: Some(12345) });
    }
}
