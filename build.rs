//! Tells the program which commit it is built from, if that is known. Works without git.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Other builds would begin anew after every commit.
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = env::var_os("CARGO_MANIFEST_DIR").filter(|_| release).and_then(|folder| commit_of(Path::new(&folder)));
    println!("cargo:rustc-env=SHIROKURO_COMMIT={}", commit.unwrap_or_default());
}

fn commit_of(folder: &Path) -> Option<String> {
    let git = |arguments: &[&str]| -> Option<String> {
        let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // A repository that only happens to lie around the source is not ours.
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    if fs::canonicalize(top).ok()? != fs::canonicalize(folder).ok()? {
        return None;
    }
    // Every commit and every checkout adds a line to this file.
    let log = folder.join(git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    if log.exists() {
        println!("cargo:rerun-if-changed={}", log.display());
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}
