//! Every command of GTP that is spoken here, once. `list_commands`, `known_command`, `help`, GoGui's menu and the
//! README's table come out of this list.

use super::{Gtp, answers, read};
use crate::{
    engine::{Answer, Engine, Game},
    protocol::{Command, command_table},
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

/// What only GTP says of its commands.
pub struct Own {
    pub failure: Failure,
    pub look: Option<Look>,
    /// `type/label` in GoGui's menu.
    pub menu: Option<&'static str>,
    /// In `list_commands`; a front end may change its ways because of a name in it.
    pub listed: bool,
}

pub type Entry = command_table::Entry<Own>;

impl Entry {
    const fn new(name: &'static str, arguments: &'static str, help: &'static str) -> Entry {
        let own = Own { failure: Failure::Reason, look: None, menu: None, listed: true };
        Entry { name, aliases: &[], arguments, help, more: "", only: None, read: read::look, own }
    }

    /// Older and other names.
    const fn also(mut self, aliases: &'static [&'static str]) -> Entry {
        self.aliases = aliases;
        self
    }

    const fn reads(mut self, read: fn(&str) -> Answer<Command>) -> Entry {
        self.read = read;
        self
    }

    const fn looks(mut self, look: Look) -> Entry {
        self.own.look = Some(look);
        self
    }

    const fn fails(mut self, text: &'static str) -> Entry {
        self.own.failure = Failure::Says(text);
        self
    }

    const fn fails_because(mut self, text: &'static str) -> Entry {
        self.own.failure = Failure::SaysWhy(text);
        self
    }

    const fn menu(mut self, menu: &'static str) -> Entry {
        self.own.menu = Some(menu);
        self
    }

    const fn unlisted(mut self) -> Entry {
        self.own.listed = false;
        self
    }

    const fn only(mut self, game: Game) -> Entry {
        self.only = Some(game);
        self
    }

    /// With the rules of the game listed, GoGui takes the program for a referee and throws a loaded game away; for Go it
    /// knows the rules itself.
    pub fn is_listed_for(&self, game: Game) -> bool {
        self.own.listed && self.is_answered_for(game) && !(game == Game::Go && self.name.starts_with("gogui-rules_"))
    }

    pub fn is_answered_for(&self, game: Game) -> bool {
        self.is_for(game) && (self.name != "cputime" || answers::cpu_seconds().is_some())
    }
}

pub fn find(name: &str) -> Option<&'static Entry> {
    command_table::find(TABLE, name)
}

pub const TABLE: &[Entry] = &[
    Entry::new("protocol_version", "", "the GTP version: 2").looks(|_, _, _| Ok("2".into())),
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
    Entry::new("komi", "POINTS", "points for white (Othello has no komi: accepted and ignored)").reads(read::komi),
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
    Entry::new("cputime", "", "seconds of processor time used so far")
        .also(&["gomill-cpu_time"])
        .looks(answers::cpu_time),
    // GoGui
    Entry::new("gogui-analyze_commands", "", "GoGui's menu of things to look at")
        .also(&["gogui_analyze_commands"])
        .looks(answers::menu),
    Entry::new("gogui-interrupt", "", "says that the comment line `# interrupt` ends the running command")
        .also(&["gogui_interrupt"])
        .reads(read::nothing),
    Entry::new("gogui-sigint", "", "the process to send an interrupt signal to")
        .also(&["gogui_sigint"])
        .looks(|_, _, _| Ok(std::process::id().to_string())),
    Entry::new("gogui-play_sequence", "COLOUR VERTEX …", "make these moves: all or none")
        .also(&["gogui_play_sequence", "play_sequence"])
        .reads(read::play_sequence)
        .fails("illegal move"),
    Entry::new("gogui-setup", "COLOUR VERTEX …", "put discs or stones on the board of a new game: all or none")
        .also(&["gogui_setup"])
        .reads(read::set_up),
    Entry::new("gogui-setup_player", "COLOUR", "whose turn it is in a position just set up").reads(read::set_up_player),
    Entry::new("gogui-title", "", "the title of the window").also(&["gogui_title"]).looks(answers::title),
    Entry::new("gogui-version", "VERSION", "accepted and ignored").reads(read::nothing),
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
    Entry::new("gogui-rules_only", "", "says that this copy of the program is only asked for the rules")
        .looks(answers::rules_only)
        .unlisted(),
    // Analysis as it goes on
    Entry::new(
        "lz-analyze",
        "[COLOUR] [INTERVAL] [minmoves N] [maxmoves N] [avoid COLOUR VERTEX,… PLIES] [allow COLOUR VERTEX,… PLIES]",
        "analyse the moves, with a report every INTERVAL centiseconds, until the next line",
    )
    .reads(read::analyse),
    Entry::new(
        "kata-analyze",
        "[COLOUR] [INTERVAL] [… as lz-analyze] [ownership true] [rootInfo true]",
        "the same, with scores and probabilities as decimals",
    )
    .reads(read::analyse),
    Entry::new("lz-genmove_analyze", "[COLOUR] [INTERVAL]", "like `genmove`, with analysis while it thinks")
        .reads(read::genmove_analyse),
    Entry::new("kata-genmove_analyze", "[COLOUR] [INTERVAL]", "the same, with scores and probabilities as decimals")
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
    Entry::new("shirokuro-live_gfx", "[on|off]", "live graphics in GoGui while thinking (on standard error)")
        .looks(answers::live_gfx),
];
