//! Plots as SVG.

use crate::base::svg::chart::{Chart, Dots, Line};

/// A line and its name.
type Named = (&'static str, Vec<(f64, f64)>);

/// A picture of some lines over common axes.
#[derive(Debug, Default)]
pub struct Plot {
    pub title: &'static str,
    pub x: &'static str,
    pub y: &'static str,
    pub lines: Vec<Named>,
    /// Equal steps up are equal factors; only positive numbers have a place then.
    pub by_factors: bool,
}

impl Plot {
    const COLOURS: [&'static str; 3] = ["#1b6ca8", "#c0392b", "#27874a"];

    pub fn to_svg(&self) -> String {
        let height = |y: f64| if self.by_factors { y.ln() } else { y };
        let line = |(i, (name, points)): (usize, &Named)| Line {
            name,
            points: points.iter().map(|&(x, y)| (x, height(y))).filter(|point| point.1.is_finite()).collect(),
            colour: Plot::COLOURS[i % Plot::COLOURS.len()],
            dash: [None, Some("7 4"), Some("2 3")][i % 3],
            dots: Dots::None,
        };
        let chart = Chart {
            title: self.title,
            x: self.x,
            y: self.y,
            size: (640.0, 400.0),
            lines: self.lines.iter().enumerate().map(line).collect(),
            label: self.by_factors.then_some(|y| significant(y.exp())),
            ..Chart::default()
        };
        chart.draw().document()
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
        let points = svg.split("points=\"").nth(2).unwrap().split('"').next().unwrap();
        assert_eq!(points, "56,352 340,44 624,198");
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
        let points = svg.split("points=\"").nth(2).unwrap().split('"').next().unwrap();
        assert_eq!(points, "56,352 340,198 624,44");
        assert!([">20<", ">21<", ">22<", ">1.0<"].iter().all(|label| svg.contains(label)), "{svg}");
    }
}
