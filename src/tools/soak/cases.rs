//! One row for every command of every protocol and game: how it is tried, and whether it has to be stopped.

use crate::engine::Game::{self, Go, Othello};

/// Who is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    Console,
    Gtp,
    Nboard,
    Json,
    Standalone,
    Uci,
    Katago,
}

impl Speech {
    pub fn name(self) -> &'static str {
        match self {
            Speech::Console => "console",
            Speech::Gtp => "gtp",
            Speech::Nboard => "nboard",
            Speech::Json => "json",
            Speech::Standalone => "standalone",
            Speech::Uci => "uci",
            Speech::Katago => "katago",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Answers at once; nobody need stop it.
    Quick,
    /// Works long, and is stopped.
    Long,
    /// Works until it is stopped, or until the next line.
    Endless,
    /// Ends the process in the middle of a search.
    Leaves,
}

/// How one command is tried.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The table it is in and its name there: `console go`, `book learn`.
    pub name: &'static str,
    pub speech: Speech,
    pub game: Game,
    pub kind: Kind,
    /// Said each time before it.
    pub before: &'static [&'static str],
    pub line: &'static str,
    /// With the large book.
    pub book: bool,
}

impl Case {
    const fn new(name: &'static str, speech: Speech, game: Game, kind: Kind, line: &'static str) -> Case {
        Case { name, speech, game, kind, before: &[], line, book: false }
    }

    const fn after(mut self, before: &'static [&'static str]) -> Case {
        self.before = before;
        self
    }

    const fn with_book(mut self) -> Case {
        self.book = true;
        self
    }
}

use Kind::{Endless, Leaves, Long, Quick};

const fn console(name: &'static str, kind: Kind, line: &'static str) -> Case {
    Case::new(name, Speech::Console, Othello, kind, line)
}

const fn gtp(name: &'static str, game: Game, kind: Kind, line: &'static str) -> Case {
    Case::new(name, Speech::Gtp, game, kind, line)
}

const fn nboard(name: &'static str, kind: Kind, line: &'static str) -> Case {
    Case::new(name, Speech::Nboard, Othello, kind, line)
}

const fn uci(name: &'static str, kind: Kind, line: &'static str) -> Case {
    Case::new(name, Speech::Uci, Othello, kind, line)
}

const fn katago(name: &'static str, kind: Kind, line: &'static str) -> Case {
    Case::new(name, Speech::Katago, Go, kind, line)
}

const NEW: &[&str] = &["new"];
const MOVED: &[&str] = &["new", "f5"];
const FRESH: &[&str] = &["book load big.skbook discard", "new"];
const ENDED: &[&str] = &["book load big.skbook discard", "load over.txt"];
const CLEAR: &[&str] = &["clear_board"];

pub const CONSOLE: &[Case] = &[
    console("console play", Quick, "play f5d6").after(NEW),
    console("console pass", Quick, "pass").after(NEW),
    console("console go", Long, "go").after(NEW),
    console("console mode", Endless, "mode 2").after(&["mode 3", "new"]),
    console("console new", Quick, "new"),
    console("console undo", Quick, "undo").after(MOVED),
    console("console redo", Quick, "redo").after(&["new", "f5", "undo"]),
    console("console goto", Quick, "goto 0").after(MOVED),
    console("console takeback", Quick, "takeback").after(MOVED),
    console("console hint", Long, "hint").after(NEW),
    console("console watch", Endless, "watch 4").after(NEW),
    console("console analyze", Long, "analyze").after(&["load over.txt"]),
    console("console stop", Quick, "stop"),
    console("console setboard", Quick, "setboard ---------------------------OX------XO--------------------------- X"),
    console("console show", Quick, "show"),
    console("console board", Quick, "board"),
    console("console bits", Quick, "bits"),
    console("console transcript", Quick, "transcript f5d6c3"),
    console("console export", Quick, "export json").after(&["load over.txt"]),
    console("console moves", Quick, "moves"),
    console("console score", Quick, "score"),
    console("console load", Long, "load games.txt"),
    console("console save", Quick, "save saved.sgf"),
    console("console options", Quick, "options"),
    console("console set", Long, "set book other.egbk3").after(&["set book none"]),
    console("console settings", Quick, "settings"),
    console("console depth", Quick, "depth off"),
    console("console time", Long, "time game 60").after(&["time off"]),
    console("console game", Quick, "game othello"),
    console("console progress", Quick, "progress off"),
    console("console echo", Quick, "echo heard"),
    console("console version", Quick, "version"),
    console("console help", Quick, "help"),
    console("console quit", Leaves, "quit").after(&["go"]),
    // Of Othello.
    console("othello levelinfo", Quick, "levelinfo"),
    console("othello transform", Quick, "transform 180"),
    console("othello random", Long, "random 30 5 between 63.5 64"),
    console("othello branch", Quick, "branch list"),
    console("othello book", Quick, "book help"),
    console("othello umigame", Long, "umigame 60 20").after(FRESH).with_book(),
    console("othello learn", Long, "learn").after(ENDED).with_book(),
    console("othello clearcache", Quick, "clearcache"),
    console("othello draw", Long, "draw picture.png values size 4096").after(NEW),
    console("othello opening", Quick, "opening").after(MOVED),
    console("othello graph", Quick, "graph").after(MOVED),
    console("othello show", Quick, "show stable").after(MOVED),
    console("othello analyze", Long, "analyze page.html").after(&["load over.txt"]),
    console("othello hint", Long, "hint human 12 10").after(NEW),
    console("othello difficulty", Long, "difficulty game").after(&["load over.txt"]),
    console("othello explain", Long, "explain f5").after(NEW),
    console("othello problem", Long, "problem 20 hard unique count 99 problems.obf").after(NEW),
    console("othello drill", Quick, "drill opening Tiger"),
    console("othello xot", Quick, "xot 12"),
    console("othello name", Quick, "name black \"Ann Lee\""),
    console("othello memo", Quick, "memo a game"),
    console("othello event", Quick, "event an event"),
    console("othello date", Quick, "date 2024-05-06"),
    console("othello save", Quick, "save here").after(MOVED),
    console("othello games", Long, "games open games.txt"),
];

const fn book(name: &'static str, kind: Kind, line: &'static str) -> Case {
    console(name, kind, line).after(FRESH).with_book()
}

pub const BOOK: &[Case] = &[
    book("book help", Quick, "book help"),
    book("book on", Quick, "book on"),
    book("book off", Quick, "book off"),
    book("book error", Quick, "book error 2"),
    book("book variation", Quick, "book variation 1"),
    book("book trust", Quick, "book trust on"),
    book("book autosave", Quick, "book autosave on 60"),
    book("book show", Long, "book show"),
    book("book set", Quick, "book set f5 3"),
    book("book add", Long, "book add level 60").after(&["book load big.skbook discard", "load over.txt", "goto 20"]),
    book("book delete", Long, "book delete f5"),
    book("book learn", Long, "book learn depth 30 error 64 sum inf level 60"),
    book("book learn-games", Long, "book learn-games games.txt depth 30 error 64 level 60"),
    book("book store", Long, "book store level 60").after(ENDED),
    book("book fix", Long, "book fix"),
    book("book reduce", Long, "book reduce depth 20 error 3 sum 5"),
    book("book leaves", Long, "book leaves all depth 20 error 64 sum inf level 60"),
    book("book lines", Long, "book lines"),
    book("book deepen", Long, "book deepen level 60"),
    book("book extend", Long, "book extend depth 20 level 60"),
    book("book fill", Long, "book fill 1 level 60"),
    book("book prune", Long, "book prune"),
    book("book subtree", Long, "book subtree").after(&["book load big.skbook discard", "new", "f5d6"]),
    book("book merge", Long, "book merge other.egbk3 later"),
    book("book import", Long, "book import other.egbk3"),
    book("book export", Long, "book export exported.egbk3"),
    book("book info", Long, "book info"),
    book("book check", Long, "book check games.txt"),
    book("book extract", Long, "book extract 1000000"),
    book("book umigame", Long, "book umigame 60 20"),
    book("book verify", Long, "book verify"),
    book("book load", Long, "book load other.egbk3"),
    book("book save", Long, "book save saved.skbook"),
    book("book new", Quick, "book new discard"),
    book("book revert", Quick, "book revert"),
];

pub const NBOARD: &[Case] = &[
    nboard("nboard nboard", Quick, "nboard 2"),
    nboard(
        "nboard set game",
        Long,
        "set game (;GM[Othello]PC[x]DT[x]PB[a]PW[b]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *];)",
    ),
    nboard("nboard set depth", Quick, "set depth 60"),
    nboard("nboard set contempt", Quick, "set contempt 0"),
    nboard("nboard move", Quick, "move F5"),
    nboard("nboard hint", Long, "hint 64").after(&["set depth 60"]),
    nboard("nboard go", Long, "go").after(&["set depth 60"]),
    nboard("nboard ping", Quick, "ping 7"),
    nboard("nboard learn", Quick, "learn"),
    nboard("nboard analyze", Long, "analyze").after(&["set depth 60"]),
    nboard("nboard clear", Quick, "clear"),
    nboard("nboard quit", Leaves, "quit").after(&["set depth 60", "go"]),
];

pub const UCI: &[Case] = &[
    uci("uci uci", Quick, "uci"),
    uci("uci isready", Quick, "isready"),
    uci("uci setoption", Quick, "setoption name MultiPV value 2"),
    uci("uci ucinewgame", Quick, "ucinewgame"),
    uci("uci position", Quick, "position startpos moves P@f4"),
    uci("uci go", Endless, "go infinite"),
    uci("uci stop", Quick, "stop"),
    uci("uci ponderhit", Quick, "ponderhit"),
    uci("uci debug", Quick, "debug on"),
    uci("uci d", Quick, "d"),
    uci("uci quit", Leaves, "quit").after(&["go"]),
];

pub const KATAGO: &[Case] = &[
    katago(
        "katago query",
        Long,
        r#"{"id":"q","boardXSize":9,"boardYSize":9,"moves":[["B","E5"]],"maxVisits":1000000000,"includeOwnership":true}"#,
    ),
    katago(
        "katago query of some moves",
        Long,
        r#"{"id":"q","boardXSize":9,"boardYSize":9,"moves":[],"maxVisits":1000000000,"avoidMoves":[{"player":"B","moves":["E5"],"untilDepth":9}]}"#,
    ),
    katago(
        "katago query of turns",
        Long,
        r#"{"id":"q","boardXSize":19,"boardYSize":19,"moves":[["B","E5"]],"analyzeTurns":[0,1],"maxVisits":1000000000}"#,
    ),
    katago("katago query_version", Quick, r#"{"id":"a","action":"query_version"}"#),
    katago("katago query_models", Quick, r#"{"id":"a","action":"query_models"}"#),
    katago("katago clear_cache", Quick, r#"{"id":"a","action":"clear_cache"}"#),
    katago("katago terminate", Quick, r#"{"id":"a","action":"terminate","terminateId":"q"}"#),
    katago("katago terminate_all", Quick, r#"{"id":"a","action":"terminate_all"}"#),
];

pub const OTHERS: &[Case] = &[
    Case::new("json question", Speech::Json, Othello, Long, r#"{"id":1,"level":60,"hint":4}"#),
    Case::new("json question", Speech::Json, Go, Long, r#"{"id":1,"hint":4}"#),
    Case::new(
        "json analyze",
        Speech::Json,
        Othello,
        Long,
        r#"{"id":1,"level":60,"moves":"f5d6c3d3c4","analyze":true}"#,
    ),
    Case::new("json command", Speech::Json, Othello, Long, r#"{"id":1,"command":"go"}"#)
        .after(&[r#"{"id":0,"command":"new"}"#]),
    Case::new("standalone board", Speech::Standalone, Othello, Leaves, "quit")
        .after(&["0", "........", "........", "........", "...10...", "...01...", "........", "........", "........"]),
];

pub const GTP: &[Case] = &[
    gtp("gtp protocol_version", Othello, Quick, "protocol_version"),
    gtp("gtp name", Othello, Quick, "name"),
    gtp("gtp version", Othello, Quick, "version"),
    gtp("gtp known_command", Othello, Quick, "known_command play"),
    gtp("gtp list_commands", Othello, Quick, "list_commands"),
    gtp("gtp help", Othello, Quick, "help"),
    gtp("gtp quit", Go, Leaves, "# interrupt\nquit").after(&["genmove b"]),
    gtp("gtp list_games", Othello, Quick, "list_games"),
    gtp("gtp set_game", Othello, Quick, "set_game Othello"),
    gtp("gtp boardsize", Go, Quick, "boardsize 19"),
    gtp("gtp clear_board", Go, Quick, "clear_board"),
    gtp("gtp komi", Go, Quick, "komi 7.5"),
    gtp("gtp play", Go, Quick, "play b d4").after(CLEAR),
    gtp("gtp genmove", Othello, Long, "genmove b").after(CLEAR),
    gtp("gtp genmove", Go, Long, "genmove b").after(CLEAR),
    gtp("gtp reg_genmove", Othello, Long, "reg_genmove b").after(CLEAR),
    gtp("gtp reg_genmove", Go, Long, "reg_genmove b").after(CLEAR),
    gtp("gtp undo", Go, Quick, "undo").after(&["clear_board", "play b d4"]),
    gtp("gtp gg-undo", Go, Quick, "gg-undo 1").after(&["clear_board", "play b d4"]),
    gtp("gtp final_score", Othello, Quick, "final_score"),
    gtp("gtp showboard", Go, Long, "showboard").after(&["clear_board", "play b d4", "play w pass", "play b pass"]),
    gtp("gtp loadsgf", Go, Long, "loadsgf go.sgf"),
    gtp("gtp printsgf", Go, Long, "printsgf").after(&["clear_board", "play b d4", "play w pass", "play b pass"]),
    gtp("gtp time_settings", Othello, Long, "time_settings 60 0 0"),
    gtp("gtp time_left", Othello, Long, "time_left b 60 0"),
    gtp("gtp kgs-time_settings", Othello, Long, "kgs-time_settings absolute 60"),
    gtp("gtp cputime", Othello, Quick, "cputime"),
    gtp("gtp gogui-analyze_commands", Go, Quick, "gogui-analyze_commands"),
    gtp("gtp gogui-interrupt", Othello, Quick, "gogui-interrupt"),
    gtp("gtp gogui-sigint", Othello, Quick, "gogui-sigint"),
    gtp("gtp gogui-play_sequence", Othello, Quick, "gogui-play_sequence b f5 w d6").after(CLEAR),
    gtp("gtp gogui-setup", Othello, Quick, "gogui-setup b a1").after(CLEAR),
    gtp("gtp gogui-setup_player", Othello, Quick, "gogui-setup_player b").after(CLEAR),
    gtp("gtp gogui-title", Othello, Quick, "gogui-title"),
    gtp("gtp gogui-version", Othello, Quick, "gogui-version 1.5"),
    gtp("gtp gogui-rules_game_id", Othello, Quick, "gogui-rules_game_id"),
    gtp("gtp gogui-rules_board_size", Othello, Quick, "gogui-rules_board_size"),
    gtp("gtp gogui-rules_board", Othello, Quick, "gogui-rules_board"),
    gtp("gtp gogui-rules_board_gfx", Othello, Quick, "gogui-rules_board_gfx"),
    gtp("gtp gogui-rules_legal_moves", Go, Quick, "gogui-rules_legal_moves"),
    gtp("gtp gogui-rules_side_to_move", Othello, Quick, "gogui-rules_side_to_move"),
    gtp("gtp gogui-rules_final_result", Go, Long, "gogui-rules_final_result").after(&[
        "clear_board",
        "play b d4",
        "play w pass",
        "play b pass",
    ]),
    gtp("gtp gogui-rules_captured_count", Go, Quick, "gogui-rules_captured_count"),
    gtp("gtp gogui-rules_setup", Othello, Quick, "gogui-rules_setup"),
    gtp("gtp gogui-rules_only", Othello, Quick, "gogui-rules_only"),
    gtp("gtp lz-analyze", Othello, Endless, "lz-analyze b 10").after(CLEAR),
    gtp("gtp lz-analyze", Go, Endless, "lz-analyze b 10").after(CLEAR),
    gtp("gtp kata-analyze", Go, Endless, "kata-analyze b 10 ownership true").after(CLEAR),
    gtp("gtp lz-genmove_analyze", Go, Long, "lz-genmove_analyze b 10").after(CLEAR),
    gtp("gtp kata-genmove_analyze", Go, Long, "kata-genmove_analyze b 10").after(CLEAR),
    gtp("gtp shirokuro-values", Othello, Long, "shirokuro-values").after(CLEAR),
    gtp("gtp shirokuro-line", Othello, Long, "shirokuro-line").after(CLEAR),
    gtp("gtp shirokuro-legal_moves", Go, Quick, "shirokuro-legal_moves"),
    gtp("gtp shirokuro-count", Othello, Quick, "shirokuro-count"),
    gtp("gtp shirokuro-analyze", Go, Long, "shirokuro-analyze").after(&["clear_board", "play b d4", "play w q16"]),
    gtp("gtp shirokuro-options", Othello, Quick, "shirokuro-options"),
    gtp("gtp shirokuro-set", Othello, Long, "shirokuro-set book other.egbk3").after(&["shirokuro-set book none"]),
    gtp("gtp shirokuro-param", Othello, Quick, "shirokuro-param"),
    gtp("gtp shirokuro-live_gfx", Othello, Quick, "shirokuro-live_gfx off"),
    // Of Go.
    gtp("go final_score", Go, Long, "final_score").after(&["clear_board", "play b d4"]),
    gtp("go final_status_list", Go, Long, "final_status_list dead").after(&["clear_board", "play b d4"]),
    gtp("go fixed_handicap", Go, Quick, "fixed_handicap 4").after(CLEAR),
    gtp("go place_free_handicap", Go, Quick, "place_free_handicap 4").after(CLEAR),
    gtp("go set_free_handicap", Go, Quick, "set_free_handicap D4 Q16").after(CLEAR),
    gtp("go kgs-genmove_cleanup", Go, Long, "kgs-genmove_cleanup b").after(CLEAR),
    gtp("go kgs-rules", Go, Quick, "kgs-rules chinese"),
    gtp("go ownership", Go, Long, "shirokuro-ownership").after(CLEAR),
    gtp("go criticality", Go, Long, "shirokuro-criticality").after(CLEAR),
    gtp("go criticality-numbers", Go, Long, "shirokuro-criticality-numbers").after(CLEAR),
    gtp("go visits", Go, Long, "shirokuro-visits").after(CLEAR),
    gtp("go winrates", Go, Long, "shirokuro-winrates").after(CLEAR),
    gtp("go playout", Go, Quick, "shirokuro-playout 7").after(CLEAR),
    gtp("go patterns", Go, Quick, "shirokuro-patterns").after(CLEAR),
    gtp("go draw", Go, Long, "shirokuro-draw go.png last ownership size 4096").after(CLEAR),
    gtp("go clearcache", Go, Quick, "shirokuro-clearcache"),
    gtp("go position_hash", Go, Quick, "position_hash"),
    gtp("go net_value", Go, Quick, "net_value"),
    gtp("go net_policy", Go, Quick, "net_policy"),
    gtp("go net_ownership", Go, Quick, "net_ownership"),
    gtp("go gopal_load", Go, Quick, "gopal_load own.gopal"),
    gtp("go gopal_check", Go, Quick, "gopal_check own.gopal"),
    gtp("go gopal_from_board", Go, Quick, "gopal_from_board own corner 1").after(&[
        "clear_board",
        "play b d4",
        "play w c6",
    ]),
    gtp("go gopal_unload", Go, Quick, "gopal_unload own").after(&["gopal_load own.gopal"]),
    gtp("go gopal_intents", Go, Quick, "gopal_intents").after(CLEAR),
    gtp("go gopal_local", Go, Long, "gopal_local capture D4").after(&["clear_board", "play b d4"]),
    gtp("go gopal_list", Go, Quick, "gopal_list"),
    gtp("go gopal_candidates", Go, Quick, "gopal_candidates").after(CLEAR),
    gtp("go gopal_weights", Go, Quick, "gopal_weights").after(CLEAR),
    gtp("go gopal_trees", Go, Quick, "gopal_trees").after(CLEAR),
    gtp("go gopal_bounds", Go, Long, "gopal_bounds").after(CLEAR),
];

pub fn all() -> impl Iterator<Item = &'static Case> {
    [CONSOLE, BOOK, NBOARD, UCI, KATAGO, OTHERS, GTP].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::command::Table,
        go,
        othello::{self, book::commands::VERBS},
        protocol::{console::commands, gtp, katago, nboard, uci},
    };
    use std::collections::BTreeSet;

    /// A new command has no row here, and this test says so.
    #[test]
    fn every_command_of_every_table_is_tried() {
        let own = |table: Table, game: &str| -> Vec<String> {
            table.list().iter().map(|about| format!("{game} {}", about.name)).collect()
        };
        let mut there: BTreeSet<String> = BTreeSet::new();
        there.extend(commands::TABLE.iter().map(|entry| format!("console {}", entry.name)));
        there.extend(gtp::TABLE.iter().map(|entry| format!("gtp {}", entry.name)));
        there.extend(nboard::TABLE.iter().map(|entry| format!("nboard {}", entry.name)));
        there.extend(uci::TABLE.iter().map(|entry| format!("uci {}", entry.name)));
        there.extend(own(&othello::COMMANDS, "othello"));
        there.extend(own(&go::COMMANDS, "go"));
        there.extend(VERBS.iter().map(|verb| format!("book {}", verb.name)));
        there.extend(katago::ACTIONS.iter().map(|action| format!("katago {action}")));
        there.extend(["", " of some moves", " of turns"].map(|what| format!("katago query{what}")));
        there.extend(["json question", "json analyze", "json command", "standalone board"].map(String::from));
        let tried: BTreeSet<String> = all().map(|case| case.name.to_owned()).collect();
        let missing: Vec<&String> = there.difference(&tried).collect();
        assert!(missing.is_empty(), "not tried in `soak --stops`: {missing:?}");
        let unknown: Vec<&String> = tried.difference(&there).collect();
        assert!(unknown.is_empty(), "no such command: {unknown:?}");
        let twice = all().filter(|case| all().filter(|c| (c.name, c.game) == (case.name, case.game)).count() > 1);
        assert_eq!(twice.map(|case| case.name).collect::<Vec<_>>(), [] as [&str; 0]);
    }
}
