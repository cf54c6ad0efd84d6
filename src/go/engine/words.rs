//! Commands that only Go has.

use super::{GoEngine, charts, think, verdict::Verdict};
use crate::{
    base::{Colour, Control, Report as Answered},
    engine::{Answer, Chart, Picture, Progress, Refusal, Why, Word},
    go::{
        Point, Report,
        ending::{self, Status},
        handicap,
        notation::{Vertex, parse_vertex},
        score, sgf,
        surroundings::Cell,
    },
};

const fn word(name: &'static str, usage: &'static str, help: &'static str, long: bool) -> Word {
    Word { name, usage, help, long }
}

pub const WORDS: &[Word] = &[
    word("final_score", "final_score", "the score as it stands, dead stones taken off: `B+3.5`, `W+0.5` or `0`", true),
    word(
        "final_status_list",
        "final_status_list alive|seki|dead|black_territory|white_territory|dame",
        "the stones, chain by chain, or points of that kind",
        true,
    ),
    word("fixed_handicap", "fixed_handicap N", "put N handicap stones on their usual places", false),
    word("place_free_handicap", "place_free_handicap N", "put N handicap stones where we like", false),
    word("set_free_handicap", "set_free_handicap VERTEX …", "put handicap stones on these points", false),
    word(
        "kgs-genmove_cleanup",
        "kgs-genmove_cleanup COLOUR",
        "like `genmove`, but pass only when all dead stones of the enemy are taken",
        true,
    ),
    word("kgs-rules", "kgs-rules RULES", "play by these rules: chinese, japanese, aga or new_zealand", false),
    word("ownership", "ownership", "whose each point will be: 1 surely black's, -1 surely white's", true),
    word("criticality", "criticality", "how much holding a point goes with winning: from 0 to 0.5", true),
    word("visits", "visits", "how many playouts each move was given", true),
    word("winrates", "winrates", "the chance to win after each move, in per cent", true),
    word("playout", "playout [SEED]", "the moves of one playout", false),
    word("patterns", "patterns", "the weight of the 3x3 pattern around each empty point", false),
    word("clearcache", "clearcache", "forget what earlier searches found", false),
];

/// Those of the words that only show something.
pub const CHARTS: &[Chart] = &[
    Chart { word: "ownership", label: "Ownership", picture: Picture::Values },
    Chart { word: "criticality", label: "Criticality", picture: Picture::Values },
    Chart { word: "visits", label: "Visits", picture: Picture::Labels },
    Chart { word: "winrates", label: "Win rates", picture: Picture::Labels },
    Chart { word: "playout", label: "A playout", picture: Picture::Moves },
    Chart { word: "patterns", label: "Patterns", picture: Picture::Labels },
];

impl GoEngine {
    pub(super) fn word(&mut self, name: &str, args: &str, control: Control<'_, Progress>) -> Answer<Answered> {
        let words: Vec<&str> = args.split_whitespace().collect();
        let text = |text: String| Ok(Answered::text(text));
        match (name, words.as_slice()) {
            ("final_score", []) => text(sgf::result(self.verdict(control)?.score)),
            ("final_status_list", [status]) => self.status_list(status, control).map(Answered::text),
            ("fixed_handicap", [count]) => {
                let places = handicap::fixed(self.game.geometry(), number(count)?);
                let places = places.ok_or_else(|| Refusal::new(Why::Range, "invalid number of stones"))?;
                self.give_handicap(&places).map(Answered::text)
            }
            ("place_free_handicap", [count]) => {
                let count = number(count)?;
                if !(2..self.game.geometry().area()).contains(&count) {
                    return Err(Refusal::new(Why::Range, "invalid number of stones"));
                }
                let places = handicap::free(self.game.geometry(), count);
                self.give_handicap(&places).map(Answered::text)
            }
            ("set_free_handicap", [_, _, ..]) => {
                let read = |name: &&str| {
                    parse_vertex(self.game.geometry(), name)
                        .ok()
                        .filter(|p| !p.is_pass())
                        .ok_or_else(|| Refusal::new(Why::Syntax, "bad vertex list"))
                };
                let places = words.iter().map(read).collect::<Answer<Vec<Point>>>()?;
                self.give_handicap(&places)?;
                Ok(Answered::Nothing)
            }
            ("kgs-genmove_cleanup", [colour]) => {
                let colour = colour.parse::<Colour>().map_err(|e| Refusal::new(Why::Syntax, e))?;
                self.choose(Some(colour), true, true, control).map(|(best, _)| Answered::text(best))
            }
            ("kgs-rules", [rules]) => {
                crate::engine::Engine::set(self, "rules", &rules.replace('_', "-"))?;
                Ok(Answered::Nothing)
            }
            ("ownership", []) => text(charts::ownership(self.look(control))),
            ("criticality", []) => text(charts::criticality(self.look(control))),
            ("visits", []) => text(charts::visits(self.look(control))),
            ("winrates", []) => text(charts::win_rates(self.look(control))),
            ("playout", []) => {
                let seed = self.next_seed();
                text(charts::playout(&self.game, &self.config, seed))
            }
            ("playout", [seed]) => text(charts::playout(&self.game, &self.config, number(seed)? as u64)),
            ("patterns", []) => text(charts::patterns(&self.game)),
            ("clearcache", []) => {
                self.player.forget();
                Ok(Answered::Nothing)
            }
            _ => Err(usage(name)),
        }
    }

    /// What a search says about the present position: the last one if it was about this, or a new one.
    fn look(&mut self, control: Control<'_, Progress>) -> &Report {
        let hash = self.game.board().hash();
        if self.seen.as_ref().is_none_or(|(about, _)| *about != hash) {
            let limits = self.limits(None);
            let game = self.game.clone();
            let report = think::telling(usize::MAX, control, |control| self.player().examine(&game, limits, control));
            self.seen = Some((hash, report));
        }
        &self.seen.as_ref().expect("looked at above").1
    }

    pub(super) fn verdict(&mut self, control: Control<'_, Progress>) -> Answer<Verdict> {
        if let Some(verdict) = self.verdict.as_ref().filter(|v| v.is_about(&self.game)) {
            return Ok(verdict.clone());
        }
        let verdict = think::quietly(control, |control| Verdict::on(&self.game, control))
            .ok_or_else(|| Refusal::new(Why::Illegal, "stopped before it was judged"))?;
        self.verdict = Some(verdict.clone());
        Ok(verdict)
    }

    fn status_list(&mut self, status: &str, control: Control<'_, Progress>) -> Answer<String> {
        let verdict = self.verdict(control)?;
        let board = self.game.board();
        let geometry = board.geometry();
        let names = |points: &[Point]| -> String {
            points.iter().map(|&p| Vertex(geometry, p).to_string()).collect::<Vec<_>>().join(" ")
        };
        let owners = score::owners(board, &verdict.dead);
        let empty = |owner: Option<Colour>| {
            let points = geometry.points().filter(|&p| board.cell(p) == Cell::Empty && owners[p] == owner);
            names(&points.collect::<Vec<_>>())
        };
        let wanted = match status {
            "alive" => Status::Alive,
            "seki" => Status::Seki,
            "dead" => Status::Dead,
            "black_territory" => return Ok(empty(Some(Colour::Black))),
            "white_territory" => return Ok(empty(Some(Colour::White))),
            "dame" => return Ok(empty(None)),
            _ => return Err(Refusal::new(Why::Syntax, "invalid status")),
        };
        let judged = |p: Point| match self.game.rules().agreement {
            true => ending::status(board, &verdict.tally, p),
            false => Status::Alive,
        };
        let heads = geometry.points().filter(|&p| board.cell(p).colour().is_some() && board.head(p) == p);
        let lines = heads.filter(|&p| judged(p) == wanted).map(|p| {
            let mut chain: Vec<Point> = board.chain(p).collect();
            chain.sort();
            names(&chain)
        });
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    fn give_handicap(&mut self, places: &[Point]) -> Answer<String> {
        if !self.future.is_empty() {
            return Err(Refusal::new(Why::Illegal, "board not empty"));
        }
        self.game.place_handicap(places).map_err(|_| {
            let used = self.game.board().empties().len() != self.game.geometry().area();
            Refusal::new(Why::Illegal, if used { "board not empty" } else { "bad vertex list" })
        })?;
        self.start_over(self.game.clone(), None);
        let names = places.iter().map(|&p| Vertex(self.game.geometry(), p).to_string());
        Ok(names.collect::<Vec<_>>().join(" "))
    }
}

fn number(text: &str) -> Answer<usize> {
    text.parse().map_err(|_| Refusal::new(Why::Syntax, format!("`{text}` is not a number")))
}

fn usage(name: &str) -> Refusal {
    match WORDS.iter().find(|w| w.name == name) {
        Some(word) => Refusal::new(Why::Syntax, format!("usage: {}", word.usage)),
        None => Refusal::new(Why::Unsupported, "unknown command"),
    }
}
