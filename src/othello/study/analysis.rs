//! What is known about the positions of a game: every search leaves its value, and graphs and reports are made of
//! them without a new one.

use crate::{
    base::{
        Colour,
        svg::{
            Svg,
            board::Theme,
            chart::{Area, Band, Chart, Dots, Line},
        },
    },
    engine::{Depth, Judged, Source},
    othello::{Game, Move, Position, game::Ply},
};
use std::collections::HashMap;

/// From this loss on a move is a mistake; below it the engine merely disagrees.
pub const MISTAKE: f64 = 4.0;
/// Smaller differences are the noise of unfinished searches.
pub const DISAGREE: f64 = 1.0;

/// The value of a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// In discs, for black.
    pub black: f64,
    pub best: Option<Move>,
    pub depth: Depth,
    pub source: Source,
}

impl Known {
    /// What is surer comes later: proven, then deeper, then with less pruning.
    fn weight(&self) -> (bool, u32, u8) {
        (self.depth.solved() || self.source == Source::Rules, self.depth.plies, self.depth.percent)
    }
}

/// The best known value of each position that was looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Findings {
    known: HashMap<Position, Known>,
    /// What moves gave away, where best and played move were searched together.
    losses: HashMap<(Position, Move), f64>,
}

/// A ply of a graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub ply: usize,
    /// After so many plies, for black.
    pub known: Option<Known>,
    /// What each side has lost up to here, as far as it is known.
    pub lost: [f64; 2],
}

impl Findings {
    pub fn clear(&mut self) {
        self.known.clear();
        self.losses.clear();
    }

    /// Keeps a value unless a surer one is there. Half a value says nothing: callers leave out bounds.
    pub fn note(&mut self, position: Position, new: Known) {
        if !new.black.is_finite() {
            return;
        }
        match self.known.entry(position) {
            std::collections::hash_map::Entry::Occupied(mut old) if new.weight() >= old.get().weight() => {
                old.insert(new);
            }
            std::collections::hash_map::Entry::Occupied(_) => {}
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(new);
            }
        }
    }

    /// The values that came with a game; nobody knows how they were found, so any search is surer.
    pub fn note_annotations(&mut self, game: &Game) {
        for (i, ply) in game.plies().iter().enumerate() {
            if let (Some(value), Some(after)) = (ply.value, game.position_at(i + 1)) {
                let depth = Depth { plies: 0, percent: 100, ..Depth::default() };
                self.note(
                    after,
                    Known { black: for_black(ply.colour, value), best: None, depth, source: Source::Search },
                );
            }
        }
    }

    /// What an analysis found for a ply of this game.
    pub fn note_judged(&mut self, game: &Game, judged: &Judged) {
        let Some(position) = game.position_at(judged.ply) else { return };
        let black = |value: f64| for_black(position.side, value);
        let best = judged.best.as_deref().and_then(|mv| crate::othello::notation::parse_move(mv).ok());
        let known = Known { black: black(judged.best_value), best, depth: judged.depth, source: Source::Search };
        self.note(position, known);
        if let (Some(played), Some(_)) = (game.plies().get(judged.ply), judged.played_value) {
            self.losses.insert((position, played.mv), judged.loss());
        }
        let after = game.position_at(judged.ply + 1).filter(|_| game.plies().len() > judged.ply);
        if let (Some(after), Some(value)) = (after, judged.played_value) {
            let depth = Depth { plies: judged.depth.plies.saturating_sub(1), ..judged.depth };
            self.note(after, Known { black: black(value), best: None, depth, ..known });
        }
    }

    /// What is known of a position; the end of a game is known anyway.
    pub fn get(&self, position: Position) -> Option<Known> {
        let over = || {
            let depth = Depth { plies: 0, percent: 100, to_end: true, wld: false };
            let black = position.score().difference().into();
            position.is_over().then_some(Known { black, best: None, depth, source: Source::Rules })
        };
        self.known.get(&position).copied().or_else(over)
    }

    /// The graph of the whole line of a game. The first `given` plies were not chosen by the players.
    pub fn graph(&self, game: &Game, given: usize) -> Vec<Point> {
        let mut lost = [0.0; 2];
        let mut points: Vec<Point> = vec![];
        for ply in 0..=game.plies().len() {
            let known = game.position_at(ply).and_then(|position| self.get(position));
            if let Some(played) = ply.checked_sub(1).filter(|before| *before >= given).and_then(|i| game.plies().get(i))
                && let Some(position) = game.position_at(ply - 1)
            {
                let judged = self.losses.get(&(position, played.mv)).copied();
                let before = points.last().and_then(|point| point.known);
                let estimated = || before.zip(known).map(|(before, after)| loss(played, before, after));
                lost[played.colour.index()] += judged.or_else(estimated).unwrap_or(0.0);
            }
            points.push(Point { ply, known, lost });
        }
        points
    }
}

/// What a move gave away.
fn loss(played: &Ply, before: Known, after: Known) -> f64 {
    (for_black(played.colour, before.black) - for_black(played.colour, after.black)).max(0.0)
}

/// From a side's view to black's, and back.
pub fn for_black(side: Colour, value: f64) -> f64 {
    if side == Colour::Black { value } else { -value }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Graph {
    #[default]
    Value,
    Loss,
}

/// The graph as a picture. Branches are the other lines of the game.
pub fn draw(points: &[Point], branches: &[Vec<Point>], graph: Graph, theme: Theme, size: (f64, f64)) -> Svg {
    chart(points, branches, graph, theme, size).draw()
}

/// What is drawn, and where.
pub fn chart(
    points: &[Point],
    branches: &[Vec<Point>],
    graph: Graph,
    theme: Theme,
    size: (f64, f64),
) -> Chart<'static> {
    let [black, white, branch] = match theme {
        Theme::Colour => ["#1f5fbf", "#c2410c", "#555555"],
        Theme::Mono => ["#000000", "#000000", "#777777"],
        // Blue and orange of Okabe and Ito, apart for deutan and tritan sight.
        Theme::Cvd => ["#0072b2", "#d55e00", "#555555"],
    };
    let value =
        |points: &[Point]| points.iter().filter_map(|p| Some((p.ply as f64, p.known?.black))).collect::<Vec<_>>();
    let losses = |points: &[Point], side: Colour| {
        points.iter().map(|p| (p.ply as f64, -p.lost[side.index()])).collect::<Vec<_>>()
    };
    let end = points.len().saturating_sub(1).max(1) as f64;
    let (lines, low, high) = match graph {
        Graph::Value => {
            let main = Line { name: "value", points: value(points), colour: black, dots: Dots::Filled, dash: None };
            (vec![main], -8.0, 8.0)
        }
        Graph::Loss => {
            let line = |name, side, colour, dash, dots| Line { name, points: losses(points, side), colour, dash, dots };
            let sides = vec![
                line("black", Colour::Black, black, None, Dots::Filled),
                line("white", Colour::White, white, Some("7 4"), Dots::Open),
            ];
            (sides, -4.0, 0.0)
        }
    };
    let others = branches.iter().map(|points| Line {
        name: "",
        points: if graph == Graph::Value { value(points) } else { losses(points, Colour::Black) },
        colour: branch,
        dash: Some("2 3"),
        dots: Dots::None,
    });
    let lines: Vec<Line> = others.chain(lines).collect();
    let (title, y) = match graph {
        Graph::Value => ("Value", "discs, for black"),
        Graph::Loss => ("Cumulative loss", "discs"),
    };
    // Room above and below the lines, above also for the names of the bands.
    let ys = || lines.iter().flat_map(|line: &Line| &line.points).map(|point| point.1);
    let (low, high) = (ys().fold(low, f64::min), ys().fold(high, f64::max));
    let span = high - low;
    let least = Some(Area { x: (0.0, end), y: (low - 0.03 * span, high + 0.1 * span) });
    Chart { title, x: "move", y, size, lines, bands: bands(points), least, whole: true, ..Chart::default() }
}

/// How sure a value is: from a search of the midgame, read to the end with pruning, or exact.
/// Nothing is known of a value that came with the game.
pub const fn area(depth: Depth) -> Option<&'static str> {
    match depth {
        depth if depth.solved() => Some("exact"),
        Depth { to_end: true, .. } => Some("selective"),
        Depth { plies: 0, .. } => None,
        _ => Some("midgame"),
    }
}

/// Where the values are from a search of the midgame, read to the end with pruning, or exact.
fn bands(points: &[Point]) -> Vec<Band<'static>> {
    let kind = |point: &Point| {
        let name = area(point.known?.depth)?;
        let colour = match name {
            "exact" => "#d4d4d4",
            "selective" => "#e6e6e6",
            _ => "#f6f6f6",
        };
        Some((name, colour))
    };
    let mut bands: Vec<Band> = vec![];
    for point in points {
        let Some((name, colour)) = kind(point) else { continue };
        let at = point.ply as f64;
        match bands.last_mut().filter(|band| band.name == name) {
            Some(band) => band.to = at + 0.5,
            None => bands.push(Band { name, from: at - 0.5, to: at + 0.5, colour }),
        }
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::records::{lines, samples};

    fn known(black: f64, plies: u32) -> Known {
        Known { black, best: None, depth: Depth { plies, percent: 100, ..Depth::default() }, source: Source::Search }
    }

    #[test]
    fn a_deeper_value_replaces_a_shallower_one_and_not_the_other_way() {
        let mut findings = Findings::default();
        let position = Position::START;
        for (value, depth, expected) in
            [(1.0, 6, 1.0), (2.0, 4, 1.0), (3.0, 8, 3.0), (4.0, 8, 4.0), (f64::NAN, 60, 4.0)]
        {
            findings.note(position, known(value, depth));
            assert_eq!(findings.get(position).unwrap().black, expected);
        }
        let solved = Depth { plies: 2, percent: 100, to_end: true, wld: false };
        findings.note(position, Known { depth: solved, ..known(9.0, 2) });
        assert_eq!(findings.get(position).unwrap().black, 9.0, "a proof is better than any depth");
    }

    #[test]
    fn losses_add_up_on_the_side_that_made_them() {
        let game = lines::parse("f5d6c3d3").unwrap();
        let mut findings = Findings::default();
        // Black loses 2 with its first move, white 3 with its second; the rest is best play.
        for (ply, value) in [(0, 0.0), (1, -2.0), (2, -2.0), (3, -2.0), (4, 1.0)] {
            findings.note(game.position_at(ply).unwrap(), known(value, 10));
        }
        let points = findings.graph(&game, 0);
        assert_eq!(points.last().unwrap().lost, [2.0, 3.0]);
        assert_eq!(findings.graph(&game, 2).last().unwrap().lost, [0.0, 3.0], "given moves are not judged");
        for graph in [Graph::Value, Graph::Loss] {
            let text = draw(&points, std::slice::from_ref(&points), graph, Theme::Cvd, (640.0, 360.0)).document();
            assert!(text.contains("<polyline") && !text.contains("NaN"));
        }
    }

    #[test]
    fn the_end_of_a_game_needs_no_search() {
        let game = (0..).map(|seed| samples::game(seed, false)).find(Game::is_over).unwrap();
        let points = Findings::default().graph(&game, 0);
        let last = points.last().unwrap().known.unwrap();
        assert_eq!((last.black, last.source), (f64::from(game.score().difference()), Source::Rules));
        assert!(points[0].known.is_none());
    }

    #[test]
    fn values_that_come_with_a_game_are_kept_until_a_search_knows_better() {
        let mut game = lines::parse("f5d6").unwrap();
        game.annotate(Some(3.0), None);
        let mut findings = Findings::default();
        findings.note_annotations(&game);
        let after = game.position();
        assert_eq!(findings.get(after).map(|known| known.black), Some(-3.0), "white's +3");
        findings.note(after, known(1.0, 2));
        findings.note_annotations(&game);
        assert_eq!(findings.get(after).map(|known| known.black), Some(1.0));
    }
}
