//! The words behind `go`, and the work they ask for.

use super::notation::{self, VARIANT};
use crate::{
    base::{Byoyomi, Clock, Colour},
    engine::{Answer, CommandError, CommandErrorKind, Focus, Job, Query, Restriction, TimeControl},
    othello::{Game, Move, Record, RecordFormat},
    protocol::{Command, tables::excerpt},
};
use std::time::Duration;

/// What `go` asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Go {
    pub depth: Option<u64>,
    pub nodes: Option<u64>,
    pub move_time: Option<Duration>,
    /// What is left, black's first, who is white there.
    left: [Option<Duration>; 2],
    increment: [Duration; 2],
    moves_to_go: Option<u32>,
    /// Until `stop`.
    pub infinite: bool,
    /// Until `ponderhit` or `stop`.
    pub ponder: bool,
    /// Only these moves.
    moves: Vec<Move>,
}

impl Go {
    pub fn read(args: &str) -> Answer<Go> {
        let mut go = Go::default();
        let mut words = args.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let wrong = |message: String| CommandError::new(CommandErrorKind::Syntax, message);
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    while let Some(mv) = words.peek().and_then(|text| notation::read_move(text).ok()) {
                        words.next();
                        go.moves.push(mv);
                    }
                    if go.moves.is_empty() {
                        return Err(wrong("searchmoves needs moves".into()));
                    }
                }
                "depth" | "nodes" | "movetime" | "wtime" | "btime" | "winc" | "binc" | "movestogo" => {
                    let text = words.next().unwrap_or_default();
                    // A clock that has run out is sent as a negative number.
                    let number = text.parse::<i64>().map_err(|_| {
                        let text = excerpt(text);
                        wrong(format!("`{text}` after {word} is not a number"))
                    })?;
                    go.take(word, number.max(0) as u64);
                }
                _ => return Err(wrong(format!("go does not know `{}`", excerpt(word)))),
            }
        }
        Ok(go)
    }

    fn take(&mut self, word: &str, number: u64) {
        let time = Duration::from_millis(number.min(1 << 40));
        match word {
            "depth" => self.depth = Some(number.clamp(1, 60)),
            "nodes" => self.nodes = Some(number.max(1)),
            "movetime" => self.move_time = Some(time.max(Duration::from_millis(1))),
            "wtime" => self.left[0] = Some(time),
            "btime" => self.left[1] = Some(time),
            "winc" => self.increment[0] = time,
            "binc" => self.increment[1] = time,
            _ => self.moves_to_go = Some(number.clamp(1, 100) as u32),
        }
    }

    /// The same once the expected move was played.
    pub fn without_pondering(&self) -> Go {
        Go { ponder: false, ..self.clone() }
    }

    fn clock(&self, side: Colour) -> Option<Clock> {
        let left = self.left[side.index()]?;
        let period = |stones| Byoyomi { period: left, stones, stones_left: Some(stones) };
        Some(Clock { left, increment: self.increment[side.index()], byoyomi: self.moves_to_go.map(period) })
    }

    /// The work asked for, with the values of so many moves.
    pub fn command(&self, game: &Game, count: usize) -> Answer<Command> {
        let side = game.side();
        if self.infinite || self.ponder {
            return Ok(Command::Work(Job::Watch { colour: None, count, focus: self.focus(side) }));
        }
        let clock = self.clock(side);
        if let Some(clock) = clock
            && (self.depth, self.nodes, self.move_time, count) == (None, None, None, 1)
            && self.moves.is_empty()
        {
            let set = Command::SetTime(TimeControl { clock: Some(clock) });
            let left = Command::TimeLeft { colour: side, clock };
            return Ok(Command::Several(vec![set, left, Command::Work(Job::Move { colour: None, play: false })]));
        }
        let mut settings: Vec<(String, String)> = vec![];
        let mut set = |name: &str, value: String| settings.push((name.into(), value));
        match (self.depth, self.nodes) {
            (Some(depth), _) => set("depth", depth.to_string()),
            (None, Some(_)) => set("level", "60".into()),
            (None, None) => {}
        }
        if let Some(nodes) = self.nodes {
            set("nodes", nodes.to_string());
        }
        // The values of several moves, or of some only, take as long as a share of the clock allows.
        let share = |clock: Clock| clock.left / self.moves_to_go.unwrap_or(20).max(2) + clock.increment / 2;
        if let Some(time) = self.move_time.or(clock.map(share)) {
            set("move-time", format!("{:.3}", time.as_secs_f64().clamp(0.001, 1e6)));
        }
        let position = Some(text(game)?);
        Ok(Command::Work(Job::Query(Query { position, settings, count, focus: self.focus(side), ..Query::default() })))
    }

    fn focus(&self, side: Colour) -> Focus {
        let moves: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        let only = Restriction { colour: side, moves, only: true, plies: 1 };
        Focus { least: 0, restrictions: if self.moves.is_empty() { vec![] } else { vec![only] } }
    }
}

/// The game as the engine reads it.
pub fn text(game: &Game) -> Answer<String> {
    RecordFormat::Ggf.write(&Record::new(game.clone())).ok_or_else(|| {
        CommandError::new(CommandErrorKind::Unsupported, format!("this position of {VARIANT} cannot be played"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(args: &str, count: usize) -> Command {
        Go::read(args).unwrap().command(&Game::new(), count).unwrap()
    }

    fn settings(args: &str, count: usize) -> Vec<(String, String)> {
        match command(args, count) {
            Command::Work(Job::Query(query)) => query.settings,
            other => panic!("{args}: {other:?}"),
        }
    }

    #[test]
    fn limits_become_settings_of_one_question() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(settings("", 1), []);
        assert_eq!(settings("depth 8", 3), [pair("depth", "8")]);
        assert_eq!(settings("nodes 5000", 1), [pair("level", "60"), pair("nodes", "5000")]);
        assert_eq!(settings("movetime 250", 1), [pair("move-time", "0.250")]);
        assert_eq!(settings("wtime 60000 btime 1 winc 1000", 2), [pair("move-time", "3.500")]);
    }

    #[test]
    fn a_clock_is_the_engines_own() {
        let Command::Several(list) = command("wtime 60000 btime 50000 winc 2000 binc 1", 1) else { panic!() };
        let Command::TimeLeft { colour, clock } = list[1] else { panic!("{list:?}") };
        assert_eq!(
            (colour, clock.left, clock.increment),
            (Colour::Black, Duration::from_secs(60), Duration::from_secs(2))
        );
        assert_eq!(list[2], Command::Work(Job::Move { colour: None, play: false }));
        // A clock that has run out still asks for a move.
        assert!(matches!(command("wtime -30", 1), Command::Several(_)));
    }

    #[test]
    fn what_go_does_not_know_is_refused() {
        for (args, why) in [
            ("depth", "`` after depth is not a number"),
            ("depth x", "`x` after depth"),
            ("perft 3", "go does not know `perft`"),
            ("mate 3", "go does not know `mate`"),
            ("searchmoves", "needs moves"),
        ] {
            assert!(Go::read(args).expect_err(args).message.contains(why), "{args}");
        }
    }

    #[test]
    fn only_some_moves_are_searched_whatever_the_limit() {
        for args in ["infinite", "depth 3", "nodes 100", "movetime 9", "btime 5000", ""] {
            let focus = match command(&format!("searchmoves P@f4 P@e3 {args}"), 1) {
                Command::Work(Job::Watch { focus, .. } | Job::Query(Query { focus, .. })) => focus,
                other => panic!("{args}: {other:?}"),
            };
            assert_eq!(focus.restrictions[0].moves, ["f5", "e6"], "{args}");
        }
    }
}
