//! Plots as SVG.

use std::fmt::Write;

/// A picture of some lines over common axes.
#[derive(Debug, Default)]
pub struct Plot {
    pub title: &'static str,
    pub x: &'static str,
    pub y: &'static str,
    pub lines: Vec<(&'static str, Vec<(f64, f64)>)>,
    /// Equal steps up are equal factors; only positive numbers have a place then.
    pub by_factors: bool,
}

impl Plot {
    const SIZE: (f64, f64) = (640.0, 400.0);
    const MARGIN: f64 = 56.0;
    const COLOURS: [&'static str; 3] = ["#1b6ca8", "#c0392b", "#27874a"];

    pub fn to_svg(&self) -> String {
        if self.by_factors {
            return self.logarithms().draw(|y| significant(y.exp()));
        }
        self.draw(|y| format!("{y:.1}"))
    }

    /// The same with the logarithms of what goes up.
    fn logarithms(&self) -> Plot {
        let taken = |points: &Vec<(f64, f64)>| points.iter().filter(|p| p.1 > 0.0).map(|p| (p.0, p.1.ln())).collect();
        Plot { lines: self.lines.iter().map(|(name, points)| (*name, taken(points))).collect(), ..*self }
    }

    fn draw(&self, label: fn(f64) -> String) -> String {
        let (width, height) = Plot::SIZE;
        let ((x0, x1), (y0, y1)) = (self.range(|p| p.0), self.range(|p| p.1));
        let px = |x: f64| Plot::MARGIN + (x - x0) / (x1 - x0) * (width - 2.0 * Plot::MARGIN);
        let py = |y: f64| height - Plot::MARGIN - (y - y0) / (y1 - y0) * (height - 2.0 * Plot::MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        let mut text = |x: f64, y: f64, anchor: &str, words: &str| {
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
        };
        text(width / 2.0, 24.0, "middle", self.title);
        text(width / 2.0, height - 12.0, "middle", self.x);
        text(8.0, Plot::MARGIN - 16.0, "start", self.y);
        // A short way between whole numbers is marked at each of them.
        let steps = if (x1 - x0).fract() == 0.0 && x1 - x0 <= 10.0 { x1 - x0 } else { 5.0 };
        for i in 0..=steps as u32 {
            let x = x0 + (x1 - x0) * f64::from(i) / steps;
            text(px(x), height - Plot::MARGIN + 18.0, "middle", &format!("{x:.0}"));
        }
        for i in 0..=5 {
            let y = y0 + (y1 - y0) * f64::from(i) / 5.0;
            text(Plot::MARGIN - 8.0, py(y) + 4.0, "end", &label(y));
        }
        for (i, (name, _)) in self.lines.iter().enumerate() {
            text(width - 8.0, Plot::MARGIN + 16.0 * i as f64, "end", name);
        }
        let (left, right, top, bottom) = (px(x0), px(x1), py(y1), py(y0));
        let _ = writeln!(svg, "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#888\"/>");
        for (i, (_, points)) in self.lines.iter().enumerate() {
            let colour = Plot::COLOURS[i % Plot::COLOURS.len()];
            let path: Vec<String> = points.iter().map(|&(x, y)| format!("{:.1},{:.1}", px(x), py(y))).collect();
            let path = path.join(" ");
            let _ = writeln!(svg, "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
            let (x, y) = (width - 4.0, Plot::MARGIN + 16.0 * i as f64 - 4.0);
            let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>");
        }
        svg + "</svg>\n"
    }

    /// From the least to the greatest coordinate, never empty.
    fn range(&self, coordinate: fn(&(f64, f64)) -> f64) -> (f64, f64) {
        let all = || self.lines.iter().flat_map(|(_, points)| points).map(coordinate);
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        if low < high { (low, high) } else { (0.0, 1.0) }
    }
}

/// Two digits, whatever the size.
fn significant(value: f64) -> String {
    match value {
        v if v >= 10.0 => format!("{v:.0}"),
        v if v >= 1.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_holds_every_point_and_name() {
        let line = vec![(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)];
        let svg = Plot { title: "T", x: "across", y: "up", lines: vec![("first", line)], ..Plot::default() }.to_svg();
        assert!(["T", "across", "up", "first"].iter().all(|w| svg.contains(&format!(">{w}</text>"))));
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(points, "56.0,344.0 320.0,56.0 584.0,200.0");
    }

    #[test]
    fn a_plot_of_nothing_is_still_a_plot() {
        let svg = Plot { title: "T", x: "x", y: "y", lines: vec![("none", Vec::new())], ..Plot::default() }.to_svg();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn equal_factors_are_equal_steps() {
        let line = vec![(20.0, 0.5), (21.0, 0.0), (21.0, 1.0), (22.0, 2.0)];
        let plot = Plot { lines: vec![("growth", line)], by_factors: true, ..Plot::default() };
        let svg = plot.to_svg();
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(points, "56.0,344.0 320.0,200.0 584.0,56.0");
        assert!([">20<", ">21<", ">22<", ">0.50<", ">2.0<"].iter().all(|label| svg.contains(label)), "{svg}");
    }
}
