//! What people play: the human-like hint, difficulty, explanations, and the human player.

use super::{OthelloEngine, study, think};
use crate::report::game::{GamePage, MISTAKE};
use crate::{
    base::{
        Args, BadArgs, Cell, Colour, Control, Report, Table,
        svg::{
            Svg,
            chart::{Area, Chart, Dots, Line},
        },
    },
    engine::{Answer, CommandError, CommandErrorKind, Line as Expected, Progress, Thought},
    othello::{
        Board, Game, Move, Position, Square,
        eval::Weights,
        explain::{self, Facts, LineFacts, Searched},
        human::{
            HumanModel, Likely, Rating,
            difficulty::Difficulty,
            features,
            hint::{self, Oracle},
            player::{self, Style},
        },
        notation,
        position::Turn,
        search::{self, Effort, Searcher, Task},
        study::{
            openings::Names,
            review::{MoveValue, Reviewed},
        },
    },
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Plies of the best line and of the branches off it, unless asked otherwise.
const LINE: usize = 6;
const BRANCH: u32 = 4;
/// How deep the human player looks at its moves, and from how many empty squares it sees the end.
const LOOK: u32 = 6;
const SEES_END: u32 = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HumanCommand {
    Hint {
        /// Plies of the best line.
        line: usize,
        /// Plies of the search of each branch.
        branch: u32,
    },
    Difficulty,
    /// Of every position, as a table or as a picture.
    DifficultyOfGame(Option<PathBuf>),
    /// Without a move: the last one of the game.
    Explain(Option<Square>),
}

pub fn read_hint(args: &mut Args) -> Result<HumanCommand, BadArgs> {
    args.parsed("`human`, a number of moves or `depth mid N end M`", |word| {
        word.eq_ignore_ascii_case("human").then_some(())
    })?;
    let plies = |low: u32, high: u32| move |word: &str| word.parse::<u32>().ok().filter(|n| (low..=high).contains(n));
    let line = args.optional("a number of plies from 1 to 20 for the line", plies(1, 20))?;
    let branch = args.optional("a number of plies from 1 to 12 for the branches", plies(1, 12))?;
    Ok(HumanCommand::Hint { line: line.map_or(LINE, |n| n as usize), branch: branch.unwrap_or(BRANCH) })
}

pub fn read_difficulty(args: &mut Args) -> Result<HumanCommand, BadArgs> {
    if !args.flag("game") {
        return Ok(HumanCommand::Difficulty);
    }
    let file = if args.is_empty() { None } else { Some(study::picture_file(args.file()?)?) };
    Ok(HumanCommand::DifficultyOfGame(file))
}

pub fn read_explain(args: &mut Args) -> Result<HumanCommand, BadArgs> {
    args.optional("a square", |word| word.parse().ok()).map(HumanCommand::Explain)
}

fn illegal(message: impl std::fmt::Display) -> CommandError {
    CommandError::new(CommandErrorKind::Illegal, message)
}

fn stopped() -> CommandError {
    illegal("stopped before there was an answer")
}

/// Searches for the hint.
struct Asked<'a> {
    searcher: &'a mut Searcher,
    model: &'a HumanModel,
    weights: &'a Weights,
    rating: Rating,
    branch: u32,
    control: Control<'a, Progress>,
}

impl Asked<'_> {
    fn search(&mut self, board: Board, plies: u32, lines: usize) -> Option<search::Report> {
        let task = Task { lines, ..Task::new(Effort::Depth { plies, percent: 100 }) };
        let quiet = |_: &search::Report| {};
        let report = self.searcher.search(board, &task, Control::new(self.control.stop_flag(), &quiet));
        report.complete.then_some(report)
    }
}

impl Oracle for Asked<'_> {
    fn line(&mut self, board: Board, plies: usize) -> Option<Vec<Move>> {
        let (mut board, mut line) = (board, vec![]);
        // A line from the table may be shorter than the search.
        while line.len() < plies && !board.is_over() {
            let report = self.search(board, (plies - line.len()) as u32, 1)?;
            let pv = report.lines.into_iter().next().map(|line| line.pv).filter(|pv| !pv.is_empty());
            for mv in pv.unwrap_or_else(|| vec![Move::Pass]) {
                let next = match mv {
                    Move::Place(square) => board.play(square),
                    Move::Pass => board.must_pass().then(|| board.pass()),
                };
                let Some(next) = next else { return Some(line) };
                board = next;
                line.push(mv);
            }
        }
        line.truncate(plies);
        Some(line)
    }

    fn values(&mut self, board: Board) -> Option<Vec<(Square, f64)>> {
        let report = self.search(board, self.branch, 64)?;
        Some(values(&report))
    }

    fn likely(&mut self, board: Board) -> Vec<Likely> {
        self.model.likely(board, self.weights, self.rating)
    }
}

fn values(report: &search::Report) -> Vec<(Square, f64)> {
    let of = |line: &search::Line| match line.best {
        Move::Place(square) => Some((square, line.value.discs())),
        Move::Pass => None,
    };
    report.lines.iter().filter_map(of).collect()
}

impl OthelloEngine {
    pub(super) fn human(&mut self, command: &HumanCommand, control: Control<'_, Progress>) -> Answer<Report> {
        if !self.is_ready(control) {
            return Err(stopped());
        }
        match command {
            HumanCommand::Hint { line, branch } => self.human_hint(*line, *branch, control),
            HumanCommand::Difficulty => self.difficulty_here(control),
            HumanCommand::DifficultyOfGame(file) => self.difficulty_of_game(file.as_deref(), control),
            HumanCommand::Explain(square) => self.explain(*square, control),
        }
    }

    pub(super) fn weights(&mut self) -> Arc<Weights> {
        self.weights.get_or_insert_with(Weights::builtin).clone()
    }

    fn rating(&self) -> Rating {
        Rating(f64::from(self.options.human_strength))
    }

    /// The legal moves here, or why there is nothing to say about them.
    fn board_with_moves(&self) -> Answer<Board> {
        match self.game.turn() {
            Turn::Move => Ok(self.position().board),
            Turn::MustPass => Err(illegal(format!("{} must pass", self.game.side()))),
            Turn::Over => Err(illegal("the game is over")),
        }
    }

    pub(super) fn likely(&mut self, board: Board) -> Vec<Likely> {
        let (weights, rating) = (self.weights(), self.rating());
        HumanModel::builtin().likely(board, &weights, rating)
    }

    fn human_hint(&mut self, line: usize, branch: u32, control: Control<'_, Progress>) -> Answer<Report> {
        let board = self.board_with_moves()?;
        let (model, weights, rating) = (HumanModel::builtin(), self.weights(), self.rating());
        let likely = self.likely(board);
        let searcher = self.searcher();
        let mut oracle = Asked { searcher, model: &model, weights: &weights, rating, branch, control };
        let mut values = vec![];
        for square in board.moves() {
            let value = hint::human_value(board, square, line, &mut oracle).ok_or_else(stopped)?;
            values.push(value);
        }
        values.sort_by(|a, b| b.hint.total_cmp(&a.hint));
        let row = |value: &hint::HumanValue| {
            let chance = likely.iter().find(|likely| likely.square == value.square).map(|likely| likely.probability);
            let line: Vec<String> = value.line.iter().map(Move::to_string).collect();
            vec![
                value.square.to_string().into(),
                Cell::Real(value.hint, 2),
                Cell::Discs(value.discs),
                chance.map_or(Cell::Nothing, |p| Cell::Real(p, 3)),
                line.join(" ").into(),
            ]
        };
        Ok(Report::Table(Table {
            title: "human-hint".into(),
            columns: vec!["move", "human", "discs", "probability", "line"],
            rows: values.iter().map(row).collect(),
            notes: vec![],
        }))
    }

    /// The values of all moves by the present settings; `None` when stopped before all had one.
    fn all_values(&mut self, position: Position, control: Control<'_, Progress>) -> Option<Vec<(Square, f64)>> {
        let limits = think::limits(&self.options, None, position.board);
        let task = Task { limits, lines: 64, ..Task::new(think::hint_effort(&self.options, &limits)) };
        let quiet = |_: &search::Report| {};
        let report = self.searcher().search(position.board, &task, Control::new(control.stop_flag(), &quiet));
        let values = values(&report);
        (values.len() == position.moves().count() as usize).then_some(values)
    }

    fn difficulty_here(&mut self, control: Control<'_, Progress>) -> Answer<Report> {
        let board = self.board_with_moves()?;
        let mut values = self.all_values(self.position(), control).ok_or_else(stopped)?;
        let likely = self.likely(board);
        let difficulty = Difficulty::new(&likely, &values).ok_or_else(stopped)?;
        values.sort_by(|a, b| b.1.total_cmp(&a.1));
        let best = values.first().map_or(0.0, |(_, value)| *value);
        let rows = values.iter().map(|(square, value)| {
            let chance = likely.iter().find(|likely| likely.square == *square).map_or(0.0, |likely| likely.probability);
            vec![square.to_string().into(), Cell::Discs(*value), Cell::Real(best - value, 2), Cell::Real(chance, 3)]
        });
        let (loss, chance) = (difficulty.expected_loss, 100.0 * difficulty.chance);
        Ok(Report::Table(Table {
            title: "difficulty".into(),
            columns: vec!["move", "value", "loss", "probability"],
            rows: rows.collect(),
            notes: vec![format!("a person loses {loss:.2} discs here and finds a good move in {chance:.0} % of games")],
        }))
    }

    /// The positions of the game, the hardest first.
    fn difficulty_of_game(&mut self, file: Option<&Path>, control: Control<'_, Progress>) -> Answer<Report> {
        if self.game.plies().is_empty() {
            return Err(illegal("there is no game to look at"));
        }
        let mut found = vec![];
        for ply in 0..self.game.plies().len() {
            let Some(position) = self.game.position_at(ply) else { break };
            if position.moves().count() < 2 {
                continue;
            }
            let Some(values) = self.all_values(position, control) else { break };
            let Some(difficulty) = Difficulty::new(&self.likely(position.board), &values) else { continue };
            found.push((ply, position.side, difficulty));
        }
        if found.is_empty() {
            return Err(stopped());
        }
        let mean = |side: Colour| {
            let own: Vec<f64> =
                found.iter().filter(|(_, s, _)| *s == side).map(|(.., difficulty)| difficulty.expected_loss).collect();
            own.iter().sum::<f64>() / own.len().max(1) as f64
        };
        let [black, white] = Colour::BOTH.map(mean);
        if let Some(file) = file {
            study::write_picture(file, difficulty_chart(&found), None, control)?;
            return Ok(Report::Nothing);
        }
        found.sort_by(|a, b| b.2.expected_loss.total_cmp(&a.2.expected_loss));
        let plies = self.game.plies();
        let rows = found.iter().map(|(ply, side, difficulty)| {
            vec![
                Cell::from(*ply),
                Cell::phrase(side.to_string()),
                Cell::from(plies.get(*ply).map(|ply| ply.mv.to_string())),
                Cell::Real(difficulty.expected_loss, 2),
                Cell::Real(100.0 * difficulty.chance, 0),
            ]
        });
        Ok(Report::Table(Table {
            title: "difficulty".into(),
            columns: vec!["ply", "side", "played", "expected loss", "chance %"],
            rows: rows.collect(),
            notes: vec![format!("expected loss a move: black {black:.2}, white {white:.2}")],
        }))
    }

    /// Searches one move, or the best.
    fn searched(&mut self, board: Board, only: Option<Square>, control: Control<'_, Progress>) -> Answer<Searched> {
        let limits = think::limits(&self.options, None, board);
        let effort = think::hint_effort(&self.options, &limits);
        let task =
            Task { limits, only: only.map(|square| square.bit()).map(crate::othello::BitBoard), ..Task::new(effort) };
        let quiet = |_: &search::Report| {};
        let report = self.searcher().search(board, &task, Control::new(control.stop_flag(), &quiet));
        let line = report.lines.into_iter().next().ok_or_else(stopped)?;
        Ok(Searched { value: line.value.discs(), line: line.pv })
    }

    /// The position and the move to explain: one of the legal moves, or the last move of the game.
    fn explained(&self, square: Option<Square>) -> Answer<(Position, Square)> {
        if let Some(square) = square {
            let position = self.position();
            self.board_with_moves()?;
            return match position.play(square) {
                Some(_) => Ok((position, square)),
                None => Err(illegal(format!("illegal move: {} on {square} turns nothing", position.side))),
            };
        }
        let played = self.game.played().iter().enumerate().rev().find_map(|(ply, played)| match played.mv {
            Move::Place(square) => Some((ply, square)),
            Move::Pass => None,
        });
        let (ply, square) = played.ok_or_else(|| illegal("no move was played: `explain MOVE` explains a legal one"))?;
        Ok((self.game.position_at(ply).ok_or_else(stopped)?, square))
    }

    /// The facts about a move.
    pub(super) fn facts(
        &mut self,
        position: Position,
        square: Square,
        control: Control<'_, Progress>,
    ) -> Answer<Facts> {
        let board = position.board;
        let best = self.searched(board, None, control)?;
        let Some(&Move::Place(best_square)) = best.line.first() else { return Err(stopped()) };
        let searched = if best_square == square { best.clone() } else { self.searched(board, Some(square), control)? };
        if control.stopped() {
            return Err(stopped());
        }
        // The two searches may differ a little in what they saw: the best is what is worth most.
        let best = if searched.value > best.value { Searched { value: searched.value, ..best } } else { best };
        let weights = self.weights();
        let likely = self.likely(board).into_iter().find(|likely| likely.square == square);
        let probability = likely.map_or(0.0, |likely| likely.probability);
        let opening = position.play(square).and_then(|after| Names::english().of(after)).map(str::to_string);
        Facts::new(board, (square, searched), (best_square, best), probability, opening, &weights).ok_or_else(stopped)
    }

    /// What a person would lose a move as black and as white in the positions of a game, by a search of two plies.
    pub(super) fn expected_losses(&mut self, game: &Game) -> Option<[f64; 2]> {
        let (model, weights, rating) = (HumanModel::builtin(), self.weights(), self.rating());
        let (mut sums, mut moves) = ([0.0; 2], [0u32; 2]);
        for ply in 0..game.plies().len() {
            let Position { board, side } = game.position_at(ply)?;
            let candidates = features::candidates(board, &weights);
            if candidates.len() < 2 {
                continue;
            }
            let likely = model.likely_of(board, &candidates, rating);
            let losses = candidates.iter().zip(&likely).map(|(c, likely)| f64::from(c.loss) * likely.probability);
            sums[side.index()] += losses.sum::<f64>();
            moves[side.index()] += 1;
        }
        (moves != [0; 2]).then(|| [0, 1].map(|i| sums[i] / f64::from(moves[i].max(1))))
    }

    /// The same thought, with how likely people are to play its moves and how hard the position is, if that is wanted.
    pub(super) fn with_people(&mut self, board: Board, mut thought: Thought) -> Thought {
        if !self.options.difficulty || !board.can_move() {
            return thought;
        }
        let likely = self.likely(board);
        thought.people = likely.iter().map(|likely| (likely.square.to_string(), likely.probability)).collect();
        let values: Vec<(Square, f64)> =
            thought.lines.iter().filter_map(|line| Some((line.best().parse().ok()?, line.value))).collect();
        let all = values.len() == board.moves().count() as usize;
        thought.difficulty = all.then(|| Difficulty::new(&likely, &values)).flatten();
        thought
    }

    /// How hard the positions of a game are, as far as all their moves have values.
    pub(super) fn difficulties(&mut self, reviews: &[Reviewed]) -> Vec<(usize, Difficulty)> {
        let mut found = vec![];
        for reviewed in reviews {
            let board = reviewed.position.board;
            let values: Vec<(Square, f64)> = reviewed.values.iter().filter_map(valued).collect();
            if values.len() > 1 && values.len() == board.moves().count() as usize {
                let difficulty = Difficulty::new(&self.likely(board), &values);
                found.extend(difficulty.map(|difficulty| (reviewed.ply, difficulty)));
            }
        }
        found
    }

    /// Adds to a page how hard its positions are for people, and why its mistakes are mistakes. Nothing is searched.
    pub(super) fn add_people(&mut self, page: &mut GamePage, reviews: &[Reviewed]) {
        for (ply, difficulty) in self.difficulties(reviews) {
            if let Some(shown) = page.positions.get_mut(ply) {
                shown.difficulty = Some(difficulty.expected_loss);
            }
        }
        let weights = self.weights();
        for reviewed in reviews {
            let board = reviewed.position.board;
            let (Some(best), Some(played)) = (reviewed.best(), reviewed.played_value()) else { continue };
            let (Move::Place(own), Move::Place(better)) = (played.mv, best.mv) else { continue };
            let Some(shown) = page.positions.get_mut(reviewed.ply + 1) else { continue };
            if shown.loss.is_some_and(|loss| loss >= MISTAKE) {
                let searched = |value: &MoveValue| Searched { value: value.value, line: value.line.clone() };
                let facts = Facts::new(board, (own, searched(played)), (better, searched(best)), 0.0, None, &weights);
                // The verdict stands there already.
                shown.why = facts.map_or(vec![], |facts| explain::sentences(&facts).into_iter().skip(1).collect());
            }
        }
    }

    fn explain(&mut self, square: Option<Square>, control: Control<'_, Progress>) -> Answer<Report> {
        let (position, square) = self.explained(square)?;
        let facts = self.facts(position, square, control)?;
        Ok(Report::Table(table_of(&facts)))
    }

    /// A move as a person of the chosen strength might play it.
    pub(super) fn human_thought(&mut self, board: Board, control: Control<'_, Progress>) -> Thought {
        if !self.is_ready(control) || !board.can_move() {
            return think::hasty(board);
        }
        let empties = board.empty_count();
        let effort = if empties <= SEES_END { Effort::Exact } else { Effort::Depth { plies: LOOK, percent: 100 } };
        let task = Task { lines: 64, ..Task::new(effort) };
        let quiet = |_: &search::Report| {};
        let report = self.searcher().search(board, &task, Control::new(control.stop_flag(), &quiet));
        let likely = self.likely(board);
        let style = Style { rating: self.rating(), max_loss: self.options.human_max_loss };
        let chances = player::chances(&likely, &values(&report), style);
        let chosen = player::choose(&chances, &mut self.rng);
        let mut thought = think::thought(&report, empties, false, 0.0);
        let name = chosen.map(|square| square.to_string());
        thought.lines.retain(|line: &Expected| name.as_deref().is_none_or(|name| line.best() == name));
        thought.lines.truncate(1);
        if thought.lines.is_empty() { think::hasty(board) } else { thought }
    }
}

/// What people would lose, move by move; sides differ by dashes and dots as well as by colours.
fn difficulty_chart(found: &[(usize, Colour, Difficulty)]) -> Svg {
    let points = |side: Colour| -> Vec<(f64, f64)> {
        let own = found.iter().filter(|(_, s, _)| *s == side);
        own.map(|(ply, _, difficulty)| (*ply as f64 + 1.0, difficulty.expected_loss)).collect()
    };
    let line = |name, side, colour, dash, dots| Line { name, points: points(side), colour, dash, dots };
    Chart {
        title: "Difficulty",
        x: "move",
        y: "expected loss of a person, discs",
        size: (800.0, 400.0),
        lines: vec![
            line("black", Colour::Black, "#0072b2", None, Dots::Filled),
            line("white", Colour::White, "#d55e00", Some("7 4"), Dots::Open),
        ],
        least: Some(Area { x: (1.0, 2.0), y: (0.0, 2.0) }),
        ..Chart::default()
    }
    .draw()
}

fn valued(value: &MoveValue) -> Option<(Square, f64)> {
    match value.mv {
        Move::Place(square) => Some((square, value.value)),
        Move::Pass => None,
    }
}

fn table_of(facts: &Facts) -> Table {
    let (own, best) = (&facts.of_move, &facts.of_best);
    let mut rows = vec![
        vec![Cell::phrase("move"), own.square.to_string().into(), best.square.to_string().into()],
        vec![Cell::phrase("value"), Cell::Discs(facts.searched.value), Cell::Discs(facts.best.value)],
        vec![Cell::phrase("loss"), Cell::Real(facts.loss(), 2), Cell::Real(0.0, 2)],
    ];
    let mut row = |name: &'static str, count: &dyn Fn(&explain::MoveFacts) -> Cell| {
        rows.push(vec![Cell::phrase(name), count(own), count(best)]);
    };
    row("discs turned", &|m| m.flips.into());
    row("openness", &|m| m.openness.into());
    row("own moves before", &|m| m.mobility.own.before.into());
    row("own moves after", &|m| m.mobility.own.after.into());
    row("opponent's moves before", &|m| m.mobility.other.before.into());
    row("opponent's moves after", &|m| m.mobility.other.after.into());
    row("own frontier before", &|m| m.frontier.own.before.into());
    row("own frontier after", &|m| m.frontier.own.after.into());
    row("opponent's frontier before", &|m| m.frontier.other.before.into());
    row("opponent's frontier after", &|m| m.frontier.other.after.into());
    row("own stable discs before", &|m| m.stable.own.before.into());
    row("own stable discs after", &|m| m.stable.own.after.into());
    row("opponent's stable discs after", &|m| m.stable.other.after.into());
    row("takes a corner", &|m| u8::from(m.takes_corner).into());
    row("corners given", &|m| m.gives_corners.count().into());
    row("wedges given", &|m| m.gives_wedges.count().into());
    row("X square", &|m| u8::from(m.x_square).into());
    row("C square", &|m| u8::from(m.c_square).into());
    row("squares in the region", &|m| m.region.into());
    row("odd regions before", &|m| m.odd_regions.into());
    row("makes the opponent pass", &|m| u8::from(m.forces_pass).into());
    row("can be wiped out", &|m| u8::from(m.wipe_out).into());
    let mut line_row = |name: &'static str, count: &dyn Fn(&LineFacts) -> u32| {
        rows.push(vec![Cell::phrase(name), count(&facts.line).into(), count(&facts.best_line).into()]);
    };
    line_row("own corners on the line", &|line| line.own_corners);
    line_row("opponent's corners on the line", &|line| line.other_corners);
    line_row("own moves at its end", &|line| line.own_moves);
    line_row("opponent's moves at its end", &|line| line.other_moves);
    rows.push(vec![Cell::phrase("human probability"), Cell::Real(facts.probability, 3), Cell::Nothing]);
    rows.push(vec![Cell::phrase("opening"), facts.opening.clone().into(), Cell::Nothing]);
    for (name, discs) in &facts.attribution {
        rows.push(vec![Cell::phrase(group_phrase(name)), Cell::Discs(*discs), Cell::Nothing]);
    }
    let line =
        |line: &[Move]| Cell::Text(notation::transcript(line.iter().copied(), notation::Passes::As("ps"), " ", false));
    rows.push(vec![Cell::phrase("line"), line(&facts.searched.line), line(&facts.best.line)]);
    rows.push(vec![Cell::phrase("loss shows after plies"), facts.real_after.into(), Cell::Nothing]);
    let reasons: Vec<&str> = explain::why(facts).iter().map(|why| why.reason.name()).collect();
    rows.push(vec![Cell::phrase("reasons"), reasons.join(" ").into(), Cell::Nothing]);
    Table { title: "explanation".into(), columns: vec!["fact", "move", "best"], rows, notes: explain::sentences(facts) }
}

/// What stands before a part of the difference in the evaluation at the end of the lines.
fn group_phrase(name: &str) -> &'static str {
    match name {
        "edges" => "evaluation: edges",
        "corners" => "evaluation: corners",
        "diagonals" => "evaluation: diagonals",
        "lines" => "evaluation: lines",
        "centre" => "evaluation: centre",
        "mobility" => "evaluation: mobility",
        "network" => "evaluation: network, not shared out",
        _ => "evaluation: side to move",
    }
}
