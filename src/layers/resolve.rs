//! Module paths of the source, resolved to where things are defined.

use proc_macro2::{TokenStream, TokenTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
};
use syn::{
    Attribute, Item, ItemMod, ItemUse, Macro, UseTree,
    spanned::Spanned,
    visit::{self, Visit},
};

/// A module path below the crate: `["othello", "search"]`.
type Module = Vec<String>;

/// One module uses something that another defines.
pub struct Edge {
    from: Module,
    to: Module,
    file: String,
    line: usize,
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} uses {}", self.file, self.line, self.from.join("::"), self.to.join("::"))
    }
}

impl Edge {
    /// Where the two paths part: the module that holds both rooms, the room that uses and the room that is used. A module
    /// and what is inside it are one room.
    pub fn parting(&self) -> Option<(String, &str, &str)> {
        let common = self.from.iter().zip(&self.to).take_while(|(a, b)| a == b).count();
        let (a, b) = (self.from.get(common)?, self.to.get(common)?);
        Some((self.from[..common].join("::"), a, b))
    }
}

/// What is said in one module.
#[derive(Default)]
struct Contents {
    file: String,
    /// Modules inside it.
    children: BTreeSet<String>,
    /// Names brought in by `use`, with the path they stand for.
    imports: BTreeMap<String, Vec<String>>,
    /// `use …::*`.
    globs: Vec<Vec<String>>,
    /// Every path, with its line.
    paths: Vec<(Vec<String>, usize)>,
}

pub struct Source {
    modules: BTreeMap<Module, Contents>,
}

impl Source {
    /// The source of this crate, without its tests.
    pub fn from_crate() -> Source {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        collect(&root, &root, &mut files);
        Source::of_files(files.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    }

    /// Files by their path below `src`.
    pub fn of_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Source {
        let files: BTreeMap<PathBuf, &str> =
            files.into_iter().map(|(name, text)| (PathBuf::from(name), text)).collect();
        let mut source = Source { modules: BTreeMap::new() };
        source.read(&files, Path::new("lib.rs"), vec![]);
        source
    }

    /// Reads a file and the modules it declares.
    fn read(&mut self, files: &BTreeMap<PathBuf, &str>, file: &Path, module: Module) {
        let text = files.get(file).unwrap_or_else(|| panic!("{} is declared and missing", file.display()));
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        // The modules of `mod.rs` and `lib.rs` lie beside it, those of any other file in the folder of its name.
        let beside = matches!(file.file_name().and_then(|name| name.to_str()), Some("mod.rs" | "lib.rs"));
        let folder = if beside { file.parent().unwrap_or(Path::new("")).into() } else { file.with_extension("") };
        self.items(files, &parsed.items, file, &folder, module);
    }

    fn items(&mut self, files: &BTreeMap<PathBuf, &str>, items: &[Item], file: &Path, folder: &Path, module: Module) {
        let mut contents = Contents { file: file.display().to_string(), ..Contents::default() };
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            match item {
                Item::Mod(inner) => {
                    let name = inner.ident.to_string();
                    contents.children.insert(name.clone());
                    let path: Module = module.iter().cloned().chain([name]).collect();
                    self.module(files, inner, file, folder, path);
                }
                item => contents.visit_item(item),
            }
        }
        self.modules.insert(module, contents);
    }

    fn module(&mut self, files: &BTreeMap<PathBuf, &str>, inner: &ItemMod, file: &Path, folder: &Path, path: Module) {
        let name = inner.ident.to_string();
        if let Some((_, items)) = &inner.content {
            return self.items(files, items, file, &folder.join(name), path);
        }
        let named = inner.attrs.iter().find_map(path_attribute);
        let candidates = match named {
            Some(named) => vec![file.parent().unwrap_or(Path::new("")).join(named)],
            None => vec![folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")],
        };
        let found = candidates.iter().find(|candidate| files.contains_key(*candidate));
        let found = found.unwrap_or_else(|| panic!("no file for module {}", path.join("::")));
        self.read(files, found, path);
    }

    /// The names of the modules directly inside one.
    pub fn rooms(&self, parent: &str) -> BTreeSet<&str> {
        let parent: Module = parent.split("::").filter(|name| !name.is_empty()).map(Into::into).collect();
        self.modules.get(&parent).into_iter().flat_map(|contents| &contents.children).map(String::as_str).collect()
    }

    /// All uses of one module by another.
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (from, contents) in &self.modules {
            for (path, line) in &contents.paths {
                if let Some(to) = self.resolve(from, path, 0).filter(|to| to != from) {
                    edges.push(Edge { from: from.clone(), to, file: contents.file.clone(), line: *line });
                }
            }
        }
        edges
    }

    /// The module that defines what `path` names in `module`; `None` for what is not of this crate.
    fn resolve(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        const DEEPEST: usize = 12;
        let (first, rest) = path.split_first()?;
        if depth > DEEPEST {
            return None;
        }
        match first.as_str() {
            "crate" => self.descend(vec![], rest, depth),
            "self" => self.descend(module.clone(), rest, depth),
            "super" => {
                let parent = module[..module.len().checked_sub(1)?].to_vec();
                match rest.first().map(String::as_str) {
                    Some("super") => self.resolve(&parent, rest, depth + 1),
                    _ => self.descend(parent, rest, depth),
                }
            }
            _ => self.name_in(module, first, rest, depth),
        }
    }

    /// Follows `path` from inside `module`.
    fn descend(&self, module: Module, path: &[String], depth: usize) -> Option<Module> {
        let Some((first, rest)) = path.split_first() else { return Some(module) };
        self.name_in(&module, first, rest, depth).or(Some(module))
    }

    /// A name as `module` knows it: a module inside it, or something it imports.
    fn name_in(&self, module: &Module, name: &str, rest: &[String], depth: usize) -> Option<Module> {
        let contents = self.modules.get(module)?;
        if contents.children.contains(name) {
            let child = module.iter().cloned().chain([name.to_owned()]).collect();
            return self.descend(child, rest, depth + 1);
        }
        if let Some(target) = contents.imports.get(name).filter(|target| target.first().is_none_or(|t| t != name)) {
            let whole: Vec<String> = target.iter().chain(rest).cloned().collect();
            return self.resolve(module, &whole, depth + 1);
        }
        contents.globs.iter().find_map(|glob| {
            let from = self.resolve(module, glob, depth + 1).filter(|from| from != module)?;
            self.name_in(&from, name, rest, depth + 1)
        })
    }
}

impl Contents {
    fn add(&mut self, path: Vec<String>, line: usize) {
        self.paths.push((path, line));
    }

    fn use_tree(&mut self, tree: &UseTree, mut prefix: Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.use_tree(&path.tree, prefix);
            }
            UseTree::Name(name) => self.import(prefix, name.ident.to_string(), None, name.span()),
            UseTree::Rename(name) => {
                self.import(prefix, name.ident.to_string(), Some(name.rename.to_string()), name.span());
            }
            UseTree::Glob(glob) => {
                self.add(prefix.clone(), glob.span().start().line);
                self.globs.push(prefix);
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.use_tree(tree, prefix.clone())),
        }
    }

    fn import(&mut self, mut path: Vec<String>, name: String, rename: Option<String>, at: proc_macro2::Span) {
        let own = path.last().filter(|_| name == "self").cloned();
        if own.is_none() {
            path.push(name.clone());
        }
        self.add(path.clone(), at.start().line);
        self.imports.insert(rename.or(own).unwrap_or(name), path);
    }

    /// Paths inside the arguments of a macro, which are only tokens.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut line) = (0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.end_of(&mut path, line);
                    }
                    line = ident.span().start().line;
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.end_of(&mut path, line);
                    self.tokens(group.stream());
                }
                _ => {
                    self.end_of(&mut path, line);
                    colons = 0;
                }
            }
        }
        self.end_of(&mut path, line);
    }

    fn end_of(&mut self, path: &mut Vec<String>, line: usize) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.add(path, line);
        }
    }
}

impl<'a> Visit<'a> for Contents {
    fn visit_item_use(&mut self, item: &'a ItemUse) {
        self.use_tree(&item.tree, vec![]);
    }

    fn visit_item(&mut self, item: &'a Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(names, path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'a Macro) {
        self.tokens(mac.tokens.clone());
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        _ => &[],
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// The file named by `#[path = "…"]`.
fn path_attribute(attribute: &Attribute) -> Option<String> {
    let value = &attribute.meta.require_name_value().ok().filter(|pair| pair.path.is_ident("path"))?.value;
    match value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the source is readable") {
        let path = entry.expect("the source is readable").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).expect("below the root").display().to_string();
            files.push((name, fs::read_to_string(&path).expect("the source is readable")));
        }
    }
}
