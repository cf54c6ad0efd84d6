//! B* search (section 3.2 of the Gopal paper): every node has a lower and an upper bound; the search ends when the
//! lower bound of one move is at least the upper bounds of all others.

use std::time::Duration;

/// What the value of a move may be, for the side that makes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub lower: f32,
    pub upper: f32,
}

impl Bounds {
    pub const fn new(lower: f32, upper: f32) -> Bounds {
        Bounds { lower, upper }
    }

    /// What both say; where they contradict each other, what was found deeper.
    fn narrowed(self, deeper: Bounds) -> Bounds {
        let (lower, upper) = (self.lower.max(deeper.lower), self.upper.min(deeper.upper));
        if lower <= upper { Bounds { lower, upper } } else { deeper }
    }

    fn width(self) -> f32 {
        self.upper - self.lower
    }
}

/// The game that is searched.
pub trait Domain {
    type Move: Copy;
    type State;

    /// The moves of a state, each with the state it leads to and its bounds for the side that makes it. None: the
    /// state is not searched further. Moves after which nothing can change should have equal bounds.
    fn expand(&mut self, state: &Self::State) -> Vec<(Self::Move, Self::State, Bounds)>;
}

/// Which way the search tries to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Raise the lower bound of the best move.
    ProveBest,
    /// Lower the upper bounds of the others.
    DisproveRest,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The best move is proven.
    Proven,
    /// Nothing is left to expand.
    Exhausted,
    /// The budget is used up.
    Budget,
}

#[derive(Debug, Clone)]
pub struct Outcome<M> {
    /// The moves of the root with their bounds, best first.
    pub moves: Vec<Ranked<M>>,
    pub end: End,
    /// Nodes made.
    pub nodes: u64,
    /// How often each strategy was chosen.
    pub prove_best: u64,
    pub disprove_rest: u64,
    pub elapsed: Duration,
}

#[derive(Debug, Clone)]
pub struct Ranked<M> {
    pub play: M,
    pub bounds: Bounds,
    /// The expected line from here, this move first.
    pub line: Vec<M>,
    /// Nodes below.
    pub nodes: u64,
}

struct Node<M, S> {
    play: Option<M>,
    /// Kept until the node is expanded.
    state: Option<S>,
    bounds: Bounds,
    parent: usize,
    children: std::ops::Range<usize>,
    expanded: bool,
    /// No leaf below can be expanded.
    closed: bool,
    below: u64,
}

/// A search in progress.
pub struct Search<D: Domain> {
    domain: D,
    nodes: Vec<Node<D::Move, D::State>>,
    prove_best: u64,
    disprove_rest: u64,
    strategy: Option<Strategy>,
}

const ROOT: usize = 0;

impl<D: Domain> Search<D> {
    /// Makes the top level: step 1.
    pub fn new(domain: D, root: D::State) -> Search<D> {
        let bounds = Bounds::new(f32::NEG_INFINITY, f32::INFINITY);
        let root = Node {
            play: None,
            state: Some(root),
            bounds,
            parent: ROOT,
            children: 0..0,
            expanded: false,
            closed: false,
            below: 0,
        };
        let mut search = Search { domain, nodes: vec![root], prove_best: 0, disprove_rest: 0, strategy: None };
        search.expand(ROOT);
        search
    }

    /// Runs until step 3 ends it or `over` says so; `over` is asked after every expansion with the number of nodes.
    pub fn run(&mut self, mut over: impl FnMut(u64) -> bool) -> End {
        loop {
            if let Some(end) = self.ended() {
                return end;
            }
            if over(self.made()) {
                return End::Budget;
            }
            if let Some(end) = self.step() {
                return end;
            }
        }
    }

    /// Why the search is over without another step, if it is.
    fn ended(&self) -> Option<End> {
        match self.top() {
            None => Some(End::Exhausted),
            Some((best, rival)) => self.is_proven(best, rival).then_some(End::Proven),
        }
    }

    /// Steps 2 to 5 once; says why if the search is over.
    pub fn step(&mut self) -> Option<End> {
        if let Some(end) = self.ended() {
            return Some(end);
        }
        let at = self.top().and_then(|(best, rival)| self.choose(best, rival));
        let Some(leaf) = at.and_then(|at| self.descend(at)) else { return Some(End::Exhausted) };
        self.expand(leaf);
        None
    }

    /// Whether a move is worth more than `value` for sure, or none is; `None` while that is open.
    pub fn beats(&self, value: f32) -> Option<bool> {
        let mut bounds = self.nodes[ROOT].children.clone().map(|id| self.nodes[id].bounds);
        if bounds.clone().any(|b| b.lower > value) {
            return Some(true);
        }
        bounds.all(|b| b.upper <= value).then_some(false)
    }

    /// Looks deeper at the best move although it is proven: for its value. False if nothing is left.
    pub fn deepen(&mut self) -> bool {
        let open = |&(best, _): &(usize, Option<usize>)| !self.nodes[best].closed;
        let Some(leaf) = self.top().filter(open).and_then(|(best, _)| self.descend(best)) else { return false };
        self.expand(leaf);
        true
    }

    pub fn domain(&self) -> &D {
        &self.domain
    }

    /// Nodes made so far, the root not counted.
    pub fn made(&self) -> u64 {
        self.nodes.len() as u64 - 1
    }

    /// What the search last worked on.
    pub fn strategy(&self) -> Option<Strategy> {
        self.strategy
    }

    /// Step 2: the move with the largest upper bound, and of the others the one with the largest.
    fn top(&self) -> Option<(usize, Option<usize>)> {
        let best = self.best_child(ROOT, None)?;
        Some((best, self.best_child(ROOT, Some(best))))
    }

    /// The child with the largest upper bound, then lower bound, then the first.
    fn best_child(&self, id: usize, except: Option<usize>) -> Option<usize> {
        let key = |i: usize| self.nodes[i].bounds;
        self.nodes[id].children.clone().filter(|&i| Some(i) != except).reduce(|a, b| {
            let (x, y) = (key(a), key(b));
            if (y.upper, y.lower) > (x.upper, x.lower) { b } else { a }
        })
    }

    /// Step 3.
    fn is_proven(&self, best: usize, rival: Option<usize>) -> bool {
        rival.is_none_or(|rival| self.nodes[best].bounds.lower >= self.nodes[rival].bounds.upper)
    }

    /// Step 4: the node to work under. ProveBest has to raise the lower bound of the best move over the largest upper
    /// bound of the others; DisproveRest has to lower all of these. What has to move less of its range is likelier.
    fn choose(&mut self, best: usize, rival: Option<usize>) -> Option<usize> {
        let rival = rival?;
        let top = self.nodes[best].bounds;
        let target = self.nodes[rival].bounds.upper;
        let raise = share(target - top.lower, top.width());
        // All rivals above the line have to come down: the chances multiply.
        let stays = |i: usize| {
            let bounds = self.nodes[i].bounds;
            1.0 - share(bounds.upper - top.lower, bounds.width())
        };
        let rest = self.nodes[ROOT].children.clone().filter(|&i| i != best && self.nodes[i].bounds.upper > top.lower);
        let lower: f32 = rest.map(stays).product();
        let prove = 1.0 - raise >= lower;
        let open = |id: usize| !self.nodes[id].closed;
        let worst_rival = self.nodes[ROOT]
            .children
            .clone()
            .filter(|&i| i != best && open(i) && self.nodes[i].bounds.upper > top.lower)
            .reduce(|a, b| if self.nodes[b].bounds.upper > self.nodes[a].bounds.upper { b } else { a });
        let (strategy, at) = match (open(best), worst_rival) {
            (true, Some(_)) if prove => (Strategy::ProveBest, best),
            (_, Some(rival)) => (Strategy::DisproveRest, rival),
            (true, None) => (Strategy::ProveBest, best),
            (false, None) => return None,
        };
        match strategy {
            Strategy::ProveBest => self.prove_best += 1,
            Strategy::DisproveRest => self.disprove_rest += 1,
        }
        self.strategy = Some(strategy);
        Some(at)
    }

    /// Step 5: down to a leaf, always to the reply that decides the bound that is to move. To raise the lower bound of
    /// a move, or to lower its upper bound, the replies with the largest upper bound must be looked at.
    fn descend(&self, from: usize) -> Option<usize> {
        let mut id = from;
        while self.nodes[id].expanded {
            let open = self.nodes[id].children.clone().filter(|&i| !self.nodes[i].closed);
            id = open.reduce(|a, b| {
                let (x, y) = (self.nodes[a].bounds, self.nodes[b].bounds);
                if (y.upper, y.lower) > (x.upper, x.lower) { b } else { a }
            })?;
        }
        Some(id)
    }

    fn expand(&mut self, id: usize) {
        self.nodes[id].expanded = true;
        let Some(state) = self.nodes[id].state.take() else { return };
        let children = self.domain.expand(&state);
        let first = self.nodes.len();
        for (play, state, bounds) in children {
            // Where the bounds meet nothing is left to find out.
            let closed = bounds.upper <= bounds.lower;
            self.nodes.push(Node {
                play: Some(play),
                state: (!closed).then_some(state),
                bounds,
                parent: id,
                children: 0..0,
                expanded: false,
                closed,
                below: 0,
            });
        }
        let made = (self.nodes.len() - first) as u64;
        self.nodes[id].children = first..self.nodes.len();
        self.nodes[id].closed = made == 0;
        self.back_up(id, made);
    }

    /// Carries bounds, counts and what is closed up to the root.
    fn back_up(&mut self, mut id: usize, made: u64) {
        loop {
            self.nodes[id].below += made;
            let children = self.nodes[id].children.clone();
            if !children.is_empty() {
                let most = |value: fn(Bounds) -> f32| {
                    children.clone().map(|i| value(self.nodes[i].bounds)).fold(f32::NEG_INFINITY, f32::max)
                };
                let (lower, upper) = (-most(|b| b.upper), -most(|b| b.lower));
                let all_closed = children.clone().all(|i| self.nodes[i].closed);
                let node = &mut self.nodes[id];
                node.bounds = node.bounds.narrowed(Bounds { lower, upper });
                node.closed = all_closed || (id != ROOT && node.bounds.upper <= node.bounds.lower);
            }
            if id == ROOT {
                return;
            }
            id = self.nodes[id].parent;
        }
    }

    /// The moves of the root, and what it took. When the search was ended by force, the largest lower bound comes
    /// first, then the largest upper bound.
    pub fn outcome(&self, end: End, elapsed: Duration) -> Outcome<D::Move> {
        let mut ids: Vec<usize> = self.nodes[ROOT].children.clone().collect();
        let by_lower = |b: Bounds| (b.lower, b.upper);
        ids.sort_by(|&a, &b| {
            let (x, y) = (by_lower(self.nodes[a].bounds), by_lower(self.nodes[b].bounds));
            y.0.total_cmp(&x.0).then(y.1.total_cmp(&x.1))
        });
        let ranked = |id: usize| {
            let node = &self.nodes[id];
            Some(Ranked { play: node.play?, bounds: node.bounds, line: self.line(id), nodes: node.below + 1 })
        };
        Outcome {
            moves: ids.into_iter().filter_map(ranked).collect(),
            end,
            nodes: self.made(),
            prove_best: self.prove_best,
            disprove_rest: self.disprove_rest,
            elapsed,
        }
    }

    fn line(&self, mut id: usize) -> Vec<D::Move> {
        let mut line: Vec<D::Move> = self.nodes[id].play.into_iter().collect();
        while let Some(next) = self.best_child(id, None) {
            line.extend(self.nodes[next].play);
            id = next;
        }
        line
    }
}

/// How much of a range has to be crossed: 0 nothing, 1 all of it or more.
fn share(distance: f32, width: f32) -> f32 {
    if distance <= 0.0 {
        0.0
    } else if width <= 0.0 {
        1.0
    } else {
        (distance / width).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
#[path = "bstar_tests.rs"]
mod tests;
