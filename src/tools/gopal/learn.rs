//! `gopal from-sgf`: corner sequences and how often they were played become one pattern with branches.
//!
//! A weight is the share of a move among all that could have followed, tenuki included, in per cent, corrected by how
//! often its side won: a share of 40 with 55 per cent of wins gives 44.

use super::{GopalError, games};
use crate::{
    base::Colour,
    go::{
        gopal::frame::{Frame, corner},
        point::Geometry,
    },
    gopal::{
        Local,
        ast::{At, Candidate, Expr, Moves, Name, Pattern, Pickup, Place, Program, Sequence, Step},
    },
};
use std::{collections::BTreeMap, io::Write, path::PathBuf};

#[derive(Debug, clap::Args)]
pub struct LearnArgs {
    /// Games or joseki trees
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// How often a move must occur
    #[arg(long, value_name = "N", default_value_t = 50)]
    at_least: u32,
    /// What share of its siblings, in per cent, a move must have
    #[arg(long, value_name = "PERCENT", default_value_t = 4.0)]
    share: f64,
    /// Columns and rows that belong to a corner
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(5..=12))]
    width: u8,
    /// The longest sequence
    #[arg(long, value_name = "MOVES", default_value_t = 16)]
    longest: usize,
    /// The name of the pattern
    #[arg(long, default_value = "corners")]
    name: String,
}

#[derive(Debug, Default)]
struct Node {
    count: u32,
    /// Games with this move that its side won, and lost.
    won: u32,
    lost: u32,
    children: BTreeMap<Local, Node>,
}

pub fn run(args: &LearnArgs, out: &mut dyn Write) -> Result<(), GopalError> {
    let mut root = Node::default();
    for path in &args.files {
        for line in
            games::read(path)?.iter().filter(|line| !line.set_up && line.size >= usize::from(2 * args.width) - 1)
        {
            add(&mut root, line, args);
        }
    }
    let sequences = root.sequences(args);
    if sequences.is_empty() {
        return Err(GopalError::Nothing(args.at_least));
    }
    let lines: usize = sequences.iter().map(leaves).sum();
    let program = Program { header: None, patterns: vec![pattern(args, sequences)] };
    writeln!(
        out,
        "{{ {lines} corner sequences, each move played {} times or more in {} corners. }}",
        args.at_least, root.count
    )?;
    Ok(write!(out, "{program}")?)
}

/// Adds the four corners of a game.
fn add(root: &mut Node, line: &games::Line, args: &LearnArgs) {
    let Ok(geometry) = Geometry::new(line.size) else { return };
    for symmetry in 0..4u8 {
        let (column, row) = corner(line.size, symmetry);
        let origin = Local { column: 1, row: 1 };
        let frame = Frame { symmetry, anchor: origin, column: column as u8, row: row as u8 };
        let inside = |local: &Local| local.column <= args.width && local.row <= args.width;
        let mut moves: Vec<(Colour, Local)> = Vec::new();
        for play in line.plays.iter().filter(|play| !play.point.is_pass()) {
            if let Some(local) = frame.local(geometry, play.point).filter(inside) {
                // Two moves of one side: the other played elsewhere, and the sequence ends.
                if moves.last().is_some_and(|(colour, _)| *colour == play.colour) || moves.len() >= args.longest {
                    break;
                }
                // A point taken again was captured: frames of joseki end there.
                if moves.iter().any(|(_, taken)| *taken == local) {
                    break;
                }
                moves.push((play.colour, local));
            }
        }
        // Of two reflections the one whose first uneven move lies nearer to the lower side.
        let swapped = moves.iter().find(|(_, p)| p.column != p.row).is_some_and(|(_, p)| p.column < p.row);
        root.count += 1;
        let mut node = &mut *root;
        for (colour, local) in moves {
            let local = if swapped { Local { column: local.row, row: local.column } } else { local };
            node = node.children.entry(local).or_default();
            node.count += 1;
            match line.winner {
                Some(winner) if winner == colour => node.won += 1,
                Some(_) => node.lost += 1,
                None => {}
            }
        }
    }
}

impl Node {
    /// The children that are frequent enough, the most frequent first.
    fn frequent(&self, args: &LearnArgs) -> Vec<(Local, &Node)> {
        let enough = |node: &Node| {
            node.count >= args.at_least && f64::from(node.count) * 100.0 >= args.share * f64::from(self.count)
        };
        let mut children: Vec<(Local, &Node)> =
            self.children.iter().filter(|(_, node)| enough(node)).map(|(&local, node)| (local, node)).collect();
        children.sort_by(|a, b| b.1.count.cmp(&a.1.count).then(a.0.cmp(&b.0)));
        children
    }

    fn weight(&self, parent: &Node) -> i64 {
        let share = f64::from(self.count) / f64::from(parent.count.max(1));
        let judged = f64::from((self.won + self.lost).max(1));
        let wins = if self.won + self.lost == 0 { 0.5 } else { f64::from(self.won) / judged };
        ((200.0 * share * wins).round() as i64).clamp(1, 100)
    }

    fn sequences(&self, args: &LearnArgs) -> Vec<Sequence> {
        let sequence = |(local, node): (Local, &Node)| Sequence {
            condition: None,
            tarea: vec![],
            first: moves(local, node.weight(self)),
            then: node.steps(args),
        };
        self.frequent(args).into_iter().map(sequence).collect()
    }

    fn steps(&self, args: &LearnArgs) -> Vec<Step> {
        match self.frequent(args)[..] {
            [] => vec![],
            [(local, node)] => {
                let next = Step::Next { moves: moves(local, node.weight(self)), tenuki: None };
                std::iter::once(next).chain(node.steps(args)).collect()
            }
            _ => {
                let candidates = vec![Candidate { sequences: self.sequences(args) }];
                vec![Step::Branch { condition: None, candidates }]
            }
        }
    }
}

fn leaves(sequence: &Sequence) -> usize {
    let inside = |step: &Step| match step {
        Step::Next { .. } => 0,
        Step::Branch { candidates, .. } => candidates.iter().flat_map(|c| &c.sequences).map(leaves).sum(),
    };
    sequence.then.iter().map(inside).sum::<usize>().max(1)
}

fn name(text: &str) -> Name {
    Name { text: text.to_ascii_lowercase(), at: At(0) }
}

fn point(local: Local) -> Expr {
    Expr::Point(local, At(0))
}

fn moves(local: Local, weight: i64) -> Moves {
    Moves { at: At(0), intent: name("sumijoban"), weight, extra: None, points: vec![point(local)] }
}

/// The sequences as one pattern for an empty corner.
fn pattern(args: &LearnArgs, mut sequences: Vec<Sequence>) -> Pattern {
    let [origin, end] = [1, args.width].map(|n| Local { column: n, row: n });
    for sequence in &mut sequences {
        sequence.tarea = vec![point(origin), point(end)];
    }
    let number = |n: u8| Expr::Number(n.into(), At(0));
    let arguments = vec![point(origin), number(args.width), number(args.width)];
    Pattern {
        name: name(&args.name),
        phases: vec![],
        place: Place::Corner,
        symmetric: true,
        declarations: vec![],
        pickup: Pickup::Corner(0, At(0)),
        condition: Expr::Call { name: name("emparea"), arguments },
        candidate: Candidate { sequences },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gopal;

    #[test]
    fn a_joseki_tree_becomes_a_pattern_that_knows_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.sgf");
        // Star, approach from either side, two answers: reflections fall together.
        let text = "(;GM[1]SZ[19];B[dp](;W[fq];B[cn])(;W[cn];B[fq])(;W[fq];B[fp]))";
        std::fs::write(&path, text).unwrap();
        let args =
            LearnArgs { files: vec![path], at_least: 1, share: 0.0, width: 10, longest: 16, name: "Tree".into() };
        let mut out = Vec::new();
        run(&args, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with("{ 2 corner sequences, each move played 1 times or more in 12 corners. }\n"),
            "{text}"
        );
        assert!(text.contains("with (sumijoban, 25) pd4;\n    next (sumijoban, 100) pf3;"), "{text}");
        let checked = gopal::read(&text).unwrap();
        assert_eq!((checked.rules.len(), checked.warnings.len()), (1, 0));
        let none = LearnArgs { at_least: 9, ..args };
        assert_eq!(run(&none, &mut Vec::new()).unwrap_err().to_string(), "nothing occurs 9 times");
    }
}
