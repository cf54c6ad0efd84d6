//! Every command of GTP that is spoken here, once. `list_commands`, `known_command`, `help`, GoGui's menu and the
//! README's table come out of this list.

use super::{Gtp, answers, read};
use crate::{
    engine::{Answer, Engine, Game},
    protocol::{Command, CommandHelp},
};

/// What the error message says when an engine refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The engine's reason.
    Reason,
    /// The specification's words, and nothing else.
    Says(&'static str),
    /// The specification's words and then the reason.
    SaysWhy(&'static str),
}

/// Answers a command by looking at the engine.
pub type Look = fn(&mut Gtp, &str, &dyn Engine) -> Answer<String>;

pub struct Entry {
    pub name: &'static str,
    /// What follows the name.
    pub arguments: &'static str,
    pub help: &'static str,
    /// Only for this game.
    pub game: Option<Game>,
    pub failure: Failure,
    pub read: fn(&str) -> Answer<Command>,
    pub look: Option<Look>,
    /// `type/label` in GoGui's menu.
    pub menu: Option<&'static str>,
}

impl Entry {
    const fn new(name: &'static str, arguments: &'static str, help: &'static str) -> Entry {
        Entry { name, arguments, help, game: None, failure: Failure::Reason, read: read::look, look: None, menu: None }
    }

    const fn reads(mut self, read: fn(&str) -> Answer<Command>) -> Entry {
        self.read = read;
        self
    }

    const fn looks(mut self, look: Look) -> Entry {
        self.look = Some(look);
        self
    }

    const fn fails(mut self, text: &'static str) -> Entry {
        self.failure = Failure::Says(text);
        self
    }

    const fn fails_because(mut self, text: &'static str) -> Entry {
        self.failure = Failure::SaysWhy(text);
        self
    }

    const fn menu(mut self, menu: &'static str) -> Entry {
        self.menu = Some(menu);
        self
    }

    const fn only(mut self, game: Game) -> Entry {
        self.game = Some(game);
        self
    }

    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_string()
    }

    pub fn is_for(&self, game: Game) -> bool {
        self.game.is_none_or(|only| only == game) && (self.name != "cputime" || answers::cpu_seconds().is_some())
    }
}

/// Older and other names of commands; understood, but not listed.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("gogui_analyze_commands", "gogui-analyze_commands"),
    ("gogui_interrupt", "gogui-interrupt"),
    ("gogui_sigint", "gogui-sigint"),
    ("gogui_title", "gogui-title"),
    ("gogui_setup", "gogui-setup"),
    ("gogui_play_sequence", "gogui-play_sequence"),
    ("play_sequence", "gogui-play_sequence"),
    ("gomill-cpu_time", "cputime"),
];

pub fn find(name: &str) -> Option<&'static Entry> {
    let name = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| name);
    TABLE.iter().find(|entry| entry.name == name)
}

/// The table for people who read the README.
pub fn commands() -> Vec<CommandHelp> {
    TABLE.iter().map(|e| CommandHelp { name: e.name, usage: e.usage(), help: e.help }).collect()
}

pub const TABLE: &[Entry] = &[
    Entry::new("protocol_version", "", "the version of GTP that is spoken: 2").looks(|_, _, _| Ok("2".into())),
    Entry::new("name", "", "the program's name").looks(|_, _, _| Ok("Shirokuro".into())),
    Entry::new("version", "", "the program's version").looks(|_, _, _| Ok(env!("CARGO_PKG_VERSION").into())),
    Entry::new("known_command", "COMMAND", "whether there is such a command: true or false")
        .looks(|_, name, engine| Ok(answers::is_known(engine, name).to_string())),
    Entry::new("list_commands", "", "the names of all commands, one a line")
        .looks(|_, _, engine| Ok(answers::names(engine).join("\n"))),
    Entry::new("help", "[COMMAND]", "what the commands do").looks(answers::help),
    Entry::new("quit", "", "end the session").reads(read::quit),
    Entry::new("list_games", "", "the games that can be played, one a line")
        .looks(|_, _, _| Ok(Game::ALL.map(Game::name).join("\n"))),
    Entry::new("set_game", "GAME", "play this game from now on").reads(read::set_game).fails("unsupported game"),
    // The game
    Entry::new("boardsize", "SIZE", "begin a new game on a board of this size")
        .reads(read::boardsize)
        .fails("unacceptable size"),
    Entry::new("clear_board", "", "begin a new game").reads(read::clear_board),
    Entry::new("komi", "POINTS", "what white gets for moving second (Othello has no komi: heard and left alone)")
        .reads(read::komi),
    Entry::new("play", "COLOUR VERTEX", "make a move, or `pass`; a pass that is forced may be left out")
        .reads(read::play)
        .fails("illegal move"),
    Entry::new("genmove", "COLOUR", "choose a move and make it").reads(read::genmove),
    Entry::new("reg_genmove", "COLOUR", "choose a move without making it").reads(read::reg_genmove),
    Entry::new("undo", "", "take the last move back").reads(read::undo).fails("cannot undo"),
    Entry::new("gg-undo", "[N]", "take the last N moves back").reads(read::gg_undo).fails("cannot undo"),
    Entry::new("final_score", "", "the result once the game is over: `B+10`, `W+4` or `0`; empties go to the winner")
        .looks(answers::final_score)
        .fails("cannot score")
        .menu("string/Final score"),
    Entry::new("showboard", "", "the board as a picture").looks(answers::show_board).menu("hstring/Board"),
    Entry::new("loadsgf", "FILE [MOVE]", "read a game from a file, up to before this move")
        .reads(read::loadsgf)
        .fails_because("cannot load file"),
    Entry::new("printsgf", "[FILE]", "the game as SGF, or write it to a file")
        .reads(read::printsgf)
        .looks(|_, _, engine| engine.export("sgf"))
        .menu("hstring/Game as SGF"),
    // Time
    Entry::new(
        "time_settings",
        "MAIN BYOYOMI STONES",
        "the clocks of both sides, in seconds; a BYOYOMI without STONES means no limit",
    )
    .reads(read::time_settings),
    Entry::new("time_left", "COLOUR SECONDS STONES", "what is left on a clock; STONES 0: of the main time")
        .reads(read::time_left),
    Entry::new(
        "kgs-time_settings",
        "none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES",
        "the clocks of both sides as KGS has them",
    )
    .reads(read::kgs_time_settings),
    Entry::new("cputime", "", "seconds of processor time used so far").looks(answers::cpu_time),
    // GoGui
    Entry::new("gogui-analyze_commands", "", "GoGui's menu of things to look at").looks(answers::menu),
    Entry::new("gogui-interrupt", "", "says that the comment line `# interrupt` ends the running command")
        .reads(read::nothing),
    Entry::new("gogui-sigint", "", "the process to send an interrupt signal to")
        .looks(|_, _, _| Ok(std::process::id().to_string())),
    Entry::new("gogui-play_sequence", "COLOUR VERTEX …", "make these moves: all or none")
        .reads(read::play_sequence)
        .fails("illegal move"),
    Entry::new("gogui-setup", "COLOUR VERTEX …", "put discs or stones on the board of a new game: all or none")
        .reads(read::set_up),
    Entry::new("gogui-setup_player", "COLOUR", "whose turn it is in a position just set up").reads(read::set_up_player),
    Entry::new("gogui-title", "", "the title of the window").looks(answers::title),
    Entry::new("gogui-version", "VERSION", "heard and left alone").reads(read::nothing),
    Entry::new("gogui-rules_game_id", "", "the game that is played")
        .looks(|_, _, engine| Ok(engine.game().name().into())),
    Entry::new("gogui-rules_board_size", "", "the size of the board")
        .looks(|_, _, engine| Ok(engine.view().size.to_string())),
    Entry::new("gogui-rules_board", "", "the board in rows, the highest number first").looks(answers::rules_board),
    Entry::new("gogui-rules_board_gfx", "", "marks that belong to the board")
        .looks(answers::rules_board_gfx)
        .only(Game::Othello),
    Entry::new("gogui-rules_legal_moves", "", "the legal moves; none when the game is over")
        .looks(answers::legal_moves),
    Entry::new("gogui-rules_side_to_move", "", "whose turn it is")
        .looks(|_, _, engine| Ok(engine.view().to_move.to_string())),
    Entry::new("gogui-rules_final_result", "", "the result in words").looks(answers::final_result),
    Entry::new("gogui-rules_captured_count", "", "stones taken by black and by white")
        .looks(|_, _, engine| {
            let [black, white] = engine.view().captured;
            Ok(format!("{black} {white}"))
        })
        .only(Game::Go),
    Entry::new("gogui-rules_setup", "", "says that positions can be set up").reads(read::nothing),
    // Analysis as it goes on
    Entry::new(
        "lz-analyze",
        "[COLOUR] [INTERVAL]",
        "what is thought of the moves, every INTERVAL hundredths of a second until the next line comes",
    )
    .reads(read::analyse),
    Entry::new("kata-analyze", "[COLOUR] [INTERVAL] [maxmoves N]", "the same, with points and chances as decimals")
        .reads(read::analyse),
    Entry::new("lz-genmove_analyze", "[COLOUR] [INTERVAL]", "like `genmove`, telling what is thought on the way")
        .reads(read::genmove_analyse),
    Entry::new("kata-genmove_analyze", "[COLOUR] [INTERVAL]", "the same, with points and chances as decimals")
        .reads(read::genmove_analyse),
    // Our own
    Entry::new("shirokuro-values", "[N]", "the values of the N best moves (of all without N), for GoGui to draw")
        .reads(read::values)
        .menu("gfx/Values of the moves"),
    Entry::new("shirokuro-line", "", "what is expected to be played from here")
        .reads(read::line)
        .menu("var/Expected moves"),
    Entry::new("shirokuro-legal_moves", "", "the squares or points that may be played")
        .looks(answers::legal_points)
        .menu("plist/Legal moves"),
    Entry::new("shirokuro-count", "", "discs or stones on the board").looks(answers::count).menu("string/Count"),
    Entry::new("shirokuro-analyze", "", "every move of the game judged")
        .reads(read::analyse_game)
        .menu("hpstring/Analyse the game"),
    Entry::new("shirokuro-options", "", "all options with their values and what they take")
        .reads(read::settings)
        .menu("hpstring/Options in a list"),
    Entry::new("shirokuro-set", "OPTION VALUE", "change an option").reads(read::set),
    Entry::new("shirokuro-param", "[OPTION VALUE]", "the options as GoGui's dialog wants them, or change one")
        .reads(read::param)
        .looks(answers::param)
        .menu("param/Options"),
    Entry::new("shirokuro-live_gfx", "[on|off]", "show in GoGui what is thought while it is thought (standard error)")
        .looks(answers::live_gfx),
];
