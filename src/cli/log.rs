//! Where the log goes.

use std::{fs::OpenOptions, io, path::Path};

/// How much is logged, in the words of `env_logger`.
const FILTER: &str = "SHIROKURO_LOG";

/// Logs go to a file or, when asked for by the environment alone, to standard error; standard output is the protocol's.
pub fn start(file: Option<&Path>) -> io::Result<()> {
    let mut builder = env_logger::Builder::new();
    builder.format_timestamp_millis();
    match (file, std::env::var(FILTER)) {
        (None, Err(_)) => return Ok(()),
        (_, Ok(filter)) => builder.parse_filters(&filter),
        (Some(_), Err(_)) => builder.filter_level(log::LevelFilter::Info),
    };
    if let Some(path) = file {
        let open = OpenOptions::new().create(true).append(true).open(path);
        let file = open.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
        builder.target(env_logger::Target::Pipe(Box::new(file)));
    }
    builder.init();
    Ok(())
}
