//! One game: a board to step through by keys and clicks, graphs, every move with its value, mistakes.

use super::{embedded, labelled, page, say, signed, words};
use crate::base::{Colour, svg::Svg};
use maud::{Markup, PreEscaped, html};
use serde_json::json;

const SCRIPT: &str = include_str!("../../resources/report/game.js");

/// A game as the page needs it.
#[derive(Debug, Clone, Default)]
pub struct GamePage {
    pub names: [String; 2],
    pub event: String,
    pub date: String,
    pub memo: String,
    pub result: Option<String>,
    /// One for every position: the first is the start.
    pub positions: Vec<Shown>,
    pub graphs: Vec<Graph>,
    /// Sums per side: black, white.
    pub summary: [Summary; 2],
}

#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// 64 characters: `X`, `O`, `-`.
    pub board: String,
    pub to_move: Option<Colour>,
    /// What led here.
    pub played: Option<(Colour, String)>,
    /// Discs for black, if known.
    pub value: Option<f64>,
    pub depth: String,
    /// What the move that led here gave away.
    pub loss: Option<f64>,
    /// The better move and what was expected after it.
    pub better: Option<String>,
    pub opening: [Option<String>; 2],
    /// The moves here with their values for the side to move.
    pub moves: Vec<(String, f64)>,
    /// What a person would lose here on average, in discs.
    pub difficulty: Option<f64>,
    /// Sentences about the mistake that led here.
    pub why: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct Graph {
    pub title: &'static str,
    pub picture: Svg,
    /// Where each position is, from the left.
    pub places: Vec<f64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    pub moves: usize,
    pub disagree: usize,
    pub mistakes: usize,
    pub lost: f64,
    /// Mean loss of the moves 1 to 20, 21 to 40 and from 41 on.
    pub phases: [Option<f64>; 3],
}

/// What the graphs say in their pictures.
const GRAPH_WORDS: &[&str] =
    &["move", "discs, for black", "discs", "midgame", "selective", "exact", "black", "white", "value"];

/// From this loss on a move is listed as a mistake.
pub const MISTAKE: f64 = 4.0;

impl GamePage {
    pub fn title(&self) -> String {
        let name = |i: usize, default: &str| match self.names[i].as_str() {
            "" => default.to_string(),
            name => name.to_string(),
        };
        format!("{} – {}", name(0, "Black"), name(1, "White"))
    }

    pub fn html(&self) -> String {
        let body = html! {
            (self.facts())
            main {
                section #study {
                    div #board role="img" aria-live="polite" {}
                    div #controls {
                        @for (id, label, text) in [("first", "first position", "|◀"), ("back", "one move back", "◀"),
                            ("forward", "one move on", "▶"), ("last", "last position", "▶|")] {
                            (labelled(id, label, text))
                        }
                    }
                    p #now aria-live="polite" {}
                    p .hint { (say("Keys: left and right arrow, Home, End. Click in a graph or on a move.")) }
                }
                section #graphs { @for (i, graph) in self.graphs.iter().enumerate() { (self.graph(i, graph)) } }
            }
            (self.summary())
            (self.mistakes())
            (self.moves())
            script type="application/json" #data { (embedded(&self.data())) }
            script type="application/json" #words { (embedded(&words(GRAPH_WORDS))) }
        };
        page(&self.title(), body, &[SCRIPT])
    }

    fn facts(&self) -> Markup {
        let facts = [("Event", &self.event), ("Date", &self.date), ("Memo", &self.memo)];
        html! {
            dl {
                @if let Some(result) = &self.result { dt { (say("Result")) } dd { (result) } }
                @for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
                    dt { (say(name)) } dd { (value) }
                }
            }
        }
    }

    fn graph(&self, number: usize, graph: &Graph) -> Markup {
        let attributes = format!("class=\"graph\" data-graph=\"{number}\" tabindex=\"0\"");
        html! { figure { figcaption { (say(graph.title)) } (PreEscaped(graph.picture.element(&attributes))) } }
    }

    fn summary(&self) -> Markup {
        let mean = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.2}"));
        html! {
            section {
                h2 { (say("Summary")) }
                div .scroll { table {
                    thead { tr {
                        @for head in ["side", "moves", "disagree", "mistakes", "loss", "moves 1–20", "moves 21–40", "moves 41–60"] {
                            th { (say(head)) }
                        }
                    } }
                    tbody { @for (side, sum) in ["black", "white"].into_iter().zip(&self.summary) {
                        tr {
                            th { (say(side)) }
                            td { (sum.moves) } td { (sum.disagree) } td { (sum.mistakes) } td { (format!("{:.1}", sum.lost)) }
                            @for phase in sum.phases { td { (mean(phase)) } }
                        }
                    } }
                } }
            }
        }
    }

    fn mistakes(&self) -> Markup {
        let mut worst: Vec<(usize, &Shown)> = self
            .positions
            .iter()
            .enumerate()
            .filter(|(_, shown)| shown.loss.is_some_and(|loss| loss >= MISTAKE))
            .collect();
        worst.sort_by(|a, b| b.1.loss.partial_cmp(&a.1.loss).unwrap_or(std::cmp::Ordering::Equal));
        html! {
            section {
                h2 { (say("Mistakes")) }
                @if worst.is_empty() { p { (say("No move lost four discs or more.")) } }
                ol { @for (ply, shown) in worst {
                    li {
                        a href="#board" data-go=(ply.saturating_sub(1)) { (self.move_name(ply, shown)) }
                        " " (format!("−{:.1}", shown.loss.unwrap_or(0.0))) " "
                        @if let Some(better) = &shown.better { (say("better:")) " " code { (better) } }
                        @for sentence in &shown.why { br; (say(sentence)) }
                    }
                } }
            }
        }
    }

    fn move_name(&self, ply: usize, shown: &Shown) -> String {
        let (mark, mv) = match &shown.played {
            Some((Colour::Black, mv)) => ("●", mv.as_str()),
            Some((Colour::White, mv)) => ("○", mv.as_str()),
            None => ("", ""),
        };
        format!("{ply}. {mark}{mv}")
    }

    fn moves(&self) -> Markup {
        html! {
            section {
                h2 { (say("Moves")) }
                div .scroll { table #moves {
                    thead { tr { @for head in ["move", "value", "loss", "better", "depth", "opening"] { th { (say(head)) } } } }
                    tbody { @for (ply, shown) in self.positions.iter().enumerate().skip(1) {
                        tr data-go=(ply) class=(judgement(shown.loss)) {
                            td { a href="#board" data-go=(ply) { (self.move_name(ply, shown)) } }
                            td { (shown.value.map_or(String::new(), signed)) }
                            td { (shown.loss.filter(|loss| *loss >= 0.05).map_or(String::new(), |loss| format!("{loss:.1}"))) }
                            td .line { (shown.better.as_deref().unwrap_or_default()) }
                            td { (shown.depth) }
                            td { @if let [Some(english), japanese] = &shown.opening {
                                span data-ja=(japanese.as_deref().unwrap_or(english)) data-zh=(english) { (english) }
                            } }
                        }
                    } }
                } }
            }
        }
    }

    fn data(&self) -> serde_json::Value {
        let positions: Vec<serde_json::Value> = self
            .positions
            .iter()
            .enumerate()
            .map(|(ply, shown)| {
                let moves: Vec<_> = shown.moves.iter().map(|(mv, value)| json!([mv, signed(*value)])).collect();
                json!({
                    "board": shown.board,
                    "side": shown.to_move.map(|side| side.index()),
                    "last": shown.played.as_ref().map(|(_, mv)| mv),
                    "name": self.move_name(ply, shown),
                    "value": shown.value.map(signed),
                    "loss": shown.loss.map(|loss| (loss * 10.0).round() / 10.0),
                    "opening": shown.opening,
                    "difficulty": shown.difficulty.map(|loss| (loss * 10.0).round() / 10.0),
                    "moves": moves,
                })
            })
            .collect();
        let graphs: Vec<_> = self.graphs.iter().map(|graph| &graph.places).collect();
        json!({ "positions": positions, "graphs": graphs })
    }
}

fn judgement(loss: Option<f64>) -> &'static str {
    match loss {
        Some(loss) if loss >= MISTAKE => "mistake",
        Some(loss) if loss >= 1.0 => "disagree",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_people_wrote_can_break_the_page() {
        let evil = "</script><script>alert('x')</script> \"&".to_string();
        let shown = |ply: usize| Shown {
            board: "-".repeat(64),
            played: (ply > 0).then(|| (Colour::White, "d6".into())),
            loss: (ply > 0).then_some(5.0),
            better: Some("c4 e3".into()),
            value: Some(-3.0),
            opening: [Some(evil.clone()), None],
            why: vec![evil.clone()],
            ..Shown::default()
        };
        let page = GamePage {
            names: [evil.clone(), "Bob".into()],
            memo: evil.clone(),
            positions: (0..2).map(shown).collect(),
            ..GamePage::default()
        };
        let html = page.html();
        assert!(!html.contains("<script>alert"), "escaped");
        assert_eq!(html.matches("<script").count(), 3, "the data, the words and the program");
        assert_eq!(html.matches("http").count(), 0, "nothing is fetched");
        for said in ["1. ○d6", "−5.0", "c4 e3", "data-ja=\"悪手\"", "&lt;/script&gt;"] {
            assert!(html.contains(said), "{said}");
        }
    }
}
