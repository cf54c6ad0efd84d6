//! The sessions of the README, typed as they are written.

use std::{
    env, fs,
    path::Path,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// The blocks of the README that show a session.
fn sessions() -> Vec<Vec<String>> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(readme).expect("the README is there");
    let blocks = text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.map(|block| block.lines().map(str::to_owned).collect()).collect()
}

/// Runs a line of a shell with the built program on the PATH, in a folder of its own.
fn shell(line: &str, input: &str) -> Output {
    let (home, work) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let program = Path::new(env!("CARGO_BIN_EXE_shirokuro")).parent().expect("a folder").to_owned();
    let known = env::var_os("PATH").unwrap_or_default();
    let paths = [program].into_iter().chain(env::split_paths(&known));
    let typed = work.path().join("typed");
    fs::write(&typed, input).expect("a file");
    Command::new("sh")
        .args(["-c", line])
        .current_dir(work.path())
        .env("PATH", env::join_paths(paths).expect("a PATH"))
        .env("XDG_DATA_HOME", home.path())
        .stdin(Stdio::from(fs::File::open(typed).expect("a file")))
        .output()
        .expect("a shell")
}

/// Times differ from run to run.
fn without_times(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let kept = words.iter().enumerate().map(|(i, word)| if i > 0 && words[i - 1] == "time" { "#" } else { word });
    kept.collect::<Vec<_>>().join(" ")
}

/// `…` at the end of a line stands for the rest of it.
fn matches(shown: &str, printed: &str) -> bool {
    match shown.strip_suffix('…') {
        Some(start) => printed.starts_with(start.trim_end()),
        None => without_times(shown) == without_times(printed),
    }
}

#[test]
#[cfg(unix)]
fn the_sessions_of_the_readme() {
    let sessions = sessions();
    assert!(sessions.len() >= 6, "{sessions:?}");
    for session in sessions {
        let typed: Vec<&str> = session.iter().filter_map(|line| line.strip_prefix("> ")).collect();
        let mut lines = session.iter().filter(|line| !line.starts_with("> ")).peekable();
        while let Some(command) = lines.next() {
            let command = command.strip_prefix("$ ").unwrap_or_else(|| panic!("not a command: {command}"));
            // A person's session is typed into the same command, with refusals made visible.
            let command = if typed.is_empty() { command.into() } else { format!("{command} --strict") };
            let output = shell(&command, &(typed.join("\n") + "\n"));
            let said = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command}: {}\n{said}{errors}", output.status);
            let mut shown = vec![];
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                shown.push(line);
            }
            let printed: Vec<&str> = said.trim_end().lines().collect();
            if !shown.is_empty() {
                let alike = shown.len() == printed.len() && shown.iter().zip(&printed).all(|(s, p)| matches(s, p));
                assert!(alike, "{command}\nthe README shows {shown:#?}\nthe program prints {printed:#?}");
            }
        }
    }
}
