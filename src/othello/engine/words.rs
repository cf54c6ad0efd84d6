//! Commands that only Othello has.

use super::OthelloEngine;
use crate::{
    base::{Cell, Control, Report, Rng, Table},
    engine::{Answer, Chart, Picture, Progress, Refusal, Why, Word},
    othello::{
        Game, Move, Position,
        position::Turn,
        search::{self, Effort, Task, levels::Level},
    },
};

pub const WORDS: &[Word] = &[
    Word {
        name: "levelinfo",
        usage: "levelinfo [LEVEL]",
        help: "what the levels mean: plies in the midgame, and from how many empties the game is read to its end",
        long: false,
    },
    Word {
        name: "transform",
        usage: "transform 180|black-line|white-line|90|270|columns|rows",
        help: "turn or mirror the whole game (black-line: in h1-a8, white-line: in a1-h8)",
        long: false,
    },
    Word {
        name: "random",
        usage: "random [PLY] [SEED]",
        help: "a random midgame position of PLY moves, played with small errors",
        long: true,
    },
    Word {
        name: "branch",
        usage: "branch [keep|list|switch N|drop N]",
        help: "keep the game as it is, list what was kept, go over to it, or drop it",
        long: false,
    },
    Word {
        name: "book",
        usage: "book [VERB …]",
        help: "the opening book: `book help` lists what it can do",
        long: true,
    },
    Word {
        name: "umigame",
        usage: "umigame [DEPTH] [ERROR]",
        help: "Umigame's number of every book move, as `book umigame`",
        long: true,
    },
    Word {
        name: "learn",
        usage: "learn",
        help: "put the opening of the present game, once it is over, into the book",
        long: true,
    },
    Word { name: "clearcache", usage: "clearcache", help: "forget what earlier searches found", long: false },
];

/// Those of the words that only show something.
pub const CHARTS: &[Chart] = &[Chart { word: "levelinfo", label: "Levels", picture: Picture::Text }];

impl OthelloEngine {
    pub(super) fn word(&mut self, name: &str, args: &str, control: Control<'_, Progress>) -> Answer<Report> {
        if name == "book" {
            return self.book_word(args, control);
        }
        if name == "umigame" {
            return self.book_word(&format!("umigame {args}"), control);
        }
        let args: Vec<&str> = args.split_whitespace().collect();
        match name {
            "learn" if args.is_empty() => self.learn_game(control),
            "learn" => Err(usage("learn")),
            "levelinfo" => level_info(&args),
            "transform" => self.transform(&args),
            "random" => self.random(&args, control),
            "branch" => self.branch(&args),
            "clearcache" => {
                self.searcher.iter_mut().for_each(search::Searcher::clear);
                Ok(Report::Nothing)
            }
            _ => Err(Refusal::new(Why::Unsupported, "unknown command")),
        }
    }

    fn transform(&mut self, args: &[&str]) -> Answer<Report> {
        // The numbers are those of `Board::symmetry`.
        let symmetry = match args {
            ["180"] => 3,
            ["columns"] => 1,
            ["rows"] => 2,
            ["white-line"] => 4,
            ["black-line"] => 7,
            ["90"] => 6,
            ["270"] => 5,
            _ => return Err(usage("transform")),
        };
        self.game.transform(symmetry);
        self.expectation = None;
        Ok(Report::Nothing)
    }

    fn branch(&mut self, args: &[&str]) -> Answer<Report> {
        let number = |text: &str| -> Answer<usize> {
            text.parse::<usize>()
                .ok()
                .and_then(|n| n.checked_sub(1))
                .ok_or_else(|| Refusal::new(Why::Syntax, format!("`{text}` is not the number of a branch")))
        };
        let missing = || Refusal::new(Why::Illegal, "there is no such branch");
        match args {
            ["keep"] => Ok(Report::text(format!("branch {}", self.game.keep_branch() + 1))),
            [] | ["list"] => Ok(Report::Table(self.branch_table())),
            ["switch", n] => match self.game.switch_branch(number(n)?) {
                true => Ok(Report::Nothing),
                false => Err(missing()),
            },
            ["drop", n] => match self.game.drop_branch(number(n)?) {
                true => Ok(Report::Nothing),
                false => Err(missing()),
            },
            _ => Err(usage("branch")),
        }
    }

    fn branch_table(&self) -> Table {
        let rows = self.game.branches().iter().enumerate().map(|(i, branch)| {
            let moves: Vec<String> = branch.plies.iter().map(|ply| ply.mv.to_string()).collect();
            vec![Cell::from(i + 1), branch.at.into(), branch.plies.len().into(), moves.join(" ").into()]
        });
        Table {
            title: "branches".into(),
            columns: vec!["branch", "ply", "plies", "moves"],
            rows: rows.collect(),
            notes: vec![],
        }
    }

    /// Plays from the start: each move may be worse than the best by a normally distributed error with a deviation
    /// of four discs, judged by a search of two plies.
    fn random(&mut self, args: &[&str], control: Control<'_, Progress>) -> Answer<Report> {
        let number = |i: usize, default: u64| match args.get(i) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| Refusal::new(Why::Syntax, format!("`{text}` is not a number"))),
        };
        let plies = number(0, 20)?;
        if plies > 60 || args.len() > 2 {
            return Err(usage("random"));
        }
        let seed = number(1, 0)?;
        let mut rng = Rng::new(if seed == 0 { self.rng.next_u64() } else { seed });
        for _ in 0..100 {
            let mut game = Game::without_auto_pass(Position::START);
            while game.played().iter().filter(|ply| ply.mv != Move::Pass).count() < plies as usize {
                if control.stopped() {
                    return Err(Refusal::new(Why::Illegal, "stopped; the game is as it was"));
                }
                let mv = match game.turn() {
                    Turn::Over => break,
                    Turn::MustPass => Move::Pass,
                    Turn::Move => self.erring_move(game.position(), &mut rng),
                };
                game.play(None, mv).map_err(|e| Refusal::new(Why::Illegal, e))?;
            }
            // A line that ended early, or where nobody has a choice, is no midgame position: try another.
            if game.turn() == Turn::Move || plies == 60 {
                game.set_auto_pass(self.options.autopass);
                self.start_over(game);
                return Ok(Report::text(super::notes::write("transcript", &self.game, &self.names)?));
            }
        }
        Err(Refusal::new(Why::Illegal, "no such position was found"))
    }

    fn erring_move(&mut self, position: Position, rng: &mut Rng) -> Move {
        let task = Task { lines: 64, ..Task::new(Effort::Depth { plies: 2, percent: 100 }) };
        let report = self.searcher().search(position.board, &task, Control::alone());
        let best = report.value.discs();
        let error = (rng.normal() * 4.0).round().abs();
        let good: Vec<Move> = report.lines.iter().filter(|l| l.value.discs() >= best - error).map(|l| l.best).collect();
        *rng.pick(&good).or(report.best().as_ref()).unwrap_or(&Move::Pass)
    }
}

fn usage(name: &str) -> Refusal {
    let usage = WORDS.iter().find(|w| w.name == name).map_or(name, |w| w.usage);
    Refusal::new(Why::Syntax, format!("usage: {usage}"))
}

fn level_info(args: &[&str]) -> Answer<Report> {
    let chosen = match args {
        [] => 1..=60,
        [text] => match text.parse::<u8>() {
            Ok(level) if (1..=60).contains(&level) => level..=level,
            _ => return Err(Refusal::new(Why::Range, format!("`{text}` is not a level: 1 to 60"))),
        },
        _ => return Err(usage("levelinfo")),
    };
    let rows = chosen.map(|level| {
        let Level { mid: (plies, percent), end } = Level::new(level);
        let ends: Vec<String> =
            end.iter().filter(|(_, from)| *from > 0).map(|(percent, from)| format!("{from}@{percent}%")).collect();
        let mid = format!("{plies}@{percent}%");
        vec![Cell::from(level), mid.into(), ends.join(" ").into()]
    });
    Ok(Report::Table(Table {
        title: "levels".into(),
        columns: vec!["level", "midgame", "to the end from empties"],
        rows: rows.collect(),
        notes: vec![],
    }))
}
