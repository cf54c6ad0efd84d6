//! A sheet of problems to print: boards first, solutions on a page of their own.

use super::{page, say};
use crate::base::{
    Colour,
    svg::board::{Board, Theme},
};
use maud::{Markup, PreEscaped, html};

/// A problem as the sheet needs it.
#[derive(Debug, Clone)]
pub struct Problem {
    /// 64 characters: `X`, `O`, `-`.
    pub board: String,
    pub to_move: Colour,
    pub empties: u32,
    /// The chance that a person finds the best move.
    pub found: f64,
    /// Best first.
    pub moves: Vec<(String, i32)>,
    pub line: String,
}

const STYLE: &str = "
.sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1.5rem }
.sheet figure { margin: 0; break-inside: avoid }
.sheet svg { width: 100%; height: auto; background: white }
@media print { header button { display: none } .sheet { grid-template-columns: repeat(2, 1fr) } \
#solutions { break-before: page } }
";

pub fn html(problems: &[Problem]) -> String {
    let body = html! {
        style { (PreEscaped(STYLE)) }
        p { (say("One move is best. Find it.")) }
        main .sheet { @for (i, problem) in problems.iter().enumerate() { (figure(i + 1, problem)) } }
        section #solutions {
            h2 { (say("Solutions")) }
            table {
                thead { tr {
                    th { (say("Problem")) } th { (say("Best move")) } th { (say("Result")) }
                    th { (say("Next best")) } th { (say("Found by")) } th { (say("Line")) }
                } }
                tbody { @for (i, problem) in problems.iter().enumerate() { (solution(i + 1, problem)) } }
            }
        }
    };
    page("Othello problems", body, &[])
}

fn figure(number: usize, problem: &Problem) -> Markup {
    let picture = picture(problem).draw();
    html! {
        figure {
            (PreEscaped(picture.element("role=\"img\"")))
            figcaption {
                b { (number) ". " }
                @if problem.to_move == Colour::Black { (say("Black to move")) } @else { (say("White to move")) }
                " · " (problem.empties) " " (say("empties"))
            }
        }
    }
}

fn picture(problem: &Problem) -> Board {
    let disc = |c: char| match c {
        'X' => Some(Colour::Black),
        'O' => Some(Colour::White),
        _ => None,
    };
    Board {
        columns: ('a'..='h').map(String::from).collect(),
        rows: (1..=8).map(|row: u8| row.to_string()).collect(),
        discs: problem.board.chars().map(disc).collect(),
        dots: vec![9, 13, 41, 45],
        theme: Theme::Mono,
        ..Board::default()
    }
}

fn solution(number: usize, problem: &Problem) -> Markup {
    let signed = |value: i32| format!("{value:+}");
    html! {
        tr {
            td { (number) }
            @if let Some((best, value)) = problem.moves.first() { td { b { (best) } } td { (signed(*value)) } }
            @if let Some((next, value)) = problem.moves.get(1) { td { (next) " " (signed(*value)) } }
            td { (format!("{:.0} %", 100.0 * problem.found)) }
            td { (problem.line) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_holds_boards_and_solutions() {
        let problem = Problem {
            board: format!("{}XO{}", "-".repeat(27), "-".repeat(35)),
            to_move: Colour::White,
            empties: 62,
            found: 0.125,
            moves: vec![("c4".into(), 6), ("d3".into(), -2)],
            line: "c4 c3".into(),
        };
        let page = html(&[problem.clone(), problem]);
        assert_eq!(page.matches("<figure").count(), 2);
        assert!(page.contains("White to move") && page.contains("<b>c4</b>") && page.contains("d3 -2"));
        assert!(
            !page.contains("http://") || page.matches("http://").count() == page.matches("http://www.w3.org").count()
        );
    }
}
