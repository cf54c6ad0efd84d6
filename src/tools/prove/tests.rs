use super::*;
use crate::{
    base::{Control, Rng},
    othello::{
        Square, Weights,
        search::{Config, Effort, Searcher, Task as Search},
    },
    tools::kinds::KINDS,
};
use clap::Parser;
use std::fs;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: ProveArgs,
}

fn random_position(seed: u64, empties: u32) -> Board {
    let mut rng = Rng::new(seed);
    loop {
        let mut board = Board::START;
        while board.empty_count() > empties {
            let moves: Vec<Square> = board.moves().into_iter().collect();
            board = match rng.pick(&moves) {
                Some(&square) => board.play(square).unwrap(),
                None if board.must_pass() => board.pass(),
                None => break,
            };
        }
        if board.empty_count() == empties && board.can_move() {
            return board;
        }
    }
}

fn truth(board: Board) -> i32 {
    let mut searcher = Searcher::new(Config { threads: 1, hash_bits: 14, weights: Weights::builtin() });
    searcher.search(board, &Search::new(Effort::Exact), Control::alone()).value.rounded()
}

/// The command with these words in a folder; what it prints, or its complaint.
fn run(folder: &Path, words: &str) -> (String, Option<String>) {
    let line = format!("prove {words}").replace('@', &format!("{}/", folder.display()));
    let words = line.split('|').flat_map(|part| match part.strip_prefix('=') {
        Some(whole) => vec![whole],
        None => part.split_whitespace().collect(),
    });
    let args = Line::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).args;
    let recipe = Recipe { make: Arc::new(engine_of_tests), options: vec![] };
    let searching = Searching { args: &args, recipe, kinds: KINDS, stop: Arc::default() };
    let mut out = vec![];
    let done = match (&args.verify, &args.tasks, &args.knowledge) {
        (Some(tree), ..) => verify(tree, &searching, &mut out),
        (_, Some(tasks), Some(knowledge)) => prove(tasks, knowledge, &searching, &mut out),
        _ => unreachable!(),
    };
    (String::from_utf8(out).unwrap(), done.err().map(|e| e.to_string()))
}

#[test]
fn claims_are_proven_once_and_a_wrong_one_is_refuted() {
    let folder = tempfile::tempdir().unwrap();
    let boards: Vec<Board> = (0..6).map(|seed| random_position(seed, 10)).collect();
    let scores: Vec<i32> = boards.iter().map(|board| truth(*board)).collect();
    let mut lines = String::from("obf,count,score,alpha,beta\n");
    for (board, score) in boards.iter().zip(&scores) {
        lines += &format!("{},1,{score},-64,64\n", knowledge::obf(*board));
    }
    fs::write(folder.path().join("tasks"), &lines).unwrap();
    let (said, error) = run(folder.path(), "@tasks -k @known --most 3 --missing @rest");
    assert!(error.unwrap().contains("open") && said.contains("3 searches"), "{said}");
    assert!(fs::read_to_string(folder.path().join("rest")).unwrap().lines().count() > 2);
    // Half a line of a process that died.
    let known = fs::read_to_string(folder.path().join("known")).unwrap();
    fs::write(folder.path().join("known"), format!("{known}----XO")).unwrap();
    let (said, error) = run(folder.path(), "@tasks -k @known --jobs 2 --tree @tree");
    assert!(error.is_none() && said.contains("6 proven, 0 refuted, 0 open"), "{said} {error:?}");
    let (said, _) = run(folder.path(), "@tasks -k @known");
    assert!(said.contains("\n0 searches"), "{said}");
    let (said, error) = run(folder.path(), "--verify @tree");
    assert!(error.is_none() && said.contains(" 0 different, 0 searches not finished"), "{said} {error:?}");
    let wrong = lines.replace(&format!(",{},-64,64\n", scores[0]), &format!(",{},-64,64\n", scores[0] + 2));
    fs::write(folder.path().join("tasks"), wrong).unwrap();
    assert!(run(folder.path(), "@tasks -k @known").1.unwrap().contains("refuted"));
}

#[test]
fn a_root_is_proven_from_as_few_positions_as_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let root = random_position(77, 12);
    let value = truth(root);
    // The truth about every position two plies below.
    let mut lines = String::new();
    let mut all = HashSet::new();
    for child in root.moves().into_iter().filter_map(|s| root.play(s)) {
        let child = if child.must_pass() { child.pass() } else { child };
        for leaf in child.moves().into_iter().filter_map(|s| child.play(s)) {
            if all.insert(leaf.canonical().0) && !leaf.is_over() {
                lines += &format!("{},1,{},-64,64\n", knowledge::obf(leaf), truth(leaf));
            }
        }
    }
    fs::write(folder.path().join("tasks"), &lines).unwrap();
    let words = format!("@tasks -k @known --claim {value},{value} --tree @tree --root|={}", knowledge::obf(root));
    let (said, error) = run(folder.path(), &words);
    assert!(error.is_none() && said.contains("1 proven"), "{said} {error:?}");
    let few: usize = said.split("still to prove: ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(few > 0 && few < all.len(), "{few} of {} leaves: {said}", all.len());
    let (said, error) = run(folder.path(), "--verify @tree");
    assert!(error.is_none() && said.contains("proven: "), "{said} {error:?}");
    // A proof with a line less is none.
    let tree = fs::read_to_string(folder.path().join("tree")).unwrap();
    let mut lines: Vec<&str> = tree.lines().collect();
    let searched = lines.iter().position(|line| !line.ends_with(",0")).filter(|at| *at > 0).unwrap_or(1);
    lines.remove(searched);
    fs::write(folder.path().join("less"), lines.join("\n")).unwrap();
    let (said, error) = run(folder.path(), "--verify @less");
    assert!(error.unwrap().contains("wrong") && said.contains("does not follow"), "{said}");
    // What is false cannot be proven.
    let words = format!("@tasks -k @other --claim {},64 --root|={}", value + 2, knowledge::obf(root));
    assert!(run(folder.path(), &words).1.unwrap().contains("cannot prove the root"));
}

#[test]
fn a_tree_is_made_move_by_move() {
    let folder = tempfile::tempdir().unwrap();
    let root = random_position(5, 13);
    let value = truth(root);
    fs::write(folder.path().join("tasks"), format!("{},1,{value},-64,64\n", knowledge::obf(root))).unwrap();
    let (said, error) = run(folder.path(), "@tasks -k @known --split 10 --level 2 --tree @tree");
    assert!(error.is_none() && said.contains("1 proven"), "{said} {error:?}");
    let (said, error) = run(folder.path(), "--verify @tree");
    assert!(error.is_none() && !said.contains("0 steps follow"), "{said} {error:?}");
}
