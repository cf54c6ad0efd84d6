//! Every tool that reads positions, games or books, with a file that holds none: it says so and fails. A check that finds
//! nothing to check must not pass.

use std::{
    collections::BTreeSet,
    fs,
    process::{Command, Output, Stdio},
};

/// How each of them is called; FILE is the file, EVAL the weights.
const TOOLS: &[&str] = &[
    "solve FILE",
    "solve FILE --moves all",
    "scale FILE --rounds 1",
    "report FILE -o out.html",
    "suite FILE",
    "batch FILE -o out.jsonl",
    "prove FILE -k known.csv",
    "prove --verify FILE",
    "submit nats://127.0.0.1:1/none FILE",
    "match -e self:depth=1,name=a -e self:depth=1,name=b -n 2 --openings FILE",
    "match -c FILE",
    "gopal from-sgf FILE",
    "gopal match FILE",
    "gopal coverage FILE",
    "gopal nodes FILE",
    "book convert FILE out.skbook",
    "book do FILE verify",
    "train import -o games.bin FILE",
    "train label -o labelled.bin FILE",
    "train net --eval EVAL -o net.bin FILE",
    "train tempo --eval EVAL -o tempo.bin FILE",
    "train bias --eval EVAL --corrected corrected.bin FILE",
    "train probcut -o probcut.json FILE",
    "train report -o tables FILE",
    "train fit -o fitted.bin FILE",
    "train human -o human.bin FILE",
    "train human-report FILE",
    "train go-label --net FILE -o labels",
    "train go-label --net NET --games FILE -o labels",
    "train go-net -o net.bin.gz FILE",
    "train go-net-report --net NET FILE",
    "train go-net-check --net FILE --engine none",
    "gtp --book FILE",
    "gtp --eval FILE",
];

/// Those that read no such file.
const OTHERS: &[&str] = &[
    "nboard",
    "console",
    "json",
    "standalone",
    "uci",
    "katago",
    "ggs",
    "cgos",
    "work",
    "collect",
    "fleet",
    "bench",
    "perft",
    "doctor",
    "soak",
    "completions",
    "man",
    "licences",
    "gopal check",
    "gopal fmt",
    "book synth",
    "book bench",
    "train selfplay",
    "train duel",
    "help",
    "book help",
    "gopal help",
    "train help",
];

fn run(line: &str, folder: &std::path::Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shirokuro"))
        .args(line.split(' '))
        .current_dir(folder)
        .env("XDG_DATA_HOME", folder.join("data"))
        .stdin(Stdio::null())
        .output()
        .expect("the built program starts")
}

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let commands = help.split_once("Commands:\n").map_or("", |(_, rest)| rest);
    let lines = commands.lines().take_while(|line| !line.is_empty());
    lines
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn a_file_without_a_position_is_an_error_in_every_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    let eval = concat!(env!("CARGO_MANIFEST_DIR"), "/resources/weights/eval.bin");
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/resources/go/net.bin.gz");
    let rubbish = b"\0\xFF rubbish (;B[zz]W[]\n\x1b[31m{\"a\":\n#? [\n".repeat(20);
    for (name, bytes) in [("empty", &b""[..]), ("blank", b"\n\r\n \n"), ("rubbish", &rubbish)] {
        for tool in TOOLS {
            fs::write(folder.path().join(name), bytes).expect("a file");
            let output = run(&tool.replace("FILE", name).replace("EVAL", eval).replace("NET", net), folder.path());
            let errors = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            assert!(matches!(code, Some(1 | 2)), "{tool} with {name}: {code:?}\n{errors}");
            assert!(errors.contains("shirokuro: ") && !errors.contains("panicked"), "{tool} with {name}: {errors}");
            let said = String::from_utf8_lossy(&output.stdout) + errors;
            assert!(!said.contains('\x1b'), "{tool} with {name}: raw escape characters: {said:?}");
        }
    }
}

#[test]
fn no_tool_is_forgotten_here() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = |line: &str| String::from_utf8_lossy(&run(line, folder.path()).stdout).into_owned();
    let groups = ["book", "gopal", "train"];
    let mut there: BTreeSet<String> = listed(&help("--help")).into_iter().collect();
    assert!(there.len() > 15, "{there:?}");
    for group in groups {
        assert!(there.remove(group), "{group}");
        there.extend(listed(&help(&format!("{group} --help"))).into_iter().map(|name| format!("{group} {name}")));
    }
    let words = |line: &&str| {
        line.split(' ')
            .take(if groups.iter().any(|g| line.starts_with(g)) { 2 } else { 1 })
            .collect::<Vec<_>>()
            .join(" ")
    };
    let known: BTreeSet<String> = TOOLS.iter().map(words).chain(OTHERS.iter().map(|name| (*name).to_owned())).collect();
    let missing: Vec<&String> = there.difference(&known).collect();
    assert!(missing.is_empty(), "does it read positions or games? {missing:?}");
}
