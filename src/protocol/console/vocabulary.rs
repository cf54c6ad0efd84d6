//! What may be typed next: the words of the tables, options, legal moves, names of files.

use super::commands::{TABLE, at_a_terminal};
use crate::{
    base::settings::{Kind, SettingView},
    engine::{Engine, Game},
};

/// The words of the present game and position.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    usages: Vec<Usage>,
    options: Vec<(&'static str, Kind)>,
    moves: Vec<String>,
    forms: Vec<&'static str>,
    /// How to leave, in the person's language.
    pub leaving: String,
}

/// What fits at the end of a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Where the word begins that is completed.
    pub start: usize,
    pub words: Vec<String>,
    /// Names of files fit too.
    pub files: bool,
}

/// One way to write a command: its own words, then what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Usage {
    words: Vec<String>,
    groups: Vec<Group>,
}

/// Words that follow each other; in brackets they may be left out and come in any order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    optional: bool,
    slots: Vec<Slot>,
}

/// What may stand in one place: keywords, and placeholders in capitals.
type Slot = Vec<String>;

impl Vocabulary {
    pub fn new(engine: &dyn Engine, settings: &[SettingView], leaving: String) -> Vocabulary {
        let own = engine.commands();
        let mut usages = vec![];
        for entry in TABLE {
            let arguments = if entry.name == "game" { "GAME" } else { entry.arguments };
            for arguments in [&[arguments], at_a_terminal(entry.name)].concat() {
                usages.extend(read_usage(&[entry.name], arguments));
            }
        }
        for about in own.list() {
            let topics = own.topics(about.name);
            if topics.is_empty() {
                let arguments = about.usage.strip_prefix(about.name).unwrap_or_default();
                usages.extend(read_usage(&[about.name], arguments));
            }
            for topic in topics {
                let arguments = topic.usage.strip_prefix(topic.name).unwrap_or_default();
                usages.extend(read_usage(&[about.name, topic.name], arguments));
            }
        }
        let options = settings.iter().map(|setting| (setting.name, setting.kind)).collect();
        let moves = engine.view().legal;
        Vocabulary { usages, options, moves, forms: engine.forms().to_vec(), leaving }
    }

    /// What fits at the end of this beginning of a line.
    pub fn complete(&self, line: &str) -> Completion {
        let quoted = line.matches('"').count() % 2 == 1;
        let start = match quoted {
            true => line.rfind('"').unwrap_or_default(),
            false => {
                line.rfind(char::is_whitespace).map_or(0, |at| at + line[at..].chars().next().map_or(1, char::len_utf8))
            }
        };
        let partial = line[start..].to_lowercase();
        let before: Vec<String> = line[..start].split_whitespace().map(str::to_lowercase).collect();
        let mut found = Completion { start, ..Completion::default() };
        for word in self.next(&before) {
            match word.as_str() {
                word if word.starts_with("FILE") || word.starts_with("FOLDER") => found.files = true,
                "MOVE" | "MOVES" => found.words.extend(self.moves.iter().cloned()),
                "COLOUR" => found.words.extend(["black", "white"].map(str::to_owned)),
                "OPTION" => found.words.extend(self.options.iter().map(|(name, _)| (*name).to_owned())),
                "COMMAND" => found.words.extend(self.names()),
                "FORM" => found.words.extend(self.forms.iter().map(|form| (*form).to_owned())),
                "GAME" => found.words.extend(Game::ALL.map(|game| game.name().to_lowercase())),
                word if is_keyword(word) => found.words.push(word.to_owned()),
                _ => {}
            }
        }
        found.words.retain(|word| !quoted && word.to_lowercase().starts_with(&partial));
        found.words.sort();
        found.words.dedup();
        found
    }

    /// All that a line may begin with.
    fn names(&self) -> Vec<String> {
        let options = self.options.iter().map(|(name, _)| (*name).to_owned());
        self.usages.iter().filter_map(|usage| usage.words.first().cloned()).chain(options).collect()
    }

    /// What may come after these words.
    fn next(&self, before: &[String]) -> Vec<String> {
        let Some((first, rest)) = before.split_first() else {
            return self.names().into_iter().chain(["MOVE".into()]).collect();
        };
        // `help book learn` is completed as `book learn` is.
        if (first == "help" || first == "?") && !rest.is_empty() {
            let words = self.usages.iter().filter(|usage| usage.words.starts_with(rest));
            return words.filter_map(|usage| usage.words.get(rest.len()).cloned()).collect();
        }
        if first == "set" && !rest.is_empty() {
            let value = rest.last().and_then(|name| self.values(name)).filter(|_| rest.len() % 2 == 1);
            return value.unwrap_or_else(|| vec!["OPTION".into()]);
        }
        let mut found = vec![];
        for usage in &self.usages {
            let shared = usage.words.iter().zip(before).take_while(|(own, word)| *own == *word).count();
            if shared == before.len() && shared < usage.words.len() {
                found.push(usage.words[shared].clone());
            } else if shared == usage.words.len() {
                found.extend(usage.after(&before[shared..]));
            }
        }
        if let ([name], true) = (before, found.is_empty()) {
            found.extend(self.values(name).unwrap_or_default());
        }
        found
    }

    /// The values of an option, as far as they can be named.
    fn values(&self, name: &str) -> Option<Vec<String>> {
        let (name, kind) = self.options.iter().find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        Some(match kind {
            Kind::Flag => ["on", "off"].map(str::to_owned).to_vec(),
            Kind::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Kind::Text if *name == "language" => ["en", "ja", "zh", "FILE"].map(str::to_owned).to_vec(),
            Kind::Text => vec!["FILE".into()],
            Kind::Whole { .. } | Kind::Real { .. } => vec![],
        })
    }
}

fn is_keyword(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase()) || word.starts_with(|c: char| c.is_ascii_digit())
}

fn accepts(slot: &Slot, word: &str) -> bool {
    slot.iter().any(|choice| !is_keyword(choice) || choice.eq_ignore_ascii_case(word))
}

fn names_it(slot: &Slot, word: &str) -> bool {
    slot.iter().any(|choice| is_keyword(choice) && choice.eq_ignore_ascii_case(word))
}

impl Usage {
    /// What may come after these arguments.
    fn after(&self, args: &[String]) -> Vec<String> {
        let mut used = vec![false; self.groups.len()];
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            // What is named goes before what takes anything; what must come comes in its order.
            let first = |own: &dyn Fn(&Slot, &str) -> bool| {
                let fits = |i: &usize| !used[*i] && self.groups[*i].slots.first().is_some_and(|slot| own(slot, arg));
                let due = self.groups.iter().enumerate().position(|(i, group)| !group.optional && !used[i]);
                (0..=due.unwrap_or(self.groups.len().saturating_sub(1))).filter(|i| *i < self.groups.len()).find(fits)
            };
            let Some(i) = first(&names_it).or_else(|| first(&accepts)) else { return vec![] };
            used[i] = true;
            for slot in &self.groups[i].slots[1..] {
                match args.next() {
                    None => return slot.clone(),
                    Some(arg) if accepts(slot, arg) => {}
                    Some(_) => return vec![],
                }
            }
        }
        let mut found = vec![];
        for (i, group) in self.groups.iter().enumerate().filter(|(i, _)| !used[*i]) {
            found.extend(group.slots.first().cloned().unwrap_or_default());
            if !group.optional && !used[i] {
                break;
            }
        }
        found
    }
}

/// The ways to write a command out of its usage: `FILE [depth D] | queue [depth D]`.
fn read_usage(words: &[&str], arguments: &str) -> Vec<Usage> {
    let name = words.last().copied().unwrap_or_default();
    let ways = arguments.split(" | ").map(|way| {
        let way = way.trim();
        way.strip_prefix(name).filter(|rest| rest.starts_with(' ')).unwrap_or(way)
    });
    ways.map(|way| Usage { words: words.iter().map(|word| (*word).to_owned()).collect(), groups: groups(way) })
        .collect()
}

fn groups(way: &str) -> Vec<Group> {
    let (mut groups, mut depth) = (Vec::<Group>::new(), 0usize);
    for token in way.replace('[', " [ ").replace(']', " ] ").split_whitespace() {
        match token {
            "[" => {
                if depth == 0 {
                    groups.push(Group { optional: true, slots: vec![] });
                }
                depth += 1;
            }
            "]" => depth = depth.saturating_sub(1),
            "…" | "+" => {}
            token => {
                let slot: Slot = token.split('|').filter(|choice| !choice.is_empty()).map(str::to_owned).collect();
                match groups.last_mut().filter(|group| group.optional == (depth > 0)) {
                    Some(group) => group.slots.push(slot),
                    None => groups.push(Group { optional: depth > 0, slots: vec![slot] }),
                }
            }
        }
    }
    groups.retain(|group| !group.slots.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engine::Engine, go::GoEngine, othello::OthelloEngine};

    fn of(engine: &dyn Engine) -> Vocabulary {
        Vocabulary::new(engine, &engine.settings(), String::new())
    }

    fn words(line: &str) -> String {
        of(&OthelloEngine::new()).complete(line).words.join(" ")
    }

    #[test]
    fn commands_options_and_moves_begin_a_line() {
        assert_eq!(words("f"), "f5");
        assert_eq!(words("lev"), "level levelinfo");
        assert_eq!(words("D"), "d3 date depth difficulty draw drill");
        assert_eq!(of(&GoEngine::new()).complete("Q1").words.len(), 11);
        assert_eq!(words("nothing"), "");
    }

    #[test]
    fn arguments_follow_the_usage() {
        assert_eq!(words("book l"), "learn learn-games leaves lines load");
        assert_eq!(words("book learn "), "depth deviate error leaf level queue rounds sum");
        assert_eq!(words("book learn depth 12 e"), "error");
        assert_eq!(words("book learn depth "), "");
        assert_eq!(words("draw a.svg theme "), "colour cvd mono");
        assert_eq!(words("draw a.svg values l"), "last legal");
        assert_eq!(words("quit "), "discard save");
        assert_eq!(words("play "), "c4 d3 e6 f5");
        assert_eq!(words("time left "), "black white");
        assert_eq!(words("game "), "go othello");
        assert_eq!(words("games "), "find hardest list load next open previous stats");
        assert_eq!(words("show v"), "values");
        assert_eq!(words("hint d"), "depth");
        assert_eq!(
            (words("hint au"), words("hint auto "), words("show values ")),
            ("auto".into(), "off on".into(), "off on".into())
        );
        assert_eq!(words("save game.sgf s"), "sgf");
    }

    #[test]
    fn options_have_values_and_help_has_topics() {
        assert_eq!(words("autopass "), "off on");
        assert_eq!(words("set player "), "engine human");
        assert_eq!(words("set ponder on aut"), "autopass");
        assert_eq!(words("help book lea"), "learn learn-games leaves");
        assert_eq!(words("help lev"), "level levelinfo");
        assert_eq!(words("help settings "), "");
    }

    #[test]
    fn files_are_told_apart_from_words() {
        let vocabulary = of(&OthelloEngine::new());
        for line in ["load ", "book merge ", "draw b", "eval ", "load \"my ga"] {
            assert!(vocabulary.complete(line).files, "{line}");
        }
        assert!(!vocabulary.complete("level ").files);
        assert_eq!(vocabulary.complete("load \"my ga").start, 5);
    }

    #[test]
    fn no_line_makes_it_panic() {
        let vocabulary = of(&OthelloEngine::new());
        for line in
            ["", " ", "\"", "定石　", "book learn queue queue queue ", "set set set ", "help help ", "? ", "time "]
        {
            for end in (0..=line.len()).filter(|end| line.is_char_boundary(*end)) {
                vocabulary.complete(&line[..end]);
            }
        }
    }
}
