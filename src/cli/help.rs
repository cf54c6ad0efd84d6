//! The language of people at a terminal, and the help of the command line in it.

use crate::base::Language;
use clap::Command;
use std::{ffi::OsString, sync::Arc};

/// The language of the system, as POSIX finds it: the first of these variables that says anything decides.
pub fn of_the_system() -> Option<&'static str> {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
    set.into_iter().find(|value| !value.is_empty()).and_then(|value| Language::of_locale(&value))
}

/// The language for help: what `--language` says, else that of the system if a person reads it at a terminal.
pub fn language(args: &[OsString], terminal: bool) -> Arc<Language> {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let named = words.iter().enumerate().find_map(|(i, word)| match word.strip_prefix("--language")? {
        "" => words.get(i + 1).copied(),
        rest => rest.strip_prefix('='),
    });
    let name = named.or_else(|| of_the_system().filter(|_| terminal)).unwrap_or("en");
    Language::named(name).map_or_else(|_| Language::english(), |(_, language)| language)
}

/// The same commands with everything in their help that the language has words for.
pub fn translated(command: Command, language: &Language) -> Command {
    if language.code() == "en" {
        return command;
    }
    let mut command = command;
    // So that what every command line has is there to be translated.
    command.build();
    of_one(command, language)
}

fn of_one(command: Command, language: &Language) -> Command {
    let say = |text: String| language.say(&text).into_owned();
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{}: {{usage}}\n\n{{all-args}}{{after-help}}",
        language.say("Usage")
    );
    let about = command.get_about().map(|about| say(about.to_string()));
    let after = command.get_after_help().map(|after| say(after.to_string()));
    let mut command = command.help_template(template).subcommand_help_heading(kept(&language.say("Commands")));
    if let Some(about) = about {
        command = command.about(about);
    }
    if let Some(after) = after {
        command = command.after_help(after);
    }
    command
        .mut_args(|arg| {
            let usual = if arg.is_positional() { "Arguments" } else { "Options" };
            let heading = kept(&language.say(arg.get_help_heading().unwrap_or(usual)));
            let help = arg.get_help().map(|help| say(help.to_string()));
            let arg = arg.help_heading(heading);
            match help {
                Some(help) => arg.help(help),
                None => arg,
            }
        })
        .mut_subcommands(|command| of_one(command, language))
}

/// A few headings, needed until the process ends with its help.
fn kept(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn args(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn what_is_asked_for_goes_before_the_system() {
        assert_eq!(language(&args("shirokuro --language zh --help"), false).code(), "zh");
        assert_eq!(language(&args("shirokuro --help --language=ja"), true).code(), "ja");
        // In a pipe the system's settings change nothing.
        assert_eq!(language(&args("shirokuro --help"), false).code(), "en");
        assert_eq!(language(&args("shirokuro --language nowhere.json"), false).code(), "en");
        for (locale, code) in
            [("zh_CN.UTF-8", Some("zh")), ("ja", Some("ja")), ("ja_JP.eucJP", Some("ja")), ("C", None), ("de_DE", None)]
        {
            assert_eq!(Language::of_locale(locale), code, "{locale}");
        }
    }

    #[test]
    fn every_command_is_explained_in_every_language() {
        for code in ["ja", "zh"] {
            let (_, language) = Language::named(code).unwrap();
            let cli = crate::cli::Cli::command();
            // Who trains an evaluation reads English in its documents anyway.
            let below = |name: &str| cli.find_subcommand(name).into_iter().flat_map(Command::get_subcommands);
            let deeper = ["book", "gopal"].into_iter().flat_map(below);
            let all: Vec<&Command> = cli.get_subcommands().chain([&cli]).chain(deeper).collect();
            let abouts = all.iter().filter_map(|command| command.get_about());
            let helps = all.iter().flat_map(|command| command.get_arguments()).filter_map(|arg| arg.get_help());
            let mut unknown: Vec<String> =
                abouts.chain(helps).map(ToString::to_string).filter(|text| !language.knows(text)).collect();
            unknown.sort();
            unknown.dedup();
            assert_eq!(unknown, [] as [String; 0], "{code}");
        }
    }

    #[test]
    fn help_is_the_same_in_english_and_other_in_chinese() {
        let help = |code: &str| {
            let (_, language) = Language::named(code).unwrap();
            let options = crate::cli::Options::new(crate::engine::Game::Othello).in_language(&language);
            translated(options.add_to(crate::cli::Cli::command()), &language).render_help().to_string()
        };
        assert!(help("en").contains("Usage: ") && help("en").contains("search threads (1 to 256) [default: "));
        let chinese = help("zh");
        for said in ["用法: ", "命令:", "搜索线程数（1 到 256） [默认: ", "输入行棋方和八行", "显示版本"]
        {
            assert!(chinese.contains(said), "{said}: {chinese}");
        }
    }
}
