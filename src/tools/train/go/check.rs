//! `train go-net-check`: whether a network says here what it says in KataGo.
//!
//! Both are given the same positions, of games that the network plays against itself and of some where chance plays, on
//! three sizes of boards and by all rule sets; what `kata-raw-nn` answers is compared with what is found here.

use super::super::TrainError;
use crate::{
    base::{Args, Colour, Rng},
    go::{
        GoGame, Point, Rules,
        net::{Input, Ladders, Net, Output, Recent, Workspace, input, search},
        notation::Vertex,
        rules::{Scoring, Superko},
    },
    tools::tournament::process::{Launch, NoLine, Process},
};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

#[derive(clap::Args, Debug)]
pub struct CheckOptions {
    /// The network
    #[arg(long, value_name = "FILE")]
    net: PathBuf,
    /// A GTP engine with `kata-raw-nn` that has the same network: `katago gtp -model FILE -config FILE`
    #[arg(long, value_name = "COMMAND")]
    engine: String,
    /// Positions to compare
    #[arg(long, default_value_t = 100)]
    positions: usize,
    /// The largest difference that passes; scores may differ by twenty times as many points
    #[arg(long, default_value_t = 0.001)]
    tolerance: f32,
    #[arg(short, long, default_value_t = 1)]
    seed: u64,
}

const SIZES: [usize; 3] = [9, 13, 19];
const KOMI: [f32; 6] = [0.0, 5.5, 6.0, 6.5, 7.0, 7.5];
/// How long the engine may take to start and to answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a point of score counts beside a chance or a share.
const POINT: f32 = 1.0 / 20.0;

/// What one side says of a position, seen by the side to move. Points that are no moves have no share.
struct Answer {
    win: f32,
    no_result: f32,
    score: f32,
    lead: f32,
    /// Points from the top, then the pass.
    policy: Vec<f32>,
    ownership: Vec<f32>,
}

/// The largest differences by head.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Differences {
    win: f32,
    policy: f32,
    ownership: f32,
    score: f32,
}

impl Differences {
    fn of(a: &Answer, b: &Answer) -> Differences {
        let most =
            |pairs: &mut dyn Iterator<Item = (&f32, &f32)>| pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        Differences {
            win: (a.win - b.win).abs().max((a.no_result - b.no_result).abs()),
            policy: most(&mut a.policy.iter().zip(&b.policy)),
            ownership: most(&mut a.ownership.iter().zip(&b.ownership)),
            score: (a.score - b.score).abs().max((a.lead - b.lead).abs()),
        }
    }

    fn join(self, other: Differences) -> Differences {
        Differences {
            win: self.win.max(other.win),
            policy: self.policy.max(other.policy),
            ownership: self.ownership.max(other.ownership),
            score: self.score.max(other.score),
        }
    }

    fn largest(self) -> f32 {
        self.win.max(self.policy).max(self.ownership).max(POINT * self.score)
    }

    fn line(self) -> String {
        let Differences { win, policy, ownership, score } = self;
        format!("win {win:.1e}  policy {policy:.1e}  ownership {ownership:.1e}  score {score:.1e} points")
    }
}

pub fn run(options: &CheckOptions) -> Result<(), TrainError> {
    let net = Net::from_file(&options.net)
        .map_err(|error| TrainError::Net { path: options.net.clone(), error: error.to_string() })?;
    let mut engine = Engine::start(&options.engine)?;
    let mut found: HashMap<usize, (usize, Differences)> = HashMap::new();
    let mut rng = Rng::new(options.seed);
    let (mut ladders, mut room) = (Ladders::default(), Workspace::default());
    for number in 0..options.positions {
        let size = SIZES[number % SIZES.len()];
        let rules = Rules::ALL[rng.below(Rules::ALL.len())];
        let Ok(mut game) = GoGame::new(size, rules, *rng.pick(&KOMI).unwrap_or(&7.0)) else { continue };
        let moves = rng.below(size * size * 9 / 10);
        let by_chance = number % 4 == 3;
        let mut judge = |game: &GoGame| {
            let recent = Recent::of(game);
            let input = Input::new(&recent.situation(game), &mut ladders);
            answer(game, &net.evaluate(std::slice::from_ref(&input), &mut room)[0])
        };
        while game.plays().len() < moves && !game.is_over() {
            let policy = if by_chance { None } else { Some(judge(&game).policy) };
            let p = draw(&game, policy.as_deref(), &mut rng);
            if game.play(game.to_move(), p).is_err() {
                break;
            }
        }
        // A game that is over is not compared: no move would follow.
        if game.is_over() {
            game.back_to(game.plays().len() - 1);
        }
        let theirs = engine.ask(&game)?;
        let difference = Differences::of(&judge(&game), &theirs);
        if difference.largest() > options.tolerance {
            let played: Vec<String> =
                game.plays().iter().map(|play| Vertex(game.geometry(), play.point).to_string()).collect();
            crate::say_line!(
                "{size}x{size} {} komi {}: {}\n  {}",
                rules.name,
                game.komi(),
                difference.line(),
                played.join(" ")
            );
        }
        let (count, sum) = found.entry(size).or_default();
        (*count, *sum) = (*count + 1, sum.join(difference));
    }
    engine.process.leave(Some("quit"));
    let mut all = Differences::default();
    for size in SIZES {
        if let Some((count, most)) = found.get(&size) {
            crate::say_line!("{size:2}x{size:<2} {count:4} positions, largest differences: {}", most.line());
            all = all.join(*most);
        }
    }
    if all.largest() > options.tolerance {
        return Err(TrainError::Differs(all.largest()));
    }
    Ok(())
}

/// What the network says here.
fn answer(game: &GoGame, output: &Output) -> Answer {
    let mut moves = legal(game);
    moves.push(Point::PASS);
    let mut policy = vec![0.0; output.policy.len()];
    for (p, share) in search::shares(game.board(), output, &moves) {
        policy[number(game, p)] = share;
    }
    Answer {
        win: output.win,
        no_result: output.no_result,
        score: output.score,
        lead: output.lead,
        policy,
        ownership: output.ownership.clone(),
    }
}

fn legal(game: &GoGame) -> Vec<Point> {
    let mut moves = game.legal_points();
    moves.retain(|&p| !input::is_lone_suicide(game.board(), p));
    moves
}

fn number(game: &GoGame, p: Point) -> usize {
    if p.is_pass() { game.geometry().area() } else { input::number(game.board(), p) }
}

fn draw(game: &GoGame, policy: Option<&[f32]>, rng: &mut Rng) -> Point {
    let mut moves = legal(game);
    let Some(policy) = policy else { return rng.pick(&moves).copied().unwrap_or(Point::PASS) };
    moves.push(Point::PASS);
    let mut left = rng.unit() as f32;
    let drawn = moves.iter().find(|&&p| {
        left -= policy[number(game, p)];
        left < 0.0
    });
    drawn.copied().unwrap_or(Point::PASS)
}

struct Engine {
    process: Process,
}

impl Engine {
    fn start(command: &str) -> Result<Engine, TrainError> {
        let mut words = Args::new(command).map_err(|error| TrainError::Engine(error.to_string()))?;
        let program = words.next_word().ok_or_else(|| TrainError::Engine("there is no command".into()))?;
        let args = std::iter::from_fn(|| words.next_word()).collect();
        let launch = Launch { program, args, ..Launch::default() };
        let process = Process::start(&launch, Arc::new(AtomicBool::new(false)));
        let process = process.map_err(|error| TrainError::Engine(format!("{}: {error}", launch.program)))?;
        Ok(Engine { process })
    }

    /// The lines of the reply to a command.
    fn command(&mut self, line: &str) -> Result<Vec<String>, TrainError> {
        self.process.send(line);
        let deadline = Instant::now() + PATIENCE;
        let mut reply = Vec::new();
        loop {
            let text = match self.process.line(deadline) {
                Ok(line) => line.text,
                Err(NoLine::Dead(how)) => return Err(TrainError::Engine(format!("`{line}`: it ended: {how}"))),
                Err(NoLine::Late) => return Err(TrainError::Engine(format!("`{line}`: no answer in a minute"))),
                Err(_) => return Err(TrainError::Engine(format!("`{line}`: it talks no more"))),
            };
            match (reply.is_empty(), text.trim()) {
                (true, "") => {}
                (false, "") => return Ok(reply),
                (true, first) => match first.strip_prefix('=') {
                    Some(first) => reply.push(first.trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_owned()),
                    None => return Err(TrainError::Engine(format!("`{line}`: {first}"))),
                },
                (false, text) => reply.push(text.to_owned()),
            }
        }
    }

    /// What it says of a position.
    fn ask(&mut self, game: &GoGame) -> Result<Answer, TrainError> {
        self.command(&format!("boardsize {}", game.size()))?;
        self.command("clear_board")?;
        self.command(&format!("kata-set-rules {}", rules_text(game.rules())))?;
        self.command(&format!("komi {}", game.komi()))?;
        for play in game.plays() {
            let colour = if play.colour == Colour::Black { 'b' } else { 'w' };
            self.command(&format!("play {colour} {}", Vertex(game.geometry(), play.point)))?;
        }
        let reply = self.command("kata-raw-nn 0")?.join(" ");
        let answer = parse(&reply, game.geometry().area(), game.to_move());
        answer.ok_or_else(|| TrainError::Engine("the answer to `kata-raw-nn 0` was not understood".into()))
    }
}

/// Rules as KataGo wants them.
fn rules_text(rules: Rules) -> String {
    let ko = match rules.superko {
        Superko::None => "SIMPLE",
        Superko::Positional => "POSITIONAL",
        Superko::Situational => "SITUATIONAL",
    };
    let (scoring, tax) = match rules.scoring {
        Scoring::Area => ("AREA", "NONE"),
        Scoring::Territory => ("TERRITORY", "SEKI"),
    };
    let fields = [
        ("ko", format!("\"{ko}\"")),
        ("scoring", format!("\"{scoring}\"")),
        ("tax", format!("\"{tax}\"")),
        ("suicide", rules.suicide.to_string()),
        ("hasButton", "false".into()),
        ("whiteHandicapBonus", "\"0\"".into()),
        ("friendlyPassOk", "false".into()),
    ];
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

/// The answer to `kata-raw-nn`: names and numbers, those of white.
fn parse(reply: &str, area: usize, to_move: Colour) -> Option<Answer> {
    let words: Vec<&str> = reply.split_whitespace().collect();
    let after = |name: &str| Some(&words[words.iter().position(|word| *word == name)? + 1..]);
    let value = |name: &str| after(name)?.first()?.parse::<f32>().ok();
    let values = |name: &str| {
        let shares = after(name)?.get(..area)?.iter();
        // Points that are no moves are not numbers.
        shares
            .map(|word| word.parse::<f32>().ok().map(|n| if n.is_nan() { 0.0 } else { n }))
            .collect::<Option<Vec<f32>>>()
    };
    let black = to_move == Colour::Black;
    let sign = if black { -1.0 } else { 1.0 };
    let mut policy = values("policy")?;
    policy.push(value("policyPass")?);
    Some(Answer {
        win: value(if black { "whiteLoss" } else { "whiteWin" })?,
        no_result: value("noResult")?,
        score: sign * value("whiteScoreSelfplay")?,
        lead: sign * value("whiteLead")?,
        policy,
        ownership: values("whiteOwnership")?.into_iter().map(|own| sign * own).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: &str = "symmetry 0 whiteWin 0.7 whiteLoss 0.2 noResult 0.1 whiteLead 3.5 whiteScoreSelfplay 4 \
                         policy 0.25 NAN 0.5 0 policyPass 0.25 whiteOwnership 1 -1 0.5 0";

    #[test]
    fn answers_are_seen_by_the_side_to_move() {
        let black = parse(REPLY, 4, Colour::Black).unwrap();
        assert_eq!((black.win, black.no_result, black.score, black.lead), (0.2, 0.1, -4.0, -3.5));
        assert_eq!((black.policy, black.ownership), (vec![0.25, 0.0, 0.5, 0.0, 0.25], vec![-1.0, 1.0, -0.5, 0.0]));
        let white = parse(REPLY, 4, Colour::White).unwrap();
        assert_eq!((white.win, white.lead, white.ownership[0]), (0.7, 3.5, 1.0));
        assert!(parse(REPLY, 5, Colour::White).is_none() && parse("whiteWin", 4, Colour::White).is_none());
    }

    #[test]
    fn differences_are_found_in_every_head() {
        let (a, mut b) = (parse(REPLY, 4, Colour::Black).unwrap(), parse(REPLY, 4, Colour::Black).unwrap());
        assert_eq!(Differences::of(&a, &b), Differences::default());
        (b.win, b.lead) = (0.25, -5.5);
        (b.policy[4], b.ownership[2]) = (0.0, 0.0);
        let found = Differences::of(&a, &b);
        assert!((found.win - 0.05).abs() < 1e-6);
        assert_eq!((found.policy, found.ownership, found.score), (0.25, 0.5, 2.0));
        assert_eq!(found.largest(), 0.5);
    }

    #[test]
    fn rules_are_told_as_katago_wants_them() {
        let japanese = r#"{"ko":"SIMPLE","scoring":"TERRITORY","tax":"SEKI","suicide":false,"hasButton":false,"whiteHandicapBonus":"0","friendlyPassOk":false}"#;
        assert_eq!(rules_text(Rules::JAPANESE), japanese);
        assert!(
            rules_text(Rules::NEW_ZEALAND)
                .starts_with(r#"{"ko":"SITUATIONAL","scoring":"AREA","tax":"NONE","suicide":true"#)
        );
    }
}
