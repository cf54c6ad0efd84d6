//! CGOS, the server where Go programs play each other. The server names the opponent, the clock and every turn, and
//! counts what stands on the board: dead stones have to be taken before the end.

use super::{
    Command, Id, Line, Output, Protocol, Reply, Request,
    online::{self, Standing, broken, remark},
    tables,
};
use crate::{
    base::{Clock, Colour},
    engine::{Answer, Engine, Game, Job, Outcome, Progress, Thought, TimeControl, command::Table},
};
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// Kept back of the clock for the way of the answer.
const LAG: Duration = Duration::from_millis(500);
/// So many moves are told with an answer.
const MOVES_TOLD: usize = 5;

pub struct Cgos {
    name: String,
    /// The server wants to know what the engine thinks of its moves.
    analysis: bool,
    standing: Arc<Standing>,
    /// Something was refused: the game cannot be gone on with.
    lost: bool,
    /// Said before leaving.
    last_words: String,
}

impl Cgos {
    pub fn new(name: &str, analysis: bool, standing: Arc<Standing>) -> Cgos {
        Cgos { name: name.into(), analysis, standing, lost: false, last_words: String::new() }
    }

    /// `setup GAME SIZE KOMI MS WHITE(RATING) BLACK(RATING) [MOVE MS]…`.
    fn set_up(&self, words: &[&str]) -> Answer<Command> {
        let [_, size, komi, time, white, black, moves @ ..] = words else {
            return Err(broken("setup has too few words"));
        };
        let size: usize = size.parse().map_err(|_| broken("setup has a wrong size"))?;
        let komi: f64 = komi.parse().map_err(|_| broken("setup has a wrong komi"))?;
        let time = time.parse().map(Duration::from_millis).map_err(|_| broken("setup has a wrong time"))?;
        let bare = |player: &str| player.split('(').next().unwrap_or_default().to_owned();
        let colour = if bare(white) == self.name { Colour::White } else { Colour::Black };
        let clock = |left| Clock { left, increment: Duration::ZERO, byoyomi: None };
        let mut list = vec![
            Command::Set(vec![("rules".into(), "cgos".into())]),
            Command::Resize(size),
            Command::NewGame,
            Command::Komi(komi),
            Command::SetTime(TimeControl { clock: Some(clock(time)) }),
        ];
        let sides = [Colour::Black, Colour::White].into_iter().cycle();
        let played: Vec<_> = moves.chunks(2).zip(sides).map(|(pair, side)| (Some(side), pair[0].into())).collect();
        if !played.is_empty() {
            list.push(Command::Play(played));
        }
        log::info!("a game as {colour}: {white} is white, {black} black");
        Ok(Command::Several(list))
    }

    fn command(&mut self, word: &'static str, words: &[&str]) -> Answer<Command> {
        let colour = |text: &str| text.parse::<Colour>().map_err(|_| broken(format!("{word} has a wrong colour")));
        let clock = |text: &str| -> Answer<Clock> {
            let left = text.parse::<i64>().map_err(|_| broken(format!("{word} has a wrong time")))?;
            let left = Duration::from_millis(left.max(0) as u64);
            Ok(Clock { left: left.saturating_sub(LAG.min(left / 4)), increment: Duration::ZERO, byoyomi: None })
        };
        match (word, words) {
            ("setup", words) => self.set_up(words),
            ("play", [side, point, time]) => {
                clock(time)?;
                Ok(Command::Play(vec![(Some(colour(side)?), (*point).into())]))
            }
            ("genmove", [side, time]) => {
                let colour = colour(side)?;
                let left = Command::TimeLeft { colour, clock: clock(time)? };
                Ok(Command::Several(vec![left, Command::Work(Job::Move { colour: Some(colour), play: true })]))
            }
            ("gameover", words) => {
                self.last_words = remark(&format!("game over: {}", words.join(" ")));
                let last = self.standing.finish_game();
                Ok(if last { Command::Quit } else { Command::Look(format!("{}ready", self.last_words)) })
            }
            _ => Err(broken(format!("{word} has the wrong number of words"))),
        }
    }
}

/// What the engine thinks of its move, as CGOS takes it.
fn analysis(thought: &Thought) -> Option<String> {
    let known = thought.lines.iter().filter_map(|line| Some((line, line.playouts?)));
    let moves: Vec<_> = known
        .take(MOVES_TOLD)
        .map(|(line, playouts)| {
            json!({
                "move": line.best().to_ascii_lowercase(),
                "winrate": rounded(playouts.win_rate),
                "prior": rounded(playouts.prior),
                "visits": playouts.visits,
                "score": rounded(line.value),
                "pv": line.moves.iter().skip(1).map(|mv| mv.to_ascii_lowercase()).collect::<Vec<_>>().join(" "),
            })
        })
        .collect();
    let best = moves.first()?;
    let whole = json!({ "winrate": best["winrate"], "score": best["score"], "visits": thought.nodes, "moves": moves });
    Some(whole.to_string())
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

impl Protocol for Cgos {
    fn parse(&mut self, line: &Line, _: Table) -> Option<Request> {
        let text = line.text.trim();
        let mut words = text.split_whitespace();
        let first = words.next()?;
        let words: Vec<&str> = words.collect();
        let known = ["setup", "play", "genmove", "gameover"].into_iter().find(|word| *word == first);
        let request = |word, command| Some(Request { id: Id::None, word, command });
        match known {
            Some(word) if line.cut => request(word, Err(broken("the line is too long"))),
            Some(word) => request(word, self.command(word, &words)),
            None if first.eq_ignore_ascii_case("error:") => {
                self.standing.refuse(&tables::printable(text));
                request("error", Ok(Command::Quit))
            }
            None => request("info", Ok(Command::Look(remark(&tables::excerpt_of(text, 160))))),
        }
    }

    /// The end of a game is heard in the middle of a search, too.
    fn interrupts(&self, new: &Request, _: &Request) -> bool {
        ["gameover", "setup", "error"].contains(&new.word)
    }

    fn look(&mut self, _: &Request, text: &str, _: &dyn Engine) -> Answer<Reply> {
        online::as_text(text)
    }

    fn own_turn(&mut self, engine: &dyn Engine) -> Option<Request> {
        if engine.game() != Game::Go {
            return Some(Request::new("switch", Command::Switch(Game::Go)));
        }
        std::mem::take(&mut self.lost).then(|| Request::new("leave", Command::Quit))
    }

    fn render(&mut self, request: &Request, reply: &Reply, out: &mut Output) {
        match (request.word, reply) {
            (_, Reply::Bye) => online::say(&format!("{}quit", self.last_words), out),
            (_, Reply::Text(text)) => online::say(text, out),
            (word, Reply::Refused(refusal)) => {
                online::say(&remark(&format!("{word}: {refusal}")), out);
                self.lost = true;
            }
            ("genmove", Reply::Outcome(Outcome::Move { best, thought, .. })) => {
                let told = analysis(thought).filter(|_| self.analysis).map_or(String::new(), |told| format!(" {told}"));
                online::say(&format!("{}{told}", best.to_ascii_lowercase()), out);
            }
            _ => {}
        }
    }

    fn progress(&mut self, _: &Request, _: &Progress, _: &mut Output) {}
}
