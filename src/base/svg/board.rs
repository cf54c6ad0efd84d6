//! A board with discs or stones, and everything a student wants to see on it: moves in their order, values, marks.

use super::{Anchor, Paint, Svg, Type};
use crate::base::Colour;
use std::str::FromStr;

/// What is drawn where. Fields are numbered row by row from the top left.
#[derive(Debug, Clone, Default)]
pub struct Board {
    pub columns: Vec<String>,
    /// From the top.
    pub rows: Vec<String>,
    pub grid: Grid,
    pub discs: Vec<Option<Colour>>,
    /// Small dots on the grid: between four fields of squares, on the field itself of points.
    pub dots: Vec<usize>,
    /// The number of the move on each disc.
    pub order: Vec<(usize, usize)>,
    pub last: Option<usize>,
    pub next: Option<(usize, Colour)>,
    pub legal: Vec<usize>,
    pub stable: Vec<usize>,
    pub values: Vec<(usize, Value)>,
    /// Whose each field is, from -1 (white) to 1 (black).
    pub owners: Vec<f64>,
    pub marks: Vec<Mark>,
    pub title: String,
    /// Below the board.
    pub caption: String,
    pub theme: Theme,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grid {
    /// Discs lie in the squares.
    #[default]
    Squares,
    /// Stones lie on the crossings.
    Points,
}

/// A value written on an empty field.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    pub text: String,
    /// Nothing is better: framed and bold, so that it is seen without colours too.
    pub best: bool,
    /// Smaller, below it.
    pub notes: Vec<String>,
}

/// Something drawn by a person.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    Shape(usize, Shape),
    Label(usize, String),
    Arrow(usize, usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Circle,
    Square,
    Triangle,
    Cross,
    Filled,
}

impl Shape {
    pub const ALL: [(&'static str, Shape); 5] = [
        ("circle", Shape::Circle),
        ("square", Shape::Square),
        ("triangle", Shape::Triangle),
        ("cross", Shape::Cross),
        ("filled", Shape::Filled),
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    #[default]
    Colour,
    /// Black, white and greys, for print.
    Mono,
    /// Blue and orange instead of green and red.
    Cvd,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a theme: colour, mono or cvd")]
pub struct NotATheme(pub String);

impl FromStr for Theme {
    type Err = NotATheme;

    fn from_str(text: &str) -> Result<Theme, NotATheme> {
        match text {
            "colour" | "color" => Ok(Theme::Colour),
            "mono" => Ok(Theme::Mono),
            "cvd" => Ok(Theme::Cvd),
            _ => Err(NotATheme(text.into())),
        }
    }
}

/// The colours of a picture.
struct Palette {
    field: &'static str,
    line: &'static str,
    /// On empty fields.
    ink: &'static str,
    best: &'static str,
    best_field: &'static str,
    /// On discs of either colour.
    last: &'static str,
    stable: &'static str,
    mark: &'static str,
}

impl Palette {
    fn new(theme: Theme, grid: Grid) -> Palette {
        let (field, line) = match (theme, grid) {
            (Theme::Mono, _) => ("#ffffff", "#000000"),
            (Theme::Colour, Grid::Squares) => ("#2f9464", "#0d3a25"),
            (Theme::Cvd, Grid::Squares) => ("#8fa9c4", "#1d2f42"),
            (_, Grid::Points) => ("#e6bf7c", "#3a2a10"),
        };
        match theme {
            Theme::Colour => Palette {
                field,
                line,
                ink: "#0b2417",
                best: "#08306b",
                best_field: "#bfe3ff",
                last: "#d62f2f",
                stable: "#e8b400",
                mark: "#c81d25",
            },
            Theme::Mono => Palette {
                field,
                line,
                ink: "#000000",
                best: "#000000",
                best_field: "#ffffff",
                last: "#808080",
                stable: "#808080",
                mark: "#000000",
            },
            Theme::Cvd => Palette {
                field,
                line,
                ink: "#111c28",
                best: "#5b2a00",
                best_field: "#ffd9a0",
                last: "#e66100",
                stable: "#f0b400",
                mark: "#b34700",
            },
        }
    }
}

/// The side of a field, in user units.
const FIELD: f64 = 60.0;
const MARGIN: f64 = 34.0;
const CAPTION: f64 = 30.0;

impl Board {
    /// The picture, in units of which a field has 60.
    pub fn draw(&self) -> Svg {
        let (across, down) = (self.columns.len() as f64 * FIELD, self.rows.len() as f64 * FIELD);
        let bottom = if self.caption.is_empty() { MARGIN / 2.0 } else { CAPTION + 8.0 };
        let mut svg = Svg::new(across + 1.5 * MARGIN, down + MARGIN + bottom).titled(&self.title);
        let palette = Palette::new(self.theme, self.grid);
        svg.background("#ffffff");
        self.draw_grid(&mut svg, &palette, (across, down));
        for (field, disc) in self.discs.iter().enumerate() {
            if let Some(colour) = disc {
                self.disc(&mut svg, field, *colour);
            }
        }
        self.draw_owners(&mut svg);
        self.draw_on_discs(&mut svg, &palette);
        self.draw_on_empty(&mut svg, &palette);
        for mark in &self.marks {
            self.mark(&mut svg, &palette, mark);
        }
        if !self.caption.is_empty() {
            let look = Type::new(18.0, "#000000", Anchor::Middle);
            svg.text(MARGIN + across / 2.0, MARGIN + down + CAPTION - 4.0, &self.caption, look);
        }
        svg
    }

    fn centre(&self, field: usize) -> (f64, f64) {
        let columns = self.columns.len().max(1);
        let place = |n: usize| MARGIN + (n as f64 + 0.5) * FIELD;
        (place(field % columns), place(field / columns))
    }

    fn draw_grid(&self, svg: &mut Svg, palette: &Palette, (across, down): (f64, f64)) {
        svg.rect(MARGIN, MARGIN, across, down, Paint::fill(palette.field));
        let line = Paint::stroke(palette.line, 1.5);
        // Squares have lines around them, points have lines through them.
        let (shift, short) = if self.grid == Grid::Squares { (0.0, 0) } else { (FIELD / 2.0, 1) };
        let ends = |length: f64| (MARGIN + shift, MARGIN + length - shift);
        for i in 0..=self.columns.len().saturating_sub(short) {
            let x = MARGIN + shift + i as f64 * FIELD;
            if x <= MARGIN + across {
                svg.line((x, ends(down).0), (x, ends(down).1), line);
            }
        }
        for i in 0..=self.rows.len().saturating_sub(short) {
            let y = MARGIN + shift + i as f64 * FIELD;
            if y <= MARGIN + down {
                svg.line((ends(across).0, y), (ends(across).1, y), line);
            }
        }
        svg.rect(MARGIN, MARGIN, across, down, Paint::stroke(palette.line, 3.0));
        for &dot in &self.dots {
            let (x, y) = self.centre(dot);
            let shift = if self.grid == Grid::Squares { FIELD / 2.0 } else { 0.0 };
            svg.circle(x + shift, y + shift, 4.5, Paint::fill(palette.line));
        }
        let look = Type::new(18.0, "#222222", Anchor::Middle);
        for (i, name) in self.columns.iter().enumerate() {
            svg.text(self.centre(i).0, MARGIN - 10.0, name, look);
        }
        for (i, name) in self.rows.iter().enumerate() {
            svg.text(MARGIN / 2.0, self.centre(i * self.columns.len()).1 + 6.5, name, look);
        }
    }

    fn draw_owners(&self, svg: &mut Svg) {
        for (field, owner) in self.owners.iter().enumerate().filter(|(_, owner)| owner.abs() >= 0.05) {
            let black = *owner > 0.0;
            let disc = self.discs.get(field).copied().flatten();
            // A disc that lives says so itself; on one that will be taken stands its owner.
            if disc.is_some_and(|colour| (colour == Colour::Black) == black) {
                continue;
            }
            let (x, y) = self.centre(field);
            let side = FIELD * if disc.is_some() { 0.36 } else { 0.5 } * owner.abs().min(1.0).sqrt();
            let colour = if black { "#000000" } else { "#ffffff" };
            let paint = Paint::fill(colour).edged("#777777", 0.8).see_through(0.75);
            svg.rect(x - side / 2.0, y - side / 2.0, side, side, paint);
        }
    }

    fn disc(&self, svg: &mut Svg, field: usize, colour: Colour) {
        let (x, y) = self.centre(field);
        let radius = if self.grid == Grid::Squares { FIELD * 0.42 } else { FIELD * 0.47 };
        let paint = match colour {
            Colour::Black => Paint::fill("#101010").edged("#000000", 1.5),
            Colour::White => Paint::fill("#fcfcfc").edged("#222222", 1.5),
        };
        svg.circle(x, y, radius, paint);
    }

    fn draw_on_discs(&self, svg: &mut Svg, palette: &Palette) {
        for &field in &self.stable {
            let (x, y) = self.centre(field);
            svg.circle(x, y, FIELD * 0.34, Paint::stroke(palette.stable, 3.5));
        }
        for &(field, number) in &self.order {
            let (x, y) = self.centre(field);
            let text = number.to_string();
            let size = if text.len() > 2 { 20.0 } else { 25.0 };
            svg.text(x, y + size * 0.36, &text, Type::new(size, self.contrast(field, palette), Anchor::Middle).bold());
        }
        if let Some(last) = self.last {
            let (x, y) = self.centre(last);
            match self.order.iter().any(|&(field, _)| field == last) {
                true => svg.circle(x, y, FIELD * 0.385, Paint::stroke(palette.last, 3.0)),
                false => svg.circle(x, y, FIELD * 0.12, Paint::fill(palette.last).edged("#ffffff", 1.5)),
            };
        }
    }

    /// A colour that is seen on what lies in the field.
    fn contrast(&self, field: usize, palette: &Palette) -> &'static str {
        match self.discs.get(field).copied().flatten() {
            Some(Colour::Black) => "#ffffff",
            Some(Colour::White) => "#000000",
            None => palette.ink,
        }
    }

    fn draw_on_empty(&self, svg: &mut Svg, palette: &Palette) {
        let valued = |field: usize| self.values.iter().any(|(at, _)| *at == field);
        for &field in self.legal.iter().filter(|&&field| !valued(field)) {
            let (x, y) = self.centre(field);
            svg.circle(x, y, FIELD * 0.1, Paint::fill(palette.best_field).edged(palette.ink, 1.0));
        }
        for (field, value) in &self.values {
            self.value(svg, palette, *field, value);
        }
        if let Some((next, colour)) = self.next {
            let (x, y) = self.centre(next);
            let (fill, edge) = if colour == Colour::Black { ("#101010", "#000000") } else { ("#fcfcfc", "#222222") };
            // Beside a value the next move is a small disc in the corner.
            let (x, y, radius) = if valued(next) { (x + 21.0, y - 21.0, 5.5) } else { (x, y, FIELD * 0.2) };
            svg.circle(x, y, radius, Paint::fill(fill).edged(edge, 1.5));
        }
    }

    fn value(&self, svg: &mut Svg, palette: &Palette, field: usize, value: &Value) {
        let (x, y) = self.centre(field);
        let ink = if value.best { palette.best } else { palette.ink };
        if value.best {
            let (side, paint) = (FIELD - 8.0, Paint::fill(palette.best_field).edged(palette.best, 3.0));
            svg.rect(x - side / 2.0, y - side / 2.0, side, side, paint);
        } else if self.grid == Grid::Points {
            svg.circle(x, y, FIELD * 0.38, Paint::fill(palette.field));
        }
        let lines = value.notes.len().min(3) as f64;
        let size = 18.0;
        // Three lines of notes need all the room there is.
        let (step, lift) = if lines > 2.0 { (10.5, 11.5) } else { (12.0, 5.5 * lines) };
        let look = Type::new(size, ink, Anchor::Middle);
        let look = if value.best { look.bold() } else { look };
        let top = y + size * 0.36 - lift - if lines > 2.0 { 6.0 } else { 0.0 };
        svg.text(x, top, &value.text, look);
        for (i, note) in value.notes.iter().take(3).enumerate() {
            let look = Type::new(10.0, ink, Anchor::Middle);
            svg.text(x, top + step * (i + 1) as f64 + 1.5, note, look);
        }
    }

    fn mark(&self, svg: &mut Svg, palette: &Palette, mark: &Mark) {
        match mark {
            Mark::Shape(field, shape) => self.shape(svg, palette, *field, *shape),
            Mark::Label(field, text) => {
                let (x, y) = self.centre(*field);
                let size = if text.chars().count() > 2 { 17.0 } else { 27.0 };
                // A letter on crossing lines needs a ground of its own.
                if self.grid == Grid::Points && self.discs.get(*field).copied().flatten().is_none() {
                    svg.circle(x, y, FIELD * 0.36, Paint::fill(palette.field));
                }
                let look = Type::new(size, self.contrast(*field, palette), Anchor::Middle).bold();
                svg.text(x, y + size * 0.36, text, look);
            }
            Mark::Arrow(from, to) => arrow(svg, self.centre(*from), self.centre(*to), palette.mark),
        }
    }

    fn shape(&self, svg: &mut Svg, palette: &Palette, field: usize, shape: Shape) {
        let (x, y) = self.centre(field);
        let r = FIELD * 0.24;
        let mono = self.theme == Theme::Mono;
        let colour = if mono { self.contrast(field, palette) } else { palette.mark };
        let paint = Paint::stroke(colour, 4.0);
        match shape {
            Shape::Circle => svg.circle(x, y, r, paint),
            Shape::Filled => svg.circle(x, y, r * 0.8, Paint::fill(colour)),
            Shape::Square => svg.rect(x - r, y - r, 2.0 * r, 2.0 * r, paint),
            Shape::Triangle => svg.polygon(&[(x, y - r * 1.1), (x + r, y + r * 0.75), (x - r, y + r * 0.75)], paint),
            Shape::Cross => svg.line((x - r, y - r), (x + r, y + r), paint).line((x - r, y + r), (x + r, y - r), paint),
        };
    }
}

/// From the middle of a field to the middle of another, with a light edge so that it is seen on any ground.
fn arrow(svg: &mut Svg, from: (f64, f64), to: (f64, f64), colour: &str) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 1.0 {
        return;
    }
    let (ux, uy) = (dx / length, dy / length);
    let at = |along: f64, aside: f64| (from.0 + ux * along - uy * aside, from.1 + uy * along + ux * aside);
    let neck = length - 20.0;
    let outline = [
        at(8.0, 3.0),
        at(neck, 3.0),
        at(neck, 11.0),
        at(length - 2.0, 0.0),
        at(neck, -11.0),
        at(neck, -3.0),
        at(8.0, -3.0),
    ];
    svg.polygon(&outline, Paint::fill(colour).edged("#ffffff", 1.5));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        let name = |i: usize| char::from(b'a' + i as u8).to_string();
        let mut discs = vec![None; 9];
        discs[4] = Some(Colour::Black);
        Board {
            columns: (0..3).map(name).collect(),
            rows: (1..=3).map(|i| i.to_string()).collect(),
            discs,
            ..Board::default()
        }
    }

    #[test]
    fn everything_asked_for_is_in_the_picture() {
        let value = |text: &str, best| Value { text: text.into(), best, notes: vec!["12".into()] };
        let full = Board {
            order: vec![(4, 7)],
            last: Some(4),
            next: Some((0, Colour::White)),
            legal: vec![1, 2],
            stable: vec![4],
            values: vec![(0, value("+3", true)), (1, value("-1", false))],
            owners: vec![0.0, 0.0, 1.0],
            marks: vec![Mark::Shape(3, Shape::Cross), Mark::Label(5, "あ".into()), Mark::Arrow(6, 8)],
            caption: "black to move".into(),
            ..board()
        };
        let text = full.draw().document();
        for said in [">7<", ">+3<", ">-1<", ">12<", ">あ<", ">black to move<", ">c<", "<polygon"] {
            assert!(text.contains(said), "{said} in {text}");
        }
        assert!(text.len() > board().draw().document().len());
        assert_eq!(text.matches("font-weight=\"bold\"").count(), 3, "the order, the best value and the label");
    }

    #[test]
    fn a_disc_that_will_be_taken_shows_its_owner() {
        let squares = |owner: f64| {
            let mut owners = vec![0.0; 9];
            owners[4] = owner;
            Board { owners, ..board() }.draw().document().matches("<rect").count()
        };
        assert_eq!(squares(1.0), squares(0.0), "black's own disc");
        assert_eq!(squares(-0.9), squares(0.0) + 1);
    }

    #[test]
    fn print_has_no_colours() {
        let marks = Shape::ALL.iter().enumerate().map(|(i, (_, shape))| Mark::Shape(i, *shape)).collect();
        let mono = Board { theme: Theme::Mono, last: Some(4), stable: vec![4], legal: vec![1], marks, ..board() };
        let text = mono.draw().document();
        for colour in text.split('#').skip(1).map(|rest| &rest[..6]) {
            assert_eq!((&colour[..2], &colour[2..4]), (&colour[2..4], &colour[4..6]), "{colour} is a grey");
        }
    }
}
