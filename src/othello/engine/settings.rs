//! The options of the Othello player: the one table that every protocol, the command line and the README read.

use crate::base::{
    TimeSource,
    settings::{Kind, Setting, Value},
};

/// Who chooses the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayerKind {
    Engine,
    /// Errs as people do.
    Human,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    pub player: PlayerKind,
    /// A rating.
    pub human_strength: u16,
    /// In discs.
    pub human_max_loss: f64,
    /// Said beside moves and positions.
    pub difficulty: bool,
    pub level: u8,
    /// Somebody asked for that level: it holds with a clock, too.
    pub level_asked: bool,
    /// 0: by level.
    pub depth: u8,
    /// 0: by level; otherwise both sliders of Egaroucid 5 hold.
    pub mid: u8,
    pub end: u8,
    /// The sliders for hints; 0: as for moves.
    pub hint_mid: u8,
    pub hint_end: u8,
    pub percent: u8,
    pub threads: usize,
    pub hash: u32,
    pub eval: String,
    pub book: String,
    pub book_home: String,
    pub move_time: f64,
    /// Clocks and `move-time` count processor time.
    pub cpu_clock: bool,
    pub nodes: u64,
    pub ponder: bool,
    pub autopass: bool,
    pub contempt: i32,
    pub seed: u64,
    /// A file with balanced openings; empty: those built in.
    pub xot_file: String,
    pub opening_names: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            player: PlayerKind::Engine,
            human_strength: 1500,
            human_max_loss: 64.0,
            difficulty: false,
            level: 21,
            level_asked: false,
            depth: 0,
            mid: 0,
            end: 0,
            hint_mid: 0,
            hint_end: 0,
            percent: 100,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            hash: 22,
            eval: String::new(),
            book: "builtin".into(),
            book_home: String::new(),
            move_time: 0.0,
            cpu_clock: false,
            nodes: 0,
            ponder: false,
            autopass: false,
            contempt: 0,
            seed: 0,
            xot_file: String::new(),
            opening_names: false,
        }
    }
}

/// The least and most that the hash table can be told.
pub const HASH_BITS: std::ops::RangeInclusive<u32> = 10..=30;

const PLIES: Kind = Kind::Whole { min: 0, max: 60 };

pub const TABLE: &[Setting<Options>] = &[
    Setting {
        name: "level",
        kind: Kind::Whole { min: 1, max: 60 },
        help: "search level; with a clock, used only if set explicitly; `levelinfo` shows what each level means",
        get: |o| Value::Whole(o.level.into()),
        // A level is meant to hold: it ends a fixed depth and the sliders.
        put: |o, v| (o.level, o.level_asked, o.depth, o.mid, o.end) = (v.whole(), true, 0, 0, 0),
    },
    Setting {
        name: "depth",
        kind: PLIES,
        help: "fixed search depth in plies (0 = use level)",
        get: |o| Value::Whole(o.depth.into()),
        put: |o, v| o.depth = v.whole(),
    },
    Setting {
        name: "percent",
        kind: Kind::Whole { min: 50, max: 100 },
        help: "selectivity of a search of fixed depth, in per cent (100 = no forward pruning)",
        get: |o| Value::Whole(o.percent.into()),
        put: |o, v| o.percent = v.whole(),
    },
    Setting {
        name: "mid",
        kind: PLIES,
        help: "slider: midgame search depth in plies (0 = use level)",
        get: |o| Value::Whole(o.mid.into()),
        put: |o, v| o.mid = v.whole(),
    },
    Setting {
        name: "end",
        kind: PLIES,
        help: "slider: number of empty squares at which the game is solved (0 = use level)",
        get: |o| Value::Whole(o.end.into()),
        put: |o, v| o.end = v.whole(),
    },
    Setting {
        name: "hint-mid",
        kind: PLIES,
        help: "slider `mid` for hints (0 = as for moves)",
        get: |o| Value::Whole(o.hint_mid.into()),
        put: |o, v| o.hint_mid = v.whole(),
    },
    Setting {
        name: "hint-end",
        kind: PLIES,
        help: "slider `end` for hints (0 = as for moves)",
        get: |o| Value::Whole(o.hint_end.into()),
        put: |o, v| o.hint_end = v.whole(),
    },
    Setting {
        name: "move-time",
        kind: Kind::Real { min: 0.0, max: 1e6 },
        help: "seconds per move (0 = no limit)",
        get: |o| Value::Real(o.move_time),
        put: |o, v| o.move_time = v.real(),
    },
    Setting {
        name: "clock",
        kind: Kind::Choice(TimeSource::NAMES),
        help: "count wall time or processor time",
        get: |o| Value::Text(if o.cpu_clock { "cpu" } else { "wall" }.into()),
        put: |o, v| o.cpu_clock = v.text() == "cpu",
    },
    Setting {
        name: "nodes",
        kind: Kind::Whole { min: 0, max: i64::MAX },
        help: "node limit of a search (0 = no limit)",
        get: |o| Value::Whole(o.nodes.try_into().unwrap_or(i64::MAX)),
        put: |o, v| o.nodes = v.whole(),
    },
    Setting {
        name: "threads",
        kind: Kind::Whole { min: 1, max: 256 },
        help: "search threads",
        get: |o| Value::Whole(o.threads.try_into().unwrap_or(i64::MAX)),
        put: |o, v| o.threads = v.whole(),
    },
    Setting {
        name: "hash",
        kind: Kind::Whole { min: *HASH_BITS.start() as i64, max: *HASH_BITS.end() as i64 },
        help: "size of the transposition table: 2 to this power entries of 32 bytes (20 = 32 MiB, 25 = 1 GiB)",
        get: |o| Value::Whole(o.hash.into()),
        put: |o, v| o.hash = v.whole(),
    },
    Setting {
        name: "eval",
        kind: Kind::Text,
        help: "file with evaluation weights (empty = built in)",
        get: |o| Value::Text(o.eval.clone()),
        put: |o, v| o.eval = v.text(),
    },
    Setting {
        name: "book",
        kind: Kind::Text,
        help: "opening book: builtin, none, or a file in any known format",
        get: |o| Value::Text(o.book.clone()),
        put: |o, v| o.book = v.text(),
    },
    Setting {
        name: "book-home",
        kind: Kind::Text,
        help: "folder for changes to a book without a file (empty = the platform's data folder, `none` = nowhere)",
        get: |o| Value::Text(o.book_home.clone()),
        put: |o, v| o.book_home = v.text(),
    },
    Setting {
        name: "player",
        kind: Kind::Choice(&["engine", "human"]),
        help: "who chooses the moves: the engine, or a model of people, which errs as they do",
        get: |o| Value::Text(if o.player == PlayerKind::Human { "human" } else { "engine" }.into()),
        put: |o, v| o.player = if v.text() == "human" { PlayerKind::Human } else { PlayerKind::Engine },
    },
    Setting {
        name: "human-strength",
        kind: Kind::Whole { min: 600, max: 2600 },
        help: "rating of the people that `player human`, `hint human`, `difficulty` and `explain` think of",
        get: |o| Value::Whole(o.human_strength.into()),
        put: |o, v| o.human_strength = v.whole(),
    },
    Setting {
        name: "human-max-loss",
        kind: Kind::Real { min: 0.0, max: 64.0 },
        help: "`player human` plays no move that loses more discs than this by a search of six plies",
        get: |o| Value::Real(o.human_max_loss),
        put: |o, v| o.human_max_loss = v.real(),
    },
    Setting {
        name: "show-difficulty",
        kind: Kind::Flag,
        help: "show how likely people are to play each move, and how hard positions are (analysis then values all moves)",
        get: |o| Value::Flag(o.difficulty),
        put: |o, v| o.difficulty = v.flag(),
    },
    Setting {
        name: "ponder",
        kind: Kind::Flag,
        help: "think on the opponent's time",
        get: |o| Value::Flag(o.ponder),
        put: |o, v| o.ponder = v.flag(),
    },
    Setting {
        name: "autopass",
        kind: Kind::Flag,
        help: "make forced passes automatically (on in the console)",
        get: |o| Value::Flag(o.autopass),
        put: |o, v| o.autopass = v.flag(),
    },
    Setting {
        name: "contempt",
        kind: Kind::Whole { min: -6400, max: 6400 },
        help: "value of a draw for black, in hundredths of a disc",
        get: |o| Value::Whole(o.contempt.into()),
        put: |o, v| o.contempt = v.whole(),
    },
    Setting {
        name: "seed",
        kind: Kind::Whole { min: 0, max: i64::MAX },
        help: "random seed (0 = a new one each time)",
        get: |o| Value::Whole(o.seed.try_into().unwrap_or(i64::MAX)),
        put: |o, v| o.seed = v.whole(),
    },
    Setting {
        name: "xot-file",
        kind: Kind::Text,
        help: "file of balanced openings for `xot`, one a line; games that began with one are known (empty = built in)",
        get: |o| Value::Text(o.xot_file.clone()),
        put: |o, v| o.xot_file = v.text(),
    },
    Setting {
        name: "opening-names",
        kind: Kind::Flag,
        help: "name openings beside the board, moves and analyses (on at a terminal)",
        get: |o| Value::Flag(o.opening_names),
        put: |o, v| o.opening_names = v.flag(),
    },
];
