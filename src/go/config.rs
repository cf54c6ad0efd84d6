//! Everything about a Go player that can be chosen, and the named players.

use super::eye::EyeRule;
use super::pattern::PatternTable;
use super::policy::Weights;
use crate::base::TimeSource;
use crate::base::settings::{self, Kind, Setting, SettingError, SettingView, Value};
use std::{sync::Arc, time::Duration};

/// The players of the course, and ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayerKind {
    /// The same number of playouts for every move.
    Primitive,
    /// A tree that grows where it is good, with uniform playouts.
    Uct,
    /// The tree with patterns: better playouts, moves tried in order of promise, a bonus for promising ones.
    Patterns,
    /// With the value of moves made later, and everything else.
    Rave,
    /// Gopal's candidates, searched by B*.
    Gopal,
    /// A search led by a network.
    Net,
}

impl PlayerKind {
    /// The names of all kinds.
    pub const NAMES: &'static [&'static str] = &["primitive", "uct", "patterns", "rave", "gopal", "net"];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    fn from_name(name: &str) -> Option<PlayerKind> {
        use PlayerKind::{Gopal, Net, Patterns, Primitive, Rave, Uct};
        [Primitive, Uct, Patterns, Rave, Gopal, Net].into_iter().find(|kind| kind.name() == name)
    }
}

/// What a node's moves are given before the first playout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriorKind {
    None,
    /// A pattern bonus in the UCB formula.
    Bonus,
    /// Games counted as played.
    Games,
}

impl PriorKind {
    pub const NAMES: &'static [&'static str] = &["none", "bonus", "games"];

    fn from_name(name: &str) -> PriorKind {
        match name {
            "bonus" => PriorKind::Bonus,
            "games" => PriorKind::Games,
            _ => PriorKind::None,
        }
    }
}

/// How a player thinks.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Which kind of player this began as.
    pub kind: PlayerKind,
    /// Playouts for a move; 0: as many as time allows.
    pub playouts: u64,
    /// Playouts for each move of the primitive player.
    pub playouts_per_move: u64,
    /// For a move, when there is neither a clock nor a number of playouts.
    pub time: Duration,
    /// Clocks and `time` count processor time.
    pub cpu_clock: bool,
    /// Threads that search together.
    pub threads: usize,
    /// For the tree.
    pub memory_mb: usize,
    /// Seed of everything random; 0 takes a new one each time.
    pub seed: u64,
    /// Playouts by the full policy, or uniform.
    pub full_policy: bool,
    /// What playouts take for an eye.
    pub eye: EyeRule,
    /// Weights of the moves in playouts.
    pub weights: Weights,
    /// Patterns of a file; none: the built-in ones.
    pub patterns: Option<Arc<PatternTable>>,
    /// exploration constant C of UCB.
    pub exploration: f32,
    /// How moves get their prior.
    pub prior: PriorKind,
    /// Try moves in order of promise, more of them with more playouts.
    pub widening: bool,
    /// Whether to use RAVE (all moves as first).
    pub rave: bool,
    /// How many games of its own make a move forget what other moves told about it.
    pub rave_games: f32,
    /// Weight of the criticality of a point in choosing among moves.
    pub criticality: f32,
    /// Playouts through a move before it gets a node.
    pub expand_at: u32,
    /// Visits a thread leaves behind while its playout runs.
    pub virtual_visits: u32,
    /// How much of a playout's value is its score rather than the win.
    pub score_share: f32,
    /// How much of the value of a position comes from a playout rather than from the network.
    pub playout_share: f32,
    /// Keep the tree from move to move.
    pub reuse: bool,
    /// End a search when its result can no longer change, and soon when the game is as good as decided.
    pub early_stop: bool,
    /// Give up below this chance to win; 0: never.
    pub resign_below: f32,
    /// Whether to think on the opponent's time.
    pub ponder: bool,
    /// Pass only when no dead stone of the enemy is left on the board.
    pub clean_up: bool,
    /// Prior games that the best Gopal candidate gets at the root of a search by playouts; 0: none.
    pub gopal_priors: f32,
    /// How many moves below the root candidates are prior games too.
    pub gopal_depth: usize,
    /// Weight that a Gopal candidate gains when it goes on with the intent of its side's last moves.
    pub gopal_intent: i64,
}

impl Default for Config {
    /// Our best, on the whole machine.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Config { threads, ..Config::named(PlayerKind::Rave) }
    }
}

impl Config {
    /// A player of the course as the course has it, or our best; one thread.
    pub fn named(kind: PlayerKind) -> Config {
        let plain = Config {
            kind,
            playouts: 0,
            playouts_per_move: 30,
            time: Duration::from_secs(5),
            cpu_clock: false,
            threads: 1,
            memory_mb: 256,
            seed: 0,
            full_policy: false,
            eye: EyeRule::Neighbours,
            weights: Weights::STANDARD,
            patterns: None,
            exploration: 1.0,
            prior: PriorKind::None,
            widening: false,
            rave: false,
            rave_games: 3000.0,
            criticality: 0.0,
            expand_at: 1,
            virtual_visits: 1,
            score_share: 0.0,
            playout_share: 0.0,
            reuse: false,
            early_stop: true,
            resign_below: 0.0,
            ponder: false,
            clean_up: false,
            gopal_priors: 0.0,
            gopal_depth: 0,
            gopal_intent: 0,
        };
        match kind {
            PlayerKind::Primitive | PlayerKind::Uct | PlayerKind::Gopal => plain,
            PlayerKind::Net => Config { full_policy: true, eye: EyeRule::Strict, resign_below: 0.05, ..plain },
            PlayerKind::Patterns => {
                Config { full_policy: true, eye: EyeRule::Strict, prior: PriorKind::Bonus, widening: true, ..plain }
            }
            PlayerKind::Rave => Config {
                full_policy: true,
                eye: EyeRule::Strict,
                prior: PriorKind::Games,
                rave: true,
                exploration: 0.0,
                expand_at: 8,
                score_share: 0.02,
                reuse: true,
                resign_below: 0.05,
                ..plain
            },
        }
    }

    /// The patterns that it knows.
    pub fn pattern_table(&self) -> Arc<PatternTable> {
        self.patterns.clone().unwrap_or_else(PatternTable::standard)
    }

    /// Becomes another player but keeps what has nothing to do with how it thinks.
    pub fn become_player(&mut self, kind: PlayerKind) {
        let patterns = self.patterns.take();
        let Config { playouts, playouts_per_move, time, cpu_clock, threads, memory_mb, seed, ponder, clean_up, .. } =
            *self;
        *self = Config {
            playouts,
            playouts_per_move,
            time,
            cpu_clock,
            threads,
            memory_mb,
            seed,
            ponder,
            clean_up,
            patterns,
            ..Config::named(kind)
        };
    }
}

const NUMBER: Kind = Kind::Whole { min: 0, max: 1_000_000_000_000 };
const WEIGHT: Kind = Kind::Real { min: 0.0, max: 1e6 };
const SHARE: Kind = Kind::Real { min: 0.0, max: 1.0 };

macro_rules! flag {
    ($name:literal, $field:ident, $help:literal) => {
        Setting {
            name: $name,
            kind: Kind::Flag,
            help: $help,
            get: |c| Value::Flag(c.$field),
            put: |c, v| c.$field = v.flag(),
        }
    };
}

macro_rules! real {
    ($name:literal, $($field:ident).+, $kind:expr, $help:literal) => {
        Setting {
            name: $name,
            kind: $kind,
            help: $help,
            get: |c| Value::Real(round(c.$($field).+)),
            put: |c, v| c.$($field).+ = v.real() as f32,
        }
    };
}

macro_rules! whole {
    ($name:literal, $field:ident, $kind:expr, $help:literal) => {
        Setting {
            name: $name,
            kind: $kind,
            help: $help,
            get: |c| Value::Whole(c.$field as i64),
            put: |c, v| c.$field = v.whole(),
        }
    };
}

/// An `f32` as the decimal number it was written as.
fn round(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}

/// The options of a Go player.
pub const SETTINGS: &[Setting<Config>] = &[
    Setting {
        name: "player",
        kind: Kind::Choice(PlayerKind::NAMES),
        help: "kind of player: primitive, uct, patterns, rave, gopal or net; presets the options below",
        get: |c| Value::Text(c.kind.name().into()),
        put: |c, v| {
            if let Some(kind) = PlayerKind::from_name(&v.text()) {
                c.become_player(kind);
            }
        },
    },
    whole!("playouts", playouts, NUMBER, "playouts per move (0 = as many as the time allows)"),
    whole!(
        "playouts-per-move",
        playouts_per_move,
        Kind::Whole { min: 1, max: 1_000_000 },
        "primitive player: playouts per candidate move"
    ),
    Setting {
        name: "move-time",
        kind: Kind::Real { min: 0.001, max: 86_400.0 },
        help: "seconds per move without a clock and without fixed playouts",
        get: |c| Value::Real(c.time.as_secs_f64()),
        put: |c, v| c.time = v.seconds().unwrap_or_default(),
    },
    Setting {
        name: "clock",
        kind: Kind::Choice(TimeSource::NAMES),
        help: "count wall time or processor time",
        get: |c| Value::Text(if c.cpu_clock { "cpu" } else { "wall" }.into()),
        put: |c, v| c.cpu_clock = v.text() == "cpu",
    },
    whole!("threads", threads, Kind::Whole { min: 1, max: 256 }, "search threads"),
    whole!("memory", memory_mb, Kind::Whole { min: 1, max: 65_536 }, "memory of the search tree in megabytes"),
    whole!(
        "seed",
        seed,
        Kind::Whole { min: 0, max: i64::MAX },
        "random seed; repeats a game with one thread and fixed playouts (0 = a new one each time)"
    ),
    Setting {
        name: "policy",
        kind: Kind::Choice(&["uniform", "full"]),
        help: "playout policy",
        get: |c| Value::Text(if c.full_policy { "full" } else { "uniform" }.into()),
        put: |c, v| c.full_policy = v.text() == "full",
    },
    Setting {
        name: "eye",
        kind: Kind::Choice(EyeRule::NAMES),
        help: "eye rule in playouts: strict (diagonals count) or by the 4 neighbours only",
        get: |c| Value::Text(c.eye.name().into()),
        put: |c, v| c.eye = EyeRule::from_name(&v.text()),
    },
    real!(
        "exploration",
        exploration,
        Kind::Real { min: 0.0, max: 100.0 },
        "exploration: constant C of UCB, or how much the policy of a network counts"
    ),
    Setting {
        name: "prior",
        kind: Kind::Choice(PriorKind::NAMES),
        help: "prior of a move: none, a pattern bonus in the UCB formula, or virtual games",
        get: |c| Value::Text(PriorKind::NAMES[c.prior as usize].into()),
        put: |c, v| c.prior = PriorKind::from_name(&v.text()),
    },
    flag!("widening", widening, "progressive widening: consider more moves as playouts grow"),
    flag!("rave", rave, "use RAVE (all moves as first)"),
    real!("rave-games", rave_games, Kind::Real { min: 1.0, max: 1e9 }, "RAVE equivalence parameter"),
    real!(
        "criticality",
        criticality,
        Kind::Real { min: 0.0, max: 100.0 },
        "weight of criticality in the choice of moves"
    ),
    whole!(
        "expand-at",
        expand_at,
        Kind::Whole { min: 1, max: 1_000_000 },
        "playouts through a move before its node is expanded"
    ),
    whole!("virtual-visits", virtual_visits, Kind::Whole { min: 1, max: 100 }, "virtual loss per thread"),
    real!("score-share", score_share, SHARE, "share of the score, beside win or loss, in a playout's value"),
    real!(
        "playout-share",
        playout_share,
        SHARE,
        "player net: share of a playout, beside the network, in the value of a position"
    ),
    flag!("reuse", reuse, "reuse the search tree from move to move"),
    flag!("early-stop", early_stop, "stop early when the best move can no longer change or the game is nearly decided"),
    real!("resign-below", resign_below, SHARE, "resign below this winning probability (0 = never)"),
    flag!("ponder", ponder, "think on the opponent's time"),
    real!(
        "gopal-priors",
        gopal_priors,
        Kind::Real { min: 0.0, max: 10_000.0 },
        "prior games for the best Gopal candidate at the root, others by their weight (0 = off)"
    ),
    whole!(
        "gopal-depth",
        gopal_depth,
        Kind::Whole { min: 0, max: 20 },
        "moves below the root at which Gopal candidates get prior games too (0 = root only)"
    ),
    whole!(
        "gopal-intent",
        gopal_intent,
        Kind::Whole { min: 0, max: 1_000 },
        "weight added to a Gopal candidate that goes on with the intent of the side's last moves (0 = off)"
    ),
    flag!("clean-up", clean_up, "pass only when no dead enemy stone is left"),
];

/// Weights of the playouts, for those who tune them.
pub const TUNING: &[Setting<Config>] = &[
    real!("w-capture", weights.capture, WEIGHT, "playouts: weight of capturing the stones just played"),
    real!("w-rescue", weights.rescue, WEIGHT, "playouts: weight of saving a chain by capturing"),
    real!("w-escape", weights.escape, WEIGHT, "playouts: weight of escaping to three liberties"),
    real!("w-weak-escape", weights.weak_escape, WEIGHT, "playouts: weight of escaping to two liberties"),
    real!("w-strengthen", weights.strengthen, WEIGHT, "playouts: weight of strengthening a chain with two liberties"),
    real!("w-pursue", weights.pursue, WEIGHT, "playouts: weight of atari on the chain just played"),
    real!("w-vital", weights.vital, WEIGHT, "playouts: weight of the vital point of a small eye space"),
    real!("w-pattern", weights.pattern, WEIGHT, "playouts: factor on the weights of 3x3 patterns"),
    real!("w-near", weights.near, WEIGHT, "playouts: weight of points around the last move"),
    real!(
        "refuse-throw-in",
        weights.refuse_throw_in,
        SHARE,
        "playouts: probability of refusing a one-stone self-atari"
    ),
    real!(
        "refuse-self-atari",
        weights.refuse_self_atari,
        SHARE,
        "playouts: probability of refusing a larger self-atari"
    ),
];

/// All options with their present values.
pub fn view(config: &Config) -> Vec<SettingView> {
    let tuning = settings::view(TUNING, config).into_iter().map(|row| SettingView { tuning: true, ..row });
    let former = |name| FORMER_NAMES.iter().find(|(_, now)| *now == name).map(|(former, _)| *former);
    let rows = settings::view(SETTINGS, config).into_iter().chain(tuning);
    rows.map(|row| SettingView { former: former(row.name), ..row }).collect()
}

/// Names of options and values from before, for scripts that still use them.
const FORMER_NAMES: &[(&str, &str)] = &[("belief", "prior")];
const FORMER_VALUES: &[(&str, &str, &str)] = &[("prior", "nothing", "none"), ("eye", "course", "neighbours")];

/// Changes one option; on an error nothing has changed.
pub fn set(config: &mut Config, name: &str, text: &str) -> Result<(), SettingError> {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b.trim());
    let name = FORMER_NAMES.iter().find(|(former, _)| same(former, name)).map_or(name, |(_, now)| now);
    let former = FORMER_VALUES.iter().find(|(option, former, _)| same(option, name) && same(former, text));
    let text = former.map_or(text, |(_, _, now)| now);
    match settings::set(SETTINGS, config, name, text) {
        Err(SettingError::Unknown(_)) => settings::set(TUNING, config, name, text),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_reads_back_what_it_was_given() {
        for setting in SETTINGS.iter().chain(TUNING) {
            let mut config = Config::default();
            let before = (setting.get)(&config);
            (setting.put)(&mut config, before.clone());
            assert_eq!((setting.get)(&config), before, "{}", setting.name);
            assert!(setting.kind.parse(&before.to_string()).is_some(), "{}", setting.name);
        }
        let mut names: Vec<_> = SETTINGS.iter().chain(TUNING).map(|s| s.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SETTINGS.len() + TUNING.len());
        assert_eq!(view(&Config::default()).len(), names.len());
    }

    #[test]
    fn former_names_are_still_taken() {
        let mut config = Config::default();
        for (name, value) in [("belief", "nothing"), ("eye", "course")] {
            set(&mut config, name, value).unwrap();
        }
        assert_eq!((config.prior, config.eye), (PriorKind::None, EyeRule::Neighbours));
        let rows = view(&config);
        assert!(rows.iter().any(|row| row.is_called("belief") && row.name == "prior"));
        let error = set(&mut config, "belief", "much").unwrap_err();
        assert_eq!(error.to_string(), "`much` is not a value of prior: it takes none, bonus, games");
    }

    #[test]
    fn another_player_keeps_time_and_threads() {
        let mut config = Config { threads: 7, playouts: 123, ..Config::default() };
        config.become_player(PlayerKind::Uct);
        assert_eq!((config.threads, config.playouts, config.rave), (7, 123, false));
        assert_eq!(config.exploration, 1.0);
    }
}
