//! The files of `examples/cluster` can be read, and what they start are commands of this program.

use super::{Cli, Options};
use crate::engine::Game;
use clap::CommandFactory;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use yaml_rust2::{Yaml, YamlLoader};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cluster").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap()
}

/// Whether these words, after the program's name, are a command.
fn is_command(words: &[String]) -> Result<(), String> {
    let command = Options::new(Game::Othello).add_to(Cli::command());
    let line = std::iter::once("shirokuro").chain(words.iter().map(String::as_str));
    command.try_get_matches_from(line).map(drop).map_err(|error| error.to_string())
}

/// Words of a shell's line with its variables filled in by a number.
fn words(line: &str) -> Vec<String> {
    let mut filled = line.replace("$((JOB_COMPLETION_INDEX + 1))", "1").replace("$part/$parts", "1/2");
    filled = filled.replace("{}/$parts", "1/2").replace("${SLURM_CPUS_PER_TASK:-1}", "2");
    let words = filled.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned());
    words.take_while(|word| !word.starts_with('#')).collect()
}

/// All lists of texts in a document.
fn lists(yaml: &Yaml, found: &mut Vec<Vec<String>>) {
    match yaml {
        Yaml::Array(items) => {
            let texts: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(String::from)).collect();
            found.extend(texts);
            items.iter().for_each(|item| lists(item, found));
        }
        Yaml::Hash(hash) => hash.iter().for_each(|(_, value)| lists(value, found)),
        _ => {}
    }
}

#[test]
fn manifests_start_workers() {
    for (name, kinds) in [
        ("compose.yaml", &[][..]),
        ("kubernetes.yaml", &["Service", "StatefulSet", "Deployment"]),
        ("kubernetes-batch.yaml", &["Job"]),
    ] {
        let documents = YamlLoader::load_from_str(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let found: Vec<&str> = documents.iter().filter_map(|document| document["kind"].as_str()).collect();
        assert_eq!(found, kinds, "{name}");
        let mut all = vec![];
        documents.iter().for_each(|document| lists(document, &mut all));
        let own = all.iter().filter(|list| list[0] == "work");
        let in_shell = all.iter().filter_map(|list| list[0].strip_prefix("shirokuro "));
        let commands: Vec<Vec<String>> = own.cloned().chain(in_shell.map(words)).collect();
        assert_eq!(commands.len(), 1, "{name}: {all:?}");
        is_command(&commands[0]).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let compose = &YamlLoader::load_from_str(&text("compose.yaml")).unwrap()[0];
    assert_eq!(compose["services"]["worker"]["depends_on"][0].as_str(), Some("nats"));
}

#[test]
fn scripts_can_be_read_and_start_batches() {
    for name in ["slurm.sh", "parallel.sh"] {
        match Command::new("bash").arg("-n").arg(file(name)).output() {
            Ok(output) => assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => eprintln!("SKIPPED: {name} was not read by bash: {error}"),
        }
        let text = text(name);
        let line = text.lines().find_map(|line| line.split_once("shirokuro batch").map(|(_, rest)| rest));
        let words = words(&format!("batch{}", line.unwrap_or_else(|| panic!("{name}"))));
        is_command(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let python = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
    match Command::new("python3").args(["-c", python]).arg(file("ray_batch.py")).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => eprintln!("SKIPPED: ray_batch.py was not read by Python: {error}"),
    }
    let list = text("ray_batch.py").split("command = [").nth(1).map(|rest| rest.split(']').next().unwrap().to_owned());
    let words: Vec<String> = list.unwrap().split(", ").map(|word| word.trim_matches('"').to_owned()).collect();
    is_command(&words[1..]).unwrap();
}

#[test]
fn every_file_is_explained() {
    let readme = text("README.md");
    for entry in fs::read_dir(file("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || readme.contains(&format!("({name})")), "{name}");
    }
}
