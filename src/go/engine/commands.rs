//! Commands that only Go has.

use super::gopal::{self, GopalCommand};
use super::{GoEngine, charts, picture, think, verdict::Verdict};
use crate::{
    base::{BadArgs, Colour, Control, PerPoint, Report as Answered},
    engine::{
        Answer, CommandError, CommandErrorKind, Engine, Progress,
        command::{Picture, Row, Rows, Typed},
    },
    go::{
        Point, Report,
        ending::{self, Status},
        handicap, net,
        notation::{Vertex, parse_vertex},
        point::Geometry,
        score,
        surroundings::Cell,
    },
};

/// A command that only Go has.
#[derive(Debug, Clone, PartialEq)]
pub enum GoCommand {
    FinalScore,
    FinalStatus(StatusList),
    FixedHandicap(usize),
    FreeHandicap(usize),
    /// Points by name.
    SetHandicap(Vec<String>),
    /// Choose a move, and pass only when all dead stones of the enemy are taken.
    CleanUp(Colour),
    Rules(String),
    Ownership,
    Criticality,
    CriticalityNumbers,
    Visits,
    WinRates,
    Playout(Option<u64>),
    Patterns,
    Draw {
        file: std::path::PathBuf,
        look: picture::Look,
    },
    ClearCache,
    PositionHash,
    NetValue,
    NetPolicy,
    NetOwnership,
    Gopal(GopalCommand),
}

impl Typed for GoCommand {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusList {
    Stones(Status),
    /// Empty points of a side, or of nobody.
    Points(Option<Colour>),
}

pub static COMMANDS: Rows<GoCommand> = Rows {
    rows: &[
        Row::new(
            "final_score",
            "final_score",
            "the score as it stands, dead stones taken off: `B+3.5`, `W+0.5` or `0`",
            |_| Ok(GoCommand::FinalScore),
        )
        .gtp(),
        Row::new(
            "final_status_list",
            "final_status_list alive|seki|dead|black_territory|white_territory|dame",
            "the stones, chain by chain, or points of that kind",
            |args| args.parsed("a status", status).map(GoCommand::FinalStatus),
        )
        .gtp()
        .example("final_status_list dead"),
        Row::new("fixed_handicap", "fixed_handicap N", "put N handicap stones on their usual places", |args| {
            args.number("a number of stones", usize::MAX).map(GoCommand::FixedHandicap)
        })
        .gtp()
        .example("fixed_handicap 4"),
        Row::new("place_free_handicap", "place_free_handicap N", "put N handicap stones where we like", |args| {
            args.number("a number of stones", usize::MAX).map(GoCommand::FreeHandicap)
        })
        .gtp()
        .example("place_free_handicap 4"),
        Row::new("set_free_handicap", "set_free_handicap VERTEX …", "put handicap stones on these points", |args| {
            let points: Vec<String> = std::iter::from_fn(|| args.next_word()).collect();
            if points.len() < 2 {
                Err(BadArgs::Missing("a list of two points or more"))
            } else {
                Ok(GoCommand::SetHandicap(points))
            }
        })
        .gtp()
        .example("set_free_handicap D4 Q16"),
        Row::new(
            "kgs-genmove_cleanup",
            "kgs-genmove_cleanup COLOUR",
            "like `genmove`, but pass only when all dead stones of the enemy are taken",
            |args| args.parsed("a colour", |word| word.parse().ok()).map(GoCommand::CleanUp),
        )
        .gtp()
        .example("kgs-genmove_cleanup b"),
        Row::new(
            "kgs-rules",
            "kgs-rules RULES",
            "play by these rules: chinese, japanese, aga or new_zealand",
            |args| args.parsed("a set of rules", |word| Some(word.replace('_', "-"))).map(GoCommand::Rules),
        )
        .gtp()
        .example("kgs-rules chinese"),
        Row::new("ownership", "ownership", "ownership of each point, from -1 (white) to 1 (black)", |_| {
            Ok(GoCommand::Ownership)
        })
        .chart("Ownership", Picture::Values),
        Row::new("criticality", "criticality", "criticality: correlation of owning a point with winning", |_| {
            Ok(GoCommand::Criticality)
        })
        .chart("Criticality", Picture::Values),
        Row::new(
            "criticality-numbers",
            "criticality-numbers",
            "the same as `criticality`, in per cent, as numbers on the board",
            |_| Ok(GoCommand::CriticalityNumbers),
        )
        .chart("Criticality in numbers", Picture::Labels),
        Row::new("visits", "visits", "playouts of each move", |_| Ok(GoCommand::Visits))
            .chart("Visits", Picture::Labels),
        Row::new("winrates", "winrates", "win rate of each move, in per cent", |_| Ok(GoCommand::WinRates))
            .chart("Win rates", Picture::Labels),
        Row::new("playout", "playout [SEED]", "the moves of one playout", |args| {
            args.optional("a seed", |word| word.parse().ok()).map(GoCommand::Playout)
        })
        .example("playout 7")
        .chart("A playout", Picture::Moves),
        Row::new("patterns", "patterns", "the weight of the 3x3 pattern around each empty point", |_| {
            Ok(GoCommand::Patterns)
        })
        .chart("Patterns", Picture::Labels),
        Row::new(
            "draw",
            "draw FILE.svg|FILE.png [order] [last] [next] [ownership] [marks MARK …] [size PIXELS] \
             [theme colour|mono|cvd]",
            "a picture of the position (marks: D4:circle E5:A C3>F5)",
            |args| picture::read(args).map(|(file, look)| GoCommand::Draw { file, look }),
        )
        .example("draw board.png last ownership"),
        Row::new("clearcache", "clearcache", "clear the results of earlier searches", |_| Ok(GoCommand::ClearCache)),
        Row::new(
            "position_hash",
            "position_hash",
            "the 64-bit hash of the position and the point that may not be retaken",
            |_| Ok(GoCommand::PositionHash),
        ),
        Row::new("net_value", "net_value", "what the network says of the position, without any search", |_| {
            Ok(GoCommand::NetValue)
        })
        .chart("Network: value", Picture::Text),
        Row::new("net_policy", "net_policy", "how likely the network finds each move, in per cent", |_| {
            Ok(GoCommand::NetPolicy)
        })
        .chart("Network: policy", Picture::Labels),
        Row::new(
            "net_ownership",
            "net_ownership",
            "the network's ownership of each point, from -1 (white) to 1 (black)",
            |_| Ok(GoCommand::NetOwnership),
        )
        .chart("Network: ownership", Picture::Values),
        Row::new("gopal_load", "gopal_load FILE", "add the patterns of a Gopal program", |args| {
            gopal::file(args).map(|file| GoCommand::Gopal(GopalCommand::Load(file)))
        })
        .example("gopal_load my.gopal"),
        Row::new("gopal_unload", "gopal_unload NAME", "take a Gopal program out of use", |args| {
            let name = args.next_word().ok_or(BadArgs::Missing("a name"))?;
            Ok(GoCommand::Gopal(GopalCommand::Unload(name)))
        })
        .example("gopal_unload joseki"),
        Row::new("gopal_check", "gopal_check FILE", "read a Gopal program and report errors and warnings", |args| {
            gopal::file(args).map(|file| GoCommand::Gopal(GopalCommand::Check(file)))
        })
        .example("gopal_check my.gopal"),
        Row::new(
            "gopal_from_board",
            "gopal_from_board NAME [corner|side|center|anywhere] [MOVES] [VERTEX …]",
            "write the last moves as a pattern, the position before them (or these points of it) as its condition",
            |args| gopal::FromBoard::read(args).map(|wanted| GoCommand::Gopal(GopalCommand::FromBoard(wanted))),
        )
        .example("gopal_from_board my_joseki corner 4"),
        Row::new(
            "gopal_local",
            "gopal_local capture|connect|eye VERTEX [VERTEX]",
            "search one part of the board: can the chain be caught, two stones be joined, an eye be made?",
            |args| gopal::Aim::read(args).map(|aim| GoCommand::Gopal(GopalCommand::Local(aim))),
        )
        .example("gopal_local capture D4"),
        Row::new("gopal_list", "gopal_list", "the Gopal programs in use", |_| Ok(GoCommand::Gopal(GopalCommand::List))),
        Row::new(
            "gopal_candidates",
            "gopal_candidates",
            "the moves that Gopal suggests, with weights and intents",
            |_| Ok(GoCommand::Gopal(GopalCommand::Candidates)),
        )
        .chart("Gopal candidates", Picture::Text),
        Row::new("gopal_weights", "gopal_weights", "the weight of each point that Gopal suggests", |_| {
            Ok(GoCommand::Gopal(GopalCommand::Weights))
        })
        .chart("Gopal weights", Picture::Labels),
        Row::new(
            "gopal_intents",
            "gopal_intents",
            "the intent (three letters) and the weight of each point that Gopal suggests",
            |_| Ok(GoCommand::Gopal(GopalCommand::Intents)),
        )
        .chart("Gopal intents", Picture::Labels),
        Row::new("gopal_trees", "gopal_trees", "the sequences in progress", |_| {
            Ok(GoCommand::Gopal(GopalCommand::Trees))
        })
        .chart("Gopal trees", Picture::Text),
        Row::new("gopal_bounds", "gopal_bounds", "search by B* and report the bounds of every move", |_| {
            Ok(GoCommand::Gopal(GopalCommand::Bounds))
        })
        .chart("Gopal bounds", Picture::Text),
    ],
};

fn status(word: &str) -> Option<StatusList> {
    Some(match word.to_ascii_lowercase().as_str() {
        "alive" => StatusList::Stones(Status::Alive),
        "seki" => StatusList::Stones(Status::Seki),
        "dead" => StatusList::Stones(Status::Dead),
        "black_territory" => StatusList::Points(Some(Colour::Black)),
        "white_territory" => StatusList::Points(Some(Colour::White)),
        "dame" => StatusList::Points(None),
        _ => return None,
    })
}

impl GoEngine {
    pub(super) fn carry_out(&mut self, command: &GoCommand, control: Control<'_, Progress>) -> Answer<Answered> {
        match command {
            GoCommand::FinalScore => Ok(Answered::Score(self.verdict(control)?.score.into())),
            GoCommand::FinalStatus(list) => self.status_list(*list, control),
            GoCommand::FixedHandicap(count) => {
                let places = handicap::fixed(self.game.geometry(), *count).ok_or_else(bad_number_of_stones)?;
                self.give_handicap(&places)
            }
            GoCommand::FreeHandicap(count) => {
                if !(2..self.game.geometry().area()).contains(count) {
                    return Err(bad_number_of_stones());
                }
                let places = handicap::free(self.game.geometry(), *count);
                self.give_handicap(&places)
            }
            GoCommand::SetHandicap(points) => {
                let read = |name: &String| {
                    let point = parse_vertex(self.game.geometry(), name).ok().filter(|p| !p.is_pass());
                    point.ok_or_else(|| CommandError::new(CommandErrorKind::Syntax, "bad vertex list"))
                };
                let places = points.iter().map(read).collect::<Answer<Vec<Point>>>()?;
                self.give_handicap(&places).map(|_| Answered::Nothing)
            }
            GoCommand::CleanUp(colour) => {
                self.choose(Some(*colour), true, true, control).map(|(best, _)| Answered::Names(vec![best]))
            }
            GoCommand::Rules(rules) => self.set("rules", rules).map(|()| Answered::Nothing),
            GoCommand::Ownership => Ok(Answered::Points(charts::ownership(self.look(control)))),
            GoCommand::Criticality => Ok(Answered::Points(charts::criticality(self.look(control)))),
            GoCommand::CriticalityNumbers => {
                let points = charts::criticality(self.look(control));
                let percent = points.values.into_iter().map(|value| value.map(|v| v * 100.0)).collect();
                Ok(Answered::Points(PerPoint { values: percent, decimals: 0, ..points }))
            }
            GoCommand::Visits => Ok(Answered::Points(charts::visits(self.look(control)))),
            GoCommand::WinRates => Ok(Answered::Points(charts::win_rates(self.look(control)))),
            GoCommand::Playout(seed) => {
                let seed = seed.unwrap_or_else(|| self.next_seed());
                Ok(Answered::Names(charts::playout(&self.game, &self.config, seed)))
            }
            GoCommand::Patterns => Ok(Answered::Points(charts::patterns(&self.game, &self.config.pattern_table()))),
            GoCommand::Draw { file, look } => {
                let owners = look.ownership.then(|| charts::ownership(self.look(control)));
                self.draw(file, look, owners, control.stop_flag()).map(|()| Answered::Nothing)
            }
            GoCommand::PositionHash => Ok(Answered::Table(charts::position_hash(&self.game))),
            GoCommand::NetValue => self.ask_net().map(|asked| Answered::Table(charts::net_value(&asked))),
            GoCommand::NetPolicy => {
                self.ask_net().map(|asked| Answered::Points(charts::net_policy(&self.game, &asked)))
            }
            GoCommand::NetOwnership => {
                self.ask_net().map(|asked| Answered::Points(charts::net_ownership(&self.game, &asked)))
            }
            GoCommand::Gopal(command) => self.gopal(command, control),
            GoCommand::ClearCache => {
                self.player.forget();
                Ok(Answered::Nothing)
            }
        }
    }

    /// What the network says about the present position.
    fn ask_net(&self) -> Answer<net::Output> {
        let none = || CommandError::new(CommandErrorKind::Unsupported, "no network: the option `net` names its file");
        let net = self.player.net().ok_or_else(none)?;
        let recent = net::Recent::of(&self.game);
        let input = net::Input::new(&recent.situation(&self.game), &mut net::Ladders::default());
        Ok(net.evaluate(&[input], &mut net::Workspace::default()).remove(0))
    }

    /// What a search says about the present position: the last one if it was about this, or a new one.
    fn look(&mut self, control: Control<'_, Progress>) -> &Report {
        let hash = self.game.board().hash();
        if self.seen.as_ref().is_none_or(|(about, _)| *about != hash) {
            let limits = self.limits(None);
            let game = self.game.clone();
            let report =
                think::telling(1..=usize::MAX, control, |control| self.player().examine(&game, limits, control));
            self.seen = Some((hash, report));
        }
        &self.seen.as_ref().expect("looked at above").1
    }

    pub(super) fn verdict(&mut self, control: Control<'_, Progress>) -> Answer<Verdict> {
        if let Some(verdict) = self.verdict.as_ref().filter(|v| v.is_about(&self.game)) {
            return Ok(verdict.clone());
        }
        let verdict = think::quietly(control, |control| Verdict::on(&self.game, control))
            .ok_or_else(|| CommandError::new(CommandErrorKind::Illegal, "stopped before it was judged"))?;
        self.verdict = Some(verdict.clone());
        Ok(verdict)
    }

    fn status_list(&mut self, list: StatusList, control: Control<'_, Progress>) -> Answer<Answered> {
        let verdict = self.verdict(control)?;
        let board = self.game.board();
        let geometry = board.geometry();
        let owners = score::owners(board, &verdict.dead);
        let wanted = match list {
            StatusList::Stones(status) => status,
            StatusList::Points(owner) => {
                let points = geometry.points().filter(|&p| board.cell(p) == Cell::Empty && owners[p] == owner);
                return Ok(Answered::Names(names(geometry, points)));
            }
        };
        let judged = |p: Point| match self.game.rules().agreement {
            true => ending::status(board, &verdict.tally, p),
            false => Status::Alive,
        };
        let heads = geometry.points().filter(|&p| board.cell(p).colour().is_some() && board.head(p) == p);
        let chains = heads.filter(|&p| judged(p) == wanted).map(|p| {
            let mut chain: Vec<Point> = board.chain(p).collect();
            chain.sort();
            names(geometry, chain)
        });
        Ok(Answered::Chains(chains.collect()))
    }

    fn give_handicap(&mut self, places: &[Point]) -> Answer<Answered> {
        if !self.future.is_empty() {
            return Err(CommandError::new(CommandErrorKind::Illegal, "board not empty"));
        }
        self.game.place_handicap(places).map_err(|_| {
            let used = self.game.board().empties().len() != self.game.geometry().area();
            CommandError::new(CommandErrorKind::Illegal, if used { "board not empty" } else { "bad vertex list" })
        })?;
        self.start_over(self.game.clone(), None);
        Ok(Answered::Names(names(self.game.geometry(), places.iter().copied())))
    }
}

fn names(geometry: Geometry, points: impl IntoIterator<Item = Point>) -> Vec<String> {
    points.into_iter().map(|p| Vertex(geometry, p).to_string()).collect()
}

fn bad_number_of_stones() -> CommandError {
    CommandError::new(CommandErrorKind::Range, "invalid number of stones")
}
