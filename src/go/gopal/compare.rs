//! B* beside plain alpha-beta: the same game about the same goal, the same evaluation, nodes counted alike.

use super::local::{self, Goal, Local, Position};
use crate::base::Colour;
use crate::go::board::Board;
use crate::go::bstar::{Bounds, Domain};
use crate::go::notation::{parse_picture, parse_vertex};
use crate::go::point::Point;

/// A position, a goal, and what is right.
#[derive(Debug, Clone)]
pub struct Problem {
    pub name: String,
    pub board: Board,
    pub goal: Goal,
    pub first: Colour,
    pub reached: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadProblem {
    pub line: usize,
    pub what: String,
}

/// Reads problems: lines with `name`, `goal`, `first` and `reached`, then the picture of the board. `#` begins a remark.
pub fn problems(text: &str) -> Result<Vec<Problem>, BadProblem> {
    let lines: Vec<(usize, &str)> = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())).collect();
    let paragraphs = lines.split(|(_, line)| line.is_empty());
    let said = paragraphs.map(|lines| lines.iter().copied().filter(|(_, line)| !line.starts_with('#')));
    said.map(|lines| lines.collect::<Vec<_>>()).filter(|lines| !lines.is_empty()).map(|lines| problem(&lines)).collect()
}

fn problem(lines: &[(usize, &str)]) -> Result<Problem, BadProblem> {
    let bad = |line: usize, what: String| BadProblem { line, what };
    let first_line = lines.first().map_or(0, |(line, _)| *line);
    let value = |word: &str| {
        let found =
            lines.iter().find_map(|&(line, text)| Some((line, text.strip_prefix(word)?.strip_prefix(' ')?.trim())));
        found.ok_or_else(|| bad(first_line, format!("`{word}` is missing")))
    };
    let ((_, name), goal, first, reached) = (value("name")?, value("goal")?, value("first")?, value("reached")?);
    let rows = lines.iter().filter(|(_, text)| text.starts_with(['.', 'X', 'O']));
    let picture: String = rows.map(|(_, text)| format!("{text}\n")).collect();
    let board = parse_picture(&picture).map_err(|e| bad(first_line, e.to_string()))?;
    let point = |name: Option<&&str>| {
        let p = name.and_then(|name| parse_vertex(board.geometry(), name).ok()).filter(|p: &Point| !p.is_pass());
        p.ok_or_else(|| bad(goal.0, "a stone is missing".into()))
    };
    let words: Vec<&str> = goal.1.split_whitespace().collect();
    let goal = match words.first().copied() {
        Some("capture") => Goal::Capture(point(words.get(1))?),
        Some("eye") => Goal::Eye(point(words.get(1))?),
        Some("connect") => Goal::Connect(point(words.get(1))?, point(words.get(2))?),
        _ => return Err(bad(goal.0, "a goal is capture, connect or eye".into())),
    };
    let first_side = first.1.parse().map_err(|_| bad(first.0, format!("`{}` is not a colour", first.1)))?;
    let reached = match reached.1 {
        "yes" => true,
        "no" => false,
        other => return Err(bad(reached.0, format!("`{other}` is neither yes nor no"))),
    };
    Ok(Problem { name: name.into(), board, goal, first: first_side, reached })
}

/// What one search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// `None`: the limit came first.
    pub reached: Option<bool>,
    pub nodes: u64,
    /// For alpha-beta, the depth at which it was sure; for B*, the longest line.
    pub depth: u32,
    /// Nodes of all depths tried, the last one included.
    pub all_nodes: u64,
}

pub fn by_bstar(problem: &Problem, local: &Local, most: u64) -> Answer {
    let verdict = local::search(local.clone(), &problem.board, problem.first, |nodes| nodes >= most);
    let local::Verdict { reached, nodes, deepest, .. } = verdict;
    Answer { reached, nodes, depth: deepest, all_nodes: nodes }
}

/// Plain alpha-beta with moves in the order of their upper bounds, one ply deeper each time until the value of the
/// root comes from the end of the goal and not from an estimate.
pub fn by_alpha_beta(problem: &Problem, local: &Local, most: u64) -> Answer {
    let mut all_nodes = 0;
    for depth in 1.. {
        let mut search = AlphaBeta { local: local.clone(), nodes: 0, most: most.saturating_sub(all_nodes) };
        let root = Position::new(&problem.board, problem.first);
        let value = search.value(&root, None, depth, f32::NEG_INFINITY, f32::INFINITY);
        let nodes = search.nodes;
        all_nodes += nodes;
        if all_nodes >= most {
            return Answer { reached: None, nodes, depth, all_nodes };
        }
        if local::is_decided(value) {
            let success = value > 0.0;
            let reached = Some(success == (local.wants() == problem.first));
            return Answer { reached, nodes, depth, all_nodes };
        }
    }
    Answer { reached: None, nodes: 0, depth: 0, all_nodes }
}

struct AlphaBeta {
    local: Local,
    nodes: u64,
    most: u64,
}

impl AlphaBeta {
    /// What a position is worth to the side to move. `bounds` are those of the move that led here.
    fn value(&mut self, at: &Position, bounds: Option<Bounds>, depth: u32, alpha: f32, beta: f32) -> f32 {
        let estimate = bounds.map(|b| -(b.lower + b.upper) / 2.0);
        if let (Some(estimate), Some(b)) = (estimate, bounds)
            && (depth == 0 || b.lower >= b.upper || self.nodes >= self.most)
        {
            return estimate;
        }
        let mut children = self.local.expand(at);
        children.sort_by(|a, b| b.2.upper.total_cmp(&a.2.upper));
        let mut best = f32::NEG_INFINITY;
        for (_, next, bounds) in &children {
            self.nodes += 1;
            let value = -self.value(next, Some(*bounds), depth - 1, -beta, -alpha.max(best));
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        if children.is_empty() { estimate.unwrap_or(0.0) } else { best }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::tactics;

    pub const TEXT: &str = include_str!("../../../resources/gopal/problems.txt");

    /// `cargo test --lib fewer_nodes -- --nocapture` prints the sums.
    #[test]
    fn fewer_nodes_than_alpha_beta_on_tactical_positions() {
        let problems = problems(TEXT).unwrap();
        assert!(problems.len() >= 30);
        let (mut ours, mut theirs, mut fewer) = (0, 0, 0);
        for problem in &problems {
            let local = Local::new(&problem.board, problem.goal).unwrap();
            let found = by_bstar(problem, &local, 10_000);
            assert_eq!(found.reached, Some(problem.reached), "{}", problem.name);
            let other = by_alpha_beta(problem, &local, 2 * found.nodes + 2_000);
            assert!(other.reached.is_none_or(|reached| reached == problem.reached), "{}", problem.name);
            ours += found.nodes;
            theirs += other.all_nodes;
            fewer += usize::from(found.nodes < other.all_nodes);
        }
        println!("{} positions: B* {ours} nodes, alpha-beta {theirs} at least; fewer on {fewer}", problems.len());
        assert!(ours < theirs, "{ours} {theirs}");
    }

    #[test]
    fn what_the_ladder_reader_catches_is_caught() {
        let mut ladders = 0;
        for problem in problems(TEXT).unwrap() {
            let Goal::Capture(prey) = problem.goal else { continue };
            let mut board = problem.board.clone();
            board.set_to_move(problem.first);
            if problem.first != problem.board.cell(prey).colour().unwrap() && tactics::is_caught(&board, prey) {
                assert!(problem.reached, "{}", problem.name);
                ladders += 1;
            }
        }
        assert!(ladders >= 7, "{ladders}");
    }

    #[test]
    fn bad_problems_name_their_line() {
        let good = "name a\ngoal capture C3\nfirst black\nreached no\n.....\n.....\n..O..\n.....\n.....\n";
        assert_eq!(problems(good).unwrap().len(), 1);
        for (from, to, error) in [
            ("goal capture C3", "goal eat C3", "line 4: a goal is capture, connect or eye"),
            ("goal capture C3", "goal capture", "line 4: a stone is missing"),
            ("first black", "first red", "line 5: `red` is not a colour"),
            ("reached no\n", "", "line 3: `reached` is missing"),
            ("reached no", "reached perhaps", "line 6: `perhaps` is neither yes nor no"),
        ] {
            let text = format!("# Problems.\n\n{}", good.replace(from, to));
            assert_eq!(problems(&text).unwrap_err().to_string(), error);
        }
    }
}
