//! A client that knows all commands of its protocol and takes no care.

use super::{
    cases::{self, Kind, Speech},
    client::{Client, Launch, last, signal},
    files,
    stage::{Failure, Outcome, Played, Stage, finish},
};
use crate::{base::Rng, engine::Game, othello::book::formats::Format};
use std::time::Duration;

/// How a client leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaving {
    Quit,
    EndOfInput,
    Terminate,
    HangUp,
    Kill,
}

impl Leaving {
    fn any(rng: &mut Rng) -> Leaving {
        let all = [Leaving::Quit, Leaving::EndOfInput, Leaving::EndOfInput, Leaving::Terminate, Leaving::HangUp];
        if rng.below(6) == 0 { Leaving::Kill } else { all[rng.below(all.len())] }
    }
}

/// Something like this asks for nothing that can be answered.
fn garbage(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = vec![b'@'];
    let length = if rng.below(12) == 0 { 1_100_000 } else { rng.below(80) };
    bytes.extend((0..length).map(|_| match rng.below(256) as u8 {
        b'\n' | b'\r' => 0,
        byte => byte,
    }));
    bytes.push(b'\n');
    bytes
}

/// A command as somebody might mistype it.
fn mistyped(line: &str, rng: &mut Rng) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let other = ["-1", "99999999999999999999", "é白", "\"", "a1", "inf", "none", "/", ""];
    let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let at = rng.below(words.len());
    match rng.below(4) {
        0 => words[at] = (*rng.pick(&other).unwrap_or(&"")).to_owned(),
        1 => words.truncate(at + 1),
        2 => words.push((*rng.pick(&other).unwrap_or(&"")).to_owned()),
        _ => words.swap(0, at),
    }
    words.join(" ")
}

/// A conversation with a client that knows all commands and takes no care.
struct Talk<'a> {
    client: Client,
    speech: Speech,
    rng: &'a mut Rng,
    /// What every answer has to carry, in order.
    asked: Vec<u64>,
}

const FIRST_NUMBER: u64 = 7_000_000;

/// Talks for a while and leaves in some way.
pub fn talk(stage: &mut Stage<'_>, speech: Speech) -> Outcome {
    files::for_scenes(stage.folder, 20, &mut stage.rng)?;
    files::book(&stage.folder.join("big.skbook"), Format::Own, 400, 1)?;
    files::book(&stage.folder.join("other.egbk3"), Format::Egbk3, 400, 2)?;
    let rng = &mut stage.rng;
    let game = match speech {
        Speech::Katago => Game::Go,
        Speech::Gtp | Speech::Json if rng.below(2) == 0 => Game::Go,
        _ => Game::Othello,
    };
    let client = Launch::owned(stage.folder, arguments(speech, game, rng)).start()?;
    let mut talk = Talk { client, speech, rng, asked: Vec::new() };
    talk.greet()?;
    for _ in 0..5 + talk.rng.below(50) {
        talk.line(game);
        if talk.rng.below(3) == 0 {
            std::thread::sleep(Duration::from_micros(talk.rng.below(30_000) as u64));
        }
    }
    talk.leave()
}

fn arguments(speech: Speech, game: Game, rng: &mut Rng) -> Vec<String> {
    let mut args = vec![speech.name().to_owned()];
    let mut add = |name: &str, value: String| args.extend([format!("--{name}"), value]);
    add("threads", (1 + rng.below(2)).to_string());
    match game {
        Game::Othello => {
            add("level", (1 + rng.below(30)).to_string());
            add("hash", (10 + rng.below(8)).to_string());
            add("book", ["none", "builtin", "big.skbook"][rng.below(3)].to_owned());
        }
        Game::Go => {
            add("game", "go".into());
            add("playouts", (1 + rng.below(2000)).to_string());
            add("memory", "32".into());
        }
    }
    args
}

impl Talk<'_> {
    /// Waits until it is there: before that a signal ends any process.
    fn greet(&mut self) -> Result<(), Failure> {
        match self.speech {
            Speech::Gtp => self.say("protocol_version"),
            Speech::Json => self.say(r#"{"id":0,"command":"echo there"}"#),
            _ => self.mark(),
        }
        let there = self.speech == Speech::Standalone || self.client.wait_for(|_| true).is_some();
        if there { Ok(()) } else { Err(Failure::new("no first answer", self.client.dialogue())) }
    }

    fn line(&mut self, game: Game) {
        match self.rng.below(20) {
            0 => {
                let bytes = garbage(self.rng);
                self.client.send_bytes(&bytes);
            }
            1..=3 => self.stop(),
            4 if cfg!(unix) && self.speech != Speech::Standalone => _ = signal(self.client.id(), "INT"),
            n => {
                let speech = self.speech;
                let fitting: Vec<_> = cases::all().filter(|case| case.speech == speech && case.game == game).collect();
                let Some(case) = self.rng.pick(&fitting) else { return };
                if case.kind == Kind::Leaves && speech != Speech::Standalone {
                    return;
                }
                case.before.iter().for_each(|line| self.say(line));
                match case.kind {
                    Kind::Leaves => {}
                    // What is no JSON has no number to answer with.
                    _ if n < 8 && speech == Speech::Json => {
                        self.client.send(&mistyped(case.line, self.rng));
                    }
                    _ if n < 8 => {
                        let line = mistyped(case.line, self.rng);
                        self.say(&line);
                    }
                    _ => self.say(case.line),
                }
            }
        }
        self.mark();
    }

    /// A command with a number of its own where the language has numbers.
    fn say(&mut self, line: &str) {
        let number = FIRST_NUMBER + self.asked.len() as u64;
        match self.speech {
            // A lone `setboard` takes the following lines for rows.
            Speech::Console if ["setboard", "position"].contains(&line.trim()) => {}
            Speech::Gtp if !line.trim().is_empty() && !line.contains('#') => {
                self.asked.push(number);
                self.client.send(&format!("{number} {line}"));
            }
            Speech::Json => match line.split_once(r#"{"id":"#).and_then(|(_, rest)| rest.split_once(',')) {
                Some((_, rest)) => {
                    self.asked.push(number);
                    self.client.send(&format!(r#"{{"id":{number},{rest}"#));
                }
                None => _ = self.client.send(line),
            },
            _ => _ = self.client.send(line),
        }
    }

    /// Asks for something whose answer can be told from all others.
    fn mark(&mut self) {
        let number = FIRST_NUMBER + self.asked.len() as u64;
        match self.speech {
            Speech::Console => _ = self.client.send(&format!("echo {number}")),
            Speech::Nboard => _ = self.client.send(&format!("ping {number}")),
            // A command that nobody knows is answered in its place.
            Speech::Uci => _ = self.client.send(&format!("mark-{number}")),
            // So is a query without a board.
            Speech::Katago => _ = self.client.send(&format!(r#"{{"id":"mark-{number}"}}"#)),
            Speech::Gtp | Speech::Json | Speech::Standalone => return,
        }
        self.asked.push(number);
    }

    fn stop(&mut self) {
        match self.speech {
            Speech::Console | Speech::Uci => _ = self.client.send("stop"),
            Speech::Gtp => _ = self.client.send("# interrupt"),
            Speech::Json => _ = self.client.send(r#"{"stop":true}"#),
            Speech::Katago => _ = self.client.send(r#"{"id":"stop","action":"terminate_all"}"#),
            Speech::Nboard | Speech::Standalone => {}
        }
    }

    fn leave(mut self) -> Outcome {
        let leaving = Leaving::any(self.rng);
        let codes: &[i32] = match leaving {
            // A signal of before may have come when nothing was at work: that ends it too.
            Leaving::Quit | Leaving::EndOfInput => &[0, 130],
            Leaving::Terminate => &[143, 130],
            Leaving::HangUp => &[129, 130],
            Leaving::Kill => &[-9, 130],
        };
        match leaving {
            Leaving::Quit | Leaving::EndOfInput => {
                self.stop();
                self.mark();
                if leaving == Leaving::Quit {
                    let quit = if self.speech == Speech::Json { r#"{"command":"quit"}"# } else { "quit" };
                    self.client.send(quit);
                }
                self.client.close();
            }
            Leaving::Terminate => signal(self.client.id(), "TERM").unwrap_or(()),
            Leaving::HangUp => signal(self.client.id(), "HUP").unwrap_or(()),
            Leaving::Kill => self.client.kill(),
        }
        let (speech, asked) = (self.speech, self.asked);
        let ending = finish(self.client, codes)?;
        let answered = matches!(leaving, Leaving::Quit | Leaving::EndOfInput) && ending.status.success();
        if answered && let Err(what) = all_answered(speech, &asked, &ending.dialogue) {
            return Err(Failure::new(what, last(&ending.dialogue)));
        }
        Ok(Played::Survived)
    }
}

/// Every question has one answer, and they come in order.
fn all_answered(speech: Speech, asked: &[u64], dialogue: &[String]) -> Result<(), String> {
    let answers: Vec<u64> = dialogue.iter().filter_map(|line| number_of(speech, line.strip_prefix("< ")?)).collect();
    match asked.iter().zip(&answers).find(|(asked, answered)| asked != answered) {
        Some((asked, answered)) => Err(format!("{asked} should have been answered where {answered} was")),
        None if asked.len() != answers.len() => {
            Err(format!("{} of {} questions were answered", answers.len(), asked.len()))
        }
        None => Ok(()),
    }
}

/// The number that an answer carries.
fn number_of(speech: Speech, line: &str) -> Option<u64> {
    let text = match speech {
        Speech::Console => line,
        Speech::Nboard => line.strip_prefix("pong ")?,
        Speech::Gtp => line.strip_prefix(['=', '?'])?.split(' ').next()?,
        Speech::Json if line.contains(r#""type":"progress""#) => return None,
        Speech::Json => line.strip_prefix(r#"{"id":"#)?.split(',').next()?,
        Speech::Uci => line.split_once("`mark-")?.1.split('`').next()?,
        Speech::Katago => line.split_once(r#""id":"mark-"#)?.1.split('"').next()?,
        Speech::Standalone => return None,
    };
    text.parse().ok().filter(|&number| number >= FIRST_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_answer_is_noticed() {
        let said = |lines: &[&str]| -> Vec<String> { lines.iter().map(|line| format!("< {line}")).collect() };
        let gtp = |asked: &[u64], lines: &[&str]| all_answered(Speech::Gtp, asked, &said(lines));
        assert_eq!(gtp(&[7_000_000, 7_000_001], &["=7000000 a", "", "?7000001 no", ""]), Ok(()));
        assert!(gtp(&[7_000_000, 7_000_001], &["=7000000 a"]).is_err());
        assert!(gtp(&[7_000_000, 7_000_001], &["=7000001 ", "=7000000 "]).is_err());
        assert!(gtp(&[7_000_000], &["=7000000 ", "=7000000 "]).is_err());
        let json = [r#"{"id":7000000,"type":"progress"}"#, r#"{"id":7000000,"type":"answer"}"#];
        assert_eq!(all_answered(Speech::Json, &[7_000_000], &said(&json)), Ok(()));
    }
}
