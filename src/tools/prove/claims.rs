//! What is claimed about positions: the tasks of a proof.

use crate::othello::{Board, records::obf::Problem};

/// Scores are even: of an odd bound the next even one inwards says the same.
pub const LEAST: i32 = -64;
pub const MOST: i32 = 64;

/// So many bad lines are named; more help nobody.
const NAMED: usize = 20;

/// One side of a claim, about the value for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    AtLeast(i32),
    AtMost(i32),
}

impl Ask {
    /// The same, seen by the other side.
    pub fn turned(self) -> Ask {
        match self {
            Ask::AtLeast(n) => Ask::AtMost(-n),
            Ask::AtMost(n) => Ask::AtLeast(-n),
        }
    }

    /// The question that decides it: is the value at least this?
    pub fn question(self) -> i32 {
        match self {
            Ask::AtLeast(n) => n,
            Ask::AtMost(n) => n + 2,
        }
    }

    /// Whether it is settled by bounds, and how.
    pub fn settled(self, (lower, upper): (i32, i32)) -> Option<bool> {
        match self {
            Ask::AtLeast(n) if lower >= n => Some(true),
            Ask::AtLeast(n) if upper < n => Some(false),
            Ask::AtMost(n) if upper <= n => Some(true),
            Ask::AtMost(n) if lower > n => Some(false),
            _ => None,
        }
    }
}

/// The ends between which a value is claimed to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    pub lower: i32,
    pub upper: i32,
}

impl Claim {
    /// What has to be proven of a score where a search with the window `alpha`, `beta` asks for it.
    pub fn of(score: i32, alpha: i32, beta: i32) -> Claim {
        let even_up = |n: i32| n + n.rem_euclid(2);
        let even_down = |n: i32| n - n.rem_euclid(2);
        let (lower, upper) = match score {
            score if score <= alpha => (LEAST, alpha),
            score if score >= beta => (beta, MOST),
            score => (score, score),
        };
        Claim { lower: even_up(lower), upper: even_down(upper) }
    }

    pub fn asks(self) -> Vec<Ask> {
        let lower = (self.lower > LEAST).then_some(Ask::AtLeast(self.lower));
        let upper = (self.upper < MOST).then_some(Ask::AtMost(self.upper));
        lower.into_iter().chain(upper).collect()
    }

    pub fn bounds(self) -> (i32, i32) {
        (self.lower, self.upper)
    }
}

/// A position and what is claimed about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    pub board: Board,
    pub claim: Claim,
    /// The line as it came, for a list of what is left.
    pub line: String,
}

/// Lines `obf,count,score,alpha,beta`, or problems of OBF with a value, which is claimed exactly.
pub fn read(text: &str) -> Result<Vec<Task>, Vec<String>> {
    let (mut tasks, mut complaints) = (vec![], vec![]);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['%', '#']) || line.starts_with("obf,") {
            continue;
        }
        match task(line) {
            Ok(task) => tasks.push(task),
            Err(why) => complaints.push(format!("line {}: {why}", index + 1)),
        }
        if complaints.len() == NAMED {
            complaints.push("there may be more".into());
            break;
        }
    }
    if complaints.is_empty() { Ok(tasks) } else { Err(complaints) }
}

fn task(line: &str) -> Result<Task, String> {
    let fields: Vec<&str> = line.split(',').collect();
    let problem = Problem::parse(fields[0]).map_err(|error| error.to_string())?;
    let claim = match fields[1..] {
        [_, score, alpha, beta] => {
            let number = |text: &str| {
                let number = text.trim().parse::<i32>().ok().filter(|n| (LEAST..=MOST).contains(n));
                number.ok_or_else(|| format!("`{text}` is not a score"))
            };
            let (score, alpha, beta) = (number(score)?, number(alpha)?, number(beta)?);
            if alpha >= beta {
                return Err(format!("the window {alpha}, {beta} is empty"));
            }
            Claim::of(score, alpha, beta)
        }
        [] => {
            let value = problem.value().ok_or("it claims no value")?;
            Claim::of(value, LEAST, MOST)
        }
        _ => return Err("it takes obf,count,score,alpha,beta".into()),
    };
    let claim =
        if claim.lower == LEAST && claim.upper == MOST { Err("it claims nothing".to_owned()) } else { Ok(claim) };
    Ok(Task { board: problem.position.board, claim: claim?, line: line.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_says_which_side_is_claimed() {
        assert_eq!(Claim::of(4, -64, 0).bounds(), (0, 64));
        assert_eq!(Claim::of(-14, 0, 64).bounds(), (-64, 0));
        assert_eq!(Claim::of(0, -64, 64).bounds(), (0, 0));
        assert_eq!(Claim::of(9, -1, 1).bounds(), (2, 64));
        assert_eq!(Claim::of(0, -64, 64).asks(), [Ask::AtLeast(0), Ask::AtMost(0)]);
        assert_eq!(Ask::AtMost(0).question(), 2);
        assert_eq!(Ask::AtLeast(2).turned(), Ask::AtMost(-2));
    }

    #[test]
    fn lines_of_both_kinds() {
        let board = format!("{}OX------XO{} X;", "-".repeat(27), "-".repeat(27));
        let text = format!("obf,count,score,alpha,beta\n{board},9,4,-64,0\n\n{board} f5:+0;\n");
        let tasks = read(&text).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(tasks.iter().map(|t| t.claim.bounds()).collect::<Vec<_>>(), [(0, 64), (0, 0)]);
        let bad = format!("x\n{board},1,2\n{board}\n{board},1,65,0,2\n{board},1,0,2,2\n");
        assert_eq!(read(&bad).unwrap_err().len(), 5);
    }
}
