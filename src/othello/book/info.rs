//! What a book holds, counted: by level, by ply, by value; as numbers and as a picture.

use super::{
    entry::{Level, ply},
    store::Store,
};
use std::{collections::BTreeMap, fmt::Write};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Info {
    pub positions: u64,
    pub leaves: u64,
    pub by_level: BTreeMap<Level, u64>,
    pub by_ply: BTreeMap<u32, u64>,
    /// By value for the side to move.
    pub by_value: BTreeMap<i8, u64>,
    /// Changed since the last save.
    pub changed: bool,
    pub file: Option<std::path::PathBuf>,
    /// Damaged blocks met so far.
    pub damaged: usize,
}

impl Info {
    pub fn of(store: &Store) -> Info {
        let mut info = Info { changed: store.is_changed(), ..Info::default() };
        for entry in store.iter() {
            info.positions += 1;
            info.leaves += u64::from(entry.leaf.is_some());
            *info.by_level.entry(entry.level).or_default() += 1;
            *info.by_ply.entry(ply(entry.board)).or_default() += 1;
            *info.by_value.entry(entry.value).or_default() += 1;
        }
        info.damaged = store.damaged();
        info
    }

    /// Three bar charts one below the other.
    pub fn svg(&self) -> String {
        let levels: Vec<(String, u64)> = self.by_level.iter().map(|(level, n)| (level.to_string(), *n)).collect();
        let plies: Vec<(String, u64)> = filled(&self.by_ply).map(|(ply, n)| (ply.to_string(), n)).collect();
        let values: Vec<(String, u64)> = self.by_value.iter().map(|(value, n)| (value.to_string(), *n)).collect();
        let charts = [("positions by level", levels), ("positions by ply", plies), ("positions by value", values)];
        let height = charts.len() * CHART_HEIGHT;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
             viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"10\">\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        for (i, (title, bars)) in charts.iter().enumerate() {
            chart(&mut svg, i * CHART_HEIGHT, title, bars);
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Every ply up to the last, also those without positions.
fn filled(counts: &BTreeMap<u32, u64>) -> impl Iterator<Item = (u32, u64)> + '_ {
    let last = counts.keys().next_back().copied();
    last.into_iter().flat_map(|last| 0..=last).map(|ply| (ply, counts.get(&ply).copied().unwrap_or(0)))
}

const WIDTH: usize = 900;
const CHART_HEIGHT: usize = 220;
const LEFT: f64 = 70.0;
const TOP: f64 = 30.0;
const BARS_HEIGHT: f64 = 150.0;

fn chart(svg: &mut String, top: usize, title: &str, bars: &[(String, u64)]) {
    let top = top as f64 + TOP;
    let most = bars.iter().map(|bar| bar.1).max().unwrap_or(0).max(1);
    let step = (WIDTH as f64 - LEFT - 20.0) / bars.len().max(1) as f64;
    let bottom = top + BARS_HEIGHT;
    // Writing to a string cannot fail.
    let mut line = |text: std::fmt::Arguments| _ = svg.write_fmt(format_args!("{text}\n"));
    line(format_args!("<text x=\"{LEFT}\" y=\"{:.1}\" font-size=\"13\">{title}</text>", top - 10.0));
    line(format_args!("<text x=\"{:.1}\" y=\"{top:.1}\" text-anchor=\"end\">{most}</text>", LEFT - 5.0));
    line(format_args!("<path d=\"M{LEFT} {top:.1}V{bottom:.1}H{}\" fill=\"none\" stroke=\"black\"/>", WIDTH - 20));
    // Labels need some 24 units each.
    let every = (24.0 / step).ceil().max(1.0) as usize;
    for (i, (name, count)) in bars.iter().enumerate() {
        let height = BARS_HEIGHT * *count as f64 / most as f64;
        let x = LEFT + i as f64 * step;
        let (y, width) = (bottom - height, (step * 0.85).min(40.0));
        line(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#2a7\"><title>{name}: {count}</title></rect>"
        ));
        if i % every == 0 {
            let (x, y) = (x + width / 2.0, bottom + 13.0);
            line(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{name}</text>"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{Table, synth};

    #[test]
    fn everything_is_counted_once() {
        let store = Store::new(Table::of_entries(synth::entries(1 + 1 + 3 + 14 + 60, 1), 0));
        let info = Info::of(&store);
        assert_eq!(info.by_ply, BTreeMap::from([(0, 1), (1, 1), (2, 3), (3, 14), (4, 60)]));
        assert_eq!(info.by_level.values().sum::<u64>(), info.positions);
        assert_eq!(info.by_value.values().sum::<u64>(), 79);
        let svg = info.svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("<title>4: 60</title>"));
        assert!(Info::default().svg().ends_with("</svg>\n"), "also for an empty book");
    }
}
