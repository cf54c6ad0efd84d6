//! What a book holds, counted: by level, by ply, by value; as numbers and as a picture.

use super::{
    entry::{Level, ply},
    store::Store,
};
use crate::base::svg::{Anchor, Paint, Svg, Type};
use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

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
    /// `None`: stopped.
    pub fn of(store: &Store, stop: &AtomicBool) -> Option<Info> {
        let mut info = Info { changed: store.is_changed(), ..Info::default() };
        for entry in store.iter() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            info.positions += 1;
            info.leaves += u64::from(entry.leaf.is_some());
            *info.by_level.entry(entry.level).or_default() += 1;
            *info.by_ply.entry(ply(entry.board)).or_default() += 1;
            *info.by_value.entry(entry.value).or_default() += 1;
        }
        info.damaged = store.damaged();
        Some(info)
    }

    /// Three bar charts one below the other.
    pub fn svg(&self) -> String {
        let levels: Vec<(String, u64)> = self.by_level.iter().map(|(level, n)| (level.to_string(), *n)).collect();
        let plies: Vec<(String, u64)> = filled(&self.by_ply).map(|(ply, n)| (ply.to_string(), n)).collect();
        let values: Vec<(String, u64)> = self.by_value.iter().map(|(value, n)| (value.to_string(), *n)).collect();
        let charts = [("positions by level", levels), ("positions by ply", plies), ("positions by value", values)];
        let mut svg = Svg::new(WIDTH, charts.len() as f64 * CHART_HEIGHT);
        svg.background("white");
        for (i, (title, bars)) in charts.iter().enumerate() {
            chart(&mut svg, i as f64 * CHART_HEIGHT, title, bars);
        }
        svg.document()
    }
}

/// Every ply up to the last, also those without positions.
fn filled(counts: &BTreeMap<u32, u64>) -> impl Iterator<Item = (u32, u64)> + '_ {
    let last = counts.keys().next_back().copied();
    last.into_iter().flat_map(|last| 0..=last).map(|ply| (ply, counts.get(&ply).copied().unwrap_or(0)))
}

const WIDTH: f64 = 900.0;
const CHART_HEIGHT: f64 = 220.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 30.0;
const BARS_HEIGHT: f64 = 150.0;

fn chart(svg: &mut Svg, top: f64, title: &str, bars: &[(String, u64)]) {
    let top = top + TOP;
    let most = bars.iter().map(|bar| bar.1).max().unwrap_or(0).max(1);
    let step = (WIDTH - LEFT - 20.0) / bars.len().max(1) as f64;
    let bottom = top + BARS_HEIGHT;
    let small = |anchor| Type::new(10.0, "black", anchor);
    svg.text(LEFT, top - 10.0, title, Type::new(13.0, "black", Anchor::Start));
    svg.text(LEFT - 5.0, top, &most.to_string(), small(Anchor::End));
    svg.polyline(&[(LEFT, top), (LEFT, bottom), (WIDTH - 20.0, bottom)], Paint::stroke("black", 1.0));
    // Labels need some 24 units each.
    let every = (24.0 / step).ceil().max(1.0) as usize;
    for (i, (name, count)) in bars.iter().enumerate() {
        let height = BARS_HEIGHT * *count as f64 / most as f64;
        let x = LEFT + i as f64 * step;
        let width = (step * 0.85).min(40.0);
        svg.group(&[], &format!("{name}: {count}"), |svg| {
            svg.rect(x, bottom - height, width, height, Paint::fill("#2a7"));
        });
        if i % every == 0 {
            svg.text(x + width / 2.0, bottom + 13.0, name, small(Anchor::Middle));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::book::{Table, synth};

    #[test]
    fn everything_is_counted_once() {
        let store = Store::new(Table::from_entries(synth::entries(1 + 1 + 3 + 14 + 60, 1), 0));
        let info = Info::of(&store, &AtomicBool::new(false)).expect("nobody stops it");
        assert_eq!(Info::of(&store, &AtomicBool::new(true)), None);
        assert_eq!(info.by_ply, BTreeMap::from([(0, 1), (1, 1), (2, 3), (3, 14), (4, 60)]));
        assert_eq!(info.by_level.values().sum::<u64>(), info.positions);
        assert_eq!(info.by_value.values().sum::<u64>(), 79);
        let svg = info.svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("<title>4: 60</title>"));
        assert!(Info::default().svg().ends_with("</svg>\n"), "also for an empty book");
    }
}
