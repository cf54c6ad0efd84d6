//! Playing on a server: connecting, logging in, and coming back after a lost connection. The game itself is a session
//! as any other, with the server at its other end.

use crate::{
    base::Signal,
    engine::Engine,
    input,
    protocol::{Protocol, cgos::Cgos, ggs::Ggs, online::Standing, tables::excerpt_of},
    session::{End, Games, Session},
};
use clap::Args;
use crossbeam_channel::{Receiver, after, select};
use std::{
    fs,
    io::{self, BufRead, BufReader, Write},
    net::{Shutdown, TcpStream, ToSocketAddrs},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

/// The environment variable with the password.
const PASSWORD: &str = "SHIROKURO_PASSWORD";
/// A server that says nothing for so long during login is not there.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between empty lines that keep a connection alive.
const PULSE: Duration = Duration::from_secs(180);
/// Waiting grows up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// Lines before the questions of a login; more is no such server.
const MOST_LINES: usize = 1000;

#[derive(Debug, Args)]
pub struct OnlineArgs {
    /// The server, HOST or HOST:PORT
    #[arg(value_name = "HOST[:PORT]")]
    server: String,
    /// The name to log in with; the password comes from the environment variable SHIROKURO_PASSWORD or from a file
    #[arg(long, value_name = "NAME")]
    login: String,
    /// A file whose first line is the password
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Leave after so many matches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    matches: Option<u32>,
    /// Seconds before connecting again after a lost connection; each further failure doubles them, up to 300
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    wait: u64,
    /// Give up after so many failed connections in a row
    #[arg(long, value_name = "N", default_value_t = 20)]
    retries: u32,
}

#[derive(Debug, Args)]
pub struct GgsArgs {
    #[command(flatten)]
    pub online: OnlineArgs,
    /// Say this to the server once logged in, such as `tell /os ask s8r20 5:00 NAME`; may be repeated
    #[arg(long, value_name = "LINE")]
    say: Vec<String>,
    /// Ask for games that do not count for the rating
    #[arg(long)]
    unrated: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum OnlineError {
    #[error("no password: set {PASSWORD} or name a file with --password-file")]
    NoPassword,
    #[error("{}: {error}", path.display())]
    PasswordFile { path: PathBuf, error: io::Error },
    #[error("a name and a password are one line each")]
    SeveralLines,
    #[error("{server}: {error}")]
    Unreachable { server: String, error: io::Error },
    #[error("the server refused: {0}")]
    Refused(String),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Makes an engine with the options that were given.
pub type MakeEngine<'a> = &'a dyn Fn() -> Box<dyn Engine>;

/// The two servers.
enum Server {
    Ggs { rated: bool, say: Vec<String> },
    Cgos,
}

impl Server {
    fn port(&self) -> u16 {
        match self {
            Server::Ggs { .. } => 5000,
            Server::Cgos => 6867,
        }
    }
}

pub fn ggs(args: &GgsArgs, make: MakeEngine<'_>, signals: &Receiver<Signal>) -> Result<(), OnlineError> {
    run(&args.online, &Server::Ggs { rated: !args.unrated, say: args.say.clone() }, make, signals)
}

pub fn cgos(args: &OnlineArgs, make: MakeEngine<'_>, signals: &Receiver<Signal>) -> Result<(), OnlineError> {
    run(args, &Server::Cgos, make, signals)
}

fn password(args: &OnlineArgs) -> Result<String, OnlineError> {
    let text = match &args.password_file {
        Some(path) => {
            let text = fs::read_to_string(path);
            let text = text.map_err(|error| OnlineError::PasswordFile { path: path.clone(), error })?;
            text.lines().next().unwrap_or_default().to_owned()
        }
        None => std::env::var(PASSWORD).map_err(|_| OnlineError::NoPassword)?,
    };
    if text.is_empty() {
        return Err(OnlineError::NoPassword);
    }
    if [&text, &args.login].into_iter().any(|text| text.chars().any(char::is_control)) {
        return Err(OnlineError::SeveralLines);
    }
    Ok(text)
}

fn run(
    args: &OnlineArgs,
    server: &Server,
    make: MakeEngine<'_>,
    signals: &Receiver<Signal>,
) -> Result<(), OnlineError> {
    let password = password(args)?;
    let standing = Standing::new(args.matches);
    let (mut failures, mut wait) = (0, Duration::from_secs(args.wait));
    loop {
        match connect(args, server, &password, &standing, make, signals) {
            Ok(End::Signal(_)) => return Ok(()),
            Ok(_) => (failures, wait) = (0, Duration::from_secs(args.wait)),
            Err(refused @ OnlineError::Refused(_)) => return Err(refused),
            Err(error) => {
                failures += 1;
                if failures > args.retries {
                    return Err(error);
                }
                eprintln!("shirokuro: {error}");
            }
        }
        if let Some(why) = standing.refused() {
            return Err(OnlineError::Refused(why.to_owned()));
        }
        if standing.is_done() {
            eprintln!("{} played", count(standing.played(), "match", "matches"));
            return Ok(());
        }
        eprintln!("connecting again in {} s", wait.as_secs());
        select! {
            recv(signals) -> _ => return Ok(()),
            recv(after(wait)) -> _ => {}
        }
        if failures > 0 {
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }
}

fn count(number: u32, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// One connection, from its beginning to its end.
fn connect(
    args: &OnlineArgs,
    server: &Server,
    password: &str,
    standing: &Arc<Standing>,
    make: MakeEngine<'_>,
    signals: &Receiver<Signal>,
) -> Result<End, OnlineError> {
    let stream = reach(&args.server, server.port())?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream.try_clone()?;
    let protocol: Box<dyn Protocol> = match server {
        Server::Ggs { rated, say } => {
            ggs_login(&mut reader, &mut writer, &args.login, password)?;
            let own = say.iter().map(|line| format!("{line}\n")).collect::<String>();
            tell(&mut writer, &format!("{GGS_MANNERS}{}{own}", Ggs::greeting(*rated)))?;
            Box::new(Ggs::new(&args.login, *rated, standing.clone()))
        }
        Server::Cgos => {
            let analysis = cgos_login(&mut reader, &mut writer, &args.login, password)?;
            Box::new(Cgos::new(&args.login, analysis, standing.clone()))
        }
    };
    eprintln!("logged in to {} as {}", args.server, args.login);
    stream.set_read_timeout(None)?;
    let pulse = matches!(server, Server::Ggs { .. }).then(|| Pulse::start(&stream)).transpose()?;
    let lines = input::lines(reader);
    let closed = Session::new(protocol, make(), Games::none(), &mut writer, &mut io::stderr()).run(&lines, signals);
    drop(pulse);
    if matches!(closed.end, Ok(End::Signal(_))) {
        // The server need not wait for somebody who has gone.
        let _ = tell(&mut writer, "quit\n");
    }
    let _ = stream.shutdown(Shutdown::Both);
    Ok(closed.end?)
}

fn reach(server: &str, port: u16) -> Result<TcpStream, OnlineError> {
    let failed = |error| OnlineError::Unreachable { server: server.to_owned(), error };
    let named = server.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let address = if named { server.to_owned() } else { format!("{server}:{port}") };
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
    for address in address.to_socket_addrs().map_err(failed)? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(failed(last))
}

fn tell(writer: &mut impl Write, lines: &str) -> io::Result<()> {
    writer.write_all(lines.replace('\n', "\r\n").as_bytes())?;
    writer.flush()
}

/// The next line during login.
fn hear(reader: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    io::Read::take(&mut *reader, 1 << 16).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server has closed the connection"));
    }
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// No colours, bells, news and echoes.
const GGS_MANNERS: &str = "vt100 -\nbell -t -tc -tg -n -nc -ng -ni -nn\nverbose -news -faq -help -ack\nchann %\n";

/// The server asks for name and password, and says READY once both were right; asking again is its refusal.
fn ggs_login(
    reader: &mut impl BufRead,
    writer: &mut impl Write,
    login: &str,
    password: &str,
) -> Result<(), OnlineError> {
    let (mut named, mut proved, mut said) = (false, false, String::new());
    for _ in 0..MOST_LINES {
        let line = hear(reader)?;
        let asks = |what: &str| line.starts_with(": Enter") && line.contains(what);
        if asks("login") {
            if named {
                let why = if said.is_empty() { "it asks for the name again" } else { &said };
                return Err(OnlineError::Refused(excerpt_of(why, 160)));
            }
            tell(writer, &format!("{login}\n"))?;
            (named, said) = (true, String::new());
        } else if asks("password") {
            if proved {
                return Err(OnlineError::Refused("wrong password".into()));
            }
            tell(writer, &format!("{password}\n"))?;
            (proved, said) = (true, String::new());
        } else if line == "READY" && proved {
            return Ok(());
        } else if !line.is_empty() && line != "READY" {
            said = line;
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "this is not a GGS server").into())
}

/// Returns whether the server takes analyses.
fn cgos_login(
    reader: &mut impl BufRead,
    writer: &mut impl Write,
    login: &str,
    password: &str,
) -> Result<bool, OnlineError> {
    let mut analysis = false;
    for _ in 0..MOST_LINES {
        let line = hear(reader)?;
        let mut words = line.split_whitespace();
        match words.next().unwrap_or_default() {
            "protocol" => {
                analysis = words.any(|word| word == "genmove_analyze");
                let able = if analysis { " genmove_analyze" } else { "" };
                tell(writer, &format!("e1 Shirokuro {}{able}\n", env!("CARGO_PKG_VERSION")))?;
            }
            "username" => tell(writer, &format!("{login}\n"))?,
            "password" => {
                tell(writer, &format!("{password}\n"))?;
                return Ok(analysis);
            }
            word if word.eq_ignore_ascii_case("error:") => return Err(OnlineError::Refused(excerpt_of(&line, 160))),
            _ => {}
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "this is not a CGOS server").into())
}

/// Empty lines now and then, so that a quiet connection is not taken for a dead one.
struct Pulse {
    /// Dropped, the thread ends.
    _stop: crossbeam_channel::Sender<()>,
}

impl Pulse {
    fn start(stream: &TcpStream) -> io::Result<Pulse> {
        let mut writer = stream.try_clone()?;
        let (stop, stopped) = crossbeam_channel::bounded::<()>(0);
        std::thread::Builder::new().name("pulse".into()).spawn(move || {
            while stopped.recv_timeout(PULSE) == Err(crossbeam_channel::RecvTimeoutError::Timeout) {
                if tell(&mut writer, "\n").is_err() {
                    return;
                }
            }
        })?;
        Ok(Pulse { _stop: stop })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ggs(lines: &str) -> (Result<(), OnlineError>, String) {
        let mut written = Vec::new();
        let result = ggs_login(&mut lines.as_bytes(), &mut written, "rose", "secret");
        (result, String::from_utf8(written).unwrap())
    }

    #[test]
    fn ggs_asks_for_name_and_password() {
        let (result, written) =
            ggs("\r\nGeneric Game Server\r\n: Enter login (yours).\r\n: Enter your password.\r\nREADY\r\n");
        assert!(result.is_ok());
        assert_eq!(written, "rose\r\nsecret\r\n");
        let (result, _) =
            ggs(": Enter login (yours).\n: Enter your password.\nERR wrong password\n: Enter login (yours).\n");
        assert!(matches!(result, Err(OnlineError::Refused(why)) if why == "ERR wrong password"));
        let (result, _) = ggs(": Enter login (yours).\n");
        assert!(matches!(result, Err(OnlineError::Io(_))));
        let (result, _) = ggs(&"hello\n".repeat(MOST_LINES + 1));
        assert!(matches!(result, Err(OnlineError::Io(_))));
    }

    #[test]
    fn cgos_asks_for_the_protocol_first() {
        let login = |lines: &str| {
            let mut written = Vec::new();
            let result = cgos_login(&mut lines.as_bytes(), &mut written, "rose", "secret");
            (result, String::from_utf8(written).unwrap())
        };
        let (result, written) = login("protocol genmove_analyze\nusername\npassword\n");
        assert!(result.unwrap());
        assert_eq!(
            written,
            format!("e1 Shirokuro {} genmove_analyze\r\nrose\r\nsecret\r\n", env!("CARGO_PKG_VERSION"))
        );
        assert!(!login("protocol\nusername\npassword\n").0.unwrap());
        let (result, _) = login("protocol\nusername\nError: bad name\n");
        assert!(matches!(result, Err(OnlineError::Refused(why)) if why == "Error: bad name"));
    }
}
