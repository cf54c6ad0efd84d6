//! Lines over common axes.

use super::{Anchor, Paint, Svg, Type, number};

/// A picture of some lines. Lines differ by dashes and marks as well as by colours.
#[derive(Debug, Clone, Default)]
pub struct Chart<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub size: (f64, f64),
    pub lines: Vec<Line<'a>>,
    /// Stretches of the x axis with a name, behind the lines.
    pub bands: Vec<Band<'a>>,
    /// What of the axes has to be seen in any case.
    pub least: Option<Area>,
    /// The labels of the y axis, if they are not plain numbers.
    pub label: Option<fn(f64) -> String>,
    /// Whole steps of the y axis only.
    pub whole: bool,
    pub ground: &'a str,
    pub ink: &'a str,
}

#[derive(Debug, Clone, Default)]
pub struct Line<'a> {
    pub name: &'a str,
    pub points: Vec<(f64, f64)>,
    pub colour: &'a str,
    pub dash: Option<&'a str>,
    pub dots: Dots,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dots {
    #[default]
    None,
    Filled,
    Open,
}

#[derive(Debug, Clone)]
pub struct Band<'a> {
    pub name: &'a str,
    pub from: f64,
    pub to: f64,
    pub colour: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    pub x: (f64, f64),
    pub y: (f64, f64),
}

const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 48.0;

impl Chart<'_> {
    /// What is seen of the plane.
    pub fn area(&self) -> Area {
        let points = || self.lines.iter().flat_map(|line| &line.points).filter(|p| p.0.is_finite() && p.1.is_finite());
        let range = |least: Option<(f64, f64)>, of: fn(&(f64, f64)) -> f64| {
            let start = least.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
            let (low, high) = points().map(of).fold(start, |(low, high), v| (low.min(v), high.max(v)));
            if low < high { (low, high) } else { (0.0, 1.0) }
        };
        Area { x: range(self.least.map(|area| area.x), |p| p.0), y: range(self.least.map(|area| area.y), |p| p.1) }
    }

    /// Where a point of the plane is in the picture.
    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (area, (width, height)) = (self.area(), self.size);
        let part = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
        (LEFT + part(x, area.x) * (width - LEFT - RIGHT), height - BOTTOM - part(y, area.y) * (height - TOP - BOTTOM))
    }

    pub fn draw(&self) -> Svg {
        let mut svg = Svg::new(self.size.0, self.size.1).titled(self.title);
        svg.background(if self.ground.is_empty() { "#ffffff" } else { self.ground });
        self.draw_bands(&mut svg);
        self.draw_axes(&mut svg);
        for line in &self.lines {
            self.draw_line(&mut svg, line);
        }
        self.draw_names(&mut svg);
        svg
    }

    fn ink(&self) -> &str {
        if self.ink.is_empty() { "#222222" } else { self.ink }
    }

    fn draw_bands(&self, svg: &mut Svg) {
        let area = self.area();
        for band in &self.bands {
            let (left, top) = self.place((band.from.max(area.x.0), area.y.1));
            let (right, bottom) = self.place((band.to.min(area.x.1), area.y.0));
            if right > left {
                svg.rect(left, top, right - left, bottom - top, Paint::fill(band.colour));
                if right - left > 7.0 * band.name.chars().count() as f64 {
                    let look = Type::new(11.0, self.ink(), Anchor::Middle);
                    svg.text(f64::midpoint(left, right), top + 14.0, band.name, look);
                }
            }
        }
    }

    fn draw_axes(&self, svg: &mut Svg) {
        let (area, ink) = (self.area(), self.ink());
        let small = |anchor| Type::new(12.0, ink, anchor);
        for x in ticks(area.x, 10.0, true) {
            let (px, py) = self.place((x, area.y.0));
            svg.line((px, py), (px, py + 4.0), Paint::stroke(ink, 1.0));
            svg.text(px, py + 18.0, &number(x), small(Anchor::Middle));
        }
        for y in ticks(area.y, 6.0, self.whole) {
            let (px, py) = self.place((area.x.0, y));
            let (right, _) = self.place((area.x.1, y));
            let paint = if y == 0.0 { Paint::stroke(ink, 1.2) } else { Paint::stroke("#999999", 0.6).dashed("2 3") };
            svg.line((px, py), (right, py), paint);
            let text = self.label.map_or_else(|| number(y), |label| label(y));
            svg.text(px - 8.0, py + 4.0, &text, small(Anchor::End));
        }
        let (left, bottom) = self.place((area.x.0, area.y.0));
        let (right, top) = self.place((area.x.1, area.y.1));
        svg.polyline(&[(left, top), (left, bottom), (right, bottom)], Paint::stroke(ink, 1.0));
        svg.text(self.size.0 / 2.0, 16.0, self.title, small(Anchor::Middle).bold());
        svg.text(self.size.0 / 2.0, self.size.1 - 8.0, self.x, small(Anchor::Middle));
        svg.text(8.0, TOP - 12.0, self.y, small(Anchor::Start));
    }

    fn draw_line(&self, svg: &mut Svg, line: &Line) {
        let points: Vec<(f64, f64)> = line.points.iter().map(|&point| self.place(point)).collect();
        let paint = Paint { dash: line.dash, ..Paint::stroke(line.colour, 2.2) };
        svg.polyline(&points, paint);
        for &(x, y) in &points {
            match line.dots {
                Dots::None => continue,
                Dots::Filled => svg.circle(x, y, 2.8, Paint::fill(line.colour)),
                Dots::Open => svg.circle(x, y, 2.8, Paint::fill("#ffffff").edged(line.colour, 1.4)),
            };
        }
    }

    fn draw_names(&self, svg: &mut Svg) {
        let mut right = self.size.0 - RIGHT;
        for line in self.lines.iter().rev().filter(|line| !line.name.is_empty()) {
            let width = 7.4 * line.name.chars().count() as f64;
            svg.text(right, TOP - 12.0, line.name, Type::new(12.0, self.ink(), Anchor::End));
            let (from, to) = (right - width - 28.0, right - width - 6.0);
            let y = TOP - 16.0;
            svg.line((from, y), (to, y), Paint { dash: line.dash, ..Paint::stroke(line.colour, 2.2) });
            right = from - 14.0;
        }
    }
}

/// Round numbers of a range, some `wanted` of them.
fn ticks((low, high): (f64, f64), wanted: f64, whole: bool) -> Vec<f64> {
    let rough = (high - low) / wanted;
    if !(rough.is_finite() && rough > 0.0) {
        return vec![];
    }
    let scale = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * scale).find(|step| *step >= rough).unwrap_or(rough);
    let step = if whole { step.max(1.0) } else { step };
    let first = (low / step).ceil() as i64;
    (first..).map(|i| i as f64 * step).take_while(|v| *v <= high + step * 1e-9).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> Chart<'static> {
        let line = Line { name: "first", points, colour: "#1b6ca8", ..Line::default() };
        Chart { title: "T", x: "across", y: "up", size: (640.0, 400.0), lines: vec![line], ..Chart::default() }
    }

    #[test]
    fn a_chart_holds_every_point_and_name() {
        let chart = chart(vec![(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)]);
        let text = chart.draw().document();
        assert!(
            ["T", "across", "up", "first", "0", "1", "2", "3"].iter().all(|w| text.contains(&format!(">{w}</text>")))
        );
        assert!(text.contains("points=\"56,352 340,44 624,198\""), "{text}");
    }

    #[test]
    fn a_chart_of_nothing_is_still_a_chart() {
        for points in [vec![], vec![(1.0, 1.0)], vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)]] {
            let text = chart(points).draw().document();
            assert!(text.ends_with("</svg>\n") && !text.contains("NaN") && !text.contains("inf"));
        }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks((0.0, 60.0), 10.0, true), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        assert_eq!(ticks((-7.0, 5.0), 6.0, true), [-6.0, -4.0, -2.0, 0.0, 2.0, 4.0]);
        assert_eq!(ticks((0.0, 1.0), 6.0, true), [0.0, 1.0]);
        assert_eq!(ticks((0.0, f64::INFINITY), 6.0, true), [0.0; 0]);
    }
}
