//! A player that speaks NBoard 2.

use super::{Abilities, Answer, Failure, Player, Setup, Talk, Thought, Turn, number};
use crate::tools::tournament::{
    clock::{Overtime, TimeControl},
    kifu::ggf_move,
    process::Process,
    record::Ply,
};
use std::time::Duration;

pub struct NboardPlayer {
    talk: Talk,
    pings: u32,
}

impl NboardPlayer {
    /// Says hello and sends the options; the first `pong` shows that the engine is there.
    pub fn start(
        process: Process,
        options: &[String],
        start_patience: Duration,
        patience: Duration,
    ) -> Result<(NboardPlayer, Abilities), Failure> {
        let mut player = NboardPlayer { talk: Talk::new(process, patience), pings: 0 };
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
        self.talk.send(&format!("move {}", ggf_move(ply)));
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
        ["nodestats", nodes, ..] => thought.nodes = nodes.parse().ok().or(thought.nodes),
        _ => {}
    }
}

/// The game so far in GGF, with the clocks.
fn game_text(setup: &Setup) -> String {
    let start = "---------------------------OX------XO---------------------------X";
    let position = setup.position.unwrap_or(start).replace('X', "*");
    let (squares, side) = position.split_at(position.len().min(64));
    let clean = |name: &str| name.replace(['[', ']', ';', '(', ')'], "_");
    let mut text = format!(
        "(;GM[Othello]PC[Shirokuro]PB[{}]PW[{}]RE[?]{}TY[8]BO[8 {squares} {side}]",
        clean(setup.names[0]),
        clean(setup.names[1]),
        clock_tags(setup.controls),
    );
    for ply in setup.opening {
        text += &format!("{}[{}]", ply.colour.letter().to_ascii_uppercase(), ggf_move(ply));
    }
    text + ";)"
}

/// `TI` when both sides have the same time, `TB` and `TW` otherwise.
fn clock_tags(controls: [Option<TimeControl>; 2]) -> String {
    let tag = |name: &str, control: Option<TimeControl>| match control {
        Some(control) => format!("{name}[{}]", clock_text(control)),
        None => String::new(),
    };
    match controls {
        [black, white] if black == white => tag("TI", black),
        [black, white] => tag("TB", black) + &tag("TW", white),
    }
}

/// `5:00/2/0:00`: main time, increment, grace.
fn clock_text(control: TimeControl) -> String {
    let (main, increment) = match control {
        TimeControl::PerMove(each) => (each, each),
        TimeControl::Game(time) => {
            // The format knows no overtime: the engine hears of the part it can be sure of.
            let overtime = match time.overtime {
                Some(Overtime::Canadian { period, moves }) => period / moves,
                Some(Overtime::Japanese { period, .. }) => period,
                None => Duration::ZERO,
            };
            (time.main + overtime, time.increment.max(overtime))
        }
    };
    format!("{}/{}/0:00", clock_part(main), clock_part(increment))
}

fn clock_part(time: Duration) -> String {
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs_f64() % 60.0);
    match time.subsec_millis() {
        0 => format!("{minutes}:{seconds:02.0}"),
        _ => format!("{minutes}:{seconds:06.3}"),
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
        assert!(game_text(&setup).contains("RE[?]TB[0:01.500/0:00/0:00]TY[8]"), "{}", game_text(&setup));
    }

    #[test]
    fn moves_carry_value_and_time() {
        let mut move_made = ply(Colour::Black, "pass");
        assert_eq!(ggf_move(&move_made), "PA");
        move_made.text = "c3".into();
        move_made.seconds = Some(0.25);
        assert_eq!(ggf_move(&move_made), "C3//0.250");
        move_made.value = Some(-1.5);
        assert_eq!(ggf_move(&move_made), "C3/-1.50/0.250");
    }

    #[test]
    fn thoughts_are_noted() {
        let mut thought = Thought::default();
        note("status thinking", &mut thought);
        note("search F5d6 +1.50 0 12", &mut thought);
        note("search F5d6 2.5,2.5 0 14@73%", &mut thought);
        note("nodestats 12345 0.5", &mut thought);
        note("search broken", &mut thought);
        assert_eq!(thought, Thought { value: Some(2.5), depth: Some("14@73%".into()), nodes: Some(12345) });
    }
}
