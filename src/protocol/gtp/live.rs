//! What is thought, while it is thought: lines of `info` for Sabaki and Lizzie, graphics for GoGui.

use super::answers::vertex;
use crate::{
    base::{Cell, Colour, Table},
    engine::{Analysis, Line, Playouts, Thought},
    protocol::tables,
};
use std::{
    fmt::Write,
    time::{Duration, Instant},
};

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Chances in hundredths of a per cent.
    Leela,
    /// Chances from 0 to 1, and points.
    Kata,
}

/// What may follow the moves, as KataGo writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extras {
    pub root_info: bool,
    pub ownership: bool,
}

impl Extras {
    fn text(self, thought: &Thought) -> String {
        let mut text = String::new();
        if self.root_info {
            text += &root_info(thought);
        }
        if self.ownership && !thought.ownership.is_empty() {
            text += " ownership";
            for point in &thought.ownership {
                let _ = write!(text, " {:.3}", point + 0.0);
            }
        }
        text
    }
}

/// The position as a whole: the mean of its moves, by their visits.
fn root_info(thought: &Thought) -> String {
    let known = || thought.lines.iter().filter_map(|line| Some((line.playouts?, line.value)));
    let visits: u64 = known().map(|(playouts, _)| playouts.visits).sum();
    if visits == 0 {
        // A player that counts no visits knows what its best move is worth.
        let best = thought.lines.first().map_or(0.0, |line| line.value);
        return format!(" rootInfo scoreLead {:.2}", best + 0.0);
    }
    let mean = |of: fn(&(Playouts, f64)) -> f64| {
        known().map(|move_| of(&move_) * move_.0.visits as f64).sum::<f64>() / visits as f64
    };
    let (win_rate, score) = (mean(|m| m.0.win_rate), mean(|m| m.1));
    format!(" rootInfo visits {visits} winrate {win_rate:.6} scoreLead {:.2}", score + 0.0)
}

/// A live analysis that was asked for; the first of them is running or next.
#[derive(Debug)]
pub struct Live {
    pub style: Style,
    pub interval: Duration,
    /// Moves shown.
    most: usize,
    pub extras: Extras,
    /// The head of the response has been written.
    pub begun: bool,
    /// When something was written last.
    pub told: Option<Instant>,
    /// What was written last.
    pub last: String,
}

impl Live {
    pub fn new(style: Style, interval: Duration, most: usize, extras: Extras) -> Live {
        Live { style, interval, most, extras, begun: false, told: None, last: String::new() }
    }

    /// A line about this thought if it is news, and if it is time or `now`.
    pub fn line(&mut self, thought: &Thought, now: bool) -> Option<String> {
        if !now && self.told.is_some_and(|at| at.elapsed() < self.interval) {
            return None;
        }
        let mut text = infos(thought, self.style, self.most);
        if !text.is_empty() {
            text += &self.extras.text(thought);
        }
        if text.is_empty() || text == self.last {
            return None;
        }
        self.told = Some(Instant::now());
        self.last.clone_from(&text);
        Some(text + "\n")
    }
}

fn infos(thought: &Thought, style: Style, most: usize) -> String {
    let lines = thought.lines.iter().filter(|line| !line.moves.is_empty()).enumerate();
    lines.take(most).map(|(order, line)| info(order, line, style)).collect::<Vec<_>>().join(" ")
}

/// `info move D4 visits 12 winrate 0.51 …`. A player that counts no visits says how deep it has read instead.
fn info(order: usize, line: &Line, style: Style) -> String {
    let mut text = format!("info move {}", vertex(line.best()));
    match line.playouts {
        Some(Playouts { visits, win_rate, prior }) => {
            let _ = write!(text, " visits {visits}");
            for (name, chance) in [("winrate", win_rate), ("prior", prior), ("lcb", lower_bound(win_rate, visits))] {
                let _ = match style {
                    Style::Leela => write!(text, " {name} {}", (chance * 10_000.0).round()),
                    Style::Kata => write!(text, " {name} {chance:.6}"),
                };
            }
        }
        None => {
            let _ = write!(text, " depth {}", line.depth);
        }
    }
    if style == Style::Kata || line.playouts.is_none() {
        let _ = write!(text, " scoreMean {0:.2} scoreLead {0:.2}", line.value + 0.0);
    }
    let _ = write!(text, " order {order} pv {}", line.moves.iter().map(|m| vertex(m)).collect::<Vec<_>>().join(" "));
    text
}

/// The win rate less twice its standard error.
fn lower_bound(win_rate: f64, visits: u64) -> f64 {
    let n = visits.max(1) as f64;
    (win_rate - 2.0 * (win_rate * (1.0 - win_rate) / n).sqrt()).max(0.0)
}

/// Values written on the board for GoGui, and the depth below it.
pub fn values(thought: &Thought) -> String {
    let mut text = String::new();
    let labels: Vec<String> = thought
        .lines
        .iter()
        .filter(|line| is_point(line.best()))
        .map(|line| format!("{} {}", vertex(line.best()), label(line)))
        .collect();
    if !labels.is_empty() {
        let _ = writeln!(text, "LABEL {}", labels.join(" "));
        let best: Vec<String> = best_moves(thought).map(vertex).collect();
        let _ = writeln!(text, "CIRCLE {}", best.join(" "));
    }
    text + &summary(thought)
}

fn is_point(name: &str) -> bool {
    !name.eq_ignore_ascii_case("pass") && !name.eq_ignore_ascii_case("resign")
}

fn label(line: &Line) -> String {
    match line.playouts {
        Some(playouts) => format!("{:.0}%", playouts.win_rate * 100.0),
        // GoGui has room for four characters.
        None if line.depth.solved() => tables::value(line),
        None => format!("{:+.1}", line.value + 0.0),
    }
}

/// The first move and all that are as good.
fn best_moves(thought: &Thought) -> impl Iterator<Item = &str> {
    let best = thought.lines.first().map_or(0.0, |line| line.value);
    let equal = thought.lines.iter().take_while(move |line| line.value >= best);
    equal.map(Line::best).filter(|name| is_point(name))
}

fn summary(thought: &Thought) -> String {
    let Some(line) = thought.lines.first() else { return String::new() };
    let partial = if thought.complete { "" } else { ", not finished" };
    let value = line.playouts.map_or_else(|| tables::value(line), |_| label(line));
    format!("TEXT {} {value}, depth {}, {} nodes{partial}", vertex(line.best()), line.depth, thought.nodes)
}

/// The first line of a thought as moves for GoGui to show; it knows no pass in a line.
pub fn variation(thought: &Thought) -> String {
    let moves = thought.lines.first().map_or(&[][..], |line| &line.moves);
    moves.iter().take_while(|m| is_point(m)).map(|m| vertex(m)).collect::<Vec<_>>().join(" ")
}

/// Every move of a game, what it was worth and what would have been better.
pub fn analysis(analysis: &Analysis) -> String {
    let value = |v: Option<f64>| v.map_or(Cell::Nothing, Cell::Discs);
    let rows = analysis.moves.iter().map(|judged| {
        vec![
            Cell::from(judged.ply),
            judged.colour.to_string().into(),
            judged.played.as_deref().map(vertex).into(),
            value(judged.played_value),
            judged.best.as_deref().map(vertex).into(),
            Cell::Discs(judged.best_value),
            Cell::Real(judged.loss(), 2),
            judged.depth.to_string().into(),
        ]
    });
    let columns = vec!["ply", "side", "played", "value", "best", "value", "loss", "depth"];
    let table = Table { columns, rows: rows.collect(), ..Table::default() };
    let partial = if analysis.complete { "" } else { "\nnot finished" };
    format!("{}\n{}{partial}", tables::table_text(&table), tables::table_text(&analysis.summary))
}

/// A set of commands for standard error. GoGui clears the board before it draws a set, so what belongs to the board
/// comes with each.
pub fn graphics(thought: &Thought, colour: Option<Colour>, board: &str) -> String {
    let mut text = set(board);
    let moves = thought.lines.first().map_or(&[][..], |line| &line.moves);
    if let Some(first) = colour.filter(|_| !moves.is_empty()) {
        let colours = [first, !first].into_iter().cycle();
        let moves: Vec<String> =
            moves.iter().zip(colours).map(|(m, c)| format!("{} {}", c.letter(), vertex(m))).collect();
        let _ = writeln!(text, "VAR {}", moves.join(" "));
    }
    let _ = write!(text, "{}\n\n", summary(thought));
    text
}

/// The head of a set, and the marks of the board.
fn set(board: &str) -> String {
    let end = if board.is_empty() { "" } else { "\n" };
    format!("gogui-gfx:\n{board}{end}")
}

/// Takes away what was drawn, all but the marks of the board.
pub fn clear(board: &str) -> String {
    if board.is_empty() { "gogui-gfx: CLEAR\n".into() } else { set(board) + "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Bound, Depth, Source};

    fn line(moves: &[&str], value: f64, playouts: Option<Playouts>) -> Line {
        Line {
            moves: moves.iter().map(|m| (*m).into()).collect(),
            value,
            bound: Bound::Exact,
            source: Source::Search,
            depth: Depth { plies: 12, percent: 73, ..Depth::default() },
            playouts,
        }
    }

    #[test]
    fn infos_claim_only_what_is_known() {
        let thought = Thought { lines: vec![line(&["f5", "d6"], 1.5, None)], ..Thought::default() };
        assert_eq!(
            infos(&thought, Style::Leela, 9),
            "info move F5 depth 12@73% scoreMean 1.50 scoreLead 1.50 order 0 pv F5 D6"
        );
        let playouts = Playouts { visits: 100, win_rate: 0.5, prior: 0.25 };
        let thought = Thought { lines: vec![line(&["D4"], 2.0, Some(playouts))], ..Thought::default() };
        assert_eq!(
            infos(&thought, Style::Leela, 9),
            "info move D4 visits 100 winrate 5000 prior 2500 lcb 4000 order 0 pv D4"
        );
        assert_eq!(
            infos(&thought, Style::Kata, 9),
            "info move D4 visits 100 winrate 0.500000 prior 0.250000 lcb 0.400000 scoreMean 2.00 scoreLead 2.00 order 0 pv D4"
        );
    }

    #[test]
    fn extras_come_after_the_moves() {
        let playouts = |visits, win_rate| Some(Playouts { visits, win_rate, prior: 0.25 });
        let lines = vec![line(&["D4"], 2.0, playouts(75, 0.6)), line(&["E5"], -2.0, playouts(25, 0.2))];
        let thought = Thought { lines, ownership: vec![1.0, -0.5], ..Thought::default() };
        let text = |extras: Extras| extras.text(&thought);
        let root = " rootInfo visits 100 winrate 0.500000 scoreLead 1.00";
        assert_eq!(text(Extras { root_info: true, ownership: true }), format!("{root} ownership 1.000 -0.500"));
        assert_eq!(Extras::default().text(&thought), "");
        assert_eq!(infos(&thought, Style::Leela, 1).matches("info move").count(), 1);
        let othello = Thought { lines: vec![line(&["f5"], 1.5, None)], ..Thought::default() };
        let root = Extras { root_info: true, ownership: false };
        assert_eq!(root.text(&othello), " rootInfo scoreLead 1.50");
    }

    #[test]
    fn drawings() {
        let lines = vec![line(&["f5", "pass", "d6"], 0.0, None), line(&["e6"], -2.0, None)];
        let thought = Thought { lines, nodes: 7, ..Thought::default() };
        assert_eq!(
            values(&thought),
            "LABEL F5 +0.0 E6 -2.0\nCIRCLE F5\nTEXT F5 +0.00, depth 12@73%, 7 nodes, not finished"
        );
        assert_eq!(
            graphics(&thought, Some(Colour::Black), "COLOR #4f9d69 A1"),
            "gogui-gfx:\nCOLOR #4f9d69 A1\nVAR b F5 w pass b D6\nTEXT F5 +0.00, depth 12@73%, 7 nodes, not finished\n\n"
        );
        assert_eq!((clear("").as_str(), clear("COLOR a").as_str()), ("gogui-gfx: CLEAR\n", "gogui-gfx:\nCOLOR a\n\n"));
        let pass = Thought { lines: vec![line(&["pass"], 0.0, None)], ..Thought::default() };
        assert_eq!(variation(&pass), "");
    }

    #[test]
    fn news_come_no_faster_than_asked_for() {
        let mut live = Live::new(Style::Leela, Duration::from_secs(3600), 9, Extras::default());
        let first = Thought { lines: vec![line(&["f5"], 1.0, None)], ..Thought::default() };
        let second = Thought { lines: vec![line(&["f5"], 2.0, None)], ..Thought::default() };
        assert!(live.line(&first, false).is_some());
        assert!(live.line(&second, false).is_none());
        assert!(live.line(&second, true).is_some());
        assert!(live.line(&second, true).is_none());
    }
}
