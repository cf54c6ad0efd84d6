//! Pictures of a Go position.

use super::GoEngine;
use crate::{
    base::{
        Args, BadArgs, Colour, PerPoint,
        control::unless_stopped,
        files,
        svg::{
            board::{Board as Drawing, Grid, Mark, Shape, Theme},
            png,
        },
    },
    engine::{Answer, CommandError, CommandErrorKind},
    go::{
        Point,
        notation::{Vertex, parse_vertex},
        point::Geometry,
        surroundings::Cell,
    },
};
use std::{
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

/// What is shown besides the stones.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    pub order: bool,
    pub last: bool,
    pub next: bool,
    pub ownership: bool,
    /// As they were written: points are read when the size of the board is known.
    pub marks: Vec<String>,
    pub theme: Theme,
    pub width: Option<u32>,
}

pub fn read(args: &mut Args) -> Result<(PathBuf, Look), BadArgs> {
    let file = args.file()?;
    let ending = file.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    if !matches!(ending.as_deref(), Some("svg" | "png")) {
        return Err(BadArgs::Wrong { found: file.display().to_string(), expected: "the name of an SVG or PNG file" });
    }
    let (mut look, mut marking) = (Look::default(), false);
    while let Some(word) = args.next_word() {
        match word.to_ascii_lowercase().as_str() {
            "order" => look.order = true,
            "last" => look.last = true,
            "next" => look.next = true,
            "ownership" => look.ownership = true,
            "theme" => {
                look.theme = args.parsed("a theme: colour, mono or cvd", |w| w.to_ascii_lowercase().parse().ok())?;
            }
            "size" => {
                let pixels = |word: &str| word.parse().ok().filter(|n| (64..=png::LARGEST).contains(n));
                look.width = Some(args.parsed("a width from 64 to 8192 pixels", pixels)?);
            }
            "marks" => marking = true,
            _ if marking => look.marks.extend(word.split(',').filter(|part| !part.is_empty()).map(str::to_string)),
            _ => return Err(BadArgs::Extra(word)),
        }
    }
    Ok((file, look))
}

/// Counted from the top left.
fn field(geometry: Geometry, name: &str) -> Option<usize> {
    let point = parse_vertex(geometry, name).ok().filter(|point| !point.is_pass())?;
    geometry.points_from_top().position(|p| p == point)
}

fn mark(geometry: Geometry, word: &str) -> Option<Mark> {
    if let Some((from, to)) = word.split_once('>') {
        let (from, to) = (field(geometry, from)?, field(geometry, to)?);
        return (from != to).then_some(Mark::Arrow(from, to));
    }
    let (at, what) = word.split_once(':')?;
    let at = field(geometry, at)?;
    match Shape::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(what)) {
        Some((_, shape)) => Some(Mark::Shape(at, *shape)),
        None => (1..=4).contains(&what.chars().count()).then(|| Mark::Label(at, what.into())),
    }
}

/// The points that are drawn as dots.
fn stars(geometry: Geometry) -> Vec<usize> {
    let size = geometry.size();
    let edge = match size {
        0..7 => return vec![],
        7..12 => 2,
        _ => 3,
    };
    let mut lines = vec![edge, size - 1 - edge];
    if size % 2 == 1 && size > 12 {
        lines.push(size / 2);
    }
    let mut dots: Vec<usize> =
        lines.iter().flat_map(|row| lines.iter().map(move |column| row * size + column)).collect();
    if size % 2 == 1 && size <= 12 {
        dots.push(size / 2 * size + size / 2);
    }
    dots
}

impl GoEngine {
    /// Draws the position; `owners` are black's chances to own each point.
    pub(super) fn draw(&self, file: &Path, look: &Look, owners: Option<PerPoint>, stop: &AtomicBool) -> Answer<()> {
        let geometry = self.game.geometry();
        let board = self.game.board();
        let at = |point: Point| geometry.points_from_top().position(|p| p == point);
        let cell = |point: Point| match board.cell(point) {
            Cell::Black => Some(Colour::Black),
            Cell::White => Some(Colour::White),
            _ => None,
        };
        let marks: Option<Vec<Mark>> = look.marks.iter().map(|word| mark(geometry, word)).collect();
        let bad = || CommandError::new(CommandErrorKind::Syntax, "a mark is not of the form D4:circle, E5:A or C3>F5");
        let marks = marks.ok_or_else(bad)?;
        // Of several stones played at one point the last is the one that is seen.
        let mut order: Vec<(usize, usize)> = vec![];
        if look.order {
            for (i, play) in self.game.plays().iter().enumerate().filter(|(_, play)| !play.point.is_pass()) {
                let Some(field) = at(play.point) else { continue };
                order.retain(|(known, _)| *known != field);
                if cell(play.point).is_some() {
                    order.push((field, i + 1));
                }
            }
        }
        let last = Some(self.game.last_move()).filter(|point| look.last && !point.is_pass()).and_then(at);
        let next = self.future.first().filter(|play| look.next && !play.point.is_pass());
        let size = geometry.size();
        let name = |column: usize| {
            let point = geometry.points_from_top().nth(column).map(|p| Vertex(geometry, p).to_string());
            point.map_or(String::new(), |name| name.chars().filter(|c| c.is_ascii_alphabetic()).collect())
        };
        let drawing = Drawing {
            columns: (0..size).map(name).collect(),
            rows: (1..=size).rev().map(|row| row.to_string()).collect(),
            grid: Grid::Points,
            discs: geometry.points_from_top().map(cell).collect(),
            dots: stars(geometry),
            order,
            last,
            next: next.and_then(|play| Some((at(play.point)?, play.colour))),
            owners: owners.map_or(vec![], |o| o.values.iter().map(|v| v.map_or(0.0, f64::from)).collect()),
            marks,
            title: format!("Go {size}x{size}, {} to move", self.game.to_move()),
            theme: look.theme,
            ..Drawing::default()
        };
        let svg = drawing.draw();
        let bytes = if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
            let width = look.width.unwrap_or(svg.size().0 as u32);
            let stopped = || CommandError::new(CommandErrorKind::Illegal, "stopped: nothing was drawn");
            let drawn = unless_stopped(stop, move |_| png::png(&svg, width)).ok_or_else(stopped)?;
            drawn.map_err(|e| CommandError::new(CommandErrorKind::Unsupported, e))?
        } else {
            match look.width {
                None => svg.document(),
                Some(width) => svg.element(&format!("width=\"{width}\"")),
            }
            .into_bytes()
        };
        files::replace(file, |out| out.write_all(&bytes))
            .map_err(|e| CommandError::new(CommandErrorKind::File, format!("{}: {e}", file.display())))
    }
}
