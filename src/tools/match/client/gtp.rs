//! A player that speaks GTP 2.

use super::{Abilities, Answer, Failure, Patience, Player, Setup, Since, Talk, Thought, Turn};
use crate::{
    base::{Clock, Colour},
    tools::tournament::{
        clock::{GameTime, Overtime, TimeControl},
        record::Ply,
        referee::GameKind,
    },
};
use std::time::{Duration, Instant};

/// Lines outside a reply before the engine is taken to be raving.
const MOST_GARBAGE: usize = 10_000;
/// Lines of one reply before it is taken to be endless.
const LONGEST_REPLY: usize = 20_000;
/// What a reply may take from its first line to its last at least.
const REPLY_END: Duration = Duration::from_millis(500);

/// What differs between GTP engines, from the description of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GtpHabits {
    /// The engine refuses `play X pass` and notices passes by itself.
    pub swallow_passes: bool,
    /// The engine reads decimals in `time_left` and `time_settings`.
    pub decimal_times: bool,
}

pub struct GtpPlayer {
    talk: Talk,
    habits: GtpHabits,
    commands: Vec<String>,
    is_go: bool,
}

/// A successful reply and how long it took to begin.
struct Reply {
    text: String,
    elapsed: Duration,
}

impl GtpPlayer {
    /// Says hello and sends the options.
    pub fn start(
        talk: Talk,
        habits: GtpHabits,
        options: &[String],
        start_patience: Duration,
    ) -> Result<(GtpPlayer, Abilities), Failure> {
        let mut player = GtpPlayer { talk, habits, commands: Vec::new(), is_go: false };
        let name = player.command_within("name", start_patience)?.text;
        // Neither is worth a refusal: an engine without a version can play.
        let version = player.optional("version")?.unwrap_or_default();
        let list = player.optional("list_commands")?.unwrap_or_default();
        player.commands = list.split_whitespace().map(str::to_owned).collect();
        for option in options {
            player.command(option)?;
        }
        let abilities = Abilities {
            title: format!("{name} {version}").trim().to_owned(),
            positions: player.knows("gogui-setup") && player.knows("gogui-setup_player"),
            clocks: player.knows("time_settings"),
            move_time: player.knows("time_settings"),
        };
        Ok((player, abilities))
    }

    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    fn command(&mut self, command: &str) -> Result<Reply, Failure> {
        self.command_within(command, self.talk.patience)
    }

    /// Like [`GtpPlayer::command`], but a `?` is an answer too.
    fn optional(&mut self, command: &str) -> Result<Option<String>, Failure> {
        match self.command(command) {
            Ok(reply) => Ok(Some(reply.text)),
            Err(Failure::Refused { .. }) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    fn command_within(&mut self, command: &str, patience: impl Into<Patience>) -> Result<Reply, Failure> {
        self.talk.process.drain();
        let (since, patience) = (self.talk.now()?, patience.into());
        self.talk.send(command);
        let mut garbage: Option<(String, usize)> = None;
        loop {
            let line = match self.talk.line(command, since, patience) {
                Ok(line) => line,
                // Silence after noise is not silence.
                Err(Failure::Silence { asked, after }) => {
                    return Err(match garbage {
                        Some((answer, _)) => Failure::Garbage { asked, answer },
                        None => Failure::Silence { asked, after },
                    });
                }
                Err(failure) => return Err(failure),
            };
            if let Some(success) = reply_start(&line.text) {
                let elapsed = self.talk.elapsed(since, &line)?;
                let left = patience.wall.saturating_sub(since.at.elapsed());
                return self.rest_of_reply(command, success, &line.text, elapsed, left);
            }
            if !line.text.trim().is_empty() {
                let (first, seen) = garbage.get_or_insert_with(|| (clip(&line.text), 0));
                *seen += 1;
                if *seen > MOST_GARBAGE {
                    return Err(Failure::Garbage { asked: command.into(), answer: first.clone() });
                }
            }
        }
    }

    fn rest_of_reply(
        &mut self,
        command: &str,
        success: bool,
        first: &str,
        elapsed: Duration,
        left: Duration,
    ) -> Result<Reply, Failure> {
        let mut text = first[1..].trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_owned();
        // A reply that has begun in time gets a moment for its end.
        let (since, patience) = (Since { at: Instant::now(), cpu: None }, left.max(REPLY_END).into());
        for _ in 0..LONGEST_REPLY {
            let line = self.talk.line(command, since, patience)?;
            if line.text.trim().is_empty() {
                return match success {
                    true => Ok(Reply { text, elapsed }),
                    false => Err(Failure::Refused { asked: command.into(), answer: clip(&text) }),
                };
            }
            text.push('\n');
            text.push_str(&line.text);
        }
        Err(Failure::Garbage { asked: command.into(), answer: clip(&text) })
    }

    fn play(&mut self, ply: &Ply) -> Result<(), Failure> {
        if ply.is_pass() && self.habits.swallow_passes {
            return Ok(());
        }
        let vertex = match ply.text.as_str() {
            "pass" => "pass".to_owned(),
            text => text.to_uppercase(),
        };
        self.command(&format!("play {} {vertex}", ply.colour.letter())).map(drop)
    }

    fn set_position(&mut self, position: &str) -> Result<(), Failure> {
        let mut stones = String::from("gogui-setup");
        for (index, disc) in position.chars().take(64).enumerate() {
            let colour = match disc {
                'X' => 'B',
                'O' => 'W',
                _ => continue,
            };
            let column = char::from(b'A' + (index % 8) as u8);
            stones += &format!(" {colour} {column}{}", index / 8 + 1);
        }
        self.command(&stones)?;
        let side = if position.ends_with('O') { 'W' } else { 'B' };
        self.command(&format!("gogui-setup_player {side}")).map(drop)
    }

    fn tell_time_control(&mut self, control: TimeControl) -> Result<(), Failure> {
        if !self.knows("time_settings") {
            return Ok(());
        }
        let (main, period, stones) = match control {
            TimeControl::PerMove(each) => (Duration::ZERO, each, 1),
            TimeControl::Game(GameTime { main, overtime: None, .. }) => (main, Duration::ZERO, 0),
            TimeControl::Game(GameTime { main, overtime: Some(overtime), .. }) => match overtime {
                Overtime::Canadian { period, moves } => (main, period, moves),
                Overtime::Japanese { period, .. } => (main, period, 1),
            },
        };
        let (main, period) = (self.seconds(main), self.seconds(period));
        self.command(&format!("time_settings {main} {period} {stones}")).map(drop)
    }

    fn tell_clock(&mut self, colour: Colour, clock: &Clock) -> Result<(), Failure> {
        let stones = clock.byoyomi.and_then(|byoyomi| byoyomi.stones_left).unwrap_or(0);
        let left = self.seconds(clock.left);
        self.command(&format!("time_left {} {left} {stones}", colour.letter())).map(drop)
    }

    /// Whole seconds, as the protocol has them, unless the engine is known to read more.
    fn seconds(&self, time: Duration) -> String {
        match self.habits.decimal_times {
            true => format!("{:.3}", time.as_secs_f64()),
            // Rounded up: a time of less than a second told as 0 would mean no limit or no time.
            false => time.as_millis().div_ceil(1000).to_string(),
        }
    }
}

impl Player for GtpPlayer {
    fn new_game(&mut self, setup: &Setup) -> Result<(), Failure> {
        self.is_go = matches!(setup.game, GameKind::Go { .. });
        let name = setup.game.name();
        if self.knows("set_game") {
            self.command(&format!("set_game {name}"))?;
        }
        self.command(&format!("boardsize {}", setup.game.size()))?;
        self.command("clear_board")?;
        if let GameKind::Go { komi, .. } = setup.game {
            self.command(&format!("komi {komi}"))?;
        }
        if let Some(control) = setup.controls[setup.colour.index()] {
            self.tell_time_control(control)?;
        }
        if let Some(position) = setup.position {
            self.set_position(position)?;
        }
        setup.opening.iter().try_for_each(|ply| self.play(ply))
    }

    fn think(&mut self, turn: &Turn) -> Result<Answer, Failure> {
        if self.knows("time_left") {
            for colour in [!turn.colour, turn.colour] {
                if let Some(clock) = &turn.clocks[colour.index()] {
                    self.tell_clock(colour, clock)?;
                }
            }
        }
        let reply = self.command_within(&format!("genmove {}", turn.colour.letter()), turn.patience)?;
        Ok(Answer { text: clip(&reply.text), thought: Thought::default(), elapsed: reply.elapsed })
    }

    fn played(&mut self, ply: &Ply, own: bool) -> Result<(), Failure> {
        if own { Ok(()) } else { self.play(ply) }
    }

    fn dead_stones(&mut self) -> Option<Vec<String>> {
        if !(self.is_go && self.knows("final_status_list")) {
            return None;
        }
        let list = self.optional("final_status_list dead").ok()??;
        Some(list.split_whitespace().map(str::to_owned).collect())
    }

    fn is_alive(&mut self) -> bool {
        self.talk.process.is_alive()
    }

    fn leave(self: Box<Self>) {
        self.talk.process.leave(Some("quit"));
    }
}

fn reply_start(line: &str) -> Option<bool> {
    match line.as_bytes().first() {
        Some(b'=') => Some(true),
        Some(b'?') => Some(false),
        _ => None,
    }
}

/// Enough of a text for a report.
fn clip(text: &str) -> String {
    text.chars().take(200).collect::<String>().trim().to_owned()
}
