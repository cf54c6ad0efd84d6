//! What packages carry besides the binary: completions for shells, man pages, notices of licences.

use crate::base::files;
use clap::Command;
use clap_complete::Shell;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

const NAME: &str = "shirokuro";

#[derive(Debug, Clone, clap::Args)]
pub struct CompletionsArgs {
    /// The shell that reads them
    pub shell: Shell,
}

#[derive(Debug, Clone, clap::Args)]
pub struct ManArgs {
    /// The folder for the pages, made if it is not there
    pub dir: PathBuf,
}

/// Prints the completions of one shell.
pub fn completions(args: &CompletionsArgs, mut command: Command, out: &mut dyn Write) -> io::Result<()> {
    // It is written at once, so that a reader who has gone away is an error and not a panic.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, NAME, &mut text);
    out.write_all(&text)
}

/// Writes a page for the program and one for each command below it, and prints how many.
pub fn man(args: &ManArgs, mut command: Command, out: &mut dyn Write) -> io::Result<()> {
    files::permitted(&args.dir)?;
    fs::create_dir_all(&args.dir)?;
    command.build();
    let pages = write_pages(&command, NAME, &args.dir)?;
    writeln!(out, "{pages} pages written to {}", args.dir.display())
}

fn write_pages(command: &Command, name: &str, folder: &Path) -> io::Result<usize> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name).render(&mut text)?;
    files::replace_with(&folder.join(format!("{name}.1")), files::Backup::None, |file| file.write_all(&text))?;
    let below = command.get_subcommands().filter(|sub| sub.get_name() != "help" && !sub.is_hide_set());
    below
        .map(|sub| write_pages(sub, &format!("{name}-{}", sub.get_name()), folder))
        .try_fold(1, |sum, pages| Ok(sum + pages?))
}
