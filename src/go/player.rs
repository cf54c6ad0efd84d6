//! A Go player: thinks about the position of a game within limits and chooses a move.

use super::config::{Config, PlayerKind};
use super::ending;
use super::game::{GoGame, Play, Terms};
use super::gopal::{self, Follower, Library};
use super::mcts::{Hinters, Search, Searcher};
use super::net::{self, Cache, Net};
use super::point::Point;
use super::primitive;
use super::report::{self, Choice, Report};
use super::restriction::Restriction;
use super::tally::Tally;
use super::tree::{Id, Tree};
use crate::base::{Budget, Colour, Control, Limits, Stopwatch};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Time between two pieces of news from a search.
const NEWS_EVERY: Duration = Duration::from_millis(100);
/// Playouts between two looks at whether the search is decided.
const LOOK_EVERY: u64 = 64;
/// A tree this full is pruned before the search goes on.
const FULL: f64 = 0.95;
/// From this chance on, for either side, a game is as good as decided, and a move gets only a share of its time.
const SURE: f64 = 0.95;
const SHARE_WHEN_SURE: f64 = 0.2;

/// How a search is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To choose a move: may end as soon as the choice is clear.
    Choose,
    /// To find out as much as the limits allow.
    Examine,
}

/// A player with its search tree and its knowledge.
pub struct Player {
    config: Config,
    kept: Option<Kept>,
    /// What the rules of Gopal are, and their trees in the game that was last thought about.
    library: Arc<Library>,
    follower: Option<Follower>,
    /// The network, and what it has said.
    net: Option<(Arc<Net>, Cache)>,
}

/// The tree of the last search and the position at its root.
struct Kept {
    tree: Tree,
    terms: Terms,
    plays: Vec<Play>,
    to_move: Colour,
}

impl Kept {
    fn new(tree: Tree, game: &GoGame) -> Kept {
        Kept { tree, terms: game.terms(), plays: game.plays().to_vec(), to_move: game.to_move() }
    }

    /// The entry of the present position, if the game went on from the root along moves of the tree.
    fn find(&self, game: &GoGame) -> Option<Id> {
        if self.terms != game.terms() {
            return None;
        }
        let mut id = Tree::ROOT;
        let mut to_move = self.to_move;
        for play in game.plays().strip_prefix(self.plays.as_slice())? {
            if play.colour != to_move {
                return None;
            }
            let (first, children) = self.tree.children(id)?;
            id = first + children.iter().position(|child| child.point() == play.point)? as Id;
            to_move = !to_move;
        }
        (to_move == game.to_move()).then_some(id)
    }
}

impl Player {
    /// A player that has not seen a game yet.
    pub fn new(config: Config) -> Player {
        Player { config, kept: None, library: Library::standard(), follower: None, net: None }
    }

    /// Its settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Changes options. What was learnt with others is forgotten.
    pub fn set_config(&mut self, config: Config) {
        if config != self.config {
            let other_memory = config.memory_mb != self.config.memory_mb;
            self.config = config;
            self.kept = None;
            if other_memory {
                let net = self.net().cloned();
                self.set_net(net);
            }
        }
    }

    /// Another stream of random numbers, with nothing else changed.
    pub fn set_seed(&mut self, seed: u64) {
        self.config.seed = seed;
    }

    /// The network it uses.
    pub fn net(&self) -> Option<&Arc<Net>> {
        self.net.as_ref().map(|(net, _)| net)
    }

    /// Changes the network.
    pub fn set_net(&mut self, net: Option<Arc<Net>>) {
        self.net = net.map(|net| (net, Cache::new(net::search::cache_bytes(&self.config))));
    }

    /// The Gopal patterns it uses.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Changes the rules of Gopal.
    pub fn set_library(&mut self, library: Arc<Library>) {
        self.library = library;
        self.forget();
    }

    /// The Gopal trees of a game.
    pub fn follower(&mut self, game: &GoGame) -> &mut Follower {
        let library = &self.library;
        let follower = self.follower.get_or_insert_with(|| Follower::new(library.clone(), game));
        follower.set_bonus(self.config.gopal_intent);
        follower.follow(game);
        follower
    }

    /// What Gopal suggests for the root, as prior games.
    fn hints(&mut self, game: &GoGame) -> Vec<(Point, f32)> {
        let most = self.config.gopal_priors;
        if most <= 0.0 {
            return Vec::new();
        }
        let shares = gopal::search::hints(game, self.follower(game));
        shares.into_iter().map(|(p, share)| (p, share * most)).collect()
    }

    /// What names candidates below the root, if that is wanted.
    fn below(&mut self, game: &GoGame) -> Option<gopal::search::Below> {
        let games = self.config.gopal_priors;
        let wanted = games > 0.0 && self.config.gopal_depth > 0;
        wanted.then(|| gopal::search::Below::new(game, self.follower(game), games))
    }

    /// Drops the search tree.
    pub fn forget(&mut self) {
        self.kept = None;
        self.follower = None;
        let net = self.net.take().map(|(net, _)| net);
        self.set_net(net);
    }

    /// Chooses a move for the side to move. Comes back soon when stopped, with a legal move in any case.
    pub fn think(&mut self, game: &GoGame, limits: Limits, control: Control<'_, Report>) -> Report {
        let mut report = self.search(game, limits, Purpose::Choose, control);
        report.choice = ending::choose(game, &self.config, &report);
        report
    }

    /// Like [`Player::think`], but passes only when all dead stones of the enemy are taken, and never gives up.
    pub fn clean(&mut self, game: &GoGame, limits: Limits, control: Control<'_, Report>) -> Report {
        let mut report = self.search(game, limits, Purpose::Choose, control);
        let config = Config { clean_up: true, resign_below: 0.0, ..self.config.clone() };
        report.choice = ending::choose(game, &config, &report);
        report
    }

    /// Searches without choosing: for hints and analysis.
    pub fn examine(&mut self, game: &GoGame, limits: Limits, control: Control<'_, Report>) -> Report {
        self.search(game, limits, Purpose::Examine, control)
    }

    /// The same without some of the moves, where the player can do that: nothing is kept of it.
    pub fn examine_within(
        &mut self,
        game: &GoGame,
        restrictions: &[Restriction],
        limits: Limits,
        control: Control<'_, Report>,
    ) -> Report {
        if restrictions.is_empty() {
            return self.examine(game, limits, control);
        }
        if let Some(report) = self.search_by_net(game, restrictions, limits, Purpose::Examine, control) {
            return report;
        }
        let hints = self.hints(game);
        self.kept = None;
        let tree = Tree::new(self.config.memory_mb << 20);
        let mut run = Run::new(&self.config, game, limits, Purpose::Examine, control);
        run.hints = hints;
        run.restrictions = restrictions.to_vec();
        run.on(tree).1
    }

    fn search(&mut self, game: &GoGame, limits: Limits, purpose: Purpose, control: Control<'_, Report>) -> Report {
        if self.config.kind == PlayerKind::Primitive {
            return primitive::search(game, &self.config, limits, control);
        }
        if self.config.kind == PlayerKind::Gopal {
            let config = self.config.clone();
            return gopal::search::search(game, &config, self.follower(game), limits, control);
        }
        if let Some(report) = self.search_by_net(game, &[], limits, purpose, control) {
            return report;
        }
        let hints = self.hints(game);
        let below = self.below(game).map(Arc::new);
        let tree = self.tree_for(game, control);
        let mut run = Run::new(&self.config, game, limits, purpose, control);
        run.hints = hints;
        run.below = below;
        let (tree, report) = run.on(tree);
        self.kept = Some(Kept::new(tree, game));
        report
    }

    /// A search led by the network, if that is what this player does.
    fn search_by_net(
        &self,
        game: &GoGame,
        restrictions: &[Restriction],
        limits: Limits,
        purpose: Purpose,
        control: Control<'_, Report>,
    ) -> Option<Report> {
        let (net, cache) = self.net.as_ref().filter(|_| self.config.kind == PlayerKind::Net)?;
        let (config, choose) = (&self.config, purpose == Purpose::Choose);
        let request = net::search::Request { game, config, net, cache, restrictions, limits, choose };
        Some(net::search::search(&request, control))
    }

    /// The tree to begin with: what is left of the last one if the game went on from there.
    fn tree_for(&mut self, game: &GoGame, control: Control<'_, Report>) -> Tree {
        let fresh = || Tree::new(self.config.memory_mb << 20);
        let Some(mut kept) = self.kept.take().filter(|_| self.config.reuse && self.config.gopal_priors == 0.0) else {
            return fresh();
        };
        match kept.find(game) {
            None => fresh(),
            Some(Tree::ROOT) => kept.tree,
            Some(id) if kept.tree.keep(id, 0, || control.stopped()) => kept.tree,
            Some(_) => fresh(),
        }
    }
}

/// One search, with its clock.
struct Run<'a> {
    config: &'a Config,
    game: &'a GoGame,
    limits: Limits,
    purpose: Purpose,
    control: Control<'a, Report>,
    begun: Stopwatch,
    /// Playouts of earlier rounds, before the tree was pruned.
    before: u64,
    tally: Tally,
    ended_for_memory: bool,
    /// Prior games for moves of the root.
    hints: Vec<(Point, f32)>,
    restrictions: Vec<Restriction>,
    /// The same below it.
    below: Option<Arc<gopal::search::Below>>,
}

impl<'a> Run<'a> {
    fn new(
        config: &'a Config,
        game: &'a GoGame,
        limits: Limits,
        purpose: Purpose,
        control: Control<'a, Report>,
    ) -> Run<'a> {
        let tally = Tally::new(game.geometry());
        Run {
            config,
            game,
            limits,
            purpose,
            control,
            begun: Stopwatch::start(limits.clock),
            before: 0,
            tally,
            ended_for_memory: false,
            hints: vec![],
            restrictions: vec![],
            below: None,
        }
    }

    /// The whole search, with the tree that is there at its end.
    fn on(&mut self, mut tree: Tree) -> (Tree, Report) {
        let mut report = self.go(&tree);
        while self.ended_for_memory && self.prune(&mut tree) {
            report = self.go(&tree);
        }
        (tree, report)
    }

    fn go(&mut self, tree: &Tree) -> Report {
        self.ended_for_memory = false;
        // Even a search that is stopped at once has made one playout, so that there is a move to show.
        let limit = self.limits.nodes.map_or(u64::MAX >> 1, |nodes| nodes.saturating_sub(self.before).max(1));
        let mut search = Search::new(self.config, tree, self.game, limit, self.before);
        search.hints.clone_from(&self.hints);
        search.restrictions.clone_from(&self.restrictions);
        search.hinters = self.below.clone().map(|below| Arc::new(move || below.clone().hinter()) as Hinters);
        let mut leader = Searcher::new(&search, 0);
        leader.first();
        let round = Round { run: self, search: &search, full: false.into() };
        std::thread::scope(|scope| {
            for thread in 1..self.config.threads {
                let (search, stop) = (&search, self.control.stop_flag());
                scope.spawn(move || Searcher::new(search, thread).run(stop, || {}));
            }
            round.lead(&mut leader);
            search.done.store(true, Relaxed);
        });
        let ended_for_memory = round.full.get();
        self.tally.add(&search.tally());
        self.before += search.playouts.load(Relaxed);
        self.ended_for_memory = ended_for_memory;
        let mut report = self.report(tree, self.before, &self.tally);
        report.complete = !self.control.stopped();
        report
    }

    fn report(&self, tree: &Tree, playouts: u64, tally: &Tally) -> Report {
        let moves = report::moves(tree);
        let choice = Choice::Play(moves.first().map_or(super::point::Point::PASS, |m| m.point));
        Report {
            to_move: self.game.to_move(),
            choice,
            moves,
            playouts,
            elapsed: self.begun.elapsed(),
            complete: false,
            tally: tally.clone(),
            memory: tree.fullness(),
        }
    }

    /// Drops what was hardly visited, more and more of it until half of the memory is free. False when the search is
    /// to end: what is known is known.
    fn prune(&self, tree: &mut Tree) -> bool {
        let late = || self.limits.time.is_some_and(|budget| self.begun.elapsed() >= budget.hard);
        let over = || self.control.stopped() || late();
        let mut least = 2 * self.config.expand_at.max(1);
        while !over() {
            if !tree.keep(Tree::ROOT, least, over) {
                return false;
            }
            if tree.fullness() < 0.5 || least > u32::MAX / 2 {
                return true;
            }
            least *= 2;
        }
        false
    }
}

/// The work of the leading thread: playouts like the others', and watching the clock.
struct Round<'r, 'a> {
    run: &'r Run<'a>,
    search: &'r Search<'r>,
    full: std::cell::Cell<bool>,
}

impl Round<'_, '_> {
    fn lead(&self, leader: &mut Searcher<'_, '_>) {
        let run = self.run;
        let mut next_news = run.begun.elapsed() + NEWS_EVERY;
        let mut next_look = LOOK_EVERY;
        leader.run(run.control.stop_flag(), || {
            let elapsed = run.begun.elapsed();
            let made = self.search.playouts.load(Relaxed);
            if run.limits.time.is_some_and(|budget| elapsed >= budget.hard) {
                self.search.done.store(true, Relaxed);
            } else if made >= next_look {
                next_look = made + LOOK_EVERY;
                self.look(elapsed, made);
            }
            if elapsed >= next_news {
                next_news = elapsed + NEWS_EVERY;
                let mut tally = run.tally.clone();
                tally.add(&self.search.tally());
                run.control.tell(&run.report(self.search.tree, run.before + made, &tally));
            }
        });
    }

    /// Ends the search if nothing can change any more, if it is time (which it is early in a game that is as good as
    /// decided), or if the tree is full.
    fn look(&self, elapsed: Duration, made: u64) {
        if self.search.tree.fullness() > FULL {
            self.full.set(true);
            self.search.done.store(true, Relaxed);
            return;
        }
        let run = self.run;
        if run.purpose == Purpose::Examine {
            return;
        }
        let Some(top) = Top::of(self.search.tree) else { return };
        let share = if run.config.early_stop && top.sure { SHARE_WHEN_SURE } else { 1.0 };
        let late = run.limits.time.is_some_and(|budget| elapsed >= budget.soft.mul_f64(share));
        let unchangeable = run.config.early_stop && top.lead > self.still_to_come(elapsed, made);
        if unchangeable || (late && top.settled) {
            self.search.done.store(true, Relaxed);
        }
    }

    /// About how many playouts can still be made.
    fn still_to_come(&self, elapsed: Duration, made: u64) -> u64 {
        let run = self.run;
        let by_number = run.limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(run.before + made));
        let by_time = run.limits.time.map_or(u64::MAX, |Budget { hard, .. }| {
            let rate = (run.before + made) as f64 / elapsed.as_secs_f64().max(1e-3);
            (rate * hard.saturating_sub(elapsed).as_secs_f64()) as u64
        });
        by_number.min(by_time)
    }
}

/// The two most visited moves of the root.
struct Top {
    /// Visits the first is ahead of the second.
    lead: u64,
    /// The first is also the one with the better results.
    settled: bool,
    /// It wins or loses as good as certainly.
    sure: bool,
}

impl Top {
    fn of(tree: &Tree) -> Option<Top> {
        let (_, children) = tree.children(Tree::ROOT)?;
        let mean = |i: usize| {
            let stats = children[i].stats();
            stats.value / f64::from(stats.visits.max(1))
        };
        let (mut first, mut second) = (0, None);
        for i in 1..children.len() {
            if children[i].visits() > children[first].visits() {
                second = Some(first);
                first = i;
            } else if second.is_none_or(|s: usize| children[i].visits() > children[s].visits()) {
                second = Some(i);
            }
        }
        let visits = |i: usize| u64::from(children[i].visits());
        let sure = (mean(first) - 0.5).abs() > SURE - 0.5;
        let Some(second) = second else { return Some(Top { lead: u64::MAX, settled: true, sure }) };
        let settled = mean(first) >= mean(second) || visits(first) > 2 * visits(second);
        Some(Top { lead: visits(first) - visits(second), settled, sure })
    }
}
