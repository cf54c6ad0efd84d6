use super::*;
use crate::base::Rng;
use std::collections::HashMap;

/// A tree written down: each node's children, named by the path to it, with bounds for who moves there.
#[derive(Default)]
struct Drawn {
    children: HashMap<&'static str, Vec<(&'static str, Bounds)>>,
    /// The nodes in the order they were expanded.
    expanded: Vec<&'static str>,
}

impl Drawn {
    fn with(mut self, node: &'static str, children: &[(&'static str, f32, f32)]) -> Drawn {
        let children = children.iter().map(|&(name, lower, upper)| (name, Bounds::new(lower, upper))).collect();
        self.children.insert(node, children);
        self
    }
}

impl Domain for &mut Drawn {
    type Move = &'static str;
    type State = &'static str;

    fn expand(&mut self, state: &&'static str) -> Vec<(&'static str, &'static str, Bounds)> {
        self.expanded.push(state);
        let children = self.children.get(state).cloned().unwrap_or_default();
        children.into_iter().map(|(name, bounds)| (name, name, bounds)).collect()
    }
}

fn search(drawn: &mut Drawn, most: u64) -> Outcome<&'static str> {
    let mut search = Search::new(drawn, "root");
    let end = search.run(|nodes| nodes >= most);
    search.outcome(end, Duration::ZERO)
}

#[test]
fn a_proven_move_needs_no_search() {
    let mut drawn = Drawn::default().with("root", &[("a", 10.0, 20.0), ("b", 0.0, 10.0), ("c", -5.0, 3.0)]);
    let outcome = search(&mut drawn, 100);
    assert_eq!((outcome.end, outcome.moves[0].play, outcome.nodes), (End::Proven, "a", 3));
    assert_eq!(drawn.expanded, ["root"]);
}

#[test]
fn it_stops_exactly_when_the_lower_bound_reaches_every_other_upper_bound() {
    // b reaches up to 10.5: a is not proven by 10. ProveBest has a short way to go and takes it.
    let mut drawn = Drawn::default()
        .with("root", &[("a", 10.0, 20.0), ("b", 9.0, 10.5)])
        .with("a", &[("a1", -15.0, -10.5), ("a2", -16.0, -12.0)])
        .with("a1", &[("a11", 12.0, 12.0)]);
    let outcome = search(&mut drawn, 100);
    assert_eq!((outcome.end, outcome.moves[0].play), (End::Proven, "a"));
    // After expanding a its bounds are those of the best reply: exactly 10.5 suffices.
    assert_eq!(outcome.moves[0].bounds, Bounds::new(10.5, 15.0));
    assert_eq!((outcome.prove_best, outcome.disprove_rest), (1, 0));
    assert_eq!(drawn.expanded, ["root", "a"]);
}

#[test]
fn the_rest_is_disproved_where_that_is_shorter() {
    // a would have to rise over its whole range, b only to come down a little.
    let mut drawn =
        Drawn::default().with("root", &[("a", 0.0, 20.0), ("b", -30.0, 2.0)]).with("b", &[("b1", 1.0, 30.0)]);
    let outcome = search(&mut drawn, 100);
    assert_eq!((outcome.end, outcome.moves[0].play), (End::Proven, "a"));
    assert_eq!((outcome.prove_best, outcome.disprove_rest), (0, 1));
    assert_eq!(drawn.expanded, ["root", "b"]);
    assert_eq!(outcome.moves[1].bounds, Bounds::new(-30.0, -1.0));
    assert_eq!(outcome.moves[1].line, ["b", "b1"]);
}

#[test]
fn a_best_move_that_disappoints_gives_way() {
    let mut drawn = Drawn::default()
        .with("root", &[("a", 0.0, 20.0), ("b", 4.0, 8.0)])
        .with("a", &[("a1", -3.0, -1.0)])
        .with("b", &[("b1", -6.0, -5.0)]);
    let outcome = search(&mut drawn, 100);
    assert_eq!((outcome.end, outcome.moves[0].play), (End::Proven, "b"));
}

#[test]
fn a_budget_forces_the_largest_lower_bound() {
    let wide = [("a", -10.0, 20.0), ("b", -2.0, 18.0), ("c", -2.0, 19.0)];
    let mut drawn = Drawn::default().with("root", &wide);
    let outcome = search(&mut drawn, 3);
    assert_eq!((outcome.end, outcome.nodes), (End::Budget, 3));
    assert_eq!(outcome.moves.iter().map(|m| m.play).collect::<Vec<_>>(), ["c", "b", "a"]);
    // Without replies nothing can be proven, and the search says so.
    let outcome = search(&mut Drawn::default().with("root", &wide), 100);
    assert_eq!(outcome.end, End::Exhausted);
    assert_eq!(search(&mut Drawn::default(), 100).end, End::Exhausted);
}

/// Trees of a fixed depth with exact values at the leaves and honest bounds above them.
#[derive(Clone)]
struct Random {
    seed: u64,
    width: usize,
    depth: usize,
    nodes: u64,
}

impl Random {
    /// The value of a node for the side that moved to it.
    fn value(&mut self, path: &[usize]) -> f32 {
        self.nodes += 1;
        if path.len() == self.depth {
            let key = path.iter().fold(self.seed, |key, &i| key.wrapping_mul(31).wrapping_add(i as u64 + 1));
            return Rng::new(key).below(2001) as f32 - 1000.0;
        }
        let best = (0..self.width).map(|i| self.value(&[path, &[i]].concat())).fold(f32::NEG_INFINITY, f32::max);
        -best
    }
}

impl Domain for Random {
    type Move = usize;
    type State = Vec<usize>;

    fn expand(&mut self, path: &Vec<usize>) -> Vec<(usize, Vec<usize>, Bounds)> {
        let count = if path.len() == self.depth { 0 } else { self.width };
        let child = |i: usize| {
            let next = [path.as_slice(), &[i]].concat();
            let value = self.clone().value(&next);
            let left = (self.depth - next.len()) as f32;
            let mut rng = Rng::new(value.to_bits().into());
            let mut slack = || if left == 0.0 { 0.0 } else { rng.unit() as f32 * 150.0 * left };
            (i, next, Bounds::new(value - slack(), value + slack()))
        };
        (0..count).map(child).collect()
    }
}

#[test]
fn with_honest_bounds_the_best_move_is_found() {
    let mut proven = 0;
    for seed in 0..60 {
        let mut domain = Random { seed, width: 3, depth: 4, nodes: 0 };
        let values: Vec<f32> = (0..3).map(|i| domain.value(&[i])).collect();
        let best = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut search = Search::new(domain, vec![]);
        let end = search.run(|_| false);
        let outcome = search.outcome(end, Duration::ZERO);
        assert_eq!(values[outcome.moves[0].play], best, "seed {seed}");
        for ranked in &outcome.moves {
            let value = values[ranked.play];
            assert!(ranked.bounds.lower <= value && value <= ranked.bounds.upper);
        }
        proven += usize::from(end == End::Proven);
        assert!(outcome.nodes <= 3 + 9 + 27 + 81);
    }
    assert_eq!(proven, 60);
}

/// The value of a state for the side to move by plain alpha-beta, moves in the order of their upper bounds; counts
/// the nodes made.
fn alpha_beta(domain: &mut Random, path: &Vec<usize>, alpha: f32, beta: f32, nodes: &mut u64) -> (f32, usize) {
    let mut children = domain.expand(path);
    children.sort_by(|a, b| b.2.upper.total_cmp(&a.2.upper));
    let (mut best, mut chosen) = (f32::NEG_INFINITY, 0);
    for (play, next, bounds) in children {
        *nodes += 1;
        let leaf = next.len() == domain.depth;
        let lowest = alpha.max(best);
        let value = if leaf { bounds.lower } else { -alpha_beta(domain, &next, -beta, -lowest, nodes).0 };
        if value > best {
            (best, chosen) = (value, play);
        }
        if best >= beta {
            break;
        }
    }
    (best, chosen)
}

/// Both find the same move; `cargo test --lib fewer_nodes -- --nocapture` prints the counts.
#[test]
fn fewer_nodes_than_alpha_beta_on_trees_with_honest_bounds() {
    let (mut ours, mut theirs, mut fewer) = (0, 0, 0);
    for seed in 0..40 {
        let mut domain = Random { seed: 1_000 + seed, width: 4, depth: 5, nodes: 0 };
        let mut nodes = 0;
        let (value, _) = alpha_beta(&mut domain, &vec![], f32::NEG_INFINITY, f32::INFINITY, &mut nodes);
        let mut search = Search::new(domain.clone(), vec![]);
        let end = search.run(|_| false);
        let outcome = search.outcome(end, Duration::ZERO);
        assert_eq!(domain.value(&[outcome.moves[0].play]), value);
        (ours, theirs) = (ours + outcome.nodes, theirs + nodes);
        fewer += usize::from(outcome.nodes < nodes);
    }
    println!("40 trees of width 4 and depth 5: B* {ours} nodes, alpha-beta {theirs}; B* had fewer on {fewer}");
    assert!(ours < theirs, "{ours} {theirs}");
}
