//! Options of a player on the command line: where they may stand, and what to say where they may not.

use crate::{
    base::{Language, settings::SettingView},
    engine::Game,
    protocol::SessionSettings,
};
use clap::{
    Arg, ArgAction, ArgMatches, Command,
    error::{ContextKind, ContextValue, ErrorKind},
};
use std::{ffi::OsString, sync::Arc};

/// Subcommands that speak a protocol: they take the options of the player and of the session.
const PROTOCOLS: [&str; 7] = ["gtp", "nboard", "console", "json", "standalone", "uci", "katago"];
/// For options that are set by name.
const SET: &str = "set";

/// The options of one game and those of the session.
pub struct Options {
    game: Game,
    player: Vec<SettingView>,
    session: Vec<SettingView>,
    /// Those of the other games, which are not taken here.
    others: Vec<(Game, SettingView)>,
    /// Of the help.
    language: Arc<Language>,
}

/// Which options of the player `--help` lists; all of them are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    All,
    /// Only `--set`, for tools that have other things to explain.
    Set,
}

/// A complaint about the arguments, ready to be printed.
#[derive(Debug, PartialEq, Eq)]
pub struct Misplaced(pub String);

impl Options {
    pub fn new(game: Game) -> Options {
        let settings = |game| super::make_engine(game).settings();
        let others = Game::ALL.into_iter().filter(|other| *other != game);
        Options {
            game,
            player: settings(game),
            session: SessionSettings::default().settings(),
            others: others.flat_map(|other| settings(other).into_iter().map(move |row| (other, row))).collect(),
            language: Language::english(),
        }
    }

    /// The same with their help in another language.
    pub fn in_language(self, language: &Arc<Language>) -> Options {
        Options { language: language.clone(), ..self }
    }

    /// Adds the options to the commands that run a player.
    pub fn add_to(&self, root: Command) -> Command {
        let root = self.player_args(self.session_args(root), Shown::All);
        PROTOCOLS
            .into_iter()
            .fold(root, |root, name| {
                root.mut_subcommand(name, |command| self.player_args(self.session_args(command), Shown::All))
            })
            .mut_subcommand("suite", |suite| self.player_args(suite, Shown::Set))
            .mut_subcommand("ggs", |command| self.player_args(command, Shown::Set))
            .mut_subcommand("cgos", |command| self.player_args(command, Shown::Set))
            .mut_subcommand("batch", |batch| self.player_args(batch, Shown::Set))
            .mut_subcommand("submit", |submit| self.player_args(submit, Shown::Set))
            .mut_subcommand("work", |work| self.player_args(work, Shown::Set))
            .mut_subcommand("book", |book| book.mut_subcommand("do", |command| self.player_args(command, Shown::Set)))
    }

    /// As [`Options::add_to`], with the options of the other games too.
    pub fn add_all_to(&self, root: Command) -> Command {
        let add = |mut command: Command| {
            for (game, row) in &self.others {
                if command.get_arguments().all(|arg| arg.get_id() != row.name) {
                    let heading = match game {
                        Game::Othello => "Options of Othello (with --game othello)",
                        Game::Go => "Options of Go (with --game go)",
                    };
                    command = command.arg(setting_arg(row, heading, &self.language).hide(row.tuning));
                }
            }
            command
        };
        PROTOCOLS.into_iter().fold(add(self.add_to(root)), |root, name| root.mut_subcommand(name, add))
    }

    fn player_args(&self, command: Command, shown: Shown) -> Command {
        let heading = match self.game {
            Game::Othello => "Options of Othello (those of Go: add --game go)",
            Game::Go => "Options of Go",
        };
        let set = Arg::new(SET)
            .long(SET)
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .help("Set any option by name, also for tuning, or of the other game for when that is played")
            .help_heading(heading);
        // What the command has an option of its own for is that option.
        let own: Vec<String> = command.get_arguments().map(|arg| arg.get_id().to_string()).collect();
        let rows = self.player.iter().filter(|row| !own.iter().any(|id| id == row.name));
        let hidden = |row: &SettingView| row.tuning || shown == Shown::Set;
        rows.fold(command, |command, row| command.arg(setting_arg(row, heading, &self.language).hide(hidden(row))))
            .arg(set)
    }

    fn session_args(&self, command: Command) -> Command {
        self.session
            .iter()
            .fold(command, |command, row| command.arg(setting_arg(row, "Options of the session", &self.language)))
    }

    /// The player's options that were given, those before the subcommand first.
    pub fn player(&self, matches: &ArgMatches) -> Result<Vec<(&'static str, String)>, Misplaced> {
        let mut chosen = given(&self.player, matches);
        for matches in chain(matches) {
            for pair in matches.try_get_many::<String>(SET).ok().flatten().into_iter().flatten() {
                chosen.push(self.by_name(pair)?);
            }
        }
        Ok(chosen)
    }

    fn by_name(&self, pair: &str) -> Result<(&'static str, String), Misplaced> {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| Misplaced(format!("`--set {pair}` has no value: --set NAME=VALUE")))?;
        let is = |row: &&SettingView| row.is_called(name);
        if let Some(row) = self.player.iter().find(is) {
            return Ok((row.name, value.trim().to_owned()));
        }
        // What only another game knows waits until that game is played.
        let other = self.others.iter().find(|(_, row)| is(&row));
        let (game, row) = other.ok_or_else(|| Misplaced(format!("no game has an option `{}`", name.trim())))?;
        super::make_engine(*game).set(row.name, value.trim()).map_err(|refusal| Misplaced(refusal.message))?;
        Ok((row.name, value.trim().to_owned()))
    }

    pub fn session(&self, matches: &ArgMatches) -> Vec<(&'static str, String)> {
        given(&self.session, matches)
    }

    /// What stands before a subcommand that has no use for it.
    pub fn before_a_tool(&self, root: &ArgMatches) -> Result<(), Misplaced> {
        let Some((tool, _)) = root.subcommand().filter(|(name, _)| !takes_player(name)) else { return Ok(()) };
        let rows = self.player.iter().chain(&self.session).map(|row| row.name);
        match rows
            .chain([SET, "protocol", "game", "strict", "status", "files", "config"])
            .find(|name| is_given(root, name))
        {
            Some(name) => {
                Err(self.misplaced(name, Some(tool)).unwrap_or(Misplaced(format!("--{name} has no use here"))))
            }
            None => Ok(()),
        }
    }

    /// Where an option belongs that the command line does not take where it stands.
    pub fn explain(&self, error: &clap::Error, args: &[OsString]) -> Option<Misplaced> {
        if error.kind() != ErrorKind::UnknownArgument {
            return None;
        }
        let Some(ContextValue::String(arg)) = error.get(ContextKind::InvalidArg) else { return None };
        let name = arg.trim_start_matches('-');
        let tool = args.iter().skip(1).filter_map(|arg| arg.to_str()).find(|arg| super::is_subcommand(arg));
        self.misplaced(name, tool)
    }

    fn misplaced(&self, name: &str, tool: Option<&str>) -> Option<Misplaced> {
        let is = |row: &&SettingView| row.is_called(name);
        let of_player = self.player.iter().any(|row| row.is_called(name));
        let other = self.others.iter().find(|(_, row)| is(&row)).map(|(game, _)| *game);
        let known = of_player || other.is_some();
        let general = [SET, "protocol", "game"].contains(&name) || self.session.iter().any(|row| row.name == name);
        Some(Misplaced(match tool {
            Some("match") if known => format!("--{name} belongs to an engine of the match: -e self:{name}=…"),
            Some(tool) if !takes_player(tool) && (known || general) => {
                format!("`{tool}` has no option --{name}: it belongs to a player, as in `shirokuro --{name} …`")
            }
            _ => match other {
                Some(Game::Go) => format!("--{name} is an option of Go: add --game go"),
                Some(Game::Othello) => format!("--{name} is an option of Othello, and --game go is given"),
                None => return None,
            },
        }))
    }
}

/// The game that the arguments name, before they are read in earnest: it decides which options there are.
pub fn game_in(args: &[OsString]) -> Option<Game> {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let named = |text: &str| Game::ALL.into_iter().find(|game| game.name().eq_ignore_ascii_case(text));
    words.iter().enumerate().find_map(|(i, word)| match word.strip_prefix("--game") {
        Some("") => words.get(i + 1).and_then(|text| named(text)),
        Some(rest) => rest.strip_prefix('=').and_then(named),
        None => None,
    })
}

fn setting_arg(row: &SettingView, heading: &'static str, language: &Language) -> Arg {
    let kind = row.kind.to_string();
    let (help, takes, default) = (language.say(row.help), language.say(&kind), language.say("default"));
    // Chinese and Japanese have brackets of their own.
    let takes = if language.code() == "en" { format!(" ({takes})") } else { format!("（{takes}）") };
    Arg::new(row.name)
        .long(row.name)
        .aliases(row.former)
        .value_name("VALUE")
        .help(format!("{help}{takes} [{default}: {}]", row.default))
        .help_heading(heading)
}

fn takes_player(subcommand: &str) -> bool {
    PROTOCOLS.contains(&subcommand) || ["suite", "batch", "submit", "work", "ggs", "cgos"].contains(&subcommand)
}

/// The matches of a command and of those under it.
fn chain(matches: &ArgMatches) -> impl Iterator<Item = &ArgMatches> {
    std::iter::successors(Some(matches), |matches| matches.subcommand().map(|(_, sub)| sub))
}

fn is_given(matches: &ArgMatches, name: &str) -> bool {
    matches!(matches.try_contains_id(name), Ok(true))
        && matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine)
}

fn given(rows: &[SettingView], matches: &ArgMatches) -> Vec<(&'static str, String)> {
    // An option of a tool's own of that name is not the player's: it has another type or another place.
    let of = |matches: &ArgMatches, row: &SettingView| matches.try_get_one::<String>(row.name).ok().flatten().cloned();
    let in_order = chain(matches).flat_map(|matches| rows.iter().map(move |row| (matches, row)));
    in_order.filter_map(|(matches, row)| Some((row.name, of(matches, row)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_game_is_found_wherever_it_stands() {
        for (line, game) in [
            ("shirokuro gtp --game go --level 3", Some(Game::Go)),
            ("shirokuro --game=Othello", Some(Game::Othello)),
            ("shirokuro gtp --games 3", None),
            ("shirokuro gtp --game", None),
        ] {
            assert_eq!(game_in(&args(line)), game, "{line}");
        }
    }
}
