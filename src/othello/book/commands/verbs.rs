//! The table of `book`: each verb with its usage, its help and its reader.

use super::{BookCommand, Verb, readers::*, words::square};
use crate::{
    base::{Args, BadArgs},
    othello::book::{lookup::MOST_VARIATION, maintain::walk::Bounds},
};
use std::path::PathBuf;

/// All verbs of `book`, in the order of the help.
pub const VERBS: &[Verb] = &[
    Verb {
        name: "help",
        usage: "help [VERB]",
        help: "this list, or more about one verb",
        defaults: "",
        example: "book help learn",
        read: help,
    },
    Verb {
        name: "on",
        usage: "on",
        help: "play from the book",
        defaults: "",
        example: "book on",
        read: |w| ended(w, BookCommand::Use(true)),
    },
    Verb {
        name: "off",
        usage: "off",
        help: "do not play from the book",
        defaults: "",
        example: "book off",
        read: |w| ended(w, BookCommand::Use(false)),
    },
    Verb {
        name: "error",
        usage: "error DISCS",
        help: "play any book move that is at most so much worse than the best, with equal chances",
        defaults: "At the start 0.",
        example: "book error 2",
        read: |w| {
            let discs = w.number("a number of discs (0 to 128)", 128)?;
            ended(w, BookCommand::Error(discs))
        },
    },
    Verb {
        name: "variation",
        usage: "variation LEVEL",
        help: "0 to 10: play book moves up to twice the level worse than the best, the worse the rarer",
        defaults: "At the start 0: only the best moves.",
        example: "book variation 3",
        read: |w| {
            let level = w.number("a level from 0 to 10", MOST_VARIATION)?;
            ended(w, BookCommand::Variation(level))
        },
    },
    Verb {
        name: "trust",
        usage: "trust on|off",
        help: "off: before a book move is played, look whether a move outside the book is better",
        defaults: "At the start on.",
        example: "book trust off",
        read: |w| {
            let on = w.switch()?;
            ended(w, BookCommand::Trust(on))
        },
    },
    Verb {
        name: "autosave",
        usage: "autosave on|off [MINUTES]",
        help: "save automatically at the end and, while learning, every N minutes (0 = after every step)",
        defaults: "At the start on, every 5 minutes.",
        example: "book autosave on 5",
        read: |w| {
            let on = w.switch()?;
            let minutes = if w.is_empty() { None } else { Some(w.number("minutes (0 to 1440)", 1440)?) };
            ended(w, BookCommand::Autosave { on, minutes })
        },
    },
    Verb {
        name: "show",
        usage: "show",
        help: "what the book knows here: each move with value, level, lines, accuracy, Umigame's number, leaf",
        defaults: "",
        example: "book show",
        read: |w| ended(w, BookCommand::Show),
    },
    Verb {
        name: "set",
        usage: "set [MOVE] VALUE",
        help: "give a move (or the position) a value by hand, for the side to move; its level becomes S",
        defaults: "",
        example: "book set f5 -3",
        read: |w| {
            let square = square(w);
            let value = value(w)?;
            ended(w, BookCommand::Set { square, value })
        },
    },
    Verb {
        name: "add",
        usage: "add [MOVE] [level L]",
        help: "search a move (or the position) and put it into the book",
        defaults: "Without MOVE the position itself; without a level the level in use.",
        example: "book add f5 level 12",
        read: |w| {
            let square = square(w);
            Ok(BookCommand::Add { square, level: only_level(w)? })
        },
    },
    Verb {
        name: "delete",
        usage: "delete [MOVE]",
        help: "take a move (or the position) out of the book",
        defaults: "Without MOVE the position itself.",
        example: "book delete f5",
        read: |w| {
            let square = square(w);
            ended(w, BookCommand::Delete { square })
        },
    },
    Verb {
        name: "learn",
        usage: "learn [deviate] [depth D] [error E] [sum S] [leaf E] [level L] [rounds N] | learn queue [depth D] [tolerance T] [level L]",
        help: "let the book grow from here: deviate follows good play and takes in leaves that lose little (each bound may be inf); queue tries all moves of even positions",
        defaults: "Defaults: deviate, depth 24, error 2, sum 4, leaf as error, the level in use, no limit of rounds; queue: depth 24, tolerance 10.",
        example: "book learn depth 12 error 2 level 10",
        read: learn,
    },
    Verb {
        name: "learn-games",
        usage: "learn-games FILE [depth D] [error E] [sum S] [leaf E] [level L] [rounds N]",
        help: "learn from the last position of every game of a file (one transcript a line); bad lines are named first",
        defaults: "Defaults: depth 24, error 2, sum 4, leaf as error, the level in use, no limit of rounds.",
        example: "book learn-games games.txt depth 20",
        read: |w| {
            let file = w.file()?;
            Ok(BookCommand::LearnGames { file, learning: deviating(w, USUAL)? })
        },
    },
    Verb {
        name: "store",
        usage: "store [depth D] [level L]",
        help: "put the positions of the present game into the book",
        defaults: "Without a depth all positions of the game; without a level the level in use.",
        example: "book store depth 20 level 12",
        read: |w| depth_and_level(w).map(|(depth, level)| BookCommand::Store { depth, level }),
    },
    Verb {
        name: "fix",
        usage: "fix [all]",
        help: "put links, values (from the ends up), lines and leaves in order and delete orphans; all: values given by hand too",
        defaults: "",
        example: "book fix all",
        read: |w| {
            let all = w.flag("all");
            ended(w, BookCommand::Fix { all })
        },
    },
    Verb {
        name: "reduce",
        usage: "reduce [depth D] [error E] [sum S]",
        help: "delete below this position what good play within these bounds does not reach",
        defaults: "Defaults: depth 24, error 2, sum 4.",
        example: "book reduce depth 20 error 1",
        read: |w| Ok(BookCommand::Reduce(deviating(w, USUAL)?.bounds)),
    },
    Verb {
        name: "leaves",
        usage: "leaves [missing|weaker|all] [depth D] [error E] [sum S] [level L]",
        help: "search the leaves of the positions that good play reaches from here",
        defaults: "Defaults: weaker, depth 24, error 2, sum 4, the level in use.",
        example: "book leaves missing level 16",
        read: leaves,
    },
    Verb {
        name: "lines",
        usage: "lines",
        help: "count the lines below each position again",
        defaults: "",
        example: "book lines",
        read: |w| ended(w, BookCommand::Lines),
    },
    Verb {
        name: "deepen",
        usage: "deepen [level L]",
        help: "search again what was found at a lower level at the edge of the book",
        defaults: "Without a level the level in use.",
        example: "book deepen level 16",
        read: |w| Ok(BookCommand::Deepen { level: only_level(w)? }),
    },
    Verb {
        name: "extend",
        usage: "extend [depth D] [level L] [rounds N]",
        help: "take in every leaf that is as good as the best move of the book",
        defaults: "Defaults: depth 24, the level in use, no limit of rounds.",
        example: "book extend depth 20 rounds 2",
        read: |w| Ok(BookCommand::Extend(deviating(w, Bounds { depth: Some(DEFAULT_DEPTH), ..Bounds::NONE })?)),
    },
    Verb {
        name: "fill",
        usage: "fill [PLIES] [level L]",
        help: "put in positions from which at most so many moves lead back into the book",
        defaults: "Defaults: 1 ply, the level in use.",
        example: "book fill 2 level 12",
        read: |w| {
            let told = w.peek().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
            let plies = if told { w.number("a number of plies (1 to 4)", 4)?.max(1) } else { 1 };
            Ok(BookCommand::Fill { plies, level: only_level(w)? })
        },
    },
    Verb {
        name: "prune",
        usage: "prune [depth D]",
        help: "delete below this position what is not reached when one of the sides plays best",
        defaults: "Without a depth to the end of the book.",
        example: "book prune depth 30",
        read: |w| {
            let depth = if w.flag("depth") { w.limit(PLIES, 60)? } else { None };
            ended(w, BookCommand::Prune { depth })
        },
    },
    Verb {
        name: "subtree",
        usage: "subtree",
        help: "keep only what lies below this position, and the way to it",
        defaults: "",
        example: "book subtree",
        read: |w| ended(w, BookCommand::Subtree),
    },
    Verb {
        name: "merge",
        usage: "merge FILE [later|missing] [lenient] [level L]",
        help: "add another book: the higher level wins, on equal levels the newcomer; later: always the newcomer; missing: only new positions",
        defaults: "Defaults: strict, the higher level wins.",
        example: "book merge other.egbk3 missing",
        read: merge,
    },
    Verb {
        name: "import",
        usage: "import FILE [lenient] [level L]",
        help: "add the book of another program (egbk3, egbk2, egbk, Edax, Egaroucid 5 text, Zebra); level: for formats without",
        defaults: "Default: strict, nothing is taken of a damaged file.",
        example: "book import book.dat lenient",
        read: |w| {
            let file = w.file()?;
            Ok(BookCommand::Import { file, reading: reading(w, |_| false)? })
        },
    },
    Verb {
        name: "export",
        usage: "export FILE [skbook|egbk3|egbk2|edax|edax-text|text] [level L]",
        help: "write the book for another program; without a format the name decides; level: one for all positions",
        defaults: "Default: the format of the name's ending, every position with its own level.",
        example: "book export book.egbk3 level 21",
        read: export,
    },
    Verb {
        name: "info",
        usage: "info [FILE.svg]",
        help: "positions by level and by ply; with a file, also as a picture",
        defaults: "",
        example: "book info levels.svg",
        read: |w| {
            let svg = w.next_word().map(PathBuf::from);
            ended(w, BookCommand::Info { svg })
        },
    },
    Verb {
        name: "check",
        usage: "check FILE [depth D] [error E]",
        help: "compare the games of a file with the book",
        defaults: "Defaults: no limit of depth, error 2.",
        example: "book check games.txt error 1",
        read: check,
    },
    Verb {
        name: "extract",
        usage: "extract [N] [FILE]",
        help: "the lines of best moves from here, at most N of them, shown or written to a file",
        defaults: "Default: 100 lines, shown.",
        example: "book extract 20 lines.txt",
        read: |w| {
            let told = w.peek().and_then(|word| word.parse().ok());
            let most = told.inspect(|_: &usize| _ = w.next_word()).unwrap_or(100);
            let file = w.next_word().map(PathBuf::from);
            ended(w, BookCommand::Extract { file, most })
        },
    },
    Verb {
        name: "umigame",
        usage: "umigame [DEPTH] [ERROR]",
        help: "Umigame's number of every book move: the lines each side must know if both play best moves",
        defaults: "Defaults: DEPTH 60, ERROR 0.",
        example: "book umigame 20",
        read: umigame,
    },
    Verb {
        name: "verify",
        usage: "verify",
        help: "read the whole book: its file against the checksums, every value against what lies below it; nothing is changed",
        defaults: "",
        example: "book verify",
        read: |w| ended(w, BookCommand::Verify),
    },
    Verb {
        name: "load",
        usage: "load FILE [lenient] [level L] [discard]",
        help: "use another book from now on, in any known format; lenient: take what is sound of a damaged one; discard: drop unsaved changes",
        defaults: "Default: strict, and unsaved changes are not dropped.",
        example: "book load my.skbook",
        read: load,
    },
    Verb {
        name: "save",
        usage: "save [FILE]",
        help: "save the book; with a name, to that file from now on",
        defaults: "Without a name the file the book came from.",
        example: "book save my.skbook",
        read: |w| {
            let file = w.next_word().map(PathBuf::from);
            ended(w, BookCommand::Save { file })
        },
    },
    Verb {
        name: "new",
        usage: "new [discard]",
        help: "begin an empty book; discard: drop unsaved changes",
        defaults: "Without `discard` only when nothing is unsaved.",
        example: "book new discard",
        read: |w| {
            let discard = w.flag("discard");
            ended(w, BookCommand::New { discard })
        },
    },
    Verb {
        name: "revert",
        usage: "revert",
        help: "drop all changes since the book was read or saved",
        defaults: "",
        example: "book revert",
        read: |w| ended(w, BookCommand::Revert),
    },
];

fn help(words: &mut Args) -> Result<BookCommand, BadArgs> {
    if words.is_empty() {
        return Ok(BookCommand::Help(None));
    }
    let verb =
        words.parsed("a verb of `book`", |word| VERBS.iter().find(|verb| verb.name.eq_ignore_ascii_case(word)))?;
    Ok(BookCommand::Help(Some(verb.name)))
}
