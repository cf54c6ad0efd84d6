//! The page of a game, made of what was found about it.

use super::{
    analysis::{self, Graph, Point, for_black},
    openings::Names,
    review::Reviewed,
};
use crate::{
    base::{
        Colour,
        svg::{board::Theme, chart::Chart},
    },
    engine::{Depth, Judged, Source},
    othello::{Game, Move, notation::diagram, records::Record},
    report,
};

/// The size of the graphs, in user units.
const GRAPH: (f64, f64) = (640.0, 320.0);

/// The page of a record that was looked at. The first `given` plies were not the players' choice.
pub fn page(
    record: &Record,
    reviews: &[Reviewed],
    points: &[Point],
    branches: &[Vec<Point>],
    given: usize,
) -> report::game::GamePage {
    let game = &record.game;
    let shown = (0..=game.plies().len()).map(|ply| shown(game, ply, reviews, given)).collect();
    let graphs = [(Graph::Value, "Value"), (Graph::Loss, "Cumulative loss")].map(|(graph, title)| {
        // The page has the title in the language of its reader.
        let chart = Chart { title: "", ..analysis::chart(points, branches, graph, Theme::Cvd, GRAPH) };
        let places = (0..points.len()).map(|ply| chart.place((ply as f64, 0.0)).0).collect();
        report::game::Graph { title, picture: chart.draw(), places }
    });
    report::game::GamePage {
        names: record.names.clone(),
        event: record.event.clone(),
        date: record.date.clone(),
        memo: record.memo.clone(),
        result: record.final_result().map(|result| result.to_string()),
        positions: shown,
        graphs: graphs.into(),
        summary: summary(reviews, given),
    }
}

fn shown(game: &Game, ply: usize, reviews: &[Reviewed], given: usize) -> report::game::Shown {
    let Some(position) = game.position_at(ply) else { return report::game::Shown::default() };
    let at = |ply: usize| reviews.iter().find(|reviewed| reviewed.ply == ply);
    let (here, before) = (at(ply), ply.checked_sub(1).and_then(at));
    let played = ply.checked_sub(1).and_then(|i| game.plies().get(i)).map(|ply| (ply.colour, ply.mv.to_string()));
    let loss = before.filter(|before| before.ply >= given).and_then(Reviewed::loss);
    let better = before.and_then(Reviewed::best).filter(|_| loss.is_some_and(|loss| loss >= analysis::DISAGREE));
    let board: String = diagram::board_text(position, diagram::Alphabet::LETTERS).chars().take(64).collect();
    let name =
        |names: &'static Names| (0..=ply).rev().find_map(|ply| names.of(game.position_at(ply)?)).map(str::to_string);
    report::game::Shown {
        board,
        to_move: (!position.is_over()).then_some(position.side),
        played,
        value: here.and_then(Reviewed::value).map(|value| for_black(position.side, value)),
        depth: here.and_then(Reviewed::best).map_or(String::new(), |best| match best.source {
            Source::Book { .. } => "book".into(),
            _ => best.depth.to_string(),
        }),
        loss,
        better: better.map(|best| best.line.iter().take(8).map(Move::to_string).collect::<Vec<_>>().join(" ")),
        opening: [name(Names::english()), name(Names::japanese())],
        moves: here.map_or(vec![], |here| here.values.iter().map(|v| (v.mv.to_string(), v.value)).collect()),
        ..report::game::Shown::default()
    }
}

/// What both sides lost, by phases of twenty moves.
pub fn summary(reviews: &[Reviewed], given: usize) -> [report::game::Summary; 2] {
    Colour::BOTH.map(|colour| {
        let own = reviews.iter().filter(|reviewed| reviewed.side() == colour && reviewed.ply >= given);
        let losses: Vec<(usize, f64)> =
            own.filter_map(|r| Some(((r.position.board.disc_count() as usize).saturating_sub(4), r.loss()?))).collect();
        let phase = |number: usize| {
            let own: Vec<f64> =
                losses.iter().filter(|(moves, _)| (moves / 20).min(2) == number).map(|(_, loss)| *loss).collect();
            (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
        };
        report::game::Summary {
            moves: losses.len(),
            disagree: losses.iter().filter(|(_, l)| (analysis::DISAGREE..analysis::MISTAKE).contains(l)).count(),
            mistakes: losses.iter().filter(|(_, l)| *l >= analysis::MISTAKE).count(),
            lost: losses.iter().map(|(_, loss)| loss).sum(),
            phases: [0, 1, 2].map(phase),
        }
    })
}

/// As the session hears of a position.
pub fn judged(reviewed: &Reviewed) -> Judged {
    let best = reviewed.best();
    let pass = reviewed.played == Some(Move::Pass);
    Judged {
        ply: reviewed.ply,
        colour: reviewed.side(),
        played: reviewed.played.map(|mv| mv.to_string()),
        played_value: if pass { None } else { reviewed.played_value().map(|value| value.value) },
        best: best.map(|best| best.mv.to_string()),
        best_value: reviewed.value().unwrap_or(0.0),
        depth: best.map_or(Depth { percent: 100, to_end: true, ..Depth::default() }, |best| best.depth),
    }
}
