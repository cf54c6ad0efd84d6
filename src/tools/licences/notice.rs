//! The notice of licences out of what cargo knows and what the packages carry.

use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

pub struct Package {
    name: String,
    version: String,
    licence: String,
    authors: String,
    repository: String,
    folder: PathBuf,
}

const HEAD: &str = "Shirokuro is licensed under MIT or Apache-2.0, as you prefer.\n\n\
    The binary contains the crates listed here (Linux on x86-64 and ARM; other systems may add crates of their own; what\n\
    `async-nats` brings with it only in a build with the feature `fleet`) and two fonts. Their licences follow the list, each text once. Of several licences to choose from, MIT is chosen.\n\
    A crate that carries no text in its package is named with its licence only.\n";

/// The crates in the binary by name: all that the program depends on, without what is used only to build or to test it.
pub fn crates(root: &Path) -> Result<Vec<Package>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--offline", "--locked", "--all-features", "--format-version", "1"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu", "--filter-platform", "aarch64-unknown-linux-gnu"])
        .current_dir(root)
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    Ok(used(&metadata))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("").to_owned()
}

fn used(metadata: &Value) -> Vec<Package> {
    let by_id = |values| -> BTreeMap<String, &Value> { list(values).map(|v| (text(&v["id"]), v)).collect() };
    let (packages, nodes) = (by_id(&metadata["packages"]), by_id(&metadata["resolve"]["nodes"]));
    let root = text(&metadata["resolve"]["root"]);
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![root]);
    while let Some(id) = waiting.pop() {
        let is_macro = |target: &Value| list(&target["kind"]).any(|kind| kind == "proc-macro");
        if list(&packages[&id]["targets"]).any(is_macro) || !seen.insert(id.clone()) {
            continue;
        }
        let normal = |dep: &&Value| list(&dep["dep_kinds"]).any(|kind| kind["kind"].is_null());
        waiting.extend(list(&nodes[&id]["deps"]).filter(normal).map(|dep| text(&dep["pkg"])));
    }
    // Ours come from no registry.
    seen.retain(|id| !packages[id]["source"].is_null());
    let mut used: Vec<Package> = seen.iter().map(|id| package(packages[id])).collect();
    used.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    used
}

fn package(about: &Value) -> Package {
    let authors: Vec<String> = list(&about["authors"]).map(text).collect();
    Package {
        name: text(&about["name"]),
        version: text(&about["version"]),
        licence: text(&about["license"]),
        authors: authors.join(", "),
        repository: text(&about["repository"]),
        folder: Path::new(&text(&about["manifest_path"])).parent().map(Path::to_owned).unwrap_or_default(),
    }
}

/// The whole notice.
pub fn write(root: &Path, crates: &[Package]) -> Result<String, String> {
    let mut notice = HEAD.to_owned();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for krate in crates {
        let Package { name, version, licence, authors, repository, .. } = krate;
        write!(notice, "\n{name} {version}\n  licence: {licence}\n").map_err(|e| e.to_string())?;
        for (label, value) in [("authors", authors), ("repository", repository)] {
            if !value.is_empty() {
                writeln!(notice, "  {label}: {value}").map_err(|e| e.to_string())?;
            }
        }
        for text in licence_texts(krate).map_err(|e| format!("{name}: {e}"))? {
            texts.entry(text).or_default().push(format!("{name} {version}"));
        }
    }
    let font = fs::read_to_string(root.join("resources/fonts/LICENSE.txt")).map_err(|e| e.to_string())?;
    notice.push_str("\nFonts: DejaVu Sans 2.37, regular and bold\n  repository: https://dejavu-fonts.github.io\n");
    texts.entry(tidy(&font)).or_default().push("the DejaVu fonts".into());
    let mut texts: Vec<(String, String)> = texts.into_iter().map(|(text, users)| (users.join(", "), text)).collect();
    texts.sort();
    for (users, text) in texts {
        let line = "-".repeat(100);
        write!(notice, "\n{line}\nOf {users}:\n\n{text}").map_err(|e| e.to_string())?;
    }
    Ok(notice)
}

/// The files of a package that state its terms: where MIT may be chosen, only that one.
fn licence_texts(krate: &Package) -> std::io::Result<Vec<String>> {
    let mut files: Vec<PathBuf> = fs::read_dir(&krate.folder)?.filter_map(|f| Some(f.ok()?.path())).collect();
    files.sort();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    let begins = |path: &Path, words: &[&str]| words.iter().any(|word| name(path).starts_with(word));
    files.retain(|path| {
        path.is_file() && begins(path, &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "UNLICENSE", "NOTICE"])
    });
    let mit = |path: &PathBuf| begins(path, &["LICENSE-MIT", "LICENCE-MIT"]);
    if files.iter().any(mit) && !krate.licence.contains(" AND ") {
        files.retain(|path| mit(path) || begins(path, &["NOTICE"]));
    }
    files.iter().map(|path| Ok(tidy(&String::from_utf8_lossy(&fs::read(path)?)))).collect()
}

/// Without what makes equal texts differ: line ends, spaces behind lines, blank lines around.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned() + "\n"
}

/// Whether the expression can be met with these licences alone. `/` is an old way to write OR.
pub fn allowed(expression: &str, licences: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ").replace(" WITH ", "+WITH+");
    let words: Vec<String> = spaced.split_whitespace().map(|word| word.replace("+WITH+", " WITH ")).collect();
    any(&mut words.iter().map(String::as_str).peekable(), licences)
}

fn any(words: &mut std::iter::Peekable<impl Iterator<Item = impl AsRef<str>>>, licences: &[&str]) -> bool {
    let mut met = all(words, licences);
    while words.next_if(|word| word.as_ref() == "OR").is_some() {
        met |= all(words, licences);
    }
    met
}

fn all(words: &mut std::iter::Peekable<impl Iterator<Item = impl AsRef<str>>>, licences: &[&str]) -> bool {
    let mut met = one(words, licences);
    while words.next_if(|word| word.as_ref() == "AND").is_some() {
        met &= one(words, licences);
    }
    met
}

fn one(words: &mut std::iter::Peekable<impl Iterator<Item = impl AsRef<str>>>, licences: &[&str]) -> bool {
    match words.next() {
        Some(word) if word.as_ref() == "(" => {
            let met = any(words, licences);
            words.next_if(|word| word.as_ref() == ")").is_some() && met
        }
        Some(word) => licences.contains(&word.as_ref()),
        None => false,
    }
}
