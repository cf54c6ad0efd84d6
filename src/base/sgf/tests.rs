use super::*;
use crate::base::Rng;
use proptest::prelude::*;

fn one(text: &str) -> Tree {
    let mut trees = parse(text).unwrap();
    assert_eq!(trees.len(), 1);
    trees.remove(0)
}

#[test]
fn a_game_with_variations() {
    let tree = one("mail header\n( ;FF[4] GM [1]SZ[9]\n;B[ee];W[gc](;B[cc];W[ca])(;B[gg]))");
    assert_eq!(tree.size(), 6);
    let names = |path: Vec<usize>| path.iter().map(|&n| tree.node(n).to_string()).collect::<Vec<_>>();
    assert_eq!(names(tree.main_line().collect()), [";FF[4]GM[1]SZ[9]", ";B[ee]", ";W[gc]", ";B[cc]", ";W[ca]"]);
    assert_eq!(tree.leaves(), [4, 5]);
    assert_eq!(names(tree.path(5)), [";FF[4]GM[1]SZ[9]", ";B[ee]", ";W[gc]", ";B[gg]"]);
    assert_eq!(tree.to_string(), "(;FF[4]GM[1]SZ[9]\n;B[ee];W[gc](;B[cc];W[ca])(;B[gg]))");
    assert_eq!((tree.root().get("SZ"), tree.root().get("KM")), (Some("9"), None));
}

#[test]
fn escapes_and_long_names() {
    let tree = one("(;Comment[a\\]b\\\\c \\: joined\\\nline\nnext]AddBlack[aa]\n[bb])");
    assert_eq!(tree.root().get("C"), Some("a]b\\c : joinedline\nnext"));
    assert_eq!(tree.root().values("AB"), ["aa", "bb"]);
}

#[test]
fn errors_name_their_place() {
    for (text, message) in [
        ("(;B[aa]", "column 8: expected `;`, `(`, `)` or a property, found the end"),
        ("(;B[aa", "column 7: expected `]`, found the end"),
        ("(;B)", "column 4: expected `[`, found `)`"),
        ("()", "column 2: expected `;`, found `)`"),
        ("(;FF[4]\n();)", "line 2, column 2: expected `;`, found `)`"),
        ("(;C[é]?)", "column 7: expected `;`, `(`, `)` or a property, found `?`"),
        ("nothing", "column 1: expected `(`, found `n`"),
        ("(;b[1])", "column 3: expected a property in capital letters, found `b`"),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
    }
    assert_eq!(parse(" \n"), Ok(vec![]));
}

#[test]
fn a_bad_game_does_not_hide_the_next() {
    let found: Vec<_> = games("(;A[1])\n(;B[2\n(;C[3])(;D[4])\n(;E]\n\n (;F[6])").collect();
    // The open value of the second game runs into the third, which closes it; it is then lost at the `(`.
    let names: Vec<_> = found.iter().map(|g| g.as_ref().map_or("bad".into(), Tree::to_string)).collect();
    assert_eq!(names.last().map(String::as_str), Some("(;F[6])"));
    assert_eq!(names.first().map(String::as_str), Some("(;A[1])"));
    assert!(found.iter().any(|game| game.as_ref().is_err_and(|e| e.line == 4)));
}

#[test]
fn depth_without_end() {
    let deep = "(;A[1]".repeat(200_000);
    assert!(parse(&deep).is_err());
    let whole = deep.clone() + &")".repeat(200_000);
    let tree = one(&whole);
    assert_eq!((tree.size(), tree.main_line().count()), (200_000, 200_000));
    assert!(tree.to_string().len() > 200_000);
}

fn property() -> impl Strategy<Value = Property> {
    let value = prop::collection::vec(any::<char>(), 0..6).prop_map(|c| c.into_iter().collect::<String>());
    ("[A-Z]{1,2}", prop::collection::vec(value, 1..3)).prop_map(|(name, values)| Property { name, values })
}

fn tree_strategy() -> impl Strategy<Value = Tree> {
    let node = prop::collection::vec(property(), 0..3).prop_map(|properties| {
        let mut node = Node::new();
        for property in properties {
            property.values.into_iter().for_each(|value| node.push(&property.name, value));
        }
        node
    });
    prop::collection::vec((node, any::<prop::sample::Index>()), 1..12).prop_map(|nodes| {
        let mut nodes = nodes.into_iter();
        let mut tree = Tree::new(nodes.next().map(|(node, _)| node).unwrap_or_default());
        for (node, parent) in nodes {
            tree.add(parent.index(tree.size()), node);
        }
        tree
    })
}

/// The nodes in the order they are written, each with how deep it is: equal for equal trees however they are numbered.
fn shape(tree: &Tree) -> Vec<(usize, Vec<Property>)> {
    let mut open = vec![(0, 0)];
    let mut found = Vec::new();
    while let Some((depth, number)) = open.pop() {
        found.push((depth, tree.node(number).properties.clone()));
        open.extend(tree.node(number).children().iter().rev().map(|&child| (depth + 1, child)));
    }
    found
}

#[test]
fn hostile_files_take_no_time() {
    let unclosed = "(;A[1]\n".repeat(20_000);
    assert_eq!(games(&unclosed).count(), 21);
    let bad = "(;A]\n".repeat(20_000);
    let lines: Vec<_> = games(&bad).map(|game| game.unwrap_err().line).collect();
    assert_eq!(lines, (1..=20_000).collect::<Vec<_>>());
}

proptest! {
    #[test]
    fn printed_and_read_again(tree in tree_strategy()) {
        let text = tree.to_string();
        let again = one(&text);
        prop_assert_eq!(shape(&again), shape(&tree));
        prop_assert_eq!(again.to_string(), text);
    }

    #[test]
    fn no_text_is_too_strange(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        const PIECES: [&str; 14] = ["(", ")", ";", "[", "]", "\\", "B", "aa", "\n", "\r", " ", "é", "AB[cc]", ";W[]"];
        let text: String = (0..40).map(|_| PIECES[rng.below(PIECES.len())]).collect();
        for tree in games(&text).flatten() {
            prop_assert_eq!(shape(&one(&tree.to_string())), shape(&tree));
        }
    }
}
