//! Pictures as SVG: shapes and text in user units, escaped; and the same pictures as PNG.

pub mod board;
pub mod chart;
pub mod png;

use std::{
    collections::BTreeSet,
    fmt::{Display, Write},
};

/// The fonts a viewer should use; the PNG renderer ships the first.
pub const FONT: &str = "DejaVu Sans, Verdana, sans-serif";

/// A picture that is being drawn. Later shapes cover earlier ones.
#[derive(Debug, Clone)]
pub struct Svg {
    width: f64,
    height: f64,
    title: String,
    body: String,
    /// The characters of its texts.
    letters: BTreeSet<char>,
}

/// How a shape is painted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paint<'a> {
    pub fill: Option<&'a str>,
    pub stroke: Option<&'a str>,
    /// Width of the stroke in user units.
    pub width: f64,
    /// Lengths of dashes and gaps, as SVG has them.
    pub dash: Option<&'a str>,
    /// From 0 (not seen) to 1; 0 is taken for 1, so that the default is opaque.
    pub opacity: f64,
}

impl<'a> Paint<'a> {
    pub fn fill(colour: &'a str) -> Paint<'a> {
        Paint { fill: Some(colour), ..Paint::default() }
    }

    pub fn stroke(colour: &'a str, width: f64) -> Paint<'a> {
        Paint { stroke: Some(colour), width, ..Paint::default() }
    }

    pub fn edged(self, colour: &'a str, width: f64) -> Paint<'a> {
        Paint { stroke: Some(colour), width, ..self }
    }

    pub fn dashed(self, dash: &'a str) -> Paint<'a> {
        Paint { dash: Some(dash), ..self }
    }

    pub fn see_through(self, opacity: f64) -> Paint<'a> {
        Paint { opacity, ..self }
    }

    fn attributes(&self, out: &mut String) {
        let mut put = |name: &str, value: &dyn Display| _ = write!(out, " {name}=\"{value}\"");
        put("fill", &self.fill.unwrap_or("none"));
        if let Some(stroke) = self.stroke {
            put("stroke", &stroke);
            put("stroke-width", &number(self.width));
        }
        if let Some(dash) = self.dash {
            put("stroke-dasharray", &dash);
        }
        if self.opacity > 0.0 && self.opacity < 1.0 {
            put("opacity", &number(self.opacity));
        }
    }
}

/// Where a text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub struct Type<'a> {
    pub size: f64,
    pub colour: &'a str,
    pub bold: bool,
    pub anchor: Anchor,
}

impl<'a> Type<'a> {
    pub fn new(size: f64, colour: &'a str, anchor: Anchor) -> Type<'a> {
        Type { size, colour, bold: false, anchor }
    }

    pub fn bold(self) -> Type<'a> {
        Type { bold: true, ..self }
    }
}

impl Svg {
    pub fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, title: String::new(), body: String::new(), letters: BTreeSet::new() }
    }

    /// What a screen reader says, and a tooltip shows.
    pub fn titled(mut self, title: &str) -> Svg {
        self.title = title.into();
        self
    }

    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    pub fn background(&mut self, colour: &str) -> &mut Svg {
        self.rect(0.0, 0.0, self.width, self.height, Paint::fill(colour))
    }

    fn shape(&mut self, name: &str, attributes: &[(&str, &dyn Display)], paint: Paint) -> &mut Svg {
        self.open(name, attributes);
        paint.attributes(&mut self.body);
        self.body.push_str("/>\n");
        self
    }

    /// `<name a="…"`, still open.
    fn open(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        let _ = write!(self.body, "<{name}");
        for (name, value) in attributes {
            let _ = write!(self.body, " {name}=\"{}\"", escape(&value.to_string()));
        }
    }

    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, paint: Paint) -> &mut Svg {
        let [x, y, width, height] = [x, y, width, height].map(number);
        self.shape("rect", &[("x", &x), ("y", &y), ("width", &width), ("height", &height)], paint)
    }

    pub fn circle(&mut self, x: f64, y: f64, radius: f64, paint: Paint) -> &mut Svg {
        let [x, y, r] = [x, y, radius].map(number);
        self.shape("circle", &[("cx", &x), ("cy", &y), ("r", &r)], paint)
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), paint: Paint) -> &mut Svg {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        self.shape("line", &[("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)], paint)
    }

    pub fn polyline(&mut self, points: &[(f64, f64)], paint: Paint) -> &mut Svg {
        self.shape("polyline", &[("points", &list(points)), ("stroke-linejoin", &"round")], paint)
    }

    pub fn polygon(&mut self, points: &[(f64, f64)], paint: Paint) -> &mut Svg {
        self.shape("polygon", &[("points", &list(points))], paint)
    }

    pub fn text(&mut self, x: f64, y: f64, text: &str, look: Type) -> &mut Svg {
        let anchor = match look.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let [x, y, size] = [x, y, look.size].map(number);
        self.open("text", &[("x", &x), ("y", &y), ("font-size", &size), ("fill", &look.colour)]);
        if anchor != "start" {
            let _ = write!(self.body, " text-anchor=\"{anchor}\"");
        }
        if look.bold {
            self.body.push_str(" font-weight=\"bold\"");
        }
        let text = escape(text);
        self.letters.extend(text.chars());
        let _ = writeln!(self.body, ">{text}</text>");
        self
    }

    /// Shapes that belong together, with attributes for the page they are in, and what a pointer on them shows.
    pub fn group(&mut self, attributes: &[(&str, &dyn Display)], tip: &str, draw: impl FnOnce(&mut Svg)) -> &mut Svg {
        self.open("g", attributes);
        self.body.push_str(">\n");
        if !tip.is_empty() {
            let _ = writeln!(self.body, "<title>{}</title>", escape(tip));
        }
        draw(self);
        self.body.push_str("</g>\n");
        self
    }

    /// Another picture at this place, in its own size.
    pub fn place(&mut self, picture: &Svg, x: f64, y: f64) -> &mut Svg {
        let place = format!("translate({} {})", number(x), number(y));
        self.letters.extend(&picture.letters);
        let body = picture.body.clone();
        self.group(&[("transform", &place)], &picture.title, |svg| svg.body.push_str(&body))
    }

    /// The document, as wide as it was drawn.
    pub fn document(&self) -> String {
        let [width, height] = [self.width, self.height].map(number);
        self.write(&format!(" width=\"{width}\" height=\"{height}\""))
    }

    /// The element for a page, which fills the width it is given.
    pub fn element(&self, attributes: &str) -> String {
        let space = if attributes.is_empty() { "" } else { " " };
        self.write(&format!("{space}{attributes}"))
    }

    fn write(&self, attributes: &str) -> String {
        let [width, height] = [self.width, self.height].map(number);
        let title = match self.title.as_str() {
            "" => String::new(),
            title => format!("<title>{}</title>\n", escape(title)),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\"{attributes} viewBox=\"0 0 {width} {height}\" role=\"img\" \
             font-family=\"{FONT}\">\n{title}{}</svg>\n",
            self.body
        )
    }
}

fn list(points: &[(f64, f64)]) -> String {
    let pairs: Vec<String> = points.iter().map(|&(x, y)| format!("{},{}", number(x), number(y))).collect();
    pairs.join(" ")
}

/// At most two decimals; what is no number is 0, so that a picture stays one.
pub fn number(x: f64) -> String {
    if !x.is_finite() {
        return "0".into();
    }
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Text as XML and HTML want it. Control characters, which XML cannot hold, become blanks.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            '\u{FFFE}' | '\u{FFFF}' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_texts_are_written_once_and_escaped() {
        let mut svg = Svg::new(100.0, 50.0).titled("a < b");
        svg.background("#fff").circle(10.0, 1.0 / 3.0, f64::NAN, Paint::stroke("red", 2.0).dashed("3 2"));
        svg.text(5.0, 6.5, "«\"x\" & y\u{7}»", Type::new(12.0, "#111", Anchor::Middle).bold());
        svg.group(&[("data-ply", &3)], "third", |svg| _ = svg.polyline(&[(0.0, 1.0), (2.5, -0.001)], Paint::default()));
        expect_test::expect![[r##"
            <svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100 50" role="img" font-family="DejaVu Sans, Verdana, sans-serif">
            <title>a &lt; b</title>
            <rect x="0" y="0" width="100" height="50" fill="#fff"/>
            <circle cx="10" cy="0.33" r="0" fill="none" stroke="red" stroke-width="2" stroke-dasharray="3 2"/>
            <text x="5" y="6.5" font-size="12" fill="#111" text-anchor="middle" font-weight="bold">«&quot;x&quot; &amp; y »</text>
            <g data-ply="3">
            <title>third</title>
            <polyline points="0,1 2.5,0" stroke-linejoin="round" fill="none"/>
            </g>
            </svg>
        "##]]
        .assert_eq(&svg.document());
    }
}
