//! Answers as lines. Each line begins with a word that says what it is, then pairs of names and values follow, the
//! principal variation last. These words are for scripts and the same in every language; tables are for people.

use crate::{
    base::{Cell, Colour, Language, Table},
    engine::{Analysis, Difficulty, Judged, Line, Opening, Outcome, Source, Thought},
    protocol::tables::{judged_value, table_in, value},
};
use std::fmt::Write;

pub fn outcome(outcome: &Outcome, language: &Language) -> String {
    match outcome {
        Outcome::Move { colour, best, thought } => chosen(*colour, best, thought),
        Outcome::Thought(thought) => hints(thought),
        Outcome::Analysis(analysis) => analysis_lines(analysis, language),
        Outcome::Done(_) => String::new(),
        Outcome::Report(report) => crate::protocol::tables::text_in(language, report),
    }
}

/// `move f5 colour black value +0.25 depth 14@73% nodes 123456 time 0.123 pv f5 d6`.
fn chosen(colour: Colour, best: &str, thought: &Thought) -> String {
    let mut text = format!("move {best} colour {colour}");
    let line = thought.lines.iter().find(|line| line.best() == best).or(thought.lines.first());
    if let Some(line) = line {
        text.push_str(&judgement(line));
    }
    text.push_str(&cost(thought));
    text.push_str(&probability(thought, best));
    text.push_str(&difficulty(thought.difficulty));
    text.push_str(&opening(thought.opening(best)));
    text.push_str(&variation(line));
    text
}

/// The last pair before the expected moves, where names are wanted.
fn opening(opening: Option<&Opening>) -> String {
    opening.map_or(String::new(), |opening| format!(" opening {}", opening.word()))
}

/// How likely people are to play a move, where that is wanted.
fn probability(thought: &Thought, mv: &str) -> String {
    thought.probability(mv).map_or(String::new(), |probability| format!(" human {probability:.3}"))
}

fn difficulty(difficulty: Option<Difficulty>) -> String {
    difficulty.map_or(String::new(), |d| format!(" difficulty {:.2} chance {:.2}", d.expected_loss, d.chance))
}

fn hints(thought: &Thought) -> String {
    let mut lines: Vec<String> = thought.lines.iter().map(|line| hint(thought, line)).collect();
    let difficulty = difficulty(thought.difficulty);
    lines.push(format!("total moves {}{}{difficulty}", thought.lines.len(), cost(thought)));
    lines.join("\n")
}

fn hint(thought: &Thought, line: &Line) -> String {
    let opening = opening(thought.opening(line.best()));
    let human = probability(thought, line.best());
    format!("hint {}{}{human}{opening}{}", name(line), judgement(line), variation(Some(line)))
}

/// While it goes on: a line for each move looked at.
pub fn info(thought: &Thought) -> String {
    let line = |line: &Line| {
        let nodes = format!(" nodes {} time {:.3}", thought.nodes, thought.elapsed.as_secs_f64());
        let opening = opening(thought.opening(line.best()));
        format!("info {}{}{nodes}{opening}{}\n", name(line), judgement(line), variation(Some(line)))
    };
    thought.lines.iter().map(line).collect()
}

/// Nothing to play at the end of the game.
fn name(line: &Line) -> &str {
    line.moves.first().map_or("none", String::as_str)
}

fn judgement(line: &Line) -> String {
    let mut text = format!(" value {} depth {}", value(line), line.depth);
    if let Some(playouts) = &line.playouts {
        let _ = write!(text, " visits {} win {:.1}%", playouts.visits, playouts.win_rate * 100.0);
    }
    match line.source {
        Source::Search => {}
        Source::Book { games } => {
            let _ = write!(text, " source book games {games}");
        }
        Source::Rules => text.push_str(" source rules"),
    }
    text
}

fn cost(thought: &Thought) -> String {
    let partial = if thought.complete { "" } else { " result partial" };
    format!(" nodes {} time {:.3}{partial}", thought.nodes, thought.elapsed.as_secs_f64())
}

fn variation(line: Option<&Line>) -> String {
    match line {
        Some(line) if !line.moves.is_empty() => format!(" pv {}", line.moves.join(" ")),
        _ => String::new(),
    }
}

/// Below tables of work that was stopped.
const PARTIAL: &str = "partial: stopped before the end";

/// Empty where there is no name.
fn opening_cell(opening: Option<&Opening>, language: &Language) -> Cell {
    opening.map_or("", |opening| opening.name(language.code())).into()
}

/// Hints for a person.
pub fn hint_table(thought: &Thought, language: &Language) -> Table {
    let (named, people) = (!thought.openings.is_empty(), !thought.people.is_empty());
    // Players that play games out have no depth, but a number of games and how often they were won.
    let playouts = thought.lines.iter().any(|line| line.playouts.is_some());
    let book = thought.lines.iter().any(|line| matches!(line.source, Source::Book { .. }));
    let row = |line: &Line| {
        let source = match line.source {
            Source::Book { games } => Cell::phrase(format!("book {games}")),
            _ => "".into(),
        };
        let depth = line.depth.to_string();
        let mut row = vec![name(line).into(), value(line).into()];
        if playouts {
            row.push(line.playouts.map_or(Cell::Nothing, |p| Cell::Real(100.0 * p.win_rate, 1)));
            row.push(line.playouts.map(|p| p.visits).into());
        } else {
            row.push(depth.into());
            row.extend(book.then_some(source));
        }
        if people {
            row.push(thought.probability(line.best()).map_or(Cell::Nothing, |p| Cell::Real(100.0 * p, 0)));
        }
        if named {
            row.push(opening_cell(thought.opening(line.best()), language));
        }
        row.push(line.moves.join(" ").into());
        row
    };
    let (nodes, seconds) = (thought.nodes, thought.elapsed.as_secs_f64());
    let cost = format!("{nodes} nodes in {seconds:.2} s, {} a second", thought.nodes_per_second());
    let partial = (!thought.complete).then(|| PARTIAL.to_owned());
    let mut columns = vec!["move", "value"];
    columns.extend(if playouts { &["win %", "playouts"][..] } else { &["depth"] });
    columns.extend((book && !playouts).then_some(""));
    columns.extend(people.then_some("people %"));
    columns.extend(named.then_some("opening"));
    columns.push("expected");
    let hard = thought.difficulty.map(|difficulty| {
        let (loss, chance) = (difficulty.expected_loss, 100.0 * difficulty.chance);
        format!("a person loses {loss:.2} discs here and finds a good move in {chance:.0} % of games")
    });
    Table {
        columns,
        rows: thought.lines.iter().map(row).collect(),
        notes: std::iter::once(cost).chain(hard).chain(partial).collect(),
        ..Table::default()
    }
}

fn analysis_lines(analysis: &Analysis, language: &Language) -> String {
    let line = |j: &Judged| judged(j) + &difficulty(analysis.difficulty(j.ply)) + &opening(analysis.opening(j.ply + 1));
    let mut lines: Vec<String> = analysis.moves.iter().map(line).collect();
    lines.push(table_in(language, &analysis.summary));
    if !analysis.complete {
        lines.push("result partial".into());
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// `analysis ply 0 colour black played f5 value +0.00 best d3 best-value +0.50 loss 0.50 depth 12`.
pub fn judged(judged: &Judged) -> String {
    let show = |value| judged_value(value, judged.depth);
    let played = judged.played.as_deref().unwrap_or("none");
    let mut text = format!("analysis ply {} colour {} played {played}", judged.ply, judged.colour);
    if let Some(value) = judged.played_value {
        let _ = write!(text, " value {}", show(value));
    }
    let _ = write!(text, " best {} best-value {}", judged.best.as_deref().unwrap_or("none"), show(judged.best_value));
    let _ = write!(text, " loss {:.2} depth {}", judged.loss(), judged.depth);
    text
}

/// An analysis for a person: its moves, and its summary.
pub fn analysis_tables(analysis: &Analysis, language: &Language) -> [Table; 2] {
    let (named, hard) = (!analysis.openings.is_empty(), !analysis.difficulties.is_empty());
    let row = |j: &Judged| {
        let show = |value| judged_value(value, j.depth);
        let loss = if j.loss() > 0.0 { format!("{:.2}", j.loss()) } else { String::new() };
        let mut row: Vec<Cell> = vec![
            (j.ply + 1).into(),
            Cell::phrase(j.colour.to_string()),
            j.played.clone().into(),
            j.played_value.map(show).into(),
            j.best.clone().into(),
            show(j.best_value).into(),
            loss.into(),
            j.depth.to_string().into(),
        ];
        if hard {
            row.push(analysis.difficulty(j.ply).map_or(Cell::Nothing, |d| Cell::Real(d.expected_loss, 2)));
        }
        if named {
            row.push(opening_cell(analysis.opening(j.ply + 1), language));
        }
        row
    };
    let mut columns = vec!["move", "side", "played", "value", "best", "value", "loss", "depth"];
    columns.extend(hard.then_some("difficulty"));
    columns.extend(named.then_some("opening"));
    let table = Table {
        columns,
        rows: analysis.moves.iter().map(row).collect(),
        notes: if analysis.complete { vec![] } else { vec![PARTIAL.into()] },
        ..Table::default()
    };
    [table, analysis.summary.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Bound, Depth};
    use std::time::Duration;

    fn line(moves: &[&str], value: f64, depth: Depth) -> Line {
        Line {
            moves: moves.iter().map(|m| (*m).to_owned()).collect(),
            value,
            bound: Bound::Exact,
            source: Source::Search,
            depth,
            playouts: None,
        }
    }

    fn thought(complete: bool) -> Thought {
        let deep = Depth { plies: 14, percent: 73, ..Depth::default() };
        let solved = Depth { plies: 20, percent: 100, to_end: true, wld: false };
        let mut book = line(&["d3"], -2.0, solved);
        book.source = Source::Book { games: 12 };
        let lines = vec![line(&["f5", "d6"], 0.25, deep), book];
        Thought { lines, nodes: 123456, elapsed: Duration::from_millis(1500), complete, ..Thought::default() }
    }

    #[test]
    fn a_move_is_one_line() {
        let given = Outcome::Move { colour: Colour::Black, best: "d3".into(), thought: thought(true) };
        let expected = "move d3 colour black value -2 depth 100% source book games 12 nodes 123456 time 1.500 pv d3";
        assert_eq!(outcome(&given, &Language::default()), expected);
        let given = Outcome::Move { colour: Colour::White, best: "f5".into(), thought: thought(false) };
        let expected = "move f5 colour white value +0.25 depth 14@73% nodes 123456 time 1.500 result partial pv f5 d6";
        assert_eq!(outcome(&given, &Language::default()), expected);
    }

    #[test]
    fn hints_are_a_line_each_and_a_total() {
        let expected = "hint f5 value +0.25 depth 14@73% pv f5 d6\n\
                        hint d3 value -2 depth 100% source book games 12 pv d3\n\
                        total moves 2 nodes 123456 time 1.500 result partial";
        assert_eq!(outcome(&Outcome::Thought(thought(false)), &Language::default()), expected);
        let table = table_in(&Language::default(), &hint_table(&thought(true), &Language::default()));
        assert!(table.contains("f5    +0.25  14@73%           f5 d6\n"), "{table}");
        assert!(table.ends_with("123456 nodes in 1.50 s, 82304 a second"), "{table}");
    }

    #[test]
    fn an_opening_is_the_last_pair_before_the_moves() {
        let opening = Opening { english: Some("Rose Bill".into()), japanese: Some("ローズビル".into()) };
        let named = Thought { openings: vec![("f5".into(), opening)], ..thought(true) };
        assert!(hints(&named).starts_with("hint f5 value +0.25 depth 14@73% opening Rose_Bill pv f5 d6\n"));
        let japanese = Language::named("ja").unwrap().1;
        let table = table_in(&japanese, &hint_table(&named, &japanese));
        assert!(table.contains("f5  +0.25  14@73%           ローズビル  f5 d6"), "{table}");
    }

    #[test]
    fn tables_speak_the_language_and_lines_do_not() {
        let japanese = Language::named("ja").unwrap().1;
        let given = Outcome::Thought(thought(false));
        let expected = "手  値     深さ             読み筋\n\
                        f5  +0.25  14@73%           f5 d6\n\
                        d3  -2     100%    定石 12  d3\n\
                        123456 局面、1.50 秒、毎秒 82304 局面\n\
                        途中経過: 最後まで読む前に止められました";
        assert_eq!(table_in(&japanese, &hint_table(&thought(false), &japanese)), expected);
        assert_eq!(outcome(&given, &japanese), outcome(&given, &Language::default()));
    }

    #[test]
    fn an_analysis_names_the_loss() {
        let depth = Depth { plies: 12, percent: 100, ..Depth::default() };
        let moves = vec![Judged {
            ply: 3,
            colour: Colour::White,
            played: Some("d6".into()),
            played_value: Some(-1.5),
            best: Some("f4".into()),
            best_value: 1.0,
            depth,
        }];
        let analysis =
            Outcome::Analysis(Analysis { moves, summary: Table::default(), complete: false, ..Analysis::default() });
        let expected = "analysis ply 3 colour white played d6 value -1.50 best f4 best-value +1.00 loss 2.50 depth 12\nresult partial";
        assert_eq!(outcome(&analysis, &Language::default()), expected);
    }
}
