//! The console's words: one table from which come the parser, `help` and the README.

use super::{args, args::Parsed};
use crate::{
    engine::{Answer, CommandError, CommandErrorKind, Focus, Job, Step, command::Table},
    protocol::{Command, Request, Target, command_table, tables::excerpt},
};

/// What a command is for; `help` and the README list them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Playing,
    Thinking,
    Position,
    Options,
    Program,
}

impl Group {
    pub const ALL: [Group; 5] = [Group::Playing, Group::Thinking, Group::Position, Group::Options, Group::Program];

    pub const fn title(self) -> &'static str {
        match self {
            Group::Playing => "Playing",
            Group::Thinking => "Thinking",
            Group::Position => "Position and game",
            Group::Options => "Options",
            Group::Program => "This program",
        }
    }
}

pub type Entry = command_table::Entry<Group, args::Wrong>;

/// Answered by the protocol itself, which knows the word from the request.
fn look(args: &str) -> Parsed<Command> {
    Ok(Command::Look(args.to_owned()))
}

fn alone(args: &str, command: Command) -> Parsed<Command> {
    args::nothing(args).map(|()| command)
}

const fn entry(
    group: Group,
    names: &'static [&'static str],
    arguments: &'static str,
    help: &'static str,
    read: fn(&str) -> Parsed<Command>,
) -> Entry {
    let Some((name, aliases)) = names.split_first() else { panic!("a command has a name") };
    Entry { name, aliases, arguments, help, more: "", only: None, read, own: group }
}

impl Entry {
    const fn more(self, more: &'static str) -> Entry {
        Entry { more, ..self }
    }
}

use Group::{Options, Playing, Position, Program, Thinking};

pub const TABLE: &[Entry] = &[
    entry(Playing, &["play"], "MOVES", "Play these moves: `play f5d6`, `play f5 d6 c3`.", |a| {
        args::moves(a).map(Command::Play)
    })
    .more(
        "Moves alone do the same: `f5`, `f5d6c3`. All are played or, if one is illegal, none. A \
         colour may stand before a move: `play white d6`.",
    ),
    entry(Playing, &["pass", "ps", "pa"], "", "Pass.", |a| alone(a, Command::Play(vec![(None, "pass".into())]))).more(
        "Only when there is no legal move. With the option `autopass` forced passes are made by \
         themselves.",
    ),
    entry(Playing, &["go", "genmove", "g"], "[COLOUR]", "Let the engine move for the side to move.", |a| {
        args::colour(a).map(|colour| Command::Work(Job::Move { colour, play: true }))
    })
    .more(
        "Answers `move f5 colour black value +0.25 depth 14@73% nodes 123456 time 0.123 pv f5 d6 c3 \
         …`.",
    ),
    entry(
        Playing,
        &["mode", "m"],
        "[0|1|2|3]",
        "Which side the engine plays: 0 white, 1 black, 2 both, 3 none.",
        |a| args::mode(a).and(look(a)),
    )
    .more(
        "The engine then moves by itself when it is its turn. After `undo`, `redo`, `goto` and \
         `takeback` it waits for the next move. `stop` ends the mode.",
    ),
    entry(Playing, &["new", "init", "reset", "n", "i"], "", "Begin a new game.", |a| alone(a, Command::NewGame)),
    entry(Playing, &["undo", "u"], "[N]", "Take N moves back (1); `redo` plays them again.", |a| {
        args::count(a).map(|n| Command::Step(Step::Back(n)))
    }),
    entry(Playing, &["redo", "r"], "[N]", "Play N undone moves again (1).", |a| {
        args::count(a).map(|n| Command::Step(Step::Forward(n)))
    }),
    entry(Playing, &["goto"], "PLY", "Go to the position after PLY moves of this game.", |a| {
        args::number(a).map(|n| Command::Step(Step::To(n)))
    }),
    entry(Playing, &["takeback"], "[N]", "Take N moves back (1) and forget them.", |a| {
        args::count(a).map(|n| Command::Step(Step::TakeBack(n)))
    }),
    entry(
        Thinking,
        &["hint", "h"],
        "[N] | hint depth mid N end M",
        "The values of the N best moves (all).",
        args::hint,
    )
    .more(
        "One line a move, best first: `hint f5 value +0.25 depth 14@73% pv f5 d6 …`, then `total \
         moves 4 nodes 123456 time 0.123`. `hint depth mid N end M` sets how deep hints look; 0 and \
         0: as deep as moves. At a terminal `hint auto on 3` shows three hints after each move, until the next line.",
    ),
    entry(Thinking, &["watch"], "[N]", "Like `hint`, deeper and deeper until `stop`.", |a| {
        args::count_or(a, 1).map(|count| Command::Work(Job::Watch { colour: None, count, focus: Focus::default() }))
    })
    .more("What is found on the way is printed as `info …` lines when `progress` is on."),
    entry(Thinking, &["analyze", "analyse", "a"], "", "Judge every move of the game.", |a| {
        alone(a, Command::Work(Job::Analyse))
    })
    .more(
        "One line a position: `analysis ply 0 colour black played f5 value +0.00 best f5 best-value \
         +0.00 loss 0.00 depth 12`, then a summary.",
    ),
    entry(Thinking, &["stop"], "", "Stop what is running; it answers with what it has.", |a| {
        alone(a, Command::Stop(Target::All))
    })
    .more("Answers of stopped work carry `result partial`."),
    entry(Position, &["setboard", "position"], "POSITION", "Set up a position, in any notation.", |a| {
        args::text(a).map(Command::Import)
    })
    .more(
        "64 squares from a1 and the side to move, in any of the usual alphabets, with or without \
         blanks: `setboard ---------------------------OX------XO--------------------------- X`. \
         Bitboards: `setboard bits 0x0000000810000000 0x0000001008000000 X`. Without anything behind \
         it, the next eight lines are the rows and a ninth is the side to move.",
    ),
    entry(Position, &["show"], "", "The board as a picture.", args::show).more(
        "At a terminal `show values off` hides every value that was not asked for, also in the engine's sentence: for \
         playing and for judging by oneself. `hint` and `analyze` still show them.",
    ),
    entry(Position, &["board"], "", "The board in one line, as `setboard` reads it.", |a| {
        args::nothing(a).and(look(a))
    }),
    entry(Position, &["bits"], "", "The board as bitboards.", |a| args::nothing(a).and(look(a))),
    entry(Position, &["transcript"], "[MOVES]", "The moves so far; with MOVES: a new game with these moves.", |a| {
        if a.is_empty() { look(a) } else { Ok(Command::Import(a.to_owned())) }
    }),
    entry(Position, &["export"], "FORM", "The game or position as text; without FORM, the names of the forms.", look),
    entry(Position, &["moves"], "", "The legal moves.", |a| args::nothing(a).and(look(a))),
    entry(Position, &["score"], "", "Discs on the board and, at the end, the result.", |a| {
        args::nothing(a).and(look(a))
    }),
    entry(Position, &["load", "open", "o"], "FILE [PLY]", "Load a game from a file, up to PLY moves.", args::load),
    entry(
        Position,
        &["save", "s"],
        "FILE [FORM] [here]",
        "Write the game to a file; the form follows the name's ending.",
        args::save,
    )
    .more(
        "The whole game, or with `here` the moves up to the present position. What the form cannot hold is said. Quote a \
         file name with blanks. `export` lists the forms.",
    ),
    entry(Options, &["options"], "", "All options with value, default, range and meaning.", |a| {
        alone(a, Command::Settings)
    })
    .more("Every option is a command too: `level` shows it, `level 10` changes it."),
    entry(Options, &["set"], "OPTION VALUE …", "Change options; all of them or, if one is wrong, none.", |a| {
        args::settings(a).map(Command::Set)
    }),
    entry(Options, &["settings"], "save|show|reset", "Keep the options for the next session.", |a| {
        args::keep(a).map(Command::Keep)
    })
    .more(
        "What is kept is read again at a terminal, or with `--config FILE`; never in a pipe, so that scripts repeat. `save` \
         keeps every option that is not as at a first start, `show` lists them, `reset` forgets them and puts all options \
         back.",
    ),
    entry(
        Options,
        &["depth"],
        "N | depth mid N end M | depth off",
        "Search N plies; or N in the midgame and the last M to the end.",
        args::depth,
    )
    .more("`level` does both at once and ends a fixed depth."),
    entry(
        Options,
        &["time"],
        "move S | time game S [+ S] | time left COLOUR S | time off",
        "Seconds for a move, or a clock for the game with an increment.",
        args::time,
    )
    .more("`5:00` is 300 seconds. `time left black 30` puts one clock right. `time off` ends both."),
    entry(Program, &["game"], "NAME", "Play another game: othello or go.", |a| args::game(a).map(Command::Switch)),
    entry(Program, &["progress"], "on|off", "Print what is found while thinking, as `info …` lines.", |a| {
        args::switch(a).and(look(a))
    })
    .more(
        "On at a terminal, where it is shown in one place; off otherwise. Long work on a book is told as `status …` lines, when it is off every five \
         seconds.",
    ),
    entry(Program, &["echo"], "TEXT", "Print TEXT when everything before it is answered.", look),
    entry(Program, &["version", "ver", "v"], "", "Name and version.", |a| args::nothing(a).and(look(a))),
    entry(Program, &["help", "?"], "[COMMAND]", "This list, or more about one command or option.", look),
    entry(Program, &["quit", "exit", "q", "eof"], "[save|discard]", "Leave.", args::quit).more(
        "Unsaved changes to a book are saved by themselves, or kept where `book-home` says; `quit discard` drops them.",
    ),
];

/// What may also follow a command at a terminal, where a person sees what it does.
pub const AT_A_TERMINAL: &[(&str, &[&str])] = &[("hint", &["auto on [N]", "auto off"]), ("show", &["values on|off"])];

/// The ways to write a command that are there at a terminal only.
pub fn at_a_terminal(name: &str) -> &'static [&'static str] {
    AT_A_TERMINAL.iter().find(|(own, _)| *own == name).map_or(&[], |(_, ways)| ways)
}

/// In any case.
pub fn find(word: &str) -> Option<&'static Entry> {
    command_table::find(TABLE, &word.to_ascii_lowercase())
}

/// Reads one line that is neither blank nor a comment.
pub fn parse(line: &str, own: Table) -> Request {
    let line = line.trim();
    if let Ok(moves) = args::moves(line) {
        return Request::new("play", Command::Play(moves));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if args::moves(word).is_ok() && find(word).is_none() {
        let message = format!("`{}` is not a list of moves", excerpt(line));
        return Request {
            command: Err(CommandError::new(CommandErrorKind::Syntax, message)),
            ..Request::new("play", Command::Nothing)
        };
    }
    if let Some(entry) = find(word) {
        return Request { command: read(entry, rest, own), ..Request::new(entry.name, Command::Nothing) };
    }
    let command = own.read(word, rest).map(|command| command.map(|command| Command::Work(Job::Command(command))));
    // `level = 10` is what some are used to.
    let value = rest.strip_prefix('=').unwrap_or(rest).trim();
    let value = value.strip_prefix('"').and_then(|inside| inside.strip_suffix('"')).unwrap_or(value);
    // Quoted and empty is a value, too; nothing at all asks for it.
    if command.is_none() && value.is_empty() && rest.len() > 1 {
        return Request::new("other", Command::Set(vec![(word.into(), String::new())]));
    }
    let option = || Ok(Command::Option { name: word.into(), value: value.into() });
    Request { command: command.unwrap_or_else(option), ..Request::new("other", Command::Nothing) }
}

/// What the console does not understand may be understood by the game under the same name.
fn read(entry: &Entry, rest: &str, own: Table) -> Answer<Command> {
    (entry.read)(rest).or_else(|wrong| match own.read(entry.name, rest) {
        Some(Ok(command)) => Ok(Command::Work(Job::Command(command))),
        Some(Err(error)) if is_for_the_game(entry, rest, own) => Err(error),
        _ => Err(complaint(entry, wrong)),
    })
}

/// Whether the line begins as the game's command of that name does: `hint human`. What begins with no word of its own,
/// such as the name of a file, may always be for the game.
fn is_for_the_game(entry: &Entry, rest: &str, own: Table) -> bool {
    let usage = own.find(entry.name).map_or("", |about| about.usage);
    let keyword = usage.split(' ').nth(1).filter(|word| word.chars().all(|c| c.is_ascii_lowercase()));
    keyword.is_none_or(|keyword| rest.split(' ').next().is_some_and(|word| word.eq_ignore_ascii_case(keyword)))
}

fn complaint(entry: &Entry, wrong: args::Wrong) -> CommandError {
    let message = match wrong {
        args::Wrong::Usage => format!("usage: {}", entry.usage()),
        args::Wrong::Here(what, text) => format!("`{}` is not {what}; usage: {}", excerpt(&text), entry.usage()),
    };
    CommandError::new(CommandErrorKind::Syntax, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engine::Engine, protocol::dummy::Dummy};
    use std::collections::HashSet;

    fn own() -> Table {
        Dummy::default().commands()
    }

    #[test]
    fn every_name_and_alias_means_one_command() {
        let mut seen = HashSet::new();
        for entry in TABLE {
            for name in entry.aliases.iter().chain([&entry.name]) {
                assert!(seen.insert(*name), "duplicate name `{name}`");
                assert!(args::moves(name).is_err() || entry.name == "pass", "`{name}` could be a move");
            }
            assert!(entry.help.ends_with('.') && !entry.help.contains('\n'), "{}", entry.help);
        }
    }

    #[test]
    fn lines_become_commands() {
        let play = |moves: &[&str]| Ok(Command::Play(moves.iter().map(|m| (None, (*m).to_owned())).collect()));
        for (line, command) in [
            ("f5", play(&["f5"])),
            ("F5d6 c3", play(&["F5", "d6", "c3"])),
            ("PLAY f5, pass", play(&["f5", "pass"])),
            ("--", play(&["--"])),
            ("undo", Ok(Command::Step(Step::Back(1)))),
            ("u 3", Ok(Command::Step(Step::Back(3)))),
            ("goto 12", Ok(Command::Step(Step::To(12)))),
            ("go", Ok(Command::Work(Job::Move { colour: None, play: true }))),
            ("level = 10", Ok(Command::Option { name: "level".into(), value: "10".into() })),
            ("eval \"\"", Ok(Command::Set(vec![("eval".into(), String::new())]))),
            ("eval \"my weights\"", Ok(Command::Option { name: "eval".into(), value: "my weights".into() })),
            ("echo", Ok(Command::Look(String::new()))),
            ("transcript f5d6", Ok(Command::Import("f5d6".into()))),
            ("QUIT", Ok(Command::Quit)),
        ] {
            assert_eq!(parse(line, own()).command, command, "{line}");
        }
    }

    #[test]
    fn a_line_that_begins_with_a_move_is_about_moves() {
        let refusal = parse("f5 then d6", own()).command.expect_err("not moves");
        assert_eq!(refusal.message, "`f5 then d6` is not a list of moves");
    }

    #[test]
    fn wrong_arguments_are_answered_with_the_usage() {
        for line in ["undo x", "undo -1", "quit now", "goto", "mode 4", "time", "time move x", "set level", "play f5 x"]
        {
            let refusal = parse(line, own()).command.expect_err(line);
            assert!(refusal.message.contains("usage: "), "{line}: {refusal}");
            assert_eq!(refusal.kind, CommandErrorKind::Syntax);
        }
    }
}
