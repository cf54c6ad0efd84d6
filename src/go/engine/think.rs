//! From what a search found to what the session hears, and the judging of whole games.

use crate::{
    base::{Cell, Colour, Control, Limits, Table},
    engine::{
        self, Analysis, Answer, Bound, CommandError, CommandErrorKind, Depth, Judged, Line, Playouts, Progress, Source,
        Thought,
    },
    go::{
        GoGame, MoveReport, Player, PlayerKind, Point, Report,
        game::Play,
        notation::{Vertex, parse_vertex},
        point::Geometry,
        restriction::{self, Restriction},
    },
};
use std::ops::RangeInclusive;

/// How many moves are shown: at least so many, tried or not, and at most so many.
pub type Shown = RangeInclusive<usize>;

/// What a search found, in the session's words: the best moves that were looked at.
pub fn thought(report: &Report, shown: Shown) -> Thought {
    let geometry = report.geometry();
    let count = *shown.end();
    let tried = report.moves.iter().enumerate().filter(|(i, m)| i < shown.start() || m.visits > 0);
    Thought {
        lines: tried.take(count.max(1)).map(|(_, m)| line(geometry, m)).collect(),
        nodes: report.playouts,
        elapsed: report.elapsed,
        complete: report.complete,
        ownership: ownership(report),
        ..Thought::default()
    }
}

fn ownership(report: &Report) -> Vec<f32> {
    let sign = if report.to_move == Colour::Black { 1.0 } else { -1.0 };
    report.tally.ownership_map().into_iter().map(|point| point * sign).collect()
}

fn line(geometry: Geometry, m: &MoveReport) -> Line {
    Line {
        moves: m.line.iter().map(|&p| Vertex(geometry, p).to_string()).collect(),
        // Tenths of a point are more than playouts know.
        value: (m.score * 10.0).round() / 10.0 + 0.0,
        bound: Bound::Exact,
        source: Source::Search,
        depth: Depth { plies: m.line.len() as u32, percent: 100, to_end: false, wld: false },
        playouts: Some(Playouts { visits: m.visits, win_rate: m.win_rate, prior: m.prior }),
    }
}

/// The restrictions of an analysis as the player knows them.
pub fn restrictions(game: &GoGame, player: PlayerKind, asked: &[engine::Restriction]) -> Answer<Vec<Restriction>> {
    if !asked.is_empty() && matches!(player, PlayerKind::Primitive | PlayerKind::Gopal) {
        let message = format!("the player `{}` cannot leave out moves: `player` chooses another", player.name());
        return Err(CommandError::new(CommandErrorKind::Unsupported, message));
    }
    let point =
        |name: &String| parse_vertex(game.geometry(), name).map_err(|e| CommandError::new(CommandErrorKind::Syntax, e));
    let one = |asked: &engine::Restriction| {
        let points = asked.moves.iter().map(point).collect::<Answer<Vec<Point>>>()?;
        Ok(Restriction { colour: asked.colour, points, only: asked.only, plies: asked.plies })
    };
    let all = asked.iter().map(one).collect::<Answer<Vec<Restriction>>>()?;
    let mut legal = game.legal_points().into_iter().chain([Point::PASS]);
    if legal.any(|point| restriction::allow(&all, game.to_move(), 0, point)) {
        Ok(all)
    } else {
        Err(CommandError::new(CommandErrorKind::Illegal, "no legal move is left to analyse"))
    }
}

/// Runs `search` with a control that passes its news on as thoughts.
pub fn telling<T>(shown: Shown, control: Control<'_, Progress>, search: impl FnOnce(Control<'_, Report>) -> T) -> T {
    let tell = |report: &Report| control.tell(&Progress::Thought(thought(report, shown.clone())));
    search(Control::new(control.stop_flag(), &tell))
}

/// Like [`telling`], but says nothing.
pub fn quietly<T>(control: Control<'_, Progress>, search: impl FnOnce(Control<'_, Report>) -> T) -> T {
    search(Control::new(control.stop_flag(), &|_: &Report| {}))
}

/// Judges every move of a game, in its order.
pub fn analyse(player: &mut Player, game: &GoGame, limits: Limits, control: Control<'_, Progress>) -> Analysis {
    let plays: Vec<Play> = game.plays().to_vec();
    let mut at = game.clone();
    at.back_to(0);
    let mut moves = Vec::new();
    for ply in 0..=plays.len() {
        let play = plays.get(ply);
        if let Some(play) = play {
            at.set_to_move(play.colour);
        }
        let Some(judged) = judge(player, &at, ply, play, limits, control) else { break };
        control.tell(&Progress::Judged(judged.clone()));
        moves.push(judged);
        if let Some(play) = play {
            // Superko was no bar when the game was made.
            let _ = at.play_despite_superko(play.colour, play.point);
        }
    }
    Analysis { complete: moves.len() == plays.len() + 1, summary: summary(&moves), moves, ..Analysis::default() }
}

/// `None` when stopped: half a judgement would be a wrong one.
fn judge(
    player: &mut Player,
    game: &GoGame,
    ply: usize,
    play: Option<&Play>,
    limits: Limits,
    control: Control<'_, Progress>,
) -> Option<Judged> {
    let name = |p| Vertex(game.geometry(), p).to_string();
    let report = quietly(control, |control| player.examine(game, limits, control));
    if !report.complete {
        return None;
    }
    let best = report.moves.first();
    let mut best_value = best.map_or(0.0, |m| m.score);
    let played_value = match play {
        None => None,
        Some(play) if best.is_some_and(|m| m.point == play.point) => Some(best_value),
        Some(play) => {
            let mut next = game.clone();
            let _ = next.play_despite_superko(play.colour, play.point);
            let after = quietly(control, |control| player.examine(&next, limits, control));
            if !after.complete {
                return None;
            }
            after.moves.first().map(|m| -m.score)
        }
    };
    let mut best_move = best.map(|m| m.point);
    // A second look can find the played move better than the first look found the best one.
    if let (Some(value), Some(play)) = (played_value, play)
        && value > best_value
    {
        (best_value, best_move) = (value, Some(play.point));
    }
    let rounded = |x: f64| (x * 10.0).round() / 10.0 + 0.0;
    Some(Judged {
        ply,
        colour: game.to_move(),
        played: play.map(|play| name(play.point)),
        played_value: played_value.map(rounded),
        best: best_move.map(name),
        best_value: rounded(best_value),
        depth: Depth { plies: best.map_or(0, |m| m.line.len() as u32), percent: 100, to_end: false, wld: false },
    })
}

/// From this loss in points on a move is a mistake.
const MISTAKE: f64 = 4.0;
/// Smaller differences are the noise of playouts.
const DISAGREE: f64 = 1.5;

fn summary(moves: &[Judged]) -> Table {
    let row = |colour: Colour| -> Vec<Cell> {
        let own = || moves.iter().filter(move |m| m.colour == colour && m.played.is_some()).map(Judged::loss);
        let count = own().count();
        let total: f64 = own().sum();
        let disagree = own().filter(|loss| (DISAGREE..MISTAKE).contains(loss)).count();
        let mistakes = own().filter(|loss| *loss >= MISTAKE).count();
        let average = if count == 0 { Cell::Nothing } else { Cell::Real(total / count as f64, 2) };
        vec![
            Cell::phrase(colour.to_string()),
            count.into(),
            disagree.into(),
            mistakes.into(),
            Cell::Real(total, 1),
            average,
        ]
    };
    Table {
        title: "summary".into(),
        columns: vec!["side", "moves", "disagree", "mistakes", "loss", "average"],
        rows: Colour::BOTH.map(row).into(),
        notes: vec![],
    }
}
